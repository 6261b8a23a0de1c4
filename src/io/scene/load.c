// Scenes: reading, checking, and what they say.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "capstan/hair.h"
#include "io/scene/internal.h"

CpsStatus cps_scene_no_memory(CpsReader* reader) {
  if (reader->error) snprintf(reader->error->text, sizeof reader->error->text, "out of memory");
  return CPS_NO_MEMORY;
}

bool cps_scene_next(CpsReader* reader, int32_t before, CpsStatus status) {
  return status == CPS_OK || cps_mistakes_add(&reader->mistakes, before, status, reader->error);
}

CpsStatus cps_scene_each(CpsReader* reader, const CpsNode* section, CpsEntryFn read) {
  const int32_t others = reader->mistakes.count;  // of other parts
  for (const CpsNode* entry = section ? section->first : NULL; entry; entry = entry->next) {
    const int32_t before = reader->mistakes.count;
    const CpsStatus status = read(reader, entry);
    if (!cps_scene_next(reader, before, status)) return status;
  }
  return reader->mistakes.count == others ? CPS_OK : reader->mistakes.status;
}

void cps_scene_note(CpsReader* reader, const CpsNode* node, const char* format, ...) {
  if (!reader->mistakes.tell) return;
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  CpsError sentence;
  cps_node_fail(&sentence, CPS_OK, node, "%s", text);
  reader->mistakes.tell(false, sentence.text, reader->mistakes.data);
}

CpsStatus cps_scene_spend(CpsReader* reader, const CpsNode* node, int64_t count, int64_t cost) {
  reader->spent += count * cost;
  if (reader->spent <= CPS_SCENE_BUDGET) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, node,
                       "too large: the files, curves, hulls, stones, sheets and solids of the scene up to here take "
                       "about %.0f MB, more than %d MB",
                       1e-6 * (double)reader->spent, CPS_SCENE_BUDGET / 1000000);
}

const char* cps_scene_text(CpsReader* reader, const char* text) {
  size_t size = strlen(text) + 1;
  char* copy = CPS_TAKE(&reader->scene->memory, char, (int64_t)size);
  return copy ? memcpy(copy, text, size) : NULL;
}

// The default title: the file's name without folder and ending.
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
  CpsStatus status =
      cps_yaml_parse(&reader->tree, source, text, length, &reader->root, &reader->mistakes, reader->error);
  return status == CPS_OK ? cps_scene_include(reader, reader->root, self) : status;
}

// Loads a part of the scene; false if it has errors.
static bool load_part(CpsReader* reader, CpsStatus (*part)(CpsReader*), CpsStatus* status) {
  int32_t before = reader->mistakes.count;
  CpsStatus own = part(reader);
  if (own == CPS_OK) return true;
  if (!cps_scene_next(reader, before, own) || *status == CPS_OK) *status = own;
  return false;
}

// Skips parts that depend on a part with errors, to avoid spurious errors. Only their names are checked (references.c).
static CpsStatus load_parts(CpsReader* reader, const char* name) {
  CpsStatus status = load_title(reader, name);
  if (status != CPS_OK) return status;
  (void)load_part(reader, cps_scene_load_settings, &status);
  if (!load_part(reader, cps_scene_load_materials, &status) || !load_part(reader, cps_scene_load_obstacles, &status)) {
    return status;
  }
  reader->loaded.things = true;
  bool good = load_part(reader, cps_scene_load_bodies, &status);
  reader->loaded.loads = good;
  good = good && load_part(reader, cps_scene_load_loads, &status);
  good = load_part(reader, cps_scene_load_fibres, &status) && good;
  good = load_part(reader, cps_scene_load_sheets, &status) && good;
  good = load_part(reader, cps_scene_load_solids, &status) && good;
  good = load_part(reader, cps_scene_load_grains, &status) && good;
  good = load_part(reader, cps_scene_load_flow, &status) && good;
  reader->loaded.pulls = reader->loaded.ties = good;
  if (good) good = load_part(reader, cps_scene_load_pulls, &status);
  good = (!reader->loaded.ties || load_part(reader, cps_scene_load_ties, &status)) && good;
  if (good && status == CPS_OK) (void)load_part(reader, cps_scene_load_state, &status);
  return status;
}

static CpsStatus load(const char* text, size_t length, const char* name, CpsFileId self, const char* const* overrides,
                      int32_t count, CpsMistakes mistakes, CpsScene** scene, CpsError* error) {
  CpsError own;  // recording errors requires an error struct
  CpsReader reader = {.error = error || !mistakes.tell ? error : &own, .mistakes = mistakes};
  reader.scene = calloc(1, sizeof *reader.scene);
  if (!reader.scene) return cps_scene_no_memory(&reader);
  CpsStatus status = read_tree(&reader, text, length, name, self);
  for (int32_t i = 0; status == CPS_OK && i < count; ++i) status = cps_scene_override(&reader, overrides[i]);
  const bool checked = status == CPS_OK;
  if (status == CPS_OK) status = cps_scene_check(reader.root, &reader.mistakes, reader.error);
  if (status == CPS_OK && reader.mistakes.count > 0) status = reader.mistakes.status;  // duplicate keys
  if (status == CPS_OK) status = load_parts(&reader, name);
  if (status == CPS_OK) status = cps_scene_keep_text(&reader, text, length, overrides, count);
  // on all paths, the scene owns the tree
  reader.scene->tree = reader.tree;
  reader.scene->root = reader.root;
  if (status != CPS_OK) {
    (void)cps_mistakes_add(&reader.mistakes, 0, status, reader.error);
    if (checked) cps_scene_check_references(&reader);
    cps_scene_destroy(reader.scene);
    if (reader.mistakes.count == 0) return status;
    if (error) *error = reader.mistakes.first;
    return reader.mistakes.status;
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
  return load(text, length, name, (CpsFileId){0}, overrides, count, (CpsMistakes){0}, scene, error);
}

CpsStatus cps_scene_load(const char* path, const char* const* overrides, int32_t count, CpsScene** scene,
                         CpsError* error) {
  return cps_scene_load_telling(path, overrides, count, NULL, NULL, scene, error);
}

CpsStatus cps_scene_load_telling(const char* path, const char* const* overrides, int32_t count, CpsTellFn tell,
                                 void* data, CpsScene** scene, CpsError* error) {
  if (!path || !scene || count < 0 || (count > 0 && !overrides)) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_scene_load", NULL, "path, scene or overrides is missing");
  }
  char* text = NULL;
  size_t length;
  CpsFileId id = {0};
  char why[CPS_FILE_WHY_SIZE];
  CpsError own, *to = error ? error : &own;
  const bool groom = cps_hair_recognise(path);
  CpsStatus status = groom ? cps_scene_around_groom(path, &text, &length, to)
                           : cps_file_text(path, CPS_YAML_BYTES, false, &text, &length, &id, why);
  if (status != CPS_OK) {
    if (!groom) cps_io_fail(to, status, path, NULL, "%s", why);
    if (tell) tell(true, to->text, data);
    return status;
  }
  status = load(text, length, path, id, overrides, count, (CpsMistakes){.tell = tell, .data = data}, scene, error);
  free(text);
  return status;
}

void cps_scene_destroy(CpsScene* scene) {
  if (!scene) return;
  cps_arena_free(&scene->memory);
  cps_tree_free(&scene->tree);
  free(scene);
}
