// The three scenes of one rod that have answers: cantilever, stick-slip and bend-twist.
#include "capstan/fibre.h"
#include "scenes/charts.h"
#include "scenes/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 101, COLUMNS = 6, ROWS = 256 };

typedef struct Table {
  double row[ROWS][COLUMNS];
  int count;
} Table;

// A table of reference solutions beside the project.
static bool read_table(const char* name, Table* table) {
  char path[512], line[512];
  snprintf(path, sizeof path, "%s/reference/%s", SHARED_DATA, name);
  FILE* file = fopen(path, "r");
  table->count = 0;
  if (!file || !fgets(line, sizeof line, file)) {
    fprintf(stderr, "%s does not exist\n", path);
    if (file) fclose(file);
    return false;
  }
  while (table->count < ROWS && fgets(line, sizeof line, file)) {
    char* at = line;
    double* row = table->row[table->count++];
    for (int k = 0; k < COLUMNS && *at; ++k) {
      row[k] = strtod(at, &at);
      if (*at == ',') ++at;
    }
  }
  fclose(file);
  return true;
}

static CpsFibrePoint point_at(const Stage* s, double share) {
  CpsFibreInfo info = {0};
  CpsFibrePoint point = {0};
  CpsFibreId id = cps_world_fibre(s->world, 0);
  cps_world_fibre_info(s->world, id, &info);
  cps_world_fibre_at(s->world, id, share * info.length, &point);
  return point;
}

// Draws the centreline, seen along y or along x.
static void put_rod(Picture* picture, const Stage* s, bool along_x, int colour) {
  CpsVec3 p[POINTS];
  double xz[2 * POINTS];
  if (cps_world_fibre_points(s->world, cps_world_fibre(s->world, 0), POINTS, p) != CPS_OK) return;
  for (int i = 0; i < POINTS; ++i) {
    xz[2 * i] = along_x ? p[i].y : p[i].x;
    xz[2 * i + 1] = p[i].z;
  }
  picture_path(picture, xz, POINTS, colour);
}

static double end_of(const Stage* s) {
  return cps_scene_info(s->scene).end;
}

static bool draw_hanging_rods(const Studio* studio) {
  static const double GAMMA[] = {0.1, 1, 10, 100};
  Picture picture;
  Window window = {-0.05, 0.35, -0.33, 0.05};
  if (!picture_begin(&picture, studio_path(studio, "cantilever.svg"), window, 1, 1, 400.0)) return false;
  picture_panel(&picture, "Gamma = 0.1, 1, 10 and 100");
  for (int k = 0; k < 4; ++k) {
    char settings[48];
    Stage s;
    snprintf(settings, sizeof settings, "gamma=%g", GAMMA[k]);
    if (!stage_open(studio, "cantilever.yaml", settings, &s) || !stage_run(&s, end_of(&s), NULL)) return false;
    put_rod(&picture, &s, false, k);
    stage_close(&s);
  }
  picture_panel_end(&picture);
  return picture_end(&picture);
}

bool draw_cantilever(const Studio* studio) {
  static const char* const MODELS[] = {"super-helix", "super-helix-recursive", "super-clothoid", "mass-spring", "corde",
                                       "der",         "der-inextensible"};
  enum { COUNT = sizeof MODELS / sizeof MODELS[0] };
  static Table table;
  Curve curves[COUNT] = {{0}};
  if (!draw_hanging_rods(studio) || !read_table("cantilever_H_over_W_vs_Gamma.csv", &table)) return false;
  for (int m = 0; m < COUNT; ++m) {
    double worst = 0.0;
    for (int k = 0; k < table.count && table.row[k][0] < 101.0; k += 2) {
      char settings[96];
      Stage s;
      snprintf(settings, sizeof settings, "gamma=%.17g fibres.rod.model=%s", table.row[k][0], MODELS[m]);
      if (!stage_open(studio, "cantilever.yaml", settings, &s) || !stage_run(&s, end_of(&s), NULL)) return false;
      CpsVec3 tip = point_at(&s, 1.0).position;
      double error = 100.0 * (-tip.z / tip.x / table.row[k][3] - 1.0);
      worst = fmax(worst, fabs(error));
      if (!curve_add(&curves[m], table.row[k][0], error)) return false;
      stage_close(&s);
    }
    printf("  %-22s largest error of H/W %.3f %%\n", MODELS[m], worst);
  }
  CpsPlot plot = {.title = "Cantilever: error of height over width, 30 elements",
                  .x = {.label = "Gamma", .log = true},
                  .y = {.label = "error, %", .fixed = true, .low = -1.0, .high = 1.0},
                  .level = 0.0,
                  .level_label = ""};
  return write_plot(studio, "cantilever-error.svg", plot, MODELS, curves, COUNT);
}

static double pushed(const Stage* s) {
  CpsFibreInfo info = {0};
  cps_world_fibre_info(s->world, cps_world_fibre(s->world, 0), &info);
  return 1.0 - (point_at(s, 0.0).position.z - point_at(s, 1.0).position.z) / info.length;
}

// Pushes until the tip has moved by a thousandth of the length or eps is reached.
static bool push(Stage* s, double eps, bool* slipped) {
  double start = point_at(s, 1.0).position.x;
  *slipped = false;
  while (!*slipped && pushed(s) < eps) {
    if (cps_world_step(s->world, NULL, NULL) < 0) return false;
    *slipped = fabs(point_at(s, 1.0).position.x - start) > 3e-4;
  }
  return true;
}

