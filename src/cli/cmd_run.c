// capstan run: simulates a scene and writes its result.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "capstan/inverse.h"
#include "cli/choose.h"
#include "cli/command.h"
#include "cli/find_scene.h"
#include "cli/options.h"
#include "cli/overlap_report.h"
#include "cli/progress.h"
#include "cli/render_last.h"
#include "cli/rest_report.h"
#include "cli/run_loop.h"
#include "cli/run_problem.h"
#include "cli/run_report.h"
#include "cli/tie_report.h"

#define NO_FRAME UINT64_MAX

typedef struct RunArguments {
  const char* scene;
  const char* output;
  const char* from;
  const char* method;
  const char* local;
  const char* save_problem;
  const char* picture;
  CpsOptionList sets;
  double until, tolerance;  // 0: as the scene says
  int64_t threads;          // 0: as the scene says
  uint64_t from_frame;
  bool resume, as_json, quiet;
  // derived values
  char scene_room[CPS_SCENE_PATH_MAX], output_room[CPS_PATH_MAX], from_room[CPS_PATH_MAX], prefix[CPS_PATH_MAX];
  char tolerance_set[64], method_set[64], local_set[64];
  int64_t problem_every;
  int word_count;  // the original command line, from "run" on
  char** words;
} RunArguments;

// --method, --local and --tol are short for --set.
static bool add_shortcuts(RunArguments* arguments) {
  CpsOptionList* sets = &arguments->sets;
  CpsSolveOptions options = cps_solve_options_default();
  if (arguments->method) {
    if (!cps_choose_method(&options, arguments->method)) return false;
    snprintf(arguments->method_set, sizeof arguments->method_set, "solver.method=%.40s", arguments->method);
    sets->items[sets->count++] = arguments->method_set;
  }
  if (arguments->local) {
    if (!cps_choose_local(&options, arguments->local)) return false;
    snprintf(arguments->local_set, sizeof arguments->local_set, "solver.local=%.40s", arguments->local);
    sets->items[sets->count++] = arguments->local_set;
  }
  if (arguments->tolerance > 0.0) {
    snprintf(arguments->tolerance_set, sizeof arguments->tolerance_set, "solver.tolerance=%.17g", arguments->tolerance);
    sets->items[sets->count++] = arguments->tolerance_set;
  }
  return true;
}

// EVERY[:DIR]; the files stand in DIR or beside the result.
static bool read_save_problem(RunArguments* arguments) {
  char* end = NULL;
  errno = 0;
  const char* text = arguments->save_problem;
  long long every = strtoll(text, &end, 10);
  if (end == text || errno != 0 || every < 1 || (*end != '\0' && *end != ':') || (*end == ':' && end[1] == '\0')) {
    cps_complain("--save-problem: '%s' is not EVERY or EVERY:DIR with a whole number EVERY >= 1", text);
    return false;
  }
  arguments->problem_every = every;
  char name[256];
  cps_run_base_name(arguments->output, name, sizeof name);
  const char* slash = strrchr(arguments->output, '/');
  if (*end == ':') {
    snprintf(arguments->prefix, sizeof arguments->prefix, "%.3800s/%s", end + 1, name);
  } else {
    int folder = slash ? (int)(slash - arguments->output) + 1 : 0;
    snprintf(arguments->prefix, sizeof arguments->prefix, "%.*s%s", folder > 3800 ? 3800 : folder, arguments->output,
             name);
  }
  char first[CPS_PATH_MAX];
  CpsError error;
  cps_run_problem_path(arguments->prefix, every, first);
  if (cps_file_check(first, &error) == CPS_OK) return true;
  cps_complain("--save-problem: %s", error.text);
  return false;
}

static bool same_file(const char* a, const char* b) {
  struct stat fa, fb;
  return stat(a, &fa) == 0 && stat(b, &fb) == 0 && fa.st_dev == fb.st_dev && fa.st_ino == fb.st_ino;
}

