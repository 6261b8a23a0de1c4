// Messages of the command about soft solids.
#ifndef CAPSTAN_CLI_SOLID_REPORT_H
#define CAPSTAN_CLI_SOLID_REPORT_H

#include <stdio.h>

#include "capstan/scene.h"

// The current number of inverted tetrahedra, in all solids.
int64_t cps_solids_inverted(const CpsWorld* world);
// Warns of each solid with inverted elements: laws that permit inversion may keep them inverted, in an equilibrium.
void cps_solids_warn(FILE* out, const CpsScene* scene, const CpsWorld* world);

#endif
