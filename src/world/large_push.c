// Drift of surfaces: anything nearer than its thickness is pushed apart between steps, as small members are (projection.c).
//
// The displacement is the smallest in the metric of M~, the implicit mass: neighbours of a vertex that is pushed go along as far
// as the stiffness over the step asks for. What that costs in potential and elastic energy is paid with kinetic energy: with the motion along
// the displacement, (1) below, or with all motion, (2) of projection.c; it is booked there. A push through which something would go through
// something is made half as long, and in the end not at all.
#include "world/world.h"

#include "core/error.h"
#include "friction/refill.h"

#include <math.h>
#include <string.h>

enum { EVERY = 4, ROUNDS = 6, SWEEPS = 100 };
static const double TRIGGER = 0.1;   // depth that triggers a push; all depths are relative to the smallest radius
static const double URGENT = 0.5;    // depth that triggers a push in every step, not only in one of EVERY
static const double LAST = 1.0;      // at this depth, an open surface is half-way through
static const double ALLOWED = 0.05;  // depth that remains
static const double PART = 0.1;      // of the kinetic energy: the most that one step may spend
static const double STILL = 1e-3;    // relative to the speed gained in a step of free fall: slower members are at rest
static const double NOTHING = 1e-2;  // relative to the cost: motion along a push with less energy does not pay for it
static const double TOLERANCE = 1e-3;  // relative to the pushes

typedef struct Push {
  CpsStep* step;
  int32_t k;       // island
  double *r, *z;   // impulses of the displacement, and the mass-normalised displacements of small members
  double* by;      // displacements of nodes, and scaled ones of small members
  double* then;    // positions of all members before the push
  int64_t* start;  // start of each member in `then`
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
  for (int32_t i = 0; i < cps_island_member_count(step, k); ++i) {
    CpsMember m = cps_island_member(step, k, i);
    m.model->type->weigh(m.model, m.index, m.index + 1, &mass);
  }
  const double speed = STILL * step->model.h * cps_vec3_norm(step->model.gravity);
  return kinetic > 0.0 && kinetic > 0.5 * mass * speed * speed;
}

// The nodes of the island's large members follow its small members.
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

// Positions of a surface's nodes before the push, as kept for the island; NULL if the surface is not in the island.
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

// Progress of a push: the part of the displacement that was made, the cost of the last move, and the cost of the whole remainder.
typedef struct Way {
  double scale, cost, full;
} Way;

// Moves on from the current place as far as the purse allows and nothing passes through anything.
static CpsStatus move_on(const Push* p, double limit, Way* way) {
  const double before = cps_island_energy(p->step, p->k).potential, made = way->scale;
  double part = 1.0;
  way->cost = 0.0;
  for (int round = 0; round < ROUNDS; ++round) {
    const double scale = made + part * (1.0 - made);
    bool through = false;
    move(p, scale);
    const double dV = cps_island_energy(p->step, p->k).potential - before;
    if (round == 0) way->full = dV;
    CpsStatus status = dV > limit ? CPS_OK : goes_through(p, &through);
    if (status != CPS_OK) return status;
    if (dV <= limit && !through) {
      way->scale = scale;
      way->cost = dV;
      return CPS_OK;
    }
    part *= dV > limit ? fmin(0.5, limit / dV) : 0.5;
  }
  move(p, made);
  return CPS_OK;
}

// An island that touches an immovable object pays with its motion along the displacement d alone. v - beta d has the kinetic energy
//
//   K - beta a + beta^2 b / 2,   a = v.M d,   b = d.M d,                                                               (1)
//
// and v loses an impulse along normals of contacts, because such impulses produce d: M~ d = G^T r, and sums of M~ d equal those of M d.
// Scaling all velocities instead would slow fast sliding, or a bounce at an angle, by more than friction may.
//
// A closed surface has an inside and can be pushed out gradually. An open one has none and has passed through at
// twice the depth. It pays with all its motion along d, and with its remaining motion if this leaves it deeper than
// half of its thickness, or if nothing moves along d.
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

// A node of a large member that is not held, in the order of members.
typedef struct Node {
  CpsMember member;
  int32_t node;
  CpsSurfaceNode at;
  CpsVec3 d;
} Node;

static void for_free_nodes(const Push* p, void (*visit)(void* data, const Node* node), void* data) {
  const CpsContacts* c = &p->step->contacts;
  for (int32_t i = small_count(p); i < cps_island_member_count(p->step, p->k); ++i) {
    CpsMember m = cps_island_member(p->step, p->k, i);
    const CpsLargeMass mass = m.model->type->mass(m.model, m.index);
    const double* by =
        node_displacement(p) + 3 * (int64_t)c->large.first[c->large.island_start[p->k] + i - small_count(p)];
    for (int32_t n = 0; n < mass.nodes; ++n) {
      if (mass.held[n]) continue;
      const Node node = {m, n, m.model->type->node(m.model, m.index, n), cps_vec3_get(by + 3 * (int64_t)n)};
      visit(data, &node);
    }
  }
}

static void set_velocity(const Node* node, CpsVec3 v) {
  node->member.model->type->put_node(node->member.model, node->member.index, node->node, node->at.to, v);
}

static void add_along(void* data, const Node* node) {
  Along* along = data;
  along->a += node->at.mass * cps_vec3_dot(node->at.velocity, node->d);
  along->b += node->at.mass * cps_vec3_dot(node->d, node->d);
}

