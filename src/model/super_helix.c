// Super-helix, composite form (Bertails et al. 2006): elements of constant curvature, dense implicit mass.
//
// Coordinates are the three curvatures k of each element and the pose of the root. With the functions of helix.h, an
// element of length l that begins at x with the frame R has
//
//   x(a) = x + a R w(a k),   R(a) = R E(a k)                                                                        (1)
//
// so the length of the centreline cannot change. Its rate k' moves the points of the element with a^2 R dw/dv(a k) k'. It turns
// everything beyond the element with B k' = l R J_l(l k) k', about its end e, which moves with l^2 R dw/dv(l k) k':
//
//   J_j(s) = A_j - [x(s) - x(0)]x B_j,   A_j = l^2 R_j dw/dv(l k_j) + [e_j - x(0)]x B_j    for s beyond element j    (2)
//   J_j(s) = a^2 R_j dw/dv(a k_j)                                                          for s in element j       (3)
//
// The root adds its spin (A = 0, B = R(0)) and velocity (A = I, B = 0) unless held. Super-helices have no
// section inertia, except about the tangent of a root that is free to turn. M~ and the right side of (1) of
// rod.h are in super_helix_mass.c. A held tip is attached to a damped spring stiff enough for its force at the end of the
// step to act as a constraint, to about 1e-6 of the length:
//
//   stiffness = 1e4 mass / h^2 + 1e6 EI / L^3,   damping = h stiffness,     both times L^2 for its rotation         (4)
//
// A stiffer spring would cost digits of the masses to which it is added.
#include "model/super_helix.h"

#include "core/quat.h"
#include "model/helix.h"
#include "model/rod_shape.h"
#include "model/rod_statics.h"
#include "model/super_tension.h"
#include "sparse/upper.h"

#include <math.h>
#include <string.h>

// Allocates parts of an array of doubles, or only counts them without one.
typedef struct Memory {
  double* at;
  int64_t used;
} Memory;

static inline void* take(Memory* memory, int64_t count, size_t size) {
  double* piece = memory->at ? memory->at + memory->used : NULL;
  memory->used += count * (int64_t)(size / sizeof(double));
  return piece;
}

static inline CpsSuperHelix lay_out(const CpsRodSpec* spec, Memory* state, Memory* work) {
  CpsSuperHelix x = {.elements = spec->elements, .turns = spec->root != CPS_END_CLAMPED};
  int64_t n = x.elements;
  x.moves = spec->root == CPS_END_FREE;
  x.dofs = 3 * x.elements + (x.turns ? 3 : 0) + (x.moves ? 3 : 0);
  x.root = take(state, 1, sizeof *x.root);
  x.root_then = take(state, 1, sizeof *x.root_then);
  x.curvature = take(state, n, sizeof *x.curvature);
  x.curvature_then = take(state, n, sizeof *x.curvature_then);
  x.velocity[CPS_VELOCITY_AFTER] = take(state, x.dofs, sizeof(double));
  x.natural = take(state, n, sizeof *x.natural);
  x.velocity[CPS_VELOCITY_BEFORE] = take(work, x.dofs, sizeof(double));
  x.velocity[CPS_VELOCITY_FREE] = take(work, x.dofs, sizeof(double));
  x.mass = take(work, n, sizeof *x.mass);
  x.length = take(work, n, sizeof *x.length);
  x.stiffness = take(work, n, sizeof *x.stiffness);
  x.node = take(work, n + 1, sizeof *x.node);
  x.node_then = take(work, n + 1, sizeof *x.node_then);
  x.column = take(work, n, sizeof *x.column);
  for (int which = 0; which < 3; ++which) x.twist[which] = take(work, n + 1, sizeof *x.twist[which]);
  x.sums = take(work, n, sizeof *x.sums);
  x.U = take(work, (int64_t)x.dofs * x.dofs, sizeof(double));
  x.right = take(work, x.dofs, sizeof(double));
  x.rows = take(work, 3 * (int64_t)x.dofs, sizeof(double));
  return x;
}

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  Memory of_state = {0}, of_work = {0};
  *dofs = lay_out(spec, &of_state, &of_work).dofs;
  *state = of_state.used;
  *work = of_work.used;
}

// Addresses without the constants of the rod, for calls at every contact: the compiler drops
// unused ones.
static inline CpsSuperHelix arrays(const CpsRod* rod) {
  Memory state = {rod->state, 0}, work = {rod->work, 0};
  return lay_out(&rod->spec, &state, &work);
}

