// labels: release
// Heaps at rest do not change by a single bit, at any size, until the caller changes something (docs/theory/rest.md).
#include "layers.h"
#include "world/world.h"

#include <string.h>

enum { SIDE = 7, LAYERS = 8, MANY = 100 };
static const double TOLERANCE = 1e-4;

// One island, too large to be refined by Newton's method.
static CpsWorld* heap(int32_t threads) {
  return layers_of_balls(SIDE, LAYERS, threads);
}

static CpsBodyState ball(const CpsWorld* world, int32_t i) {
  return state_of(world, cps_world_body(world, i));
}

// Largest way of a ball from where it was, and whether any has a velocity.
static double way(const CpsWorld* world, const CpsVec3* from, bool* moves) {
  double most = 0.0;
  *moves = false;
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    const CpsBodyState now = ball(world, i);
    const CpsVec3 p = now.pose.position, v = now.velocity, s = now.angular_velocity;
    most = fmax(most, fmax(fabs(p.x - from[i].x), fmax(fabs(p.y - from[i].y), fabs(p.z - from[i].z))));
    *moves = *moves || v.x != 0.0 || v.y != 0.0 || v.z != 0.0 || s.x != 0.0 || s.y != 0.0 || s.z != 0.0;
  }
  return most;
}

static CpsVec3* places(const CpsWorld* world) {
  const int32_t count = cps_world_body_count(world);
  CpsVec3* all = malloc((size_t)count * sizeof *all);
  assert_non_null(all);
  for (int32_t i = 0; i < count; ++i) all[i] = ball(world, i).pose.position;
  return all;
}

static void steps(CpsWorld* world, int count, CpsStepInfo* info) {
  for (int i = 0; i < count; ++i) must(cps_world_step(world, info, &must_error));
}

static bool stands_for(CpsWorld* world, int count) {
  CpsVec3* from = places(world);
  CpsStepInfo info;
  bool moves;
  steps(world, count, &info);
  const double most = way(world, from, &moves);
  free(from);
  assert_true(info.contacts > 1000 && info.residual <= TOLERANCE);
  return most == 0.0 && !moves;
}

// Sweeps alone let it creep by micrometres in a second.
static void a_heap_stands_to_the_last_bit(void** state) {
  (void)state;
  CpsWorld* world = heap(1);
  CpsStepInfo info;
  steps(world, 3, &info);
  assert_true(stands_for(world, MANY));
  const double time = cps_world_time(world);
  steps(world, 1, &info);
  assert_true(info.time == cps_world_time(world) && fabs(info.time - time - 0.01) < 1e-12);
  assert_int_equal(info.stick, info.contacts);
  // the energy balance continues: what gravity and the contacts exchange in a step cancels
  assert_true(cps_world_energy(world).error < 1e-9);
  cps_world_destroy(world);
}

// Gaps of some 1e-10 m that cannot all close at once are left as they are: rest is a matter of velocities. Were they to close within the
// step, the balls would move.
static void small_gaps_stay_open(void** state) {
  (void)state;
  CpsWorld* world = heap(1);
  CpsStepInfo info;
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    CpsBodyState b = ball(world, i);
    b.pose.position.x += 2e-10 * sin(1.7 * i);
    b.pose.position.y += 2e-10 * sin(2.9 * i);
    b.pose.position.z += 2e-10 * (1.0 + sin(4.1 * i));
    must(cps_world_set_body_state(world, cps_world_body(world, i), &b, &must_error));
  }
  steps(world, 3, &info);
  int32_t open = 0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) open += cps_world_contact(world, i).gap > 1e-11;
  assert_true(open > 100);
  assert_true(stands_for(world, 5));
  cps_world_destroy(world);
}

