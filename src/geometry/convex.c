// Contact points of two convex shapes: choice of the algorithm, and conversion to the world.
//
// A sphere is a point and a capsule a segment, each with a radius subtracted from the gap; boxes, hulls and triangles
// are polytopes; cylinders have their own code (cylinder.c). For every pair an axis n of largest separation is found,
// in closed form or to rounding. Then the two surface patches facing each other along n are intersected, and all
// corners of the common part get their gaps along n. The smallest of these gaps is the separation itself: the distance
// of separated shapes, minus the depth of overlapping ones, a continuous function of the poses.
#include "geometry/convex.h"

#include "geometry/cylinder_touch.h"
#include "geometry/narrow.h"
#include "geometry/support.h"

CpsConvex cps_convex_geom(const CpsGeom* geom, const CpsPose* pose) {
  return (CpsConvex){.geom = geom, .pose = *pose, .rotation = cps_quat_matrix(pose->rotation)};
}

CpsConvex cps_convex_triangle(CpsVec3 a, CpsVec3 b, CpsVec3 c) {
  return (CpsConvex){.triangle = {a, b, c}, .rotation = cps_mat3_identity()};
}

// The working frame in the world, and a in the working frame.
typedef struct Frame {
  CpsMat3 R;
  CpsVec3 origin;
  CpsPlace place;
} Frame;

static Frame frame_of(const CpsConvex* a, const CpsConvex* b) {
  Frame frame = {.R = b->rotation};
  if (!b->geom) {  // a triangle is given in world coordinates: near a they are small
    frame.origin = a->pose.position;
    frame.place = (CpsPlace){a->rotation, {0.0, 0.0, 0.0}};
    return frame;
  }
  frame.origin = b->pose.position;
  for (int i = 0; i < 3; ++i) {
    const CpsVec3 column =
        cps_mat3_apply_transposed(b->rotation, cps_vec3(a->rotation.m[i], a->rotation.m[3 + i], a->rotation.m[6 + i]));
    frame.place.R.m[i] = column.x;
    frame.place.R.m[3 + i] = column.y;
    frame.place.R.m[6 + i] = column.z;
  }
  if (a->geom)  // polytope_of() moves triangles
    frame.place.d = cps_mat3_apply_transposed(b->rotation, cps_vec3_sub(a->pose.position, b->pose.position));
  return frame;
}

// Corners on the core of a become touches of the shape, which adds its radius.
static int to_world(const Frame* frame, CpsVec3 n, const CpsCorner* corners, int count, double radius, bool swapped,
                    CpsTouch* out) {
  const CpsVec3 normal = cps_vec3_unit(cps_mat3_apply(frame->R, n));
  for (int k = 0; k < count; ++k) {
    const double gap = corners[k].gap - radius;
    const CpsVec3 b = cps_vec3_add(frame->origin, cps_mat3_apply(frame->R, corners[k].point));
    const CpsVec3 a = cps_vec3_axpy(b, gap, normal);
    out[k] = (CpsTouch){.point_a = swapped ? b : a,
                        .point_b = swapped ? a : b,
                        .normal = swapped ? cps_vec3_scale(-1.0, normal) : normal,
                        .gap = gap,
                        .feature = corners[k].feature};
  }
  return count;
}

// The edge at a corner that is best aligned with a direction.
static int32_t edge_along(const CpsPolytope* p, const CpsPlace* place, int32_t vertex, CpsVec3 direction) {
  int32_t best = -1;
  double most = 0.0;
  for (int32_t e = 0; e < p->edge_count; ++e) {
    if (p->edge[e][0] != vertex && p->edge[e][1] != vertex) continue;
    CpsVec3 d = cps_vec3_unit(cps_vec3_sub(p->vertex[p->edge[e][1]], p->vertex[p->edge[e][0]]));
    if (place) d = cps_mat3_apply(place->R, d);
    const double along = fabs(cps_vec3_dot(d, direction));
    if (along > most + 1e-9) {
      most = along;
      best = e;
    }
  }
  return best;
}

static CpsVec3 edge_direction(const CpsPatch* edge) {
  return cps_vec3_unit(cps_vec3_sub(edge->corner[1], edge->corner[0]));
}

