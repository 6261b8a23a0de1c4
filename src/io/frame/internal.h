// Internals of a show, shared by the files that fill it from a result and from a world.
#ifndef CAPSTAN_IO_FRAME_INTERNAL_H
#define CAPSTAN_IO_FRAME_INTERNAL_H

#include "capstan/frame.h"
#include "core/arena.h"
#include "io/contact_numbers.h"
#include "io/result/fibre_lines.h"

struct CpsShow {
  CpsThings things;
  CpsFrame frame;
  CpsResult* result;  // or
  const CpsScene* scene;
  const CpsWorld* world;
  CpsArena memory;  // of all that does not grow
  // of the frame; things.*_count entries
  CpsPose *bodies, *obstacles;
  CpsVec3 *velocities, *points, *axes, *point_velocities, *vertices, *vertex_velocities, *vertex_impulses;
  double *tension, *stress;
  CpsVec3 *particles, *particle_velocities;
  double *particle_pressures, *particle_fractions, *particle_stresses;
  uint8_t* particle_statuses;
  bool has_grain_stress;  // and statuses
  bool* vertex_held;      // of a world
  CpsFrameTie* ties;
  bool has_tension, has_velocities, has_vertex_velocities, has_vertex_impulses, has_stress;  // of the frame
  CpsFrameContact* contacts;
  int32_t contact_room;
  void* buffer;  // for one dataset of a result
  size_t buffer_room;
  // of a world
  CpsFibreLines lines;
  CpsTensions* tensions;
  CpsNumbering numbering;
};

// Allocates the arrays of a frame whose sizes follow from the things; false: memory runs out.
bool cps_show_take_frame(CpsShow* show);
// Room for `count` contacts; false: out of memory. Existing ones are kept.
bool cps_show_reserve_contacts(CpsShow* show, int64_t count);

// The surface of a sheet or a solid among CpsThings.sheets; -1: it has none.
int32_t cps_things_surface(const CpsThings* things, CpsThing thing);
// Whether a thing of this kind and index exists.
bool cps_things_have(const CpsThings* things, CpsThing thing);

// result.c
CpsStatus cps_show_fill_result_things(CpsShow* show, CpsError* error);
CpsStatus cps_show_fill_result_frame(CpsShow* show, int64_t frame, CpsError* error);
// world.c
CpsStatus cps_show_fill_world_things(CpsShow* show, CpsError* error);
CpsStatus cps_show_fill_world_frame(CpsShow* show, CpsError* error);

#endif
