// Which contacts are grouped into clusters, on chains whose couplings are known by hand.
#include "friction/global/clusters.h"

#include "capstan/capstan.h"
#include "test_helpers.h"

enum { CONTACTS = 12 };

static const double IDENTITY[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};

// Contact i joins bodies i and i + 1, so that it is coupled to contacts i - 1 and i + 1. The contacts in `pressed` close at
// speed 1, the others open: with r = 0 only the former break the law.
static CpsContactsDef chain(const bool* pressed, double* b, double* mu) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = CONTACTS;
  for (int i = 0; i < CONTACTS; ++i) {
    mu[i] = 0.5;
    b[3 * i] = pressed[i] ? -1.0 : 1.0;
    b[3 * i + 1] = b[3 * i + 2] = 0.0;
  }
  def.mu = mu;
  def.b = b;
  return def;
}

static CpsProblem* chain_of_bodies(const bool* pressed) {
  double b[3 * CONTACTS], mu[CONTACTS], H[2 * CONTACTS * 9];
  int32_t dofs[CONTACTS + 1], body[2 * CONTACTS];
  int64_t start[CONTACTS + 1];
  for (int i = 0; i <= CONTACTS; ++i) {
    dofs[i] = 3;
    start[i] = 2 * (int64_t)i;
  }
  for (int t = 0; t < 2 * CONTACTS; ++t) {
    body[t] = (t + 1) / 2;
    for (int k = 0; k < 9; ++k) H[9 * t + k] = (t % 2 == 0 ? -1.0 : 1.0) * IDENTITY[k];
  }
  const CpsContactsDef def = chain(pressed, b, mu);
  const CpsFactoredForm form = {CONTACTS + 1, dofs, start, body, H, H};
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &problem, NULL), CPS_OK);
  return problem;
}

static CpsProblem* chain_of_blocks(const bool* pressed) {
  double b[3 * CONTACTS], mu[CONTACTS], value[3 * CONTACTS * 9];
  int32_t row[3 * CONTACTS], col[3 * CONTACTS];
  int64_t count = 0;
  for (int i = 0; i < CONTACTS; ++i) {
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= CONTACTS) continue;
      row[count] = i;
      col[count] = j;
      for (int k = 0; k < 9; ++k) value[9 * count + k] = (i == j ? 2.0 : -1.0) * IDENTITY[k];
      count++;
    }
  }
  const CpsContactsDef def = chain(pressed, b, mu);
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_blocks(&def, count, row, col, value, &problem, NULL), CPS_OK);
  return problem;
}

// Clusters are expected as runs of contacts first[k] … last[k].
static void check(const bool* pressed, int32_t count, const int32_t* first, const int32_t* last) {
  for (int form = 0; form < 2; ++form) {
    CpsProblem* problem = form == 0 ? chain_of_bodies(pressed) : chain_of_blocks(pressed);
    CpsArena arena = {0};
    CpsClusters clusters;
    double r[3 * CONTACTS] = {0};
    // with r = 0 the velocities are b; errors are xi = 1/2 times the closing speed of 1, or 0
    assert_true(cps_clusters_find(problem, r, cps_problem_b(problem), 0.1, &arena, &clusters));
    assert_int_equal(clusters.count, count);
    int32_t members = 0;
    for (int32_t k = 0; k < count; ++k) {
      assert_int_equal(clusters.start[k], members);
      assert_int_equal(clusters.start[k + 1] - clusters.start[k], last[k] - first[k] + 1);
      for (int32_t i = first[k]; i <= last[k]; ++i) {
        assert_int_equal(clusters.contact[members++], i);
        assert_int_equal(clusters.member[i], i - first[k]);
      }
    }
    int32_t outside = 0;
    for (int i = 0; i < CONTACTS; ++i) outside += clusters.member[i] == -1;
    assert_int_equal(members + outside, CONTACTS);
    cps_arena_free(&arena);
    cps_problem_destroy(problem);
  }
}

static void a_contact_that_breaks_the_law_is_grouped_with_its_neighbours(void** state) {
  (void)state;
  const bool pressed[CONTACTS] = {[2] = true, [8] = true};
  check(pressed, 2, (const int32_t[]){1, 7}, (const int32_t[]){3, 9});
}

static void groups_that_touch_are_one(void** state) {
  (void)state;
  // 4 is next to 3, a neighbour of 2: members of both are coupled, although no contact is in both
  const bool pressed[CONTACTS] = {[2] = true, [5] = true, [11] = true};
  check(pressed, 2, (const int32_t[]){1, 10}, (const int32_t[]){6, 11});
}

static void a_solved_problem_has_no_cluster(void** state) {
  (void)state;
  const bool pressed[CONTACTS] = {false};
  check(pressed, 0, NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_contact_that_breaks_the_law_is_grouped_with_its_neighbours),
      cmocka_unit_test(groups_that_touch_are_one),
      cmocka_unit_test(a_solved_problem_has_no_cluster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
