// Ties of a world: making, removing and reading them. Their part of a step is in tie_blocks.c.
#include "world/world.h"

#include "core/error.h"
#include "core/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int TIE_COOKIE = 0x0c0517b9;
static const double ARM = 0.1;  // arm of the other points if no tied object has a size, m

CpsAnchor cps_anchor_world(CpsVec3 point) {
  return (CpsAnchor){.point = point};
}

CpsAnchor cps_anchor_between(CpsThing thing, int32_t count, const int32_t* corners, const double* weights) {
  CpsAnchor anchor = {.thing = thing, .corner_count = -1};
  if (count < 1 || count > 4 || !corners || !weights) return anchor;
  anchor.corner_count = count;
  for (int32_t i = 0; i < count; ++i) {
    anchor.corners[i] = corners[i];
    anchor.weights[i] = weights[i];
  }
  return anchor;
}

CpsTieDef cps_tie_def_default(void) {
  return (CpsTieDef){
      .b = {.point = {NAN, 0.0, 0.0}},
      .axis = {0.0, 0.0, 1.0},
      .breaking = INFINITY,
      .length = NAN,
      .cookie = TIE_COOKIE,
  };
}

CpsTie* cps_world_find_tie(const CpsWorld* world, CpsTieId id) {
  if (!world || id.index < 0 || id.index >= world->tie_count) return NULL;
  CpsTie* t = &world->ties[id.index];
  return t->there && t->generation == id.generation ? t : NULL;
}

bool cps_tie_is_line(const CpsTie* tie) {
  return tie->def.kind == CPS_TIE_SPRING || tie->def.kind == CPS_TIE_ROD;
}

// The current pose of the object of an anchor, if it has one.
static CpsPose pose_of(const CpsWorld* world, const CpsThing* thing) {
  const CpsModel* model = cps_world_population(world, thing->kind);
  if (model && model->type->pose) return model->type->pose(model, thing->index);
  if (thing->kind == CPS_THING_NONE) return (CpsPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  const CpsObstacle* o = &world->obstacles[thing->index];
  return cps_motion_pose(&o->motion, &o->start, world->time);
}

bool cps_anchor_has_pose(const CpsWorld* world, const CpsAnchor* a) {
  if (a->thing.kind == CPS_THING_NONE || a->thing.kind == CPS_THING_OBSTACLE) return true;
  const CpsModel* model = cps_world_population(world, a->thing.kind);
  return model && model->type->pose;
}

// The population of an anchor; NULL if there is none.
static CpsModel* model_of(const CpsWorld* world, const CpsAnchor* a) {
  for (int i = 0; i < world->population_count; ++i) {
    CpsModel* model = world->population[i];
    if (model->type->kind == a->thing.kind && model->type->anchor && a->thing.kind != CPS_THING_NONE) return model;
  }
  return NULL;
}

CpsVec3 cps_anchor_now(const CpsWorld* world, const CpsAnchor* a) {
  const CpsModel* model = cps_anchor_has_pose(world, a) ? NULL : model_of(world, a);
  if (!model) return cps_pose_apply(pose_of(world, &a->thing), a->point);
  CpsSpot spot;
  return model->type->anchor(model, a->thing.index, a, &spot, NULL);
}

int32_t cps_anchor_member(const CpsWorld* world, const CpsAnchor* a) {
  const CpsModel* model = model_of(world, a);
  if (!model) return -1;
  int32_t first = 0;
  for (int i = 0; world->population[i] != model; ++i) first += world->population[i]->count;
  return first + a->thing.index;
}

static CpsStatus check_anchor(const CpsWorld* world, const CpsAnchor* a, char side, CpsError* error) {
  if (a->thing.kind == CPS_THING_NONE || a->thing.kind == CPS_THING_OBSTACLE) {
    CpsObstacleId id = {a->thing.index, a->thing.generation};
    if (a->thing.kind == CPS_THING_OBSTACLE && !cps_world_find_obstacle(world, id)) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "side %c of a tie refers to an obstacle that does not exist", side);
    }
  } else {
    const CpsModel* model = model_of(world, a);
    if (!model || !cps_world_find_model(world, a->thing))
      return cps_fail(error, CPS_BAD_ARGUMENT, "side %c of a tie refers to an object that does not exist", side);
    CpsStatus status = model->type->check_anchor ? model->type->check_anchor(model, a->thing.index, a, error) : CPS_OK;
    if (status != CPS_OK) return status;
  }
  if (!cps_vec3_is_finite(a->point)) {
    return cps_fail(error, CPS_BAD_DATA, "the point on side %c of a tie is not finite", side);
  }
  return CPS_OK;
}

