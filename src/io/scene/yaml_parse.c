// YAML text into a tree, from its events.
//
// An alias becomes a copy of what its anchor names, counted against the limit of nodes, so that aliases of aliases of
// aliases are refused after a bounded effort. A merge key (<<) adds those keys of the maps it names that are not there
// yet. Refused: keys that are not text, tags, a second document, the same key twice.
#include <stdio.h>
#include <string.h>

#include "io/scene/yaml_events.h"
#include "io/scene/yaml_tree.h"

typedef struct Anchor {
  const char* name;
  const CpsNode* node;
} Anchor;

typedef struct Parser {
  CpsYamlEvents* events;
  CpsTree* tree;
  const CpsSource* source;
  CpsMistakes* mistakes;
  CpsError* error;
  CpsStatus status;  // of the first error
  const char* text;  // with its length, to inspect what could not be read
  size_t length;
  int32_t anchor_count;
  Anchor anchors[CPS_YAML_ANCHORS];
} Parser;

// Reports the error just recorded. @return whether to continue
static bool tell(Parser* p) {
  return p->mistakes && cps_mistakes_add(p->mistakes, p->mistakes->count, p->status, p->error);
}

static CpsNode* refuse(Parser* p, CpsYamlMark mark, const char* reason) {
  p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, mark.line, mark.column, "%s", reason);
  (void)tell(p);
  return NULL;
}

static CpsNode* refuse_short(Parser* p, CpsYamlMark mark) {
  CpsNode place = {.source = p->source, .line = mark.line, .column = mark.column};
  p->status = cps_tree_short(p->tree, &place, p->error);
  return NULL;
}

// The structure after a tab is unknown, but other lines that begin with a tab are wrong, too.
static bool refuse_tabs(Parser* p, CpsYamlMark mark) {
  const char* const sentence = "not YAML: a tab; lines are indented by spaces; reading ends here";
  p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, mark.line, mark.column, "%s", sentence);
  bool go_on = tell(p);
  for (size_t i = mark.index; go_on && i < p->length; ++i) {
    if (p->text[i] != '\n') continue;
    mark.line++;
    size_t k = i + 1;
    while (k < p->length && p->text[k] == ' ') ++k;
    if (k == p->length || p->text[k] != '\t') continue;
    CpsError more;
    cps_place_fail(&more, CPS_BAD_FORMAT, p->source, mark.line, (int32_t)(k - i), "not YAML: a tab, too");
    go_on = cps_mistakes_add(p->mistakes, p->mistakes->count, p->status, &more);
  }
  return false;
}

static bool next_event(Parser* p, CpsYamlEvent* event) {
  CpsYamlFault fault;
  if (cps_yaml_events_next(p->events, event, &fault)) return true;
  if (fault.kind == CPS_FAULT_MEMORY) {
    p->status = cps_place_fail(p->error, CPS_NO_MEMORY, p->source, 0, 0, "out of memory");
  } else if (fault.kind == CPS_FAULT_BYTES) {
    p->status = cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, 0, 0, "not YAML: %s at byte %lld", fault.what,
                               fault.offset);
  } else {
    CpsYamlMark mark = fault.mark;
    if (mark.index < p->length && p->text[mark.index] == '\t') return refuse_tabs(p, mark);
    p->status =
        cps_place_fail(p->error, CPS_BAD_FORMAT, p->source, mark.line, mark.column,
                       "not YAML: %s%s%s; reading ends here", fault.what, fault.context[0] ? ", " : "", fault.context);
    (void)tell(p);
  }
  return false;
}

static CpsNode* new_node(Parser* p, CpsNodeKind kind, CpsYamlMark mark) {
  CpsNode* node = cps_node_new(p->tree, kind, p->source);
  if (!node) return refuse_short(p, mark);
  node->line = mark.line;
  node->column = mark.column;
  return node;
}

// A copy of the anchor name of an event; false if memory runs out.
static bool copy_anchor(Parser* p, const CpsYamlEvent* event, const char** name) {
  *name = event->anchor ? cps_tree_text(p->tree, event->anchor, strlen(event->anchor)) : NULL;
  return *name || !event->anchor || refuse_short(p, event->mark);
}

