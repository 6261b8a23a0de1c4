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
static void only_one_problem_keeps_the_front_straight(void** state) {
  (void)state;
  double part;
  const double full = kink_of("full", 0.01, &part);
  assert_near(part, 0.5, 1e-6);  // it slides
  assert_near(kink_of("full", 0.005, &part), full, 0.02 * full);
  const double split = kink_of("split", 0.002, &part), finer = kink_of("split", 0.001, &part);
  assert_true(full < 0.3e-3);
  assert_true(split > 5.0 * full);
  assert_true(finer - full < 0.5 * (split - full));
  assert_near(kink_of("forward", 0.002, &part), full, 0.03 * full);
}

enum { MESH = 2000 };

// How rough the tip of a thumb gets that holds a glass: how far its nodes near the glass are from the mean of their neighbours, along the glass,
// more than in the shape without strain, m. Mean of nodes and of ten steps.
static double roughness_of(const char* coupling) {
  static CpsVec3 rest[MESH], x[MESH];
  Overrides o = {0};
  override(&o, "contact.coupling=%s", coupling);
  override(&o, "size=1 cm");
  override(&o, "time.step=4 ms");
  CpsWorld* world = open_scene("pinch-glass.yaml", &o);
  const CpsSolidId id = cps_world_solid(world, 1);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MESH);
  assert_int_equal(vertices_of(world, cps_thing_solid(id), rest, NULL), CPS_OK);
  Run run = run_until(world, 0.1);  // the grasp is over, the lift begins at 0.2 s
  const int32_t* triangle = cps_world_solid_triangles(world, id);
  double rough = 0.0;
  for (int i = 0; i < 10; ++i) {
    run_step(world, &run);
    assert_int_equal(vertices_of(world, cps_thing_solid(id), x, NULL), CPS_OK);
    double sum = 0.0;
    int count = 0;
    for (int32_t n = 0; n < info.vertex_count; ++n) {
      if (x[n].x > 0.03 + 0.004) continue;  // the glass ends at 3 cm
      CpsVec3 mean = {0.0, 0.0, 0.0};
      int around = 0;
      for (int32_t t = 0; t < info.triangle_count; ++t) {
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
    rough += 0.1 * sum / count;
  }
  print_message("%-8s roughness %.4f mm, %d of %d steps unsolved\n", coupling, 1e3 * rough, (int)run.unsolved,
                (int)run.steps);
  cps_world_destroy(world);
  return rough;
}

// Figure 14 of the paper, in long steps: 0.15 mm, 0.24 mm and 0.30 mm.
static void only_one_problem_keeps_a_tip_smooth(void** state) {
  (void)state;
  const double full = roughness_of("full"), split = roughness_of("split"), forward = roughness_of("forward");
  assert_true(full < 0.2e-3);
  assert_true(split > 1.5 * full);
  assert_true(forward > 1.8 * full);
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
