// Rods made of points: memory, lumped masses, held ends, and the banded implicit mass with its solves and rows.
//
// A point of the centreline between two points of the chain is x(s) = (1 - a) x_j + a x_j+1, so J(s) of rod.h has six
// columns. A row of G is the solution of L g = J^T e, which starts at the first of these columns.
#include "model/chain.h"

#include "core/error.h"
#include "sparse/banded.h"

#include <math.h>
#include <string.h>

static const double AT_JOINT = 1e-9;  // of a segment

// Doubles of state: points, two held frames, quaternions of segments or axes of joints, velocities.
static int64_t state_of(int64_t n, int32_t stride) {
  return 3 * (n + 1) + 8 + (stride == 6 ? 4 * n : 3 * (n + 1)) + stride * n + 3;
}

static int64_t work_of(int64_t n, int32_t stride) {
  int64_t count = stride * n + 3;
  return count + n + 3 * (n + 1) + (CPS_CHAIN_BAND + 1) * count + 3 * count + state_of(n, stride) - count + 3 * (n + 1);
}

static int32_t held(CpsEndKind kind) {
  return kind == CPS_END_FREE ? 0 : 3;
}

CpsChain cps_chain_of(const CpsRod* rod) {
  int32_t n = rod->spec.elements, stride = rod->state_count == state_of(n, 3) ? 3 : 6;
  CpsChain c = {.segments = n, .stride = stride, .count = stride * n + 3, .size = rod->spec.length / n};
  c.first = held(rod->spec.root);
  c.last = c.count - held(rod->spec.tip);
  double* p = rod->state;
  c.x = (CpsVec3*)p, p += 3 * (n + 1);
  c.clamp = (CpsQuat*)p, p += 8;
  c.axis = (CpsVec3*)p;
  c.q = (CpsQuat*)p;
  p += stride == 6 ? 4 * n : 3 * (n + 1);
  c.v = p;
  p = rod->work;
  c.mass = p, p += c.count;
  c.rest = p, p += n;
  c.kappa = (CpsVec3*)p, p += 3 * (n + 1);
  c.band = p, p += (CPS_CHAIN_BAND + 1) * c.count;
  c.before = p, p += c.count;
  c.free = p, p += c.count;
  c.force = p, p += c.count;
  c.kept = p, p += state_of(n, stride) - c.count;
  c.gyration = (CpsVec3*)p;
  return c;
}

void cps_chain_sizes(const CpsRodSpec* spec, int32_t stride, int32_t* dofs, int64_t* state, int64_t* work) {
  *dofs = stride * spec->elements + 3 - held(spec->root) - held(spec->tip);
  *state = state_of(spec->elements, stride);
  *work = work_of(spec->elements, stride);
}

// Natural curvature of joint i: the mean over the two adjacent half segments, by Simpson's rule.
static CpsVec3 mean_natural(const CpsRodShape* shape, int32_t segments, int32_t i) {
  int32_t half = CPS_ROD_SAMPLES / 2, at = CPS_ROD_SAMPLES * i;
  int32_t from = i > 0 ? at - half : at, to = i < segments ? at + half : at;
  CpsVec3 sum = {0};
  for (int32_t k = from; k <= to; ++k) {
    double w = k == from || k == to ? 1.0 : (k - from) % 2 ? 4.0 : 2.0;
    sum = cps_vec3_axpy(sum, w / (3.0 * (to - from)), shape->natural[k]);
  }
  return sum;
}

static void set_shape(CpsChain* c, const CpsRodShape* shape) {
  int32_t n = c->segments;
  for (int32_t i = 0; i <= n; ++i) {
    c->x[i] = shape->point[CPS_ROD_SAMPLES * i];
    c->kappa[i] = mean_natural(shape, n, i);
  }
  for (int32_t j = 0; j < n; ++j) c->rest[j] = cps_vec3_norm(cps_vec3_sub(c->x[j + 1], c->x[j]));
  c->clamp[0] = shape->frame[0];
  c->clamp[1] = shape->frame[CPS_ROD_SAMPLES * n];
}

