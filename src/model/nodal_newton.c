// The step of a sheet or a solid. With x+ = x + h (theta v + (1 - theta) v-), the final velocities v minimise
//
//   E_r(v) = |v - goal|^2_M / 2 + Phi(x+) + h v~.D v~ / (2 theta) - r.A v,   v~ = theta v + (1 - theta) v-              (1)
//   goal = v- + h (g - (1 - theta) M^-1 grad Phi(x))
//
// for the contact impulses r: the derivative is Moreau's step with the elastic forces of both ends. Around a trial
// velocity w the linear step is
//
//   M~ = M + h theta D + h^2 theta^2 Phi''(x+),   v* = w - M~^-1 E_0'(w),   v = v* + M~^-1 A^T r                       (2)
//
// Phi'' is the element Hessian without its negative eigenvalues, so d = v - w is a descent direction: E_r'(w).d = -d.M~ d
// for any r. The world finds r from (2), a line search on E_r sets the step length, and this repeats until d is small
// (docs/theory/sheet.md). All of this holds for any positive M~: the one of an earlier round or step is reused while d shrinks fast
// enough. The residual after v is known to first order without another contact solve:
//
//   y = M~^-1 E_r'(v),   |y| / |d| measures the quality of M~                                                         (3)
//
// Held nodes have no equation. Springs on nodes are in nodal_pull.c.
#include "model/nodal.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 100, HALVINGS = 30, EARLY = 4 };
static const double ENOUGH = 1e-4;  // fraction of the expected decrease that a step must achieve
static const double SMALL = 1e-9;   // d relative to the velocities of the step at which the rounds end,
static const double FINER = 0.1;    // or this fraction of the contact tolerance, if larger
// M~ is kept while d shrinks by at least this factor, and always in the first EARLY rounds, while impulses change;
static const double KEEP = 0.3;
static const double TRUST = 0.1;   // otherwise M~ is renewed in each round until d shrinks by this factor
static const double CLEAR = 0.1;   // the residual of rounds with a kept M~ is known to this factor,
static const double FAST = 1e-3;   // with a new one if d has shrunk by this factor
static const double DEAR = 2e8;    // operations of a factorisation above which keeping M~ pays;
enum { CALM = 2 };                 // number of rounds up to which an expensive one is kept for the next step
static const double WORTH = 0.02;  // below that it is kept if (3) leaves less than this fraction of d
static const double NEAR = 0.1;    // |y| / |d| up to which (1) need not be evaluated, in the norm of M~
static const double ROOM = 0.9;    // of the step to the first crushed element
static const double LAST = 1e-15;  // rounding of a position, relative to its largest coordinate
static const double FINE = 1e-9;   // decreases below this fraction of (1) are lost in rounding: Newton converges there;
static const double BLUR = 1e-13;  // or below this fraction of its elastic part: positions times forces

static CpsVec3 mean(const CpsModelStep* m, const CpsNodal* s, int32_t i, const CpsVec3* v) {
  if (s->held[i]) return cps_vec3_scale(1.0 / m->h, s->way[i]);
  return cps_vec3_axpy(cps_vec3_scale(m->theta, v[i]), 1.0 - m->theta, s->before[i]);
}

static void find_end(const CpsModelStep* m, CpsNodal* s, const CpsVec3* v) {
  for (int32_t i = 0; i < s->nodes; ++i) s->end[i] = cps_vec3_axpy(s->x[i], m->h, mean(m, s, i, v));
}

static bool is_at(const CpsNodal* s, const CpsNodalForces* f, const CpsVec3* x) {
  return f->there && memcmp(f->at, x, (size_t)s->nodes * sizeof *x) == 0;
}

const CpsNodalForces* cps_nodal_forces(CpsNodal* s, CpsPool* pool, const CpsVec3* x) {
  if (is_at(s, &s->begun, x)) return &s->begun;
  if (is_at(s, &s->latest, x)) return &s->latest;
  memcpy(s->latest.at, x, (size_t)s->nodes * sizeof *x);
  s->latest.energy = s->type->gradient(s, pool, x, s->latest.gradient);
  s->latest.there = true;
  return &s->latest;
}

