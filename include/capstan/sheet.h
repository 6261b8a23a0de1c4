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
/// Stiffnesses are those of the sheet, not of the bulk material: N/m in its plane (Young's modulus times thickness), N
/// m in bending (energy per area = B curvature^2 / 2). The warp is the first material direction, the weft the second,
/// at right angles to it. docs/theory/sheet.md has the equations.
#ifndef CAPSTAN_SHEET_H
#define CAPSTAN_SHEET_H

#include "capstan/vertex.h"

#ifdef __cplusplus
extern "C" {
#endif

/// In-plane law: the response of a triangle to stretch and shear. All three have the same small-strain stiffness.
typedef enum CpsMembraneLaw {
  CPS_MEMBRANE_STVK = 0,           ///< "stvk": St. Venant-Kirchhoff, quadratic in Green's strain; softens under strong
                                   ///< compression
  CPS_MEMBRANE_NEO_HOOKEAN = 1,    ///< "neo-hookean": plane stress with variable thickness; no triangle can collapse
  CPS_MEMBRANE_BARAFF_WITKIN = 2,  ///< "baraff-witkin": lengths along warp and weft and their angle; no Poisson effect
  CPS_MEMBRANE_LAW_COUNT = 3       ///< number of laws
} CpsMembraneLaw;

/// Bending laws of a sheet.
typedef enum CpsBendingLaw {
  CPS_BENDING_PATCH = 0,     ///< "patch": the quadratic through a triangle and its three neighbours: a plate within 1 %
                             ///< on regular meshes, up to 3 % too soft on random ones
  CPS_BENDING_HINGE = 1,     ///< "hinge": each edge separately; the cheapest, but 0.7 to 3.7 times as stiff depending
                             ///< on the mesh
  CPS_BENDING_WIDE = 2,      ///< "wide": as "patch", with slopes at the sides shared by neighbours: converges on every
                             ///< mesh, but its matrices are twice as dense
  CPS_BENDING_LAW_COUNT = 3  ///< number of laws
} CpsBendingLaw;

/// Name of a law as scene files spell it; NULL outside the range.
CPS_API const char* cps_membrane_law_name(CpsMembraneLaw law);
/// Finds a law by its name.
/// @return false if the name is unknown
CPS_API bool cps_membrane_law_find(const char* name, CpsMembraneLaw* law);
/// Name of a law as scene files spell it; NULL outside the range.
CPS_API const char* cps_bending_law_name(CpsBendingLaw law);
/// Finds a law by its name.
/// @return false if the name is unknown
CPS_API bool cps_bending_law_find(const char* name, CpsBendingLaw* law);

/// Rest angles between triangles.
typedef enum CpsSheetRestAngles {
  CPS_REST_ANGLES_FLAT = 0,   ///< flat
  CPS_REST_ANGLES_PLACED = 1  ///< as in the initial shape
} CpsSheetRestAngles;

/// An edge with a rest angle of its own: a pleat.
typedef struct CpsSheetPleat {
  int32_t a, b;  ///< the two vertices of the edge, which must be between two triangles
  double angle;  ///< rad, in (-pi, pi): 0 flat; positive if the sheet folds towards the normals of its
                 ///< (counter-clockwise) triangles
} CpsSheetPleat;

/// Two vertices treated as one point: where two panels are sewn together.
typedef struct CpsSheetSeam {
  int32_t a, b;  ///< the vertices; chains of pairs join more than two
} CpsSheetSeam;

/// A sheet. Always start from cps_sheet_def_default().
typedef struct CpsSheetDef {
  // initial shape
  int32_t vertex_count;       ///< >= 3
  int32_t triangle_count;     ///< >= 1
  const CpsVec3* vertices;    ///< m, world; each used by a triangle; distinct unless joined by a seam; copied
  const int32_t* triangles;   ///< three vertices each; neighbours traverse their common edge in opposite directions,
                              ///< and at most two triangles share an edge; copied
  int32_t seam_count;         ///< Default 0
  const CpsSheetSeam* seams;  ///< joined vertices coincide or, with texture, meet halfway; copied. Default NULL
  CpsVec3 velocity;           ///< of all vertices, m/s. Default 0
  // rest shape
  const double* texture;           ///< two coordinates for each corner of each triangle, 6 * triangle_count numbers:
                                   ///< the flat pattern of the sheet, first axis along the warp; NULL: rest lengths
                                   ///< from the initial shape. Default NULL
  double texture_scale;            ///< m per unit of texture, > 0. Default 1
  CpsVec3 warp;                    ///< without texture: direction of the warp in the world, projected onto each
                                   ///< triangle. Default x
  double warp_angle;               ///< rad, rotation of the warp from that direction (texture: from the first axis)
                                   ///< about the normals. Default 0
  CpsSheetRestAngles rest_angles;  ///< Default flat
  int32_t pleat_count;             ///< Default 0
  const CpsSheetPleat* pleats;     ///< edges with other rest angles; copied. Default NULL
  // material
  double
      thickness;  ///< m, > 0: two layers touch at this distance; with self_contact at most the mean edge length. Default 5e-4
  double density;             ///< kg/m^2, > 0. Default 0.2
  CpsMembraneLaw membrane;    ///< Default CPS_MEMBRANE_STVK
  CpsBendingLaw bending_law;  ///< Default CPS_BENDING_PATCH
  double stretch[2];          ///< along warp and weft, N/m, > 0. Default 2000, 2000
  double shear;               ///< N/m, > 0; NaN: that of an isotropic sheet, sqrt(warp weft) / 2 (1 + poisson). Default
                              ///< NaN
  double poisson;             ///< geometric mean of the two Poisson's ratios, in (-1, 1). Default 0.3
  double bending[2];          ///< stiffness of bending the warp and the weft, N m, >= 0. Default 1e-5, 1e-5
  double twisting;            ///< N m, >= 0: energy per area = twisting k12^2, k12 the twist; NaN: (1 -
                              ///< bending_poisson) sqrt(warp weft). Default NaN
  double bending_poisson;     ///< coupling of the two curvatures, in (-1, 1). Default 0
  // damping and air
  double stretch_damping;  ///< damping matrix = this times the membrane's stiffness at rest, s, >= 0. Default 1e-3
  double bending_damping;  ///< the same for bending, s, >= 0. Default 1e-3
  double mass_damping;     ///< damping matrix = this times the mass matrix, 1/s, >= 0. Default 0
  double drag[2];          ///< coefficients of quadratic drag across and along a triangle, >= 0. Default 0, 0
  double air_density;      ///< kg/m^3, >= 0. Default 1.2
  CpsVec3 wind;            ///< velocity of the air, m/s. Default 0
  CpsCurve wind_curve;     ///< the wind's dependence on time. Default constant 1
  bool gravity;            ///< whether gravity acts on it. Default true
                           // how it is held
  int32_t pin_count;       ///< Default 0
  const CpsPin* pins;      ///< no vertex may be held by two pins at the same time; copied. Default NULL
  // contact
  CpsMaterialId material;  ///< Default 0
  double mu;               ///< as for bodies. Default NaN
  double restitution;      ///< as for bodies. Default NaN
  bool contact;            ///< whether it collides. Default true
  bool self_contact;       ///< whether it collides with itself. Default true
  int32_t group;           ///< objects in the same group > 0 do not collide with each other. Default 0
  const char* name;        ///< as for bodies. Default NULL
  void* user;              ///< user data, never read. Default NULL
  int cookie;              ///< set by the default function
} CpsSheetDef;

/// The defaults named above; vertices and triangles must be filled in.
CPS_API CpsSheetDef cps_sheet_def_default(void);
/// Checks a definition without keeping anything.
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with a message that gives the location ("sheet flag: triangle 7
/// …"); or
///         CPS_NO_MEMORY
CPS_API CpsStatus cps_sheet_check(const CpsSheetDef* def, CpsError* error);

/// Material of a sheet.
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
/// Reads the i-th named fabric.
/// @return false outside the range
CPS_API bool cps_fabric_get(int32_t i, CpsFabric* fabric);
/// Finds a fabric by its name: "silk", "cotton", "wool", "denim", "paper", "rubber".
/// @return false if the name is unknown
CPS_API bool cps_fabric_find(const char* name, CpsFabric* fabric);
/// Sets the fields of a definition that a fabric defines; the others are unchanged.
CPS_API void cps_sheet_def_use_fabric(CpsSheetDef* def, const CpsFabric* fabric);

/// Adds a sheet.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_sheet(CpsWorld* world, const CpsSheetDef* def, CpsSheetId* id, CpsError* error);
/// Removes a sheet and the ties on it; its id becomes stale.
CPS_API CpsStatus cps_world_remove_sheet(CpsWorld* world, CpsSheetId id, CpsError* error);
/// Number of sheets.
CPS_API int32_t cps_world_sheet_count(const CpsWorld* world);
/// Id of the i-th sheet in the order of their slots; {0, 0} outside the range.
CPS_API CpsSheetId cps_world_sheet(const CpsWorld* world, int32_t i);
/// Whether an id names an existing sheet.
CPS_API bool cps_world_sheet_exists(const CpsWorld* world, CpsSheetId id);

/// Facts about a sheet.
typedef struct CpsSheetInfo {
  int32_t vertex_count;    ///< as given
  int32_t node_count;      ///< distinct vertices, counting sewn ones once
  int32_t triangle_count;  ///< as given
  double mass;             ///< kg
  double area;             ///< at rest, m^2
  double thickness;        ///< m
  double membrane;         ///< current energy of stretch and shear, J
  double bending;          ///< current bending energy, J
  double kinetic;          ///< current kinetic energy, J
  void* user;              ///< as given
} CpsSheetInfo;
/// Reads these facts.
CPS_API CpsStatus cps_world_sheet_info(const CpsWorld* world, CpsSheetId id, CpsSheetInfo* info);
/// Three vertices of each triangle: 3 triangle_count numbers owned by the sheet; NULL if there is none.
CPS_API const int32_t* cps_world_sheet_triangles(const CpsWorld* world, CpsSheetId id);

#ifdef __cplusplus
}
#endif
#endif
