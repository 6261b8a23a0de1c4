// Finds objects that passed through each other in a step: lines through lines, moving shapes and obstacles, for any reason.
//
// Pairs with touches at the beginning are examined exactly at the end (contact/crossing.c, contact/pass.c). With V the velocity
// of a piece and R its reach, these are all pairs that get closer than R_A + R_B with velocities between the initial and the
// free ones. But impulses and pushes accelerate lines, and paths are not straight. An axis can meet something else only if
// one of the two moved beyond its reach by more than its radius; a piece is such a runner if one of its ends moved by
//
//   |x+ - x - h V| > R + r / 2,                                                                                     (1)
//
// and a shape if it moved beyond its reach. Everything that runners can have met is examined as well: pieces and objects
// whose bounding boxes, before and after, overlap.
//
// Pieces of lines that did not pass but are deep in something are listed for the mending as well: contacts only keep a depth
// from growing, to first order, and it would add up from step to step.
#include "world/world.h"

#include "contact/broad.h"
#include "contact/chain.h"
#include "contact/pass.h"
#include "core/error.h"
#include "geometry/bvh.h"
#include "geometry/segment.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };
enum { FEW = 16 };  // limit of comparisons of a runner, per collider, above which a broad phase is faster
static const double PART = 0.5;
static const double DEEP = 0.06;  // in radii: a line this deep at the end is sinking,
static const double SUNK = 0.1;   // and the step is to blame if this much was added in it
static const double ROOM = 8.0;   // in radii

typedef struct Looking {
  const CpsStep* step;
  bool pushed;
  const CpsNear* near;        // pairs that had touches,
  const CpsBroadPair* pairs;  // or pairs with at least one runner
  const bool* runner;         // whether a collider is a runner
  int64_t count;
  int32_t* crossings;  // of each chunk of pairs
  double* depth;
} Looking;

// An object that is not a line: its pose at the beginning of the step and now.
typedef struct Thing {
  const CpsGeom* geom;
  CpsPose before, after;
} Thing;

static const CpsLinePiece* piece_of(const CpsStep* step, const CpsCollider* c) {
  return &step->lines[c->owner].piece[cps_key_piece(c->key)];
}

static Thing thing_of(const CpsStep* step, bool pushed, const CpsCollider* c) {
  const int32_t k = cps_key_piece(c->key);
  Thing thing = {c->geom, c->pose, c->pose};
  if (c->owner >= 0) {
    const CpsMember m = cps_world_member(step->world, c->owner);
    if (m.model->type->collider_pose) thing.after = m.model->type->collider_pose(m.model, m.index, k);
  } else if (!pushed) {
    const CpsObstacle* o = &step->world->obstacles[cps_key_place(c->key)];
    thing.after = cps_pose_multiply(o->next, o->pieces.piece[k].pose);
  }
  return thing;
}

// Whether lines can pass through the owner of a collider; surfaces are tested by their triangles.
static bool has_inside(const CpsStep* step, const CpsCollider* c) {
  return c->owner < 0 || cps_world_member(step->world, c->owner).model->type->collider_pose;
}

// Number of the owner of a collider: its member if it is a line, n + its member for other members, and obstacles
// after that; n: number of members.
static int32_t number_of(const CpsStep* step, const CpsCollider* c) {
  const int32_t n = cps_world_member_count(step->world);
  if (cps_is_line_piece(c)) return c->owner;
  return c->owner >= 0 ? n + c->owner : 2 * n + cps_key_place(c->key);
}

static CpsMovedPiece seen_from(const Thing* thing, const CpsLinePiece* piece) {
  CpsMovedPiece own = cps_piece_moved(piece);
  for (int k = 0; k < 2; ++k) {
    own.before[k] = cps_pose_apply_back(thing->before, own.before[k]);
    own.after[k] = cps_pose_apply_back(thing->after, own.after[k]);
  }
  return own;
}

// Whether a piece that got in follows a neighbour that was inside already: a line inside an object, perhaps from the
// start, slides along itself.
static bool follows(const Thing* thing, const CpsLinePiece* piece) {
  for (int k = 0; k < 2; ++k) {
    if ((piece->joined & (k == 0 ? 1 : 2)) == 0) continue;
    const CpsLinePiece* beside = k == 0 ? piece - 1 : piece + 1;
    const CpsMovedPiece own = seen_from(thing, beside);
    if (cps_piece_was_inside(thing->geom, &own, beside->geom.radius)) return true;
  }
  return false;
}

