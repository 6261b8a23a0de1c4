// The two files of TetGen, which are read as a pair: a mesh whose indices are in range, or a negative status with one line.
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "capstan/mesh.h"

static const char* const PIECES[] = {"0",          "1",
                                     "2",          "3",
                                     "4",          "10",
                                     "-1",         "999999999999999999",
                                     "4 3 0 0\n",  "1 4 0\n",
                                     "nan",        "1e",
                                     "\n",         "0.5 ",
                                     "# x\n",      "-",
                                     "+",          "9223372036854775807",
                                     " ",          "1 0 0 0\n",
                                     "inf",        ".",
                                     "\t",         "2 1 0 0\n",
                                     "3 0 1 0\n",  "4 0 0 1\n",
                                     "1 1 2 3 4\n"};
enum { PIECE_COUNT = sizeof PIECES / sizeof PIECES[0] };

static char folder[] = "/tmp/capstan-fuzz-XXXXXX";
static char node_name[64], ele_name[64];

static void clean_up(void) {
  (void)unlink(node_name);
  (void)unlink(ele_name);
  (void)rmdir(folder);
}

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  CHECK(mkdtemp(folder));
  (void)snprintf(node_name, sizeof node_name, "%s/a.node", folder);
  (void)snprintf(ele_name, sizeof ele_name, "%s/a.ele", folder);
  CHECK(atexit(clean_up) == 0);
  return 0;
}

// Pieces up to a byte 255, which ends the file.
static void write_file(Bytes* bytes, const char* name, const char* begin) {
  FILE* file = fopen(name, "wb");
  CHECK(file);
  if (next_below(bytes, 2) == 0) (void)fputs(begin, file);
  for (int choice; bytes->left > 0 && (choice = next_byte(bytes)) != 255;) {
    if (choice >= 250) {
      (void)fputc(choice, file);
    } else {
      (void)fputs(PIECES[choice % PIECE_COUNT], file);
      if (choice & 1) (void)fputc(' ', file);
    }
  }
  CHECK(fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  write_file(&bytes, node_name, "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
  write_file(&bytes, ele_name, "1 4 0\n1 1 2 3 4\n");
  CpsMeshFile mesh;
  CpsError error = {""};
  CpsStatus status = cps_mesh_file_read(next_below(&bytes, 2) ? node_name : ele_name, &mesh, &error);
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
