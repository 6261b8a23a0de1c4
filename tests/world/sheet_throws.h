// Random scenes of things thrown at sheets and of sheets thrown at things, and an independent judge of whether anything got
// through. The judge knows the vertices of the sheets and points of the things from frame to frame, nothing of contacts or of
// the step's own test:
//
//   on the way  a point of one that moves straight from frame to frame goes through a triangle of the other that does: the
//               volume of the four points, a cubic in time, changes its sign while the point is inside
//   in a frame  an edge of one goes through a triangle of the other, also of a sheet with itself
#ifndef CAPSTAN_TESTS_WORLD_SHEET_THROWS_H
#define CAPSTAN_TESTS_WORLD_SHEET_THROWS_H

#include "core/quat.h"
#include "core/random.h"
#include "vertices.h"
#include "world/sheet_helpers.h"
#include "world/world_helpers.h"

#include <math.h>
#include <string.h>

enum { POINTS_MOST = 400, SEGMENTS_MOST = 800, PARTS = 24 };

typedef enum Thing {
  FREE_BALL,
  FREE_ROD,
  FREE_NEEDLE,
  FREE_BOX,
  FREE_PLATE,
  FREE_DRUM,
  FREE_HULL,
  ROPE,
  SHEET,
  STILL_BALL,
  STILL_ROD,
  STILL_RAIL,
  STILL_EDGE,
  STILL_MESH,
  STILL_FAN,
  MOVED_ROD,
  MOVED_BOX,
  THINGS
} Thing;

static const char* const THING_NAMES[THINGS] = {"ball",
                                                "rod",
                                                "needle",
                                                "box",
                                                "plate",
                                                "drum",
                                                "hull",
                                                "rope",
                                                "sheet",
                                                "ball at rest",
                                                "cylinder at rest",
                                                "rail",
                                                "edge",
                                                "mesh",
                                                "mesh with a border",
                                                "moved rod",
                                                "moved box"};

// Points of a thing and segments between them; a frame of it.
typedef struct Frame {
  int32_t point_count, segment_count;
  CpsVec3 point[POINTS_MOST];
  int32_t segment[SEGMENTS_MOST][2];
} Frame;

typedef struct Throw {
  Thing thing;
  CpsWorld* world;
  CpsSheetId sheet, other;
  Rectangle mesh, other_mesh;
  CpsBodyId body;
  CpsFibreId rope;
  double rope_length;
  Frame own;      // in the frame of the thing
  CpsPose pose;   // of an obstacle, at t = 0
  CpsVec3 moves;  // its velocity
  double speed, thickness, end, radius;
  int cells;
} Throw;

typedef struct Verdict {
  int passes, intersections;  // says the judge
  bool
      driven_over;  // so it does of a thing on its course: it ran over a pinned vertex, and nobody can keep the two apart
  int32_t crossings, stopped, unsolved;
  double deepest;  // m
  bool refused;
  char sentence[256];
  double shortest;
} Verdict;

static inline double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static inline CpsVec3 direction(CpsRandom* random) {
  double x = cps_random_normal(random), y = cps_random_normal(random), z = cps_random_normal(random);
  return cps_vec3_unit(cps_vec3(x, y, z));
}

// A segment with points in between, so that nothing slips between them.
static inline void add_line(Frame* f, CpsVec3 p, CpsVec3 q) {
  for (int i = 0; i <= PARTS; ++i) {
    f->point[f->point_count++] = cps_vec3_axpy(p, (double)i / PARTS, cps_vec3_sub(q, p));
    if (i == 0) continue;
    f->segment[f->segment_count][0] = f->point_count - 2;
    f->segment[f->segment_count++][1] = f->point_count - 1;
  }
}

static inline void add_box_lines(Frame* f, CpsVec3 half) {
  for (int k = 0; k < 12; ++k) {
    const double a = k & 1 ? 1.0 : -1.0, b = k & 2 ? 1.0 : -1.0;
    const double from[3] = {-1.0, a, b}, to[3] = {1.0, a, b};
    double p[3], q[3];
    for (int i = 0; i < 3; ++i) p[(i + k / 4) % 3] = from[i], q[(i + k / 4) % 3] = to[i];
    add_line(f, cps_vec3(p[0] * half.x, p[1] * half.y, p[2] * half.z),
             cps_vec3(q[0] * half.x, q[1] * half.y, q[2] * half.z));
  }
}

