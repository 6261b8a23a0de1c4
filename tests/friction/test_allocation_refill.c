// A problem refilled with the contacts of the next step: the same as a new one, without its memory.
#include "capstan/capstan.h"
#include "failing_memory.h"
#include "friction/problem.h"
#include "friction/refill.h"
#include "rigid_scene.h"

static RigidScene* tower(int32_t boxes) {
  double masses[64];
  for (int k = 0; k < 64; ++k) masses[k] = 1.0 + k;
  RigidScene* s = scene_tower(boxes, masses, 0.5);
  scene_free_velocity(s, (double[3]){0.01, 0.0, -0.1});
  return s;
}

static void assert_same_problem(const CpsProblem* a, const CpsProblem* b) {
  assert_int_equal(a->contact_count, b->contact_count);
  assert_int_equal(a->row_count, b->row_count);
  assert_int_equal(a->dim, b->dim);
  assert_int_equal(a->dof_count, b->dof_count);
  assert_false(a->has_W);
  size_t n = (size_t)a->contact_count, rows = (size_t)a->row_count;
  size_t terms = (size_t)b->factors.contact_start[n], bodies = (size_t)b->factors.body_count;
  assert_memory_equal(a->b, b->b, rows * sizeof(double));
  assert_memory_equal(a->mu, b->mu, n * sizeof(double));
  assert_memory_equal(a->law, b->law, n);
  assert_memory_equal(a->xi, b->xi, n * sizeof(double));
  assert_memory_equal(a->diag, b->diag, 9 * n * sizeof(double));
  assert_memory_equal(a->factors.H, b->factors.H, 18 * terms * sizeof(double));
  assert_memory_equal(a->factors.body, b->factors.body, terms * sizeof(int32_t));
  assert_memory_equal(a->factors.body_start, b->factors.body_start, (bodies + 1) * sizeof(int64_t));
  assert_memory_equal(a->factors.body_term, b->factors.body_term, terms * sizeof(int32_t));
}

static void a_refilled_problem_is_a_new_one(void** state) {
  (void)state;
  const int32_t sizes[] = {3, 20, 1, 0, 7};
  RigidScene* start = tower(2);
  CpsProblem *copied = scene_problem(start), *borrowed = scene_problem(start);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    RigidScene* s = tower(sizes[k]);
    CpsContactsDef def = scene_contacts(s);
    CpsFactoredForm form = scene_form(s);
    CpsProblem* fresh = scene_problem(s);
    assert_int_equal(cps_problem_refill_bodies(copied, &def, &form, NULL), CPS_OK);
    assert_same_problem(copied, fresh);
    assert_int_equal(cps_problem_refill_borrowed(borrowed, &def, &form, NULL, NULL), CPS_OK);
    assert_same_problem(borrowed, fresh);
    assert_ptr_equal(borrowed->factors.H, s->H);
    cps_problem_destroy(fresh);
    scene_free(s);
  }
  cps_problem_destroy(copied);
  cps_problem_destroy(borrowed);
  scene_free(start);
}

static void a_grown_problem_is_refilled_without_allocation(void** state) {
  (void)state;
  RigidScene *large = tower(20), *small = tower(3);
  CpsProblem* p = scene_problem(small);
  CpsContactsDef def[2] = {scene_contacts(large), scene_contacts(small)};
  CpsFactoredForm form[2] = {scene_form(large), scene_form(small)};
  // the first refill grows the arena piece by piece, the second joins the pieces
  for (int k = 0; k < 2; ++k) assert_int_equal(cps_problem_refill_bodies(p, &def[0], &form[0], NULL), CPS_OK);
  keep_failing = true;
  for (int k = 0; k < 4; ++k) {
    fail_allocation(0);
    CpsStatus status = cps_problem_refill_bodies(p, &def[k % 2], &form[k % 2], NULL);
    stop_failing();
    assert_int_equal(status, CPS_OK);
    assert_false(allocation_failed);
    assert_int_equal(cps_problem_contact_count(p), def[k % 2].count);
  }
  cps_problem_destroy(p);
  scene_free(large);
  scene_free(small);
}

