// capstan invert: natural shapes for which the fibres of a scene, or the strands of a groom, stand still as they are.
#define _XOPEN_SOURCE 700  // realpath()
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/fclib.h"
#include "capstan/hair.h"
#include "capstan/rest.h"
#include "capstan/result.h"
#include "capstan/scene.h"
#include "cli/command.h"
#include "cli/find_scene.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/processors.h"
#include "cli/rest_report.h"

static const uint64_t NO_FRAME = UINT64_MAX;

// The options given.
typedef struct Asked {
  CpsOptionList set;
  const char *output, *pose, *natural, *problem, *guess, *scalp, *from;
  bool json, stiffen;
  double most, margin, contact;
  int64_t threads;      // 0: all processors
  uint64_t from_frame;  // of `from`; NO_FRAME: the last one
} Asked;

static bool ends_in(const char* text, const char* ending) {
  const size_t n = strlen(text), m = strlen(ending);
  return n >= m && strcmp(text + n - m, ending) == 0;
}

static int32_t threads_of(const Asked* asked) {
  return asked->threads > 0 ? (int32_t)asked->threads : cps_processors();
}

// This command reports fibres for which a scene would be rejected.
static CpsStatus load_scene(const char* file, const Asked* asked, CpsScene** scene, CpsError* error) {
  const int32_t count = asked->set.count;
  const char** all = malloc(((size_t)count + 1) * sizeof *all);
  if (!all) {
    (void)snprintf(error->text, sizeof error->text, "out of memory");
    return CPS_NO_MEMORY;
  }
  all[0] = "inverse.unstable=allow";
  for (int32_t i = 0; i < count; ++i) all[i + 1] = asked->set.items[i];
  const CpsStatus status = cps_scene_load(file, all, count + 1, scene, error);
  free(all);
  return status;
}

// Strands of a file get the requested contact radius and grow on the given head. They are fitted with all threads; a
// scene that is written keeps its own number of threads.
static CpsStatus load(const char* file, const Asked* asked, CpsScene** scene, CpsError* error) {
  if (!cps_hair_recognise(file)) return load_scene(file, asked, scene, error);
  const int32_t own = 6, count = asked->set.count;
  const char** all = malloc(((size_t)count + (size_t)own) * sizeof *all);
  char contact[64], threads[32], head[CPS_SCENE_PATH_MAX + 128];
  int32_t used = 0;
  CpsStatus status = all ? CPS_OK : CPS_NO_MEMORY;
  if (!all) (void)snprintf(error->text, sizeof error->text, "out of memory");
  if (all) all[used++] = "fibres.hair.natural=as-placed";  // inverted afterwards
  if (all) all[used++] = "inverse.stiffen=false";          // unless --stiffen is given
  snprintf(contact, sizeof contact, "fibres.hair.contact_radius=%.17g", asked->contact);
  if (all) all[used++] = contact;
  snprintf(threads, sizeof threads, "threads=%d", (int)threads_of(asked));
  if (all && !(asked->output && ends_in(asked->output, ".yaml"))) all[used++] = threads;
  if (all && asked->scalp && strcmp(asked->scalp, "sphere") != 0) {
    char* path = realpath(asked->scalp, NULL);  // a scene looks for files in its own folder
    if (!path) {
      (void)snprintf(error->text, sizeof error->text, "%s: no such file", asked->scalp);
      status = CPS_FILE_ERROR;
    }
    snprintf(head, sizeof head,
             "obstacles.head={mesh: {file: \"%s\", scale: $scale}, rotation: {axis: [1, 0, 0], angle: $tilt}}",
             path ? path : "");
    all[used++] = head;
    all[used++] = "fibres.hair.root={kind: clamped, on: head}";
    free(path);
  }
  for (int32_t i = 0; all && i < count; ++i) all[used++] = asked->set.items[i];
  if (status == CPS_OK) status = cps_scene_load(file, all, used, scene, error);
  free(all);
  return status;
}

