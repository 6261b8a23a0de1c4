// Obstacles and bodies that are raw points with normals (scenes/point-cloud.yaml): sleds slide on them as on the exact shapes.
#include "capstan/mesh.h"
#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double G = 9.81;

// g (sin - mu cos) on both sides of the tangent of the slope; beside it the same on a box.
static void a_sled_slides_on_points_as_on_a_plane(void** state) {
  (void)state;
  const double slope = 10.0 * acos(-1.0) / 180.0, mus[3] = {0.1, 0.176, 0.177};
  for (int k = 0; k < 3; ++k) {
    Overrides o = {0};
    override(&o, "mu=%g", mus[k]);
    CpsWorld* world = open_scene("point-cloud.yaml", &o);
    Run run = run_until(world, 0.3);
    const double v = 0.3 * G * fmax(0.0, sin(slope) - mus[k] * cos(slope));
    assert_near(speed(body(world, 0).velocity), v, 1e-7);
    assert_near(speed(body(world, 1).velocity), v, 1e-7);
    assert_int_equal(run.unsolved + run.crossings, 0);
    cps_world_destroy(world);
  }
}

// The surface of the points is that of a slightly larger ball (docs/theory/smooth-surfaces.md): the same speed, and the same place
// at which the sled leaves it, up to that.
static void a_sled_slides_off_points_as_off_a_sphere(void** state) {
  (void)state;
  CpsWorld* world = open_scene("point-cloud.yaml", NULL);
  Run run = run_until(world, 0.25);
  const CpsBodyState points = body(world, 2), sphere = body(world, 3);
  print_message("on points %.4f m/s at (%.4f, %.4f) m, on the sphere %.4f m/s at (%.4f, %.4f) m\n",
                speed(points.velocity), points.pose.position.x, points.pose.position.z, speed(sphere.velocity),
                sphere.pose.position.x, sphere.pose.position.z);
  assert_near(speed(points.velocity), speed(sphere.velocity), 0.02 * speed(sphere.velocity));
  assert_near(points.pose.position.x, sphere.pose.position.x, 4e-3);  // the surface is 3.1 mm outside
  assert_near(points.pose.position.z, sphere.pose.position.z, 4e-3);
  assert_true(fabs(points.pose.position.y + 1.5) < 2e-3);  // it does not stray
  assert_int_equal(run.unsolved, 0);
  cps_world_destroy(world);
}

static const char* temporary(const char* name) {
  static char path[128];
  snprintf(path, sizeof path, "/tmp/capstan-points-%d-%s", (int)getpid(), name);
  return path;
}

static CpsWorld* parse(const char* text) {
  CpsError error = {{0}};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  if (cps_scene_parse(text, strlen(text), "points", NULL, 0, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 0, &world, &error) != CPS_OK) {
    print_error("%s\n", error.text);
    fail();
  }
  cps_scene_destroy(scene);
  return world;
}

// A mesh without normals is the cloud of its triangles: the same slide, on facets of 10 cm.
static void a_sled_slides_on_a_mesh_without_normals(void** state) {
  (void)state;
  enum { ALONG = 18, ACROSS = 8 };
  FILE* f = fopen(temporary("plane.obj"), "w");
  assert_non_null(f);
  for (int i = 0; i < ALONG * ACROSS; ++i)
    fprintf(f, "v %g %g 0\n", 0.1 * (i % ALONG) - 0.6, 0.1 * (double)(i / ALONG) - 0.35);
  for (int j = 1; j < ACROSS; ++j) {
    for (int i = 1; i < ALONG; ++i) {
      const int a = (j - 1) * ALONG + i;
      fprintf(f, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + ALONG + 1, a, a + ALONG + 1, a + ALONG);
    }
  }
  fclose(f);
  Overrides o = {0};
  override(&o, "mu=0.1");
  override(&o, "obstacles.plane-points.points.file=%s", temporary("plane.obj"));
  CpsWorld* world = open_scene("point-cloud.yaml", &o);
  Run run = run_until(world, 0.1);
  const double slope = 10.0 * acos(-1.0) / 180.0;
  assert_near(speed(body(world, 0).velocity), 0.1 * G * (sin(slope) - 0.1 * cos(slope)), 1e-7);
  assert_int_equal(run.unsolved + run.crossings, 0);
  cps_world_destroy(world);
  unlink(temporary("plane.obj"));
}

// A body given by points: a ball of them rolls down a slope with 5/7 g sin(10), up to the error of its inertia; and it falls on a
// cloud.
static void a_body_of_points_rolls_like_a_ball(void** state) {
  (void)state;
  char text[1024];
  snprintf(
      text, sizeof text,
      "obstacles: {floor: {plane: {}, rotation: {axis: [0, 1, 0], angle: 10 deg}}}\n"
      "bodies: {ball: {points: {file: %s/scenes/parts/cloud-sphere.ply, scale: 0.1}, frame: floor, position: [0, 0, "
      "0.1007]}}\n"
      "contact: {mu: 0.5}\ntime: {step: 2 ms, end: 1 s}\n",
      SOURCE_DIR);
  CpsWorld* world = parse(text);
  Run run = run_until(world, 0.1);
  const double before = speed(body(world, 0).velocity);
  Run more = run_until(world, 0.3);
  const double a = (speed(body(world, 0).velocity) - before) / 0.2;
  print_message("a ball of points rolls with %.4f of 5/7 g sin\n", a / (5.0 / 7.0 * G * sin(acos(-1.0) / 18.0)));
  assert_near(a, 5.0 / 7.0 * G * sin(acos(-1.0) / 18.0), 0.05);  // 4 %: it is not quite round
  assert_int_equal(run.unsolved + more.unsolved, 0);
  cps_world_destroy(world);
}

