// Four elements at once against the modes of one: every law and kind, also inverted, crushed and nearly flat ones; a lane does not
// depend on the others; elements that have become a line.
#include <math.h>
#include <string.h>

#include "model/solid_elastic.h"
#include "model/solid_four.h"
#include "solid_shapes.h"

static CpsSolidMatter matter_of(int law, double poisson) {
  CpsSolidRegion region = cps_solid_region_default();
  region.law = (CpsSolidLaw)law;
  region.young = 10.0;
  region.poisson = poisson;
  return cps_solid_matter(&region);
}

static CpsVec3 random_vec3(CpsRandom* random, double by) {
  double x[3];
  for (int i = 0; i < 3; ++i) x[i] = by * (2.0 * cps_random_uniform(random) - 1.0);
  return cps_vec3(x[0], x[1], x[2]);
}

static void set_lane(CpsSolidFour* four, int lane, const CpsVec3 edge[3], const CpsVec3 gradient[3],
                     const CpsSolidMatter* m) {
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < 3; ++i) {
      four->edge[a][i][lane] = (&edge[a].x)[i];
      four->gradient[a][i][lane] = (&gradient[a].x)[i];
    }
  }
  four->matter[lane] = m;
}

// Blocks of an element by its modes.
static void expect(const CpsVec3 edge[3], const CpsVec3 gradient[3], const CpsSolidMatter* m, CpsHessianKind kind,
                   double block[10][9]) {
  CpsVec3 g[4] = {{0.0, 0.0, 0.0}, gradient[0], gradient[1], gradient[2]};
  CpsMat3 F = {{0.0}};
  CpsSolidModes modes;
  memset(block, 0, 10 * sizeof *block);
  for (int a = 0; a < 3; ++a) {
    F = cps_mat3_axpy(F, 1.0, cps_mat3_outer(edge[a], gradient[a]));
    g[0] = cps_vec3_sub(g[0], gradient[a]);
  }
  cps_solid_modes(m, &F, kind, &modes);
  for (int i = 0; i < 9; ++i) {
    for (int a = 0, k = 0; a < 4; ++a) {
      for (int b = 0; b <= a; ++b, ++k) {
        const CpsVec3 p = cps_mat3_apply(modes.D[i], g[a]), q = cps_mat3_apply(modes.D[i], g[b]);
        const CpsMat3 D = cps_mat3_outer(p, q);
        for (int j = 0; j < 9; ++j) block[k][j] += modes.value[i] * D.m[j];
      }
    }
  }
}

// A random element of a kind of shape: 0 any, inverted or not; 1 all stretches small, 2 one of them, 3 without strain.
static void random_element(CpsRandom* random, int law, int shape, CpsVec3 edge[3], CpsVec3 gradient[3]) {
  for (;;) {
    CpsMat3 F = {{0.0}};
    for (int a = 0; a < 3; ++a) {
      gradient[a] = random_vec3(random, 0.5);
      edge[a] = random_vec3(random, shape == 1 ? 0.2 : 1.0);
      (&gradient[a].x)[a] += 1.0;
      (&edge[a].x)[a] += shape == 1 ? 0.3 : 1.0;
      if (shape == 2) edge[a].z *= 1e-4;
      if (shape == 3) edge[a] = gradient[a] = cps_vec3(a == 0, a == 1, a == 2);
      F = cps_mat3_axpy(F, 1.0, cps_mat3_outer(edge[a], gradient[a]));
    }
    const double J = cps_mat3_det(&F);
    if (law == CPS_SOLID_NEO_HOOKEAN && !(J > 1e-3)) {
      if (shape == 2) edge[0] = edge[1] = edge[2] = gradient[0] = cps_vec3(0.0, 0.0, 0.0);
      if (shape == 2) return;  // not allowed to be so flat
      continue;
    }
    // the rotation of corotated jumps where two stretches are opposite
    if (law == CPS_SOLID_COROTATED && !(J > 0.05) && shape != 2) continue;
    return;
  }
}