// The end values of a step are the initial values of the next one.
static void keep_forces(CpsNodal* s, const CpsNodalForces* f) {
  if (f == &s->begun) return;
  const CpsNodalForces begun = s->begun;
  s->begun = s->latest;
  s->latest = begun;
}

// D v~ with the mass-proportional part, into s->work.
static void resist(const CpsModelStep* m, CpsNodal* s, const CpsVec3* v) {
  double* out = s->work;
  CpsVec3* u = s->try;
  for (int32_t i = 0; i < s->nodes; ++i) {
    u[i] = mean(m, s, i, v);
    cps_vec3_put(out + 3 * i, cps_vec3_scale(s->mass_damping * s->node_mass[i], u[i]));
  }
  if (s->lean) {
    s->type->resist(s, m->pool, u, (CpsVec3*)out);
  } else if (s->damped || s->airy) {
    cps_block_pattern_multiply(s->pattern, s->damp, &u[0].x, out);
  }
}

// E_r without its constant; overwrites s->end and s->work.
static double objective(const CpsModelStep* m, CpsNodal* s, const CpsVec3* v) {
  double sum = 0.0;
  find_end(m, s, v);
  double elastic = s->type->energy(s, m->pool, s->end);
  resist(m, s, v);
  for (int32_t i = 0; i < s->nodes; ++i) {
    // includes held nodes: they drag at the others
    sum += 0.5 * m->h / m->theta * cps_vec3_dot(cps_vec3_get(s->work + 3 * i), mean(m, s, i, v));
    if (s->held[i]) continue;
    CpsVec3 d = cps_vec3_sub(v[i], s->goal[i]);
    sum += 0.5 * s->node_mass[i] * cps_vec3_dot(d, d) - cps_vec3_dot(s->impulse[i], v[i]);
  }
  return sum + elastic + cps_nodal_pull_objective(s, m, v);
}

// E_0' at the trial, and x at the end.
static void find_slope(const CpsModelStep* m, CpsNodal* s) {
  find_end(m, s, s->trial);
  memcpy(s->slope, cps_nodal_forces(s, m->pool, s->end)->gradient, (size_t)s->nodes * sizeof *s->slope);
  double forces = 0.0, far = 0.0;
  for (int32_t i = 0; i < s->nodes; ++i) {
    forces += cps_vec3_norm(s->slope[i]);
    far = fmax(far, cps_vec3_norm(s->end[i]));
  }
  s->blur = BLUR * far * forces;
  resist(m, s, s->trial);
  for (int32_t i = 0; i < s->nodes; ++i) {
    CpsVec3 d = cps_vec3_scale(s->node_mass[i], cps_vec3_sub(s->trial[i], s->goal[i]));
    CpsVec3 f = cps_vec3_axpy(d, m->h * m->theta, s->slope[i]);
    s->slope[i] = cps_vec3_axpy(f, m->h, cps_vec3_get(s->work + 3 * i));
  }
  cps_nodal_pull_slope(s, m, s->trial, s->slope);
}

// Rows and columns of held nodes are reduced to their mass.
static void hold(CpsNodal* s) {
  const CpsBlockPattern* p = s->pattern;
  for (int32_t i = 0; i < s->nodes; ++i) {
    for (int64_t k = p->start[i]; k < p->start[i + 1]; ++k) {
      const int32_t j = p->col[k];
      if (!s->held[i] && !s->held[j]) continue;
      memset(s->mass + 9 * k, 0, 9 * sizeof *s->mass);
      if (i == j) s->mass[9 * k] = s->mass[9 * k + 4] = s->mass[9 * k + 8] = s->node_mass[i];
    }
  }
}

// M~ of (2); false: it cannot be factorised.
static bool find_mass(const CpsModelStep* m, CpsNodal* s, CpsHessianKind kind) {
  const int64_t blocks = s->pattern->start[s->nodes];
  const double h = m->h * m->theta;
  for (int64_t k = 0; k < 9 * blocks; ++k) s->mass[k] = h * s->damp[k];
  for (int32_t i = 0; i < s->nodes; ++i) {
    double* diagonal = s->mass + 9 * (s->pattern->start[i + 1] - 1);
    for (int j = 0; j < 3; ++j) diagonal[4 * j] += (1.0 + h * s->mass_damping) * s->node_mass[i];
  }
  s->type->hessian(s, m->pool, s->end, kind, h * h, s->mass);
  cps_nodal_pull_mass(s, m, s->mass);
  hold(s);
  cps_cholesky_use(s->factor, m->pool);
  return cps_cholesky_factor(s->factor, s->mass) < 0;
}

