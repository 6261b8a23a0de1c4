// The smooth surface that a definition asks for: how far its samples reach, and whether they leave holes.
//
// A vertex is as far from its nearest sample as a place of the surface gets; where that is more than the reach there is no
// field. Without a reach given it is twice the largest distance of a corner to the middle of its triangle.
#include "model/solid_smooth.h"

#include "core/error.h"
#include "geometry/field.h"

#include <math.h>

static const double SUNK = 1.25;       // how far guards are sunk, of what the smooth surface is below the facets,
static const double SUNK_MOST = 0.25;  // and at most, of the reach

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

// The field of the shape without strain, in memory of the arena; false if it is short.
static bool build(const CpsSolidDef* def, const CpsSolidMesh* mesh, const CpsSmooth* smooth, CpsArena* arena,
                  CpsField* field) {
  CpsVec3* point = CPS_TAKE(arena, CpsVec3, mesh->triangle_count);
  CpsVec3* normal = CPS_TAKE(arena, CpsVec3, mesh->triangle_count);
  if (!point || !normal) return false;
  cps_field_sample(mesh->triangle, mesh->triangle_count, def->vertices, point, normal);
  *field = (CpsField){.kernel = smooth->kernel,
                      .reach = smooth->reach,
                      .count = mesh->triangle_count,
                      .point = point,
                      .normal = normal};
  return cps_field_build(field, arena);
}

// How far the smooth surface is below a place of the facets.
static double depth_at(const CpsField* field, CpsVec3 x) {
  CpsFieldAt at;
  if (!cps_field_at(field, x, &at)) return 0.0;
  const double size = cps_vec3_norm(at.gradient);
  return size > 0.0 ? fmax(0.0, at.value / size) : 0.0;
}

bool cps_solid_sink(const CpsSolidDef* def, const CpsSolidMesh* mesh, const CpsSmooth* smooth, CpsArena* arena,
                    double** sunk) {
  CpsArena scratch = {0};
  CpsField field;
  *sunk = CPS_TAKE_ZERO(arena, double, mesh->vertex_count);
  const bool there = *sunk && build(def, mesh, smooth, &scratch, &field);
  for (int32_t t = 0; there && t < mesh->triangle_count; ++t) {
    const int32_t* k = mesh->triangle + 3 * (int64_t)t;
    double deepest = 0.0;
    for (int i = 0; i < 3; ++i) {
      const CpsVec3 a = def->vertices[k[i]], b = def->vertices[k[(i + 1) % 3]];
      deepest = fmax(deepest, depth_at(&field, a));
      deepest = fmax(deepest, depth_at(&field, cps_vec3_scale(0.5, cps_vec3_add(a, b))));
    }
    deepest = fmax(deepest, depth_at(&field, field.point[t]));
    for (int i = 0; i < 3; ++i) (*sunk)[k[i]] = fmax((*sunk)[k[i]], fmin(SUNK * deepest, SUNK_MOST * smooth->reach));
  }
  cps_arena_free(&scratch);
  return there;
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
  CpsField field = {0};
  double* nearest = CPS_TAKE(&arena, double, mesh->vertex_count);
  CpsStatus status = nearest && build(def, mesh, out, &arena, &field) ? CPS_OK : no_memory(error);
  if (status == CPS_OK) status = find_hole(def, mesh, field.point, out->reach, nearest, error);
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
