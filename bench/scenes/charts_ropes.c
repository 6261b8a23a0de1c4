// Ropes that touch: capstan, plectoneme, knot and coil.
#include "capstan/fibre.h"
#include "core/vec3.h"
#include "scenes/charts.h"
#include "scenes/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 181 };

// Axes of a view: to the right, upwards, towards the viewer.
typedef struct View {
  CpsVec3 right, up, near;
} View;

static View view_from(CpsVec3 near) {
  CpsVec3 n = cps_vec3_unit(near), right = cps_vec3_unit(cps_vec3_cross(cps_vec3(0.0, 0.0, 1.0), n));
  return (View){right, cps_vec3_cross(n, right), n};
}

typedef struct Stroke {
  double x[2], y[2], depth;
} Stroke;

static int by_depth(const void* a, const void* b) {
  double d = ((const Stroke*)a)->depth - ((const Stroke*)b)->depth;
  return d < 0.0 ? -1 : d > 0.0;
}

// The rope as it is thick, anything nearer over what is farther, with a seam where strands pass over each other.
static void put_rope(const Picture* picture, const Stage* s, View view, int colour) {
  CpsVec3 p[POINTS];
  Stroke stroke[POINTS - 1];
  CpsFibreInfo info;
  CpsFibreId id = cps_world_fibre(s->world, 0);
  if (cps_world_fibre_points(s->world, id, POINTS, p) != CPS_OK ||
      cps_world_fibre_info(s->world, id, &info) != CPS_OK) {
    return;
  }
  for (int i = 0; i + 1 < POINTS; ++i) {
    for (int k = 0; k < 2; ++k) {
      stroke[i].x[k] = (cps_vec3_dot(p[i + k], view.right) - picture->window.left) * picture->scale;
      stroke[i].y[k] = (picture->window.high - cps_vec3_dot(p[i + k], view.up)) * picture->scale;
    }
    stroke[i].depth = cps_vec3_dot(cps_vec3_add(p[i], p[i + 1]), view.near);
  }
  qsort(stroke, POINTS - 1, sizeof *stroke, by_depth);
  double width = 2.0 * info.radius * picture->scale;
  for (int i = 0; i + 1 < POINTS; ++i) {
    const Stroke* t = &stroke[i];
    fprintf(picture->out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#fff\" stroke-width=\"%.1f\"/>", t->x[0], t->y[0],
            t->x[1], t->y[1], width + 1.5);
    fprintf(picture->out,
            "<path class=\"c%d\" d=\"M%.1f %.1fL%.1f %.1f\" stroke-width=\"%.1f\" stroke-linecap=\"round\"/>\n", colour,
            t->x[0], t->y[0], t->x[1], t->y[1], width);
  }
}

// The force of the second pull once it is steady, over that of the first; < 0: it never was.
static double slip_ratio(const Studio* studio, double mu, double phi, double* contacts) {
  char settings[256];
  double slip = 0.01 * exp(mu * phi), before = 0.0, ratio = -1.0;
  Stage s;
  snprintf(settings, sizeof settings, "mu=%g phi=%.17g spin=1e-3 speed=0 inertia=%.17g drag=%.17g", mu, phi,
           slip / 5000.0, slip * 30.0);
  if (!stage_open(studio, "capstan.yaml", settings, &s)) return -1.0;
  for (int step = 0, steady = 0; step < 1000 && steady < 5; ++step) {
    CpsVec3 F;
    CpsStepInfo info;
    if (cps_world_step(s.world, &info, NULL) < 0 || cps_world_pull_force(s.world, (CpsPullId){1, 1}, &F) != CPS_OK) {
      break;
    }
    ratio = cps_vec3_norm(F) / 0.01;
    steady = fabs(ratio - before) < 1e-4 * ratio ? steady + 1 : 0;
    before = ratio;
    *contacts = info.contacts;
  }
  stage_close(&s);
  return ratio;
}

