// Super-clothoids: rods of N elements with continuous, piecewise linear material curvature (Bertails-Descoubes 2012;
// Casati and Bertails-Descoubes 2013).
//
//   kappa(s) = sum N_i(s) k_i,    q = (k_0, ..., k_N), and the pose of a root that is not clamped                  (1)
//
// The centreline follows from the curvatures by integration (clothoid.c), so the rod is inextensible by
// construction. M is dense; its assembly and the step are in super_clothoid_step.c. The stiffness is constant,
//
//   K = T x diag(G J, E I_2, E I_3),    T_ij = int N_i N_j ds = (l / 6) tridiag(1, 4, 1), corners l / 3            (2)
//
// Velocities are the rates of the curvatures, then the velocity of the root point in world axes, if the root is free, and
// its spin in its own axes, if it turns. Velocities of points are known at the configuration in which they were found,
// at the beginning of a step; energies and momenta refer to them. Sections have no rotary inertia, except that of the whole rod about a free root.
#include "model/super_clothoid.h"

#include "model/rod_statics.h"
#include "model/super_tension.h"

#include <string.h>

const double cps_super_clothoid_node[CPS_CLOTHOID_POINTS] = {0.046910077030668004, 0.23076534494715845, 0.5,
                                                             0.76923465505284155, 0.95308992296933200};
const double cps_super_clothoid_weight[CPS_CLOTHOID_POINTS] = {
    0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454};

static int32_t root_dofs(const CpsRodSpec* spec) {
  return spec->root == CPS_END_FREE ? 6 : spec->root == CPS_END_PINNED ? 3 : 0;
}

// Allocates parts of one array of doubles.
static void* take(double* memory, int64_t* used, int64_t count, size_t size) {
  void* piece = memory ? memory + *used : NULL;
  *used += count * (int64_t)(size / sizeof(double));
  return piece;
}

// Named views of the state and the working memory; with NULL pointers, only their sizes.
static CpsSuperClothoid lay_out(const CpsRodSpec* spec, double* state, double* work, int64_t* state_size,
                                int64_t* work_size) {
  int64_t in_state = 0, in_work = 0, n = spec->elements, joints = n + 1;
  CpsSuperClothoid c = {.count = spec->elements, .root = 3 * (spec->elements + 1), .size = spec->length / (double)n};
  c.dofs = c.root + root_dofs(spec);
  int64_t m = c.dofs;
  c.k = take(state, &in_state, joints, sizeof *c.k);
  c.pose = take(state, &in_state, 1, sizeof *c.pose);
  c.k_then = take(state, &in_state, joints, sizeof *c.k_then);
  c.pose_then = take(state, &in_state, 1, sizeof *c.pose_then);
  c.v[CPS_VELOCITY_AFTER] = take(state, &in_state, m, sizeof(double));
  c.natural = take(state, &in_state, joints, sizeof *c.natural);
  c.v[CPS_VELOCITY_BEFORE] = take(work, &in_work, m, sizeof(double));
  c.v[CPS_VELOCITY_FREE] = take(work, &in_work, m, sizeof(double));
  c.L = take(work, &in_work, m * m, sizeof(double));
  c.diagonal = take(work, &in_work, m, sizeof(double));
  c.right = take(work, &in_work, m, sizeof(double));
  c.J = take(work, &in_work, 6 * m, sizeof(double));
  c.element = take(work, &in_work, joints, sizeof *c.element);
  *state_size = in_state;
  *work_size = in_work;
  return c;
}

CpsSuperClothoid cps_super_clothoid(const CpsRod* rod) {
  int64_t state, work;
  return lay_out(&rod->spec, rod->state, rod->work, &state, &work);
}

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  *dofs = lay_out(spec, NULL, NULL, state, work).dofs;
}

CpsVec3 cps_super_clothoid_rate(const CpsSuperClothoid* c, const double* v, int32_t joint) {
  return cps_vec3_get(v + cps_super_clothoid_index(c, joint, 0));
}

