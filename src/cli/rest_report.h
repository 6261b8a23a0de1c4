// Messages of the command about fibres that were to be at rest.
#ifndef CAPSTAN_CLI_REST_REPORT_H
#define CAPSTAN_CLI_REST_REPORT_H

#include <stdio.h>

#include "capstan/scene.h"

// Names strands of files that are no fibres, on lines that begin with `before`; nothing where there are none.
void cps_skipped_print(FILE* out, const char* before, const CpsScene* scene);
// The same for fibres that could not be inverted and keep their placed shape.
void cps_refused_print(FILE* out, const char* before, const CpsScene* scene, const CpsWorld* world);
// Warns of fibres that cannot be at rest where they are, or would not stay there; nothing where there are none.
void cps_rest_print(FILE* out, const CpsScene* scene, const CpsWorld* world);

#endif
