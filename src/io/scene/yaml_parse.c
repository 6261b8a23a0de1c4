// YAML text into a tree, over the event parser of libyaml.
//
// An alias becomes a copy of what its anchor names, counted against the limit of nodes, so that aliases of aliases of
// aliases are refused after a bounded effort. A merge key (<<) adds those keys of the maps it names that are not there
// yet. Refused: keys that are no text, tags, a second document, the same key twice.
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "io/scene/yaml_tree.h"

typedef struct Anchor {
  const char* name;
  const CpsNode* node;
} Anchor;

typedef struct Parser {
  yaml_parser_t yaml;
  CpsTree* tree;
  const CpsSource* source;
  CpsMistakes* mistakes;
  CpsError* error;
  CpsStatus status;  // of the first failure
  const char* text;  // and its length, to look at what could not be read
  size_t length;
  int32_t anchor_count;
  Anchor anchors[CPS_YAML_ANCHORS];
} Parser;

static int32_t line_of(yaml_mark_t mark) {
  return (int32_t)mark.line + 1;
}
static int32_t column_of(yaml_mark_t mark) {
  return (int32_t)mark.column + 1;
}

// Tells the mistake that was just written down; whether somebody wants to hear of more.
static bool tell(Parser* p) {
  return p->mistakes && cps_mistakes_add(p->mistakes, p->mistakes->count, p->status, p->error);
}

static CpsNode* refuse(Parser* p, yaml_mark_t mark, const char* reason) {
  p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, line_of(mark), column_of(mark), "%s", reason);
  (void)tell(p);
  return NULL;
}

static CpsNode* refuse_short(Parser* p, yaml_mark_t mark) {
  CpsNode place = {.source = p->source, .line = line_of(mark), .column = column_of(mark)};
  p->status = cps_tree_short(p->tree, &place, p->error);
  return NULL;
}

// Nothing can be said about the structure after a tab, but the other lines that begin with one are wrong likewise.
static bool refuse_tabs(Parser* p, yaml_mark_t mark) {
  const char* const sentence = "not YAML: a tab; lines are indented by spaces; reading ends here";
  p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, line_of(mark), column_of(mark), "%s", sentence);
  bool go_on = tell(p);
  for (size_t i = mark.index; go_on && i < p->length; ++i) {
    if (p->text[i] != '\n') continue;
    mark.line++;
    size_t k = i + 1;
    while (k < p->length && p->text[k] == ' ') ++k;
    if (k == p->length || p->text[k] != '\t') continue;
    CpsError more;
    cps_place_fail(&more, CPS_BAD_FORMAT, p->source, line_of(mark), (int32_t)(k - i), "not YAML: a tab, too");
    go_on = cps_mistakes_add(p->mistakes, p->mistakes->count, p->status, &more);
  }
  return false;
}

static bool next_event(Parser* p, yaml_event_t* event) {
  if (yaml_parser_parse(&p->yaml, event)) return true;
  if (p->yaml.error == YAML_MEMORY_ERROR) {
    p->status = cps_place_fail(p->error, CPS_NO_MEMORY, p->source, 0, 0, "out of memory");
  } else if (p->yaml.error == YAML_READER_ERROR) {
    p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, 0, 0, "not YAML: %s at byte %lld",
                               p->yaml.problem ? p->yaml.problem : "unreadable", (long long)p->yaml.problem_offset);
  } else {
    yaml_mark_t mark = p->yaml.problem_mark;
    if (mark.index < p->length && p->text[mark.index] == '\t') return refuse_tabs(p, mark);
    p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, line_of(mark), column_of(mark),
                               "not YAML: %s%s%s; reading ends here", p->yaml.problem ? p->yaml.problem : "unreadable",
                               p->yaml.context ? ", " : "", p->yaml.context ? p->yaml.context : "");
    (void)tell(p);
  }
  return false;
}

static CpsNode* new_node(Parser* p, CpsNodeKind kind, yaml_mark_t mark) {
  CpsNode* node = cps_node_new(p->tree, kind, p->source);
  if (!node) return refuse_short(p, mark);
  node->line = line_of(mark);
  node->column = column_of(mark);
  return node;
}

