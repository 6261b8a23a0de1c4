// The two sides of a step of a super-helix: the mass matrix in quadratic time, by sums over everything beyond an element.
//
// Points move with J(q) v; since the velocities v were found, q has changed, and with it the velocities of points:
//
//   c(s) = J(q) v + x'_root  -  (J(q_then) v + x'_root,then)                                                         (1)
//
// The bias of the step is int rho J^T c / h, which tends to int rho J^T (dJ/dt) v. It lets
//
//   M v* = int rho J^T (velocities of the points at the end of the last step) + h forces
//
// be a projection in the kinetic-energy norm: without forces the energy cannot grow, for any h. With (dJ/dt) v
// itself, a whipping rod blows up when it turns by a fraction of a radian per step. Gauss quadrature gives the sums over each
// element.
// From the tip to the root (inwards), let m, S, I be the mass, first moment and inertia of everything beyond element i,
// about its end, F and N the sums of rho c and of its moment. A unit rate of its curvatures moves this part rigidly:
//
//   P = rho int U + m A - [S]x B,   Q = rho int [p]x U + [S]x A + I B + [end - beginning]x (m A - [S]x B)           (2)
//
// are the momentum and the angular momentum (about the beginning of i) of everything it moves. With A_j moved there
//
//   M_ii = rho int U^T U + A^T (m A - [S]x B) + B^T ([S]x A + I B),     M_ji = A_j^T P + B_j^T Q   for j < i        (3)
//   gravity_i = P^T g,    h bias_i = rho int U^T c + A^T F + B^T N                                                    (4)
//
// The drag of the air is drag / rho times (3).
#include "core/quat.h"
#include "model/helix.h"
#include "model/super_helix.h"

#include <math.h>
#include <string.h>

// [a]x B
static CpsMat3 cross_columns(CpsVec3 a, CpsMat3 B) {
  CpsMat3 C;
  for (int j = 0; j < 3; ++j) {
    C.m[j] = a.y * B.m[6 + j] - a.z * B.m[3 + j];
    C.m[3 + j] = a.z * B.m[j] - a.x * B.m[6 + j];
    C.m[6 + j] = a.x * B.m[3 + j] - a.y * B.m[j];
  }
  return C;
}

static CpsMat3 add(CpsMat3 A, CpsMat3 B) {
  return cps_mat3_axpy(A, 1.0, B);
}

// A += s (a.a I - a b^T), or with a != b the mixed form (a.b) I - a b^T
static void add_inertia(CpsMat3* A, double s, CpsVec3 a, CpsVec3 b) {
  double d = s * cps_vec3_dot(a, b);
  CpsVec3 sa = cps_vec3_scale(s, a);
  A->m[0] += d - sa.x * b.x, A->m[1] -= sa.x * b.y, A->m[2] -= sa.x * b.z;
  A->m[3] -= sa.y * b.x, A->m[4] += d - sa.y * b.y, A->m[5] -= sa.y * b.z;
  A->m[6] -= sa.z * b.x, A->m[7] -= sa.z * b.y, A->m[8] += d - sa.z * b.z;
}

// A^T B, with weights
static void add_transposed_product(CpsMat3* C, double s, const CpsMat3* A, const CpsMat3* B) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      C->m[3 * i + j] += s * (A->m[i] * B->m[j] + A->m[3 + i] * B->m[3 + j] + A->m[6 + i] * B->m[6 + j]);
    }
  }
}

// The motion of an element in the current axes of its beginning: its twist and rate of curvature, the same at the
// end of the last step, and the rotation from those axes to the current ones.
typedef struct Motion {
  CpsVec3 k, v, w, rate;
  CpsVec3 k_then, v_then, w_then;
  CpsMat3 turn;
} Motion;

// A point of an element, its derivative with respect to the curvature, and (1), in the axes of the beginning.
typedef struct Point {
  CpsVec3 p, c;
  CpsMat3 U;
} Point;

