// The motion of a smooth surface at a point x, from the nodes of its triangles.
//
// Along the normal n = grad Psi / |grad Psi| it is the exact derivative of the level: with d = x - s, e_v the edge opposite to
// corner v and A the area of a triangle, the triangles around a node p_v give
//
//   dPsi/dp_v = sum of  -w~'/r (psi - Psi) d / 3Z  +  w (-n_s/3 + ((1 - n_s n_s^T) d × e_v) / 2A)                        (1)
//
// Psi is invariant under rigid motions of x and the surface, so an impulse along n conserves both momenta. Tangentially
//
//   A_s = w_s (1 - [x - c]x I^-1 [s - c]x),   c = sum of w_s s,   I = sum of w_s (|s - c|^2 - (s - c)(s - c)^T)         (2)
//
// is the rigid motion of the samples at x, which again conserves momenta. `paper`: A_s = w_s Q_s, Q_s the smallest rotation
// of n_s to n (eq. 14 there), which does not reproduce translations.
#include "geometry/field.h"

#include <math.h>

static const double REGULAR = 1e-9;  // determinant of I, relative to the cube of its trace

static bool inverse_of(CpsMat3 I, CpsMat3* out) {
  CpsVec3 row[3], turned[3];
  for (int i = 0; i < 3; ++i) row[i] = cps_vec3_get(I.m + 3 * i);
  for (int i = 0; i < 3; ++i) turned[i] = cps_vec3_cross(row[(i + 1) % 3], row[(i + 2) % 3]);
  const double det = cps_vec3_dot(row[0], turned[0]), size = I.m[0] + I.m[4] + I.m[8];
  if (!(det > REGULAR * size * size * size)) return false;
  for (int i = 0; i < 3; ++i) cps_vec3_put(out->m + 3 * i, cps_vec3_scale(1.0 / det, turned[i]));
  return true;
}

// [x - c]x I^-1 of (2), and c. For two samples, or several in a line, I has no inverse; then the corners of their triangles move
// instead, each with a third of the weight, and no triangle has its corners in a line.
typedef struct Lever {
  CpsVec3 centre;
  CpsMat3 lever;
  bool corners;
} Lever;

// The contribution to I of a mass m at d from the centre.
static CpsMat3 add_inertia(CpsMat3 I, double m, CpsVec3 d) {
  const CpsMat3 square = cps_mat3_scale(cps_vec3_dot(d, d), cps_mat3_identity());
  return cps_mat3_axpy(I, m, cps_mat3_axpy(square, -1.0, cps_mat3_outer(d, d)));
}

static Lever lever_of(const CpsField* f, const CpsFieldAt* at, CpsVec3 x, const int32_t* triangle,
                      const CpsVec3* nodes) {
  CpsVec3 c = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < at->count; ++i) {
    c = cps_vec3_axpy(c, at->term[i].weight / at->sum, f->point[at->term[i].sample]);
  }
  CpsMat3 I = {{0.0}}, J;
  for (int32_t i = 0; i < at->count; ++i) {
    const CpsFieldTerm* t = &at->term[i];
    I = add_inertia(I, t->weight / at->sum, cps_vec3_sub(f->point[t->sample], c));
  }
  Lever out = {.centre = c, .corners = !inverse_of(I, &J)};
  if (out.corners) {
    I = (CpsMat3){{0.0}};
    for (int64_t i = 0; i < 3 * (int64_t)at->count; ++i) {
      const CpsFieldTerm* t = &at->term[i / 3];
      const CpsVec3 p = nodes[triangle[3 * (int64_t)t->sample + i % 3]];
      I = add_inertia(I, t->weight / (3.0 * at->sum), cps_vec3_sub(p, c));
    }
    if (!inverse_of(I, &J)) return out;
  }
  out.lever = cps_mat3_multiply(cps_mat3_cross(cps_vec3_sub(x, c)), J);
  return out;
}

