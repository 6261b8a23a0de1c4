// capstan sweep: runs one scene many times with different values.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capstan/scene.h"
#include "cli/command.h"
#include "cli/find_scene.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/run_report.h"
#include "cli/sweep_run.h"
#include "cli/sweep_table.h"
#include "cli/table.h"

enum { SHOWN_FAILURES = 20 };

typedef struct SweepArguments {
  const char *scene, *output, *task, *what;
  char scene_room[CPS_SCENE_PATH_MAX], output_room[300];
  char* own_vary;  // the sweep of the scene, split at its semicolons
  CpsOptionList vary, sets;
  int64_t seeds, samples, jobs, threads;
  uint64_t sample_seed;
  double until, seconds, megabytes;
  bool table, retry, again, as_json, quiet;
  int64_t share, shares;
  int word_count;  // the original command line, from "sweep" on
  char** words;
} SweepArguments;

// K/N, with 1 <= K <= N.
static bool read_task(SweepArguments* arguments) {
  arguments->shares = 1;
  if (!arguments->task) return true;
  long long k, n;
  char more;
  if (sscanf(arguments->task, "%lld/%lld%c", &k, &n, &more) != 2 || k < 1 || n < k || n > CPS_SWEEP_CASES) {
    cps_complain("--task: '%s' is not K/N with whole numbers 1 <= K <= N", arguments->task);
    return false;
  }
  arguments->share = k - 1;
  arguments->shares = n;
  return true;
}

// The last line of a case's log.
static void last_line(const CpsSweep* sweep, int64_t number, char* line, size_t size) {
  char path[CPS_SWEEP_PATH], text[512];
  line[0] = '\0';
  FILE* file = cps_sweep_path(sweep, number, "log", path) ? fopen(path, "r") : NULL;
  if (!file) return;
  while (fgets(text, sizeof text, file)) {
    text[strcspn(text, "\n")] = '\0';
    if (text[0]) snprintf(line, size, "%.399s", text);
  }
  fclose(file);
}

static void print_failures(const CpsSweep* sweep, const SweepArguments* arguments) {
  int64_t shown = 0, more = 0;
  for (int64_t i = arguments->share; i < sweep->plan.case_count; i += arguments->shares) {
    CpsSweepEnd end;
    char text[256], why[400];
    if (!cps_sweep_read_end(sweep, i, &end) || cps_sweep_has_result(&end)) continue;
    if (shown++ >= SHOWN_FAILURES) {
      ++more;
      continue;
    }
    last_line(sweep, i, why, sizeof why);
    if (end.out_of_time) {
      snprintf(why, sizeof why, "stopped after %.3g s", end.seconds);
    } else if (end.exit > 128 && end.exit != CPS_EXIT_INTERRUPTED) {
      // in the notation of shells, if the case was ended by a signal: its log ends before this
      snprintf(why, sizeof why, "killed by signal %d%s", end.exit - 128,
               arguments->megabytes > 0.0 ? "; the memory limit may be too small" : "");
    }
    fprintf(stderr, "capstan: case %04" PRId64 " (%s) failed, exit %d%s%s\n", i + 1,
            cps_sweep_case_text(sweep, i, text, sizeof text), end.exit, why[0] ? ": " : "", why);
  }
  if (more > 0) fprintf(stderr, "capstan: and %" PRId64 " more failed cases\n", more);
}

static void print_json(const CpsSweep* sweep, const CpsSweepCount* count) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "folder", sweep->folder);
  cps_json_text(&json, "scene", sweep->scene);
  cps_json_integer(&json, "cases", count->cases);
  cps_json_integer(&json, "sound", count->sound);
  cps_json_integer(&json, "unsound", count->unsound);
  cps_json_integer(&json, "failed", count->failed);
  cps_json_integer(&json, "elsewhere", count->elsewhere);
  cps_json_integer(&json, "before", count->before);
  cps_json_bool(&json, "interrupted", count->interrupted);
  cps_json_number(&json, "seconds", count->seconds);
  cps_json_close(&json, '}');
  putchar('\n');
}