static Point point_at(double a, const Motion* m) {
  CpsHelix now = cps_helix(cps_vec3_scale(a, m->k)), then = cps_helix(cps_vec3_scale(a, m->k_then));
  Point point = {.p = cps_vec3_scale(a, cps_helix_chord(&now)),
                 .U = cps_mat3_scale(a * a, cps_helix_chord_slope(&now))};
  CpsVec3 v = cps_vec3_add(cps_vec3_add(m->v, cps_vec3_cross(m->w, point.p)), cps_mat3_apply(point.U, m->rate));
  CpsVec3 p_then = cps_vec3_scale(a, cps_helix_chord(&then));
  CpsVec3 own = cps_vec3_scale(a * a, cps_mat3_apply(cps_helix_chord_slope(&then), m->rate));
  CpsVec3 v_then = cps_vec3_add(cps_vec3_add(m->v_then, cps_vec3_cross(m->w_then, p_then)), own);
  point.c = cps_vec3_sub(v, cps_mat3_apply(m->turn, v_then));
  return point;
}

static void add_point(CpsSuperHelixSums* sums, double weight, const Point* point) {
  CpsMat3 xU = cross_columns(point->p, point->U);
  sums->x = cps_vec3_axpy(sums->x, weight, point->p);
  add_inertia(&sums->xx, weight, point->p, point->p);
  sums->U = cps_mat3_axpy(sums->U, weight, point->U);
  sums->xU = cps_mat3_axpy(sums->xU, weight, xU);
  add_transposed_product(&sums->UU, weight, &point->U, &point->U);
  sums->c = cps_vec3_axpy(sums->c, weight, point->c);
  sums->cc += weight * cps_vec3_dot(point->c, point->c);
  sums->xc = cps_vec3_axpy(sums->xc, weight, cps_vec3_cross(point->p, point->c));
  sums->Uc = cps_vec3_axpy(sums->Uc, weight, cps_mat3_apply_transposed(point->U, point->c));
}

static void sum_element(CpsSuperHelixSums* sums, double size, double mass, const Motion* m) {
  int32_t panels = cps_helix_panels(size * cps_vec3_norm(m->k));
  *sums = (CpsSuperHelixSums){0};
  for (int32_t panel = 0; panel < panels; ++panel) {
    for (int i = 0; i < CPS_HELIX_POINTS; ++i) {
      Point point = point_at(size * (panel + cps_helix_node[i]) / panels, m);
      add_point(sums, mass * cps_helix_weight[i] / panels, &point);
    }
  }
}

// Outwards: the integrals of all elements. BEFORE contains the twists for the previous velocities in the current configuration,
// with the root motion of this step.
static void sum_elements(CpsSuperHelix* x, CpsSuperHelixTwist root) {
  const double* rates = x->velocity[CPS_VELOCITY_BEFORE];
  const CpsSuperHelixTwist* before = x->twist[CPS_VELOCITY_BEFORE];
  CpsVec3 dv = cps_vec3_sub(root.v, before[0].v), dw = cps_vec3_sub(root.w, before[0].w);
  for (int32_t i = 0; i < x->elements; ++i) {
    const double* rate = rates + cps_super_helix_of_element(x, i);
    CpsMat3 R = x->node[i].R, R_then = x->node_then[i].R;
    CpsVec3 arm = cps_vec3_sub(x->node[i].x, x->node[0].x);
    CpsVec3 v = cps_vec3_add(cps_vec3_add(before[i].v, dv), cps_vec3_cross(dw, arm));
    const CpsSuperHelixTwist* then = &x->twist[CPS_VELOCITY_AFTER][i];
    Motion m = {.k = x->curvature[i],
                .v = cps_mat3_apply_transposed(R, v),
                .w = cps_mat3_apply_transposed(R, cps_vec3_add(before[i].w, dw)),
                .rate = {rate[0], rate[1], rate[2]},
                .k_then = x->curvature_then[i],
                .v_then = cps_mat3_apply_transposed(R_then, then->v),
                .w_then = cps_mat3_apply_transposed(R_then, then->w),
                .turn = cps_mat3_multiply(cps_mat3_transposed(R), R_then)};
    sum_element(&x->sums[i], x->length[i], x->mass[i], &m);
  }
}