CpsSuperHelix cps_super_helix(const CpsRod* rod) {
  CpsSuperHelix x = arrays(rod);
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  // without section inertia a straight rod would have none about its axis
  double rod_mass = trunk->line_density * trunk->length, polar = cps_rod_trunk_taper(&rod->spec, 4) * trunk->rotary[0];
  x.rotary = fmax(polar * trunk->length, 1e-10 * rod_mass * trunk->length * trunk->length);
  return x;
}

// From here on the velocities AFTER refer to the current configuration.
static void settle(const CpsSuperHelix* x) {
  *x->root_then = *x->root;
  memcpy(x->curvature_then, x->curvature, (size_t)x->elements * sizeof *x->curvature);
}

// Mean curvatures of the elements. A rod placed in its natural shape up to rounding is placed in it exactly, so it
// stays at rest.
static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  (void)error;
  CpsSuperHelix x = cps_super_helix(rod);
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  *x.root = (CpsPose){shape->point[0], shape->frame[0]};
  for (int32_t i = 0; i < x.elements; ++i) {
    const double size = x.length[i] = cps_rod_element_size(trunk, i);
    x.mass[i] = cps_rod_element_taper(&rod->spec, i, 2) * trunk->line_density * size;
    x.stiffness[i] = cps_vec3_scale(cps_rod_element_taper(&rod->spec, i, 4) * size, cps_vec3_get(trunk->stiffness));
    const CpsQuat* frame = shape->frame + (int64_t)CPS_ROD_SAMPLES * i;
    const CpsVec3* natural = shape->natural + (int64_t)CPS_ROD_SAMPLES * i;
    CpsVec3 k = {0}, rest = {0};
    for (int j = 0; j < CPS_ROD_SAMPLES; ++j) {
      k = cps_vec3_add(k, cps_quat_log(cps_quat_multiply(cps_quat_conjugate(frame[j]), frame[j + 1])));
      rest = cps_vec3_axpy(rest, 0.5 / CPS_ROD_SAMPLES, cps_vec3_add(natural[j], natural[j + 1]));
    }
    k = cps_vec3_scale(1.0 / size, k);
    bool same = cps_vec3_norm(cps_vec3_sub(k, rest)) < 1e-11 * (cps_vec3_norm(rest) + CPS_ROD_SAMPLES / size);
    x.natural[i] = shape->as_placed ? k : rest;
    x.curvature[i] = same ? x.natural[i] : k;
  }
  settle(&x);
  return CPS_OK;
}

// --- positions and velocities ----------------------------------------------------------------------------------------

// Twist of the root with frame R for the velocities `v`; `motion` is the prescribed one.
static CpsSuperHelixTwist root_twist(const CpsSuperHelix* x, const double* v, const CpsMat3* R,
                                     CpsSuperHelixTwist motion) {
  if (x->turns) {
    const double* spin = v + cps_super_helix_of_spin(x);
    motion.w = cps_mat3_apply(*R, cps_vec3(spin[0], spin[1], spin[2]));
  }
  if (x->moves) {
    const double* own = v + cps_super_helix_of_velocity(x);
    motion.v = cps_vec3(own[0], own[1], own[2]);
  }
  return motion;
}

// Twists of all nodes in the current configuration, for BEFORE and FREE.
static void spread(const CpsSuperHelix* x, CpsVelocity which, CpsSuperHelixTwist motion) {
  const double* v = x->velocity[which];
  CpsSuperHelixTwist* twist = x->twist[which];
  twist[0] = root_twist(x, v, &x->node[0].R, motion);
  CpsVec3 about_root = twist[0].v, w = twist[0].w;
  for (int32_t i = 0; i < x->elements; ++i) {
    const double* rate = v + cps_super_helix_of_element(x, i);
    CpsVec3 k = {rate[0], rate[1], rate[2]};
    about_root = cps_vec3_add(about_root, cps_mat3_apply(x->column[i].A, k));
    w = cps_vec3_add(w, cps_mat3_apply(x->column[i].B, k));
    CpsVec3 arm = cps_vec3_sub(x->node[i + 1].x, x->node[0].x);
    twist[i + 1] = (CpsSuperHelixTwist){cps_vec3_add(about_root, cps_vec3_cross(w, arm)), w};
  }
}

