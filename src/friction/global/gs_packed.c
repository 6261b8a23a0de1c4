// Gauss-Seidel on rows in single precision.
//
// A contact of two rods with 15 degrees of freedom each has 90 numbers of rows, 720 bytes, and sweeps over many contacts
// are limited by memory. This file stores each contact again, in contact order, with
//
//   - the rows G rounded to single precision, G~. Impulses, velocities of the bodies and all sums stay in double precision;
//   - without leading zero columns: a rod factored from tip to root has only zeros before the element of its contact
//     (model/super_helix.c);
//   - W_ii in the form of stick.h, b, mu and xi beside each other;
//   - without the body that represents the compliance c of a contact (compliance.c): c r is added to u instead.
//
// This cuts the traffic to a third. A sweep then works with
//
//   u~_i = G~_i v + b_i,   |u~_i - u_i| <= eps ||G_i|| ||v||,   eps = 2^-24                                         (1)
//
// so that with ||G_i||^2 = tr W_ii = 3 / xi_i the error of a contact in impulse units, xi_i |u~_i - u_i|, is at most
//
//   eps sqrt(3 xi_i) (||v_A|| + ||v_B||)                                                                           (2)
//
// for the bodies A and B of the contact. The sweeps decide nothing: the residual is measured with G in double precision on all
// contacts, and each measurement recomputes v from G (gs_loop.c). If (2) exceeds a share of the tolerance anywhere, the sweeps
// continue with G itself.
#include "friction/global/gs_packed.h"

#include "core/simd.h"
#include "friction/cone.h"
#include "friction/law.h"

#include <math.h>
#include <string.h>

// Lower tolerances would soon need the full rows; fewer contacts fit into caches unpacked.
static const double LEAST_TOLERANCE = 1e-5;
enum { LEAST_CONTACTS = 2000 };

// Four numbers at any position in an array.
typedef double Double4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float Float4 __attribute__((vector_size(16), aligned(4), may_alias));
#define LOAD_ROW(x) __builtin_convertvector(*(const Float4*)(x), CpsVec4)

// Single precision has 38 decades on either side of 1, and rows are square roots of W_ii.
static bool in_range(const double* W) {
  double trace = W[0] + W[4] + W[8];
  return trace == 0.0 || (trace > 1e-60 && trace < 1e60);
}

// End of the terms of contact i with rows: its last one may be a compliance body.
static int64_t last_term(const CpsProblem* p, int64_t i) {
  return p->factors.contact_start[i + 1] - (p->compliant && p->compliance[i] > 0.0);
}

bool cps_gs_packed_fits(const CpsSolve* solve, const CpsGs* gs) {
  const CpsProblem* p = solve->problem;
  const CpsFactors* F = &p->factors;
  if (p->has_W || p->dim != 3 || F->H != F->Y || F->pair) return false;
  if (gs->local != &cps_local_enum || solve->options->tolerance < LEAST_TOLERANCE) return false;
  if (p->contact_count < LEAST_CONTACTS) return false;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    if (last_term(p, i) - F->contact_start[i] > 2 || !in_range(p->diag + 9 * (int64_t)i)) return false;
    if (p->law[i] == CPS_LAW_BILATERAL) return false;
  }
  return true;
}

typedef struct Packing {
  const CpsProblem* problem;
  CpsGsPacked* packed;
} Packing;

// Columns of a term from the first nonzero one, in multiples of four.
static int32_t columns(const double* G, int m) {
  int first = 0;
  while (first < m && G[first] == 0.0 && G[m + first] == 0.0 && G[2 * m + first] == 0.0) ++first;
  return (m - first + 3) / 4 * 4;
}

// All data of the contacts [first, last) except the offsets of their rows.
static void describe(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Packing* work = data;
  const CpsProblem* p = work->problem;
  const CpsFactors* F = &p->factors;
  for (int64_t i = first; i < last; ++i) {
    CpsPackedContact* c = &work->packed->contact[i];
    const double* W = p->diag + 9 * i;
    const double upper[6] = {W[0], W[1], W[2], W[4], W[5], W[8]};
    *c = (CpsPackedContact){.mu = p->mu[i], .xi = p->xi[i], .stick = cps_stick_block(upper, W[0] + W[4] + W[8])};
    memcpy(c->b, p->b + 3 * i, sizeof c->b);
    for (int64_t t = F->contact_start[i]; t < last_term(p, i); ++t) {
      int side = (int)(t - F->contact_start[i]);
      c->width[side] = columns(F->H + cps_term_at(F, t), F->body_dofs[F->body[t]]);
      c->slot[side] = (int32_t)(work->packed->slot_end[F->body[t]] - c->width[side]);
    }
  }
}

