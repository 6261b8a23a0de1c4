// Work of the forces on a discrete elastic rod in one step: the terms of the energy balance. Each is computed by the formula of its
// force in discrete_rod_force.c, from the velocities before and after and the geometry alone.
#include "model/discrete_rod.h"

#include <string.h>

// Accumulator of a sum over forces: impulses go to `impulse`, works to `out`.
typedef struct Sum {
  const CpsDer* d;
  double h, theta, damping;
  double* impulse;
  CpsRodWork* out;
} Sum;

// v~, and the remaining displacement of forces evaluated ahead: (2 theta - 1) v + theta^2 (v+ - v).
static double mean(const Sum* s, int32_t k) {
  return s->theta * s->d->v[k] + (1.0 - s->theta) * s->d->v_free[k];
}
static double ahead(const Sum* s, int32_t k) {
  const double *v = s->d->v, *before = s->d->v_free;
  return (2.0 * s->theta - 1.0) * before[k] + s->theta * s->theta * (v[k] - before[k]);
}

// add_term() of discrete_rod_force.c
static void add_term(const Sum* s, int32_t first, int count, const double* g, double B, double k) {
  double rate = 0.0, on = 0.0;
  for (int i = 0; i < count; ++i) {
    rate += g[i] * mean(s, first + i);
    on += g[i] * ahead(s, first + i);
  }
  double stress = B * (k + s->h * on), damped = B * s->damping * rate;
  for (int i = 0; i < count; ++i) s->impulse[first + i] -= s->h * (stress + damped) * g[i];
  s->out->forces -= s->h * stress * rate;
  s->out->damping += s->h * damped * rate;
  s->out->late += (s->theta - 0.5) * s->h * s->h * B * rate * rate;
}

// The same for waves faster than the step
static void add_waves(const Sum* s, const CpsDerTerm* term, double damping) {
  double rate = 0.0;
  for (int i = 0; i < CPS_DER_JOINT; ++i) rate += term->gradient[i] * mean(s, term->first + i);
  for (int i = 0; i < CPS_DER_JOINT; ++i) s->impulse[term->first + i] -= s->h * damping * rate * term->gradient[i];
  s->out->damping += s->h * damping * rate * rate;
}

// add_turning()
static void add_turning(const Sum* s, int32_t e, double per_length) {
  CpsVec3 t = s->d->tangent[e], m, a;
  double rate[3], on[3];
  for (int i = 0; i < 3; ++i) {
    rate[i] = mean(s, 4 * e + 4 + i) - mean(s, 4 * e + i);
    on[i] = ahead(s, 4 * e + 4 + i) - ahead(s, 4 * e + i);
  }
  m = cps_vec3_get(rate), a = cps_vec3_get(on);
  m = cps_vec3_axpy(m, -cps_vec3_dot(m, t), t);
  a = cps_vec3_axpy(a, -cps_vec3_dot(a, t), t);
  const double pull[3] = {a.x, a.y, a.z};
  for (int i = 0; i < 3; ++i) {
    s->impulse[4 * e + i] += s->h * s->h * per_length * pull[i];
    s->impulse[4 * e + 4 + i] -= s->h * s->h * per_length * pull[i];
  }
  s->out->forces -= s->h * s->h * per_length * cps_vec3_dot(m, a);
  s->out->late += (s->theta - 0.5) * s->h * s->h * per_length * cps_vec3_dot(m, m);
}

static void add_edges(const CpsRod* rod, const Sum* s, const CpsModelStep* step) {
  const CpsDer* d = s->d;
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e) {
    CpsVec3 t = d->tangent[e];
    const double c[7] = {-t.x, -t.y, -t.z, 0.0, t.x, t.y, t.z};
    const double tension = cps_der_turning_tension(rod, d, e);
    if ((CpsDerLengths)rod->type->variant == CPS_DER_STIFF) {
      add_term(s, 4 * e, 7, c, cps_der_edge_stiffness(rod, d, e), cps_der_extension(d, e));
    } else {
      double rate = 0.0, firm = cps_der_stiffening(d, step, e);
      for (int i = 0; i < 7; ++i) rate += c[i] * mean(s, 4 * e + i);
      double pull = step->h * (d->tension[e] + firm * step->h * rate);
      for (int i = 0; i < 7; ++i) s->impulse[4 * e + i] -= pull * c[i];
      s->out->scheme += pull * rate;
    }
    if (tension > 0.0) add_turning(s, e, tension / d->edge[e]);
  }
}

