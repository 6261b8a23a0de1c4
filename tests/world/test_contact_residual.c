// The residual and the status of each contact: the worst contact of a step is as bad as the step reports, and the problem saved
// from a step gives the same data for each contact as the step.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "capstan/fibre.h"
#ifdef CAPSTAN_IO
#include "capstan/fclib.h"
#endif
#include "test_helpers.h"

// Islands of their own: a feather, 1e9 times lighter than the block; a ball that bounces; a box on a plate that shakes.
static void add_others(CpsWorld* world) {
  for (int i = 0; i < 3; ++i) {
    CpsBodyDef body = cps_body_def_default();
    double size = i == 0 ? 0.01 : 1.0;
    body.shape = i == 2 ? cps_sphere(0.1) : cps_box((CpsVec3){size, size, 0.5 * size});
    body.density = i == 0 ? 1.0 : 1000.0;
    body.restitution = i == 2 ? 0.8 : 0.0;
    body.position = (CpsVec3){5.0 + 2.0 * i, 0.0, i == 2 ? 0.101 : 0.25 * size};
    body.velocity = (CpsVec3){0.1, 0.0, i == 2 ? -2.0 : 0.0};
    assert_int_equal(cps_world_add_body(world, &body, NULL, NULL), CPS_OK);
  }
  CpsObstacleDef plate = cps_obstacle_def_default();
  plate.shape = cps_box((CpsVec3){1.0, 1.0, 0.2});
  plate.pose.position = (CpsVec3){-5.0, 0.0, 0.5};
  plate.motion = (CpsMotion){.kind = CPS_MOTION_SINE, .amplitude = {0.05, 0.02, 0.0}, .frequency = 3.0};
  assert_int_equal(cps_world_add_obstacle(world, &plate, NULL, NULL), CPS_OK);
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box((CpsVec3){0.3, 0.2, 0.1});
  box.position = (CpsVec3){-5.0, 0.0, 0.65};
  box.mu_across = 0.2;
  box.mu = 0.4;
  assert_int_equal(cps_world_add_body(world, &box, NULL, NULL), CPS_OK);
}

static CpsWorld* make_pile(double tolerance) {
  CpsWorldDef def = cps_world_def_default();
  def.step = 2e-3;
  def.mu = 0.4;
  def.solver.tolerance = tolerance;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  floor.surface_velocity = (CpsVec3){0.3, 0.1, 0.0};
  assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  for (int i = 0; i < 12; ++i) {
    CpsBodyDef body = cps_body_def_default();
    body.shape = cps_box((CpsVec3){0.2, 0.1, 0.1});
    body.position = (CpsVec3){0.05 * (i % 3), 0.02 * (i % 2), 0.05 + 0.1 * (i / 2)};
    if (i % 2) body.position.y += 0.1;
    if (i % 3 == 0) body.mu_across = 0.1;
    if (i % 4 == 0) body.restitution = 0.3;
    body.velocity = (CpsVec3){0.2 * (i % 5), -0.1 * i, 0.0};
    assert_int_equal(cps_world_add_body(world, &body, NULL, NULL), CPS_OK);
  }
  CpsFibreDef fibre = cps_fibre_def_default();
  fibre.model = CPS_ROD_DER;
  fibre.length = 0.4;
  fibre.radius = 5e-3;
  fibre.elements = 6;
  fibre.young = 1e6;
  fibre.root_pose.position = (CpsVec3){-0.1, 0.05, 0.655};
  assert_int_equal(cps_world_add_fibre(world, &fibre, NULL, NULL), CPS_OK);
  add_others(world);
  return world;
}

// The same function and the same numbers: not even rounding is allowed.
static void the_worst_contact_is_as_bad_as_the_step(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = make_pile(k == 0 ? 1e-2 : 1e-8);
    int with_contacts = 0;
    for (int i = 0; i < 60; ++i) {
      CpsStepInfo info;
      assert_true(cps_world_step(world, &info, NULL) >= 0);
      double worst = 0.0;
      for (int32_t c = 0; c < cps_world_contact_count(world); ++c) {
        worst = fmax(worst, cps_world_contact(world, c).residual);
      }
      assert_near(worst, info.residual, 1e-15);
      with_contacts += info.contacts > 10;
    }
    assert_true(with_contacts > 30);
    cps_world_destroy(world);
  }
}

typedef struct Counts {
  int32_t takeoff, stick, slide;
} Counts;

