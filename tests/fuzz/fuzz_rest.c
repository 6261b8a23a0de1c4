// Files of natural strains that are well-formed HDF5 and ill-formed otherwise: read into a world they must succeed or say why in one
// line, and the world must step afterwards.
#include "h5_files.h"

#include <capstan/rest.h>
#include <capstan/scene.h>

static const char SCENE[] =
    "time: {step: 1 ms, end: 1 s}\n"
    "fibres:\n"
    "  a: {length: 0.2, elements: 3, radius: 1 mm, root: clamped}\n"
    "  b: {model: der, length: 0.2, elements: 4, radius: 1 mm, root: clamped, position: [0, 1, 0]}\n"
    "  c: {model: super-clothoid, length: 0.2, elements: 3, radius: 1 mm, root: clamped, position: [0, 2, 0]}\n";

static CpsScene* scene;

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  CpsWorld* world = NULL;
  make_folder("rest.h5", NULL);
  CHECK(cps_scene_parse(SCENE, strlen(SCENE), "x.yaml", NULL, 0, &scene, NULL) == CPS_OK);
  CHECK(cps_scene_build(scene, 1, &world, NULL) == CPS_OK);
  CHECK(cps_rest_write(file_name, world, NULL, NULL) == CPS_OK);
  cps_world_destroy(world);
  read_good_file();
  CHECK(good_file.dataset_count > 0);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  CpsError error = {""};
  CpsWorld* world = NULL;
  CHECK(cps_scene_build(scene, 1, &world, NULL) == CPS_OK);
  int32_t first = next_below(&bytes, 4), count = next_below(&bytes, 5) - 1;
  change_good_file(&bytes);
  CpsStatus status = cps_rest_read(file_name, world, first, count, &error);
  if (status != CPS_OK) CHECK(status < 0 && strlen(error.text) > 10 && !strchr(error.text, '\n'));
  CpsStepInfo info;
  (void)cps_world_step(world, &info, &error);
  cps_world_destroy(world);
  return 0;
}
