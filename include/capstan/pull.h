/// @file pull.h Pulls: forces and springs on points of moving objects.
///
///     CpsPullDef def = cps_pull_def_default();
///     def.at = cps_anchor_body(crate, (CpsVec3){0.1, 0.0, 0.0});
///     def.force = (CpsVec3){0.0, 0.0, 5.0};
///     CpsPullId id;
///     cps_world_add_pull(world, &def, &id, NULL);
#ifndef CAPSTAN_PULL_H
#define CAPSTAN_PULL_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Identifies a pull. {0, 0} means no pull.
typedef struct CpsPullId {
  int32_t index;        ///< slot in the world
  uint32_t generation;  ///< as for bodies
} CpsPullId;

/// A force on a point of a fibre, a body, a sheet or a solid, F(t) = curve(t) force + stiffness (target(t) - x) -
/// damping (x' - target'), applied implicitly, and so stable for any stiffness: a point load, or the spring by which a
/// user pulls an object. Always start from cps_pull_def_default().
typedef struct CpsPullDef {
  CpsAnchor at;        ///< point of application: a point of a fibre's centreline or of a body, or a vertex of a
                       ///< sheet or a solid. A held point does not move
  CpsVec3 force;       ///< N. Default 0
  CpsCurve curve;      ///< time dependence of the force. Default constant 1
  double stiffness;    ///< N/m, in [0, 1e100). Default 0
  double damping;      ///< N s/m, in [0, 1e100). Default 0
  CpsVec3 target;      ///< target of the spring at t = 0, m
  CpsMotion motion;    ///< motion of the target; its rotation is ignored. Default rest
  double from, until;  ///< it acts for from <= t < until, s. Default 0, infinity
  int cookie;          ///< set by the default function
} CpsPullDef;

/// The defaults named above.
CPS_API CpsPullDef cps_pull_def_default(void);
/// Adds a pull.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_pull(CpsWorld* world, const CpsPullDef* def, CpsPullId* id, CpsError* error);
/// Moves the target of a pull; its motion becomes rest.
CPS_API CpsStatus cps_world_move_pull(CpsWorld* world, CpsPullId id, CpsVec3 target, CpsError* error);
/// Removes a pull.
CPS_API CpsStatus cps_world_remove_pull(CpsWorld* world, CpsPullId id, CpsError* error);
/// The force of a pull over the last step, N.
CPS_API CpsStatus cps_world_pull_force(const CpsWorld* world, CpsPullId id, CpsVec3* force);

#ifdef __cplusplus
}
#endif
#endif
