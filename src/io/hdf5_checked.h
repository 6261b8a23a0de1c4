// HDF5 datasets that are checked before use.
//
// Every dataset is looked up. Its class, rank and length are compared with the expected values, and its declared size with the
// actual size of the file, before anything is allocated. Links out of the file (external links, external or virtual storage) are
// refused. Nothing prints: callers silence the error stack of HDF5 with H5E_BEGIN_TRY around a whole read or write. Error messages
// have the form "FILE: DATASET: what is wrong".
#ifndef CAPSTAN_IO_HDF5_CHECKED_H
#define CAPSTAN_IO_HDF5_CHECKED_H

#include <hdf5.h>

#include "base/fail.h"
#include "capstan/base.h"

typedef struct CpsH5 {
  const char* path;  // for sentences
  CpsError* error;   // may be NULL
  hid_t file;
  hid_t link_access;  // refuses external links
  hid_t
      dataset_access;  // the same, and reads chunks straight from the file: into its cache HDF5 reads as many bytes as the
                       // tree of chunks claims, which nothing checks
  int64_t file_size;  // bytes on disk
} CpsH5;

// Opens a regular HDF5 file for reading. On failure there is nothing to close.
CpsStatus cps_h5_open(CpsH5* h5, const char* path, CpsError* error);
void cps_h5_close(CpsH5* h5);

// Whether every link of an absolute path exists.
bool cps_h5_has(const CpsH5* h5, const char* name);

// One integer: a scalar or an array of one entry.
CpsStatus cps_h5_read_int(const CpsH5* h5, const char* name, int64_t* value);
// One-dimensional arrays, allocated with malloc and owned by the caller; *count gets the length.
CpsStatus cps_h5_read_ints(const CpsH5* h5, const char* name, int64_t** values, int64_t* count);
CpsStatus cps_h5_read_doubles(const CpsH5* h5, const char* name, double** values, int64_t* count);
// The same for two dimensions, the second of that extent; *rows gets the first.
CpsStatus cps_h5_read_int_table(const CpsH5* h5, const char* name, int64_t columns, int64_t** values, int64_t* rows);
CpsStatus cps_h5_read_table(const CpsH5* h5, const char* name, int64_t columns, double** values, int64_t* rows);
// A string, cut to fit; empty if it is absent or not a string.
void cps_h5_read_text(const CpsH5* h5, const char* name, char* text, size_t size);

// Writers into an open file; the group must exist. Return false if HDF5 refuses.
bool cps_h5_write_int(hid_t file, const char* name, int value);
bool cps_h5_write_ints(hid_t file, const char* name, const int* values, int64_t count);
bool cps_h5_write_doubles(hid_t file, const char* name, const double* values, int64_t count);
bool cps_h5_write_text(hid_t file, const char* name, const char* text);
bool cps_h5_write_texts(hid_t file, const char* name, const char* const* texts, int64_t count);
bool cps_h5_make_group(hid_t file, const char* name);

#endif
