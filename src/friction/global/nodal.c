// `nodal`: Gauss-Seidel over the nodes of sheets and solids, with the roles of impulse and velocity exchanged.
//
// If each contact touches one node and a node has at most one contact, the rows of M v = A^T r belong to one node each:
//
//   M_kk v_k = A_k^T r_k - sum_{l != k} M_kl v_l                                                                   (1)
//
// With v' = -M_kk^-1 sum_{l != k} M_kl v_l, node k sees
//
//   u_k = (A_k M_kk^-1 A_k^T) r_k + A_k v' + b_k,   (u_k, r_k) in the law,   v_k = v' + M_kk^-1 A_k^T r_k          (2)
//
// and a node without contact moves to v'. This is Gauss-Seidel on the sparse matrix What = G M G^T (Bertails-Descoubes 2017,
// eq. 3.14, with the sign of bhat corrected) instead of the dense W = G M^-1 G^T. The enumeration solves the law in (2)
// exactly, so each visit includes the fixed point on s = ||u_T||.
//
// Sweeps alternate forward and backward. M provides the coupling, so the rate depends on the stiffness of the sheet relative to
// the mass of its nodes, not on the number of contacts: a few sweeps for short steps, thousands for stiff sheets.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "core/error.h"
#include "friction/sparse_part.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Sweeps between two measurements of the residual, each of which costs a solve with the factor of M.
enum { MEASURE_EVERY = 10 };

typedef struct Nodal {
  const CpsProblem* problem;
  int64_t* start;    // node_count + 1: neighbours of each node
  int32_t* node;     // the neighbour,
  double* block;     // and M_kl
  double* inverse;   // M_kk^-1
  int32_t* contact;  // of each node, -1: none
  double* W;         // A_k M_kk^-1 A_k^T, placed like problem->diag
  double* v;
} Nodal;

// Finds the contact of each node. CPS_UNSUPPORTED if the method does not apply.
static CpsStatus assign_contacts(CpsSolve* solve, Nodal* x) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  for (int32_t k = 0; k < s->node_count; ++k) x->contact[k] = -1;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    int64_t nodes = s->node_start[i + 1] - s->node_start[i];
    if (nodes != 1 || p->factors.contact_start[i + 1] > p->factors.contact_start[i]) {
      return cps_fail(solve->error, CPS_UNSUPPORTED,
                      "method 'nodal' wants one node per contact and nothing else, contact %" PRId32 " is different",
                      i);
    }
    int32_t k = s->node[s->node_start[i]];
    if (x->contact[k] >= 0) {
      return cps_fail(solve->error, CPS_UNSUPPORTED,
                      "method 'nodal' wants at most one contact per node, node %" PRId32 " has contacts %" PRId32
                      " and %" PRId32,
                      k, x->contact[k], i);
    }
    x->contact[k] = i;
  }
  return CPS_OK;
}

// Both triangles of M without the diagonal, by rows.
static bool list_neighbours(CpsSolve* solve, Nodal* x) {
  const CpsSparsePart* s = x->problem->sparse;
  int32_t n = s->node_count;
  int64_t count = 2 * (s->M_start[n] - n);
  x->start = CPS_TAKE_ZERO(solve->arena, int64_t, (int64_t)n + 2);
  x->node = CPS_TAKE(solve->arena, int32_t, count);
  x->block = CPS_TAKE(solve->arena, double, 9 * count);
  if (!x->start || !x->node || !x->block) return false;
  for (int pass = 0; pass < 2; ++pass) {  // count two positions ahead, then fill one ahead
    for (int32_t k = 0; k < n; ++k) {
      for (int64_t e = s->M_start[k]; e < s->M_start[k + 1] - 1; ++e) {
        int32_t l = s->M_column[e];
        if (pass == 0) {
          x->start[k + 2]++;
          x->start[l + 2]++;
          continue;
        }
        int64_t here = x->start[k + 1]++, there = x->start[l + 1]++;
        x->node[here] = l;
        x->node[there] = k;
        for (int q = 0; q < 9; ++q) {
          x->block[9 * here + q] = s->M_value[9 * e + q];
          x->block[9 * there + q] = s->M_value[9 * e + 3 * (q % 3) + q / 3];
        }
      }
    }
    for (int32_t k = 0; pass == 0 && k < n; ++k) x->start[k + 2] += x->start[k + 1];
  }
  return true;
}

// Inverse of a symmetric positive definite 3 x 3 matrix by its cofactors.
static void invert(const double* M, double* inverse) {
  double c00 = M[4] * M[8] - M[5] * M[7], c01 = M[5] * M[6] - M[3] * M[8], c02 = M[3] * M[7] - M[4] * M[6];
  double det = M[0] * c00 + M[1] * c01 + M[2] * c02;
  inverse[0] = c00 / det, inverse[1] = inverse[3] = c01 / det, inverse[2] = inverse[6] = c02 / det;
  inverse[4] = (M[0] * M[8] - M[2] * M[6]) / det;
  inverse[5] = inverse[7] = (M[2] * M[3] - M[0] * M[5]) / det;
  inverse[8] = (M[0] * M[4] - M[1] * M[3]) / det;
}

