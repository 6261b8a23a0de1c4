// Random scenes of ropes thrown at things, and an independent judge of whether a rope got through. The judge knows points of
// the centreline from frame to frame and closed forms of the things, nothing of contacts, pieces or the step's own test:
//
//   pegs     the loop made of the rope before, the way of its tip, the rope now and the way of its root winds around the axis
//   solids   a point of the centreline is inside
//   sheets   the way of a point goes through the sheet
//   ropes    the Gauss integral of two ropes, continuous as long as they do not meet, jumps (by two, as it is scaled here)
#ifndef CAPSTAN_TESTS_WORLD_PASSING_H
#define CAPSTAN_TESTS_WORLD_PASSING_H

#include "core/quat.h"
#include "core/random.h"
#include "scenes/ropes.h"
#include "world_helpers.h"

#include <string.h>

enum { SAMPLES = 169, ROPE_SAMPLES = 49, SHEET = 6, HULL = 6, BOX_POINTS = 8, BOX_TRIANGLES = 12 };

typedef enum Target {
  PEG,
  CAPSULE_PEG,
  TUBE_PEG,
  BALL,
  BOX,
  HULL_SOLID,
  MESH_SOLID,
  SHEET_FRONT,
  SHEET_BACK,
  FLOOR,
  COMPOUND,
  FREE_BALL,
  FREE_BOX,
  ROPE,
  TARGETS
} Target;

static const char* const TARGET_NAMES[TARGETS] = {
    "peg",   "capsule",           "tube",  "ball",     "box",       "hull",     "mesh",
    "sheet", "sheet from behind", "floor", "compound", "free ball", "free box", "rope"};

typedef struct Throw {
  CpsRodModel model;
  Target target;
  CpsWorld* world;
  CpsFibreId rope, other;
  CpsBodyId body;
  double length, other_length;
  double radius, speed;
  double size;   // of the thing: radius, half an edge
  CpsPose pose;  // of an obstacle
  int steps;
  CpsVec3 hull[HULL];
  double sag[SAMPLES];  // of the chord at each sample of the rope, now
} Throw;

// What became of it.
typedef struct Verdict {
  bool passed;        // says the judge: a pass that more than the sag of the chords can explain
  int32_t crossings;  // says the step
  bool refused;       // a step failed in a message
  double depth;       // of the centreline in a solid, m
  double worst_step;  // shortest
} Verdict;

static inline double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static inline CpsVec3 direction(CpsRandom* random) {
  double x = cps_random_normal(random), y = cps_random_normal(random), z = cps_random_normal(random);
  return cps_vec3_unit(cps_vec3(x, y, z));
}

static inline void box_mesh(double a, CpsVec3* points, int32_t* triangles) {
  static const int32_t corner[BOX_TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int i = 0; i < BOX_POINTS; ++i) points[i] = cps_vec3(i & 1 ? a : -a, i & 2 ? a : -a, i & 4 ? a : -a);
  for (int i = 0; i < BOX_TRIANGLES; ++i)
    for (int k = 0; k < 3; ++k) triangles[3 * i + k] = corner[i][k];
}

// A square of (2 a)^2 in the plane z = 0, seen from above; without thickness.
static inline void sheet_mesh(double a, CpsVec3* points, int32_t* triangles) {
  int n = 0;
  for (int i = 0; i <= SHEET; ++i)
    for (int k = 0; k <= SHEET; ++k)
      *points++ = cps_vec3(a * (2.0 * k / SHEET - 1.0), a * (2.0 * i / SHEET - 1.0), 0.0);
  for (int i = 0; i < SHEET; ++i) {
    for (int k = 0; k < SHEET; ++k) {
      int32_t p = i * (SHEET + 1) + k, q = p + SHEET + 1;
      const int32_t two[6] = {p, p + 1, q + 1, p, q + 1, q};
      for (int j = 0; j < 6; ++j) triangles[n++] = two[j];
    }
  }
}

