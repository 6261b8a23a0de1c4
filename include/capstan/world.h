/// @file world.h
/// A world of objects in contact, and its time step.
///
///     CpsWorldDef def = cps_world_def_default();
///     CpsWorld* world = NULL;
///     if (cps_world_create(&def, &world, NULL) != CPS_OK) return 1;
///     CpsBodyDef ball = cps_body_def_default();
///     ball.shape = cps_sphere(0.1);
///     CpsBodyId id;
///     cps_world_add_body(world, &ball, &id, NULL);
///     while (cps_world_time(world) < 2.0) cps_world_step(world, NULL, NULL);
///
/// One step of Moreau's scheme, from (q, v) at t to (q+, v+) at t + h:
///
///     v+ = v* + M^-1 H^T r,   v* = v + M^-1 h F,   u = H v+ + w,   (u, r) in Coulomb's law at each contact     (1)
///     q+ = q + h (theta v+ + (1 - theta) v)                                                                    (2)
///
/// with rotations advanced exactly for the mean angular velocity. A contact is a pair of points that touch or could
/// touch within the step. A contact with a coefficient of restitution e > 0 is active if its predicted gap g + h u_N is
/// not positive, and the law then applies to u_N+ + e min(u_N-, 0) (Newton's impact law; where several contacts act at
/// once and would create energy together, with a smaller e). With e = 0 the law applies to
/// u_N+ + max(0, g + h (1 - theta) u_N-) / (h theta), so that bodies can close the gap but not penetrate.
///
/// Bodies, obstacles and materials are identified by ids; the id of a removed object is recognised as stale. The same
/// calls give bit-identical results for any number of threads.
#ifndef CAPSTAN_WORLD_H
#define CAPSTAN_WORLD_H

#include "capstan/shape.h"
#include "capstan/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A simulated world: all objects, their state and their contacts. Opaque. Use it from one thread at a time.
typedef struct CpsWorld CpsWorld;

/// Identifies a body. {0, 0} means no body.
typedef struct CpsBodyId {
  int32_t index;        ///< slot in the world; reused after a removal
  uint32_t generation;  ///< distinguishes bodies that used the same slot; never 0
} CpsBodyId;

/// Identifies an obstacle. {0, 0} means no obstacle.
typedef struct CpsObstacleId {
  int32_t index;        ///< slot in the world
  uint32_t generation;  ///< as for bodies
} CpsObstacleId;

/// Identifies a fibre (fibre.h). {0, 0} means no fibre.
typedef struct CpsFibreId {
  int32_t index;        ///< slot in the world
  uint32_t generation;  ///< as for bodies
} CpsFibreId;

/// Identifies a sheet (sheet.h). {0, 0} means no sheet.
typedef struct CpsSheetId {
  int32_t index;        ///< slot in the world
  uint32_t generation;  ///< as for bodies
} CpsSheetId;

/// Kinds of objects in a world.
typedef enum CpsThingKind {
  CPS_THING_NONE = 0,      ///< nothing
  CPS_THING_BODY = 1,      ///< a rigid body
  CPS_THING_FIBRE = 2,     ///< a fibre (fibre.h)
  CPS_THING_SHEET = 3,     ///< a sheet of cloth (sheet.h)
  CPS_THING_SOLID = 4,     ///< a soft solid (solid.h)
  CPS_THING_GRAINS = 5,    ///< the particles of grains (grains.h)
  CPS_THING_OTHER = 6,     ///< an object of a custom model (custom.h)
  CPS_THING_OBSTACLE = 7,  ///< an obstacle
  CPS_THING_FLOW = 8       ///< the dense flow of grains in a fixed domain (flow.h)
} CpsThingKind;

/// Identifies any object in a world. Zeroed: no object.
typedef struct CpsThing {
  CpsThingKind kind;    ///< what it is
  int32_t index;        ///< slot among its kind
  uint32_t generation;  ///< distinguishes objects that used the same slot; never 0
} CpsThing;

/// "body", "fibre", "sheet", "solid", "grains", "flow", "other" or "obstacle"; "" for nothing.
CPS_API const char* cps_thing_kind_name(CpsThingKind kind);
/// Whether two ids identify the same object.
CPS_API bool cps_thing_is(CpsThing a, CpsThing b);
/// A body as a thing.
CPS_API CpsThing cps_thing_body(CpsBodyId body);
/// A fibre as a thing.
CPS_API CpsThing cps_thing_fibre(CpsFibreId fibre);
/// A sheet as a thing.
CPS_API CpsThing cps_thing_sheet(CpsSheetId sheet);
/// An obstacle as a thing.
CPS_API CpsThing cps_thing_obstacle(CpsObstacleId obstacle);

