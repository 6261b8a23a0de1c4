// labels: threads
// The fast form of contacts between rigid bodies: the same problem, the same answers, the same bits on any threads.
#include "capstan/capstan.h"
#include "friction/global/domains.h"
#include "friction/refill.h"
#include "friction/rigid.h"
#include "rigid_scene.h"

#include "core/random.h"

// A tower with all its contacts tilted a little, so that W_ii is full.
static RigidScene* tilted_tower(int32_t boxes) {
  RigidScene* s = scene_make(boxes, 4 * boxes);
  for (int32_t k = 0; k < boxes; ++k) {
    int32_t box = scene_box(s, 0.1 * k, 0.0, k + 0.5, 1.0 + k, 1.0, 0.8, 0.9);
    for (int corner = 0; corner < 4; ++corner) {
      double tilt = 0.02 * (k % 3), point[3] = {corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.4 : -0.4, k};
      scene_contact(s, k - 1, box, point, (double[3]){sin(tilt), 0.0, cos(tilt)}, 0.3 + 0.1 * corner);
    }
  }
  scene_free_velocity(s, (double[3]){0.02, 0.01, -0.1});
  return s;
}

static void fill_random(double* x, int64_t count) {
  CpsRandom random = cps_random_seed(7);
  for (int64_t k = 0; k < count; ++k) x[k] = cps_random_uniform(&random) - 0.5;
}

// H and H^T by the fast functions, against W written out. 1e-13: some products of numbers of size one.
static void the_fast_products_are_those_of_W(void** state) {
  (void)state;
  RigidScene* s = tilted_tower(9);
  CpsProblem* p = scene_problem(s);
  assert_non_null(p->factors.pair);
  int64_t rows = cps_problem_row_count(p), entries = cps_problem_W_entry_count(p);
  int64_t* row_start = malloc(((size_t)rows + 1) * sizeof *row_start);
  int32_t* col = malloc((size_t)entries * sizeof *col);
  double *value = malloc((size_t)entries * sizeof *value), *x = malloc((size_t)rows * sizeof *x);
  double *v = malloc(8 * 9 * sizeof *v), *u = malloc((size_t)rows * sizeof *u), *w = malloc((size_t)rows * sizeof *w);
  assert_true(row_start && col && value && x && v && u && w);
  assert_int_equal(cps_problem_W_csr(p, row_start, col, value), CPS_OK);
  fill_random(x, rows);
  cps_rigid_push(p, x, v);
  cps_rigid_velocity(p, NULL, v, NULL, u);
  cps_problem_apply_W(p, x, w);
  for (int64_t k = 0; k < rows; ++k) {
    double sum = 0.0;
    for (int64_t e = row_start[k]; e < row_start[k + 1]; ++e) sum += value[e] * x[col[e]];
    assert_near(u[k], sum, 1e-13);
    assert_near(w[k], sum, 1e-13);
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) {
        double entry = 0.0;
        for (int64_t e = row_start[3 * i + a]; e < row_start[3 * i + a + 1]; ++e) {
          if (col[e] == 3 * i + c) entry = value[e];
        }
        assert_near(p->diag[9 * i + 3 * a + c], entry, 1e-14);
      }
    }
  }
  void* arrays[] = {row_start, col, value, x, v, u, w};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) free(arrays[k]);
  cps_problem_destroy(p);
  scene_free(s);
}

// The sweep has its own formulas for one contact; `gs` with another local solver does not use them. 1e-10 was asked of
// both; r need not be unique, the velocities of the bodies are: here to 1e-7, well above what the residual leaves.
static void the_fast_sweep_finds_the_same_motion(void** state) {
  (void)state;
  RigidScene* s = tilted_tower(3);
  CpsProblem* p = scene_problem(s);
  double v[2][24];
  for (int k = 0; k < 2; ++k) {
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolveInfo info;
    options.method = CPS_METHOD_GS;
    options.local = k == 0 ? CPS_LOCAL_ENUM : CPS_LOCAL_MFB;
    options.tolerance = 1e-10;
    memset(s->r, 0, (size_t)p->row_count * sizeof *s->r);
    assert_int_equal(cps_problem_solve(p, &options, s->r, &info, NULL), CPS_OK);
    assert_true(info.slide > 0 && info.stick + info.takeoff > 0);
    cps_rigid_push(p, s->r, v[k]);
  }
  for (int k = 0; k < 24; ++k) {
    if (k % 8 < 6) assert_near(v[0][k], v[1][k], 1e-7);
  }
  cps_problem_destroy(p);
  scene_free(s);
}

