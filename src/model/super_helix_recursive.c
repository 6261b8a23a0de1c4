// Super-helix in linear time (Bertails 2009; habilitation of Bertails-Descoubes 2017, section 2.4), also as a tree.
//
// The motion is that of super_helix.c: elements of constant material curvature k; the unknowns are their rates k' and the twist
// (v, w) of the root, unless held. In an element whose base is at x_0 with frame R and twist (v, w), the point
// at distance a along it has, with the functions of helix.h,
//
//   d = a w(a k),   x = x_0 + R d                                                                                   (1)
//   x' = v + w x R d + R B k' = S (v, w, k'),   B = a^2 dw/dv(a k),   S: 3 x 9                                      (2)
//   w(a) = w + R C k',   C = a J_l(a k)                                                                             (3)
//
// super_helix_recursive_step.c has the quadratic forms and forces of the elements in a step; articulated.c does the rest. A step
// takes three sweeps over the elements, a contact one sweep from its element to the root.
#include "model/super_helix_recursive.h"
#include "model/super_tension.h"

#include "core/quat.h"
#include "model/rod_shape.h"
#include "model/rod_statics.h"

#include <math.h>
#include <string.h>

enum { TWIST = CPS_TWIST, RATES = CPS_RATES, CARRIED = CPS_CARRIED };

// Allocates parts of one array of doubles.
typedef struct Memory {
  double* at;
  int64_t used;
} Memory;

static void* take(Memory* memory, int64_t count, size_t size) {
  void* piece = memory->at ? memory->at + memory->used : NULL;
  memory->used += count * (int64_t)((size + sizeof(double) - 1) / sizeof(double));
  return piece;
}

static int32_t held_components(const CpsRodSpec* spec) {
  return spec->root == CPS_END_CLAMPED ? TWIST : spec->root == CPS_END_PINNED ? 3 : 0;
}

// Named views of the state and the working memory; with NULL pointers, only their sizes.
static CpsRecursive lay_out(const CpsRodSpec* spec, double* state_memory, double* work_memory, int64_t* state_size,
                            int64_t* work_size) {
  Memory state = {state_memory, 0}, work = {work_memory, 0};
  int32_t n = spec->elements;
  CpsRecursive v = {.tree = {.count = n, .held = held_components(spec)}};
  v.pose = take(&state, 1, sizeof *v.pose);
  v.pose_then = take(&state, 1, sizeof *v.pose_then);
  v.motion = take(&state, TWIST, sizeof(double));
  v.curvature = take(&state, n, sizeof *v.curvature);
  v.curvature_then = take(&state, n, sizeof *v.curvature_then);
  for (int which = 0; which < 3; ++which) {
    v.rate[which] = take(which == CPS_VELOCITY_AFTER ? &state : &work, RATES * (int64_t)n, sizeof(double));
    v.root[which] = take(&work, TWIST, sizeof(double));
    v.twist[which] = take(&work, TWIST * (int64_t)n, sizeof(double));
  }
  v.natural = take(&state, n, sizeof *v.natural);
  v.now = take(&work, n, sizeof *v.now);
  v.then = take(&work, n, sizeof *v.then);
  v.sums = take(&work, n, sizeof *v.sums);
  v.element = take(&work, n, sizeof *v.element);
  v.force = take(&work, CARRIED * (int64_t)n, sizeof(double));
  v.z = take(&work, cps_articulated_dofs(&v.tree), sizeof(double));
  v.parent = take(&work, n, sizeof *v.parent);
  v.tree.parent = v.parent;
  v.tree.element = take(&work, n, sizeof *v.tree.element);
  v.tree.base = take(&work, 1, sizeof *v.tree.base);
  *state_size = state.used;
  *work_size = work.used;
  return v;
}

CpsRecursive cps_recursive(const CpsRod* rod) {
  int64_t state, work;
  return lay_out(&rod->spec, rod->state, rod->work, &state, &work);
}

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  CpsRecursive v = lay_out(spec, NULL, NULL, state, work);
  *dofs = cps_articulated_dofs(&v.tree);
}