static int gather(const CpsSweep* sweep, const SweepArguments* arguments, bool print) {
  CpsSweepTable table;
  CpsError error;
  CpsStatus status = cps_sweep_gather(sweep, arguments->what ? arguments->what : cps_sweep_quantities, &table, &error);
  if (status != CPS_OK) return cps_complain("%s", error.text);
  status = cps_sweep_table_write(sweep, &table, &error);
  CpsTable text = {0};
  int columns = 1 + table.axis_count + table.quantity_count;
  if (status == CPS_OK && print && cps_table_init(&text, (int)table.rows + 1, columns)) {
    cps_table_set(&text, 0, 0, "case");
    for (int32_t a = 0; a < table.axis_count; ++a) cps_table_set(&text, 0, 1 + a, "%s", sweep->plan.axes[a].key);
    for (int32_t q = 0; q < table.quantity_count; ++q) {
      cps_table_set(&text, 0, 1 + table.axis_count + q, "%s", table.names[q]);
    }
    for (int64_t i = 0; i < table.rows; ++i) {
      int row = (int)i + 1;
      cps_table_set(&text, row, 0, "%04d", row);
      for (int32_t a = 0; a < table.axis_count; ++a) {
        const char* unit = sweep->plan.axes[a].unit;
        cps_table_set(&text, row, 1 + a, "%s%s%s", cps_sweep_value(&sweep->plan, i, a), unit[0] ? " " : "", unit);
      }
      for (int32_t q = 0; q < table.quantity_count; ++q) {
        double value = table.values[i * table.quantity_count + q];
        if (isnan(value)) {
          cps_table_set(&text, row, 1 + table.axis_count + q, "-");
        } else {
          cps_table_set(&text, row, 1 + table.axis_count + q, "%.6g", value);
        }
      }
    }
    cps_table_print(&text, stdout, 0, 1);
    cps_table_free(&text);
  }
  cps_sweep_table_free(&table);
  return status == CPS_OK ? CPS_EXIT_OK : cps_complain("%s", error.text);
}

// The error message of a case, which received its values as --set.
static void complain_case(const CpsError* error) {
  static const char said[] = "--set ";
  if (strncmp(error->text, "--set seed: unknown", 19) == 0) {
    cps_complain("--seeds: the scene has no parameter 'seed'; add one and use it as 'seed: $seed'");
  } else if (strncmp(error->text, said, strlen(said)) == 0) {
    cps_complain("--vary %s", error->text + strlen(said));
  } else {
    cps_complain_at(error->text);
  }
}

// Reads the scene with the values of a case.
static CpsStatus try_case(const CpsSweep* sweep, int64_t number, CpsError* error) {
  const int32_t count = sweep->fixed_count + sweep->plan.axis_count;
  const char** sets = malloc((size_t)count * sizeof *sets);
  char(*texts)[512] = malloc((size_t)sweep->plan.axis_count * sizeof *texts);
  CpsStatus status = sets && texts ? CPS_OK : CPS_NO_MEMORY;
  if (status != CPS_OK) snprintf(error->text, sizeof error->text, "out of memory");
  for (int32_t i = 0; status == CPS_OK && i < sweep->fixed_count; ++i) sets[i] = sweep->fixed[i];
  for (int32_t a = 0; status == CPS_OK && a < sweep->plan.axis_count; ++a) {
    cps_sweep_set(&sweep->plan, number, a, texts[a], sizeof texts[a]);
    sets[sweep->fixed_count + a] = texts[a];
  }
  CpsScene* scene = NULL;
  if (status == CPS_OK) status = cps_scene_load_telling(sweep->scene, sets, count, NULL, NULL, &scene, error);
  cps_scene_destroy(scene);
  free((void*)sets);
  free(texts);
  return status;
}

