// Obstacles of a scene.
#include <math.h>
#include <string.h>

#include "io/scene/internal.h"

// A plane may be given by its normal instead of a rotation.
static CpsStatus turn_plane(CpsReader* reader, const CpsNode* map, CpsObstacleDef* def) {
  const CpsNode* normal = cps_node_find(cps_node_find(map, "plane"), "normal");
  if (!normal) return CPS_OK;
  CpsVec3 n = cps_node_vec3(normal);
  double norm = cps_vec3_norm(n);
  if (!(norm > 0.0) || !isfinite(norm)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, normal, "the normal has no direction");
  }
  n = cps_vec3_scale(1.0 / norm, n);
  // the shortest rotation from z to n is the square root of (n . z) + z × n; half a turn about x from z to -z
  CpsQuat turn = n.z > -1.0 + 1e-12 ? cps_quat_unit((CpsQuat){1.0 + n.z, -n.y, n.x, 0.0}) : (CpsQuat){0, 1, 0, 0};
  def->pose.rotation = cps_quat_multiply(def->pose.rotation, turn);
  return CPS_OK;
}

static CpsStatus read_obstacle(CpsReader* reader, const CpsNode* map) {
  CpsScene* scene = reader->scene;
  CpsObstacleDef def = cps_obstacle_def_default();
  const CpsNode* shape;
  CpsStatus status = cps_scene_shape(reader, map, &def.shape, &shape);
  if (status == CPS_OK) status = cps_scene_pose(reader, map, &def.pose);
  if (status == CPS_OK) status = turn_plane(reader, map, &def);
  if (status == CPS_OK) status = cps_scene_motion(reader, map, &def.motion);
  if (status == CPS_OK) status = cps_scene_material(reader, map, &def.material);
  if (status != CPS_OK) return status;
  def.surface_velocity = cps_map_vec3(map, "surface_velocity", def.surface_velocity);
  def.mu = cps_map_number(map, "mu", def.mu);
  def.restitution = cps_map_number(map, "restitution", def.restitution);
  def.contact = cps_map_bool(map, "contact", def.contact);
  const char* name = cps_scene_text(reader, map->key);
  if (!name) return cps_scene_no_memory(reader);
  scene->obstacles[scene->obstacle_count++] = (CpsSceneObstacle){name, def, map};
  return CPS_OK;
}

CpsStatus cps_scene_load_obstacles(CpsReader* reader) {
  const CpsNode *map = cps_node_find(reader->root, "obstacles"), *bodies = cps_node_find(reader->root, "bodies");
  int64_t count = map ? map->count : 0;
  for (const CpsNode* node = bodies ? bodies->first : NULL; node; node = node->next) {
    if (cps_node_find(node, "arch")) count += 2;  // springers are added later
  }
  reader->scene->obstacles = CPS_TAKE(&reader->scene->memory, CpsSceneObstacle, count);
  if (!reader->scene->obstacles) return cps_scene_no_memory(reader);
  return cps_scene_each(reader, map, read_obstacle);
}
