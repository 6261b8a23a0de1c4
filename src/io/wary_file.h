// An HDF5 driver for reading files that may be damaged.
#ifndef CAPSTAN_IO_WARY_FILE_H
#define CAPSTAN_IO_WARY_FILE_H

#include <hdf5.h>
#include <stdbool.h>

// Opens a file for reading, or returns -1: damaged, or out of memory. Checks on reading what libhdf5 would trust unchecked (wary_file.c).
hid_t cps_wary_open(const char* path, bool* out_of_memory);

#endif
