// Scenes that start still because their natural shapes were found for it: tail, upright, willow-drawn. docs/scenes/inverse.md.
#include "capstan/inverse.h"
#include "scenes/scene_world.h"

#include <string.h>

enum { PLACES = 31 };

static void look(const CpsWorld* world, int32_t fibre, CpsVec3* points) {
  assert_int_equal(cps_world_fibre_points(world, cps_world_fibre(world, fibre), PLACES, points), CPS_OK);
}

static double farthest(const CpsVec3* a, const CpsVec3* b) {
  double most = 0.0;
  for (int i = 0; i < PLACES; ++i) most = fmax(most, hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z));
  return most;
}

static void run_to(CpsWorld* world, double time) {
  CpsError error = {{0}};
  while (cps_world_time(world) < time - 1e-6) {
    if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  }
}

// Still for a second, pulled aside, and back again; 0.3 m long. Taken as its natural shape the drawing sags by centimetres.
static void the_tail_stays_as_it_was_drawn(void** state) {
  (void)state;
  CpsVec3 drawn[PLACES], now[PLACES];
  CpsWorld* world = open_scene("tail.yaml", NULL);
  look(world, 0, drawn);
  run_to(world, 1.0);
  look(world, 0, now);
  assert_true(farthest(drawn, now) < 1e-10);
  run_to(world, 1.5);
  look(world, 0, now);
  assert_true(farthest(drawn, now) > 0.01);
  run_to(world, SHORTER ? 5.0 : 15.0);
  look(world, 0, now);
  assert_true(farthest(drawn, now) < (SHORTER ? 1e-2 : 1e-6));
  cps_world_destroy(world);
  Overrides o = {0};
  override(&o, "fibres.tail.natural=as-placed");
  world = open_scene("tail.yaml", &o);
  run_to(world, 1.0);
  look(world, 0, now);
  assert_true(farthest(drawn, now) > 0.02);
  cps_world_destroy(world);
}

// Below and above the critical weight of a heavy column.
static void one_rod_stands_and_the_other_falls(void** state) {
  (void)state;
  CpsVec3 upright[2][PLACES], now[PLACES];
  CpsWorld* world = open_scene("upright.yaml", NULL);
  for (int i = 0; i < 2; ++i) look(world, i, upright[i]);
  run_to(world, 0.45);
  for (int i = 0; i < 2; ++i) {
    look(world, i, now);
    assert_true(farthest(upright[i], now) < 1e-10);
  }
  if (!SHORTER) {
    run_to(world, 15.0);
    look(world, 0, now);
    assert_true(farthest(upright[0], now) < 1e-4);
    look(world, 1, now);
    assert_true(farthest(upright[1], now) > 0.1);
  }
  CpsFibreStability stability;
  // 7.83735 of the column against what 20 elements have
  for (int i = 0; i < 2; ++i) {
    cps_world_destroy(world);
    world = open_scene("upright.yaml", NULL);
    assert_int_equal(cps_world_fibre_stability(world, cps_world_fibre(world, i), &stability, NULL), CPS_OK);
    assert_near(stability.least_factor, i == 0 ? 0.9 : 1.1, 1e-4);
  }
  cps_world_destroy(world);
}

// 242 elements in 46 branches: nothing moves until the hand comes.
static void the_willow_hangs_as_it_was_drawn(void** state) {
  (void)state;
  CpsWorld* world = open_scene("willow-drawn.yaml", NULL);
  const CpsFibreId id = cps_world_fibre(world, 0);
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(world, id, &info), CPS_OK);
  CpsFibrePoint before[50], now;
  for (int i = 0; i < 50; ++i) cps_world_fibre_at(world, id, info.length * (i + 0.5) / 50, &before[i]);
  run_to(world, SHORTER ? 0.2 : 0.98);
  for (int i = 0; i < 50; ++i) {
    cps_world_fibre_at(world, id, info.length * (i + 0.5) / 50, &now);
    assert_near(now.position.x, before[i].position.x, 1e-9);
    assert_near(now.position.y, before[i].position.y, 1e-9);
    assert_near(now.position.z, before[i].position.z, 1e-9);
  }
  cps_world_destroy(world);
}

// A peg under the tip carries 3/8 of the weight, until it goes down.
static void a_peg_props_a_level_rod(void** state) {
  (void)state;
  CpsVec3 drawn[PLACES], now[PLACES];
  CpsWorld* world = open_scene("prop.yaml", NULL);
  look(world, 0, drawn);
  run_to(world, 0.98);
  assert_int_equal(cps_world_contact_count(world), 1);
  const CpsContact c = cps_world_contact(world, 0);
  assert_near(c.impulse[0] / cps_world_last_step(world), 0.375 * 3e-3 * 9.81 * 0.3, 2e-3 * 3e-3 * 9.81 * 0.3);
  look(world, 0, now);
  assert_true(farthest(drawn, now) < 1e-10 * 0.3);
  run_to(world, SHORTER ? 1.3 : 3.0);
  look(world, 0, now);
  assert_true(now[PLACES - 1].z < -2e-3);
  cps_world_destroy(world);
}