// A contact without friction, one between no bodies that separates, and one on a body that turns about its own contact.
static void odd_contacts_are_solved_too(void** state) {
  (void)state;
  RigidScene* s = scene_make(1, 3);
  int32_t ball = scene_sphere(s, 0.0, 0.0, 0.5, 1.0, 0.5);
  scene_contact(s, -1, ball, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.0, 0.0, 1.0}, 0.0);
  scene_contact(s, -1, -1, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.0, 0.0, 1.0}, 0.5);
  scene_contact(s, -1, ball, (double[3]){0.0, 0.0, 0.5}, (double[3]){1.0, 0.0, 0.0}, 0.5);
  scene_free_velocity(s, (double[3]){-0.1, 0.0, -0.1});
  s->b[3] = 1.0;
  CpsProblem* p = scene_problem(s);
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info;
  assert_non_null(p->factors.pair);
  assert_int_equal(cps_problem_solve(p, &options, s->r, &info, NULL), CPS_OK);
  scene_push(s);
  // the wall stops it, and holds it up by friction of at most 0.5 x 0.1; the ground without friction carries the rest
  assert_near(s->v[0], 0.0, 1e-8);
  assert_near(s->v[2], 0.0, 1e-8);
  assert_near(s->r[6], 0.1, 1e-8);
  assert_true(s->r[3] == 0.0 && s->r[4] == 0.0 && s->r[5] == 0.0);
  cps_problem_destroy(p);
  scene_free(s);
}

static void lists_of_a_phase_share_no_body(void** state) {
  (void)state;
  RigidScene* s = scene_pack(8, 10, 0.5);
  scene_free_velocity(s, (double[3]){0.0, 0.0, -0.1});
  CpsProblem* p = scene_problem(s);
  CpsArena arena = {0};
  CpsDomains domains;
  assert_true(cps_domains_make(p, &arena, &domains));
  assert_true(domains.count > 2);
  int32_t* owner = malloc((size_t)s->body_count * sizeof *owner);
  bool* seen = calloc((size_t)p->contact_count, sizeof *seen);
  assert_true(owner && seen);
  int32_t total = 0, inside = 0;
  for (int phase = 0; phase < 2; ++phase) {
    for (int32_t k = 0; k < s->body_count; ++k) owner[k] = -1;
    int32_t first = phase == 0 ? 0 : domains.count, last = phase == 0 ? domains.count : 2 * domains.count - 1;
    for (int32_t list = first; list < last; ++list) {
      for (int32_t e = domains.start[list]; e < domains.start[list + 1]; ++e, ++total) {
        int32_t i = domains.contact[e];
        inside += phase == 0;
        assert_false(seen[i]);
        seen[i] = true;
        if (e > domains.start[list]) assert_true(domains.contact[e - 1] < i);
        for (int side = 0; side < 2; ++side) {
          int32_t body = p->factors.pair[2 * i + side];
          if (body < 0) continue;
          assert_true(owner[body] == -1 || owner[body] == list);
          owner[body] = list;
        }
      }
    }
  }
  assert_int_equal(total, p->contact_count);
  assert_true(inside > total / 2);
  free(owner);
  free(seen);
  cps_arena_free(&arena);
  cps_problem_destroy(p);
  scene_free(s);
}

// Refilled and solved with 1, 2 and 3 threads, from rest and from a blow: the same bits.
static void threads_change_no_bit(void** state) {
  (void)state;
  double *first = NULL, blow[3] = {0.02, 0.01, -0.1};
  int64_t rows = 0, iterations = 0;
  for (int threads = 1; threads <= 3; ++threads) {
    RigidScene* s = scene_pack(9, 10, 0.3);
    CpsProblem* p = scene_problem(s);
    CpsWorkspace* workspace = NULL;
    CpsPool* pool = cps_pool_create(threads);
    CpsSolveOptions options = cps_solve_options_default();
    CpsSolveInfo info;
    options.threads = threads;
    options.tolerance = 1e-4;
    options.max_iterations = 8;  // bits are compared, converged or not
    options.polish = true;
    assert_int_equal(cps_workspace_create(&workspace), CPS_OK);
    assert_true(s->contact_count >= 2000);
    for (int k = 0; k < 2; ++k) {
      scene_free_velocity(s, blow);
      CpsContactsDef def = scene_contacts(s);
      CpsFactoredForm form = scene_form(s);
      assert_int_equal(cps_problem_refill_borrowed(p, &def, &form, pool, NULL), CPS_OK);
      assert_true(cps_workspace_solve(workspace, p, &options, s->r, &info, NULL) >= 0);
      scene_push(s);
    }
    rows = p->row_count;
    if (threads == 1) {
      first = malloc((size_t)rows * sizeof *first);
      assert_non_null(first);
      memcpy(first, s->r, (size_t)rows * sizeof *first);
      iterations = info.iterations;
    }
    assert_memory_equal(first, s->r, (size_t)rows * sizeof *first);
    assert_int_equal(info.iterations, iterations);
    cps_pool_destroy(pool);
    cps_workspace_destroy(workspace);
    cps_problem_destroy(p);
    scene_free(s);
  }
  free(first);
}

