// ODE: quickstep (projected Gauss-Seidel with over-relaxation) on contact joints, a friction pyramid in two fixed
// directions, pushing overlap apart at erp * depth / h. A contact joint exists only where shapes overlap.
#include <ode/ode.h>
#include <stdlib.h>

#include "core/clock.h"
#include "world/engine.h"

enum { PAIR_CONTACTS = 8 };

typedef struct Joint {
  dContactGeom geom;
  dBodyID a, b;
  double bias;
  dJointFeedback feedback;
} Joint;

typedef struct World {
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  dBodyID* bodies;
  int32_t body_count;
  double step, mu, solve_seconds;
  Joint* joints;
  dJointID* joint_ids;
  int32_t joint_count, joint_room;
} World;

static int32_t body_index(dBodyID body) {
  return body ? (int32_t)(intptr_t)dBodyGetData(body) : -1;
}

static void add_joint(World* w, dBodyID a, dBodyID b, const dContactGeom* geom) {
  if (w->joint_count == w->joint_room) {
    w->joint_room = 2 * w->joint_room + 1024;
    w->joints = realloc(w->joints, (size_t)w->joint_room * sizeof *w->joints);
    w->joint_ids = realloc(w->joint_ids, (size_t)w->joint_room * sizeof *w->joint_ids);
    if (!w->joints || !w->joint_ids) abort();
  }
  Joint* joint = &w->joints[w->joint_count];
  *joint = (Joint){.geom = *geom, .a = a, .b = b};
  // the normal of ODE points into the first geometry; the first body of a joint is never static
  if (!a) {
    joint->a = b;
    joint->b = NULL;
    for (int k = 0; k < 3; ++k) joint->geom.normal[k] = -geom->normal[k];
  }
  joint->bias = -dWorldGetERP(w->world) * geom->depth / w->step;
  dContact contact = {.surface = {.mode = dContactApprox1, .mu = w->mu}, .geom = joint->geom};
  dJointID id = dJointCreateContact(w->world, w->group, &contact);
  dJointAttach(id, joint->a, joint->b);
  w->joint_ids[w->joint_count++] = id;
}

static void near_pair(void* data, dGeomID g1, dGeomID g2) {
  World* w = data;
  dBodyID a = dGeomGetBody(g1), b = dGeomGetBody(g2);
  if (!a && !b) return;
  dContactGeom geoms[PAIR_CONTACTS];
  int count = dCollide(g1, g2, PAIR_CONTACTS, geoms, sizeof geoms[0]);
  for (int i = 0; i < count; ++i) add_joint(w, a, b, &geoms[i]);
}

static dGeomID geom_of(dSpaceID space, const CpsShape* shape) {
  if (shape->kind == CPS_SHAPE_SPHERE) return dCreateSphere(space, shape->radius);
  if (shape->kind == CPS_SHAPE_BOX) return dCreateBox(space, shape->size.x, shape->size.y, shape->size.z);
  return dCreateCapsule(space, shape->radius, shape->length);
}

static void set_state(void* world, const CpsBenchState* states) {
  World* w = world;
  for (int32_t i = 0; i < w->body_count; ++i) {
    const CpsBenchState* s = &states[i];
    dQuaternion q = {s->pose.rotation.w, s->pose.rotation.x, s->pose.rotation.y, s->pose.rotation.z};
    dBodySetPosition(w->bodies[i], s->pose.position.x, s->pose.position.y, s->pose.position.z);
    dBodySetQuaternion(w->bodies[i], q);
    dBodySetLinearVel(w->bodies[i], s->velocity.x, s->velocity.y, s->velocity.z);
    dBodySetAngularVel(w->bodies[i], s->angular_velocity.x, s->angular_velocity.y, s->angular_velocity.z);
  }
}

static void get_state(const void* world, CpsBenchState* states) {
  const World* w = world;
  for (int32_t i = 0; i < w->body_count; ++i) {
    const dReal *p = dBodyGetPosition(w->bodies[i]), *q = dBodyGetQuaternion(w->bodies[i]);
    const dReal *v = dBodyGetLinearVel(w->bodies[i]), *o = dBodyGetAngularVel(w->bodies[i]);
    states[i] = (CpsBenchState){.pose = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}},
                                .velocity = {v[0], v[1], v[2]},
                                .angular_velocity = {o[0], o[1], o[2]}};
  }
}

