#include "io/world_surfaces.h"

int32_t cps_world_surface_vertices(const CpsWorld* world, int32_t i, CpsVec3* position, CpsVec3* velocity) {
  const int32_t sheets = cps_world_sheet_count(world);
  const CpsThing thing =
      i < sheets ? cps_thing_sheet(cps_world_sheet(world, i)) : cps_thing_solid(cps_world_solid(world, i - sheets));
  CpsStatus status = thing.generation > 0 ? CPS_OK : CPS_BAD_ARGUMENT;
  if (status == CPS_OK && position) {
    status = cps_world_array(world, thing, CPS_QUANTITY_POSITION, &position->x, sizeof *position);
  }
  if (status == CPS_OK && velocity) {
    status = cps_world_array(world, thing, CPS_QUANTITY_VELOCITY, &velocity->x, sizeof *velocity);
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
