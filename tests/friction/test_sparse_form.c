// Problems with large members: W = G G^T + A M^-1 A^T without W, against the same W made by dense algebra.
#include "friction/problem.h"
#include "sheet_scene.h"
#include "sparse/dense.h"

#ifdef CAPSTAN_DIRECT
// M of a scene as a dense matrix.
static double* dense_mass(const SheetScene* s) {
  int64_t m = 3 * (int64_t)s->node_count;
  double* M = calloc((size_t)(m * m), sizeof *M);
  for (int32_t i = 0; i < s->node_count; ++i) {
    for (int64_t k = s->M_start[i]; k < s->M_start[i + 1]; ++k) {
      for (int a = 0; a < 3; ++a) {
        for (int c = 0; c < 3; ++c) {
          double value = s->M_value[9 * k + 3 * a + c];
          M[(3 * i + a) * m + 3 * s->M_column[k] + c] = M[(3 * s->M_column[k] + c) * m + 3 * i + a] = value;
        }
      }
    }
  }
  return M;
}

// W of a scene with contacts of dimension 3, dense.
static double* dense_W(const SheetScene* s) {
  int64_t m = 3 * (int64_t)s->node_count, rows = 3 * (int64_t)s->contact_count;
  double *M = dense_mass(s), *H = calloc((size_t)(rows * m), sizeof *H), *W = calloc((size_t)(rows * rows), sizeof *W);
  double* x = calloc((size_t)m, sizeof *x);
  assert_true(cps_dense_cholesky_factor((int)m, M, 1e-14));
  for (int32_t i = 0; i < s->contact_count; ++i) {
    for (int64_t t = s->node_start[i]; t < s->node_start[i + 1]; ++t) {
      for (int e = 0; e < 9; ++e) H[(3 * i + e / 3) * m + 3 * s->node[t] + e % 3] = s->A[9 * t + e];
    }
  }
  for (int64_t j = 0; j < rows; ++j) {
    memcpy(x, H + j * m, (size_t)m * sizeof *x);
    cps_dense_cholesky_solve((int)m, M, x);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < m; ++k) W[i * rows + j] += H[i * m + k] * x[k];
    }
  }
  for (int32_t i = 0; s->body_count > 0 && i < s->contact_count; ++i) {
    for (int32_t j = 0; j < s->contact_count; ++j) {
      int64_t p = s->contact_start[i], q = s->contact_start[j];
      if (s->contact_start[i + 1] == p || s->contact_start[j + 1] == q || s->body[p] != s->body[q]) continue;
      for (int e = 0; e < 9; ++e) {
        double sum = 0.0;
        for (int k = 0; k < 6; ++k) sum += s->G[18 * p + 6 * (e / 3) + k] * s->G[18 * q + 6 * (e % 3) + k];
        W[(3 * i + e / 3) * rows + 3 * j + e % 3] += sum;
      }
    }
  }
  free(M), free(H), free(x);
  return W;
}

// Contact i of a scene touches a vertex and a triangle elsewhere on the sheet: four nodes whose far block is not in the
// pattern of M.
static void make_vertex_triangle(SheetScene* s) {
  double* frames = malloc(9 * (size_t)s->contact_count * sizeof *frames);
  memcpy(frames, s->A, 9 * (size_t)s->contact_count * sizeof *frames);
  for (int32_t i = 0; i < s->contact_count; ++i) {
    int32_t vertex = i % s->node_count, corner = (vertex + 3 * s->nx + 2) % (s->node_count - s->nx - 1);
    if (corner == vertex || corner + 1 == vertex || corner + s->nx == vertex) corner = 0;
    if (vertex <= 1 || vertex == s->nx) vertex = s->node_count - 1;
    int32_t nodes[4] = {vertex, corner, corner + 1, corner + s->nx};
    const double weight[4] = {1.0, -0.2, -0.3, -0.5};
    s->node_start[i + 1] = 4 * (int64_t)(i + 1);
    for (int t = 0; t < 4; ++t) {
      s->node[4 * i + t] = nodes[t];
      for (int e = 0; e < 9; ++e) s->A[9 * (4 * i + t) + e] = weight[t] * frames[9 * i + e];
    }
  }
  free(frames);
}

