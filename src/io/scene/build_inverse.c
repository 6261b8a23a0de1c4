// Fibres of a scene that are at rest where they are: their natural shapes are found, or read.
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "capstan/rest.h"
#include "io/scene/internal.h"

static const double MOST = 1000.0;  // default limit of the stiffening of strands from a file

// Lists the fibres that the scene selects, or those it does not mention; returns their number.
static int32_t list(const CpsScene* scene, const CpsWorld* world, bool implied, CpsFibreId* ids) {
  int32_t count = 0;
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    if (!group->equilibrium && !(implied && group->implied)) continue;
    for (int32_t i = 0; i < group->count; ++i) ids[count++] = cps_world_fibre(world, group->first + i);
  }
  return count;
}

// The entry of a fibre.
static const CpsSceneFibres* group_of(const CpsScene* scene, int32_t fibre) {
  int32_t g = 0;
  while (fibre >= scene->fibre_groups[g].first + scene->fibre_groups[g].count) ++g;
  return &scene->fibre_groups[g];
}

// Refuses shapes that would not stay at rest, if rest was requested, unless the scene allows them. Strands of a file
// that cannot be at rest, and fibres that are allowed to move, take the initial shape as their natural one.
static CpsStatus judge(const CpsScene* scene, const CpsWorld* world, bool asked, CpsStatus status,
                       const CpsInvertInfo* info, CpsError* why, CpsError* error) {
  const bool unstable = status == CPS_OK && info->unstable_count > 0;
  if (status == CPS_OK && !unstable) return CPS_OK;
  if ((unstable || status == CPS_NO_SOLUTION) && scene->unstable_allowed) return CPS_OK;
  const char* name = scene->title;
  const CpsNode* node = NULL;
  if (status == CPS_OK || status == CPS_NO_SOLUTION) {
    const int32_t fibre = unstable ? info->unstable.index : info->refused.index;
    const CpsSceneFibres* group = group_of(scene, fibre);
    if (!asked) return CPS_OK;
    name = scene->fibre_names[fibre];
    node = cps_node_find(group->node, "natural");
  }
  if (unstable) {
    const char* late = "use `theta: 1`, the default, or `unstable: allow`";
    char stiffer[128];
    (void)snprintf(stiffer, sizeof stiffer,
                   "up to %.3g times stiffer would hold (`inverse: {stiffen: true}`, or `unstable: allow`)",
                   info->least_factor);
    const bool by_step =
        cps_world_fibre_doubt(world, info->unstable) == CPS_DOUBT_STEP && cps_world_settings(world).theta < 1.0;
    (void)snprintf(why->text, sizeof why->text, "%d of %d would not be stable: %s", (int)info->unstable_count,
                   (int)info->fibre_count, by_step ? late : stiffer);
  }
  if (status != CPS_NO_MEMORY) status = CPS_BAD_DATA;
  return cps_scene_build_fail(error, status, node, name, why);
}

static CpsStatus read_rests(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    CpsError why = {""};
    if (!group->rest) continue;
    const CpsStatus status = cps_rest_read(group->rest, world, group->first, group->count, &why);
    if (status != CPS_OK)
      return cps_scene_build_fail(error, status, cps_node_find(group->node, "natural"), group->name, &why);
  }
  return CPS_OK;
}

static CpsStatus trim(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    for (int32_t i = group->first; group->trim > 0.0 && i < group->first + group->count; ++i) {
      CpsFibreId id = cps_world_fibre(world, i);
      CpsError why = {""};
      const CpsStatus status = cps_world_trim_fibre(world, &id, group->trim, &why);
      if (status == CPS_OK) continue;
      return cps_scene_build_fail(error, status, cps_node_find(group->node, "trim"), scene->fibre_names[i], &why);
    }
  }
  return CPS_OK;
}

CpsInvertOptions cps_scene_inversion(const CpsScene* scene) {
  CpsInvertOptions options = scene ? scene->invert : cps_invert_options_default();
  bool implied = false;
  for (int32_t g = 0; scene && g < scene->fibre_group_count; ++g) implied = implied || scene->fibre_groups[g].implied;
  if (implied && !scene->stiffen_said) options.stiffen = true;
  if (implied && !scene->most_said) options.stiffen_most = MOST;
  return options;
}

CpsStatus cps_scene_invert(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = read_rests(scene, world, error);
  CpsFibreId* ids = malloc(((size_t)scene->fibre_count + 1) * sizeof *ids);
  if (!ids) return cps_io_fail(error, CPS_NO_MEMORY, scene->title, NULL, "out of memory");
  CpsInvertOptions options = cps_scene_inversion(scene);
  const int32_t asked = list(scene, world, false, ids);
  options.fibres = ids;
  options.fibre_count = list(scene, world, true, ids);
  // a saved state contains the natural shapes
  const bool resumes = scene->state && asked == 0;
  if (status == CPS_OK && options.fibre_count > 0 && !resumes) {
    CpsInvertInfo info = {0};
    CpsError why = {""};
    status = cps_world_invert(world, &options, &info, &why);
    status = judge(scene, world, asked > 0, status, &info, &why, error);
  }
  free(ids);
  return status == CPS_OK ? trim(scene, world, error) : status;
}