static bool keep_anchor(Parser* p, const char* name, const CpsNode* node, CpsYamlMark mark) {
  if (!name) return true;
  if (p->anchor_count == CPS_YAML_ANCHORS) return refuse(p, mark, "too many anchors in one file");
  p->anchors[p->anchor_count++] = (Anchor){name, node};
  return true;
}

static const char* const TOO_DEEP = "lists and maps are nested too deeply";

static CpsNode* copy_alias(Parser* p, const CpsYamlEvent* event, int depth) {
  const char* name = event->anchor;
  for (int32_t i = p->anchor_count - 1; i >= 0; --i) {  // the last anchor of that name takes precedence
    if (strcmp(p->anchors[i].name, name) != 0) continue;
    // the copy must not exceed the depth limit of the tree
    if (depth + cps_node_height(p->anchors[i].node) > CPS_YAML_DEPTH) return refuse(p, event->mark, TOO_DEEP);
    CpsNode* copy = cps_node_copy(p->tree, p->anchors[i].node);
    return copy ? copy : refuse_short(p, event->mark);
  }
  char reason[120];
  snprintf(reason, sizeof reason, "the alias '*%.60s' names no anchor before it", name);
  return refuse(p, event->mark, reason);
}

static CpsNode* parse_value(Parser* p, const CpsYamlEvent* event, int depth);

static CpsNode* parse_next(Parser* p, int depth, bool* ended) {
  CpsYamlEvent event;
  *ended = false;
  if (!next_event(p, &event)) return NULL;
  *ended = event.kind == CPS_EVENT_END;
  return *ended ? NULL : parse_value(p, &event, depth);
}

static CpsNode* parse_scalar(Parser* p, const CpsYamlEvent* event) {
  CpsNode* node = new_node(p, CPS_NODE_SCALAR, event->mark);
  const char* anchor;
  if (!node || !copy_anchor(p, event, &anchor)) return NULL;
  if (strlen(event->text) != event->length) return refuse(p, event->mark, "a text contains a zero byte");
  node->text = cps_tree_text(p->tree, event->text, event->length);
  node->plain = event->plain;
  if (!node->text) return refuse_short(p, event->mark);
  return keep_anchor(p, anchor, node, event->mark) ? node : NULL;
}

static CpsNode* parse_list(Parser* p, const CpsYamlEvent* event, int depth) {
  const CpsYamlMark mark = event->mark;
  CpsNode* list = new_node(p, CPS_NODE_LIST, mark);
  const char* anchor;
  if (!list || !copy_anchor(p, event, &anchor)) return NULL;
  for (;;) {
    bool ended;
    CpsNode* child = parse_next(p, depth + 1, &ended);
    if (ended) break;
    if (!child) return NULL;
    if (!cps_node_add(p->tree, list, child)) return refuse_short(p, mark);
  }
  return keep_anchor(p, anchor, list, mark) ? list : NULL;
}

// Adds the keys of `from` that `map` does not have.
static bool merge_map(Parser* p, CpsNode* map, const CpsNode* from, CpsYamlMark mark) {
  if (from->kind != CPS_NODE_MAP) return refuse(p, mark, "'<<' takes a map or a list of maps");
  for (const CpsNode* child = from->first; child; child = child->next) {
    if (cps_node_find(map, child->key)) continue;
    CpsNode* copy = cps_node_copy(p->tree, child);  // a copy: an anchor may still refer to the other map
    if (!copy || !cps_node_add(p->tree, map, copy)) return refuse_short(p, mark);
  }
  return true;
}

static bool merge(Parser* p, CpsNode* map, const CpsNode* value, CpsYamlMark mark) {
  if (value->kind != CPS_NODE_LIST) return merge_map(p, map, value, mark);
  for (const CpsNode* item = value->first; item; item = item->next) {
    if (!merge_map(p, map, item, mark)) return false;
  }
  return true;
}

