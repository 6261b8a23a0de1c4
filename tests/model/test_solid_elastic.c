// The elasticity of solids: energies, stresses and second derivatives by differences, for every law; closed forms of uniaxial
// stretch; the patch test; rigid motion; the bound of a line search; the same bits for any number of threads.
// labels: threads
#include <math.h>
#include <string.h>

#include "core/quat.h"
#include "model/solid_elastic.h"
#include "solid_shapes.h"
#include "sparse/dense.h"

static CpsSolidMatter matter_of(CpsSolidLaw law, double young, double poisson) {
  CpsSolidRegion region = cps_solid_region_default();
  region.law = law;
  region.young = young;
  region.poisson = poisson;
  return cps_solid_matter(&region);
}

static CpsSolidElastic* make(const CpsSolidDef* def) {
  CpsError error;
  CpsSolidElastic* s = NULL;
  if (cps_solid_check(def, &error) != CPS_OK || cps_solid_elastic_create(def, &s, &error) != CPS_OK) {
    fail_msg("%s", error.text);
  }
  return s;
}

static CpsMat3 random_matrix(CpsRandom* random, double by) {
  CpsMat3 F = cps_mat3_identity();
  for (int i = 0; i < 9; ++i) F.m[i] += by * (2.0 * cps_random_uniform(random) - 1.0);
  return F;
}

static double between(CpsRandom* random) {
  return 2.0 * cps_random_uniform(random) - 1.0;
}

// F = U diag(s) V^T with rotations, also where F is singular, turned inside out, or has equal stretches.
static void decompositions_give_the_matrix_back(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  for (int k = 0; k < 400; ++k) {
    CpsMat3 F = random_matrix(&random, k < 300 ? 2.0 : 1e-9), U, V, D = {0}, Q;
    if (k % 10 == 1) memcpy(F.m + 3, F.m, 3 * sizeof *F.m);       // rank 2
    if (k % 10 == 2) F = cps_mat3_identity(), F.m[8] = -1.0;      // a mirror
    if (k % 10 == 3) memset(&F, 0, sizeof F);                     // nothing
    if (k % 10 == 4) F = cps_mat3_scale(1e-5, F), F.m[0] += 1.0;  // thin
    double s[3], value[3];
    cps_mat3_svd(&F, &U, s, &V);
    for (int i = 0; i < 3; ++i) D.m[4 * i] = s[i];
    CpsMat3 back = cps_mat3_multiply(cps_mat3_multiply(U, D), cps_mat3_transposed(V));
    for (int i = 0; i < 9; ++i) assert_near(back.m[i], F.m[i], 2e-15 * (1.0 + s[0]));
    assert_near(cps_mat3_det(&U), 1.0, 1e-14);
    assert_near(cps_mat3_det(&V), 1.0, 1e-14);
    assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]) - 1e-15 * s[0]);
    CpsMat3 A = cps_mat3_axpy(F, 1.0, cps_mat3_transposed(F));
    cps_mat3_eigen(&A, value, &Q);
    memset(&D, 0, sizeof D);
    for (int i = 0; i < 3; ++i) D.m[4 * i] = value[i];
    back = cps_mat3_multiply(cps_mat3_multiply(Q, D), cps_mat3_transposed(Q));
    for (int i = 0; i < 9; ++i) assert_near(back.m[i], A.m[i], 1e-14 * (1.0 + s[0]));
  }
}

// Stretches that a law allows: neo-hookean has no others than those with det F > 0.
static bool is_allowed(CpsSolidLaw law, const CpsMat3* F) {
  return law != CPS_SOLID_NEO_HOOKEAN || cps_mat3_det(F) > 0.2;
}

// Central differences, error h^2 of the next derivative plus rounding over h.
static void stress_is_the_derivative_of_the_energy(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(8);
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    CpsSolidMatter m = matter_of((CpsSolidLaw)law, 10.0, 0.3);
    for (int k = 0; k < 50; ++k) {
      CpsMat3 F = random_matrix(&random, 0.7), P;
      if (!is_allowed((CpsSolidLaw)law, &F)) continue;
      cps_solid_stress(&m, &F, &P);
      for (int i = 0; i < 9; ++i) {
        const double h = 1e-5;
        CpsMat3 up = F, down = F;
        up.m[i] += h, down.m[i] -= h;
        double slope = (cps_solid_stress(&m, &up, NULL) - cps_solid_stress(&m, &down, NULL)) / (2.0 * h);
        assert_near(slope, P.m[i], 1e-6);
      }
    }
  }
}