// Nearest points on a corner and an edge: for parallel edges, the ends of the common part.
static int collide_corner(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, const CpsNearest* nearest,
                          double margin, double scale, CpsVec3* n, CpsCorner* corners) {
  *n = cps_vec3_scale(1.0 / nearest->distance, cps_vec3_sub(nearest->point_a, nearest->point_b));
  CpsPatch edge_a, edge_b;
  edge_a.count = edge_b.count = 0;
  int32_t other;
  if (nearest->edge_a >= 0) {
    cps_patch_edge(a, place, nearest->edge_a, &edge_a);
    other = edge_along(b, NULL, nearest->vertex_b, edge_direction(&edge_a));
    if (other >= 0) cps_patch_edge(b, NULL, other, &edge_b);
  } else {
    cps_patch_edge(b, NULL, nearest->edge_b, &edge_b);
    other = edge_along(a, place, nearest->vertex_a, edge_direction(&edge_b));
    if (other >= 0) cps_patch_edge(a, place, other, &edge_a);
  }
  const CpsCorner witness = {nearest->point_b, nearest->distance, cps_feature(CPS_FEATURE_OTHER, 0, 0)};
  const int count = cps_clip_patches(&edge_a, &edge_b, *n, corners);
  return cps_finish_corners(corners, count, margin, scale, 1e-12 * scale, &witness);
}

// The contact point of the axis: the deepest corner of a face contact, or the crossing of two edges. `crossed`: two
// edges that cross within their lengths.
static CpsCorner witness_of(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, const CpsAxis* axis,
                            bool* crossed) {
  const CpsVec3 n = axis->normal;
  CpsCorner witness = {.gap = axis->separation, .feature = cps_feature(CPS_FEATURE_OTHER, 0, 0)};
  if (axis->kind == CPS_AXIS_EDGES) {
    const CpsVec3 p = cps_place_apply(place, a->vertex[a->edge[axis->a][0]]), q = b->vertex[b->edge[axis->b][0]];
    const CpsVec3 d = cps_vec3_sub(cps_place_apply(place, a->vertex[a->edge[axis->a][1]]), p);
    const CpsVec3 e = cps_vec3_sub(b->vertex[b->edge[axis->b][1]], q), w = cps_vec3_sub(p, q);
    // p + x d and q + y e with their difference along n: x = -det(w, e, n) / det(d, e, n), y = det(w, d, n) / det(e, d,
    // n)
    const CpsVec3 across_d = cps_vec3_cross(d, n), across_e = cps_vec3_cross(e, n);
    const double x = -cps_vec3_dot(w, across_e) / cps_vec3_dot(d, across_e);
    const double y = cps_vec3_dot(w, across_d) / cps_vec3_dot(e, across_d);
    *crossed = x >= -1e-9 && x <= 1.0 + 1e-9 && y >= -1e-9 && y <= 1.0 + 1e-9;
    witness.point = cps_vec3_axpy(q, fmin(fmax(y, 0.0), 1.0), e);
    witness.feature = cps_feature(CPS_FEATURE_EDGES, a->edge[axis->a][0], b->edge[axis->b][0]);
    return witness;
  }
  *crossed = false;
  const bool on_b = axis->kind == CPS_AXIS_FACE_A;  // the corner belongs to b
  const CpsPolytope* p = on_b ? b : a;
  double best = 0.0;
  int32_t corner = -1;
  for (int32_t v = 0; v < p->vertex_count; ++v) {
    const CpsVec3 x = on_b ? p->vertex[v] : cps_place_apply(place, p->vertex[v]);
    const double height = on_b ? cps_vec3_dot(n, x) : -cps_vec3_dot(n, x);
    if (corner >= 0 && height <= best) continue;
    best = height;
    corner = v;
    witness.point = on_b ? x : cps_vec3_axpy(x, -axis->separation, n);
  }
  witness.feature = on_b ? cps_feature(CPS_FEATURE_VERTEX_B, 0, corner) : cps_feature(CPS_FEATURE_VERTEX_A, corner, 0);
  return witness;
}

// Overlap with a triangle: use its own normal unless the shape is deeper than this share of its size. Small overlaps
// with the next triangle of a flat surface must not push it sideways.
static const double front_ratio = 0.01;

