// Sample points of lines and surfaces inside a medium: immersed.c, immersed_surfaces.c.
#ifndef CAPSTAN_WORLD_IMMERSED_H
#define CAPSTAN_WORLD_IMMERSED_H

#include "world/world.h"

typedef struct CpsImmersed {
  int32_t member;   // the medium
  int32_t other;    // collider of a piece of a line, or surface of the step
  int32_t number;   // the place on it
  bool on_surface;  // with
  int32_t node[3];  // the nodes of a surface at the place, -1: none, and their parts
  double part[3];
  double arc, size;      // of the line; m of it, or m^2 of a surface
  CpsVec3 place, along;  // along the line, or the normal of the surface
} CpsImmersed;

// Room for the nodes of both sides of a sample point.
enum { CPS_IMMERSED_NODES = 2 * CPS_IMMERSED_MOST };

// immersed_surfaces.c: the sample points of all surfaces in a medium, or their number; -1: memory runs out.
int32_t cps_immersed_surfaces(const CpsStep* step, int32_t member, CpsImmersed* out);
// Converts a sample point into a contact; `nodes` has room for both sides
void cps_immersed_surface_contact(const CpsStep* step, const CpsImmersed* s, CpsPatchNode* nodes, CpsStepContact* t,
                                  CpsTrack* track);

#endif
