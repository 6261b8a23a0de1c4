// Bodies on triangle meshes: the exact distance, and no bumps at edges that are none.
#include <stdlib.h>
#include <string.h>

#include "geometry/bvh.h"
#include "geometry/segment.h"
#include "geometry/surface_helpers.h"

typedef struct Mesh {
  CpsVec3* points;
  int32_t* triangles;
  int32_t point_count, triangle_count;
} Mesh;

// A grid of n x n squares of width 1 / n over [0, 1]^2, with diagonals in both directions, lifted to a height.
static Mesh grid_mesh(int n, double (*lift)(double, double)) {
  Mesh mesh = {.point_count = (n + 1) * (n + 1), .triangle_count = 2 * n * n};
  mesh.points = calloc((size_t)mesh.point_count, sizeof *mesh.points);
  mesh.triangles = calloc(3 * (size_t)mesh.triangle_count, sizeof *mesh.triangles);
  for (int j = 0; j <= n; j++) {
    for (int i = 0; i <= n; i++) {
      const double x = (double)i / n, y = (double)j / n;
      mesh.points[j * (n + 1) + i] = cps_vec3(x, y, lift(x, y));
    }
  }
  int32_t* t = mesh.triangles;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++, t += 6) {
      const int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
      const int32_t even[6] = {a, b, c, a, c, d}, odd[6] = {a, b, d, b, c, d};
      memcpy(t, (i + j) % 2 ? odd : even, sizeof even);
    }
  }
  return mesh;
}

static CpsGeom* mesh_geom(const Mesh* mesh) {
  return make_geom(cps_mesh(mesh->points, mesh->point_count, mesh->triangles, mesh->triangle_count));
}

static void free_mesh(Mesh* mesh) {
  free(mesh->points);
  free(mesh->triangles);
}

static double flat(double x, double y) {
  return 0.0 * (x + y);
}
static double hills(double x, double y) {
  return 0.15 * sin(7.0 * x + 1.0) * cos(5.0 * y);
}
static double ridge(double x, double y) {
  return 0.0 * y - fabs(x - 0.5);
}
static double valley(double x, double y) {
  return -ridge(x, y);
}

// A cube of edge 1 about the origin, normals outwards.
static Mesh cube_mesh(void) {
  static const int32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  Mesh mesh = {.point_count = 8, .triangle_count = 12};
  mesh.points = calloc(8, sizeof *mesh.points);
  mesh.triangles = calloc(36, sizeof *mesh.triangles);
  for (int k = 0; k < 8; k++) {
    mesh.points[k] = cps_vec3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
  }
  memcpy(mesh.triangles, faces, sizeof faces);
  return mesh;
}

static void every_shape_sliding_on_a_flat_floor_sees_only_its_normal(void** state) {
  (void)state;
  Mesh mesh = grid_mesh(8, flat);
  CpsGeom* floor = mesh_geom(&mesh);
  CpsGeom* shapes[] = {make_geom(cps_sphere(0.1)), make_geom(cps_capsule(0.05, 0.2)),
                       make_geom(cps_box(cps_vec3(0.2, 0.2, 0.2))), make_geom(cps_cylinder(0.1, 0.2))};
  const int expected[] = {1, 2, 4, 8};
  const double heights[] = {0.1, 0.05, 0.1, 0.1};
  for (int step = 0; step <= 700; step++) {
    for (int k = 0; k < 4; k++) {
      // sunk in by a little more than a step would allow; a slanted line that meets edges and vertices
      CpsPose pose = pose_at(0.15 + 0.001 * step, 0.2 + 0.0008 * step, heights[k] - 1e-4);
      pose = turned(pose, k == 1 ? pi / 2 : 0.3 + 0.001 * step, k == 1 ? 0.6 : 0, k == 1 ? 0.8 : 0, k == 1 ? 0 : 1);
      CpsTouch touch[CPS_TOUCH_MAX];
      assert_int_equal(touch_pair(shapes[k], pose, floor, pose_at(0, 0, 0), 1e-3, touch), expected[k]);
      for (int i = 0; i < expected[k]; i++) {
        assert_vec_near(touch[i].normal, 0, 0, 1, 0.0);
        assert_near(touch[i].gap, -1e-4, 1e-15);
      }
    }
  }
  cps_geom_destroy(floor);
  for (int k = 0; k < 4; k++) cps_geom_destroy(shapes[k]);
  free_mesh(&mesh);
}

