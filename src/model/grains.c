// Grains as a continuum, as a model. Its one member has the nodes of the grid under its particles and adds blocks of its own, one
// stress tensor per cell. The mass is the lumped mass of the nodes; forces are linear, so the first round of a step is the
// last.
#include "model/grains.h"

#include <stdlib.h>
#include <string.h>

static void destroy(CpsModel* model) {
  CpsGrains* m = (CpsGrains*)model;
  for (int32_t k = 0; k < m->group_count; ++k) free(m->group[k].name);
  void* const memory[] = {
      m->group,     m->mass,          m->volume,      m->group_of,    m->x,         m->v,
      m->C,         m->fraction,      m->stress,      m->status,      m->node_mass, m->light,
      m->before,    m->free,          m->after,       m->M_start,     m->M_column,  m->M_value,
      m->volume_in, m->at_stress,     m->stress_node, m->node_stress, m->part,      m->moment,
      m->part_mass, m->part_momentum, m->gradient,    m->seen_start,  m->seen,      m->seen_gradient};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) free(memory[i]);
  cps_grain_grid_free(&m->grid);
  cps_grains_crowd_free(m);
  free(m);
}

static bool grow(void* memory, int64_t count, size_t size) {
  void** at = memory;
  void* grown = realloc(*at, (size_t)count * size);
  if (grown) *at = grown;
  return grown;
}

bool cps_grains_reserve(CpsGrains* m, int32_t more) {
  const int64_t count = (int64_t)m->count + more;
  if (count > INT32_MAX) return false;
  if (count <= m->capacity) return true;
  if (!grow(&m->mass, count, sizeof *m->mass) || !grow(&m->volume, count, sizeof *m->volume) ||
      !grow(&m->group_of, count, sizeof *m->group_of) || !grow(&m->x, count, sizeof *m->x) ||
      !grow(&m->v, count, sizeof *m->v) || !grow(&m->C, count, sizeof *m->C) ||
      !grow(&m->fraction, count, sizeof *m->fraction) || !grow(&m->stress, count, sizeof *m->stress) ||
      !grow(&m->status, count, sizeof *m->status))
    return false;
  m->capacity = (int32_t)count;
  return true;
}

static bool reserve_grid(CpsGrains* m) {
  const CpsGrainGrid* g = &m->grid;
  if (g->node_capacity > m->node_capacity) {
    const int64_t n = g->node_capacity;
    if (!grow(&m->node_mass, n, sizeof *m->node_mass) || !grow(&m->light, n, sizeof *m->light) ||
        !grow(&m->before, n, sizeof *m->before) || !grow(&m->free, n, sizeof *m->free) ||
        !grow(&m->after, n, sizeof *m->after) || !grow(&m->M_start, n + 1, sizeof *m->M_start) ||
        !grow(&m->node_stress, n, sizeof *m->node_stress) || !grow(&m->M_column, n, sizeof *m->M_column) ||
        !grow(&m->M_value, 9 * n, sizeof *m->M_value))
      return false;
    m->node_capacity = g->node_capacity;
  }
  const int32_t stresses = m->at == CPS_STRESS_AT_CELLS ? g->cell_capacity : g->node_capacity;
  if (stresses > m->stress_capacity) {
    if (!grow(&m->at_stress, stresses, sizeof *m->at_stress) ||
        !grow(&m->stress_node, stresses, sizeof *m->stress_node) ||
        !grow(&m->seen_start, (int64_t)stresses + 1, sizeof *m->seen_start))
      return false;
    m->stress_capacity = stresses;
  }
  if (g->cell_capacity > m->cell_capacity) {
    const int64_t n = g->cell_capacity, corners = n * g->corners;
    if (!grow(&m->volume_in, n, sizeof *m->volume_in) || !grow(&m->part, corners, sizeof *m->part) ||
        (m->at == CPS_STRESS_AT_NODES && !grow(&m->moment, n * cps_grain_moment_count(g->dim), sizeof *m->moment)) ||
        (m->at == CPS_STRESS_AT_CELLS && !grow(&m->gradient, corners, sizeof *m->gradient)) ||
        !grow(&m->part_mass, corners, sizeof *m->part_mass) ||
        !grow(&m->part_momentum, corners, sizeof *m->part_momentum))
      return false;
    m->cell_capacity = g->cell_capacity;
  }
  return true;
}

