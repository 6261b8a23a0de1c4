// Contacts from one step to the next, by a merge of two sorted lists.
//
// Features are matched first. The remainder in a pair (a corner that slid over an edge, a capsule that rolled from
// one segment of a tube to the next) takes the nearest contact of the same pair that was not continued, each at most
// once, in the order of the new contacts.
#include "contact/track.h"

#include <math.h>

// Limit within one pair of colliders; further contacts of the pair start from zero.
enum { PAIR_MOST = 256 };

static int compare_pair(const CpsTrack* a, const CpsTrack* b) {
  if (a->key_a != b->key_a) return a->key_a < b->key_a ? -1 : 1;
  if (a->key_b != b->key_b) return a->key_b < b->key_b ? -1 : 1;
  return 0;
}

static int32_t end_of_pair(const CpsTrack* tracks, int32_t first, int32_t count) {
  int32_t end = first + 1;
  while (end < count && compare_pair(&tracks[first], &tracks[end]) == 0) end++;
  return end;
}

static double squared_distance(CpsVec3 a, CpsVec3 b) {
  const CpsVec3 d = cps_vec3_sub(a, b);
  return cps_vec3_dot(d, d);
}

// Matches the contacts of one pair in the last and in this step.
static void match_pair(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count,
                       double distance) {
  // most pairs have one contact, and it persists
  if (before_count == 1 && now_count == 1 && before->feature == now->feature) {
    now->impulse = before->impulse;
    return;
  }
  bool used[PAIR_MOST] = {false}, matched[PAIR_MOST] = {false};
  if (before_count > PAIR_MOST) before_count = PAIR_MOST;
  if (now_count > PAIR_MOST) now_count = PAIR_MOST;
  for (int32_t i = 0, j = 0; i < before_count && j < now_count;) {
    if (before[i].feature == now[j].feature) {
      now[j].impulse = before[i].impulse;
      used[i++] = matched[j++] = true;
    } else if (before[i].feature < now[j].feature) {
      i++;
    } else {
      j++;
    }
  }
  for (int32_t j = 0; j < now_count; j++) {
    if (matched[j]) continue;
    int32_t nearest = -1;
    double least = distance * distance;
    for (int32_t i = 0; i < before_count; i++) {
      const double d = used[i] ? INFINITY : squared_distance(before[i].point, now[j].point);
      if (d < least || (d == least && nearest < 0)) {
        nearest = i;
        least = d;
      }
    }
    if (nearest < 0) continue;
    now[j].impulse = before[nearest].impulse;
    used[nearest] = true;
  }
}

bool cps_track_match(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count, double distance,
                     CpsArena* scratch) {
  for (int32_t j = 0; j < now_count; j++) now[j].impulse = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0, j = 0; i < before_count && j < now_count;) {
    const int order = compare_pair(&before[i], &now[j]);
    if (order < 0) {
      i++;
    } else if (order > 0) {
      j++;
    } else {
      const int32_t i_end = end_of_pair(before, i, before_count), j_end = end_of_pair(now, j, now_count);
      if (now[j].lines == 0) match_pair(before + i, i_end - i, now + j, j_end - j, distance);
      i = i_end;
      j = j_end;
    }
  }
  return cps_track_match_lines(before, before_count, now, now_count, scratch);
}
