// Rigid bodies: six degrees of freedom, the velocity of the centre of mass in world axes and the spin in principal axes.
//
//   M = diag(m, m, m, I1, I2, I3),   L = sqrt(M)                                                                  (1)
//   J(x) (v, s) = v + R (s × R^T (x - c)):   a row e of a frame becomes  [ e/sqrt(m),  R^T((x - c) × e)/sqrt(I) ]  (2)
//   c+ = c + h (theta v+ + (1 - theta) v),   q+ = q exp(h (theta s+ + (1 - theta) s))                             (3)
//
// In principal axes M is diagonal and constant, so nothing is factorised and a rotation does not change the kinetic
// energy. The spins in (3) are those at which impulses and loads act, between two free rotations (gyro.c),
//
//   s = turn(theta h) s-,   s+ = s + I^-1 (h t + R^T (x - c) × r),   next s- = turn((1 - theta) h) s+                    (4)
//
// with R in the middle of the step. Free rotations conserve the kinetic energy, so the work of impulses is exact. At theta = 1/2
// (4) is time-symmetric and of second order. With impulses after the whole rotation, a top on a joint sank, or rose from
// nothing, in proportion to (I3/I1 - 1) h s. Springs on a body change its M and replace (4); they are in
// rigid_pull.c.
#include "model/rigid.h"

#include "core/error.h"
#include "core/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const CpsModelType RIGID;

CpsRigid* cps_rigid_create(void) {
  CpsRigid* rigid = calloc(1, sizeof *rigid);
  if (rigid) rigid->model.type = &RIGID;
  return rigid;
}

static void free_body(CpsRigidBody* b) {
  cps_pieces_free(&b->pieces);
  free(b->name);
  b->name = NULL;
}

static void destroy(CpsModel* model) {
  CpsRigid* rigid = (CpsRigid*)model;
  if (!rigid) return;
  for (int32_t i = 0; i < rigid->model.count; ++i) free_body(&rigid->bodies[i]);
  free(rigid->bodies);
  free(rigid->pulls);
  free(rigid->holds);
  free(rigid);
}

// The pieces, and their largest distance from the centre of mass.
static CpsStatus make_pieces(CpsRigidBody* b, const CpsShape* shape, CpsError* error) {
  CpsStatus status = cps_pieces_create(shape, &b->shape_pose, &b->pieces, error);
  if (status != CPS_OK) return status;
  b->outer_radius = 0.0;
  b->inner_radius = INFINITY;
  for (int32_t i = 0; i < b->pieces.count; ++i) {
    const CpsPiece* piece = &b->pieces.piece[i];
    b->outer_radius = fmax(b->outer_radius, cps_vec3_norm(piece->pose.position) + piece->geom->outer_radius);
    b->inner_radius = fmin(b->inner_radius, piece->geom->inner_radius);
  }
  return CPS_OK;
}

static void set_mass(CpsRigidBody* b, const CpsMassProperties* m, bool fixed_rotation) {
  b->mass = m->mass;
  b->inertia = m->inertia;
  b->fixed_rotation = fixed_rotation;
  b->inv_sqrt_mass = 1.0 / sqrt(m->mass);
  b->inv_sqrt_inertia = cps_vec3(1.0 / sqrt(m->inertia.x), 1.0 / sqrt(m->inertia.y), 1.0 / sqrt(m->inertia.z));
  if (fixed_rotation) b->inv_sqrt_inertia = cps_vec3(0.0, 0.0, 0.0);
  CpsQuat back = cps_quat_conjugate(m->principal);
  b->shape_pose = (CpsPose){cps_quat_rotate(back, cps_vec3_scale(-1.0, m->centre)), back};
}

// Densities of parts are relative to that of the body, even if its mass is given.
static double density_of(const CpsBodyDef* def) {
  if (def->mass == 0.0) return def->density;
  for (int32_t k = 0; def->shape.kind == CPS_SHAPE_COMPOUND && k < def->shape.part_count; ++k) {
    if (def->shape.parts[k].density > 0.0 && def->density > 0.0) return def->density;
  }
  return 1.0;
}

