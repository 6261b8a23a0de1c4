// What the time step itself does to fibres at rest: its matrices against differences of a step, its verdict against what happens, and
// the reasons why a fibre that was inverted may not stay.
// labels: release
#include "inverse_helpers.h"

#include "capstan/tie.h"
#include "inverse/inverse.h"
#include "model/discrete_rod.h"
#include "model/super_helix.h"
#include "sparse/banded.h"

#include <string.h>

static const CpsVec3 WEIGHT = {0.0, 0.0, -9.81};
static const double L = 0.3;  // of clamped()

// A rod of a random shape, balanced.
static CpsRod balanced(CpsRodModel model, double damping) {
  uint64_t seed = 9;
  CpsVec3 drawn[SHAPE_POINTS];
  CpsFibreDef def = clamped(model, 6);
  draw_shape(&seed, 3.0, def.length, drawn);
  def.curvature = drawn;
  def.curvature_count = SHAPE_POINTS;
  def.root_pose.rotation = draw_rotation(&seed);
  // so soft that the mass of super-helices is asked for; mass, stiffness and weight of discrete rods are about equal in a step of 20 ms
  def.bending[0] = def.bending[1] = def.twisting = model == CPS_ROD_DER ? 3e-6 : 1e-8;
  def.stretching = 0.1;
  def.damping = damping;
  CpsRod rod;
  assert_int_equal(cps_rod_create(&def, &rod, NULL), CPS_OK);
  rod.root.now = rod.root.next = def.root_pose;
  const CpsRodLoad load = cps_rod_load(&rod, WEIGHT, 0, NULL);
  assert_int_equal(rod.type->statics->balance(&rod, &load, NULL), CPS_OK);
  rod.type->refresh(&rod);
  return rod;
}

// The matrices of (3) of stepping.c.
static CpsRodMatrices asked(const CpsRod* rod, double h, double theta) {
  const CpsRodLoad load = cps_rod_load(rod, WEIGHT, 0, NULL);
  CpsRodMatrices rest, m;
  assert_int_equal(cps_rod_held_matrices(rod, &load, &rest), CPS_OK);
  assert_int_equal(cps_rod_step_matrices(rod, &load, &rest, h, theta, &m), CPS_OK);
  cps_rod_matrices_free(&rest);
  return m;
}

// The velocity that belongs to an unknown: super-helices have theirs in another order.
static double* velocity_of(const CpsRod* rod, int32_t i) {
  if (rod->type->statics->step_parts) {
    const CpsDer d = cps_der_view(rod);
    return d.v + 4 * (ptrdiff_t)d.ghost + 3 + i;
  }
  const CpsSuperHelix x = cps_super_helix(rod);
  return x.velocity[CPS_VELOCITY_AFTER] + cps_super_helix_of_element(&x, i / 3) + i % 3;
}

// v+ of a step from q + `by` x and velocities `speed` y, by central differences.
static void step_from(CpsRod* rod, const CpsModelStep* step, double by, const double* x, double speed, const double* y,
                      int32_t n, double* out) {
  double *kept = malloc((size_t)rod->state_count * sizeof *kept), *move = malloc((size_t)n * sizeof *move);
  memcpy(kept, rod->state, (size_t)rod->state_count * sizeof *kept);
  for (int32_t i = 0; i < n; ++i) out[i] = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    for (int32_t i = 0; i < n; ++i) move[i] = side * by * x[i];
    rod->type->statics->move(rod, move);
    for (int32_t i = 0; i < n; ++i) *velocity_of(rod, i) = side * speed * y[i];
    rod->type->refresh(rod);
    rod->type->begin(rod, step);
    rod->type->receive(rod, NULL);
    for (int32_t i = 0; i < n; ++i) out[i] += 0.5 * side * *velocity_of(rod, i);
    memcpy(rod->state, kept, (size_t)rod->state_count * sizeof *kept);
    rod->type->refresh(rod);
  }
  free(kept);
  free(move);
}

