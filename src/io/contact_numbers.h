// Bodies, obstacles, fibres and sheets are named by their places in the world; results and frames number them in order.
#ifndef CAPSTAN_IO_CONTACT_NUMBERS_H
#define CAPSTAN_IO_CONTACT_NUMBERS_H

#include "capstan/fibre.h"
#include "capstan/sheet.h"

// Numbers by place. Zeroed: none yet.
typedef struct CpsPlaces {
  int32_t* number;
  int32_t count;
} CpsPlaces;

typedef struct CpsNumbering {
  CpsPlaces bodies, obstacles, fibres, sheets;
} CpsNumbering;

// Which two touch, -1 where there is none.
typedef struct CpsContactNumbers {
  int32_t body[2], fibre[2], sheet[2], obstacle;
} CpsContactNumbers;

// Numbers all that is in the world now. False: memory is short.
bool cps_numbering_update(CpsNumbering* numbering, const CpsWorld* world);
void cps_numbering_free(CpsNumbering* numbering);
CpsContactNumbers cps_numbering_of(const CpsNumbering* numbering, const CpsContact* contact);

#endif
