// Super-clothoids at rest: the natural joint curvatures that balance weight and pulls,
//
//   K (k - n) = -dU/dk,      K = T x K3 tridiagonal (super_clothoid.c)                                              (1)
//
// The two curvatures of element j move the rod beyond it with the slide and turn of its end. With F and D = sum of s F^T of the
// loads beyond it (helix_statics.h), s from the end of the element,
//
//   -dU/dk_jc = int rho slide_c(s).g + pulls on it + slide_c.F + turn_c.(sum of s × F)                              (2)
//   d2U/dk_ia dk_jc = -turn_ia . t_jc,  t_jc = int rho slide_c × g + ... + slide_c × F + D turn_c - tr(D) turn_c,  i < j  (3)
//
// summed over the elements of each joint. Integrals use the same quadrature points as the step. The second derivatives of an
// element with respect to its own six curvatures are central differences of (2), with a relative error of 1e-9.
#include "core/error.h"
#include "model/helix_statics.h"
#include "model/super_clothoid.h"
#include "sparse/banded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DIFFERENCE = 1e-4;  // rad over an element: rounding 1e-12, terms of third order 1e-9

// Data of an element, in world axes.
typedef struct Part {
  CpsMat3 frame, end_frame;
  CpsVec3 x;                  // of its beginning
  CpsVec3 end, first;         // of its end relative to it; int rho x
  CpsVec3 slide[6], turn[6];  // of its end
  CpsVec3 own[6];             // int rho slide
  CpsHelixCarried after;
} Part;

typedef struct Found {
  CpsSuperClothoid c;
  Part* part;
  double* force;  // -dU/dk, root to tip, with room for two more such vectors
  CpsHelixCarried root;
} Found;

static void integrate(const CpsClothoid* clothoid, double rho, Part* p) {
  CpsClothoidWalk walk;
  CpsClothoidPoint at;
  p->first = cps_vec3(0.0, 0.0, 0.0);
  for (int a = 0; a < 6; ++a) p->own[a] = cps_vec3(0.0, 0.0, 0.0);
  cps_clothoid_start(&walk, clothoid, clothoid->length, CPS_CLOTHOID_STATIC, &p->frame, NULL);
  while (cps_clothoid_next(&walk)) {
    for (int q = 0; q < CPS_CLOTHOID_POINTS; ++q) {
      CpsVec3 x, slide[6];
      cps_clothoid_read_slides(&walk, cps_super_clothoid_node[q], &x, slide);
      const double w = rho * cps_super_clothoid_weight[q] * walk.size;
      p->first = cps_vec3_axpy(p->first, w, x);
      for (int a = 0; a < 6; ++a) p->own[a] = cps_vec3_axpy(p->own[a], w, slide[a]);
    }
  }
  cps_clothoid_read(&walk, 1.0, &at);
  p->end = at.position;
  p->end_frame = at.frame;
  memcpy(p->slide, at.slide, sizeof p->slide);
  memcpy(p->turn, at.turn, sizeof p->turn);
}

// The point of an element at s, where a load acts; false: on another element.
static bool find_point(const CpsRod* rod, double s, const CpsClothoid* clothoid, int32_t i, const CpsMat3* frame,
                       CpsClothoidPoint* at) {
  const CpsRodPlace place = cps_rod_place(&rod->spec, s);
  if (place.element != i) return false;
  cps_clothoid_at(clothoid, place.local, CPS_CLOTHOID_STATIC, frame, NULL, at);
  return true;
}

