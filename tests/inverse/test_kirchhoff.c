// The continuous problem beside the discrete ones ((4.22) of the habilitation of Bertails-Descoubes 2017): a helix that is tilted
// against gravity, with different stiffnesses about its three axes.
//
//   kappa_0(s) = kappa(s) - K^-1 R(s)^T M(s),    M(s) = int_s^L (r(t) - r(s)) x w g dt                              (1)
//
// integrated on a fine grid; the natural centreline follows from R' = R [kappa_0]x. Models converge to it with slopes of -2, and
// super-clothoids, whose curvatures are linear, of -4.
#include "inverse_helpers.h"

#include <stdlib.h>

#include "core/quat.h"
#include "core/vec3.h"

enum { FINE = 6000 };  // intervals; a multiple of PLACES - 1
static const double L = 0.3, W = 8e-4 * 9.81;

static const CpsVec3 CURVATURE = {5.0, 6.0, 9.0};
static const CpsVec3 STIFFNESS = {6e-5, 1e-4, 1e-4};

static CpsQuat root(void) {
  return cps_quat_exp(cps_vec3(0.3, 0.7, -0.4));
}

static CpsVec3 tangent(CpsQuat q) {
  return cps_quat_rotate(q, cps_vec3(1.0, 0.0, 0.0));
}

// Frames and places of a rod from curvatures at the ends and middles of its intervals, of second order and fourth by Simpson's rule in
// place; the frame goes with the middle's curvature.
static void integrate(const CpsVec3* middle, CpsQuat* q, CpsVec3* r) {
  const double d = L / FINE;
  q[0] = root();
  r[0] = cps_vec3(0.0, 0.0, 0.0);
  for (int i = 0; i < FINE; ++i) {
    const CpsQuat half = cps_quat_multiply(q[i], cps_quat_exp(cps_vec3_scale(0.5 * d, middle[i])));
    q[i + 1] = cps_quat_unit(cps_quat_multiply(q[i], cps_quat_exp(cps_vec3_scale(d, middle[i]))));
    CpsVec3 sum = cps_vec3_add(tangent(q[i]), tangent(q[i + 1]));
    sum = cps_vec3_axpy(sum, 4.0, tangent(half));
    r[i + 1] = cps_vec3_axpy(r[i], d / 6.0, sum);
  }
}

// (1), at the middles of the intervals, and where it leads to.
static void natural_centreline(CpsVec3* places) {
  static CpsVec3 k[FINE], r[FINE + 1], s1[FINE + 1];
  static CpsQuat q[FINE + 1];
  const double d = L / FINE;
  for (int i = 0; i < FINE; ++i) k[i] = CURVATURE;
  integrate(k, q, r);
  // s1(s) = int_s^L r dt by the trapezoidal rule with its correction for the ends of each interval, d^2 (t_i - t_i+1) / 12
  s1[FINE] = cps_vec3(0.0, 0.0, 0.0);
  for (int i = FINE - 1; i >= 0; --i) {
    CpsVec3 sum = cps_vec3_scale(0.5 * d, cps_vec3_add(r[i], r[i + 1]));
    sum = cps_vec3_axpy(sum, d * d / 12.0, cps_vec3_sub(tangent(q[i]), tangent(q[i + 1])));
    s1[i] = cps_vec3_add(s1[i + 1], sum);
  }
  static CpsVec3 at[FINE + 1];
  for (int i = 0; i <= FINE; ++i) {
    const CpsVec3 lever = cps_vec3_axpy(s1[i], -(L - i * d), r[i]);
    const CpsVec3 M = cps_vec3_cross(lever, cps_vec3(0.0, 0.0, -W));
    const CpsVec3 m = cps_quat_rotate(cps_quat_conjugate(q[i]), M);
    at[i] = cps_vec3(CURVATURE.x - m.x / STIFFNESS.x, CURVATURE.y - m.y / STIFFNESS.y, CURVATURE.z - m.z / STIFFNESS.z);
  }
  for (int i = 0; i < FINE; ++i) k[i] = cps_vec3_scale(0.5, cps_vec3_add(at[i], at[i + 1]));
  integrate(k, q, r);
  for (int p = 0; p < PLACES; ++p) places[p] = r[p * (FINE / (PLACES - 1))];
}