CpsStatus cps_world_nearest_anchor(const CpsWorld* world, CpsThing thing, CpsVec3 point, CpsAnchor* anchor,
                                   CpsError* error) {
  if (!world || !anchor) return cps_fail(error, CPS_BAD_ARGUMENT, "world or anchor is NULL");
  if (!cps_vec3_is_finite(point)) return cps_fail(error, CPS_BAD_DATA, "the place of an anchor is not finite");
  CpsAnchor found = {.thing = thing};
  const CpsStatus status = check_anchor(world, &found, 'a', error);
  if (status != CPS_OK) return status;
  const CpsModel* model = model_of(world, &found);
  if (cps_anchor_has_pose(world, &found)) {
    found.point = cps_pose_apply_back(pose_of(world, &thing), point);
  } else if (!model->type->nearest) {
    return cps_fail(error, CPS_UNSUPPORTED, "a %s has no nearest point", model->type->name);
  } else {
    const CpsStatus looked = model->type->nearest(model, thing.index, point, &found, error);
    if (looked != CPS_OK) return looked;
    found.thing = thing;
  }
  *anchor = found;
  return cps_succeed(error);
}

static CpsStatus check_numbers(const CpsTieDef* d, CpsError* error) {
  if (d->kind < CPS_TIE_POINT || d->kind > CPS_TIE_ROD)
    return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such tie");
  if (!(d->breaking > 0.0)) {
    return cps_fail(error, CPS_BAD_DATA, "the breaking force of a tie is %g N; it must be positive", d->breaking);
  }
  if (!(d->stiffness >= 0.0 && d->stiffness < 1e100) || !(d->damping >= 0.0 && d->damping < 1e100)) {
    return cps_fail(error, CPS_BAD_DATA, "the spring of a tie has %g N/m and %g N s/m; they must be in [0, 1e100)",
                    d->stiffness, d->damping);
  }
  if (d->kind == CPS_TIE_SPRING && d->stiffness == 0.0 && d->damping == 0.0) {
    return cps_fail(error, CPS_BAD_DATA, "a spring has neither stiffness nor damping");
  }
  if (!isnan(d->length) && !(d->length >= 0.0 && isfinite(d->length))) {
    return cps_fail(error, CPS_BAD_DATA, "the length of a tie is %g m; it must be >= 0", d->length);
  }
  if (!(d->arm >= 0.0) || !isfinite(d->arm)) {
    return cps_fail(error, CPS_BAD_DATA, "the arm of a tie is %g m; it must be >= 0", d->arm);
  }
  if (d->motor != CPS_MOTOR_NONE && d->kind != CPS_TIE_HINGE)
    return cps_fail(error, CPS_BAD_DATA, "only a hinge can have a motor");
  if (d->motor < CPS_MOTOR_NONE || d->motor > CPS_MOTOR_TORQUE || !isfinite(d->speed) || !isfinite(d->torque)) {
    return cps_fail(error, CPS_BAD_DATA, "the motor of a tie has an invalid speed or torque");
  }
  if (d->kind == CPS_TIE_HINGE && (!cps_vec3_is_finite(d->axis) || !(cps_vec3_norm(d->axis) > 0.0))) {
    return cps_fail(error, CPS_BAD_DATA, "the axis of a hinge has no direction");
  }
  return CPS_OK;
}

static bool is_of_member(const CpsAnchor* a) {
  return a->thing.kind != CPS_THING_NONE && a->thing.kind != CPS_THING_OBSTACLE;
}

// Whether an anchor is held permanently: an end of a line, or a node of a large member.
static bool is_pinned(const CpsWorld* world, const CpsAnchor* a) {
  const CpsModel* model = model_of(world, a);
  return model && model->type->is_pinned && model->type->is_pinned(model, a->thing.index, a, world->time);
}

static bool moves(const CpsWorld* world, const CpsAnchor* a) {
  return is_of_member(a) && !is_pinned(world, a);
}

