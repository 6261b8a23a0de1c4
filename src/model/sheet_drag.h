// Air drag on a sheet.
#ifndef CAPSTAN_MODEL_SHEET_DRAG_H
#define CAPSTAN_MODEL_SHEET_DRAG_H

#include "model/sheet_elastic.h"

typedef struct CpsSheetAir {
  double density;        // kg/m^3
  double across, along;  // coefficients of drag
  CpsVec3 wind;          // m/s, now
} CpsSheetAir;

// Adds the forces of the air to `force`, for positions x and velocities v of the nodes.
void cps_sheet_drag(CpsSheetElastic* elastic, CpsPool* pool, const CpsSheetAir* air, const CpsVec3* x, const CpsVec3* v,
                    CpsVec3* force);
// value -= scale * (derivative of the forces by v), which is symmetric: positive semi-definite what is added.
void cps_sheet_drag_matrix(CpsSheetElastic* elastic, CpsPool* pool, const CpsSheetAir* air, const CpsVec3* x,
                           const CpsVec3* v, double scale, double* value);

#endif
