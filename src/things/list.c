// All kinds of things of the library: the one list that names them. A new kind is one line here.
#include "things/list.h"

static const CpsDoor* const DOORS[] = {&cps_door_bodies, &cps_door_fibres,  &cps_door_sheets, &cps_door_solids,
                                       &cps_door_grains, &cps_door_customs, &cps_door_flow};

const CpsDoorList cps_doors = {DOORS, sizeof DOORS / sizeof *DOORS};
