// Sheets of a scene become those of a world.
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/scene/internal.h"

static CpsStatus add_sheet(const CpsSceneSheet* sheet, CpsWorld* world, CpsError* error) {
  CpsSheetDef def = sheet->def;
  CpsSheetPin* pins = malloc(((size_t)def.pin_count + 1) * sizeof *pins);
  if (!pins) return cps_io_fail(error, CPS_NO_MEMORY, sheet->name, NULL, "out of memory");
  if (def.pin_count > 0) memcpy(pins, def.pins, (size_t)def.pin_count * sizeof *pins);
  for (int32_t i = 0; i < def.pin_count; ++i) {
    if (sheet->pin_on[i] >= 0) pins[i].obstacle = cps_world_obstacle(world, sheet->pin_on[i]);
  }
  def.pins = pins;
  CpsError why;
  CpsStatus status = cps_world_add_sheet(world, &def, NULL, &why);
  if (status != CPS_OK) cps_io_fail(error, status, sheet->name, NULL, "%s", why.text);
  free(pins);
  return status;
}

CpsStatus cps_scene_add_sheets(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < scene->sheet_count; ++i) {
    status = add_sheet(&scene->sheets[i], world, error);
  }
  return status;
}
