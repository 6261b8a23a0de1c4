// labels: release
// A rope that hangs over two pegs and overlaps them slightly at the start. Its lengths are corrected after each push of the
// projection. A push and its opposite do not cancel, and the remainder once lowered the rope through the pegs by a fraction of a
// millimetre per step, while every contact was solved. A rope with contacts that ignored its lengths was pulled through by its own
// weight.
#include "capstan/fibre.h"
#include "core/quat.h"
#include "world_helpers.h"

static const double A = 0.3, PEG = 0.02, ROPE = 0.003, ARC = 0.024, ARM = 0.55;
enum { TURN = 20, POINTS = 2 * TURN + 4, ELEMENTS = 100 };

// Up one side, a quarter of a circle over each peg, straight from one to the other, and down.
static void lay(CpsVec3* points) {
  int n = 0;
  points[n++] = cps_vec3(-A - ARC, 0, -ARM);
  for (int k = 0; k <= TURN; ++k) {
    double angle = acos(-1.0) * (1.0 - 0.5 * k / TURN);
    points[n++] = cps_vec3(-A + ARC * cos(angle), 0, ARC * sin(angle));
  }
  for (int k = 0; k <= TURN; ++k) {
    double angle = acos(-1.0) * 0.5 * (1.0 - (double)k / TURN);
    points[n++] = cps_vec3(A + ARC * cos(angle), 0, ARC * sin(angle));
  }
  points[n++] = cps_vec3(A + ARC, 0, -ARM);
  assert_int_equal(n, POINTS);
}

static CpsWorld* hang(CpsRodModel model) {
  CpsWorldDef def = cps_world_def_default();
  CpsWorld* world = NULL;
  def.mu = 0.2;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  for (int k = 0; k < 2; ++k) {
    CpsObstacleDef peg = cps_obstacle_def_default();
    peg.shape = cps_cylinder(PEG, 0.2);
    peg.pose = (CpsPose){cps_vec3(k == 0 ? -A : A, 0, 0), cps_quat_exp(cps_vec3(0.5 * acos(-1.0), 0, 0))};
    assert_int_equal(cps_world_add_obstacle(world, &peg, NULL, NULL), CPS_OK);
  }
  CpsVec3 points[POINTS];
  lay(points);
  CpsFibreDef rope = cps_fibre_def_default();
  rope.model = model;
  rope.elements = ELEMENTS;
  rope.points = points;
  rope.point_count = POINTS;
  rope.radius = ROPE;
  rope.bending[0] = rope.bending[1] = 1e-6;
  rope.twisting = 1e-6;
  rope.line_density = 0.05;
  rope.drag = 0.05;
  assert_int_equal(cps_world_add_fibre(world, &rope, NULL, NULL), CPS_OK);
  return world;
}

static void a_rope_stays_on_its_pegs(void** state) {
  (void)state;
  static const CpsRodModel MODELS[] = {CPS_ROD_DER, CPS_ROD_DER_INEXTENSIBLE, CPS_ROD_DER_PROJECTED,
                                       CPS_ROD_MASS_SPRING, CPS_ROD_CORDE};
  for (int m = 0; m < (int)(sizeof MODELS / sizeof *MODELS); ++m) {
    CpsWorld* world = hang(MODELS[m]);
    double first = 0.0;
    for (int k = 0; k < 250; ++k) {
      CpsStepInfo info;
      assert_true(cps_world_step(world, &info, NULL) >= 0);
      if (k == 0) first = info.penetration;
      assert_int_equal(info.crossings, 0);
      // the chords over the pegs cut their corners by less than a millimetre; it may not become more than by rounding
      assert_true(info.penetration <= 1.05 * first);
    }
    assert_true(first > 1e-4);
    CpsFibrePoint middle;
    double length = 2.0 * (ARM + A) + acos(-1.0) * ARC;
    assert_int_equal(cps_world_fibre_at(world, cps_world_fibre(world, 0), 0.5 * length, &middle), CPS_OK);
    // it sags between the pegs, hung on both of them
    assert_true(middle.position.z > -0.1);
    cps_world_destroy(world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_rope_stays_on_its_pegs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
