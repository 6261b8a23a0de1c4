// capstan solve: one problem file, one method, a short report.
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
#include "draw/plot.h"

typedef struct SolveArguments {
  const char* file;
  const char* method;
  const char* local;
  const char* facet_kind;
  const char* law;
  const char* output;
  const char* plot;
  int64_t threads, facets;
  bool as_json, quiet, factored, warm;
  CpsSolveOptions options;
} SolveArguments;

// Makes checks beyond those of the parser: names, and whether outputs can be written.
static bool complete(SolveArguments* arguments) {
  CpsSolveOptions* options = &arguments->options;
  if (arguments->method && !cps_choose_method(options, arguments->method)) return false;
  if (arguments->local && !cps_choose_local(options, arguments->local)) return false;
  if (arguments->facets % 2 != 0 || arguments->facets < 4) {
    cps_complain("--facets: %lld is not an even number >= 4", (long long)arguments->facets);
    return false;
  }
  if (strcmp(arguments->facet_kind, "inner") != 0 && strcmp(arguments->facet_kind, "outer") != 0) {
    cps_complain("--facet-kind: '%s' is neither inner nor outer", arguments->facet_kind);
    return false;
  }
  if (arguments->law && strcmp(arguments->law, "coulomb") != 0 && strcmp(arguments->law, "convex") != 0) {
    cps_complain("--law: '%s' is neither coulomb nor convex", arguments->law);
    return false;
  }
  options->threads = (int32_t)arguments->threads;
  options->facets = (int32_t)arguments->facets;
  options->facet_kind = strcmp(arguments->facet_kind, "outer") == 0 ? CPS_FACETS_OUTER : CPS_FACETS_INNER;
  const char* outputs[] = {arguments->output, arguments->plot};
  for (int i = 0; i < 2; ++i) {
    CpsError error;
    if (!outputs[i] || cps_file_check(outputs[i], &error) == CPS_OK) continue;
    cps_complain("%s", error.text);
    return false;
  }
  return true;
}

