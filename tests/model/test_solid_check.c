// Definitions of solids that make no sense are refused with the place.
#include "solid_shapes.h"
#include "vertices.h"

#include <math.h>
#include <string.h>

typedef struct Case {
  CpsVec3 x[8];
  int32_t t[16];
  int32_t region[2];
  CpsSolidRegion other;
  CpsPin pins[2];
  int32_t held[2];
  CpsSolidDef def;
} Case;

// Two tetrahedra on one face.
static void make_case(Case* c) {
  *c = (Case){.x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, .t = {0, 1, 2, 3, 1, 4, 2, 3}};
  c->def = cps_solid_def_default();
  c->def.name = "jelly";
  c->def.vertex_count = 5, c->def.vertices = c->x;
  c->def.tetrahedron_count = 2, c->def.tetrahedra = c->t;
  c->other = cps_solid_region_default();
}

static void refuse(const Case* c, CpsStatus status, const char* part) {
  CpsError error = {""};
  assert_int_equal(cps_solid_check(&c->def, &error), status);
  if (!strstr(error.text, part)) fail_msg("'%s' is not in '%s'", part, error.text);
}

static void meshes_that_make_no_solid_are_refused(void** state) {
  (void)state;
  Case c;
  make_case(&c);
  assert_int_equal(cps_solid_check(&c.def, NULL), CPS_OK);
  c.def.cookie = 0;
  refuse(&c, CPS_BAD_ARGUMENT, "cps_solid_def_default()");
  make_case(&c), c.def.vertex_count = 3;
  refuse(&c, CPS_BAD_ARGUMENT, "solid jelly has 3 vertices");
  make_case(&c), c.def.tetrahedra = NULL;
  refuse(&c, CPS_BAD_ARGUMENT, "solid jelly has 0 tetrahedra");
  make_case(&c), c.t[5] = 5;
  refuse(&c, CPS_BAD_DATA, "solid jelly: tetrahedron 1 has vertex 5, there are 5");
  make_case(&c), c.t[5] = 1;
  refuse(&c, CPS_BAD_DATA, "solid jelly: tetrahedron 1 has vertex 1 twice");
  make_case(&c), c.def.vertex_count = 6;
  refuse(&c, CPS_BAD_DATA, "vertex 5 at (0, 0, 0) belongs to no tetrahedron");
  make_case(&c), c.t[0] = 1, c.t[1] = 0;
  refuse(&c, CPS_BAD_DATA, "tetrahedron 0 (1 0 2 3) near (1, 0, 0) is inside out");
  make_case(&c), c.x[3].z = 1e-12;
  refuse(&c, CPS_BAD_DATA, "is flat");
  make_case(&c), c.x[2].y = NAN;
  refuse(&c, CPS_BAD_DATA, "vertex 2 is not finite");
  make_case(&c);
  const int32_t three[12] = {0, 1, 2, 3, 1, 4, 2, 3, 1, 5, 2, 3};
  memcpy(c.t, three, sizeof three);
  c.x[5] = (CpsVec3){2, 2, 2}, c.def.vertex_count = 6, c.def.tetrahedron_count = 3;
  refuse(&c, CPS_BAD_DATA, "the face of vertices 1, 2 and 3 belongs to 3 tetrahedra");
  make_case(&c);  // the second one on the side of the first
  memcpy(c.t + 4, c.t, 4 * sizeof *c.t);
  c.def.vertex_count = 4;
  refuse(&c, CPS_BAD_DATA, "tetrahedra 0 and 1 overlap: both are on the same side of the face of vertices 0, 1 and 2");
  make_case(&c);  // the second one has a vertex of its own where the first has vertex 3
  for (int k = 4; k < 8; ++k) {
    if (c.t[k] == 3) c.t[k] = 5;
  }
  c.x[5] = c.x[3], c.def.vertex_count = 6;
  refuse(&c, CPS_BAD_DATA, "vertices 3 and 5 are both at (0, 0, 1); join them");
  c.def.contact = false;
  assert_int_equal(cps_solid_check(&c.def, NULL), CPS_OK);
}

