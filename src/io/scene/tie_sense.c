// Whether the ties of a scene can all hold.
//
// Two things that are rigid (bodies, obstacles, the world) keep the distances of their points. Where two ties hold p_a to p_b
// and q_a to q_b of the same two things,
//
//   |p_a - q_a| = |p_b - q_b|                                                                                        (1)
//
// has to hold, and the same two points have one distance. A point of a soft object counts as an object of one point: the left side of (1) is 0. Beyond (1) only motors are compared: welded objects do not turn,
// and two motors of given speed turn what they share against each other.
#include <math.h>
#include <stdlib.h>

#include "io/scene/internal.h"

static const double TOLERANCE = 1e-6;  // of (1), relative and in m: rounding in a scene is not a contradiction
enum { COMPARED = 32 };                // limit of comparisons with earlier ties of the same two objects

typedef struct Side {
  int32_t kind, index;
  double place;   // for a soft object: vertex, arc length, or part of the length less 2; otherwise 0
  CpsVec3 point;  // for a rigid object, in its axes; otherwise 0
} Side;

// A tie of two objects, the lower one first.
typedef struct Pair {
  Side side[2];
  const CpsSceneTie* tie;
} Pair;

static bool is_rigid(const CpsSceneAnchor* a) {
  return a->kind == CPS_THING_NONE || a->kind == CPS_THING_BODY || a->kind == CPS_THING_OBSTACLE;
}

// Points between vertices or beside centrelines get a unique number: only the step can tell whether two are equal.
static double place_of(const CpsSceneAnchor* a, int32_t tie) {
  if (is_rigid(a)) return 0.0;
  if (a->kind != CPS_THING_FIBRE) return a->vertex >= 0 ? a->vertex : -1.0 - tie;
  if (cps_vec3_norm(a->point) > 0.0) return -3.0 - tie;
  return isnan(a->fraction) ? a->s : a->fraction - 2.0;
}

