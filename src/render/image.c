// All pixels of a picture. Threads take bands of rows from a counter; a pixel is a function of its place alone, so that it
// does not matter who draws it.
#include <stdatomic.h>

#include "render/colour.h"
#include "render/internal.h"
#include "render/pixel.h"
#include "render/sampling.h"

#define BAND 4  // rows
#define BRIGHTEST 1.5f
#define FILTER 0.85f  // half width of the tent over which a pixel gathers light, px

typedef struct Work {
  CpsRender* render;
  CpsPixel* pixels;
  uint8_t* rgb;
  atomic_int next;  // row
  atomic_int done;  // rows
  atomic_bool stop;
} Work;

static void add(CpsPixel* pixel, const CpsLight* light) {
  pixel->rest = cps_float3_add(pixel->rest, light->rest);
  pixel->sun = cps_float3_add(pixel->sun, light->sun);
  pixel->sky = cps_float3_add(pixel->sky, light->sky);
  pixel->normal = cps_float3_add(pixel->normal, light->normal);
  pixel->sun_seen += light->sun_seen;
  pixel->sky_seen += light->sky_seen;
  pixel->distance += light->distance;
}

// The sum of all parts, limited: a glint brighter than white would leave a jagged edge.
static CpsFloat3 whole(const CpsLight* light) {
  CpsFloat3 sum = cps_float3_axpy(light->rest, light->sun_seen, light->sun);
  sum = cps_float3_axpy(sum, light->sky_seen, light->sky);
  return cps_float3(fminf(sum.x, BRIGHTEST), fminf(sum.y, BRIGHTEST), fminf(sum.z, BRIGHTEST));
}

// Adds the direction of a hair in the picture as a double angle, since opposite directions are equivalent.
static void add_strand(const CpsEye* eye, CpsFloat3 strand, float sum[2]) {
  float x = cps_float3_dot(strand, eye->right), y = -cps_float3_dot(strand, eye->up), length2 = x * x + y * y;
  if (!(length2 > 0.0f)) return;
  float share = cps_float3_norm(strand) / length2;
  sum[0] += share * (x * x - y * y);
  sum[1] += share * 2.0f * x * y;
}

static void draw_pixel(const CpsRender* render, int32_t x, int32_t y, CpsPixel* out) {
  const CpsRenderOptions* options = &render->options;
  const CpsStage* stage = &render->stage;
  uint32_t seed = cps_mix((uint32_t)x + cps_mix((uint32_t)y));
  CpsFloat3 background = cps_stage_background(stage, ((float)y + 0.5f) / (float)options->height), sum = {0};
  CpsPixel parts = {.owner = -1};
  if (cps_render_is_empty(render, x, y)) {
    *out = (CpsPixel){.rest = background, .owner = -1};
    return;
  }
  bool one = true;  // the same object in all samples so far
  float strand[2] = {0.0f, 0.0f}, lens = (float)(options->aperture / stage->eye.unit);
  for (int32_t k = 0; k < options->samples; ++k) {
    CpsSample2 film = cps_sample2((uint32_t)k, seed);
    float px = (float)x + 0.5f + FILTER * cps_tent(film.x), py = (float)y + 0.5f + FILTER * cps_tent(film.y);
    CpsFloat3 direction = cps_eye_direction(&stage->eye, options->width, options->height, px, py);
    CpsFloat3 origin = stage->eye.eye;
    if (lens > 0.0f) {
      CpsSample2 at = cps_sample2((uint32_t)k, seed ^ 0x68e31da4u);
      cps_eye_through_lens(&stage->eye, lens, at.x, at.y, &origin, &direction);
    }
    CpsLight light = cps_stage_light(stage, origin, direction, background, (uint32_t)k, seed);
    if (k == 0) parts.owner = light.owner;
    one = one && light.owner >= 0 && light.owner == parts.owner;
    if (one) add(&parts, &light);
    sum = cps_float3_add(sum, whole(&light));
    add_strand(&stage->eye, light.strand, strand);
  }
  float share = 1.0f / (float)options->samples;
  *out =
      (CpsPixel){.rest = cps_float3_scale(share, sum), .owner = -1, .strand = {share * strand[0], share * strand[1]}};
  if (!one) return;
  *out = (CpsPixel){
      .rest = cps_float3_scale(share, parts.rest),
      .sun = cps_float3_scale(share, parts.sun),
      .sky = cps_float3_scale(share, parts.sky),
      .sun_seen = share * parts.sun_seen,
      .sky_seen = share * parts.sky_seen,
      .distance = share * parts.distance,
      .normal = cps_float3_unit(parts.normal),
      .owner = parts.owner,
  };
}

static void trace_rows(Work* work, int32_t row, int32_t end) {
  int32_t width = work->render->options.width;
  for (int32_t y = row; y < end; ++y) {
    for (int32_t x = 0; x < width; ++x) draw_pixel(work->render, x, y, &work->pixels[(int64_t)y * width + x]);
  }
}

static void finish_rows(Work* work, int32_t row, int32_t end) {
  const CpsRenderOptions* options = &work->render->options;
  for (int32_t y = row; y < end; ++y) {
    for (int32_t x = 0; x < options->width; ++x) {
      CpsFloat3 c =
          cps_pixel_smooth(work->pixels, options->width, options->height, x, y, work->render->stage.eye.pixel);
      uint8_t* out = work->rgb + 3 * ((int64_t)y * options->width + x);
      out[0] = cps_colour_byte(c.x);
      out[1] = cps_colour_byte(c.y);
      out[2] = cps_colour_byte(c.z);
    }
  }
}

static void trace_bands(void* data, int64_t first, int64_t last, int worker) {
  Work* work = data;
  const CpsRenderOptions* options = &work->render->options;
  (void)first;
  (void)last;
  for (;;) {
    int32_t row = atomic_fetch_add(&work->next, BAND);
    if (row >= options->height || atomic_load(&work->stop)) return;
    int32_t end = row + BAND < options->height ? row + BAND : options->height;
    trace_rows(work, row, end);
    int32_t done = atomic_fetch_add(&work->done, end - row) + end - row;
    if (worker == 0 && options->progress &&
        !options->progress((double)done / options->height, options->progress_data)) {
      atomic_store(&work->stop, true);
    }
  }
}

static void finish_band(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  finish_rows(data, (int32_t)first, (int32_t)last);
}

CpsStatus cps_render_trace_image(CpsRender* render, uint8_t* rgb) {
  int64_t count = (int64_t)render->options.width * render->options.height;
  Work work = {.render = render, .rgb = rgb};
  work.pixels = cps_room_reserve(&render->pixels, count, sizeof *work.pixels);
  if (!work.pixels) return CPS_NO_MEMORY;
  cps_pool_run(render->pool, cps_pool_threads(render->pool), trace_bands, &work);
  if (atomic_load(&work.stop)) return CPS_INTERRUPTED;
  cps_pool_run(render->pool, render->options.height, finish_band, &work);
  return CPS_OK;
}
