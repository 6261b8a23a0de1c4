// What an island has to pay for a displacement: its energies, its momenta and the rigid motion that has them (projection.c).
#include "world/world.h"

#include <math.h>

enum { CHUNK = 64, SUMS = 64 };  // members per sum of energies; sums made at a time

int32_t cps_island_member_count(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  int32_t large = cps_island_is_large(c, k) ? c->large.island_start[k + 1] - c->large.island_start[k] : 0;
  return c->island_member_start[k + 1] - c->island_member_start[k] + large;
}

CpsMember cps_island_member(const CpsStep* step, int32_t k, int32_t i) {
  const CpsContacts* c = &step->contacts;
  const int32_t small = c->island_member_start[k + 1] - c->island_member_start[k];
  const bool is_small = i < small;
  return cps_world_member(step->world, is_small ? c->island_member[c->island_member_start[k] + i]
                                                : c->large.member[c->large.island_start[k] + i - small]);
}

typedef struct Weighing {
  const CpsStep* step;
  int32_t k, first, last;  // members of the island that remain
  CpsModelEnergy part[SUMS];
} Weighing;

static void weigh_chunks(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Weighing* w = data;
  for (int64_t k = first; k < last; ++k) {
    const int32_t from = w->first + CHUNK * (int32_t)k, to = from + CHUNK < w->last ? from + CHUNK : w->last;
    w->part[k] = (CpsModelEnergy){0};
    for (int32_t i = from; i < to; ++i) {
      CpsMember m = cps_island_member(w->step, w->k, i);
      m.model->type->energy(m.model, &w->step->model, false, m.index, m.index + 1, &w->part[k]);
    }
  }
}

// Kinetic and potential energy, including elastic energy.
CpsModelEnergy cps_island_energy(const CpsStep* step, int32_t k) {
  CpsModelEnergy sum = {0};
  Weighing w = {.step = step, .k = k, .last = cps_island_member_count(step, k)};
  for (; w.first < w.last; w.first += CHUNK * SUMS) {
    int32_t chunks = (w.last - w.first + CHUNK - 1) / CHUNK;
    if (chunks > SUMS) chunks = SUMS;
    cps_pool_run(chunks > 1 ? step->world->pool : NULL, chunks, weigh_chunks, &w);
    for (int32_t i = 0; i < chunks; ++i) {
      sum.kinetic += w.part[i].kinetic;
      sum.potential += w.part[i].potential + w.part[i].elastic;
    }
  }
  return sum;
}

// Whether an obstacle touches the island or holds one of its members.
static bool is_held(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->contact[c->order[i]].b < 0) return true;
  }
  for (int32_t i = 0; i < cps_island_member_count(step, k); ++i) {
    CpsMember m = cps_island_member(step, k, i);
    if (m.model->type->is_held && m.model->type->is_held(m.model, m.index)) return true;
  }
  return false;
}

// The inertia tensor about the centre of mass.
static CpsMat3 own_inertia(double mass, CpsVec3 centre, const CpsMat3* second) {
  CpsMat3 square = cps_mat3_axpy(cps_mat3_scale(cps_vec3_dot(centre, centre), cps_mat3_identity()), -1.0,
                                 cps_mat3_outer(centre, centre));
  return cps_mat3_axpy(*second, -mass, square);
}

CpsRigidMotion cps_rigid_motion_of(double mass, CpsVec3 first, const CpsMat3* second, CpsVec3 linear, CpsVec3 angular) {
  CpsVec3 V = cps_vec3_scale(1.0 / mass, linear), c = cps_vec3_scale(1.0 / mass, first);
  CpsMat3 I = own_inertia(mass, c, second);
  CpsVec3 L = cps_vec3_sub(angular, cps_vec3_cross(c, linear));
  CpsVec3 p = cps_vec3_get(I.m), q = cps_vec3_get(I.m + 3), r = cps_vec3_get(I.m + 6), qr = cps_vec3_cross(q, r);
  double det = cps_vec3_dot(p, qr), trace = I.m[0] + I.m[4] + I.m[8];
  CpsVec3 w = {0.0, 0.0, 0.0};
  // a line has no inertia about its own axis, so it cannot be given a spin about it
  if (det > 1e-9 * trace * trace * trace) {
    w = cps_vec3_add(cps_vec3_scale(L.x, qr), cps_vec3_scale(L.y, cps_vec3_cross(r, p)));
    w = cps_vec3_scale(1.0 / det, cps_vec3_axpy(w, L.z, cps_vec3_cross(p, q)));
  }
  return (CpsRigidMotion){cps_vec3_sub(V, cps_vec3_cross(w, c)), w};
}