static CpsParse parse(int argc, char** argv, SolveArguments* arguments) {
  *arguments = (SolveArguments){.facet_kind = "inner", .threads = 1, .facets = 4};
  arguments->options = cps_solve_options_default();
  CpsSolveOptions* solve = &arguments->options;
  const CpsOption options[] = {
      {"method", 'm', CPS_OPTION_TEXT, &arguments->method, "M", "method, or its name in the literature [auto]", 0},
      {"local", 'l', CPS_OPTION_TEXT, &arguments->local, "L", "one-contact solver for gs methods [mfb+enum]", 0},
      {"tol", 't', CPS_OPTION_POSITIVE, &solve->tolerance, "T", "residual tolerance for convergence [1e-8]", 0},
      {"max-iter", 0, CPS_OPTION_COUNT, &solve->max_iterations, "N",
       "maximum iterations, as the method counts them [10000]", 0},
      {"time-limit", 0, CPS_OPTION_NOT_NEGATIVE, &solve->time_limit, "S", "CPU time limit in seconds, 0 for none [0]",
       0},
      {"threads", 'j', CPS_OPTION_COUNT, &arguments->threads, "N", "number of threads; does not affect the result [1]",
       1024},
      {"output", 'o', CPS_OPTION_TEXT, &arguments->output, "F.hdf5", "write the problem and its solution", 0},
      {"plot", 0, CPS_OPTION_TEXT, &arguments->plot, "F.svg", "plot the residual against iterations", 0},
      {"json", 0, CPS_OPTION_FLAG, &arguments->as_json, NULL, "print one JSON object", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &arguments->quiet, NULL, "print nothing but errors", 0},
      {"check", 0, CPS_OPTION_FLAG, &solve->check_identities, NULL, "print how well each identity of the law holds", 0},
      {"warm", 0, CPS_OPTION_FLAG, &arguments->warm, NULL, "warm start from /solution/r in the file", 0},
      {"factored", 0, CPS_OPTION_FLAG, &arguments->factored, NULL, "keep a global problem as H and M^-1 H^T, without W",
       0},
      {"law", 0, CPS_OPTION_TEXT, &arguments->law, "L", "law of all contacts, coulomb or convex [from the file]", 0},
      {"facets", 0, CPS_OPTION_COUNT, &arguments->facets, "N", "number of sides of a faceted cone, even, >= 4 [4]",
       10000},
      {"facet-kind", 0, CPS_OPTION_TEXT, &arguments->facet_kind, "K", "inner or outer polygon [inner]", 0},
      {"no-freeze", 0, CPS_OPTION_OFF, &solve->freeze, NULL, "gs: visit settled contacts in every sweep", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "solve",
      .usage = "FILE.hdf5 [OPTIONS]",
      .summary =
          "Solves an FCLIB problem (local or global) and reports the residual. Ctrl-C stops at the next\n"
          "iteration and still reports. Exit codes: 0 converged, 1 not solved (the best iterate is written),\n"
          "2 bad usage or input, 3 any other error.",
      .options = options,
      .examples =
          "  capstan solve problem.hdf5\n"
          "  capstan solve problem.hdf5 --method gs --local enum --tol 1e-6 --json\n"
          "  capstan solve problem.hdf5 --method NSGS --plot convergence.svg -o solution.hdf5\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed;
  if (word_count != 1) {
    if (word_count == 0) cps_complain("solve needs a problem file; see 'capstan solve --help'");
    if (word_count > 1) cps_complain("solve takes one problem file; unexpected argument '%s'", argv[1]);
    return CPS_PARSE_BAD;
  }
  arguments->file = argv[0];
  return complete(arguments) ? CPS_PARSE_GO : CPS_PARSE_BAD;
}

static CpsStatus write_plot(const SolveArguments* arguments, const CpsSolveInfo* info, const CpsProgressLine* samples,
                            CpsError* error) {
  char title[160], goal[32];
  snprintf(title, sizeof title, "%.100s: %s", cps_file_name(arguments->file), cps_status_word(info->status));
  snprintf(goal, sizeof goal, "tolerance: %.0e", arguments->options.tolerance);
  CpsPlotSeries series = {cps_method_name(info->method), samples->iteration, samples->sampled, samples->sample_count};
  CpsPlot plot = {
      .title = title,
      .x = {.label = "iterations"},
      .y = {.label = "residual", .log = true},
      .series = &series,
      .series_count = 1,
      .mark_ends = true,
      .level = arguments->options.tolerance,
      .level_label = goal,
  };
  return cps_plot_write(&plot, arguments->plot, error);
}

static CpsStatus write_solution(const SolveArguments* arguments, const CpsProblem* problem, const double* r,
                                const char* title, CpsError* error) {
  double* u = malloc(((size_t)cps_problem_row_count(problem) + 1) * sizeof *u);
  CpsStatus status = u ? cps_problem_velocity(problem, r, u) : CPS_NO_MEMORY;
  if (status == CPS_OK) {
    status = cps_fclib_write(arguments->output, problem, r, u, title, error);
  } else {
    snprintf(error->text, sizeof error->text, "%s: out of memory", arguments->output);
  }
  free(u);
  return status;
}

static void print_json(const SolveArguments* arguments, const CpsProblem* problem, const CpsSolveInfo* info) {
  char local[32];
  const int64_t* offset = cps_problem_offsets(problem);
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "problem", arguments->file);
  cps_json_integer(&json, "contacts", cps_problem_contact_count(problem));
  cps_json_integer(&json, "dim", cps_problem_contact_count(problem) > 0 ? offset[1] - offset[0] : 3);
  cps_json_text(&json, "method", cps_method_name(info->method));
  cps_json_text(&json, "local", cps_local_name(info, local));
  cps_json_text(&json, "status", cps_status_word(info->status));
  cps_json_number(&json, "residual", info->residual);
  cps_json_number(&json, "residual_islands", info->residual_islands);
  cps_json_number(&json, "residual_siconos", info->residual_siconos);
  cps_json_integer(&json, "iterations", info->iterations);
  cps_json_number(&json, "seconds", info->seconds);
  cps_json_integer(&json, "threads", arguments->options.threads);
  cps_json_integer(&json, "stick", info->stick);
  cps_json_integer(&json, "slide", info->slide);
  cps_json_integer(&json, "takeoff", info->takeoff);
  cps_json_close(&json, '}');
  putchar('\n');
}

// Solves, writes the requested files, and reports. r has room for all rows.
static int solve_and_report(SolveArguments* arguments, const CpsProblem* problem, const CpsFclibInfo* file_info,
                            double* r, CpsProgressLine* progress) {
  CpsError error = {""};
  CpsSolveInfo info;
  if (arguments->warm &&
      cps_fclib_read_solution(arguments->file, cps_problem_row_count(problem), r, NULL, &error) != CPS_OK) {
    return cps_complain("%s", error.text);
  }
  cps_progress_begin(progress, cps_method_name(arguments->options.method), arguments->options.tolerance,
                     arguments->quiet);
  CpsResidual start;
  if (cps_problem_residual(problem, r, &start) == CPS_OK) cps_progress_sample(progress, 0.0, start.natural, 0.0);
  arguments->options.progress = cps_progress_report;
  arguments->options.progress_data = progress;
  CpsStatus status = cps_problem_solve(problem, &arguments->options, r, &info, &error);
  cps_progress_end(progress);
  if (status < 0) return cps_complain("%s: %s", arguments->file, error.text);
  cps_progress_sample(progress, (double)info.iterations, info.residual, info.seconds);
  // eliminating v from a global file is part of the work, reading it is not
  info.seconds += file_info->elimination_seconds;

  int code = status == CPS_OK ? CPS_EXIT_OK : CPS_EXIT_NOT_SOLVED;
  if (arguments->as_json) {
    print_json(arguments, problem, &info);
  } else if (!arguments->quiet) {
    cps_report_print(&info, &arguments->options, cps_problem_contact_count(problem), &error);
  }
  if (arguments->output) {
    if (write_solution(arguments, problem, r, file_info->title, &error) != CPS_OK) {
      code = cps_complain("%s", error.text);
    } else if (!arguments->as_json && !arguments->quiet) {
      printf("wrote %s\n", arguments->output);
    }
  }
  if (arguments->plot) {
    if (write_plot(arguments, &info, progress, &error) != CPS_OK) {
      code = cps_complain("%s", error.text);
    } else if (!arguments->as_json && !arguments->quiet) {
      printf("wrote %s\n", arguments->plot);
    }
  }
  return code;
}

int cps_cmd_solve(int argc, char** argv) {
  SolveArguments arguments;
  CpsParse parsed = parse(argc, argv, &arguments);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  cps_interrupt_catch();
  CpsProblem* problem = NULL;
  CpsFclibInfo file_info;
  CpsError error;
  CpsForm form = arguments.factored ? CPS_FORM_FACTORED : CPS_FORM_SPARSE;
  if (cps_fclib_read(arguments.file, form, &problem, &file_info, &error) != CPS_OK) {
    return cps_complain("%s", error.text);
  }
  if (arguments.law) {
    (void)cps_problem_set_cone_law(problem, strcmp(arguments.law, "convex") == 0 ? CPS_LAW_CONVEX : CPS_LAW_COULOMB);
  }
  double* r = calloc((size_t)cps_problem_row_count(problem) + 1, sizeof *r);
  CpsProgressLine* progress = malloc(sizeof *progress);
  int code = r && progress ? solve_and_report(&arguments, problem, &file_info, r, progress)
                           : cps_complain("%s: out of memory", arguments.file);
  free(progress);
  free(r);
  cps_problem_destroy(problem);
  return code;
}
