// Rows of contacts packed for sweeps to a tolerance that single precision can serve.
#ifndef CAPSTAN_FRICTION_GLOBAL_GS_PACKED_H
#define CAPSTAN_FRICTION_GLOBAL_GS_PACKED_H

#include "friction/global/gs_sweep.h"
#include "friction/stick.h"

// All that an update reads of one contact beside its rows: two cache lines.
typedef struct CpsPackedContact {
  _Alignas(64) int64_t at;  // its first row
  int32_t slot[2];          // of each term: its first column in v
  int32_t width[2];         // columns that are kept, a multiple of four; 0: there is no such term
  double mu, xi;
  double b[3];
  CpsStickBlock stick;
} CpsPackedContact;

struct CpsGsPacked {
  CpsPackedContact* contact;
  bool coulomb;  // the law of all contacts; otherwise problem->law has it
  const double*
      compliance;  // that bodies of single contacts have (compliance.c): c r in place of their rows; NULL: none
  float* row;
  double* v;          // velocities of the bodies, each at the end of a slot of a multiple of four
  int64_t* slot_end;  // of each body
  double* norm;       // of each body: ||v_B||
};

// Whether the sweeps of this solve gain from packed rows: many contacts of dimension 3 with cones or
// without a force, a rough tolerance.
bool cps_gs_packed_fits(const CpsSolve* solve, const CpsGs* gs);
// Packs the rows; memory from the solve's arena. False if there is not enough.
bool cps_gs_packed_make(CpsSolve* solve, CpsGs* gs);
// Takes over gs->v.
void cps_gs_packed_refresh(CpsGs* gs);
// Solves contact i and stores r_i. `u_i` gets the velocity that the contact had before the update. Returns the square of the
// change of r_i.
double cps_gs_packed_update(const CpsGs* gs, int32_t i, double* r_i, double* u_i, CpsGsCounts* counts);
// Error of the contact at r_i and u_i, in impulse units.
double cps_gs_packed_law_error(const CpsGs* gs, int32_t i, const double* r_i, const double* u_i);
// A bound of what the rounding of the rows does to the error of any contact, in impulse units: (2), for gs->v.
double cps_gs_packed_error(const CpsGs* gs);

#endif
