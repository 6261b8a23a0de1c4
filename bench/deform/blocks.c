// A soft block and a hollow soft ball on a slope of 10 degrees, in Capstan and in Bullet's deformable world. The same mesh, masses, rim,
// law, stiffness and step, one run, processor time of one thread.
//
//   block      that of block-ramp. Time of a step from the start to 0.25 s with mu = 0.3 (rests) and mu = 0.1 (slides); creep: mean speed of its
//              middle from 4 s to 5 s with mu = 0.3, which should be 0; acceleration from 1 s to 2 s with mu = 0.176, which should be
//              3.159 mm/s2; the least mu at which it is slower than 1 mm/s from 2.4 s to 2.5 s, to 5e-4: tan 10 degrees for a block that has
//              stopped rocking
//   ball       that of ball-spin, with mu = 1, from just above the slope. Time of a step over 0.25 s, or as many steps as fit into 20 s, and the
//              velocity of its middle then: its spin throws it up the slope
//
// usage: bench-deform-blocks --scenes DIRECTORY [--out DIRECTORY] [--quick]     writes deform-blocks.md
#include "deform/arguments.h"
#include "deform/slope.h"

#include "capstan/array.h"
#include "capstan/scene.h"
#include "capstan/solid.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 8000, SETS = 4, BALL_STEPS = 60 };
static const double SLOW = 0.001;       // m/s
static const double BALL_LIMIT = 20.0;  // s of processor time
static const double POISSON = 0.4;

typedef enum Kind { CAPSTAN, BULLET_IMPLICIT, BULLET_EXPLICIT } Kind;
static const char* const NAMES[] = {"Capstan", "Bullet, implicit", "Bullet, explicit"};

typedef struct Case {
  const char *scenes, *scene;
  Kind kind;
  double young;
} Case;

static CpsVec3 position[MOST_VERTICES], velocity[MOST_VERTICES];