static bool choose_front(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, CpsAxis* axis) {
  const CpsVec3 front = b->normal[0];
  const double along = cps_vec3_dot(axis->normal, front);
  if (axis->separation > 0.0) return along >= 0.0;
  double low = 0.0;
  for (int32_t v = 0; v < a->vertex_count; ++v) {
    const double height = cps_vec3_dot(front, cps_place_apply(place, a->vertex[v])) - b->offset[0];
    low = fmin(low, height);
  }
  const double size = cps_polytope_scale(a, a);
  if (along < 0.0 || low >= fmin(2.0 * axis->separation, -front_ratio * size))
    *axis = (CpsAxis){front, low, CPS_AXIS_FACE_B, -1, 0};
  return true;
}

typedef struct Contact {
  CpsAxis axis;
  CpsCorner witness;
  int count;     // of corners
  bool touched;  // some pair of points is as close along the axis as its separation
} Contact;

static void touch_along(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, double slack, double scale,
                        Contact* contact, CpsCorner* corners) {
  const CpsVec3 n = contact->axis.normal;
  CpsPatch patch_a, patch_b;
  cps_patch_face(a, place, cps_vec3_scale(-1.0, n), &patch_a);
  cps_patch_face(b, NULL, n, &patch_b);
  contact->count = cps_clip_patches(&patch_a, &patch_b, n, corners);
  contact->witness = witness_of(a, place, b, &contact->axis, &contact->touched);
  cps_name_witness(&patch_a, &patch_b, n, scale, &contact->witness);
  for (int k = 0; k < contact->count; ++k)
    contact->touched = contact->touched || corners[k].gap <= contact->axis.separation + slack;
}

static int collide_polytopes(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, double margin,
                             CpsVec3* n, CpsCorner* corners) {
  Contact contact;
  if (!cps_sat_faces(a, place, b, margin, &contact.axis)) return 0;
  const bool triangle = b->face_count == 1;
  const double scale = cps_polytope_scale(a, b);
  // a face wins although two edges may be better by the bias; edges are exact up to rounding
  double slack = 1e-9 * scale;
  bool done = false;
  if (!triangle) {
    // A face that touches is the answer for separated shapes, and for barely overlapping ones nothing better exists.
    touch_along(a, place, b, slack, scale, &contact, corners);
    done = contact.touched && cps_face_decides(corners, contact.count, false, contact.axis.separation, scale);
  }
  if (!done) {
    cps_sat_edges(a, place, b, &contact.axis);
    if (contact.axis.separation > margin || (triangle && !choose_front(a, place, b, &contact.axis))) return 0;
    if (contact.axis.kind == CPS_AXIS_EDGES) slack = 1e-12 * scale;
    if (triangle || contact.axis.kind == CPS_AXIS_EDGES) touch_along(a, place, b, slack, scale, &contact, corners);
  }
  *n = contact.axis.normal;
  if (!contact.touched && contact.axis.separation > 0.0) {
    const CpsNearest nearest = cps_nearest_corner(a, place, b, &contact.axis, margin);
    if (nearest.distance < 0.0) return 0;
    if (nearest.distance > 1e-9 * scale) {
      const int count = collide_corner(a, place, b, &nearest, margin, scale, n, corners);
      return triangle && cps_vec3_dot(*n, b->normal[0]) < 0.0 ? 0 : count;
    }
  }
  return cps_finish_corners(corners, contact.count, margin, scale, slack, &contact.witness);
}

static const CpsPolytope* polytope_of(const CpsConvex* shape, const Frame* frame, CpsFlat* flat) {
  if (!shape->geom) {
    cps_flat_triangle(flat, cps_vec3_sub(shape->triangle[0], frame->origin),
                      cps_vec3_sub(shape->triangle[1], frame->origin), cps_vec3_sub(shape->triangle[2], frame->origin));
    return &flat->polytope;
  }
  if (shape->geom->kind == CPS_SHAPE_CAPSULE) {
    cps_flat_segment(flat, shape->geom->half_length);
    return &flat->polytope;
  }
  return shape->geom->polytope;
}

// The shape of higher rank becomes b.
static int rank(const CpsConvex* shape) {
  if (!shape->geom) return 3;
  switch (shape->geom->kind) {
    case CPS_SHAPE_SPHERE:
      return 0;
    case CPS_SHAPE_CAPSULE:
      return 1;
    case CPS_SHAPE_CYLINDER:
      return 4;
    default:
      return 2;
  }
}

static bool is_kind(const CpsConvex* shape, CpsShapeKind kind) {
  return shape->geom && shape->geom->kind == kind;
}

