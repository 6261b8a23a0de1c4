// One frame in Embree: fibres as round curves, sheets as triangles, balls and capsules as such, other shapes as triangles, arrows of
// impulses in a separate scene. Half-spaces are planes that the tracer intersects itself.
#ifndef CAPSTAN_RENDER_SCENE_H
#define CAPSTAN_RENDER_SCENE_H

#include <embree3/rtcore.h>

#include "capstan/render.h"
#include "render/camera.h"
#include "render/float3.h"

// A growing array. Embree reads up to 16 bytes past the end.
typedef struct CpsRoom {
  void* items;
  size_t room;  // bytes
} CpsRoom;

// Room for `count` items of `size` bytes; existing items are kept. NULL: out of memory, and the buffer is unchanged.
void* cps_room_reserve(CpsRoom* buffer, int64_t count, size_t size);
void cps_room_free(CpsRoom* buffer);

// A half-space n . (x - point) <= 0.
typedef struct CpsRenderPlane {
  CpsFloat3 point, normal;
  CpsFloat3 along, across;  // axes in the plane
  float offset[2];          // of the point along them from a crossing of the grid, in its meshes
  float grid;               // width of a mesh: a round number of metres
  CpsFloat3 colour;
} CpsRenderPlane;

// A part of a body or obstacle in the current frame.
typedef struct CpsRenderPart {
  CpsPose pose;      // in the world
  CpsFloat3 colour;  // linear
  int32_t mesh;      // of `meshes`; -1: a ball, a capsule or a plane
  double rim;        // width of the dark rims along its edges, m; 0: it has none
  bool visible;      // at a finite place
  bool cut;          // left out, because it hides moving objects
} CpsRenderPart;

typedef struct CpsRenderScene {
  RTCDevice device;
  RTCScene things;  // NULL: nothing there
  RTCScene arrows;  // NULL: none
  const CpsThings* what;

  CpsTriangles* meshes;  // shared by like parts that follow each other
  int32_t mesh_count;
  CpsRenderPart* parts;  // what->part_count

  CpsRenderPlane* planes;
  int32_t plane_count;

  // curves: control points of the hairs of all lines, each with one more at both ends; pieces begin at `piece_first`
  CpsRoom curve_points;  // float[4]: place and radius as drawn
  CpsRoom curve_colour;  // CpsFloat3 of each control point
  CpsRoom curve_cover;   // float: true radius over drawn one
  CpsRoom piece_first;   // uint32_t: first of four control points
  int64_t piece_count;
  CpsRoom cap_points, cap_point;  // float[4]: round ends of the lines; uint32_t: the control point each is at
  int64_t cap_count;
  float least_width;          // px, of fibres; 0: one pixel, with correct coverage
  int32_t hairs;              // curves for each line
  float spread;               // of them, in radii of the line
  int64_t curve_point_count;  // control points of all curves
  bool thin;                  // some fibre is drawn wider than it is

  CpsRoom triangle_points, triangle_index, triangle_part;  // float[3], uint32_t[3], int32_t
  CpsRoom triangle_local;                                  // int32_t: number of the triangle in its mesh
  int64_t triangle_count, triangle_point_count;
  CpsRoom sheet_points, sheet_index, sheet_normals, sheet_colour;  // float[3], uint32_t[3], CpsFloat3, CpsFloat3
  CpsRoom sheet_side;                                              // double: s of (1) in cut.c, at each vertex
  int64_t sheet_triangles, sheet_vertices;
  bool cut;  // by the plane through cut_point with the unit normal cut_normal; its front is left out
  CpsVec3 cut_point, cut_normal;   // in the world
  CpsRoom ball_points, ball_part;  // float[4], int32_t
  int64_t ball_count;
  CpsRoom capsule_points, capsule_index, capsule_part;  // float[4], uint32_t, int32_t
  int64_t capsule_count;
  CpsRoom arrow_points, arrow_index, arrow_colour;  // cones: float[4], uint32_t, CpsFloat3
  CpsRoom dot_points, dot_colour;
  int64_t arrow_count, dot_count;
  CpsRoom grain_points, grain_colour;  // float[4], CpsFloat3
  int64_t grain_count;
  int32_t grains;                             // for each particle
  double grain_space;                         // edge of the cube that a particle fills, m; 0: not known yet
  CpsRoom tie_points, tie_index, tie_colour;  // float[4], uint32_t, CpsFloat3
  int64_t tie_count;
} CpsRenderScene;

// Numbers of the geometries.
enum {
  CPS_GEOMETRY_CURVES = 0,
  CPS_GEOMETRY_TRIANGLES = 1,
  CPS_GEOMETRY_BALLS = 2,
  CPS_GEOMETRY_CAPSULES = 3,
  CPS_GEOMETRY_CAPS = 4,
  CPS_GEOMETRY_TIES = 5,
  CPS_GEOMETRY_SHEETS = 6,
  CPS_GEOMETRY_GRAINS = 7
};
enum { CPS_GEOMETRY_ARROWS = 0, CPS_GEOMETRY_DOTS = 1 };

// Makes the meshes of all parts. `extent` is the half-edge drawn for unbounded shapes, m.
CpsStatus cps_render_scene_create(const CpsThings* things, CpsRenderScene* scene, CpsError* error);
void cps_render_scene_destroy(CpsRenderScene* scene);

// Pose of part i in the world.
CpsPose cps_render_part_pose(const CpsThings* what, const CpsFrame* frame, int32_t i);

// Colours of a frame: one for each point of the lines, for each vertex of the sheets and for each part.
typedef struct CpsRenderColours {
  const CpsFloat3* points;
  const CpsFloat3* vertices;
  const CpsFloat3* parts;
  const CpsFloat3* particles;
} CpsRenderColours;

// How the impulses of a frame are drawn.
typedef struct CpsRenderArrows {
  bool shown;
  double scale;  // m per N·s
  double size;   // m, of the scene: the longest arrow and the thickness are shares of it
} CpsRenderArrows;

// The whole scene of a frame.
CpsStatus cps_render_scene_build(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye,
                                 const CpsRenderColours* colours, const CpsRenderArrows* arrows, bool ground,
                                 CpsError* error);

// Builders of its pieces. Each returns false if memory runs out.
bool cps_render_add_fibres(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours);
bool cps_render_add_sheets(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours);
// Sides of the vertices, and room for the vertices that a cut adds to sheets and solids; then their triangles after the cut. No effect without a cut.
bool cps_render_cut_begin(CpsRenderScene* scene, const CpsFrame* frame);
void cps_render_cut(CpsRenderScene* scene);
bool cps_render_add_bodies(CpsRenderScene* scene, const CpsEye* eye);
bool cps_render_add_arrows(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye,
                           const CpsRenderArrows* arrows);

// `size` is that of the scene, m.
bool cps_render_add_grains(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, const CpsFloat3* colours);
bool cps_render_add_ties(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye, double size);

// Whether a place can be drawn: finite, and near enough for single precision.
static inline bool cps_render_place_is_good(CpsFloat3 p) {
  return fabsf(p.x) < 1e6f && fabsf(p.y) < 1e6f && fabsf(p.z) < 1e6f;
}

// Colours of the statuses of contacts, as in the viewer.
CpsFloat3 cps_render_status_colour(CpsContactStatus status);
// Colours of ties.
CpsFloat3 cps_render_tie_colour(CpsTieKind kind);

#endif
