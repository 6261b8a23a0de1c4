// Figures of soft solids: the path of a spinning ball, the loads on the legs of a stool, friction on two finger tips.
#include "capstan/array.h"
#include "capstan/solid.h"
#include "core/vec3.h"
#include "scenes/charts.h"
#include "scenes/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLOPE = 10.0 * 3.14159265358979323846 / 180.0;

// The mean position and velocity of the vertices of a solid, and its spin about y as if it were rigid: a mesh of equal cells.
typedef struct Motion {
  CpsVec3 centre, velocity;
  double spin;
} Motion;

static bool motion_of(const CpsWorld* world, Motion* motion) {
  const CpsSolidId id = cps_world_solid(world, 0);
  CpsSolidInfo info;
  if (cps_world_solid_info(world, id, &info) != CPS_OK) return false;
  const int32_t count = info.vertex_count;
  CpsVec3* x = calloc(2 * (size_t)count, sizeof *x);
  CpsVec3* v = x + count;
  *motion = (Motion){0};
  bool good = x && cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &x->x, sizeof *x) == CPS_OK &&
              cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_VELOCITY, &v->x, sizeof *v) == CPS_OK;
  for (int32_t i = 0; i < count && good; ++i) {
    motion->centre = cps_vec3_axpy(motion->centre, 1.0 / count, x[i]);
    motion->velocity = cps_vec3_axpy(motion->velocity, 1.0 / count, v[i]);
  }
  double moment = 0.0, inertia = 0.0;
  for (int32_t i = 0; i < count && good; ++i) {
    const CpsVec3 d = cps_vec3_sub(x[i], motion->centre), u = cps_vec3_sub(v[i], motion->velocity);
    moment += d.z * u.x - d.x * u.z;
    inertia += d.x * d.x + d.z * d.z;
  }
  motion->spin = inertia > 0.0 ? moment / inertia : 0.0;
  free(x);
  return good;
}

// Figure 7: where the centre of the ball goes, and its spin.
bool draw_ball_spin(const Studio* studio) {
  static const char* const MU[] = {"0.01", "0.5", "1"};
  static const char* const LABELS[] = {"mu 0.01", "mu 0.5", "mu 1"};
  enum { FRAMES = 300 };
  const double far = -1.8;  // m down the slope, where it is followed no longer
  Curve path[3] = {0}, spin[3] = {0};
  for (int k = 0; k < 3; ++k) {
    char settings[64];
    Stage s;
    snprintf(settings, sizeof settings, "mu=%s size=3cm hollow=5cm", MU[k]);
    if (!stage_open(studio, "ball-spin.yaml", settings, &s)) return false;
    double top = 0.0;
    double up = 0.0;
    for (int i = 0; i <= FRAMES && up > far; ++i) {
      Motion m;
      if (!stage_run(&s, 0.01 * i, NULL) || !motion_of(s.world, &m)) return false;
      up = -m.centre.x * cos(SLOPE) + m.centre.z * sin(SLOPE);
      top = fmax(top, up);
      curve_add(&path[k], up, m.centre.x * sin(SLOPE) + m.centre.z * cos(SLOPE));
      curve_add(&spin[k], 0.01 * i, -m.spin);
    }
    printf("  mu %s: up the slope %.2f m at most, %.2f m at the end; spin at the end %.1f rad/s\n", MU[k], top, up,
           spin[k].y[spin[k].count - 1]);
    stage_close(&s);
  }
  CpsPlot plot = {.title = "A spinning soft ball on a slope of 10 degrees: path of its centre in 3 s",
                  .x = {.label = "up the slope, m"},
                  .y = {.label = "above the slope, m"},
                  .mark_ends = true,
                  .level = NAN};
  if (!write_plot(studio, "ball-spin-path.svg", plot, LABELS, path, 3)) return false;
  plot = (CpsPlot){.title = "Its spin: positive drives it up the slope",
                   .x = {.label = "time, s"},
                   .y = {.label = "spin, rad/s"},
                   .level = NAN};
  return write_plot(studio, "ball-spin-spin.svg", plot, LABELS, spin, 3);
}

// Figure 8: what the legs carry.
bool draw_stool(const Studio* studio) {
  static const char* const LABELS[] = {"front legs", "hind legs"};
  Curve loads[2] = {0};
  Stage s;
  if (!stage_open(studio, "stool.yaml", "", &s)) return false;
  const double h = cps_world_settings(s.world).step;
  for (int i = 1; h * i < 1.2; ++i) {
    Motion m;
    double load[2] = {0.0, 0.0};
    if (!stage_run(&s, h * i, NULL) || !motion_of(s.world, &m)) return false;
    for (int32_t k = 0; k < cps_world_contact_count(s.world); ++k) {
      const CpsContact c = cps_world_contact(s.world, k);
      const CpsVec3 arm = cps_vec3_sub(c.side[0].point, m.centre);
      load[!(arm.x * cos(SLOPE) - arm.z * sin(SLOPE) > 0.0)] += c.impulse[0] / h;
    }
    for (int k = 0; k < 2; ++k) curve_add(&loads[k], h * i, load[k]);
  }
  stage_close(&s);
  CpsPlot plot = {.title = "A soft stool slides down a slope of 10 degrees and stops: loads on its legs",
                  .x = {.label = "time, s"},
                  .y = {.label = "load, N"},
                  .level = NAN};
  return write_plot(studio, "stool-legs.svg", plot, LABELS, loads, 2);
}

