// What an inversion costs.
//
//   one        processor time for each element, and for each element with the judgement of stability, of single fibres of growing size
//   many       1 900 discrete rods of 100 vertices alone
//   squares    beside us, generic least squares: natural strains for which the rod at rest is as near to the drawing as it can be,
//              by Gauss-Newton with derivatives by differences, each of which is a rod brought to rest
//   contacts   a real groom of 1 920 strands with some 20 000 contacts: finding them, their forces, natural strains
//   relax      beside us, the loop that needs nothing but a simulator: let the fibre sag, add what it sagged by to its natural
//              strains, and again, until it hangs as it was drawn
//
// Each time is the shortest of several, in processor time. Writes bench/results/inverse.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
#include "capstan/scene.h"
#include "core/clock.h"

static const double LENGTH = 0.3;

static void stop(const char* what, const CpsError* error) {
  fprintf(stderr, "%s: %s\n", what, error->text);
  exit(1);
}

// A wavy strand, turned by an angle so that no two are alike.
static CpsFibreId add(CpsWorld* world, CpsRodModel model, int32_t elements, double angle) {
  CpsVec3 wave[33];
  for (int i = 0; i < 33; ++i) wave[i] = (CpsVec3){2.0, 10.0 * cos(0.6 * i + angle), 10.0 * sin(0.6 * i)};
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = elements;
  def.length = LENGTH;
  def.radius = 3e-4;
  def.young = 4e9;
  def.curvature = wave;
  def.curvature_count = 33;
  def.natural_as_placed = true;
  def.root.kind = CPS_END_CLAMPED;
  def.root_pose = (CpsPose){{0.0, 0.0, 0.0}, {cos(angle), 0.0, sin(angle), 0.0}};
  def.contact_radius = 0.0;
  def.damping = 0.05;
  CpsFibreId id;
  CpsError error;
  if (cps_world_add_fibre(world, &def, &id, &error) != CPS_OK) stop("fibre", &error);
  return id;
}

static CpsWorld* make_world(double h) {
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  CpsError error;
  def.step = h;
  def.threads = 1;
  if (cps_world_create(&def, &world, &error) != CPS_OK) stop("world", &error);
  return world;
}

// Shortest processor time of an inversion of `count` fibres, s.
static double measure(CpsRodModel model, int32_t elements, int32_t count, bool stability) {
  CpsWorld* world = make_world(1e-3);
  CpsInvertOptions options = cps_invert_options_default();
  CpsError error;
  double best = INFINITY;
  options.stability = stability;
  for (int32_t i = 0; i < count; ++i) add(world, model, elements, 0.01 * i);
  for (int k = 0; k < 5; ++k) {
    const double begin = cps_clock_cpu();
    if (cps_world_invert(world, &options, NULL, &error) != CPS_OK) stop("invert", &error);
    best = fmin(best, cps_clock_cpu() - begin);
  }
  cps_world_destroy(world);
  return best;
}

static double distance(const CpsVec3* a, const CpsVec3* b, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z));
  return most;
}

// The loop beside us: processor time until the fibre hangs within `tolerance` of its length, and how many rounds it took.
static double relax(CpsRodModel model, int32_t elements, double tolerance, int* rounds, double* left) {
  enum { PLACES = 21, MOST = 40, STEPS = 200 };
  CpsWorld* world = make_world(0.01);
  CpsFibreId id = add(world, model, elements, 0.3);
  CpsNaturalCounts counts;
  CpsVec3 drawn[PLACES], now[PLACES];
  cps_world_fibre_natural_counts(world, id, &counts);
  const size_t size = cps_world_state_size(world), n = (size_t)counts.strains;
  CpsVec3 *goal = malloc(n * sizeof *goal), *natural = malloc(n * sizeof *natural);
  void* start = malloc(size);
  CpsError error;
  cps_world_fibre_natural(world, id, goal, NULL);  // as placed: the strains that were drawn
  memcpy(natural, goal, n * sizeof *goal);
  cps_world_fibre_points(world, id, PLACES, drawn);
  cps_world_save(world, start, size, &error);
  const double begin = cps_clock_cpu();
  for (*rounds = 0, *left = INFINITY; *rounds<MOST&& * left> tolerance * LENGTH; ++*rounds) {
    cps_world_load(world, start, size, &error);
    cps_world_set_fibre_natural(world, id, natural, NULL, &error);
    for (int k = 0; k < STEPS; ++k) cps_world_step(world, NULL, &error);
    cps_world_fibre_points(world, id, PLACES, now);
    *left = distance(drawn, now, PLACES);
    for (size_t i = 0; i < n; ++i) {
      // curvatures of super-helices: that of the middle of the element is that of the element
      CpsFibrePoint p;
      cps_world_fibre_at(world, id, LENGTH * ((double)i + 0.5) / (double)n, &p);
      natural[i].x += goal[i].x - p.curvature.x;
      natural[i].y += goal[i].y - p.curvature.y;
      natural[i].z += goal[i].z - p.curvature.z;
    }
  }
  const double seconds = cps_clock_cpu() - begin;
  free(goal);
  free(natural);
  free(start);
  cps_world_destroy(world);
  return seconds;
}

