// Second derivatives of four tetrahedra side by side, one in each lane. With h_a = V^T g_a in the frame of F = U diag(s) V^T, and
// p_ij = c^2 flip + d^2 twist, p_ji = d^2 flip + c^2 twist, q = c d (flip - twist) of each pair of axes (solid_law.h), block (a, b) of a
// tetrahedron is U B U^T,
//
//   B_ii = A_ii h_ai h_bi + sum over m of p_im h_am h_bm,   B_ij = A_ij h_ai h_bj + q_ij h_aj h_bi                     (1)
//
// The exact second derivatives of a law f(I) + g(J) need no frame. With c_a = C g_a, C the cofactors of F:
//
//   K_ab = 2 f' g_a.g_b + 4 f'' (F g_a)(F g_b)^T + g'' c_a c_b^T - g' [F (g_a x g_b)]x                                 (2)
//
// A translation changes nothing, so six of the ten blocks determine the others: K_a0 = -(K_a1 + K_a2 + K_a3)               (3)
//
// The result of a lane does not depend on the other lanes.
#include "model/solid_four.h"

#include <string.h>

#include "core/simd.h"

#ifdef __GNUC__
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

typedef CpsVec4 Vec;
typedef int64_t Mask __attribute__((vector_size(32)));

// A vector and a matrix in each lane.
typedef struct Vec3s {
  Vec x[3];
} Vec3s;
typedef struct Mat3s {
  Vec m[9];
} Mat3s;

enum { SWEEPS = 30 };
static const double ENOUGH = 1e-15;  // cosine between two orthogonal columns
static const double THIN = 1e-8;     // second stretch over the first, below which the frame is computed separately

INLINE Vec all(double a) {
  return (Vec){a, a, a, a};
}

INLINE Vec pick(Mask mask, Vec yes, Vec no) {
  return (Vec)((mask & (Mask)yes) | (~mask & (Mask)no));
}

