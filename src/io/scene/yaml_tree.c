// Nodes of a YAML tree: making them, finding them by key, copying them.
//
// A map with many children keeps a hash table of them, so that duplicate keys are found and names looked up in constant
// time whatever the file looks like.
#include "io/scene/yaml_tree.h"

#include <string.h>

enum { BLOCK = 16384, TABLE_FROM = 8 };  // bytes; children

void cps_tree_free(CpsTree* tree) {
  cps_arena_free(&tree->arena);
  *tree = (CpsTree){0};
}

void* cps_tree_take(CpsTree* tree, size_t size) {
  if (size > CPS_YAML_BYTES * (size_t)4) return NULL;
  size_t rounded = (size + 7u) & ~(size_t)7u;
  if (rounded > BLOCK / 4) return cps_arena_take(&tree->arena, (int64_t)rounded, 1);
  if (tree->block_left < rounded) {
    unsigned char* block = cps_arena_take(&tree->arena, BLOCK, 1);
    if (!block) return NULL;
    tree->block = block;
    tree->block_left = BLOCK;
  }
  void* place = tree->block;
  tree->block += rounded;
  tree->block_left -= rounded;
  return place;
}

const char* cps_tree_text(CpsTree* tree, const char* text, size_t length) {
  char* copy = cps_tree_take(tree, length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

CpsNode* cps_node_new(CpsTree* tree, CpsNodeKind kind, const CpsSource* source) {
  if (tree->node_count >= CPS_YAML_NODES) return NULL;
  CpsNode* node = cps_tree_take(tree, sizeof *node);
  if (!node) return NULL;
  *node = (CpsNode){.kind = (uint8_t)kind, .source = source};
  tree->node_count++;
  return node;
}

// FNV-1a, seeded with the table's address, so that no file can choose colliding keys.
static uint32_t hash(const CpsNode* map, const char* key) {
  uint32_t h = 2166136261u ^ (uint32_t)((uintptr_t)map->table >> 4u);
  for (; *key; ++key) h = (h ^ (unsigned char)*key) * 16777619u;
  return h;
}

// The slot of the key in the table: its own, or the empty one where it belongs.
static CpsNode** place_of(const CpsNode* map, const char* key) {
  uint32_t mask = (uint32_t)map->table_size - 1u;
  uint32_t i = hash(map, key) & mask;
  while (map->table[i] && strcmp(map->table[i]->key, key) != 0) i = (i + 1u) & mask;
  return &map->table[i];
}

static bool grow_table(CpsTree* tree, CpsNode* map) {
  int32_t size = map->table_size ? 4 * map->table_size : 4 * TABLE_FROM;
  CpsNode** table = cps_tree_take(tree, (size_t)size * sizeof *table);
  if (!table) return false;
  memset(table, 0, (size_t)size * sizeof *table);
  map->table = table;
  map->table_size = size;
  for (CpsNode* child = map->first; child; child = child->next) *place_of(map, child->key) = child;
  return true;
}

bool cps_node_add(CpsTree* tree, CpsNode* parent, CpsNode* child) {
  if (parent->kind == CPS_NODE_MAP) {
    bool wants_table = parent->count >= TABLE_FROM && 2 * parent->count >= parent->table_size;
    if (wants_table && !grow_table(tree, parent)) return false;
    if (parent->table) *place_of(parent, child->key) = child;
  }
  child->parent = parent;
  child->index = parent->count++;
  child->next = NULL;
  if (parent->last) parent->last->next = child;
  if (!parent->first) parent->first = child;
  parent->last = child;
  return true;
}

CpsNode* cps_node_find(const CpsNode* map, const char* key) {
  if (!map || map->kind != CPS_NODE_MAP) return NULL;
  if (map->table) return *place_of(map, key);
  for (CpsNode* child = map->first; child; child = child->next) {
    if (strcmp(child->key, key) == 0) return child;
  }
  return NULL;
}

int cps_node_height(const CpsNode* node) {
  int height = 0;
  for (const CpsNode* child = node->first; child; child = child->next) {
    int below = cps_node_height(child) + 1;
    if (below > height) height = below;
  }
  return height;
}

CpsNode* cps_node_copy(CpsTree* tree, const CpsNode* node) {
  CpsNode* copy = cps_node_new(tree, (CpsNodeKind)node->kind, node->source);
  if (!copy) return NULL;
  copy->key = node->key;
  copy->text = node->text;
  copy->line = node->line;
  copy->column = node->column;
  copy->key_line = node->key_line;
  copy->key_column = node->key_column;
  copy->plain = node->plain;
  for (const CpsNode* child = node->first; child; child = child->next) {
    CpsNode* child_copy = cps_node_copy(tree, child);
    if (!child_copy || !cps_node_add(tree, copy, child_copy)) return NULL;
  }
  return copy;
}

void cps_node_replace(CpsNode* node, CpsNode* with) {
  CpsNode* parent = node->parent;
  with->parent = parent;
  with->key = node->key;
  with->index = node->index;
  with->next = node->next;
  if (parent->table) *place_of(parent, node->key) = with;
  if (parent->last == node) parent->last = with;
  CpsNode** link = &parent->first;
  while (*link != node) link = &(*link)->next;
  *link = with;
}

bool cps_node_is_null(const CpsNode* node) {
  return node->kind == CPS_NODE_SCALAR && node->plain &&
         (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}
