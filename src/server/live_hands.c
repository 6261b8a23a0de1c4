// Hands in a live simulation: damped springs between a point of a thing and where the hand is, or the held end of a fibre
// that goes with the hand.
//
// A thing of mass m and size l that is pulled with
//
//   k = m w^2,   d = 2 m w,   w = min( max(30 / s, sqrt(20 g / l)), 1 / (2 h) )                                        (1)
//
// comes after the hand without swinging (critically damped) in a few times 1 / w, hangs at most l / 20 below it by its own
// weight, and a pull of 10 cm lifts things some nine times as heavy. m is the mass of the whole thing, l twice the radius of gyration of
// a body, the length of a fibre, the root of the area of a sheet and the cube root of the volume of a solid, h the step. The world takes the spring implicitly: (1) is a question of
// feeling, not of stability.
//
// An end or a vertex that is held does not follow springs: the hand takes over and moves it, x'' = w^2 (target - x) - 2 w x', implicit
// in the step. An end turns at w times the remaining angle, and no faster than TURN_RATE.
#include <math.h>

#include "core/error.h"
#include "core/quat.h"
#include "server/live_internal.h"

static const double SLOWEST = 30.0, SAG = 20.0, TURN_RATE = 25.0, END_PART = 0.01;

static double rate_for(const CpsLive* live, double size) {
  CpsWorldDef def = cps_world_settings(live->world);
  double sag = size > 0.0 ? sqrt(SAG * cps_vec3_norm(def.gravity) / size) : 0.0;
  return fmin(fmax(SLOWEST, sag), 0.5 / def.step);
}

static CpsHold* find(CpsLive* live, uint64_t client) {
  for (int32_t i = 0; i < live->hold_count; ++i) {
    if (live->holds[i].client == client) return &live->holds[i];
  }
  return NULL;
}

static CpsStatus add_spring(CpsLive* live, CpsHold* hold, double mass, double size, CpsError* error) {
  double w = rate_for(live, size);
  CpsPullDef pull = cps_pull_def_default();
  pull.at = hold->on == CPS_THING_BODY    ? cps_anchor_body(hold->body, hold->point)
            : hold->on == CPS_THING_SHEET ? cps_anchor_sheet(hold->sheet, hold->vertex)
            : hold->on == CPS_THING_SOLID ? cps_anchor_solid(hold->solid, hold->vertex)
                                          : cps_anchor_fibre(hold->fibre, hold->s);
  pull.stiffness = mass * w * w;
  pull.damping = 2.0 * mass * w;
  pull.target = hold->target;
  return cps_world_add_pull(live->world, &pull, &hold->pull, error);
}

static CpsStatus grab_body(CpsLive* live, const CpsLiveOrder* order, CpsHold* hold, CpsError* error) {
  if (order->index < 0 || order->index >= cps_world_body_count(live->world)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "body %lld does not exist", (long long)order->index);
  }
  if (!cps_vec3_is_finite(order->vector)) return cps_fail(error, CPS_BAD_DATA, "the point of the body is not finite");
  int32_t i = (int32_t)order->index;
  hold->on = CPS_THING_BODY;
  hold->body = cps_world_body(live->world, i);
  hold->point = order->vector;
  CpsShape shape = cps_scene_body_shape(live->scene, i);
  CpsMassProperties unit;
  CpsBodyState state;
  CpsStatus status = cps_shape_mass(&shape, 1.0, &unit, error);
  if (status == CPS_OK) status = cps_world_body_state(live->world, hold->body, &state);
  if (status != CPS_OK) return status;
  double gyration = sqrt(0.5 * (unit.inertia.x + unit.inertia.y + unit.inertia.z) / unit.mass);
  return add_spring(live, hold, state.mass, 2.0 * gyration, error);
}

// The held end at arc length s, -1 if there is none. Ends carried by an obstacle stay with it, as hair does with the head.
static int end_at(double s, const CpsFibreInfo* info) {
  double near = fmax(END_PART * info->length, 2.0 * info->radius);
  if (s <= near && info->root != CPS_END_FREE && !info->root_carried) return 0;
  if (info->length - s <= near && info->tip != CPS_END_FREE && !info->tip_carried) return 1;
  return -1;
}

