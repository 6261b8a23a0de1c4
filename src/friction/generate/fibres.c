// A wavy bundle of rods, like a ponytail: each rod a clamped super-helix with a dense implicit mass block.
//
//   A = M + h^2 K,   M = rho S integral J^T J ds,   K = l diag(GJ, EI, EI) per element                              (1)
//   A v = rho S integral J^T v0(x, s) ds                     velocity of a rod before settling                      (2)
//   u = E (x_B' - x_A') = E J_B v_B - E J_A v_A              E = rows n, t1, t2, n from rod A to rod B      (3)
//
// J is the position Jacobian of rod.h. Roots lie on a jittered hexagonal lattice; all rods share one wave of curvature,
// and a small one of their own makes them wander through the bundle. Contacts lie where neighbouring rods come closest:
// for stations along each rod, the nearest point of every nearby rod; the closest contact_count pairs become contacts.
//
// A bundle with random velocities slides everywhere, unlike any simulation. So the bundle settles first: a few time
// steps with the loads below, each with a few projected Gauss-Seidel sweeps,
//
//   v <- v + dv,   A dv = h rho S integral J^T (g + load(x, s)) ds                                                  (4)
//   r_i <- P_K(r_i - u~_i / tr W_ii),   v <- v + A^-1 H^T (change of r)                                           (5)
//
// with steps of size 1/tr W_ii and P_K the projection on the cone. The problem is that of the following step: b = H (v
// + dv). It has contacts of every status. b lies in the range of H, so u = 0 is feasible and a solution exists. Model
// and numbers: docs/reference/generated-problems.md.
#include "core/error.h"
#include "friction/generate/generated.h"
#include "friction/generate/rod.h"
#include "sparse/dense.h"

#include <stdlib.h>
#include <string.h>

// Lengths in m, SI throughout. A rod represents a wisp of some hundred hairs.
static const double LENGTH = 0.3;
static const double SPACING = 2e-3;           // of the roots
static const double DENSITY = 2e-3;           // rho S, kg/m
static const double BENDING = 2e-6;           // EI, N m^2
static const double TWISTING = 1.6e-6;        // GJ, N m^2
static const double STEP = 2e-3;              // h, s
static const double CONTRACTION = 2000.0;     // 1/s^2, load towards the axis per distance
static const double OWN_PULL = 100.0;         // 1/s, load of a rod per own velocity
static const double CLAMPED_PART = 0.15;      // share of the rod next to the root without contacts
static const double CONTACTS_PER_ROD = 30.0;  // as in the ponytail of Daviet et al. 2011: 10 000 on 334 rods
static const double TWO_PI = 6.283185307179586;

typedef struct Bundle {
  int32_t rod_count;
  CpsRod* rods;     // rods[rod_count] is the axis of the bundle: the common wave alone
  CpsVec3* wander;  // own velocity of each rod at its tip, m/s
} Bundle;

typedef struct Candidate {
  double distance;
  int32_t a, b;     // rods, a < b
  double s_a, s_b;  // arc lengths of the nearest points
} Candidate;

static int compare_distance(const void* left, const void* right) {
  const Candidate *p = left, *q = right;
  if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->s_a < q->s_a ? -1 : p->s_a > q->s_a;
}

// The order of a detection loop over the rods.
static int compare_place(const void* left, const void* right) {
  const Candidate *p = left, *q = right;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->s_a != q->s_a) return p->s_a < q->s_a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

