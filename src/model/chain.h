// Common part of the rods made of points (mass_spring.c, corde.c): n segments of equal rest length l between n + 1 points and,
// for CORDE, one quaternion per segment. All velocities form one vector
//
//   v = (x_0', [w_0,] x_1', [w_1,] ..., x_n'),      w_j the spin of segment j in its own axes                       (1)
//
// The entries of held points are prescribed; the others are the degrees of freedom, contiguous. Every elastic energy is a
// sum of 1/2 g^T D g over strains g(q), each of which depends on at most nine neighbouring entries of (1). With G = dg/dq the
// step of rod.h linearises each of them:
//
//   force  -G^T (D g + ((2 theta - 1) h + damping) S G v),     matrix  (h^2 theta^2 + h theta damping) G^T S G       (2)
//
// where g and G are taken with the chain moved (1 - theta) h ahead by the old velocities: at theta = 1/2 in the middle of the
// step, so the moment of the forces about the chain is only of third order.
//
// With S = D this is the Gauss-Newton Hessian: positive semidefinite, exact where g = 0, of half bandwidth 8. S may be
// any semidefinite matrix closer to the true second derivative.
#ifndef CAPSTAN_MODEL_CHAIN_H
#define CAPSTAN_MODEL_CHAIN_H

#include "core/quat.h"
#include "model/rod.h"

enum { CPS_CHAIN_BAND = 8, CPS_CHAIN_WIDTH = 9 };

// A view of the memory of a rod.
typedef struct CpsChain {
  int32_t segments, stride;    // 3: points only, 6: points and quaternions
  int32_t count, first, last;  // entries of (1); the free ones are first <= i < last
  double size;                 // l, m
  // state
  CpsVec3* x;      // points
  CpsQuat* clamp;  // material frames of root and tip, if held
  CpsVec3* axis;   // points only: second axis of the section at joints 0..n
  CpsQuat* q;      // quaternions of segments
  double* v;
  // work
  double* mass;    // diagonal
  double* rest;    // rest lengths of segments
  CpsVec3* kappa;  // natural curvature of joints 0..n
  double* band;    // M~, then L
  double* before;  // v at the beginning of the step
  double* free;    // v*
  double* force;
  double* kept;       // the state except v, saved while strains are examined at another place
  CpsVec3* gyration;  // conserves the angular momentum: torque on each segment, in its axes, or force on each point
} CpsChain;

CpsChain cps_chain_of(const CpsRod* rod);
void cps_chain_sizes(const CpsRodSpec* spec, int32_t stride, int32_t* dofs, int64_t* state, int64_t* work);
// Points, natural curvature of joints, rest lengths (as placed, so the chain starts without a jump) and lumped masses.
CpsStatus cps_chain_create(CpsRod* rod, const CpsRodShape* shape, CpsError* error);

// Held points at their places, prescribed velocities, M~ without elasticity, gravity, drag and pulls.
void cps_chain_start(CpsRod* rod, const CpsModelStep* step);
// One strain.
typedef struct CpsStrain {
  int32_t at, width;  // depends on the entries at <= i < at + width of (1)
  double G[3 * CPS_CHAIN_WIDTH];
  CpsVec3 g, rate;  // rate: change of g due to the motion of held frames alone
  CpsMat3 D, S;
  double damping;
  bool waves;  // additionally damped: cps_rod_wave_damping()
  CpsMat3 V;
} CpsStrain;
// The damping of waves of the tension at joint i, N m^2 s.
double cps_chain_wave_damping(const CpsRod* rod, const CpsChain* chain, const CpsModelStep* step, int32_t i);
// Adds (2); for an explicit strain only the force, with h = 0 in it.
void cps_chain_add(CpsChain* chain, const CpsStrain* strain, const CpsModelStep* step, bool implicit);
// Stretching of segment j, E S / l at length |e|: its strain, and the transverse stiffness of tension (not of compression).
double cps_chain_rigidity(const CpsRod* rod, int32_t j);  // E S of segment j, N
void cps_chain_stretch(const CpsRod* rod, const CpsChain* chain, int32_t j, CpsStrain* along, CpsStrain* across);
// Moves points and frames by their velocities (1 - theta) h ahead, where implicit strains are evaluated, and back again.
void cps_chain_look_ahead(CpsRod* rod, CpsChain* chain, const double* v, const CpsModelStep* step);
void cps_chain_look_back(CpsRod* rod, CpsChain* chain, const CpsModelStep* step);
double cps_chain_axial(const CpsRod* rod, double s);
double cps_chain_stretch_energy(const CpsRod* rod, const CpsChain* chain);
// Works (rod.h), chain_work.c: previous v into `free`; weight, drag and pulls; one strain, as cps_chain_add; an impulse whose
// work belongs to the scheme; the remainder. Impulses are written to `force`.
void cps_chain_work_start(CpsRod* rod, CpsChain* chain, const CpsModelStep* step, CpsRodWork* out);
void cps_chain_work_add(CpsChain* chain, const CpsStrain* strain, const CpsModelStep* step, bool implicit,
                        CpsRodWork* out);
void cps_chain_work_turn(CpsChain* chain, const CpsModelStep* step, int32_t at, CpsVec3 impulse, CpsRodWork* out);
void cps_chain_work_finish(const CpsRod* rod, CpsChain* chain, const CpsModelStep* step, CpsRodWork* out);
CpsVec3 cps_chain_driven(const CpsRod* rod, double s, CpsVec3 point);
// Location of s: the segment, and the weight of its second point.
int32_t cps_chain_place(const CpsChain* chain, double s, double* weight);
// L and v*; and the contribution of further forces to v*.
void cps_chain_finish(CpsChain* chain, const CpsModelStep* step);
void cps_chain_respond(CpsChain* chain, const CpsModelStep* step);

// The functions of rod.h common to these rods.
void cps_chain_rows(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G);
CpsRodMotion cps_chain_motion(const CpsRod* rod, double s, CpsVelocity which);
CpsVec3 cps_chain_velocity(const CpsRod* rod, double s, CpsVelocity which);
void cps_chain_receive(CpsRod* rod, const double* z);
void cps_chain_advance(CpsRod* rod, const CpsModelStep* step);
void cps_chain_shift(CpsRod* rod, const double* z);
void cps_chain_slow(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more);
void cps_chain_move_rigidly(CpsRod* rod, CpsVec3 velocity, CpsVec3 spin);
const double* cps_chain_view(const CpsRod* rod, bool velocities, int64_t* stride);
void cps_chain_set_velocity(CpsRod* rod, int32_t joint, CpsVec3 velocity);
CpsVec3 cps_chain_point(const CpsChain* chain, double s, int32_t* segment);
double cps_chain_kinetic(const CpsRod* rod);
double cps_chain_weight(const CpsRod* rod, CpsVec3 gravity);
void cps_chain_momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular);

// The vector at entry i of v.
static inline CpsVec3 cps_chain_get(const double* v, int32_t i) {
  return cps_vec3(v[i], v[i + 1], v[i + 2]);
}
static inline void cps_chain_set(double* v, int32_t i, CpsVec3 a) {
  v[i] = a.x, v[i + 1] = a.y, v[i + 2] = a.z;
}
// Writes the 3 x 3 block A into columns c.. of a 3 x width matrix.
static inline void cps_chain_block(CpsStrain* strain, int32_t c, CpsMat3 A) {
  for (int i = 0; i < 9; ++i) strain->G[i / 3 * strain->width + c + i % 3] = A.m[i];
}

#endif
