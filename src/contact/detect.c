// From colliders to contacts: boxes that hold what a collider may reach, their overlaps, and the exact touches of each
// pair. The pairs come sorted from the broad phase and are split into one range per thread; the ranges are joined in
// order, so that the result does not depend on the number of threads.
#include "contact/detect.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contact/broad.h"
#include "contact/chain.h"
#include "contact/sweep.h"
#include "geometry/bvh.h"
#include "geometry/pairs.h"

// Touches of one thread. Grows to the largest step and is kept.
typedef struct Output {
  CpsColliderTouch* found;
  int64_t count, capacity;
  CpsNear* near;  // pairs of pieces of lines
  int64_t near_count, near_capacity;
} Output;

struct CpsDetector {
  CpsArena arena;  // for searches, or
  CpsArena* lent;  // an arena of the caller, released after use
  Output* output;  // one per thread
  int output_count;
  // current step
  const CpsCollider* colliders;
  double h, skin;
  const CpsDrift* drift;
  const int32_t* list;  // colliders that are tested; NULL: all
  CpsConvex* placed;    // one per tested collider
  CpsBroadBox* boxes;
  const CpsBroadPair* pairs;
  atomic_bool failed;
};

CpsDetector* cps_detector_create(void) {
  CpsDetector* detector = calloc(1, sizeof *detector);
  if (detector != NULL) atomic_init(&detector->failed, false);
  return detector;
}

void cps_detector_destroy(CpsDetector* detector) {
  if (detector == NULL) return;
  for (int i = 0; i < detector->output_count; i++) {
    free(detector->output[i].found);
    free(detector->output[i].near);
  }
  free(detector->output);
  cps_arena_free(&detector->arena);
  free(detector);
}

void cps_detector_lend(CpsDetector* detector, CpsArena* arena) {
  detector->lent = arena;
}

static bool reserve(Output* output, int64_t more) {
  if (output->count + more <= output->capacity) return true;
  const int64_t needed = output->count + more, capacity = needed + needed / 32 + 16;
  CpsColliderTouch* found = realloc(output->found, (size_t)capacity * sizeof *found);
  if (found == NULL) return false;
  output->found = found;
  output->capacity = capacity;
  return true;
}

static bool reserve_near(Output* output, int64_t more) {
  if (output->near_count + more <= output->near_capacity) return true;
  const int64_t needed = output->near_count + more, capacity = needed + needed / 4 + 16;
  CpsNear* near = realloc(output->near, (size_t)capacity * sizeof *near);
  if (near == NULL) return false;
  output->near = near;
  output->near_capacity = capacity;
  return true;
}

static bool prepare_outputs(CpsDetector* detector, int threads) {
  if (threads > detector->output_count) {
    Output* output = realloc(detector->output, (size_t)threads * sizeof *output);
    if (output == NULL) return false;
    memset(output + detector->output_count, 0, (size_t)(threads - detector->output_count) * sizeof *output);
    detector->output = output;
    detector->output_count = threads;
  }
  for (int i = 0; i < detector->output_count; i++) detector->output[i].count = detector->output[i].near_count = 0;
  return true;
}

// Bounding box of a collider and its path, in a frame that follows the drift. At a distance d from the centre the
// drift differs by w x d. Two points that meet were at most the size plus twice their displacements apart.
static CpsAabb leave_drift(const CpsDetector* detector, const CpsCollider* c, CpsAabb box) {
  if (c->owner < 0 || c->sway > 0.0) return box;  // sway includes it
  const CpsVec3 way =
      cps_vec3_scale(detector->h, cps_vec3_sub(c->velocity, cps_drift_at(detector->drift, c->pose.position)));
  const double turn = detector->h * cps_vec3_norm(detector->drift->spin);
  const double more = turn * (c->geom->outer_radius + 2.0 * (cps_vec3_norm(way) + c->reach));
  box.min = cps_vec3_add(box.min, cps_vec3(fmin(way.x, 0.0) - more, fmin(way.y, 0.0) - more, fmin(way.z, 0.0) - more));
  box.max = cps_vec3_add(box.max, cps_vec3(fmax(way.x, 0.0) + more, fmax(way.y, 0.0) + more, fmax(way.z, 0.0) + more));
  return box;
}