// A ball on a plate that lies on the heap, all leaning by 3e-7: the heap stands, and the ball rolls off as it should. What rolls does
// not move at its contact.
static void what_rolls_is_not_stopped(void** state) {
  (void)state;
  const double lean = 3e-7, radius = 0.5;
  CpsWorld* world = heap(1);
  double top = 0.0;
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) top = fmax(top, ball(world, i).pose.position.z + radius);
  CpsBodyDef plate = cps_body_def_default();
  plate.shape = cps_box((CpsVec3){4.0, 4.0, 0.2});
  plate.position = (CpsVec3){0.0, 0.0, top + 0.1};
  add_body(world, &plate);
  CpsBodyDef roller = ball_at(radius, 0.0, 0.0, top + 0.2 + radius);
  const CpsBodyId id = add_body(world, &roller);
  CpsWorldDef def = cps_world_settings(world);
  def.gravity = (CpsVec3){9.81 * lean, 0.0, -9.81};
  must(cps_world_configure(world, &def, &must_error));
  CpsStepInfo info;
  steps(world, 3, &info);
  const CpsBodyState from = state_of(world, id);
  steps(world, MANY, &info);
  const CpsBodyState to = state_of(world, id);
  const double speed = 5.0 / 7.0 * 9.81 * lean * MANY * def.step;  // a solid ball, from rest
  print_message("%.3e m/s of %.3e\n", to.velocity.x - from.velocity.x, speed);
  assert_true(fabs(to.velocity.x - from.velocity.x - speed) < 1e-2 * speed);
  cps_world_destroy(world);
}

// A knock on every ball.
static void shake(CpsWorld* world) {
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    const CpsBodyState b = ball(world, i);
    const double size = 1e-4 * b.mass;
    const CpsVec3 impulse = {size * sin(1.7 * i), size * sin(2.9 * i), size * sin(4.1 * i)};
    must(cps_world_apply_impulse(world, cps_world_body(world, i), impulse, b.centre, &must_error));
  }
}

// Knocked out of its balance, it creeps, and is at rest again within a second and a half.
static void a_heap_comes_to_rest_again(void** state) {
  (void)state;
  CpsWorld* world = heap(2);
  CpsStepInfo info;
  steps(world, 3, &info);
  shake(world);
  assert_false(stands_for(world, 2));
  steps(world, 148, &info);
  assert_true(stands_for(world, MANY));
  cps_world_destroy(world);
}

// Whatever is changed is seen in the next step.
static void what_stands_is_woken(void** state) {
  (void)state;
  for (int kind = 0; kind < 5; ++kind) {
    CpsWorld* world = heap(1);
    CpsStepInfo info;
    steps(world, 3, &info);
    assert_true(stands_for(world, 2));
    const int32_t top = cps_world_body_count(world) - 1;
    const CpsBodyId id = cps_world_body(world, top);
    const double mass = ball(world, top).mass;
    if (kind == 0)
      must(cps_world_apply_impulse(world, id, (CpsVec3){0.0, 0.0, mass}, ball(world, top).centre, &must_error));
    if (kind == 1) must(cps_world_remove_obstacle(world, cps_world_obstacle(world, 0), &must_error));
    if (kind == 2) must(cps_world_set_pair(world, 0, 0, (CpsPair){0.0, 0.0}, &must_error));
    if (kind == 3) {
      CpsLoadDef load = cps_load_def_default();
      load.thing = cps_thing_body(id);
      load.force = (CpsVec3){0.0, 0.0, 20.0 * mass};
      must(cps_world_add_load(world, &load, &must_error));
    }
    if (kind == 4) {
      CpsWorldDef def = cps_world_settings(world);
      def.gravity = (CpsVec3){5.0, 0.0, -5.0};
      must(cps_world_configure(world, &def, &must_error));
    }
    CpsVec3* from = places(world);
    bool moves;
    // rough: of what slides or falls the step need not be solved
    (void)cps_world_step(world, &info, NULL);
    assert_true(way(world, from, &moves) > 1e-6 && moves);
    free(from);
    cps_world_destroy(world);
  }
}

