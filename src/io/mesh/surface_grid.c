// A triangle is listed in each cell whose centre is nearer to it than half of the cell's diagonal and a cell's size, so that all
// triangles within that size of any point of the cell are there.
//
// A point is inside by the number of times the surface winds around it: each triangle that the ray along the first axis leaves
// through from behind counts one, each that it enters from the front takes one away.
#include "io/mesh/surface_grid.h"

#include "geometry/triangle_pairs.h"

#include <math.h>
#include <stdlib.h>

static void corners_of(const CpsTriangleSoup* soup, int32_t t, CpsVec3 out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = soup->vertices[soup->triangles[3 * (int64_t)t + k]];
}

static int32_t cell_of(const CpsSurfaceGrid* g, int axis, double x) {
  double i = floor((x - (&g->low.x)[axis]) / g->cell);
  return i < 0.0 ? 0 : i >= g->count[axis] ? g->count[axis] - 1 : (int32_t)i;
}

static int64_t number_of(const CpsSurfaceGrid* g, int32_t i, int32_t j, int32_t k) {
  return ((int64_t)k * g->count[1] + j) * g->count[0] + i;
}

// Visits each cell of a triangle: counts into `start`, or fills `item`.
static void list_triangle(CpsSurfaceGrid* g, int32_t t, int64_t* next) {
  CpsVec3 p[3];
  corners_of(&g->soup, t, p);
  int32_t first[3], last[3];
  for (int a = 0; a < 3; ++a) {
    double x[3] = {(&p[0].x)[a], (&p[1].x)[a], (&p[2].x)[a]};
    first[a] = cell_of(g, a, fmin(x[0], fmin(x[1], x[2])) - g->cell);
    last[a] = cell_of(g, a, fmax(x[0], fmax(x[1], x[2])) + g->cell);
  }
  const double reach = g->cell * (1.0 + 0.5 * sqrt(3.0));
  for (int32_t k = first[2]; k <= last[2]; ++k) {
    for (int32_t j = first[1]; j <= last[1]; ++j) {
      for (int32_t i = first[0]; i <= last[0]; ++i) {
        CpsVec3 centre = cps_vec3_axpy(g->low, g->cell, cps_vec3(i + 0.5, j + 0.5, k + 0.5));
        if (cps_closest_vertex_triangle(centre, p).distance > reach) continue;
        int64_t cell = number_of(g, i, j, k);
        if (next) {
          g->item[next[cell]++] = t;
        } else {
          g->start[cell + 1]++;
        }
      }
    }
  }
}

static bool measure(CpsSurfaceGrid* g) {
  CpsVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < 3 * (int64_t)g->soup.triangle_count; ++i) {
    CpsVec3 x = g->soup.vertices[g->soup.triangles[i]];
    low = cps_vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = cps_vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  double cells = 1.0;
  for (int a = 0; a < 3; ++a) {
    double n = ceil(((&high.x)[a] - (&low.x)[a]) / g->cell) + 3.0;
    (&g->low.x)[a] = (&low.x)[a] - 1.5 * g->cell;
    cells *= n;
    if (!(n < CPS_GRID_CELLS)) return false;
    g->count[a] = (int32_t)n;
  }
  return cells <= CPS_GRID_CELLS;
}

bool cps_surface_grid_create(CpsTriangleSoup soup, double cell, CpsArena* arena, CpsSurfaceGrid* g) {
  *g = (CpsSurfaceGrid){.soup = soup, .cell = cell};
  if (!measure(g)) return false;
  const int64_t cells = (int64_t)g->count[0] * g->count[1] * g->count[2];
  g->start = CPS_TAKE_ZERO(arena, int64_t, cells + 1);
  if (!g->start) return false;
  for (int32_t t = 0; t < soup.triangle_count; ++t) list_triangle(g, t, NULL);
  for (int64_t i = 0; i < cells; ++i) g->start[i + 1] += g->start[i];
  g->item = CPS_TAKE(arena, int32_t, g->start[cells]);
  int64_t* next = CPS_TAKE(arena, int64_t, cells);
  if (!g->item || !next) return false;
  for (int64_t i = 0; i < cells; ++i) next[i] = g->start[i];
  for (int32_t t = 0; t < soup.triangle_count; ++t) list_triangle(g, t, next);
  return true;
}

