// Solids of a world: adding, removing, reading and setting them.
#include "things/nodal.h"

#include "core/error.h"
#include "model/solids.h"

#include <math.h>

static CpsSolid* find(const CpsWorld* world, CpsSolidId id) {
  return (CpsSolid*)cps_world_find_nodal(world, cps_thing_solid(id));
}

static CpsNodals* solids_of(const CpsWorld* world) {
  return (CpsNodals*)cps_world_population(world, CPS_THING_SOLID);
}

static CpsStatus check(const CpsWorld* world, const CpsSolidDef* def, CpsError* error) {
  CpsStatus status = cps_solid_check(def, error);
  if (status != CPS_OK) return status;
  if (def->material < 0 || def->material >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)def->material);
  }
  return cps_pins_check(world, def->pins, def->pin_count, "solid", error);
}

CpsStatus cps_world_add_solid(CpsWorld* world, const CpsSolidDef* def, CpsSolidId* id, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  CpsStatus status = check(world, def, error);
  CpsNodals* all = solids_of(world);
  int32_t place;
  if (status == CPS_OK) status = cps_solids_add(all, def, &place, error);
  if (status != CPS_OK) return status;
  CpsNodal* s = all->member[place];
  status = cps_nodal_pin(world, s, def->pins, def->pin_count, error);
  if (status != CPS_OK) {
    cps_nodal_unpin(s);
    cps_nodals_remove(all, place);
    return status;
  }
  world->changed = world->entangled = true;
  if (s->touches) world->smallest = fmin(world->smallest, s->size);
  if (id) *id = (CpsSolidId){place, s->generation};
  return cps_succeed(error);
}

CpsStatus cps_world_remove_solid(CpsWorld* world, CpsSolidId id, CpsError* error) {
  CpsSolid* s = find(world, id);
  if (!s) return cps_fail(error, CPS_BAD_ARGUMENT, "the solid does not exist or was removed");
  cps_world_let_go(world, cps_thing_solid(id));
  cps_nodal_unpin(&s->nodal);
  cps_nodals_remove(solids_of(world), id.index);
  cps_world_removed(world);
  return cps_succeed(error);
}

int32_t cps_world_solid_count(const CpsWorld* world) {
  return cps_world_thing_count(world, CPS_THING_SOLID);
}

CpsSolidId cps_world_solid(const CpsWorld* world, int32_t i) {
  const CpsThing thing = cps_world_thing(world, CPS_THING_SOLID, i);
  return (CpsSolidId){thing.index, thing.generation};
}

bool cps_world_solid_exists(const CpsWorld* world, CpsSolidId id) {
  return find(world, id) != NULL;
}

CpsStatus cps_world_solid_info(const CpsWorld* world, CpsSolidId id, CpsSolidInfo* info) {
  const CpsSolid* s = find(world, id);
  if (!s || !info) return CPS_BAD_ARGUMENT;
  const CpsNodal* n = &s->nodal;
  const CpsSolidMesh* mesh = &s->elastic->mesh;
  *info = (CpsSolidInfo){.vertex_count = mesh->vertex_count,
                         .tetrahedron_count = mesh->tetrahedron_count,
                         .triangle_count = mesh->triangle_count,
                         .mass = n->total_mass,
                         .least = INFINITY,
                         .radius = n->half,
                         .elastic = cps_solid_gradient(s->elastic, NULL, n->x, NULL),
                         .user = n->user};
  for (int32_t t = 0; t < mesh->tetrahedron_count; ++t) {
    double stress[6], J = cps_solid_look(s->elastic, n->x, t, stress);
    info->rest_volume += mesh->volume[t];
    info->volume += J * mesh->volume[t];
    info->least = fmin(info->least, J);
  }
  for (int32_t i = 0; i < n->nodes; ++i) info->kinetic += 0.5 * n->node_mass[i] * cps_vec3_dot(n->v[i], n->v[i]);
  return CPS_OK;
}

const int32_t* cps_world_solid_triangles(const CpsWorld* world, CpsSolidId id) {
  const CpsSolid* s = find(world, id);
  return s ? s->elastic->mesh.triangle : NULL;
}

const int32_t* cps_world_solid_tetrahedra(const CpsWorld* world, CpsSolidId id) {
  const CpsSolid* s = find(world, id);
  return s ? s->elastic->mesh.tetrahedron : NULL;
}

CpsStatus cps_world_solid_stress(const CpsWorld* world, CpsSolidId id, double* stress) {
  const CpsSolid* s = find(world, id);
  if (!s || !stress) return CPS_BAD_ARGUMENT;
  for (int32_t t = 0; t < s->elastic->mesh.tetrahedron_count; ++t) {
    cps_solid_look(s->elastic, s->nodal.x, t, stress + 6 * (int64_t)t);
  }
  return CPS_OK;
}

CpsThing cps_thing_solid(CpsSolidId solid) {
  return (CpsThing){CPS_THING_SOLID, solid.index, solid.generation};
}

CpsAnchor cps_anchor_solid(CpsSolidId solid, int32_t vertex) {
  return (CpsAnchor){.thing = cps_thing_solid(solid), .vertex = vertex};
}

static CpsModel* open(void) {
  return (CpsModel*)cps_solids_create();
}

static void release(CpsWorld* world, CpsModel* all) {
  (void)world;
  for (int32_t i = 0; i < all->count; ++i) cps_nodal_unpin(((CpsNodals*)all)->member[i]);
}

static void place(CpsWorld* world, CpsModel* all, double t, double h) {
  cps_nodal_pins_place(world, all, t, h);
}

const CpsDoor cps_door_solids = {.kind = CPS_THING_SOLID,
                                 .name = "solid",
                                 .open = open,
                                 .release = release,
                                 .place = place,
                                 .holds = cps_nodal_holds};
