// A shape that can be touched, where it is now: what models and obstacles offer to the detection of contacts.
#ifndef CAPSTAN_GEOMETRY_COLLIDER_H
#define CAPSTAN_GEOMETRY_COLLIDER_H

#include "geometry/geom.h"
#include "geometry/triangle_tree.h"

// One convex piece of a body (or one segment of a fibre), or an obstacle, where it is at the beginning of the step.
typedef struct CpsCollider {
  const CpsGeom* geom;
  CpsPose pose;
  double reach;   // how far its points may get in the step from where `velocity` takes them, m
  uint64_t key;   // names the collider from step to step; strictly ascending in the array, bodies before obstacles
  int32_t owner;  // body, the same for all pieces of one; obstacles: -1
  int32_t group;  // colliders of one group > 0 do not touch each other
  // the step without impulses (contact/sweep.h): turns about `centre`, which moves; zero if the motion is not followed
  CpsVec3 centre, way, turn;  // of the body, m, m, rad, world axes
  CpsVec3 later;              // how much faster it turns at the end of the step than where impulses act, rad per step
  // where things move together (contact/drift.h); zero where they do not
  CpsVec3 velocity;  // of the piece in the step
  double sway;       // how far its points may get from where the drift takes them, beside reach and velocity, m
  bool node;         // of a surface: two of them meet by their triangles (contact/surfaces.h)
  bool idle;         // not examined together with another that is
  // pieces of fibres, in the order of their arc lengths; zero for everything else
  double arc[2];         // arc lengths of its ends, at -z and +z of the capsule
  double self_distance;  // two pieces of one owner touch if so much of the fibre lies between them; 0: never
  uint8_t joined;        // 1: to the collider before it in the array, 2: to the one after it, 3: to both
} CpsCollider;

// A surface of triangles that moves.
typedef struct CpsSurfaceMesh {
  CpsTriangleTree* tree;
  const CpsVec3 *start, *end;  // nodes at the beginning of the step, and where they are thought to be at its end
  const bool* held;            // nodes that nothing moves
  double half;                 // half of the thickness, m
  bool itself;                 // may touch itself
  bool closed;    // has an inside: what is behind its triangles is pushed out of them, or is its own other side
  int32_t owner;  // member of the world
  int32_t group;  // surfaces of one group > 0 do not touch each other
  // The facets under a smooth surface, sunk below it: they touch nothing, but nothing goes through them.
  bool guard;
  const CpsVec3* place;  // nodes at the beginning of the step, not sunk
} CpsSurfaceMesh;

// A smooth surface over triangles that move (geometry/field.h).
typedef struct CpsSmoothMesh {
  CpsSmooth smooth;  // with its reach
  int32_t triangle_count;
  const int32_t* triangle;
  const CpsVec3 *x, *end;             // nodes at the beginning of the step, and where they are thought to be at its end
  const CpsVec3 *rest, *rest_middle;  // nodes and middles of triangles without strain; NULL: it does not touch itself
  const int64_t* around_start;        // of each node: where its triangles begin in
  const int32_t* around;
  int32_t skin_count;
  const int32_t* skin;  // nodes of the triangles
  double* work;         // one for each node
  const CpsGeom* ball;  // of radius
  double half;          // it touches at this distance from the smooth surface, m
  CpsAabb box;          // of the nodes of the triangles on their ways
  CpsVec3 drift;        // mean way of them
  int32_t owner;        // member of the world
  int32_t group;        // as of surfaces
} CpsSmoothMesh;

#endif
