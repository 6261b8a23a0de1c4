// Two framings of one curve and their natural centrelines, of a round section and of a flat one (proposition 4.2 of the habilitation of
// Bertails-Descoubes 2017). Writes bench/results/framings.svg, seen from the side.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
#include "core/quat.h"
#include "draw/plot.h"

enum { N = 64, PLACES = 101 };
static const double LENGTH = 0.3, TURN = 2.0;  // m; rad from root to tip, of the second framing

static void stop(const CpsError* error) {
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

// The curve of tests/inverse/test_kirchhoff.c, at rest; the stiffness about one axis is `flat` times that about the other.
static CpsFibreId add(CpsWorld* world, int framing, double flat) {
  CpsVec3 k[N + 1];
  for (int i = 0; i <= N; ++i) {
    const double part = (double)i / N, angle = framing * TURN * part, c = cos(angle), s = sin(angle);
    const double b1 = 4.0 + 6.0 * part, b2 = 8.0 - 5.0 * part;
    k[i] = (CpsVec3){framing * TURN / LENGTH, c * b1 + s * b2, c * b2 - s * b1};
  }
  CpsFibreDef def = cps_fibre_def_default();
  def.model = CPS_ROD_SUPER_CLOTHOID;
  def.elements = N;
  def.length = LENGTH;
  def.line_density = 8e-4;
  def.twisting = 6e-5;
  def.bending[0] = 1e-4;
  def.bending[1] = flat * 1e-4;
  def.curvature = k;
  def.curvature_count = N + 1;
  def.root.kind = CPS_END_CLAMPED;
  def.root_pose.rotation = cps_quat_exp((CpsVec3){0.3, 0.7, -0.4});
  def.contact_radius = 0.0;
  CpsFibreId id;
  CpsError error;
  if (cps_world_add_fibre(world, &def, &id, &error) != CPS_OK) stop(&error);
  return id;
}

static void look(const CpsWorld* world, CpsFibreId id, double* x, double* z) {
  CpsVec3 points[PLACES];
  (void)cps_world_fibre_points(world, id, PLACES, points);
  for (int i = 0; i < PLACES; ++i) x[i] = points[i].x, z[i] = points[i].z;
}

// The curve as it is drawn, or without its weight.
static void draw(int framing, double flat, bool natural, double* x, double* z) {
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_world_create(&def, &world, &error) != CPS_OK) stop(&error);
  const CpsFibreId id = add(world, framing, flat);
  if (natural) {
    if (cps_world_invert(world, NULL, NULL, &error) != CPS_OK) stop(&error);
    def = cps_world_settings(world);
    def.gravity = (CpsVec3){0.0, 0.0, 0.0};
    if (cps_world_configure(world, &def, &error) != CPS_OK) stop(&error);
    if (cps_world_settle_fibre(world, id, NULL, &error) != CPS_OK) stop(&error);
  }
  look(world, id, x, z);
  cps_world_destroy(world);
}

int main(int argc, char** argv) {
  const char* folder = argc > 2 && strcmp(argv[1], "--out") == 0 ? argv[2] : "bench/results";
  static const char* const LABEL[5] = {"drawn", "round, untwisted", "round, turning", "flat, untwisted",
                                       "flat, turning"};
  static double x[5][PLACES], z[5][PLACES];
  CpsPlotSeries series[5];
  for (int i = 0; i < 5; ++i) {
    draw(i == 2 || i == 4, i > 2 ? 2.0 : 1.0, i > 0, x[i], z[i]);
    series[i] = (CpsPlotSeries){LABEL[i], x[i], z[i], PLACES};
  }
  const CpsPlot plot = {.title = "Natural centrelines of two framings of one curve",
                        .x = {.label = "x, m"},
                        .y = {.label = "z, m"},
                        .series = series,
                        .series_count = 5,
                        .level = NAN};
  char path[1024];
  CpsError error;
  snprintf(path, sizeof path, "%s/framings.svg", folder);
  if (cps_plot_write(&plot, path, &error) != CPS_OK) stop(&error);
  return 0;
}
