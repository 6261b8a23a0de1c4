// `capstan mesh` and `capstan info` of a mesh, as a user sees them.
#include "cli/runner.h"

#include <sys/stat.h>

static const char CUBE[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

// A second cube, moved by (0.4, 0.3, 0.1): its edges go through faces of the first.
static const char TWO[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
    "v 0.4 0.3 0.1\nv 1.4 0.3 0.1\nv 0.4 1.3 0.1\nv 1.4 1.3 0.1\nv 0.4 0.3 1.1\nv 1.4 0.3 1.1\nv 0.4 1.3 1.1\nv 1.4 "
    "1.3 1.1\n"
    "f 9 11 12 10\nf 13 14 16 15\nf 9 10 14 13\nf 11 15 16 12\nf 9 13 15 11\nf 10 12 16 14\n";

static void write_text_file(const char* name, const char* text) {
  FILE* file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void a_cube_is_filled(void** state) {
  (void)state;
  write_text_file("cube.obj", CUBE);
  Outcome outcome = run("info cube.obj");
  assert_int_equal(outcome.code, 0);
  assert_string_equal(outcome.out,
                      "cube.obj: mesh, in file units\nvertices   8\ntriangles  12\n"
                      "surface    12 triangles, area 6, closed\nvolume     1\nsmooth     reach 1.491, Hausdorff error "
                      "0.485, 48 % of the longest side\nx          0 to 1\ny          0 to 1\nz  "
                      "        0 to 1\n");
  forget(&outcome);
  outcome = run("mesh cube.obj --size 20cm -o cube.msh");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "dihedral angles"));
  assert_non_null(strstr(outcome.out, "hausdorff"));
  forget(&outcome);
  outcome = run("info cube.msh --json");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "\"closed\": true"));
  assert_non_null(strstr(outcome.out, "\"inverted\": 0"));
  forget(&outcome);
  // a unit of the file is a millimetre: 0.2 of them
  Outcome first = run("mesh cube.obj --unit 1mm --size 0.2mm -o other.msh"),
          second = run("mesh cube.obj --size 0.2 -o other.msh");
  assert_int_equal(first.code, 0);
  assert_string_equal(first.out, second.out);
  forget(&first);
  forget(&second);
}

static void a_cloud_is_told(void** state) {
  (void)state;
  write_text_file("cube.obj", CUBE);
  Outcome outcome = run("mesh cube.obj --points 10cm -o cloud.ply");
  assert_int_equal(outcome.code, 0);
  forget(&outcome);
  outcome = run("info cloud.ply");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, ", with normals\nsmooth     reach "));
  assert_non_null(strstr(outcome.out, "Hausdorff error "));
  forget(&outcome);
}

// Programs of the names tetgen and gmsh that stand in for the real ones: the first writes a tetrahedron beside its input and what it was told,
// the second fails and says why.
static void other_meshers_are_started_where_they_are_installed(void** state) {
  (void)state;
  char here[512], path[600], *before = strdup(getenv("PATH"));
  assert_non_null(before);
  assert_non_null(getcwd(here, sizeof here));
  write_text_file("cube.obj", CUBE);
  assert_int_equal(mkdir("programs", 0700), 0);
  write_text_file("programs/tetgen",
                  "#!/bin/sh\ntest $(head -2 $2 | tail -1 | cut -d' ' -f1) = 8 || exit 1\n"
                  "printf '4 3 0 0\\n0 0 0 0\\n1 1 0 0\\n2 0 1 0\\n3 0 0 1\\n' > ${2%.off}.1.node\n"
                  "printf '1 4 0\\n0 0 1 2 3\\n' > ${2%.off}.1.ele\necho $1 > told\necho $2 >> told\n");
  write_text_file("programs/gmsh", "#!/bin/sh\necho 'Info: hello'\necho 'Error : no luck' >&2\nexit 1\n");
  assert_int_equal(chmod("programs/tetgen", 0700) | chmod("programs/gmsh", 0700), 0);
  snprintf(path, sizeof path, "%s/programs:/usr/bin:/bin", here);
  setenv("PATH", path, 1);
  Outcome outcome = run("mesh cube.obj --size 50cm --unit 1m --with tetgen -o by-tetgen.msh");
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr(outcome.out, "tetrahedra 1,"));
  forget(&outcome);
  char* told = read_all("told");
  assert_non_null(strstr(told, "-pqYQa0.0147313913\n"));  // 0.5^3 / (6 sqrt 2)
  char* file = strchr(told, '\n') + 1;
  file[strcspn(file, "\n")] = '\0';
  assert_int_not_equal(access(file, F_OK), 0);  // nothing is left behind
  free(told);
  outcome = run("mesh cube.obj --size 0.5 --with gmsh -o by-gmsh.msh");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "cube.obj: --with: gmsh made no tetrahedra: Error : no luck"));
  assert_int_not_equal(access("by-gmsh.msh", F_OK), 0);
  forget(&outcome);
  setenv("PATH", "/nowhere", 1);
  outcome = run("mesh cube.obj --size 0.5 --with tetgen -o by-tetgen.msh");
  assert_int_equal(outcome.code, 2);
  assert_non_null(strstr(outcome.err, "tetgen is not installed: install it (Debian: apt install tetgen)"));
  forget(&outcome);
  setenv("PATH", before, 1);
  free(before);
  assert_int_equal(remove("programs/tetgen") | remove("programs/gmsh") | remove("programs"), 0);
}

static void mistakes_exit_2_with_a_sentence(void** state) {
  (void)state;
  write_text_file("cube.obj", CUBE);
  write_text_file("two.obj", TWO);
  write_text_file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  static const struct {
    const char *words, *sentence;
  } CASES[] = {
      {"mesh", "mesh needs one surface file"},
      {"mesh cube.obj", "mesh needs -o and one of --size and --points"},
      {"mesh cube.obj --size 5miles -o a.msh", "--size: '5miles' is not a length such as 5mm"},
      {"mesh cube.obj --size 5mm --unit 0 -o a.msh", "--unit: '0' is not a length"},
      {"mesh nowhere.obj --size 1 -o a.msh", "nowhere.obj: No such file"},
      {"mesh open.obj --size 0.1 -o a.msh", "open.obj: mesh: the surface is not closed: 3 edges"},
      {"mesh open.obj --size 0.1 --with gmsh -o a.msh", "open.obj: the surface is not closed: 3 edges"},
      {"mesh cube.obj --size 0.1 --with netgen -o a.msh", "--with: 'netgen' is not tetgen or gmsh"},
      {"mesh cube.obj --points 0.1 --with gmsh -o a.ply", "--with goes with --size"},
      {"mesh two.obj --size 0.2 -o a.msh", "two.obj: mesh: the surface intersects itself: the edge from vertex "},
      {"mesh cube.obj --size 9 -o a.msh", "too large"},
      {"mesh cube.obj --size 0.2 -o nowhere/a.msh", "nowhere/a.msh"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    Outcome outcome = run(CASES[i].words);
    assert_int_equal(outcome.code, 2);
    if (!strstr(outcome.err, CASES[i].sentence)) fail_msg("%s: %s", CASES[i].words, outcome.err);
    assert_string_equal(outcome.out, "");
    forget(&outcome);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cube_is_filled),
      cmocka_unit_test(a_cloud_is_told),
      cmocka_unit_test(other_meshers_are_started_where_they_are_installed),
      cmocka_unit_test(mistakes_exit_2_with_a_sentence),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