// (2), with F and D of the loads at the end of the element.
static void own_force(const CpsRod* rod, const CpsRodLoad* load, const CpsClothoid* clothoid, int32_t i, const Part* p,
                      const CpsMat3* D, double out[6]) {
  const CpsVec3 moment = cps_moment_of(D);
  for (int a = 0; a < 6; ++a) {
    out[a] = cps_vec3_dot(p->own[a], load->gravity) + cps_vec3_dot(p->slide[a], p->after.F) +
             cps_vec3_dot(p->turn[a], moment);
  }
  for (int32_t k = 0; k < load->pull_count; ++k) {
    CpsClothoidPoint at;
    if (!find_point(rod, load->pulls[k].s, clothoid, i, &p->frame, &at)) continue;
    const CpsVec3 F = cps_rod_pull_force(rod, &load->pulls[k]);
    for (int a = 0; a < 6; ++a) out[a] += cps_vec3_dot(at.slide[a], F);
  }
  for (int32_t k = 0; k < load->touch_count; ++k) {
    const CpsRodTouch* touch = &load->touches[k];
    CpsClothoidPoint at;
    if (!find_point(rod, touch->s, clothoid, i, &p->frame, &at)) continue;
    const CpsVec3 m = cps_rod_touch_moment(rod, touch);
    for (int a = 0; a < 6; ++a) out[a] += cps_vec3_dot(at.slide[a], touch->force) + cps_vec3_dot(at.turn[a], m);
  }
}

// Loads on an element and everything beyond it, about its beginning.
static CpsHelixCarried carried_to_beginning(const CpsRod* rod, const CpsRodLoad* load, const CpsClothoid* clothoid,
                                            double rho, int32_t i, const Part* p) {
  CpsHelixCarried all = p->after;
  all.D = cps_mat3_axpy(all.D, 1.0, cps_mat3_outer(p->end, all.F));
  all.D = cps_mat3_axpy(all.D, 1.0, cps_mat3_outer(p->first, load->gravity));
  all.F = cps_vec3_axpy(all.F, rho * clothoid->length, load->gravity);
  for (int32_t k = 0; k < load->pull_count; ++k) {
    CpsClothoidPoint at;
    if (!find_point(rod, load->pulls[k].s, clothoid, i, &p->frame, &at)) continue;
    const CpsVec3 F = cps_rod_pull_force(rod, &load->pulls[k]);
    all.F = cps_vec3_add(all.F, F);
    all.D = cps_mat3_axpy(all.D, 1.0, cps_mat3_outer(at.position, F));
  }
  for (int32_t k = 0; k < load->touch_count; ++k) {
    const CpsRodTouch* touch = &load->touches[k];
    CpsClothoidPoint at;
    if (!find_point(rod, touch->s, clothoid, i, &p->frame, &at)) continue;
    const CpsVec3 m = cps_rod_touch_moment(rod, touch);
    all.F = cps_vec3_add(all.F, touch->force);
    all.D = cps_mat3_axpy(all.D, 1.0, cps_mat3_outer(at.position, touch->force));
    all.D = cps_mat3_axpy(all.D, -0.5, cps_mat3_cross(m));  // its sum of s × F is m
  }
  return all;
}

static CpsClothoid clothoid_of(const CpsSuperClothoid* c, int32_t i) {
  return (CpsClothoid){c->k[i], c->k[i + 1], c->size};
}

static bool find(const CpsRod* rod, const CpsRodLoad* load, Found* out) {
  CpsSuperClothoid* c = &out->c;
  *c = cps_super_clothoid(rod);
  const size_t joints = (size_t)c->count + 1;
  out->part = malloc(joints * (sizeof *out->part + 9 * sizeof *out->force));
  if (!out->part) return false;
  out->force = (double*)(void*)(out->part + joints);
  memset(out->force, 0, 9 * joints * sizeof *out->force);
  out->part[c->count - 1].after = (CpsHelixCarried){0};
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsClothoid clothoid = clothoid_of(c, i);
    out->part[i].frame = c->element[i].frame;
    out->part[i].x = c->element[i].position;
    integrate(&clothoid, cps_super_clothoid_density(rod, i), &out->part[i]);
  }
  for (int32_t i = c->count - 1; i >= 0; --i) {
    const CpsClothoid clothoid = clothoid_of(c, i);
    double force[6];
    own_force(rod, load, &clothoid, i, &out->part[i], &out->part[i].after.D, force);
    for (int a = 0; a < 6; ++a) out->force[3 * i + a] += force[a];
    CpsHelixCarried* to = i > 0 ? &out->part[i - 1].after : &out->root;
    *to = carried_to_beginning(rod, load, &clothoid, cps_super_clothoid_density(rod, i), i, &out->part[i]);
  }
  return true;
}