// `gap`: at the beginning, if known.
static bool passed_thing(const Looking* l, const CpsCollider* line, const CpsCollider* other, double gap,
                         CpsCrossing* c) {
  if (!has_inside(l->step, other)) return false;
  const CpsLinePiece* piece = piece_of(l->step, line);
  const Thing thing = thing_of(l->step, l->pushed, other);
  const CpsMovedPiece own = seen_from(&thing, piece);
  double way = 0.0;
  for (int k = 0; k < 2; ++k) way = fmax(way, cps_vec3_norm(cps_vec3_sub(own.after[k], own.before[k])));
  const double radius = piece->geom.radius;
  if (way < gap + DEEP * radius) return false;
  CpsEntry entry;
  double deep = 0.0;
  if (way < gap + PART * radius || !cps_piece_passed(thing.geom, &own, radius, &entry)) {
    deep = cps_piece_depth(thing.geom, own.after, radius, &entry);
    if (!(deep > DEEP * radius)) return false;
  } else if (follows(&thing, piece)) {
    return false;
  }
  *c = cps_crossing(number_of(l->step, line), cps_key_piece(line->key), number_of(l->step, other), 0);
  c->point = cps_pose_apply(thing.after, entry.point);
  c->place[0] = entry.s;
  c->normal = cps_quat_rotate(thing.after.rotation, entry.normal);
  c->deep = deep / radius;
  c->before = cps_piece_depth(thing.geom, own.before, radius, &entry) / radius;
  return true;
}

// Depth of two pieces in each other at the beginning.
static double deep_before(const CpsLinePiece* p, const CpsLinePiece* q) {
  const CpsVec3 d = cps_vec3_sub(p->from[1], p->from[0]), e = cps_vec3_sub(q->from[1], q->from[0]);
  double s, t;
  cps_segment_segment(p->from[0], d, q->from[0], e, &s, &t);
  const CpsVec3 w = cps_vec3_sub(cps_vec3_axpy(p->from[0], s, d), cps_vec3_axpy(q->from[0], t, e));
  return fmax(0.0, p->geom.radius + q->geom.radius - cps_vec3_norm(w));
}

static bool passed_line(const Looking* l, const CpsCollider* a, const CpsCollider* b, CpsCrossing* c, double* depth) {
  const CpsLinePiece *p = piece_of(l->step, a), *q = piece_of(l->step, b);
  const CpsMovedPiece one = cps_piece_moved(p), other = cps_piece_moved(q);
  const CpsVec3 d = cps_vec3_sub(p->to[1], p->to[0]), e = cps_vec3_sub(q->to[1], q->to[0]);
  CpsMeeting m;
  const bool met = cps_pieces_met(&one, &other, &m);
  const double both = p->geom.radius + q->geom.radius, radius = fmin(p->geom.radius, q->geom.radius);
  double deep = 0.0;
  if (!met) {
    deep = both - cps_vec3_norm(m.normal);
    // contacts report the depth of the others
    if (l->runner) *depth = fmax(*depth, deep);
    if (!(deep > DEEP * radius)) return false;
    m.normal = cps_vec3_unit(m.normal);
  } else if (l->runner) {
    *depth = fmax(*depth, both);
  }
  const int32_t first = number_of(l->step, a), i = cps_key_piece(a->key);
  *c = cps_crossing(first, i, number_of(l->step, b), cps_key_piece(b->key));
  const bool turned = c->who[0] != first || c->piece[0] != i;
  c->point = cps_vec3_scale(0.5, cps_vec3_add(cps_vec3_axpy(p->to[0], m.s, d), cps_vec3_axpy(q->to[0], m.t, e)));
  c->place[turned] = m.s;
  c->place[!turned] = m.t;
  c->normal = cps_vec3_scale(turned ? -1.0 : 1.0, m.normal);
  c->deep = deep / radius;
  c->before = deep_before(p, q) / radius;
  return true;
}

// Whether the touch is exempt: held ends that overlap each other or an obstacle do not touch (held.c).
static bool is_let(const CpsStep* step, const CpsCollider* c) {
  return c->owner < 0 || (cps_is_line_piece(c) && cps_line_is_let(&step->lines[c->owner], c->arc[1]));
}

