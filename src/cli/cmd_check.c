// capstan check: validates a scene file without running it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/scene.h"
#include "cli/command.h"
#include "cli/fibre_report.h"
#include "cli/find_scene.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/overlap_report.h"
#include "cli/tie_report.h"

// One key per line: path, type, default ("" if the key is required) and summary, separated by tabs.
static void print_keys(void) {
  const CpsSceneKey* key;
  for (int32_t i = 0; (key = cps_scene_key(i)); ++i) {
    printf("%s\t%s\t%s\t%s\n", key->path, key->type, key->fallback, key->summary);
  }
}

static void print_json(const char* file, const CpsScene* scene, const CpsWorld* world) {
  CpsSceneInfo info = cps_scene_info(scene);
  CpsWorldDef def = cps_scene_world_def(scene);
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "scene", file);
  cps_json_text(&json, "title", info.title);
  cps_json_integer(&json, "bodies", info.bodies);
  cps_json_integer(&json, "obstacles", info.obstacles);
  cps_json_integer(&json, "fibres", info.fibres);
  cps_json_integer(&json, "sheets", info.sheets);
  cps_json_integer(&json, "solids", info.solids);
  cps_json_integer(&json, "ties", info.ties);
  if (info.grain_cells > 0) {
    cps_json_integer(&json, "particles", info.particles);
    cps_json_integer(&json, "grain_cells", info.grain_cells);
    cps_json_integer(&json, "grain_bytes", info.grain_bytes);
  }
  cps_json_number(&json, "step", def.step);
  cps_json_number(&json, "end", info.end);
  cps_json_number(&json, "frame_interval", info.frame_interval);
  cps_overlaps_json(&json, scene, world);
  cps_json_close(&json, '}');
  putchar('\n');
}

static const char* plural(int32_t count) {
  return count == 1 ? "" : "s";
}

// "1 ms", "2 s": whichever is easier to read.
static void print_time(const char* label, double seconds) {
  bool small = seconds > 0.0 && seconds < 0.1;
  printf(", %s %g %s", label, small ? 1e3 * seconds : seconds, small ? "ms" : "s");
}

static void print_text(const char* file, const CpsScene* scene, const CpsWorld* world) {
  CpsSceneInfo info = cps_scene_info(scene);
  printf("%s: %d bod%s, %d obstacle%s", file, (int)info.bodies, info.bodies == 1 ? "y" : "ies", (int)info.obstacles,
         plural(info.obstacles));
  char fibres[CPS_FIBRE_TEXT];
  fputs(cps_fibre_text(scene, NULL, fibres), stdout);
  if (info.sheets > 0) printf(", %d sheet%s", (int)info.sheets, plural(info.sheets));
  if (info.solids > 0) printf(", %d solid%s", (int)info.solids, plural(info.solids));
  if (info.flow) {
    printf(", a flow of %" PRId64 " points", info.particles);
  } else if (info.particles > 0) {
    printf(", %" PRId64 " grain particle%s", info.particles, info.particles == 1 ? "" : "s");
  }
  if (info.grain_cells > 0) {
    const double megabytes = 1e-6 * (double)info.grain_bytes;
    const bool large = megabytes >= 1000.0;
    printf(" in %" PRId64 " cells (about %.2g %s of memory)", info.grain_cells, large ? 1e-3 * megabytes : megabytes,
           large ? "GB" : "MB");
  }
  if (info.ties > 0) printf(", %d tie%s", (int)info.ties, plural(info.ties));
  print_time("h", cps_scene_world_def(scene).step);
  print_time("end", info.end);
  putchar('\n');
  fflush(stdout);
  cps_overlaps_print(stderr, scene, world);
  cps_ties_print_start(stderr, scene, world);
  cps_grains_print(stderr, scene, world);
}

static int check(const char* file, const CpsOptionList* set, bool as_json) {
  CpsScene* scene = NULL;
  CpsError error;
  if (cps_scene_load_telling(file, set->items, set->count, cps_complain_all, NULL, &scene, &error) != CPS_OK) {
    return CPS_EXIT_BAD_INPUT;
  }
  // some mistakes only show when the world is built: what `run` rejects is rejected here, too
  CpsWorld* world = NULL;
  CpsStatus status = cps_scene_build(scene, 0, &world, &error);
  if (status != CPS_OK) {
    cps_complain_at(error.text);
  } else if (as_json) {
    print_json(file, scene, world);
  } else {
    print_text(file, scene, world);
  }
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  return status == CPS_OK ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
}

int cps_cmd_check(int argc, char** argv) {
  bool as_json = false, keys = false;
  CpsOptionList set = {.items = malloc((size_t)argc * sizeof *set.items)};
  if (!set.items) return cps_complain("out of memory");
  const CpsOption options[] = {
      {"set", 's', CPS_OPTION_LIST, &set, "KEY=VALUE", "override a scene value (repeatable)", 0},
      {"json", 0, CPS_OPTION_FLAG, &as_json, NULL, "print one JSON object", 0},
      {"keys", 0, CPS_OPTION_FLAG, &keys, NULL, "list all scene keys: path, type, default, meaning", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "check",
      .usage = "SCENE.yaml [OPTIONS]",
      .summary =
          "Checks a scene and prints a summary of it, or each error as FILE:LINE:COLUMN: KEY: MESSAGE.\n"
          "Nothing is simulated or written. Exit codes: 0 the scene is valid, 2 it is not.",
      .options = options,
      .examples =
          "  capstan check scene.yaml\n  capstan check scene.yaml --set time.step='2 ms' --set mu=0.3\n"
          "  capstan check --keys\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  int code = CPS_EXIT_OK;
  if (parsed != CPS_PARSE_GO) {
    code = parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  } else if (keys) {
    print_keys();
  } else if (word_count != 1) {
    code = word_count == 0 ? cps_complain("check needs a scene file; see 'capstan check --help'")
                           : cps_complain("check takes one scene file; unexpected argument '%s'", argv[1]);
  } else {
    char room[CPS_SCENE_PATH_MAX];
    const char* file = argv[0];
    code = cps_find_scene(&file, room) ? check(file, &set, as_json) : CPS_EXIT_BAD_INPUT;
  }
  free(set.items);
  return code;
}
