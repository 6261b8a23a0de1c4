// The smooth surface of a solid. See solid_smooth.c.
#ifndef CAPSTAN_MODEL_SOLID_SMOOTH_H
#define CAPSTAN_MODEL_SOLID_SMOOTH_H

#include "model/solid_mesh.h"

// out: the smooth surface of the definition, with its reach.
// @return CPS_OK, or CPS_BAD_ARGUMENT, CPS_BAD_DATA with a message that gives the location, or CPS_NO_MEMORY
CpsStatus cps_solid_smooth(const CpsSolidDef* def, const CpsSolidMesh* mesh, CpsSmooth* out, CpsError* error);

#endif
