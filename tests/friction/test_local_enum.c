// The enumeration: completeness against a search over angles, singular and unsymmetric blocks, several roots,
// symmetries.
#include "friction/law.h"
#include "friction/local/slide.h"
#include "friction/local_helpers.h"
#include "test_helpers.h"

static const double pi = 3.14159265358979323846;

static CpsLocalResult enumerate(const OneContact* contact, double* r) {
  return cps_local_enum.solve(&contact->problem, NULL, &local_settings, r);
}

// Slide in direction theta: r = r_N (1, mu n), u_N = 0. Returns u_T x n, which vanishes at a solution, times the
// denominator of r_N, so that it has no poles.
static double slide_at_angle(const OneContact* contact, double theta, double* r, double* along) {
  const double mu = contact->problem.mu, n[2] = {cos(theta), sin(theta)};
  const double denominator = contact->W[0] + mu * (contact->W[1] * n[0] + contact->W[2] * n[1]);
  double u[3];
  r[0] = -contact->b[0] / denominator;
  r[1] = mu * r[0] * n[0];
  r[2] = mu * r[0] * n[1];
  cps_local_velocity(&contact->problem, r, u);
  *along = u[1] * n[0] + u[2] * n[1];
  return (u[1] * n[1] - u[2] * n[0]) * denominator;
}

// All sliding solutions, by sign changes over 2000 angles and bisection. Returns how many, at most 8.
static int search_angles(const OneContact* contact, double solutions[8][3]) {
  const int steps = 2000;
  int count = 0;
  double r[3], along, last = slide_at_angle(contact, 0.0, r, &along);
  for (int k = 1; k <= steps && count < 8; k++) {
    double lo = 2.0 * pi * (k - 1) / steps, hi = 2.0 * pi * k / steps;
    const double value = slide_at_angle(contact, hi, r, &along), start = last;
    last = value;
    if ((value < 0.0) == (start < 0.0)) continue;
    for (int i = 0; i < 60; i++) {
      const double middle = 0.5 * (lo + hi);
      if ((slide_at_angle(contact, middle, r, &along) < 0.0) == (start < 0.0)) {
        lo = middle;
      } else {
        hi = middle;
      }
    }
    slide_at_angle(contact, lo, r, &along);
    if (r[0] > 0.0 && along < 0.0) memcpy(solutions[count++], r, 3 * sizeof *r);
  }
  return count;
}

static void every_sliding_answer_is_one_that_a_search_over_angles_finds(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(11);
  int sliding = 0;
  for (int t = 0; t < 1500; t++) {
    OneContact contact;
    double r[3] = {0}, solutions[8][3], nearest = INFINITY;
    one_contact_random(&random, CPS_LAW_COULOMB, 3, 3, 100.0, 0.1 + cps_random_uniform(&random), &contact);
    assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
    // 1e-12 asked for; closed forms with condition up to 1e6 leave about 1e-13
    assert_below(cps_local_error(&contact.problem, r), 1e-12);
    if (hypot(r[1], r[2]) < contact.problem.mu * r[0] * (1.0 - 1e-9)) continue;  // sticks
    sliding++;
    const int count = search_angles(&contact, solutions);
    for (int i = 0; i < count; i++) nearest = fmin(nearest, largest_difference(3, r, solutions[i]));
    // the search's own accuracy: bisection to 1e-16 in the angle, amplified by the conditioning of W
    assert_below(nearest, 1e-6 * cps_small_norm(3, r));
  }
  assert_true(sliding > 300);
}