static void numbers_out_of_range_are_refused(void** state) {
  (void)state;
  Case c;
  make_case(&c), c.def.matter.poisson = 0.5;
  refuse(&c, CPS_BAD_DATA, "poisson is 0.5; it must be above -1 and below 0.5");
  make_case(&c), c.def.matter.young = 0.0;
  refuse(&c, CPS_BAD_DATA, "young (Pa) is 0");
  make_case(&c), c.def.matter.density = NAN;
  refuse(&c, CPS_BAD_DATA, "density (kg/m^3) is nan");
  make_case(&c), c.def.matter.damping = -1.0;
  refuse(&c, CPS_BAD_DATA, "damping (s) is -1");
  make_case(&c), c.def.matter.law = (CpsSolidLaw)9;
  refuse(&c, CPS_BAD_ARGUMENT, "an unknown law");
  make_case(&c), c.def.matter.cookie = 0;
  refuse(&c, CPS_BAD_ARGUMENT, "cps_solid_region_default()");
  make_case(&c), c.def.radius = 0.0;
  refuse(&c, CPS_BAD_DATA, "radius (m) is 0");
  make_case(&c), c.def.mu = -0.1;
  refuse(&c, CPS_BAD_DATA, "mu is -0.1");
  make_case(&c), c.def.spin.x = INFINITY;
  refuse(&c, CPS_BAD_DATA, "its velocity or spin is not finite");
  make_case(&c), c.def.region_count = 1;
  refuse(&c, CPS_BAD_ARGUMENT, "declares 1 regions but has no array");
  make_case(&c), c.def.region_count = 1, c.def.regions = &c.other, c.def.region = c.region, c.region[1] = 2;
  refuse(&c, CPS_BAD_DATA, "tetrahedron 1 is in region 2, but there are only 1 regions");
  make_case(&c), c.def.region_count = 1, c.def.regions = &c.other, c.other.poisson = 0.7;
  refuse(&c, CPS_BAD_DATA, "poisson is 0.7");
}

static void pins_are_checked(void** state) {
  (void)state;
  Case c;
  make_case(&c);
  c.pins[0] = c.pins[1] = cps_pin_default();
  c.pins[0].vertices = c.pins[1].vertices = c.held;
  c.pins[0].vertex_count = c.pins[1].vertex_count = 1;
  c.held[0] = 4;
  c.def.pins = c.pins, c.def.pin_count = 2;
  refuse(&c, CPS_BAD_DATA, "solid jelly: pins 0 and 1 both hold vertex 4");
  c.pins[0].until = c.pins[1].from = 1.0;
  assert_int_equal(cps_solid_check(&c.def, NULL), CPS_OK);
  c.held[0] = 5;
  refuse(&c, CPS_BAD_DATA, "pin 0 holds vertex 5, there are 5");
  c.def.pins = NULL;
  refuse(&c, CPS_BAD_ARGUMENT, "declares 2 pins but has no array");
}

static void laws_have_names(void** state) {
  (void)state;
  for (int i = 0; i < CPS_SOLID_LAW_COUNT; ++i) {
    CpsSolidLaw law = CPS_SOLID_LAW_COUNT;
    assert_true(cps_solid_law_find(cps_solid_law_name((CpsSolidLaw)i), &law));
    assert_int_equal(law, i);
  }
  assert_null(cps_solid_law_name(CPS_SOLID_LAW_COUNT));
  assert_false(cps_solid_law_find("jelly", NULL));
  assert_false(cps_solid_law_find(NULL, NULL));
}

// What a world says of solids that are not there.
static void stale_names_are_refused(void** state) {
  (void)state;
  CpsWorldDef settings = cps_world_def_default();
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&settings, &world, NULL), CPS_OK);
  Case c;
  make_case(&c);
  CpsSolidId id;
  CpsSolidInfo info;
  CpsVec3 x[5];
  double stress[12];
  CpsError error;
  c.def.material = 3;
  assert_int_equal(cps_world_add_solid(world, &c.def, &id, &error), CPS_BAD_ARGUMENT);
  c.def.material = 0;
  assert_int_equal(cps_world_add_solid(NULL, &c.def, &id, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_add_solid(world, &c.def, &id, &error), CPS_OK);
  assert_int_equal(cps_world_solid_count(world), 1);
  assert_int_equal(cps_world_solid(world, 0).generation, id.generation);
  assert_int_equal(cps_world_solid(world, 1).generation, 0);
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  assert_near(info.rest_volume, 0.5, 1e-15);
  assert_near(info.mass, 500.0, 1e-12);
  assert_int_equal(info.triangle_count, 6);
  assert_non_null(cps_world_solid_triangles(world, id));
  assert_memory_equal(cps_world_solid_tetrahedra(world, id), c.t, 8 * sizeof *c.t);
  assert_int_equal(cps_world_array(world, cps_thing_solid(id), CPS_QUANTITY_POSITION, &x->x, 1), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_solid_stress(world, id, stress), CPS_OK);
  x[0].x = NAN;
  assert_int_equal(set_vertices(world, cps_thing_solid(id), x, NULL, &error), CPS_BAD_DATA);
  assert_int_equal(cps_world_remove_solid(world, id, &error), CPS_OK);
  assert_int_equal(cps_world_remove_solid(world, id, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_BAD_ARGUMENT);
  assert_int_equal(vertices_of(world, cps_thing_solid(id), x, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(set_vertices(world, cps_thing_solid(id), x, NULL, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_world_solid_stress(world, id, stress), CPS_BAD_ARGUMENT);
  assert_null(cps_world_solid_triangles(world, id));
  assert_null(cps_world_solid_tetrahedra(world, id));
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_that_make_no_solid_are_refused),
      cmocka_unit_test(numbers_out_of_range_are_refused),
      cmocka_unit_test(pins_are_checked),
      cmocka_unit_test(laws_have_names),
      cmocka_unit_test(stale_names_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
