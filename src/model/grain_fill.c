// Definitions of grains: validation, and particles that fill a box or wait in a spout.
#include "core/error.h"
#include "model/grains.h"

#include <stdlib.h>
#include <string.h>

static const int COOKIE = 0x6721a15;
static const double MOST = 1e9;   // particles
static const double SAME = 1e-9;  // relative rounding of a rate

CpsGridDef cps_grid_def_default(void) {
  return (CpsGridDef){.cell = 0.01, .particles = 2, .cookie = COOKIE};
}

CpsGrainsDef cps_grains_def_default(void) {
  return (CpsGrainsDef){.density = 2600.0,
                        .fraction = 0.6,
                        .fraction_max = 0.6,
                        .mu = 0.5,
                        .wall_mu = NAN,
                        .mu_fast = 0.7,
                        .I_0 = 0.3,
                        .cookie = COOKIE};
}

double cps_grains_static_slope(double mu, bool plane) {
  if (!(mu >= 0.0)) return NAN;
  const double left = 1.0 - (plane ? 1.0 : 4.0 / 3.0) * mu * mu;
  return left > 0.0 ? mu / sqrt(left) : INFINITY;
}

CpsStatus cps_grid_check(const CpsGridDef* def, CpsError* error) {
  if (def->cookie != COOKIE) return cps_fail(error, CPS_BAD_ARGUMENT, "start from cps_grid_def_default()");
  if (!(def->cell > 0.0) || !isfinite(def->cell)) {
    return cps_fail(error, CPS_BAD_DATA, "the cell of a grid is %g m; it must be > 0", def->cell);
  }
  if (def->particles < 1 || def->particles > 8) {
    return cps_fail(error, CPS_BAD_DATA, "a grid has %d particles along each axis of a cell; it must be 1 to 8",
                    (int)def->particles);
  }
  if (def->stress != CPS_STRESS_AT_NODES && def->stress != CPS_STRESS_AT_CELLS) {
    return cps_fail(error, CPS_BAD_DATA, "the stress of a grid is at %d, which is neither nodes nor cells",
                    (int)def->stress);
  }
  if (def->period < 0 || def->period == 1 || def->period > CPS_GRID_FAR) {
    return cps_fail(error, CPS_BAD_DATA, "the period of a grid is %d cells; it must be 0 or at least 2",
                    (int)def->period);
  }
  return CPS_OK;
}

static const char* name_of(const CpsGrainsDef* def) {
  return def->name ? def->name : "(no name)";
}

static CpsStatus check_matter(const CpsGrainsDef* def, CpsError* error) {
  const char* name = name_of(def);
  if (!(def->density > 0.0) || !isfinite(def->density)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: density is %g kg/m^3; it must be > 0", name, def->density);
  }
  if (!(def->fraction_max > 0.0 && def->fraction_max <= 1.0)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: fraction_max is %g; it must be in (0, 1]", name,
                    def->fraction_max);
  }
  if (!(def->fraction > 0.0 && def->fraction <= def->fraction_max)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: fraction is %g; it must be in (0, fraction_max = %g]", name,
                    def->fraction, def->fraction_max);
  }
  if (!(def->mu >= 0.0) || !isfinite(def->mu)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: mu is %g; it must be >= 0", name, def->mu);
  }
  if (!isnan(def->wall_mu) && (!(def->wall_mu >= 0.0) || !isfinite(def->wall_mu))) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: wall_mu is %g; it must be >= 0", name, def->wall_mu);
  }
  if (!(def->viscosity >= 0.0) || !isfinite(def->viscosity) || !(def->cohesion >= 0.0) || !isfinite(def->cohesion)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: viscosity = %g Pa s and cohesion = %g Pa must be finite and >= 0",
                    name, def->viscosity, def->cohesion);
  }
  if (!(def->grain >= 0.0) || !isfinite(def->grain) ||
      (def->grain > 0.0 &&
       (!(def->mu_fast >= def->mu) || !isfinite(def->mu_fast) || !(def->I_0 > 0.0) || !isfinite(def->I_0)))) {
    return cps_fail(error, CPS_BAD_DATA,
                    "grains %s: grain = %g m must be >= 0, mu_fast = %g at least mu = %g, and I_0 = %g > 0", name,
                    def->grain, def->mu_fast, def->mu, def->I_0);
  }
  if (!cps_vec3_is_finite(def->velocity)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: the velocity is not finite", name);
  }
  return CPS_OK;
}

