// Drag: terminal velocity, wind, derivatives, the same bits for any number of threads.
// labels: threads
#include "model/sheet_drag.h"

#include <string.h>

#include "sheet_setup.h"
#include "sparse/dense.h"

static const CpsSheetAir AIR = {1.2, 1.1, 0.05, {3.0, -1.0, 0.5}};

static CpsVec3* random_velocities(const CpsSheetElastic* s) {
  CpsVec3* v = zero_vectors(s);
  CpsRandom random = cps_random_seed(4);
  for (int64_t i = 0; i < 3 * (int64_t)s->mesh.node_count; ++i)
    ((double*)v)[i] = 4.0 * cps_random_uniform(&random) - 2.0;
  return v;
}

// A flat sheet that falls with rho g = c_n rho_air v^2/2 is in balance, and one that goes with the wind feels nothing.
static void weight_and_drag_are_in_balance_at_terminal_velocity(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 5, 4);
  CpsSheetDef def = sheet_of_rectangle(&r);
  CpsSheetElastic* s = make_elastic(&def);
  CpsSheetAir air = {.density = 1.2, .across = 1.3, .along = 0.1};
  CpsVec3 *v = zero_vectors(s), *f = zero_vectors(s);
  double speed = sqrt(2.0 * def.density * 9.81 / (air.across * air.density));
  for (int32_t n = 0; n < s->mesh.node_count; ++n) v[n].z = -speed;
  cps_sheet_drag(s, NULL, &air, s->mesh.place, v, f);
  for (int32_t n = 0; n < s->mesh.node_count; ++n) {
    assert_near(f[n].z, 9.81 * s->mass[n], 1e-14);
    assert_near(f[n].x, 0.0, 1e-18);
  }
  air.wind = (CpsVec3){0.0, 0.0, -speed};
  memset(f, 0, (size_t)s->mesh.node_count * sizeof *f);
  cps_sheet_drag(s, NULL, &air, s->mesh.place, v, f);
  for (int32_t n = 0; n < s->mesh.node_count; ++n) assert_below(cps_vec3_norm(f[n]), 1e-20);
  free(v);
  free(f);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
}

static void matrix_is_the_derivative_by_velocities(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 4, 3);
  CpsSheetDef def = sheet_of_rectangle(&r);
  CpsSheetElastic* s = make_elastic(&def);
  size_t n = 3 * (size_t)(uint32_t)s->mesh.node_count;
  CpsVec3 *x = shaken(s, 0.1, 2), *v = random_velocities(s), *up = zero_vectors(s), *down = zero_vectors(s);
  double* value = zero_blocks(s);
  cps_sheet_drag_matrix(s, NULL, &AIR, x, v, 1.0, value);
  double *D = dense_of(s, value), h = 1e-4;
  for (size_t i = 0; i < n; ++i) {
    double* vi = (double*)v + i;
    double keep = *vi;
    memset(up, 0, n * sizeof(double));
    memset(down, 0, n * sizeof(double));
    *vi = keep + h;
    cps_sheet_drag(s, NULL, &AIR, x, v, up);
    *vi = keep - h;
    cps_sheet_drag(s, NULL, &AIR, x, v, down);
    *vi = keep;
    for (size_t j = 0; j < n; ++j) {
      double slope = (((double*)up)[j] - ((double*)down)[j]) / (2.0 * h);
      assert_near(-D[n * i + j], slope, 1e-9);
    }
  }
  double *lambda = calloc(n, sizeof *lambda), *V = calloc(n * n, sizeof *V);
  cps_dense_symmetric_eigen((int)n, D, lambda, V);
  assert_true(lambda[0] > -1e-14);
  free(lambda);
  free(V);
  free(D);
  free(value);
  free(x);
  free(v);
  free(up);
  free(down);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 20, 17);
  CpsSheetDef def = sheet_of_rectangle(&r);
  CpsSheetElastic* s = make_elastic(&def);
  size_t nodes = (size_t)(uint32_t)s->mesh.node_count, blocks = 9 * (size_t)s->pattern.start[s->pattern.rows];
  CpsVec3 *x = shaken(s, 0.02, 2), *v = random_velocities(s), *f = calloc(2 * nodes, sizeof *f);
  double* value = calloc(2 * blocks, sizeof *value);
  CpsPool* pool = cps_pool_create(3);
  cps_sheet_drag(s, NULL, &AIR, x, v, f);
  cps_sheet_drag(s, pool, &AIR, x, v, f + nodes);
  cps_sheet_drag_matrix(s, NULL, &AIR, x, v, 0.01, value);
  cps_sheet_drag_matrix(s, pool, &AIR, x, v, 0.01, value + blocks);
  assert_memory_equal(f, f + nodes, nodes * sizeof *f);
  assert_memory_equal(value, value + blocks, blocks * sizeof *value);
  cps_pool_destroy(pool);
  free(x);
  free(v);
  free(f);
  free(value);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weight_and_drag_are_in_balance_at_terminal_velocity),
      cmocka_unit_test(matrix_is_the_derivative_by_velocities),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
