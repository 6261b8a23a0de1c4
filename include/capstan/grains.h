/// @file grains.h
/// Grains as a continuum: sand, sugar or gravel whose stress obeys Coulomb's law in tensor form.
///
/// Particles carry the medium, and a grid computes the step. The stress tensor of each cell is a block of the contact
/// problem of the step, next to the contacts of the grains with obstacles: one solver and one residual cover them all.
/// With p the
/// pressure and Dev the deviator of the stress of the grains, |Dev|^2 = Dev:Dev/2, in each cell:
///
///     flying   no stress
///     solid    no deformation,  |Dev| <= mu p
///     flowing  |Dev| = mu p, opposite to the rate of deformation, which keeps the volume
///
/// and loose grains may compact up to the volume fraction `fraction_max`. Pressure is never negative unless there is
/// cohesion. The medium is three-dimensional or, with CpsGridDef.plane, in plane strain: x and z, one metre deep along
/// y. docs/theory/grains.md has the equations, docs/guide/grains.md shows how to use them.
///
///     CpsGridDef grid = cps_grid_def_default();
///     grid.cell = 0.01;
///     cps_world_set_grid(world, &grid, &error);
///     CpsGrainsDef sand = cps_grains_def_default();
///     sand.upper = (CpsVec3){0.1, 0.1, 0.2};
///     cps_world_add_grains(world, &sand, &error);
#ifndef CAPSTAN_GRAINS_H
#define CAPSTAN_GRAINS_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where the stresses are stored.
typedef enum CpsStressAt {
  CPS_STRESS_AT_NODES = 0,  ///< one per node, with the weight of the node
  CPS_STRESS_AT_CELLS = 1   ///< one per cell: fewer unknowns, but cells have deformation modes without stress
} CpsStressAt;

/// The grid of a world. Nodes are at multiples of `cell`; the grid is unbounded, and only cells with particles take
/// memory. Walls that coincide with nodes are exact. Other walls and rigid bodies act on the nodes inside them, and
/// those thinner than a cell on the nodes within half a cell.
typedef struct CpsGridDef {
  double cell;         ///< edge of a cell, m, > 0, finite. Default 0.01
  bool plane;          ///< two-dimensional: x and z, one metre deep along y; y is ignored. Default false
  int32_t particles;   ///< particles per filled cell along each axis, 1 to 8. Default 2
  CpsStressAt stress;  ///< Default CPS_STRESS_AT_NODES
  int32_t period;      ///< period along x in cells, for a layer without ends, >= 2; 0: not periodic. Default 0
  int cookie;          ///< set by the default function
  bool
      keep_volume;  ///< after each step, particles that gather in a flow are moved apart, so that the grains keep their
                    ///< volume; without it dense flows lose some, see cps_world_grains_room(). Grains without friction
                    ///< always keep it. Default false
} CpsGridDef;

/// The defaults named above.
CPS_API CpsGridDef cps_grid_def_default(void);
/// Sets the grid of a world. Call it before adding grains.
/// @return CPS_OK; CPS_BAD_ARGUMENT, also if the world already has a grid
CPS_API CpsStatus cps_world_set_grid(CpsWorld* world, const CpsGridDef* def, CpsError* error);
/// Whether a world has a grid.
CPS_API bool cps_world_has_grid(const CpsWorld* world);

