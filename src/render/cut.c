// Sheets and solids that are cut by a plane: what lies in front of it is left out. Triangles across it are clipped, and tetrahedra across it show
// their sections, polygons of three or four corners at
//
//   x = (s_b x_a - s_a x_b) / (s_b - s_a) on each edge ab with s_a <= 0 < s_b,   s = n . (x - p)                        (1)
//
// Colours and normals between two vertices are mixed in the same way; sections have the normal of the plane.
#include "render/scene.h"

enum { MOST_CORNERS = 4 };

// Evaluates s at the corners of a triangle or a tetrahedron, and returns the number in front of the plane.
static int count_front(const CpsRenderScene* scene, const int32_t* corner, int count) {
  const double* side = scene->sheet_side.items;
  int front = 0;
  for (int k = 0; k < count; ++k) front += !(side[corner[k]] <= 0.0);
  return front;
}

bool cps_render_cut_begin(CpsRenderScene* scene, const CpsFrame* frame) {
  const CpsThings* what = scene->what;
  int64_t triangles = 0, sections = 0;
  if (!scene->cut) return true;
  if (!cps_room_reserve(&scene->sheet_side, what->vertex_count, sizeof(double))) return false;
  double* side = scene->sheet_side.items;
  for (int64_t i = 0; i < what->vertex_count; ++i) {
    const CpsVec3 x = frame->vertices[i], p = scene->cut_point, n = scene->cut_normal;
    side[i] = n.x * (x.x - p.x) + n.y * (x.y - p.y) + n.z * (x.z - p.z);
  }
  for (int64_t i = 0; i < what->triangle_count; ++i) {
    const int front = count_front(scene, what->triangles + 3 * i, 3);
    triangles += front > 0 && front < 3;
  }
  for (int64_t i = 0; i < what->tetrahedron_count; ++i) {
    const int front = count_front(scene, what->tetrahedra + 4 * i, 4);
    sections += front > 0 && front < 4;
  }
  const int64_t points = what->vertex_count + 2 * triangles + 4 * sections;
  return cps_room_reserve(&scene->sheet_points, points, 3 * sizeof(float)) &&
         cps_room_reserve(&scene->sheet_normals, points, sizeof(CpsFloat3)) &&
         cps_room_reserve(&scene->sheet_colour, points, sizeof(CpsFloat3)) &&
         cps_room_reserve(&scene->sheet_index, what->triangle_count + triangles + 2 * sections, 3 * sizeof(uint32_t));
}

// The new vertex (1) of edge ab.
static uint32_t put_between(CpsRenderScene* scene, int32_t a, int32_t b) {
  const double* side = scene->sheet_side.items;
  const float share = (float)(side[a] / (side[a] - side[b]));
  const int64_t at = scene->sheet_vertices++;
  float* points = scene->sheet_points.items;
  CpsFloat3 *normals = scene->sheet_normals.items, *colours = scene->sheet_colour.items;
  for (int k = 0; k < 3; ++k) points[3 * at + k] = points[3 * a + k] + share * (points[3 * b + k] - points[3 * a + k]);
  normals[at] = cps_float3_mix(cps_float3_unit(normals[a]), cps_float3_unit(normals[b]), share);
  colours[at] = cps_float3_mix(colours[a], colours[b], share);
  return (uint32_t)at;
}

// A polygon as a triangle fan around its first corner, unless it cannot be drawn.
static void put_polygon(CpsRenderScene* scene, const uint32_t* corner, int count) {
  const float* points = scene->sheet_points.items;
  for (int k = 0; k < count; ++k) {
    const float* p = points + 3 * (size_t)corner[k];
    if (!cps_render_place_is_good(cps_float3(p[0], p[1], p[2]))) return;
  }
  for (int k = 2; k < count; ++k) {
    uint32_t* index = (uint32_t*)scene->sheet_index.items + 3 * scene->sheet_triangles++;
    index[0] = corner[0];
    index[1] = corner[k - 1];
    index[2] = corner[k];
  }
}

static void clip(CpsRenderScene* scene, const int32_t* corner) {
  const double* side = scene->sheet_side.items;
  uint32_t kept[MOST_CORNERS];
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    const int32_t a = corner[k], b = corner[(k + 1) % 3];
    const bool behind = side[a] <= 0.0;
    if (behind) kept[count++] = (uint32_t)a;
    if (behind != (side[b] <= 0.0)) kept[count++] = put_between(scene, a, b);
  }
  put_polygon(scene, kept, count);
}

static void put_section(CpsRenderScene* scene, const int32_t* corner) {
  const double* side = scene->sheet_side.items;
  int32_t front[4], back[4];
  int fronts = 0, backs = 0;
  for (int k = 0; k < 4; ++k) {
    if (side[corner[k]] <= 0.0) {
      back[backs++] = corner[k];
    } else {
      front[fronts++] = corner[k];
    }
  }
  if (fronts == 0 || backs == 0) return;
  uint32_t at[MOST_CORNERS];
  int count = 0;
  for (int i = 0; i < backs; ++i) {
    // with two of each, the second row is reversed, so that the corners are in order around the polygon
    for (int k = 0; k < fronts; ++k)
      at[count++] = put_between(scene, back[i], front[i == 1 && fronts == 2 ? 1 - k : k]);
  }
  const CpsVec3 n = scene->cut_normal;
  CpsFloat3* normals = scene->sheet_normals.items;
  for (int k = 0; k < count; ++k) normals[at[k]] = cps_float3((float)n.x, (float)n.y, (float)n.z);
  put_polygon(scene, at, count);
}

void cps_render_cut(CpsRenderScene* scene) {
  const CpsThings* what = scene->what;
  scene->sheet_triangles = 0;
  for (int64_t i = 0; i < what->triangle_count; ++i) {
    const int32_t* corner = what->triangles + 3 * i;
    const uint32_t whole[3] = {(uint32_t)corner[0], (uint32_t)corner[1], (uint32_t)corner[2]};
    const int front = count_front(scene, corner, 3);
    if (front == 0) put_polygon(scene, whole, 3);
    if (front > 0 && front < 3) clip(scene, corner);
  }
  for (int64_t i = 0; i < what->tetrahedron_count; ++i) put_section(scene, what->tetrahedra + 4 * i);
}
