// Rods at rest: natural strains, the forces of weight and pulls on the coordinates, and their derivatives. This is the interface
// for inverse statics and Newton's method; see docs/theory/inverse.md.
//
// With q the free coordinates, n the natural strains and U the potential of weight and pulls, the energy is
//
//   V(q) = 1/2 (k(q) - n)^T B (k(q) - n) + U(q),     g = dV/dq,     d2V/dq2 = K + C                                 (1)
//
// K is the part that scales with a factor f on all stiffnesses at constant forces. f K + C therefore belongs to a rod that is
// f times as stiff, with natural strains for which g = 0 in the same configuration.
//
// In equilibrium the strains k - n follow from the forces F on the coordinates. With B = L L^T and A = dk/dq,
//
//   y = L^T (k - n) = L^-1 A^-T F,     |y|^2 / 2 the elastic energy,     a force r of a contact adds G^T r,  G = E J A^-1 L^-T  (2)
//
// so G G^T is the compliance of the rod at its contacts, m/N. Lengths count as rigid.
#ifndef CAPSTAN_MODEL_ROD_STATICS_H
#define CAPSTAN_MODEL_ROD_STATICS_H

#include "model/rod.h"

// Natural strains where the model keeps them: in the state.
typedef struct CpsRodNatural {
  int32_t count;         // of strains, three numbers each
  double* strain;        // twist and bending about the second and the third axis
  double first;          // length represented by the first one, relative to the others
  int32_t length_count;  // 0: the model does not stretch
  double* length;        // at rest, m
  double* below;         // remainder of a length beyond the precision of `length`, m; 0 for prescribed lengths
} CpsRodNatural;

// A contact force: on a point of the surface that moves with the section at s, (3) of rod.h.
typedef struct CpsRodTouch {
  double s;
  CpsVec3 point, force;
  bool fixed;  // by a rigid object
  // without friction only the normal is held, and second derivatives of the gap contribute springs of either sign
  bool glides;
  CpsVec3 normal;  // unit
  int32_t turn_count;
  struct CpsRodTurn {
    CpsVec3 along, slope;
    double stiffness;
  } turn[3];
} CpsRodTouch;

// A spring of the energy k (a.dx + b.dt)^2 / 2 in the displacement dx of the centreline at s and the change dt of its tangent, b normal to it.
// k has either sign. It only contributes to the second derivatives.
typedef struct CpsRodSpring {
  double s;
  CpsVec3 along, slope;  // a, b
  double stiffness;
} CpsRodSpring;

// Dead loads and springs.
typedef struct CpsRodLoad {
  CpsVec3 gravity;  // 0 if gravity does not act on the rod
  int32_t pull_count;
  const CpsRodPull* pulls;
  int32_t touch_count;
  const CpsRodTouch* touches;
  int32_t spring_count;
  const CpsRodSpring* springs;
  struct CpsRodLack*
      lack;  // out: the force and torque that are missing at an unclamped root, instead of an error; NULL: an error
  double*
      left;  // out: cps_rod_largest() of the residual of balance(), if the model has it at hand; NULL: not requested
} CpsRodLoad;

// Data of a contact on a rod: the rows of (2), 3 x 3 natural.count row-major.
typedef struct CpsRodSpot {
  double s;
  CpsVec3 point;
  CpsMat3 frame;  // E: its rows are those of the contact
  double sign;
  double* G;
} CpsRodSpot;

// Missing reaction at an unclamped root: the force, N, and the moment about it, N m.
typedef struct CpsRodLack {
  CpsVec3 force, moment;
} CpsRodLack;

struct CpsRodStatics {
  CpsRodNatural (*natural)(const CpsRod* rod);
  // Updates the model after changes of the stiffnesses in spec; NULL: none are stored.
  void (*restiffen)(CpsRod* rod);
  // Natural strains and length multipliers for equilibrium in the present shape. Nothing changes if there is no such equilibrium.
  // A held tip carries no load.
  CpsStatus (*balance)(CpsRod* rod, const CpsRodLoad* load, CpsError* error);
  // Of (2): k in the order of the natural strains; L^T x in place of x; G for some contacts, false if memory runs out or
  // no moment could hold the rod.
  void (*strains)(const CpsRod* rod, double* k);
  void (*whiten)(const CpsRod* rod, double* x);
  bool (*compliance)(const CpsRod* rod, int32_t count, const CpsRodSpot* spots);
  // Coordinates of (1) of a rod with a clamped root, and the half bandwidth of its matrices (sparse/banded.h).
  int32_t (*size)(const CpsRod* rod, int32_t* band);
  // g; `unit` receives the scale of each coordinate: weight and pulls with the whole length as lever.
  CpsStatus (*gradient)(const CpsRod* rod, const CpsRodLoad* load, double* g, double* unit);
  // Fixed lengths enter C as springs stiff enough to be constraints up to 1e-8.
  CpsStatus (*hessian)(const CpsRod* rod, const CpsRodLoad* load, double* K, double* C);
  // Additions of the time step to C (inverse/stepping.c): mass times M; along edges, whose springs are in K of the step,
  // `along` times T/|e|; across them turning times T/|e| where T > 0, which the step also has at its end; and the springs of fixed
  // lengths, doubled. NULL: all mass is on the centreline.
  void (*step_parts)(const CpsRod* rod, double mass, double along, double turning, double* C);
  // q + change; velocities are kept. Multipliers of lengths are updated.
  void (*move)(CpsRod* rod, const double* change);
};

// rod_statics.c
CpsRodLoad cps_rod_load(const CpsRod* rod, CpsVec3 gravity, int32_t pull_count, const CpsRodPull* pulls);
CpsVec3 cps_rod_pull_force(const CpsRod* rod, const CpsRodPull* pull);      // now, at rest
CpsVec3 cps_rod_touch_moment(const CpsRod* rod, const CpsRodTouch* touch);  // about the centreline at s
// The largest of several forces, each in its unit; infinite if one is not a number.
double cps_rod_largest(int32_t n, const double* g, const double* unit);
// Weight of the whole rod and the pulls on it, N.
double cps_rod_load_size(const CpsRod* rod, const CpsRodLoad* load);
// Refuses a rod without the required reaction at its root, unless the load asks for the missing part.
CpsStatus cps_rod_check_lack(const CpsRod* rod, const CpsRodLoad* load, const CpsRodLack* lack, CpsError* error);
// Sets all stiffnesses to a factor > 0 times those of the definition.
void cps_rod_stiffen(CpsRod* rod, double factor);

// The models that support this.
extern const CpsRodStatics cps_super_helix_statics, cps_recursive_statics, cps_super_clothoid_statics, cps_der_statics;

#endif