// --- making ---------------------------------------------------------------------------------------------------------

// Mean curvatures of the samples of an element, as placed and natural.
static void take_shape(const CpsQuat* frame, const CpsVec3* natural, bool as_placed, double size, CpsVec3* k,
                       CpsVec3* rest) {
  *k = *rest = cps_vec3(0.0, 0.0, 0.0);
  for (int i = 0; i < CPS_ROD_SAMPLES; ++i) {
    *k = cps_vec3_add(*k, cps_quat_log(cps_quat_multiply(cps_quat_conjugate(frame[i]), frame[i + 1])));
    *rest = cps_vec3_axpy(*rest, 0.5 / CPS_ROD_SAMPLES, cps_vec3_add(natural[i], natural[i + 1]));
  }
  *k = cps_vec3_scale(1.0 / size, *k);
  // a rod placed in its natural shape up to rounding is placed in it exactly, so it stays at rest
  bool same = cps_vec3_norm(cps_vec3_sub(*k, *rest)) < 1e-11 * (cps_vec3_norm(*rest) + CPS_ROD_SAMPLES / size);
  if (as_placed) *rest = *k;
  if (same) *k = *rest;
}

// From here on the velocities AFTER refer to the current configuration.
static void settle(CpsRecursive* v) {
  *v->pose_then = *v->pose;
  memcpy(v->curvature_then, v->curvature, (size_t)v->tree.count * sizeof *v->curvature);
  memcpy(v->then, v->now, (size_t)v->tree.count * sizeof *v->now);
}

static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  (void)error;
  CpsRecursive v = cps_recursive(rod);
  *v.pose = (CpsPose){shape->point[0], shape->frame[0]};
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    for (int32_t j = 0; j < branch->elements; ++j) {
      const double size = cps_rod_element_size(branch, j);
      int32_t i = branch->first_element + j;
      int64_t sample = CPS_ROD_SAMPLES * (int64_t)i + b;
      double mass = b == 0 ? cps_rod_element_taper(&rod->spec, j, 2) : 1.0;
      double stiff = b == 0 ? cps_rod_element_taper(&rod->spec, j, 4) : 1.0;
      v.parent[i] = j > 0 ? i - 1 : b > 0 ? rod->spec.branch[branch->parent].first_element + branch->at : -1;
      v.element[i] = (CpsRecursiveElement){
          .size = size,
          .density = mass * branch->line_density,
          .drag = mass * rod->spec.drag,
          .stiffness = cps_vec3_scale(stiff * size, cps_vec3_get(branch->stiffness)),
          .turn = j == 0 && b > 0 ? cps_quat_matrix(branch->rotation) : cps_mat3_identity(),
      };
      take_shape(shape->frame + sample, shape->natural + sample, shape->as_placed && b == 0, size, &v.curvature[i],
                 &v.natural[i]);
    }
  }
  settle(&v);
  return CPS_OK;
}

// --- geometry -------------------------------------------------------------------------------------------------------

CpsRecursivePoint cps_recursive_point(const CpsHelix* helix, double a) {
  CpsRecursivePoint p = {.d = cps_vec3_scale(a, cps_helix_chord(helix)), .B = cps_helix_chord_slope(helix)};
  for (int i = 0; i < 9; ++i) p.B.m[i] *= a * a;
  return p;
}

CpsRecursivePoint cps_recursive_point_at(CpsVec3 k, double a) {
  CpsHelix helix = cps_helix(cps_vec3_scale(a, k));
  return cps_recursive_point(&helix, a);
}

// S of (2): 3 x 9.
static void fill_rows(const CpsMat3* linear, const CpsMat3* angular, const CpsMat3* rates, double* S) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      S[CARRIED * i + j] = linear ? linear->m[3 * i + j] : 0.0;
      S[CARRIED * i + 3 + j] = angular->m[3 * i + j];
      S[CARRIED * i + 6 + j] = rates->m[3 * i + j];
    }
  }
}

