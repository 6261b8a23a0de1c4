// Curvatures of a triangle from the angles at its sides.
//
// Neighbours are unfolded into the plane of the triangle, without load. The quadratic that vanishes at its three corners X_i and has
// the second derivatives k is, at a point Z with barycentric coordinates w_i,
//
//   q(Z) = (Z^T k Z - sum_i w_i X_i^T k X_i) / 2 = n_Z.(k11, k22, sqrt(2) k12)                                          (1)
//
// The tip of a flap at distance d from the side stands d theta high, measured along the flap. This is its height above the plane to
// first order, exact on a circle, and monotone up to a full fold. Three flaps turn (1) into three equations for k. At a border, or
// where the six points lie on a conic, the next ring of flaps is added; its height is the sum over the two hinges on the path, and k
// is the least-squares solution (of minimal norm if there are still too few). Constant curvature is reproduced exactly in either case.
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/sheet_bending.h"
#include "sparse/dense.h"

static const double WEAK = 1e-3;  // squared ratio of singular values above which three flaps suffice
static const double LOST = 1e-8;  // below it a direction of curvature is not determined at all
static const double ROOT2 = 1.41421356237309504880;

// The plane of one triangle in that of another: Z = at + turn z.
typedef struct Unfold {
  CpsVec2 at;
  double c, s;
} Unfold;

static CpsVec2 apply(Unfold u, CpsVec2 z) {
  return (CpsVec2){u.at.x + u.c * z.x - u.s * z.y, u.at.y + u.s * z.x + u.c * z.y};
}

// The map of the triangle behind a hinge whose side is matched to (p, q): p -> q is the direction of the side in this plane as
// the neighbour traverses it. Sides of different length (eased seams) meet in the middle.
static Unfold unfold(const CpsVec2 rest[3], int corner, CpsVec2 p, CpsVec2 q) {
  CpsVec2 a = rest[(corner + 1) % 3], b = rest[(corner + 2) % 3];
  double ex = b.x - a.x, ey = b.y - a.y, fx = q.x - p.x, fy = q.y - p.y;
  double norm = sqrt((ex * ex + ey * ey) * (fx * fx + fy * fy));
  Unfold u = {.c = (ex * fx + ey * fy) / norm, .s = (ex * fy - ey * fx) / norm};
  CpsVec2 middle = apply(u, (CpsVec2){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)});
  u.at = (CpsVec2){0.5 * (p.x + q.x) - middle.x, 0.5 * (p.y + q.y) - middle.y};
  return u;
}

// Distance of z to the right of the line from p to q: outside the triangle that traverses it.
static double outside(CpsVec2 z, CpsVec2 p, CpsVec2 q) {
  double ex = q.x - p.x, ey = q.y - p.y;
  return ((z.x - p.x) * ey - (z.y - p.y) * ex) / sqrt(ex * ex + ey * ey);
}

typedef struct Fit {
  const CpsVec2* X;               // corners of the triangle
  double gram[9];                 // sum of w^2 n n^T
  double right[CPS_BEND_FIT][3];  // sum of w^2 n (height per angle)
  int32_t hinge[CPS_BEND_FIT];
  int count;
} Fit;

static int slot_of(Fit* fit, int32_t hinge) {
  for (int i = 0; i < fit->count; ++i) {
    if (fit->hinge[i] == hinge) return i;
  }
  fit->hinge[fit->count] = hinge;
  return fit->count++;
}

// n_Z of (1), scaled to length 1; returns the factor.
static double point_row(const CpsVec2 X[3], CpsVec2 z, double n[3]) {
  CpsVec2 e = {X[1].x - X[0].x, X[1].y - X[0].y}, f = {X[2].x - X[0].x, X[2].y - X[0].y};
  CpsVec2 d = {z.x - X[0].x, z.y - X[0].y};  // relative to X_0, whose term then vanishes
  double det = e.x * f.y - e.y * f.x, w1 = (d.x * f.y - d.y * f.x) / det, w2 = (e.x * d.y - e.y * d.x) / det;
  n[0] = 0.5 * (d.x * d.x - w1 * e.x * e.x - w2 * f.x * f.x);
  n[1] = 0.5 * (d.y * d.y - w1 * e.y * e.y - w2 * f.y * f.y);
  n[2] = 0.5 * ROOT2 * (d.x * d.y - w1 * e.x * e.y - w2 * f.x * f.y);
  double norm = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; ++i) n[i] /= norm;
  return 1.0 / norm;
}

static void add_row(Fit* fit, CpsVec2 z, const int* slot, const double* arm, int arms) {
  double n[3], scale = point_row(fit->X, z, n);
  if (!isfinite(scale)) return;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) fit->gram[3 * i + j] += n[i] * n[j];
    for (int k = 0; k < arms; ++k) fit->right[slot[k]][i] += scale * n[i] * arm[k];
  }
}

