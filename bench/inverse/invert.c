// What an inversion costs.
//
//   one        processor time for each element, and for each element with the judgement of stability, of single fibres of growing size
//   many       1 900 discrete rods of 100 vertices alone
//   squares    beside us, generic least squares: natural strains for which the rod at rest is as near to the drawing as it can be,
//              by Gauss-Newton with derivatives by differences, each of which is a rod brought to rest
//   contacts   a real groom of 1 920 strands with some 20 000 contacts: finding them, their forces, natural strains
//   siconos    beside us, its solvers of second-order cone problems on the problems of the forces of two grooms
//   relax      beside us, the loop that needs only a simulator: let the fibre sag, add what it sagged by to its natural
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
#include "friction/measure.h"
#ifdef CAPSTAN_SICONOS
#include "friction/peers_siconos.h"
#endif

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

// A rod whose natural strains are looked for by trial.
typedef struct Tried {
  CpsWorld* world;
  CpsFibreId id;
  void* start;  // where it is brought to rest from
  size_t size;
} Tried;

// The rod at rest with natural strains n; the next one begins there if it is to be `kept`.
static void rest_with(const Tried* t, const CpsVec3* n, bool kept, CpsVec3* points) {
  CpsError error;
  cps_world_load(t->world, t->start, t->size, &error);
  cps_world_set_fibre_natural(t->world, t->id, n, NULL, &error);
  cps_world_settle_fibre(t->world, t->id, NULL, &error);
  cps_world_fibre_points(t->world, t->id, SEEN, points);
  if (kept) cps_world_save(t->world, t->start, t->size, &error);
}

enum { N = 3 * STRAINS, M = 3 * SEEN };

// J^T J and J^T (drawn - now), J by differences.
static void linearise(const Tried* t, CpsVec3* n, const CpsVec3* now, const CpsVec3* drawn, double* A, double* b) {
  static double J[M][N];
  const double step = 1e-4;
  CpsVec3 moved[SEEN];
  for (int k = 0; k < N; ++k) {
    (&n[k / 3].x)[k % 3] += step;
    rest_with(t, n, false, moved);
    (&n[k / 3].x)[k % 3] -= step;
    for (int i = 0; i < M; ++i) J[i][k] = ((&moved[i / 3].x)[i % 3] - (&now[i / 3].x)[i % 3]) / step;
  }
  for (int k = 0; k < N; ++k) {
    b[k] = 0.0;
    for (int i = 0; i < M; ++i) b[k] += J[i][k] * ((&drawn[i / 3].x)[i % 3] - (&now[i / 3].x)[i % 3]);
    for (int l = 0; l < N; ++l) {
      A[k * N + l] = 0.0;
      for (int i = 0; i < M; ++i) A[k * N + l] += J[i][k] * J[i][l];
    }
  }
}

// Processor time of least squares (Levenberg-Marquardt) until the rod is within `tolerance` of the drawing, and its rounds.
static double squares(double tolerance, int* rounds, double* left) {
  enum { MOST = 40 };
  static double A[N * N], C[N * N], b[N], d[N];
  Tried t = {.world = make_world(0.01)};
  t.id = add(t.world, CPS_ROD_SUPER_HELIX_RECURSIVE, STRAINS, 0.3);
  t.size = cps_world_state_size(t.world);
  t.start = malloc(t.size);
  CpsVec3 drawn[SEEN], now[SEEN], next[SEEN], n[STRAINS], m[STRAINS];
  CpsError error;
  cps_world_save(t.world, t.start, t.size, &error);
  cps_world_fibre_points(t.world, t.id, SEEN, drawn);
  cps_world_fibre_natural(t.world, t.id, n, NULL);
  const double begin = cps_clock_cpu();
  double damping = 1e-3;
  rest_with(&t, n, true, now);
  *left = distance(drawn, now, SEEN);
  for (*rounds = 0; *left > tolerance * LENGTH && *rounds < MOST; ++*rounds) {
    linearise(&t, n, now, drawn, A, b);
    for (int tries = 0; tries < 10; ++tries) {
      memcpy(C, A, sizeof C);
      memcpy(d, b, sizeof d);
      for (int k = 0; k < N; ++k) C[k * N + k] += damping * A[k * N + k];
      solve_normal(N, C, d);
      for (int k = 0; k < N; ++k) (&m[k / 3].x)[k % 3] = (&n[k / 3].x)[k % 3] + d[k];
      rest_with(&t, m, false, next);
      const double found = distance(drawn, next, SEEN);
      if (!(found < *left)) {
        damping *= 10.0;
        continue;
      }
      *left = found;
      memcpy(n, m, sizeof n);
      rest_with(&t, n, true, now);
      damping *= 0.2;
      break;
    }
  }
  const double seconds = cps_clock_cpu() - begin;
  free(t.start);
  cps_world_destroy(t.world);
  return seconds;
}

