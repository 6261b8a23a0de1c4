// Cylinders against everything: the axis of largest separation, and the patches that touch. The cylinder b is the
// working frame: its axis is z.
#ifndef CAPSTAN_GEOMETRY_CYLINDER_H
#define CAPSTAN_GEOMETRY_CYLINDER_H

#include "geometry/narrow.h"

typedef struct CpsDrum {
  double radius, half_length;
} CpsDrum;

// What stands opposite to a cylinder: one point of a polytope, or another cylinder.
typedef struct CpsOpposite {
  CpsDrum drum;   // zeros: the point
  CpsVec3 axis;   // unit, of the drum
  CpsVec3 point;  // the point, or the middle of the drum
} CpsOpposite;

// The point of a cylinder farthest along m, in its own frame; the middle of all such points.
CpsVec3 cps_drum_support(CpsDrum drum, CpsVec3 m);
// The point of a farthest along -n; the middle of all such points.
CpsVec3 cps_opposite_support(const CpsOpposite* a, CpsVec3 n);
// s(n) = min n.a - max n.b.
double cps_drum_separation(CpsDrum b, const CpsOpposite* a, CpsVec3 n);
// The largest separation on the arc n = u cos t + v sin t, 0 <= t <= end, of orthonormal u and v (arc.c). Nothing is
// done, and `worst` returned, where it can be seen not to exceed that.
double cps_drum_arc(CpsDrum b, const CpsOpposite* a, CpsVec3 u, CpsVec3 v, double end, double worst, CpsVec3* n);

// Signed distance of a point and the outer normal.
double cps_point_drum(CpsVec3 x, CpsDrum b, CpsVec3* normal);
// The axes of largest separation; `point` on b is where they touch. False if they are separated by more than `margin`.
// `flat`: only the normals of faces and caps (and the direction across two axes) are examined.
bool cps_drum_polytope(const CpsPolytope* a, const CpsPlace* place, CpsDrum b, double margin, bool flat, CpsAxis* axis,
                       CpsVec3* point);
bool cps_drum_drum(CpsDrum a, const CpsPlace* place, CpsDrum b, double margin, bool flat, CpsAxis* axis,
                   CpsVec3* point);

// The cap or the side line that looks along m; corners of a cap begin in the direction `along`.
void cps_patch_drum(CpsDrum drum, const CpsPlace* place, CpsVec3 m, CpsVec3 along, CpsPatch* patch);

// The corners of the sides of b and of another cylinder, or of a straight line of radius 0, that lie along each other, seen
// along n (sides.c): at most two, none where they cross.
int cps_drum_sides(const CpsOpposite* a, CpsDrum b, CpsVec3 n, CpsCorner* out);

#endif
