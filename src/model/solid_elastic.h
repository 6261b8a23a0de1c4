// Elasticity of a solid as functions of the nodal positions: energy, gradient, second derivatives. All memory is allocated at
// creation. The same bits for any number of threads; one caller at a time per object. pool may be NULL.
#ifndef CAPSTAN_MODEL_SOLID_ELASTIC_H
#define CAPSTAN_MODEL_SOLID_ELASTIC_H

#include "core/pool.h"
#include "model/pattern.h"
#include "model/solid_law.h"
#include "model/solid_mesh.h"

typedef struct CpsSolidElastic {
  CpsArena arena;
  CpsSolidMesh mesh;
  CpsSolidMatter* matter;   // one per region
  int32_t* region;          // of each tetrahedron, into matter
  double* mass;             // of each node, kg: a quarter of each tetrahedron around it
  double total_mass;        // kg
  CpsBlockPattern pattern;  // of the matrices below
  int32_t* block;           // ten lower blocks of each tetrahedron: corners (0,0) (1,0) (1,1) (2,0) …
  uint16_t* turned;         // bit k: block k is stored transposed
  CpsColours colours;       // of the tetrahedra
  CpsLists node_corners;    // 4 tetrahedron + corner
  bool bounded;             // some of its elements must not be inverted
  bool framed;              // some of it is corotated: even exact second derivatives need the frame of the stretches
  // the last evaluation
  CpsVec3* corner;  // four per tetrahedron: gradient of its energy
  double* energy;   // of each tetrahedron, J
} CpsSolidElastic;

// def: checked with cps_solid_check().
CpsStatus cps_solid_elastic_create(const CpsSolidDef* def, CpsSolidElastic** out, CpsError* error);
void cps_solid_elastic_destroy(CpsSolidElastic* elastic);  // NULL is allowed

// J; gradient <- dE/dx unless it is NULL.
double cps_solid_gradient(CpsSolidElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient);
// value += scale * second derivatives; damping: each element additionally times its own factor.
void cps_solid_hessian(const CpsSolidElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind,
                       double scale, bool damping, double* value);
// Rounding error of the energy: W is a difference of terms as large as the moduli, J.
double cps_solid_grain(const CpsSolidElastic* elastic);
// Largest step along dx, in [0, 1], before the first element that must not be inverted becomes flat.
double cps_solid_step_bound(const CpsSolidElastic* elastic, const CpsVec3* x, const CpsVec3* dx);
// F of a tetrahedron.
CpsMat3 cps_solid_deformation(const CpsSolidElastic* elastic, const CpsVec3* x, int64_t tetrahedron);
// For a tetrahedron (solid_stress.c): Cauchy stress xx yy zz xy yz zx (0 where it is flat); returns det F.
double cps_solid_look(const CpsSolidElastic* elastic, const CpsVec3* x, int32_t tetrahedron, double stress[6]);

#endif