// A straight rod bent over two pegs by the simulator (figure 4.9), inverted by somebody who only sees the bend: the force of each peg
// is that of the simulation, and the natural shape is straight. Taken as placed, the bend would be natural.
static void contacts_explain_the_bend_over_pegs(void** state) {
  (void)state;
  if (SHORTER) skip();
  CpsWorld* world = open_scene("pegs.yaml", NULL);
  run_to(world, 8.0);
  const int32_t count = cps_world_contact_count(world);
  double force[8];
  assert_true(count >= 2 && count <= 8);
  for (int32_t i = 0; i < count; ++i) force[i] = cps_world_contact(world, i).impulse[0] / cps_world_last_step(world);
  CpsInvertOptions options = cps_invert_options_default();
  options.guess = CPS_GUESS_STRAIGHT;
  options.compliance = 1e-10;
  options.tolerance = 1e-10;
  options.max_sweeps = 5000;
  CpsError error;
  if (cps_world_invert(world, &options, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsVec3 natural[16];
  assert_int_equal(cps_world_fibre_natural(world, cps_world_fibre(world, 0), natural, NULL), CPS_OK);
  double most = 0.0, bend = 0.0;
  for (int i = 0; i < 16; ++i) {
    CpsFibrePoint p;
    cps_world_fibre_at(world, cps_world_fibre(world, 0), 0.3 * (i + 0.5) / 16, &p);
    most = fmax(most, hypot(natural[i].y, natural[i].z));
    bend = fmax(bend, hypot(p.curvature.y, p.curvature.z));
  }
  run_to(world, 8.002);
  assert_int_equal(cps_world_contact_count(world), count);
  for (int32_t i = 0; i < count; ++i) {
    const double now = cps_world_contact(world, i).impulse[0] / cps_world_last_step(world);
    print_message("peg %d: %.6f mN simulated, %.6f mN found\n", (int)i, 1e3 * force[i], 1e3 * now);
    assert_near(now, force[i], 0.01 * force[i] + 1e-9);
  }
  print_message("natural curvature %.1e of the bend\n", most / bend);
  assert_true(most < 1e-2 * bend);
  cps_world_destroy(world);
}

// Still until the head turns. Trimmed once its natural shape is known, hair springs up.
static void a_wig_hangs_as_it_was_combed(void** state) {
  (void)state;
  enum { MOST = 40 };
  Overrides o = {0};
  override(&o, "count=%d", SHORTER ? 10 : MOST);
  CpsWorld* world = open_scene("wig.yaml", &o);
  const int32_t count = cps_world_fibre_count(world);
  static CpsVec3 combed[MOST][PLACES];
  CpsVec3 now[PLACES];
  for (int32_t i = 0; i < count; ++i) look(world, i, combed[i]);
  run_to(world, SHORTER ? 0.1 : 0.5);
  for (int32_t i = 0; i < count; ++i) {
    look(world, i, now);
    assert_true(farthest(combed[i], now) < 1e-10);
  }
  cps_world_destroy(world);
  override(&o, "trim=10cm");
  world = open_scene("wig.yaml", &o);
  double rise = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    CpsFibreInfo info;
    assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, i), &info), CPS_OK);
    assert_near(info.length, 0.1, 1e-12);
    look(world, i, combed[i]);
  }
  run_to(world, SHORTER ? 0.1 : 0.4);
  for (int32_t i = 0; i < count; ++i) {
    look(world, i, now);
    rise += (now[PLACES - 1].z - combed[i][PLACES - 1].z) / count;
  }
  print_message("trimmed to 10 cm, strands rise by %.2f mm\n", 1e3 * rise);
  assert_true(rise > (SHORTER ? 1e-5 : 1e-3));
  cps_world_destroy(world);
}

// A scene that would call a falling shape still is refused, and says what would hold it.
static void what_would_fall_is_refused(void** state) {
  (void)state;
  const char* set = "inverse.unstable=refuse";
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  assert_int_equal(cps_scene_load(SOURCE_DIR "/scenes/upright.yaml", &set, 1, &scene, &error), CPS_OK);
  assert_int_equal(cps_scene_build(scene, 0, &world, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "falls"));
  assert_non_null(strstr(error.text, "1.1 times stiffer"));
  cps_scene_destroy(scene);
  const char* stiffen[] = {"inverse.unstable=refuse", "inverse.stiffen=true"};
  assert_int_equal(cps_scene_load(SOURCE_DIR "/scenes/upright.yaml", stiffen, 2, &scene, &error), CPS_OK);
  assert_int_equal(cps_scene_build(scene, 0, &world, &error), CPS_OK);
  CpsFibreInfo info;
  assert_int_equal(cps_world_fibre_info(world, cps_world_fibre(world, 1), &info), CPS_OK);
  assert_near(info.stiffened, 1.21, 1e-3);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tail_stays_as_it_was_drawn),      cmocka_unit_test(one_rod_stands_and_the_other_falls),
      cmocka_unit_test(the_willow_hangs_as_it_was_drawn),    cmocka_unit_test(a_peg_props_a_level_rod),
      cmocka_unit_test(contacts_explain_the_bend_over_pegs), cmocka_unit_test(a_wig_hangs_as_it_was_combed),
      cmocka_unit_test(what_would_fall_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
