// Steps of grains in space: columns and a bed of given numbers of cells and particles, to a residual of 1e-3 or what is asked.
//
//   step     processor and wall-clock time of a step, mean of the last four of six, with its parts (wall-clock):
//            transfers (predict: particles to nodes; advance: nodes to particles), detection and assembly, solving
//   sweep    visits of blocks a second and core of `gs` on the problem of the last step, rows of six as three numbers; beside it the
//            time to copy the rows, indices and velocities that a sweep reads, on one core
//   memory   of particles and grid, for each particle; of rows and unknowns as the sweeps keep them, for each block
//
// usage: bench-grains [--out DIRECTORY] [--threads N] [--tolerance T] [--quick | --film]     writes grains.md; --quick: the smallest alone,
// --film: a ball that falls into 75 x 75 x 50 cells alone, 2.3 million particles
#include "capstan/capstan.h"
#include "core/clock.h"
#include "friction/machine.h"
#include "friction/sparse_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case {
  const char* name;
  int cells[3];  // that are filled
  bool box;      // four walls; else two, and the others are let go
  double ball;   // radius of a ball that falls in, in cells; 0: none
  double sand6;  // s a step of the paper's own code on two cores of the same kind; 0: not known
} Case;

static const Case CASES[] = {{"a collapse of 40 × 10 × 20 cells", {40, 10, 20}, false, 0.0, 8.0},
                             {"a column of 30 × 31 × 32 cells", {30, 31, 32}, false, 0.0, 0.0},
                             {"an impact on 51 × 51 × 24 cells", {51, 51, 24}, true, 5.0, 7.3}};
// The ball of figure 3.11 on the grid of a film: four steps make a frame at 600 frames a second.
static const Case FILM = {"an impact on 75 × 75 × 50 cells", {75, 75, 50}, true, 7.5, 0.0};
static const double CELL = 0.01, STEP = 2e-3, FILM_STEP = 1.0 / 2400.0;
enum { STEPS = 6, WARM_UP = 2, SWEEPS = 60 };

static void must(CpsStatus status, const CpsError* error) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

static void add_wall(CpsWorld* world, CpsVec3 at, CpsQuat turn, double mu) {
  CpsError error = {{0}};
  CpsObstacleId id;
  CpsObstacleDef wall = cps_obstacle_def_default();
  wall.shape = cps_plane();
  wall.pose = (CpsPose){at, turn};
  wall.mu = mu;
  must(cps_world_add_obstacle(world, &wall, &id, &error), &error);
}

static CpsWorld* make(const Case* c, int threads, double tolerance) {
  CpsError error = {{0}};
  CpsWorldDef def = cps_world_def_default();
  def.step = c == &FILM ? FILM_STEP : STEP;
  def.threads = threads;
  def.solver.tolerance = tolerance;
  CpsWorld* world = NULL;
  must(cps_world_create(&def, &world, &error), &error);
  const CpsVec3 size = {c->cells[0] * CELL, c->cells[1] * CELL, c->cells[2] * CELL}, none = {0.0, 0.0, 0.0};
  const double q = sqrt(0.5);
  add_wall(world, none, (CpsQuat){1.0, 0.0, 0.0, 0.0}, 0.5);
  add_wall(world, none, (CpsQuat){q, 0.0, q, 0.0}, 0.0);
  add_wall(world, none, (CpsQuat){q, -q, 0.0, 0.0}, 0.0);
  if (c->box) {
    add_wall(world, size, (CpsQuat){q, 0.0, -q, 0.0}, 0.0);
    add_wall(world, size, (CpsQuat){q, q, 0.0, 0.0}, 0.0);
  }
  CpsGridDef grid = cps_grid_def_default();
  grid.cell = CELL;
  must(cps_world_set_grid(world, &grid, &error), &error);
  CpsGrainsDef sand = cps_grains_def_default();
  sand.upper = size;
  must(cps_world_add_grains(world, &sand, &error), &error);
  if (!(c->ball > 0.0)) return world;
  CpsBodyId id;
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(c->ball * CELL);
  ball.density = 2500.0;
  ball.mu = 0.5;
  ball.position = (CpsVec3){0.5 * size.x, 0.5 * size.y, size.z + c->ball * CELL};
  ball.velocity = (CpsVec3){0.0, 0.0, -2.0};
  must(cps_world_add_body(world, &ball, &id, &error), &error);
  return world;
}

static void print_step(FILE* out, const Case* c, CpsWorld* world, int threads) {
  CpsError error = {{0}};
  CpsStepInfo info = {0};
  double cpu = 0.0, wall = 0.0, moving = 0.0, ready = 0.0, solving = 0.0;
  int64_t iterations = 0;
  int unsolved = 0;
  for (int k = 0; k < STEPS; ++k) {
    const double cpu_before = cps_clock_cpu(), before = cps_clock_wall();
    must(cps_world_step(world, &info, &error), &error);
    unsolved += info.unsolved;
    if (k < WARM_UP) continue;
    const double share = 1.0 / (STEPS - WARM_UP);
    cpu += share * (cps_clock_cpu() - cpu_before);
    wall += share * (cps_clock_wall() - before);
    moving += share * (info.seconds_predict + info.seconds_advance);
    ready += share * (info.seconds_detect + info.seconds_assemble);
    solving += share * info.seconds_solve;
    iterations += info.iterations;
  }
  const CpsGrainsInfo grains = cps_world_grains_info(world);
  fprintf(out, "| %s | %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %d | %d |", c->name, (int)grains.cell_count,
          (int)grains.particle_count, cpu, wall, moving, ready, solving, (int)(iterations / (STEPS - WARM_UP)),
          unsolved);
  if (c->sand6 > 0.0) fprintf(out, " %.1f |", c->sand6 / (cpu / threads));
  fprintf(out, "%s %.2f |\n", c->sand6 > 0.0 ? "" : " |", 1e-3 * (double)grains.bytes / grains.particle_count);
  fflush(out);
}

