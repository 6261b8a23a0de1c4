// Accelerated sweeps: Nesterov's extrapolation around Gauss-Seidel, restarted where it overshoots.
//
//   y_k = x_k + beta_k (x_k - x_{k-1}),   x_{k+1} = GS(y_k)                                                        (1)
//   beta_k = (theta_k - 1) / theta_{k+1},   theta_{k+1} = (1 + sqrt(1 + 4 theta_k^2)) / 2,   theta_1 = 1            (2)
//   beta_k <= 1 - 1 / (BRAKE + k / RELEASE)                                                                       (3)
//   restart (theta = 1) when  ||x_{k+1} - y_k||^2 > GROWTH min ||x_{j+1} - y_j||^2 over j since the last restart     (4)
//   beta_k <= CALM for CALM_SWEEPS sweeps after every CALM_EVERY-th restart                                          (5)
//
// Nesterov 1983 for (2). The velocities of the bodies are linear in r and are extrapolated with it. (3): at a rough tolerance less momentum is faster, and few solves last long enough to need more. (4) is the step
// test of O'Donoghue and Candes 2015 with a margin: with momentum the steps oscillate, and restarting at the first growing step loses most of the gain. The norm weights impulses by 1/xi, an energy.
// docs/theory/momentum.md gives the gains and the reasons.
//
// (5): at sliding contacts the linearised sweeps have complex eigenvalues, which momentum amplifies. A region with frequent restarts
// settles with little momentum.
//
// A contact that opens loses its momentum (its x_{k-1} becomes zero too): otherwise spots of few contacts may alternate
// between touching and parting forever. With an explicit W this file does so; for rigid bodies their sweep does, which
// keeps v.
//
// Not guaranteed: neither the sweeps nor (1) need converge if W and mu allow several solutions or none; restarts reduce
// (1) to plain sweeps when it does not help.
#include "friction/global/momentum.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 4.0, BRAKE = 10.0, RELEASE = 30.0;
// Bound of beta in (5), and how often and for how many sweeps it holds.
static const double CALM = 0.6;
enum { CALM_EVERY = 4, CALM_SWEEPS = 80 };
// Fixed number of parts of each loop, so that sums have the same bits for any number of threads.
enum { PARTS = 16, FEW = 4000 };

bool cps_momentum_create(CpsSolve* solve, CpsPool* pool, double* r, double* v, CpsMomentum* momentum) {
  const CpsProblem* p = solve->problem;
  const CpsFactors* F = &p->factors;
  *momentum = (CpsMomentum){.problem = p, .pool = pool, .r = r, .v = v};
  momentum->v_count = v ? F->body_offset[F->body_count] : 0;
  momentum->last_r = CPS_TAKE(solve->arena, double, p->row_count);
  momentum->start = CPS_TAKE(solve->arena, double, p->row_count);
  momentum->last_v = CPS_TAKE(solve->arena, double, momentum->v_count);
  momentum->part = CPS_TAKE(solve->arena, double, PARTS);
  return momentum->last_r && momentum->start && momentum->last_v && momentum->part;
}

void cps_momentum_reset(CpsMomentum* momentum) {
  momentum->theta = 0.0;
}

// last += sign * x
static void add(double sign, int64_t count, const double* x, double* last) {
  for (int64_t k = 0; k < count; ++k) last[k] += sign * x[k];
}

void cps_momentum_hold(CpsMomentum* m) {
  if (!m->problem || m->theta < 1.0) return;
  add(-1.0, m->problem->row_count, m->r, m->last_r);
  add(-1.0, m->v_count, m->v, m->last_v);
}

void cps_momentum_release(CpsMomentum* m) {
  if (!m->problem || m->theta < 1.0) return;
  add(1.0, m->problem->row_count, m->r, m->last_r);
  add(1.0, m->v_count, m->v, m->last_v);
}

static int64_t part_start(int64_t count, int64_t part) {
  return count * part / PARTS;
}

static void run_parts(CpsMomentum* m, CpsPoolFn fn) {
  cps_pool_run(m->problem->row_count < FEW ? NULL : m->pool, PARTS, fn, m);
}