static inline void add_thing(Throw* t, CpsRandom* random) {
  CpsVec3 points[(SHEET + 1) * (SHEET + 1)];
  int32_t triangles[6 * SHEET * SHEET];
  const CpsVec3 line[3] = {{0, 0, -3}, {0, 0, 0}, {0, 0, 3}};
  CpsObstacleDef o = cps_obstacle_def_default();
  CpsBodyDef b = cps_body_def_default();
  t->pose = (CpsPose){{0, 0, 0}, cps_quat_exp(cps_vec3_scale(between(random, 0.0, 3.0), direction(random)))};
  t->size = between(random, 0.03, 0.06);
  const CpsShapePart parts[2] = {
      {.shape = cps_box(cps_vec3(2 * t->size, 2 * t->size, 2 * t->size)), .pose = {{0, 0, 0}, {1, 0, 0, 0}}},
      {.shape = cps_sphere(t->size), .pose = {{0, 0, t->size}, {1, 0, 0, 0}}}};
  switch (t->target) {
    case PEG:
    case CAPSULE_PEG:
    case TUBE_PEG:
      t->size = between(random, 0.002, 0.02);
      o.shape = t->target == PEG           ? cps_cylinder(t->size, 6.0)
                : t->target == CAPSULE_PEG ? cps_capsule(t->size, 6.0)
                                           : cps_tube(line, 3, t->size, false);
      break;
    case BALL:
    case FREE_BALL:
      o.shape = b.shape = cps_sphere(t->size);
      break;
    case BOX:
    case FREE_BOX:
      o.shape = b.shape = cps_box(cps_vec3(2 * t->size, 2 * t->size, 2 * t->size));
      break;
    case HULL_SOLID:
      for (int k = 0; k < HULL; ++k) {
        double r = t->size * between(random, 0.8, 1.4) * (k % 2 ? -1 : 1);
        t->hull[k] = cps_vec3(k / 2 == 0 ? r : 0.0, k / 2 == 1 ? r : 0.0, k / 2 == 2 ? r : 0.0);
      }
      o.shape = cps_hull(t->hull, HULL);
      break;
    case MESH_SOLID:
      box_mesh(t->size, points, triangles);
      o.shape = cps_mesh(points, BOX_POINTS, triangles, BOX_TRIANGLES);
      break;
    case SHEET_FRONT:
    case SHEET_BACK:
      t->size = 0.25;
      sheet_mesh(t->size, points, triangles);
      o.shape = cps_mesh(points, (SHEET + 1) * (SHEET + 1), triangles, 2 * SHEET * SHEET);
      break;
    case FLOOR:
      o.shape = cps_plane();
      t->pose.rotation = (CpsQuat){1, 0, 0, 0};
      break;
    case COMPOUND:
      o.shape = cps_compound(parts, 2);
      break;
    default:
      return;
  }
  o.pose = t->pose;
  if (t->target == FREE_BALL || t->target == FREE_BOX) {
    b.position = t->pose.position;
    b.rotation = t->pose.rotation;
    b.density = 300.0;
    t->body = add_body(t->world, &b);
  } else {
    add_obstacle(t->world, &o);
  }
}

static inline CpsFibreId add_rope(Throw* t, CpsVec3 middle, CpsVec3 along, CpsVec3 side, double bow, CpsVec3 velocity) {
  enum { POINTS = 17 };
  CpsVec3 points[POINTS];
  CpsFibreDef def = cps_fibre_def_default();
  for (int k = 0; k < POINTS; ++k) {
    double s = (double)k / (POINTS - 1) - 0.5;
    points[k] = cps_vec3_axpy(cps_vec3_axpy(middle, s * t->length, along), bow * t->length * (0.25 - s * s), side);
  }
  bool super = t->model <= CPS_ROD_SUPER_CLOTHOID;
  def.model = t->model;
  def.elements = super ? 8 : 24;
  def.points = points;
  def.point_count = POINTS;
  def.radius = t->radius;
  def.density = 1000.0;
  def.young = t->model == CPS_ROD_CORDE_EXPLICIT ? 1e5 : 1e6;
  def.damping = t->model == CPS_ROD_CORDE_EXPLICIT ? 0.0 : 1e-3;
  def.natural_as_placed = true;
  CpsFibreId id;
  must(cps_world_add_fibre(t->world, &def, &id, &must_error));
  must(cps_world_set_fibre_velocity(t->world, id, velocity, cps_vec3(0, 0, 0), &must_error));
  return id;
}

