// Inversion of a world as it stands: forces of contacts first (explain.c), then natural strains with which each fibre is in
// balance, one fibre at a time.
//
// Once the forces are known nothing couples the fibres: threads share them out, and the result does not depend on how.
#include "inverse/inverse.h"

#include "capstan/tie.h"
#include "core/error.h"
#include "things/fibres.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int COOKIE = 0x0c051afe;
static const double BALANCED =
    1e-9;  // relative to a length, or to the moment of the load: worse balances mean a shape too wild for the arithmetic
static const double ROUNDINGS = 8.0;  // for natural strains, strains in a balance and the error of a factorisation

CpsInvertOptions cps_invert_options_default(void) {
  return (CpsInvertOptions){.contacts = true,
                            .margin = 0.05,
                            .compliance = NAN,
                            .tolerance = 1e-6,
                            .max_sweeps = 200,
                            .stability = true,
                            .stiffen_margin = 0.1,
                            .stiffen_most = 10.0,
                            .cookie = COOKIE};
}

// The result for one fibre.
typedef struct Fate {
  CpsStatus status;
  bool unstable, stiffened;
  CpsFibreDoubt doubt;
  double balance, least, factor;
  CpsError error;
} Fate;

static CpsStatus balance(CpsRod* rod, const CpsRodLoad* load, Fate* fate) {
  CpsRodLoad asked = *load;
  double left = -1.0;
  asked.left = &left;
  const CpsStatus status = rod->type->statics->balance(rod, &asked, &fate->error);
  if (status != CPS_OK) return status;
  fate->balance = left < 0.0 ? cps_rod_imbalance(rod, load) : left;
  if (fate->balance < 0.0) return cps_fail(&fate->error, CPS_NO_MEMORY, "not enough memory to invert a fibre");
  return CPS_OK;
}

// The least factor on the original stiffness for which the matrices are positive definite; raises the factor found so far.
static void ask(const CpsRodMatrices* m, Fate* fate) {
  if (cps_rod_matrices_factor(m, 1.0)) return;
  fate->unstable = true;
  fate->least = fmax(fate->least, fate->factor * cps_rod_least_factor(m));
}

// Further requirement of the time step; `rest` are the matrices of rest.
static CpsStatus judge_step(const CpsRod* rod, const CpsRodLoad* load, const CpsRodMatrices* rest,
                            const CpsWorld* world, Fate* fate) {
  const double h = world->h, theta = world->def.theta;
  const bool unstable = fate->unstable;
  CpsStatus status = CPS_OK;
  CpsRodMatrices m = {0};
  if (cps_rod_step_matters(rod, theta)) {
    status = cps_rod_step_matrices(rod, load, rest, h, theta, &m);
    if (status == CPS_OK) ask(&m, fate);
    cps_rod_matrices_free(&m);
  }
  if (status == CPS_OK && cps_rod_step_is_late(rod, theta)) {
    status = cps_rod_late_matrices(rod, load, rest, h, theta, &m);
    if (status == CPS_OK) ask(&m, fate);
    cps_rod_matrices_free(&m);
  }
  if (fate->unstable && !unstable) fate->doubt = CPS_DOUBT_STEP;
  return status;
}

// Whether the tip is held. A held tip can only make a rod more stable than assumed here.
static bool has_held_tip(const CpsRod* rod) {
  return rod->spec.tip != CPS_END_FREE && rod->type->statics != &cps_der_statics;
}

// Checks rest, and with `step` also the time step, for a rod with its current stiffness. A rod that is unstable at
// rest is checked for the step only if a stiffness is sought that cures both.
static CpsStatus judge_once(const CpsRod* rod, const CpsRodLoad* load, const CpsWorld* world, bool step, bool stiffens,
                            Fate* fate) {
  CpsRodMatrices rest;
  CpsStatus status = cps_rod_held_matrices(rod, load, &rest);
  if (status == CPS_OK) {
    ask(&rest, fate);
    fate->doubt = fate->unstable ? CPS_DOUBT_UNSTABLE : CPS_DOUBT_NONE;
    if (step && (stiffens || !fate->unstable)) status = judge_step(rod, load, &rest, world, fate);
  }
  cps_rod_matrices_free(&rest);
  return status == CPS_OK ? CPS_OK : cps_fail(&fate->error, CPS_NO_MEMORY, "not enough memory");
}

