// Solids as members of a nodal population. Their elasticity is in solid_elastic.h.
#include "model/solids.h"

#include "core/error.h"
#include "model/solid_smooth.h"

#include <math.h>
#include <string.h>

static const double THIN = 0.02;  // default radius of the surface, relative to the mean length of its edges

static void release(CpsNodal* member) {
  cps_solid_elastic_destroy(((CpsSolid*)member)->elastic);
}

static double energy(CpsNodal* member, CpsPool* pool, const CpsVec3* x) {
  return cps_solid_gradient(((CpsSolid*)member)->elastic, pool, x, NULL);
}

static double gradient(CpsNodal* member, CpsPool* pool, const CpsVec3* x, CpsVec3* out) {
  return cps_solid_gradient(((CpsSolid*)member)->elastic, pool, x, out);
}

static void hessian(CpsNodal* member, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind, double scale,
                    double* value) {
  cps_solid_hessian(((CpsSolid*)member)->elastic, pool, x, kind, scale, false, value);
}

static void damping(CpsNodal* member, CpsPool* pool, const CpsVec3* x, double* value) {
  cps_solid_hessian(((CpsSolid*)member)->elastic, pool, x, CPS_HESSIAN_TURNED, 1.0, true, value);
}

static double step_bound(const CpsNodal* member, const CpsVec3* x, const CpsVec3* dx) {
  return cps_solid_step_bound(((const CpsSolid*)member)->elastic, x, dx);
}

static const CpsNodalType SOLID = {release, energy, gradient, hessian, damping, NULL, NULL, step_bound, NULL, false};

CpsNodals* cps_solids_create(void) {
  return cps_nodals_create(CPS_THING_SOLID, "solid", sizeof(CpsSolid));
}

static double mean_edge(const CpsSolidMesh* mesh, const CpsVec3* x) {
  double sum = 0.0;
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    const int64_t next = i % 3 == 2 ? i - 2 : i + 1;
    sum += cps_vec3_norm(cps_vec3_sub(x[mesh->triangle[next]], x[mesh->triangle[i]]));
  }
  return sum / (3.0 * mesh->triangle_count);
}

static bool is_damped(const CpsSolidDef* def) {
  bool damped = def->matter.damping > 0.0;
  for (int32_t i = 0; i < def->region_count; ++i) damped = damped || def->regions[i].damping > 0.0;
  return damped;
}

// Adds a rotation about the centre of mass to the velocities.
static void turn(CpsNodal* n, CpsVec3 spin) {
  CpsVec3 centre = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < n->nodes; ++i) centre = cps_vec3_axpy(centre, n->node_mass[i] / n->total_mass, n->x[i]);
  for (int32_t i = 0; i < n->nodes; ++i) {
    CpsVec3 v = cps_vec3_add(n->v[i], cps_vec3_cross(spin, cps_vec3_sub(n->x[i], centre)));
    n->v[i] = n->before[i] = n->free[i] = v;
  }
}

// The strain-free shape, in which a smooth surface measures distances along itself.
static bool keep_rest(CpsNodal* n, const CpsSolidMesh* mesh, const CpsVec3* vertices) {
  if (!n->smooth.on || !n->touches_itself) return true;
  CpsVec3* rest = CPS_TAKE(&n->arena, CpsVec3, mesh->vertex_count);
  CpsVec3* middle = CPS_TAKE(&n->arena, CpsVec3, mesh->triangle_count);
  if (!rest || !middle) return false;
  memcpy(rest, vertices, (size_t)mesh->vertex_count * sizeof *rest);
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    const int32_t* k = mesh->triangle + 3 * (int64_t)t;
    middle[t] = cps_vec3_scale(1.0 / 3.0, cps_vec3_add(rest[k[0]], cps_vec3_add(rest[k[1]], rest[k[2]])));
  }
  n->rest = rest;
  n->rest_middle = middle;
  return true;
}

static CpsStatus make_solid(CpsSolid* s, const CpsSolidDef* def, CpsError* error) {
  CpsNodal* n = &s->nodal;
  n->type = &SOLID;
  CpsStatus status = cps_solid_elastic_create(def, &s->elastic, error);
  if (status != CPS_OK) return status;
  const CpsSolidMesh* mesh = &s->elastic->mesh;
  status = cps_solid_smooth(def, mesh, &n->smooth, error);
  if (status != CPS_OK) return status;
  int32_t* node = CPS_TAKE(&n->arena, int32_t, mesh->vertex_count);
  if (!node || !cps_text_copy(def->name, &n->name)) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid of %d vertices", (int)def->vertex_count);
  }
  for (int32_t i = 0; i < mesh->vertex_count; ++i) node[i] = i;
  n->nodes = n->vertex_count = mesh->vertex_count;
  n->node = node;
  n->element_count = mesh->tetrahedron_count;
  n->element_size = 4;
  n->element = mesh->tetrahedron;
  n->node_mass = s->elastic->mass;
  n->total_mass = s->elastic->total_mass;
  n->pattern = &s->elastic->pattern;
  n->half = n->size = isnan(def->radius) ? THIN * mean_edge(mesh, def->vertices) : def->radius;
  n->grain = cps_solid_grain(s->elastic);
  n->mass_damping = def->mass_damping;
  n->damped = is_damped(def);
  n->gravity = def->gravity;
  n->touches = def->contact;
  n->touches_itself = def->contact && def->self_contact;
  n->closed = true;
  n->material = def->material;
  n->mu = def->mu;
  n->restitution = def->restitution;
  n->group = def->group;
  n->user = def->user;
  if (!keep_rest(n, mesh, def->vertices)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid");
  status = cps_nodal_finish(n, def->vertices, def->velocity, mesh->triangle, mesh->triangle_count, error);
  if (status == CPS_OK) turn(n, def->spin);
  return status;
}

CpsStatus cps_solids_add(CpsNodals* solids, const CpsSolidDef* def, int32_t* place, CpsError* error) {
  *place = cps_nodals_place(solids);
  if (*place < 0) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid");
  CpsStatus status = make_solid(cps_solid_at(solids, *place), def, error);
  if (status == CPS_OK) {
    cps_nodals_settle(solids, *place);
  } else {
    cps_nodals_remove(solids, *place);
  }
  return status;
}