// Nodes and twists AFTER, in the configuration at the beginning of the last step.
static void spread_then(const CpsSuperHelix* x, CpsSuperHelixTwist motion) {
  const double* v = x->velocity[CPS_VELOCITY_AFTER];
  CpsSuperHelixTwist* twist = x->twist[CPS_VELOCITY_AFTER];
  x->node_then[0] = (CpsSuperHelixNode){x->root_then->position, cps_quat_matrix(x->root_then->rotation)};
  twist[0] = root_twist(x, v, &x->node_then[0].R, motion);
  for (int32_t i = 0; i < x->elements; ++i) {
    const double* rate = v + cps_super_helix_of_element(x, i);
    CpsVec3 k = {rate[0], rate[1], rate[2]};
    CpsMat3 R = x->node_then[i].R;
    CpsHelix helix = cps_helix(cps_vec3_scale(x->length[i], x->curvature_then[i]));
    CpsVec3 d = cps_mat3_apply(R, cps_vec3_scale(x->length[i], cps_helix_chord(&helix)));
    x->node_then[i + 1].x = cps_vec3_add(x->node_then[i].x, d);
    x->node_then[i + 1].R = cps_mat3_multiply(R, cps_helix_turn(&helix));
    CpsVec3 own = cps_mat3_apply(R, cps_mat3_apply(cps_helix_chord_slope(&helix), k));
    CpsVec3 turn = cps_mat3_apply(R, cps_mat3_apply(cps_helix_spin(&helix), k));
    twist[i + 1].v =
        cps_vec3_axpy(cps_vec3_add(twist[i].v, cps_vec3_cross(twist[i].w, d)), x->length[i] * x->length[i], own);
    twist[i + 1].w = cps_vec3_axpy(twist[i].w, x->length[i], turn);
  }
}

static CpsSuperHelixTwist motion_now(const CpsRod* rod) {
  return (CpsSuperHelixTwist){rod->root.velocity, rod->root.spin};
}

static CpsSuperHelixTwist motion_before(const CpsRod* rod) {
  return (CpsSuperHelixTwist){rod->root.velocity_before, rod->root.spin_before};
}

// Root twist of the velocities AFTER.
static CpsSuperHelixTwist motion_after(const CpsRod* rod) {
  return rod->begun ? motion_before(rod) : motion_now(rod);
}

static void refresh(CpsRod* rod) {
  CpsSuperHelix x = cps_super_helix(rod);
  x.node[0] = (CpsSuperHelixNode){x.root->position, cps_quat_matrix(x.root->rotation)};
  for (int32_t i = 0; i < x.elements; ++i) {
    CpsMat3 R = x.node[i].R;
    CpsHelix helix = cps_helix(cps_vec3_scale(x.length[i], x.curvature[i]));
    CpsVec3 d = cps_mat3_apply(R, cps_vec3_scale(x.length[i], cps_helix_chord(&helix)));
    x.node[i + 1].x = cps_vec3_add(x.node[i].x, d);
    x.node[i + 1].R = cps_mat3_multiply(R, cps_helix_turn(&helix));
    // (2)
    CpsMat3 B = cps_mat3_scale(x.length[i], cps_mat3_multiply(R, cps_helix_spin(&helix)));
    CpsMat3 A = cps_mat3_scale(x.length[i] * x.length[i], cps_mat3_multiply(R, cps_helix_chord_slope(&helix)));
    CpsMat3 arm = cps_mat3_cross(cps_vec3_sub(x.node[i + 1].x, x.node[0].x));
    x.column[i] = (CpsSuperHelixColumn){cps_mat3_axpy(A, 1.0, cps_mat3_multiply(arm, B)), B};
  }
  spread_then(&x, motion_after(rod));
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  CpsSuperHelix x = arrays(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const CpsSuperHelixNode* node = &x.node[place.element];
  CpsVec3 k = x.curvature[place.element];
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, k));
  CpsVec3 d = cps_vec3_scale(place.local, cps_helix_chord(&helix));
  return (CpsRodPoint){cps_vec3_add(node->x, cps_mat3_apply(node->R, d)),
                       cps_mat3_multiply(node->R, cps_helix_turn(&helix)), k};
}

// Velocity of the point at distance a in an element.
static CpsVec3 point_velocity(const CpsSuperHelix* x, int32_t element, double a, CpsVelocity which) {
  bool after = which == CPS_VELOCITY_AFTER;
  const CpsSuperHelixTwist* twist = &x->twist[which][element];
  const double* rate = x->velocity[which] + cps_super_helix_of_element(x, element);
  CpsMat3 R = after ? x->node_then[element].R : x->node[element].R;
  CpsHelix helix = cps_helix(cps_vec3_scale(a, after ? x->curvature_then[element] : x->curvature[element]));
  CpsVec3 d = cps_mat3_apply(R, cps_vec3_scale(a, cps_helix_chord(&helix)));
  CpsVec3 own = cps_mat3_apply(cps_helix_chord_slope(&helix), cps_vec3(rate[0], rate[1], rate[2]));
  return cps_vec3_axpy(cps_vec3_add(twist->v, cps_vec3_cross(twist->w, d)), a * a, cps_mat3_apply(R, own));
}