static CpsStatus grab_fibre(CpsLive* live, const CpsLiveOrder* order, CpsHold* hold, CpsError* error) {
  if (order->index < 0 || order->index >= cps_world_fibre_count(live->world)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "fibre %lld does not exist", (long long)order->index);
  }
  hold->on = CPS_THING_FIBRE;
  hold->fibre = cps_world_fibre(live->world, (int32_t)order->index);
  CpsFibreInfo info;
  CpsStatus status = cps_world_fibre_info(live->world, hold->fibre, &info);
  if (status != CPS_OK) return cps_fail(error, status, "the fibre does not exist");
  // the clicked point may lie past the end by rounding
  if (!(order->value >= -0.01 * info.length && order->value <= 1.01 * info.length)) {
    return cps_fail(error, CPS_BAD_DATA, "the fibre has no point at %g m; it is %g m long", order->value, info.length);
  }
  hold->s = fmin(fmax(order->value, 0.0), info.length);
  hold->end = end_at(hold->s, &info);
  return hold->end >= 0 ? CPS_OK : add_spring(live, hold, info.mass, info.length, error);
}

// The surface named by an order: pages number the sheets first, then the solids.
static CpsStatus find_surface(const CpsLive* live, const CpsLiveOrder* order, CpsHold* hold, CpsError* error) {
  const int64_t sheets = cps_world_sheet_count(live->world), solids = cps_world_solid_count(live->world);
  if (order->index < 0 || order->index >= sheets + solids) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "sheet %lld does not exist", (long long)order->index);
  }
  hold->on = order->index < sheets ? CPS_THING_SHEET : CPS_THING_SOLID;
  hold->vertex = order->vertex <= INT32_MAX ? (int32_t)order->vertex : -1;
  if (order->index < sheets) {
    hold->sheet = cps_world_sheet(live->world, (int32_t)order->index);
  } else {
    hold->solid = cps_world_solid(live->world, (int32_t)(order->index - sheets));
  }
  return CPS_OK;
}

static bool is_surface(const CpsHold* hold) {
  return hold->on == CPS_THING_SHEET || hold->on == CPS_THING_SOLID;
}

static CpsThing surface_of(const CpsHold* hold) {
  return hold->on == CPS_THING_SHEET ? cps_thing_sheet(hold->sheet) : cps_thing_solid(hold->solid);
}

static CpsStatus look_at(const CpsLive* live, const CpsHold* hold, CpsVertexState* now) {
  return cps_world_vertex(live->world, surface_of(hold), hold->vertex, now);
}

static CpsStatus hold_at(CpsLive* live, const CpsHold* hold, CpsVec3 place, CpsError* error) {
  return cps_world_hold_vertex(live->world, surface_of(hold), hold->vertex, place, error);
}

// The vertex named by an order.
static CpsStatus find_vertex(const CpsLive* live, const CpsLiveOrder* order, CpsHold* hold, CpsVertexState* now,
                             CpsError* error) {
  CpsStatus status = find_surface(live, order, hold, error);
  if (status != CPS_OK || look_at(live, hold, now) == CPS_OK) return status;
  return cps_fail(error, CPS_BAD_ARGUMENT, "the %s has no vertex %lld", cps_thing_kind_name(hold->on),
                  (long long)order->vertex);
}

static CpsStatus add_spring_at_vertex(CpsLive* live, CpsHold* hold, CpsError* error) {
  CpsSheetInfo sheet;
  CpsSolidInfo solid;
  if (hold->on == CPS_THING_SHEET) {
    CpsStatus status = cps_world_sheet_info(live->world, hold->sheet, &sheet);
    return status == CPS_OK ? add_spring(live, hold, sheet.mass, sqrt(sheet.area), error) : status;
  }
  CpsStatus status = cps_world_solid_info(live->world, hold->solid, &solid);
  return status == CPS_OK ? add_spring(live, hold, solid.mass, cbrt(solid.rest_volume), error) : status;
}

static CpsStatus grab_vertex(CpsLive* live, const CpsLiveOrder* order, CpsHold* hold, CpsError* error) {
  CpsVertexState now;
  CpsStatus status = find_vertex(live, order, hold, &now, error);
  if (status != CPS_OK) return status;
  hold->end = now.held ? 0 : -1;
  return now.held ? CPS_OK : add_spring_at_vertex(live, hold, error);
}