static bool make_bundle(CpsRandom* random, int32_t rod_count, int dofs, CpsArena* arena, Bundle* bundle) {
  bundle->rod_count = rod_count;
  bundle->rods = CPS_TAKE(arena, CpsRod, (int64_t)rod_count + 1);
  bundle->wander = CPS_TAKE(arena, CpsVec3, (int64_t)rod_count + 1);
  double* curvature = CPS_TAKE(arena, double, ((int64_t)rod_count + 1) * dofs);
  if (!bundle->rods || !bundle->wander || !curvature) return false;

  // hanging down: the tangent is -z, then x, then -y
  const CpsMat3 down = {{0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0}};
  double phase = TWO_PI * cps_random_uniform(random);
  for (int32_t rod = 0; rod <= rod_count; ++rod) {
    bool axis = rod == rod_count;
    double* k = curvature + (int64_t)rod * dofs;
    // sunflower order: fills a disc evenly with any number of roots
    double radius = SPACING * sqrt((double)rod / 3.1), angle = 2.399963229728653 * rod;
    double jitter_x = cps_random_normal(random), jitter_y = cps_random_normal(random);
    CpsVec3 root =
        cps_vec3(radius * cos(angle) + 0.2 * SPACING * jitter_x, radius * sin(angle) + 0.2 * SPACING * jitter_y, 0.0);
    double own_phase = TWO_PI * cps_random_uniform(random), own_size = cps_random_normal(random);
    int elements = dofs / 3;
    for (int i = 0; i < elements; ++i) {
      double along = (i + 0.5) / elements;
      double wave = phase + TWO_PI * 1.5 * along, own = own_phase + TWO_PI * 2.0 * along;
      double noise_0 = cps_random_normal(random), noise_1 = cps_random_normal(random);
      double share = axis ? 0.0 : 1.0;
      k[3 * i] = 2.0;
      k[3 * i + 1] = 8.0 * cos(wave) + share * (0.6 * own_size * cos(own) + 0.15 * noise_0);
      k[3 * i + 2] = 8.0 * sin(wave) + share * (0.6 * own_size * sin(own) + 0.15 * noise_1);
    }
    bundle->wander[rod] = cps_vec3_scale(0.02, cps_random_vec3(random));
    bundle->rods[rod] =
        (CpsRod){.root = axis ? cps_vec3(0.0, 0.0, 0.0) : root, .frame = down, .dofs = dofs, .length = LENGTH, .k = k};
  }
  return true;
}

// Nearest points of other rods to the stations of each rod, up to `reach`. Writes at most `room` candidates (none if
// candidates is NULL) and returns their number.
static int64_t find_candidates(const Bundle* bundle, int32_t stations, double reach, const CpsVec3* x,
                               const CpsVec3* tangent, const CpsCells* cells, int32_t* nearest, Candidate* candidates) {
  double gap = (1.0 - CLAMPED_PART) * LENGTH / stations;
  int64_t found = 0;
  for (int32_t p = 0; p < bundle->rod_count * stations; ++p) {
    int32_t a = p / stations, seen[128], seen_count = 0;
    int32_t i = cps_cells_coordinate(cells, 0, x[p].x), j = cps_cells_coordinate(cells, 1, x[p].y),
            k = cps_cells_coordinate(cells, 2, x[p].z);
    for (int32_t row = 0; row < 9; ++row) {
      int32_t first, last;
      cps_cells_row(cells, i, j - 1 + row % 3, k - 1 + row / 3, &first, &last);
      for (int32_t at = first; at < last; ++at) {
        int32_t q = cells->item[at], b = q / stations;
        if (b <= a || cps_vec3_norm(cps_vec3_sub(x[q], x[p])) > reach + gap) continue;
        if (nearest[b] < 0) {
          if (seen_count == 128) continue;
          seen[seen_count++] = b;
          nearest[b] = q;
        } else if (cps_vec3_norm(cps_vec3_sub(x[q], x[p])) < cps_vec3_norm(cps_vec3_sub(x[nearest[b]], x[p]))) {
          nearest[b] = q;
        }
      }
    }
    for (int32_t n = 0; n < seen_count; ++n) {
      // slide along b's tangent to the foot of the perpendicular, at most half a station
      int32_t b = seen[n], q = nearest[b];
      double slide = cps_vec3_dot(cps_vec3_sub(x[p], x[q]), tangent[q]);
      double s_b = CLAMPED_PART * LENGTH + (q % stations + 0.5) * gap;
      slide = fmax(-0.5 * gap, fmin(slide, 0.5 * gap));
      double distance = cps_vec3_norm(cps_vec3_sub(cps_vec3_axpy(x[q], slide, tangent[q]), x[p]));
      nearest[b] = -1;
      if (distance > reach) continue;
      if (candidates)
        candidates[found] = (Candidate){.distance = distance,
                                        .a = a,
                                        .b = b,
                                        .s_a = CLAMPED_PART * LENGTH + (p % stations + 0.5) * gap,
                                        .s_b = s_b + slide};
      ++found;
    }
  }
  return found;
}

