// Touchable parts of surfaces: faces, edges, and the small polytopes of segments and triangles.
#include "geometry/narrow.h"

void cps_flat_segment(CpsFlat* flat, double half_length) {
  *flat = (CpsFlat){
      .vertex = {{0.0, 0.0, -half_length}, {0.0, 0.0, half_length}}, .edge = {{0, 1}}, .edge_face = {{-1, -1}}};
  flat->polytope = (CpsPolytope){
      .vertex_count = 2, .vertex = flat->vertex, .edge_count = 1, .edge = flat->edge, .edge_face = flat->edge_face};
}

void cps_flat_triangle(CpsFlat* flat, CpsVec3 p, CpsVec3 q, CpsVec3 r) {
  const CpsVec3 normal = cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(q, p), cps_vec3_sub(r, p)));
  *flat = (CpsFlat){.vertex = {p, q, r},
                    .normal = {normal},
                    .offset = {cps_vec3_dot(normal, cps_vec3_scale(1.0 / 3.0, cps_vec3_add(p, cps_vec3_add(q, r))))},
                    .face_start = {0, 3},
                    .face_vertex = {0, 1, 2},
                    .edge = {{0, 1}, {1, 2}, {2, 0}},
                    .edge_face = {{0, -1}, {0, -1}, {0, -1}}};
  flat->polytope = (CpsPolytope){.vertex_count = 3,
                                 .vertex = flat->vertex,
                                 .face_count = 1,
                                 .normal = flat->normal,
                                 .offset = flat->offset,
                                 .face_start = flat->face_start,
                                 .face_vertex = flat->face_vertex,
                                 .edge_count = 3,
                                 .edge = flat->edge,
                                 .edge_face = flat->edge_face};
}

static CpsVec3 placed(const CpsPlace* place, CpsVec3 x) {
  return place ? cps_place_apply(place, x) : x;
}

// The first of the corners farthest along m up to rounding: the choice on an edge or face must not change.
static int32_t farthest_corner(const CpsPolytope* p, CpsVec3 m) {
  double most = cps_vec3_dot(m, p->vertex[0]);
  for (int32_t v = 1; v < p->vertex_count; ++v) most = fmax(most, cps_vec3_dot(m, p->vertex[v]));
  const double slack = 1e-9 * cps_polytope_scale(p, p);
  int32_t corner = 0;
  while (cps_vec3_dot(m, p->vertex[corner]) < most - slack) ++corner;
  return corner;
}

// The face at a corner best aligned with m, if well enough; otherwise -1. The best aligned face of all need not be at
// the farthest corner.
static int32_t face_at(const CpsPolytope* p, int32_t corner, CpsVec3 m) {
  int32_t best = -1;
  double most = CPS_STEEPEST;
  for (int32_t f = 0; f < p->face_count; ++f) {
    const double along = cps_vec3_dot(m, p->normal[f]);
    if (along <= most + 1e-9) continue;  // rounding must not choose between equal faces
    for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; ++k) {
      if (p->face_vertex[k] != corner) continue;
      most = along;
      best = f;
      break;
    }
  }
  return best;
}

// The edge at a corner most nearly perpendicular to m.
static int32_t edge_at(const CpsPolytope* p, int32_t corner, CpsVec3 m) {
  int32_t best = 0;
  double least = 2.0;
  for (int32_t e = 0; e < p->edge_count; ++e) {
    if (p->edge[e][0] != corner && p->edge[e][1] != corner) continue;
    const CpsVec3 d = cps_vec3_unit(cps_vec3_sub(p->vertex[p->edge[e][1]], p->vertex[p->edge[e][0]]));
    const double along = fabs(cps_vec3_dot(m, d));
    if (along < least - 1e-9) {
      least = along;
      best = e;
    }
  }
  return best;
}

void cps_patch_face(const CpsPolytope* p, const CpsPlace* place, CpsVec3 m, CpsPatch* patch) {
  if (p->face_count == 0) {
    patch->count = p->vertex_count;
    for (int32_t k = 0; k < p->vertex_count; ++k) {
      patch->corner[k] = placed(place, p->vertex[k]);
      patch->id[k] = k;
    }
    return;
  }
  const CpsVec3 own = place ? cps_mat3_apply_transposed(place->R, m) : m;
  const int32_t farthest = farthest_corner(p, own), face = face_at(p, farthest, own);
  if (face < 0) {
    cps_patch_edge(p, place, edge_at(p, farthest, own), patch);
    return;
  }
  const int32_t* corner = p->face_vertex + p->face_start[face];
  const int32_t count = p->face_start[face + 1] - p->face_start[face];
  // some corners represent a face with very many
  const int32_t stride = (count + CPS_PATCH_MAX - 1) / CPS_PATCH_MAX;
  patch->normal = place ? cps_mat3_apply(place->R, p->normal[face]) : p->normal[face];
  patch->count = 0;
  for (int32_t k = 0; k < count; k += stride) {
    patch->corner[patch->count] = placed(place, p->vertex[corner[k]]);
    patch->id[patch->count++] = corner[k];
  }
}

void cps_patch_edge(const CpsPolytope* p, const CpsPlace* place, int32_t edge, CpsPatch* patch) {
  patch->count = 2;
  for (int k = 0; k < 2; ++k) {
    patch->corner[k] = placed(place, p->vertex[p->edge[edge][k]]);
    patch->id[k] = p->edge[edge][k];
  }
}
