// Shared by the narrow phase: axes, patches and corners. All coordinates are in one working frame, that of the shape b,
// with the shape a at (R, d). The normal n always points from b to a.
#ifndef CAPSTAN_GEOMETRY_NARROW_H
#define CAPSTAN_GEOMETRY_NARROW_H

#include "geometry/convex.h"

// Placement of a in the frame of b: x = R x_own + d.
typedef struct CpsPlace {
  CpsMat3 R;
  CpsVec3 d;
} CpsPlace;

static inline CpsVec3 cps_place_apply(const CpsPlace* place, CpsVec3 x) {
  return cps_vec3_add(place->d, cps_mat3_apply(place->R, x));
}

// A point, a segment or a triangle as a polytope with room for its arrays. A segment has no faces, edge_face {-1, -1};
// a triangle has its front as its only face, edge_face {0, -1}.
typedef struct CpsFlat {
  CpsPolytope polytope;
  CpsVec3 vertex[3], normal[1];
  double offset[1];
  int32_t face_start[2], face_vertex[3], edge[3][2], edge_face[3][2];
} CpsFlat;
void cps_flat_segment(CpsFlat* flat, double half_length);
void cps_flat_triangle(CpsFlat* flat, CpsVec3 p, CpsVec3 q, CpsVec3 r);

// Length scale of tolerances: that of the smaller polytope (a point has none).
double cps_polytope_scale(const CpsPolytope* a, const CpsPolytope* b);

typedef enum CpsAxisKind { CPS_AXIS_FACE_A, CPS_AXIS_FACE_B, CPS_AXIS_EDGES, CPS_AXIS_OTHER } CpsAxisKind;
// An axis with  separation = min n.a - max n.b,  and its features: they touch along it.
typedef struct CpsAxis {
  CpsVec3 normal;
  double separation;
  CpsAxisKind kind;
  int32_t a, b;  // faces or edges
} CpsAxis;

// The axis of largest separation of two polytopes (sat.c): the best of all faces, false if they are separated by more
// than `margin`; then the better of that and all pairs of edges.
bool cps_sat_faces(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, double margin, CpsAxis* axis);
void cps_sat_edges(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, CpsAxis* axis);

// The nearest points of two separated polytopes if they lie on a corner and on an edge or corner (closest.c). `axis`
// separates them, by less than `margin`.
typedef struct CpsNearest {
  CpsVec3 point_a, point_b;
  double distance;             // negative if nothing is within the margin
  int32_t edge_a, edge_b;      // the edges of the points, -1 if none
  int32_t vertex_a, vertex_b;  // or the corners
} CpsNearest;
CpsNearest cps_nearest_corner(const CpsPolytope* a, const CpsPlace* place, const CpsPolytope* b, const CpsAxis* axis,
                              double margin);

// Signed distance of a point from a polytope or triangle, the outer normal there, and the nearest surface point. Exact
// outside; inside it uses the nearest face. A triangle is seen from its front.
double cps_point_polytope(CpsVec3 x, const CpsPolytope* b, CpsVec3* normal);

// The part of a surface that can touch along a direction: a point, a segment or a convex polygon.
enum { CPS_PATCH_MAX = 64 };
typedef struct CpsPatch {
  int count;
  CpsVec3 normal;  // outer, of a polygon
  CpsVec3 corner[CPS_PATCH_MAX];
  int32_t id[CPS_PATCH_MAX];
} CpsPatch;
// A face seen at a smaller cosine has no useful height.
#define CPS_STEEPEST 0.1
// The part of a polytope farthest along m: a face, an edge if all faces there are too steep, or its segment or point;
// `place` NULL: in its own frame.
void cps_patch_face(const CpsPolytope* p, const CpsPlace* place, CpsVec3 m, CpsPatch* patch);
void cps_patch_edge(const CpsPolytope* p, const CpsPlace* place, int32_t edge, CpsPatch* patch);

// A contact point before conversion to the world.
typedef struct CpsCorner {
  CpsVec3 point;  // on b
  double gap;     // to a, along n
  uint32_t feature;
} CpsCorner;
enum { CPS_CORNERS_MAX = 2 * CPS_PATCH_MAX };
// Corners of the common part of two patches seen along n (clip.c); at most CPS_CORNERS_MAX.
int cps_clip_patches(const CpsPatch* a, const CpsPatch* b, CpsVec3 n, CpsCorner* out);
// Whether the corners with gaps up to `limit` span at least `width` in every direction. Two corners count along their
// line if it is that of a side that is `round` across it.
bool cps_corners_wide(const CpsCorner* corners, int count, bool round, double limit, double width);
// Relative overlap up to which a touching face is accepted without further tests: the depth may be too large by this
// much. Up to 1e-2 a deeper one is accepted too if the shapes overlap by the same depth over a common part at least
// four times that depth in width: at an angle phi from the normal of the face s(n) <= -depth cos(phi) - width sin(phi).
#define CPS_SHALLOW 1e-6
static inline bool cps_face_decides(const CpsCorner* corners, int count, bool round, double separation, double scale) {
  if (separation > -CPS_SHALLOW * scale) return true;
  return separation > -1e-2 * scale &&
         cps_corners_wide(corners, count, round, separation + CPS_SHALLOW * scale, -4.0 * separation);
}
// Gives a nearest point its feature as a corner of the common part, if it is one.
void cps_name_witness(const CpsPatch* a, const CpsPatch* b, CpsVec3 n, double scale, CpsCorner* witness);
// Keeps touches within the margin, at most CPS_TOUCH_PAIR_MAX, and adds the nearest point `witness` unless a gap as
// small is among them, up to `slack`. Sorts by feature.
int cps_finish_corners(CpsCorner* corners, int count, double margin, double scale, double slack,
                       const CpsCorner* witness);

// Features: the corners or edges of a and b that meet.
static inline uint32_t cps_feature(uint32_t kind, int32_t a, int32_t b) {
  return kind << 18 | ((uint32_t)a & 511U) << 9 | ((uint32_t)b & 511U);
}
enum { CPS_FEATURE_VERTEX_B, CPS_FEATURE_VERTEX_A, CPS_FEATURE_EDGES, CPS_FEATURE_OTHER };

#endif
