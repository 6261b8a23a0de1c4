// Velocities of super-models, whose points are not unknowns, from the velocities V of the ends of their elements.
//
// With the mass-normalised rows G of these points, the motion z of the rod (kinetic energy |z|^2 / 2) gives them the velocities
// G z, in addition to the velocity v due to a driven root. Not every V is a motion of the rod, and some motions, such as twist, hardly
// affect V. Each point represents the share m of the mass, and motions invisible to the points must not have more kinetic energy than
// visible ones:
//
//   z = G^T (G G^T + e/m)^-1 (V - v)   is the least of   m |G z - (V - v)|^2 + e |z|^2                                  (1)
//
// A few rounds of (1), each applied to the residual of the previous one, reach all motions to which the points contribute more than e.
// Between the points, (1) alone would bulge; a free rod therefore first gets the rigid motion nearest to V,
//
//   sum (d.d - d d^T) w = sum d × V,   d the points from their centre                                                 (2)
//
// G and v are those of a step of length zero, in which forces have no effect.
#include "model/fibres.h"
#include "sparse/dense.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8 };
static const double UNSEEN = 1e-4;  // e of (1)
static const double ROUND = 1e-12;  // added to (2), relative to its trace: a straight rod does not determine its spin
static const double SHORT = 1e-15;  // s: a step of practically zero length; some models divide by it

static int64_t points_of(const CpsRod* rod) {
  return (int64_t)rod->spec.elements + rod->spec.branch_count;
}

int64_t cps_fibres_near_size(const CpsModel* model, int32_t body) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  const int64_t rows = 3 * points_of(rod), n = rod->dofs;
  return rod->type->set_velocity ? 0 : rows * n + rows * rows + 2 * rows + n;
}

// G, and V - v into `left`. A held tip has the velocity `tip`.
static void find_rows(const CpsRod* rod, CpsVec3 tip, const double* values, size_t stride, double* G, double* left) {
  const CpsMat3 world = cps_mat3_identity();
  const bool held = rod->spec.tip != CPS_END_FREE;
  const char* value = (const char*)values;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const int32_t last = rod->spec.branch[b].elements;
    for (int32_t i = 0; i <= last; ++i, value += stride, G += 3 * (int64_t)rod->dofs, left += 3) {
      const double s = cps_fibre_joint_at(&rod->spec, b, i);
      rod->type->rows(rod, s, NULL, &world, 1.0, G);
      const CpsVec3 v = rod->type->velocity(rod, s, CPS_VELOCITY_FREE);
      const CpsVec3 V = held && b == 0 && i == last ? tip : cps_vec3_get((const double*)(const void*)value);
      cps_vec3_put(left, cps_vec3_sub(V, v));
    }
  }
}

// G G^T + e/m, factored; false: an entry is not finite.
static bool find_normal(int64_t rows, int64_t n, const double* G, double e, double* W) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int64_t k = 0; k < n; ++k) sum += G[i * n + k] * G[j * n + k];
      W[i * rows + j] = sum;
    }
    W[i * rows + i] += e;
  }
  return cps_dense_cholesky_factor((int)rows, W, 0.0);
}

// (1); `left` is the residual.
static void find_change(int64_t rows, int64_t n, const double* G, const double* W, double* left, double* y, double* z) {
  memset(z, 0, (size_t)n * sizeof *z);
  for (int round = 0; round < ROUNDS; ++round) {
    memcpy(y, left, (size_t)rows * sizeof *y);
    cps_dense_cholesky_solve((int)rows, W, y);
    for (int64_t k = 0; k < n; ++k) {
      double dz = 0.0;
      for (int64_t i = 0; i < rows; ++i) dz += G[i * n + k] * y[i];
      z[k] += dz;
      for (int64_t i = 0; i < rows; ++i) left[i] -= G[i * n + k] * dz;
    }
  }
}

// (2): x' = velocity + spin × x
static CpsRigidMotion find_rigid(const CpsRod* rod, const double* values, size_t stride) {
  double A[9] = {0.0}, w[3] = {0.0};
  CpsVec3 c = {0.0, 0.0, 0.0}, mean = c, turn = c;
  const double count = (double)points_of(rod);
  for (int pass = 0; pass < 2; ++pass) {
    const char* value = (const char*)values;
    for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
      for (int32_t i = 0; i <= rod->spec.branch[b].elements; ++i, value += stride) {
        const CpsVec3 V = cps_vec3_get((const double*)(const void*)value),
                      x = rod->type->at(rod, cps_fibre_joint_at(&rod->spec, b, i)).position;
        if (pass == 0) {
          c = cps_vec3_axpy(c, 1.0 / count, x);
          mean = cps_vec3_axpy(mean, 1.0 / count, V);
          continue;
        }
        const CpsVec3 d = cps_vec3_sub(x, c);
        const CpsMat3 dd = cps_mat3_outer(d, d);
        for (int k = 0; k < 9; ++k) A[k] += (k % 4 == 0 ? cps_vec3_dot(d, d) : 0.0) - dd.m[k];
        turn = cps_vec3_add(turn, cps_vec3_cross(d, V));
      }
    }
  }
  const double more = ROUND * (A[0] + A[4] + A[8]);
  for (int k = 0; k < 3; ++k) A[4 * k] += more;
  cps_vec3_put(w, turn);
  if (cps_dense_cholesky_factor(3, A, 0.0)) cps_dense_cholesky_solve(3, A, w);
  const CpsVec3 spin = cps_vec3_get(w);
  return (CpsRigidMotion){cps_vec3_sub(mean, cps_vec3_cross(spin, c)), spin};
}

void cps_fibres_near(CpsModel* model, int32_t body, const double* values, size_t stride, double* work) {
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  CpsRod* rod = &f->rod;
  const CpsRod then = *rod;
  const CpsModelStep none = {.h = SHORT, .theta = 1.0};
  const int64_t rows = 3 * points_of(rod), n = rod->dofs;
  double *G = work, *W = G + rows * n, *left = W + rows * rows, *y = left + rows, *z = y + rows;
  const CpsVec3 tip = rod->type->velocity(rod, rod->spec.branch[0].length, CPS_VELOCITY_AFTER);
  const bool free = rod->spec.root == CPS_END_FREE && rod->spec.tip == CPS_END_FREE;
  const CpsRigidMotion whole =
      free ? find_rigid(rod, values, stride) : (CpsRigidMotion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  rod->type->move_rigidly(rod, whole.velocity, whole.spin);
  // holds and pulls of the last step no longer apply, and their springs are too stiff for a step of zero length
  rod->pull_count = 0;
  rod->tensions = NULL;
  rod->spec.tip = CPS_END_FREE;
  rod->root.velocity_before = rod->root.velocity;
  rod->root.spin_before = rod->root.spin;
  rod->type->refresh(rod);
  rod->type->begin(rod, &none);
  rod->spec.tip = then.spec.tip;
  find_rows(rod, tip, values, stride, G, left);
  const bool moves = find_normal(rows, n, G, UNSEEN * (double)points_of(rod) / f->mass, W);
  if (moves) find_change(rows, n, G, W, left, y, z);
  rod->type->receive(rod, moves ? z : NULL);
  *rod = then;
  rod->begun = false;
  f->fresh = false;
}
