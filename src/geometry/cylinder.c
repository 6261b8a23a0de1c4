// A cylinder against a point, a segment, a triangle or a polytope: separating axes.
//
//   s(n) = min_a n.a - r |n_xy| - h |n_z|,   s* = max over unit n                                                  (1)
//
// for the cylinder b with axis z, radius r and half length h. The maximum is taken
//   - at minus the normal of a face of a,
//   - along the axis (a cap),
//   - across the axis: n = +-(e x z) for an edge e of a on the outline seen along z, or from the axis to the corner of
//     a that is nearest to it,
//   - where a corner of a is nearest: from the nearest point of the cylinder to it, if it is outside,
//   - between the rim and an edge of a: on the arc of normals of the edge (arc.c).
// Each candidate is evaluated by (1), so the separation is never overestimated. A candidate later in this list must be better by
// 1e-9 of the size, as in sat.c. Distance and depth are exact to rounding, with the exceptions of arc.c.
#include "geometry/cylinder.h"

#include <float.h>

static const double bias_ratio = 1e-9;
static const double pi = 3.14159265358979323846;
static const CpsVec3 up = {0.0, 0.0, 1.0};

static CpsVec3 nearest_in_drum(CpsVec3 x, CpsDrum b) {
  const double flat = sqrt(x.x * x.x + x.y * x.y), in = flat > b.radius ? b.radius / flat : 1.0;
  return cps_vec3(in * x.x, in * x.y, fmin(fmax(x.z, -b.half_length), b.half_length));
}

double cps_point_drum(CpsVec3 x, CpsDrum b, CpsVec3* normal) {
  const double flat = sqrt(x.x * x.x + x.y * x.y), side = flat - b.radius, cap = fabs(x.z) - b.half_length;
  const CpsVec3 away = cps_vec3_sub(x, nearest_in_drum(x, b));
  const double distance = cps_vec3_norm(away);
  // a direction between points so near is noise
  if (distance > 1e-10 * fmin(b.radius, b.half_length)) {
    *normal = cps_vec3_scale(1.0 / distance, away);
    return distance;
  }
  if (cap >= side || !(flat > 0.0)) {
    *normal = cps_vec3(0.0, 0.0, x.z < 0.0 ? -1.0 : 1.0);
    return cap;
  }
  *normal = cps_vec3(x.x / flat, x.y / flat, 0.0);
  return side;
}

typedef struct Search {
  const CpsPolytope* a;
  const CpsPlace* place;
  CpsDrum b;
  double bias;
  CpsAxis* best;
} Search;

// A smooth maximum may be close to another candidate and must not lose to it: only flat contacts suppress it.
static void offer(Search* search, CpsVec3 n, double separation, int32_t edge) {
  const double bias = search->best->kind == CPS_AXIS_OTHER ? 0.0 : search->bias;
  if (separation > search->best->separation + bias)
    *search->best = (CpsAxis){n, separation, edge < 0 ? CPS_AXIS_OTHER : CPS_AXIS_EDGES, edge, -1};
}

// s(n) with the lowest corner of a.
static double separation_along(const Search* search, CpsVec3 n) {
  const CpsVec3 own = cps_mat3_apply_transposed(search->place->R, n);
  double low = DBL_MAX;
  for (int32_t k = 0; k < search->a->vertex_count; ++k) low = fmin(low, cps_vec3_dot(own, search->a->vertex[k]));
  return low + cps_vec3_dot(n, search->place->d) - search->b.radius * sqrt(n.x * n.x + n.y * n.y) -
         search->b.half_length * fabs(n.z);
}

static void try_direction(Search* search, CpsVec3 n) {
  if (cps_vec3_dot(n, n) > 0.5) offer(search, n, separation_along(search, n), -1);
}

static void try_corners(Search* search) {
  double nearest = DBL_MAX, nearest_axis = DBL_MAX;
  CpsVec3 away = {0.0, 0.0, 0.0}, radial = {0.0, 0.0, 0.0};
  for (int32_t k = 0; k < search->a->vertex_count; ++k) {
    const CpsVec3 x = cps_place_apply(search->place, search->a->vertex[k]);
    const CpsVec3 d = cps_vec3_sub(x, nearest_in_drum(x, search->b));
    const double distance = cps_vec3_norm(d), flat = sqrt(x.x * x.x + x.y * x.y);
    if (distance < nearest) {
      nearest = distance;
      away = d;
    }
    if (flat < nearest_axis) {
      nearest_axis = flat;
      radial = cps_vec3(x.x, x.y, 0.0);
    }
  }
  if (nearest_axis > 0.0) try_direction(search, cps_vec3_scale(1.0 / nearest_axis, radial));
  if (nearest > search->bias) try_direction(search, cps_vec3_scale(1.0 / nearest, away));
}

