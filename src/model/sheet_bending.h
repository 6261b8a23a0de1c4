// Bending of a sheet as a quadratic form in the angles of its hinges, in small elements:
//
//   E = sum over elements of (theta - rest)^T K (theta - rest) / 2                                                 (1)
//
// `hinge` has one element per hinge, `patch` and `wide` one per triangle; everything else is common to them.
#ifndef CAPSTAN_MODEL_SHEET_BENDING_H
#define CAPSTAN_MODEL_SHEET_BENDING_H

#include "model/sheet_mesh.h"

// Hinges and nodes of the largest element: the sides of a triangle, of its neighbours and of theirs. CPS_BEND_FIT: of the
// quadratic alone.
enum { CPS_BEND_HINGES = 21, CPS_BEND_NODES = 24, CPS_BEND_FIT = 9 };

// Curvatures of triangles: (k11, k22, sqrt(2) k12) = sum of coefficient theta, axes warp and weft.
typedef struct CpsSheetCurvature {
  int64_t* start;        // triangle_count + 1
  int32_t* hinge;        // of each entry
  CpsVec3* coefficient;  // 1/m
} CpsSheetCurvature;

typedef struct CpsSheetBending {
  int32_t element_count;
  int64_t* start;         // element_count + 1: hinges of an element
  int32_t* hinge;         // start[element_count] of them
  uint8_t (*local)[4];    // for each of these: its four nodes among those of the element
  int64_t* matrix_start;  // element_count + 1
  double* K;              // row-major, N m
  int64_t* node_start;    // element_count + 1
  int32_t* node;          // ascending in an element
} CpsSheetBending;

// Quadratics through the corners of triangles and of their neighbours; sheet_patch.c
CpsStatus cps_sheet_curvature_build(const CpsSheetMesh* mesh, CpsArena* arena, CpsSheetCurvature* curvature,
                                    CpsError* error);
// The same with slopes at sides shared between neighbours: everywhere, or only where the mesh needs it; sheet_sides.c
CpsStatus cps_sheet_curvature_share(const CpsSheetMesh* mesh, bool everywhere, CpsArena* arena,
                                    const CpsSheetCurvature* patch, CpsSheetCurvature* curvature, CpsError* error);
CpsStatus cps_sheet_bending_build(const CpsSheetDef* def, const CpsSheetMesh* mesh, const CpsSheetCurvature* curvature,
                                  CpsArena* arena, CpsSheetBending* bending, CpsError* error);

#endif
