// options.polish: what rests is solved to rounding, and a good first guess still gets better.
#include "capstan/capstan.h"
#include "friction/refill.h"
#include "rigid_scene.h"

static CpsSolveOptions polished(double tolerance) {
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = tolerance;
  options.polish = true;
  return options;
}

// One step; returns the info.
static CpsSolveInfo step(RigidScene* s, CpsProblem* p, CpsWorkspace* workspace, const CpsSolveOptions* options,
                         const double hg[3]) {
  scene_free_velocity(s, hg);
  CpsContactsDef def = scene_contacts(s);
  CpsFactoredForm form = scene_form(s);
  CpsSolveInfo info;
  assert_int_equal(cps_problem_refill_borrowed(p, &def, &form, NULL, NULL), CPS_OK);
  assert_int_equal(cps_workspace_solve(workspace, p, options, s->r, &info, NULL), CPS_OK);
  scene_push(s);
  return info;
}

// A block on a ramp of slope 0.5 with mu = 0.5 + 1e-3. In 10^5 steps of 1 ms (100 s) it may drift 1e-10 m; here the
// first 2000 steps, all of the drift since afterwards nothing moves, and the speed at their end times the rest.
static void a_block_on_a_ramp_stays_where_it_is(void** state) {
  (void)state;
  const double slope = 0.5, h = 1e-3, g = 9.81, cosine = 1.0 / sqrt(1.0 + slope * slope), sine = slope * cosine;
  const double hg[3] = {h * g * sine, 0.0, -h * g * cosine};  // in the frame of the ramp
  for (int shape = 0; shape < 3; ++shape) {
    double mass = shape == 2 ? 1000.0 : 1.0, height = shape == 1 ? 0.9 : 0.2;  // 0.9: the upper edge carries 5 %
    RigidScene* s = scene_make(1, 4);
    int32_t box = scene_box(s, 0.0, 0.0, 0.5 * height, mass, 0.5, 0.5, height);
    scene_face(s, -1, box, 0.0, 0.0, 0.0, 0.25, 0.25, slope + 1e-3);
    CpsProblem* p = scene_problem(s);
    CpsWorkspace* workspace = NULL;
    CpsSolveOptions options = polished(1e-6);
    assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
    double drift = 0.0, speed = 0.0;
    for (int k = 0; k < 2000; ++k) {
      (void)step(s, p, workspace, &options, hg);
      speed = 0.0;
      for (int a = 0; a < 6; ++a) speed = fmax(speed, fabs(s->v[a]) / s->root_mass[a]);
      drift += h * speed;
    }
    drift += 98.0 * speed;
    if (!(drift < 1e-10)) fail_msg("shape %d drifts %g m, speed %g m/s", shape, drift, speed);
    cps_workspace_destroy(workspace);
    cps_problem_destroy(p);
    scene_free(s);
  }
}

// The same ramp with mu = 0.5 - 1e-3: u_x grows by h g (sin - mu cos) per step. Polish does not hold what slides; the
// tolerance on each step's impulses, 1e-6 of h g, leaves 1e-5 of the small difference.
static void a_block_on_a_steeper_ramp_slides(void** state) {
  (void)state;
  const double slope = 0.5, mu = 0.499, h = 1e-3, g = 9.81, cosine = 1.0 / sqrt(1.25), sine = slope * cosine;
  const double hg[3] = {h * g * sine, 0.0, -h * g * cosine};
  RigidScene* s = scene_make(1, 4);
  int32_t box = scene_box(s, 0.0, 0.0, 0.1, 2.0, 0.5, 0.5, 0.2);
  scene_face(s, -1, box, 0.0, 0.0, 0.0, 0.25, 0.25, mu);
  CpsProblem* p = scene_problem(s);
  CpsWorkspace* workspace = NULL;
  CpsSolveOptions options = polished(1e-8);
  assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
  for (int k = 1; k <= 200; ++k) {
    CpsSolveInfo info = step(s, p, workspace, &options, hg);
    double speed = s->v[0] / s->root_mass[0], exact = k * h * g * (sine - mu * cosine);
    assert_true(fabs(speed - exact) <= 1e-3 * exact);
    assert_true(info.residual <= 1e-8);
  }
  cps_workspace_destroy(workspace);
  cps_problem_destroy(p);
  scene_free(s);
}

