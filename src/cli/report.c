#include "cli/report.h"

#include <stdio.h>
#include <string.h>

#include "cli/choose.h"

// A smaller asymmetry of W is rounding, not physics.
#define ASYMMETRY_WORTH_SAYING 1e-12
// Factor by which the residual of an island must exceed that of the problem to be reported: such islands are light and poorly solved.
#define ISLANDS_WORTH_SAYING 1.5

const char* cps_time_text(double seconds, char text[32]) {
  if (seconds < 1e-3) {
    snprintf(text, 32, "%.3f ms", 1e3 * seconds);
  } else if (seconds < 0.9995) {
    snprintf(text, 32, "%.3g ms", 1e3 * seconds);
  } else if (seconds < 120.0) {
    snprintf(text, 32, "%.3g s", seconds);
  } else {
    snprintf(text, 32, "%.1f min", seconds / 60.0);
  }
  return text;
}

const char* cps_bytes_text(int64_t bytes, char text[32]) {
  if (bytes < 1000) {
    snprintf(text, 32, "%lld bytes", (long long)bytes);
  } else if (bytes < 1000 * 1000) {
    snprintf(text, 32, "%.1f kB", 1e-3 * (double)bytes);
  } else {
    snprintf(text, 32, "%.1f MB", 1e-6 * (double)bytes);
  }
  return text;
}

const char* cps_file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

// Advice for a solution that missed the tolerance.
static void print_advice(const CpsSolveInfo* info, const CpsSolveOptions* options) {
  const CpsMethodInfo* method = cps_method_info(info->method);
  const CpsLocalInfo* local = cps_local_info(info->local);
  if (method && !method->exact) {
    printf("; %s does not solve the exact law; try --method auto", method->name);
  } else if (local && !local->exact && !info->local_failsafe) {
    printf("; %s does not solve the exact law; try --local mfb+enum", local->name);
  } else if (info->method != CPS_METHOD_AUTO) {
    printf("; try --method auto");
  } else if (info->status == CPS_NOT_CONVERGED && info->iterations >= options->max_iterations) {
    printf("; try a larger --max-iter");
  } else if (info->status == CPS_TIME_LIMIT) {
    printf("; try a larger --time-limit");
  }
}

static void print_outcome(const CpsSolveInfo* info, const CpsSolveOptions* options, const CpsError* reason) {
  char time[32];
  cps_time_text(info->seconds, time);
  long long iterations = (long long)info->iterations;
  const char* plural = iterations == 1 ? "" : "s";
  switch (info->status) {
    case CPS_OK:
      printf("converged: residual %.1e after %lld iteration%s of %s in %s\n", info->residual, iterations, plural,
             cps_method_name(info->method), time);
      return;
    case CPS_NO_SOLUTION:
      printf("no solution: %s\n", reason->text[0] ? reason->text : "the problem has none (certified by enumeration)");
      return;
    case CPS_TIME_LIMIT:
      printf("time limit: ");
      break;
    case CPS_INTERRUPTED:
      printf("interrupted: ");
      break;
    default:
      printf("not converged: ");
      break;
  }
  printf("residual %.1e after %lld iteration%s in %s (tolerance %g)", info->residual, iterations, plural, time,
         options->tolerance);
  if (info->status != CPS_INTERRUPTED) print_advice(info, options);
  putchar('\n');
}

static void print_identities(const CpsIdentities* identities) {
  printf("largest relative violations: r_N >= 0 %.1e, u_N >= 0 %.1e, r_N u_N = 0 %.1e, cone %.1e,\n",
         identities->normal_impulse, identities->normal_velocity, identities->complementarity, identities->cone);
  printf("  u_T along r_T %.1e, dissipation %.1e, r.u~ = 0 %.1e, energy %.1e\n", identities->alignment,
         identities->dissipation, identities->orthogonality, identities->energy);
}

void cps_report_print(const CpsSolveInfo* info, const CpsSolveOptions* options, int32_t contact_count,
                      const CpsError* reason) {
  print_outcome(info, options, reason);
  printf("%d contact%s: %d stick, %d slide, %d open\n", (int)contact_count, contact_count == 1 ? "" : "s",
         (int)info->stick, (int)info->slide, (int)info->takeoff);
  if (info->residual_islands > ISLANDS_WORTH_SAYING * info->residual) {
    printf("worst single island: residual %.1e\n", info->residual_islands);
  }
  char local[32];
  if (cps_local_name(info, local) && info->local_calls > 0) {
    printf("%s: %lld calls, %lld failed, %lld passed to enumeration, %lld unsolved\n", local,
           (long long)info->local_calls, (long long)info->local_failures, (long long)info->local_fallbacks,
           (long long)info->local_unsolved);
  }
  if (info->asymmetry > ASYMMETRY_WORTH_SAYING) {
    printf("W is unsymmetric by %.1e (relative)%s\n", info->asymmetry,
           info->symmetrised ? "; the method symmetrised it internally, the residual is for W as given"
                             : ", solved as given");
  }
  if (options->check_identities) print_identities(&info->identities);
}
