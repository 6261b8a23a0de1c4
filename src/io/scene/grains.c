// Grains of a scene: the grid, what is filled with them, and spouts.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "io/scene/internal.h"

static CpsStatus read_grid(CpsReader* reader, const CpsNode* map) {
  CpsGridDef* def = &reader->scene->grid;
  const CpsNode* stress = cps_node_find(map, "stress");
  def->cell = cps_map_number(map, "cell", def->cell);
  def->plane = cps_node_find(map, "plane") != NULL;
  def->particles = cps_map_count(map, "particles", def->particles);
  def->period = cps_map_count(map, "period", def->period);
  def->keep_volume = cps_map_bool(map, "keep_volume", def->keep_volume);
  if (stress && strcmp(stress->text, "cells") == 0) def->stress = CPS_STRESS_AT_CELLS;
  if (def->period == 1) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, cps_node_find(map, "period"), "is 1 cell; at least 2 are needed");
  }
  return CPS_OK;
}

// Reads mu, or the slope angle at which a layer flows steadily.
static CpsStatus read_friction(CpsReader* reader, const CpsNode* map, CpsGrainsDef* def) {
  const CpsNode *mu = cps_node_find(map, "mu"), *slope = cps_node_find(map, "slope");
  if (mu && slope)
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, slope, "cannot be combined with mu: it is atan(mu)");
  def->mu = cps_map_number(map, "mu", def->mu);
  if (slope) {
    const double angle = cps_map_number(map, "slope", 0.0), degrees = angle * 180.0 / acos(-1.0);
    if (!(degrees < 90.0)) {
      return cps_key_fail(reader->error, CPS_BAD_DATA, slope, "is %g degrees; grains flow on a slope of less than 90",
                          degrees);
    }
    def->mu = tan(angle);
  }
  def->wall_mu = cps_map_number(map, "wall_mu", def->wall_mu);
  def->viscosity = cps_map_number(map, "viscosity", def->viscosity);
  def->cohesion = cps_map_number(map, "cohesion", def->cohesion);
  const CpsNode* inertial = cps_node_find(map, "mu_i");
  if (!inertial) return CPS_OK;
  def->grain = cps_map_number(inertial, "grain", def->grain);
  def->mu_fast = cps_map_number(inertial, "mu_fast", def->mu_fast);
  def->I_0 = cps_map_number(inertial, "I_0", def->I_0);
  if (!(def->mu_fast >= def->mu)) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, inertial, "has mu_fast = %g, which is less than mu = %g",
                        def->mu_fast, def->mu);
  }
  return CPS_OK;
}

// Reads a box, or the part of it inside an upright cylinder.
static CpsStatus read_box(CpsReader* reader, const CpsNode* map, const CpsNode* box, CpsGrainsDef* def) {
  const bool plane = reader->scene->grid.plane;
  const CpsNode* cylinder = cps_node_find(map, "cylinder");
  def->lower = cps_map_vec3(box, "from", def->lower);
  def->upper = cps_map_vec3(box, "to", def->upper);
  if (cylinder) def->radius = cps_map_number(cylinder, "radius", 0.0);
  if (cylinder) def->centre = cps_map_vec3(cylinder, "centre", def->centre);
  if (!(def->lower.x < def->upper.x && (plane || def->lower.y < def->upper.y) && def->lower.z < def->upper.z)) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, box, "is empty: `from` must be below `to` along %s",
                        plane ? "x and z" : "x, y and z (or set grid.plane: xz for a two-dimensional scene)");
  }
  if (cps_grains_particle_count(&reader->scene->grid, def) == 0) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, cylinder, "contains no particle of the box");
  }
  return CPS_OK;
}