// The closest contact_count pairs. With few rods and many contacts the stations get denser and the reach grows until
// there are enough.
static CpsStatus find_contacts(const Bundle* bundle, int32_t contact_count, CpsArena* arena, Candidate** contacts,
                               CpsError* error) {
  int32_t stations = 32;
  double reach = 1.2 * SPACING;
  for (int pass = 0; pass < 40; ++pass) {
    if ((int64_t)stations * bundle->rod_count > INT32_MAX / 2) break;
    CpsArenaMark mark = cps_arena_mark(arena);
    int32_t count = stations * bundle->rod_count;
    CpsVec3* x = CPS_TAKE(arena, CpsVec3, count);
    CpsVec3* tangent = CPS_TAKE(arena, CpsVec3, count);
    int32_t* nearest = CPS_TAKE(arena, int32_t, bundle->rod_count);
    if (!x || !tangent || !nearest)
      return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d stations", (int)count);
    double gap = (1.0 - CLAMPED_PART) * LENGTH / stations;
    for (int32_t p = 0; p < count; ++p)
      cps_rod_at(&bundle->rods[p / stations], CLAMPED_PART * LENGTH + (p % stations + 0.5) * gap, &x[p], &tangent[p],
                 NULL);
    for (int32_t rod = 0; rod < bundle->rod_count; ++rod) nearest[rod] = -1;
    CpsCells cells;
    if (!cps_cells_build(arena, count, x, reach + gap, &cells))
      return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d stations", (int)count);
    int64_t found = find_candidates(bundle, stations, reach, x, tangent, &cells, nearest, NULL);
    if (found >= contact_count) {
      *contacts = CPS_TAKE(arena, Candidate, found);
      if (!*contacts) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %lld candidates", (long long)found);
      (void)find_candidates(bundle, stations, reach, x, tangent, &cells, nearest, *contacts);
      qsort(*contacts, (size_t)found, sizeof(Candidate), compare_distance);
      qsort(*contacts, (size_t)contact_count, sizeof(Candidate), compare_place);
      return CPS_OK;
    }
    cps_arena_release(arena, mark);
    if (pass % 2 == 0)
      reach *= 1.5;
    else
      stations *= 2;
  }
  return cps_fail(error, CPS_BAD_ARGUMENT, "%d rods are too few for %d contacts", (int)bundle->rod_count,
                  (int)contact_count);
}

// v0 of equation (2): a swing about the root plus the wander of the rod.
static CpsVec3 start_velocity(CpsVec3 x, CpsVec3 wander, double share) {
  const CpsVec3 swing = cps_vec3(0.3, 1.0, 0.2);
  return cps_vec3_axpy(cps_vec3_cross(swing, x), share, wander);
}

// Gravity and load of equation (4): contraction towards the axis and an individual pull of the rod, m/s^2.
static CpsVec3 acceleration(CpsVec3 x, CpsVec3 axis, CpsVec3 wander, double share) {
  CpsVec3 a = cps_vec3_scale(-CONTRACTION, cps_vec3_sub(x, axis));
  a = cps_vec3_axpy(a, -OWN_PULL * share, wander);
  a.z -= 9.81;
  return a;
}

// x <- L^-1 x
static void forward_substitute(int n, const double* L, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= L[i * n + j] * x[j];
    x[i] /= L[i * n + i];
  }
}