void cps_super_clothoid_root(const CpsRod* rod, const CpsSuperClothoid* c, CpsVelocity which, CpsVec3* spin,
                             CpsVec3* velocity) {
  bool before = which == CPS_VELOCITY_BEFORE || (which == CPS_VELOCITY_AFTER && rod->begun);
  const double* v = c->v[which] + c->root;
  *velocity = before ? rod->root.velocity_before : rod->root.velocity;
  *spin = before ? rod->root.spin_before : rod->root.spin;
  if (rod->spec.root == CPS_END_CLAMPED) return;
  if (rod->spec.root == CPS_END_FREE) {
    *velocity = cps_vec3(v[0], v[1], v[2]);
    v += 3;
  }
  CpsQuat R = which == CPS_VELOCITY_AFTER ? c->pose_then->rotation : c->pose->rotation;
  *spin = cps_quat_rotate(R, cps_vec3(v[0], v[1], v[2]));
}

double cps_super_clothoid_taper(const CpsRod* rod, const CpsSuperClothoid* c, int32_t i) {
  return i < 0 || i >= c->count ? 0.0 : cps_rod_element_taper(&rod->spec, i, 4);
}

void cps_super_clothoid_stiffness(const CpsRod* rod, const CpsSuperClothoid* c, double factor, const CpsVec3* x,
                                  double* to) {
  const double* K3 = rod->spec.branch[0].stiffness;
  double unit = factor * c->size / 6.0;
  for (int32_t i = 0; i <= c->count; ++i) {
    double left = cps_super_clothoid_taper(rod, c, i - 1), right = cps_super_clothoid_taper(rod, c, i);
    CpsVec3 sum = cps_vec3_scale(2.0 * (left + right), x[i]);
    if (i > 0) sum = cps_vec3_axpy(sum, left, x[i - 1]);
    if (i < c->count) sum = cps_vec3_axpy(sum, right, x[i + 1]);
    double* out = to + cps_super_clothoid_index(c, i, 0);
    out[0] += unit * K3[0] * sum.x;
    out[1] += unit * K3[1] * sum.y;
    out[2] += unit * K3[2] * sum.z;
  }
}

// Stores the present configuration as that of the velocities AFTER.
static void keep_place(CpsSuperClothoid* c) {
  memcpy(c->k_then, c->k, (size_t)(c->count + 1) * sizeof *c->k);
  *c->pose_then = *c->pose;
  for (int32_t i = 0; i <= c->count; ++i) {
    c->element[i].position_then = c->element[i].position;
    c->element[i].frame_then = c->element[i].frame;
  }
}

static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  (void)error;
  CpsSuperClothoid c = cps_super_clothoid(rod);
  *c.pose = (CpsPose){shape->point[0], shape->frame[0]};
  cps_super_clothoid_fit(&c, shape);
  keep_place(&c);
  return CPS_OK;
}

static CpsClothoid clothoid_of(const CpsSuperClothoid* c, int32_t i) {
  return (CpsClothoid){c->k[i], c->k[i + 1], c->size};
}

static CpsClothoid clothoid_then(const CpsSuperClothoid* c, int32_t i) {
  return (CpsClothoid){c->k_then[i], c->k_then[i + 1], c->size};
}

static CpsClothoidMotion motion_of(const CpsSuperClothoid* c, int32_t i, CpsVelocity which) {
  const CpsClothoidElement* e = &c->element[i];
  return (CpsClothoidMotion){.rate0 = cps_super_clothoid_rate(c, c->v[which], i),
                             .rate1 = cps_super_clothoid_rate(c, c->v[which], i + 1),
                             .spin = e->spin[which],
                             .velocity = e->velocity[which]};
}

