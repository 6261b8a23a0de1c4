// Implicit surfaces by moving least squares of order 0 (Larionov, Fan and Pai 2021, section 4; corrected in
// docs/theory/smooth-surfaces.md). With samples s, their normals n_s, r = |x - s|, and a kernel w~ of reach R:
//
//   Psi(x) = sum of w_s psi_s,   psi_s = n_s.(x - s),   w_s = w~(r_s) / Z,   Z = sum of w~(r_s)                         (1)
//   grad Psi = sum of w_s n_s + (1/Z) sum of w~'(r_s)/r_s (psi_s - Psi) (x - s)                                         (2)
//
//   cubic          w~ = 1 - 3 t^2 + 2 t^3                                             t = r / R                         (3)
//   interpolating  w~ = ((t^2 + e)^-2 - (1 + e)^-2) / (e^-2 - (1 + e)^-2)             e = 1e-2                          (4)
//
// A plane is reproduced exactly, a sphere to O(R^2). (4) interpolates the samples up to e; it has a kink at the boundary of its support.
#include "geometry/field.h"

#include <math.h>
#include <string.h>

static const double SHARP = 1e-2;      // e of (4)
static const double OTHER_WAY = -0.5;  // cosine between normals that point in different directions
static const double OPPOSITE = 0.5;    // the same, negative, for normals that fully face each other
enum { CELLS_EACH = 8, CELLS_LEAST = 64 };

static void kernel(CpsKernel kind, double t, double R, double* weight, double* slope) {
  if (kind == CPS_KERNEL_CUBIC) {
    *weight = 1.0 - t * t * (3.0 - 2.0 * t);
    *slope = 6.0 * (t - 1.0) / (R * R);
    return;
  }
  const double e = SHARP, q = t * t + e, rim = 1.0 / ((1.0 + e) * (1.0 + e)), top = 1.0 / (e * e) - rim;
  *weight = (1.0 / (q * q) - rim) / top;
  *slope = -4.0 / (q * q * q * R * R * top);
}

static int32_t clamp(double x, int32_t size) {
  return x > 0.0 ? x < size - 1 ? (int32_t)x : size - 1 : 0;
}

static void cell_of(const CpsFieldGrid* g, CpsVec3 x, int32_t at[3]) {
  const double* low = &g->low.x;
  for (int k = 0; k < 3; ++k) at[k] = clamp(floor(((&x.x)[k] - low[k]) / g->cell), g->size[k]);
}

static int64_t cell_number(const CpsFieldGrid* g, const int32_t at[3]) {
  return ((int64_t)at[2] * g->size[1] + at[1]) * g->size[0] + at[0];
}

bool cps_field_build(CpsField* field, CpsArena* arena) {
  CpsFieldGrid* g = &field->grid;
  CpsVec3 low = field->point[0], high = low;
  for (int32_t i = 1; i < field->count; ++i) {
    const CpsVec3 p = field->point[i];
    low = cps_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = cps_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  const CpsVec3 span = cps_vec3_sub(high, low);
  const double most = (double)CELLS_EACH * field->count + CELLS_LEAST;
  g->low = low;
  for (g->cell = field->reach;; g->cell *= 1.26) {
    const double n[3] = {floor(span.x / g->cell) + 1.0, floor(span.y / g->cell) + 1.0, floor(span.z / g->cell) + 1.0};
    if (!(n[0] * n[1] * n[2] <= most)) continue;
    for (int k = 0; k < 3; ++k) g->size[k] = (int32_t)n[k];
    break;
  }
  const int64_t cells = (int64_t)g->size[0] * g->size[1] * g->size[2];
  g->start = CPS_TAKE_ZERO(arena, int32_t, cells + 2);
  g->sample = CPS_TAKE(arena, int32_t, field->count);
  if (!g->start || !g->sample) return false;
  // counted two places ahead, so that filling in leaves each start where it belongs
  int32_t at[3], *next = g->start + 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < field->count; ++i) {
      cell_of(g, field->point[i], at);
      const int64_t c = cell_number(g, at);
      if (pass == 0) {
        next[c + 1]++;
      } else {
        g->sample[next[c]++] = i;
      }
    }
    for (int64_t c = 0; pass == 0 && c < cells; ++c) next[c + 1] += next[c];
  }
  return true;
}

void cps_field_sample(const int32_t* triangle, int32_t count, const CpsVec3* x, CpsVec3* point, CpsVec3* normal) {
  for (int32_t t = 0; t < count; ++t) {
    const int32_t* n = triangle + 3 * (int64_t)t;
    const CpsVec3 a = x[n[0]], b = x[n[1]], c = x[n[2]];
    point[t] = cps_vec3_scale(1.0 / 3.0, cps_vec3_add(a, cps_vec3_add(b, c)));
    normal[t] = cps_vec3_unit(cps_vec3_cross(cps_vec3_sub(b, a), cps_vec3_sub(c, a)));
  }
}

double cps_field_reach(const int32_t* triangle, int32_t count, const CpsVec3* x) {
  double most = 0.0;
  for (int64_t i = 0; i < 3 * (int64_t)count; ++i) {
    const int32_t* n = triangle + i / 3 * 3;
    CpsVec3 middle = cps_vec3_scale(1.0 / 3.0, cps_vec3_add(x[n[0]], cps_vec3_add(x[n[1]], x[n[2]])));
    most = fmax(most, cps_vec3_norm(cps_vec3_sub(x[triangle[i]], middle)));
  }
  return 2.0 * most;
}