static CpsWorld* open_scene(const Case* c, double mu) {
  char path[512], text[SETS][64];
  const char* list[SETS];
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  const bool ball = strcmp(c->scene, "ball-spin") == 0;
  snprintf(path, sizeof path, "%s/%s.yaml", c->scenes, c->scene);
  snprintf(text[0], sizeof *text, "mu=%.17g", mu);
  snprintf(text[1], sizeof *text, "time.step=%.17g", STEP);
  snprintf(text[2], sizeof *text, "solids.%s.young=%.17g", ball ? "ball" : "block", c->young);
  snprintf(text[3], sizeof *text, "%s", ball ? "height=0.12" : "rim=1 mm");
  for (int k = 0; k < SETS; ++k) list[k] = text[k];
  if (cps_scene_load(path, list, SETS, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(1);
  }
  cps_scene_destroy(scene);
  return world;
}

static int32_t look(const Engine* e, CpsSolidInfo* info) {
  const CpsSolidId id = cps_world_solid(e->world, 0);
  if (cps_world_solid_info(e->world, id, info) != CPS_OK || info->vertex_count > MOST_VERTICES) exit(1);
  if (e->bullet) {
    bullet_soft_look(e->bullet, position, velocity);
  } else {
    (void)cps_world_array(e->world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &position->x, sizeof *position);
    (void)cps_world_array(e->world, cps_thing_solid(id), CPS_QUANTITY_VELOCITY, &velocity->x, sizeof *velocity);
  }
  return info->vertex_count;
}

// Either of the two, on the mesh of the scene.
static Engine start(const Case* c, double mu) {
  Engine e = {open_scene(c, mu), NULL};
  if (c->kind == CAPSTAN) return e;
  CpsSolidInfo info;
  const CpsSolidId id = cps_world_solid(e.world, 0);
  const int32_t count = look(&e, &info);
  const BulletThing thing = {.vertices = position,
                             .velocities = velocity,
                             .vertex_count = count,
                             .tetrahedra = cps_world_solid_tetrahedra(e.world, id),
                             .tetrahedron_count = info.tetrahedron_count,
                             .mass = info.mass,
                             .thickness = 2e-3,
                             .young = c->young,
                             .poisson = POISSON,
                             .implicit = c->kind == BULLET_IMPLICIT,
                             .slope = SLOPE,
                             .mu = mu,
                             .gravity = 9.81,
                             .step = STEP};
  e.bullet = bullet_soft_create(&thing);
  return e;
}

typedef struct Middle {
  double x, along, across;  // m down the slope; m/s down the slope and away from it
} Middle;

static Middle middle(const Engine* e) {
  CpsSolidInfo info;
  const int32_t count = look(e, &info);
  Middle m = {0};
  for (int32_t i = 0; i < count; ++i) {
    const CpsVec3 x = position[i], v = velocity[i];
    m.x += (x.x * cos(SLOPE) - x.z * sin(SLOPE)) / count;
    m.along += (v.x * cos(SLOPE) - v.z * sin(SLOPE)) / count;
    m.across += (v.x * sin(SLOPE) + v.z * cos(SLOPE)) / count;
  }
  return m;
}

// Mean over the last tenth of a second.
static double speed_after(const Case* c, double mu, double seconds) {
  Engine e = start(c, mu);
  go(&e, seconds - 0.1);
  const double before = middle(&e).x;
  go(&e, 0.1);
  const double speed = (middle(&e).x - before) / 0.1;
  finish(&e);
  return speed;
}

static double threshold(const Case* c) {
  double low = 0.12, high = 0.24;
  if (!(speed_after(c, high, 2.5) < SLOW) || !(speed_after(c, low, 2.5) > SLOW)) return NAN;
  while (high - low > 5e-4) {
    const double mu = 0.5 * (low + high);
    *(speed_after(c, mu, 2.5) > SLOW ? &low : &high) = mu;
  }
  return 0.5 * (low + high);
}

static double time_step(const Case* c, double mu) {
  double least = INFINITY;
  for (int again = 0; again < 3; ++again) {
    Engine e = start(c, mu);
    const double begin = cps_clock_cpu();
    go(&e, 60 * STEP);
    least = fmin(least, (cps_clock_cpu() - begin) / 60);
    finish(&e);
  }
  return least;
}

// first: times of Bullet with explicit elasticity, which come first.
static void print_block(FILE* out, const Case* c, double first[2], bool with_threshold) {
  const double own[2] = {time_step(c, 0.3), time_step(c, 0.1)};
  if (c->kind == BULLET_EXPLICIT) first[0] = own[0], first[1] = own[1];
  Engine e = start(c, 0.3);
  go(&e, 4.0);
  const double before = middle(&e).x;
  go(&e, 1.0);
  const double creep = middle(&e).x - before;
  finish(&e);
  const double gained = speed_after(c, 0.176, 2.0) - speed_after(c, 0.176, 1.0);
  fprintf(out, "| %s | %g | %.2f | %.2f | %.2f | %.2f | %.1e | %.3f |", NAMES[c->kind], c->young / 1e6, 1e3 * own[0],
          own[0] / first[0], 1e3 * own[1], own[1] / first[1], creep, 1e3 * gained);
  const double from = with_threshold ? threshold(c) : NAN;
  if (isnan(from)) fprintf(out, " %s | |\n", with_threshold ? "never" : "");
  if (!isnan(from)) fprintf(out, " %.4f | %+.4f |\n", from, from - tan(SLOPE));
  fflush(out);
}

static void print_ball(FILE* out, const Case* c, double* first) {
  Engine e = start(c, 1.0);
  const double begin = cps_clock_cpu();
  int steps = 0;
  while (steps < BALL_STEPS && cps_clock_cpu() - begin < BALL_LIMIT) go(&e, STEP), ++steps;
  const double own = (cps_clock_cpu() - begin) / steps;
  const Middle m = middle(&e);
  finish(&e);
  if (c->kind == BULLET_EXPLICIT) *first = own;
  fprintf(out, "| %s | %g | %d | %.2f | %.2f |", NAMES[c->kind], c->young / 1e6, steps, 1e3 * own, own / *first);
  if (steps < BALL_STEPS) fprintf(out, " not reached | |\n");
  if (steps == BALL_STEPS) fprintf(out, " %+.3f | %+.3f |\n", -m.along, m.across);
  fflush(out);
}

int main(int argc, char** argv) {
  const Arguments asked = read_arguments(argc, argv);
  FILE* out = open_table(&asked, "deform-blocks.md");
  if (!out) return 1;
  fprintf(out,
          "| block in | Young's modulus, MPa | rests: ms/step | ratio | slides: ms/step | ratio | creep at μ = 0.3, "
          "m/s | acceleration at μ = 0.176, mm/s² | stays from μ | error "
          "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  static const double YOUNG[] = {1e6, 1e5};
  for (int y = 0; y < (asked.quick ? 1 : 2); ++y) {
    double first[2] = {1.0, 1.0};
    for (int kind = 2; kind >= 0; --kind) {
      const Case c = {asked.scenes, "block-ramp", (Kind)kind, YOUNG[y]};
      print_block(out, &c, first, !asked.quick && y == 0);
    }
  }
  fprintf(out,
          "\n| ball in | Young's modulus, MPa | steps | ms/step | ratio | up the slope after 0.25 s, m/s | away from "
          "it, m/s "
          "|\n|---|---:|---:|---:|---:|---:|---:|\n");
  double first = 1.0;
  for (int kind = 2; kind >= 0; --kind) {
    const Case c = {asked.scenes, "ball-spin", (Kind)kind, 5e5};
    print_ball(out, &c, &first);
  }
  return close_table(out) ? 0 : 1;
}
