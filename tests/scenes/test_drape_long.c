// labels: long
// Fabrics that lie on their stand by friction alone, with a needle through the middle, drape as they are measured to. (They are measured
// with a second disc on top. Without it silk covers 43.4 %, above its band of 20 to 40 %: it is left out.)
#include "scenes/drape.h"

#include <stdlib.h>
#include <string.h>

enum { RINGS = 15 };

static void fabrics_on_the_stand_drape_as_they_are_measured_to(void** state) {
  (void)state;
  const char* only = getenv("CAPSTAN_FABRIC");  // one of them alone
  for (int k = 0; k < DRAPE_FABRICS; ++k) {
    if (strcmp("silk", DRAPE_BANDS[k].fabric) == 0) continue;
    if (only && strcmp(only, DRAPE_BANDS[k].fabric) != 0) continue;
    Overrides o = {0};
    override(&o, "rings=%d", RINGS);
    override(&o, "step=20 ms");
    override(&o, "sheets.cloth.fabric=%s", DRAPE_BANDS[k].fabric);
    override(&o, "cover=4 mm");
    override(&o, "sheets.cloth.contact=true");
    CpsWorld* world = open_scene("drape.yaml", &o);
    Run run = run_until(world, 0.8);
    print_message("%d contacts at most, %d steps unsolved\n", run.contacts_max, (int)run.unsolved);
    drape_check(world, RINGS, &DRAPE_BANDS[k]);
    assert_int_equal(run.unsolved, 0);
    assert_int_equal(run.crossings, 0);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fabrics_on_the_stand_drape_as_they_are_measured_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
