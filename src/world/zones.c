// The last resort of a step: where things would still go through a surface in the shortest step, they stay together in it.
//
// Nodes and other members that meet form zones. A zone stays where it was at the beginning of the step, and continues with the
// rigid motion that has its momentum and its angular momentum (Provot 1997; Bridson, Fedkiw and Anderson 2002, sec. 7.5:
// rigid impact zones). One that an obstacle or a held vertex belongs to moves along with that. What moves together goes
// through nothing of its own zone; what a zone meets then joins it, and so on. This is not Coulomb's law: it is counted
// (CpsStepInfo.stopped), and what it costs is booked as an impact.
#include "world/world.h"

#include "core/error.h"
#include "core/sets.h"

#include <string.h>

enum { ROUNDS = 16 };

// Units: nodes of the surfaces, then other members, then obstacles.
typedef struct Zone {
  bool used;
  double mass;
  CpsVec3 linear, angular, first;
  CpsMat3 second;
  bool fixed;
  CpsRigidMotion motion;
} Zone;

typedef struct Zones {
  CpsStep* step;
  const CpsSurfaceMesh* surface;
  int32_t *node_first, member_first, obstacle_first, count;  // node_first: for each surface, and the end
  int32_t* parent;
  bool *taken, *stopped;  // stopped: nodes of one surface that are in the zone of a touch
  Zone* zone;             // by root unit
} Zones;

CpsStatus cps_step_keep_places(CpsStep* step) {
  const CpsWorld* world = step->world;
  const int32_t count = cps_world_member_count(world);
  step->place_start = CPS_TAKE(step->scratch, int64_t, count + 1);
  if (!step->place_start) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  step->place_start[0] = 0;
  for (int32_t i = 0; i < count; ++i) {
    CpsMember m = cps_world_member(world, i);
    bool kept = !m.model->type->surface_mesh && m.model->type->is_there(m.model, m.index);
    step->place_start[i + 1] = step->place_start[i] + (kept ? m.model->type->place_size(m.model, m.index) : 0);
  }
  step->place = CPS_TAKE(step->scratch, double, step->place_start[count]);
  if (!step->place) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < count; ++i) {
    CpsMember m = cps_world_member(world, i);
    if (step->place_start[i + 1] > step->place_start[i]) {
      m.model->type->keep_place(m.model, m.index, step->place + step->place_start[i]);
    }
  }
  return CPS_OK;
}

static void unite(Zones* z, int32_t a, int32_t b) {
  z->taken[a] = z->taken[b] = true;
  cps_sets_join(z->parent, a, b);
}

static void unite_touch(Zones* z, const CpsSurfaceTouch* t) {
  int32_t node[3], first = -1;
  for (int side = 0; side < 2; ++side) {
    const int32_t s = side == 0 ? t->a : t->b;
    if (s < 0) break;
    const int count = cps_surface_nodes(&z->surface[s], t, side, node);
    for (int i = 0; i < count; ++i) {
      const int32_t unit = z->node_first[s] + node[i];
      if (first < 0) first = unit;
      unite(z, first, unit);
    }
  }
  if (t->b >= 0) return;
  const CpsCollider* c = &z->step->colliders[t->collider];
  unite(z, first, c->owner >= 0 ? z->member_first + c->owner : z->obstacle_first + cps_key_place(c->key));
}

// A guard is sunk along the normals of its smooth surface (guard.c) and also follows nodes outside its triangle. If objects still pass
// through it with these nodes stopped, the triangles around are stopped as well, one more ring in every round.
static void unite_around(Zones* z, const CpsSurfaceTouch* t) {
  for (int side = 0; side < 2; ++side) {
    const int32_t s = side == 0 ? t->a : t->b;
    if (s < 0 || !z->surface[s].guard) continue;
    const CpsTriangleTree* tree = z->surface[s].tree;
    const int32_t first = z->node_first[s];
    int32_t node[3];
    cps_surface_nodes(&z->surface[s], t, side, node);
    const int32_t zone = cps_sets_root(z->parent, first + node[0]);
    for (int32_t i = 0; i < tree->vertex_count; ++i)
      z->stopped[i] = z->taken[first + i] && cps_sets_root(z->parent, first + i) == zone;
    for (int32_t k = 0; k < tree->triangle_count; ++k) {
      const int32_t* v = tree->triangle[k].vertex;
      if (!z->stopped[v[0]] && !z->stopped[v[1]] && !z->stopped[v[2]]) continue;
      for (int i = 0; i < 3; ++i) unite(z, zone, first + v[i]);
    }
  }
}