// The nearest point of a triangle by its definition: the plane if the foot is inside, otherwise the nearest side.
static double triangle_distance(CpsVec3 x, CpsVec3 a, CpsVec3 b, CpsVec3 c) {
  const CpsVec3 n = cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(b, a), cps_vec3_sub(c, a)));
  const CpsVec3 corner[3] = {a, b, c};
  bool inside = true;
  double nearest = INFINITY;
  for (int k = 0; k < 3; k++) {
    const CpsVec3 p = corner[k], e = cps_vec3_sub(corner[(k + 1) % 3], p);
    inside = inside && cps_vec3_dot(cps_vec3_cross(n, e), cps_vec3_sub(x, p)) >= 0.0;
    const double t = cps_segment_closest(p, e, x);
    nearest = fmin(nearest, cps_vec3_norm(cps_vec3_sub(x, cps_vec3_axpy(p, t, e))));
  }
  return inside ? fabs(cps_vec3_dot(n, cps_vec3_sub(x, a))) : nearest;
}

static double mesh_distance(const Mesh* mesh, CpsVec3 x) {
  double nearest = INFINITY;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t* v = mesh->triangles + 3 * t;
    nearest = fmin(nearest, triangle_distance(x, mesh->points[v[0]], mesh->points[v[1]], mesh->points[v[2]]));
  }
  return nearest;
}

static void ball_over_hills_is_as_far_as_the_nearest_of_all_triangles(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(5);
  Mesh mesh = grid_mesh(12, hills), cube = cube_mesh();
  CpsGeom *ground = mesh_geom(&mesh), *block = mesh_geom(&cube), *ball = make_geom(cps_sphere(0.05));
  int seen = 0;
  for (int i = 0; i < 2000; i++) {
    CpsTouch touch[CPS_TOUCH_MAX];
    // inside the border: beyond it the nearest point may belong to the back
    const double x = 0.2 + 0.6 * cps_random_uniform(&random), y = 0.2 + 0.6 * cps_random_uniform(&random);
    const CpsVec3 at = cps_vec3(x, y, hills(x, y) + 0.02 + 0.1 * cps_random_uniform(&random));
    int count = touch_pair(ball, (CpsPose){at, cps_quat_identity()}, ground, pose_at(0, 0, 0), 0.2, touch);
    assert_true(count > 0);
    assert_near(least_gap(touch, count), mesh_distance(&mesh, at) - 0.05, 1e-14);
    // all around a cube, outside
    const CpsVec3 out = random_vec(&random, 0.9);
    if (fmax(fabs(out.x), fmax(fabs(out.y), fabs(out.z))) <= 0.5) continue;
    count = touch_pair(ball, (CpsPose){out, cps_quat_identity()}, block, pose_at(0, 0, 0), 0.8, touch);
    assert_int_equal(count, 1);  // a convex body is touched in one point
    assert_near(touch[0].gap, mesh_distance(&cube, out) - 0.05, 1e-14);
    seen++;
  }
  assert_true(seen > 1000);
  cps_geom_destroy(ground);
  cps_geom_destroy(block);
  cps_geom_destroy(ball);
  free_mesh(&mesh);
  free_mesh(&cube);
}

