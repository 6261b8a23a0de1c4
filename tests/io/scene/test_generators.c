// Generators make what they promise: the right number of bodies, none overlapping, masonry face to face.
#include "io/scene/texts.h"

#define PI 3.14159265358979323846

static double distance(CpsPose a, CpsPose b) {
  return cps_vec3_norm(cps_vec3_sub(a.position, b.position));
}

static const CpsShape* shape_of(const CpsSceneGroup* group, int32_t i) {
  return &group->shapes[group->shape ? group->shape[i] : 0];
}

static void a_grid_stands_on_its_position(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "bodies: {t: {sphere: {radius: 1}, position: [10, 0, 5], grid: {count: [2, 3, 4], spacing: [2, 3, 4]}}}\n", NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 24);
  CpsVec3 first = group->pose[0].position, last = group->pose[23].position;
  assert_true(first.x == 9.0 && first.y == -3.0 && first.z == 5.0);
  assert_true(last.x == 11.0 && last.y == 3.0 && last.z == 17.0);
  assert_string_equal(cps_scene_body_name(scene, 23), "t[23]");
  assert_string_equal(cps_scene_body_name(scene, 24), "");
  cps_scene_destroy(scene);
}

static void jitter_is_bounded_and_repeats_with_its_seed(void** state) {
  (void)state;
  static const char TEXT[] =
      "bodies: {t: {sphere: {radius: 1}, grid: {count: [10, 10, 10], spacing: 2, jitter: 1 cm, seed: 7}}}\n";
  CpsScene *a = read_scene(TEXT, NULL), *b = read_scene(TEXT, NULL), *c = read_scene(TEXT, "bodies.t.grid.seed=8"),
           *plain = read_scene(TEXT, "bodies.t.grid.jitter=0");
  const CpsPose *pa = a->groups[0].pose, *pb = b->groups[0].pose, *pc = c->groups[0].pose, *p = plain->groups[0].pose;
  double largest = 0.0;
  bool differ = false;
  for (int i = 0; i < 1000; ++i) {
    assert_memory_equal(&pa[i], &pb[i], sizeof pa[i]);
    differ = differ || pa[i].position.x != pc[i].position.x;
    CpsVec3 d = cps_vec3_sub(pa[i].position, p[i].position);
    largest = fmax(largest, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
  }
  assert_true(differ);
  assert_true(largest > 0.0099 && largest <= 0.01 + 1e-14);  // 3000 uniform numbers come near to the bound
  cps_scene_destroy(a);
  cps_scene_destroy(b);
  cps_scene_destroy(c);
  cps_scene_destroy(plain);
}

static void a_pack_has_no_overlaps_and_stays_in_its_box(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "bodies: {p: {position: [0, 0, 3], pack: {count: 800, box: [1, 2, 1], radius: [2 cm, 6 cm], gap: 1 mm}}}\n",
      NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 800);
  double smallest = INFINITY, largest = 0.0;
  for (int32_t i = 0; i < group->count; ++i) {
    double r = shape_of(group, i)->radius;
    CpsVec3 x = group->pose[i].position;
    assert_true(fabs(x.x) + r <= 0.5 + 1e-12 && fabs(x.y) + r <= 1.0 + 1e-12);
    assert_true(x.z - r >= 3.0 - 1e-12 && x.z + r <= 4.0 + 1e-12);
    for (int32_t j = 0; j < i; ++j) {
      double gap = distance(group->pose[i], group->pose[j]) - r - shape_of(group, j)->radius;
      smallest = fmin(smallest, gap);
    }
    largest = fmax(largest, r);
  }
  assert_true(smallest >= 1e-3 - 1e-12);
  assert_true(largest > 0.059 && largest <= 0.06);
  cps_scene_destroy(scene);
}

static void a_pack_of_other_shapes_keeps_their_spheres_apart(void** state) {
  (void)state;
  CpsScene* scene = read_scene("bodies: {p: {box: {size: [1, 2, 2]}, pack: {count: 50, box: [20, 20, 20]}}}\n", NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 50);
  for (int32_t i = 0; i < 50; ++i) {
    for (int32_t j = 0; j < i; ++j)
      assert_true(distance(group->pose[i], group->pose[j]) >= 3.0);  // twice the half diagonal
  }
  cps_scene_destroy(scene);
}

static void a_pile_mixes_shapes_that_do_not_overlap(void** state) {
  (void)state;
  CpsScene* scene = read_scene("bodies: {p: {pile: {count: 400, column: [0.8, 0.6], size: 10 cm}}}\n", NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 400);
  int of_kind[10] = {0};
  for (int32_t i = 0; i < group->count; ++i) {
    const CpsShape* shape = shape_of(group, i);
    of_kind[shape->kind]++;
    double reach = cps_shape_reach(shape);
    CpsVec3 x = group->pose[i].position;
    assert_true(fabs(x.x) + reach <= 0.4 + 1e-12 && fabs(x.y) + reach <= 0.3 + 1e-12 && x.z >= reach);
    assert_near(cps_quat_norm(group->pose[i].rotation), 1.0, 1e-15);
    for (int32_t j = 0; j < i; ++j) {
      assert_true(distance(group->pose[i], group->pose[j]) >= reach + cps_shape_reach(shape_of(group, j)));
    }
  }
  for (int kind = CPS_SHAPE_SPHERE; kind <= CPS_SHAPE_CYLINDER; ++kind) assert_true(of_kind[kind] > 60);  // of 100
  cps_scene_destroy(scene);
}

