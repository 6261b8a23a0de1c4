// Shapes prepared for distance queries. One CpsGeom is one convex shape or one static surface; a compound is several.
//
// All lengths are in metres, all coordinates in the shape's own frame. A CpsGeom is immutable and may be shared.
#ifndef CAPSTAN_GEOMETRY_GEOM_H
#define CAPSTAN_GEOMETRY_GEOM_H

#include "capstan/shape.h"
#include "core/quat.h"

typedef struct CpsAabb {
  CpsVec3 min, max;
} CpsAabb;

// A convex polyhedron: box and hull. Faces are convex polygons, counter-clockwise seen from outside.
typedef struct CpsPolytope {
  int32_t vertex_count;
  CpsVec3* vertex;
  int32_t face_count;
  CpsVec3* normal;      // outer unit normal of each face
  double* offset;       // normal . x = offset on the face
  int32_t* face_start;  // face_count + 1 offsets into face_vertex
  int32_t* face_vertex;
  int32_t edge_count;       // each edge once
  int32_t (*edge)[2];       // its vertices
  int32_t (*edge_face)[2];  // the faces to its left and right, seen from outside with the edge going up
} CpsPolytope;

typedef struct CpsMeshTree CpsMeshTree;      // triangles and their bounding volumes (mesh.c)
typedef struct CpsTubeTree CpsTubeTree;      // segments of a polyline and their bounding volumes (tube.c)
typedef struct CpsPointCloud CpsPointCloud;  // points with normals and the field over them (points.c)

typedef struct CpsGeom {
  CpsShapeKind kind;      // never NONE or COMPOUND
  double radius;          // sphere, capsule, cylinder, tube
  double half_length;     // capsule, cylinder: along z
  CpsPolytope* polytope;  // box, hull
  CpsMeshTree* mesh;      // mesh
  CpsTubeTree* tube;      // tube
  CpsPointCloud* points;  // points
  CpsAabb bounds;         // in the own frame; infinite for a plane
  CpsVec3 centre;         // inside the shape (sphere … cylinder: the origin; hull: the mean of the vertices)
  bool both_sides;        // also touches meshes with a border from behind: pieces of fibres
  double inner_radius;    // of a sphere about `centre` inside the shape; 0 for plane and mesh; points: approximate
  double outer_radius;    // of a sphere about the origin that contains the shape; infinite for a plane
} CpsGeom;

// Checks a shape that is not a compound, copies its arrays and computes the derived data.
CpsStatus cps_geom_create(const CpsShape* shape, CpsGeom** geom, CpsError* error);
void cps_geom_destroy(CpsGeom* geom);  // NULL is allowed
// Rotation to the principal axes of a tensor of inertia, and its moments there (mass.c).
CpsQuat cps_principal_axes(CpsMat3 J, CpsVec3* moments);
// World box of the shape at a pose.
CpsAabb cps_geom_bounds(const CpsGeom* geom, const CpsPose* pose);

static inline bool cps_aabb_overlap(const CpsAabb* a, const CpsAabb* b) {
  return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
         a->min.z <= b->max.z && b->min.z <= a->max.z;
}

#endif
