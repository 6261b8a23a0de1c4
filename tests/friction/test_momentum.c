// labels: threads
// Sweeps with momentum: the formulas on a problem small enough to do by hand, and what they bring on tall piles.
#include "friction/residual.h"
#include "loop_bench.h"

#include <string.h>

// One contact, W = I.
static CpsProblem* one_contact(void) {
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0, 0}, mu = 0.5;
  const int32_t zero = 0;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = 1;
  def.mu = &mu;
  def.b = b;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&def, 1, &zero, &zero, W, &problem, NULL), CPS_OK);
  return problem;
}

typedef struct Bench {
  CpsProblem* problem;
  CpsArena arena;
  CpsMomentum momentum;
  double r[3];
} Bench;

static void bench_make(Bench* bench) {
  *bench = (Bench){.problem = one_contact()};
  CpsSolve solve = {.problem = bench->problem, .arena = &bench->arena};
  assert_true(cps_momentum_create(&solve, NULL, bench->r, NULL, &bench->momentum));
}

static void bench_free(Bench* bench) {
  cps_arena_free(&bench->arena);
  cps_problem_destroy(bench->problem);
}

// A "sweep" that takes the error of the first impulse to a tenth less: x <- 1 + 0.9 (y - 1). By hand with
// theta = 1, 1.618034, 2.193527, 2.749791: beta = 0, 0.281754, 0.434043.
static void a_sweep_starts_beyond_the_last_one(void** state) {
  (void)state;
  Bench bench;
  bench_make(&bench);
  double before = 0.0, last = 0.0;
  const double beta[3] = {0.0, 0.28175353, 0.43404278};
  for (int k = 0; k < 3; ++k) {
    double x = bench.r[0];
    cps_momentum_begin(&bench.momentum);
    // beta is printed to eight digits above
    assert_near(bench.r[0], x + beta[k] * (x - before), 1e-8);
    before = x;
    last = bench.r[0] = 1.0 + 0.9 * (bench.r[0] - 1.0);
    cps_momentum_end(&bench.momentum);
  }
  assert_true(last > 1.0 - 0.9 * 0.9 * 0.9);  // further than three plain ones
  bench_free(&bench);
}

// A change that is more than twice as long as the shortest so far ends the momentum; one that is not does not.
static void a_change_that_grows_ends_the_momentum(void** state) {
  (void)state;
  const double growth[2] = {1.9, 2.1};
  for (int k = 0; k < 2; ++k) {
    Bench bench;
    bench_make(&bench);
    for (int sweep = 0; sweep < 3; ++sweep) {
      cps_momentum_begin(&bench.momentum);
      bench.r[0] += sweep < 2 ? 1.0 : growth[k];
      cps_momentum_end(&bench.momentum);
    }
    double x = bench.r[0];
    cps_momentum_begin(&bench.momentum);
    assert_int_equal(bench.r[0] == x, k == 1);
    bench_free(&bench);
  }
}

// After four restarts the momentum stays low for eighty sweeps, then it comes back.
static void restarts_that_follow_each_other_calm_the_sweeps(void** state) {
  (void)state;
  Bench bench;
  bench_make(&bench);
  double change = 1.0;
  for (int sweep = 0; sweep < 5; ++sweep, change *= 3.0) {
    cps_momentum_begin(&bench.momentum);
    bench.r[0] += change;
    cps_momentum_end(&bench.momentum);
  }
  for (int sweep = 0; sweep < 100; ++sweep) {
    cps_momentum_begin(&bench.momentum);
    bench.r[0] += 1.0;
    cps_momentum_end(&bench.momentum);
    if (sweep < 80) assert_true(bench.momentum.weight <= 0.6);
    if (sweep == 20) assert_true(bench.momentum.weight == 0.6);  // beta would be larger by now
    if (sweep >= 80) assert_true(bench.momentum.weight > 0.8);
  }
  bench_free(&bench);
}

// What happens between hold and release is no movement: the next start is the same, shifted by it.
static void a_change_from_outside_is_no_movement(void** state) {
  (void)state;
  double start[2];
  for (int k = 0; k < 2; ++k) {
    Bench bench;
    bench_make(&bench);
    for (int sweep = 0; sweep < 2; ++sweep) {
      cps_momentum_begin(&bench.momentum);
      bench.r[0] += 0.5;
      cps_momentum_end(&bench.momentum);
    }
    cps_momentum_hold(&bench.momentum);
    bench.r[0] += k;
    cps_momentum_release(&bench.momentum);
    cps_momentum_begin(&bench.momentum);
    start[k] = bench.r[0] - k;
    bench_free(&bench);
  }
  assert_near(start[1], start[0], 1e-15);  // rounding of numbers near 1
}