static inline bool is_free(Thing thing) {
  return thing <= FREE_HULL;
}

// The shape of a thing and the lines by which the judge knows it.
static inline CpsShape make_shape(Throw* t, CpsRandom* random, CpsVec3* room, int32_t* triangles) {
  static const int32_t cube[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  const double size = between(random, 0.01, 0.03);
  const CpsVec3 zero = {0.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
  Frame* f = &t->own;
  switch (t->thing) {
    case FREE_BALL:
    case STILL_BALL:
      add_line(f, cps_vec3_scale(-0.1 * size, z), cps_vec3_scale(0.1 * size, z));
      return cps_sphere(size);
    case FREE_ROD:
    case MOVED_ROD:
      add_line(f, cps_vec3(0.0, 0.0, -0.1), cps_vec3(0.0, 0.0, 0.1));
      t->radius = between(random, 0.001, 0.004);
      return cps_capsule(t->radius, 0.2);
    case FREE_NEEDLE:
    case STILL_ROD:
      add_line(f, cps_vec3(0.0, 0.0, -0.15), cps_vec3(0.0, 0.0, 0.15));
      return cps_cylinder(between(random, 0.001, 0.003), 0.3);
    case FREE_DRUM:
      add_line(f, cps_vec3(0.0, 0.0, -0.3 * size), cps_vec3(0.0, 0.0, 0.3 * size));
      for (int k = 0; k < 6; ++k) {
        const double a = 2.0 * 3.14159265358979323846 * k / 6.0;
        add_line(f, cps_vec3(0.0, 0.0, 0.3 * size), cps_vec3(size * cos(a), size * sin(a), 0.3 * size));
      }
      return cps_cylinder(size, 0.6 * size);
    case FREE_BOX:
    case MOVED_BOX:
    case STILL_EDGE: {
      CpsVec3 half = {size, 2.0 * size, 1.5 * size};
      add_box_lines(f, half);
      return cps_box(cps_vec3_scale(2.0, half));
    }
    case FREE_PLATE: {
      CpsVec3 half = {0.0005, 0.05, 0.04};
      add_box_lines(f, half);
      return cps_box(cps_vec3_scale(2.0, half));
    }
    case FREE_HULL:
      for (int k = 0; k < 6; ++k) {
        double r = size * between(random, 0.8, 2.0) * (k % 2 ? -1 : 1);
        room[k] = cps_vec3(k / 2 == 0 ? r : 0.0, k / 2 == 1 ? r : 0.0, k / 2 == 2 ? r : 0.0);
        add_line(f, zero, room[k]);
      }
      return cps_hull(room, 6);
    case STILL_RAIL:
      for (int k = 0; k < 5; ++k) room[k] = cps_vec3(0.02 * sin(1.5 * k), 0.0, 0.08 * (k - 2));
      add_line(f, room[1], room[3]);
      f->point_count = f->segment_count = 0;  // the rail is smooth between its points: only they are known
      for (int k = 0; k < 5; ++k) f->point[f->point_count++] = room[k];
      return cps_tube(room, 5, between(random, 0.002, 0.004), false);
    case STILL_MESH:
      for (int i = 0; i < 8; ++i) room[i] = cps_vec3(i & 1 ? size : -size, i & 2 ? size : -size, i & 4 ? size : -size);
      memcpy(triangles, cube, sizeof cube);
      add_box_lines(f, cps_vec3(size, size, size));
      return cps_mesh(room, 8, triangles, 12);
    default:  // a strip of triangles with a border, bent in the middle
      for (int i = 0; i < 6; ++i) room[i] = cps_vec3(i & 1 ? 0.05 : -0.05, 0.03 * (i / 2 - 1), i / 2 == 1 ? 0.02 : 0.0);
      for (int k = 0; k < 2; ++k) {
        const int32_t two[6] = {2 * k, 2 * k + 1, 2 * k + 3, 2 * k, 2 * k + 3, 2 * k + 2};
        memcpy(triangles + 6 * k, two, sizeof two);
      }
      for (int k = 0; k < 2; ++k)
        add_line(f, room[2 * k], room[2 * k + 2]), add_line(f, room[2 * k + 1], room[2 * k + 3]);
      for (int k = 0; k < 3; ++k) add_line(f, room[2 * k], room[2 * k + 1]);
      return cps_mesh(room, 6, triangles, 4);
  }
}

static inline CpsSheetId add_cloth(Throw* t, CpsRandom* random, const Rectangle* r, bool pinned, CpsVec3 velocity) {
  CpsSheetDef def = sheet_of_rectangle(r);
  int32_t corners[4] = {0, t->cells, r->vertex_count - 1 - t->cells, r->vertex_count - 1};
  CpsPin pin = cps_pin_default();
  pin.vertex_count = 4;
  pin.vertices = corners;
  def.pin_count = pinned ? 1 : 0;
  def.pins = &pin;
  def.thickness = t->thickness;
  def.stretch[0] = def.stretch[1] = pow(10.0, between(random, 2.0, 6.0));
  def.bending[0] = def.bending[1] = pow(10.0, between(random, -6.0, -4.0));
  def.velocity = pinned ? cps_vec3(0.0, 0.0, 0.0) : velocity;
  CpsSheetId id;
  must(cps_world_add_sheet(t->world, &def, &id, &must_error));
  return id;
}

static inline void add_thing(Throw* t, CpsRandom* random, CpsVec3 go) {
  CpsVec3 room[8];
  int32_t triangles[36];
  CpsQuat rotation = cps_quat_exp(cps_vec3_scale(between(random, 0.0, 3.0), direction(random)));
  // out of reach of the sheet, and towards a place on it
  CpsVec3 target = cps_vec3(between(random, -0.1, 0.1), between(random, -0.1, 0.1), 0.0);
  CpsVec3 from = cps_vec3_axpy(target, -0.2 / fmax(0.4, fabs(go.z)), go);
  from.z = -(go.z > 0.0 ? 0.2 : -0.2);
  if (t->thing == ROPE) {
    CpsFibreDef def = cps_fibre_def_default();
    CpsVec3 along = cps_vec3_unit(cps_vec3_cross(go, direction(random)));
    along.z *= 0.2;
    along = cps_vec3_unit(along);
    CpsVec3 points[2] = {cps_vec3_axpy(from, -0.1, along), cps_vec3_axpy(from, 0.1, along)};
    def.model = CPS_ROD_DER;
    def.elements = 12;
    def.points = points;
    def.point_count = 2;
    def.radius = between(random, 0.001, 0.003);
    def.young = 1e6;
    def.damping = 1e-3;
    must(cps_world_add_fibre(t->world, &def, &t->rope, &must_error));
    must(cps_world_set_fibre_velocity(t->world, t->rope, cps_vec3_scale(t->speed, go), cps_vec3(0, 0, 0), &must_error));
    t->rope_length = 0.2;
    return;
  }
  CpsShape shape = make_shape(t, random, room, triangles);
  if (is_free(t->thing)) {
    CpsBodyDef b = cps_body_def_default();
    b.shape = shape;
    b.mass = pow(10.0, between(random, -3.0, -1.0));
    b.position = from;
    b.rotation = rotation;
    b.velocity = cps_vec3_scale(t->speed, go);
    b.angular_velocity = cps_vec3_scale(between(random, 0.0, 30.0), direction(random));
    t->body = add_body(t->world, &b);
    return;
  }
  CpsObstacleDef o = cps_obstacle_def_default();
  o.shape = shape;
  t->pose = (CpsPose){from, rotation};
  if (t->thing >= MOVED_ROD) {
    t->moves = cps_vec3_scale(t->speed, go);
    o.motion.kind = CPS_MOTION_VELOCITY;
    o.motion.velocity = t->moves;
  }
  o.pose = t->pose;
  add_obstacle(t->world, &o);
}

static inline Throw make_throw(int number) {
  CpsRandom random = cps_random_seed((uint64_t)number + 1);
  Throw t = {.thing = (Thing)(number % THINGS)};
  CpsWorldDef def = cps_world_def_default();
  def.step = pow(10.0, between(&random, -3.0, -2.4));
  def.mu = between(&random, 0.0, 0.8);
  def.gravity = (CpsVec3){0.0, 0.0, 0.0};
  t.world = make_world(&def);
  t.speed = 2.0 * pow(10.0, between(&random, 0.0, 1.0));
  t.thickness = pow(10.0, between(&random, -3.3, -2.5));
  t.cells = 3 + (int)between(&random, 0.0, 3.0);
  CpsVec3 go = direction(&random);
  if (fabs(go.z) < 0.4) go.z = go.z < 0.0 ? -0.4 : 0.4;
  go = cps_vec3_unit(go);
  t.mesh = make_rectangle(t.cells, t.cells, (CpsVec3){-0.15, -0.15, 0.0}, (CpsVec3){0.3, 0.0, 0.0},
                          (CpsVec3){0.0, 0.3, 0.0});
  const bool still = t.thing >= STILL_BALL && t.thing <= STILL_FAN;
  const bool pinned = t.thing >= MOVED_ROD || (!still && cps_random_uniform(&random) < 0.5);
  t.sheet = add_cloth(&t, &random, &t.mesh, pinned, still ? cps_vec3_scale(-t.speed, go) : cps_vec3(0, 0, 0));
  if (t.thing == SHEET) {
    CpsVec3 u = cps_vec3_scale(0.15, direction(&random)), v = cps_vec3_unit(cps_vec3_cross(u, direction(&random)));
    CpsVec3 at =
        cps_vec3_axpy(cps_vec3_axpy(cps_vec3_scale(-0.5, u), -0.075, v), go.z > 0.0 ? -0.2 : 0.2, cps_vec3(0, 0, 1));
    t.other_mesh = make_rectangle(t.cells, t.cells, at, u, cps_vec3_scale(0.15, v));
    t.other = add_cloth(&t, &random, &t.other_mesh, false, cps_vec3_scale(t.speed, go));
  } else {
    add_thing(&t, &random, go);
  }
  t.end = fmin(0.06, 0.5 / t.speed);
  return t;
}

// Where the points of the thing are now.
static inline void look(const Throw* t, Frame* f) {
  CpsPose pose = t->pose;
  if (t->thing == ROPE) {
    f->point_count = 0;
    f->segment_count = 0;
    for (int k = 0; k <= 96; ++k) {
      CpsFibrePoint point;
      assert_int_equal(cps_world_fibre_at(t->world, t->rope, t->rope_length * k / 96.0, &point), CPS_OK);
      f->point[f->point_count++] = point.position;
      if (k > 0) f->segment[f->segment_count][0] = k - 1, f->segment[f->segment_count++][1] = k;
    }
    return;
  }
  if (t->thing == SHEET) return;
  if (is_free(t->thing)) {
    CpsBodyState state;
    must(cps_world_body_state(t->world, t->body, &state));
    pose = state.pose;
  } else {
    pose.position = cps_vec3_axpy(pose.position, cps_world_time(t->world), t->moves);
  }
  *f = t->own;
  for (int32_t i = 0; i < f->point_count; ++i) f->point[i] = cps_pose_apply(pose, t->own.point[i]);
}

static inline double volume(CpsVec3 p, const CpsVec3 x[3]) {
  CpsVec3 a = cps_vec3_sub(x[0], p), b = cps_vec3_sub(x[1], p), c = cps_vec3_sub(x[2], p);
  return cps_vec3_dot(a, cps_vec3_cross(b, c));
}

// Whether a line from p towards q cuts the inside of a triangle: three volumes of one sign.
static inline bool cuts(CpsVec3 p, CpsVec3 q, const CpsVec3 x[3]) {
  double v[3];
  for (int i = 0; i < 3; ++i) {
    CpsVec3 a = cps_vec3_sub(x[i], p), b = cps_vec3_sub(x[(i + 1) % 3], p);
    v[i] = cps_vec3_dot(cps_vec3_sub(q, p), cps_vec3_cross(a, b));
  }
  return (v[0] > 0.0 && v[1] > 0.0 && v[2] > 0.0) || (v[0] < 0.0 && v[1] < 0.0 && v[2] < 0.0);
}

// Whether a segment goes through a triangle; what ends in its plane within rounding does not.
static inline bool pierces(CpsVec3 p, CpsVec3 q, const CpsVec3 x[3]) {
  CpsVec3 n = cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0]));
  const double a = volume(p, x), b = volume(q, x), least = 1e-9 * cps_vec3_norm(n);
  return a * b < 0.0 && fabs(a) > least && fabs(b) > least && cuts(p, q, x);
}

