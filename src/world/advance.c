// Step 6: applies impulses to velocities and velocities to positions, then computes the work and the losses of each contact.
//
//   v+ = v* + L^-T sum G^T r                                                                                      (1)
//   dissipated by friction  - (u_T+ + u_T-).r_T / 2,  by impact  - (u_N+ + u_N-) r_N / 2                          (2)
//   work of obstacles       - w.r                                                                                 (3)
//   lost by the scheme      (u- - u*).r / 2  in addition to the losses of the models                             (4)
//   work of held ends       - d.r,  d the part of u due to their prescribed motion, in addition to the models    (5)
//
// Together with (5) of model.h, these add up exactly to the change of energy: the kinetic energy gained from v* to v+ is
// (u+ + u* - 2 w).r / 2.
#include "world/world.h"

#include "core/error.h"
#include "friction/contacts.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };  // contacts of an island summed in one chunk, for any number of threads

// Speeds below which a member that has come to rest is stopped, relative to g h; a faster member moves with its
// carrier. A member that also stood still before the step has only the speed of rounding, since forces balance to
// about 1e-12 of the largest impulse. A member faster than the second speed rolls, which does not move its contacts.
static const double STANDS = 1e-6, STOOD = 1e-8;

typedef struct Advancing {
  CpsStep* step;
  double* z;             // sum of G^T r of each small member of the islands
  CpsContactSums* sums;  // one for each chunk
  bool* touched;         // large members of islands
} Advancing;

// Sums the impulses of (1), for each island in the order of its contacts: the same sums for any number of threads.
static void gather(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Advancing* a = data;
  CpsContacts* c = &a->step->contacts;
  for (int64_t k = first; k < last; ++k) {
    cps_island_gather(c, (int32_t)k, c->r, a->z);
  }
}

// Advances the members without contacts; the others receive their impulses afterwards. Large members with contacts
// were advanced by the solve.
static void fly(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Advancing* a = data;
  for (int64_t i = first; i < last; ++i) {
    CpsMember m = cps_world_member(a->step->world, (int32_t)i);
    if (cps_step_is_aside(a->step, (int32_t)i)) continue;  // at rest where it was
    if (!m.model->type->mass) m.model->type->receive(m.model, m.index, NULL);
    if (!m.model->type->mass || a->touched[i] || cps_member_is_wide(m)) continue;
    m.model->type->fly(m.model, &a->step->model, m.index);
  }
}

// Members of many nodes, one after the other, each on all threads.
static void fly_wide(const Advancing* a) {
  CpsModelStep model = a->step->model;
  model.pool = a->step->world->pool;
  const int32_t members = cps_world_member_count(a->step->world);
  if (!cps_world_has_large(a->step->world)) return;
  for (int32_t i = 0; i < members; ++i) {
    CpsMember m = cps_world_member(a->step->world, i);
    if (cps_member_is_wide(m) && !a->touched[i]) m.model->type->fly(m.model, &model, m.index);
  }
}

static void push(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Advancing* a = data;
  const CpsContacts* c = &a->step->contacts;
  for (int64_t i = first; i < last; ++i) {
    CpsMember m = cps_world_member(a->step->world, c->island_member[i]);
    m.model->type->receive(m.model, m.index, a->z + c->z_start[i]);
  }
}

// Stops members of islands at rest.
static void halt(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  const double weight = step->model.h * cps_vec3_norm(step->model.gravity);
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (c->rest[k] == CPS_REST_NONE) continue;
    const int32_t first = c->island_member_start[k], last = c->island_member_start[k + 1];
    const double speed = (c->rest[k] == CPS_REST_KEPT && !cps_island_is_large(c, k) ? STOOD : STANDS) * weight;
    int32_t standing = 0;
    for (int32_t i = first; i < last; ++i) {
      CpsMember m = cps_world_member(step->world, c->island_member[i]);
      standing += m.model->type->halt && m.model->type->halt(m.model, m.index, speed);
    }
    c->told[k].stands = c->rest[k] == CPS_REST_KEPT && standing == last - first && !cps_island_is_large(c, k);
    // halt() of newton.c has stopped the large members of these islands
    if (cps_island_is_large(c, k)) standing += c->large.island_start[k + 1] - c->large.island_start[k];
    c->standing += standing;
  }
  if (step->aside) c->standing += step->world->aside.member_count;
}

