// Contacts renewed at the end of a step: shapes that are in each other then get the contacts that would have kept them
// apart, and the step is made again.
//
// Contacts bound the step to first order, by planes from where shapes are, or would be without impulses. One that
// turns comes down with another corner than the one that touched, and one that is hit flies into what was too far away
// to be examined. So after the step its end is searched. A touch there, with points x_A and x_B on the shapes, normal n and
// gap g+ < 0, is taken back to the beginning,
//
//   g = g+ - n.d,   d = h (theta u+ + (1 - theta) u-),                                                              (1)
//
// u the relative velocity of the two points with the arms that they have at the end. g + n.d' >= 0 bounds the ways d' of the
// next attempt by the plane that this one broke. The law is the same for all contacts, so nothing is pushed that the law
// would not push, and no energy comes in. A few rounds are enough; what is then left is a reason for a shorter step.
//
// Contacts with restitution are left out: their law is not one of gaps.
// Lines do this by their own means (projection.c).
#include "world/world.h"

#include "contact/chain.h"
#include "core/clock.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

// If any touch is deeper than the bound, all touches deeper than this part of it are renewed.
static const double PART = 0.25;
enum { MORE_TRACKS = 16 };  // spare room for tracks: their number divided by this

// Upper bound of the displacement of a collider in the step, if its model tells it; else infinite.
static double went(const CpsStep* step, const CpsCollider* c) {
  if (c->owner < 0) return c->reach;
  CpsMember m = cps_world_member(step->world, c->owner);
  return m.model->type->went ? m.model->type->went(m.model, &step->model, m.index) : INFINITY;
}

// Whether any two points can have approached by more than the bound, as far as models tell it. `idle` gets the colliders that can have
// approached each other only by less than PART of it: most of a pile, while something falls on it.
static bool is_looked_at(const CpsStep* step, double bound, bool* idle) {
  double far = 0.0, obstacle = 0.0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    const double way = went(step, c);
    idle[i] = way <= 0.45 * PART * bound;
    if (c->owner < 0) {
      obstacle = fmax(obstacle, way);
    } else if (way < INFINITY) {
      far = fmax(far, way);
    }
  }
  return far + fmax(far, obstacle) > bound;
}

static int compare_keys(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  if (a != c) return a < c ? -1 : 1;
  return b < d ? -1 : b > d ? 1 : 0;
}

// Increase of the depth of a touch over that of its pair at the beginning. Contacts and touches are both sorted by
// key; *at advances through the contacts.
static double added_by(const CpsStep* step, const CpsStep* end, const CpsColliderTouch* f, int32_t* at) {
  const CpsContacts* c = &step->contacts;
  const uint64_t a = end->colliders[f->a].key, b = end->colliders[f->b].key;
  double before = 0.0;
  while (*at < c->count && compare_keys(c->track[*at].key_a, c->track[*at].key_b, a, b) < 0) ++*at;
  for (int32_t i = *at; i < c->count && compare_keys(c->track[i].key_a, c->track[i].key_b, a, b) == 0; ++i) {
    before = fmax(before, -c->contact[i].touch.gap);
  }
  return -f->touch.gap - before;
}

// Whether the touches of a collider's owner are followed here: its model bounds the displacement.
static bool is_followed(const CpsStep* end, int32_t owner) {
  return cps_world_member(end->world, owner).model->type->went;
}

static bool is_of_followed(const CpsStep* end, const CpsColliderTouch* f) {
  const int32_t a = end->colliders[f->a].owner, b = end->colliders[f->b].owner;
  return is_followed(end, a) && (b < 0 || is_followed(end, b));
}

// Whether a touch has restitution: with Newton's law of impact, objects may sink in by up to h |u|, and lose nothing
// by it, since the next step throws them back.
static bool bounces(const CpsStep* end, const CpsColliderTouch* f) {
  CpsStepContact t;
  cps_touching_place(end, f, &t);
  cps_contact_friction(end->world, &t);
  return t.restitution > 0.0;
}