static void every_dimension_is_solved_to_rounding(void** state) {
  (void)state;
  const CpsLaw laws[] = {CPS_LAW_COULOMB, CPS_LAW_CONVEX};
  const double mus[] = {1e-6, .1, .5, 1.0, 10.0};
  for (int l = 0; l < 2; l++)
    for (int d = 2; d <= CPS_DIM_MAX; d++) {
      CpsRandom random = cps_random_seed(100 * (uint64_t)l + (uint64_t)d);
      for (int t = 0; t < 1000; t++) {
        OneContact contact;
        double r[CPS_DIM_MAX] = {0};
        one_contact_random(&random, laws[l], d, d, 10.0, mus[t % 5], &contact);
        for (int i = 0; i < d; i++) contact.W[i * d + i] += 0.05;  // condition below about 1e3
        one_contact_set(&contact, laws[l], d, mus[t % 5]);
        assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
        assert_below(cps_local_error(&contact.problem, r), 1e-12);  // as asked for
        assert_true(cps_law_in_cone(d, mus[t % 5], r, 1e-12));
      }
    }
}

// b in the range of a W of each rank, with r in the cone: a sticking solution exists, so a solution must be found.
static void singular_blocks_of_every_rank_are_solved_where_they_can_stick(void** state) {
  (void)state;
  for (int d = 2; d <= CPS_DIM_MAX; d++)
    for (int rank = 1; rank <= d; rank++) {
      CpsRandom random = cps_random_seed(10 * (uint64_t)d + (uint64_t)rank);
      for (int t = 0; t < 200; t++) {
        OneContact contact;
        double r[CPS_DIM_MAX] = {0}, inside[CPS_DIM_MAX] = {0};
        one_contact_random(&random, CPS_LAW_COULOMB, d, rank, 2.0, .7, &contact);
        for (int i = 1; i < d; i++) inside[i] = cps_random_normal(&random);
        inside[0] = cps_small_norm(d - 1, inside + 1) / .7 * (1.0 + cps_random_uniform(&random));
        cps_small_apply(d, contact.W, inside, contact.b);
        for (int i = 0; i < d; i++) contact.b[i] = -contact.b[i];
        assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
        assert_below(cps_local_error(&contact.problem, r), 1e-12);  // as asked for
      }
    }
}

// Rank 1, W = v v^T with v_N > 0: r along the null space costs nothing. b_N < 0 with h outside the range of Wbar = 0:
// r_T is -h/alpha, r_N = (-b_N + v_T.h v_N / alpha) / v_N^2; slides iff 1 > mu v_T.h / (v_N ||h||).
static void rank_one_blocks_slide_or_have_no_solution_by_hand(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(5);
  int solved = 0, none = 0;
  for (int t = 0; t < 2000; t++) {
    OneContact contact;
    double v[3], r[3] = {0}, h[2];
    const double mu = 0.2 + 1.5 * cps_random_uniform(&random);
    for (int i = 0; i < 3; i++) v[i] = cps_random_normal(&random);
    v[0] = 0.3 + fabs(v[0]);
    for (int i = 0; i < 9; i++) contact.W[i] = v[i / 3] * v[i % 3];
    for (int i = 0; i < 3; i++) contact.b[i] = cps_random_normal(&random);
    contact.b[0] = -0.1 - fabs(contact.b[0]);
    one_contact_set(&contact, CPS_LAW_COULOMB, 3, mu);
    for (int i = 0; i < 2; i++) h[i] = contact.b[i + 1] - contact.b[0] * v[i + 1] / v[0];
    const double ratio = mu * (v[1] * h[0] + v[2] * h[1]) / (v[0] * hypot(h[0], h[1]));
    if (fabs(ratio - 1.0) < 1e-3) continue;  // too close to call in floating point
    const CpsLocalResult result = enumerate(&contact, r);
    assert_int_equal(result, ratio < 1.0 ? CPS_LOCAL_SOLVED : CPS_LOCAL_NO_SOLUTION);
    if (result == CPS_LOCAL_SOLVED) assert_below(cps_local_error(&contact.problem, r), 1e-12);  // as asked for
    solved += result == CPS_LOCAL_SOLVED;
    none += result == CPS_LOCAL_NO_SOLUTION;
  }
  assert_true(solved > 500 && none > 100);
}

