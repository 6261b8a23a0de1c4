// labels: threads
// Sweeps that are narrowed to spots: which contacts belong to one, what the others keep, and what it saves.
#include "friction/global/spots.h"
#include "friction/rigid.h"
#include "loop_bench.h"

#include <string.h>

enum { LINKS = 61, CENTRE = 30 };

// A chain of unit bodies that touch along x, at rest except for contact `centre`, whose bodies approach. Contact i joins the
// bodies i and i + 1, so that rings are counted by hand. `everywhere`: they all approach.
static CpsProblem* chain(int32_t centre, bool everywhere) {
  static double mu[LINKS], b[3 * LINKS], H[2 * LINKS * 18];
  static int32_t dofs[LINKS + 1], body[2 * LINKS];
  static int64_t start[LINKS + 1];
  memset(b, 0, sizeof b);
  memset(H, 0, sizeof H);
  for (int k = 0; k <= LINKS; ++k) dofs[k] = 6;
  for (int i = 0; i < LINKS; ++i) {
    start[i] = 2 * i;
    mu[i] = 0.5;
    body[2 * i] = i;
    body[2 * i + 1] = i + 1;
    for (int k = 0; k < 3; ++k) {
      H[36 * i + 7 * k] = -1.0;
      H[36 * i + 18 + 7 * k] = 1.0;
    }
    if (everywhere || i == centre) b[3 * i] = -1.0;
  }
  start[LINKS] = 2 * LINKS;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = LINKS;
  def.mu = mu;
  def.b = b;
  const CpsFactoredForm form = {LINKS + 1, dofs, start, body, H, H};
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem, NULL), CPS_OK);
  assert_non_null(problem->factors.pair);
  return problem;
}

// By hand: contact 30 approaches; the first ring is 29 and 31, the second 28 and 32.
static void a_spot_is_what_is_unsolved_and_two_rings(void** state) {
  (void)state;
  LoopBench bench;
  loop_bench_open(&bench, chain(CENTRE, false), 1e-6, false, 1);
  assert_int_equal(cps_gs_loop_accelerate(&bench.solve, true, &bench.loop), CPS_OK);
  assert_true(cps_gs_loop_measure(&bench.solve, &bench.loop, NULL));
  const CpsSpots* spots = &bench.loop.spots;
  assert_int_equal(spots->unsolved, 1);
  assert_int_equal(spots->lists.count, 1);
  assert_int_equal(spots->lists.start[1] - spots->lists.start[0], 5);
  for (int k = 0; k < 5; ++k) assert_int_equal(spots->lists.contact[k], CENTRE - 2 + k);
  assert_near(spots->share, 5.0 / LINKS, 1e-15);
  loop_bench_close(&bench);
}

static void nothing_rests_where_everything_is_unsolved(void** state) {
  (void)state;
  LoopBench bench;
  loop_bench_open(&bench, chain(CENTRE, true), 1e-6, false, 1);
  assert_int_equal(cps_gs_loop_accelerate(&bench.solve, true, &bench.loop), CPS_OK);
  assert_true(cps_gs_loop_measure(&bench.solve, &bench.loop, NULL));
  assert_int_equal(bench.loop.spots.unsolved, LINKS);
  assert_int_equal(bench.loop.spots.lists.count, 0);
  assert_null(bench.loop.momentum.contact);
  assert_true(bench.loop.spots.share == 1.0);
  loop_bench_close(&bench);
}