// Work (5) at one side of a contact.
static double held_work(const CpsWorld* world, int32_t member, const CpsSpot* spot, CpsVec3 r) {
  CpsMember m = cps_world_member(world, member);
  return m.model->type->driven ? cps_vec3_dot(m.model->type->driven(m.model, m.index, spot), r) : 0.0;
}

static void add_work(const CpsWorld* world, const CpsStepContact* t, CpsContactSums* sums) {
  CpsVec3 r = cps_mat3_apply_transposed(t->frame, cps_vec3(t->r[0], t->r[1], t->r[2]));
  sums->ends -= held_work(world, t->a, &t->spot_a, r);
  if (t->b >= 0) sums->ends += held_work(world, t->b, &t->spot_b, r);
  for (int k = 0; k < 3; ++k) {
    sums->obstacles -= t->surface[k] * t->r[k];
    sums->scheme += (0.5 * (t->before[k] - t->free[k]) + t->lead[k]) * t->r[k];
  }
}

static void add_contact(const CpsStepContact* t, CpsContactSums* sums) {
  sums->impact -= 0.5 * (t->after[0] + t->before[0]) * t->r[0];
  for (int k = 1; k < 3; ++k) sums->friction -= 0.5 * (t->after[k] + t->before[k]) * t->r[k];
  sums->stick += t->status == CPS_CONTACT_STICK;
  sums->slide += t->status == CPS_CONTACT_SLIDE;
}

// Adds (2) and (4) of a block that a member brings itself.
static void add_own(const CpsStep* step, int32_t contact, const double* r, CpsContactSums* sums) {
  double before[CPS_OWN_ROWS], free[CPS_OWN_ROWS], after[CPS_OWN_ROWS];
  cps_own_velocity(step, contact, CPS_VELOCITY_BEFORE, before);
  cps_own_velocity(step, contact, CPS_VELOCITY_FREE, free);
  cps_own_velocity(step, contact, CPS_VELOCITY_AFTER, after);
  for (int32_t k = 0; k < cps_contact_rows(&step->contacts, contact); ++k) {
    *(k == 0 ? &sums->impact : &sums->friction) -= 0.5 * (after[k] + before[k]) * r[k];
    sums->scheme += 0.5 * (before[k] - free[k]) * r[k];
  }
}

// Work and losses of contacts [first, last) of the order.
static void look_back_at(CpsStep* step, int64_t first, int64_t last, CpsContactSums* sums) {
  CpsContacts* c = &step->contacts;
  for (int64_t i = first; i < last; ++i) {
    CpsStepContact* t = &c->contact[c->order[i]];
    const double* r = c->r + cps_contact_row(c, i);
    if (cps_contact_is_own(c, c->order[i])) {
      add_own(step, c->order[i], r, sums);
      continue;
    }
    for (int k = 0; k < 3; ++k) t->r[k] = r[k] * (k == 2 ? t->across : 1.0);
    CpsVec3 v = cps_contact_velocity(step->world, t, CPS_VELOCITY_AFTER);
    CpsVec3 u = cps_mat3_apply(t->frame, v);
    cps_vec3_put(t->after, u);
    for (int k = 0; k < 3; ++k) t->after[k] += t->surface[k] + t->lead[k];
    if (t->soft >= 0) t->after[1] = t->after[2] = t->r[1] = t->r[2] = 0.0;
    CpsVec3 force = cps_mat3_apply_transposed(t->frame, cps_vec3(t->r[0], t->r[1], t->r[2]));
    // a kept impulse keeps its bits, or rounding would change it from step to step
    if (c->rest[t->island] != CPS_REST_KEPT) {
      c->track[c->order[i]].impulse = cps_vec3_scale(1.0 / step->model.h, force);
    }
    add_work(step->world, t, sums);
    if (c->order[i] < c->touch_count)
      add_contact(t, sums);
    else
      cps_tie_work(step, t, &c->tie[c->order[i] - c->touch_count], &sums->tie);
  }
}

