// Forces and second derivatives of a tree of helices under dead forces, without quadrature.
//
// Let F be the sum of all forces on the elements beyond element i, and D = sum of s F^T with s their positions from its end. With
// v = l k, the work of these forces and of its own weight under a change of its curvature is that of (2) of stumpff.h,
//
//   -U = rho l^2 f_2(v; e g^T) + l f_1(v; e F^T) + f_0(v; E^T D)          (all in the axes of its beginning)        (1)
//
// so -dU/dk has the factors l^3, l^2, l and the diagonal blocks of -d2U/dk2 the factors l^4, l^3, l^2. A pull F_p at the
// distance a along the element itself adds a f_1(a k; e F_p^T), and a moment m there adds f_0(a k; E^T D), with D chosen such that
// the sum of s × F is m. Towards the root, F grows by rho l g and the pulls, and D is moved
// to the beginning.
// An element i nearer to the root rotates all of this as a rigid body with the columns b_ia of B_i = l R_i J_l(v_i): for j
// beyond it
//
//   d2U/dk_ia dk_jc = -b_ia . t_jc,   t_jc = sum of (dx/dk_jc) × F = (own weight and pulls) + A_c × F + D b_jc - tr(D) b_jc  (2)
//
// with A_j = l^2 R_j dphi_1/dv, since (b × s) × F = s (b.F) - b (s.F). Springs of pulls add stiffness J^T J.
#include "model/helix_statics.h"

#include "sparse/banded.h"

static const CpsVec3 E = {1.0, 0.0, 0.0};

// R^T A R
static CpsMat3 in_axes(const CpsMat3* R, const CpsMat3* A) {
  return cps_mat3_multiply(cps_mat3_multiply(cps_mat3_transposed(*R), *A), *R);
}

// e F^T in the axes of an element
static CpsMat3 along(const CpsHelixLink* link, CpsVec3 F) {
  return cps_mat3_outer(E, cps_mat3_apply_transposed(link->R, F));
}

// E^T D of (1)
static CpsMat3 turned_back(const CpsHelixLink* link, const CpsStumpff* f, const CpsMat3* D) {
  return cps_mat3_multiply(cps_mat3_transposed(cps_stumpff_turn(f)), in_axes(&link->R, D));
}

// A pull on an element.
typedef struct Pull {
  double a;
  CpsVec3 F;
  CpsStumpff f;  // of a k
} Pull;

static bool find_pull(const CpsRod* rod, const CpsRodPull* pull, int32_t i, const CpsHelixLink* link, Pull* out) {
  const CpsRodPlace place = cps_rod_place(&rod->spec, pull->s);
  if (place.element != i) return false;
  *out = (Pull){place.local, cps_rod_pull_force(rod, pull), cps_stumpff(cps_vec3_scale(place.local, link->k))};
  return true;
}

// The antisymmetric D for which the sum of s × F is m.
static CpsMat3 of_moment(CpsVec3 m) {
  return cps_mat3_cross(cps_vec3_scale(-0.5, m));
}

// Contacts on element i: their forces and moments on its curvature and on the elements that carry it.
static CpsVec3 add_touches(const CpsRod* rod, const CpsRodLoad* load, int32_t i, const CpsHelixLink* e,
                           CpsHelixCarried* to) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t p = 0; p < load->touch_count; ++p) {
    const CpsRodTouch* touch = &load->touches[p];
    const CpsRodPlace place = cps_rod_place(&rod->spec, touch->s);
    if (place.element != i) continue;
    const double a = place.local;
    const CpsStumpff f = cps_stumpff(cps_vec3_scale(a, e->k));
    const CpsMat3 here = along(e, touch->force), moment = of_moment(cps_rod_touch_moment(rod, touch));
    const CpsMat3 turned = turned_back(e, &f, &moment);
    sum = cps_vec3_axpy(sum, a * a, cps_stumpff_gradient(&f, 1, &here));
    sum = cps_vec3_axpy(sum, a, cps_stumpff_gradient(&f, 0, &turned));
    const CpsVec3 at = cps_mat3_apply(e->R, cps_vec3_scale(a, cps_stumpff_vector(&f, 1)));
    to->F = cps_vec3_add(to->F, touch->force);
    to->D = cps_mat3_axpy(cps_mat3_axpy(to->D, 1.0, moment), 1.0, cps_mat3_outer(at, touch->force));
  }
  return sum;
}

