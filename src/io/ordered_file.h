// A file under HDF5 that an ordinary reader can open at any moment, even after its writer was killed.
//
// HDF5 changes its metadata in place at any time. This driver holds such changes back in memory until cps_ordered_commit(), which
// writes them in an order in which every prefix is a valid file (ordered_file.c says why). Raw data goes to the file at once: the
// caller writes only rows that no counter includes yet.
#ifndef CAPSTAN_IO_ORDERED_FILE_H
#define CAPSTAN_IO_ORDERED_FILE_H

#include <hdf5.h>

#include "io/journal.h"

// A pending piece of metadata.
typedef struct CpsPiece {
  haddr_t address;
  size_t size;
  int rank;  // place in the order of writing
  unsigned char* bytes;
} CpsPiece;

typedef struct CpsOrderedFile {
  int descriptor;            // open for reading and writing; the owner closes it
  haddr_t end_of_file;       // bytes in the file
  haddr_t end_of_addresses;  // space allocated by HDF5
  haddr_t committed;         // beyond this nothing is visible to a reader
  CpsPiece* pieces;
  size_t piece_count, piece_room;
  bool dead;   // after a failure: later writes by HDF5 are dropped, the file stays unchanged
  int reason;  // errno of the failure
} CpsOrderedFile;

// Opens (truncates if `create`) the file behind `ordered`; the caller keeps the descriptor. Returns the HDF5 file or -1.
// H5Fclose() writes nothing uncommitted.
hid_t cps_ordered_open(CpsOrderedFile* ordered, int descriptor, bool create);

// Makes everything that HDF5 has written visible. Pieces that overwrite data go through the journal first, if it is not NULL.
// Returns false if the file could not be written. The file is then dead, `reason` gives the cause, and everything committed
// before stays readable.
bool cps_ordered_commit(CpsOrderedFile* ordered, hid_t file, CpsJournal* journal, int64_t frame);

// Frees the memory; call after H5Fclose().
void cps_ordered_release(CpsOrderedFile* ordered);

#endif
