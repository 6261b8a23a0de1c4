#include "server/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/facts.h"

// limits for an answer to a click: building more objects takes too long; for running scenes the serving thread does it
enum { MOST_THINGS = 20000, MOST_THINGS_LIVE = 2000, MOST_OVERRIDES = 64 };

static const char OVERRIDE[] = "# --set ";

// Finds the overrides in the last lines of the text, cuts them out and points to them.
static int32_t take_overrides(char* text, const char* overrides[MOST_OVERRIDES]) {
  int32_t count = 0;
  while (count < MOST_OVERRIDES) {
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n') text[--length] = '\0';
    char* line = strrchr(text, '\n');
    if (!line || strncmp(line + 1, OVERRIDE, sizeof OVERRIDE - 1) != 0) break;
    overrides[count++] = line + sizeof OVERRIDE;
    *line = '\0';
  }
  for (int32_t i = 0; i < count / 2; ++i) {  // in the order of the text
    const char* other = overrides[i];
    overrides[i] = overrides[count - 1 - i];
    overrides[count - 1 - i] = other;
  }
  return count;
}

// Overlaps are kept if the scene allows them: moving thousands of fibres apart takes too long for an answer to a
// click, and does not change it.
static void build(CpsRecipe* recipe, const char* scene_text, const char* path) {
  const char* overrides[MOST_OVERRIDES + 1];
  char* text = malloc(strlen(scene_text) + 1);
  if (!text) return;
  strcpy(text, scene_text);
  int32_t count = take_overrides(text, overrides);
  overrides[count] = "start=keep";
  for (int32_t more = 1; more >= 0 && !recipe->world; --more) {
    cps_scene_destroy(recipe->scene);
    recipe->scene = NULL;
    if (cps_scene_parse(text, strlen(text), path, overrides, count + more, &recipe->scene, NULL) == CPS_OK) {
      cps_scene_build(recipe->scene, 1, &recipe->world, NULL);
    }
  }
  free(text);
}

static void tell_body(CpsBuffer* out, const CpsWorld* world, int32_t i, bool moves) {
  CpsBodyState state;
  if (cps_world_body_state(world, cps_world_body(world, i), &state) != CPS_OK) return;
  CpsVec3 w = state.angular_velocity;
  cps_facts_number(out, "mass", state.mass, "kg");
  if (moves) cps_facts_number(out, "turns at", sqrt(w.x * w.x + w.y * w.y + w.z * w.z), "rad/s");
}

static void tell_fibre(CpsBuffer* out, const CpsWorld* world, int32_t i, bool moves) {
  CpsFibreInfo info;
  if (cps_world_fibre_info(world, cps_world_fibre(world, i), &info) != CPS_OK) return;
  cps_facts_text(out, "model", cps_rod_model_name(info.model));
  cps_facts_number(out, "elements", info.elements, "");
  cps_facts_number(out, "rest length", info.length, "m");
  cps_facts_number(out, "mass", info.mass, "kg");
  if (!moves) return;
  cps_facts_number(out, "elastic energy", info.elastic, "J");
  cps_facts_number(out, "kinetic energy", info.kinetic, "J");
}

static void tell_sheet(CpsBuffer* out, const CpsWorld* world, int32_t i, bool moves) {
  CpsSheetInfo info;
  if (cps_world_sheet_info(world, cps_world_sheet(world, i), &info) != CPS_OK) return;
  cps_facts_number(out, "rest area", info.area, "m^2");
  cps_facts_number(out, "mass", info.mass, "kg");
  if (!moves) return;
  cps_facts_number(out, "stretching energy", info.membrane, "J");
  cps_facts_number(out, "bending energy", info.bending, "J");
}

static void tell(CpsBuffer* out, const CpsWorld* world, CpsThingKind kind, int64_t index, bool moves) {
  if (kind == CPS_THING_BODY) tell_body(out, world, (int32_t)index, moves);
  if (kind == CPS_THING_FIBRE) tell_fibre(out, world, (int32_t)index, moves);
  if (kind == CPS_THING_SHEET) tell_sheet(out, world, (int32_t)index, moves);
}

void cps_recipe_tell(CpsRecipe* recipe, const CpsResult* result, const char* path, int64_t frame, CpsThingKind kind,
                     int64_t index, CpsBuffer* out) {
  CpsResultInfo info = cps_result_info(result);
  if (!recipe->tried) {
    recipe->loaded = -1;
    if (info.bodies + info.fibres <= MOST_THINGS) build(recipe, info.scene_text, path);
  }
  recipe->tried = true;
  if (!recipe->world || kind == CPS_THING_OBSTACLE) return;
  if (recipe->loaded != frame) {
    recipe->loaded = cps_result_load_frame(result, frame, recipe->world, NULL) == CPS_OK ? frame : -1;
    if (recipe->loaded < 0) return;
  }
  tell(out, recipe->world, kind, index, true);
}

void cps_recipe_tell_fixed(CpsRecipe* recipe, const CpsScene* scene, const char* path, CpsThingKind kind, int64_t index,
                           CpsBuffer* out) {
  CpsSceneInfo info = cps_scene_info(scene);
  if (!recipe->tried && info.bodies + info.fibres <= MOST_THINGS_LIVE) build(recipe, info.text, path);
  recipe->tried = true;
  if (recipe->world) tell(out, recipe->world, kind, index, false);
}

void cps_recipe_free(CpsRecipe* recipe) {
  cps_world_destroy(recipe->world);
  cps_scene_destroy(recipe->scene);
  *recipe = (CpsRecipe){0};
}
