// Springs and forces on nodes of a sheet or a solid. In the step of nodal_newton.c a pull has the impulse
//
//   P = h [ F + k (T - x - theta h v~) - d (v~ - T') ],   v~ = theta v + (1 - theta) v-                                 (1)
//
// with T the target at theta h. The objective gains a term with derivative -P, and M~ the matching stiffness:
//
//   Q(v) = h / (2 theta) (theta h k + d) |v~|^2 - h / theta (F + k (T - x) + d T').v~                                   (2)
//   M~  += theta h (theta h k + d)                                                                                     (3)
//
// (2) is quadratic, so the spring is exact once the rounds have converged.
#include "model/nodal.h"

static CpsVec3 mean(const CpsNodal* s, const CpsModelStep* m, int32_t i, const CpsVec3* v) {
  if (s->held[i]) return cps_vec3_scale(1.0 / m->h, s->way[i]);
  return cps_vec3_axpy(cps_vec3_scale(m->theta, v[i]), 1.0 - m->theta, s->before[i]);
}

// F + k (T - x) + d T', with the initial position x of the node.
static CpsVec3 still(const CpsNodePull* p, CpsVec3 x) {
  CpsVec3 f = cps_vec3_axpy(p->force, p->stiffness, cps_vec3_sub(p->target, x));
  return cps_vec3_axpy(f, p->damping, p->target_velocity);
}

static double resistance(const CpsNodePull* p, const CpsModelStep* m) {
  return m->theta * m->h * p->stiffness + p->damping;
}

// (1)
static CpsVec3 impulse(const CpsNodePull* p, const CpsModelStep* m, CpsVec3 x, CpsVec3 u) {
  return cps_vec3_scale(m->h, cps_vec3_axpy(still(p, x), -resistance(p, m), u));
}

double cps_nodal_pull_objective(const CpsNodal* s, const CpsModelStep* m, const CpsVec3* v) {
  double sum = 0.0;
  for (int32_t k = 0; k < s->pull_count; ++k) {
    const CpsNodePull* p = &s->pulls[k];
    if (s->held[p->node]) continue;
    CpsVec3 u = mean(s, m, p->node, v);
    sum += m->h / m->theta * (0.5 * resistance(p, m) * cps_vec3_dot(u, u) - cps_vec3_dot(still(p, s->x[p->node]), u));
  }
  return sum;
}

void cps_nodal_pull_slope(const CpsNodal* s, const CpsModelStep* m, const CpsVec3* v, CpsVec3* slope) {
  for (int32_t k = 0; k < s->pull_count; ++k) {
    const int32_t i = s->pulls[k].node;
    slope[i] = cps_vec3_sub(slope[i], impulse(&s->pulls[k], m, s->x[i], mean(s, m, i, v)));
  }
}

void cps_nodal_pull_mass(const CpsNodal* s, const CpsModelStep* m, double* mass) {
  const CpsBlockPattern* pattern = s->pattern;
  for (int32_t k = 0; k < s->pull_count; ++k) {
    const CpsNodePull* p = &s->pulls[k];
    int64_t at = pattern->start[p->node];
    while (pattern->col[at] != p->node) ++at;
    const double c = m->theta * m->h * resistance(p, m);
    for (int j = 0; j < 3; ++j) mass[9 * at + 4 * j] += c;
  }
}

double cps_nodal_pull_stored(const CpsNodal* s, const CpsNodePull* pull) {
  CpsVec3 e = cps_vec3_sub(pull->rest, s->x[pull->node]);
  return 0.5 * pull->stiffness * cps_vec3_dot(e, e);
}

void cps_nodal_pull_advance(CpsNodal* s, const CpsModelStep* m, CpsModelEnergy* work) {
  for (int32_t k = 0; k < s->pull_count; ++k) {
    CpsNodePull* p = &s->pulls[k];
    CpsVec3 x = s->x[p->node], u = mean(s, m, p->node, s->v);
    p->impulse = impulse(p, m, x, u);
    CpsPullWork w = cps_pull_work(m, p->stiffness, p->damping, p->force, cps_vec3_sub(p->target, x), p->target_velocity,
                                  cps_vec3_scale(m->h, u));
    work->external += w.external;
    work->damping += w.damping;
    work->scheme += w.scheme;
  }
}
