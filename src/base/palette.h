// The one palette of pictures, exports and the viewer's page (web/src/draw/palette.ts has the same numbers; tests/render/test_palette.c compares
// them). Things are quiet, so that contacts stand out: no thing has the blue of sticking or the orange of sliding contacts by default.
#ifndef CAPSTAN_BASE_PALETTE_H
#define CAPSTAN_BASE_PALETTE_H

#include <stdint.h>

// Of materials that have no look of their own: stone, clay, sage, mauve, teal, straw, umber, slate. 0xrrggbb as pages write it.
static const uint32_t cps_palette[] = {0xb9a88f, 0xa8584a, 0x7f9474, 0x8a7aa0, 0x5f8f92, 0xcdbb7a, 0x7a5236, 0x77889b};
enum {
  CPS_PALETTE_COUNT = 8,
  CPS_PALETTE_OBSTACLE = 0xc3c8ce,
  CPS_PALETTE_STICK = 0x2f6fd0,
  CPS_PALETTE_SLIDE = 0xf08a24,
  CPS_PALETTE_TAKE_OFF = 0x8c9096
};

// Where in the palette the first material of a kind is.
typedef enum CpsPaletteKind { CPS_PALETTE_BODY = 0, CPS_PALETTE_FIBRE = 6, CPS_PALETTE_SHEET = 4 } CpsPaletteKind;

// Colour of a kind's material by its number.
static inline uint32_t cps_palette_colour(CpsPaletteKind kind, int32_t number) {
  return cps_palette[((uint32_t)number + (uint32_t)kind) % CPS_PALETTE_COUNT];
}

#endif
