// From colliders to contacts: boxes that hold what a collider may reach, their overlaps, and the exact touches of each
// pair. The pairs come sorted from the broad phase and are split into one range per thread; the ranges are joined in
// order, so that the result does not depend on the number of threads.
#include "contact/detect.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contact/broad.h"
#include "contact/chain.h"
#include "geometry/pairs.h"

// Touches of one thread; grows to the largest step and is kept.
typedef struct Output {
  CpsFound* found;
  int64_t count, capacity;
} Output;

struct CpsDetector {
  CpsArena arena;
  Output* output;  // one per thread
  int output_count;
  // the step in work
  const CpsCollider* colliders;
  double skin;
  CpsConvex* placed;
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
  for (int i = 0; i < detector->output_count; i++) free(detector->output[i].found);
  free(detector->output);
  cps_arena_free(&detector->arena);
  free(detector);
}

static bool reserve(Output* output, int64_t more) {
  if (output->count + more <= output->capacity) return true;
  const int64_t capacity = 2 * (output->count + more);
  CpsFound* found = realloc(output->found, (size_t)capacity * sizeof *found);
  if (found == NULL) return false;
  output->found = found;
  output->capacity = capacity;
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
  for (int i = 0; i < detector->output_count; i++) detector->output[i].count = 0;
  return true;
}

static void place(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsDetector* detector = data;
  for (int64_t i = first; i < last; i++) {
    const CpsCollider* c = &detector->colliders[i];
    const double grow = c->reach + 0.5 * detector->skin;
    const CpsVec3 by = {grow, grow, grow};
    const CpsAabb box = cps_geom_bounds(c->geom, &c->pose);
    cps_place(c->geom, &c->pose, &detector->placed[i]);
    detector->boxes[i] = (CpsBroadBox){.box = {cps_vec3_sub(box.min, by), cps_vec3_add(box.max, by)},
                                       .owner = c->owner,
                                       .group = c->group,
                                       .arc = {c->arc[0], c->arc[1]},
                                       .self_distance = c->self_distance};
  }
}

static void touch(void* data, int64_t first, int64_t last, int worker) {
  CpsDetector* detector = data;
  Output* output = &detector->output[worker];
  CpsTouch touches[CPS_TOUCH_MAX];
  for (int64_t i = first; i < last; i++) {
    const int32_t a = detector->pairs[i].a, b = detector->pairs[i].b;
    const double margin = detector->colliders[a].reach + detector->colliders[b].reach + detector->skin;
    int count = cps_collide_placed(&detector->placed[a], &detector->placed[b], margin, touches);
    if (detector->colliders[a].joined != 0 || detector->colliders[b].joined != 0) {
      count = cps_chain_own(detector->colliders, a, b, touches, count);
    }
    if (!reserve(output, count)) {
      atomic_store(&detector->failed, true);
      return;
    }
    for (int k = 0; k < count; k++) output->found[output->count++] = (CpsFound){a, b, touches[k]};
  }
}

// One thread's output is the result; those of several are appended to the first.
static bool join(CpsDetector* detector, int threads) {
  Output* all = &detector->output[0];
  int64_t total = 0;
  for (int i = 0; i < threads; i++) total += detector->output[i].count;
  if (total > INT32_MAX || !reserve(all, total - all->count)) return false;
  for (int i = 1; i < threads; i++) {
    const Output* output = &detector->output[i];
    if (output->count == 0) continue;
    memcpy(all->found + all->count, output->found, (size_t)output->count * sizeof *output->found);
    all->count += output->count;
  }
  return true;
}

bool cps_detect(CpsDetector* detector, const CpsCollider* colliders, int32_t count, double skin, CpsPool* pool,
                const CpsFound** found, int32_t* found_count) {
  const int threads = cps_pool_threads(pool);
  cps_arena_reset(&detector->arena);
  atomic_store(&detector->failed, false);
  if (!prepare_outputs(detector, threads)) return false;
  detector->colliders = colliders;
  detector->skin = skin;
  detector->placed = CPS_TAKE(&detector->arena, CpsConvex, count);
  detector->boxes = CPS_TAKE(&detector->arena, CpsBroadBox, count);
  if (detector->placed == NULL || detector->boxes == NULL) return false;
  cps_pool_run(pool, count, place, detector);
  int64_t pair_count = 0;
  detector->pairs = cps_broad_pairs(detector->boxes, count, pool, &detector->arena, &pair_count);
  if (detector->pairs == NULL) return false;
  cps_pool_run(pool, pair_count, touch, detector);
  if (atomic_load(&detector->failed) || !join(detector, threads)) return false;
  *found = detector->output[0].found;
  *found_count = (int32_t)detector->output[0].count;
  return true;
}
