// Rest as a linear system in the velocities of rigid bodies.
//
// If every loaded contact S sticks, u_S + W_SS dr_S = 0 with W = H H^T, H in the mass-normalised velocities of the bodies. The solution of
// smallest norm in D^-1 is computed in the bodies, of which there are fewer than contacts:
//
//   A = sum_{i in S} D_i H_i^T H_i + eps diag                                                                      (1)
//   A z = -H^T D u,   A y = z,   dr = D H y                                                                        (2)
//
// z are the velocities that bring u to rest, y the multipliers of H^T dr = z. A is sparse, with one block for each pair of bodies in
// contact, and its Cholesky factor resolves the slow modes of a pile, which sweeps and a bounded number of conjugate gradients miss.
// eps keeps A regular if contacts do not hold a body completely (a ball free to spin); it costs digits that the next solution
// recovers.
#include "friction/rest_factor.h"

#include "core/error.h"
#include "friction/rigid.h"

#include <math.h>
#include <string.h>

static const double EPS = 1e-12;  // relative to the mean diagonal of a body
// Bounded over counted operations; in heaps the counted number is up to this many times smaller.
static const double BOUND = 100.0;

// A search along the contacts, level by level.
typedef struct Search {
  const CpsFactors* F;
  int32_t *level, *queue;  // of each body, -1: not seen; bodies in the order of discovery
  int32_t end;
  double operations;
} Search;

// Starts from one body and adds (6 w)^3 twice for each level of w bodies.
static void search(Search* s, int32_t root) {
  const CpsFactors* F = s->F;
  int32_t k = s->end, width = 0, at = 0;
  s->level[root] = 0;
  for (s->queue[s->end++] = root; k < s->end; ++k) {
    const int32_t body = s->queue[k];
    if (s->level[body] != at) s->operations += 2.0 * pow(6.0 * width, 3.0), width = 0, at = s->level[body];
    ++width;
    for (int64_t e = F->body_start[body]; e < F->body_start[body + 1]; ++e) {
      const int32_t* pair = F->pair + 2 * (int64_t)F->term_contact[F->body_term[e]];
      const int32_t other = pair[0] == body ? pair[1] : pair[0];
      if (other < 0 || s->level[other] >= 0) continue;
      s->level[other] = at + 1;
      s->queue[s->end++] = other;
    }
  }
  s->operations += 2.0 * pow(6.0 * width, 3.0);
}

// Operations of a factorisation that eliminates the bodies by these levels: a bound without any analysis. The second search
// starts where the first ended, at the edge.
static bool forecast(const CpsFactors* F, CpsArena* arena, double* operations) {
  const int32_t n = F->body_count;
  Search s = {.F = F, .level = CPS_TAKE(arena, int32_t, n), .queue = CPS_TAKE(arena, int32_t, n)};
  if (!s.level || !s.queue) return false;
  for (int pass = 0; n > 0 && pass < 2; ++pass) {
    const int32_t root = pass == 0 ? 0 : s.queue[n - 1];
    for (int32_t body = 0; body < n; ++body) s.level[body] = -1;
    s.end = 0;
    s.operations = 0.0;
    search(&s, root);
    for (int32_t body = 0; body < n; ++body) {
      if (s.level[body] < 0) search(&s, body);
    }
  }
  *operations = s.operations;
  return true;
}

