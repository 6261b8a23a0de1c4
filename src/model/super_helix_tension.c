// The tension of ties in the two sides of a step of a super-helix: (3) of super_tension.h.
//
// With P_a = T (1 - t t^T) at distance a along element i, W_a = a R J_l(a k) the rotation due to its own rates there, and the columns B
// of super_helix.h, which rotate everything beyond it,
//
//   C_i = sum of int P_a da over all that comes after element i,   D_i = int_i P_a W_a da                           (1)
//   K_ii = int_i W_a^T P_a W_a da + B_i^T C_i B_i,   K_ij = (C_i B_i + D_i)^T B_j   for j < i                       (2)
//
// from the tip to the root, in as many blocks as M has. A root that turns is one more j, with the columns of its frame.
#include "model/super_helix.h"

#include "model/helix.h"
#include "model/super_tension.h"

// (1), and the corresponding moments: int P w, int W^T P w for the spins w before the step
typedef struct Taut {
  CpsMat3 C, D, own;
  CpsVec3 moment, along;
  CpsMat3 more;  // int P_a over this element
  CpsVec3 more_moment;
} Taut;

static CpsMat3 product(CpsMat3 A, CpsMat3 B) {
  return cps_mat3_multiply(cps_mat3_transposed(A), B);
}

static void add_block(const CpsSuperHelix* x, int32_t row, int32_t column, double factor, CpsMat3 block) {
  for (int i = 0; i < 3; ++i) {
    double* to = x->U + (int64_t)(row + i) * x->dofs + column;
    for (int j = 0; j < 3; ++j) to[j] += factor * block.m[3 * i + j];
  }
}

static void add_force(double* right, double factor, CpsVec3 f) {
  right[0] += factor * f.x, right[1] += factor * f.y, right[2] += factor * f.z;
}

// `turned`: change of the prescribed spin of the root, from before the step to theta of it.
static void add_point(const CpsSuperHelix* x, const CpsTaut* at, CpsVec3 turned, double ht, Taut* sum) {
  const CpsMat3 R = x->node[at->element].R;
  const CpsHelix helix = cps_helix(cps_vec3_scale(at->local, x->curvature[at->element]));
  const CpsMat3 frame = cps_mat3_multiply(R, cps_helix_turn(&helix)),
                W = cps_mat3_scale(at->local, cps_mat3_multiply(R, cps_helix_spin(&helix)));
  CpsMat3 P;
  double damping;
  if (!cps_taut_stiffness(at, cps_vec3(frame.m[0], frame.m[3], frame.m[6]), &P, &damping)) return;
  const CpsVec3 rate = cps_vec3_get(x->velocity[CPS_VELOCITY_BEFORE] + cps_super_helix_of_element(x, at->element));
  const CpsVec3 base = cps_vec3_add(x->twist[CPS_VELOCITY_BEFORE][at->element].w, turned);
  const CpsVec3 moment = cps_mat3_apply(P, cps_vec3_add(base, cps_mat3_apply(W, rate)));
  const CpsMat3 PW = cps_mat3_multiply(P, W);
  sum->D = cps_mat3_axpy(sum->D, 1.0, PW);
  sum->own = cps_mat3_axpy(sum->own, 1.0, product(W, PW));
  sum->along = cps_vec3_add(sum->along, cps_mat3_apply_transposed(W, moment));
  // same factors as for K: a damping of the bendings is K / (h theta) on the left and on the right
  damping /= ht;
  sum->own.m[4] += damping, sum->own.m[8] += damping;
  sum->along = cps_vec3_axpy(sum->along, damping, cps_vec3(0.0, rate.y, rate.z));
  sum->more = cps_mat3_axpy(sum->more, 1.0, P);
  sum->more_moment = cps_vec3_add(sum->more_moment, moment);
}

// (2); the whole element then belongs to the part beyond the previous one.
static void put_element(const CpsSuperHelix* x, int32_t i, double left, double right, Taut* sum) {
  const CpsMat3 B = x->column[i].B, CB = cps_mat3_multiply(sum->C, B), P = cps_mat3_axpy(CB, 1.0, sum->D);
  const int32_t row = cps_super_helix_of_element(x, i);
  add_block(x, row, row, left, cps_mat3_axpy(sum->own, 1.0, product(B, CB)));
  for (int32_t j = i - 1; j >= 0; --j)
    add_block(x, row, cps_super_helix_of_element(x, j), left, product(P, x->column[j].B));
  if (x->turns) add_block(x, row, cps_super_helix_of_spin(x), left, product(P, x->node[0].R));
  add_force(x->right + row, right, cps_vec3_add(sum->along, cps_mat3_apply_transposed(B, sum->moment)));
  *sum = (Taut){.C = cps_mat3_axpy(sum->C, 1.0, sum->more), .moment = cps_vec3_add(sum->moment, sum->more_moment)};
}

void cps_super_helix_tension(const CpsRod* rod, const CpsModelStep* step, const CpsSuperHelix* x) {
  const double left = step->h * step->h * step->theta * step->theta, right = -step->h * step->h * step->theta;
  const CpsVec3 none = {0.0, 0.0, 0.0}, jump = cps_vec3_sub(rod->root.spin, rod->root.spin_before);
  const CpsVec3 turned = x->turns ? none : cps_vec3_scale(step->theta, jump);
  for (const CpsRodTension* t = rod->tensions; t; t = t->next) {
    Taut sum = {0};
    CpsTaut at = cps_taut(rod, step, t);
    for (int32_t i = at.element; cps_taut_next(&at); i = at.element) {
      if (at.element != i) put_element(x, i, left, right, &sum);
      add_point(x, &at, turned, step->h * step->theta, &sum);
    }
    put_element(x, 0, left, right, &sum);
    if (!x->turns) continue;
    const CpsMat3 R = x->node[0].R;
    const int32_t spin = cps_super_helix_of_spin(x);
    add_block(x, spin, spin, left, product(R, cps_mat3_multiply(sum.C, R)));
    add_force(x->right + spin, right, cps_mat3_apply_transposed(R, sum.moment));
  }
}
