// Rigid bodies behind model.h: the rows of a contact are the derivative of its point, and impulses do what they say.
#include "model/rigid.h"

#include "test_helpers.h"

#include <string.h>

static CpsRigid* make(CpsBodyDef def, int32_t* body) {
  CpsRigid* rigid = cps_rigid_create();
  assert_non_null(rigid);
  assert_int_equal(cps_rigid_add(rigid, &def, body, NULL), CPS_OK);
  return rigid;
}

// A bent compound in an arbitrary pose: nothing is aligned with anything.
static CpsBodyDef odd_body(void) {
  static const CpsShapePart PARTS[] = {
      {{.kind = CPS_SHAPE_BOX, .size = {0.3, 0.1, 0.05}}, {{0.1, 0, 0}, {0.9, 0.1, 0.2, 0.3}}, 0},
      {{.kind = CPS_SHAPE_SPHERE, .radius = 0.08}, {{-0.1, 0.05, 0.1}, {1, 0, 0, 0}}, 0},
  };
  CpsBodyDef def = cps_body_def_default();
  def.shape = cps_compound(PARTS, 2);
  def.position = (CpsVec3){0.5, -0.2, 1.0};
  def.rotation = (CpsQuat){0.6, -0.3, 0.5, 0.2};
  def.velocity = (CpsVec3){0.3, 0.2, -0.7};
  def.angular_velocity = (CpsVec3){1.0, -2.0, 0.5};
  return def;
}

static const CpsModelStep STEP = {.h = 1e-2, .theta = 1.0, .gravity = {0, 0, -9.81}};

// Row k of G against the motion of the material point under a small displacement of each degree of freedom.
static void rows_are_the_derivative_of_the_point(void** state) {
  (void)state;
  int32_t body;
  CpsRigid* rigid = make(odd_body(), &body);
  CpsModel* model = &rigid->model;
  model->type->begin(model, &STEP, 0, 1);
  CpsVec3 x = {0.7, -0.1, 1.2};
  CpsSpot spot = {.point = x};
  CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(1, 2, 3)), cps_vec3(1, 0, 0));
  double G[18];
  model->type->rows(model, body, &spot, &frame, 1.0, G);
  CpsPose start = rigid->bodies[body].pose;
  CpsVec3 own = cps_pose_apply_back(start, x);
  const double d = 1e-6;
  for (int j = 0; j < 6; ++j) {
    CpsVec3 end[2];
    for (int s = 0; s < 2; ++s) {
      double z[6] = {0};
      z[j] = s == 0 ? d : -d;
      model->type->shift(model, body, z);
      end[s] = cps_pose_apply(rigid->bodies[body].pose, own);
      rigid->bodies[body].pose = start;
    }
    CpsVec3 slope = cps_mat3_apply(frame, cps_vec3_scale(0.5 / d, cps_vec3_sub(end[0], end[1])));
    // central differences: error d^2 times the third derivative, and rounding 1e-16 / d
    assert_near(G[j], slope.x, 1e-8);
    assert_near(G[6 + j], slope.y, 1e-8);
    assert_near(G[12 + j], slope.z, 1e-8);
  }
  model->type->destroy(model);
}

// v+ - v* = M^-1 H^T r: the velocity of the point of contact changes by G G^T r.
static void an_impulse_changes_the_velocity_by_W(void** state) {
  (void)state;
  int32_t body;
  CpsRigid* rigid = make(odd_body(), &body);
  CpsModel* model = &rigid->model;
  model->type->begin(model, &STEP, 0, 1);
  CpsSpot spot = {.point = {0.4, -0.3, 0.9}};
  CpsMat3 frame = cps_mat3_frame(cps_vec3_unit(cps_vec3(-1, 1, 2)), cps_vec3(0, 1, 0));
  double G[18], r[3] = {0.7, -0.2, 0.4}, z[6] = {0};
  model->type->rows(model, body, &spot, &frame, 1.0, G);
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 6; ++j) z[j] += G[6 * k + j] * r[k];
  CpsVec3 free = model->type->velocity(model, body, &spot, CPS_VELOCITY_FREE);
  model->type->receive(model, body, z);
  CpsVec3 after = model->type->velocity(model, body, &spot, CPS_VELOCITY_AFTER);
  CpsVec3 change = cps_mat3_apply(frame, cps_vec3_sub(after, free));
  const double du[3] = {change.x, change.y, change.z};
  for (int k = 0; k < 3; ++k) {
    double w = 0.0;
    for (int j = 0; j < 6; ++j) w += G[6 * k + j] * z[j];
    assert_near(du[k], w, 1e-14);
  }
  // and without one the body flies on
  model->type->receive(model, body, NULL);
  assert_near(rigid->bodies[body].velocity.z, -0.7 - 9.81 * STEP.h, 1e-15);
  model->type->destroy(model);
}

