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
  double first;          // length that the first one stands for, over that of the others
  int32_t length_count;  // 0: the model does not stretch
  double* length;        // at rest, m
  double* below;         // what a length is more than `length` can say, m; 0 for lengths that are set
} CpsRodNatural;

// A force of a contact: on a point of the surface that moves with the section at s, (3) of rod.h.
typedef struct CpsRodTouch {
  double s;
  CpsVec3 point, force;
  bool fixed;  // by something that does not give way
  // without friction only the normal is held, and second derivatives of the gap count: springs, of stiffness of either sign
  bool glides;
  CpsVec3 normal;  // unit
  int32_t turn_count;
  struct CpsRodTurn {
    CpsVec3 along, slope;
    double stiffness;
  } turn[3];
} CpsRodTouch;

// A spring of the energy k (a.dx + b.dt)^2 / 2 in the displacement dx of the centreline at s and the change dt of its tangent, b across it.
// k has either sign. It is in the second derivatives alone.
typedef struct CpsRodSpring {
  double s;
  CpsVec3 along, slope;  // a, b
  double stiffness;
} CpsRodSpring;

// Forces that do not depend on the shape, and springs.
typedef struct CpsRodLoad {
  CpsVec3 gravity;  // 0 where the rod feels none
  int32_t pull_count;
  const CpsRodPull* pulls;
  int32_t touch_count;
  const CpsRodTouch* touches;
  int32_t spring_count;
  const CpsRodSpring* springs;
  struct CpsRodLack*
      lack;  // out: the force and torque that an unclamped root is missing are written here instead of being an error; NULL: they are an error
  double*
      left;  // out: cps_rod_largest() of what balance() leaves, from a model that has it at hand; NULL: not asked for
} CpsRodLoad;

// What a contact asks of a rod: the rows of (2), 3 x 3 natural.count row-major.
typedef struct CpsRodSpot {
  double s;
  CpsVec3 point;
  CpsMat3 frame;  // E: its rows are those of the contact
  double sign;
  double* G;
} CpsRodSpot;

// What a root that is not clamped lacks: the force that must hold it, N, and the moment about it, N m.
typedef struct CpsRodLack {
  CpsVec3 force, moment;
} CpsRodLack;

struct CpsRodStatics {
  CpsRodNatural (*natural)(const CpsRod* rod);
  // Takes over stiffnesses of the spec that were changed; NULL: nothing is kept of them.
  void (*restiffen)(CpsRod* rod);
  // Natural strains, and multipliers of lengths, with which the rod is in balance where it is. Nothing changes where that
  // cannot be. A tip that is held carries nothing.
  CpsStatus (*balance)(CpsRod* rod, const CpsRodLoad* load, CpsError* error);
  // Of (2): k in the order of the natural strains; L^T x in the place of x; G for some contacts, false if memory runs out or
  // where no moment could hold the rod.
  void (*strains)(const CpsRod* rod, double* k);
  void (*whiten)(const CpsRod* rod, double* x);
  bool (*compliance)(const CpsRod* rod, int32_t count, const CpsRodSpot* spots);
  // Coordinates of (1) of a rod with a clamped root, and half the band of its matrices (sparse/banded.h).
  int32_t (*size)(const CpsRod* rod, int32_t* band);
  // g, and in `unit` what the weight and the pulls could do to each coordinate with the whole length as their lever.
  CpsStatus (*gradient)(const CpsRod* rod, const CpsRodLoad* load, double* g, double* unit);
  // Lengths that do not change are in C as springs, stiff enough to be constraints but for 1e-8.
  CpsStatus (*hessian)(const CpsRod* rod, const CpsRodLoad* load, double* K, double* C);
  // What the time step makes of its matrices (inverse/stepping.c), added to C: mass times M; along edges, whose springs the step has in K,
  // `along` times T/|e|; across them turning times T/|e| where T > 0, which the step has at its end as well; and the springs of lengths
  // that do not change, twice. NULL: there is only mass along the centreline.
  void (*step_parts)(const CpsRod* rod, double mass, double along, double turning, double* C);
  // q + change; velocities stay. Multipliers of lengths follow.
  void (*move)(CpsRod* rod, const double* change);
};

// rod_statics.c
CpsRodLoad cps_rod_load(const CpsRod* rod, CpsVec3 gravity, int32_t pull_count, const CpsRodPull* pulls);
CpsVec3 cps_rod_pull_force(const CpsRod* rod, const CpsRodPull* pull);      // now, at rest
CpsVec3 cps_rod_touch_moment(const CpsRod* rod, const CpsRodTouch* touch);  // about the centreline at s
// The largest of some forces, each in its unit; infinite if one is not a number.
double cps_rod_largest(int32_t n, const double* g, const double* unit);
// Weight of the whole rod and the pulls on it, N.
double cps_rod_load_size(const CpsRod* rod, const CpsRodLoad* load);
// Refuses a rod whose root lacks what would hold it, unless the load asks for that.
CpsStatus cps_rod_check_lack(const CpsRod* rod, const CpsRodLoad* load, const CpsRodLack* lack, CpsError* error);
// All stiffnesses, a factor > 0 times those of the definition.
void cps_rod_stiffen(CpsRod* rod, double factor);

// The models that can.
extern const CpsRodStatics cps_super_helix_statics, cps_recursive_statics, cps_super_clothoid_statics, cps_der_statics;

#endif
