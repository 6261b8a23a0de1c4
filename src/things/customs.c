// The door of models of users: their definitions checked, their states read and set.
#include "capstan/custom.h"
#include "core/error.h"
#include "model/custom.h"
#include "things/list.h"

#include <math.h>
#include <string.h>

enum { COOKIE = 0x6375, DOFS_MOST = 3000, BALLS_MOST = 100000 };

static CpsCustoms* customs_of(const CpsWorld* world) {
  return (CpsCustoms*)cps_world_population(world, CPS_THING_OTHER);
}

CpsCustomDef cps_custom_def_default(void) {
  return (CpsCustomDef){.mu = NAN, .restitution = NAN, .cookie = COOKIE};
}

static bool are_finite(const double* x, int32_t count) {
  for (int32_t i = 0; x && i < count; ++i) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

static CpsStatus check_def(const CpsWorld* world, const CpsCustomDef* d, CpsError* error) {
  const char* name = d->cookie == COOKIE && d->name ? d->name : "custom model";
  if (d->cookie != COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "start from cps_custom_def_default() for a custom model");
  if (d->dofs < 1 || d->dofs > DOFS_MOST)
    return cps_fail(error, CPS_BAD_ARGUMENT, "%.60s: %d degrees of freedom; there may be 1 to %d", name, (int)d->dofs,
                    DOFS_MOST);
  if (!d->predict) return cps_fail(error, CPS_BAD_ARGUMENT, "%.60s: predict is NULL", name);
  if (d->ball_count < 0 || d->ball_count > BALLS_MOST)
    return cps_fail(error, CPS_BAD_ARGUMENT, "%.60s: %d balls; there may be 0 to %d", name, (int)d->ball_count,
                    BALLS_MOST);
  if (d->ball_count > 0 && (!d->radius || !d->place))
    return cps_fail(error, CPS_BAD_ARGUMENT, "%.60s: balls need a radius and a position", name);
  if (!are_finite(d->q, d->dofs) || !are_finite(d->v, d->dofs))
    return cps_fail(error, CPS_BAD_DATA, "%.60s: a coordinate or velocity is not finite", name);
  for (int32_t i = 0; i < d->ball_count; ++i) {
    if (!(d->radius[i] > 0.0) || !isfinite(d->radius[i]))
      return cps_fail(error, CPS_BAD_DATA, "%.60s: the radius of ball %d is %g m", name, (int)i, d->radius[i]);
  }
  if (d->mu < 0.0 || isinf(d->mu)) return cps_fail(error, CPS_BAD_DATA, "%.60s: mu is %g", name, d->mu);
  if (d->restitution < 0.0 || d->restitution > 1.0)
    return cps_fail(error, CPS_BAD_DATA, "%.60s: restitution is %g", name, d->restitution);
  if (d->material < 0 || d->material >= world->material_count)
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)d->material);
  return CPS_OK;
}

CpsStatus cps_world_add_custom(CpsWorld* world, const CpsCustomDef* def, CpsThing* thing, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  CpsStatus status = check_def(world, def, error);
  CpsCustoms* all = customs_of(world);
  if (status == CPS_OK) status = cps_customs_add(all, def, error);
  if (status != CPS_OK) return status;
  world->changed = true;
  cps_world_find_smallest(world);
  if (thing) *thing = (CpsThing){CPS_THING_OTHER, all->model.count - 1, 1};
  return cps_succeed(error);
}

static CpsCustomMember* find(const CpsWorld* world, CpsThing thing) {
  CpsModel* model = world && thing.kind == CPS_THING_OTHER ? cps_world_find_model(world, thing) : NULL;
  return model ? &((CpsCustoms*)model)->member[thing.index] : NULL;
}

CpsStatus cps_world_custom_state(const CpsWorld* world, CpsThing thing, double* q, double* v) {
  const CpsCustomMember* m = find(world, thing);
  if (!m) return CPS_BAD_ARGUMENT;
  if (q) memcpy(q, m->q, (size_t)m->dofs * sizeof *q);
  if (v) memcpy(v, m->v, (size_t)m->dofs * sizeof *v);
  return CPS_OK;
}

CpsStatus cps_world_set_custom_state(CpsWorld* world, CpsThing thing, const double* q, const double* v,
                                     CpsError* error) {
  CpsCustomMember* m = find(world, thing);
  if (!m) return cps_fail(error, CPS_BAD_ARGUMENT, "there is no such custom model");
  if (!are_finite(q, m->dofs) || !are_finite(v, m->dofs))
    return cps_fail(error, CPS_BAD_DATA, "a coordinate or velocity is not finite");
  if (q) memcpy(m->q, q, (size_t)m->dofs * sizeof *q);
  if (v) memcpy(m->v, v, (size_t)m->dofs * sizeof *v);
  world->changed = true;
  return cps_succeed(error);
}

static CpsModel* open(void) {
  CpsCustoms* all = cps_customs_create();
  return all ? &all->model : NULL;
}

static void place(CpsWorld* world, CpsModel* model, double t, double h) {
  (void)world, (void)h;
  ((CpsCustoms*)model)->time = t;
}

const CpsDoor cps_door_customs = {.kind = CPS_THING_OTHER, .name = "other", .open = open, .place = place};
