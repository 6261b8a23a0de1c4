// Energies, gradients and second derivatives of sheets: by differences, for every law; rigid motion; the patch test; the same bits
// for any number of threads.
// labels: threads
#include <string.h>

#include "core/quat.h"
#include "sheet_setup.h"
#include "sparse/dense.h"

static const struct {
  CpsMembraneLaw membrane;
  CpsBendingLaw bending;
  bool orthotropic;
} LAWS[] = {
    {CPS_MEMBRANE_STVK, CPS_BENDING_PATCH, false},         {CPS_MEMBRANE_STVK, CPS_BENDING_PATCH, true},
    {CPS_MEMBRANE_NEO_HOOKEAN, CPS_BENDING_PATCH, false},  {CPS_MEMBRANE_NEO_HOOKEAN, CPS_BENDING_HINGE, true},
    {CPS_MEMBRANE_BARAFF_WITKIN, CPS_BENDING_WIDE, false}, {CPS_MEMBRANE_BARAFF_WITKIN, CPS_BENDING_HINGE, true},
};
enum { LAW_COUNT = sizeof LAWS / sizeof *LAWS };

// Membrane and bending of similar size, so that neither hides in the other's rounding.
static CpsSheetElastic* make_law(const Rectangle* r, int law) {
  CpsSheetDef def = sheet_of_rectangle(r);
  def.membrane = LAWS[law].membrane;
  def.bending_law = LAWS[law].bending;
  def.stretch[0] = 100.0, def.stretch[1] = LAWS[law].orthotropic ? 40.0 : 100.0;
  def.bending[0] = 0.3, def.bending[1] = LAWS[law].orthotropic ? 0.1 : 0.3;
  def.bending_poisson = 0.2;
  def.warp_angle = 0.4;
  if (LAWS[law].orthotropic) def.shear = 9.0, def.twisting = 0.05;
  CpsSheetPleat pleat = {r->across + 1, r->across + 2, 0.7};
  def.pleat_count = 1, def.pleats = &pleat;
  return make_elastic(&def);
}

static double total(CpsSheetElastic* s, const CpsVec3* x) {
  CpsSheetEnergy e = cps_sheet_energy(s, NULL, x);
  return e.membrane + e.bending;
}

// Central differences of the energy: error h^2 of the third derivative plus rounding of the energy over h.
static void forces_are_the_gradient_of_the_energy(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.2, 0.9, 4, 3);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    CpsVec3 *x = shaken(s, 0.08, 11), *g = zero_vectors(s);
    CpsSheetEnergy e = cps_sheet_gradient(s, NULL, x, g);
    assert_true(e.membrane > 0.0 && e.bending > 0.0);
    assert_near(e.membrane + e.bending, total(s, x), 1e-13 * (e.membrane + e.bending));
    double h = 1e-5, worst = 0.0, scale = 0.0;
    for (int64_t i = 0; i < 3 * (int64_t)s->mesh.node_count; ++i) {
      double* xi = (double*)x + i;
      double keep = *xi;
      *xi = keep + h;
      double up = total(s, x);
      *xi = keep - h;
      double down = total(s, x);
      *xi = keep;
      worst = fmax(worst, fabs((up - down) / (2.0 * h) - ((double*)g)[i]));
      scale = fmax(scale, fabs(((double*)g)[i]));
    }
    assert_below(worst, 2e-8 * scale);
    free(x);
    free(g);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