static void ball_turns_over_a_ridge_and_leans_on_both_sides_of_a_valley(void** state) {
  (void)state;
  Mesh roof = grid_mesh(2, ridge), gutter = grid_mesh(2, valley);
  CpsGeom *up = mesh_geom(&roof), *down = mesh_geom(&gutter), *ball = make_geom(cps_sphere(0.1));
  CpsTouch touch[CPS_TOUCH_MAX];
  for (int i = -40; i <= 40; i++) {
    // at angle phi about the ridge, 45 degrees being its end on either side
    const double phi = 0.018 * i;
    const CpsPose pose = pose_at(0.5 + 0.1 * sin(phi), 0.3, 0.1 * cos(phi));
    assert_int_equal(touch_pair(ball, pose, up, pose_at(0, 0, 0), 1e-3, touch), 1);
    assert_near(touch[0].gap, 0.0, 1e-15);
    assert_vec_near(touch[0].normal, sin(phi), 0, cos(phi), 1e-14);
  }
  assert_int_equal(touch_pair(ball, pose_at(0.5, 0.3, 0.1 * sqrt(2.0)), down, pose_at(0, 0, 0), 1e-3, touch), 2);
  for (int k = 0; k < 2; k++) {
    assert_near(touch[k].gap, 0.0, 1e-15);
    assert_near(fabs(touch[k].normal.x), sqrt(0.5), 1e-15);
  }
  // a box with its edge in the valley would fit exactly: sunk in, its two lowest corners feel both walls
  CpsGeom* box = make_geom(cps_box(cps_vec3(0.1, 0.4, 0.1)));
  const CpsPose in = turned(pose_at(0.5, 0.5, 0.05 * sqrt(2.0) - 1e-3), pi / 4, 0, 1, 0);
  const int count = touch_pair(box, in, down, pose_at(0, 0, 0), 1e-3, touch);
  int left = 0, right = 0;
  for (int k = 0; k < count; k++) {
    left += touch[k].normal.x > 0.0;
    right += touch[k].normal.x < 0.0;
    assert_near(touch[k].gap, -1e-3 * sqrt(0.5), 1e-14);
  }
  assert_int_equal(left, 4);  // the lowest two corners and those up the wall
  assert_int_equal(right, 4);
  cps_geom_destroy(up);
  cps_geom_destroy(down);
  cps_geom_destroy(ball);
  cps_geom_destroy(box);
  free_mesh(&roof);
  free_mesh(&gutter);
}

static void ball_never_loses_touch_on_a_floor_that_is_almost_flat(void** state) {
  (void)state;
  // folded by angles down to rounding: over an edge the feet on both triangles may miss them
  CpsGeom* ball = make_geom(cps_sphere(0.1));
  for (double angle = 1e-3; angle > 1e-17; angle *= 0.1) {
    for (int side = -1; side <= 1; side += 2) {
      const CpsVec3 points[4] = {{-1, 0, -side * angle}, {0, -1, 0}, {0, 1, 0}, {1, 0, -side * angle}};
      const int32_t triangles[6] = {0, 1, 2, 2, 1, 3};
      CpsGeom* floor = make_geom(cps_mesh(points, 4, triangles, 2));
      for (int i = -50; i <= 50; i++) {
        CpsTouch touch[CPS_TOUCH_MAX];
        const int count = touch_pair(ball, pose_at(0.004 * angle * i, 0.1, 0.1), floor, pose_at(0, 0, 0), 1e-3, touch);
        assert_in_range(count, 1, 2);
        assert_near(least_gap(touch, count), 0.0, angle * angle + 1e-15);
        for (int k = 0; k < count; k++) assert_near(touch[k].normal.z, 1.0, angle * angle + 1e-15);
      }
      cps_geom_destroy(floor);
    }
  }
  cps_geom_destroy(ball);
}

