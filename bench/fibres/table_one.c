// Table I of Bertails-Descoubes et al. (2011) in its own layout, from the scenes of this project, and their figures 10 and 11:
// time of a solve and its error against nu = 3 n / m, n contacts, m degrees of freedom.
#include "capstan/fibre.h"
#include "capstan/scene.h"
#include "draw/plot.h"
#include "friction/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A line of the table: a scene, and what the paper has for it.
typedef struct Example {
  const char *name, *scene, *settings[3];
  const char* paper;  // model, rods and elements, mu, dt, n, nu, time
} Example;

static const Example EXAMPLES[] = {
    {"Plectoneme", "plectoneme.yaml", {"mu=0"}, "SH (1, 20) 0, 11 ms: 18, 0.9, 0.04 s"},
    {"Tight knot", "knot.yaml", {"mu=0"}, "SH (1, 20) 0, 11 ms: 8, 0.4, 0.033 s"},
    {"Wavy hair", "wavy-84.yaml", {"mu=0", "mu_body=0"}, "SH (84, 8) 0, 11 ms: 392, 0.58, 2.6 s"},
    {"Wavy hair", "wavy-84.yaml", {"mu=0.3"}, "SH (84, 8) 0.3, 11 ms: 380, 0.57, 41.2 s"},
    {"Self-stacking", "rope-coil.yaml", {NULL}, "C (1, 256) 0.3, 0.25 ms: 303, 1.18, 0.31 s"},
    {"Spaghetti", "spaghetti-7.yaml", {NULL}, "C (7, 16) 0.3, 0.1 ms: 121, 1.08, 0.36 s"},
    {"Spaghetti", "spaghetti-7.yaml", {"fibres.rods.model=corde-explicit", "time.step=1e-4", "damping=0"}, "the same"},
    {"Spaghetti", "spaghetti-31.yaml", {NULL}, "MS (31, 16) 0.3, 1 ms: 653, 1.32, 2.26 s"},
    {"Spaghetti", "spaghetti-76.yaml", {NULL}, "MS (76, 22) 0.3, 1 ms: 1806, 1.08, 19.1 s"},
};
// The paper asks for 1e-5 of the square of its own error measure.
static const char TOLERANCE[] = "solver.tolerance=1e-4";
enum { EXAMPLE_COUNT = sizeof EXAMPLES / sizeof EXAMPLES[0], BINS = 40, CURVES_MAX = 4 };

// One step.
typedef struct Sample {
  double nu, seconds, residual;
} Sample;

typedef struct Result {
  const Example* example;
  int32_t rods, elements, contacts_max;
  CpsRodModel model;
  double mu, step, nu_max, seconds;  // of a step, mean
  int64_t steps, unsolved;
  Sample* sample;
  int64_t sample_count;
} Result;

static const char* short_name(CpsRodModel model) {
  static const char* const NAMES[CPS_ROD_MODEL_COUNT] = {[CPS_ROD_SUPER_HELIX] = "SH",
                                                         [CPS_ROD_SUPER_HELIX_RECURSIVE] = "SH (recursive)",
                                                         [CPS_ROD_SUPER_CLOTHOID] = "SC",
                                                         [CPS_ROD_MASS_SPRING] = "MS",
                                                         [CPS_ROD_CORDE] = "C",
                                                         [CPS_ROD_CORDE_EXPLICIT] = "C (explicit)",
                                                         [CPS_ROD_DER] = "DER",
                                                         [CPS_ROD_DER_INEXTENSIBLE] = "DER (inextensible)",
                                                         [CPS_ROD_DER_PROJECTED] = "DER (projected)"};
  return NAMES[model];
}

static CpsWorld* open_world(const char* scenes, const Example* example, double* end) {
  char path[1024];
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  const char* settings[4] = {TOLERANCE};
  int count = 1;
  for (int i = 0; i < 3 && example->settings[i]; ++i) settings[count++] = example->settings[i];
  if (cps_scene_load(cps_bench_path(path, sizeof path, scenes, example->scene), settings, count, &scene, &error) !=
          CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(stderr, "%s: skipped: %s\n", example->scene, error.text);
  }
  if (world) *end = cps_scene_info(scene).end;
  cps_scene_destroy(scene);
  return world;
}

