// Exports: foreign programs read them and find the numbers of the result; what cannot be written leaves nothing behind.
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "capstan/export.h"
#include "core/quat.h"
#include "io/export/scenes.h"

enum { FRAMES = 6 };

static char result_path[192];

static void remove_tree(const char* path) {
  DIR* folder = opendir(path);
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    char name[1024];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    remove_tree(name);
  }
  if (folder) closedir(folder);
  remove(path);
}

static int remove_all(void** state) {
  DIR* folder = opendir(scratch_folder);
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", scratch_folder, entry->d_name);
    if (entry->d_name[0] != '.') remove_tree(name);
  }
  if (folder) closedir(folder);
  return remove_scratch(state);
}

static bool exists(const char* path) {
  struct stat facts;
  return stat(path, &facts) == 0;
}

// Files and folders in the scratch folder.
static int count_entries(void) {
  int count = 0;
  DIR* folder = opendir(scratch_folder);
  assert_non_null(folder);
  for (struct dirent* entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static CpsStatus export_to(CpsExportFormat format, const char* path, int64_t first, int64_t last, int32_t tube,
                           CpsExportInfo* info, CpsError* error) {
  CpsResult* result = NULL;
  assert_ok(cps_result_open(result_path, &result, error), *error);
  CpsExportOptions options = cps_export_options_default();
  options.format = format;
  options.first = first;
  options.last = last;
  options.tube = tube;
  CpsStatus status = cps_export(result, path, &options, info, error);
  cps_result_destroy(result);
  return status;
}

// Exit code of a command line.
static int run_command(const char* command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char* python;  // that has h5py and VTK, or NULL

static int find_python(void** state) {
  static const char* const candidates[] = {"python3", "/usr/bin/python3"};
  for (int i = 0; i < 2 && !python && !SANITIZED; ++i) {  // who reads is not what is sanitized
    char command[128];
    snprintf(command, sizeof command, "%s -c 'import h5py, vtk' >/dev/null 2>&1", candidates[i]);
    if (run_command(command) == 0) python = candidates[i];
  }
  return make_scratch(state);
}

static void check_numbers(int64_t first, int64_t last, const char* file) {
  if (!python) {
    print_message("skipped: no Python with h5py and vtk (python3-h5py, python3-vtk9)\n");
    return;
  }
  char command[2048];
  snprintf(command, sizeof command, "%s %s/tests/io/export/check_export.py %s %d %d %s >/dev/null", python, SOURCE_DIR,
           result_path, (int)first, (int)last, file);
  assert_int_equal(run_command(command), 0);
}

// Values and names in a .usda are those of the schemas, which a parser does not ask for.
static void check_schema(const char* file) {
  char command[512];
  if (!python) return;
  snprintf(command, sizeof command, "%s %s/tests/io/export/check_usda.py %s >/dev/null", python, SOURCE_DIR, file);
  assert_int_equal(run_command(command), 0);
}

// Validates a .glb, or reads a .usda and prints it to `back`; false: skipped.
static bool read_by_node(const char* file, const char* back) {
  char command[1024];
  if (back[0]) check_schema(file);
  snprintf(command, sizeof command, "node %s/tests/io/export/read_export.mjs %s %s", SOURCE_DIR, file, back);
  int code = !SANITIZED && run_command("node --version >/dev/null 2>&1") == 0 ? run_command(command) : 77;
  if (code == 77) print_message("skipped: no Node, or the packages of web/ are not installed\n");
  assert_true(code == 0 || code == 77);
  return code == 0;
}

// Exports, has it read by what is not Python, and adds what Python is to check to `files`.
static void export_checked(CpsExportFormat format, const char* name, int64_t first, int64_t last, int32_t tube,
                           char files[1024]) {
  CpsExportInfo info = {0};
  CpsError error;
  char path[192], back[256];
  snprintf(path, sizeof path, "%s", scratch_path(name));
  snprintf(back, sizeof back, "%s.back.usda", path);
  assert_ok(export_to(format, path, first, last, tube, &info, &error), error);
  assert_true(info.files > 0 && info.bytes > 0 && info.note[0] == '\0');
  if (format == CPS_EXPORT_GLTF) read_by_node(path, "");
  bool usda = format == CPS_EXPORT_USDA, printed = usda && read_by_node(path, back);
  if (usda && !printed) return;
  size_t length = strlen(files);
  snprintf(files + length, 1024 - length, " %s", usda ? back : path);
}

static void check_format(CpsExportFormat format, const char* name, int64_t first, int64_t last, int32_t tube) {
  char files[1024] = "";
  export_checked(format, name, first, last, tube, files);
  check_numbers(first, last, files);
}

static void check_all_formats(int64_t first, int64_t last) {
  char files[1024] = "";
  export_checked(CPS_EXPORT_PVD, "series.pvd", first, last, -1, files);
  export_checked(CPS_EXPORT_USDA, "stage.usda", first, last, -1, files);
  export_checked(CPS_EXPORT_GLTF, "scene.glb", first, last, -1, files);
  export_checked(CPS_EXPORT_OBJ, "frames-obj", first, last, -1, files);
  export_checked(CPS_EXPORT_CSV, "steps.csv", first, last, -1, files);
  check_numbers(first, last, files);
}

static void use(const char* name, const char* scene) {
  snprintf(result_path, sizeof result_path, "%s", scratch_path(name));
  if (!exists(result_path)) write_scene_result(scene, result_path, FRAMES);
}

static void foreign_programs_find_the_numbers_of_the_result(void** state) {
  (void)state;
  use("known.h5", known_scene);
  check_all_formats(0, FRAMES - 1);
  use("touching.h5", touching_scene);
  check_all_formats(0, FRAMES - 1);
}

// One frame: nothing moves, and no animation is written; the first frame has no contacts.
static void a_range_and_a_single_frame_are_exported(void** state) {
  (void)state;
  use("touching.h5", touching_scene);
  char files[1024] = "";
  export_checked(CPS_EXPORT_PVD, "one.pvd", 0, 0, -1, files);
  export_checked(CPS_EXPORT_USDA, "one.usda", 0, 0, -1, files);
  export_checked(CPS_EXPORT_GLTF, "one.glb", 0, 0, -1, files);
  check_numbers(0, 0, files);
  files[0] = '\0';
  export_checked(CPS_EXPORT_PVD, "some.pvd", 3, 5, -1, files);
  export_checked(CPS_EXPORT_GLTF, "lines.glb", 3, 5, 0, files);
  export_checked(CPS_EXPORT_OBJ, "some-obj", 3, 5, 5, files);
  export_checked(CPS_EXPORT_CSV, "some.csv", 3, 5, -1, files);
  check_numbers(3, 5, files);
}

static int open_lines(const char* path, char lines[][256], const char* key, int most) {
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  int count = 0;
  char line[256];
  while (fgets(line, sizeof line, file) && count < most) {
    if (strncmp(line, key, strlen(key)) == 0) snprintf(lines[count++], 256, "%s", line);
  }
  fclose(file);
  return count;
}

// The ball is where it started plus velocity times time; the helix is the curve whose frame turns by (2, 3, 0) per metre.
// Ten digits are written; the fibre's points come from single precision.
static void known_motions_are_where_they_must_be(void** state) {
  (void)state;
  use("known.h5", known_scene);
  CpsError error;
  assert_ok(export_to(CPS_EXPORT_OBJ, scratch_path("known-obj"), 0, -1, -1, NULL, &error), error);
  static char lines[20000][256];
  char path[256];
  snprintf(path, sizeof path, "%s/known-0005.obj", scratch_path("known-obj"));
  double t = 5 * 0.02, x, y, z;
  int count = open_lines(path, lines, "v ", 20000);
  assert_true(count > 100);
  // the first point of a sphere is its lowest
  assert_int_equal(sscanf(lines[0], "v %lf %lf %lf", &x, &y, &z), 3);
  assert_near(x, 1.0 + t, 1e-9);
  assert_near(y, 2.0 - 2.0 * t, 1e-9);
  assert_near(z, 3.0 + 0.5 * t - 0.25, 1e-9);
  // the fibre is the last: 5 points
  for (int i = 0; i < 5; ++i) {
    double s = 0.25 * i, k = sqrt(13.0), c = cos(k * s), sine = sin(k * s);
    // exp(s [kappa]) integrated along s, applied to the first axis, with kappa = (2, 3, 0) and k its size
    double along = 2.0 / 13.0, out[3];
    out[0] = along * 2.0 * s + (1.0 - along * 2.0) * sine / k;
    out[1] = along * 3.0 * (s - sine / k);
    out[2] = -3.0 / k * (1.0 - c) / k;
    assert_int_equal(sscanf(lines[count - 5 + i], "v %lf %lf %lf", &x, &y, &z), 3);
    assert_near(x, out[0], 1e-6);
    assert_near(y, 5.0 + out[1], 1e-6);
    assert_near(z, out[2], 1e-6);
  }
}

static void assert_refused(CpsExportFormat format, const char* path, int64_t first, int64_t last, CpsStatus wanted,
                           const char* words) {
  CpsError error = {""};
  int before = count_entries();
  CpsStatus status = export_to(format, path, first, last, -1, NULL, &error);
  if (status != wanted || !strstr(error.text, words)) print_error("status %d: %s\n", status, error.text);
  assert_int_equal(status, wanted);
  assert_non_null(strstr(error.text, words));
  assert_int_equal(count_entries(), before);
}

static void what_cannot_be_written_leaves_nothing(void** state) {
  (void)state;
  use("known.h5", known_scene);
  for (int f = 0; f < CPS_EXPORT_COUNT; ++f) {
    CpsExportFormat format = (CpsExportFormat)f;
    assert_refused(format, scratch_path("x"), 0, FRAMES, CPS_BAD_ARGUMENT,
                   "frames 0 to 6 do not all exist; the result has frames 0 to 5");
    assert_refused(format, scratch_path("x"), -1, 2, CPS_BAD_ARGUMENT, "do not all exist");
    assert_refused(format, scratch_path("x"), 3, 2, CPS_BAD_ARGUMENT, "do not all exist");
    assert_refused(format, scratch_path("nowhere/x"), 0, 1, CPS_FILE_ERROR, "cannot be written: No such file");
  }
  // a folder with something in it that is not ours, and a file in the place of a folder
  char folder[192], file[256];
  snprintf(folder, sizeof folder, "%s", scratch_path("mine"));
  snprintf(file, sizeof file, "%s/notes.txt", folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  fclose(fopen(file, "w"));
  assert_refused(CPS_EXPORT_OBJ, folder, 0, 1, CPS_FILE_ERROR, "is a folder with other files ('notes.txt')");
  assert_refused(CPS_EXPORT_GLTF, folder, 0, 1, CPS_FILE_ERROR, "is a directory");
  assert_true(exists(file));
  assert_refused(CPS_EXPORT_OBJ, file, 0, 1, CPS_FILE_ERROR, "exists and is not a folder");
  assert_true(exists(file));
}

// Twice into the same place: the second export takes the place of the first, whole.
static void an_older_export_is_replaced(void** state) {
  (void)state;
  use("known.h5", known_scene);
  char path[192], old[256];
  CpsError error;
  snprintf(path, sizeof path, "%s", scratch_path("again-obj"));
  snprintf(old, sizeof old, "%s/again-0005.obj", path);
  assert_ok(export_to(CPS_EXPORT_OBJ, path, 0, 5, -1, NULL, &error), error);
  assert_true(exists(old));
  int before = count_entries();
  char slashed[200];
  snprintf(slashed, sizeof slashed, "%s//", path);
  assert_ok(export_to(CPS_EXPORT_OBJ, slashed, 0, 2, -1, NULL, &error), error);
  assert_false(exists(old));
  assert_int_equal(count_entries(), before);
}

static bool stop_at_three(int64_t done, int64_t total, void* data) {
  (void)total;
  (*(int*)data)++;
  return done < 3;
}

static void an_interrupted_export_leaves_nothing(void** state) {
  (void)state;
  use("touching.h5", touching_scene);
  for (int f = 0; f < CPS_EXPORT_COUNT; ++f) {
    CpsResult* result = NULL;
    CpsError error;
    int calls = 0, before = count_entries();
    assert_ok(cps_result_open(result_path, &result, &error), error);
    CpsExportOptions options = cps_export_options_default();
    options.format = (CpsExportFormat)f;
    options.progress = stop_at_three;
    options.progress_data = &calls;
    assert_int_equal(cps_export(result, scratch_path("stopped"), &options, NULL, &error), CPS_INTERRUPTED);
    assert_true(calls > 0);
    assert_int_equal(count_entries(), before);
    cps_result_destroy(result);
  }
}

// Writes one number of a dataset of floats.
static void write_real(const char* name, const hsize_t* at, double value) {
  hid_t file = H5Fopen(result_path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space(dataset), memory = H5Screate(H5S_SCALAR);
  assert_true(file >= 0 && dataset >= 0 && H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

// VTK has a word for what is not a number, the others have none.
static void what_is_not_a_number_is_kept_or_refused(void** state) {
  (void)state;
  snprintf(result_path, sizeof result_path, "%s", scratch_path("nan.h5"));
  write_scene_result(known_scene, result_path, 4);
  write_real("/frames/fibre_point", (const hsize_t[]){2, 1, 0}, NAN);
  static const CpsExportFormat NO_WORD[] = {CPS_EXPORT_USDA, CPS_EXPORT_GLTF, CPS_EXPORT_OBJ};
  for (int i = 0; i < 3; ++i) {
    assert_refused(NO_WORD[i], scratch_path("x"), 0, 3, CPS_BAD_DATA,
                   "frame 2 has positions that are not numbers, which ");
  }
  check_format(CPS_EXPORT_PVD, "nan.pvd", 0, 3, -1);
  CpsError error;
  assert_ok(export_to(CPS_EXPORT_USDA, scratch_path("before.usda"), 0, 1, -1, NULL, &error), error);
  write_real("/frames/pose", (const hsize_t[]){3, 0, 1}, INFINITY);
  assert_refused(CPS_EXPORT_GLTF, scratch_path("x"), 3, 3, CPS_BAD_DATA, "frame 3 has positions that are not numbers");
}

// Names as somebody else may have written them: blanks, quotes, brackets, other alphabets, broken UTF-8, the same twice.
static void any_names_can_be_exported(void** state) {
  (void)state;
  static const char NAMES[3][32] = {"a \"b\" \\ <c> & #1", "\xe9\xab\xaa[0]", "bad \xff utf8"};
  snprintf(result_path, sizeof result_path, "%s", scratch_path("names.h5"));
  write_scene_result(known_scene, result_path, 3);
  hid_t file = H5Fopen(result_path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "/bodies/name", H5P_DEFAULT);
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, sizeof NAMES[0]);
  H5Tset_cset(type, H5T_CSET_UTF8);
  assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, NAMES) >= 0);
  H5Tclose(type);
  H5Dclose(dataset);
  dataset = H5Dopen2(file, "/obstacles/name", H5P_DEFAULT);
  static const char SAME[2][16] = {"7 up", "7-up"};
  type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, sizeof SAME[0]);
  H5Tset_cset(type, H5T_CSET_UTF8);
  assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, SAME) >= 0);
  H5Tclose(type);
  H5Dclose(dataset);
  H5Fclose(file);
  CpsError error;
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path("names.glb"));
  assert_ok(export_to(CPS_EXPORT_GLTF, path, 0, 2, -1, NULL, &error), error);
  read_by_node(path, "");
  snprintf(path, sizeof path, "%s", scratch_path("names.usda"));
  assert_ok(export_to(CPS_EXPORT_USDA, path, 0, 2, -1, NULL, &error), error);
  read_by_node(path, scratch_path("back.usda"));
  static char lines[200][256];
  int count = open_lines(path, lines, "        def Xform \"", 200);
  assert_int_equal(count, 5);
  static const char* const WANTED[] = {"a__b_____c_____1", "___0", "bad___utf8", "_7_up", "_7_up_1"};
  for (int i = 0; i < 5; ++i) {
    if (!strstr(lines[i], WANTED[i])) print_error("%s", lines[i]);
    assert_non_null(strstr(lines[i], WANTED[i]));
  }
  // a material that is called as the colour of things without one
  assert_int_equal(open_lines(path, lines, "        def Material \"default_body", 200), 2);
  assert_string_not_equal(lines[0], lines[1]);
  assert_ok(export_to(CPS_EXPORT_OBJ, scratch_path("names-obj"), 0, 0, -1, NULL, &error), error);
  snprintf(path, sizeof path, "%s/names-0000.obj", scratch_path("names-obj"));
  assert_int_equal(open_lines(path, lines, "o ", 200), 6);
  assert_string_equal(lines[0], "o a_\"b\"___<c>_&__1\n");
}