// Lumps masses at points; segments get their own rotary inertia.
static void set_mass(CpsChain* c, const CpsRodSpec* spec) {
  const CpsRodBranch* rod = &spec->branch[0];
  for (int32_t j = 0; j < c->segments; ++j) {
    int32_t at = c->stride * j;
    double half = 0.5 * c->size * rod->line_density * cps_rod_element_taper(spec, j, 2);
    for (int k = 0; k < 3; ++k) {
      c->mass[at + k] += half;
      c->mass[at + c->stride + k] += half;
      if (c->stride == 6) c->mass[at + 3 + k] = c->size * rod->rotary[k] * cps_rod_element_taper(spec, j, 4);
    }
  }
}

CpsStatus cps_chain_create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  CpsChain c = cps_chain_of(rod);
  set_shape(&c, shape);
  set_mass(&c, &rod->spec);
  for (int32_t j = 0; j < c.segments; ++j) {
    if (!(c.rest[j] > 0.0)) return cps_fail(error, CPS_BAD_DATA, "segment %d of a fibre has no length", (int)j);
  }
  return CPS_OK;
}

// Location of s: the segment, and the weight of its second point. At a point between two segments it is the first one,
// regardless of rounding.
int32_t cps_chain_place(const CpsChain* c, double s, double* weight) {
  double x = s / c->size - AT_JOINT;
  int32_t j = x > 0.0 ? (x < c->segments ? (int32_t)x : c->segments - 1) : 0;
  *weight = fmin(fmax(s / c->size - j, 0.0), 1.0);
  return j;
}

CpsVec3 cps_chain_point(const CpsChain* c, double s, int32_t* segment) {
  double a;
  int32_t j = cps_chain_place(c, s, &a);
  if (segment) *segment = j;
  return cps_vec3_axpy(cps_vec3_scale(1.0 - a, c->x[j]), a, c->x[j + 1]);
}

static CpsVec3 mean_velocity(const CpsChain* c, const double* v, double s) {
  double a;
  int32_t at = c->stride * cps_chain_place(c, s, &a);
  return cps_vec3_axpy(cps_vec3_scale(1.0 - a, cps_chain_get(v, at)), a, cps_chain_get(v, at + c->stride));
}

static bool is_free(const CpsChain* c, int32_t i) {
  return i >= c->first && i < c->last;
}

// Adds to the entry (i, j) of M~.
static void add_entry(CpsChain* c, int32_t i, int32_t j, double value) {
  if (j > i || !is_free(c, i) || !is_free(c, j)) return;
  c->band[cps_banded_at(CPS_CHAIN_BAND, i - c->first, j - c->first)] += value;
}

void cps_chain_add(CpsChain* c, const CpsStrain* e, const CpsModelStep* step, bool implicit) {
  int32_t w = e->width, at = e->at;
  double rate[3] = {e->rate.x, e->rate.y, e->rate.z}, DG[3 * CPS_CHAIN_WIDTH];
  for (int r = 0; r < 3; ++r)
    for (int32_t k = 0; k < w; ++k) rate[r] += e->G[r * w + k] * c->v[at + k];
  double ahead = (implicit ? step->h * step->theta : 0.0) + e->damping;
  CpsVec3 f = cps_mat3_apply(e->D, e->g);
  f = cps_vec3_axpy(f, implicit ? ahead - (1.0 - step->theta) * step->h : ahead,
                    cps_mat3_apply(e->S, cps_vec3(rate[0], rate[1], rate[2])));
  if (e->waves) f = cps_vec3_add(f, cps_mat3_apply(e->V, cps_vec3(rate[0], rate[1], rate[2])));
  for (int32_t k = 0; k < w; ++k) c->force[at + k] -= e->G[k] * f.x + e->G[w + k] * f.y + e->G[2 * w + k] * f.z;
  if (!implicit) return;
  double factor = step->h * step->theta * ahead;
  for (int32_t k = 0; k < w; ++k) {
    CpsVec3 d = cps_mat3_apply(e->S, cps_vec3(e->G[k], e->G[w + k], e->G[2 * w + k]));
    DG[k] = factor * d.x, DG[w + k] = factor * d.y, DG[2 * w + k] = factor * d.z;
  }
  for (int32_t k = 0; e->waves && k < w; ++k) {
    CpsVec3 d = cps_mat3_apply(e->V, cps_vec3(e->G[k], e->G[w + k], e->G[2 * w + k]));
    const double ht = step->h * step->theta;
    DG[k] += ht * d.x, DG[w + k] += ht * d.y, DG[2 * w + k] += ht * d.z;
  }
  for (int32_t i = 0; i < w; ++i)
    for (int32_t j = 0; j <= i; ++j)
      add_entry(c, at + i, at + j, e->G[i] * DG[j] + e->G[w + i] * DG[w + j] + e->G[2 * w + i] * DG[2 * w + j]);
}

