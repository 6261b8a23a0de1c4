// Impulses inside their cones under which bodies stand still, from impulses on the rim and beyond it.
#include "friction/interior.h"

#include "friction/balance.h"
#include "friction/law.h"
#include "friction/rest_factor.h"
#include "rigid_scene.h"

enum { SIDE = 5 };
static const double STILL = 1e-13, MANY = 1e12;

typedef struct Bench {
  RigidScene* scene;
  CpsProblem* problem;
  CpsArena arena;
  CpsRestFactor rest;
  CpsSolve solve;
  CpsError error;
  double* r;
  bool* moves;
} Bench;

// Spheres in a box, under a weight that leans by `lean` of its size. Impulses to begin with: a rough solution, of which some contacts
// carry nothing and others are on the rim of their cones.
static void make(Bench* bench, double mu, double lean) {
  *bench = (Bench){.scene = scene_pack(SIDE, SIDE, mu)};
  scene_free_velocity(bench->scene, (double[3]){lean * 9.81e-3, 0.0, -9.81e-3});
  bench->problem = scene_problem(bench->scene);
  const CpsProblem* p = bench->problem;
  assert_true(p->factors.pair && p->contact_count > 100);
  bench->r = calloc((size_t)p->row_count, sizeof(double));
  bench->moves = calloc((size_t)p->contact_count, sizeof(bool));
  assert_true(bench->r && bench->moves);
  for (int64_t i = 0; i < p->contact_count; i++) bench->moves[i] = true;
  CpsSolveOptions rough = cps_solve_options_default();
  rough.tolerance = 1e-3;
  assert_int_equal(cps_problem_solve(p, &rough, bench->r, NULL, NULL), CPS_OK);
  bench->solve = (CpsSolve){.problem = p, .arena = &bench->arena, .rest = &bench->rest, .error = &bench->error};
  static const CpsSolveOptions none;
  bench->solve.options = &none;
  bench->solve.v_scratch = CPS_TAKE(&bench->arena, double, p->factors.body_offset[p->factors.body_count]);
  assert_non_null(bench->solve.v_scratch);
}

static void free_bench(Bench* bench) {
  cps_rest_factor_free(&bench->rest);
  cps_arena_free(&bench->arena);
  cps_problem_destroy(bench->problem);
  scene_free(bench->scene);
  free(bench->r);
  free(bench->moves);
}

static bool find(Bench* bench, double operations) {
  bool found;
  assert_int_equal(cps_interior_find(&bench->solve, bench->moves, operations, STILL, bench->r, &found), CPS_OK);
  return found;
}

// Largest velocity, as an impulse; every contact must be inside its cone, contacts that do not move without an impulse.
static double motion(Bench* bench) {
  const CpsProblem* p = bench->problem;
  double* u = calloc((size_t)p->row_count, sizeof *u);
  double most = 0.0;
  assert_non_null(u);
  cps_solve_apply_W(&bench->solve, bench->r, p->b, u);
  for (int64_t i = 0; i < p->contact_count; i++) {
    const double *r = bench->r + 3 * i, tangent = cps_law_tangent_norm(3, r);
    assert_true(bench->moves[i] ? r[0] > 0.0 && tangent <= p->mu[i] * r[0] : r[0] == 0.0 && tangent == 0.0);
    for (int k = 0; k < 3 && bench->moves[i]; k++) most = fmax(most, p->xi[i] * fabs(u[3 * i + k]));
  }
  free(u);
  return most;
}

static void what_can_rest_rests(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    Bench bench;
    make(&bench, 0.5, 0.1 * k);
    assert_true(find(&bench, MANY));
    assert_below(motion(&bench), STILL);
    assert_in_range(bench.solve.factorisations, 1, 12);
    free_bench(&bench);
  }
}

static void a_contact_that_is_open_carries_nothing(void** state) {
  (void)state;
  Bench bench;
  make(&bench, 0.5, 0.0);
  // the first sphere at a wall, which friction on the ground replaces
  bench.moves[1] = false;
  for (int k = 3; k < 6; k++) bench.r[k] = 0.0;
  assert_true(find(&bench, MANY));
  assert_below(motion(&bench), STILL);
  free_bench(&bench);
}