CpsHelixCarried cps_helix_forces(const CpsRod* rod, const CpsRodLoad* load, int32_t count, const CpsHelixLink* link,
                                 CpsHelixCarried* carried, CpsVec3* force) {
  CpsHelixCarried root = {0};
  for (int32_t i = 0; i < count; ++i) carried[i] = root;
  for (int32_t i = count - 1; i >= 0; --i) {
    const CpsHelixLink* e = &link[i];
    const CpsHelixCarried* after = &carried[i];
    const double l = e->size, mass = e->density * l;
    const CpsStumpff f = cps_stumpff(cps_vec3_scale(l, e->k));
    const CpsMat3 own = along(e, load->gravity), end = along(e, after->F), turned = turned_back(e, &f, &after->D);
    CpsVec3 sum = cps_vec3_scale(mass * l * l, cps_stumpff_gradient(&f, 2, &own));
    sum = cps_vec3_axpy(sum, l * l, cps_stumpff_gradient(&f, 1, &end));
    sum = cps_vec3_axpy(sum, l, cps_stumpff_gradient(&f, 0, &turned));
    CpsHelixCarried* to = e->parent < 0 ? &root : &carried[e->parent];
    const CpsVec3 chord = cps_mat3_apply(e->R, cps_vec3_scale(l, cps_stumpff_vector(&f, 1)));
    const CpsVec3 first = cps_mat3_apply(e->R, cps_vec3_scale(mass * l, cps_stumpff_vector(&f, 2)));
    to->F = cps_vec3_add(to->F, cps_vec3_axpy(after->F, mass, load->gravity));
    to->D = cps_mat3_axpy(cps_mat3_axpy(to->D, 1.0, after->D), 1.0, cps_mat3_outer(chord, after->F));
    to->D = cps_mat3_axpy(to->D, 1.0, cps_mat3_outer(first, load->gravity));
    for (int32_t p = 0; p < load->pull_count; ++p) {
      Pull pull;
      if (!find_pull(rod, &load->pulls[p], i, e, &pull)) continue;
      const CpsMat3 here = along(e, pull.F);
      sum = cps_vec3_axpy(sum, pull.a * pull.a, cps_stumpff_gradient(&pull.f, 1, &here));
      const CpsVec3 at = cps_mat3_apply(e->R, cps_vec3_scale(pull.a, cps_stumpff_vector(&pull.f, 1)));
      to->F = cps_vec3_add(to->F, pull.F);
      to->D = cps_mat3_axpy(to->D, 1.0, cps_mat3_outer(at, pull.F));
    }
    force[i] = cps_vec3_add(sum, add_touches(rod, load, i, e, to));
  }
  return root;
}

// A block of the symmetric matrix, in its lower triangle; half of a diagonal block.
static void add_block(int32_t n, double* S, int32_t i, int32_t j, double s, const CpsMat3* block) {
  for (int a = 0; a < 3; ++a) {
    for (int c = 0; c < 3; ++c) {
      const int32_t row = 3 * i + a, col = 3 * j + c;
      if (i == j && col > row) continue;
      S[row >= col ? cps_banded_at(n - 1, row, col) : cps_banded_at(n - 1, col, row)] += s * block->m[3 * a + c];
    }
  }
}

// Columns b of (2)
static CpsMat3 turn_of(const CpsHelixLink* link) {
  const CpsStumpff f = cps_stumpff(cps_vec3_scale(link->size, link->k));
  return cps_mat3_scale(link->size, cps_mat3_multiply(link->R, cps_stumpff_spin(&f)));
}

// [F]x^T A: columns A_c × F
static CpsMat3 across(const CpsMat3* A, CpsVec3 F) {
  return cps_mat3_multiply(cps_mat3_cross(cps_vec3_scale(-1.0, F)), *A);
}