void cps_chain_stretch(const CpsRod* rod, const CpsChain* c, int32_t j, CpsStrain* along, CpsStrain* across) {
  CpsVec3 e = cps_vec3_sub(c->x[j + 1], c->x[j]), t = cps_vec3_unit(e);
  double length = cps_vec3_norm(e), k = cps_chain_rigidity(rod, j) / c->rest[j];
  CpsMat3 tt = cps_mat3_outer(t, t), one = cps_mat3_identity();
  *along = (CpsStrain){.at = c->stride * j, .width = c->stride + 3, .damping = rod->spec.damping};
  cps_chain_block(along, 0, cps_mat3_scale(-1.0, one));
  cps_chain_block(along, c->stride, one);
  *across = *along;
  along->g = cps_vec3_scale(length - c->rest[j], t);
  along->D = along->S = cps_mat3_scale(k, tt);
  across->damping = 0.0;
  across->S = cps_mat3_scale(k * fmax(0.0, 1.0 - c->rest[j] / length), cps_mat3_axpy(one, -1.0, tt));
}

double cps_chain_wave_damping(const CpsRod* rod, const CpsChain* c, const CpsModelStep* step, int32_t i) {
  if (i <= 0 || i >= c->segments || step->theta >= 1.0) return 0.0;
  double T = 0.0;
  for (int32_t j = i - 1; j <= i; ++j) {
    const double length = cps_vec3_norm(cps_vec3_sub(c->x[j + 1], c->x[j]));
    T += 0.5 * cps_chain_rigidity(rod, j) * (length / c->rest[j] - 1.0);
  }
  return cps_rod_wave_damping(step, T, c->mass[c->stride * i] / c->size, c->size);
}

double cps_chain_rigidity(const CpsRod* rod, int32_t j) {
  return rod->spec.stretch * cps_rod_element_taper(&rod->spec, j, 2);
}

// E S times the strain of the segment at s.
double cps_chain_axial(const CpsRod* rod, double s) {
  CpsChain c = cps_chain_of(rod);
  int32_t j;
  (void)cps_chain_point(&c, s, &j);
  return cps_chain_rigidity(rod, j) * (cps_vec3_norm(cps_vec3_sub(c.x[j + 1], c.x[j])) / c.rest[j] - 1.0);
}

double cps_chain_stretch_energy(const CpsRod* rod, const CpsChain* c) {
  double sum = 0.0;
  for (int32_t j = 0; j < c->segments; ++j) {
    double more = cps_vec3_norm(cps_vec3_sub(c->x[j + 1], c->x[j])) - c->rest[j];
    sum += 0.5 * cps_chain_rigidity(rod, j) / c->rest[j] * more * more;
  }
  return sum;
}