/// A material point of any object. Zeroed: the origin of the world.
typedef struct CpsAnchor {
  CpsThing thing;  ///< the object; zeroed: the fixed world frame
  CpsVec3 point;   ///< body, obstacle: in the axes of its shape, m; world: in world coordinates, m; fibre: from the
                   ///< centreline, in the axes of its section (tangent first), m; sheet with corners: z is the
                   ///< height above their triangle along its normal, m, x and y are 0
  double s;        ///< fibre: arc length, m, in [0, length]
  int32_t vertex;  ///< sheet or solid without corners: index of the vertex
  int32_t corner_count;  ///< sheet or solid: how many vertices the point lies between; 0: it is `vertex`
  int32_t corners[4];    ///< these vertices: of one triangle of a sheet, of one tetrahedron of a solid
  double weights[4];     ///< their barycentric weights, which add up to 1; outside [0, 1]: beyond an edge
} CpsAnchor;

/// A point of the world.
CPS_API CpsAnchor cps_anchor_world(CpsVec3 point);
/// A point of a body, in the axes of its shape.
CPS_API CpsAnchor cps_anchor_body(CpsBodyId body, CpsVec3 point);
/// A point of an obstacle, in the axes of its shape.
CPS_API CpsAnchor cps_anchor_obstacle(CpsObstacleId obstacle, CpsVec3 point);
/// A point of the centreline of a fibre.
CPS_API CpsAnchor cps_anchor_fibre(CpsFibreId fibre, double s);
/// A vertex of a sheet.
CPS_API CpsAnchor cps_anchor_sheet(CpsSheetId sheet, int32_t vertex);
/// A point between vertices of a sheet or a solid.
/// @param thing    the sheet or solid
/// @param count    1 to 4; anything else gives a point that is refused where it is used
/// @param corners  `count` vertices of one triangle or one tetrahedron
/// @param weights  their weights, which add up to 1
CPS_API CpsAnchor cps_anchor_between(CpsThing thing, int32_t count, const int32_t* corners, const double* weights);
/// Finds the point of a sheet, a solid or a fibre that is nearest to a point of the world, as it is now; of a body or an
/// obstacle, which reach as far as their axes: the point itself.
/// @param[out] anchor  unchanged if the call fails
CPS_API CpsStatus cps_world_nearest_anchor(const CpsWorld* world, CpsThing thing, CpsVec3 point, CpsAnchor* anchor,
                                           CpsError* error);

/// Materials are numbered from 0 in the order in which they were added and are never removed. Material 0 always exists.
typedef int32_t CpsMaterialId;

/// One side of a contact, an overlap or a pass: the object, the material point on it, and its position in the world.
/// Zeroed: none.
///
/// `part` and `place` identify the material point, which moves with the object:
///
///     kind             part                       place
///     body, obstacle   part of its shape, 0 if    the point in the axes of its shape, m
///                      not a compound
///     fibre            0                          (arc length, 0, 0), m; branches follow each other after the trunk
///     sheet, solid     triangle of its surface    weights of its three corners, which add up to 1
///     other            0                          0
typedef struct CpsSide {
  CpsThing thing;          ///< what it is
  int32_t part;            ///< index of the part, from 0
  CpsVec3 place;           ///< position on that part
  CpsMaterialId material;  ///< of the surface in contact
  CpsVec3 point;           ///< point on its surface, world, m
} CpsSide;

/// A contact as passed to the friction callback, with the values that the callback may change.
typedef struct CpsContactQuery {
  CpsSide side[2];     ///< the two sides; the normal points to the first
  CpsVec3 point;       ///< midpoint of the two contact points, world, m
  CpsVec3 normal;      ///< unit, from side 1 to side 0
  double mu;           ///< in: from the materials; out: finite, >= 0
  double restitution;  ///< in: from the materials; out: in [0, 1]
} CpsContactQuery;

/// Called for each contact in each step, always from the thread that called cps_world_step(), in a fixed order. If it
/// sets a value out of range, the step fails with CPS_BAD_DATA.
typedef void (*CpsFrictionFn)(CpsContactQuery* query, void* data);

