// capstan plot: draws what a result holds over time, or one of its frames.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/suggest.h"
#include "capstan/result.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/plot_sweep.h"
#include "cli/run_report.h"
#include "cli/vector.h"
#include "draw/picture.h"
#include "draw/plot.h"

#define CURVE_MAX 7
#define TERM_MAX 7
#define BUCKET_MAX 1000  // more points than this a picture cannot show

// A curve is a sum of series of the result.
typedef struct Curve {
  const char* label;
  const char* terms[TERM_MAX];
} Curve;

typedef struct Chart {
  const char* name;
  const char* label;  // of the vertical axis
  bool log;
  Curve curves[CURVE_MAX];
  const char* summary;
} Chart;

static const Chart charts[] = {
    {"energy",
     "energy (J)",
     false,
     {{"total", {"kinetic", "potential", "elastic"}},
      {"kinetic", {"kinetic"}},
      {"potential", {"potential"}},
      {"elastic", {"elastic"}},
      {"dissipated", {"friction", "impact", "damping", "linearisation", "scheme", "projection", "ties"}}},
     "kinetic, potential, elastic, their sum, and dissipated energy"},
    {"dissipation",
     "dissipated (J)",
     false,
     {{"friction", {"friction"}},
      {"impact", {"impact"}},
      {"damping", {"damping"}},
      {"linearisation", {"linearisation"}},
      {"time stepping", {"scheme"}},
      {"projection", {"projection"}},
      {"ties", {"ties"}}},
     "energy dissipated, by cause"},
    {"contacts",
     "contacts",
     false,
     {{"contacts", {"contacts"}}, {"stick", {"stick"}}, {"slide", {"slide"}}},
     "number of contacts: all, sticking, sliding"},
    {"residual", "residual", true, {{"residual", {"residual"}}}, "largest residual in each step"},
    {"iterations",
     "iterations",
     false,
     {{"iterations", {"iterations"}}},
     "largest iteration count of an island in each step"},
    {"penetration", "penetration (m)", false, {{"penetration", {"penetration"}}}, "largest penetration in each step"},
    {"step", "step (s)", true, {{"step", {"step"}}}, "length of each time step"},
    {"cost", "wall clock (s)", true, {{"step", {"seconds"}}}, "wall-clock time of each step"},
    {"parts",
     "wall clock (s)",
     true,
     {{"step", {"seconds"}},
      {"predict", {"seconds_predict"}},
      {"detect", {"seconds_detect"}},
      {"assemble", {"seconds_assemble"}},
      {"solve", {"seconds_solve"}},
      {"advance", {"seconds_advance"}}},
     "wall-clock time of each step and of its parts"},
    {"crossings",
     "crossings",
     false,
     {{"crossings", {"crossings"}}},
     "places where fibres passed through something, in each step"},
};
enum { CHART_COUNT = sizeof charts / sizeof charts[0] };

#define LAST_FRAME UINT64_MAX

typedef struct PlotArguments {
  const char* file;
  const char* what;
  const char* output;
  char output_room[400];
  bool quiet;
  double from, to;  // simulated time, s; to 0: all
  bool picture;
  const char* view;
  uint64_t frame;  // LAST_FRAME: the last
} PlotArguments;

static const Chart* find_chart(const char* name) {
  for (int i = 0; i < CHART_COUNT; ++i) {
    if (strcmp(charts[i].name, name) == 0) return &charts[i];
  }
  return NULL;
}

// A word that is neither a chart nor a series: the nearest chart, or the list of them.
static int complain_what(const char* what, const CpsError* error) {
  const char* names[CHART_COUNT + 1] = {NULL};
  for (int i = 0; i < CHART_COUNT; ++i) names[i] = charts[i].name;
  const char* near = cps_suggest(what, names);
  if (near) return cps_complain("--what: unknown '%s'; did you mean '%s'?", what, near);
  return cps_complain("--what: %s", error->text);
}

static CpsStatus read_curve(const CpsResult* result, const Curve* curve, int64_t count, double* sum, double* term,
                            CpsError* error) {
  for (int64_t k = 0; k < count; ++k) sum[k] = 0.0;
  for (int t = 0; t < TERM_MAX && curve->terms[t]; ++t) {
    CpsStatus status = cps_result_series(result, curve->terms[t], term, error);
    if (status != CPS_OK) return status;
    for (int64_t k = 0; k < count; ++k) sum[k] += term[k];
  }
  return CPS_OK;
}