// The lower neighbours of each body, itself last; in total at most `contact_count + body_count`.
static bool find_neighbours(const CpsFactors* F, CpsArena* arena, int32_t* first, int32_t* neighbour) {
  int32_t* seen = CPS_TAKE(arena, int32_t, F->body_count);
  if (!seen) return false;
  for (int32_t body = 0; body < F->body_count; ++body) seen[body] = -1;
  int32_t count = 0;
  for (int32_t body = 0; body < F->body_count; ++body) {
    first[body] = count;
    for (int64_t e = F->body_start[body]; e < F->body_start[body + 1]; ++e) {
      const int32_t* pair = F->pair + 2 * (int64_t)F->term_contact[F->body_term[e]];
      int32_t other = pair[0] == body ? pair[1] : pair[0];
      if (other < 0 || other > body || seen[other] == body) continue;
      seen[other] = body;
      int32_t k = count++;
      for (; k > first[body] && neighbour[k - 1] > other; --k) neighbour[k] = neighbour[k - 1];
      neighbour[k] = other;
    }
    neighbour[count++] = body;
  }
  first[F->body_count] = count;
  return true;
}

static bool is_known(const CpsRestFactor* rest, int32_t bodies, const int32_t* first, const int32_t* neighbour) {
  return rest->first && rest->body_count == bodies &&
         memcmp(rest->first, first, ((size_t)bodies + 1) * sizeof *first) == 0 &&
         memcmp(rest->neighbour, neighbour, (size_t)first[bodies] * sizeof *neighbour) == 0;
}

// Both nodes of a body have blocks with both nodes of each neighbour; the one above the diagonal is never read.
static bool lay_out(const CpsRestFactor* rest, CpsArena* arena, CpsBlockMatrix* A) {
  const int64_t rows = 2 * (int64_t)rest->body_count;
  *A = (CpsBlockMatrix){.rows = (int32_t)rows, .dim = 3};
  A->start = CPS_TAKE(arena, int64_t, rows + 1);
  A->col = CPS_TAKE(arena, int32_t, 4 * (int64_t)rest->first[rest->body_count]);
  if (!A->start || !A->col) return false;
  for (int32_t row = 0; row < A->rows; ++row) {
    int32_t body = row / 2, count = rest->first[body + 1] - rest->first[body];
    A->start[row] = 4 * (int64_t)rest->first[body] + 2 * (row % 2) * count;
    for (int32_t k = 0; k < 2 * count; ++k) {
      A->col[A->start[row] + k] = 2 * rest->neighbour[rest->first[body] + k / 2] + k % 2;
    }
  }
  A->start[rows] = 4 * (int64_t)rest->first[rest->body_count];
  return true;
}

// Stores a new pattern without analysing it.
static bool note(CpsRestFactor* rest, int32_t bodies, const int32_t* first, const int32_t* neighbour) {
  cps_arena_reset(&rest->arena);
  rest->cholesky = NULL;
  rest->body_count = bodies;
  rest->first = CPS_TAKE(&rest->arena, int32_t, bodies + 1);
  rest->neighbour = CPS_TAKE(&rest->arena, int32_t, first[bodies]);
  if (!rest->first || !rest->neighbour) {
    rest->first = NULL;
    return false;
  }
  memcpy(rest->first, first, ((size_t)bodies + 1) * sizeof *first);
  memcpy(rest->neighbour, neighbour, (size_t)first[bodies] * sizeof *neighbour);
  return true;
}

static bool analyse(CpsRestFactor* rest, CpsArena* scratch) {
  CpsArenaMark mark = cps_arena_mark(scratch);
  CpsCholeskyOptions options = {.order = CPS_CHOLESKY_AMD};
  CpsBlockMatrix A;
  bool ok = lay_out(rest, scratch, &A);
  if (ok) rest->cholesky = cps_cholesky_create(&A, &options, &rest->arena, scratch);
  cps_arena_release(scratch, mark);
  return ok && rest->cholesky;
}

// Memory that had to grow is fragmented and has unused room: the second time it is allocated in one piece.
static bool order(CpsRestFactor* rest, int32_t bodies, const int32_t* first, const int32_t* neighbour,
                  CpsArena* scratch) {
  const size_t before = rest->arena.peak;
  if (!analyse(rest, scratch)) return false;
  return rest->arena.peak <= before || (note(rest, bodies, first, neighbour) && analyse(rest, scratch));
}