bool cps_grains_lay(CpsGrains* m, const CpsModelStep* step) {
  const int32_t lost = cps_grain_grid_build(&m->grid, m->count, m->x, m->fraction);
  m->squeezed = false;
  m->starved = lost == -2 || (lost == -1 && !reserve_grid(m));
  m->broken = lost >= 0 || m->starved;
  m->version++;
  if (m->broken) {
    m->grid.cell_count = m->grid.node_count = m->stress_count = 0;
    return false;
  }
  m->broken = m->starved = !cps_grains_to_nodes(m, step);
  if (m->broken) m->stress_count = 0;
  return !m->broken;
}

static uint32_t generation(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 1;
}

static bool is_there(const CpsModel* model, int32_t member) {
  (void)member;
  return ((const CpsGrains*)model)->count > 0;
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  if (first == last) return;
  cps_grains_pour((CpsGrains*)model, step);
  (void)cps_grains_lay((CpsGrains*)model, step);
}

static int32_t broken(const CpsModel* model) {
  return ((const CpsGrains*)model)->broken ? 0 : -1;
}

static bool starved(const CpsModel* model) {
  return ((const CpsGrains*)model)->starved;
}

static bool squeezed(const CpsModel* model) {
  return ((const CpsGrains*)model)->squeezed;
}

// Grain data for the contact law at a spot, from the particle nearest to the node: any nearby particle would do.
static CpsSurface surface(const CpsModel* model, int32_t member, const CpsSpot* spot) {
  const CpsGrains* m = (const CpsGrains*)model;
  const CpsGrainGrid* g = &m->grid;
  const CpsGrainGroup* group = &m->group[0];
  if (spot->piece >= 0 && spot->piece < g->node_count) {
    const int32_t cell = g->slot[g->slot_start[spot->piece]] / g->corners;
    group = &m->group[m->group_of[g->order[g->cell_start[cell]]]];
  }
  return (CpsSurface){generation(model, member), group->material, group->wall_mu, 0.0, NAN, {1.0, 0.0, 0.0}};
}

static const CpsVec3* velocities(const CpsGrains* m, CpsVelocity which) {
  return which == CPS_VELOCITY_BEFORE ? m->before : which == CPS_VELOCITY_FREE ? m->free : m->after;
}

static CpsVec3 velocity(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which) {
  (void)member;
  return cps_spot_velocity(spot, velocities((const CpsGrains*)model, which));
}

static CpsLargeMass mass_of(const CpsModel* model, int32_t member) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  return (CpsLargeMass){m->grid.node_count, m->M_start, m->M_column, m->M_value, m->light, NULL, m->version};
}

static int patch(const CpsModel* model, int32_t member, int32_t piece, CpsPatchNode* nodes, CpsVec3* point) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  *point = cps_grid_position(&m->grid, m->grid.node_at[piece]);
  *nodes = (CpsPatchNode){piece, cps_mat3_identity(), 1.0};
  return 1;
}

// Forces are linear: the first trial is the solution.
static bool attempt(CpsModel* model, const CpsModelStep* step, int32_t member, const double* dv,
                    const double* impulse) {
  (void)step, (void)member, (void)impulse;
  CpsGrains* m = (CpsGrains*)model;
  for (int32_t i = 0; i < m->grid.node_count; ++i) {
    m->after[i] = cps_vec3_add(m->free[i], cps_vec3_get(dv + 3 * (int64_t)i));
    if (m->grid.dim == 2) m->after[i].y = 0.0;
  }
  return true;
}

static void fly(CpsModel* model, const CpsModelStep* step, int32_t member) {
  (void)step, (void)member;
  CpsGrains* m = (CpsGrains*)model;
  memcpy(m->after, m->free, (size_t)m->grid.node_count * sizeof *m->after);
}

