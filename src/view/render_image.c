// All pixels of a picture. Threads take bands of rows from a counter; a pixel is a function of its place alone, so that it
// does not matter who draws it.
#include <stdatomic.h>

#include "view/colour.h"
#include "view/render_internal.h"
#include "view/sampling.h"

#define BAND 4        // rows
#define FILTER 0.85f  // half width of the tent over which a pixel gathers light, px

typedef struct Work {
  CpsRender* render;
  uint8_t* rgb;
  atomic_int next;  // row
  atomic_int done;  // rows
  atomic_bool stop;
} Work;

static void draw_pixel(const CpsRender* render, int32_t x, int32_t y, uint8_t* out) {
  const CpsRenderOptions* options = &render->options;
  const CpsStage* stage = &render->stage;
  uint32_t seed = cps_mix((uint32_t)x + cps_mix((uint32_t)y));
  CpsFloat3 sum = {0};
  for (int32_t k = 0; k < options->samples; ++k) {
    CpsSample2 film = cps_sample2((uint32_t)k, seed);
    float px = (float)x + 0.5f + FILTER * cps_tent(film.x), py = (float)y + 0.5f + FILTER * cps_tent(film.y);
    CpsFloat3 direction = cps_eye_direction(&stage->eye, options->width, options->height, px, py);
    CpsFloat3 background = cps_stage_background(stage, ((float)y + 0.5f) / (float)options->height);
    CpsFloat3 light = cps_stage_radiance(stage, direction, background, (uint32_t)k, seed);
    // a glint brighter than white would leave a jagged edge
    light = cps_float3(fminf(light.x, 1.5f), fminf(light.y, 1.5f), fminf(light.z, 1.5f));
    sum = cps_float3_add(sum, light);
  }
  sum = cps_float3_scale(1.0f / (float)options->samples, sum);
  out[0] = cps_colour_byte(sum.x);
  out[1] = cps_colour_byte(sum.y);
  out[2] = cps_colour_byte(sum.z);
}

static void draw_bands(void* data, int64_t first, int64_t last, int worker) {
  Work* work = data;
  const CpsRenderOptions* options = &work->render->options;
  (void)first;
  (void)last;
  for (;;) {
    int32_t row = atomic_fetch_add(&work->next, BAND);
    if (row >= options->height || atomic_load(&work->stop)) return;
    int32_t end = row + BAND < options->height ? row + BAND : options->height;
    for (int32_t y = row; y < end; ++y) {
      uint8_t* line = work->rgb + 3 * (size_t)y * (size_t)options->width;
      for (int32_t x = 0; x < options->width; ++x) draw_pixel(work->render, x, y, line + 3 * (size_t)x);
    }
    int32_t done = atomic_fetch_add(&work->done, end - row) + end - row;
    if (worker == 0 && options->progress &&
        !options->progress((double)done / options->height, options->progress_data)) {
      atomic_store(&work->stop, true);
    }
  }
}

bool cps_render_trace_image(CpsRender* render, uint8_t* rgb) {
  Work work = {.render = render, .rgb = rgb};
  cps_pool_run(render->pool, cps_pool_threads(render->pool), draw_bands, &work);
  return !atomic_load(&work.stop);
}
