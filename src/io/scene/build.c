// A scene becomes a world, by the calls anybody could make.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "io/scene/internal.h"

CpsStatus cps_scene_build_fail(CpsError* error, CpsStatus status, const CpsNode* node, const char* name,
                               const CpsError* why) {
  if (status == CPS_NO_MEMORY || !node) return cps_io_fail(error, status, name, NULL, "%s", why->text);
  return cps_key_fail(error, status, node, "%.90s: %s", name, why->text);
}

static CpsStatus add_materials(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t i = 1; status == CPS_OK && i < scene->material_count; ++i) {
    CpsMaterialId id;  // ids follow from the order
    status = cps_world_add_material(world, scene->materials[i].pair, &id, error);
  }
  for (int32_t i = 0; status == CPS_OK && i < scene->pair_count; ++i) {
    const CpsScenePair* p = &scene->pairs[i];
    status = cps_world_set_pair(world, p->a, p->b, p->pair, error);
  }
  return status;
}

static CpsStatus add_bodies(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t g = 0; status == CPS_OK && g < scene->group_count; ++g) {
    const CpsSceneGroup* group = &scene->groups[g];
    CpsBodyDef def = group->def;
    for (int32_t i = 0; status == CPS_OK && i < group->count; ++i) {
      def.shape = group->shapes[group->shape ? group->shape[i] : 0];
      def.position = group->pose[i].position;
      def.rotation = group->pose[i].rotation;
      def.name = scene->body_names[group->first + i];
      CpsError why;
      status = cps_world_add_body(world, &def, NULL, &why);
      if (status != CPS_OK) cps_scene_build_fail(error, status, group->node, def.name, &why);
    }
  }
  return status;
}

static CpsStatus add_loads(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int32_t k = 0; status == CPS_OK && k < scene->load_count; ++k) {
    const CpsSceneLoad* load = &scene->loads[k];
    CpsLoadDef def = load->def;
    CpsError why = {""};
    if (load->count < 0) status = cps_world_add_load(world, &def, &why);
    for (int32_t i = 0; status == CPS_OK && i < load->count; ++i) {
      def.thing = cps_thing_body(cps_world_body(world, load->first + i));
      status = cps_world_add_load(world, &def, &why);
    }
    if (status != CPS_OK) cps_scene_build_fail(error, status, load->node, "load", &why);
  }
  return status;
}

// Writes a pair like "`cloth` (triangle 12) and `cloth` (triangle 40) at (0.1, 0, 0.2) m".
static void name_pair(const CpsScene* scene, const CpsOverlap* o, char* text, size_t size) {
  char part[2][32] = {"", ""};
  for (int k = 0; k < 2; ++k) {
    if (o->side[k].thing.kind != CPS_THING_SHEET) continue;
    (void)snprintf(part[k], sizeof part[k], " (triangle %d)", (int)o->side[k].part);
  }
  (void)snprintf(text, size, "%.40s%s and %.40s%s at (%.4g, %.4g, %.4g) m",
                 cps_scene_thing_name(scene, o->side[0].thing), part[0], cps_scene_thing_name(scene, o->side[1].thing),
                 part[1], o->point.x, o->point.y, o->point.z);
}

// Lists sheets and solids that intersect: as many pairs as there is room for.
static CpsStatus refuse_through(const CpsScene* scene, const CpsWorld* world, int32_t count, CpsError* error) {
  CpsError why = {""};
  bool solids = false;
  for (int32_t i = 0; i < cps_world_overlap_count(world); ++i) {
    const CpsOverlap o = cps_world_overlap(world, i);
    for (int k = 0; k < 2; ++k) solids |= o.through && o.side[k].thing.kind == CPS_THING_SOLID;
  }
  size_t at =
      (size_t)snprintf(why.text, sizeof why.text, "%d pair%s of sheets %s%s through each other at the start",
                       (int)count, count == 1 ? "" : "s", solids ? "or solids " : "", count == 1 ? "passes" : "pass");
  const char* advice = "; `start: separate` ignores them until they separate";
  for (int32_t i = 0, listed = 0; i < cps_world_overlap_count(world); ++i) {
    CpsOverlap o = cps_world_overlap(world, i);
    char pair[192];
    if (!o.through) continue;
    name_pair(scene, &o, pair, sizeof pair);
    if (at + strlen(pair) + strlen(advice) + 3 >= sizeof why.text) break;
    at += (size_t)snprintf(why.text + at, sizeof why.text - at, "%s%s", listed++ == 0 ? ": " : ", ", pair);
  }
  (void)snprintf(why.text + at, sizeof why.text - at, "%s", advice);
  return cps_scene_build_fail(error, CPS_BAD_DATA, cps_node_find(scene->root, "sheets"), scene->title, &why);
}

// Reports the first overlap that the scene refuses.
static CpsStatus refuse(const CpsScene* scene, const CpsWorld* world, CpsError* error) {
  CpsOverlap o = cps_world_overlap(world, 0);
  const char* a = cps_scene_thing_name(scene, o.side[0].thing);
  const char* b = cps_scene_thing_name(scene, o.side[1].thing);
  CpsError why;
  (void)snprintf(why.text, sizeof why.text,
                 "%d pairs overlap at the start, %.60s and %.60s by %.3g mm; `start: separate` moves them apart",
                 (int)cps_world_overlap_count(world), a, b, 1e3 * o.depth);
  return cps_scene_build_fail(error, CPS_BAD_DATA, cps_node_find(scene->root, "start"), scene->title, &why);
}