// Keeps only the pattern: a factor that is too expensive is freed.
static bool drop(CpsRestFactor* rest, int32_t bodies, const int32_t* first, const int32_t* neighbour) {
  cps_arena_free(&rest->arena);
  return note(rest, bodies, first, neighbour);
}

static bool find(CpsSolve* solve, double bound, double counted, bool* possible) {
  const CpsFactors* F = &solve->problem->factors;
  CpsRestFactor* rest = solve->rest;
  int32_t* first = CPS_TAKE(solve->arena, int32_t, F->body_count + 1);
  int32_t* neighbour = CPS_TAKE(solve->arena, int32_t, (int64_t)solve->problem->contact_count + F->body_count);
  if (!first || !neighbour || !find_neighbours(F, solve->arena, first, neighbour)) return false;
  if (!is_known(rest, F->body_count, first, neighbour)) {
    rest->counted = 0.0;
    if (!forecast(F, solve->arena, &rest->operations) || !note(rest, F->body_count, first, neighbour)) return false;
  }
  const bool cheap = rest->operations <= bound;
  if (!cheap && (rest->counted > counted || rest->operations > BOUND * counted)) return true;
  // memory for an order that may prove too expensive is separate from that of the solve
  CpsArena own = {0};
  const bool ordered = rest->cholesky || order(rest, F->body_count, first, neighbour, cheap ? solve->arena : &own);
  cps_arena_free(&own);
  if (!ordered) {
    rest->first = NULL;
    return false;
  }
  rest->counted = cps_cholesky_operations(rest->cholesky);
  *possible = cheap || rest->counted <= counted;
  rest->used = rest->used || *possible;
  return *possible || drop(rest, F->body_count, first, neighbour);
}

static bool take(CpsSolve* solve) {
  CpsRestFactor* rest = solve->rest;
  const int64_t bodies = rest->body_count;
  rest->value = CPS_TAKE(solve->arena, double, 36 * (int64_t)rest->first[bodies]);
  rest->y = CPS_TAKE(solve->arena, double, CPS_RIGID_SLOT* bodies);
  rest->z = CPS_TAKE(solve->arena, double, CPS_RIGID_SLOT* bodies);
  rest->work = CPS_TAKE(solve->arena, double, CPS_RIGID_DOFS* bodies);
  return rest->value && rest->y && rest->z && rest->work;
}

CpsStatus cps_rest_factor_prepare(CpsSolve* solve, double bound, double counted, bool* possible) {
  const CpsProblem* p = solve->problem;
  *possible = false;
  if (!p->factors.pair || !p->all_coulomb) return CPS_OK;
  CpsArenaMark mark = cps_arena_mark(solve->arena);
  bool ok = find(solve, bound, counted, possible);
  cps_arena_release(solve->arena, mark);
  if (ok && *possible) ok = take(solve);
  const int64_t held = (int64_t)solve->rest->arena.peak;
  if (held > solve->outside_bytes) solve->outside_bytes = held;
  return ok ? CPS_OK : cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to polish");
}

void cps_rest_factor_free(CpsRestFactor* rest) {
  cps_arena_free(&rest->arena);
  *rest = (CpsRestFactor){0};
}

void cps_rest_factor_age(CpsRestFactor* rest) {
  if (!rest->used && rest->cholesky) cps_rest_factor_free(rest);
  rest->used = false;
}

// The blocks of two bodies, with rows of the higher one: position of (node 0, node 0).
static double* blocks_of(const CpsRestFactor* rest, int32_t high, int32_t low, int64_t* stride) {
  int32_t first = rest->first[high], k = rest->first[high + 1] - 1;
  while (rest->neighbour[k] != low) --k;
  *stride = 9 * 2 * (int64_t)(rest->first[high + 1] - first);
  return rest->value + 36 * (int64_t)first + 18 * (k - first);
}

