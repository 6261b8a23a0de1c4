// Smooth surfaces over faceted ones, or over points with normals: the level Psi = 0 of a weighted mean of tangent planes. See field.c.
#ifndef CAPSTAN_GEOMETRY_FIELD_H
#define CAPSTAN_GEOMETRY_FIELD_H

#include "capstan/shape.h"
#include "core/arena.h"
#include "core/vec3.h"
#include "geometry/collide.h"

// Samples in cells of a grid at least as wide as the kernel.
typedef struct CpsFieldGrid {
  CpsVec3 low;
  double cell;
  int32_t size[3];
  int32_t* start;   // of each cell, and the end, in
  int32_t* sample;  // ascending in each cell
} CpsFieldGrid;

typedef struct CpsField {
  CpsKernel kernel;
  double reach;  // R, m
  int32_t count;
  const CpsVec3 *point, *normal;  // of the samples; unit normals, outwards
  CpsFieldGrid grid;
  // The samples visible to a part of the same surface (cps_field_for): rest NULL: all samples, for every part.
  const CpsVec3* rest;  // samples in the shape without strain
  CpsVec3 own, facing;  // position of the part in that shape, and its unit normal now
} CpsField;

// Builds the samples in memory of the arena; `point` and `normal` are not copied. False if memory runs out.
bool cps_field_build(CpsField* field, CpsArena* arena);
// The field of a surface for one of its own parts, which may touch distant parts of the surface: excludes the samples within twice
// the reach in the unstrained shape, and those facing the same way; facing: of any length.
CpsField cps_field_for(const CpsField* field, const CpsVec3* rest, CpsVec3 own, CpsVec3 facing);
// Samples of triangles at positions x: centroids and unit normals. A degenerate triangle has normal 0 and no weight.
void cps_field_sample(const int32_t* triangle, int32_t count, const CpsVec3* x, CpsVec3* point, CpsVec3* normal);
// Twice the distance from any vertex or edge midpoint to the nearest centroid: a kernel of this reach leaves no holes.
double cps_field_reach(const int32_t* triangle, int32_t count, const CpsVec3* x);

// Maximum number of samples within the reach of one of them: more than CPS_FIELD_TERMS is too many.
int32_t cps_field_most(const CpsField* field);

// A sample near a point.
typedef struct CpsFieldTerm {
  int32_t sample;
  double weight;  // w~(r)
  double slope;   // w~'(r) / r
  double psi;     // n.(x - s)
} CpsFieldTerm;
enum { CPS_FIELD_TERMS = 256 };  // cps_field_most() checks the number

// Psi and its gradient at a point, with the samples involved.
typedef struct CpsFieldAt {
  double value;      // Psi, m
  double sum;        // Z
  CpsVec3 gradient;  // of Psi
  int32_t count;
  CpsFieldTerm term[CPS_FIELD_TERMS];
} CpsFieldAt;
// False: no sample is near x. Samples that face the opposite way to the nearest one, such as those on the far side of a thin
// wall, are ignored.
bool cps_field_at(const CpsField* field, CpsVec3 x, CpsFieldAt* out);

// field_project.c: moves x along the gradient to Psi = level, to rounding; false if it leaves the field. `at` is then evaluated at x.
bool cps_field_project(const CpsField* field, double level, CpsVec3* x, CpsFieldAt* at);

// field_descend.c: moves a point y of the surface to the local minimum of the distance to the shape. A look gives the nearest
// point of the shape: gap, and the normal from the shape to y; false: it is far.
typedef bool CpsFieldLook(const void* data, CpsVec3 y, CpsTouch* touch);
void cps_field_descend(const CpsField* field, CpsFieldLook* look, const void* data, CpsVec3* y, CpsFieldAt* at,
                       CpsTouch* touch);

// field_way.c: the first point on a straight path at a distance of `level` from the surface, and its normal; false: the path does
// not reach it, or begins closer.
bool cps_field_enters(const CpsField* field, CpsVec3 from, CpsVec3 to, double level, CpsVec3* place, CpsVec3* normal);

// The motion of a deforming surface of triangles at a point x of its field (field_patch.c): u = sum of weight v over nodes,
// world axes. Along the normal it is the exact motion of the level; tangentially the patch's rigid motion, or the choice of
// the paper.
typedef struct CpsFieldNode {
  int32_t node;
  CpsMat3 weight;
  double share;
} CpsFieldNode;
enum { CPS_FIELD_NODES = 3 * CPS_FIELD_TERMS };
// out: room for 3 at->count; returns the number, ascending.
int32_t cps_field_patch(const CpsField* field, const CpsFieldAt* at, CpsVec3 x, const int32_t* triangle,
                        const CpsVec3* nodes, CpsTransport transport, CpsFieldNode* out);

#endif