static bool keep_anchor(Parser* p, const yaml_char_t* name, const CpsNode* node, yaml_mark_t mark) {
  if (!name) return true;
  if (p->anchor_count == CPS_YAML_ANCHORS) return refuse(p, mark, "too many anchors in one file");
  const char* text = cps_tree_text(p->tree, (const char*)name, strlen((const char*)name));
  if (!text) return refuse_short(p, mark);
  p->anchors[p->anchor_count++] = (Anchor){text, node};
  return true;
}

static const char* const TOO_DEEP = "lists and maps are nested too deeply";

static CpsNode* copy_alias(Parser* p, const yaml_event_t* event, int depth) {
  const char* name = (const char*)event->data.alias.anchor;
  for (int32_t i = p->anchor_count - 1; i >= 0; --i) {  // the last of that name counts
    if (strcmp(p->anchors[i].name, name) != 0) continue;
    // the copy must not make the tree deeper than a file may be
    if (depth + cps_node_height(p->anchors[i].node) > CPS_YAML_DEPTH) return refuse(p, event->start_mark, TOO_DEEP);
    CpsNode* copy = cps_node_copy(p->tree, p->anchors[i].node);
    return copy ? copy : refuse_short(p, event->start_mark);
  }
  char reason[120];
  snprintf(reason, sizeof reason, "the alias '*%.60s' names no anchor before it", name);
  return refuse(p, event->start_mark, reason);
}

static CpsNode* parse_value(Parser* p, const yaml_event_t* event, int depth);

static CpsNode* parse_next(Parser* p, int depth, bool* ended) {
  yaml_event_t event;
  *ended = false;
  if (!next_event(p, &event)) return NULL;
  CpsNode* node = NULL;
  if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
    *ended = true;
  } else {
    node = parse_value(p, &event, depth);
  }
  yaml_event_delete(&event);
  return node;
}

static CpsNode* parse_scalar(Parser* p, const yaml_event_t* event) {
  CpsNode* node = new_node(p, CPS_NODE_SCALAR, event->start_mark);
  if (!node) return NULL;
  const char* text = (const char*)event->data.scalar.value;
  if (strlen(text) != event->data.scalar.length) return refuse(p, event->start_mark, "a text contains a zero byte");
  node->text = cps_tree_text(p->tree, text, event->data.scalar.length);
  node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (!node->text) return refuse_short(p, event->start_mark);
  return keep_anchor(p, event->data.scalar.anchor, node, event->start_mark) ? node : NULL;
}

static CpsNode* parse_list(Parser* p, const yaml_event_t* event, int depth) {
  CpsNode* list = new_node(p, CPS_NODE_LIST, event->start_mark);
  if (!list) return NULL;
  for (;;) {
    bool ended;
    CpsNode* child = parse_next(p, depth + 1, &ended);
    if (ended) break;
    if (!child) return NULL;
    if (!cps_node_add(p->tree, list, child)) return refuse_short(p, event->start_mark);
  }
  return keep_anchor(p, event->data.sequence_start.anchor, list, event->start_mark) ? list : NULL;
}

// Adds the keys of `from` that `map` has not.
static bool merge_map(Parser* p, CpsNode* map, const CpsNode* from, yaml_mark_t mark) {
  if (from->kind != CPS_NODE_MAP) return refuse(p, mark, "'<<' takes a map or a list of maps");
  for (const CpsNode* child = from->first; child; child = child->next) {
    if (cps_node_find(map, child->key)) continue;
    CpsNode* copy = cps_node_copy(p->tree, child);  // an anchor may still name the other map
    if (!copy || !cps_node_add(p->tree, map, copy)) return refuse_short(p, mark);
  }
  return true;
}

static bool merge(Parser* p, CpsNode* map, const CpsNode* value, yaml_mark_t mark) {
  if (value->kind != CPS_NODE_LIST) return merge_map(p, map, value, mark);
  for (const CpsNode* item = value->first; item; item = item->next) {
    if (!merge_map(p, map, item, mark)) return false;
  }
  return true;
}

