// What is to become of an attempt at a step: one question, answered here and nowhere else.
//
// An attempt has moved everything by h. Contacts bound the ways to first order only, and only between what was near at the
// beginning, so that objects may now overlap, or have passed through each other. What is done about it, in this order:
//
//   mend    lines that sank in or passed through are set right where they are (mending.c); what passes even so is slowed down
//   renew   what met on its way without a contact (surfaces: impacts.c), or broke the plane of one (renew.c), gets that
//           contact, and the attempt is made again
//   halve   what is still wrong, was not solved or blew up is tried in half the time, down to a shortest step of its own; a step
//           that so many attempts have not helped is hopeless and goes there at once
//   stop    what would go through a surface even in the shortest step stays together with it (zones.c)
//
// The remainder then is good, or as good as it gets, and is counted (CpsStepInfo).
#include "world/world.h"

#include "core/clock.h"
#include "core/error.h"

#include <math.h>

enum { CALM = 16 };      // steps without a halving after which an adaptive step doubles
enum { RENEWALS = 4 };   // attempts with contacts that the one before has broken
enum { IMPACTS = 8 };    // the same with features of surfaces that have met;
enum { STALLING = 3 };   // of which so many in a row may bring nothing
enum { ATTEMPTS = 48 };  // attempts at a step, of all lengths, after which the next has the shortest one
enum { MENDINGS = 8 };   // rounds in which positions are set right before a step is given up
enum { WILD = 2 };       // what passes even in such a part of the step is slowed down
enum { SINKING = 16 };   // part of the step down to which it is halved where lines get too deep
enum { TURNING = 64 };   // the same where lines turn far
enum { JERKING = 16 };   // the same where lines make energy
enum { PASSING = 64 };   // the same where shapes pass through each other
enum { THINNEST = 16 };  // part of the smallest step down to which it is halved where lines go through something
enum { THINNEST_FIXED = 1024 };                // the same of a step that does not adapt
static const double MENDED = 0.25;             // part of the bound that is left where positions are set right
static const double TOO_DEEP = 0.25;           // what lines may sink in before the step is halved, in radii
static const double STILL = 1e-7;              // how far a line at rest may go in a step, the same: rounding takes 1e-9
static const double MILD = 0.1;                // most that the bound is where positions are set right, the same
static const double GAIN = 0.8;                // a round that leaves more of the penetration than this is the last
static const double PATIENCE = 0.25;           // part of the step down to which it is halved where it is not solved
static const double ADDED_PENETRATION = 1e-2;  // default bound, in parts of the smallest inner radius

// Whether a step in which lines passed through something is tried again.
static bool is_mending(const CpsWorld* world) {
  return (world->def.adaptive || world->def.mend) && cps_world_line_pieces(world) > 0;
}

// The same of surfaces, whose positions are not set right.
static bool is_looking(const CpsWorld* world) {
  return (world->def.adaptive || world->def.mend) && cps_world_has_surfaces(world);
}

static double penetration_bound(const CpsWorld* world) {
  return world->def.penetration_max > 0.0 ? world->def.penetration_max : ADDED_PENETRATION * world->smallest;
}

static double smallest_step(const CpsWorldDef* def) {
  if (!def->adaptive) return def->step;
  return def->step_min > 0.0 ? def->step_min : def->step / 64.0;
}

// Down to here a step is halved where something would go through something.
static double thinnest_step(const CpsWorld* world) {
  // clouds, and shapes that drift while no impulse acts on them (contacts.c) or pass through each other (ways.c)
  const bool followed = (world->clouds || cps_world_has_ways(world)) && (world->def.adaptive || world->def.mend);
  if (!is_mending(world) && !is_looking(world) && !followed) return smallest_step(&world->def);
  return world->def.adaptive ? smallest_step(&world->def) / THINNEST : world->def.step / THINNEST_FIXED;
}

bool cps_step_is_thinnest(const CpsWorld* world, double h) {
  return is_looking(world) && !(h > thinnest_step(world));
}

bool cps_step_is_doomed(const CpsStep* step) {
  return step->longest < step->model.h && step->model.h > thinnest_step(step->world);
}

