#include "world/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/vec3.h"
#include "world/heap.h"
#include "world/judge.h"

enum {
  BLOCK = 10,
  BLOCKS_MAX = 20,
  SETTLING_BLOCKS = 5,
  WARM_STEPS = 30,
  REST_BLOCKS = 10,
  THREADS_BLOCKS = 3,
  JUDGED = 5
};

int cps_bench_compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, cps_bench_compare_doubles);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static CpsBenchState* states_of(const CpsBenchScene* scene) {
  CpsBenchState* states = calloc((size_t)scene->body_count, sizeof *states);
  if (!states) abort();
  return states;
}

// Makes blocks of steps and keeps the fastest of them: the machine does other things too.
static CpsBenchTimes timed_blocks(const CpsBenchEngine* engine, void* world, int blocks, int* unsolved) {
  CpsBenchTimes best = {INFINITY, INFINITY, INFINITY, 0.0};
  double cpus[BLOCKS_MAX];
  for (int b = 0; b < blocks; ++b) {
    double cpu = cps_clock_cpu(), wall = cps_clock_wall(), solve = 0.0;
    for (int i = 0; i < BLOCK; ++i) {
      *unsolved += !engine->step(world);
      solve += engine->solve_seconds(world);
    }
    cpus[b] = 1e3 * (cps_clock_cpu() - cpu) / BLOCK;
    best.cpu = fmin(best.cpu, cpus[b]);
    best.wall = fmin(best.wall, 1e3 * (cps_clock_wall() - wall) / BLOCK);
    best.solve = fmin(best.solve, 1e3 * solve / BLOCK);
  }
  best.cpu_median = median(cpus, blocks);
  return best;
}

// One step, judged.
static bool judged_step(const CpsBenchCase* c, const CpsBenchEngine* engine, void* world, CpsBenchState* before,
                        CpsBenchVerdict* verdict) {
  engine->get_state(world, before);
  (void)engine->step(world);
  return cps_bench_judge(engine, world, &c->scene, before, verdict);
}

static double displacement(const CpsBenchScene* scene, const CpsBenchState* from, const CpsBenchState* to) {
  double worst = 0.0;
  for (int32_t i = 0; i < scene->body_count; ++i)
    worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(to[i].pose.position, from[i].pose.position)));
  return worst;
}

// A solution to 1e-6 of every step of settling would take hours.
static CpsBenchSettings settling_settings(const CpsBenchCase* c, const CpsBenchEntry* entry) {
  CpsBenchSettings settings = entry->settings;
  settings.tolerance = c->settling_tolerance;
  return settings;
}

bool cps_bench_prepare(CpsBenchCase* c, const CpsBenchEntry* entry) {
  CpsBenchSettings settings = settling_settings(c, entry);
  void* world = entry->engine->create(&c->scene, &settings);
  if (!world) return false;
  for (int i = 0; i < c->middle_step; ++i) (void)entry->engine->step(world);
  c->middle = states_of(&c->scene);
  entry->engine->get_state(world, c->middle);
  entry->engine->destroy(world);
  return true;
}

// The times of steps in the middle of settling, and in between every eleventh step judged.
static bool measure_settling(const CpsBenchCase* c, const CpsBenchEngine* engine, void* world, CpsBenchState* states,
                             CpsBenchRow* row) {
  int unsolved = 0;
  double residuals[SETTLING_BLOCKS], cpus = INFINITY, walls = INFINITY, solves = INFINITY, medians[SETTLING_BLOCKS];
  for (int b = 0; b < SETTLING_BLOCKS; ++b) {
    CpsBenchVerdict verdict;
    if (!judged_step(c, engine, world, states, &verdict)) return false;
    residuals[b] = verdict.residual;
    CpsBenchTimes times = timed_blocks(engine, world, 1, &unsolved);
    cpus = fmin(cpus, times.cpu);
    walls = fmin(walls, times.wall);
    solves = fmin(solves, times.solve);
    medians[b] = times.cpu;
  }
  row->settling = (CpsBenchTimes){cpus, walls, solves, median(medians, SETTLING_BLOCKS)};
  row->settling_residual = median(residuals, SETTLING_BLOCKS);
  return true;
}

