// `contact_radius: fit`: the contact radius of each strand, so that no two overlap by more than a tenth.
//
// Strands of a scan lie inside each other by radii, and would be driven apart as soon as something moves. With d the least distance of
// the axes of a pair, r_i + r_j <= 1.1 d is wanted. Pairs are taken by growing d: the nearest decide first, and share what there
// is equally, so that no radius could be larger without another one being smaller.
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "io/scene/internal.h"

static const double OVERLAP = 0.1;

typedef struct Pair {
  int32_t a, b;
  double apart;  // of their axes, m
} Pair;

static int nearer_first(const void* left, const void* right) {
  const Pair *p = left, *q = right;
  if (p->apart != q->apart) return p->apart < q->apart ? -1 : 1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

// Whether the radii of these fibres are to be found.
static bool* list_fitted(const CpsScene* scene) {
  bool* fitted = calloc((size_t)scene->fibre_count + 1, sizeof *fitted);
  for (int32_t g = 0; fitted && g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    for (int32_t i = 0; i < group->count; ++i) fitted[group->first + i] = group->fit_radius;
  }
  return fitted;
}

// Pairs of different fibres that overlap, at least one of them fitted; returns how many.
static int32_t list_pairs(const CpsWorld* world, const bool* fitted, const double* radii, Pair* pairs) {
  int32_t count = 0;
  for (int32_t i = 0; i < cps_world_overlap_count(world); ++i) {
    const CpsOverlap o = cps_world_overlap(world, i);
    const int32_t a = o.side[0].thing.index, b = o.side[1].thing.index;
    if (o.side[0].thing.kind != CPS_THING_FIBRE || o.side[1].thing.kind != CPS_THING_FIBRE || a == b) continue;
    if (fitted[a] || fitted[b]) pairs[count++] = (Pair){a, b, radii[a] + radii[b] - o.depth};
  }
  return count;
}

static void share(const Pair* pair, const bool* fitted, double* radii) {
  const double sum = (1.0 + OVERLAP) * fmax(pair->apart, 0.0);
  double *a = &radii[pair->a], *b = &radii[pair->b];
  if (*a + *b <= sum) return;
  if (!fitted[pair->a] || !fitted[pair->b]) {
    double* only = fitted[pair->a] ? a : b;
    *only = fmax(0.0, sum - (only == a ? *b : *a));
  } else if (fmin(*a, *b) < 0.5 * sum) {
    double *small = *a < *b ? a : b, *large = *a < *b ? b : a;
    *large = sum - *small;
  } else {
    *a = *b = 0.5 * sum;
  }
}

CpsStatus cps_scene_fit_radii(const CpsScene* scene, CpsWorld* trial, double* radii, CpsError* error) {
  CpsStatus status = cps_world_find_overlaps(trial, error);
  if (status < 0) return status;
  bool* fitted = list_fitted(scene);
  Pair* pairs = malloc(((size_t)cps_world_overlap_count(trial) + 1) * sizeof *pairs);
  if (fitted && pairs) {
    for (int32_t i = 0; i < scene->fibre_count; ++i) {
      CpsFibreInfo info = {0};
      if (cps_world_fibre_info(trial, cps_world_fibre(trial, i), &info) == CPS_OK) radii[i] = info.radius;
    }
    const int32_t count = list_pairs(trial, fitted, radii, pairs);
    qsort(pairs, (size_t)count, sizeof *pairs, nearer_first);
    for (int32_t i = 0; i < count; ++i) share(&pairs[i], fitted, radii);
    for (int32_t i = 0; i < scene->fibre_count; ++i) {
      if (!fitted[i]) radii[i] = NAN;
    }
  }
  const bool short_of = !fitted || !pairs;
  free(fitted);
  free(pairs);
  return short_of ? cps_io_fail(error, CPS_NO_MEMORY, scene->title, NULL, "out of memory") : CPS_OK;
}
