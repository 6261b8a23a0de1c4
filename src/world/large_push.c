// Drift of surfaces: anything nearer than its thickness is pushed apart between steps, as small members are (projection.c).
//
// The displacement is the smallest in the metric of M~, the implicit mass: neighbours of a vertex that is pushed go along as far
// as the stiffness over the step asks for. What that costs in potential and elastic energy is paid with kinetic
// energy, (1) or (2) of projection.c, and booked there. A push through which something would go through something is made half as
// long, and in the end not at all.
#include "world/world.h"

#include "core/error.h"
#include "friction/refill.h"

#include <math.h>
#include <string.h>

enum { EVERY = 4, ROUNDS = 6, SWEEPS = 100 };
static const double TRIGGER = 0.1;     // deeper than this is pushed; all depths are in parts of the smallest radius
static const double URGENT = 0.5;      // and deeper than this in every step, not in one of EVERY
static const double ALLOWED = 0.05;    // the remainder
static const double PART = 0.1;        // of the kinetic energy that one step may spend
static const double STILL = 1e-3;      // of the speed that a step of free fall brings: what is slower rests
static const double TOLERANCE = 1e-3;  // of the pushes

typedef struct Push {
  CpsStep* step;
  int32_t k;       // island
  double *r, *z;   // impulses of the displacement, and what they are to small members, mass-normalised
  double* by;      // displacements of nodes, and of small members where they are made shorter
  double* then;    // places of all members before
  int64_t* start;  // of each
} Push;

static double deepest(const CpsContacts* c, int32_t k) {
  double least = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->order[i] < c->touch_count) least = fmin(least, c->contact[c->order[i]].touch.gap);
  }
  return -least;
}

static bool is_wanted(const CpsStep* step, int32_t k) {
  const CpsWorld* world = step->world;
  const CpsContacts* c = &step->contacts;
  if (!cps_island_is_large(c, k) || cps_island_has_own(c, k)) return false;
  const double deep = deepest(c, k) / world->smallest;
  if (deep < TRIGGER || (deep < URGENT && world->index % EVERY != 0)) return false;
  const double kinetic = cps_island_energy(step, k).kinetic;
  double mass = 0.0;
  CpsVec3 p = {0.0, 0.0, 0.0}, L = p;
  for (int32_t i = 0; i < cps_island_member_count(step, k); ++i) {
    CpsMember m = cps_island_member(step, k, i);
    m.model->type->momentum(m.model, m.index, m.index + 1, &p, &L, &mass);
  }
  const double speed = STILL * step->model.h * cps_vec3_norm(step->model.gravity);
  return kinetic > 0.0 && kinetic > 0.5 * mass * speed * speed;
}

// The nodes of the large members of the island come after its small members.
static const double* node_displacement(const Push* p) {
  return p->step->contacts.large.dv + p->step->contacts.large.vector_start[p->k];
}

static CpsStatus find_displacement(Push* p) {
  CpsStep* step = p->step;
  CpsContacts* c = &step->contacts;
  const int32_t k = p->k;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    double *b = c->b + cps_contact_row(c, i), *shift = c->shift + cps_contact_row(c, i);
    const bool tied = c->order[i] >= c->touch_count;
    b[0] = tied ? 0.0 : c->contact[c->order[i]].touch.gap + ALLOWED * step->world->smallest;
    b[1] = b[2] = shift[0] = shift[1] = shift[2] = 0.0;
    memset(p->r + cps_contact_row(c, i), 0, 3 * sizeof *p->r);
  }
  CpsSolveOptions options = cps_solve_options_default();
  options.tolerance = TOLERANCE;
  options.max_iterations = SWEEPS;
  options.threads = step->world->pool_threads;
  const CpsIslandTask task = {step, k, 0, &options, NULL, step->error};
  CpsStatus status = cps_island_solve(&task, p->r);
  if (status < 0) return status;
  cps_problem_nodes(step->world->solvers[0].large, p->r + cps_contact_row(c, c->island_start[k]),
                    c->large.dv + c->large.vector_start[k], c->large.work + c->large.vector_start[k]);
  cps_island_gather(c, k, p->r, p->z);
  return CPS_OK;
}

static void keep(const Push* p) {
  for (int32_t i = 0; i < cps_island_member_count(p->step, p->k); ++i) {
    CpsMember m = cps_island_member(p->step, p->k, i);
    m.model->type->keep_place(m.model, m.index, p->then + p->start[i]);
  }
}

