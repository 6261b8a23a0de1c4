#include "cli/run_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "capstan/grains.h"
#include "capstan/tie.h"
#include "cli/fibre_report.h"
#include "cli/json.h"
#include "cli/overlap_report.h"
#include "cli/report.h"
#include "cli/solid_report.h"

const char* cps_run_time_text(double seconds, char text[32]) {
  if (seconds >= 0.0995) {
    snprintf(text, 32, "%.2f s", seconds);
  } else if (seconds > 0.0) {
    snprintf(text, 32, "%.3g ms", 1e3 * seconds);
  } else {
    snprintf(text, 32, "%g s", seconds);
  }
  return text;
}

void cps_run_base_name(const char* path, char* name, size_t size) {
  snprintf(name, size, "%s", cps_file_name(path));
  char* dot = strrchr(name, '.');
  if (dot && dot != name) *dot = '\0';
}

static const char* plural(int64_t count) {
  return count == 1 ? "" : "s";
}

void cps_run_print_header(const char* scene_path, const CpsScene* scene, const CpsWorld* world, double end) {
  double start = cps_world_time(world);
  CpsSceneInfo info = cps_scene_info(scene);
  CpsWorldDef def = cps_scene_world_def(scene);
  char name[128], time[32], fibres[CPS_FIBRE_TEXT];
  cps_run_base_name(scene_path, name, sizeof name);
  bool titled = info.title[0] && strcmp(info.title, name) != 0;
  printf("%s  %s%s%d bod%s, %d obstacle%s", name, titled ? info.title : "", titled ? "  " : "", (int)info.bodies,
         info.bodies == 1 ? "y" : "ies", (int)info.obstacles, plural(info.obstacles));
  fputs(cps_fibre_text(scene, world, fibres), stdout);
  if (info.sheets > 0) printf(", %d sheet%s", (int)info.sheets, plural(info.sheets));
  if (info.solids > 0) printf(", %d solid%s", (int)info.solids, plural(info.solids));
  if (info.ties > 0) printf(", %d tie%s", (int)info.ties, plural(info.ties));
  if (info.flow) {
    printf(", a flow of %" PRId64 " points", info.particles);
  } else if (info.particles > 0) {
    printf(", %" PRId64 " grain particle%s", info.particles, info.particles == 1 ? "" : "s");
  }
  if (info.flow_inertial || cps_world_grains_info(world).inertial)
    printf(" (friction mu(I), from the rate and pressure of the last step)");
  printf("  h %s%s", cps_run_time_text(def.step, time), def.adaptive ? " at most" : "");
  double motion = cps_world_def_motion_tolerance(&def);
  printf("  tolerance %g", def.solver.tolerance);
  if (motion > def.solver.tolerance) printf(" (large moving islands %g)", motion);
  if (start > 0.0) printf("  from %s", cps_run_time_text(start, time));
  printf("  to %s\n", cps_run_time_text(end, time));
  fflush(stdout);
}

// Whether "solved" referred to the tolerance of motion in any step; for steps before a resumed run the residual tells.
static bool moved(const CpsRunSummary* summary) {
  return summary->motion_tolerance > summary->tolerance &&
         (summary->moving_steps > 0 || summary->totals.residual_max > summary->tolerance);
}

static void print_solved(const CpsRunSummary* summary) {
  const CpsRunTotals* totals = &summary->totals;
  char time[32];
  if (totals->unsolved_steps == 0) {
    printf("every step solved");
  } else {
    printf("%" PRId64 " step%s not solved to %g", totals->unsolved_steps, plural(totals->unsolved_steps),
           summary->tolerance);
  }
  if (moved(summary)) printf(" (large moving islands to %g)", summary->motion_tolerance);
  if (totals->unsolved_steps == 0) return;
  if (isfinite(summary->unsolved_time)) printf(" (first at %s)", cps_run_time_text(summary->unsolved_time, time));
}

static const char* name_of(const CpsRunSummary* summary, CpsThing thing) {
  return cps_scene_thing_name(summary->read, thing);
}

// The largest part of its angular momentum that a fibre lost in free flight, and the threshold of a warning.
static double lost_spin(const CpsRunSummary* summary) {
  return 1.0 - exp(-summary->spin.sum);
}
static const double SPIN_LOST = 0.1;

