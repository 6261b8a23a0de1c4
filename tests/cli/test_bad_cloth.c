// Meshes of cloth that are none, pins and ties that cannot be, as a user meets them: one message that names the file, the element and
// the place, exit code 2, and the result of an earlier run is still there.
#include "runner.h"

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define PLY_HEAD "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"

typedef struct Mistake {
  const char *name, *mesh, *sentence;
} Mistake;

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

// The command refuses bad.yaml and leaves an earlier result alone.
static void refuse(const char* command, const char* sentence) {
  write_text("bad.h5", "an earlier result");
  Outcome outcome = run(command);
  check_refused(&outcome, command, sentence);
  forget(&outcome);
  char* kept = read_all("bad.h5");
  assert_string_equal(kept, "an earlier result");
  free(kept);
}

static void meshes_that_are_no_cloth(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"fan.obj", SQUARE "v 0.5 0.5 1\nf 1 2 3\nf 1 3 4\nf 1 3 5\n",
       "sheet fan.obj: triangles 0, 1 and 2 share the edge between vertices 2 and 0, at (0.5, 0.5, 0)"},
      {"turned.obj", SQUARE "f 1 2 3\nf 1 4 3\n",
       "sheet turned.obj: triangles 0 and 1 run along their edge between vertices 2 and 0, at (0.5, 0.5, 0), in the "
       "same "
       "direction: swap two vertices of one of them"},
      {"bow.obj", SQUARE "v -1 0 0\nv -1 -1 0\nf 1 2 3\nf 1 3 4\nf 1 5 6\n",
       "sheet bow.obj: triangles 0 and 2 meet in vertex 0, but share no edge there, at (0, 0, 0): give each part"},
      {"flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
       "sheet flat.obj: triangle 0 is flat: its vertices, one at (0, 0, 0), lie on a line"},
      {"unused.obj", SQUARE "v 7 8 9\nf 1 2 3\nf 1 3 4\n", "sheet unused.obj: no triangle uses vertex 4, at (7, 8, 9)"},
      {"double.obj", SQUARE "v 0 0 0\nf 1 2 3\nf 5 3 4\n",
       "sheet double.obj: vertices 0 and 4 are both at (0, 0, 0): join them by a seam or use one of them"},
      {"corner.obj", SQUARE "f 1 2 3\nf 1 3 3\n", "sheet corner.obj: triangle 1 names vertex 2 twice, at (1, 1, 0)"},
      {"nan.obj", "v 0 0 0\nv 1 nan 0\nv 1 1 0\nf 1 2 3\n", "nan.obj: line 2: a vertex has three numbers"},
      {"beyond.obj", SQUARE "f 1 2 3\nf 1 3 9\n",
       "beyond.obj: line 6: a corner of a face refers to a vertex that is not defined before it"},
      {"twice.obj", SQUARE "f 1 2 3\nf 1 3 4\nf 2 3 1\n",
       "sheet twice.obj: triangles 0 and 2 have the same vertices 0, 1 and 2, the first at (0, 0, 0): remove one of "
       "them"},
      {"far.obj", SQUARE "v 1e300 0 0\nf 1 2 3\nf 1 3 4\nf 2 5 3\n",
       "sheet far.obj: vertex 4 is at (1e+300, 0, 0); it must be less than 1e+12 m away"},
      {"cut.obj", SQUARE "f 1 2 3\nf 1 3", "cut.obj: line 6: a face has fewer than three corners"},
      {"none.obj", SQUARE, "none.obj has no triangles"},
      {"empty.obj", "", "empty.obj: has no vertex; meshes are read from OBJ"},
      {"count.ply",
       PLY_HEAD "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
                "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n",
       "count.ply: face 2 of 2: expected a number"},
      {"count.vtk",
       "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0\nPOLYGONS 1 4\n3 0 1 "
       "2\n",
       "count.vtk: line 7: POINTS: expected a number"},
  };
  for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; ++i) {
    char text[256], sentence[512];
    write_text(MISTAKES[i].name, MISTAKES[i].mesh);
    snprintf(text, sizeof text, "sheets: {cloth: {file: %s}}\n", MISTAKES[i].name);
    write_text("bad.yaml", text);
    snprintf(sentence, sizeof sentence, "bad.yaml:1:24: sheets.cloth.file: %s", MISTAKES[i].sentence);
    refuse("run bad.yaml", sentence);
    refuse("check bad.yaml", sentence);
  }
}