// A skipped step leaves the same state as a computed one: a world that was loaded computes it.
static void a_loaded_heap_goes_on_alike(void** state) {
  (void)state;
  CpsWorld *one = heap(1), *two = heap(1);
  CpsStepInfo info;
  steps(one, 6, &info);
  copy_state(one, two);
  for (int i = 0; i < 8; ++i) {
    if (i == 4) {
      const CpsBodyState top = ball(one, cps_world_body_count(one) - 1);
      CpsWorld* both[] = {one, two};
      for (int k = 0; k < 2; ++k) {
        must(cps_world_apply_impulse(both[k], cps_world_body(one, cps_world_body_count(one) - 1),
                                     (CpsVec3){1.0, 0.0, 0.0}, top.centre, &must_error));
      }
    }
    (void)cps_world_step(one, &info, NULL);
    (void)cps_world_step(two, &info, NULL);
    const CpsEnergy a = cps_world_energy(one), b = cps_world_energy(two);
    assert_true(cps_world_hash(one) == cps_world_hash(two));
    assert_true(a.scheme == b.scheme && a.turnover == b.turnover && a.kinetic == b.kinetic);
  }
  cps_world_destroy(one);
  cps_world_destroy(two);
}

// Boxes under one plank on a ramp, all sliding as one. Returns the way along the ramp, and the largest force that the
// next step begins with.
static double slide(double mu, int count, double* force) {
  const double angle = 0.35;
  CpsWorldDef def = cps_world_def_default();
  def.step = 0.01;
  def.mu = mu;
  def.gravity = (CpsVec3){9.81 * sin(angle), 0.0, -9.81 * cos(angle)};
  CpsWorld* world = make_world(&def);
  add_floor(world);
  for (int i = 0; i < 64; ++i) {
    CpsBodyDef box = box_at((CpsVec3){0.1, 0.1, 0.1}, 0.2 * (i % 8), 0.2 * (i / 8), 0.05);
    add_body(world, &box);
  }
  CpsBodyDef plank = box_at((CpsVec3){1.8, 1.8, 0.1}, 0.7, 0.7, 0.15);
  const CpsBodyId id = add_body(world, &plank);
  CpsStepInfo info;
  steps(world, count, &info);
  assert_int_equal(info.contacts, 512);
  const double x = state_of(world, id).pose.position.x - 0.7;
  *force = 0.0;
  for (int32_t i = 0; i < world->track_count; ++i) *force = fmax(*force, world->tracks[i].impulse.z);
  cps_world_destroy(world);
  return x;
}

// A ramp beyond the limit of friction by a tenth of the tolerance: nothing may be held that the law does not hold.
static void what_slides_is_not_held(void** state) {
  (void)state;
  enum { COUNT = 8 };
  double force;
  const double angle = 0.35, part = 1e-7, v = 9.81 * sin(angle) * part * 0.01;  // gained in a step
  const double x = slide(tan(angle) * (1.0 - part), COUNT, &force) / (0.01 * v);
  // the ways of the steps are those of 0 to 1, 1 to 2, ...: theta decides where in between
  assert_true(x > 0.95 * (COUNT * (COUNT - 1) / 2) && x < 1.05 * (COUNT * (COUNT + 1) / 2));
  assert_true(fabs(slide(tan(angle) * (1.0 + part), COUNT, &force)) < 1e-12);
  // with more room in its cones it stands from the first step on; the forces are kept, whatever solves they took
  assert_true(fabs(slide(1.1 * tan(angle), COUNT, &force)) < 1e-12);
  assert_true(force > 1.0);
}

static void threads_change_no_bit(void** state) {
  (void)state;
  CpsWorld* both[] = {heap(1), heap(2)};
  CpsStepInfo info;
  for (int k = 0; k < 2; ++k) {
    steps(both[k], 2, &info);
    shake(both[k]);
    steps(both[k], 34, &info);
  }
  assert_true(cps_world_hash(both[0]) == cps_world_hash(both[1]));
  for (int k = 0; k < 2; ++k) cps_world_destroy(both[k]);
}

