// Solids: the population of soft bodies as seen by the world, built on nodal.h. See solids.c.
#ifndef CAPSTAN_MODEL_SOLIDS_H
#define CAPSTAN_MODEL_SOLIDS_H

#include "model/nodal.h"
#include "model/solid_elastic.h"

typedef struct CpsSolid {
  CpsNodal nodal;
  CpsSolidElastic* elastic;
} CpsSolid;

static inline CpsSolid* cps_solid_at(const CpsNodals* solids, int32_t place) {
  return (CpsSolid*)solids->member[place];
}

CpsNodals* cps_solids_create(void);  // NULL if memory runs out
// Makes a solid from a checked definition in the first empty place; the world adds its holds.
CpsStatus cps_solids_add(CpsNodals* solids, const CpsSolidDef* def, int32_t* place, CpsError* error);

#endif
