// Results that are well-formed HDF5 and ill-formed results: a small good one is changed through HDF5 calls where the fuzzer's
// bytes say (datasets and attributes that are missing, of another type, shape or length, with odd numbers), and everything
// that can be read is read, exported and resumed. Each call must succeed or say why in one line, and nothing may crash.
#include "h5_files.h"

#include <capstan/export.h>
#include <capstan/frame.h>
#include <capstan/result.h>

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
} good;

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

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  make_folder("result.h5", NULL);
  make_result();
  read_good_file();
  CHECK(good_file.dataset_count > 30 && good_file.attribute_count > 10);
  return 0;
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
  change_good_file(&bytes);
  read_result(&bytes);
  CpsResultWriter* writer = NULL;
  CpsRunTotals totals;
  CpsError error = {""};
  CpsStatus status = cps_result_resume(file_name, good.scene, good.world, &totals, &writer, &error);
  check_sentence(status, &error);
  cps_result_close(writer);
  return 0;
}
