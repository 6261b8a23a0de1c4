// The common part of two patches seen along a normal, reduced to a few points.
//
// Both patches are projected along n to a plane with axes t, s; the polygon of b is cut by the sides of that of a
// (Sutherland and Hodgman 1974). At each corner (u, v) of the remainder the planes of the two faces give the heights
//
//   h = (offset - u m.t - v m.s) / m.n,     gap = h_a - h_b                                                       (1)
//
// for a face with normal m. A corner is a vertex of b, a vertex of a, or the crossing of two sides, and is named after
// them. The name depends neither on which face was cut by which nor on rounding: a corner within 1e-4 of the size of a
// vertex takes the name of the vertex, and corners that near to each other are merged (the lower one stays). Side lines are
// extended outwards by 1e-9 of the size, so that equal stacked boxes keep their four corners.
//
// More than eight corners are thinned out. Each time, the corner that forms the smallest triangle with its neighbours is
// removed, the later one of equals. The nearest point is added again if it is lost.
#include "geometry/narrow.h"

#include <float.h>

static const double merge_ratio = 1e-4;
static const double side_ratio = 1e-9;

typedef struct Point {
  double u, v;
  int32_t side_a, side_b;  // sides that meet here: index into the patch, -1 for none
  bool along_a;            // the side that follows is one of a
  int32_t side;            // which
} Point;

typedef struct Plane {
  double h, u, v;  // height h + u x + v y
} Plane;

static bool plane_heights(const CpsPatch* patch, CpsVec3 n, CpsVec3 t, CpsVec3 s, Plane* plane) {
  const double along = cps_vec3_dot(patch->normal, n);
  if (fabs(along) < CPS_STEEPEST) return false;
  *plane = (Plane){cps_vec3_dot(patch->normal, patch->corner[0]) / along, -cps_vec3_dot(patch->normal, t) / along,
                   -cps_vec3_dot(patch->normal, s) / along};
  return true;
}

static double patch_size(const CpsPatch* patch) {
  double size = 0.0;
  for (int k = 1; k < patch->count; ++k)
    size = fmax(size, cps_vec3_norm(cps_vec3_sub(patch->corner[k], patch->corner[0])));
  return size;
}

// Cuts a polygon by the line through p in direction (du, dv), of unit length, keeping its left; `side` of a names it.
static int cut(const Point* in, int count, double pu, double pv, double du, double dv, double slack, int32_t side,
               Point* out) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const Point* p = &in[k];
    const Point* q = &in[k + 1 == count ? 0 : k + 1];
    const double dp = du * (p->v - pv) - dv * (p->u - pu), dq = du * (q->v - pv) - dv * (q->u - pu);
    const bool p_in = dp >= -slack, q_in = dq >= -slack;
    if (p_in) out[kept++] = *p;
    if (p_in == q_in) continue;
    const double x = fmin(fmax(dp / (dp - dq), 0.0), 1.0);
    Point cross = {.u = p->u + x * (q->u - p->u), .v = p->v + x * (q->v - p->v), .side_a = side};
    cross.side_b = p->along_a ? -1 : p->side;
    cross.along_a = p_in ? true : p->along_a;  // going out the cut follows, coming in the rest of the side
    cross.side = p_in ? side : p->side;
    out[kept++] = cross;
  }
  return kept;
}

static bool near(const Point* p, const Point* q, double merge) {
  const double u = p->u - q->u, v = p->v - q->v;
  return u * u + v * v <= merge * merge;
}

static uint32_t name_of(const Point* p, const CpsPatch* a, const Point* flat_a, const CpsPatch* b, const Point* flat_b,
                        double merge) {
  for (int k = 0; k < b->count; ++k) {
    if (near(p, &flat_b[k], merge)) return cps_feature(CPS_FEATURE_VERTEX_B, 0, b->id[k]);
  }
  for (int k = 0; k < a->count; ++k) {
    if (near(p, &flat_a[k], merge)) return cps_feature(CPS_FEATURE_VERTEX_A, a->id[k], 0);
  }
  const int32_t side_a = p->side_a >= 0 ? a->id[p->side_a] : 511, side_b = p->side_b >= 0 ? b->id[p->side_b] : 511;
  return cps_feature(CPS_FEATURE_EDGES, side_a, side_b);
}