// Held points and frames.
static void hold(CpsChain* c, const CpsRodSpec* spec, CpsPose root, CpsPose tip) {
  if (spec->root != CPS_END_FREE) c->x[0] = root.position;
  if (spec->tip != CPS_END_FREE) c->x[c->segments] = tip.position;
  if (spec->root == CPS_END_CLAMPED) c->clamp[0] = root.rotation;
  if (spec->tip == CPS_END_CLAMPED) c->clamp[1] = tip.rotation;
}

static void prescribe(const CpsChain* c, const CpsRodSpec* spec, CpsVec3 root, CpsVec3 tip, double* v) {
  if (spec->root != CPS_END_FREE) cps_chain_set(v, 0, root);
  if (spec->tip != CPS_END_FREE) cps_chain_set(v, c->count - 3, tip);
}

// Force and matrix of a pull, linearised in the motion of its point like all other forces.
static void pull(CpsChain* c, const CpsRodPull* p, const CpsModelStep* step) {
  double a, ahead = step->h * step->theta;
  int32_t at = c->stride * cps_chain_place(c, p->s, &a), to = at + c->stride;
  CpsVec3 x = cps_chain_point(c, p->s, NULL), v = mean_velocity(c, c->v, p->s);
  CpsVec3 f = cps_vec3_axpy(p->force, p->stiffness, cps_vec3_sub(p->target, cps_vec3_axpy(x, ahead, v)));
  f = cps_vec3_axpy(f, p->damping, cps_vec3_sub(p->target_velocity, v));
  double k = ahead * (ahead * p->stiffness + p->damping), b = 1.0 - a;
  const double force[3] = {f.x, f.y, f.z};
  for (int i = 0; i < 3; ++i) {
    c->force[at + i] += b * force[i];
    c->force[to + i] += a * force[i];
    add_entry(c, at + i, at + i, k * b * b);
    add_entry(c, to + i, at + i, k * a * b);
    add_entry(c, to + i, to + i, k * a * a);
  }
}

void cps_chain_start(CpsRod* rod, const CpsModelStep* step) {
  CpsChain c = cps_chain_of(rod);
  const CpsRodSpec* spec = &rod->spec;
  hold(&c, spec, rod->root.now, rod->tip.now);
  memcpy(c.before, c.v, (size_t)c.count * sizeof *c.v);
  prescribe(&c, spec, rod->root.velocity_before, rod->tip.velocity_before, c.before);
  prescribe(&c, spec, rod->root.velocity, rod->tip.velocity, c.v);
  memset(c.band, 0, (size_t)c.count * (CPS_CHAIN_BAND + 1) * sizeof *c.band);
  double air = spec->drag / spec->branch[0].line_density;
  const double g[3] = {step->gravity.x, step->gravity.y, step->gravity.z};
  for (int32_t i = 0; i < c.count; ++i) {
    bool turning = i % c.stride >= 3;
    double drag = turning ? 0.0 : air * c.mass[i];
    c.force[i] = -drag * c.v[i] + (spec->gravity && !turning ? c.mass[i] * g[i % c.stride] : 0.0);
    add_entry(&c, i, i, c.mass[i] + step->h * step->theta * drag);
  }
  for (int32_t i = 0; i < rod->pull_count; ++i) pull(&c, &rod->pulls[i], step);
}

// Falls back to M alone if rounding has spoilt the matrix.
static void factor_mass(CpsChain* c) {
  memset(c->band, 0, (size_t)c->count * (CPS_CHAIN_BAND + 1) * sizeof *c->band);
  for (int32_t i = c->first; i < c->last; ++i) add_entry(c, i, i, sqrt(c->mass[i]));
}

void cps_chain_respond(CpsChain* c, const CpsModelStep* step) {
  int32_t n = c->last - c->first;
  double* dv = c->force + c->first;
  cps_banded_solve_lower(n, CPS_CHAIN_BAND, c->band, 0, dv);
  cps_banded_solve_upper(n, CPS_CHAIN_BAND, c->band, dv);
  for (int32_t i = c->first; i < c->last; ++i) c->free[i] += step->h * c->force[i];
}