// Current joints.
static void refresh_places(CpsSuperClothoid* c) {
  CpsClothoidElement* e = c->element;
  e->position = c->pose->position;
  e->frame = cps_quat_matrix(c->pose->rotation);
  for (int32_t i = 0; i < c->count; ++i, ++e) {
    CpsClothoid clothoid = clothoid_of(c, i);
    CpsClothoidPoint p;
    cps_clothoid_at(&clothoid, c->size, CPS_CLOTHOID_FRAME, &e->frame, NULL, &p);
    e[1].position = cps_vec3_add(e->position, p.position);
    e[1].frame = p.frame;
  }
}

// Joints where the velocities were found, and their velocities.
static void refresh_velocities(const CpsRod* rod, CpsSuperClothoid* c) {
  const CpsVelocity which = CPS_VELOCITY_AFTER;
  CpsClothoidElement* e = c->element;
  e->position_then = c->pose_then->position;
  e->frame_then = cps_quat_matrix(c->pose_then->rotation);
  cps_super_clothoid_root(rod, c, which, &e->spin[which], &e->velocity[which]);
  for (int32_t i = 0; i < c->count; ++i, ++e) {
    CpsClothoid clothoid = clothoid_then(c, i);
    CpsClothoidMotion motion = motion_of(c, i, which);
    CpsClothoidPoint p;
    cps_clothoid_at(&clothoid, c->size, CPS_CLOTHOID_MOTION, &e->frame_then, &motion, &p);
    e[1].position_then = cps_vec3_add(e->position_then, p.position);
    e[1].frame_then = p.frame;
    e[1].spin[which] = p.spin;
    e[1].velocity[which] = p.velocity;
  }
}

static void refresh(CpsRod* rod) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  refresh_places(&c);
  refresh_velocities(rod, &c);
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsClothoidElement* e = &c.element[place.element];
  CpsClothoid clothoid = clothoid_of(&c, place.element);
  CpsClothoidPoint p;
  cps_clothoid_at(&clothoid, place.local, CPS_CLOTHOID_FRAME, &e->frame, NULL, &p);
  double f = place.local / place.size;
  return (CpsRodPoint){cps_vec3_add(e->position, p.position), p.frame,
                       cps_vec3_axpy(cps_vec3_scale(1.0 - f, clothoid.k0), f, clothoid.k1)};
}

// A column of three rows.
static void add_column(double* A, int32_t m, int32_t col, CpsVec3 value) {
  A[col] += value.x;
  A[m + col] += value.y;
  A[2 * m + col] += value.z;
}

void cps_super_clothoid_jacobian(const CpsRod* rod, const CpsSuperClothoid* c, double s, const CpsVec3* point,
                                 double* J, double* turn) {
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsClothoidElement* here = &c->element[place.element];
  CpsClothoid clothoid = clothoid_of(c, place.element);
  CpsClothoidPoint p;
  int32_t m = c->dofs;
  cps_clothoid_at(&clothoid, place.local, CPS_CLOTHOID_JACOBIAN, &here->frame, NULL, &p);
  CpsVec3 centre = cps_vec3_add(here->position, p.position), x = point ? *point : centre;
  CpsVec3 lever = cps_vec3_sub(x, centre);
  memset(J, 0, 3 * (size_t)m * sizeof(double));
  if (turn) memset(turn, 0, 3 * (size_t)m * sizeof(double));
  for (int32_t i = 0; i <= place.element; ++i) {
    const CpsClothoidElement* e = &c->element[i];
    bool last = i == place.element;
    CpsVec3 arm = last ? lever : cps_vec3_sub(x, e[1].position);
    for (int a = 0; a < 6; ++a) {
      int32_t col = cps_super_clothoid_index(c, a < 3 ? i : i + 1, a % 3);
      CpsVec3 turned = last ? p.turn[a] : e->turn[a];
      add_column(J, m, col, cps_vec3_add(last ? p.slide[a] : e->slide[a], cps_vec3_cross(turned, arm)));
      if (turn) add_column(turn, m, col, turned);
    }
  }
  int32_t spin = c->root + (rod->spec.root == CPS_END_FREE ? 3 : 0);
  for (int a = 0; a < 3 && rod->spec.root != CPS_END_CLAMPED; ++a) {
    const CpsMat3* R = &c->element[0].frame;
    CpsVec3 axis = {R->m[a], R->m[3 + a], R->m[6 + a]};
    if (rod->spec.root == CPS_END_FREE) J[(int64_t)a * m + c->root + a] = 1.0;
    add_column(J, m, spin + a, cps_vec3_cross(axis, cps_vec3_sub(x, c->element[0].position)));
    if (turn) add_column(turn, m, spin + a, axis);
  }
}

