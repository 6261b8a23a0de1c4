/// @file vertex.h
/// Vertices of things that have some, sheets and solids: pins of their definitions, and what callers hold and let go as the world
/// goes. array.h reads and sets the positions and velocities of all of them.
#ifndef CAPSTAN_VERTEX_H
#define CAPSTAN_VERTEX_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Vertices whose positions are prescribed. Always start from cps_pin_default().
typedef struct CpsPin {
  int32_t vertex_count;     ///< >= 1
  const int32_t* vertices;  ///< copied
  CpsObstacleId obstacle;   ///< they move as if glued to this obstacle; {0, 0}: by the motion below. Default {0, 0}
  CpsMotion motion;  ///< read without an obstacle: a rigid motion about the world's origin; keyframes relative to
                     ///< the first of them. Default rest
  double from;       ///< held from this time on, s, >= 0. Default 0
  double until;      ///< released at this time, s, > from. Default infinity
  int cookie;        ///< set by the default function
} CpsPin;

/// The defaults named above; the vertices must be filled in.
CPS_API CpsPin cps_pin_default(void);

/// Holds a vertex, with everything sewn to it, at a position from the next step on, whatever pins say; it goes there within a
/// full step, so give a place near it and call again as it moves. Part of a saved state, unlike pulls.
/// @param thing  a sheet or a solid
/// @param place  world, m, finite
CPS_API CpsStatus cps_world_hold_vertex(CpsWorld* world, CpsThing thing, int32_t vertex, CpsVec3 place,
                                        CpsError* error);
/// Lets a vertex go, whether it was held by the call above or by a pin.
CPS_API CpsStatus cps_world_release_vertex(CpsWorld* world, CpsThing thing, int32_t vertex, CpsError* error);
/// Undoes both for all vertices of a thing: they are held as its definition says.
CPS_API CpsStatus cps_world_restore_pins(CpsWorld* world, CpsThing thing);

/// One vertex now.
typedef struct CpsVertexState {
  CpsVec3 position;  ///< world, m
  CpsVec3 velocity;  ///< m/s
  bool held;         ///< by a pin or by cps_world_hold_vertex()
} CpsVertexState;
/// Reads it.
CPS_API CpsStatus cps_world_vertex(const CpsWorld* world, CpsThing thing, int32_t vertex, CpsVertexState* state);
/// Which vertices of a thing are held now.
/// @param held  out: one entry for each
CPS_API CpsStatus cps_world_held_vertices(const CpsWorld* world, CpsThing thing, bool* held);

#ifdef __cplusplus
}
#endif
#endif