// Origin of M~, so that it can be recomputed after a resume.
static void note_mass(const CpsModelStep* m, CpsNodal* s, CpsHessianKind kind) {
  CpsNodalMass* made = &s->made;
  made->h = s->airy || s->pull_count > 0 ? 0.0 : m->h;
  made->theta = m->theta;
  made->kind = kind;
  memcpy(made->end, s->end, (size_t)s->nodes * sizeof *s->end);
  memcpy(made->middle, s->middle, (size_t)s->nodes * sizeof *s->middle);
  memcpy(made->held, s->held, (size_t)s->nodes * sizeof *s->held);
}

// The matrix of D for elements located at x.
static void form_damping(const CpsModelStep* m, CpsNodal* s, const CpsVec3* x) {
  memset(s->damp, 0, 9 * (size_t)s->pattern->start[s->nodes] * sizeof *s->damp);
  if (s->damped) s->type->damping(s, m->pool, x, s->damp);
  s->unformed = false;
}

// A new M~. Near the end of the rounds the exact second derivatives give immediate convergence; far from it they may be
// indefinite.
static void renew_mass(const CpsModelStep* m, CpsNodal* s) {
  if (s->unformed) form_damping(m, s, s->middle);
  bool exact = s->rounds >= s->patience && find_mass(m, s, CPS_HESSIAN_EXACT);
  if (!exact && s->rounds >= s->patience) s->patience = 2 * s->rounds + 2;
  s->broken = !exact && !find_mass(m, s, CPS_HESSIAN_CLAMPED);
  s->mass_h = s->broken ? 0.0 : m->h;
  s->version++;
  note_mass(m, s, exact ? CPS_HESSIAN_EXACT : CPS_HESSIAN_CLAMPED);
}

// Restores M~ of an earlier step whose factor is missing after a resume. False: impossible.
static bool remake_mass(const CpsModelStep* m, CpsNodal* s) {
  memcpy(s->end, s->made.end, (size_t)s->nodes * sizeof *s->end);
  form_damping(m, s, s->made.middle);
  s->mass_h = find_mass(m, s, s->made.kind) ? m->h : 0.0;
  s->version++;
  return s->mass_h > 0.0;
}

// v* of (2): M~^-1 E_0'(w) is y + M~^-1 A^T r if (3) is known for these impulses; otherwise it takes a solve.
static void find_free(const CpsModelStep* m, CpsNodal* s, bool known) {
  const CpsVec3 none = {0.0, 0.0, 0.0};
  if (known) {
    for (int32_t i = 0; i < s->nodes; ++i) {
      const CpsVec3 given = s->held[i] ? none : cps_vec3_sub(s->v[i], s->free[i]);
      s->free[i] = cps_vec3_sub(s->trial[i], cps_vec3_add(s->left[i], given));
    }
    return;
  }
  double* x = &s->free[0].x;
  cps_cholesky_use(s->factor, m->pool);
  for (int32_t i = 0; i < s->nodes; ++i) s->free[i] = s->held[i] ? none : s->slope[i];
  cps_cholesky_solve(s->factor, 1, x, s->work);
  for (int32_t i = 0; i < s->nodes; ++i) s->free[i] = cps_vec3_sub(s->trial[i], s->free[i]);
}

// (2) around the trial, whose slope is known, with the existing M~ or a new one. known: (3) is known too.
static void linearise(const CpsModelStep* m, CpsNodal* s, bool keep, bool known) {
  if (!keep) renew_mass(m, s);
  s->fresh = !keep;
  s->rounds++;
  if (s->broken) return;
  find_free(m, s, keep && known);
  const double* x = &s->free[0].x;
  double sum = 0.0;
  for (int64_t i = 0; i < 3 * (int64_t)s->nodes; ++i) sum += 0.0 * x[i];  // 0, or NaN if one is not finite
  s->broken = sum != 0.0;
}

