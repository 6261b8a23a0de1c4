// Light in hair goes from hair to hair many times before it leaves, and fair hair is bright by that light. It is followed
// backwards from the eye (path tracing, Kajiya 1986): at each hair k on the way
//
//   L = sum_k t_k (f_k cos th_sun E_sun V_sun),   t_{k+1} = t_k f_k cos th_k / density                                  (1)
//
// with the next hair in a direction drawn by cps_hair_sample(), until the ray gets out to the sky or meets something else,
// whose light ends the sum. From the fourth hair on the way ends by chance, with the probability 1 - max t, and what continues
// carries the weight of paths that ended (Russian roulette): no light is lost.
#include "render/hair_light.h"

#include "render/hair_shading.h"
#include "render/sampling.h"

#define PI 3.14159265f
#define LONGEST 48     // hairs on a path
#define CERTAIN 3      // hairs before which no path ends
#define GOES_ON 0.95f  // largest probability of continuation: paths between white hairs must end

static float largest(CpsFloat3 a) {
  return fmaxf(a.x, fmaxf(a.y, a.z));
}

// The origin of a ray that leaves a hair, outside the hair.
static CpsFloat3 leave(const CpsSurface* surface, CpsFloat3 direction) {
  return cps_float3_axpy(surface->point, 2.0f * surface->radius + 1e-5f, direction);
}

// The first object on a ray. A hair drawn wider than it is lets the ray pass with some probability.
static CpsSurface meet(const CpsStage* stage, CpsFloat3 origin, CpsFloat3 direction, uint32_t seed) {
  CpsSurface surface = {.kind = CPS_SURFACE_NONE};
  for (int hair = 0; hair < LONGEST; ++hair) {
    surface = cps_render_meet(stage->scene, origin, direction, 0.0f, cps_mix(seed + (uint32_t)hair));
    bool held = surface.kind != CPS_SURFACE_FIBRE || surface.cover >= 1.0f ||
                cps_unit_float(cps_mix(seed ^ (0x51u + (uint32_t)hair))) < surface.cover;
    if (held) return surface;
    origin = leave(&surface, direction);
  }
  return surface;
}

CpsFloat3 cps_hair_light(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 to_eye, uint32_t index,
                         uint32_t seed) {
  CpsSurface here = *surface;
  CpsFloat3 light = {0}, through = cps_float3(1.0f, 1.0f, 1.0f);
  for (uint32_t k = 0; k < LONGEST; ++k) {
    uint32_t own = cps_mix(seed + 0x9e37u * k);
    CpsSample2 across = cps_sample2(index, own ^ 0x1b56c4e9u), path = cps_sample2(index, own ^ 0x7a1f3c55u);
    CpsSample2 lobe = cps_sample2(index, own ^ 0x2545f491u), sun = cps_sample2(index, own ^ 0xa511e9b3u);
    CpsHair hair = cps_hair_make(here.tangent, here.colour, 2.0f * across.x - 1.0f, stage->scene->hairs == 1);
    CpsFloat3 to_sun = cps_stage_sun(stage, sun);
    if (!cps_render_is_hidden(stage->scene, leave(&here, to_sun), to_sun, INFINITY, cps_mix(own + index), false)) {
      CpsFloat3 lit = cps_float3_times(cps_hair_scatter(&hair, to_eye, to_sun), stage->sun_light);
      light = cps_float3_axpy(light, PI, cps_float3_times(through, lit));
    }
    CpsFloat3 next;
    const float u[4] = {path.x, path.y, lobe.x, lobe.y};
    through = cps_float3_times(through, cps_hair_sample(&hair, to_eye, u, &next));
    if (k >= CERTAIN) {
      float goes_on = fminf(GOES_ON, largest(through));
      if (!(across.y < goes_on)) break;
      through = cps_float3_scale(1.0f / goes_on, through);
    }
    CpsFloat3 origin = leave(&here, next);
    here = meet(stage, origin, next, cps_mix(own ^ index));
    to_eye = cps_float3_scale(-1.0f, next);
    if (here.kind != CPS_SURFACE_FIBRE) {
      return cps_float3_add(light, cps_float3_times(through, cps_stage_behind(stage, &here, next, own, index)));
    }
  }
  return light;
}