static bool passed(const Looking* l, int64_t i, CpsCrossing* crossing, double* depth) {
  const CpsNear pair = l->near ? l->near[i] : (CpsNear){l->pairs[i].a, l->pairs[i].b, -INFINITY};
  const CpsCollider *a = &l->step->colliders[pair.a], *b = &l->step->colliders[pair.b];
  const bool first = cps_is_line_piece(a), second = cps_is_line_piece(b);
  if (l->runner && !l->runner[pair.a] && !l->runner[pair.b]) return false;
  if (is_let(l->step, a) && is_let(l->step, b)) return false;
  if (l->step->world->tie_there > 0 && cps_colliders_are_tied(l->step, a, b)) return false;
  if (first && second) return passed_line(l, a, b, crossing, depth);
  return passed_thing(l, first ? a : b, first ? b : a, pair.gap, crossing);
}

static void look(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Looking* l = data;
  for (int64_t k = first; k < last; ++k) {
    const int64_t end = (k + 1) * CHUNK < l->count ? (k + 1) * CHUNK : l->count;
    for (int64_t i = k * CHUNK; i < end; ++i) {
      CpsCrossing crossing;
      l->crossings[k] += passed(l, i, &crossing, &l->depth[k]);
    }
  }
}

// Tests all pairs and appends passes to the list of the step.
static CpsStatus look_at_pairs(CpsStep* step, Looking* l, CpsCrossing** list, int32_t* count) {
  const int64_t chunks = (l->count + CHUNK - 1) / CHUNK;
  int32_t found = 0;
  l->crossings = CPS_TAKE_ZERO(step->scratch, int32_t, chunks);
  l->depth = CPS_TAKE_ZERO(step->scratch, double, chunks);
  if (!l->crossings || !l->depth) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  cps_pool_run(step->world->pool, chunks, look, l);
  for (int64_t k = 0; k < chunks; ++k) {
    found += l->crossings[k];
    step->depth = fmax(step->depth, l->depth[k]);
  }
  if (found == 0) return CPS_OK;
  CpsCrossing* all = CPS_TAKE(step->scratch, CpsCrossing, *count + found);
  if (!all) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < *count; ++i) all[i] = (*list)[i];
  for (int64_t k = 0; k < chunks; ++k) {
    const int64_t end = (k + 1) * CHUNK < l->count ? (k + 1) * CHUNK : l->count;
    for (int64_t i = k * CHUNK; l->crossings[k] > 0 && i < end; ++i) {
      double depth = 0.0;  // already counted
      *count += passed(l, i, &all[*count], &depth);
    }
  }
  *list = all;
  return CPS_OK;
}

// Whether a collider outran the search, (1).
static bool outran(const CpsStep* step, bool pushed, const CpsCollider* c) {
  if (cps_is_line_piece(c)) {
    const CpsLinePiece* p = piece_of(step, c);
    for (int k = 0; k < 2; ++k) {
      CpsVec3 way = cps_vec3_sub(p->to[k], p->from[k]);
      double off = cps_vec3_norm(pushed ? way : cps_vec3_axpy(way, -step->model.h, p->velocity));
      if (off > p->reach + PART * p->geom.radius) return true;
    }
    return false;
  }
  if (c->owner < 0) return false;
  const Thing thing = thing_of(step, pushed, c);
  const CpsQuat turn = cps_quat_multiply(thing.after.rotation, cps_quat_conjugate(thing.before.rotation));
  const double angle = cps_vec3_norm(cps_quat_log(turn));
  return cps_vec3_norm(cps_vec3_sub(thing.after.position, thing.before.position)) + angle * c->geom->outer_radius >
         c->reach + PART * step->world->smallest;
}

static CpsAabb around(CpsVec3 p, CpsVec3 q) {
  return cps_aabb_union((CpsAabb){p, p}, (CpsAabb){q, q});
}

// A bounding box of a collider before and after the step.
static CpsBroadBox box_of(const CpsStep* step, bool pushed, const CpsCollider* c) {
  CpsBroadBox box = {.owner = -1};
  if (cps_is_line_piece(c)) {
    const CpsLinePiece* p = piece_of(step, c);
    const CpsAabb axis = cps_aabb_union(around(p->from[0], p->from[1]), around(p->to[0], p->to[1]));
    return (CpsBroadBox){
        cps_aabb_grow(axis, p->geom.radius), c->owner, c->group, {c->arc[0], c->arc[1]}, c->self_distance, false};
  }
  const Thing thing = thing_of(step, pushed, c);
  box.box = cps_aabb_union(cps_geom_bounds(c->geom, &thing.before), cps_geom_bounds(c->geom, &thing.after));
  box.group = c->owner < 0 ? 0 : c->group;
  return box;
}

