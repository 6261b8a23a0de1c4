// Filling surfaces with tetrahedra, facts about meshes, writing them.
#include "capstan/mesh.h"
#include "folders.h"
#include "test_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double PI = 3.14159265358979323846;

// A sphere of rings of triangles about the z axis.
static CpsMeshFile make_sphere(double radius, int rings) {
  const int around = 2 * rings;
  CpsMeshFile m = {.vertex_count = (rings - 1) * around + 2, .triangle_count = 2 * around * (rings - 1)};
  m.vertices = calloc((size_t)m.vertex_count, sizeof *m.vertices);
  m.triangles = calloc(3 * (size_t)m.triangle_count, sizeof *m.triangles);
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < around; ++j) {
      double a = PI * i / rings, b = 2.0 * PI * (j + 0.5 * i) / around;
      m.vertices[(i - 1) * around + j] = (CpsVec3){radius * sin(a) * cos(b), radius * sin(a) * sin(b), radius * cos(a)};
    }
  }
  const int top = m.vertex_count - 2, bottom = top + 1;
  m.vertices[top].z = radius, m.vertices[bottom].z = -radius;
  int32_t* t = m.triangles;
  for (int j = 0; j < around; ++j) {
    int k = (j + 1) % around, last = (rings - 2) * around;
    const int32_t ends[6] = {top, j, k, bottom, last + k, last + j};
    memcpy(t, ends, sizeof ends);
    t += 6;
    for (int i = 0; i + 2 < rings; ++i) {
      int a = i * around, b = a + around;
      const int32_t two[6] = {a + j, b + j, a + k, a + k, b + j, b + k};
      memcpy(t, two, sizeof two);
      t += 6;
    }
  }
  return m;
}

static CpsMeshFile make_cube(double side) {
  static const int32_t FACES[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  CpsMeshFile m = {.vertex_count = 8, .triangle_count = 12};
  m.vertices = calloc(8, sizeof *m.vertices);
  m.triangles = malloc(sizeof FACES);
  memcpy(m.triangles, FACES, sizeof FACES);
  for (int i = 0; i < 8; ++i) m.vertices[i] = (CpsVec3){side * (i & 1), side * (i >> 1 & 1), side * (i >> 2)};
  return m;
}

static CpsMeshFacts facts_of(const CpsMeshFile* mesh) {
  CpsMeshFacts f;
  assert_int_equal(cps_mesh_file_facts(mesh, &f, NULL), CPS_OK);
  return f;
}

static void facts_of_a_cube(void** state) {
  (void)state;
  CpsMeshFile cube = make_cube(2.0);
  CpsMeshFacts f = facts_of(&cube);
  assert_true(f.closed && f.open_edges == 0 && f.surface_triangles == 12 && f.worst == -1 && f.unused == 0);
  assert_near(f.volume, 8.0, 1e-14);
  assert_near(f.area, 24.0, 1e-13);
  assert_near(f.upper.z, 2.0, 0.0);
  cube.triangle_count = 11;
  f = facts_of(&cube);
  assert_true(!f.closed && f.open_edges == 3 && isnan(f.volume));
  cps_mesh_file_free(&cube);
  // a corner of the cube: three right angles and three of 54.7 degrees
  CpsVec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 9, 9}};
  int32_t four[8] = {0, 1, 2, 3, 0, 2, 1, 3};
  CpsMeshFile one = {.vertex_count = 5, .vertices = x, .tetrahedron_count = 1, .tetrahedra = four};
  f = facts_of(&one);
  assert_near(f.volume, 1.0 / 6.0, 1e-15);
  assert_near(f.angle_max, 90.0, 1e-12);
  assert_near(f.angle_min, acos(1.0 / sqrt(3.0)) * 180.0 / PI, 1e-12);
  assert_true(f.closed && f.surface_triangles == 4 && f.worst == 0 && f.unused == 1 && f.inverted == 0);
  one.tetrahedra = four + 4;
  assert_int_equal(facts_of(&one).inverted, 1);
}

// The surface converges with the square of the size, the volume as well; angles stay in the bounds of the method (10.7 to 164.8
// degrees); the mesh is conforming: its surface is closed and has the volume of its elements.
static void a_sphere_is_filled(void** state) {
  (void)state;
  CpsMeshFile sphere = make_sphere(1.0, 60);
  const double whole = facts_of(&sphere).volume;
  double error[2], far[2], smooth[2];
  for (int k = 0; k < 2; ++k) {
    CpsMeshFile mesh;
    CpsError why;
    if (cps_mesh_fill(&sphere, k ? 0.1 : 0.2, &mesh, &far[k], &why) != CPS_OK) fail_msg("%s", why.text);
    CpsMeshFacts f = facts_of(&mesh);
    assert_true(f.closed && f.inverted == 0 && f.unused == 0);
    if (!(f.angle_min > 10.7 && f.angle_max < 164.8)) fail_msg("angles from %g to %g", f.angle_min, f.angle_max);
    error[k] = fabs(f.volume - whole) / whole;
    smooth[k] = f.smooth_error;
    assert_int_equal(f.smooth_holes, 0);
    cps_mesh_file_free(&mesh);
  }
  if (!(far[1] < 0.35 * far[0] && far[1] < 3e-3)) fail_msg("Hausdorff errors %g, then %g", far[0], far[1]);
  // the smooth surface is as far outside as its reach squared
  if (!(smooth[1] < 0.35 * smooth[0] && smooth[1] < 0.02)) fail_msg("smooth surface %g, then %g", smooth[0], smooth[1]);
  if (!(error[1] < 0.35 * error[0] && error[1] < 3e-3))
    fail_msg("errors of the volume %g, then %g", error[0], error[1]);
  cps_mesh_file_free(&sphere);
}

