// The world identifies things by their slots; results and frames number the things of each kind consecutively.
#ifndef CAPSTAN_IO_CONTACT_NUMBERS_H
#define CAPSTAN_IO_CONTACT_NUMBERS_H

#include "capstan/fibre.h"
#include "capstan/solid.h"

// Numbers by place. Zeroed: none yet.
typedef struct CpsPlaces {
  int32_t* number;
  int32_t count;
} CpsPlaces;

typedef struct CpsNumbering {
  CpsPlaces of[CPS_THING_OBSTACLE + 1];  // of each kind
} CpsNumbering;

// Numbers all things in the world. False: memory runs out.
bool cps_numbering_update(CpsNumbering* numbering, const CpsWorld* world);
void cps_numbering_free(CpsNumbering* numbering);
// A side with the number of its thing instead of its slot, without a generation.
CpsSide cps_numbering_side(const CpsNumbering* numbering, CpsSide side);

#endif