// Replaces the centre and the inertia of the shape by those of the definition.
static CpsStatus take_given(const CpsBodyDef* def, CpsMassProperties* mass, CpsError* error) {
  if (!isnan(def->centre.x)) {
    if (!cps_vec3_is_finite(def->centre)) return cps_fail(error, CPS_BAD_DATA, "the centre of mass is not finite");
    mass->centre = def->centre;
  }
  if (isnan(def->inertia[0])) return CPS_OK;
  const double* I = def->inertia;
  CpsMat3 J = {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}};
  CpsVec3 m;
  mass->principal = cps_principal_axes(J, &m);
  double least = fmin(m.x, fmin(m.y, m.z)), most = fmax(m.x, fmax(m.y, m.z)), sum = m.x + m.y + m.z;
  // the integrals of x^2 dm, y^2 dm, z^2 dm are not negative, so no moment exceeds the sum of the other two
  if (!(least > 0.0) || !isfinite(sum) || most > (1.0 + 1e-9) * (sum - most)) {
    return cps_fail(error, CPS_BAD_DATA,
                    "the principal moments of inertia %g, %g, %g kg m^2 are not those of any solid", m.x, m.y, m.z);
  }
  mass->inertia = m;
  return CPS_OK;
}

static CpsStatus make_body(CpsRigidBody* b, const CpsBodyDef* def, CpsError* error) {
  CpsMassProperties mass;
  CpsStatus status = cps_shape_mass(&def->shape, density_of(def), &mass, error);
  if (status != CPS_OK) return status;
  if (def->mass > 0.0) {
    mass.inertia = cps_vec3_scale(def->mass / mass.mass, mass.inertia);
    mass.mass = def->mass;
  }
  status = take_given(def, &mass, error);
  if (status != CPS_OK) return status;
  if (!(mass.mass > 0.0) || !isfinite(1.0 / mass.mass) || !isfinite(1.0 / mass.inertia.x) ||
      !isfinite(1.0 / mass.inertia.y) || !isfinite(1.0 / mass.inertia.z)) {
    return cps_fail(error, CPS_BAD_DATA, "the body is too small: its mass or inertia is %g", mass.mass);
  }
  set_mass(b, &mass, def->fixed_rotation);
  status = make_pieces(b, &def->shape, error);
  if (status != CPS_OK) return status;
  b->gravity = def->gravity;
  b->material = def->material;
  b->mu = def->mu;
  b->restitution = def->restitution;
  b->mu_across = def->mu_across;
  b->grain = cps_quat_rotate(b->shape_pose.rotation, cps_vec3_unit(def->grain));
  b->group = def->group;
  b->user = def->user;
  if (!cps_text_copy(def->name, &b->name)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a body");
  CpsPose shape = {def->position, cps_quat_unit(def->rotation)};
  cps_rigid_set(b, &shape, def->velocity, def->angular_velocity);
  return CPS_OK;
}

static int32_t find_place(CpsRigid* rigid) {
  const CpsPlaceArray bodies = {&rigid->bodies, &rigid->model.count, &rigid->capacity, sizeof(CpsRigidBody),
                                offsetof(CpsRigidBody, there)};
  return cps_place_find(&bodies, rigid->model.there_count == rigid->model.count);
}

CpsStatus cps_rigid_add(CpsRigid* rigid, const CpsBodyDef* def, int32_t* body, CpsError* error) {
  CpsRigidBody made = {0};
  CpsStatus status = make_body(&made, def, error);
  int32_t place = status == CPS_OK ? find_place(rigid) : -1;
  if (status == CPS_OK && place < 0) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a body");
  if (status != CPS_OK) {
    free_body(&made);
    return status;
  }
  made.generation = cps_generation_after(rigid->bodies[place].generation);
  made.there = true;
  rigid->bodies[place] = made;
  rigid->model.there_count++;
  rigid->piece_count += made.pieces.count;
  *body = place;
  return CPS_OK;
}

void cps_rigid_remove(CpsRigid* rigid, int32_t body) {
  CpsRigidBody* b = &rigid->bodies[body];
  rigid->model.there_count--;
  rigid->piece_count -= b->pieces.count;
  free_body(b);
  b->there = false;
}

CpsPose cps_rigid_shape_pose(const CpsRigidBody* b) {
  return cps_pose_multiply(b->pose, b->shape_pose);
}

CpsVec3 cps_rigid_angular_velocity(const CpsRigidBody* b) {
  return cps_quat_rotate(b->pose.rotation, b->spin);
}

double cps_rigid_kinetic(const CpsRigidBody* b) {
  double turning = b->fixed_rotation ? 0.0
                                     : b->inertia.x * b->spin.x * b->spin.x + b->inertia.y * b->spin.y * b->spin.y +
                                           b->inertia.z * b->spin.z * b->spin.z;
  return 0.5 * (b->mass * cps_vec3_dot(b->velocity, b->velocity) + turning);
}

void cps_rigid_set(CpsRigidBody* b, const CpsPose* shape, CpsVec3 velocity, CpsVec3 angular_velocity) {
  // world <- principal = (world <- shape)(shape <- principal)
  CpsQuat back = cps_quat_conjugate(b->shape_pose.rotation);
  CpsPose principal = {cps_quat_rotate(back, cps_vec3_scale(-1.0, b->shape_pose.position)), back};
  b->pose = cps_pose_multiply(*shape, principal);
  b->pose.rotation = cps_quat_unit(b->pose.rotation);
  b->velocity = velocity;
  b->spin = b->fixed_rotation ? cps_vec3(0.0, 0.0, 0.0) : cps_quat_rotate_back(b->pose.rotation, angular_velocity);
}

static uint32_t generation(const CpsModel* model, int32_t body) {
  return ((const CpsRigid*)model)->bodies[body].generation;
}

static const char* label(const CpsModel* model, int32_t body) {
  return ((const CpsRigid*)model)->bodies[body].name;
}

static bool is_there(const CpsModel* model, int32_t body) {
  return ((const CpsRigid*)model)->bodies[body].there;
}

static double size(const CpsModel* model, int32_t body) {
  return ((const CpsRigid*)model)->bodies[body].inner_radius;
}

static int32_t body_dofs(const CpsModel* model, int32_t body) {
  (void)model;
  (void)body;
  return 6;
}

CpsVec3 cps_rigid_force(const CpsRigidBody* b) {
  return cps_vec3_add(b->force, cps_mat3_apply(b->middle, b->own_force));
}

static CpsVec3 total_force(const CpsRigidBody* b, const CpsModelStep* step) {
  return b->gravity ? cps_vec3_axpy(cps_rigid_force(b), b->mass, step->gravity) : cps_rigid_force(b);
}

static CpsVec3 mean(const CpsModelStep* step, CpsVec3 after, CpsVec3 before) {
  return cps_vec3_axpy(cps_vec3_scale(step->theta, after), 1.0 - step->theta, before);
}

// Contacts act over the whole step while the principal axes rotate: on average, on the axes at its middle. With the initial
// axes, a rolling top gains or loses height in proportion to the step.
static CpsMat3 middle_of(const CpsRigidBody* b, double h) {
  return cps_quat_matrix(cps_quat_multiply(b->pose.rotation, cps_quat_exp(cps_vec3_scale(0.5 * h, b->spin))));
}

CpsVec3 cps_rigid_torque(const CpsRigidBody* b, const CpsMat3* axes) {
  return cps_vec3_add(cps_mat3_apply_transposed(*axes, b->torque), b->own_torque);
}

// A free rotation of (4). The pulls of rigid_pull.c compute the whole rotation themselves.
static CpsVec3 turned(const CpsRigidBody* b, double h, CpsVec3 spin) {
  if (h == 0.0 || b->fixed_rotation || b->hold) return spin;
  return cps_gyro_advance(b->inertia, spin, cps_vec3(0.0, 0.0, 0.0), h);
}

static CpsVec3 turned_after(const CpsRigidBody* b, const CpsModelStep* step, CpsVec3 spin) {
  return turned(b, (1.0 - step->theta) * step->h, spin);
}

// (4) before impulses.
static void begin_spin(CpsRigidBody* b, const CpsModelStep* step) {
  b->middle = middle_of(b, step->h);
  b->old_spin = turned(b, step->theta * step->h, b->spin);
  b->free_spin = b->old_spin;
  if (b->fixed_rotation) return;
  if (b->hold) {
    b->free_spin = cps_gyro_advance(b->inertia, b->spin, cps_rigid_torque(b, &b->hold->rotation), step->h);
    return;
  }
  const CpsVec3 s = b->inv_sqrt_inertia, t = cps_rigid_torque(b, &b->middle);
  b->free_spin = cps_vec3_axpy(b->old_spin, step->h, cps_vec3(s.x * s.x * t.x, s.y * s.y * t.y, s.z * s.z * t.z));
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsRigid* rigid = (CpsRigid*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsRigidBody* b = &rigid->bodies[i];
    if (!b->there) continue;
    if (b->hold) b->hold->rotation = cps_quat_matrix(b->pose.rotation);
    begin_spin(b, step);
    b->old_velocity = b->velocity;
    b->free_velocity = cps_vec3_axpy(b->velocity, step->h / b->mass, total_force(b, step));
    if (b->hold) cps_rigid_hold_begin(b, step);
    b->turn[CPS_VELOCITY_BEFORE] = cps_mat3_apply(b->middle, b->old_spin);
    b->turn[CPS_VELOCITY_FREE] = cps_mat3_apply(b->middle, b->free_spin);
  }
}

static int32_t collider_count(const CpsModel* model) {
  return ((const CpsRigid*)model)->piece_count;
}

static void colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    if (!b->there) continue;
    double speed = cps_vec3_norm(b->velocity) + step->h * cps_vec3_norm(total_force(b, step)) / b->mass;
    double turning = cps_vec3_norm(b->spin);
    if (b->hold) {
      speed = fmax(speed, cps_vec3_norm(b->free_velocity));
      turning = fmax(turning, cps_vec3_norm(b->free_spin));
    }
    double reach = step->h * (speed + turning * b->outer_radius);
    CpsVec3 way = cps_vec3_scale(step->h, mean(step, b->free_velocity, b->old_velocity));
    CpsVec3 turn = cps_vec3_scale(step->h, mean(step, b->turn[CPS_VELOCITY_FREE], b->turn[CPS_VELOCITY_BEFORE]));
    CpsVec3 later = cps_vec3_sub(turned_after(b, step, b->free_spin), b->free_spin);
    later = cps_vec3_scale(step->h, cps_mat3_apply(b->middle, later));
    for (int32_t k = 0; k < b->pieces.count; ++k) {
      *out++ = (CpsCollider){.geom = b->pieces.piece[k].geom,
                             .pose = cps_pose_multiply(b->pose, b->pieces.piece[k].pose),
                             .reach = reach,
                             .key = cps_key(CPS_THING_BODY, i, b->generation, k),
                             .owner = first_owner + i,
                             .group = b->group,
                             .centre = b->pose.position,
                             .way = way,
                             .turn = turn,
                             .later = later};
    }
  }
}