static inline CpsVec3 blend(CpsVec3 a, CpsVec3 b, double s) {
  return cps_vec3_axpy(cps_vec3_scale(1.0 - s, a), s, b);
}

// Whether a point is inside the triangle when it comes into its plane: seen along the normal.
static inline bool inside_at(CpsVec3 p0, CpsVec3 p1, const CpsVec3 x0[3], const CpsVec3 x1[3], double s) {
  CpsVec3 x[3], p = blend(p0, p1, s);
  for (int i = 0; i < 3; ++i) x[i] = blend(x0[i], x1[i], s);
  CpsVec3 n = cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0]));
  return cuts(cps_vec3_sub(p, n), cps_vec3_add(p, n), x);
}

// A point and a triangle from frame to frame.
static inline bool goes_through(CpsVec3 p0, CpsVec3 p1, const CpsVec3 x0[3], const CpsVec3 x1[3]) {
  for (int k = 0; k < 3; ++k) {
    const double* a0 = &x0[0].x;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3; ++i) {
      double u = a0[3 * i + k], v = (&x1[0].x)[3 * i + k];
      low = fmin(low, fmin(u, v)), high = fmax(high, fmax(u, v));
    }
    if (fmax((&p0.x)[k], (&p1.x)[k]) < low || fmin((&p0.x)[k], (&p1.x)[k]) > high) return false;
  }
  enum { STEPS = 32 };
  double before = volume(p0, x0);
  for (int k = 1; k <= STEPS; ++k) {
    double low = (double)(k - 1) / STEPS, high = (double)k / STEPS;
    CpsVec3 x[3];
    for (int i = 0; i < 3; ++i) x[i] = blend(x0[i], x1[i], high);
    double after = volume(blend(p0, p1, high), x);
    if (before * after < 0.0) {
      for (int n = 0; n < 50; ++n) {
        double middle = 0.5 * (low + high);
        for (int i = 0; i < 3; ++i) x[i] = blend(x0[i], x1[i], middle);
        if (volume(blend(p0, p1, middle), x) * before > 0.0)
          low = middle;
        else
          high = middle;
      }
      if (inside_at(p0, p1, x0, x1, high)) return true;
    }
    before = after;
  }
  return false;
}

