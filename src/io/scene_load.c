// Scenes: reading, checking, and what they say.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/fail.h"
#include "io/scene_internal.h"

CpsStatus cps_scene_no_memory(CpsReader* reader) {
  if (reader->error) snprintf(reader->error->text, sizeof reader->error->text, "out of memory");
  return CPS_NO_MEMORY;
}

CpsStatus cps_scene_spend(CpsReader* reader, const CpsNode* node, int64_t count, int64_t cost) {
  reader->spent += count * cost;
  if (reader->spent <= CPS_SCENE_BUDGET) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, node, "files, curves, hulls and stones are too many all together");
}

const char* cps_scene_text(CpsReader* reader, const char* text) {
  size_t size = strlen(text) + 1;
  char* copy = CPS_TAKE(&reader->scene->memory, char, (int64_t)size);
  return copy ? memcpy(copy, text, size) : NULL;
}

// Without a title: the file's name without folder and ending.
static CpsStatus load_title(CpsReader* reader, const char* name) {
  const CpsNode* node = cps_node_find(reader->root, "title");
  const char* slash = strrchr(name, '/');
  char* title = (char*)cps_scene_text(reader, node ? node->text : slash ? slash + 1 : name);
  if (!title) return cps_scene_no_memory(reader);
  char* dot = node ? NULL : strrchr(title, '.');
  if (dot && dot != title) *dot = '\0';
  reader->scene->title = title;
  return CPS_OK;
}

static CpsStatus read_tree(CpsReader* reader, const char* text, size_t length, const char* name, CpsFileId self) {
  const CpsSource* source = cps_scene_source(&reader->tree, name);
  if (!source) return cps_scene_no_memory(reader);
  reader->bytes = length;
  CpsStatus status = cps_yaml_parse(&reader->tree, source, text, length, &reader->root, reader->error);
  return status == CPS_OK ? cps_scene_include(reader, reader->root, self) : status;
}

static CpsStatus load_parts(CpsReader* reader, const char* name) {
  CpsStatus status = load_title(reader, name);
  if (status == CPS_OK) status = cps_scene_load_settings(reader);
  if (status == CPS_OK) status = cps_scene_load_materials(reader);
  if (status == CPS_OK) status = cps_scene_load_obstacles(reader);
  if (status == CPS_OK) status = cps_scene_load_bodies(reader);
  if (status == CPS_OK) status = cps_scene_load_loads(reader);
  if (status == CPS_OK) status = cps_scene_load_fibres(reader);
  if (status == CPS_OK) status = cps_scene_load_pulls(reader);
  if (status == CPS_OK) status = cps_scene_load_state(reader);
  return status;
}

static CpsStatus load(const char* text, size_t length, const char* name, CpsFileId self, const char* const* overrides,
                      int32_t count, CpsScene** scene, CpsError* error) {
  CpsReader reader = {.error = error};
  reader.scene = calloc(1, sizeof *reader.scene);
  if (!reader.scene) return cps_scene_no_memory(&reader);
  CpsStatus status = read_tree(&reader, text, length, name, self);
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) status = cps_scene_override(&reader, overrides[i]);
  if (status == CPS_OK) status = cps_scene_check(reader.root, error);
  if (status == CPS_OK) status = load_parts(&reader, name);
  if (status == CPS_OK) status = cps_scene_keep_text(&reader, text, length, overrides, count);
  // whatever came of it, the scene owns the tree
  reader.scene->tree = reader.tree;
  reader.scene->root = reader.root;
  if (status != CPS_OK) {
    cps_scene_destroy(reader.scene);
    return status;
  }
  if (error) error->text[0] = '\0';
  *scene = reader.scene;
  return CPS_OK;
}

CpsStatus cps_scene_parse(const char* text, size_t length, const char* name, const char* const* overrides,
                          int32_t count, CpsScene** scene, CpsError* error) {
  if (!text || !name || !scene || count < 0 || (count > 0 && !overrides)) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_scene_parse", NULL, "text, name, scene or overrides is missing");
  }
  return load(text, length, name, (CpsFileId){0}, overrides, count, scene, error);
}

CpsStatus cps_scene_load(const char* path, const char* const* overrides, int32_t count, CpsScene** scene,
                         CpsError* error) {
  if (!path || !scene || count < 0 || (count > 0 && !overrides)) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_scene_load", NULL, "path, scene or overrides is missing");
  }
  char* text = NULL;
  size_t length;
  CpsFileId id = {0};
  char why[CPS_FILE_WHY_SIZE];
  CpsStatus status = cps_file_text(path, CPS_YAML_BYTES, false, &text, &length, &id, why);
  if (status != CPS_OK) return cps_io_fail(error, status, path, NULL, "%s", why);
  status = load(text, length, path, id, overrides, count, scene, error);
  free(text);
  return status;
}

void cps_scene_destroy(CpsScene* scene) {
  if (!scene) return;
  cps_arena_free(&scene->memory);
  cps_tree_free(&scene->tree);
  free(scene);
}