// Air forces linearised around the initial velocities: F - D (v~ - v-) = blow - D v~.
static void meet_air(const CpsModelStep* m, CpsNodal* s, int64_t blocks) {
  memset(s->blow, 0, (size_t)s->nodes * sizeof *s->blow);
  if (!s->airy) return;
  memset(s->drag, 0, 9 * (size_t)blocks * sizeof *s->drag);
  s->type->air(s, m->pool, s->x, s->before, s->blow, s->drag);
  cps_block_pattern_multiply(s->pattern, s->drag, &s->before[0].x, &s->blow[0].x);
  for (int64_t k = 0; k < 9 * blocks; ++k) s->damp[k] += s->drag[k];
}

// D halfway through the step, at its initial velocities. Between x and x+, an edge that rotates by phi appears shorter by
// phi^2 / 2 as seen from x, and D would compress it; seen from halfway its length is constant. A step that begins with the M~ of the
// previous one needs only products with D, and its matrix only if M~ is renewed after all.
static void find_damping(const CpsModelStep* m, CpsNodal* s) {
  CpsVec3 *middle = s->middle, *way = s->try;  // recomputed before it is read
  for (int32_t i = 0; i < s->nodes; ++i)
    way[i] = cps_vec3_scale(0.5, s->held[i] ? s->way[i] : cps_vec3_scale(m->h, s->before[i]));
  const double bound = s->type->step_bound(s, s->x, way), part = bound < 1.0 ? ROOM * bound : 1.0;
  for (int32_t i = 0; i < s->nodes; ++i) middle[i] = cps_vec3_axpy(s->x[i], part, way[i]);
  if (s->lean) {
    s->type->lay(s, m->pool, middle);
  } else {
    form_damping(m, s, middle);
  }
}

// Whether M~ is so cheap, or the step so quiet, that its residual is checked in each round. In larger moving members the additional
// rounds due to a kept M~ cost more than factorisations: the dress took 1.1 to 1.3 times as long.
static bool is_cheap(const CpsNodal* s) {
  return s->quiet || cps_cholesky_operations(s->factor) < DEAR;
}

// Whether the M~ in use at the end of the last step may also serve this one; it is then available.
static bool may_begin_with(const CpsModelStep* m, CpsNodal* s, bool fits) {
  const CpsNodalMass* mass = s->due ? &s->saved : &s->made;
  if (!s->type->lasting) return false;
  if (!s->serves || mass->h != m->h || mass->theta != m->theta || s->airy || s->pull_count > 0) return false;
  if (memcmp(mass->held, s->held, (size_t)s->nodes * sizeof *s->held) != 0) return false;
  if (s->due) cps_nodal_mass_copy(&s->made, &s->saved, s->nodes);
  const bool there = !s->due && fits && s->mass_h == m->h;
  return there || remake_mass(m, s);
}

void cps_nodal_begin(CpsNodal* s, const CpsModelStep* m) {
  const int64_t blocks = s->pattern->start[s->nodes];
  const bool fits = s->factor && (!m->pool || s->factor_threads == cps_pool_threads(m->pool));
  bool kept = m->kept && s->mass_h == m->h;
  const bool again = m->again && kept;
  s->broken = !fits && !cps_nodal_analyse(s, m->pool);
  if (s->broken) return;
  if (!kept) s->quiet = false;
  const bool lasts = !kept && may_begin_with(m, s, fits);
  if (!kept) s->quiet = lasts;
  kept = kept ? fits : lasts;
  s->due = s->worn = false;
  s->serves = s->serves && kept;  // otherwise the state it belongs to no longer exists
  s->half_step = 0.5 * m->h;
  memcpy(s->before, s->v, (size_t)s->nodes * sizeof *s->v);
  s->lean = s->unformed = s->quiet && s->damped && !s->airy && s->type->resist;
  if (!s->damped) memset(s->damp, 0, 9 * (size_t)blocks * sizeof *s->damp);
  if (s->damped) find_damping(m, s);
  meet_air(m, s, blocks);
  if (m->theta < 1.0) memcpy(s->goal, cps_nodal_forces(s, m->pool, s->x)->gradient, (size_t)s->nodes * sizeof *s->goal);
  const CpsVec3 none = {0.0, 0.0, 0.0}, g = s->gravity ? m->gravity : none;
  for (int32_t i = 0; i < s->nodes; ++i) {
    CpsVec3 late = m->theta < 1.0 ? cps_vec3_scale((1.0 - m->theta) / s->node_mass[i], s->goal[i]) : none;
    CpsVec3 pull = cps_vec3_axpy(cps_vec3_sub(g, late), 1.0 / s->node_mass[i], s->blow[i]);
    s->goal[i] = cps_vec3_axpy(s->before[i], m->h, pull);
    if (s->held[i] || !again) s->trial[i] = s->held[i] ? cps_vec3_scale(1.0 / m->h, s->way[i]) : s->before[i];
    s->impulse[i] = none;
  }
  s->stalled = s->eager = false;
  s->last = 0.0;
  s->rounds = 0;
  s->patience = is_cheap(s) ? 2 : 0;
  find_slope(m, s);
  linearise(m, s, kept, false);
}

