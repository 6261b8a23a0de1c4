/// @file fibre.h
/// Fibres: thin elastic rods in a world, with a choice of mechanical models behind one definition.
///
///     CpsFibreDef def = cps_fibre_def_default();
///     def.length = 0.3;
///     def.root.kind = CPS_END_CLAMPED;
///     CpsFibreId id;
///     cps_world_add_fibre(world, &def, &id, NULL);
///
/// A material point of a fibre is identified by its arc length s in [0, length]; the material frame there is a rotation
/// whose first axis is the tangent, second and third the principal axes of the cross-section. Curvatures are vectors
/// (twist, bending about the second axis, bending about the third axis), 1/m, in the material frame: R'(s) = R(s)
/// [kappa(s)]x. Contacts act on the surface, with the radius as their lever arm.
#ifndef CAPSTAN_FIBRE_H
#define CAPSTAN_FIBRE_H

#include "capstan/pull.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Mechanical models of a rod. docs/theory/rods.md compares them.
typedef enum CpsRodModel {
  CPS_ROD_SUPER_HELIX = 0,            ///< "super-helix": constant curvature per element, dense implicit mass
  CPS_ROD_SUPER_HELIX_RECURSIVE = 1,  ///< "super-helix-recursive": the same motion in linear time; also supports trees
  CPS_ROD_SUPER_CLOTHOID = 2,         ///< "super-clothoid": curvature linear in each element
  CPS_ROD_MASS_SPRING = 3,            ///< "mass-spring": points, stretching and bending springs, no twist
  CPS_ROD_CORDE = 4,                  ///< "corde": points and quaternions, implicit
  CPS_ROD_CORDE_EXPLICIT = 5,         ///< "corde-explicit": as "corde", with explicit internal forces
  CPS_ROD_DER = 6,                    ///< "der": discrete elastic rod, stiff stretching
  CPS_ROD_DER_INEXTENSIBLE = 7,       ///< "der-inextensible": constant lengths inside the mass solve
  CPS_ROD_DER_PROJECTED = 8,          ///< "der-projected": lengths restored after each step by fast projection
  CPS_ROD_MODEL_COUNT = 9             ///< number of models
} CpsRodModel;

/// Name of a model as scene files spell it; NULL outside the range.
CPS_API const char* cps_rod_model_name(CpsRodModel model);
/// Finds a model by its name.
/// @return false if the name is unknown
CPS_API bool cps_rod_model_find(const char* name, CpsRodModel* model);

/// How an end of a fibre is held.
typedef enum CpsEndKind {
  CPS_END_FREE = 0,    ///< nothing
  CPS_END_PINNED = 1,  ///< its position is prescribed
  CPS_END_CLAMPED = 2  ///< position and material frame are prescribed
} CpsEndKind;

/// An end of a fibre. Zeroed: free. Super-models hold a tip that is not free by a stiff spring; all other models hold
/// it exactly. All models hold the root exactly.
typedef struct CpsFibreEnd {
  CpsEndKind kind;         ///< what is prescribed
  CpsObstacleId obstacle;  ///< the end moves with this obstacle; {0, 0}: it follows `motion`
  CpsMotion motion;        ///< relative to the pose at t = 0 except for keyframes; read if there is no obstacle
} CpsFibreEnd;

/// A branch of a tree of rods (CPS_ROD_SUPER_HELIX_RECURSIVE only). Arc lengths of a tree continue from branch to
/// branch: the trunk covers [0, length], the first branch the next `length` metres, and so on.
typedef struct CpsFibreBranch {
  int32_t parent;     ///< -1: the trunk; otherwise an earlier branch
  int32_t at;         ///< element of the parent, from 0, at whose end it starts
  CpsQuat rotation;   ///< of its root frame relative to the parent's frame there; zeros: none
  int32_t elements;   ///< >= 1
  double length;      ///< m, > 0
  double radius;      ///< m, > 0; both half-axes; density and moduli are those of the trunk
  CpsVec3 natural;    ///< natural curvature, constant, 1/m
  CpsVec3 curvature;  ///< initial curvature, 1/m; first component NaN: the natural curvature
} CpsFibreBranch;

