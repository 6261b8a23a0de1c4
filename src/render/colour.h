// Colours: of materials, of numbers, and their conversion to bytes.
//
// Light is computed in linear RGB with the primaries of sRGB. The tone curve leaves values below the shoulder unchanged, so that a
// matt object in full light has the colour of its material:
//
//   t(x) = x                                              x <= a
//        = a + (1 - a) (1 - exp(-(x - a) / (1 - a)))      x >  a                                                    (1)
#ifndef CAPSTAN_RENDER_COLOUR_H
#define CAPSTAN_RENDER_COLOUR_H

#include <stdint.h>

#include "base/palette.h"
#include "render/float3.h"

// Linear RGB of a colour 0xrrggbb as pages write it.
CpsFloat3 cps_colour_hex(uint32_t hex);
// Byte of a linear component: equation (1), then the transfer function of sRGB.
uint8_t cps_colour_byte(float linear);

// Colour of a material by its name (hair, skin, steel, …). An unknown name takes a palette colour by kind and number.
CpsFloat3 cps_colour_material(const char* name, CpsPaletteKind kind, int32_t number);
// The same hue, a little lighter or darker by a hash of a number, so that similar objects can be distinguished.
CpsFloat3 cps_colour_vary(CpsFloat3 colour, uint32_t number, float amount);
// A number in [0, 1] on a map from dark violet over teal to yellow whose lightness grows evenly (in Ottosson's OKLab).
CpsFloat3 cps_colour_scale(float t);

#endif