static void exact_matrix_is_the_derivative_of_the_gradient(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.2, 0.9, 4, 3);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    int64_t n = 3 * (int64_t)s->mesh.node_count;
    CpsVec3* x = shaken(s, 0.08, 12);
    double *value = zero_blocks(s), *up = calloc((size_t)n, sizeof *up), *down = calloc((size_t)n, sizeof *down);
    cps_sheet_hessian(s, NULL, x, CPS_HESSIAN_EXACT, 1.0, 1.0, value);
    double *H = dense_of(s, value), h = 1e-5, worst = 0.0, scale = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      double* xi = (double*)x + i;
      double keep = *xi;
      *xi = keep + h;
      cps_sheet_gradient(s, NULL, x, (CpsVec3*)up);
      *xi = keep - h;
      cps_sheet_gradient(s, NULL, x, (CpsVec3*)down);
      *xi = keep;
      for (int64_t j = 0; j < n; ++j) {
        worst = fmax(worst, fabs((up[j] - down[j]) / (2.0 * h) - H[n * i + j]));
        scale = fmax(scale, fabs(H[n * i + j]));
      }
    }
    assert_below(worst, 2e-7 * scale);
    free(H);
    free(value);
    free(up);
    free(down);
    free(x);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// Strains of a law that leave `area` of the area of a triangle.
static void crushed(double area, CpsRandom* random, double strain[3]) {
  const double a = 0.3 + cps_random_uniform(random), c = 0.2 * cps_random_uniform(random);
  strain[0] = 0.5 * (a - 1.0);
  strain[1] = 0.5 * ((area * area + c * c) / a - 1.0);
  strain[2] = c;
}

// A triangle that is pressed to a line takes energy without bound, whatever the law; stress and tangent are its derivatives there too.
static void no_law_lets_a_triangle_collapse(void** state) {
  (void)state;
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetDef def = cps_sheet_def_default();
    def.membrane = LAWS[law].membrane;
    def.stretch[0] = 100.0, def.stretch[1] = LAWS[law].orthotropic ? 40.0 : 100.0;
    const CpsMembrane m = cps_membrane_make(&def);
    CpsRandom random = cps_random_seed(5);
    double last = 0.0, strain[3];
    for (double area = 0.09; area > 1e-3; area *= 0.3) {
      crushed(area, &random, strain);
      const CpsMembraneStress at = cps_membrane_stress(&m, strain);
      const double h = 1e-3 * area * area;
      for (int i = 0; i < 3; ++i) {
        double up[3] = {strain[0], strain[1], strain[2]}, down[3] = {strain[0], strain[1], strain[2]};
        up[i] += h, down[i] -= h;
        const CpsMembraneStress one = cps_membrane_stress(&m, up), two = cps_membrane_stress(&m, down);
        // differences: h^2 of the third derivative, and rounding of the energy over h
        const double size = fmax(fabs(at.S[i]), 1.0), rounding = 1e-13 * fmax(at.energy, 1.0) / h;
        assert_near((one.energy - two.energy) / (2.0 * h), at.S[i], 1e-4 * size + rounding);
        for (int k = 0; k < 3; ++k) {
          const double stiff = fmax(fabs(at.tangent[k][i]), 1.0);
          assert_near((one.S[k] - two.S[k]) / (2.0 * h), at.tangent[k][i], 1e-4 * stiff + 1e-13 * fabs(at.S[k]) / h);
        }
      }
      last = at.energy;
    }
    assert_true(last > (m.law == CPS_MEMBRANE_NEO_HOOKEAN ? 30.0 : 1000.0));
    strain[1] = 0.5 * (strain[2] * strain[2] / (1.0 + 2.0 * strain[0]) - 1.0) - 1e-6;
    assert_true(isinf(cps_membrane_stress(&m, strain).energy));
  }
}