// Columns t_jc of (2), and the diagonal block of -d2U/dk2.
static CpsMat3 own_block(const CpsRod* rod, const CpsRodLoad* load, int32_t j, const CpsHelixLink* e,
                         const CpsHelixCarried* after, CpsMat3* t) {
  const double l = e->size, mass = e->density * l;
  const CpsStumpff f = cps_stumpff(cps_vec3_scale(l, e->k));
  const CpsMat3 own = along(e, load->gravity), end = along(e, after->F), turned = turned_back(e, &f, &after->D);
  CpsMat3 block = cps_mat3_scale(mass * l * l * l, cps_stumpff_hessian(&f, 2, &own));
  block = cps_mat3_axpy(block, l * l * l, cps_stumpff_hessian(&f, 1, &end));
  block = cps_mat3_axpy(block, l * l, cps_stumpff_hessian(&f, 0, &turned));
  const CpsMat3 P = cps_mat3_scale(mass * l * l, cps_mat3_multiply(e->R, cps_stumpff_slope(&f, 2)));
  const CpsMat3 A = cps_mat3_scale(l * l, cps_mat3_multiply(e->R, cps_stumpff_slope(&f, 1))), B = turn_of(e);
  const double trace = after->D.m[0] + after->D.m[4] + after->D.m[8];
  *t = cps_mat3_axpy(across(&P, load->gravity), 1.0, across(&A, after->F));
  *t = cps_mat3_axpy(cps_mat3_axpy(*t, 1.0, cps_mat3_multiply(after->D, B)), -trace, B);
  for (int32_t p = 0; p < load->pull_count; ++p) {
    Pull pull;
    if (!find_pull(rod, &load->pulls[p], j, e, &pull)) continue;
    const CpsMat3 here = along(e, pull.F);
    const CpsMat3 U = cps_mat3_scale(pull.a * pull.a, cps_mat3_multiply(e->R, cps_stumpff_slope(&pull.f, 1)));
    block = cps_mat3_axpy(block, pull.a * pull.a * pull.a, cps_stumpff_hessian(&pull.f, 1, &here));
    *t = cps_mat3_axpy(*t, 1.0, across(&U, pull.F));
  }
  return block;
}

// dx/dk_i of a point x, for an element i between the root and the element of the point, which lies at distance a along its element.
static CpsMat3 rows_of(const CpsHelixLink* link, CpsVec3 x, double a, bool inside) {
  const double l = inside ? a : link->size;
  const CpsStumpff f = cps_stumpff(cps_vec3_scale(l, link->k));
  CpsMat3 A = cps_mat3_scale(l * l, cps_mat3_multiply(link->R, cps_stumpff_slope(&f, 1)));
  if (inside) return A;
  const CpsVec3 end = cps_vec3_add(link->x, cps_mat3_apply(link->R, cps_vec3_scale(l, cps_stumpff_vector(&f, 1))));
  const CpsMat3 B = turn_of(link);
  return cps_mat3_axpy(A, -1.0, cps_mat3_multiply(cps_mat3_cross(cps_vec3_sub(x, end)), B));
}

void cps_helix_point_rows(const CpsRod* rod, const CpsHelixLink* link, const CpsRodSpot* spot) {
  const CpsRodPlace place = cps_rod_place(&rod->spec, spot->s);
  const CpsMat3 axes = cps_mat3_scale(spot->sign, spot->frame);
  const int32_t n = 3 * rod->spec.elements;
  for (int32_t i = place.element; i >= 0; i = link[i].parent) {
    const bool inside = i == place.element;
    CpsMat3 J = rows_of(&link[i], spot->point, place.local, inside);
    if (inside) {
      CpsHelixLink part = link[i];
      part.size = place.local;
      const CpsVec3 arm = cps_vec3_sub(spot->point, rod->type->at(rod, spot->s).position);
      J = cps_mat3_axpy(J, -1.0, cps_mat3_multiply(cps_mat3_cross(arm), turn_of(&part)));
    }
    J = cps_mat3_multiply(axes, J);
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) spot->G[a * n + 3 * i + c] += J.m[3 * a + c];
    }
  }
}