static void box_rests_on_a_cube_with_upright_normals_wherever_it_lies(void** state) {
  (void)state;
  Mesh cube = cube_mesh();
  CpsGeom *block = mesh_geom(&cube), *box = make_geom(cps_box(cps_vec3(0.8, 0.8, 0.8)));
  CpsRandom random = cps_random_seed(2);
  for (int i = 0; i < 200; i++) {
    CpsPose pose = pose_at(cps_random_uniform(&random) - 0.5, cps_random_uniform(&random) - 0.5, 0.9 - 1e-5);
    pose = turned(pose, cps_random_uniform(&random) * 6.0, 0, 0, 1);
    CpsTouch touch[CPS_TOUCH_MAX];
    const int count = touch_pair(box, pose, block, pose_at(0, 0, 0), 1e-4, touch);
    // the common part of two squares has 3 to 8 corners, some of which two features may see
    assert_in_range(count, 3, 12);
    double low_x = INFINITY, high_x = -INFINITY;
    for (int k = 0; k < count; k++) {
      assert_vec_near(touch[k].normal, 0, 0, 1, 1e-14);
      assert_near(touch[k].gap, -1e-5, 1e-14);
      low_x = fmin(low_x, touch[k].point_b.x);
      high_x = fmax(high_x, touch[k].point_b.x);
    }
    assert_true(high_x - low_x > 0.1);
  }
  cps_geom_destroy(block);
  cps_geom_destroy(box);
  free_mesh(&cube);
}

static void bodies_are_as_far_from_a_mesh_cube_as_from_a_solid_one(void** state) {
  (void)state;
  // separated: the gap to the surface of a cube is the distance to the cube, which the general convex solver knows
  Mesh cube = cube_mesh();
  CpsGeom *block = mesh_geom(&cube), *solid = make_geom(cps_box(cps_vec3(1, 1, 1)));
  CpsGeom* shapes[] = {make_geom(cps_box(cps_vec3(0.5, 0.3, 0.4))), make_geom(cps_capsule(0.1, 0.5)),
                       make_geom(cps_cylinder(0.2, 0.5))};
  CpsRandom random = cps_random_seed(9);
  int compared = 0;
  for (int i = 0; i < 3000; i++) {
    const CpsPose pose = random_pose(&random, 1.0);
    for (int k = 0; k < 3; k++) {
      CpsTouch touch[CPS_TOUCH_MAX], exact[CPS_TOUCH_MAX];
      const int known = touch_pair(shapes[k], pose, solid, pose_at(0, 0, 0), 0.3, exact);
      if (known == 0 || least_gap(exact, known) < 1e-3) continue;
      const int count = touch_pair(shapes[k], pose, block, pose_at(0, 0, 0), 0.3, touch);
      compared++;
      assert_true(count > 0);
      assert_near(least_gap(touch, count), least_gap(exact, known), 1e-9);  // accuracy of the general solver
      // pushed in by 1e-4 along the normal it is seen to be in, and no feature claims much more than that
      int nearest = 0;
      for (int n = 1; n < known; n++) nearest = exact[n].gap < exact[nearest].gap ? n : nearest;
      CpsPose in = pose;
      in.position = cps_vec3_axpy(pose.position, -exact[nearest].gap - 1e-4, exact[nearest].normal);
      const int sunk = touch_pair(shapes[k], in, block, pose_at(0, 0, 0), 1e-5, touch);
      assert_true(sunk > 0);
      // a corner within 4e-4 + 1e-3 inner radii + margin of a second face of the cube may see both (mesh_collide.c)
      assert_below(-least_gap(touch, sunk), 4e-4 + 1e-3 * 0.25 + 1e-5);
      assert_below(least_gap(touch, sunk), -1e-6);
    }
  }
  assert_true(compared > 1000);
  cps_geom_destroy(block);
  cps_geom_destroy(solid);
  for (int k = 0; k < 3; k++) cps_geom_destroy(shapes[k]);
  free_mesh(&cube);
}

static void nothing_is_touched_from_behind(void** state) {
  (void)state;
  Mesh mesh = grid_mesh(4, flat);
  CpsGeom *sheet = mesh_geom(&mesh), *ball = make_geom(cps_sphere(0.1));
  CpsTouch touch[CPS_TOUCH_MAX];
  assert_int_equal(touch_pair(ball, pose_at(0.5, 0.5, -0.05), sheet, pose_at(0, 0, 0), 1e-3, touch), 0);
  assert_int_equal(touch_pair(ball, pose_at(0.5, 0.5, 0.05), sheet, pose_at(0, 0, 0), 1e-3, touch), 1);
  assert_near(touch[0].gap, -0.05, 1e-15);
  cps_geom_destroy(sheet);
  cps_geom_destroy(ball);
  free_mesh(&mesh);
}

