#include "draw/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "draw/plot.h"

// Below this a CPU clock measures itself; such times count as equal.
#define SHORTEST_SECONDS 2e-6

// Everything a drawing needs: the factors at which some share changes, and the shares there.
typedef struct Curves {
  int tau_count;
  double* tau;
  double* ratio;  // problem-major time over the best time; infinite where unsolved
  double* share;  // method-major, tau_count entries each
} Curves;

static void free_curves(Curves* curves) {
  free(curves->tau);
  free(curves->ratio);
  free(curves->share);
}

static int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Ratios to the fastest method of each problem; a problem that no method solves stays infinite for all.
static void find_ratios(const CpsProfile* profile, double* ratio) {
  int methods = profile->method_count;
  for (int p = 0; p < profile->problem_count; ++p) {
    const double* seconds = profile->seconds + (ptrdiff_t)p * methods;
    double best = INFINITY;
    for (int m = 0; m < methods; ++m) {
      if (seconds[m] >= 0.0) best = fmin(best, fmax(seconds[m], SHORTEST_SECONDS));
    }
    for (int m = 0; m < methods; ++m) {
      bool solved = seconds[m] >= 0.0;
      ratio[(ptrdiff_t)p * methods + m] = solved ? fmax(seconds[m], SHORTEST_SECONDS) / best : INFINITY;
    }
  }
}

static bool make_curves(const CpsProfile* profile, Curves* curves) {
  int methods = profile->method_count, problems = profile->problem_count;
  size_t cells = (size_t)methods * (size_t)problems;
  curves->tau = malloc((cells + 3) * sizeof *curves->tau);
  curves->ratio = calloc(cells + 1, sizeof *curves->ratio);
  curves->share = malloc(((cells + 3) * (size_t)methods + 1) * sizeof *curves->share);
  if (!curves->tau || !curves->ratio || !curves->share) return false;
  find_ratios(profile, curves->ratio);
  int count = 0;
  curves->tau[count++] = 1.0;
  for (size_t k = 0; k < cells; ++k) {
    if (isfinite(curves->ratio[k])) curves->tau[count++] = curves->ratio[k];
  }
  qsort(curves->tau, (size_t)count, sizeof *curves->tau, compare_doubles);
  int kept = 1;
  for (int k = 1; k < count; ++k) {
    if (curves->tau[k] > curves->tau[kept - 1]) curves->tau[kept++] = curves->tau[k];
  }
  // the curves extend to the right of the last change, so that their height can be read
  curves->tau[kept] = fmax(1.5 * curves->tau[kept - 1], 10.0);
  curves->tau_count = kept + 1;
  for (int m = 0; m < methods; ++m) {
    for (int k = 0; k < curves->tau_count; ++k) {
      int within = 0;
      for (int p = 0; p < problems; ++p) within += curves->ratio[(ptrdiff_t)p * methods + m] <= curves->tau[k];
      curves->share[(ptrdiff_t)m * curves->tau_count + k] = (double)within / (double)(problems > 0 ? problems : 1);
    }
  }
  return true;
}

CpsStatus cps_profile_write_svg(const CpsProfile* profile, const char* path, CpsError* error) {
  Curves curves = {0};
  CpsPlotSeries* series = calloc((size_t)profile->method_count + 1, sizeof *series);
  CpsStatus status = CPS_NO_MEMORY;
  if (!series || !make_curves(profile, &curves)) {
    cps_io_fail(error, status, path, NULL, "out of memory");
  } else {
    for (int m = 0; m < profile->method_count; ++m) {
      series[m] = (CpsPlotSeries){profile->method_names[m], curves.tau, curves.share + (ptrdiff_t)m * curves.tau_count,
                                  curves.tau_count};
    }
    char title[80];
    snprintf(title, sizeof title, "Performance profile over %d problem%s", profile->problem_count,
             profile->problem_count == 1 ? "" : "s");
    CpsPlot plot = {
        .title = title,
        .x = {.label = "time relative to the fastest method",
              .log = true,
              .fixed = true,
              .low = 1.0,
              .high = curves.tau[curves.tau_count - 1]},
        .y = {.label = "problems solved", .percent = true, .fixed = true, .low = 0.0, .high = 1.0},
        .series = series,
        .series_count = profile->method_count,
        .steps = true,
        .level = NAN,
    };
    status = cps_plot_write(&plot, path, error);
  }
  free(series);
  free_curves(&curves);
  return status;
}

CpsStatus cps_profile_write_csv(const CpsProfile* profile, const char* path, CpsError* error) {
  Curves curves = {0};
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  bool made = out && make_curves(profile, &curves);
  if (made) {
    fputs("tau", out);
    for (int m = 0; m < profile->method_count; ++m) fprintf(out, ",%s", profile->method_names[m]);
    fputc('\n', out);
    for (int k = 0; k < curves.tau_count; ++k) {
      fprintf(out, "%.6g", curves.tau[k]);
      for (int m = 0; m < profile->method_count; ++m) {
        fprintf(out, ",%.6g", curves.share[(ptrdiff_t)m * curves.tau_count + k]);
      }
      fputc('\n', out);
    }
    made = ferror(out) == 0;
  }
  if (out && fclose(out) != 0) made = false;
  CpsStatus status =
      made ? cps_file_replace(path, text, size, error) : cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  free(text);
  free_curves(&curves);
  return status;
}
