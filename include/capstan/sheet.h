/// @file sheet.h
/// Sheets: thin elastic surfaces of triangles (cloth, paper, foil), described by value.
///
///     CpsSheetDef def = cps_sheet_def_default();
///     def.vertex_count = 4, def.vertices = corners;
///     def.triangle_count = 2, def.triangles = corner_numbers;
///     CpsFabric cotton;
///     cps_fabric_find("cotton", &cotton);
///     cps_sheet_def_use_fabric(&def, &cotton);
///
/// Stiffnesses are those of the sheet, not of its matter: N/m in its plane (Young's modulus times thickness), N m in bending
/// (energy per area = B curvature^2 / 2). The warp is the first material direction, the weft the second, at right angles to
/// it. docs/theory/sheet.md has the equations.
#ifndef CAPSTAN_SHEET_H
#define CAPSTAN_SHEET_H

#include "capstan/vertex.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a triangle answers to stretch and shear in its plane. All three have the same small-strain stiffness.
typedef enum CpsMembraneLaw {
  CPS_MEMBRANE_STVK = 0,         ///< "stvk": St. Venant-Kirchhoff, quadratic in Green's strain; gives way when crushed
  CPS_MEMBRANE_NEO_HOOKEAN = 1,  ///< "neo-hookean": plane stress, the thickness follows; no triangle can be crushed to
                                 ///< nothing
  CPS_MEMBRANE_BARAFF_WITKIN = 2,  ///< "baraff-witkin": lengths along warp and weft and their angle; no Poisson effect
  CPS_MEMBRANE_LAW_COUNT = 3       ///< number of laws
} CpsMembraneLaw;

/// How a sheet answers to bending.
typedef enum CpsBendingLaw {
  CPS_BENDING_PATCH = 0,  ///< "patch": the quadratic through a triangle and its three neighbours: a plate within 1 % on
                          ///< regular meshes, up to 3 % too soft on random ones
  CPS_BENDING_HINGE = 1,  ///< "hinge": each edge for itself; cheapest, and 0.7 to 3.7 times as stiff by the mesh
  CPS_BENDING_WIDE = 2,   ///< "wide": as patch, with slopes at sides shared by neighbours: converges on every mesh, for
                          ///< matrices twice as dense
  CPS_BENDING_LAW_COUNT = 3  ///< number of laws
} CpsBendingLaw;

/// Name of a law as scene files spell it; NULL outside the range.
CPS_API const char* cps_membrane_law_name(CpsMembraneLaw law);
/// The law of a name.
/// @return false if the name is unknown
CPS_API bool cps_membrane_law_find(const char* name, CpsMembraneLaw* law);
/// Name of a law as scene files spell it; NULL outside the range.
CPS_API const char* cps_bending_law_name(CpsBendingLaw law);
/// The law of a name.
/// @return false if the name is unknown
CPS_API bool cps_bending_law_find(const char* name, CpsBendingLaw* law);

/// The angles between triangles in the shape without any load.
typedef enum CpsSheetRestAngles {
  CPS_REST_ANGLES_FLAT = 0,   ///< it would lie flat
  CPS_REST_ANGLES_PLACED = 1  ///< those of the placed shape
} CpsSheetRestAngles;

/// An edge with a rest angle of its own: a pleat.
typedef struct CpsSheetPleat {
  int32_t a, b;  ///< the two vertices of the edge, which must be between two triangles
  double angle;  ///< rad, in (-pi, pi): 0 flat, positive where the sheet folds towards the side its triangles' normals
                 ///< (counter-clockwise) point to
} CpsSheetPleat;

/// Two vertices that are one point: where two panels are sewn together.
typedef struct CpsSheetSeam {
  int32_t a, b;  ///< the vertices; chains of pairs join more than two
} CpsSheetSeam;

