// Where in the picture there is anything at all. Each thing is the hull of a few balls: a piece of a fibre of those at its
// four Bezier points
//
//   b_0 = p_1,  b_1 = p_1 + (p_2 - p_0) / 6,  b_2 = p_2 - (p_3 - p_1) / 6,  b_3 = p_2                                (1)
//
// a triangle of its corners, a capsule of its ends. A ball at (x, z) of radius r, z the depth, projects into the interval of
// (x -+ r) / (z -+ r); a rectangle around all of a hull's balls holds its picture. Tiles of the picture that no rectangle
// touches show the background, and no ray is spent on them.
#include <string.h>

#include "render/internal.h"

#define TILE 8       // px
#define AROUND 2.0f  // px, margin for the filter of a pixel

typedef struct Mask {
  CpsRender* render;
  uint8_t* tiles;
  int32_t across, down;
  float low[2], high[2];  // rectangle, px
  bool everywhere;
} Mask;

static void begin(Mask* mask) {
  mask->low[0] = mask->low[1] = INFINITY;
  mask->high[0] = mask->high[1] = -INFINITY;
}

static void widen(Mask* mask, int axis, float x, float z, float r, float scale, float middle) {
  const float ends[4] = {(x - r) / (z - r), (x - r) / (z + r), (x + r) / (z - r), (x + r) / (z + r)};
  for (int k = 0; k < 4; ++k) {
    float at = middle + scale * ends[k];
    mask->low[axis] = fminf(mask->low[axis], at);
    mask->high[axis] = fmaxf(mask->high[axis], at);
  }
}

static void add_ball(Mask* mask, CpsFloat3 p, float r) {
  const CpsEye* eye = &mask->render->eye;
  float width = (float)mask->render->options.width, height = (float)mask->render->options.height;
  CpsFloat3 from = cps_float3_sub(p, eye->eye);
  float z = -cps_float3_dot(from, eye->back);
  if (!(z - r > 1e-3f)) {  // beside or behind the eye
    mask->everywhere = true;
    return;
  }
  widen(mask, 0, cps_float3_dot(from, eye->right), z, r, 0.5f * width / eye->slope_x, 0.5f * width);
  widen(mask, 1, -cps_float3_dot(from, eye->up), z, r, 0.5f * height / eye->slope_y, 0.5f * height);
}

static int32_t tile_of(float px, int32_t count) {
  return (int32_t)cps_clampf(floorf(px / TILE), 0.0f, (float)(count - 1));
}

static void end(Mask* mask) {
  float width = (float)mask->render->options.width, height = (float)mask->render->options.height;
  if (mask->everywhere || mask->high[0] < -AROUND || mask->high[1] < -AROUND || mask->low[0] > width + AROUND ||
      mask->low[1] > height + AROUND) {
    return;
  }
  int32_t left = tile_of(mask->low[0] - AROUND, mask->across), right = tile_of(mask->high[0] + AROUND, mask->across);
  int32_t top = tile_of(mask->low[1] - AROUND, mask->down), bottom = tile_of(mask->high[1] + AROUND, mask->down);
  for (int32_t j = top; j <= bottom; ++j) {
    memset(mask->tiles + (int64_t)j * mask->across + left, 1, (size_t)right + 1 - (size_t)left);
  }
}

static CpsFloat3 place(const float* p) {
  return cps_float3(p[0], p[1], p[2]);
}

static void add_fibres(Mask* mask) {
  const CpsRenderScene* scene = &mask->render->scene;
  const uint32_t* first = scene->piece_first.items;
  for (int64_t i = 0; i < scene->piece_count && !mask->everywhere; ++i) {
    const float* p = (const float*)scene->curve_points.items + 4 * (size_t)first[i];
    CpsFloat3 p0 = place(p), p1 = place(p + 4), p2 = place(p + 8), p3 = place(p + 12);
    float r = fmaxf(fmaxf(p[3], p[7]), fmaxf(p[11], p[15]));
    begin(mask);
    add_ball(mask, p1, r);
    add_ball(mask, cps_float3_axpy(p1, 1.0f / 6.0f, cps_float3_sub(p2, p0)), r);
    add_ball(mask, cps_float3_axpy(p2, -1.0f / 6.0f, cps_float3_sub(p3, p1)), r);
    add_ball(mask, p2, r);
    end(mask);
  }
}

// Adds hulls of `each` consecutive balls.
static void add_hulls(Mask* mask, const CpsRoom* points, int64_t count, int each) {
  for (int64_t i = 0; i < count && !mask->everywhere; ++i) {
    begin(mask);
    for (int k = 0; k < each; ++k) {
      const float* p = (const float*)points->items + 4 * ((size_t)i * (size_t)each + (size_t)k);
      add_ball(mask, place(p), p[3]);
    }
    end(mask);
  }
}

static void add_triangles(Mask* mask, const CpsRoom* points, const CpsRoom* corners, int64_t count) {
  const uint32_t* index = corners->items;
  for (int64_t i = 0; i < count && !mask->everywhere; ++i) {
    begin(mask);
    for (int k = 0; k < 3; ++k) {
      add_ball(mask, place((const float*)points->items + 3 * (size_t)index[3 * i + k]), 0.0f);
    }
    end(mask);
  }
}

bool cps_render_make_mask(CpsRender* render) {
  const CpsRenderScene* scene = &render->scene;
  Mask mask = {.render = render};
  mask.across = (render->options.width + TILE - 1) / TILE;
  mask.down = (render->options.height + TILE - 1) / TILE;
  mask.everywhere = scene->plane_count > 0;
  int64_t count = (int64_t)mask.across * mask.down;
  mask.tiles = cps_room_reserve(&render->mask, count, 1);
  if (!mask.tiles) return false;
  memset(mask.tiles, 0, (size_t)count);
  add_fibres(&mask);
  add_triangles(&mask, &scene->triangle_points, &scene->triangle_index, scene->triangle_count);
  add_triangles(&mask, &scene->sheet_points, &scene->sheet_index, scene->sheet_triangles);
  add_hulls(&mask, &scene->ball_points, scene->ball_count, 1);
  add_hulls(&mask, &scene->cap_points, scene->cap_count, 1);
  add_hulls(&mask, &scene->capsule_points, scene->capsule_count, 2);
  add_hulls(&mask, &scene->tie_points, scene->tie_count, 2);
  add_hulls(&mask, &scene->grain_points, scene->grain_count, 1);
  add_hulls(&mask, &scene->arrow_points, scene->arrow_count, 4);
  add_hulls(&mask, &scene->dot_points, scene->dot_count, 1);
  if (mask.everywhere) memset(mask.tiles, 1, (size_t)count);
  return true;
}

bool cps_render_is_empty(const CpsRender* render, int32_t x, int32_t y) {
  if (render->options.aperture > 0.0) return false;  // blurred objects extend beyond their outlines
  int32_t across = (render->options.width + TILE - 1) / TILE;
  return !((const uint8_t*)render->mask.items)[(int64_t)(y / TILE) * across + x / TILE];
}
