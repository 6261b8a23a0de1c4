// Does the judge read the engines right? One body whose impulses are known in closed form, in every engine: at rest on the
// floor they are m g h in total and vertical; sliding, they have mu m g h against the motion and the speed falls by mu g h a
// step; and impulses and gravity account for every change of velocity.
#include "world/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/vec3.h"
#include "world/judge.h"

typedef struct Case {
  const char* name;
  CpsShape shape;
  double height, speed;
} Case;

// 3 %: a box that slides in Bullet rocks, since its manifold loses points and finds them again; the others are far below
static const double tolerance = 0.03;
// the means are over the second half, when the engines have pushed the overlap of the start apart
enum { STEPS = 200 };

static CpsVec3 total_impulse(const CpsBenchEngine* engine, const void* world) {
  int32_t count = engine->contact_count(world);
  CpsBenchContact* contacts = calloc((size_t)count + 1, sizeof *contacts);
  CpsVec3 total = {0};
  if (!contacts) abort();
  engine->contacts(world, contacts);
  for (int32_t i = 0; i < count; ++i) total = cps_vec3_add(total, contacts[i].impulse);
  free(contacts);
  return total;
}

static bool check_case(const CpsBenchEngine* engine, const Case* c, FILE* out) {
  CpsBenchScene scene;
  CpsBenchSettings settings = {.sweeps = 50, .tolerance = 1e-8, .threads = 1};
  if (!cps_bench_single(&scene, c->shape, c->height, c->speed)) return false;
  void* world = engine->create(&scene, &settings);
  CpsBenchState before, after;
  CpsVec3 total = {0};
  double speed_lost = 0.0, unexplained = 0.0, residual = 0.0;
  bool ok = world != NULL;
  for (int i = 0; ok && i < STEPS; ++i) {
    engine->get_state(world, &before);
    ok = engine->step(world);
    engine->get_state(world, &after);
    if (i < STEPS / 2) continue;
    CpsBenchVerdict verdict;
    ok = ok && cps_bench_judge(engine, world, &scene, &before, &verdict);
    total = cps_vec3_add(total, total_impulse(engine, world));
    speed_lost += before.velocity.x - after.velocity.x;
    unexplained = fmax(unexplained, verdict.unexplained);
    residual = fmax(residual, verdict.residual);
  }
  double steps = 0.5 * STEPS, weight = steps * scene.bodies[0].mass * CPS_BENCH_GRAVITY * scene.step;
  double vertical = total.z / weight, along = total.x / weight;
  double slowing = speed_lost / (steps * scene.step * CPS_BENCH_GRAVITY), friction = c->speed > 0.0 ? scene.mu : 0.0;
  ok = ok && fabs(vertical - 1.0) < tolerance && fabs(along + friction) < tolerance &&
       fabs(slowing - friction) < tolerance && unexplained < 1e-3;
  fprintf(out, "%s: %s: vertical %.4f, along %.4f m g h, slowing %.4f g, unexplained %.1e, residual %.1e: %s\n",
          engine->name, c->name, vertical, along, slowing, unexplained, residual, ok ? "ok" : "WRONG");
  if (world) engine->destroy(world);
  cps_bench_scene_free(&scene);
  return ok;
}

bool cps_bench_check(const CpsBenchEngine* engine, FILE* out) {
  const Case cases[] = {{"sphere at rest", cps_sphere(0.5), 0.4999, 0.0},
                        {"box at rest", cps_box((CpsVec3){1.0, 1.0, 0.4}), 0.1999, 0.0},
                        {"capsule at rest", cps_capsule(0.3, 0.7), 0.6499, 0.0},
                        {"box sliding", cps_box((CpsVec3){1.0, 1.0, 0.4}), 0.1999, 12.0},
                        {"sphere slipping", cps_sphere(0.5), 0.4999, 50.0}};
  bool ok = true;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) ok = check_case(engine, &cases[i], out) && ok;
  return ok;
}