// Towers with four contacts per face: W is singular (12 rows per 6 degrees of freedom). A box of mass 1 under one of
// 10 000, and the reverse, and both in turn; the ground carries the weight of all.
static void towers_of_any_masses_are_solved(void** state) {
  (void)state;
  const double tolerances[] = {1e-6, 1e-9, 1e-13};
  for (int kind = 0; kind < 4; ++kind) {
    for (int32_t boxes = 2; boxes <= 8; boxes += 3) {
      double masses[8], total = 0.0;
      for (int32_t k = 0; k < boxes; ++k) {
        bool heavy = kind == 1 ? k == boxes - 1 : kind == 2 ? k == 0 : kind == 3 && k % 2 == 1;
        masses[k] = heavy ? 1e4 : 1.0;
        total += masses[k];
      }
      for (int t = 0; t < 3; ++t) {
        RigidScene* s = scene_tower(boxes, masses, 0.5);
        scene_free_velocity(s, (double[3]){0.0, 0.0, -0.1});
        CpsProblem* p = scene_problem(s);
        CpsSolveOptions options = cps_solve_options_default();
        CpsSolveInfo info;
        options.tolerance = tolerances[t];
        options.polish = true;
        CpsStatus status = cps_problem_solve(p, &options, s->r, &info, NULL);
        if (status != CPS_OK) {
          fail_msg("kind %d, %d boxes, %g: %s, residual %g", kind, (int)boxes, tolerances[t], cps_status_string(status),
                   info.residual);
        }
        // they rest, and were asked to be polished: rounding, with room for the mass ratio, whatever the tolerance
        assert_true(info.residual < 1e-11);
        double carried = s->r[0] + s->r[3] + s->r[6] + s->r[9];
        // The residual weighs a velocity with the lighter of two bodies: what it leaves to a heavy one is worth
        // 10^4 times as much, for each of the boxes.
        double worth = (kind == 0 ? 1.0 : 1e4) * boxes;
        assert_near(carried, 0.1 * total, (worth * info.residual + 1e-14) * total);
        cps_problem_destroy(p);
        scene_free(s);
      }
    }
  }
}

#ifdef CAPSTAN_DIRECT
// A tall tower: sweeps carry the weight down one box at a time and need far more than 120. Whatever `auto` thinks of
// their progress, it must turn to Newton while there are iterations left.
static void auto_keeps_iterations_for_newton(void** state) {
  (void)state;
  RigidScene* s = tilted_tower(120);
  CpsProblem* p = scene_problem(s);
  double* r = calloc((size_t)cps_problem_row_count(p), sizeof *r);
  assert_non_null(r);
  CpsSolveOptions options = cps_solve_options_default();
  options.max_iterations = 120;
  options.method = CPS_METHOD_GS;
  assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_NOT_CONVERGED);
  memset(r, 0, (size_t)cps_problem_row_count(p) * sizeof *r);
  options.method = CPS_METHOD_AUTO;
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(p, &options, r, &info, NULL), CPS_OK);
  assert_true(info.iterations <= 120);
  free(r);
  cps_problem_destroy(p);
  scene_free(s);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fast_products_are_those_of_W),
      cmocka_unit_test(the_fast_sweep_finds_the_same_motion),
      cmocka_unit_test(odd_contacts_are_solved_too),
      cmocka_unit_test(lists_of_a_phase_share_no_body),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(towers_of_any_masses_are_solved),
#ifdef CAPSTAN_DIRECT
      cmocka_unit_test(auto_keeps_iterations_for_newton),
#endif
  };
  keep_to_threads("threads_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