// Whether the pairs found earlier in this step still cover all motion: nothing left its box, and there are no new
// runners.
static bool still_holds(const CpsStep* step, bool pushed, const bool* runner) {
  const CpsRunners* r = &step->runners;
  if (!r->boxes || r->pushed != pushed) return false;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    if (!r->all && runner[i] && !r->runner[i]) return false;
    const CpsAabb now = box_of(step, pushed, &step->colliders[i]).box, *then = &r->boxes[i].box;
    const CpsAabb both = cps_aabb_union(now, *then);
    if (!cps_vec3_is_equal(both.min, then->min) || !cps_vec3_is_equal(both.max, then->max)) return false;
  }
  return true;
}

// Colliders [first, last) of one owner, and their bounding box.
typedef struct Range {
  int32_t first, last;
  CpsAabb box;
} Range;

static int32_t find_ranges(const CpsStep* step, Range* ranges) {
  const CpsBroadBox* boxes = step->runners.boxes;
  int32_t count = 0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    if (i > 0 && boxes[i].owner >= 0 && boxes[i].owner == boxes[i - 1].owner) {
      ranges[count - 1].last = i + 1;
      ranges[count - 1].box = cps_aabb_union(ranges[count - 1].box, boxes[i].box);
    } else {
      ranges[count++] = (Range){i, i + 1, boxes[i].box};
    }
  }
  return count;
}

static bool is_pair(const CpsBroadBox* a, const CpsBroadBox* b) {
  if (!cps_aabb_overlap(&a->box, &b->box) || (a->owner < 0 && b->owner < 0)) return false;
  if (a->owner == b->owner) return cps_broad_self(a->arc, a->self_distance, b->arc, b->self_distance);
  return a->group <= 0 || a->group != b->group;
}

// Lists the pairs with runners, each once; without room for them, only counts them.
static int64_t list_pairs(const CpsStep* step, const Range* ranges, int32_t range_count, CpsBroadPair* pairs) {
  const CpsRunners* r = &step->runners;
  int64_t count = 0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    for (int32_t k = 0; r->runner[i] && k < range_count; ++k) {
      if (!cps_aabb_overlap(&r->boxes[i].box, &ranges[k].box)) continue;
      for (int32_t j = ranges[k].first; j < ranges[k].last; ++j) {
        if (j == i || (r->runner[j] && j < i) || !is_pair(&r->boxes[i], &r->boxes[j])) continue;
        if (pairs) pairs[count] = i < j ? (CpsBroadPair){i, j} : (CpsBroadPair){j, i};
        count++;
      }
    }
  }
  return count;
}

// All pairs of runners whose boxes overlap, with a margin for later position correction. A few runners are compared
// with all boxes; for many, the broad phase is faster.
static CpsStatus find_pairs(CpsStep* step, bool pushed, const bool* runner, int32_t runners) {
  CpsRunners* r = &step->runners;
  if (still_holds(step, pushed, runner)) return CPS_OK;
  *r = (CpsRunners){.pushed = pushed, .runner = runner};
  r->boxes = CPS_TAKE(step->scratch, CpsBroadBox, step->collider_count);
  Range* ranges = CPS_TAKE(step->scratch, Range, step->collider_count);
  if (!r->boxes || !ranges) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < step->collider_count; ++i) {
    r->boxes[i] = box_of(step, pushed, &step->colliders[i]);
    if (r->boxes[i].owner < 0) continue;
    r->boxes[i].box = cps_aabb_grow(r->boxes[i].box, ROOM * step->colliders[i].geom->radius);
  }
  const int32_t range_count = find_ranges(step, ranges);
  r->all = (int64_t)runners * range_count > (int64_t)FEW * step->collider_count;
  if (r->all) {
    r->pairs = cps_broad_pairs(r->boxes, step->collider_count, step->world->pool, step->scratch, &r->count);
  } else {
    r->count = list_pairs(step, ranges, range_count, NULL);
    CpsBroadPair* pairs = CPS_TAKE(step->scratch, CpsBroadPair, r->count);
    if (pairs) (void)list_pairs(step, ranges, range_count, pairs);
    r->pairs = pairs;
  }
  return r->pairs ? CPS_OK : cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
}

