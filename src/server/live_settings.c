// Settings of a live simulation, each limited to a range that makes sense for an observer.
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "server/live_internal.h"

CpsLiveSettings cps_live_read_settings(const CpsLive* live) {
  CpsWorldDef def = cps_world_settings(live->world);
  return (CpsLiveSettings){.gravity = def.gravity,
                           .mu = def.mu_everywhere,
                           .grain_mu = cps_world_grain_mu(live->world),
                           .step = def.step,
                           .tolerance = def.solver.tolerance,
                           .method = cps_method_info(def.solver.method)->name};
}

static CpsStatus check(const char* name, double value, double low, double high, CpsError* error) {
  if (value >= low && value <= high) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "%s is %g; it must be between %g and %g", name, value, low, high);
}

static CpsStatus set_gravity(CpsWorldDef* def, CpsVec3 g, CpsError* error) {
  const double parts[3] = {g.x, g.y, g.z};
  for (int i = 0; i < 3; ++i) {
    CpsStatus status = check("a component of gravity", parts[i], -1e4, 1e4, error);
    if (status != CPS_OK) return status;
  }
  def->gravity = g;
  return CPS_OK;
}

static CpsStatus set_method(CpsWorldDef* def, const char* name, CpsError* error) {
  if (cps_solve_options_set_method(&def->solver, name) == CPS_OK) return CPS_OK;
  return cps_fail(error, CPS_BAD_DATA, "unknown method '%.40s'", name);
}

CpsStatus cps_live_set(CpsLive* live, const CpsLiveOrder* order, CpsError* error) {
  CpsWorldDef def = cps_world_settings(live->world);
  CpsStatus status = CPS_BAD_ARGUMENT;
  switch (order->what) {
    case CPS_LIVE_SET_GRAVITY:
      status = set_gravity(&def, order->vector, error);
      break;
    case CPS_LIVE_SET_MU:
      status = isnan(order->value) ? CPS_OK : check("the friction", order->value, 0.0, 100.0, error);
      def.mu_everywhere = isnan(order->value) ? cps_scene_world_def(live->scene).mu_everywhere : order->value;
      break;
    case CPS_LIVE_SET_GRAIN_MU:
      status = isnan(order->value) ? CPS_OK : check("the friction of grains", order->value, 0.0, 100.0, error);
      return status == CPS_OK ? cps_world_set_grain_mu(live->world, order->value, error) : status;
    case CPS_LIVE_SET_STEP:
      status = check("the step", order->value, 1e-7, 0.1, error);
      // the smallest adaptive step is scaled with it
      if (status == CPS_OK && def.step_min > 0.0) def.step_min *= order->value / def.step;
      def.step = order->value;
      break;
    case CPS_LIVE_SET_TOLERANCE:
      status = check("the tolerance", order->value, 1e-14, 0.1, error);
      def.solver.tolerance = def.motion_tolerance = order->value;
      break;
    default:
      status = set_method(&def, order->text, error);
  }
  return status == CPS_OK ? cps_world_configure(live->world, &def, error) : status;
}