static void warn_of_spin(const CpsRunSummary* summary) {
  if (!(lost_spin(summary) > SPIN_LOST)) return;
  const double theta = cps_scene_world_def(summary->read).theta;
  fprintf(stderr,
          "warning: `%s` lost up to %.0f %% of its angular momentum in free flight to the time step: use %sa shorter "
          "step\n",
          name_of(summary, summary->spin.fibre), 100.0 * lost_spin(summary),
          theta > 0.5 ? "`time.theta: 0.5` or " : "");
}

// Energy created by the time step and dissipated again, or dissipated by the time step itself: not in CpsRunJerk.
static void warn_of_discretisation(const CpsRunSummary* summary) {
  if (summary->created > 0.0 && !(summary->jerk.excess > 0.0)) {
    fprintf(
        stderr,
        "warning: the time step created %.0f %% of the energy that was there or given, and friction or damping removed "
        "it again: try a shorter step\n",
        100.0 * summary->created);
  }
  if (summary->drained > 0.0) {
    const bool all = cps_scene_world_def(summary->read).theta < 1.0;
    fprintf(stderr, "warning: %.0f %% of the energy that was there or given was lost to %s: try a shorter step\n",
            100.0 * summary->drained, all ? "the time step" : "the correction of positions");
  }
}

void cps_run_print_warnings(const CpsRunSummary* summary) {
  const CpsRunTotals* totals = &summary->totals;
  fflush(stdout);
  if (totals->unsolved_steps > 0 && summary->unsolved && summary->unsolved[0]) {
    fprintf(stderr, "warning: first unsolved step: %s\n", summary->unsolved);
  }
  if (summary->jerk.excess > 0.0) {
    char time[32];
    fprintf(
        stderr,
        "warning: at t = %s there was %.*f times as much energy as was there or given: a jerk too fast for the step; "
        "try a shorter one\n",
        cps_run_time_text(summary->jerk.time, time), summary->jerk.excess < 9.0, 1.0 + summary->jerk.excess);
  }
  warn_of_discretisation(summary);
  warn_of_spin(summary);
  if (summary->last) cps_grains_warn(stderr, summary->last);
  if (summary->last) cps_solids_warn(stderr, summary->read, summary->last);
  cps_passes_print(stderr, &summary->passes, summary->read, totals->crossings);
  cps_deepest_warn(stderr, &totals->deepest, name_of(summary, totals->deepest.thing[0]),
                   name_of(summary, totals->deepest.thing[1]));
}

bool cps_run_is_sound(const CpsRunTotals* totals) {
  return totals->unsolved_steps == 0 && totals->crossings == 0 &&
         cps_deepest_ratio(&totals->deepest) <= CPS_DEEP_FAILURE;
}

// The largest error of the ties at the end, and the tie that has it; -1 if no tie is intact.
static int32_t worst_tie(const CpsRunSummary* summary, double* apart) {
  int32_t worst = -1;
  *apart = -1.0;
  for (int32_t i = 0; summary->world && i < cps_world_tie_count(summary->world); ++i) {
    CpsTieState now;
    if (cps_world_tie_state(summary->world, cps_world_tie(summary->world, i), &now) != CPS_OK || now.broken) continue;
    if (now.kind == CPS_TIE_SPRING || !(now.apart > *apart)) continue;
    *apart = now.apart;
    worst = i;
  }
  return worst;
}

static void print_ties(const CpsRunSummary* summary) {
  double apart;
  const int32_t worst = worst_tie(summary, &apart);
  if (worst < 0) return;
  printf("ties at the end at most %.2g m out of place: `%s`\n", apart, cps_scene_tie_name(summary->read, worst));
}

