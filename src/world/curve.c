// Functions of time for loads: constant, sine, table.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

// Largest k with times[k] <= t; t is not before the first.
static int32_t find(const double* times, int32_t count, double t) {
  int32_t low = 0, high = count - 1;
  while (low < high) {
    int32_t middle = high - (high - low) / 2;
    if (times[middle] <= t) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

static double table_value(const CpsCurve* c, double t) {
  if (c->period > 0.0) t -= c->period * floor(t / c->period);
  if (t <= c->times[0]) return c->values[0];
  int32_t k = find(c->times, c->count, t);
  if (k == c->count - 1 || c->steps) return c->values[k];
  double s = (t - c->times[k]) / (c->times[k + 1] - c->times[k]);
  return (1.0 - s) * c->values[k] + s * c->values[k + 1];
}

double cps_curve_value(const CpsCurve* curve, double t) {
  switch (curve->kind) {
    case CPS_CURVE_SINE:
      return sin(TWO_PI * curve->frequency * t + curve->phase);
    case CPS_CURVE_TABLE:
      return table_value(curve, t);
    case CPS_CURVE_CONSTANT:
    default:
      return 1.0;
  }
}

static CpsStatus check(const CpsCurve* c, CpsError* error) {
  if (c->kind == CPS_CURVE_CONSTANT) return CPS_OK;
  if (c->kind == CPS_CURVE_SINE) {
    if (isfinite(c->frequency) && isfinite(c->phase)) return CPS_OK;
    return cps_fail(error, CPS_BAD_DATA, "the frequency or phase of a sine is not finite");
  }
  if (c->kind != CPS_CURVE_TABLE) return cps_fail(error, CPS_BAD_ARGUMENT, "unknown kind of curve %d", (int)c->kind);
  if (c->count < 1 || !c->times || !c->values) return cps_fail(error, CPS_BAD_ARGUMENT, "a time table is empty");
  if (!(c->period >= 0.0) || !isfinite(c->period)) {
    return cps_fail(error, CPS_BAD_DATA, "the period of a table is %g; it must not be negative", c->period);
  }
  for (int32_t i = 0; i < c->count; ++i) {
    if (!isfinite(c->times[i]) || !isfinite(c->values[i])) {
      return cps_fail(error, CPS_BAD_DATA, "row %d of a time table is not finite", (int)i);
    }
    if (i > 0 && !(c->times[i] > c->times[i - 1])) {
      return cps_fail(error, CPS_BAD_DATA, "row %d of a time table is not later than the previous one", (int)i);
    }
  }
  return CPS_OK;
}

CpsStatus cps_curve_copy(const CpsCurve* from, CpsCurve* to, CpsError* error) {
  CpsStatus status = check(from, error);
  if (status != CPS_OK) return status;
  *to = *from;
  to->times = to->values = NULL;
  if (from->kind != CPS_CURVE_TABLE) return CPS_OK;
  size_t bytes = (size_t)from->count * sizeof(double);
  double *times = malloc(bytes), *values = malloc(bytes);
  if (!times || !values) {
    free(times);
    free(values);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a time table");
  }
  memcpy(times, from->times, bytes);
  memcpy(values, from->values, bytes);
  to->times = times;
  to->values = values;
  return CPS_OK;
}

void cps_curve_free(CpsCurve* curve) {
  free((double*)curve->times);
  free((double*)curve->values);
}

// The mean of the scheme, theta F(t + h) + (1 - theta) F(t). A table of steps is evaluated at mid-step, so that
// rounding of the time does not decide which side of a jump counts.
double cps_curve_mean(const CpsCurve* curve, double t, const CpsModelStep* step) {
  if (curve->kind == CPS_CURVE_TABLE && curve->steps) return cps_curve_value(curve, t + 0.5 * step->h);
  return step->theta * cps_curve_value(curve, t + step->h) + (1.0 - step->theta) * cps_curve_value(curve, t);
}