static void print_json(const CpsScene* scene, const CpsWorld* world, const char* file, const CpsInvertInfo* info) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "input", file);
  cps_json_integer(&json, "fibres", info->fibre_count);
  cps_json_integer(&json, "elements", info->element_count);
  cps_json_integer(&json, "inverted", info->inverted_count);
  cps_json_integer(&json, "refused", info->refused_count);
  cps_json_integer(&json, "unstable", info->unstable_count);
  cps_json_integer(&json, "unjudged", info->unjudged_count);
  cps_json_integer(&json, "stiffened", info->stiffened_count);
  cps_json_integer(&json, "skipped", cps_scene_skipped_count(scene));
  cps_json_integer(&json, "contacts", info->contact_count);
  cps_json_integer(&json, "carrying", info->carrying_count);
  cps_json_integer(&json, "at_limit", info->limit_count);
  cps_json_integer(&json, "overlaps", info->overlap_count);
  cps_json_integer(&json, "unsteady_contacts", info->unsteady_count);
  cps_json_integer(&json, "loose", info->loose_count);
  cps_json_number(&json, "residual", info->residual);
  cps_json_integer(&json, "sweeps", info->sweeps);
  cps_json_integer(&json, "steps", info->steps);
  cps_json_number(&json, "bending_left", info->bending_left);
  cps_json_number(&json, "lifted", info->lifted);
  cps_json_number(&json, "balance", info->balance);
  cps_json_number(&json, "least_factor", info->least_factor);
  cps_json_number(&json, "most_stiffened", info->most_stiffened);
  const CpsFitReport fit = cps_fit_report(scene, world);
  cps_json_integer(&json, "fitted", fit.count);
  if (fit.count > 0) {
    cps_json_number(&json, "fit_mean", fit.mean);
    cps_json_number(&json, "fit_max", fit.max);
    cps_json_text(&json, "fit_worst", cps_scene_fibre_name(scene, fit.worst));
  }
  cps_json_open(&json, "left_out", '[');
  for (int64_t i = 0; i < cps_scene_skipped_count(scene); ++i) {
    const CpsSceneSkipped skipped = cps_scene_skipped(scene, i);
    cps_json_open(&json, NULL, '{');
    cps_json_text(&json, "file", skipped.file);
    cps_json_integer(&json, "strand", skipped.strand);
    cps_json_text(&json, "why", skipped.finite ? "no length" : "not finite");
    cps_json_close(&json, '}');
  }
  cps_json_close(&json, ']');
  cps_json_open(&json, "moving", '[');
  for (int32_t i = 0; i < cps_world_fibre_count(world); ++i) {
    static const char* const WHY[CPS_DOUBTS] = {"refused", "unstable", "step", "loaded", "tied", "unknown"};
    CpsFibreRest rest;
    const CpsFibreDoubt doubt = cps_world_fibre_doubt(world, cps_world_fibre(world, i));
    if (cps_world_fibre_rest(world, cps_world_fibre(world, i), &rest) != CPS_OK) continue;
    if (doubt == CPS_DOUBT_NONE && !rest.refused) continue;
    cps_json_open(&json, NULL, '{');
    cps_json_text(&json, "name", cps_scene_fibre_name(scene, i));
    cps_json_text(&json, "why", WHY[doubt]);
    cps_json_number(&json, "least_factor", rest.least_factor);
    cps_json_close(&json, '}');
  }
  cps_json_close(&json, ']');
  cps_json_close(&json, '}');
  putchar('\n');
}

