// Pulls of a scene: forces on points of fibres and bodies, and springs.
#include <math.h>
#include <string.h>

#include "io/scene/internal.h"

CpsStatus cps_scene_find_fibres(CpsReader* reader, const CpsNode* node, int32_t* first, int32_t* count,
                                double* branches) {
  const CpsNode* fibres = cps_node_find(reader->root, "fibres");
  char name[CPS_NAME_LENGTH + 1];
  int32_t number = cps_scene_split_name(node->text, name, sizeof name);
  const CpsNode* entry = cps_node_find(fibres, name);
  if (!entry) return cps_scene_refuse_name(reader, node, fibres, "fibre");
  const CpsSceneFibres* group = &reader->scene->fibre_groups[entry->index];
  if (number >= group->count) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "'%s' has %d fibre%s", name, (int)group->count,
                         group->count == 1 ? "" : "s");
  }
  *first = group->first + (number >= 0 ? number : 0);
  *count = number >= 0 ? 1 : group->count;
  *branches = 0.0;
  for (int32_t i = 0; i < group->def.branch_count; ++i) *branches += group->def.branches[i].length;
  return CPS_OK;
}

static CpsStatus read_place(CpsReader* reader, const CpsNode* map, CpsScenePull* pull) {
  const CpsNode *at = cps_node_find(map, "at"), *fraction = cps_node_find(map, "fraction");
  enum { LENGTH, ROOT, TIP };  // forms of the key, as the schema has them
  if (at && fraction) return cps_key_fail(reader->error, CPS_BAD_FORMAT, fraction, "choose one: at or fraction");
  pull->fraction = fraction ? fraction->number : !at || at->form == TIP ? 1.0 : at->form == ROOT ? 0.0 : NAN;
  if (at && at->form == LENGTH) pull->def.at.s = at->number;
  return CPS_OK;
}

// What it acts on, and where.
static CpsStatus find_things(CpsReader* reader, const CpsNode* map, CpsScenePull* pull) {
  const CpsNode *fibre = cps_node_find(map, "fibre"), *body = cps_node_find(map, "body");
  const CpsNode *at = cps_node_find(map, "at"), *fraction = cps_node_find(map, "fraction");
  const CpsNode* point = cps_node_find(map, "point");
  if (!fibre == !body) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map,
                         fibre ? "choose one: fibre or body" : "the key 'fibre' or 'body' is missing");
  }
  if (fibre && point)
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, point, "only a body has it: say at or fraction");
  if (body && (at || fraction)) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, at ? at : fraction, "only a fibre has it: say point");
  }
  if (fibre) {
    CpsStatus status = cps_scene_find_fibres(reader, fibre, &pull->first, &pull->count, &pull->branches);
    return status == CPS_OK ? read_place(reader, map, pull) : status;
  }
  pull->on_body = true;
  pull->def.at.point = cps_map_vec3(map, "point", pull->def.at.point);
  return cps_scene_find_bodies(reader, body, &pull->first, &pull->count);
}

static CpsStatus read_pull(CpsReader* reader, const CpsNode* map, CpsScenePull* pull) {
  *pull = (CpsScenePull){.def = cps_pull_def_default(), .node = map};
  CpsPullDef* def = &pull->def;
  CpsStatus status = find_things(reader, map, pull);
  if (status == CPS_OK) status = cps_scene_time_curve(reader, map, &def->curve);
  if (status == CPS_OK) status = cps_scene_motion(reader, map, &def->motion);
  if (status != CPS_OK) return status;
  def->force = cps_map_vec3(map, "force", def->force);
  def->stiffness = cps_map_number(map, "stiffness", def->stiffness);
  def->damping = cps_map_number(map, "damping", def->damping);
  def->target = cps_map_vec3(map, "target", def->target);
  def->from = cps_map_number(map, "from", def->from);
  def->until = cps_map_number(map, "until", def->until);
  pull->at_point = !cps_node_find(map, "target");
  if (!cps_node_find(map, "force") && !(def->stiffness > 0.0) && !(def->damping > 0.0)) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "says neither force nor stiffness nor damping");
  }
  if (!(def->until > def->from)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(map, "until"), "is not later than from");
  }
  return CPS_OK;
}

CpsStatus cps_scene_load_pulls(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* list = cps_node_find(reader->root, "pulls");
  scene->pulls = CPS_TAKE(&scene->memory, CpsScenePull, list ? list->count : 0);
  if (!scene->pulls) return cps_scene_no_memory(reader);
  int64_t acting = 0;
  for (const CpsNode* map = list ? list->first : NULL; map; map = map->next) {
    CpsScenePull* pull = &scene->pulls[scene->pull_count++];
    int32_t before = reader->mistakes.count;
    CpsStatus status = read_pull(reader, map, pull);
    if (!cps_scene_next(reader, before, status)) return status;
    acting += pull->count;
    if (acting > CPS_SCENE_FIBRES) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, map, "pulls act more than %d times", CPS_SCENE_FIBRES);
    }
  }
  return reader->mistakes.count == 0 ? CPS_OK : reader->mistakes.status;
}