// A contact that was carried on and lets go starts the next sweep at zero, not beyond it.
static void a_contact_that_lets_go_loses_its_momentum(void** state) {
  (void)state;
  Bench bench;
  bench_make(&bench);
  for (int sweep = 0; sweep < 4; ++sweep) {
    cps_momentum_begin(&bench.momentum);
    bench.r[0] = sweep < 3 ? bench.r[0] + 1.0 : 0.0;
    cps_momentum_end(&bench.momentum);
  }
  bench.momentum.theta = 10.0;  // whether the others were restarted or not
  cps_momentum_begin(&bench.momentum);
  assert_true(bench.r[0] == 0.0);
  bench_free(&bench);
}

// Plain sweeps need some thousands to 3e-5 on such a pack (docs/theory/momentum.md), and less than 2 kB a contact must do where W is not
// given. The bits do not depend on the number of threads.
static void a_pack_of_spheres_is_solved_in_a_few_hundred_sweeps(void** state) {
  (void)state;
  const CpsForm forms[2] = {CPS_FORM_FACTORED, CPS_FORM_W};
  for (int form = 0; form < 2; ++form) {
    CpsProblem* problem = generate_pack(CPS_GENERATE_SPHERES, 2100, 0, forms[form]);
    int64_t rows = cps_problem_row_count(problem);
    double* r[2];
    for (int k = 0; k < 2; ++k) {
      r[k] = calloc((size_t)rows, sizeof(double));
      assert_non_null(r[k]);
      CpsSolveOptions options = cps_solve_options_default();
      options.tolerance = form == 0 ? 3e-5 : 1e-4;
      options.threads = 1 + k;
      options.max_iterations = 1000;
      CpsSolveInfo info;
      assert_int_equal(cps_problem_solve(problem, &options, r[k], &info, NULL), CPS_OK);
      CpsResidual residual;
      assert_int_equal(cps_problem_residual(problem, r[k], &residual), CPS_OK);
      assert_below(residual.natural, options.tolerance);
      assert_true(info.bytes < 2000 * (int64_t)cps_problem_contact_count(problem) || form == 1);
    }
    assert_memory_equal(r[0], r[1], (size_t)rows * sizeof(double));
    free(r[0]);
    free(r[1]);
    cps_problem_destroy(problem);
  }
}

// Rounding of the velocities that a sweep keeps must not grow: they are made anew at every measurement, and a correction that
// counted as a movement would be repeated by each sweep that follows (tenfold in twenty sweeps).
static void velocities_of_the_bodies_stay_those_of_the_impulses(void** state) {
  (void)state;
  LoopBench bench;
  // a tolerance that goes on whatever is measured
  loop_bench_open(&bench, generate_pack(CPS_GENERATE_SPHERES, 1000, 0, CPS_FORM_FACTORED), 1e-14, false, 1);
  CpsGsLoop* loop = &bench.loop;
  const CpsFactors* F = &bench.problem->factors;
  int64_t count = F->body_offset[F->body_count];
  double* v = CPS_TAKE(&bench.arena, double, count);
  assert_non_null(v);
  assert_int_equal(cps_gs_loop_accelerate(&bench.solve, true, loop), CPS_OK);
  for (int sweep = 1; sweep <= 400; ++sweep) {
    (void)cps_gs_loop_sweep(loop);
    if (sweep % 20 != 0) continue;
    memcpy(v, loop->gs.v, (size_t)count * sizeof *v);
    (void)cps_gs_loop_measure(&bench.solve, loop, NULL);
    double change = 0.0, size = 0.0;
    for (int64_t k = 0; k < count; ++k) {
      change = fmax(change, fabs(v[k] - loop->gs.v[k]));
      size = fmax(size, fabs(v[k]));
    }
    // twenty sweeps with a dozen contacts of a body, each rounded; momentum lengthens it by 1 / (1 - beta), at most a hundred
    assert_below(change, 20.0 * 12.0 * 100.0 * 0x1p-52 * size);
  }
  loop_bench_close(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sweep_starts_beyond_the_last_one),
      cmocka_unit_test(a_change_that_grows_ends_the_momentum),
      cmocka_unit_test(restarts_that_follow_each_other_calm_the_sweeps),
      cmocka_unit_test(a_change_from_outside_is_no_movement),
      cmocka_unit_test(a_contact_that_lets_go_loses_its_momentum),
      cmocka_unit_test(velocities_of_the_bodies_stay_those_of_the_impulses),
      cmocka_unit_test(a_pack_of_spheres_is_solved_in_a_few_hundred_sweeps),
  };
  keep_to_threads("a_pack_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
