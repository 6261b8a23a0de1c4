// A colour for each material, from the palette, in linear RGB.
#include <math.h>

#include "base/palette.h"
#include "io/export/internal.h"

enum { STRAW = 5 };  // palette index: sand

static double linear(uint32_t byte) {
  double s = byte / 255.0;
  return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static CpsVec3 colour_of(uint32_t hex) {
  return (CpsVec3){linear(hex >> 16), linear(hex >> 8 & 0xff), linear(hex & 0xff)};
}

CpsVec3 cps_export_colour(CpsExportKind kind, int32_t material) {
  static const CpsPaletteKind KINDS[] = {CPS_PALETTE_BODY, CPS_PALETTE_BODY, CPS_PALETTE_FIBRE, CPS_PALETTE_SHEET};
  bool wall = kind == CPS_KIND_OBSTACLE && material == 0;
  return colour_of(wall ? CPS_PALETTE_OBSTACLE : cps_palette_colour(KINDS[kind], material));
}

CpsVec3 cps_export_grain_colour(void) {
  return colour_of(cps_palette[STRAW]);
}

const char* cps_export_colour_name(const CpsThings* things, CpsExportKind kind, int32_t material) {
  static const char* const OF_KIND[] = {"body", "obstacle", "fibre", "sheet"};
  return material == 0 ? OF_KIND[kind] : things->material_names[material];
}