static double went(const CpsModel* model, const CpsModelStep* step, int32_t body) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  double speed = cps_vec3_norm(mean(step, b->velocity, b->old_velocity));
  return step->h * (speed + cps_vec3_norm(mean(step, b->done_spin, b->old_spin)) * b->outer_radius);
}

static bool is_zero(CpsVec3 v) {
  return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static CpsSurface surface(const CpsModel* model, int32_t body, const CpsSpot* spot) {
  (void)spot;
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  CpsVec3 grain = b->grain;
  if (!is_zero(grain)) grain = cps_mat3_apply(cps_quat_matrix(b->pose.rotation), grain);
  return (CpsSurface){b->generation, b->material, b->mu, b->restitution, b->mu_across, grain};
}

static void rows(const CpsModel* model, int32_t body, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  CpsVec3 arm = cps_vec3_sub(spot->point, b->pose.position), s = b->inv_sqrt_inertia;
  double w = sign * b->inv_sqrt_mass;
  for (int i = 0; i < 3; ++i) {
    CpsVec3 e = {frame->m[3 * i], frame->m[3 * i + 1], frame->m[3 * i + 2]};
    CpsVec3 t = cps_mat3_apply_transposed(b->middle, cps_vec3_cross(arm, e));
    double* row = G + 6 * i;
    row[0] = w * e.x, row[1] = w * e.y, row[2] = w * e.z;
    row[3] = sign * s.x * t.x, row[4] = sign * s.y * t.y, row[5] = sign * s.z * t.z;
    if (b->hold) cps_rigid_hold_forward(b->hold, row);
  }
}

static CpsVec3 velocity(const CpsModel* model, int32_t body, const CpsSpot* spot, CpsVelocity which) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  const CpsVec3* v = which == CPS_VELOCITY_BEFORE ? &b->old_velocity
                     : which == CPS_VELOCITY_FREE ? &b->free_velocity
                                                  : &b->velocity;
  return cps_vec3_add(*v, cps_vec3_cross(b->turn[which], cps_vec3_sub(spot->point, b->pose.position)));
}