// Merges `corner` into `into` if they are near each other: keeps the lower position and the lower name.
static bool absorb(CpsCorner* into, const CpsCorner* corner, double merge) {
  if (cps_vec3_norm(cps_vec3_sub(into->point, corner->point)) > merge) return false;
  const uint32_t feature = into->feature < corner->feature ? into->feature : corner->feature;
  if (corner->gap < into->gap) *into = *corner;
  into->feature = feature;
  return true;
}

static int merge_corners(CpsCorner* c, int count, double merge) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    if (kept == 0 || !absorb(&c[kept - 1], &c[k], merge)) c[kept++] = c[k];
  }
  while (kept > 1 && absorb(&c[0], &c[kept - 1], merge)) kept--;
  return kept;
}

static void flatten(const CpsPatch* patch, CpsVec3 t, CpsVec3 s, Point* flat) {
  for (int k = 0; k < patch->count; ++k)
    flat[k] = (Point){.u = cps_vec3_dot(t, patch->corner[k]),
                      .v = cps_vec3_dot(s, patch->corner[k]),
                      .side_a = -1,
                      .side_b = k,
                      .side = k};
}

static int clip_polygons(const CpsPatch* a, const CpsPatch* b, CpsVec3 n, CpsCorner* out) {
  const CpsMat3 frame = cps_mat3_frame(n, cps_vec3(1.0, 0.0, 0.0));
  const CpsVec3 t = cps_vec3(frame.m[3], frame.m[4], frame.m[5]), s = cps_vec3(frame.m[6], frame.m[7], frame.m[8]);
  Plane plane_a, plane_b;
  if (!plane_heights(a, n, t, s, &plane_a) || !plane_heights(b, n, t, s, &plane_b)) return 0;
  const double size = fmin(patch_size(a), patch_size(b)), merge = merge_ratio * size;
  Point flat_a[CPS_PATCH_MAX], flat_b[CPS_PATCH_MAX], one[CPS_CORNERS_MAX], two[CPS_CORNERS_MAX];
  flatten(a, t, s, flat_a);
  flatten(b, t, s, flat_b);
  int count = b->count;
  for (int k = 0; k < count; ++k) one[k] = flat_b[k];
  Point *from = one, *to = two;
  for (int k = 0; k < a->count && count > 0; ++k) {
    // a faces against n: its corners run clockwise here
    const Point *p = &flat_a[k], *q = &flat_a[k + 1 == a->count ? 0 : k + 1];
    const double du = p->u - q->u, dv = p->v - q->v, length = sqrt(du * du + dv * dv);
    if (!(length > 0.0)) continue;
    count = cut(from, count, p->u, p->v, du / length, dv / length, side_ratio * size, k, to);
    Point* swap = from;
    from = to;
    to = swap;
  }
  for (int k = 0; k < count; ++k) {
    const double u = from[k].u, v = from[k].v;
    const double height_a = plane_a.h + plane_a.u * u + plane_a.v * v;
    const double height_b = plane_b.h + plane_b.u * u + plane_b.v * v;
    out[k].point = cps_vec3_axpy(cps_vec3_axpy(cps_vec3_scale(u, t), v, s), height_b, n);
    out[k].gap = height_a - height_b;
    out[k].feature = name_of(&from[k], a, flat_a, b, flat_b, merge);
  }
  return merge_corners(out, count, merge);
}

