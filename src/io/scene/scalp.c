// Which side of a scalp its strands are on.
//
// A mesh is touched from the front of its triangles. With x a point of a strand that a head holds, and n the normal of the triangle nearest to it, at p,
// (x - p).n > 0. Where most strands are on the other side, the triangles were written the other way round, and the head would pull its hair in.
#include "capstan/shape.h"
#include "geometry/triangle_pairs.h"
#include "io/scene/internal.h"

#include <math.h>
#include <stdio.h>

enum { LOOKED_AT = 64, POINTS = 5 };  // strands, evenly distributed; points of each, the first at its root

static const double CLOSED = 1e-6;  // vector area of a closed surface, relative to its area

static CpsVec3 normal_of(const CpsVec3 x[3]) {
  return cps_vec3_cross(cps_vec3_sub(x[1], x[0]), cps_vec3_sub(x[2], x[0]));
}

// Height of a point above the nearest triangle, m.
static double height_over(const CpsShape* mesh, CpsVec3 point) {
  double least = INFINITY, height = 0.0;
  for (int32_t i = 0; i < mesh->triangle_count; ++i) {
    const int32_t* v = mesh->triangles + 3 * (int64_t)i;
    const CpsVec3 x[3] = {mesh->points[v[0]], mesh->points[v[1]], mesh->points[v[2]]}, n = normal_of(x);
    const double size = cps_vec3_norm(n), distance = cps_closest_vertex_triangle(point, x).distance;
    if (!(size > 0.0) || !(distance < least)) continue;
    least = distance;
    height = cps_vec3_dot(cps_vec3_sub(point, x[0]), n) / size;
  }
  return height;
}

// Whether a surface is closed: then its vector area is zero. Fibres touch one with a border from both sides, so the
// order of its vertices does not matter.
static bool is_closed(const CpsShape* mesh) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  double all = 0.0;
  for (int32_t i = 0; i < mesh->triangle_count; ++i) {
    const int32_t* v = mesh->triangles + 3 * (int64_t)i;
    const CpsVec3 x[3] = {mesh->points[v[0]], mesh->points[v[1]], mesh->points[v[2]]}, n = normal_of(x);
    sum = cps_vec3_add(sum, n);
    all += cps_vec3_norm(n);
  }
  return cps_vec3_norm(sum) < CLOSED * all;
}

static CpsPose pose_of(const CpsObstacleDef* def) {
  CpsPose pose = def->pose;
  const CpsQuat q = pose.rotation;
  if (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0) pose.rotation.w = 1.0;
  return pose;
}

// Number of strands, out of `looked`, that are behind the triangles, by the sum of their heights.
static int32_t count_behind(const CpsWorld* world, const CpsSceneFibres* group, const CpsObstacleDef* scalp,
                            int32_t looked) {
  const CpsPose pose = pose_of(scalp);
  const CpsQuat back = cps_quat_conjugate(pose.rotation);
  int32_t behind = 0;
  for (int32_t i = 0; i < looked; ++i) {
    const int32_t strand = group->first + (int32_t)((int64_t)i * group->count / looked);
    CpsVec3 x[POINTS];
    double sum = 0.0;
    if (cps_world_fibre_points(world, cps_world_fibre(world, strand), POINTS, x) != CPS_OK) continue;
    for (int k = 1; k < POINTS; ++k) {
      sum += height_over(&scalp->shape, cps_quat_rotate(back, cps_vec3_sub(x[k], pose.position)));
    }
    behind += sum < 0.0;
  }
  return behind;
}

CpsStatus cps_scene_check_scalps(const CpsScene* scene, const CpsWorld* world, CpsError* error) {
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    if (group->root_on < 0 || group->count == 0 || !group->strand[0].fitted) continue;
    const CpsSceneObstacle* scalp = &scene->obstacles[group->root_on];
    if (scalp->def.shape.kind != CPS_SHAPE_MESH || !is_closed(&scalp->def.shape)) continue;
    const int32_t looked = group->count < LOOKED_AT ? group->count : LOOKED_AT;
    const int32_t behind = count_behind(world, group, &scalp->def, looked);
    if (2 * behind <= looked) continue;
    CpsError why;
    (void)snprintf(why.text, sizeof why.text,
                   "the mesh is inside out: %d of %d strands of '%s' are behind its triangles; set mesh.flip: true",
                   (int)behind, (int)looked, group->name);
    return cps_scene_build_fail(error, CPS_BAD_DATA, scalp->node, scalp->name, &why);
  }
  return CPS_OK;
}