// A spout: its mouth, and whether the grains can pass it.
static CpsStatus check_spout(const CpsGrainsDef* def, bool plane, CpsError* error) {
  const char* name = name_of(def);
  const CpsVec3 v = def->velocity;
  const double speed = plane ? hypot(v.x, v.z) : cps_vec3_norm(v);
  const bool timed = isfinite(def->from) && isfinite(def->until) && def->from < def->until;
  if (def->particle_count > 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "grains %s: a spout cannot have particles at given places", name);
  }
  if (!(def->rate > 0.0) || !isfinite(def->rate) || !timed) {
    return cps_fail(error, CPS_BAD_DATA,
                    "grains %s: the rate of a spout is %g kg/s from %g to %g s; it must be > 0 for some time", name,
                    def->rate, def->from, def->until);
  }
  if (!(def->radius > 0.0) || !(speed > 0.0)) {
    return cps_fail(error, CPS_BAD_DATA,
                    "grains %s: a spout with the radius %g m and the speed %g m/s; both must be > 0", name, def->radius,
                    speed);
  }
  const double most = def->density * def->fraction_max * speed * cps_grain_spout_area(def->radius, plane);
  if (!(def->rate <= most * (1.0 + SAME))) {
    return cps_fail(error, CPS_BAD_DATA,
                    "grains %s: a spout with the radius %g m passes at most %.4g kg/s at %g m/s, less than its rate "
                    "%.4g kg/s; make it wider or faster",
                    name, def->radius, most, speed, def->rate);
  }
  return CPS_OK;
}

CpsStatus cps_grains_check(const CpsGrainsDef* def, bool plane, CpsError* error) {
  if (def->cookie != COOKIE) return cps_fail(error, CPS_BAD_ARGUMENT, "start from cps_grains_def_default()");
  const char* name = name_of(def);
  const bool spout = def->rate != 0.0;
  const CpsVec3 size = cps_vec3_sub(def->upper, def->lower);
  if (def->particle_count < 0 || (def->particle_count > 0 && !def->particles)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "grains %s: there are no particles", name);
  }
  const bool flat = plane || (size.y > 0.0 && isfinite(size.y));
  if (!spout && def->particle_count == 0 &&
      !(flat && size.x > 0.0 && size.z > 0.0 && isfinite(size.x) && isfinite(size.z))) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: the box has the size %g x %g x %g m, %s must be > 0", name, size.x,
                    size.y, size.z, plane ? "the first and the last" : "all");
  }
  if (def->particle_count > 0 && (!(def->particle_volume > 0.0) || !isfinite(def->particle_volume))) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: particle_volume is %g m^3; it must be > 0", name,
                    def->particle_volume);
  }
  if (!(def->radius >= 0.0) || !isfinite(def->radius) || !cps_vec3_is_finite(def->centre)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: the cylinder has the radius %g m; it must be >= 0", name,
                    def->radius);
  }
  for (int32_t p = 0; p < def->particle_count; ++p) {
    if (!cps_vec3_is_finite(def->particles[p])) {
      return cps_fail(error, CPS_BAD_DATA, "grains %s: particle %d is not finite", name, (int)p);
    }
  }
  const CpsStatus status = check_matter(def, error);
  return status == CPS_OK && spout ? check_spout(def, plane, error) : status;
}

// Adds one particle that takes `space` with its pores.
static void put(CpsGrains* m, const CpsGrainsDef* def, CpsVec3 at, double space) {
  const int32_t p = m->count++;
  m->volume[p] = def->fraction * space;
  m->mass[p] = def->density * m->volume[p];
  m->group_of[p] = m->group_count;
  const bool plane = m->grid.dim == 2;
  m->x[p] = cps_vec3(at.x, plane ? 0.0 : at.y, at.z);
  m->v[p] = cps_vec3(def->velocity.x, plane ? 0.0 : def->velocity.y, def->velocity.z);
  m->C[p] = (CpsMat3){{0}};
  m->fraction[p] = def->fraction;
  memset(m->stress[p], 0, sizeof m->stress[p]);
  m->status[p] = CPS_CONTACT_TAKEOFF;
}

// Number of particles along an axis of a box: at the spacing of filled cells, rounded.
static double along(double size, double cell, int32_t per) {
  return fmax(1.0, nearbyint(size / cell * per));
}

// The lattice of particles in a box.
typedef struct Lattice {
  double nx, ny, nz;  // number of particles along the axes
  CpsVec3 part;       // size of the cell of each particle
} Lattice;