// Whether two anchors on one object without a pose are the same point.
static bool is_same_point(const CpsAnchor* a, const CpsAnchor* b) {
  if (a->s != b->s || cps_vec3_norm(cps_vec3_sub(a->point, b->point)) != 0.0) return false;
  if (a->corner_count != b->corner_count) return false;
  if (a->corner_count == 0) return a->vertex == b->vertex;
  for (int i = 0; i < a->corner_count; ++i) {
    if (a->corners[i] != b->corners[i] || a->weights[i] != b->weights[i]) return false;
  }
  return true;
}

static bool bears_torque(const CpsWorld* world, const CpsAnchor* a) {
  const CpsModel* model = model_of(world, a);
  return !model || model->type->add_load;
}

static CpsStatus check(const CpsWorld* world, const CpsTieDef* d, CpsError* error) {
  if (!world || !d) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  if (d->cookie != TIE_COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the tie was not initialised by cps_tie_def_default()");
  CpsStatus status = check_numbers(d, error);
  if (status == CPS_OK) status = check_anchor(world, &d->a, 'a', error);
  CpsAnchor b = d->b;
  if (isnan(b.point.x)) b.point = cps_vec3(0.0, 0.0, 0.0);
  if (status == CPS_OK) status = check_anchor(world, &b, 'b', error);
  if (status != CPS_OK) return status;
  if (!moves(world, &d->a) && !moves(world, &b)) {
    const bool pinned = is_pinned(world, &d->a) || is_pinned(world, &b);
    return cps_fail(error, CPS_BAD_DATA, "neither side of a tie can move%s",
                    pinned ? ": a pin or a clamp holds the point already" : "");
  }
  const CpsThing *p = &d->a.thing, *q = &b.thing;
  bool same = p->kind == q->kind && p->index == q->index && p->generation == q->generation;
  if (same && cps_anchor_has_pose(world, &b))
    return cps_fail(error, CPS_BAD_DATA, "a tie connects an object to itself");
  if (same && is_same_point(&d->a, &b)) return cps_fail(error, CPS_BAD_DATA, "a tie connects a point to itself");
  if (d->motor != CPS_MOTOR_TORQUE) return CPS_OK;
  if (d->torque == 0.0) return cps_fail(error, CPS_BAD_DATA, "the motor of a tie has no torque");
  if (bears_torque(world, &d->a) && bears_torque(world, &b)) return CPS_OK;
  return cps_fail(error, CPS_UNSUPPORTED,
                  "a motor of given torque cannot act on an object that deforms; give the motor a speed");
}

// Replaces the point of a side by one that can rotate.
static CpsStatus make_turning(const CpsWorld* world, CpsAnchor* a, double* size, CpsError* error) {
  const CpsModel* model = model_of(world, a);
  *size = 0.0;
  if (!model) return CPS_OK;
  if (model->type->turning && model->type->along) {
    return model->type->turning(model, a->thing.index, a, size, error);
  }
  return cps_fail(error, CPS_UNSUPPORTED, "a hinge or a weld holds nothing of a %s; use a point tie instead",
                  model->type->name);
}

static void set_axes(const CpsWorld* world, const CpsAnchor* a, const CpsMat3* frame, CpsAnchor axes[3]) {
  const CpsModel* model = model_of(world, a);
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 e = cps_vec3_get(frame->m + 3 * k);
    if (model) {
      model->type->along(model, a->thing.index, a, e, &axes[k]);
    } else {
      axes[k] = (CpsAnchor){.point = cps_quat_rotate_back(pose_of(world, &a->thing).rotation, e)};
    }
  }
}

