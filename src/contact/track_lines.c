// Contacts of lines from one step to the next. A contact slides along a line from piece to piece, so it is not the pieces
// that name it but the two owners, and where it is on them:
//
//   d^2 = (s_A - s_A')^2 + (s_B - s_B')^2       both sides are lines                                     (1)
//   d^2 = (s_A - s_A')^2 + ||x - x'||^2         one is: x the point in the world                          (2)
//
// Two contacts that are each other's nearest are one. The remainder then takes the nearest that nothing continues; each
// impulse is used at most once, and never farther than the length of a piece. Contacts are sorted by owners and then by
// arc length on the first line of the pair, so that only what is near is compared.
#include "contact/track.h"

#include <math.h>

// The contacts with a line in the order (owner of a, owner of b, place).
typedef struct Order {
  const CpsTrack* tracks;
  int32_t* index;
  int32_t count;
} Order;

static uint64_t owner_of(uint64_t key) {
  return key >> CPS_KEY_PIECE_BITS;
}

// Arc length on the first side that is a line.
static double place_of(const CpsTrack* t) {
  return t->lines & 1u ? t->arc[0] : t->arc[1];
}

static int compare_owners(const CpsTrack* a, const CpsTrack* b) {
  if (owner_of(a->key_a) != owner_of(b->key_a)) return owner_of(a->key_a) < owner_of(b->key_a) ? -1 : 1;
  if (owner_of(a->key_b) != owner_of(b->key_b)) return owner_of(a->key_b) < owner_of(b->key_b) ? -1 : 1;
  return 0;
}

// Strict order; ties are broken by the index, which makes it total.
static bool is_before(const CpsTrack* tracks, int32_t i, int32_t j) {
  const CpsTrack *a = &tracks[i], *b = &tracks[j];
  const int owners = compare_owners(a, b);
  if (owners != 0) return owners < 0;
  if (place_of(a) != place_of(b)) return place_of(a) < place_of(b);
  return i < j;
}

// Bottom-up merge sort; the result ends in `index`.
static void sort(const CpsTrack* tracks, int32_t* index, int32_t* other, int32_t count) {
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t first = 0; first < count; first += 2 * width) {
      const int64_t middle = first + width < count ? first + width : count;
      const int64_t end = first + 2 * width < count ? first + 2 * width : count;
      int64_t i = first, j = middle;
      for (int64_t k = first; k < end; k++) {
        const bool left = i < middle && (j == end || !is_before(tracks, index[j], index[i]));
        other[k] = left ? index[i++] : index[j++];
      }
    }
    for (int32_t k = 0; k < count; k++) index[k] = other[k];
  }
}

// Tracks sorted by keys are already sorted by the owner of a, so each run of one owner is sorted alone.
static bool make_order(const CpsTrack* tracks, int32_t count, CpsArena* scratch, Order* order) {
  *order = (Order){tracks, CPS_TAKE(scratch, int32_t, count), 0};
  int32_t* other = CPS_TAKE(scratch, int32_t, count);
  if (order->index == NULL || other == NULL) return false;
  for (int32_t i = 0; i < count; i++) {
    if (tracks[i].lines != 0) order->index[order->count++] = i;
  }
  for (int32_t first = 0, end; first < order->count; first = end) {
    const uint64_t owner = owner_of(tracks[order->index[first]].key_a);
    for (end = first + 1; end < order->count && owner_of(tracks[order->index[end]].key_a) == owner;) end++;
    sort(tracks, order->index + first, other + first, end - first);
  }
  return true;
}

static int32_t end_of_owners(const Order* order, int32_t first) {
  const CpsTrack* head = &order->tracks[order->index[first]];
  int32_t end = first + 1;
  while (end < order->count && compare_owners(head, &order->tracks[order->index[end]]) == 0) end++;
  return end;
}

