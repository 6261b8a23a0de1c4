// Forces of contacts that hold fibres in the shape that was drawn.
//
// With y of (2) of rod_statics.h, y_w that of weight and pulls alone, y_0 = L^T (k - n_0) that of the natural strains n_0 that one
// would guess, and forces r in their cones,
//
//   min  1/2 |y_w + G^T r - y_0|^2 + c/2 |r|^2,    r in K_mu'                                                        (1)
//
// is the elastic energy between the natural shape and the guess. Its conditions are those of the law `convex` (problem.h),
//
//   u = W r + b in K_1/mu',   r in K_mu',   u.r = 0,    W = G G^T + c,   b = G (y_w - y_0)                           (2)
//
// with mu' = (1 - margin) mu (habilitation of Bertails-Descoubes 2017, (4.10), in the metric of the elastic energy, in which
// W is a compliance; docs/theory/inverse.md). Any r in the cones gives an exact balance: (2) decides only what is plausible.
//
// A root that is pinned or free must not take anything. What it would have to, a moment M and for a free one a force F, gets
// a penalty p and multipliers z, which are found in some rounds:
//
//   y has the entries sqrt(p) (M / length + z_M), sqrt(p) (F + z_F),    z += (M / length, F)                         (3)
#include "inverse/explain.h"

#include "core/error.h"
#include "friction/refill.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20, MANY = CPS_EXPLAIN_MANY, MORE_SWEEPS = 50 };
static const double SWEPT = 1e-2;  // residual that sweeps alone can reach
static const double ROUGH = 2e-2;  // residual of the first rounds, which sweeps reach quickly
static const double FEW = 1e-3;  // relative to the contacts: if fewer are freed, another rough round is not worthwhile
static const double FINE = 1e-12;  // residual if the tolerance of the roots requires a finer one
static const double HELD = 1e-12;  // allowed load of the roots, relative to the largest
static const double SLOW = 0.9;    // stop after a round that leaves more than this part: contacts do not hold the roots
static const double AT_LIMIT = 1e-6;  // relative to the cone

// Projects the forces onto their cones, to the last bit.
static void settle(CpsExplain* e) {
  for (int32_t k = 0; k < e->holding_count; ++k) {
    double* r = e->r + 3 * (ptrdiff_t)k;
    const double t = hypot(r[1], r[2]), most = e->mu[k] * r[0];
    if (!(r[0] > 0.0) || e->law[k] == CPS_LAW_FREE) r[0] = r[1] = r[2] = 0.0;
    if (t > most) r[1] *= most / t, r[2] *= most / t;
  }
}

static CpsContactsDef contacts_of(const CpsExplain* e) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = e->holding_count;
  def.laws = e->law;
  def.mu = e->mu;
  def.b = e->b;
  def.compliance = e->softness > 0.0 ? e->compliance : NULL;
  return def;
}

static CpsStatus make_problem(const CpsExplain* e, CpsProblem** problem, CpsError* error) {
  const CpsContactsDef def = contacts_of(e);
  const int64_t none = 0;
  const CpsFactoredForm form = {e->body_count, e->body_dofs, e->term_start ? e->term_start : &none,
                                e->term_body,  e->G,         e->G};
  return cps_problem_from_bodies(&def, &form, problem, error);
}

// Contacts may have been freed, and b may have changed, since the previous round.
static CpsStatus prepare(CpsExplain* e, CpsError* error) {
  if (e->problem) {
    const CpsContactsDef def = contacts_of(e);
    return cps_problem_refill_laws(e->problem, &def, error);
  }
  const CpsStatus status = cps_workspace_create(&e->workspace);
  if (status != CPS_OK) return cps_fail(error, status, "not enough memory for the forces of contacts");
  return make_problem(e, &e->problem, error);
}

