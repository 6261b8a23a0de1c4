#include "io/world_surfaces.h"

int32_t cps_world_surface_vertices(const CpsWorld* world, int32_t i, CpsVec3* position, CpsVec3* velocity) {
  const int32_t sheets = cps_world_sheet_count(world);
  CpsStatus status;
  if (i < sheets) {
    status = cps_world_sheet_vertices(world, cps_world_sheet(world, i), position, velocity, sizeof(CpsVec3));
  } else {
    status = cps_world_solid_vertices(world, cps_world_solid(world, i - sheets), position, velocity, sizeof(CpsVec3));
  }
  return status == CPS_OK ? cps_world_surface(world, i).vertex_count : -1;
}

CpsWorldSurface cps_world_surface(const CpsWorld* world, int32_t i) {
  const int32_t sheets = cps_world_sheet_count(world);
  CpsSheetInfo sheet;
  if (i < sheets && cps_world_sheet_info(world, cps_world_sheet(world, i), &sheet) == CPS_OK) {
    const int32_t* triangles = cps_world_sheet_triangles(world, cps_world_sheet(world, i));
    return (CpsWorldSurface){sheet.vertex_count, sheet.triangle_count, triangles, sheet.thickness, sheet.mass};
  }
  CpsSolidId id = cps_world_solid(world, i - sheets);
  CpsSolidInfo solid;
  if (i < sheets || cps_world_solid_info(world, id, &solid) != CPS_OK) return (CpsWorldSurface){0};
  const int32_t* triangles = cps_world_solid_triangles(world, id);
  return (CpsWorldSurface){solid.vertex_count, solid.triangle_count, triangles, 2.0 * solid.radius, solid.mass};
}
