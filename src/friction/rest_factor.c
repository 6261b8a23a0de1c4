// Rest as a linear system in the velocities of rigid bodies.
//
// Where every loaded contact S sticks, u_S + W_SS dr_S = 0 with W = H H^T, H in the mass-normalised velocities of the bodies. The solution
// that is the smallest in the norm of D^-1 is found in the bodies, of which there are fewer than contacts:
//
//   A = sum_{i in S} D_i H_i^T H_i + eps diag                                                                      (1)
//   A z = -H^T D u,   A y = z,   dr = D H y                                                                        (2)
//
// z are the velocities that bring u to rest, y the multipliers of H^T dr = z. A is sparse, one block for each two bodies in contact,
// and its Cholesky factor knows the slow modes of a pile, of which sweeps and a bounded number of conjugate gradients know nothing.
// eps keeps bodies that contacts do not hold entirely (a ball that may spin) from making A singular; it costs digits that the next
// solution finds.
#include "friction/rest_factor.h"

#include "core/error.h"
#include "friction/rigid.h"

#include <math.h>
#include <string.h>

static const double EPS = 1e-12;  // part of the mean diagonal of a body

// A search along the contacts, level by level.
typedef struct Search {
  const CpsFactors* F;
  int32_t *level, *queue;  // of each body, -1: not seen; bodies in the order in which they were seen
  int32_t end;
  double operations;
} Search;

// From one body on, and (6 w)^3 twice for each level of w bodies.
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

// Operations of a factor in which the bodies are eliminated by these levels: a bound that needs no analysis. The second search
// begins where the first has ended, at the rim.
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

// The lower neighbours of each body, itself last.
static bool find_neighbours(CpsRestFactor* rest, CpsArena* arena) {
  const CpsFactors* F = &rest->problem->factors;
  int32_t* seen = CPS_TAKE(arena, int32_t, F->body_count);
  if (!seen) return false;
  for (int32_t body = 0; body < F->body_count; ++body) seen[body] = -1;
  int32_t count = 0;
  for (int32_t body = 0; body < F->body_count; ++body) {
    rest->first[body] = count;
    for (int64_t e = F->body_start[body]; e < F->body_start[body + 1]; ++e) {
      const int32_t* pair = F->pair + 2 * (int64_t)F->term_contact[F->body_term[e]];
      int32_t other = pair[0] == body ? pair[1] : pair[0];
      if (other < 0 || other > body || seen[other] == body) continue;
      seen[other] = body;
      int32_t k = count++;
      for (; k > rest->first[body] && rest->neighbour[k - 1] > other; --k) rest->neighbour[k] = rest->neighbour[k - 1];
      rest->neighbour[k] = other;
    }
    rest->neighbour[count++] = body;
  }
  rest->first[F->body_count] = count;
  return true;
}

// Both nodes of a body have blocks with both nodes of each neighbour; of the one above the diagonal nothing is read.
static void lay_out(CpsRestFactor* rest) {
  for (int32_t row = 0; row < rest->A.rows; ++row) {
    int32_t body = row / 2, count = rest->first[body + 1] - rest->first[body];
    rest->A.start[row] = 4 * (int64_t)rest->first[body] + 2 * (row % 2) * count;
    for (int32_t k = 0; k < 2 * count; ++k) {
      rest->A.col[rest->A.start[row] + k] = 2 * rest->neighbour[rest->first[body] + k / 2] + k % 2;
    }
  }
  rest->A.start[rest->A.rows] = 4 * (int64_t)rest->first[rest->A.rows / 2];
}

static bool analyse(CpsRestFactor* rest, CpsArena* scratch) {
  CpsArena* arena = &rest->arena;
  const int64_t bodies = rest->A.rows / 2, most = (int64_t)rest->problem->contact_count + bodies;
  rest->first = CPS_TAKE(arena, int32_t, bodies + 1);
  rest->neighbour = CPS_TAKE(arena, int32_t, most);
  rest->A.start = CPS_TAKE(arena, int64_t, 2 * bodies + 1);
  rest->y = CPS_TAKE(arena, double, CPS_RIGID_SLOT* bodies);
  rest->z = CPS_TAKE(arena, double, CPS_RIGID_SLOT* bodies);
  rest->work = CPS_TAKE(arena, double, CPS_RIGID_DOFS* bodies);
  if (!rest->first || !rest->neighbour || !rest->A.start || !rest->y || !rest->z || !rest->work) return false;
  if (!find_neighbours(rest, scratch)) return false;
  const int64_t blocks = 4 * (int64_t)rest->first[bodies];
  rest->A.col = CPS_TAKE(arena, int32_t, blocks);
  rest->A.value = CPS_TAKE(arena, double, 9 * blocks);
  if (!rest->A.col || !rest->A.value) return false;
  lay_out(rest);
  CpsCholeskyOptions options = {.order = CPS_CHOLESKY_AMD};
  rest->cholesky = cps_cholesky_create(&rest->A, &options, arena, scratch);
  return rest->cholesky;
}

