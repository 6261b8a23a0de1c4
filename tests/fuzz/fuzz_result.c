// Results that are well-formed HDF5 and ill-formed results: a small good one is changed through HDF5 calls where the fuzzer's
// bytes say (datasets and attributes that are missing, of another type, shape or length, with odd numbers), and everything
// that can be read is read, exported and resumed. Each call must succeed or say why in one line, and nothing may crash.
#include "h5_changes.h"

#include <capstan/export.h>
#include <capstan/frame.h>
#include <capstan/result.h>
#include <string.h>

enum { MOST_NAMES = 128, NAME_SIZE = 48, MOST_CHANGES = 4, MOST_RANK = 3 };

static const char SCENE[] =
    "time: {step: 4 ms, end: 0.02 s}\n"
    "output: {frames: 8 ms, tension: true}\n"
    "obstacles:\n"
    "  floor: {plane: {}}\n"
    "  rail: {tube: {radius: 0.01, points: [[1, 0, 0], [1, 1, 0], [1, 1, 1]]}}\n"
    "bodies:\n"
    "  ball: {sphere: {radius: 0.1}, position: [0, 0, 0.099]}\n"
    "  hull: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, position: [3, 0, 0]}\n"
    "  brick:\n"
    "    position: [-1, 0, 0.1]\n"
    "    compound: [{box: {size: [0.2, 0.1, 0.05]}}, {capsule: {radius: 0.02, length: 0.1}, position: [0, 0, 0.06]}]\n"
    "fibres:\n"
    "  hair: {model: der, elements: 4, length: 0.2, position: [0, 0, 0.3], root: clamped}\n"
    "  tree: {model: super-helix-recursive, elements: 2, branches: [{at: 0, length: 0.1, radius: 1 mm}], position: [2, "
    "0, "
    "1]}\n";

// What is the same for all inputs.
static struct {
  CpsScene* scene;
  CpsWorld* world;
  void* image;
  size_t size;
  char datasets[MOST_NAMES][NAME_SIZE], attributes[MOST_NAMES][NAME_SIZE];
  int dataset_count, attribute_count;
} good;

// Waiting for the disk would be most of the time.
int fsync(int file) {
  (void)file;
  return 0;
}

int fdatasync(int file) {
  (void)file;
  return 0;
}

static void make_result(void) {
  CpsResultWriter* writer = NULL;
  CpsRunTotals totals = {0};
  CHECK(cps_scene_parse(SCENE, strlen(SCENE), "x.yaml", NULL, 0, &good.scene, NULL) == CPS_OK);
  CHECK(cps_scene_build(good.scene, 1, &good.world, NULL) == CPS_OK);
  CHECK(cps_result_create(file_name, good.scene, &writer, NULL) == CPS_OK);
  CpsStepInfo info = {0};
  CHECK(cps_result_write(writer, good.world, &info, &totals, NULL) == CPS_OK);
  for (int i = 0; i < 5; ++i) {
    CHECK(cps_world_step(good.world, &info, NULL) == CPS_OK);
    CpsEnergy energy = cps_world_energy(good.world);
    cps_run_totals_add(&totals, &info, &energy);
    CHECK(cps_result_add_step(writer, good.world, &info, NULL) == CPS_OK);
    if (i % 2) CHECK(cps_result_write(writer, good.world, &info, &totals, NULL) == CPS_OK);
  }
  CHECK(cps_result_finish(writer, NULL) == CPS_OK);
}

static herr_t note_dataset(hid_t file, const char* name, const H5O_info_t* info, void* data) {
  (void)file;
  (void)data;
  if (info->type != H5O_TYPE_DATASET || good.dataset_count == MOST_NAMES) return 0;
  (void)snprintf(good.datasets[good.dataset_count++], NAME_SIZE, "%s", name);
  return 0;
}

static herr_t note_attribute(hid_t file, const char* name, const H5A_info_t* info, void* data) {
  (void)file;
  (void)info;
  (void)data;
  if (good.attribute_count == MOST_NAMES) return 0;
  (void)snprintf(good.attributes[good.attribute_count++], NAME_SIZE, "%s", name);
  return 0;
}