// Sets the other points of a hinge or a weld, on both sides. Those of side b are at the current positions of those of side a, so that a
// hinge keeps its initial angle. Their distance is the size of the larger object or, if a side deforms, of its element.
static CpsStatus set_points(const CpsWorld* world, CpsTie* t, CpsError* error) {
  CpsTieDef* d = &t->def;
  double size[2];
  t->point_count = d->kind == CPS_TIE_WELD || d->motor == CPS_MOTOR_SPEED ? 3 : d->kind == CPS_TIE_HINGE ? 2 : 1;
  if (t->point_count == 1) return CPS_OK;
  CpsStatus status = make_turning(world, &d->a, &size[0], error);
  if (status == CPS_OK) status = make_turning(world, &d->b, &size[1], error);
  if (status != CPS_OK) return status;
  const bool soft[2] = {d->a.corner_count > 0, d->b.corner_count > 0};
  CpsVec3 axis = d->kind == CPS_TIE_HINGE ? d->axis : cps_vec3(0.0, 0.0, 1.0);
  CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(axis), cps_vec3(1.0, 0.0, 0.0));
  double arm = d->arm > 0.0         ? d->arm
               : soft[0] && soft[1] ? fmin(size[0], size[1])
               : soft[0]            ? size[0]
               : soft[1]            ? size[1]
                                    : fmax(size[0], size[1]);
  t->arm = arm > 0.0 ? arm : ARM;
  set_axes(world, &d->a, &frame, t->axes[0]);
  set_axes(world, &d->b, &frame, t->axes[1]);
  return CPS_OK;
}