/// How friction and the elasticity of sheets and solids are coupled within a step.
typedef enum CpsCoupling {
  CPS_COUPLING_FULL = 0,    ///< "full": both are solved in one problem
  CPS_COUPLING_SPLIT = 1,   ///< "split": elasticity and frictionless contact first, then friction on the nodal masses
                            ///< alone; its effect reaches neighbouring nodes in the next step. For comparison
  CPS_COUPLING_FORWARD = 2  ///< "forward": as "split", but the first part includes the friction of the previous step
                            ///< (Larionov, Fan and Pai 2021)
} CpsCoupling;

/// Settings of a world. Always start from cps_world_def_default().
typedef struct CpsWorldDef {
  CpsVec3 gravity;          ///< m/s^2. Default (0, 0, -9.81)
  double step;              ///< time step h, s, > 0. Default 1e-3
  double theta;             ///< parameter of the scheme, in [1/2, 1]. Default 1
  bool adaptive;            ///< halve a step that exceeds one of the two bounds below, or in which fibres passed
                            ///< through each other and positions cannot be corrected; lengthen it again in calm motion.
                            ///< Default false
  double step_min;          ///< smallest adaptive step, s, in (0, step]; 0: step / 64. Steps in which fibres would pass
                            ///< through each other may go down to a sixteenth of it. Default 0
  double penetration_max;   ///< largest penetration that a step may add, m. A step of rigid bodies that exceeds it is
                            ///< repeated with the violated contacts added and, if `adaptive` is set and this does not
                            ///< suffice, halved. 0: 1 % of the smallest body's inner radius. Default 0
  double residual_max;      ///< with `adaptive`: largest residual of a step; 0: the solver's tolerance, for steps
                            ///< longer than a quarter of `step`. Default 0
  bool mend;                ///< undo a step in which the centreline of a fibre passes through another fibre, a body or
                            ///< an obstacle: correct the positions or, if this fails, retry with half the step, down to
                            ///< 1/1024 of `step` (without `adaptive`; the time then returns to multiples of `step`).
                            ///< At theta < 1, steps in which a body would drift through something before impulses act
                            ///< on it are halved as well. false: only count the places of fibres. Default true
  bool projection;          ///< push penetrating bodies apart between steps; the energy for it is taken from their
                            ///< motion. Default true
  double slop;              ///< penetration that the projection tolerates, m; < 0: 1e-3 of the smallest body's inner
                            ///< radius. Default -1
  double mu;                ///< friction coefficient of pairs without a more specific value, >= 0. Default 0.5
  double restitution;       ///< coefficient of restitution of such pairs, in [0, 1]. Default 0
  double mu_everywhere;     ///< >= 0: isotropic friction coefficient of every contact, overriding materials, bodies and
                            ///< fibres; NaN: not set. Default NaN
  CpsCoupling coupling;     ///< coupling of friction and elasticity. Default CPS_COUPLING_FULL
  bool polish;              ///< solve islands in which every loaded contact sticks, or moves only by solver error, to
                            ///< rounding. Default true
  int32_t threads;          ///< >= 1; never changes the result. Default 1
  CpsSolveOptions solver;   ///< method, tolerance and limits of each island; its threads, progress and cookie are
                            ///< ignored. Default: cps_solve_options_default() with tolerance 1e-6 and at most 1000
                            ///< iterations
  double motion_tolerance;  ///< tolerance of large islands in motion: more than 500 contacts, at least 1 % of which
                            ///< move faster than 0.1 g h at the beginning of the step (docs/theory/tolerance.md). Not
                            ///< below solver.tolerance. 0: 1e-4 if solver.tolerance is the default 1e-6, otherwise
                            ///< solver.tolerance. Default 0
  CpsFrictionFn friction;   ///< friction callback; NULL: none. Default NULL
  void* friction_data;      ///< passed to the callback. Default NULL
  CpsCancelFn cancel;       ///< called in each solver iteration; if it returns true, the step returns CPS_INTERRUPTED
                            ///< and the world is unchanged. NULL: none. Default NULL
  void* cancel_data;        ///< passed to the callback. Default NULL
  int cookie;               ///< set by the default function; catches a struct that was never initialised
} CpsWorldDef;

/// The defaults named above.
CPS_API CpsWorldDef cps_world_def_default(void);
/// The effective motion tolerance of these settings, with the default resolved.
CPS_API double cps_world_def_motion_tolerance(const CpsWorldDef* def);

/// Creates an empty world with one material, number 0.
CPS_API CpsStatus cps_world_create(const CpsWorldDef* def, CpsWorld** world, CpsError* error);
/// Frees a world and everything in it. NULL is allowed.
CPS_API void cps_world_destroy(CpsWorld* world);

