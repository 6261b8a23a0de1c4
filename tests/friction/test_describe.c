// Facts about problems and the identities at solutions: closed forms.
#include "capstan/capstan.h"
#include "test_helpers.h"

#include <string.h>

// Coulomb contacts of dimension 3 from dense diagonal blocks; `coupling` puts the same block at (0, 1) and (1, 0).
static CpsProblem* make_problem(int32_t count, const double* blocks, const double* b, const double* mu,
                                const double* coupling) {
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = count;
  contacts.trust_W = true;  // an indefinite W is to be described here, not refused
  contacts.mu = mu;
  contacts.b = b;
  int32_t rows[16], cols[16];
  double values[16 * 9];
  int64_t k = 0;
  for (int32_t i = 0; i < count; i++, k++) {
    rows[k] = cols[k] = i;
    memcpy(values + 9 * k, blocks + 9 * i, 9 * sizeof(double));
  }
  for (int side = 0; coupling && side < 2; side++, k++) {
    rows[k] = side;
    cols[k] = 1 - side;
    memcpy(values + 9 * k, coupling, 9 * sizeof(double));
  }
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_from_blocks(&contacts, k, rows, cols, values, &problem, &error) != CPS_OK) fail_msg("%s", error.text);
  return problem;
}

static const double IDENTITY3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void two_copies_of_a_contact_have_the_rank_of_one(void** state) {
  (void)state;
  double blocks[18] = {1, 0, 0, 0, 2, 0, 0, 0, 4, 1, 0, 0, 0, 2, 0, 0, 0, 4}, b[6] = {0}, mu[2] = {0.25, 0.5};
  CpsProblem* problem = make_problem(2, blocks, b, mu, blocks);
  CpsProblemInfo info;
  assert_int_equal(cps_problem_describe(problem, &info), CPS_OK);
  assert_int_equal(info.contact_count, 2);
  assert_int_equal(info.dim, 3);
  assert_int_equal(info.row_count, 6);
  assert_int_equal(info.block_count, 4);
  assert_int_equal(info.law_count[CPS_LAW_COULOMB], 2);
  assert_int_equal(info.rank, 3);
  assert_near(info.condition, 4.0, 1e-15);
  assert_near(info.mu_min, 0.25, 0.0);
  assert_near(info.mu_max, 0.5, 0.0);
  assert_near(info.nu, -1.0, 0.0);
  assert_near(info.asymmetry, 0.0, 0.0);
  assert_int_equal(info.island_count, 1);
  assert_int_equal(info.largest_island, 2);
  assert_int_equal(info.indefinite_island, -1);
  assert_true(info.bytes > 0);
  cps_problem_destroy(problem);
}

static void contacts_without_coupling_are_islands(void** state) {
  (void)state;
  double blocks[27], b[9] = {0}, mu[3] = {0};
  for (int i = 0; i < 3; i++) memcpy(blocks + 9 * i, IDENTITY3, sizeof IDENTITY3);
  const double coupling[9] = {0.5}, zeros[9] = {0};
  CpsProblem* joined = make_problem(3, blocks, b, mu, coupling);
  CpsProblem* apart = make_problem(3, blocks, b, mu, zeros);  // stored, but nothing is coupled by it
  int32_t island[3], count;
  assert_int_equal(cps_problem_islands(joined, island, &count), CPS_OK);
  assert_int_equal(count, 2);
  assert_int_equal(island[0], 0);
  assert_int_equal(island[1], 0);
  assert_int_equal(island[2], 1);
  assert_int_equal(cps_problem_islands(apart, island, &count), CPS_OK);
  assert_int_equal(count, 3);
  CpsProblemInfo info;
  assert_int_equal(cps_problem_describe(apart, &info), CPS_OK);
  assert_int_equal(info.rank, 9);
  assert_int_equal(info.largest_island, 1);
  cps_problem_destroy(joined);
  cps_problem_destroy(apart);
}

// The eigenvalues of [1 c; c 1] are 1 + c and 1 - c.
static void an_indefinite_coupling_is_noticed(void** state) {
  (void)state;
  double blocks[27], b[9] = {0}, mu[3] = {0};
  for (int i = 0; i < 3; i++) memcpy(blocks + 9 * i, IDENTITY3, sizeof IDENTITY3);
  const double coupling[9] = {1.5};
  CpsProblem* problem = make_problem(3, blocks, b, mu, coupling);
  CpsProblemInfo info;
  assert_int_equal(cps_problem_describe(problem, &info), CPS_OK);
  assert_int_equal(info.indefinite_island, 0);
  cps_problem_destroy(problem);
}

static void a_matrix_free_problem_is_described_like_its_W(void** state) {
  (void)state;
  // contacts 0 and 1 on body 0, contact 1 also on body 1, contact 2 on body 2; M = I
  const int32_t body_dofs[3] = {3, 3, 3}, body[4] = {0, 0, 1, 2};
  const int64_t contact_start[4] = {0, 1, 3, 4};
  double H[36], b[9] = {0}, mu[3] = {0};
  for (int t = 0; t < 4; t++) memcpy(H + 9 * t, IDENTITY3, sizeof IDENTITY3);
  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = 3;
  contacts.mu = mu;
  contacts.b = b;
  CpsFactoredForm form = {3, body_dofs, contact_start, body, H, H};
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_bodies(&contacts, &form, &problem, NULL), CPS_OK);
  CpsProblemInfo info;
  assert_int_equal(cps_problem_describe(problem, &info), CPS_OK);
  assert_int_equal(info.block_count, 5);
  assert_int_equal(info.rank, 9);
  assert_int_equal(info.island_count, 2);
  assert_int_equal(info.dof_count, 9);
  assert_near(info.nu, 1.0, 0.0);
  cps_problem_destroy(problem);
}

