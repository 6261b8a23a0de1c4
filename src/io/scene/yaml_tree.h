// A YAML document as a tree of nodes that know their file and position. Aliases are expanded into copies, so that every node has
// one parent and one path; the cost of an expansion is bounded.
#ifndef CAPSTAN_IO_SCENE_YAML_TREE_H
#define CAPSTAN_IO_SCENE_YAML_TREE_H

#include "capstan/base.h"
#include "core/arena.h"
#include "io/scene/mistakes.h"

// Limits for a scene, so that no file can exhaust the memory or the time of its reader.
enum {
  CPS_YAML_BYTES = 8 << 20,  // of one file
  CPS_YAML_NODES = 700000,   // of the whole tree, aliases expanded
  CPS_YAML_DEPTH = 48,       // of maps and lists within each other
  CPS_YAML_ANCHORS = 1000,   // of one file
  CPS_YAML_FILES = 64,       // included, one in several places counted each time
  CPS_YAML_FILE_DEPTH = 8,   // includes within includes
};

typedef enum CpsNodeKind { CPS_NODE_SCALAR, CPS_NODE_LIST, CPS_NODE_MAP } CpsNodeKind;

// The source of nodes.
typedef struct CpsSource {
  const char* name;    // as it stands in error sentences
  const char* folder;  // with its last '/', or "": where other files are looked for
  bool is_override;    // from the command line: no lines
} CpsSource;

typedef struct CpsNode CpsNode;
struct CpsNode {
  const CpsSource* source;
  CpsNode* parent;
  CpsNode* first;  // children of a list or map, linked by `next`
  CpsNode* last;
  CpsNode* next;
  const char* key;   // in the parent map; NULL in a list
  const char* text;  // of a scalar, otherwise NULL
  CpsNode** table;   // children of a large map by the hash of their key
  double number;     // what the check of the scene found: value of a number, 0 or 1 of a bool
  int32_t table_size;
  int32_t count;  // children
  int32_t index;  // in the parent list
  int32_t line, column;
  int32_t key_line, key_column;
  uint8_t kind;    // CpsNodeKind
  bool plain;      // scalar without quotes
  bool is_file;    // what the check of the scene found: the name of a file
  int8_t form;     // which of the forms that the schema allows was found; of a parameter: how far it was read
  int8_t unit[4];  // of a parameter: its dimension
};

// All nodes and texts; zeroed: empty.
typedef struct CpsTree {
  CpsArena arena;
  unsigned char* block;  // the remainder of the newest block of the arena
  size_t block_left;
  int32_t node_count;
} CpsTree;

void cps_tree_free(CpsTree* tree);
// Memory that lives as long as the tree, 8-byte aligned, not zeroed; NULL if memory runs out.
void* cps_tree_take(CpsTree* tree, size_t size);
// Zero-terminated copy; NULL if memory runs out.
const char* cps_tree_text(CpsTree* tree, const char* text, size_t length);

// A new node without a parent. NULL: memory runs out (node_count < CPS_YAML_NODES) or there are too many nodes.
CpsNode* cps_node_new(CpsTree* tree, CpsNodeKind kind, const CpsSource* source);
// Depth of nested maps and lists in the node, 0 for a scalar.
int cps_node_height(const CpsNode* node);
// A deep copy; NULL as above.
CpsNode* cps_node_copy(CpsTree* tree, const CpsNode* node);
// Adds a child to a list or, by its key, to a map without that key; false: memory runs out.
bool cps_node_add(CpsTree* tree, CpsNode* parent, CpsNode* child);
// The child of a map with that key, or NULL (also if the node is NULL or not a map).
CpsNode* cps_node_find(const CpsNode* map, const char* key);
// Replaces `node` by `with`, which has no parent yet and takes over the key.
void cps_node_replace(CpsNode* node, CpsNode* with);
// Whether a scalar is null: nothing, ~ or null without quotes.
bool cps_node_is_null(const CpsNode* node);

// Reads YAML into a tree.
// @param length    at most CPS_YAML_BYTES
// @param mistakes  receives duplicate keys and further tabs, too; NULL: reading stops at the first mistake
CpsStatus cps_yaml_parse(CpsTree* tree, const CpsSource* source, const char* text, size_t length, CpsNode** root,
                         CpsMistakes* mistakes, CpsError* error);

// The path of a node, "bodies.block.box.size[1]"; a long path keeps its end. Returns `path`.
enum { CPS_PATH_SIZE = 100 };
const char* cps_node_path(const CpsNode* node, char path[CPS_PATH_SIZE]);
// "FILE:LINE:COLUMN: PATH: what is wrong", or for an override "--set PATH: what is wrong"; returns `status`.
CpsStatus cps_node_fail(CpsError* error, CpsStatus status, const CpsNode* node, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// The same, pointing to the key instead of the value.
CpsStatus cps_key_fail(CpsError* error, CpsStatus status, const CpsNode* node, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// "FILE:LINE:COLUMN: what is wrong"; omits the position if the line is 0.
CpsStatus cps_place_fail(CpsError* error, CpsStatus status, const CpsSource* source, int32_t line, int32_t column,
                         const char* format, ...) __attribute__((format(printf, 6, 7)));
CpsStatus cps_tree_short(const CpsTree* tree, const CpsNode* node, CpsError* error);

#endif
