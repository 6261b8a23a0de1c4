// Two pieces that passed through each other. The ends of both move on straight lines; with d and e along the pieces and w from
// a point of one to a point of the other, all linear in the time t of the motion, the four ends lie in one plane where
//
//   f(t) = d x e . w = 0,   a cubic,                                                                                  (1)
//
// and the pieces meet there if their nearest points do. They passed through each other if that happens an odd number of times.
// As each end belongs to two pieces and moves in one way only, nothing slips through at a joint; what meets there is seen by
// both pieces and counted once.
//
// Where all stays in one plane f vanishes: pieces passed through each other if they meet at the end and did not at the beginning,
// or if the vector between their nearest points turned to its other side.
//
// Most pairs do not come near each other: pieces that are farther apart at the end than they moved towards each other cannot
// have met.
#include "contact/crossing.h"

#include "geometry/segment.h"

#include <math.h>
#include <stdlib.h>

static const double FLAT = 1e-10;  // volumes below this count as zero, relative to the product of the lengths
static const double MEET = 1e-8;   // distance at which pieces meet, relative to their lengths
enum { HALVINGS = 60 };

// A vector that is linear in time.
typedef struct Moving {
  CpsVec3 start, way;
} Moving;

static CpsVec3 at(Moving m, double t) {
  return cps_vec3_axpy(m.start, t, m.way);
}

static Moving difference(const CpsMovedPiece* a, int i, const CpsMovedPiece* b, int j) {
  CpsVec3 start = cps_vec3_sub(a->before[i], b->before[j]);
  return (Moving){start, cps_vec3_sub(cps_vec3_sub(a->after[i], b->after[j]), start)};
}

static double volume(CpsVec3 d, CpsVec3 e, CpsVec3 w) {
  return cps_vec3_dot(cps_vec3_cross(d, e), w);
}

static double size(Moving m) {
  return cps_vec3_norm(m.start) + cps_vec3_norm(m.way);
}

static double cubic(const double c[4], double t) {
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

// A root between two values of t at which c has different signs.
static double bisect(const double c[4], double low, double high) {
  bool below = cubic(c, low) < 0.0;
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = 0.5 * (low + high);
    if ((cubic(c, middle) < 0.0) == below) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return 0.5 * (low + high);
}

// Roots of a cubic in [0, 1]: one in each interval between turning points in which the sign changes.
static int find_roots(const double c[4], double root[3]) {
  double stop[4] = {0.0, 1.0, 1.0, 1.0};
  int stops = 1, count = 0;
  const double a = 3.0 * c[3], b = 2.0 * c[2], discriminant = b * b - 4.0 * a * c[1];
  if (discriminant > 0.0) {
    const double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    double turn[2] = {a != 0.0 ? q / a : -1.0, q != 0.0 ? c[1] / q : -1.0};
    if (turn[0] > turn[1]) {
      const double first = turn[1];
      turn[1] = turn[0];
      turn[0] = first;
    }
    for (int k = 0; k < 2; k++) {
      if (turn[k] > 0.0 && turn[k] < 1.0) stop[stops++] = turn[k];
    }
  }
  stop[stops++] = 1.0;
  for (int k = 0; k + 1 < stops; k++) {
    if ((cubic(c, stop[k]) < 0.0) != (cubic(c, stop[k + 1]) < 0.0)) root[count++] = bisect(c, stop[k], stop[k + 1]);
  }
  return count;
}

// Nearest points of two segments.
typedef struct Nearest {
  double s, t;
  CpsVec3 w;
} Nearest;

static bool nearest(CpsVec3 p, CpsVec3 d, const bool p_ends[2], CpsVec3 q, CpsVec3 e, const bool q_ends[2],
                    Nearest* n) {
  cps_segment_segment(p, d, q, e, &n->s, &n->t);
  n->w = cps_vec3_sub(cps_vec3_axpy(p, n->s, d), cps_vec3_axpy(q, n->t, e));
  return !((n->s <= 0.0 && p_ends[0]) || (n->s >= 1.0 && p_ends[1]) || (n->t <= 0.0 && q_ends[0]) ||
           (n->t >= 1.0 && q_ends[1]));
}

static bool crossed_in_plane(const CpsMovedPiece* a, const CpsMovedPiece* b, CpsMeeting* meeting) {
  Nearest before, after;
  if (!nearest(a->before[0], cps_vec3_sub(a->before[1], a->before[0]), a->ends, b->before[0],
               cps_vec3_sub(b->before[1], b->before[0]), b->ends, &before) ||
      !nearest(a->after[0], cps_vec3_sub(a->after[1], a->after[0]), a->ends, b->after[0],
               cps_vec3_sub(b->after[1], b->after[0]), b->ends, &after)) {
    return false;
  }
  const double apart = cps_vec3_norm(before.w), length = cps_vec3_norm(cps_vec3_sub(a->after[1], a->after[0]));
  if (!(apart > MEET * length)) return false;
  if (!(cps_vec3_dot(before.w, after.w) < 0.0 || cps_vec3_norm(after.w) <= MEET * length)) return false;
  *meeting = (CpsMeeting){before.s, before.t, cps_vec3_unit(before.w)};
  return true;
}

// An upper bound of the approach of the two pieces.
static double closing(const CpsMovedPiece* a, const CpsMovedPiece* b) {
  double most = 0.0;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) most = fmax(most, cps_vec3_norm(difference(a, i, b, j).way));
  }
  return most;
}