static Lattice lattice_of(const CpsGrainsDef* def, double cell, int32_t per, bool plane) {
  const CpsVec3 size = cps_vec3_sub(def->upper, def->lower);
  Lattice l = {
      .nx = along(size.x, cell, per), .ny = plane ? 1.0 : along(size.y, cell, per), .nz = along(size.z, cell, per)};
  l.part = cps_vec3(size.x / l.nx, plane ? 1.0 : size.y / l.ny, size.z / l.nz);
  return l;
}

// Position of the vertical line (i, j) of particles, and whether it lies in the cylinder.
static bool line_at(const CpsGrainsDef* def, const Lattice* l, bool plane, int64_t i, int64_t j, CpsVec3* at) {
  *at = cps_vec3(def->lower.x + ((double)i + 0.5) * l->part.x, def->lower.y + ((double)j + 0.5) * l->part.y, 0.0);
  if (plane) at->y = 0.0;
  return !(def->radius > 0.0) || hypot(at->x - def->centre.x, plane ? 0.0 : at->y - def->centre.y) < def->radius;
}

static double lines_inside(const CpsGrainsDef* def, const Lattice* l, bool plane) {
  if (!(def->radius > 0.0)) return l->nx * l->ny;
  double count = 0.0;
  CpsVec3 at;
  for (int64_t i = 0; i < (int64_t)l->nx; ++i) {
    for (int64_t j = 0; j < (int64_t)l->ny; ++j) count += line_at(def, l, plane, i, j, &at);
  }
  return count;
}

int64_t cps_grains_particle_count(const CpsGridDef* grid, const CpsGrainsDef* def) {
  if (!grid || !def || !(grid->cell > 0.0)) return 0;
  if (def->particle_count > 0) return def->particle_count;
  if (def->rate > 0.0) {
    const double count = cps_grain_spout_count(def, grid->cell / grid->particles, grid->plane);
    return count <= MOST ? (int64_t)count : INT64_MAX;
  }
  const Lattice l = lattice_of(def, grid->cell, grid->particles, grid->plane);
  if (!(l.nx * l.ny * l.nz <= MOST)) return INT64_MAX;
  return (int64_t)(lines_inside(def, &l, grid->plane) * l.nz);
}

double cps_grains_particle_mass(const CpsGridDef* grid, const CpsGrainsDef* def) {
  if (!grid || !def || !(grid->cell > 0.0) || grid->particles < 1) return NAN;
  if (def->particle_count > 0) return def->density * def->fraction * def->particle_volume;
  if (def->rate > 0.0) {
    const CpsGrainSpout spout = cps_grain_spout(def, grid->cell / grid->particles, grid->plane);
    return def->rate * spout.interval / spout.each;
  }
  const Lattice l = lattice_of(def, grid->cell, grid->particles, grid->plane);
  return def->density * def->fraction * l.part.x * l.part.y * l.part.z;
}

static CpsStatus no_room(const CpsGrainsDef* def, double count, CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "grains %s: not enough memory for %.4g particles", name_of(def), count);
}

static bool is_near(CpsVec3 x, bool plane, double far) {
  return fabs(x.x) < far && (plane || fabs(x.y) < far) && fabs(x.z) < far;
}

// Room for more particles and one more group.
static bool reserve(CpsGrains* m, double count) {
  if (!cps_grains_reserve(m, (int32_t)count)) return false;
  if (m->group_count < m->group_capacity) return true;
  CpsGrainGroup* grown = realloc(m->group, (size_t)(2 * m->group_capacity + 4) * sizeof *grown);
  if (!grown) return false;
  m->group = grown;
  m->group_capacity = 2 * m->group_capacity + 4;
  return true;
}

static void put_box(CpsGrains* m, const CpsGrainsDef* def, const Lattice* l) {
  for (int64_t line = 0; line < (int64_t)(l->nx * l->ny); ++line) {
    CpsVec3 at;
    if (!line_at(def, l, m->grid.dim == 2, line / (int64_t)l->ny, line % (int64_t)l->ny, &at)) continue;
    for (int64_t level = 0; level < (int64_t)l->nz; ++level) {
      at.z = def->lower.z + ((double)level + 0.5) * l->part.z;
      put(m, def, at, l->part.x * l->part.z * l->part.y);
    }
  }
}

