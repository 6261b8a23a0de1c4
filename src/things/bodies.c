// Bodies of a world: adding, removing, reading and setting them.
#include "things/list.h"

#include "core/error.h"
#include "model/rigid.h"

#include <math.h>

static const int BODY_COOKIE = 0x0c0517b1;

static CpsRigid* rigid_of(const CpsWorld* world) {
  return (CpsRigid*)cps_world_population(world, CPS_THING_BODY);
}

CpsBodyDef cps_body_def_default(void) {
  return (CpsBodyDef){
      .rotation = {1.0, 0.0, 0.0, 0.0},
      .density = 1000.0,
      .centre = {NAN, 0.0, 0.0},
      .inertia = {NAN},
      .mu = NAN,
      .restitution = NAN,
      .mu_across = NAN,
      .grain = {1.0, 0.0, 0.0},
      .gravity = true,
      .cookie = BODY_COOKIE,
  };
}

static bool is_solid(CpsShapeKind kind) {
  return kind != CPS_SHAPE_PLANE && kind != CPS_SHAPE_MESH && kind != CPS_SHAPE_TUBE;
}

static CpsStatus check_friction(const CpsWorld* world, const CpsBodyDef* d, CpsError* error) {
  if (d->material < 0 || d->material >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)d->material);
  }
  if (!cps_pair_is_valid((CpsPair){d->mu, d->restitution})) {
    return cps_fail(error, CPS_BAD_DATA, "a body has mu = %g and restitution = %g; they must be >= 0 and in [0, 1]",
                    d->mu, d->restitution);
  }
  if (isnan(d->mu_across)) return CPS_OK;
  if (!(d->mu_across > 0.0) || !isfinite(d->mu_across)) {
    return cps_fail(error, CPS_BAD_DATA, "mu_across is %g; it must be positive", d->mu_across);
  }
  if (!(cps_vec3_norm(d->grain) > 0.0) || !cps_vec3_is_finite(d->grain)) {
    return cps_fail(error, CPS_BAD_DATA, "the grain of an anisotropic body has no direction");
  }
  return CPS_OK;
}