static CpsRodNatural natural(const CpsRod* rod) {
  return (CpsRodNatural){.count = rod->spec.elements + 1, .strain = &cps_super_clothoid(rod).natural->x, .first = 1.0};
}

// T without its factor l / 6: the diagonal of joint i, and its neighbour towards the tip.
static double diagonal(const CpsRod* rod, const CpsSuperClothoid* c, int32_t i) {
  return 2.0 * (cps_super_clothoid_taper(rod, c, i - 1) + cps_super_clothoid_taper(rod, c, i));
}

// (1)
static void take(const CpsRod* rod, const Found* found) {
  const CpsSuperClothoid* c = &found->c;
  const double *K3 = rod->spec.branch[0].stiffness, unit = c->size / 6.0;
  double* pivot = c->J;  // of T, N + 1
  CpsVec3* x = c->natural;
  for (int32_t i = 0; i <= c->count; ++i) {
    const double* Q = found->force + 3 * (ptrdiff_t)i;
    x[i] = cps_vec3(Q[0] / (unit * K3[0]), Q[1] / (unit * K3[1]), Q[2] / (unit * K3[2]));
    const double beside = cps_super_clothoid_taper(rod, c, i - 1), factor = i > 0 ? beside / pivot[i - 1] : 0.0;
    pivot[i] = diagonal(rod, c, i) - factor * beside;
    if (i > 0) x[i] = cps_vec3_axpy(x[i], -factor, x[i - 1]);
  }
  for (int32_t i = c->count; i >= 0; --i) {
    if (i < c->count) x[i] = cps_vec3_axpy(x[i], -cps_super_clothoid_taper(rod, c, i), x[i + 1]);
    x[i] = cps_vec3_scale(1.0 / pivot[i], x[i]);
  }
  for (int32_t i = 0; i <= c->count; ++i) x[i] = cps_vec3_sub(c->k[i], x[i]);
}

// g of (1) of rod_statics.h with the present natural curvatures.
static void fill_gradient(const CpsRod* rod, const CpsRodLoad* load, const Found* found, double* g, double* unit) {
  const CpsSuperClothoid* c = &found->c;
  const double *K3 = rod->spec.branch[0].stiffness, moment = cps_rod_load_size(rod, load) * rod->spec.length;
  for (int32_t i = 0; i <= c->count; ++i) {
    CpsVec3 sum = cps_vec3_scale(diagonal(rod, c, i), cps_vec3_sub(c->k[i], c->natural[i]));
    for (int side = -1; side < 2; side += 2) {
      const int32_t j = i + side;
      if (j < 0 || j > c->count) continue;
      sum = cps_vec3_axpy(sum, cps_super_clothoid_taper(rod, c, j < i ? j : i), cps_vec3_sub(c->k[j], c->natural[j]));
    }
    const double strain[3] = {sum.x, sum.y, sum.z};
    for (int a = 0; a < 3; ++a) {
      g[3 * i + a] = c->size / 6.0 * K3[a] * strain[a] - found->force[3 * i + a];
      unit[3 * i + a] = moment * c->size;
    }
  }
}