// A single box on the ground under a weight that leans by more or less than the coefficient of friction.
static void what_slides_is_not_held(void** state) {
  (void)state;
  const double mass = 2.0, mu = 0.3;
  for (int beyond = 0; beyond < 2; beyond++) {
    RigidScene* s = scene_tower(1, &mass, mu);
    const double lean = mu * (beyond ? 1.0 + 1e-3 : 1.0 - 1e-3);
    scene_free_velocity(s, (double[3]){lean * 9.81e-3, 0.0, -9.81e-3});
    Bench bench = {.scene = s, .problem = scene_problem(s)};
    const CpsSolveOptions none = {0};
    double r[12] = {0.0};
    bool moves[4] = {true, true, true, true}, found;
    for (int i = 0; i < 4; i++) r[3 * i] = 5e-3;
    bench.solve = (CpsSolve){.problem = bench.problem, .options = &none, .arena = &bench.arena, .rest = &bench.rest};
    bench.solve.v_scratch = CPS_TAKE(&bench.arena, double, 8);
    assert_int_equal(cps_interior_find(&bench.solve, moves, MANY, STILL, r, &found), CPS_OK);
    assert_int_equal(found, !beyond);
    cps_rest_factor_free(&bench.rest);
    cps_arena_free(&bench.arena);
    cps_problem_destroy(bench.problem);
    scene_free(s);
  }
}

// What may not cost what a factor takes is not begun, and keeps no factor.
static void a_search_that_is_too_expensive_is_not_made(void** state) {
  (void)state;
  Bench bench;
  make(&bench, 0.5, 0.0);
  assert_false(find(&bench, 1e5));
  assert_int_equal(bench.solve.factorisations, 0);
  assert_null(bench.rest.cholesky);
  assert_true(find(&bench, MANY));
  free_bench(&bench);
}

// Two walls that press on a ball between them could hold it by friction, whatever it weighs, and obey the law. But nothing presses
// them, and the ball falls: no such impulses are made up to bring the rest to a stop.
static void what_falls_between_walls_is_not_clamped(void** state) {
  (void)state;
  enum { WIDE = 7 };
  RigidScene* s = scene_pack(WIDE, WIDE, 0.5);
  const int32_t first = s->contact_count, bodies = s->body_count;
  RigidScene* all = scene_make(bodies + 1, first + 2);
  for (int32_t k = 0; k < bodies; k++) {
    (void)scene_sphere(all, s->centre[3 * k], s->centre[3 * k + 1], s->centre[3 * k + 2], 1.0, 0.5);
  }
  all->contact_count = first;
  memcpy(all->contact_start, s->contact_start, ((size_t)first + 1) * sizeof *s->contact_start);
  memcpy(all->body, s->body, (size_t)s->contact_start[first] * sizeof *s->body);
  memcpy(all->H, s->H, 18 * (size_t)s->contact_start[first] * sizeof(double));
  memcpy(all->mu, s->mu, (size_t)first * sizeof(double));
  const int32_t ball = scene_sphere(all, 50.0, 0.0, 5.0, 1.0, 0.5);
  for (int side = -1; side <= 1; side += 2) {
    scene_contact(all, -1, ball, (double[3]){50.0 + 0.5 * side, 0.0, 5.0}, (double[3]){-side, 0.0, 0.0}, 0.5);
  }
  scene_free_velocity(all, (double[3]){0.0, 0.0, -9.81e-3});
  CpsProblem* p = scene_problem(all);
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = 1e-4;
  double* r = calloc((size_t)p->row_count, sizeof *r);
  assert_non_null(r);
  assert_int_equal(cps_problem_solve(p, &options, r, NULL, NULL), CPS_OK);
  CpsArena arena = {0};
  CpsRestFactor rest = {0};
  CpsError error;
  CpsSolve solve = {.problem = p, .arena = &arena, .rest = &rest, .error = &error, .options = &options};
  solve.best_r = r;
  solve.u_scratch = CPS_TAKE(&arena, double, p->row_count);
  solve.v_scratch = CPS_TAKE(&arena, double, p->factors.body_offset[p->factors.body_count]);
  bool found;
  assert_true(cps_balance_fits(p) && solve.u_scratch && solve.v_scratch);
  assert_int_equal(cps_balance_find(&solve, MANY, &found), CPS_OK);
  assert_true(found);
  for (int k = 0; k < 6; k++) assert_true(r[3 * first + k] == 0.0);
  free(r);
  cps_rest_factor_free(&rest);
  cps_arena_free(&arena);
  cps_problem_destroy(p);
  scene_free(all);
  scene_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_can_rest_rests),
      cmocka_unit_test(a_contact_that_is_open_carries_nothing),
      cmocka_unit_test(what_slides_is_not_held),
      cmocka_unit_test(what_falls_between_walls_is_not_clamped),
      cmocka_unit_test(a_search_that_is_too_expensive_is_not_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