// (3) is what is left of the equations of a step with v+ = -v: the step itself answers v+ = -v + s with
//
//   N s = (h / 2) (3) v,     N = M / h + theta (d + h theta) K + h theta^2 T,
//
// from q = h (2 theta - 1) v / 2. N is symmetric: for two directions a, b with answers s, t, sᵀ (3) b = tᵀ (3) a.
static void the_matrix_is_that_of_a_step(void** state) {
  (void)state;
  enum { MOST = 64 };
  const CpsRodModel models[2] = {CPS_ROD_SUPER_HELIX, CPS_ROD_DER};
  const double thetas[3] = {1.0, 0.75, 0.5};
  for (int m = 0; m < 2; ++m) {
    for (int k = 0; k < 3; ++k) {
      const double theta = thetas[k], h = 0.02, d = 5e-3, late = 2.0 * theta - 1.0;
      if (m == 0 && theta == 0.5) continue;  // is not asked
      CpsRod rod = balanced(models[m], d);
      const CpsRodLoad load = cps_rod_load(&rod, WEIGHT, 0, NULL);
      CpsRodMatrices P = asked(&rod, h, theta), S;
      assert_int_equal(cps_rod_matrices(&rod, &load, &S), CPS_OK);
      const int32_t n = P.n;
      assert_true(n <= MOST);
      const size_t count = (size_t)n * ((size_t)P.band + 1);
      double *N = calloc(4 * count, sizeof *N), *M = N + count, *T = M + count, *axial = T + count;
      if (m == 1) rod.type->statics->step_parts(&rod, 1.0, 0.0, 0.0, M);
      if (m == 1) rod.type->statics->step_parts(&rod, 0.0, 0.0, 1.0, T);
      // the springs of edges are E S / r = (E S + T) / |e|
      if (m == 1) rod.type->statics->step_parts(&rod, 0.0, 1.0, 0.0, axial);
      for (size_t i = 0; i < count; ++i) {
        // super-helices have theirs in (3) alone
        if (m == 0) M[i] = 0.25 * h * h * (P.K[i] + P.C[i] - late * ((2.0 * d / h + late) * S.K[i] - S.C[i]));
        N[i] = M[i] / h + theta * (d + h * theta) * (S.K[i] + axial[i]) + h * theta * theta * T[i];
      }
      double x[MOST], y[MOST], s[MOST], Px[MOST], Ns[MOST];
      uint64_t seed = 21;
      for (int32_t i = 0; i < n; ++i) y[i] = draw(&seed) * (m == 0 || i % 4 == 0 ? 1.0 : 0.05), x[i] = y[i];
      const CpsModelStep step = {.h = h, .theta = theta, .gravity = WEIGHT};
      const double speed = 1e-5 / h;
      step_from(&rod, &step, 0.5 * h * late * speed, x, speed, y, n, s);
      for (int32_t i = 0; i < n; ++i) s[i] = s[i] / speed + y[i];
      for (size_t i = 0; i < count; ++i) P.L[i] = P.K[i] + P.C[i];
      cps_banded_multiply(n, P.band, P.L, y, Px);
      cps_banded_multiply(n, P.band, N, s, Ns);
      double largest = 0.0, worst = 0.0;
      for (int32_t i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(0.5 * h * Px[i]));
        worst = fmax(worst, fabs(Ns[i] - 0.5 * h * Px[i]));
      }
      assert_true(worst < 1e-5 * largest);  // differences of super-helices have 4e-6
      free(N);
      cps_rod_matrices_free(&P);
      cps_rod_matrices_free(&S);
      cps_rod_free(&rod);
    }
  }
}

static CpsWorld* world_of(double h, double theta) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = WEIGHT;
  def.step = h;
  def.theta = theta;
  return make_world(&def);
}

// The farthest that a fibre is from where it began in some steps, in lengths.
static double moved(CpsWorld* world, CpsFibreId id, int steps) {
  CpsVec3 before[PLACES], after[PLACES];
  double most = 0.0;
  look(world, id, before);
  for (int k = 0; k < steps && most < 1e-3; k += 20) {
    for (int i = 0; i < 20; ++i) {
      if (cps_world_step(world, NULL, NULL) < 0) return 1.0;  // energy from nothing
    }
    look(world, id, after);
    most = fmax(most, farthest(before, after, PLACES) / L);
  }
  return most;
}

