// labels: long
// Long runs: a wall that stands for a simulated hour neither creeps nor grows in memory; the ponytail runs for the 25 s of
// the paper. CAPSTAN_ENDURANCE (0 < x <= 1, default 1) shortens both, for a look in between.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenes/masonry.h"

static double part(void) {
  const char* text = getenv("CAPSTAN_ENDURANCE");
  double value = text ? atof(text) : 1.0;
  return (value > 0.0 && value <= 1.0 ? value : 1.0) * (SHORTER ? 0.01 : 1.0);
}

// Resident memory in kB, 0 where the system does not tell.
static int64_t resident(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long long total = 0, pages = 0;
  if (!file) return 0;
  if (fscanf(file, "%lld %lld", &total, &pages) != 2) pages = 0;
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// 25 bricks, steps of 10 ms: 360 000 steps in an hour. It has come to rest after the first minute, and the remainder of
// a speed is rounding: 1e-14 m/s would be 4e-11 m in an hour. 1 MB is what the first steps of a kind may still take.
static void a_wall_stands_for_an_hour(void** state) {
  (void)state;
  Overrides o = {0};
  override(&o, "bodies.wall.wall.columns=5");
  override(&o, "bodies.wall.wall.rows=5");
  override(&o, "time.step=10ms");
  CpsWorld* world = open_scene("wall.yaml", &o);
  static CpsVec3 start[MOST_BODIES];
  double end = 3600.0 * part(), rest = 60.0 * part();
  Run first = run_until(world, rest), run = {0};
  int64_t before = resident();
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) start[i] = body(world, i).centre;
  run = run_until(world, end);
  double way = largest_way(world, start);
  int64_t grown = resident() - before;
  cps_world_destroy(world);
  print_message("wall: %lld steps, moved %.1e m, memory +%lld kB, residual %.1e, books %.1e\n", (long long)run.steps,
                way, (long long)grown, run.residual_max, run.books_error);
  assert_int_equal(first.unsolved + run.unsolved, 0);
  assert_true(way <= 1e-9);
  assert_true(run.penetration_max <= 1e-9);
  assert_true(grown <= 1024);
  assert_below(run.books_error, 1e-9);
}

// Memory may grow with the number of contacts; in the second half there are no more of them than in the first.
static void a_ponytail_runs_for_25_s(void** state) {
  (void)state;
  if (SHORTER) skip();
  CpsWorld* world = open_scene("pony.yaml", NULL);
  double end = 25.0 * part();
  Run first = run_until(world, 0.5 * end);
  int64_t before = resident();
  Run second = run_until(world, end);
  int64_t grown = resident() - before;
  int32_t contacts = first.contacts_max;
  cps_world_destroy(world);
  print_message(
      "pony: %lld steps, %d contacts, unsolved %lld, crossings %d, residual %.1e, books %.1e, memory %lld +%lld kB\n",
      (long long)(first.steps + second.steps), (int)contacts, (long long)(first.unsolved + second.unsolved),
      (int)(first.crossings + second.crossings), fmax(first.residual_max, second.residual_max),
      fmax(first.books_error, second.books_error), (long long)before, (long long)grown);
  assert_int_equal(first.unsolved + second.unsolved, 0);
  assert_int_equal(first.crossings + second.crossings, 0);
  // what more contacts than before need, and a quarter, by which arenas grow; a leak of 20 kB a step would be half
  double room = fmax(1.0, (double)second.contacts_max / contacts) + 0.25;
  assert_true((double)(before + grown) <= room * (double)before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wall_stands_for_an_hour),
      cmocka_unit_test(a_ponytail_runs_for_25_s),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
