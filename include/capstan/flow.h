/// @file flow.h
/// Dense flow of grains in a fixed domain: finite elements instead of particles, for steady flows.
///
/// The domain is a rectangle of the plane (x and z, one metre deep along y) or a box in space, filled with grains at a
/// constant volume fraction. Their stress obeys the same law as in grains.h, and is a block of the contact problem of the
/// step. Velocities are quadratic on rectangular elements, stresses are at their vertices. There is no advection: the
/// velocity changes until the forces balance, and inertia serves only as the path to that state. docs/theory/grains.md
/// has the equations.
///
///     CpsFlowDef flow = cps_flow_def_default();
///     flow.upper = (CpsVec3){1.0, 0.0, 2.0};
///     flow.cells_x = 20, flow.cells_z = 40;
///     flow.viscosity = 2.0;
///     flow.border[CPS_FLOW_LEFT].kind = flow.border[CPS_FLOW_RIGHT].kind = CPS_FLOW_NO_SLIP;
///     cps_world_add_flow(world, &flow, &error);
#ifndef CAPSTAN_FLOW_H
#define CAPSTAN_FLOW_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Boundary condition on a side of the domain.
typedef enum CpsFlowBorderKind {
  CPS_FLOW_OPEN = 0,     ///< a given external pressure; obstacles on this side are walls with friction
  CPS_FLOW_NO_SLIP = 1,  ///< velocity zero
  CPS_FLOW_SLIP = 2,     ///< impermeable and frictionless
  CPS_FLOW_VELOCITY = 3  ///< a given velocity: inlet, outlet, moving plate
} CpsFlowBorderKind;

/// Sides of the domain.
typedef enum CpsFlowSide {
  CPS_FLOW_LEFT = 0,    ///< lower x
  CPS_FLOW_RIGHT = 1,   ///< upper x
  CPS_FLOW_BOTTOM = 2,  ///< lower z
  CPS_FLOW_TOP = 3      ///< upper z
} CpsFlowSide;

/// One side of the domain.
typedef struct CpsFlowBorder {
  CpsFlowBorderKind kind;  ///< Default CPS_FLOW_OPEN
  CpsVec3 velocity;        ///< of CPS_FLOW_VELOCITY, m/s; y is ignored in the plane. Default 0
  double pressure;         ///< of CPS_FLOW_OPEN, Pa, finite. Default 0
} CpsFlowBorder;

/// A flow. Always start from cps_flow_def_default().
typedef struct CpsFlowDef {
  CpsVec3 lower, upper;       ///< corners of the domain, m; y is ignored in the plane. Default 0, 0
  int32_t cells_x, cells_z;   ///< elements along x and z, 1 to 2000. Default 1, 1
  int32_t cells_y;            ///< elements along y, 0 to 2000; 0: a flow in the plane of x and z. Default 0
  bool periodic;              ///< left and right sides are identified; their borders are ignored. Default false
  CpsFlowBorder border[4];    ///< indexed by CpsFlowSide. On an edge the more restrictive condition applies
  CpsFlowBorder front, back;  ///< in space: the sides at the lower and the upper y
  // a no-slip obstacle in the flow: a disc, in space a cylinder along y through the whole domain, or a ball
  double disc_radius;     ///< m, >= 0; 0: none. Default 0
  CpsVec3 disc_centre;    ///< m; y is that of a ball. Default 0
  CpsVec3 disc_velocity;  ///< velocity of its surface, m/s; the obstacle itself does not move. Default 0
  bool ball;              ///< in space: it is a ball. Default false
  // material
  double density;   ///< of a grain, kg/m^3, > 0. Default 2600
  double fraction;  ///< volume fraction of grains, > 0, at most 1. Default 0.6
  double mu;        ///< friction of the medium, >= 0, finite. Default 0.5
  double
      viscosity;  ///< Pa s: a shear rate g adds the shear stress viscosity * g; >= 0, finite. With friction it must be
                  ///< positive, or `grain` must be: friction alone leaves some motions of the elements free. Default 0
  double cohesion;  ///< Pa: the pressure is at least -cohesion; >= 0, finite. Default 0
  // friction that grows with the inertial number I = g d / sqrt(p / density), g the shear rate: mu + (mu_fast - mu) / (1 + I_0 / I)
  double grain;      ///< diameter d of a grain, m, >= 0; 0: friction does not depend on I. Default 0
  double mu_fast;    ///< >= mu. Default 0.7
  double I_0;        ///< > 0. Default 0.3
  const char* name;  ///< copied. Default NULL
  int cookie;        ///< set by the default function
} CpsFlowDef;

/// The defaults named above; the domain must be filled in.
CPS_API CpsFlowDef cps_flow_def_default(void);
/// Adds a flow to a world that has none.
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with an error message; or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_add_flow(CpsWorld* world, const CpsFlowDef* def, CpsError* error);
/// The flow as an object, for reading its points by cps_world_array() (array.h); zeroed if there is none.
CPS_API CpsThing cps_thing_flow(const CpsWorld* world);
/// Points of a flow: the vertices of its elements.
CPS_API int64_t cps_flow_point_count(const CpsFlowDef* def);
/// Estimates the memory of a run in bytes, most of it for the solver; its definition need not be valid.
/// @param[out] elements  their number; may be NULL
CPS_API int64_t cps_flow_memory(const CpsFlowDef* def, int64_t* elements);

/// A vertex of an element in the last step.
typedef struct CpsFlowPoint {
  CpsVec3 place;            ///< m
  CpsVec3 velocity;         ///< m/s
  double stress[3];         ///< frictional and cohesive stress of the grains, tension positive, Pa: xx zz xz
  double rate[3];           ///< mean rate of deformation around it, 1/s: xx zz xz
  double pressure;          ///< Pa, at least -cohesion
  double mu;                ///< local friction coefficient, including the effect of the inertial number
  CpsContactStatus status;  ///< take-off: no stress, stick: solid, slide: flowing
  bool there;               ///< whether there are grains
  double stress_y[3];       ///< the rest of the stress: yy xy yz; in the plane yy is minus the pressure
  double rate_y[3];         ///< and of the rate, zero in the plane
} CpsFlowPoint;
/// Reads a vertex.
CPS_API CpsStatus cps_world_flow_point(const CpsWorld* world, int64_t i, CpsFlowPoint* point);
/// Force of the grains on the disc, cylinder or ball in the last step, N; in the plane for one metre along y.
CPS_API CpsStatus cps_world_flow_force(const CpsWorld* world, CpsVec3* force);

#ifdef __cplusplus
}
#endif
#endif