// Damping without its matrix is the turned second derivatives times velocities, on a sheet that is bent, stretched and turned.
static void damping_is_its_matrix_times_velocities(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.2, 0.9, 4, 3);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    const int32_t nodes = s->mesh.node_count;
    CpsVec3 *x = shaken(s, 0.1, 21), *u = shaken(s, 1.0, 22), *got = zero_vectors(s), *asked = zero_vectors(s);
    CpsVec3* other = zero_vectors(s);
    double* value = zero_blocks(s);
    cps_sheet_hessian(s, NULL, x, CPS_HESSIAN_TURNED, 0.3, 2.0, value);
    for (int32_t i = 0; i < nodes; ++i) got[i] = asked[i] = (CpsVec3){1.0, 2.0, 3.0};  // added to what is there
    cps_block_pattern_multiply(&s->pattern, value, &u->x, &asked->x);
    cps_sheet_lay(s, NULL, x);
    cps_sheet_gradient(s, NULL, u, other);  // somewhere else in between
    cps_sheet_resist(s, NULL, u, 0.3, 2.0, got);
    double worst = 0.0, scale = 0.0;
    for (int32_t i = 0; i < nodes; ++i) {
      worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(got[i], asked[i])));
      scale = fmax(scale, cps_vec3_norm(asked[i]));
    }
    assert_below(worst, 1e-13 * scale);
    free(x);
    free(u);
    free(got);
    free(asked);
    free(other);
    free(value);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// Strongly crushed and crumpled shapes: the exact matrix is indefinite, the clamped one is not.
static void clamped_matrix_has_no_negative_eigenvalue(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 3, 3);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    size_t n = 3 * (size_t)s->mesh.node_count;
    CpsVec3* x = shaken(s, 0.1, 13);
    for (int32_t i = 0; i < s->mesh.node_count; ++i) x[i].x *= 0.6;
    double least[3];
    for (int kind = 0; kind < 3; ++kind) {
      double *value = zero_blocks(s), *lambda = calloc(n, sizeof *lambda), *V = calloc(n * n, sizeof *V);
      cps_sheet_hessian(s, NULL, x, (CpsHessianKind)kind, 1.0, 1.0, value);
      double* H = dense_of(s, value);
      cps_dense_symmetric_eigen((int)n, H, lambda, V);
      least[kind] = lambda[0] / lambda[n - 1];
      free(value);
      free(lambda);
      free(V);
      free(H);
    }
    assert_true(least[CPS_HESSIAN_CLAMPED] > -1e-12);
    assert_true(least[CPS_HESSIAN_EXACT] < -1e-3);
    assert_true(least[CPS_HESSIAN_TURNED] > -1e-12);
    free(x);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// Of a sheet that is turned and stretched alike in all directions: H (omega x x) is the turn of its stress by the matrix of the energy, and
// nothing by the one for damping.
static void turned_matrix_resists_no_turn(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.2, 0.9, 4, 3);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    const int64_t n = 3 * (int64_t)s->mesh.node_count;
    CpsVec3 *x = calloc((size_t)n, sizeof *x), *v = calloc((size_t)n, sizeof *v), w = {0.3, -0.7, 0.5};
    const CpsQuat turn = cps_quat_exp(cps_vec3(0.4, 1.1, -0.6));
    double resisted[2];
    for (int32_t i = 0; i < s->mesh.node_count; ++i) {
      x[i] = cps_vec3_scale(1.2, cps_quat_rotate(turn, s->mesh.place[i]));
      v[i] = cps_vec3_cross(w, x[i]);
    }
    for (int k = 0; k < 2; ++k) {
      double *value = zero_blocks(s), *y = calloc((size_t)n, sizeof *y), worst = 0.0, scale = 0.0;
      cps_sheet_hessian(s, NULL, x, k ? CPS_HESSIAN_TURNED : CPS_HESSIAN_CLAMPED, 1.0, 1.0, value);
      cps_block_pattern_multiply(&s->pattern, value, (const double*)v, y);
      for (int64_t i = 0; i < n; ++i) worst = fmax(worst, fabs(y[i]));
      for (int64_t i = 0; i < 9 * s->pattern.start[s->pattern.rows]; ++i) scale = fmax(scale, fabs(value[i]));
      resisted[k] = worst / scale;
      free(value);
      free(y);
    }
    assert_true(resisted[0] > 1e-2);
    assert_below(resisted[1], 1e-13);
    free(x);
    free(v);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// Turned and moved as a whole, a sheet has no energy and no force beyond rounding of the strain: forces relative to stiffness.
