// labels: release
// A block dragged by its top: what becomes of its front where friction is not solved together with elasticity.
#include "capstan/solid.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { ROWS = 5, ACROSS = 5, ALONG = 9 };

// How far the lowest row of the front lies from the line through the two above it, m, root mean square of ten steps; and friction of all of the
// floor over what it carries.
static double kink_of(const char* coupling, double h, double* mobilised) {
  Overrides o = {0};
  override(&o, "contact.coupling=%s", coupling);
  override(&o, "step=%g", h);
  CpsWorld* world = open_scene("drag-block.yaml", &o);
  Run run = run_until(world, 0.3);
  double square = 0.0, press = 0.0, drag = 0.0;
  for (int i = 0; i < 10; ++i) {
    CpsVec3 x[ROWS * ACROSS * ALONG];
    double kink = 0.0;
    run_step(world, &run);
    assert_int_equal(vertices_of(world, cps_thing_solid(cps_world_solid(world, 0)), x, NULL), CPS_OK);
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < ACROSS; ++j) {
        kink += (k == 1 ? -2.0 : 1.0) * x[(k * ACROSS + j) * ALONG + ALONG - 1].x / ACROSS;
      }
    }
    square += 0.1 * kink * kink;
    for (int32_t c = 0; c < cps_world_contact_count(world); ++c) {
      const CpsContact contact = cps_world_contact(world, c);
      press += contact.impulse[0], drag += hypot(contact.impulse[1], contact.impulse[2]);
    }
  }
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
  const double kink = sqrt(square);
  *mobilised = drag / press;
  print_message("%-8s h = %2.0f ms: kink %8.4f mm, friction %.4f of what presses\n", coupling, 1e3 * h, 1e3 * kink,
                *mobilised);
  return kink;
}

// In one problem friction bends the front as statics does, for any step. Applied to the masses of the nodes alone it pushes the lowest row
// back, the farther the longer the step; forwarded, it does not for short steps. In long ones both are unstable.
//
// A node of mass m that hangs at the block by a spring k with the damping b k has
//
//   (m + h b k + h^2 k) v = -h k x without friction,   v - h f / m = 0 with it:   x = -f / k (1 + (h b + h^2) k / m)      (1)
//
// where it stays: split adds to the kink in proportion to h b + h^2, 7/3 as much at 2 ms as at 1 ms for b = 5 ms. The front is not one node: it
// shares its load anew as it bends.
static void only_one_problem_keeps_the_front_straight(void** state) {
  (void)state;
  double part;
  const double full = kink_of("full", 0.01, &part);
  assert_near(part, 0.5, 1e-6);  // it slides
  assert_near(kink_of("full", 0.005, &part), full, 0.02 * full);
  const double split = kink_of("split", 0.002, &part), finer = kink_of("split", 0.001, &part);
  assert_true(full < 0.3e-3);
  assert_true(split > 5.0 * full);
  assert_near((split - full) / (finer - full), 7.0 / 3.0, 0.2 * 7.0 / 3.0);  // (1)
  assert_near(kink_of("forward", 0.002, &part), full, 0.03 * full);
}

enum { MESH = 2000 };

enum { STEPS = 10 };

// Where the nodes of a thumb are that holds a glass, across it, in ten steps of 4 ms after the grasp; h: the step, of which 4 ms is a multiple.
typedef struct Tip {
  int32_t count;
  CpsVec3 x[STEPS][MESH];
} Tip;

static void grasp(const char* coupling, double h, Tip* tip, const int32_t** triangle, int32_t* triangles,
                  CpsWorld** out) {
  Overrides o = {0};
  override(&o, "contact.coupling=%s", coupling);
  override(&o, "size=1 cm");
  override(&o, "time.step=%g", h);
  CpsWorld* world = open_scene("pinch-glass.yaml", &o);
  const CpsSolidId id = cps_world_solid(world, 1);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MESH);
  Run run = run_until(world, 0.1);  // the grasp is over, the lift begins at 0.2 s
  for (int i = 0; i < STEPS; ++i) {
    const double next = 0.1 + 4e-3 * (i + 1);
    while (cps_world_time(world) < next - 0.5 * h) run_step(world, &run);
    assert_int_equal(vertices_of(world, cps_thing_solid(id), tip->x[i], NULL), CPS_OK);
  }
  tip->count = info.vertex_count;
  *triangle = cps_world_solid_triangles(world, id);
  *triangles = info.triangle_count;
  *out = world;
}