/// A sheet. Always start from cps_sheet_def_default().
typedef struct CpsSheetDef {
  // where it is at the start
  int32_t vertex_count;     ///< >= 3
  int32_t triangle_count;   ///< >= 1
  const CpsVec3* vertices;  ///< m, world; each used by a triangle, no two at one place unless a seam joins them; copied
  const int32_t* triangles;  ///< three vertices each; neighbours run along their common edge in opposite directions, at
                             ///< most two triangles share an edge; copied
  int32_t seam_count;        ///< Default 0
  const CpsSheetSeam* seams;  ///< joined vertices lie together or, with texture, meet halfway; copied. Default NULL
  CpsVec3 velocity;           ///< of all vertices, m/s. Default 0
  // shape without any load
  const double* texture;  ///< two coordinates for each corner of each triangle, 6 * triangle_count numbers: the sheet
                          ///< in the plane it was cut from, first axis along the warp; NULL: lengths as placed.
                          ///< Default NULL
  double texture_scale;   ///< m for a unit of texture, > 0. Default 1
  CpsVec3 warp;       ///< without texture: direction of the warp in the world, as far as a triangle has it. Default x
  double warp_angle;  ///< rad, from there (texture: from the first axis) to the warp, about the normals. Default 0
  CpsSheetRestAngles rest_angles;  ///< Default flat
  int32_t pleat_count;             ///< Default 0
  const CpsSheetPleat* pleats;     ///< edges with other rest angles; copied. Default NULL
  // matter
  double thickness;           ///< m, > 0: two layers touch at this distance. Default 5e-4
  double density;             ///< kg/m^2, > 0. Default 0.2
  CpsMembraneLaw membrane;    ///< Default CPS_MEMBRANE_STVK
  CpsBendingLaw bending_law;  ///< Default CPS_BENDING_PATCH
  double stretch[2];          ///< along warp and weft, N/m, > 0. Default 2000, 2000
  double shear;       ///< N/m, > 0; NaN: that of an isotropic sheet, sqrt(warp weft) / 2 (1 + poisson). Default NaN
  double poisson;     ///< geometric mean of the two Poisson's ratios, in (-1, 1). Default 0.3
  double bending[2];  ///< where the warp is bent, and the weft, N m, >= 0. Default 1e-5, 1e-5
  double twisting;    ///< N m, >= 0: energy per area = twisting k12^2, k12 the twist; NaN: (1 - bending_poisson)
                      ///< sqrt(warp weft). Default NaN
  double bending_poisson;  ///< coupling of the two curvatures, in (-1, 1). Default 0
  // losses
  double stretch_damping;  ///< damping matrix = this times the membrane's stiffness at rest, s, >= 0. Default 1e-3
  double bending_damping;  ///< the same of bending, s, >= 0. Default 1e-3
  double mass_damping;     ///< damping matrix = this times the mass matrix, 1/s, >= 0. Default 0
  double drag[2];          ///< coefficients of quadratic drag across and along a triangle, >= 0. Default 0, 0
  double air_density;      ///< kg/m^3, >= 0. Default 1.2
  CpsVec3 wind;            ///< velocity of the air, m/s. Default 0
  CpsCurve wind_curve;     ///< the wind's dependence on time. Default constant 1
  bool gravity;            ///< whether gravity acts on it. Default true
                           // how it is held
  int32_t pin_count;       ///< Default 0
  const CpsPin* pins;      ///< no vertex may be held by two of them at one time; copied. Default NULL
  // contact
  CpsMaterialId material;  ///< Default 0
  double mu;               ///< as for bodies. Default NaN
  double restitution;      ///< as for bodies. Default NaN
  bool contact;            ///< whether it touches anything. Default true
  bool self_contact;       ///< whether it touches itself. Default true
  int32_t group;           ///< things of one group > 0 do not touch each other. Default 0
  const char* name;        ///< as for bodies. Default NULL
  void* user;              ///< yours, not read. Default NULL
  int cookie;              ///< set by the default function
} CpsSheetDef;

/// The defaults named above; vertices and triangles must be filled in.
CPS_API CpsSheetDef cps_sheet_def_default(void);
/// Checks a definition without keeping anything.
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with a message that gives the location ("sheet flag: triangle 7 …"); or
///         CPS_NO_MEMORY
CPS_API CpsStatus cps_sheet_check(const CpsSheetDef* def, CpsError* error);

/// What a sheet is made of.
typedef struct CpsFabric {
  char name[32];       ///< zero-terminated
  double density;      ///< kg/m^2
  double thickness;    ///< m
  double stretch[2];   ///< warp, weft, N/m
  double shear;        ///< N/m
  double poisson;      ///< as in CpsSheetDef
  double bending[2];   ///< warp, weft, N m
  double twisting;     ///< N m; NaN: as in CpsSheetDef
  const char* source;  ///< where the numbers come from; a constant text
} CpsFabric;

/// Number of named fabrics.
CPS_API int32_t cps_fabric_count(void);
/// The i-th of them.
/// @return false outside the range
CPS_API bool cps_fabric_get(int32_t i, CpsFabric* fabric);
/// A fabric by its name: "silk", "cotton", "wool", "denim", "paper", "rubber".
/// @return false if the name is unknown
CPS_API bool cps_fabric_find(const char* name, CpsFabric* fabric);
/// Sets the fields of a definition that a fabric names; all others stay.
CPS_API void cps_sheet_def_use_fabric(CpsSheetDef* def, const CpsFabric* fabric);

/// Adds a sheet.
/// @param[out] id  its name; may be NULL
CPS_API CpsStatus cps_world_add_sheet(CpsWorld* world, const CpsSheetDef* def, CpsSheetId* id, CpsError* error);
/// Removes a sheet and the ties on it; its id becomes stale.
CPS_API CpsStatus cps_world_remove_sheet(CpsWorld* world, CpsSheetId id, CpsError* error);
/// Number of sheets.
CPS_API int32_t cps_world_sheet_count(const CpsWorld* world);
/// Id of the i-th sheet in the order of their places; {0, 0} outside the range.
CPS_API CpsSheetId cps_world_sheet(const CpsWorld* world, int32_t i);
/// Whether an id names an existing sheet.
CPS_API bool cps_world_sheet_exists(const CpsWorld* world, CpsSheetId id);

/// Facts about a sheet.
typedef struct CpsSheetInfo {
  int32_t vertex_count;    ///< as given
  int32_t node_count;      ///< vertices that are not sewn to each other
  int32_t triangle_count;  ///< as given
  double mass;             ///< kg
  double area;             ///< without load, m^2
  double thickness;        ///< m
  double membrane;         ///< energy of stretch and shear now, J
  double bending;          ///< energy of bending now, J
  double kinetic;          ///< now, J
  void* user;              ///< as given
} CpsSheetInfo;
/// Reads them.
CPS_API CpsStatus cps_world_sheet_info(const CpsWorld* world, CpsSheetId id, CpsSheetInfo* info);
/// Three vertices of each triangle: 3 triangle_count numbers owned by the sheet; NULL if there is none.
CPS_API const int32_t* cps_world_sheet_triangles(const CpsWorld* world, CpsSheetId id);

#ifdef __cplusplus
}
#endif
#endif
