// Cold packs of spheres to 1e-6: what methods that were tried reach, all in one run.
//
//   usage: bench-cold [--out DIRECTORY] [--seconds S] [--contacts N]    writes DIRECTORY/cold.md; without one, prints it
//
// The bodies are given as they are and, for the methods of large members, as nodes: three of a sphere's velocities to a node,
//
//   M = I,   A = (H_linear, H_angular),   u = A v + b,   v = A^T r
//
// so that `primal-newton` factors I + H^T D H and `splitting` (ADMM) I + rho H^T H by the supernodal Cholesky of src/sparse.
// "domains": from what `auto` reached, the bodies are cut by METIS into domains, and each in turn is solved by Newton's method
// with exact factors while the impulses of the others are held (overlapping multiplicative Schwarz).
#include <math.h>
#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstan/capstan.h"
#include "capstan/generate.h"
#include "core/clock.h"
#include "friction/machine.h"
#include "friction/problem.h"

static const double TOLERANCE = 1e-6;
enum { TERM = 18, DOFS = 6, DOMAIN_STEPS = 20 };

typedef struct Trial {
  const char* name;
  double seconds, residual;
  int64_t iterations, factors;
  bool solved;
} Trial;

static void* take(int64_t count, size_t size) {
  void* memory = calloc(count > 0 ? (size_t)count : 1, size);
  if (memory) return memory;
  fprintf(stderr, "bench-cold: not enough memory\n");
  exit(3);
}

static CpsProblem* as_nodes(const CpsProblem* p) {
  const CpsFactors* F = &p->factors;
  const int32_t n = p->contact_count, nodes = 2 * F->body_count;
  const int64_t terms = F->contact_start[n];
  int64_t *M_start = take(nodes + 1, sizeof *M_start), *start = take(n + 1, sizeof *start);
  int32_t *column = take(nodes, sizeof *column), *node = take(2 * terms, sizeof *node);
  double *M = take(9 * (int64_t)nodes, sizeof *M), *A = take(18 * terms, sizeof *A);
  for (int32_t k = 0; k < nodes; ++k) {
    M_start[k] = column[k] = k;
    M[9 * k] = M[9 * k + 4] = M[9 * k + 8] = 1.0;
  }
  M_start[nodes] = nodes;
  for (int32_t i = 0; i <= n; ++i) start[i] = 2 * F->contact_start[i];
  for (int64_t t = 0; t < terms; ++t) {
    for (int half = 0; half < 2; ++half) {
      node[2 * t + half] = 2 * F->body[t] + half;
      for (int k = 0; k < 9; ++k) A[9 * (2 * t + half) + k] = F->H[TERM * t + DOFS * (k / 3) + 3 * half + k % 3];
    }
  }
  CpsContactsDef def = cps_contacts_def_default();
  def.count = n;
  def.mu = p->mu;
  def.b = p->b;
  def.dof_count = DOFS * (int64_t)F->body_count;
  CpsSparseForm form = {.node_count = nodes,
                        .M_start = M_start,
                        .M_column = column,
                        .M_value = M,
                        .node_start = start,
                        .node = node,
                        .A = A};
  CpsProblem* made = NULL;
  CpsError error;
  if (cps_problem_from_sparse(&def, &form, &made, &error) != CPS_OK) fprintf(stderr, "bench-cold: %s\n", error.text);
  free(M_start), free(start), free(column), free(node), free(M), free(A);
  return made;
}

static Trial solve(const char* name, const CpsProblem* problem, const CpsProblem* bodies, CpsMethod method,
                   double seconds, double* r) {
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info = {0};
  CpsResidual residual = {0};
  options.method = method;
  options.tolerance = TOLERANCE;
  options.max_iterations = 100000000;
  options.time_limit = seconds;
  (void)cps_problem_solve(problem, &options, r, &info, NULL);
  (void)cps_problem_residual(bodies, r, &residual);
  return (Trial){name, info.seconds, residual.natural, info.iterations, info.factorisations, info.status == CPS_OK};
}