static CpsVec3 anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsSpot* spot, CpsPatchNode* nodes) {
  (void)nodes;
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  CpsVec3 p = cps_pose_apply(b->shape_pose, at->point);
  *spot = (CpsSpot){.point = cps_vec3_add(b->pose.position, cps_mat3_apply(b->middle, p))};
  return cps_pose_apply(b->pose, p);
}

static void clear_loads(CpsModel* model) {
  CpsRigid* rigid = (CpsRigid*)model;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    CpsRigidBody* b = &rigid->bodies[i];
    b->force = b->torque = b->own_force = b->own_torque = cps_vec3(0.0, 0.0, 0.0);
  }
}

static void add_load(CpsModel* model, int32_t body, double value, CpsVec3 force, CpsVec3 torque, bool own_axes) {
  CpsRigidBody* b = &((CpsRigid*)model)->bodies[body];
  if (own_axes) {
    b->own_force = cps_vec3_axpy(b->own_force, value, cps_quat_rotate(b->shape_pose.rotation, force));
    b->own_torque = cps_vec3_axpy(b->own_torque, value, cps_quat_rotate(b->shape_pose.rotation, torque));
    return;
  }
  b->force = cps_vec3_axpy(b->force, value, force);
  b->torque = cps_vec3_axpy(b->torque, value, torque);
}

