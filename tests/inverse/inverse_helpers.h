// Fibres for the tests of inverse design: clamped, of any model that can be inverted.
#ifndef CAPSTAN_TESTS_INVERSE_HELPERS_H
#define CAPSTAN_TESTS_INVERSE_HELPERS_H

#include <math.h>
#include <stdint.h>

#include "world/world_helpers.h"

enum { MODELS = 6 };
static const CpsRodModel INVERTIBLE[MODELS] = {CPS_ROD_SUPER_HELIX,      CPS_ROD_SUPER_HELIX_RECURSIVE,
                                               CPS_ROD_SUPER_CLOTHOID,   CPS_ROD_DER,
                                               CPS_ROD_DER_INEXTENSIBLE, CPS_ROD_DER_PROJECTED};
static const double GRAVITY = 9.81;

// Uniform in [-1, 1].
static inline double draw(uint64_t* seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline CpsWorld* still_world(double h) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0.0, 0.0, -GRAVITY};
  def.step = h;
  return make_world(&def);
}

// A rod of 0.3 m and E I = 3.1e-5 N m^2 from the origin: w L^3 / E I is 6.7.
static inline CpsFibreDef clamped(CpsRodModel model, int32_t elements) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = elements;
  def.length = 0.3;
  def.radius = 4.5e-4;
  def.line_density = 8e-4;
  def.bending[0] = def.bending[1] = 3.1e-5;
  def.twisting = 2.1e-5;
  def.root.kind = CPS_END_CLAMPED;
  def.contact_radius = 0.0;
  return def;
}

// Rotation about y by an angle: 0 is level along x, -pi/2 upright, pi/2 hanging.
static inline CpsQuat about_y(double angle) {
  return (CpsQuat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
}

static inline CpsFibreId add_fibre(CpsWorld* world, const CpsFibreDef* def) {
  CpsFibreId id;
  CpsError error;
  if (cps_world_add_fibre(world, def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

enum { SHAPE_POINTS = 9 };
// A drawn shape: curvatures at nine places, with turns of about `turn` radians over the whole length.
static inline void draw_shape(uint64_t* seed, double turn, double length, CpsVec3* curvature) {
  for (int i = 0; i < SHAPE_POINTS; ++i) {
    curvature[i] = (CpsVec3){turn / length * draw(seed), turn / length * draw(seed), turn / length * draw(seed)};
  }
}

// A random unit quaternion.
static inline CpsQuat draw_rotation(uint64_t* seed) {
  double q[4], norm;
  do {
    norm = 0.0;
    for (int i = 0; i < 4; ++i) q[i] = draw(seed), norm += q[i] * q[i];
  } while (norm > 1.0 || norm < 0.01);
  norm = sqrt(norm);
  return (CpsQuat){q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
}

static inline CpsInvertInfo invert(CpsWorld* world) {
  CpsInvertInfo info;
  CpsError error;
  if (cps_world_invert(world, NULL, &info, &error) != CPS_OK) fail_msg("%s", error.text);
  return info;
}

enum { PLACES = 21 };
static inline void look(const CpsWorld* world, CpsFibreId id, CpsVec3* points) {
  assert_int_equal(cps_world_fibre_points(world, id, PLACES, points), CPS_OK);
}

static inline double farthest(const CpsVec3* a, const CpsVec3* b, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) {
    const double d = hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z);
    most = d > most || isnan(d) ? d : most;
  }
  return most;
}

#endif