// One key and its value; sets *ended at the end of the map and keeps the value of '<<' aside.
static bool parse_entry(Parser* p, CpsNode* map, int depth, const CpsNode** merged, bool* ended) {
  CpsNode* key = parse_next(p, depth + 1, ended);
  if (*ended) return true;
  if (!key) return false;
  yaml_mark_t mark = {.line = (size_t)key->line - 1, .column = (size_t)key->column - 1};
  if (key->kind != CPS_NODE_SCALAR) return refuse(p, mark, "a key must be a text");
  bool unused;
  CpsNode* value = parse_next(p, depth + 1, &unused);
  if (!value) return false;
  value->key = key->text;
  value->key_line = key->line;
  value->key_column = key->column;
  if (key->plain && strcmp(key->text, "<<") == 0) {
    if (*merged) return refuse(p, mark, "'<<' stands twice in a map; give it a list");
    *merged = value;
    return true;
  }
  const CpsNode* old = cps_node_find(map, key->text);
  if (old) {
    char reason[160];
    snprintf(reason, sizeof reason, "the key '%.60s' stands twice; it was first in line %d", key->text,
             (int)old->key_line);
    // the first one counts, and the rest of the file can be read
    refuse(p, mark, reason);
    return p->mistakes && p->mistakes->tell;
  }
  return cps_node_add(p->tree, map, value) || refuse_short(p, mark);
}

static CpsNode* parse_map(Parser* p, const yaml_event_t* event, int depth) {
  CpsNode* map = new_node(p, CPS_NODE_MAP, event->start_mark);
  if (!map) return NULL;
  const CpsNode* merged = NULL;
  for (bool ended = false; !ended;) {
    if (!parse_entry(p, map, depth, &merged, &ended)) return NULL;
  }
  if (merged && !merge(p, map, merged, event->start_mark)) return NULL;
  return keep_anchor(p, event->data.mapping_start.anchor, map, event->start_mark) ? map : NULL;
}

static CpsNode* parse_value(Parser* p, const yaml_event_t* event, int depth) {
  if (depth > CPS_YAML_DEPTH) return refuse(p, event->start_mark, TOO_DEEP);
  const yaml_char_t* tag = event->type == YAML_SCALAR_EVENT           ? event->data.scalar.tag
                           : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.tag
                           : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.tag
                                                                      : NULL;
  if (tag) return refuse(p, event->start_mark, "tags (words with '!') are not understood");
  switch (event->type) {
    case YAML_SCALAR_EVENT:
      return parse_scalar(p, event);
    case YAML_SEQUENCE_START_EVENT:
      return parse_list(p, event, depth);
    case YAML_MAPPING_START_EVENT:
      return parse_map(p, event, depth);
    case YAML_ALIAS_EVENT:
      return copy_alias(p, event, depth);
    default:
      return refuse(p, event->start_mark, "there is nothing here");
  }
}

// Reads stream start, document start, the document, its end, the end of the stream.
static CpsNode* parse_document(Parser* p) {
  CpsNode* root = NULL;
  for (;;) {
    yaml_event_t event;
    if (!next_event(p, &event)) return NULL;
    bool done = event.type == YAML_STREAM_END_EVENT, bad = false;
    if (event.type == YAML_DOCUMENT_START_EVENT && root) {
      refuse(p, event.start_mark, "a second document begins; a file holds one");
      bad = true;
    } else if (event.type == YAML_SCALAR_EVENT || event.type == YAML_SEQUENCE_START_EVENT ||
               event.type == YAML_MAPPING_START_EVENT || event.type == YAML_ALIAS_EVENT) {
      root = parse_value(p, &event, 0);
      bad = !root;
    } else if (done && !root) {
      refuse(p, event.start_mark, "the file is empty");
    }
    yaml_event_delete(&event);
    if (bad) return NULL;
    if (done) return root;
  }
}

CpsStatus cps_yaml_parse(CpsTree* tree, const CpsSource* source, const char* text, size_t length, CpsNode** root,
                         CpsMistakes* mistakes, CpsError* error) {
  if (length > CPS_YAML_BYTES) {
    return cps_place_fail(error, CPS_BAD_FORMAT, source, 0, 0, "larger than %d MB", CPS_YAML_BYTES >> 20);
  }
  Parser p = {.tree = tree, .source = source, .error = error, .mistakes = mistakes, .text = text, .length = length};
  if (!yaml_parser_initialize(&p.yaml)) {
    return cps_place_fail(error, CPS_NO_MEMORY, source, 0, 0, "out of memory");
  }
  yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&p.yaml, (const unsigned char*)text, length);
  *root = parse_document(&p);
  yaml_parser_delete(&p.yaml);
  return *root ? CPS_OK : p.status;
}