static CpsStatus read_emitter(CpsReader* reader, const CpsNode* map, const CpsNode* emitter, CpsGrainsDef* def) {
  static const char* const OTHERS[] = {"box", "cylinder", "mesh", "below", "velocity", "fraction"};
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; ++i) {
    const CpsNode* other = cps_node_find(map, OTHERS[i]);
    if (other) return cps_key_fail(reader->error, CPS_BAD_FORMAT, other, "cannot be combined with emitter");
  }
  def->centre = cps_map_vec3(emitter, "centre", def->centre);
  def->radius = cps_map_number(emitter, "radius", 0.0);
  def->velocity = cps_map_vec3(emitter, "velocity", def->velocity);
  def->rate = cps_map_number(emitter, "rate", 0.0);
  def->from = cps_map_number(emitter, "from", 0.0);
  def->until = cps_map_number(emitter, "until", reader->scene->end);
  if (!(def->until > def->from)) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, emitter, "ends at %g s, not after its beginning at %g s",
                        def->until, def->from);
  }
  return CPS_OK;
}

// Reads the region that grains fill, or their source.
static CpsStatus read_place(CpsReader* reader, const CpsNode* map, CpsGrainsDef* def) {
  const CpsNode *box = cps_node_find(map, "box"), *emitter = cps_node_find(map, "emitter");
  const CpsNode *mesh = cps_node_find(map, "mesh"), *below = cps_node_find(map, "below");
  if (emitter) return read_emitter(reader, map, emitter, def);
  if (!box && !mesh) return cps_key_fail(reader->error, CPS_BAD_FORMAT, map, "needs one of box, mesh or emitter");
  def->velocity = cps_map_vec3(map, "velocity", def->velocity);
  CpsStatus status = box ? read_box(reader, map, box, def) : CPS_OK;
  return status == CPS_OK && (mesh || below) ? cps_scene_fill_grains(reader, map, def) : status;
}

static CpsStatus read_grains(CpsReader* reader, const CpsNode* map) {
  CpsScene* scene = reader->scene;
  CpsSceneGrains* grains = &scene->grains[scene->grains_count++];
  *grains = (CpsSceneGrains){.def = cps_grains_def_default(), .node = map};
  CpsGrainsDef* def = &grains->def;
  def->name = cps_scene_text(reader, map->key);
  if (!def->name) return cps_scene_no_memory(reader);
  CpsStatus status = cps_scene_material(reader, map, &def->material);
  if (status == CPS_OK) status = read_friction(reader, map, def);
  if (status == CPS_OK) status = read_place(reader, map, def);
  if (status != CPS_OK) return status;
  const double density = scene->materials[def->material].density;
  def->density = cps_map_number(map, "density", isnan(density) ? def->density : density);
  def->fraction_max = cps_map_number(map, "fraction_max", def->fraction_max);
  def->fraction = cps_map_number(map, "fraction", def->fraction_max);
  if (!(def->fraction <= def->fraction_max)) {
    return cps_key_fail(reader->error, CPS_BAD_DATA, cps_node_find(map, "fraction"), "is more than fraction_max = %g",
                        def->fraction_max);
  }
  return CPS_OK;
}

CpsStatus cps_scene_load_grains(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode *grid = cps_node_find(reader->root, "grid"), *map = cps_node_find(reader->root, "grains");
  scene->grid = cps_grid_def_default();
  scene->grains = CPS_TAKE(&scene->memory, CpsSceneGrains, map ? map->count : 0);
  if (!scene->grains) return cps_scene_no_memory(reader);
  CpsStatus status = grid ? read_grid(reader, grid) : CPS_OK;
  return status == CPS_OK ? cps_scene_each(reader, map, read_grains) : status;
}

int64_t cps_scene_particle_count(const CpsScene* scene) {
  int64_t sum = 0;
  for (int32_t i = 0; i < scene->grains_count; ++i) {
    const int64_t count = cps_grains_particle_count(&scene->grid, &scene->grains[i].def);
    if (count > INT64_MAX - sum) return INT64_MAX;
    sum += count;
  }
  return sum;
}

