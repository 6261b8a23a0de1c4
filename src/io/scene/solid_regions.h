// Parts of the solids of a scene that are of other matter.
#ifndef CAPSTAN_IO_SCENE_SOLID_REGIONS_H
#define CAPSTAN_IO_SCENE_SOLID_REGIONS_H

#include "io/scene/solid_mesh.h"

// Reads law, young, poisson, density and damping of a map; what it does not say stays.
void cps_scene_solid_matter(const CpsNode* map, CpsSolidRegion* matter);
// `regions` of a map, in the scene's memory; `mesh` in its own axes, def->matter as the map has it.
CpsStatus cps_scene_solid_regions(CpsReader* reader, const CpsNode* map, const CpsSolidLayout* mesh, CpsSolidDef* def);

#endif