void cps_super_clothoid_carry(const CpsRod* rod, CpsSuperClothoid* c, CpsVelocity which) {
  CpsClothoidElement* e = c->element;
  cps_super_clothoid_root(rod, c, which, &e->spin[which], &e->velocity[which]);
  for (int32_t i = 0; i < c->count; ++i, ++e) {
    CpsVec3 spin = e->spin[which], chord = cps_vec3_sub(e[1].position, e->position);
    CpsVec3 velocity = cps_vec3_add(e->velocity[which], cps_vec3_cross(spin, chord));
    for (int a = 0; a < 6; ++a) {
      double rate = c->v[which][cps_super_clothoid_index(c, a < 3 ? i : i + 1, a % 3)];
      spin = cps_vec3_axpy(spin, rate, e->turn[a]);
      velocity = cps_vec3_axpy(velocity, rate, e->slide[a]);
    }
    e[1].spin[which] = spin;
    e[1].velocity[which] = velocity;
  }
}

// G L^T = sign E J: forward substitution, starting at the first nonzero column.
static void rows(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  int32_t m = c.dofs, from = cps_super_clothoid_index(&c, cps_rod_place(&rod->spec, s).element + 1, 0);
  cps_super_clothoid_jacobian(rod, &c, s, point, G, NULL);
  CpsMat3 E = cps_mat3_scale(sign, *frame);
  double *g0 = G, *g1 = G + m, *g2 = G + 2 * (int64_t)m;
  for (int32_t i = from; i < m; ++i) {
    const double* L = c.L + (int64_t)i * m;
    CpsVec3 sum = cps_mat3_apply(E, cps_vec3(g0[i], g1[i], g2[i]));
    for (int32_t j = from; j < i; ++j) {
      sum.x -= L[j] * g0[j];
      sum.y -= L[j] * g1[j];
      sum.z -= L[j] * g2[j];
    }
    double inverse = 1.0 / L[i];
    g0[i] = inverse * sum.x;
    g1[i] = inverse * sum.y;
    g2[i] = inverse * sum.z;
  }
}

static CpsRodMotion motion(const CpsRod* rod, double s, CpsVelocity which) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  bool then = which == CPS_VELOCITY_AFTER;
  CpsClothoid clothoid = then ? clothoid_then(&c, place.element) : clothoid_of(&c, place.element);
  CpsClothoidMotion m = motion_of(&c, place.element, which);
  const CpsClothoidElement* e = &c.element[place.element];
  CpsClothoidPoint p;
  cps_clothoid_at(&clothoid, place.local, CPS_CLOTHOID_MOTION, then ? &e->frame_then : &e->frame, &m, &p);
  return (CpsRodMotion){cps_vec3_add(then ? e->position_then : e->position, p.position), p.velocity, p.spin};
}

static CpsVec3 velocity(const CpsRod* rod, double s, CpsVelocity which) {
  return motion(rod, s, which).velocity;
}

// L^-T z
static void solve_transposed(const CpsSuperClothoid* c, const double* z, double* x) {
  int32_t m = c->dofs;
  memcpy(x, z, (size_t)m * sizeof(double));
  for (int32_t i = m - 1; i >= 0; --i) {
    const double* L = c->L + (int64_t)i * m;
    x[i] /= L[i];
    for (int32_t j = 0; j < i; ++j) x[j] -= L[j] * x[i];
  }
}

