// The books of energy. See capstan/world.h for what must add up.
#include "world/world.h"

#include <math.h>

enum { CHUNK = 1024 };  // bodies summed up together, whatever the number of threads

static void add(CpsModelEnergy* sum, const CpsModelEnergy* part) {
  sum->kinetic += part->kinetic;
  sum->potential += part->potential;
  sum->elastic += part->elastic;
  sum->external += part->external;
  sum->scheme += part->scheme;
  sum->turnover += part->turnover;
}

// Kinetic, potential and elastic energy now; with `energy` also the works of the step, added to the books.
double cps_world_total_energy(CpsWorld* world, const CpsModelStep* step, CpsEnergy* energy) {
  CpsModelEnergy sum = {0};
  for (int k = 0; k < CPS_POPULATIONS; ++k) {
    const CpsModel* model = cps_world_model(world, k);
    int32_t count = model->type->body_count(model);
    for (int32_t i = 0; i < count; i += CHUNK) {
      CpsModelEnergy part = {0};
      model->type->energy(model, step, energy != NULL, i, i + CHUNK < count ? i + CHUNK : count, &part);
      add(&sum, &part);
    }
  }
  world->energy.kinetic = sum.kinetic;
  world->energy.potential = sum.potential;
  world->energy.elastic = sum.elastic;
  if (energy) {
    energy->external += sum.external;
    energy->scheme += sum.scheme;
    energy->turnover += sum.turnover;
  }
  return sum.kinetic + sum.potential + sum.elastic;
}

// What the books say kinetic + potential + elastic should be.
static double expected(const CpsEnergy* e) {
  return e->start + e->external + e->obstacles - e->friction - e->impact - e->scheme - e->projection;
}

void cps_world_settle_books(CpsWorld* world) {
  CpsEnergy* e = &world->energy;
  e->scheme += expected(e) - (e->kinetic + e->potential + e->elastic);
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
  const double parts[] = {e.start, e.external, e.obstacles, e.friction, e.impact, e.scheme, e.projection};
  for (int i = 0; i < 7; ++i) largest = fmax(largest, fabs(parts[i]));
  e.error = largest > 0.0 ? fabs(e.kinetic + e.potential + e.elastic - books) / largest : 0.0;
  return e;
}
