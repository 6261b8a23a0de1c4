// The factor of M, by sparse/cholesky.h, with its own memory, kept while the pattern stays the same.
//
// The order of elimination follows from the pattern and the hint alone, never from earlier factorisations. It determines
// rounding, and a loaded state, or an island solved by another thread, must continue with the same bits.
#include "friction/mass_factor.h"

#include <stdlib.h>
#include <string.h>

struct CpsMassFactor {
  int32_t nodes;
  int64_t blocks;
  CpsPool* pool;
  CpsArena arena;    // the pattern and the factor
  CpsArena scratch;  // of the analysis
  int64_t* start;    // pattern of the last analysis
  int32_t* column;
  int32_t* hinted;        // the order passed to it; NULL: none
  double operations;      // of the order found without a hint
  double* value;          // values behind the factor,
  bool filled;            // if it is valid
  CpsCholesky* cholesky;  // NULL before the first analysis
};

// A pattern that needs this many times the operations of the hint's own pattern gets a new order.
static const double WORN = 1.5;

CpsMassFactor* cps_mass_factor_create(void) {
  return calloc(1, sizeof(CpsMassFactor));
}

void cps_mass_factor_destroy(CpsMassFactor* f) {
  if (!f) return;
  cps_arena_free(&f->arena);
  cps_arena_free(&f->scratch);
  free(f);
}

static bool is_known(const CpsMassFactor* f, const int32_t* hint, CpsPool* pool, int32_t nodes, const int64_t* start,
                     const int32_t* column) {
  return f->cholesky && f->pool == pool && f->nodes == nodes && f->blocks == start[nodes] &&
         memcmp(f->start, start, ((size_t)nodes + 1) * sizeof *start) == 0 &&
         memcmp(f->column, column, (size_t)start[nodes] * sizeof *column) == 0 && !f->hinted == !hint &&
         (!hint || memcmp(f->hinted, hint, (size_t)nodes * sizeof *hint) == 0);
}

// Keeps the pattern and the hint.
static bool note(CpsMassFactor* f, const int32_t* hint, int32_t nodes, const int64_t* start, const int32_t* column) {
  f->cholesky = NULL;
  cps_arena_reset(&f->arena);
  f->nodes = nodes;
  f->blocks = start[nodes];
  f->start = CPS_TAKE(&f->arena, int64_t, (int64_t)nodes + 1);
  f->column = CPS_TAKE(&f->arena, int32_t, f->blocks);
  f->hinted = hint ? CPS_TAKE(&f->arena, int32_t, nodes) : NULL;
  f->value = CPS_TAKE(&f->arena, double, 9 * f->blocks);
  f->filled = false;
  if (!f->start || !f->column || !f->value || (hint && !f->hinted)) return false;
  memcpy(f->start, start, ((size_t)nodes + 1) * sizeof *start);
  memcpy(f->column, column, (size_t)f->blocks * sizeof *column);
  if (hint) memcpy(f->hinted, hint, (size_t)nodes * sizeof *hint);
  return true;
}

static bool analyse(CpsMassFactor* f, const int32_t* order) {
  cps_arena_reset(&f->scratch);
  CpsBlockMatrix pattern = {.rows = f->nodes, .dim = 3, .start = f->start, .col = f->column};
  CpsCholeskyOptions options = {
      .order = order ? CPS_CHOLESKY_GIVEN : CPS_CHOLESKY_CHEAPEST, .given = order, .pool = f->pool};
  f->cholesky = cps_cholesky_create(&pattern, &options, &f->arena, &f->scratch);
  return f->cholesky != NULL;
}

bool cps_mass_factor_analyse(CpsMassFactor* f, const CpsMassFactor* hint, CpsPool* pool, int32_t nodes,
                             const int64_t* start, const int32_t* column) {
  const bool fits = hint && hint->cholesky && hint->nodes == nodes;
  const int32_t* order = fits ? cps_cholesky_order(hint->cholesky) : NULL;
  if (is_known(f, order, pool, nodes, start, column)) return true;
  f->pool = pool;
  if (!note(f, order, nodes, start, column)) return false;
  const CpsArenaMark noted = cps_arena_mark(&f->arena);
  if (order) {
    if (!analyse(f, order)) return false;
    if (cps_cholesky_operations(f->cholesky) <= WORN * hint->operations) return true;
    cps_arena_release(&f->arena, noted);
  }
  if (!analyse(f, NULL)) return false;
  f->operations = cps_cholesky_operations(f->cholesky);
  return true;
}

