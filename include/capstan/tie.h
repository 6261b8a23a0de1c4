/// @file tie.h Ties: joints, welds and springs between points of objects.
///
///     CpsTieDef pivot = cps_tie_def_default();
///     pivot.kind = CPS_TIE_HINGE;
///     pivot.a = cps_anchor_body(crate, (CpsVec3){0.0, 0.0, 0.5});
///     pivot.axis = (CpsVec3){0.0, 1.0, 0.0};
///     cps_world_add_tie(world, &pivot, NULL, NULL);    // a pendulum: b is a point of the world
///
/// A tie is a contact with the law `bilateral`, solved together with all contacts in one problem. With x_a and x_b the
/// two points at the beginning of a step and u their relative velocity, evaluated with the lever arms at mid-step, the
/// step ends with
///
///     u+ = -((x_a - x_b) / h + (1 - theta) u-)                                                                   (1)
///
/// which closes any gap within two steps, so that ties do not drift. A hinge holds two points, a weld three. A spring
/// has
///
///     r = -h (k (g + theta h u~) + d u~),   u~ = theta u+ + (1 - theta) u-                                       (2)
///
/// along the line between its points, where g is its elongation. It is implicit: stable for any stiffness.
#ifndef CAPSTAN_TIE_H
#define CAPSTAN_TIE_H

#include "capstan/sheet.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Identifies a tie. {0, 0} means no tie.
typedef struct CpsTieId {
  int32_t index;        ///< slot in the world
  uint32_t generation;  ///< as for bodies
} CpsTieId;

/// Kinds of ties.
typedef enum CpsTieKind {
  CPS_TIE_POINT = 0,   ///< one point: a ball joint, a knot
  CPS_TIE_HINGE = 1,   ///< two points of bodies or obstacles on an axis
  CPS_TIE_WELD = 2,    ///< three points of bodies or obstacles
  CPS_TIE_SPRING = 3,  ///< a spring with a damper along the line between two points
  CPS_TIE_ROD = 4      ///< constant distance between two points
} CpsTieKind;

/// How a hinge is driven.
typedef enum CpsMotorKind {
  CPS_MOTOR_NONE = 0,   ///< nothing
  CPS_MOTOR_SPEED = 1,  ///< a rotates relative to b at a given speed, with any torque required
  CPS_MOTOR_TORQUE = 2  ///< a torque on a and its opposite on b
} CpsMotorKind;

/// A tie. Always start from cps_tie_def_default().
typedef struct CpsTieDef {
  CpsTieKind kind;     ///< Default point
  CpsAnchor a;         ///< first point; at least one of the two is on a moving object. Default the world's origin
  CpsAnchor b;         ///< second point. First coordinate NaN: the point of the world, or of the given object, where a
                       ///< is now. Default NaN
  CpsVec3 axis;        ///< hinge: current direction in world axes, not 0. Default z
  double arm;          ///< hinge, weld: distance of the second and third point from the first, m, > 0; 0: the size of
                       ///< the tied objects. Default 0
  double breaking;     ///< force beyond which it breaks, N, > 0; infinite: never. Default infinite
  double stiffness;    ///< spring: k, N/m, >= 0. Default 0
  double damping;      ///< spring: d, N s/m, >= 0. Default 0
  double length;       ///< spring, rod: rest length, m, >= 0; NaN: its current length. Default NaN
  CpsMotorKind motor;  ///< hinge. Default none
  double speed;        ///< motor: rad/s about the axis. Default 0
  double torque;       ///< motor: N m about the axis. Default 0
  CpsCurve curve;      ///< factor on speed or torque. Default constant 1
  bool touch;        ///< tied objects may collide near the tie (two bodies, a smooth solid and anything: anywhere; two
                     ///< surfaces: the triangles at the tied points; a surface and a body: what was inside the body
                     ///< when the tie was made, and an element around it). Always true for springs and rods. Default
                     ///< false
  const char* name;  ///< used in error messages; copied. NULL: its index is used. Default NULL
  int cookie;        ///< set by the default function
} CpsTieDef;

/// The defaults named above.
CPS_API CpsTieDef cps_tie_def_default(void);
/// Adds a tie. Points that are apart are brought together within the next two steps, within one at theta = 1.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_tie(CpsWorld* world, const CpsTieDef* def, CpsTieId* id, CpsError* error);
/// Removes a tie. Removing an object also removes its ties.
CPS_API CpsStatus cps_world_remove_tie(CpsWorld* world, CpsTieId id, CpsError* error);
/// Number of ties, broken ones included.
CPS_API int32_t cps_world_tie_count(const CpsWorld* world);
/// Id of the i-th tie in the order of their slots; {0, 0} outside the range.
CPS_API CpsTieId cps_world_tie(const CpsWorld* world, int32_t i);

/// State of a tie.
typedef struct CpsTieState {
  CpsTieKind kind;    ///< as defined
  CpsThing thing[2];  ///< the tied objects
  CpsVec3 point[2];   ///< its current points, world, m
  bool broken;        ///< whether it has broken; a broken tie holds nothing
  double breaking;    ///< force beyond which it breaks, N; infinite: never
  CpsVec3 force;      ///< force on a over the last step, summed over its points, N; exceeds `breaking` if it broke in
                      ///< that step
  CpsVec3 torque;     ///< on a about its first point, N m
  double apart;       ///< largest current distance between two points that it holds together, m; 0 for a spring
  double length;      ///< distance between the first two points, m
  double angle;       ///< rotation of a motorised hinge since it was added, rad
  double residual;    ///< largest residual of its blocks in the last step, as for contacts
} CpsTieState;

/// Reads a tie.
CPS_API CpsStatus cps_world_tie_state(const CpsWorld* world, CpsTieId id, CpsTieState* state);
/// Reads the first `room` ties in the order of cps_world_tie().
/// @param[out] states  `room` entries; NULL: none is read
/// @return the number of ties
CPS_API int32_t cps_world_tie_states(const CpsWorld* world, CpsTieState* states, int32_t room);

#ifdef __cplusplus
}
#endif
#endif
