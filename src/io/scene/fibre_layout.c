// Generators that place a fibre many times: grids, copies, bundles.
#include <math.h>
#include <stdlib.h>

#include "core/random.h"
#include "io/scene/internal.h"

CpsStatus cps_fibre_layout_begin(CpsReader* reader, const CpsNode* node, double count, CpsFibreLayout* out) {
  double left = (double)(CPS_SCENE_FIBRES - reader->scene->fibre_count);
  if (!(count <= left)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "%.10g more fibres; a scene has at most %d", count,
                         CPS_SCENE_FIBRES);
  }
  *out = (CpsFibreLayout){.count = (int32_t)count,
                          .strand = CPS_TAKE_ZERO(&reader->scene->memory, CpsStrand, (int64_t)count)};
  if (!out->strand) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < out->count; ++i) out->strand[i].pose.rotation = cps_quat_identity();
  return CPS_OK;
}

bool cps_scene_turn_to(CpsVec3 direction, CpsQuat* turn) {
  double norm = cps_vec3_norm(direction);
  if (!(norm > 0.0) || !isfinite(norm)) return false;
  CpsVec3 d = cps_vec3_scale(1.0 / norm, direction);
  // the square root of (x . d) + x × d; half a turn about z from x to -x
  *turn = d.x > -1.0 + 1e-12 ? cps_quat_unit((CpsQuat){1.0 + d.x, 0.0, -d.z, d.y}) : (CpsQuat){0.0, 0.0, 0.0, 1.0};
  return true;
}

// Poses from a generator of bodies, as roots of fibres.
static CpsStatus take_places(CpsReader* reader, const CpsNode* node, const CpsLayout* places, CpsFibreLayout* out) {
  CpsStatus status = cps_fibre_layout_begin(reader, node, places->count, out);
  for (int32_t i = 0; status == CPS_OK && i < places->count; ++i) out->strand[i].pose = places->pose[i];
  return status;
}

CpsStatus cps_scene_fibre_grid(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out) {
  CpsLayout places = {0};
  CpsStatus status = cps_scene_grid(reader, node, &places);
  return status == CPS_OK ? take_places(reader, node, &places, out) : status;
}

CpsStatus cps_scene_fibre_copies(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out) {
  CpsLayout places = {0};
  CpsStatus status = cps_scene_copies(reader, node, &places);
  return status == CPS_OK ? take_places(reader, node, &places, out) : status;
}

// A point of the hexagonal lattice, a (1, 0) + b (1/2, sqrt(3)/2), at the squared distance a^2 + a b + b^2.
typedef struct Place {
  int32_t a, b, distance;
} Place;

static int nearer_first(const void* left, const void* right) {
  const Place *p = left, *q = right;
  if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return (p->a > q->a) - (p->a < q->a);
}

static double spread(CpsRandom* random, double most) {
  return most * (2.0 * cps_random_uniform(random) - 1.0);
}

static void place_bundle(const CpsNode* node, const Place* places, CpsFibreLayout* out) {
  double spacing = cps_map_number(node, "spacing", 0.0), jitter = cps_map_number(node, "jitter", 0.0),
         tilt = cps_map_number(node, "tilt", 0.0);
  CpsRandom random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1));
  for (int32_t i = 0; i < out->count; ++i) {
    double y = spacing * (places[i].a + 0.5 * places[i].b), z = spacing * sqrt(0.75) * places[i].b;
    y += spread(&random, jitter);
    z += spread(&random, jitter);
    double about_y = spread(&random, tilt), about_z = spread(&random, tilt);
    out->strand[i].pose = (CpsPose){{0.0, y, z}, cps_quat_exp(cps_vec3(0.0, about_y, about_z))};
  }
}

CpsStatus cps_scene_fibre_bundle(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out) {
  CpsStatus status = cps_fibre_layout_begin(reader, node, cps_map_number(node, "count", 0.0), out);
  if (status != CPS_OK) return status;
  // n rings have 1 + 3 n (n + 1) points; the corners of the hexagon are 2/sqrt(3) farther away than its sides
  int32_t rings = (int32_t)ceil(1.2 * sqrt(out->count / 3.0)) + 1, count = 0;
  int64_t most = (2 * (int64_t)rings + 1) * (2 * (int64_t)rings + 1);
  Place* places = malloc((size_t)most * sizeof *places);
  if (!places) return cps_scene_no_memory(reader);
  for (int32_t b = -rings; b <= rings; ++b) {
    for (int32_t a = -rings; a <= rings; ++a) places[count++] = (Place){a, b, a * a + a * b + b * b};
  }
  qsort(places, (size_t)count, sizeof *places, nearer_first);
  place_bundle(node, places, out);
  free(places);
  return CPS_OK;
}