void cps_recursive_point_rows(const CpsRecursiveBase* base, const CpsRecursivePoint* p, double S[27]) {
  CpsMat3 I = cps_mat3_identity(), arm = cps_mat3_cross(cps_vec3_scale(-1.0, cps_mat3_apply(base->R, p->d)));
  CpsMat3 B = cps_mat3_multiply(base->R, p->B);
  fill_rows(&I, &arm, &B, S);
}

// The same for the spin there, (3).
void cps_recursive_spin_rows(const CpsRecursiveBase* base, const CpsHelix* helix, double a, double S[27]) {
  CpsMat3 I = cps_mat3_identity(), C = cps_mat3_scale(a, cps_mat3_multiply(base->R, cps_helix_spin(helix)));
  fill_rows(NULL, &I, &C, S);
}

CpsVec3 cps_recursive_apply_rows(const double* S, const double* twist, const double* rate) {
  double x[3];
  for (int i = 0; i < 3; ++i) {
    const double* s = S + CARRIED * i;
    x[i] = s[0] * twist[0] + s[1] * twist[1] + s[2] * twist[2] + s[3] * twist[3] + s[4] * twist[4] + s[5] * twist[5] +
           s[6] * rate[0] + s[7] * rate[1] + s[8] * rate[2];
  }
  return cps_vec3_get(x);
}

CpsVec3 cps_recursive_position(const CpsRecursiveBase* base, const CpsRecursivePoint* p) {
  return cps_vec3_add(base->x, cps_mat3_apply(base->R, p->d));
}

// Bases of all elements from the root outwards.
static void place_bases(const CpsRecursive* v, const CpsPose* pose, const CpsVec3* curvature, CpsRecursiveBase* base) {
  for (int32_t i = 0; i < v->tree.count; ++i) {
    int32_t p = v->parent[i];
    if (p < 0) {
      base[i] = (CpsRecursiveBase){pose->position, cps_quat_matrix(pose->rotation), curvature[i]};
      continue;
    }
    CpsHelix helix = cps_helix(cps_vec3_scale(v->element[p].size, curvature[p]));
    CpsVec3 d = cps_vec3_scale(v->element[p].size, cps_helix_chord(&helix));
    CpsMat3 R = cps_mat3_multiply(base[p].R, cps_helix_turn(&helix));
    base[i] = (CpsRecursiveBase){cps_vec3_add(base[p].x, cps_mat3_apply(base[p].R, d)),
                                 cps_mat3_multiply(R, v->element[i].turn), curvature[i]};
  }
}

// Twist of a root with the frame R for the velocities of the state, unless prescribed.
void cps_recursive_root_twist(const CpsRod* rod, const CpsRecursive* v, const CpsMat3* R, CpsVec3 velocity,
                              CpsVec3 spin, double* twist) {
  bool held = rod->spec.root != CPS_END_FREE, clamped = rod->spec.root == CPS_END_CLAMPED;
  cps_vec3_put(twist, held ? velocity : cps_vec3_get(v->motion));
  cps_vec3_put(twist + 3, clamped ? spin : cps_mat3_apply(*R, cps_vec3_get(v->motion + 3)));
}

// Twists AFTER of all bases, in their own configuration; velocity and spin are those of a held root.
void cps_recursive_spread_then(const CpsRod* rod, const CpsRecursive* v, CpsVec3 velocity, CpsVec3 spin) {
  double* twist = v->twist[CPS_VELOCITY_AFTER];
  cps_recursive_root_twist(rod, v, &v->then[0].R, velocity, spin, v->root[CPS_VELOCITY_AFTER]);
  for (int32_t i = 0; i < v->tree.count; ++i) {
    int32_t p = v->parent[i];
    double *own = twist + (int64_t)TWIST * i, S[27];
    if (p < 0) {
      memcpy(own, v->root[CPS_VELOCITY_AFTER], TWIST * sizeof(double));
      continue;
    }
    const double *from = twist + (int64_t)TWIST * p, *rate = v->rate[CPS_VELOCITY_AFTER] + (int64_t)RATES * p;
    double size = v->element[p].size;
    CpsHelix helix = cps_helix(cps_vec3_scale(size, v->then[p].k));
    CpsRecursivePoint end = cps_recursive_point(&helix, size);
    cps_recursive_point_rows(&v->then[p], &end, S);
    cps_vec3_put(own, cps_recursive_apply_rows(S, from, rate));
    cps_recursive_spin_rows(&v->then[p], &helix, size, S);
    cps_vec3_put(own + 3, cps_recursive_apply_rows(S, from, rate));
  }
}

