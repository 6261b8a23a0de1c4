// Pulls of a scene become those of a world.
#include <math.h>
#include <stdlib.h>

#include "core/quat.h"
#include "io/scene/internal.h"
#include "io/world_surfaces.h"

static CpsStatus place_on_body(const CpsScenePull* pull, CpsBodyId body, const CpsWorld* world, CpsPullDef* def) {
  def->at.thing = cps_thing_body(body);
  CpsBodyState now = {0};
  CpsStatus status = cps_world_body_state(world, body, &now);
  if (pull->at_point) def->target = cps_pose_apply(now.pose, def->at.point);
  return status;
}

static CpsStatus place_on_fibre(const CpsScenePull* pull, CpsFibreId fibre, const CpsWorld* world, CpsPullDef* def) {
  def->at.thing = cps_thing_fibre(fibre);
  CpsFibreInfo info = {0};
  CpsFibrePoint point = {0};
  CpsStatus status = cps_world_fibre_info(world, fibre, &info);
  if (status == CPS_OK && !isnan(pull->fraction)) def->at.s = pull->fraction * (info.length - pull->branches);
  if (status == CPS_OK) status = cps_world_fibre_at(world, fibre, def->at.s, &point);
  if (pull->at_point) def->target = point.position;
  return status;
}

// The vertex is at its position in the scene, unless overlaps were removed.
static CpsStatus place_on_surface(const CpsScenePull* pull, const CpsScene* scene, int32_t i, const CpsWorld* world,
                                  CpsPullDef* def) {
  const bool sheet = pull->kind == CPS_THING_SHEET;
  def->at.thing = sheet ? cps_thing_sheet(cps_world_sheet(world, i)) : cps_thing_solid(cps_world_solid(world, i));
  if (!pull->at_point) return CPS_OK;
  const int32_t surface = sheet ? i : scene->sheet_count + i;
  const int32_t count = cps_world_surface_vertices(world, surface, NULL, NULL);
  CpsVec3* x = count > 0 ? malloc((size_t)count * sizeof *x) : NULL;
  if (!x) return CPS_NO_MEMORY;
  (void)cps_world_surface_vertices(world, surface, x, NULL);
  def->target = x[def->at.vertex];
  free(x);
  return CPS_OK;
}

static const char* name_of(const CpsScene* scene, CpsThingKind kind, int32_t i) {
  return cps_scene_thing_name(scene, (CpsThing){kind, i, 0});
}

static CpsStatus add_pull(const CpsScene* scene, const CpsScenePull* pull, int32_t i, CpsWorld* world, CpsError* why) {
  CpsPullDef def = pull->def;
  CpsStatus status = pull->kind == CPS_THING_BODY    ? place_on_body(pull, cps_world_body(world, i), world, &def)
                     : pull->kind == CPS_THING_FIBRE ? place_on_fibre(pull, cps_world_fibre(world, i), world, &def)
                                                     : place_on_surface(pull, scene, i, world, &def);
  return status == CPS_OK ? cps_world_add_pull(world, &def, NULL, why) : status;
}

CpsStatus cps_scene_add_pulls(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t k = 0; status == CPS_OK && k < scene->pull_count; ++k) {
    const CpsScenePull* pull = &scene->pulls[k];
    for (int32_t i = pull->first; status == CPS_OK && i < pull->first + pull->count; ++i) {
      CpsError why = {""};
      status = add_pull(scene, pull, i, world, &why);
      if (status != CPS_OK) cps_scene_build_fail(error, status, pull->node, name_of(scene, pull->kind, i), &why);
    }
  }
  return status;
}