static void round_rows(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Packing* work = data;
  const CpsFactors* F = &work->problem->factors;
  for (int64_t i = first; i < last; ++i) {
    const CpsPackedContact* c = &work->packed->contact[i];
    float* row = work->packed->row + c->at;
    for (int64_t t = F->contact_start[i]; t < last_term(work->problem, i); ++t) {
      int m = F->body_dofs[F->body[t]], width = c->width[t - F->contact_start[i]];
      const double* G = F->H + cps_term_at(F, t) + m - width;
      for (int a = 0; a < 3; ++a, G += m, row += width) {
        // a slot may begin before its body does
        for (int k = 0; k < width; ++k) row[k] = k < width - m ? 0.0F : (float)G[k];
      }
    }
  }
}

// Slots of the bodies; returns the size of v.
static int64_t lay_out_slots(const CpsFactors* F, int64_t* slot_end) {
  int64_t end = 0;
  for (int32_t body = 0; body < F->body_count; ++body) {
    end += (F->body_dofs[body] + 3) / 4 * 4;
    slot_end[body] = end;
  }
  return end;
}

bool cps_gs_packed_make(CpsSolve* solve, CpsGs* gs) {
  const CpsProblem* p = solve->problem;
  CpsGsPacked* packed = CPS_TAKE_ZERO(solve->arena, CpsGsPacked, 1);
  if (!packed) return false;
  packed->coulomb = p->all_coulomb;
  packed->compliance = p->compliant ? p->compliance : NULL;
  packed->contact = CPS_TAKE(solve->arena, CpsPackedContact, p->contact_count);
  packed->slot_end = CPS_TAKE(solve->arena, int64_t, p->factors.body_count);
  packed->norm = CPS_TAKE(solve->arena, double, p->factors.body_count);
  if (!packed->contact || !packed->slot_end || !packed->norm) return false;
  packed->v = CPS_TAKE_ZERO(solve->arena, double, lay_out_slots(&p->factors, packed->slot_end));
  Packing work = {p, packed};
  cps_pool_run(solve->pool, p->contact_count, describe, &work);
  int64_t size = 0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    packed->contact[i].at = size;
    size += 3 * (packed->contact[i].width[0] + packed->contact[i].width[1]);
  }
  packed->row = CPS_TAKE(solve->arena, float, size);
  if (!packed->v || !packed->row) return false;
  cps_pool_run(solve->pool, p->contact_count, round_rows, &work);
  gs->packed = packed;
  return true;
}

void cps_gs_packed_refresh(CpsGs* gs) {
  const CpsFactors* F = &gs->problem->factors;
  for (int32_t body = 0; body < F->body_count; ++body) {
    const double* v = gs->v + F->body_offset[body];
    int m = F->body_dofs[body];
    memcpy(gs->packed->v + gs->packed->slot_end[body] - m, v, (size_t)m * sizeof *v);
  }
}

double cps_gs_packed_error(const CpsGs* gs) {
  const CpsProblem* p = gs->problem;
  const CpsFactors* F = &p->factors;
  double* norm = gs->packed->norm;
  for (int32_t body = 0; body < F->body_count; ++body) {
    double sum = 0.0;
    for (int64_t k = F->body_offset[body]; k < F->body_offset[body + 1]; ++k) sum += gs->v[k] * gs->v[k];
    norm[body] = sqrt(sum);
  }
  double worst = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    double speed = 0.0;
    for (int64_t t = F->contact_start[i]; t < F->contact_start[i + 1]; ++t) speed += norm[F->body[t]];
    worst = fmax(worst, p->xi[i] * speed * speed);
  }
  return 0x1p-24 * sqrt(3.0 * worst);
}

// u += G~ v of one term
static inline void gather(const float* G, int width, const double* v, CpsVec4 sum[3]) {
  for (int k = 0; k < width; k += 4) {
    CpsVec4 x = *(const Double4*)(v + k);
    sum[0] += LOAD_ROW(G + k) * x;
    sum[1] += LOAD_ROW(G + width + k) * x;
    sum[2] += LOAD_ROW(G + 2 * width + k) * x;
  }
}

// v += G~^T x of one term
static inline void scatter(const float* G, int width, const double* x, double* v) {
  for (int k = 0; k < width; k += 4) {
    CpsVec4 part = x[0] * LOAD_ROW(G + k) + x[1] * LOAD_ROW(G + width + k) + x[2] * LOAD_ROW(G + 2 * width + k);
    *(Double4*)(v + k) += part;
  }
}