// Transforms a touch at the end to the beginning of the step, (1). Models are at the end of the step, obstacles at both.
static CpsColliderTouch take_back(const CpsStep* step, const CpsStep* end, const CpsColliderTouch* f) {
  const CpsWorld* world = step->world;
  const CpsModelStep* m = &step->model;
  const CpsCollider *a = &end->colliders[f->a], *b = &end->colliders[f->b];
  CpsStepContact t = {
      .a = a->owner, .b = b->owner, .spot_a = {.point = f->touch.point_a}, .spot_b = {.point = f->touch.point_b}};
  CpsVec3 after = cps_contact_velocity(world, &t, CPS_VELOCITY_AFTER);
  CpsVec3 before = cps_contact_velocity(world, &t, CPS_VELOCITY_BEFORE);
  CpsVec3 u = cps_vec3_axpy(cps_vec3_scale(m->theta, after), 1.0 - m->theta, before);
  CpsColliderTouch back = *f;
  CpsVec3 way_a = cps_vec3_sub(a->centre, step->colliders[f->a].centre);
  CpsVec3 way_b = cps_vec3_sub(b->centre, step->colliders[f->b].centre);
  back.touch.point_a = cps_vec3_sub(f->touch.point_a, way_a);
  back.touch.point_b = cps_vec3_sub(f->touch.point_b, way_b);
  if (b->owner < 0) {
    const CpsObstacle* o = &world->obstacles[cps_key_place(b->key)];
    u = cps_vec3_sub(u, cps_obstacle_velocity(o, back.touch.point_b, f->touch.normal, m->h));
  }
  back.touch.gap = f->touch.gap - m->h * cps_vec3_dot(f->touch.normal, u);
  back.touch.feature =
      CPS_FEATURE_RENEWED | ((uint32_t)step->renewals << 28 & 0x70000000u) | (f->touch.feature & 0x0fffffffu);
  return back;
}

// Merges two lists of touches in the order of (a, b); for equal pairs, the first list comes first.
static void merge(const CpsColliderTouch* one, int32_t one_count, const CpsColliderTouch* two, int32_t two_count,
                  CpsColliderTouch* out) {
  int32_t i = 0, k = 0;
  while (i < one_count || k < two_count) {
    bool first =
        k == two_count || (i < one_count && (one[i].a < two[k].a || (one[i].a == two[k].a && one[i].b <= two[k].b)));
    *out++ = first ? one[i++] : two[k++];
  }
}

// Number of touches that are deeper.
static int32_t count_deeper(const CpsStep* end, double least) {
  int32_t count = 0;
  for (int32_t i = 0; i < end->found_count; ++i) count += -end->found[i].touch.gap > least;
  return count;
}

// Merges violated touches into those of the earlier rounds.
static CpsStatus collect(CpsStep* step, const CpsStep* end, double least) {
  CpsArena* arena = &step->world->renewed;
  CpsColliderTouch* broken = CPS_TAKE(arena, CpsColliderTouch, count_deeper(end, least) + 1);  // one for trial
  int32_t count = 0, at = 0;
  if (!broken) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to renew contacts");
  for (int32_t i = 0; i < end->found_count; ++i) {
    const CpsColliderTouch* f = &end->found[i];
    if (!(-f->touch.gap > least) || !is_of_followed(end, f) || !(added_by(step, end, f, &at) > least)) continue;
    if (bounces(end, f)) continue;
    broken[count] = take_back(step, end, f);
    // planes that the shapes approach from behind bound nothing
    count += broken[count].touch.gap >= f->touch.gap;
  }
  CpsColliderTouch* all = CPS_TAKE(arena, CpsColliderTouch, (int64_t)step->renewed_count + count);
  if (!all) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to renew contacts");
  merge(step->renewed, step->renewed_count, broken, count, all);
  step->renewable = count > 0;
  step->renewed = all;
  step->renewed_count += count;
  return CPS_OK;
}