// |d|_M
static double size_of(const CpsNodal* s, const CpsVec3* d) {
  double sum = 0.0;
  for (int32_t i = 0; i < s->nodes; ++i) sum += s->node_mass[i] * cps_vec3_dot(d[i], d[i]);
  return sqrt(sum);
}

// The |d|_M that is negligible against the motion, SMALL (|v|_M + h |g| sqrt(m)), or lost in the rounding of positions.
static double find_enough(const CpsModelStep* m, const CpsNodal* s) {
  double speed = 0.0, fall = m->h * cps_vec3_norm(m->gravity), far = 0.0;
  for (int32_t i = 0; i < s->nodes; ++i) {
    speed += s->node_mass[i] * cps_vec3_dot(s->trial[i], s->trial[i]);
    far = fmax(far, cps_vec3_dot(s->x[i], s->x[i]));
  }
  speed += s->total_mass * fall * fall;
  const double small = fmax(SMALL, FINER * m->tolerance);
  return fmax(small * sqrt(speed), sqrt(s->total_mass * far) * LAST / m->h);
}

// Whether |d|_M is negligible, or the error after it, which at the present rate is |d| q / (1 - q), q = |d| / |previous d|.
static bool is_small(const CpsNodal* s, double size, double enough) {
  const bool clear = size <= KEEP * s->last && size * size <= CLEAR * enough * (s->last - size);
  return size <= enough || clear || (s->fresh && size <= FAST * s->last && size * size <= enough * s->last);
}

// Whether the present M~ also serves the next round. `left`: |y|_M of (3), negative: unknown.
static bool may_keep(CpsNodal* s, double part, double size, double left, bool settled) {
  if (is_cheap(s)) return left >= 0.0 && left <= WORTH * size;
  const bool known = s->last > 0.0 && part == 1.0;
  const double slow = settled || s->rounds > EARLY ? KEEP : 1.0;
  if (part < 1.0 || (known && size > slow * s->last)) s->eager = true;
  if (known && size <= TRUST * s->last) s->eager = false;
  return !s->eager;
}

// d.M~ d, the first-order decrease of (1) at full length.
static double decrease(CpsNodal* s) {
  double sum = 0.0;
  memset(s->work, 0, 3 * (size_t)s->nodes * sizeof *s->work);
  cps_block_pattern_multiply(s->pattern, s->mass, &s->dv[0].x, s->work);
  for (int32_t i = 0; i < s->nodes; ++i) sum += cps_vec3_dot(s->dv[i], cps_vec3_get(s->work + 3 * i));
  return sum;
}

// The largest step along dv before an element is crushed; the trial moves there.
static double find_bound(const CpsModelStep* m, CpsNodal* s) {
  CpsVec3* way = s->try;
  for (int32_t i = 0; i < s->nodes; ++i) {
    way[i] = s->held[i] ? cps_vec3(0.0, 0.0, 0.0) : cps_vec3_scale(m->h * m->theta, s->dv[i]);
  }
  return s->type->step_bound(s, s->end, way);
}

