// A scene as text: the tree that was read, with includes merged and overrides in their places, one key to a line. Comments
// are not kept; numbers, units and expressions stand as they were written.
#define _XOPEN_SOURCE 700  // realpath

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/internal.h"

// A growing text. After memory runs out it stays NULL.
typedef struct Text {
  char* bytes;
  size_t length, capacity;
  bool short_of_memory;
  const char* folder;
} Text;

static void put(Text* t, const char* bytes, size_t count) {
  if (t->short_of_memory) return;
  if (t->length + count + 1 > t->capacity) {
    size_t capacity = 2 * (t->length + count + 1);
    char* grown = realloc(t->bytes, capacity);
    if (!grown) {
      t->short_of_memory = true;
      return;
    }
    t->bytes = grown;
    t->capacity = capacity;
  }
  memcpy(t->bytes + t->length, bytes, count);
  t->length += count;
  t->bytes[t->length] = '\0';
}

static void put_text(Text* t, const char* text) {
  put(t, text, strlen(text));
}

static void put_indent(Text* t, int indent) {
  for (int i = 0; i < indent; ++i) put(t, "  ", 2);
}

// Whether a text needs no quotes, in a list or a map.
static bool is_plain(const char* text) {
  static const char FIRST[] = "=./+", INSIDE[] = " _.+-*/()^=$";
  size_t length = strlen(text);
  if (length == 0 || text[length - 1] == ' ') return false;
  unsigned char first = (unsigned char)text[0];
  bool good = isalnum(first) || strchr(FIRST, first) || (first == '-' && isdigit((unsigned char)text[1]));
  for (size_t i = 0; good && i < length; ++i) {
    unsigned char c = (unsigned char)text[i];
    good = c < 0x80 && (isalnum(c) || strchr(INSIDE, c));
  }
  return good;
}

static void put_quoted(Text* t, const char* text) {
  put(t, "\"", 1);
  for (const char* c = text; *c; ++c) {
    char escape[8];
    if (*c == '"' || *c == '\\') {
      snprintf(escape, sizeof escape, "\\%c", *c);
    } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
      snprintf(escape, sizeof escape, "\\x%02x", (unsigned)*c);
    } else {
      snprintf(escape, sizeof escape, "%c", *c);
    }
    put_text(t, escape);
  }
  put(t, "\"", 1);
}

static void put_word(Text* t, const char* text) {
  if (is_plain(text)) {
    put_text(t, text);
  } else {
    put_quoted(t, text);
  }
}

// The name of a file relative to the folder of the text if it is below, otherwise absolute.
static void put_file(Text* t, const CpsNode* node) {
  const char* folder = node->text[0] == '/' ? "" : node->source->folder;
  size_t size = strlen(folder) + strlen(node->text) + 1, own = strlen(t->folder);
  char* path = malloc(size);
  if (!path) {
    t->short_of_memory = true;
    return;
  }
  snprintf(path, size, "%s%s", folder, node->text);
  bool below = strncmp(path, t->folder, own) == 0 && (own > 0 || path[0] != '/');
  char* real = below ? NULL : realpath(path, NULL);
  put_word(t, below ? path + own : real ? real : path);
  free(real);
  free(path);
}

static void put_scalar(Text* t, const CpsNode* node) {
  if (cps_node_is_null(node)) {
    put_text(t, "~");
  } else if (node->is_file) {
    put_file(t, node);
  } else if (!node->plain && !node->text[strspn(node->text, "~nul")]) {
    put_quoted(t, node->text);  // a text that would be read as nothing without quotes
  } else {
    put_word(t, node->text);
  }
}

// A list on one line, if it contains only scalars and such lists.
static bool is_flat(const CpsNode* node) {
  if (node->kind == CPS_NODE_SCALAR) return true;
  if (node->kind == CPS_NODE_MAP) return node->count == 0;
  for (const CpsNode* child = node->first; child; child = child->next) {
    if (child->kind != CPS_NODE_SCALAR) return false;
  }
  return true;
}

static void put_flat(Text* t, const CpsNode* node) {
  if (node->kind == CPS_NODE_SCALAR) {
    put_scalar(t, node);
    return;
  }
  put_text(t, node->kind == CPS_NODE_MAP ? "{" : "[");
  for (const CpsNode* child = node->first; child; child = child->next) {
    put_scalar(t, child);
    if (child->next) put_text(t, ", ");
  }
  put_text(t, node->kind == CPS_NODE_MAP ? "}" : "]");
}

static void put_children(Text* t, const CpsNode* node, int indent);

static bool is_left_out(const CpsNode* node) {
  bool of_root = node->parent && !node->parent->parent && node->key;
  return of_root && (strcmp(node->key, "include") == 0 || strcmp(node->key, "state") == 0);
}

// One entry of a map or list. The first entry of a map in a list follows the dash.
static void put_entry(Text* t, const CpsNode* node, int indent, bool begun) {
  if (!begun) put_indent(t, indent);
  if (node->key) {
    put_word(t, node->key);
    put_text(t, ":");
  } else {
    put_text(t, "-");
  }
  if (is_flat(node)) {
    put_text(t, " ");
    put_flat(t, node);
    put_text(t, "\n");
  } else if (!node->key && node->kind == CPS_NODE_MAP) {
    put_text(t, " ");
    for (const CpsNode* child = node->first; child; child = child->next) {
      put_entry(t, child, indent + 1, child == node->first);
    }
  } else {
    put_text(t, "\n");
    put_children(t, node, indent + 1);
  }
}

static void put_children(Text* t, const CpsNode* node, int indent) {
  for (const CpsNode* child = node->first; child; child = child->next) {
    if (!is_left_out(child)) put_entry(t, child, indent, false);
  }
}

char* cps_scene_emit(const CpsNode* root, const char* folder) {
  Text t = {.folder = folder};
  put_text(&t, "");
  put_children(&t, root, 0);
  if (!t.short_of_memory) return t.bytes;
  free(t.bytes);
  return NULL;
}
