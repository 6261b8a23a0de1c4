// capstan plot: draws the series of a result over time, or one of its frames.
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
#define RATE_WINDOWS 10.0
#define BUCKET_MAX 1000  // more points than this are not visible in a picture

// A curve is a sum of series of the result.
typedef struct Curve {
  const char* label;
  const char* terms[TERM_MAX];
} Curve;

// RATE: linear, change of the series per second.
typedef enum Scale { LINEAR, LOGARITHMIC, RATE } Scale;

typedef struct Chart {
  const char* name;
  const char* label;  // of the vertical axis
  Scale scale;
  Curve curves[CURVE_MAX];
  const char* summary;
} Chart;

static const Chart charts[] = {
    {"energy",
     "energy (J)",
     LINEAR,
     {{"total", {"kinetic", "potential", "elastic"}},
      {"kinetic", {"kinetic"}},
      {"potential", {"potential"}},
      {"elastic", {"elastic"}},
      {"dissipated", {"friction", "impact", "damping", "linearisation", "scheme", "projection", "ties"}}},
     "kinetic, potential, elastic, their sum, and dissipated energy"},
    {"dissipation",
     "dissipated (J)",
     LINEAR,
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
     LINEAR,
     {{"contacts", {"contacts"}}, {"stick", {"stick"}}, {"slide", {"slide"}}},
     "number of contacts: all, sticking, sliding"},
    {"residual", "residual", LOGARITHMIC, {{"residual", {"residual"}}}, "largest residual in each step"},
    {"iterations",
     "iterations",
     LINEAR,
     {{"iterations", {"iterations"}}},
     "largest iteration count of an island in each step"},
    {"penetration", "penetration (m)", LINEAR, {{"penetration", {"penetration"}}}, "largest penetration in each step"},
    {"step", "step (s)", LOGARITHMIC, {{"step", {"step"}}}, "length of each time step"},
    {"cost", "wall clock (s)", LOGARITHMIC, {{"step", {"seconds"}}}, "wall-clock time of each step"},
    {"parts",
     "wall clock (s)",
     LOGARITHMIC,
     {{"step", {"seconds"}},
      {"predict", {"seconds_predict"}},
      {"detect", {"seconds_detect"}},
      {"assemble", {"seconds_assemble"}},
      {"solve", {"seconds_solve"}},
      {"advance", {"seconds_advance"}}},
     "wall-clock time of each step and of its parts"},
    {"crossings",
     "crossings",
     LINEAR,
     {{"crossings", {"crossings"}}},
     "places where fibres passed through something, in each step"},
    {"runout",
     "run-out (m)",
     LINEAR,
     {{"farthest grain", {"runout"}}, {"99 % of the grains", {"runout_99"}}},
     "grains: horizontal distance from where they started"},
    {"discharge",
     "discharge (kg/s)",
     RATE,
     {{"discharge", {"outflow"}}},
     "grains: mass per second that falls below where they started"},
    {"fraction",
     "volume fraction",
     LINEAR,
     {{"mean", {"fraction"}}, {"largest", {"fraction_max"}}},
     "grains: part of the space that they take"},
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

// Reports an unknown word: suggests the nearest chart, or lists all of them.
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

// Change per second over the last tenth of the run: particles fall in rows.
static void differentiate(const double* time, double* values, int64_t count, double* room) {
  const double window = (time[count - 1] - time[0]) / RATE_WINDOWS;
  int64_t from = 0;
  for (int64_t k = 0; k < count; ++k) {
    while (from + 1 < k && time[from + 1] <= time[k] - window) ++from;
    const double past = time[k] - time[from];
    room[k] = past > 0.0 ? (values[k] - values[from]) / past : 0.0;
  }
  for (int64_t k = 0; k < count; ++k) values[k] = room[k];
}

// Keeps the smallest and the largest point of each of BUCKET_MAX slices, in order, so that peaks stay visible.
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
    // without fibres, elastic energy is not shown
    if (c > 0 && info.fibres == 0 && strcmp(curve->label, "elastic") == 0) continue;
    CpsStatus status = read_curve(result, curve, info.steps, sum, term, &error);
    if (status == CPS_BAD_ARGUMENT && chart->summary[0] == '\0') return complain_what(arguments->what, &error);
    if (status != CPS_OK) return cps_complain("%s", error.text);
    if (chart->scale == RATE) differentiate(time, sum, info.steps, term);
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
      .y = {.label = chart->label, .log = chart->scale == LOGARITHMIC},
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
         "  force:NAME   grains: force on an obstacle or a body, and its components\n"
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
          "  capstan plot crater.h5 --what force:ball\n"
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
    // "force:ball" is a bad file name
    for (char* c = arguments->output_room; *c; ++c) {
      if (*c == ':') *c = '-';
    }
    arguments->output = arguments->output_room;
  }
  return CPS_PARSE_GO;
}

// "force:NAME": the magnitude and the components.
typedef struct ForceChart {
  char names[4][128];
  Chart chart;
} ForceChart;

static const Chart* force_chart(const char* what, ForceChart* f) {
  static const char* const STARTS[4] = {"force:", "force_x:", "force_y:", "force_z:"};
  static const char* const LABELS[4] = {"magnitude", "x", "y", "z"};
  if (strncmp(what, STARTS[0], strlen(STARTS[0])) != 0) return NULL;
  f->chart = (Chart){.name = what, .label = "force (N)", .summary = "force"};
  for (int k = 0; k < 4; ++k) {
    snprintf(f->names[k], sizeof f->names[k], "%s%.100s", STARTS[k], what + strlen(STARTS[0]));
    f->chart.curves[k] = (Curve){LABELS[k], {f->names[k]}};
  }
  return &f->chart;
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
  ForceChart force;
  const Chart* chart = find_chart(arguments.what);
  if (!chart) chart = force_chart(arguments.what, &force);
  const Chart single = {arguments.what, arguments.what, LINEAR, {{arguments.what, {arguments.what}}}, ""};
  int64_t steps = cps_result_info(result).steps;
  double* room = malloc((3 * (size_t)steps + 4 * BUCKET_MAX * CURVE_MAX) * sizeof *room);
  int code = !room        ? cps_complain("%s: out of memory", arguments.file)
             : steps == 0 ? cps_complain("%s: contains no steps yet", arguments.file)
                          : draw(&arguments, chart ? chart : &single, result, room);
  free(room);
  cps_result_destroy(result);
  return code;
}