// The arc of n over which an edge of a is its lowest part: from u over v to `end`; false for an edge without length.
static bool edge_arc(const Search* search, int32_t k, CpsVec3 e, CpsVec3* u, CpsVec3* v, double* end) {
  const int32_t f = search->a->edge_face[k][0], g = search->a->edge_face[k][1];
  if (f < 0) {  // a free segment: all around
    const CpsMat3 frame = cps_mat3_frame(e, up);
    *u = cps_vec3(frame.m[3], frame.m[4], frame.m[5]);
    *v = cps_vec3(frame.m[6], frame.m[7], frame.m[8]);
    *end = 2.0 * pi;
    return true;
  }
  const CpsVec3 left = cps_mat3_apply(search->place->R, search->a->normal[f]);
  *u = cps_vec3_scale(-1.0, left);
  *v = cps_vec3_cross(left, e);  // minus the direction out of the left face across the edge
  *v = cps_vec3_unit(cps_vec3_axpy(*v, -cps_vec3_dot(*v, *u), *u));
  *end = pi;
  if (g >= 0) {
    const CpsVec3 right = cps_mat3_apply(search->place->R, search->a->normal[g]);
    *end = atan2(-cps_vec3_dot(right, *v), -cps_vec3_dot(right, *u));
  }
  return *end > 0.0;
}

// Whether the arc of an edge cannot contain a better direction: a point q of the cylinder below the planes of both
// faces, at heights x1, x2 <= 0, gives s(n) <= n.(p - q) <= max(x1, x2) for all n in between.
static bool arc_is_hopeless(const Search* search, int32_t k) {
  const int32_t f = search->a->edge_face[k][0], g = search->a->edge_face[k][1];
  if (f < 0 || g < 0) return false;
  const CpsVec3 m1 = cps_mat3_apply(search->place->R, search->a->normal[f]);
  const CpsVec3 m2 = cps_mat3_apply(search->place->R, search->a->normal[g]);
  const double o1 = search->a->offset[f] + cps_vec3_dot(m1, search->place->d);
  const double o2 = search->a->offset[g] + cps_vec3_dot(m2, search->place->d);
  const CpsVec3 q[3] = {{0.0, 0.0, 0.0},
                        cps_drum_support(search->b, cps_vec3_scale(-1.0, m1)),
                        cps_drum_support(search->b, cps_vec3_scale(-1.0, m2))};
  for (int j = 0; j < 3; ++j) {
    const double most = fmax(cps_vec3_dot(m1, q[j]) - o1, cps_vec3_dot(m2, q[j]) - o2);
    if (most <= 0.0 && most <= search->best->separation) return true;
  }
  return false;
}

static void try_edges(Search* search) {
  const CpsPolytope* a = search->a;
  for (int pass = 0; pass < 2; ++pass) {  // first across the axis, then the rim
    for (int32_t k = 0; k < a->edge_count; ++k) {
      const CpsVec3 p = cps_place_apply(search->place, a->vertex[a->edge[k][0]]);
      const CpsVec3 span = cps_vec3_sub(cps_place_apply(search->place, a->vertex[a->edge[k][1]]), p);
      const double length = cps_vec3_norm(span);
      if (!(length > 0.0)) continue;
      const CpsVec3 e = cps_vec3_scale(1.0 / length, span);
      if (pass == 0) {
        const double across = sqrt(e.x * e.x + e.y * e.y);
        if (across < 1e-6) continue;  // along the axis: the direction would be noise
        const CpsVec3 n = cps_vec3(e.y / across, -e.x / across, 0.0);
        // only a direction in which the edge is the lowest part of a
        const double height = cps_vec3_dot(n, p), slack = search->bias + 1e-14 * cps_vec3_norm(p);
        const double up_side = separation_along(search, n),
                     down_side = separation_along(search, cps_vec3_scale(-1.0, n));
        if (up_side >= height - search->b.radius - slack) offer(search, n, up_side, k);
        if (down_side >= -height - search->b.radius - slack) offer(search, cps_vec3_scale(-1.0, n), down_side, k);
        continue;
      }
      CpsVec3 u, v, n;
      double end;
      if (arc_is_hopeless(search, k) || !edge_arc(search, k, e, &u, &v, &end)) continue;
      const CpsOpposite edge = {.point = p};
      const double s = cps_drum_arc(search->b, &edge, u, v, end, search->best->separation, &n);
      if (s > search->best->separation) offer(search, n, s, -1);
    }
  }
}

// Where b touches along n: the middle of its support, moved within it towards x.
static CpsVec3 touching_point(CpsDrum b, CpsVec3 n, CpsVec3 x) {
  CpsVec3 p = cps_drum_support(b, n);
  const CpsVec3 near = nearest_in_drum(x, b);
  if (fabs(n.z) < 1e-9) p.z = near.z;
  if (sqrt(n.x * n.x + n.y * n.y) < 1e-9) {
    p.x = near.x;
    p.y = near.y;
  }
  return p;
}