// A 6 x 6 matrix, rows of eight numbers.
enum { ROW = 8, SQUARE = 6 * ROW };

// + weight P^T Q, both 3 x 6
static inline void add_product(double weight, const double* P, const double* Q, double* sum) {
  const CpsVec4 a = CPS_LOAD4(Q), b = CPS_LOAD4(Q + 6), c = CPS_LOAD4(Q + 12);
  const CpsVec2 d = CPS_LOAD2(Q + 4), e = CPS_LOAD2(Q + 10), f = CPS_LOAD2(Q + 16);
  for (int k = 0; k < 6; ++k, sum += ROW) {
    const double x = weight * P[k], y = weight * P[6 + k], z = weight * P[12 + k];
    *(CpsVec4Any*)sum = CPS_LOAD4(sum) + (x * a + y * b + z * c);
    *(CpsVec2Any*)(sum + 4) = CPS_LOAD2(sum + 4) + (x * d + y * e + z * f);
  }
}

static void add_square(const CpsRestFactor* rest, int32_t high, int32_t low, const double* sum) {
  int64_t stride;
  double* at = blocks_of(rest, high, low, &stride);
  for (int a = 0; a < 6; ++a, sum += ROW) {
    double* row = at + stride * (a / 3) + 3 * (a % 3);
    for (int b = 0; b < 6; ++b) row[9 * (b / 3) + b % 3] += sum[b];
  }
}

// out = D M, M 3 x 6; D symmetric: xx, xy, xz, yy, yz, zz
static inline void multiply(const double* D, const double* M, double* out) {
  for (int k = 0; k < 6; ++k) {
    const double x = M[k], y = M[6 + k], z = M[12 + k];
    out[k] = D[0] * x + D[1] * y + D[2] * z;
    out[6 + k] = D[1] * x + D[3] * y + D[4] * z;
    out[12 + k] = D[2] * x + D[4] * y + D[5] * z;
  }
}

// The contacts [first, last), all of the same two bodies, are summed before they are stored.
CPS_HOT static void add_contacts(const CpsRestFactor* rest, const CpsProblem* p, int32_t first, int32_t last,
                                 const bool* moves, const double* weight, const double* D) {
  const CpsFactors* F = &p->factors;
  const int32_t a = F->pair[2 * (int64_t)first], b = F->pair[2 * (int64_t)first + 1];
  double aa[SQUARE] = {0.0}, bb[SQUARE] = {0.0}, ba[SQUARE] = {0.0};
  for (int32_t i = first; i < last; ++i) {
    const double *P = F->H + CPS_RIGID_TERM * F->contact_start[i], *Q = P + CPS_RIGID_TERM;
    if (!moves[i]) continue;
    double DP[CPS_RIGID_TERM], DQ[CPS_RIGID_TERM];
    const double w = D ? 1.0 : weight[i], *right = P, *right_b = Q;
    if (D) {
      multiply(D + 6 * (int64_t)i, P, DP);
      right = DP;
    }
    add_product(w, P, right, aa);
    if (b < 0) continue;
    if (D) {
      multiply(D + 6 * (int64_t)i, Q, DQ);
      right_b = DQ;
    }
    add_product(w, Q, right_b, bb);
    if (a > b) {
      add_product(w, P, right_b, ba);
    } else {
      add_product(w, Q, right, ba);
    }
  }
  add_square(rest, a, a, aa);
  if (b < 0) return;
  add_square(rest, b, b, bb);
  add_square(rest, a > b ? a : b, a > b ? b : a, ba);
}

