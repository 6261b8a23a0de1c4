#include "world/report.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "draw/plot.h"
#include "friction/machine.h"

// Writes to a table and to the terminal.
__attribute__((format(printf, 2, 3))) static void both(FILE* file, const char* format, ...) {
  FILE* outs[2] = {file, stdout};
  for (int i = 0; i < 2; ++i) {
    va_list list;
    va_start(list, format);
    (void)vfprintf(outs[i], format, list);
    va_end(list);
    (void)fflush(outs[i]);
  }
}

bool cps_bench_report_open(CpsBenchReport* report, const char* directory) {
  *report = (CpsBenchReport){.directory = directory, .bullet_cpu = NAN, .ok = true};
  report->rest = cps_bench_open(directory, "world-rest.md");
  report->curve = cps_bench_open(directory, "world-curve.md");
  report->targets = cps_bench_open(directory, "world-targets.md");
  if (!report->rest || !report->curve || !report->targets) return false;
  fprintf(report->rest, "# The world compared with ODE and Bullet\n\n");
  cps_bench_print_machine(report->rest);
  fprintf(report->rest,
          "\n| scene | engine | settling: ms | residual | rest: contacts | ms | fastest | solver part | wall ms | "
          "residual | "
          "largest | overlap mm | drift mm | unsolved steps "
          "|\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
          "---:|\n");
  fprintf(
      report->curve,
      "# One step while settling\n\n| scene | engine | contacts | Bullet's time, ms | residual at that time | Bullet's "
      "residual / this | ms to a tenth of Bullet's residual |\n|---|---|---:|---:|---:|---:|---:|\n");
  fprintf(report->targets, "# Targets\n\n| target | scene | measured | |\n|---|---|---:|---|\n");
  return true;
}

// A cell of a table; a dash where there is no number.
static const char* cell(char* text, size_t size, bool exponent, double value) {
  if (isnan(value))
    (void)snprintf(text, size, "–");
  else if (exponent)
    (void)snprintf(text, size, "%.1e", value);
  else
    (void)snprintf(text, size, "%.3g", value);
  return text;
}

static void target(CpsBenchReport* report, const char* what, const char* scene, double measured, bool met) {
  char text[32];
  both(report->targets, "| %s | %s | %s | %s |\n", what, scene, cell(text, sizeof text, false, measured),
       met ? "met" : "**not met**");
}

static void check_targets(CpsBenchReport* report, const CpsBenchCase* c, const CpsBenchRow* row) {
  const char* name = c->scene.name;
  double bytes = (double)row->heap_bytes / row->rest.contacts, wall = row->plain.times_2.wall;
  double ratio = row->plain.times.cpu_median / report->bullet_cpu,
         polished = row->rest.times.cpu_median / report->bullet_cpu;
  char what[100], same[140];
  // the target is at 1e-6: a scene that is measured at less cannot meet it
  bool tight = c->rest_tolerance <= 1e-6;
  (void)snprintf(what, sizeof what, "at rest to %.0e: CPU time / Bullet's, at most 2 at 1e-6", c->rest_tolerance);
  (void)snprintf(same, sizeof same, "%s, polished (default)", what);
  if (isfinite(ratio)) {
    target(report, what, name, ratio, tight && ratio <= 2.0);
    target(report, same, name, polished, tight && polished <= 2.0);
  }
  if (c->scene.body_count == 10000)
    target(report, "at rest on two threads: wall ms per step, at most 10", name, wall, wall <= 10.0);
  target(report, "memory: bytes per contact, under 2 000", name, bytes, bytes < 2000.0);
  target(report, "heap: calls during 100 steps of rest, 0", name, (double)row->rest.heap_calls,
         row->rest.heap_calls == 0);
}

static void settling_cells(FILE* out, const CpsBenchRow* row) {
  both(out, " %.2f | %.1e |", row->settling.cpu_median, row->settling_residual);
}

static void rest_cells(FILE* out, const CpsBenchRest* rest) {
  both(out, " %d | %.2f | %.2f | %.2f | %.2f | %.1e | %.1e | %.2f | %.2g |", (int)rest->contacts,
       rest->times.cpu_median, rest->times.cpu, rest->times.solve, rest->times.wall, rest->residual, rest->residual_max,
       1e3 * rest->overlap, 1e3 * rest->drift);
}

static void threads_row(FILE* out, const CpsBenchRest* rest) {
  both(out, "| | … on two threads | | | | %.2f | %.2f | %.2f | %.2f | | | | | |\n", rest->times_2.cpu_median,
       rest->times_2.cpu, rest->times_2.solve, rest->times_2.wall);
}