static CpsPose pose(const CpsModel* model, int32_t body) {
  return cps_rigid_shape_pose(&((const CpsRigid*)model)->bodies[body]);
}

static CpsStatus turning(const CpsModel* model, int32_t body, CpsAnchor* at, double* size_of_it, CpsError* error) {
  (void)at, (void)error;
  *size_of_it = size(model, body);
  return CPS_OK;
}

static void along(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 direction, CpsAnchor* more) {
  (void)at;
  *more = (CpsAnchor){.point = cps_quat_rotate_back(pose(model, body).rotation, direction)};
}

static CpsPose collider_pose(const CpsModel* model, int32_t body, int32_t piece) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  return cps_pose_multiply(b->pose, b->pieces.piece[piece].pose);
}

static void locate(const CpsModel* model, int32_t body, const CpsSpot* spot, bool advanced, CpsSide* side) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  CpsPose shape = cps_pose_multiply(advanced ? b->from : b->pose, b->shape_pose);
  side->part = spot->piece;
  side->place = cps_pose_apply_back(shape, side->point);
}

static int64_t read(const CpsModel* model, int32_t body, CpsQuantity quantity, double* values, size_t stride) {
  (void)stride;
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  const CpsPose shape = cps_rigid_shape_pose(b);
  const CpsQuat q = shape.rotation;
  if (quantity > CPS_QUANTITY_ANGULAR_VELOCITY && quantity != CPS_QUANTITY_CENTRE) return 0;
  if (!values) return 1;
  if (quantity == CPS_QUANTITY_POSITION) cps_vec3_put(values, shape.position);
  if (quantity == CPS_QUANTITY_CENTRE) cps_vec3_put(values, b->pose.position);
  if (quantity == CPS_QUANTITY_ORIENTATION) memcpy(values, &(double[4]){q.w, q.x, q.y, q.z}, 4 * sizeof *values);
  if (quantity == CPS_QUANTITY_VELOCITY) cps_vec3_put(values, b->velocity);
  if (quantity == CPS_QUANTITY_ANGULAR_VELOCITY) cps_vec3_put(values, cps_rigid_angular_velocity(b));
  return 1;
}

static bool view(const CpsModel* model, int32_t body, CpsQuantity quantity, CpsArrayView* out) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  const CpsVec3 away = b->shape_pose.position;
  const bool centred = away.x == 0.0 && away.y == 0.0 && away.z == 0.0;
  *out = (CpsArrayView){.width = 3, .count = 1};
  if (quantity == CPS_QUANTITY_CENTRE || (quantity == CPS_QUANTITY_POSITION && centred)) out->data = &b->pose.position;
  if (quantity == CPS_QUANTITY_VELOCITY) out->data = &b->velocity;
  return out->data != NULL;
}

// Position of the shape, or rotation about its origin; velocities of the centre of mass.
static void write(CpsModel* model, int32_t body, CpsQuantity quantity, int64_t entry, const double* value) {
  (void)entry;
  CpsRigidBody* b = &((CpsRigid*)model)->bodies[body];
  CpsPose shape = cps_rigid_shape_pose(b);
  CpsVec3 velocity_ = b->velocity, spin = cps_rigid_angular_velocity(b);
  if (quantity == CPS_QUANTITY_POSITION) shape.position = cps_vec3_get(value);
  if (quantity == CPS_QUANTITY_ORIENTATION) {
    shape.rotation = cps_quat_unit((CpsQuat){value[0], value[1], value[2], value[3]});
  }
  if (quantity == CPS_QUANTITY_VELOCITY) velocity_ = cps_vec3_get(value);
  if (quantity == CPS_QUANTITY_ANGULAR_VELOCITY) spin = cps_vec3_get(value);
  cps_rigid_set(b, &shape, velocity_, spin);
}

