// The narrow phase compared with libccd: how exact, how fast, and how often wrong, on boxes and cylinders that rest on each other.
//
// Each pair touches with a known depth: a box, or a cylinder standing or lying, is put on a box with a face (or its side
// line) parallel to the top face and pushed in by that depth. libccd is asked with its default tolerance and with 1e-12.
// Printed are the largest error of the depth and of the normal's angle, the number of answers that are missing or wrong by
// more than the depth itself, the number of contact points, and microseconds of processor time per pair.
//
// usage: bench-narrow [--out DIRECTORY]     writes DIRECTORY/narrow.md, or prints
#include <ccd/ccd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/random.h"
#include "geometry/collide.h"

enum { PAIRS = 400 };

typedef struct Body {
  const CpsGeom* geom;
  CpsPose pose;
} Body;

typedef struct Pair {
  Body a, b;
  double depth;
  CpsVec3 normal;
} Pair;

typedef struct Answer {
  int points;  // 0: nothing was found
  double depth;
  CpsVec3 normal;
} Answer;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static CpsGeom* make(CpsShape shape) {
  CpsGeom* geom = NULL;
  CpsError error = {0};
  if (cps_geom_create(&shape, &geom, &error) == CPS_OK) return geom;
  fprintf(stderr, "%s\n", error.text);
  exit(1);
}

// kind 0: box on box, 1: cylinder standing, 2: cylinder lying; the whole pair is turned and moved.
static Pair make_pair(int kind, double depth, const CpsGeom* box, const CpsGeom* cylinder, CpsRandom* random) {
  const double half_pi = 1.57079632679489661923;
  const double x = 0.6 * cps_random_uniform(random) - 0.3, y = 0.6 * cps_random_uniform(random) - 0.3;
  const double spin = 6.28 * cps_random_uniform(random);
  CpsPose top = {{x, y, 1.0 - depth}, cps_quat_exp(cps_vec3(0.0, 0.0, spin))};
  if (kind == 2) top.rotation = cps_quat_multiply(top.rotation, cps_quat_exp(cps_vec3(0.0, half_pi, 0.0)));
  CpsQuat turn = cps_quat_unit((CpsQuat){cps_random_normal(random), cps_random_normal(random),
                                         cps_random_normal(random), cps_random_normal(random)});
  CpsPose frame = {{x, y, x}, turn};
  Pair pair = {.b = {box, frame}, .depth = depth, .normal = cps_quat_rotate(turn, cps_vec3(0.0, 0.0, 1.0))};
  pair.a = (Body){kind == 0 ? box : cylinder, cps_pose_multiply(frame, top)};
  return pair;
}

static void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
  const Body* body = object;
  const CpsVec3 m =
      cps_quat_rotate_back(body->pose.rotation, cps_vec3(direction->v[0], direction->v[1], direction->v[2]));
  CpsVec3 x;
  if (body->geom->kind == CPS_SHAPE_BOX) {
    const CpsVec3 half = body->geom->bounds.max;
    x = cps_vec3(copysign(half.x, m.x), copysign(half.y, m.y), copysign(half.z, m.z));
  } else {
    const double flat = hypot(m.x, m.y), r = flat > 0.0 ? body->geom->radius / flat : 0.0;
    x = cps_vec3(r * m.x, r * m.y, copysign(body->geom->half_length, m.z));
  }
  x = cps_pose_apply(body->pose, x);
  ccdVec3Set(out, x.x, x.y, x.z);
}

static void centre(const void* object, ccd_vec3_t* out) {
  const CpsVec3 x = ((const Body*)object)->pose.position;
  ccdVec3Set(out, x.x, x.y, x.z);
}

static Answer ask_ours(const Pair* pair) {
  CpsTouch touch[CPS_TOUCH_MAX];
  Answer answer = {.points = cps_collide(pair->a.geom, &pair->a.pose, pair->b.geom, &pair->b.pose, 1e-3, touch)};
  answer.depth = -INFINITY;
  for (int k = 0; k < answer.points; ++k) {
    answer.depth = fmax(answer.depth, -touch[k].gap);
    answer.normal = touch[k].normal;
  }
  return answer;
}

