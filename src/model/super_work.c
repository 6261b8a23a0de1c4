#include "model/super_work.h"

CpsSuperMotion cps_super_driven_now(const CpsRod* rod, CpsVec3 arm) {
  CpsSuperMotion m = {.w = rod->root.spin};
  if (rod->spec.root != CPS_END_CLAMPED) m.w = cps_vec3(0.0, 0.0, 0.0);
  if (rod->spec.root != CPS_END_FREE) m.v = cps_vec3_add(rod->root.velocity, cps_vec3_cross(m.w, arm));
  return m;
}

CpsSuperMotion cps_super_driven_before(const CpsRod* rod, CpsVec3 arm) {
  CpsSuperMotion m = {.w = rod->root.spin_before};
  if (rod->spec.root != CPS_END_CLAMPED) m.w = cps_vec3(0.0, 0.0, 0.0);
  if (rod->spec.root != CPS_END_FREE) m.v = cps_vec3_add(rod->root.velocity_before, cps_vec3_cross(m.w, arm));
  return m;
}

CpsVec3 cps_super_driven(const CpsRod* rod, double s, CpsVec3 point) {
  (void)s;
  return cps_super_driven_now(rod, cps_vec3_sub(point, rod->root.now.position)).v;
}

// Velocities of three coordinates on which an impulse acts: as seen by forces, displacement over h, the free change, and
// the prescribed change.
typedef struct Moved {
  CpsVec3 seen, way, change, driven;
} Moved;

static Moved moved(double theta, CpsVec3 before, CpsVec3 after, CpsVec3 driven, CpsVec3 driven_then) {
  Moved m = {.seen = cps_vec3_axpy(cps_vec3_scale(theta, after), 1.0 - theta, before), .driven = driven};
  const CpsVec3 jump = cps_vec3_sub(driven, driven_then);
  m.way = cps_vec3_axpy(m.seen, 1.0 - theta, jump);
  m.change = cps_vec3_sub(cps_vec3_sub(after, before), jump);
  return m;
}

// An impulse Q along h u~: returns its work; the remaining terms of (2) go to the scheme and to the root.
static double enter(const CpsSuperWork* w, CpsVec3 Q, const Moved* m) {
  w->out->scheme -= (1.0 - w->step->theta) * cps_vec3_dot(Q, m->change);
  w->out->ends -= cps_vec3_dot(Q, m->driven);
  return cps_vec3_dot(Q, m->way);
}

// a + s b
static CpsSuperMotion plus(const CpsSuperMotion* a, double s, const CpsSuperMotion* b) {
  CpsSuperMotion m = {cps_vec3_axpy(a->v, s, b->v), cps_vec3_axpy(a->w, s, b->w), {0}};
  for (int k = 0; k < 6; ++k) m.r[k] = a->r[k] + s * b->r[k];
  return m;
}

// int x'
static CpsVec3 momentum_of(const CpsSuperForm* f, const CpsSuperMotion* m) {
  CpsVec3 p = cps_vec3_axpy(cps_vec3_cross(m->w, f->first), f->mass, m->v);
  for (int k = 0; k < f->unknowns; ++k) p = cps_vec3_axpy(p, m->r[k], f->U[k]);
  return p;
}

// int x'.y' of two motions
static double product(const CpsSuperForm* f, const CpsSuperMotion* m, const CpsSuperMotion* n) {
  CpsVec3 turning = cps_vec3_add(cps_vec3_cross(f->first, m->v), cps_mat3_apply(f->second, m->w));
  double sum = cps_vec3_dot(momentum_of(f, m), n->v);
  for (int k = 0; k < f->unknowns; ++k) {
    turning = cps_vec3_axpy(turning, m->r[k], f->xU[k]);
    double own = cps_vec3_dot(f->U[k], m->v) + cps_vec3_dot(f->xU[k], m->w);
    for (int j = 0; j < f->unknowns; ++j) own += f->UU[f->unknowns * k + j] * m->r[j];
    sum += n->r[k] * own;
  }
  return sum + cps_vec3_dot(turning, n->w);
}

// int c.x'
static double product_with_c(const CpsSuperForm* f, const CpsSuperMotion* m) {
  double sum = cps_vec3_dot(f->c, m->v) + cps_vec3_dot(f->xc, m->w);
  for (int k = 0; k < f->unknowns; ++k) sum += f->Uc[k] * m->r[k];
  return sum;
}

void cps_super_work_element(const CpsSuperWork* w, const CpsSuperForm* form, CpsVec3 gravity,
                            const CpsSuperMotion* before, const CpsSuperMotion* after, const CpsSuperMotion* driven,
                            const CpsSuperMotion* driven_before, bool jumped) {
  const double h = w->step->h, theta = w->step->theta;
  const bool held = w->rod->spec.root != CPS_END_FREE;
  const CpsSuperMotion all = plus(after, -1.0, before), jump = plus(driven, -1.0, driven_before);
  const CpsSuperMotion change = plus(&all, -1.0, &jump), seen = plus(before, theta, &all);
  const CpsSuperMotion way = plus(&seen, 1.0 - theta, &jump), *faster = jumped ? &change : &all;
  if (w->rod->spec.gravity) {
    const CpsVec3 weight = cps_vec3_scale(h, gravity);
    w->out->forces += cps_vec3_dot(weight, momentum_of(form, &way));
    if (theta < 1.0) w->out->scheme -= (1.0 - theta) * cps_vec3_dot(weight, momentum_of(form, &change));
    if (held) w->out->ends -= cps_vec3_dot(weight, momentum_of(form, driven));
  }
  if (form->drag > 0.0) {
    const double air = h * form->drag;
    w->out->damping += air * product(form, &seen, &way);
    w->out->scheme += (1.0 - theta) * air * product(form, &seen, &change);
    w->out->ends += air * product(form, &seen, driven);
  }
  // u+ - u_then = change of the velocities, and c
  w->out->scheme += 0.5 * product(form, faster, faster) + product_with_c(form, faster) + 0.5 * form->cc;
  if (!held) return;
  w->out->ends += product(form, faster, driven) + product_with_c(form, driven);
}