static void rigid_motion_makes_no_force(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 6, 6);
  CpsQuat q = cps_quat_exp(cps_vec3(0.4, -1.1, 2.0));
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetDef def = sheet_of_rectangle(&r);
    def.membrane = LAWS[law].membrane;
    def.bending_law = LAWS[law].bending;
    CpsSheetElastic* s = make_elastic(&def);
    CpsVec3 *x = shaken(s, 0.0, 1), *g = zero_vectors(s);
    for (int32_t i = 0; i < s->mesh.node_count; ++i)
      x[i] = cps_vec3_add(cps_quat_rotate(q, x[i]), cps_vec3(0.3, 0.2, -0.7));
    CpsSheetEnergy e = cps_sheet_gradient(s, NULL, x, g);
    double worst = 0.0;
    for (int32_t i = 0; i < s->mesh.node_count; ++i) worst = fmax(worst, cps_vec3_norm(g[i]));
    assert_below(worst, 1e-12 * def.stretch[0]);
    assert_below(fabs(e.membrane) + fabs(e.bending), 1e-12);
    free(x);
    free(g);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// A uniform deformation has the stress of the law in every triangle and no force at inner nodes, on any mesh.
static void patch_test(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 6, 6);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    CpsVec3 *x = shaken(s, 0.0, 1), *g = zero_vectors(s);
    memset(s->mesh.rest_angle, 0, (size_t)s->mesh.hinge_count * sizeof(double));
    for (int32_t i = 0; i < s->mesh.node_count; ++i) {
      CpsVec3 p = x[i];
      x[i] = cps_vec3(1.2 * p.x + 0.1 * p.y, 0.9 * p.y - 0.05 * p.x, 0.3 * p.x - 0.2 * p.y);
    }
    cps_sheet_gradient(s, NULL, x, g);
    CpsSheetLook first, look;
    cps_sheet_look(s, x, 0, &first);
    for (int32_t t = 0; t < s->mesh.triangle_count; ++t) {
      cps_sheet_look(s, x, t, &look);
      for (int k = 0; k < 2; ++k) {
        assert_near(look.stretch[k], first.stretch[k], 1e-12);
        assert_near(look.tension[k], first.tension[k], 1e-12 * 100.0);
        assert_near(look.curvature[k], 0.0, 1e-12);
      }
    }
    for (int j = 1; j < r.along - 1; ++j) {
      for (int i = 1; i < r.across - 1; ++i) assert_below(cps_vec3_norm(g[j * r.across + i]), 1e-12 * 100.0);
    }
    free(x);
    free(g);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// Forces of a free body have no sum and no moment.
