// Ties: rods and springs as thin lines between their points, other ties as small balls at their points. Broken ties are not drawn.
#include "core/vec3.h"
#include "render/colour.h"
#include "render/scene.h"

#define LINE 0.002  // radius of a line relative to the size of the scene
#define MARK 0.007  // the same for a ball

CpsFloat3 cps_render_tie_colour(CpsTieKind kind) {
  return cps_colour_hex(kind == CPS_TIE_SPRING ? 0xb8862b : kind == CPS_TIE_ROD ? 0x4a4e55 : 0xb5442e);
}

static void put_piece(CpsRenderScene* scene, CpsFloat3 a, CpsFloat3 b, float radius, CpsFloat3 colour) {
  const float ends[8] = {a.x, a.y, a.z, radius, b.x, b.y, b.z, radius};
  float* at = (float*)scene->tie_points.items + 8 * scene->tie_count;
  for (int k = 0; k < 8; ++k) at[k] = ends[k];
  ((uint32_t*)scene->tie_index.items)[scene->tie_count] = (uint32_t)(2 * scene->tie_count);
  ((CpsFloat3*)scene->tie_colour.items)[scene->tie_count++] = colour;
}

bool cps_render_add_ties(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, double size) {
  const CpsThings* what = scene->what;
  int64_t room = what->tie_count;
  scene->tie_count = 0;
  if (room == 0) return true;
  if (!cps_room_reserve(&scene->tie_points, 2 * room, 4 * sizeof(float)) ||
      !cps_room_reserve(&scene->tie_index, room, sizeof(uint32_t)) ||
      !cps_room_reserve(&scene->tie_colour, room, sizeof(CpsFloat3))) {
    return false;
  }
  for (int32_t i = 0; i < what->tie_count; ++i) {
    const CpsFrameTie* tie = &frame->ties[i];
    const CpsTieKind kind = what->tie_kinds[i];
    bool line = kind == CPS_TIE_SPRING || kind == CPS_TIE_ROD;
    CpsFloat3 a = cps_eye_place(eye, tie->point[0]), b = cps_eye_place(eye, tie->point[1]);
    CpsFloat3 colour = cps_render_tie_colour(kind);
    if (tie->broken || !cps_render_place_is_good(a) || !cps_render_place_is_good(b)) continue;
    float radius = (float)((line ? LINE : MARK) * size / eye->unit);
    if (!line) b = cps_float3_axpy(a, 0.01f * radius, cps_float3(0.0f, 0.0f, 1.0f));  // a line needs a length
    put_piece(scene, a, b, radius, colour);
  }
  return true;
}
