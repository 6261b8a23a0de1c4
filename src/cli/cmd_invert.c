// capstan invert: natural shapes for which the fibres of a scene, or the strands of a groom, stand still as they are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/hair.h"
#include "capstan/rest.h"
#include "capstan/scene.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"

// A scene around a groom: strands that are clamped where they grow.
static CpsStatus load_groom(const char* file, const CpsOptionList* set, CpsScene** scene, CpsError* error) {
  const char *begin =
                 "title: Groom\nstart: keep\nfibres:\n  hair:\n    root: clamped\n    radius: 0.04 mm\n"
                 "    young: 3 GPa\n    contact_radius: 0\n    natural: as-placed\n    hair: {file: '",
             *end = "'}\n";
  char* text = malloc(strlen(begin) + 2 * strlen(file) + strlen(end) + 1);
  if (!text) {
    (void)snprintf(error->text, sizeof error->text, "out of memory");
    return CPS_NO_MEMORY;
  }
  char* at = text + strlen(strcpy(text, begin));
  for (const char* c = file; *c; ++c) {
    if (*c == '\'') *at++ = '\'';  // as YAML has it in quotes
    *at++ = *c;
  }
  strcpy(at, end);
  CpsStatus status = cps_scene_parse(text, strlen(text), "groom.yaml", set->items, set->count, scene, error);
  free(text);
  return status;
}

static void print_json(const char* file, const CpsInvertInfo* info) {
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
  cps_json_integer(&json, "contacts", info->contact_count);
  cps_json_integer(&json, "carrying", info->carrying_count);
  cps_json_integer(&json, "at_limit", info->limit_count);
  cps_json_integer(&json, "overlaps", info->overlap_count);
  cps_json_integer(&json, "loose", info->loose_count);
  cps_json_number(&json, "residual", info->residual);
  cps_json_integer(&json, "sweeps", info->sweeps);
  cps_json_number(&json, "bending_left", info->bending_left);
  cps_json_number(&json, "lifted", info->lifted);
  cps_json_number(&json, "balance", info->balance);
  cps_json_number(&json, "least_factor", info->least_factor);
  cps_json_number(&json, "most_stiffened", info->most_stiffened);
  cps_json_close(&json, '}');
  putchar('\n');
}

static void print_text(const CpsInvertInfo* info) {
  printf("%d fibre%s, %lld elements: %d at rest", (int)info->fibre_count, info->fibre_count == 1 ? "" : "s",
         (long long)info->element_count, (int)info->inverted_count);
  if (info->refused_count > 0) printf(", %d refused", (int)info->refused_count);
  printf("   balance %.1e\n", info->balance);
  if (info->contact_count > 0) {
    printf("%d contacts: %d carry, %d at the limit   weight on obstacles %.0f %%, bending left %.0f %%\n",
           (int)info->contact_count, (int)info->carrying_count, (int)info->limit_count, 100.0 * info->lifted,
           100.0 * info->bending_left);
  }
  if (info->overlap_count > 0)
    printf("overlaps: %d contacts are deeper than a tenth of a radius\n", (int)info->overlap_count);
  if (info->loose_count > 0) {
    printf("%d contacts with things that are not inverted carry nothing\n", (int)info->loose_count);
  }
  const int32_t judged = info->inverted_count - info->unjudged_count;
  printf("stable: %d", (int)(judged - info->unstable_count));
  if (info->stiffened_count > 0) {
    printf(" (%d stiffened, up to %.3gx)", (int)info->stiffened_count, info->most_stiffened);
  }
  if (info->unstable_count > 0) {
    printf("   unstable: %d; %.3gx the stiffness would hold all", (int)info->unstable_count, info->least_factor);
  }
  if (info->unjudged_count > 0) printf("   not known: %d", (int)info->unjudged_count);
  putchar('\n');
  fflush(stdout);
}

static bool ends_in(const char* text, const char* ending) {
  const size_t n = strlen(text), m = strlen(ending);
  return n >= m && strcmp(text + n - m, ending) == 0;
}

