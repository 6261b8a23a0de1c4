// An engine that embeds the solver: one header, one library, libc and libm. Problem 7 of the analytic ones, where the
// normal and the tangent are coupled: [2 1 0; 1 2 0; 0 0 1], (-3, 4, 0), mu = .5 has r = (2, -1, 0).
#include <capstan/capstan.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const double W[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, b[3] = {-3, 4, 0}, mu = 0.5;
  const int32_t zero = 0;
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 1;
  contacts.mu = &mu;
  contacts.b = b;
  CpsProblem* problem = NULL;
  CpsError error;
  double r[3] = {0};
  CpsSolveOptions options = cps_solve_options_default();
  CpsStatus status = cps_problem_from_blocks(&contacts, 1, &zero, &zero, W, &problem, &error);
  if (!status) status = cps_problem_solve(problem, &options, r, NULL, &error);
  cps_problem_destroy(problem);
  // the residual's tolerance is 1e-8 and the block is well conditioned
  if (status || !(fabs(r[0] - 2) + fabs(r[1] + 1) + fabs(r[2]) < 1e-6)) {
    fprintf(stderr, "%s, r = %g %g %g\n", error.text, r[0], r[1], r[2]);
    return 1;
  }
  return 0;
}