static CpsVec3 velocity(const CpsRod* rod, double s, CpsVelocity which) {
  CpsSuperHelix x = arrays(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  return point_velocity(&x, place.element, place.local, which);
}

static CpsRodMotion motion(const CpsRod* rod, double s, CpsVelocity which) {
  CpsSuperHelix x = arrays(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  bool after = which == CPS_VELOCITY_AFTER;
  const CpsSuperHelixTwist* twist = &x.twist[which][place.element];
  const CpsSuperHelixNode* node = after ? &x.node_then[place.element] : &x.node[place.element];
  const double* rate = x.velocity[which] + cps_super_helix_of_element(&x, place.element);
  CpsVec3 k = after ? x.curvature_then[place.element] : x.curvature[place.element];
  CpsVec3 change = cps_vec3_scale(place.local, cps_vec3(rate[0], rate[1], rate[2]));
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, k));
  CpsVec3 d = cps_mat3_apply(node->R, cps_vec3_scale(place.local, cps_helix_chord(&helix)));
  CpsVec3 own = cps_mat3_apply(node->R, cps_helix_chord_along(&helix, change));
  CpsVec3 turn = cps_mat3_apply(node->R, cps_mat3_apply(cps_helix_spin(&helix), change));
  CpsVec3 v = cps_vec3_axpy(cps_vec3_add(twist->v, cps_vec3_cross(twist->w, d)), place.local, own);
  return (CpsRodMotion){cps_vec3_add(node->x, d), v, cps_vec3_add(twist->w, turn)};
}

// --- the step --------------------------------------------------------------------------------------------------------

// e A + (arm x e) B into three entries: a row of (2)
static void put_row(double* G, const CpsSuperHelixColumn* column, CpsVec3 e, CpsVec3 moment) {
  const double *A = column->A.m, *B = column->B.m;
  for (int j = 0; j < 3; ++j) {
    G[j] = A[j] * e.x + A[3 + j] * e.y + A[6 + j] * e.z + B[j] * moment.x + B[3 + j] * moment.y + B[6 + j] * moment.z;
  }
}

int32_t cps_super_helix_jacobian(const CpsSuperHelix* x, CpsRodPlace place, const CpsVec3* point, const CpsMat3* frame,
                                 double sign, double* G) {
  int32_t own = cps_super_helix_of_element(x, place.element);
  CpsMat3 R = x->node[place.element].R;
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, x->curvature[place.element]));
  CpsVec3 d = cps_mat3_apply(R, cps_vec3_scale(place.local, cps_helix_chord(&helix)));
  CpsVec3 centre = cps_vec3_add(x->node[place.element].x, d), arm = cps_vec3_sub(point ? *point : centre, x->node[0].x);
  CpsMat3 slope = cps_mat3_scale(place.local * place.local, cps_helix_chord_slope(&helix));
  if (point) {
    CpsVec3 lever = cps_mat3_apply_transposed(R, cps_vec3_sub(*point, centre));
    CpsMat3 turn = cps_mat3_multiply(cps_mat3_cross(lever), cps_helix_spin(&helix));
    slope = cps_mat3_axpy(slope, -place.local, turn);
  }
  for (int i = 0; i < 3; ++i) {
    double* row = G + (int64_t)i * x->dofs;
    CpsVec3 e = cps_vec3_scale(sign, cps_vec3(frame->m[3 * i], frame->m[3 * i + 1], frame->m[3 * i + 2]));
    CpsVec3 moment = cps_vec3_cross(arm, e);
    memset(row, 0, (size_t)own * sizeof *row);
    cps_vec3_put(row + own, cps_mat3_apply_transposed(slope, cps_mat3_apply_transposed(R, e)));
    for (int32_t j = 0; j < place.element; ++j) {
      put_row(row + cps_super_helix_of_element(x, j), &x->column[j], e, moment);
    }
    if (x->turns) cps_vec3_put(row + cps_super_helix_of_spin(x), cps_mat3_apply_transposed(x->node[0].R, moment));
    if (x->moves) cps_vec3_put(row + cps_super_helix_of_velocity(x), e);
  }
  return own;
}

// A spring and a damper on three rows: `force` excludes the part that depends on `speed`, the velocity of the rows before
// the step with the motion of held ends at theta.
static void add_spring(const CpsSuperHelix* x, const CpsModelStep* step, CpsVec3 force, CpsVec3 speed, double stiffness,
                       double damping) {
  double ht = step->h * step->theta, weight = ht * (ht * stiffness + damping);
  CpsVec3 f = cps_vec3_scale(step->h, cps_vec3_axpy(force, -(ht * stiffness + damping), speed));
  const double *a = x->rows, *b = a + x->dofs, *c = b + x->dofs;
  for (int32_t i = 0; i < x->dofs; ++i) {
    x->right[i] += a[i] * f.x + b[i] * f.y + c[i] * f.z;
    if (weight == 0.0) continue;
    double *row = x->U + (int64_t)i * x->dofs, p = weight * a[i], q = weight * b[i], r = weight * c[i];
    for (int32_t j = i; j < x->dofs; ++j) row[j] += p * a[j] + q * b[j] + r * c[j];
  }
}