static bool draw_strips(const Studio* studio) {
  static const double EPS[] = {0.02, 0.1, 0.2, 0.3};
  Picture picture;
  Window window = {-0.15, 0.15, -0.03, 0.33};
  if (!picture_begin(&picture, studio_path(studio, "stick-slip.svg"), window, 1, 1, 300.0)) return false;
  Stage s;
  if (!stage_open(studio, "stick-slip.yaml", "mu=0.5 eps=0.32", &s)) return false;
  picture_panel(&picture, "mu = 0.5: the tip stays");
  for (int k = 0; k < 4; ++k) {
    bool slipped;
    if (!push(&s, EPS[k], &slipped)) return false;
    if (k == 0) picture_world(&picture, s.scene, s.world);
    put_rod(&picture, &s, false, k);
  }
  picture_panel_end(&picture);
  stage_close(&s);
  return picture_end(&picture);
}

bool draw_stick_slip(const Studio* studio) {
  static const char* const LABELS[] = {"elastica", "super-helix", "der", "corde"};
  static Table table;
  Curve curves[4] = {{0}};
  if (!draw_strips(studio) || !read_table("stickslip_mu_c_vs_eps.csv", &table)) return false;
  for (int k = 0; k < table.count && table.row[k][0] < 0.32; ++k)
    curve_add(&curves[0], table.row[k][0], table.row[k][3]);
  for (int m = 1; m < 4; ++m) {
    for (int k = 0; k < 16; ++k) {
      char settings[96];
      Stage s;
      bool slipped;
      snprintf(settings, sizeof settings, "mu=%g eps=0.33 fibres.strip.model=%s", 0.03 + 0.02 * k, LABELS[m]);
      if (!stage_open(studio, "stick-slip.yaml", settings, &s) || !push(&s, 0.32, &slipped)) return false;
      if (slipped) curve_add(&curves[m], pushed(&s), 0.03 + 0.02 * k);
      stage_close(&s);
    }
  }
  CpsPlot plot = {.title = "Stick-slip: where the tip slips",
                  .x = {.label = "eps = displacement of the clamp / length"},
                  .y = {.label = "mu"},
                  .level = NAN};
  return write_plot(studio, "stick-slip-line.svg", plot, LABELS, curves, 4);
}

// Largest distance of the rod from the vertical plane that fits it best, over its length.
static double out_of_plane(const Stage* s) {
  CpsVec3 p[POINTS];
  CpsFibreInfo info = {0};
  CpsFibreId id = cps_world_fibre(s->world, 0);
  if (cps_world_fibre_info(s->world, id, &info) != CPS_OK) return NAN;
  if (cps_world_fibre_points(s->world, id, POINTS, p) != CPS_OK) return NAN;
  double xx = 0.0, xy = 0.0, yy = 0.0, out = 0.0;
  for (int i = 0; i < POINTS; ++i) xx += p[i].x * p[i].x, xy += p[i].x * p[i].y, yy += p[i].y * p[i].y;
  double turn = 0.5 * atan2(2.0 * xy, xx - yy);
  for (int i = 0; i < POINTS; ++i) out = fmax(out, fabs(p[i].y * cos(turn) - p[i].x * sin(turn)));
  return out / info.length;
}

static bool draw_curls(const Studio* studio) {
  static const char* const LABELS[] = {"Gamma 100", "Gamma 1000"};
  Curve curves[2] = {{0}};
  for (int g = 0; g < 2; ++g) {
    for (int k = 0; k <= 32; ++k) {
      char settings[64];
      Stage s;
      double curl = 4.0 + 0.5 * k;
      snprintf(settings, sizeof settings, "gamma=%g curl=%g", g == 0 ? 100.0 : 1000.0, curl);
      if (!stage_open(studio, "bend-twist.yaml", settings, &s) || !stage_run(&s, end_of(&s), NULL)) return false;
      if (!curve_add(&curves[g], curl, out_of_plane(&s))) return false;
      stage_close(&s);
    }
  }
  CpsPlot plot = {.title = "Bend-twist: distance from the plane",
                  .x = {.label = "natural curvature times length"},
                  .y = {.label = "distance / length"},
                  .level = NAN};
  return write_plot(studio, "bend-twist-curl.svg", plot, LABELS, curves, 2);
}

bool draw_bend_twist(const Studio* studio) {
  static const struct { double gamma, curl; } CASES[] = {{100, 5}, {100, 9}, {1000, 13}, {1000, 18}};
  Picture picture;
  Window window = {-0.07, 0.1, -0.3, 0.03};
  if (!picture_begin(&picture, studio_path(studio, "bend-twist.svg"), window, 4, 4, 200.0)) return false;
  for (int k = 0; k < 4; ++k) {
    char settings[64], caption[64];
    Stage s;
    snprintf(settings, sizeof settings, "gamma=%g curl=%g", CASES[k].gamma, CASES[k].curl);
    snprintf(caption, sizeof caption, "Gamma %g, curl %g", CASES[k].gamma, CASES[k].curl);
    if (!stage_open(studio, "bend-twist.yaml", settings, &s) || !stage_run(&s, end_of(&s), NULL)) return false;
    picture_panel(&picture, caption);
    put_rod(&picture, &s, true, 0);
    put_rod(&picture, &s, false, 1);
    picture_panel_end(&picture);
    stage_close(&s);
  }
  return picture_end(&picture) && draw_curls(studio);
}
