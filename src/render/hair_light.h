// Light from a hair to the eye, including light scattered by neighbouring hairs.
#ifndef CAPSTAN_RENDER_HAIR_LIGHT_H
#define CAPSTAN_RENDER_HAIR_LIGHT_H

#include "render/stage.h"

// One sample of this light, for the hair that the eye sees at `surface`.
CpsFloat3 cps_hair_light(const CpsStage* stage, const CpsSurface* surface, CpsFloat3 to_eye, uint32_t index,
                         uint32_t seed);

#endif
