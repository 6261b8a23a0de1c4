#include "model/super_tension.h"

#include <math.h>

// Gauss quadrature on [0, 1]
enum { POINTS = 3 };
static const double NODE[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169},
                    WEIGHT[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

CpsTaut cps_taut(const CpsRod* rod, const CpsModelStep* step, const CpsRodTension* tension) {
  const CpsRodPlace place = cps_rod_place(&rod->spec, tension->s);
  return (CpsTaut){.rod = rod,
                   .step = step,
                   .tension = tension,
                   .branch = place.branch,
                   .element = place.element,
                   .end = place.local};
}

// Mass per length of the current element.
static double density(const CpsTaut* at) {
  const CpsRodSpec* spec = &at->rod->spec;
  return spec->branch[at->branch].line_density * (at->branch == 0 ? cps_rod_element_taper(spec, at->element, 2) : 1.0);
}

static double size_of(const CpsTaut* at) {
  const CpsRodBranch* branch = &at->rod->spec.branch[at->branch];
  return cps_rod_element_size(branch, at->element - branch->first_element);
}

// Moves to the previous element, or to that of the parent from which the branch grows.
static bool go_rootwards(CpsTaut* at) {
  const CpsRodBranch* branch = &at->rod->spec.branch[at->branch];
  at->mass += density(at) * at->end;
  if (at->element == branch->first_element) {
    if (branch->parent < 0) return false;
    const CpsRodBranch* parent = &at->rod->spec.branch[branch->parent];
    at->element = parent->first_element + branch->at;
    at->branch = branch->parent;
  } else {
    at->element--;
  }
  at->end = size_of(at);
  at->next = 0;
  return true;
}

bool cps_taut_next(CpsTaut* at) {
  if (at->next == POINTS && !go_rootwards(at)) return false;
  const CpsRodBranch* branch = &at->rod->spec.branch[at->branch];
  at->local = NODE[at->next] * at->end;
  at->part = at->local / size_of(at);
  at->s = branch->start + cps_rod_element_start(branch, at->element - branch->first_element) + at->local;
  at->weight = WEIGHT[at->next] * at->end;
  at->next++;
  return true;
}

double cps_taut_tension(const CpsTaut* at, CpsVec3 tangent, double* damping) {
  const double rho = density(at), mass = at->mass + rho * (at->end - at->local);
  CpsVec3 force = at->tension->force;
  if (at->rod->spec.gravity) force = cps_vec3_axpy(force, mass, at->step->gravity);
  const double T = fmax(cps_vec3_dot(force, tangent), 0.0);
  *damping = at->weight * cps_rod_wave_damping(at->step, T, rho, size_of(at));
  return at->weight * T;
}

bool cps_taut_stiffness(const CpsTaut* at, CpsVec3 tangent, CpsMat3* out, double* damping) {
  const double T = cps_taut_tension(at, tangent, damping);
  if (!(T > 0.0)) return false;
  *out = cps_mat3_axpy(cps_mat3_scale(T, cps_mat3_identity()), -T, cps_mat3_outer(tangent, tangent));
  return true;
}

// Q = -h^2 theta K v~, v~ = theta v+ + (1 - theta) v: by (2) of super_work.h the rod gains Q.v+, and the root takes Q.d.
static void add_work(const CpsSuperWork* w, const CpsTaut* at, const CpsMat3* K) {
  const CpsRod* rod = w->rod;
  const double theta = w->step->theta;
  const CpsVec3 before = rod->type->motion(rod, at->s, CPS_VELOCITY_BEFORE).spin,
                after = rod->type->motion(rod, at->s, CPS_VELOCITY_AFTER).spin;
  const CpsVec3 seen = cps_vec3_axpy(cps_vec3_scale(theta, after), 1.0 - theta, before);
  const CpsVec3 Q = cps_vec3_scale(-w->step->h * w->step->h * theta, cps_mat3_apply(*K, seen));
  w->out->ties -= cps_vec3_dot(Q, seen);
  w->out->scheme -= (1.0 - theta) * cps_vec3_dot(Q, cps_vec3_sub(after, before));
  if (rod->spec.root == CPS_END_CLAMPED) w->out->ends -= cps_vec3_dot(Q, rod->root.spin);
}

// Q = -h d k~' of the two bendings.
static void add_damping(const CpsSuperWork* w, double damping, CpsVec3 before, CpsVec3 after) {
  const double theta = w->step->theta, hd = w->step->h * damping;
  const CpsVec3 a = {0.0, before.y, before.z}, b = {0.0, after.y, after.z};
  const CpsVec3 seen = cps_vec3_axpy(cps_vec3_scale(theta, b), 1.0 - theta, a);
  w->out->damping += hd * cps_vec3_dot(seen, seen);
  w->out->scheme += (1.0 - theta) * hd * cps_vec3_dot(seen, cps_vec3_sub(b, a));
}

void cps_super_work_tension(const CpsSuperWork* w, CpsTautRate* rate) {
  const CpsRod* rod = w->rod;
  for (const CpsRodTension* t = rod->tensions; t; t = t->next) {
    CpsTaut at = cps_taut(rod, w->step, t);
    CpsMat3 K;
    double damping;
    while (cps_taut_next(&at)) {
      const CpsMat3 frame = rod->type->at(rod, at.s).frame;
      if (!cps_taut_stiffness(&at, cps_vec3(frame.m[0], frame.m[3], frame.m[6]), &K, &damping)) continue;
      add_work(w, &at, &K);
      if (!(damping > 0.0)) continue;
      add_damping(w, damping, rate(rod, at.element, at.part, CPS_VELOCITY_BEFORE),
                  rate(rod, at.element, at.part, CPS_VELOCITY_AFTER));
    }
  }
}
