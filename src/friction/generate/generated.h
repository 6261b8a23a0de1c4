// Shared by the generators: the terms of a factored problem, filled contact by contact, and neighbour search.
#ifndef CAPSTAN_FRICTION_GENERATE_GENERATED_H
#define CAPSTAN_FRICTION_GENERATE_GENERATED_H

#include "capstan/generate.h"
#include "core/arena.h"
#include "core/random.h"
#include "core/vec3.h"

#include <stdbool.h>

// u = sum over the bodies B of a contact of H_B v_B + w, so W = sum H_B M_B^-1 H_B^T and b = u at the free velocity.
// Names and layout are those of CpsFactoredForm.
typedef struct CpsGenerated {
  CpsArena arena;  // owns the arrays and the generator's scratch
  int32_t contact_count;
  int32_t body_count;
  int32_t* body_dofs;
  int64_t* contact_start;
  int32_t* body;
  double* H;
  double* Y;
  double* b;   // a generator stores w here, the velocity of moving surroundings; settling turns it into b
  double* v;   // velocities of all bodies in sequence, before the step
  double* dv;  // change in a step without contacts: gravity and loads
} CpsGenerated;

// Three normal deviates, drawn in order (C leaves the order of evaluation of arguments open).
static inline CpsVec3 cps_random_vec3(CpsRandom* random) {
  CpsVec3 a;
  a.x = cps_random_normal(random);
  a.y = cps_random_normal(random);
  a.z = cps_random_normal(random);
  return a;
}

// One file each. On failure the caller still frees the arena.
CpsStatus cps_generate_fibres(const CpsGenerateDef* def, CpsGenerated* out, CpsError* error);
CpsStatus cps_generate_stack(const CpsGenerateDef* def, CpsGenerated* out, CpsError* error);
CpsStatus cps_generate_spheres(const CpsGenerateDef* def, CpsGenerated* out, CpsError* error);

// Lets the bodies settle under their loads and contacts, then writes b. False if memory runs out.
bool cps_generated_settle(CpsGenerated* out, double mu);

// A rigid body: velocity (linear, angular) in world axes about its centre.
typedef struct CpsRigid {
  CpsVec3 centre;           // m
  double inverse_mass;      // 1/kg
  CpsMat3 inverse_inertia;  // world axes, 1/(kg m^2)
  CpsVec3 velocity;         // m/s
  CpsVec3 spin;             // rad/s
  CpsVec3 gain;             // velocity added by a step without contacts, m/s
} CpsRigid;

// A contact between rigid bodies: the normal points from a to b, u is the velocity of b's point minus a's.
typedef struct CpsRigidContact {
  int32_t a, b;    // bodies; a < 0: the static surroundings, moving with `ground`
  CpsVec3 point;   // m
  CpsVec3 normal;  // unit
  CpsVec3 along;   // direction of the first tangent, projected on the tangent plane
  CpsVec3 ground;  // m/s, read if a < 0
} CpsRigidContact;

// Fills `out` from rigid bodies.
CpsStatus cps_generated_from_rigid(int32_t body_count, const CpsRigid* bodies, int32_t contact_count,
                                   const CpsRigidContact* contacts, CpsGenerated* out, CpsError* error);

// Points sorted into cubic cells, to search for neighbours closer than the cell size.
typedef struct CpsCells {
  CpsVec3 origin;
  double size;
  int32_t count[3];
  int32_t* start;  // cells + 1
  int32_t* item;   // points in cell order
} CpsCells;

// Sorts the points; cells grow beyond `size` if there would be too many. False if memory runs out.
bool cps_cells_build(CpsArena* arena, int32_t count, const CpsVec3* points, double size, CpsCells* cells);
// Cell coordinate of x along axis 0, 1 or 2.
int32_t cps_cells_coordinate(const CpsCells* cells, int axis, double x);
// The range of `item` in the row of cells (i-1 .. i+1, j, k); empty outside the grid.
void cps_cells_row(const CpsCells* cells, int32_t i, int32_t j, int32_t k, int32_t* first, int32_t* last);

#endif