// 800 balls of 314 points each: USD says their shape once, ParaView gets rounder ones only in small scenes.
static void many_bodies_share_their_shapes(void** state) {
  (void)state;
  static const char BALLS[] =
      "bodies: {b: {sphere: {radius: 1 cm}, grid: {count: [10, 10, 8], spacing: [5 cm, 5 cm, 5 cm]}}}\n";
  snprintf(result_path, sizeof result_path, "%s", scratch_path("balls.h5"));
  write_scene_result(BALLS, result_path, 1);
  CpsExportInfo info;
  CpsError error;
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path("balls.usda"));
  assert_ok(export_to(CPS_EXPORT_USDA, path, 0, 0, -1, &info, &error), error);
  assert_true(info.bytes < 1000000);
  static char lines[900][256];
  assert_int_equal(open_lines(path, lines, "                prepend references = </Shapes/Shape_0>", 900), 800);
  assert_int_equal(open_lines(path, lines, "    def Mesh \"Shape_", 900), 1);
  read_by_node(path, scratch_path("back.usda"));
  assert_ok(export_to(CPS_EXPORT_PVD, scratch_path("balls.pvd"), 0, 0, -1, &info, &error), error);
  // 16 corners: 114 points and 224 triangles of 36 and 48 bytes, and the text
  assert_true(info.bytes > 800 * 14856 && info.bytes < 800 * 14856 + 100000);
}

