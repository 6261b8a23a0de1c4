// Friction and restitution of a pair of materials: the most specific value wins.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>

enum { MATERIALS_MAX = 1024 };  // the pairs form a square table

bool cps_pair_is_valid(CpsPair pair) {
  bool mu = isnan(pair.mu) || (pair.mu >= 0.0 && isfinite(pair.mu));
  return mu && (isnan(pair.restitution) || (pair.restitution >= 0.0 && pair.restitution <= 1.0));
}

// Combines two values, either of which may be missing: the geometric mean, so that a frictionless side has no friction.
double cps_mix_mu(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : sqrt(a * b);
}

double cps_mix_restitution(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

static CpsStatus grow(CpsWorld* world, CpsError* error) {
  int32_t capacity = world->material_capacity ? 2 * world->material_capacity : 8;
  CpsPair* materials = malloc((size_t)capacity * sizeof *materials);
  CpsPair* pairs = malloc((size_t)capacity * (size_t)capacity * sizeof *pairs);
  if (!materials || !pairs) {
    free(materials);
    free(pairs);
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d materials", (int)capacity);
  }
  for (int32_t i = 0; i < capacity * capacity; ++i) pairs[i] = (CpsPair){NAN, NAN};
  for (int32_t i = 0; i < world->material_count; ++i) {
    materials[i] = world->materials[i];
    for (int32_t j = 0; j < world->material_count; ++j) {
      pairs[i * capacity + j] = world->pairs[i * world->material_capacity + j];
    }
  }
  free(world->materials);
  free(world->pairs);
  world->materials = materials;
  world->pairs = pairs;
  world->material_capacity = capacity;
  return CPS_OK;
}

CpsStatus cps_world_add_material(CpsWorld* world, CpsPair pair, CpsMaterialId* id, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  if (!cps_pair_is_valid(pair)) {
    return cps_fail(error, CPS_BAD_DATA, "a material has mu = %g and restitution = %g; they must be >= 0 and in [0, 1]",
                    pair.mu, pair.restitution);
  }
  if (world->material_count == MATERIALS_MAX) {
    return cps_fail(error, CPS_UNSUPPORTED, "the world already has %d materials, the maximum", MATERIALS_MAX);
  }
  if (world->material_count == world->material_capacity) {
    CpsStatus status = grow(world, error);
    if (status != CPS_OK) return status;
  }
  if (id) *id = world->material_count;
  world->materials[world->material_count++] = pair;
  return cps_succeed(error);
}

CpsStatus cps_world_set_pair(CpsWorld* world, CpsMaterialId a, CpsMaterialId b, CpsPair pair, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  if (a < 0 || b < 0 || a >= world->material_count || b >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist",
                    (int)(a < 0 || a >= world->material_count ? a : b));
  }
  if (!cps_pair_is_valid(pair)) {
    return cps_fail(error, CPS_BAD_DATA, "a pair has mu = %g and restitution = %g; they must be >= 0 and in [0, 1]",
                    pair.mu, pair.restitution);
  }
  world->pairs[a * world->material_capacity + b] = pair;
  world->pairs[b * world->material_capacity + a] = pair;
  cps_world_disturb(world);
  return cps_succeed(error);
}

// Properties of two materials: the values of the pair, else of the materials, else of the world.
CpsPair cps_world_pair(const CpsWorld* world, CpsMaterialId a, CpsMaterialId b) {
  CpsPair pair = world->pairs[a * world->material_capacity + b], x = world->materials[a], y = world->materials[b];
  if (isnan(pair.mu)) pair.mu = cps_mix_mu(x.mu, y.mu);
  if (isnan(pair.mu)) pair.mu = world->def.mu;
  if (isnan(pair.restitution)) pair.restitution = cps_mix_restitution(x.restitution, y.restitution);
  if (isnan(pair.restitution)) pair.restitution = world->def.restitution;
  return pair;
}
