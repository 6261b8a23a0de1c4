// A colour for each material.
#include "io/export/internal.h"

CpsVec3 cps_export_colour(CpsExportKind kind, int32_t material) {
  static const CpsVec3 OF_KIND[] = {{0.72, 0.45, 0.20}, {0.55, 0.57, 0.60}, {0.45, 0.30, 0.16}, {0.78, 0.70, 0.58}};
  static const CpsVec3 OF_MATERIAL[] = {{0.20, 0.42, 0.69}, {0.85, 0.55, 0.15}, {0.30, 0.58, 0.35}, {0.70, 0.25, 0.25},
                                        {0.50, 0.38, 0.65}, {0.55, 0.40, 0.30}, {0.80, 0.50, 0.65}, {0.35, 0.60, 0.65}};
  const int32_t colours = sizeof OF_MATERIAL / sizeof *OF_MATERIAL;
  return material == 0 ? OF_KIND[kind] : OF_MATERIAL[(material - 1) % colours];
}

const char* cps_export_colour_name(const CpsThings* things, CpsExportKind kind, int32_t material) {
  static const char* const OF_KIND[] = {"body", "obstacle", "fibre", "sheet"};
  return material == 0 ? OF_KIND[kind] : things->material_names[material];
}