static void read_image(void) {
  FILE* in = fopen(file_name, "rb");
  CHECK(in && fseek(in, 0, SEEK_END) == 0);
  good.size = (size_t)ftell(in);
  good.image = malloc(good.size);
  rewind(in);
  CHECK(good.image && fread(good.image, 1, good.size, in) == good.size);
  CHECK(fclose(in) == 0);
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  make_folder("result.h5");
  make_result();
  read_image();
  hid_t file = open_in_memory(good.image, good.size);
  CHECK(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_dataset, NULL) >= 0);
  CHECK(H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, NULL) >= 0);
  CHECK(good.dataset_count > 30 && good.attribute_count > 10);
  (void)H5Fclose(file);
  return 0;
}

// Another dataset in its place, of another type or shape, full of one value.
static void replace(Bytes* bytes, hid_t file, const char* name, bool retype) {
  hid_t old = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t type = H5Dget_type(old), space = H5Dget_space(old);
  hsize_t sizes[H5S_MAX_RANK] = {0};
  int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
  if (!retype) {
    int which = next_below(bytes, MOST_RANK);
    if (which < rank) sizes[which] = (hsize_t)next_below(bytes, 12);
    if (next_below(bytes, 4) == 0) rank = next_below(bytes, MOST_RANK + 1);
  }
  hid_t drawn = retype ? draw_type(bytes, H5T_IEEE_F64LE) : type;
  hid_t made_space = rank > 0 ? H5Screate_simple(rank, sizes, NULL) : H5Screate(H5S_SCALAR);
  (void)H5Dclose(old);
  (void)H5Ldelete(file, name, H5P_DEFAULT);
  hid_t set = H5Dcreate2(file, name, drawn, made_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  double one = next_number(bytes);
  hid_t scalar = H5Screate(H5S_SCALAR);
  if (set >= 0 && H5Sget_simple_extent_npoints(made_space) == 1) {
    (void)H5Dwrite(set, H5T_NATIVE_DOUBLE, scalar, H5S_ALL, H5P_DEFAULT, &one);
  }
  if (set >= 0) (void)H5Dclose(set);
  (void)H5Sclose(scalar);
  (void)H5Sclose(made_space);
  (void)H5Sclose(space);
  (void)H5Tclose(type);
}

static void change_entry(Bytes* bytes, hid_t set) {
  hid_t space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
  hsize_t sizes[H5S_MAX_RANK] = {0}, at[H5S_MAX_RANK] = {0};
  int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
  for (int i = 0; i < rank; ++i) at[i] = sizes[i] > 0 ? (hsize_t)next_byte(bytes) % sizes[i] : 0;
  if (rank > 0) (void)H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
  double value = next_below(bytes, 2) ? odd_value(bytes) : next_number(bytes) * next_scale(bytes);
  int64_t whole = next_below(bytes, 4) ? next_byte(bytes) - 8 : next_below(bytes, 2) ? INT64_MAX : INT64_MIN;
  bool integer = H5Tget_class(H5Dget_type(set)) == H5T_INTEGER;
  (void)H5Dwrite(set, integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT,
                 integer ? (void*)&whole : (void*)&value);
  (void)H5Sclose(one);
  (void)H5Sclose(space);
}

// Longer or shorter, perhaps far longer than the file.
static void change_length(Bytes* bytes, hid_t set) {
  hid_t space = H5Dget_space(set);
  hsize_t sizes[H5S_MAX_RANK] = {0};
  int rank = H5Sget_simple_extent_dims(space, sizes, NULL);
  int byte = next_byte(bytes);
  if (rank > 0) sizes[0] = byte < 128 ? (hsize_t)byte % 12 : (hsize_t)1 << (byte % 63);
  if (rank > 0) (void)H5Dset_extent(set, sizes);
  (void)H5Sclose(space);
}

static void change_dataset(Bytes* bytes, hid_t file) {
  const char* name = good.datasets[next_byte(bytes) % good.dataset_count];
  int kind = next_below(bytes, 12);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return;  // changed before
  if (kind < 6) change_entry(bytes, set);
  if (kind == 6 || kind == 7) change_length(bytes, set);
  (void)H5Dclose(set);
  if (kind == 8 || kind == 9) replace(bytes, file, name, kind == 8);
  if (kind < 10) return;
  (void)H5Ldelete(file, name, H5P_DEFAULT);
  if (kind == 11) (void)H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void change_attribute(Bytes* bytes, hid_t file) {
  const char* name = good.attributes[next_byte(bytes) % good.attribute_count];
  (void)H5Adelete(file, name);
  int kind = next_below(bytes, 4);
  if (kind == 0) return;
  hsize_t count = (hsize_t)next_below(bytes, 4);
  hid_t space = kind == 1 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  hid_t made = H5Acreate2(file, name, draw_type(bytes, H5T_IEEE_F64LE), space, H5P_DEFAULT, H5P_DEFAULT);
  double values[4] = {odd_value(bytes), odd_value(bytes)};
  if (made >= 0) (void)H5Awrite(made, H5T_NATIVE_DOUBLE, values);
  if (made >= 0) (void)H5Aclose(made);
  (void)H5Sclose(space);
}

static void check_sentence(CpsStatus status, const CpsError* error) {
  if (status != CPS_OK) CHECK(status < 0 && strlen(error->text) > 10 && !strchr(error->text, '\n'));
}

static void read_frames(CpsResult* result, int64_t frames) {
  CpsResultInfo info = cps_result_info(result);
  CpsError error = {""};
  CHECK(info.bodies >= 0 && info.bodies < 1000 && info.obstacles >= 0 && info.obstacles < 1000);
  CpsPose* poses = malloc((size_t)(info.bodies + info.obstacles + 1) * sizeof *poses);
  CHECK(poses);
  CpsShow* show = NULL;
  check_sentence(cps_show_result(result, &show, &error), &error);
  for (int64_t i = 0; i < frames; ++i) {
    check_sentence(cps_result_frame_poses(result, i, poses, &error), &error);
    check_sentence(cps_result_frame_obstacles(result, i, poses, &error), &error);
    check_sentence(cps_result_load_frame(result, i, good.world, &error), &error);
    if (show) check_sentence(cps_show_read(show, i, &error), &error);
  }
  cps_show_destroy(show);
  free(poses);
}

static void export_it(CpsResult* result, int choice) {
  static const CpsExportFormat FILES[] = {CPS_EXPORT_USDA, CPS_EXPORT_GLTF, CPS_EXPORT_CSV};
  CpsExportOptions options = cps_export_options_default();
  CpsError error = {""};
  char out[96];
  options.format = FILES[choice];
  options.around = 6;
  (void)snprintf(out, sizeof out, "%s/exported", folder);
  check_sentence(cps_export(result, out, &options, NULL, &error), &error);
  (void)unlink(out);
}

static void read_result(Bytes* bytes) {
  CpsResult* result = NULL;
  CpsError error = {""};
  CpsStatus status = cps_result_open(file_name, &result, &error);
  check_sentence(status, &error);
  if (status != CPS_OK) return;
  CpsResultInfo info = cps_result_info(result);
  CHECK(info.title && info.scene_text && info.version && info.frames >= 0 && info.steps >= 0);
  const CpsResultPart* parts = NULL;
  int32_t count = 0;
  check_sentence(cps_result_parts(result, &parts, &count, &error), &error);
  read_frames(result, info.frames < 5 ? info.frames : 5);
  if (info.steps < 1000) {
    double* values = malloc(((size_t)info.steps + 1) * sizeof *values);
    CHECK(values);
    check_sentence(cps_result_series(result, "residual", values, &error), &error);
    free(values);
  }
  if (info.frames < 10 && info.steps < 1000) export_it(result, next_below(bytes, 3));
  cps_result_destroy(result);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  H5E_BEGIN_TRY {
    hid_t file = open_in_memory(good.image, good.size);
    int changes = 1 + next_below(&bytes, MOST_CHANGES);
    for (int i = 0; i < changes; ++i) {
      if (next_below(&bytes, 6) == 5) {
        change_attribute(&bytes, file);
      } else {
        change_dataset(&bytes, file);
      }
    }
    save_and_close(file);
  }
  H5E_END_TRY
  read_result(&bytes);
  CpsResultWriter* writer = NULL;
  CpsRunTotals totals;
  CpsError error = {""};
  CpsStatus status = cps_result_resume(file_name, good.scene, good.world, &totals, &writer, &error);
  check_sentence(status, &error);
  cps_result_close(writer);
  return 0;
}