void cps_run_print_summary(const CpsRunSummary* summary) {
  const CpsRunTotals* totals = &summary->totals;
  char time[32], wall[32], bytes[32];
  bool done = summary->time >= summary->end;
  printf("%s %s, %" PRId64 " step%s in %s, worst residual %.1e, ", done ? "done" : "stopped at",
         cps_run_time_text(summary->time, time), totals->steps, plural(totals->steps),
         cps_time_text(totals->wall_seconds, wall), totals->residual_max);
  print_solved(summary);
  if (summary->fibres + summary->sheets > 0)
    printf(", %" PRId64 " crossing%s", totals->crossings, plural(totals->crossings));
  if (summary->stopped > 0) printf(", %" PRId64 " stopped to prevent crossings", summary->stopped);
  if (totals->broken > 0) printf(", %" PRId64 " tie%s broken", totals->broken, plural(totals->broken));
  printf(", energy balance error %.0e\n", totals->energy_error);
  struct stat facts;
  if (stat(summary->output, &facts) == 0) {
    cps_bytes_text((int64_t)facts.st_size, bytes);
    printf("%s %s (%s)   view: capstan view %s   plots: capstan plot %s   summary: capstan info %s\n",
           summary->was_there ? "already finished:" : "wrote", summary->output, bytes, summary->output, summary->output,
           summary->output);
  }
  // `deepest` includes overlaps kept at the start only if they became deeper
  const int32_t kept = summary->world && cps_scene_info(summary->read).start == CPS_START_KEEP
                           ? cps_world_overlap_count(summary->world)
                           : 0;
  if (kept > 0 && !(cps_deepest_ratio(&totals->deepest) > 0.0)) {
    printf("penetration none beyond the %d overlap%s at the start\n", (int)kept, kept == 1 ? "" : "s");
  } else {
    cps_deepest_print(stdout, &totals->deepest, name_of(summary, totals->deepest.thing[0]),
                      name_of(summary, totals->deepest.thing[1]));
  }
  print_ties(summary);
}

void cps_run_print_json(const CpsRunSummary* summary) {
  const CpsRunTotals* totals = &summary->totals;
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, summary->hash);
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "scene", summary->scene);
  cps_json_number(&json, "time", summary->time);
  cps_json_integer(&json, "steps", totals->steps);
  cps_json_integer(&json, "bodies", summary->bodies);
  cps_json_integer(&json, "fibres", summary->fibres);
  cps_json_integer(&json, "contacts_max", totals->contacts_max);
  cps_json_number(&json, "residual_max", totals->residual_max);
  cps_json_integer(&json, "unsolved_steps", totals->unsolved_steps);
  cps_json_number(&json, "tolerance", moved(summary) ? summary->motion_tolerance : summary->tolerance);
  cps_json_number(&json, "penetration_max", totals->penetration_max);
  cps_deepest_json(&json, &totals->deepest, name_of(summary, totals->deepest.thing[0]),
                   name_of(summary, totals->deepest.thing[1]));
  if (summary->world && cps_world_overlap_count(summary->world) > 0) {
    cps_overlaps_json(&json, summary->read, summary->world);
  } else {
    cps_json_text(&json, "overlaps", NULL);
  }
  cps_json_integer(&json, "crossings", totals->crossings);
  cps_json_integer(&json, "stopped", summary->stopped);
  cps_json_integer(&json, "broken", totals->broken);
  double apart;
  if (worst_tie(summary, &apart) >= 0) cps_json_number(&json, "ties_apart", apart);
  cps_json_integer(&json, "inverted", summary->last ? cps_solids_inverted(summary->last) : 0);
  cps_passes_json(&json, &summary->passes, summary->read);
  cps_json_number(&json, "energy_error", totals->energy_error);
  cps_json_number(&json, "energy_excess", summary->jerk.excess);
  cps_json_number(&json, "energy_created", summary->created);
  cps_json_number(&json, "energy_drained", summary->drained);
  cps_json_number(&json, "spin_lost", lost_spin(summary));
  cps_json_number(&json, "wall_seconds", totals->wall_seconds);
  cps_json_text(&json, "hash", hash);
  cps_json_close(&json, '}');
  putchar('\n');
}

// Characters without a meaning to the shell.
static bool is_plain(const char* word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  return word[0] && word[strspn(word, plain)] == '\0';
}

void cps_run_print_words(FILE* out, int word_count, char* const* words) {
  fputs("capstan", out);
  for (int i = 0; i < word_count; ++i) {
    fputc(' ', out);
    if (is_plain(words[i])) {
      fputs(words[i], out);
      continue;
    }
    fputc('\'', out);
    for (const char* at = words[i]; *at; ++at) {
      if (*at == '\'') {
        fputs("'\\''", out);
      } else {
        fputc(*at, out);
      }
    }
    fputc('\'', out);
  }
}

void cps_run_print_resume(FILE* out, int word_count, char* const* words) {
  bool said = false;
  for (int i = 0; i < word_count; ++i) said = said || strcmp(words[i], "--resume") == 0;
  cps_run_print_words(out, word_count, words);
  fputs(said ? "\n" : " --resume\n", out);
}
