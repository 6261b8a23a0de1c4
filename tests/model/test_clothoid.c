// A space clothoid against an independent integration, against the helix, and against differences of itself.
#include "model/clothoid.h"

#include "model/helix.h"

#include "test_helpers.h"

typedef long double Real;

// Rows of R and r: y' for R' = R [k]x, r' = R e.
static void slope(const Real y[12], const Real k[3], Real dy[12]) {
  for (int i = 0; i < 3; ++i) {
    const Real* a = y + 3 * i;
    dy[3 * i] = a[1] * k[2] - a[2] * k[1];
    dy[3 * i + 1] = a[2] * k[0] - a[0] * k[2];
    dy[3 * i + 2] = a[0] * k[1] - a[1] * k[0];
    dy[9 + i] = a[0];
  }
}

// The classical method of Runge and Kutta with n steps in long double.
static void integrate(const CpsClothoid* c, double until, int n, Real y[12]) {
  static const Real AT[4] = {0, 0.5L, 0.5L, 1}, WEIGHT[4] = {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L};
  for (int i = 0; i < 12; ++i) y[i] = i == 0 || i == 4 || i == 8 ? 1 : 0;
  Real h = (Real)until / n;
  for (int step = 0; step < n; ++step) {
    Real sum[12] = {0}, dy[12] = {0};
    for (int stage = 0; stage < 4; ++stage) {
      Real f = (step + AT[stage]) * h / c->length, z[12];
      Real k[3] = {(1 - f) * c->k0.x + f * c->k1.x, (1 - f) * c->k0.y + f * c->k1.y, (1 - f) * c->k0.z + f * c->k1.z};
      for (int i = 0; i < 12; ++i) z[i] = y[i] + AT[stage] * h * dy[i];
      slope(z, k, dy);
      for (int i = 0; i < 12; ++i) sum[i] += WEIGHT[stage] * dy[i];
    }
    for (int i = 0; i < 12; ++i) y[i] += h * sum[i];
  }
}

// Two resolutions and Richardson's extrapolation: order 5.
static void reference(const CpsClothoid* c, double until, int n, double out[12]) {
  Real coarse[12], fine[12];
  integrate(c, until, n, coarse);
  integrate(c, until, 2 * n, fine);
  for (int i = 0; i < 12; ++i) out[i] = (double)(fine[i] + (fine[i] - coarse[i]) / 15);
}

static double off(const CpsClothoidPoint* p, const double y[12]) {
  double worst = 0.0;
  for (int i = 0; i < 9; ++i) worst = fmax(worst, fabs(p->frame.m[i] - y[i]));
  worst = fmax(worst, fabs(p->position.x - y[9]));
  worst = fmax(worst, fabs(p->position.y - y[10]));
  return fmax(worst, fabs(p->position.z - y[11]));
}

static CpsClothoidPoint at(const CpsClothoid* c, double s, CpsClothoidCarry carry) {
  CpsMat3 I = cps_mat3_identity();
  CpsClothoidPoint p;
  cps_clothoid_at(c, s, carry, &I, NULL, &p);
  return p;
}

// A hundred radians: the plain series would lose 70 digits. 1e-13 is some hundred roundings of numbers of order 1.
static void long_and_curly_clothoids_are_exact(void** state) {
  (void)state;
  const CpsClothoid c = {{3.0, 19.0, -4.0}, {-12.0, -6.0, 15.0}, 5.0};
  for (int part = 1; part <= 4; ++part) {
    double s = 5.0 * part / 4.0, y[12];
    reference(&c, s, 20000 * part, y);
    CpsClothoidPoint p = at(&c, s, CPS_CLOTHOID_FRAME);
    assert_below(off(&p, y), 1e-13);
  }
}