static CpsVec3 drift(const CpsModel* model, const CpsModelStep* step, int32_t body, const CpsSpot* spot) {
  (void)spot;
  return cps_vec3_scale((1.0 - step->theta) * step->h, ((const CpsRigid*)model)->bodies[body].old_velocity);
}

// L^-T z: a change of velocity or of position.
static void unscale(const CpsRigidBody* b, const double* z, CpsVec3* velocity, CpsVec3* spin) {
  double x[6];
  memcpy(x, z, sizeof x);
  if (b->hold) cps_rigid_hold_backward(b->hold, x);
  CpsVec3 s = b->inv_sqrt_inertia;
  *velocity = cps_vec3_scale(b->inv_sqrt_mass, cps_vec3(x[0], x[1], x[2]));
  *spin = cps_vec3(s.x * x[3], s.y * x[4], s.z * x[5]);
}

static void receive(CpsModel* model, int32_t body, const double* z) {
  CpsRigidBody* b = &((CpsRigid*)model)->bodies[body];
  b->velocity = b->free_velocity;
  b->spin = b->free_spin;
  if (z) {
    CpsVec3 v, s;
    unscale(b, z, &v, &s);
    b->velocity = cps_vec3_add(b->velocity, v);
    b->spin = cps_vec3_add(b->spin, s);
  }
  b->turn[CPS_VELOCITY_AFTER] = cps_mat3_apply(b->middle, b->spin);
}

// Whether it was and is at rest.
static bool stands(const CpsRigidBody* b) {
  return is_zero(b->velocity) && is_zero(b->spin) && is_zero(b->old_velocity) && is_zero(b->old_spin);
}

static bool halt(CpsModel* model, int32_t body, double speed) {
  CpsRigidBody* b = &((CpsRigid*)model)->bodies[body];
  if (!(cps_vec3_norm(b->velocity) + b->outer_radius * cps_vec3_norm(b->spin) <= speed)) return false;
  b->velocity = b->spin = b->turn[CPS_VELOCITY_AFTER] = cps_vec3(0.0, 0.0, 0.0);
  return stands(b);
}

static void move(CpsRigidBody* b, CpsVec3 by, CpsVec3 turn) {
  b->pose.position = cps_vec3_add(b->pose.position, by);
  if (!b->fixed_rotation) b->pose.rotation = cps_quat_unit(cps_quat_multiply(b->pose.rotation, cps_quat_exp(turn)));
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsRigid* rigid = (CpsRigid*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsRigidBody* b = &rigid->bodies[i];
    if (!b->there) continue;
    CpsVec3 by = cps_vec3_scale(step->h, mean(step, b->velocity, b->old_velocity));
    b->from = b->pose;
    b->done_velocity = b->velocity;
    b->done_spin = b->spin;
    if (stands(b)) continue;
    if (b->hold) {
      CpsQuat turn = b->fixed_rotation ? cps_quat_identity() : cps_rigid_hold_turn(b, step);
      b->pose.position = cps_vec3_add(b->pose.position, by);
      b->pose.rotation = cps_quat_unit(cps_quat_multiply(b->pose.rotation, turn));
      continue;
    }
    move(b, by, cps_vec3_scale(step->h, mean(step, b->spin, b->old_spin)));
    b->spin = turned_after(b, step, b->spin);
  }
}

static void shift(CpsModel* model, int32_t body, const double* z) {
  CpsRigidBody* b = &((CpsRigid*)model)->bodies[body];
  CpsVec3 by, turn;
  unscale(b, z, &by, &turn);
  // from the axes of the rows to the current axes of the body
  move(b, by, cps_quat_rotate_back(b->pose.rotation, cps_mat3_apply(b->middle, turn)));
}

static int64_t place_size(const CpsModel* model, int32_t body) {
  (void)model, (void)body;
  return 7;
}

static void keep_place(const CpsModel* model, int32_t body, double* numbers) {
  const CpsPose* pose = &((const CpsRigid*)model)->bodies[body].pose;
  const double all[7] = {pose->position.x, pose->position.y, pose->position.z, pose->rotation.w,
                         pose->rotation.x, pose->rotation.y, pose->rotation.z};
  memcpy(numbers, all, sizeof all);
}

static void put_back(CpsModel* model, int32_t body, const double* numbers) {
  ((CpsRigid*)model)->bodies[body].pose =
      (CpsPose){{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5], numbers[6]}};
}