// The pose given is the pose read, whatever the principal axes are; and bytes bring a state back.
static void poses_and_bytes_come_back(void** state) {
  (void)state;
  int32_t body;
  CpsBodyDef def = odd_body();
  CpsRigid* rigid = make(def, &body);
  CpsModel* model = &rigid->model;
  CpsPose pose = cps_rigid_shape_pose(&rigid->bodies[body]);
  CpsQuat q = cps_quat_unit(def.rotation);
  assert_near(pose.position.x, def.position.x, 1e-15);
  assert_near(pose.position.z, def.position.z, 1e-15);
  assert_near(fabs(pose.rotation.w * q.w + pose.rotation.x * q.x + pose.rotation.y * q.y + pose.rotation.z * q.z), 1.0,
              1e-15);
  CpsVec3 w = cps_rigid_angular_velocity(&rigid->bodies[body]);
  assert_near(w.y, def.angular_velocity.y, 1e-15);
  unsigned char bytes[256];
  size_t size = model->type->state_size(model);
  assert_true(size <= sizeof bytes);
  model->type->save(model, bytes);
  CpsRigidBody before = rigid->bodies[body];
  model->type->begin(model, &STEP, 0, 1);
  model->type->receive(model, body, NULL);
  model->type->advance(model, &STEP, 0, 1);
  assert_true(memcmp(&before.pose, &rigid->bodies[body].pose, sizeof before.pose) != 0);
  assert_int_equal(model->type->check(model, bytes, size, NULL), CPS_OK);
  model->type->load(model, bytes);
  assert_memory_equal(&before.pose, &rigid->bodies[body].pose, sizeof before.pose);
  assert_memory_equal(&before.spin, &rigid->bodies[body].spin, sizeof before.spin);
  assert_int_equal(model->type->check(model, bytes, size - 1, NULL), CPS_BAD_FORMAT);
  model->type->destroy(model);
}

// The midpoint rule of the gyroscopic term: energy to rounding, and the torque's work beside it.
static void the_gyroscopic_term_does_no_work(void** state) {
  (void)state;
  CpsVec3 I = {1.0, 2.0, 3.5}, s = {3.0, -1.0, 2.0}, t = {0.5, 0.2, -0.1};
  double before = 0.5 * (I.x * s.x * s.x + I.y * s.y * s.y + I.z * s.z * s.z);
  CpsVec3 a = cps_gyro_advance(I, s, cps_vec3(0, 0, 0), 0.1), b = cps_gyro_advance(I, s, t, 0.01);
  double free = 0.5 * (I.x * a.x * a.x + I.y * a.y * a.y + I.z * a.z * a.z);
  double driven = 0.5 * (I.x * b.x * b.x + I.y * b.y * b.y + I.z * b.z * b.z);
  assert_near(free, before, 1e-14 * before);
  double work = 0.01 * 0.5 * (t.x * (s.x + b.x) + t.y * (s.y + b.y) + t.z * (s.z + b.z));  // one part: h |s| < 1/2
  assert_near(driven - before, work, 1e-14 * before);
  // a ball has no such term
  CpsVec3 ball = cps_gyro_advance(cps_vec3(2, 2, 2), s, t, 0.1);
  assert_near(ball.x, s.x + 0.1 * t.x / 2.0, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_the_derivative_of_the_point),
      cmocka_unit_test(an_impulse_changes_the_velocity_by_W),
      cmocka_unit_test(poses_and_bytes_come_back),
      cmocka_unit_test(the_gyroscopic_term_does_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
