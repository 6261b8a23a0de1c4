// Air drag on a sheet.
#ifndef CAPSTAN_MODEL_SHEET_DRAG_H
#define CAPSTAN_MODEL_SHEET_DRAG_H

#include "model/sheet_elastic.h"

typedef struct CpsSheetAir {
  double density;        // kg/m^3
  double across, along;  // coefficients of drag
  CpsVec3 wind;          // m/s, current
} CpsSheetAir;

// Adds the air forces to `force`, for positions x and velocities v of the nodes.
void cps_sheet_drag(CpsSheetElastic* elastic, CpsPool* pool, const CpsSheetAir* air, const CpsVec3* x, const CpsVec3* v,
                    CpsVec3* force);
// value -= scale * (derivative of the forces with respect to v), which is symmetric: adds a positive semi-definite matrix.
void cps_sheet_drag_matrix(CpsSheetElastic* elastic, CpsPool* pool, const CpsSheetAir* air, const CpsVec3* x,
                           const CpsVec3* v, double scale, double* value);

#endif
