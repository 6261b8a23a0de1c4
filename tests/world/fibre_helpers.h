// Small worlds with fibres, for each model of a rod.
#ifndef CAPSTAN_TESTS_FIBRE_HELPERS_H
#define CAPSTAN_TESTS_FIBRE_HELPERS_H

#include "world/world_helpers.h"

static inline CpsFibreId add_fibre(CpsWorld* world, const CpsFibreDef* def) {
  CpsFibreId id;
  CpsError error;
  if (cps_world_add_fibre(world, def, &id, &error) != CPS_OK) {
    fail_msg("%s: %s", cps_rod_model_name(def->model), error.text);
  }
  return id;
}

// A soft thread of 20 cm and 1 mm: E I = 2e-8 N m^2, 0.8 g.
static inline CpsFibreDef thread_of(CpsRodModel model) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = model < CPS_ROD_MASS_SPRING ? 4 : 12;
  def.length = 0.2;
  def.radius = 1e-3;
  def.young = 2.5e4;
  def.damping = 5e-3;
  // extensible models would stretch by their own weight
  if (model >= CPS_ROD_MASS_SPRING) def.stretching = 50.0;
  // explicit damping would ask for steps of microseconds
  if (model == CPS_ROD_CORDE_EXPLICIT) def.damping = 0.0;
  return def;
}

// The explicit scheme needs short steps.
static inline double step_of(CpsRodModel model) {
  return model == CPS_ROD_CORDE_EXPLICIT ? 5e-5 : 1e-3;
}

static inline CpsFibrePoint fibre_at(const CpsWorld* world, CpsFibreId id, double s) {
  CpsFibrePoint point;
  assert_int_equal(cps_world_fibre_at(world, id, s, &point), CPS_OK);
  return point;
}

// Largest speed of a fibre.
static inline double fibre_speed(const CpsWorld* world, CpsFibreId id, double length) {
  double most = 0.0;
  for (int i = 0; i <= 40; ++i) {
    CpsVec3 v = fibre_at(world, id, length * i / 40.0).velocity;
    most = fmax(most, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
  }
  return most;
}

static inline CpsWorld* make_for(CpsRodModel model, int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.step = step_of(model);
  def.threads = threads;
  return make_world(&def);
}

// Two threads over each other and a ball, on a floor: fibre on fibre, on a body, on an obstacle.
static inline CpsWorld* make_tangle(CpsRodModel model, int threads) {
  CpsWorld* world = make_for(model, threads);
  add_floor(world);
  for (int i = 0; i < 3; ++i) {
    CpsFibreDef def = thread_of(model);
    double angle = 1.1 * i;
    def.root_pose = (CpsPose){{-0.1 * cos(angle), -0.1 * sin(angle), 0.004 + 0.006 * i},
                              {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
    add_fibre(world, &def);
  }
  CpsBodyDef ball = ball_at(0.01, 0.0, 0.0, 0.035);
  ball.density = 100.0;
  add_body(world, &ball);
  return world;
}

#endif