static void multiply(const double* M, const double* x, double* y) {
  for (int a = 0; a < 3; ++a) y[a] = M[3 * a] * x[0] + M[3 * a + 1] * x[1] + M[3 * a + 2] * x[2];
}

static void fill_local(Nodal* x) {
  const CpsProblem* p = x->problem;
  const CpsSparsePart* s = p->sparse;
  for (int32_t k = 0; k < s->node_count; ++k) {
    invert(s->M_value + 9 * (s->M_start[k + 1] - 1), x->inverse + 9 * (int64_t)k);
    int32_t i = x->contact[k];
    if (i < 0) continue;
    int d = cps_contact_dim(p, i);
    const double* A = s->A + s->at[s->node_start[i]];
    double* W = x->W + cps_diag_at(p, i);
    for (int a = 0; a < d; ++a) {
      double column[3];
      multiply(x->inverse + 9 * (int64_t)k, A + 3 * a, column);
      for (int c = 0; c < d; ++c)
        W[c * d + a] = A[3 * c] * column[0] + A[3 * c + 1] * column[1] + A[3 * c + 2] * column[2];
    }
  }
}

// (2) for node k.
static void visit(CpsSolve* solve, const Nodal* x, const CpsLocalSettings* settings, int32_t k, double* r) {
  const CpsProblem* p = x->problem;
  double g[3] = {0}, *v_k = x->v + 3 * (int64_t)k;
  for (int64_t e = x->start[k]; e < x->start[k + 1]; ++e) {
    double part[3];
    multiply(x->block + 9 * e, x->v + 3 * (int64_t)x->node[e], part);
    for (int a = 0; a < 3; ++a) g[a] -= part[a];
  }
  int32_t i = x->contact[k];
  if (i >= 0) {
    const CpsSparsePart* s = p->sparse;
    const double *A = s->A + s->at[s->node_start[i]], *W = x->W + cps_diag_at(p, i);
    int d = cps_contact_dim(p, i);
    double b[CPS_DIM_MAX], trace = 0.0, *r_i = r + p->offset[i];
    double v[3];
    multiply(x->inverse + 9 * (int64_t)k, g, v);
    for (int a = 0; a < d; ++a) {
      b[a] = p->b[p->offset[i] + a] + A[3 * a] * v[0] + A[3 * a + 1] * v[1] + A[3 * a + 2] * v[2];
      trace += W[a * d + a];
    }
    CpsLocalProblem one = {
        .dim = d, .law = (CpsLaw)p->law[i], .mu = p->mu[i], .xi = trace > 0.0 ? d / trace : 1.0, .W = W, .b = b};
    solve->local_calls++;
    solve->local_unsolved += cps_local_enum.solve(&one, NULL, settings, r_i) != CPS_LOCAL_SOLVED;
    for (int a = 0; a < d; ++a) {
      for (int c = 0; c < 3; ++c) g[c] += A[3 * a + c] * r_i[a];
    }
  }
  multiply(x->inverse + 9 * (int64_t)k, g, v_k);
}

static CpsStatus prepare(CpsSolve* solve, const double* r, Nodal* x) {
  const CpsProblem* p = solve->problem;
  int32_t n = p->sparse->node_count;
  *x = (Nodal){.problem = p};
  x->contact = CPS_TAKE(solve->arena, int32_t, n);
  x->inverse = CPS_TAKE(solve->arena, double, 9 * (int64_t)n);
  x->W = CPS_TAKE(solve->arena, double, cps_diag_at(p, p->contact_count));
  x->v = CPS_TAKE(solve->arena, double, 6 * (int64_t)n);
  if (!x->contact || !x->inverse || !x->W || !x->v || !list_neighbours(solve, x)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the nodal method");
  }
  CpsStatus status = assign_contacts(solve, x);
  if (status != CPS_OK) return status;
  fill_local(x);
  cps_sparse_push(p, r, x->v, x->v + 3 * (int64_t)n);
  return CPS_OK;
}

static CpsStatus sweep(CpsSolve* solve, double* r) {
  Nodal x;
  CpsStatus status = prepare(solve, r, &x);
  if (status != CPS_OK) return status;
  CpsLocalSettings settings = {
      .tolerance = fmax(1e-2 * fmin(solve->options->tolerance, 1e-6), 1e-14), .max_iterations = 100, .facets = 4};
  int32_t n = x.problem->sparse->node_count;
  bool go = true;
  for (int64_t k = 1; go; ++k) {
    for (int32_t q = 0; q < n; ++q) visit(solve, &x, &settings, k % 2 ? q : n - 1 - q, r);
    go = k % MEASURE_EVERY == 0 ? cps_solve_check(solve, r, NULL, NULL) : cps_solve_tick(solve);
  }
  return CPS_OK;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  return solve->problem->sparse ? sweep(solve, r) : cps_method_gs.run(solve, r);
}
#endif

const CpsMethodEntry cps_method_nodal = {
    .info = {.name = "nodal",
             .summary = "Gauss-Seidel over the nodes of sheets and solids, one contact a node; without them `gs`",
             .reference = "Bertails-Descoubes 2017, section 3.2.4, corrected in docs/theory/primal.md",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
    .sparse = true,
};
