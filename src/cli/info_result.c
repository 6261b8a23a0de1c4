#include "cli/info_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "capstan/frame.h"
#include "capstan/result.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/overlap_report.h"
#include "cli/report.h"
#include "cli/run_report.h"

static int64_t file_size(const char* path) {
  struct stat facts;
  return stat(path, &facts) == 0 ? (int64_t)facts.st_size : -1;
}

enum { LISTED = 8 };  // sheets whose names are printed

// Names of the two objects that overlapped most.
typedef struct Names {
  const char *a, *b;
} Names;

static void print_json(const char* path, const CpsResultInfo* info, const Names* names) {
  const CpsRunTotals* totals = &info->totals;
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, info->hash);
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "result", path);
  cps_json_text(&json, "title", info->title);
  cps_json_text(&json, "version", info->version);
  cps_json_integer(&json, "bodies", info->bodies);
  cps_json_integer(&json, "obstacles", info->obstacles);
  cps_json_integer(&json, "fibres", info->fibres);
  cps_json_integer(&json, "sheets", info->sheets - info->solids);
  cps_json_integer(&json, "solids", info->solids);
  cps_json_integer(&json, "sheet_vertices", info->sheet_vertices);
  cps_json_integer(&json, "ties", info->ties);
  cps_json_integer(&json, "frames", info->frames);
  cps_json_number(&json, "time", info->time);
  cps_json_number(&json, "end", info->end);
  cps_json_bool(&json, "finished", info->finished);
  cps_json_integer(&json, "steps", totals->steps);
  cps_json_integer(&json, "unsolved_steps", totals->unsolved_steps);
  cps_json_integer(&json, "contacts_max", totals->contacts_max);
  cps_json_integer(&json, "iterations", totals->iterations);
  cps_json_number(&json, "residual_max", totals->residual_max);
  cps_json_number(&json, "penetration_max", totals->penetration_max);
  cps_deepest_json(&json, &totals->deepest, names->a, names->b);
  cps_json_integer(&json, "crossings", totals->crossings);
  cps_json_integer(&json, "broken", totals->broken);
  cps_json_number(&json, "energy_error", totals->energy_error);
  cps_json_number(&json, "wall_seconds", totals->wall_seconds);
  cps_json_text(&json, "hash", hash);
  cps_json_integer(&json, "bytes", file_size(path));
  cps_json_close(&json, '}');
  putchar('\n');
}

// "sheets     2 with 450 vertices and 784 triangles: cloth, flag"
static void print_sheets(const CpsResultInfo* info, const CpsThings* things) {
  if (info->sheets == 0) return;
  printf(info->solids == 0              ? "sheets     %d"
         : info->solids == info->sheets ? "solids     %d"
                                        : "surfaces   %d",
         (int)info->sheets);
  printf(" with %" PRId64 " vertices and %" PRId64 " triangles", info->sheet_vertices, info->sheet_triangles);
  for (int32_t i = 0; things && i < info->sheets && i < LISTED; ++i) {
    printf("%s %s", i == 0 ? ":" : ",", things->sheet_names[i]);
  }
  puts(things && info->sheets > LISTED ? ", ..." : "");
}

static void print_text(const char* path, const CpsResultInfo* info, const CpsThings* things, const Names* names,
                       double first) {
  const CpsRunTotals* totals = &info->totals;
  char a[32], b[32];
  printf("%s: result of a simulation (version %s)\n", cps_file_name(path), info->version);
  if (info->title[0]) printf("title      %s\n", info->title);
  printf("bodies     %d, and %d obstacle%s\n", (int)info->bodies, (int)info->obstacles,
         info->obstacles == 1 ? "" : "s");
  if (info->fibres > 0) {
    printf("fibres     %d with %" PRId64 " points, %" PRId64 " crossing%s\n", (int)info->fibres, info->fibre_points,
           totals->crossings, totals->crossings == 1 ? "" : "s");
  }
  print_sheets(info, things);
  if (info->particles > 0) printf("grains     %" PRId64 " particles\n", info->particles);
  if (info->ties > 0) printf("ties       %d, %" PRId64 " broken\n", (int)info->ties, totals->broken);
  printf("frames     %" PRId64 ", from %s to %s\n", info->frames, cps_run_time_text(first, a),
         cps_run_time_text(info->time, b));
  if (info->finished) {
    puts("state      finished");
  } else {
    printf("state      not finished (the scene ends at %s); 'capstan run --resume' continues it\n",
           cps_run_time_text(info->end, a));
  }
  printf("steps      %" PRId64 " in %s\n", totals->steps, cps_time_text(totals->wall_seconds, a));
  if (totals->unsolved_steps > 0) {
    printf("unsolved   %" PRId64 " steps not solved to the tolerance\n", totals->unsolved_steps);
  }
  printf("contacts   at most %d\n", (int)totals->contacts_max);
  if (totals->steps > 0) {
    printf("solver     worst residual %.1e, %.3g iterations per step\n", totals->residual_max,
           (double)totals->iterations / (double)totals->steps);
  }
  cps_deepest_print(stdout, &totals->deepest, names->a, names->b);
  printf("energy     balance error %.0e\n", totals->energy_error);
  printf("hash       %016" PRIx64 "\n", info->hash);
  printf("size       %s\n", cps_bytes_text(file_size(path), a));
}

static const char* name_of(const CpsThings* things, CpsThing thing) {
  const char* name = cps_things_name(things, thing);
  return name[0] ? name : "?";
}

int cps_info_result(const char* path, bool as_json) {
  CpsResult* result = NULL;
  CpsError error;
  if (cps_result_open(path, &result, &error) != CPS_OK) return cps_complain("%s", error.text);
  CpsResultInfo info = cps_result_info(result);
  CpsShow* show = NULL;  // for the names
  const CpsThings* things = cps_show_result(result, &show, NULL) == CPS_OK ? cps_show_things(show) : NULL;
  Names names = {name_of(things, info.totals.deepest.thing[0]), name_of(things, info.totals.deepest.thing[1])};
  if (as_json) {
    print_json(path, &info, &names);
  } else {
    print_text(path, &info, things, &names, cps_result_frame_time(result, 0));
  }
  cps_show_destroy(show);
  cps_result_destroy(result);
  return CPS_EXIT_OK;
}
