// Whether two pieces of fibres went through each other.
#ifndef CAPSTAN_CONTACT_CROSSING_H
#define CAPSTAN_CONTACT_CROSSING_H

#include "core/vec3.h"

#include <stdbool.h>

// The axis of a piece before and after a motion.
typedef struct CpsMovedPiece {
  CpsVec3 before[2], after[2];  // its ends
  bool ends[2];                 // whether the fibre ends there
} CpsMovedPiece;

// True if the vector between the nearest points of the two axes turned to its other side. A piece that goes round the end
// of a fibre goes through nothing.
bool cps_pieces_crossed(const CpsMovedPiece* a, const CpsMovedPiece* b);

#endif
