// The books of energy. See capstan/world.h for what must add up.
#include "world/world.h"

#include <math.h>

// Members summed up together, whatever the number of threads, and how many such sums are made at a time.
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
  sum->turnover += part->turnover;
}

// Kinetic, potential and elastic energy now; with `energy` also the works of the step, added to the books.
double cps_world_total_energy(CpsWorld* world, const CpsModelStep* step, CpsEnergy* energy) {
  CpsModelEnergy sum = {0};
  for (int k = 0; k < world->population_count; ++k) {
    const CpsModel* model = world->population[k];
    Summing s = {.model = model, .step = step, .stepped = energy != NULL, .count = model->count};
    for (; s.first < s.count; s.first += CHUNK * SUMS) {
      int32_t chunks = (s.count - s.first + CHUNK - 1) / CHUNK;
      if (chunks > SUMS) chunks = SUMS;
      cps_pool_run(world->pool, chunks, sum_chunks, &s);
      for (int32_t i = 0; i < chunks; ++i) add(&sum, &s.part[i]);
    }
  }
  world->energy.kinetic = sum.kinetic;
  world->energy.potential = sum.potential;
  sum.elastic += cps_ties_stored(world);
  world->energy.elastic = sum.elastic;
  world->pull_energy = sum.springs;
  if (energy) {
    energy->external += sum.external;
    energy->damping += sum.damping;
    energy->ends += sum.ends;
    energy->linearisation += sum.linearisation;
    energy->scheme += sum.scheme;
    energy->turnover += sum.turnover;
  }
  return sum.kinetic + sum.potential + sum.elastic;
}

// What the books say kinetic + potential + elastic should be.
static double expected(const CpsEnergy* e) {
  return e->start + e->external + e->obstacles + e->ends - e->friction - e->impact - e->damping - e->linearisation -
         e->scheme - e->projection - e->ties;
}

// What was added, removed or set by hand since the last step counts as a new start.
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
  // the caller may have changed something since the last step: look on a copy of the books
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
