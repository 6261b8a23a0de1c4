// Overrides from the command line: "time.step=2 ms", "bodies.block.box.size[2]=0.1", "gravity=[0, 0, 0]".
//
// They change the tree before it is checked, so that a key or a value that is wrong is found by the same check as in a
// file. A name alone is a parameter if there is one and no such key. Names in `bodies`, `materials` and so on must be
// there already, unless a whole map is given: --set is for variations, and a typing error must not make a new body. "*"
// stands for each of them: "fibres.*.model=der".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "io/scene/internal.h"
#include "io/scene/schema.h"

enum { LONGEST_KEY = 80, MOST_NAMES = 200 };

typedef struct Override {
  CpsReader* reader;
  const CpsSource* source;
  const char* at;   // the remaining key
  const char* end;  // end of the key: its '='
} Override;

static CpsStatus refuse(const Override* o, const char* format, const char* word) {
  char reason[200];
  snprintf(reason, sizeof reason, format, word);
  return cps_place_fail(o->reader->error, CPS_BAD_FORMAT, o->source, 0, 0, "%s", reason);
}

// The keys of a map filled by the file, for suggestions.
static CpsStatus refuse_name(const Override* o, const CpsNode* map, const char* name) {
  const char* names[MOST_NAMES + 1];
  int count = 0;
  for (const CpsNode* child = map->first; child && count < MOST_NAMES; child = child->next) names[count++] = child->key;
  names[count] = NULL;
  const char* near = cps_suggest(name, names);
  return near ? refuse(o, "no such name; did you mean '%s'?", near) : refuse(o, "nothing is called '%s'", name);
}

// Reads the next step of the key: a name, or [number] as -1 and the number.
static bool next_step(Override* o, char name[LONGEST_KEY + 1], int32_t* index) {
  *index = -1;
  if (*o->at == '[') {
    char* after;
    long number = strtol(o->at + 1, &after, 10);
    if (after == o->at + 1 || *after != ']' || number < 0 || number > INT32_MAX) return false;
    *index = (int32_t)number;
    o->at = after + 1;
  } else {
    size_t length = strcspn(o->at, ".[=");
    if (length == 0 || length > LONGEST_KEY) return false;
    memcpy(name, o->at, length);
    name[length] = '\0';
    o->at += length;
  }
  if (*o->at == '.') o->at++;
  return true;
}

static CpsNode* child_at(const CpsNode* list, int32_t index) {
  CpsNode* child = list->kind == CPS_NODE_LIST ? list->first : NULL;
  while (child && index-- > 0) child = child->next;
  return child;
}

// Whether the keys of the map are names given by the file.
static bool has_free_names(const CpsNode* map) {
  static const char* const MAPS[] = {"parameters", "materials", "bodies", "obstacles", "fibres"};
  for (int i = 0; i < 5; ++i) {
    if (map->parent && !map->parent->parent && strcmp(map->key, MAPS[i]) == 0) return true;
  }
  return false;
}

// The child with that name, created if it does not exist.
static CpsStatus step_into(Override* o, CpsNode* map, const char* name, CpsNode* value, CpsNode** child) {
  CpsTree* tree = &o->reader->tree;
  *child = cps_node_find(map, name);
  if (*child) return CPS_OK;
  bool last = o->at == o->end;
  if (map->kind != CPS_NODE_MAP) return refuse(o, "the parent of '%s' is not a map", name);
  if (has_free_names(map) && !(last && value->kind == CPS_NODE_MAP)) return refuse_name(o, map, name);
  if (last) {
    *child = value;
  } else {
    *child = cps_node_new(tree, CPS_NODE_MAP, o->source);
  }
  const char* key = cps_tree_text(tree, name, strlen(name));
  if (!*child || !key) return cps_scene_no_memory(o->reader);
  (*child)->key = key;
  return cps_node_add(tree, map, *child) ? CPS_OK : cps_scene_no_memory(o->reader);
}