/// A volume of grains. Always start from cps_grains_def_default().
typedef struct CpsGrainsDef {
  // initial placement
  CpsVec3 lower,
      upper;                 ///< corners of the filled box, m, lower < upper along each axis. Default 0, 0
  int32_t particle_count;    ///< > 0: particles at given positions instead of a box. Default 0
  const CpsVec3* particles;  ///< m; copied. Default NULL
  double particle_volume;    ///< volume of each particle including pores, m^3, > 0. Default 0
  CpsVec3 velocity;          ///< m/s. Default 0
  // material
  double density;       ///< of a grain, kg/m^3, > 0. Default 2600
  double fraction;      ///< initial volume fraction of grains, > 0, at most fraction_max. Default 0.6
  double fraction_max;  ///< volume fraction at the densest packing, > 0, at most 1. Default 0.6
  double mu;            ///< friction of the medium: a layer flows steadily on a slope of atan(mu); >= 0, finite.
                        ///< Default 0.5
  // contact
  CpsMaterialId material;  ///< Default 0
  double wall_mu;          ///< friction against obstacles; NaN: from the materials. Default NaN
  const char* name;        ///< as for bodies. Default NULL
  int cookie;              ///< set by the default function
  double radius;           ///< > 0: only the part of the box inside an upright cylinder of this radius, m. Default 0
  CpsVec3 centre;          ///< a point on the axis of that cylinder, m; z is ignored. Default 0
  // in addition to friction, only where grains touch (within 1 % of fraction_max)
  double viscosity;  ///< shear stress per shear rate, Pa s, >= 0, finite. Default 0
  double cohesion;   ///< Pa: the pressure is at least -cohesion; >= 0, finite. Default 0
  // friction that grows with the inertial number I = g d / sqrt(p / density), g the shear rate: mu + (mu_fast - mu) / (1 + I_0 / I), with
  // g and p of the last step
  double grain;    ///< diameter d of a grain, m, >= 0, finite; 0: friction is mu. Default 0
  double mu_fast;  ///< >= mu, read with `grain`. Default 0.7
  double I_0;      ///< > 0, read with `grain`. Default 0.3
  // a spout instead of a box: a round mouth of `radius` about `centre`, which grains leave with `velocity`. Their volume
  // fraction follows from the rate and is at most fraction_max; `fraction` is not read. Grains that have not left yet lie in
  // the mouth with the fraction 0 and touch nothing. While the mouth is full of grains, none leave, and what would have
  // left is lost
  double rate;         ///< kg/s, in the plane for one metre along y, >= 0, finite; 0: no spout. Default 0
  double from, until;  ///< s, from < until, both finite. Default 0, 0
} CpsGrainsDef;

/// The defaults named above; a box or particles must be filled in.
CPS_API CpsGrainsDef cps_grains_def_default(void);
/// Adds grains to a world with a grid.
/// @return CPS_OK; CPS_BAD_ARGUMENT or CPS_BAD_DATA with an error message; or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_add_grains(CpsWorld* world, const CpsGrainsDef* def, CpsError* error);
/// Number of particles that cps_world_add_grains() would create on a grid, with all that a spout will pour; up to 1e9, or
/// INT64_MAX for more.
CPS_API int64_t cps_grains_particle_count(const CpsGridDef* grid, const CpsGrainsDef* def);
/// Mass of each of these particles, kg; in the plane for one metre along y. NaN without a grid.
CPS_API double cps_grains_particle_mass(const CpsGridDef* grid, const CpsGrainsDef* def);
/// Estimates the cost of grains, assuming full cells: cells of the grid, and memory of a run in bytes, most of it for
/// the solver.
/// @param particles  total number of particles, see cps_grains_particle_count()
/// @param[out] cells  may be NULL
/// @return bytes; 0 without particles, INT64_MAX if there are too many to count
CPS_API int64_t cps_grains_memory(const CpsGridDef* grid, int64_t particles, int64_t* cells);
/// The particles of all grains as an object, for cps_world_array() (array.h); zeroed if there are none.
CPS_API CpsThing cps_thing_grains(const CpsWorld* world);

/// The slope on which a static layer of grains begins to flow, as tan(angle): mu / sqrt(1 - mu^2) in the plane,
/// infinite from mu = 1 on, and mu / sqrt(1 - 4 mu^2 / 3) in space, infinite from mu = sqrt(3)/2 on. Steady flow needs
/// only `mu`; in between a layer may rest or flow, depending on its history. NaN for mu < 0.
CPS_API double cps_grains_static_slope(double mu, bool plane);

