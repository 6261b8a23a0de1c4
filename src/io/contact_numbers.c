#include "io/contact_numbers.h"

#include <stdlib.h>

static int32_t count_of(const CpsWorld* world, CpsThingKind kind) {
  return kind == CPS_THING_BODY       ? cps_world_body_count(world)
         : kind == CPS_THING_OBSTACLE ? cps_world_obstacle_count(world)
         : kind == CPS_THING_FIBRE    ? cps_world_fibre_count(world)
         : kind == CPS_THING_SOLID    ? cps_world_solid_count(world)
                                      : cps_world_sheet_count(world);
}

static int32_t place_of(const CpsWorld* world, int32_t i, CpsThingKind kind) {
  return kind == CPS_THING_BODY       ? cps_world_body(world, i).index
         : kind == CPS_THING_OBSTACLE ? cps_world_obstacle(world, i).index
         : kind == CPS_THING_FIBRE    ? cps_world_fibre(world, i).index
         : kind == CPS_THING_SOLID    ? cps_world_solid(world, i).index
                                      : cps_world_sheet(world, i).index;
}

static bool update(const CpsWorld* world, CpsThingKind kind, CpsPlaces* places) {
  int32_t largest = 0, count = count_of(world, kind);
  for (int32_t i = 0; i < count; ++i) {
    int32_t place = place_of(world, i, kind);
    if (largest < place) largest = place;
  }
  if (largest >= places->count) {
    int32_t* grown = realloc(places->number, ((size_t)largest + 1) * sizeof *grown);
    if (!grown) return false;
    places->number = grown;
    places->count = largest + 1;
  }
  for (int32_t i = 0; i < count; ++i) places->number[place_of(world, i, kind)] = i;
  return true;
}

bool cps_numbering_update(CpsNumbering* numbering, const CpsWorld* world) {
  static const CpsThingKind KINDS[] = {CPS_THING_BODY, CPS_THING_OBSTACLE, CPS_THING_FIBRE, CPS_THING_SHEET,
                                       CPS_THING_SOLID};
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; ++i) {
    if (!update(world, KINDS[i], &numbering->of[KINDS[i]])) return false;
  }
  return true;
}

void cps_numbering_free(CpsNumbering* numbering) {
  for (int kind = 0; kind <= CPS_THING_OBSTACLE; ++kind) free(numbering->of[kind].number);
  *numbering = (CpsNumbering){0};
}

CpsSide cps_numbering_side(const CpsNumbering* numbering, CpsSide side) {
  const CpsPlaces* places = &numbering->of[side.thing.kind];
  int32_t place = side.thing.index;
  if (place >= 0 && place < places->count) side.thing.index = places->number[place];
  side.thing.generation = 0;
  return side;
}