// Everything beyond a point, about it, in world axes.
typedef struct Rest {
  double mass;
  CpsVec3 S, F, N;
  CpsMat3 I;
} Rest;

// Moves the reference point by -d, from the end of an element to its beginning, and adds the element.
static void grow(Rest* rest, const CpsSuperHelix* x, int32_t element, CpsVec3 d) {
  const CpsSuperHelixSums* sums = &x->sums[element];
  CpsMat3 R = x->node[element].R;
  add_inertia(&rest->I, rest->mass, d, d);
  add_inertia(&rest->I, 1.0, rest->S, d);
  add_inertia(&rest->I, 1.0, d, rest->S);
  rest->I = add(rest->I, cps_mat3_multiply(cps_mat3_multiply(R, sums->xx), cps_mat3_transposed(R)));
  rest->S = cps_vec3_add(cps_vec3_axpy(rest->S, rest->mass, d), cps_mat3_apply(R, sums->x));
  rest->mass += x->mass[element];
  rest->N = cps_vec3_add(cps_vec3_add(rest->N, cps_vec3_cross(d, rest->F)), cps_mat3_apply(R, sums->xc));
  rest->F = cps_vec3_add(rest->F, cps_mat3_apply(R, sums->c));
}

static void put_block(const CpsSuperHelix* x, int32_t row, int32_t column, CpsMat3 block) {
  for (int i = 0; i < 3; ++i) {
    double* to = x->U + (int64_t)(row + i) * x->dofs + column;
    to[0] = block.m[3 * i], to[1] = block.m[3 * i + 1], to[2] = block.m[3 * i + 2];
  }
}

// Block row of M for momentum P and angular momentum Q about `at`, from element `last` to the root.
static void put_row(const CpsSuperHelix* x, int32_t row, CpsVec3 at, int32_t last, const CpsMat3* P, const CpsMat3* Q) {
  CpsVec3 arm = cps_vec3_sub(at, x->node[0].x);
  // about the root, where A_j needs no shift
  CpsMat3 Q0 = add(*Q, cross_columns(arm, *P));
  for (int32_t j = last; j >= 0; --j) {
    CpsMat3 block = {{0}};
    add_transposed_product(&block, 1.0, P, &x->column[j].A);
    add_transposed_product(&block, 1.0, &Q0, &x->column[j].B);
    put_block(x, row, cps_super_helix_of_element(x, j), block);
  }
  if (x->turns) {
    CpsMat3 block = {{0}};
    add_transposed_product(&block, 1.0, &Q0, &x->node[0].R);
    put_block(x, row, cps_super_helix_of_spin(x), block);
  }
  if (x->moves) put_block(x, row, cps_super_helix_of_velocity(x), cps_mat3_transposed(*P));
}

static void put_force(double* right, CpsVec3 f) {
  cps_vec3_put(right, f);
}

// The element's row of (3), and (4); `rest` is about its end.
static void put_element(const CpsSuperHelix* x, int32_t i, const Rest* rest, CpsVec3 weight) {
  const CpsSuperHelixSums* sums = &x->sums[i];
  CpsMat3 R = x->node[i].R, B = x->column[i].B;
  CpsVec3 end = x->node[i + 1].x, d = cps_vec3_sub(end, x->node[i].x);
  // velocities of the element at its end
  CpsMat3 A = cps_mat3_axpy(x->column[i].A, -1.0, cross_columns(cps_vec3_sub(end, x->node[0].x), B));
  CpsMat3 P = cps_mat3_axpy(cps_mat3_scale(rest->mass, A), -1.0, cross_columns(rest->S, B));
  CpsMat3 Q = add(cross_columns(rest->S, A), cps_mat3_multiply(rest->I, B)), own = sums->UU;
  add_transposed_product(&own, 1.0, &A, &P);
  add_transposed_product(&own, 1.0, &B, &Q);
  Q = add(add(Q, cross_columns(d, P)), cps_mat3_multiply(R, sums->xU));
  P = add(P, cps_mat3_multiply(R, sums->U));
  int32_t row = cps_super_helix_of_element(x, i);
  put_row(x, row, x->node[i].x, i - 1, &P, &Q);
  put_block(x, row, row, own);
  CpsVec3 bias = cps_vec3_add(cps_mat3_apply_transposed(A, rest->F), cps_mat3_apply_transposed(B, rest->N));
  bias = cps_vec3_add(bias, sums->Uc);
  put_force(x->right + row, cps_vec3_sub(cps_mat3_apply_transposed(P, weight), bias));
}