// A wall that nothing can move: u_N = b_N < 0 for every r.
static void a_block_without_normal_response_has_no_solution(void** state) {
  (void)state;
  for (int d = 2; d <= CPS_DIM_MAX; d++) {
    OneContact contact = {0};
    double r[CPS_DIM_MAX] = {0};
    for (int i = 1; i < d; i++) contact.W[i * d + i] = 1.0;
    contact.b[0] = -1.0;
    one_contact_set(&contact, CPS_LAW_COULOMB, d, .5);
    assert_int_equal(enumerate(&contact, r), CPS_LOCAL_NO_SOLUTION);
    one_contact_set(&contact, CPS_LAW_CONVEX, d, .5);
    assert_int_equal(enumerate(&contact, r), CPS_LOCAL_NO_SOLUTION);
    one_contact_set(&contact, CPS_LAW_COULOMB, d, 0.0);
    assert_int_equal(enumerate(&contact, r), CPS_LOCAL_NO_SOLUTION);
    one_contact_set(&contact, CPS_LAW_BILATERAL, d, 0.0);
    assert_int_equal(enumerate(&contact, r), CPS_LOCAL_NO_SOLUTION);
  }
}

// Gyroscopic terms make real blocks unsymmetric: the law must hold for W as given, not for its symmetric part.
static void unsymmetric_blocks_are_solved_as_given(void** state) {
  (void)state;
  for (int d = 2; d <= CPS_DIM_MAX; d++) {
    CpsRandom random = cps_random_seed(900 + (uint64_t)d);
    for (int t = 0; t < 500; t++) {
      OneContact contact;
      double r[CPS_DIM_MAX] = {0};
      one_contact_random(&random, CPS_LAW_COULOMB, d, d, 2.0, .5, &contact);
      for (int i = 0; i < d; i++)
        for (int j = 0; j < i; j++) {
          const double skew = 0.1 * cps_random_normal(&random);  // a hundred times what real files have
          contact.W[i * d + j] += skew;
          contact.W[j * d + i] -= skew;
        }
      for (int i = 0; i < d; i++) contact.W[i * d + i] += 0.1;
      one_contact_set(&contact, CPS_LAW_COULOMB, d, .5);
      assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
      assert_below(cps_local_error(&contact.problem, r), 1e-12);  // as asked for
    }
  }
}

static void among_three_roots_the_one_nearest_to_the_guess_is_taken(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(3);
  int triples = 0;
  for (int t = 0; t < 30000; t++) {
    OneContact contact;
    CpsSlide slide;
    double roots[CPS_SLIDE_MAX_ROOTS];
    one_contact_random(&random, CPS_LAW_COULOMB, 3, 3, 1e4, .5 + cps_random_uniform(&random), &contact);
    cps_slide_reduce(&contact.problem, &slide);
    const int count = cps_slide_all_roots(&slide, 0.0, roots);
    if (count < 3) continue;
    double known[3][3], psi, slope, y[5];
    bool separate = true;
    for (int i = 0; i < 3; i++) {
      assert_true(cps_slide_evaluate(&slide, roots[i], &psi, &slope, y));
      cps_slide_recover(&slide, y, known[i]);
      // large impulses have small roots: the roots are ascending
      if (i > 0) separate = separate && cps_small_norm(3, known[i]) < 0.99 * cps_small_norm(3, known[i - 1]);
    }
    if (!separate) continue;
    triples++;
    for (int i = 0; i < 3; i++) {
      double r[3];
      for (int k = 0; k < 3; k++) r[k] = known[i][k] * (1.0 + 1e-4);
      assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
      assert_below(cps_local_error(&contact.problem, r), 1e-10);  // what ill-conditioned W (1e4 and more) leave
      // 1e-12 of error times the distance to a double root (separate by 1 %) and cond(W)
      assert_below(largest_difference(3, r, known[i]), 1e-4 * cps_small_norm(3, known[i]));
    }
    double zero[3] = {0};
    assert_int_equal(enumerate(&contact, zero), CPS_LOCAL_SOLVED);
    assert_below(largest_difference(3, zero, known[2]), 1e-4 * cps_small_norm(3, known[2]));  // least impulse
  }
  assert_true(triples >= 5);
}