// Domain of each body.
static idx_t cut(const CpsProblem* p, int32_t contacts, idx_t* part) {
  const CpsFactors* F = &p->factors;
  idx_t *start = take(F->body_count + 1, sizeof *start), *other = take(4 * (int64_t)p->contact_count, sizeof *other);
  idx_t bodies = F->body_count, constraints = 1, parts = p->contact_count / contacts, edges = 0, cut_edges;
  for (int32_t b = 0; b < F->body_count; ++b) {
    start[b] = edges;
    for (int64_t k = F->body_start[b]; k < F->body_start[b + 1]; ++k) {
      const int32_t* pair = F->pair + 2 * (int64_t)F->term_contact[F->body_term[k]];
      const int32_t to = pair[0] == b ? pair[1] : pair[0];
      if (to >= 0) other[edges++] = to;
    }
  }
  start[bodies] = edges;
  if (parts > 1) {
    METIS_PartGraphRecursive(&bodies, &constraints, start, other, NULL, NULL, NULL, &parts, NULL, NULL, NULL,
                             &cut_edges, part);
  }
  free(start), free(other);
  return parts > 1 ? parts : 1;
}

// One domain as a problem of its own: u_S = W_SS r_S + b', b' = u_S - W_SS r_S.
typedef struct Domain {
  int32_t count, bodies;
  int32_t *contact, *dofs, *body, *number;
  int64_t* start;
  double *H, *mu, *b, *r, *own;
} Domain;

static void take_domain(const CpsProblem* p, Domain* d) {
  const int64_t n = p->contact_count;
  d->contact = take(n, sizeof *d->contact);
  d->dofs = take(2 * n, sizeof *d->dofs);
  d->body = take(2 * n, sizeof *d->body);
  d->number = take(p->factors.body_count, sizeof *d->number);
  d->start = take(n + 1, sizeof *d->start);
  d->H = take(2 * TERM * n, sizeof *d->H);
  d->mu = take(n, sizeof *d->mu);
  d->b = take(3 * n, sizeof *d->b);
  d->r = take(3 * n, sizeof *d->r);
  d->own = take(3 * n, sizeof *d->own);
}

static void free_domain(Domain* d) {
  free(d->contact), free(d->dofs), free(d->body), free(d->number), free(d->start);
  free(d->H), free(d->mu), free(d->b), free(d->r), free(d->own);
}

static void gather(const CpsProblem* p, const idx_t* part, idx_t which, const double* r, const double* u, Domain* d) {
  const CpsFactors* F = &p->factors;
  int64_t terms = 0;
  d->count = d->bodies = 0;
  for (int32_t b = 0; b < F->body_count; ++b) d->number[b] = -1;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int32_t *pair = F->pair + 2 * (int64_t)i, m = d->count;
    if (part[pair[0]] != which && (pair[1] < 0 || part[pair[1]] != which)) continue;
    d->contact[d->count++] = i;
    d->start[m] = terms;
    d->mu[m] = p->mu[i];
    memcpy(d->r + 3 * (int64_t)m, r + 3 * (int64_t)i, 3 * sizeof *r);
    memcpy(d->b + 3 * (int64_t)m, u + 3 * (int64_t)i, 3 * sizeof *u);
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t, ++terms) {
      if (d->number[F->body[t]] < 0) {
        d->dofs[d->bodies] = DOFS;
        d->number[F->body[t]] = d->bodies++;
      }
      d->body[terms] = d->number[F->body[t]];
      memcpy(d->H + TERM * terms, F->H + TERM * t, TERM * sizeof *d->H);
    }
  }
  d->start[d->count] = terms;
}

static int64_t solve_domain(Domain* d, double* r) {
  CpsContactsDef def = cps_contacts_def_default();
  CpsFactoredForm form = {d->bodies, d->dofs, d->start, d->body, d->H, d->H};
  CpsProblem* sub = NULL;
  def.count = d->count;
  def.mu = d->mu;
  def.b = d->b;
  if (cps_problem_from_bodies(&def, &form, &sub, NULL) != CPS_OK) return 0;
  cps_problem_apply_W(sub, d->r, d->own);
  for (int64_t k = 0; k < sub->row_count; ++k) sub->b[k] = sub->b_plain[k] = d->b[k] - d->own[k];
  CpsSolveOptions options = cps_solve_options_default();
  CpsSolveInfo info = {0};
  options.method = CPS_METHOD_PROXIMAL;
  options.tolerance = 0.1 * TOLERANCE;
  options.max_iterations = DOMAIN_STEPS;
  (void)cps_problem_solve(sub, &options, d->r, &info, NULL);
  for (int32_t m = 0; m < d->count; ++m) {
    memcpy(r + 3 * (int64_t)d->contact[m], d->r + 3 * (int64_t)m, 3 * sizeof *r);
  }
  cps_problem_destroy(sub);
  return info.factorisations;
}