double cps_machine_memory(void) {
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

// Refuses grains that do not fit into memory before anything is built: otherwise the first step would fail, minutes later.
static CpsStatus check_memory(const CpsScene* scene, CpsError* error) {
  const double machine = cps_machine_memory();
  const int64_t particles = cps_scene_particle_count(scene);
  int64_t cells = 0;
  const double bytes = (double)cps_grains_memory(&scene->grid, particles, &cells);
  if (!(machine > 0.0) || bytes <= machine) return CPS_OK;
  CpsError why = {{0}};
  if (particles == INT64_MAX) {
    snprintf(why.text, sizeof why.text, "more than 1e9 particles; use larger cells (grid.cell)");
  } else {
    snprintf(why.text, sizeof why.text,
             "%.3g cells and %.3g particles need about %.3g GB of memory, this machine has %.3g GB; use larger cells "
             "(grid.cell)",
             (double)cells, (double)particles, 1e-9 * bytes, 1e-9 * machine);
  }
  return cps_scene_build_fail(error, CPS_NO_MEMORY, scene->grains[0].node, scene->grains[0].def.name, &why);
}

// The messages of the library name the grains, as does the position in the scene: one of them is dropped.
static CpsStatus refuse(const CpsSceneGrains* grains, CpsStatus status, const CpsError* why, CpsError* error) {
  static const char KIND[] = "grains ", AFTER[] = ": ";
  const size_t kind = strlen(KIND), name = strlen(grains->def.name), after = strlen(AFTER);
  const char* text = why->text;
  if (strncmp(text, KIND, kind) == 0 && strncmp(text + kind, grains->def.name, name) == 0 &&
      strncmp(text + kind + name, AFTER, after) == 0) {
    text += kind + name + after;
  }
  if (status == CPS_NO_MEMORY) return cps_io_fail(error, status, grains->def.name, NULL, "%s", text);
  return cps_key_fail(error, status, grains->node, "%s", text);
}

// Refuses obstacles that grains cannot touch, which the first step would refuse.
static CpsStatus check_obstacles(const CpsScene* scene, CpsError* error) {
  for (int32_t i = 0; i < scene->obstacle_count; ++i) {
    const CpsSceneObstacle* o = &scene->obstacles[i];
    const CpsShapeKind kind = o->def.shape.kind;
    if (kind != CPS_SHAPE_MESH && kind != CPS_SHAPE_TUBE && kind != CPS_SHAPE_POINTS) continue;
    return cps_key_fail(error, CPS_UNSUPPORTED, o->node, "is a %s; grains can touch only planes and convex shapes",
                        kind == CPS_SHAPE_MESH   ? "mesh"
                        : kind == CPS_SHAPE_TUBE ? "tube"
                                                 : "point cloud");
  }
  return CPS_OK;
}

// Reported before the first step, which would report it, too.
static CpsStatus check_plane(const CpsScene* scene, CpsError* error) {
  if (!scene->grid.plane || scene->sheet_count + scene->solid_count == 0) return CPS_OK;
  return cps_key_fail(
      error, CPS_UNSUPPORTED, scene->grains[0].node,
      "cannot be in one scene with sheets or solids while grid.plane is set; they touch grains only in space");
}

CpsStatus cps_scene_add_grains(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  CpsStatus status = scene->grains_count > 0 ? check_memory(scene, error) : CPS_OK;
  if (status == CPS_OK && scene->grains_count > 0) status = check_plane(scene, error);
  if (status == CPS_OK && scene->grains_count > 0) status = check_obstacles(scene, error);
  if (status == CPS_OK && scene->grains_count > 0) status = cps_world_set_grid(world, &scene->grid, error);
  for (int32_t i = 0; status == CPS_OK && i < scene->grains_count; ++i) {
    CpsError why;
    status = cps_world_add_grains(world, &scene->grains[i].def, &why);
    if (status != CPS_OK) refuse(&scene->grains[i], status, &why, error);
  }
  return status;
}
