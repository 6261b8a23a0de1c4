// Two pieces that went through each other. With w the vector between the nearest points of the axes,
//
//   w_before . w_after < 0,                                                                              (1)
//
// and none of these points lies at an end of a fibre: between lines, w can turn over only through zero, if the pieces turn
// by less than a right angle. Of two fibres that pass each other near a joint the pieces beside it see the same.
#include "contact/crossing.h"

#include "geometry/segment.h"

// false if the nearest points lie at the end of a fibre
static bool nearest(const CpsVec3 a[2], const bool a_ends[2], const CpsVec3 b[2], const bool b_ends[2], CpsVec3* w) {
  const CpsVec3 d = cps_vec3_sub(a[1], a[0]), e = cps_vec3_sub(b[1], b[0]);
  double s, t;
  cps_segment_segment(a[0], d, b[0], e, &s, &t);
  *w = cps_vec3_sub(cps_vec3_axpy(a[0], s, d), cps_vec3_axpy(b[0], t, e));
  const bool at_end =
      (s <= 0.0 && a_ends[0]) || (s >= 1.0 && a_ends[1]) || (t <= 0.0 && b_ends[0]) || (t >= 1.0 && b_ends[1]);
  return !at_end;
}

bool cps_pieces_crossed(const CpsMovedPiece* a, const CpsMovedPiece* b) {
  CpsVec3 before, after;
  return nearest(a->before, a->ends, b->before, b->ends, &before) &&
         nearest(a->after, a->ends, b->after, b->ends, &after) && cps_vec3_dot(before, after) < 0.0;
}
