// What is inside each other: of a step the touch that is deepest for its size, and of a world all pairs.
//
// A depth means little by itself: it is compared with the radius of the objects, the smallest of the spheres that fit into
// the two. A centre that is a radius deep may as well come out on the other side.
#include "world/world.h"

#include "contact/chain.h"
#include "core/error.h"

#include <math.h>
#include <stdlib.h>

static const double SLOP = 1e-3;  // default: shallower ones count as touches, relative to the radius

// The smaller inner radius; planes and meshes, which have no inside, do not count.
double cps_found_radius(const CpsStep* step, const CpsColliderTouch* found) {
  double a = step->colliders[found->a].geom->inner_radius, b = step->colliders[found->b].geom->inner_radius;
  return fmin(a > 0.0 ? a : INFINITY, b > 0.0 ? b : INFINITY);
}

double cps_found_slop(const CpsStep* step, const CpsColliderTouch* found) {
  double slop = step->world->def.slop;
  return slop >= 0.0 ? slop : SLOP * cps_found_radius(step, found);
}

CpsOverlap cps_found_overlap(const CpsStep* step, const CpsColliderTouch* found) {
  const CpsWorld* world = step->world;
  const CpsCollider *a = &step->colliders[found->a], *b = &step->colliders[found->b];
  const CpsSpot spot_a = {.arc = cps_chain_arc(a, &found->touch, 0), .piece = cps_key_piece(a->key)};
  const CpsSpot spot_b = {.arc = cps_chain_arc(b, &found->touch, 1), .piece = cps_key_piece(b->key)};
  const int32_t obstacle = b->owner < 0 ? cps_key_place(b->key) : -1;
  CpsOverlap o = {.point = cps_vec3_scale(0.5, cps_vec3_add(found->touch.point_a, found->touch.point_b)),
                  .depth = -found->touch.gap,
                  .radius = cps_found_radius(step, found)};
  o.side[0] = cps_side_of(world, a->owner, -1, &spot_a, found->touch.point_a, false);
  o.side[1] = cps_side_of(world, b->owner, obstacle, &spot_b, found->touch.point_b, false);
  return o;
}

static int by_thing(CpsThing a, CpsThing b) {
  return a.kind != b.kind ? (a.kind > b.kind) - (a.kind < b.kind) : (a.index > b.index) - (a.index < b.index);
}

int cps_overlap_compare(const CpsOverlap* x, const CpsOverlap* y) {
  int order = by_thing(x->side[0].thing, y->side[0].thing);
  return order != 0 ? order : by_thing(x->side[1].thing, y->side[1].thing);
}

static int compare_pair(const void* a, const void* b) {
  return cps_overlap_compare(a, b);
}

// Puts the two sides in a fixed order, independent of how they were found.
static void put_in_order(CpsOverlap* o) {
  const CpsSide first = o->side[0];
  if (by_thing(first.thing, o->side[1].thing) <= 0) return;
  o->side[0] = o->side[1];
  o->side[1] = first;
}

// Whether a touch belongs to an overlap that was given at the start and is no deeper. Rounding and the steps move
// objects at rest by far less than a slop.
static bool is_given(const CpsStep* step, const CpsColliderTouch* found) {
  const CpsWorld* world = step->world;
  if (world->given_count == 0) return false;
  CpsOverlap now = cps_found_overlap(step, found);
  put_in_order(&now);
  const CpsOverlap* then = bsearch(&now, world->given, (size_t)world->given_count, sizeof now, compare_pair);
  return then && cps_thing_is(then->side[0].thing, now.side[0].thing) &&
         cps_thing_is(then->side[1].thing, now.side[1].thing) && now.depth <= then->depth + cps_found_slop(step, found);
}