// Unbounded impulses occur where walls leave the grains no room: no particle moves by them. Grains with enough room end as close as
// possible to their free flight, in the norm of the masses m: with w the velocities of any motion admitted by walls and bodies,
//
//   sum m |v - v*|^2 <= sum m |w - v*|^2                                                                            (1)
//
// If w is a rigid motion, it is no faster than the objects approaching the grains; through a narrow opening it is faster. An energy of
// SQUEEZED^2 times that of such a motion can only come from lack of room, however short the step is.
static const double BLOWN = 10.0;     // cells in a step, relative to free flight
static const double SQUEEZED = 10.0;  // times the speed of any approaching object

static bool is_squeezed(const CpsGrains* m, const CpsModelStep* step) {
  double most = 0.0, fastest = 0.0, mass = 0.0, sum = 0.0;
  for (int32_t i = 0; i < m->grid.node_count; ++i) {
    const double change = cps_vec3_norm(cps_vec3_sub(m->after[i], m->free[i]));
    most = fmax(most, change);
    fastest = fmax(fastest, cps_vec3_norm(m->free[i]));
    mass += m->node_mass[i];
    sum += m->node_mass[i] * change * change;
  }
  const double meeting = SQUEEZED * (fastest + step->meeting);
  return !(step->h * most <= BLOWN * m->grid.cell) || !(sum <= mass * meeting * meeting);
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsGrains* m = (CpsGrains*)model;
  if (first == last || m->broken) return;
  m->squeezed = m->broken = is_squeezed(m, step);
  if (m->broken) return;
  cps_grains_to_particles(m, step);
  double sum = 0.0;
  for (int32_t p = 0; p < m->count; ++p) {
    sum += 0.0 * (cps_vec3_dot(m->x[p], m->x[p]) + cps_vec3_dot(m->v[p], m->v[p]));
  }
  m->broken = m->starved || sum != 0.0;
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  const CpsGrains* m = (const CpsGrains*)model;
  if (first == last) return;
  out->kinetic += cps_grains_kinetic(m);
  for (int32_t p = 0; p < m->count; ++p) out->potential -= m->mass[p] * cps_vec3_dot(step->gravity, m->x[p]);
  if (!stepped) return;
  out->scheme += m->work.scheme;
  out->turnover += m->work.turnover;
  out->external += m->poured;
}

static int32_t block_count(const CpsModel* model, int32_t member) {
  (void)member;
  return ((const CpsGrains*)model)->stress_count;
}

static void block(const CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, CpsOwnBlock* out) {
  (void)member;
  CpsGrainBlock b;
  cps_grains_block((const CpsGrains*)model, step, i, &b);
  *out = (CpsOwnBlock){.rows = b.rows,
                       .nodes = b.node_count,
                       .mu = b.mu,
                       .shift = b.shift,
                       .dashpot = b.dashpot,
                       .cohesion = b.cohesion};
  memcpy(out->guess, b.guess, (size_t)b.rows * sizeof *b.guess);
}

static void block_terms(const CpsModel* model, int32_t member, int32_t i, int32_t* node, double* A) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  const int size = 3 * cps_tensor_rows(m->grid.dim);
  for (int64_t k = m->seen_start[i]; k < m->seen_start[i + 1]; ++k, A += size) {
    *node++ = m->seen[k];
    cps_tensor_block(m->grid.dim, m->seen_gradient[k], A);
  }
}

static void block_velocity(const CpsModel* model, int32_t member, int32_t i, CpsVelocity which, double* u) {
  (void)member;
  cps_grains_block_velocity((const CpsGrains*)model, i, velocities((const CpsGrains*)model, which), u);
}

static void block_done(CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, const double* r,
                       CpsContactStatus status) {
  (void)member;
  cps_grains_take((CpsGrains*)model, step, i, r, (uint8_t)status);
}

static double node_size(const CpsModel* model, int32_t member) {
  (void)member;
  return ((const CpsGrains*)model)->grid.cell;
}

static uint64_t node_key(const CpsModel* model, int32_t member, int32_t node) {
  (void)member;
  const CpsGridPlace at = ((const CpsGrains*)model)->grid.node_at[node];
  uint64_t key = 0;
  for (int a = 0; a < 3; ++a) key = key << 20 | (uint64_t)(at.i[a] + CPS_GRID_FAR + 1);
  return key;
}

