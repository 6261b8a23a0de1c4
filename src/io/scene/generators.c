// Generators that place one shape many times, and piles of mixed shapes.
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "io/scene/internal.h"

CpsStatus cps_layout_begin(CpsReader* reader, const CpsNode* node, double count, CpsLayout* out) {
  double left = (double)(CPS_SCENE_BODIES - reader->scene->body_count);
  if (!(count <= left)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "%.10g more bodies; a scene has at most %d", count,
                         CPS_SCENE_BODIES);
  }
  *out = (CpsLayout){.count = (int32_t)count, .pose = CPS_TAKE(&reader->scene->memory, CpsPose, (int64_t)count)};
  return out->pose ? CPS_OK : cps_scene_no_memory(reader);
}

double cps_shape_reach(const CpsShape* shape) {
  double reach = 0.0;
  switch (shape->kind) {
    case CPS_SHAPE_BOX:
      return 0.5 * cps_vec3_norm(shape->size);
    case CPS_SHAPE_CAPSULE:
      return shape->radius + 0.5 * shape->length;
    case CPS_SHAPE_CYLINDER:
      return hypot(shape->radius, 0.5 * shape->length);
    case CPS_SHAPE_HULL:
      for (int32_t i = 0; i < shape->point_count; ++i) reach = fmax(reach, cps_vec3_norm(shape->points[i]));
      return reach;
    case CPS_SHAPE_COMPOUND:
      for (int32_t i = 0; i < shape->part_count; ++i) {
        const CpsShapePart* part = &shape->parts[i];
        reach = fmax(reach, cps_vec3_norm(part->pose.position) + cps_shape_reach(&part->shape));
      }
      return reach;
    default:
      return shape->radius;
  }
}

static double between(CpsRandom* random, double low, double high) {
  return low + (high - low) * cps_random_uniform(random);
}

static CpsVec3 random_in_cube(CpsRandom* random, double half) {
  double x = between(random, -half, half), y = between(random, -half, half), z = between(random, -half, half);
  return cps_vec3(x, y, z);
}

// Four normally distributed numbers have no preferred direction, so the rotation is uniform.
static CpsQuat random_rotation(CpsRandom* random) {
  double w = cps_random_normal(random), x = cps_random_normal(random), y = cps_random_normal(random),
         z = cps_random_normal(random);
  return cps_quat_unit((CpsQuat){w, x, y, z});
}

CpsStatus cps_scene_grid(CpsReader* reader, const CpsNode* node, CpsLayout* out) {
  const CpsNode *count = cps_node_find(node, "count"), *spacing = cps_node_find(node, "spacing");
  CpsVec3 n = cps_node_vec3(count);
  CpsStatus status = cps_layout_begin(reader, node, n.x * n.y * n.z, out);
  if (status != CPS_OK) return status;
  CpsVec3 step = spacing->kind == CPS_NODE_LIST ? cps_node_vec3(spacing)
                                                : cps_vec3(spacing->number, spacing->number, spacing->number);
  double jitter = cps_map_number(node, "jitter", 0.0);
  CpsRandom random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1));
  int32_t nx = (int32_t)n.x, ny = (int32_t)n.y;
  for (int32_t i = 0; i < out->count; ++i) {
    int32_t column = i % nx, row = i / nx % ny, layer = i / nx / ny;
    // columns centred on the position, layers upwards from it
    CpsVec3 at = {(column - 0.5 * (nx - 1)) * step.x, (row - 0.5 * (ny - 1)) * step.y, layer * step.z};
    if (jitter > 0.0) at = cps_vec3_add(at, random_in_cube(&random, jitter));
    out->pose[i] = (CpsPose){at, cps_quat_identity()};
  }
  return CPS_OK;
}

CpsStatus cps_scene_copies(CpsReader* reader, const CpsNode* node, CpsLayout* out) {
  CpsStatus status = cps_layout_begin(reader, node, node->count, out);
  int32_t i = 0;
  for (const CpsNode* copy = node->first; status == CPS_OK && copy; copy = copy->next, ++i) {
    if (copy->kind == CPS_NODE_LIST) {
      out->pose[i] = (CpsPose){cps_node_vec3(copy), cps_quat_identity()};
    } else {
      status = cps_scene_pose(reader, copy, &out->pose[i]);
    }
  }
  return status;
}

static CpsStatus pile_shapes(CpsReader* reader, const CpsNode* node, CpsLayout* out) {
  const CpsNode* list = cps_node_find(node, "shapes");
  double size = cps_map_number(node, "size", 0.1);
  out->shape_count = list ? list->count : 4;
  out->shapes = CPS_TAKE(&reader->scene->memory, CpsShape, out->shape_count);
  out->shape = CPS_TAKE(&reader->scene->memory, int32_t, out->count);
  if (!out->shapes || !out->shape) return cps_scene_no_memory(reader);
  if (!list) {
    out->shapes[0] = cps_sphere(0.5 * size);
    out->shapes[1] = cps_box(cps_vec3(size, 0.8 * size, 0.6 * size));
    out->shapes[2] = cps_capsule(0.25 * size, 0.5 * size);
    out->shapes[3] = cps_cylinder(0.4 * size, 0.6 * size);
    return CPS_OK;
  }
  if (list->count == 0) return cps_node_fail(reader->error, CPS_BAD_FORMAT, list, "expected at least one shape");
  int32_t i = 0;
  for (const CpsNode* shape = list->first; shape; shape = shape->next) {
    const CpsNode* unused;
    CpsStatus status = cps_scene_shape(reader, shape, &out->shapes[i++], &unused);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_scene_pile(CpsReader* reader, const CpsNode* node, CpsLayout* out) {
  CpsStatus status = cps_layout_begin(reader, node, cps_map_number(node, "count", 0.0), out);
  if (status == CPS_OK) status = pile_shapes(reader, node, out);
  if (status != CPS_OK) return status;
  double reach = 0.0, gap = cps_map_number(node, "gap", 0.0);
  for (int32_t i = 0; i < out->shape_count; ++i) reach = fmax(reach, cps_shape_reach(&out->shapes[i]));
  // one body per cell, with a random rotation and a small random offset
  double cell = 2.0 * reach * (1.0 + 1e-9) + gap;
  const CpsNode* column = cps_node_find(node, "column");
  double side = ceil(cbrt((double)out->count)) * cell;
  double wx = column ? column->first->number : side, wy = column ? column->last->number : side;
  double nx = fmax(1.0, fmin(floor(wx / cell * (1.0 + 1e-12)), out->count));
  double ny = fmax(1.0, fmin(floor(wy / cell * (1.0 + 1e-12)), out->count));
  if (column && (wx < cell || wy < cell)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, column, "narrower than a body, which needs %g", cell);
  }
  CpsRandom random = cps_random_seed((uint64_t)cps_map_count(node, "seed", 1));
  for (int32_t i = 0; i < out->count; ++i) {
    double layer = floor(i / (nx * ny)), row = floor((i - layer * nx * ny) / nx),
           place = i - layer * nx * ny - row * nx;
    out->shape[i] = (int32_t)(cps_random_u32(&random) % (uint32_t)out->shape_count);
    CpsVec3 at = {(place + 0.5) * wx / nx - 0.5 * wx, (row + 0.5) * wy / ny - 0.5 * wy, (layer + 0.5) * cell};
    double play = reach - cps_shape_reach(&out->shapes[out->shape[i]]);
    at = cps_vec3_add(at, random_in_cube(&random, play));
    out->pose[i] = (CpsPose){at, random_rotation(&random)};
  }
  return CPS_OK;
}
