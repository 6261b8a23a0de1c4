// Fits many polylines in parallel. Each is fitted by itself, so the result does not depend on their number.
#include "capstan/fibre.h"
#include "core/error.h"
#include "core/pool.h"

#include <stdlib.h>

// The first polyline of a thread that has no fit, or one beyond the last.
typedef struct Stop {
  int32_t at;
  CpsStatus status;
  CpsError error;
} Stop;

typedef struct Work {
  const CpsVec3* points;
  const int64_t* first;
  int32_t elements;
  double* lengths;
  CpsVec3* curvature;
  CpsFibreFit* fits;
  Stop* stop;  // of each thread
} Work;

static CpsStatus fit_one(const Work* work, int32_t i, CpsError* error) {
  const int64_t begin = work->first[i], many = work->first[i + 1] - begin, at = (int64_t)work->elements * i;
  const CpsVec3* points = work->points + begin;
  const int32_t n = many > INT32_MAX || many < 0 ? 0 : (int32_t)many;
  return work->lengths ? cps_fibre_fit_tangents(points, n, work->elements, work->lengths + at, work->curvature + at,
                                                &work->fits[i], error)
                       : cps_fibre_fit(points, n, work->elements, work->curvature + at, &work->fits[i], error);
}

static void fit_range(void* data, int64_t first, int64_t last, int worker) {
  const Work* work = data;
  Stop* stop = &work->stop[worker];
  for (int32_t i = (int32_t)first; i < (int32_t)last; ++i) {
    stop->status = fit_one(work, i, &stop->error);
    if (stop->status == CPS_OK) continue;
    stop->at = i;
    return;
  }
}

CpsStatus cps_fibre_fit_all(const CpsVec3* points, const int64_t* first, int32_t count, int32_t elements,
                            int32_t threads, double* lengths, CpsVec3* curvature, CpsFibreFit* fits, int32_t* failed,
                            CpsError* error) {
  if (!points || !first || count < 0 || elements < 1 || threads < 1 || threads > 1024 || !curvature || !fits) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "a fit of polylines needs points, results and 1 to 1024 threads");
  }
  CpsPool* pool = cps_pool_create(threads);
  Stop* stop = pool ? malloc((size_t)threads * sizeof *stop) : NULL;
  if (failed) *failed = -1;
  CpsStatus status = CPS_OK;
  if (stop) {
    for (int32_t t = 0; t < threads; ++t) stop[t].at = count;
    Work work = {points, first, elements, lengths, curvature, fits, stop};
    cps_pool_run(pool, count, fit_range, &work);
    const Stop* earliest = &stop[0];
    for (int32_t t = 1; t < threads; ++t) earliest = stop[t].at < earliest->at ? &stop[t] : earliest;
    if (earliest->at < count) {
      if (failed) *failed = earliest->at;
      status = cps_fail(error, earliest->status, "%s", earliest->error.text);
    }
  } else {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory to fit fibres");
  }
  cps_pool_destroy(pool);
  free(stop);
  return status == CPS_OK ? cps_succeed(error) : status;
}
