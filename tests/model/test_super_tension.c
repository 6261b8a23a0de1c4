// The stiffness of the tension in the inertia of super-models (super_tension.h) against differences of the potential that it comes from.
//
// M~ = L L^T, and rod.h moves by L^-T z. For a straight rod at rest that is in line with the force f of a tie, theta = 1 and no damping,
//
//   z.z = dq^T M~ dq = dq^T M dq + h^2 dq^T (K_elastic + K) dq,   dq = L^-T z                                       (1)
//
// of which the first part is twice the kinetic energy of the velocities dq, the second twice the elastic energy of the shift dq, as strains are
// linear in dq, and K the second derivative of V = -f.x(s) and of the weight, by differences.
#include "model/rod.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

static const CpsRodModel MODELS[] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID};
static const CpsEndKind ROOTS[] = {CPS_END_CLAMPED, CPS_END_PINNED, CPS_END_FREE};
enum { MODEL_COUNT = 3, ROOT_COUNT = 3 };

// Straight and without stress, along (2, -1, 2) / 3.
static CpsRod make(CpsRodModel model, CpsEndKind root) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = 4;
  def.length = 0.4;
  def.radius = 2e-3;
  def.radius_across = 1.2e-3;
  def.young = 5e7;
  def.damping = 0.0;
  const CpsVec3 t = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0}, x = {1.0, 0.0, 0.0};
  const CpsVec3 axis = cps_vec3_cross(x, t);
  def.root_pose.position = (CpsVec3){0.3, -0.2, 0.5};
  def.root_pose.rotation = cps_quat_unit((CpsQuat){1.0 + t.x, axis.x, axis.y, axis.z});
  def.root.kind = root;
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  return rod;
}

static double potential(const CpsRod* rod, const CpsRodTension* tie, CpsVec3 gravity) {
  CpsRodEnergy e;
  rod->type->energy(rod, gravity, &e);
  return e.gravity - cps_vec3_dot(tie->force, rod->type->at(rod, tie->s).position);
}

// V after a shift by e dq, and the elastic energy.
static double shifted(CpsRod* rod, const double* kept, const double* z, double e, const CpsRodTension* tie,
                      CpsVec3 gravity, double* elastic) {
  double* by = malloc((size_t)rod->dofs * sizeof *by);
  assert_non_null(by);
  for (int32_t i = 0; i < rod->dofs; ++i) by[i] = e * z[i];
  rod->type->shift(rod, by);
  rod->type->refresh(rod);
  CpsRodEnergy energy;
  rod->type->energy(rod, gravity, &energy);
  *elastic = energy.elastic;
  const double V = potential(rod, tie, gravity);
  memcpy(rod->state, kept, (size_t)rod->state_count * sizeof *kept);
  rod->type->refresh(rod);
  free(by);
  return V;
}

// Largest error of (1) relative to the part of K, over directions without any pattern; `least`: the smallest part of K in z.z of them all.
static double worst_error(CpsRod* rod, const CpsModelStep* step, const CpsRodTension* tie, double* least) {
  double* z = malloc((size_t)rod->dofs * sizeof *z);
  double* kept = malloc((size_t)rod->state_count * sizeof *kept);
  double worst = 0.0;
  *least = INFINITY;
  assert_true(z && kept);
  memcpy(kept, rod->state, (size_t)rod->state_count * sizeof *kept);
  for (int direction = 0; direction < 20; ++direction) {
    double zz = 0.0, elastic, unused;
    for (int32_t i = 0; i < rod->dofs; ++i) {
      z[i] = sin(1.0 + 2.7 * i + 4.1 * direction);
      zz += z[i] * z[i];
    }
    rod->tensions = tie;
    rod->type->begin(rod, step);
    // differences of fourth order: soft directions move the tip by some hundred metres, e of it by less than a millimetre
    const double e = 3e-6;
    const double V[5] = {shifted(rod, kept, z, -2.0 * e, tie, step->gravity, &unused),
                         shifted(rod, kept, z, -e, tie, step->gravity, &unused), potential(rod, tie, step->gravity),
                         shifted(rod, kept, z, e, tie, step->gravity, &elastic),
                         shifted(rod, kept, z, 2.0 * e, tie, step->gravity, &unused)};
    const double K = (-V[0] + 16.0 * V[1] - 30.0 * V[2] + 16.0 * V[3] - V[4]) / (12.0 * e * e);
    rod->type->receive(rod, z);
    CpsRodEnergy energy;
    rod->type->refresh(rod);
    rod->type->energy(rod, step->gravity, &energy);
    memcpy(rod->state, kept, (size_t)rod->state_count * sizeof *kept);
    rod->type->refresh(rod);
    const double hh = step->h * step->h, rest = zz - 2.0 * energy.kinetic - 2.0 * hh * elastic / (e * e);
    worst = fmax(worst, fabs(rest - hh * K) / (hh * K));
    *least = fmin(*least, hh * K / zz);
  }
  free(kept);
  free(z);
  return worst;
}