// Sweeps from the current r. The limit counts all rounds together, but each round has some.
static CpsStatus sweep(CpsExplain* e, bool fine, double tolerance, CpsInvertInfo* info, CpsError* error) {
  CpsSolveInfo solved = {0};
  CpsSolveOptions options = cps_solve_options_default();
  options.method = e->holding_count >= MANY ? CPS_METHOD_GS_PARALLEL : CPS_METHOD_AUTO;
  options.local = CPS_LOCAL_ENUM;
  options.tolerance = tolerance;
  const int64_t most = e->options->max_sweeps, left = most - info->sweeps, least = (most + 3) / 4;
  options.max_iterations = fine ? MORE_SWEEPS * most : left > least ? left : least;
  options.threads = e->world->pool_threads;
  const CpsStatus status = cps_workspace_solve(e->workspace, e->problem, &options, e->r, &solved, error);
  info->sweeps += solved.iterations;
  info->residual = solved.residual;
  return status;
}

static CpsStatus refine(CpsExplain* e, double tolerance, CpsInvertInfo* info, CpsError* error) {
  const CpsStatus status = cps_explain_refine(e, tolerance, &info->residual, &info->steps);
  return status == CPS_NO_MEMORY ? cps_fail(error, CPS_NO_MEMORY, "not enough memory for the forces of contacts")
                                 : status;
}

// Solves (2) from the current r until the residual is below `tolerance`: by sweeps, with many contacts only to the
// first digits, then by Newton steps. Steps continue from the strains of an earlier call, before some contacts were
// freed: forces at most contacts stay similar.
static CpsStatus solve(CpsExplain* e, bool fine, double tolerance, CpsInvertInfo* info, CpsError* error) {
  const bool refines = !fine && e->softness > 0.0;
  const double first = fine ? FINE : refines && e->holding_count >= MANY && tolerance < SWEPT ? ROUGH : tolerance;
  const int64_t sweeps = info->sweeps;
  CpsStatus status = prepare(e, error);
  if (status == CPS_OK) {
    if (e->refined) {
      cps_explain_respond(e, e->r, e->z);
      info->residual = cps_explain_residual(e, e->r, e->z);
    } else {
      status = sweep(e, fine, first, info, error);
    }
  }
  if (status >= 0 && refines && info->residual > tolerance) status = refine(e, tolerance, info, error);
  // the remaining sweeps continue where the steps ended
  if (status >= 0 && refines && info->residual > tolerance && info->sweeps - sweeps < e->options->max_sweeps)
    status = sweep(e, false, tolerance, info, error);
  if (status < 0) return status;
  settle(e);
  return CPS_OK;
}

// (3): load of the roots under the current forces, relative to their own load, and the aim of the next round. y has
// room for all strains.
static double next_round(CpsExplain* e, const double* asked, double* y) {
  double largest = 0.0, load = 0.0;
  memcpy(y, e->aim, (size_t)e->size * sizeof *y);
  cps_explain_scatter(e, e->r, y);
  for (int32_t i = 0; i < e->count; ++i) {
    const CpsHeld* h = &e->held[i];
    for (int64_t j = h->y + h->strains; h->body >= 0 && j < h->y + cps_held_columns(h); ++j) {
      const double z = e->aim[j] - asked[j];
      largest = fmax(largest, fabs(y[j] - z));
      load = fmax(load, fabs(asked[j]));
      e->aim[j] = asked[j] + y[j];
    }
  }
  return load > 0.0 ? largest / load : 0.0;
}

static CpsStatus find_forces(CpsExplain* e, double tolerance, CpsInvertInfo* info, CpsError* error) {
  bool roots = false;
  for (int32_t i = 0; i < e->count; ++i) roots = roots || e->held[i].root > 0;
  cps_explain_gather(e, e->aim, e->b);
  CpsStatus status = solve(e, roots, tolerance, info, error);
  if (!roots || status != CPS_OK) return status;
  double *asked = CPS_TAKE(e->arena, double, e->size), *y = CPS_TAKE(e->arena, double, e->size);
  if (!asked || !y) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the forces of contacts");
  memcpy(asked, e->aim, (size_t)e->size * sizeof *asked);
  double last = INFINITY;
  for (int round = 0; round < ROUNDS && status == CPS_OK; ++round) {
    const double taken = next_round(e, asked, y);
    if (!(taken > HELD) || taken > SLOW * last) break;
    last = taken;
    cps_explain_gather(e, e->aim, e->b);
    status = solve(e, true, tolerance, info, error);
  }
  return status;
}

