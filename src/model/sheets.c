// Sheets as members of a nodal population. Their elasticity is in sheet_elastic.h.
#include "model/sheets.h"

#include "core/error.h"

#include <stdlib.h>

static void release(CpsNodal* member) {
  cps_sheet_elastic_destroy(((CpsSheet*)member)->elastic);
}

static double energy(CpsNodal* member, CpsPool* pool, const CpsVec3* x) {
  CpsSheetEnergy e = cps_sheet_energy(((CpsSheet*)member)->elastic, pool, x);
  return e.membrane + e.bending;
}

static double gradient(CpsNodal* member, CpsPool* pool, const CpsVec3* x, CpsVec3* out) {
  CpsSheetEnergy e = cps_sheet_gradient(((CpsSheet*)member)->elastic, pool, x, out);
  return e.membrane + e.bending;
}

static void hessian(CpsNodal* member, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind, double scale,
                    double* value) {
  cps_sheet_hessian(((CpsSheet*)member)->elastic, pool, x, kind, scale, scale, value);
}

static void damping(CpsNodal* member, CpsPool* pool, const CpsVec3* x, double* value) {
  const CpsSheet* s = (const CpsSheet*)member;
  cps_sheet_hessian(s->elastic, pool, x, CPS_HESSIAN_TURNED, s->damping[0], s->damping[1], value);
}

static void lay(CpsNodal* member, CpsPool* pool, const CpsVec3* x) {
  cps_sheet_lay(((CpsSheet*)member)->elastic, pool, x);
}

static void resist(CpsNodal* member, CpsPool* pool, const CpsVec3* u, CpsVec3* force) {
  const CpsSheet* s = (const CpsSheet*)member;
  cps_sheet_resist(s->elastic, pool, u, s->damping[0], s->damping[1], force);
}

static double step_bound(const CpsNodal* member, const CpsVec3* x, const CpsVec3* dx) {
  return cps_sheet_step_bound(((const CpsSheet*)member)->elastic, x, dx);
}

static void air(CpsNodal* member, CpsPool* pool, const CpsVec3* x, const CpsVec3* v, CpsVec3* force, double* drag) {
  const CpsSheet* s = (const CpsSheet*)member;
  cps_sheet_drag(s->elastic, pool, &s->air, x, v, force);
  cps_sheet_drag_matrix(s->elastic, pool, &s->air, x, v, 1.0, drag);
}

static const CpsNodalType SHEET = {release, energy, gradient, hessian, damping, lay, resist, step_bound, air, true};

CpsNodals* cps_sheets_create(void) {
  return cps_nodals_create(CPS_THING_SHEET, "sheet", sizeof(CpsSheet));
}

static CpsStatus make_sheet(CpsSheet* s, const CpsSheetDef* def, CpsError* error) {
  CpsNodal* n = &s->nodal;
  n->type = &SHEET;
  CpsStatus status = cps_sheet_elastic_create(def, &s->elastic, error);
  if (status != CPS_OK) return status;
  const CpsSheetMesh* mesh = &s->elastic->mesh;
  s->thickness = def->thickness;
  s->damping[0] = def->stretch_damping;
  s->damping[1] = def->bending_damping;
  s->air = (CpsSheetAir){.density = def->air_density, .across = def->drag[0], .along = def->drag[1]};
  s->wind = def->wind;
  n->nodes = mesh->node_count;
  n->vertex_count = mesh->vertex_count;
  n->node = mesh->node;
  n->element_count = def->triangle_count;
  n->element_size = 3;
  n->node_mass = s->elastic->mass;
  n->total_mass = s->elastic->total_mass;
  n->pattern = &s->elastic->pattern;
  n->half = n->size = 0.5 * def->thickness;
  n->mass_damping = def->mass_damping;
  n->damped = def->stretch_damping > 0.0 || def->bending_damping > 0.0;
  n->airy = s->air.density > 0.0 && (s->air.across > 0.0 || s->air.along > 0.0);
  n->gravity = def->gravity;
  n->touches = def->contact;
  n->touches_itself = def->contact && def->self_contact;
  n->material = def->material;
  n->mu = def->mu;
  n->restitution = def->restitution;
  n->group = def->group;
  n->user = def->user;
  s->triangles = CPS_TAKE(&n->arena, int32_t, 3 * (int64_t)def->triangle_count);
  if (!cps_text_copy(def->name, &n->name) || !s->triangles) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet of %d vertices", (int)def->vertex_count);
  }
  for (int64_t i = 0; i < 3 * (int64_t)def->triangle_count; ++i) s->triangles[i] = def->triangles[i];
  n->element = s->triangles;
  return cps_nodal_finish(n, mesh->place, def->velocity, mesh->triangle, mesh->triangle_count, error);
}

CpsStatus cps_sheets_add(CpsNodals* sheets, const CpsSheetDef* def, int32_t* place, CpsError* error) {
  *place = cps_nodals_place(sheets);
  if (*place < 0) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  CpsStatus status = make_sheet(cps_sheet_at(sheets, *place), def, error);
  if (status == CPS_OK) {
    cps_nodals_settle(sheets, *place);
  } else {
    cps_nodals_remove(sheets, *place);
  }
  return status;
}