// The smallest rotation from one unit vector to another that is not opposite to it.
static CpsMat3 turn_to(CpsVec3 from, CpsVec3 to) {
  const CpsMat3 z = cps_mat3_cross(cps_vec3_cross(from, to));
  const double q = 1.0 / (1.0 + cps_vec3_dot(from, to));
  return cps_mat3_axpy(cps_mat3_axpy(cps_mat3_identity(), 1.0, z), q, cps_mat3_multiply(z, z));
}

static CpsFieldNode* node_in(CpsFieldNode* out, int32_t* count, int32_t node) {
  int32_t low = 0, high = *count;
  while (low < high) {
    const int32_t middle = (low + high) / 2;
    if (out[middle].node < node) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < *count && out[low].node == node) return &out[low];
  for (int32_t i = (*count)++; i > low; --i) out[i] = out[i - 1];
  out[low] = (CpsFieldNode){.node = node};
  return &out[low];
}

// dPsi/dp_v of one triangle (1).
static CpsVec3 slope_of(const CpsField* f, const CpsFieldAt* at, const CpsFieldTerm* t, CpsVec3 x, const CpsVec3 p[3],
                        int v) {
  const CpsVec3 d = cps_vec3_sub(x, f->point[t->sample]), n = f->normal[t->sample];
  const CpsVec3 e = cps_vec3_sub(p[(v + 2) % 3], p[(v + 1) % 3]), across = cps_vec3_axpy(d, -t->psi, n);
  const double area2 = cps_vec3_norm(cps_vec3_cross(cps_vec3_sub(p[1], p[0]), cps_vec3_sub(p[2], p[0])));
  const double w = t->weight / at->sum;
  CpsVec3 out = cps_vec3_scale(-t->slope * (t->psi - at->value) / (3.0 * at->sum), d);
  out = cps_vec3_axpy(out, -w / 3.0, n);
  return area2 > 0.0 ? cps_vec3_axpy(out, w / area2, cps_vec3_cross(across, e)) : out;
}

int32_t cps_field_patch(const CpsField* f, const CpsFieldAt* at, CpsVec3 x, const int32_t* triangle,
                        const CpsVec3* nodes, CpsTransport transport, CpsFieldNode* out) {
  const double size = cps_vec3_norm(at->gradient);
  const CpsVec3 n = cps_vec3_scale(1.0 / size, at->gradient);
  const CpsMat3 across = cps_mat3_axpy(cps_mat3_identity(), -1.0, cps_mat3_outer(n, n));
  const Lever lever = lever_of(f, at, x, triangle, nodes);
  int32_t count = 0;
  for (int32_t i = 0; i < at->count; ++i) {
    const CpsFieldTerm* t = &at->term[i];
    const double w = t->weight / at->sum;
    const int32_t* corner = triangle + 3 * (int64_t)t->sample;
    const CpsVec3 p[3] = {nodes[corner[0]], nodes[corner[1]], nodes[corner[2]]};
    for (int v = 0; v < 3; ++v) {
      const CpsVec3 from = cps_vec3_sub(lever.corners ? p[v] : f->point[t->sample], lever.centre);
      CpsMat3 A = transport == CPS_TRANSPORT_PAPER
                      ? turn_to(f->normal[t->sample], n)
                      : cps_mat3_axpy(cps_mat3_identity(), -1.0, cps_mat3_multiply(lever.lever, cps_mat3_cross(from)));
      A = cps_mat3_scale(w / 3.0, cps_mat3_multiply(across, A));
      CpsFieldNode* node = node_in(out, &count, corner[v]);
      CpsMat3 row = cps_mat3_outer(n, cps_vec3_scale(-1.0 / size, slope_of(f, at, t, x, p, v)));
      node->weight = cps_mat3_axpy(node->weight, 1.0, cps_mat3_axpy(A, 1.0, row));
      node->share += w / 3.0;
    }
  }
  return count;
}
