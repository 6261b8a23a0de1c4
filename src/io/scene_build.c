// A scene becomes a world, by the calls anybody could make.
#include "io/fail.h"
#include "io/scene_internal.h"

static CpsStatus add_materials(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t i = 1; status == CPS_OK && i < scene->material_count; ++i) {
    CpsMaterialId id;  // numbers follow from the order
    status = cps_world_add_material(world, scene->materials[i].pair, &id, error);
  }
  for (int32_t i = 0; status == CPS_OK && i < scene->pair_count; ++i) {
    const CpsScenePair* p = &scene->pairs[i];
    status = cps_world_set_pair(world, p->a, p->b, p->pair, error);
  }
  return status;
}

static CpsStatus add_bodies(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t g = 0; status == CPS_OK && g < scene->group_count; ++g) {
    const CpsSceneGroup* group = &scene->groups[g];
    CpsBodyDef def = group->def;
    for (int32_t i = 0; status == CPS_OK && i < group->count; ++i) {
      def.shape = group->shapes[group->shape ? group->shape[i] : 0];
      def.position = group->pose[i].position;
      def.rotation = group->pose[i].rotation;
      CpsError why;
      status = cps_world_add_body(world, &def, NULL, &why);
      if (status != CPS_OK) cps_io_fail(error, status, scene->body_names[group->first + i], NULL, "%s", why.text);
    }
  }
  return status;
}

static CpsStatus add_loads(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t k = 0; status == CPS_OK && k < scene->load_count; ++k) {
    const CpsSceneLoad* load = &scene->loads[k];
    CpsLoadDef def = load->def;
    if (load->count < 0) status = cps_world_add_load(world, &def, error);
    for (int32_t i = 0; status == CPS_OK && i < load->count; ++i) {
      def.body = cps_world_body(world, load->first + i);
      status = cps_world_add_load(world, &def, error);
    }
  }
  return status;
}

CpsStatus cps_scene_build(const CpsScene* scene, int32_t threads, CpsWorld** world, CpsError* error) {
  if (!scene || !world || threads < 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_scene_build", NULL, "scene or world is NULL, or threads < 0");
  }
  CpsWorldDef def = scene->def;
  if (threads > 0) def.threads = threads;
  CpsWorld* made = NULL;
  CpsStatus status = cps_world_create(&def, &made, error);
  if (status == CPS_OK) status = add_materials(scene, made, error);
  for (int32_t i = 0; status == CPS_OK && i < scene->obstacle_count; ++i) {
    status = cps_world_add_obstacle(made, &scene->obstacles[i].def, NULL, error);
  }
  if (status == CPS_OK) status = add_bodies(scene, made, error);
  if (status == CPS_OK) status = add_loads(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_fibres(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_pulls(scene, made, error);
  if (status == CPS_OK) status = cps_scene_resume(scene, made, error);
  if (status != CPS_OK) {
    cps_world_destroy(made);
    return status;
  }
  *world = made;
  return CPS_OK;
}