// The factor of A, and v and dv of one rod, equations (1), (2) and (4), by four-point Gauss-Legendre quadrature.
static bool rod_dynamics(const CpsRod* rod, const CpsRod* axis, CpsVec3 wander, double* J, double* A, double* v,
                         double* dv) {
  static const double point[4] = {-0.861136311594053, -0.339981043584856, 0.339981043584856, 0.861136311594053};
  static const double weight[4] = {0.347854845137454, 0.652145154862546, 0.652145154862546, 0.347854845137454};
  int dofs = rod->dofs, elements = dofs / 3;
  double l = rod->length / elements;
  memset(A, 0, sizeof(double) * (size_t)dofs * (size_t)dofs);
  for (int i = 0; i < dofs; ++i) v[i] = dv[i] = 0.0;
  for (int g = 0; g < 4 * elements; ++g) {
    int element = g / 4;
    double s = l * (element + 0.5 * (1.0 + point[g % 4])), mass = DENSITY * 0.5 * l * weight[g % 4];
    CpsVec3 x, tangent, centre;
    cps_rod_at(axis, s, &centre, &tangent, NULL);
    cps_rod_at(rod, s, &x, &tangent, J);
    CpsVec3 v0 = start_velocity(x, wander, s / rod->length);
    CpsVec3 a = cps_vec3_scale(STEP, acceleration(x, centre, wander, s / rod->length));
    const double* Jx = J;
    const double* Jy = J + dofs;
    const double* Jz = J + 2 * dofs;
    // a point depends on the preceding elements only
    int reached = 3 * (g / 4 + 1);
    for (int i = 0; i < reached; ++i) {
      for (int j = 0; j <= i; ++j) A[i * dofs + j] += mass * (Jx[i] * Jx[j] + Jy[i] * Jy[j] + Jz[i] * Jz[j]);
      v[i] += mass * (Jx[i] * v0.x + Jy[i] * v0.y + Jz[i] * v0.z);
      dv[i] += mass * (Jx[i] * a.x + Jy[i] * a.y + Jz[i] * a.z);
    }
  }
  for (int i = 0; i < dofs; ++i) {
    A[i * dofs + i] += STEP * STEP * l * (i % 3 == 0 ? TWISTING : BENDING);
    for (int j = 0; j < i; ++j) A[j * dofs + i] = A[i * dofs + j];
  }
  // K alone keeps every pivot above h^2 l GJ
  if (!cps_dense_cholesky_factor(dofs, A, 0.0)) return false;
  // L^T v = L^-1 (right side)
  forward_substitute(dofs, A, v);
  forward_substitute(dofs, A, dv);
  return true;
}

// H of one term.
static void fill_term(const CpsRod* rod, double s, CpsMat3 E, double sign, const double* L, double* J, double* H) {
  CpsVec3 x, tangent;
  int dofs = rod->dofs;
  cps_rod_at(rod, s, &x, &tangent, J);
  for (int row = 0; row < 3; ++row) {
    double* h = H + row * dofs;
    for (int k = 0; k < dofs; ++k)
      h[k] = sign * (E.m[3 * row] * J[k] + E.m[3 * row + 1] * J[dofs + k] + E.m[3 * row + 2] * J[2 * dofs + k]);
    forward_substitute(dofs, L, h);
  }
}

static CpsMat3 contact_frame(const Bundle* bundle, const Candidate* contact) {
  CpsVec3 x_a, x_b, t_a, t_b;
  cps_rod_at(&bundle->rods[contact->a], contact->s_a, &x_a, &t_a, NULL);
  cps_rod_at(&bundle->rods[contact->b], contact->s_b, &x_b, &t_b, NULL);
  CpsVec3 n = cps_vec3_sub(x_b, x_a);
  // for intersecting rods: perpendicular to both
  if (!(cps_vec3_norm(n) > 1e-6 * SPACING)) n = cps_vec3_cross(t_a, t_b);
  if (!(cps_vec3_norm(n) > 1e-12)) n = cps_vec3(1.0, 0.0, 0.0);
  return cps_mat3_frame(cps_vec3_unit(n), t_a);
}