static void spread_after(const CpsRod* rod, const CpsRecursive* v) {
  const CpsRodEnd* root = &rod->root;
  cps_recursive_spread_then(rod, v, rod->begun ? root->velocity_before : root->velocity,
                            rod->begun ? root->spin_before : root->spin);
}

static void refresh(CpsRod* rod) {
  CpsRecursive v = cps_recursive(rod);
  place_bases(&v, v.pose, v.curvature, v.now);
  place_bases(&v, v.pose_then, v.curvature_then, v.then);
  spread_after(rod, &v);
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  CpsRecursive v = cps_recursive(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsRecursiveBase* base = &v.now[place.element];
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, base->k));
  CpsRecursivePoint p = cps_recursive_point(&helix, place.local);
  return (CpsRodPoint){cps_recursive_position(base, &p), cps_mat3_multiply(base->R, cps_helix_turn(&helix)), base->k};
}

static CpsVec3 velocity(const CpsRod* rod, double s, CpsVelocity which) {
  CpsRecursive v = cps_recursive(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsRecursiveBase* base = which == CPS_VELOCITY_AFTER ? &v.then[place.element] : &v.now[place.element];
  CpsRecursivePoint p = cps_recursive_point_at(base->k, place.local);
  double S[27];
  cps_recursive_point_rows(base, &p, S);
  return cps_recursive_apply_rows(S, v.twist[which] + (int64_t)TWIST * place.element,
                                  v.rate[which] + (int64_t)RATES * place.element);
}

// Velocities `to` = `from` + L^-T z; the prescribed components of the root change by `change`.
void cps_recursive_move(CpsRecursive* v, const double* z, const double change[CPS_TWIST], CpsVelocity from,
                        CpsVelocity to) {
  double base[CPS_TWIST];
  memcpy(base, change, sizeof base);
  cps_articulated_outward(&v->tree, z, base, v->rate[to], v->twist[to]);
  for (int j = 0; j < TWIST; ++j) v->root[to][j] = v->root[from][j] + base[j];
  for (int64_t j = 0; j < RATES * (int64_t)v->tree.count; ++j) v->rate[to][j] += v->rate[from][j];
  for (int64_t j = 0; j < TWIST * (int64_t)v->tree.count; ++j) v->twist[to][j] += v->twist[from][j];
}

// S += -[lever]x T, the rows of the spin T: 3 x 9 each
static void add_lever(CpsVec3 lever, const double* T, double* S) {
  for (int j = 0; j < CARRIED; ++j) {
    CpsVec3 more = cps_vec3_cross(cps_vec3(T[j], T[CARRIED + j], T[2 * CARRIED + j]), lever);
    S[j] += more.x;
    S[CARRIED + j] += more.y;
    S[2 * CARRIED + j] += more.z;
  }
}

static void rows(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G) {
  CpsRecursive v = cps_recursive(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsRecursiveBase* base = &v.now[place.element];
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, base->k));
  CpsRecursivePoint p = cps_recursive_point(&helix, place.local);
  double S[27], T[27];
  cps_recursive_point_rows(base, &p, S);
  if (point) {
    cps_recursive_spin_rows(base, &helix, place.local, T);
    add_lever(cps_vec3_sub(*point, cps_recursive_position(base, &p)), T, S);
  }
  for (int i = 0; i < 3; ++i) {
    double f[CPS_CARRIED];
    const double* e = frame->m + 3 * i;
    for (int j = 0; j < CARRIED; ++j) f[j] = sign * (e[0] * S[j] + e[1] * S[CARRIED + j] + e[2] * S[2 * CARRIED + j]);
    cps_articulated_inward_chain(&v.tree, place.element, f, G + (int64_t)rod->dofs * i);
  }
}