// A contact that neither takes off nor sticks, or with a badly conditioned W_ii.
static void enumerate(const CpsGs* gs, int32_t i, const double* u, double* r, CpsGsCounts* counts) {
  const CpsPackedContact* c = &gs->packed->contact[i];
  const double *W = gs->problem->diag + 9 * (int64_t)i, *cache = gs->cache + (int64_t)i * gs->cache_stride;
  double b[3];
  for (int a = 0; a < 3; ++a) b[a] = u[a] - (W[3 * a] * r[0] + W[3 * a + 1] * r[1] + W[3 * a + 2] * r[2]);
  CpsLocalProblem one = {.dim = 3, .law = (CpsLaw)gs->problem->law[i], .mu = c->mu, .xi = c->xi, .W = W, .b = b};
  CpsLocalResult result = cps_local_enum.solve(&one, cache, &gs->settings, r);
  if (result == CPS_LOCAL_SOLVED) return;
  counts->failures++;
  counts->unsolved++;
  counts->certificates += result == CPS_LOCAL_NO_SOLUTION && cps_contact_is_isolated(gs->problem, i);
}

// Prefetches the data of sliding for a contact with an impulse.
static inline void fetch_block(const CpsGs* gs, int32_t i) {
  const double *W = gs->problem->diag + 9 * (int64_t)i, *cache = gs->cache + (int64_t)i * gs->cache_stride;
  __builtin_prefetch(W);
  __builtin_prefetch(W + 8);
  __builtin_prefetch(cache);
  __builtin_prefetch(cache + 8);
}

CPS_HOT static double update(const CpsGs* gs, int32_t i, double* r_i, double* u, CpsGsCounts* counts) {
  const CpsPackedContact* c = &gs->packed->contact[i];
  const float* first = gs->packed->row + c->at;
  const float* second = first + 3 * c->width[0];
  double *v_A = gs->packed->v + c->slot[0], *v_B = gs->packed->v + c->slot[1];
  if (r_i[0] > 0.0) fetch_block(gs, i);
  CpsVec4 sum[3] = {{0}, {0}, {0}};
  gather(first, c->width[0], v_A, sum);
  gather(second, c->width[1], v_B, sum);
  for (int a = 0; a < 3; ++a) u[a] = ((sum[a][0] + sum[a][1]) + (sum[a][2] + sum[a][3])) + c->b[a];
  if (gs->packed->compliance) {
    for (int a = 0; a < 3; ++a) u[a] += gs->packed->compliance[i] * r_i[a];
  }
  const double old[3] = {r_i[0], r_i[1], r_i[2]};
  counts->calls++;
  const bool convex = !gs->packed->coulomb && gs->problem->law[i] == CPS_LAW_CONVEX;
  const bool coulomb = gs->packed->coulomb || gs->problem->law[i] == CPS_LAW_COULOMB;
  if (!(coulomb && cps_stick_or_release(&c->stick, c->mu, u, r_i)) &&
      !(convex && cps_cone_solve(&c->stick, c->mu, u, r_i))) {
    enumerate(gs, i, u, r_i, counts);
  }
  const double change[3] = {r_i[0] - old[0], r_i[1] - old[1], r_i[2] - old[2]};
  double square = change[0] * change[0] + change[1] * change[1] + change[2] * change[2];
  if (square > 0.0) {
    scatter(first, c->width[0], change, v_A);
    scatter(second, c->width[1], change, v_B);
  }
  return square;
}

double cps_gs_packed_update(const CpsGs* gs, int32_t i, double* r_i, double* u_i, CpsGsCounts* counts) {
  return update(gs, i, r_i, u_i, counts);
}

double cps_gs_packed_law_error(const CpsGs* gs, int32_t i, const double* r_i, const double* u_i) {
  const CpsPackedContact* c = &gs->packed->contact[i];
  const CpsLaw law = gs->packed->coulomb ? CPS_LAW_COULOMB : (CpsLaw)gs->problem->law[i];
  if (law == CPS_LAW_COULOMB) return sqrt(cps_law_coulomb3_square(c->mu, c->xi, r_i, u_i));
  if (law == CPS_LAW_CONVEX) return sqrt(cps_law_convex3_square(c->mu, c->xi, r_i, u_i));
  return cps_law_error(law, 3, c->mu, c->xi, r_i, u_i);
}
