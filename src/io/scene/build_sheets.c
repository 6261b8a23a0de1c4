// Sheets and solids of a scene become those of a world.
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/scene/internal.h"

// Pins with the obstacles of the world; the caller frees them. NULL if memory runs out.
static CpsPin* copy_pins(const CpsWorld* world, const CpsPin* from, int32_t count, const int32_t* on) {
  CpsPin* pins = malloc(((size_t)count + 1) * sizeof *pins);
  if (pins && count > 0) memcpy(pins, from, (size_t)count * sizeof *pins);
  for (int32_t i = 0; pins && i < count; ++i) {
    if (on[i] >= 0) pins[i].obstacle = cps_world_obstacle(world, on[i]);
  }
  return pins;
}

static CpsStatus add_sheet(const CpsSceneSheet* sheet, CpsWorld* world, CpsError* error) {
  CpsSheetDef def = sheet->def;
  CpsPin* pins = copy_pins(world, def.pins, def.pin_count, sheet->pin_on);
  if (!pins) return cps_io_fail(error, CPS_NO_MEMORY, sheet->name, NULL, "out of memory");
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

static CpsStatus add_solid(const CpsSceneSolid* solid, CpsWorld* world, CpsError* error) {
  CpsSolidDef def = solid->def;
  CpsPin* pins = copy_pins(world, def.pins, def.pin_count, solid->pin_on);
  if (!pins) return cps_io_fail(error, CPS_NO_MEMORY, solid->name, NULL, "out of memory");
  def.pins = pins;
  CpsError why;
  CpsStatus status = cps_world_add_solid(world, &def, NULL, &why);
  if (status != CPS_OK) cps_io_fail(error, status, solid->name, NULL, "%s", why.text);
  free(pins);
  return status;
}

CpsStatus cps_scene_add_solids(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < scene->solid_count; ++i) {
    status = add_solid(&scene->solids[i], world, error);
  }
  return status;
}