static CpsRodMotion motion(const CpsRod* rod, double s, CpsVelocity which) {
  CpsRecursive v = cps_recursive(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsRecursiveBase* base = which == CPS_VELOCITY_AFTER ? &v.then[place.element] : &v.now[place.element];
  const double *twist = v.twist[which] + (int64_t)TWIST * place.element,
               *rate = v.rate[which] + (int64_t)RATES * place.element;
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, base->k));
  CpsRecursivePoint p = cps_recursive_point(&helix, place.local);
  double S[27], T[27];
  cps_recursive_point_rows(base, &p, S);
  cps_recursive_spin_rows(base, &helix, place.local, T);
  return (CpsRodMotion){cps_recursive_position(base, &p), cps_recursive_apply_rows(S, twist, rate),
                        cps_recursive_apply_rows(T, twist, rate)};
}

static void receive(CpsRod* rod, const double* z) {
  static const double STILL[CPS_TWIST] = {0};
  CpsRecursive v = cps_recursive(rod);
  size_t n = (size_t)v.tree.count;
  if (z) {
    cps_recursive_move(&v, z, STILL, CPS_VELOCITY_FREE, CPS_VELOCITY_AFTER);
  } else {
    memcpy(v.root[CPS_VELOCITY_AFTER], v.root[CPS_VELOCITY_FREE], TWIST * sizeof(double));
    memcpy(v.rate[CPS_VELOCITY_AFTER], v.rate[CPS_VELOCITY_FREE], RATES * n * sizeof(double));
    memcpy(v.twist[CPS_VELOCITY_AFTER], v.twist[CPS_VELOCITY_FREE], TWIST * n * sizeof(double));
  }
  // not before: a step may begin several times
  settle(&v);
  memcpy(v.motion, v.root[CPS_VELOCITY_AFTER], 3 * sizeof(double));
  cps_vec3_put(v.motion + 3, cps_mat3_apply_transposed(v.then[0].R, cps_vec3_get(v.root[CPS_VELOCITY_AFTER] + 3)));
}

// Moves the root unless held, with the rotation in world axes.
static void displace(const CpsRod* rod, CpsRecursive* v, CpsVec3 by, CpsVec3 turn) {
  if (rod->spec.root == CPS_END_FREE) v->pose->position = cps_vec3_add(v->pose->position, by);
  if (rod->spec.root == CPS_END_CLAMPED) return;
  v->pose->rotation = cps_quat_unit(cps_quat_multiply(cps_quat_exp(turn), v->pose->rotation));
}

static void advance(CpsRod* rod, const CpsModelStep* step) {
  CpsRecursive v = cps_recursive(rod);
  double after = step->h * step->theta, before = step->h * (1.0 - step->theta);
  const double *r1 = v.root[CPS_VELOCITY_AFTER], *r0 = v.root[CPS_VELOCITY_BEFORE];
  const double *k1 = v.rate[CPS_VELOCITY_AFTER], *k0 = v.rate[CPS_VELOCITY_BEFORE];
  for (int32_t i = 0; i < v.tree.count; ++i) {
    CpsVec3 k = cps_vec3_axpy(v.curvature[i], after, cps_vec3_get(k1 + (int64_t)RATES * i));
    v.curvature[i] = cps_vec3_axpy(k, before, cps_vec3_get(k0 + (int64_t)RATES * i));
  }
  displace(rod, &v, cps_vec3_axpy(cps_vec3_scale(after, cps_vec3_get(r1)), before, cps_vec3_get(r0)),
           cps_vec3_axpy(cps_vec3_scale(after, cps_vec3_get(r1 + 3)), before, cps_vec3_get(r0 + 3)));
  if (rod->spec.root != CPS_END_FREE) v.pose->position = rod->root.next.position;
  if (rod->spec.root == CPS_END_CLAMPED) v.pose->rotation = rod->root.next.rotation;
}