static double largest_identity(const CpsIdentities* x) {
  double largest = 0.0;
  const double all[8] = {x->normal_impulse, x->normal_velocity, x->complementarity, x->cone,
                         x->alignment,      x->dissipation,     x->orthogonality,   x->energy};
  for (int k = 0; k < 8; k++) largest = fmax(largest, all[k]);
  return largest;
}

// Seven one-contact problems with answers by hand, side by side: every identity holds at the exact r.
static void every_identity_holds_at_exact_solutions(void** state) {
  (void)state;
  const double blocks[63] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0,
                             0, 4, 0, 0, 0, 4, 1, 0, 0, 0, 2, 0, 0, 0, 2, 2, 1, 0, 1, 3, 0,
                             0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 4, 2, 1, 0, 1, 2, 0, 0, 0, 1};
  const double b[21] = {1, 5, -3, 0, 2, 0, -2, 1, 0, -1, 3, 4, -4, 7, 1, -1, 0.9, 2.4, -3, 4, 0};
  const double mu[7] = {0.5, 0.5, 0.5, 0.5, 0, 0.5, 0.5};
  const double r[21] = {0, 0, 0, 0, 0, 0, 1, -0.25, 0, 1, -0.3, -0.4, 2, 0, 0, 1, -0.3, -0.4, 2, -1, 0};
  CpsProblem* problem = make_problem(7, blocks, b, mu, NULL);
  CpsIdentities x;
  assert_int_equal(cps_problem_identities(problem, r, &x), CPS_OK);
  assert_below(largest_identity(&x), 1e-15);  // rounding of numbers of size 1
  cps_problem_destroy(problem);
}

static void each_violation_shows_in_its_own_figure(void** state) {
  (void)state;
  const double b[3] = {-1, 3, 4}, mu[1] = {0.5};
  CpsProblem* problem = make_problem(1, IDENTITY3, b, mu, NULL);
  CpsIdentities x;
  const double pulling[3] = {-1, 0, 0};  // u = (-2, 3, 4)
  assert_int_equal(cps_problem_identities(problem, pulling, &x), CPS_OK);
  assert_near(x.normal_impulse, 1.0, 1e-15);
  assert_near(x.normal_velocity, 2.0 / sqrt(26.0), 1e-15);
  assert_near(x.complementarity, 2.0 / sqrt(26.0), 1e-15);
  const double outside[3] = {1, -3, -4};  // stops everything, with ||r_T|| = 5 for 0.5
  assert_int_equal(cps_problem_identities(problem, outside, &x), CPS_OK);
  assert_near(x.cone, 4.5 / sqrt(26.0), 1e-15);
  assert_near(x.normal_velocity, 0.0, 0.0);
  assert_near(x.dissipation, 0.0, 0.0);
  const double aside[3] = {1, -0.5, 0};  // u = (0, 2.5, 4): the part (0, 4) is across r_T, r.u = -1.25
  assert_int_equal(cps_problem_identities(problem, aside, &x), CPS_OK);
  double scale = sqrt(1.25) * sqrt(26.0);
  assert_near(x.alignment, 4.0 * 0.5 / scale, 1e-15);
  assert_near(x.dissipation, (0.5 * sqrt(2.5 * 2.5 + 16.0) - 1.25) / scale, 1e-15);
  assert_near(x.energy, 0.0, 0.0);
  const double pushing[3] = {1, 0.3, 0.4};  // along the motion: r.(u + b)/2 = (0 - 1 + 2.75 + 2.5)/2 > 0
  assert_int_equal(cps_problem_identities(problem, pushing, &x), CPS_OK);
  assert_true(x.energy > 0.1);
  cps_problem_destroy(problem);
}

static void bad_arguments_are_refused(void** state) {
  (void)state;
  const double b[3] = {-1, 3, 4}, mu[1] = {0.5};
  CpsProblem* problem = make_problem(1, IDENTITY3, b, mu, NULL);
  CpsProblemInfo info;
  CpsIdentities identities;
  int32_t island[1], count;
  assert_int_equal(cps_problem_describe(NULL, &info), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_describe(problem, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_identities(problem, NULL, &identities), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_identities(problem, b, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_islands(NULL, island, &count), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_islands(problem, NULL, &count), CPS_BAD_ARGUMENT);
  cps_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_copies_of_a_contact_have_the_rank_of_one),
      cmocka_unit_test(contacts_without_coupling_are_islands),
      cmocka_unit_test(an_indefinite_coupling_is_noticed),
      cmocka_unit_test(a_matrix_free_problem_is_described_like_its_W),
      cmocka_unit_test(every_identity_holds_at_exact_solutions),
      cmocka_unit_test(each_violation_shows_in_its_own_figure),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