// Sets missing names, and makes checks beyond those of the parser.
static bool complete(RunArguments* arguments) {
  char name[256];
  CpsError error;
  cps_run_base_name(arguments->scene, name, sizeof name);
  bool from_frame = arguments->from_frame != NO_FRAME;
  if (arguments->from && !from_frame) {
    cps_complain("--from needs --from-frame N, the frame to start from");
    return false;
  }
  if (from_frame && !arguments->from) {
    snprintf(arguments->from_room, sizeof arguments->from_room, "%s.h5", name);
    arguments->from = arguments->from_room;
  }
  if (!arguments->output) {
    if (from_frame) {
      snprintf(arguments->output_room, sizeof arguments->output_room, "%s-from%llu.h5", name,
               (unsigned long long)arguments->from_frame);
    } else {
      snprintf(arguments->output_room, sizeof arguments->output_room, "%s.h5", name);
    }
    arguments->output = arguments->output_room;
  }
  if (same_file(arguments->output, arguments->scene)) {
    cps_complain("%s: this is the scene file; choose another name for the result", arguments->output);
    return false;
  }
  if (from_frame &&
      (strcmp(arguments->output, arguments->from) == 0 || same_file(arguments->output, arguments->from))) {
    cps_complain("%s: this is the result to start from; choose another name for the new one", arguments->output);
    return false;
  }
  if (cps_file_check(arguments->output, &error) != CPS_OK) {
    cps_complain("%s", error.text);
    return false;
  }
  if (arguments->picture && cps_render_last_check(arguments->picture, &error) != CPS_OK) {
    cps_complain("--picture: %s", error.text);
    return false;
  }
  if (arguments->save_problem && !read_save_problem(arguments)) return false;
  return add_shortcuts(arguments);
}

