// The factor of M, by sparse/ldl.h: the blocks are written out as scalars, both triangles.
#include "friction/mass_factor.h"

#include "sparse/ldl.h"

#include <stdlib.h>
#include <string.h>

struct CpsMassFactor {
  int32_t nodes;
  int64_t blocks, capacity_nodes, capacity_blocks;
  int64_t* start;  // pattern of the last analysis
  int32_t* column;
  int64_t* col_start;  // scalar CSC, both triangles
  int64_t* row;
  double* value;
  int64_t* next;
  CpsLdl* ldl;
};

CpsMassFactor* cps_mass_factor_create(void) {
  return calloc(1, sizeof(CpsMassFactor));
}

static void release(CpsMassFactor* f) {
  cps_ldl_destroy(f->ldl);
  free(f->start);
  free(f->column);
  free(f->col_start);
  free(f->row);
  free(f->value);
  free(f->next);
  *f = (CpsMassFactor){0};
}

void cps_mass_factor_destroy(CpsMassFactor* factor) {
  if (!factor) return;
  release(factor);
  free(factor);
}

static bool is_known(const CpsMassFactor* f, int32_t nodes, const int64_t* start, const int32_t* column) {
  return f->ldl && f->nodes == nodes && f->blocks == start[nodes] &&
         memcmp(f->start, start, ((size_t)nodes + 1) * sizeof *start) == 0 &&
         memcmp(f->column, column, (size_t)start[nodes] * sizeof *column) == 0;
}

static void count_columns(CpsMassFactor* f) {
  int64_t n = f->nodes;
  memset(f->col_start, 0, (size_t)(3 * n + 1) * sizeof *f->col_start);
  for (int32_t i = 0; i < n; ++i) {
    for (int64_t k = f->start[i]; k < f->start[i + 1]; ++k) {
      int32_t j = f->column[k];
      for (int a = 0; a < 3; ++a) {
        f->col_start[3 * (int64_t)j + a + 1] += 3;
        if (i != j) f->col_start[3 * (int64_t)i + a + 1] += 3;
      }
    }
  }
  for (int64_t c = 0; c < 3 * n; ++c) f->col_start[c + 1] += f->col_start[c];
}

// Rows of each column ascend: first the block rows of the lower triangle above the diagonal (transposed), then the rest.
static void fill(CpsMassFactor* f, const double* value) {
  int64_t n = f->nodes;
  memcpy(f->next, f->col_start, (size_t)(3 * n) * sizeof *f->next);
  for (int32_t i = 0; i < n; ++i) {
    for (int64_t k = f->start[i]; k < f->start[i + 1]; ++k) {
      int64_t j = f->column[k];
      if (j == i) continue;
      for (int a = 0; a < 3; ++a) {
        for (int c = 0; c < 3; ++c) {
          int64_t at = f->next[3 * (int64_t)i + a]++;
          f->row[at] = 3 * j + c;
          if (value) f->value[at] = value[9 * k + 3 * a + c];
        }
      }
    }
  }
  for (int32_t i = 0; i < n; ++i) {
    for (int64_t k = f->start[i]; k < f->start[i + 1]; ++k) {
      int64_t j = f->column[k];
      for (int c = 0; c < 3; ++c) {
        for (int a = 0; a < 3; ++a) {
          int64_t at = f->next[3 * j + c]++;
          f->row[at] = 3 * (int64_t)i + a;
          if (!value) continue;
          const double* B = value + 9 * k;
          f->value[at] = i == j ? 0.5 * (B[3 * a + c] + B[3 * c + a]) : B[3 * a + c];
        }
      }
    }
  }
}

bool cps_mass_factor_analyse(CpsMassFactor* f, int32_t nodes, const int64_t* start, const int32_t* column) {
  if (is_known(f, nodes, start, column)) return true;
  release(f);
  int64_t n = nodes, blocks = start[n];
  f->nodes = nodes;
  f->blocks = blocks;
  f->start = malloc(((size_t)n + 1) * sizeof *f->start);
  f->column = malloc(((size_t)blocks + 1) * sizeof *f->column);
  f->col_start = malloc((3 * (size_t)n + 1) * sizeof *f->col_start);
  f->next = malloc((3 * (size_t)n + 1) * sizeof *f->next);
  f->row = malloc(((size_t)blocks * 18 + 1) * sizeof *f->row);
  f->value = malloc(((size_t)blocks * 18 + 1) * sizeof *f->value);
  if (!f->start || !f->column || !f->col_start || !f->next || !f->row || !f->value) {
    release(f);
    return false;
  }
  memcpy(f->start, start, ((size_t)n + 1) * sizeof *start);
  memcpy(f->column, column, (size_t)blocks * sizeof *column);
  count_columns(f);
  fill(f, NULL);
  f->ldl = cps_ldl_create(3 * n, f->col_start, f->row);
  if (f->ldl) return true;
  release(f);
  return false;
}

CpsMassResult cps_mass_factor_factor(CpsMassFactor* f, CpsPool* pool, const double* value) {
  (void)pool;
  fill(f, value);
  if (!cps_ldl_factor(f->ldl, f->value)) {
    return cps_ldl_no_memory(f->ldl) ? CPS_MASS_NO_MEMORY : CPS_MASS_NOT_DEFINITE;
  }
  return CPS_MASS_OK;
}

void cps_mass_factor_solve(const CpsMassFactor* f, double* x, double* work) {
  (void)work;
  cps_ldl_solve(f->ldl, x);
}

void cps_mass_factor_inverse(CpsMassFactor* f, int64_t count, const int32_t* row, const int32_t* column, double* block,
                             double* work) {
  double *x = work, *y = work + 3 * (int64_t)f->nodes;
  for (int64_t first = 0, last; first < count; first = last) {
    for (last = first; last < count && column[last] == column[first];) ++last;
    for (int c = 0; c < 3; ++c) {
      memset(x, 0, 3 * (size_t)f->nodes * sizeof *x);
      x[3 * (int64_t)column[first] + c] = 1.0;
      cps_mass_factor_solve(f, x, y);
      for (int64_t k = first; k < last; ++k) {
        for (int a = 0; a < 3; ++a) block[9 * k + 3 * a + c] = x[3 * (int64_t)row[k] + a];
      }
    }
  }
}

double cps_mass_factor_cost(const CpsMassFactor* f) {
  double entries = (double)cps_ldl_root_count(f->ldl);
  return entries * entries / (3.0 * f->nodes);
}

double cps_mass_factor_solve_cost(const CpsMassFactor* f) {
  return 2.0 * (double)cps_ldl_root_count(f->ldl);
}

int64_t cps_mass_factor_bytes(const CpsMassFactor* f) {
  return 16 * cps_ldl_root_count(f->ldl) + 292 * f->blocks + 100 * (int64_t)f->nodes;
}
