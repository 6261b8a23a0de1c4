// The fibres of a world, behind their door.
#ifndef CAPSTAN_THINGS_FIBRES_H
#define CAPSTAN_THINGS_FIBRES_H

#include "model/fibres.h"
#include "things/list.h"

// fibres.c
static inline CpsFibres* cps_world_fibres(const CpsWorld* world) {
  return (CpsFibres*)cps_world_population(world, CPS_THING_FIBRE);
}
CpsFibre* cps_world_find_fibre(const CpsWorld* world, CpsFibreId id);  // NULL: not there

// fibre_ends.c
CpsStatus cps_fibre_hold_ends(CpsWorld* world, CpsFibre* f, const CpsFibreDef* def, CpsError* error);
void cps_fibre_release_ends(CpsFibre* f);
bool cps_fibre_end_is_carried(const CpsFibreEnd* end, const CpsEndMove* move);  // by an obstacle
// For the door. Ends are saved and restored, because the velocities of rods with a moving root, and their kinetic energy, include
// the motion of the root.
void cps_fibre_ends_place(CpsWorld* world, CpsModel* all, double t, double h);
void cps_fibre_ends_stop(CpsModel* all);
void* cps_fibre_ends_keep(const CpsModel* all, CpsArena* arena);
void cps_fibre_ends_restore(CpsModel* all, const void* kept);

#endif
