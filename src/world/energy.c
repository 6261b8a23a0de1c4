// The energy balance. capstan/world.h states which terms must add up.
#include "world/world.h"

#include <math.h>

// Members summed in one chunk, for any number of threads, and how many chunks are summed at a time.
enum { CHUNK = 64, SUMS = 64 };

typedef struct Summing {
  const CpsModel* model;
  const CpsModelStep* step;
  bool stepped;
  int32_t first, count;  // member of the first sum; members of the model
  CpsModelEnergy part[SUMS];
} Summing;

static void sum_chunks(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Summing* s = data;
  for (int64_t k = first; k < last; ++k) {
    int32_t from = s->first + CHUNK * (int32_t)k, to = from + CHUNK < s->count ? from + CHUNK : s->count;
    s->part[k] = (CpsModelEnergy){0};
    s->model->type->energy(s->model, s->step, s->stepped, from, to, &s->part[k]);
  }
}

static void add(CpsModelEnergy* sum, const CpsModelEnergy* part) {
  sum->kinetic += part->kinetic;
  sum->potential += part->potential;
  sum->elastic += part->elastic;
  sum->springs += part->springs;
  sum->external += part->external;
  sum->damping += part->damping;
  sum->ends += part->ends;
  sum->linearisation += part->linearisation;
  sum->scheme += part->scheme;
  sum->ties += part->ties;
  sum->turnover += part->turnover;
  sum->grain += part->grain;
}

// The energies of all members now; with `stepped` also the works of the step.
static CpsModelEnergy sum_up(const CpsWorld* world, const CpsModelStep* step, bool stepped) {
  CpsModelEnergy sum = {0};
  for (int k = 0; k < world->population_count; ++k) {
    const CpsModel* model = world->population[k];
    Summing s = {.model = model, .step = step, .stepped = stepped, .count = model->count};
    for (; s.first < s.count; s.first += CHUNK * SUMS) {
      int32_t chunks = (s.count - s.first + CHUNK - 1) / CHUNK;
      if (chunks > SUMS) chunks = SUMS;
      cps_pool_run(world->pool, chunks, sum_chunks, &s);
      for (int32_t i = 0; i < chunks; ++i) add(&sum, &s.part[i]);
    }
  }
  sum.elastic += cps_ties_stored(world);
  return sum;
}

// Kinetic, potential and elastic energy now; with `energy` also the works of the step, added to the energy balance.
double cps_world_total_energy(CpsWorld* world, const CpsModelStep* step, CpsEnergy* energy) {
  const CpsModelEnergy sum = sum_up(world, step, energy != NULL);
  world->energy.kinetic = sum.kinetic;
  world->energy.potential = sum.potential;
  world->energy.elastic = sum.elastic;
  world->pull_energy = sum.springs;
  if (energy) {
    energy->external += sum.external;
    energy->damping += sum.damping;
    energy->ends += sum.ends;
    energy->linearisation += sum.linearisation;
    energy->scheme += sum.scheme;
    energy->ties += sum.ties;
    energy->turnover += sum.turnover;
    world->energy_grain = sum.grain;
  }
  return sum.kinetic + sum.potential + sum.elastic;
}

// The value that the energy balance gives: kinetic + potential + elastic should be.
static double expected(const CpsEnergy* e) {
  return e->start + e->external + e->obstacles + e->ends - e->friction - e->impact - e->damping - e->linearisation -
         e->scheme - e->projection - e->ties;
}

// Runaway energy. A step that is too long for stiff or light objects creates energy if theta < 1, or if forces and
// ties are only first-order accurate: a little in each step, and more in the next. The energy present should never
// exceed the energy that was there at the start or has been supplied,
//
//   X = kinetic + potential + elastic - (start + external + obstacles + ends) <= 0,                                  (1)
//
// but a jerk, or a rope that becomes taut, may create some once, and without damping it stays. The trend is therefore
// decisive: X must exceed SHARE of the energy available for motion and elastic energy,
//
//   H = start + external + obstacles + ends - potential,                                                            (2)
//
// for WINDOWS consecutive windows of WINDOW steps, and grow by the factor GROWTH within each. (The first window is
// that of the jerk.) H counts at least as much as gravity supplies in one step, M (g h)^2 / 2, or, without gravity,
// the energy of speeds at rounding level (CALM). X must also exceed accumulated rounding, including that of elastic
// energies, each of which is a difference of large numbers where nothing is strained.
// Three cases do not wait for a trend. A burst: X exceeds BURST times H and BURST times its first value. A jump that
// stays: X exceeds H in STAYS consecutive steps, so that it was no jerk that friction or damping removes again. A
// jump to TEN times H, even if it disappears later: while it lasts, everything moves several times faster than it
// ever could.
enum { WINDOW = 8, WINDOWS = 3, STAYS = 48 };
static const double SHARE = 0.25, GROWTH = 1.1, ROUNDING = 1e-6, BURST = 4.0, WHOLE = 1.0, TEN = 10.0;
static const double DRAINED = 0.1;
static const double JERK = 0.1;    // relative to H: growth of X in one step beyond which half the step length is tried
static const double FRESH = 0.01;  // relative to H: the same for energy created by the discretisation
static const double CALM = 1e-12;  // m/s

static double total_mass(const CpsWorld* world) {
  double mass = 0.0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    model->type->weigh(model, 0, model->count, &mass);
  }
  return mass;
}

// The energy that was there at the start or has been supplied; and the gross sum of all energy exchanged.
static double given_by(const CpsEnergy* e) {
  return e->start + e->external + e->obstacles + e->ends;
}
static double gross_of(const CpsEnergy* e) {
  return e->turnover + fabs(e->start) + fabs(e->external) + fabs(e->obstacles) + fabs(e->ends);
}