static CpsParse parse(int argc, char** argv, RunArguments* arguments) {
  const CpsOption options[] = {
      {"output", 'o', CPS_OPTION_TEXT, &arguments->output, "OUT.h5", "result file [SCENE.h5 in the current folder]", 0},
      {"until", 'u', CPS_OPTION_POSITIVE, &arguments->until, "T",
       "simulate up to time T, in seconds [time.end of the scene]", 0},
      {"set", 's', CPS_OPTION_LIST, &arguments->sets, "KEY=VALUE", "override a scene value (repeatable)", 0},
      {"threads", 'j', CPS_OPTION_COUNT, &arguments->threads, "N",
       "number of threads; does not affect the result [from the scene]", 1024},
      {"resume", 'r', CPS_OPTION_FLAG, &arguments->resume, NULL,
       "resume from the last step in OUT.h5, or start if there is none", 0},
      {"from-frame", 0, CPS_OPTION_NATURAL, &arguments->from_frame, "N", "start from frame N of an earlier result", 0},
      {"from", 0, CPS_OPTION_TEXT, &arguments->from, "OLD.h5", "the earlier result [SCENE.h5 in the current folder]",
       0},
      {"save-problem", 0, CPS_OPTION_TEXT, &arguments->save_problem, "EVERY[:DIR]",
       "save the problem of every EVERY-th step as an FCLIB file", 0},
      {"picture", 'p', CPS_OPTION_TEXT, &arguments->picture, "F.png", "render the last frame when the run ends", 0},
      {"method", 'm', CPS_OPTION_TEXT, &arguments->method, "M", "short for --set solver.method=M", 0},
      {"local", 'l', CPS_OPTION_TEXT, &arguments->local, "L", "short for --set solver.local=L", 0},
      {"tol", 't', CPS_OPTION_POSITIVE, &arguments->tolerance, "T", "short for --set solver.tolerance=T", 0},
      {"json", 0, CPS_OPTION_FLAG, &arguments->as_json, NULL, "print one JSON object at the end", 0},
      {"quiet", 'q', CPS_OPTION_FLAG, &arguments->quiet, NULL, "print nothing but errors", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "run",
      .usage = "SCENE.yaml|GROOM [OPTIONS]",
      .summary =
          "Simulates a scene and writes the result. SCENE is a file or the name of a packaged scene ('capstan run\n"
          "tower'). A groom (.hair, .ply, .data, .bin) is a scene by itself: the strands keep their groomed shape\n"
          "until the head turns. Ctrl-C, SIGTERM or SIGHUP stops the run within a second, saves the simulation so\n"
          "far and prints the command that resumes it.\n"
          "Exit codes: 0 every step solved; 1 some steps not solved to the tolerance, fibres passed through\n"
          "something, objects penetrated deeper than their radius (strands that overlap in a groom: deeper than\n"
          "they did there), fibres could not be inverted or strands of a file were left out; 2 bad usage, scene or\n"
          "file; 3 any other error; 130 interrupted.",
      .options = options,
      .examples =
          "  capstan run scenes/wall.yaml\n"
          "  capstan run scenes/wall.yaml --until 2 --set time.step='0.5 ms' -o fine.h5 --json\n"
          "  capstan run scenes/wall.yaml --resume\n"
          "  capstan run strands.hair\n"
          "  capstan run scenes/wall.yaml --picture wall.png\n"
          "  capstan run scenes/wall.yaml --from-frame 60 --set gravity='[0, 1, -9.81]' -o tilted.h5\n"
          "  capstan run scenes/wall.yaml --save-problem 100 && capstan solve wall-step000100.hdf5\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed;
  if (word_count != 1) {
    if (word_count == 0) cps_complain("run needs a scene file; see 'capstan run --help'");
    if (word_count > 1) cps_complain("run takes one scene file; unexpected argument '%s'", argv[1]);
    return CPS_PARSE_BAD;
  }
  arguments->scene = argv[0];
  return cps_find_scene(&arguments->scene, arguments->scene_room) ? CPS_PARSE_GO : CPS_PARSE_BAD;
}

// Reports a run that has finished or was stopped; returns the exit code.
static int report(const RunArguments* arguments, const CpsRunSummary* summary, bool interrupted) {
  if (!arguments->quiet) cps_run_print_warnings(summary);
  if (arguments->as_json) {
    cps_run_print_json(summary);
  } else if (!arguments->quiet) {
    cps_run_print_summary(summary);
  }
  if (interrupted) {
    bool talk = !arguments->as_json && !arguments->quiet;
    FILE* out = talk ? stdout : stderr;
    fputs(talk ? "resume: " : "capstan: interrupted; resume: ", out);
    cps_run_print_resume(out, arguments->word_count, arguments->words);
  }
  if (interrupted) return CPS_EXIT_INTERRUPTED;
  return cps_run_is_sound(&summary->totals) && summary->missed == 0 ? CPS_EXIT_OK : CPS_EXIT_NOT_SOLVED;
}

// Reports a result that has reached its end already, from the file alone. Returns false if there is more to do.
static bool report_finished(const RunArguments* arguments, const CpsScene* scene, double end, int* code) {
  CpsResult* result = NULL;
  if (cps_result_open(arguments->output, &result, NULL) != CPS_OK) return false;
  CpsResultInfo info = cps_result_info(result);
  CpsWorldDef def = cps_scene_world_def(scene);
  bool over = info.finished && cps_run_reached(info.time, end, def.step) &&
              strcmp(info.scene_text, cps_scene_info(scene).text) == 0;
  if (over) {
    CpsRunSummary summary = {
        .scene = arguments->scene,
        .output = arguments->output,
        .was_there = true,
        .time = info.time,
        .end = info.time,
        .tolerance = def.solver.tolerance,
        .motion_tolerance = cps_world_def_motion_tolerance(&def),
        .read = scene,
        .bodies = info.bodies,
        .fibres = info.fibres,
        .totals = info.totals,
        .hash = info.hash,
        .unsolved_time = NAN,
        .missed = cps_scene_skipped_count(scene),
    };
    *code = report(arguments, &summary, false);
  }
  cps_result_destroy(result);
  return over;
}

// Loads a frame of an older result into the world.
static CpsStatus load_frame(const RunArguments* arguments, CpsWorld* world, CpsError* error) {
  CpsResult* result = NULL;
  CpsStatus status = cps_result_open(arguments->from, &result, error);
  if (status == CPS_OK) status = cps_result_load_frame(result, (int64_t)arguments->from_frame, world, error);
  cps_result_destroy(result);
  return status;
}

// Whether the last frame of a result is on schedule; otherwise it was written because the run was stopped.
static bool last_frame_is_due(const RunArguments* arguments, const CpsScene* scene) {
  CpsResult* result = NULL;
  if (cps_result_open(arguments->output, &result, NULL) != CPS_OK) return true;
  CpsResultInfo info = cps_result_info(result);
  double* times = malloc(((size_t)info.steps + 1) * sizeof *times);
  bool due = true;
  if (times && info.frames > 1 && info.steps > 0 && cps_result_series(result, "time", times, NULL) == CPS_OK) {
    double before = info.steps > 1 ? times[info.steps - 2] : cps_result_frame_time(result, 0);
    due = cps_run_frame_is_due(before, times[info.steps - 1], cps_scene_info(scene).frame_interval,
                               cps_scene_world_def(scene).step);
  }
  free(times);
  cps_result_destroy(result);
  return due;
}

// Opens the result: the old one to resume, or a new one for a world in its initial state.
static CpsStatus open_result(const RunArguments* arguments, CpsRunLoop* loop, CpsError* error) {
  if (loop->resumed) {
    loop->dropped = !last_frame_is_due(arguments, loop->scene);
    CpsStatus resumed =
        cps_result_resume(arguments->output, loop->scene, loop->world, &loop->totals, &loop->writer, error);
    if (resumed != CPS_OK || !loop->dropped) return resumed;
    resumed = cps_result_drop_frame(loop->writer, error);
    if (resumed != CPS_OK) cps_result_close(loop->writer);
    return resumed;
  }
  CpsStatus status = arguments->from_frame == NO_FRAME ? CPS_OK : load_frame(arguments, loop->world, error);
  return status == CPS_OK ? cps_result_create(arguments->output, loop->scene, &loop->writer, error) : status;
}

// Whether the run starts from the initial state of its scene.
static bool is_start(const RunArguments* arguments, const CpsRunLoop* loop) {
  return !loop->resumed && arguments->from_frame == NO_FRAME;
}

static int simulate(const RunArguments* arguments, const CpsScene* scene, CpsWorld* world, double end) {
  struct stat facts;
  CpsRunLoop loop = {
      .scene = scene,
      .world = world,
      .end = end,
      .resumed = arguments->resume && stat(arguments->output, &facts) == 0,
      .quiet = arguments->quiet,
      .talk = !arguments->quiet && !arguments->as_json,
      .estimate = !arguments->quiet && !arguments->as_json,
      .problem_every = arguments->problem_every,
      .problem_prefix = arguments->prefix,
  };
  CpsError error = {""};
  CpsWorldDef def = cps_world_settings(world);
  def.cancel = cps_interrupt_asked;
  if (cps_world_configure(world, &def, &error) != CPS_OK) return cps_complain("%s", error.text);
  cps_interrupt_catch();
  if (open_result(arguments, &loop, &error) != CPS_OK) return cps_complain("%s", error.text);
  if (!arguments->quiet && !arguments->as_json) {
    cps_run_print_header(arguments->scene, scene, world, end);
  }
  if (!arguments->quiet && is_start(arguments, &loop)) {
    cps_overlaps_print(stderr, scene, world);
    cps_ties_print_start(stderr, scene, world);
    cps_grains_print(stderr, scene, world);
    cps_rest_print(stderr, scene, world);
  }
  CpsStatus status = cps_run_loop(&loop, &error);
  if (status == CPS_OK) {
    status = cps_result_finish(loop.writer, &error);
  } else {
    cps_result_close(loop.writer);
  }
  if (status < 0) {
    char time[32];
    cps_complain("at %s: %s", cps_run_time_text(cps_world_time(world), time), error.text);
    if (status == CPS_FILE_ERROR && loop.safe) {
      fputs("capstan: free some disk space, then resume: ", stderr);
      cps_run_print_resume(stderr, arguments->word_count, arguments->words);
    }
    return status == CPS_NO_MEMORY ? CPS_EXIT_OTHER : CPS_EXIT_BAD_INPUT;
  }
  CpsRunSummary summary = {
      .scene = arguments->scene,
      .output = arguments->output,
      .time = cps_world_time(world),
      .end = status == CPS_OK ? cps_world_time(world) : end,
      .tolerance = def.solver.tolerance,
      .motion_tolerance = cps_world_def_motion_tolerance(&def),
      .moving_steps = loop.moving_steps,
      .read = scene,
      .world = is_start(arguments, &loop) ? world : NULL,
      .last = world,
      .bodies = cps_world_body_count(world),
      .fibres = cps_world_fibre_count(world),
      .sheets = cps_world_sheet_count(world),
      .stopped = loop.stopped,
      .totals = loop.totals,
      .hash = cps_world_hash(world),
      .unsolved_time = loop.unsolved_time,
      .unsolved = loop.unsolved.text,
      .jerk = loop.jerk,
      .created = loop.created,
      .drained = loop.drained,
      .spin = loop.spin,
      .passes = loop.passes,
      .missed = cps_scene_skipped_count(scene) + cps_world_last_inversion(world).refused_count,
  };
  return report(arguments, &summary, status == CPS_INTERRUPTED);
}

// Draws the last frame, also of a run that was stopped. If this fails, the exit code changes.
static int draw_picture(const RunArguments* arguments, int code) {
  CpsError error = {""};
  if (cps_render_last(arguments->output, arguments->picture, &error) != CPS_OK) {
    return cps_complain("--picture: %s", error.text);
  }
  if (!arguments->quiet && !arguments->as_json) printf("wrote %s\n", arguments->picture);
  return code;
}

// Notes are not errors.
static void complain_mistakes(bool mistake, const char* sentence, void* data) {
  if (mistake) cps_complain_all(mistake, sentence, data);
}

static int run_scene(RunArguments* arguments) {
  cps_interrupt_quit();
  if (!complete(arguments)) return CPS_EXIT_BAD_INPUT;
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error;
  int code = CPS_EXIT_BAD_INPUT;
  CpsStatus status =
      cps_scene_load_telling(arguments->scene, arguments->sets.items, arguments->sets.count,
                             arguments->quiet ? complain_mistakes : cps_complain_all, NULL, &scene, &error);
  if (status != CPS_OK) return CPS_EXIT_BAD_INPUT;
  double end = arguments->until > 0.0 ? arguments->until : cps_scene_info(scene).end;
  if (!arguments->resume || !report_finished(arguments, scene, end, &code)) {
    status = cps_scene_build(scene, (int32_t)arguments->threads, &world, &error);
    code = status == CPS_OK ? simulate(arguments, scene, world, end) : cps_complain_at(error.text);
  }
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  bool drawable = code <= CPS_EXIT_NOT_SOLVED || code == CPS_EXIT_INTERRUPTED;
  return arguments->picture && drawable ? draw_picture(arguments, code) : code;
}

int cps_cmd_run(int argc, char** argv) {
  RunArguments arguments = {.from_frame = NO_FRAME, .word_count = argc};
  size_t room = (size_t)argc + 4;  // three shortcuts
  arguments.sets.items = calloc(room, sizeof *arguments.sets.items);
  arguments.words = calloc(room, sizeof *arguments.words);
  int code = CPS_EXIT_OTHER;
  if (arguments.sets.items && arguments.words) {
    memcpy(arguments.words, argv, (size_t)argc * sizeof *argv);
    CpsParse parsed = parse(argc, argv, &arguments);
    code = parsed == CPS_PARSE_GO ? run_scene(&arguments) : parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  } else {
    cps_complain("out of memory");
  }
  free((void*)arguments.sets.items);
  free(arguments.words);
  return code;
}