// Squared distance (1) or (2).
static double squared_distance(const CpsTrack* a, const CpsTrack* b) {
  const double s = a->arc[0] - b->arc[0], t = a->arc[1] - b->arc[1];
  if (a->lines == 3) return s * s + t * t;
  const CpsVec3 x = cps_vec3_sub(a->point, b->point);
  return s * s + t * t + cps_vec3_dot(x, x);
}

// Contacts of one pair of owners, ordered by place.
typedef struct Side {
  const CpsTrack* tracks;
  const int32_t* index;
  int32_t count;
  int32_t* match;  // the other side's, -1 none
} Side;

// The element of `among` nearest to a contact, within its span; with `free`, only unmatched ones. `from` advances with the places.
static int32_t nearest(const CpsTrack* t, double span, const Side* among, bool free, int32_t* from) {
  const double place = place_of(t);
  while (*from < among->count && place_of(&among->tracks[among->index[*from]]) < place - span) ++*from;
  int32_t best = -1;
  double least = span * span;
  for (int32_t i = *from; i < among->count; i++) {
    const CpsTrack* u = &among->tracks[among->index[i]];
    if (place_of(u) > place + span) break;
    if (free && among->match[i] >= 0) continue;
    const double d = squared_distance(t, u);
    if (d < least || (d == least && best < 0)) {
      best = i;
      least = d;
    }
  }
  return best;
}

static double largest_span(const Side* side) {
  double span = 0.0;
  for (int32_t i = 0; i < side->count; i++) span = fmax(span, side->tracks[side->index[i]].span);
  return span;
}

static void match_owners(const Side* before, const Side* now) {
  // one span for all, so that "mutually nearest" and the windows mean the same from both sides
  const double span = largest_span(now);
  for (int32_t i = 0; i < before->count; i++) before->match[i] = -1;
  for (int32_t j = 0; j < now->count; j++) now->match[j] = -1;
  for (int32_t i = 0, from = 0; i < before->count; i++) {
    before->match[i] = nearest(&before->tracks[before->index[i]], span, now, false, &from);
  }
  for (int32_t j = 0, from = 0; j < now->count; j++) {
    const int32_t i = nearest(&now->tracks[now->index[j]], span, before, false, &from);
    if (i >= 0 && before->match[i] == j) now->match[j] = i;
  }
  for (int32_t i = 0; i < before->count; i++) {
    if (before->match[i] >= 0 && now->match[before->match[i]] != i) before->match[i] = -1;
  }
  for (int32_t j = 0, from = 0; j < now->count; j++) {
    const int32_t i = nearest(&now->tracks[now->index[j]], span, before, true, &from);
    if (now->match[j] >= 0 || i < 0) continue;
    now->match[j] = i;
    before->match[i] = j;
  }
}

bool cps_track_match_lines(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count,
                           CpsArena* scratch) {
  bool any = false;
  for (int32_t j = 0; j < now_count && !any; j++) any = now[j].lines != 0;
  if (!any) return true;
  Order old, new;
  int32_t *match_before = CPS_TAKE(scratch, int32_t, before_count), *match_now = CPS_TAKE(scratch, int32_t, now_count);
  if (match_before == NULL || match_now == NULL) return false;
  if (!make_order(before, before_count, scratch, &old) || !make_order(now, now_count, scratch, &new)) return false;
  for (int32_t i = 0, j = 0; i < old.count && j < new.count;) {
    const int order = compare_owners(&before[old.index[i]], &now[new.index[j]]);
    const int32_t i_end = order <= 0 ? end_of_owners(&old, i) : i, j_end = order >= 0 ? end_of_owners(&new, j) : j;
    if (order == 0) {
      const Side side_before = {before, old.index + i, i_end - i, match_before + i};
      const Side side_now = {now, new.index + j, j_end - j, match_now + j};
      match_owners(&side_before, &side_now);
      for (int32_t k = 0; k < side_now.count; k++) {
        if (side_now.match[k] < 0) continue;
        now[new.index[j + k]].impulse = before[old.index[i + side_now.match[k]]].impulse;
      }
    }
    i = i_end;
    j = j_end;
  }
  return true;
}