// Processes rod by rod, so that only one factor A is held at a time.
static CpsStatus fill_rods(const Bundle* bundle, const Candidate* contacts, CpsGenerated* out, CpsError* error) {
  int dofs = bundle->rods[0].dofs;
  int64_t size = 3 * (int64_t)dofs, term_count = 2 * (int64_t)out->contact_count;
  int64_t* start = CPS_TAKE_ZERO(&out->arena, int64_t, (int64_t)bundle->rod_count + 1);
  int64_t* terms = CPS_TAKE(&out->arena, int64_t, term_count);
  double* J = CPS_TAKE(&out->arena, double, size);
  double* A = CPS_TAKE(&out->arena, double, (int64_t)dofs* dofs);
  if (!start || !terms || !J || !A)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the terms of the rods");
  for (int64_t term = 0; term < term_count; ++term) start[out->body[term]]++;
  for (int32_t rod = 1; rod <= bundle->rod_count; ++rod) start[rod] += start[rod - 1];
  for (int64_t term = term_count - 1; term >= 0; --term) terms[--start[out->body[term]]] = term;

  for (int32_t rod = 0; rod < bundle->rod_count; ++rod) {
    if (!rod_dynamics(&bundle->rods[rod], &bundle->rods[bundle->rod_count], bundle->wander[rod], J, A,
                      out->v + rod * (int64_t)dofs, out->dv + rod * (int64_t)dofs))
      return cps_fail(error, CPS_BAD_DATA, "the mass block of rod %d is not positive definite", (int)rod);
    int64_t last = rod + 1 < bundle->rod_count ? start[rod + 1] : term_count;
    for (int64_t at = start[rod]; at < last; ++at) {
      int64_t term = terms[at], i = term / 2;
      bool first_side = term % 2 == 0;
      const Candidate* contact = &contacts[i];
      fill_term(&bundle->rods[rod], first_side ? contact->s_a : contact->s_b, contact_frame(bundle, contact),
                first_side ? -1.0 : 1.0, A, J, out->H + term * size);
    }
  }
  return CPS_OK;
}

CpsStatus cps_generate_fibres(const CpsGenerateDef* def, CpsGenerated* out, CpsError* error) {
  int32_t rod_count = def->body_count;
  if (rod_count == 0) rod_count = (int32_t)fmax(2.0, round(def->contact_count / CONTACTS_PER_ROD));
  if (rod_count < 2) return cps_fail(error, CPS_BAD_ARGUMENT, "a bundle needs at least 2 rods, not %d", (int)rod_count);
  CpsRandom random = cps_random_seed(def->seed);
  Bundle bundle;
  if (!make_bundle(&random, rod_count, def->dofs_per_rod, &out->arena, &bundle))
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d rods", (int)rod_count);
  Candidate* contacts = NULL;
  CpsStatus status = find_contacts(&bundle, def->contact_count, &out->arena, &contacts, error);
  if (status != CPS_OK) return status;

  int64_t term_count = 2 * (int64_t)def->contact_count, size = 3 * (int64_t)def->dofs_per_rod;
  out->contact_count = def->contact_count;
  out->body_count = rod_count;
  out->body_dofs = CPS_TAKE(&out->arena, int32_t, rod_count);
  out->contact_start = CPS_TAKE(&out->arena, int64_t, (int64_t)def->contact_count + 1);
  out->body = CPS_TAKE(&out->arena, int32_t, term_count);
  out->H = CPS_TAKE(&out->arena, double, term_count* size);
  out->Y = out->H;
  out->b = CPS_TAKE_ZERO(&out->arena, double, 3 * (int64_t)def->contact_count);
  if (!out->body_dofs || !out->contact_start || !out->body || !out->H || !out->b)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)def->contact_count);
  for (int32_t rod = 0; rod < rod_count; ++rod) out->body_dofs[rod] = def->dofs_per_rod;
  for (int32_t i = 0; i < def->contact_count; ++i) {
    out->contact_start[i] = 2 * (int64_t)i;
    out->body[2 * (int64_t)i] = contacts[i].a;
    out->body[2 * (int64_t)i + 1] = contacts[i].b;
  }
  out->contact_start[def->contact_count] = term_count;
  out->v = CPS_TAKE(&out->arena, double, (int64_t)rod_count * def->dofs_per_rod);
  out->dv = CPS_TAKE(&out->arena, double, (int64_t)rod_count * def->dofs_per_rod);
  if (!out->v || !out->dv) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d rods", (int)rod_count);
  return fill_rods(&bundle, contacts, out, error);
}