// The sweeps of a spot leave what rests alone, and what rests has no momentum: its impulse does not drift, and the velocities
// that are extrapolated are those of impulses.
static void what_rests_keeps_its_impulse(void** state) {
  (void)state;
  LoopBench bench;
  loop_bench_open(&bench, generate_pack(CPS_GENERATE_SPHERES, 1000, 0, CPS_FORM_FACTORED), 1e-14, false, 1);
  CpsGsLoop* loop = &bench.loop;
  const CpsProblem* p = bench.problem;
  const CpsFactors* F = &p->factors;
  int64_t count = F->body_offset[F->body_count];
  assert_int_equal(cps_gs_loop_accelerate(&bench.solve, true, loop), CPS_OK);
  for (int sweep = 0; sweep < 40; ++sweep) (void)cps_gs_loop_sweep(loop);
  (void)cps_gs_loop_measure(&bench.solve, loop, NULL);
  assert_int_equal(loop->spots.lists.count, 0);
  // a bound that only the worst contacts are above
  double bound = 0.0;
  for (double part = 1.0; loop->spots.lists.count == 0 && part > 0.1; part *= 0.9) {
    bound = part * bench.solve.best_residual * bench.solve.scale;
    cps_spots_find(&loop->spots, &loop->domains, loop->u, bound, &loop->momentum);
  }
  assert_in_range(loop->spots.unsolved, 1, 500);
  double* before = CPS_TAKE(&bench.arena, double, p->row_count);
  double* v = CPS_TAKE(&bench.arena, double, count);
  assert_true(before && v);
  cps_rigid_push(p, loop->momentum.last_r, v);
  double size = 0.0;
  for (int64_t k = 0; k < count; ++k) size = fmax(size, fabs(v[k]));
  // 40 sweeps with a dozen contacts of a body, each rounded, lengthened by the momentum as in test_momentum.c
  for (int64_t k = 0; k < count; ++k) assert_near(v[k], loop->momentum.last_v[k], 40.0 * 12.0 * 100.0 * 0x1p-52 * size);
  memcpy(before, bench.r, (size_t)p->row_count * sizeof(double));
  for (int sweep = 0; sweep < 10; ++sweep) (void)cps_gs_loop_sweep(loop);
  int32_t moved = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    bool same = memcmp(before + 3 * i, bench.r + 3 * i, 3 * sizeof(double)) == 0;
    assert_true(same || loop->spots.contact[i]);
    moved += !same;
  }
  assert_true(moved > 0);
  loop_bench_close(&bench);
}

// A pack that was solved and is hit in one place: the sweeps stay there. Before they were narrowed, every one of them visited
// every contact. The bits do not depend on the threads.
static void a_blow_is_solved_where_it_hits(void** state) {
  (void)state;
  CpsProblem* p = generate_pack(CPS_GENERATE_SPHERES, 3000, 0, CPS_FORM_FACTORED);
  int64_t rows = p->row_count;
  double *start = calloc((size_t)rows, sizeof *start), *r[2];
  assert_non_null(start);
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = 1e-4;
  options.max_iterations = 2000;
  assert_int_equal(cps_problem_solve(p, &options, start, NULL, NULL), CPS_OK);
  double largest = 0.0;
  for (int64_t k = 0; k < rows; k += 3) largest = fmax(largest, fabs(p->b[k]));
  p->b[3 * 1500] -= 0.1 * largest;
  CpsSolveInfo info;
  for (int k = 0; k < 2; ++k) {
    r[k] = malloc((size_t)rows * sizeof(double));
    assert_non_null(r[k]);
    memcpy(r[k], start, (size_t)rows * sizeof(double));
    options.threads = 1 + 2 * k;
    assert_int_equal(cps_problem_solve(p, &options, r[k], &info, NULL), CPS_OK);
    // the sweeps up to the first measurement visit all contacts
    assert_true(info.iterations > 20);
    assert_true(info.local_calls < (20 + (info.iterations - 20) / 2) * (int64_t)p->contact_count);
  }
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(p, r[0], &residual), CPS_OK);
  assert_true(residual.natural <= options.tolerance);
  assert_memory_equal(r[0], r[1], (size_t)rows * sizeof(double));
  free(start);
  free(r[0]);
  free(r[1]);
  cps_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spot_is_what_is_unsolved_and_two_rings),
      cmocka_unit_test(nothing_rests_where_everything_is_unsolved),
      cmocka_unit_test(what_rests_keeps_its_impulse),
      cmocka_unit_test(a_blow_is_solved_where_it_hits),
  };
  keep_to_threads("a_blow_*");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
