// Pieces that move: the drift they share is found, and no pair that comes together within the step is missed.
#include "chains.h"

enum { PIECES = 300 };

typedef struct Swarm {
  CpsGeom geom[PIECES];
  CpsCollider colliders[PIECES];
} Swarm;

static CpsVec3 random_vector(CpsRandom* random, double size) {
  return cps_vec3(size * (2.0 * cps_random_uniform(random) - 1.0), size * (2.0 * cps_random_uniform(random) - 1.0),
                  size * (2.0 * cps_random_uniform(random) - 1.0));
}

// Short straight fibres of one piece each in a cube of one metre, in a rigid motion and a little beside it.
static void make_swarm(Swarm* swarm, CpsRandom* random, const CpsDrift* drift, double beside) {
  for (int32_t i = 0; i < PIECES; i++) {
    const double r = 0.004, half = 0.03;
    const CpsVec3 centre = random_vector(random, 0.5), along = cps_vec3_unit(random_vector(random, 1.0));
    swarm->geom[i] = (CpsGeom){.kind = CPS_SHAPE_CAPSULE,
                               .radius = r,
                               .half_length = half,
                               .bounds = {{-r, -r, -half - r}, {r, r, half + r}},
                               .inner_radius = r,
                               .outer_radius = half + r};
    swarm->colliders[i] =
        (CpsCollider){.geom = &swarm->geom[i],
                      .pose = {centre, cps_quat_z_to(along)},
                      .velocity = cps_vec3_add(cps_drift_at(drift, centre), random_vector(random, beside)),
                      .key = (uint64_t)i << 22,
                      .owner = i,
                      .arc = {0.0, 2.0 * half}};
  }
}

static void a_rigid_motion_is_recovered(void** state) {
  (void)state;
  static Swarm swarm;
  CpsRandom random = cps_random_seed(3);
  const CpsDrift drift = {{0.3, -0.2, 0.1}, {2.0, -1.0, 0.5}, {-3.0, 4.0, 1.0}};
  make_swarm(&swarm, &random, &drift, 0.0);
  const CpsDrift found = cps_drift_fit(swarm.colliders, PIECES);
  for (int i = 0; i < 20; i++) {
    const CpsVec3 x = random_vector(&random, 1.0), d = cps_vec3_sub(cps_drift_at(&found, x), cps_drift_at(&drift, x));
    assert_below(cps_vec3_norm(d), 1e-12);
  }
}

static void without_fibres_nothing_drifts(void** state) {
  (void)state;
  const CpsDrift none = cps_drift_fit(NULL, 0);
  assert_true(cps_vec3_norm(cps_drift_at(&none, cps_vec3(1.0, 2.0, 3.0))) == 0.0);
}

// One fibre cannot say how it turns about itself.
static void a_single_line_does_not_turn(void** state) {
  (void)state;
  static Swarm swarm;
  CpsRandom random = cps_random_seed(5);
  const CpsDrift drift = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  make_swarm(&swarm, &random, &drift, 0.0);
  for (int32_t i = 0; i < PIECES; i++) swarm.colliders[i].pose.position = cps_vec3(0.01 * i, 0.0, 0.0);
  const CpsDrift found = cps_drift_fit(swarm.colliders, PIECES);
  assert_true(cps_vec3_norm(found.spin) == 0.0);
  assert_near(found.velocity.x, 1.0, 1e-12);
}

// Distance of two pieces at a part of the step, each moved by its velocity.
static double gap_at(const CpsCollider* a, const CpsCollider* b, double t) {
  CpsTouch touch[CPS_TOUCH_MAX];
  const CpsPose p = {cps_vec3_axpy(a->pose.position, t, a->velocity), a->pose.rotation};
  const CpsPose q = {cps_vec3_axpy(b->pose.position, t, b->velocity), b->pose.rotation};
  const int count = cps_collide(a->geom, &p, b->geom, &q, 1.0, touch);
  double least = INFINITY;
  for (int k = 0; k < count; k++) least = fmin(least, touch[k].gap);
  return least;
}

// In a head that turns fast the pieces are all fast; those that come together are found, and few others.
static void what_comes_together_is_found(void** state) {
  (void)state;
  static Swarm swarm;
  CpsDetector* detector = cps_detector_create();
  const double h = 5e-3;
  int32_t meetings = 0, all = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    CpsRandom random = cps_random_seed(seed);
    const CpsDrift drift = {{0.0, 0.0, 0.0}, random_vector(&random, 3.0), random_vector(&random, 10.0)};
    make_swarm(&swarm, &random, &drift, 1.0);
    const CpsDrift fitted = cps_drift_fit(swarm.colliders, PIECES);
    const CpsColliderTouch* found = NULL;
    int32_t count = 0;
    assert_true(cps_detect_moving(detector, swarm.colliders, PIECES, h, &fitted, 1e-3, NULL, &found, &count));
    all += count;
    int32_t next = 0;
    for (int32_t a = 0; a < PIECES; a++) {
      for (int32_t b = a + 1; b < PIECES; b++) {
        // meets for sure: apart at the beginning, through each other in the middle of a straight way
        if (gap_at(&swarm.colliders[a], &swarm.colliders[b], h) > 0.0) continue;
        meetings++;
        while (next < count && (found[next].a < a || (found[next].a == a && found[next].b < b))) next++;
        assert_true(next < count && found[next].a == a && found[next].b == b);
      }
    }
  }
  assert_true(meetings > 50);
  // pieces 6 cm long that move 1.5 cm beside the drift: nearly everything that is found is near
  assert_true(all < 8 * meetings);
  cps_detector_destroy(detector);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rigid_motion_is_recovered),
      cmocka_unit_test(without_fibres_nothing_drifts),
      cmocka_unit_test(a_single_line_does_not_turn),
      cmocka_unit_test(what_comes_together_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
