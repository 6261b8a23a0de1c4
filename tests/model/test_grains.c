// Grains as a continuum: tensors as vectors, transfers between particles and nodes, and one step as a contact problem in the plane
// and in space.
#include "capstan/problem.h"
#include "capstan/solve.h"
#include "core/random.h"
#include "model/grains.h"
#include "test_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double random_in(CpsRandom* random) {
  return 2.0 * cps_random_uniform(random) - 1.0;
}

static double contract(const CpsMat3* a, const CpsMat3* b) {
  double sum = 0.0;
  for (int i = 0; i < 9; ++i) sum += a->m[i] * b->m[i];
  return sum;
}

// chi keeps |t|^2 = t:t/2, and the rows of a block are chi^-1 of the symmetric gradient.
static void test_tensors(void** unused) {
  (void)unused;
  CpsRandom random = cps_random_seed(7);
  for (int dim = 2; dim <= 3; ++dim) {
    const int rows = cps_tensor_rows(dim);
    for (int n = 0; n < 100; ++n) {
      double x[6] = {0}, y[6] = {0}, A[18];
      for (int k = 0; k < rows; ++k) x[k] = random_in(&random), y[k] = random_in(&random);
      const CpsMat3 s = cps_tensor_of(dim, x), t = cps_tensor_of(dim, y);
      double dot = 0.0;
      for (int k = 0; k < rows; ++k) dot += x[k] * y[k];
      assert_near(contract(&s, &t), 2.0 * dot, 1e-14);
      assert_near((s.m[0] + s.m[4] + s.m[8]) / dim, cps_tensor_pressure(dim, x[0]), 1e-15);
      const CpsVec3 g = {random_in(&random), dim == 2 ? 0.0 : random_in(&random), random_in(&random)};
      const CpsVec3 v = {random_in(&random), dim == 2 ? 0.0 : random_in(&random), random_in(&random)};
      cps_tensor_block(dim, g, A);
      for (int k = 0; k < rows; ++k) y[k] = cps_vec3_dot(cps_vec3_get(A + 3 * k), v);
      const CpsMat3 D = cps_tensor_of(dim, y), gradient = cps_mat3_outer(v, g);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          assert_near(D.m[3 * i + j], 0.5 * (gradient.m[3 * i + j] + gradient.m[3 * j + i]), 1e-15);
        }
      }
    }
  }
}

// In the plane Drucker and Prager's cone is Mohr and Coulomb's with mu = sin(phi): no stress is in one and not in the other.
static void test_mohr_coulomb(void** unused) {
  (void)unused;
  CpsRandom random = cps_random_seed(3);
  for (int n = 0; n < 100000; ++n) {
    const double x[3] = {cps_random_uniform(&random), random_in(&random), random_in(&random)};
    const double mu = cps_random_uniform(&random), phi = asin(mu), slope = tan(phi);
    // the largest of |tau| - sigma tan(phi) over all directions, from the principal stresses of compression
    const double centre = x[0], radius = hypot(x[1], x[2]);
    const double most = radius * cos(phi) - (centre - radius * sin(phi)) * slope;
    const bool inside = most <= 0.0, cone = radius <= cps_tensor_mu(2, mu) * x[0];
    if (fabs(radius - mu * x[0]) > 1e-12) assert_true(inside == cone);
  }
}

