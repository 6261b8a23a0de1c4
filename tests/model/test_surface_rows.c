// Contacts act on the surface of a rod: the rows of every model against finite differences of the motion of a point that is
// fixed to a section.
#include "model/rod.h"

#include "core/quat.h"
#include "test_helpers.h"

#include <math.h>
#include <stdlib.h>

static CpsVec3 vec(double x, double y, double z) {
  return (CpsVec3){x, y, z};
}

static void make_curved(CpsRodModel model, CpsRod* rod) {
  static const CpsVec3 curvature[3] = {{2, 3, -1}, {-1, 2, 4}, {3, -4, 1}};
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = model < CPS_ROD_MASS_SPRING ? 3 : 8;
  def.length = 0.4;
  def.radius = 4e-3;
  def.young = 1e6;
  def.root_pose = (CpsPose){{0.1, -0.2, 0.3}, {0.8, 0.2, -0.4, 0.4}};
  def.curvature = curvature;
  def.curvature_count = 3;
  def.natural_as_placed = true;
  CpsError error;
  if (cps_rod_create(&def, rod, &error) != CPS_OK) fail_msg("%s", error.text);
}

// A rod steps from the same state, pushed by a small impulse n at a point of its surface (if any), and says where the point
// that was fixed to the section is then.
static CpsVec3 pushed(CpsRodModel model, double h, double s, CpsVec3 arm, double size, const CpsMat3* frame, int row,
                      CpsVec3* change) {
  CpsRod rod;
  make_curved(model, &rod);
  const CpsModelStep step = {.h = h, .theta = 1.0};
  rod.type->begin(&rod, &step);
  CpsRodPoint at = rod.type->at(&rod, s);
  CpsVec3 point = cps_vec3_add(at.position, arm), own = cps_mat3_apply_transposed(at.frame, arm);
  double* G = calloc(3 * (size_t)rod.dofs, sizeof *G);
  rod.type->rows(&rod, s, &point, frame, 1.0, G);
  for (int32_t i = 0; i < rod.dofs; ++i) G[i] = size * G[row * rod.dofs + i];
  rod.type->receive(&rod, G);
  CpsRodMotion m = rod.type->motion(&rod, s, CPS_VELOCITY_AFTER), f = rod.type->motion(&rod, s, CPS_VELOCITY_FREE);
  CpsVec3 v = cps_vec3_add(m.velocity, cps_vec3_cross(m.spin, arm));
  *change = cps_vec3_sub(v, cps_vec3_add(f.velocity, cps_vec3_cross(f.spin, arm)));
  rod.type->advance(&rod, &step);
  rod.type->refresh(&rod);
  CpsRodPoint moved = rod.type->at(&rod, s);
  CpsVec3 end = cps_vec3_add(moved.position, cps_mat3_apply(moved.frame, own));
  free(G);
  cps_rod_free(&rod);
  return end;
}

// G G^T z: what rows say that an impulse at the point does to its velocity.
static CpsVec3 predicted(CpsRodModel model, double h, double s, CpsVec3 arm, double size, const CpsMat3* frame,
                         int row) {
  CpsRod rod;
  make_curved(model, &rod);
  const CpsModelStep step = {.h = h, .theta = 1.0};
  rod.type->begin(&rod, &step);
  CpsVec3 point = cps_vec3_add(rod.type->at(&rod, s).position, arm);
  double* G = calloc(3 * (size_t)rod.dofs, sizeof *G);
  rod.type->rows(&rod, s, &point, frame, 1.0, G);
  double u[3] = {0.0};
  for (int k = 0; k < 3; ++k)
    for (int32_t i = 0; i < rod.dofs; ++i) u[k] += size * G[k * rod.dofs + i] * G[row * rod.dofs + i];
  free(G);
  cps_rod_free(&rod);
  return cps_mat3_apply_transposed(*frame, vec(u[0], u[1], u[2]));
}