// Cells that overlap a cube about x.
static void cells_about(const CpsFieldGrid* g, CpsVec3 x, double half, int32_t from[3], int32_t to[3]) {
  const CpsVec3 d = {half, half, half};
  cell_of(g, cps_vec3_sub(x, d), from);
  cell_of(g, cps_vec3_add(x, d), to);
}

CpsField cps_field_for(const CpsField* field, const CpsVec3* rest, CpsVec3 own, CpsVec3 facing) {
  CpsField f = *field;
  f.rest = rest;
  f.own = own;
  const double length = cps_vec3_norm(facing);
  f.facing = length > 0.0 ? cps_vec3_scale(1.0 / length, facing) : facing;
  return f;
}

// Weight of a sample for this part of the surface: zero if it faces the same way, one if it faces the other way. The transition is gradual,
// because the gap would jump by a millimetre when a rotating part meets the first sample of another face.
static double share_of(const CpsField* f, int32_t sample) {
  if (!f->rest) return 1.0;
  if (cps_vec3_norm(cps_vec3_sub(f->rest[sample], f->own)) < 2.0 * f->reach) return 0.0;
  const double t = fmin(1.0, -cps_vec3_dot(f->normal[sample], f->facing) / OPPOSITE);
  return t > 0.0 ? t * t * (3.0 - 2.0 * t) : 0.0;
}

// All samples within the reach; returns the nearest.
static int32_t gather(const CpsField* f, CpsVec3 x, CpsFieldAt* out) {
  const CpsFieldGrid* g = &f->grid;
  int32_t from[3], to[3], at[3], nearest = -1;
  double least = INFINITY;
  cells_about(g, x, f->reach, from, to);
  out->count = 0;
  for (at[2] = from[2]; at[2] <= to[2]; ++at[2]) {
    for (at[1] = from[1]; at[1] <= to[1]; ++at[1]) {
      for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) {
        const int64_t c = cell_number(g, at);
        for (int32_t i = g->start[c]; i < g->start[c + 1]; ++i) {
          const int32_t s = g->sample[i];
          const CpsVec3 d = cps_vec3_sub(x, f->point[s]);
          const double r = cps_vec3_norm(d);
          const double share = r < f->reach ? share_of(f, s) : 0.0;
          if (!(share > 0.0)) continue;
          if (out->count == CPS_FIELD_TERMS) return nearest;
          CpsFieldTerm* term = &out->term[out->count++];
          *term = (CpsFieldTerm){.sample = s, .psi = cps_vec3_dot(f->normal[s], d)};
          kernel(f->kernel, r / f->reach, f->reach, &term->weight, &term->slope);
          term->weight *= share, term->slope *= share;
          if (r < least) least = r, nearest = s;
        }
      }
    }
  }
  return nearest;
}

bool cps_field_at(const CpsField* f, CpsVec3 x, CpsFieldAt* out) {
  const int32_t nearest = gather(f, x, out);
  if (nearest < 0) return false;
  const CpsVec3 side = f->normal[nearest];
  int32_t kept = 0;
  double sum = 0.0, psi = 0.0;
  CpsVec3 n = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < out->count; ++i) {
    const CpsFieldTerm t = out->term[i];
    if (cps_vec3_dot(f->normal[t.sample], side) < OTHER_WAY) continue;
    out->term[kept++] = t;
    sum += t.weight;
    psi += t.weight * t.psi;
    n = cps_vec3_axpy(n, t.weight, f->normal[t.sample]);
  }
  out->count = kept;
  if (!(sum > 0.0)) return false;
  out->sum = sum;
  out->value = psi / sum;
  for (int32_t i = 0; i < kept; ++i) {
    const CpsFieldTerm* t = &out->term[i];
    n = cps_vec3_axpy(n, t->slope * (t->psi - out->value), cps_vec3_sub(x, f->point[t->sample]));
  }
  out->gradient = cps_vec3_scale(1.0 / sum, n);
  return true;
}

int32_t cps_field_most(const CpsField* f) {
  const CpsFieldGrid* g = &f->grid;
  int32_t most = 0;
  for (int32_t k = 0; k < f->count; ++k) {
    int32_t from[3], to[3], at[3], count = 0;
    cells_about(g, f->point[k], f->reach, from, to);
    for (at[2] = from[2]; at[2] <= to[2]; ++at[2]) {
      for (at[1] = from[1]; at[1] <= to[1]; ++at[1]) {
        for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) {
          const int64_t c = cell_number(g, at);
          for (int32_t i = g->start[c]; i < g->start[c + 1]; ++i) {
            count += cps_vec3_norm(cps_vec3_sub(f->point[g->sample[i]], f->point[k])) < f->reach;
          }
        }
      }
    }
    most = count > most ? count : most;
  }
  return most;
}

static const char* const KERNELS[CPS_KERNEL_COUNT] = {"cubic", "interpolating"};

const char* cps_kernel_name(CpsKernel kind) {
  return kind >= 0 && kind < CPS_KERNEL_COUNT ? KERNELS[kind] : NULL;
}

bool cps_kernel_find(const char* name, CpsKernel* kind) {
  for (int i = 0; name && i < CPS_KERNEL_COUNT; ++i) {
    if (strcmp(name, KERNELS[i]) != 0) continue;
    if (kind) *kind = (CpsKernel)i;
    return true;
  }
  return false;
}

CpsSmooth cps_smooth_default(void) {
  return (CpsSmooth){.kernel = CPS_KERNEL_CUBIC, .reach = NAN, .transport = CPS_TRANSPORT_RIGID};
}
