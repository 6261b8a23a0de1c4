// Messages of the command about soft solids.
#ifndef CAPSTAN_CLI_SOLID_REPORT_H
#define CAPSTAN_CLI_SOLID_REPORT_H

#include <stdio.h>

#include "capstan/scene.h"

// The number of tetrahedra that are inverted now, in all solids.
int64_t cps_solids_inverted(const CpsWorld* world);
// A warning for each solid that has some: the laws that bear inverted elements may keep them so, in a state whose forces are in equilibrium.
void cps_solids_warn(FILE* out, const CpsScene* scene, const CpsWorld* world);

#endif