// The rows of the root; `rest` is the whole rod about the root. The section inertia about the tangent keeps a
// straight rod from having none about its axis; its gyroscopic moment is smaller than the others by (radius / length)^2 and
// neglected.
static void put_root(const CpsSuperHelix* x, const Rest* rest, CpsVec3 weight) {
  CpsMat3 R = x->node[0].R;
  int32_t spin = cps_super_helix_of_spin(x), velocity = cps_super_helix_of_velocity(x);
  if (x->turns) {
    CpsMat3 P = cps_mat3_scale(-1.0, cross_columns(rest->S, R)), Q = cps_mat3_multiply(rest->I, R), own = {{0}};
    add_transposed_product(&own, 1.0, &R, &Q);
    own.m[0] += x->rotary;
    put_block(x, spin, spin, own);
    if (x->moves) put_block(x, spin, velocity, cps_mat3_transposed(P));
    CpsVec3 moment = cps_vec3_sub(cps_vec3_cross(rest->S, weight), rest->N);
    put_force(x->right + spin, cps_mat3_apply_transposed(R, moment));
  }
  if (x->moves) {
    put_block(x, velocity, velocity, cps_mat3_scale(rest->mass, cps_mat3_identity()));
    put_force(x->right + velocity, cps_vec3_axpy(cps_vec3_scale(rest->mass, weight), -1.0, rest->F));
  }
}

// right -= factor M v, with the upper triangle of M
static void subtract_product(const CpsSuperHelix* x, double factor, const double* v) {
  for (int32_t i = 0; i < x->dofs; ++i) {
    const double* row = x->U + (int64_t)i * x->dofs;
    double sum = row[i] * v[i];
    for (int32_t j = i + 1; j < x->dofs; ++j) {
      sum += row[j] * v[j];
      x->right[j] -= factor * row[j] * v[i];
    }
    x->right[i] -= factor * sum;
  }
}