// Nothing couples the nodes but contacts, as in a medium of grains: M is diagonal, with one mass a node.
static void make_diagonal(SheetScene* s) {
  for (int32_t i = 0; i < s->node_count; ++i) {
    s->M_start[i + 1] = i + 1;
    s->M_column[i] = i;
    for (int e = 0; e < 9; ++e) s->M_value[9 * i + e] = e % 4 == 0 ? 1.0 + 0.1 * (i % 7) : 0.0;
  }
}

static void check_operators(const SheetScene* s) {
  CpsProblem* p = sheet_problem(s);
  double* W = dense_W(s);
  int64_t rows = 3 * (int64_t)s->contact_count;
  assert_int_equal(cps_problem_row_count(p), rows);
  assert_int_equal(cps_problem_node_count(p), s->node_count);
  double largest = 0.0;
  for (int64_t k = 0; k < rows * rows; ++k) largest = fmax(largest, fabs(W[k]));
  // the solves lose a few digits to the condition of M, about 1e3
  for (int32_t i = 0; i < s->contact_count; ++i) {
    double trace = 0.0;
    for (int e = 0; e < 9; ++e) {
      assert_near(cps_contact_W(p, i)[e], W[(3 * i + e / 3) * rows + 3 * i + e % 3], 1e-12 * largest);
    }
    for (int a = 0; a < 3; ++a) trace += W[(3 * i + a) * rows + 3 * i + a];
    assert_near(p->xi[i] * trace, 3.0, 1e-10);
  }
  int64_t count = cps_problem_W_entry_count(p);
  assert_true(count > 0 && count <= rows * rows);
  int64_t* start = malloc((size_t)(rows + 1) * sizeof *start);
  int32_t* col = malloc((size_t)count * sizeof *col);
  double* value = malloc((size_t)count * sizeof *value);
  double *seen = calloc((size_t)(rows * rows), sizeof *seen), *r = malloc((size_t)rows * sizeof *r),
         *u = malloc((size_t)rows * sizeof *u);
  assert_int_equal(cps_problem_W_csr(p, start, col, value), CPS_OK);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = start[i]; k < start[i + 1]; ++k) seen[i * rows + col[k]] = value[k];
  }
  for (int64_t k = 0; k < rows * rows; ++k) assert_near(seen[k], W[k], 1e-12 * largest);
  for (int64_t i = 0; i < rows; ++i) {  // formed, it is symmetric to the last bit
    for (int64_t j = 0; j < i; ++j) assert_true(seen[i * rows + j] == seen[j * rows + i]);
  }
  for (int64_t k = 0; k < rows; ++k) r[k] = sheet_random();
  assert_int_equal(cps_problem_velocity(p, r, u), CPS_OK);
  for (int64_t i = 0; i < rows; ++i) {
    double sum = s->b[i];
    for (int64_t j = 0; j < rows; ++j) sum += W[i * rows + j] * r[j];
    assert_near(u[i], sum, 1e-11 * largest * (double)rows);
  }
  free(W), free(start), free(col), free(value), free(seen), free(r), free(u);
  cps_problem_destroy(p);
}

static void W_through_the_factor_is_W(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(7, 6, 20, 1, 0.5, 0.3, 0, 3);
  check_operators(s);
  make_vertex_triangle(s);
  check_operators(s);
  sheet_free(s);
  s = sheet_on_planes(7, 6, 20, 2, 0.5, 0.3, 3, 4);
  check_operators(s);
  make_diagonal(s);
  check_operators(s);
  make_vertex_triangle(s);
  check_operators(s);
  sheet_free(s);
}