static CpsStatus balance(CpsRod* rod, const CpsRodLoad* load, CpsError* error) {
  Found found = {0};
  if (!find(rod, load, &found)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert a fibre");
  const CpsStatus status = cps_helix_check_root(rod, load, &found.root, error);
  if (status == CPS_OK) take(rod, &found);
  if (status == CPS_OK && load->left) {
    // the forces do not depend on the natural curvatures: the expensive walk along the rod is not repeated
    double *g = found.force + 3 * ((ptrdiff_t)found.c.count + 1), *unit = g + 3 * ((ptrdiff_t)found.c.count + 1);
    fill_gradient(rod, load, &found, g, unit);
    *load->left = cps_rod_largest(3 * (found.c.count + 1), g, unit);
  }
  free(found.part);
  return status;
}

static int32_t size(const CpsRod* rod, int32_t* band) {
  *band = 3 * rod->spec.elements + 2;
  return 3 * rod->spec.elements + 3;
}

static CpsStatus gradient(const CpsRod* rod, const CpsRodLoad* load, double* g, double* unit) {
  Found found = {0};
  if (!find(rod, load, &found)) return CPS_NO_MEMORY;
  fill_gradient(rod, load, &found, g, unit);
  free(found.part);
  return CPS_OK;
}

static void add(int32_t n, double* S, int32_t row, int32_t col, double value) {
  S[cps_banded_at(n - 1, row > col ? row : col, row > col ? col : row)] += value;
}

// Second derivatives of an element with respect to its own curvatures.
static void add_own(const CpsRod* rod, const CpsRodLoad* load, const Found* found, int32_t n, int32_t i, double* S) {
  const Part* p = &found->part[i];
  const double step = DIFFERENCE / found->c.size;
  double slope[6][6];
  for (int b = 0; b < 6; ++b) {
    double force[2][6];
    for (int side = 0; side < 2; ++side) {
      CpsClothoid clothoid = clothoid_of(&found->c, i);
      (b < 3 ? &clothoid.k0.x : &clothoid.k1.x)[b % 3] += side ? step : -step;
      Part moved = {.frame = p->frame, .x = p->x, .after = p->after};
      integrate(&clothoid, cps_super_clothoid_density(rod, i), &moved);
      // the rod beyond it turns with the end
      const CpsMat3 turn = cps_mat3_multiply(moved.end_frame, cps_mat3_transposed(p->end_frame));
      const CpsMat3 D = cps_mat3_multiply(turn, p->after.D);
      own_force(rod, load, &clothoid, i, &moved, &D, force[side]);
    }
    for (int a = 0; a < 6; ++a) slope[a][b] = (force[1][a] - force[0][a]) / (2.0 * step);
  }
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b <= a; ++b) add(n, S, 3 * i + a, 3 * i + b, -0.5 * (slope[a][b] + slope[b][a]));
  }
}

// Columns t of (3).
static void find_turning(const CpsRod* rod, const CpsRodLoad* load, const Found* found, int32_t j, CpsVec3 t[6]) {
  const Part* p = &found->part[j];
  const CpsClothoid clothoid = clothoid_of(&found->c, j);
  const double trace = p->after.D.m[0] + p->after.D.m[4] + p->after.D.m[8];
  for (int a = 0; a < 6; ++a) {
    t[a] = cps_vec3_add(cps_vec3_cross(p->own[a], load->gravity), cps_vec3_cross(p->slide[a], p->after.F));
    t[a] = cps_vec3_add(t[a], cps_mat3_apply(p->after.D, p->turn[a]));
    t[a] = cps_vec3_axpy(t[a], -trace, p->turn[a]);
  }
  for (int32_t k = 0; k < load->pull_count; ++k) {
    CpsClothoidPoint at;
    if (!find_point(rod, load->pulls[k].s, &clothoid, j, &p->frame, &at)) continue;
    const CpsVec3 F = cps_rod_pull_force(rod, &load->pulls[k]);
    for (int a = 0; a < 6; ++a) t[a] = cps_vec3_add(t[a], cps_vec3_cross(at.slide[a], F));
  }
}

