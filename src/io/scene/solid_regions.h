// Regions of the solids of a scene with their own material properties.
#ifndef CAPSTAN_IO_SCENE_SOLID_REGIONS_H
#define CAPSTAN_IO_SCENE_SOLID_REGIONS_H

#include "io/scene/solid_mesh.h"

// Reads law, young, poisson, density and damping of a map; missing keys leave the value unchanged.
void cps_scene_solid_matter(const CpsNode* map, CpsSolidRegion* matter);
// Reads `regions` of a map, in the scene's memory; `mesh` in its own axes, def->matter as read from the map.
CpsStatus cps_scene_solid_regions(CpsReader* reader, const CpsNode* map, const CpsSolidLayout* mesh, CpsSolidDef* def);

#endif