// An error common to all cases, such as a wrong key, is reported before the first run, if the first, the middle and
// the last case cannot be read. A value that is invalid only in some cases makes those cases fail.
static bool try_cases(const CpsSweep* sweep) {
  const int64_t last = sweep->plan.case_count - 1, tried[] = {0, last, last / 2};
  CpsError first, error;
  if (try_case(sweep, tried[0], &first) == CPS_OK) return true;
  for (int k = 1; k < 3; ++k) {
    if (try_case(sweep, tried[k], &error) == CPS_OK) return true;
  }
  complain_case(&first);
  return false;
}

static int report(const CpsSweep* sweep, const SweepArguments* arguments, const CpsSweepCount* count) {
  char time[32];
  if (!arguments->quiet) print_failures(sweep, arguments);
  if (arguments->as_json) {
    print_json(sweep, count);
  } else if (!arguments->quiet) {
    printf("%s: %" PRId64 " case%s, %" PRId64 " sound, %" PRId64 " unsound, %" PRId64 " failed", sweep->folder,
           count->cases, count->cases == 1 ? "" : "s", count->sound, count->unsound, count->failed);
    if (count->before > 0) printf(" (%" PRId64 " already finished)", count->before);
    if (count->elsewhere > 0) printf(", %" PRId64 " running elsewhere", count->elsewhere);
    printf(", %s\n", cps_time_text(count->seconds, time));
  }
  if (count->interrupted) {
    fputs("capstan: interrupted; to continue, run the same command: ", stderr);
    cps_run_print_words(stderr, arguments->word_count, arguments->words);
    fputc('\n', stderr);
    return CPS_EXIT_INTERRUPTED;
  }
  int code = count->unsound + count->failed > 0 ? CPS_EXIT_NOT_SOLVED : CPS_EXIT_OK;
  if (arguments->task) return code;
  int gathered = gather(sweep, arguments, false);
  if (gathered != CPS_EXIT_OK) return gathered;
  if (!arguments->quiet && !arguments->as_json) {
    printf("wrote %s/table.csv and table.h5   plots: capstan plot %s --what QUANTITY\n", sweep->folder, sweep->folder);
  }
  return code;
}

// Missing options are taken from the scene's own `sweep`.
static bool complete(SweepArguments* arguments, const CpsScene* scene) {
  CpsSceneInfo info = cps_scene_info(scene);
  if (!arguments->what && info.sweep_what[0]) arguments->what = info.sweep_what;
  if (arguments->vary.count > 0 || !info.sweep_vary[0]) return true;
  arguments->own_vary = strdup(info.sweep_vary);
  const char** items = realloc((void*)arguments->vary.items, CPS_SWEEP_AXES * sizeof *items + sizeof *items);
  if (items) arguments->vary.items = items;
  if (!items || !arguments->own_vary) {
    cps_complain("out of memory");
    return false;
  }
  for (char* at = arguments->own_vary; at && arguments->vary.count <= CPS_SWEEP_AXES;) {
    at += strspn(at, " \t\n");
    items[arguments->vary.count++] = at;
    at = strchr(at, ';');
    if (at) *at++ = '\0';
  }
  return true;
}

static CpsStatus make_plan(const SweepArguments* arguments, CpsSweepPlan* plan, CpsError* error) {
  CpsSweepChoice choice = {.vary = arguments->vary.items,
                           .vary_count = arguments->vary.count,
                           .seeds = arguments->seeds,
                           .samples = arguments->samples,
                           .sample_seed = arguments->sample_seed};
  return cps_sweep_plan(plan, &choice, error);
}

static int run_cases(const CpsSweep* sweep, const SweepArguments* arguments) {
  CpsSweepRun run = {
      .sweep = sweep,
      .jobs = arguments->jobs,
      .threads = arguments->threads,
      .seconds = arguments->seconds,
      .megabytes = arguments->megabytes,
      .share = arguments->share,
      .shares = arguments->shares,
      .retry = arguments->retry,
      .show = !arguments->quiet && isatty(STDERR_FILENO),
  };
  if (!try_cases(sweep)) return CPS_EXIT_BAD_INPUT;
  if (arguments->again) cps_sweep_clear(sweep->folder);
  CpsSweepCount count;
  CpsError error;
  CpsStatus status = cps_sweep_open(sweep, &error);
  if (status == CPS_OK) status = cps_sweep_run(&run, &count, &error);
  return status == CPS_OK ? report(sweep, arguments, &count) : cps_complain("%s", error.text);
}

