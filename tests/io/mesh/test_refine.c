// Meshes split into finer ones of the same shape: volume, surface and quality; limits; in a scene.
#include <math.h>
#include <string.h>

#include "capstan/mesh.h"
#include "capstan/scene.h"
#include "capstan/solid.h"
#include "io/mesh/refine.h"
#include "test_helpers.h"

static CpsMeshFile stool(void) {
  CpsMeshFile mesh;
  CpsError error;
  if (cps_mesh_file_read(SOURCE_DIR "/scenes/parts/stool.msh", &mesh, &error) != CPS_OK) fail_msg("%s", error.text);
  return mesh;
}

// Eight times the tetrahedra of the same volume, four times the triangles of the same surface, which is closed: neighbours fit. The
// octahedron is cut along its shortest diagonal, so that the worst angle stays between bounds however often that is done.
static void refined_meshes_have_the_same_shape(void** state) {
  (void)state;
  CpsMeshFile mesh = stool();
  CpsMeshFacts before, after;
  assert_int_equal(cps_mesh_file_facts(&mesh, &before, NULL), CPS_OK);
  const CpsMeshFile first = mesh;
  CpsVec3* corner = malloc((size_t)first.vertex_count * sizeof *corner);
  memcpy(corner, first.vertices, (size_t)first.vertex_count * sizeof *corner);
  for (int k = 1; k <= 3; ++k) {
    const int32_t tetrahedra = mesh.tetrahedron_count;
    assert_int_equal(cps_mesh_refine(&mesh, 1, 1000000, NULL), CPS_OK);
    assert_int_equal(mesh.tetrahedron_count, 8 * tetrahedra);
    assert_memory_equal(mesh.vertices, corner, (size_t)first.vertex_count * sizeof *corner);
    assert_int_equal(cps_mesh_file_facts(&mesh, &after, NULL), CPS_OK);
    assert_near(after.volume, before.volume, 1e-12 * before.volume);  // rounding of the sum
    assert_near(after.area, before.area, 1e-12 * before.area);
    assert_int_equal(after.surface_triangles, before.surface_triangles << 2 * k);
    assert_true(after.closed && after.inverted == 0 && after.unused == 0);
    assert_true(after.angle_min > 0.6 * before.angle_min);
  }
  free(corner);
  cps_mesh_file_free(&mesh);
}

// Twice in one call is the same as one after the other.
static void refining_twice_is_refining_again(void** state) {
  (void)state;
  CpsMeshFile one = stool(), two = stool();
  assert_int_equal(cps_mesh_refine(&one, 2, 1000000, NULL), CPS_OK);
  assert_int_equal(cps_mesh_refine(&two, 1, 1000000, NULL), CPS_OK);
  assert_int_equal(cps_mesh_refine(&two, 1, 1000000, NULL), CPS_OK);
  assert_int_equal(one.vertex_count, two.vertex_count);
  assert_memory_equal(one.vertices, two.vertices, (size_t)one.vertex_count * sizeof *one.vertices);
  assert_memory_equal(one.tetrahedra, two.tetrahedra, 4 * (size_t)one.tetrahedron_count * sizeof *one.tetrahedra);
  cps_mesh_file_free(&one);
  cps_mesh_file_free(&two);
}

// Inverted tetrahedra stay inverted, so that what refuses them still does.
static void inverted_tetrahedra_stay_inverted(void** state) {
  (void)state;
  CpsMeshFile mesh = stool();
  const int32_t last = mesh.tetrahedra[3];
  CpsMeshFacts facts;
  mesh.tetrahedra[3] = mesh.tetrahedra[2], mesh.tetrahedra[2] = last;
  assert_int_equal(cps_mesh_refine(&mesh, 1, 1000000, NULL), CPS_OK);
  assert_int_equal(cps_mesh_file_facts(&mesh, &facts, NULL), CPS_OK);
  assert_int_equal(facts.inverted, 8);
  cps_mesh_file_free(&mesh);
}

static void too_many_are_refused(void** state) {
  (void)state;
  CpsMeshFile mesh = stool();
  CpsError error;
  assert_int_equal(cps_mesh_refine(&mesh, 2, 205 * 64 - 1, &error), CPS_BAD_DATA);
  assert_string_equal(error.text, "refined 2 times it has more than 13119 tetrahedra");
  assert_true(mesh.tetrahedron_count == 205 || mesh.tetrahedron_count == 8 * 205);
  cps_mesh_file_free(&mesh);
}

// A scene refines its files, and nothing else.
static void scenes_refine_files(void** state) {
  (void)state;
  const char* set[] = {"refine=2"};
  CpsScene* scene = NULL;
  CpsWorld* world = NULL;
  CpsError error;
  if (cps_scene_load(SOURCE_DIR "/scenes/stool.yaml", set, 1, &scene, &error) != CPS_OK ||
      cps_scene_build(scene, 1, &world, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  assert_int_equal(info.tetrahedron_count, 64 * 205);
  cps_world_destroy(world);
  cps_scene_destroy(scene);
  const char* bad[] = {"solids.block.refine=1"};
  scene = NULL;
  assert_int_equal(cps_scene_load(SOURCE_DIR "/scenes/block-ramp.yaml", bad, 1, &scene, &error), CPS_BAD_FORMAT);
  assert_non_null(strstr(error.text, "only valid with file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refined_meshes_have_the_same_shape),
      cmocka_unit_test(refining_twice_is_refining_again),
      cmocka_unit_test(inverted_tetrahedra_stay_inverted),
      cmocka_unit_test(too_many_are_refused),
      cmocka_unit_test(scenes_refine_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
