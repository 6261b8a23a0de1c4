// The proximal Newton method and `auto`: the Newton matrix by differences, every law and dimension, and what a change
// of units, axes or numbering must do to the answer.
#include "dense_problem.h"
#include "sample_problems.h"

#include <string.h>

#ifdef CAPSTAN_DIRECT
#include "friction/global/prox_newton.h"
#include "friction/law.h"

static const CpsMethod METHODS[] = {CPS_METHOD_PROXIMAL, CPS_METHOD_AUTO};
#else
static const CpsMethod METHODS[] = {CPS_METHOD_AUTO};
#endif
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// Twelve contacts; dim 0: 2, 3 and 6 in turn. With `all_laws` every fourth is convex, and two are bilateral and free.
static void add_contacts(DenseProblem* dense, int dim, bool all_laws, double mu) {
  static const int DIMS[] = {6, 2, 3, 3, 2};
  memset(dense, 0, sizeof *dense);
  for (int i = 0; i < (dim == 6 ? 8 : DENSE_CONTACTS); ++i) {
    CpsLaw law = CPS_LAW_COULOMB;
    if (all_laws) law = i % 4 == 1 ? CPS_LAW_CONVEX : i % 6 == 2 ? CPS_LAW_BILATERAL : i == 7 ? CPS_LAW_FREE : law;
    dense_problem_add_contact(dense, dim ? dim : DIMS[i % 5], law, mu);
  }
}

// b = W z for a Gaussian z pressed by 1: motions that the impulses can stop, so that ties stay consistent although W is
// singular.
static void make_b_consistent(DenseProblem* dense, CpsRandom* random) {
  double z[DENSE_ROWS];
  int n = dense->rows, row = 0;
  for (int k = 0; k < n; ++k) z[k] = cps_random_normal(random);
  for (int32_t i = 0; i < dense->count; row += dense->dims[i++]) z[row] -= 1.0;
  for (int p = 0; p < n; ++p) {
    dense->b[p] = 0.0;
    for (int q = 0; q < n; ++q) dense->b[p] += dense->W[p * n + q] * z[q];
  }
}

static double solve_from_zero(const CpsProblem* problem, CpsMethod method, double tolerance, double* r) {
  CpsSolveOptions options = sample_options(method, tolerance);
  CpsSolveInfo info;
  CpsError error;
  memset(r, 0, (size_t)cps_problem_row_count(problem) * sizeof *r);
  if (cps_problem_solve(problem, &options, r, &info, &error) != CPS_OK) {
    fail_msg("%s: %s", cps_method_info(method)->name, error.text);
  }
  CpsResidual residual;
  assert_int_equal(cps_problem_residual(problem, r, &residual), CPS_OK);
  assert_below(residual.natural, tolerance);
  return info.residual;
}

#ifdef CAPSTAN_DIRECT

// Which piece of the projection x is on, or -1 where a kink is nearer than 1e-3 (of lengths of order one).
static int piece(CpsLaw law, int d, double mu, const double* x) {
  if (law == CPS_LAW_FREE) return 0;
  if (law == CPS_LAW_BILATERAL) return 1;
  double t = cps_law_tangent_norm(d, x), edge = 1e-3;
  double take_off = law == CPS_LAW_COULOMB ? x[0] : x[0] + mu * t;
  if (fabs(take_off) < edge || fabs(t - mu * x[0]) < edge || t < edge) return -1;
  return take_off < 0.0 ? 2 : t < mu * x[0] ? 3 : 4;
}

// Draws r and the centre until no contact is near a kink, and counts the pieces seen.
static void draw_point(const CpsProblem* p, CpsRandom* random, double weight, double* r, double* centre, int* seen) {
  for (int attempt = 0;; ++attempt) {
    double u[DENSE_ROWS], x[6];
    int found[5] = {0};
    bool smooth = true;
    assert_true(attempt < 200);
    for (int64_t k = 0; k < p->row_count; ++k) {
      r[k] = cps_random_normal(random);
      centre[k] = cps_random_normal(random);
    }
    cps_problem_law_velocity(p, r, u);
    for (int32_t i = 0; i < p->contact_count && smooth; ++i) {
      int64_t o = p->offset[i];
      for (int k = 0; k < cps_contact_dim(p, i); ++k) {
        double w = u[o + k] + weight / p->xi[i] * (r[o + k] - centre[o + k]);
        x[k] = r[o + k] - p->xi[i] / (1.0 + weight) * w;
      }
      int which = piece((CpsLaw)p->law[i], cps_contact_dim(p, i), p->mu[i], x);
      smooth = which >= 0;
      if (smooth) found[which]++;
    }
    if (!smooth) continue;
    for (int k = 0; k < 5; ++k) seen[k] += found[k];
    return;
  }
}