// All particles that it will pour, in its mouth.
static void put_spout(CpsGrains* m, const CpsGrainsDef* def, const CpsGrainSpout* spout) {
  CpsGrainsDef still = *def;
  still.velocity = cps_vec3(0.0, 0.0, 0.0);
  still.fraction = spout->fraction;
  const double mass = def->rate * spout->interval / spout->each;
  const bool plane = m->grid.dim == 2;
  const int32_t first = m->count;
  for (int32_t i = 0; i < spout->layers * spout->each; ++i) {
    const int32_t p = m->count, layer = i / spout->each;
    const CpsVec3 at = layer == 0 ? cps_grain_spout_place(spout, plane, i)
                                  : cps_grain_spout_turn(spout, plane, layer, m->x[first + i % spout->each]);
    put(m, &still, at, mass / (def->density * spout->fraction));
    m->fraction[p] = 0.0;
  }
}

CpsStatus cps_grains_add(CpsGrains* m, const CpsGrainsDef* def, int32_t per, CpsError* error) {
  const double cell = m->grid.cell, far = CPS_GRID_FAR * cell;
  const bool plane = m->grid.dim == 2, spouting = def->rate > 0.0, box = def->particle_count == 0 && !spouting;
  const Lattice l = lattice_of(def, cell, per, plane);
  double count = box        ? l.nx * l.ny * l.nz
                 : spouting ? cps_grain_spout_count(def, cell / per, plane)
                            : def->particle_count;
  if (box && !(is_near(def->lower, plane, far) && is_near(def->upper, plane, far))) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: the box is more than %d cells away from the origin", name_of(def),
                    CPS_GRID_FAR);
  }
  if (spouting && !is_near(def->centre, plane, far)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: the spout is more than %d cells away from the origin",
                    name_of(def), CPS_GRID_FAR);
  }
  if (count > MOST) return no_room(def, count, error);
  if (box) count = lines_inside(def, &l, plane) * l.nz;
  if (!(count >= 1.0)) {
    return cps_fail(error, CPS_BAD_DATA, "grains %s: no particle of the box is inside the cylinder", name_of(def));
  }
  if (!reserve(m, count)) return no_room(def, count, error);
  CpsGrainGroup group = {.mu = def->mu,
                         .own_mu = def->mu,
                         .fraction_max = def->fraction_max,
                         .material = def->material,
                         .wall_mu = def->wall_mu,
                         .viscosity = def->viscosity,
                         .cohesion = def->cohesion,
                         .grain = def->grain,
                         .mu_fast = def->mu_fast,
                         .I_0 = def->I_0,
                         .first = m->count};
  if (!cps_text_copy(def->name, &group.name)) return no_room(def, count, error);
  if (spouting) group.spout = cps_grain_spout(def, cell / per, plane);
  if (box) put_box(m, def, &l);
  if (spouting) put_spout(m, def, &group.spout);
  for (int32_t p = 0; p < def->particle_count; ++p) put(m, def, def->particles[p], def->particle_volume);
  m->group[m->group_count++] = group;
  m->model.count = 1;
  return CPS_OK;
}

int64_t cps_grains_bytes(const CpsGrains* m) {
  const CpsGrainGrid* g = &m->grid;
  const int64_t particle = 2 * sizeof(double) + sizeof(int32_t) + 2 * sizeof(CpsVec3) + sizeof(CpsMat3) +
                           sizeof(double) + sizeof *m->stress + 1;
  const int64_t gradient = m->gradient ? sizeof(CpsVec3) : 0;
  const int64_t corner = gradient + (int64_t)(sizeof(double) + sizeof(CpsVec3) + 2 * sizeof(int32_t) + sizeof *m->part);
  const int64_t moments = m->moment ? cps_grain_moment_count(g->dim) : 0;
  const int64_t cell = (1 + moments) * (int64_t)sizeof(double) + (int64_t)(sizeof(int32_t) + sizeof(CpsGridPlace));
  const int64_t stress = sizeof *m->at_stress + sizeof(int32_t);
  const int64_t node =
      10 * sizeof(double) + 1 + 3 * sizeof(CpsVec3) + sizeof(int64_t) + 2 * sizeof(int32_t) + sizeof(CpsGridPlace);
  return particle * m->capacity + (cell + g->corners * corner) * g->cell_capacity + stress * m->stress_capacity +
         node * g->node_capacity + m->seen_capacity * (int64_t)(sizeof *m->seen + sizeof *m->seen_gradient) +
         (int64_t)sizeof(int32_t) * g->particle_capacity + 2 * (int64_t)sizeof(CpsSortPair) * g->pair_capacity;
}
