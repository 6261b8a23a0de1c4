// A sheet on a slope of 10 degrees, in Capstan and in Bullet's deformable world: time of a step, creep at rest, and from which
// friction on it stays. The same mesh, mass, thickness, stiffness and step, one run, processor time of one thread.
//
//   stretch    that of both is the largest with which Bullet's explicit springs do not fly apart, m / (4 h^2) with m the mass of
//              a vertex; a third row has that of cotton, several thousand times as much
//   time       of a step, from the start to 0.25 s, with mu = 0.3 and with mu = 0.1
//   creep      speed of the middle of the sheet, from 0.5 s to 1 s with mu = 0.3; it should be 0
//   threshold  the least mu at which the sheet is slower than 5 mm/s after 1 s, that is tan 10 degrees - 5e-4 for a sheet that
//              slides as one piece; to 5e-4
//
// usage: bench-deform-ramp --scenes DIRECTORY [--out DIRECTORY] [--quick]     writes deform-ramp.md
#include "deform/arguments.h"
#include "deform/slope.h"

#include "capstan/array.h"
#include "capstan/scene.h"
#include "capstan/sheet.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 8000 };
static const double SLOW = 0.005;  // m/s
static const double DENSITY = 0.15, COTTON = 12000.0, THICKNESS = 0.5e-3, AREA = 0.4 * 0.3;

typedef struct Case {
  const char* scenes;
  bool bullet;
  int columns, rows;
  double stretch;  // N/m
} Case;

static CpsVec3 position[MOST_VERTICES];

static CpsWorld* open_scene(const Case* c, double mu) {
  char path[512], text[8][64];
  const char* list[8];
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  snprintf(path, sizeof path, "%s/cloth-ramp.yaml", c->scenes);
  snprintf(text[0], sizeof *text, "columns=%d", c->columns);
  snprintf(text[1], sizeof *text, "rows=%d", c->rows);
  snprintf(text[2], sizeof *text, "mu=%.17g", mu);
  snprintf(text[3], sizeof *text, "time.step=%.17g", STEP);
  snprintf(text[4], sizeof *text, "sheets.cloth.stretch=%.17g", c->stretch);
  snprintf(text[5], sizeof *text, "sheets.cloth.density=%.17g", DENSITY);
  snprintf(text[6], sizeof *text, "sheets.cloth.thickness=%.17g", THICKNESS);
  snprintf(text[7], sizeof *text, "sheets.cloth.self_contact=false");  // Bullet's sheet does not meet itself either
  for (int k = 0; k < 8; ++k) list[k] = text[k];
  if (cps_scene_load(path, list, 8, &scene, &error) != CPS_OK || cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(1);
  }
  cps_scene_destroy(scene);
  return world;
}

// Either of the two, on the mesh of the scene.
static Engine start(const Case* c, double mu) {
  Engine e = {open_scene(c, mu), NULL};
  if (!c->bullet) return e;
  CpsSheetInfo info;
  const CpsSheetId id = cps_world_sheet(e.world, 0);
  if (cps_world_sheet_info(e.world, id, &info) != CPS_OK || info.vertex_count > MOST_VERTICES) exit(1);
  (void)cps_world_array(e.world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &position->x, sizeof *position);
  const BulletThing sheet = {.vertices = position,
                             .vertex_count = info.vertex_count,
                             .triangles = cps_world_sheet_triangles(e.world, id),
                             .triangle_count = info.triangle_count,
                             .density = DENSITY,
                             .thickness = THICKNESS,
                             .stretch = c->stretch,
                             .slope = SLOPE,
                             .mu = mu,
                             .gravity = 9.81,
                             .step = STEP};
  e.bullet = bullet_soft_create(&sheet);
  return e;
}