static double energy_of(const CpsExplain* e, const double* y) {
  double sum = 0.0;
  for (int32_t i = 0; i < e->count; ++i) {
    for (int32_t j = 0; j < e->held[i].strains; ++j) sum += y[e->held[i].y + j] * y[e->held[i].y + j];
  }
  return sum;
}

// Stores the forces on the fibres, and the tracks from which the step starts.
static CpsStatus hand_out(const CpsExplain* e, CpsForces* out, CpsInvertInfo* info, CpsError* error) {
  const CpsContacts* c = &e->step->contacts;
  const CpsVec3 g = e->world->def.gravity;
  double lift = 0.0, weight = 0.0;
  info->carrying_count = info->limit_count = 0;
  if (!out->first) {
    out->first = CPS_TAKE(e->arena, int32_t, e->count + 1);
    out->touch = CPS_TAKE(e->arena, CpsRodTouch, 2 * (int64_t)e->holding_count);
  }
  int32_t* filled = CPS_TAKE_ZERO(e->arena, int32_t, e->count);
  if (!out->first || !out->touch || !filled) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for forces");
  for (int32_t i = 0; i <= e->count; ++i) out->first[i] = i < e->count ? e->held[i].first : 2 * e->holding_count;
  for (int32_t k = 0; k < e->holding_count; ++k) {
    const CpsHolding* h = &e->holding[k];
    const CpsStepContact* t = &c->contact[h->contact];
    const double* r = e->r + 3 * (ptrdiff_t)k;
    const CpsVec3 F = cps_mat3_apply_transposed(t->frame, cps_vec3(r[0], r[1], t->across * r[2]));
    c->track[h->contact].impulse = F;
    info->carrying_count += r[0] > 0.0;
    info->limit_count += r[0] > 0.0 && e->mu[k] > 0.0 && hypot(r[1], r[2]) >= (1.0 - AT_LIMIT) * e->mu[k] * r[0];
    for (int s = 0; s < 2; ++s) {
      const CpsSpot* spot = s == 0 ? &t->spot_a : &t->spot_b;
      const CpsVec3 on = s == 0 ? F : cps_vec3_scale(-1.0, F);
      if (h->fibre[s] < 0) {
        lift -= cps_vec3_dot(cps_vec3_scale(-1.0, on), g);
        continue;
      }
      CpsRodTouch* touch = &out->touch[e->held[h->fibre[s]].first + filled[h->fibre[s]]++];
      *touch = (CpsRodTouch){.s = spot->arc, .point = spot->point, .force = on, .fixed = h->fibre[1 - s] < 0};
      if (t->mu == 0.0 && r[0] > 0.0) cps_explain_glide(e, h, s, r[0], touch);
    }
  }
  // fibres without contacts begin where the next ones do
  for (int32_t i = e->count - 1; i >= 0; --i) {
    if (e->held[i].fibre) weight += e->held[i].fibre->mass * cps_vec3_dot(g, g);
  }
  if (e->count > 0) out->first[e->count] = e->held[e->count - 1].first + filled[e->count - 1];
  info->lifted = weight > 0.0 ? lift / weight : 0.0;
  return CPS_OK;
}