// A heap that closes a gap of 10 um in its first step is no heap at rest: carried on by Newton's method to no avail, the step took a
// hundred times as long.
static void a_heap_that_drops_is_not_refined(void** state) {
  (void)state;
  CpsWorld* world = heap(1);
  CpsStepInfo info;
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    CpsBodyState b = ball(world, i);
    b.pose.position.z += 1e-5;
    must(cps_world_set_body_state(world, cps_world_body(world, i), &b, &must_error));
  }
  steps(world, 1, &info);
  CpsProblem* problem = NULL;
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo solved[2];
  double* r = calloc((size_t)cps_world_problem_rows(world), sizeof *r);
  assert_non_null(r);
  must(cps_world_problem(world, &problem, NULL, &must_error));
  options.tolerance = TOLERANCE;
  for (int k = 0; k < 2; ++k) {
    options.polish = k == 1;
    memset(r, 0, (size_t)cps_world_problem_rows(world) * sizeof *r);
    must(cps_problem_solve(problem, &options, r, &solved[k], &must_error));
  }
  // sweeps factorise small clusters of contacts; polishing adds nothing to that
  assert_int_equal(solved[0].factorisations, solved[1].factorisations);
  cps_problem_destroy(problem);
  free(r);
  cps_world_destroy(world);
}

// Two heaps in one shaft, one on a plate far above the other, their balls numbered in turn; one more ball falls on the upper heap and
// one drifts past. Number `falling` is the ball that falls.
static CpsWorld* two_heaps(int32_t threads, int32_t* falling) {
  const double radius = 0.5, pitch = 1.05, rise = sqrt(4.0 * radius * radius - 0.5 * pitch * pitch);
  enum { SHAFT = 7, HIGH = 6 };
  CpsWorld* world = layers_of_balls(SHAFT, 0, threads);
  CpsObstacleDef plate = cps_obstacle_def_default();
  plate.shape = cps_box((CpsVec3){20.0, 20.0, 1.0});
  plate.pose.position.z = 19.5;
  add_obstacle(world, &plate);
  for (int layer = 0; layer < HIGH; layer++) {
    const int n = SHAFT - layer % 2;
    for (int i = 0; i < 2 * n * n; i++) {
      const int k = i / 2;
      const double z = (i % 2 ? 20.0 : 0.0) + radius + rise * layer;
      CpsBodyDef ball = ball_at(radius, pitch * (k % n - 0.5 * (n - 1)), pitch * (k / n - 0.5 * (n - 1)), z);
      add_body(world, &ball);
    }
  }
  CpsBodyDef ball = ball_at(0.3, 0.1, 0.2, 25.9);
  ball.velocity.z = -8.0;
  *falling = cps_world_body_count(world);
  add_body(world, &ball);
  CpsBodyDef drifting = ball_at(0.3, 0.0, 0.0, 10.0);
  drifting.gravity = false;
  drifting.velocity.x = 1e-2;
  add_body(world, &drifting);
  return world;
}

static bool same(const double* a, const double* b, int count) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void assert_same_contacts(const CpsWorld* one, const CpsWorld* two) {
  assert_int_equal(cps_world_contact_count(one), cps_world_contact_count(two));
  for (int32_t i = 0; i < cps_world_contact_count(one); ++i) {
    const CpsContact a = cps_world_contact(one, i), b = cps_world_contact(two, i);
    assert_true(same(a.impulse, b.impulse, 3) && same(a.velocity, b.velocity, 3) && same(&a.normal.x, &b.normal.x, 3));
    assert_true(a.gap == b.gap && a.residual == b.residual && a.status == b.status && a.island == b.island);
    for (int s = 0; s < 2; ++s) {
      assert_true(cps_thing_is(a.side[s].thing, b.side[s].thing) && same(&a.side[s].place.x, &b.side[s].place.x, 3));
    }
  }
}

