/// @file solid.h
/// Solids: soft bodies of linear tetrahedra (rubber, flesh, foam), described by value.
///
///     CpsSolidDef def = cps_solid_def_default();
///     def.vertex_count = 4, def.vertices = corners;
///     def.tetrahedron_count = 1, def.tetrahedra = corner_numbers;
///     def.young = 1e5, def.poisson = 0.4, def.density = 1000.0;
///     CpsSolidId id;
///     cps_world_add_solid(world, &def, &id, &error);
///
/// Their surface (the faces that belong to one tetrahedron only) collides with everything else in the world.
/// docs/theory/solids.md has the equations.
#ifndef CAPSTAN_SOLID_H
#define CAPSTAN_SOLID_H

#include "capstan/sheet.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Material laws. All have the small-strain stiffness given by Young's modulus and Poisson's ratio.
typedef enum CpsSolidLaw {
  CPS_SOLID_STABLE_NEO_HOOKEAN = 0,  ///< "stable-neo-hookean": defined for every shape; inverted elements recover
  CPS_SOLID_NEO_HOOKEAN = 1,         ///< "neo-hookean": no element can collapse or invert
  CPS_SOLID_COROTATED = 2,           ///< "corotated": linear in the stretch, with rotations removed; for stiff
                                     ///< materials
  CPS_SOLID_LAW_COUNT = 3            ///< number of laws
} CpsSolidLaw;

/// Name of a law as scene files spell it; NULL outside the range.
CPS_API const char* cps_solid_law_name(CpsSolidLaw law);
/// Finds a law by its name.
/// @return false if the name is unknown
CPS_API bool cps_solid_law_find(const char* name, CpsSolidLaw* law);

/// Identifies a solid. {0, 0} means no solid.
typedef struct CpsSolidId {
  int32_t index;        ///< slot in the world
  uint32_t generation;  ///< as for bodies
} CpsSolidId;

/// A solid as an object.
CPS_API CpsThing cps_thing_solid(CpsSolidId solid);
/// A vertex of a solid.
CPS_API CpsAnchor cps_anchor_solid(CpsSolidId solid, int32_t vertex);

/// Material of a part of a solid. Always start from cps_solid_region_default().
typedef struct CpsSolidRegion {
  CpsSolidLaw law;  ///< Default CPS_SOLID_STABLE_NEO_HOOKEAN
  double young;     ///< Young's modulus, Pa, > 0. Default 1e5
  double poisson;   ///< Poisson's ratio, in (-1, 0.5). Default 0.4
  double density;   ///< kg/m^3, > 0. Default 1000
  double damping;   ///< damping matrix = this times the stiffness matrix, s, >= 0. Default 1e-3
  int cookie;       ///< set by the default function
} CpsSolidRegion;
/// The defaults named above.
CPS_API CpsSolidRegion cps_solid_region_default(void);

/// A solid. Always start from cps_solid_def_default().
typedef struct CpsSolidDef {
  // initial shape
  int32_t vertex_count;       ///< >= 4
  int32_t tetrahedron_count;  ///< >= 1
  const CpsVec3* vertices;    ///< m, world; each used by a tetrahedron; copied
  const int32_t* tetrahedra;  ///< four vertices each, 1, 2 and 3 counter-clockwise as seen from 0 outside of them:
                              ///< their volume (b - a).((c - a) x (d - a)) / 6 is positive; copied
  const CpsVec3* rest;        ///< rest positions, m; NULL: the initial ones; copied. Default NULL
  CpsVec3 velocity;           ///< of the centre of mass, m/s. Default 0
  CpsVec3 spin;               ///< about the centre of mass, rad/s. Default 0
  // material
  CpsSolidRegion matter;          ///< material of all tetrahedra in region 0
  int32_t region_count;           ///< number of further materials. Default 0
  const CpsSolidRegion* regions;  ///< copied. Default NULL
  const int32_t* region;          ///< of each tetrahedron: 0 matter, i regions[i - 1]; NULL: all 0; copied. Default
                                  ///< NULL
  double mass_damping;            ///< damping matrix = this times the mass matrix, 1/s, >= 0. Default 0
  bool gravity;                   ///< whether gravity acts on it. Default true
                                  // how it is held
  int32_t pin_count;              ///< Default 0
  const CpsPin* pins;  ///< vertices with prescribed positions; no vertex may be held by two pins at the same time;
                       ///< copied. Default NULL
  // contact
  double radius;           ///< contact distance from the triangles of its surface, m, > 0; NaN: 1/50 of their mean edge
                           ///< length. Default NaN
  CpsSmooth smooth;        ///< smoothing of its surface. Default none
  CpsMaterialId material;  ///< Default 0
  double mu;               ///< as for bodies. Default NaN
  double restitution;      ///< as for bodies. Default NaN
  bool contact;            ///< whether it collides. Default true
  bool self_contact;       ///< whether it collides with itself. Default true
  int32_t group;           ///< objects in the same group > 0 do not collide with each other. Default 0
  const char* name;        ///< as for bodies. Default NULL
  void* user;              ///< user data, never read. Default NULL
  int cookie;              ///< set by the default function
} CpsSolidDef;

