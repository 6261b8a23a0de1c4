// capstan compare: many methods on many problems, one tolerance, one measure.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "capstan/fclib.h"
#include "capstan/solve.h"
#include "cli/choose.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/table.h"
#include "draw/plot.h"
#include "draw/profile.h"

#define METHOD_MAX 64
#define DEFAULT_TIME_LIMIT 10.0

// One method on one problem.
typedef struct Run {
  CpsStatus status;  // < 0: the method refused the problem
  bool done;         // false: the comparison stopped earlier
  CpsSolveInfo info;
  double seconds;  // median over the repetitions
} Run;

typedef struct Comparison {
  char** files;
  int problem_count, method_count;
  CpsSolveOptions methods[METHOD_MAX];
  char* names[METHOD_MAX];  // as given by the user
  char* name_list;          // owns the names
  CpsProblem** problems;
  double* elimination;  // s, conversion time of each global file
  Run* runs;            // problem-major
  double* seconds;      // the same, NaN where unsolved, for the profile
  CpsProgressLine* progress;
  int64_t repeat, threads;
  const char *method_list, *svg, *csv, *plot;
  bool as_json, quiet, no_profile;
  CpsSolveOptions base;
} Comparison;

// Fills the list of methods: those given, or all exact methods of this build.
static bool choose_methods(Comparison* comparison) {
  if (!comparison->method_list) {
    for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
      const CpsMethodInfo* info = cps_method_info((CpsMethod)m);
      if (!info || !info->available || !info->exact) continue;
      CpsSolveOptions* options = &comparison->methods[comparison->method_count];
      *options = comparison->base;
      options->method = (CpsMethod)m;
      comparison->names[comparison->method_count++] = (char*)info->name;
    }
    return true;
  }
  size_t size = strlen(comparison->method_list) + 1;
  comparison->name_list = malloc(size);
  if (!comparison->name_list) {
    cps_complain("out of memory");
    return false;
  }
  memcpy(comparison->name_list, comparison->method_list, size);
  char* rest = comparison->name_list;
  for (char* name = strtok_r(rest, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    if (comparison->method_count == METHOD_MAX) {
      cps_complain("--methods: more than %d methods", METHOD_MAX);
      return false;
    }
    CpsSolveOptions* options = &comparison->methods[comparison->method_count];
    *options = comparison->base;
    // "gs/enum": a method and its local solver
    char* slash = strchr(name, '/');
    char method[64];
    snprintf(method, sizeof method, "%.*s", (int)(slash ? slash - name : (ptrdiff_t)strlen(name)), name);
    if (!cps_choose_method(options, method)) return false;
    if (slash && !cps_choose_local(options, slash + 1)) return false;
    comparison->names[comparison->method_count++] = name;
  }
  if (comparison->method_count > 0) return true;
  cps_complain("--methods: the list is empty");
  return false;
}