// v = M^-1 A^T r and z = G^T r, and they give the velocity of the contacts.
static void members_move_as_the_contacts_say(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(6, 5, 15, 1, 0.5, 0.3, 2, 5);
  CpsProblem* p = sheet_problem(s);
  double v[90], work[90], z[12], r[45], u[45];
  for (int k = 0; k < 45; ++k) r[k] = sheet_random();
  assert_int_equal(cps_problem_sparse_velocity(p, r, v, z, work), CPS_OK);
  assert_int_equal(cps_problem_sparse_velocity(p, r, NULL, z, work), CPS_BAD_ARGUMENT);
  double* M = dense_mass(s);
  for (int a = 0; a < 90; ++a) {  // M v = A^T r
    double left = 0.0, right = 0.0;
    for (int c = 0; c < 90; ++c) left += M[a * 90 + c] * v[c];
    for (int i = 0; i < 15; ++i) {
      for (int k = 0; k < 3 && s->node[i] == a / 3; ++k) right += s->A[9 * i + 3 * k + a % 3] * r[3 * i + k];
    }
    assert_near(left, right, 1e-11);
  }
  assert_int_equal(cps_problem_velocity(p, r, u), CPS_OK);
  for (int i = 0; i < 15; ++i) {
    for (int k = 0; k < 3; ++k) {
      double sum = s->b[3 * i + k];
      for (int c = 0; c < 3; ++c) sum += s->A[9 * i + 3 * k + c] * v[3 * s->node[i] + c];
      for (int64_t t = s->contact_start[i]; t < s->contact_start[i + 1]; ++t) {
        for (int c = 0; c < 6; ++c) sum += s->G[18 * t + 6 * k + c] * z[6 * s->body[t] + c];
      }
      assert_near(u[3 * i + k], sum, 1e-11);
    }
  }
  free(M);
  cps_problem_destroy(p);
  sheet_free(s);
}

static void without_nodes_it_is_the_problem_of_the_bodies(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(4, 4, 12, 1, 0.5, 0.3, 3, 6);
  CpsContactsDef def = sheet_contacts(s);
  CpsSparseForm form = sheet_form(s);
  form.node_count = 0;
  CpsProblem *a = NULL, *b = NULL;
  assert_int_equal(cps_problem_from_sparse(&def, &form, &a, NULL), CPS_OK);
  assert_int_equal(cps_problem_from_bodies(&def, &form.small, &b, NULL), CPS_OK);
  assert_memory_equal(a->diag, b->diag, 9 * 12 * sizeof(double));
  double r[2][36] = {{0}}, z[18];
  CpsSolveOptions options = cps_solve_options_default();
  assert_int_equal(cps_problem_solve(a, &options, r[0], NULL, NULL), cps_problem_solve(b, &options, r[1], NULL, NULL));
  assert_memory_equal(r[0], r[1], sizeof r[0]);
  assert_int_equal(cps_problem_sparse_velocity(a, r[0], NULL, z, NULL), CPS_OK);
  cps_problem_destroy(a);
  cps_problem_destroy(b);
  sheet_free(s);
}

// Two sheets are two islands, unless a body lies on both.
static void islands_follow_the_members(void** state) {
  (void)state;
  for (int32_t bodies = 0; bodies < 2; ++bodies) {
    SheetScene* s = sheet_create(3, 3, 2, 8, bodies);
    sheet_fill_mass(s, 0.1, 1.0);
    for (int32_t i = 0; i < 8; ++i) {
      s->node[i] = i < 5 ? i : i + 6;
      s->node_start[i + 1] = i + 1;
      for (int a = 0; a < 3; ++a) s->A[9 * i + 4 * a] = 1.0;
      s->b[3 * i] = -1.0;
      bool on_body = bodies > 0 && (i == 1 || i == 6);
      for (int a = 0; a < 3 && on_body; ++a) s->G[18 * s->contact_start[i] + 7 * a] = 1.0;
      s->contact_start[i + 1] = s->contact_start[i] + on_body;
    }
    CpsProblem* p = sheet_problem(s);
    int32_t island[8], count;
    assert_int_equal(cps_problem_islands(p, island, &count), CPS_OK);
    assert_int_equal(count, bodies > 0 ? 1 : 2);
    for (int i = 0; i < 8; ++i) assert_int_equal(island[i], bodies > 0 || i < 5 ? 0 : 1);
    CpsProblemInfo info;
    assert_int_equal(cps_problem_describe(p, &info), CPS_OK);
    assert_int_equal(info.block_count, bodies > 0 ? 25 + 9 + 2 : 25 + 9);
    assert_int_equal(info.dof_count, 54 + 6 * bodies);
    assert_int_equal(info.rank, 24);
    assert_false(cps_contact_is_isolated(p, 0));
    cps_problem_destroy(p);
    sheet_free(s);
  }
}