void cps_chain_finish(CpsChain* c, const CpsModelStep* step) {
  if (!cps_banded_factor(c->last - c->first, CPS_CHAIN_BAND, c->band)) factor_mass(c);
  memcpy(c->free, c->v, (size_t)c->count * sizeof *c->v);
  cps_chain_respond(c, step);
}

// The contribution of (3) of rod.h in the direction n: `turn` times x_j+1' - x_j', and with quaternions the returned number times
// the spin of the segment about its own first axis. Frames follow the tangents and have almost no transverse inertia: a transverse
// rotation of a segment moves its points.
static double add_arm(const CpsChain* c, int32_t j, CpsVec3 arm, CpsVec3 n, double turn[3]) {
  CpsVec3 e = cps_vec3_sub(c->x[j + 1], c->x[j]), t = cps_vec3_unit(e);
  cps_vec3_put(turn, cps_rod_edge_turn(t, cps_vec3_norm(e), arm, n));
  return cps_vec3_dot(t, cps_vec3_cross(arm, n));
}

void cps_chain_rows(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G) {
  CpsChain c = cps_chain_of(rod);
  int32_t n = c.last - c.first;
  double a;
  int32_t j = cps_chain_place(&c, s, &a), at = c.stride * j, to = at + c.stride;
  int32_t start = at > c.first ? at - c.first : 0;
  CpsVec3 arm = point ? cps_vec3_sub(*point, cps_chain_point(&c, s, NULL)) : cps_vec3(0.0, 0.0, 0.0);
  for (int r = 0; r < 3; ++r) {
    double *row = G + (ptrdiff_t)r * n, turn[3] = {0.0}, twist = 0.0;
    memset(row, 0, (size_t)n * sizeof *row);
    if (point) twist = add_arm(&c, j, arm, cps_vec3_get(frame->m + (ptrdiff_t)3 * r), turn);
    for (int k = 0; k < 3; ++k) {
      if (is_free(&c, at + k)) row[at + k - c.first] = sign * ((1.0 - a) * frame->m[3 * r + k] - turn[k]);
      if (is_free(&c, to + k)) row[to + k - c.first] = sign * (a * frame->m[3 * r + k] + turn[k]);
    }
    if (c.stride == 6) row[at + 3 - c.first] = sign * twist;
    cps_banded_solve_lower(n, CPS_CHAIN_BAND, c.band, start, row);
  }
}

CpsVec3 cps_chain_velocity(const CpsRod* rod, double s, CpsVelocity which) {
  CpsChain c = cps_chain_of(rod);
  return mean_velocity(&c, which == CPS_VELOCITY_BEFORE ? c.before : which == CPS_VELOCITY_FREE ? c.free : c.v, s);
}

// Only end segments have held points.
CpsVec3 cps_chain_driven(const CpsRod* rod, double s, CpsVec3 point) {
  CpsChain c = cps_chain_of(rod);
  double a;
  int32_t j = cps_chain_place(&c, s, &a), at = c.stride * j;
  const CpsVec3 none = {0.0, 0.0, 0.0};
  bool first = !is_free(&c, at), second = !is_free(&c, at + c.stride);
  if (!first && !second) return none;
  CpsVec3 p = first ? cps_chain_get(c.v, at) : none, q = second ? cps_chain_get(c.v, at + c.stride) : none;
  CpsVec3 e = cps_vec3_sub(c.x[j + 1], c.x[j]), arm = cps_vec3_sub(point, cps_chain_point(&c, s, NULL));
  CpsVec3 spin = cps_vec3_scale(1.0 / cps_vec3_dot(e, e), cps_vec3_cross(e, cps_vec3_sub(q, p)));
  return cps_vec3_add(cps_vec3_axpy(cps_vec3_scale(1.0 - a, p), a, q), cps_vec3_cross(spin, arm));
}

