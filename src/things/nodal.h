// Shared by the doors of sheets and solids, which are both made of many nodes.
#ifndef CAPSTAN_THINGS_NODAL_H
#define CAPSTAN_THINGS_NODAL_H

#include "model/nodal.h"
#include "things/list.h"

// nodal_pins.c
bool cps_kind_is_nodal(CpsThingKind kind);
CpsNodal* cps_world_find_nodal(const CpsWorld* world, CpsThing thing);  // NULL: not there
CpsStatus cps_pins_check(const CpsWorld* world, const CpsPin* pins, int32_t count, const char* what, CpsError* error);
CpsStatus cps_nodal_pin(CpsWorld* world, CpsNodal* s, const CpsPin* pins, int32_t count, CpsError* error);
void cps_nodal_unpin(CpsNodal* s);  // frees their motions
void cps_nodal_pins_place(const CpsWorld* world, CpsModel* all, double t, double h);
// nodal_hold.c: of the doors
bool cps_nodal_holds(const CpsWorld* world, const CpsModel* all, int32_t member, int64_t entry);

#endif