// Scene number `number`: the models and the targets in turn, everything else at random.
static inline Throw make_throw(int number) {
  CpsRandom random = cps_random_seed((uint64_t)number + 1);
  Throw t = {.model = (CpsRodModel)(number % CPS_ROD_MODEL_COUNT), .target = (Target)(number % TARGETS)};
  CpsWorldDef def = cps_world_def_default();
  def.step = t.model == CPS_ROD_CORDE_EXPLICIT ? 2e-4 : 1e-3;
  def.mu = between(&random, 0.0, 0.8);
  t.world = make_world(&def);
  t.length = between(&random, 0.2, 0.5);
  t.radius = between(&random, 0.001, 0.004);
  t.speed = 2.0 * pow(10.0, between(&random, 0.0, 1.0));
  add_thing(&t, &random);
  CpsVec3 go = direction(&random);
  if (t.target == FLOOR) go.z = -fabs(go.z);
  if (t.target == SHEET_FRONT || t.target == SHEET_BACK) {
    CpsVec3 n = cps_quat_rotate(t.pose.rotation, cps_vec3(0, 0, 1));
    go = cps_vec3_unit(cps_vec3_axpy(n, 0.5, go));
    if ((cps_vec3_dot(go, n) > 0.0) == (t.target == SHEET_FRONT)) go = cps_vec3_scale(-1.0, go);
  }
  CpsVec3 along = cps_vec3_unit(cps_vec3_axpy(direction(&random), between(&random, -0.5, 0.5), go));
  CpsVec3 side = cps_vec3_unit(cps_vec3_cross(along, direction(&random)));
  double bow = between(&random, -0.5, 0.5), extent = t.target == FLOOR || t.target >= ROPE ? 0.0 : 1.8 * t.size;
  if (t.target == SHEET_FRONT || t.target == SHEET_BACK) extent = 0.0;
  // far enough for all of it, and a little to the side
  double far = extent + 0.7 * t.length + 0.02;
  CpsVec3 off = cps_vec3_cross(go, direction(&random));
  CpsVec3 middle = cps_vec3_axpy(cps_vec3_scale(-far, go), between(&random, 0.0, 0.1), off);
  if (t.target == FLOOR) middle.z = 0.5 * t.length * fabs(along.z) + 0.25 * fabs(bow) * t.length + 0.02;
  t.rope = add_rope(&t, middle, along, side, bow, cps_vec3_scale(t.speed, go));
  if (t.target == ROPE) {
    CpsVec3 second = cps_vec3_unit(cps_vec3_cross(go, direction(&random)));
    t.other = add_rope(&t, cps_vec3(0, 0, 0), second, go, 0.0, cps_vec3(0, 0, 0));
  }
  double time = fmin(0.12, (2.0 * far + 0.1) / t.speed);
  t.steps = (int)ceil(time / def.step);
  return t;
}

static inline void sample(const CpsWorld* world, CpsFibreId id, double length, int count, CpsVec3* out) {
  for (int k = 0; k < count; ++k) {
    CpsFibrePoint point;
    assert_int_equal(cps_world_fibre_at(world, id, length * k / (count - 1), &point), CPS_OK);
    out[k] = point.position;
  }
}