CpsRodMotion cps_chain_motion(const CpsRod* rod, double s, CpsVelocity which) {
  CpsChain c = cps_chain_of(rod);
  const double* v = which == CPS_VELOCITY_BEFORE ? c.before : which == CPS_VELOCITY_FREE ? c.free : c.v;
  int32_t j;
  CpsRodMotion m = {.position = cps_chain_point(&c, s, &j), .velocity = mean_velocity(&c, v, s)};
  int32_t at = c.stride * j;
  CpsVec3 e = cps_vec3_sub(c.x[j + 1], c.x[j]);
  CpsVec3 turn = cps_vec3_sub(cps_chain_get(v, at + c.stride), cps_chain_get(v, at));
  m.spin = cps_vec3_scale(1.0 / cps_vec3_dot(e, e), cps_vec3_cross(e, turn));
  if (c.stride == 6) m.spin = cps_vec3_axpy(m.spin, v[at + 3], cps_vec3_unit(e));
  return m;
}

// c.force[first..] = L^-T z
static const double* unscale(CpsChain* c, const double* z) {
  int32_t n = c->last - c->first;
  memcpy(c->force + c->first, z, (size_t)n * sizeof *z);
  cps_banded_solve_upper(n, CPS_CHAIN_BAND, c->band, c->force + c->first);
  return c->force;
}

void cps_chain_receive(CpsRod* rod, const double* z) {
  CpsChain c = cps_chain_of(rod);
  memcpy(c.v, c.free, (size_t)c.count * sizeof *c.v);
  if (!z) return;
  const double* dv = unscale(&c, z);
  for (int32_t i = c.first; i < c.last; ++i) c.v[i] += dv[i];
}

// Moves points and quaternions by the free part of `by`.
static void move(CpsChain* c, const double* by) {
  for (int32_t i = 0; i <= c->segments; ++i) {
    int32_t at = c->stride * i;
    if (is_free(c, at)) c->x[i] = cps_vec3_add(c->x[i], cps_chain_get(by, at));
    if (c->stride == 6 && i < c->segments)
      c->q[i] = cps_quat_unit(cps_quat_multiply(c->q[i], cps_quat_exp(cps_chain_get(by, at + 3))));
  }
}

// A held frame after the given time.
static CpsQuat turned(CpsQuat q, CpsVec3 spin, double time) {
  return cps_quat_unit(cps_quat_multiply(cps_quat_exp(cps_vec3_scale(time, spin)), q));
}

void cps_chain_look_ahead(CpsRod* rod, CpsChain* c, const double* v, const CpsModelStep* step) {
  double time = (1.0 - step->theta) * step->h;
  if (time == 0.0) return;
  memcpy(c->kept, rod->state, (size_t)(rod->state_count - c->count) * sizeof *c->kept);
  for (int32_t i = 0; i <= c->segments; ++i) {
    int32_t at = c->stride * i;
    c->x[i] = cps_vec3_axpy(c->x[i], time, cps_chain_get(v, at));
    if (c->stride == 6 && i < c->segments) {
      CpsQuat turn = cps_quat_exp(cps_vec3_scale(time, cps_chain_get(v, at + 3)));
      c->q[i] = cps_quat_unit(cps_quat_multiply(c->q[i], turn));
    }
  }
  if (rod->spec.root == CPS_END_CLAMPED) c->clamp[0] = turned(c->clamp[0], rod->root.spin, time);
  if (rod->spec.tip == CPS_END_CLAMPED) c->clamp[1] = turned(c->clamp[1], rod->tip.spin, time);
}

void cps_chain_look_back(CpsRod* rod, CpsChain* c, const CpsModelStep* step) {
  if (step->theta == 1.0) return;
  memcpy(rod->state, c->kept, (size_t)(rod->state_count - c->count) * sizeof *c->kept);
}