static void add_spring(const CpsRod* rod, const CpsRodPull* pull, int32_t n, const CpsHelixLink* link, double* S) {
  const CpsRodPlace place = cps_rod_place(&rod->spec, pull->s);
  const CpsVec3 x = rod->type->at(rod, pull->s).position;
  for (int32_t i = place.element; i >= 0; i = link[i].parent) {
    const CpsMat3 Ji = cps_mat3_transposed(rows_of(&link[i], x, place.local, i == place.element));
    for (int32_t j = i; j >= 0; j = link[j].parent) {
      const CpsMat3 block = cps_mat3_multiply(Ji, rows_of(&link[j], x, place.local, j == place.element));
      add_block(n, S, i, j, pull->stiffness, &block);
    }
  }
}

// Row of a spring with respect to the curvature of an element; the tangent changes by dw x t
static CpsVec3 spring_row(const CpsRod* rod, const CpsRodSpring* spring, const CpsHelixLink* link,
                          const CpsRodPoint* at, bool inside) {
  CpsHelixLink part = *link;
  const double local = cps_rod_place(&rod->spec, spring->s).local;
  if (inside) part.size = local;
  const CpsVec3 tangent = cps_vec3(at->frame.m[0], at->frame.m[3], at->frame.m[6]);
  const CpsMat3 J = rows_of(link, at->position, local, inside), W = turn_of(&part);
  return cps_vec3_add(cps_mat3_apply_transposed(J, spring->along),
                      cps_mat3_apply_transposed(W, cps_vec3_cross(tangent, spring->slope)));
}

static void add_slope_spring(const CpsRod* rod, const CpsRodSpring* spring, int32_t n, const CpsHelixLink* link,
                             double* S) {
  const int32_t last = cps_rod_place(&rod->spec, spring->s).element;
  const CpsRodPoint at = rod->type->at(rod, spring->s);
  for (int32_t i = last; i >= 0; i = link[i].parent) {
    const CpsVec3 a = spring_row(rod, spring, &link[i], &at, i == last);
    for (int32_t j = i; j >= 0; j = link[j].parent) {
      const CpsMat3 block = cps_mat3_outer(a, spring_row(rod, spring, &link[j], &at, j == last));
      add_block(n, S, i, j, spring->stiffness, &block);
    }
  }
}

void cps_helix_second(const CpsRod* rod, const CpsRodLoad* load, int32_t count, const CpsHelixLink* link,
                      const CpsHelixCarried* carried, double* S) {
  const int32_t n = 3 * count;
  for (int32_t j = 0; j < count; ++j) {
    CpsMat3 t;
    const CpsMat3 own = own_block(rod, load, j, &link[j], &carried[j], &t);
    add_block(n, S, j, j, -1.0, &own);
    for (int32_t i = link[j].parent; i >= 0; i = link[i].parent) {
      const CpsMat3 block = cps_mat3_multiply(cps_mat3_transposed(turn_of(&link[i])), t);
      add_block(n, S, i, j, -1.0, &block);
    }
  }
  for (int32_t p = 0; p < load->pull_count; ++p) {
    if (load->pulls[p].stiffness > 0.0) add_spring(rod, &load->pulls[p], n, link, S);
  }
  for (int32_t p = 0; p < load->spring_count; ++p) add_slope_spring(rod, &load->springs[p], n, link, S);
}

CpsStatus cps_helix_check_root(const CpsRod* rod, const CpsRodLoad* load, const CpsHelixCarried* all, CpsError* error) {
  CpsRodLack lack = {0};
  if (rod->spec.root == CPS_END_FREE) lack.force = cps_vec3_scale(-1.0, all->F);
  if (rod->spec.root != CPS_END_CLAMPED) lack.moment = cps_vec3_scale(-1.0, cps_moment_of(&all->D));
  return cps_rod_check_lack(rod, load, &lack, error);
}
