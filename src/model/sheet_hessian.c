// Second derivatives of the energy of a sheet, added to the blocks of its pattern colour by colour.
//
//   bending: H = sum over elements of G^T K G + sum over hinges of m (d^2 theta/dx^2)                                 (1)
//
// with G the gradients of an element's angles. The first sum is positive semi-definite and complete at the rest shape
// (Gauss-Newton). The second is indefinite and is added only if the exact matrix is requested.
#include <string.h>

#include "core/simd.h"
#include "model/sheet_elastic.h"

typedef struct Work {
  CpsSheetElastic* s;
  const CpsVec3* x;
  CpsHessianKind kind;
  double scale;
  const int32_t* order;  // elements of this colour
  double* value;
} Work;

static void do_triangles(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  for (int64_t i = first; i < last; ++i) {
    int64_t t = w->order[i];
    CpsVec3 x[3];
    CpsMat3 block[6];
    for (int k = 0; k < 3; ++k) x[k] = w->x[s->mesh.triangle[3 * t + k]];
    cps_membrane_hessian(&s->membrane, &s->shape[t], x, w->kind, block);
    for (int k = 0; k < 6; ++k) {
      bool turned = (s->triangle_turned[t] >> k & 1) != 0;
      cps_block_add(w->value + 9 * (int64_t)s->triangle_block[6 * t + k], w->scale, &block[k], turned);
    }
  }
}

static void do_hinges(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  CpsSheetElastic* s = w->s;
  for (int64_t e = first; e < last; ++e) {
    CpsVec3 x[4];
    for (int i = 0; i < 4; ++i) x[i] = w->x[s->mesh.hinge[e].node[i]];
    s->angle[e] = cps_hinge_gradient(x, s->slot + 4 * e) - s->mesh.rest_angle[e];
  }
}

// Gradients of the angles of an element: row h has 3 numbers for each of its nodes.
static int64_t gather_gradients(const CpsSheetElastic* s, int64_t e, double G[CPS_BEND_HINGES][3 * CPS_BEND_NODES]) {
  const CpsSheetBending* b = &s->bending;
  int64_t hinges = b->start[e + 1] - b->start[e];
  size_t row = 3 * (size_t)(b->node_start[e + 1] - b->node_start[e]) * sizeof(double);
  for (int64_t h = 0; h < hinges; ++h) {
    int64_t k = b->start[e] + h;
    memset(G[h], 0, row);
    for (int i = 0; i < 4; ++i) {
      // a node may be both tips of a hinge (two triangles on the same three nodes)
      CpsVec3 g = s->slot[4 * (int64_t)b->hinge[k] + i];
      double* at = G[h] + 3 * b->local[k][i];
      at[0] += g.x, at[1] += g.y, at[2] += g.z;
    }
  }
  return hinges;
}

// value += scale G^T K G
CPS_HOT static void do_elements(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  const CpsSheetElastic* s = w->s;
  double G[CPS_BEND_HINGES][3 * CPS_BEND_NODES], KG[CPS_BEND_HINGES][3 * CPS_BEND_NODES];
  for (int64_t i = first; i < last; ++i) {
    int64_t e = w->order[i], hinges = gather_gradients(s, e, G);
    int64_t nodes = s->bending.node_start[e + 1] - s->bending.node_start[e];
    const double* K = s->bending.K + s->bending.matrix_start[e];
    for (int64_t h = 0; h < hinges; ++h) {
      memset(KG[h], 0, 3 * (size_t)nodes * sizeof(double));
      for (int64_t g = 0; g < hinges; ++g) {
        double k = w->scale * K[hinges * h + g];
        for (int64_t c = 0; c < 3 * nodes; ++c) KG[h][c] += k * G[g][c];
      }
    }
    const int32_t* block = s->element_block + s->element_block_start[e];
    for (int64_t p = 0; p < nodes; ++p) {
      for (int64_t q = 0; q <= p; ++q) {
        double* value = w->value + 9 * (int64_t)*block++;
        for (int64_t h = 0; h < hinges; ++h) {
          const double *a = G[h] + 3 * p, *b = KG[h] + 3 * q;
          for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) value[3 * r + c] += a[r] * b[c];
          }
        }
      }
    }
  }
}

static void run_colours(Work* w, CpsPool* pool, const CpsColours* colours, CpsPoolFn fn) {
  for (int32_t c = 0; c < colours->count; ++c) {
    w->order = colours->order + colours->start[c];
    cps_pool_run(pool, colours->start[c + 1] - colours->start[c], fn, w);
  }
}

// The second sum of (1), one hinge after the other.
static void add_turning(const CpsSheetElastic* s, const CpsVec3* x, double scale, double* value) {
  const CpsSheetBending* b = &s->bending;
  for (int32_t e = 0; e < b->element_count; ++e) {
    int64_t from = b->start[e], n = b->start[e + 1] - from;
    const double* K = b->K + b->matrix_start[e];
    for (int64_t h = 0; h < n; ++h) {
      const int32_t* node = s->mesh.hinge[b->hinge[from + h]].node;
      double M = 0.0;
      for (int64_t g = 0; g < n; ++g) M += K[n * h + g] * s->angle[b->hinge[from + g]];
      CpsVec3 p[4];
      CpsMat3 H[4][4];
      for (int i = 0; i < 4; ++i) p[i] = x[node[i]];
      cps_hinge_hessian(p, H);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          if (node[j] > node[i]) continue;
          int32_t block = cps_block_pattern_find(&s->pattern, node[i], node[j]);
          cps_block_add(value + 9 * (int64_t)block, scale * M, &H[i][j], false);
        }
      }
    }
  }
}

void cps_sheet_hessian(CpsSheetElastic* elastic, CpsPool* pool, const CpsVec3* x, CpsHessianKind kind,
                       double membrane_scale, double bending_scale, double* value) {
  Work w = {.s = elastic, .x = x, .kind = kind, .scale = membrane_scale, .value = value};
  if (membrane_scale != 0.0) run_colours(&w, pool, &elastic->triangle_colours, do_triangles);
  if (bending_scale == 0.0) return;
  w.scale = bending_scale;
  cps_pool_run(pool, elastic->mesh.hinge_count, do_hinges, &w);
  run_colours(&w, pool, &elastic->element_colours, do_elements);
  if (kind == CPS_HESSIAN_EXACT) add_turning(elastic, x, bending_scale, value);
}

void cps_sheet_add_mass(const CpsSheetElastic* elastic, double scale, double* value) {
  for (int32_t n = 0; n < elastic->pattern.rows; ++n) {
    double* diagonal = value + 9 * (elastic->pattern.start[n + 1] - 1);
    for (int i = 0; i < 3; ++i) diagonal[4 * i] += scale * elastic->mass[n];
  }
}
