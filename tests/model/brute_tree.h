// A tree of super-helices by brute force: frames by quaternions, positions by a fine rule, every derivative a finite
// difference, every matrix dense. Nothing of it is shared with the model. Coordinates: root position, root rotation (a
// turn in world axes), curvatures of the elements; velocities are theirs.
#ifndef CAPSTAN_TESTS_MODEL_BRUTE_TREE_H
#define CAPSTAN_TESTS_MODEL_BRUTE_TREE_H

#include "core/quat.h"
#include "model/rod.h"
#include "sparse/dense.h"

#include <stdlib.h>
#include <string.h>

enum { BRUTE_ELEMENTS = 12, BRUTE_DOFS = 6 + 3 * BRUTE_ELEMENTS, BRUTE_PANELS = 12, BRUTE_POINTS = 3 * BRUTE_PANELS };

typedef struct Brute {
  int32_t count, parent[BRUTE_ELEMENTS];
  double size[BRUTE_ELEMENTS], density[BRUTE_ELEMENTS], stiffness[3 * BRUTE_ELEMENTS], natural[3 * BRUTE_ELEMENTS];
  CpsQuat turn[BRUTE_ELEMENTS];
  CpsPose root;
  double k[3 * BRUTE_ELEMENTS];
  double v[BRUTE_DOFS];  // velocities before the step
} Brute;

