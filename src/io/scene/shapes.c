// Shapes and poses of scene files.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/surfaces.h"

static const char* const SHAPES[] = {"sphere", "box",  "capsule", "cylinder",  "hull",   "compound",
                                     "plane",  "mesh", "tube",    "container", "points", NULL};

CpsStatus cps_scene_rotation(CpsReader* reader, const CpsNode* map, CpsQuat* rotation) {
  *rotation = cps_quat_identity();
  const CpsNode* node = cps_node_find(map, "rotation");
  if (!node || cps_node_is_null(node)) return CPS_OK;
  if (node->kind == CPS_NODE_LIST) {
    const CpsNode* w = node->first;
    CpsVec3 v = cps_vec3(w->next->number, w->next->next->number, w->next->next->next->number);
    CpsQuat q = {w->number, v.x, v.y, v.z};
    double norm = cps_quat_norm(q);
    if (!(norm > 0.0) || !isfinite(norm))
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the quaternion has no direction");
    *rotation = cps_quat_unit(q);
    return CPS_OK;
  }
  const CpsNode *axis = cps_node_find(node, "axis"), *angle = cps_node_find(node, "angle"),
                *euler = cps_node_find(node, "euler");
  if (euler ? axis || angle : !axis != !angle) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, node, "a rotation has axis and angle, or euler alone");
  }
  if (euler) {
    CpsVec3 a = cps_node_vec3(euler);
    CpsQuat x = cps_quat_exp(cps_vec3(a.x, 0.0, 0.0)), y = cps_quat_exp(cps_vec3(0.0, a.y, 0.0)),
            z = cps_quat_exp(cps_vec3(0.0, 0.0, a.z));
    *rotation = cps_quat_multiply(z, cps_quat_multiply(y, x));
  } else if (axis) {
    CpsVec3 a = cps_node_vec3(axis);
    double norm = cps_vec3_norm(a);
    if (!(norm > 0.0) || !isfinite(norm))
      return cps_node_fail(reader->error, CPS_BAD_DATA, axis, "the axis has no direction");
    *rotation = cps_quat_exp(cps_vec3_scale(angle->number / norm, a));
  }
  *rotation = cps_quat_unit(*rotation);
  return CPS_OK;
}

CpsStatus cps_scene_pose(CpsReader* reader, const CpsNode* map, CpsPose* pose) {
  pose->position = cps_map_vec3(map, "position", cps_vec3(0.0, 0.0, 0.0));
  return cps_scene_rotation(reader, map, &pose->rotation);
}

CpsStatus cps_scene_axes(CpsReader* reader, const CpsNode* map, CpsPose* axes, CpsVec3* velocity, CpsVec3* spin) {
  int32_t frame;
  CpsStatus status = cps_scene_pose(reader, map, axes);
  if (status == CPS_OK) status = cps_scene_find_obstacle(reader, map, "frame", &frame);
  if (status != CPS_OK || frame < 0) return status;
  const CpsPose outer = reader->scene->obstacles[frame].def.pose;
  *axes = cps_pose_multiply(outer, *axes);
  *velocity = cps_quat_rotate(outer.rotation, *velocity);
  if (spin) *spin = cps_quat_rotate(outer.rotation, *spin);
  return CPS_OK;
}

static CpsStatus read_compound(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  CpsShapePart* parts = CPS_TAKE(&reader->scene->memory, CpsShapePart, node->count);
  if (!parts) return cps_scene_no_memory(reader);
  int32_t count = 0;
  for (const CpsNode* part = node->first; part; part = part->next, ++count) {
    const CpsNode* unused;
    CpsStatus status = cps_scene_shape(reader, part, &parts[count].shape, &unused);
    if (status == CPS_OK) status = cps_scene_pose(reader, part, &parts[count].pose);
    parts[count].density = cps_map_number(part, "density", 0.0);
    if (status != CPS_OK) return status;
  }
  *shape = cps_compound(parts, count);
  return CPS_OK;
}

static CpsStatus read_shape(CpsReader* reader, const CpsNode* node, CpsShape* shape) {
  double radius = cps_map_number(node, "radius", 0.0), length = cps_map_number(node, "length", 0.0);
  const char* kind = node->key;
  if (strcmp(kind, "sphere") == 0) *shape = cps_sphere(radius);
  if (strcmp(kind, "box") == 0) *shape = cps_box(cps_map_vec3(node, "size", cps_vec3(0.0, 0.0, 0.0)));
  if (strcmp(kind, "capsule") == 0) *shape = cps_capsule(radius, length);
  if (strcmp(kind, "cylinder") == 0) *shape = cps_cylinder(radius, length);
  if (strcmp(kind, "plane") == 0) *shape = cps_plane();
  if (strcmp(kind, "hull") == 0) return cps_scene_hull(reader, node, shape);
  if (strcmp(kind, "mesh") == 0) return cps_scene_mesh(reader, node, shape);
  if (strcmp(kind, "tube") == 0) return cps_scene_tube(reader, node, shape);
  if (strcmp(kind, "container") == 0) return cps_scene_container(reader, node, shape);
  if (strcmp(kind, "points") == 0) return cps_scene_cloud(reader, node, shape);
  if (strcmp(kind, "compound") == 0) return read_compound(reader, node, shape);
  return CPS_OK;
}

CpsStatus cps_scene_find_shape(CpsReader* reader, const CpsNode* map, const CpsNode** node) {
  *node = NULL;
  for (int i = 0; SHAPES[i]; ++i) {
    const CpsNode* child = cps_node_find(map, SHAPES[i]);
    if (!child) continue;
    if (*node) {
      return cps_key_fail(reader->error, CPS_BAD_FORMAT, child, "only one shape is allowed; '%s' is already given",
                          (*node)->key);
    }
    *node = child;
  }
  return CPS_OK;
}

CpsStatus cps_scene_shape(CpsReader* reader, const CpsNode* map, CpsShape* shape, const CpsNode** node) {
  CpsStatus status = cps_scene_find_shape(reader, map, node);
  if (status != CPS_OK) return status;
  if (!*node) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, map, "a shape is missing: sphere, box, capsule, cylinder, ...");
  }
  *shape = (CpsShape){0};
  status = read_shape(reader, *node, shape);
  if (status != CPS_OK) return status;
  CpsError why;
  status = cps_shape_check(shape, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, CPS_BAD_DATA, *node, "%s", why.text);
  return CPS_OK;
}
