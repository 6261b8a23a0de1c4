// Sentences about nodes: where they stand, and the path to them.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/yaml_tree.h"

enum { LONGEST_FILE = 90, LONGEST_STEP = 40, REASON_SIZE = 200 };

// Control characters of a file must not reach a terminal, and a cut must not split a character.
static void tidy(char* text) {
  size_t length = strlen(text);
  for (size_t i = 0; i < length; ++i) {
    if ((unsigned char)text[i] < ' ' || text[i] == 127) text[i] = '?';
  }
  size_t start = length;  // of the last character
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0u) == 0x80u) start--;
  if (start == 0) return;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t wanted = lead >= 0xF0u ? 3 : lead >= 0xE0u ? 2 : lead >= 0xC0u ? 1 : 0;
  if (length - start < wanted) text[start - 1] = '\0';
}

const char* cps_node_path(const CpsNode* node, char path[CPS_PATH_SIZE]) {
  // written backwards
  size_t start = CPS_PATH_SIZE - 1;
  path[start] = '\0';
  for (; node && node->parent; node = node->parent) {
    char step[LONGEST_STEP + 4];
    if (node->key) {
      bool dot = node->parent->parent != NULL;
      snprintf(step, sizeof step, "%s%.*s", dot ? "." : "", LONGEST_STEP, node->key);
    } else {
      snprintf(step, sizeof step, "[%d]", (int)node->index);
    }
    tidy(step);
    size_t length = strlen(step);
    if (length + 3 > start) {
      start -= 3;
      memcpy(path + start, "...", 3);
      break;
    }
    start -= length;
    memcpy(path + start, step, length);
  }
  memmove(path, path + start, CPS_PATH_SIZE - start);
  return path;
}

static void say(CpsError* error, const char* where, const char* path, const char* reason) {
  char text[2 * sizeof error->text];
  snprintf(text, sizeof text, "%s%s%s%s%s", where, where[0] && path[0] ? " " : "", path, path[0] ? ": " : " ", reason);
  text[sizeof error->text - 1] = '\0';
  tidy(text);
  memcpy(error->text, text, sizeof error->text);
}

static void say_place(CpsError* error, const CpsSource* source, int32_t line, int32_t column, const char* path,
                      const char* reason) {
  char where[LONGEST_FILE + 40];
  size_t length = strlen(source->name);
  const char* dots = length > LONGEST_FILE ? "..." : "";
  const char* name = length > LONGEST_FILE ? source->name + length - LONGEST_FILE : source->name;
  if (source->is_override) {
    bool whole = path[0] == '\0' && name[0] != '\0';  // the key as given if there is no node yet
    snprintf(where, sizeof where, "--set%s%s%s%s", whole ? " " : "", whole ? dots : "", whole ? name : "",
             path[0] ? "" : ":");
  } else if (line > 0) {
    snprintf(where, sizeof where, "%s%s:%d:%d:", dots, name, (int)line, (int)column);
  } else {
    snprintf(where, sizeof where, "%s%s:", dots, name);
  }
  say(error, where, path, reason);
}

CpsStatus cps_node_fail(CpsError* error, CpsStatus status, const CpsNode* node, const char* format, ...) {
  if (!error) return status;
  char reason[REASON_SIZE], path[CPS_PATH_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  say_place(error, node->source, node->line, node->column, cps_node_path(node, path), reason);
  return status;
}

CpsStatus cps_key_fail(CpsError* error, CpsStatus status, const CpsNode* node, const char* format, ...) {
  if (!error) return status;
  char reason[REASON_SIZE], path[CPS_PATH_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  bool has_key = node->key_line > 0;
  say_place(error, node->source, has_key ? node->key_line : node->line, has_key ? node->key_column : node->column,
            cps_node_path(node, path), reason);
  return status;
}

CpsStatus cps_place_fail(CpsError* error, CpsStatus status, const CpsSource* source, int32_t line, int32_t column,
                         const char* format, ...) {
  if (!error) return status;
  char reason[REASON_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  say_place(error, source, line, column, "", reason);
  return status;
}

// The reason why a node could not be created.
CpsStatus cps_tree_short(const CpsTree* tree, const CpsNode* node, CpsError* error) {
  if (tree->node_count < CPS_YAML_NODES) {
    return cps_place_fail(error, CPS_NO_MEMORY, node->source, 0, 0, "out of memory");
  }
  return cps_place_fail(error, CPS_BAD_FORMAT, node->source, node->line, node->column,
                        "the scene has more than %d values, aliases expanded", CPS_YAML_NODES);
}