static CpsVec3 rows_times(const CpsSuperHelix* x, const double* v) {
  CpsVec3 sum = {0};
  for (int32_t i = 0; i < x->dofs; ++i) {
    sum = cps_vec3_axpy(sum, v[i], cps_vec3(x->rows[i], x->rows[x->dofs + i], x->rows[2 * x->dofs + i]));
  }
  return sum;
}

// Prescribed twist of the root at theta of the step.
static CpsSuperHelixTwist driven_twist(const CpsRod* rod, const CpsSuperHelix* x, double theta) {
  const CpsRodEnd* root = &rod->root;
  CpsSuperHelixTwist twist = {0};
  if (!x->moves) {
    twist.v = cps_vec3_axpy(cps_vec3_scale(1.0 - theta, root->velocity_before), theta, root->velocity);
  }
  if (!x->turns) twist.w = cps_vec3_axpy(cps_vec3_scale(1.0 - theta, root->spin_before), theta, root->spin);
  return twist;
}

// A spring between a point and a target.
static void add_pull(const CpsRod* rod, const CpsModelStep* step, const CpsSuperHelix* x, const CpsRodPull* pull) {
  const CpsMat3 axes = cps_mat3_identity();
  CpsVec3 point = at(rod, pull->s).position;
  cps_super_helix_jacobian(x, cps_rod_place(&rod->spec, pull->s), NULL, &axes, 1.0, x->rows);
  CpsSuperHelixTwist root = driven_twist(rod, x, step->theta);
  CpsVec3 speed = cps_vec3_add(root.v, cps_vec3_cross(root.w, cps_vec3_sub(point, x->node[0].x)));
  speed = cps_vec3_add(speed, rows_times(x, x->velocity[CPS_VELOCITY_BEFORE]));
  CpsVec3 force = cps_vec3_axpy(pull->force, pull->stiffness, cps_vec3_sub(pull->target, point));
  force = cps_vec3_axpy(force, pull->damping, pull->target_velocity);
  add_spring(x, step, force, speed, pull->stiffness, pull->damping);
}

// The rows of the spin of the tip: B of all elements.
static void put_spin_rows(const CpsSuperHelix* x) {
  memset(x->rows, 0, 3 * (size_t)x->dofs * sizeof *x->rows);
  for (int i = 0; i < 3; ++i) {
    double* row = x->rows + (int64_t)i * x->dofs;
    for (int32_t j = 0; j < x->elements; ++j) {
      memcpy(row + cps_super_helix_of_element(x, j), x->column[j].B.m + 3 * i, 3 * sizeof *row);
    }
    if (x->turns) memcpy(row + cps_super_helix_of_spin(x), x->node[0].R.m + 3 * i, 3 * sizeof *row);
  }
}

// (4)
static void hold_tip(CpsRod* rod, const CpsModelStep* step, const CpsSuperHelix* x) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  double L = trunk->length, EI = fmax(trunk->stiffness[0], fmax(trunk->stiffness[1], trunk->stiffness[2]));
  double stiffness = 1e4 * trunk->line_density * L / (step->h * step->h) + 1e6 * EI / (L * L * L);
  CpsRodPull pull = {.s = rod->spec.length,
                     .stiffness = stiffness,
                     .damping = step->h * stiffness,
                     .target = rod->tip.next.position,
                     .target_velocity = rod->tip.velocity};
  rod->hold = pull;
  rod->hold_from = x->node[x->elements].x;
  // forces act at theta of the step; the target is that of its end
  pull.target = cps_vec3_axpy(pull.target, (step->theta - 1.0) * step->h, pull.target_velocity);
  add_pull(rod, step, x, &pull);
  if (rod->spec.tip != CPS_END_CLAMPED) return;
  // rotation vector from the tip to its held orientation, world axes; its spin must make it vanish at the end of the step
  const CpsMat3 *R = &x->node[x->elements].R, to = cps_quat_matrix(rod->tip.next.rotation);
  CpsVec3 turn = {0};
  for (int j = 0; j < 3; ++j) {
    CpsVec3 a = {R->m[j], R->m[3 + j], R->m[6 + j]}, b = {to.m[j], to.m[3 + j], to.m[6 + j]};
    turn = cps_vec3_axpy(turn, 0.5, cps_vec3_cross(a, b));
  }
  stiffness *= L * L;
  put_spin_rows(x);
  CpsVec3 speed = cps_vec3_add(driven_twist(rod, x, step->theta).w, rows_times(x, x->velocity[CPS_VELOCITY_BEFORE]));
  turn = cps_vec3_axpy(turn, (step->theta - 1.0) * step->h, rod->tip.spin);
  CpsVec3 moment = cps_vec3_scale(stiffness, cps_vec3_axpy(turn, step->h, rod->tip.spin));
  add_spring(x, step, moment, speed, stiffness, step->h * stiffness);
}