/// A fibre. Always start from cps_fibre_def_default().
typedef struct CpsFibreDef {
  CpsRodModel model;  ///< Default CPS_ROD_SUPER_HELIX
  int32_t elements;   ///< elements of a super-model (>= 1) or segments of other models (>= 2). Default 5
  // initial shape: either a polyline, or a root and curvatures
  int32_t point_count;       ///< points of the polyline, >= 2; 0: use root and curvatures. Default 0
  const CpsVec3* points;     ///< points of the centreline, m; copied. Default NULL
  double length;             ///< m, > 0; read if there are no points. Default 0.3
  CpsPose root_pose;         ///< without points: pose of the root, first axis along the fibre. With points: only the
                             ///< rotation is read; its second axis, made orthogonal to the first segment, is that of
                             ///< the cross-section. Zeros: none. Default none
  int32_t curvature_count;   ///< curvatures at equally spaced arc lengths, linear in between; 1: constant; 0: the
                             ///< natural curvature. Default 0
  const CpsVec3* curvature;  ///< 1/m; read without points; copied
  // super-helices only: individual elements of the trunk
  const double* element_lengths;     ///< m, > 0; they add up to the length (with points: only their ratios matter);
                                     ///< copied. NULL: equal lengths. Default NULL
  const CpsVec3* element_curvature;  ///< 1/m, instead of `curvature`; read if there are no points; copied. Default NULL
  // unloaded shape
  bool natural_as_placed;  ///< the initial shape is the natural shape. Default false
  int32_t natural_count;   ///< as curvature_count; 0: straight. Default 0
  const CpsVec3* natural;  ///< natural curvatures, 1/m; copied
  // cross-section and material
  double radius;         ///< half-axis of the cross-section along its second axis, m, > 0. Default 5e-4
  double radius_across;  ///< half-axis along the third axis, m; NaN: same as `radius`. Default NaN
  double radius_tip;     ///< half-axis along the second axis at the tip (of the trunk), m, > 0: the fibre tapers
                         ///< linearly in the arc length. All other values of the cross-section are those at the root:
                         ///< the third axis and contact_radius shrink in proportion; mass, E S and drag with the
                         ///< square; E I and G J with the fourth power. NaN: same as at the root. Default NaN
  double roll[2];        ///< angle by which the cross-section is rotated about the centreline, at the root and at the
                         ///< tip, linear in the arc length, rad; centrelines of both shapes stay. 0: axes as the shape
                         ///< has them; along points they twist least. Not for trees. Default 0, 0
  double density;        ///< kg/m^3, > 0. Default 1300
  double young;          ///< Young's modulus, Pa, > 0. Default 1e9
  double poisson;        ///< Poisson's ratio, in (-1, 1/2]. Default 0.5
  double line_density;   ///< kg/m; NaN: density times cross-section. Default NaN
  double bending[2];     ///< E I about the second and the third axis, N m^2; NaN: from the cross-section. Default NaN
  double twisting;       ///< G J, N m^2; NaN: from the cross-section. Default NaN
  double stretching;     ///< E S, N; NaN: from the cross-section; unused by super-models and inextensible models.
                         ///< Default NaN
  double damping;        ///< internal damping: damping matrix = damping times stiffness matrix, s, >= 0. Default 1e-3
  double drag;           ///< air drag: force per length = -drag velocity, kg/(m s), >= 0. Default 0
  bool gravity;          ///< whether gravity acts on it. Default true
  // ends
  CpsFibreEnd root;  ///< s = 0. Default free
  CpsFibreEnd tip;   ///< s = length. Default free
  // contact
  CpsMaterialId material;  ///< Default 0
  double mu;               ///< as for bodies. Default NaN
  double restitution;      ///< as for bodies. Default NaN
  double contact_radius;   ///< m; 0: no contact; NaN: the larger half-axis, for branches their radius. Default NaN
  double contact_start;    ///< no contact up to this arc length from the root, m, >= 0. Default 0
  int32_t pieces;          ///< capsules used for contact detection; 0: for super-models twice the elements and at least
                           ///< 24, shorter where the fibre is more curved; for other models one per segment (or a
                           ///< multiple). Default 0
  bool self_contact;       ///< whether it collides with itself. Default true
  double self_distance;    ///< points closer than this along the fibre do not collide with each other, m; NaN: ten
                           ///< contact radii, but at least twice the longest piece. Default NaN
  int32_t group;           ///< fibres and bodies in the same group > 0 do not collide with each other. Default 0
  // trees
  int32_t branch_count;            ///< Default 0
  const CpsFibreBranch* branches;  ///< copied. Default NULL
  const char* name;                ///< as for bodies. Default NULL
  void* user;                      ///< user data, never read. Default NULL
  int cookie;                      ///< set by the default function
} CpsFibreDef;

