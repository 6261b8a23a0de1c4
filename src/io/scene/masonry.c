// Walls of bricks and arches of wedge stones.
//
// A wall is in running bond: every other row is moved by half a brick. An arch is a ring in the x-z plane from angle a to
// pi - a, a = (pi - angle) / 2, cut by n + 1 joints at equal angles; stone i lies between the joints i and i + 1 and is the
// hull of the eight points
//
//   (r cos phi, ± depth / 2, r sin phi),   r in {inner, outer},   phi in {phi_i, phi_{i+1}}                    (1)
//
// less its own centre. Neighbours take the points of their joint from the same numbers, so that faces meet to rounding.
#include <math.h>

#include "io/scene/internal.h"

enum { MOST_STONES = 5000 };
#define PI 3.14159265358979323846

CpsStatus cps_scene_wall(CpsReader* reader, const CpsNode* node, CpsLayout* out) {
  int32_t columns = cps_map_count(node, "columns", 1), rows = cps_map_count(node, "rows", 1);
  CpsVec3 brick = cps_map_vec3(node, "brick", cps_vec3(0.0, 0.0, 0.0));
  double gap = cps_map_number(node, "gap", 0.0);
  bool halves = cps_map_bool(node, "halves", true);
  int32_t odd_rows = rows / 2;
  CpsStatus status = cps_layout_begin(reader, node, (double)rows * columns + (halves ? odd_rows : -odd_rows), out);
  if (status != CPS_OK) return status;
  out->shape_count = 2;
  out->shapes = CPS_TAKE(&reader->scene->memory, CpsShape, 2);
  out->shape = CPS_TAKE(&reader->scene->memory, int32_t, out->count);
  if (!out->shapes || !out->shape) return cps_scene_no_memory(reader);
  double half = 0.5 * (brick.x - gap);  // two halves and their gap have the length of a brick
  if (halves && odd_rows > 0 && !(half > 0.0)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the gap is larger than a brick");
  }
  out->shapes[0] = cps_box(brick);
  out->shapes[1] = cps_box(cps_vec3(halves ? half : brick.x, brick.y, brick.z));
  double pitch = brick.x + gap, left = -0.5 * columns * pitch;  // half a gap before the first brick
  int32_t i = 0;
  for (int32_t row = 0; row < rows; ++row) {
    bool odd = row % 2 == 1;
    int32_t whole = odd ? columns - 1 : columns;
    double z = (row + 0.5) * brick.z, first = left + (odd ? 1.0 : 0.5) * pitch;
    if (odd && halves) {
      out->shape[i] = 1;
      out->pose[i++] = (CpsPose){{left + 0.25 * pitch, 0.0, z}, cps_quat_identity()};
    }
    for (int32_t k = 0; k < whole; ++k) {
      out->shape[i] = 0;
      out->pose[i++] = (CpsPose){{first + k * pitch, 0.0, z}, cps_quat_identity()};
    }
    if (odd && halves) {
      out->shape[i] = 1;
      out->pose[i++] = (CpsPose){{-left - 0.25 * pitch, 0.0, z}, cps_quat_identity()};
    }
  }
  return CPS_OK;
}

typedef struct Arch {
  int32_t stones;
  double inner, outer, depth, angle;
} Arch;

static Arch read_arch(const CpsNode* node) {
  double radius = cps_map_number(node, "radius", 0.0);
  return (Arch){cps_map_count(node, "stones", 1), radius, radius + cps_map_number(node, "thickness", 0.0),
                cps_map_number(node, "depth", 0.0), cps_map_number(node, "angle", PI)};
}

// Corner of joint i, computed in one place for both stones.
static CpsVec3 corner(const Arch* arch, int32_t i, bool outer, bool behind) {
  double phi = 0.5 * (PI - arch->angle) + arch->angle * i / arch->stones, r = outer ? arch->outer : arch->inner;
  return cps_vec3(r * cos(phi), behind ? 0.5 * arch->depth : -0.5 * arch->depth, r * sin(phi));
}

// A hull of eight points relative to their mean, which becomes its position.
static bool make_stone(CpsReader* reader, const CpsVec3 corners[8], CpsShape* shape, CpsPose* pose) {
  CpsVec3* points = CPS_TAKE(&reader->scene->memory, CpsVec3, 8);
  if (!points) return false;
  CpsVec3 mean = {0};
  for (int k = 0; k < 8; ++k) mean = cps_vec3_axpy(mean, 0.125, corners[k]);
  for (int k = 0; k < 8; ++k) points[k] = cps_vec3_sub(corners[k], mean);
  *shape = cps_hull(points, 8);
  *pose = (CpsPose){mean, cps_quat_identity()};
  return true;
}

CpsStatus cps_scene_arch(CpsReader* reader, const CpsNode* node, CpsLayout* out) {
  Arch arch = read_arch(node);
  if (!(arch.angle < 2.0 * PI)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, cps_node_find(node, "angle"), "must be less than a full turn");
  }
  if (!(arch.angle / arch.stones < PI)) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "one stone would be more than half a turn");
  }
  if (arch.stones > MOST_STONES) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "%d stones; an arch has at most %d", (int)arch.stones,
                         MOST_STONES);
  }
  CpsStatus status = cps_scene_spend(reader, node, arch.stones, 2000);
  if (status == CPS_OK) status = cps_layout_begin(reader, node, arch.stones, out);
  if (status != CPS_OK) return status;
  out->shape_count = arch.stones;
  out->shapes = CPS_TAKE(&reader->scene->memory, CpsShape, arch.stones);
  out->shape = CPS_TAKE(&reader->scene->memory, int32_t, arch.stones);
  if (!out->shapes || !out->shape) return cps_scene_no_memory(reader);
  for (int32_t i = 0; i < arch.stones; ++i) {
    CpsVec3 corners[8];
    for (int k = 0; k < 8; ++k) corners[k] = corner(&arch, i + (k & 1), (k & 2) != 0, (k & 4) != 0);
    if (!make_stone(reader, corners, &out->shapes[i], &out->pose[i])) return cps_scene_no_memory(reader);
    out->shape[i] = i;
  }
  return CPS_OK;
}

CpsStatus cps_scene_springers(CpsReader* reader, const CpsNode* node, CpsShape shapes[2], CpsPose poses[2],
                              int* count) {
  double height = cps_map_number(node, "springers", 0.0);
  Arch arch = read_arch(node);
  *count = 0;
  if (!(height > 0.0)) return CPS_OK;
  for (int side = 0; side < 2; ++side) {
    CpsVec3 corners[8];
    int32_t joint = side == 0 ? 0 : arch.stones;
    double bottom = fmin(corner(&arch, joint, false, false).z, corner(&arch, joint, true, false).z) - height;
    for (int k = 0; k < 8; ++k) {
      corners[k] = corner(&arch, joint, (k & 2) != 0, (k & 4) != 0);
      if (k & 1) corners[k].z = bottom;
    }
    if (!make_stone(reader, corners, &shapes[side], &poses[side])) return cps_scene_no_memory(reader);
    CpsError why;
    CpsStatus status = cps_shape_check(&shapes[side], &why);
    if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
    if (status != CPS_OK) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "springers: %s", why.text);
    }
  }
  *count = 2;
  return CPS_OK;
}