// A real groom whose strands touch; NULL: it is not here, and the table says so.
static CpsWorld* open_groom(FILE* out, const char* name, const char* placed, int count) {
  char text[800];
  snprintf(text, sizeof text,
           "contact: {mu: 0.3}\nstart: keep\nfibres: {hair: {hair: {file: " SHARED_DATA
           "/hair/%s, count: %d, %s, fit: tangents}, radius: 40 um, "
           "contact_radius: 0.35 mm, natural: as-placed, root: clamped}}\n",
           name, count, placed);
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_parse(text, strlen(text), "groom.yaml", NULL, 0, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(out, "\nThe groom %s was skipped: %s\n", name, error.text);
  }
  cps_scene_destroy(scene);
  return world;
}

static const char* const YUKSEL[3] = {"yuksel_straight.hair", "scale: 0.005", "Yuksel"};
#ifdef CAPSTAN_SICONOS
static const char* const MAN[3] = {"creamystrand_man_hair_init_700.ply", "scale: 0.01, up: y", "Creamystrand"};
#endif

static void write_contacts(FILE* out) {
  CpsWorld* world = open_groom(out, YUKSEL[0], YUKSEL[1], 1920);
  CpsError error;
  if (!world) return;
  fprintf(
      out,
      "\nA groom of 1 920 strands, one thread, all costs included; with stability, contacts that make a strand "
      "unstable "
      "are removed and the forces computed again:\n\n"
      "| tolerance of forces | stability | contacts | carrying | bending left | sweeps | Newton steps | residual | s "
      "|\n|---|---|---|---|---|---|---|---|"
      "---|\n");
  for (int k = 0; k < 6; ++k) {
    static const double TOLERANCES[3] = {1e-2, 1e-3, 1e-6};
    CpsInvertOptions options = cps_invert_options_default();
    CpsInvertInfo info = {0};
    options.stability = k >= 3;
    options.tolerance = TOLERANCES[k % 3];
    const double begin = cps_clock_cpu();
    if (cps_world_invert(world, &options, &info, &error) != CPS_OK) stop("groom", &error);
    fprintf(out, "| %.0e | %s | %d | %d | %.3f | %lld | %lld | %.1e | %.2f |\n", options.tolerance,
            options.stability ? "yes" : "no", (int)info.contact_count, (int)info.carrying_count, info.bending_left,
            (long long)info.sweeps, (long long)info.steps, info.residual, cps_clock_cpu() - begin);
  }
  cps_world_destroy(world);
}

#ifdef CAPSTAN_SICONOS
static const CpsBenchLimits LIMITS = {.seconds = 10.0, .bytes = (int64_t)8 << 30, .runs = 1};

static void put(FILE* out, const CpsBenchResult* result) {
  if (result->outcome == CPS_BENCH_SOLVED) {
    fprintf(out, "| %.3g ", result->seconds);
  } else {
    fprintf(out, "| %s ", result->outcome == CPS_BENCH_TIME ? "> cap" : cps_bench_outcome_name(result->outcome));
  }
}