/// Changes settings between steps: gravity, step, theta, adaptive and its bounds, projection, slop, mu, restitution,
/// mu_everywhere, coupling, polish, threads, solver, friction. Start from cps_world_settings().
CPS_API CpsStatus cps_world_configure(CpsWorld* world, const CpsWorldDef* def, CpsError* error);
/// The settings in force.
CPS_API CpsWorldDef cps_world_settings(const CpsWorld* world);

/// Friction between two materials. NaN: not set; the next less specific value applies.
typedef struct CpsPair {
  double mu;           ///< >= 0 or NaN
  double restitution;  ///< in [0, 1] or NaN
} CpsPair;

/// Adds a material. `pair` holds its values against any other material (NaN: not set). The most specific value wins, in
/// this order: the body's own, the pair's, the material's (if both materials set one: the geometric mean of mu, the
/// larger restitution), the world's.
CPS_API CpsStatus cps_world_add_material(CpsWorld* world, CpsPair pair, CpsMaterialId* id, CpsError* error);
/// Sets the values for two materials in contact; they may be the same material.
CPS_API CpsStatus cps_world_set_pair(CpsWorld* world, CpsMaterialId a, CpsMaterialId b, CpsPair pair, CpsError* error);

/// A body. Always start from cps_body_def_default().
typedef struct CpsBodyDef {
  CpsShape shape;            ///< sphere, box, capsule, cylinder, hull or compound
  CpsVec3 position;          ///< of the shape's origin, m. Default 0
  CpsQuat rotation;          ///< of the shape; normalised; zeros: none. Default none
  CpsVec3 velocity;          ///< of the centre of mass, m/s. Default 0
  CpsVec3 angular_velocity;  ///< in world axes, rad/s. Default 0
  double density;            ///< kg/m^3, > 0, read if mass is 0. Default 1000
  double mass;               ///< kg, > 0: scales the shape's mass properties; 0: from the density. Default 0
  CpsVec3 centre;            ///< centre of mass in the shape's frame, m; first component NaN: from the shape. Default
                             ///< NaN
  double inertia[6];         ///< about the centre of mass, shape's axes, kg m^2: xx, yy, zz, xy, xz, yz of the tensor,
                             ///< which must be physically possible; first NaN: from the shape. Default NaN
  CpsMaterialId material;    ///< Default 0
  double mu;                 ///< >= 0: this body's friction coefficient against everything (between two such bodies:
                             ///< the geometric mean); NaN: from the materials. Default NaN
  double restitution;        ///< in [0, 1], likewise (between two such bodies: the larger value). Default NaN
  double mu_across;          ///< > 0: anisotropic friction: mu along `grain`, mu_across at right angles to it, an
                             ///< ellipse in between; NaN: isotropic. Requires mu > 0. Default NaN
  CpsVec3 grain;             ///< direction of mu in the shape's frame, not 0; read if mu_across is set. Default x
  bool fixed_rotation;       ///< the body does not rotate: infinite rotational inertia. Default false
  bool gravity;              ///< whether gravity acts on it. Default true
  int32_t group;             ///< bodies in the same group > 0 do not collide with each other. Default 0
  const char* name;          ///< used in error messages; copied. NULL: its index is used. Default NULL
  void* user;                ///< user data, never read. Default NULL
  int cookie;                ///< set by the default function
} CpsBodyDef;

/// The defaults named above; the shape must be filled in.
CPS_API CpsBodyDef cps_body_def_default(void);
/// Adds a body.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_body(CpsWorld* world, const CpsBodyDef* def, CpsBodyId* id, CpsError* error);
/// Removes a body and the loads and pulls on it; its id becomes stale.
CPS_API CpsStatus cps_world_remove_body(CpsWorld* world, CpsBodyId id, CpsError* error);
/// Number of bodies.
CPS_API int32_t cps_world_body_count(const CpsWorld* world);
/// Id of the i-th body in the order of their slots; {0, 0} outside the range.
CPS_API CpsBodyId cps_world_body(const CpsWorld* world, int32_t i);
/// Whether an id names an existing body.
CPS_API bool cps_world_body_exists(const CpsWorld* world, CpsBodyId id);

/// State of a body.
typedef struct CpsBodyState {
  CpsPose pose;              ///< of the shape
  CpsVec3 velocity;          ///< of the centre of mass, m/s
  CpsVec3 angular_velocity;  ///< world axes, rad/s
  CpsVec3 centre;            ///< centre of mass, world, m
  double mass;               ///< kg
  void* user;                ///< as given
} CpsBodyState;

