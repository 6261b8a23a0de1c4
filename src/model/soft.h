// Compliances of springs, as a population of their own: see soft.c.
#ifndef CAPSTAN_MODEL_SOFT_H
#define CAPSTAN_MODEL_SOFT_H

#include "model/model.h"

typedef struct CpsSoft {
  CpsModel model;
  CpsModelType type;
  int32_t capacity;
  CpsVec3* root;  // of each: square roots of the three compliances, 1/sqrt(kg)
} CpsSoft;

CpsSoft* cps_soft_create(void);  // NULL if memory runs out
// Reserves room for a number of springs, all rigid at first. False if memory runs out.
bool cps_soft_reserve(CpsSoft* soft, int32_t count);

#endif
