// The doors of all kinds; each is defined in the file of its kind.
#ifndef CAPSTAN_THINGS_LIST_H
#define CAPSTAN_THINGS_LIST_H

#include "world/doors.h"

extern const CpsDoor cps_door_bodies, cps_door_fibres, cps_door_sheets, cps_door_solids, cps_door_grains,
    cps_door_customs, cps_door_flow;

#endif
