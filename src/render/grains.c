// Particles of grains as small balls, several for each, scattered in the cube that it fills.
//
// Places of grains in the cube follow from the number of the particle alone, so that grains do not flicker.
#include "base/particle_space.h"
#include "render/sampling.h"
#include "render/scene.h"

#define RADIUS 0.58f  // of a grain, in edges of its cell of the cube: neighbours touch
#define JITTER 0.7f

// Position of the i-th of n grains along an axis, from the centre of the cube, in cell edges; a single grain is at the centre.
static float place(int32_t i, int32_t n, uint32_t seed) {
  const float off = n > 1 ? JITTER * (cps_unit_float(cps_mix(seed)) - 0.5f) : 0.0f;
  return (float)i - 0.5f * (float)(n - 1) + off;
}

bool cps_render_add_grains(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours) {
  const CpsThings* what = scene->what;
  const int64_t room = what->particle_count * scene->grains;
  scene->grain_count = 0;
  if (room == 0) return true;
  if (!cps_room_reserve(&scene->grain_points, room, 4 * sizeof(float)) ||
      !cps_room_reserve(&scene->grain_colour, room, sizeof(CpsFloat3))) {
    return false;
  }
  if (!(scene->grain_space > 0.0)) scene->grain_space = cps_particle_space(frame->particles, what->particle_count);
  // an n x n x n lattice, filled from the first place on; each grain is moved randomly near its place
  const int32_t n = (int32_t)ceil(cbrt(scene->grains) - 1e-9);
  const float edge = (float)(scene->grain_space / eye->unit), part = edge / (float)n;
  for (int64_t k = 0; k < what->particle_count; ++k) {
    const CpsFloat3 at = cps_eye_place(eye, frame->particles[k]);
    if (!cps_render_place_is_good(at)) continue;
    for (int32_t g = 0; g < scene->grains; ++g) {
      const uint32_t seed = cps_mix((uint32_t)k) + (uint32_t)g * 3u;
      float* point = (float*)scene->grain_points.items + 4 * scene->grain_count;
      point[0] = at.x + part * place(g % n, n, seed);
      point[1] = at.y + part * place(g / n % n, n, seed + 1u);
      point[2] = at.z + part * place(g / (n * n), n, seed + 2u);
      point[3] = RADIUS * part;
      ((CpsFloat3*)scene->grain_colour.items)[scene->grain_count++] = colours[k];
    }
  }
  return true;
}
