// Statistics of a mesh.
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "core/vec3.h"
#include "io/mesh/surface.h"

static const double PI = 3.14159265358979323846;

static void measure_box(const CpsMeshFile* mesh, CpsMeshFacts* f) {
  f->lower = f->upper = mesh->vertices[0];
  for (int32_t i = 1; i < mesh->vertex_count; ++i) {
    CpsVec3 x = mesh->vertices[i];
    f->lower = cps_vec3(fmin(f->lower.x, x.x), fmin(f->lower.y, x.y), fmin(f->lower.z, x.z));
    f->upper = cps_vec3(fmax(f->upper.x, x.x), fmax(f->upper.y, x.y), fmax(f->upper.z, x.z));
  }
}

// The dihedral angle at the edge a b, with c and d the other corners, degrees.
static double dihedral(CpsVec3 a, CpsVec3 b, CpsVec3 c, CpsVec3 d) {
  CpsVec3 e = cps_vec3_sub(b, a), m = cps_vec3_cross(e, cps_vec3_sub(c, a)), n = cps_vec3_cross(e, cps_vec3_sub(d, a));
  double sine = cps_vec3_norm(cps_vec3_cross(m, n)), cosine = cps_vec3_dot(m, n);
  return atan2(sine, cosine) * 180.0 / PI;
}

static void measure_tetrahedra(const CpsMeshFile* mesh, CpsMeshFacts* f) {
  static const int EDGE[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
  for (int32_t t = 0; t < mesh->tetrahedron_count; ++t) {
    CpsVec3 p[4];
    for (int k = 0; k < 4; ++k) p[k] = mesh->vertices[mesh->tetrahedra[4 * (int64_t)t + k]];
    CpsVec3 e = cps_vec3_sub(p[1], p[0]), g = cps_vec3_sub(p[2], p[0]), h = cps_vec3_sub(p[3], p[0]);
    double volume = cps_vec3_dot(e, cps_vec3_cross(g, h)) / 6.0;
    if (!(volume > 0.0)) f->inverted++;
    f->volume = (t == 0 ? 0.0 : f->volume) + volume;
    for (int k = 0; k < 6; ++k) {
      double angle = dihedral(p[EDGE[k][0]], p[EDGE[k][1]], p[EDGE[k][2]], p[EDGE[k][3]]);
      if (!(angle >= f->angle_min)) f->angle_min = angle, f->worst = t;
      if (!(angle <= f->angle_max)) f->angle_max = angle;
    }
  }
}

static bool count_unused(const CpsMeshFile* mesh, CpsMeshFacts* f) {
  bool* used = calloc((size_t)mesh->vertex_count, sizeof *used);
  if (!used) return false;
  for (int64_t i = 0; i < 3 * (int64_t)mesh->triangle_count; ++i) used[mesh->triangles[i]] = true;
  for (int64_t i = 0; i < 4 * (int64_t)mesh->tetrahedron_count; ++i) used[mesh->tetrahedra[i]] = true;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) f->unused += !used[i];
  free(used);
  return true;
}

CpsStatus cps_mesh_file_facts(const CpsMeshFile* mesh, CpsMeshFacts* facts, CpsError* error) {
  if (!mesh || !facts || mesh->vertex_count < 1) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "mesh", NULL, "mesh or facts is NULL");
  }
  CpsMeshFacts f = {.volume = NAN, .angle_min = NAN, .angle_max = NAN, .worst = -1};
  measure_box(mesh, &f);
  measure_tetrahedra(mesh, &f);
  int32_t* surface = cps_mesh_surface(mesh, &f.surface_triangles);
  f.open_edges = surface ? cps_mesh_open_edges(surface, f.surface_triangles, NULL) : -1;
  if (f.open_edges < 0 || !count_unused(mesh, &f) || !cps_mesh_measure_smooth(mesh, surface, f.surface_triangles, &f)) {
    free(surface);
    return cps_io_fail(error, CPS_NO_MEMORY, "mesh", NULL, "out of memory");
  }
  f.closed = f.surface_triangles > 0 && f.open_edges == 0;
  if (f.closed && mesh->tetrahedron_count == 0) f.volume = cps_mesh_enclosed(mesh, surface, f.surface_triangles);
  for (int64_t t = 0; t < f.surface_triangles; ++t) {
    CpsVec3 a = mesh->vertices[surface[3 * t]], b = mesh->vertices[surface[3 * t + 1]],
            c = mesh->vertices[surface[3 * t + 2]];
    f.area += 0.5 * cps_vec3_norm(cps_vec3_cross(cps_vec3_sub(b, a), cps_vec3_sub(c, a)));
  }
  free(surface);
  *facts = f;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}