// The direction perpendicular to both pieces at the end of the motion; at the time they met if they are parallel at the end.
static CpsVec3 normal_of(Moving d, Moving e, double time, bool below) {
  const CpsVec3 then = cps_vec3_unit(cps_vec3_cross(at(d, time), at(e, time)));
  const CpsVec3 last = cps_vec3_cross(at(d, 1.0), at(e, 1.0));
  const double sine = cps_vec3_norm(last) / (cps_vec3_norm(at(d, 1.0)) * cps_vec3_norm(at(e, 1.0)));
  const CpsVec3 n = sine > 0.1 ? cps_vec3_scale(1.0 / cps_vec3_norm(last), last) : then;
  return cps_vec3_scale((cps_vec3_dot(n, then) < 0.0) != below ? -1.0 : 1.0, n);
}

bool cps_pieces_met(const CpsMovedPiece* a, const CpsMovedPiece* b, CpsMeeting* meeting) {
  const bool no_end[2] = {false, false};
  Nearest n;
  (void)nearest(a->after[0], cps_vec3_sub(a->after[1], a->after[0]), no_end, b->after[0],
                cps_vec3_sub(b->after[1], b->after[0]), no_end, &n);
  *meeting = (CpsMeeting){n.s, n.t, n.w};
  if (cps_vec3_norm(n.w) > closing(a, b)) return false;
  const Moving d = difference(a, 1, a, 0), e = difference(b, 1, b, 0), c = difference(a, 0, b, 0);
  const double f[4] = {
      volume(d.start, e.start, c.start),
      volume(d.way, e.start, c.start) + volume(d.start, e.way, c.start) + volume(d.start, e.start, c.way),
      volume(d.way, e.way, c.start) + volume(d.way, e.start, c.way) + volume(d.start, e.way, c.way),
      volume(d.way, e.way, c.way)};
  if (fabs(f[0]) + fabs(f[1]) + fabs(f[2]) + fabs(f[3]) <= FLAT * size(d) * size(e) * size(c)) {
    return crossed_in_plane(a, b, meeting);
  }
  double root[3];
  const int count = find_roots(f, root);
  const CpsMeeting last = *meeting;
  bool crossed = false;
  for (int k = 0; k < count; k++) {
    const Moving p = {a->before[0], cps_vec3_sub(a->after[0], a->before[0])};
    const Moving q = {b->before[0], cps_vec3_sub(b->after[0], b->before[0])};
    const CpsVec3 along = at(d, root[k]), across = at(e, root[k]);
    if (!nearest(at(p, root[k]), along, a->ends, at(q, root[k]), across, b->ends, &n)) continue;
    if (cps_vec3_norm(n.w) > MEET * (cps_vec3_norm(along) + cps_vec3_norm(across))) continue;
    // until this root, f has the sign of w along d x e
    const bool below = (cubic(f, 0.0) < 0.0) != (k % 2 == 1);
    *meeting = crossed ? last : (CpsMeeting){n.s, n.t, normal_of(d, e, root[k], below)};
    crossed = !crossed;
  }
  return crossed;
}

bool cps_pieces_crossed(const CpsMovedPiece* a, const CpsMovedPiece* b) {
  CpsMeeting meeting;
  return cps_pieces_met(a, b, &meeting);
}

CpsCrossing cps_crossing(int32_t who_a, int32_t piece_a, int32_t who_b, int32_t piece_b) {
  bool turned = who_a > who_b || (who_a == who_b && piece_a > piece_b);
  if (turned) return (CpsCrossing){.who = {who_b, who_a}, .piece = {piece_b, piece_a}};
  return (CpsCrossing){.who = {who_a, who_b}, .piece = {piece_a, piece_b}};
}

static int compare(const void* left, const void* right) {
  const CpsCrossing *a = left, *b = right;
  const int32_t x[4] = {a->who[0], a->who[1], a->piece[0], a->piece[1]};
  const int32_t y[4] = {b->who[0], b->who[1], b->piece[0], b->piece[1]};
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
    // entries of the same lines with the same or the previous piece of the first line come just before
    for (int32_t j = i - 1; j >= 0; --j) {
      const CpsCrossing *a = &list[j], *b = &list[i];
      if (a->who[0] != b->who[0] || a->who[1] != b->who[1] || b->piece[0] - a->piece[0] > 1) break;
      if (abs(b->piece[1] - a->piece[1]) > 1) continue;
      int32_t one = first_of(list, j), other = first_of(list, i);
      if (one == other) continue;
      list[other].next = one;
      --places;
    }
  }
  return places;
}