// What a sweep reads of the rows: three numbers of a tensor, 3 d of others, an index a term, and r and b.
static int64_t sweep_bytes(const CpsProblem* p) {
  const CpsSparsePart* s = p->sparse;
  int64_t bytes = 2 * p->row_count * (int64_t)sizeof(double);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int64_t terms = s->node_start[i + 1] - s->node_start[i], d = cps_contact_dim(p, i);
    bytes += terms * (4 + 24 * (d == 6 ? 1 : d));  // an index, and rows of three doubles
  }
  return bytes;
}

static double copy_time(int64_t bytes) {
  char *from = malloc((size_t)bytes), *to = malloc((size_t)bytes);
  if (!from || !to) exit(1);
  memset(from, 1, (size_t)bytes);
  memset(to, 2, (size_t)bytes);
  double best = INFINITY;
  for (int k = 0; k < 5; ++k) {
    const double before = cps_clock_cpu();
    memcpy(to, from, (size_t)bytes);
    best = fmin(best, cps_clock_cpu() - before);
    from[k] = to[bytes - 1];
  }
  free(from);
  free(to);
  return best;
}

static double solve_time(const CpsProblem* p, int sweeps, double* r) {
  CpsSolveOptions options = cps_solve_options_default();
  CpsError error = {{0}};
  options.method = CPS_METHOD_GS;
  options.tolerance = 1e-14;
  options.max_iterations = sweeps;
  memset(r, 0, (size_t)p->row_count * sizeof *r);
  const double before = cps_clock_cpu();
  must(cps_problem_solve(p, &options, r, NULL, &error), &error);
  return cps_clock_cpu() - before;
}

// The time of a sweep is that of many less that of few: packing and the report are in both.
static void print_sweep(FILE* out, const Case* c, CpsWorld* world) {
  CpsError error = {{0}};
  CpsProblem* problem = NULL;
  must(cps_world_problem(world, &problem, NULL, &error), &error);
  double* r = malloc((size_t)problem->row_count * sizeof *r);
  if (!r || !problem->sparse) exit(1);
  const int few = 10;
  const double sweep = (solve_time(problem, few + SWEEPS, r) - solve_time(problem, few, r)) / SWEEPS;
  const int64_t bytes = sweep_bytes(problem);
  const double copy = copy_time(bytes);
  fprintf(out, "| %s | %d | %.2f | %.2f | %.2f | %.1f | %.2f |\n", c->name, (int)problem->contact_count, 1e3 * sweep,
          1e-6 * problem->contact_count / sweep, 1e3 * copy, sweep / copy,
          1e-3 * (double)bytes / problem->contact_count);
  fflush(out);
  free(r);
  cps_problem_destroy(problem);
}

int main(int argc, char** argv) {
  cps_bench_single_thread(argv);
  FILE* out = stdout;
  int threads = 2;
  double tolerance = 1e-3;
  bool quick = false, film = false;
  for (int k = 1; k < argc; ++k) {
    if (strcmp(argv[k], "--quick") == 0) quick = true;
    if (strcmp(argv[k], "--film") == 0) film = true;
    if (strcmp(argv[k], "--tolerance") == 0 && k + 1 < argc) tolerance = strtod(argv[++k], NULL);
    if (strcmp(argv[k], "--threads") == 0 && k + 1 < argc) threads = (int)strtol(argv[++k], NULL, 10);
    if (strcmp(argv[k], "--out") == 0 && k + 1 < argc) out = cps_bench_open(argv[++k], "grains.md");
  }
  if (!out || threads < 1 || !(tolerance > 0.0)) return 1;
  const int count = quick || film ? 1 : (int)(sizeof CASES / sizeof *CASES);
  CpsWorld* world[sizeof CASES / sizeof *CASES];
  fprintf(out, "Residual %.0e, step %.2g ms, %d threads; seconds per step.\n\n", tolerance,
          1e3 * (film ? FILM_STEP : STEP), threads);
  fprintf(out,
          "| scene | cells | particles | CPU | wall clock | transfers | rows | solving | sweeps | unsolved | sand6 / "
          "(CPU / threads) | kB per particle |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int k = 0; k < count; ++k) {
    const Case* c = film ? &FILM : &CASES[k];
    world[k] = make(c, threads, tolerance);
    print_step(out, c, world[k], threads);
  }
  fprintf(out,
          "\n| scene | blocks | sweep, ms | million blocks/s/core | copy of its data, ms | ratio | kB per block |\n"
          "|---|---:|---:|---:|---:|---:|---:|\n");
  for (int k = 0; k < count; ++k) {
    print_sweep(out, film ? &FILM : &CASES[k], world[k]);
    cps_world_destroy(world[k]);
  }
  if (out != stdout) fclose(out);
  return 0;
}