static void add_pulls(const CpsRod* rod, const Sum* s) {
  const CpsDer* d = s->d;
  for (int32_t p = 0; p < rod->pull_count; ++p) {
    const CpsRodPull* pull = &rod->pulls[p];
    int32_t e = (int32_t)fmin(fmax(floor(pull->s / d->size), 0.0), d->elements - 1.0);
    double w = fmin(fmax(pull->s / d->size - e, 0.0), 1.0), F[3], target[3], speed[3];
    int32_t first = 4 * (e + d->ghost);
    cps_vec3_put(F, pull->force);
    cps_vec3_put(target, pull->target);
    cps_vec3_put(speed, pull->target_velocity);
    for (int i = 0; i < 3; ++i) {
      int32_t a = first + i, b = a + 4;
      double x = (1.0 - w) * d->q[a] + w * d->q[b], on = (1.0 - w) * ahead(s, a) + w * ahead(s, b);
      double v = (1.0 - w) * mean(s, a) + w * mean(s, b);
      double f = s->h * (F[i] + pull->stiffness * (target[i] - x - s->h * on) - pull->damping * (v - speed[i]));
      s->out->pulls += f * v;
      s->impulse[a] += (1.0 - w) * f;
      s->impulse[b] += w * f;
    }
  }
}

// Weight, drag and the gyroscopic forces of edges.
static void add_bodies(const CpsRod* rod, const Sum* s, CpsVec3 gravity) {
  const CpsDer* d = s->d;
  double drag = rod->spec.drag / rod->spec.branch[0].line_density, g[3];
  cps_vec3_put(g, gravity);
  for (int32_t k = 0; k < d->dofs; ++k) {
    if (k % 4 == 3) continue;
    double m = d->mass[k / 4], v = mean(s, k), air = m * drag * v;
    s->impulse[k] += s->h * (m * g[k % 4] - air);
    s->out->forces += s->h * m * g[k % 4] * v;
    s->out->damping += s->h * air * v;
  }
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e) {
    double f[3];
    cps_vec3_put(f, d->gyration[e]);
    for (int i = 0; i < 3; ++i) {
      s->impulse[4 * e + i] -= f[i];
      s->impulse[4 * e + 4 + i] += f[i];
      s->out->scheme -= f[i] * (mean(s, 4 * e + 4 + i) - mean(s, 4 * e + i));
    }
  }
}

void cps_der_work(const CpsRod* rod, CpsDer* d, const CpsModelStep* step, CpsRodWork* out) {
  const Sum s = {d, step->h, step->theta, rod->spec.damping, d->move, out};
  *out = (CpsRodWork){0};
  memset(d->move, 0, (size_t)d->dofs * sizeof(double));
  add_bodies(rod, &s, rod->spec.gravity ? step->gravity : cps_vec3(0.0, 0.0, 0.0));
  for (int32_t i = 0; i < cps_der_term_count(d); ++i) {
    const CpsDerTerm term = cps_der_term(rod, d, i);
    add_term(&s, term.first, CPS_DER_JOINT, term.gradient, term.B, term.k);
    const double damping = cps_der_wave_damping(rod, d, step, i);
    if (damping > 0.0) add_waves(&s, &term, damping);
  }
  add_edges(rod, &s, step);
  add_pulls(rod, &s);
  for (int32_t k = 0; k < d->dofs; ++k) {
    double m = k % 4 == 3 ? d->inertia[k / 4] : d->mass[k / 4], Q = d->move[k];
    double change = d->v[k] - d->v_before[k], before = rod->moved ? d->v_before[k] : 0.0;
    if (d->held[k] != 0.0) {
      out->ends += 0.5 * m * (d->v[k] * d->v[k] - before * before) - Q * d->v[k];
    } else {
      out->scheme += 0.5 * m * change * change - (1.0 - step->theta) * Q * change;
    }
  }
}