static int sweep_scene(SweepArguments* arguments) {
  if (!read_task(arguments)) return CPS_EXIT_BAD_INPUT;
  if (!arguments->output) {
    char name[256];
    cps_run_base_name(arguments->scene, name, sizeof name);
    snprintf(arguments->output_room, sizeof arguments->output_room, "%s-sweep", name);
    arguments->output = arguments->output_room;
  }
  CpsScene* scene = NULL;
  CpsError error;
  if (cps_scene_load(arguments->scene, arguments->sets.items, arguments->sets.count, &scene, &error) != CPS_OK) {
    return cps_complain_at(error.text);
  }
  CpsSweep sweep = {.folder = arguments->output,
                    .scene = arguments->scene,
                    .scene_text = cps_scene_info(scene).text,
                    .fixed = arguments->sets.items,
                    .fixed_count = arguments->sets.count,
                    .until = arguments->until};
  int code = CPS_EXIT_BAD_INPUT;
  if (complete(arguments, scene)) {
    code = make_plan(arguments, &sweep.plan, &error) == CPS_OK ? run_cases(&sweep, arguments)
                                                               : cps_complain("%s", error.text);
  }
  cps_sweep_plan_free(&sweep.plan);
  cps_scene_destroy(scene);
  free(arguments->own_vary);
  return code;
}

static int gather_folder(const SweepArguments* arguments) {
  CpsSweep sweep;
  CpsError error;
  if (cps_sweep_read(arguments->output, &sweep, &error) != CPS_OK) return cps_complain("%s", error.text);
  int code = gather(&sweep, arguments, !arguments->quiet);
  cps_sweep_free_read(&sweep);
  return code;
}