INLINE bool is_any(Mask mask) {
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

INLINE Vec root(Vec a) {
  return (Vec){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

INLINE Vec size(Vec a) {
  return pick((Mask)(a < all(0.0)), -a, a);
}

INLINE Vec dot(const Vec3s* a, const Vec3s* b) {
  return a->x[0] * b->x[0] + a->x[1] * b->x[1] + a->x[2] * b->x[2];
}

INLINE Vec3s cross(const Vec3s* a, const Vec3s* b) {
  return (Vec3s){{a->x[1] * b->x[2] - a->x[2] * b->x[1], a->x[2] * b->x[0] - a->x[0] * b->x[2],
                  a->x[0] * b->x[1] - a->x[1] * b->x[0]}};
}

INLINE Vec3s apply(const Mat3s* A, const Vec3s* x) {
  Vec3s y;
  for (int i = 0; i < 3; ++i) y.x[i] = A->m[3 * i] * x->x[0] + A->m[3 * i + 1] * x->x[1] + A->m[3 * i + 2] * x->x[2];
  return y;
}

// Columns x and y times [c s; -s c].
INLINE void turn(Vec3s* x, Vec3s* y, Vec c, Vec s) {
  for (int i = 0; i < 3; ++i) {
    const Vec a = x->x[i], b = y->x[i];
    x->x[i] = c * a - s * b;
    y->x[i] = s * a + c * b;
  }
}

// Makes columns x and y of F V orthogonal; returns whether any were not.
INLINE Mask straighten(Vec3s* x, Vec3s* y, Vec3s* v, Vec3s* w) {
  const Vec a = dot(x, x), b = dot(x, y), d = dot(y, y), one = all(1.0);
  const Mask active = (Mask)(size(b) > all(ENOUGH) * root(a * d));
  if (!is_any(active)) return active;
  const Vec zeta = (d - a) / (b + b), steep = size(zeta) + root(one + zeta * zeta);
  const Vec t = pick(active, one / pick((Mask)(zeta < all(0.0)), -steep, steep), all(0.0));
  const Vec c = one / root(one + t * t), s = t * c;
  turn(x, y, c, s);
  turn(v, w, c, s);
  return active;
}

// Puts the longer column first; the determinant is unchanged.
INLINE void sort(Vec3s* x, Vec3s* y, Vec3s* v, Vec3s* w) {
  const Mask swap = (Mask)(dot(x, x) < dot(y, y));
  for (int i = 0; i < 3; ++i) {
    const Vec a = x->x[i], b = v->x[i];
    x->x[i] = pick(swap, y->x[i], a);
    y->x[i] = pick(swap, -a, y->x[i]);
    v->x[i] = pick(swap, w->x[i], b);
    w->x[i] = pick(swap, -b, w->x[i]);
  }
}

// F = U diag(s) V^T by rotating the columns of F until they are orthogonal, as cps_mat3_svd(); u and v are columns. Lanes with a
// negligible second stretch are marked as not good.
INLINE Mask decompose(const Mat3s* F, Vec3s u[3], Vec s[3], Vec3s v[3]) {
  Vec3s a[3];
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) a[j].x[i] = F->m[3 * i + j], v[j].x[i] = all(i == j ? 1.0 : 0.0);
  }
  Mask active = {-1, -1, -1, -1};
  for (int sweep = 0; sweep < SWEEPS && is_any(active); ++sweep) {
    active = straighten(&a[0], &a[1], &v[0], &v[1]);
    active |= straighten(&a[0], &a[2], &v[0], &v[2]);
    active |= straighten(&a[1], &a[2], &v[1], &v[2]);
  }
  sort(&a[0], &a[1], &v[0], &v[1]);
  sort(&a[1], &a[2], &v[1], &v[2]);
  sort(&a[0], &a[1], &v[0], &v[1]);
  s[0] = root(dot(&a[0], &a[0]));
  s[1] = root(dot(&a[1], &a[1]));
  for (int i = 0; i < 3; ++i) u[0].x[i] = a[0].x[i] / s[0];
  const Vec along = dot(&u[0], &a[1]);
  for (int i = 0; i < 3; ++i) u[1].x[i] = a[1].x[i] - along * u[0].x[i];
  const Vec length = root(dot(&u[1], &u[1]));
  for (int i = 0; i < 3; ++i) u[1].x[i] = u[1].x[i] / length;
  u[2] = cross(&u[0], &u[1]);
  s[2] = dot(&u[2], &a[2]);
  return (Mask)(s[1] > all(THIN) * s[0]);
}

// (1) of six blocks.
INLINE void add_frames(const CpsSolidFour* four, const Mat3s* F, const Vec3s g[3], CpsHessianKind kind, bool good[4],
                       Mat3s K[6]) {
  Vec3s u[3], v[3], h[3];
  Vec s[3], p[3], back[3], q[3], A[9];  // p of (i, j) and of (j, i)
  const Mask fine = decompose(F, u, s, v);
  for (int l = 0; l < 4; ++l) {
    const double stretch[3] = {s[0][l], s[1][l], s[2][l]};
    CpsSolidValues value = {0};
    good[l] = fine[l] != 0;
    if (good[l]) cps_solid_values(four->matter[l], stretch, kind, &value);
    for (int k = 0; k < 3; ++k) {
      const double own = value.own[k];
      p[k][l] = own * value.flip[k] + (1.0 - own) * value.twist[k];
      back[k][l] = (1.0 - own) * value.flip[k] + own * value.twist[k];
      q[k][l] = value.cross[k] * (value.flip[k] - value.twist[k]);
    }
    for (int i = 0; i < 9; ++i) A[i][l] = value.A.m[i];
  }
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < 3; ++i) h[a].x[i] = dot(&v[i], &g[a]);
  }
  for (int a = 0, k = 0; a < 3; ++a) {
    for (int b = 0; b <= a; ++b, ++k) {
      Vec B[9];
      const Vec *f = h[a].x, *t = h[b].x;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        B[4 * i] = A[4 * i] * f[i] * t[i] + p[m] * f[j] * t[j] + back[j] * f[m] * t[m];
        B[3 * i + j] = A[3 * i + j] * f[i] * t[j] + q[m] * f[j] * t[i];
        B[3 * i + m] = A[3 * i + m] * f[i] * t[m] + q[j] * f[m] * t[i];
      }
      for (int i = 0; i < 3; ++i) {
        Vec row[3];
        for (int j = 0; j < 3; ++j) row[j] = u[0].x[i] * B[j] + u[1].x[i] * B[3 + j] + u[2].x[i] * B[6 + j];
        for (int j = 0; j < 3; ++j) {
          K[k].m[3 * i + j] = row[0] * u[0].x[j] + row[1] * u[1].x[j] + row[2] * u[2].x[j];
        }
      }
    }
  }
}

