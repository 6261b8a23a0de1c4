// Loads of a scene: forces and torques on bodies, constant or following a curve of time.
#include <stdlib.h>
#include <string.h>

#include "io/scene/internal.h"

int32_t cps_scene_split_name(const char* text, char* name, size_t size) {
  size_t length = strcspn(text, "[");
  if (length >= size) length = size - 1;
  memcpy(name, text, length);
  name[length] = '\0';
  if (text[length] != '[') return -1;
  char* after;
  long number = strtol(text + length + 1, &after, 10);
  return after[0] == ']' && after[1] == '\0' && number >= 0 && number < INT32_MAX ? (int32_t)number : INT32_MAX;
}

CpsStatus cps_scene_find_bodies(CpsReader* reader, const CpsNode* on, int32_t* first, int32_t* count) {
  const CpsNode* bodies = cps_node_find(reader->root, "bodies");
  char name[CPS_NAME_LENGTH + 1];
  int32_t number = cps_scene_split_name(on->text, name, sizeof name);
  const CpsNode* entry = cps_node_find(bodies, name);
  if (!entry) return cps_scene_refuse_name(reader, on, bodies, "body");
  const CpsSceneGroup* group = &reader->scene->groups[entry->index];
  if (number >= group->count) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, on, "'%s' has %d bodies", name, (int)group->count);
  }
  *first = group->first + (number >= 0 ? number : 0);
  *count = number >= 0 ? 1 : group->count;
  return CPS_OK;
}

static CpsStatus find_bodies(CpsReader* reader, const CpsNode* on, CpsSceneLoad* load) {
  if (strcmp(on->text, "all") == 0 && !cps_node_find(cps_node_find(reader->root, "bodies"), "all")) {
    load->count = -1;
    return CPS_OK;
  }
  return cps_scene_find_bodies(reader, on, &load->first, &load->count);
}

static CpsStatus check_times(CpsReader* reader, const CpsNode* node, const double* times, int32_t count) {
  for (int32_t i = 1; i < count; ++i) {
    if (!(times[i] > times[i - 1])) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the time of entry %d does not increase", (int)i);
    }
  }
  return CPS_OK;
}

static CpsStatus read_table(CpsReader* reader, const CpsNode* node, CpsCurve* curve) {
  const CpsNode *file = node->kind == CPS_NODE_SCALAR ? node : cps_node_find(node, "file"),
                *times = cps_node_find(node, "times"), *values = cps_node_find(node, "values");
  CpsTable table = {0};
  if (file ? times || values : !times || !values) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "a table has either a file or times and values");
  }
  if (!file && (times->count != values->count || times->count == 0)) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, values, "%d values for %d times", (int)values->count,
                         (int)times->count);
  }
  CpsStatus status = file ? cps_scene_table(reader, file, 2, &table) : CPS_OK;
  if (status != CPS_OK) return status;
  int32_t count = file ? table.rows : times->count;
  double* t = CPS_TAKE(&reader->scene->memory, double, count);
  double* v = CPS_TAKE(&reader->scene->memory, double, count);
  if (!t || !v) return cps_scene_no_memory(reader);
  const CpsNode *time = file ? NULL : times->first, *value = file ? NULL : values->first;
  for (int32_t i = 0; i < count; ++i) {
    t[i] = file ? table.values[(size_t)i * (size_t)table.columns] : time->number;
    v[i] = file ? table.values[(size_t)i * (size_t)table.columns + 1] : value->number;
    time = file ? NULL : time->next;
    value = file ? NULL : value->next;
  }
  *curve = (CpsCurve){.kind = CPS_CURVE_TABLE, .count = count, .times = t, .values = v};
  curve->steps = cps_map_bool(node, "steps", false);
  curve->period = cps_map_number(node, "period", 0.0);
  return check_times(reader, node, t, count);
}

CpsStatus cps_scene_time_curve(CpsReader* reader, const CpsNode* map, CpsCurve* curve) {
  const CpsNode *sine = cps_node_find(map, "sine"), *table = cps_node_find(map, "table");
  if (sine && table) return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "choose one: sine or table");
  if (sine) {
    *curve = (CpsCurve){.kind = CPS_CURVE_SINE};
    curve->frequency = cps_map_number(sine, "frequency", 0.0);
    curve->phase = cps_map_number(sine, "phase", 0.0);
  }
  return table ? read_table(reader, table, curve) : CPS_OK;
}

static CpsStatus read_load(CpsReader* reader, const CpsNode* map, CpsSceneLoad* load) {
  *load = (CpsSceneLoad){.def = cps_load_def_default(), .node = map};
  CpsLoadDef* def = &load->def;
  CpsStatus status = find_bodies(reader, cps_node_find(map, "on"), load);
  if (status != CPS_OK) return status;
  def->force = cps_map_vec3(map, "force", def->force);
  def->torque = cps_map_vec3(map, "torque", def->torque);
  const CpsNode* axes = cps_node_find(map, "axes");
  def->body_axes = axes && strcmp(axes->text, "body") == 0;
  status = cps_scene_time_curve(reader, map, &def->curve);
  if (status == CPS_OK && !cps_node_find(map, "force") && !cps_node_find(map, "torque")) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "needs force or torque");
  }
  return status;
}

CpsStatus cps_scene_load_loads(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* list = cps_node_find(reader->root, "loads");
  scene->loads = CPS_TAKE(&scene->memory, CpsSceneLoad, list ? list->count : 0);
  if (!scene->loads) return cps_scene_no_memory(reader);
  int64_t acting = 0;
  const int32_t others = reader->mistakes.count;  // of other parts
  for (const CpsNode* map = list ? list->first : NULL; map; map = map->next) {
    CpsSceneLoad* load = &scene->loads[scene->load_count++];
    int32_t before = reader->mistakes.count;
    CpsStatus status = read_load(reader, map, load);
    if (!cps_scene_next(reader, before, status)) return status;
    acting += load->count < 0 ? 1 : load->count;
    if (acting > CPS_SCENE_BODIES) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, map, "loads act on bodies more than %d times; use 'all'",
                           CPS_SCENE_BODIES);
    }
  }
  return reader->mistakes.count == others ? CPS_OK : reader->mistakes.status;
}