static int32_t describe(const CpsWorld* world, Result* result) {
  int32_t dofs = 0;
  result->rods = cps_world_fibre_count(world);
  for (int32_t i = 0; i < result->rods; ++i) {
    CpsFibreInfo info = {0};
    if (cps_world_fibre_info(world, cps_world_fibre(world, i), &info) != CPS_OK) continue;
    dofs += info.dofs;
    result->elements = info.elements;
    result->model = info.model;
  }
  return dofs;
}

static bool add_sample(Result* result, Sample sample) {
  if ((result->sample_count & (result->sample_count - 1)) == 0) {
    size_t room = result->sample_count ? 2 * (size_t)result->sample_count : 1;
    Sample* grown = realloc(result->sample, room * sizeof *grown);
    if (!grown) return false;
    result->sample = grown;
  }
  result->sample[result->sample_count++] = sample;
  return true;
}

// Runs a scene; CPU time of one thread, so that a busy machine counts for little.
static bool measure(const char* scenes, const Example* example, double until, Result* result) {
  double end = 0.0;
  CpsWorld* world = open_world(scenes, example, &end);
  if (!world) return false;
  *result = (Result){.example = example, .step = cps_world_settings(world).step};
  double dofs = describe(world, result);
  end = fmin(end, until);
  while (cps_world_time(world) < end - 0.5 * result->step) {
    CpsStepInfo info;
    clock_t before = clock();
    CpsStatus status = cps_world_step(world, &info, NULL);
    double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    if (status < 0) {
      fprintf(stderr, "%s: stopped at %g s\n", example->scene, cps_world_time(world));
      break;
    }
    double nu = 3.0 * info.contacts / dofs, share = info.seconds_solve / fmax(info.seconds, 1e-9);
    result->steps++;
    result->unsolved += status > 0;
    result->seconds += seconds;
    result->nu_max = fmax(result->nu_max, nu);
    if (info.contacts > result->contacts_max) result->contacts_max = info.contacts;
    for (int32_t i = 0; i < info.contacts; ++i) result->mu = fmax(result->mu, cps_world_contact(world, i).mu);
    if (info.contacts > 0 && !add_sample(result, (Sample){nu, share * seconds, info.residual})) break;
  }
  result->seconds /= (double)(result->steps > 0 ? result->steps : 1);
  cps_world_destroy(world);
  return true;
}

static void write_table(const Result* results, int count, FILE* out) {
  fprintf(out, "# Rods in contact (Table I of Bertails-Descoubes et al. 2011)\n\n");
  cps_bench_print_machine(out);
  fprintf(out,
          "$N_s$ rods of $N_e$ elements or segments, $n$ contacts, $\\nu = 3n/m$ for all $m$ degrees of freedom; mean "
          "CPU time of a "
          "whole step\non one thread, steps solved to 1e-4. SH: super-helix, C: CORDE, MS: mass-spring. The last "
          "column is the paper's (Core "
          "2 Duo, "
          "2.1 GHz).\n\n"
          "| Rod model | Example ($N_s$, $N_e$) | μ | dt (ms) | n max | ν max | mean time (s) | steps not solved | the "
          "paper |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|---|\n");
  for (int i = 0; i < count; ++i) {
    const Result* r = &results[i];
    fprintf(out, "| %s | %s (%d, %d) | %g | %g | %d | %.2f | %.2g | %lld of %lld | %s |\n", short_name(r->model),
            r->example->name, (int)r->rods, (int)r->elements, r->mu, 1e3 * r->step, (int)r->contacts_max, r->nu_max,
            r->seconds, (long long)r->unsolved, (long long)r->steps, r->example->paper);
  }
}