static void receive(CpsRod* rod, const double* z) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  double* v = c.v[CPS_VELOCITY_AFTER];
  memcpy(v, c.v[CPS_VELOCITY_FREE], (size_t)c.dofs * sizeof(double));
  if (z) {
    solve_transposed(&c, z, c.right);
    for (int32_t i = 0; i < c.dofs; ++i) v[i] += c.right[i];
  }
  keep_place(&c);
  cps_super_clothoid_carry(rod, &c, CPS_VELOCITY_AFTER);
}

// Moves the coordinates by `d`, ordered like velocities.
static void move(CpsRod* rod, CpsSuperClothoid* c, const double* d) {
  for (int32_t i = 0; i <= c->count; ++i) c->k[i] = cps_vec3_add(c->k[i], cps_super_clothoid_rate(c, d, i));
  const double* root = d + c->root;
  if (rod->spec.root == CPS_END_CLAMPED) return;
  if (rod->spec.root == CPS_END_FREE) {
    c->pose->position = cps_vec3_add(c->pose->position, cps_vec3(root[0], root[1], root[2]));
    root += 3;
  }
  CpsQuat turn = cps_quat_exp(cps_vec3(root[0], root[1], root[2]));
  c->pose->rotation = cps_quat_unit(cps_quat_multiply(c->pose->rotation, turn));
}

static void advance(CpsRod* rod, const CpsModelStep* step) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  const double *after = c.v[CPS_VELOCITY_AFTER], *before = c.v[CPS_VELOCITY_BEFORE];
  for (int32_t i = 0; i < c.dofs; ++i) {
    c.right[i] = step->h * (step->theta * after[i] + (1.0 - step->theta) * before[i]);
  }
  move(rod, &c, c.right);
  if (rod->spec.root != CPS_END_FREE) c.pose->position = rod->root.next.position;
  if (rod->spec.root == CPS_END_CLAMPED) c.pose->rotation = rod->root.next.rotation;
}

static void shift(CpsRod* rod, const double* z) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  solve_transposed(&c, z, c.right);
  move(rod, &c, c.right);
}

static void slow(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  CpsRigidMotion all = cps_rod_motion_added(factor, common, more);
  double *v = c.v[CPS_VELOCITY_AFTER], *root = v + c.root;
  for (int32_t i = 0; i < c.dofs; ++i) v[i] *= factor;
  if (rod->spec.root == CPS_END_FREE) {
    cps_vec3_put(root, cps_vec3_add(cps_vec3_get(root), cps_rigid_motion_at(&all, c.pose_then->position)));
    root += 3;
  }
  if (rod->spec.root != CPS_END_CLAMPED) {
    cps_vec3_put(root, cps_vec3_add(cps_vec3_get(root), cps_quat_rotate_back(c.pose_then->rotation, all.spin)));
  }
  refresh_velocities(rod, &c);
}

static void move_rigidly(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  double *v = c.v[CPS_VELOCITY_AFTER], *root = v + c.root;
  memset(v, 0, (size_t)c.dofs * sizeof(double));
  if (rod->spec.root == CPS_END_FREE) {
    CpsVec3 at_root = cps_vec3_add(linear, cps_vec3_cross(spin, c.pose->position));
    root[0] = at_root.x;
    root[1] = at_root.y;
    root[2] = at_root.z;
    root += 3;
  }
  if (rod->spec.root != CPS_END_CLAMPED) {
    CpsVec3 own = cps_quat_rotate_back(c.pose->rotation, spin);
    root[0] = own.x;
    root[1] = own.y;
    root[2] = own.z;
  }
  keep_place(&c);
  refresh_velocities(rod, &c);
}

static void push(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  double *v = c.v[CPS_VELOCITY_AFTER] + c.root, *w = v + 3;
  CpsVec3 at_root = cps_vec3_add(linear, cps_vec3_cross(spin, c.pose_then->position));
  cps_vec3_put(v, cps_vec3_add(cps_vec3_get(v), at_root));
  cps_vec3_put(w, cps_vec3_add(cps_vec3_get(w), cps_quat_rotate_back(c.pose_then->rotation, spin)));
  refresh_velocities(rod, &c);
}