static void slow(CpsModel* model, int32_t body, double factor, const CpsRigidMotion* common,
                 const CpsRigidMotion* more) {
  CpsRigidBody* b = &((CpsRigid*)model)->bodies[body];
  CpsVec3 v = cps_rigid_motion_at(common, b->pose.position), w = cps_quat_rotate_back(b->pose.rotation, common->spin);
  v = cps_vec3_axpy(v, factor, cps_vec3_sub(b->velocity, v));
  w = cps_vec3_axpy(w, factor, cps_vec3_sub(b->spin, w));
  b->velocity = cps_vec3_add(v, cps_rigid_motion_at(more, b->pose.position));
  b->spin = cps_vec3_add(w, cps_quat_rotate_back(b->pose.rotation, more->spin));
}

static void inertia(const CpsModel* model, int32_t body, CpsVec3* first, CpsMat3* second) {
  const CpsRigidBody* b = &((const CpsRigid*)model)->bodies[body];
  CpsVec3 x = b->pose.position;
  CpsMat3 R = cps_quat_matrix(b->pose.rotation), own = {{b->inertia.x, 0, 0, 0, b->inertia.y, 0, 0, 0, b->inertia.z}};
  CpsMat3 square = cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity());
  *first = cps_vec3_axpy(*first, b->mass, x);
  *second = cps_mat3_axpy(*second, b->mass, cps_mat3_axpy(square, -1.0, cps_mat3_outer(x, x)));
  *second = cps_mat3_axpy(*second, 1.0, cps_mat3_multiply(cps_mat3_multiply(R, own), cps_mat3_transposed(R)));
}

// (5) of model.h for one body, and the work of its loads.
static void step_energy(const CpsRigidBody* b, const CpsModelStep* step, CpsModelEnergy* out) {
  CpsVec3 v = mean(step, b->done_velocity, b->old_velocity), F = total_force(b, step);
  CpsVec3 middle = cps_vec3_scale(0.5, cps_vec3_add(b->free_velocity, b->old_velocity));
  out->external += step->h * cps_vec3_dot(cps_rigid_force(b), v);
  out->scheme += step->h * cps_vec3_dot(F, cps_vec3_sub(v, middle));
  out->turnover += fabs(step->h * cps_vec3_dot(F, middle));
  if (b->fixed_rotation) return;
  CpsVec3 torque = cps_rigid_torque(b, &b->middle), s = mean(step, b->done_spin, b->old_spin);
  CpsVec3 d = cps_vec3_sub(b->free_spin, b->old_spin), m = cps_vec3_scale(0.5, cps_vec3_add(b->free_spin, b->old_spin));
  double gained = b->inertia.x * d.x * m.x + b->inertia.y * d.y * m.y + b->inertia.z * d.z * m.z;
  double work = step->h * cps_vec3_dot(torque, s);
  out->external += work;
  out->scheme += work - gained;
  out->turnover += fabs(gained);
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = first; i < last; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    if (!b->there) continue;
    out->kinetic += cps_rigid_kinetic(b);
    if (b->gravity) out->potential -= b->mass * cps_vec3_dot(step->gravity, b->pose.position);
    for (int32_t k = 0; b->hold && k < b->hold->count; ++k) {
      double stored = cps_rigid_pull_stored(b, &b->hold->pulls[k]);
      out->elastic += stored;
      out->springs += stored;
    }
    if (!stepped) continue;
    if (b->hold) {
      cps_rigid_hold_energy(b, step, out);
    } else {
      step_energy(b, step, out);
    }
  }
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = first; i < last; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    if (!b->there) continue;
    CpsVec3 mv = cps_vec3_scale(b->mass, b->velocity);
    CpsVec3 spin = {b->inertia.x * b->spin.x, b->inertia.y * b->spin.y, b->inertia.z * b->spin.z};
    CpsVec3 turning = cps_vec3_add(cps_vec3_cross(b->pose.position, mv), cps_quat_rotate(b->pose.rotation, spin));
    *linear = cps_vec3_add(*linear, mv);
    *angular = cps_vec3_add(*angular, turning);
  }
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = first; i < last; ++i) {
    if (rigid->bodies[i].there) *mass += rigid->bodies[i].mass;
  }
}

static double reach(const CpsModel* model, CpsVec3 from) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  double far = 0.0;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    if (b->there) far = fmax(far, cps_vec3_norm(cps_vec3_sub(b->pose.position, from)) + b->outer_radius);
  }
  return far;
}

