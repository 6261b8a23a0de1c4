// Shared by the files that search for shapes near surfaces: surface_shapes.c, surface_features.c, surface_drums.c.
#ifndef CAPSTAN_CONTACT_SURFACE_QUERY_H
#define CAPSTAN_CONTACT_SURFACE_QUERY_H

#include "contact/surfaces.h"

#include <string.h>

// A corner or a rounded end of a shape, or an edge or an axis, with a radius around it; in the frame of the shape.
typedef struct CpsShapeFeature {
  bool segment;
  CpsVec3 point[2];  // of a ball the second is the first
  double radius;
  int32_t id;  // among the balls or segments of the shape
} CpsShapeFeature;
// Balls and segments of a shape; planes and cylinders have none. cps_shape_feature: false for numbers of features that do not
// protrude.
int32_t cps_shape_feature_count(const CpsGeom* geom);
bool cps_shape_feature(const CpsGeom* geom, int32_t i, CpsShapeFeature* out);

// One collider against one surface.
typedef struct CpsShapeQuery {
  const CpsSurfaceMesh* surface;
  const CpsCollider* collider;
  double h, skin;
  CpsSurfaceTouch model;     // what all touches of a feature have in common
  CpsVec3 start[2], end[2];  // of the feature, in the world: where it is and where the free motion takes it
  CpsSurfaceList list;
  bool failed;
} CpsShapeQuery;

// The end position of a point of a collider in its free motion.
static inline CpsVec3 cps_collider_moved(const CpsCollider* c, double h, CpsVec3 x) {
  CpsVec3 arm = cps_vec3_sub(x, c->centre);
  CpsVec3 way = cps_vec3_add(cps_vec3_axpy(c->way, h, c->velocity), cps_vec3_cross(c->turn, arm));
  return cps_vec3_add(x, way);
}
// The displacement of the points of a side with these weights, relative to a point of the collider.
CpsVec3 cps_shape_query_way(const CpsShapeQuery* q, const double* weight, const int32_t* node, int count, CpsVec3 b);
// Adds a touch with this gap if the free motion brings the two nearer than the skin.
void cps_shape_query_judge(CpsShapeQuery* q, CpsSurfaceTouch* touch, double gap, CpsVec3 way);
// A ball of the feature, start[0], against a triangle: only if a face or an edge is nearest, and each edge once.
bool cps_shape_query_ball(void* query, const CpsTreeTriangle* triangle);

// surface_drums.c: rims and the round side of a cylinder against a triangle and its edges
bool cps_shape_query_drum(void* query, const CpsTreeTriangle* triangle);

// Exchanges the sides, so that the surface is a.
static inline CpsClosest cps_closest_turned(const CpsClosest* c) {
  CpsClosest out = *c;
  out.normal = cps_vec3_scale(-1.0, c->normal);
  memcpy(out.weight_a, c->weight_b, sizeof out.weight_a);
  memcpy(out.weight_b, c->weight_a, sizeof out.weight_b);
  out.feature_a = c->feature_b;
  out.feature_b = c->feature_a;
  return out;
}

#endif