// Particles somewhere, with velocities that are affine around each of them.
static CpsGrains* make_cloud(int dim, CpsStressAt at) {
  CpsRandom random = cps_random_seed(11);
  CpsGrains* m = cps_grains_create(dim, 0.1);
  m->at = at;
  assert_true(cps_grains_reserve(m, 200));
  m->group = calloc(1, sizeof *m->group);
  m->group[0] = (CpsGrainGroup){.mu = 0.4, .fraction_max = 0.6, .wall_mu = NAN};
  m->group_count = 1;
  for (m->count = 0; m->count < 200; ++m->count) {
    const int32_t p = m->count;
    m->x[p] = cps_vec3(0.4 * random_in(&random), dim == 2 ? 0.0 : 0.4 * random_in(&random), 0.4 * random_in(&random));
    m->v[p] = cps_vec3(random_in(&random), dim == 2 ? 0.0 : random_in(&random), random_in(&random));
    m->C[p] = (CpsMat3){{0}};
    for (int i = 0; i < 9; ++i) {
      if (dim == 3 || (i / 3 != 1 && i % 3 != 1)) m->C[p].m[i] = 5.0 * random_in(&random);
    }
    m->fraction[p] = 0.5;
    m->volume[p] = 1e-4 * (1.5 + random_in(&random));
    m->mass[p] = 2600.0 * m->volume[p];
    m->group_of[p] = 0;
    m->status[p] = CPS_CONTACT_TAKEOFF;
    memset(m->stress[p], 0, sizeof m->stress[p]);
  }
  m->model.count = 1;
  return m;
}

static void node_sums(const CpsGrains* m, double* mass, CpsVec3* linear, CpsVec3* angular) {
  *mass = 0.0;
  *linear = *angular = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < m->grid.node_count; ++i) {
    const CpsVec3 p = cps_vec3_scale(m->node_mass[i], m->before[i]);
    *mass += m->node_mass[i];
    *linear = cps_vec3_add(*linear, p);
    *angular = cps_vec3_add(*angular, cps_vec3_cross(cps_grid_position(&m->grid, m->grid.node_at[i]), p));
  }
}

static void assert_same(CpsVec3 a, CpsVec3 b, double within) {
  assert_near(a.x, b.x, within);
  assert_near(a.y, b.y, within);
  assert_near(a.z, b.z, within);
}

// Mass, momentum and angular momentum pass from particles to nodes and back without loss; kinetic energy does not grow.
static void test_transfers(void** unused) {
  (void)unused;
  for (int dim = 2; dim <= 3; ++dim) {
    CpsGrains* m = make_cloud(dim, CPS_STRESS_AT_NODES);
    CpsModelStep step = {.h = 1e-300, .theta = 1.0};  // nothing moves
    CpsVec3 p = {0.0, 0.0, 0.0}, L = p, q, K;
    double mass = 0.0, nodes;
    m->table.momentum(&m->model, 0, 1, &p, &L);
    m->table.weigh(&m->model, 0, 1, &mass);
    const double before = cps_grains_kinetic(m);
    assert_true(cps_grains_lay(m, &step));
    node_sums(m, &nodes, &q, &K);
    assert_near(nodes, mass, 1e-12);
    assert_same(q, p, 1e-12);
    assert_same(K, L, 1e-12);
    double middle = 0.0;
    for (int32_t i = 0; i < m->grid.node_count; ++i) {
      middle += 0.5 * m->node_mass[i] * cps_vec3_dot(m->before[i], m->before[i]);
    }
    assert_true(middle < before);
    m->table.fly(&m->model, &step, 0);
    cps_grains_to_particles(m, &step);
    q = K = cps_vec3(0.0, 0.0, 0.0);
    m->table.momentum(&m->model, 0, 1, &q, &K);
    assert_same(q, p, 1e-12);
    assert_same(K, L, 1e-12);
    assert_true(cps_grains_kinetic(m) < middle);
    m->table.destroy(&m->model);
  }
}

