// Time to find the self-contact of a sheet, as a step does it: its contacts (refit, vertices near triangles, nearest points), and
// what met on the way (refit, vertices and edges, continuous collision detection).
//
//   flat      a square sheet at rest: all that the tree meets are neighbours
//   rolled    many turns about an axis; the layers lie on each other, every vertex in touch on both sides
//   crumpled  waves of all lengths in all directions, folded upon itself many times
//
// A thickness is a tenth of an edge; each vertex moves by a tenth of a thickness in the step. Each figure is the shortest of several
// runs: processor time of one thread, on which other programs of the machine do not count, and seconds on the clock for two.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/surfaces.h"
#include "core/clock.h"
#include "core/random.h"
#include "geometry/triangle_tree.h"

static const double pi = 3.14159265358979323846;
static const double SKIN = 0.05, CLOSE = 0.25;  // of the thickness, as in src/world/surfaces.c and impacts.c

typedef enum Kind { FLAT, ROLLED, CRUMPLED, KINDS } Kind;
static const char* const NAMES[KINDS] = {"flat", "rolled", "crumpled"};

typedef struct Sheet {
  int32_t n, vertex_count, triangle_count;
  double thickness;
  CpsVec3 *rest, *start, *end;
  int32_t* triangles;
  CpsTriangleTree* tree;
} Sheet;

static void* take(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (!memory) exit(1);
  return memory;
}

static CpsVec3 place(Kind kind, double x, double y, double thickness) {
  if (kind == FLAT) return cps_vec3(x, y, 0.0);
  if (kind == ROLLED) {
    // a spiral r = c angle whose turns are 1.02 thicknesses apart; the arc is about c angle² / 2
    const double c = 1.02 * thickness / (2.0 * pi), inner = 10.0 * pi, angle = sqrt(inner * inner + 2.0 * x / c);
    return cps_vec3(c * angle * cos(angle), y, c * angle * sin(angle));
  }
  CpsVec3 p = {x, y, 0.0};
  for (int k = 1; k <= 5; ++k) {
    const double f = pow(2.0, k), a = 0.6 / f;
    const CpsVec3 q = p;
    p.x += a * sin(f * pi * q.y + k + 3.0 * q.z);
    p.y += a * sin(f * pi * q.z + 2 * k + 3.0 * q.x);
    p.z += a * sin(f * pi * q.x + 3 * k + 3.0 * q.y);
  }
  return cps_vec3_scale(0.2, p);
}

static Sheet make_sheet(Kind kind, int32_t n) {
  Sheet sheet = {.n = n, .vertex_count = (n + 1) * (n + 1), .triangle_count = 2 * n * n, .thickness = 0.1 / n};
  sheet.rest = take((size_t)sheet.vertex_count, sizeof *sheet.rest);
  sheet.start = take((size_t)sheet.vertex_count, sizeof *sheet.start);
  sheet.end = take((size_t)sheet.vertex_count, sizeof *sheet.end);
  sheet.triangles = take(3 * (size_t)sheet.triangle_count, sizeof *sheet.triangles);
  if (kind == CRUMPLED) sheet.thickness *= 0.2;
  CpsRandom random = cps_random_seed(1);
  for (int32_t i = 0; i < sheet.vertex_count; ++i) {
    const double x = (double)(i % (n + 1)) / n, y = (double)(i / (n + 1)) / n;
    const double u[3] = {cps_random_uniform(&random), cps_random_uniform(&random), cps_random_uniform(&random)};
    sheet.rest[i] = cps_vec3(x, y, 0.0);
    sheet.start[i] = place(kind, x, y, sheet.thickness);
    sheet.end[i] = cps_vec3_axpy(sheet.start[i], 0.1 * sheet.thickness, cps_vec3(u[0] - 0.5, u[1] - 0.5, u[2] - 0.5));
  }
  int32_t* t = sheet.triangles;
  for (int32_t j = 0; j < n; ++j) {
    for (int32_t i = 0; i < n; ++i, t += 6) {
      const int32_t v = j * (n + 1) + i, w = v + n + 1;
      const int32_t corner[6] = {v, v + 1, w + 1, v, w + 1, w};
      memcpy(t, corner, sizeof corner);
    }
  }
  if (cps_triangle_tree_create(sheet.rest, sheet.vertex_count, sheet.triangles, sheet.triangle_count, &sheet.tree) !=
      CPS_OK) {
    exit(1);
  }
  return sheet;
}

