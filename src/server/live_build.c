// The scene of a live simulation and its world. Both are rebuilt when curves are drawn into the scene or fibres are cut.
//
// Three shows look at a world (live.h). A show in use by the reader keeps looking at the previous world, which lives until
// the last of its shows came back.
#include "server/live_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a live simulation");
}

static void free_build(CpsLiveBuild* build) {
  if (!build) return;
  cps_world_destroy(build->world);
  cps_scene_destroy(build->scene);
  free(build->start);
  free(build);
}

CpsStatus cps_live_keep_overrides(CpsLive* live, const char* const* overrides, int32_t count, CpsError* error) {
  live->overrides = calloc((size_t)count + 1, sizeof *live->overrides);
  if (!live->overrides) return no_memory(error);
  for (; live->override_count < count; ++live->override_count) {
    const char* text = overrides[live->override_count];
    char* copy = malloc(strlen(text) + 1);
    if (!copy) return no_memory(error);
    live->overrides[live->override_count] = strcpy(copy, text);
  }
  return CPS_OK;
}

CpsStatus cps_live_build(CpsLive* live, const char* const* more, int32_t count, CpsError* error) {
  const size_t own = (size_t)live->override_count;
  const char** all = malloc((own + (size_t)count + 1) * sizeof *all);
  CpsLiveBuild* build = calloc(1, sizeof *build);
  CpsStatus status = all && build ? CPS_OK : no_memory(error);
  if (status == CPS_OK) {
    if (own > 0) memcpy(all, live->overrides, own * sizeof *all);
    if (count > 0) memcpy(all + own, more, (size_t)count * sizeof *all);
    status = cps_scene_load(live->path, all, (int32_t)own + count, &build->scene, error);
  }
  free(all);
  if (status == CPS_OK) status = cps_scene_build(build->scene, live->threads, &build->world, error);
  if (status == CPS_OK) {
    build->start_size = cps_world_state_size(build->world);
    build->start = malloc(build->start_size);
    status = build->start ? cps_world_save(build->world, build->start, build->start_size, error) : no_memory(error);
  }
  if (status != CPS_OK) {
    free_build(build);
    return status;
  }
  CpsLiveBuild* before = live->build;
  build->serial = before ? before->serial + 1 : 1;
  live->build = build;
  live->scene = build->scene;
  live->world = build->world;
  bool seen = false;
  for (int i = 0; i < 3; ++i) seen = seen || (before && live->shown[i] == before);
  if (!seen) free_build(before);
  return CPS_OK;
}

CpsStatus cps_live_renew_show(CpsLive* live, int which, CpsError* error) {
  CpsLiveBuild* before = live->shown[which];
  if (before == live->build) return CPS_OK;
  cps_show_destroy(live->shows[which]);
  live->shows[which] = NULL;
  live->shown[which] = NULL;
  bool seen = false;
  for (int i = 0; i < 3; ++i) seen = seen || live->shown[i] == before;
  if (!seen) free_build(before);
  const CpsStatus status = cps_show_world(live->scene, live->world, &live->shows[which], error);
  if (status == CPS_OK) live->shown[which] = live->build;
  return status;
}

void cps_live_free_builds(CpsLive* live) {
  for (int i = 0; i < 3; ++i) cps_show_destroy(live->shows[i]);
  for (int i = 0; i < 3; ++i) {
    CpsLiveBuild* build = live->shown[i];
    if (!build || build == live->build) continue;
    for (int k = i; k < 3; ++k) {
      if (live->shown[k] == build) live->shown[k] = NULL;
    }
    free_build(build);
  }
  free_build(live->build);
  for (int32_t i = 0; i < live->override_count; ++i) free(live->overrides[i]);
  free(live->overrides);
}
