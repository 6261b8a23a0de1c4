// Material points of sheets and solids for ties: a vertex, or a point between the corners of one element.
//
//   x = sum of w_i x_i,   above a triangle of a sheet:  x = sum of w_i x_i + z n                                       (1)
//
// n is the unit normal of the triangle and turns with it: with g_i the gradient of the weight of corner i in its plane,
// n' = - sum of g_i (n.v_i), so that
//
//   u = sum of A_i v_i,   A_i = w_i - z g_i n^T                                                                        (2)
//
// An impulse r at the point acts on the corners as the A_i^T r, which have the sum r and the moment x × r. A tie uses n and g_i in
// the middle of the step, with the corners at y = x + h v- / 2.
//
// A point beyond an edge has negative weights: (1) extrapolates the element. The other points of a hinge or a weld have offsets affine
// in the weights and in z, so they move with the element of the first point.
#include "model/nodal.h"

#include "core/error.h"
#include "geometry/triangle_pairs.h"

#include <math.h>

static const double SUM = 1e-9;       // tolerance of the sum of weights, 1
static const double FARTHEST = 1e6;   // largest weight
static const double SNAP = 1e-9;      // of a nearest point: weights below it are set to zero
static const double INSIDE = -1e-12;  // of a solid: smallest weight of a point inside it

static const CpsNodal* nodal_of(const CpsModel* model, int32_t body) {
  return ((const CpsNodals*)model)->member[body];
}

static CpsVec3 place_of(const CpsNodal* s, int32_t vertex) {
  return s->x[s->node[vertex]];
}

// Normal of a triangle and gradients of its corner weights; zero if it is flat.
typedef struct Plane {
  CpsVec3 n, g[3];
} Plane;

static Plane plane_of(const CpsVec3 p[3]) {
  Plane plane = {{0.0, 0.0, 0.0}, {{0.0, 0.0, 0.0}}};
  const CpsVec3 N = cps_vec3_cross(cps_vec3_sub(p[1], p[0]), cps_vec3_sub(p[2], p[0]));
  const double twice = cps_vec3_norm(N);
  if (!(twice > 0.0)) return plane;
  plane.n = cps_vec3_scale(1.0 / twice, N);
  for (int i = 0; i < 3; ++i) {
    const CpsVec3 edge = cps_vec3_sub(p[(i + 2) % 3], p[(i + 1) % 3]);
    plane.g[i] = cps_vec3_scale(1.0 / twice, cps_vec3_cross(plane.n, edge));
  }
  return plane;
}

// Gradients of the corner weights of a tetrahedron, zero if it is flat.
static void gradients_of(const CpsVec3 p[4], CpsVec3 g[4]) {
  const CpsVec3 a = cps_vec3_sub(p[1], p[0]), b = cps_vec3_sub(p[2], p[0]), c = cps_vec3_sub(p[3], p[0]);
  const double det = cps_vec3_dot(a, cps_vec3_cross(b, c)), by = det != 0.0 ? 1.0 / det : 0.0;
  g[1] = cps_vec3_scale(by, cps_vec3_cross(b, c));
  g[2] = cps_vec3_scale(by, cps_vec3_cross(c, a));
  g[3] = cps_vec3_scale(by, cps_vec3_cross(a, b));
  g[0] = cps_vec3_scale(-1.0, cps_vec3_add(g[1], cps_vec3_add(g[2], g[3])));
}

static bool has_height(const CpsNodal* s, const CpsAnchor* at) {
  return s->element_size == 3 && at->corner_count == 3 && at->point.z != 0.0;
}

// (2)
static void put_patch(const CpsNodal* s, const CpsAnchor* at, const CpsVec3* y, CpsPatchNode* nodes) {
  for (int i = 0; i < at->corner_count; ++i) {
    nodes[i] =
        (CpsPatchNode){s->node[at->corners[i]], cps_mat3_scale(at->weights[i], cps_mat3_identity()), at->weights[i]};
  }
  if (!has_height(s, at)) return;
  const Plane plane = plane_of(y);
  const double n[3] = {plane.n.x, plane.n.y, plane.n.z};
  for (int i = 0; i < 3; ++i) {
    const double g[3] = {plane.g[i].x, plane.g[i].y, plane.g[i].z};
    for (int k = 0; k < 9; ++k) nodes[i].weight.m[k] -= at->point.z * g[k / 3] * n[k % 3];
  }
}

// (1)
static CpsVec3 point_of(const CpsNodal* s, const CpsAnchor* at, const CpsVec3* x) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < at->corner_count; ++i) sum = cps_vec3_axpy(sum, at->weights[i], x[i]);
  return has_height(s, at) ? cps_vec3_axpy(sum, at->point.z, plane_of(x).n) : sum;
}

