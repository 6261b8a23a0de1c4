// Curvatures with balanced moments.
//
// The quadratic of a triangle gives the rotation of its side k out of its plane, phi_k = a_k.kappa; its curvature is the sum
//
//   kappa = sum_k (l_k / A) phi_k N_k,    N_k = n_k n_k^T                                                             (1)
//
// Exact for constant curvature. In other shapes two neighbours need not agree: J = theta - phi - phi' of their hinge need not
// vanish. A plate under constant moments then feels a spurious force at node i,
//
//   d_i = sum over hinges of l (dJ/dz_i) N                                                                            (2)
//
// and yields. By symmetry d_i = 0 on a grid with parallel diagonals; it costs about 1 % of the stiffness on jittered meshes, and a
// third with alternating diagonals. Where (2) is large, both triangles take the mean of their two values,
//
//   phi <- phi + J/2,    kappa <- kappa + sum_k (l_k / 2A) J_k N_k                                                    (3)
//
// (averaged side gradients, Flores and Onate 2005). Constant curvature stays exact and d_i vanishes. (3) makes the element
// twice as large and a factorisation four times as expensive: `patch` applies it only where needed, `wide` everywhere.
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/sheet_bending.h"

static const double UNEVEN = 0.25;  // unbalanced fraction of the forces of the triangles around a node
static const double ROOT2 = 1.41421356237309504880;

typedef struct Sides {
  const CpsSheetMesh* mesh;
  const CpsSheetCurvature* patch;
  bool everywhere;
  double* push;  // (2): xx, yy, zz, yz, xz, xy for each node
  double* size;  // sum of A |d kappa/dz_i| over the triangles
  bool* uneven;  // nodes
  bool* shared;  // hinges
} Sides;

// The side opposite to a corner, in the plane of its triangle: length, outward normal, and a_k of (1) with
// phi = n.(kappa m - gradient of the linear function that equals X^T kappa X/2 at the corners), m its midpoint.
typedef struct Side {
  double length;
  CpsVec3 a, N;  // for (k11, k22, sqrt(2) k12)
} Side;

static Side make_side(const CpsVec2 X[3], int k) {
  CpsVec2 p = X[(k + 1) % 3], q = X[(k + 2) % 3], m = {0.5 * (p.x + q.x), 0.5 * (p.y + q.y)};
  double ex = q.x - p.x, ey = q.y - p.y, length = sqrt(ex * ex + ey * ey), nx = ey / length, ny = -ex / length;
  double twice = (X[1].x - X[0].x) * (X[2].y - X[0].y) - (X[1].y - X[0].y) * (X[2].x - X[0].x);
  Side side = {.length = length, .N = {nx * nx, ny * ny, ROOT2 * nx * ny}};
  // relative to the midpoint, where kappa m vanishes
  for (int i = 0; i < 3; ++i) {
    CpsVec2 u = X[(i + 1) % 3], v = X[(i + 2) % 3], x = {X[i].x - m.x, X[i].y - m.y};
    double slope = (nx * (u.y - v.y) + ny * (v.x - u.x)) / twice;
    side.a = cps_vec3_axpy(side.a, -0.5 * slope, cps_vec3(x.x * x.x, x.y * x.y, ROOT2 * x.x * x.y));
  }
  return side;
}

// d theta/dz of the four nodes of a hinge that is flat without load.
static void rest_gradient(const CpsSheetMesh* mesh, const CpsSheetHinge* h, double g[4]) {
  g[0] = g[1] = 0.0;
  for (int i = 0; i < 2; ++i) {
    const CpsVec2* X = mesh->rest + 3 * (int64_t)h->triangle[i];
    CpsVec2 p = X[(h->corner[i] + 1) % 3], q = X[(h->corner[i] + 2) % 3], z = X[h->corner[i]];
    double ex = q.x - p.x, ey = q.y - p.y, ll = ex * ex + ey * ey;
    double s = ((z.x - p.x) * ex + (z.y - p.y) * ey) / ll, tip = sqrt(ll) / (2.0 * mesh->area[h->triangle[i]]);
    g[2 + i] = tip;
    // the first triangle runs from a to b, the second from b to a
    g[i] -= (1.0 - s) * tip;
    g[1 - i] -= s * tip;
  }
}