static void map_at(const CpsProxNewton* newton, const double* r, const double* step, double h, const double* centre,
                   double weight, double* F) {
  double moved[DENSE_ROWS], u[DENSE_ROWS];
  for (int64_t k = 0; k < newton->problem->row_count; ++k) moved[k] = r[k] + h * step[k];
  cps_problem_law_velocity(newton->problem, moved, u);
  (void)cps_prox_newton_map(newton, moved, u, centre, weight, F);
}

// The step is F'(r)^-1 times minus any right side g: along it the map falls by g per unit of length.
static void newton_steps_agree_with_differences_of_the_map(void** state) {
  (void)state;
  const int dims[] = {3, 2, 6, 0};
  int seen[5] = {0};
  for (int form = 0; form < 24; ++form) {
    CpsRandom random = cps_random_seed(40 + (uint64_t)form);
    DenseProblem dense;
    add_contacts(&dense, dims[form % 4], true, 0.2 + 0.1 * (form % 7));
    dense_problem_fill(&dense, &random, dense.rows, 0.5);
    // a skew part, and holes in the pattern that are not symmetric
    for (int p = 0; p < dense.rows; ++p) {
      for (int q = 0; q < p; ++q) dense.W[p * dense.rows + q] += 0.1 * cps_random_normal(&random);
    }
    CpsProblem* problem = dense_problem_build(&dense);
    CpsArena arena = {0};
    CpsSolve solve = {.problem = problem, .arena = &arena};
    CpsProxNewton newton;
    assert_int_equal(cps_prox_newton_create(&solve, &newton), CPS_OK);
    for (int draw = 0; draw < 5; ++draw) {
      const double weights[] = {0.0, 1e-3, 0.1, 1.0, 30.0};
      double r[DENSE_ROWS], c[DENSE_ROWS], u[DENSE_ROWS], g[DENSE_ROWS], step[DENSE_ROWS], ahead[DENSE_ROWS],
          behind[DENSE_ROWS], size = 0.0;
      draw_point(problem, &random, weights[draw], r, c, seen);
      cps_problem_law_velocity(problem, r, u);
      for (int k = 0; k < dense.rows; ++k) g[k] = cps_random_normal(&random);
      assert_int_equal(cps_prox_newton_step(&newton, r, u, c, weights[draw], g, step), CPS_BLOCK_LU_OK);
      for (int k = 0; k < dense.rows; ++k) size = fmax(size, fabs(step[k]));
      // central differences over a length of 1e-6: rounding 1e-16 / 1e-6, curvature (1e-6 / 1e-3)^2 near an axis,
      // both times the size of the step and the entries of F' (a few)
      double h = 1e-6 / fmax(size, 1.0);
      map_at(&newton, r, step, h, c, weights[draw], ahead);
      map_at(&newton, r, step, -h, c, weights[draw], behind);
      for (int k = 0; k < dense.rows; ++k) {
        assert_near((ahead[k] - behind[k]) / (2.0 * h), -g[k], 1e-5 * fmax(size, 1.0));
      }
    }
    cps_arena_free(&arena);
    cps_problem_destroy(problem);
  }
  for (int k = 0; k < 5; ++k) assert_true(seen[k] >= 20);  // free, bilateral, take-off, stick and slide
}

