// Polygons to triangles: fans where they are convex, ears where they are not.
//
// A corner is an ear if the polygon turns left there, seen against its normal (Newell's, the sum of the areas), and no other
// corner is in the triangle with its two neighbours. Every simple polygon has two (Meisters 1975); one without crosses itself.
#include <math.h>
#include <stdlib.h>

#include "core/vec3.h"
#include "io/mesh/internal.h"

enum { MOST = 4096 };                  // limit for concave polygons: the search for ears is quadratic
static const double STRAIGHT = 1e-12;  // turns below this part of the squared size count as straight

typedef struct Polygon {
  const CpsVec3* x;
  int64_t count;
  CpsVec3 normal;  // unit
  double size;     // squared
} Polygon;

static double turn(const Polygon* p, int64_t a, int64_t b, int64_t c) {
  return cps_vec3_dot(p->normal, cps_vec3_cross(cps_vec3_sub(p->x[b], p->x[a]), cps_vec3_sub(p->x[c], p->x[b])));
}

static bool measure(Polygon* p) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int64_t i = 0; i < p->count; ++i) {
    const CpsVec3 a = cps_vec3_sub(p->x[i], p->x[0]), b = cps_vec3_sub(p->x[(i + 1) % p->count], p->x[0]);
    sum = cps_vec3_add(sum, cps_vec3_cross(a, b));
    p->size = fmax(p->size, cps_vec3_dot(a, a));
  }
  const double area = cps_vec3_norm(sum);
  if (!(area > STRAIGHT * p->size)) return false;
  p->normal = cps_vec3_scale(1.0 / area, sum);
  return true;
}

static bool is_convex(const Polygon* p) {
  for (int64_t i = 0; i < p->count; ++i) {
    if (turn(p, i, (i + 1) % p->count, (i + 2) % p->count) < -STRAIGHT * p->size) return false;
  }
  return true;
}

static bool is_inside(const Polygon* p, int64_t v, int64_t a, int64_t b, int64_t c) {
  const CpsVec3 x = p->x[v];
  if (cps_vec3_norm(cps_vec3_sub(x, p->x[a])) == 0.0 || cps_vec3_norm(cps_vec3_sub(x, p->x[b])) == 0.0 ||
      cps_vec3_norm(cps_vec3_sub(x, p->x[c])) == 0.0) {
    return false;
  }
  return turn(p, a, b, v) >= 0.0 && turn(p, b, c, v) >= 0.0 && turn(p, c, a, v) >= 0.0;
}

static bool is_ear(const Polygon* p, const int64_t* left, int64_t count, int64_t i) {
  const int64_t a = left[(i + count - 1) % count], b = left[i], c = left[(i + 1) % count];
  if (!(turn(p, a, b, c) > STRAIGHT * p->size)) return false;
  for (int64_t k = 0; k < count; ++k) {
    if (left[k] != a && left[k] != b && left[k] != c && is_inside(p, left[k], a, b, c)) return false;
  }
  return true;
}

// False if there is no ear: the polygon crosses itself. `left` has room for all corners.
static bool cut_ears(const Polygon* p, int64_t* left, int64_t (*out)[3]) {
  int64_t count = p->count;
  for (int64_t i = 0; i < count; ++i) left[i] = i;
  while (count > 3) {
    int64_t ear = 0;
    while (ear < count && !is_ear(p, left, count, ear)) ++ear;
    if (ear == count) return false;
    (*out)[0] = left[(ear + count - 1) % count], (*out)[1] = left[ear], (*out)[2] = left[(ear + 1) % count];
    ++out;
    for (int64_t k = ear; k + 1 < count; ++k) left[k] = left[k + 1];
    --count;
  }
  for (int k = 0; k < 3; ++k) (*out)[k] = left[k];
  return true;
}

CpsPolygonCut cps_polygon_cut(const CpsVec3* x, int64_t count, int64_t (*out)[3]) {
  Polygon p = {.x = x, .count = count};
  if (count == 3 || !measure(&p) || is_convex(&p)) {
    for (int64_t k = 2; k < count; ++k) out[k - 2][0] = 0, out[k - 2][1] = k - 1, out[k - 2][2] = k;
    return CPS_POLYGON_CUT;
  }
  if (count > MOST) return CPS_POLYGON_LARGE;
  int64_t* left = malloc((size_t)count * sizeof *left);
  if (!left) return CPS_POLYGON_NO_MEMORY;
  const bool cut = cut_ears(&p, left, out);
  free(left);
  return cut ? CPS_POLYGON_CUT : CPS_POLYGON_CROSSES;
}

CpsStatus cps_mesh_cut_polygon(CpsMeshBuild* build, const int64_t* vertex, int64_t count, int64_t (**triangles)[3]) {
  int64_t(*out)[3] = malloc((size_t)count * sizeof *out);
  CpsVec3* x = calloc((size_t)count, sizeof *x);
  bool known = true;
  for (int64_t i = 0; x && i < count; ++i) {
    known = known && vertex[i] >= 0 && vertex[i] < build->mesh.vertex_count;
    if (known) x[i] = build->mesh.vertices[vertex[i]];
  }
  CpsPolygonCut cut = !out || !x ? CPS_POLYGON_NO_MEMORY : cps_polygon_cut(x, known ? count : 3, out);
  // corners with invalid vertices are refused later, with their position
  for (int64_t k = 2; !known && out && k < count; ++k) out[k - 2][0] = 0, out[k - 2][1] = k - 1, out[k - 2][2] = k;
  free(x);
  *triangles = out;
  if (cut == CPS_POLYGON_CUT) return CPS_OK;
  free(out);
  *triangles = NULL;
  if (cut == CPS_POLYGON_NO_MEMORY) return cps_mesh_no_memory(build);
  if (cut == CPS_POLYGON_LARGE) return cps_mesh_refuse(build, "a concave polygon has %lld corners", (long long)count);
  return cps_mesh_refuse(build, "a polygon of the vertices %lld, %lld, %lld … (from 0) crosses itself",
                         (long long)vertex[0], (long long)vertex[1], (long long)vertex[2]);
}