/// Reads the state of a body.
CPS_API CpsStatus cps_world_body_state(const CpsWorld* world, CpsBodyId id, CpsBodyState* state);
/// Sets pose, velocity and angular velocity (the other fields are not read).
CPS_API CpsStatus cps_world_set_body_state(CpsWorld* world, CpsBodyId id, const CpsBodyState* state, CpsError* error);

/// How a prescribed motion or a load depends on time.
typedef enum CpsCurveKind {
  CPS_CURVE_CONSTANT = 0,  ///< 1
  CPS_CURVE_SINE = 1,      ///< sin(2 pi frequency t + phase)
  CPS_CURVE_TABLE = 2      ///< table of (time, value), linear in between, constant outside
} CpsCurveKind;

/// A function of time. Zeroed: constant 1.
typedef struct CpsCurve {
  CpsCurveKind kind;     ///< which fields are read
  double frequency;      ///< sine, Hz
  double phase;          ///< sine, rad
  int32_t count;         ///< table: >= 1
  const double* times;   ///< table: strictly increasing, s; copied
  const double* values;  ///< table; copied
  bool steps;            ///< table: hold each value until the next time instead of interpolating
  double period;         ///< table: > 0: repeat with this period, s; 0: no
} CpsCurve;

/// A force and a torque on a body, F(t) = curve(t) force. Always start from cps_load_def_default().
typedef struct CpsLoadDef {
  CpsThing thing;  ///< the loaded body; zeroed: every body
  CpsVec3 force;   ///< N, world axes, at the centre of mass. Default 0
  CpsVec3 torque;  ///< N m, world axes. Default 0
  CpsCurve curve;  ///< time dependence. Default constant 1
  bool body_axes;  ///< force and torque are given in the axes of the body's shape and turn with it. Default false
  int cookie;      ///< set by the default function
} CpsLoadDef;

/// The defaults named above.
CPS_API CpsLoadDef cps_load_def_default(void);
/// Adds a load.
CPS_API CpsStatus cps_world_add_load(CpsWorld* world, const CpsLoadDef* def, CpsError* error);
/// Applies an impulse to a body immediately, at a point given in world coordinates.
CPS_API CpsStatus cps_world_apply_impulse(CpsWorld* world, CpsBodyId id, CpsVec3 impulse, CpsVec3 point,
                                          CpsError* error);

/// How an obstacle moves.
typedef enum CpsMotionKind {
  CPS_MOTION_REST = 0,      ///< not at all
  CPS_MOTION_VELOCITY = 1,  ///< with constant velocity and angular velocity about its origin
  CPS_MOTION_SINE = 2,      ///< position + amplitude sin(2 pi f t + phase), and likewise a rotation vector
  CPS_MOTION_KEYFRAMES = 3  ///< through poses at given times; linear positions and constant-rate rotations in between
} CpsMotionKind;

/// A prescribed motion, relative to the obstacle's pose at t = 0 except for keyframes. Zeroed: rest.
typedef struct CpsMotion {
  CpsMotionKind kind;          ///< which fields are read
  CpsVec3 velocity;            ///< m/s (velocity)
  CpsVec3 angular_velocity;    ///< rad/s, world axes (velocity)
  CpsVec3 amplitude;           ///< m (sine)
  CpsVec3 rotation_amplitude;  ///< rotation vector, rad, world axes (sine)
  double frequency;            ///< Hz (sine)
  double phase;                ///< rad (sine)
  int32_t key_count;           ///< keyframes: >= 1
  const double* key_times;     ///< strictly increasing, s; copied
  const CpsPose* key_poses;    ///< poses in the world; copied
} CpsMotion;

/// An obstacle: exerts contact forces but is never moved by them. Always start from cps_obstacle_def_default().
typedef struct CpsObstacleDef {
  CpsShape shape;            ///< any kind
  CpsPose pose;              ///< at t = 0; a rotation of all zeros means none. Default none
  CpsMotion motion;          ///< Default rest
  CpsVec3 surface_velocity;  ///< as of a conveyor belt: velocity of the surface while the shape stays in place, m/s,
                             ///< shape's axes. Default 0
  CpsMaterialId material;    ///< Default 0
  double mu;                 ///< as for bodies. Default NaN
  double restitution;        ///< as for bodies. Default NaN
  bool contact;              ///< whether it collides; false: it is only drawn. Default true
  const char* name;          ///< as for bodies. Default NULL
  void* user;                ///< user data, never read
  int cookie;                ///< set by the default function
} CpsObstacleDef;

