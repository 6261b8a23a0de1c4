// Run-out of columns of sand against their aspect ratio beside the published laws, with figures.
//
// Each point is a run of a scene of scenes/ with other parameters. The run-out is that within which 99 % of the grains stay that have left
// the foot of the column: single grains that roll ahead do not count. Of all grains, 99 % would be another measure for each aspect ratio,
// since in a wide column most grains never move, and a hundredth of them is a large part of the front. Exponents are least squares of
// logarithms.
//
// usage: bench-grains-laws [--out DIRECTORY] [planar | round]     writes grains-laws.md, sand-column-law.svg, sand-column-round-law.svg
#define PROGRAM "bench-grains-laws"
#include "scenes.h"

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The distances from the axis within which this part of the grains is: of those that are beyond `foot`, and of all.
typedef struct Within {
  double left, all;
} Within;

static Within within(const CpsWorld* world, double foot, double part) {
  const CpsThing grains = cps_thing_grains(world);
  const int64_t count = cps_world_array_count(world, grains, CPS_QUANTITY_POSITION);
  double* x = malloc(4 * (size_t)count * sizeof *x);
  if (!x || cps_world_array(world, grains, CPS_QUANTITY_POSITION, x, 3 * sizeof *x) != CPS_OK) stop("out of memory");
  double* r = x + 3 * count;
  for (int64_t p = 0; p < count; ++p) r[p] = hypot(x[3 * p], x[3 * p + 1]);
  qsort(r, (size_t)count, sizeof *r, compare);
  int64_t inside = 0;
  while (inside < count && r[inside] <= foot) ++inside;
  if (inside == count) stop("no grain left the column");
  const Within found = {r[inside + (int64_t)(part * (double)(count - inside))], r[(int64_t)(part * (double)count)]};
  free(x);
  return found;
}

// Columns of 14 (round: 8) cells of height, or 8 (6) of width if that is more.
static void columns(const char* out, FILE* table, bool round) {
  static const double PLANAR[] = {0.5, 0.7, 1.0, 1.5, 2.3, 3.5, 5.0, 7.0, 10.0};
  static const double ROUND[] = {0.5, 0.7, 1.0, 1.7, 3.0, 5.0, 7.0, 10.0};
  const int count = round ? (int)(sizeof ROUND / sizeof *ROUND) : (int)(sizeof PLANAR / sizeof *PLANAR);
  const double* aspect = round ? ROUND : PLANAR;
  double runout[MOST], of_all[MOST], law[MOST];
  fprintf(
      table,
      "\n%s column, friction 0.5\n\n| aspect ratio | cell, mm | run-out, widths | of all grains | published | unsolved "
      "steps |\n|---:|---:|---:|---:|---:|---:|\n",
      round ? "Round" : "Planar");
  for (int i = 0; i < count; ++i) {
    const double a = aspect[i], cell = fmin(round ? 0.1 / 6.0 : 0.1 / 8.0, a * 0.1 / (round ? 8.0 : 14.0));
    Setting s = {0};
    set(&s, "parameters.aspect=%g", a);
    set(&s, "parameters.cell=%g", cell);
    set(&s, "solver.tolerance=1e-3");
    set(&s, "time.step=%g", 0.16 * cell);
    if (!round) set(&s, "grid.particles=3");
    CpsWorld* world = open(round ? "sand-column-round.yaml" : "sand-column.yaml", &s);
    int64_t unsolved = 0;
    while (cps_world_time(world) < 0.3 + 0.36 * sqrt(a)) unsolved += step(world);
    const Within far = within(world, 0.1, 0.99);
    runout[i] = far.left / 0.1 - 1.0;
    of_all[i] = far.all / 0.1 - 1.0;
    cps_world_destroy(world);
    // Lube et al. 2004 and 2005
    law[i] = round ? (a < 1.7 ? 1.24 * a : 1.6 * sqrt(a)) : (a < 2.5 ? 1.2 * a : 1.9 * pow(a, 2.0 / 3.0));
    fprintf(table, "| %g | %.1f | %.2f | %.2f | %.2f | %d |\n", a, 1e3 * cell, runout[i], of_all[i], law[i],
            (int)unsolved);
    fflush(table);
  }
  const double wide = round ? 1.7 : 2.3, narrow = round ? 1.7 : 2.8;  // where the published laws begin and end
  fprintf(table, "\nExponents: %.2f for wide columns, %.2f for narrow ones; of all grains %.2f and %.2f.\n",
          exponent(aspect, runout, count, 0.0, wide), exponent(aspect, runout, count, narrow, 100.0),
          exponent(aspect, of_all, count, 0.0, wide), exponent(aspect, of_all, count, narrow, 100.0));
  const CpsPlotSeries series[] = {{"continuum", aspect, runout, count},
                                  {round ? "Lube et al. 2004" : "Lube et al. 2005", aspect, law, count}};
  const CpsPlot plot = {.title = round ? "Run-out of round columns" : "Run-out of planar columns",
                        .x = {.label = "height / width of the column", .log = true},
                        .y = {.label = "run-out / width", .log = true},
                        .series = series,
                        .series_count = 2,
                        .level = NAN};
  draw(out, round ? "sand-column-round-law" : "sand-column-law", &plot);
}

int main(int count, char** arguments) {
  const char* out = ".";
  bool planar = true, round = true;
  for (int i = 1; i < count; ++i) {
    if (strcmp(arguments[i], "--out") == 0 && i + 1 < count) {
      out = arguments[++i];
    } else if (strcmp(arguments[i], "planar") == 0) {
      round = false;
    } else if (strcmp(arguments[i], "round") == 0) {
      planar = false;
    } else {
      stop("usage: bench-grains-laws [--out DIRECTORY] [planar | round]");
    }
  }
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/grains-laws.md", out);
  FILE* table = fopen(path, "w");
  if (!table) stop("the table cannot be written");
  if (planar) columns(out, table, false);
  if (round) columns(out, table, true);
  fclose(table);
  return 0;
}
