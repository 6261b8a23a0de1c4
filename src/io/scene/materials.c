// Materials of a scene, and friction between them.
#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "io/scene/internal.h"

enum { MOST_NAMES = 200, MOST_MATERIALS = 1000, MOST_LINES = 10000 };

CpsStatus cps_scene_refuse_name(CpsReader* reader, const CpsNode* node, const CpsNode* map, const char* kind) {
  const char* names[MOST_NAMES + 1];
  int count = 0;
  for (const CpsNode* child = map ? map->first : NULL; child && count < MOST_NAMES; child = child->next) {
    names[count++] = child->key;
  }
  names[count] = NULL;
  const char* near = cps_suggest(node->text, names);
  if (near) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "unknown %s '%.40s'; did you mean '%.40s'?", kind,
                         node->text, near);
  }
  return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "unknown %s '%.40s'", kind, node->text);
}

// Materials are numbered in the order of the file, from 1.
static CpsStatus find_material(CpsReader* reader, const CpsNode* node, int32_t* material) {
  const CpsNode* map = cps_node_find(reader->root, "materials");
  const CpsNode* found = cps_node_find(map, node->text);
  if (!found) return cps_scene_refuse_name(reader, node, map, "material");
  *material = found->index + 1;
  return CPS_OK;
}

CpsStatus cps_scene_material(CpsReader* reader, const CpsNode* map, int32_t* material) {
  *material = 0;
  const CpsNode* node = cps_node_find(map, "material");
  return node ? find_material(reader, node, material) : CPS_OK;
}

CpsStatus cps_scene_find_obstacle(CpsReader* reader, const CpsNode* map, const char* key, int32_t* obstacle) {
  *obstacle = -1;
  const CpsNode* node = cps_node_find(map, key);
  if (!node) return CPS_OK;
  const CpsNode* obstacles = cps_node_find(reader->root, "obstacles");
  if (!cps_node_find(obstacles, node->text)) return cps_scene_refuse_name(reader, node, obstacles, "obstacle");
  *obstacle = cps_node_find(obstacles, node->text)->index;  // loaded in the order of the file
  return CPS_OK;
}

static CpsPair read_pair(const CpsNode* map) {
  return (CpsPair){cps_map_number(map, "mu", NAN), cps_map_number(map, "restitution", NAN)};
}

// A later line overrides the values that it gives; others stay.
static void override_pair(CpsPair* pair, CpsPair with) {
  if (!isnan(with.mu)) pair->mu = with.mu;
  if (!isnan(with.restitution)) pair->restitution = with.restitution;
}

static void add_pair(CpsScene* scene, int32_t a, int32_t b, CpsPair says) {
  if (a > b) {
    int32_t t = a;
    a = b;
    b = t;
  }
  for (int32_t i = 0; i < scene->pair_count; ++i) {
    if (scene->pairs[i].a != a || scene->pairs[i].b != b) continue;
    override_pair(&scene->pairs[i].pair, says);
    return;
  }
  scene->pairs[scene->pair_count++] = (CpsScenePair){a, b, says};
}

static CpsStatus read_line(CpsReader* reader, const CpsNode* line) {
  CpsScene* scene = reader->scene;
  const CpsNode* between = cps_node_find(line, "between");
  int32_t pair[2] = {-1, -1};
  int side = 0;
  for (const CpsNode* name = between->first; name; name = name->next, ++side) {
    if (strcmp(name->text, "any") == 0) continue;
    CpsStatus status = find_material(reader, name, &pair[side]);
    if (status != CPS_OK) return status;
  }
  CpsPair says = read_pair(line);
  if (isnan(says.mu) && isnan(says.restitution)) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, line, "needs mu or restitution");
  }
  if (pair[0] < 0 && pair[1] < 0) {
    if (!isnan(says.mu)) scene->def.mu = says.mu;
    if (!isnan(says.restitution)) scene->def.restitution = says.restitution;
  } else if (pair[0] < 0 || pair[1] < 0) {
    override_pair(&scene->materials[pair[0] < 0 ? pair[1] : pair[0]].pair, says);
  } else {
    add_pair(scene, pair[0], pair[1], says);
  }
  return CPS_OK;
}

CpsStatus cps_scene_load_materials(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode *map = cps_node_find(reader->root, "materials"), *list = cps_node_find(reader->root, "friction");
  int32_t count = map ? map->count : 0;
  if (count > MOST_MATERIALS) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, map, "more than %d materials", MOST_MATERIALS);
  }
  if (list && list->count > MOST_LINES) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, list, "more than %d lines", MOST_LINES);
  }
  scene->materials = CPS_TAKE(&scene->memory, CpsSceneMaterial, count + 1);
  scene->pairs = CPS_TAKE(&scene->memory, CpsScenePair, list ? list->count : 0);
  if (!scene->materials || !scene->pairs) return cps_scene_no_memory(reader);
  scene->materials[0] =
      (CpsSceneMaterial){.name = "", .density = NAN, .young = NAN, .poisson = NAN, .pair = {NAN, NAN}};
  scene->material_count = 1;
  for (const CpsNode* node = map ? map->first : NULL; node; node = node->next) {
    const char* name = cps_scene_text(reader, node->key);
    if (!name) return cps_scene_no_memory(reader);
    scene->materials[scene->material_count++] =
        (CpsSceneMaterial){name, cps_map_number(node, "density", NAN), cps_map_number(node, "young", NAN),
                           cps_map_number(node, "poisson", NAN), read_pair(node)};
  }
  for (const CpsNode* line = list ? list->first : NULL; line; line = line->next) {
    CpsStatus status = read_line(reader, line);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}