// Index of the side of the hinge that does not belong to this corner.
static int other_side(const CpsSheetHinge* h, int32_t t, int corner) {
  return h->triangle[0] == t && h->corner[0] == corner ? 1 : 0;
}

// The flap behind corner k of triangle t, with `farther` also the two flaps beyond it.
static void add_flap(const CpsSheetMesh* mesh, int32_t t, int k, bool farther, Fit* fit) {
  int32_t e = mesh->opposite[3 * (int64_t)t + k];
  if (e < 0) return;
  const CpsSheetHinge* h = &mesh->hinge[e];
  int side = other_side(h, t, k), corner = h->corner[side];
  const CpsVec2* rest = mesh->rest + 3 * (int64_t)h->triangle[side];
  CpsVec2 p = fit->X[(k + 1) % 3], q = fit->X[(k + 2) % 3];
  Unfold u = unfold(rest, corner, q, p);
  int slot[2] = {slot_of(fit, e), 0};
  if (!farther) {
    CpsVec2 tip = apply(u, rest[corner]);
    double arm = outside(tip, p, q);
    add_row(fit, tip, slot, &arm, 1);
    return;
  }
  for (int j = 1; j < 3; ++j) {
    int inner = (corner + j) % 3;
    int32_t next = mesh->opposite[3 * (int64_t)h->triangle[side] + inner];
    if (next < 0) continue;
    const CpsSheetHinge* g = &mesh->hinge[next];
    int beyond = other_side(g, h->triangle[side], inner);
    CpsVec2 a = apply(u, rest[(inner + 1) % 3]), b = apply(u, rest[(inner + 2) % 3]);
    const CpsVec2* far_rest = mesh->rest + 3 * (int64_t)g->triangle[beyond];
    CpsVec2 tip = apply(unfold(far_rest, g->corner[beyond], b, a), far_rest[g->corner[beyond]]);
    slot[1] = slot_of(fit, next);
    double arm[2] = {outside(tip, p, q), outside(tip, a, b)};
    add_row(fit, tip, slot, arm, 2);
  }
}

// coefficient = gram^+ right
static void solve(const Fit* fit, const double value[3], const double V[9], CpsVec3* coefficient) {
  for (int k = 0; k < fit->count; ++k) {
    double x[3] = {0.0, 0.0, 0.0};
    for (int m = 0; m < 3; ++m) {
      if (!(value[m] > LOST * value[2])) continue;
      double part = 0.0;
      for (int i = 0; i < 3; ++i) part += V[3 * i + m] * fit->right[k][i];
      for (int i = 0; i < 3; ++i) x[i] += V[3 * i + m] * part / value[m];
    }
    coefficient[k] = cps_vec3(x[0], x[1], x[2]);
  }
}

static int fit_triangle(const CpsSheetMesh* mesh, int32_t t, int32_t* hinge, CpsVec3* coefficient) {
  Fit fit = {.X = mesh->rest + 3 * (int64_t)t};
  double value[3], V[9], gram[9];
  for (int k = 0; k < 3; ++k) add_flap(mesh, t, k, false, &fit);
  memcpy(gram, fit.gram, sizeof gram);
  cps_dense_symmetric_eigen(3, gram, value, V);
  if (!(value[0] > WEAK * value[2])) {
    for (int k = 0; k < 3; ++k) add_flap(mesh, t, k, true, &fit);
    memcpy(gram, fit.gram, sizeof gram);
    cps_dense_symmetric_eigen(3, gram, value, V);
  }
  solve(&fit, value, V, coefficient);
  memcpy(hinge, fit.hinge, (size_t)fit.count * sizeof *hinge);
  return fit.count;
}

CpsStatus cps_sheet_curvature_build(const CpsSheetMesh* mesh, CpsArena* arena, CpsSheetCurvature* curvature,
                                    CpsError* error) {
  int32_t hinge[CPS_BEND_FIT];
  CpsVec3 coefficient[CPS_BEND_FIT];
  curvature->start = CPS_TAKE(arena, int64_t, mesh->triangle_count + 1);
  if (!curvature->start) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  curvature->start[0] = 0;
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    curvature->start[t + 1] = curvature->start[t] + fit_triangle(mesh, t, hinge, coefficient);
  }
  int64_t entries = curvature->start[mesh->triangle_count];
  curvature->hinge = CPS_TAKE(arena, int32_t, entries);
  curvature->coefficient = CPS_TAKE(arena, CpsVec3, entries);
  if (!curvature->hinge || !curvature->coefficient)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    int count = fit_triangle(mesh, t, hinge, coefficient);
    memcpy(curvature->hinge + curvature->start[t], hinge, (size_t)count * sizeof *hinge);
    memcpy(curvature->coefficient + curvature->start[t], coefficient, (size_t)count * sizeof *coefficient);
  }
  return CPS_OK;
}