// Derivatives of a point x that moves with the section at s: J is 3 x n, root to tip.
static void find_columns(const CpsRod* rod, const Found* found, double s, CpsVec3 x, int32_t n, double* J) {
  const CpsSuperClothoid* c = &found->c;
  const CpsRodPlace place = cps_rod_place(&rod->spec, s);
  memset(J, 0, 3 * (size_t)n * sizeof *J);
  for (int32_t i = 0; i <= place.element; ++i) {
    const Part* p = &found->part[i];
    const CpsClothoid clothoid = clothoid_of(c, i);
    CpsClothoidPoint at;
    const bool inside = find_point(rod, s, &clothoid, i, &p->frame, &at);
    const CpsVec3 arm = cps_vec3_sub(x, cps_vec3_add(p->x, inside ? at.position : p->end));
    for (int a = 0; a < 6; ++a) {
      const CpsVec3 turn = cps_vec3_cross(inside ? at.turn[a] : p->turn[a], arm);
      const CpsVec3 d = cps_vec3_add(inside ? at.slide[a] : p->slide[a], turn);
      J[3 * i + a] += d.x, J[n + 3 * i + a] += d.y, J[2 * n + 3 * i + a] += d.z;
    }
  }
}

// stiffness J^T J of a spring
static void add_spring(const CpsRod* rod, const Found* found, const CpsRodPull* pull, int32_t n, double* J, double* S) {
  find_columns(rod, found, pull->s, rod->type->at(rod, pull->s).position, n, J);
  for (int32_t a = 0; a < n; ++a) {
    for (int32_t b = 0; b <= a; ++b) {
      add(n, S, a, b, pull->stiffness * (J[a] * J[b] + J[n + a] * J[n + b] + J[2 * n + a] * J[2 * n + b]));
    }
  }
}

// The same for a spring that also acts on the tangent, whose change is that of a point a metre along it.
static void add_slope_spring(const CpsRod* rod, const Found* found, const CpsRodSpring* spring, int32_t n, double* J,
                             double* S) {
  const CpsRodPoint at = rod->type->at(rod, spring->s);
  const CpsVec3 tangent = cps_vec3(at.frame.m[0], at.frame.m[3], at.frame.m[6]);
  const CpsVec3 here = cps_vec3_sub(spring->along, spring->slope), there = spring->slope;
  double* row = J + 3 * (ptrdiff_t)n;
  find_columns(rod, found, spring->s, at.position, n, J);
  for (int32_t a = 0; a < n; ++a) row[a] = here.x * J[a] + here.y * J[n + a] + here.z * J[2 * n + a];
  find_columns(rod, found, spring->s, cps_vec3_add(at.position, tangent), n, J);
  for (int32_t a = 0; a < n; ++a) {
    row[a] += there.x * J[a] + there.y * J[n + a] + there.z * J[2 * n + a];
    for (int32_t b = 0; b <= a; ++b) add(n, S, a, b, spring->stiffness * row[a] * row[b]);
  }
}

static CpsStatus hessian(const CpsRod* rod, const CpsRodLoad* load, double* K, double* C) {
  Found found = {0};
  int32_t band;
  const int32_t n = size(rod, &band);
  double* J = malloc(4 * (size_t)n * sizeof *J);
  if (!J || !find(rod, load, &found)) {
    free(J);
    return CPS_NO_MEMORY;
  }
  const double *K3 = rod->spec.branch[0].stiffness, unit = found.c.size / 6.0;
  memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
  memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
  for (int32_t i = 0; i < n; ++i) {
    K[cps_banded_at(band, i, i)] = unit * K3[i % 3] * diagonal(rod, &found.c, i / 3);
    if (i >= 3)
      K[cps_banded_at(band, i, i - 3)] = unit * K3[i % 3] * cps_super_clothoid_taper(rod, &found.c, i / 3 - 1);
  }
  for (int32_t j = 0; j < found.c.count; ++j) {
    CpsVec3 t[6];
    add_own(rod, load, &found, n, j, C);
    find_turning(rod, load, &found, j, t);
    for (int32_t i = 0; i < j; ++i) {
      for (int a = 0; a < 6; ++a) {
        for (int b = 0; b < 6; ++b) {
          const int32_t row = 3 * i + a, col = 3 * j + b;
          // the joint between two elements has both orders of a pair on its diagonal
          const double both = row == col ? 2.0 : 1.0;
          add(n, C, row, col, -both * cps_vec3_dot(found.part[i].turn[a], t[b]));
        }
      }
    }
  }
  for (int32_t p = 0; p < load->pull_count; ++p) {
    if (load->pulls[p].stiffness > 0.0) add_spring(rod, &found, &load->pulls[p], n, J, C);
  }
  for (int32_t p = 0; p < load->spring_count; ++p) add_slope_spring(rod, &found, &load->springs[p], n, J, C);
  free(J);
  free(found.part);
  return CPS_OK;
}