// Random shapes at three thetas with and without damping: what is called stable stays, what is said to be moved by the step moves.
// Growth is slow near the limit, so that not all can be seen to move in so few steps.
static void the_verdict_holds_at_any_theta(void** state) {
  (void)state;
  enum { STEPS = 1500 };
  const CpsRodModel models[4] = {CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_DER,
                                 CPS_ROD_DER_PROJECTED};
  const double thetas[3] = {1.0, 0.75, 0.5}, dampings[3] = {0.0, 1e-3, 2e-2};
  int kept[3] = {0}, gone[3] = {0}, slow = 0;
  uint64_t seed = 5;
  for (int shape = 0; shape < 2; ++shape) {
    CpsVec3 drawn[SHAPE_POINTS];
    CpsFibreDef def = clamped(models[0], 8 + 6 * shape);
    draw_shape(&seed, 3.0, def.length, drawn);
    def.curvature = drawn;
    def.curvature_count = SHAPE_POINTS;
    def.root_pose.rotation = draw_rotation(&seed);
    const double stiff = pow(10.0, draw(&seed));
    def.bending[0] = def.bending[1] = 3.1e-5 * stiff;
    def.twisting = 2.1e-5 * stiff;
    for (int k = 0; k < 36; ++k) {
      const double theta = thetas[k % 3];
      def.model = models[k / 9];
      def.damping = dampings[k / 3 % 3];
      CpsWorld* world = world_of(4e-3, theta);
      CpsFibreId id = add_fibre(world, &def);
      const CpsInvertInfo info = invert(world);
      const CpsFibreDoubt doubt = cps_world_fibre_doubt(world, id);
      assert_int_equal(info.unstable_count, doubt == CPS_DOUBT_NONE ? 0 : 1);
      const double most = moved(world, id, STEPS);
      cps_world_destroy(world);
      if (doubt == CPS_DOUBT_NONE) {
        if (!(most < 1e-10)) print_error("%s theta %g damping %g: %g\n", "called still", theta, def.damping, most);
        assert_true(most < 1e-10);
        ++kept[k % 3];
      } else {
        assert_int_equal(doubt, CPS_DOUBT_STEP);  // both shapes are stable
        if (most > 1e-6)
          ++gone[k % 3];
        else
          ++slow;
      }
    }
  }
  assert_int_equal(kept[0], 24);
  print_message("theta 0.75: %d kept, %d left; theta 0.5: %d kept, %d left; %d too slow to see\n", kept[1], gone[1],
                kept[2], gone[2], slow);
  assert_true(kept[1] == 24 && kept[2] > 4 && gone[2] > 6 && slow < gone[2]);
}

// A limp tree without damping: the step leaves the shape, stiffened and damped trees stay. Without its twig this rod does the same.
static void trees_are_judged(void** state) {
  (void)state;
  enum { POINTS = 100 };
  CpsVec3 points[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    const double t = i / (POINTS - 1.0);
    points[i] = (CpsVec3){0.0206 * t + 0.0994 * sin(0.638 * t + 3.757), -0.1597 * t + 0.0586 * sin(5.833 * t + 3.649),
                          -0.4934 * t - 0.1176 * sin(1.308 * t + 2.609)};
  }
  const CpsFibreBranch twig = {.parent = -1,
                               .at = 6,
                               .rotation = {0.8, 0.6, 0.0, 0.0},
                               .elements = 2,
                               .length = 0.04,
                               .radius = 2e-4,
                               .curvature = {0.0, 9.0, 4.0}};
  for (int k = 0; k < 3; ++k) {
    CpsFibreDef def = clamped(CPS_ROD_SUPER_HELIX_RECURSIVE, 10);
    def.points = points;
    def.point_count = POINTS;
    def.natural_as_placed = true;
    def.branches = &twig;
    def.branch_count = 1;
    def.density = 5973.0;
    def.line_density = NAN;
    def.bending[0] = def.bending[1] = def.twisting = NAN;
    def.young = 4.66e8;
    def.poisson = 0.5;
    def.damping = k == 2 ? 0.01 : 0.0;
    CpsWorld* world = world_of(1e-3, 1.0);
    CpsFibreId id = add_fibre(world, &def);
    CpsInvertOptions options = cps_invert_options_default();
    options.stiffen = k == 1;
    CpsInvertInfo info;
    must(cps_world_invert(world, &options, &info, &must_error));
    const double most = moved(world, id, 1000);
    assert_int_equal(cps_world_fibre_doubt(world, id), k == 0 ? CPS_DOUBT_STEP : CPS_DOUBT_NONE);
    assert_int_equal(info.stiffened_count, k == 1);
    assert_true(k == 0 ? most > 1e-6 : most < 1e-10);
    cps_world_destroy(world);
  }
}

