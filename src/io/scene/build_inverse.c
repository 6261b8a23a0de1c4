// Fibres of a scene that are at rest where they are: their natural shapes are found.
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "io/scene/internal.h"

// The fibres of an entry. A shape that would not stay is not called still.
static CpsStatus invert(const CpsScene* scene, const CpsSceneFibres* group, CpsFibreId* ids, CpsWorld* world,
                        CpsError* error) {
  CpsInvertOptions options = scene->invert;
  CpsInvertInfo info;
  CpsError why = {""};
  for (int32_t i = 0; i < group->count; ++i) ids[i] = cps_world_fibre(world, group->first + i);
  options.fibre_count = group->count;
  options.fibres = ids;
  CpsStatus status = cps_world_invert(world, &options, &info, &why);
  if (status == CPS_OK && (info.unstable_count == 0 || scene->unstable_allowed)) return CPS_OK;
  const char* name = group->name;
  if (status == CPS_OK) {
    name = scene->fibre_names[info.unstable.index];
    (void)snprintf(why.text, sizeof why.text,
                   "%d of %d would not be stable: up to %.3g times stiffer would hold "
                   "(`inverse: {stiffen: true}`, or `unstable: allow`)",
                   (int)info.unstable_count, (int)info.fibre_count, info.least_factor);
  }
  if (status != CPS_NO_MEMORY) status = CPS_BAD_DATA;
  return cps_scene_build_fail(error, status, cps_node_find(group->node, "natural"), name, &why);
}

CpsStatus cps_scene_invert(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsFibreId* ids = malloc(((size_t)scene->fibre_count + 1) * sizeof *ids);
  CpsStatus status = ids ? CPS_OK : cps_io_fail(error, CPS_NO_MEMORY, scene->title, NULL, "out of memory");
  for (int32_t g = 0; status == CPS_OK && g < scene->fibre_group_count; ++g) {
    if (scene->fibre_groups[g].equilibrium) status = invert(scene, &scene->fibre_groups[g], ids, world, error);
  }
  free(ids);
  return status;
}