void cps_bench_report_row(CpsBenchReport* report, const CpsBenchCase* c, const CpsBenchEntry* entry,
                          const CpsBenchRow* row) {
  FILE* out = report->rest;
  if (strcmp(entry->label, "Bullet") == 0) report->bullet_cpu = row->rest.times.cpu_median;
  both(out, "| %s | %s |", c->scene.name, entry->label);
  settling_cells(out, row);
  if (entry->engine != cps_bench_capstan()) {
    rest_cells(out, &row->rest);
    both(out, " – |\n");
    return;
  }
  rest_cells(out, &row->plain);
  both(out, " %d |\n", row->plain.unsolved);
  threads_row(out, &row->plain);
  both(out, "| | Capstan, polished | | |");
  rest_cells(out, &row->rest);
  both(out, " %d |\n", row->rest.unsolved);
  threads_row(out, &row->rest);
  check_targets(report, c, row);
  report->bullet_cpu = NAN;
}

// "1 000 spheres" -> "world-curve-1-000-spheres.svg"
static void file_name(char* name, size_t size, const char* scene, const char* ending) {
  (void)snprintf(name, size, "world-curve-%s%s", scene, ending);
  for (char* at = name; *at; ++at)
    if (*at == ' ') *at = '-';
}

static void write_csv(const CpsBenchReport* report, const char* scene, const CpsBenchCurve* curves, int count) {
  char name[128];
  file_name(name, sizeof name, scene, ".csv");
  FILE* file = cps_bench_open(report->directory, name);
  if (!file) return;
  fprintf(file, "engine,sweeps or tolerance,contacts,step_ms,solve_ms,residual\n");
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < curves[i].count; ++k)
      fprintf(file, "\"%s\",%g,%d,%.4g,%.4g,%.4g\n", curves[i].label, curves[i].setting[k], (int)curves[i].contacts,
              curves[i].cpu[k], curves[i].solve[k], curves[i].residual[k]);
  (void)fclose(file);
}

static bool write_svg(const CpsBenchReport* report, const char* scene, const CpsBenchCurve* curves, int count) {
  CpsPlotSeries series[8];
  char name[128], path[1024], title[160];
  for (int i = 0; i < count; ++i)
    series[i] = (CpsPlotSeries){curves[i].label, curves[i].cpu, curves[i].residual, curves[i].count};
  (void)snprintf(title, sizeof title, "%s, one step while settling", scene);
  CpsPlot plot = {.title = title,
                  .x = {.label = "CPU time of the step, ms", .log = true},
                  .y = {.label = "residual of the exact law", .log = true},
                  .series = series,
                  .series_count = count,
                  .mark_ends = true,
                  .level = NAN};
  file_name(name, sizeof name, scene, ".svg");
  CpsError error;
  if (cps_plot_write(&plot, cps_bench_path(path, sizeof path, report->directory, name), &error) == CPS_OK) return true;
  fprintf(stderr, "%s\n", error.text);
  return false;
}

bool cps_bench_report_curves(CpsBenchReport* report, const CpsBenchCase* c, const CpsBenchCurve* curves, int count) {
  const char* scene = c->scene.name;
  write_csv(report, scene, curves, count);
  double bullet_cpu = NAN, bullet_residual = NAN, best = NAN;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < curves[i].count; ++k)
      // ten sweeps are Bullet's default
      if (strcmp(curves[i].label, "Bullet") == 0 && curves[i].setting[k] == 10.0) {
        bullet_cpu = curves[i].cpu[k];
        bullet_residual = curves[i].residual[k];
      }
  for (int i = 0; i < count; ++i) {
    double residual = cps_bench_curve_residual(&curves[i], bullet_cpu);
    char at[32], ratio[32], time[32];
    both(report->curve, "| %s | %s | %d | %.2f | %s | %s | %s |\n", scene, curves[i].label, (int)curves[i].contacts,
         bullet_cpu, cell(at, sizeof at, true, residual), cell(ratio, sizeof ratio, false, bullet_residual / residual),
         cell(time, sizeof time, false, cps_bench_curve_time(&curves[i], 0.1 * bullet_residual)));
    if (strncmp(curves[i].label, "Capstan", 7) == 0) best = fmin(best, residual);
  }
  if (isfinite(bullet_residual)) {
    double ratio = bullet_residual / best;
    target(report, "settling, at Bullet's time: its residual / ours, at least 10", scene, ratio, ratio >= 10.0);
  }
  return write_svg(report, scene, curves, count);
}

bool cps_bench_report_close(CpsBenchReport* report) {
  bool ok = report->ok;
  ok = fclose(report->rest) == 0 && ok;
  ok = fclose(report->curve) == 0 && ok;
  ok = fclose(report->targets) == 0 && ok;
  return ok;
}