// A solution of the law is a zero of the map whose centre it is, for any weight.
static void the_map_vanishes_at_a_solution(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(5);
  DenseProblem dense;
  add_contacts(&dense, 0, true, 0.4);
  dense_problem_fill(&dense, &random, dense.rows, 0.5);
  CpsProblem* problem = dense_problem_build(&dense);
  double r[DENSE_ROWS], u[DENSE_ROWS], F[DENSE_ROWS];
  (void)solve_from_zero(problem, CPS_METHOD_PROXIMAL, 1e-13, r);
  cps_problem_law_velocity(problem, r, u);
  CpsArena arena = {0};
  CpsSolve solve = {.problem = problem, .arena = &arena};
  CpsProxNewton newton;
  assert_int_equal(cps_prox_newton_create(&solve, &newton), CPS_OK);
  // ten times the tolerance for the different metric of the tangential part, times impulses of order ten
  for (double weight = 1e-9; weight < 1e4; weight *= 100.0) {
    assert_below(cps_prox_newton_map(&newton, r, u, r, weight, F), 1e-11);
  }
  cps_arena_free(&arena);
  cps_problem_destroy(problem);
}

#endif

// Every law and dimension; W regular, singular (half the rank) or with a skew part.
static void every_law_and_dimension_is_solved(void** state) {
  (void)state;
  const int dims[] = {3, 2, 6, 0};
  for (int form = 0; form < 48; ++form) {
    int kind = form % 3;
    CpsRandom random = cps_random_seed(900 + (uint64_t)form);
    DenseProblem dense;
    add_contacts(&dense, dims[form / 3 % 4], true, 0.3 + 0.1 * (form % 5));
    int n = dense.rows;
    dense_problem_fill(&dense, &random, kind == 1 ? n / 2 : n, kind == 1 ? 0.0 : 0.1);
    for (int p = 0; p < n && kind == 2; ++p) {
      for (int q = 0; q < p; ++q) {
        double skew = 0.02 * cps_random_normal(&random);
        dense.W[p * n + q] += skew;
        dense.W[q * n + p] -= skew;
      }
    }
    make_b_consistent(&dense, &random);
    CpsProblem* problem = dense_problem_build(&dense);
    for (int m = 0; m < METHOD_COUNT; ++m) {
      double r[DENSE_ROWS];
      (void)solve_from_zero(problem, METHODS[m], 1e-8, r);
    }
    cps_problem_destroy(problem);
  }
}

#ifdef CAPSTAN_DIRECT
// Sweeps alone would not do: half of these are over-constrained.
// The same bodies with and without W: either answer passes the other's test. The two ways to add up W r differ by
// rounding, 1e-14 of the scale here.
static void problems_without_W_are_solved_as_those_with_it(void** state) {
  (void)state;
  const int dims[] = {2, 3, 6};
  for (int form = 0; form < 6; ++form) {
    SampleDef def = {.contacts = 40,
                     .bodies = 30,
                     .dim = dims[form % 3],
                     .dofs = form < 3 ? 6 : 3,
                     .mu = 0.4,
                     .seed = 60 + (uint64_t)form};
    CpsProblem* bodies = sample_bodies(def);
    def.form_W = true;
    CpsProblem* formed = sample_bodies(def);
    for (int m = 0; m < METHOD_COUNT; ++m) {
      double r[240];
      CpsResidual residual;
      (void)solve_from_zero(bodies, METHODS[m], 1e-8, r);
      assert_int_equal(cps_problem_residual(formed, r, &residual), CPS_OK);
      assert_below(residual.natural, 1e-8 + 1e-14);
      (void)solve_from_zero(formed, METHODS[m], 1e-8, r);
      assert_int_equal(cps_problem_residual(bodies, r, &residual), CPS_OK);
      assert_below(residual.natural, 1e-8 + 1e-14);
    }
    cps_problem_destroy(bodies);
    cps_problem_destroy(formed);
  }
}
#endif

static void a_solution_as_first_guess_comes_back_at_once(void** state) {
  (void)state;
  CpsProblem* problem = sample_bodies((SampleDef){40, 20, 3, 6, 0.5, 8, true});
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    if (!cps_method_info((CpsMethod)m)->available) continue;
    double r[120], again[120];
    (void)solve_from_zero(problem, CPS_METHOD_AUTO, 1e-8, r);
    memcpy(again, r, sizeof r);
    CpsSolveOptions options = sample_options((CpsMethod)m, 1e-8);
    CpsSolveInfo info;
    assert_int_equal(cps_problem_solve(problem, &options, again, &info, NULL), CPS_OK);
    assert_memory_equal(again, r, sizeof r);
    assert_int_equal(info.iterations, 0);
  }
  cps_problem_destroy(problem);
}