// From straight to tightly wound, beginning or ending straight, and a curvature that passes through zero.
static void all_kinds_of_clothoids_are_exact(void** state) {
  (void)state;
  static const CpsClothoid KINDS[] = {
      {{0, 0, 0}, {0, 0, 0}, 1.0},          {{0, 0, 0}, {1e-9, 2e-9, -1e-9}, 1.0}, {{0, 0, 0}, {2, -3, 7}, 1.0},
      {{2, -3, 7}, {0, 0, 0}, 0.3},         {{2, -3, 7}, {-2, 3, -7}, 1.0},        {{0, 50, 0}, {0, 50, 0}, 0.2},
      {{100, 1e-3, 0}, {-100, 0, 2}, 0.25}, {{1, 1, 1}, {1.5, 1, 0.5}, 0.06},
  };
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; ++i) {
    double y[12];
    reference(&KINDS[i], KINDS[i].length, 4000, y);
    CpsClothoidPoint p = at(&KINDS[i], KINDS[i].length, CPS_CLOTHOID_JACOBIAN);
    assert_below(off(&p, y), 2e-14);
  }
  // a clothoid of no extent is where it begins
  CpsClothoidPoint p = at(&KINDS[2], 0.0, CPS_CLOTHOID_FRAME);
  assert_near(p.frame.m[0], 1.0, 0.0);
  assert_near(cps_vec3_norm(p.position), 0.0, 0.0);
}

// An unrolled planar curve turns by the integral of its curvature and is an Euler spiral: Fresnel's integrals at 1.
static void the_planar_one_is_eulers_spiral(void** state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  // angle pi s^2 / 2 about the third axis: x = C(1), y = S(1)
  const CpsClothoid c = {{0, 0, 0}, {0, 0, pi}, 1.0};
  CpsClothoidPoint p = at(&c, 1.0, CPS_CLOTHOID_FRAME);
  assert_near(p.position.x, 0.77989340037682282947, 4e-16);
  assert_near(p.position.y, 0.43825914739035476608, 4e-16);
  assert_near(p.frame.m[3], 1.0, 1e-15);
}

// Equal curvatures at both ends: the closed forms of the helix, with its derivatives by the one curvature.
static void constant_curvature_is_the_helix(void** state) {
  (void)state;
  static const CpsVec3 K[] = {{0, 0, 0}, {0.1, 0.2, -0.1}, {5, 9, -3}, {20, 0, 0}, {0, 35, 8}};
  for (size_t i = 0; i < sizeof K / sizeof K[0]; ++i) {
    CpsClothoid c = {K[i], K[i], 0.7};
    CpsHelix h = cps_helix(cps_vec3_scale(0.7, K[i]));
    CpsClothoidPoint p = at(&c, 0.7, CPS_CLOTHOID_JACOBIAN);
    CpsMat3 R = cps_helix_turn(&h), spin = cps_helix_spin(&h), slope_of_chord = cps_helix_chord_slope(&h);
    assert_below(cps_vec3_norm(cps_vec3_axpy(p.position, -0.7, cps_helix_chord(&h))), 2e-15);
    // up to 25 radians: some roundings for each piece
    for (int e = 0; e < 9; ++e) assert_near(p.frame.m[e], R.m[e], 5e-14);
    // both curvatures changed alike
    for (int j = 0; j < 3; ++j) {
      CpsVec3 slide = cps_vec3_add(p.slide[j], p.slide[j + 3]), turn = cps_vec3_add(p.turn[j], p.turn[j + 3]);
      CpsVec3 d = {slope_of_chord.m[j], slope_of_chord.m[3 + j], slope_of_chord.m[6 + j]};
      CpsVec3 w = {spin.m[j], spin.m[3 + j], spin.m[6 + j]};
      assert_below(cps_vec3_norm(cps_vec3_axpy(slide, -0.49, d)), 1e-14);
      assert_below(cps_vec3_norm(cps_vec3_axpy(turn, -0.7, w)), 1e-14);
    }
  }
}

static void nudge(CpsClothoid* c, int j, double d) {
  CpsVec3* k = j < 3 ? &c->k0 : &c->k1;
  *(j % 3 == 0 ? &k->x : j % 3 == 1 ? &k->y : &k->z) += d;
}

