// Isosurface stuffing. The lattice is body-centred cubic: its points have three even or three odd coordinates, half a cell apart.
// Each tetrahedron has two edges as long as a cell, one between even and one between odd points, and four shorter edges. Each
// point is classified as inside or outside. An edge with one end inside and one outside is cut at the surface. If a cut is nearer
// to a point than ALPHA of the edge length, the point is moved to the cut and lies on the surface. Then no cut is near a corner
// and no element is thin. The inside part of each tetrahedron has one of few shapes (stuffing_shapes.c).
#include "io/mesh/stuffing.h"

#include "io/mesh/stuffing_shapes.h"

#include <math.h>
#include <stdlib.h>

// Relative to the lengths of long and short edges: the values for which the authors prove bounds on the angles.
static const double ALPHA_LONG = 0.24999, ALPHA_SHORT = 0.41189;
// Rows of the winding number are displaced from the lattice by this part of a cell, so that they miss edges of regular surfaces.
static const double ASIDE[2] = {1.2345e-5, 2.3456e-5};

typedef struct Lattice {
  CpsSurfaceGrid grid;
  CpsVec3 low;
  double half;        // of a cell
  int32_t n[3];       // cells
  int64_t evens;      // number of points with even coordinates; the odd ones follow
  signed char* side;  // of each point: 1 inside, -1 outside, 0 on the surface
  CpsVec3* place;     // new positions of moved points; NULL for none
} Lattice;

// The number of a point, by doubled coordinates of one parity.
static int64_t number_of(const Lattice* l, const int32_t c[3]) {
  const int64_t i = c[0] / 2, j = c[1] / 2, k = c[2] / 2;
  if (c[0] % 2 == 0) return (k * (l->n[1] + 1) + j) * (l->n[0] + 1) + i;
  return l->evens + (k * l->n[1] + j) * l->n[0] + i;
}

static CpsVec3 lattice_place(const Lattice* l, const int32_t c[3]) {
  return cps_vec3_axpy(l->low, l->half, cps_vec3(c[0], c[1], c[2]));
}

static bool is_in(const Lattice* l, const int32_t c[3]) {
  for (int a = 0; a < 3; ++a) {
    if (c[a] < 0 || c[a] > 2 * l->n[a]) return false;
  }
  return true;
}

// Finds which points are inside, for the rows of one parity.
static bool find_sides(Lattice* l, int parity) {
  const CpsTriangleSoup* soup = &l->grid.soup;
  const int32_t count[3] = {l->n[0] + 1 - parity, l->n[1] + 1 - parity, l->n[2] + 1 - parity};
  const double cell = 2.0 * l->half;
  int32_t* winding = calloc((size_t)count[0] * (size_t)count[1] * (size_t)count[2], sizeof *winding);
  if (!winding) return false;
  const CpsVec3 from = cps_vec3_axpy(l->low, l->half, cps_vec3(parity, parity + ASIDE[0], parity + ASIDE[1]));
  for (int32_t t = 0; t < soup->triangle_count; ++t) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int v = 0; v < 3; ++v) {
      CpsVec3 x = soup->vertices[soup->triangles[3 * (int64_t)t + v]];
      double at[2] = {(x.y - from.y) / cell, (x.z - from.z) / cell};
      for (int a = 0; a < 2; ++a) low[a] = fmin(low[a], at[a]), high[a] = fmax(high[a], at[a]);
    }
    for (int32_t k = (int32_t)fmax(0.0, ceil(low[1])); k < count[2] && k <= high[1]; ++k) {
      for (int32_t j = (int32_t)fmax(0.0, ceil(low[0])); j < count[1] && j <= high[0]; ++j) {
        CpsGridRow row = {.from = cps_vec3(from.x, from.y + j * cell, from.z + k * cell),
                          .step = cell,
                          .count = count[0],
                          .winding = winding + ((int64_t)k * count[1] + j) * count[0]};
        cps_surface_wind(soup, t, &row);
      }
    }
  }
  signed char* side = l->side + (parity ? l->evens : 0);
  for (int64_t i = 0; i < (int64_t)count[0] * count[1] * count[2]; ++i) side[i] = winding[i] > 0 ? 1 : -1;
  free(winding);
  return true;
}

// Position in (0, 1) of the cut of the edge from a to b, from a. Both ends give the same point.
static double cut_at(const Lattice* l, const int32_t a[3], const int32_t b[3]) {
  bool turned = number_of(l, a) > number_of(l, b);
  CpsVec3 p = lattice_place(l, turned ? b : a), q = lattice_place(l, turned ? a : b);
  double s = cps_surface_grid_crossing(&l->grid, p, q);
  if (s < 0.0) {
    double d = cps_surface_grid_distance(&l->grid, p), e = cps_surface_grid_distance(&l->grid, q);
    s = d + e > 0.0 ? d / (d + e) : 0.5;
  }
  return turned ? 1.0 - s : s;
}

// The k-th of the 14 neighbours of a point: six along the axes, eight at the cell corners.
static void neighbour(const int32_t c[3], int k, int32_t out[3]) {
  for (int a = 0; a < 3; ++a) {
    int32_t by = k < 6 ? (k / 2 == a ? (k % 2 ? 2 : -2) : 0) : ((k - 6) >> a & 1 ? 1 : -1);
    out[a] = c[a] + by;
  }
}