// Whether fibres are at rest as given, or continue from a saved state: then their overlaps are kept, too.
static bool rests(const CpsScene* scene) {
  if (scene->state) return true;
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) {
    if (scene->fibre_groups[g].equilibrium || scene->fibre_groups[g].rest) return true;
  }
  return false;
}

static CpsStatus look_for_overlaps(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  if (scene->start == CPS_START_SEPARATE) return cps_world_separate(world, error);
  if (scene->start == CPS_START_KEEP && rests(scene)) return cps_world_keep_overlaps(world, CPS_THING_FIBRE, error);
  return cps_world_find_overlaps(world, error);
}

// Treats overlaps as the scene requires. Those that cannot be removed stay and are listed. Intersecting sheets must
// be allowed explicitly: the intended side cannot be inferred.
static CpsStatus start(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = look_for_overlaps(scene, world, error);
  if (status < 0) return status;
  int32_t through = 0;
  for (int32_t i = 0; i < cps_world_overlap_count(world); ++i) through += cps_world_overlap(world, i).through;
  const bool asked = scene->start == CPS_START_SEPARATE && cps_node_find(scene->root, "start") != NULL;
  if (through > 0 && !asked) return refuse_through(scene, world, through, error);
  bool refused = scene->start == CPS_START_REFUSE && cps_world_overlap_count(world) > 0;
  return refused ? refuse(scene, world, error) : CPS_OK;
}

// Adds obstacles, bodies and fibres. `radii`: contact radii of the fibres; NULL or NaN: as in their entries.
static CpsStatus add_first(const CpsScene* scene, const double* radii, CpsWorld* made, CpsError* error) {
  CpsStatus status = add_materials(scene, made, error);
  for (int32_t i = 0; status == CPS_OK && i < scene->obstacle_count; ++i) {
    CpsObstacleDef obstacle = scene->obstacles[i].def;
    obstacle.name = scene->obstacles[i].name;
    CpsError why;
    status = cps_world_add_obstacle(made, &obstacle, NULL, &why);
    if (status != CPS_OK) cps_scene_build_fail(error, status, scene->obstacles[i].node, obstacle.name, &why);
  }
  if (status == CPS_OK) status = add_bodies(scene, made, error);
  if (status == CPS_OK) status = add_loads(scene, made, error);
  return status == CPS_OK ? cps_scene_add_fibres(scene, radii, made, error) : status;
}

// Finds the contact radii of fibres that should have the largest radius almost without overlap, in a temporary world;
// *radii is NULL if no entry asks for that.
static CpsStatus fit_radii(const CpsScene* scene, const CpsWorldDef* def, double** radii, CpsError* error) {
  bool any = false;
  *radii = NULL;
  for (int32_t g = 0; g < scene->fibre_group_count; ++g) any = any || scene->fibre_groups[g].fit_radius;
  if (!any) return CPS_OK;
  CpsWorld* trial = NULL;
  double* found = malloc((size_t)scene->fibre_count * sizeof *found);
  CpsStatus status = found ? cps_world_create(def, &trial, error)
                           : cps_io_fail(error, CPS_NO_MEMORY, scene->title, NULL, "out of memory");
  if (status == CPS_OK) status = add_first(scene, NULL, trial, error);
  if (status == CPS_OK) status = cps_scene_fit_radii(scene, trial, found, error);
  cps_world_destroy(trial);
  if (status == CPS_OK) *radii = found;
  if (status != CPS_OK) free(found);
  return status;
}

CpsStatus cps_scene_build(const CpsScene* scene, int32_t threads, CpsWorld** world, CpsError* error) {
  if (!scene || !world || threads < 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_scene_build", NULL, "scene or world is NULL, or threads < 0");
  }
  CpsWorldDef def = scene->def;
  if (threads > 0) def.threads = threads;
  CpsWorld* made = NULL;
  double* radii;
  CpsStatus status = fit_radii(scene, &def, &radii, error);
  if (status == CPS_OK) status = cps_world_create(&def, &made, error);
  if (status == CPS_OK) status = add_first(scene, radii, made, error);
  free(radii);
  if (status == CPS_OK) status = cps_scene_check_scalps(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_sheets(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_solids(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_grains(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_flow(scene, made, error);
  // before overlaps are searched: objects that are tied together may overlap
  if (status == CPS_OK) status = cps_scene_add_ties(scene, made, error);
  // also before a saved state is loaded: overlaps of held ends are found here
  if (status == CPS_OK) status = start(scene, made, error);
  if (status == CPS_OK) status = cps_scene_add_pulls(scene, made, error);
  if (status == CPS_OK) status = cps_scene_invert(scene, made, error);
  if (status == CPS_OK) status = cps_scene_resume(scene, made, error);
  if (status != CPS_OK) {
    cps_world_destroy(made);
    return status;
  }
  *world = made;
  return CPS_OK;
}
