// `lemke`: Coulomb friction with a faceted cone, solved as linear complementarity problems by Lemke's method.
//
// A regular polygon with options->facets sides, inside or around the friction disc, replaces it at every contact
// (friction/facets.h). Each island is one LCP. Inner facets use corners, eq. (1) of facet_lcp.c. Outer facets use
// sides, eq. (2), or, if W_TT is singular or Lemke's method ends without a solution, the corners of the same outer
// polygon, which is the same law. One iteration is one pivot.
//
// In dimension 3 the law is approximate: the answer is within O(1/facets) of Coulomb's, as the common residual shows.
// In dimension 2, and without friction, it is exact. There is no warm start. If Lemke's method finds no solution for an
// island (a secondary ray, or a tableau spoilt by rounding: seen on walls of boxes, where W is far from regular), its
// impulses keep the first guess. The tableau is dense: the cost grows with the cube of the contacts of an island.
#include "core/error.h"
#include "friction/global/facet_lcp.h"
#include "friction/global/lcp_lemke.h"
#include "friction/global/method.h"

// Unknowns of the largest LCP: at this size M and the tableau take 128 MB each and a pivot some ten milliseconds.
enum { SIZE_LIMIT = 4000 };

static bool step(void* data) {
  return cps_solve_tick(data);
}

// Solves one island into r. *stopped: a limit was reached.
static CpsStatus solve_island(CpsSolve* solve, const CpsFacetIsland* island, bool by_sides, double* r, bool* solved,
                              bool* stopped) {
  CpsArenaMark mark = cps_arena_mark(solve->arena);
  CpsFacetLcp lcp;
  bool usable = true;
  bool taken = by_sides ? cps_facet_lcp_by_sides(island, solve->arena, &lcp, &usable)
                        : cps_facet_lcp_by_corners(island, solve->arena, &lcp);
  double* z = taken ? CPS_TAKE(solve->arena, double, lcp.size) : NULL;
  CpsLcpResult result = CPS_LCP_NO_MEMORY;
  if (z != NULL && usable) result = cps_lcp_lemke(lcp.size, lcp.M, lcp.q, solve->arena, step, solve, z);
  if (z != NULL && !usable) result = CPS_LCP_RAY;
  *solved = result == CPS_LCP_SOLVED;
  *stopped = result == CPS_LCP_STOPPED;
  if (*solved) cps_facet_lcp_impulses(island, &lcp, z, r);
  cps_arena_release(solve->arena, mark);
  if (result == CPS_LCP_NO_MEMORY)
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for the tableau of lemke");
  return CPS_OK;
}

static void set_zero(const CpsFacetIsland* island, double* r) {
  const CpsProblem* problem = island->problem;
  for (int32_t k = 0; k < island->count; k++) {
    int32_t i = island->contact[k];
    for (int64_t row = problem->offset[i]; row < problem->offset[i + 1]; row++) r[row] = 0.0;
  }
}

// The contacts by island: start has count + 1 entries. Free blocks belong to no island and get r = 0.
static bool sort_by_island(CpsSolve* solve, double* r, int32_t* count, int32_t** start_out, int32_t** contact_out) {
  const CpsProblem* problem = solve->problem;
  int32_t n = problem->contact_count;
  int32_t* island = CPS_TAKE(solve->arena, int32_t, n);
  int32_t* start = CPS_TAKE_ZERO(solve->arena, int32_t, (int64_t)n + 2);
  int32_t* contact = CPS_TAKE(solve->arena, int32_t, n);
  if (island == NULL || start == NULL || contact == NULL) return false;
  if (cps_problem_islands(problem, island, count) != CPS_OK) return false;
  for (int32_t i = 0; i < n; i++) {
    if (problem->law[i] != CPS_LAW_FREE) start[island[i] + 2]++;
  }
  for (int32_t c = 0; c < *count; c++) start[c + 2] += start[c + 1];
  for (int32_t i = 0; i < n; i++) {
    if (problem->law[i] != CPS_LAW_FREE) {
      contact[start[island[i] + 1]++] = i;
    } else {
      for (int64_t row = problem->offset[i]; row < problem->offset[i + 1]; row++) r[row] = 0.0;
    }
  }
  *start_out = start;
  *contact_out = contact;
  return true;
}

static CpsStatus run(CpsSolve* solve, double* r) {
  const CpsProblem* problem = solve->problem;
  int32_t n = problem->contact_count, island_count = 0;
  for (int32_t i = 0; i < n; i++) {
    if (cps_contact_dim(problem, i) > 3) {
      return cps_fail(solve->error, CPS_UNSUPPORTED, "lemke handles dimensions 2 and 3, contact %d has %d", (int)i,
                      cps_contact_dim(problem, i));
    }
  }
  CpsBlockMatrix W;
  int32_t *start, *contact;
  int32_t* local = CPS_TAKE(solve->arena, int32_t, n);
  if (local == NULL || !cps_problem_explicit_W(problem, solve->arena, &W) ||
      !sort_by_island(solve, r, &island_count, &start, &contact)) {
    return cps_fail(solve->error, CPS_NO_MEMORY, "not enough memory for lemke");
  }
  CpsFacetIsland island = {problem, &W, 0, contact, local, solve->options->facets, solve->options->facet_kind};
  for (int32_t c = 0; c < island_count; c++) {
    island.count = start[c + 1] - start[c];
    island.contact = contact + start[c];
    int64_t size = cps_facet_lcp_size(&island);
    if (size > SIZE_LIMIT) {
      return cps_fail(solve->error, CPS_UNSUPPORTED,
                      "lemke is dense: an island of %d contacts makes an LCP of %lld unknowns, the limit is %d",
                      (int)island.count, (long long)size, SIZE_LIMIT);
    }
  }
  bool stopped = false;
  for (int32_t i = 0; i < n; i++) local[i] = -1;
  for (int32_t c = 0; c < island_count && !stopped; c++) {
    island.count = start[c + 1] - start[c];
    island.contact = contact + start[c];
    if (island.count == 0) continue;
    for (int32_t k = 0; k < island.count; k++) local[island.contact[k]] = k;
    double velocity_scale, impulse_unit;
    cps_facet_lcp_scales(&island, &velocity_scale, &impulse_unit);
    bool solved = false;
    CpsStatus status = CPS_OK;
    if (!(impulse_unit > 0.0)) {
      set_zero(&island, r);
      solved = true;
    }
    if (!solved && island.kind == CPS_FACETS_OUTER) {
      status = solve_island(solve, &island, true, r, &solved, &stopped);
    }
    if (status == CPS_OK && !solved && !stopped) status = solve_island(solve, &island, false, r, &solved, &stopped);
    if (status != CPS_OK) return status;
    for (int32_t k = 0; k < island.count; k++) local[island.contact[k]] = -1;
  }
  cps_solve_offer(solve, r, NULL, NULL);
  return CPS_OK;
}

const CpsMethodEntry cps_method_lemke = {
    .info = {.name = "lemke",
             .summary = "linear complementarity problem with inner or outer facets, by Lemke's pivoting, dense",
             .reference = "Stewart and Trinkle 1996; Renouf, Acary and Dumont 2005, eq. 32",
             .laws = CPS_LAW_BIT(CPS_LAW_COULOMB) | CPS_LAW_BIT(CPS_LAW_FREE),
             .exact = false,
             .uses_local = false,
             .available = true},
    .run = run,
};