static CpsVec3 lowest_corner(const Search* search, CpsVec3 n) {
  CpsVec3 best = {0.0, 0.0, 0.0};
  double low = DBL_MAX;
  for (int32_t k = 0; k < search->a->vertex_count; ++k) {
    const CpsVec3 x = cps_place_apply(search->place, search->a->vertex[k]);
    const double height = cps_vec3_dot(n, x);
    if (height < low) {
      low = height;
      best = x;
    }
  }
  return best;
}

// The point where an edge across the axis passes it.
static CpsVec3 crossing(const Search* search, int32_t edge, CpsVec3 n) {
  const CpsVec3 p = cps_place_apply(search->place, search->a->vertex[search->a->edge[edge][0]]);
  const CpsVec3 e = cps_vec3_sub(cps_place_apply(search->place, search->a->vertex[search->a->edge[edge][1]]), p);
  const CpsVec3 side = cps_vec3_cross(up, n);
  const double x = -cps_vec3_dot(p, side) / cps_vec3_dot(e, side);
  return cps_vec3_axpy(p, fmin(fmax(x, 0.0), 1.0), e);
}

bool cps_drum_polytope(const CpsPolytope* a, const CpsPlace* place, CpsDrum b, double margin, bool flat, CpsAxis* axis,
                       CpsVec3* point) {
  *axis = (CpsAxis){.separation = -DBL_MAX, .kind = CPS_AXIS_OTHER, .a = -1, .b = -1};
  Search search = {a, place, b, bias_ratio * fmin(b.radius, b.half_length), axis};
  for (int32_t f = 0; f < a->face_count; ++f) {
    const CpsVec3 n = cps_vec3_scale(-1.0, cps_mat3_apply(place->R, a->normal[f]));
    const double low = cps_vec3_dot(n, place->d) - a->offset[f];
    const double separation = low - b.radius * sqrt(n.x * n.x + n.y * n.y) - b.half_length * fabs(n.z);
    if (separation > axis->separation + search.bias) *axis = (CpsAxis){n, separation, CPS_AXIS_FACE_A, f, -1};
  }
  for (int sign = 1; sign >= -1; sign -= 2) {
    const CpsVec3 n = cps_vec3_scale(sign, up);
    const double separation = separation_along(&search, n);
    if (separation > axis->separation + search.bias) *axis = (CpsAxis){n, separation, CPS_AXIS_FACE_B, -1, -1};
  }
  if (axis->separation > margin) return false;
  if (!flat) {
    try_corners(&search);
    if (axis->separation > margin) return false;
    try_edges(&search);
    if (axis->separation > margin) return false;
  }
  const CpsVec3 n = axis->normal;
  *point =
      touching_point(b, n, axis->kind == CPS_AXIS_EDGES ? crossing(&search, axis->a, n) : lowest_corner(&search, n));
  return true;
}

// Corners of the polygon that represents a cap.
enum { CAP_CORNERS = 16 };

void cps_patch_drum(CpsDrum drum, const CpsPlace* place, CpsVec3 m, CpsVec3 along, CpsPatch* patch) {
  const CpsVec3 own = place ? cps_mat3_apply_transposed(place->R, m) : m;
  CpsVec3 start = place ? cps_mat3_apply_transposed(place->R, along) : along;
  const double flat = sqrt(own.x * own.x + own.y * own.y);
  if (fabs(own.z) <= flat) {  // the side
    const CpsVec3 side = cps_vec3(drum.radius * own.x / flat, drum.radius * own.y / flat, 0.0);
    patch->count = 2;
    for (int k = 0; k < 2; ++k) {
      patch->corner[k] = cps_vec3(side.x, side.y, k == 0 ? -drum.half_length : drum.half_length);
      patch->id[k] = k;
    }
  } else {
    const double sign = own.z > 0.0 ? 1.0 : -1.0, length = sqrt(start.x * start.x + start.y * start.y);
    start = length > 1e-6 ? cps_vec3(start.x / length, start.y / length, 0.0) : cps_vec3(1.0, 0.0, 0.0);
    patch->count = CAP_CORNERS;
    patch->normal = cps_vec3(0.0, 0.0, sign);
    for (int k = 0; k < CAP_CORNERS; ++k) {
      const double c = drum.radius * cos(2.0 * pi * k / CAP_CORNERS),
                   s = drum.radius * sin(2.0 * pi * k / CAP_CORNERS) * sign;
      patch->corner[k] = cps_vec3(c * start.x - s * start.y, c * start.y + s * start.x, sign * drum.half_length);
      patch->id[k] = k;
    }
  }
  for (int k = 0; place && k < patch->count; ++k) patch->corner[k] = cps_place_apply(place, patch->corner[k]);
  if (place && patch->count > 2) patch->normal = cps_mat3_apply(place->R, patch->normal);
}