static void shift(CpsRod* rod, const double* z) {
  CpsRecursive v = cps_recursive(rod);
  double base[CPS_TWIST] = {0}, *rate = v.force, *twist = v.force + RATES * (int64_t)v.tree.count;
  cps_articulated_outward(&v.tree, z, base, rate, twist);
  for (int32_t i = 0; i < v.tree.count; ++i) {
    v.curvature[i] = cps_vec3_add(v.curvature[i], cps_vec3_get(rate + (int64_t)RATES * i));
  }
  displace(rod, &v, cps_vec3_get(base), cps_vec3_get(base + 3));
}

static void slow(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more) {
  CpsRecursive v = cps_recursive(rod);
  CpsRigidMotion all = cps_rod_motion_added(factor, common, more);
  for (int j = 0; j < TWIST; ++j) v.motion[j] *= factor;
  CpsVec3 at_root = cps_rigid_motion_at(&all, v.pose_then->position);
  cps_vec3_put(v.motion, cps_vec3_add(cps_vec3_get(v.motion), at_root));
  CpsVec3 own = cps_mat3_apply_transposed(v.then[0].R, all.spin);
  cps_vec3_put(v.motion + 3, cps_vec3_add(cps_vec3_get(v.motion + 3), own));
  for (int64_t j = 0; j < RATES * (int64_t)v.tree.count; ++j) v.rate[CPS_VELOCITY_AFTER][j] *= factor;
  spread_after(rod, &v);
}

// Curvatures come to rest; a held root keeps its own motion.
static void move_rigidly(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  CpsRecursive v = cps_recursive(rod);
  settle(&v);
  cps_vec3_put(v.motion, cps_vec3_add(linear, cps_vec3_cross(spin, v.pose->position)));
  cps_vec3_put(v.motion + 3, cps_mat3_apply_transposed(v.now[0].R, spin));
  memset(v.rate[CPS_VELOCITY_AFTER], 0, RATES * (size_t)v.tree.count * sizeof(double));
  cps_recursive_spread_then(rod, &v, rod->root.velocity, rod->root.spin);
}

static void push(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  CpsRecursive v = cps_recursive(rod);
  CpsVec3 at_root = cps_vec3_add(linear, cps_vec3_cross(spin, v.pose_then->position));
  CpsVec3 own = cps_mat3_apply_transposed(v.then[0].R, spin);
  cps_vec3_put(v.motion, cps_vec3_add(cps_vec3_get(v.motion), at_root));
  cps_vec3_put(v.motion + 3, cps_vec3_add(cps_vec3_get(v.motion + 3), own));
  cps_recursive_spread_then(rod, &v, rod->root.velocity, rod->root.spin);
}

static void carry(CpsRod* rod, const CpsPose* by) {
  CpsPose* root = cps_recursive(rod).pose;
  *root = cps_pose_multiply(*by, *root);
  root->rotation = cps_quat_unit(root->rotation);
}

// --- observing ------------------------------------------------------------------------------------------------------

// Inertia about the tangent of a root that is free to turn, which a straight rod would otherwise lack;
// with its share of the drag, as in super_helix_mass.c.
double cps_recursive_rotary_inertia(const CpsRodSpec* spec) {
  const CpsRodBranch* trunk = &spec->branch[0];
  double mL2 = trunk->line_density * trunk->length * trunk->length * trunk->length;
  double polar = cps_rod_trunk_taper(spec, 4) * trunk->rotary[0];
  return spec->root == CPS_END_CLAMPED ? 0.0 : fmax(polar * trunk->length, 1e-10 * mL2);
}

CpsVec3 cps_recursive_tangent(const CpsRecursiveBase* base) {
  return cps_vec3(base->R.m[0], base->R.m[3], base->R.m[6]);
}

