// The elements of bending. With D the stiffness of the plate for (k11, k22, sqrt(2) k12),
//
//   D = [ B1        nu sqrt(B1 B2)  0 ]
//       [ sym.      B2              0 ]        patch:  K = A c^T D c,  c the coefficients of the curvature          (1)
//       [ 0         0               T ]
//   hinge: K = B l^2 / (A_1 + A_2),  B = k^T D k for the unit curvature across the edge                            (2)
//
// A plate of equilateral triangles reduces to (2) (Grinspun et al. 2003; MATH of the theory page).
#include "model/sheet_bending.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

static void plate(const CpsSheetDef* def, double D[9]) {
  double mean = sqrt(def->bending[0] * def->bending[1]), nu = def->bending_poisson;
  memset(D, 0, 9 * sizeof *D);
  D[0] = def->bending[0];
  D[4] = def->bending[1];
  D[1] = D[3] = nu * mean;
  D[8] = isnan(def->twisting) ? (1.0 - nu) * mean : def->twisting;
}

static double form(const double D[9], CpsVec3 a, CpsVec3 b) {
  const double u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum += u[i] * D[3 * i + j] * v[j];
  }
  return sum;
}

// (2), with direction and length averaged over the two triangles.
static double hinge_stiffness(const CpsSheetMesh* mesh, const CpsSheetHinge* h, const double D[9]) {
  double B = 0.0, ll = 0.0, area = 0.0;
  for (int side = 0; side < 2; ++side) {
    const CpsVec2* rest = mesh->rest + 3 * (int64_t)h->triangle[side];
    CpsVec2 p = rest[(h->corner[side] + 1) % 3], q = rest[(h->corner[side] + 2) % 3];
    double ex = q.x - p.x, ey = q.y - p.y, square = ex * ex + ey * ey;
    CpsVec3 across = {ey * ey / square, ex * ex / square, -1.41421356237309504880 * ex * ey / square};
    B += 0.5 * form(D, across, across);
    ll += 0.5 * square;
    area += mesh->area[h->triangle[side]];
  }
  return B * ll / area;
}

static CpsStatus take(CpsSheetBending* b, CpsArena* arena, int64_t entries, int64_t matrices, CpsError* error) {
  b->start = CPS_TAKE(arena, int64_t, b->element_count + 1);
  b->matrix_start = CPS_TAKE(arena, int64_t, b->element_count + 1);
  b->node_start = CPS_TAKE(arena, int64_t, b->element_count + 1);
  b->hinge = CPS_TAKE(arena, int32_t, entries);
  b->local = cps_arena_take(arena, entries, sizeof *b->local);
  b->K = CPS_TAKE(arena, double, matrices);
  bool ok = b->start && b->matrix_start && b->node_start && b->hinge && b->local && b->K;
  return ok ? CPS_OK : cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
}

static void fill_patches(const CpsSheetMesh* mesh, const CpsSheetCurvature* curvature, const double D[9],
                         CpsSheetBending* b) {
  memcpy(b->start, curvature->start, (size_t)(b->element_count + 1) * sizeof *b->start);
  memcpy(b->hinge, curvature->hinge, (size_t)b->start[b->element_count] * sizeof *b->hinge);
  b->matrix_start[0] = 0;
  for (int32_t t = 0; t < b->element_count; ++t) {
    const CpsVec3* c = curvature->coefficient + b->start[t];
    int64_t n = b->start[t + 1] - b->start[t];
    double* K = b->K + b->matrix_start[t];
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) K[n * i + j] = mesh->area[t] * form(D, c[i], c[j]);
    }
    b->matrix_start[t + 1] = b->matrix_start[t] + n * n;
  }
}

static void fill_hinges(const CpsSheetMesh* mesh, const double D[9], CpsSheetBending* b) {
  for (int32_t e = 0; e <= b->element_count; ++e) b->start[e] = b->matrix_start[e] = e;
  for (int32_t e = 0; e < b->element_count; ++e) {
    b->hinge[e] = e;
    b->K[e] = hinge_stiffness(mesh, &mesh->hinge[e], D);
  }
}

// The nodes of an element, ascending, without repetition.
static int nodes_of(const CpsSheetMesh* mesh, const CpsSheetBending* b, int32_t e, int32_t node[4 * CPS_BEND_HINGES]) {
  int count = 0;
  for (int64_t k = b->start[e]; k < b->start[e + 1]; ++k) {
    for (int i = 0; i < 4; ++i) {
      int32_t n = mesh->hinge[b->hinge[k]].node[i];
      int at = 0;
      while (at < count && node[at] < n) ++at;
      if (at < count && node[at] == n) continue;
      memmove(node + at + 1, node + at, (size_t)(count - at) * sizeof *node);
      node[at] = n;
      ++count;
    }
  }
  return count;
}

static CpsStatus find_nodes(const CpsSheetMesh* mesh, CpsArena* arena, CpsSheetBending* b, CpsError* error) {
  int32_t node[4 * CPS_BEND_HINGES];
  b->node_start[0] = 0;
  for (int32_t e = 0; e < b->element_count; ++e) b->node_start[e + 1] = b->node_start[e] + nodes_of(mesh, b, e, node);
  b->node = CPS_TAKE(arena, int32_t, b->node_start[b->element_count]);
  if (!b->node) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  for (int32_t e = 0; e < b->element_count; ++e) {
    int32_t* own = b->node + b->node_start[e];
    int count = nodes_of(mesh, b, e, node);
    memcpy(own, node, (size_t)count * sizeof *own);
    for (int64_t k = b->start[e]; k < b->start[e + 1]; ++k) {
      for (int i = 0; i < 4; ++i) {
        uint8_t at = 0;
        while (own[at] != mesh->hinge[b->hinge[k]].node[i]) ++at;
        b->local[k][i] = at;
      }
    }
  }
  return CPS_OK;
}

CpsStatus cps_sheet_bending_build(const CpsSheetDef* def, const CpsSheetMesh* mesh, const CpsSheetCurvature* curvature,
                                  CpsArena* arena, CpsSheetBending* b, CpsError* error) {
  double D[9];
  plate(def, D);
  bool patch = def->bending_law != CPS_BENDING_HINGE;
  b->element_count = patch ? mesh->triangle_count : mesh->hinge_count;
  int64_t entries = patch ? curvature->start[mesh->triangle_count] : mesh->hinge_count, matrices = entries;
  if (patch) {
    matrices = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
      int64_t n = curvature->start[t + 1] - curvature->start[t];
      matrices += n * n;
    }
  }
  CpsStatus status = take(b, arena, entries, matrices, error);
  if (status != CPS_OK) return status;
  if (patch) {
    fill_patches(mesh, curvature, D, b);
  } else {
    fill_hinges(mesh, D, b);
  }
  return find_nodes(mesh, arena, b, error);
}