// The problem of the forces of a groom, saved or not: ours and Siconos' solvers until the same residual.
static void write_peers_of(FILE* out, const char* const groom[3], int strands, double tolerance) {
  CpsWorld* world = open_groom(out, groom[0], groom[1], strands);
  CpsProblem* problem = NULL;
  CpsError error;
  if (!world) return;
  if (cps_world_invert_problem(world, NULL, &problem, &error) != CPS_OK) stop("problem", &error);
  const int32_t contacts = cps_problem_contact_count(problem);
  const CpsBenchCapstan own = {problem, contacts >= 2000 ? "gs-parallel" : "auto", LIMITS.seconds};
  const CpsBenchSolver solver = {"ours", cps_bench_run_capstan, &own, true};
  const CpsBenchResult ours = cps_bench_measure(problem, &solver, tolerance, &LIMITS);
  double best = INFINITY;
  fprintf(out, "| %s | %d | %d | %.0e ", groom[2], strands, (int)contacts, tolerance);
  put(out, &ours);
  const CpsSiconos* siconos = cps_siconos_new(problem);
  for (int config = CPS_SICONOS_CONES; cps_siconos_name(config); ++config) {
    const CpsBenchSiconos peer = {siconos, config};
    const CpsBenchSolver theirs = {cps_siconos_name(config), cps_bench_run_siconos, &peer, true};
    const CpsBenchResult result = cps_bench_measure(problem, &theirs, tolerance, &LIMITS);
    put(out, &result);
    if (result.outcome == CPS_BENCH_SOLVED) best = fmin(best, result.seconds);
  }
  const bool none = isinf(best);
  fprintf(out, "| %s%.1f |\n", none ? "> " : "", (none ? LIMITS.seconds : best) / ours.seconds);
  (void)fflush(out);
  cps_problem_destroy(problem);
  cps_world_destroy(world);
}
#endif

static void write_peers(FILE* out) {
#ifdef CAPSTAN_SICONOS
  fprintf(
      out,
      "\nContact forces alone, compared with the solvers of Siconos 4.4 for second-order cone problems: CPU "
      "time to the same "
      "residual, one thread, from zero forces, at most %.0f s. Siconos is given W ready-made, scaled so that its mean "
      "diagonal is 1; its own tolerance "
      "is lowered until our residual passes.\n\n| groom | strands | contacts | tolerance | Capstan, s ",
      LIMITS.seconds);
  for (int config = CPS_SICONOS_CONES; cps_siconos_name(config); ++config)
    fprintf(out, "| %s ", cps_siconos_name(config));
  fprintf(out, "| best of Siconos / Capstan |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (double tolerance = 1e-3; tolerance > 1e-7; tolerance *= 1e-3) {
    write_peers_of(out, YUKSEL, 300, tolerance);
    write_peers_of(out, MAN, 300, tolerance);
  }
  write_peers_of(out, YUKSEL, 1920, 1e-3);
#else
  fprintf(out, "\nSiconos is not installed: its solvers were not run.\n");
#endif
}

static void write_one(FILE* out) {
  const CpsRodModel models[3] = {CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_DER};
  fprintf(out,
          "| elements | µs per element: super-helix | super-clothoid | discrete elastic rod | with stability: "
          "super-helix | "
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
  fprintf(out, "CPU time of an inversion, one thread.\n\n");
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
  fprintf(out,
          "One strand of 20 elements: %.1f us, exact; by letting it sag and correcting the shape: %.0f ms in %d "
          "rounds, %.1e of the "
          "length left (%.0f times the time).\n",
          1e6 * ours, 1e3 * theirs, rounds, left / LENGTH, theirs / ours);
  const double generic = squares(1e-4, &rounds, &left);
  fprintf(out,
          "\nThe same by least squares on the positions, derivatives by differences: %.0f ms in %d rounds, %.1e of the "
          "length "
          "left (%.0f times the time).\n",
          1e3 * generic, rounds, left / LENGTH, generic / ours);
  write_contacts(out);
  write_peers(out);
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
    fprintf(stderr, "cannot write %s\n", path);
    return 1;
  }
  write_all(out);
  return fclose(out) == 0 ? 0 : 1;
}
