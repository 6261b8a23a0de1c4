// User models (capstan/custom.h): a point mass moves like a rigid ball that does not rotate; a pendulum swings with its period and
// knocks a box across the floor; states are saved; the energy balance closes; invalid definitions are refused.
#include "capstan/array.h"
#include "capstan/custom.h"
#include "test_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MASS = 0.5, RADIUS = 0.1, LENGTH = 1.0, HEIGHT = 0.12, G = 10.0;

// A point mass: q is its place.
static void point_predict(const CpsCustomStep* step, const double* q, const double* v, double* matrix, double* impulse,
                          void* data) {
  (void)q, (void)v, (void)data;
  const double g[3] = {step->gravity.x, step->gravity.y, step->gravity.z};
  for (int k = 0; k < 3; ++k) {
    matrix[4 * k] = MASS;
    impulse[k] = step->h * MASS * g[k];
  }
}

static void point_place(const double* q, int32_t ball, CpsVec3* centre, double* jacobian, void* data) {
  (void)ball, (void)data;
  *centre = (CpsVec3){q[0], q[1], q[2]};
  for (int k = 0; k < 3; ++k) jacobian[4 * k] = 1.0;
}

static void point_energy(const CpsVec3* gravity, const double* q, const double* v, double* kinetic, double* potential,
                         void* data) {
  (void)data;
  *kinetic = 0.5 * MASS * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  *potential = -MASS * (gravity->x * q[0] + gravity->y * q[1] + gravity->z * q[2]);
}

static CpsCustomDef point_def(const double* q, const double* v) {
  CpsCustomDef def = cps_custom_def_default();
  def.dofs = 3;
  def.q = q;
  def.v = v;
  def.predict = point_predict;
  def.place = point_place;
  def.energy = point_energy;
  def.ball_count = 1;
  def.radius = &RADIUS;
  return def;
}

// A pendulum about the y axis through (0, 0, LENGTH + HEIGHT): q is its angle from the vertical.
static void swing_predict(const CpsCustomStep* step, const double* q, const double* v, double* matrix, double* impulse,
                          void* data) {
  (void)v;
  double* calls = data;
  if (calls) *calls += 1.0;
  double g = -step->gravity.z, hook = MASS * g * LENGTH * cos(q[0]);  // K
  matrix[0] = MASS * LENGTH * LENGTH + step->h * step->h * step->theta * step->theta * hook;
  impulse[0] = step->h * (-MASS * g * LENGTH * sin(q[0]) - step->theta * step->h * hook * v[0]);
}

static void swing_place(const double* q, int32_t ball, CpsVec3* centre, double* jacobian, void* data) {
  (void)ball, (void)data;
  *centre = (CpsVec3){LENGTH * sin(q[0]), 0.0, LENGTH + HEIGHT - LENGTH * cos(q[0])};
  jacobian[0] = LENGTH * cos(q[0]);
  jacobian[2] = LENGTH * sin(q[0]);
}

static void swing_energy(const CpsVec3* gravity, const double* q, const double* v, double* kinetic, double* potential,
                         void* data) {
  (void)data;
  *kinetic = 0.5 * MASS * LENGTH * LENGTH * v[0] * v[0];
  *potential = -MASS * gravity->z * (LENGTH + HEIGHT - LENGTH * cos(q[0]));
}

static CpsWorld* make_world(double theta, bool grounded) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0.0, 0.0, -G};
  def.mu = 0.5;
  def.theta = theta;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  if (grounded) assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  return world;
}

static void make_steps(CpsWorld* world, int count) {
  CpsError error;
  for (int i = 0; i < count; ++i) {
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  }
}