/// The defaults named above; the shape must be filled in.
CPS_API CpsObstacleDef cps_obstacle_def_default(void);
/// Adds an obstacle.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_obstacle(CpsWorld* world, const CpsObstacleDef* def, CpsObstacleId* id,
                                         CpsError* error);
/// Removes an obstacle; its id becomes stale.
CPS_API CpsStatus cps_world_remove_obstacle(CpsWorld* world, CpsObstacleId id, CpsError* error);
/// Number of obstacles.
CPS_API int32_t cps_world_obstacle_count(const CpsWorld* world);
/// Id of the i-th obstacle in the order of their slots; {0, 0} outside the range.
CPS_API CpsObstacleId cps_world_obstacle(const CpsWorld* world, int32_t i);
/// Pose of an obstacle now.
CPS_API CpsStatus cps_world_obstacle_pose(const CpsWorld* world, CpsObstacleId id, CpsPose* pose);

/// The energy balance, J. Over any number of steps, to rounding:
///     kinetic + potential + elastic = start + external + obstacles + ends
///                                     - friction - impact - ties - damping - linearisation - scheme - projection
/// Each term has its own formula, and `error` is the remainder: rounding, and for super-clothoids and held tips of
/// super-models up to 1e-5 of the energies.
typedef struct CpsEnergy {
  double kinetic;        ///< now
  double elastic;        ///< of fibres and of the springs of pulls and ties, now
  double potential;      ///< of gravity, now, zero at the world's origin
  double start;          ///< kinetic + potential + elastic before the first step and everything added or set since
  double external;       ///< work of loads, and of the forces and targets of pulls
  double obstacles;      ///< work of moving obstacles
  double ends;           ///< work done by held ends of fibres
  double friction;       ///< dissipated by the tangential parts of impulses
  double impact;         ///< dissipated by the normal parts of impulses
  double ties;           ///< lost in ties, including the energy stored in a spring when it broke
  double damping;        ///< dissipated by internal damping and drag of fibres and by dampers of pulls, never negative
  double linearisation;  ///< lost because a step linearises the forces of fibres (negative: gained)
  double scheme;         ///< lost by the time discretisation (negative: gained)
  double projection;     ///< lost by the projection of positions, never negative
  double turnover;       ///< total energy exchanged: sum over the steps and bodies of the absolute energy that forces
                         ///< added before contacts removed it; the scale for judging rounding
  double error;          ///< |imbalance|, relative to the largest of the energies and works above
} CpsEnergy;

/// Two overlapping objects. Zeroed: none.
typedef struct CpsOverlap {
  CpsSide side[2];  ///< the two objects, at the deepest point; an obstacle comes second. Both sides are the same object
                    ///< if a fibre or a sheet overlaps itself
  CpsVec3 point;    ///< midpoint of the two points, world, m
  double depth;     ///< depth of penetration there, m
  double radius;    ///< radius of the smaller object: of the largest sphere about its centre that fits inside (a
                    ///< compound: inside a part), m, > 0
  double left;      ///< depth after cps_world_separate(), m; 0: none
  bool through;     ///< an edge of one sheet cuts a triangle of the other, or of itself (CpsSide.part). Such features
                    ///< do not collide until they have separated
  bool held;        ///< the remaining overlap is imposed by the held ends of fibres; the objects do not collide near
                    ///< these ends
} CpsOverlap;

