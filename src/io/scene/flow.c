// The flow of a scene.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/internal.h"

// left: no-slip, or a map with a velocity or a pressure
static void read_border(const CpsNode* map, const char* side, CpsFlowBorder* border) {
  static const char* const KINDS[] = {"open", "no-slip", "slip", "velocity"};
  const CpsNode* node = cps_node_find(map, side);
  const CpsNode* wall = node ? cps_node_find(node, "wall") : NULL;
  for (int k = 0; wall && k < 4; ++k) {
    if (strcmp(wall->text, KINDS[k]) == 0) border->kind = (CpsFlowBorderKind)k;
  }
  if (!node) return;
  border->velocity = cps_map_vec3(node, "velocity", border->velocity);
  border->pressure = cps_map_number(node, "pressure", border->pressure);
  if (!wall && cps_node_find(node, "velocity")) border->kind = CPS_FLOW_VELOCITY;
}

static void read_obstacle(const CpsNode* map, CpsFlowDef* def) {
  def->disc_radius = cps_map_number(map, "radius", 0.0);
  def->disc_centre = cps_map_vec3(map, "centre", def->disc_centre);
  def->disc_velocity = cps_map_vec3(map, "velocity", def->disc_velocity);
}

static void read_matter(const CpsNode* map, CpsFlowDef* def) {
  def->density = cps_map_number(map, "density", def->density);
  def->fraction = cps_map_number(map, "fraction", def->fraction);
  def->mu = cps_map_number(map, "mu", def->mu);
  def->viscosity = cps_map_number(map, "viscosity", def->viscosity);
  def->cohesion = cps_map_number(map, "cohesion", def->cohesion);
  const CpsNode* inertial = cps_node_find(map, "mu_i");
  if (!inertial) return;
  def->grain = cps_map_number(inertial, "grain", def->grain);
  def->mu_fast = cps_map_number(inertial, "mu_fast", def->mu_fast);
  def->I_0 = cps_map_number(inertial, "I_0", def->I_0);
}

CpsStatus cps_scene_load_flow(CpsReader* reader) {
  CpsScene* scene = reader->scene;
  const CpsNode* map = cps_node_find(reader->root, "flow");
  scene->flow = cps_flow_def_default();
  scene->flow_node = map;
  if (!map) return CPS_OK;
  CpsFlowDef* def = &scene->flow;
  const CpsNode *domain = cps_node_find(map, "domain"), *cells = cps_node_find(map, "cells");
  const CpsNode *disc = cps_node_find(map, "disc"), *ball = cps_node_find(map, "ball");
  def->lower = cps_map_vec3(domain, "from", def->lower);
  def->upper = cps_map_vec3(domain, "to", def->upper);
  def->cells_x = (int32_t)cells->first->number;
  def->cells_y = cells->first->next == cells->last ? 0 : (int32_t)cells->first->next->number;
  def->cells_z = (int32_t)cells->last->number;
  def->periodic = cps_map_bool(map, "periodic", def->periodic);
  read_border(map, "left", &def->border[CPS_FLOW_LEFT]);
  read_border(map, "right", &def->border[CPS_FLOW_RIGHT]);
  read_border(map, "bottom", &def->border[CPS_FLOW_BOTTOM]);
  read_border(map, "top", &def->border[CPS_FLOW_TOP]);
  read_border(map, "front", &def->front);
  read_border(map, "back", &def->back);
  if (disc) read_obstacle(disc, def);
  if (ball) read_obstacle(ball, def);
  def->ball = ball;
  read_matter(map, def);
  if (def->cells_y == 0) {
    static const char* const SPACE[] = {"front", "back", "ball"};
    for (int k = 0; k < 3; ++k) {
      const CpsNode* node = cps_node_find(map, SPACE[k]);
      if (node) {
        return cps_key_fail(reader->error, CPS_UNSUPPORTED, node,
                            "needs a flow in space: give `cells` three numbers, along x, y and z");
      }
    }
  }
  if (disc && ball) return cps_key_fail(reader->error, CPS_UNSUPPORTED, ball, "cannot be combined with `disc`");
  if (scene->grains_count > 0) {
    return cps_key_fail(reader->error, CPS_UNSUPPORTED, map, "cannot be combined with grains in one scene");
  }
  return CPS_OK;
}

// Refuses a flow that does not fit into memory before anything is built.
static CpsStatus check_memory(const CpsScene* scene, CpsError* error) {
  const double machine = cps_machine_memory();
  int64_t elements = 0;
  const double bytes = (double)cps_flow_memory(&scene->flow, &elements);
  if (!(machine > 0.0) || bytes <= machine) return CPS_OK;
  CpsError why = {{0}};
  snprintf(why.text, sizeof why.text,
           "%.3g elements need about %.3g GB of memory, this machine has %.3g GB; use fewer (flow.cells)",
           (double)elements, 1e-9 * bytes, 1e-9 * machine);
  return cps_scene_build_fail(error, CPS_NO_MEMORY, scene->flow_node, "flow", &why);
}

CpsStatus cps_scene_add_flow(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  if (!scene->flow_node) return CPS_OK;
  CpsError why;
  CpsStatus status = check_memory(scene, error);
  if (status != CPS_OK) return status;
  status = cps_world_add_flow(world, &scene->flow, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_build_fail(error, status, scene->flow_node, "flow", &why);
  return status == CPS_OK ? CPS_OK : cps_key_fail(error, status, scene->flow_node, "%s", why.text);
}