static void modes_are_the_derivative_of_the_stress(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(9);
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    CpsSolidMatter m = matter_of((CpsSolidLaw)law, 10.0, 0.3);
    bool negative = false;
    for (int k = 0; k < 60; ++k) {
      CpsMat3 F = random_matrix(&random, k < 50 ? 0.7 : 0.0);
      if (k >= 50) F = cps_mat3_scale(1.0 - 0.05 * (k - 49), F);  // three equal stretches
      if (!is_allowed((CpsSolidLaw)law, &F)) continue;
      if (law == CPS_SOLID_COROTATED && cps_mat3_det(&F) < 0.1) continue;  // its rotation jumps
      CpsSolidModes modes, clamped;
      cps_solid_modes(&m, &F, CPS_HESSIAN_EXACT, &modes);
      cps_solid_modes(&m, &F, CPS_HESSIAN_CLAMPED, &clamped);
      for (int i = 0; i < 9; ++i) {
        negative = negative || modes.value[i] < 0.0;
        assert_true(clamped.value[i] == fmax(modes.value[i], 0.0));
      }
      for (int i = 0; i < 9; ++i) {
        const double h = 1e-5;
        CpsMat3 up = F, down = F, P, Q;
        up.m[i] += h, down.m[i] -= h;
        cps_solid_stress(&m, &up, &P);
        cps_solid_stress(&m, &down, &Q);
        for (int j = 0; j < 9; ++j) {
          double sum = 0.0;
          for (int q = 0; q < 9; ++q) sum += modes.value[q] * modes.D[q].m[i] * modes.D[q].m[j];
          assert_near((P.m[j] - Q.m[j]) / (2.0 * h), sum, 2e-5);
        }
      }
    }
    assert_true(negative);
  }
}

// The lateral stretch without lateral stress, and the stress along the axis. Numbers of MATH 5.14, found there from the scalar
// equations; they are given with eight digits.
static void uniaxial_stretch_has_its_closed_form(void** state) {
  (void)state;
  static const struct {
    CpsSolidLaw law;
    double stretch, lateral, stress;
  } CASES[] = {
      {CPS_SOLID_NEO_HOOKEAN, 0.7, 1.10793473, -405230.42},
      {CPS_SOLID_NEO_HOOKEAN, 1.2, 0.94563262, 174929.15},
      {CPS_SOLID_NEO_HOOKEAN, 1.5, 0.88017459, 378280.18},
      {CPS_SOLID_NEO_HOOKEAN, 2.0, 0.79807754, 646744.66},
      {CPS_SOLID_STABLE_NEO_HOOKEAN, 0.7, 1.08529926, -372899.85},
      {CPS_SOLID_STABLE_NEO_HOOKEAN, 1.2, 0.94222296, 180009.18},
      {CPS_SOLID_STABLE_NEO_HOOKEAN, 1.5, 0.86708612, 404445.52},
      {CPS_SOLID_STABLE_NEO_HOOKEAN, 2.0, 0.77104534, 732113.42},
      {CPS_SOLID_COROTATED, 1.5, 0.85, 500000.0},
      {CPS_SOLID_COROTATED, 0.7, 1.09, -300000.0},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; ++k) {
    CpsSolidMatter m = matter_of(CASES[k].law, 1e6, 0.3);
    double low = 0.3, high = 2.0;
    CpsMat3 F = cps_mat3_identity(), P;
    F.m[0] = CASES[k].stretch;
    for (int i = 0; i < 200; ++i) {
      F.m[4] = F.m[8] = 0.5 * (low + high);
      cps_solid_stress(&m, &F, &P);
      *(P.m[4] < 0.0 ? &low : &high) = F.m[4];
    }
    assert_near(F.m[4], CASES[k].lateral, 6e-9);
    assert_near(P.m[0], CASES[k].stress, 1e-8 * 1e6);
    // Young's modulus and Poisson's ratio at small strains
    F.m[0] = 1.0 + 1e-5;
    F.m[4] = F.m[8] = 1.0 - 0.3e-5;
    cps_solid_stress(&m, &F, &P);
    assert_near(P.m[0], 10.0, 1e-3);
    assert_near(P.m[4], 0.0, 1e-3);
  }
}