CpsStatus cps_rest_factor_create(CpsSolve* solve, double operations, CpsRestFactor* rest, bool* possible) {
  const CpsProblem* p = solve->problem;
  CpsArena scratch = {0};
  double expected = 0.0;
  *rest = (CpsRestFactor){.problem = p, .A = {.rows = 2 * p->factors.body_count, .dim = 3}};
  *possible = false;
  if (!p->factors.pair || !p->all_coulomb) return CPS_OK;
  CpsArenaMark mark = cps_arena_mark(solve->arena);
  bool ok = forecast(&p->factors, solve->arena, &expected);
  cps_arena_release(solve->arena, mark);
  if (ok && expected <= operations) {
    ok = *possible = analyse(rest, &scratch);
  }
  const int64_t held = (int64_t)(rest->arena.peak + scratch.peak);
  if (held > solve->outside_bytes) solve->outside_bytes = held;
  cps_arena_free(&scratch);
  if (ok) return CPS_OK;
  cps_rest_factor_free(rest);
  return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory to polish");
}

void cps_rest_factor_free(CpsRestFactor* rest) {
  cps_arena_free(&rest->arena);
}

// The blocks of two bodies, the higher one's rows: place of (node 0, node 0).
static double* blocks_of(const CpsRestFactor* rest, int32_t high, int32_t low, int64_t* stride) {
  int32_t first = rest->first[high], k = rest->first[high + 1] - 1;
  while (rest->neighbour[k] != low) --k;
  *stride = 9 * 2 * (int64_t)(rest->first[high + 1] - first);
  return rest->A.value + 9 * (rest->A.start[2 * (int64_t)high] + 2 * (k - first));
}

// + weight P^T Q, both 3 x 6
static void add_product(const CpsRestFactor* rest, int32_t high, int32_t low, double weight, const double* P,
                        const double* Q) {
  int64_t stride;
  double* at = blocks_of(rest, high, low, &stride);
  for (int a = 0; a < 6; ++a) {
    double* row = at + stride * (a / 3) + 3 * (a % 3);
    for (int b = 0; b < 6; ++b) {
      row[9 * (b / 3) + b % 3] += weight * (P[a] * Q[b] + P[6 + a] * Q[6 + b] + P[12 + a] * Q[12 + b]);
    }
  }
}

// (1)
static void fill(CpsRestFactor* rest, const bool* moves, const double* weight) {
  const CpsProblem* p = rest->problem;
  const CpsFactors* F = &p->factors;
  int32_t bodies = F->body_count;
  memset(rest->A.value, 0, 9 * (size_t)rest->A.start[2 * (int64_t)bodies] * sizeof(double));
  double mean = 0.0;
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int32_t* pair = F->pair + 2 * (int64_t)i;
    const double *P = F->H + CPS_RIGID_TERM * F->contact_start[i], *Q = P + CPS_RIGID_TERM;
    if (!moves[i] || pair[0] < 0) continue;
    add_product(rest, pair[0], pair[0], weight[i], P, P);
    mean += weight[i] / p->xi[i] / bodies;
    if (pair[1] < 0) continue;
    add_product(rest, pair[1], pair[1], weight[i], Q, Q);
    if (pair[0] > pair[1]) {
      add_product(rest, pair[0], pair[1], weight[i], P, Q);
    } else {
      add_product(rest, pair[1], pair[0], weight[i], Q, P);
    }
  }
  for (int32_t body = 0; body < bodies; ++body) {
    int64_t stride;
    double *at = blocks_of(rest, body, body, &stride), trace = 0.0;
    for (int a = 0; a < 6; ++a) trace += at[stride * (a / 3) + 9 * (a / 3) + 4 * (a % 3)];
    for (int a = 0; a < 6; ++a) at[stride * (a / 3) + 9 * (a / 3) + 4 * (a % 3)] += EPS * (trace / 6.0 + mean);
  }
}

// Between slots of eight numbers a body and the six of the factor.
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

bool cps_rest_factor_make(CpsRestFactor* rest, const bool* moves, const double* weight) {
  fill(rest, moves, weight);
  return cps_cholesky_factor(rest->cholesky, rest->A.value) < 0;
}

void cps_rest_factor_solve(CpsRestFactor* rest, const bool* moves, const double* weight, const double* u, double* dr) {
  const CpsProblem* p = rest->problem;
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
