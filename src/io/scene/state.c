// The key `state` of a scene: a saved world from which it continues.
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/scene/internal.h"
#include "io/state_file.h"

static const size_t MOST_BYTES = (size_t)1 << 30;

static CpsStatus keep(CpsReader* reader, const char* path, const void* bytes, size_t size) {
  CpsScene* scene = reader->scene;
  char* copy = CPS_TAKE(&scene->memory, char, (int64_t)size + 1);
  scene->state_name = cps_scene_text(reader, path);
  if (!copy || !scene->state_name) return cps_scene_no_memory(reader);
  memcpy(copy, bytes, size);
  scene->state = copy;
  scene->state_size = size;
  return CPS_OK;
}

CpsStatus cps_scene_load_state(CpsReader* reader) {
  const CpsNode* node = cps_node_find(reader->root, "state");
  if (!node) return CPS_OK;
  const char* path = cps_scene_path(reader, node);
  if (!path) return cps_scene_no_memory(reader);
  char* file = NULL;
  size_t size, count;
  const void* bytes;
  char why[CPS_FILE_WHY_SIZE];
  CpsStatus status = cps_file_text(path, MOST_BYTES, true, &file, &size, NULL, why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, node, "'%.80s': %s", path, why);
  if (cps_state_open(file, size, &bytes, &count, why)) {
    status = keep(reader, path, bytes, count);
  } else {
    status = cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "'%.80s' %s", path, why);
  }
  free(file);
  return status;
}

CpsStatus cps_scene_resume(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  if (!scene->state) return CPS_OK;
  CpsError why = {""};
  CpsStatus status = cps_world_load(world, scene->state, scene->state_size, &why);
  const CpsNode* node = cps_node_find(scene->root, "state");
  return status == CPS_OK ? CPS_OK : cps_scene_build_fail(error, status, node, scene->state_name, &why);
}