static void begin(CpsRod* rod, const CpsModelStep* step) {
  CpsSuperHelix x = cps_super_helix(rod);
  double *before = x.velocity[CPS_VELOCITY_BEFORE], *free_velocity = x.velocity[CPS_VELOCITY_FREE];
  memcpy(before, x.velocity[CPS_VELOCITY_AFTER], (size_t)x.dofs * sizeof *before);
  spread_then(&x, motion_before(rod));
  spread(&x, CPS_VELOCITY_BEFORE, motion_before(rod));
  cps_super_helix_mass(rod, step, &x);
  for (int32_t i = 0; i < rod->pull_count; ++i) add_pull(rod, step, &x, &rod->pulls[i]);
  if (rod->tensions) cps_super_helix_tension(rod, step, &x);
  if (rod->spec.tip != CPS_END_FREE) hold_tip(rod, step, &x);
  // M~ is positive definite unless numbers overflow: non-finite values then reach the velocities, where the world detects them
  if (!cps_upper_factor(x.dofs, x.U)) x.right[0] = NAN;
  cps_upper_solve_transposed(x.dofs, x.U, x.right);
  cps_upper_solve(x.dofs, x.U, x.right);
  for (int32_t i = 0; i < x.dofs; ++i) free_velocity[i] = before[i] + x.right[i];
  spread(&x, CPS_VELOCITY_FREE, motion_now(rod));
}

static void rows(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G) {
  CpsSuperHelix x = arrays(rod);
  int32_t first = cps_super_helix_jacobian(&x, cps_rod_place(&rod->spec, s), point, frame, sign, G);
  cps_upper_solve_rows(x.dofs, x.U, first, G);
}

static void receive(CpsRod* rod, const double* z) {
  CpsSuperHelix x = cps_super_helix(rod);
  double* v = x.velocity[CPS_VELOCITY_AFTER];
  const double* free_velocity = x.velocity[CPS_VELOCITY_FREE];
  if (z) {
    memcpy(v, z, (size_t)x.dofs * sizeof *v);
    cps_upper_solve(x.dofs, x.U, v);
    for (int32_t i = 0; i < x.dofs; ++i) v[i] += free_velocity[i];
  } else {
    memcpy(v, free_velocity, (size_t)x.dofs * sizeof *v);
  }
  // not before: a step may begin several times
  settle(&x);
  spread_then(&x, motion_now(rod));
}

// Adds `by`, changes of the unknowns, to the coordinates.
static void move(const CpsSuperHelix* x, const double* by) {
  for (int32_t i = 0; i < x->elements; ++i) {
    const double* k = by + cps_super_helix_of_element(x, i);
    x->curvature[i] = cps_vec3_add(x->curvature[i], cps_vec3(k[0], k[1], k[2]));
  }
  if (x->turns) {
    const double* turn = by + cps_super_helix_of_spin(x);
    CpsQuat more = cps_quat_exp(cps_vec3(turn[0], turn[1], turn[2]));
    x->root->rotation = cps_quat_unit(cps_quat_multiply(x->root->rotation, more));
  }
  if (x->moves) {
    const double* d = by + cps_super_helix_of_velocity(x);
    x->root->position = cps_vec3_add(x->root->position, cps_vec3(d[0], d[1], d[2]));
  }
}

static void advance(CpsRod* rod, const CpsModelStep* step) {
  CpsSuperHelix x = cps_super_helix(rod);
  const double *after = x.velocity[CPS_VELOCITY_AFTER], *before = x.velocity[CPS_VELOCITY_BEFORE];
  for (int32_t i = 0; i < x.dofs; ++i) {
    x.right[i] = step->h * (step->theta * after[i] + (1.0 - step->theta) * before[i]);
  }
  move(&x, x.right);
  if (!x.moves) x.root->position = rod->root.next.position;
  if (!x.turns) x.root->rotation = rod->root.next.rotation;
}

static void shift(CpsRod* rod, const double* z) {
  CpsSuperHelix x = cps_super_helix(rod);
  memcpy(x.right, z, (size_t)x.dofs * sizeof *z);
  cps_upper_solve(x.dofs, x.U, x.right);
  move(&x, x.right);
}

