// Whole files as text, with a limit.
#ifndef CAPSTAN_IO_FILE_TEXT_H
#define CAPSTAN_IO_FILE_TEXT_H

#include "capstan/base.h"

// Identity of a file, independent of its path: equal numbers mean the same file.
typedef struct CpsFileId {
  uint64_t device, inode;
} CpsFileId;

// Reads a file. Free *text with free().
// @param regular  refuse anything but regular files (a pipe could block forever)
// @param id       out: may be NULL
// @param why      out: "No such file or directory", "larger than 8 MB"
// @return CPS_OK, CPS_FILE_ERROR or CPS_NO_MEMORY
enum { CPS_FILE_WHY_SIZE = 100 };
CpsStatus cps_file_text(const char* path, size_t limit, bool regular, char** text, size_t* length, CpsFileId* id,
                        char why[CPS_FILE_WHY_SIZE]);

#endif