static void the_stiffness_of_a_tie_is_the_second_derivative_of_its_potential(void** state) {
  (void)state;
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0};
  const double places[] = {0.4, 0.27, 0.1};
  for (int m = 0; m < MODEL_COUNT; ++m) {
    for (int r = 0; r < ROOT_COUNT; ++r) {
      for (int p = 0; p < 3; ++p) {
        CpsRod rod = make(MODELS[m], ROOTS[r]);
        const CpsRodTension tie = {places[p], cps_vec3_scale(40.0, cps_vec3(2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0)), NULL};
        double least;
        const double worst = worst_error(&rod, &step, &tie, &least);
        print_message("%s, root %d, s = %g: error %.1e, K is at least %.2g of M~\n", rod.type->name, r, places[p],
                      worst, least);
        // V = 16 J is known to 2e-15 J and its second differences are of 1e-8 J; 2e-6 was measured where K is least
        assert_below(worst, 1e-5);
        cps_rod_free(&rod);
      }
    }
  }
}

// The weight between the tie and a section pulls at it, too. Held at its tip, all of the rod hangs on the root.
static void the_weight_of_the_rod_is_in_it(void** state) {
  (void)state;
  const CpsVec3 t = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0, .gravity = cps_vec3_scale(500.0, t)};
  for (int m = 0; m < MODEL_COUNT; ++m) {
    for (int r = 0; r < 2; ++r) {
      CpsRod rod = make(MODELS[m], ROOTS[r]);
      const CpsRodTension tie = {0.4, cps_vec3_scale(1.0, t), NULL};
      double least;
      assert_below(worst_error(&rod, &step, &tie, &least), 1e-5);
      cps_rod_free(&rod);
    }
  }
}

// A rod that is pushed has none.
static void a_pressure_has_no_stiffness(void** state) {
  (void)state;
  const CpsModelStep step = {.h = 1e-2, .theta = 1.0};
  const CpsMat3 frame = cps_mat3_identity();
  for (int m = 0; m < MODEL_COUNT; ++m) {
    CpsRod rod = make(MODELS[m], CPS_END_CLAMPED);
    const size_t size = 3 * (size_t)rod.dofs * sizeof(double);
    const CpsRodTension push = {0.4, {-20.0, 10.0, -20.0}, NULL};
    double *without = malloc(size), *with = malloc(size);
    assert_true(with && without);
    rod.type->begin(&rod, &step);
    rod.type->rows(&rod, 0.4, NULL, &frame, 1.0, without);
    rod.tensions = &push;
    rod.type->begin(&rod, &step);
    rod.type->rows(&rod, 0.4, NULL, &frame, 1.0, with);
    assert_memory_equal(with, without, size);
    free(with);
    free(without);
    cps_rod_free(&rod);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_stiffness_of_a_tie_is_the_second_derivative_of_its_potential),
      cmocka_unit_test(the_weight_of_the_rod_is_in_it),
      cmocka_unit_test(a_pressure_has_no_stiffness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
