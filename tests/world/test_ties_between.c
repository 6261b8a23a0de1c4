// Ties at any point: inside triangles of sheets and tetrahedra of solids, beside the centrelines of fibres, with hinges and welds
// between all of them. Closed forms first.
// labels: threads
#include "../rectangle.h"
#include "../solid_shapes.h"
#include "../vertices.h"
#include "model/nodal.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double G = 9.81;

static CpsWorld* make_world(double h, double theta, double g, int threads) {
  CpsWorldDef def = cps_world_def_default();
  def.step = h;
  def.theta = theta;
  def.gravity = (CpsVec3){0.0, 0.0, -g};
  def.solver.tolerance = 1e-11;
  def.threads = threads;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  return world;
}

static void step(CpsWorld* world) {
  CpsError error;
  if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
}

static CpsTieId tie(CpsWorld* world, const CpsTieDef* def) {
  CpsTieId id;
  CpsError error;
  if (cps_world_add_tie(world, def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

static double apart(const CpsWorld* world, CpsTieId id) {
  CpsTieState now;
  assert_int_equal(cps_world_tie_state(world, id, &now), CPS_OK);
  return now.apart;
}

// A sheet in the plane y = 0, nx x nz cells with its middle at `middle`, that hardly stretches.
static CpsSheetId add_sheet(CpsWorld* world, int nx, int nz, double width, double height, CpsVec3 middle) {
  Rectangle r = take_rectangle(nx, nz);
  for (int j = 0; j <= nz; ++j) {
    for (int i = 0; i <= nx; ++i) {
      r.vertices[j * (nx + 1) + i] =
          (CpsVec3){middle.x + width * ((double)i / nx - 0.5), middle.y, middle.z + height * ((double)j / nz - 0.5)};
      if (i < nx && j < nz) set_cell(&r, i, j, (i + j) % 2 == 0);
    }
  }
  CpsSheetDef def = sheet_of_rectangle(&r);
  def.stretch[0] = def.stretch[1] = 2e5;
  def.bending[0] = def.bending[1] = 1e-3;
  def.stretch_damping = def.bending_damping = 0.0;
  def.self_contact = false;
  def.group = 1;  // things of the other tests lie in each other
  CpsSheetId id;
  assert_int_equal(cps_world_add_sheet(world, &def, &id, NULL), CPS_OK);
  free_rectangle(&r);
  return id;
}

static CpsSolidId add_solid(CpsWorld* world, CpsVec3 at, CpsVec3 size, double young) {
  Tets box = make_box(2, 1, 2, at, size, 0.0);
  CpsSolidDef def = cps_solid_def_default();
  def.vertex_count = box.vertex_count;
  def.vertices = box.vertices;
  def.tetrahedron_count = box.tetrahedron_count;
  def.tetrahedra = box.tetrahedra;
  def.matter.young = young;
  def.matter.damping = 0.0;
  def.group = 1;
  CpsSolidId id;
  CpsError error;
  if (cps_world_add_solid(world, &def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  free(box.vertices);
  free(box.tetrahedra);
  return id;
}

static CpsBodyId add_box(CpsWorld* world, CpsVec3 at, CpsVec3 spin) {
  CpsBodyDef def = cps_body_def_default();
  def.shape = cps_box((CpsVec3){0.04, 0.06, 0.08});
  def.mass = 0.1;
  def.group = 1;
  def.position = at;
  def.angular_velocity = spin;
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &def, &id, NULL), CPS_OK);
  return id;
}

// From `at` along x, turned about y.
static CpsFibreId add_rod(CpsWorld* world, CpsRodModel model, CpsVec3 at, double angle) {
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.length = 0.3;
  def.radius = 2e-3;
  def.elements = 4;
  def.young = 1e9;
  def.damping = 0.0;
  def.group = 1;
  def.root_pose = (CpsPose){at, {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0}};
  CpsFibreId id;
  CpsError error;
  if (cps_world_add_fibre(world, &def, &id, &error) != CPS_OK) fail_msg("%s", error.text);
  return id;
}

static CpsAnchor nearest(const CpsWorld* world, CpsThing thing, double x, double y, double z) {
  CpsAnchor at;
  assert_int_equal(cps_world_nearest_anchor(world, thing, (CpsVec3){x, y, z}, &at, NULL), CPS_OK);
  return at;
}

// Masses of the vertices, equal where a triangle or a tetrahedron shares out its own: momentum of a unit of velocity.
static double mass_of(CpsWorld* world, CpsThing thing, int32_t count, double* mass) {
  double sum = 0.0;
  CpsVec3* v = calloc((size_t)count, sizeof *v);
  for (int32_t i = 0; i < count; ++i) {
    CpsVec3 linear;
    for (int32_t k = 0; k < count; ++k) v[k] = (CpsVec3){k == i ? 1.0 : 0.0, 0.0, 0.0};
    assert_int_equal(set_vertices(world, thing, NULL, v, NULL), CPS_OK);
    cps_world_momentum(world, &linear, NULL);
    sum += mass[i] = linear.x;
  }
  memset(v, 0, (size_t)count * sizeof *v);
  assert_int_equal(set_vertices(world, thing, NULL, v, NULL), CPS_OK);
  free(v);
  return sum;
}

// What a tie sees of a point above a triangle is the derivative of where the point is, and an impulse on it has the moment that it has
// about the origin; for a sheet that is bent and moves.
static void a_point_above_a_triangle_is_seen_as_it_moves(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1e-3, 1.0, 0.0, 1);
  enum { COUNT = 16 };
  const CpsThing thing = cps_thing_sheet(add_sheet(world, 3, 3, 0.2, 0.1, (CpsVec3){0.1, 0.2, 0.3}));
  CpsVec3 x[COUNT];
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  for (int i = 0; i < COUNT; ++i) {
    x[i] = (CpsVec3){x[i].x + 0.004 * sin(7.0 * i), x[i].y + 0.02 * cos(3.0 * i), x[i].z + 0.003 * sin(2.0 + 5.0 * i)};
  }
  assert_int_equal(set_vertices(world, thing, x, NULL, NULL), CPS_OK);
  CpsAnchor at = nearest(world, thing, 0.11, 0.2, 0.31);
  assert_int_equal(at.corner_count, 3);
  const CpsModel* model = cps_world_population(world, CPS_THING_SHEET);
  for (int k = 0; k < 2; ++k) {
    at.point.z = k == 0 ? 0.0 : -0.015;
    at.weights[0] += 0.7 * k;  // beyond an edge
    at.weights[1] -= 0.7 * k;
    CpsSpot spot;
    CpsPatchNode nodes[CPS_PATCH_MOST];
    CpsNodal* s = ((const CpsNodals*)model)->member[thing.index];
    const CpsVec3 p = cps_nodals_anchor(model, thing.index, &at, &spot, nodes), r = {0.3, -0.5, 0.9};
    assert_int_equal(spot.patch_count, 3);
    CpsVec3 sum = {0.0, 0.0, 0.0}, moment = sum;
    for (int i = 0; i < 3; ++i) {
      const CpsVec3 old = s->x[nodes[i].node], f = cps_mat3_apply_transposed(nodes[i].weight, r);
      sum = cps_vec3_add(sum, f);
      moment = cps_vec3_add(moment, cps_vec3_cross(old, f));
      for (int c = 0; c < 3; ++c) {
        const double d = 1e-6;
        const CpsVec3 e = {c == 0 ? d : 0.0, c == 1 ? d : 0.0, c == 2 ? d : 0.0};
        CpsSpot other;
        s->x[nodes[i].node] = cps_vec3_add(old, e);
        const CpsVec3 ahead = cps_nodals_anchor(model, thing.index, &at, &other, NULL);
        s->x[nodes[i].node] = cps_vec3_sub(old, e);
        const CpsVec3 behind = cps_nodals_anchor(model, thing.index, &at, &other, NULL);
        s->x[nodes[i].node] = old;
        const CpsVec3 slope = cps_vec3_scale(0.5 / d, cps_vec3_sub(ahead, behind));
        const double* m = nodes[i].weight.m;
        assert_near(slope.x, m[c], 1e-8);
        assert_near(slope.y, m[3 + c], 1e-8);
        assert_near(slope.z, m[6 + c], 1e-8);
      }
    }
    assert_true(cps_vec3_norm(cps_vec3_sub(sum, r)) < 1e-14);
    assert_true(cps_vec3_norm(cps_vec3_sub(moment, cps_vec3_cross(p, r))) < 1e-14);
  }
  cps_world_destroy(world);
}

// Time of an oscillation from crossings of x = level of one vertex in the direction of x, by straight lines between steps.
static double period(CpsWorld* world, CpsThing thing, int32_t count, int32_t vertex, double level, CpsTieId id,
                     double* worst) {
  CpsVec3* x = calloc((size_t)count, sizeof *x);
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  double last = x[vertex].x - level, first = NAN, time = 0.0;
  for (int crossings = 0; crossings < 3;) {
    step(world);
    assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
    const double now = x[vertex].x - level, t = cps_world_time(world);
    if (t > 0.05) *worst = fmax(*worst, apart(world, id));
    if (last < 0.0 && now >= 0.0) {
      time = t - cps_world_last_step(world) * now / (now - last);
      if (crossings++ == 0) first = time;
    }
    last = now;
  }
  free(x);
  return (time - first) / 2.0;
}

// Turns all vertices about an axis along y through `about`.
static void turn(CpsWorld* world, CpsThing thing, int32_t count, CpsVec3 about, double angle) {
  CpsVec3* x = calloc((size_t)count, sizeof *x);
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  for (int32_t i = 0; i < count; ++i) {
    const double dx = x[i].x - about.x, dz = x[i].z - about.z;
    x[i].x = about.x + cos(angle) * dx - sin(angle) * dz;
    x[i].z = about.z + sin(angle) * dx + cos(angle) * dz;
  }
  assert_int_equal(set_vertices(world, thing, x, NULL, NULL), CPS_OK);
  free(x);
}

// T = 2 pi sqrt(I / (m g d)) (1 + a^2/16), I about the point it hangs from, d the distance of the centre of mass.
static double expected_period(const CpsVec3* x, const double* mass, int32_t count, CpsVec3 about, double a) {
  double I = 0.0, moment = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    const double dx = x[i].x - about.x, dz = x[i].z - about.z;
    I += mass[i] * (dx * dx + dz * dz);
    moment -= mass[i] * dz;
  }
  return 2.0 * PI * sqrt(I / (G * moment)) * (1.0 + a * a / 16.0);
}

// Hung in the middle of a triangle of its upper row, a stiff sheet swings in its plane.
static void a_sheet_hung_inside_a_triangle_is_a_pendulum(void** unused) {
  (void)unused;
  const double a = 0.05;
  for (int half = 0; half < 2; ++half) {
    CpsWorld* world = make_world(2e-3, half ? 0.5 : 0.51, G, 1);
    const CpsThing thing = cps_thing_sheet(add_sheet(world, 4, 6, 0.1, 0.3, (CpsVec3){0.0, 0.0, -0.12}));
    enum { COUNT = 5 * 7 };
    double mass[COUNT];
    CpsVec3 x[COUNT], about = {0.0, 0.0, 0.0};
    mass_of(world, thing, COUNT, mass);
    assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
    const CpsAnchor at = nearest(world, thing, 0.0041, 0.0, 0.0113);
    assert_int_equal(at.corner_count, 3);
    for (int i = 0; i < 3; ++i)
      about =
          (CpsVec3){about.x + at.weights[i] * x[at.corners[i]].x, 0.0, about.z + at.weights[i] * x[at.corners[i]].z};
    assert_near(about.x, 0.0041, 1e-12);
    assert_near(about.z, 0.0113, 1e-12);
    // in balance below the point, then turned
    double m = 0.0, cx = 0.0, cz = 0.0;
    for (int i = 0; i < COUNT; ++i) m += mass[i], cx += mass[i] * x[i].x, cz += mass[i] * x[i].z;
    turn(world, thing, COUNT, about, atan2(cx / m - about.x, cz / m - about.z) + PI);
    assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
    const double expected = expected_period(x, mass, COUNT, about, a);
    turn(world, thing, COUNT, about, a);
    CpsTieDef def = cps_tie_def_default();
    def.a = at;
    double worst = 0.0;
    const CpsTieId id = tie(world, &def);
    assert_true(apart(world, id) < 1e-12);
    const double found = period(world, thing, COUNT, 2, x[2].x, id, &worst);
    if (fabs(found / expected - 1.0) > 1e-3) fail_msg("period %.9g, expected %.9g", found, expected);
    if (worst > 2e-6) fail_msg("the points come apart by %g m", worst);
    cps_world_destroy(world);
  }
}

// A stiff block on a hinge along y through a point inside a tetrahedron: the same closed form, and no other motion.
static void a_solid_on_a_hinge_is_a_pendulum(void** unused) {
  (void)unused;
  const double a = 0.05;
  CpsWorld* world = make_world(2e-3, 0.5, G, 1);
  const CpsThing thing =
      cps_thing_solid(add_solid(world, (CpsVec3){-0.05, -0.02, -0.2}, (CpsVec3){0.1, 0.04, 0.2}, 1e8));
  enum { COUNT = 3 * 2 * 3 };
  double mass[COUNT];
  CpsVec3 x[COUNT];
  const CpsVec3 about = {0.004, 0.0, -0.031};
  mass_of(world, thing, COUNT, mass);
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  double m = 0.0, cx = 0.0, cz = 0.0;
  for (int i = 0; i < COUNT; ++i) m += mass[i], cx += mass[i] * x[i].x, cz += mass[i] * x[i].z;
  const CpsAnchor at = nearest(world, thing, about.x, 0.003, about.z);
  assert_int_equal(at.corner_count, 4);
  turn(world, thing, COUNT, about, atan2(cx / m - about.x, cz / m - about.z) + PI);
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  const double expected = expected_period(x, mass, COUNT, about, a);
  turn(world, thing, COUNT, about, a);
  CpsTieDef def = cps_tie_def_default();
  def.kind = CPS_TIE_HINGE;
  def.axis = (CpsVec3){0.0, 1.0, 0.0};
  def.a = at;
  double worst = 0.0;
  const CpsTieId id = tie(world, &def);
  const double found = period(world, thing, COUNT, 1, x[1].x, id, &worst);
  if (fabs(found / expected - 1.0) > 1e-3) fail_msg("period %.9g, expected %.9g", found, expected);
  if (worst > 2e-6) fail_msg("the points come apart by %g m", worst);
  CpsVec3 now[COUNT];
  double aside = 0.0;
  assert_int_equal(vertices_of(world, thing, now, NULL), CPS_OK);
  for (int i = 0; i < COUNT; ++i) aside = fmax(aside, fabs(now[i].y - x[i].y));
  if (aside > 2e-5) fail_msg("the block leaves its plane by %g m", aside);
  cps_world_destroy(world);
}

// A thin rod that hangs from a hinge at its root: T = 2 pi sqrt(2 L / 3 g). Each model that twists.
static void a_rod_on_a_hinge_is_a_pendulum(void** unused) {
  (void)unused;
  const double a = 0.05, L = 0.3, expected = 2.0 * PI * sqrt(2.0 * L / (3.0 * G)) * (1.0 + a * a / 16.0);
  const CpsRodModel models[] = {CPS_ROD_SUPER_HELIX, CPS_ROD_SUPER_CLOTHOID, CPS_ROD_DER_INEXTENSIBLE};
  for (size_t k = 0; k < sizeof models / sizeof *models; ++k) {
    CpsWorld* world = make_world(2e-3, 0.5, G, 1);
    const CpsFibreId rod = add_rod(world, models[k], (CpsVec3){0.0, 0.0, 0.0}, 0.5 * PI + a);
    CpsTieDef def = cps_tie_def_default();
    def.kind = CPS_TIE_HINGE;
    def.axis = (CpsVec3){0.0, 1.0, 0.0};
    def.a = cps_anchor_fibre(rod, 0.0);
    def.arm = 0.02;
    const CpsTieId id = tie(world, &def);
    double last = -1.0, first = NAN, time = 0.0, worst = 0.0, aside = 0.0;
    for (int crossings = 0; crossings < 3;) {
      step(world);
      CpsFibrePoint tip;
      assert_int_equal(cps_world_fibre_at(world, rod, L, &tip), CPS_OK);
      const double now = tip.position.x, t = cps_world_time(world);
      if (t > 0.05) worst = fmax(worst, apart(world, id));
      aside = fmax(aside, fabs(tip.position.y));
      if (last < 0.0 && now >= 0.0) {
        time = t - cps_world_last_step(world) * now / (now - last);
        if (crossings++ == 0) first = time;
      }
      last = now;
    }
    const double found = (time - first) / 2.0;
    // masses of n elements that are lumped at their ends have the moment of inertia of a rod times 1 + 1 / 2 n^2
    const double lumped = models[k] == CPS_ROD_DER_INEXTENSIBLE ? expected * sqrt(1.0 + 1.0 / 32.0) : expected;
    if (fabs(found / lumped - 1.0) > 1e-3) fail_msg("model %zu: period %.9g, expected %.9g", k, found, lumped);
    if (worst > 2e-6) fail_msg("model %zu: the points come apart by %g m", k, worst);
    if (aside > 1e-9) fail_msg("model %zu: the tip leaves its plane by %g m", k, aside);
    cps_world_destroy(world);
  }
}

// Two things of any kinds held to each other fly freely: their momenta stay.
typedef CpsAnchor (*Maker)(CpsWorld* world, double side);

// How all of them turn, across the fibres, whose twist no array sets.
static const CpsVec3 SPIN = {0.0, 1.5, 0.7};

// Side 0 lies to the left of the tie, side 1 to the right.
static const CpsVec3 KNOT = {0.0, 0.0, 0.012};

static CpsAnchor make_body(CpsWorld* world, double side) {
  return cps_anchor_body(add_box(world, (CpsVec3){side * 0.1, 0.0, 0.0}, SPIN), (CpsVec3){-side * 0.1, 0.0, KNOT.z});
}

static CpsAnchor make_sheet(CpsWorld* world, double side) {
  const CpsThing sheet = cps_thing_sheet(add_sheet(world, 3, 3, 0.2, 0.1, (CpsVec3){side * 0.08, 0.0, 0.0}));
  return nearest(world, sheet, KNOT.x, KNOT.y, KNOT.z);
}

static CpsAnchor make_solid(CpsWorld* world, double side) {
  const CpsVec3 at = {side * 0.08 - 0.1, -0.02, -0.05}, size = {0.2, 0.04, 0.1};
  const CpsThing solid = cps_thing_solid(add_solid(world, at, size, 1e5));
  return nearest(world, solid, KNOT.x, KNOT.y, KNOT.z);
}

static CpsAnchor make_rod(CpsWorld* world, double side) {
  const CpsVec3 from = {KNOT.x - side * 0.02, KNOT.y - 0.001, KNOT.z - side * 0.002};
  CpsAnchor anchor = cps_anchor_fibre(add_rod(world, CPS_ROD_DER, from, side > 0.0 ? 0.0 : PI), 0.02);
  anchor.point = (CpsVec3){0.0, 0.001, 0.002};
  return anchor;
}

typedef struct Kept {
  double linear, angular, apart;
} Kept;

static Kept fly(Maker one, Maker two, CpsTieKind kind, double theta) {
  CpsWorld* world = make_world(1e-3, theta, 0.0, 1);
  CpsTieDef def = cps_tie_def_default();
  def.kind = kind;
  def.axis = (CpsVec3){0.0, 1.0, 0.0};
  def.a = one(world, -1.0);
  def.b = two(world, 1.0);
  const CpsTieId id = tie(world, &def);
  // everything is thrown together, and turns about the tie
  for (int s = 0; s < 2; ++s) {
    const CpsThing thing = s == 0 ? def.a.thing : def.b.thing;
    const int64_t count = cps_world_array_count(world, thing, CPS_QUANTITY_POSITION);
    CpsVec3 *x = calloc((size_t)count, sizeof *x), *v = calloc((size_t)count, sizeof *v);
    assert_int_equal(cps_world_array(world, thing, CPS_QUANTITY_POSITION, &x->x, sizeof *x), CPS_OK);
    for (int64_t i = 0; i < count; ++i) {
      v[i] = (CpsVec3){0.2 + SPIN.y * x[i].z - SPIN.z * x[i].y, SPIN.z * x[i].x - SPIN.x * x[i].z,
                       SPIN.x * x[i].y - SPIN.y * x[i].x};
    }
    assert_int_equal(cps_world_set_array(world, thing, CPS_QUANTITY_VELOCITY, &v->x, count, sizeof *v, NULL), CPS_OK);
    free(x);
    free(v);
  }
  // the first steps bring the points of both together
  for (int i = 0; i < 20; ++i) step(world);
  CpsVec3 p, L, q, M;
  cps_world_momentum(world, &p, &L);
  Kept kept = {0.0, 0.0, 0.0};
  for (int i = 0; i < 300; ++i) {
    step(world);
    kept.apart = fmax(kept.apart, apart(world, id));
  }
  cps_world_momentum(world, &q, &M);
  const double scale = sqrt(p.x * p.x + p.y * p.y + p.z * p.z), turned = sqrt(L.x * L.x + L.y * L.y + L.z * L.z);
  kept.linear = sqrt((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y) + (q.z - p.z) * (q.z - p.z)) / scale;
  kept.angular = sqrt((M.x - L.x) * (M.x - L.x) + (M.y - L.y) * (M.y - L.y) + (M.z - L.z) * (M.z - L.z)) / turned;
  cps_world_destroy(world);
  return kept;
}

// Angular momentum as the models keep it by themselves: to second order at theta 1/2, to first order at 1. The points are apart by what
// a step leaves of third order.
static void free_pairs_keep_their_momenta(void** unused) {
  (void)unused;
  const Maker makers[] = {make_body, make_sheet, make_solid, make_rod};
  const char* const names[] = {"body", "sheet", "solid", "fibre"};
  const CpsTieKind kinds[] = {CPS_TIE_POINT, CPS_TIE_HINGE, CPS_TIE_WELD};
  for (int i = 0; i < 4; ++i) {
    for (int j = i; j < 4; ++j) {
      for (int k = 0; k < 3; ++k) {
        for (int half = 0; half < 2; ++half) {
          if ((i == 0 && j == 0) || (SANITIZED && (i + j + k) % 3 != 0)) continue;
          const Kept kept = fly(makers[i], makers[j], kinds[k], half ? 0.5 : 1.0);
          if (kept.linear > 1e-12 || kept.apart > 2e-7 || kept.angular > (half ? 5e-6 : 2e-2)) {
            fail_msg("%s and %s, kind %d, theta %g: linear %.1e, angular %.1e, apart %.1e", names[i], names[j],
                     (int)kinds[k], half ? 0.5 : 1.0, kept.linear, kept.angular, kept.apart);
          }
        }
      }
    }
  }
}

// A motor on the hinge of a block: it rotates at the prescribed speed.
static void a_motor_turns_a_solid(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(2e-3, 0.5, 0.0, 1);
  const CpsThing thing =
      cps_thing_solid(add_solid(world, (CpsVec3){-0.05, -0.02, -0.2}, (CpsVec3){0.1, 0.04, 0.2}, 1e7));
  CpsTieDef def = cps_tie_def_default();
  def.kind = CPS_TIE_HINGE;
  def.axis = (CpsVec3){0.0, 1.0, 0.0};
  def.a = nearest(world, thing, 0.001, 0.002, -0.1);
  def.motor = CPS_MOTOR_SPEED;
  def.speed = 3.0;
  double times[] = {0.0, 0.5}, values[] = {0.0, 1.0};
  def.curve = (CpsCurve){.kind = CPS_CURVE_TABLE, .count = 2, .times = times, .values = values};
  const CpsTieId id = tie(world, &def);
  while (cps_world_time(world) < 1.2499) step(world);
  CpsTieState now;
  assert_int_equal(cps_world_tie_state(world, id, &now), CPS_OK);
  assert_near(now.angle, 3.0, 1e-9);
  assert_true(now.apart < 1e-5);
  // from the middle to the top: (0, 0.1) turned by 3 rad about y, but for what the block swings and gives way
  CpsVec3 x[18];
  assert_int_equal(vertices_of(world, thing, x, NULL), CPS_OK);
  const CpsVec3 top = cps_vec3_scale(0.5, cps_vec3_add(x[13], x[16])),
                low = cps_vec3_scale(0.5, cps_vec3_add(x[1], x[4]));
  const double turned = atan2(top.x - low.x, top.z - low.z);
  assert_near(turned, 3.0, 5e-3);
  def.motor = CPS_MOTOR_TORQUE;
  def.torque = 1.0;
  CpsError error;
  assert_int_equal(cps_world_add_tie(world, &def, NULL, &error), CPS_UNSUPPORTED);
  assert_string_equal(error.text,
                      "a motor of given torque cannot act on an object that deforms; give the motor a speed");
  cps_world_destroy(world);
}

// A crate of five times its mass held at a point between the vertices of a sheet that hangs from its corners; both swing.
static CpsWorld* crate_on_sheet(int threads, CpsTieId* id) {
  CpsWorld* world = make_world(2e-3, 1.0, G, threads);
  const CpsThing sheet = cps_thing_sheet(add_sheet(world, 6, 6, 0.3, 0.3, (CpsVec3){0.0, 0.0, 0.0}));
  const CpsBodyId crate = add_box(world, (CpsVec3){0.02, 0.3, -0.2}, (CpsVec3){0.0, 0.0, 0.0});
  const int32_t corners[] = {42, 48};
  for (int k = 0; k < 2; ++k) {
    CpsTieDef def = cps_tie_def_default();
    def.a = (CpsAnchor){.thing = sheet, .vertex = corners[k]};
    tie(world, &def);
  }
  CpsTieDef def = cps_tie_def_default();
  def.a = nearest(world, sheet, 0.021, 0.0, -0.133);
  def.b = cps_anchor_body(crate, (CpsVec3){0.0, -0.3, 0.067});
  *id = tie(world, &def);
  return world;
}

static void nothing_drifts(void** unused) {
  (void)unused;
  CpsTieId id;
  CpsWorld* world = crate_on_sheet(1, &id);
  double worst[2] = {0.0, 0.0};
  while (cps_world_time(world) < (SANITIZED ? 0.3 : 4.0)) {
    step(world);
    const double t = cps_world_time(world);
    if (t > 0.1) worst[t > 2.0] = fmax(worst[t > 2.0], apart(world, id));
  }
  if (worst[0] > 1e-5 || worst[1] > worst[0]) fail_msg("apart by %g m, then by %g m", worst[0], worst[1]);
  cps_world_destroy(world);
}

static void threads_and_resuming_change_no_bit(void** unused) {
  (void)unused;
  uint64_t hash[3];
  CpsTieId id;
  for (int k = 0; k < 2; ++k) {
    CpsWorld* world = crate_on_sheet(k + 1, &id);
    for (int i = 0; i < 40; ++i) step(world);
    hash[k] = cps_world_hash(world);
    cps_world_destroy(world);
  }
  CpsWorld *first = crate_on_sheet(1, &id), *second = crate_on_sheet(1, &id);
  for (int i = 0; i < 20; ++i) step(first);
  const size_t size = cps_world_state_size(first);
  char* state = malloc(size);
  assert_int_equal(cps_world_save(first, state, size, NULL), CPS_OK);
  assert_int_equal(cps_world_load(second, state, size, NULL), CPS_OK);
  for (int i = 0; i < 20; ++i) step(second);
  hash[2] = cps_world_hash(second);
  free(state);
  cps_world_destroy(first);
  cps_world_destroy(second);
  assert_true(hash[0] == hash[1]);
  assert_true(hash[0] == hash[2]);
}

// An object tied to a sheet at one end falls onto the rest of the sheet: contact is off near the tie only.
static void a_crate_falls_onto_the_sheet_that_it_is_tied_to(void** unused) {
  (void)unused;
  CpsWorldDef world_def = cps_world_def_default();
  world_def.gravity = (CpsVec3){0.0, -G, 0.0};
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&world_def, &world, NULL), CPS_OK);
  const CpsThing sheet = cps_thing_sheet(add_sheet(world, 6, 6, 0.3, 0.3, (CpsVec3){0.0, 0.0, 0.0}));
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box((CpsVec3){0.06, 0.06, 0.06});
  box.mass = 0.1;
  box.position = (CpsVec3){0.0, 0.04, 0.0};
  CpsBodyId crate;
  assert_int_equal(cps_world_add_body(world, &box, &crate, NULL), CPS_OK);
  const int32_t corners[] = {0, 6, 42, 48};
  for (int k = 0; k < 4; ++k) {
    CpsTieDef def = cps_tie_def_default();
    def.a = (CpsAnchor){.thing = sheet, .vertex = corners[k]};
    tie(world, &def);
  }
  CpsTieDef def = cps_tie_def_default();
  def.a = nearest(world, sheet, 0.01, 0.0, -0.12);
  def.b = cps_anchor_body(crate, (CpsVec3){0.01, -0.04, -0.12});
  tie(world, &def);
  int32_t most = 0;
  while (cps_world_time(world) < (SANITIZED ? 0.05 : 0.4)) {
    step(world);
    if (cps_world_contact_count(world) > most) most = cps_world_contact_count(world);
  }
  CpsBodyState now;
  assert_int_equal(cps_world_body_state(world, crate, &now), CPS_OK);
  if (!SANITIZED && !(now.centre.y > -0.02)) fail_msg("the crate fell to %g m through the sheet", now.centre.y);
  if (!SANITIZED) assert_true(most > 3);
  cps_world_destroy(world);
}

