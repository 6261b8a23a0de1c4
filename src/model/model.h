// What moves: the one interface behind which every mechanical model lives.
//
// A model is a population of like bodies with its state in plain arrays. With v the velocities of the degrees of freedom
// of one body, M~ = L L^T its implicit mass matrix and J(x) the Jacobian of the velocity of a material point x, a step of
// Moreau's scheme is
//
//   v* = v + M~^-1 h F                    begin: free velocity                                                    (1)
//   G  = E J(x) L^-T                      rows: a contact with frame E sees the body through these 3 x m numbers  (2)
//   v+ = v* + L^-T z,   z = sum G^T r     receive: the impulses of all its contacts, mass-normalised              (3)
//   q+ = q + h (theta v+ + (1 - theta) v) advance                                                                 (4)
//
// so that W = sum over bodies of G G^T and nobody outside a model sees M~. Functions act on ranges of bodies so that
// threads share the work; calls for different bodies may run at the same time.
#ifndef CAPSTAN_MODEL_MODEL_H
#define CAPSTAN_MODEL_MODEL_H

#include "geometry/collider.h"

typedef struct CpsModel CpsModel;

// What a model must know about the step.
typedef struct CpsModelStep {
  double h, theta;
  CpsVec3 gravity;
} CpsModelStep;

// Which velocity is meant.
typedef enum CpsVelocity { CPS_VELOCITY_BEFORE = 0, CPS_VELOCITY_FREE = 1, CPS_VELOCITY_AFTER = 2 } CpsVelocity;

// Energies and works of a range of bodies over the step, J. `scheme` is what (1) and (4) lose without contacts:
//   h F.(theta v+ + (1 - theta) v)  -  (kinetic energy of v*  -  that of v)                                       (5)
typedef struct CpsModelEnergy {
  double kinetic, potential;  // now
  double external;            // work of the loads in the step
  double scheme;              // (5), F with gravity
  double turnover;            // sum of |kinetic energy of v* - that of v|
} CpsModelEnergy;

typedef struct CpsModelType {
  const char* name;
  void (*destroy)(CpsModel* model);

  int32_t (*body_count)(const CpsModel* model);               // places, also empty ones
  int32_t (*body_dofs)(const CpsModel* model, int32_t body);  // m

  // 1 predict (1)
  void (*begin)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  // 2 detect: the collision shapes where they are now; piece numbers become part of the key of a collider
  int32_t (*collider_count)(const CpsModel* model);
  void (*colliders)(const CpsModel* model, const CpsModelStep* step, CpsCollider* out);
  // 4 assemble (2): 3 x m row-major, times `sign`; the point is in the world, on piece `piece`
  void (*rows)(const CpsModel* model, int32_t body, int32_t piece, CpsVec3 point, const CpsMat3* frame, double sign,
               double* G);
  CpsVec3 (*velocity)(const CpsModel* model, int32_t body, int32_t piece, CpsVec3 point, CpsVelocity which);
  // 6 advance (3), (4); z is NULL for a body that nothing touches
  void (*receive)(CpsModel* model, int32_t body, const double* z);
  void (*advance)(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last);
  // positions moved by L^-T z without any change of velocities, and velocities scaled: the projection of positions
  void (*shift)(CpsModel* model, int32_t body, const double* z);
  void (*slow)(CpsModel* model, int32_t body, double factor);

  // 7 observe. `stepped` false: only kinetic and potential are filled in
  void (*energy)(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                 CpsModelEnergy* out);
  // all that changes in time, as bytes; load checks before it changes anything
  size_t (*state_size)(const CpsModel* model);
  void (*save)(const CpsModel* model, void* bytes);
  CpsStatus (*load)(CpsModel* model, const void* bytes, size_t size, CpsError* error);
} CpsModelType;

// The beginning of every model's own struct.
struct CpsModel {
  const CpsModelType* type;
};

#endif
