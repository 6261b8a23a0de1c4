// A soft ball that rolls on a floor, by its facets and by its smooth surface, on finer and finer meshes: both converge to a sphere. Writes
// roll-ball.svg and roll-ball-shake.svg into a folder and a table to the standard output.
//
// usage: bench-deform-roll SCENE FOLDER     SCENE: tests/scenes/roll_ball.yaml
#include "draw/plot.h"
#include "scenes/roll_ball.h"

#include <stdlib.h>

enum { SIZES = 6 };
static const double SIZE[SIZES] = {0.06, 0.05, 0.04, 0.03, 0.025, 0.02};

static int draw(const char* folder, const char* name, CpsPlot plot) {
  char path[1000];
  CpsError error;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (cps_plot_write(&plot, path, &error) == CPS_OK) return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error.text);
  return EXIT_FAILURE;
}

int main(int count, char** arguments) {
  static double size[SIZES], kept[2][SIZES], shake[2][SIZES];
  static const char* const LABELS[2] = {"facets", "smooth"};
  CpsPlotSeries keeps[2], shakes[2];
  if (count != 3) {
    fprintf(stderr, "usage: bench-deform-roll SCENE FOLDER\n");
    return EXIT_FAILURE;
  }
  printf(
      "| tetrahedra | facets: speed kept | vertical acceleration, rms | smooth: speed kept | rms |\n"
      "|---|---|---|---|---|\n");
  for (int i = 0; i < SIZES; ++i) {
    Roll r[2];
    for (int s = 0; s < 2; ++s) {
      if (!roll_ball(arguments[1], s == 1, SIZE[i], 0.5, &r[s])) return EXIT_FAILURE;
      if (r[s].unsolved) fprintf(stderr, "%lld steps are not solved\n", (long long)r[s].unsolved);
      kept[s][i] = r[s].kept, shake[s][i] = r[s].shake;
    }
    size[i] = 100.0 * SIZE[i];
    printf("| %g cm | %.3f | %.2f g | %.3f | %.2f g |\n", size[i], r[0].kept, r[0].shake, r[1].kept, r[1].shake);
    fflush(stdout);
  }
  for (int s = 0; s < 2; ++s) {
    keeps[s] = (CpsPlotSeries){LABELS[s], size, kept[s], SIZES};
    shakes[s] = (CpsPlotSeries){LABELS[s], size, shake[s], SIZES};
  }
  CpsPlot plot = {.title = "A soft ball rolls for half a second",
                  .x = {.label = "tetrahedra, cm", .fixed = true, .low = 0.0, .high = 6.5},
                  .y = {.label = "mean speed / speed of a sphere", .fixed = true, .low = 0.7, .high = 1.05},
                  .series = keeps,
                  .series_count = 2,
                  .level = 1.0,
                  .level_label = "sphere"};
  int status = draw(arguments[2], "roll-ball.svg", plot);
  plot.series = shakes;
  plot.y = (CpsPlotAxis){.label = "vertical acceleration, rms / g"};
  plot.level = NAN;
  return status == EXIT_SUCCESS ? draw(arguments[2], "roll-ball-shake.svg", plot) : status;
}
