// Time to find the self-contact of a sheet: refit, pairs of features, nearest points, impacts.
//
//   flat      a square sheet at rest: all that the tree meets are neighbours
//   rolled    five turns about an axis, one thickness between the layers
//   crumpled  waves of all lengths in all directions, folded upon itself many times
//
// Layers are about a thickness apart, a tenth of an edge; each vertex moves by a tenth of a thickness in the step. Each
// figure is the shortest of several runs: seconds on the clock for one and for two threads, and processor time of one
// thread, on which other programs of the machine do not count.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/random.h"
#include "geometry/ccd.h"
#include "geometry/triangle_tree.h"

static const double pi = 3.14159265358979323846;

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
    // a spiral r = c angle whose turns are 1.5 thicknesses apart; the arc is about c angle² / 2
    const double c = 1.5 * thickness / (2.0 * pi), inner = 10.0 * pi, angle = sqrt(inner * inner + 2.0 * x / c);
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

typedef struct Narrow {
  const Sheet* sheet;
  const CpsTrianglePairs* pairs;
  int64_t contacts[64], impacts[64];  // per thread
} Narrow;

// The four points of a pair at the start or at the end.
static bool gather(const Sheet* sheet, const CpsTrianglePairs* pairs, int64_t i, const CpsVec3* x, CpsVec3 out[4]) {
  const bool edges = i >= pairs->vertex_triangle.count;
  if (edges) {
    const CpsFeaturePair pair = pairs->edge_edge.pair[i - pairs->vertex_triangle.count];
    const int32_t *e = sheet->tree->edge[pair.a], *f = sheet->tree->edge[pair.b];
    out[0] = x[e[0]], out[1] = x[e[1]], out[2] = x[f[0]], out[3] = x[f[1]];
  } else {
    const CpsFeaturePair pair = pairs->vertex_triangle.pair[i];
    const int32_t* v = sheet->triangles + 3 * (size_t)pair.b;
    out[0] = x[pair.a], out[1] = x[v[0]], out[2] = x[v[1]], out[3] = x[v[2]];
  }
  return edges;
}

static void measure_distances(void* data, int64_t first, int64_t last, int worker) {
  Narrow* narrow = data;
  int64_t contacts = 0;
  for (int64_t i = first; i < last; ++i) {
    CpsVec3 x[4];
    const bool edges = gather(narrow->sheet, narrow->pairs, i, narrow->sheet->start, x);
    const CpsClosest c = edges ? cps_closest_edge_edge(x, x + 2) : cps_closest_vertex_triangle(x[0], x + 1);
    contacts += c.distance <= 2.0 * narrow->sheet->thickness;
  }
  narrow->contacts[worker] = contacts;
}

static void measure_impacts(void* data, int64_t first, int64_t last, int worker) {
  Narrow* narrow = data;
  const double thickness = narrow->sheet->thickness;
  int64_t impacts = 0;
  for (int64_t i = first; i < last; ++i) {
    CpsVec3 x[4], y[4];
    CpsImpact impact;
    const bool edges = gather(narrow->sheet, narrow->pairs, i, narrow->sheet->start, x);
    gather(narrow->sheet, narrow->pairs, i, narrow->sheet->end, y);
    impacts += (edges ? cps_ccd_edge_edge : cps_ccd_vertex_triangle)(x, y, 0.1 * thickness, 1e-3 * thickness, &impact);
  }
  narrow->impacts[worker] = impacts;
}

typedef struct Times {
  double refit, pairs, distances, impacts;  // s
} Times;

static void keep_shortest(double* time, double start, double (*clock)(void)) {
  *time = fmin(*time, clock() - start);
}

static Times run(const Sheet* sheet, int threads, int runs, double (*clock)(void), CpsTrianglePairs* found,
                 int64_t* contacts, int64_t* impacts, size_t* bytes) {
  Times times = {INFINITY, INFINITY, INFINITY, INFINITY};
  CpsPool* pool = cps_pool_create(threads);
  CpsArena arena = {0};
  for (int k = 0; k < runs; ++k) {
    Narrow narrow = {.sheet = sheet, .pairs = found};
    cps_arena_reset(&arena);
    double begin = clock();
    // contacts are looked for up to two thicknesses
    cps_triangle_tree_refit(sheet->tree, pool, sheet->start, sheet->end, sheet->thickness);
    keep_shortest(&times.refit, begin, clock);
    begin = clock();
    if (cps_triangle_tree_pairs(sheet->tree, sheet->tree, pool, &arena, found) != CPS_OK) exit(1);
    if (k > 0) keep_shortest(&times.pairs, begin, clock);  // the first one learns how much memory it needs
    const int64_t count = found->vertex_triangle.count + found->edge_edge.count;
    begin = clock();
    cps_pool_run(pool, count, measure_distances, &narrow);
    keep_shortest(&times.distances, begin, clock);
    begin = clock();
    cps_pool_run(pool, count, measure_impacts, &narrow);
    keep_shortest(&times.impacts, begin, clock);
    *contacts = *impacts = 0;
    for (int i = 0; i < 64; ++i) *contacts += narrow.contacts[i], *impacts += narrow.impacts[i];
  }
  *bytes = arena.peak;
  cps_arena_free(&arena);
  cps_pool_destroy(pool);
  return times;
}

static void print_row(FILE* out, Kind kind, int32_t n) {
  Sheet sheet = make_sheet(kind, n);
  CpsTrianglePairs pairs;
  int64_t contacts, impacts;
  size_t bytes;
  const Times cpu = run(&sheet, 1, 6, cps_clock_cpu, &pairs, &contacts, &impacts, &bytes);
  const int64_t count = pairs.vertex_triangle.count + pairs.edge_edge.count;
  const Times two = run(&sheet, 2, 12, cps_clock_wall, &pairs, &contacts, &impacts, &bytes);
  fprintf(out, "| %s | %d | %lld | %lld | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f |\n", NAMES[kind],
          (int)sheet.triangle_count, (long long)count, (long long)contacts, 1e3 * cpu.refit, 1e3 * cpu.pairs,
          1e3 * cpu.distances, 1e3 * cpu.impacts, 1e3 * (cpu.refit + cpu.pairs + cpu.distances),
          1e3 * (two.refit + two.pairs + two.distances), (double)bytes / sheet.triangle_count);
  free_sheet(&sheet);
}

static void print_table(FILE* out) {
  fprintf(out,
          "| sheet | triangles | pairs of boxes | contacts | refit, ms | pairs, ms | distances, ms | impacts, ms | "
          "found, one "
          "thread, ms | found, two threads, ms (clock) | bytes a triangle |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n");
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
