// A heap of spheres that does rest: what a step costs, phase by phase, on one and on two threads.
//
// Spheres that were dropped roll for minutes before they lie still, so these are laid in layers in a box, each sphere in
// the pocket of four below it; those of one layer do not touch. Square layers of 20 x 20 and 19 x 19 take turns.
#include "capstan/world.h"
#include "core/clock.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 20, LAYERS = 26, WARM = 70, BLOCK = 10, BLOCKS = 5 };
static const double RADIUS = 0.5, PITCH = 1.05, TOLERANCE = 1e-4;

typedef struct Phases {
  double predict, detect, assemble, solve, advance, rest, wall, cpu;  // ms a step, of the fastest block
} Phases;

static void check(CpsStatus status, const CpsError* error) {
  if (status >= 0) return;
  fprintf(stderr, "bench-rest: %s\n", error->text);
  exit(3);
}

static void add_plane(CpsWorld* world, CpsVec3 position, CpsQuat rotation) {
  CpsObstacleDef def = cps_obstacle_def_default();
  CpsError error;
  def.shape = cps_plane();
  def.pose = (CpsPose){position, rotation};
  check(cps_world_add_obstacle(world, &def, NULL, &error), &error);
}

static void add_layers(CpsWorld* world) {
  const double rise = sqrt(4.0 * RADIUS * RADIUS - 0.5 * PITCH * PITCH);
  CpsError error;
  for (int layer = 0; layer < LAYERS; ++layer) {
    const int side = SIDE - layer % 2;
    for (int i = 0; i < side * side; ++i) {
      CpsBodyDef body = cps_body_def_default();
      body.shape = cps_sphere(RADIUS);
      body.position.x = PITCH * (i % side - 0.5 * (side - 1));
      body.position.y = PITCH * (i / side - 0.5 * (side - 1));
      body.position.z = RADIUS + rise * layer;
      check(cps_world_add_body(world, &body, NULL, &error), &error);
    }
  }
}

static CpsWorld* make(void) {
  const double s = 0.70710678118654752440, w = 0.5 * PITCH * (SIDE - 1) + RADIUS;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  CpsError error;
  def.step = 0.01;
  def.solver.tolerance = TOLERANCE;
  check(cps_world_create(&def, &world, &error), &error);
  add_plane(world, (CpsVec3){0.0, 0.0, 0.0}, (CpsQuat){1.0, 0.0, 0.0, 0.0});
  add_plane(world, (CpsVec3){-w, 0.0, 0.0}, (CpsQuat){s, 0.0, s, 0.0});
  add_plane(world, (CpsVec3){w, 0.0, 0.0}, (CpsQuat){s, 0.0, -s, 0.0});
  add_plane(world, (CpsVec3){0.0, -w, 0.0}, (CpsQuat){s, -s, 0.0, 0.0});
  add_plane(world, (CpsVec3){0.0, w, 0.0}, (CpsQuat){s, s, 0.0, 0.0});
  add_layers(world);
  return world;
}

// While something moves, no step repeats the last one.
static void add_drifting(CpsWorld* world) {
  CpsBodyDef body = cps_body_def_default();
  CpsError error;
  body.shape = cps_sphere(RADIUS);
  body.position.z = 50.0;
  body.velocity.x = 1e-3;
  body.gravity = false;
  check(cps_world_add_body(world, &body, NULL, &error), &error);
}

static void set_threads(CpsWorld* world, int32_t threads) {
  CpsWorldDef def = cps_world_settings(world);
  CpsError error;
  def.threads = threads;
  check(cps_world_configure(world, &def, &error), &error);
}

static Phases measure(CpsWorld* world, CpsStepInfo* last) {
  Phases best = {.wall = INFINITY, .cpu = INFINITY};
  CpsError error;
  for (int i = 0; i < WARM; ++i) check(cps_world_step(world, last, &error), &error);
  for (int b = 0; b < BLOCKS; ++b) {
    Phases p = {0};
    double cpu = cps_clock_cpu(), wall = cps_clock_wall(), part = 1e3 / BLOCK;
    for (int i = 0; i < BLOCK; ++i) {
      check(cps_world_step(world, last, &error), &error);
      p.predict += part * last->seconds_predict;
      p.detect += part * last->seconds_detect;
      p.assemble += part * last->seconds_assemble;
      p.solve += part * last->seconds_solve;
      p.advance += part * last->seconds_advance;
    }
    p.cpu = part * (cps_clock_cpu() - cpu);
    p.wall = part * (cps_clock_wall() - wall);
    p.rest = p.wall - p.predict - p.detect - p.assemble - p.solve - p.advance;
    if (p.wall < best.wall) best = p;
  }
  return best;
}

// What the process holds on the heap; 0 where the C library does not tell.
static double heap_bytes(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
#else
  return 0.0;
#endif
}

static void print(const char* label, const Phases* p, const CpsStepInfo* info) {
  printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %d | %.0e |\n", label,
         (int)info->contacts, p->wall, p->cpu, p->predict, p->detect, p->assemble, p->solve, p->advance, p->rest,
         (int)info->iterations, info->residual);
}

int main(void) {
  const double before = heap_bytes();
  CpsWorld* world = make();
  CpsStepInfo info;
  printf(
      "| at rest to 1e-4 | contacts | wall ms | CPU ms | predict | detect | assemble | solve | advance | other | "
      "iterations | residual |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int32_t threads = 1; threads <= 2; ++threads) {
    set_threads(world, threads);
    Phases p = measure(world, &info);
    print(threads == 1 ? "one thread" : "two threads", &p, &info);
  }
  add_drifting(world);
  for (int32_t threads = 1; threads <= 2; ++threads) {
    set_threads(world, threads);
    Phases p = measure(world, &info);
    print(threads == 1 ? "another ball moves elsewhere, one thread" : "the same, two threads", &p, &info);
  }
  printf("\nmemory of the world: %.0f bytes per contact (target: 2000)\n", (heap_bytes() - before) / info.contacts);
  printf("hash %016llx\n", (unsigned long long)cps_world_hash(world));
  cps_world_destroy(world);
  return 0;
}
