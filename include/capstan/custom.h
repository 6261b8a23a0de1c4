/// @file custom.h Custom models: your own objects with generalised coordinates and a mass matrix, in contact with the
/// rest of the world. A custom model uses the same table of functions as the built-in models, so contacts, friction,
/// islands, saved states and threads work in the same way. docs/howto/custom-model.md builds one step by step.
///
/// A model has coordinates q with velocities v = q', and collides through balls fixed to points x_i(q). For each step
/// you provide
///
///     (M + h theta C + h^2 theta^2 K) (v* - v) = p        predict: the matrix on the left, and the impulse p = h F
/// (1)
///     x_i(q),  J_i = dx_i/dq                               place: positions of the balls and their Jacobians
/// (2)
///
/// and the world computes v = v* + M~^-1 sum J_i^T r_i and q + h (theta v + (1 - theta) v_before). Forces that are not
/// stiff may be explicit: the matrix is then the mass M alone, and p = h F(q, v). Stiff forces need their stiffness K
/// and damping C.
#ifndef CAPSTAN_CUSTOM_H
#define CAPSTAN_CUSTOM_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A time step, as passed to a model.
typedef struct CpsCustomStep {
  double time;      ///< at the beginning of the step, s
  double h;         ///< its length, s
  double theta;     ///< of the scheme, in [1/2, 1]
  CpsVec3 gravity;  ///< m/s^2
} CpsCustomStep;

/// Writes the matrix and the impulse of (1). It may be called several times per step, with different lengths, and must
/// depend only on its arguments and on constant data. If the world uses several threads, functions of different models
/// may be called concurrently.
/// @param q,v      current coordinates and velocities, `dofs` entries each
/// @param matrix   out: dofs x dofs, row-major, symmetric positive definite; zeroed before the call
/// @param impulse  out: p = h F, `dofs` entries; zeroed before the call
typedef void (*CpsCustomPredictFn)(const CpsCustomStep* step, const double* q, const double* v, double* matrix,
                                   double* impulse, void* data);
/// Writes the centre of a ball and its Jacobian (2). The same rules apply.
/// @param centre    out: m, world
/// @param jacobian  out: 3 x dofs, row-major; zeroed before the call
typedef void (*CpsCustomPlaceFn)(const double* q, int32_t ball, CpsVec3* centre, double* jacobian, void* data);
/// Writes the current energies, for the energy balance. Any other work of the model's forces counts as external.
typedef void (*CpsCustomEnergyFn)(const CpsVec3* gravity, const double* q, const double* v, double* kinetic,
                                  double* potential, void* data);

/// An object of a custom model. Always start from cps_custom_def_default().
typedef struct CpsCustomDef {
  int32_t dofs;                 ///< degrees of freedom, 1 to 3000: the matrix is dense
  const double* q;              ///< initial coordinates, finite; NULL: 0; copied. Default NULL
  const double* v;              ///< initial velocities, finite; NULL: 0; copied. Default NULL
  CpsCustomPredictFn predict;   ///< required
  CpsCustomEnergyFn energy;     ///< NULL: its energy is missing from the balance, and its work shows as an error.
                                ///< Default NULL
  int32_t ball_count;           ///< number of balls, 0 to 100000. Default 0
  const double* radius;         ///< of each ball, m, > 0; copied. Default NULL
  CpsCustomPlaceFn place;       ///< required if there are balls
  void* data;                   ///< passed to the functions. Default NULL
  void (*destroy)(void* data);  ///< called when the world is destroyed, but not if the definition is rejected. Default
                                ///< NULL
  CpsMaterialId material;       ///< Default 0
  double mu;                    ///< as for bodies. Default NaN
  double restitution;           ///< as for bodies. Default NaN
  int32_t group;                ///< objects in the same group > 0 do not collide with each other. Default 0
  const char* name;             ///< as for bodies. Default NULL
  int cookie;                   ///< set by the default function
} CpsCustomDef;

/// The defaults named above; `dofs` and `predict` must be filled in.
CPS_API CpsCustomDef cps_custom_def_default(void);
/// Adds an object. It cannot be removed. Its balls do not collide with each other, ties and pulls cannot attach to it,
/// results and exports do not contain it, and the projection of positions moves it without taking energy from its
/// motion. cps_world_momentum() does not include it.
/// @param[out] thing  its id, of kind CPS_THING_OTHER; may be NULL. cps_world_array() reads the positions and
///                    velocities of its balls
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with an error message; or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_add_custom(CpsWorld* world, const CpsCustomDef* def, CpsThing* thing, CpsError* error);
/// Reads coordinates and velocities.
/// @param[out] q,v  `dofs` entries each; either may be NULL
/// @return CPS_OK, or CPS_BAD_ARGUMENT if the object does not exist
CPS_API CpsStatus cps_world_custom_state(const CpsWorld* world, CpsThing thing, double* q, double* v);
/// Sets coordinates and velocities.
/// @param q,v  `dofs` finite entries each; NULL: unchanged
CPS_API CpsStatus cps_world_set_custom_state(CpsWorld* world, CpsThing thing, const double* q, const double* v,
                                             CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