// How far the middle of the sheet has come down the slope, m.
static double way(const Engine* e) {
  CpsSheetInfo info;
  const CpsSheetId id = cps_world_sheet(e->world, 0);
  (void)cps_world_sheet_info(e->world, id, &info);
  if (e->bullet) {
    bullet_soft_look(e->bullet, position, NULL);
  } else {
    (void)cps_world_array(e->world, cps_thing_sheet(id), CPS_QUANTITY_POSITION, &position->x, sizeof *position);
  }
  double sum = 0.0;
  for (int32_t i = 0; i < info.vertex_count; ++i) sum += position[i].x * cos(SLOPE) - position[i].z * sin(SLOPE);
  return sum / info.vertex_count;
}

static double speed_after(const Case* c, double mu, double seconds) {
  Engine e = start(c, mu);
  go(&e, seconds - 0.1);
  const double before = way(&e);
  go(&e, 0.1);
  const double speed = (way(&e) - before) / 0.1;
  finish(&e);
  return speed;
}

static double threshold(const Case* c) {
  double low = 0.1, high = 0.3;
  if (speed_after(c, high, 1.0) > SLOW || speed_after(c, low, 1.0) < SLOW) return INFINITY;
  while (high - low > 5e-4) {
    const double mu = 0.5 * (low + high);
    *(speed_after(c, mu, 1.0) > SLOW ? &low : &high) = mu;
  }
  return 0.5 * (low + high);
}

typedef struct Measured {
  double rests, slides, creep, threshold;
} Measured;

static double time_step(const Case* c, double mu) {
  Engine e = start(c, mu);
  const double begin = cps_clock_cpu();
  go(&e, 60 * STEP);
  const double seconds = cps_clock_cpu() - begin;
  finish(&e);
  return seconds / 60;
}

static Measured measure(const Case* c, bool with_threshold) {
  Measured m = {.rests = time_step(c, 0.3), .slides = time_step(c, 0.1), .threshold = NAN};
  Engine e = start(c, 0.3);
  go(&e, 0.5);
  const double before = way(&e);
  go(&e, 0.5);
  m.creep = (way(&e) - before) / 0.5;
  finish(&e);
  if (with_threshold) m.threshold = threshold(c);
  return m;
}

static void print_mesh(FILE* out, const char* scenes, int columns, int rows, bool with_threshold) {
  const double soft = 0.25 * DENSITY * AREA / ((columns + 1) * (rows + 1)) / (STEP * STEP);
  const Case cases[] = {{scenes, true, columns, rows, soft},
                        {scenes, false, columns, rows, soft},
                        {scenes, false, columns, rows, COTTON}};
  Measured bullet = {0};
  for (int k = 0; k < 3; ++k) {
    const Measured m = measure(&cases[k], with_threshold);
    if (k == 0) bullet = m;
    fprintf(out, "| %d | %s | %.3g | %.2f | %.2f | %.2f | %.2f | %.1e |", 2 * columns * rows,
            k == 0 ? "Bullet" : "Capstan", cases[k].stretch, 1e3 * m.rests, m.rests / bullet.rests, 1e3 * m.slides,
            m.slides / bullet.slides, m.creep);
    if (with_threshold) fprintf(out, " %.4f | %+.4f |\n", m.threshold, m.threshold - tan(SLOPE));
    if (!with_threshold) fprintf(out, " | |\n");
    fflush(out);
  }
}

int main(int argc, char** argv) {
  const Arguments asked = read_arguments(argc, argv);
  FILE* out = open_table(&asked, "deform-ramp.md");
  if (!out) return 1;
  fprintf(out,
          "| triangles | engine | stretch, N/m | rests: ms/step | ratio | slides: ms/step | ratio | creep at μ = 0.3, "
          "m/s | "
          "stays from μ | error |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  static const int CELLS[][2] = {{14, 14}, {32, 32}, {60, 58}};
  for (int k = 0; k < (asked.quick ? 1 : 3); ++k) print_mesh(out, asked.scenes, CELLS[k][0], CELLS[k][1], k < 1);
  return close_table(out) ? 0 : 1;
}
