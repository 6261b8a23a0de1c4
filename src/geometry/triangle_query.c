// Triangles near a box, a sphere or a capsule.
//
// All three are first compared by their boxes. A box and a sphere are apart if the nearest point of the box is farther
// from the centre than the radius. A box and a segment are apart if one of nine separating axes, the cross products and
// the directions of the box, shows it (Ericson, Real-Time Collision Detection, 2005, section 5.3.3), here with the
// radius added.
#include "geometry/triangle_tree.h"

typedef struct Query {
  CpsAabb box;
  CpsVec3 p, d;  // segment p + t d; a sphere has d = 0
  double radius;
  bool round;  // more than the box is tested
} Query;

static bool segment_near_box(const Query* query, CpsVec3 centre, CpsVec3 half) {
  // middle of the segment relative to the box, and half of its vector
  const CpsVec3 h = cps_vec3_scale(0.5, query->d), m = cps_vec3_sub(cps_vec3_add(query->p, h), centre);
  const CpsVec3 a = {fabs(h.x), fabs(h.y), fabs(h.z)}, away = cps_vec3_cross(m, h);
  const double slack = 1e-12 * (cps_vec3_norm(m) + cps_vec3_norm(h));
  // along (1, 0, 0) × h: a ball of radius r reaches r times the length of that vector
  return fabs(away.x) <= half.y * a.z + half.z * a.y + (query->radius + slack) * (a.y + a.z) &&
         fabs(away.y) <= half.x * a.z + half.z * a.x + (query->radius + slack) * (a.x + a.z) &&
         fabs(away.z) <= half.x * a.y + half.y * a.x + (query->radius + slack) * (a.x + a.y);
}

static bool is_near(const Query* query, const CpsFloatBox* box) {
  const CpsAabb wide = {{box->min[0], box->min[1], box->min[2]}, {box->max[0], box->max[1], box->max[2]}};
  if (!cps_aabb_overlap(&wide, &query->box)) return false;
  if (!query->round) return true;
  const CpsVec3 centre = cps_vec3_scale(0.5, cps_vec3_add(wide.min, wide.max));
  const CpsVec3 half = cps_vec3_scale(0.5, cps_vec3_sub(wide.max, wide.min));
  if (query->d.x != 0.0 || query->d.y != 0.0 || query->d.z != 0.0) return segment_near_box(query, centre, half);
  const CpsVec3 out = {fmax(0.0, fabs(query->p.x - centre.x) - half.x), fmax(0.0, fabs(query->p.y - centre.y) - half.y),
                       fmax(0.0, fabs(query->p.z - centre.z) - half.z)};
  return cps_vec3_norm(out) <= query->radius * (1.0 + 1e-12);
}

static void walk(const CpsTriangleTree* tree, const Query* query, CpsTriangleFn fn, void* data) {
  int32_t stack[CPS_BVH_DEPTH];
  int depth = 1;
  stack[0] = 0;
  while (depth > 0) {
    const int32_t n = stack[--depth];
    if (!is_near(query, &tree->node_box[n])) continue;
    const CpsBvhNode* node = &tree->bvh.node[n];
    if (node->count == 0) {
      stack[depth++] = node->first + 1;
      stack[depth++] = node->first;
    }
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
      if (is_near(query, &tree->triangle_box[i]) && !fn(data, &tree->triangle[i])) return;
    }
  }
}

void cps_triangle_tree_near_box(const CpsTriangleTree* tree, const CpsAabb* box, CpsTriangleFn fn, void* data) {
  walk(tree, &(Query){.box = *box}, fn, data);
}

void cps_triangle_tree_near_capsule(const CpsTriangleTree* tree, CpsVec3 p, CpsVec3 q, double radius, CpsTriangleFn fn,
                                    void* data) {
  const CpsAabb box = cps_aabb_grow(cps_aabb_union((CpsAabb){p, p}, (CpsAabb){q, q}), radius);
  walk(tree, &(Query){box, p, cps_vec3_sub(q, p), radius, true}, fn, data);
}

void cps_triangle_tree_near_sphere(const CpsTriangleTree* tree, CpsVec3 centre, double radius, CpsTriangleFn fn,
                                   void* data) {
  cps_triangle_tree_near_capsule(tree, centre, centre, radius, fn, data);
}