// Frees the contacts of fibres that are unstable under the current forces, then those of fibres that were stable only
// because of these, until all are stable; returns their number.
static CpsStatus calm(CpsExplain* e, CpsForces* forces, CpsInvertInfo* info, int32_t* freed, CpsError* error) {
  *freed = 0;
  for (;;) {
    int32_t more;
    if (cps_explain_calm(e, forces, &more) != CPS_OK)
      return cps_fail(error, CPS_NO_MEMORY, "not enough memory for forces");
    if (more == 0) return CPS_OK;
    *freed += more;
    info->unsteady_count += more;
    settle(e);
    const CpsStatus status = hand_out(e, forces, info, error);
    if (status != CPS_OK) return status;
  }
}

static CpsStatus explain(CpsExplain* e, CpsForces* forces, CpsInvertInfo* info, CpsError* error) {
  CpsStatus status = cps_explain_fill(e, error);
  const double asked = e->options->tolerance;
  // rough forces reveal most contacts that destabilise a fibre: as long as they do, fine forces are not worthwhile
  bool rough = e->options->stability && e->holding_count >= MANY && asked < SWEPT;
  if (status == CPS_OK) status = find_forces(e, rough ? ROUGH : asked, info, error);
  if (status == CPS_OK) status = hand_out(e, forces, info, error);
  // without the forces of freed contacts the others are out of balance and are solved again. Each round frees some, so the loop ends
  while (status == CPS_OK && e->options->stability) {
    int32_t freed;
    status = calm(e, forces, info, &freed, error);
    if (status != CPS_OK || (freed == 0 && !rough)) break;
    rough = rough && freed > FEW * e->holding_count;
    status = find_forces(e, rough ? ROUGH : asked, info, error);
    if (status == CPS_OK) status = hand_out(e, forces, info, error);
  }
  if (status != CPS_OK) return status;
  const double before = energy_of(e, e->alone);
  cps_explain_scatter(e, e->r, e->alone);
  info->bending_left = before > 0.0 ? sqrt(energy_of(e, e->alone) / before) : 1.0;
  return CPS_OK;
}

CpsStatus cps_explain(CpsWorld* world, CpsFibre* const* list, int32_t count, const CpsInvertOptions* options,
                      CpsForces* forces, CpsProblem** problem, CpsInvertInfo* info, CpsError* error) {
  CpsArena* arena = &forces->arena;
  CpsStep step;
  CpsExplain e = {.world = world, .options = options, .step = &step, .arena = arena, .count = count};
  int32_t* place = CPS_TAKE(arena, int32_t, cps_world_fibres(world)->model.count);
  e.held = CPS_TAKE_ZERO(arena, CpsHeld, count);
  forces->loaded = CPS_TAKE_ZERO(arena, bool, count);
  if (!place || !e.held || !forces->loaded)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the contacts of %d fibres", (int)count);
  for (int32_t i = 0; i < cps_world_fibres(world)->model.count; ++i) place[i] = -1;
  for (int32_t i = 0; i < count; ++i) {
    e.held[i].fibre = list[i];
    if (list[i]) place[list[i] - cps_world_fibres(world)->fibres] = i;
  }
  CpsStatus status = cps_world_expect_contacts(world, &step, error);
  if (status == CPS_OK)
    status = cps_holdings_find(&step, place, arena, &e.holding, &e.holding_count, forces->loaded, info);
  info->bending_left = 1.0;
  if (status != CPS_OK) return status;
  const CpsModelStep now = {.h = world->h, .theta = world->def.theta, .gravity = world->def.gravity};
  cps_pulls_expect(world, &now);
  if (problem) {
    if (e.holding_count > 0) status = cps_explain_fill(&e, error);
    if (status == CPS_OK && e.holding_count > 0) cps_explain_gather(&e, e.aim, e.b);
    if (status == CPS_OK) status = make_problem(&e, problem, error);
  } else if (e.holding_count > 0) {
    status = explain(&e, forces, info, error);
  }
  cps_pulls_restore(world);
  cps_problem_destroy(e.problem);
  cps_workspace_destroy(e.workspace);
  cps_explain_forget(&e);
  if (status == CPS_OK && !problem) cps_world_start_from(world, &step);
  return status;
}
