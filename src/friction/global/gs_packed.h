// Rows of contacts packed for sweeps to tolerances within single precision.
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_PACKED_H
#define CAPSTAN_FRICTION_GLOBAL_GS_PACKED_H

#include "friction/global/gs_sweep.h"
#include "friction/stick.h"

// All data of a contact that an update reads besides its rows: two cache lines.
typedef struct CpsPackedContact {
  _Alignas(64) int64_t at;  // its first row
  int32_t slot[2];          // of each term: its first column in v
  int32_t width[2];         // stored columns, a multiple of four; 0: no such term
  double mu, xi;
  double b[3];
  CpsStickBlock stick;
} CpsPackedContact;

struct CpsGsPacked {
  CpsPackedContact* contact;
  bool coulomb;  // all contacts obey Coulomb's law; otherwise see problem->law
  const double*
      compliance;  // that bodies of single contacts have (compliance.c): c r in place of their rows; NULL: none
  float* row;
  double* v;          // velocities of the bodies, each at the end of a slot of a multiple of four
  int64_t* slot_end;  // of each body
  double* norm;       // of each body: ||v_B||
};

// Whether the sweeps of this solve gain from packed rows: many contacts of dimension 3, each free or with a cone, and a
// rough tolerance.
bool cps_gs_packed_fits(const CpsSolve* solve, const CpsGs* gs);
// Packs the rows; memory from the solve's arena. False if memory runs out.
bool cps_gs_packed_make(CpsSolve* solve, CpsGs* gs);
// Copies gs->v.
void cps_gs_packed_refresh(CpsGs* gs);
// Solves contact i and stores r_i. `u_i`: the velocity of the contact before the update. Returns the squared change of r_i.
double cps_gs_packed_update(const CpsGs* gs, int32_t i, double* r_i, double* u_i, CpsGsCounts* counts);
// Error of the contact at r_i and u_i, in impulse units.
double cps_gs_packed_law_error(const CpsGs* gs, int32_t i, const double* r_i, const double* u_i);
// Bound (2) of the error of any contact due to rounded rows, in impulse units, for gs->v.
double cps_gs_packed_error(const CpsGs* gs);

#endif