static Answer ask_ccd(const Pair* pair, bool mpr, double tolerance) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.center1 = ccd.center2 = centre;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = ccd.mpr_tolerance = tolerance;
  ccd_real_t depth = 0.0;
  ccd_vec3_t direction, position;
  const int found = mpr ? ccdMPRPenetration(&pair->a, &pair->b, &ccd, &depth, &direction, &position)
                        : ccdGJKPenetration(&pair->a, &pair->b, &ccd, &depth, &direction, &position);
  if (found != 0) return (Answer){.points = 0};
  // libccd gives the way to move the second body out
  return (Answer){1, depth, cps_vec3(-direction.v[0], -direction.v[1], -direction.v[2])};
}

static Answer ask(const Pair* pair, int method, double tolerance) {
  return method == 0 ? ask_ours(pair) : ask_ccd(pair, method == 2, tolerance);
}

static void measure(FILE* out, const char* who, int method, double tolerance, const Pair* pairs) {
  double worst_depth = 0.0, worst_angle = 0.0, best_time = INFINITY;
  int missing = 0, wrong = 0, points = 0;
  for (int round = 0; round < 5; ++round) {
    const double start = seconds();
    for (int k = 0; k < PAIRS; ++k) (void)ask(&pairs[k], method, tolerance);
    best_time = fmin(best_time, seconds() - start);
  }
  for (int k = 0; k < PAIRS; ++k) {
    const Answer answer = ask(&pairs[k], method, tolerance);
    points += answer.points;
    if (answer.points == 0) {
      missing++;
      continue;
    }
    const double error = fabs(answer.depth - pairs[k].depth);
    const double angle = cps_vec3_norm(cps_vec3_cross(cps_vec3_unit(answer.normal), pairs[k].normal));
    worst_depth = fmax(worst_depth, error);
    worst_angle = fmax(worst_angle, angle);
    wrong += !(error <= pairs[k].depth) || !(cps_vec3_dot(answer.normal, pairs[k].normal) > 0.5);
  }
  fprintf(out, "| %s | %d | %d | %.1e | %.1e | %.1f | %.2f |\n", who, missing, wrong, worst_depth, worst_angle,
          (double)points / PAIRS, 1e6 * best_time / PAIRS);
}

static FILE* open_output(int argc, char** argv) {
  if (argc < 3 || strcmp(argv[1], "--out") != 0) return stdout;
  char path[4096];
  if (snprintf(path, sizeof path, "%s/narrow.md", argv[2]) >= (int)sizeof path) return NULL;
  return fopen(path, "w");
}

int main(int argc, char** argv) {
  const char* names[] = {"Box on box", "Cylinder standing on a box", "Cylinder lying on a box"};
  const double depths[] = {1e-3, 1e-6, 1e-9};
  FILE* out = open_output(argc, argv);
  if (!out) {
    perror("bench-narrow");
    return 1;
  }
  CpsGeom *box = make(cps_box(cps_vec3(1.0, 1.0, 1.0))), *cylinder = make(cps_cylinder(0.5, 1.0));
  static Pair pairs[PAIRS];
  fprintf(out, "# The narrow phase compared with libccd\n");
  for (int kind = 0; kind < 3; ++kind) {
    for (int d = 0; d < 3; ++d) {
      CpsRandom random = cps_random_seed((uint64_t)(10 * kind + d));
      for (int k = 0; k < PAIRS; ++k) pairs[k] = make_pair(kind, depths[d], box, cylinder, &random);
      fprintf(out, "\n%s, depth %g m, %d pairs:\n\n", names[kind], depths[d], PAIRS);
      fprintf(out, "| | missing | wrong | error of depth, m | error of normal, rad | points | us |\n");
      fprintf(out, "|---|---|---|---|---|---|---|\n");
      measure(out, "capstan", 0, 0.0, pairs);
      measure(out, "libccd GJK + EPA, 1e-4", 1, 1e-4, pairs);
      measure(out, "libccd GJK + EPA, 1e-12", 1, 1e-12, pairs);
      measure(out, "libccd MPR, 1e-4", 2, 1e-4, pairs);
      measure(out, "libccd MPR, 1e-12", 2, 1e-12, pairs);
    }
  }
  cps_geom_destroy(box);
  cps_geom_destroy(cylinder);
  return out == stdout || fclose(out) == 0 ? 0 : 1;
}