// An affine velocity is carried exactly, and each stress sees its gradient: u = sqrt(2/S) V chi^-1(D), in the unit of its block.
static void test_affine_is_exact(void** unused) {
  (void)unused;
  for (int dim = 2; dim <= 3; ++dim) {
    for (int at = 0; at < 2; ++at) {
      CpsGrains* m = make_cloud(dim, (CpsStressAt)at);
      CpsMat3 C = m->C[0], D;
      for (int i = 0; i < 9; ++i) D.m[i] = 0.5 * (C.m[i] + C.m[i % 3 * 3 + i / 3]);
      for (int32_t p = 0; p < m->count; ++p) {
        m->C[p] = C;
        m->v[p] = cps_mat3_apply(C, m->x[p]);
      }
      CpsModelStep step = {.h = 1e-300, .theta = 1.0};
      assert_true(cps_grains_lay(m, &step));
      for (int32_t i = 0; i < m->stress_count; ++i) {
        CpsGrainBlock b;
        cps_grains_block(m, &step, i, &b);
        if (b.node_count < m->grid.corners) continue;  // a light node is not seen
        double u[6] = {0};
        for (int k = 0; k < b.node_count; ++k) {
          double A[3 * CPS_TENSOR_MOST];
          cps_tensor_block(dim, b.gradient[k], A);
          for (int r = 0; r < b.rows; ++r) u[r] += cps_vec3_dot(cps_vec3_get(A + 3 * r), m->before[b.node[k]]);
        }
        const double S = dim == 2 ? 1e-2 : 1e-3, by = m->at_stress[i].unit * sqrt(S / 2.0) / m->at_stress[i].volume;
        for (int r = 0; r < b.rows; ++r) u[r] *= by;
        const CpsMat3 seen = cps_tensor_of(dim, u);
        for (int k = 0; k < 9; ++k) assert_near(seen.m[k], D.m[k], 1e-6);
      }
      m->table.destroy(&m->model);
    }
  }
}

// Every block weighs alike in the residual, xi = rows / tr W being that of a full node, however little of a particle a stress has. (Without
// units, xi differs by a factor of 50 between the blocks of this cloud, and by 1e9 between those of a splash.)
static void test_blocks_weigh_alike(void** unused) {
  (void)unused;
  for (int dim = 2; dim <= 3; ++dim) {
    CpsGrains* m = make_cloud(dim, CPS_STRESS_AT_NODES);
    const CpsModelStep step = {.h = 1e-3, .theta = 1.0};
    assert_true(cps_grains_lay(m, &step));
    double least = INFINITY, most = 0.0;
    for (int32_t i = 0; i < m->stress_count; ++i) {
      CpsGrainBlock b;
      cps_grains_block(m, &step, i, &b);
      double trace = 0.0;
      for (int k = 0; k < b.node_count; ++k) {
        double A[3 * CPS_TENSOR_MOST];
        cps_tensor_block(dim, b.gradient[k], A);
        for (int j = 0; j < 3 * b.rows; ++j) trace += A[j] * A[j] / m->node_mass[b.node[k]];
      }
      least = fmin(least, trace);
      most = fmax(most, trace);
    }
    if (!(most <= (1.0 + 1e-9) * least)) fail_msg("dimension %d: tr W from %g to %g", dim, least, most);
    m->table.destroy(&m->model);
  }
}

// A problem with the blocks of a medium that fills a box, and the walls and the floor of the box.
typedef struct Problem {
  int32_t count, terms;
  int64_t rows, values;
  int32_t *dims, *node;
  double *mu, *b, *shift, *A, *r;
  int64_t* start;
  int32_t floor;  // first contact of the walls
} Problem;

static CpsGrains* make_box(int dim, CpsStressAt at, int32_t wide, int32_t high) {
  CpsGrains* m = cps_grains_create(dim, 0.1);
  m->at = at;
  const int32_t per = 2, deep = dim == 2 ? 1 : per * wide;
  assert_true(cps_grains_reserve(m, per * wide * deep * per * high));
  m->group = calloc(1, sizeof *m->group);
  m->group[0] = (CpsGrainGroup){.mu = 0.5, .fraction_max = 0.6, .wall_mu = NAN};
  m->group_count = 1;
  for (int32_t i = 0; i < per * wide; ++i) {
    for (int32_t j = 0; j < deep; ++j) {
      for (int32_t k = 0; k < per * high; ++k) {
        const int32_t p = m->count++;
        m->x[p] = cps_vec3((i + 0.5) * 0.05, dim == 2 ? 0.0 : (j + 0.5) * 0.05, (k + 0.5) * 0.05);
        m->v[p] = cps_vec3(0.0, 0.0, 0.0);
        m->C[p] = (CpsMat3){{0}};
        m->fraction[p] = 0.6;
        m->volume[p] = 0.6 * (dim == 2 ? 0.0025 : 0.000125);
        m->mass[p] = 2600.0 * m->volume[p];
        m->group_of[p] = 0;
        m->status[p] = CPS_CONTACT_TAKEOFF;
        memset(m->stress[p], 0, sizeof m->stress[p]);
      }
    }
  }
  m->model.count = 1;
  return m;
}