// Rounds over the domains, from r; the best residual of all rounds counts.
static Trial sweep_domains(const char* name, const CpsProblem* p, int32_t contacts, double seconds, double* r) {
  Trial trial = {.name = name, .residual = INFINITY};
  idx_t* part = take(p->factors.body_count, sizeof *part);
  const idx_t parts = cut(p, contacts, part);
  double *u = take(p->row_count, sizeof *u), start = cps_clock_cpu();
  Domain domain;
  take_domain(p, &domain);
  while (!trial.solved && trial.seconds < seconds) {
    CpsResidual residual = {0};
    (void)cps_problem_residual(p, r, &residual);
    trial.residual = fmin(trial.residual, residual.natural);
    trial.solved = trial.residual <= TOLERANCE;
    for (idx_t k = 0; k < parts && !trial.solved; ++k) {
      cps_problem_law_velocity(p, r, u);
      gather(p, part, k, r, u, &domain);
      trial.factors += solve_domain(&domain, r);
    }
    trial.iterations++;
    trial.seconds = cps_clock_cpu() - start;
  }
  free_domain(&domain);
  free(part), free(u);
  return trial;
}

static void print(FILE* out, int32_t contacts, const Trial* t) {
  fprintf(out, "| %s | %d | %.1f | %.1e | %lld | %lld | %s |\n", t->name, (int)contacts, t->seconds, t->residual,
          (long long)t->iterations, (long long)t->factors, t->solved ? "yes" : "no");
  fflush(out);
}

static bool run(FILE* out, int32_t contacts, double seconds) {
  CpsGenerateDef def = cps_generate_def_default();
  CpsProblem* p = NULL;
  def.kind = CPS_GENERATE_SPHERES;
  def.contact_count = contacts;
  def.form = CPS_FORM_FACTORED;
  if (cps_problem_generate(&def, &p, NULL) != CPS_OK) return false;
  CpsProblem* nodes = as_nodes(p);
  double *r = take(p->row_count, sizeof *r), *start = take(p->row_count, sizeof *start);
  const size_t bytes = (size_t)p->row_count * sizeof *r;
  Trial trial = solve("`auto`: sweeps with momentum", p, p, CPS_METHOD_AUTO, seconds, r);
  print(out, contacts, &trial);
  memset(r, 0, bytes);
  trial = solve("`proximal`: Newton in the contacts", p, p, CPS_METHOD_PROXIMAL, seconds, r);
  print(out, contacts, &trial);
  memset(r, 0, bytes);
  trial = solve("`primal-newton`: Newton in the bodies", nodes, p, CPS_METHOD_PRIMAL_NEWTON, seconds, r);
  print(out, contacts, &trial);
  memset(r, 0, bytes);
  trial = solve("`splitting`: ADMM in the factor of I + ρHᵀH", nodes, p, CPS_METHOD_SPLITTING, seconds, r);
  print(out, contacts, &trial);
  (void)solve("", p, p, CPS_METHOD_AUTO, 0.25 * seconds, start);
  memcpy(r, start, bytes);
  trial = sweep_domains("a quarter of the time `auto`, then domains of 150", p, 150, seconds, r);
  print(out, contacts, &trial);
  memcpy(r, start, bytes);
  trial = sweep_domains("the same, domains of 500", p, 500, seconds, r);
  print(out, contacts, &trial);
  free(r), free(start);
  cps_problem_destroy(nodes);
  cps_problem_destroy(p);
  return true;
}

int main(int argc, char** argv) {
  const char* directory = NULL;
  double seconds = 20.0;
  int32_t only = 0;
  for (int k = 1; k + 1 < argc; ++k) {
    if (strcmp(argv[k], "--out") == 0) directory = argv[k + 1];
    if (strcmp(argv[k], "--seconds") == 0) seconds = strtod(argv[k + 1], NULL);
    if (strcmp(argv[k], "--contacts") == 0) only = (int32_t)strtol(argv[k + 1], NULL, 10);
  }
  FILE* out = directory ? cps_bench_open(directory, "cold.md") : stdout;
  if (!out) return 1;
  cps_bench_print_machine(out);
  fprintf(out, "\nSolved to %.0e from zero impulses; CPU seconds on one thread, at most %.0f.\n\n", TOLERANCE, seconds);
  fprintf(
      out,
      "| method | contacts | CPU s | residual | iterations | factors | solved |\n|---|---:|---:|---:|---:|---:|---|\n");
  bool ok = only > 0 ? run(out, only, seconds) : run(out, 1000, seconds) && run(out, 5000, seconds);
  if (out != stdout) ok = fclose(out) == 0 && ok;
  return ok ? 0 : 1;
}
