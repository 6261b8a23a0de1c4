// Messages of the command about ties.
#ifndef CAPSTAN_CLI_TIE_REPORT_H
#define CAPSTAN_CLI_TIE_REPORT_H

#include <stdio.h>

#include "capstan/scene.h"

// Warns of each tie whose points are apart at the start: the first steps bring them together, at any distance.
void cps_ties_print_start(FILE* out, const CpsScene* scene, const CpsWorld* world);

#endif
