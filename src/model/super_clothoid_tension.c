// The tension of ties in the step of a super-clothoid: (3) of super_tension.h.
//
// With P = T (1 - t t^T) at a point of element j, W the six columns of turn of the element there, and `turn` those at its end,
//
//   C_j = sum of int P over all that follows element j,   F_j = C_j turn_j + int_j P W                              (1)
//   K_jj = int_j W^T P W + turn_j^T C_j turn_j,           K_ij = turn_i^T F_j   for i < j                           (2)
//
// from the tip to the root, like the composite of super_clothoid_step.c but with torques only.
#include "model/super_clothoid.h"

#include "model/super_tension.h"

// (1), and the corresponding moments: int P w, int W^T P w for the spins w before the step
typedef struct Taut {
  CpsMat3 C, more;  // more: int P over this element
  CpsVec3 D[6], moment, more_moment;
  double own[36], along[6];
} Taut;

// `turned`: change of the prescribed spin of the root, from before the step to theta of it.
static void add_point(const CpsSuperClothoid* c, const CpsTaut* at, CpsVec3 turned, double ht, Taut* sum) {
  const CpsClothoidElement* e = &c->element[at->element];
  const CpsClothoid clothoid = {c->k[at->element], c->k[at->element + 1], c->size};
  const CpsClothoidMotion motion = {.rate0 = cps_super_clothoid_rate(c, c->v[CPS_VELOCITY_BEFORE], at->element),
                                    .rate1 = cps_super_clothoid_rate(c, c->v[CPS_VELOCITY_BEFORE], at->element + 1),
                                    .spin = cps_vec3_add(e->spin[CPS_VELOCITY_BEFORE], turned),
                                    .velocity = e->velocity[CPS_VELOCITY_BEFORE]};
  CpsClothoidPoint p;
  CpsMat3 P;
  double damping;
  cps_clothoid_at(&clothoid, at->local, CPS_CLOTHOID_JACOBIAN, &e->frame, &motion, &p);
  if (!cps_taut_stiffness(at, cps_vec3(p.frame.m[0], p.frame.m[3], p.frame.m[6]), &P, &damping)) return;
  const CpsVec3 moment = cps_mat3_apply(P, p.spin);
  for (int b = 0; b < 6; ++b) {
    const CpsVec3 Pw = cps_mat3_apply(P, p.turn[b]);
    sum->D[b] = cps_vec3_add(sum->D[b], Pw);
    sum->along[b] += cps_vec3_dot(p.turn[b], moment);
    for (int a = 0; a < 6; ++a) sum->own[6 * a + b] += cps_vec3_dot(p.turn[a], Pw);
  }
  // same factors as for K: a damping of the bendings is K / (h theta) on the left and on the right
  const double part[2] = {1.0 - at->part, at->part},
               rate[2][3] = {{0.0, motion.rate0.y, motion.rate0.z}, {0.0, motion.rate1.y, motion.rate1.z}};
  for (int a = 0; a < 6; ++a) {
    if (a % 3 == 0) continue;
    for (int n = 0; n < 2; ++n) {
      const double weight = damping / ht * part[a / 3] * part[n];
      sum->own[6 * a + 3 * n + a % 3] += weight;
      sum->along[a] += weight * rate[n][a % 3];
    }
  }
  sum->more = cps_mat3_axpy(sum->more, 1.0, P);
  sum->more_moment = cps_vec3_add(sum->more_moment, moment);
}

// (2); the whole element then belongs to the part beyond the previous one.
static void put_element(CpsRod* rod, CpsSuperClothoid* c, int32_t j, double left, double right, Taut* sum) {
  const CpsClothoidElement* e = &c->element[j];
  const CpsVec3 none[6] = {{0}};
  CpsVec3 torque[6];
  for (int b = 0; b < 6; ++b) {
    const int32_t column = cps_super_clothoid_column(c, j, b);
    const CpsVec3 Ct = cps_mat3_apply(sum->C, e->turn[b]);
    for (int a = 0; a < 6; ++a) {
      const int32_t row = cps_super_clothoid_column(c, j, a);
      if (row < column) continue;
      c->L[(int64_t)row * c->dofs + column] += left * (sum->own[6 * a + b] + cps_vec3_dot(e->turn[a], Ct));
    }
    c->right[column] += right * (sum->along[b] + cps_vec3_dot(e->turn[b], sum->moment));
    torque[b] = cps_vec3_scale(left, cps_vec3_add(Ct, sum->D[b]));
  }
  for (int32_t i = j - 1; i >= 0; --i) cps_super_clothoid_scatter(c, i, j, none, torque);
  if (rod->spec.root != CPS_END_CLAMPED) cps_super_clothoid_scatter_root(rod, c, j, none, torque);
  *sum = (Taut){.C = cps_mat3_axpy(sum->C, 1.0, sum->more), .moment = cps_vec3_add(sum->moment, sum->more_moment)};
}

// The rows of the spin of the root among themselves, in its axes.
static void put_root(const CpsRod* rod, const CpsSuperClothoid* c, double left, double right, const Taut* sum) {
  const CpsMat3 R = c->element[0].frame, K = cps_mat3_multiply(cps_mat3_transposed(R), cps_mat3_multiply(sum->C, R));
  const CpsVec3 moment = cps_mat3_apply_transposed(R, sum->moment);
  const double f[3] = {moment.x, moment.y, moment.z};
  const int32_t spin = c->root + (rod->spec.root == CPS_END_FREE ? 3 : 0);
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b <= a; ++b) c->L[(int64_t)(spin + a) * c->dofs + spin + b] += left * K.m[3 * a + b];
    c->right[spin + a] += right * f[a];
  }
}

void cps_super_clothoid_tension(CpsRod* rod, CpsSuperClothoid* c, const CpsModelStep* step, CpsVec3 spin_jump) {
  const double left = step->h * step->h * step->theta * step->theta, right = -step->h * step->h * step->theta;
  const CpsVec3 turned = cps_vec3_scale(step->theta, spin_jump);
  for (const CpsRodTension* t = rod->tensions; t; t = t->next) {
    Taut sum = {0};
    CpsTaut at = cps_taut(rod, step, t);
    for (int32_t j = at.element; cps_taut_next(&at); j = at.element) {
      if (at.element != j) put_element(rod, c, j, left, right, &sum);
      add_point(c, &at, turned, step->h * step->theta, &sum);
    }
    put_element(rod, c, 0, left, right, &sum);
    if (rod->spec.root != CPS_END_CLAMPED) put_root(rod, c, left, right, &sum);
  }
}
