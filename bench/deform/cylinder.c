// Table 1 of paper 004 (cloth on a cylinder) in its own layout, with the times of scenes/cloth-cylinder.yaml beside its own.
//
// A frame is a step of 10 ms (20 ms under "Reliability"). The paper ran 500 of them (100) on a processor of 12 cores; here the first
// FRAMES are run on one thread, which is where the cloth is in contact, and the time of all frames is their mean times the
// paper's number. Seconds are processor time, on which other programs of the machine do not count.
//
// usage: bench-deform-cylinder --scenes DIRECTORY [--out DIRECTORY] [--quick]     writes deform-cylinder.md
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capstan/scene.h"
#include "core/clock.h"
#include "deform/arguments.h"

enum { FRAMES = 150, QUICK_FRAMES = 20 };
static const double TOLERANCE = 1e-4;  // that of the paper; nor is what sticks solved any further

typedef struct Row {
  const char *example, *number;
  int along, across;
  double mu, offset, step;  // s
  int frames;               // of the paper's run
  double paper;             // its seconds a frame
} Row;

static const Row ROWS[] = {
    {"Sticking", "iv", 64, 16, 0.2, 0.4, 0.01, 500, 0.19},
    {"Reliability", "iv", 64, 16, 0.12, 0.4, 0.02, 100, 0.09},
    {"Resolution independence", "vii", 28, 8, 0.13, 0.4, 0.01, 500, 0.03},
    {"", "viii", 64, 16, 0.13, 0.4, 0.01, 500, 0.08},
    {"", "ix", 120, 30, 0.13, 0.4, 0.01, 500, 0.47},
    {"Coefficient of friction", "i", 64, 16, 0.12, 0.4, 0.01, 500, 0.05},
    {"", "ii", 64, 16, 0.13, 0.4, 0.01, 500, 0.07},
    {"", "iii", 64, 16, 0.14, 0.4, 0.01, 500, 0.07},
    {"", "iv", 64, 16, 0.15, 0.4, 0.01, 500, 0.14},
    {"", "v", 64, 16, 0.16, 0.4, 0.01, 500, 0.15},
    {"Sliding consistency", "i", 64, 16, 0.14, 0.0, 0.01, 500, 0.15},
    {"", "ii", 64, 16, 0.14, 0.16, 0.01, 500, 0.17},
    {"", "iii", 64, 16, 0.14, 0.32, 0.01, 500, 0.16},
    {"", "iv", 64, 16, 0.14, 0.48, 0.01, 500, 0.11},
    {"", "v", 64, 16, 0.14, 0.64, 0.01, 500, 0.10},
};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

static CpsWorld* open_row(const char* scenes, const Row* row) {
  char path[512], text[7][64];
  const char* list[7];
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  snprintf(path, sizeof path, "%s/cloth-cylinder.yaml", scenes);
  snprintf(text[0], sizeof *text, "along=%d", row->along);
  snprintf(text[1], sizeof *text, "across=%d", row->across);
  snprintf(text[2], sizeof *text, "mu=%g", row->mu);
  snprintf(text[3], sizeof *text, "offset=%g", row->offset);
  snprintf(text[4], sizeof *text, "step=%g", row->step);
  snprintf(text[5], sizeof *text, "solver.tolerance=%g", TOLERANCE);
  snprintf(text[6], sizeof *text, "solver.polish=false");
  for (int k = 0; k < 7; ++k) list[k] = text[k];
  if (cps_scene_load(path, list, 7, &scene, &error) != CPS_OK || cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
  }
  cps_scene_destroy(scene);
  return world;
}

static bool print_row(FILE* out, const char* scenes, const Row* row, bool quick) {
  CpsWorld* world = open_row(scenes, row);
  if (!world) return false;
  CpsStepInfo info;
  const int most = quick ? QUICK_FRAMES : FRAMES, frames = most < row->frames ? most : row->frames;
  int unsolved = 0, contacts = 0;
  const double begin = cps_clock_cpu();
  for (int k = 0; k < frames; ++k) {
    CpsStatus status = cps_world_step(world, &info, NULL);
    if (status < 0) return false;
    unsolved += status > 0;
    contacts = info.contacts > contacts ? info.contacts : contacts;
  }
  const double seconds = (cps_clock_cpu() - begin) / frames;
  const int total = (int)(seconds * row->frames + 0.5);
  fprintf(out, "| %s | %s | %d | %g | %g | %d | %d | %d:%02d | %.3f | %.2f | %.2f |\n", row->example, row->number,
          2 * row->along * row->across, row->mu, row->offset, contacts, unsolved, total / 60, total % 60, seconds,
          row->paper, seconds / row->paper);
  fflush(out);
  cps_world_destroy(world);
  return true;
}

int main(int argc, char** argv) {
  const Arguments asked = read_arguments(argc, argv);
  FILE* out = open_table(&asked, "deform-cylinder.md");
  if (!out) return 1;
  fprintf(out, "First %d frames of each run.\n\n", asked.quick ? QUICK_FRAMES : FRAMES);
  fprintf(
      out,
      "| example | | elements | μ | offset, m | contacts | unsolved | time (m:ss) | s/frame | 004, s/frame | ratio |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  bool good = true;
  for (int k = 0; k < ROW_COUNT && good; ++k) good = print_row(out, asked.scenes, &ROWS[k], asked.quick);
  good = close_table(out) && good;
  return good ? 0 : 1;
}