// Mass integrals over all elements, current.
typedef struct Sums {
  double kinetic;
  CpsVec3 position, linear, angular;  // about the origin
} Sums;

static void sum_element(const CpsRecursive* v, int32_t i, Sums* sum) {
  const CpsRecursiveElement* element = &v->element[i];
  const double* twist = v->twist[CPS_VELOCITY_AFTER] + (int64_t)TWIST * i;
  const double* rate = v->rate[CPS_VELOCITY_AFTER] + (int64_t)RATES * i;
  int32_t panels = cps_helix_panels(element->size * cps_vec3_norm(v->now[i].k));
  double panel = element->size / panels;
  for (int32_t j = 0; j < panels * CPS_HELIX_POINTS; ++j) {
    int32_t node = j % CPS_HELIX_POINTS, which = j / CPS_HELIX_POINTS;
    double a = panel * (which + cps_helix_node[node]);
    CpsRecursivePoint p = cps_recursive_point_at(v->now[i].k, a), then = cps_recursive_point_at(v->then[i].k, a);
    double S[27], m = element->density * panel * cps_helix_weight[node];
    cps_recursive_point_rows(&v->then[i], &then, S);
    CpsVec3 x = cps_recursive_position(&v->now[i], &p), u = cps_recursive_apply_rows(S, twist, rate);
    sum->kinetic += 0.5 * m * cps_vec3_dot(u, u);
    sum->position = cps_vec3_axpy(sum->position, m, x);
    sum->linear = cps_vec3_axpy(sum->linear, m, u);
    sum->angular = cps_vec3_axpy(sum->angular, m, cps_vec3_cross(x, u));
  }
}

static Sums sum_all(const CpsRod* rod, const CpsRecursive* v) {
  Sums sum = {0};
  for (int32_t i = 0; i < v->tree.count; ++i) sum_element(v, i, &sum);
  double moment = cps_recursive_rotary_inertia(&rod->spec) * v->motion[3];
  sum.kinetic += 0.5 * moment * v->motion[3];
  sum.angular = cps_vec3_axpy(sum.angular, moment, cps_recursive_tangent(&v->now[0]));
  return sum;
}

static CpsSuperMotion motion_in_axes(CpsMat3 R, CpsVec3 v, CpsVec3 w, const double* rate) {
  CpsSuperMotion m = {cps_mat3_apply_transposed(R, v), cps_mat3_apply_transposed(R, w), {0}};
  for (int k = 0; rate && k < 3; ++k) m.r[k] = rate[k];
  return m;
}

// The integrals of an element times its density, in the axes of its base.
static CpsSuperForm form_of(const CpsRecursive* v, int32_t i) {
  const CpsRecursiveSums* s = &v->sums[i];
  const double rho = v->element[i].density;
  CpsMat3 trace = cps_mat3_scale(s->dd.m[0] + s->dd.m[4] + s->dd.m[8], cps_mat3_identity());
  CpsSuperForm f = {.unknowns = 3, .mass = rho * s->one, .first = cps_vec3_scale(rho, s->d)};
  f.second = cps_mat3_scale(rho, cps_mat3_axpy(trace, -1.0, s->dd));
  for (int j = 0; j < 3; ++j) {
    f.U[j] = cps_vec3_scale(rho, cps_vec3(s->B.m[j], s->B.m[3 + j], s->B.m[6 + j]));
    f.xU[j] = cps_vec3_scale(rho, cps_vec3(s->dB.m[j], s->dB.m[3 + j], s->dB.m[6 + j]));
  }
  for (int j = 0; j < 9; ++j) f.UU[j] = rho * s->BB.m[j];
  f.c = cps_vec3_scale(rho, s->c);
  f.xc = cps_vec3_scale(rho, s->dc);
  cps_vec3_put(f.Uc, cps_vec3_scale(rho, s->Bc));
  f.cc = rho * s->cc;
  f.drag = v->element[i].drag / rho;
  return f;
}