// J of a hinge as a sum over hinges: calls back with each and its factor.
typedef void (*JumpFn)(void* data, int32_t hinge, double factor);
static void jump(const Sides* s, int32_t e, JumpFn fn, void* data) {
  const CpsSheetHinge* h = &s->mesh->hinge[e];
  fn(data, e, 1.0);
  for (int i = 0; i < 2; ++i) {
    int32_t t = h->triangle[i];
    Side side = make_side(s->mesh->rest + 3 * (int64_t)t, h->corner[i]);
    for (int64_t k = s->patch->start[t]; k < s->patch->start[t + 1]; ++k) {
      fn(data, s->patch->hinge[k], -cps_vec3_dot(side.a, s->patch->coefficient[k]));
    }
  }
}

typedef struct Push {
  const Sides* s;
  double N[6];  // l n n^T in space
} Push;

static void add_push(void* data, int32_t hinge, double factor) {
  const Push* p = data;
  double g[4];
  const CpsSheetHinge* h = &p->s->mesh->hinge[hinge];
  rest_gradient(p->s->mesh, h, g);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 6; ++k) p->s->push[6 * (int64_t)h->node[i] + k] += factor * g[i] * p->N[k];
  }
}

// (2), with the directions of the placed edges: it only matters whether the forces cancel.
static void add_pushes(const Sides* s) {
  for (int32_t e = 0; e < s->mesh->hinge_count; ++e) {
    const int32_t* node = s->mesh->hinge[e].node;
    CpsVec3 x[4], E, n = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; ++i) x[i] = s->mesh->place[node[i]];
    E = cps_vec3_unit(cps_vec3_sub(x[1], x[0]));
    for (int i = 2; i < 4; ++i) {
      CpsVec3 out = cps_vec3_sub(x[i], x[0]);
      out = cps_vec3_unit(cps_vec3_axpy(out, -cps_vec3_dot(out, E), E));
      n = cps_vec3_axpy(n, i == 2 ? 1.0 : -1.0, out);
    }
    n = cps_vec3_unit(n);
    double l =
        make_side(s->mesh->rest + 3 * (int64_t)s->mesh->hinge[e].triangle[0], s->mesh->hinge[e].corner[0]).length;
    Push p = {s, {l * n.x * n.x, l * n.y * n.y, l * n.z * n.z, l * n.y * n.z, l * n.x * n.z, l * n.x * n.y}};
    jump(s, e, add_push, &p);
  }
}

static void add_sizes(const Sides* s) {
  for (int32_t t = 0; t < s->mesh->triangle_count; ++t) {
    int32_t node[4 * CPS_BEND_FIT];
    CpsVec3 k[4 * CPS_BEND_FIT];
    int count = 0;
    for (int64_t i = s->patch->start[t]; i < s->patch->start[t + 1]; ++i) {
      const CpsSheetHinge* h = &s->mesh->hinge[s->patch->hinge[i]];
      double g[4];
      rest_gradient(s->mesh, h, g);
      for (int j = 0; j < 4; ++j) {
        int at = 0;
        while (at < count && node[at] != h->node[j]) ++at;
        if (at == count) node[count] = h->node[j], k[count++] = (CpsVec3){0.0, 0.0, 0.0};
        k[at] = cps_vec3_axpy(k[at], g[j], s->patch->coefficient[i]);
      }
    }
    for (int i = 0; i < count; ++i) s->size[node[i]] += s->mesh->area[t] * cps_vec3_norm(k[i]);
  }
}

