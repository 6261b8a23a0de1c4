// Initial and load-free shape of a rod, as samples that every model reads (rod.h).
#ifndef CAPSTAN_MODEL_ROD_SHAPE_H
#define CAPSTAN_MODEL_ROD_SHAPE_H

#include "model/rod.h"

// Length of the trunk in a definition, m; refuses a polyline of zero length.
double cps_rod_shape_length(const CpsFibreDef* def, CpsStatus* status, CpsError* error);
// Samples all branches of `spec`.
CpsStatus cps_rod_shape_sample(const CpsFibreDef* def, const CpsRodSpec* spec, CpsRodShape* shape, CpsError* error);
void cps_rod_shape_free(CpsRodShape* shape);

#endif
