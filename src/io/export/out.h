// Files and folders of an export, which appear whole or not at all.
#ifndef CAPSTAN_IO_EXPORT_OUT_H
#define CAPSTAN_IO_EXPORT_OUT_H

#include <stdio.h>

#include "io/export/grow.h"

// A file being written. Zeroed: none.
typedef struct CpsOut {
  FILE* file;
  char *path, *target;  // where it is, and where it goes; target NULL: it is there
  int64_t bytes;
  int reason;  // errno of the first write that failed; 0: none
} CpsOut;

// Begins a file that replaces `path` at the end.
CpsStatus cps_out_begin(CpsOut* out, const char* path, CpsError* error);
// Begins a new file in a folder of the export.
CpsStatus cps_out_create(CpsOut* out, const char* path, CpsError* error);
void cps_out_add(CpsOut* out, const void* bytes, size_t size);
// Writes the buffer and clears it; a buffer that ran out of memory counts as a failed write.
void cps_out_flush(CpsOut* out, CpsGrow* bytes);
// Flushes and closes the file; after that only the move can fail.
CpsStatus cps_out_close(CpsOut* out, CpsError* error);
// Closes the file if necessary and moves it to its place. After a failure nothing is left of it.
CpsStatus cps_out_end(CpsOut* out, CpsError* error);
// Closes it and removes it. Harmless after cps_out_end() and after a failure.
void cps_out_discard(CpsOut* out);

// A folder being written. Zeroed: none.
typedef struct CpsOutFolder {
  char *path, *target;
} CpsOutFolder;

// Begins a folder that replaces `path` at the end. An existing folder may contain only files with the given endings; two endings
// are separated by a blank.
CpsStatus cps_out_folder_begin(CpsOutFolder* folder, const char* path, const char* endings, CpsError* error);
// The path of a file in it, allocated; NULL if memory runs out.
char* cps_out_folder_file(const CpsOutFolder* folder, const char* name);
CpsStatus cps_out_folder_end(CpsOutFolder* folder, CpsError* error);
void cps_out_folder_discard(CpsOutFolder* folder);

#endif
