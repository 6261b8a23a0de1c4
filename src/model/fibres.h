// Fibres: the population of rods as seen by the world. See fibres.c.
#ifndef CAPSTAN_MODEL_FIBRES_H
#define CAPSTAN_MODEL_FIBRES_H

#include "capstan/inverse.h"
#include "model/rod.h"

// A held end taken over by the user: moves from one pose to another between two times, then rests.
typedef struct CpsEndMove {
  double taken;  // 1: taken over; 0: follows its definition. A double like the others, for saved states
  double from, until;
  CpsPose start, end;
} CpsEndMove;

// The motion of a fibre about its centre of mass.
typedef struct CpsFlight {
  CpsVec3 spin;  // angular momentum, kg m^2/s
  double most;   // its value if all of this motion were a rotation
  double lost;   // fraction of it lost in a step in which only gravity acted
} CpsFlight;

typedef struct CpsFibre {
  // fixed
  uint32_t generation;  // 0: this place was never used
  bool there;
  bool thick_as_drawn;  // contacts use the radii of the sections, also on branches
  CpsRodModel model;
  double mass;
  double radius;  // of contact, at the root
  double contact_start, self_distance;
  double let[2];  // closer to the root or tip than this, nothing touches the object held at the same place, m
  CpsMaterialId material;
  double mu, restitution;  // NaN: not set
  int32_t group;
  char* name;  // owned; NULL: none
  void* user;
  CpsFibreEnd root, tip;          // arrays of motions are owned (things/fibre_ends.c)
  CpsPose root_start, tip_start;  // at t = 0; on an obstacle: in its frame
  int32_t piece_count;            // of all branches
  int32_t* branch_pieces;         // of each branch
  CpsVec3* joint[2];              // velocities before and free at the joints of the elements, of the step
  CpsVec3* then;                  // velocities there at the end of the last step
  CpsVec3* acceleration;          // there, over the last step; zeros before the first
  double* weight;                 // of elements, to spread the pieces
  // state
  CpsRod rod;
  CpsEndMove moves[2];  // of root and tip
  bool moved;           // the ends have moved in a step
  bool broken;          // velocities or state are not finite
  bool fresh;           // `energy` is current, for this gravity
  bool placed;          // its elastic energy and weight are those of the current position
  bool hasty;           // of the step: too long for a free spinning rod
  CpsRodEnergy energy;
  CpsVec3 gravity;
  CpsModelEnergy work;  // of the last step
  double pushed;        // |z|^2 of its contacts
  double given;         // kinetic energy given to it, before the first step, by a root driven from that step on
  CpsVec3 velocity;     // of the centre of mass before the step, if cps_fibre_is_free()
  CpsVec3 turning;      // the same for angular momentum about the origin
  double lent;          // kinetic energy lent to keep its angular momentum, J
  CpsFibreRest rest;    // result of the last inversion
  CpsFibreDoubt doubt;  // and reasons why it may not hold
  // of the step
  double h;          // its length
  CpsFlight flight;  // its rotation before the step; afterwards, the change of it
  CpsLinePiece* pieces;
} CpsFibre;

typedef struct CpsFibres {
  CpsModel model;
  int32_t capacity;     // places
  int32_t piece_count;  // of all existing fibres
  CpsFibre* fibres;
  // of the step: pulls, sorted by fibre, and the initial positions of their points
  int32_t pull_count, pull_capacity;
  CpsRodPull* pulls;
  CpsVec3* pull_from;
  // forces of ties in the previous step
  int32_t tension_count, tension_capacity;
  CpsRodTension* tensions;
  CpsInvertInfo inverted;  // report of the last inversion; zeroed: there was none
} CpsFibres;

CpsFibres* cps_fibres_create(void);  // NULL if memory runs out
// Makes a fibre from a checked definition in the first empty place. The caller keeps the motions of its ends.
CpsStatus cps_fibres_add(CpsFibres* fibres, const CpsFibreDef* def, int32_t* place, CpsError* error);
void cps_fibres_remove(CpsFibres* fibres, int32_t place);
// Validates a definition by itself (fibre_check.c); the world checks ids, materials and motions.
CpsStatus cps_fibre_check(const CpsFibreDef* def, CpsError* error);

// fibres.c: arc length of the end of element i - 1 of branch b; i = 0: the beginning of the branch
double cps_fibre_joint_at(const CpsRodSpec* spec, int32_t b, int32_t i);
// fibre_velocity.c: functions of model.h
int64_t cps_fibres_near_size(const CpsModel* model, int32_t body);
void cps_fibres_near(CpsModel* model, int32_t body, const double* values, size_t stride, double* work);
// fibre_pieces.c: the pieces of each branch, and their sum; then functions of model.h
int32_t cps_fibre_count_pieces(CpsFibre* f, int32_t asked);
void cps_fibre_spread(CpsFibre* f);  // their arc lengths
void cps_fibres_place(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
int32_t cps_fibres_collider_count(const CpsModel* model);
void cps_fibres_colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out);
// Writes the current ends of its pieces.
void cps_fibre_follow(CpsFibre* f);
// fibre_momentum.c, for free rods of some models: momenta about the origin and kinetic energy before advance, with the loss of
// the scheme in the step; after advance, the motion that corresponds to these
typedef struct CpsFree {
  CpsVec3 linear, angular;
  double kinetic, lost;
} CpsFree;
void cps_fibre_inertia(const CpsFibre* f, CpsVec3* first, CpsMat3* second);  // of model.h, of one fibre
void cps_fibres_inertia(const CpsModel* model, int32_t body, CpsVec3* first, CpsMat3* second);
bool cps_fibre_is_free(const CpsFibre* f);
void cps_fibre_keep_free(CpsFibre* f, const CpsModelStep* step, const CpsFree* before);
// fibre_flight.c: records the rotation of a fibre; after the step, the part lost although only gravity acted on it
void cps_fibre_take_off(CpsFibre* f);
void cps_fibre_land(CpsFibre* f);
// fibre_pulls.c: functions of model.h; positions of the points of pulls before they move
CpsStatus cps_fibres_check_pull(const CpsModel* model, int32_t body, CpsAnchor* at, CpsError* error);
bool cps_fibres_reserve_pulls(CpsModel* model, int32_t count);
void cps_fibres_let_go(CpsModel* model);
int32_t cps_fibres_pull(CpsModel* model, const CpsModelStep* step, int32_t body, const CpsPullTerm* term);
double cps_fibres_pull_stored(const CpsModel* model, int32_t body, int32_t pull);
void cps_fibres_pull_rest(CpsModel* model, int32_t pull, CpsVec3 rest);
CpsVec3 cps_fibres_pull_force(const CpsModel* model, const CpsModelStep* step, int32_t body, int32_t pull,
                              CpsModelEnergy* work);
void cps_fibre_note_pulls(const CpsFibres* fibres, const CpsFibre* f);
bool cps_fibres_reserve_tensions(CpsModel* model, int32_t count);
void cps_fibres_tension(CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 force);
// fibre_state.c: functions of model.h
uint64_t cps_fibres_hash(const CpsModel* model, uint64_t hash);
size_t cps_fibres_state_size(const CpsModel* model);
void cps_fibres_save(const CpsModel* model, void* bytes);
CpsStatus cps_fibres_check(const CpsModel* model, const void* bytes, size_t size, CpsError* error);
void cps_fibres_load(CpsModel* model, const void* bytes);

#endif