static void move_nodes(CpsMember m, const double* by, double scale) {
  const CpsLargeMass mass = m.model->type->mass(m.model, m.index);
  for (int32_t n = 0; n < mass.nodes; ++n) {
    if (mass.held[n]) continue;
    CpsSurfaceNode at = m.model->type->node(m.model, m.index, n);
    m.model->type->put_node(m.model, m.index, n, cps_vec3_axpy(at.to, scale, cps_vec3_get(by + 3 * (int64_t)n)),
                            at.velocity);
  }
}

static void move(const Push* p, double scale) {
  const CpsContacts* c = &p->step->contacts;
  const int32_t small = c->island_member_start[p->k + 1] - c->island_member_start[p->k];
  for (int32_t i = 0; i < cps_island_member_count(p->step, p->k); ++i) {
    CpsMember m = cps_island_member(p->step, p->k, i);
    m.model->type->put_back(m.model, m.index, p->then + p->start[i]);
    if (scale == 0.0) continue;
    if (i >= small) {
      const int32_t first = c->large.first[c->large.island_start[p->k] + i - small];
      move_nodes(m, node_displacement(p) + 3 * (int64_t)first, scale);
      continue;
    }
    const int64_t at = c->z_start[c->island_member_start[p->k] + i],
                  end = c->z_start[c->island_member_start[p->k] + i + 1];
    for (int64_t j = at; j < end; ++j) p->by[j] = scale * p->z[j];
    m.model->type->shift(m.model, m.index, p->by + at);
    if (m.model->type->follow) m.model->type->follow(m.model, m.index);
  }
}

// Where the nodes of a surface were, as the island keeps them; NULL: it is not of the island.
static const CpsVec3* place_before(const Push* p, int32_t owner) {
  const CpsMember of = cps_world_member(p->step->world, owner);
  for (int32_t i = 0; i < cps_island_member_count(p->step, p->k); ++i) {
    CpsMember m = cps_island_member(p->step, p->k, i);
    if (m.model == of.model && m.index == of.index) return (const CpsVec3*)(p->then + p->start[i]);
  }
  return NULL;
}

static CpsStatus goes_through(const Push* p, bool* through) {
  CpsStep* step = p->step;
  CpsSurfaceMesh* way = CPS_TAKE(step->scratch, CpsSurfaceMesh, step->surface_count);
  if (!way) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
  cps_step_list_surfaces(step, false, way);
  for (int32_t i = 0; i < step->surface_count; ++i) {
    const bool guard = way[i].guard;
    if (guard && !cps_guard_sink(step, cps_world_member(step->world, way[i].owner), &way[i]))
      return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
    way[i].start = guard ? NULL : place_before(p, way[i].owner);
    if (!way[i].start) way[i].start = way[i].end;
  }
  return cps_step_pushed_through(step, way, through);
}

// As far as the purse allows and nothing goes through anything. Returns what it costs.
static CpsStatus move_and_look(const Push* p, double limit, const CpsModelEnergy* before, double* cost) {
  double scale = 1.0;
  *cost = 0.0;
  for (int round = 0; round < ROUNDS; ++round) {
    bool through = false;
    move(p, scale);
    const double dV = cps_island_energy(p->step, p->k).potential - before->potential;
    CpsStatus status = dV > limit ? CPS_OK : goes_through(p, &through);
    if (status != CPS_OK) return status;
    if (dV <= limit && !through) {
      *cost = dV;
      return CPS_OK;
    }
    scale *= dV > limit ? fmin(0.5, limit / dV) : 0.5;
  }
  move(p, 0.0);
  return CPS_OK;
}

// An island of closed surfaces that touches what cannot move pays with its motion along the displacement d alone. v - beta d has the kinetic energy
//
//   K - beta a + beta^2 b / 2,   a = v.M d,   b = d.M d,                                                               (1)
//
// and what v loses is an impulse along normals of contacts, since d is what such impulses displace: M~ d = G^T r, and sums of M~ d are those of
// M d. If all velocities were scaled instead, what slides fast or bounces at an angle would be slowed by more than friction may. So are open
// surfaces, even so: what moves along one that sinks must bring it out, since it has no inside, and is through at twice the depth.
typedef struct Along {
  double a, b;
} Along;

static bool has_open_surface(const CpsStep* step, int32_t k) {
  const CpsLargeRows* large = &step->contacts.large;
  for (int32_t j = large->island_start[k]; j < large->island_start[k + 1]; ++j) {
    for (int32_t i = 0; i < step->surface_count; ++i) {
      if (step->surfaces[i].owner == large->member[j] && !step->surfaces[i].closed) return true;
    }
  }
  return false;
}

