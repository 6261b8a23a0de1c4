// The global form of a problem with large members in an FCLIB file.
#ifndef CAPSTAN_IO_FCLIB_GLOBAL_H
#define CAPSTAN_IO_FCLIB_GLOBAL_H

#include "capstan/problem.h"
#include "io/hdf5_checked.h"

// Writes /fclib_global of a problem with large members; false if memory runs out or a size does not fit.
bool cps_fclib_write_global(hid_t file, const CpsProblem* problem, int dim, const char* title);

#endif