// Takes the full step to v if (3) leaves a small residual, y.E_r'(v) <= NEAR^2 d.M~ d: the slope of (1) along d has then gone from -d.M~ d to
// at most a tenth of it, and (1) has decreased by about half of that. The trial is then v, and s->left is y; otherwise nothing changes.
static bool go_all(const CpsModelStep* m, CpsNodal* s, double expected) {
  const size_t bytes = (size_t)s->nodes * sizeof *s->v;
  const double blur = s->blur;
  double sum = 0.0;
  memcpy(s->back, s->trial, bytes);
  memcpy(s->trial, s->v, bytes);
  find_slope(m, s);
  for (int32_t i = 0; i < s->nodes; ++i) {
    s->left[i] = s->held[i] ? cps_vec3(0.0, 0.0, 0.0) : cps_vec3_sub(s->slope[i], s->impulse[i]);
  }
  cps_cholesky_use(s->factor, m->pool);
  cps_cholesky_solve(s->factor, 1, &s->left[0].x, s->work);
  for (int32_t i = 0; i < s->nodes; ++i) sum += cps_vec3_dot(s->left[i], cps_vec3_sub(s->slope[i], s->impulse[i]));
  if (sum <= NEAR * NEAR * expected) return true;
  memcpy(s->trial, s->back, bytes);
  s->blur = blur;
  return false;
}

// Step length along dv from the trial: 1 if the full step is good.
static double search(const CpsModelStep* m, CpsNodal* s, double expected, double bound) {
  const double start = objective(m, s, s->trial);
  double part = bound < 1.0 ? ROOM * bound : 1.0;
  if (bound >= 1.0 && expected <= FINE * fabs(start) + s->grain + s->blur) return 1.0;
  for (int k = 0; k < HALVINGS; ++k, part *= 0.5) {
    CpsVec3* v = s->slope;  // recomputed before it is read
    for (int32_t i = 0; i < s->nodes; ++i) v[i] = cps_vec3_axpy(s->trial[i], part, s->dv[i]);
    double now = objective(m, s, v);
    if (now <= start - ENOUGH * part * expected) return part;
  }
  return 0.0;
}

bool cps_nodal_attempt(CpsNodal* s, const CpsModelStep* m, const double* dv, const double* impulse) {
  const CpsVec3 none = {0.0, 0.0, 0.0};
  bool settled = true;
  s->stalled = false;
  for (int32_t i = 0; i < s->nodes; ++i) {
    const CpsVec3 J = impulse && !s->held[i] ? cps_vec3_get(impulse + 3 * i) : none;
    settled = settled && J.x == s->impulse[i].x && J.y == s->impulse[i].y && J.z == s->impulse[i].z;
    s->impulse[i] = J;
    CpsVec3 v = dv ? cps_vec3_add(s->free[i], cps_vec3_get(dv + 3 * i)) : s->free[i];
    s->v[i] = s->held[i] ? s->trial[i] : v;
    s->dv[i] = cps_vec3_sub(s->v[i], s->trial[i]);
  }
  const double size = size_of(s, s->dv), enough = find_enough(m, s);
  if (is_small(s, size, enough)) return true;
  find_end(m, s, s->trial);
  const double expected = decrease(s), bound = find_bound(m, s);
  const bool all = s->type->lasting && is_cheap(s) && bound >= 1.0 && go_all(m, s, expected);
  const double left = all ? size_of(s, s->left) : -1.0;
  if (all && left <= CLEAR * enough) return true;
  const double part = all ? 1.0 : search(m, s, expected, bound);
  if (part == 0.0 && s->fresh) {
    s->stalled = true;
    s->mass_h = 0.0;
    return true;
  }
  if (!all) {
    for (int32_t i = 0; i < s->nodes; ++i) s->trial[i] = cps_vec3_axpy(s->trial[i], part, s->dv[i]);
    find_slope(m, s);
  }
  const bool keep = may_keep(s, part, size, left, settled);
  s->last = part == 1.0 ? size : 0.0;
  s->worn = s->worn || !keep;
  linearise(m, s, keep, all);
  return s->broken;
}

void cps_nodal_fly(CpsNodal* s, const CpsModelStep* m) {
  for (int k = 0; k < ROUNDS; ++k) {
    if (cps_nodal_attempt(s, m, NULL, NULL)) return;
  }
  s->stalled = true;
}

