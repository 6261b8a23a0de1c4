// Sheets of a world: adding, removing, reading and setting them.
#include "things/nodal.h"

#include "core/error.h"
#include "model/sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static CpsSheet* find(const CpsWorld* world, CpsSheetId id) {
  return (CpsSheet*)cps_world_find_nodal(world, cps_thing_sheet(id));
}

static CpsNodals* sheets_of(const CpsWorld* world) {
  return (CpsNodals*)cps_world_population(world, CPS_THING_SHEET);
}

static CpsStatus check(const CpsWorld* world, const CpsSheetDef* def, CpsError* error) {
  CpsStatus status = cps_sheet_check(def, error);
  if (status != CPS_OK) return status;
  if (def->material < 0 || def->material >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)def->material);
  }
  return cps_pins_check(world, def->pins, def->pin_count, "sheet", error);
}

// Frees the data that the world added.
static void let_go(CpsSheet* s) {
  cps_nodal_unpin(&s->nodal);
  cps_curve_free(&s->wind_curve);
}

CpsStatus cps_world_add_sheet(CpsWorld* world, const CpsSheetDef* def, CpsSheetId* id, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  CpsStatus status = check(world, def, error);
  CpsNodals* all = sheets_of(world);
  int32_t place;
  if (status == CPS_OK) status = cps_sheets_add(all, def, &place, error);
  if (status != CPS_OK) return status;
  CpsSheet* s = cps_sheet_at(all, place);
  status = cps_curve_copy(&def->wind_curve, &s->wind_curve, error);
  if (status == CPS_OK) status = cps_nodal_pin(world, &s->nodal, def->pins, def->pin_count, error);
  if (status != CPS_OK) {
    let_go(s);
    cps_nodals_remove(all, place);
    return status;
  }
  world->changed = true;
  world->entangled = true;
  if (s->nodal.touches) world->smallest = fmin(world->smallest, 0.5 * s->thickness);
  if (id) *id = (CpsSheetId){place, s->nodal.generation};
  return cps_succeed(error);
}

CpsStatus cps_world_remove_sheet(CpsWorld* world, CpsSheetId id, CpsError* error) {
  CpsSheet* s = find(world, id);
  if (!s) return cps_fail(error, CPS_BAD_ARGUMENT, "the sheet does not exist or was removed");
  cps_world_let_go(world, cps_thing_sheet(id));
  let_go(s);
  cps_nodals_remove(sheets_of(world), id.index);
  cps_world_removed(world);
  return cps_succeed(error);
}

int32_t cps_world_sheet_count(const CpsWorld* world) {
  return cps_world_thing_count(world, CPS_THING_SHEET);
}

CpsSheetId cps_world_sheet(const CpsWorld* world, int32_t i) {
  const CpsThing thing = cps_world_thing(world, CPS_THING_SHEET, i);
  return (CpsSheetId){thing.index, thing.generation};
}

bool cps_world_sheet_exists(const CpsWorld* world, CpsSheetId id) {
  return find(world, id) != NULL;
}

CpsStatus cps_world_sheet_info(const CpsWorld* world, CpsSheetId id, CpsSheetInfo* info) {
  const CpsSheet* s = find(world, id);
  if (!s || !info) return CPS_BAD_ARGUMENT;
  const CpsSheetMesh* mesh = &s->elastic->mesh;
  CpsSheetEnergy e = cps_sheet_energy(s->elastic, NULL, s->nodal.x);
  *info = (CpsSheetInfo){.vertex_count = mesh->vertex_count,
                         .node_count = s->nodal.nodes,
                         .triangle_count = mesh->triangle_count,
                         .mass = s->elastic->total_mass,
                         .thickness = s->thickness,
                         .membrane = e.membrane,
                         .bending = e.bending,
                         .user = s->nodal.user};
  for (int32_t i = 0; i < mesh->triangle_count; ++i) info->area += mesh->area[i];
  for (int32_t i = 0; i < s->nodal.nodes; ++i) {
    info->kinetic += 0.5 * s->elastic->mass[i] * cps_vec3_dot(s->nodal.v[i], s->nodal.v[i]);
  }
  return CPS_OK;
}

const int32_t* cps_world_sheet_triangles(const CpsWorld* world, CpsSheetId id) {
  const CpsSheet* s = find(world, id);
  return s ? s->triangles : NULL;
}

CpsThing cps_thing_sheet(CpsSheetId sheet) {
  return (CpsThing){CPS_THING_SHEET, sheet.index, sheet.generation};
}

CpsAnchor cps_anchor_sheet(CpsSheetId sheet, int32_t vertex) {
  return (CpsAnchor){.thing = cps_thing_sheet(sheet), .vertex = vertex};
}

static CpsModel* open(void) {
  return (CpsModel*)cps_sheets_create();
}

static void release(CpsWorld* world, CpsModel* all) {
  (void)world;
  for (int32_t i = 0; i < all->count; ++i) let_go(cps_sheet_at((CpsNodals*)all, i));
}

static void blow(CpsModel* all, double t, double h) {
  for (int32_t k = 0; k < all->count; ++k) {
    CpsSheet* s = cps_sheet_at((CpsNodals*)all, k);
    if (!s->nodal.there) continue;
    s->air.wind = cps_vec3_scale(cps_curve_value(&s->wind_curve, t + 0.5 * h), s->wind);
    s->nodal.windy = cps_vec3_norm(s->air.wind) > 0.0;
  }
}

static void place(CpsWorld* world, CpsModel* all, double t, double h) {
  cps_nodal_pins_place(world, all, t, h);
  blow(all, t, h);
}

const CpsDoor cps_door_sheets = {.kind = CPS_THING_SHEET,
                                 .name = "sheet",
                                 .open = open,
                                 .release = release,
                                 .place = place,
                                 .holds = cps_nodal_holds};