static int32_t small_count(const Push* p) {
  const CpsContacts* c = &p->step->contacts;
  return c->island_member_start[p->k + 1] - c->island_member_start[p->k];
}

// (1) for beta; beta 0 only finds a and b.
static Along slow_along(const Push* p, double beta) {
  const CpsContacts* c = &p->step->contacts;
  Along out = {0.0, 0.0};
  for (int32_t i = small_count(p); i < cps_island_member_count(p->step, p->k); ++i) {
    CpsMember m = cps_island_member(p->step, p->k, i);
    const CpsLargeMass mass = m.model->type->mass(m.model, m.index);
    const double* by =
        node_displacement(p) + 3 * (int64_t)c->large.first[c->large.island_start[p->k] + i - small_count(p)];
    for (int32_t n = 0; n < mass.nodes; ++n) {
      if (mass.held[n]) continue;
      const CpsSurfaceNode at = m.model->type->node(m.model, m.index, n);
      const CpsVec3 d = cps_vec3_get(by + 3 * (int64_t)n);
      out.a += at.mass * cps_vec3_dot(at.velocity, d);
      out.b += at.mass * cps_vec3_dot(d, d);
      if (beta != 0.0) m.model->type->put_node(m.model, m.index, n, at.to, cps_vec3_axpy(at.velocity, -beta, d));
    }
  }
  return out;
}

// What can be paid so, and the payment of dV.
static double along_purse(const Along* along) {
  return along->b > 0.0 ? 0.5 * along->a * along->a / along->b : 0.0;
}

static void pay_along(const Push* p, const Along* along, double dV) {
  if (!(dV > 0.0) || !(along->b > 0.0)) return;
  const double left = sqrt(fmax(0.0, along->a * along->a - 2.0 * along->b * dV));
  slow_along(p, (along->a - copysign(left, along->a)) / along->b);
}

static CpsStatus push(Push* p) {
  CpsStep* step = p->step;
  CpsStatus status = find_displacement(p);
  if (status != CPS_OK) return status;
  const CpsModelEnergy before = cps_island_energy(step, p->k);
  const CpsPurse purse = cps_island_purse(step, p->k, before.kinetic);
  double dV;
  keep(p);
  const Along along = slow_along(p, 0.0);
  const bool pays_along_it = purse.held && !has_open_surface(step, p->k);
  status = move_and_look(p, PART * (pays_along_it ? along_purse(&along) : purse.kinetic), &before, &dV);
  if (status != CPS_OK) return status;
  const CpsRigidMotion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  if (pays_along_it) {
    pay_along(p, &along, dV);
  } else if (!purse.held) {
    cps_island_pay_freely(step, p->k, &purse, before.kinetic, dV);
  } else if (dV > 0.0 && purse.kinetic > 0.0) {
    cps_island_slow(step, p->k, sqrt(fmax(0.0, 1.0 - dV / purse.kinetic)), &none, &none);
  }
  const CpsModelEnergy after = cps_island_energy(step, p->k);
  step->projection_loss += before.kinetic + before.potential - after.kinetic - after.potential;
  return CPS_OK;
}

static CpsStatus take_room(CpsStep* step, int32_t k, Push* p) {
  const CpsContacts* c = &step->contacts;
  const int32_t count = cps_island_member_count(step, k);
  const int64_t z = c->z_start[c->island_member_start[c->island_count]];
  *p = (Push){.step = step, .k = k, .start = CPS_TAKE(step->scratch, int64_t, count + 1)};
  p->r = CPS_TAKE(step->scratch, double, cps_contact_row(c, c->count));
  p->z = CPS_TAKE(step->scratch, double, z);
  p->by = CPS_TAKE(step->scratch, double, z);
  if (!p->start) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
  p->start[0] = 0;
  for (int32_t i = 0; i < count; ++i) {
    CpsMember m = cps_island_member(step, k, i);
    p->start[i + 1] = p->start[i] + m.model->type->place_size(m.model, m.index);
  }
  p->then = CPS_TAKE(step->scratch, double, p->start[count]);
  if (p->r && p->z && p->by && p->then) return CPS_OK;
  return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
}

CpsStatus cps_step_push_large(CpsStep* step, bool* moved) {
  CpsStatus status = CPS_OK;
  for (int32_t k = 0; status == CPS_OK && k < step->contacts.island_count; ++k) {
    if (!is_wanted(step, k)) continue;
    Push p;
    status = take_room(step, k, &p);
    if (status == CPS_OK) status = push(&p);
    *moved = true;
  }
  return status;
}
