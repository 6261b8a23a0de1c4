// Sheets: the population of elastic surfaces as seen by the world, built on nodal.h. See sheets.c.
#ifndef CAPSTAN_MODEL_SHEETS_H
#define CAPSTAN_MODEL_SHEETS_H

#include "model/nodal.h"
#include "model/sheet_drag.h"
#include "model/sheet_elastic.h"

typedef struct CpsSheet {
  CpsNodal nodal;
  CpsSheetElastic* elastic;
  double thickness, damping[2];  // of membrane, of bending
  CpsSheetAir air;               // with the wind of the step
  CpsVec3 wind;
  CpsCurve wind_curve;  // its arrays are owned
  int32_t* triangles;   // three vertices each, as defined
} CpsSheet;

static inline CpsSheet* cps_sheet_at(const CpsNodals* sheets, int32_t place) {
  return (CpsSheet*)sheets->member[place];
}

CpsNodals* cps_sheets_create(void);  // NULL if memory runs out
// Makes a sheet from a checked definition in the first empty place; the world adds its holds.
CpsStatus cps_sheets_add(CpsNodals* sheets, const CpsSheetDef* def, int32_t* place, CpsError* error);

#endif
