// Names in parts of a scene that were not loaded, because others have mistakes: a name is known or not, whatever is wrong with what has it.
// So is a place beyond the end of a fibre. All else about such a part depends on what it names, and is reported once that is corrected.
#include "io/scene/internal.h"

#include <string.h>

typedef struct Kind {
  const char *key, *section, *name;
} Kind;
static const Kind THINGS[] = {{"body", "bodies", "body"},
                              {"obstacle", "obstacles", "obstacle"},
                              {"fibre", "fibres", "fibre"},
                              {"sheet", "sheets", "sheet"},
                              {"solid", "solids", "solid"}};
enum { THING_COUNT = sizeof THINGS / sizeof *THINGS, BODY = 0 };
static const Kind MATERIAL = {"material", "materials", "material"};

static void tell(CpsReader* reader, CpsStatus status) {
  (void)cps_scene_next(reader, reader->mistakes.count, status);
}

// The entry named by a map under the key of a kind; NULL if it names none or an unknown one.
static const CpsNode* look_up(CpsReader* reader, const CpsNode* map, const char* key, const Kind* kind) {
  const CpsNode *name = cps_node_find(map, key), *section = cps_node_find(reader->root, kind->section);
  char own[CPS_NAME_LENGTH + 1];
  if (!name || name->kind != CPS_NODE_SCALAR) return NULL;
  (void)cps_scene_split_name(name->text, own, sizeof own);
  const CpsNode* entry = cps_node_find(section, own);
  if (!entry) tell(reader, cps_scene_refuse_name(reader, name, section, kind->name));
  return entry;
}

// Checks a pull or a side of a tie. A place beyond the end of a fibre is normally detected when the world is built.
static void check_place(CpsReader* reader, const CpsNode* map, bool named) {
  for (int i = 0; !named && i < THING_COUNT; ++i) (void)look_up(reader, map, THINGS[i].key, &THINGS[i]);
  const CpsNode *fibre = cps_node_find(map, "fibre"), *at = cps_node_find(map, "at");
  if (!fibre || !at || fibre->kind != CPS_NODE_SCALAR || at->kind != CPS_NODE_SCALAR) return;
  char own[CPS_NAME_LENGTH + 1];
  (void)cps_scene_split_name(fibre->text, own, sizeof own);
  const CpsNode *entry = cps_node_find(cps_node_find(reader->root, "fibres"), own),
                *length = cps_node_find(entry, "length");
  if (!length || length->kind != CPS_NODE_SCALAR || cps_node_find(entry, "branches")) return;
  if (!(length->number > 0.0) || !(at->number > length->number)) return;
  tell(reader,
       cps_node_fail(reader->error, CPS_BAD_DATA, at, "acts at %g m of a fibre of %g m", at->number, length->number));
}

static void check_pull(CpsReader* reader, const CpsNode* map) {
  check_place(reader, map, reader->loaded.pulls);
}

static void check_each(CpsReader* reader, const char* section, void (*check)(CpsReader*, const CpsNode*)) {
  const CpsNode* all = cps_node_find(reader->root, section);
  for (const CpsNode* entry = all ? all->first : NULL; entry; entry = entry->next) {
    if (entry->kind == CPS_NODE_MAP) check(reader, entry);
  }
}

static void check_material(CpsReader* reader, const CpsNode* map) {
  (void)look_up(reader, map, MATERIAL.key, &MATERIAL);
}

static void check_tie(CpsReader* reader, const CpsNode* map) {
  const CpsNode *a = cps_node_find(map, "a"), *b = cps_node_find(map, "b");
  if (a && a->kind == CPS_NODE_MAP) check_place(reader, a, reader->loaded.ties);
  if (b && b->kind == CPS_NODE_MAP) check_place(reader, b, reader->loaded.ties);
}

static void check_load(CpsReader* reader, const CpsNode* map) {
  const CpsNode* on = cps_node_find(map, "on");
  if (on && on->kind == CPS_NODE_SCALAR && strcmp(on->text, "all") == 0) return;
  (void)look_up(reader, map, "on", &THINGS[BODY]);
}

void cps_scene_check_references(CpsReader* reader) {
  if (!reader->mistakes.tell || !reader->root || reader->root->kind != CPS_NODE_MAP) return;
  for (int i = 0; !reader->loaded.things && i < THING_COUNT; ++i) check_each(reader, THINGS[i].section, check_material);
  if (!reader->loaded.loads) check_each(reader, "loads", check_load);
  check_each(reader, "pulls", check_pull);
  check_each(reader, "ties", check_tie);
}