static uint64_t hash(const CpsModel* model, uint64_t hash) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    if (!b->there) continue;
    hash = cps_hash_bytes(hash, &b->pose, sizeof b->pose);
    hash = cps_hash_bytes(hash, &b->velocity, sizeof b->velocity);
    hash = cps_hash_bytes(hash, &b->spin, sizeof b->spin);
  }
  return hash;
}

// The energy must be finite as well.
static bool is_finite(const CpsPose* pose, CpsVec3 velocity, CpsVec3 spin) {
  return cps_vec3_is_finite(pose->position) && fabs(cps_quat_norm(pose->rotation) - 1.0) < 1e-6 &&
         isfinite(cps_vec3_dot(velocity, velocity)) && isfinite(cps_vec3_dot(spin, spin));
}

static int32_t broken(const CpsModel* model) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    if (b->there && !is_finite(&b->pose, b->velocity, b->spin)) return i;
  }
  return -1;
}

// Time-dependent data of each place.
typedef struct Saved {
  uint32_t generation, there;
  CpsPose pose;
  CpsVec3 velocity, spin;
} Saved;

static size_t state_size(const CpsModel* model) {
  return (size_t)model->count * sizeof(Saved);
}

static void save(const CpsModel* model, void* bytes) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    const CpsRigidBody* b = &rigid->bodies[i];
    Saved saved = {b->generation, b->there, b->pose, b->velocity, b->spin};
    memcpy((char*)bytes + (size_t)i * sizeof saved, &saved, sizeof saved);
  }
}

static CpsStatus check(const CpsModel* model, const void* bytes, size_t size, CpsError* error) {
  const CpsRigid* rigid = (const CpsRigid*)model;
  if (size != state_size(model)) return cps_fail(error, CPS_BAD_FORMAT, "the state has a different number of bodies");
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    Saved saved;
    memcpy(&saved, (const char*)bytes + (size_t)i * sizeof saved, sizeof saved);
    const CpsRigidBody* b = &rigid->bodies[i];
    if (saved.there != (uint32_t)b->there || saved.generation != b->generation) {
      return cps_fail(error, CPS_BAD_DATA,
                      "the state belongs to other bodies: body %d was added or removed since it was saved", (int)i);
    }
    if (b->there && !is_finite(&saved.pose, saved.velocity, saved.spin))
      return cps_fail(error, CPS_BAD_DATA, "the state of body %d is not finite", (int)i);
  }
  return CPS_OK;
}

static void load(CpsModel* model, const void* bytes) {
  CpsRigid* rigid = (CpsRigid*)model;
  for (int32_t i = 0; i < rigid->model.count; ++i) {
    Saved saved;
    memcpy(&saved, (const char*)bytes + (size_t)i * sizeof saved, sizeof saved);
    CpsRigidBody* b = &rigid->bodies[i];
    b->pose = saved.pose;
    b->velocity = saved.velocity;
    b->spin = saved.spin;
  }
}

static const CpsModelType RIGID = {
    .name = "body",
    .kind = CPS_THING_BODY,
    .destroy = destroy,
    .generation = generation,
    .label = label,
    .is_there = is_there,
    .size = size,
    .dofs = body_dofs,
    .begin = begin,
    .broken = broken,
    .collider_count = collider_count,
    .colliders = colliders,
    .went = went,
    .surface = surface,
    .rows = rows,
    .velocity = velocity,
    .locate = locate,
    .pose = pose,
    .collider_pose = collider_pose,
    .check_pull = cps_rigid_check_pull,
    .reserve_pulls = cps_rigid_reserve_pulls,
    .let_go = cps_rigid_let_go,
    .pull = cps_rigid_pull,
    .pull_stored = cps_rigid_stored,
    .pull_rest = cps_rigid_pull_rest,
    .pull_force = cps_rigid_pull_force,
    .clear_loads = clear_loads,
    .add_load = add_load,
    .anchor = anchor,
    .turning = turning,
    .along = along,
    .drift = drift,
    .receive = receive,
    .halt = halt,
    .advance = advance,
    .shift = shift,
    .slow = slow,
    .place_size = place_size,
    .keep_place = keep_place,
    .put_back = put_back,
    .energy = energy,
    .momentum = momentum,
    .weigh = weigh,
    .inertia = inertia,
    .read = read,
    .view = view,
    .write = write,
    .reach = reach,
    .hash = hash,
    .state_size = state_size,
    .save = save,
    .check = check,
    .load = load,
};
