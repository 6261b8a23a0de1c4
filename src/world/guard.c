// Guards of smooth surfaces: facets sunk below the smooth surface, as a barrier that nothing passes through (collider.h).
//
// Where a smooth surface is concave, it lies below its facets, and touching objects are below the facets too. Nodes above the
// smooth surface are therefore projected onto it. Then all nodes move along -grad Psi by
//
//   D = SUNK max of Psi / |grad Psi|                                                                                   (1)
//
// over the midpoints of the edges and the centroids of the triangles around the node. D is at most SUNK_MOST of the reach, and 0
// where (1) is negative. Facet tips protrude from the smooth surface. A tip projected onto the surface is also sunk by a fraction
// of its displacement: contacts are of first order and let it sink in by its thickness, so on the surface itself every step would
// find a touch.
//
// The guard depends on the shape alone: the guard at the end of a step is the guard at the beginning of the next.
#include "world/world.h"

#include <math.h>
#include <string.h>

static const double SUNK = 1.25;
static const double SUNK_MOST = 0.25;
static const double MOVED = 0.5;  // part of its displacement by which a moved node is sunk

static double depth_at(const CpsField* field, CpsVec3 x) {
  CpsFieldAt at;
  if (!cps_field_at(field, x, &at)) return 0.0;
  const double size = cps_vec3_norm(at.gradient);
  return size > 0.0 ? fmax(0.0, at.value / size) : 0.0;
}

// The depth of the deepest sample of a triangle of guard nodes y.
static double depth_of(const CpsField* field, const int32_t* k, const CpsVec3* y) {
  const CpsVec3 sum = cps_vec3_add(y[k[0]], cps_vec3_add(y[k[1]], y[k[2]]));
  double deepest = depth_at(field, cps_vec3_scale(1.0 / 3.0, sum));
  for (int i = 0; i < 3; ++i) {
    deepest = fmax(deepest, depth_at(field, cps_vec3_scale(0.5, cps_vec3_add(y[k[i]], y[k[(i + 1) % 3]]))));
  }
  return deepest;
}

// Guard nodes at x, sunk below the surface; NULL if memory runs out.
static CpsVec3* sink(const CpsStep* step, const CpsSmoothMesh* smooth, const CpsVec3* x, int32_t nodes) {
  CpsVec3 *y = CPS_TAKE(step->scratch, CpsVec3, nodes), *down = CPS_TAKE_ZERO(step->scratch, CpsVec3, nodes);
  double* depth = CPS_TAKE_ZERO(step->scratch, double, nodes);
  CpsSmoothMesh mesh = *smooth;
  CpsField field;
  mesh.x = x;
  if (!y || !down || !depth || !cps_smooth_field(step, &mesh, &field)) return NULL;
  memcpy(y, x, (size_t)nodes * sizeof *y);
  for (int32_t i = 0; i < mesh.skin_count; ++i) {
    CpsFieldAt at;
    CpsVec3* p = &y[mesh.skin[i]];
    if (!cps_field_at(&field, *p, &at)) continue;
    CpsVec3 moved = *p;
    if (at.value > 0.0 && cps_field_project(&field, 0.0, &moved, &at)) {
      const double way = cps_vec3_norm(cps_vec3_sub(moved, *p));
      depth[mesh.skin[i]] = fmin(MOVED * way, SUNK_MOST * field.reach);
      *p = moved;
    }
    down[mesh.skin[i]] = cps_vec3_scale(-1.0, cps_vec3_unit(at.gradient));
  }
  for (int32_t t = 0; t < mesh.triangle_count; ++t) {
    const int32_t* k = mesh.triangle + 3 * (int64_t)t;
    const double deepest = fmin(SUNK * depth_of(&field, k, y), SUNK_MOST * field.reach);
    for (int i = 0; i < 3; ++i) depth[k[i]] = fmax(depth[k[i]], deepest);
  }
  for (int32_t i = 0; i < mesh.skin_count; ++i) {
    const int32_t node = mesh.skin[i];
    y[node] = cps_vec3_axpy(y[node], depth[node], down[node]);
  }
  return y;
}

bool cps_guard_sink(const CpsStep* step, CpsMember member, CpsSurfaceMesh* mesh) {
  CpsSmoothMesh smooth;
  const int32_t nodes = mesh->tree->vertex_count;
  if (!member.model->type->smooth_mesh(member.model, &step->model, member.index, false, &smooth)) return true;
  mesh->start = sink(step, &smooth, smooth.x, nodes);
  mesh->end = sink(step, &smooth, smooth.end, nodes);
  return mesh->start && mesh->end;
}
