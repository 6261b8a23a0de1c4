#include "deform/sheets.h"

#include "core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUPLED = 6 };

typedef struct Mesh {
  const BenchSheet* sheet;
  int32_t vertices;
  double (*x)[2];
  bool* flipped;  // per cell: its diagonal goes up to the left
} Mesh;

typedef struct Pair {
  int32_t i, j;
} Pair;

static bool place_vertices(Mesh* m, CpsArena* arena) {
  const BenchSheet* s = m->sheet;
  CpsRandom random = cps_random_seed(5);
  m->vertices = s->wide * s->high;
  m->x = cps_arena_take(arena, m->vertices, sizeof *m->x);
  m->flipped = CPS_TAKE_ZERO(arena, bool, m->vertices);
  if (!m->x || !m->flipped) return false;
  for (int32_t v = 0; v < m->vertices; v++) {
    m->x[v][0] = v % s->wide + s->jitter * (2.0 * cps_random_uniform(&random) - 1.0);
    m->x[v][1] = v / s->wide + s->jitter * (2.0 * cps_random_uniform(&random) - 1.0);
    m->flipped[v] = s->jitter > 0.0 && cps_random_uniform(&random) < 0.5;
  }
  return true;
}

// The triangle `half` (0 below the diagonal, 1 above) of cell (a, b); false outside the sheet.
static bool triangle(const Mesh* m, int32_t a, int32_t b, int half, int32_t* v) {
  int32_t w = m->sheet->wide;
  if (a < 0 || b < 0 || a + 1 >= w || b + 1 >= m->sheet->high) return false;
  int32_t p = b * w + a, q = p + 1, r = p + w + 1, s = p + w;
  if (m->flipped[p]) {
    v[0] = half ? r : p, v[1] = half ? s : q, v[2] = half ? q : s;
  } else {
    v[0] = p, v[1] = half ? r : q, v[2] = half ? s : r;
  }
  return true;
}

// Corner of triangle t that is not on the edge (i, j), -1 if it lacks that edge.
static int32_t opposite(const int32_t* t, int32_t i, int32_t j) {
  int on = 0;
  int32_t rest = -1;
  for (int k = 0; k < 3; k++) {
    if (t[k] == i || t[k] == j)
      on++;
    else
      rest = t[k];
  }
  return on == 2 ? rest : -1;
}

// The vertices coupled by a triangle: its own, then those across its edges.
static int coupled(const Mesh* m, int32_t a, int32_t b, int half, int32_t* v) {
  if (!triangle(m, a, b, half, v)) return 0;
  int count = 3;
  for (int k = 0; k < 3; k++) {
    int32_t i = v[k], j = v[(k + 1) % 3], t[3];
    for (int near = 0; near < 18; near++) {
      int32_t da = near % 3 - 1, db = near / 3 % 3 - 1;
      int other = near / 9;
      if ((da == 0 && db == 0 && other == half) || !triangle(m, a + da, b + db, other, t)) continue;
      int32_t across = opposite(t, i, j);
      if (across >= 0) v[count++] = across;
    }
  }
  return count;
}

static int compare_pairs(const void* a, const void* b) {
  const Pair *x = a, *y = b;
  if (x->i != y->i) return x->i < y->i ? -1 : 1;
  return (x->j > y->j) - (x->j < y->j);
}

static int64_t collect_pairs(const Mesh* m, Pair* pair) {
  int64_t count = 0;
  for (int32_t i = 0; i < m->vertices; i++) pair[count++] = (Pair){i, i};
  for (int32_t cell = 0; cell < 2 * m->vertices; cell++) {
    int32_t v[MOST_COUPLED];
    int k = coupled(m, cell / 2 % m->sheet->wide, cell / 2 / m->sheet->wide, cell % 2, v);
    for (int p = 0; p < k; p++) {
      for (int q = 0; q < k; q++) {
        // across two different edges: coupled by a patch only
        if (p != q && (m->sheet->patches || p < 3 || q < 3)) pair[count++] = (Pair){v[p], v[q]};
      }
    }
  }
  qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
  int64_t kept = 0;
  for (int64_t k = 0; k < count; k++) {
    if (kept == 0 || compare_pairs(&pair[kept - 1], &pair[k]) != 0) pair[kept++] = pair[k];
  }
  return kept;
}

