// The first hit of a ray, and the visibility of light.
#ifndef CAPSTAN_RENDER_TRACE_H
#define CAPSTAN_RENDER_TRACE_H

#include "render/scene.h"

typedef enum CpsSurfaceKind {
  CPS_SURFACE_NONE = 0,  // the ray meets nothing
  CPS_SURFACE_SOLID,     // a body or an obstacle
  CPS_SURFACE_FIBRE,
  CPS_SURFACE_PLANE
} CpsSurfaceKind;

typedef struct CpsSurface {
  CpsSurfaceKind kind;
  float distance;  // along the ray
  CpsFloat3 point;
  CpsFloat3 normal;   // for shading, towards the eye
  CpsFloat3 facing;   // of the geometry, towards the eye
  CpsFloat3 tangent;  // of a fibre, from its first to its last point
  CpsFloat3 colour;   // linear
  int32_t owner;      // number of the part, or of the plane after all parts; -1: a fibre
  float cover;        // how much of the light behind it a fibre holds back, 0 to 1
  float radius;       // of a fibre as drawn
  float line;         // of a plane: nearness to a line of its grid, in meshes
} CpsSurface;

// Sets how the fibre geometry of a scene transmits light; call before the scene is committed.
void cps_render_trace_prepare(RTCGeometry fibres, CpsRenderScene* scene);
// The first hit of a ray beyond `nearest`. Thin hairs of wisps are hit at random, by `seed`, and are then opaque: a ray meets too
// many of them to be followed through all.
CpsSurface cps_render_meet(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float nearest,
                           uint32_t seed);
// Whether anything on the ray before `farthest` blocks it. Fibres drawn wider than they are transmit light at random, by `seed`.
// `with_planes`: half-spaces block too.
bool cps_render_is_hidden(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float farthest,
                          uint32_t seed, bool with_planes);
// The first arrow or dot on a ray. Returns false if there is none.
bool cps_render_meet_arrow(const CpsRenderScene* scene, CpsFloat3 origin, CpsFloat3 direction, float* distance,
                           CpsFloat3* normal, CpsFloat3* colour);

#endif
