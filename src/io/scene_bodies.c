// Bodies of a scene: one entry is one body, or many by a generator.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene_internal.h"

static CpsStatus read_shared(CpsReader* reader, const CpsNode* map, CpsBodyDef* def) {
  *def = cps_body_def_default();
  CpsStatus status = cps_scene_material(reader, map, &def->material);
  if (status != CPS_OK) return status;
  double density = reader->scene->materials[def->material].density;
  if (isnan(density)) density = def->density;
  def->velocity = cps_map_vec3(map, "velocity", def->velocity);
  def->angular_velocity = cps_map_vec3(map, "angular_velocity", def->angular_velocity);
  def->mass = cps_map_number(map, "mass", 0.0);
  def->density = cps_map_number(map, "density", density);
  def->mu = cps_map_number(map, "mu", def->mu);
  def->restitution = cps_map_number(map, "restitution", def->restitution);
  def->mu_across = cps_map_number(map, "mu_across", def->mu_across);
  def->grain = cps_map_vec3(map, "grain", def->grain);
  def->fixed_rotation = cps_map_bool(map, "fixed_rotation", def->fixed_rotation);
  def->gravity = cps_map_bool(map, "gravity", def->gravity);
  def->group = cps_map_count(map, "group", def->group);
  const CpsNode *mass = cps_node_find(map, "mass"), *grain = cps_node_find(map, "grain");
  if (mass && cps_node_find(map, "density")) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, mass, "give either mass or density");
  }
  if (grain && !(cps_vec3_norm(def->grain) > 0.0)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, grain, "the grain has no direction");
  }
  return CPS_OK;
}

static CpsStatus read_body(CpsReader* reader, const CpsNode* map, CpsSceneGroup* group) {
  CpsScene* scene = reader->scene;
  CpsShape* shape = CPS_TAKE(&scene->memory, CpsShape, 1);
  CpsPose* pose = CPS_TAKE(&scene->memory, CpsPose, 1);
  *group = (CpsSceneGroup){.name = cps_scene_text(reader, map->key), .first = scene->body_count, .count = 1};
  if (!shape || !pose || !group->name) return cps_scene_no_memory(reader);
  int32_t frame;
  const CpsNode* unused;
  CpsStatus status = read_shared(reader, map, &group->def);
  if (status == CPS_OK) status = cps_scene_frame(reader, map, &frame);
  if (status == CPS_OK) status = cps_scene_shape(reader, map, shape, &unused);
  if (status == CPS_OK) status = cps_scene_pose(reader, map, pose);
  if (status != CPS_OK) return status;
  if (frame >= 0) {
    CpsPose axes = scene->obstacles[frame].def.pose;
    *pose = cps_pose_multiply(axes, *pose);
    group->def.velocity = cps_quat_rotate(axes.rotation, group->def.velocity);
    group->def.angular_velocity = cps_quat_rotate(axes.rotation, group->def.angular_velocity);
  }
  group->shape_count = 1;
  group->shapes = shape;
  group->pose = pose;
  scene->body_count += group->count;
  return CPS_OK;
}

static CpsStatus name_bodies(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  scene->body_names = CPS_TAKE(&scene->memory, const char*, scene->body_count);
  if (!scene->body_names) return cps_scene_no_memory(reader);
  for (int32_t g = 0; g < scene->group_count; ++g) {
    const CpsSceneGroup* group = &scene->groups[g];
    for (int32_t i = 0; i < group->count; ++i) scene->body_names[group->first + i] = group->name;
    if (!group->numbered) continue;
    size_t size = strlen(group->name) + 16;
    char* names = CPS_TAKE(&scene->memory, char, (int64_t)size * group->count);
    if (!names) return cps_scene_no_memory(reader);
    for (int32_t i = 0; i < group->count; ++i, names += size) {
      snprintf(names, size, "%s[%d]", group->name, (int)i);
      scene->body_names[group->first + i] = names;
    }
  }
  return CPS_OK;
}

CpsStatus cps_scene_load_bodies(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "bodies");
  scene->groups = CPS_TAKE(&scene->memory, CpsSceneGroup, map ? map->count : 0);
  if (!scene->groups) return cps_scene_no_memory(reader);
  for (const CpsNode* node = map ? map->first : NULL; node; node = node->next) {
    CpsStatus status = read_body(reader, node, &scene->groups[scene->group_count++]);
    if (status != CPS_OK) return status;
  }
  return name_bodies(reader);
}
