// Grains of a world: its grid, adding them, reading them.
#include "things/list.h"

#include "core/error.h"
#include "model/grains.h"

#include <math.h>
#include <string.h>

static const double NO_CELL = 1.0;  // for a world without a grid, which has no grains

static CpsGrains* grains_of(const CpsWorld* world) {
  return (CpsGrains*)cps_world_population(world, CPS_THING_GRAINS);
}

CpsStatus cps_world_set_grid(CpsWorld* world, const CpsGridDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  const CpsStatus status = cps_grid_check(def, error);
  if (status != CPS_OK) return status;
  CpsGrains* m = grains_of(world);
  if (m->per > 0) return cps_fail(error, CPS_BAD_ARGUMENT, "the world already has a grid");
  m->grid.cell = def->cell;
  m->grid.dim = def->plane ? 2 : 3;
  m->grid.corners = def->plane ? 4 : 8;
  m->grid.period = def->period;
  m->at = def->stress;
  m->per = def->particles;
  m->keep_volume = def->keep_volume;
  return cps_succeed(error);
}

bool cps_world_has_grid(const CpsWorld* world) {
  return world && grains_of(world)->per > 0;
}

CpsStatus cps_world_add_grains(CpsWorld* world, const CpsGrainsDef* def, CpsError* error) {
  if (!world || !def) return cps_fail(error, CPS_BAD_ARGUMENT, "world or def is NULL");
  CpsStatus status = cps_grains_check(def, grains_of(world)->grid.dim == 2, error);
  if (status != CPS_OK) return status;
  if (!cps_world_has_grid(world)) return cps_fail(error, CPS_BAD_ARGUMENT, "grains need a grid: cps_world_set_grid()");
  if (def->material < 0 || def->material >= world->material_count) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "material %d does not exist", (int)def->material);
  }
  status = cps_grains_add(grains_of(world), def, grains_of(world)->per, error);
  if (status != CPS_OK) return status;
  world->changed = true;
  return cps_succeed(error);
}

CpsThing cps_thing_grains(const CpsWorld* world) {
  if (!world || grains_of(world)->count == 0) return (CpsThing){CPS_THING_NONE, 0, 0};
  return (CpsThing){CPS_THING_GRAINS, 0, 1};
}

CpsGrainsInfo cps_world_grains_info(const CpsWorld* world) {
  CpsGrainsInfo info = {0};
  if (!world || grains_of(world)->count == 0) return info;
  const CpsGrains* m = grains_of(world);
  info = (CpsGrainsInfo){.particle_count = m->count,
                         .group_count = m->group_count,
                         .cell_count = m->grid.cell_count,
                         .node_count = m->grid.node_count,
                         .lower = m->x[0],
                         .upper = m->x[0],
                         .bytes = cps_grains_bytes(m)};
  for (int32_t k = 0; k < m->group_count; ++k) info.inertial = info.inertial || m->group[k].grain > 0.0;
  bool first = true;
  for (int32_t p = 0; p < m->count; ++p) {
    if (cps_grain_waits(m, p)) {
      info.waiting_count++;
      continue;
    }
    if (first) info.lower = info.upper = m->x[p];
    first = false;
    info.mass += m->mass[p];
    info.volume += m->volume[p];
    info.lower = cps_vec3(fmin(info.lower.x, m->x[p].x), fmin(info.lower.y, m->x[p].y), fmin(info.lower.z, m->x[p].z));
    info.upper = cps_vec3(fmax(info.upper.x, m->x[p].x), fmax(info.upper.y, m->x[p].y), fmax(info.upper.z, m->x[p].z));
    info.fastest = fmax(info.fastest, cps_vec3_norm(m->v[p]));
  }
  return info;
}

CpsStatus cps_world_set_grain_mu(CpsWorld* world, double mu, CpsError* error) {
  if (!world) return cps_fail(error, CPS_BAD_ARGUMENT, "world is NULL");
  if (!isnan(mu) && !(mu >= 0.0 && isfinite(mu))) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the friction of grains is %g; it must be >= 0", mu);
  }
  CpsGrains* m = grains_of(world);
  m->mu_set = mu;
  for (int32_t k = 0; k < m->group_count; ++k) {
    CpsGrainGroup* group = &m->group[k];
    const double was = group->mu;
    group->mu = isnan(mu) ? group->own_mu : mu;
    group->mu_fast += group->mu - was;
  }
  world->changed = true;
  return cps_succeed(error);
}

double cps_world_grain_mu(const CpsWorld* world) {
  return world ? grains_of(world)->mu_set : NAN;
}

// Whether grains are the first side of a contact, and their impulse on the other side, N s.
static bool pushes(const CpsWorld* world, const CpsStepContact* t, CpsVec3* impulse) {
  if (cps_world_member(world, t->a).model != &grains_of(world)->model) return false;
  *impulse = cps_vec3_scale(-1.0, cps_mat3_apply_transposed(t->frame, cps_vec3(t->r[0], t->r[1], t->r[2])));
  return true;
}