// The same for smooth surfaces; returns the larger ratio.
static double find_deepest_smooth(CpsStep* step, double ratio) {
  step->smooth_penetration = 0.0;
  for (int32_t i = 0; i < step->smooth_touch_count; ++i) {
    CpsOverlap now;
    if (!cps_smooth_overlap(step, &step->smooth_touch[i], &now)) continue;
    step->smooth_penetration = fmax(step->smooth_penetration, now.depth);
    if (now.depth <= ratio * now.radius) continue;
    ratio = now.depth / now.radius;
    step->deepest = now;
  }
  return ratio;
}

void cps_step_deepest(CpsStep* step) {
  const CpsColliderTouch* worst = NULL;
  double ratio = 0.0;
  step->penetration = 0.0;
  for (int32_t i = 0; i < step->found_count; ++i) {
    const CpsColliderTouch* found = &step->found[i];
    if (!(found->touch.gap < 0.0) || found->touch.feature & CPS_FEATURE_RENEWED) continue;
    step->penetration = fmax(step->penetration, -found->touch.gap);
    // the radius of two members is not below the smallest and need not be looked up
    if (found->b < step->member_collider_count && -found->touch.gap <= ratio * step->world->smallest) continue;
    double deep = -found->touch.gap / cps_found_radius(step, found);
    if (deep <= ratio || is_given(step, found)) continue;
    ratio = deep;
    worst = found;
  }
  step->deepest = worst ? cps_found_overlap(step, worst) : (CpsOverlap){0};
  ratio = find_deepest_smooth(step, ratio);
  const CpsAside* aside = &step->world->aside;
  uint64_t a = worst ? step->colliders[worst->a].key : 0, b = worst ? step->colliders[worst->b].key : 0;
  for (int32_t k = 0; step->aside && k < aside->island_count; ++k) {
    const CpsAsideIsland* island = &aside->island[k];
    step->penetration = fmax(step->penetration, island->penetration);
    // among equal ratios, the first counts
    const bool earlier = island->deepest_a < a || (island->deepest_a == a && island->deepest_b < b);
    if (!(island->ratio > ratio || (island->ratio == ratio && ratio > 0.0 && earlier))) continue;
    ratio = island->ratio;
    step->deepest = island->deepest;
    a = island->deepest_a;
    b = island->deepest_b;
  }
}

// Order along a line, for equal depths.
static int by_place(const CpsSide* a, const CpsSide* b) {
  return (a->place.x > b->place.x) - (a->place.x < b->place.x);
}

// Order by pair, the deepest of a pair first.
static int by_pair(const void* a, const void* b) {
  const CpsOverlap *x = a, *y = b;
  int order = cps_overlap_compare(x, y);
  if (order != 0) return order;
  if (x->depth != y->depth) return x->depth > y->depth ? -1 : 1;
  order = by_place(&x->side[0], &y->side[0]);
  return order != 0 ? order : by_place(&x->side[1], &y->side[1]);
}

static int by_depth(const void* a, const void* b) {
  const CpsOverlap *x = a, *y = b;
  double deep = fmax(x->depth, x->left) / x->radius, other = fmax(y->depth, y->left) / y->radius;
  return deep != other ? (deep > other ? -1 : 1) : cps_overlap_compare(x, y);
}

void cps_overlaps_by_depth(CpsOverlap* list, int32_t count) {
  if (count > 1) qsort(list, (size_t)count, sizeof *list, by_depth);
}

void cps_overlaps_by_pair(CpsOverlap* list, int32_t count) {
  if (count > 1) qsort(list, (size_t)count, sizeof *list, by_pair);
}

static bool is_deep(const CpsStep* step, const CpsColliderTouch* found, double slops) {
  return -found->touch.gap > slops * cps_found_slop(step, found);
}

// The same for smooth surfaces, which have the default slop. Returns their number; writes them if `out` is not NULL.
static int32_t list_smooth(const CpsStep* step, double slops, CpsOverlap* out) {
  int32_t count = 0;
  for (int32_t i = 0; i < step->smooth_touch_count; ++i) {
    CpsOverlap now;
    if (!cps_smooth_overlap(step, &step->smooth_touch[i], &now)) continue;
    const double slop = step->world->def.slop >= 0.0 ? step->world->def.slop : SLOP * now.radius;
    if (!(now.depth > slops * slop)) continue;
    if (out) out[count] = now;
    ++count;
  }
  return count;
}