// The island of sum number i.
static int32_t island_of_sum(const CpsContacts* c, int64_t i) {
  int32_t low = 0, high = c->island_count;
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if (c->told[middle].sum_start <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Work and losses of all contacts, for sums [first, last).
static void look_back(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Advancing* a = data;
  const CpsContacts* c = &a->step->contacts;
  for (int64_t i = first, k = first < last ? island_of_sum(c, first) : 0; i < last; ++i) {
    while (i >= c->told[k + 1].sum_start) ++k;
    const int64_t from = c->island_start[k] + CHUNK * (i - c->told[k].sum_start), to = c->island_start[k + 1];
    look_back_at(a->step, from, from + CHUNK < to ? from + CHUNK : to, &a->sums[i]);
  }
}

static void enter(CpsStep* step, const CpsContactSums* sums, int64_t count) {
  CpsEnergy* e = &step->world->energy;
  for (int64_t k = 0; k < count; ++k) {
    e->friction += sums[k].friction;
    e->impact += sums[k].impact;
    e->obstacles += sums[k].obstacles;
    e->scheme += sums[k].scheme;
    e->ends += sums[k].ends;
    e->ties += sums[k].tie.ties;
    e->damping += sums[k].tie.damping;
    e->scheme += sums[k].tie.scheme;
    e->linearisation += sums[k].tie.linearisation;
    step->info.stick += sums[k].stick;
    step->info.slide += sums[k].slide;
  }
}

// In the order of islands, including idle ones: the bits are the same with and without them.
void cps_step_enter_books(CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  const CpsAside* aside = &step->world->aside;
  const int32_t others = step->aside ? aside->island_count : 0;
  int32_t other = 0;
  for (int32_t k = 0; k < c->island_count; ++k) {
    for (; other < others && aside->island[other].told.first < c->told[k].first; ++other) {
      enter(step, aside->island[other].sums, aside->island[other].sum_count);
    }
    enter(step, c->sums + c->told[k].sum_start, c->told[k + 1].sum_start - c->told[k].sum_start);
  }
  for (; other < others; ++other) enter(step, aside->island[other].sums, aside->island[other].sum_count);
}

// Lays out the sums of each island; returns their number.
static int64_t lay_sums(CpsContacts* c) {
  int64_t sums = 0;
  for (int32_t k = 0; k < c->island_count; ++k) {
    c->told[k].first = c->ends[c->order[c->island_start[k]]].a;
    c->told[k].sum_start = sums;
    sums += (c->island_start[k + 1] - c->island_start[k] + CHUNK - 1) / CHUNK;
  }
  c->told[c->island_count].sum_start = sums;
  return sums;
}

static double fastest_meeting(const CpsContacts* c) {
  double most = 0.0;
  for (int32_t i = 0; i < c->touch_count; ++i) {
    const double* u = c->contact[i].free;
    most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  return sqrt(most);
}

CpsStatus cps_step_advance(CpsStep* step) {
  CpsWorld* world = step->world;
  CpsContacts* c = &step->contacts;
  int32_t members = cps_world_member_count(world), touched = c->island_member_start[c->island_count];
  const int64_t chunks = lay_sums(c);
  Advancing a = {step, CPS_TAKE(step->scratch, double, c->z_start[touched]),
                 CPS_TAKE_ZERO(&world->touches, CpsContactSums, chunks), CPS_TAKE_ZERO(step->scratch, bool, members)};
  if (!a.z || !a.sums || !a.touched) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  const int32_t* large = c->large.island_start;
  for (int32_t i = 0; large && i < large[c->island_count]; ++i) a.touched[c->large.member[i]] = true;
  cps_pool_run(world->pool, c->island_count, gather, &a);
  cps_pool_run(world->pool, members, fly, &a);
  fly_wide(&a);
  cps_pool_run(world->pool, touched, push, &a);
  halt(step);
  cps_pool_run(world->pool, chunks, look_back, &a);
  cps_step_own_done(step);
  step->model.meeting = fastest_meeting(c);
  cps_world_run(world, &step->model, CPS_CALL_ADVANCE);
  cps_pulls_look_back(world, &step->model);
  c->sums = a.sums;
  cps_step_enter_books(step);
  return CPS_OK;
}
