// labels: threads release
// Fibres of every model in one heap: the state has the same bits for any number of threads.
#include "core/random.h"
#include "rod_helpers.h"
#include "world/world.h"

#include <stdlib.h>

// A heap of rods of all models but the explicit one, which needs shorter steps, with contacts among them: the bytes of the state after some steps.
static unsigned char* heap_after(int threads, int steps, size_t* size) {
  CpsWorldDef settings = cps_world_def_default();
  settings.threads = threads;
  settings.step = 2e-3;
  CpsWorld* world = make_world(&settings);
  add_floor(world);
  for (int i = 0; i < 2 * CPS_ROD_MODEL_COUNT; ++i) {
    CpsRodModel model = (CpsRodModel)(i % CPS_ROD_MODEL_COUNT);
    if (model == CPS_ROD_CORDE_EXPLICIT) continue;
    CpsFibreDef def = rod_at(model, 0.0, 0.0);
    CpsQuat turn = cps_quat_exp(cps_vec3(0.05 * (i % 3), 0, 0.7 * i));
    def.root_pose.rotation = cps_quat_multiply(turn, def.root_pose.rotation);
    def.root_pose.position = cps_vec3_add(cps_vec3(0.005 * (i % 4), 0.004 * (i % 3), 0.02 + 0.008 * i),
                                          cps_quat_rotate(def.root_pose.rotation, cps_vec3(-0.1, 0, 0)));
    add(world, &def);
  }
  assert_true(steps_with_contacts(world, steps) > 0);
  *size = cps_world_state_size(world);
  unsigned char* bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(cps_world_save(world, bytes, *size, NULL), CPS_OK);
  cps_world_destroy(world);
  return bytes;
}

// Rods that hang from the points of a sunflower and bend into each other: one island of some thousand contacts.
static CpsWorld* make_brush(int threads) {
  const double pi = acos(-1.0), radius = 5e-4, length = 0.2;
  CpsWorldDef settings = cps_world_def_default();
  settings.threads = threads;
  settings.solver.tolerance = 1e-3;
  CpsWorld* world = make_world(&settings);
  CpsRandom random = cps_random_seed(1);
  for (int i = 0; i < 300; ++i) {
    double r = radius * sqrt(5.0 * (i + 1)), angle = i * pi * (3.0 - sqrt(5.0)),
           to = 2.0 * pi * cps_random_uniform(&random);
    CpsVec3 points[2] = {{r * cos(angle), r * sin(angle), 0.0}, {r * cos(angle), r * sin(angle), -length}};
    CpsVec3 natural = {0.0, 14.0 * cos(to), 14.0 * sin(to)};
    CpsFibreDef rod = cps_fibre_def_default();
    rod.points = points;
    rod.point_count = 2;
    rod.natural = &natural;
    rod.natural_count = 1;
    rod.radius = radius;
    rod.young = 1e8;
    rod.root.kind = CPS_END_CLAMPED;
    rod.contact_start = 0.01;
    add(world, &rod);
  }
  return world;
}

// Contacts between the first and the last contact of a body, mean over the bodies of an island.
static double mean_span(const CpsFactoredForm* form, int32_t count) {
  double sum = 0.0;
  for (int32_t body = 0; body < form->body_count; ++body) {
    int32_t first = -1, last = -1;
    for (int32_t i = 0; i < count; ++i) {
      for (int64_t t = form->contact_start[i]; t < form->contact_start[i + 1]; ++t) {
        if (form->body[t] != body) continue;
        if (first < 0) first = i;
        last = i;
      }
    }
    sum += last - first;
  }
  return sum / form->body_count;
}

// Neighbours of such an island lie near each other. 300 rods fill a disc of some 20 across: the rods that touch one are found
// within two of 20 levels of a search, so that its contacts span a tenth of all; without order they span most.
static void a_brush_is_ordered_with_the_same_bits(void** state) {
  (void)state;
  const int steps = 24;
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    CpsWorld* world = make_brush(threads);
    assert_true(steps_with_contacts(world, steps) > 0);
    const CpsContacts* c = &world->contacts;
    int32_t k = 0;
    while (k + 1 < c->island_count && c->island_start[k + 1] - c->island_start[k] < 2000) ++k;
    int32_t count = c->island_start[k + 1] - c->island_start[k];
    assert_true(count >= 2000);
    if (threads == 1) {
      CpsFactoredForm form = cps_island_form(c, k);
      assert_below(mean_span(&form, count), 0.15 * count);
      hash = cps_world_hash(world);
    }
    assert_true(cps_world_hash(world) == hash);
    cps_world_destroy(world);
  }
}

static void the_bits_do_not_depend_on_threads(void** state) {
  (void)state;
  const int steps = SANITIZED ? 30 : 60;
  size_t size, other_size;
  unsigned char* one = heap_after(1, steps, &size);
  for (int threads = 2; threads <= 3; ++threads) {
    unsigned char* other = heap_after(threads, steps, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(one, other, size);
    free(other);
  }
  free(one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_bits_do_not_depend_on_threads),
      cmocka_unit_test(a_brush_is_ordered_with_the_same_bits),
  };
  keep_to_threads("the_bits_*");  // the solver's own tests have the threads of large islands
  return cmocka_run_group_tests(tests, NULL, NULL);
}