// Reads one key and its value; sets *ended at the end of the map and keeps the value of '<<' for later.
static bool parse_entry(Parser* p, CpsNode* map, int depth, const CpsNode** merged, bool* ended) {
  CpsNode* key = parse_next(p, depth + 1, ended);
  if (*ended) return true;
  if (!key) return false;
  CpsYamlMark mark = {.line = key->line, .column = key->column};
  if (key->kind != CPS_NODE_SCALAR) return refuse(p, mark, "a key must be a text");
  bool unused;
  CpsNode* value = parse_next(p, depth + 1, &unused);
  if (!value) return false;
  value->key = key->text;
  value->key_line = key->line;
  value->key_column = key->column;
  if (key->plain && strcmp(key->text, "<<") == 0) {
    if (*merged) return refuse(p, mark, "'<<' appears twice in a map; give it a list");
    *merged = value;
    return true;
  }
  const CpsNode* old = cps_node_find(map, key->text);
  if (old) {
    char reason[160];
    snprintf(reason, sizeof reason, "the key '%.60s' appears twice; it was first used in line %d", key->text,
             (int)old->key_line);
    // the first one is kept, so that the rest of the file can be read
    refuse(p, mark, reason);
    return p->mistakes && p->mistakes->tell;
  }
  return cps_node_add(p->tree, map, value) || refuse_short(p, mark);
}

static CpsNode* parse_map(Parser* p, const CpsYamlEvent* event, int depth) {
  const CpsYamlMark mark = event->mark;
  CpsNode* map = new_node(p, CPS_NODE_MAP, mark);
  const char* anchor;
  if (!map || !copy_anchor(p, event, &anchor)) return NULL;
  const CpsNode* merged = NULL;
  for (bool ended = false; !ended;) {
    if (!parse_entry(p, map, depth, &merged, &ended)) return NULL;
  }
  if (merged && !merge(p, map, merged, mark)) return NULL;
  return keep_anchor(p, anchor, map, mark) ? map : NULL;
}

static CpsNode* parse_value(Parser* p, const CpsYamlEvent* event, int depth) {
  if (depth > CPS_YAML_DEPTH) return refuse(p, event->mark, TOO_DEEP);
  if (event->tagged) return refuse(p, event->mark, "tags (words with '!') are not understood");
  switch (event->kind) {
    case CPS_EVENT_SCALAR:
      return parse_scalar(p, event);
    case CPS_EVENT_LIST:
      return parse_list(p, event, depth);
    case CPS_EVENT_MAP:
      return parse_map(p, event, depth);
    case CPS_EVENT_ALIAS:
      return copy_alias(p, event, depth);
    default:
      return refuse(p, event->mark, "there is nothing here");
  }
}

// Reads the start of the document, the document, and the end of the text.
static CpsNode* parse_document(Parser* p) {
  CpsNode* root = NULL;
  for (;;) {
    CpsYamlEvent event;
    if (!next_event(p, &event)) return NULL;
    if (event.kind == CPS_EVENT_DOCUMENT && root) {
      return refuse(p, event.mark, "a second document begins; a file holds one");
    }
    if (event.kind <= CPS_EVENT_MAP || event.kind == CPS_EVENT_ALIAS) {
      root = parse_value(p, &event, 0);
      if (!root) return NULL;
    } else if (event.kind == CPS_EVENT_DONE) {
      return root ? root : refuse(p, event.mark, "the file is empty");
    }
  }
}

CpsStatus cps_yaml_parse(CpsTree* tree, const CpsSource* source, const char* text, size_t length, CpsNode** root,
                         CpsMistakes* mistakes, CpsError* error) {
  if (length > CPS_YAML_BYTES) {
    return cps_place_fail(error, CPS_BAD_FORMAT, source, 0, 0, "larger than %d MB", CPS_YAML_BYTES >> 20);
  }
  Parser p = {.tree = tree, .source = source, .error = error, .mistakes = mistakes, .text = text, .length = length};
  p.events = cps_yaml_events_open(text, length);
  if (!p.events) return cps_place_fail(error, CPS_NO_MEMORY, source, 0, 0, "out of memory");
  *root = parse_document(&p);
  cps_yaml_events_close(p.events);
  return *root ? CPS_OK : p.status;
}