// Weights are those of the initial cell: the nodes of a new neighbourhood did not see the particle.
static bool went_too_far(const CpsModel* model) {
  return ((const CpsGrains*)model)->way > ((const CpsGrains*)model)->grid.cell;
}

// m (v + the moment of the affine part): sum over axes of D_a e_a x C_a, weighted as in the kinetic energy.
static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  const CpsGrains* m = (const CpsGrains*)model;
  for (int32_t p = 0; first < last && p < m->count; ++p) {
    if (cps_grain_waits(m, p)) continue;
    const CpsVec3 spread = cps_grains_spread(&m->grid, m->x[p]);
    const CpsMat3* C = &m->C[p];
    const CpsVec3 own = {spread.y * C->m[7] - spread.z * C->m[5], spread.z * C->m[2] - spread.x * C->m[6],
                         spread.x * C->m[3] - spread.y * C->m[1]};
    *linear = cps_vec3_axpy(*linear, m->mass[p], m->v[p]);
    *angular = cps_vec3_axpy(*angular, m->mass[p], cps_vec3_add(cps_vec3_cross(m->x[p], m->v[p]), own));
  }
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  const CpsGrains* m = (const CpsGrains*)model;
  for (int32_t p = 0; first < last && p < m->count; ++p) {
    if (!cps_grain_waits(m, p)) *mass += m->mass[p];
  }
}

static void inertia(const CpsModel* model, int32_t member, CpsVec3* first, CpsMat3* second) {
  (void)member;
  const CpsGrains* m = (const CpsGrains*)model;
  for (int32_t p = 0; p < m->count; ++p) {
    if (cps_grain_waits(m, p)) continue;
    const CpsVec3 x = m->x[p];
    *first = cps_vec3_axpy(*first, m->mass[p], x);
    CpsMat3 square = cps_mat3_axpy(cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity()), -1.0, cps_mat3_outer(x, x));
    *second = cps_mat3_axpy(*second, m->mass[p], square);
  }
}

static double reach(const CpsModel* model, CpsVec3 from) {
  const CpsGrains* m = (const CpsGrains*)model;
  double far = 0.0;
  for (int32_t p = 0; p < m->count; ++p) far = fmax(far, cps_vec3_norm(cps_vec3_sub(m->x[p], from)));
  return far;
}

CpsGrains* cps_grains_create(int dim, double cell) {
  CpsGrains* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->table = cps_model_nothing;
  m->table.name = "grains";
  m->table.kind = CPS_THING_GRAINS;
  m->table.destroy = destroy;
  m->table.generation = generation;
  m->table.is_there = is_there;
  m->table.begin = begin;
  m->table.broken = broken;
  m->table.starved = starved;
  m->table.squeezed = squeezed;
  m->table.surface = surface;
  m->table.velocity = velocity;
  m->table.mass = mass_of;
  m->table.patch = patch;
  m->table.block_count = block_count;
  m->table.block = block;
  m->table.block_terms = block_terms;
  m->table.block_velocity = block_velocity;
  m->table.block_done = block_done;
  m->table.node_size = node_size;
  m->table.node_key = node_key;
  m->table.immerse = cps_grains_immerse;
  m->table.is_flat = cps_grains_are_flat;
  m->table.immerse_surface = cps_grains_immerse_surface;
  m->table.went_too_far = went_too_far;
  m->table.attempt = attempt;
  m->table.fly = fly;
  m->table.advance = advance;
  m->table.energy = energy;
  m->table.momentum = momentum;
  m->table.weigh = weigh;
  m->table.inertia = inertia;
  m->table.reach = reach;
  m->table.read = cps_grains_read;
  m->table.view = cps_grains_view;
  m->table.hash = cps_grains_hash;
  m->table.state_size = cps_grains_state_size;
  m->table.save = cps_grains_save;
  m->table.check = cps_grains_check_state;
  m->table.load = cps_grains_load;
  m->model.type = &m->table;
  m->grid.dim = dim;
  m->grid.corners = dim == 2 ? 4 : 8;
  m->grid.cell = cell;
  m->poured_at = m->mu_set = NAN;
  return m;
}
