// What the command says about fibres that were to be at rest.
#ifndef CAPSTAN_CLI_REST_REPORT_H
#define CAPSTAN_CLI_REST_REPORT_H

#include <stdio.h>

#include "capstan/scene.h"

// Warns of fibres that cannot be at rest where they are, or would not stay there; nothing where there are none.
void cps_rest_print(FILE* out, const CpsScene* scene, const CpsWorld* world);

#endif
