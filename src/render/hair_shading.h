// Light scattered by a fibre that is thinner than a pixel.
#ifndef CAPSTAN_RENDER_HAIR_SHADING_H
#define CAPSTAN_RENDER_HAIR_SHADING_H

#include "render/float3.h"

// Light from `to_light` to `to_eye` (unit vectors away from the fibre) by a fibre with a unit tangent from root to tip, for
// white light of irradiance 1 on a plane across it. Foreshortening is in it.
CpsFloat3 cps_hair_scatter(CpsFloat3 tangent, CpsFloat3 to_eye, CpsFloat3 to_light, CpsFloat3 colour);

#endif