static int64_t cell_at(const CpsSurfaceGrid* g, CpsVec3 x) {
  return number_of(g, cell_of(g, 0, x.x), cell_of(g, 1, x.y), cell_of(g, 2, x.z));
}

double cps_surface_grid_distance(const CpsSurfaceGrid* g, CpsVec3 x) {
  double least = INFINITY;
  CpsVec3 p[3];
  const int64_t cell = cell_at(g, x);
  for (int64_t i = g->start[cell]; i < g->start[cell + 1]; ++i) {
    corners_of(&g->soup, g->item[i], p);
    least = fmin(least, cps_closest_vertex_triangle(x, p).distance);
  }
  if (least <= g->cell) return least;
  for (int32_t t = 0; t < g->soup.triangle_count; ++t) {
    corners_of(&g->soup, t, p);
    least = fmin(least, cps_closest_vertex_triangle(x, p).distance);
  }
  return least;
}

// Parameter s at which a + s (b - a) is in the triangle, or -1 (Moeller and Trumbore).
static double cross_triangle(const CpsVec3 p[3], CpsVec3 a, CpsVec3 b) {
  CpsVec3 d = cps_vec3_sub(b, a), e = cps_vec3_sub(p[1], p[0]), f = cps_vec3_sub(p[2], p[0]);
  CpsVec3 h = cps_vec3_cross(d, f), o = cps_vec3_sub(a, p[0]), q = cps_vec3_cross(o, e);
  double det = cps_vec3_dot(e, h);
  if (det == 0.0) return -1.0;
  double u = cps_vec3_dot(o, h) / det, v = cps_vec3_dot(d, q) / det, s = cps_vec3_dot(f, q) / det;
  const double slack = 1e-9;
  if (!(u >= -slack && v >= -slack && u + v <= 1.0 + slack && s >= 0.0 && s <= 1.0)) return -1.0;
  return s;
}

double cps_surface_grid_crossing(const CpsSurfaceGrid* g, CpsVec3 a, CpsVec3 b) {
  double first = INFINITY;
  const int64_t cell = cell_at(g, a);
  for (int64_t i = g->start[cell]; i < g->start[cell + 1]; ++i) {
    CpsVec3 p[3];
    corners_of(&g->soup, g->item[i], p);
    double s = cross_triangle(p, a, b);
    if (s >= 0.0) first = fmin(first, s);
  }
  return isfinite(first) ? first : -1.0;
}

void cps_surface_wind(const CpsTriangleSoup* soup, int32_t triangle, const CpsGridRow* row) {
  CpsVec3 p[3];
  corners_of(soup, triangle, p);
  double area[3], sum = 0.0;  // of the foot of the row with each side, seen along the first axis
  for (int k = 0; k < 3; ++k) {
    CpsVec3 a = p[(k + 1) % 3], b = p[(k + 2) % 3];
    area[k] = (a.y - row->from.y) * (b.z - row->from.z) - (a.z - row->from.z) * (b.y - row->from.y);
    sum += area[k];
  }
  bool left = area[0] > 0.0 && area[1] > 0.0 && area[2] > 0.0, right = area[0] < 0.0 && area[1] < 0.0 && area[2] < 0.0;
  if (!left && !right) return;
  double x = (area[0] * p[0].x + area[1] * p[1].x + area[2] * p[2].x) / sum;
  for (int32_t i = 0; i < row->count && row->from.x + i * row->step < x; ++i) row->winding[i] += left ? 1 : -1;
}