// Tests all runners against all colliders that they can have met.
static CpsStatus look_at_runners(CpsStep* step, Looking* l, CpsCrossing** list, int32_t* count) {
  bool* runner = CPS_TAKE_ZERO(step->scratch, bool, step->collider_count);
  if (!runner) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  int32_t runners = 0, last = -1;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    runner[i] = outran(step, l->pushed, c);
    runners += runner[i];
    if (!runner[i] || !cps_is_line_piece(c) || c->owner == last) continue;
    last = c->owner;
    if (!l->pushed) step->info.outruns++;
  }
  if (runners == 0) return CPS_OK;
  CpsStatus status = find_pairs(step, l->pushed, runner, runners);
  if (status != CPS_OK) return status;
  l->near = NULL;
  l->pairs = step->runners.pairs;
  l->count = step->runners.count;
  l->runner = runner;
  return look_at_pairs(step, l, list, count);
}

// Moves entries that are only deep to a list of their own.
static CpsStatus set_apart(CpsStep* step, CpsCrossing* list, int32_t* count) {
  const int32_t all = *count;
  step->sinking = CPS_TAKE(step->scratch, CpsCrossing, all);
  if (!step->sinking) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  step->sinking_count = *count = 0;
  step->sinking_most = step->sinking_newly = 0.0;
  for (int32_t i = 0; i < all; ++i) {
    step->sinking_most = fmax(step->sinking_most, list[i].deep);
    if (list[i].deep - list[i].before > SUNK) step->sinking_newly = fmax(step->sinking_newly, list[i].deep);
    CpsCrossing* to = list[i].deep > 0.0 ? &step->sinking[step->sinking_count++] : &list[(*count)++];
    *to = list[i];
  }
  return CPS_OK;
}

CpsStatus cps_step_passes(CpsStep* step, bool pushed) {
  CpsCrossing* list = NULL;
  int32_t count = 0, outruns = step->info.outruns;
  Looking l = {.step = step, .pushed = pushed};
  step->info.outruns = 0;
  l.near = cps_detector_near(step->world->detector, &l.count);
  CpsStatus status = look_at_pairs(step, &l, &list, &count);
  if (status == CPS_OK) status = look_at_runners(step, &l, &list, &count);
  if (pushed) step->info.outruns = outruns;
  if (status == CPS_OK) status = set_apart(step, list, &count);
  if (status != CPS_OK) return status;
  int32_t places = count > 0 ? cps_crossing_places(list, count) : 0;
  step->pass_count = count;
  step->passes = CPS_TAKE(step->arena, CpsCrossing, count);
  step->told = CPS_TAKE(step->arena, CpsPass, places);
  if (!step->passes || !step->told) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  if (count > 0) memcpy(step->passes, list, (size_t)count * sizeof *list);
  if (pushed) step->pushed = places;
  step->info.crossings = pushed ? places : step->pushed + places;
  step->info.passes = 0;
  for (int32_t i = 0; i < count; ++i) {
    step->info.passes += list[i].next == i && list[i].who[1] >= cps_world_member_count(step->world);
  }
  return status;
}

// The centre of a piece that passed, at its current position.
static CpsSide side_of_piece(const CpsStep* step, int32_t member, int32_t piece) {
  const CpsLinePiece* p = &step->lines[member].piece[piece];
  const CpsSpot spot = {.arc = 0.5 * (p->arc[0] + p->arc[1]), .piece = piece};
  return cps_side_of(step->world, member, -1, &spot, cps_vec3_scale(0.5, cps_vec3_add(p->to[0], p->to[1])), false);
}

static CpsPass tell(const CpsStep* step, const CpsCrossing* c) {
  const CpsWorld* world = step->world;
  const int32_t n = cps_world_member_count(world), other = c->who[1];
  const CpsSpot spot = {.point = c->point};
  CpsPass pass = {.side = {side_of_piece(step, c->who[0], c->piece[0])}, .point = c->point};
  if (other < n) {
    pass.side[1] = side_of_piece(step, other, c->piece[1]);
  } else if (other < 2 * n) {
    pass.side[1] = cps_side_of(world, other - n, -1, &spot, c->point, false);
  } else {
    pass.side[1] = cps_side_of(world, -1, other - 2 * n, &spot, c->point, false);
    pass.side[1].place = cps_pose_apply_back(world->obstacles[other - 2 * n].next, c->point);
  }
  return pass;
}

void cps_step_tell_passes(CpsStep* step) {
  CpsWorld* world = step->world;
  world->passes = step->told;
  world->pass_count = 0;
  for (int32_t i = 0; i < step->pass_count; ++i) {
    if (step->passes[i].next == i) world->passes[world->pass_count++] = tell(step, &step->passes[i]);
  }
}