static void pins_ties_and_numbers_that_cannot_be(void** state) {
  (void)state;
  static const Mistake MISTAKES[] = {
      {"thickness: 0 mm", "", "bad.yaml:4:16: sheets.cloth.thickness: expected a length > 0, found '0 mm'"},
      {"pins: [{vertices: [0, 1], motion: {velocity: [1, 0, 0]}}, {vertices: [1, 2]}]", "",
       "bad.yaml:3:5: sheets.cloth: sheet good.obj: pins 0 and 1 both hold vertex 1 at t = 0 s, at (1, 0, 0)"},
      {"seams: [[3, 4]]", "",
       "bad.yaml:3:5: sheets.cloth: sheet good.obj: seam 0 joins vertices 3 and 4, but the sheet has the vertices "
       "0 to 3"},
      {"seams: [[2, 2]]", "",
       "bad.yaml:3:5: sheets.cloth: sheet good.obj: seam 0 joins vertex 2 to itself, at (1, 1, 0)"},
      {"pins: [{vertices: [0, 11]}]", "",
       "bad.yaml:4:27: sheets.cloth.pins[0].vertices[1]: the sheet has the vertices 0 to 3"},
      {"thickness: 1 mm", "ties: [{a: {sheet: cloth, vertex: 0}, b: {body: crate}}]\n",
       "bad.yaml:5:49: ties[0].b.body: unknown body 'crate'"},
      {"thickness: 1 mm", "ties: [{a: {sheet: cloth, vertex: 40}, b: {at: [0, 0, 0]}}]\n",
       "bad.yaml:5:35: ties[0].a.vertex: the sheet has 4 vertices"},
      {"thickness: 1 mm",
       "ties:\n  - {a: {sheet: cloth, vertex: 0}, b: {at: [0, 0, 0]}}\n  - {a: {sheet: cloth, vertex: 0}, b: {at: [0, "
       "0, 3]}}\n",
       "bad.yaml:7:5: ties[1]: contradicts the tie in line 6: one point is held to two places, 3 m apart"},
      {"pins: [{vertices: [0]}]", "ties: [{a: {sheet: cloth, vertex: 0}, b: {at: [0, 0, 0]}}]\n",
       "ties[0]: neither side of a tie can move: a pin or a clamp holds the point already"},
  };
  write_text("good.obj", SQUARE "f 1 2 3\nf 1 3 4\n");
  for (size_t i = 0; i < sizeof MISTAKES / sizeof *MISTAKES; ++i) {
    char text[512];
    snprintf(text, sizeof text, "sheets:\n  cloth:\n    file: good.obj\n    %s\n%s", MISTAKES[i].name,
             MISTAKES[i].mesh);
    write_text("bad.yaml", text);
    refuse("run bad.yaml", MISTAKES[i].sentence);
  }
}

// Ten million triangles are refused by the size of the file before anything of it is read; a head that only says so, by the rest of it.
static void ten_million_triangles_are_refused(void** state) {
  (void)state;
  static const char HEAD[] =
      "ply\nformat binary_little_endian 1.0\nelement vertex 5000000\nproperty float x\nproperty float y\nproperty "
      "float z\n"
      "element face 10000000\nproperty list uchar int vertex_indices\nend_header\n";
  write_text("bad.yaml", "sheets: {cloth: {file: ten.ply}}\n");
  write_text("ten.ply", HEAD);
  refuse("run bad.yaml",
         "bad.yaml:1:24: sheets.cloth.file: ten.ply: 5000000 elements of 'vertex' do not fit in the file");
  assert_int_equal(truncate("ten.ply", (off_t)sizeof HEAD - 1 + 12 * 5000000 + 13 * 10000000), 0);
  refuse("run bad.yaml", "bad.yaml:1:24: sheets.cloth.file: ten.ply: larger than 64 MB");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_that_are_no_cloth),
      cmocka_unit_test(pins_ties_and_numbers_that_cannot_be),
      cmocka_unit_test(ten_million_triangles_are_refused),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