static int compare_double(const void* left, const void* right) {
  double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

// Medians over bins of nu, of the time or the residual.
static int medians(const Result* result, bool of_time, double* x, double* y) {
  double* values = malloc((size_t)(result->sample_count + 1) * sizeof *values);
  if (!values) return 0;
  int points = 0;
  double width = fmax(result->nu_max, 1e-9) * (1.0 + 1e-9) / BINS;
  for (int b = 0; b < BINS; ++b) {
    size_t count = 0;
    for (int64_t i = 0; i < result->sample_count; ++i) {
      const Sample* s = &result->sample[i];
      if ((int)(s->nu / width) == b) values[count++] = of_time ? s->seconds : fmax(s->residual, 1e-12);
    }
    if (count == 0) continue;
    qsort(values, count, sizeof *values, compare_double);
    x[points] = (b + 0.5) * width;
    y[points++] = values[count / 2];
  }
  free(values);
  return points;
}

static void write_figure(const Result* results, int count, bool of_time, const char* directory, const char* name) {
  static double x[CURVES_MAX][BINS], y[CURVES_MAX][BINS];
  static char label[CURVES_MAX][64];
  CpsPlotSeries series[CURVES_MAX];
  int curves = 0;
  for (int i = 0; i < count && curves < CURVES_MAX; ++i) {
    const Result* r = &results[i];
    if (strcmp(r->example->name, "Spaghetti") != 0) continue;
    (void)snprintf(label[curves], sizeof label[curves], "%s, %d", short_name(r->model), (int)r->rods);
    int points = medians(r, of_time, x[curves], y[curves]);
    series[curves] = (CpsPlotSeries){.label = label[curves], .x = x[curves], .y = y[curves], .count = points};
    ++curves;
  }
  CpsPlot plot = {.title = of_time ? "Time of a solve against ν" : "Residual of a solve against ν",
                  .x = {.label = "ν = 3 contacts / degrees of freedom"},
                  .y = {.label = of_time ? "median over steps, s" : "median over steps", .log = true},
                  .series = series,
                  .series_count = curves,
                  .level = NAN};
  char path[1024];
  CpsError error;
  if (curves > 0 && cps_plot_write(&plot, cps_bench_path(path, sizeof path, directory, name), &error) != CPS_OK)
    fprintf(stderr, "%s\n", error.text);
}

static void write_samples(const Result* results, int count, const char* directory) {
  FILE* csv = cps_bench_open(directory, "spaghetti-nu.csv");
  if (!csv) return;
  fprintf(csv, "model,rods,nu,seconds,residual\n");
  for (int i = 0; i < count; ++i) {
    const Result* r = &results[i];
    if (strcmp(r->example->name, "Spaghetti") != 0) continue;
    for (int64_t k = 0; k < r->sample_count; ++k) {
      const Sample* s = &r->sample[k];
      fprintf(csv, "%s,%d,%.4g,%.3g,%.3g\n", cps_rod_model_name(r->model), (int)r->rods, s->nu, s->seconds,
              s->residual);
    }
  }
  (void)fclose(csv);
}

static void usage(FILE* out) {
  fprintf(out,
          "bench-table-one [--out DIR] [--scenes DIR] [--only TEXT] [--until SECONDS] [--quick]\n"
          "  Table I of Bertails-Descoubes et al. (2011) with the scenes of this repository; writes table-one.md, "
          "spaghetti-nu.csv,\n"
          "  spaghetti-time.svg and spaghetti-error.svg.\n"
          "  --only TEXT    only scenes whose name contains TEXT\n"
          "  --until T      largest simulated time of each\n"
          "  --quick        simulate 0.05 s of each\n");
}

int main(int argc, char** argv) {
  const char *out = "bench/results", *scenes = "scenes", *only = "";
  double until = INFINITY;
  for (int i = 1; i < argc; ++i) {
    bool more = i + 1 < argc;
    if (strcmp(argv[i], "--quick") == 0) {
      until = 0.05;
    } else if (more && strcmp(argv[i], "--out") == 0) {
      out = argv[++i];
    } else if (more && strcmp(argv[i], "--scenes") == 0) {
      scenes = argv[++i];
    } else if (more && strcmp(argv[i], "--only") == 0) {
      only = argv[++i];
    } else if (more && strcmp(argv[i], "--until") == 0) {
      until = strtod(argv[++i], NULL);
    } else {
      usage(strcmp(argv[i], "--help") == 0 ? stdout : stderr);
      return strcmp(argv[i], "--help") == 0 ? 0 : 2;
    }
  }
  cps_bench_single_thread(argv);
  static Result results[EXAMPLE_COUNT];
  int count = 0;
  for (int i = 0; i < EXAMPLE_COUNT; ++i) {
    if (!strstr(EXAMPLES[i].scene, only)) continue;
    fprintf(stderr, "%s\n", EXAMPLES[i].scene);
    count += measure(scenes, &EXAMPLES[i], until, &results[count]);
  }
  FILE* report = cps_bench_open(out, "table-one.md");
  if (!report) return 3;
  write_table(results, count, report);
  write_table(results, count, stdout);
  write_figure(results, count, true, out, "spaghetti-time.svg");
  write_figure(results, count, false, out, "spaghetti-error.svg");
  write_samples(results, count, out);
  for (int i = 0; i < count; ++i) free(results[i].sample);
  return fclose(report) == 0 ? 0 : 3;
}