static CpsParse parse(int argc, char** argv, Comparison* comparison) {
  comparison->base = cps_solve_options_default();
  comparison->base.time_limit = DEFAULT_TIME_LIMIT;
  comparison->repeat = comparison->threads = 1;
  CpsSolveOptions* base = &comparison->base;
  const CpsOption options[] = {
      {"methods", 'm', CPS_OPTION_TEXT, &comparison->method_list, "A,B",
       "methods, optionally with a local solver: gs/enum [all exact]", 0},
      {"tol", 't', CPS_OPTION_POSITIVE, &base->tolerance, "T", "residual tolerance for convergence [1e-8]", 0},
      {"max-iter", 0, CPS_OPTION_COUNT, &base->max_iterations, "N",
       "maximum iterations, as each method counts them [10000]", 0},
      {"time-limit", 0, CPS_OPTION_NOT_NEGATIVE, &base->time_limit, "S",
       "CPU time limit per solve in seconds, 0 for none [10]", 0},
      {"repeat", 0, CPS_OPTION_COUNT, &comparison->repeat, "K", "solve K times and report the median time [1]", 1000},
      {"threads", 'j', CPS_OPTION_COUNT, &comparison->threads, "N", "threads per solve [1]", 1024},
      {"svg", 0, CPS_OPTION_TEXT, &comparison->svg, "F.svg", "write the performance profile as SVG [profile.svg]", 0},
      {"csv", 0, CPS_OPTION_TEXT, &comparison->csv, "F.csv", "write the performance profile as CSV [profile.csv]", 0},
      {"no-profile", 0, CPS_OPTION_FLAG, &comparison->no_profile, NULL, "do not write a performance profile", 0},
      {"plot", 0, CPS_OPTION_TEXT, &comparison->plot, "F.svg",
       "single FILE: plot the residual of each method against time", 0},
      {"json", 0, CPS_OPTION_FLAG, &comparison->as_json, NULL, "print one JSON object", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &comparison->quiet, NULL, "do not show progress", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "compare",
      .usage = "FILE.hdf5… [OPTIONS]",
      .summary =
          "Solves every problem with every method and prints the CPU time in milliseconds, or why the method\n"
          "failed. Writes a performance profile. Exit codes: 0 every problem solved by at least one method,\n"
          "1 some problems unsolved, 2 bad usage or input, 3 any other error.",
      .options = options,
      .examples =
          "  capstan compare *.hdf5 --methods auto,gs,newton-ac --tol 1e-6\n"
          "  capstan compare problem.hdf5 --methods gs/enum,gs/mfb+enum,MFB --repeat 3\n"
          "  capstan compare problem.hdf5 --methods auto,gs,admm --plot convergence.svg --no-profile\n",
  };
  CpsParse parsed = cps_parse(&line, argc, argv, &comparison->problem_count);
  if (parsed != CPS_PARSE_GO) return parsed;
  comparison->files = argv;
  base->threads = (int32_t)comparison->threads;
  if (comparison->problem_count == 0) {
    cps_complain("compare needs problem files; see 'capstan compare --help'");
    return CPS_PARSE_BAD;
  }
  if (comparison->plot && comparison->problem_count > 1) {
    cps_complain("--plot needs exactly one problem file, not %d", comparison->problem_count);
    return CPS_PARSE_BAD;
  }
  if (comparison->no_profile && (comparison->svg || comparison->csv)) {
    cps_complain("--no-profile cannot be combined with --svg or --csv");
    return CPS_PARSE_BAD;
  }
  if (!comparison->no_profile && !comparison->svg && !comparison->csv) {
    comparison->svg = "profile.svg";
    comparison->csv = "profile.csv";
  }
  if (!choose_methods(comparison)) return CPS_PARSE_BAD;
  const char* outputs[] = {comparison->svg, comparison->csv, comparison->plot};
  for (int i = 0; i < 3; ++i) {
    CpsError error;
    if (!outputs[i] || cps_file_check(outputs[i], &error) == CPS_OK) continue;
    cps_complain("%s", error.text);
    return CPS_PARSE_BAD;
  }
  return CPS_PARSE_GO;
}

// Reads all files before the first solve, so that a bad one is reported at once.
static bool load(Comparison* comparison) {
  size_t problems = (size_t)comparison->problem_count, cells = problems * (size_t)comparison->method_count;
  size_t curves = comparison->plot ? (size_t)comparison->method_count : 1;
  comparison->problems = calloc(problems, sizeof(CpsProblem*));
  comparison->elimination = calloc(problems, sizeof *comparison->elimination);
  comparison->runs = calloc(cells, sizeof *comparison->runs);
  comparison->seconds = calloc(cells, sizeof *comparison->seconds);
  comparison->progress = calloc(curves, sizeof *comparison->progress);
  if (!comparison->problems || !comparison->elimination || !comparison->runs || !comparison->seconds ||
      !comparison->progress) {
    cps_complain("out of memory");
    return false;
  }
  for (int p = 0; p < comparison->problem_count; ++p) {
    CpsError error;
    CpsFclibInfo info;
    if (cps_fclib_read(comparison->files[p], CPS_FORM_W, &comparison->problems[p], &info, &error) != CPS_OK) {
      cps_complain("%s", error.text);
      return false;
    }
    comparison->elimination[p] = info.elimination_seconds;
  }
  return true;
}

static int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Solves one problem with one method, repeatedly if requested. Returns false if memory runs out.
static bool run_one(Comparison* comparison, int p, int m) {
  const CpsProblem* problem = comparison->problems[p];
  Run* run = &comparison->runs[(ptrdiff_t)p * comparison->method_count + m];
  CpsProgressLine* progress = &comparison->progress[comparison->plot ? m : 0];
  CpsSolveOptions options = comparison->methods[m];
  options.progress = cps_progress_report;
  options.progress_data = progress;
  size_t rows = (size_t)cps_problem_row_count(problem);
  double* r = malloc((rows + 1) * sizeof *r);
  double* times = malloc((size_t)comparison->repeat * sizeof *times);
  int taken = 0;
  while (r && times && taken < comparison->repeat && !cps_interrupt_seen()) {
    memset(r, 0, (rows + 1) * sizeof *r);
    char label[128];
    snprintf(label, sizeof label, "%.70s  %.30s", cps_file_name(comparison->files[p]), comparison->names[m]);
    cps_progress_begin(progress, label, options.tolerance, comparison->quiet);
    run->status = cps_problem_solve(problem, &options, r, &run->info, NULL);
    cps_progress_end(progress);
    run->done = true;
    if (run->status < 0) break;
    cps_progress_sample(progress, (double)run->info.iterations, run->info.residual, run->info.seconds);
    times[taken++] = run->info.seconds;
    if (run->status != CPS_OK) break;  // a failure is not timed again
  }
  if (times && taken > 0) {
    qsort(times, (size_t)taken, sizeof *times, compare_doubles);
    run->seconds =
        (taken % 2 ? times[taken / 2] : 0.5 * (times[taken / 2 - 1] + times[taken / 2])) + comparison->elimination[p];
  }
  bool solved = run->done && run->status == CPS_OK;
  comparison->seconds[(ptrdiff_t)p * comparison->method_count + m] = solved ? run->seconds : NAN;
  bool had_memory = r && times;
  free(r);
  free(times);
  return had_memory;
}

static void set_cell(CpsTable* table, int row, int column, const Run* run) {
  if (!run->done) {
    cps_table_set(table, row, column, "-");
  } else if (run->status < 0) {
    cps_table_set(table, row, column, run->status == CPS_UNSUPPORTED ? "unsupported" : "refused");
  } else if (run->status == CPS_OK) {
    cps_table_set(table, row, column, "%.*f", run->seconds < 0.01 ? 2 : run->seconds < 0.1 ? 1 : 0, 1e3 * run->seconds);
  } else if (run->status == CPS_NO_SOLUTION || run->status == CPS_INTERRUPTED) {
    cps_table_set(table, row, column, "%s", cps_status_word(run->status));
  } else {
    cps_table_set(table, row, column, "%s%.1e", run->status == CPS_TIME_LIMIT ? "time " : "res ", run->info.residual);
  }
}

static bool print_table(const Comparison* comparison) {
  int problems = comparison->problem_count, methods = comparison->method_count;
  CpsTable table;
  if (!cps_table_init(&table, problems + 2, methods + 2)) return false;
  cps_table_set(&table, 0, 0, "CPU ms to %.0e", comparison->base.tolerance);
  cps_table_set(&table, 0, 1, "contacts");
  cps_table_set(&table, problems + 1, 0, "solved");
  for (int m = 0; m < methods; ++m) {
    cps_table_set(&table, 0, m + 2, "%s", comparison->names[m]);
    int solved = 0;
    for (int p = 0; p < problems; ++p) {
      const Run* run = &comparison->runs[(ptrdiff_t)p * methods + m];
      set_cell(&table, p + 1, m + 2, run);
      solved += run->done && run->status == CPS_OK;
    }
    cps_table_set(&table, problems + 1, m + 2, "%d of %d", solved, problems);
  }
  for (int p = 0; p < problems; ++p) {
    cps_table_set(&table, p + 1, 0, "%s", cps_file_name(comparison->files[p]));
    cps_table_set(&table, p + 1, 1, "%d", (int)cps_problem_contact_count(comparison->problems[p]));
  }
  cps_table_print(&table, stdout, 0, 1);
  cps_table_free(&table);
  return true;
}

static void print_json(const Comparison* comparison) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_number(&json, "tolerance", comparison->base.tolerance);
  cps_json_integer(&json, "threads", comparison->base.threads);
  cps_json_integer(&json, "repeat", comparison->repeat);
  cps_json_open(&json, "runs", '[');
  for (int p = 0; p < comparison->problem_count; ++p) {
    for (int m = 0; m < comparison->method_count; ++m) {
      const Run* run = &comparison->runs[(ptrdiff_t)p * comparison->method_count + m];
      if (!run->done) continue;
      char local[32];
      bool ran = run->status >= 0;
      cps_json_open(&json, NULL, '{');
      cps_json_text(&json, "problem", comparison->files[p]);
      cps_json_integer(&json, "contacts", cps_problem_contact_count(comparison->problems[p]));
      cps_json_text(&json, "name", comparison->names[m]);
      cps_json_text(&json, "method", cps_method_name(comparison->methods[m].method));
      cps_json_text(&json, "local", ran ? cps_local_name(&run->info, local) : NULL);
      cps_json_text(&json, "status", ran ? cps_status_word(run->status) : "refused");
      cps_json_number(&json, "residual", ran ? run->info.residual : NAN);
      cps_json_number(&json, "residual_siconos", ran ? run->info.residual_siconos : NAN);
      cps_json_number(&json, "iterations", ran ? (double)run->info.iterations : NAN);
      cps_json_number(&json, "seconds", ran ? run->seconds : NAN);
      cps_json_close(&json, '}');
    }
  }
  cps_json_close(&json, ']');
  cps_json_close(&json, '}');
  putchar('\n');
}