// A spring along each pair, k (n n^T + I / 10), and a mass of k / 100 on the diagonal.
static void fill_values(const Mesh* m, CpsBlockMatrix* A) {
  memset(A->value, 0, (size_t)A->start[A->rows] * 9 * sizeof *A->value);
  for (int32_t i = 0; i < A->rows; i++) {
    double* diagonal = A->value + 9 * cps_block_matrix_find(A, i, i);
    for (int a = 0; a < 3; a++) diagonal[4 * a] += 0.01;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
      int32_t j = A->col[k];
      if (j == i) continue;
      double n[3] = {m->x[i][0] - m->x[j][0], m->x[i][1] - m->x[j][1], (i < j ? 0.3 : -0.3) * sin(i + j)};
      double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      for (int e = 0; e < 9; e++) {
        double spring = n[e / 3] * n[e % 3] / (length * length) + (e % 4 == 0 ? 0.1 : 0.0);
        A->value[9 * k + e] = -spring;
        diagonal[e] += spring;
      }
    }
  }
}

bool bench_sheet_make(const BenchSheet* sheet, CpsArena* arena, CpsBlockMatrix* A) {
  Mesh m = {.sheet = sheet};
  if (!place_vertices(&m, arena)) return false;
  Pair* pair = CPS_TAKE(arena, Pair, (int64_t)m.vertices * 61);
  if (!pair) return false;
  int64_t count = collect_pairs(&m, pair);
  int64_t* offset = CPS_TAKE(arena, int64_t, m.vertices + 1);
  *A = (CpsBlockMatrix){.rows = m.vertices,
                        .dim = 3,
                        .offset = offset,
                        .start = CPS_TAKE_ZERO(arena, int64_t, m.vertices + 1),
                        .col = CPS_TAKE(arena, int32_t, count),
                        .at = CPS_TAKE(arena, int64_t, count + 1),
                        .value = CPS_TAKE(arena, double, 9 * count)};
  if (!offset || !A->start || !A->col || !A->at || !A->value) return false;
  for (int64_t k = 0; k < count; k++) {
    A->col[k] = pair[k].j;
    A->start[pair[k].i + 1]++;
  }
  for (int64_t k = 0; k <= count; k++) A->at[k] = 9 * k;
  for (int32_t i = 0; i <= m.vertices; i++) offset[i] = 3 * (int64_t)i;
  for (int32_t i = 0; i < m.vertices; i++) A->start[i + 1] += A->start[i];
  fill_values(&m, A);
  return true;
}

bool bench_scalar_make(const CpsBlockMatrix* A, CpsArena* arena, BenchScalar* S) {
  int64_t most = 9 * A->start[A->rows], count = 0;
  *S = (BenchScalar){.n = 3 * A->rows,
                     .start = CPS_TAKE(arena, int32_t, 3 * (int64_t)A->rows + 1),
                     .row = CPS_TAKE(arena, int32_t, most),
                     .value = CPS_TAKE(arena, double, most)};
  if (most > INT32_MAX || !S->start || !S->row || !S->value) return false;
  // a column of the lower triangle is a row of the upper one
  for (int32_t j = 0; j < S->n; j++) {
    S->start[j] = (int32_t)count;
    for (int64_t k = A->start[j / 3]; k < A->start[j / 3 + 1]; k++) {
      for (int32_t b = 0; b < 3; b++) {
        int32_t i = 3 * A->col[k] + b;
        if (i < j) continue;
        S->row[count] = i;
        S->value[count++] = A->value[9 * k + 3 * (j % 3) + b];
      }
    }
  }
  S->start[S->n] = (int32_t)count;
  return true;
}