static double* dense_of(const CpsBlockPattern* p, const double* value) {
  int64_t n = 3 * (int64_t)p->rows;
  double* A = calloc((size_t)(n * n), sizeof *A);
  for (int32_t i = 0; i < p->rows; ++i) {
    for (int64_t k = p->start[i]; k < p->start[i + 1]; ++k) {
      for (int e = 0; e < 9; ++e) {
        int64_t r = 3 * (int64_t)i + e / 3, c = 3 * (int64_t)p->col[k] + e % 3;
        A[n * r + c] = A[n * c + r] = value[9 * k + e];
      }
    }
  }
  return A;
}

static CpsVec3* shaken(const CpsSolidDef* def, double by) {
  CpsVec3* x = calloc((size_t)def->vertex_count, sizeof *x);
  CpsRandom random = cps_random_seed(21);
  for (int32_t i = 0; i < def->vertex_count; ++i) {
    x[i] = def->vertices[i];
    for (int c = 0; c < 3; ++c) (&x[i].x)[c] += by * (2.0 * cps_random_uniform(&random) - 1.0);
  }
  return x;
}

// Two regions of different matter; rows of the matrix against differences of the gradient, the gradient against the energy.
static void assembled_forces_and_matrix_fit_the_energy(void** state) {
  (void)state;
  Tets box = make_box(2, 2, 2, (CpsVec3){0, 0, 0}, (CpsVec3){1.0, 0.8, 1.2}, 0.2);
  CpsSolidRegion second = cps_solid_region_default();
  int32_t* region = calloc((size_t)box.tetrahedron_count, sizeof *region);
  for (int32_t t = 0; t < box.tetrahedron_count; ++t) region[t] = t % 2;
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    CpsSolidDef def = solid_of(&box);
    def.matter.law = second.law = (CpsSolidLaw)law;
    def.matter.young = 10.0, second.young = 4.0;
    def.region_count = 1, def.regions = &second, def.region = region;
    CpsSolidElastic* s = make(&def);
    const int64_t n = 3 * (int64_t)def.vertex_count;
    CpsVec3 *x = shaken(&def, 0.05), *g = calloc((size_t)n, sizeof(double));
    double *up = calloc((size_t)n, sizeof *up), *down = calloc((size_t)n, sizeof *down);
    double* value = calloc(9 * (size_t)s->pattern.start[def.vertex_count], sizeof *value);
    double energy = cps_solid_gradient(s, NULL, x, g), h = 1e-5;
    assert_true(energy > 0.0 && energy == cps_solid_gradient(s, NULL, x, NULL));
    cps_solid_hessian(s, NULL, x, CPS_HESSIAN_EXACT, 1.0, false, value);
    // two threads: the same bits
    CpsPool* pool = cps_pool_create(2);
    double* again = calloc(9 * (size_t)s->pattern.start[def.vertex_count], sizeof *again);
    cps_solid_hessian(s, pool, x, CPS_HESSIAN_EXACT, 1.0, false, again);
    assert_memory_equal(again, value, 9 * (size_t)s->pattern.start[def.vertex_count] * sizeof *again);
    assert_true(cps_solid_gradient(s, pool, x, (CpsVec3*)up) == energy);
    assert_memory_equal(up, g, (size_t)n * sizeof *up);
    free(again);
    cps_pool_destroy(pool);
    double* H = dense_of(&s->pattern, value);
    for (int64_t i = 0; i < n; ++i) {
      double *xi = &x[0].x + i, keep = *xi;
      *xi = keep + h;
      double more = cps_solid_gradient(s, NULL, x, (CpsVec3*)up);
      *xi = keep - h;
      double less = cps_solid_gradient(s, NULL, x, (CpsVec3*)down);
      *xi = keep;
      assert_near((more - less) / (2.0 * h), (&g[0].x)[i], 1e-8);
      for (int64_t j = 0; j < n; ++j) assert_near((up[j] - down[j]) / (2.0 * h), H[n * i + j], 1e-7);
    }
    free(H);
    free(value);
    free(up);
    free(down);
    free(x);
    free(g);
    cps_solid_elastic_destroy(s);
  }
  free(region);
  free_tets(&box);
}