// Keeps the tracks. Those of the previous attempt have been matched and may be dropped; each attempt adds a few contacts.
CpsStatus cps_step_keep_tracks(CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  if (!step->tracks || c->count > step->track_room) {
    step->track_room = c->count + c->count / MORE_TRACKS;
    step->tracks = CPS_TAKE(&step->world->renewed, CpsTrack, step->track_room);
  }
  if (!step->tracks) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to renew contacts");
  if (c->count > 0) memcpy(step->tracks, c->track, (size_t)c->count * sizeof *step->tracks);
  step->track_count = c->touch_count + c->tie_count;
  return CPS_OK;
}

// Keeps the touches of the beginning before the search at the end replaces them. After a projection they are valid
// only if the next attempt begins there.
static CpsStatus keep_found(CpsStep* step) {
  CpsArena* arena = &step->world->renewed;
  if (step->kept || (step->moved && !step->pushed_out)) return CPS_OK;
  CpsColliderTouch* found = CPS_TAKE(arena, CpsColliderTouch, step->found_count);
  step->kept_colliders = CPS_TAKE(arena, CpsCollider, step->collider_count);
  if (!found || !step->kept_colliders) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  if (step->found_count > 0) memcpy(found, step->found, (size_t)step->found_count * sizeof *found);
  memcpy(step->kept_colliders, step->colliders, (size_t)step->collider_count * sizeof *step->colliders);
  step->kept = found;
  step->kept_count = step->found_count;
  return CPS_OK;
}

bool cps_step_recall(CpsStep* step) {
  // pieces of lines have moved since, and passes.c needs the pairs of this search
  if (!step->kept || cps_world_line_pieces(step->world) > 0) return false;
  step->colliders = step->kept_colliders;
  step->found = step->kept;
  step->found_count = step->kept_count;
  return true;
}

CpsStatus cps_step_look_at_end(CpsStep* step, double bound, double* added) {
  CpsWorld* world = step->world;
  *added = 0.0;
  bool* idle = CPS_TAKE(step->scratch, bool, step->collider_count);
  if (!idle) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  if (!is_looked_at(step, bound, idle)) return CPS_OK;
  CpsStatus status = keep_found(step);
  if (status != CPS_OK) return status;
  CpsStep end = *step;
  int32_t at = 0;
  end.model.h = 0.0;
  end.renewed_count = 0;
  end.idle = idle;
  cps_obstacles_place(world, world->time + step->model.h, 0.0);
  double start = cps_clock_wall();
  status = cps_step_detect(&end);
  step->info.seconds_detect += cps_clock_wall() - start;
  cps_obstacles_place(world, world->time, step->model.h);
  for (int32_t i = 0; status == CPS_OK && i < end.found_count; ++i) {
    if (-end.found[i].touch.gap > bound && is_of_followed(&end, &end.found[i])) {
      *added = fmax(*added, added_by(step, &end, &end.found[i], &at));
    }
  }
  step->renewable = false;
  if (status == CPS_OK && *added > bound) status = collect(step, &end, PART * bound);
  if (status == CPS_OK && *added > bound) status = cps_step_keep_tracks(step);
  return status;
}

CpsStatus cps_step_join_renewed(CpsStep* step) {
  if (step->renewed_count == 0) return CPS_OK;
  const int64_t count = (int64_t)step->found_count + step->renewed_count;
  // after a recall, the detector's own list is that of the end of the previous attempt and not needed
  CpsColliderTouch* all = step->found == step->kept ? cps_detector_room(step->world->detector, count)
                                                    : CPS_TAKE(step->scratch, CpsColliderTouch, count);
  if (!all) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to renew contacts");
  merge(step->found, step->found_count, step->renewed, step->renewed_count, all);
  step->found = all;
  step->found_count += step->renewed_count;
  return CPS_OK;
}