static void touches_move_with_mesh_and_body(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(4);
  Mesh mesh = grid_mesh(6, hills);
  CpsGeom* ground = mesh_geom(&mesh);
  CpsGeom* shapes[] = {make_geom(cps_sphere(0.2)), make_geom(cps_capsule(0.1, 0.3)),
                       make_geom(cps_box(cps_vec3(0.3, 0.2, 0.4)))};
  for (int i = 0; i < 60; i++) {
    const CpsPose by = random_pose(&random, 3.0);
    CpsPose pose = random_pose(&random, 0.2);
    pose.position = cps_vec3_add(pose.position, cps_vec3(0.5, 0.5, 0.2));
    for (int k = 0; k < 3; k++) assert_moves_along(shapes[k], pose, ground, pose_at(0, 0, 0), 0.05, by, 1e-12);
  }
  cps_geom_destroy(ground);
  for (int k = 0; k < 3; k++) cps_geom_destroy(shapes[k]);
  free_mesh(&mesh);
}

static void bvh_finds_what_a_plain_search_finds(void** state) {
  (void)state;
  enum { COUNT = 500 };
  CpsRandom random = cps_random_seed(8);
  CpsAabb boxes[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const CpsVec3 p = random_vec(&random, 1.0), size = random_vec(&random, 0.1);
    boxes[i] = (CpsAabb){p, cps_vec3_add(p, cps_vec3(fabs(size.x), fabs(size.y), fabs(size.z)))};
    if (i % 7 == 0) boxes[i] = boxes[i / 2];  // equal ones cannot be split
  }
  CpsBvh bvh;
  assert_true(cps_bvh_build(&bvh, boxes, COUNT));
  for (int i = 0; i < 100; i++) {
    bool found[COUNT] = {false};
    const CpsAabb box = boxes[5 * i];
    CpsBvhWalk walk = cps_bvh_walk(&bvh, &box);
    for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
      for (int32_t k = 0; k < leaf->count; k++) {
        assert_false(found[bvh.order[leaf->first + k]]);
        found[bvh.order[leaf->first + k]] = true;
      }
    }
    for (int k = 0; k < COUNT; k++) assert_true(found[k] || !cps_aabb_overlap(&box, &boxes[k]));
  }
  cps_bvh_free(&bvh);
}

static void any_heap_of_triangles_gives_sound_touches(void** state) {
  (void)state;
  // few places for many corners: needles, doubles, back to back, three on an edge, both ways round
  CpsRandom random = cps_random_seed(13);
  CpsGeom* shapes[] = {make_geom(cps_sphere(0.3)), make_geom(cps_capsule(0.2, 0.6)),
                       make_geom(cps_box(cps_vec3(0.5, 0.4, 0.3))), make_geom(cps_cylinder(0.3, 0.4))};
  int touched = 0;
  for (int i = 0; i < 60; i++) {
    CpsVec3 points[30];
    int32_t triangles[180];
    for (int k = 0; k < 30; k++) {
      const CpsVec3 p = random_vec(&random, 2.0);
      points[k] = k % 3 ? cps_vec3(round(p.x), round(p.y), round(p.z)) : p;
    }
    for (int k = 0; k < 180; k++) triangles[k] = (int32_t)(cps_random_u32(&random) % 30);
    CpsShape shape = cps_mesh(points, 30, triangles, 60);
    CpsGeom* soup = make_geom(shape);
    for (int n = 0; n < 20; n++) {
      const CpsPose pose = random_pose(&random, 1.5), place = random_pose(&random, 1.0);
      CpsTouch touch[CPS_TOUCH_MAX];
      for (int k = 0; k < 4; k++) touched += touch_pair(shapes[k], pose, soup, place, 0.1, touch) > 0;
    }
    cps_geom_destroy(soup);
  }
  assert_true(touched > 1000);
  for (int k = 0; k < 4; k++) cps_geom_destroy(shapes[k]);
}