// The common motion refers to current positions; velocities refer to their own configuration.
static void slow(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more) {
  CpsSuperHelix x = cps_super_helix(rod);
  double* v = x.velocity[CPS_VELOCITY_AFTER];
  CpsRigidMotion all = cps_rod_motion_added(factor, common, more);
  for (int32_t i = 0; i < x.dofs; ++i) v[i] *= factor;
  if (x.turns) {
    double* root = v + cps_super_helix_of_spin(&x);
    cps_vec3_put(root, cps_vec3_add(cps_vec3_get(root), cps_mat3_apply_transposed(x.node_then[0].R, all.spin)));
  }
  if (x.moves) {
    double* root = v + cps_super_helix_of_velocity(&x);
    cps_vec3_put(root, cps_vec3_add(cps_vec3_get(root), cps_rigid_motion_at(&all, x.node_then[0].x)));
  }
  spread_then(&x, motion_after(rod));
}

// Curvatures come to rest; a held root keeps its own motion.
static void move_rigidly(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  CpsSuperHelix x = cps_super_helix(rod);
  settle(&x);
  double* v = x.velocity[CPS_VELOCITY_AFTER];
  memset(v, 0, (size_t)x.dofs * sizeof *v);
  if (x.turns) cps_vec3_put(v + cps_super_helix_of_spin(&x), cps_mat3_apply_transposed(x.node[0].R, spin));
  if (x.moves) {
    cps_vec3_put(v + cps_super_helix_of_velocity(&x), cps_vec3_add(linear, cps_vec3_cross(spin, x.node[0].x)));
  }
  spread_then(&x, motion_now(rod));
}

static void push(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  CpsSuperHelix x = cps_super_helix(rod);
  double *w = x.velocity[CPS_VELOCITY_AFTER] + cps_super_helix_of_spin(&x),
         *v = x.velocity[CPS_VELOCITY_AFTER] + cps_super_helix_of_velocity(&x);
  const CpsSuperHelixNode* root = &x.node_then[0];
  cps_vec3_put(w, cps_vec3_add(cps_vec3_get(w), cps_mat3_apply_transposed(root->R, spin)));
  cps_vec3_put(v, cps_vec3_add(cps_vec3_get(v), cps_vec3_add(linear, cps_vec3_cross(spin, root->x))));
  spread_then(&x, motion_now(rod));
}

static void carry(CpsRod* rod, const CpsPose* by) {
  CpsPose* root = cps_super_helix(rod).root;
  *root = cps_pose_multiply(*by, *root);
  root->rotation = cps_quat_unit(root->rotation);
}

// --- observing -------------------------------------------------------------------------------------------------------

// Mass integrals of x, x', x cross x' about the origin, x'.x'.
typedef struct Sums {
  CpsVec3 x, linear, angular;
  double square;
} Sums;

static void add_element(const CpsSuperHelix* x, int32_t element, Sums* sums) {
  const CpsSuperHelixNode* node = &x->node[element];
  int32_t panels = cps_helix_panels(x->length[element] * cps_vec3_norm(x->curvature[element]));
  for (int32_t panel = 0; panel < panels; ++panel) {
    for (int i = 0; i < CPS_HELIX_POINTS; ++i) {
      double a = x->length[element] * (panel + cps_helix_node[i]) / panels,
             mass = x->mass[element] * cps_helix_weight[i] / panels;
      CpsHelix helix = cps_helix(cps_vec3_scale(a, x->curvature[element]));
      CpsVec3 d = cps_vec3_scale(a, cps_helix_chord(&helix)), v = point_velocity(x, element, a, CPS_VELOCITY_AFTER);
      CpsVec3 point = cps_vec3_add(node->x, cps_mat3_apply(node->R, d));
      sums->x = cps_vec3_axpy(sums->x, mass, point);
      sums->linear = cps_vec3_axpy(sums->linear, mass, v);
      sums->angular = cps_vec3_axpy(sums->angular, mass, cps_vec3_cross(point, v));
      sums->square += mass * cps_vec3_dot(v, v);
    }
  }
}

static Sums sum_all(const CpsSuperHelix* x) {
  Sums sums = {0};
  for (int32_t i = 0; i < x->elements; ++i) add_element(x, i, &sums);
  if (x->turns) {
    double spin = x->velocity[CPS_VELOCITY_AFTER][cps_super_helix_of_spin(x)], moment = x->rotary * spin;
    const double* R = x->node[0].R.m;
    sums.square += moment * spin;
    sums.angular = cps_vec3_axpy(sums.angular, moment, cps_vec3(R[0], R[3], R[6]));
  }
  return sums;
}

static CpsSuperMotion in_axes(CpsMat3 R, CpsSuperMotion m, const double* rate) {
  m.v = cps_mat3_apply_transposed(R, m.v);
  m.w = cps_mat3_apply_transposed(R, m.w);
  for (int k = 0; rate && k < 3; ++k) m.r[k] = rate[k];
  return m;
}