// The part of a segment over a polygon; its ends are named after those of the segment. `flip`: the segment belongs to b.
static int clip_segment(const CpsPatch* segment, const CpsPatch* polygon, CpsVec3 n, bool flip, CpsCorner* out) {
  const double along = cps_vec3_dot(polygon->normal, n);
  if (fabs(along) < CPS_STEEPEST) return 0;
  const CpsVec3 p = segment->corner[0], d = cps_vec3_sub(segment->corner[1], p);
  const double size = fmin(cps_vec3_norm(d), patch_size(polygon));
  double first = 0.0, last = 1.0;
  for (int k = 0; k < polygon->count; ++k) {
    const CpsVec3 c = polygon->corner[k];
    const CpsVec3 e = cps_vec3_sub(polygon->corner[k + 1 == polygon->count ? 0 : k + 1], c);
    // points into the polygon, in the plane seen along n
    CpsVec3 inward = cps_vec3_cross(n, e);
    if (along < 0.0) inward = cps_vec3_scale(-1.0, inward);
    const double length = cps_vec3_norm(inward), slack = side_ratio * size * length;
    const double at_p = cps_vec3_dot(inward, cps_vec3_sub(p, c)), slope = cps_vec3_dot(inward, d);
    if (at_p < -slack && at_p + slope < -slack) return 0;
    if (at_p < -slack) first = fmax(first, -at_p / slope);
    if (at_p + slope < -slack) last = fmin(last, -at_p / slope);
  }
  if (first > last) return 0;
  const double length = cps_vec3_norm(d), merge = merge_ratio * size;
  int count = 0;
  for (int k = 0; k < 2; ++k) {
    const CpsVec3 x = cps_vec3_axpy(p, k == 0 ? first : last, d);
    // along n from x to the plane of the polygon
    const double to_plane = cps_vec3_dot(polygon->normal, cps_vec3_sub(polygon->corner[0], x)) / along;
    out[count++] = (CpsCorner){.point = flip ? x : cps_vec3_axpy(x, to_plane, n),
                               .gap = flip ? to_plane : -to_plane,
                               .feature = cps_feature(CPS_FEATURE_OTHER, 0, 1 + k)};
  }
  if ((last - first) * length > merge) return count;
  // one point: the lower; it keeps the name of an end only if it coincides with it
  if (out[1].gap < out[0].gap) out[0] = out[1];
  const int end = first * length <= merge ? 1 : (1.0 - last) * length <= merge ? 2 : 0;
  out[0].feature = cps_feature(CPS_FEATURE_OTHER, 0, end);
  return 1;
}

// Two parallel segments: the ends of the common part. Empty if they cross.
static int clip_segments(const CpsPatch* a, const CpsPatch* b, CpsVec3 n, CpsCorner* out) {
  const CpsVec3 p = b->corner[0], q = a->corner[0];
  const CpsVec3 e = cps_vec3_sub(b->corner[1], p), d = cps_vec3_sub(a->corner[1], q);
  const CpsVec3 flat_e = cps_vec3_axpy(e, -cps_vec3_dot(e, n), n), flat_d = cps_vec3_axpy(d, -cps_vec3_dot(d, n), n);
  const double ee = cps_vec3_dot(flat_e, flat_e), dd = cps_vec3_dot(flat_d, flat_d), de = cps_vec3_dot(flat_d, flat_e);
  // parallel: a sine below 1e-3
  if (!(ee > 0.0 && dd > 0.0) || ee * dd - de * de > 1e-6 * ee * dd) return 0;
  const CpsVec3 w = cps_vec3_sub(q, p);
  // the points q + x d have the coordinate (w.e + x d.e) / e.e along b
  const double start = cps_vec3_dot(w, flat_e) / ee, slope = de / ee;
  double first = -start / slope, last = (1.0 - start) / slope;
  if (first > last) {
    const double swap = first;
    first = last;
    last = swap;
  }
  first = fmax(first, 0.0);
  last = fmin(last, 1.0);
  if (!((last - first) * sqrt(dd) > merge_ratio * sqrt(fmin(dd, ee)))) return 0;
  for (int k = 0; k < 2; ++k) {
    const double x = k == 0 ? first : last;
    const CpsVec3 on_b = cps_vec3_axpy(p, start + x * slope, e), on_a = cps_vec3_axpy(q, x, d);
    out[k] = (CpsCorner){on_b, cps_vec3_dot(n, cps_vec3_sub(on_a, on_b)), cps_feature(CPS_FEATURE_OTHER, 0, 1 + k)};
  }
  return 2;
}

int cps_clip_patches(const CpsPatch* a, const CpsPatch* b, CpsVec3 n, CpsCorner* out) {
  if (a->count < 2 || b->count < 2) return 0;
  if (a->count > 2 && b->count > 2) return clip_polygons(a, b, n, out);
  if (a->count == 2 && b->count == 2) return clip_segments(a, b, n, out);
  return a->count == 2 ? clip_segment(a, b, n, false, out) : clip_segment(b, a, n, true, out);
}