static void the_answer_scales_and_turns_with_the_problem(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(8);
  for (int t = 0; t < 500; t++) {
    OneContact one, other;
    double r[3] = {0}, scaled[3] = {0}, turned[3] = {0};
    one_contact_random(&random, CPS_LAW_COULOMB, 3, 3, 2.0, .5, &one);
    for (int i = 0; i < 3; i++) one.W[4 * i] += 0.1;
    one_contact_set(&one, CPS_LAW_COULOMB, 3, .5);
    assert_int_equal(enumerate(&one, r), CPS_LOCAL_SOLVED);
    const double bound = 1e-9 * (cps_small_norm(3, r) + 1.0);  // rounding times cond(W) < 1e3, with room

    // b -> 5 b: r -> 5 r, and W -> 5 W: r -> r/5
    other = one;
    for (int i = 0; i < 3; i++) other.b[i] *= 5.0;
    one_contact_set(&other, CPS_LAW_COULOMB, 3, .5);
    assert_int_equal(enumerate(&other, scaled), CPS_LOCAL_SOLVED);
    for (int i = 0; i < 3; i++) assert_near(scaled[i], 5.0 * r[i], 5.0 * bound);
    for (int i = 0; i < 9; i++) other.W[i] *= 5.0;
    one_contact_set(&other, CPS_LAW_COULOMB, 3, .5);
    assert_int_equal(enumerate(&other, scaled), CPS_LOCAL_SOLVED);
    for (int i = 0; i < 3; i++) assert_near(scaled[i], r[i], bound);

    // tangent axes turned by theta: r_T turns with them
    const double theta = 2.0 * pi * cps_random_uniform(&random), c = cos(theta), s = sin(theta);
    const double R[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    other = one;
    cps_small_apply(3, R, one.b, other.b);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double sum = 0.0;
        for (int k = 0; k < 9; k++) sum += R[3 * i + k / 3] * one.W[k] * R[3 * j + k % 3];
        other.W[3 * i + j] = sum;
      }
    one_contact_set(&other, CPS_LAW_COULOMB, 3, .5);
    assert_int_equal(enumerate(&other, turned), CPS_LOCAL_SOLVED);
    double expected[3];
    cps_small_apply(3, R, r, expected);
    assert_below(largest_difference(3, turned, expected), bound);
  }
}

static void impulses_dissipate_and_do_not_pull(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(9);
  for (int t = 0; t < 1000; t++) {
    OneContact contact;
    double r[3] = {0}, u[3];
    one_contact_random(&random, CPS_LAW_COULOMB, 3, 3, 2.0, .8, &contact);
    for (int i = 0; i < 3; i++) contact.W[4 * i] += 0.1;
    one_contact_set(&contact, CPS_LAW_COULOMB, 3, .8);
    assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
    cps_local_velocity(&contact.problem, r, u);
    const double power = cps_small_dot(3, r, u), slip = hypot(u[1], u[2]);
    const double tiny = 1e-11 * (1.0 + cps_small_norm(3, r)) * (1.0 + cps_small_norm(3, contact.b));  // rounding x 1e3
    assert_true(r[0] >= 0.0);
    assert_true(u[0] >= -tiny);
    assert_near(power, -.8 * r[0] * slip, tiny);                          // r.u = -mu r_N ||u_T||
    assert_near(u[1] * r[2] - u[2] * r[1], 0.0, tiny);                    // u_T along r_T
    assert_true(0.5 * (power + cps_small_dot(3, r, contact.b)) <= tiny);  // kinetic energy falls
  }
}

static void the_cache_changes_nothing(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(13);
  for (int d = 2; d <= CPS_DIM_MAX; d++)
    for (int t = 0; t < 200; t++) {
      OneContact contact;
      double with[CPS_DIM_MAX] = {0}, without[CPS_DIM_MAX] = {0}, cache[64];
      one_contact_random(&random, CPS_LAW_COULOMB, d, d, 10.0, .5, &contact);
      assert_true(cps_local_enum.cache_size(d) <= 64);
      cps_local_enum.prepare(&contact.problem, cache);
      const CpsLocalResult result = cps_local_enum.solve(&contact.problem, cache, &local_settings, with);
      assert_int_equal(result, enumerate(&contact, without));
      assert_memory_equal(with, without, sizeof with);
    }
}