static const double BRUTE_NODE[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double BRUTE_WEIGHT[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

// Coordinates moved by t times the velocities u.
static Brute brute_moved(const Brute* b, const double* u, double t) {
  Brute m = *b;
  m.root.position = cps_vec3_axpy(m.root.position, t, cps_vec3(u[0], u[1], u[2]));
  m.root.rotation = cps_quat_multiply(cps_quat_exp(cps_vec3(t * u[3], t * u[4], t * u[5])), m.root.rotation);
  for (int i = 0; i < 3 * b->count; ++i) m.k[i] += t * u[6 + i];
  return m;
}

static CpsPose brute_along(const Brute* b, int32_t i, CpsPose from, double a) {
  CpsVec3 k = {b->k[3 * i], b->k[3 * i + 1], b->k[3 * i + 2]};
  int parts = 8;
  for (int p = 0; p < parts; ++p) {
    for (int j = 0; j < 3; ++j) {
      double s = a * (p + BRUTE_NODE[j]) / parts;
      CpsQuat q = cps_quat_multiply(from.rotation, cps_quat_exp(cps_vec3_scale(s, k)));
      from.position = cps_vec3_axpy(from.position, a * BRUTE_WEIGHT[j] / parts, cps_quat_rotate(q, cps_vec3(1, 0, 0)));
    }
  }
  from.rotation = cps_quat_multiply(from.rotation, cps_quat_exp(cps_vec3_scale(a, k)));
  return from;
}

// The frame at distance a along element i.
static CpsPose brute_at(const Brute* b, int32_t i, double a) {
  int32_t path[BRUTE_ELEMENTS], depth = 0;
  for (int32_t e = i; e >= 0; e = b->parent[e]) path[depth++] = e;
  CpsPose pose = b->root;
  while (depth > 0) {
    int32_t e = path[--depth];
    pose.rotation = cps_quat_multiply(pose.rotation, b->turn[e]);
    pose = brute_along(b, e, pose, depth > 0 ? b->size[e] : a);
  }
  return pose;
}

// 3 x dofs by differences of fourth order
static void brute_jacobian(const Brute* b, int32_t i, double a, double* J) {
  const double d = 1e-3;
  static const double C[5] = {1.0, -8.0, 0.0, 8.0, -1.0};
  int n = 6 + 3 * b->count;
  for (int j = 0; j < n; ++j) {
    double u[BRUTE_DOFS] = {0};
    u[j] = 1.0;
    CpsVec3 x = {0};
    for (int p = 0; p < 5; ++p) {
      if (p == 2) continue;
      Brute m = brute_moved(b, u, (p - 2) * d);
      x = cps_vec3_axpy(x, C[p] / (12.0 * d), brute_at(&m, i, a).position);
    }
    J[j] = x.x, J[n + j] = x.y, J[2 * n + j] = x.z;
  }
}

static void brute_add(int n, const double* J, double w, CpsVec3 f, double* A, double* b) {
  for (int i = 0; i < n; ++i) {
    b[i] += J[i] * f.x + J[n + i] * f.y + J[2 * n + i] * f.z;
    for (int j = 0; j < n; ++j) A[n * i + j] += w * (J[i] * J[j] + J[n + i] * J[n + j] + J[2 * n + i] * J[2 * n + j]);
  }
}

static CpsVec3 brute_velocity(int n, const double* J, const double* v) {
  double x[3] = {0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < n; ++j) x[i] += J[n * i + j] * v[j];
  return cps_vec3(x[0], x[1], x[2]);
}

// (1) of rod.h: A and h times the right side, of all coordinates, held or not. The bias is the change of the velocities of
// points since the rod was at `then`.
static void brute_assemble(const Brute* b, const Brute* then, const CpsRod* rod, const CpsModelStep* step, double* A,
                           double* f) {
  int n = 6 + 3 * b->count;
  double ht = step->h * step->theta, J[3 * BRUTE_DOFS], J_then[3 * BRUTE_DOFS];
  memset(A, 0, (size_t)(n * n) * sizeof(double));
  memset(f, 0, (size_t)n * sizeof(double));
  for (int32_t i = 0; i < b->count; ++i) {
    for (int p = 0; p < BRUTE_POINTS; ++p) {
      double a = b->size[i] * (p / 3 + BRUTE_NODE[p % 3]) / BRUTE_PANELS;
      double w = b->size[i] * BRUTE_WEIGHT[p % 3] / BRUTE_PANELS;
      brute_jacobian(b, i, a, J);
      brute_jacobian(then, i, a, J_then);
      CpsVec3 u = brute_velocity(n, J, b->v), c = cps_vec3_sub(u, brute_velocity(n, J_then, then->v));
      CpsVec3 F = cps_vec3_scale(b->density[i], cps_vec3_axpy(step->gravity, -1.0 / step->h, c));
      F = cps_vec3_axpy(F, -rod->spec.drag, u);
      brute_add(n, J, w * (b->density[i] + ht * rod->spec.drag), cps_vec3_scale(step->h * w, F), A, f);
    }
    for (int k = 6 + 3 * i; k < 9 + 3 * i; ++k) {
      double K = b->size[i] * b->stiffness[k - 6], c = rod->spec.damping;
      A[n * k + k] += (ht * ht + ht * c) * K;
      f[k] -= step->h * K * (b->k[k - 6] - b->natural[k - 6] + (ht + c) * b->v[k]);
    }
  }
  for (int32_t i = 0; i < rod->pull_count; ++i) {
    const CpsRodPull* pull = &rod->pulls[i];
    CpsRodPlace place = cps_rod_place(&rod->spec, pull->s);
    brute_jacobian(b, place.element, place.local, J);
    CpsVec3 x = brute_at(b, place.element, place.local).position, u = brute_velocity(n, J, b->v);
    CpsVec3 F = cps_vec3_axpy(pull->force, pull->stiffness, cps_vec3_sub(pull->target, cps_vec3_axpy(x, ht, u)));
    F = cps_vec3_axpy(F, -pull->damping, cps_vec3_sub(u, pull->target_velocity));
    brute_add(n, J, ht * ht * pull->stiffness + ht * pull->damping, cps_vec3_scale(step->h, F), A, f);
  }
}

// The inertia of the section about the tangent t of a root that turns, I t t^T, with its share of the drag.
static void brute_rotary(const Brute* b, const CpsRod* rod, const CpsModelStep* step, double* A, double* f) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  double inertia = trunk->rotary[0] * trunk->length, rate = rod->spec.drag / trunk->line_density;
  CpsVec3 t = cps_quat_rotate(b->root.rotation, cps_vec3(1, 0, 0));
  const double a[3] = {t.x, t.y, t.z};
  int n = 6 + 3 * b->count;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A[n * (3 + i) + 3 + j] += inertia * (1.0 + step->h * step->theta * rate) * a[i] * a[j];
      f[3 + i] -= step->h * inertia * rate * a[i] * a[j] * b->v[3 + j];
    }
  }
}

#endif
