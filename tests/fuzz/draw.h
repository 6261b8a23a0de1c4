// Vectors, ends and fibres drawn from the fuzzer's bytes: mostly sound, sometimes not.
#ifndef CAPSTAN_TESTS_FUZZ_DRAW_H
#define CAPSTAN_TESTS_FUZZ_DRAW_H

#include "bytes.h"
#include "capstan/capstan.h"

#include <stdbool.h>

enum { FIBRE_POINTS = 6 };

// Positive and near 1, or anything.
static inline double next_positive(Bytes* bytes) {
  return next_below(bytes, 16) ? (1 + next_below(bytes, 32)) / 16.0 : next_number(bytes) * next_scale(bytes);
}

static inline CpsVec3 next_vector(Bytes* bytes) {
  double scale = next_below(bytes, 8) ? 1.0 : next_scale(bytes);
  const double x = next_number(bytes), y = next_number(bytes), z = next_number(bytes);
  return (CpsVec3){scale * x, scale * y, scale * z};
}

static inline CpsQuat next_rotation(Bytes* bytes) {
  const double w = next_number(bytes), x = next_number(bytes), y = next_number(bytes), z = next_number(bytes);
  return (CpsQuat){w, x, y, z};
}

// Any motion that needs no memory of its own.
static inline CpsMotion next_motion(Bytes* bytes) {
  CpsMotion motion = {.kind = (CpsMotionKind)next_below(bytes, 3)};
  motion.velocity = next_vector(bytes);
  motion.amplitude = next_vector(bytes);
  motion.rotation_amplitude = next_vector(bytes);
  motion.frequency = next_number(bytes);
  return motion;
}

static inline CpsFibreEnd next_end(Bytes* bytes) {
  CpsFibreEnd end = {.kind = (CpsEndKind)next_below(bytes, 4)};
  if (next_below(bytes, 2)) end.obstacle = (CpsObstacleId){next_below(bytes, 3), (uint32_t)next_below(bytes, 3)};
  end.motion = next_motion(bytes);
  return end;
}

// What makes a fibre, and the arrays it points to.
typedef struct DrawnFibre {
  CpsVec3 points[FIBRE_POINTS], curvature[FIBRE_POINTS], natural[FIBRE_POINTS];
  CpsFibreBranch branches[2];
  CpsFibreDef def;
} DrawnFibre;

static inline void draw_fibre_shape(Bytes* bytes, DrawnFibre* d) {
  CpsFibreDef* def = &d->def;
  def->point_count = next_below(bytes, 4) ? 0 : next_below(bytes, FIBRE_POINTS);
  for (int i = 0; i < def->point_count; i++) d->points[i] = next_vector(bytes);
  def->points = d->points;
  def->length = next_positive(bytes);
  def->root_pose.position = next_vector(bytes);
  def->root_pose.rotation = next_rotation(bytes);
  def->curvature_count = next_below(bytes, 3);
  def->natural_count = next_below(bytes, 3);
  for (int i = 0; i < def->curvature_count; i++) d->curvature[i] = next_vector(bytes);
  for (int i = 0; i < def->natural_count; i++) d->natural[i] = next_vector(bytes);
  def->curvature = d->curvature;
  def->natural = d->natural;
  def->natural_as_placed = next_below(bytes, 4) == 0;
}

static inline void draw_fibre(Bytes* bytes, DrawnFibre* d) {
  d->def = cps_fibre_def_default();
  CpsFibreDef* def = &d->def;
  def->model = (CpsRodModel)next_below(bytes, CPS_ROD_MODEL_COUNT + 1);
  def->elements = next_below(bytes, 8);
  draw_fibre_shape(bytes, d);
  def->radius = 0.02 * next_positive(bytes);
  if (next_below(bytes, 4) == 0) def->radius_across = 0.02 * next_positive(bytes);
  def->density = 1000.0 * next_positive(bytes);
  def->young = 1e6 * next_positive(bytes);
  def->poisson = next_below(bytes, 4) ? 0.5 : next_number(bytes);
  def->damping = next_below(bytes, 2) ? 1e-3 : 0.1 * next_number(bytes);
  def->drag = next_below(bytes, 4) ? 0.0 : next_positive(bytes);
  def->root = next_end(bytes);
  def->tip = next_end(bytes);
  def->contact_start = next_below(bytes, 4) ? 0.0 : next_positive(bytes);
  def->pieces = next_below(bytes, 4) ? 0 : next_below(bytes, 40) - 2;
  def->self_contact = next_below(bytes, 2);
  def->branch_count = next_below(bytes, 8) ? 0 : next_below(bytes, 3);
  for (int i = 0; i < def->branch_count; i++) {
    d->branches[i] = (CpsFibreBranch){.parent = next_below(bytes, 3) - 1,
                                      .at = next_below(bytes, 4),
                                      .elements = next_below(bytes, 4),
                                      .length = next_positive(bytes),
                                      .radius = 0.01 * next_positive(bytes),
                                      .natural = next_vector(bytes),
                                      .curvature = next_vector(bytes)};
  }
  def->branches = d->branches;
}

static inline bool is_finite_vector(CpsVec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// Every fibre has points that are numbers.
static inline void check_fibres(const CpsWorld* world) {
  for (int32_t i = 0; i < cps_world_fibre_count(world); i++) {
    CpsFibreId id = cps_world_fibre(world, i);
    CpsFibreInfo info;
    CHECK(cps_world_fibre_info(world, id, &info) == CPS_OK);
    for (int k = 0; k <= 4; k++) {
      CpsFibrePoint p;
      CHECK(cps_world_fibre_at(world, id, 0.25 * k * info.length, &p) == CPS_OK);
      CHECK(is_finite_vector(p.position));
    }
  }
}

#endif