static double core_radius(const CpsConvex* shape) {
  return is_kind(shape, CPS_SHAPE_SPHERE) || is_kind(shape, CPS_SHAPE_CAPSULE) ? shape->geom->radius : 0.0;
}

static bool behind(const CpsConvex* shape, const CpsConvex* triangle) {
  const CpsVec3* t = triangle->triangle;
  const CpsVec3 normal = cps_vec3_cross(cps_vec3_sub(t[1], t[0]), cps_vec3_sub(t[2], t[0]));
  const CpsVec3 centre =
      cps_vec3_add(cps_vec3_sub(shape->pose.position, t[0]), cps_mat3_apply(shape->rotation, shape->geom->centre));
  return cps_vec3_dot(normal, centre) < 0.0;
}

enum { LOOKS = 5 };

// Whether some direction separates them by more than the margin, tried along the lines between successively closer points
// (Gilbert 1966). A positive answer is always right; it saves the full test for half of the pairs with overlapping boxes in a
// crowd.
static bool are_apart(const CpsConvex* a, const CpsConvex* b, const CpsPlace* place, double margin) {
  CpsVec3 room_a[2], room_b[2];
  const CpsSupport one = cps_support_of(a->geom, room_a), other = cps_support_of(b->geom, room_b);
  const double slack = 1e-12 * (a->geom->outer_radius + b->geom->outer_radius);
  CpsVec3 v = cps_vec3_sub(cps_place_apply(place, a->geom->centre), b->geom->centre);
  for (int look = 0; look < LOOKS; ++look) {
    const double far = cps_vec3_norm(v);
    if (!(far > margin)) return false;  // two points are within the margin
    const CpsVec3 down = cps_mat3_apply_transposed(place->R, cps_vec3_scale(-1.0, v));
    const CpsVec3 w = cps_vec3_sub(cps_place_apply(place, cps_support_point(&one, down)), cps_support_point(&other, v));
    if (cps_vec3_dot(v, w) > (margin + slack) * far) return true;
    const CpsVec3 on = cps_vec3_sub(w, v);
    const double length2 = cps_vec3_dot(on, on), t = -cps_vec3_dot(v, on);
    if (!(t > 0.0 && length2 > 0.0)) return false;
    v = cps_vec3_axpy(v, fmin(t / length2, 1.0), on);
  }
  return false;
}

int cps_convex_collide(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  if (!b->geom && behind(a, b)) return 0;
  const bool swapped = rank(a) > rank(b);
  if (swapped) {
    const CpsConvex* keep = a;
    a = b;
    b = keep;
  }
  const Frame frame = frame_of(a, b);
  const double radius = core_radius(a), reach = margin + radius;
  const bool sphere = is_kind(a, CPS_SHAPE_SPHERE), cylinder = is_kind(b, CPS_SHAPE_CYLINDER);
  CpsFlat flat_a, flat_b;
  CpsCorner corners[CPS_CORNERS_MAX + 1];
  CpsVec3 n;
  int count;
  if (cylinder && !sphere && a->geom && are_apart(a, b, &frame.place, reach)) return 0;
  if (cylinder && !sphere) {
    const CpsDrum b_drum = {b->geom->radius, b->geom->half_length};
    if (is_kind(a, CPS_SHAPE_CYLINDER)) {
      const CpsDrum a_drum = {a->geom->radius, a->geom->half_length};
      count = cps_drum_touch(NULL, &a_drum, &frame.place, b_drum, reach, &n, corners);
    } else {
      count = cps_drum_touch(polytope_of(a, &frame, &flat_a), NULL, &frame.place, b_drum, reach, &n, corners);
    }
  } else if (sphere) {
    const CpsVec3 x = frame.place.d;
    const double distance = cylinder ? cps_point_drum(x, (CpsDrum){b->geom->radius, b->geom->half_length}, &n)
                                     : cps_point_polytope(x, polytope_of(b, &frame, &flat_b), &n);
    corners[0] = (CpsCorner){cps_vec3_axpy(x, -distance, n), distance, 0};
    count = distance <= reach ? 1 : 0;
  } else {
    count = collide_polytopes(polytope_of(a, &frame, &flat_a), &frame.place, polytope_of(b, &frame, &flat_b), reach, &n,
                              corners);
  }
  return to_world(&frame, n, corners, count, radius, swapped, out);
}
