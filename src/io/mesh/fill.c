// Filling a closed surface with tetrahedra, and how far the surface of the result is from it.
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "geometry/triangle_tree.h"
#include "io/mesh/stuffing.h"
#include "io/mesh/surface.h"

static CpsStatus refuse(CpsError* error, CpsStatus status, const char* why) {
  return cps_io_fail(error, status, "mesh", NULL, "%s", why);
}

// Refuses a surface if one of its edges cuts one of its triangles; the message gives the point.
static CpsStatus refuse_crossing(const CpsMeshFile* m, const CpsTriangleTree* tree, CpsFeaturePair pair,
                                 CpsError* error) {
  const int32_t *e = tree->edge[pair.a], *t = m->triangles + 3 * (int64_t)pair.b;
  const CpsVec3 a = m->vertices[e[0]], d = cps_vec3_sub(m->vertices[e[1]], a), p = m->vertices[t[0]];
  const CpsVec3 n = cps_vec3_cross(cps_vec3_sub(m->vertices[t[1]], p), cps_vec3_sub(m->vertices[t[2]], p));
  const double down = cps_vec3_dot(n, d), part = down != 0.0 ? cps_vec3_dot(n, cps_vec3_sub(p, a)) / down : 0.5;
  const CpsVec3 x = cps_vec3_axpy(a, fmin(fmax(part, 0.0), 1.0), d);
  return cps_io_fail(error, CPS_BAD_DATA, "mesh", NULL,
                     "the surface intersects itself: the edge from vertex %d to vertex %d goes through triangle %d at "
                     "(%g, %g, %g)",
                     (int)e[0], (int)e[1], (int)pair.b, x.x, x.y, x.z);
}

static CpsStatus check_crossings(const CpsMeshFile* m, CpsError* error) {
  CpsTriangleTree* tree = NULL;
  CpsArena arena = {0};
  CpsCrossings found = {0};
  CpsStatus status = cps_triangle_tree_create(m->vertices, m->vertex_count, m->triangles, m->triangle_count, &tree);
  if (status == CPS_OK)
    status = cps_triangle_tree_crossings(tree, m->vertices, tree, m->vertices, NULL, &arena, &found);
  if (status != CPS_OK) {
    status = refuse(error, status, "out of memory");
  } else if (found.edge_triangle.count > 0) {
    status = refuse_crossing(m, tree, found.edge_triangle.pair[0], error);
  }
  cps_triangle_tree_destroy(tree);
  cps_arena_free(&arena);
  return status;
}

static CpsStatus check(const CpsMeshFile* surface, CpsError* error) {
  int32_t edge[2] = {0, 0}, open = cps_mesh_open_edges(surface->triangles, surface->triangle_count, edge);
  if (open < 0) return refuse(error, CPS_NO_MEMORY, "out of memory");
  CpsVec3 a = surface->vertices[edge[0]], b = surface->vertices[edge[1]];
  if (open > 0) {
    return cps_io_fail(
        error, CPS_BAD_DATA, "mesh", NULL,
        "the surface is not closed: %d edge%s not have one triangle in each direction, the one from vertex %d "
        "(%g, %g, %g) to vertex %d (%g, %g, %g) for example",
        (int)open, open == 1 ? " does" : "s do", (int)edge[0], a.x, a.y, a.z, (int)edge[1], b.x, b.y, b.z);
  }
  if (!(cps_mesh_enclosed(surface, surface->triangles, surface->triangle_count) > 0.0)) {
    return refuse(error, CPS_BAD_DATA,
                  "the surface is inside out: its triangles must be counter-clockwise from outside");
  }
  return check_crossings(surface, error);
}

// The largest distance of vertices, edge midpoints and centroids of one surface from another.
static double farthest(const CpsTriangleSoup* of, const CpsSurfaceGrid* from) {
  double most = 0.0;
  for (int64_t t = 0; t < of->triangle_count; ++t) {
    CpsVec3 p[3], sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
      p[k] = of->vertices[of->triangles[3 * t + k]];
      sum = cps_vec3_axpy(sum, 1.0 / 3.0, p[k]);
    }
    most = fmax(most, cps_surface_grid_distance(from, sum));
    for (int k = 0; k < 3; ++k) {
      most = fmax(most, cps_surface_grid_distance(from, p[k]));
      CpsVec3 middle = cps_vec3_scale(0.5, cps_vec3_add(p[k], p[(k + 1) % 3]));
      most = fmax(most, cps_surface_grid_distance(from, middle));
    }
  }
  return most;
}

static bool compare(const CpsTriangleSoup* a, const CpsTriangleSoup* b, double size, double* hausdorff) {
  CpsArena arena = {0};
  CpsSurfaceGrid one, two;
  bool done = cps_surface_grid_create(*a, size, &arena, &one) && cps_surface_grid_create(*b, size, &arena, &two);
  if (done) *hausdorff = fmax(farthest(b, &one), farthest(a, &two));
  cps_arena_free(&arena);
  return done;
}

static CpsStatus fill(const CpsMeshFile* surface, double size, CpsMeshFile* mesh, double* hausdorff, CpsError* error) {
  if (surface->triangle_count == 0) return refuse(error, CPS_BAD_DATA, "the surface has no triangles");
  CpsStatus status = check(surface, error);
  if (status != CPS_OK) return status;
  const CpsTriangleSoup soup = {surface->vertices, surface->triangles, surface->triangle_count};
  CpsStuffing made;
  switch (cps_stuff(soup, size, &made)) {
    case CPS_STUFFING_NO_MEMORY:
      return refuse(error, CPS_NO_MEMORY, "out of memory");
    case CPS_STUFFING_TOO_FINE:
      return cps_io_fail(error, CPS_BAD_DATA, "mesh", NULL, "the size %g is too small: more than %d cells", size,
                         (int)CPS_GRID_CELLS);
    case CPS_STUFFING_EMPTY:
      return cps_io_fail(error, CPS_BAD_DATA, "mesh", NULL, "the size %g is too large: nothing of that size fits in",
                         size);
    default:
      break;
  }
  CpsMeshFile out = {.vertex_count = made.vertex_count,
                     .vertices = made.vertices,
                     .tetrahedron_count = made.tetrahedron_count,
                     .tetrahedra = made.tetrahedra};
  CpsTriangleSoup skin = {.vertices = out.vertices};
  int32_t* triangles = hausdorff ? cps_mesh_surface(&out, &skin.triangle_count) : NULL;
  skin.triangles = triangles;
  bool fine = !hausdorff || (triangles && compare(&soup, &skin, size, hausdorff));
  free(triangles);
  if (!fine) {
    cps_mesh_file_free(&out);
    return refuse(error, CPS_NO_MEMORY, "out of memory");
  }
  *mesh = out;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

CpsStatus cps_mesh_fill(const CpsMeshFile* surface, double size, CpsMeshFile* mesh, double* hausdorff,
                        CpsError* error) {
  if (!surface || !mesh || !(size > 0.0) || !isfinite(size)) {
    return refuse(error, CPS_BAD_ARGUMENT, "surface or mesh is NULL, or the size is not positive");
  }
  CpsMeshFile facets = *surface;
  const bool solid = surface->triangle_count == 0 && surface->tetrahedron_count > 0;
  if (solid) facets.triangles = cps_mesh_surface(surface, &facets.triangle_count);
  if (solid && !facets.triangles) return refuse(error, CPS_NO_MEMORY, "out of memory");
  const CpsStatus status = fill(&facets, size, mesh, hausdorff, error);
  if (solid) free(facets.triangles);
  return status;
}