// The rigid motion of an island with these momenta, and its kinetic energy.
static CpsRigidMotion rigid_motion(const CpsPurse* island, CpsVec3 linear, CpsVec3 angular, double* energy) {
  CpsRigidMotion m = cps_rigid_motion_of(island->mass, island->first, &island->second, linear, angular);
  CpsVec3 c = cps_vec3_scale(1.0 / island->mass, island->first), V = cps_vec3_scale(1.0 / island->mass, linear);
  CpsMat3 I = own_inertia(island->mass, c, &island->second);
  *energy = 0.5 * cps_vec3_dot(V, linear) + 0.5 * cps_vec3_dot(m.spin, cps_mat3_apply(I, m.spin));
  return m;
}

CpsPurse cps_island_purse(const CpsStep* step, int32_t k, double kinetic) {
  CpsPurse purse = {.kinetic = kinetic};
  purse.held = is_held(step, k);
  if (purse.held) return purse;
  for (int32_t i = 0; i < cps_island_member_count(step, k); ++i) {
    CpsMember m = cps_island_member(step, k, i);
    m.model->type->momentum(m.model, m.index, m.index + 1, &purse.linear, &purse.angular);
    m.model->type->weigh(m.model, m.index, m.index + 1, &purse.mass);
    m.model->type->inertia(m.model, m.index, &purse.first, &purse.second);
  }
  purse.common = rigid_motion(&purse, purse.linear, purse.angular, &purse.together);
  purse.kinetic = fmax(0.0, kinetic - purse.together);
  return purse;
}

// Scales the velocities of the island relative to `from`, then adds `more`.
void cps_island_slow(const CpsStep* step, int32_t k, double factor, const CpsRigidMotion* from,
                     const CpsRigidMotion* more) {
  for (int32_t i = 0; i < cps_island_member_count(step, k); ++i) {
    CpsMember m = cps_island_member(step, k, i);
    m.model->type->slow(m.model, m.index, factor, from, more);
  }
}

// Makes a displaced free island pay for dV: its motion relative to the common motion is scaled, and the common motion
// becomes that of its old momenta at the new position.
void cps_island_pay_freely(const CpsStep* step, int32_t k, const CpsPurse* purse, double kinetic, double dV) {
  CpsPurse now = cps_island_purse(step, k, kinetic);
  double together;
  CpsRigidMotion then = rigid_motion(&now, purse->linear, purse->angular, &together);
  CpsRigidMotion more = {cps_vec3_sub(then.velocity, now.common.velocity), cps_vec3_sub(then.spin, now.common.spin)};
  double left = kinetic - fmax(dV, 0.0) - together;
  double factor = now.kinetic > 0.0 ? sqrt(fmin(1.0, fmax(0.0, left / now.kinetic))) : 1.0;
  cps_island_slow(step, k, factor, &now.common, &more);
  // velocities of super-models depend on the position: correct the energy that they gained, then the remaining momentum
  const CpsVec3 none = {0.0, 0.0, 0.0};
  double after = cps_island_energy(step, k).kinetic, over = after - (kinetic - fmax(dV, 0.0));
  more = (CpsRigidMotion){none, none};
  if (over > 0.0 && after - together > over) {
    cps_island_slow(step, k, sqrt(1.0 - over / (after - together)), &then, &more);
  }
  now = cps_island_purse(step, k, 0.0);
  more.velocity = cps_vec3_scale(1.0 / now.mass, cps_vec3_sub(purse->linear, now.linear));
  cps_island_slow(step, k, 1.0, &then, &more);
}