static CpsStatus check(const CpsWorld* world, const CpsBodyDef* d, CpsError* error) {
  if (!world || !d) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  if (d->cookie != BODY_COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the body was not initialised by cps_body_def_default()");
  CpsStatus status = cps_shape_check(&d->shape, error);
  if (status != CPS_OK) return status;
  if (!is_solid(d->shape.kind)) {
    return cps_fail(error, CPS_BAD_DATA, "planes, meshes and tubes have no mass: they can only be obstacles");
  }
  if (!cps_vec3_is_finite(d->position) || !isfinite(cps_quat_norm(d->rotation)) || !cps_vec3_is_finite(d->velocity) ||
      !cps_vec3_is_finite(d->angular_velocity)) {
    return cps_fail(error, CPS_BAD_DATA, "the pose or velocity of a body is not finite");
  }
  if (!(d->mass >= 0.0) || !isfinite(d->mass)) {
    return cps_fail(error, CPS_BAD_DATA, "the mass is %g kg; it must be positive, or 0 for a density", d->mass);
  }
  if (d->mass == 0.0 && (!(d->density > 0.0) || !isfinite(d->density))) {
    return cps_fail(error, CPS_BAD_DATA, "the density is %g kg/m^3; it must be positive", d->density);
  }
  return check_friction(world, d, error);
}

CpsStatus cps_world_add_body(CpsWorld* world, const CpsBodyDef* def, CpsBodyId* id, CpsError* error) {
  CpsStatus status = check(world, def, error);
  if (status != CPS_OK) return status;
  CpsRigid* rigid = rigid_of(world);
  int32_t place;
  status = cps_rigid_add(rigid, def, &place, error);
  if (status != CPS_OK) return status;
  world->changed = true;
  world->smallest = fmin(world->smallest, rigid->bodies[place].inner_radius);
  if (id) *id = (CpsBodyId){place, rigid->bodies[place].generation};
  return cps_succeed(error);
}

static CpsRigidBody* find(const CpsWorld* world, CpsBodyId id) {
  CpsModel* rigid = world ? cps_world_find_model(world, cps_thing_body(id)) : NULL;
  return rigid ? &((CpsRigid*)rigid)->bodies[id.index] : NULL;
}

CpsStatus cps_world_remove_body(CpsWorld* world, CpsBodyId id, CpsError* error) {
  if (!find(world, id)) return cps_fail(error, CPS_BAD_ARGUMENT, "the body does not exist or was removed");
  cps_world_let_go(world, cps_thing_body(id));
  cps_rigid_remove(rigid_of(world), id.index);
  cps_world_removed(world);
  return cps_succeed(error);
}

int32_t cps_world_body_count(const CpsWorld* world) {
  return cps_world_thing_count(world, CPS_THING_BODY);
}

CpsBodyId cps_world_body(const CpsWorld* world, int32_t i) {
  const CpsThing thing = cps_world_thing(world, CPS_THING_BODY, i);
  return (CpsBodyId){thing.index, thing.generation};
}

bool cps_world_body_exists(const CpsWorld* world, CpsBodyId id) {
  return find(world, id) != NULL;
}

CpsStatus cps_world_body_state(const CpsWorld* world, CpsBodyId id, CpsBodyState* state) {
  const CpsRigidBody* b = find(world, id);
  if (!b || !state) return CPS_BAD_ARGUMENT;
  *state = (CpsBodyState){.pose = cps_rigid_shape_pose(b),
                          .velocity = b->velocity,
                          .angular_velocity = cps_rigid_angular_velocity(b),
                          .centre = b->pose.position,
                          .mass = b->mass,
                          .user = b->user};
  return CPS_OK;
}

CpsStatus cps_world_set_body_state(CpsWorld* world, CpsBodyId id, const CpsBodyState* state, CpsError* error) {
  CpsRigidBody* b = find(world, id);
  if (!b) return cps_fail(error, CPS_BAD_ARGUMENT, "the body does not exist or was removed");
  if (!state) return cps_fail(error, CPS_BAD_ARGUMENT, "state is NULL");
  if (!cps_vec3_is_finite(state->pose.position) || !isfinite(cps_quat_norm(state->pose.rotation)) ||
      !cps_vec3_is_finite(state->velocity) || !cps_vec3_is_finite(state->angular_velocity)) {
    return cps_fail(error, CPS_BAD_DATA, "the pose or velocity of a body is not finite");
  }
  CpsPose shape = {state->pose.position, cps_quat_unit(state->pose.rotation)};
  cps_rigid_set(b, &shape, state->velocity, state->angular_velocity);
  world->changed = true;
  return cps_succeed(error);
}

CpsStatus cps_world_apply_impulse(CpsWorld* world, CpsBodyId id, CpsVec3 impulse, CpsVec3 point, CpsError* error) {
  CpsRigidBody* b = find(world, id);
  if (!b) return cps_fail(error, CPS_BAD_ARGUMENT, "the body does not exist or was removed");
  if (!cps_vec3_is_finite(impulse) || !cps_vec3_is_finite(point))
    return cps_fail(error, CPS_BAD_DATA, "the impulse is not finite");
  CpsVec3 arm = cps_vec3_sub(point, b->pose.position), s = b->inv_sqrt_inertia;
  CpsVec3 turn = cps_quat_rotate_back(b->pose.rotation, cps_vec3_cross(arm, impulse));
  CpsVec3 velocity = cps_vec3_axpy(b->velocity, 1.0 / b->mass, impulse);
  CpsVec3 spin = cps_vec3_add(b->spin, cps_vec3(s.x * s.x * turn.x, s.y * s.y * turn.y, s.z * s.z * turn.z));
  if (!cps_vec3_is_finite(velocity) || !cps_vec3_is_finite(spin))
    return cps_fail(error, CPS_BAD_DATA, "the impulse is too large for the body");
  b->velocity = velocity;
  b->spin = spin;
  world->changed = true;
  return cps_succeed(error);
}

CpsThing cps_thing_body(CpsBodyId body) {
  return (CpsThing){CPS_THING_BODY, body.index, body.generation};
}

CpsAnchor cps_anchor_body(CpsBodyId body, CpsVec3 point) {
  return (CpsAnchor){.thing = cps_thing_body(body), .point = point};
}

static CpsModel* open(void) {
  return (CpsModel*)cps_rigid_create();
}

const CpsDoor cps_door_bodies = {.kind = CPS_THING_BODY, .name = "body", .open = open};