// Contacts that carry load. Below theta = 1 they allow in a step what they lost in the previous one, which no matrix here represents.
static bool is_carried(const CpsRodLoad* load) {
  for (int32_t i = 0; i < load->touch_count; ++i) {
    if (cps_vec3_norm(load->touches[i].force) > 0.0) return true;
  }
  return false;
}

// If theta < 1, stiffness does not help against instability of the time step.
static CpsStatus judge(CpsRod* rod, const CpsRodLoad* load, const CpsWorld* world, const CpsInvertOptions* options,
                       Fate* fate) {
  const bool damps = world->def.theta == 1.0;
  if (rod->spec.root != CPS_END_CLAMPED) {
    fate->doubt = CPS_DOUBT_UNKNOWN;
    return CPS_OK;
  }
  CpsStatus status = judge_once(rod, load, world, damps || !options->stiffen, options->stiffen, fate);
  if (status != CPS_OK) return status;
  if (fate->doubt == CPS_DOUBT_UNSTABLE && has_held_tip(rod)) {
    fate->doubt = CPS_DOUBT_UNKNOWN;
    fate->unstable = false;
    fate->least = 0.0;
    return CPS_OK;
  }
  const double factor = (1.0 + options->stiffen_margin) * fate->least;
  if (fate->unstable && options->stiffen && factor <= options->stiffen_most) {
    cps_rod_stiffen(rod, factor * rod->stiffened);
    fate->unstable = false;
    fate->doubt = CPS_DOUBT_NONE;
    fate->stiffened = true;
    fate->factor = factor;
    status = balance(rod, load, fate);
  }
  // with its current stiffness
  if (status == CPS_OK && !damps && options->stiffen && !fate->unstable)
    status = judge_once(rod, load, world, true, false, fate);
  if (!damps && fate->doubt == CPS_DOUBT_NONE && is_carried(load)) fate->doubt = CPS_DOUBT_UNKNOWN;
  return status;
}

// Displacement of a fibre by the residual of the balance, in lengths: load L^2 / E I times the residual if the fibre
// is stiff, the whole residual if it is not. (The weight changes the curvature of a stub of a tenth of a millimetre
// by so little that rounding of its natural strains is 1e-6 of it.)
static double astray(const CpsRod* rod, const CpsRodLoad* load, double balance_) {
  const double *B = rod->spec.branch[0].stiffness, L = rod->spec.length;
  return balance_ * fmin(1.0, cps_rod_load_size(rod, load) * L * L / fmin(B[0], fmin(B[1], B[2])));
}

// The part of a balance due to rounding of natural strains: the moments B (k - n) are known to e |n| B, with e half
// the spacing of doubles. Discrete rods store strains times the length of a joint.
static double rounding(const CpsRod* rod, const CpsRodLoad* load) {
  const CpsRodNatural natural = rod->type->statics->natural(rod);
  const double L = rod->spec.length, unit = rod->type->statics == &cps_der_statics ? L / rod->spec.elements : 1.0;
  const double* B = rod->spec.branch[0].stiffness;
  double largest = 0.0;
  for (int32_t i = 0; i < 3 * natural.count; ++i) largest = fmax(largest, B[i % 3] * fabs(natural.strain[i]) / unit);
  const double moment = cps_rod_load_size(rod, load) * L;
  return moment > 0.0 ? ROUNDINGS * 0.5 * DBL_EPSILON * largest / moment : 0.0;
}

