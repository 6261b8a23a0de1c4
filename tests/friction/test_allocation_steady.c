// A workspace: the same bits as without one, and no heap allocation once it has grown.
#include "capstan/capstan.h"
#include "failing_memory.h"
#include "rigid_scene.h"

#include "test_helpers.h"

#include <stdlib.h>
#include <string.h>

static CpsProblem* make_problem(CpsGenerateKind kind, CpsForm form, uint64_t seed) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = kind;
  def.contact_count = 40;
  def.form = form;
  def.seed = seed;
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_generate(&def, &p, NULL), CPS_OK);
  return p;
}

static double* zeros(const CpsProblem* p) {
  double* r = calloc((size_t)cps_problem_row_count(p), sizeof *r);
  assert_non_null(r);
  return r;
}

// One workspace serves problems and methods in turn; each answer has the bits of a solve of its own.
static void a_workspace_changes_no_bit(void** state) {
  (void)state;
  CpsWorkspace* workspace = NULL;
  assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
  for (int k = 0; k < 4; ++k) {
    CpsProblem* p =
        make_problem(k % 2 ? CPS_GENERATE_SPHERES : CPS_GENERATE_FIBRES, k / 2 ? CPS_FORM_W : CPS_FORM_FACTORED, 1);
    size_t bytes = (size_t)cps_problem_row_count(p) * sizeof(double);
    for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
      if (!cps_method_info((CpsMethod)m)->available) continue;
      CpsSolveOptions options = cps_solve_options_default();
      options.method = (CpsMethod)m;
      options.tolerance = 1e-6;
      options.max_iterations = 10;
      double *alone = zeros(p), *shared = zeros(p);
      CpsSolveInfo info, shared_info;
      CpsStatus status = cps_problem_solve(p, &options, alone, &info, NULL);
      assert_true(status >= 0);
      assert_int_equal(cps_workspace_solve(workspace, p, &options, shared, &shared_info, NULL), status);
      assert_memory_equal(alone, shared, bytes);
      assert_int_equal(info.iterations, shared_info.iterations);
      free(alone);
      free(shared);
    }
    cps_problem_destroy(p);
  }
  cps_workspace_destroy(workspace);
}

// The first solve grows the arena piece by piece, the second joins the pieces to one; from the third on every
// allocation may fail and nobody notices. New problems of the same size are built meanwhile, as a simulation does.
static void a_grown_workspace_does_not_allocate(void** state) {
  (void)state;
  const CpsMethod methods[] = {CPS_METHOD_GS, CPS_METHOD_GS_PARALLEL, CPS_METHOD_DESAXCE, CPS_METHOD_CPG,
                               CPS_METHOD_APGD};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    CpsWorkspace* workspace = NULL;
    assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
    CpsSolveOptions options = cps_solve_options_default();
    options.method = methods[m];
    options.tolerance = 1e-6;
    options.max_iterations = 50;
    keep_failing = true;
    for (int step = 0; step < 5; ++step) {
      CpsProblem* p = make_problem(CPS_GENERATE_FIBRES, CPS_FORM_W, 1);
      double* r = zeros(p);
      CpsSolveInfo info;
      if (step >= 2) fail_allocation(0);
      CpsStatus status = cps_workspace_solve(workspace, p, &options, r, &info, NULL);
      stop_failing();
      if (status < 0) fail_msg("%s, solve %d: %s", cps_method_info(methods[m])->name, step, cps_status_string(status));
      if (step >= 2) assert_false(allocation_failed);
      assert_int_equal(info.takeoff + info.stick + info.slide, cps_problem_contact_count(p));
      free(r);
      cps_problem_destroy(p);
    }
    cps_workspace_destroy(workspace);
  }
}

