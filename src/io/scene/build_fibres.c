// Fibres of a scene become those of a world.
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "io/scene/internal.h"

// The definition of one fibre; `points` has room for its line in the world.
static CpsFibreDef define(const CpsSceneFibres* group, int32_t i, CpsVec3* points) {
  const CpsStrand* strand = &group->strand[i];
  CpsFibreDef def = group->def;
  if (strand->points) {
    def.points = strand->points;
    def.point_count = strand->point_count;
  }
  for (int32_t k = 0; k < def.point_count; ++k) points[k] = cps_pose_apply(strand->pose, def.points[k]);
  def.points = points;
  def.root_pose = strand->pose;
  if (strand->natural || strand->natural_as_placed) {
    def.natural = strand->natural;
    def.natural_count = strand->natural_count;
    def.natural_as_placed = strand->natural_as_placed;
  }
  if (strand->curvature) {
    def.curvature = strand->curvature;
    def.curvature_count = strand->curvature_count;
  }
  if (strand->element_lengths) {
    def.element_lengths = strand->element_lengths;
    def.element_curvature = strand->element_curvature;
  }
  if (strand->length > 0.0) def.length = strand->length;
  if (strand->radius > 0.0) {
    def.radius_tip *= strand->radius / def.radius;  // scaled with the taper of the entry
    def.radius = strand->radius;
  }
  return def;
}

static int32_t most_points(const CpsScene* scene) {
  int32_t most = 0;
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    if (group->def.point_count > most) most = group->def.point_count;
    for (int32_t i = 0; i < group->count; ++i) {
      if (group->strand[i].point_count > most) most = group->strand[i].point_count;
    }
  }
  return most;
}

static CpsStatus add_fibre(const CpsScene* scene, const CpsSceneFibres* group, int32_t i, const double* radii,
                           CpsVec3* points, CpsWorld* world, CpsError* error) {
  CpsFibreDef def = define(group, i, points);
  if (radii && !isnan(radii[group->first + i])) def.contact_radius = radii[group->first + i];
  def.name = scene->fibre_names[group->first + i];
  if (group->root_on >= 0) def.root.obstacle = cps_world_obstacle(world, group->root_on);
  if (group->tip_on >= 0) def.tip.obstacle = cps_world_obstacle(world, group->tip_on);
  CpsFibreId id;
  CpsError why;
  CpsStatus status = cps_world_add_fibre(world, &def, &id, &why);
  bool moves = cps_vec3_norm(group->velocity) + cps_vec3_norm(group->angular_velocity) > 0.0;
  if (status == CPS_OK && moves) {
    CpsFibrePoint root = {0};
    status = cps_world_fibre_at(world, id, 0.0, &root);
    // relative to the root in the scene, to the origin in the world
    CpsVec3 v = cps_vec3_sub(group->velocity, cps_vec3_cross(group->angular_velocity, root.position));
    if (status == CPS_OK) status = cps_world_set_fibre_velocity(world, id, v, group->angular_velocity, &why);
  }
  if (status != CPS_OK) cps_scene_build_fail(error, status, group->node, def.name, &why);
  return status;
}

CpsStatus cps_scene_add_fibres(const CpsScene* scene, const double* radii, CpsWorld* world, CpsError* error) {
  if (scene->fibre_count == 0) return CPS_OK;
  CpsVec3* points = malloc(((size_t)most_points(scene) + 1) * sizeof *points);
  CpsStatus status = points ? CPS_OK : cps_io_fail(error, CPS_NO_MEMORY, scene->title, NULL, "out of memory");
  for (int32_t g = 0; status == CPS_OK && g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    for (int32_t i = 0; status == CPS_OK && i < group->count; ++i) {
      status = add_fibre(scene, group, i, radii, points, world, error);
    }
  }
  free(points);
  return status;
}