static void add_work(const CpsRecursive* v, const CpsSuperWork* w, int32_t i) {
  const CpsRecursiveElement* element = &v->element[i];
  const CpsMat3 R = v->now[i].R;
  const double *before = v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * i,
               *after = v->rate[CPS_VELOCITY_AFTER] + (int64_t)RATES * i,
               *old = v->twist[CPS_VELOCITY_BEFORE] + (int64_t)TWIST * i,
               *new = v->twist[CPS_VELOCITY_AFTER] + (int64_t)TWIST *i;
  const CpsVec3 arm = cps_vec3_sub(v->now[i].x, v->now[0].x);
  const CpsSuperMotion now = cps_super_driven_now(w->rod, arm), past = cps_super_driven_before(w->rod, arm);
  const CpsSuperMotion from = motion_in_axes(R, cps_vec3_get(old), cps_vec3_get(old + 3), before),
                       to = motion_in_axes(R, cps_vec3_get(new), cps_vec3_get(new + 3), after),
                       driven = motion_in_axes(R, now.v, now.w, NULL),
                       driven_before = motion_in_axes(R, past.v, past.w, NULL);
  const CpsSuperForm form = form_of(v, i);
  cps_super_work_element(w, &form, cps_mat3_apply_transposed(R, w->step->gravity), &from, &to, &driven, &driven_before,
                         false);
  const CpsVec3 bent = cps_vec3_sub(v->now[i].k, v->natural[i]);
  const double e[3] = {bent.x, bent.y, bent.z},
               K[3] = {element->stiffness.x, element->stiffness.y, element->stiffness.z};
  for (int j = 0; j < 3; ++j) cps_super_work_strain(w, K[j], e[j], before[j], after[j]);
}

static CpsVec3 rate_of(const CpsRod* rod, int32_t element, double part, CpsVelocity which) {
  (void)part;
  return cps_vec3_get(cps_recursive(rod).rate[which] + (int64_t)RATES * element);
}

static void work(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  CpsRecursive v = cps_recursive(rod);
  const CpsSuperWork w = cps_super_work_start(rod, step, rod->spec.branch[0].length, out);
  cps_super_work_tension(&w, rate_of);
  for (int32_t i = 0; i < v.tree.count; ++i) add_work(&v, &w, i);
  const CpsVec3 t = cps_recursive_tangent(&v.now[0]);
  cps_super_work_spin(&w, cps_recursive_rotary_inertia(&rod->spec), rod->spec.drag / rod->spec.branch[0].line_density,
                      cps_vec3_dot(t, cps_vec3_get(v.root[CPS_VELOCITY_BEFORE] + 3)),
                      cps_vec3_dot(t, cps_vec3_get(v.root[CPS_VELOCITY_AFTER] + 3)));
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  CpsRecursive v = cps_recursive(rod);
  Sums sum = sum_all(rod, &v);
  double elastic = 0.0;
  for (int32_t i = 0; i < v.tree.count; ++i) {
    CpsVec3 K = v.element[i].stiffness, e = cps_vec3_sub(v.curvature[i], v.natural[i]);
    elastic += 0.5 * (K.x * e.x * e.x + K.y * e.y * e.y + K.z * e.z * e.z);
  }
  double weight = rod->spec.gravity ? -cps_vec3_dot(gravity, sum.position) : 0.0;
  *out = (CpsRodEnergy){.kinetic = sum.kinetic, .gravity = weight, .elastic = elastic};
}

static void momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular) {
  CpsRecursive v = cps_recursive(rod);
  Sums sum = sum_all(rod, &v);
  *linear = sum.linear;
  *angular = sum.angular;
}

const CpsRodType cps_rod_super_helix_recursive = {
    .name = "super-helix-recursive",
    .trees = true,
    .sizes = sizes,
    .create = create,
    .refresh = refresh,
    .at = at,
    .begin = cps_recursive_begin,
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
    .statics = &cps_recursive_statics,
};