// A cloth hits a ball of points at 20 m/s: it lies on it, and nothing is inside.
static void a_cloth_lies_on_points(void** state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           "obstacles: {ball: {points: {file: %s/scenes/parts/cloud-sphere.ply, scale: 0.2}}}\n"
           "sheets: {cloth: {grid: {size: [0.5, 0.5], cells: [14, 14]}, position: [0, 0, 0.26], velocity: [0, "
           "0, -20], "
           "thickness: 2 mm}}\n"
           "contact: {mu: 0.3}\ntime: {step: 2 ms, end: 1 s}\n",
           SOURCE_DIR);
  CpsWorld* world = parse(text);
  Run run = run_until(world, SHORTER ? 0.02 : 0.1);
  CpsVec3 x[15 * 15];
  assert_int_equal(vertices_of(world, cps_thing_sheet(cps_world_sheet(world, 0)), x, NULL), CPS_OK);
  double inside = INFINITY, high = -INFINITY;
  for (int i = 0; i < 15 * 15; ++i) {
    inside = fmin(inside, distance(x[i], (CpsVec3){0.0, 0.0, 0.0}));
    high = fmax(high, x[i].z);
  }
  print_message("the cloth is %.4f m from the middle at least, its top at %.4f m\n", inside, high);
  assert_int_equal(run.crossings, 0);
  assert_true(inside > 0.2 && high > 0.2 && high < 0.3);
  cps_world_destroy(world);
}

// A sled comes down on the back of an animal that is known by points alone, and on the mesh they were taken from.
static void a_sled_slides_on_a_scan_as_on_the_mesh(void** state) {
  (void)state;
  const char* path = SHARED_DATA "/mesh/spot.obj";
  CpsMeshFile mesh, cloud;
  if (access(path, R_OK) != 0) skip();
  assert_int_equal(cps_mesh_file_read(path, &mesh, NULL), CPS_OK);
  assert_int_equal(cps_mesh_sample(&mesh, 0.03, &cloud, NULL), CPS_OK);
  assert_int_equal(cps_mesh_file_write(temporary("spot.ply"), &cloud, NULL), CPS_OK);
  CpsVec3 end[2];
  double v[2];
  for (int k = 0; k < 2; ++k) {
    char text[2048];
    snprintf(text, sizeof text,
             "obstacles: {spot: {%s: {file: %s}, rotation: {axis: [1, 0, 0], angle: 90 deg}}}\n"
             "bodies: {sled: {compound: [{sphere: {radius: 2 cm}, position: [4 cm, 0, 0]}, {sphere: {radius: 2 cm}, "
             "position: "
             "[-2 cm, 3.5 cm, 0]}, {sphere: {radius: 2 cm}, position: [-2 cm, -3.5 cm, 0]}], position: [0.1, -0.35, "
             "0.36]}}\n"
             "contact: {mu: 0.05}\ntime: {step: 2 ms, end: 1 s}\n",
             k == 0 ? "points" : "mesh", k == 0 ? temporary("spot.ply") : path);
    CpsWorld* world = parse(text);
    Run run = run_until(world, 0.3);
    end[k] = body(world, 0).pose.position;
    v[k] = speed(body(world, 0).velocity);
    print_message("%s: (%.4f, %.4f, %.4f) m, %.4f m/s, %d contacts at most\n", k == 0 ? "points" : "mesh", end[k].x,
                  end[k].y, end[k].z, v[k], (int)run.contacts_max);
    assert_int_equal(run.unsolved, 0);
    cps_world_destroy(world);
  }
  assert_near(distance(end[0], end[1]), 0.0, 0.02);  // the mesh has facets of 10 cm, and a fall before the slide
  assert_near(v[0], v[1], 0.05 * v[1]);
  unlink(temporary("spot.ply"));
  cps_mesh_file_free(&mesh);
  cps_mesh_file_free(&cloud);
}

static void clouds_without_normals_are_refused_with_the_place(void** state) {
  (void)state;
  FILE* f = fopen(temporary("bare.ply"), "w");
  assert_non_null(f);
  fputs("ply\nformat ascii 1.0\nelement vertex 7\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
        f);
  for (int i = 0; i < 7; ++i) fprintf(f, "%d %d 0\n", i, i * i);
  fclose(f);
  char text[512];
  snprintf(text, sizeof text, "obstacles:\n  a: {points: {file: %s}}\n", temporary("bare.ply"));
  CpsScene* scene = NULL;
  CpsError error;
  assert_true(cps_scene_parse(text, strlen(text), "bare", NULL, 0, &scene, &error) < 0);
  assert_non_null(strstr(error.text, "obstacles.a.points.file: "));
  assert_non_null(strstr(error.text, "bare.ply: the 7 points have no normals"));
  unlink(temporary("bare.ply"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sled_slides_on_points_as_on_a_plane),
      cmocka_unit_test(a_sled_slides_off_points_as_off_a_sphere),
      cmocka_unit_test(a_sled_slides_on_a_mesh_without_normals),
      cmocka_unit_test(a_body_of_points_rolls_like_a_ball),
      cmocka_unit_test(a_cloth_lies_on_points),
      cmocka_unit_test(a_sled_slides_on_a_scan_as_on_the_mesh),
      cmocka_unit_test(clouds_without_normals_are_refused_with_the_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