static void warp_point(Lattice* l, const int32_t c[3]) {
  const int64_t own = number_of(l, c);
  double best = INFINITY;
  for (int k = 0; k < 14; ++k) {
    int32_t other[3];
    neighbour(c, k, other);
    if (!is_in(l, other) || l->side[number_of(l, other)] * l->side[own] >= 0) continue;
    double s = cut_at(l, c, other);
    if (s > (k < 6 ? ALPHA_LONG : ALPHA_SHORT)) continue;
    CpsVec3 x = cps_vec3_axpy(lattice_place(l, c), s, cps_vec3_sub(lattice_place(l, other), lattice_place(l, c)));
    double way = cps_vec3_norm(cps_vec3_sub(x, lattice_place(l, c)));
    if (way < best) best = way, l->place[own] = x;
  }
  if (isfinite(best)) l->side[own] = 0;
}

// Visits all points of both kinds, in the order of their numbers.
static void for_points(Lattice* l, void (*act)(Lattice*, const int32_t[3])) {
  for (int32_t parity = 0; parity < 2; ++parity) {
    int32_t c[3];
    for (c[2] = parity; c[2] <= 2 * l->n[2] - parity; c[2] += 2) {
      for (c[1] = parity; c[1] <= 2 * l->n[1] - parity; c[1] += 2) {
        for (c[0] = parity; c[0] <= 2 * l->n[0] - parity; c[0] += 2) act(l, c);
      }
    }
  }
}

static void place_point(Lattice* l, const int32_t c[3]) {
  l->place[number_of(l, c)] = lattice_place(l, c);
}

// A tetrahedron of the lattice: its corners in the order of the shapes, with the cuts of its edges.
static bool fill(Lattice* l, CpsStuffer* to, int32_t c[4][3]) {
  CpsStuffCorner corner[4];
  bool inside = false;
  for (int i = 0; i < 4; ++i) {
    int64_t number = number_of(l, c[i]);
    corner[i] = (CpsStuffCorner){number, l->side[number], l->place[number]};
    inside = inside || l->side[number] > 0;
  }
  if (!inside) return true;
  CpsVec3 cut[4][4];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      if (corner[i].side <= 0 || corner[j].side >= 0) continue;
      double s = cut_at(l, c[i], c[j]);
      cut[i][j] = cps_vec3_axpy(corner[i].place, s, cps_vec3_sub(corner[j].place, corner[i].place));
    }
  }
  return cps_stuff_shape(to, corner, cut);
}

// The four tetrahedra around each long edge between even points, each completed by two adjacent odd points.
static bool fill_all(Lattice* l, CpsStuffer* to) {
  static const int RING[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
  int32_t c[4][3];
  for (int32_t k = 0; k <= 2 * l->n[2]; k += 2) {
    for (int32_t j = 0; j <= 2 * l->n[1]; j += 2) {
      for (int32_t i = 0; i <= 2 * l->n[0]; i += 2) {
        for (int axis = 0; axis < 3; ++axis) {
          const int32_t a[3] = {i, j, k};
          for (int r = 0; r < 4; ++r) {
            for (int x = 0; x < 3; ++x) c[0][x] = c[1][x] = c[2][x] = c[3][x] = a[x];
            c[1][axis] += 2;
            for (int e = 0; e < 2; ++e) {
              c[2 + e][axis] += 1;
              c[2 + e][(axis + 1) % 3] += RING[r + e][0];
              c[2 + e][(axis + 2) % 3] += RING[r + e][1];
            }
            if (!is_in(l, c[1]) || !is_in(l, c[2]) || !is_in(l, c[3])) continue;
            if (!fill(l, to, c)) return false;
          }
        }
      }
    }
  }
  return true;
}

static CpsStuffingEnd stuff(Lattice* l, CpsStuffer* to) {
  for (int a = 0; a < 3; ++a) l->n[a] = l->grid.count[a];
  l->low = l->grid.low;
  l->half = 0.5 * l->grid.cell;
  l->evens = (int64_t)(l->n[0] + 1) * (l->n[1] + 1) * (l->n[2] + 1);
  const int64_t points = l->evens + (int64_t)l->n[0] * l->n[1] * l->n[2];
  l->side = calloc((size_t)points, sizeof *l->side);
  l->place = calloc((size_t)points, sizeof *l->place);
  if (!l->side || !l->place || !find_sides(l, 0) || !find_sides(l, 1)) return CPS_STUFFING_NO_MEMORY;
  for_points(l, place_point);
  for_points(l, warp_point);
  if (!fill_all(l, to)) return CPS_STUFFING_NO_MEMORY;
  return to->out.tetrahedron_count > 0 ? CPS_STUFFED : CPS_STUFFING_EMPTY;
}

CpsStuffingEnd cps_stuff(CpsTriangleSoup soup, double size, CpsStuffing* out) {
  Lattice l = {0};
  CpsStuffer to = {0};
  CpsArena arena = {0};
  CpsStuffingEnd end = CPS_STUFFING_TOO_FINE;
  if (cps_surface_grid_create(soup, size, &arena, &l.grid)) end = stuff(&l, &to);
  free(l.side);
  free(l.place);
  cps_arena_free(&arena);
  *out = cps_stuffer_finish(&to);
  if (end != CPS_STUFFED) cps_stuffing_free(out);
  return end;
}

void cps_stuffing_free(CpsStuffing* stuffing) {
  free(stuffing->vertices);
  free(stuffing->tetrahedra);
  *stuffing = (CpsStuffing){0};
}