// Inverts one fibre; if it is refused, restores its natural strains and multipliers.
static CpsStatus invert(CpsRod* rod, const CpsWorld* world, const CpsRodTouch* touches, int32_t touch_count,
                        const CpsInvertOptions* options, Fate* fate) {
  if (!rod->type->statics) {
    return cps_fail(&fate->error, CPS_UNSUPPORTED, "a fibre of the model %s has no natural strains that can hold it",
                    rod->type->name);
  }
  CpsRodLoad load = cps_rod_load(rod, world->def.gravity, rod->pull_count, rod->pulls);
  load.touch_count = touch_count;
  load.touches = touches;
  const size_t bytes = (size_t)rod->state_count * sizeof(double);
  double* kept = malloc(bytes);
  if (!kept) return cps_fail(&fate->error, CPS_NO_MEMORY, "not enough memory to invert a fibre");
  memcpy(kept, rod->state, bytes);
  CpsStatus status = balance(rod, &load, fate);
  if (status == CPS_OK &&
      !(fate->balance <= BALANCED + rounding(rod, &load) && astray(rod, &load, fate->balance) <= BALANCED)) {
    status = cps_fail(&fate->error, CPS_NO_SOLUTION,
                      "its shape is too irregular: %g of its weight would remain unbalanced", fate->balance);
  }
  if (status == CPS_OK && options->stability) status = judge(rod, &load, world, options, fate);
  if (status != CPS_OK) memcpy(rod->state, kept, bytes);
  free(kept);
  return status;
}

typedef struct Work {
  CpsWorld* world;
  const CpsInvertOptions* options;
  Fate* fate;
  int32_t count;
  CpsFibre** list;  // fibres to be inverted; NULL: empty place
  CpsForces forces;
} Work;

static bool list_fibres(Work* w) {
  const CpsFibres* all = cps_world_fibres(w->world);
  w->count = w->options->fibres ? w->options->fibre_count : all->model.count;
  w->fate = CPS_TAKE(&w->forces.arena, Fate, w->count);
  w->list = CPS_TAKE(&w->forces.arena, CpsFibre*, w->count);
  if (!w->fate || !w->list) return false;
  for (int32_t i = 0; i < w->count; ++i) {
    CpsFibre* f = w->options->fibres ? cps_world_find_fibre(w->world, w->options->fibres[i]) : &all->fibres[i];
    w->list[i] = f->there ? f : NULL;
  }
  return true;
}

// Finds the forces on the fibres that can be inverted; the natural strains of all fibres are unchanged.
static CpsStatus find_forces(Work* w, CpsProblem** problem, CpsInvertInfo* info, CpsError* error) {
  info->bending_left = 1.0;
  if (!problem && (!w->options->contacts || cps_world_line_pieces(w->world) == 0)) return CPS_OK;
  CpsArena* arena = &w->forces.arena;
  CpsFibre** able = CPS_TAKE(arena, CpsFibre*, w->count);
  double** kept = CPS_TAKE_ZERO(arena, double*, w->count);
  bool ok = able && kept;
  for (int32_t i = 0; ok && i < w->count; ++i) {
    able[i] = w->list[i] && w->list[i]->rod.type->statics ? w->list[i] : NULL;
    if (!able[i]) continue;
    kept[i] = CPS_TAKE(arena, double, able[i]->rod.state_count);
    ok = kept[i] != NULL;
    if (ok) memcpy(kept[i], able[i]->rod.state, (size_t)able[i]->rod.state_count * sizeof(double));
  }
  if (!ok) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert %d fibres", (int)w->count);
  const CpsStatus status = cps_explain(w->world, able, w->count, w->options, &w->forces, problem, info, error);
  for (int32_t i = 0; i < w->count; ++i) {
    if (able[i]) memcpy(able[i]->rod.state, kept[i], (size_t)able[i]->rod.state_count * sizeof(double));
  }
  return status;
}