// slide = d r / d k; turn = the rotation vector of d R R^T. Central differences: d^2 times third derivatives (l^4 / 24 and
// so on), rounding 1e-15 / d.
static void derivatives_are_those_of_position_and_frame(void** state) {
  (void)state;
  static const CpsClothoid KINDS[] = {
      {{0, 0, 0}, {0, 0, 0}, 1.0}, {{2, -3, 7}, {-1, 5, 2}, 1.0}, {{1, 30, -12}, {-25, 8, 3}, 0.5}};
  const double d = 1e-5;
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; ++i) {
    for (int part = 1; part <= 3; ++part) {
      double s = KINDS[i].length * part / 3.0;
      CpsClothoidPoint p = at(&KINDS[i], s, CPS_CLOTHOID_JACOBIAN);
      for (int j = 0; j < 6; ++j) {
        CpsClothoid plus = KINDS[i], minus = KINDS[i];
        nudge(&plus, j, d);
        nudge(&minus, j, -d);
        CpsClothoidPoint a = at(&plus, s, CPS_CLOTHOID_FRAME), b = at(&minus, s, CPS_CLOTHOID_FRAME);
        CpsVec3 slide = cps_vec3_scale(0.5 / d, cps_vec3_sub(a.position, b.position));
        assert_below(cps_vec3_norm(cps_vec3_sub(slide, p.slide[j])), 3e-10);
        // each axis moves by turn × axis
        for (int axis = 0; axis < 3; ++axis) {
          CpsVec3 now = {p.frame.m[axis], p.frame.m[3 + axis], p.frame.m[6 + axis]};
          CpsVec3 change = {a.frame.m[axis] - b.frame.m[axis], a.frame.m[3 + axis] - b.frame.m[3 + axis],
                            a.frame.m[6 + axis] - b.frame.m[6 + axis]};
          CpsVec3 expected = cps_vec3_cross(p.turn[j], now);
          assert_below(cps_vec3_norm(cps_vec3_sub(cps_vec3_scale(0.5 / d, change), expected)), 3e-10);
        }
      }
    }
  }
}

// Where the clothoid is after a time t of constant rates and a constant motion of its first section.
static CpsClothoidPoint moved(const CpsClothoid* c, const CpsClothoidMotion* m, double t, double s) {
  CpsClothoid then = {cps_vec3_axpy(c->k0, t, m->rate0), cps_vec3_axpy(c->k1, t, m->rate1), c->length};
  CpsHelix h = cps_helix(cps_vec3_scale(t, m->spin));
  CpsMat3 turn = cps_helix_turn(&h);
  CpsClothoidPoint p;
  cps_clothoid_at(&then, s, CPS_CLOTHOID_FRAME, &turn, NULL, &p);
  p.position = cps_vec3_axpy(p.position, t, m->velocity);
  return p;
}

// Velocities against differences in time; the first section turns steadily and moves steadily, the curvatures change
// steadily.
static void velocities_are_those_of_the_motion(void** state) {
  (void)state;
  const CpsClothoid c = {{2, -3, 7}, {-9, 5, 12}, 0.8};
  const CpsClothoidMotion m = {
      .rate0 = {1, -2, 0.5}, .rate1 = {3, 1, -4}, .spin = {0.4, -1.1, 0.7}, .velocity = {1, 2, 3}};
  CpsMat3 I = cps_mat3_identity();
  const double d = 1e-3;
  for (int part = 1; part <= 4; ++part) {
    double s = 0.2 * part;
    CpsClothoidPoint p;
    cps_clothoid_at(&c, s, CPS_CLOTHOID_MOTION, &I, &m, &p);
    CpsVec3 x[5];
    for (int i = 0; i < 5; ++i) x[i] = moved(&c, &m, (i - 2) * d, s).position;
    // differences of fourth order: error d^4 times the fifth derivative, rounding 1e-16 / d
    CpsVec3 v = cps_vec3_scale(8.0, cps_vec3_sub(x[3], x[1]));
    v = cps_vec3_scale(1.0 / (12.0 * d), cps_vec3_axpy(v, -1.0, cps_vec3_sub(x[4], x[0])));
    assert_below(cps_vec3_norm(cps_vec3_sub(v, p.velocity)), 1e-11);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_and_curly_clothoids_are_exact),
      cmocka_unit_test(all_kinds_of_clothoids_are_exact),
      cmocka_unit_test(the_planar_one_is_eulers_spiral),
      cmocka_unit_test(constant_curvature_is_the_helix),
      cmocka_unit_test(derivatives_are_those_of_position_and_frame),
      cmocka_unit_test(velocities_are_those_of_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
