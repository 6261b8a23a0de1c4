// Files that a scene names, and `include`.
//
// An included file is a scene of its own that lies below the one that names it: maps are merged key by key, anything
// else is taken from the file that includes. Of several files the later ones win. A file that includes itself, directly
// or not, is refused; so are too many files or too much text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/internal.h"

const CpsSource* cps_scene_source(CpsTree* tree, const char* name) {
  CpsSource* source = cps_tree_take(tree, sizeof *source);
  const char* slash = strrchr(name, '/');
  size_t length = slash ? (size_t)(slash - name) + 1 : 0;
  const char *copy = cps_tree_text(tree, name, strlen(name)), *folder = cps_tree_text(tree, name, length);
  if (!source || !copy || !folder) return NULL;
  *source = (CpsSource){.name = copy, .folder = folder};
  return source;
}

const char* cps_scene_path(CpsReader* reader, const CpsNode* node) {
  const char* folder = node->text[0] == '/' ? "" : node->source->folder;
  size_t size = strlen(folder) + strlen(node->text) + 1;
  char* path = cps_tree_take(&reader->tree, size);
  if (path) snprintf(path, size, "%s%s", folder, node->text);
  return path;
}

const char* cps_scene_base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Adds the entries that `into` does not have yet.
static bool merge_below(CpsTree* tree, CpsNode* into, CpsNode* from) {
  for (CpsNode *child = from->first, *next; child; child = next) {
    next = child->next;
    CpsNode* own = cps_node_find(into, child->key);
    if (!own) {
      if (!cps_node_add(tree, into, child)) return false;
    } else if (own->kind == CPS_NODE_MAP && child->kind == CPS_NODE_MAP) {
      if (!merge_below(tree, own, child)) return false;
    }
  }
  return true;
}

typedef struct Chain Chain;  // files that include each other, innermost first
struct Chain {
  CpsFileId id;
  const Chain* outer;
  int depth;
};

static CpsStatus include_all(CpsReader* reader, CpsNode* root, const Chain* chain);

static CpsStatus keep_file(CpsReader* reader, const char* path, const char* text, size_t length) {
  CpsSceneFile* file = cps_tree_take(&reader->tree, sizeof *file);
  const char* copy = cps_tree_text(&reader->tree, text, length);
  if (!file || !copy) return cps_scene_no_memory(reader);
  *file = (CpsSceneFile){path, copy, reader->files};
  reader->files = file;
  reader->file_count++;
  reader->bytes += length;
  return CPS_OK;
}

// Reads and parses the file named by a node.
static CpsStatus read_file(CpsReader* reader, const CpsNode* node, const Chain* chain, CpsFileId* id, CpsNode** root) {
  if (reader->file_count == CPS_YAML_FILES || chain->depth == CPS_YAML_FILE_DEPTH) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "too many files are included, or too deeply");
  }
  const char* path = cps_scene_path(reader, node);
  if (!path) return cps_scene_no_memory(reader);
  char why[CPS_FILE_WHY_SIZE];
  char* text = NULL;
  size_t length;
  CpsStatus status = cps_file_text(path, CPS_YAML_BYTES - reader->bytes, true, &text, &length, id, why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, node, "'%.80s': %s", path, why);
  for (const Chain* c = chain; c; c = c->outer) {
    if (c->id.inode != id->inode || c->id.device != id->device) continue;
    free(text);
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "'%.80s' includes itself", path);
  }
  const CpsSource* source = cps_scene_source(&reader->tree, path);
  status = source ? keep_file(reader, path, text, length) : cps_scene_no_memory(reader);
  if (status == CPS_OK)
    status = cps_yaml_parse(&reader->tree, source, text, length, root, &reader->mistakes, reader->error);
  free(text);
  return status;
}

static CpsStatus include_one(CpsReader* reader, CpsNode* root, const CpsNode* node, const Chain* chain) {
  if (node->kind != CPS_NODE_SCALAR || !node->text[0]) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "expected a file name or a list of them");
  }
  Chain inner = {.outer = chain, .depth = chain->depth + 1};
  CpsNode* included = NULL;
  CpsStatus status = read_file(reader, node, chain, &inner.id, &included);
  if (status != CPS_OK) return status;
  if (included->kind != CPS_NODE_MAP) {
    return cps_place_fail(reader->error, CPS_BAD_FORMAT, included->source, included->line, included->column,
                          "expected a map, as in any scene");
  }
  status = include_all(reader, included, &inner);
  if (status != CPS_OK) return status;
  return merge_below(&reader->tree, root, included) ? CPS_OK : cps_scene_no_memory(reader);
}

static CpsStatus include_all(CpsReader* reader, CpsNode* root, const Chain* chain) {
  const CpsNode* node = cps_node_find(root, "include");
  if (!node) return CPS_OK;
  if (node->kind != CPS_NODE_LIST) return include_one(reader, root, node, chain);
  if (node->count > CPS_YAML_FILES) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "more than %d files", CPS_YAML_FILES);
  }
  // what is merged first takes precedence, so the last file comes first
  const CpsNode* files[CPS_YAML_FILES];
  int count = 0;
  for (const CpsNode* file = node->first; file; file = file->next) files[count++] = file;
  while (count-- > 0) {
    CpsStatus status = include_one(reader, root, files[count], chain);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_scene_include(CpsReader* reader, CpsNode* root, CpsFileId self) {
  Chain chain = {.id = self};
  return root->kind == CPS_NODE_MAP ? include_all(reader, root, &chain) : CPS_OK;
}