// Nodes with excessive spurious forces; border nodes carry moments of their own.
static void find_uneven(const Sides* s) {
  for (int32_t n = 0; n < s->mesh->node_count; ++n) {
    const double* d = s->push + 6 * (int64_t)n;
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 2.0 * (d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    s->uneven[n] = sqrt(square) > UNEVEN * s->size[n];
  }
  for (int64_t i = 0; i < 3 * (int64_t)s->mesh->triangle_count; ++i) {
    if (s->mesh->opposite[i] >= 0) continue;
    int64_t first = i - i % 3;
    s->uneven[s->mesh->triangle[first + (i + 1) % 3]] = false;
    s->uneven[s->mesh->triangle[first + (i + 2) % 3]] = false;
  }
}

// Marks all sides of a triangle whose quadratic uses an uneven node.
static void find_shared(const Sides* s) {
  for (int32_t e = 0; e < s->mesh->hinge_count; ++e) s->shared[e] = s->everywhere;
  for (int32_t t = 0; t < s->mesh->triangle_count; ++t) {
    bool seen = false;
    for (int64_t i = s->patch->start[t]; i < s->patch->start[t + 1]; ++i) {
      for (int j = 0; j < 4; ++j) seen = seen || s->uneven[s->mesh->hinge[s->patch->hinge[i]].node[j]];
    }
    for (int k = 0; k < 3 && seen; ++k) {
      int32_t e = s->mesh->opposite[3 * (int64_t)t + k];
      if (e >= 0) s->shared[e] = true;
    }
  }
}

typedef struct Sum {
  int32_t hinge[CPS_BEND_HINGES];
  CpsVec3 coefficient[CPS_BEND_HINGES];
  int count;
  CpsVec3 factor;
} Sum;

static void add_term(void* data, int32_t hinge, double factor) {
  Sum* sum = data;
  int at = 0;
  while (at < sum->count && sum->hinge[at] != hinge) ++at;
  if (at == sum->count) sum->hinge[at] = hinge, sum->coefficient[at] = (CpsVec3){0.0, 0.0, 0.0}, sum->count++;
  sum->coefficient[at] = cps_vec3_axpy(sum->coefficient[at], factor, sum->factor);
}

// (3) for one triangle.
static void share_triangle(const Sides* s, int32_t t, Sum* sum) {
  sum->count = 0;
  for (int64_t i = s->patch->start[t]; i < s->patch->start[t + 1]; ++i) {
    sum->factor = s->patch->coefficient[i];
    add_term(sum, s->patch->hinge[i], 1.0);
  }
  for (int k = 0; k < 3; ++k) {
    int32_t e = s->mesh->opposite[3 * (int64_t)t + k];
    if (e < 0 || !s->shared[e]) continue;
    Side side = make_side(s->mesh->rest + 3 * (int64_t)t, k);
    sum->factor = cps_vec3_scale(0.5 * side.length / s->mesh->area[t], side.N);
    jump(s, e, add_term, sum);
  }
}

static CpsStatus fill(const Sides* s, CpsArena* arena, CpsSheetCurvature* curvature, CpsError* error) {
  int32_t count = s->mesh->triangle_count;
  Sum sum;
  curvature->start = CPS_TAKE(arena, int64_t, (int64_t)count + 1);
  if (!curvature->start) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  curvature->start[0] = 0;
  for (int32_t t = 0; t < count; ++t) {
    share_triangle(s, t, &sum);
    curvature->start[t + 1] = curvature->start[t] + sum.count;
  }
  curvature->hinge = CPS_TAKE(arena, int32_t, curvature->start[count]);
  curvature->coefficient = CPS_TAKE(arena, CpsVec3, curvature->start[count]);
  if (!curvature->hinge || !curvature->coefficient) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  }
  for (int32_t t = 0; t < count; ++t) {
    share_triangle(s, t, &sum);
    memcpy(curvature->hinge + curvature->start[t], sum.hinge, (size_t)sum.count * sizeof *sum.hinge);
    memcpy(curvature->coefficient + curvature->start[t], sum.coefficient, (size_t)sum.count * sizeof *sum.coefficient);
  }
  return CPS_OK;
}

CpsStatus cps_sheet_curvature_share(const CpsSheetMesh* mesh, bool everywhere, CpsArena* arena,
                                    const CpsSheetCurvature* patch, CpsSheetCurvature* curvature, CpsError* error) {
  CpsArena scratch = {0};
  Sides s = {.mesh = mesh, .patch = patch, .everywhere = everywhere};
  s.push = CPS_TAKE_ZERO(&scratch, double, 6 * (int64_t)mesh->node_count);
  s.size = CPS_TAKE_ZERO(&scratch, double, mesh->node_count);
  s.uneven = CPS_TAKE_ZERO(&scratch, bool, mesh->node_count);
  s.shared = CPS_TAKE_ZERO(&scratch, bool, mesh->hinge_count);
  CpsStatus status;
  if (s.push && s.size && s.uneven && s.shared) {
    add_pushes(&s);
    add_sizes(&s);
    find_uneven(&s);
    find_shared(&s);
    status = fill(&s, arena, curvature, error);
  } else {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
  }
  cps_arena_free(&scratch);
  return status;
}
