// What an inversion costs.
//
//   one        processor time for each element, and for each element with the judgement of stability, of single fibres of growing size
//   many       1 900 discrete rods of 100 vertices alone
//   relax      beside us, the loop that needs nothing but a simulator: let the fibre sag, add what it sagged by to its natural
//              strains, and again, until it hangs as it was drawn
//
// Each time is the shortest of several, in processor time. Writes bench/results/inverse.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
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