static void four_elements_have_the_modes_of_each(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(31);
  int compared = 0, inverted = 0;
  for (int law = 0; law < CPS_SOLID_LAW_COUNT; ++law) {
    const CpsSolidMatter soft = matter_of(law, 0.3), full = matter_of(law, 0.49);
    for (int k = 0; k < 200; ++k) {
      CpsSolidFour four;
      CpsVec3 edge[4][3], gradient[4][3];
      for (int l = 0; l < 4; ++l) {
        const int shape = law == CPS_SOLID_NEO_HOOKEAN && (k + l) % 4 == 2 ? 0 : (k + l) % 4;
        random_element(&random, law, shape, edge[l], gradient[l]);
        set_lane(&four, l, edge[l], gradient[l], l % 2 == 0 ? &soft : &full);
        inverted += cps_vec3_dot(edge[l][0], cps_vec3_cross(edge[l][1], edge[l][2])) < 0.0;
      }
      for (int kind = 0; kind < 3; ++kind) {
        // the exact kind both ways
        const bool plain = kind == CPS_HESSIAN_EXACT && law != CPS_SOLID_COROTATED;
        for (int framed = plain ? 0 : 1; framed < 2; ++framed) {
          bool good[4];
          double out[10][9][4], want[10][9];
          cps_solid_four(&four, (CpsHessianKind)kind, framed == 1, good, out);
          for (int l = 0; l < 4; ++l) {
            assert_true(good[l]);
            expect(edge[l], gradient[l], four.matter[l], (CpsHessianKind)kind, want);
            double largest = 0.0;
            for (int b = 0; b < 10; ++b) {
              for (int i = 0; i < 9; ++i) largest = fmax(largest, fabs(want[b][i]));
            }
            // rounding of sums of products of the moduli, which are 10 to 200
            for (int b = 0; b < 10; ++b) {
              for (int i = 0; i < 9; ++i) assert_near(out[b][i][l], want[b][i], 1e-12 * (largest + 200.0));
            }
            ++compared;
          }
        }
      }
    }
  }
  assert_true(compared > 7000 && inverted > 50);
}

// The same element among others, and in another lane: the same bits.
static void a_lane_does_not_depend_on_the_others(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(32);
  for (int k = 0; k < 100; ++k) {
    const CpsSolidMatter m = matter_of(CPS_SOLID_STABLE_NEO_HOOKEAN, 0.4);
    CpsVec3 edge[5][3], gradient[5][3];
    CpsSolidFour one, other;
    for (int l = 0; l < 5; ++l) random_element(&random, CPS_SOLID_STABLE_NEO_HOOKEAN, l % 4, edge[l], gradient[l]);
    for (int a = 0; a < 3; ++a) edge[4][a].x = edge[4][a].y = 0.0;  // a line
    for (int l = 0; l < 4; ++l) {
      set_lane(&one, l, edge[l], gradient[l], &m);
      set_lane(&other, l, edge[(l + 1) % 4 + (l == 2)], gradient[(l + 1) % 4 + (l == 2)], &m);
    }
    for (int kind = 0; kind < 3; ++kind) {
      bool good[4];
      double first[10][9][4], second[10][9][4];
      cps_solid_four(&one, (CpsHessianKind)kind, kind != CPS_HESSIAN_EXACT, good, first);
      cps_solid_four(&other, (CpsHessianKind)kind, kind != CPS_HESSIAN_EXACT, good, second);
      assert_true(kind == CPS_HESSIAN_EXACT || !good[2]);
      for (int b = 0; b < 10; ++b) {
        for (int i = 0; i < 9; ++i) {
          assert_true(first[b][i][1] == second[b][i][0] && first[b][i][2] == second[b][i][1]);
          assert_true(first[b][i][0] == second[b][i][3]);
        }
      }
    }
  }
}

// All elements of a box are a line: their frames are not unique, but the matrix has no negative eigenvalue and is finite.
static void elements_that_are_a_line_have_a_matrix(void** state) {
  (void)state;
  Tets box = make_box(2, 2, 1, (CpsVec3){0, 0, 0}, (CpsVec3){1.0, 1.0, 1.0}, 0.1);
  CpsSolidDef def = solid_of(&box);
  CpsSolidElastic* s = NULL;
  assert_int_equal(cps_solid_elastic_create(&def, &s, NULL), CPS_OK);
  CpsVec3* x = calloc((size_t)def.vertex_count, sizeof *x);
  double* value = calloc(9 * (size_t)s->pattern.start[def.vertex_count], sizeof *value);
  for (int32_t i = 0; i < def.vertex_count; ++i) x[i].x = def.vertices[i].x;
  cps_solid_hessian(s, NULL, x, CPS_HESSIAN_CLAMPED, 1.0, false, value);
  double trace = 0.0;
  for (int32_t i = 0; i < def.vertex_count; ++i) {
    const double* diagonal = value + 9 * (s->pattern.start[i + 1] - 1);
    for (int j = 0; j < 3; ++j) {
      assert_true(diagonal[4 * j] >= 0.0);
      trace += diagonal[4 * j];
    }
  }
  assert_true(isfinite(trace) && trace > 0.0);
  free(value);
  free(x);
  cps_solid_elastic_destroy(s);
  free_tets(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_elements_have_the_modes_of_each),
      cmocka_unit_test(a_lane_does_not_depend_on_the_others),
      cmocka_unit_test(elements_that_are_a_line_have_a_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