CpsVec3 cps_nodals_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsSpot* spot,
                          CpsPatchNode* nodes) {
  const CpsNodal* s = nodal_of(model, body);
  if (at->corner_count == 0) {
    const int32_t node = s->node[at->vertex];
    *spot = (CpsSpot){.point = s->x[node], .piece = node, .patch_count = nodes ? 1 : 0, .patch = nodes};
    if (nodes) *nodes = (CpsPatchNode){node, cps_mat3_identity(), 1.0};
    return s->x[node];
  }
  CpsVec3 x[4] = {{0.0, 0.0, 0.0}}, y[4] = {{0.0, 0.0, 0.0}};
  int most = 0;
  for (int i = 0; i < at->corner_count; ++i) {
    const int32_t node = s->node[at->corners[i]];
    x[i] = s->x[node];
    y[i] = cps_vec3_axpy(x[i], s->half_step, s->before[node]);
    if (at->weights[i] > at->weights[most]) most = i;
  }
  *spot = (CpsSpot){.point = point_of(s, at, y),
                    .piece = s->node[at->corners[most]],
                    .patch_count = nodes ? at->corner_count : 0,
                    .patch = nodes};
  if (nodes) put_patch(s, at, y, nodes);
  return point_of(s, at, x);
}

static int corner_of(const int32_t* element, int size, int32_t vertex) {
  for (int k = 0; k < size; ++k) {
    if (element[k] == vertex) return k;
  }
  return -1;
}

// The first element that contains all corners of a point, or its vertex; -1: none.
static int32_t element_of(const CpsNodal* s, const CpsAnchor* at) {
  const int size = s->element_size, count = at->corner_count > 0 ? at->corner_count : 1;
  for (int32_t e = 0; e < s->element_count; ++e) {
    const int32_t* element = s->element + (int64_t)size * e;
    bool all = true;
    for (int i = 0; all && i < count; ++i) {
      all = corner_of(element, size, at->corner_count > 0 ? at->corners[i] : at->vertex) >= 0;
    }
    if (all) return e;
  }
  return -1;
}

static CpsStatus check_corners(const CpsModel* model, const CpsNodal* s, const CpsAnchor* at, CpsError* error) {
  const char *what = model->type->name, *element = s->element_size == 3 ? "triangle" : "tetrahedron";
  double sum = 0.0;
  if (at->corner_count < 0 || at->corner_count > s->element_size) {
    return cps_fail(error, CPS_BAD_DATA, "a point of a %s lies between %d vertices; a %s has %d", what,
                    (int)at->corner_count, element, s->element_size);
  }
  for (int i = 0; i < at->corner_count; ++i) {
    if (at->corners[i] < 0 || at->corners[i] >= s->vertex_count) {
      return cps_fail(error, CPS_BAD_DATA, "a tie is at vertex %d of a %s with %d vertices", (int)at->corners[i], what,
                      (int)s->vertex_count);
    }
    if (corner_of(at->corners, i, at->corners[i]) >= 0) {
      return cps_fail(error, CPS_BAD_DATA, "a point of a %s names vertex %d twice", what, (int)at->corners[i]);
    }
    if (!(fabs(at->weights[i]) <= FARTHEST)) {
      return cps_fail(error, CPS_BAD_DATA, "vertex %d of a %s has the weight %g; it must be in [-1e6, 1e6]",
                      (int)at->corners[i], what, at->weights[i]);
    }
    sum += at->weights[i];
  }
  if (!(fabs(sum - 1.0) <= SUM)) {
    return cps_fail(error, CPS_BAD_DATA, "the weights of a point of a %s add up to %.12g, not 1", what, sum);
  }
  if (element_of(s, at) < 0) {
    return cps_fail(error, CPS_BAD_DATA, "a point of a %s lies between vertices %d, %d …, which have no %s in common",
                    what, (int)at->corners[0], (int)at->corners[1], element);
  }
  const bool flat = at->point.x == 0.0 && at->point.y == 0.0;
  if (!flat || (at->point.z != 0.0 && (s->element_size != 3 || at->corner_count != 3))) {
    return cps_fail(error, CPS_BAD_DATA,
                    "a point of a %s has the offset %g, %g, %g m; only a point between three vertices of a sheet has "
                    "one, along z",
                    what, at->point.x, at->point.y, at->point.z);
  }
  return CPS_OK;
}

CpsStatus cps_nodals_check_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsError* error) {
  const CpsNodal* s = nodal_of(model, body);
  if (at->corner_count != 0) return check_corners(model, s, at, error);
  if (at->vertex >= 0 && at->vertex < s->vertex_count) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "a tie is at vertex %d of a %s with %d vertices", (int)at->vertex,
                  model->type->name, (int)s->vertex_count);
}

static bool is_node_pinned(const CpsNodal* s, int32_t node, double time) {
  for (int32_t j = 0; j < s->hold_count; ++j) {
    const CpsHeldNodes* hold = &s->holds[j];
    if (hold->from > time || isfinite(hold->until)) continue;
    for (int32_t i = 0; i < hold->count; ++i) {
      if (hold->node[i] == node) return true;
    }
  }
  return false;
}

