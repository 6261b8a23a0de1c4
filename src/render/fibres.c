// Fibres as round Catmull-Rom curves through the points of their lines. With p_-1 = 2 p_0 - p_1 before the first point and
// the like after the last, a line of n points has n - 1 pieces
//
//   p(u) = 1/2 (1 u u^2 u^3) B (p_i-1, p_i, p_i+1, p_i+2)^T,   p(0) = p_i, p(1) = p_i+1                              (1)
//
// A fibre thinner than a pixel would be hit by chance. It is drawn one pixel wide, and covers as much as it should:
//
//   R = max(r, s d / 2),   cover = r / R,   s the height of a pixel at distance 1, d the distance to the eye         (2)
// The ends of lines that are not thinner are closed by balls.
//
// A fibre that stands for a wisp is drawn as n hairs in a disc of radius S = spread r about its line, which turn with the
// material axes d_1, d_2 and together have a quarter of its section:
//
//   p_j(s) = p(s) + S sqrt(U) (cos(2 pi V) d_1(s) + sin(2 pi V) d_2(s)),   r_j = r / (2 sqrt(n)),   U, V uniform      (3)
//
// Some end a little earlier than the fibre, and no two have quite the same colour.
#include <string.h>

#include "core/random.h"
#include "render/scene.h"

#define SHORTEST 0.15f  // length of the shortest hair of a wisp: largest relative length missing at its end
#define UNEVEN 0.25f    // largest colour difference from that of the fibre

static CpsFloat3 reflected(CpsFloat3 about, CpsFloat3 p) {
  return cps_float3_sub(cps_float3_scale(2.0f, about), p);
}

