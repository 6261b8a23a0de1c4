// Rigid bodies: the population, and the functions that the world calls on a single body. See rigid.c for the mechanics.
#ifndef CAPSTAN_MODEL_RIGID_H
#define CAPSTAN_MODEL_RIGID_H

#include "capstan/world.h"
#include "geometry/pieces.h"
#include "model/model.h"

// A pull on a point of a body in a step (rigid_pull.c).
typedef struct CpsRigidPull {
  CpsVec3 point;  // principal frame
  CpsVec3 force;  // mean over the step
  double stiffness, damping;
  CpsVec3 target;  // at theta h after the beginning of the step
  CpsVec3 target_velocity;
  CpsVec3 rest;  // current target, where the spring stores no energy
  double soft;   // factor on stiffness and damping that keeps the problem well conditioned
  // computed by begin
  CpsVec3 at, arm;  // the point, and its arm from the centre of mass; world
} CpsRigidPull;

// All pulls on one body, and the factor of its implicit mass.
typedef struct CpsRigidHold {
  int32_t count;
  CpsRigidPull* pulls;
  CpsMat3 rotation;  // principal axes at the beginning of the step
  double C[36];      // row-major, lower
} CpsRigidHold;

// Data read by contacts is stored together at the beginning: in a crowd it is read once per contact, in random order.
typedef struct CpsRigidBody {
  CpsPose pose;              // state: centre of mass and principal axes
  double inv_sqrt_mass;      // 1 / sqrt(m)
  CpsMat3 middle;            // principal axes in the middle of the step, where contacts act
  CpsVec3 inv_sqrt_inertia;  // 1 / sqrt(I), 0 for a fixed rotation
  CpsRigidHold* hold;        // NULL: no pulls
  CpsVec3 old_velocity;      // at the beginning of the step, once advanced
  CpsVec3 free_velocity;     // without contacts
  CpsVec3 velocity;          // state: of the centre of mass
  CpsVec3 turn[3];           // angular velocities in world axes in the middle of the step, by CpsVelocity
  // surface
  uint32_t generation;  // 0: slot never used
  CpsMaterialId material;
  double mu, restitution, mu_across;  // NaN: not set
  CpsVec3 grain;                      // unit, principal frame
  // other data of the step
  bool there;
  bool gravity;
  bool fixed_rotation;
  CpsVec3 old_spin, free_spin;    // at the time of impulses: without impulses and loads, and without impulses
  CpsVec3 spin;                   // state: angular velocity in principal axes; before advance it includes impulses
  CpsVec3 force, torque;          // loads, world axes
  CpsVec3 own_force, own_torque;  // loads that rotate with the body, principal axes
  CpsPose from;                   // pose at the beginning of the step, once advanced
  // At the end of the step, before the correction of positions and its effect on velocities: state to which the works of the step belong
  CpsVec3 done_velocity, done_spin;
  double mass;
  CpsVec3 inertia;      // principal moments
  double outer_radius;  // of a sphere about the centre of mass that contains the body
  double inner_radius;  // smallest inner radius of its pieces
  CpsPieces pieces;     // in the principal frame
  CpsPose shape_pose;   // the shape's frame in the principal frame
  int32_t group;
  char* name;  // owned; NULL: none
  void* user;
} CpsRigidBody;

typedef struct CpsRigid {
  CpsModel model;
  int32_t capacity;     // places
  int32_t piece_count;  // of all existing bodies
  CpsRigidBody* bodies;
  // of the step: pulls, sorted by body, and the set of each body
  int32_t pull_count, hold_count, pull_capacity;
  CpsRigidPull* pulls;
  CpsRigidHold* holds;
} CpsRigid;

CpsRigid* cps_rigid_create(void);  // NULL if memory runs out
// Makes a body from a checked definition in the first empty place.
CpsStatus cps_rigid_add(CpsRigid* rigid, const CpsBodyDef* def, int32_t* body, CpsError* error);
void cps_rigid_remove(CpsRigid* rigid, int32_t body);

CpsPose cps_rigid_shape_pose(const CpsRigidBody* b);        // the shape in the world
CpsVec3 cps_rigid_angular_velocity(const CpsRigidBody* b);  // world axes
double cps_rigid_kinetic(const CpsRigidBody* b);
void cps_rigid_set(CpsRigidBody* b, const CpsPose* shape, CpsVec3 velocity, CpsVec3 angular_velocity);

// Pulls (rigid_pull.c): limit of the stiffness of a spring, and its energy; the free velocity with pulls; C'^-1 x and
// C'^-T x; rotation of the body in the step; the impulse of one after the step, given the displacement of its point; (5) of
// model.h for a body with pulls.
double cps_rigid_pull_soft(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step);
double cps_rigid_pull_stored(const CpsRigidBody* b, const CpsRigidPull* p);  // J, now
void cps_rigid_hold_begin(CpsRigidBody* b, const CpsModelStep* step);
void cps_rigid_hold_forward(const CpsRigidHold* hold, double x[6]);
void cps_rigid_hold_backward(const CpsRigidHold* hold, double x[6]);
CpsQuat cps_rigid_hold_turn(const CpsRigidBody* b, const CpsModelStep* step);
CpsVec3 cps_rigid_pull_impulse(const CpsRigidBody* b, const CpsRigidPull* p, const CpsModelStep* step, CpsVec3* way);
void cps_rigid_hold_energy(const CpsRigidBody* b, const CpsModelStep* step, CpsModelEnergy* out);

// rigid_pulls.c: functions of model.h
CpsStatus cps_rigid_check_pull(const CpsModel* model, int32_t body, CpsAnchor* at, CpsError* error);
bool cps_rigid_reserve_pulls(CpsModel* model, int32_t count);
void cps_rigid_let_go(CpsModel* model);
int32_t cps_rigid_pull(CpsModel* model, const CpsModelStep* step, int32_t body, const CpsPullTerm* term);
double cps_rigid_stored(const CpsModel* model, int32_t body, int32_t pull);
void cps_rigid_pull_rest(CpsModel* model, int32_t pull, CpsVec3 rest);
CpsVec3 cps_rigid_pull_force(const CpsModel* model, const CpsModelStep* step, int32_t body, int32_t pull,
                             CpsModelEnergy* work);

// The loads of a body, without its weight: the force in world axes in the middle of the step, the torque in the given principal axes.
CpsVec3 cps_rigid_force(const CpsRigidBody* b);
CpsVec3 cps_rigid_torque(const CpsRigidBody* b, const CpsMat3* axes);

// One free turn of a spinning body (gyro.c): the spin after h under a constant torque, both in principal axes.
CpsVec3 cps_gyro_advance(CpsVec3 inertia, CpsVec3 spin, CpsVec3 torque, double h);

#endif