typedef struct Cloth {
  const Rectangle* mesh;
  CpsVec3 before[200], now[200];
} Cloth;

static inline void corners(const Cloth* c, int32_t t, CpsVec3 before[3], CpsVec3 now[3]) {
  for (int i = 0; i < 3; ++i) {
    before[i] = c->before[c->mesh->triangles[3 * t + i]];
    now[i] = c->now[c->mesh->triangles[3 * t + i]];
  }
}

static inline bool shares(const Rectangle* m, int32_t t, int32_t a, int32_t b) {
  for (int i = 0; i < 3; ++i) {
    if (m->triangles[3 * t + i] == a || m->triangles[3 * t + i] == b) return true;
  }
  return false;
}

// The vertices and edges of one sheet against the triangles of another, or of itself.
static inline void judge_sheets(const Cloth* a, const Cloth* b, Verdict* v) {
  CpsVec3 x0[3], x1[3];
  for (int32_t t = 0; t < b->mesh->triangle_count; ++t) {
    corners(b, t, x0, x1);
    for (int32_t i = 0; i < a->mesh->vertex_count; ++i) {
      if (a == b && shares(b->mesh, t, i, i)) continue;
      v->passes += goes_through(a->before[i], a->now[i], x0, x1);
    }
    for (int32_t k = 0; k < 3 * a->mesh->triangle_count; ++k) {
      int32_t p = a->mesh->triangles[k], q = a->mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
      if (a == b && shares(b->mesh, t, p, q)) continue;
      v->intersections += pierces(a->now[p], a->now[q], x1);
    }
  }
}

