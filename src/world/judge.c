// Decides what happens to an attempt at a step. All such decisions are made here.
//
// An attempt has advanced everything by h. Contacts limit motion only to first order, and only between objects that were close at the
// beginning, so objects may now overlap or have passed through each other. The remedies, in this order:
//
//   mend    corrects the positions of lines that sank in or passed through (mending.c); slows down those that still pass
//   renew   adds contacts for objects that met during the step (surfaces: impacts.c) or crossed the plane of a contact (renew.c), and
//           repeats the attempt
//   halve   repeats with half the step what is still wrong, unsolved or unstable, down to a minimum step that depends on the
//           failure; after too many attempts it goes to that minimum at once
//   stop    moves what would pass through a surface even in the shortest step together with that surface (zones.c)
//
// What remains is accepted and counted (CpsStepInfo).
#include "world/world.h"

#include "core/clock.h"
#include "core/error.h"

#include <math.h>

enum { CALM = 16 };                   // steps without a halving after which an adaptive step doubles
enum { RENEWALS = 4 };                // repetitions with contacts that the previous attempt violated
enum { IMPACTS = 8 };                 // repetitions with features of surfaces that have met,
enum { STALLING = 3 };                // of which this many in a row may bring no improvement
enum { ATTEMPTS = 48 };               // attempts at a step, of any length, before the minimum length is used
enum { MENDINGS = 8 };                // rounds of position correction
enum { WILD = 2 };                    // fraction of the step below which objects that still pass are slowed down
enum { SINKING = 16 };                // smallest fraction of the step if lines get too deep
enum { TURNING = 64 };                // if lines turn too far
enum { JERKING = 64 };                // if lines gain energy
enum { PASSING = 64 };                // if shapes pass through each other
enum { THINNEST = 16 };               // smallest fraction of the minimum step if lines pass through something
enum { THINNEST_FIXED = 1024 };       // the same for fixed steps
static const double MENDED = 0.25;    // part of the bound that remains after position correction
static const double TOO_DEEP = 0.25;  // depth of lines at which the step is halved, in radii
static const double STILL = 1e-7;     // motion of a line at rest in one step, in radii; rounding moves it by 1e-9
static const double MILD = 0.1;       // upper limit of the bound for position correction, in radii
static const double GAIN = 0.8;       // stop after a round that leaves more than this fraction of the penetration
static const double PATIENCE = 0.25;  // smallest fraction of the step if it is not solved
static const double ADDED_PENETRATION = 1e-2;  // default bound, in parts of the smallest inner radius

// Whether to repeat a step in which lines passed through something.
static bool is_mending(const CpsWorld* world) {
  return (world->def.adaptive || world->def.mend) && cps_world_line_pieces(world) > 0;
}

// The same for surfaces, whose positions are not corrected.
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

// The step length down to which a step is halved if something would pass through something.
static double thinnest_step(const CpsWorld* world) {
  // clouds, and shapes that drift without impulses (contacts.c) or pass through each other (ways.c)
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

// Whether lines did not move and nothing got deeper into them: resting objects are not moved (projection.c), and lines placed inside
// each other are not corrected again in every step.
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

// Corrects the positions of lines that sank into or passed through something in this step, if possible.
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
  const double deepest = step->sinking_newly;  // without penetration from before the step, which held ends may maintain
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

// Checks what happened to lines, and what surfaces met. Positions are final afterwards.
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

// Whether the residual calls for a shorter step. If a quarter of the step is not solved, shorter steps rarely are.
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

// Whether something is wrong that a shorter step might avoid. Below the minimum step, only lines and surfaces that passed through or
// sank into something count.
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

// Whether adding contacts for features that met no longer helps: as many objects pass through each other as without them. Crumpled or
// held surfaces meet the same features again and again, each time with more contacts to solve.
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
  // a shorter step may be stable
  const double shortest = is_mending(world) || is_looking(world) ? thinnest_step(world) : smallest_step(&world->def);
  if (status != CPS_BAD_DATA || !(step->model.h > shortest)) return status;
  *verdict = CPS_VERDICT_HALVE;
  return CPS_OK;
}

double cps_step_halved(CpsStep* step) {
  const double h = step->model.h, least = smallest_step(&step->world->def);
  // objects that were pushed through each other are not pushed again; shorter steps only help moving objects
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

// Whether a time is an even multiple of h, or no multiple: fixed steps are halved in place and return to their original time grid.
static bool is_even(double time, double h) {
  double count = time / h, whole = nearbyint(count);
  return fabs(count - whole) > 1e-3 || fmod(whole, 2.0) == 0.0;
}

void cps_step_set_next(const CpsStep* step) {
  CpsWorld* world = step->world;
  const CpsWorldDef* def = &world->def;
  world->h = step->model.h;
  world->calm = step->info.halvings > 0 ? 0 : world->calm < CALM ? world->calm + 1 : CALM;
  // a step below the minimum was meant for one moment only
  int32_t calm = world->h < smallest_step(def) ? 1 : CALM;
  if (world->calm >= calm && world->h < def->step && (def->adaptive || is_even(world->time, world->h))) {
    world->h = fmin(2.0 * world->h, def->step);
    world->calm = 0;
  }
}