// Contacts act on the chords of super-models, which the centreline leaves by k l^2 / 8, k the bending there now; the others
// are polygons, and the judge sees their corners.
static inline void find_sags(Throw* t) {
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(t->world, t->rope, &info), CPS_OK);
  const double chord = info.length / info.pieces;
  for (int k = 0; k < SAMPLES; ++k) {
    CpsFibrePoint point;
    assert_int_equal(cps_world_fibre_at(t->world, t->rope, t->length * k / (SAMPLES - 1), &point), CPS_OK);
    double bend = hypot(point.curvature.y, point.curvature.z);
    t->sag[k] = t->model <= CPS_ROD_SUPER_CLOTHOID ? fmax(t->radius, bend * chord * chord / 8.0) : 0.0;
  }
}

// How deep a point is inside a solid, in its own frame; negative outside.
static inline double depth_inside(const Throw* t, CpsVec3 x) {
  double a = t->size, box = fmin(a - fabs(x.x), fmin(a - fabs(x.y), a - fabs(x.z)));
  switch (t->target) {
    case BALL:
    case FREE_BALL:
      return a - cps_vec3_norm(x);
    case BOX:
    case FREE_BOX:
    case MESH_SOLID:
      return box;
    case COMPOUND:
      return fmax(box, a - cps_vec3_norm(cps_vec3_sub(x, cps_vec3(0, 0, a))));
    case HULL_SOLID: {
      // an octahedron with its corners on the axes: x/p + y/q + z/r <= 1 in each octant
      double p = fabs(t->hull[x.x >= 0 ? 0 : 1].x), q = fabs(t->hull[x.y >= 0 ? 2 : 3].y);
      double r = fabs(t->hull[x.z >= 0 ? 4 : 5].z);
      double out = fabs(x.x) / p + fabs(x.y) / q + fabs(x.z) / r;
      return (1.0 - out) / sqrt(1.0 / (p * p) + 1.0 / (q * q) + 1.0 / (r * r));
    }
    case FLOOR:
      return -x.z;
    default:
      return -INFINITY;
  }
}

// Turns of the loop around the z axis; every piece of it turns by less than half a turn.
static inline double turn_between(CpsVec3 p, CpsVec3 q) {
  return atan2(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y);
}
static inline int windings(const CpsVec3* before, const CpsVec3* now) {
  double sum = turn_between(before[SAMPLES - 1], now[SAMPLES - 1]) + turn_between(now[0], before[0]);
  for (int k = 0; k + 1 < SAMPLES; ++k) {
    sum += turn_between(before[k], before[k + 1]) + turn_between(now[k + 1], now[k]);
  }
  return (int)lround(sum / (2.0 * acos(-1.0)));
}

// Which side of the sheet a point of the rope was last seen on, farther than the sag: it may change beside the sheet, not
// through it.
static inline bool through_sheet(const Throw* t, const CpsVec3* before, const CpsVec3* now, int* side) {
  bool through = false;
  for (int k = 0; k < SAMPLES; ++k) {
    CpsVec3 p = before[k], q = now[k];
    double s = (p.z > 0.0) != (q.z > 0.0) ? p.z / (p.z - q.z) : 1.0;
    bool beside = fmax(fabs(p.x + s * (q.x - p.x)), fabs(p.y + s * (q.y - p.y))) >= t->size;
    int next = q.z > t->sag[k] ? 1 : q.z < -t->sag[k] ? -1 : beside ? 0 : side[k];
    if (side[k] * next < 0 && !beside) through = true;
    side[k] = next;
  }
  return through;
}

static inline double gauss(const CpsVec3* a, const CpsVec3* b) {
  double sum = 0.0;
  for (int i = 0; i + 1 < ROPE_SAMPLES; ++i)
    for (int k = 0; k + 1 < ROPE_SAMPLES; ++k) sum += writhe_of(a[i], a[i + 1], b[k], b[k + 1]);
  return sum;
}

