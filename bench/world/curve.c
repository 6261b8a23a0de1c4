#include "world/curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/clock.h"
#include "world/judge.h"

static const int sweeps[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000};
// enough for the tolerances, which are asked for without a limit of sweeps
enum { MANY_SWEEPS = 20000 };
static const double tolerances_tried[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

// The first step makes room and finds pairs; the repeats that count start from the same states again, without impulses.
static bool point(const CpsBenchCase* c, const CpsBenchEntry* entry, int repeats, CpsBenchState* before,
                  CpsBenchCurve* curve) {
  const CpsBenchEngine* engine = entry->engine;
  void* world = engine->create(&c->scene, &entry->settings);
  if (!world) return false;
  int k = curve->count++;
  curve->cpu[k] = curve->solve[k] = INFINITY;
  for (int i = 0; i <= repeats; ++i) {
    engine->set_state(world, c->middle);
    engine->get_state(world, before);
    double start = cps_clock_cpu();
    (void)engine->step(world);
    double cpu = 1e3 * (cps_clock_cpu() - start);
    if (i == 0) continue;
    curve->cpu[k] = fmin(curve->cpu[k], cpu);
    curve->solve[k] = fmin(curve->solve[k], 1e3 * engine->solve_seconds(world));
  }
  CpsBenchVerdict verdict = {0};
  bool ok = cps_bench_judge(engine, world, &c->scene, before, &verdict);
  curve->residual[k] = verdict.residual;
  curve->contacts = verdict.contacts;
  engine->destroy(world);
  return ok;
}

bool cps_bench_curve(const CpsBenchCase* c, const CpsBenchEntry* entry, bool tolerances, int sweeps_max, int repeats,
                     CpsBenchCurve* curve) {
  *curve = (CpsBenchCurve){.label = entry->label};
  CpsBenchState* before = calloc((size_t)c->scene.body_count, sizeof *before);
  size_t count = tolerances ? sizeof tolerances_tried / sizeof tolerances_tried[0] : sizeof sweeps / sizeof sweeps[0];
  bool ok = before != NULL;
  for (size_t k = 0; ok && k < count; ++k) {
    CpsBenchEntry trial = *entry;
    if (tolerances) {
      // a large scene takes minutes for more
      if (c->scene.body_count > 5000 && tolerances_tried[k] < 1e-4) break;
      trial.settings.sweeps = MANY_SWEEPS;
      trial.settings.tolerance = curve->setting[k] = tolerances_tried[k];
    } else {
      if (sweeps[k] > sweeps_max) break;
      curve->setting[k] = trial.settings.sweeps = sweeps[k];
    }
    ok = point(c, &trial, repeats, before, curve);
  }
  free(before);
  return ok;
}

double cps_bench_curve_residual(const CpsBenchCurve* curve, double cpu) {
  double best = NAN;
  for (int k = 0; k < curve->count; ++k)
    if (curve->cpu[k] <= cpu) best = fmin(best, curve->residual[k]);
  return best;
}

double cps_bench_curve_time(const CpsBenchCurve* curve, double residual) {
  double best = NAN;
  for (int k = 0; k < curve->count; ++k)
    if (curve->residual[k] <= residual) best = fmin(best, curve->cpu[k]);
  return best;
}