// L of K = T x K3: its diagonal of joint i and the entry before it, without sqrt(l K3 / 6). Joints one after the other.
typedef struct Lower {
  double diagonal, before;
} Lower;
static Lower lower_of(const CpsRod* rod, const CpsSuperClothoid* c, int32_t i, Lower last) {
  const double before = i > 0 ? cps_super_clothoid_taper(rod, c, i - 1) / last.diagonal : 0.0;
  return (Lower){sqrt(diagonal(rod, c, i) - before * before), before};
}

static void strains(const CpsRod* rod, double* k) {
  memcpy(k, cps_super_clothoid(rod).k, (size_t)(rod->spec.elements + 1) * sizeof(CpsVec3));
}

static void whiten(const CpsRod* rod, double* x) {
  const CpsSuperClothoid c = cps_super_clothoid(rod);
  const double *K3 = rod->spec.branch[0].stiffness, unit = c.size / 6.0;
  Lower L = {0};
  for (int32_t i = 0; i <= c.count; ++i) {
    L = lower_of(rod, &c, i, L);
    for (int a = 0; a < 3; ++a) {
      const double root = sqrt(unit * K3[a]), strain = x[3 * i + a];
      x[3 * i + a] = root * L.diagonal * strain;
      if (i > 0) x[3 * (i - 1) + a] += root * L.before * strain;
    }
  }
}

static bool compliance(const CpsRod* rod, int32_t count, const CpsRodSpot* spots) {
  Found found = {0};
  int32_t band;
  const int32_t n = size(rod, &band);
  const CpsRodLoad none = {0};
  if (!find(rod, &none, &found)) return false;
  const double *K3 = rod->spec.branch[0].stiffness, unit = found.c.size / 6.0;
  for (int32_t p = 0; p < count; ++p) {
    double* G = spots[p].G;
    const CpsMat3 E = cps_mat3_scale(spots[p].sign, spots[p].frame);
    Lower L = {0};
    find_columns(rod, &found, spots[p].s, spots[p].point, n, G);
    for (int32_t j = 0; j < n; ++j) {
      if (j % 3 == 0) L = lower_of(rod, &found.c, j / 3, L);
      const CpsVec3 column = cps_mat3_apply(E, cps_vec3(G[j], G[n + j], G[2 * n + j]));
      const double root = sqrt(unit * K3[j % 3]), side[3] = {column.x, column.y, column.z};
      for (int a = 0; a < 3; ++a) {
        double* g = G + (ptrdiff_t)a * n + j;
        *g = (side[a] / root - (j < 3 ? 0.0 : L.before * g[-3])) / L.diagonal;
      }
    }
  }
  free(found.part);
  return true;
}

static void move(CpsRod* rod, const double* change) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  for (int32_t i = 0; i <= c.count; ++i) c.k[i] = cps_vec3_add(c.k[i], cps_vec3_get(change + 3 * (ptrdiff_t)i));
  rod->type->refresh(rod);
}

const CpsRodStatics cps_super_clothoid_statics = {natural, NULL,     balance, strains, whiten, compliance,
                                                  size,    gradient, hessian, NULL,    move};