static CpsPose pose_of(const CpsScene* scene, const CpsSceneAnchor* a) {
  if (a->kind == CPS_THING_OBSTACLE) return scene->obstacles[a->index].def.pose;
  if (a->kind == CPS_THING_BODY) return cps_scene_body_start(scene, a->index);
  return (CpsPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

static int compare_sides(const Side* a, const Side* b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->index != b->index) return a->index < b->index ? -1 : 1;
  return (a->place > b->place) - (a->place < b->place);
}

static int compare_things(const Pair* a, const Pair* b) {
  int first = compare_sides(&a->side[0], &b->side[0]);
  return first ? first : compare_sides(&a->side[1], &b->side[1]);
}

// Order by the two objects, then by the order of the scene.
static int compare(const void* a, const void* b) {
  const Pair *p = a, *q = b;
  int things = compare_things(p, q);
  return things ? things : (p->tie > q->tie) - (p->tie < q->tie);
}

static Pair pair_of(const CpsScene* scene, const CpsSceneTie* tie) {
  Pair pair = {.tie = tie};
  for (int s = 0; s < 2; ++s) {
    const CpsSceneAnchor* a = &tie->side[s];
    pair.side[s] = (Side){(int32_t)a->kind, a->kind == CPS_THING_NONE ? 0 : a->index,
                          place_of(a, (int32_t)(tie - scene->ties)), a->point};
    if (!is_rigid(a)) pair.side[s].point = cps_vec3(0.0, 0.0, 0.0);
  }
  if (isnan(pair.side[1].point.x)) {
    CpsVec3 x = cps_pose_apply(pose_of(scene, &tie->side[0]), tie->side[0].point);
    pair.side[1].point = cps_pose_apply_back(pose_of(scene, &tie->side[1]), x);
  }
  if (compare_sides(&pair.side[0], &pair.side[1]) > 0) {
    Side side = pair.side[0];
    pair.side[0] = pair.side[1];
    pair.side[1] = side;
  }
  return pair;
}

// The distance that a tie keeps between its two points; NaN if it keeps none.
static double distance_of(const CpsScene* scene, const CpsSceneTie* tie) {
  if (tie->def.kind == CPS_TIE_SPRING) return NAN;
  if (tie->def.kind != CPS_TIE_ROD) return 0.0;
  if (!isnan(tie->def.length)) return tie->def.length;
  if (!is_rigid(&tie->side[0]) || !is_rigid(&tie->side[1])) return NAN;  // keeps its initial length
  Pair p = pair_of(scene, tie);
  CpsSceneAnchor a = {.kind = (CpsThingKind)p.side[0].kind, .index = p.side[0].index};
  CpsSceneAnchor b = {.kind = (CpsThingKind)p.side[1].kind, .index = p.side[1].index};
  return cps_vec3_norm(cps_vec3_sub(cps_pose_apply(pose_of(scene, &a), p.side[0].point),
                                    cps_pose_apply(pose_of(scene, &b), p.side[1].point)));
}

static CpsStatus refuse(CpsReader* reader, const Pair* p, const Pair* q, const char* what, double a, double b) {
  return cps_node_fail(reader->error, CPS_BAD_DATA, p->tie->node, "contradicts the tie in line %d: %s (%g m and %g m)",
                       (int)q->tie->node->line, what, a, b);
}

static CpsStatus compare_motors(CpsReader* reader, const Pair* p, const Pair* q) {
  bool turns = p->tie->def.motor == CPS_MOTOR_SPEED || q->tie->def.motor == CPS_MOTOR_SPEED;
  bool weld = p->tie->def.kind == CPS_TIE_WELD || q->tie->def.kind == CPS_TIE_WELD;
  bool both = p->tie->def.motor == CPS_MOTOR_SPEED && q->tie->def.motor == CPS_MOTOR_SPEED;
  if (!both && !(turns && weld)) return CPS_OK;
  return cps_node_fail(
      reader->error, CPS_BAD_DATA, p->tie->node, "contradicts the tie in line %d: %s", (int)q->tie->node->line,
      both ? "two motors turn the same two objects" : "a motor turns objects that a weld holds together");
}

static CpsStatus compare_ties(CpsReader* reader, const Pair* p, const Pair* q) {
  double d = distance_of(reader->scene, p->tie), e = distance_of(reader->scene, q->tie), apart[2];
  if (isnan(d) || isnan(e)) return CPS_OK;
  for (int s = 0; s < 2; ++s) apart[s] = cps_vec3_norm(cps_vec3_sub(p->side[s].point, q->side[s].point));
  double slack = TOLERANCE * (1.0 + fmax(apart[0], apart[1]));
  const bool soft = !is_rigid(&p->tie->side[0]) || !is_rigid(&p->tie->side[1]);
  if (soft && d == 0.0 && e == 0.0 && fabs(apart[0] - apart[1]) > slack) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, p->tie->node,
                         "contradicts the tie in line %d: one point is held to two places, %g m apart",
                         (int)q->tie->node->line, fmax(apart[0], apart[1]));
  }
  if (d == 0.0 && e == 0.0 && fabs(apart[0] - apart[1]) > slack) {
    return refuse(reader, p, q, "the two points on one object are not as far apart as those on the other", apart[0],
                  apart[1]);
  }
  if (fmax(apart[0], apart[1]) <= slack && fabs(d - e) > slack) {
    return refuse(reader, p, q, "the same two points are held at two distances", d, e);
  }
  return compare_motors(reader, p, q);
}

CpsStatus cps_scene_check_ties(CpsReader* reader) {
  const CpsScene* scene = reader->scene;
  Pair* pairs = malloc(((size_t)scene->tie_count + 1) * sizeof *pairs);
  if (!pairs) return cps_scene_no_memory(reader);
  int32_t count = 0;
  for (int32_t i = 0; i < scene->tie_count; ++i) {
    const CpsSceneTie* tie = &scene->ties[i];
    const bool rigid = is_rigid(&tie->side[0]) && is_rigid(&tie->side[1]);
    // a soft point held in place has no other position
    if (!rigid && isnan(tie->side[1].point.x) && is_rigid(&tie->side[1])) continue;
    pairs[count++] = pair_of(scene, tie);
  }
  qsort(pairs, (size_t)count, sizeof *pairs, compare);
  CpsStatus status = CPS_OK;
  for (int32_t i = 1; status == CPS_OK && i < count; ++i) {
    for (int32_t k = i - 1; status == CPS_OK && k >= 0 && k >= i - COMPARED; --k) {
      if (compare_things(&pairs[i], &pairs[k]) != 0) break;
      status = compare_ties(reader, &pairs[i], &pairs[k]);
    }
  }
  free(pairs);
  return status;
}