// Keeps the touches whose gap may close: the test is exact, where the search used the reach only.
static int closing(const CpsVec3 way, double margin, CpsTouch* touches, int count) {
  int kept = 0;
  for (int k = 0; k < count; k++) {
    if (touches[k].gap + fmin(cps_vec3_dot(way, touches[k].normal), 0.0) <= margin) touches[kept++] = touches[k];
  }
  return kept;
}

static double least_gap(const CpsTouch* touches, int count) {
  double least = touches[0].gap;
  for (int k = 1; k < count; k++) least = touches[k].gap < least ? touches[k].gap : least;
  return least;
}

static double slack_of(const CpsCollider* c) {
  return cps_is_line_piece(c) ? CPS_NEAR_SLACK * c->geom->radius : 0.0;
}

// A bounding box of a collider and its motion.
static CpsAabb box_of(const CpsDetector* detector, const CpsCollider* c) {
  const CpsAabb box = leave_drift(detector, c, cps_geom_bounds(c->geom, &c->pose));
  return cps_aabb_grow(box, c->reach + c->sway + 0.5 * detector->skin + slack_of(c));
}

// Colliders of the list.
static void place(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsDetector* detector = data;
  for (int64_t i = first; i < last; i++) {
    const CpsCollider* c = &detector->colliders[detector->list != NULL ? detector->list[i] : i];
    cps_place(c->geom, &c->pose, &detector->placed[i]);
    detector->boxes[i] = (CpsBroadBox){.box = box_of(detector, c),
                                       .owner = c->owner,
                                       .group = c->group,
                                       .idle = c->idle,
                                       .arc = {c->arc[0], c->arc[1]},
                                       .self_distance = c->self_distance};
  }
}

static void touch(void* data, int64_t first, int64_t last, int worker) {
  CpsDetector* detector = data;
  Output* output = &detector->output[worker];
  CpsTouch touches[CPS_TOUCH_MAX];
  CpsVec3 lead[CPS_TOUCH_MAX];
  const CpsVec3 none = {0.0, 0.0, 0.0};
  for (int64_t i = first; i < last; i++) {
    const int32_t place_a = detector->pairs[i].a, place_b = detector->pairs[i].b;
    const int32_t a = detector->list != NULL ? detector->list[place_a] : place_a;
    const int32_t b = detector->list != NULL ? detector->list[place_b] : place_b;
    const CpsCollider *one = &detector->colliders[a], *other = &detector->colliders[b];
    if (one->node && other->node) continue;
    const double margin = one->reach + other->reach + detector->skin;
    const CpsVec3 way = cps_vec3_scale(detector->h, cps_vec3_sub(one->velocity, other->velocity));
    const double far = margin + cps_vec3_norm(way), slack = slack_of(one) + slack_of(other);
    int count = cps_collide_placed(&detector->placed[place_a], &detector->placed[place_b], far + slack, touches);
    if (far + slack > margin) count = closing(way, margin + slack, touches, count);
    const bool near = slack > 0.0 && count > 0;
    if (near && !reserve_near(output, 1)) {
      atomic_store(&detector->failed, true);
      return;
    }
    if (near) output->near[output->near_count++] = (CpsNear){a, b, least_gap(touches, count)};
    if (slack > 0.0) count = closing(way, margin, touches, count);
    const bool swept = !cps_is_line_piece(one) && !cps_is_line_piece(other);
    if (swept) count = cps_sweep(one, other, far, detector->skin, touches, lead, count);
    if (detector->colliders[a].joined != 0 || detector->colliders[b].joined != 0) {
      count = cps_chain_own(detector->colliders, a, b, touches, count);
    }
    if (!reserve(output, count)) {
      atomic_store(&detector->failed, true);
      return;
    }
    for (int k = 0; k < count; k++)
      output->found[output->count++] = (CpsColliderTouch){a, b, touches[k], swept ? lead[k] : none};
  }
}

// The output of one thread is the result; those of several threads are appended to the first.
static bool join(CpsDetector* detector, int threads) {
  Output* all = &detector->output[0];
  int64_t total = 0, near = 0;
  for (int i = 0; i < threads; i++) {
    total += detector->output[i].count;
    near += detector->output[i].near_count;
  }
  if (total > INT32_MAX || !reserve(all, total - all->count) || !reserve_near(all, near - all->near_count))
    return false;
  for (int i = 1; i < threads; i++) {
    const Output* output = &detector->output[i];
    if (output->count > 0)
      memcpy(all->found + all->count, output->found, (size_t)output->count * sizeof *output->found);
    all->count += output->count;
    const size_t size = (size_t)output->near_count * sizeof *output->near;
    if (size > 0) memcpy(all->near + all->near_count, output->near, size);
    all->near_count += output->near_count;
  }
  return true;
}