static bool is_same(const CpsHold* a, const CpsHold* b) {
  return a->on == b->on && a->vertex == b->vertex && a->sheet.index == b->sheet.index &&
         a->solid.index == b->solid.index;
}

// A vertex is held where it is. A vertex held by a hand moves with the hand and stays held where the hand leaves it.
CpsStatus cps_hands_pin(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsHold named = {0};
  CpsVertexState now;
  CpsStatus status = find_vertex(live, order, &named, &now, error);
  if (status != CPS_OK) return status;
  const bool held = order->what == CPS_LIVE_PIN;
  status = held ? hold_at(live, &named, now.position, error)
                : cps_world_release_vertex(live->world, surface_of(&named), named.vertex, error);
  for (int32_t i = 0; status == CPS_OK && i < live->hold_count; ++i) {
    CpsHold* hold = &live->holds[i];
    if (!is_same(hold, &named) || (hold->end >= 0) == held) continue;
    hold->end = held ? 0 : -1;
    hold->speed = held ? now.velocity : cps_vec3(0.0, 0.0, 0.0);
    hold->force = cps_vec3(0.0, 0.0, 0.0);
    if (held) status = cps_world_remove_pull(live->world, hold->pull, error);
    if (held) hold->pull = (CpsPullId){0, 0};
    if (!held) status = add_spring_at_vertex(live, hold, error);
  }
  return status;
}

CpsStatus cps_hands_grab(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  if (!cps_vec3_is_finite(order->target))
    return cps_fail(error, CPS_BAD_DATA, "the position of the hand is not finite");
  CpsHold hold = {.client = order->client, .target = order->target, .end = -1, .twisted = -1};
  if (!find(live, order->client) && live->hold_count == CPS_LIVE_HANDS) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "all %d hands are in use", CPS_LIVE_HANDS);
  }
  CpsStatus status = order->what == CPS_LIVE_GRAB_BODY    ? grab_body(live, order, &hold, error)
                     : order->what == CPS_LIVE_GRAB_SHEET ? grab_vertex(live, order, &hold, error)
                                                          : grab_fibre(live, order, &hold, error);
  if (status != CPS_OK) return status;
  cps_hands_release(live, order->client);  // release the object held before
  live->holds[live->hold_count++] = hold;
  return CPS_OK;
}

CpsStatus cps_hands_drag(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsHold* hold = find(live, order->client);
  if (!hold) return cps_fail(error, CPS_BAD_ARGUMENT, "the hand holds nothing to drag");
  if (!cps_vec3_is_finite(order->target))
    return cps_fail(error, CPS_BAD_DATA, "the position of the hand is not finite");
  hold->target = order->target;
  return hold->end >= 0 ? CPS_OK : cps_world_move_pull(live->world, hold->pull, order->target, error);
}

// The nearer clamped end, -1 if there is none.
static int end_to_turn(CpsLive* live, const CpsHold* hold) {
  CpsFibreInfo info;
  if (cps_world_fibre_info(live->world, hold->fibre, &info) != CPS_OK) return -1;
  bool clamped[2] = {info.root == CPS_END_CLAMPED && !info.root_carried,
                     info.tip == CPS_END_CLAMPED && !info.tip_carried};
  if (clamped[0] && clamped[1]) return hold->s > 0.5 * info.length;
  return clamped[0] ? 0 : clamped[1] ? 1 : -1;
}

CpsStatus cps_hands_twist(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsHold* hold = find(live, order->client);
  if (!hold || hold->on != CPS_THING_FIBRE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the hand holds no fibre to twist");
  if (!(fabs(order->value) <= 1000.0)) {
    return cps_fail(error, CPS_BAD_DATA, "a twist of %g rad is too large for one move", order->value);
  }
  int end = end_to_turn(live, hold);
  if (end < 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT,
                    "neither end of this fibre is clamped on its own, so there is nothing to turn");
  }
  hold->twisted = end;
  hold->twist_left += order->value;
  return CPS_OK;
}