// (2) of six blocks.
INLINE void add_invariants(const CpsSolidFour* four, const Mat3s* F, const Vec3s g[3], Mat3s K[6]) {
  Vec3s r[3], y[3], c[3];
  Vec I = all(0.0), f1, f2, g1, g2;
  Mat3s C;
  for (int i = 0; i < 9; ++i) I += F->m[i] * F->m[i];
  for (int i = 0; i < 3; ++i) r[i] = (Vec3s){{F->m[3 * i], F->m[3 * i + 1], F->m[3 * i + 2]}};
  for (int i = 0; i < 3; ++i) {
    const Vec3s row = cross(&r[(i + 1) % 3], &r[(i + 2) % 3]);
    for (int j = 0; j < 3; ++j) C.m[3 * i + j] = row.x[j];
  }
  const Vec J = r[0].x[0] * C.m[0] + r[0].x[1] * C.m[1] + r[0].x[2] * C.m[2];
  for (int l = 0; l < 4; ++l) {
    const CpsSolidSlopes slopes = cps_solid_slopes(four->matter[l], I[l], J[l]);
    f1[l] = slopes.f1, f2[l] = slopes.f2, g1[l] = slopes.g1, g2[l] = slopes.g2;
  }
  for (int a = 0; a < 3; ++a) y[a] = apply(F, &g[a]), c[a] = apply(&C, &g[a]);
  for (int a = 0, k = 0; a < 3; ++a) {
    for (int b = 0; b <= a; ++b, ++k) {
      const Vec3s between = cross(&g[a], &g[b]);
      const Vec along = f1 * dot(&g[a], &g[b]);
      const Vec3s z = apply(F, &between);
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        const Vec left = f2 * y[a].x[i], up = g2 * c[a].x[i], off = g1 * z.x[m];
        K[k].m[4 * i] = along + left * y[b].x[i] + up * c[b].x[i];
        // [z]x has -z_m at (i, j) and z_j at (i, m)
        K[k].m[3 * i + j] = left * y[b].x[j] + up * c[b].x[j] + off;
        K[k].m[3 * i + m] = left * y[b].x[m] + up * c[b].x[m] - g1 * z.x[j];
      }
    }
  }
}

CPS_HOT static void derive(const CpsSolidFour* four, CpsHessianKind kind, bool framed, bool good[4],
                           double out[10][9][4]) {
  Vec3s e[3], g[3];
  Mat3s F, K[6], sum[4];
  memcpy(e, four->edge, sizeof e);
  memcpy(g, four->gradient, sizeof g);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) F.m[3 * i + j] = e[0].x[i] * g[0].x[j] + e[1].x[i] * g[1].x[j] + e[2].x[i] * g[2].x[j];
  }
  if (framed) {
    add_frames(four, &F, g, kind, good, K);
  } else {
    add_invariants(four, &F, g, K);
    for (int l = 0; l < 4; ++l) good[l] = true;
  }
  // (3): of corners 1 to 3, and the block of corner 0 from theirs
  static const int AT[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int ij = 3 * i + j, ji = 3 * j + i;
      for (int a = 0; a < 3; ++a) {
        Vec t = all(0.0);
        for (int b = 0; b < 3; ++b) t += K[AT[a][b]].m[b <= a ? ij : ji];
        sum[a + 1].m[ij] = -t;
      }
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int ij = 3 * i + j, ji = 3 * j + i;
      sum[0].m[ij] = -(sum[1].m[ji] + sum[2].m[ji] + sum[3].m[ji]);
    }
  }
  static const int ROW[4] = {0, 1, 3, 6};  // of the blocks of a corner
  for (int a = 0; a < 4; ++a) memcpy(out[ROW[a]], &sum[a], sizeof sum[a]);
  for (int a = 0, k = 0; a < 3; ++a) {
    for (int b = 0; b <= a; ++b, ++k) memcpy(out[ROW[a + 1] + b + 1], &K[k], sizeof K[k]);
  }
}

// Versions of a function with external callers would be exported, whatever its visibility.
void cps_solid_four(const CpsSolidFour* four, CpsHessianKind kind, bool framed, bool good[4], double out[10][9][4]) {
  derive(four, kind, framed, good, out);
}