static void invert_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Work* w = data;
  for (int64_t i = first; i < last; ++i) {
    CpsFibre* f = w->list[i];
    Fate* fate = &w->fate[i];
    *fate = (Fate){.factor = 1.0};
    if (!f) continue;
    const int32_t *at = w->forces.first, count = at ? at[i + 1] - at[i] : 0;
    const CpsRodTouch* touches = at ? w->forces.touch + at[i] : NULL;
    fate->status = invert(&f->rod, w->world, touches, count, w->options, fate);
    f->fresh = f->placed = false;
    f->rest = (CpsFibreRest){.inverted = fate->status == CPS_OK,
                             .refused = fate->status != CPS_OK,
                             .unstable = fate->status == CPS_OK && fate->unstable,
                             .stiffened = fate->stiffened,
                             .least_factor = fate->least};
    const bool loaded = fate->status == CPS_OK && w->forces.loaded && w->forces.loaded[i];
    f->doubt = fate->unstable || !loaded ? fate->doubt : CPS_DOUBT_LOADED;
  }
}

static CpsStatus sum_up(const Work* w, CpsInvertInfo* info, CpsError* error) {
  CpsStatus status = CPS_OK;
  const Fate* fate = w->fate;
  info->most_stiffened = 1.0;
  for (int32_t i = 0; i < w->count; ++i) {
    const CpsFibre* f = w->list[i];
    if (!f) continue;
    const CpsFibreId id = {(int32_t)(f - cps_world_fibres(w->world)->fibres), f->generation};
    ++info->fibre_count;
    info->element_count += f->rod.spec.elements;
    if (fate[i].status == CPS_NO_MEMORY) return cps_fail(error, CPS_NO_MEMORY, "%s", fate[i].error.text);
    if (fate[i].status != CPS_OK) {
      if (info->refused_count++ > 0) continue;
      info->refused = id;
      status = cps_fail(error, CPS_NO_SOLUTION, "fibre %d (%s) cannot be inverted: %s", (int)id.index,
                        f->name ? f->name : "no name", fate[i].error.text);
      continue;
    }
    ++info->inverted_count;
    if (fate[i].unstable && info->unstable_count++ == 0) info->unstable = id;
    info->unjudged_count += fate[i].doubt == CPS_DOUBT_UNKNOWN;
    info->stiffened_count += fate[i].stiffened;
    info->balance = fmax(info->balance, fate[i].balance);
    info->least_factor = fmax(info->least_factor, fate[i].least);
    info->most_stiffened = fmax(info->most_stiffened, fate[i].factor);
  }
  return status;
}

static CpsStatus check(const CpsWorld* world, const CpsInvertOptions* options, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  if (options->cookie != COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the options were not initialised by cps_invert_options_default()");
  }
  if (!(options->stiffen_margin >= 0.0 && options->stiffen_margin <= 10.0) || !(options->stiffen_most >= 1.0)) {
    return cps_fail(error, CPS_BAD_DATA, "stiffen_margin = %g must be in [0, 10], stiffen_most = %g at least 1",
                    options->stiffen_margin, options->stiffen_most);
  }
  if (!(options->margin >= 0.0 && options->margin < 1.0) ||
      !(isnan(options->compliance) || (options->compliance >= 0.0 && options->compliance <= 1.0)) ||
      !(options->tolerance > 0.0) || options->max_sweeps < 1 || options->guess < CPS_GUESS_AS_PLACED ||
      options->guess > CPS_GUESS_NATURAL) {
    return cps_fail(
        error, CPS_BAD_DATA,
        "margin = %g must be in [0, 1), compliance = %g in [0, 1], tolerance = %g > 0, max_sweeps = %d at least 1, "
        "and the guess a known one",
        options->margin, options->compliance, options->tolerance, (int)options->max_sweeps);
  }
  for (int32_t i = 0; options->fibres && i < options->fibre_count; ++i) {
    if (!cps_world_find_fibre(world, options->fibres[i])) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "the fibre does not exist or was removed");
    }
  }
  return CPS_OK;
}

