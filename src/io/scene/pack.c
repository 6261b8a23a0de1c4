// Random packing: bodies at random places of a box, none overlapping.
//
// Random sequential addition: each body in turn, the largest first, is tried at random places until its sphere touches no
// other. Places are found again through a hashed grid with cells as wide as the largest sphere, so that a try looks at 27
// cells. This fills about a third of the room at most; a denser wish is refused after a bounded number of tries.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "io/scene/internal.h"

enum { MOST_BODIES = 100000, TRIES_OF_ONE = 20000 };

typedef struct Pack {
  CpsRandom random;
  CpsVec3 box;
  double gap, cell;
  const double* radius;
  CpsPose* pose;
  int32_t *head, *next;  // lists of the bodies in each bucket
  uint32_t mask;
} Pack;

static uint32_t bucket(const Pack* pack, int64_t x, int64_t y, int64_t z) {
  uint64_t h = (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
  return (uint32_t)(h ^ (h >> 32u)) & pack->mask;
}

static int64_t cell_of(const Pack* pack, double x) {
  return (int64_t)floor(x / pack->cell);
}

static bool bucket_is_free(const Pack* pack, uint32_t b, CpsVec3 at, double radius) {
  for (int32_t j = pack->head[b]; j >= 0; j = pack->next[j]) {
    double least = radius + pack->radius[j] + pack->gap;
    if (cps_vec3_norm(cps_vec3_sub(at, pack->pose[j].position)) < least) return false;
  }
  return true;
}

static bool is_free(const Pack* pack, CpsVec3 at, double radius) {
  int64_t x = cell_of(pack, at.x), y = cell_of(pack, at.y), z = cell_of(pack, at.z);
  for (int64_t i = x - 1; i <= x + 1; ++i)
    for (int64_t j = y - 1; j <= y + 1; ++j)
      for (int64_t k = z - 1; k <= z + 1; ++k)
        if (!bucket_is_free(pack, bucket(pack, i, j, k), at, radius)) return false;
  return true;
}

// Places body i; returns the number of tries, 0 if there was no room.
static int64_t place(Pack* pack, int32_t i) {
  double r = pack->radius[i];
  CpsVec3 room = {pack->box.x - 2.0 * r, pack->box.y - 2.0 * r, pack->box.z - 2.0 * r};
  for (int64_t tries = 1; tries <= TRIES_OF_ONE; ++tries) {
    double x = cps_random_uniform(&pack->random), y = cps_random_uniform(&pack->random),
           z = cps_random_uniform(&pack->random);
    CpsVec3 at = {(x - 0.5) * room.x, (y - 0.5) * room.y, r + z * room.z};
    if (!is_free(pack, at, r)) continue;
    uint32_t b = bucket(pack, cell_of(pack, at.x), cell_of(pack, at.y), cell_of(pack, at.z));
    pack->pose[i] = (CpsPose){at, cps_quat_identity()};
    pack->next[i] = pack->head[b];
    pack->head[b] = i;
    return tries;
  }
  return 0;
}

static int larger_first(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static CpsStatus fill(CpsReader* reader, const CpsNode* node, Pack* pack, int32_t count) {
  for (uint32_t b = 0; b <= pack->mask; ++b) pack->head[b] = -1;
  for (int32_t i = 0; i < count; ++i) {
    int64_t tries = place(pack, i);
    reader->tries += tries;
    if (tries == 0 || reader->tries > CPS_SCENE_TRIES) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "only %d of %d found a place; make the box larger",
                           (int)i, (int)count);
    }
  }
  return CPS_OK;
}

// Bounding radii of the bodies, and their shapes if they are spheres of different sizes.
static CpsStatus choose_radii(CpsReader* reader, const CpsNode* node, const CpsShape* shape, Pack* pack, double* radius,
                              CpsLayout* out) {
  const CpsNode* range = cps_node_find(node, "radius");
  if (!range == !shape) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "needs either a radius here or a shape beside it");
  }
  double low = shape ? cps_shape_reach(shape) : range->number, high = low;
  if (range && range->kind == CPS_NODE_LIST) {
    low = range->first->number;
    high = range->last->number;
    if (high < low) return cps_node_fail(reader->error, CPS_BAD_DATA, range, "the second is smaller than the first");
  }
  if (2.0 * high > fmin(pack->box.x, fmin(pack->box.y, pack->box.z))) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a body of radius %g does not fit in the box", high);
  }
  for (int32_t i = 0; i < out->count; ++i) radius[i] = low + (high - low) * cps_random_uniform(&pack->random);
  qsort(radius, (size_t)out->count, sizeof *radius, larger_first);
  double widest = fmax(pack->box.x, fmax(pack->box.y, pack->box.z));
  pack->cell = fmax(2.0 * high + pack->gap, 1e-6 * widest);  // keeps cell numbers small
  if (shape) return CPS_OK;
  CpsStatus status = cps_scene_spend(reader, node, out->count, 100);
  if (status != CPS_OK) return status;
  out->shape_count = out->count;
  out->shapes = CPS_TAKE(&reader->scene->memory, CpsShape, out->count);
  out->shape = CPS_TAKE(&reader->scene->memory, int32_t, out->count);
  if (!out->shapes || !out->shape) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < out->count; ++i) {
    out->shapes[i] = cps_sphere(radius[i]);
    out->shape[i] = i;
  }
  return CPS_OK;
}

CpsStatus cps_scene_pack(CpsReader* reader, const CpsNode* node, const CpsShape* shape, CpsLayout* out) {
  int32_t count = cps_map_count(node, "count", 0);
  if (count > MOST_BODIES) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "%d bodies; a pack has at most %d", (int)count,
                         MOST_BODIES);
  }
  CpsStatus status = cps_layout_begin(reader, node, count, out);
  if (status != CPS_OK) return status;
  Pack pack = {.random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1)),
               .box = cps_map_vec3(node, "box", cps_vec3(0.0, 0.0, 0.0)),
               .gap = cps_map_number(node, "gap", 0.0),
               .pose = out->pose,
               .mask = 1023};
  while (pack.mask < (uint32_t)count) pack.mask = 2 * pack.mask + 1;
  double* radius = malloc((size_t)count * sizeof *radius);
  pack.head = malloc(((size_t)pack.mask + 1) * sizeof *pack.head);
  pack.next = malloc((size_t)count * sizeof *pack.next);
  pack.radius = radius;
  status = radius && pack.head && pack.next ? CPS_OK : cps_scene_no_memory(reader);
  if (status == CPS_OK) status = choose_radii(reader, node, shape, &pack, radius, out);
  if (status == CPS_OK) status = fill(reader, node, &pack, count);
  free(radius);
  free(pack.head);
  free(pack.next);
  return status;
}