// Crushed and shaken, the exact matrix has negative eigenvalues and the clamped one has none.
static void clamped_matrix_has_no_negative_eigenvalue(void** state) {
  (void)state;
  Tets box = make_box(2, 1, 1, (CpsVec3){0, 0, 0}, (CpsVec3){2.0, 1.0, 1.0}, 0.0);
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    CpsSolidDef def = solid_of(&box);
    def.matter.law = (CpsSolidLaw)law;
    CpsSolidElastic* s = make(&def);
    CpsVec3* x = shaken(&def, 0.05);
    const size_t n = 3 * (size_t)def.vertex_count;
    for (int32_t i = 0; i < def.vertex_count; ++i) x[i].x *= 0.4;
    double least[2];
    for (int kind = 0; kind < 2; ++kind) {
      double* value = calloc(9 * (size_t)s->pattern.start[def.vertex_count], sizeof *value);
      cps_solid_hessian(s, NULL, x, (CpsHessianKind)kind, 1.0, false, value);
      double *H = dense_of(&s->pattern, value), *lambda = calloc(n, sizeof *lambda), *V = calloc(n * n, sizeof *V);
      cps_dense_symmetric_eigen((int)n, H, lambda, V);
      least[kind] = lambda[0] / lambda[n - 1];
      free(value);
      free(H);
      free(lambda);
      free(V);
    }
    assert_true(least[CPS_HESSIAN_CLAMPED] > -1e-12);
    assert_true(least[CPS_HESSIAN_EXACT] < -1e-3);
    free(x);
    cps_solid_elastic_destroy(s);
  }
  free_tets(&box);
}

// What damping takes out of a motion, for elements as strained as they may be: nothing out of a turn of the whole. A twist of the frame is a
// turn only where two stretches are equal, so that without twists alone, strained elements resist turns.
static void damping_resists_no_turn_of_strained_elements(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(12);
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    const CpsSolidMatter m = matter_of((CpsSolidLaw)law, 10.0, 0.3);
    for (int k = 0; k < 100; ++k) {
      CpsMat3 F = random_matrix(&random, 0.9);
      if (k % 10 == 3) F = cps_mat3_scale(0.7, cps_mat3_identity());
      if (k % 10 == 4 && law != CPS_SOLID_NEO_HOOKEAN) memset(F.m + 3, 0, 6 * sizeof *F.m);  // a line
      if (!is_allowed((CpsSolidLaw)law, &F)) continue;
      CpsSolidModes modes;
      cps_solid_modes(&m, &F, CPS_HESSIAN_TURNED, &modes);
      const double w[3] = {between(&random), between(&random), between(&random)};
      const CpsMat3 turn = {{0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0}}, dF = cps_mat3_multiply(turn, F);
      double most = 0.0;
      for (int i = 0; i < 9; ++i) {
        double along = 0.0;
        for (int j = 0; j < 9; ++j) along += modes.D[i].m[j] * dF.m[j];
        for (int q = 0; q < 9; ++q) {
          double product = 0.0;
          for (int j = 0; j < 9; ++j) product += modes.D[i].m[j] * modes.D[q].m[j];
          assert_near(product, i == q ? 1.0 : 0.0, 1e-14);
        }
        assert_below(modes.value[i] * along * along, 1e-25 * (1.0 + modes.value[i]));
        most = fmax(most, modes.value[i]);
      }
      assert_true(most > 1.0);
    }
    // assembled, four elements at a time
    Tets box = make_box(2, 1, 1, (CpsVec3){0, 0, 0}, (CpsVec3){2.0, 1.0, 1.0}, 0.0);
    CpsSolidDef def = solid_of(&box);
    def.matter.law = (CpsSolidLaw)law;
    def.matter.young = 10.0, def.matter.damping = 1.0;
    CpsSolidElastic* s = make(&def);
    const int64_t n = 3 * (int64_t)def.vertex_count;
    CpsVec3 *x = shaken(&def, 0.15), *u = shaken(&def, 0.0);
    const CpsVec3 spin = cps_vec3(0.7, -0.4, 1.1);
    for (int32_t i = 0; i < def.vertex_count; ++i) x[i].x *= 1.7, u[i] = cps_vec3_cross(spin, x[i]);
    double* value = calloc(9 * (size_t)s->pattern.start[def.vertex_count], sizeof *value);
    cps_solid_hessian(s, NULL, x, CPS_HESSIAN_TURNED, 1.0, true, value);
    double *H = dense_of(&s->pattern, value), *lambda = calloc((size_t)n, sizeof *lambda);
    double* V = calloc((size_t)(n * n), sizeof *V);
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int64_t j = 0; j < n; ++j) sum += H[n * i + j] * (&u[0].x)[j];
      assert_below(fabs(sum), 1e-12);
    }
    cps_dense_symmetric_eigen((int)n, H, lambda, V);
    assert_true(lambda[0] > -1e-12);
    int nothing = 0;
    for (int64_t i = 0; i < n; ++i) nothing += lambda[i] < 1e-10;
    assert_int_equal(nothing, 6);  // rigid motions and no others
    free(H);
    free(lambda);
    free(V);
    free(value);
    free(x);
    free(u);
    cps_solid_elastic_destroy(s);
    free_tets(&box);
  }
}