static CpsProblem* with_shift(const DenseProblem* dense, const double* b, const double* shift) {
  static int32_t col[DENSE_ROWS * DENSE_ROWS];
  int64_t start[DENSE_ROWS + 1];
  for (int i = 0; i <= dense->rows; ++i) start[i] = (int64_t)i * dense->rows;
  for (int k = 0; k < dense->rows * dense->rows; ++k) col[k] = k % dense->rows;
  CpsContactsDef def = cps_contacts_def_default();
  def.count = dense->count;
  def.dim = 0;
  def.dims = dense->dims;
  def.laws = dense->laws;
  def.mu = dense->mu;
  def.b = b;
  def.shift = shift;
  CpsProblem* problem = NULL;
  assert_int_equal(cps_problem_from_csr(&def, start, col, dense->W, &problem, NULL), CPS_OK);
  return problem;
}

// The law holds for u + shift: the impulses are those of b + shift, the velocities are not.
static void a_shift_moves_the_law_and_not_the_velocity(void** state) {
  (void)state;
  CpsRandom random = cps_random_seed(31);
  DenseProblem dense;
  add_contacts(&dense, 0, true, 0.5);
  dense_problem_fill(&dense, &random, dense.rows, 0.2);
  double shift[DENSE_ROWS], sum[DENSE_ROWS];
  for (int k = 0; k < dense.rows; ++k) {
    shift[k] = 0.3 * cps_random_normal(&random);
    sum[k] = dense.b[k] + shift[k];
  }
  CpsProblem *shifted = with_shift(&dense, dense.b, shift), *plain = with_shift(&dense, sum, NULL);
  for (int m = 0; m < METHOD_COUNT; ++m) {
    double r[DENSE_ROWS], s[DENSE_ROWS], u[DENSE_ROWS], v[DENSE_ROWS];
    (void)solve_from_zero(shifted, METHODS[m], 1e-8, r);
    (void)solve_from_zero(plain, METHODS[m], 1e-8, s);
    assert_memory_equal(r, s, (size_t)dense.rows * sizeof *r);
    assert_int_equal(cps_problem_velocity(shifted, r, u), CPS_OK);
    assert_int_equal(cps_problem_velocity(plain, s, v), CPS_OK);
    // one addition more or less, of numbers of order ten
    for (int k = 0; k < dense.rows; ++k) assert_near(u[k] + shift[k], v[k], 1e-13);
  }
  cps_problem_destroy(shifted);
  cps_problem_destroy(plain);
}

// A ball of mass 1/2 falls with speed 2 and leaves with half of it: u_N = e |b_N|, r_N = (1 + e) m |b_N|.
static void restitution_throws_back(void** state) {
  (void)state;
  const double b[3] = {-2.0, 0.0, 0.0}, shift[3] = {-1.0, 0.0, 0.0};
  DenseProblem dense = {0};
  dense_problem_add_contact(&dense, 3, CPS_LAW_COULOMB, 0.3);
  for (int k = 0; k < 3; ++k) dense.W[4 * k] = 2.0;
  CpsProblem* problem = with_shift(&dense, b, shift);
  for (int m = 0; m < METHOD_COUNT; ++m) {
    double r[3], u[3];
    (void)solve_from_zero(problem, METHODS[m], 1e-12, r);
    assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
    // tolerance times a scale of 3, times W = 2
    assert_near(r[0], 1.5, 1e-11);
    assert_near(u[0], 1.0, 1e-11);
  }
  cps_problem_destroy(problem);
}

