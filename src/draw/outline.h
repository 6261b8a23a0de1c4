// Outlines of shapes in a parallel projection.
#ifndef CAPSTAN_DRAW_OUTLINE_H
#define CAPSTAN_DRAW_OUTLINE_H

#include "capstan/shape.h"

// Axes of the picture in the world: to the right, upwards, to the eye.
typedef struct CpsView {
  CpsVec3 right, up, eye;
} CpsView;

typedef struct CpsPoint2 {
  double x, y;
} CpsPoint2;

CpsView cps_view_from(CpsVec3 direction);
CpsPoint2 cps_view_project(const CpsView* view, CpsVec3 point);
double cps_view_depth(const CpsView* view, CpsVec3 point);

// Points on the surface of a finite shape whose convex hull is its outline; spheres, capsules and tubes give centres,
// and their radius has to be added. `points` has room for cps_outline_most(shape); returns how many there are, 0 for a
// half-space.
int32_t cps_outline_most(const CpsShape* shape);
int32_t cps_outline_points(const CpsShape* shape, CpsPose pose, CpsVec3* points);
// Their convex hull, counter-clockwise; `points` is sorted, `hull` has room for count + 1. Returns its corners.
int32_t cps_outline_hull(CpsPoint2* points, int32_t count, CpsPoint2* hull);

#endif