static CpsStatus run(Work* work, CpsInvertInfo* info, CpsError* error) {
  CpsWorld* world = work->world;
  if (!list_fibres(work)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert fibres");
  const CpsStatus status = find_forces(work, NULL, info, error);
  if (status != CPS_OK) return status;
  const CpsModelStep step = {.h = world->h, .theta = world->def.theta, .gravity = world->def.gravity};
  cps_pulls_expect(world, &step);
  cps_pool_run(world->pool, work->count, invert_range, work);
  cps_pulls_restore(world);
  world->changed = true;
  return sum_up(work, info, error);
}

CpsStatus cps_world_invert(CpsWorld* world, const CpsInvertOptions* options, CpsInvertInfo* info, CpsError* error) {
  const CpsInvertOptions usual = cps_invert_options_default();
  if (!options) options = &usual;
  const CpsStatus checked = check(world, options, error);
  if (checked != CPS_OK) return checked;
  Work work = {.world = world, .options = options};
  CpsInvertInfo own = {0};
  const CpsStatus status = run(&work, &own, error);
  if (status == CPS_OK || status == CPS_NO_SOLUTION) {
    cps_world_fibres(world)->inverted = own;
    if (info) *info = own;
  }
  cps_arena_free(&work.forces.arena);
  return status == CPS_OK ? cps_succeed(error) : status;
}

CpsStatus cps_world_invert_problem(CpsWorld* world, const CpsInvertOptions* options, CpsProblem** problem,
                                   CpsError* error) {
  const CpsInvertOptions usual = cps_invert_options_default();
  if (!options) options = &usual;
  if (!problem) return cps_fail(error, CPS_BAD_ARGUMENT, "problem is NULL");
  CpsStatus status = check(world, options, error);
  if (status != CPS_OK) return status;
  Work work = {.world = world, .options = options};
  CpsInvertInfo info = {0};
  status = list_fibres(&work) ? find_forces(&work, problem, &info, error)
                              : cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert fibres");
  cps_arena_free(&work.forces.arena);
  return status == CPS_OK ? cps_succeed(error) : status;
}

CpsStatus cps_world_invert_fibre(CpsWorld* world, CpsFibreId id, const CpsInvertOptions* options, CpsInvertInfo* info,
                                 CpsError* error) {
  CpsInvertOptions own = options ? *options : cps_invert_options_default();
  own.fibre_count = 1;
  own.fibres = &id;
  return cps_world_invert(world, &own, info, error);
}

CpsInvertInfo cps_world_last_inversion(const CpsWorld* world) {
  return world ? cps_world_fibres(world)->inverted : (CpsInvertInfo){0};
}

CpsStatus cps_world_fibre_rest(const CpsWorld* world, CpsFibreId id, CpsFibreRest* rest) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !rest) return CPS_BAD_ARGUMENT;
  *rest = f->rest;
  return CPS_OK;
}

// Whether an intact tie acts on a fibre.
static bool is_tied(const CpsWorld* world, CpsFibreId id) {
  for (int32_t i = 0; i < cps_world_tie_count(world); ++i) {
    CpsTieState tie;
    if (cps_world_tie_state(world, cps_world_tie(world, i), &tie) != CPS_OK || tie.broken) continue;
    for (int s = 0; s < 2; ++s) {
      const CpsThing* thing = &tie.thing[s];
      if (thing->kind == CPS_THING_FIBRE && thing->index == id.index && thing->generation == id.generation) return true;
    }
  }
  return false;
}

CpsFibreDoubt cps_world_fibre_doubt(const CpsWorld* world, CpsFibreId id) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || !f->rest.inverted) return CPS_DOUBT_NONE;
  const bool tied = f->doubt == CPS_DOUBT_NONE || f->doubt == CPS_DOUBT_UNKNOWN;
  return tied && is_tied(world, id) ? CPS_DOUBT_TIED : f->doubt;
}