void cps_chain_advance(CpsRod* rod, const CpsModelStep* step) {
  CpsChain c = cps_chain_of(rod);
  for (int32_t i = 0; i < c.count; ++i)
    c.force[i] = step->h * (step->theta * c.v[i] + (1.0 - step->theta) * c.before[i]);
  move(&c, c.force);
  hold(&c, &rod->spec, rod->root.next, rod->tip.next);
}

void cps_chain_shift(CpsRod* rod, const double* z) {
  CpsChain c = cps_chain_of(rod);
  move(&c, unscale(&c, z));
}

// Velocities of point i and of the next segment in a rigid motion.
static void rigid_velocities(const CpsChain* c, const CpsRigidMotion* m, int32_t i, double out[6]) {
  cps_vec3_put(out, cps_rigid_motion_at(m, c->x[i]));
  if (c->stride == 6 && i < c->segments) cps_vec3_put(out + 3, cps_quat_rotate_back(c->q[i], m->spin));
}

void cps_chain_slow(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more) {
  CpsChain c = cps_chain_of(rod);
  for (int32_t i = 0; i <= c.segments; ++i) {
    double own[6] = {0.0}, new[6] = {0.0};
    rigid_velocities(&c, common, i, own);
    rigid_velocities(&c, more, i, new);
    for (int32_t k = 0; k < c.stride; ++k) {
      int32_t at = c.stride * i + k;
      if (is_free(&c, at)) c.v[at] = own[k] + factor * (c.v[at] - own[k]) + new[k];
    }
  }
}

void cps_chain_move_rigidly(CpsRod* rod, CpsVec3 velocity, CpsVec3 spin) {
  CpsChain c = cps_chain_of(rod);
  for (int32_t i = 0; i <= c.segments; ++i) {
    int32_t at = c.stride * i;
    if (is_free(&c, at)) cps_chain_set(c.v, at, cps_vec3_add(velocity, cps_vec3_cross(spin, c.x[i])));
    if (c.stride == 6 && i < c.segments) cps_chain_set(c.v, at + 3, cps_quat_rotate_back(c.q[i], spin));
  }
}

const double* cps_chain_view(const CpsRod* rod, bool velocities, int64_t* stride) {
  const CpsChain c = cps_chain_of(rod);
  *stride = velocities ? c.stride * (int64_t)sizeof *c.v : (int64_t)sizeof *c.x;
  return velocities ? c.v : &c.x->x;
}

void cps_chain_set_velocity(CpsRod* rod, int32_t joint, CpsVec3 velocity) {
  CpsChain c = cps_chain_of(rod);
  if (is_free(&c, c.stride * joint)) cps_chain_set(c.v, c.stride * joint, velocity);
}

double cps_chain_kinetic(const CpsRod* rod) {
  CpsChain c = cps_chain_of(rod);
  double sum = 0.0;
  for (int32_t i = 0; i < c.count; ++i) sum += 0.5 * c.mass[i] * c.v[i] * c.v[i];
  return sum;
}

double cps_chain_weight(const CpsRod* rod, CpsVec3 gravity) {
  CpsChain c = cps_chain_of(rod);
  double sum = 0.0;
  for (int32_t i = 0; i <= c.segments; ++i) sum -= c.mass[c.stride * i] * cps_vec3_dot(gravity, c.x[i]);
  return rod->spec.gravity ? sum : 0.0;
}

void cps_chain_momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular) {
  CpsChain c = cps_chain_of(rod);
  *linear = *angular = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i <= c.segments; ++i) {
    int32_t at = c.stride * i;
    CpsVec3 p = cps_vec3_scale(c.mass[at], cps_chain_get(c.v, at));
    *linear = cps_vec3_add(*linear, p);
    *angular = cps_vec3_add(*angular, cps_vec3_cross(c.x[i], p));
    if (c.stride == 3 || i == c.segments) continue;
    const double *I = c.mass + at + 3, *w = c.v + at + 3;
    *angular = cps_vec3_add(*angular, cps_quat_rotate(c.q[i], cps_vec3(I[0] * w[0], I[1] * w[1], I[2] * w[2])));
  }
}