// Writes control point number `at`. A radius of zero marks a point that cannot be drawn.
static void put_point(CpsRenderScene* scene, const CpsEye* eye, int64_t at, CpsFloat3 p, float radius,
                      CpsFloat3 colour) {
  float* point = (float*)scene->curve_points.items + 4 * at;
  bool good = cps_render_place_is_good(p) && radius > 0.0f && radius < 1e6f;
  bool wide = scene->least_width > 0.0f;  // width given by the caller: no partial coverage
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

static bool reserve(CpsRenderScene* scene, int64_t points, int64_t curves) {
  return cps_room_reserve(&scene->curve_points, points, 4 * sizeof(float)) &&
         cps_room_reserve(&scene->cap_points, 2 * curves, 4 * sizeof(float)) &&
         cps_room_reserve(&scene->cap_point, 2 * curves, sizeof(uint32_t)) &&
         cps_room_reserve(&scene->curve_cover, points, sizeof(float)) &&
         cps_room_reserve(&scene->curve_colour, points, sizeof(CpsFloat3)) &&
         cps_room_reserve(&scene->piece_first, points, sizeof(uint32_t));
}

// One hair of a wisp.
typedef struct Hair {
  float along, across;  // its place in the cross-section of the line
  float reach;          // part of the line that it follows, from the root
  float radius;
  float shade;  // factor on the colour
} Hair;

// Hair number j of n of a line, by (3), or the line itself if n is 1.
static Hair make_hair(CpsRandom* random, int32_t n, float radius, float spread) {
  if (n == 1) return (Hair){.reach = 1.0f, .radius = radius, .shade = 1.0f};
  float distance = spread * radius * sqrtf((float)cps_random_uniform(random));
  float angle = 6.2831853f * (float)cps_random_uniform(random), cut = (float)cps_random_uniform(random);
  return (Hair){
      .along = distance * cosf(angle),
      .across = distance * sinf(angle),
      .reach = 1.0f - SHORTEST * cut * cut,
      .radius = 0.5f * radius / sqrtf((float)n),
      .shade = 1.0f + UNEVEN * (2.0f * (float)cps_random_uniform(random) - 1.0f),
  };
}

static CpsFloat3 single(CpsVec3 a) {
  return cps_float3((float)a.x, (float)a.y, (float)a.z);
}

// The position of a hair at its point k.
static CpsFloat3 hair_place(const Hair* hair, const CpsEye* eye, const CpsVec3* points, const CpsVec3* axes,
                            int32_t count, int32_t k) {
  float t = (float)k * hair->reach;
  int32_t i = (int32_t)t < count - 1 ? (int32_t)t : count - 1, next = i < count - 1 ? i + 1 : i;
  CpsFloat3 p = cps_eye_place(eye, points[i]);
  if (t > (float)i) p = cps_float3_mix(p, cps_eye_place(eye, points[next]), t - (float)i);
  if (hair->along == 0.0f && hair->across == 0.0f) return p;
  int32_t from = i < count - 1 ? i : i - 1;
  CpsFloat3 tangent = cps_float3_sub(cps_eye_place(eye, points[from + 1]), cps_eye_place(eye, points[from]));
  CpsFloat3 axis = cps_float3_mix(single(axes[i]), single(axes[next]), t - (float)i);
  CpsFloat3 across = cps_float3_unit(cps_float3_cross(tangent, axis));
  return cps_float3_axpy(cps_float3_axpy(p, hair->along, cps_float3_unit(axis)), hair->across, across);
}

// Adds one curve, from control point `at` on; returns the next free one.
static int64_t add_curve(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, CpsResultLine line,
                         const CpsFloat3* colours, const Hair* hair, int64_t at) {
  const CpsVec3 *points = frame->points + line.first, *axes = frame->axes + line.first;
  const CpsFloat3* colour = colours + line.first;
  int64_t begin = at;
  int32_t last = line.count - 1;
  CpsFloat3 p[2] = {hair_place(hair, eye, points, axes, line.count, 0),
                    hair_place(hair, eye, points, axes, line.count, 1)};
  const float taper = (float)(line.radius_tip / line.radius);
  put_point(scene, eye, at++, reflected(p[0], p[1]), hair->radius, cps_float3_scale(hair->shade, colour[0]));
  for (int32_t k = 0; k <= last; ++k) {
    p[0] = p[1];
    p[1] = hair_place(hair, eye, points, axes, line.count, k);
    const float t = (float)k / (float)last;
    put_point(scene, eye, at++, p[1], hair->radius * (1.0f + (taper - 1.0f) * t),
              cps_float3_scale(hair->shade, colour[k]));
  }
  put_point(scene, eye, at++, reflected(p[1], p[0]), hair->radius * taper, cps_float3_scale(hair->shade, colour[last]));
  put_cap(scene, begin + 1);
  put_cap(scene, at - 2);
  uint32_t* first = scene->piece_first.items;
  for (int64_t k = begin; k + 3 < at; ++k) {
    if (piece_is_good((const float*)scene->curve_points.items + 4 * k)) first[scene->piece_count++] = (uint32_t)k;
  }
  return at;
}

bool cps_render_add_fibres(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours) {
  const CpsThings* what = scene->what;
  int64_t curves = scene->hairs * (int64_t)what->line_count;
  scene->curve_point_count = scene->hairs * what->point_count + 2 * curves;
  scene->piece_count = scene->cap_count = 0;
  scene->thin = false;
  if (curves == 0) return true;
  if (scene->curve_point_count > UINT32_MAX || !reserve(scene, scene->curve_point_count, curves)) return false;
  int64_t at = 0;
  for (int32_t i = 0; i < what->line_count; ++i) {
    CpsResultLine line = what->lines[i];
    CpsRandom random = cps_random_seed((uint64_t)i);  // the same wisp in every frame
    for (int32_t j = 0; j < scene->hairs; ++j) {
      Hair hair = make_hair(&random, scene->hairs, (float)(line.radius / eye->unit), scene->spread);
      at = add_curve(scene, frame, eye, line, colours, &hair, at);
    }
  }
  return true;
}