void cps_super_work_strains(const CpsSuperWork* w, double eKv, double vKv, double eKd, double vKd) {
  const double h = w->step->h, theta = w->step->theta, damping = w->rod->spec.damping;
  // Q = -h K (e + (h theta + damping) v~)
  w->out->forces -= h * (eKv + h * theta * vKv);
  w->out->damping += h * damping * vKv;
  w->out->late += (theta - 0.5) * h * h * vKv;
  w->out->scheme += (1.0 - theta) * h * (eKd + (h * theta + damping) * vKd);
}

void cps_super_work_strain(const CpsSuperWork* w, double K, double e, double before, double after) {
  const double v = w->step->theta * after + (1.0 - w->step->theta) * before, d = after - before;
  cps_super_work_strains(w, K * e * v, K * v * v, K * e * d, K * v * d);
}

void cps_super_work_spin(const CpsSuperWork* w, double inertia, double drag, double before, double after) {
  const double v = w->step->theta * after + (1.0 - w->step->theta) * before, d = after - before;
  const double Q = -w->step->h * drag * inertia * v;
  w->out->damping -= Q * v;
  w->out->scheme += 0.5 * inertia * d * d - (1.0 - w->step->theta) * Q * d;
}

// h (force + stiffness (target - x) - damping (x' - target')), to first order
static double pull_work(const CpsSuperWork* w, const CpsRodPull* pull) {
  const CpsRodType* type = w->rod->type;
  const CpsVec3 x = type->at(w->rod, pull->s).position, arm = cps_vec3_sub(x, w->root);
  const Moved m = moved(w->step->theta, type->velocity(w->rod, pull->s, CPS_VELOCITY_BEFORE),
                        type->velocity(w->rod, pull->s, CPS_VELOCITY_AFTER), cps_super_driven_now(w->rod, arm).v,
                        cps_super_driven_before(w->rod, arm).v);
  const CpsVec3 way = cps_vec3_axpy(cps_vec3_sub(pull->target, x), -w->step->h * w->step->theta, m.seen);
  CpsVec3 f = cps_vec3_axpy(pull->force, pull->stiffness, way);
  f = cps_vec3_axpy(f, pull->damping, cps_vec3_sub(pull->target_velocity, m.seen));
  return enter(w, cps_vec3_scale(w->step->h, f), &m);
}

// A clamped tip: the spring of its rotation, error = half the sum of axis × wanted axis.
static double turn_work(const CpsSuperWork* w, double s, double stiffness) {
  const CpsRod* rod = w->rod;
  const double h = w->step->h, theta = w->step->theta;
  const CpsMat3 R = rod->type->at(rod, s).frame, to = cps_quat_matrix(rod->tip.next.rotation);
  CpsVec3 none = {0.0, 0.0, 0.0}, error = cps_vec3_scale(theta * h, rod->tip.spin);
  for (int j = 0; j < 3; ++j) {
    CpsVec3 a = {R.m[j], R.m[3 + j], R.m[6 + j]}, b = {to.m[j], to.m[3 + j], to.m[6 + j]};
    error = cps_vec3_axpy(error, 0.5, cps_vec3_cross(a, b));
  }
  const bool clamped = rod->spec.root == CPS_END_CLAMPED;
  const Moved m = moved(theta, rod->type->motion(rod, s, CPS_VELOCITY_BEFORE).spin,
                        rod->type->motion(rod, s, CPS_VELOCITY_AFTER).spin, clamped ? rod->root.spin : none,
                        clamped ? rod->root.spin_before : none);
  return enter(w, cps_vec3_scale(h * stiffness, cps_vec3_axpy(error, -(1.0 + theta) * h, m.seen)), &m);
}

CpsSuperWork cps_super_work_start(const CpsRod* rod, const CpsModelStep* step, double lever, CpsRodWork* out) {
  const CpsSuperWork w = {rod, step, out, rod->type->at(rod, 0.0).position};
  const double s = rod->spec.branch[0].length;
  *out = (CpsRodWork){0};
  for (int32_t i = 0; i < rod->pull_count; ++i) out->pulls += pull_work(&w, &rod->pulls[i]);
  if (rod->spec.tip == CPS_END_FREE) return w;
  CpsRodPull hold = rod->hold;
  hold.s = s;
  hold.target = cps_vec3_axpy(hold.target, (step->theta - 1.0) * step->h, hold.target_velocity);
  out->ends += pull_work(&w, &hold);
  if (rod->spec.tip == CPS_END_CLAMPED) out->ends += turn_work(&w, s, hold.stiffness * lever * lever);
  return w;
}