// A ball on a reed, a reed on a tie, a rod on posts of which no clamp holds it, and one whose tip is held.
static void what_was_not_judged_is_said(void** state) {
  (void)state;
  CpsWorld* world = world_of(1e-3, 1.0);
  CpsFibreDef def = clamped(CPS_ROD_DER, 10);
  def.contact_radius = 1e-3;
  CpsFibreId reed[4];
  for (int i = 0; i < 4; ++i) {
    def.root_pose.position.y = 0.1 * i;
    if (i == 3) def.model = CPS_ROD_SUPER_HELIX;
    def.tip.kind = i == 3 ? CPS_END_CLAMPED : CPS_END_FREE;
    reed[i] = add_fibre(world, &def);
  }
  CpsBodyDef ball = ball_at(0.01, 0.2, 0.0, 0.011);
  const CpsBodyId body = add_body(world, &ball);
  ball = ball_at(0.01, 0.001, 0.2, 0.011);  // the clamp carries this one
  add_body(world, &ball);
  CpsTieDef tie = cps_tie_def_default();
  tie.kind = CPS_TIE_ROD;
  tie.a = cps_anchor_fibre(reed[1], 0.2);
  tie.b = cps_anchor_world((CpsVec3){0.2, 0.1, 0.3});
  tie.length = 0.3;
  CpsTieId id;
  must(cps_world_add_tie(world, &tie, &id, &must_error));
  CpsInvertInfo info;
  must(cps_world_invert(world, NULL, &info, &must_error));
  assert_int_equal(cps_world_fibre_doubt(world, reed[0]), CPS_DOUBT_LOADED);
  assert_int_equal(cps_world_fibre_doubt(world, reed[1]), CPS_DOUBT_TIED);
  assert_int_equal(cps_world_fibre_doubt(world, reed[2]), CPS_DOUBT_NONE);
  assert_int_equal(cps_world_fibre_doubt(world, reed[3]), CPS_DOUBT_NONE);  // the hold would only help
  assert_int_equal(cps_world_fibre_doubt(world, (CpsFibreId){7, 1}), CPS_DOUBT_NONE);
  assert_int_equal(info.loose_count, 2);
  assert_int_equal(info.unstable_count + info.unjudged_count, 0);
  must(cps_world_remove_body(world, body, &must_error));
  must(cps_world_remove_tie(world, id, &must_error));
  must(cps_world_invert(world, NULL, &info, &must_error));
  for (int i = 0; i < 4; ++i) assert_int_equal(cps_world_fibre_doubt(world, reed[i]), CPS_DOUBT_NONE);
  cps_world_destroy(world);
  // upright and too soft: it may be the hold that keeps it; and a root that is not clamped, without weight
  world = world_of(1e-3, 1.0);
  def.root_pose = (CpsPose){{0.0, 0.0, 0.0}, about_y(-1.57079632679489661923)};
  def.bending[0] = def.bending[1] = 1e-6;
  reed[0] = add_fibre(world, &def);
  def.root.kind = CPS_END_FREE;
  def.tip.kind = CPS_END_FREE;
  def.gravity = false;
  def.root_pose.position.x = 1.0;
  reed[1] = add_fibre(world, &def);
  must(cps_world_invert(world, NULL, &info, &must_error));
  for (int i = 0; i < 2; ++i) assert_int_equal(cps_world_fibre_doubt(world, reed[i]), CPS_DOUBT_UNKNOWN);
  assert_int_equal(info.unjudged_count, 2);
  assert_int_equal(info.unstable_count, 0);
  cps_world_destroy(world);
  // a tip on a ball, at theta = 1 and below
  for (int k = 0; k < 2; ++k) {
    world = world_of(4e-3, k == 0 ? 1.0 : 0.75);
    def = clamped(CPS_ROD_DER_PROJECTED, 10);
    def.contact_radius = 1e-3;
    def.damping = 0.02;
    CpsObstacleDef post = cps_obstacle_def_default();
    post.shape = cps_sphere(0.5);
    post.pose.position = (CpsVec3){0.25, 0.0, -0.501};
    add_obstacle(world, &post);
    reed[0] = add_fibre(world, &def);
    must(cps_world_invert(world, NULL, &info, &must_error));
    assert_int_equal(info.carrying_count, 1);
    assert_int_equal(cps_world_fibre_doubt(world, reed[0]), k == 0 ? CPS_DOUBT_NONE : CPS_DOUBT_UNKNOWN);
    assert_int_equal(info.unjudged_count, k);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_matrix_is_that_of_a_step),
      cmocka_unit_test(the_verdict_holds_at_any_theta),
      cmocka_unit_test(trees_are_judged),
      cmocka_unit_test(what_was_not_judged_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