CpsMassFactor* cps_masses_get(CpsMasses* masses, CpsPool* pool, int32_t nodes, const int64_t* start,
                              const int32_t* column) {
  int place = 0;
  for (int k = 0; k < CPS_MASSES_MOST; ++k) {
    if (!masses->factor[k]) {
      place = k;
      break;
    }
    if (is_known(masses->factor[k], NULL, pool, nodes, start, column)) {
      masses->used[k] = ++masses->clock;
      return masses->factor[k];
    }
    if (masses->used[k] < masses->used[place]) place = k;
  }
  if (!masses->factor[place]) masses->factor[place] = cps_mass_factor_create();
  CpsMassFactor* f = masses->factor[place];
  if (!f) return NULL;
  masses->used[place] = ++masses->clock;
  return cps_mass_factor_analyse(f, NULL, pool, nodes, start, column) ? f : NULL;
}

void cps_masses_free(CpsMasses* masses) {
  for (int k = 0; k < CPS_MASSES_MOST; ++k) cps_mass_factor_destroy(masses->factor[k]);
  cps_mass_factor_destroy(masses->borrowed);
  *masses = (CpsMasses){0};
}

CpsMassFactor* cps_masses_borrow(CpsMasses* masses, CpsCholesky* factor) {
  if (!masses->borrowed) masses->borrowed = cps_mass_factor_create();
  CpsMassFactor* f = masses->borrowed;
  if (!f) return NULL;
  f->nodes = cps_cholesky_first(factor, cps_cholesky_supernodes(factor));
  f->operations = cps_cholesky_operations(factor);
  f->cholesky = factor;
  return f;
}

bool cps_mass_factor_factor(CpsMassFactor* f, const double* value, int32_t* node) {
  const size_t bytes = 9 * (size_t)f->blocks * sizeof *value;
  *node = -1;
  if (f->filled && memcmp(f->value, value, bytes) == 0) return true;
  *node = cps_cholesky_factor(f->cholesky, value);
  f->filled = *node < 0;
  if (f->filled) memcpy(f->value, value, bytes);
  return f->filled;
}

void cps_mass_factor_solve(const CpsMassFactor* f, int32_t columns, double* x, double* work) {
  cps_cholesky_solve(f->cholesky, columns, x, work);
}

const double* cps_mass_factor_inverse(const CpsMassFactor* f, const bool* wanted, int64_t blocks, CpsArena* arena) {
  const double* kept = cps_cholesky_kept_inverse(f->cholesky, wanted, arena);
  if (kept) return kept;
  double* block = CPS_TAKE(arena, double, 9 * blocks);
  return block && cps_cholesky_inverse(f->cholesky, wanted, block, arena) ? block : NULL;
}

int32_t cps_mass_factor_reach(const CpsMassFactor* f, int32_t count, const int32_t* node, int32_t* reach,
                              int32_t* work) {
  return cps_cholesky_reach(f->cholesky, count, node, reach, work);
}

void cps_mass_factor_half(const CpsMassFactor* f, int32_t reach_count, const int32_t* reach, int32_t columns,
                          double* y) {
  cps_cholesky_forward_reach(f->cholesky, reach_count, reach, columns, y);
}

void cps_mass_factor_half_back(const CpsMassFactor* f, int32_t reach_count, const int32_t* reach, int32_t columns,
                               double* y) {
  cps_cholesky_backward_reach(f->cholesky, reach_count, reach, columns, y);
}

int32_t cps_mass_factor_supernodes(const CpsMassFactor* f) {
  return cps_cholesky_supernodes(f->cholesky);
}

int32_t cps_mass_factor_first(const CpsMassFactor* f, int32_t supernode) {
  return cps_cholesky_first(f->cholesky, supernode);
}

int32_t cps_mass_factor_position(const CpsMassFactor* f, int32_t node) {
  return cps_cholesky_position(f->cholesky)[node];
}

double cps_mass_factor_cost(const CpsMassFactor* f) {
  return cps_cholesky_operations(f->cholesky);
}

double cps_mass_factor_solve_cost(const CpsMassFactor* f) {
  return 4.0 * (double)cps_cholesky_fill(f->cholesky);
}

int64_t cps_mass_factor_bytes(const CpsMassFactor* f) {
  return (int64_t)(f->arena.used + f->scratch.used);
}