static CpsStatus write_out(const char* path, const CpsScene* scene, const CpsWorld* world, const CpsInvertInfo* info,
                           CpsError* error) {
  if (!path) return CPS_OK;
  return ends_in(path, ".yaml") ? cps_scene_save(scene, world, path, error) : cps_rest_write(path, world, info, error);
}

typedef struct Asked {
  CpsOptionList set;
  const char* output;
  bool json, stiffen;
  double most;
} Asked;

static int invert(const char* file, const Asked* asked) {
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {""};
  const bool groom = cps_hair_recognise(file);
  CpsStatus status = groom ? load_groom(file, &asked->set, &scene, &error)
                           : cps_scene_load(file, asked->set.items, asked->set.count, &scene, &error);
  if (status == CPS_OK) status = cps_scene_build(scene, 0, &world, &error);
  int code = CPS_EXIT_OK;
  if (status == CPS_OK && cps_world_fibre_count(world) == 0) {
    code = cps_complain("%s has no fibres to be inverted", file);
  } else if (status == CPS_OK) {
    CpsInvertOptions options = cps_invert_options_default();
    CpsInvertInfo info;
    options.stiffen = asked->stiffen;
    options.stiffen_most = asked->most;
    status = cps_world_invert(world, &options, &info, &error);
    if (status == CPS_OK || status == CPS_NO_SOLUTION) {
      if (asked->json) {
        print_json(file, &info);
      } else {
        print_text(&info);
      }
      if (status == CPS_NO_SOLUTION) (void)cps_complain("%s", error.text);
      code = info.refused_count + info.unstable_count > 0 ? CPS_EXIT_NOT_SOLVED : CPS_EXIT_OK;
      status = write_out(asked->output, scene, world, &info, &error);
    }
  }
  if (status != CPS_OK) code = cps_complain_at(error.text);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return code;
}

int cps_cmd_invert(int argc, char** argv) {
  Asked asked = {.set = {.items = malloc((size_t)argc * sizeof *asked.set.items)}, .most = 10.0};
  if (!asked.set.items) return cps_complain("out of memory");
  const CpsOption options[] = {
      {"set", 's', CPS_OPTION_LIST, &asked.set, "KEY=VALUE",
       "change the scene, as in 'capstan run'; may be given many times", 0},
      {"stiffen", 0, CPS_OPTION_FLAG, &asked.stiffen, NULL, "make unstable fibres as stiff as they must be", 0},
      {"most", 0, CPS_OPTION_POSITIVE, &asked.most, "X", "at most this many times as stiff (10)", 0},
      {"output", 'o', CPS_OPTION_TEXT, &asked.output, "FILE",
       "write a scene that starts so (.yaml), or the natural strains in HDF5 (any other ending)", 0},
      {"json", 0, CPS_OPTION_FLAG, &asked.json, NULL, "print one JSON object", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "invert",
      .usage = "SCENE.yaml|GROOM [OPTIONS]",
      .summary =
          "Finds natural shapes for which all fibres are at rest where they are, under their weight and the pulls of "
          "the\n"
          "scene: what was drawn, combed or scanned then stands still until something moves it. Contacts carry "
          "nothing.\n"
          "A groom (.hair, .ply, USC .data) becomes hair of 0.08 mm that is clamped where it grows; --set changes "
          "that.\n"
          "Exit: 0 all are stable, 1 some are not or cannot be inverted, 2 bad usage or input.",
      .options = options,
      .examples =
          "  capstan invert scenes/tail.yaml\n  capstan invert strands.hair --stiffen -o rest.h5\n"
          "  capstan invert scene.yaml -o still.yaml && capstan run still.yaml\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  int code = CPS_EXIT_OK;
  if (parsed != CPS_PARSE_GO) {
    code = parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  } else if (word_count != 1) {
    code = word_count == 0 ? cps_complain("invert needs a scene or a groom; see 'capstan invert --help'")
                           : cps_complain("invert takes one file, and '%s' is another", argv[1]);
  } else {
    code = invert(argv[0], &asked);
  }
  free(asked.set.items);
  return code;
}