static void carry(CpsRod* rod, const CpsPose* by) {
  CpsPose* root = cps_super_clothoid(rod).pose;
  *root = cps_pose_multiply(*by, *root);
  root->rotation = cps_quat_unit(root->rotation);
}

// Integrals over the quadrature points of one walk.
typedef struct Sums {
  double kinetic;  // 1/2 int rho |x'|^2
  CpsVec3 place;   // int rho x
} Sums;

static void sum_up(double rho, CpsClothoidWalk* walk, CpsVec3 start, Sums* sums) {
  while (cps_clothoid_next(walk)) {
    for (int q = 0; q < CPS_CLOTHOID_POINTS; ++q) {
      CpsClothoidPoint p;
      cps_clothoid_read(walk, cps_super_clothoid_node[q], &p);
      double w = rho * cps_super_clothoid_weight[q] * walk->size;
      CpsVec3 x = cps_vec3_add(start, p.position);
      sums->place = cps_vec3_axpy(sums->place, w, x);
      if (walk->lanes < CPS_CLOTHOID_MOTION) continue;
      sums->kinetic += 0.5 * w * cps_vec3_dot(p.velocity, p.velocity);
    }
  }
}

// Motion of the points where the velocities were found.
static Sums sum_motion(const CpsRod* rod, const CpsSuperClothoid* c) {
  Sums sums = {0};
  for (int32_t i = 0; i < c->count; ++i) {
    CpsClothoid clothoid = clothoid_then(c, i);
    CpsClothoidMotion motion = motion_of(c, i, CPS_VELOCITY_AFTER);
    CpsClothoidWalk walk;
    cps_clothoid_start(&walk, &clothoid, c->size, CPS_CLOTHOID_MOTION, &c->element[i].frame_then, &motion);
    sum_up(cps_super_clothoid_density(rod, i), &walk, c->element[i].position_then, &sums);
  }
  return sums;
}

// int rho x, current
static CpsVec3 sum_places(const CpsRod* rod, const CpsSuperClothoid* c) {
  Sums sums = {0};
  for (int32_t i = 0; i < c->count; ++i) {
    CpsClothoid clothoid = clothoid_of(c, i);
    CpsClothoidWalk walk;
    cps_clothoid_start(&walk, &clothoid, c->size, CPS_CLOTHOID_FRAME, &c->element[i].frame, NULL);
    sum_up(cps_super_clothoid_density(rod, i), &walk, c->element[i].position, &sums);
  }
  return sums.place;
}

// Momentum of the section inertia about the tangent of a root that may turn, in its axes.
static double polar_momentum(const CpsRod* rod, const CpsSuperClothoid* c, double* spin) {
  *spin = 0.0;
  if (rod->spec.root == CPS_END_CLAMPED) return 0.0;
  *spin = c->v[CPS_VELOCITY_AFTER][c->root + (rod->spec.root == CPS_END_FREE ? 3 : 0)];
  return cps_super_clothoid_polar(rod) * *spin;
}

// The integrals of an element about its end. In those of the step, air drag acts as additional density.
static CpsSuperForm form_of(const CpsRod* rod, const CpsSuperClothoid* c, const CpsModelStep* step, int32_t i) {
  const CpsClothoidElement* e = &c->element[i];
  const double rate = rod->spec.drag / rod->spec.branch[0].line_density;
  const double part = 1.0 / (1.0 + step->h * step->theta * rate);
  CpsSuperForm f = {.unknowns = 6, .mass = part * e->mass, .first = cps_vec3_scale(part, e->first)};
  f.second = cps_mat3_scale(part, e->second);
  for (int a = 0; a < 6; ++a) {
    f.U[a] = cps_vec3_scale(part, e->momentum[a]);
    f.xU[a] = cps_vec3_scale(part, e->moment[a]);
    f.Uc[a] = e->Jc[a];
  }
  for (int a = 0; a < 36; ++a) f.UU[a] = part * e->own[a];
  f.c = e->c;
  f.xc = e->xc;
  f.cc = e->cc;
  f.drag = rate;
  return f;
}

