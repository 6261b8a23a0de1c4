// The contents of a CpsProblem, only for src/friction. See capstan/problem.h for the mathematics.
#ifndef CAPSTAN_FRICTION_PROBLEM_H
#define CAPSTAN_FRICTION_PROBLEM_H

#include "capstan/problem.h"
#include "core/arena.h"
#include "core/pool.h"
#include "friction/mass_factor.h"
#include "sparse/block_matrix.h"

// W = sum over bodies B of H_B Y_B^T, kept per (contact, body) term.
typedef struct CpsFactors {
  int32_t body_count;
  int32_t* body_dofs;      // m_B
  int64_t* body_offset;    // body_count + 1: first place of each body in the stacked v
  int64_t* contact_start;  // contact_count + 1: terms of each contact
  int32_t* body;           // body of each term
  int64_t* at;             // first value of each term in H and Y; NULL where pair is set: see cps_term_at()
  double* H;               // d_i x m_B row-major
  double* Y;               // d_i x m_B row-major: H_iB M_B^-T; the same array as H where they are equal
  int64_t* body_start;     // body_count + 1: terms of each body in `body_term`
  int32_t* body_term;      // terms of each body, in the order of their contacts
  int32_t* term_contact;   // contact of each term
  int32_t* pair;           // rigid bodies (rigid.h): the two bodies of each contact, -1 where there is none; else NULL
  struct CpsStickBlock* block;  // of each contact, where pair is set
} CpsFactors;

// The first value of term t in H and Y.
enum { CPS_RIGID_TERM = 18 };
static inline int64_t cps_term_at(const CpsFactors* factors, int64_t t) {
  return factors->at ? factors->at[t] : CPS_RIGID_TERM * t;
}

typedef struct CpsGlobalPart CpsGlobalPart;  // M, H, f kept to recover v (from_global.c)
typedef struct CpsSparsePart CpsSparsePart;  // large members: M, A and the factor of M (sparse_part.h)

struct CpsProblem {
  CpsArena arena;         // owns every array below
  int32_t contact_count;  // n
  int32_t dim;            // 2, 3 or 6 if uniform, 0 if mixed
  int64_t row_count;
  int64_t dof_count;     // m, 0 if unknown
  int64_t* offset;       // n + 1: first row of each contact
  int64_t* diag_offset;  // n + 1: first value of each W_ii in `diag`, the sum of d_i^2; NULL unless dim is 0
  uint8_t* law;          // CpsLaw
  bool all_coulomb;      // of every contact
  bool connected;        // the contacts are known to be one island
  double* mu;
  double* compliance;  // added to the diagonal of each W_ii; NULL: none
  bool compliant;      // compliance is included in W already
  double* dashpot;     // the law holds for r + d u; NULL: no contact has one
  double* cohesion;    // the law holds for r + c e; NULL: no contact has any
  double* b_plain;     // b as given
  double* b;           // b + shift: what every solver works with, so that the law holds for u = W r + b; b_plain itself
                       // where no shift was given
  bool has_shift;
  bool has_W;  // W is explicit; otherwise `factors` holds it
  CpsBlockMatrix W;
  CpsFactors factors;
  double* diag;           // W_ii row-major, whichever form W has
  double* xi;             // d_i / tr W_ii, the mean of the others where tr W_ii <= 0, 1 if all are
  double asymmetry;       // max |W - W^T| / max |W|; matrix-free: of the diagonal blocks only
  CpsGlobalPart* global;  // NULL unless made from a global form
  CpsSparsePart* sparse;  // NULL unless large members take part; W is then that of `factors` and of this
  CpsMassFactor* mass;    // of the large members, one of `masses`
  CpsMasses masses;       // kept from refill to refill
  int64_t empty[2];       // zeros: the offsets of a problem without contacts
};

// u = W r + b, shift included. Not for problems with large members, which need scratch memory (cps_problem_velocity_of,
// cps_solve_apply_W).
void cps_problem_law_velocity(const CpsProblem* problem, const double* r, double* u);
// out = W x, without b.
void cps_problem_apply_W(const CpsProblem* problem, const double* x, double* out);
// u = W r + b for any problem; allocates its own memory. False if memory runs out.
bool cps_problem_velocity_of(const CpsProblem* problem, const double* r, const double* b, double* u);
// u_i = (W r)_i + b_i of one contact of an explicit W, shift included.
void cps_problem_row_velocity(const CpsProblem* problem, int32_t i, const double* r, double* u_i);
// Matrix-free: v += Y_i^T x for one contact, and out = H_i v; v stacks the dofs of all bodies (factors.body_offset).
void cps_factors_add(const CpsProblem* problem, int32_t i, const double* x, double* v);
void cps_factors_velocity(const CpsProblem* problem, int32_t i, const double* v, double* out);
// The same for all contacts, with threads: v = Y^T x, summed in the order of the contacts, and u = H v + b (NULL: zero).
void cps_factors_push(const CpsProblem* problem, CpsPool* pool, const double* x, double* v);
void cps_factors_velocities(const CpsProblem* problem, CpsPool* pool, const double* v, const double* b, double* u);
// Island of each contact (contact_count entries) and their number, as cps_problem_islands(); false if memory runs out.
bool cps_problem_find_islands(const CpsProblem* problem, CpsArena* arena, int32_t* island, int32_t* count);
// Is contact i coupled to no other one? Stored zeros do not couple.
bool cps_contact_is_isolated(const CpsProblem* problem, int32_t i);
// The explicit W: the problem's own, or one formed in the arena. Returns false if memory runs out.
bool cps_problem_explicit_W(const CpsProblem* problem, CpsArena* arena, CpsBlockMatrix* W);

// The first value of W_ii in `diag`.
static inline int64_t cps_diag_at(const CpsProblem* problem, int64_t i) {
  return problem->dim ? (int64_t)problem->dim * problem->dim * i : problem->diag_offset[i];
}

static inline int cps_contact_dim(const CpsProblem* problem, int32_t i) {
  return (int)(problem->offset[i + 1] - problem->offset[i]);
}

// Square of the part of x that belongs to contact i.
static inline double cps_block_square(const CpsProblem* problem, int32_t i, const double* x) {
  const double* at = x + problem->offset[i];
  if (cps_contact_dim(problem, i) == 3) return at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
  double sum = 0.0;
  for (int k = 0; k < cps_contact_dim(problem, i); ++k) sum += at[k] * at[k];
  return sum;
}

// fmax() for `most` other than NaN, without a call.
static inline double cps_larger(double most, double x) {
  return x > most ? x : most;
}
static inline const double* cps_contact_W(const CpsProblem* problem, int32_t i) {
  return problem->diag + cps_diag_at(problem, i);
}

#endif
