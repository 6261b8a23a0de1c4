/// @file fclib.h
/// Problem files in the FCLIB layout (HDF5). Part of the library capstan-io.
///
/// Reads /fclib_local (u = W r + q) and /fclib_global (M v = H r + f, u = H^T v + w). Every dataset is checked for
/// presence, type, size and bounds before it is used. Written files contain the problem and, if given, /solution.
#ifndef CAPSTAN_FCLIB_H
#define CAPSTAN_FCLIB_H

#include "capstan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Information in a file besides the problem.
typedef struct CpsFclibInfo {
  char title[128];             ///< /info/title, cut to fit; empty if absent
  char description[256];       ///< /info/description
  char math_info[128];         ///< /info/math_info
  bool global;                 ///< the file holds the global form
  bool has_solution;           ///< there is a /solution group
  bool has_guesses;            ///< there is a /guesses group
  double elimination_seconds;  ///< CPU time from M, H, f, w in memory to the problem, for a global file
} CpsFclibInfo;

/// Reads a problem.
/// @param path   the file
/// @param form   representation of a global file; a local file always gives W
/// @param info   out: may be NULL
/// @param error  out: "FILE: DATASET: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR (missing or unreadable), CPS_BAD_FORMAT (not HDF5, not FCLIB, wrong shapes or types),
/// CPS_BAD_DATA (NaN, mu < 0, …) or CPS_NO_MEMORY
CPS_API CpsStatus cps_fclib_read(const char* path, CpsForm form, CpsProblem** problem, CpsFclibInfo* info,
                                 CpsError* error);

/// Reads /solution/r and /solution/u of a file into arrays of row_count entries; either may be NULL.
CPS_API CpsStatus cps_fclib_read_solution(const char* path, int64_t row_count, double* r, double* u, CpsError* error);

/// Writes a problem in local form, with the shift added to q. The file is written under a
/// temporary name and then renamed, so a failure leaves an existing file intact. A problem with large members is
/// written in global form: M, H, f = 0 and w with the shift. FCLIB holds contacts of one dimension, 2 or 3; other problems, such as
/// those of grains in space, use groups of our own with the same layout, /capstan_local and /capstan_global, which
/// cps_fclib_read() reads.
/// @param r,u   row_count entries of /solution; both NULL: no solution is written
/// @param title /info/title; may be NULL
CPS_API CpsStatus cps_fclib_write(const char* path, const CpsProblem* problem, const double* r, const double* u,
                                  const char* title, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
