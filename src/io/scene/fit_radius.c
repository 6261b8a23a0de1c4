// `contact_radius: fit`: the contact radius of each strand, so that few overlap by more than a tenth.
//
// Strands of a scan lie inside each other by radii, and would be driven apart as soon as something moves. With d the least distance of
// the axes of a pair, r_i + r_j <= 1.1 d is wanted. Pairs are taken by growing d: the nearest decide first, and share what there
// is equally, so that no radius could be larger without another one being smaller. None is smaller than the section: strands that are nearer
// than they are thick stay in each other, as they were given. (Without that bound a groom of 1000 strands has radii down to 40 nm, which
// touch nothing in time.)
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "io/scene/internal.h"

static const double OVERLAP = 0.1;

typedef struct Pair {
  int32_t a, b;
  double apart;  // distance of their axes, m
} Pair;

static int nearer_first(const void* left, const void* right) {
  const Pair *p = left, *q = right;
  if (p->apart != q->apart) return p->apart < q->apart ? -1 : 1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

// The smallest contact radius of each fitted fibre; NaN for fibres with a given one.
static double* list_fitted(const CpsScene* scene) {
  double* least = malloc(((size_t)scene->fibre_count + 1) * sizeof *least);
  for (int32_t g = 0; least && g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    const double section = fmax(group->def.radius, group->def.radius_across);  // the second is NaN for round sections
    for (int32_t i = 0; i < group->count; ++i) {
      least[group->first + i] = group->fit_radius ? fmin(section, group->def.contact_radius) : NAN;
    }
  }
  return least;
}

// Lists pairs of different fibres that overlap and of which at least one is fitted; returns their number.
static int32_t list_pairs(const CpsWorld* world, const double* least, const double* radii, Pair* pairs) {
  int32_t count = 0;
  for (int32_t i = 0; i < cps_world_overlap_count(world); ++i) {
    const CpsOverlap o = cps_world_overlap(world, i);
    const int32_t a = o.side[0].thing.index, b = o.side[1].thing.index;
    if (o.side[0].thing.kind != CPS_THING_FIBRE || o.side[1].thing.kind != CPS_THING_FIBRE || a == b) continue;
    if (!isnan(least[a]) || !isnan(least[b])) pairs[count++] = (Pair){a, b, radii[a] + radii[b] - o.depth};
  }
  return count;
}

static void share(const Pair* pair, const double* least, double* radii) {
  const double sum = (1.0 + OVERLAP) * fmax(pair->apart, 0.0);
  double *a = &radii[pair->a], *b = &radii[pair->b];
  const bool both = !isnan(least[pair->a]) && !isnan(least[pair->b]);
  if (*a + *b <= sum) return;
  if (!both) {
    double* only = isnan(least[pair->a]) ? b : a;
    *only = sum - (only == a ? *b : *a);
  } else if (fmin(*a, *b) < 0.5 * sum) {
    double *small = *a < *b ? a : b, *large = *a < *b ? b : a;
    *large = sum - *small;
  } else {
    *a = *b = 0.5 * sum;
  }
  *a = fmax(*a, least[pair->a]);  // NaN: *a
  *b = fmax(*b, least[pair->b]);
}

CpsStatus cps_scene_fit_radii(const CpsScene* scene, CpsWorld* trial, double* radii, CpsError* error) {
  CpsStatus status = cps_world_find_overlaps(trial, error);
  if (status < 0) return status;
  double* least = list_fitted(scene);
  Pair* pairs = malloc(((size_t)cps_world_overlap_count(trial) + 1) * sizeof *pairs);
  if (least && pairs) {
    for (int32_t i = 0; i < scene->fibre_count; ++i) {
      CpsFibreInfo info = {0};
      if (cps_world_fibre_info(trial, cps_world_fibre(trial, i), &info) == CPS_OK) radii[i] = info.radius;
    }
    const int32_t count = list_pairs(trial, least, radii, pairs);
    qsort(pairs, (size_t)count, sizeof *pairs, nearer_first);
    for (int32_t i = 0; i < count; ++i) share(&pairs[i], least, radii);
    for (int32_t i = 0; i < scene->fibre_count; ++i) {
      if (isnan(least[i])) radii[i] = NAN;
    }
  }
  const bool short_of = !least || !pairs;
  free(least);
  free(pairs);
  return short_of ? cps_io_fail(error, CPS_NO_MEMORY, scene->title, NULL, "out of memory") : CPS_OK;
}