static bool is_corde(int model) {
  return model == CPS_ROD_CORDE || model == CPS_ROD_CORDE_EXPLICIT;
}

static void assert_close(CpsVec3 a, CpsVec3 b, double tolerance) {
  double size = cps_vec3_norm(a);
  assert_true(size > 0.0);
  assert_below(cps_vec3_norm(cps_vec3_sub(a, b)) / size, tolerance);
}

// The velocity of the point by motion(), by rows, and by where a step takes it: the last by central differences, in which
// what the rod does by itself drops out. Some have no section that could be followed through a step: those of chains turn
// freely, frames of CORDE come after the tangents, and the projection of lengths is not in the rows.
static void rows_move_points_of_the_surface(void** state) {
  (void)state;
  const double h = 1e-4, arcs[] = {0.031, 0.17, 0.39};
  const CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(vec(0.3, -0.5, 0.8)), vec(1, 0, 0));
  for (int model = 0; model < CPS_ROD_MODEL_COUNT; ++model) {
    for (int k = 0; k < 9; ++k) {
      double s = arcs[k / 3], size = 1e-7;
      const CpsVec3 arm = {1e-3, 3e-3, -2e-3};
      CpsVec3 change, back;
      CpsVec3 plus = pushed((CpsRodModel)model, h, s, arm, size, &frame, k % 3, &change);
      CpsVec3 minus = pushed((CpsRodModel)model, h, s, arm, -size, &frame, k % 3, &back);
      // inextensible rods lose 1e-9 to the rounding of multipliers of 1e8 masses
      assert_close(change, predicted((CpsRodModel)model, h, s, arm, size, &frame, k % 3), 1e-8);
      if (cps_rod_types[model]->untwisted || is_corde(model) || model == CPS_ROD_DER_PROJECTED) continue;
      // second order in the impulse, and rounding of positions of 0.1 m to 1e-17 against ways of 1e-8 m
      CpsVec3 way = cps_vec3_scale(0.5 / h, cps_vec3_sub(plus, minus));
      assert_close(change, way, 1e-5);
    }
  }
}

// The rows see a rigid motion as it is: an impulse at a point has the moment of arm times force about any axis. With the
// rod's own momenta: what an impulse gives to a free rod is the impulse and its moment.
static void an_impulse_has_its_moment(void** state) {
  (void)state;
  for (int model = 0; model < CPS_ROD_MODEL_COUNT; ++model) {
    if (cps_rod_types[model]->untwisted) continue;
    CpsRod rod;
    make_curved((CpsRodModel)model, &rod);
    const CpsModelStep step = {.h = 1e-5, .theta = 1.0};
    rod.type->begin(&rod, &step);
    CpsVec3 point = cps_vec3_add(rod.type->at(&rod, 0.23).position, vec(-2e-3, 2e-3, 3e-3)), P[2], L[2];
    const CpsMat3 axes = cps_mat3_identity();
    double* G = calloc(3 * (size_t)rod.dofs, sizeof *G);
    rod.type->rows(&rod, 0.23, &point, &axes, 1.0, G);
    const CpsVec3 r = {2e-4, -3e-4, 1e-4};
    for (int32_t i = 0; i < rod.dofs; ++i) G[i] = r.x * G[i] + r.y * G[rod.dofs + i] + r.z * G[2 * rod.dofs + i];
    rod.type->receive(&rod, NULL);
    rod.type->momentum(&rod, &P[0], &L[0]);
    rod.type->receive(&rod, G);
    rod.type->momentum(&rod, &P[1], &L[1]);
    assert_close(r, cps_vec3_sub(P[1], P[0]), 1e-9);
    // stiff models give some of it to forces that turn with the rod: first order in h^2 times their stiffness
    assert_close(cps_vec3_cross(point, r), cps_vec3_sub(L[1], L[0]), 1e-6);
    free(G);
    cps_rod_free(&rod);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_move_points_of_the_surface),
      cmocka_unit_test(an_impulse_has_its_moment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