// How rough a tip is: how far its nodes near the glass are from the mean of their neighbours, along the glass, more than those of the same tip
// where friction and elasticity are one problem in short steps, m. Mean of nodes and of ten steps.
static double roughness_of(const char* coupling, double h, const Tip* fine) {
  static Tip tip;
  const int32_t* triangle;
  int32_t triangles;
  CpsWorld* world;
  grasp(coupling, h, &tip, &triangle, &triangles, &world);
  double rough = 0.0;
  for (int i = 0; i < STEPS; ++i) {
    const CpsVec3 *x = tip.x[i], *rest = fine->x[i];
    double sum = 0.0;
    int count = 0;
    for (int32_t n = 0; n < tip.count; ++n) {
      if (rest[n].x > 0.03 + 0.004) continue;  // the glass ends at 3 cm
      CpsVec3 mean = {0.0, 0.0, 0.0};
      int around = 0;
      for (int32_t t = 0; t < triangles; ++t) {
        for (int k = 0; k < 3; ++k) {
          const int32_t next = triangle[3 * t + (k + 1) % 3];
          if (triangle[3 * t + k] != n) continue;
          mean.y += x[next].y - rest[next].y, mean.z += x[next].z - rest[next].z;
          ++around;
        }
      }
      if (around == 0) continue;  // inside
      sum += hypot(x[n].y - rest[n].y - mean.y / around, x[n].z - rest[n].z - mean.z / around);
      ++count;
    }
    assert_true(count > 5);
    rough += sum / count / STEPS;
  }
  print_message("%-8s %g ms: rougher by %.4f mm\n", coupling, 1e3 * h, 1e3 * rough);
  cps_world_destroy(world);
  return rough;
}

// Figure 14 of the paper, in long steps: solved apart, friction roughens the tip (30 and 40 times as much as the step itself is off).
static void only_one_problem_keeps_a_tip_smooth(void** state) {
  (void)state;
  static Tip fine;
  const int32_t* triangle;
  int32_t triangles;
  CpsWorld* world;
  grasp("full", 1e-3, &fine, &triangle, &triangles, &world);
  cps_world_destroy(world);
  const double full = roughness_of("full", 4e-3, &fine), split = roughness_of("split", 4e-3, &fine);
  const double forward = roughness_of("forward", 4e-3, &fine);
  assert_true(split > 10.0 * full);
  assert_true(forward > 10.0 * full);
  assert_true(roughness_of("split", 2e-3, &fine) < 0.5 * split);
  assert_true(roughness_of("forward", 2e-3, &fine) < 0.5 * forward);
}

// With any number of threads.
static void couplings_have_the_same_bits_for_all_threads(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    CpsVec3 x[3][ROWS * ACROSS * ALONG];
    for (int i = 0; i < 3; ++i) {
      Overrides o = {0};
      override(&o, "contact.coupling=%s", k == 0 ? "split" : "forward");
      override(&o, "threads=%d", 1 << i);
      CpsWorld* world = open_scene("drag-block.yaml", &o);
      run_until(world, 0.05);
      assert_int_equal(vertices_of(world, cps_thing_solid(cps_world_solid(world, 0)), x[i], NULL), CPS_OK);
      cps_world_destroy(world);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
  }
}

static void an_unknown_coupling_is_refused(void** state) {
  (void)state;
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  CpsError error = {{0}};
  def.coupling = (CpsCoupling)3;
  assert_int_equal(cps_world_create(&def, &world, &error), CPS_BAD_DATA);
  assert_string_equal(error.text, "unknown coupling 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_one_problem_keeps_the_front_straight),
      cmocka_unit_test(only_one_problem_keeps_a_tip_smooth),
      cmocka_unit_test(couplings_have_the_same_bits_for_all_threads),
      cmocka_unit_test(an_unknown_coupling_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
