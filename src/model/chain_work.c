// Work of the forces on a rod made of points in one step (rod.h): the terms of the energy balance. Each is computed by the
// formula of its force, from the velocities before and after and the geometry alone.
#include "model/chain.h"

#include <string.h>

static bool is_free(const CpsChain* c, int32_t i) {
  return i >= c->first && i < c->last;
}

// v~, and the remaining displacement where strains are evaluated ahead: (2 theta - 1) v + theta^2 (v+ - v).
static double mean(const CpsChain* c, const CpsModelStep* step, int32_t i) {
  return step->theta * c->v[i] + (1.0 - step->theta) * c->free[i];
}
static double ahead(const CpsChain* c, const CpsModelStep* step, int32_t i) {
  return (2.0 * step->theta - 1.0) * c->free[i] + step->theta * step->theta * (c->v[i] - c->free[i]);
}

static void add_pull(CpsChain* c, const CpsRodPull* p, const CpsModelStep* step, CpsRodWork* out) {
  double a, F[3], target[3], speed[3], x[3];
  int32_t at = c->stride * cps_chain_place(c, p->s, &a), to = at + c->stride;
  cps_vec3_put(F, p->force);
  cps_vec3_put(target, p->target);
  cps_vec3_put(speed, p->target_velocity);
  cps_vec3_put(x, cps_chain_point(c, p->s, NULL));
  for (int i = 0; i < 3; ++i) {
    double v = (1.0 - a) * mean(c, step, at + i) + a * mean(c, step, to + i);
    double f = F[i] + p->stiffness * (target[i] - x[i] - step->h * step->theta * v) - p->damping * (v - speed[i]);
    out->pulls += step->h * f * v;
    c->force[at + i] += step->h * (1.0 - a) * f;
    c->force[to + i] += step->h * a * f;
  }
}

void cps_chain_work_start(CpsRod* rod, CpsChain* c, const CpsModelStep* step, CpsRodWork* out) {
  double air = rod->spec.drag / rod->spec.branch[0].line_density;
  const double g[3] = {step->gravity.x, step->gravity.y, step->gravity.z};
  *out = (CpsRodWork){0};
  for (int32_t i = 0; i < c->count; ++i) {
    c->free[i] = is_free(c, i) ? c->before[i] : c->v[i];
    c->force[i] = 0.0;
    if (i % c->stride >= 3) continue;
    double m = c->mass[i], v = mean(c, step, i), weight = rod->spec.gravity ? m * g[i % c->stride] : 0.0;
    c->force[i] = step->h * (weight - air * m * v);
    out->forces += step->h * weight * v;
    out->damping += step->h * air * m * v * v;
  }
  for (int32_t i = 0; i < rod->pull_count; ++i) add_pull(c, &rod->pulls[i], step, out);
}

// A rotating held frame changes the strain by `rate`: the work of its moment.
void cps_chain_work_add(CpsChain* c, const CpsStrain* e, const CpsModelStep* step, bool implicit, CpsRodWork* out) {
  const int32_t w = e->width, at = e->at;
  const double driven[3] = {e->rate.x, e->rate.y, e->rate.z}, h = step->h;
  double rate[3], on[3], old[3];
  for (int r = 0; r < 3; ++r) {
    rate[r] = old[r] = driven[r];
    on[r] = (2.0 * step->theta - 1.0) * driven[r];
    for (int32_t k = 0; k < w; ++k) {
      rate[r] += e->G[r * w + k] * mean(c, step, at + k);
      on[r] += e->G[r * w + k] * ahead(c, step, at + k);
      old[r] += e->G[r * w + k] * c->free[at + k];
    }
  }
  CpsVec3 m = cps_vec3_get(rate), Sm = cps_mat3_apply(e->S, m), stress = cps_mat3_apply(e->D, e->g);
  CpsVec3 damped = cps_vec3_scale(e->damping, implicit ? Sm : cps_mat3_apply(e->S, cps_vec3_get(old)));
  if (e->waves) damped = cps_vec3_add(damped, cps_mat3_apply(e->V, m));
  if (implicit) {
    stress = cps_vec3_axpy(stress, h, cps_mat3_apply(e->S, cps_vec3_get(on)));
    out->late += (step->theta - 0.5) * h * h * cps_vec3_dot(m, Sm);
  }
  CpsVec3 f = cps_vec3_add(stress, damped);
  for (int32_t k = 0; k < w; ++k) c->force[at + k] -= h * (e->G[k] * f.x + e->G[w + k] * f.y + e->G[2 * w + k] * f.z);
  out->forces -= h * cps_vec3_dot(m, stress);
  out->damping += h * cps_vec3_dot(m, damped);
  out->ends += h * cps_vec3_dot(e->rate, f);
}

void cps_chain_work_turn(CpsChain* c, const CpsModelStep* step, int32_t at, CpsVec3 impulse, CpsRodWork* out) {
  const double part[3] = {impulse.x, impulse.y, impulse.z};
  for (int k = 0; k < 3; ++k) {
    c->force[at + k] += part[k];
    out->scheme -= part[k] * mean(c, step, at + k);
  }
}

void cps_chain_work_finish(const CpsRod* rod, CpsChain* c, const CpsModelStep* step, CpsRodWork* out) {
  for (int32_t i = 0; i < c->count; ++i) {
    double m = c->mass[i], Q = c->force[i], change = c->v[i] - c->before[i];
    if (is_free(c, i)) {
      out->scheme += 0.5 * m * change * change - (1.0 - step->theta) * Q * change;
    } else {
      double before = rod->moved ? c->before[i] : 0.0;
      out->ends += 0.5 * m * (c->v[i] * c->v[i] - before * before) - Q * c->v[i];
    }
  }
}
