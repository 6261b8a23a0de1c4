#include "cli/fibre_report.h"

#include <stdio.h>
#include <string.h>

const char* cps_fibre_text(const CpsScene* scene, const CpsWorld* world, char text[CPS_FIBRE_TEXT]) {
  int32_t count = cps_scene_info(scene).fibres;
  text[0] = '\0';
  if (count == 0) return text;
  bool used[CPS_ROD_MODEL_COUNT] = {false};
  for (int32_t i = 0; i < count; ++i) used[cps_scene_fibre_model(scene, i)] = true;
  int length = snprintf(text, CPS_FIBRE_TEXT, ", %d fibre%s (", (int)count, count == 1 ? "" : "s");
  const char* joint = "";
  for (int i = 0; i < CPS_ROD_MODEL_COUNT; ++i) {
    if (!used[i]) continue;
    length +=
        snprintf(text + length, (size_t)(CPS_FIBRE_TEXT - length), "%s%s", joint, cps_rod_model_name((CpsRodModel)i));
    joint = ", ";
  }
  long long dofs = 0;
  for (int32_t i = 0; world && i < count; ++i) {
    CpsFibreInfo info;
    if (cps_world_fibre_info(world, cps_world_fibre(world, i), &info) == CPS_OK) dofs += info.dofs;
  }
  if (world) length += snprintf(text + length, (size_t)(CPS_FIBRE_TEXT - length), ", %lld dof", dofs);
  snprintf(text + length, (size_t)(CPS_FIBRE_TEXT - length), ")");
  return text;
}
