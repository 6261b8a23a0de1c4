// Sheets: triangles seen from both sides, with normals that are smooth over the vertices,
//
//   n_i = sum of the area vectors (b - a) x (c - a) / 2 of the triangles around vertex i, made unit                     (1)
#include "render/scene.h"

static CpsFloat3 at(const CpsRoom* points, uint32_t i) {
  const float* p = (const float*)points->items + 3 * (size_t)i;
  return cps_float3(p[0], p[1], p[2]);
}

static bool reserve(CpsRenderScene* scene) {
  const CpsThings* what = scene->what;
  return cps_room_reserve(&scene->sheet_points, what->vertex_count, 3 * sizeof(float)) &&
         cps_room_reserve(&scene->sheet_normals, what->vertex_count, sizeof(CpsFloat3)) &&
         cps_room_reserve(&scene->sheet_colour, what->vertex_count, sizeof(CpsFloat3)) &&
         cps_room_reserve(&scene->sheet_index, what->triangle_count, 3 * sizeof(uint32_t));
}

static void put_vertices(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours) {
  float* points = scene->sheet_points.items;
  for (int64_t i = 0; i < scene->what->vertex_count; ++i) {
    CpsFloat3 p = cps_eye_place(eye, frame->vertices[i]);
    points[3 * i] = p.x;
    points[3 * i + 1] = p.y;
    points[3 * i + 2] = p.z;
    ((CpsFloat3*)scene->sheet_normals.items)[i] = (CpsFloat3){0};
    ((CpsFloat3*)scene->sheet_colour.items)[i] = colours[i];
  }
}

bool cps_render_add_sheets(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours) {
  const CpsThings* what = scene->what;
  scene->sheet_triangles = scene->sheet_vertices = 0;
  if (what->triangle_count == 0) return true;
  if (!reserve(scene) || !cps_render_cut_begin(scene, frame)) return false;
  scene->sheet_vertices = what->vertex_count;
  put_vertices(scene, frame, eye, colours);
  CpsFloat3* normals = scene->sheet_normals.items;
  for (int64_t i = 0; i < what->triangle_count; ++i) {
    uint32_t corner[3];
    CpsFloat3 p[3];
    bool good = true;
    for (int k = 0; k < 3; ++k) {
      corner[k] = (uint32_t)what->triangles[3 * i + k];
      p[k] = at(&scene->sheet_points, corner[k]);
      good = good && cps_render_place_is_good(p[k]);
    }
    if (!good) continue;
    uint32_t* index = (uint32_t*)scene->sheet_index.items + 3 * scene->sheet_triangles++;
    CpsFloat3 n = cps_float3_cross(cps_float3_sub(p[1], p[0]), cps_float3_sub(p[2], p[0]));
    for (int k = 0; k < 3; ++k) {
      index[k] = corner[k];
      normals[corner[k]] = cps_float3_axpy(normals[corner[k]], 0.5f, n);
    }
  }
  if (scene->cut) cps_render_cut(scene);
  return true;
}