static void* create(const CpsBenchScene* scene, const CpsBenchSettings* settings) {
  World* w = calloc(1, sizeof *w);
  if (!w || !dInitODE2(0)) abort();
  w->world = dWorldCreate();
  w->space = dHashSpaceCreate(NULL);
  dHashSpaceSetLevels(w->space, -1, 1);
  w->group = dJointGroupCreate(0);
  w->step = scene->step;
  w->mu = scene->mu;
  w->body_count = scene->body_count;
  w->bodies = calloc((size_t)scene->body_count, sizeof(dBodyID));
  if (!w->bodies) abort();
  dWorldSetGravity(w->world, 0.0, 0.0, -CPS_BENCH_GRAVITY);
  if (settings->sweeps > 0) dWorldSetQuickStepNumIterations(w->world, settings->sweeps);
  (void)dCreatePlane(w->space, 0.0, 0.0, 1.0, 0.0);
  for (int side = 0; side < 4 && scene->half_width > 0.0; ++side) {
    double sign = side % 2 ? 1.0 : -1.0;
    (void)dCreatePlane(w->space, side < 2 ? sign : 0.0, side < 2 ? 0.0 : sign, 0.0, -scene->half_width);
  }
  for (int32_t i = 0; i < scene->body_count; ++i) {
    const CpsBenchBody* b = &scene->bodies[i];
    dMass mass;
    dMassSetParameters(&mass, b->mass, 0.0, 0.0, 0.0, b->inertia.x, b->inertia.y, b->inertia.z, 0.0, 0.0, 0.0);
    w->bodies[i] = dBodyCreate(w->world);
    dBodySetMass(w->bodies[i], &mass);
    dBodySetData(w->bodies[i], (void*)(intptr_t)i);
    dBodySetGyroscopicMode(w->bodies[i], 0);
    dGeomSetBody(geom_of(w->space, &b->shape), w->bodies[i]);
  }
  set_state(w, scene->start);
  return w;
}

static void destroy(void* world) {
  World* w = world;
  dJointGroupDestroy(w->group);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
  free(w->bodies);
  free(w->joints);
  free(w->joint_ids);
  free(w);
}

static bool step(void* world) {
  World* w = world;
  dJointGroupEmpty(w->group);
  w->joint_count = 0;
  dSpaceCollide(w->space, w, near_pair);
  // only now: the array does not move any longer
  for (int32_t i = 0; i < w->joint_count; ++i) dJointSetFeedback(w->joint_ids[i], &w->joints[i].feedback);
  double start = cps_clock_cpu();
  (void)dWorldQuickStep(w->world, w->step);
  w->solve_seconds = cps_clock_cpu() - start;
  return true;
}

static double solve_seconds(const void* world) {
  return ((const World*)world)->solve_seconds;
}

static int32_t contact_count(const void* world) {
  return ((const World*)world)->joint_count;
}

static void contacts(const void* world, CpsBenchContact* out) {
  const World* w = world;
  for (int32_t i = 0; i < w->joint_count; ++i) {
    const Joint* joint = &w->joints[i];
    const dReal *p = joint->geom.pos, *n = joint->geom.normal, *f = joint->feedback.f1;
    CpsVec3 point = {p[0], p[1], p[2]};
    out[i] = (CpsBenchContact){.a = body_index(joint->a),
                               .b = body_index(joint->b),
                               .point_a = point,
                               .point_b = point,
                               .normal = {n[0], n[1], n[2]},
                               .gap = -joint->geom.depth,
                               .bias = joint->bias,
                               .mu = w->mu,
                               .impulse = {w->step * f[0], w->step * f[1], w->step * f[2]}};
  }
}

const CpsBenchEngine* cps_bench_ode(void) {
  static const CpsBenchEngine engine = {.name = "ODE",
                                        .create = create,
                                        .destroy = destroy,
                                        .set_state = set_state,
                                        .get_state = get_state,
                                        .step = step,
                                        .solve_seconds = solve_seconds,
                                        .contact_count = contact_count,
                                        .contacts = contacts};
  return &engine;
}
