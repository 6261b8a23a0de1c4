// Performance profiles (Dolan and More 2002): for each method the share of the problems that it solves within a factor
// tau of the fastest method on that problem.
#ifndef CAPSTAN_DRAW_PROFILE_H
#define CAPSTAN_DRAW_PROFILE_H

#include "capstan/base.h"

typedef struct CpsProfile {
  int method_count, problem_count;
  const char* const* method_names;
  const double* seconds;  // problem-major; NaN where the method did not solve the problem
} CpsProfile;

// One curve per method, tau along a logarithmic axis.
CpsStatus cps_profile_write_svg(const CpsProfile* profile, const char* path, CpsError* error);
// First column tau, then one column of shares per method; one line wherever a share changes.
CpsStatus cps_profile_write_csv(const CpsProfile* profile, const char* path, CpsError* error);

#endif
