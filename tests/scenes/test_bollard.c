// A rope wound twice round a post and pulled three times as hard as it is held: it slides where exp(mu phi) is below 3, and
// sticks where it is above. Sticking takes the solver no more work than sliding; bench/fibres/ratios.c has the times.
// labels: release
#include "scenes/scene_world.h"

enum { STEPS = 60 };

static Run follow(double mu, int32_t* slide) {
  Overrides o = {.count = 0};
  override(&o, "mu=%g", mu);
  CpsWorld* world = open_scene("../tests/scenes/bollard.yaml", &o);
  Run run = {0};
  for (int k = 0; k < STEPS; k++) run_step(world, &run);
  *slide = 0;
  for (int32_t i = 0; i < cps_world_contact_count(world); i++) {
    CpsContact c = cps_world_contact(world, i);
    *slide += c.status == CPS_CONTACT_SLIDE && fabs(c.velocity[1]) + fabs(c.velocity[2]) > 1e-2;
  }
  cps_world_destroy(world);
  return run;
}

static void a_rope_on_a_bollard_slides_below_the_capstan_threshold(void** state) {
  (void)state;
  int32_t slide[2];
  // exp(0.05 4 pi) = 1.9, exp(0.4 4 pi) = 152
  Run run[2] = {follow(0.05, &slide[0]), follow(0.4, &slide[1])};
  print_message("slides: %d iterations, %d of %d contacts slide; sticks: %d iterations, %d of %d slide\n",
                (int)run[0].iterations, (int)slide[0], (int)run[0].contacts_max, (int)run[1].iterations, (int)slide[1],
                (int)run[1].contacts_max);
  assert_int_equal(run[0].unsolved + run[1].unsolved, 0);
  assert_true(slide[0] > 40 && slide[1] < 10);
  // what stuck in the last step is refined from its impulses, without the method (two thirds of the iterations with it)
  assert_below((double)run[1].iterations, 0.25 * (double)run[0].iterations);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_rope_on_a_bollard_slides_below_the_capstan_threshold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