static inline bool ropes_passed(CpsVec3 before[2][SAMPLES], CpsVec3 now[2][SAMPLES]) {
  enum { PARTS = 4 };
  CpsVec3 x[2][ROPE_SAMPLES];
  double last = 0.0;
  long jumps = 0;
  for (int part = 0; part <= PARTS; ++part) {
    for (int r = 0; r < 2; ++r) {
      for (int k = 0; k < ROPE_SAMPLES; ++k) {
        CpsVec3 way = cps_vec3_sub(now[r][k], before[r][k]);
        x[r][k] = cps_vec3_axpy(before[r][k], (double)part / PARTS, way);
      }
    }
    double value = gauss(x[0], x[1]);
    if (part > 0) jumps += lround(0.5 * (value - last));
    last = value;
  }
  return jumps != 0;
}

// The rope as seen from the thing.
static inline void look(const Throw* t, CpsVec3 x[2][SAMPLES]) {
  int count = t->target == ROPE ? ROPE_SAMPLES : SAMPLES;
  CpsPose pose = t->pose;
  sample(t->world, t->rope, t->length, count, x[0]);
  if (t->target == ROPE) {
    sample(t->world, t->other, t->other_length, count, x[1]);
    return;
  }
  if (t->target == FREE_BALL || t->target == FREE_BOX) {
    CpsBodyState state;
    must(cps_world_body_state(t->world, t->body, &state));
    pose = state.pose;
  }
  for (int k = 0; k < count; ++k) x[0][k] = cps_pose_apply_back(pose, x[0][k]);
}

static inline Verdict run_throw(Throw* t) {
  static CpsVec3 before[2][SAMPLES], now[2][SAMPLES];
  int side[SAMPLES] = {0};
  Verdict v = {.worst_step = INFINITY};
  const double end = t->steps * cps_world_settings(t->world).step;
  // arc lengths of what was laid through points
  CpsFibreInfo info;
  must(cps_world_fibre_info(t->world, t->rope, &info));
  t->length = info.length;
  if (t->target == ROPE) must(cps_world_fibre_info(t->world, t->other, &info));
  t->other_length = info.length;
  look(t, before);
  while (cps_world_time(t->world) < end - 1e-9 && !v.refused) {
    CpsStepInfo step;
    CpsStatus status = cps_world_step(t->world, &step, NULL);
    v.refused = status < 0;
    if (v.refused) break;
    v.crossings += step.crossings;
    v.worst_step = fmin(v.worst_step, step.step);
    look(t, now);
    bool passed = false;
    find_sags(t);
    for (int k = 0; k < SAMPLES && t->target != ROPE; ++k) {
      double depth = depth_inside(t, now[0][k]);
      v.depth = fmax(v.depth, depth);
      passed = passed || depth > t->sag[k];
    }
    if (t->target <= TUBE_PEG) passed = windings(before[0], now[0]) != 0;
    if (t->target == SHEET_FRONT || t->target == SHEET_BACK) passed = through_sheet(t, before[0], now[0], side);
    if (t->target == ROPE) passed = ropes_passed(before, now);
    v.passed = v.passed || passed;
    memcpy(before, now, sizeof before);
  }
  cps_world_destroy(t->world);
  return v;
}

// Throws the scenes [first, last). No pass in silence, and few at all.
static inline void throw_all(int first, int last) {
  int silent = 0, said = 0, refused = 0;
  for (int i = first; i < last; ++i) {
    Throw t = make_throw(i);
    Verdict v = run_throw(&t);
    bool quiet = v.passed && v.crossings == 0 && !v.refused;
    silent += quiet;
    said += v.crossings > 0;
    refused += v.refused;
    if (!quiet && v.crossings == 0 && !v.refused) continue;
    print_message("%d: %s thrown at a %s at %.1f m/s: %s, %d crossings reported, %.2f radii deep%s\n", i,
                  cps_rod_model_name(t.model), TARGET_NAMES[t.target], t.speed, v.passed ? "passed" : "did not pass",
                  (int)v.crossings, v.depth / t.radius, v.refused ? ", a step failed" : "");
  }
  print_message("%d scenes: %d passes in silence, %d reported, %d refused\n", last - first, silent, said, refused);
  assert_int_equal(silent, 0);
  // those that are reported are seen and few: not more than one in fifty
  assert_true(said + refused <= 1 + (last - first) / 50);
}

#endif