/// The defaults named above.
CPS_API CpsFibreDef cps_fibre_def_default(void);
/// Adds a fibre.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_fibre(CpsWorld* world, const CpsFibreDef* def, CpsFibreId* id, CpsError* error);
/// Removes a fibre and the pulls on it; its id becomes stale.
CPS_API CpsStatus cps_world_remove_fibre(CpsWorld* world, CpsFibreId id, CpsError* error);
/// Number of fibres.
CPS_API int32_t cps_world_fibre_count(const CpsWorld* world);
/// Id of the i-th fibre in the order of their slots; {0, 0} outside the range.
CPS_API CpsFibreId cps_world_fibre(const CpsWorld* world, int32_t i);
/// Whether an id names an existing fibre.
CPS_API bool cps_world_fibre_exists(const CpsWorld* world, CpsFibreId id);

/// Properties of a fibre.
typedef struct CpsFibreInfo {
  CpsRodModel model;     ///< its model
  int32_t dofs;          ///< degrees of freedom
  int32_t elements;      ///< of all branches
  int32_t pieces;        ///< capsules
  double length;         ///< at rest, with all branches, m
  double mass;           ///< kg
  double radius;         ///< contact radius at the root, m
  double radius_tip;     ///< contact radius at the tip, m
  double stored_length;  ///< current length of the centreline, m; equal to `length` for inextensible models
  double elastic;        ///< current elastic energy, J
  double kinetic;        ///< current kinetic energy, J
  double stiffened;      ///< stiffness relative to the definition: 1 unless an inversion made it stiffer
  int32_t branch_count;  ///< branches of a tree
  CpsEndKind root, tip;  ///< how its ends are held
  bool root_carried;     ///< the root moves with an obstacle and has not been taken over by cps_world_move_fibre_end()
  bool tip_carried;      ///< the same for the tip
  const char* name;      ///< as given; valid until the fibre is removed; NULL: none
  void* user;            ///< as given
} CpsFibreInfo;
/// Reads the properties of a fibre.
CPS_API CpsStatus cps_world_fibre_info(const CpsWorld* world, CpsFibreId id, CpsFibreInfo* info);

/// Current state of a material point of a fibre.
typedef struct CpsFibrePoint {
  CpsVec3 position;   ///< of the centreline, m
  CpsQuat frame;      ///< material frame; a twist-free frame for models without twist
  CpsVec3 curvature;  ///< 1/m, in the material frame (point-based models: of the nearest joint)
  CpsVec3 velocity;   ///< of the centreline, m/s
} CpsFibrePoint;
/// The point at arc length s (clamped to the fibre).
CPS_API CpsStatus cps_world_fibre_at(const CpsWorld* world, CpsFibreId id, double s, CpsFibrePoint* point);
/// The centreline at `count` >= 2 equally spaced arc lengths from root to tip (of the trunk, if it is a tree).
CPS_API CpsStatus cps_world_fibre_points(const CpsWorld* world, CpsFibreId id, int32_t count, CpsVec3* points);
/// The axial force at `count` >= 2 equally spaced arc lengths from root to tip (of the trunk, if it is a tree), N,
/// positive in tension. It follows from the balance of forces of the last step or, if the model holds the tip exactly,
/// from the strain. Before the first step and after loading a state it is that of a fibre at rest without contacts. See
/// docs/theory/tension.md.
/// @param[out] tension  `count` numbers
/// @return CPS_OK, CPS_BAD_ARGUMENT, CPS_UNSUPPORTED for a CPS_ROD_DER_PROJECTED whose tip is held (zeros), or
///         CPS_NO_MEMORY
CPS_API CpsStatus cps_world_fibre_tension(const CpsWorld* world, CpsFibreId id, int32_t count, double* tension);
/// Tension of many fibres and of branches, step after step: the forces on all fibres are collected once per step, and
/// memory is reused.
typedef struct CpsTensions CpsTensions;
/// Creates an empty one; NULL if out of memory.
CPS_API CpsTensions* cps_tensions_create(void);
/// Frees it; NULL is allowed.
CPS_API void cps_tensions_destroy(CpsTensions* tensions);
/// Collects the forces of the last step of a world, for the following calls of cps_tensions_read().
CPS_API CpsStatus cps_tensions_update(CpsTensions* tensions, const CpsWorld* world);
/// As cps_world_fibre_tension(), for one branch.
/// @param world   the world of the last update, unchanged since then
/// @param branch  -1: the trunk
CPS_API CpsStatus cps_tensions_read(CpsTensions* tensions, const CpsWorld* world, CpsFibreId id, int32_t branch,
                                    int32_t count, double* tension);
