// Pulls on fibres during a step, and the forces of ties: functions of model.h. Each rod model applies them in its own files.
#include "model/fibres.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>

static const double ROUNDED = 1e-9;  // of the length of the fibre: arc lengths so close to an end are taken as it

CpsStatus cps_fibres_check_pull(const CpsModel* model, int32_t body, CpsAnchor* at, CpsError* error) {
  const double length = ((const CpsFibres*)model)->fibres[body].rod.spec.length;
  if (!(at->s >= 0.0 && at->s <= length * (1.0 + ROUNDED))) {
    return cps_fail(error, CPS_BAD_DATA, "a pull acts at %g m on a fibre that is %g m long", at->s, length);
  }
  at->s = fmin(at->s, length);
  return CPS_OK;
}

bool cps_fibres_reserve_pulls(CpsModel* model, int32_t count) {
  CpsFibres* fibres = (CpsFibres*)model;
  if (count <= fibres->pull_capacity) return true;
  CpsRodPull* pulls = realloc(fibres->pulls, (size_t)count * sizeof *pulls);
  if (pulls) fibres->pulls = pulls;
  CpsVec3* from = pulls ? realloc(fibres->pull_from, (size_t)count * sizeof *from) : NULL;
  if (!from) return false;
  fibres->pull_from = from;
  fibres->pull_capacity = count;
  return true;
}

void cps_fibres_let_go(CpsModel* model) {
  CpsFibres* fibres = (CpsFibres*)model;
  fibres->pull_count = 0;
  for (int32_t i = 0; i < fibres->model.count; ++i) fibres->fibres[i].rod.pull_count = 0;
}

int32_t cps_fibres_pull(CpsModel* model, const CpsModelStep* step, int32_t body, const CpsPullTerm* term) {
  (void)step;
  CpsFibres* fibres = (CpsFibres*)model;
  CpsRod* rod = &fibres->fibres[body].rod;
  CpsRodPull* pull = &fibres->pulls[fibres->pull_count];
  *pull = (CpsRodPull){term->at.s,   term->force,           term->stiffness, term->damping,
                       term->target, term->target_velocity, term->rest};
  if (rod->pull_count++ == 0) rod->pulls = pull;
  return fibres->pull_count++;
}

double cps_fibres_pull_stored(const CpsModel* model, int32_t body, int32_t pull) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  return cps_rod_pull_stored(&fibres->fibres[body].rod, &fibres->pulls[pull]);
}

void cps_fibres_pull_rest(CpsModel* model, int32_t pull, CpsVec3 rest) {
  ((CpsFibres*)model)->pulls[pull].rest = rest;
}

void cps_fibre_note_pulls(const CpsFibres* fibres, const CpsFibre* f) {
  for (int32_t k = 0; k < f->rod.pull_count; ++k) {
    const CpsRodPull* pull = &f->rod.pulls[k];
    fibres->pull_from[pull - fibres->pulls] = f->rod.type->at(&f->rod, pull->s).position;
  }
}

// Works by (6) and (7) of model.h with the displacement of the point.
CpsVec3 cps_fibres_pull_force(const CpsModel* model, const CpsModelStep* step, int32_t body, int32_t pull,
                              CpsModelEnergy* work) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  const CpsRod* rod = &fibres->fibres[body].rod;
  const CpsRodPull* p = &fibres->pulls[pull];
  const CpsVec3 before = fibres->pull_from[pull];
  CpsVec3 moved = cps_vec3_sub(rod->type->at(rod, p->s).position, before);
  CpsVec3 error = cps_vec3_sub(p->target, before);
  CpsVec3 F = cps_vec3_axpy(p->force, p->stiffness, cps_vec3_axpy(error, -step->theta, moved));
  CpsVec3 late = cps_vec3_sub(cps_vec3_scale(1.0 / step->h, moved), p->target_velocity);
  F = cps_vec3_axpy(F, -p->damping, late);
  CpsPullWork done = cps_pull_work(step, p->stiffness, p->damping, p->force, error, p->target_velocity, moved);
  work->external += done.external;
  work->linearisation += cps_vec3_dot(F, moved);  // less the work received by the rod
  work->damping += done.damping;
  work->scheme += done.scheme;
  return F;
}

bool cps_fibres_reserve_tensions(CpsModel* model, int32_t count) {
  CpsFibres* fibres = (CpsFibres*)model;
  for (int32_t k = 0; fibres->tension_count > 0 && k < fibres->model.count; ++k) fibres->fibres[k].rod.tensions = NULL;
  fibres->tension_count = 0;
  if (count <= fibres->tension_capacity) return true;
  CpsRodTension* tensions = realloc(fibres->tensions, (size_t)count * sizeof *tensions);
  if (!tensions) return false;
  fibres->tensions = tensions;
  fibres->tension_capacity = count;
  return true;
}

void cps_fibres_tension(CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 force) {
  CpsFibres* fibres = (CpsFibres*)model;
  CpsRod* rod = &fibres->fibres[body].rod;
  CpsRodTension* t = &fibres->tensions[fibres->tension_count++];
  *t = (CpsRodTension){at->s, force, rod->tensions};
  rod->tensions = t;
}
