// Shared by the tests of Hertz's contact: a rigid sphere pressed into a soft half space.
//
// The half space is a box cut finely below the sphere and coarsely far from it. Its far faces are held where the point load of
// Boussinesq has them, so that the box may be small; the remainder of its size is of the order of (a / size)^2 of that.
#ifndef CAPSTAN_TESTS_WORLD_HERTZ_H
#define CAPSTAN_TESTS_WORLD_HERTZ_H

#include "solid_shapes.h"

#include <math.h>
#include <string.h>

static const double YOUNG = 1e5, POISSON = 0.3, RADIUS = 0.05, RIM = 1e-5, LONG_STEP = 3600.0;

static inline double hertz_force(double depth) {
  return 4.0 / 3.0 * YOUNG / (1.0 - POISSON * POISSON) * sqrt(RADIUS) * pow(depth, 1.5);
}

typedef struct Cut {
  int count;
  double at[100];
} Cut;

// Cells of width h up to `fine`, then each 1.4 times as wide as the one before, to `size`.
static inline Cut cut(double h, double fine, double size) {
  Cut c = {0};
  double wide = h;
  while (c.at[c.count] < size - 1e-9) {
    if (c.at[c.count] > fine - 1e-9) wide *= 1.4;
    c.at[c.count + 1] = c.at[c.count] + wide;
    c.count++;
  }
  for (int i = 0; i <= c.count; ++i) {
    if (c.at[i] > fine) c.at[i] = fine + (c.at[i] - fine) * (size - fine) / (c.at[c.count] - fine);
    if (i == c.count) break;
  }
  return c;
}

// Where the point load F at the origin of the half space z <= 0 moves a point.
static inline CpsVec3 boussinesq(double F, CpsVec3 p) {
  const double G = YOUNG / (2.0 * (1.0 + POISSON)), z = -p.z, r = hypot(p.x, p.y), rho = hypot(r, z);
  const double k = F / (4.0 * acos(-1.0) * G);
  const double out = k * (r * z / (rho * rho * rho) - (1.0 - 2.0 * POISSON) * r / (rho * (rho + z)));
  const double down = k * (2.0 * (1.0 - POISSON) / rho + z * z / (rho * rho * rho));
  return (CpsVec3){r > 0.0 ? out * p.x / r : 0.0, r > 0.0 ? out * p.y / r : 0.0, -down};
}

typedef struct Pressed {
  CpsWorld* world;
  Tets tets;
  CpsVec3* rest;
  double mu;  // of all contacts from now on
} Pressed;

static inline void give_friction(CpsContactQuery* query, void* data) {
  query->mu = ((const Pressed*)data)->mu;
}

static inline void finish_pressed(Pressed* p) {
  cps_world_destroy(p->world);
  free_tets(&p->tets);
  free(p->rest);
}

// The sphere goes down by `depth` in `steps` steps, then by `aside` along x in as many. p stays where it is.
static inline void start_pressed(Pressed* p, double h, double fine, double size, double depth, double aside,
                                 int steps) {
  const Cut x = cut(h, fine, size), z = cut(h, 0.7 * fine, size);
  const int n = 2 * x.count;
  p->mu = 0.0;
  p->tets = make_box(n, n, z.count, (CpsVec3){0, 0, 0}, (CpsVec3){1, 1, 1}, 0.0);
  p->rest = calloc((size_t)p->tets.vertex_count, sizeof *p->rest);
  int32_t *far = calloc((size_t)p->tets.vertex_count, sizeof *far), count = 0;
  for (int32_t v = 0; v < p->tets.vertex_count; ++v) {
    const int i = v % (n + 1), j = v / (n + 1) % (n + 1), k = v / ((n + 1) * (n + 1));
    CpsVec3 at = {i < x.count ? -x.at[x.count - i] : x.at[i - x.count],
                  j < x.count ? -x.at[x.count - j] : x.at[j - x.count], -z.at[z.count - k]};
    p->rest[v] = p->tets.vertices[v] = at;
    if (i > 0 && i < n && j > 0 && j < n && k > 0) continue;
    CpsVec3 u = boussinesq(hertz_force(depth), at);
    p->tets.vertices[v] = (CpsVec3){at.x + u.x, at.y + u.y, at.z + u.z};
    far[count++] = v;
  }
  CpsWorldDef world = cps_world_def_default();
  world.step = LONG_STEP;  // a step is an equilibrium
  world.theta = 1.0;
  world.gravity = (CpsVec3){0, 0, 0};
  world.solver.tolerance = 1e-8;
  world.projection = false;
  world.friction = give_friction;
  world.friction_data = p;
  assert_int_equal(cps_world_create(&world, &p->world, NULL), CPS_OK);
  CpsSolidDef def = solid_of(&p->tets);
  def.rest = p->rest;
  def.matter.young = YOUNG, def.matter.poisson = POISSON, def.matter.damping = 0.0;
  def.matter.law = CPS_SOLID_COROTATED;
  def.radius = RIM;
  def.self_contact = false;
  CpsPin pin = cps_pin_default();
  pin.vertex_count = count, pin.vertices = far;
  def.pins = &pin, def.pin_count = 1;
  CpsError error;
  if (cps_world_add_solid(p->world, &def, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsObstacleDef sphere = cps_obstacle_def_default();
  sphere.shape = cps_sphere(RADIUS - RIM);
  sphere.pose.position.z = RADIUS + 1e-7;
  const double times[3] = {0.0, LONG_STEP * steps, 2.0 * LONG_STEP * steps};
  const CpsQuat none = {1, 0, 0, 0};
  const CpsPose poses[3] = {
      {{0, 0, RADIUS + 1e-7}, none}, {{0, 0, RADIUS - depth}, none}, {{aside, 0, RADIUS - depth}, none}};
  sphere.motion = (CpsMotion){.kind = CPS_MOTION_KEYFRAMES, .key_count = 3, .key_times = times, .key_poses = poses};
  assert_int_equal(cps_world_add_obstacle(p->world, &sphere, NULL, NULL), CPS_OK);
  free(far);
}

static inline void press(Pressed* p, int steps) {
  CpsError error;
  for (int i = 0; i < steps; ++i) {
    if (cps_world_step(p->world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  }
}

// Forces of the contacts, and their second moments about the middle of the contact.
typedef struct Load {
  double F, T;    // N, across and along x
  double F2, T2;  // N m^2
  double radius;  // Hertz: F2 = 2/5 a^2 F
  int contacts, stick;
} Load;

static inline Load load_of(const Pressed* p, double aside) {
  Load l = {0};
  for (int32_t i = 0; i < cps_world_contact_count(p->world); ++i) {
    CpsContact c = cps_world_contact(p->world, i);
    const double x = c.side[0].point.x - aside, y = c.side[0].point.y, r2 = x * x + y * y;
    CpsVec3 f = {c.impulse[0] * c.normal.x + c.impulse[1] * c.tangent1.x + c.impulse[2] * c.tangent2.x, 0.0,
                 c.impulse[0] * c.normal.z + c.impulse[1] * c.tangent1.z + c.impulse[2] * c.tangent2.z};
    l.F -= f.z / LONG_STEP, l.T += f.x / LONG_STEP;
    l.F2 -= r2 * f.z / LONG_STEP, l.T2 += r2 * f.x / LONG_STEP;
    l.contacts += c.impulse[0] > 0.0;
    l.stick += c.status == CPS_CONTACT_STICK;
  }
  l.radius = sqrt(2.5 * l.F2 / l.F);
  return l;
}

#endif