// Without friction no tangential impulse is left, not even a small one, and normals are complementary.
static void no_friction_means_no_tangential_impulse(void** state) {
  (void)state;
  for (int dim = 0; dim <= 6; dim = dim == 0 ? 2 : dim == 2 ? 3 : dim == 3 ? 6 : 7) {
    CpsRandom random = cps_random_seed(70 + (uint64_t)dim);
    DenseProblem dense;
    add_contacts(&dense, dim, false, 0.0);
    dense_problem_fill(&dense, &random, dense.rows, 0.1);
    CpsProblem* problem = dense_problem_build(&dense);
    for (int m = 0; m < METHOD_COUNT; ++m) {
      double r[DENSE_ROWS], u[DENSE_ROWS];
      (void)solve_from_zero(problem, METHODS[m], 1e-10, r);
      assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
      int row = 0;
      for (int32_t i = 0; i < dense.count; row += dense.dims[i++]) {
        // the tolerance times a scale of order ten, and W of order ten where velocities are concerned
        assert_true(r[row] >= -1e-9 && u[row] >= -1e-8);
        assert_near(r[row] * u[row], 0.0, 1e-7);
        for (int k = 1; k < dense.dims[i]; ++k) assert_near(r[row + k], 0.0, 1e-9);
      }
    }
    cps_problem_destroy(problem);
  }
}

// The equivariances. W is well conditioned and mu small, so that the solution is unique; answers at 1e-12 are then
// within 1e-10 of it (the condition of W is about ten).
typedef struct Reference {
  DenseProblem dense;
  double r[DENSE_ROWS], u[DENSE_ROWS];
} Reference;

static void make_reference(Reference* reference, CpsMethod method) {
  CpsRandom random = cps_random_seed(17);
  add_contacts(&reference->dense, 3, false, 0.2);
  dense_problem_fill(&reference->dense, &random, reference->dense.rows, 0.5);
  CpsProblem* problem = dense_problem_build(&reference->dense);
  (void)solve_from_zero(problem, method, 1e-12, reference->r);
  assert_int_equal(cps_problem_velocity(problem, reference->r, reference->u), CPS_OK);
  cps_problem_destroy(problem);
}

static void solve_changed(const DenseProblem* dense, CpsMethod method, double* r, double* u) {
  CpsProblem* problem = dense_problem_build(dense);
  (void)solve_from_zero(problem, method, 1e-12, r);
  assert_int_equal(cps_problem_velocity(problem, r, u), CPS_OK);
  cps_problem_destroy(problem);
}

static void units_scale_the_answer(void** state) {
  (void)state;
  static Reference x;
  for (int m = 0; m < METHOD_COUNT; ++m) {
    make_reference(&x, METHODS[m]);
    int n = x.dense.rows;
    for (int exponent = -9; exponent <= 9; exponent += 6) {
      double c = pow(10.0, exponent), r[DENSE_ROWS], u[DENSE_ROWS];
      DenseProblem faster = x.dense, lighter = x.dense;
      for (int k = 0; k < n; ++k) faster.b[k] *= c;
      for (int k = 0; k < n * n; ++k) lighter.W[k] *= c;
      solve_changed(&faster, METHODS[m], r, u);
      for (int k = 0; k < n; ++k) assert_near(r[k] / c, x.r[k], 1e-10);
      solve_changed(&lighter, METHODS[m], r, u);
      for (int k = 0; k < n; ++k) assert_near(r[k] * c, x.r[k], 1e-10);
    }
  }
}

static void turning_the_tangents_turns_the_impulses(void** state) {
  (void)state;
  static Reference x;
  for (int m = 0; m < METHOD_COUNT; ++m) {
    make_reference(&x, METHODS[m]);
    int n = x.dense.rows;
    // Q turns the tangents of contact i by i + 1/2 radians: W -> Q W Q^T, b -> Q b
    static double Q[DENSE_ROWS * DENSE_ROWS];
    DenseProblem turned = x.dense;
    memset(Q, 0, sizeof Q);
    for (int i = 0; i < turned.count; ++i) {
      double c = cos(i + 0.5), s = sin(i + 0.5);
      int o = 3 * i;
      Q[o * n + o] = 1.0;
      Q[(o + 1) * n + o + 1] = Q[(o + 2) * n + o + 2] = c;
      Q[(o + 1) * n + o + 2] = -s;
      Q[(o + 2) * n + o + 1] = s;
    }
    for (int p = 0; p < n; ++p) {
      turned.b[p] = 0.0;
      for (int a = 0; a < n; ++a) turned.b[p] += Q[p * n + a] * x.dense.b[a];
      for (int q = 0; q < n; ++q) {
        double sum = 0.0;
        for (int a = p - p % 3; a < p - p % 3 + 3; ++a) {
          for (int b = q - q % 3; b < q - q % 3 + 3; ++b) sum += Q[p * n + a] * x.dense.W[a * n + b] * Q[q * n + b];
        }
        turned.W[p * n + q] = sum;
      }
    }
    double r[DENSE_ROWS], u[DENSE_ROWS];
    solve_changed(&turned, METHODS[m], r, u);
    for (int p = 0; p < n; ++p) {
      double expected = 0.0;
      for (int a = 0; a < n; ++a) expected += Q[p * n + a] * x.r[a];
      assert_near(r[p], expected, 1e-10);
    }
  }
}