static CpsStatus apply(Override* o, CpsNode* value) {
  CpsNode* node = o->reader->root;
  while (o->at < o->end) {
    char name[LONGEST_KEY + 1];
    int32_t index;
    if (!next_step(o, name, &index)) return refuse(o, "is not a key%s", "");
    CpsNode* child = NULL;
    if (index >= 0) {
      child = child_at(node, index);
      if (!child) return refuse(o, "no such entry%s", "");
    } else {
      // a step into an empty value ("time:") makes it a map
      if (node->kind == CPS_NODE_SCALAR && cps_node_is_null(node)) node->kind = CPS_NODE_MAP;
      CpsStatus status = step_into(o, node, name, value, &child);
      if (status != CPS_OK) return status;
    }
    node = child;
  }
  if (node != value) cps_node_replace(node, value);
  return CPS_OK;
}

// mu=0.3 means parameters.mu=0.3 if that parameter exists and there is no such key.
static bool is_parameter(const CpsNode* root, const char* key) {
  const char* word;
  for (int32_t at = 0; cps_schema_next(&at, "", &word);) {
    if (strcmp(word, key) == 0) return false;
  }
  return cps_node_find(cps_node_find(root, "parameters"), key) != NULL;
}

// "fibres.*.model=der": applied to each name of the map.
static CpsStatus override_each(CpsReader* reader, const char* text, const char* star) {
  static const char* const MAPS[] = {"parameters.", "materials.", "bodies.", "obstacles.", "fibres."};
  CpsTree* tree = &reader->tree;
  size_t before = (size_t)(star - text), after = strlen(star + 1);
  const char* map = cps_tree_text(tree, text, before > 0 ? before - 1 : 0);
  if (!map) return cps_scene_no_memory(reader);
  const CpsSource source = {.name = map, .is_override = true};
  const Override o = {reader, &source, text, text};
  bool known = false;
  for (int i = 0; i < 5; ++i) known = known || strncmp(text, MAPS[i], before) == 0;
  const CpsNode* node = known ? cps_node_find(reader->root, map) : NULL;
  if (!node || !node->first) return refuse(&o, "contains no names that '*' can match%s", "");
  for (const CpsNode* child = node->first; child; child = child->next) {
    size_t name = strlen(child->key);
    char* one = cps_tree_take(tree, before + name + after + 1);
    if (!one) return cps_scene_no_memory(reader);
    memcpy(one, text, before);
    memcpy(one + before, child->key, name);
    memcpy(one + before + name, star + 1, after + 1);
    CpsStatus status = cps_scene_override(reader, one);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_scene_override(CpsReader* reader, const char* text) {
  CpsTree* tree = &reader->tree;
  const char* equals = text ? strchr(text, '=') : NULL;
  if (!equals || equals == text || equals[1 + strspn(equals + 1, " ")] == '\0') {
    const CpsSource nameless = {.name = "", .is_override = true};
    return cps_place_fail(reader->error, CPS_BAD_FORMAT, &nameless, 0, 0, "'%.80s' is not KEY=VALUE", text ? text : "");
  }
  const char* star = strstr(text, ".*.");
  if (star && star < equals) return override_each(reader, text, star + 1);
  CpsSource* source = cps_tree_take(tree, sizeof *source);
  const char* key = cps_tree_text(tree, text, (size_t)(equals - text));
  if (!source || !key) return cps_scene_no_memory(reader);
  *source = (CpsSource){.name = key, .folder = reader->root->source->folder, .is_override = true};
  CpsNode* value = NULL;
  CpsStatus status = cps_yaml_parse(tree, source, equals + 1, strlen(equals + 1), &value, NULL, reader->error);
  if (status != CPS_OK) return status;
  CpsNode* root = reader->root;
  if (is_parameter(root, key)) {
    cps_node_replace(cps_node_find(cps_node_find(root, "parameters"), key), value);
    return CPS_OK;
  }
  Override o = {reader, source, text, equals};
  if (strcmp(key, "include") == 0) return refuse(&o, "files are included before anything is set%s", "");
  return apply(&o, value);
}