// Where contacts slide there is no rest to find: a guess below the tolerance takes one sweep, which does not harm it.
static void a_good_guess_is_improved_by_a_sweep(void** state) {
  (void)state;
  RigidScene* s = scene_make(2, 5);
  int32_t box = scene_box(s, 0.0, 0.0, 0.1, 2.0, 0.5, 0.5, 0.2);
  int32_t ball = scene_sphere(s, 0.0, 0.0, 0.5, 1.0, 0.3);
  scene_face(s, -1, box, 0.0, 0.0, 0.0, 0.25, 0.25, 0.1);
  scene_contact(s, box, ball, (double[3]){0.0, 0.0, 0.2}, (double[3]){0.0, 0.0, 1.0}, 0.3);
  scene_free_velocity(s, (double[3]){0.1, 0.02, -0.1});
  CpsProblem* p = scene_problem(s);
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info, kept, better;
  double exact[15], guess[15] = {0};
  options.tolerance = 1e-4;
  assert_int_equal(cps_problem_solve(p, &options, guess, &info, NULL), CPS_OK);
  assert_true(info.slide > 0 && info.residual > 1e-12);
  memcpy(exact, guess, sizeof guess);
  // without polish the bits of the guess are kept
  assert_int_equal(cps_problem_solve(p, &options, exact, &kept, NULL), CPS_OK);
  assert_memory_equal(exact, guess, sizeof guess);
  assert_int_equal(kept.iterations, 0);
  double before = kept.residual;
  options.polish = true;
  for (int k = 0; k < 20; ++k) {
    assert_int_equal(cps_problem_solve(p, &options, guess, &better, NULL), CPS_OK);
    assert_true(better.residual <= before);
    assert_in_range(better.iterations, 0, 1);
    before = better.residual;
  }
  // Gauss-Seidel converges here: twenty sweeps gain more than a digit
  assert_true(before < 0.1 * kept.residual);
  cps_problem_destroy(p);
  scene_free(s);
}

// A heap of spheres at rest, 1e-6 asked: rounding reached, in one solve or over the warm starts of a few, and then kept
// without a sweep. 1e-13: some hundred rounding errors, where 1e-6 was asked.
static void a_heap_comes_to_rest_to_rounding(void** state) {
  (void)state;
  for (int32_t side = 2; side <= 5; ++side) {
    RigidScene* s = scene_pack(side, side, 0.5);
    CpsProblem* p = scene_problem(s);
    CpsWorkspace* workspace = NULL;
    CpsSolveOptions options = polished(1e-6);
    CpsSolveInfo info;
    assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
    for (int k = 0; k < 30; ++k) info = step(s, p, workspace, &options, (double[3]){0.0, 0.0, -9.81e-3});
    assert_int_equal(info.slide, 0);
    if (!(info.residual < 1e-13)) fail_msg("side %d: residual %g", (int)side, info.residual);
    cps_workspace_destroy(workspace);
    cps_problem_destroy(p);
    scene_free(s);
  }
}

// Fibres that move against each other, to a tolerance at which their slow slipping could be taken for rest: of those that
// are loaded most slide, and nothing is tried in vain.
static void a_bundle_in_motion_is_left_alone(void** state) {
  (void)state;
  CpsGenerateDef def = cps_generate_def_default();
  def.contact_count = 1700;
  def.mu = 0.05;
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_generate(&def, &p, NULL), CPS_OK);
  double* r = calloc((size_t)cps_problem_row_count(p), sizeof *r);
  assert_non_null(r);
  CpsSolveOptions options = polished(1e-2);
  options.method = CPS_METHOD_GS_PARALLEL;
  options.local = CPS_LOCAL_ENUM;
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(p, &options, r, &info, NULL), CPS_OK);
  assert_true(info.iterations >= 20);  // it was hard, so that creep was looked into
  assert_true(info.slide > 10 * info.stick);
  assert_int_equal(info.inner_iterations, 0);
  free(r);
  cps_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_on_a_ramp_stays_where_it_is), cmocka_unit_test(a_block_on_a_steeper_ramp_slides),
      cmocka_unit_test(a_good_guess_is_improved_by_a_sweep), cmocka_unit_test(a_heap_comes_to_rest_to_rounding),
      cmocka_unit_test(a_bundle_in_motion_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
