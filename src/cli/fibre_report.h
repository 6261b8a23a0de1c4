// Messages of the command about the fibres of a scene.
#ifndef CAPSTAN_CLI_FIBRE_REPORT_H
#define CAPSTAN_CLI_FIBRE_REPORT_H

#include "capstan/scene.h"

enum { CPS_FIBRE_TEXT = 256 };
// ", 76 fibres (der, 5016 dof)", or "" if there are none. Without a world the degrees of freedom are left out.
const char* cps_fibre_text(const CpsScene* scene, const CpsWorld* world, char text[CPS_FIBRE_TEXT]);

#endif