static inline void judge_thing(const Cloth* c, const Frame* before, const Frame* now, Verdict* v) {
  CpsVec3 x0[3], x1[3];
  for (int32_t t = 0; t < c->mesh->triangle_count; ++t) {
    corners(c, t, x0, x1);
    for (int32_t i = 0; i < now->point_count; ++i) v->passes += goes_through(before->point[i], now->point[i], x0, x1);
    for (int32_t i = 0; i < now->segment_count; ++i) {
      v->intersections += pierces(now->point[now->segment[i][0]], now->point[now->segment[i][1]], x1);
    }
  }
}

// Whether a box or a rod that follows its course covers a pinned corner of the sheet on its way from `since` to now.
static inline bool drives_over(const Throw* t, const Cloth* c, double since) {
  enum { LOOKS = 16 };
  if (t->thing < MOVED_ROD) return false;
  const int32_t last = c->mesh->vertex_count - 1, pin[4] = {0, t->cells, last - t->cells, last};
  for (int k = 0; k < 4 * LOOKS; ++k) {
    const double time = since + (cps_world_time(t->world) - since) * (k % LOOKS + 1) / LOOKS;
    const CpsPose pose = {cps_vec3_axpy(t->pose.position, time, t->moves), t->pose.rotation};
    const CpsVec3 x = cps_pose_apply_back(pose, c->now[pin[k / LOOKS]]), corner = t->own.point[0];
    const double out = fmax(fabs(x.x) - fabs(corner.x), fmax(fabs(x.y) - fabs(corner.y), fabs(x.z) - fabs(corner.z)));
    if (out < 0.5 * t->thickness + (t->thing == MOVED_ROD ? t->radius : 0.0)) return true;
  }
  return false;
}