static void assert_refused(CpsProblem* p, const CpsContactsDef* def, const CpsFactoredForm* form, CpsStatus status,
                           const char* words) {
  CpsError error;
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  double none = 0.0;
  assert_int_equal(cps_problem_refill_bodies(p, def, form, &error), status);
  assert_non_null(strstr(error.text, words));
  // the remainder can be used: it has no contacts
  assert_int_equal(cps_problem_contact_count(p), 0);
  assert_int_equal(cps_problem_row_count(p), 0);
  assert_int_equal(cps_problem_solve(p, &options, &none, &info, NULL), CPS_OK);
}

static void a_refused_refill_leaves_no_contacts(void** state) {
  (void)state;
  RigidScene* s = tower(3);
  CpsProblem* p = scene_problem(s);
  CpsContactsDef def = scene_contacts(s), bad = def;
  CpsFactoredForm form = scene_form(s), broken = form;
  bad.cookie = 0;
  assert_refused(p, &bad, &form, CPS_BAD_ARGUMENT, "cps_contacts_def_default");
  assert_int_equal(cps_problem_refill_bodies(p, &def, &form, NULL), CPS_OK);
  broken.contact_start = NULL;
  assert_refused(p, &def, &broken, CPS_BAD_DATA, "contact_start");
  const double values[] = {NAN, INFINITY, -INFINITY, 1e200};
  for (int k = 0; k < 4; ++k) {
    double kept = s->H[100];
    s->H[100] = values[k];
    assert_refused(p, &def, &form, CPS_BAD_DATA, k < 3 ? "not finite" : "too large");
    s->H[100] = kept;
    if (k == 3) continue;
    kept = s->b[4];
    s->b[4] = values[k];
    assert_refused(p, &def, &form, CPS_BAD_DATA, "b of contact 1");
    s->b[4] = kept;
    kept = s->mu[2];
    s->mu[2] = values[k];
    assert_refused(p, &def, &form, CPS_BAD_DATA, "contact 2 has mu");
    s->mu[2] = kept;
  }
  s->body[5] = 3;
  assert_refused(p, &def, &form, CPS_BAD_DATA, "names body 3 of 3");
  s->body[5] = s->body[4];
  assert_refused(p, &def, &form, CPS_BAD_DATA, "twice");
  cps_problem_destroy(p);
  scene_free(s);
}

static void bad_calls_are_refused(void** state) {
  (void)state;
  RigidScene* s = tower(1);
  CpsProblem* p = scene_problem(s);
  CpsContactsDef def = scene_contacts(s);
  CpsFactoredForm form = scene_form(s);
  CpsGenerateDef generate = cps_generate_def_default();
  CpsProblem* explicit_W = NULL;
  generate.contact_count = 5;
  generate.form = CPS_FORM_W;
  assert_int_equal(cps_problem_generate(&generate, &explicit_W, NULL), CPS_OK);
  assert_true(cps_problem_has_W(explicit_W));
  assert_int_equal(cps_problem_refill_bodies(NULL, &def, &form, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_refill_bodies(p, NULL, &form, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_refill_bodies(p, &def, NULL, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_refill_bodies(explicit_W, &def, &form, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_count(explicit_W), 5);
  cps_problem_destroy(explicit_W);
  cps_problem_destroy(p);
  scene_free(s);
}

// Every allocation of a refill that grows fails once.
static void a_refill_without_memory_leaves_no_contacts(void** state) {
  (void)state;
  RigidScene *small = tower(1), *large = tower(40);
  CpsContactsDef def = scene_contacts(large);
  CpsFactoredForm form = scene_form(large);
  bool failed = true;
  for (int k = 0; failed; ++k) {
    CpsProblem* p = scene_problem(small);
    keep_failing = true;
    fail_allocation(k);
    CpsStatus status = cps_problem_refill_bodies(p, &def, &form, NULL);
    stop_failing();
    failed = allocation_failed;
    assert_int_equal(status, failed ? CPS_NO_MEMORY : CPS_OK);
    assert_int_equal(cps_problem_contact_count(p), failed ? 0 : large->contact_count);
    cps_problem_destroy(p);
  }
  scene_free(small);
  scene_free(large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_refilled_problem_is_a_new_one),
      cmocka_unit_test(a_grown_problem_is_refilled_without_allocation),
      cmocka_unit_test(a_refused_refill_leaves_no_contacts),
      cmocka_unit_test(bad_calls_are_refused),
      cmocka_unit_test(a_refill_without_memory_leaves_no_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