// Force of the grains on an obstacle, or with obstacle -1 on an object.
static CpsVec3 force_on(const CpsWorld* world, int32_t obstacle, CpsThing thing) {
  const CpsContacts* c = &world->contacts;
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < c->touch_count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    CpsVec3 impulse;
    if (t->obstacle != obstacle || !pushes(world, t, &impulse)) continue;
    const CpsThing other = t->b >= 0 ? cps_member_thing(world, t->b) : thing;
    if (other.kind != thing.kind || other.index != thing.index || other.generation != thing.generation) continue;
    sum = cps_vec3_add(sum, impulse);
  }
  return world->last_h > 0.0 ? cps_vec3_scale(1.0 / world->last_h, sum) : sum;
}

CpsStatus cps_world_grains_force(const CpsWorld* world, CpsObstacleId id, CpsVec3* force) {
  if (!cps_world_find_obstacle(world, id) || !force) return CPS_BAD_ARGUMENT;
  *force = force_on(world, id.index, (CpsThing){0});
  return CPS_OK;
}

CpsStatus cps_world_grains_force_on(const CpsWorld* world, CpsThing thing, CpsVec3* force) {
  if (!world || !force || !cps_world_find_model(world, thing)) return CPS_BAD_ARGUMENT;
  *force = force_on(world, -1, thing);
  return CPS_OK;
}

CpsStatus cps_world_grains_forces(const CpsWorld* world, CpsVec3* obstacles, int32_t obstacle_count, CpsVec3* bodies,
                                  int32_t body_count) {
  if (!world || (!obstacles && obstacle_count > 0) || (!bodies && body_count > 0)) return CPS_BAD_ARGUMENT;
  const CpsContacts* c = &world->contacts;
  const double by = world->last_h > 0.0 ? 1.0 / world->last_h : 1.0;
  for (int32_t i = 0; i < obstacle_count; ++i) obstacles[i] = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < body_count; ++i) bodies[i] = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < c->touch_count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    CpsVec3 impulse;
    if (!pushes(world, t, &impulse)) continue;
    const CpsThing thing = t->b >= 0 ? cps_member_thing(world, t->b) : (CpsThing){CPS_THING_OBSTACLE, t->obstacle, 0};
    const bool wall = thing.kind == CPS_THING_OBSTACLE;
    if (!wall && thing.kind != CPS_THING_BODY) continue;
    if (thing.index < 0 || thing.index >= (wall ? obstacle_count : body_count)) continue;
    CpsVec3* to = (wall ? obstacles : bodies) + thing.index;
    *to = cps_vec3_axpy(*to, by, impulse);
  }
  return CPS_OK;
}

CpsStatus cps_world_grains_room(const CpsWorld* world, CpsGrainsRoom* room) {
  if (!world || !room) return CPS_BAD_ARGUMENT;
  const CpsGrains* m = grains_of(world);
  *room = (CpsGrainsRoom){0};
  if (m->count == 0) return CPS_OK;
  const bool found = cps_grains_find_room(m, room) &&
                     cps_world_find_buried(world, m->x, m->fraction, m->count, &room->buried, &room->by);
  return found ? CPS_OK : CPS_NO_MEMORY;
}

int32_t cps_world_grain_cell_count(const CpsWorld* world) {
  return world && world->index > 0 ? grains_of(world)->grid.cell_count : 0;
}

CpsStatus cps_world_grain_cell(const CpsWorld* world, int32_t i, CpsGrainCell* out) {
  if (!out || i < 0 || i >= cps_world_grain_cell_count(world)) return CPS_BAD_ARGUMENT;
  const CpsGrains* m = grains_of(world);
  const CpsGrainGrid* g = &m->grid;
  const double half = 0.5 * g->cell;
  const CpsVec3 corner = cps_grid_position(g, g->cell_at[i]);
  *out = (CpsGrainCell){.centre = cps_vec3_add(corner, cps_vec3(half, g->dim == 2 ? 0.0 : half, half)),
                        .volume = m->volume_in[i]};
  double fraction = 0.0, x[CPS_TENSOR_MOST] = {0};
  for (int32_t k = g->cell_start[i]; k < g->cell_start[i + 1]; ++k) {
    const int32_t p = g->order[k];
    const double share = m->volume[p] / m->volume_in[i];
    out->velocity = cps_vec3_axpy(out->velocity, share, m->v[p]);
    fraction += share * m->fraction[p];
    for (int j = 0; j < CPS_TENSOR_MOST; ++j) x[j] += share * m->fraction[p] * m->stress[p][j];
    out->status = m->status[p] > out->status ? (CpsContactStatus)m->status[p] : out->status;
  }
  out->fraction = fraction;
  out->pressure = cps_tensor_pressure(g->dim, x[0]);
  cps_tensor_stress(g->dim, x, out->stress);
  return CPS_OK;
}

static CpsModel* open(void) {
  return (CpsModel*)cps_grains_create(2, NO_CELL);
}

const CpsDoor cps_door_grains = {.kind = CPS_THING_GRAINS, .name = "grains", .open = open};