/// The outcome of a step.
typedef struct CpsStepInfo {
  CpsStatus status;         ///< CPS_OK: every island solved to its tolerance; > 0: the worst island's status
  double time;              ///< at the end of the step, s
  double step;              ///< length of the step, s
  int64_t index;            ///< number of steps since the start, including this one
  int32_t halvings;         ///< number of times the step was retried with half the length
  int32_t contacts;         ///< contacts of the step
  int32_t stick;            ///< of these, sticking
  int32_t slide;            ///< of these, sliding
  int32_t islands;          ///< groups of bodies coupled by contacts
  int32_t broken;           ///< ties that broke in the step
  int32_t unsolved;         ///< islands not solved to their tolerance, plus one if `made` is not 0
  int32_t moving;           ///< large islands in motion, whose tolerance is CpsWorldDef.motion_tolerance
  double tolerance;         ///< the largest tolerance of any island
  int64_t iterations;       ///< largest number of iterations of an island
  double residual;          ///< largest residual of an island
  double penetration;       ///< largest penetration at the beginning of the step, m
  CpsOverlap deepest;       ///< the penetration with the largest depth / radius at that time; depth 0: none. Overlaps
                            ///< kept by cps_world_keep_overlaps() count only if they have become deeper
  double nu;                ///< 3 contacts / degrees of freedom of the bodies and fibres in contact
  int32_t crossings;        ///< places where the centreline of a fibre passed through another fibre, a body or an
                            ///< obstacle in the step (listed by cps_world_pass()), and places where anything passed
                            ///< through a sheet, a solid or the surface of a point cloud
  int32_t passes;           ///< of these, passes through a body or an obstacle
  int32_t stopped;          ///< groups of sheet vertices, bodies and fibres that would have passed through each other
                            ///< even in the shortest step and were given a common velocity instead: friction is not
                            ///< exact there, but nothing passed through
  int32_t outruns;          ///< fibres that moved beyond the range of contact detection, for which detection was
                            ///< repeated
  double made;              ///< spurious energy created so far, J: the time step is too long for stiff or light parts.
                            ///< Reported (otherwise 0) if it exceeds a quarter of the energy present or supplied and
                            ///< has grown for 24 steps, or has persisted for 48 steps, or exceeds four times that
                            ///< energy
  double excess;            ///< current spurious energy relative to the energy present or supplied: a jerk too fast for
                            ///< the time step creates some once, which damping removes again. 0 if below a quarter
  double created;           ///< net energy that the time discretisation has created since the start, relative to the
                            ///< largest energy present or supplied so far: also what friction and damping have removed
                            ///< since. 0 if below a quarter
  double drained;           ///< net energy that the time discretisation has removed since the start, relative to the
                            ///< same; at theta = 1, whose scheme dissipates, that of position correction alone. 0 if
                            ///< below a tenth
  double spin_lost;         ///< largest part of its angular momentum about its centre of mass that a fibre lost in the
                            ///< step although only gravity acted on it: the step is long for such a fast spin, in
                            ///< particular at theta = 1. Relative to the value if all motion about the centre were a
                            ///< rotation
  CpsThing spinning;        ///< that fibre, if `spin_lost` is not 0
  double seconds_predict;   ///< wall-clock time of free velocities and factorisations
  double seconds_detect;    ///< wall-clock time of detection
  double seconds_assemble;  ///< wall-clock time of building contacts, islands and the rows of the problem
  double seconds_solve;     ///< wall-clock time of solving
  double seconds_advance;   ///< wall-clock time of updating velocities, positions and the energy balance
  double seconds;           ///< wall-clock time of the whole step
} CpsStepInfo;

/// Advances the world by one step (possibly a shorter one if the step is adaptive).
/// @param info   out: may be NULL
/// @param error  out: an error message if the status is not CPS_OK; may be NULL
/// @return CPS_OK; a status > 0: the step was taken but not solved to the tolerance; an error < 0: the world is
/// unchanged
CPS_API CpsStatus cps_world_step(CpsWorld* world, CpsStepInfo* info, CpsError* error);

/// Finds all pairs of bodies, fibres and obstacles that currently overlap by more than the slop (the world's, or 1e-3
/// of the smaller radius). Pairs of obstacles, members of the same group and objects without contact are ignored. Moves
/// nothing.
CPS_API CpsStatus cps_world_find_overlaps(CpsWorld* world, CpsError* error);
/// Moves overlapping objects apart without changing velocities: bodies and free fibres as a whole, held fibres by
/// bending them gently. Where held ends force fibres to overlap each other or an obstacle, contact is disabled from
/// then on for the part that cannot yield. Meant for the start of a simulation; see docs/theory/separation.md.
/// @return CPS_OK; CPS_NOT_CONVERGED: some overlaps remain (CpsOverlap.left); or an error: nothing was moved
CPS_API CpsStatus cps_world_separate(CpsWorld* world, CpsError* error);
/// Accepts the current overlaps, for example between scanned strands: CpsStepInfo.deepest ignores each pair that
/// overlaps now unless the overlap grows. CpsStepInfo.penetration still counts all overlaps, and new ones are reported
/// as usual. Finds overlaps as cps_world_find_overlaps() does. A second call replaces the list of the first.
/// @param kind  kind of both objects of a pair
/// @return CPS_OK, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_keep_overlaps(CpsWorld* world, CpsThingKind kind, CpsError* error);
/// Number of overlaps found by the last of these three calls; for cps_world_separate(), before the objects were moved.
CPS_API int32_t cps_world_overlap_count(const CpsWorld* world);
/// Overlap i, sorted by decreasing depth / radius; zeroed outside the range.
CPS_API CpsOverlap cps_world_overlap(const CpsWorld* world, int32_t i);