static void add_term(Problem* p, const CpsGrains* m, int32_t node, int rows, const double* A) {
  p->node[p->terms++] = node;
  memcpy(p->A + p->values, A, 3 * (size_t)rows * sizeof *A);
  p->values += 3 * rows;
  for (int r = 0; r < rows; ++r) p->b[p->rows + r] += cps_vec3_dot(cps_vec3_get(A + 3 * r), m->free[node]);
}

static void end_contact(Problem* p, int rows, double mu) {
  p->dims[p->count] = rows;
  p->mu[p->count++] = mu;
  p->rows += rows;
  p->start[p->count] = p->terms;
}

static void fill(const CpsGrains* m, const CpsModelStep* step, int32_t wide, Problem* p) {
  const CpsGrainGrid* g = &m->grid;
  const int32_t most = m->stress_count + 5 * g->node_count, terms = 27 * m->stress_count + most;
  *p = (Problem){.dims = calloc((size_t)most, sizeof *p->dims), .node = calloc((size_t)terms, sizeof *p->node)};
  p->mu = calloc((size_t)most, sizeof *p->mu);
  p->b = calloc(6 * (size_t)most, sizeof *p->b);
  p->r = calloc(6 * (size_t)most, sizeof *p->r);
  p->shift = calloc(6 * (size_t)most, sizeof *p->shift);
  p->A = calloc(18 * (size_t)terms, sizeof *p->A);
  p->start = calloc((size_t)most + 1, sizeof *p->start);
  for (int32_t i = 0; i < m->stress_count; ++i) {
    CpsGrainBlock b;
    cps_grains_block(m, step, i, &b);
    p->shift[p->rows] = b.shift;
    for (int k = 0; k < b.node_count; ++k) {
      double A[3 * CPS_TENSOR_MOST];
      cps_tensor_block(m->grid.dim, b.gradient[k], A);
      add_term(p, m, b.node[k], b.rows, A);
    }
    end_contact(p, b.rows, b.mu);
  }
  p->floor = p->count;
  for (int32_t i = 0; i < g->node_count; ++i) {
    const int32_t* at = g->node_at[i].i;
    const bool there[5] = {at[2] == 0, at[0] == 0, at[0] == wide, g->dim == 3 && at[1] == 0,
                           g->dim == 3 && at[1] == wide};
    const CpsVec3 normal[5] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int w = 0; w < 5; ++w) {
      if (!there[w]) continue;
      const CpsMat3 frame = cps_mat3_frame(normal[w], cps_vec3(1.0, 0.0, 0.0));
      add_term(p, m, i, 3, frame.m);
      end_contact(p, 3, w == 0 ? 0.5 : 0.0);
    }
  }
}

static void free_problem(Problem* p) {
  free(p->dims), free(p->node), free(p->mu), free(p->b), free(p->r), free(p->shift), free(p->A), free(p->start);
}

