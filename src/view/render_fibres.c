// Fibres as round Catmull-Rom curves through the points of their lines. With p_-1 = 2 p_0 - p_1 before the first point and
// the like after the last, a line of n points has n - 1 pieces
//
//   p(u) = 1/2 (1 u u^2 u^3) B (p_i-1, p_i, p_i+1, p_i+2)^T,   p(0) = p_i, p(1) = p_i+1                              (1)
//
// A fibre thinner than a pixel would be hit by chance. It is drawn one pixel wide, and covers as much as it should:
//
//   R = max(r, s d / 2),   cover = r / R,   s the height of a pixel at distance 1, d the distance to the eye         (2)
// The ends of lines that are not thinner are closed by balls.
#include <string.h>

#include "view/render_scene.h"

static CpsFloat3 reflected(CpsFloat3 about, CpsFloat3 p) {
  return cps_float3_sub(cps_float3_scale(2.0f, about), p);
}

// Writes control point number `at`; a radius of zero marks one that cannot be drawn.
static void put_point(CpsRenderScene* scene, const CpsEye* eye, int64_t at, CpsFloat3 p, float radius,
                      CpsFloat3 colour) {
  float* point = (float*)scene->curve_points.items + 4 * at;
  bool good = cps_render_place_is_good(p) && radius > 0.0f && radius < 1e6f;
  bool wide = scene->least_width > 0.0f;  // asked for: no covering by halves
  float least = 0.5f * (wide ? scene->least_width : 1.0f) * eye->pixel * cps_float3_norm(cps_float3_sub(p, eye->eye));
  float drawn = good ? fmaxf(radius, least) : 0.0f;
  point[0] = good ? p.x : 0.0f;
  point[1] = good ? p.y : 0.0f;
  point[2] = good ? p.z : 0.0f;
  point[3] = drawn;
  ((float*)scene->curve_cover.items)[at] = !good ? 0.0f : wide ? 1.0f : radius / drawn;
  ((CpsFloat3*)scene->curve_colour.items)[at] = colour;
  if (good && !wide && radius < drawn) scene->thin = true;
}

static bool piece_is_good(const float* four_points) {
  for (int k = 0; k < 4; ++k) {
    if (!(four_points[4 * k + 3] > 0.0f)) return false;
  }
  return true;
}

// Closes the end of a line at a control point.
static void put_cap(CpsRenderScene* scene, int64_t at) {
  const float* point = (const float*)scene->curve_points.items + 4 * at;
  if (!(point[3] > 0.0f) || ((const float*)scene->curve_cover.items)[at] < 1.0f) return;
  memcpy((float*)scene->cap_points.items + 4 * scene->cap_count, point, 4 * sizeof *point);
  ((uint32_t*)scene->cap_point.items)[scene->cap_count++] = (uint32_t)at;
}

bool cps_render_add_fibres(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours) {
  const CpsThings* what = scene->what;
  int64_t room = what->point_count + 2 * (int64_t)what->line_count;
  scene->piece_count = scene->cap_count = 0;
  scene->thin = false;
  if (room == 0) return true;
  if (!cps_room_reserve(&scene->curve_points, room, 4 * sizeof(float)) ||
      !cps_room_reserve(&scene->cap_points, 2 * (int64_t)what->line_count, 4 * sizeof(float)) ||
      !cps_room_reserve(&scene->cap_point, 2 * (int64_t)what->line_count, sizeof(uint32_t)) ||
      !cps_room_reserve(&scene->curve_cover, room, sizeof(float)) ||
      !cps_room_reserve(&scene->curve_colour, room, sizeof(CpsFloat3)) ||
      !cps_room_reserve(&scene->piece_first, room, sizeof(uint32_t))) {
    return false;
  }
  uint32_t* first = scene->piece_first.items;
  int64_t at = 0;
  for (int32_t i = 0; i < what->line_count; ++i) {
    CpsResultLine line = what->lines[i];
    const CpsVec3* points = frame->points + line.first;
    const CpsFloat3* colour = colours + line.first;
    float radius = (float)(line.radius / eye->unit);
    int64_t begin = at;
    CpsFloat3 p0 = cps_eye_place(eye, points[0]), p1 = cps_eye_place(eye, points[1]);
    put_point(scene, eye, at++, reflected(p0, p1), radius, colour[0]);
    for (int32_t k = 0; k < line.count; ++k) {
      put_point(scene, eye, at++, cps_eye_place(eye, points[k]), radius, colour[k]);
    }
    CpsFloat3 p = cps_eye_place(eye, points[line.count - 1]), q = cps_eye_place(eye, points[line.count - 2]);
    put_point(scene, eye, at++, reflected(p, q), radius, colour[line.count - 1]);
    put_cap(scene, begin + 1);
    put_cap(scene, at - 2);
    for (int64_t k = begin; k + 3 < at; ++k) {
      if (piece_is_good((const float*)scene->curve_points.items + 4 * k)) first[scene->piece_count++] = (uint32_t)k;
    }
  }
  return true;
}