// Residual over CPU time of each method, for a single problem.
static CpsStatus write_plot(const Comparison* comparison, CpsError* error) {
  CpsPlotSeries series[METHOD_MAX];
  for (int m = 0; m < comparison->method_count; ++m) {
    CpsProgressLine* line = &comparison->progress[m];
    for (int k = 0; k < line->sample_count; ++k) line->seconds[k] = fmax(1e3 * line->seconds[k], 1e-3);
    series[m] = (CpsPlotSeries){comparison->names[m], line->seconds, line->sampled, line->sample_count};
  }
  char title[160], goal[32];
  snprintf(title, sizeof title, "%.100s, %d contacts", cps_file_name(comparison->files[0]),
           (int)cps_problem_contact_count(comparison->problems[0]));
  snprintf(goal, sizeof goal, "tolerance: %.0e", comparison->base.tolerance);
  CpsPlot plot = {
      .title = title,
      .x = {.label = "CPU time (ms)", .log = true},
      .y = {.label = "residual", .log = true},
      .series = series,
      .series_count = comparison->method_count,
      .mark_ends = true,
      .level = comparison->base.tolerance,
      .level_label = goal,
  };
  return cps_plot_write(&plot, comparison->plot, error);
}

static bool say_written(const Comparison* comparison, CpsStatus status, const char* path, const CpsError* error) {
  if (status != CPS_OK) {
    cps_complain("%s", error->text);
    return false;
  }
  if (!comparison->as_json) printf("wrote %s\n", path);
  return true;
}

