// Fast projection (Goldenthal et al. 2007): finds the nearest positions, in the kinetic-energy norm, at which every edge has
// its rest length, by Newton's method:
//
//   c_e = |e| - r_e,   (C M^-1 C^T) y = c,   x <- x - M^-1 C^T y,   C = dc/dx                                      (1)
//
// With `lean` the vertices move along the mean of the edge directions before and after the step: at theta = 1/2 an impulse along
// it has no moment. The matrix uses the directions after the step, close enough for convergence.
//
// C M^-1 C^T is tridiagonal. Held vertices have infinite mass. Between two held ends the constraints can be dependent
// (a straight rod) or contradictory (ends too far apart). The system is therefore shifted slightly, and a Newton step that
// does not reduce the length error is shortened and finally undone.
#include "model/discrete_rod.h"

#include <string.h>

static const double SHIFT = 1e-10;
static const double TOLERANCE = 1e-14, ENOUGH = 1e-10;  // of the length of an edge
static const int MAX_ITERATIONS = 50;

static double inverse_mass(const CpsDer* d, int32_t vertex) {
  return d->held[4 * (ptrdiff_t)vertex] != 0.0 ? 0.0 : 1.0 / d->mass[vertex];
}

// Largest length error of an edge, relative to its length.
static double worst(const CpsDer* d) {
  double largest = 0.0;
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e)
    largest = fmax(largest, fabs(d->edge[e] - d->rest[e]) / d->rest[e]);
  return largest;
}

// y of (1), by elimination from root to tip: `side` (in: c, out: y) and two rows of working memory.
static void solve(const CpsDer* d, double* side, double* pivot, double* ratio) {
  int32_t first = d->ghost, end = d->ghost + d->elements;
  for (int32_t e = first; e < end; ++e) {
    double w0 = inverse_mass(d, e), w1 = inverse_mass(d, e + 1);
    pivot[e] = (w0 + w1) * (1.0 + SHIFT);
    side[e] = d->edge[e] - d->rest[e];
    if (e == first) continue;
    double across = -w0 * cps_vec3_dot(d->tangent[e - 1], d->tangent[e]);
    ratio[e] = across / pivot[e - 1];
    pivot[e] = fmax(pivot[e] - ratio[e] * across, SHIFT * (w0 + w1));
    side[e] -= ratio[e] * side[e - 1];
  }
  for (int32_t e = end - 1; e >= first; --e) {
    side[e] /= pivot[e];
    if (e + 1 < end) side[e] -= ratio[e + 1] * side[e + 1];
  }
}

// x <- x - factor M^-1 C^T y
static void step_along(CpsDer* d, const double* y, double factor) {
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e) {
    CpsVec3 along = cps_vec3_axpy(cps_vec3_scale(1.0 - d->lean, d->tangent[e]), d->lean, d->old_tangent[e]);
    const double t[3] = {along.x, along.y, along.z};
    double w0 = factor * inverse_mass(d, e) * y[e], w1 = factor * inverse_mass(d, e + 1) * y[e];
    double* q = d->q + 4 * (ptrdiff_t)e;
    for (int i = 0; i < 3; ++i) {
      q[i] += w0 * t[i];
      q[4 + i] -= w1 * t[i];
    }
  }
}

// A step of (1), shortened until the length error decreases; undone if it never does.
static bool improve(CpsDer* d, const double* y, double* error) {
  double* saved = d->move;
  memcpy(saved, d->q, (size_t)d->dofs * sizeof *saved);
  for (double factor = 1.0; factor > 1e-3; factor *= 0.5) {
    step_along(d, y, factor);
    cps_der_find_tangents(d);
    double next = worst(d);
    if (next < *error) {
      *error = next;
      return true;
    }
    memcpy(d->q, saved, (size_t)d->dofs * sizeof *saved);
    cps_der_find_tangents(d);
  }
  return false;
}

bool cps_der_project(CpsDer* d) {
  int32_t edges = d->vertices - 1;
  double *y = d->projection, *pivot = y + edges, *ratio = pivot + edges;
  cps_der_find_tangents(d);
  double error = worst(d);
  for (int k = 0; k < MAX_ITERATIONS && error > TOLERANCE; ++k) {
    solve(d, y, pivot, ratio);
    if (!improve(d, y, &error)) break;
  }
  return error <= ENOUGH;
}
