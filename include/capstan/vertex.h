/// @file vertex.h Vertices of sheets and solids: pins in their definitions, and vertices held and released during a
/// simulation. array.h reads and sets all their positions and velocities.
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
  CpsObstacleId obstacle;   ///< they move with this obstacle; {0, 0}: they follow `motion`. Default {0, 0}
  CpsMotion motion;         ///< read if there is no obstacle: a rigid motion about the world's origin, with keyframes
                            ///< relative to the first. Default rest
  double from;              ///< held from this time on, s, >= 0, wherever they are then. Default 0
  double until;             ///< released at this time, s, > from. Default infinity
  int cookie;               ///< set by the default function
} CpsPin;

/// The defaults named above; the vertices must be filled in.
CPS_API CpsPin cps_pin_default(void);

/// Holds a vertex, with everything sewn to it, at a position from the next step on, overriding pins. It moves there
/// within one full step, so give a position close to it and call again to move on. Included in saved states, unlike
/// pulls.
/// @param thing  a sheet or a solid
/// @param place  world, m, finite
CPS_API CpsStatus cps_world_hold_vertex(CpsWorld* world, CpsThing thing, int32_t vertex, CpsVec3 place,
                                        CpsError* error);
/// Releases a vertex held by the call above or by a pin.
CPS_API CpsStatus cps_world_release_vertex(CpsWorld* world, CpsThing thing, int32_t vertex, CpsError* error);
/// Undoes both for all vertices of an object: its pins apply again.
CPS_API CpsStatus cps_world_restore_pins(CpsWorld* world, CpsThing thing);

/// Current state of a vertex.
typedef struct CpsVertexState {
  CpsVec3 position;  ///< world, m
  CpsVec3 velocity;  ///< m/s
  bool held;         ///< by a pin or by cps_world_hold_vertex()
} CpsVertexState;
/// Reads the state of a vertex.
CPS_API CpsStatus cps_world_vertex(const CpsWorld* world, CpsThing thing, int32_t vertex, CpsVertexState* state);
/// Finds which vertices of an object are currently held.
/// @param held  out: one entry per vertex
CPS_API CpsStatus cps_world_held_vertices(const CpsWorld* world, CpsThing thing, bool* held);

#ifdef __cplusplus
}
#endif
#endif