// right -= factor int rho J^T x' of a prescribed root motion, with (2) of the whole rod.
static void subtract_driven(const CpsRod* rod, const CpsSuperHelix* x, double factor, double theta) {
  const CpsRodEnd* root = &rod->root;
  CpsVec3 none = {0}, dv = cps_vec3_sub(root->velocity, root->velocity_before);
  CpsVec3 v = x->moves ? none : cps_vec3_axpy(root->velocity_before, theta, dv);
  CpsVec3 dw = cps_vec3_sub(root->spin, root->spin_before);
  CpsVec3 w = x->turns ? none : cps_vec3_axpy(root->spin_before, theta, dw);
  Rest rest = {0};
  for (int32_t i = x->elements - 1; i >= 0; --i) {
    const CpsSuperHelixSums* sums = &x->sums[i];
    CpsMat3 R = x->node[i].R, B = x->column[i].B;
    CpsVec3 arm = cps_vec3_sub(x->node[i + 1].x, x->node[0].x), d = cps_vec3_sub(x->node[i + 1].x, x->node[i].x);
    CpsMat3 A = cps_mat3_axpy(x->column[i].A, -1.0, cross_columns(arm, B));
    // momentum of the part beyond about the end, and velocity of the beginning
    CpsVec3 at_end = cps_vec3_add(v, cps_vec3_cross(w, arm));
    CpsVec3 p = cps_vec3_axpy(cps_vec3_cross(w, rest.S), rest.mass, at_end);
    CpsVec3 q = cps_vec3_add(cps_vec3_cross(rest.S, at_end), cps_mat3_apply(rest.I, w));
    CpsVec3 at_start = cps_mat3_apply_transposed(R, cps_vec3_sub(at_end, cps_vec3_cross(w, d)));
    CpsVec3 f = cps_vec3_add(cps_mat3_apply_transposed(A, p), cps_mat3_apply_transposed(B, q));
    f = cps_vec3_add(f, cps_mat3_apply_transposed(sums->U, at_start));
    f = cps_vec3_add(f, cps_mat3_apply_transposed(sums->xU, cps_mat3_apply_transposed(R, w)));
    double* right = x->right + cps_super_helix_of_element(x, i);
    right[0] -= factor * f.x, right[1] -= factor * f.y, right[2] -= factor * f.z;
    grow(&rest, x, i, d);
  }
  if (!x->turns) return;
  CpsVec3 moment = cps_mat3_apply_transposed(x->node[0].R, cps_vec3_cross(rest.S, v));
  double* right = x->right + cps_super_helix_of_spin(x);
  right[0] -= factor * moment.x, right[1] -= factor * moment.y, right[2] -= factor * moment.z;
}

// Drag: h theta drag / rho M on the left, - drag / rho (M v + driven part) on the right.
static void add_drag(const CpsRod* rod, const CpsModelStep* step, const CpsSuperHelix* x) {
  double rate = step->h * rod->spec.drag / rod->spec.branch[0].line_density, factor = 1.0 + step->theta * rate;
  subtract_product(x, rate, x->velocity[CPS_VELOCITY_BEFORE]);
  if (!x->moves) subtract_driven(rod, x, rate, step->theta);
  for (int64_t i = 0; i < (int64_t)x->dofs * x->dofs; ++i) x->U[i] *= factor;
}

static void add_elastic(const CpsRod* rod, const CpsModelStep* step, const CpsSuperHelix* x) {
  double ht = step->h * step->theta, damping = rod->spec.damping;
  for (int32_t i = 0; i < x->elements; ++i) {
    int32_t first = cps_super_helix_of_element(x, i);
    const double K[3] = {x->stiffness[i].x, x->stiffness[i].y, x->stiffness[i].z};
    CpsVec3 bent = cps_vec3_sub(x->curvature[i], x->natural[i]);
    const double e[3] = {bent.x, bent.y, bent.z}, *rate = x->velocity[CPS_VELOCITY_BEFORE] + first;
    for (int k = 0; k < 3; ++k) {
      x->U[(int64_t)(first + k) * (x->dofs + 1)] += ht * (ht + damping) * K[k];
      x->right[first + k] -= step->h * K[k] * (e[k] + (ht + damping) * rate[k]);
    }
  }
}

void cps_super_helix_mass(const CpsRod* rod, const CpsModelStep* step, CpsSuperHelix* x) {
  CpsVec3 weight = rod->spec.gravity ? cps_vec3_scale(step->h, step->gravity) : cps_vec3(0.0, 0.0, 0.0);
  CpsSuperHelixTwist root = x->twist[CPS_VELOCITY_BEFORE][0];
  if (!x->moves) root.v = rod->root.velocity;
  if (!x->turns) root.w = rod->root.spin;
  sum_elements(x, root);
  Rest rest = {0};
  for (int32_t i = x->elements - 1; i >= 0; --i) {
    put_element(x, i, &rest, weight);
    grow(&rest, x, i, cps_vec3_sub(x->node[i + 1].x, x->node[i].x));
  }
  put_root(x, &rest, weight);
  if (rod->spec.drag > 0.0) add_drag(rod, step, x);
  add_elastic(rod, step, x);
}