// A uniform deformation has one stress everywhere and no force inside, on a jittered mesh; rotation alone has neither.
static void patch_test(void** state) {
  (void)state;
  Tets box = make_box(4, 3, 3, (CpsVec3){0, 0, 0}, (CpsVec3){1.0, 1.0, 1.0}, 0.2);
  const CpsMat3 A = {{1.2, 0.1, -0.05, 0.02, 0.9, 0.1, 0.0, -0.07, 1.05}};
  CpsQuat q = cps_quat_exp(cps_vec3(0.4, -1.1, 2.0));
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    CpsSolidDef def = solid_of(&box);
    def.matter.law = (CpsSolidLaw)law;
    CpsSolidElastic* s = make(&def);
    CpsVec3 *x = shaken(&def, 0.0), *g = shaken(&def, 0.0);
    for (int32_t i = 0; i < def.vertex_count; ++i) x[i] = cps_mat3_apply(A, def.vertices[i]);
    cps_solid_gradient(s, NULL, x, g);
    double first[6], stress[6];
    cps_solid_look(s, x, 0, first);
    for (int32_t t = 1; t < def.tetrahedron_count; ++t) {
      assert_near(cps_solid_look(s, x, t, stress), cps_mat3_det(&A), 1e-13);
      for (int c = 0; c < 6; ++c) assert_near(stress[c], first[c], 1e-12 * def.matter.young);
    }
    for (int k = 1; k < 3; ++k) {
      for (int j = 1; j < 3; ++j) {
        for (int i = 1; i < 4; ++i) {
          assert_below(cps_vec3_norm(g[box_vertex(4, 3, i, j, k)]), 1e-12 * def.matter.young);
        }
      }
    }
    for (int32_t i = 0; i < def.vertex_count; ++i) {
      x[i] = cps_vec3_add(cps_quat_rotate(q, def.vertices[i]), cps_vec3(0.3, 0.2, -0.7));
    }
    double energy = cps_solid_gradient(s, NULL, x, g);
    assert_below(fabs(energy), 1e-14 * def.matter.young);
    for (int32_t i = 0; i < def.vertex_count; ++i) assert_below(cps_vec3_norm(g[i]), 1e-13 * def.matter.young);
    free(x);
    free(g);
    cps_solid_elastic_destroy(s);
  }
  free_tets(&box);
}

