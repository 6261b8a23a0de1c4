// The figures of the scenes' pages, one function each; they return false after saying what failed.
#ifndef CAPSTAN_BENCH_SCENES_CHARTS_H
#define CAPSTAN_BENCH_SCENES_CHARTS_H

#include "capstan/scene.h"
#include "draw/plot.h"

enum { MOST_SETTINGS = 12 };

// A scene that is open, with its world.
typedef struct Stage {
  CpsScene* scene;
  CpsWorld* world;
} Stage;

// Where the scenes are and where pictures go.
typedef struct Studio {
  const char* scenes;
  const char* images;
} Studio;

// Opens scenes/`name` with settings "key=value" separated by blanks ("" for none).
bool stage_open(const Studio* studio, const char* name, const char* settings, Stage* stage);
void stage_close(Stage* stage);
CpsBodyState stage_body(const Stage* stage, int32_t i);
// Steps to the time; says so if a step fails.
bool stage_run(Stage* stage, double time, CpsStepInfo* last);
// images/`name`, in memory of its own until the next call.
const char* studio_path(const Studio* studio, const char* name);

// A curve that grows.
typedef struct Curve {
  double *x, *y;
  int count, capacity;
} Curve;
bool curve_add(Curve* curve, double x, double y);
void curve_free(Curve* curve);
// Writes a plot of curves with labels.
bool write_plot(const Studio* studio, const char* name, CpsPlot plot, const char* const* labels, Curve* curves,
                int count);

bool draw_ramp(const Studio* studio);
bool draw_ramp_grid(const Studio* studio);
bool draw_pinch(const Studio* studio);
bool draw_slide(const Studio* studio);
bool draw_tip(const Studio* studio);
bool draw_roll(const Studio* studio);
bool draw_disc(const Studio* studio);
bool draw_puck(const Studio* studio);
bool draw_column(const Studio* studio);
bool draw_triangle(const Studio* studio);
bool draw_settle(const Studio* studio);
bool draw_settle_table(const Studio* studio);
bool draw_wall(const Studio* studio);
bool draw_arch(const Studio* studio);
bool draw_arch_limit(const Studio* studio);
bool draw_cards(const Studio* studio);
bool draw_dominoes(const Studio* studio);
bool draw_heavy(const Studio* studio);
bool draw_loop(const Studio* studio);
bool draw_willow(const Studio* studio);
bool draw_orbit(const Studio* studio);
bool draw_painleve(const Studio* studio);
bool draw_capstan(const Studio* studio);
bool draw_plectoneme(const Studio* studio);
bool draw_knot(const Studio* studio);
bool draw_rope_coil(const Studio* studio);
bool draw_cantilever(const Studio* studio);
bool draw_stick_slip(const Studio* studio);
bool draw_bend_twist(const Studio* studio);
bool draw_cloth_cylinder(const Studio* studio);
bool draw_strip_pull(const Studio* studio);
bool draw_ball_spin(const Studio* studio);
bool draw_stool(const Studio* studio);
bool draw_pinch_glass(const Studio* studio);

#endif