// Whether lines went nowhere and nothing got deeper into them: what rests is not moved (projection.c), and lines that were placed inside
// each other need not be asked again in each step.
static bool is_still(const CpsStep* step) {
  if (step->info.crossings > 0) return false;
  for (int32_t i = 0; i < step->sinking_count; ++i) {
    if (!(step->sinking[i].deep - step->sinking[i].before <= STILL)) return false;
  }
  for (int32_t m = 0; m < cps_world_member_count(step->world); ++m) {
    const CpsMemberLine* line = cps_step_line(step, m);
    for (int32_t k = 0; line && k < line->count; ++k) {
      const CpsLinePiece* p = &line->piece[k];
      const double way =
          fmax(cps_vec3_norm(cps_vec3_sub(p->to[0], p->from[0])), cps_vec3_norm(cps_vec3_sub(p->to[1], p->from[1])));
      if (!(way <= STILL * line->radius)) return false;
    }
  }
  return true;
}

// Lines sank into something in the step, or passed through it: their positions are set right, if they can be.
static CpsStatus mend(CpsStep* step) {
  const CpsWorld* world = step->world;
  if (is_still(step)) return CPS_OK;
  const double adaptive = world->def.adaptive ? penetration_bound(world) : INFINITY;
  const double bound = fmin(adaptive, MILD * world->smallest);
  double depth = INFINITY, most = INFINITY;
  CpsMending mending = {0};
  int32_t places = INT32_MAX;
  int lost = 0;
  const bool only_deep = step->info.crossings == 0;
  const double deepest = step->sinking_newly;  // not what was there before the step, which held ends may keep deep
  CpsUnmended before = {0};
  CpsStatus status = only_deep ? cps_step_keep_unmended(step, &before) : CPS_OK;
  for (int round = 0; status == CPS_OK && round < MENDINGS; ++round) {
    bool deep = step->depth > adaptive || step->sunk > 2.0 * MENDED * adaptive;
    lost = step->sinking_most <= GAIN * most ? 0 : lost + 1;
    if (step->info.crossings == 0 && (step->sinking_count == 0 || lost > 1) && (!deep || step->depth > GAIN * depth))
      break;
    most = step->sinking_most;
    depth = step->depth;
    if (world->def.cancel && world->def.cancel(world->def.cancel_data)) {
      return cps_fail(step->error, CPS_INTERRUPTED, "the step was given up");
    }
    mending.all = lost > 0 && step->sinking_count >= places;
    places = step->sinking_count;
    status = cps_step_mend(step, &mending, MENDED * bound);
  }
  const bool worse = step->info.crossings > 0 || step->sinking_newly > fmax(deepest, TOO_DEEP);
  if (status == CPS_OK && only_deep && worse) status = cps_step_unmend(step, &before);
  const CpsWorldDef* def = &step->world->def;
  bool wild = step->model.h <= (def->adaptive ? smallest_step(def) : def->step / WILD);
  return status == CPS_OK && wild ? cps_step_calm(step, &mending) : status;
}

// What the step did to lines, and what surfaces met. Positions are final after it.
static CpsStatus look(CpsStep* step) {
  const CpsWorld* world = step->world;
  const double start = cps_clock_wall();
  CpsStatus status = cps_step_crossings(step, false);
  if (status == CPS_OK && is_mending(world) && world->def.projection) {
    status = mend(step);
    if (status == CPS_OK) status = cps_step_check(step);
  }
  if (status == CPS_OK) status = cps_step_depths(step);
  if (status == CPS_OK) status = cps_step_impacts(step);
  if (status == CPS_OK) status = cps_step_smooth_impacts(step);
  if (status == CPS_OK) status = cps_step_cloud_impacts(step);
  if (status == CPS_OK) status = cps_step_ways(step);
  step->info.seconds_advance += cps_clock_wall() - start;
  return status;
}

// Whether the residual is a reason for a shorter step. What a quarter of the step does not solve shorter ones rarely do.
static bool is_unsolved(const CpsStep* step) {
  const CpsWorldDef* def = &step->world->def;
  if (def->residual_max > 0.0) return step->info.residual > def->residual_max;
  return step->missed && step->model.h > PATIENCE * def->step;
}

static bool went_too_far(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (model->type->went_too_far && model->count > 0 && model->type->went_too_far(model)) return true;
  }
  return false;
}

static bool is_hasty(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (model->type->is_hasty && model->type->is_hasty(model)) return true;
  }
  return false;
}