// Compares each contact of the last step with what a problem and r say of it. W may be summed up in another order, and a
// velocity that is a rounding error from the limit of sticking may be on the other side: a few in a thousand.
static Counts compare(const CpsWorld* world, const CpsProblem* p, const double* r, int32_t* differ) {
  int32_t n = cps_world_contact_count(world);
  assert_int_equal(cps_problem_contact_count(p), n);
  CpsContactStatus* statuses = malloc(((size_t)n + 1) * sizeof *statuses);
  double* residuals = malloc(((size_t)n + 1) * sizeof *residuals);
  Counts counts = {0};
  assert_int_equal(cps_problem_contacts(p, r, cps_world_settings(world).solver.tolerance, statuses, residuals), CPS_OK);
  for (int32_t i = 0; i < n; ++i) {
    CpsContact c = cps_world_contact(world, i);
    assert_near(residuals[i], c.residual, 1e-12);
    *differ += statuses[i] != c.status;
    counts.takeoff += c.status == CPS_CONTACT_TAKEOFF;
    counts.stick += c.status == CPS_CONTACT_STICK;
    counts.slide += c.status == CPS_CONTACT_SLIDE;
  }
  free(statuses);
  free(residuals);
  return counts;
}

#ifdef CAPSTAN_IO
// What `capstan solve --warm` does with the file that `capstan run --save-problem` writes.
static void compare_file(const CpsProblem* p, const double* r, double tolerance, Counts counts, double residual) {
  char path[] = "capstan-saved-problem-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  int64_t rows = cps_problem_row_count(p);
  double* warm = calloc((size_t)rows + 1, sizeof *warm);
  double* u = calloc((size_t)rows + 1, sizeof *u);
  CpsProblem* read = NULL;
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  CpsError error = {{0}};
  options.tolerance = tolerance;
  assert_int_equal(cps_problem_velocity(p, r, u), CPS_OK);
  if (cps_fclib_write(path, p, r, u, "a step", &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(cps_fclib_read(path, CPS_FORM_W, &read, NULL, &error), CPS_OK);
  assert_int_equal(cps_fclib_read_solution(path, rows, warm, NULL, &error), CPS_OK);
  assert_int_equal(cps_problem_solve(read, &options, warm, &info, &error), CPS_OK);
  assert_int_equal(info.stick, counts.stick);
  assert_int_equal(info.slide, counts.slide);
  assert_int_equal(info.takeoff, counts.takeoff);
  assert_near(info.residual_islands, residual, 1e-12);
  assert_true(info.residual <= info.residual_islands + 1e-15);
  free(warm);
  free(u);
  cps_problem_destroy(read);
  remove(path);
}
#endif

static void a_saved_problem_says_what_the_step_said(void** state) {
  (void)state;
  CpsWorld* world = make_pile(1e-6);
  int32_t differ = 0, seen[3] = {0};
  for (int i = 0; i < 150; ++i) {
    CpsStepInfo info;
    assert_int_equal(cps_world_step(world, &info, NULL), CPS_OK);
    double* r = calloc(3 * (size_t)info.contacts + 1, sizeof *r);
    CpsProblem* p = NULL;
    assert_int_equal(cps_world_problem(world, &p, r, NULL), CPS_OK);
    Counts counts = compare(world, p, r, &differ);
    assert_int_equal(counts.stick, info.stick);
    assert_int_equal(counts.slide, info.slide);
    seen[0] += counts.takeoff, seen[1] += counts.stick, seen[2] += counts.slide;
#ifdef CAPSTAN_IO
    if (i % 30 == 10) compare_file(p, r, 1e-6, counts, info.residual);
#endif
    cps_problem_destroy(p);
    free(r);
  }
  for (int k = 0; k < 3; ++k) assert_true(seen[k] > 100);
  assert_in_range(differ, 0, (seen[0] + seen[1] + seen[2]) / 1000);
  cps_world_destroy(world);
}

static void the_last_step_is_known(void** state) {
  (void)state;
  CpsWorld* world = make_pile(1e-6);
  assert_true(isnan(cps_world_last_step(world)));
  assert_true(isnan(cps_world_last_step(NULL)));
  assert_true(cps_world_step(world, NULL, NULL) >= 0);
  assert_true(cps_world_last_step(world) == 2e-3);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_worst_contact_is_as_bad_as_the_step),
      cmocka_unit_test(a_saved_problem_says_what_the_step_said),
      cmocka_unit_test(the_last_step_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
