// Joint curvatures of a super-clothoid from the samples of a shape.
//
// With hat functions N_i on the joints and T_ij = int N_i N_j, the natural curvature of the continuous rod acts on the
// joint curvatures through its projection,
//
//   T natural = int N kappa ds,    T = (l / 6) tridiag(1, 4, 1) with corners l / 3                                 (1)
//
// The initial shape is given by frames. Their mean curvature between two samples is compared with that of the
// clothoids, computed by the same formula, and the projected difference is added until it vanishes. A clothoid is
// reproduced exactly, any other shape in the mean.
#include "model/super_clothoid.h"

static const int ROUNDS = 8;
static const double ACCURACY = 1e-13;  // of the change in a round, rad per element

// Solves (1) for a right side b, with `pivot` as workspace for N + 1 numbers.
static void project(const CpsSuperClothoid* c, CpsVec3* b, double* pivot) {
  double unit = c->size / 6.0;
  for (int32_t i = 0; i <= c->count; ++i) {
    double diagonal = (i == 0 || i == c->count ? 2.0 : 4.0) * unit;
    double factor = i > 0 ? unit / pivot[i - 1] : 0.0;
    pivot[i] = diagonal - factor * unit;
    if (i > 0) b[i] = cps_vec3_axpy(b[i], -factor, b[i - 1]);
  }
  for (int32_t i = c->count; i >= 0; --i) {
    if (i < c->count) b[i] = cps_vec3_axpy(b[i], -unit, b[i + 1]);
    b[i] = cps_vec3_scale(1.0 / pivot[i], b[i]);
  }
}

// Adds the contribution of kappa, linear over a part [f, g] of element i, to the right side of (1): Simpson's rule
// is exact for the product of two linear functions.
static void add_part(const CpsSuperClothoid* c, int32_t i, double f, double g, CpsVec3 at_f, CpsVec3 at_g, CpsVec3* b) {
  double weight = (g - f) * c->size / 6.0, mid = 0.5 * (f + g);
  CpsVec3 middle = cps_vec3_scale(2.0, cps_vec3_add(at_f, at_g));
  for (int side = 0; side < 2; ++side) {
    CpsVec3* to = &b[i + side];
    *to = cps_vec3_axpy(*to, weight * (side ? f : 1.0 - f), at_f);
    *to = cps_vec3_axpy(*to, weight * (side ? mid : 1.0 - mid), middle);
    *to = cps_vec3_axpy(*to, weight * (side ? g : 1.0 - g), at_g);
  }
}

static void clear(const CpsSuperClothoid* c, CpsVec3* b) {
  for (int32_t i = 0; i <= c->count; ++i) b[i] = cps_vec3(0.0, 0.0, 0.0);
}

// The rotation vector from frame A to frame B in their axes.
static CpsVec3 turn_between(const CpsMat3* A, const CpsMat3* B) {
  CpsMat3 D;
  for (int i = 0; i < 3; ++i) {
    CpsVec3 axis = {A->m[i], A->m[3 + i], A->m[6 + i]};
    CpsVec3 row = cps_mat3_apply_transposed(*B, axis);
    D.m[3 * i] = row.x;
    D.m[3 * i + 1] = row.y;
    D.m[3 * i + 2] = row.z;
  }
  CpsVec3 v = {0.5 * (D.m[7] - D.m[5]), 0.5 * (D.m[2] - D.m[6]), 0.5 * (D.m[3] - D.m[1])};
  double sine = cps_vec3_norm(v), cosine = 0.5 * (D.m[0] + D.m[4] + D.m[8] - 1.0);
  return sine > 0.0 ? cps_vec3_scale(atan2(sine, cosine) / sine, v) : v;
}

// Adds the difference between the frames of the samples and of element i; returns the largest of its mean curvatures.
static void compare(const CpsSuperClothoid* c, int32_t i, const CpsQuat* frame, CpsVec3* b) {
  CpsClothoid clothoid = {c->k[i], c->k[i + 1], c->size};
  CpsMat3 wanted = cps_quat_matrix(frame[0]), own = cps_mat3_identity(), start = own;
  double part = 1.0 / CPS_ROD_SAMPLES;
  for (int j = 0; j < CPS_ROD_SAMPLES; ++j) {
    CpsMat3 wanted_next = cps_quat_matrix(frame[j + 1]);
    CpsClothoidPoint p;
    cps_clothoid_at(&clothoid, c->size * (j + 1) * part, CPS_CLOTHOID_FRAME, &start, NULL, &p);
    CpsVec3 turn = cps_vec3_sub(turn_between(&wanted, &wanted_next), turn_between(&own, &p.frame));
    CpsVec3 k = cps_vec3_scale(1.0 / (c->size * part), turn);
    add_part(c, i, j * part, (j + 1) * part, k, k, b);
    wanted = wanted_next;
    own = p.frame;
  }
}

static void fit_start(CpsSuperClothoid* c, const CpsRodShape* shape, CpsVec3* b, double* pivot) {
  for (int round = 0; round < ROUNDS; ++round) {
    double largest = 0.0;
    clear(c, b);
    for (int32_t i = 0; i < c->count; ++i) compare(c, i, shape->frame + (int64_t)CPS_ROD_SAMPLES * i, b);
    project(c, b, pivot);
    for (int32_t i = 0; i <= c->count; ++i) {
      c->k[i] = cps_vec3_add(c->k[i], b[i]);
      largest = fmax(largest, c->size * cps_vec3_norm(b[i]));
    }
    if (largest < ACCURACY) return;
  }
}

static void fit_natural(CpsSuperClothoid* c, const CpsRodShape* shape, double* pivot) {
  clear(c, c->natural);
  double part = 1.0 / CPS_ROD_SAMPLES;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsVec3* kappa = shape->natural + (int64_t)CPS_ROD_SAMPLES * i;
    for (int j = 0; j < CPS_ROD_SAMPLES; ++j)
      add_part(c, i, j * part, (j + 1) * part, kappa[j], kappa[j + 1], c->natural);
  }
  project(c, c->natural, pivot);
}

void cps_super_clothoid_fit(CpsSuperClothoid* c, const CpsRodShape* shape) {
  fit_start(c, shape, (CpsVec3*)c->right, c->J);
  if (shape->as_placed) {
    for (int32_t i = 0; i <= c->count; ++i) c->natural[i] = c->k[i];
  } else {
    fit_natural(c, shape, c->J);
  }
}