bool cps_corners_wide(const CpsCorner* c, int count, bool round, double limit, double width) {
  CpsVec3 low[CPS_CORNERS_MAX];
  int lows = 0;
  for (int k = 0; k < count; ++k) {
    if (c[k].gap <= limit) low[lows++] = c[k].point;
  }
  if (lows == 2) return round && cps_vec3_norm(cps_vec3_sub(low[1], low[0])) >= width;
  for (int k = 0; k < lows; ++k) {
    // from each side to the corner farthest from it
    const CpsVec3 e = cps_vec3_sub(low[k + 1 == lows ? 0 : k + 1], low[k]);
    double most = 0.0;
    for (int j = 0; j < lows; ++j) {
      const CpsVec3 x = cps_vec3_cross(e, cps_vec3_sub(low[j], low[k]));
      most = fmax(most, cps_vec3_dot(x, x));
    }
    if (most < width * width * cps_vec3_dot(e, e)) return false;
  }
  return lows > 2;
}

static int nearest_corner(const CpsPatch* patch, CpsVec3 x, double merge) {
  for (int k = 0; k < patch->count; ++k) {
    if (cps_vec3_norm(cps_vec3_sub(x, patch->corner[k])) <= merge) return k;
  }
  return -1;
}

void cps_name_witness(const CpsPatch* a, const CpsPatch* b, CpsVec3 n, double scale, CpsCorner* witness) {
  const double merge = merge_ratio * scale;
  const int on_a = nearest_corner(a, cps_vec3_axpy(witness->point, witness->gap, n), merge);
  const int on_b = nearest_corner(b, witness->point, merge);
  if (a->count == 2 || b->count == 2) {
    const int end = a->count == 2 ? on_a : on_b;
    if (end >= 0) witness->feature = cps_feature(CPS_FEATURE_OTHER, 0, 1 + end);
  } else if (on_b >= 0) {
    witness->feature = cps_feature(CPS_FEATURE_VERTEX_B, 0, b->id[on_b]);
  } else if (on_a >= 0) {
    witness->feature = cps_feature(CPS_FEATURE_VERTEX_A, a->id[on_a], 0);
  }
}

static void thin_out(CpsCorner* c, int* count) {
  while (*count > CPS_TOUCH_PAIR_MAX) {
    int gone = 0;
    double least = DBL_MAX;
    for (int k = 0; k < *count; ++k) {
      const CpsVec3 p = c[k == 0 ? *count - 1 : k - 1].point, q = c[k + 1 == *count ? 0 : k + 1].point;
      const double area = cps_vec3_norm(cps_vec3_cross(cps_vec3_sub(p, c[k].point), cps_vec3_sub(q, c[k].point)));
      // equal triangles differ by rounding
      if (area <= least * (1.0 + 1e-9)) {
        least = area;
        gone = k;
      }
    }
    for (int k = gone; k + 1 < *count; ++k) c[k] = c[k + 1];
    (*count)--;
  }
}

static void add_witness(CpsCorner* c, int* count, double scale, double slack, const CpsCorner* witness) {
  int nearest = -1;
  double least = DBL_MAX;
  for (int k = 0; k < *count; ++k) {
    if (c[k].gap <= witness->gap + slack) return;
    const double distance = cps_vec3_norm(cps_vec3_sub(c[k].point, witness->point));
    if (distance < least) {
      least = distance;
      nearest = k;
    }
  }
  if (nearest >= 0 && (least <= merge_ratio * scale || *count == CPS_TOUCH_PAIR_MAX)) {
    const uint32_t feature = c[nearest].feature;
    c[nearest] = *witness;
    c[nearest].feature = feature;
  } else {
    c[(*count)++] = *witness;
  }
}

static void sort_by_feature(CpsCorner* c, int count) {
  for (int k = 1; k < count; ++k) {
    const CpsCorner moved = c[k];
    int place = k;
    for (; place > 0 && c[place - 1].feature > moved.feature; --place) c[place] = c[place - 1];
    c[place] = moved;
  }
}

int cps_finish_corners(CpsCorner* corners, int count, double margin, double scale, double slack,
                       const CpsCorner* witness) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    if (corners[k].gap <= margin) corners[kept++] = corners[k];
  }
  thin_out(corners, &kept);
  if (witness->gap <= margin) add_witness(corners, &kept, scale, slack, witness);
  sort_by_feature(corners, kept);
  for (int k = 1; k < kept; ++k) {
    if (corners[k].feature <= corners[k - 1].feature) corners[k].feature = corners[k - 1].feature + 1;
  }
  return kept;
}