// (1) for a part of x; `last` keeps the previous value
static void extrapolate(double weight, int64_t first, int64_t last_one, double* x, double* last) {
  for (int64_t k = first; k < last_one; ++k) {
    double now = x[k];
    x[k] = now + weight * (now - last[k]);
    last[k] = now;
  }
}

// The rows of a part, limited to contacts visited by the sweeps.
static void begin_rows(CpsMomentum* m, int64_t a, int64_t b) {
  extrapolate(m->weight, a, b, m->r, m->last_r);
  memcpy(m->start + a, m->r + a, (size_t)(b - a) * sizeof *m->r);
}

static void begin_parts(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsMomentum* m = data;
  const CpsProblem* p = m->problem;
  if (m->contact) {
    for (int64_t k = part_start(m->count, first); k < part_start(m->count, last); ++k) {
      begin_rows(m, p->offset[m->contact[k]], p->offset[m->contact[k] + 1]);
    }
  } else {
    begin_rows(m, part_start(p->row_count, first), part_start(p->row_count, last));
  }
  if (m->v) extrapolate(m->weight, part_start(m->v_count, first), part_start(m->v_count, last), m->v, m->last_v);
}

void cps_momentum_begin(CpsMomentum* momentum) {
  if (!momentum->problem) return;
  if (momentum->theta < 1.0) {
    size_t rows = (size_t)momentum->problem->row_count, count = (size_t)momentum->v_count;
    memcpy(momentum->last_r, momentum->r, rows * sizeof(double));
    if (momentum->v) memcpy(momentum->last_v, momentum->v, count * sizeof(double));
    momentum->theta = 1.0;
    momentum->least = INFINITY;
  }
  double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum->theta * momentum->theta));
  double most = 1.0 - 1.0 / (BRAKE + (double)momentum->sweeps++ / RELEASE);
  if (momentum->calm > 0) most = fmin(most, CALM);
  momentum->calm -= momentum->calm > 0;
  momentum->weight = fmin((momentum->theta - 1.0) / next, most);
  momentum->theta = next;
  run_parts(momentum, begin_parts);
}

static inline double change_square(const CpsMomentum* m, int32_t i) {
  const CpsProblem* p = m->problem;
  const double *r = m->r + p->offset[i], *start = m->start + p->offset[i];
  double square = 0.0;
  if (cps_contact_dim(p, i) == 3) {
    const double d0 = r[0] - start[0], d1 = r[1] - start[1], d2 = r[2] - start[2];
    return d0 * d0 + d1 * d1 + d2 * d2;
  }
  for (int k = 0; k < cps_contact_dim(p, i); ++k) square += (r[k] - start[k]) * (r[k] - start[k]);
  return square;
}

// Squared changes of the contacts of each part.
static void change_parts(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  CpsMomentum* m = data;
  const CpsProblem* p = m->problem;
  int64_t count = m->contact ? m->count : p->contact_count;
  for (int64_t part = first; part < last; ++part) {
    double sum = 0.0;
    for (int64_t k = part_start(count, part); k < part_start(count, part + 1); ++k) {
      const int32_t i = m->contact ? m->contact[k] : (int32_t)k;
      sum += change_square(m, i) / p->xi[i];
      if (!m->v && cps_block_square(p, i, m->r) == 0.0)
        memset(m->last_r + p->offset[i], 0, (size_t)cps_contact_dim(p, i) * sizeof(double));
    }
    m->part[part] = sum;
  }
}

void cps_momentum_end(CpsMomentum* momentum) {
  if (!momentum->problem) return;
  run_parts(momentum, change_parts);
  double square = 0.0;
  for (int part = 0; part < PARTS; ++part) square += momentum->part[part];
  if (!(square <= GROWTH * momentum->least)) {
    momentum->theta = 1.0;
    momentum->least = square;
    if (++momentum->restarts % CALM_EVERY == 0) momentum->calm = CALM_SWEEPS;
  }
  momentum->least = fmin(momentum->least, square);
}