// Solves the n x n normal equations in place, by elimination; x is in b afterwards.
static void solve_normal(int n, double* A, double* b) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
    for (int j = 0; j < n; ++j) {
      const double kept = A[k * n + j];
      A[k * n + j] = A[pivot * n + j];
      A[pivot * n + j] = kept;
    }
    const double kept = b[k];
    b[k] = b[pivot];
    b[pivot] = kept;
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

enum { SEEN = 41, STRAINS = 20 };

// The rod at rest with natural strains n, from where it was drawn.
static void rest_with(CpsWorld* world, CpsFibreId id, const void* start, size_t size, const CpsVec3* n,
                      CpsVec3* points) {
  CpsError error;
  cps_world_load(world, start, size, &error);
  cps_world_set_fibre_natural(world, id, n, NULL, &error);
  cps_world_settle_fibre(world, id, NULL, &error);
  cps_world_fibre_points(world, id, SEEN, points);
}

// Processor time of least squares until the rod is within `tolerance` of the drawing, and how many rounds it took.
static double squares(double tolerance, int* rounds, double* left) {
  enum { N = 3 * STRAINS, M = 3 * SEEN, MOST = 6 };
  static double J[M][N], A[N * N], b[N];
  CpsWorld* world = make_world(0.01);
  CpsFibreId id = add(world, CPS_ROD_SUPER_HELIX_RECURSIVE, STRAINS, 0.3);
  CpsVec3 drawn[SEEN], now[SEEN], moved[SEEN], n[STRAINS];
  const size_t size = cps_world_state_size(world);
  void* start = malloc(size);
  CpsError error;
  cps_world_save(world, start, size, &error);
  cps_world_fibre_points(world, id, SEEN, drawn);
  cps_world_fibre_natural(world, id, n, NULL);
  const double begin = cps_clock_cpu(), step = 1e-4;
  for (*rounds = 0;; ++*rounds) {
    rest_with(world, id, start, size, n, now);
    *left = distance(drawn, now, SEEN);
    if (!(*left > tolerance * LENGTH) || *rounds == MOST) break;
    for (int k = 0; k < N; ++k) {
      (&n[k / 3].x)[k % 3] += step;
      rest_with(world, id, start, size, n, moved);
      (&n[k / 3].x)[k % 3] -= step;
      for (int i = 0; i < M; ++i) J[i][k] = ((&moved[i / 3].x)[i % 3] - (&now[i / 3].x)[i % 3]) / step;
    }
    double trace = 0.0;
    for (int k = 0; k < N; ++k) {
      b[k] = 0.0;
      for (int i = 0; i < M; ++i) b[k] += J[i][k] * ((&drawn[i / 3].x)[i % 3] - (&now[i / 3].x)[i % 3]);
      for (int l = 0; l < N; ++l) {
        A[k * N + l] = 0.0;
        for (int i = 0; i < M; ++i) A[k * N + l] += J[i][k] * J[i][l];
      }
      trace += A[k * N + k];
    }
    for (int k = 0; k < N; ++k) A[k * N + k] += 1e-12 * trace;
    solve_normal(N, A, b);
    for (int k = 0; k < N; ++k) (&n[k / 3].x)[k % 3] += b[k];
  }
  const double seconds = cps_clock_cpu() - begin;
  free(start);
  cps_world_destroy(world);
  return seconds;
}