// A step of a simulation, as the world makes it: refill, solve with `auto`, polish, from the impulses of the step before.
// Small and large problems (those of over 2000 contacts are cut into domains), at rest and sliding; the first is
// solved from nothing and may factor a matrix, from the sixth on none may allocate.
static void a_steady_step_does_not_allocate(void** state) {
  (void)state;
  const double gravities[2][3] = {{0.0, 0.0, -9.81e-3}, {4e-3, 0.0, -9.81e-3}};
  for (int scene = 0; scene < 6; ++scene) {
    const double masses[6] = {1.0, 2.0, 1.0, 3.0, 1.0, 1.0}, *gravity = gravities[scene % 2];
    RigidScene* s = scene / 2 == 0   ? scene_tower(6, masses, 0.3)
                    : scene / 2 == 1 ? scene_pack(4, 5, 0.5)
                                     : scene_pack(12, 6, 0.5);
    CpsProblem* p = scene_problem(s);
    CpsWorkspace* workspace = NULL;
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolveInfo info = {0};
    options.tolerance = scene == 5 ? 3e-2 : 1e-4;  // a heap of 2700 contacts that slides takes long
    options.polish = true;
    assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
    keep_failing = true;
    for (int step = 0; step < 12; ++step) {
      scene_free_velocity(s, gravity);
      CpsContactsDef def = scene_contacts(s);
      CpsFactoredForm form = scene_form(s);
      if (step >= 5) fail_allocation(0);
      CpsStatus refilled = cps_problem_refill_bodies(p, &def, &form, NULL);
      CpsStatus status = cps_workspace_solve(workspace, p, &options, s->r, &info, NULL);
      bool failed = allocation_failed;
      stop_failing();
      allocation_failed = false;
      if (step >= 5 && failed) {
        fail_msg("scene %d, step %d: %s after %d iterations", scene, step, cps_status_string(status),
                 (int)info.iterations);
      }
      assert_int_equal(refilled, CPS_OK);
      scene_push(s);
    }
    cps_workspace_destroy(workspace);
    cps_problem_destroy(p);
    scene_free(s);
  }
}

// A pack that still settles: what sweeps leave is solved in clusters, whose memory is kept. The same problem, so that the memory has its size
// after the first solve and is of one piece after the second; the bits do not depend on what a cluster before has left.
static void check_clusters(CpsGenerateKind kind, int32_t contacts, int32_t bodies, double tolerance) {
  CpsGenerateDef def = cps_generate_def_default();
  def.kind = kind;
  def.contact_count = contacts;
  def.body_count = bodies;
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_generate(&def, &p, NULL), CPS_OK);
  CpsWorkspace* workspace = NULL;
  assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = tolerance;
  double* first = NULL;
  for (int k = 0; k < 4; ++k) {
    double* r = zeros(p);
    CpsSolveInfo info;
    keep_failing = true;
    if (k == 3) fail_allocation(0);
    CpsStatus status = cps_workspace_solve(workspace, p, &options, r, &info, NULL);
    stop_failing();
    keep_failing = false;
    assert_int_equal(status, CPS_OK);
    assert_true(info.factorisations > 0);  // there were clusters
    if (k == 3) assert_false(allocation_failed);
    if (first) assert_memory_equal(r, first, (size_t)cps_problem_row_count(p) * sizeof *r);
    if (!first) first = r;
    if (r != first) free(r);
  }
  free(first);
  cps_workspace_destroy(workspace);
  cps_problem_destroy(p);
}

static void clusters_do_not_allocate(void** state) {
  (void)state;
  check_clusters(CPS_GENERATE_SPHERES, 1500, 0, 1e-4);
}

// One cluster of nearly all contacts at a time: memory that a try has taken in pieces is of one piece in the next.
static void large_clusters_do_not_allocate(void** state) {
  (void)state;
  check_clusters(CPS_GENERATE_FIBRES, 2000, 154, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_workspace_changes_no_bit),      cmocka_unit_test(a_grown_workspace_does_not_allocate),
      cmocka_unit_test(a_steady_step_does_not_allocate), cmocka_unit_test(clusters_do_not_allocate),
      cmocka_unit_test(large_clusters_do_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
