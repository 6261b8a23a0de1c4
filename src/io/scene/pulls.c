// Pulls of a scene: forces on points of fibres, bodies, sheets and solids, and springs.
#include <math.h>
#include <string.h>

#include "core/vec3.h"
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

CpsStatus cps_scene_find_surface(CpsReader* reader, const CpsNode* name, CpsThingKind kind, int32_t* index) {
  const bool sheet = kind == CPS_THING_SHEET;
  const CpsNode* all = cps_node_find(reader->root, sheet ? "sheets" : "solids");
  const CpsNode* entry = cps_node_find(all, name->text);
  if (!entry) return cps_scene_refuse_name(reader, name, all, sheet ? "sheet" : "solid");
  *index = entry->index;
  return CPS_OK;
}

int32_t cps_scene_nearest_vertex(const CpsScene* scene, CpsThingKind kind, int32_t index, CpsVec3 point) {
  const bool solid = kind == CPS_THING_SOLID;
  const int32_t count = solid ? scene->solids[index].def.vertex_count : scene->sheets[index].def.vertex_count;
  const CpsVec3* x = solid ? scene->solids[index].def.vertices : scene->sheets[index].def.vertices;
  int32_t nearest = 0;
  double least = INFINITY;
  for (int32_t i = 0; i < count; ++i) {
    const double d = cps_vec3_norm(cps_vec3_sub(x[i], point));
    if (d < least) least = d, nearest = i;
  }
  return nearest;
}

// The vertex of a sheet or a solid: by its number, or the nearest to a point in the world.
static CpsStatus read_vertex(CpsReader* reader, const CpsNode* map, const CpsNode* name, CpsScenePull* pull) {
  const CpsNode *vertex = cps_node_find(map, "vertex"), *point = cps_node_find(map, "point");
  const CpsScene* scene = reader->scene;
  CpsStatus status = cps_scene_find_surface(reader, name, pull->kind, &pull->first);
  if (status != CPS_OK) return status;
  pull->count = 1;
  if (!vertex == !point) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map,
                         vertex ? "choose one: vertex or point" : "needs vertex or point, the one nearest to it");
  }
  if (point) {
    const CpsVec3 p = cps_map_vec3(map, "point", pull->def.at.point);
    pull->def.at.vertex = cps_scene_nearest_vertex(scene, pull->kind, pull->first, p);
    return CPS_OK;
  }
  const bool solid = pull->kind == CPS_THING_SOLID;
  const int32_t count =
      solid ? scene->solids[pull->first].def.vertex_count : scene->sheets[pull->first].def.vertex_count;
  if (vertex->number >= count) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, vertex, "the %s has %d vertices", solid ? "solid" : "sheet",
                         (int)count);
  }
  pull->def.at.vertex = (int32_t)vertex->number;
  return CPS_OK;
}

// Keys for positions on objects, and the kinds that have them.
static CpsStatus check_place(CpsReader* reader, const CpsNode* map, CpsThingKind kind) {
  const CpsNode *at = cps_node_find(map, "at"), *fraction = cps_node_find(map, "fraction");
  const CpsNode *point = cps_node_find(map, "point"), *vertex = cps_node_find(map, "vertex");
  const bool surface = kind == CPS_THING_SHEET || kind == CPS_THING_SOLID;
  if (kind == CPS_THING_FIBRE && point) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, point, "not valid for a fibre; use at or fraction");
  }
  if (kind != CPS_THING_FIBRE && (at || fraction)) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, at ? at : fraction, "only valid for a fibre; use %s",
                        surface ? "vertex or point" : "point");
  }
  if (vertex && !surface) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, vertex, "only valid for a sheet or a solid");
  }
  return CPS_OK;
}

// Reads the object and the position on which it acts.
static CpsStatus find_things(CpsReader* reader, const CpsNode* map, CpsScenePull* pull) {
  static const struct {
    const char* key;
    CpsThingKind kind;
  } KINDS[] = {
      {"fibre", CPS_THING_FIBRE}, {"body", CPS_THING_BODY}, {"sheet", CPS_THING_SHEET}, {"solid", CPS_THING_SOLID}};
  const CpsNode* name = NULL;
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; ++i) {
    const CpsNode* found = cps_node_find(map, KINDS[i].key);
    if (!found) continue;
    if (name) {
      return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "choose one: fibre, body, sheet or solid");
    }
    name = found;
    pull->kind = KINDS[i].kind;
  }
  if (!name) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "the key 'fibre', 'body', 'sheet' or 'solid' is missing");
  }
  CpsStatus status = check_place(reader, map, pull->kind);
  if (status != CPS_OK) return status;
  if (pull->kind == CPS_THING_SHEET || pull->kind == CPS_THING_SOLID) return read_vertex(reader, map, name, pull);
  if (pull->kind == CPS_THING_FIBRE) {
    status = cps_scene_find_fibres(reader, name, &pull->first, &pull->count, &pull->branches);
    return status == CPS_OK ? read_place(reader, map, pull) : status;
  }
  pull->def.at.point = cps_map_vec3(map, "point", pull->def.at.point);
  return cps_scene_find_bodies(reader, name, &pull->first, &pull->count);
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
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "needs force, stiffness or damping");
  }
  if (!(def->until > def->from)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(map, "until"), "must be later than from");
  }
  return CPS_OK;
}

CpsStatus cps_scene_load_pulls(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* list = cps_node_find(reader->root, "pulls");
  scene->pulls = CPS_TAKE(&scene->memory, CpsScenePull, list ? list->count : 0);
  if (!scene->pulls) return cps_scene_no_memory(reader);
  int64_t acting = 0;
  const int32_t others = reader->mistakes.count;  // of other parts
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
  return reader->mistakes.count == others ? CPS_OK : reader->mistakes.status;
}