// Keeps the smallest and the largest point of each of BUCKET_MAX slices, in their order, so that peaks stay.
static int thin(const double* x, const double* y, int64_t count, double* kept_x, double* kept_y) {
  int kept = 0;
  int64_t slices = count < BUCKET_MAX ? count : BUCKET_MAX;
  for (int64_t s = 0; s < slices; ++s) {
    int64_t first = s * count / slices, last = (s + 1) * count / slices, low = first, high = first;
    for (int64_t k = first; k < last; ++k) {
      if (y[k] < y[low]) low = k;
      if (y[k] > y[high]) high = k;
    }
    int64_t early = low < high ? low : high, late = low < high ? high : low;
    kept_x[kept] = x[early];
    kept_y[kept++] = y[early];
    if (late == early) continue;
    kept_x[kept] = x[late];
    kept_y[kept++] = y[late];
  }
  return kept;
}

static int draw(const PlotArguments* arguments, const Chart* chart, const CpsResult* result, double* room) {
  CpsResultInfo info = cps_result_info(result);
  CpsError error = {""};
  // the times, a sum, a term, and the thinned curves
  double *time = room, *sum = time + info.steps, *term = sum + info.steps, *kept = term + info.steps;
  if (cps_result_series(result, "time", time, &error) != CPS_OK) return cps_complain("%s", error.text);
  int64_t first = 0, last = info.steps;
  while (first < last && time[first] < arguments->from) ++first;
  while (arguments->to > 0.0 && last > first && time[last - 1] > arguments->to) --last;
  if (first == last) return cps_complain("%s: there are no steps in this time range", arguments->file);

  CpsPlotSeries series[CURVE_MAX];
  int count = 0;
  for (int c = 0; c < CURVE_MAX && chart->curves[c].label; ++c) {
    const Curve* curve = &chart->curves[c];
    // without fibres there is no elastic energy to show beside the others
    if (c > 0 && info.fibres == 0 && strcmp(curve->label, "elastic") == 0) continue;
    CpsStatus status = read_curve(result, curve, info.steps, sum, term, &error);
    if (status == CPS_BAD_ARGUMENT) return complain_what(arguments->what, &error);
    if (status != CPS_OK) return cps_complain("%s", error.text);
    int points = thin(time + first, sum + first, last - first, kept, kept + 2 * BUCKET_MAX);
    series[count++] = (CpsPlotSeries){curve->label, kept, kept + 2 * BUCKET_MAX, points};
    kept += 4 * BUCKET_MAX;
  }
  // the first step ends at h, but the run began at 0
  double low = time[first] < 0.01 * time[last - 1] ? 0.0 : time[first], high = time[last - 1];
  char name[128], title[256];
  cps_run_base_name(arguments->file, name, sizeof name);
  bool titled = info.title[0] && strcmp(info.title, name) != 0;
  snprintf(title, sizeof title, "%s%s%.100s", name, titled ? ": " : "", titled ? info.title : "");
  CpsPlot plot = {
      .title = title,
      .x = {.label = "time (s)", .fixed = high > low, .low = low, .high = high},
      .y = {.label = chart->label, .log = chart->log},
      .series = series,
      .series_count = count,
      .level = NAN,
  };
  if (cps_plot_write(&plot, arguments->output, &error) != CPS_OK) return cps_complain("%s", error.text);
  if (!arguments->quiet) printf("wrote %s\n", arguments->output);
  return CPS_EXIT_OK;
}

static int draw_picture(const PlotArguments* arguments, CpsResult* result) {
  CpsResultInfo info = cps_result_info(result);
  CpsPicture picture = {.frame = info.frames - 1};
  if (!cps_read_direction(arguments->view, &picture.view)) {
    return cps_complain("--view: '%s' is not x, y, z, -x, -y, -z or three numbers A,B,C", arguments->view);
  }
  if (arguments->frame != LAST_FRAME) picture.frame = arguments->frame > INT64_MAX ? -1 : (int64_t)arguments->frame;
  char name[128], title[256], time[32];
  cps_run_base_name(arguments->file, name, sizeof name);
  const char* said = info.title[0] ? info.title : name;
  double at = cps_result_frame_time(result, picture.frame);
  snprintf(title, sizeof title, "%.150s, t = %s", said, cps_run_time_text(at, time));
  picture.title = title;
  CpsError error = {""};
  CpsStatus status = cps_picture_write(&picture, result, arguments->output, &error);
  if (status != CPS_OK) return cps_complain("%s", error.text);
  if (!arguments->quiet) printf("wrote %s\n", arguments->output);
  return CPS_EXIT_OK;
}