bool draw_capstan(const Studio* studio) {
  static const double MU[] = {0.1, 0.3, 0.6}, TURNS[] = {0.25, 0.5, 1.0, 2.0, 3.0};
  static const char* const LABELS[] = {"mu 0.1", "mu 0.3", "mu 0.6"};
  const double pi = acos(-1.0);
  Curve curves[3] = {0};
  printf("  | turns | mu | contacts | ratio | exp(mu phi) | error |\n");
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 5; ++i) {
      double phi = 2.0 * pi * TURNS[i], contacts = 0.0;
      if (MU[k] * phi > 8.0) continue;  // minutes: the long test has it
      double ratio = slip_ratio(studio, MU[k], phi, &contacts);
      if (ratio < 0.0) return false;
      curve_add(&curves[k], TURNS[i], ratio);
      printf("  | %g | %g | %.0f | %.5g | %.5g | %.2f %% |\n", TURNS[i], MU[k], contacts, ratio, exp(MU[k] * phi),
             100.0 * (ratio / exp(MU[k] * phi) - 1.0));
    }
  }
  CpsPlot plot = {.title = "Ratio of the forces at slip: exp(mu phi) is a straight line here",
                  .x = {.label = "turns of the rope"},
                  .y = {.label = "ratio", .log = true, .fixed = true, .low = 1.0, .high = 1e5},
                  .level = NAN};
  return write_plot(studio, "capstan.svg", plot, LABELS, curves, 3);
}

// Panels of one scene at several times.
static bool draw_times(const Studio* studio, const char* scene, const char* settings, const char* file, Window window,
                       View view, const double* times, int count, int columns, double width) {
  Picture picture;
  Stage s;
  if (!stage_open(studio, scene, settings, &s)) return false;
  bool good = picture_begin(&picture, studio_path(studio, file), window, count, columns, width);
  for (int k = 0; k < count && good; ++k) {
    char caption[32];
    snprintf(caption, sizeof caption, "t = %g s", times[k]);
    good = stage_run(&s, times[k], NULL);
    picture_panel(&picture, caption);
    put_rope(&picture, &s, view, 0);
    picture_panel_end(&picture);
  }
  stage_close(&s);
  return good && picture_end(&picture);
}

bool draw_plectoneme(const Studio* studio) {
  static const double TIMES[] = {0.5, 1.0, 1.2, 1.6, 2.0};
  Window window = {-0.02, 0.52, -0.06, 0.08};
  return draw_times(studio, "plectoneme.yaml", "", "plectoneme.svg", window, view_from(cps_vec3(0.0, -1.0, 0.0)), TIMES,
                    5, 1, 560.0);
}

bool draw_knot(const Studio* studio) {
  static const double TIMES[] = {0.001, 0.15, 0.2, 0.6};
  Window window = {-0.07, 0.07, -0.15, 0.15};
  View view = {{-1.0, 0.0, 0.0}, {0.0, 0.8, 0.6}, {0.0, 0.6, -0.8}};
  if (!draw_times(studio, "knot.yaml", "mu=0.5", "knot.svg", window, view, TIMES, 4, 4, 170.0)) return false;
  static const char* const LABELS[] = {"mu 0", "mu 0.1", "mu 0.3", "mu 0.5"};
  static const double MU[] = {0.0, 0.1, 0.3, 0.5};
  Curve curves[4] = {0};
  for (int m = 0; m < 4; ++m) {
    char settings[32];
    Stage s;
    snprintf(settings, sizeof settings, "mu=%g", MU[m]);
    if (!stage_open(studio, "knot.yaml", settings, &s)) return false;
    for (int k = 1; k <= 100; ++k) {
      CpsFibreInfo info;
      CpsFibrePoint a, b;
      CpsFibreId id = cps_world_fibre(s.world, 0);
      if (!stage_run(&s, 0.01 * k, NULL) || cps_world_fibre_info(s.world, id, &info) != CPS_OK ||
          cps_world_fibre_at(s.world, id, 0.0, &a) != CPS_OK ||
          cps_world_fibre_at(s.world, id, info.length, &b) != CPS_OK) {
        return false;
      }
      double taken = info.length - cps_vec3_norm(cps_vec3_sub(b.position, a.position));
      curve_add(&curves[m], 0.01 * k, 100.0 * taken);
    }
    stage_close(&s);
    printf("  mu %g: the knot takes %.2f cm of rope at 0.6 s, %.2f cm at 1 s\n", MU[m], curves[m].y[59],
           curves[m].y[99]);
  }
  CpsPlot plot = {.title = "Rope in the knot: tied, pulled with 10 N, released at 0.6 s",
                  .x = {.label = "time, s"},
                  .y = {.label = "length minus distance between the ends, cm"},
                  .level = NAN};
  return write_plot(studio, "knot-release.svg", plot, LABELS, curves, 4);
}

bool draw_rope_coil(const Studio* studio) {
  static const double TIMES[] = {0.6, 1.2, 1.7, 2.2};
  Window window = {-0.2, 0.2, -0.06, 0.3};
  return draw_times(studio, "rope-coil.yaml", "", "rope-coil.svg", window, view_from(cps_vec3(1.0, -2.0, 1.0)), TIMES,
                    4, 2, 330.0);
}