/// Simulated time, s.
CPS_API double cps_world_time(const CpsWorld* world);
/// Length of the last step, s; NaN before the first.
CPS_API double cps_world_last_step(const CpsWorld* world);
/// Number of steps taken.
CPS_API int64_t cps_world_step_count(const CpsWorld* world);
/// The energy balance after the last step.
CPS_API CpsEnergy cps_world_energy(const CpsWorld* world);
/// Linear momentum and angular momentum about the origin of all bodies.
CPS_API void cps_world_momentum(const CpsWorld* world, CpsVec3* linear, CpsVec3* angular);

/// A contact of the last step.
typedef struct CpsContact {
  CpsSide side[2];          ///< the two sides at the beginning of the step: a, to which the normal points, and b. An
                            ///< obstacle is always b. Both are the same object if a fibre or a sheet touches itself
  uint32_t feature;         ///< distinguishes the contacts of a pair; stays the same from step to step
  CpsVec3 normal;           ///< unit, from b to a
  CpsVec3 tangent1;         ///< unit; along the grain where friction is anisotropic
  CpsVec3 tangent2;         ///< normal x tangent1
  double gap;               ///< at the beginning of the step, m, negative: penetration
  double mu;                ///< along tangent1
  double mu_across;         ///< along tangent2
  double restitution;       ///< as used
  double impulse[3];        ///< on a, N·s, along normal, tangent1, tangent2
  double velocity[3];       ///< of a relative to b after the step, m/s, in the same frame
  double residual;          ///< violation of Coulomb's law; the residual of an island is the largest of its contacts
  CpsContactStatus status;  ///< take-off, stick or slide
  int32_t island;           ///< number of its island
} CpsContact;

/// Number of contacts of the last step; 0 after a step that failed.
CPS_API int32_t cps_world_contact_count(const CpsWorld* world);
/// Contact i of the last step; zeroed outside the range.
CPS_API CpsContact cps_world_contact(const CpsWorld* world, int32_t i);

/// A place where the centreline of a fibre passed through something in a step, for whatever reason.
typedef struct CpsPass {
  CpsSide side[2];  ///< the fibre and the object it passed through (possibly itself), at their current positions; the
                    ///< point on a fibre is the middle of the segment that passed
  CpsVec3 point;    ///< approximate position, world, m
} CpsPass;

/// Number of places where a fibre passed through something in the last step: CpsStepInfo.crossings.
CPS_API int32_t cps_world_pass_count(const CpsWorld* world);
/// Place i of the last step; zeroed outside the range.
CPS_API CpsPass cps_world_pass(const CpsWorld* world, int32_t i);

/// The friction problem of the last step (all islands together) and its impulses. If the last cps_world_step() failed,
/// there is none: CPS_BAD_ARGUMENT.
/// @param[out] problem  to be destroyed by the caller; its contacts are those of cps_world_contact(), in the same
///                      order, followed by the blocks of ties
/// @param[out] r        cps_world_problem_rows() impulses in the variables of the problem (scaled for anisotropic
///                      contacts); may be NULL
CPS_API CpsStatus cps_world_problem(const CpsWorld* world, CpsProblem** problem, double* r, CpsError* error);
/// Rows of that problem: three for each contact and for each block of a tie (a hinge has two, a weld three).
CPS_API int64_t cps_world_problem_rows(const CpsWorld* world);

/// Number of bytes that cps_world_save() would write now.
CPS_API size_t cps_world_state_size(const CpsWorld* world);
/// Writes everything that changes in time (states, impulses, step size, energy balance) into a buffer of at least that
/// size.
CPS_API CpsStatus cps_world_save(const CpsWorld* world, void* bytes, size_t size, CpsError* error);
/// Restores a saved state into a world with the same objects, built by the same calls; settings, shapes and materials
/// may differ. With equal settings the following steps are bit-identical to those of the saved world.
/// @return CPS_OK, or CPS_BAD_FORMAT or CPS_BAD_DATA: the world is unchanged
CPS_API CpsStatus cps_world_load(CpsWorld* world, const void* bytes, size_t size, CpsError* error);
/// A 64-bit hash of time, poses and velocities, for comparing runs on one machine.
CPS_API uint64_t cps_world_hash(const CpsWorld* world);

/// Called after each completed step.
typedef void (*CpsObserverFn)(const CpsWorld* world, const CpsStepInfo* info, void* data);
/// Sets the observer; NULL: none.
CPS_API void cps_world_observe(CpsWorld* world, CpsObserverFn observer, void* data);

#ifdef __cplusplus
}
#endif
#endif