static void free_sheet(Sheet* sheet) {
  cps_triangle_tree_destroy(sheet->tree);
  free(sheet->rest);
  free(sheet->start);
  free(sheet->end);
  free(sheet->triangles);
}

typedef struct Times {
  double contacts, impacts;  // s
} Times;

typedef struct Found {
  int64_t contacts, impacts;
  size_t bytes;
} Found;

// What a step does: its contacts before it is solved, and afterwards what met on the way.
static Times run(const Sheet* sheet, int threads, int runs, double (*clock)(void), Found* found) {
  Times times = {INFINITY, INFINITY};
  CpsPool* pool = cps_pool_create(threads);
  CpsArena arena = {0};
  const CpsSurfaceMesh mesh = {
      .tree = sheet->tree, .start = sheet->start, .end = sheet->end, .half = 0.5 * sheet->thickness, .itself = true};
  for (int k = 0; k < runs; ++k) {
    CpsSurfaceTouches contacts, impacts;
    cps_arena_reset(&arena);
    double begin = clock();
    if (!cps_surfaces_near(&mesh, 1, SKIN * sheet->thickness, pool, &arena, &contacts)) exit(1);
    if (k > 0) times.contacts = fmin(times.contacts, clock() - begin);  // the first one learns how much memory it needs
    begin = clock();
    if (!cps_surfaces_met(&mesh, 1, CLOSE, pool, &arena, &impacts)) exit(1);
    if (k > 0) times.impacts = fmin(times.impacts, clock() - begin);
    *found = (Found){contacts.count, impacts.count, arena.peak};
  }
  cps_arena_free(&arena);
  cps_pool_destroy(pool);
  return times;
}

static void print_row(FILE* out, Kind kind, int32_t n) {
  Sheet sheet = make_sheet(kind, n);
  Found found;
  const Times cpu = run(&sheet, 1, 6, cps_clock_cpu, &found), two = run(&sheet, 2, 6, cps_clock_wall, &found);
  fprintf(out, "| %s | %d | %lld | %lld | %.1f | %.1f | %.1f | %.1f | %.0f |\n", NAMES[kind], (int)sheet.triangle_count,
          (long long)found.contacts, (long long)found.impacts, 1e3 * cpu.contacts, 1e3 * cpu.impacts,
          1e3 * (cpu.contacts + cpu.impacts), 1e3 * (two.contacts + two.impacts),
          (double)found.bytes / sheet.triangle_count);
  fflush(out);
  free_sheet(&sheet);
}

static void print_table(FILE* out) {
  fprintf(out,
          "| sheet | triangles | contacts | impacts | contacts, ms | impacts, ms | both, one thread, ms | both, two "
          "threads, ms "
          "(clock) | bytes per triangle |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (Kind kind = FLAT; kind < KINDS; ++kind) {
    print_row(out, kind, 71);
    print_row(out, kind, 142);
  }
}

// usage: bench-deform-contact [--out DIRECTORY]
int main(int argc, char** argv) {
  print_table(stdout);
  if (argc < 3 || strcmp(argv[1], "--out") != 0) return 0;
  char path[1000];
  snprintf(path, sizeof path, "%s/deform-contact.md", argv[2]);
  FILE* file = fopen(path, "w");
  if (!file) return 1;
  print_table(file);
  return fclose(file) == 0 ? 0 : 1;
}