// The natural shape of a fibre that is at rest as it is defined.
static void natural_shape(const CpsFibreDef* def, CpsVec3* places) {
  CpsWorld* world = still_world(0.001);
  CpsFibreId id = add_fibre(world, def);
  invert(world);
  CpsNaturalCounts counts;
  assert_int_equal(cps_world_fibre_natural_counts(world, id, &counts), CPS_OK);
  CpsVec3* n = malloc((size_t)counts.strains * sizeof *n);
  assert_int_equal(cps_world_fibre_natural(world, id, n, NULL), CPS_OK);
  CpsWorldDef none = cps_world_def_default();
  none.gravity = (CpsVec3){0.0, 0.0, 0.0};
  CpsWorld* weightless = make_world(&none);
  CpsFibreId other = add_fibre(weightless, def);
  must(cps_world_set_fibre_natural(weightless, other, n, NULL, &must_error));
  must(cps_world_settle_fibre(weightless, other, NULL, &must_error));
  look(weightless, other, places);
  free(n);
  cps_world_destroy(world);
  cps_world_destroy(weightless);
}

// How far the natural shape that a model finds is from that, in lengths.
static double error_of(CpsRodModel model, int32_t N, const CpsVec3* expected) {
  CpsFibreDef def = clamped(model, N);
  def.curvature = &CURVATURE;
  def.curvature_count = 1;
  def.root_pose.rotation = root();
  def.twisting = STIFFNESS.x;
  def.bending[0] = STIFFNESS.y;
  def.bending[1] = STIFFNESS.z;
  def.stretching = 20.0;
  CpsVec3 found[PLACES];
  natural_shape(&def, found);
  return farthest(found, expected, PLACES) / L;
}

// Two framings of one curve: sections that do not twist, and sections that turn about it by `turn` from root to tip. How far apart
// their natural centrelines are, in lengths; one bending stiffness is `flat` times the other.
static double apart(int32_t N, double turn, double flat) {
  enum { MOST = 65 };
  CpsVec3 k[MOST], found[2][PLACES];
  for (int framing = 0; framing < 2; ++framing) {
    for (int32_t i = 0; i <= N; ++i) {
      const double part = (double)i / N, angle = framing * turn * part, c = cos(angle), s = sin(angle);
      const double b1 = 4.0 + 6.0 * part,
                   b2 = 8.0 - 5.0 * part;  // curvatures of the curve, in sections that do not twist
      k[i] = cps_vec3(framing * turn / L, c * b1 + s * b2, c * b2 - s * b1);
    }
    CpsFibreDef def = clamped(CPS_ROD_SUPER_CLOTHOID, N);
    def.curvature = k;
    def.curvature_count = N + 1;
    def.root_pose.rotation = root();
    def.twisting = STIFFNESS.x;
    def.bending[0] = STIFFNESS.y;
    def.bending[1] = flat * STIFFNESS.y;
    natural_shape(&def, found[framing]);
  }
  return farthest(found[0], found[1], PLACES) / L;
}

// One natural centreline for round sections, whatever the framing (Bertails-Descoubes 2018), and not for flat ones.
static void the_framing_matters_for_flat_sections_only(void** state) {
  (void)state;
  const double round[3] = {apart(16, 2.0, 1.0), apart(32, 2.0, 1.0), apart(64, 2.0, 1.0)};
  const double flat[2] = {apart(32, 2.0, 2.0), apart(64, 2.0, 2.0)};
  print_message("round: %.2e %.2e %.2e L apart, slope %.2f; flat: %.4f %.4f L\n", round[0], round[1], round[2],
                log2(round[2] / round[1]), flat[0], flat[1]);
  assert_true(log2(round[1] / round[0]) < -1.9 && log2(round[2] / round[1]) < -1.9);
  assert_true(round[2] < 3e-4);
  assert_true(flat[1] > 0.01 && fabs(flat[0] - flat[1]) < 1e-3);
}

static void models_converge_to_the_continuous_problem(void** state) {
  (void)state;
  CpsVec3 expected[PLACES];
  natural_centreline(expected);
  const CpsRodModel models[3] = {CPS_ROD_SUPER_HELIX, CPS_ROD_DER, CPS_ROD_SUPER_CLOTHOID};
  const double slope[3] = {-1.9, -1.8, -3.8};
  for (int m = 0; m < 3; ++m) {
    const int32_t first = m == 2 ? 5 : 10;  // of super-clothoids little is left to see
    const double e[3] = {error_of(models[m], first, expected), error_of(models[m], 2 * first, expected),
                         error_of(models[m], 4 * first, expected)};
    print_message("%s, %d, %d, %d elements: %.2e %.2e %.2e L, slope %.2f\n", cps_rod_model_name(models[m]), (int)first,
                  2 * (int)first, 4 * (int)first, e[0], e[1], e[2], log2(e[2] / e[1]));
    assert_true(log2(e[2] / e[1]) < slope[m]);
    assert_true(e[2] < 1e-2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models_converge_to_the_continuous_problem),
                                     cmocka_unit_test(the_framing_matters_for_flat_sections_only)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