/// The defaults named above; vertices and tetrahedra must be filled in.
CPS_API CpsSolidDef cps_solid_def_default(void);
/// Checks a definition without keeping anything.
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with a message that gives the location ("solid ball: tetrahedron 7
/// …"); or
///         CPS_NO_MEMORY
CPS_API CpsStatus cps_solid_check(const CpsSolidDef* def, CpsError* error);

/// Adds a solid.
/// @param[out] id may be NULL
CPS_API CpsStatus cps_world_add_solid(CpsWorld* world, const CpsSolidDef* def, CpsSolidId* id, CpsError* error);
/// Removes a solid and the ties on it; its id becomes stale.
CPS_API CpsStatus cps_world_remove_solid(CpsWorld* world, CpsSolidId id, CpsError* error);
/// Number of solids.
CPS_API int32_t cps_world_solid_count(const CpsWorld* world);
/// Id of the i-th solid in the order of their slots; {0, 0} outside the range.
CPS_API CpsSolidId cps_world_solid(const CpsWorld* world, int32_t i);
/// Whether an id names an existing solid.
CPS_API bool cps_world_solid_exists(const CpsWorld* world, CpsSolidId id);

/// Facts about a solid.
typedef struct CpsSolidInfo {
  int32_t vertex_count;       ///< as given
  int32_t tetrahedron_count;  ///< as given
  int32_t triangle_count;     ///< of its surface
  double mass;                ///< kg
  double rest_volume;         ///< at rest, m^3
  double volume;              ///< current volume, m^3
  double least;               ///< smallest ratio of current to rest volume over all elements; below 0: inverted
  double radius;              ///< of the surface, m
  double elastic;             ///< current elastic energy, J
  double kinetic;             ///< current kinetic energy, J
  void* user;                 ///< as given
} CpsSolidInfo;
/// Reads these facts.
CPS_API CpsStatus cps_world_solid_info(const CpsWorld* world, CpsSolidId id, CpsSolidInfo* info);
/// Three vertices of each triangle of the surface, counter-clockwise from outside: 3 triangle_count numbers owned by
/// the
/// solid; NULL if there is none.
CPS_API const int32_t* cps_world_solid_triangles(const CpsWorld* world, CpsSolidId id);
/// Four vertices of each tetrahedron: 4 tetrahedron_count numbers owned by the solid; NULL if there is none.
CPS_API const int32_t* cps_world_solid_tetrahedra(const CpsWorld* world, CpsSolidId id);
/// Current Cauchy stress in each tetrahedron, without damping.
/// @param stress  out: six numbers per tetrahedron, xx yy zz xy yz zx, Pa
CPS_API CpsStatus cps_world_solid_stress(const CpsWorld* world, CpsSolidId id, double* stress);
/// Von Mises equivalent of a stress xx yy zz xy yz zx: the axial stress of an equivalent bar, >= 0; NaN if the pointer
/// is NULL.
CPS_API double cps_stress_von_mises(const double stress[6]);

#ifdef __cplusplus
}
#endif
#endif