static void inner_forces_are_in_balance(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 5, 5);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    CpsVec3 *x = shaken(s, 0.06, 3), *g = zero_vectors(s);
    cps_sheet_gradient(s, NULL, x, g);
    CpsVec3 sum = {0, 0, 0}, moment = {0, 0, 0};
    double size = 0.0;
    for (int32_t i = 0; i < s->mesh.node_count; ++i) {
      sum = cps_vec3_add(sum, g[i]);
      moment = cps_vec3_add(moment, cps_vec3_cross(x[i], g[i]));
      size += cps_vec3_norm(g[i]);
    }
    assert_below(cps_vec3_norm(sum), 1e-13 * size);
    assert_below(cps_vec3_norm(moment), 1e-13 * size);
    free(x);
    free(g);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 24, 20);
  for (int law = 0; law < LAW_COUNT; ++law) {
    CpsSheetElastic* s = make_law(&r, law);
    size_t nodes = (size_t)s->mesh.node_count, blocks = 9 * (size_t)s->pattern.start[s->pattern.rows];
    CpsVec3 *x = shaken(s, 0.01, 5), *g = calloc(2 * nodes, sizeof *g), *d = calloc(2 * nodes, sizeof *d);
    double* value = calloc(2 * blocks, sizeof *value);
    CpsSheetEnergy alone = cps_sheet_gradient(s, NULL, x, g);
    cps_sheet_hessian(s, NULL, x, CPS_HESSIAN_CLAMPED, 0.7, 0.3, value);
    cps_sheet_lay(s, NULL, x);
    cps_sheet_resist(s, NULL, x, 0.7, 0.3, d);
    for (int threads = 2; threads <= 4; ++threads) {
      CpsPool* pool = cps_pool_create(threads);
      memset(value + blocks, 0, blocks * sizeof *value);
      CpsSheetEnergy together = cps_sheet_gradient(s, pool, x, g + nodes);
      cps_sheet_hessian(s, pool, x, CPS_HESSIAN_CLAMPED, 0.7, 0.3, value + blocks);
      memset(d + nodes, 0, nodes * sizeof *d);
      cps_sheet_lay(s, pool, x);
      cps_sheet_resist(s, pool, x, 0.7, 0.3, d + nodes);
      assert_memory_equal(d, d + nodes, nodes * sizeof *d);
      assert_memory_equal(&alone, &together, sizeof alone);
      assert_memory_equal(g, g + nodes, nodes * sizeof *g);
      assert_memory_equal(value, value + blocks, blocks * sizeof *value);
      cps_pool_destroy(pool);
    }
    free(x);
    free(g);
    free(d);
    free(value);
    cps_sheet_elastic_destroy(s);
  }
  free_rectangle(&r);
}

// Columns ascend, the diagonal is last, and the product is that of the whole matrix.
static void pattern_is_the_lower_triangle(void** state) {
  (void)state;
  Rectangle r = make_rectangle(MESH_JITTERED, 1.0, 1.0, 5, 4);
  CpsSheetElastic* s = make_law(&r, 0);
  const CpsBlockPattern* p = &s->pattern;
  for (int32_t i = 0; i < p->rows; ++i) {
    assert_int_equal(p->col[p->start[i + 1] - 1], i);
    for (int64_t k = p->start[i] + 1; k < p->start[i + 1]; ++k) assert_true(p->col[k - 1] < p->col[k]);
  }
  int64_t n = 3 * (int64_t)p->rows;
  CpsVec3* x = shaken(s, 0.05, 9);
  double *value = zero_blocks(s), *y = calloc((size_t)n, sizeof *y);
  cps_sheet_hessian(s, NULL, x, CPS_HESSIAN_CLAMPED, 1.0, 1.0, value);
  double* A = dense_of(s, value);
  cps_block_pattern_multiply(p, value, (const double*)x, y);
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0.0, size = 0.0;
    for (int64_t j = 0; j < n; ++j) sum += A[n * i + j] * ((double*)x)[j], size += fabs(A[n * i + j] * ((double*)x)[j]);
    assert_near(y[i], sum, 1e-14 * size);
  }
  double before = value[9 * (p->start[3] - 1) + 4];
  cps_sheet_add_mass(s, 2.0, value);
  assert_near(value[9 * (p->start[3] - 1) + 4] - before, 2.0 * s->mass[2], 1e-12);
  assert_near(s->total_mass, 0.2, 1e-15);
  free(A);
  free(value);
  free(y);
  free(x);
  cps_sheet_elastic_destroy(s);
  free_rectangle(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_the_gradient_of_the_energy),
      cmocka_unit_test(exact_matrix_is_the_derivative_of_the_gradient),
      cmocka_unit_test(no_law_lets_a_triangle_collapse),
      cmocka_unit_test(damping_is_its_matrix_times_velocities),
      cmocka_unit_test(clamped_matrix_has_no_negative_eigenvalue),
      cmocka_unit_test(turned_matrix_resists_no_turn),
      cmocka_unit_test(rigid_motion_makes_no_force),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(inner_forces_are_in_balance),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(pattern_is_the_lower_triangle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
