// Whether two pieces of lines passed through each other.
#ifndef CAPSTAN_CONTACT_CROSSING_H
#define CAPSTAN_CONTACT_CROSSING_H

#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

// The axis of a piece before and after a motion.
typedef struct CpsMovedPiece {
  CpsVec3 before[2], after[2];  // its ends
  bool ends[2];                 // whether the line ends there
} CpsMovedPiece;

// True if the two axes passed through each other while their ends moved along straight lines. A piece that moves around the end of
// a line passes through nothing.
bool cps_pieces_crossed(const CpsMovedPiece* a, const CpsMovedPiece* b);
// If they did: the positions on the axes in [0, 1], and the unit normal to both axes at the end of the motion that pointed from b to
// a before they met. Otherwise: the nearest positions at the end, and the vector from b to a there, which is not of unit length.
typedef struct CpsMeeting {
  double s, t;
  CpsVec3 normal;
} CpsMeeting;
bool cps_pieces_met(const CpsMovedPiece* a, const CpsMovedPiece* b, CpsMeeting* meeting);

// A pair of pieces that passed through each other.
typedef struct CpsCrossing {
  int32_t who[2], piece[2];  // numbers of the two, as the one who asks has them
  int32_t next;              // for the one who counts: itself for the first of a place
  CpsVec3 point;             // where
  double place[2];           // on the axes of the pieces, in [0, 1]; 0 on what is none
  CpsVec3 normal;            // unit, from the second to the first, before they met
  double deep;               // 0: they did. Otherwise they are only deep in each other: how deep, in radii
  double before;             // the same before the motion
} CpsCrossing;
// An order that sorts crossings of the same two pieces next to each other.
CpsCrossing cps_crossing(int32_t who_a, int32_t piece_a, int32_t who_b, int32_t piece_b);
// The number of places at which lines passed through each other. Crossings of adjacent pieces of the same two lines count as one
// place, and so do repeated crossings. The list is sorted.
int32_t cps_crossing_places(CpsCrossing* list, int32_t count);

#endif