void cps_hands_release(CpsLive* live, uint64_t client) {
  CpsHold* hold = find(live, client);
  if (!hold) return;
  if (hold->pull.generation != 0) (void)cps_world_remove_pull(live->world, hold->pull, NULL);
  *hold = live->holds[--live->hold_count];
}

void cps_hands_release_all(CpsLive* live) {
  while (live->hold_count > 0) cps_hands_release(live, live->holds[0].client);
}

// One step of the end that the hand moves: v+ (1 + 2 w h + w^2 h^2) = v + w^2 h (target - x).
static CpsVec3 move(CpsHold* hold, CpsVec3 x, double w, double h) {
  CpsVec3 v = cps_vec3_axpy(hold->speed, w * w * h, cps_vec3_sub(hold->target, x));
  hold->speed = cps_vec3_scale(1.0 / (1.0 + 2.0 * w * h + w * w * h * h), v);
  return cps_vec3_axpy(x, h, hold->speed);
}

static double turn(CpsHold* hold, double w, double h) {
  double angle = hold->twist_left * fmin(1.0, w * h);
  angle = fmin(fmax(angle, -TURN_RATE * h), TURN_RATE * h);
  if (fabs(hold->twist_left) < 1e-9) angle = hold->twist_left;
  hold->twist_left -= angle;
  return angle;
}

static void move_end(CpsLive* live, CpsHold* hold, int end, double w, double h) {
  CpsPose pose;
  if (cps_world_fibre_end_pose(live->world, hold->fibre, end, &pose) != CPS_OK) return;
  if (hold->end == end) pose.position = move(hold, pose.position, w, h);
  if (hold->twisted == end) {
    CpsVec3 tangent = cps_quat_rotate(pose.rotation, cps_vec3(1.0, 0.0, 0.0));
    CpsQuat q = cps_quat_exp(cps_vec3_scale(turn(hold, w, h), tangent));
    pose.rotation = cps_quat_unit(cps_quat_multiply(q, pose.rotation));
  }
  (void)cps_world_move_fibre_end(live->world, hold->fibre, end, pose, NULL);
}

static void move_vertex(CpsLive* live, CpsHold* hold, double w, double h) {
  CpsVertexState now;
  if (look_at(live, hold, &now) == CPS_OK) (void)hold_at(live, hold, move(hold, now.position, w, h), NULL);
}

void cps_hands_before_step(CpsLive* live) {
  double h = cps_world_settings(live->world).step, w = rate_for(live, 0.0);
  for (int32_t i = 0; i < live->hold_count; ++i) {
    CpsHold* hold = &live->holds[i];
    if (is_surface(hold) && hold->end >= 0) move_vertex(live, hold, w, h);
    if (hold->on != CPS_THING_FIBRE) continue;
    for (int end = 0; end < 2; ++end) {
      bool turns = hold->twisted == end && hold->twist_left != 0.0;
      if (hold->end == end || turns) move_end(live, hold, end, w, h);
    }
  }
}

void cps_hands_after_step(CpsLive* live) {
  for (int32_t i = 0; i < live->hold_count; ++i) {
    CpsHold* hold = &live->holds[i];
    if (hold->end < 0) (void)cps_world_pull_force(live->world, hold->pull, &hold->force);
  }
}

static CpsVec3 point_of(const CpsLive* live, const CpsHold* hold) {
  CpsBodyState body;
  CpsFibrePoint point;
  CpsVertexState vertex;
  if (is_surface(hold) && look_at(live, hold, &vertex) == CPS_OK) return vertex.position;
  if (hold->on == CPS_THING_BODY && cps_world_body_state(live->world, hold->body, &body) == CPS_OK) {
    return cps_pose_apply(body.pose, hold->point);
  }
  if (hold->on == CPS_THING_FIBRE && cps_world_fibre_at(live->world, hold->fibre, hold->s, &point) == CPS_OK) {
    return point.position;
  }
  return hold->target;
}

void cps_hands_show(const CpsLive* live, CpsLiveStatus* status) {
  status->hand_count = live->hold_count;
  for (int32_t i = 0; i < live->hold_count; ++i) {
    const CpsHold* hold = &live->holds[i];
    status->hands[i] = (CpsLiveHand){hold->client, point_of(live, hold), hold->target, hold->force};
  }
}