// 2 x 2 cells of 4 particles that fly along x: USD has them where the result has them, as wide as half a cell.
static void grains_are_points(void** state) {
  (void)state;
  static const char SAND[] =
      "gravity: [0, 0, 0]\ngrid: {plane: xz, cell: 4 cm}\n"
      "grains: {sand: {box: {to: [8 cm, 0, 8 cm]}, velocity: [0.5, 0, 0]}}\n"
      "time: {step: 10 ms, end: 0.1 s}\noutput: {frames: 20 ms}\n";
  enum { COUNT = 16, LONG = 4096 };
  snprintf(result_path, sizeof result_path, "%s", scratch_path("sand.h5"));
  write_scene_result(SAND, result_path, 3);
  CpsError error;
  CpsResult* result = NULL;
  CpsVec3 places[COUNT];
  assert_ok(cps_result_open(result_path, &result, &error), error);
  assert_int_equal(cps_result_info(result).particles, COUNT);
  assert_ok(cps_result_frame_particles(result, 2, places, NULL, &error), error);
  const double time = cps_result_frame_time(result, 2);
  cps_result_destroy(result);
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path("sand.usda"));
  assert_ok(export_to(CPS_EXPORT_USDA, path, 0, 2, -1, NULL, &error), error);
  read_by_node(path, scratch_path("back.usda"));
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  char line[LONG];
  bool grains = false, points = false;
  int samples = 0, found = 0;
  while (fgets(line, sizeof line, file)) {
    double width = 0.0;
    grains = grains || strstr(line, "def Points \"Grains\"");
    if (!grains) continue;
    if (sscanf(line, " float[] widths = [%lf]", &width) == 1) assert_true(fabs(width - 0.02) < 1e-9);
    if (strchr(line, '}')) points = false;
    if (points && ++samples == 3) {
      const char* at = strchr(line, '[');
      for (CpsVec3 p; at && (at = strchr(at, '(')) && sscanf(at, "(%lf, %lf, %lf)", &p.x, &p.y, &p.z) == 3; ++at) {
        assert_true(found < COUNT && fabs(p.x - places[found].x) < 1e-8 && fabs(p.z - places[found].z) < 1e-8);
        found++;
      }
    }
    if (strstr(line, "point3f[] points.timeSamples")) points = true;
  }
  fclose(file);
  assert_int_equal(samples, 3);
  assert_int_equal(found, COUNT);
  assert_true(fabs(places[0].x - 0.01 - 0.5 * time) < 1e-6);
  // for ParaView also the fields of the grid: 2 x 2 cells with 3 x 3 corners
  assert_ok(export_to(CPS_EXPORT_PVD, scratch_path("sand.pvd"), 0, 0, -1, NULL, &error), error);
  file = fopen(scratch_path("sand-vtp/fields-0000.vtu"), "r");
  assert_non_null(file);
  int arrays = 0;
  bool counts = false;
  while (fgets(line, sizeof line, file) && !strstr(line, "<AppendedData")) {
    counts = counts || strstr(line, "NumberOfPoints=\"9\" NumberOfCells=\"4\"");
    arrays += strstr(line, "Name=\"velocity\" NumberOfComponents=\"3\"") != NULL;
    arrays += strstr(line, "Name=\"stress\" NumberOfComponents=\"6\"") != NULL;
    arrays += strstr(line, "Name=\"pressure\"") != NULL;
    arrays += strstr(line, "Name=\"fraction\"") != NULL;
    arrays += strstr(line, "Name=\"status\"") != NULL;
  }
  fclose(file);
  assert_true(counts);
  assert_int_equal(arrays, 5);
}