// Friction of a contact on the finger tip, N, and where; false: the other tip, or none.
static bool friction_on(const CpsContact* c, int32_t tip, double h, CpsVec3* at, CpsVec3* force) {
  for (int side = 0; side < 2; ++side) {
    const CpsThing thing = c->side[side].thing;
    if (thing.kind != CPS_THING_SOLID || thing.index != tip) continue;
    const double sign = (side == 0 ? 1.0 : -1.0) / h;
    *at = c->side[side].point;
    *force = cps_vec3_add(cps_vec3_scale(sign * c->impulse[1], c->tangent1),
                          cps_vec3_scale(sign * c->impulse[2], c->tangent2));
    return true;
  }
  return false;
}

// One tip, seen along the direction in which it presses: y to the right, z upwards, from the middle of its contacts.
static void put_friction(Picture* picture, const CpsWorld* world, int32_t tip, double h, double scale) {
  CpsVec3 middle = {0.0, 0.0, 0.0}, at, force, sum = middle;
  double radial = 0.0, size = 0.0;
  int count = 0;
  for (int32_t k = 0; k < cps_world_contact_count(world); ++k) {
    const CpsContact c = cps_world_contact(world, k);
    if (!friction_on(&c, tip, h, &at, &force)) continue;
    middle = cps_vec3_add(middle, at);
    sum = cps_vec3_add(sum, force);
    ++count;
  }
  if (count > 0) middle = cps_vec3_scale(1.0 / count, middle);
  for (int32_t k = 0; k < cps_world_contact_count(world); ++k) {
    const CpsContact c = cps_world_contact(world, k);
    if (!friction_on(&c, tip, h, &at, &force)) continue;
    const CpsVec3 d = cps_vec3_sub(at, middle);
    const CpsVec3 own = cps_vec3_axpy(force, -1.0 / count, sum);  // without what the glass weighs
    const double arm = hypot(d.y, d.z), x = 1e3 * d.y, z = 1e3 * d.z;
    if (arm > 0.0) radial += (own.y * d.y + own.z * d.z) / arm;
    size += hypot(own.y, own.z);
    const double to[2] = {x + scale * force.y, z + scale * force.z}, angle = atan2(force.z, force.y);
    const double tail[] = {x, z, to[0], to[1]}, barb = 0.25 * scale * hypot(force.y, force.z);
    picture_path(picture, tail, 2, (int)tip);
    for (int side = -1; side <= 1; side += 2) {
      const double head[] = {to[0], to[1], to[0] - barb * cos(angle + 0.4 * side),
                             to[1] - barb * sin(angle + 0.4 * side)};
      picture_path(picture, head, 2, (int)tip);
    }
  }
  printf("  t = %.2f s, %s: %d contacts, friction %.3f N upwards, beside that %.2f of it points outwards\n",
         cps_world_time(world), tip == 0 ? "index" : "thumb", count, sum.z, size > 0.0 ? radial / size : 0.0);
}

// Figure 10: friction on both tips as they grasp, lift and hold.
bool draw_pinch_glass(const Studio* studio) {
  static const double TIMES[] = {0.1, 0.2, 0.3, 0.6};
  static const char* const STAGES[] = {"grasp", "before the lift", "lift", "hold"};
  Picture picture;
  Stage s;
  const Window window = {-8.0, 8.0, -8.0, 8.0};  // mm
  if (!stage_open(studio, "pinch-glass.yaml", "size=4mm", &s)) return false;
  const double h = cps_world_settings(s.world).step;
  if (!picture_begin(&picture, studio_path(studio, "pinch-glass-friction.svg"), window, 8, 4, 190.0)) return false;
  for (int k = 0; k < 4; ++k) {
    if (!stage_run(&s, TIMES[k], NULL)) return false;
    for (int tip = 0; tip < 2; ++tip) {
      char caption[64];
      snprintf(caption, sizeof caption, "%s, %s", tip == 0 ? "index" : "thumb", STAGES[k]);
      picture_panel(&picture, caption);
      put_friction(&picture, s.world, tip, h, 12.0);
      picture_panel_end(&picture);
    }
  }
  stage_close(&s);
  return picture_end(&picture);
}