/// Sets the internal friction of all grains from now on, for example by a slider. It is not part of a saved state.
/// @param mu  >= 0, finite; NaN: back to what each was defined with. mu_fast goes up and down with it
/// @return CPS_OK or CPS_BAD_ARGUMENT
CPS_API CpsStatus cps_world_set_grain_mu(CpsWorld* world, double mu, CpsError* error);
/// What was set; NaN if nothing was.
CPS_API double cps_world_grain_mu(const CpsWorld* world);

/// Facts about the grains of a world.
typedef struct CpsGrainsInfo {
  int32_t particle_count;  ///< of all
  int32_t group_count;     ///< calls of cps_world_add_grains()
  int32_t cell_count;      ///< cells with particles in the last step
  int32_t node_count;      ///< nodes of these
  double mass;             ///< kg; in the plane for one metre along y
  double volume;           ///< of grains without pores, m^3
  CpsVec3 lower, upper;    ///< current bounding box of the particles, m
  double fastest;          ///< speed of the fastest particle, m/s
  bool inertial;           ///< whether the friction of any grains depends on the inertial number
  int64_t bytes;           ///< memory used, bytes
  int32_t waiting_count;   ///< particles still in a spout; mass, volume and box are those of the others
} CpsGrainsInfo;
/// Reads these facts; all zero if there are no grains.
CPS_API CpsGrainsInfo cps_world_grains_info(const CpsWorld* world);

/// Force of the grains on an obstacle in the last step, N; in the plane for one metre along y.
CPS_API CpsStatus cps_world_grains_force(const CpsWorld* world, CpsObstacleId obstacle, CpsVec3* force);
/// The same for a moving object: a body.
CPS_API CpsStatus cps_world_grains_force_on(const CpsWorld* world, CpsThing thing, CpsVec3* force);
/// The forces of the grains on all obstacles and bodies in the last step, N. The entry of an obstacle or a body is the
/// `index` of its id.
/// @param[out] obstacles  obstacle_count entries; zero where grains touch nothing
/// @param[out] bodies     body_count entries
CPS_API CpsStatus cps_world_grains_forces(const CpsWorld* world, CpsVec3* obstacles, int32_t obstacle_count,
                                          CpsVec3* bodies, int32_t body_count);

/// Whether grains have the space that they take at their volume fractions.
typedef struct CpsGrainsRoom {
  double
      excess;  ///< what grains inside the medium take beyond the space that they are in, relative to it: 0.02 means that
  ///< 2 % of their volume is lost; mean over cells whose neighbours all hold particles, 0 if there are none
  double densest;  ///< the same in the densest 3 x 3 (x 3) cells, at least -1: 1 where two volumes of grains overlap
  CpsVec3 at;      ///< the middle of those, m
  int32_t buried;  ///< particles inside an obstacle or a body
  CpsThing by;     ///< what the first of these is in
} CpsGrainsRoom;
/// Reads these for the particles where they are now; all zero if there are no grains. Takes about as long as laying the grid.
/// @return CPS_OK, CPS_BAD_ARGUMENT or CPS_NO_MEMORY
CPS_API CpsStatus cps_world_grains_room(const CpsWorld* world, CpsGrainsRoom* room);

/// A cell of the grid in the last step.
typedef struct CpsGrainCell {
  CpsVec3 centre;           ///< m
  double volume;            ///< of grains without pores in it, m^3
  double fraction;          ///< volume fraction of grains, mean over its particles
  CpsVec3 velocity;         ///< mean over its particles, m/s
  double stress[6];         ///< stress of the grains, tension positive, Pa: xx yy zz xy yz zx; in the plane yy is minus
                            ///< the pressure
  double pressure;          ///< Pa, at least -cohesion
  CpsContactStatus status;  ///< take-off: flying, stick: solid, slide: flowing; if several apply, the last
} CpsGrainCell;
/// Number of cells in the last step.
CPS_API int32_t cps_world_grain_cell_count(const CpsWorld* world);
/// Reads a cell.
CPS_API CpsStatus cps_world_grain_cell(const CpsWorld* world, int32_t i, CpsGrainCell* cell);

#ifdef __cplusplus
}
#endif
#endif