static inline Verdict run_throw(Throw* t) {
  static Frame frame[2];
  static Cloth cloth[2];
  Verdict v = {.shortest = INFINITY};
  const int sheets = t->thing == SHEET ? 2 : 1;
  CpsError error;
  cloth[0].mesh = &t->mesh, cloth[1].mesh = &t->other_mesh;
  for (int i = 0; i < sheets; ++i) {
    must(vertices_of(t->world, cps_thing_sheet(i == 0 ? t->sheet : t->other), cloth[i].before, NULL));
  }
  look(t, &frame[0]);
  while (cps_world_time(t->world) < t->end && v.passes + v.intersections == 0) {
    CpsStepInfo info;
    const double since = cps_world_time(t->world);
    const CpsStatus status = cps_world_step(t->world, &info, &error);
    if (status < 0) {
      v.refused = true;
      memcpy(v.sentence, error.text, sizeof v.sentence);
      break;
    }
    v.crossings += info.crossings;
    v.stopped += info.stopped;
    v.unsolved += status > 0;
    v.deepest = fmax(v.deepest, info.penetration);
    v.shortest = fmin(v.shortest, info.step);
    for (int i = 0; i < sheets; ++i) {
      must(vertices_of(t->world, cps_thing_sheet(i == 0 ? t->sheet : t->other), cloth[i].now, NULL));
    }
    look(t, &frame[1]);
    v.driven_over = v.driven_over || drives_over(t, &cloth[0], since);
    for (int i = 0; i < sheets; ++i) judge_sheets(&cloth[i], &cloth[i], &v);
    if (t->thing == SHEET) judge_sheets(&cloth[0], &cloth[1], &v), judge_sheets(&cloth[1], &cloth[0], &v);
    if (t->thing != SHEET) judge_thing(&cloth[0], &frame[0], &frame[1], &v);
    frame[0] = frame[1];
    for (int i = 0; i < sheets; ++i) memcpy(cloth[i].before, cloth[i].now, sizeof cloth[i].now);
  }
  cps_world_destroy(t->world);
  free_rectangle(&t->mesh);
  if (t->thing == SHEET) free_rectangle(&t->other_mesh);
  return v;
}

// Throws the scenes [first, last).
static inline void throw_all(int first, int last) {
  int silent = 0, said = 0, refused = 0, stopped = 0, contradictions = 0;
  for (int i = first; i < last; ++i) {
    Throw t = make_throw(i);
    Verdict v = run_throw(&t);
    bool passed = v.passes + v.intersections > 0, quiet = passed && v.crossings == 0 && !v.refused;
    // two courses that contradict each other cannot be kept; the report must say so
    if (quiet && v.driven_over && v.unsolved > 0 && v.deepest > t.thickness) {
      ++contradictions;
      quiet = false;
    }
    silent += quiet, said += v.crossings > 0, refused += v.refused, stopped += v.stopped > 0;
    if (!passed && v.crossings == 0 && !v.refused) continue;
    print_message(
        "%d: %s and a sheet of %d cells, %.2f mm, at %.1f m/s: %d passes, %d intersections, %d crossings reported, "
        "shortest step %.2g ms %s\n",
        i, THING_NAMES[t.thing], t.cells, 1e3 * t.thickness, t.speed, v.passes, v.intersections, (int)v.crossings,
        1e3 * v.shortest, v.sentence);
  }
  print_message(
      "%d scenes: %d passes in silence, %d reported, %d refused, %d with something stopped, %d in which a pin was run "
      "over\n",
      last - first, silent, said, refused, stopped, contradictions);
  assert_int_equal(silent, 0);
  assert_int_equal(said, 0);
  assert_int_equal(refused, 0);
}

#endif
