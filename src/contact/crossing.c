// Two pieces that went through each other. With w the vector between the nearest points of the axes,
//
//   w_before . w_after < 0,                                                                              (1)
//
// and none of these points lies at an end of a fibre: between lines, w can turn over only through zero, if the pieces turn
// by less than a right angle. Of two fibres that pass each other near a joint the pieces beside it see the same.
#include "contact/crossing.h"

#include "geometry/segment.h"

#include <stdlib.h>

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

CpsCrossing cps_crossing(int32_t fibre_a, int32_t piece_a, int32_t fibre_b, int32_t piece_b) {
  bool turned = fibre_a > fibre_b || (fibre_a == fibre_b && piece_a > piece_b);
  if (turned) return (CpsCrossing){{fibre_b, fibre_a}, {piece_b, piece_a}, 0};
  return (CpsCrossing){{fibre_a, fibre_b}, {piece_a, piece_b}, 0};
}

static int compare(const void* left, const void* right) {
  const CpsCrossing *a = left, *b = right;
  const int32_t x[4] = {a->fibre[0], a->fibre[1], a->piece[0], a->piece[1]};
  const int32_t y[4] = {b->fibre[0], b->fibre[1], b->piece[0], b->piece[1]};
  for (int k = 0; k < 4; ++k) {
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  }
  return 0;
}

static int32_t first_of(const CpsCrossing* list, int32_t i) {
  while (list[i].next != i) i = list[i].next;
  return i;
}

int32_t cps_crossing_places(CpsCrossing* list, int32_t count) {
  qsort(list, (size_t)count, sizeof *list, compare);
  int32_t places = 0;
  for (int32_t i = 0; i < count; ++i) {
    list[i].next = i;
    ++places;
    // those of the same fibres with the same or the last piece of the first lie just before
    for (int32_t j = i - 1; j >= 0; --j) {
      const CpsCrossing *a = &list[j], *b = &list[i];
      if (a->fibre[0] != b->fibre[0] || a->fibre[1] != b->fibre[1] || b->piece[0] - a->piece[0] > 1) break;
      if (abs(b->piece[1] - a->piece[1]) > 1) continue;
      int32_t one = first_of(list, j), other = first_of(list, i);
      if (one == other) continue;
      list[other].next = one;
      --places;
    }
  }
  return places;
}
