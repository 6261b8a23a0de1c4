// Shared by the tests of scenes/cards-sheet.yaml.
#ifndef CAPSTAN_TESTS_SCENES_CARDS_SHEET_H
#define CAPSTAN_TESTS_SCENES_CARDS_SHEET_H

#include "capstan/sheet.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { CARDS = 15, CARD_VERTICES = 15 };

typedef struct Cards {
  CpsVec3 x[CARDS][CARD_VERTICES], v[CARDS][CARD_VERTICES];
} Cards;

static inline void cards_read(const CpsWorld* world, Cards* cards) {
  for (int32_t i = 0; i < cps_world_sheet_count(world); ++i) {
    assert_int_equal(vertices_of(world, cps_thing_sheet(cps_world_sheet(world, i)), cards->x[i], cards->v[i]), CPS_OK);
  }
}

// The fastest vertex, m/s.
static inline double cards_speed(const CpsWorld* world, Cards* cards) {
  double fastest = 0.0;
  cards_read(world, cards);
  for (int32_t i = 0; i < cps_world_sheet_count(world); ++i) {
    for (int k = 0; k < CARD_VERTICES; ++k) fastest = fmax(fastest, speed(cards->v[i][k]));
  }
  return fastest;
}

// The house stands: nothing has moved by more than the gaps at the start, and nothing moves.
static inline void cards_check_rest(const CpsWorld* world, const Cards* start, double time) {
  static Cards now;
  const double fastest = cards_speed(world, &now);
  double far = 0.0;
  for (int i = 0; i < CARDS; ++i) {
    for (int k = 0; k < CARD_VERTICES; ++k) far = fmax(far, distance(now.x[i][k], start->x[i][k]));
  }
  print_message("after %g s: moved by %.2g mm at most, fastest vertex %.1e m/s\n", time, 1e3 * far, fastest);
  assert_below(far, 5e-4);
  assert_below(fastest, 1e-9);
}

#endif