// Motion of the end of an element due to the motion of its beginning and the rates of its curvatures.
static CpsSuperMotion motion_at_end(const CpsSuperClothoid* c, int32_t i, CpsVelocity which) {
  const CpsClothoidElement* e = &c->element[i];
  const CpsVec3 chord = cps_vec3_sub(e[1].position, e->position);
  CpsSuperMotion m = {.v = cps_vec3_add(e->velocity[which], cps_vec3_cross(e->spin[which], chord)),
                      .w = e->spin[which]};
  for (int a = 0; a < 6; ++a) m.r[a] = c->v[which][cps_super_clothoid_index(c, a < 3 ? i : i + 1, a % 3)];
  return m;
}

// Weight, drag and inertia of an element.
static void add_work(const CpsSuperClothoid* c, const CpsSuperWork* w, int32_t i) {
  const CpsVec3 arm = cps_vec3_sub(c->element[i + 1].position, c->element[0].position);
  const CpsSuperForm form = form_of(w->rod, c, w->step, i);
  const CpsSuperMotion before = motion_at_end(c, i, CPS_VELOCITY_BEFORE),
                       after = motion_at_end(c, i, CPS_VELOCITY_AFTER), driven = cps_super_driven_now(w->rod, arm),
                       driven_before = cps_super_driven_before(w->rod, arm);
  cps_super_work_element(w, &form, w->step->gravity, &before, &after, &driven, &driven_before, false);
}

static double dot_joints(const CpsSuperClothoid* c, const double* a, const double* b) {
  double sum = 0.0;
  for (int32_t i = 0; i < c->root; ++i) sum += a[i] * b[i];
  return sum;
}

static CpsVec3 rate_of(const CpsRod* rod, int32_t element, double part, CpsVelocity which) {
  const CpsSuperClothoid c = cps_super_clothoid(rod);
  const CpsVec3 a = cps_super_clothoid_rate(&c, c.v[which], element),
                b = cps_super_clothoid_rate(&c, c.v[which], element + 1);
  return cps_vec3_axpy(cps_vec3_scale(1.0 - part, a), part, b);
}

static void work(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  const CpsSuperWork w = cps_super_work_start(rod, step, c.size, out);
  cps_super_work_tension(&w, rate_of);
  for (int32_t i = 0; i < c.count; ++i) add_work(&c, &w, i);
  const double *before = c.v[CPS_VELOCITY_BEFORE], *after = c.v[CPS_VELOCITY_AFTER];
  double *e = c.J, *v = e + c.dofs, *d = v + c.dofs, *Kv = d + c.dofs, *Kd = Kv + c.dofs;
  CpsVec3* x = (CpsVec3*)c.right;
  memset(c.J, 0, 5 * (size_t)c.dofs * sizeof(double));
  for (int32_t i = 0; i < c.root; ++i) {
    v[i] = step->theta * after[i] + (1.0 - step->theta) * before[i];
    d[i] = after[i] - before[i];
  }
  for (int32_t i = 0; i <= c.count; ++i) {
    cps_vec3_put(e + cps_super_clothoid_index(&c, i, 0), cps_vec3_sub(c.k[i], c.natural[i]));
    x[i] = cps_super_clothoid_rate(&c, v, i);
  }
  cps_super_clothoid_stiffness(rod, &c, 1.0, x, Kv);
  for (int32_t i = 0; i <= c.count; ++i) x[i] = cps_super_clothoid_rate(&c, d, i);
  cps_super_clothoid_stiffness(rod, &c, 1.0, x, Kd);
  cps_super_work_strains(&w, dot_joints(&c, e, Kv), dot_joints(&c, v, Kv), dot_joints(&c, e, Kd),
                         dot_joints(&c, v, Kd));
  if (rod->spec.root == CPS_END_CLAMPED) return;
  const int32_t spin = c.root + (rod->spec.root == CPS_END_FREE ? 3 : 0);
  cps_super_work_spin(&w, cps_super_clothoid_polar(rod), 0.0, before[spin], after[spin]);
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  Sums sums = sum_motion(rod, &c);
  double spin, polar = polar_momentum(rod, &c, &spin);
  *out = (CpsRodEnergy){.kinetic = sums.kinetic + 0.5 * polar * spin,
                        .gravity = rod->spec.gravity ? -cps_vec3_dot(gravity, sum_places(rod, &c)) : 0.0};
  // 1/2 int (kappa - natural)^T K3 (kappa - natural): with linear functions a, b at the ends of an element
  // l (a^2 + a b + b^2) / 3
  const double* K3 = rod->spec.branch[0].stiffness;
  for (int32_t i = 0; i < c.count; ++i) {
    CpsVec3 a = cps_vec3_sub(c.k[i], c.natural[i]), b = cps_vec3_sub(c.k[i + 1], c.natural[i + 1]);
    out->elastic += c.size / 6.0 * cps_super_clothoid_taper(rod, &c, i) *
                    (K3[0] * (a.x * a.x + a.x * b.x + b.x * b.x) + K3[1] * (a.y * a.y + a.y * b.y + b.y * b.y) +
                     K3[2] * (a.z * a.z + a.z * b.z + b.z * b.z));
  }
}