// A bar stretched 1.5 times, free on its sides and turned in space: Cauchy's stress is P / lateral^2 along its axis, and nothing
// across; von Mises' is the same. Numbers of the closed form: E = 1 MPa, nu = 0.3. Pure shear tau has sqrt(3) tau.
static void cauchy_stress_of_a_turned_bar_is_its_axial_one(void** state) {
  (void)state;
  const double lateral[2] = {0.86708612, 0.88017459}, P[2] = {404445.52, 378280.18};
  Tets box = make_box(2, 1, 1, (CpsVec3){0, 0, 0}, (CpsVec3){2.0, 1.0, 1.0}, 0.0);
  CpsQuat q = cps_quat_exp(cps_vec3(0.4, -1.1, 2.0));
  CpsVec3 axis = cps_quat_rotate(q, cps_vec3(1.0, 0.0, 0.0));
  const double n[3] = {axis.x, axis.y, axis.z};
  for (int law = 0; law < 2; ++law) {
    CpsSolidDef def = solid_of(&box);
    def.matter.law = (CpsSolidLaw)law;
    def.matter.young = 1e6, def.matter.poisson = 0.3;
    CpsSolidElastic* s = make(&def);
    CpsVec3* x = shaken(&def, 0.0);
    for (int32_t i = 0; i < def.vertex_count; ++i) {
      CpsVec3 r = def.vertices[i];
      x[i] = cps_quat_rotate(q, cps_vec3(1.5 * r.x, lateral[law] * r.y, lateral[law] * r.z));
    }
    const double sigma = P[law] / (lateral[law] * lateral[law]);
    for (int32_t t = 0; t < def.tetrahedron_count; ++t) {
      double T[6];
      assert_near(cps_solid_look(s, x, t, T), 1.5 * lateral[law] * lateral[law], 1e-12);
      for (int i = 0; i < 3; ++i) {
        // the table has eight digits
        assert_near(T[i], sigma * n[i] * n[i], 1e-7 * sigma);
        assert_near(T[3 + i], sigma * n[i] * n[(i + 1) % 3], 1e-7 * sigma);
      }
      assert_near(cps_stress_von_mises(T), sigma, 1e-7 * sigma);
    }
    free(x);
    cps_solid_elastic_destroy(s);
  }
  const double shear[6] = {5.0, 5.0, 5.0, 0.0, -2.0, 0.0};
  assert_near(cps_stress_von_mises(shear), 2.0 * sqrt(3.0), 1e-14);
  assert_true(isnan(cps_stress_von_mises(NULL)));
  free_tets(&box);
}

// One vertex of a tetrahedron of height 1 moves through its base: flat after 1 / speed of the way.
static void the_bound_stops_before_an_element_is_flat(void** state) {
  (void)state;
  CpsVec3 x[4] = {{0, 0, 1}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}}, dx[4] = {{0, 0, 0}};
  const int32_t four[4] = {0, 1, 2, 3};
  CpsSolidDef def = cps_solid_def_default();
  def.vertex_count = 4, def.vertices = x, def.tetrahedron_count = 1, def.tetrahedra = four;
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    def.matter.law = (CpsSolidLaw)law;
    CpsSolidElastic* s = make(&def);
    const bool bounded = law == CPS_SOLID_NEO_HOOKEAN;
    dx[0].z = -4.0;
    assert_near(cps_solid_step_bound(s, x, dx), bounded ? 0.9 * 0.25 : 1.0, 1e-12);
    dx[0].z = -0.5;
    assert_near(cps_solid_step_bound(s, x, dx), 1.0, 0.0);
    // all of it shrinks to a point at 1/2 and grows out of it: a root without a change of sign is none of ours, a triple one is
    for (int i = 0; i < 4; ++i) dx[i] = cps_vec3_scale(-2.0, x[i]);
    assert_near(cps_solid_step_bound(s, x, dx), bounded ? 0.45 : 1.0, 1e-4);
    memset(dx, 0, sizeof dx);
    cps_solid_elastic_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decompositions_give_the_matrix_back),
      cmocka_unit_test(stress_is_the_derivative_of_the_energy),
      cmocka_unit_test(modes_are_the_derivative_of_the_stress),
      cmocka_unit_test(damping_resists_no_turn_of_strained_elements),
      cmocka_unit_test(uniaxial_stretch_has_its_closed_form),
      cmocka_unit_test(assembled_forces_and_matrix_fit_the_energy),
      cmocka_unit_test(clamped_matrix_has_no_negative_eigenvalue),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(cauchy_stress_of_a_turned_bar_is_its_axial_one),
      cmocka_unit_test(the_bound_stops_before_an_element_is_flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