// A box of grains at rest: the impulses of the floor are the weight, no node moves, and the residual is that of all blocks.
static void column_rests(int dim, CpsStressAt at, CpsMethod method) {
  const int32_t wide = 3, high = 6;
  CpsGrains* m = make_box(dim, at, wide, high);
  const CpsModelStep step = {.h = 1e-3, .theta = 1.0, .gravity = {0.0, 0.0, -10.0}};
  assert_true(cps_grains_lay(m, &step));
  Problem p;
  fill(m, &step, wide, &p);
  CpsContactsDef def = cps_contacts_def_default();
  def.count = p.count;
  def.dim = 0;
  def.dims = p.dims;
  def.mu = p.mu;
  def.b = p.b;
  def.shift = p.shift;
  const CpsSparseForm form = {.node_count = m->grid.node_count,
                              .M_start = m->M_start,
                              .M_column = m->M_column,
                              .M_value = m->M_value,
                              .node_start = p.start,
                              .node = p.node,
                              .A = p.A};
  CpsProblem* problem;
  assert_int_equal(cps_problem_from_sparse(&def, &form, &problem, NULL), CPS_OK);
  CpsSolveOptions options = cps_solve_options_default();
  options.method = method;
  options.tolerance = 1e-10;
  CpsSolveInfo info;
  assert_int_equal(cps_problem_solve(problem, &options, p.r, &info, NULL), CPS_OK);
  const int64_t* offset = cps_problem_offsets(problem);
  CpsVec3 sum = {0.0, 0.0, 0.0};
  double weight = 0.0;
  for (int32_t i = p.floor; i < p.count; ++i) {
    const double *r = p.r + offset[i], *E = p.A + p.values - 9 * (p.count - i);
    const CpsMat3 frame = {{E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8]}};
    sum = cps_vec3_add(sum, cps_mat3_apply_transposed(frame, cps_vec3_get(r)));
  }
  for (int32_t k = 0; k < m->count; ++k) weight += m->mass[k] * 10.0 * step.h;
  assert_near(sum.z / weight, 1.0, 1e-6);
  assert_near(sum.x / weight, 0.0, 1e-6);
  double* v = calloc(6 * (size_t)m->grid.node_count, sizeof *v);
  assert_int_equal(cps_problem_sparse_velocity(problem, p.r, v, NULL, v + 3 * (size_t)m->grid.node_count), CPS_OK);
  for (int32_t i = 0; i < m->grid.node_count; ++i) {
    assert_true(cps_vec3_norm(cps_vec3_add(m->free[i], cps_vec3_get(v + 3 * (size_t)i))) < 1e-7);
  }
  free(v);
  cps_problem_destroy(problem);
  free_problem(&p);
  m->table.destroy(&m->model);
}

static void test_column_rests(void** unused) {
  (void)unused;
  for (int dim = 2; dim <= 3; ++dim) {
    column_rests(dim, CPS_STRESS_AT_CELLS, CPS_METHOD_SPLITTING);
    column_rests(dim, CPS_STRESS_AT_NODES, CPS_METHOD_SPLITTING);
  }
  column_rests(2, CPS_STRESS_AT_CELLS, CPS_METHOD_PROXIMAL);
}

// A grid that repeats has the nodes of the first period, and no others.
static void test_period(void** unused) {
  (void)unused;
  CpsGrainGrid g = {.dim = 2, .corners = 4, .cell = 1.0, .period = 3};
  const CpsVec3 x[4] = {{0.5, 0.0, 0.5}, {1.5, 0.0, 0.5}, {-0.5, 0.0, 0.5}, {6.25, 0.0, 0.5}};
  assert_int_equal(cps_grain_grid_build(&g, 4, x, NULL), -1);
  assert_int_equal(g.cell_count, 3);
  assert_int_equal(g.node_count, 6);
  assert_int_equal(g.cell_start[1], 2);  // the first and the last are in one cell
  const CpsVec3 far[1] = {{1e9, 0.0, 0.0}}, nan[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, NAN}};
  assert_int_equal(cps_grain_grid_build(&g, 1, far, NULL), 0);
  assert_int_equal(cps_grain_grid_build(&g, 2, nan, NULL), 1);
  assert_int_equal(cps_grain_grid_build(&g, 0, x, NULL), -1);
  assert_int_equal(g.cell_count, 0);
  cps_grain_grid_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensors),
      cmocka_unit_test(test_mohr_coulomb),
      cmocka_unit_test(test_transfers),
      cmocka_unit_test(test_affine_is_exact),
      cmocka_unit_test(test_blocks_weigh_alike),
      cmocka_unit_test(test_column_rests),
      cmocka_unit_test(test_period),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