static void two_threads(const CpsBenchEngine* engine, void* world, CpsBenchSettings settings, CpsBenchRest* rest) {
  int threads = settings.threads;
  settings.threads = 2;
  engine->configure(world, &settings);
  rest->times_2 = timed_blocks(engine, world, THREADS_BLOCKS, &rest->unsolved);
  settings.threads = threads;
  engine->configure(world, &settings);
}

static bool measure_rest(const CpsBenchCase* c, const CpsBenchEngine* engine, const CpsBenchSettings* settings,
                         void* world, CpsBenchRest* rest) {
  CpsBenchState *from = states_of(&c->scene), *to = states_of(&c->scene);
  if (engine->configure) engine->configure(world, settings);
  for (int i = 0; i < WARM_STEPS; ++i) (void)engine->step(world);
  engine->get_state(world, from);
  int64_t calls = cps_bench_heap_calls();
  rest->times = timed_blocks(engine, world, REST_BLOCKS, &rest->unsolved);
  rest->heap_calls = cps_bench_heap_calls() - calls;
  engine->get_state(world, to);
  rest->drift = displacement(&c->scene, from, to);
  rest->overlap = cps_bench_overlap(&c->scene, to);
  if (engine->configure) two_threads(engine, world, *settings, rest);
  double residuals[JUDGED];
  bool ok = true;
  for (int i = 0; ok && i < JUDGED; ++i) {
    CpsBenchVerdict verdict = {0};
    ok = judged_step(c, engine, world, from, &verdict);
    residuals[i] = verdict.residual;
    rest->contacts = verdict.contacts;
    rest->residual_max = fmax(rest->residual_max, verdict.residual);
  }
  if (ok) rest->residual = median(residuals, JUDGED);
  free(from);
  free(to);
  return ok;
}

// Two worlds: one from the states that all engines share, one from the start to the engine's own rest.
bool cps_bench_measure_world(const CpsBenchCase* c, const CpsBenchEntry* entry, CpsBenchRow* row) {
  const CpsBenchEngine* engine = entry->engine;
  CpsBenchState* states = states_of(&c->scene);
  CpsBenchSettings settling = settling_settings(c, entry);
  void* world = engine->create(&c->scene, &settling);
  *row = (CpsBenchRow){0};
  engine->set_state(world, c->middle);
  bool ok = measure_settling(c, engine, world, states, row);
  engine->destroy(world);
  free(states);
  int64_t bytes = cps_bench_heap_bytes();
  world = engine->create(&c->scene, &settling);
  for (int i = 0; ok && i < c->settle_steps; ++i) (void)engine->step(world);
  row->heap_bytes = cps_bench_heap_bytes() - bytes;
  CpsBenchSettings settings = entry->settings;
  settings.tolerance = c->rest_tolerance;
  if (engine->configure) {
    CpsBenchSettings plain = settings;
    plain.no_polish = true;
    ok = ok && measure_rest(c, engine, &plain, world, &row->plain);
  }
  ok = ok && measure_rest(c, engine, &settings, world, &row->rest);
  engine->destroy(world);
  return ok;
}

double cps_bench_overlap(const CpsBenchScene* scene, const CpsBenchState* states) {
  const CpsBenchEngine* engine = cps_bench_capstan();
  CpsBenchSettings settings = {.tolerance = 1e-2, .threads = 1};
  void* world = engine->create(scene, &settings);
  engine->set_state(world, states);
  (void)engine->step(world);
  int32_t count = engine->contact_count(world);
  CpsBenchContact* contacts = calloc((size_t)count + 1, sizeof *contacts);
  double worst = 0.0;
  if (!contacts) abort();
  engine->contacts(world, contacts);
  for (int32_t i = 0; i < count; ++i) worst = fmax(worst, -contacts[i].gap);
  free(contacts);
  engine->destroy(world);
  return worst;
}