// The works of the step. The equation of the step times h v~ is the change of kinetic energy:
//
//   T+ - T = p.v~ + (theta f+ + (1 - theta) f).D + m g.D - h v~.D v~ + J.v~ - (theta - 1/2) |v+ - v-|^2_M,   D = x+ - x     (4)
//
// f elastic forces, J the contact impulses, p the forces of holds: the residual of the equation where nodes are held (ends), elsewhere
// the residual of the rounds (linearisation). The world accounts for contacts by (v+ + v*).J / 2.
void cps_nodal_advance(CpsNodal* s, const CpsModelStep* m) {
  CpsModelEnergy w = {0};
  const CpsVec3 none = {0.0, 0.0, 0.0}, g = s->gravity ? m->gravity : none;
  CpsVec3* late = s->goal;  // no longer needed
  const CpsNodalForces* forces = cps_nodal_forces(s, m->pool, s->x);
  const double before = forces->energy;
  memcpy(late, forces->gradient, (size_t)s->nodes * sizeof *late);
  find_end(m, s, s->v);
  forces = cps_nodal_forces(s, m->pool, s->end);
  const double after = forces->energy;
  s->broken =
      s->broken || !isfinite(after);  // elements whose nodes are all held may be crushed, whatever the rounds report
  memcpy(s->slope, forces->gradient, (size_t)s->nodes * sizeof *s->slope);
  keep_forces(s, forces);
  resist(m, s, s->v);
  memset(s->dv, 0, (size_t)s->nodes * sizeof *s->dv);
  if (s->airy) cps_block_pattern_multiply(s->pattern, s->drag, &s->try[0].x, &s->dv[0].x);
  cps_nodal_pull_advance(s, m, &w);
  for (int32_t i = 0; i < s->nodes; ++i) {
    const double mass = s->node_mass[i];
    CpsVec3 u = mean(m, s, i, s->v), change = cps_vec3_sub(s->v[i], s->before[i]);
    CpsVec3 f = cps_vec3_axpy(cps_vec3_scale(-m->theta, s->slope[i]), m->theta - 1.0, late[i]);
    CpsVec3 d = cps_vec3_get(s->work + 3 * i), J = s->impulse[i];
    CpsVec3 blow = s->blow[i], air = cps_vec3_sub(blow, s->dv[i]);  // dv: D of the air times u
    CpsVec3 given = cps_vec3_axpy(blow, mass, g);
    CpsVec3 got = cps_vec3_axpy(J, m->h, cps_vec3_add(cps_vec3_sub(f, d), given));
    CpsVec3 rest = cps_vec3_axpy(cps_vec3_scale(mass, change), -1.0, got);
    for (int32_t k = 0; k < s->pull_count; ++k) {
      if (s->pulls[k].node == i) rest = cps_vec3_sub(rest, s->pulls[k].impulse);
    }
    if (s->held[i]) w.ends += cps_vec3_dot(rest, u);
    if (!s->held[i]) w.linearisation -= cps_vec3_dot(rest, u);
    w.damping += m->h * cps_vec3_dot(cps_vec3_sub(d, s->dv[i]), u);
    *(s->windy ? &w.external : &w.damping) += (s->windy ? 1.0 : -1.0) * m->h * cps_vec3_dot(air, u);
    // the mean of the two velocities is u up to (theta - 1/2) of their change; for held nodes u is their displacement
    CpsVec3 middle = cps_vec3_scale(0.5, cps_vec3_add(s->v[i], s->before[i]));
    w.scheme -= mass * cps_vec3_dot(change, cps_vec3_sub(middle, u));
    w.scheme -= m->h * cps_vec3_dot(f, u);
    w.scheme += cps_vec3_dot(J, cps_vec3_sub(cps_vec3_scale(0.5, cps_vec3_add(s->v[i], s->free[i])), u));
    w.turnover += fabs(m->h * cps_vec3_dot(f, u)) + fabs(mass * m->h * cps_vec3_dot(g, u));
  }
  w.scheme -= after - before;
  // not the pointers: views of x must stay valid (CpsArrayView)
  for (int32_t i = 0; i < s->nodes; ++i) {
    const CpsVec3 from = s->x[i];
    s->x[i] = s->end[i];
    s->end[i] = from;
  }
  s->work_done = w;
  const bool calm = s->rounds <= CALM || cps_cholesky_operations(s->factor) < DEAR;
  s->serves = !s->worn && calm && s->made.h > 0.0 && s->mass_h == s->made.h;
}