static void wrong_points_are_refused(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1e-3, 1.0, 0.0, 1);
  const CpsThing sheet = cps_thing_sheet(add_sheet(world, 3, 3, 0.2, 0.1, (CpsVec3){0.0, 0.0, 0.0}));
  const CpsThing solid = cps_thing_solid(add_solid(world, (CpsVec3){1.0, 0.0, 0.0}, (CpsVec3){0.2, 0.1, 0.1}, 1e5));
  const CpsFibreId chain = add_rod(world, CPS_ROD_MASS_SPRING, (CpsVec3){5.0, 0.0, 0.0}, 0.0);
  const struct {
    CpsAnchor at;
    CpsTieKind kind;
    const char* says;
  } WRONG[] = {
      {{.thing = sheet, .corner_count = 4, .corners = {0, 1, 4, 5}, .weights = {1.0}},
       CPS_TIE_POINT,
       "a point of a sheet lies between 4 vertices; a triangle has 3"},
      {{.thing = sheet, .corner_count = -1},
       CPS_TIE_POINT,
       "a point of a sheet lies between -1 vertices; a triangle has 3"},
      {{.thing = sheet, .corner_count = 2, .corners = {0, 99}, .weights = {0.5, 0.5}},
       CPS_TIE_POINT,
       "a tie is at vertex 99 of a sheet with 16 vertices"},
      {{.thing = sheet, .corner_count = 2, .corners = {1, 1}, .weights = {0.5, 0.5}},
       CPS_TIE_POINT,
       "a point of a sheet names vertex 1 twice"},
      {{.thing = sheet, .corner_count = 2, .corners = {0, 1}, .weights = {0.5, NAN}},
       CPS_TIE_POINT,
       "vertex 1 of a sheet has the weight nan; it must be in [-1e6, 1e6]"},
      {{.thing = sheet, .corner_count = 2, .corners = {0, 1}, .weights = {0.5, 0.4}},
       CPS_TIE_POINT,
       "the weights of a point of a sheet add up to 0.9, not 1"},
      {{.thing = sheet, .corner_count = 2, .corners = {0, 15}, .weights = {0.5, 0.5}},
       CPS_TIE_POINT,
       "a point of a sheet lies between vertices 0, 15 …, which have no triangle in common"},
      {{.thing = solid, .corner_count = 2, .corners = {0, 17}, .weights = {0.5, 0.5}},
       CPS_TIE_WELD,
       "a point of a solid lies between vertices 0, 17 …, which have no tetrahedron in common"},
      {{.thing = sheet, .corner_count = 2, .corners = {0, 1}, .weights = {0.5, 0.5}, .point = {0.0, 0.0, 0.1}},
       CPS_TIE_POINT,
       "a point of a sheet has the offset 0, 0, 0.1 m; only a point between three vertices of a sheet has one, along "
       "z"},
      {{.thing = cps_thing_fibre(chain), .s = 0.1},
       CPS_TIE_HINGE,
       "fibres of model `mass-spring` do not twist, so hinges and welds cannot hold them; tie two points of it"},
      {{.thing = cps_thing_fibre(chain), .s = 0.1, .point = {0.0, 0.001, 0.0}},
       CPS_TIE_POINT,
       "fibres of model `mass-spring` do not twist; tie a point of the centreline"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    CpsTieDef def = cps_tie_def_default();
    CpsError error = {""};
    def.kind = WRONG[i].kind;
    def.a = WRONG[i].at;
    assert_true(cps_world_add_tie(world, &def, NULL, &error) < 0);
    assert_string_equal(error.text, WRONG[i].says);
  }
  assert_int_equal(cps_world_tie_count(world), 0);
  CpsAnchor at;
  assert_true(cps_world_nearest_anchor(world, sheet, (CpsVec3){NAN, 0.0, 0.0}, &at, NULL) < 0);
  assert_true(cps_world_nearest_anchor(world, sheet, (CpsVec3){0.0, 0.0, 0.0}, NULL, NULL) < 0);
  const CpsThing nothing = {CPS_THING_SHEET, 7, 1};
  assert_true(cps_world_nearest_anchor(world, nothing, (CpsVec3){0.0, 0.0, 0.0}, &at, NULL) < 0);
  assert_int_equal(cps_anchor_between(sheet, 9, WRONG[0].at.corners, WRONG[0].at.weights).corner_count, -1);
  // the nearest point of a vertex is that vertex, that of a fibre an arc length
  assert_int_equal(nearest(world, sheet, -0.1, 0.3, -0.05).vertex, 0);
  assert_int_equal(nearest(world, sheet, -0.1, 0.3, -0.05).corner_count, 0);
  assert_near(nearest(world, cps_thing_fibre(chain), 5.123, 0.2, 0.0).s, 0.123, 1e-7);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_above_a_triangle_is_seen_as_it_moves),
      cmocka_unit_test(a_sheet_hung_inside_a_triangle_is_a_pendulum),
      cmocka_unit_test(a_solid_on_a_hinge_is_a_pendulum),
      cmocka_unit_test(a_rod_on_a_hinge_is_a_pendulum),
      cmocka_unit_test(free_pairs_keep_their_momenta),
      cmocka_unit_test(a_motor_turns_a_solid),
      cmocka_unit_test(nothing_drifts),
      cmocka_unit_test(threads_and_resuming_change_no_bit),
      cmocka_unit_test(a_crate_falls_onto_the_sheet_that_it_is_tied_to),
      cmocka_unit_test(wrong_points_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