// Edges of a cube are cut off by less than the size.
static void a_cube_is_filled_and_read_back(void** state) {
  (void)state;
  CpsMeshFile cube = make_cube(1.0), mesh, back;
  CpsError error;
  double far;
  if (cps_mesh_fill(&cube, 0.13, &mesh, &far, &error) != CPS_OK) fail_msg("%s", error.text);
  CpsMeshFacts f = facts_of(&mesh);
  assert_true(f.closed && f.inverted == 0);
  assert_true(far > 0.0 && far < 0.13);
  assert_near(f.volume, 1.0, 0.03);
  char folder[] = "/tmp/capstan-fill-XXXXXX", path[100];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/cube.msh", folder);
  if (cps_mesh_file_write(path, &mesh, &error) != CPS_OK) fail_msg("%s", error.text);
  if (cps_mesh_file_read(path, &back, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(back.vertex_count, mesh.vertex_count);
  assert_int_equal(back.tetrahedron_count, mesh.tetrahedron_count);
  assert_memory_equal(back.vertices, mesh.vertices, (size_t)mesh.vertex_count * sizeof *mesh.vertices);
  assert_memory_equal(back.tetrahedra, mesh.tetrahedra, 4 * (size_t)mesh.tetrahedron_count * sizeof(int32_t));
  cps_mesh_file_free(&back);
  assert_int_equal(cps_mesh_file_write("/nowhere/cube.msh", &mesh, &error), CPS_FILE_ERROR);
  cps_mesh_file_free(&mesh);
  cps_mesh_file_free(&cube);
  remove_folder(folder);
}

static void what_can_not_be_filled_is_refused(void** state) {
  (void)state;
  CpsMeshFile cube = make_cube(1.0), mesh = {.vertex_count = 17};
  CpsError error;
  assert_int_equal(cps_mesh_fill(&cube, 0.0, &mesh, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_mesh_fill(&cube, NAN, &mesh, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_mesh_fill(&cube, 1e-9, &mesh, NULL, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "too small"));
  assert_int_equal(cps_mesh_fill(&cube, 50.0, &mesh, NULL, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "too large"));
  cube.triangle_count = 11;
  assert_int_equal(cps_mesh_fill(&cube, 0.1, &mesh, NULL, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "the surface is not closed: 3 edges"));
  cube.triangle_count = 12;
  for (int t = 0; t < 12; ++t) {
    int32_t keep = cube.triangles[3 * t];
    cube.triangles[3 * t] = cube.triangles[3 * t + 1], cube.triangles[3 * t + 1] = keep;
  }
  assert_int_equal(cps_mesh_fill(&cube, 0.1, &mesh, NULL, &error), CPS_BAD_DATA);
  assert_non_null(strstr(error.text, "inside out"));
  cube.triangle_count = 0;
  assert_int_equal(cps_mesh_fill(&cube, 0.1, &mesh, NULL, &error), CPS_BAD_DATA);
  assert_int_equal(mesh.vertex_count, 17);  // untouched
  cps_mesh_file_free(&cube);
}

// A file of tetrahedra has a surface, too: the same volume, with others.
static void the_surface_of_tetrahedra_is_filled(void** state) {
  (void)state;
  CpsMeshFile cube = make_cube(1.0), fine = {0}, coarse = {0};
  CpsMeshFacts one, two;
  assert_int_equal(cps_mesh_fill(&cube, 0.2, &fine, NULL, NULL), CPS_OK);
  assert_int_equal(fine.triangle_count, 0);
  assert_int_equal(cps_mesh_fill(&fine, 0.3, &coarse, NULL, NULL), CPS_OK);
  assert_int_equal(cps_mesh_file_facts(&fine, &one, NULL), CPS_OK);
  assert_int_equal(cps_mesh_file_facts(&coarse, &two, NULL), CPS_OK);
  assert_true(coarse.tetrahedron_count < fine.tetrahedron_count);
  assert_near(two.volume, one.volume, 0.1 * one.volume);  // edges of the coarser cells are cut off
  cps_mesh_file_free(&cube);
  cps_mesh_file_free(&fine);
  cps_mesh_file_free(&coarse);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_of_a_cube),
      cmocka_unit_test(a_sphere_is_filled),
      cmocka_unit_test(a_cube_is_filled_and_read_back),
      cmocka_unit_test(the_surface_of_tetrahedra_is_filled),
      cmocka_unit_test(what_can_not_be_filled_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
