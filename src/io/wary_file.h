// A driver under HDF5 for reading files that may be damaged.
#ifndef CAPSTAN_IO_WARY_FILE_H
#define CAPSTAN_IO_WARY_FILE_H

#include <hdf5.h>
#include <stdbool.h>

// Opens a file for reading, or returns -1: it is damaged, or memory runs out. What libhdf5 would believe without a check is checked as it is read (wary_file.c).
hid_t cps_wary_open(const char* path, bool* out_of_memory);

#endif
