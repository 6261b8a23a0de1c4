// Pins of sheets and solids: the vertices that they hold, what carries or moves them, and when.
#include "io/scene/pins.h"

static CpsStatus check(CpsReader* reader, const CpsPinMesh* of, CpsPinPlace* place) {
  const CpsNode *pin = place->pin, *radius = cps_node_find(pin, "radius");
  int ways = (place->vertices != NULL) + (place->near != NULL);
  for (const char* const* key = of->keys; *key; ++key) {
    const CpsNode* node = cps_node_find(pin, *key);
    if (node) place->other = node;
    ways += node != NULL;
  }
  if (ways != 1) return cps_node_fail(reader->error, CPS_BAD_FORMAT, pin, "choose one: %s", of->choices);
  if (radius && !place->near) return cps_key_fail(reader->error, CPS_BAD_FORMAT, radius, "only valid with near");
  if (place->near && !radius) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, pin, "the key 'radius' is missing: near needs one");
  }
  return of->check(reader, of, place);
}

static CpsStatus take_list(CpsReader* reader, const CpsPinMesh* of, const CpsNode* list, CpsPin* pin) {
  if (list->count == 0) return cps_node_fail(reader->error, CPS_BAD_FORMAT, list, "expected at least one vertex");
  int32_t* vertices = CPS_TAKE(&reader->scene->memory, int32_t, list->count);
  if (!vertices) return cps_scene_no_memory(reader);
  pin->vertices = vertices;
  for (const CpsNode* node = list->first; node; node = node->next) {
    if (node->number >= of->vertex_count) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the %s has the vertices 0 to %d", of->kind,
                           (int)of->vertex_count - 1);
    }
    vertices[pin->vertex_count++] = (int32_t)node->number;
  }
  return CPS_OK;
}

static bool is_meant(const CpsPinMesh* of, const CpsPinPlace* place, int32_t vertex) {
  if (!place->near) return of->is_meant(of, place, vertex);
  return cps_vec3_norm(cps_vec3_sub(of->vertices[vertex], place->point)) <= place->radius;
}

static CpsStatus find_vertices(CpsReader* reader, const CpsPinMesh* of, const CpsNode* map, CpsPin* pin) {
  CpsPinPlace place = {.pin = map,
                       .vertices = cps_node_find(map, "vertices"),
                       .near = cps_node_find(map, "near"),
                       .point = cps_map_vec3(map, "near", cps_vec3(0.0, 0.0, 0.0)),
                       .radius = cps_map_number(map, "radius", 0.0)};
  CpsStatus status = check(reader, of, &place);
  if (status != CPS_OK) return status;
  if (place.vertices) return take_list(reader, of, place.vertices, pin);
  int32_t count = 0;
  for (int32_t i = 0; i < of->vertex_count; ++i) count += is_meant(of, &place, i);
  if (count == 0) return cps_node_fail(reader->error, CPS_BAD_DATA, place.near, "no vertex is within the radius");
  int32_t* vertices = CPS_TAKE(&reader->scene->memory, int32_t, count);
  if (!vertices) return cps_scene_no_memory(reader);
  pin->vertices = vertices;
  for (int32_t i = 0; i < of->vertex_count; ++i) {
    if (is_meant(of, &place, i)) vertices[pin->vertex_count++] = i;
  }
  return CPS_OK;
}

static CpsStatus read_motion(CpsReader* reader, const CpsNode* node, CpsPin* pin, int32_t* on) {
  const CpsNode* motion = cps_node_find(node, "motion");
  CpsStatus status = cps_scene_find_obstacle(reader, node, "on", on);
  if (status == CPS_OK) status = cps_scene_motion(reader, node, &pin->motion);
  if (status != CPS_OK) return status;
  pin->from = cps_map_number(node, "from", pin->from);
  pin->until = cps_map_number(node, "until", pin->until);
  if (motion && *on >= 0) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, motion, "a pin on an obstacle cannot have its own motion");
  }
  if (!(pin->until > pin->from)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(node, "until"), "must be later than from");
  }
  return CPS_OK;
}

CpsStatus cps_scene_pins(CpsReader* reader, const CpsNode* list, const CpsPinMesh* of, CpsScenePins* out) {
  *out = (CpsScenePins){0};
  if (!list || list->count == 0) return CPS_OK;
  out->pins = CPS_TAKE(&reader->scene->memory, CpsPin, list->count);
  out->on = CPS_TAKE(&reader->scene->memory, int32_t, list->count);
  if (!out->pins || !out->on) return cps_scene_no_memory(reader);
  CpsStatus status = CPS_OK;
  for (const CpsNode* node = list->first; status == CPS_OK && node; node = node->next) {
    const int32_t i = out->count++;
    out->pins[i] = cps_pin_default();
    status = find_vertices(reader, of, node, &out->pins[i]);
    if (status == CPS_OK) status = read_motion(reader, node, &out->pins[i], &out->on[i]);
  }
  return status;
}