static CpsParse parse(int argc, char** argv, SweepArguments* arguments) {
  const CpsOption options[] = {
      {"vary", 'v', CPS_OPTION_LIST, &arguments->vary, "KEY=VALUES", "values for a scene key (repeatable)", 0},
      {"seeds", 0, CPS_OPTION_COUNT, &arguments->seeds, "N", "run each case N times, with the parameter seed = 1 to N",
       CPS_SWEEP_CASES},
      {"samples", 0, CPS_OPTION_COUNT, &arguments->samples, "N", "Latin hypercube of N cases instead of the grid",
       CPS_SWEEP_CASES},
      {"sample-seed", 0, CPS_OPTION_NATURAL, &arguments->sample_seed, "N", "random seed of the hypercube [1]", 0},
      {"output", 'o', CPS_OPTION_TEXT, &arguments->output, "DIR", "sweep folder [SCENE-sweep in the current folder]",
       0},
      {"jobs", 'j', CPS_OPTION_COUNT, &arguments->jobs, "N", "number of parallel runs [1]", CPS_SWEEP_JOBS},
      {"threads", 0, CPS_OPTION_COUNT, &arguments->threads, "N", "threads per run [1]", 1024},
      {"set", 's', CPS_OPTION_LIST, &arguments->sets, "KEY=VALUE", "override a scene value in all cases (repeatable)",
       0},
      {"until", 'u', CPS_OPTION_POSITIVE, &arguments->until, "T",
       "simulate up to time T, in seconds [time.end of the scene]", 0},
      {"time-limit", 0, CPS_OPTION_POSITIVE, &arguments->seconds, "S", "stop a run after S seconds [no limit]", 0},
      {"memory", 0, CPS_OPTION_POSITIVE, &arguments->megabytes, "MB", "memory limit per run [no limit]", 0},
      {"task", 0, CPS_OPTION_TEXT, &arguments->task, "K/N", "run only the K-th of N shares of the cases", 0},
      {"retry", 0, CPS_OPTION_FLAG, &arguments->retry, NULL, "run failed cases again", 0},
      {"again", 0, CPS_OPTION_FLAG, &arguments->again, NULL, "discard the results in DIR and start over", 0},
      {"table", 0, CPS_OPTION_FLAG, &arguments->table, NULL, "run nothing; build the table from DIR and print it", 0},
      {"what", 'w', CPS_OPTION_TEXT, &arguments->what, "Q,Q,…", "table columns, see above", 0},
      {"json", 0, CPS_OPTION_FLAG, &arguments->as_json, NULL, "print one JSON object at the end", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &arguments->quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "sweep",
      .usage = "SCENE.yaml --vary KEY=VALUES … [OPTIONS]",
      .summary =
          "Runs a scene once for each combination of the given values, each run in its own process.\n"
          "VALUES: a list 0.1,0.2,0.5; a range FROM:TO:STEP or FROM:TO:xFACTOR, with a unit at the end if\n"
          "needed ('10:30:5 deg'); with --samples also FROM:TO. DIR receives result, report, log, time and\n"
          "memory of each case, and table.csv and table.h5. Run the same command again to continue.\n"
          "Columns (--what): exit seconds processor megabytes time steps unsolved contacts_max residual_max\n"
          "penetration_max energy_error crossings broken stopped; a series of the result as last:S, first:S,\n"
          "max:S, min:S or mean:S; way:NAME and tip:NAME (distance between the first and the last frame);\n"
          "x:NAME, y:NAME, z:NAME (final position).\n"
          "Exit codes: 0 every case is sound, 1 some failed or are unsound, 2 bad usage, 130 interrupted.",
      .options = options,
      .examples =
          "  capstan sweep scenes/ramp.yaml --vary mu=0.1:0.6:0.1 --vary angle='5:30:5 deg' -j 2 -o ramps\n"
          "  capstan sweep --table -o ramps --what way:block,max:penetration\n"
          "  capstan plot ramps --what way:block\n"
          "  capstan sweep scene.yaml --vary mu=0:1 --vary count=100,200 --samples 40 --seeds 5 -j 8 -o many\n"
          "  capstan sweep scene.yaml --vary mu=0.1:0.6:0.1 -o shared --task $SLURM_ARRAY_TASK_ID/40\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed;
  if (arguments->table && word_count == 0 && arguments->output) return CPS_PARSE_GO;
  if (arguments->table) {
    cps_complain("sweep --table needs a sweep folder, -o DIR, and no scene");
    return CPS_PARSE_BAD;
  }
  if (word_count != 1) {
    if (word_count == 0) cps_complain("sweep needs a scene file; see 'capstan sweep --help'");
    if (word_count > 1) cps_complain("sweep takes one scene file; unexpected argument '%s'", argv[1]);
    return CPS_PARSE_BAD;
  }
  arguments->scene = argv[0];
  return cps_find_scene(&arguments->scene, arguments->scene_room) ? CPS_PARSE_GO : CPS_PARSE_BAD;
}

int cps_cmd_sweep(int argc, char** argv) {
  SweepArguments arguments = {.jobs = 1, .threads = 1, .sample_seed = 1, .word_count = argc};
  size_t room = (size_t)argc + 1;
  arguments.vary.items = calloc(room, sizeof *arguments.vary.items);
  arguments.sets.items = calloc(room, sizeof *arguments.sets.items);
  arguments.words = calloc(room, sizeof *arguments.words);
  int code = CPS_EXIT_OTHER;
  if (arguments.vary.items && arguments.sets.items && arguments.words) {
    memcpy(arguments.words, argv, (size_t)argc * sizeof *argv);
    CpsParse parsed = parse(argc, argv, &arguments);
    if (parsed != CPS_PARSE_GO) {
      code = parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
    } else {
      code = arguments.table ? gather_folder(&arguments) : sweep_scene(&arguments);
    }
  } else {
    cps_complain("out of memory");
  }
  free((void*)arguments.vary.items);
  free((void*)arguments.sets.items);
  free(arguments.words);
  return code;
}
