// The two files of TetGen, which are read as a pair: a mesh whose indices are in range, or a negative status with one line.
#include <string.h>

#include "capstan/mesh.h"
#include "scratch.h"

static const char* const PIECES[] = {"0 ",         "1 ",
                                     "2 ",         "3 ",
                                     "4 ",         "10 ",
                                     "-1 ",        "999999999999999999 ",
                                     "4 3 0 0\n",  "1 4 0\n",
                                     "nan",        "1e",
                                     "\n",         "0.5 ",
                                     "# x\n",      "-",
                                     "+",          "9223372036854775807 ",
                                     " ",          "1 0 0 0\n",
                                     "inf",        ".",
                                     "\t",         "2 1 0 0\n",
                                     "3 0 1 0\n",  "4 0 0 1\n",
                                     "1 1 2 3 4\n"};
enum { PIECE_COUNT = sizeof PIECES / sizeof PIECES[0] };

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  make_folder("a.node", "a.ele");
  return 0;
}

// The files that are right begin with a tetrahedron.
static void write_file(Bytes* bytes, const char* name, const char* tetrahedron) {
  write_pieces(name, next_below(bytes, 2) == 0 ? tetrahedron : "", PIECES, PIECE_COUNT, bytes, SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  write_file(&bytes, scratch_names[0], "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
  write_file(&bytes, scratch_names[1], "1 4 0\n1 1 2 3 4\n");
  CpsMeshFile mesh;
  CpsError error = {""};
  CpsStatus status = cps_mesh_file_read(scratch_names[next_below(&bytes, 2)], &mesh, &error);
  if (status != CPS_OK) {
    CHECK(status < 0 && strlen(error.text) > 10 && !strchr(error.text, '\n'));
    return 0;
  }
  CHECK(mesh.vertex_count > 0 && mesh.triangle_count == 0);
  for (int64_t k = 0; k < 4 * (int64_t)mesh.tetrahedron_count; ++k) {
    CHECK(mesh.tetrahedra[k] >= 0 && mesh.tetrahedra[k] < mesh.vertex_count);
  }
  for (int32_t i = 0; i < mesh.vertex_count; ++i) {
    CHECK(isfinite(mesh.vertices[i].x) && isfinite(mesh.vertices[i].y) && isfinite(mesh.vertices[i].z));
  }
  cps_mesh_file_free(&mesh);
  return 0;
}