static void print_text(const CpsScene* scene, const CpsWorld* world, const CpsInvertInfo* info) {
  printf("%d fibre%s, %lld elements: %d at rest", (int)info->fibre_count, info->fibre_count == 1 ? "" : "s",
         (long long)info->element_count, (int)info->inverted_count);
  if (info->refused_count > 0) printf(", %d refused", (int)info->refused_count);
  printf("   balance %.1e\n", info->balance);
  cps_skipped_print(stdout, "", scene);
  cps_refused_print(stdout, "", scene, world);
  cps_pulled_print(stdout, "", world);
  const CpsFitReport fit = cps_fit_report(scene, world);
  if (fit.count > 0) {
    printf("fit: mean distance from the strands %.3g mm, largest %.3g mm (%s)%s\n", 1e3 * fit.mean, 1e3 * fit.max,
           cps_scene_fibre_name(scene, fit.worst), cps_fit_is_rough(&fit) ? "; use more elements" : "");
  }
  if (info->contact_count > 0) {
    printf(
        "%d contact%s: %d carry load, %d at the friction limit   weight on obstacles %.0f %%, remaining bending %.0f "
        "%%\n",
        (int)info->contact_count, info->contact_count == 1 ? "" : "s", (int)info->carrying_count,
        (int)info->limit_count, 100.0 * info->lifted, 100.0 * info->bending_left);
  }
  if (info->overlap_count > 0) printf("deeper than 1.5 radii, without load: %d\n", (int)info->overlap_count);
  if (info->unsteady_count > 0)
    printf("without load because their forces would make a fibre unstable: %d\n", (int)info->unsteady_count);
  if (info->loose_count > 0)
    printf("without load because they touch what is not inverted: %d\n", (int)info->loose_count);
  int32_t doubts[CPS_DOUBTS];
  cps_doubts_count(world, doubts);
  printf("stable: %d", (int)(info->inverted_count - info->unstable_count - doubts[CPS_DOUBT_LOADED] -
                             doubts[CPS_DOUBT_TIED] - doubts[CPS_DOUBT_UNKNOWN]));
  if (info->stiffened_count > 0) {
    printf(" (%d stiffened, up to %.3gx)", (int)info->stiffened_count, info->most_stiffened);
  }
  if (doubts[CPS_DOUBT_UNSTABLE] > 0) {
    printf("   unstable: %d", (int)doubts[CPS_DOUBT_UNSTABLE]);
    if (doubts[CPS_DOUBT_STEP] == 0 && info->least_factor < INFINITY) {
      printf("; %.3gx the stiffness would stabilise all", info->least_factor);
    } else if (doubts[CPS_DOUBT_STEP] == 0) {
      printf("; no stiffness would stabilise all");
    }
  }
  if (doubts[CPS_DOUBT_STEP] > 0) printf("   moved by the time step: %d", (int)doubts[CPS_DOUBT_STEP]);
  if (doubts[CPS_DOUBT_LOADED] > 0) printf("   pushed by other objects: %d", (int)doubts[CPS_DOUBT_LOADED]);
  const int32_t unknown = doubts[CPS_DOUBT_TIED] + doubts[CPS_DOUBT_UNKNOWN];
  if (unknown > 0) printf("   unknown: %d", (int)unknown);
  putchar('\n');
  cps_doubts_print(stdout, "  ", scene, world, CPS_DOUBT_UNSTABLE);
  fflush(stdout);
}

// The fibres in their current shape, as strands.
static CpsStatus write_strands(const char* path, const CpsWorld* world, CpsError* error) {
  enum { POINTS = 33 };
  const int32_t count = cps_world_fibre_count(world);
  CpsHair hair = {.strand_count = count, .point_count = (int64_t)POINTS * count};
  hair.first = malloc(((size_t)count + 1) * sizeof *hair.first);
  hair.points = malloc(((size_t)hair.point_count + 1) * sizeof *hair.points);
  CpsStatus status = hair.first && hair.points ? CPS_OK : CPS_NO_MEMORY;
  for (int32_t i = 0; status == CPS_OK && i <= count; ++i) hair.first[i] = (int64_t)POINTS * i;
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) {
    status = cps_world_fibre_points(world, cps_world_fibre(world, i), POINTS, hair.points + hair.first[i]);
  }
  if (status == CPS_OK) {
    status = cps_hair_write(path, &hair, error);
  } else {
    (void)snprintf(error->text, sizeof error->text, "%s: out of memory", path);
  }
  cps_hair_free(&hair);
  return status;
}

// The weightless shapes of the fibres. Destroys the state of the world.
static CpsStatus write_natural(const char* path, CpsWorld* world, CpsError* error) {
  CpsWorldDef def = cps_world_settings(world);
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  CpsStatus status = cps_world_configure(world, &def, error);
  for (int32_t i = 0; status >= 0 && i < cps_world_fibre_count(world); ++i) {
    const CpsStatus settled = cps_world_settle_fibre(world, cps_world_fibre(world, i), NULL, error);
    if (settled < 0 && settled != CPS_UNSUPPORTED) status = settled;
  }
  return status < 0 ? status : write_strands(path, world, error);
}