// Makes a tie from a checked definition. The moving object is on side a.
static CpsStatus make(const CpsWorld* world, const CpsTieDef* def, CpsTie* t, CpsError* error) {
  *t = (CpsTie){.there = true, .def = *def};
  CpsTieDef* d = &t->def;
  if (isnan(d->b.point.x)) {
    CpsVec3 x = cps_anchor_now(world, &d->a);
    const CpsVec3 none = {0.0, 0.0, 0.0};
    d->b.point = cps_anchor_has_pose(world, &d->b) ? cps_pose_apply_back(pose_of(world, &d->b.thing), x) : none;
  }
  if (!is_of_member(&d->a)) {
    CpsAnchor a = d->a;
    d->a = d->b;
    d->b = a;
    d->speed = -d->speed;
    d->torque = -d->torque;
    t->swapped = true;
  }
  CpsVec3 apart = cps_vec3_sub(cps_anchor_now(world, &d->a), cps_anchor_now(world, &d->b));
  if (isnan(d->length)) d->length = cps_tie_is_line(t) ? cps_vec3_norm(apart) : 0.0;
  CpsStatus status = set_points(world, t, error);
  if (status != CPS_OK) return status;
  d->name = NULL;
  if (!cps_text_copy(def->name, &t->name)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a tie");
  status = cps_curve_copy(&def->curve, &d->curve, error);
  if (status != CPS_OK) free(t->name);
  return status;
}

static int32_t find_place(CpsWorld* world) {
  const CpsPlaceArray all = {&world->ties, &world->tie_count, &world->tie_capacity, sizeof(CpsTie),
                             offsetof(CpsTie, there)};
  return cps_place_find(&all, world->tie_there == world->tie_count);
}

static void drop(CpsTie* t) {
  cps_curve_free(&t->def.curve);
  free(t->name);
  *t = (CpsTie){.generation = t->generation};
}

CpsStatus cps_world_add_tie(CpsWorld* world, const CpsTieDef* def, CpsTieId* id, CpsError* error) {
  CpsStatus status = check(world, def, error);
  CpsTie made;
  if (status == CPS_OK) status = make(world, def, &made, error);
  if (status != CPS_OK) return status;
  int32_t place = find_place(world);
  if (place < 0) {
    drop(&made);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a tie");
  }
  made.generation = cps_generation_after(world->ties[place].generation);
  world->ties[place] = made;
  world->tie_there++;
  world->changed = true;
  if (id) *id = (CpsTieId){place, made.generation};
  return cps_succeed(error);
}

CpsStatus cps_world_remove_tie(CpsWorld* world, CpsTieId id, CpsError* error) {
  CpsTie* t = cps_world_find_tie(world, id);
  if (!t) return cps_fail(error, CPS_BAD_ARGUMENT, "the tie does not exist or was removed");
  drop(t);
  world->tie_there--;
  world->changed = true;
  return cps_succeed(error);
}

void cps_ties_forget(CpsWorld* world, CpsThing thing) {
  for (int32_t i = 0; i < world->tie_count; ++i) {
    CpsTie* t = &world->ties[i];
    const CpsThing *a = &t->def.a.thing, *b = &t->def.b.thing;
    bool is_a = a->kind == thing.kind && a->index == thing.index && a->generation == thing.generation;
    bool is_b = b->kind == thing.kind && b->index == thing.index && b->generation == thing.generation;
    if (!t->there || (!is_a && !is_b)) continue;
    drop(t);
    world->tie_there--;
  }
}

void cps_ties_free(CpsWorld* world) {
  for (int32_t i = 0; i < world->tie_count; ++i) drop(&world->ties[i]);
  free(world->ties);
}

int32_t cps_world_tie_count(const CpsWorld* world) {
  return world ? world->tie_there : 0;
}

CpsTieId cps_world_tie(const CpsWorld* world, int32_t i) {
  if (!world || i < 0 || i >= world->tie_there) return (CpsTieId){0, 0};
  int32_t k = 0;
  for (; !world->ties[k].there || i-- > 0; ++k) continue;
  return (CpsTieId){k, world->ties[k].generation};
}

// Anchors are affine in their points and weights.
static void add_arm(CpsAnchor* anchor, double by, const CpsAnchor* arm) {
  anchor->point = cps_vec3_axpy(anchor->point, by, arm->point);
  for (int i = 0; i < anchor->corner_count; ++i) anchor->weights[i] += by * arm->weights[i];
}

CpsAnchor cps_tie_anchor(const CpsTie* t, int side, int point, double angle) {
  CpsAnchor anchor = side == 0 ? t->def.a : t->def.b;
  if (point == 0) return anchor;
  const CpsAnchor* e = t->axes[side];
  if (point != 2 || side != 1) {
    add_arm(&anchor, t->arm, &e[point - 1]);
    return anchor;
  }
  // the third point of a motor circles on side b
  CpsAnchor arm = {.point =
                       cps_vec3_add(cps_vec3_scale(cos(angle), e[1].point), cps_vec3_scale(sin(angle), e[2].point))};
  for (int i = 0; i < anchor.corner_count; ++i) {
    arm.weights[i] = cos(angle) * e[1].weights[i] + sin(angle) * e[2].weights[i];
  }
  add_arm(&anchor, t->arm, &arm);
  return anchor;
}

double cps_tie_apart(const CpsWorld* world, const CpsTie* t) {
  if (t->def.kind == CPS_TIE_SPRING) return 0.0;
  double apart = 0.0;
  for (int k = 0; k < t->point_count; ++k) {
    CpsAnchor a = cps_tie_anchor(t, 0, k, t->angle), b = cps_tie_anchor(t, 1, k, t->angle);
    double d = cps_vec3_norm(cps_vec3_sub(cps_anchor_now(world, &a), cps_anchor_now(world, &b)));
    apart = fmax(apart, t->def.kind == CPS_TIE_ROD ? fabs(d - t->def.length) : d);
  }
  return apart;
}

CpsStatus cps_world_tie_state(const CpsWorld* world, CpsTieId id, CpsTieState* state) {
  const CpsTie* t = cps_world_find_tie(world, id);
  if (!t || !state) return CPS_BAD_ARGUMENT;
  double sign = t->swapped ? -1.0 : 1.0;
  int a = t->swapped, b = !t->swapped;
  CpsTieState out = {.kind = t->def.kind,
                     .broken = t->broken,
                     .breaking = t->def.breaking,
                     .residual = t->residual,
                     .angle = sign * t->angle};
  out.thing[a] = t->def.a.thing;
  out.thing[b] = t->def.b.thing;
  out.point[a] = cps_anchor_now(world, &t->def.a);
  out.point[b] = cps_anchor_now(world, &t->def.b);
  out.force = cps_vec3_scale(sign, t->force);
  out.torque = cps_vec3_scale(sign, t->torque);
  out.apart = t->broken ? 0.0 : cps_tie_apart(world, t);
  out.length = cps_vec3_norm(cps_vec3_sub(out.point[0], out.point[1]));
  *state = out;
  return CPS_OK;
}

int32_t cps_world_tie_states(const CpsWorld* world, CpsTieState* states, int32_t room) {
  int32_t count = 0;
  for (int32_t i = 0; world && i < world->tie_count; ++i) {
    if (!world->ties[i].there) continue;
    if (states && count < room)
      (void)cps_world_tie_state(world, (CpsTieId){i, world->ties[i].generation}, states + count);
    count++;
  }
  return count;
}