static CpsParse parse(int argc, char** argv, PlotArguments* arguments) {
  const CpsOption options[] = {
      {"what", 'w', CPS_OPTION_TEXT, &arguments->what, "W", "what to plot, see above [energy]", 0},
      {"output", 'o', CPS_OPTION_TEXT, &arguments->output, "F.svg",
       "output file, .svg or .png [OUT-W.svg in the current folder]", 0},
      {"from", 0, CPS_OPTION_NOT_NEGATIVE, &arguments->from, "T", "start at simulated time T, in seconds [0]", 0},
      {"to", 0, CPS_OPTION_POSITIVE, &arguments->to, "T", "end at simulated time T, in seconds [end of the run]", 0},
      {"picture", 'p', CPS_OPTION_FLAG, &arguments->picture, NULL, "draw a frame instead: fibres, bodies, obstacles",
       0},
      {"frame", 0, CPS_OPTION_NATURAL, &arguments->frame, "N", "frame to draw with --picture [last]", 0},
      {"view", 0, CPS_OPTION_TEXT, &arguments->view, "V",
       "direction to view it from: x, y, z, -x, -y, -z or A,B,C [-y]", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &arguments->quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  char summary[2048] = "Plots a result against simulated time. --what is one of\n";
  for (int i = 0; i < CHART_COUNT; ++i) {
    size_t length = strlen(summary);
    snprintf(summary + length, sizeof summary - length, "  %-12s %s\n", charts[i].name, charts[i].summary);
  }
  strcat(summary,
         "or the name of any series in the result (docs/reference/result.md). For a sweep folder, plots a quantity of\n"
         "its table against the first varied key ('capstan sweep --help'). PNG output needs rsvg-convert.");
  const CpsCommandLine line = {
      .name = "plot",
      .usage = "OUT.h5|DIR [OPTIONS]",
      .summary = summary,
      .options = options,
      .examples =
          "  capstan plot wall.h5\n"
          "  capstan plot wall.h5 --what contacts --from 0.5 -o contacts.png\n"
          "  capstan plot ramps --what way:block\n"
          "  capstan plot hair.h5 --picture --frame 30 --view 1,-2,0.5\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed;
  if (word_count != 1) {
    if (word_count == 0) cps_complain("plot needs a result; see 'capstan plot --help'");
    if (word_count > 1) cps_complain("plot takes one result; unexpected argument '%s'", argv[1]);
    return CPS_PARSE_BAD;
  }
  arguments->file = argv[0];
  if (!arguments->output) {
    char name[256];
    cps_run_base_name(arguments->file, name, sizeof name);
    snprintf(arguments->output_room, sizeof arguments->output_room, "%s-%.100s.svg", name,
             arguments->picture ? "picture" : arguments->what);
    arguments->output = arguments->output_room;
  }
  return CPS_PARSE_GO;
}

int cps_cmd_plot(int argc, char** argv) {
  PlotArguments arguments = {.what = "energy", .view = "-y", .frame = LAST_FRAME};
  CpsParse parsed = parse(argc, argv, &arguments);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  CpsResult* result = NULL;
  CpsError error;
  if (cps_is_sweep(arguments.file)) {
    return cps_plot_sweep(arguments.file, arguments.what, arguments.output, arguments.quiet);
  }
  if (cps_result_open(arguments.file, &result, &error) != CPS_OK) return cps_complain("%s", error.text);
  if (arguments.picture) {
    int drawn = draw_picture(&arguments, result);
    cps_result_destroy(result);
    return drawn;
  }
  const Chart* chart = find_chart(arguments.what);
  const Chart single = {arguments.what, arguments.what, false, {{arguments.what, {arguments.what}}}, ""};
  int64_t steps = cps_result_info(result).steps;
  double* room = malloc((3 * (size_t)steps + 4 * BUCKET_MAX * CURVE_MAX) * sizeof *room);
  int code = !room        ? cps_complain("%s: out of memory", arguments.file)
             : steps == 0 ? cps_complain("%s: contains no steps yet", arguments.file)
                          : draw(&arguments, chart ? chart : &single, result, room);
  free(room);
  cps_result_destroy(result);
  return code;
}