static CpsStatus write_all(const Asked* asked, const CpsScene* scene, CpsWorld* world, const CpsInvertInfo* info,
                           CpsError* error) {
  const char* path = asked->output;
  CpsStatus status = CPS_OK;
  if (path) {
    status =
        ends_in(path, ".yaml") ? cps_scene_save(scene, world, path, error) : cps_rest_write(path, world, info, error);
  }
  if (status == CPS_OK && asked->pose) status = write_strands(asked->pose, world, error);
  if (status == CPS_OK && asked->natural) status = write_natural(asked->natural, world, error);
  return status;
}

// The problem of the contact forces, before it is solved.
static CpsStatus write_problem(const char* path, const char* title, CpsWorld* world, const CpsInvertOptions* options,
                               CpsError* error) {
  CpsProblem* problem = NULL;
  CpsStatus status = cps_world_invert_problem(world, options, &problem, error);
  if (status == CPS_OK) status = cps_fclib_write(path, problem, NULL, NULL, title, error);
  cps_problem_destroy(problem);
  return status;
}

static bool choose(const CpsScene* scene, const Asked* asked, CpsInvertOptions* options) {
  static const char* const GUESSES[] = {"as-placed", "straight", "tip", "natural"};
  *options = cps_scene_inversion(scene);
  if (asked->stiffen) options->stiffen = true;
  if (asked->most > 0.0) options->stiffen_most = asked->most;
  if (asked->margin >= 0.0) options->margin = asked->margin;
  for (int i = 0; asked->guess && i < 4; ++i) {
    if (strcmp(asked->guess, GUESSES[i]) == 0) {
      options->guess = (CpsGuess)i;
      return true;
    }
  }
  if (asked->guess) cps_complain("--guess: '%s' is not one of as-placed, straight, tip, natural", asked->guess);
  return !asked->guess;
}

// Loads a frame of an earlier run into the world, with the fibres at rest.
static CpsStatus load_frame(const Asked* asked, CpsWorld* world, CpsError* error) {
  CpsResult* result = NULL;
  CpsStatus status = cps_result_open(asked->from, &result, error);
  if (status == CPS_OK) {
    const int64_t last = cps_result_info(result).frames - 1;
    status =
        cps_result_load_frame(result, asked->from_frame == NO_FRAME ? last : (int64_t)asked->from_frame, world, error);
  }
  cps_result_destroy(result);
  const CpsVec3 none = {0.0, 0.0, 0.0};
  for (int32_t i = 0; status == CPS_OK && i < cps_world_fibre_count(world); ++i) {
    status = cps_world_set_fibre_velocity(world, cps_world_fibre(world, i), none, none, error);
  }
  return status;
}

static int invert(const char* file, const Asked* asked) {
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {""};
  CpsInvertOptions options;
  CpsStatus status = load(file, asked, &scene, &error);
  if (status == CPS_OK) status = cps_scene_build(scene, threads_of(asked), &world, &error);
  if (status == CPS_OK && asked->from) status = load_frame(asked, world, &error);
  int code = CPS_EXIT_OK;
  if (status == CPS_OK && cps_world_fibre_count(world) == 0) {
    code = cps_complain("%s has no fibres to invert", file);
  } else if (status == CPS_OK && !choose(scene, asked, &options)) {
    code = CPS_EXIT_BAD_INPUT;
  } else if (status == CPS_OK) {
    CpsInvertInfo info;
    if (asked->problem) status = write_problem(asked->problem, file, world, &options, &error);
    if (status == CPS_OK) status = cps_world_invert(world, &options, &info, &error);
    if (status == CPS_OK || status == CPS_NO_SOLUTION) {
      if (asked->json) {
        print_json(scene, world, file, &info);
      } else {
        print_text(scene, world, &info);
      }
      if (status == CPS_NO_SOLUTION) (void)cps_complain("%s", error.text);
      int32_t doubts[CPS_DOUBTS];
      cps_doubts_count(world, doubts);
      const int64_t moving = info.refused_count + info.unstable_count + doubts[CPS_DOUBT_LOADED];
      code = moving + cps_scene_skipped_count(scene) > 0 ? CPS_EXIT_NOT_SOLVED : CPS_EXIT_OK;
      status = write_all(asked, scene, world, &info, &error);
    }
  }
  if (status != CPS_OK) code = cps_complain_at(error.text);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return code;
}