static bool write_files(const Comparison* comparison) {
  CpsError error;
  CpsProfile profile = {comparison->method_count, comparison->problem_count, (const char* const*)comparison->names,
                        comparison->seconds};
  bool done = true;
  if (comparison->svg) {
    done &= say_written(comparison, cps_profile_write_svg(&profile, comparison->svg, &error), comparison->svg, &error);
  }
  if (comparison->csv) {
    done &= say_written(comparison, cps_profile_write_csv(&profile, comparison->csv, &error), comparison->csv, &error);
  }
  if (comparison->plot) {
    done &= say_written(comparison, write_plot(comparison, &error), comparison->plot, &error);
  }
  return done;
}

static int run_all(Comparison* comparison) {
  cps_interrupt_catch();
  bool all_solved = true;
  for (int p = 0; p < comparison->problem_count; ++p) {
    bool solved = false;
    for (int m = 0; m < comparison->method_count; ++m) {
      ptrdiff_t at = (ptrdiff_t)p * comparison->method_count + m;
      comparison->seconds[at] = NAN;
      if (cps_interrupt_seen()) continue;
      if (!run_one(comparison, p, m)) return cps_complain("%s: out of memory", comparison->files[p]);
      solved |= comparison->runs[at].done && comparison->runs[at].status == CPS_OK;
    }
    all_solved &= solved;
  }
  if (comparison->as_json) {
    print_json(comparison);
  } else if (!print_table(comparison)) {
    return cps_complain("out of memory");
  }
  if (!write_files(comparison)) return CPS_EXIT_BAD_INPUT;
  return all_solved && !cps_interrupt_seen() ? CPS_EXIT_OK : CPS_EXIT_NOT_SOLVED;
}

static void unload(Comparison* comparison) {
  for (int p = 0; comparison->problems && p < comparison->problem_count; ++p) {
    cps_problem_destroy(comparison->problems[p]);
  }
  free(comparison->problems);
  free(comparison->elimination);
  free(comparison->runs);
  free(comparison->seconds);
  free(comparison->progress);
  free(comparison->name_list);
}

int cps_cmd_compare(int argc, char** argv) {
  Comparison* comparison = calloc(1, sizeof *comparison);
  if (!comparison) return cps_complain("out of memory");
  CpsParse parsed = parse(argc, argv, comparison);
  int code = parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (parsed == CPS_PARSE_GO && load(comparison)) code = run_all(comparison);
  unload(comparison);
  free(comparison);
  return code;
}
