// The smooth surface of a solid as defined: the reach of its samples, and whether they leave holes.
//
// A vertex is as far from its nearest sample as any point of the surface; if that exceeds the reach, there is no
// field. The default reach is twice the largest distance from a corner to the middle of its triangle.
#include "model/solid_smooth.h"

#include "core/error.h"
#include "geometry/field.h"

#include <math.h>

static CpsStatus no_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a solid");
}

static CpsStatus find_hole(const CpsSolidDef* def, const CpsSolidMesh* mesh, const CpsVec3* middle, double reach,
                           double* nearest, CpsError* error) {
  for (int32_t v = 0; v < mesh->vertex_count; ++v) nearest[v] = INFINITY;
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) {
    double* least = &nearest[mesh->triangle[i]];
    *least = fmin(*least, cps_vec3_norm(cps_vec3_sub(def->vertices[mesh->triangle[i]], middle[i / 3])));
  }
  for (int32_t v = 0; v < mesh->vertex_count; ++v) {
    if (isinf(nearest[v]) || nearest[v] < reach) continue;
    char name[CPS_SOLID_NAME_SIZE];
    const CpsVec3 x = def->vertices[v];
    return cps_fail(
        error, CPS_BAD_DATA,
        "%s: a reach of %g m leaves a hole in its smooth surface at vertex %d at (%g, %g, %g); %g m would not",
        cps_solid_name(def, name), reach, (int)v, x.x, x.y, x.z,
        cps_field_reach(mesh->triangle, mesh->triangle_count, def->vertices));
  }
  return CPS_OK;
}

CpsStatus cps_solid_smooth(const CpsSolidDef* def, const CpsSolidMesh* mesh, CpsSmooth* out, CpsError* error) {
  *out = def->smooth;
  if (!out->on) return CPS_OK;
  char name[CPS_SOLID_NAME_SIZE];
  if (!cps_kernel_name(out->kernel) || out->transport < 0 || out->transport > CPS_TRANSPORT_PAPER) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%s has an unknown kernel or transport", cps_solid_name(def, name));
  }
  if (isnan(out->reach)) out->reach = cps_field_reach(mesh->triangle, mesh->triangle_count, def->vertices);
  if (!(out->reach > 0.0) || isinf(out->reach)) {
    return cps_fail(error, CPS_BAD_DATA, "%s: the reach of its smooth surface is %g m; it must be above 0",
                    cps_solid_name(def, name), out->reach);
  }
  CpsArena arena = {0};
  CpsVec3* point = CPS_TAKE(&arena, CpsVec3, mesh->triangle_count);
  CpsVec3* normal = CPS_TAKE(&arena, CpsVec3, mesh->triangle_count);
  double* nearest = CPS_TAKE(&arena, double, mesh->vertex_count);
  CpsField field = {
      .kernel = out->kernel, .reach = out->reach, .count = mesh->triangle_count, .point = point, .normal = normal};
  CpsStatus status = point && normal && nearest ? CPS_OK : no_memory(error);
  if (status == CPS_OK) {
    cps_field_sample(mesh->triangle, mesh->triangle_count, def->vertices, point, normal);
    status = find_hole(def, mesh, point, out->reach, nearest, error);
  }
  if (status == CPS_OK && !cps_field_build(&field, &arena)) status = no_memory(error);
  const int32_t most = status == CPS_OK ? cps_field_most(&field) : 0;
  if (most > CPS_FIELD_TERMS / 2) {
    status = cps_fail(
        error, CPS_BAD_DATA,
        "%s: %d triangles are within the reach of %g m of its smooth surface, %d are allowed: choose a shorter one",
        cps_solid_name(def, name), (int)most, out->reach, CPS_FIELD_TERMS / 2);
  }
  cps_arena_free(&arena);
  return status;
}