static double energy(const OneContact* contact, const double* r) {
  const int d = contact->problem.dim;
  double Wr[CPS_DIM_MAX];
  cps_small_apply(d, contact->W, r, Wr);
  return 0.5 * cps_small_dot(d, r, Wr) + cps_small_dot(d, r, contact->b);
}

static void the_convex_law_minimises_the_energy_over_the_cone(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(17);
  for (int d = 2; d <= CPS_DIM_MAX; d++)
    for (int t = 0; t < 200; t++) {
      OneContact contact;
      double r[CPS_DIM_MAX] = {0};
      const double mu = 0.1 + cps_random_uniform(&random);
      one_contact_random(&random, CPS_LAW_CONVEX, d, d, 10.0, mu, &contact);
      for (int i = 0; i < d; i++) contact.W[i * d + i] += 0.05;
      one_contact_set(&contact, CPS_LAW_CONVEX, d, mu);
      assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
      const double least = energy(&contact, r);
      for (int k = 0; k < 50; k++) {
        double other[CPS_DIM_MAX];
        for (int i = 0; i < d; i++) other[i] = r[i] + 0.3 * cps_random_normal(&random);
        cps_law_project_cone(d, mu, other);
        assert_true(energy(&contact, other) >= least - 1e-10 * (1.0 + fabs(least)));  // error 1e-12, squared in energy
      }
    }
}

// Bilateral blocks: regular ones are solved, singular ones where b is in the range of W, whatever the guess.
static void bilateral_blocks_of_every_rank(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(19);
  for (int d = 2; d <= CPS_DIM_MAX; d++)
    for (int rank = 0; rank <= d; rank++) {
      OneContact contact;
      double r[CPS_DIM_MAX], u[CPS_DIM_MAX], x[CPS_DIM_MAX];
      one_contact_random(&random, CPS_LAW_BILATERAL, d, rank, 2.0, 0.0, &contact);
      for (int i = 0; i < d; i++) r[i] = cps_random_normal(&random);
      if (rank < d) assert_int_equal(enumerate(&contact, r), CPS_LOCAL_NO_SOLUTION);  // a random b is not in the range
      for (int i = 0; i < d; i++) x[i] = cps_random_normal(&random);
      cps_small_apply(d, contact.W, x, contact.b);
      assert_int_equal(enumerate(&contact, r), CPS_LOCAL_SOLVED);
      cps_local_velocity(&contact.problem, r, u);
      // rounding 1e-16 times a condition that Gaussian matrices seldom have above 1e4, times entries up to 10
      assert_below(cps_small_norm(d, u), 1e-9 * (1.0 + cps_small_norm(d, contact.b)));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_sliding_answer_is_one_that_a_search_over_angles_finds),
      cmocka_unit_test(every_dimension_is_solved_to_rounding),
      cmocka_unit_test(singular_blocks_of_every_rank_are_solved_where_they_can_stick),
      cmocka_unit_test(rank_one_blocks_slide_or_have_no_solution_by_hand),
      cmocka_unit_test(a_block_without_normal_response_has_no_solution),
      cmocka_unit_test(unsymmetric_blocks_are_solved_as_given),
      cmocka_unit_test(among_three_roots_the_one_nearest_to_the_guess_is_taken),
      cmocka_unit_test(the_answer_scales_and_turns_with_the_problem),
      cmocka_unit_test(impulses_dissipate_and_do_not_pull),
      cmocka_unit_test(the_cache_changes_nothing),
      cmocka_unit_test(the_convex_law_minimises_the_energy_over_the_cone),
      cmocka_unit_test(bilateral_blocks_of_every_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
