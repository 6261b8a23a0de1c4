// User-defined models (capstan/custom.h) behind the interface of model.h: each member has its own functions, coordinates and dense mass.
#ifndef CAPSTAN_MODEL_CUSTOM_H
#define CAPSTAN_MODEL_CUSTOM_H

#include "capstan/custom.h"
#include "model/model.h"

typedef struct CpsCustomBall {
  CpsGeom* geom;
  CpsVec3 centre, way;  // at the beginning of the step, and its displacement without impulses
  double* jacobian;     // 3 x dofs
} CpsCustomBall;

typedef struct CpsCustomMember {
  CpsCustomDef def;  // its functions and numbers; q, v, radius and name are not read
  char* name;
  int32_t dofs;
  double *q, *v;            // state
  double *before, *free;    // velocities
  double *matrix, *moved;   // M~, then L with M~ = L L^T; work
  double started, contact;  // energy at the beginning of the step, work of contacts in it
  CpsCustomBall* ball;
} CpsCustomMember;

typedef struct CpsCustoms {
  CpsModel model;
  CpsModelType type;
  double time;  // start of the step, set by the world
  int32_t ball_count, capacity;
  CpsCustomMember* member;
} CpsCustoms;

CpsCustoms* cps_customs_create(void);  // NULL if memory runs out
// Takes over a checked definition, whose data then belongs to the member.
CpsStatus cps_customs_add(CpsCustoms* all, const CpsCustomDef* def, CpsError* error);

#endif