// Thrown onto the floor beside a ball that does not rotate: both bounce, land, slide and stop alike.
static void test_is_a_ball(void** unused) {
  (void)unused;
  const double start[3] = {0.0, 0.0, 0.15}, thrown[3] = {2.0, 0.5, 0.0};
  CpsWorld* world = make_world(1.0, true);
  CpsCustomDef def = point_def(start, thrown);
  CpsThing thing;
  assert_int_equal(cps_world_add_custom(world, &def, &thing, NULL), CPS_OK);
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(RADIUS);
  ball.mass = MASS;
  ball.fixed_rotation = true;
  ball.position = (CpsVec3){0.0, 10.0, 0.15};
  ball.velocity = (CpsVec3){2.0, 0.5, 0.0};
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &ball, &id, NULL), CPS_OK);
  double q[3], v[3];
  CpsBodyState state;
  for (int i = 0; i < 800; ++i) {
    make_steps(world, 1);
    assert_int_equal(cps_world_custom_state(world, thing, q, v), CPS_OK);
    cps_world_body_state(world, id, &state);
    assert_near(q[0], state.pose.position.x, 1e-12);
    assert_near(q[1], state.pose.position.y - 10.0, 1e-12);
    assert_near(q[2], state.pose.position.z, 1e-9);  // the projection takes velocity from the body only
  }
  assert_true(fabs(v[0]) < 1e-12);
  assert_true(cps_world_energy(world).error < 1e-9);
  CpsVec3 seen;
  assert_int_equal(cps_world_array_count(world, thing, CPS_QUANTITY_POSITION), 1);
  assert_int_equal(cps_world_array(world, thing, CPS_QUANTITY_POSITION, &seen.x, sizeof seen), CPS_OK);
  assert_near(seen.x, q[0], 0.0);
  cps_world_destroy(world);
}

static CpsThing add_pendulum(CpsWorld* world, double angle, double* calls) {
  CpsCustomDef def = cps_custom_def_default();
  def.dofs = 1;
  def.q = &angle;
  def.predict = swing_predict;
  def.place = swing_place;
  def.energy = swing_energy;
  def.ball_count = 1;
  def.radius = &RADIUS;
  def.data = calls;
  def.restitution = 1.0;
  def.name = "pendulum";
  CpsThing thing;
  assert_int_equal(cps_world_add_custom(world, &def, &thing, NULL), CPS_OK);
  return thing;
}

// Small swings take 2 pi sqrt(L / g); at theta = 1/2 the energy stays.
static void test_swings(void** unused) {
  (void)unused;
  const double period = 2.0 * 3.14159265358979323846 * sqrt(LENGTH / G);
  CpsWorld* world = make_world(0.5, false);
  double calls = 0.0, q, v;
  CpsThing thing = add_pendulum(world, 0.01, &calls);
  int quarters = 0, steps = 0;
  for (double before = 0.01; quarters < 8 && steps < 20000; before = q) {
    make_steps(world, 1);
    steps++;
    cps_world_custom_state(world, thing, &q, &v);
    if ((before > 0.0) != (q > 0.0)) quarters += quarters == 0 ? 1 : 2;
  }
  // 9 quarters from the start to the fifth passage; the angle adds 6e-6, the step h = 1 ms less
  assert_near(cps_world_time(world), 2.25 * period, 2e-3);
  assert_true(calls >= steps);
  assert_true(cps_world_energy(world).error < 1e-12);
  assert_near(cps_world_energy(world).external, 0.0, 1e-8);
  cps_world_destroy(world);
}

// It hits a box: the momentum of the box is what the pendulum loses, and the box stops after v^2 / 2 mu g.
static void test_knocks(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1.0, true);
  CpsThing thing = add_pendulum(world, -1.0, NULL);
  CpsBodyDef box = cps_body_def_default();
  box.shape = cps_box((CpsVec3){0.2, 0.2, 2.0 * HEIGHT});
  box.mass = MASS;
  box.position = (CpsVec3){0.2 + 1e-3, 0.0, HEIGHT};
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &box, &id, NULL), CPS_OK);
  CpsBodyState state;
  double q, v = 0.0, before = 0.0, after = 0.0, kicked = 0.0;
  for (int i = 0; i < 1500; ++i) {
    double last = v;
    make_steps(world, 1);
    cps_world_custom_state(world, thing, &q, &v);
    cps_world_body_state(world, id, &state);
    if (state.velocity.x > 0.5 && kicked == 0.0) before = last, after = v, kicked = state.velocity.x;
  }
  // below the hinge, from v = sqrt(2 g L (1 - cos 1)); the gap of 1 mm is small
  assert_near(before * LENGTH, sqrt(2.0 * G * LENGTH * (1.0 - cos(1.0))), 2e-2);
  // equal masses, no loss: they exchange velocities; friction takes little in one step
  assert_near(MASS * LENGTH * (before - after), MASS * kicked, 2e-2 * MASS * kicked);
  assert_near(state.pose.position.x - 0.201, kicked * kicked / (2.0 * 0.5 * G), 2e-2);
  assert_true(cps_world_energy(world).error < 1e-9);
  cps_world_destroy(world);
}