// A real groom whose strands touch, inverted at once.
static void write_contacts(FILE* out) {
  const char* file = SHARED_DATA "/hair/yuksel_straight.hair";
  char text[600];
  snprintf(text, sizeof text,
           "contact: {mu: 0.3}\nstart: keep\nfibres: {hair: {hair: {file: %s, count: 1920, scale: 0.005, fit: "
           "tangents}, radius: 40 um, "
           "contact_radius: 0.35 mm, natural: as-placed, root: clamped}}\n",
           file);
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_parse(text, strlen(text), "groom.yaml", NULL, 0, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(out, "\nThe groom with contacts is not here: %s\n", error.text);
    cps_scene_destroy(scene);
    return;
  }
  fprintf(out,
          "\nA groom of 1 920 strands, one thread, everything included but the judgement of stability:\n\n"
          "| forces to | contacts | carry | bending left | sweeps | residual | s |\n|---|---|---|---|---|---|---|\n");
  for (double tolerance = 1e-2; tolerance > 1e-5; tolerance *= 0.1) {
    CpsInvertOptions options = cps_invert_options_default();
    CpsInvertInfo info = {0};
    options.stability = false;
    options.tolerance = tolerance;
    const double begin = cps_clock_cpu();
    if (cps_world_invert(world, &options, &info, &error) != CPS_OK) stop("groom", &error);
    fprintf(out, "| %.0e | %d | %d | %.3f | %lld | %.1e | %.2f |\n", tolerance, (int)info.contact_count,
            (int)info.carrying_count, info.bending_left, (long long)info.sweeps, info.residual,
            cps_clock_cpu() - begin);
  }
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

static void write_one(FILE* out) {
  const CpsRodModel models[3] = {CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_DER};
  fprintf(
      out,
      "| elements | us an element: super-helix | super-clothoid | discrete elastic rod | with stability: super-helix | "
      "super-clothoid | discrete elastic rod |\n|---|---|---|---|---|---|---|\n");
  for (int32_t n = 5; n <= 320; n *= 4) {
    fprintf(out, "| %d ", (int)n);
    for (int stability = 0; stability < 2; ++stability) {
      for (int m = 0; m < 3; ++m) {
        const int32_t count = stability ? 4 : 2000 / n + 1;
        if (stability && n > 80 && m < 2) {
          fprintf(out, "| - ");
          continue;
        }
        fprintf(out, "| %.2f ", 1e6 * measure(models[m], n, count, stability) / count / n);
      }
    }
    fprintf(out, "|\n");
  }
}

static void write_all(FILE* out) {
  fprintf(out, "Processor time of an inversion, one thread.\n\n");
  write_one(out);
  const double many = measure(CPS_ROD_DER, 100, 1900, false);
  fprintf(
      out,
      "\n1 900 discrete elastic rods of 100 segments: %.3f s (11.2 s is published for an optimisation of rest shapes, "
      "Takahashi and Batty 2024, on their machine).\n\n",
      many);
  const double ours = measure(CPS_ROD_SUPER_HELIX_RECURSIVE, 20, 100, false) / 100;
  int rounds;
  double left;
  const double theirs = relax(CPS_ROD_SUPER_HELIX_RECURSIVE, 20, 1e-4, &rounds, &left);
  fprintf(
      out,
      "One strand of 20 elements: %.1f us, exact; by letting it sag and correcting: %.0f ms in %d rounds, %.1e of the "
      "length left (%.0f times the time).\n",
      1e6 * ours, 1e3 * theirs, rounds, left / LENGTH, theirs / ours);
  const double generic = squares(1e-6, &rounds, &left);
  fprintf(out,
          "\nThe same by least squares on the positions, derivatives by differences: %.0f ms in %d rounds, %.1e of the "
          "length "
          "left (%.0f times the time).\n",
          1e3 * generic, rounds, left / LENGTH, generic / ours);
  write_contacts(out);
}

int main(int argc, char** argv) {
  const char* folder = "bench/results";
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--out") == 0) folder = argv[i + 1];
  }
  char path[1024];
  snprintf(path, sizeof path, "%s/inverse.md", folder);
  FILE* out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "%s cannot be written\n", path);
    return 1;
  }
  write_all(out);
  return fclose(out) == 0 ? 0 : 1;
}