static void check_methods(const SheetScene* s) {
  CpsProblem* p = sheet_problem(s);
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    const CpsMethodInfo* method = cps_method_info((CpsMethod)m);
    if (!method->available || !method->exact) continue;
    CpsSolveOptions options = cps_solve_options_default();
    options.method = (CpsMethod)m;
    options.tolerance = 1e-7;
    double r[36] = {0};
    CpsSolveInfo info;
    CpsError error;
    CpsStatus status = cps_problem_solve(p, &options, r, &info, &error);
    if (status == CPS_UNSUPPORTED) continue;
    if (status != CPS_OK) fail_msg("%s: %s", method->name, error.text);
    CpsResidual residual;
    assert_int_equal(cps_problem_residual(p, r, &residual), CPS_OK);
    assert_near(residual.natural, info.residual, 1e-14);
  }
  cps_problem_destroy(p);
}

// Every method that takes Coulomb's law sees the same problem as through an explicit W.
static void dual_methods_solve_it(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(6, 6, 12, 1, 0.4, 0.2, 2, 7);
  check_methods(s);
  make_diagonal(s);
  check_methods(s);
  sheet_free(s);
}

static void assert_refused(const SheetScene* s, const CpsSparseForm* form, CpsStatus status) {
  CpsContactsDef def = sheet_contacts(s);
  CpsProblem* p = NULL;
  CpsError error = {0};
  assert_int_equal(cps_problem_from_sparse(&def, form, &p, &error), status);
  assert_null(p);
  assert_true(strlen(error.text) > 10);
}

static void bad_members_are_refused(void** state) {
  (void)state;
  SheetScene* s = sheet_on_planes(4, 4, 5, 1, 0.5, 0.3, 0, 8);
  CpsSparseForm form = sheet_form(s);
  form.node_count = -1;
  assert_refused(s, &form, CPS_BAD_DATA);
  form = sheet_form(s);
  form.M_value = NULL;
  assert_refused(s, &form, CPS_BAD_ARGUMENT);
  form = sheet_form(s);
  form.node_start = NULL;
  assert_refused(s, &form, CPS_BAD_DATA);
  form = sheet_form(s);
  double keep = s->M_value[10];
  s->M_value[10] = NAN;
  assert_refused(s, &form, CPS_BAD_DATA);
  s->M_value[10] = keep;
  s->node[2] = 16;
  assert_refused(s, &form, CPS_BAD_DATA);
  s->node[2] = 0;
  s->A[11] = INFINITY;
  assert_refused(s, &form, CPS_BAD_DATA);
  s->A[11] = 0.0;
  double* D = s->M_value + 9 * (s->M_start[8] - 1);  // an indefinite mass
  D[0] -= 100.0;
  assert_refused(s, &form, CPS_BAD_DATA);
  D[0] += 100.0;
  s->M_column[s->M_start[8] - 1] = 8;
  assert_refused(s, &form, CPS_BAD_DATA);
  s->M_column[s->M_start[8] - 1] = 7;
  CpsContactsDef def = sheet_contacts(s);
  CpsProblem* p = sheet_problem(s);
  assert_int_equal(cps_problem_refill_sparse(p, &def, NULL, NULL), CPS_BAD_ARGUMENT);
  form.M_value = NULL;
  assert_int_equal(cps_problem_refill_sparse(p, &def, &form, NULL), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_problem_contact_count(p), 0);
  form = sheet_form(s);
  assert_int_equal(cps_problem_refill_sparse(p, &def, &form, NULL), CPS_OK);
  assert_int_equal(cps_problem_contact_count(p), 5);
  cps_problem_destroy(p);
  sheet_free(s);
}

#endif

int main(void) {
#ifndef CAPSTAN_DIRECT
  printf("skipped: a build without the direct methods has no sparse form\n");
  return 0;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(W_through_the_factor_is_W),
      cmocka_unit_test(members_move_as_the_contacts_say),
      cmocka_unit_test(without_nodes_it_is_the_problem_of_the_bodies),
      cmocka_unit_test(islands_follow_the_members),
      cmocka_unit_test(dual_methods_solve_it),
      cmocka_unit_test(bad_members_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