static void test_is_saved(void** unused) {
  (void)unused;
  CpsWorld *one = make_world(1.0, true), *two = make_world(1.0, true);
  CpsThing a = add_pendulum(one, -1.0, NULL), b = add_pendulum(two, 0.3, NULL);
  make_steps(one, 50);
  size_t size = cps_world_state_size(one);
  void* state = malloc(size);
  assert_int_equal(cps_world_save(one, state, size, NULL), CPS_OK);
  assert_int_equal(cps_world_load(two, state, size, NULL), CPS_OK);
  make_steps(one, 50);
  make_steps(two, 50);
  double x[2][2];
  cps_world_custom_state(one, a, &x[0][0], &x[0][1]);
  cps_world_custom_state(two, b, &x[1][0], &x[1][1]);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_true(cps_world_hash(one) == cps_world_hash(two));
  free(state);
  cps_world_destroy(one);
  cps_world_destroy(two);
}

static void bad_predict(const CpsCustomStep* step, const double* q, const double* v, double* matrix, double* impulse,
                        void* data) {
  point_predict(step, q, v, matrix, impulse, NULL);
  *(data ? &matrix[4] : &impulse[1]) = data ? -1.0 : NAN;
}

static void test_refuses(void** unused) {
  (void)unused;
  CpsWorld* world = make_world(1.0, false);
  const double nan = NAN, start[3] = {0.0, 0.0, 1.0}, bad[3] = {0.0, nan, 0.0}, no_radius = 0.0;
  CpsCustomDef good = point_def(start, NULL), def;
  CpsError error;
#define REFUSED(change)                                                                \
  do {                                                                                 \
    def = good;                                                                        \
    def.change;                                                                        \
    assert_true(cps_world_add_custom(world, &def, NULL, &error) < 0 && error.text[0]); \
  } while (0)
  REFUSED(cookie = 0);
  REFUSED(dofs = 0);
  REFUSED(dofs = 1000000);
  REFUSED(q = bad);
  REFUSED(v = bad);
  REFUSED(predict = NULL);
  REFUSED(place = NULL);
  REFUSED(radius = NULL);
  REFUSED(radius = &no_radius);
  REFUSED(ball_count = -1);
  REFUSED(mu = -1.0);
  REFUSED(material = 3);
#undef REFUSED
  assert_true(cps_world_add_custom(NULL, &good, NULL, NULL) < 0);
  assert_true(cps_world_custom_state(world, (CpsThing){CPS_THING_OTHER, 0, 1}, NULL, NULL) < 0);
  // a matrix that is not positive definite and a force that is not a number fail the step, with the name, and change nothing
  for (int k = 0; k < 2; ++k) {
    CpsWorld* other = make_world(1.0, false);
    def = good;
    def.predict = bad_predict;
    def.data = k ? &def : NULL;
    def.name = "wild thing";
    assert_int_equal(cps_world_add_custom(other, &def, NULL, NULL), CPS_OK);
    assert_true(cps_world_step(other, NULL, &error) < 0);
    assert_non_null(strstr(error.text, "wild thing"));
    assert_near(cps_world_time(other), 0.0, 0.0);
    cps_world_destroy(other);
  }
  CpsThing thing;
  assert_int_equal(cps_world_add_custom(world, &good, &thing, NULL), CPS_OK);
  assert_true(cps_world_set_custom_state(world, thing, bad, NULL, &error) < 0);
  assert_int_equal(cps_world_set_custom_state(world, thing, NULL, start, NULL), CPS_OK);
  double v[3];
  assert_int_equal(cps_world_custom_state(world, thing, NULL, v), CPS_OK);
  assert_near(v[2], 1.0, 0.0);
  cps_world_destroy(world);
}

static void freed(void* data) {
  ++*(int*)data;
}

// The caller's data is released exactly once; a refused definition remains the caller's.
static void test_gives_back(void** unused) {
  (void)unused;
  int count = 0;
  const double start[3] = {0.0, 0.0, 1.0};
  CpsCustomDef def = point_def(start, NULL);
  def.destroy = freed;
  def.data = &count;
  CpsWorld* world = make_world(1.0, false);
  assert_int_equal(cps_world_add_custom(world, &def, NULL, NULL), CPS_OK);
  def.dofs = 0;
  assert_true(cps_world_add_custom(world, &def, NULL, NULL) < 0);
  assert_int_equal(count, 0);
  cps_world_destroy(world);
  assert_int_equal(count, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_is_a_ball), cmocka_unit_test(test_swings),  cmocka_unit_test(test_knocks),
      cmocka_unit_test(test_is_saved),  cmocka_unit_test(test_refuses), cmocka_unit_test(test_gives_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