static void a_wall_is_in_running_bond(void** state) {
  (void)state;
  CpsScene* scene =
      read_scene("bodies: {w: {wall: {columns: 5, rows: 4, brick: [0.2, 0.1, 0.06], gap: 2 mm}}}\n", NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 5 + 6 + 5 + 6);
  int32_t at = 0;
  for (int row = 0; row < 4; ++row) {
    int32_t count = row % 2 ? 6 : 5;
    double end = -INFINITY;
    for (int32_t i = at; i < at + count; ++i) {
      CpsVec3 x = group->pose[i].position, size = shape_of(group, i)->size;
      assert_near(x.z, 0.06 * row + 0.03, 1e-15);
      if (i > at) assert_near(x.x - 0.5 * size.x - end, 0.002, 1e-15);
      // both kinds of rows begin and end at the same place
      if (i == at) assert_near(x.x - 0.5 * size.x, -0.504, 1e-15);
      end = x.x + 0.5 * size.x;
    }
    assert_near(end, 0.504, 1e-15);
    at += count;
  }
  cps_scene_destroy(scene);
  scene = read_scene("bodies: {w: {wall: {columns: 5, rows: 4, brick: [2, 1, 1], halves: false}}}\n", NULL);
  assert_int_equal(only_group(scene)->count, 5 + 4 + 5 + 4);
  cps_scene_destroy(scene);
}

static CpsVec3 world_point(const CpsSceneGroup* group, int32_t stone, int32_t point) {
  return cps_pose_apply(group->pose[stone], shape_of(group, stone)->points[point]);
}

static void stones_of_an_arch_meet_face_to_face(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "bodies: {a: {position: [1, 2, 3], rotation: {axis: [0, 0, 1], angle: 30 deg},\n"
      "             arch: {stones: 15, radius: 2, thickness: 30 cm, depth: 50 cm, angle: 160 deg, springers: 0.5}}}\n",
      NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 15);
  for (int32_t i = 0; i + 1 < 15; ++i) {
    for (int32_t k = 0; k < 8; k += 2) {  // even corners lie on a stone's first joint, odd ones on its second
      CpsVec3 gap = cps_vec3_sub(world_point(group, i, k + 1), world_point(group, i + 1, k));
      assert_below(cps_vec3_norm(gap), 1e-14);
    }
  }
  // all stones are the same: volume of a prism over a trapezoid
  double half = 0.5 * 160.0 / 15.0 * PI / 180.0, volume = sin(half) * cos(half) * (2.3 * 2.3 - 4.0) * 0.5;
  for (int32_t i = 0; i < 15; ++i) {
    CpsMassProperties mass;
    assert_int_equal(cps_shape_mass(shape_of(group, i), 1.0, &mass, NULL), CPS_OK);
    assert_near(mass.volume, volume, 1e-14);
  }
  // the springers carry the feet
  assert_int_equal(cps_scene_info(scene).obstacles, 2);
  assert_string_equal(cps_scene_obstacle_name(scene, 0), "a.right");
  const CpsObstacleDef *right = &scene->obstacles[0].def, *left = &scene->obstacles[1].def;
  for (int32_t k = 0; k < 8; k += 2) {
    CpsVec3 r = cps_pose_apply(right->pose, right->shape.points[k]),
            l = cps_pose_apply(left->pose, left->shape.points[k]);
    assert_below(cps_vec3_norm(cps_vec3_sub(r, world_point(group, 0, k))), 1e-14);
    assert_below(cps_vec3_norm(cps_vec3_sub(l, world_point(group, 14, k + 1))), 1e-14);
  }
  cps_scene_destroy(scene);
}

static void copies_are_placed_in_the_axes_of_their_entry(void** state) {
  (void)state;
  CpsScene* scene = read_scene(
      "obstacles: {ramp: {plane: , position: [0, 0, 1], rotation: {axis: [0, 1, 0], angle: 90 deg}}}\n"
      "bodies: {c: {sphere: {radius: 1}, frame: ramp, position: [0, 0, 2], velocity: [1, 0, 0],\n"
      "             copies: [{position: [1, 0, 0]}, {rotation: {euler: [0, 0, 90 deg]}}]}}\n",
      NULL);
  const CpsSceneGroup* group = only_group(scene);
  assert_int_equal(group->count, 2);
  // a quarter turn about y takes x to -z and z to x
  CpsVec3 a = group->pose[0].position, b = group->pose[1].position;
  assert_below(cps_vec3_norm(cps_vec3_sub(a, cps_vec3(2.0, 0.0, 0.0))), 1e-15);
  assert_below(cps_vec3_norm(cps_vec3_sub(b, cps_vec3(2.0, 0.0, 1.0))), 1e-15);
  assert_below(cps_vec3_norm(cps_vec3_sub(group->def.velocity, cps_vec3(0.0, 0.0, -1.0))), 1e-15);
  cps_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grid_stands_on_its_position),
      cmocka_unit_test(jitter_is_bounded_and_repeats_with_its_seed),
      cmocka_unit_test(a_pack_has_no_overlaps_and_stays_in_its_box),
      cmocka_unit_test(a_pack_of_other_shapes_keeps_their_spheres_apart),
      cmocka_unit_test(a_pile_mixes_shapes_that_do_not_overlap),
      cmocka_unit_test(a_wall_is_in_running_bond),
      cmocka_unit_test(stones_of_an_arch_meet_face_to_face),
      cmocka_unit_test(copies_are_placed_in_the_axes_of_their_entry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
