// The same scenes in Capstan, ODE and Bullet: time of a step, residual of the friction law, overlap, drift.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "friction/machine.h"
#include "world/check.h"
#include "world/curve.h"
#include "world/measure.h"
#include "world/report.h"

enum { CASES = 4, ENTRIES_MAX = 4 };

typedef struct Options {
  const char* directory;
  const char* only;    // part of the name of a scene; NULL: all
  const char* engine;  // label of the engine whose rest is measured; NULL: all
  bool quick, check, curve, rest;
} Options;

static int list_entries(CpsBenchEntry* entries) {
  int count = 0;
#ifdef CAPSTAN_BULLET
  entries[count++] = (CpsBenchEntry){.label = "Bullet", .engine = cps_bench_bullet()};
  entries[count++] = (CpsBenchEntry){.label = "Bullet, 2 directions", .engine = cps_bench_bullet_2()};
#endif
#ifdef CAPSTAN_ODE
  entries[count++] = (CpsBenchEntry){.label = "ODE", .engine = cps_bench_ode()};
#endif
  entries[count++] = (CpsBenchEntry){.label = "Capstan", .engine = cps_bench_capstan(), .settings = {.threads = 1}};
  return count;
}

static bool make_cases(CpsBenchCase* cases, bool quick) {
  int divide = quick ? 5 : 1;
  bool ok = cps_bench_spheres(&cases[0].scene, "1 000 spheres", 1000, 10) && cps_bench_wall(&cases[1].scene) &&
            cps_bench_pile(&cases[2].scene, 2000, 14) &&
            cps_bench_spheres(&cases[3].scene, "10 000 spheres", 10000, 20);
  static const int middles[CASES] = {100, 20, 150, 150}, settles[CASES] = {800, 200, 500, 400};
  // the wall stands from the start
  static const double tolerances[CASES] = {1e-2, 1e-6, 1e-2, 1e-2};
  // 10 000 spheres still roll then: to 1e-6 a step takes over a second
  static const double rest_tolerances[CASES] = {1e-6, 1e-6, 1e-6, 1e-2};
  for (int i = 0; i < CASES; ++i) {
    cases[i].middle_step = middles[i];
    cases[i].settling_tolerance = tolerances[i];
    cases[i].rest_tolerance = rest_tolerances[i];
    cases[i].settle_steps = settles[i] / divide;
  }
  return ok;
}

static bool run_curves(const CpsBenchCase* c, const CpsBenchEntry* entries, int count, bool quick,
                       CpsBenchReport* report) {
  CpsBenchCurve curves[ENTRIES_MAX + 1];
  int repeats = c->scene.body_count > 5000 ? 1 : 3, sweeps_max = quick ? 100 : 1000, curve_count = 0;
  for (int e = 0; e < count; ++e) {
    CpsBenchEntry entry = entries[e];
    bool capstan = entry.engine == cps_bench_capstan();
    if (capstan) {
      // the friction solve alone, as in the peers
      entry.settings.no_polish = entry.settings.no_projection = true;
      entry.label = "Capstan auto";
      if (!cps_bench_curve(c, &entry, true, sweeps_max, repeats, &curves[curve_count++])) return false;
      // no tolerance stops it before its sweeps are done
      entry.label = "Capstan gs";
      entry.settings.method = "gs";
      entry.settings.tolerance = 1e-15;
    }
    if (!cps_bench_curve(c, &entry, false, sweeps_max, repeats, &curves[curve_count++])) return false;
  }
  return cps_bench_report_curves(report, c, curves, curve_count);
}

static bool run_case(CpsBenchCase* c, const CpsBenchEntry* entries, int count, const Options* options,
                     CpsBenchReport* report) {
  // the first engine makes the states that all start from
  if (!cps_bench_prepare(c, &entries[0])) return false;
  if (options->curve && !run_curves(c, entries, count, options->quick, report)) return false;
  for (int e = 0; options->rest && e < count; ++e) {
    CpsBenchRow row;
    if (options->engine && strcmp(options->engine, entries[e].label) != 0) continue;
    if (!cps_bench_measure_world(c, &entries[e], &row)) return false;
    cps_bench_report_row(report, c, &entries[e], &row);
  }
  return true;
}

static void usage(FILE* out) {
  fprintf(
      out,
      "bench-world [--out DIR] [--scene PART-OF-NAME] [--engine LABEL] [--only check|curve|rest] [--quick]\n"
      "  Runs the same scenes in Capstan and in ODE and Bullet where they are installed, and writes world-*.md, .csv\n"
      "  and .svg. It first checks on single bodies that the impulses of each engine are read correctly.\n"
      "  --quick  the small scenes, with a fifth of the settling time\n");
}

static bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      options->quick = true;
    } else if (i + 1 < argc && strcmp(argv[i], "--out") == 0) {
      options->directory = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--scene") == 0) {
      options->only = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--engine") == 0) {
      options->engine = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--only") == 0) {
      const char* part = argv[++i];
      options->curve = strcmp(part, "curve") == 0;
      options->rest = strcmp(part, "rest") == 0;
      if (!options->curve && !options->rest && strcmp(part, "check") != 0) return false;
    } else {
      return false;
    }
  }
  return true;
}

int main(int argc, char** argv) {
  Options options = {.directory = "bench/results", .curve = true, .rest = true};
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    usage(stdout);
    return 0;
  }
  if (!parse(argc, argv, &options)) {
    usage(stderr);
    return 2;
  }
  cps_bench_single_thread(argv);
  CpsBenchEntry entries[ENTRIES_MAX];
  int count = list_entries(entries);
  for (int e = 0; e < count; ++e)
    if (!cps_bench_check(entries[e].engine, stdout)) {
      fprintf(stderr, "%s: its impulses are wrong; nothing is measured\n", entries[e].label);
      return 3;
    }
  if (!options.curve && !options.rest) return 0;
  CpsBenchCase cases[CASES] = {0};
  CpsBenchReport report;
  if (!make_cases(cases, options.quick) || !cps_bench_report_open(&report, options.directory)) return 3;
  bool ok = true;
  for (int i = 0; i < CASES && ok; ++i) {
    bool wanted = !options.only || strstr(cases[i].scene.name, options.only);
    if (wanted && !(options.quick && cases[i].scene.body_count > 5000))
      ok = run_case(&cases[i], entries, count, &options, &report);
    free(cases[i].middle);
    cps_bench_scene_free(&cases[i].scene);
  }
  return cps_bench_report_close(&report) && ok ? 0 : 3;
}
