// Elasticity of a sheet as functions of the nodal positions: energy, gradient, second derivatives. All memory is
// allocated at creation. The same bits for any number of threads; one caller at a time per object.
#ifndef CAPSTAN_MODEL_SHEET_ELASTIC_H
#define CAPSTAN_MODEL_SHEET_ELASTIC_H

#include "core/pool.h"
#include "model/pattern.h"
#include "model/sheet_angle.h"
#include "model/sheet_bending.h"
#include "model/sheet_membrane.h"

typedef struct CpsSheetElastic {
  CpsArena arena;
  CpsSheetMesh mesh;
  CpsMembrane membrane;
  CpsTriangleShape* shape;  // of each triangle
  CpsSheetCurvature curvature;
  CpsSheetBending bending;
  double* mass;              // of each node, kg: a third of each triangle around it
  double total_mass;         // kg
  CpsBlockPattern pattern;   // of the matrices below
  int32_t* triangle_block;   // six lower blocks of each triangle: corners (0,0) (1,0) (1,1) (2,0) (2,1) (2,2)
  uint8_t* triangle_turned;  // bit k: block k is stored transposed
  int64_t* element_block_start;
  int32_t* element_block;  // lower blocks of each element of bending
  CpsColours triangle_colours, element_colours;
  CpsLists node_corners;   // 3 triangle + corner
  CpsLists node_slots;     // 4 hinge + slot
  CpsLists hinge_entries;  // entries of elements of bending
  // the last evaluation
  double* angle;            // of each hinge, less its rest angle
  CpsVec3* slot;            // four per hinge: gradient of its angle
  double* moment;           // of each hinge: dE / d angle, N m
  double* entry_moment;     // the same by elements
  CpsVec3* corner;          // three per triangle: gradient of its energy
  double* triangle_energy;  // J
  double* element_energy;   // J
  // the sheet as placed by cps_sheet_lay()
  CpsVec3* laid_column;  // two per triangle: columns of F, rotated but not stretched
  CpsVec3* laid_slot;    // four per hinge: gradient of its angle
} CpsSheetElastic;

// def: checked with cps_sheet_check().
CpsStatus cps_sheet_elastic_create(const CpsSheetDef* def, CpsSheetElastic** out, CpsError* error);
void cps_sheet_elastic_destroy(CpsSheetElastic* elastic);  // NULL is allowed

typedef struct CpsSheetEnergy {
  double membrane, bending;  // J; infinite where a law does not admit a strain
} CpsSheetEnergy;

// x: a position for each node. pool may be NULL.
CpsSheetEnergy cps_sheet_energy(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x);
// The same, and gradient <- dE/dx (forces are its negative).
CpsSheetEnergy cps_sheet_gradient(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsVec3* gradient);

// value += membrane_scale * second derivatives of the membrane + bending_scale * those of bending; blocks of the pattern. Clamped:
// membrane without negative eigenvalues, bending by Gauss-Newton.
void cps_sheet_hessian(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind,
                       double membrane_scale, double bending_scale, double* value);
// Adds rotated second derivatives at x, times u, with the same scales, to force, without forming their matrix.
void cps_sheet_lay(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x);
void cps_sheet_resist(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* u, double membrane_scale,
                      double bending_scale, CpsVec3* force);
// Adds scale * mass of each node to the diagonal.
void cps_sheet_add_mass(const CpsSheetElastic* elastic, double scale, double* value);

// Largest step along dx, in [0, 1], before the first triangle is crushed or inverted in its plane: the bound of
// a line search for neo-hookean, whose energy is infinite there.
double cps_sheet_step_bound(const CpsSheetElastic* elastic, const CpsVec3* x, const CpsVec3* dx);

// Observable quantities of a triangle.
typedef struct CpsSheetLook {
  double stretch[2];    // principal stretches, the larger first
  double tension[2];    // principal Cauchy stresses times the thickness, N/m, the larger first
  double curvature[2];  // principal curvatures, 1/m, the larger in magnitude first; less those at rest
} CpsSheetLook;
void cps_sheet_look(const CpsSheetElastic* elastic, const CpsVec3* x, int32_t triangle, CpsSheetLook* look);

#endif