static void weigh_node(const CpsSurfaceNode* n, Zone* zone) {
  const CpsVec3 x = n->from, p = cps_vec3_scale(n->mass, n->velocity);
  zone->mass += n->mass;
  zone->linear = cps_vec3_add(zone->linear, p);
  zone->angular = cps_vec3_add(zone->angular, cps_vec3_cross(x, p));
  zone->first = cps_vec3_axpy(zone->first, n->mass, x);
  CpsMat3 square = cps_mat3_axpy(cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity()), -1.0, cps_mat3_outer(x, x));
  zone->second = cps_mat3_axpy(zone->second, n->mass, square);
}

static CpsRigidMotion obstacle_motion(const CpsObstacle* o, double h) {
  const CpsQuat turn = cps_quat_multiply(o->next.rotation, cps_quat_conjugate(o->now.rotation));
  const CpsVec3 spin = cps_vec3_scale(1.0 / h, cps_quat_log(turn));
  const CpsVec3 velocity = cps_vec3_scale(1.0 / h, cps_vec3_sub(o->next.position, o->now.position));
  return (CpsRigidMotion){cps_vec3_sub(velocity, cps_vec3_cross(spin, o->now.position)), spin};
}

static void fix(Zone* zone, CpsRigidMotion motion) {
  if (zone->fixed) return;
  zone->fixed = true;
  zone->motion = motion;
}

// Puts members other than surfaces back to the beginning of the step, and sums the masses and momenta of all zones there.
static void weigh(Zones* z) {
  CpsStep* step = z->step;
  const CpsWorld* world = step->world;
  memset(z->zone, 0, (size_t)z->count * sizeof *z->zone);
  for (int32_t i = z->obstacle_first; i < z->count; ++i) {
    if (z->taken[i])
      fix(&z->zone[cps_sets_root(z->parent, i)],
          obstacle_motion(&world->obstacles[i - z->obstacle_first], step->model.h));
  }
  for (int32_t s = 0; s < step->surface_count; ++s) {
    CpsMember m = cps_world_member(world, z->surface[s].owner);
    for (int32_t i = z->node_first[s]; i < z->node_first[s + 1]; ++i) {
      if (!z->taken[i]) continue;
      const int32_t node = i - z->node_first[s];
      const CpsSurfaceNode n = m.model->type->node(m.model, m.index, node);
      Zone* zone = &z->zone[cps_sets_root(z->parent, i)];
      const CpsRigidMotion held = {cps_vec3_scale(1.0 / step->model.h, cps_vec3_sub(n.to, n.from)), {0.0, 0.0, 0.0}};
      if (z->surface[s].held[node]) fix(zone, held);
      weigh_node(&n, zone);
    }
  }
  for (int32_t i = z->member_first; i < z->obstacle_first; ++i) {
    if (!z->taken[i]) continue;
    const int32_t member = i - z->member_first;
    CpsMember m = cps_world_member(world, member);
    Zone* zone = &z->zone[cps_sets_root(z->parent, i)];
    m.model->type->put_back(m.model, m.index, step->place + step->place_start[member]);
    m.model->type->momentum(m.model, m.index, m.index + 1, &zone->linear, &zone->angular);
    m.model->type->weigh(m.model, m.index, m.index + 1, &zone->mass);
    m.model->type->inertia(m.model, m.index, &zone->first, &zone->second);
  }
}

