// Two triangles cut each other if an edge of one meets the other. A triangle and a chord are nearest at a cut, between two edges, or at
// an end of the chord.
#include "geometry/triangle_cut.h"

#include <math.h>

#include "geometry/mesh.h"
#include "geometry/triangle_pairs.h"
#include "geometry/triangle_tree.h"
#include "geometry/tube.h"

static CpsAabb box_of(const CpsVec3 x[3]) {
  return (CpsAabb){cps_vec3(fmin(fmin(x[0].x, x[1].x), x[2].x), fmin(fmin(x[0].y, x[1].y), x[2].y),
                            fmin(fmin(x[0].z, x[1].z), x[2].z)),
                   cps_vec3(fmax(fmax(x[0].x, x[1].x), x[2].x), fmax(fmax(x[0].y, x[1].y), x[2].y),
                            fmax(fmax(x[0].z, x[1].z), x[2].z))};
}

static CpsVec3 mean(CpsVec3 p, CpsVec3 q) {
  return cps_vec3_scale(0.5, cps_vec3_add(p, q));
}

static bool cut_each_other(const CpsVec3 a[3], const CpsVec3 b[3], CpsVec3* point) {
  for (int side = 0; side < 2; ++side) {
    const CpsVec3 *edges = side == 0 ? a : b, *face = side == 0 ? b : a;
    for (int k = 0; k < 3; ++k) {
      const CpsVec3 p = edges[k], q = edges[(k + 1) % 3];
      if (!cps_segment_meets_triangle(p, q, face)) continue;
      *point = mean(p, q);
      return true;
    }
  }
  return false;
}

bool cps_triangle_cuts_mesh(const CpsVec3 x[3], const CpsMeshTree* mesh, CpsVec3* point) {
  const CpsAabb box = box_of(x);
  CpsBvhWalk walk = cps_bvh_walk(&mesh->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
      const CpsMeshTriangle* t = &mesh->triangle[mesh->tree.order[i]];
      const CpsVec3 y[3] = {mesh->vertex[t->vertex[0]].point, mesh->vertex[t->vertex[1]].point,
                            mesh->vertex[t->vertex[2]].point};
      if (cut_each_other(x, y, point)) return true;
    }
  }
  return false;
}

static void keep_nearer(double distance, CpsVec3 at, double* least, CpsVec3* point) {
  if (!(distance < *least)) return;
  *least = distance;
  *point = at;
}

static void near_chord(const CpsVec3 x[3], const CpsVec3 chord[2], double* least, CpsVec3* point) {
  if (cps_segment_meets_triangle(chord[0], chord[1], x)) keep_nearer(0.0, mean(chord[0], chord[1]), least, point);
  for (int k = 0; k < 2; ++k) {
    keep_nearer(cps_closest_vertex_triangle(chord[k], x).distance, chord[k], least, point);
  }
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 edge[2] = {x[k], x[(k + 1) % 3]};
    const CpsClosest at = cps_closest_edge_edge(edge, chord);
    const CpsVec3 near = cps_vec3_axpy(cps_vec3_scale(at.weight_a[0], edge[0]), at.weight_a[1], edge[1]);
    keep_nearer(at.distance, near, least, point);
  }
}

double cps_triangle_near_tube(const CpsVec3 x[3], const CpsTubeTree* tube, double least, CpsVec3* point) {
  const CpsAabb box = cps_aabb_grow(box_of(x), least);
  CpsBvhWalk walk = cps_bvh_walk(&tube->tree, &box);
  for (const CpsBvhNode* leaf; (leaf = cps_bvh_next(&walk)) != NULL;) {
    for (int32_t i = leaf->first; i < leaf->first + leaf->count; ++i) {
      const CpsTubeSpan* s = &tube->span[tube->tree.order[i]];
      const int chords = cps_tube_chords(s);
      for (int k = 0; k < chords; ++k) {
        const CpsVec3 chord[2] = {cps_tube_point(s, (double)k / chords), cps_tube_point(s, (k + 1.0) / chords)};
        near_chord(x, chord, &least, point);
      }
    }
  }
  return least;
}
