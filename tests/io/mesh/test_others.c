// Files that other programs wrote: VTK and meshio, in all their variants, against the numbers they were given.
#include "capstan/mesh.h"
#include "folders.h"
#include "test_helpers.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Reference {
  int vertices, triangles, tetrahedra;
  double *points, *uvs;
  int *triangle, *tetrahedron;
} Reference;

static FILE* open_file(const char* folder, const char* name) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  return file;
}

static Reference read_reference(const char* folder) {
  Reference r;
  FILE* file = open_file(folder, "reference.txt");
  assert_int_equal(fscanf(file, "%d %d %d", &r.vertices, &r.triangles, &r.tetrahedra), 3);
  assert_true(r.vertices > 0 && r.triangles > 0 && r.tetrahedra > 0);
  r.points = calloc(3 * (size_t)r.vertices, sizeof *r.points);
  r.uvs = calloc(2 * (size_t)r.vertices, sizeof *r.uvs);
  r.triangle = calloc(3 * (size_t)r.triangles, sizeof *r.triangle);
  r.tetrahedron = calloc(4 * (size_t)r.tetrahedra, sizeof *r.tetrahedron);
  assert_true(r.points && r.uvs && r.triangle && r.tetrahedron);
  for (int i = 0; i < 3 * r.vertices; ++i) assert_int_equal(fscanf(file, "%lf", &r.points[i]), 1);
  for (int i = 0; i < 2 * r.vertices; ++i) assert_int_equal(fscanf(file, "%lf", &r.uvs[i]), 1);
  for (int i = 0; i < 3 * r.triangles; ++i) assert_int_equal(fscanf(file, "%d", &r.triangle[i]), 1);
  for (int i = 0; i < 4 * r.tetrahedra; ++i) assert_int_equal(fscanf(file, "%d", &r.tetrahedron[i]), 1);
  fclose(file);
  return r;
}

static void check_file(const char* path, const Reference* r, int triangles, int tetrahedra, int uvs, double tolerance) {
  CpsMeshFile mesh;
  CpsError error;
  if (cps_mesh_file_read(path, &mesh, &error) != CPS_OK) fail_msg("%s", error.text);
  assert_int_equal(mesh.vertex_count, r->vertices);
  assert_int_equal(mesh.triangle_count, triangles);
  assert_int_equal(mesh.tetrahedron_count, tetrahedra);
  assert_int_equal(mesh.uv_count, uvs);
  assert_int_equal(mesh.skipped_cells, 0);
  for (int i = 0; i < r->vertices; ++i) {
    assert_near(mesh.vertices[i].x, r->points[3 * i], tolerance);
    assert_near(mesh.vertices[i].y, r->points[3 * i + 1], tolerance);
    assert_near(mesh.vertices[i].z, r->points[3 * i + 2], tolerance);
  }
  for (int i = 0; i < 2 * uvs; ++i) assert_near(mesh.uvs[i], r->uvs[i], tolerance);
  if (triangles > 0) assert_memory_equal(mesh.triangles, r->triangle, 3 * (size_t)triangles * sizeof *r->triangle);
  if (tetrahedra > 0)
    assert_memory_equal(mesh.tetrahedra, r->tetrahedron, 4 * (size_t)tetrahedra * sizeof *r->tetrahedron);
  cps_mesh_file_free(&mesh);
}

static void what_vtk_and_meshio_write_is_read_back(void** state) {
  (void)state;
  char folder[] = "/tmp/capstan-mesh-XXXXXX", command[500];
  assert_non_null(mkdtemp(folder));
  int status = -1;
  // a Python of one's own may come first in the path, and the modules belong to the system's
  static const char* const PYTHONS[] = {"python3", "/usr/bin/python3"};
  for (int k = 0; k < 2 && status != 0; ++k) {
    snprintf(command, sizeof command, "%s %s/tests/io/mesh/write_meshes.py %s >/dev/null 2>&1", PYTHONS[k], SOURCE_DIR,
             folder);
    status = system(command);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  if (status == 3 || status == 127) {
    remove_folder(folder);
    print_message("skipped: no Python with vtk and meshio (python3-vtk9, python3-meshio)\n");
    skip();
  }
  assert_int_equal(status, 0);
  Reference reference = read_reference(folder);
  FILE* index = open_file(folder, "index.txt");
  int files, triangles, tetrahedra, uvs;
  double tolerance;
  char name[100], path[300];
  assert_int_equal(fscanf(index, "%d", &files), 1);
  for (int i = 0; i < files; ++i) {
    assert_int_equal(fscanf(index, "%99s %d %d %d %lf", name, &triangles, &tetrahedra, &uvs, &tolerance), 5);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_file(path, &reference, triangles, tetrahedra, uvs, tolerance);
  }
  print_message("%d files\n", files);
  fclose(index);
  free(reference.points);
  free(reference.uvs);
  free(reference.triangle);
  free(reference.tetrahedron);
  remove_folder(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_vtk_and_meshio_write_is_read_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
