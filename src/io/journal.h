// The journal beside a result. It holds the last changes made in place, so that an interrupted change can be completed, and the
// lock that excludes a second writer.
//
//   header: magic, version, run id, frame, piece count, bytes of the pieces, checksum of header and pieces
//   pieces: address, size, bytes
//
// All little-endian 64-bit words. A record is written before the result changes, and overwrites the previous record. An
// incomplete record has a wrong checksum and is ignored: the result has not changed yet.
#ifndef CAPSTAN_IO_JOURNAL_H
#define CAPSTAN_IO_JOURNAL_H

#include "capstan/base.h"

typedef struct CpsJournal {
  int descriptor;  // -1: none
  char* path;
  uint64_t run;  // id of the run whose changes it holds
  unsigned char* buffer;
  size_t size, room;  // of the record being made
  int reason;         // errno of a failure
} CpsJournal;

// Opens or creates the journal of a result and locks it. Leaves its content unchanged.
CpsStatus cps_journal_open(CpsJournal* journal, const char* result_path, CpsError* error);
// Closes it; `remove` also deletes the file. No effect if it is not open.
void cps_journal_close(CpsJournal* journal, bool remove);

// Makes a record: begin, add each piece, seal. False if memory or the disk is full.
void cps_journal_begin(CpsJournal* journal);
bool cps_journal_add(CpsJournal* journal, uint64_t address, const void* bytes, size_t size);
bool cps_journal_seal(CpsJournal* journal, int64_t frame);

// Empties it.
bool cps_journal_clear(CpsJournal* journal);

// Writes the pieces of a valid record of this run into `descriptor` again. *frame receives the frame of the record, -1 if there is
// no such record. False if the file cannot be written.
bool cps_journal_replay(CpsJournal* journal, int descriptor, int64_t* frame);

#endif
