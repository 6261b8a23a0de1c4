/// @file tie.h
/// Ties: points of things held to points of other things, and springs between them.
///
///     CpsTieDef pivot = cps_tie_def_default();
///     pivot.kind = CPS_TIE_HINGE;
///     pivot.a = cps_anchor_body(crate, (CpsVec3){0.0, 0.0, 0.5});
///     pivot.axis = (CpsVec3){0.0, 1.0, 0.0};
///     cps_world_add_tie(world, &pivot, NULL, NULL);    // a pendulum: b is a point of the world
///
/// A tie is a contact with the law `bilateral`, solved in one problem with all others. With x_a and x_b the two points at the
/// beginning of a step and u their relative velocity with the arms of its middle, the step ends with
///
///     u+ = -((x_a - x_b) / h + (1 - theta) u-)                                                                   (1)
///
/// so that what is apart or moves apart is undone in two steps, and nothing drifts. A hinge holds two points, a weld three. A spring has
///
///     r = -h (k (g + theta h u~) + d u~),   u~ = theta u+ + (1 - theta) u-                                       (2)
///
/// along the line between its points, g its elongation: implicit, so that no stiffness is too large for the step.
#ifndef CAPSTAN_TIE_H
#define CAPSTAN_TIE_H

#include "capstan/sheet.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Name of a tie. {0, 0} is no tie.
typedef struct CpsTieId {
  int32_t index;        ///< place in the world
  uint32_t generation;  ///< as for bodies
} CpsTieId;

/// What a tie holds.
typedef enum CpsTieKind {
  CPS_TIE_POINT = 0,   ///< one point: a ball joint, a knot
  CPS_TIE_HINGE = 1,   ///< two points of bodies or obstacles on an axis
  CPS_TIE_WELD = 2,    ///< three points of bodies or obstacles
  CPS_TIE_SPRING = 3,  ///< a spring with a damper along the line between two points
  CPS_TIE_ROD = 4      ///< the distance of two points
} CpsTieKind;

/// What turns a hinge.
typedef enum CpsMotorKind {
  CPS_MOTOR_NONE = 0,   ///< nothing
  CPS_MOTOR_SPEED = 1,  ///< a turns against b with a given speed, whatever torque that takes
  CPS_MOTOR_TORQUE = 2  ///< a torque on a and its opposite on b
} CpsMotorKind;

/// A tie. Always start from cps_tie_def_default().
typedef struct CpsTieDef {
  CpsTieKind kind;  ///< Default point
  CpsAnchor a;      ///< one of the two; at least one is on something that moves. Default the world's origin
  CpsAnchor b;      ///< the other. Default: first coordinate NaN: the point of the world, or of the thing that it
                    ///< names, where a is now
  CpsVec3 axis;     ///< hinge: direction in the world now, not 0. Default z
  double arm;       ///< hinge, weld: distance of the further points, m, > 0; 0: the size of the tied objects. Default 0
  double breaking;  ///< force beyond which it breaks, N, > 0; infinite: never. Default infinite
  double stiffness;    ///< spring: k, N/m, >= 0. Default 0
  double damping;      ///< spring: d, N s/m, >= 0. Default 0
  double length;       ///< spring, rod: at rest, m, >= 0; NaN: as long as it is now. Default NaN
  CpsMotorKind motor;  ///< hinge. Default none
  double speed;        ///< motor: rad/s about the axis. Default 0
  double torque;       ///< motor: N m about the axis. Default 0
  CpsCurve curve;      ///< factor on speed or torque. Default constant 1
  bool touch;          ///< tied objects may touch near the tie (two bodies: at all). Springs and rods: always. Default
                       ///< false
  const char* name;    ///< used in error messages; copied. NULL: its number. Default NULL
  int cookie;          ///< set by the default function
} CpsTieDef;

/// The defaults named above.
CPS_API CpsTieDef cps_tie_def_default(void);
/// Adds a tie. Points that are apart are brought together within the next two steps, within one at theta = 1.
/// @param[out] id  its name; may be NULL
CPS_API CpsStatus cps_world_add_tie(CpsWorld* world, const CpsTieDef* def, CpsTieId* id, CpsError* error);
/// Removes a tie. A tie of something that is removed is removed with it.
CPS_API CpsStatus cps_world_remove_tie(CpsWorld* world, CpsTieId id, CpsError* error);
/// Number of ties, broken ones included.
CPS_API int32_t cps_world_tie_count(const CpsWorld* world);
/// Id of the i-th tie in the order of their places; {0, 0} outside the range.
CPS_API CpsTieId cps_world_tie(const CpsWorld* world, int32_t i);

/// What a tie does.
typedef struct CpsTieState {
  CpsTieKind kind;    ///< as it was made
  CpsThing thing[2];  ///< what it ties
  CpsVec3 point[2];   ///< its points now, world, m
  bool broken;        ///< it broke and holds nothing any more
  double breaking;    ///< force beyond which it breaks, N; infinite: never
  CpsVec3 force;      ///< on a over the last step, the sum over its points, N; one that broke in it: more than breaking
  CpsVec3 torque;     ///< on a about its first point, N m
  double apart;       ///< largest distance of two points that it holds together, now, m; 0 for a spring
  double length;      ///< distance of the first two points, m
  double angle;       ///< of the motor of a hinge since it was made, rad
  double residual;    ///< largest of its blocks in the last step: how far each is from u = 0, as for contacts
} CpsTieState;

/// Reads a tie.
CPS_API CpsStatus cps_world_tie_state(const CpsWorld* world, CpsTieId id, CpsTieState* state);
/// Reads the first `room` ties in the order of cps_world_tie().
/// @param[out] states  room for `room` of them; NULL: none is read
/// @return how many there are
CPS_API int32_t cps_world_tie_states(const CpsWorld* world, CpsTieState* states, int32_t room);

#ifdef __cplusplus
}
#endif
#endif