// The problem of the last step and its velocities.
static double* velocities(const CpsWorld* world, int64_t* rows) {
  CpsProblem* problem = NULL;
  *rows = cps_world_problem_rows(world);
  double *r = malloc((size_t)*rows * sizeof *r), *u = malloc((size_t)*rows * sizeof *u);
  assert_true(r && u);
  must(cps_world_problem(world, &problem, r, &must_error));
  must(cps_problem_velocity(problem, r, u));
  cps_problem_destroy(problem);
  free(r);
  return u;
}

static void assert_same_problems(const CpsWorld* one, const CpsWorld* two) {
  int64_t rows, others;
  double *u = velocities(one, &rows), *v = velocities(two, &others);
  assert_int_equal(rows, others);
  assert_true(same(u, v, (int)rows));
  free(u);
  free(v);
}

static void assert_same_states(const CpsWorld* one, const CpsWorld* two) {
  const size_t size = cps_world_state_size(one);
  assert_int_equal(size, cps_world_state_size(two));
  char *a = malloc(size), *b = malloc(size);
  must(cps_world_save(one, a, size, &must_error));
  must(cps_world_save(two, b, size, &must_error));
  assert_memory_equal(a, b, size);
  free(a);
  free(b);
}

// While something moves elsewhere, what stands takes no part in steps; a touch wakes what is touched. Nobody can tell: a world that is
// loaded before each step computes everything and has the same bits.
static void what_stands_is_set_aside(void** state) {
  (void)state;
  int32_t falling;
  CpsWorld *one = two_heaps(2, &falling), *two = two_heaps(1, &falling);
  CpsStepInfo a, b;
  int both = 0, lower = 0, none = 0;
  for (int i = 0; i < 24; ++i) {
    copy_state(one, two);
    must(cps_world_step(one, &a, &must_error));
    must(cps_world_step(two, &b, &must_error));
    both += one->aside.island_count == 2;
    lower += one->aside.island_count == 1;
    none += one->aside.island_count == 0;
    assert_int_equal(two->aside.island_count, 0);
    assert_true(a.contacts == b.contacts && a.islands == b.islands && a.stick == b.stick && a.slide == b.slide);
    assert_true(a.residual == b.residual && a.nu == b.nu && a.penetration == b.penetration && a.moving == b.moving);
    assert_true(a.deepest.depth == b.deepest.depth && cps_thing_is(a.deepest.side[0].thing, b.deepest.side[0].thing));
    assert_same_states(one, two);
    if (i % 4 != 0) continue;
    assert_same_contacts(one, two);
    assert_same_problems(one, two);
  }
  assert_true(both > 3 && lower > 3 && none > 0);
  // what is set by hand is seen at once
  CpsBodyState low = ball(one, 0);
  low.velocity.z = 1.0;
  CpsWorld* worlds[] = {one, two};
  for (int k = 0; k < 2; ++k) {
    must(cps_world_set_body_state(worlds[k], cps_world_body(one, 0), &low, &must_error));
    (void)cps_world_step(worlds[k], &a, NULL);
  }
  assert_int_equal(one->aside.island_count, 0);
  assert_same_states(one, two);
  cps_world_destroy(one);
  cps_world_destroy(two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_rolls_is_not_stopped),   cmocka_unit_test(a_heap_stands_to_the_last_bit),
      cmocka_unit_test(a_heap_comes_to_rest_again),  cmocka_unit_test(what_stands_is_woken),
      cmocka_unit_test(a_loaded_heap_goes_on_alike), cmocka_unit_test(what_slides_is_not_held),
      cmocka_unit_test(threads_change_no_bit),       cmocka_unit_test(small_gaps_stay_open),
      cmocka_unit_test(what_stands_is_set_aside),    cmocka_unit_test(a_heap_that_drops_is_not_refined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