// Moves each zone as one object.
static void move(Zones* z) {
  CpsStep* step = z->step;
  const CpsWorld* world = step->world;
  const CpsRigidMotion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int32_t i = 0; i < z->count; ++i) {
    if (!z->taken[i] || cps_sets_root(z->parent, i) != i) continue;
    Zone* zone = &z->zone[i];
    zone->used = true;
    if (!zone->fixed) {
      zone->motion = cps_rigid_motion_of(zone->mass, zone->first, &zone->second, zone->linear, zone->angular);
    }
  }
  for (int32_t s = 0; s < step->surface_count; ++s) {
    CpsMember m = cps_world_member(world, z->surface[s].owner);
    for (int32_t i = z->node_first[s]; i < z->node_first[s + 1]; ++i) {
      const int32_t node = i - z->node_first[s];
      if (!z->taken[i] || z->surface[s].held[node]) continue;
      const Zone* zone = &z->zone[cps_sets_root(z->parent, i)];
      const CpsVec3 from = m.model->type->node(m.model, m.index, node).from;
      const CpsVec3 v = cps_rigid_motion_at(&zone->motion, from);
      m.model->type->put_node(m.model, m.index, node, cps_vec3_axpy(from, zone->fixed ? step->model.h : 0.0, v), v);
    }
  }
  for (int32_t i = z->member_first; i < z->obstacle_first; ++i) {
    if (!z->taken[i]) continue;
    CpsMember m = cps_world_member(world, i - z->member_first);
    m.model->type->slow(m.model, m.index, 0.0, &z->zone[cps_sets_root(z->parent, i)].motion, &none);
    if (m.model->type->follow) m.model->type->follow(m.model, m.index);
  }
}

static bool begin(CpsStep* step, Zones* z) {
  *z = (Zones){.step = step, .surface = step->surfaces};
  z->node_first = CPS_TAKE(step->scratch, int32_t, step->surface_count + 1);
  if (!z->node_first) return false;
  z->node_first[0] = 0;
  for (int32_t s = 0; s < step->surface_count; ++s) {
    z->node_first[s + 1] = z->node_first[s] + step->surfaces[s].tree->vertex_count;
  }
  z->member_first = z->node_first[step->surface_count];
  z->obstacle_first = z->member_first + cps_world_member_count(step->world);
  z->count = z->obstacle_first + step->world->obstacle_count;
  z->parent = CPS_TAKE(step->scratch, int32_t, z->count);
  z->taken = CPS_TAKE_ZERO(step->scratch, bool, z->count);
  z->zone = CPS_TAKE(step->scratch, Zone, z->count);
  z->stopped = CPS_TAKE(step->scratch, bool, z->count);
  if (!z->parent || !z->taken || !z->zone || !z->stopped) return false;
  for (int32_t i = 0; i < z->count; ++i) z->parent[i] = i;
  return true;
}

static double energy_now(const CpsStep* step) {
  CpsModelEnergy e = {0};
  for (int i = 0; i < step->world->population_count; ++i) {
    CpsModel* model = step->world->population[i];
    model->type->energy(model, &step->model, false, 0, model->count, &e);
  }
  return e.kinetic + e.potential + e.elastic;
}

CpsStatus cps_step_stop(CpsStep* step) {
  CpsWorld* world = step->world;
  Zones z;
  if (!begin(step, &z)) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to stop colliding objects");
  const double before = energy_now(step);
  for (int round = 0; step->pierced > 0 && round < ROUNDS; ++round) {
    for (int64_t i = 0; i < step->through.count; ++i) {
      unite_touch(&z, &step->through.touch[i]);
      if (round > 0) unite_around(&z, &step->through.touch[i]);
    }
    weigh(&z);
    move(&z);
    CpsStatus status = cps_step_through(step);
    if (status != CPS_OK) return status;
  }
  for (int32_t i = 0; i < z.count; ++i) step->info.stopped += z.zone[i].used;
  world->energy.impact += before - energy_now(step);
  return CPS_OK;
}
