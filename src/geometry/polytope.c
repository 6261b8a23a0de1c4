// Storage of a convex polyhedron, and the box.
//
// One block of memory holds the struct and its arrays. Every edge is directed so that its first face lies to its left
// (counter-clockwise seen from outside): with e from edge[0] to edge[1], n x e points into that face with normal n.
#include "geometry/polytope.h"

#include "geometry/polytope_store.h"

#include <stdlib.h>

CpsPolytope* cps_polytope_allocate(int32_t vertices, int32_t faces, int32_t corners, int32_t edges) {
  size_t nv = (size_t)vertices, nf = (size_t)faces, nc = (size_t)corners, ne = (size_t)edges;
  size_t bytes = sizeof(CpsPolytope) + (nv + nf) * sizeof(CpsVec3) + nf * sizeof(double) +
                 (nf + 1 + nc + 4 * ne) * sizeof(int32_t);
  CpsPolytope* p = malloc(bytes);
  if (!p) return NULL;
  *p = (CpsPolytope){.vertex_count = vertices, .face_count = faces, .edge_count = edges};
  // doubles first: all offsets stay aligned
  p->vertex = (CpsVec3*)(p + 1);
  p->normal = p->vertex + nv;
  p->offset = (double*)(p->normal + nf);
  p->face_start = (int32_t*)(p->offset + nf);
  p->face_vertex = p->face_start + nf + 1;
  p->edge = (int32_t(*)[2])(p->face_vertex + nc);
  p->edge_face = p->edge + ne;
  return p;
}

void cps_polytope_destroy(CpsPolytope* polytope) {
  free(polytope);
}

bool cps_polytope_find_edges(CpsPolytope* p) {
  int32_t count = 0, met = 0;
  for (int32_t f = 0; f < p->face_count; ++f) {
    const int32_t* corner = p->face_vertex + p->face_start[f];
    int32_t n = p->face_start[f + 1] - p->face_start[f];
    for (int32_t k = 0; k < n; ++k) {
      int32_t from = corner[k], to = corner[(k + 1) % n];
      if (from < to) {
        if (count == p->edge_count) return false;
        // the first face that traverses an edge upwards creates it; its other face traverses it downwards
        p->edge[count][0] = from;
        p->edge[count][1] = to;
        p->edge_face[count][0] = f;
        count++;
      }
    }
  }
  for (int32_t f = 0; f < p->face_count; ++f) {
    const int32_t* corner = p->face_vertex + p->face_start[f];
    int32_t n = p->face_start[f + 1] - p->face_start[f];
    for (int32_t k = 0; k < n; ++k) {
      int32_t from = corner[k], to = corner[(k + 1) % n];
      for (int32_t e = 0; from > to && e < count; ++e) {
        if (p->edge[e][0] == to && p->edge[e][1] == from) {
          p->edge_face[e][1] = f;
          met++;
        }
      }
    }
  }
  return count == p->edge_count && met == count;
}

CpsStatus cps_polytope_box(CpsVec3 size, CpsPolytope** out) {
  // vertex k has the signs of the bits of k; faces -x +x -y +y -z +z
  static const int32_t corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  CpsPolytope* p = cps_polytope_allocate(8, 6, 24, 12);
  if (!p) return CPS_NO_MEMORY;
  const CpsVec3 half = cps_vec3_scale(0.5, size);
  for (int k = 0; k < 8; ++k)
    p->vertex[k] = cps_vec3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
  for (int f = 0; f < 6; ++f) {
    const double sign = f & 1 ? 1.0 : -1.0;
    p->normal[f] = cps_vec3(f / 2 == 0 ? sign : 0.0, f / 2 == 1 ? sign : 0.0, f / 2 == 2 ? sign : 0.0);
    p->offset[f] = f / 2 == 0 ? half.x : f / 2 == 1 ? half.y : half.z;
    p->face_start[f] = 4 * f;
    for (int k = 0; k < 4; ++k) p->face_vertex[4 * f + k] = corners[f][k];
  }
  p->face_start[6] = 24;
  cps_polytope_find_edges(p);
  *out = p;
  return CPS_OK;
}
