// A touchable shape in its present position: the interface of models and obstacles to contact detection.
#ifndef CAPSTAN_GEOMETRY_COLLIDER_H
#define CAPSTAN_GEOMETRY_COLLIDER_H

#include "geometry/geom.h"
#include "geometry/triangle_tree.h"

// One convex piece of a body (or one segment of a fibre), or an obstacle, at the beginning of the step.
typedef struct CpsCollider {
  const CpsGeom* geom;
  CpsPose pose;
  double reach;   // bound on the deviation of its points from `velocity` in the step, m
  uint64_t key;   // identifies the collider between steps; strictly ascending in the array, bodies before obstacles
  int32_t owner;  // body, shared by all its pieces; obstacles: -1
  int32_t group;  // colliders of one group > 0 do not touch each other
  // the step without impulses (contact/sweep.h): rotation about the moving `centre`; zero if the motion is not followed
  CpsVec3 centre, way, turn;  // of the body, m, m, rad, world axes
  CpsVec3 later;              // angular velocity at the end of the step relative to that at the impulses, rad per step
  // for objects that move together (contact/drift.h); otherwise zero
  CpsVec3 velocity;  // of the piece in the step
  double sway;       // bound on the deviation of its points from the drift, in addition to reach and velocity, m
  bool node;         // of a surface: two of them meet by their triangles (contact/surfaces.h)
  bool idle;         // pairs of two idle colliders are skipped
  // pieces of fibres, in the order of their arc lengths; zero for everything else
  double arc[2];         // arc lengths of its ends, at -z and +z of the capsule
  double self_distance;  // two pieces of one owner touch if the fibre between them is at least this long; 0: never
  uint8_t joined;        // 1: to the collider before it in the array, 2: to the one after it, 3: to both
} CpsCollider;

// A moving surface of triangles.
typedef struct CpsSurfaceMesh {
  CpsTriangleTree* tree;
  const CpsVec3 *start, *end;  // nodes at the beginning of the step, and their predicted positions at its end
  const bool* held;            // fixed nodes
  double half;                 // half of the thickness, m
  bool itself;                 // may touch itself
  bool closed;    // has an inside: objects behind its triangles are pushed out of them, or are its own other side
  int32_t owner;  // member of the world
  int32_t group;  // surfaces of one group > 0 do not touch each other
  // The facets under a smooth surface, sunk below it: without contacts, but impenetrable.
  bool guard;
  const CpsVec3* place;  // nodes at the beginning of the step, not sunk
} CpsSurfaceMesh;

// A smooth surface over moving triangles (geometry/field.h).
typedef struct CpsSmoothMesh {
  CpsSmooth smooth;  // with its reach
  int32_t triangle_count;
  const int32_t* triangle;
  const CpsVec3 *x, *end;             // nodes at the beginning of the step, and their predicted positions at its end
  const CpsVec3 *rest, *rest_middle;  // nodes and middles of triangles without strain; NULL: it does not touch itself
  const int64_t* around_start;        // of each node: the start of its triangles in
  const int32_t* around;
  int32_t skin_count;
  const int32_t* skin;  // nodes of the triangles
  double* work;         // one per node
  const CpsGeom* ball;  // of radius
  double half;          // contact distance from the smooth surface, m
  CpsAabb box;          // of the paths of the nodes of the triangles
  CpsVec3 drift;        // their mean displacement
  int32_t owner;        // member of the world
  int32_t group;        // as for surfaces
} CpsSmoothMesh;

#endif