const CpsNear* cps_detector_near(const CpsDetector* detector, int64_t* count) {
  *count = detector->output_count > 0 ? detector->output[0].near_count : 0;
  return *count > 0 ? detector->output[0].near : NULL;
}

CpsColliderTouch* cps_detector_room(CpsDetector* detector, int64_t count) {
  if (detector->output_count == 0) return NULL;
  Output* output = &detector->output[0];
  output->count = 0;
  return reserve(output, count) ? output->found : NULL;
}

bool cps_detect(CpsDetector* detector, const CpsCollider* colliders, int32_t count, double skin, CpsPool* pool,
                const CpsColliderTouch** found, int32_t* found_count) {
  const CpsDrift still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return cps_detect_moving(detector, colliders, count, 0.0, &still, skin, pool, found, found_count);
}

// A bounding box of all colliders that are not idle; false if none is idle.
static bool find_busy(const CpsDetector* detector, int32_t count, CpsAabb* busy) {
  bool idle = false;
  *busy = (CpsAabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int32_t i = 0; i < count; i++) idle = idle || detector->colliders[i].idle;
  for (int32_t i = 0; idle && i < count; i++) {
    const CpsCollider* c = &detector->colliders[i];
    if (!c->idle) *busy = cps_aabb_union(*busy, box_of(detector, c));
  }
  return idle;
}

// Leaves out colliders that are idle and far from all moving ones; in a heap at rest these are the majority. Returns
// how many are left, -1 if memory runs out.
static int32_t choose(CpsDetector* detector, int32_t count, CpsArena* arena) {
  CpsAabb busy;
  detector->list = NULL;
  if (!find_busy(detector, count, &busy)) return count;
  int32_t* list = CPS_TAKE(arena, int32_t, count);
  int32_t left = 0;
  if (list == NULL) return -1;
  for (int32_t i = 0; i < count; i++) {
    const CpsCollider* c = &detector->colliders[i];
    if (c->idle) {
      const CpsAabb box = box_of(detector, c);
      if (!cps_aabb_overlap(&box, &busy)) continue;
    }
    list[left++] = i;
  }
  detector->list = list;
  return left;
}

// Finds the touches of all pairs, one range per thread. Boxes and pairs are taken from `arena`.
static bool search(CpsDetector* detector, int32_t all, CpsPool* pool, CpsArena* arena) {
  const int threads = cps_pool_threads(pool);
  if (!prepare_outputs(detector, threads)) return false;
  const int32_t count = choose(detector, all, arena);
  if (count < 0) return false;
  detector->placed = CPS_TAKE(arena, CpsConvex, count);
  detector->boxes = CPS_TAKE(arena, CpsBroadBox, count);
  if (detector->placed == NULL || detector->boxes == NULL) return false;
  cps_pool_run(pool, count, place, detector);
  int64_t pair_count = 0;
  detector->pairs = cps_broad_pairs(detector->boxes, count, pool, arena, &pair_count);
  if (detector->pairs == NULL) return false;
  cps_pool_run(pool, pair_count, touch, detector);
  return !atomic_load(&detector->failed) && join(detector, threads);
}

bool cps_detect_moving(CpsDetector* detector, const CpsCollider* colliders, int32_t count, double h,
                       const CpsDrift* drift, double skin, CpsPool* pool, const CpsColliderTouch** found,
                       int32_t* found_count) {
  CpsArena* arena = detector->lent != NULL ? detector->lent : &detector->arena;
  if (arena == &detector->arena) cps_arena_reset(arena);
  atomic_store(&detector->failed, false);
  detector->colliders = colliders;
  detector->h = h;
  detector->drift = drift;
  detector->skin = skin;
  const CpsArenaMark mark = cps_arena_mark(arena);
  const bool done = search(detector, count, pool, arena);
  cps_arena_release(arena, mark);
  if (!done) return false;
  *found = detector->output[0].found;
  *found_count = (int32_t)detector->output[0].count;
  return true;
}