// (1)
static void fill(const CpsRestFactor* rest, const CpsProblem* p, const bool* moves, const double* weight,
                 const double* D) {
  const CpsFactors* F = &p->factors;
  const int32_t bodies = F->body_count;
  memset(rest->value, 0, 36 * (size_t)rest->first[bodies] * sizeof(double));
  double mean = 0.0;
  for (int32_t i = 0, end; i < p->contact_count; i = end) {
    const int32_t* pair = F->pair + 2 * (int64_t)i;
    for (end = i; end < p->contact_count; ++end) {
      const int32_t* next = F->pair + 2 * (int64_t)end;
      if (next[0] != pair[0] || next[1] != pair[1]) break;
      if (moves[end] && pair[0] >= 0) mean += (D ? D[6 * (int64_t)end] : weight[end]) / p->xi[end] / bodies;
    }
    if (pair[0] >= 0) add_contacts(rest, p, i, end, moves, weight, D);
  }
  for (int32_t body = 0; body < bodies; ++body) {
    int64_t stride;
    double *at = blocks_of(rest, body, body, &stride), trace = 0.0;
    for (int a = 0; a < 6; ++a) trace += at[stride * (a / 3) + 9 * (a / 3) + 4 * (a % 3)];
    for (int a = 0; a < 6; ++a) at[stride * (a / 3) + 9 * (a / 3) + 4 * (a % 3)] += EPS * (trace / 6.0 + mean);
  }
}

// Copies between slots of eight numbers per body and the six of the factor.
static void pack(int32_t bodies, const double* slots, double* x) {
  for (int64_t body = 0; body < bodies; ++body) {
    memmove(x + CPS_RIGID_DOFS * body, slots + CPS_RIGID_SLOT * body, CPS_RIGID_DOFS * sizeof *x);
  }
}

static void unpack(int32_t bodies, const double* x, double* slots) {
  for (int64_t body = bodies - 1; body >= 0; --body) {
    memmove(slots + CPS_RIGID_SLOT * body, x + CPS_RIGID_DOFS * body, CPS_RIGID_DOFS * sizeof *x);
  }
}

bool cps_rest_factor_make(CpsSolve* solve, const bool* moves, const double* weight) {
  CpsRestFactor* rest = solve->rest;
  fill(rest, solve->problem, moves, weight, NULL);
  return cps_cholesky_factor(rest->cholesky, rest->value) < 0;
}

bool cps_rest_factor_make_blocks(CpsSolve* solve, const bool* moves, const double* D) {
  CpsRestFactor* rest = solve->rest;
  fill(rest, solve->problem, moves, NULL, D);
  return cps_cholesky_factor(rest->cholesky, rest->value) < 0;
}

// x <- A^-1 x, in slots
void cps_rest_factor_apply(CpsSolve* solve, double* x) {
  const CpsRestFactor* rest = solve->rest;
  const int32_t bodies = rest->body_count;
  pack(bodies, x, x);
  cps_cholesky_solve(rest->cholesky, 1, x, rest->work);
  unpack(bodies, x, x);
}

void cps_rest_factor_solve(CpsSolve* solve, const bool* moves, const double* weight, const double* u, double* dr) {
  const CpsRestFactor* rest = solve->rest;
  const CpsProblem* p = solve->problem;
  int32_t bodies = p->factors.body_count;
  for (int64_t i = 0; i < p->contact_count; ++i) {
    for (int k = 0; k < 3; ++k) dr[3 * i + k] = moves[i] ? -weight[i] * u[3 * i + k] : 0.0;
  }
  cps_rigid_push(p, dr, rest->z);
  pack(bodies, rest->z, rest->z);
  cps_cholesky_solve(rest->cholesky, 1, rest->z, rest->work);
  memcpy(rest->y, rest->z, CPS_RIGID_DOFS * (size_t)bodies * sizeof(double));
  cps_cholesky_solve(rest->cholesky, 1, rest->y, rest->work);
  unpack(bodies, rest->y, rest->y);
  cps_rigid_velocity(p, NULL, rest->y, NULL, dr);
  for (int64_t i = 0; i < p->contact_count; ++i) {
    for (int k = 0; k < 3; ++k) dr[3 * i + k] *= moves[i] ? weight[i] : 0.0;
  }
}