// Moments of the point velocities about the current positions.
static void add_momentum(const CpsRod* rod, const CpsSuperClothoid* c, int32_t i, CpsVec3* linear, CpsVec3* angular) {
  const CpsClothoidElement* e = &c->element[i];
  CpsClothoid now = clothoid_of(c, i), then = clothoid_then(c, i);
  CpsClothoidMotion m = motion_of(c, i, CPS_VELOCITY_AFTER);
  CpsClothoidWalk walk;
  cps_clothoid_start(&walk, &then, c->size, CPS_CLOTHOID_MOTION, &e->frame_then, &m);
  while (cps_clothoid_next(&walk)) {
    for (int q = 0; q < CPS_CLOTHOID_POINTS; ++q) {
      CpsClothoidPoint p, x;
      cps_clothoid_read(&walk, cps_super_clothoid_node[q], &p);
      cps_clothoid_at(&now, walk.at + cps_super_clothoid_node[q] * walk.size, CPS_CLOTHOID_FRAME, &e->frame, NULL, &x);
      double w = cps_super_clothoid_density(rod, i) * cps_super_clothoid_weight[q] * walk.size;
      *linear = cps_vec3_axpy(*linear, w, p.velocity);
      *angular = cps_vec3_axpy(*angular, w, cps_vec3_cross(cps_vec3_add(e->position, x.position), p.velocity));
    }
  }
}

static void momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  double spin, polar = polar_momentum(rod, &c, &spin);
  *linear = cps_vec3(0.0, 0.0, 0.0);
  *angular = cps_vec3_scale(polar, cps_quat_rotate(c.pose->rotation, cps_vec3(1.0, 0.0, 0.0)));
  for (int32_t i = 0; i < c.count; ++i) add_momentum(rod, &c, i, linear, angular);
}

const CpsRodType cps_rod_super_clothoid = {
    .name = "super-clothoid",
    .trees = false,
    .sizes = sizes,
    .create = create,
    .refresh = refresh,
    .at = at,
    .begin = cps_super_clothoid_begin,
    .rows = rows,
    .velocity = velocity,
    .motion = motion,
    .receive = receive,
    .work = work,
    .driven = cps_super_driven,
    .advance = advance,
    .shift = shift,
    .slow = slow,
    .move_rigidly = move_rigidly,
    .push = push,
    .carry = carry,
    .energy = energy,
    .momentum = momentum,
    .statics = &cps_super_clothoid_statics,
};