/// Sets all velocities of a fibre to those of a rigid motion, as far as its held ends allow.
CPS_API CpsStatus cps_world_set_fibre_velocity(CpsWorld* world, CpsFibreId id, CpsVec3 velocity,
                                               CpsVec3 angular_velocity, CpsError* error);

/// Takes over a held end: it moves to a pose at constant velocity within one nominal time step and stays there. From
/// then on neither its obstacle nor its motion moves it; the next call continues from there. Saved states include it.
/// The end rotates by the shortest way, so split rotations of half a turn or more into several calls.
/// @param end   0: root, 1: tip; it must be pinned or clamped
/// @param pose  position, and for a clamped end the material frame (first axis: the tangent)
CPS_API CpsStatus cps_world_move_fibre_end(CpsWorld* world, CpsFibreId id, int end, CpsPose pose, CpsError* error);
/// Current pose of an end, held or free.
/// @param end  0: root, 1: tip
CPS_API CpsStatus cps_world_fibre_end_pose(const CpsWorld* world, CpsFibreId id, int end, CpsPose* pose);

/// A rod of constant curvature in each element that follows a polyline.
typedef struct CpsFibreFit {
  double length;  ///< of the smooth curve through the points, m
  CpsPose root;   ///< at the first point; first axis along the rod
  double mean;    ///< mean distance between rod and curve at equal arc lengths, m
  double max;     ///< largest such distance, m
} CpsFibreFit;
/// Fits root frame and curvatures to a polyline: a local minimum of the squared distances over rods with elements of
/// constant curvature. See docs/theory/fit.md.
/// @param points     `point_count` >= 2 points; consecutive points differ
/// @param elements   1 to 200
/// @param curvature  out: of each element, 1/m
CPS_API CpsStatus cps_fibre_fit(const CpsVec3* points, int32_t point_count, int32_t elements, CpsVec3* curvature,
                                CpsFibreFit* fit, CpsError* error);
/// The same by floating tangents: the elements match the tangents of the curve at joints at equal arc lengths; their
/// lengths differ, and the joints move as little as possible. It needs no iteration over the rod and is faster than the
/// least-squares fit; docs/theory/fit.md compares the two.
/// @param lengths    out: of each element, m, for CpsFibreDef::element_lengths
/// @param curvature  out: of each element, 1/m, for CpsFibreDef::element_curvature
/// @param fit        out: length of the rod, and distances at equal parts of the elements
CPS_API CpsStatus cps_fibre_fit_tangents(const CpsVec3* points, int32_t point_count, int32_t elements, double* lengths,
                                         CpsVec3* curvature, CpsFibreFit* fit, CpsError* error);
/// Fits many polylines in parallel, each as cps_fibre_fit() or cps_fibre_fit_tangents() does. Bit-identical for any
/// number of threads.
/// @param points     of all polylines
/// @param first      `count` + 1 entries: polyline i has the points first[i] to first[i + 1] - 1
/// @param threads    1 to 1024
/// @param lengths    out: `elements` entries per polyline, fitted by floating tangents; NULL: fit by least squares
/// @param curvature  out: `elements` entries per polyline, 1/m
/// @param fits       out: `count` entries
/// @param failed     out: index of the first polyline without a fit, or -1; may be NULL. The other results are then
///                   incomplete
CPS_API CpsStatus cps_fibre_fit_all(const CpsVec3* points, const int64_t* first, int32_t count, int32_t elements,
                                    int32_t threads, double* lengths, CpsVec3* curvature, CpsFibreFit* fits,
                                    int32_t* failed, CpsError* error);
enum { CPS_FIT_TABLE = 8 };  ///< entries of a table for each element
/// A table for CpsFibreDef::curvature, which is linear between its entries, with the given mean over each element.
/// @param table  out: CPS_FIT_TABLE * elements + 1 entries
CPS_API void cps_fibre_fit_table(const CpsVec3* curvature, int32_t elements, CpsVec3* table);

#ifdef __cplusplus
}
#endif
#endif