// Deep touches and intersections, one for each pair, in memory of the caller.
CpsStatus cps_step_overlaps(CpsStep* step, double slops, CpsOverlap** list, int32_t* count) {
  int32_t n = 0, pairs = 0, through;
  CpsOverlap* all;
  *list = NULL;
  *count = 0;
  CpsStatus status = cps_step_intersections(step, &all, &through);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < step->found_count; ++i) n += is_deep(step, &step->found[i], slops);
  n += list_smooth(step, slops, NULL);
  CpsOverlap* grown = n > 0 ? realloc(all, ((size_t)n + (size_t)through) * sizeof *all) : all;
  if (n > 0 && !grown) {
    free(all);
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for %d overlaps", (int)n);
  }
  all = grown;
  n = through;
  for (int32_t i = 0; i < step->found_count; ++i) {
    const CpsColliderTouch* found = &step->found[i];
    if (is_deep(step, found, slops)) all[n++] = cps_found_overlap(step, found);
  }
  if (all) n += list_smooth(step, slops, all + n);
  if (n == 0) {
    free(all);
    return CPS_OK;
  }
  qsort(all, (size_t)n, sizeof *all, by_pair);
  for (int32_t i = 0; i < n; ++i) {
    if (i > 0 && cps_overlap_compare(&all[i], &all[pairs - 1]) == 0) continue;
    all[pairs++] = all[i];
  }
  *list = all;
  *count = pairs;
  return CPS_OK;
}

CpsStatus cps_step_look(CpsStep* step, double skin) {
  CpsWorld* world = step->world;
  cps_obstacles_place(world, world->time, 0.0);
  double h = step->model.h;
  step->model.h = 0.0;
  step->skin = skin;
  CpsStatus status = cps_step_detect(step);
  step->model.h = h;
  return status;
}

CpsStatus cps_world_find_overlaps(CpsWorld* world, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  cps_arena_reset(&world->scratch);
  CpsStep step = {.world = world, .scratch = &world->scratch, .error = error};
  CpsStatus status = cps_step_look(&step, 0.0);
  if (status == CPS_OK) status = cps_step_look_smooth(&step);
  CpsOverlap* list = NULL;
  int32_t count = 0;
  if (status == CPS_OK) status = cps_step_overlaps(&step, 1.0, &list, &count);
  world->contacts.G = NULL;  // its memory, that of the last step's problem, has been reused
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < count; ++i) list[i].left = list[i].depth;
  cps_overlaps_by_depth(list, count);
  free(world->overlaps);
  world->overlaps = list;
  world->overlap_count = count;
  return cps_succeed(error);
}

CpsStatus cps_world_keep_overlaps(CpsWorld* world, CpsThingKind kind, CpsError* error) {
  const CpsStatus status = cps_world_find_overlaps(world, error);
  if (status != CPS_OK) return status;
  CpsOverlap* given = malloc(((size_t)world->overlap_count + 1) * sizeof *given);
  if (!given) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d overlaps", (int)world->overlap_count);
  int32_t count = 0;
  for (int32_t i = 0; i < world->overlap_count; ++i) {
    const CpsOverlap* o = &world->overlaps[i];
    if (o->side[0].thing.kind != kind || o->side[1].thing.kind != kind) continue;
    given[count] = *o;
    put_in_order(&given[count++]);
  }
  cps_overlaps_by_pair(given, count);
  free(world->given);
  world->given = given;
  world->given_count = count;
  cps_world_disturb(world);
  return cps_succeed(error);
}

int32_t cps_world_overlap_count(const CpsWorld* world) {
  return world ? world->overlap_count : 0;
}

CpsOverlap cps_world_overlap(const CpsWorld* world, int32_t i) {
  return world && i >= 0 && i < world->overlap_count ? world->overlaps[i] : (CpsOverlap){0};
}