// A morph target for each frame, up to 1000 frames.
static void fibres_of_too_many_frames_stand_still_and_it_is_said(void** state) {
  (void)state;
  static const char HAIR[] =
      "time: {step: 1 ms, end: 10}\noutput: {contacts: false}\n"
      "fibres: {hair: {model: mass-spring, elements: 2, length: 0.1, root: clamped}}\n";
  snprintf(result_path, sizeof result_path, "%s", scratch_path("long.h5"));
  write_scene_result(HAIR, result_path, 1003);
  CpsExportInfo info;
  CpsError error;
  char path[192];
  snprintf(path, sizeof path, "%s", scratch_path("long.glb"));
  assert_ok(export_to(CPS_EXPORT_GLTF, path, 0, 1001, -1, &info, &error), error);
  assert_non_null(strstr(info.note, "fibres are not animated: 1002 frames of 54 points are too many for glTF"));
  read_by_node(path, "");
  assert_ok(export_to(CPS_EXPORT_GLTF, path, 2, 1002, 0, &info, &error), error);
  assert_string_equal(info.note, "");
  read_by_node(path, "");
}

static void bad_calls_are_refused(void** state) {
  (void)state;
  use("known.h5", known_scene);
  CpsResult* result = NULL;
  CpsError error;
  assert_ok(cps_result_open(result_path, &result, &error), error);
  CpsExportOptions options = cps_export_options_default();
  assert_int_equal(cps_export(NULL, "x", &options, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_export(result, NULL, &options, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_export(result, "x", NULL, NULL, &error), CPS_BAD_ARGUMENT);
  options.format = CPS_EXPORT_COUNT;
  assert_int_equal(cps_export(result, "x", &options, NULL, &error), CPS_BAD_ARGUMENT);
  options = cps_export_options_default();
  options.around = 3;
  assert_int_equal(cps_export(result, "x", &options, NULL, &error), CPS_BAD_ARGUMENT);
  options = cps_export_options_default();
  options.tube = 2;
  assert_int_equal(cps_export(result, "x", &options, NULL, &error), CPS_BAD_ARGUMENT);
  options = (CpsExportOptions){.last = -1};
  assert_int_equal(cps_export(result, "x", &options, NULL, &error), CPS_BAD_ARGUMENT);
  cps_result_destroy(result);
  assert_null(cps_export_format_name(CPS_EXPORT_COUNT));
  assert_null(cps_export_format_suffix(CPS_EXPORT_COUNT));
  assert_int_equal(cps_export_format_find("vtk"), CPS_EXPORT_COUNT);
  assert_int_equal(cps_export_format_find(NULL), CPS_EXPORT_COUNT);
  assert_int_equal(cps_export_format_find("usda"), CPS_EXPORT_USDA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(foreign_programs_find_the_numbers_of_the_result),
      cmocka_unit_test(a_range_and_a_single_frame_are_exported),
      cmocka_unit_test(known_motions_are_where_they_must_be),
      cmocka_unit_test(what_cannot_be_written_leaves_nothing),
      cmocka_unit_test(an_older_export_is_replaced),
      cmocka_unit_test(an_interrupted_export_leaves_nothing),
      cmocka_unit_test(what_is_not_a_number_is_kept_or_refused),
      cmocka_unit_test(any_names_can_be_exported),
      cmocka_unit_test(many_bodies_share_their_shapes),
      cmocka_unit_test(grains_are_points),
      cmocka_unit_test(fibres_of_too_many_frames_stand_still_and_it_is_said),
      cmocka_unit_test(bad_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, find_python, remove_all);
}