static void the_numbering_of_contacts_does_not_matter(void** state) {
  (void)state;
  static Reference x;
  for (int m = 0; m < METHOD_COUNT; ++m) {
    make_reference(&x, METHODS[m]);
    int n = x.dense.rows, from[DENSE_ROWS];
    DenseProblem permuted = x.dense;
    // contact i was contact 5 i + 3 (5 and 12 have no common factor)
    for (int p = 0; p < n; ++p) from[p] = 3 * ((5 * (p / 3) + 3) % x.dense.count) + p % 3;
    for (int p = 0; p < n; ++p) {
      permuted.b[p] = x.dense.b[from[p]];
      for (int q = 0; q < n; ++q) permuted.W[p * n + q] = x.dense.W[from[p] * n + from[q]];
    }
    double r[DENSE_ROWS], u[DENSE_ROWS];
    solve_changed(&permuted, METHODS[m], r, u);
    for (int p = 0; p < n; ++p) assert_near(r[p], x.r[from[p]], 1e-10);
  }
}

// The last contact is there twice: W is singular, how the two share is open, what they do together is not.
static void two_copies_of_a_contact_share_its_impulse(void** state) {
  (void)state;
  static Reference x;
  for (int m = 0; m < METHOD_COUNT; ++m) {
    make_reference(&x, METHODS[m]);
    // every contact of the first ten, then contact 10 twice; contact 11 is left out of both problems
    x.dense.count = 11;
    DenseProblem one = x.dense, two = x.dense;
    int n = x.dense.rows, n1 = 33, n2 = 36;
    one.rows = n1;
    two.rows = n2;
    two.count = 12;
    for (int p = 0; p < n2; ++p) {
      int a = p < n1 ? p : p - 3;
      two.b[p] = x.dense.b[a];
      if (p < n1) one.b[p] = x.dense.b[p];
      for (int q = 0; q < n2; ++q) {
        int b = q < n1 ? q : q - 3;
        two.W[p * n2 + q] = x.dense.W[a * n + b];
        if (p < n1 && q < n1) one.W[p * n1 + q] = x.dense.W[p * n + q];
      }
    }
    double r1[DENSE_ROWS], u1[DENSE_ROWS], r2[DENSE_ROWS], u2[DENSE_ROWS];
    solve_changed(&one, METHODS[m], r1, u1);
    solve_changed(&two, METHODS[m], r2, u2);
    for (int p = 0; p < n2; ++p) assert_near(u2[p], u1[p < n1 ? p : p - 3], 1e-9);
    for (int p = 0; p < n1; ++p) assert_near(p < 30 ? r2[p] : r2[p] + r2[p + 3], r1[p], 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef CAPSTAN_DIRECT
      cmocka_unit_test(newton_steps_agree_with_differences_of_the_map),
      cmocka_unit_test(the_map_vanishes_at_a_solution),
      cmocka_unit_test(problems_without_W_are_solved_as_those_with_it),
#endif
      cmocka_unit_test(every_law_and_dimension_is_solved),
      cmocka_unit_test(a_solution_as_first_guess_comes_back_at_once),
      cmocka_unit_test(a_shift_moves_the_law_and_not_the_velocity),
      cmocka_unit_test(restitution_throws_back),
      cmocka_unit_test(no_friction_means_no_tangential_impulse),
      cmocka_unit_test(units_scale_the_answer),
      cmocka_unit_test(turning_the_tangents_turns_the_impulses),
      cmocka_unit_test(the_numbering_of_contacts_does_not_matter),
      cmocka_unit_test(two_copies_of_a_contact_share_its_impulse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