// The energy that gravity supplies to all members in one step.
static double least_of(const CpsStep* step) {
  const double fall = fmax(cps_vec3_norm(step->model.gravity) * step->model.h, CALM);
  return 0.5 * fall * fall * total_mass(step->world);
}

double cps_world_surplus(const CpsWorld* world) {
  return fmax(world->last_energy - given_by(&world->energy), 0.0);
}

// N of (3) without the projection, and with the whole term of ties.
static double numeric_of(const CpsEnergy* e) {
  return e->linearisation + e->scheme + e->ties;
}

// Compares the growth of X in this attempt with H of (2). The force on a held end that starts to move changes within
// the step by its own size, so its work in the step, and the strain energy that it stores, are uncertain by as much.
//
// X is negative once impacts and friction have dissipated energy, which hides energy created up to that amount. So
// energy created by the discretisation itself is bounded, too: an edge that turns by a radian in a step lengthens by
// half its length, for which a stiff line stores many times the energy present.
bool cps_step_is_jerked(const CpsStep* step) {
  const CpsWorld* world = step->world;
  const CpsModelEnergy sum = sum_up(world, &step->model, true);
  CpsEnergy e = world->energy;  // has the works of contacts, pulls and obstacles in this attempt
  e.external += sum.external;
  e.ends += sum.ends;
  e.turnover += sum.turnover;
  e.linearisation += sum.linearisation;
  e.scheme += sum.scheme;
  e.ties += sum.ties;
  const double given = given_by(&e), made = sum.kinetic + sum.potential + sum.elastic - given - step->surplus;
  const double honest = fmax(given - sum.potential, 0.0), ends = fabs(sum.ends);
  const double known = ROUNDING * gross_of(&e) + sum.grain;
  const double over =
      fmax(made - JERK * honest - ends, numeric_of(step->booked) - numeric_of(&e) - FRESH * honest - 2.0 * ends);
  return over > known && over > known + JERK * least_of(step);
}

// (1) misses energy that is created and dissipated again, and energy that is lost. The terms of the discretisation show both:
//
//   N = linearisation + scheme + projection + min(ties, 0),                                                          (3)
//
// relative to the largest H so far (a pendulum has none at its highest point). Ties dissipate when they become taut.
// At theta = 1 the scheme dissipates by design, and of the losses only those of the projection count.
static void find_numeric(CpsStep* step, double honest, double known) {
  CpsWorld* world = step->world;
  const CpsEnergy* e = &world->energy;
  const double net = e->linearisation + e->scheme + e->projection + fmin(e->ties, 0.0);
  const double lost = step->model.theta < 1.0 ? net : e->projection;
  world->most_energy = fmax(world->most_energy, honest);
  const double scale = world->most_energy + least_of(step);
  step->info.created = -net > SHARE * scale + known ? -net / scale : 0.0;
  step->info.drained = lost > DRAINED * scale + known ? lost / scale : 0.0;
}

double cps_step_energy_made(CpsStep* step) {
  CpsWorld* world = step->world;
  const CpsEnergy* e = &world->energy;
  const double given = given_by(e), made = world->last_energy - given, gross = gross_of(e);
  CpsGaining* g = &world->gaining;
  const double honest = fmax(given - e->potential, 0.0),
               least = SHARE * honest + ROUNDING * gross + world->energy_grain;
  find_numeric(step, honest, ROUNDING * gross + world->energy_grain);
  const double floor = made > least ? least_of(step) : 0.0;
  step->info.excess = 0.0;
  if (!(made > least + SHARE * floor)) {
    *g = (CpsGaining){0};
    return 0.0;
  }
  step->info.excess = made / fmax(honest + floor, ROUNDING * gross);
  if (g->steps++ % WINDOW == 0) {
    g->windows = g->windows > 0 && !(made > GROWTH * g->mark) ? 1 : g->windows + 1;
    g->mark = made;
  }
  if (g->steps == 1) g->first = made;
  const bool burst = made > BURST * fmax(honest + floor, g->first);
  const double known = ROUNDING * gross + world->energy_grain;
  const bool whole = made > WHOLE * (honest + floor) + known, jump = made > TEN * (honest + floor) + known;
  g->large = whole ? g->large + 1 : 0;
  return g->windows > WINDOWS || burst || jump || g->large >= STAYS ? made : 0.0;
}

// Changes that the caller made since the last step start a new energy balance.
void cps_world_close_books(CpsWorld* world) {
  if (!world->changed) return;
  CpsModelStep now = {.gravity = world->def.gravity};
  double energy = cps_world_total_energy(world, &now, NULL);
  world->energy.start += energy - world->last_energy;
  world->last_energy = energy;
  world->changed = false;
}

CpsEnergy cps_world_energy(const CpsWorld* world) {
  if (!world) return (CpsEnergy){0};
  // the caller may have changed something since the last step: evaluate a copy of the energy balance
  CpsWorld copy = *world;
  cps_world_close_books(&copy);
  CpsEnergy e = copy.energy;
  double books = expected(&e);
  double largest = fmax(fmax(fabs(e.kinetic), fmax(fabs(e.potential), e.elastic)), e.turnover);
  const double parts[] = {e.start,   e.external,      e.obstacles, e.ends,       e.friction, e.impact,
                          e.damping, e.linearisation, e.scheme,    e.projection, e.ties};
  for (int i = 0; i < 11; ++i) largest = fmax(largest, fabs(parts[i]));
  e.error = largest > 0.0 ? fabs(e.kinetic + e.potential + e.elastic - books) / largest : 0.0;
  return e;
}