int cps_cmd_invert(int argc, char** argv) {
  Asked asked = {
      .set = {.items = malloc((size_t)argc * sizeof *asked.set.items)}, .margin = -1.0, .from_frame = NO_FRAME};
  if (!asked.set.items) return cps_complain("out of memory");
  const CpsOption options[] = {
      {"set", 's', CPS_OPTION_LIST, &asked.set, "KEY=VALUE", "override a scene value (repeatable)", 0},
      {"stiffen", 0, CPS_OPTION_FLAG, &asked.stiffen, NULL, "stiffen unstable fibres just enough to make them stable",
       0},
      {"most", 0, CPS_OPTION_POSITIVE, &asked.most, "X", "maximum stiffening factor [10; 1000 for strands from a file]",
       0},
      {"guess", 0, CPS_OPTION_TEXT, &asked.guess, "G",
       "keep natural shapes as close as contacts allow to: as-placed, straight, tip or natural [as-placed]", 0},
      {"margin", 0, CPS_OPTION_NOT_NEGATIVE, &asked.margin, "X",
       "keep contact forces this far inside their friction cones [0.05]", 0},
      {"contact", 0, CPS_OPTION_NOT_NEGATIVE, &asked.contact, "R",
       "groom: contact radius of the strands, in metres; 0 for no contact [0]", 0},
      {"scalp", 0, CPS_OPTION_TEXT, &asked.scalp, "FILE",
       "groom: mesh of the head, or `sphere` to fit a sphere to the roots", 0},
      {"output", 'o', CPS_OPTION_TEXT, &asked.output, "FILE",
       "write a scene that starts at rest (.yaml), or the natural strains as HDF5 (any other extension)", 0},
      {"from", 0, CPS_OPTION_TEXT, &asked.from, "OLD.h5",
       "take the fibres as they were in an earlier result of the scene, at rest", 0},
      {"from-frame", 0, CPS_OPTION_NATURAL, &asked.from_frame, "N", "frame of that result [the last one]", 0},
      {"pose", 0, CPS_OPTION_TEXT, &asked.pose, "F.hair", "write the fibres in their current pose", 0},
      {"natural", 0, CPS_OPTION_TEXT, &asked.natural, "F.hair", "write the natural shapes of the fibres", 0},
      {"problem", 0, CPS_OPTION_TEXT, &asked.problem, "F.hdf5", "write the contact force problem, for 'capstan solve'",
       0},
      {"threads", 'j', CPS_OPTION_COUNT, &asked.threads, "N",
       "number of threads; does not affect the result [all processors]", 1024},
      {"json", 0, CPS_OPTION_FLAG, &asked.json, NULL, "print one JSON object", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "invert",
      .usage = "SCENE.yaml|GROOM [OPTIONS]",
      .summary =
          "Finds natural shapes that keep all fibres at rest in their current pose, under their weight, the pulls of\n"
          "the scene and contact forces inside the friction cones: a drawn, combed or scanned shape stays still "
          "until\n"
          "something moves it. A groom (.hair, .ply, .data, .bin) becomes hair 0.08 mm thick, clamped at the roots;\n"
          "--set changes that. Exit codes: 0 all fibres are stable as far as this can be determined, 1 some will move "
          "or\n"
          "cannot be inverted, or strands of the file were left out, 2 bad usage or input.",
      .options = options,
      .examples =
          "  capstan invert tail\n  capstan invert strands.hair --stiffen -o rest.h5\n"
          "  capstan invert scene.yaml -o still.yaml && capstan run still.yaml\n"
          "  capstan run pegs && capstan invert pegs --from pegs.h5 --guess straight\n"
          "  capstan invert strands.hair --contact 2e-4 --scalp sphere --natural natural.hair\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  int code = CPS_EXIT_OK;
  if (parsed != CPS_PARSE_GO) {
    code = parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  } else if (word_count != 1) {
    code = word_count == 0 ? cps_complain("invert needs a scene or a groom; see 'capstan invert --help'")
                           : cps_complain("invert takes one file; unexpected argument '%s'", argv[1]);
  } else if (asked.from_frame != NO_FRAME && !asked.from) {
    code = cps_complain("--from-frame needs --from OLD.h5, the result that has the frame");
  } else {
    char room[CPS_SCENE_PATH_MAX];
    const char* file = argv[0];
    code = cps_find_scene(&file, room) ? invert(file, &asked) : CPS_EXIT_BAD_INPUT;
  }
  free(asked.set.items);
  return code;
}