static void slow_along(void* data, const Node* node) {
  const double* beta = data;
  set_velocity(node, cps_vec3_axpy(node->at.velocity, -*beta, node->d));
}

// The energy available for this payment, and the payment of dV.
static double along_purse(const Along* along) {
  return along->b > 0.0 ? 0.5 * along->a * along->a / along->b : 0.0;
}

static void pay_along(const Push* p, const Along* along, double dV) {
  if (!(dV > 0.0) || !(along->b > 0.0)) return;
  const double left = sqrt(fmax(0.0, along->a * along->a - 2.0 * along->b * dV));
  double beta = (along->a - copysign(left, along->a)) / along->b;
  for_free_nodes(p, slow_along, &beta);
}

// The motion of these nodes relative to the rigid motion with the same momenta.
typedef struct Inner {
  double mass;
  CpsVec3 first, linear, angular;
  CpsMat3 second;
  CpsRigidMotion common;
  double kinetic, factor;
} Inner;

static void add_momenta(void* data, const Node* node) {
  Inner* inner = data;
  const double m = node->at.mass;
  const CpsVec3 x = node->at.to, p = cps_vec3_scale(m, node->at.velocity);
  const CpsMat3 square =
      cps_mat3_axpy(cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity()), -1.0, cps_mat3_outer(x, x));
  inner->mass += m;
  inner->first = cps_vec3_axpy(inner->first, m, x);
  inner->second = cps_mat3_axpy(inner->second, m, square);
  inner->linear = cps_vec3_add(inner->linear, p);
  inner->angular = cps_vec3_add(inner->angular, cps_vec3_cross(x, p));
}

static CpsVec3 relative(const Inner* inner, const Node* node) {
  return cps_vec3_sub(node->at.velocity, cps_rigid_motion_at(&inner->common, node->at.to));
}

static void add_inner(void* data, const Node* node) {
  Inner* inner = data;
  const CpsVec3 v = relative(inner, node);
  inner->kinetic += 0.5 * node->at.mass * cps_vec3_dot(v, v);
}

static void slow_inner(void* data, const Node* node) {
  const Inner* inner = data;
  set_velocity(node, cps_vec3_axpy(node->at.velocity, inner->factor - 1.0, relative(inner, node)));
}

static Inner find_inner(const Push* p) {
  Inner inner = {0};
  for_free_nodes(p, add_momenta, &inner);
  if (!(inner.mass > 0.0)) return inner;
  inner.common = cps_rigid_motion_of(inner.mass, inner.first, &inner.second, inner.linear, inner.angular);
  for_free_nodes(p, add_inner, &inner);
  return inner;
}

// Whether the remainder of a push must be paid with other motion.
static bool must_go_on(const Way* way, double deep, double bound, double purse) {
  return way->scale < 1.0 && (deep * (1.0 - way->scale) > bound || purse < NOTHING * way->full);
}

// Open surfaces whose motion along a push was not sufficient pay with motion within the island, which preserves its
// momenta, and finally with all motion.
static CpsStatus go_on(const Push* p, double deep, double paid, Way* way) {
  if (!must_go_on(way, deep, URGENT, paid)) return CPS_OK;
  Inner inner = find_inner(p);
  CpsStatus status = move_on(p, inner.kinetic, way);
  if (status != CPS_OK) return status;
  if (way->cost > 0.0) {
    inner.factor = sqrt(fmax(0.0, 1.0 - way->cost / inner.kinetic));
    for_free_nodes(p, slow_inner, &inner);
  }
  if (!must_go_on(way, deep, LAST, inner.kinetic)) return CPS_OK;
  const double kinetic = cps_island_energy(p->step, p->k).kinetic;
  const CpsRigidMotion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  status = move_on(p, PART * kinetic, way);
  if (status == CPS_OK && way->cost > 0.0)
    cps_island_slow(p->step, p->k, sqrt(fmax(0.0, 1.0 - way->cost / kinetic)), &none, &none);
  return status;
}

// Pushes an island that touches an immovable object.
static CpsStatus push_held(const Push* p, double deep) {
  const bool open = has_open_surface(p->step, p->k);
  Along along = {0.0, 0.0};
  for_free_nodes(p, add_along, &along);
  const double purse = along_purse(&along);
  Way way = {0.0, 0.0, 0.0};
  CpsStatus status = move_on(p, (open ? 1.0 : PART) * purse, &way);
  if (status != CPS_OK) return status;
  pay_along(p, &along, way.cost);
  return open ? go_on(p, deep, purse, &way) : CPS_OK;
}

static CpsStatus push_free(const Push* p, const CpsPurse* purse, double kinetic) {
  Way way = {0.0, 0.0, 0.0};
  CpsStatus status = move_on(p, PART * purse->kinetic, &way);
  if (status == CPS_OK) cps_island_pay_freely(p->step, p->k, purse, kinetic, way.cost);
  return status;
}

static CpsStatus push(Push* p) {
  CpsStep* step = p->step;
  const double deep = deepest(&step->contacts, p->k) / step->world->smallest;
  CpsStatus status = find_displacement(p);
  if (status != CPS_OK) return status;
  const CpsModelEnergy before = cps_island_energy(step, p->k);
  const CpsPurse purse = cps_island_purse(step, p->k, before.kinetic);
  keep(p);
  status = purse.held ? push_held(p, deep) : push_free(p, &purse, before.kinetic);
  if (status != CPS_OK) return status;
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