// Whether something is wrong that may not be in a shorter step. Below the smallest step that is only what lines and surfaces
// passed through, or sank into.
static bool is_too_long(const CpsStep* step) {
  const CpsWorld* world = step->world;
  const double h = step->model.h, last = thinnest_step(world), whole = world->def.step;
  if (step->info.crossings > 0 && h > last) return true;
  if (step->on_the_way.depth > 0.0 && h > fmax(last, whole / PASSING)) return true;
  if (is_mending(world) && step->sinking_newly > TOO_DEEP && h > fmax(last, whole / SINKING)) return true;
  if (is_mending(world) && h > fmax(last, whole / TURNING) && is_hasty(world)) return true;
  if (is_mending(world) && h > fmax(last, whole / JERKING) && cps_step_is_jerked(step)) return true;
  if (step->unsettled && is_looking(world) && h > PATIENCE * whole) return true;
  if (!(h > smallest_step(&world->def))) return false;
  if (went_too_far(world)) return true;
  return is_unsolved(step) || step->depth - step->penetration > penetration_bound(world);
}

// Whether contacts for what has met no longer help: as much goes through things as before there were any. What is crumpled or held
// inside something meets the same features again and again, each time with more contacts to solve.
static bool is_stalling(CpsStep* step) {
  if (step->renewals == 0 || step->info.crossings < step->fewest) {
    step->fewest = step->info.crossings;
    step->stalling = 0;
    return false;
  }
  return step->info.crossings > 0 && ++step->stalling >= STALLING;
}

static CpsStatus decide(CpsStep* step, CpsVerdict* verdict) {
  const double bound = penetration_bound(step->world);
  *verdict = CPS_VERDICT_GOOD;
  if (step->newly_met > 0 && step->renewals < IMPACTS && !is_stalling(step)) {
    *verdict = CPS_VERDICT_RENEW;
    return cps_step_keep_tracks(step);
  }
  if (is_too_long(step)) {
    *verdict = CPS_VERDICT_HALVE;
  }
  if (*verdict != CPS_VERDICT_GOOD) return CPS_OK;
  CpsStatus status = step->pierced > 0 && step->thin ? cps_step_stop(step) : CPS_OK;
  if (status != CPS_OK) return status;
  double added;
  status = cps_step_look_at_end(step, bound, &added);
  if (!(added > bound)) return status;
  const bool shorter = step->model.h > smallest_step(&step->world->def);
  if (step->renewable && step->renewals < RENEWALS) {
    *verdict = CPS_VERDICT_RENEW;
  } else if (shorter) {
    *verdict = CPS_VERDICT_HALVE;
  }
  return status;
}

CpsStatus cps_step_judge(CpsStep* step, CpsStatus status, CpsVerdict* verdict) {
  const CpsWorld* world = step->world;
  *verdict = status == CPS_OK && cps_step_is_doomed(step) ? CPS_VERDICT_HALVE : CPS_VERDICT_GOOD;
  if (*verdict == CPS_VERDICT_HALVE) return status;
  if (status == CPS_OK) status = look(step);
  if (status == CPS_OK) status = decide(step, verdict);
  // what blew up may not in a shorter step
  const double shortest = is_mending(world) || is_looking(world) ? thinnest_step(world) : smallest_step(&world->def);
  if (status != CPS_BAD_DATA || !(step->model.h > shortest)) return status;
  *verdict = CPS_VERDICT_HALVE;
  return CPS_OK;
}

double cps_step_halved(CpsStep* step) {
  const double h = step->model.h, least = smallest_step(&step->world->def);
  // what was pushed through each other is not pushed again; shorter steps are for moving objects
  if (step->pushed > 0 && !cps_step_is_doomed(step)) {
    step->unpushed = true;
    return h;
  }
  if (step->attempts >= ATTEMPTS) return thinnest_step(step->world);
  const double last = h > least ? least : thinnest_step(step->world);
  double next = fmax(0.5 * h, last);
  while (next > step->longest && next > last) next = fmax(0.5 * next, last);
  return next;
}

// Whether a time is an even multiple of h, or none at all: steps that do not adapt are halved in place and come back to the
// times that they would have had.
static bool is_even(double time, double h) {
  double count = time / h, whole = nearbyint(count);
  return fabs(count - whole) > 1e-3 || fmod(whole, 2.0) == 0.0;
}

void cps_step_set_next(const CpsStep* step) {
  CpsWorld* world = step->world;
  const CpsWorldDef* def = &world->def;
  world->h = step->model.h;
  world->calm = step->info.halvings > 0 ? 0 : world->calm < CALM ? world->calm + 1 : CALM;
  // what is below the smallest step was so for one moment
  int32_t calm = world->h < smallest_step(def) ? 1 : CALM;
  if (world->calm >= calm && world->h < def->step && (def->adaptive || is_even(world->time, world->h))) {
    world->h = fmin(2.0 * world->h, def->step);
    world->calm = 0;
  }
}
