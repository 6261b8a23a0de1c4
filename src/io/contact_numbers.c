#include "io/contact_numbers.h"

#include <stdlib.h>

typedef enum Owner { BODY, OBSTACLE, FIBRE, SHEET } Owner;

static int32_t place_of(const CpsWorld* world, int32_t i, Owner owner) {
  return owner == BODY       ? cps_world_body(world, i).index
         : owner == OBSTACLE ? cps_world_obstacle(world, i).index
         : owner == FIBRE    ? cps_world_fibre(world, i).index
                             : cps_world_sheet(world, i).index;
}

static bool update(const CpsWorld* world, int32_t count, Owner owner, CpsPlaces* places) {
  int32_t largest = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t place = place_of(world, i, owner);
    if (largest < place) largest = place;
  }
  if (largest >= places->count) {
    int32_t* grown = realloc(places->number, ((size_t)largest + 1) * sizeof *grown);
    if (!grown) return false;
    places->number = grown;
    places->count = largest + 1;
  }
  for (int32_t i = 0; i < count; ++i) places->number[place_of(world, i, owner)] = i;
  return true;
}

bool cps_numbering_update(CpsNumbering* numbering, const CpsWorld* world) {
  return update(world, cps_world_body_count(world), BODY, &numbering->bodies) &&
         update(world, cps_world_obstacle_count(world), OBSTACLE, &numbering->obstacles) &&
         update(world, cps_world_fibre_count(world), FIBRE, &numbering->fibres) &&
         update(world, cps_world_sheet_count(world), SHEET, &numbering->sheets);
}

void cps_numbering_free(CpsNumbering* numbering) {
  free(numbering->bodies.number);
  free(numbering->obstacles.number);
  free(numbering->fibres.number);
  free(numbering->sheets.number);
  *numbering = (CpsNumbering){0};
}

static int32_t number_of(const CpsPlaces* places, int32_t index, uint32_t generation) {
  return generation == 0 || index < 0 || index >= places->count ? -1 : places->number[index];
}

CpsContactNumbers cps_numbering_of(const CpsNumbering* numbering, const CpsContact* contact) {
  return (CpsContactNumbers){
      .body = {number_of(&numbering->bodies, contact->body_a.index, contact->body_a.generation),
               number_of(&numbering->bodies, contact->body_b.index, contact->body_b.generation)},
      .fibre = {number_of(&numbering->fibres, contact->fibre_a.index, contact->fibre_a.generation),
                number_of(&numbering->fibres, contact->fibre_b.index, contact->fibre_b.generation)},
      .sheet = {number_of(&numbering->sheets, contact->sheet_a.index, contact->sheet_a.generation),
                number_of(&numbering->sheets, contact->sheet_b.index, contact->sheet_b.generation)},
      .obstacle = number_of(&numbering->obstacles, contact->obstacle.index, contact->obstacle.generation),
  };
}
