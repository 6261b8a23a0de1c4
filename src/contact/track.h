// Matches contacts from one step to the next: the same feature of the same pair keeps its impulse as a warm start; contacts
// of lines are matched by arc length.
#ifndef CAPSTAN_CONTACT_TRACK_H
#define CAPSTAN_CONTACT_TRACK_H

#include "core/arena.h"
#include "core/vec3.h"

#include <stdbool.h>

typedef struct CpsTrack {
  uint64_t key_a, key_b;  // keys of the colliders
  uint32_t feature;
  uint32_t lines;   // 1: a is a piece of a line, 2: b is, 3: both
  CpsVec3 point;    // world coordinates, midpoint of the two contact points
  CpsVec3 impulse;  // on a, world axes, divided by the step length: a force, N
  double arc[2];    // arc lengths on the lines, m; 0 for other objects
  double span;      // how far a contact of a line may move along (arc[0], arc[1]), m
} CpsTrack;

// The lowest bits of a key are the index of the piece in its owner.
enum { CPS_KEY_PIECE_BITS = 22 };

// Sets `now[i].impulse` from `before`; both are sorted by (key_a, key_b, feature). A contact with a new feature takes the
// impulse of the nearest unmatched contact of the same pair within `distance`; otherwise it starts from zero. Linear in
// both counts for pairs of bounded size.
// Contacts of lines: see track_lines.c.
// @return false: out of memory
bool cps_track_match(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count, double distance,
                     CpsArena* scratch);

// Contacts of lines (track_lines.c).
bool cps_track_match_lines(const CpsTrack* before, int32_t before_count, CpsTrack* now, int32_t now_count,
                           CpsArena* scratch);

#endif