// Reads the v and f lines of an OBJ file; faces of four corners become two triangles.
static bool read_obj(const char* path, Mesh* mesh) {
  FILE* file = fopen(path, "r");
  if (file == NULL) return false;
  enum { MOST = 20000 };
  mesh->points = calloc(MOST, sizeof *mesh->points);
  mesh->triangles = calloc(6 * MOST, sizeof *mesh->triangles);
  char line[256];
  while (fgets(line, sizeof line, file) != NULL) {
    CpsVec3 p;
    if (sscanf(line, "v %lf %lf %lf", &p.x, &p.y, &p.z) == 3) {
      assert_true(mesh->point_count < MOST);
      mesh->points[mesh->point_count++] = p;
    } else if (line[0] == 'f') {
      int32_t corner[4];
      int corners = 0;
      for (char* word = strtok(line + 1, " \r\n"); word != NULL && corners < 4; word = strtok(NULL, " \r\n")) {
        corner[corners++] = (int32_t)strtol(word, NULL, 10) - 1;
      }
      for (int k = 2; k < corners; k++) {
        assert_true(mesh->triangle_count < 2 * MOST);
        int32_t* t = mesh->triangles + 3 * mesh->triangle_count++;
        t[0] = corner[0];
        t[1] = corner[k - 1];
        t[2] = corner[k];
      }
    }
  }
  (void)fclose(file);
  return true;
}

static void ball_on_a_cow_is_as_far_as_the_nearest_of_all_triangles(void** state) {
  (void)state;
  Mesh mesh = {0};
  if (!read_obj(SHARED_DATA "/mesh/spot.obj", &mesh)) {
    print_message("skipped: %s is not there\n", SHARED_DATA "/mesh/spot.obj");
    skip();
  }
  CpsGeom *cow = mesh_geom(&mesh), *ball = make_geom(cps_sphere(0.02));
  CpsRandom random = cps_random_seed(12);
  int compared = 0;
  for (int i = 0; i < 300; i++) {
    // from a vertex outwards, at random
    const CpsVec3 at =
        cps_vec3_add(mesh.points[cps_random_u32(&random) % (uint32_t)mesh.point_count], random_vec(&random, 0.05));
    CpsTouch touch[CPS_TOUCH_MAX];
    const int count = touch_pair(ball, (CpsPose){at, cps_quat_identity()}, cow, pose_at(0, 0, 0), 0.1, touch);
    if (count == 0) continue;  // inside
    // inside the cow a touch of a far wall may be seen, outside it is the distance; never is it nearer than that
    const double distance = mesh_distance(&mesh, at) - 0.02;
    assert_true(least_gap(touch, count) >= distance - 1e-13);
    compared += fabs(least_gap(touch, count) - distance) < 1e-13;
  }
  assert_true(compared > 100);
  cps_geom_destroy(cow);
  cps_geom_destroy(ball);
  free_mesh(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_sliding_on_a_flat_floor_sees_only_its_normal),
      cmocka_unit_test(ball_over_hills_is_as_far_as_the_nearest_of_all_triangles),
      cmocka_unit_test(ball_turns_over_a_ridge_and_leans_on_both_sides_of_a_valley),
      cmocka_unit_test(ball_never_loses_touch_on_a_floor_that_is_almost_flat),
      cmocka_unit_test(box_rests_on_a_cube_with_upright_normals_wherever_it_lies),
      cmocka_unit_test(bodies_are_as_far_from_a_mesh_cube_as_from_a_solid_one),
      cmocka_unit_test(nothing_is_touched_from_behind),
      cmocka_unit_test(touches_move_with_mesh_and_body),
      cmocka_unit_test(bvh_finds_what_a_plain_search_finds),
      cmocka_unit_test(any_heap_of_triangles_gives_sound_touches),
      cmocka_unit_test(ball_on_a_cow_is_as_far_as_the_nearest_of_all_triangles),
  };
  return cmocka_run_group_tests_name("geometry/mesh", tests, NULL, NULL);
}
