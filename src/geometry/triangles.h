// Triangles of shapes under construction. The same code runs twice: first it counts, then, with memory, it fills.
#ifndef CAPSTAN_GEOMETRY_TRIANGLES_H
#define CAPSTAN_GEOMETRY_TRIANGLES_H

#include "geometry/geom.h"

typedef struct CpsTriangleBuilder {
  CpsTriangles* out;  // without arrays while counting
  CpsPose pose;       // of the current part
  int32_t around;     // corners of a circle
  double extent;      // half the edge of the square for a half-space, m
  int64_t points, triangles;
} CpsTriangleBuilder;

// Returns the number of the new point.
static inline int32_t cps_add_point(CpsTriangleBuilder* b, CpsVec3 point, CpsVec3 normal) {
  if (b->out->points) {
    b->out->points[b->points] = cps_pose_apply(b->pose, point);
    b->out->normals[b->points] = cps_quat_rotate(b->pose.rotation, normal);
  }
  return (int32_t)b->points++;
}

static inline void cps_add_triangle(CpsTriangleBuilder* b, int32_t i, int32_t j, int32_t k) {
  if (b->out->triangles) {
    int32_t* corner = b->out->triangles + 3 * b->triangles;
    corner[0] = i;
    corner[1] = j;
    corner[2] = k;
  }
  b->triangles++;
}

// Joins two rings of b->around points each, the second one further along the axis of rotation; `one` marks a ring of a
// single point.
void cps_join_rings(CpsTriangleBuilder* b, int32_t first, bool first_is_one, int32_t second, bool second_is_one);
// triangles_mesh.c: normals are smooth where neighbours meet at less than 40 degrees.
CpsStatus cps_mesh_triangles(CpsTriangleBuilder* b, const CpsShape* shape);
// triangles_tube.c
CpsStatus cps_tube_triangles(CpsTriangleBuilder* b, const CpsShape* shape);
// triangles_points.c
CpsStatus cps_points_triangles(CpsTriangleBuilder* b, const CpsShape* shape);

#endif
