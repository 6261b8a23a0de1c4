/// @file custom.h
/// Models of your own: anything with coordinates and a mass that touches the rest of the world, written by you. It goes through
/// the same table of functions as the library's own models, so contacts, friction, islands, saved states and threads treat it alike.
/// docs/howto/custom-model.md builds one step by step.
///
/// A model has coordinates q with velocities v = q', and touches by balls fixed to points x_i(q). You say, for each step,
///
///     (M + h theta C + h^2 theta^2 K) (v* - v) = p        predict: the matrix on the left, and the impulse p = h F      (1)
///     x_i(q),  J_i = dx_i/dq                               place: where balls are, and how they move                     (2)
///
/// and the world finds v = v* + M~^-1 sum J_i^T r_i and q + h (theta v + (1 - theta) v_before). Forces that are not stiff may be
/// explicit: then the matrix is the mass M alone, and p = h F(q, v). Stiff ones need their stiffness K and damping C.
#ifndef CAPSTAN_CUSTOM_H
#define CAPSTAN_CUSTOM_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a model needs to know about a step.
typedef struct CpsCustomStep {
  double time;      ///< at the beginning of the step, s
  double h;         ///< its length, s
  double theta;     ///< of the scheme, in [1/2, 1]
  CpsVec3 gravity;  ///< m/s^2
} CpsCustomStep;

/// Writes the matrix and the impulse of (1). It may be called several times for one step, with other lengths, and must depend on
/// nothing but its arguments and data that stays the same. Functions of different models may be called at the same time by different
/// threads if the world has more than one.
/// @param q,v      coordinates and velocities now, `dofs` entries each
/// @param matrix   out: dofs x dofs, row-major, symmetric positive definite; zeroed before the call
/// @param impulse  out: p = h F, `dofs` entries; zeroed before the call
typedef void (*CpsCustomPredictFn)(const CpsCustomStep* step, const double* q, const double* v, double* matrix,
                                   double* impulse, void* data);
/// Writes where a ball is and how it moves (2). The same rules hold.
/// @param centre    out: m, world
/// @param jacobian  out: 3 x dofs, row-major; zeroed before the call
typedef void (*CpsCustomPlaceFn)(const double* q, int32_t ball, CpsVec3* centre, double* jacobian, void* data);
/// Writes the current energies, for the energy balance. Work of the model's forces beyond them counts as external.
typedef void (*CpsCustomEnergyFn)(const CpsVec3* gravity, const double* q, const double* v, double* kinetic,
                                  double* potential, void* data);

/// A thing of a model of your own. Always start from cps_custom_def_default().
typedef struct CpsCustomDef {
  int32_t dofs;                ///< degrees of freedom, 1 to 3000: the matrix is dense
  const double* q;             ///< coordinates at the start, finite; NULL: 0; copied. Default NULL
  const double* v;             ///< velocities at the start, finite; NULL: 0; copied. Default NULL
  CpsCustomPredictFn predict;  ///< must be there
  CpsCustomEnergyFn energy;    ///< NULL: it has no energy in the balance, whose error then shows its work. Default NULL
  int32_t ball_count;          ///< balls that touch, 0 to 100000. Default 0
  const double* radius;        ///< of each ball, m, > 0; copied. Default NULL
  CpsCustomPlaceFn place;      ///< must be there with balls
  void* data;                  ///< handed to the functions. Default NULL
  void (*destroy)(void* data);  ///< called when the world is destroyed, not if the definition is refused. Default NULL
  CpsMaterialId material;       ///< Default 0
  double mu;                    ///< as for bodies. Default NaN
  double restitution;           ///< as for bodies. Default NaN
  int32_t group;                ///< things of one group > 0 do not touch each other. Default 0
  const char* name;             ///< as for bodies. Default NULL
  int cookie;                   ///< set by the default function
} CpsCustomDef;

/// The defaults named above; `dofs` and `predict` must be filled in.
CPS_API CpsCustomDef cps_custom_def_default(void);
/// Adds a thing. It stays until the world is destroyed. Its balls do not touch each other, nothing can be tied to it or pull at it,
/// results and exports leave it out, and the projection of positions moves it without taking any velocity from it. Its momentum is not
/// part of cps_world_momentum().
/// @param[out] thing  its name, of the kind CPS_THING_OTHER; may be NULL. cps_world_array() reads positions and velocities of its balls
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with an error message; or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_add_custom(CpsWorld* world, const CpsCustomDef* def, CpsThing* thing, CpsError* error);
/// Reads coordinates and velocities.
/// @param[out] q,v  `dofs` entries each; either may be NULL
/// @return CPS_OK, or CPS_BAD_ARGUMENT if the thing does not exist
CPS_API CpsStatus cps_world_custom_state(const CpsWorld* world, CpsThing thing, double* q, double* v);
/// Sets coordinates and velocities.
/// @param q,v  `dofs` finite entries each; NULL: they stay
CPS_API CpsStatus cps_world_set_custom_state(CpsWorld* world, CpsThing thing, const double* q, const double* v,
                                             CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