// The integrals of an element, in the axes of its beginning.
static CpsSuperForm form_of(const CpsSuperHelix* x, int32_t element, double drag) {
  const CpsSuperHelixSums* s = &x->sums[element];
  CpsSuperForm f = {.unknowns = 3, .mass = x->mass[element], .first = s->x, .second = s->xx, .c = s->c, .xc = s->xc};
  for (int j = 0; j < 3; ++j) {
    f.U[j] = cps_vec3(s->U.m[j], s->U.m[3 + j], s->U.m[6 + j]);
    f.xU[j] = cps_vec3(s->xU.m[j], s->xU.m[3 + j], s->xU.m[6 + j]);
  }
  memcpy(f.UU, s->UU.m, 9 * sizeof(double));
  cps_vec3_put(f.Uc, s->Uc);
  f.cc = s->cc;
  f.drag = drag;
  return f;
}

static void add_work(const CpsSuperHelix* x, const CpsSuperWork* w, int32_t element) {
  const double *before = x->velocity[CPS_VELOCITY_BEFORE] + cps_super_helix_of_element(x, element),
               *after = x->velocity[CPS_VELOCITY_AFTER] + cps_super_helix_of_element(x, element);
  const CpsSuperHelixTwist *old = &x->twist[CPS_VELOCITY_BEFORE][element],
                           *new = &x->twist[CPS_VELOCITY_AFTER][element];
  const CpsMat3 R = x->node[element].R;
  const CpsVec3 arm = cps_vec3_sub(x->node[element].x, x->node[0].x);
  const CpsSuperForm form = form_of(x, element, w->rod->spec.drag / w->rod->spec.branch[0].line_density);
  const CpsSuperMotion from = in_axes(R, (CpsSuperMotion){old->v, old->w, {0}}, before),
                       to = in_axes(R, (CpsSuperMotion){new->v, new->w, {0}}, after),
                       driven = in_axes(R, cps_super_driven_now(w->rod, arm), NULL),
                       driven_before = in_axes(R, cps_super_driven_before(w->rod, arm), NULL);
  cps_super_work_element(w, &form, cps_mat3_apply_transposed(R, w->step->gravity), &from, &to, &driven, &driven_before,
                         true);
  const CpsVec3 bent = cps_vec3_sub(x->curvature[element], x->natural[element]);
  const double e[3] = {bent.x, bent.y, bent.z},
               K[3] = {x->stiffness[element].x, x->stiffness[element].y, x->stiffness[element].z};
  for (int j = 0; j < 3; ++j) cps_super_work_strain(w, K[j], e[j], before[j], after[j]);
}

static CpsVec3 rate_of(const CpsRod* rod, int32_t element, double part, CpsVelocity which) {
  (void)part;
  const CpsSuperHelix x = arrays(rod);
  return cps_vec3_get(x.velocity[which] + cps_super_helix_of_element(&x, element));
}

static void work(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  CpsSuperHelix x = cps_super_helix(rod);
  const CpsSuperWork w = cps_super_work_start(rod, step, rod->spec.length, out);
  cps_super_work_tension(&w, rate_of);
  for (int32_t i = 0; i < x.elements; ++i) add_work(&x, &w, i);
  if (!x.turns) return;
  const int32_t spin = cps_super_helix_of_spin(&x);
  cps_super_work_spin(&w, x.rotary, rod->spec.drag / rod->spec.branch[0].line_density,
                      x.velocity[CPS_VELOCITY_BEFORE][spin], x.velocity[CPS_VELOCITY_AFTER][spin]);
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  CpsSuperHelix x = cps_super_helix(rod);
  Sums sums = sum_all(&x);
  *out = (CpsRodEnergy){.kinetic = 0.5 * sums.square};
  if (rod->spec.gravity) out->gravity = -cps_vec3_dot(gravity, sums.x);
  for (int32_t i = 0; i < x.elements; ++i) {
    CpsVec3 e = cps_vec3_sub(x.curvature[i], x.natural[i]), K = x.stiffness[i];
    out->elastic += 0.5 * (K.x * e.x * e.x + K.y * e.y * e.y + K.z * e.z * e.z);
  }
}

static void momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular) {
  CpsSuperHelix x = cps_super_helix(rod);
  Sums sums = sum_all(&x);
  *linear = sums.linear;
  *angular = sums.angular;
}

const CpsRodType cps_rod_super_helix = {
    .name = "super-helix",
    .sizes = sizes,
    .create = create,
    .refresh = refresh,
    .at = at,
    .begin = begin,
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
    .statics = &cps_super_helix_statics,
};