bool cps_nodals_is_pinned(const CpsModel* model, int32_t body, const CpsAnchor* at, double time) {
  const CpsNodal* s = nodal_of(model, body);
  if (at->corner_count == 0) return is_node_pinned(s, s->node[at->vertex], time);
  for (int i = 0; i < at->corner_count; ++i) {
    const bool counts = at->weights[i] != 0.0 || has_height(s, at);
    if (counts && !is_node_pinned(s, s->node[at->corners[i]], time)) return false;
  }
  return true;
}

CpsStatus cps_nodals_turning(const CpsModel* model, int32_t body, CpsAnchor* at, double* length, CpsError* error) {
  const CpsNodal* s = nodal_of(model, body);
  const int size = s->element_size;
  const int32_t e = element_of(s, at);
  CpsAnchor out = *at;
  double sum = 0.0;
  for (int k = 0; k < size; ++k) {
    out.corners[k] = s->element[(int64_t)size * e + k];
    const int old = at->corner_count > 0 ? corner_of(at->corners, at->corner_count, out.corners[k]) : -1;
    out.weights[k] = at->corner_count == 0 ? (double)(out.corners[k] == at->vertex) : old >= 0 ? at->weights[old] : 0.0;
  }
  out.corner_count = size;
  if (at->corner_count == 0) out.point = cps_vec3(0.0, 0.0, 0.0);
  for (int k = 0; k < size; ++k) {
    sum += cps_vec3_norm(cps_vec3_sub(place_of(s, out.corners[k]), place_of(s, out.corners[(k + 1) % size])));
  }
  if (!(sum > 0.0)) return cps_fail(error, CPS_BAD_DATA, "a %s is crushed where a tie holds it", model->type->name);
  *length = sum / size;
  *at = out;
  return CPS_OK;
}

void cps_nodals_along(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 direction, CpsAnchor* more) {
  const CpsNodal* s = nodal_of(model, body);
  CpsVec3 p[4], g[4];
  *more = (CpsAnchor){.corner_count = s->element_size};
  for (int k = 0; k < s->element_size; ++k) p[k] = place_of(s, at->corners[k]);
  if (s->element_size == 3) {
    const Plane plane = plane_of(p);
    for (int k = 0; k < 3; ++k) g[k] = plane.g[k];
    more->point.z = cps_vec3_dot(plane.n, direction);
  } else {
    gradients_of(p, g);
  }
  for (int k = 0; k < s->element_size; ++k) more->weights[k] = cps_vec3_dot(g[k], direction);
}

// Drops corners of zero weight; a single remaining corner is a vertex.
static CpsAnchor between(const int32_t* corners, const double* weights, int count) {
  CpsAnchor out = {.vertex = 0};
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    if (!(weights[i] > SNAP)) continue;
    out.corners[out.corner_count] = corners[i];
    out.weights[out.corner_count++] = weights[i];
    sum += weights[i];
  }
  for (int i = 0; i < out.corner_count; ++i) out.weights[i] /= sum;
  if (out.corner_count == 1) out = (CpsAnchor){.vertex = out.corners[0]};
  return out;
}

static bool find_inside(const CpsNodal* s, CpsVec3 x, CpsAnchor* out) {
  for (int32_t e = 0; e < s->element_count; ++e) {
    const int32_t* element = s->element + 4 * (int64_t)e;
    CpsVec3 p[4], g[4];
    double w[4] = {1.0, 0.0, 0.0, 0.0}, least = 1.0, sum = 0.0;
    for (int k = 0; k < 4; ++k) p[k] = place_of(s, element[k]);
    gradients_of(p, g);
    for (int k = 0; k < 4; ++k) {
      w[k] += cps_vec3_dot(g[k], cps_vec3_sub(x, p[0]));
      least = fmin(least, w[k]);
      sum += w[k];
    }
    if (!(least >= INSIDE) || !(fabs(sum - 1.0) < SUM) || cps_vec3_norm(g[1]) == 0.0) continue;
    *out = between(element, w, 4);
    return true;
  }
  return false;
}

CpsStatus cps_nodals_nearest(const CpsModel* model, int32_t body, CpsVec3 x, CpsAnchor* at, CpsError* error) {
  const CpsNodal* s = nodal_of(model, body);
  const bool solid = s->element_size == 4;
  double least = INFINITY;
  if (solid && find_inside(s, x, at)) return CPS_OK;
  // the triangles of a solid use its vertices as nodes
  const int32_t *triangle = solid ? s->triangle : s->element, count = solid ? s->triangle_count : s->element_count;
  for (int32_t t = 0; t < count; ++t) {
    const int32_t* corner = triangle + 3 * (int64_t)t;
    const CpsVec3 p[3] = {place_of(s, corner[0]), place_of(s, corner[1]), place_of(s, corner[2])};
    const CpsClosest c = cps_closest_vertex_triangle(x, p);
    if (!(c.distance < least)) continue;
    least = c.distance;
    *at = between(corner, c.weight_b, 3);
  }
  return least < INFINITY ? CPS_OK : cps_fail(error, CPS_BAD_DATA, "no point of the %s is nearest", model->type->name);
}
