// Contact points of a cylinder: its cap or side line against the opposite face, edge or cap, and the nearest point.
//
// Parallel sides touch at both ends of their common part (sides.c).
//
// A polygon of points on the rim represents a cap. It starts along a side of the supporting face, so that the points do not rotate
// with a spinning cylinder. The nearest point is always included, even if it lies between two corners.
#include "geometry/cylinder_touch.h"

// as for polytopes: the cylinder's own bias is 1e-9 of its size
static const double slack_ratio = 1e-9;
static const double front_ratio = 0.01;

// Overlapping a triangle a: its own normal unless the cylinder is far behind it, as in convex.c.
static bool choose_front(const CpsPolytope* a, const CpsPlace* place, CpsDrum b, CpsAxis* axis, CpsVec3* point) {
  const CpsVec3 n = cps_vec3_scale(-1.0, cps_mat3_apply(place->R, a->normal[0]));
  const double along = cps_vec3_dot(axis->normal, n);
  if (axis->separation > 0.0) return along >= 0.0;
  const double height = cps_vec3_dot(n, place->d) - a->offset[0];
  const double separation = height - b.radius * sqrt(n.x * n.x + n.y * n.y) - b.half_length * fabs(n.z);
  const double size = 2.0 * fmin(b.radius, b.half_length);
  if (along < 0.0 || separation >= fmin(2.0 * axis->separation, -front_ratio * size)) {
    *axis = (CpsAxis){n, separation, CPS_AXIS_OTHER, -1, -1};
    *point = cps_drum_support(b, n);
  }
  return true;
}

typedef struct Contact {
  CpsAxis axis;
  CpsVec3 point;
  uint32_t feature;  // of the point
  bool round;        // a common part that is a line is that of a side
  bool crossed;      // the sides of two cylinders cross within their lengths
  int count;         // of corners; -1 if too far apart
} Contact;

// `line`: what is opposite where it is a side, an edge or the axis of a capsule, NULL where it is a face or a cap.
static void touch_patches(const CpsPatch* a, const CpsOpposite* line, const CpsPatch* b, CpsDrum drum, Contact* contact,
                          CpsCorner* corners) {
  const CpsVec3 n = contact->axis.normal;
  CpsCorner witness = {contact->point, contact->axis.separation, cps_feature(CPS_FEATURE_OTHER, 0, 0)};
  cps_name_witness(a, b, n, fmin(drum.radius, drum.half_length), &witness);
  contact->feature = witness.feature;
  contact->round = b->count == 2;
  contact->count = line && b->count == 2 ? cps_drum_sides(line, drum, n, corners) : cps_clip_patches(a, b, n, corners);
}

static Contact drums(CpsDrum a, const CpsPlace* place, CpsDrum b, double margin, bool flat, CpsCorner* corners) {
  Contact contact = {.count = -1};
  if (!cps_drum_drum(a, place, b, margin, flat, &contact.axis, &contact.point)) return contact;
  const CpsVec3 n = contact.axis.normal, along = cps_vec3(1.0, 0.0, 0.0);
  const CpsVec3 on_a = cps_vec3_sub(cps_vec3_axpy(contact.point, contact.axis.separation, n), place->d);
  const double along_a = place->R.m[2] * on_a.x + place->R.m[5] * on_a.y + place->R.m[8] * on_a.z;
  contact.crossed =
      contact.axis.kind == CPS_AXIS_EDGES && fabs(contact.point.z) <= b.half_length && fabs(along_a) <= a.half_length;
  CpsPatch patch_a, patch_b;
  cps_patch_drum(a, place, cps_vec3_scale(-1.0, n), along, &patch_a);
  cps_patch_drum(b, NULL, n, along, &patch_b);
  const CpsOpposite line = {a, cps_mat3_apply(place->R, cps_vec3(0.0, 0.0, 1.0)), place->d};
  touch_patches(&patch_a, patch_a.count == 2 ? &line : NULL, &patch_b, b, &contact, corners);
  contact.round = true;
  return contact;
}

static Contact polytope_and_drum(const CpsPolytope* a, const CpsPlace* place, CpsDrum b, double margin, bool flat,
                                 CpsCorner* corners) {
  Contact contact = {.count = -1};
  if (!cps_drum_polytope(a, place, b, margin, flat, &contact.axis, &contact.point)) return contact;
  if (a->face_count == 1 && !choose_front(a, place, b, &contact.axis, &contact.point)) {
    if (flat) contact.count = 0;  // another axis may be better
    return contact;
  }
  const CpsVec3 n = contact.axis.normal;
  CpsPatch patch_a, patch_b;
  cps_patch_face(a, place, cps_vec3_scale(-1.0, n), &patch_a);
  cps_patch_drum(b, NULL, n, cps_vec3_sub(patch_a.corner[1], patch_a.corner[0]), &patch_b);
  const CpsVec3 half = cps_vec3_scale(0.5, cps_vec3_sub(patch_a.corner[1], patch_a.corner[0]));
  const CpsOpposite line = {{0.0, cps_vec3_norm(half)}, cps_vec3_unit(half), cps_vec3_add(patch_a.corner[0], half)};
  touch_patches(&patch_a, patch_a.count == 2 ? &line : NULL, &patch_b, b, &contact, corners);
  return contact;
}

int cps_drum_touch(const CpsPolytope* polytope, const CpsDrum* drum, const CpsPlace* place, CpsDrum b, double margin,
                   CpsVec3* n, CpsCorner* corners) {
  double scale = fmin(b.radius, b.half_length);
  if (drum) scale = fmin(scale, fmin(drum->radius, drum->half_length));
  const double slack = slack_ratio * scale;
  Contact contact = {.count = -1};
  // For separated shapes, a touching face or cap is the answer; for slightly overlapping shapes, no other axis is better.
  // The other axes are tried only if no face or cap touches.
  for (int pass = 0; pass < 2; ++pass) {
    contact = drum ? drums(*drum, place, b, margin, pass == 0, corners)
                   : polytope_and_drum(polytope, place, b, margin, pass == 0, corners);
    if (contact.count < 0) return 0;
    bool touched = contact.crossed;
    for (int k = 0; k < contact.count; ++k) touched = touched || corners[k].gap <= contact.axis.separation + slack;
    if (touched && cps_face_decides(corners, contact.count, contact.round, contact.axis.separation, scale)) break;
  }
  *n = contact.axis.normal;
  const CpsCorner witness = {contact.point, contact.axis.separation, contact.feature};
  return cps_finish_corners(corners, contact.count, margin, scale, slack, &witness);
}
