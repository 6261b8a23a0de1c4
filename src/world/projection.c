// Drift: penetrations that rounding, curvature and large rotations leave are pushed out between steps, without injecting
// energy.
//
// For the islands with a penetration beyond the slop, find the smallest displacement dq in the metric of M with
//
//   g_i + slop/2 + (H dq)_N  and the pushing impulse in Coulomb's law at each contact: a DFCP with b = (g_i, 0, 0)   (1)
//
// Friction keeps the bodies from slipping sideways while they are pushed. The displacement may raise the potential energy
// by dV; that is paid by the kinetic energy T of the island relative to a common rigid motion V: positions move by s dq and
// velocities relative to V are scaled by
//
//   sqrt(1 - s dV / T),   s = min(1, PART T / dV),                                                                   (2)
//
// so that the energy never grows, and what rests (T = 0) is not moved at all. Of an island that nothing outside touches or
// holds, V has the momentum and the angular momentum of the island, which stay what they were: the move changes the second,
// sum x × m v, and V is that of the new positions afterwards; others may give momentum to what holds them, V = 0. Velocities
// of islands where dV <= 0 stay as they are; their loss of energy is booked.
//
// The pushes of a large island are found to a rough tolerance only, and fibres are far from linear. Those that would come
// more than half way to the wrong side of each other, (1) of crossings.c, or get farther than their diameter anywhere, are
// pushed half as far, and in the end not at all.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

static const double SLOP = 1e-3;  // default, in parts of the smallest body's inner radius
static const double PART = 0.1;   // of the kinetic energy that one step may spend
static const double PATIENCE =
    10.0;                          // slops that wait where there are fibres: after a push all contacts are found again
static const double MORE = 0.5;    // the same to undo a pass
static const double ROUGH = 0.02;  // tolerance where a step is set right: what is left is small against the push

// Islands of more contacts than the first are pushed in one step of every so many: nothing is urgent about them. Nor is it
// about the small islands of a world where fibres are set right at the end of each step; there they wait for the large ones,
// since a push of any island makes all contacts be found again.
enum { SMALL = 64, EVERY = 8, SWEEPS = 20 };
enum { CHUNK = 64, SUMS = 64 };    // bodies whose energies are summed up together; such sums made at a time
enum { MANY = 2000 };              // contacts from which the sweeps of an island are shared out
enum { ROUNDS = 8 };               // in which those that would get too far or to the wrong side are held back
static const double FAR = 2.0;     // in radii
static const double SWING = 20.0;  // in depths of what passed: the tip goes farther than the place that is pushed

static bool is_deep(const CpsWorld* world, const CpsContacts* c, int32_t k, double slop) {
  if (cps_island_is_large(c, k)) return false;  // sheets close their gaps by velocities
  bool mended = world->def.adaptive && world->fibres->there_count > 0;
  int32_t contacts = mended ? c->count : c->island_start[k + 1] - c->island_start[k];
  if (contacts > SMALL && world->index % EVERY != 0) return false;
  double trigger = world->fibres->there_count > 0 ? PATIENCE * slop : slop;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->contact[c->order[i]].touch.gap < -trigger) return true;
  }
  return false;
}

typedef struct Weighing {
  const CpsStep* step;
  int32_t first, last;  // bodies of the island that are left
  CpsModelEnergy part[SUMS];
} Weighing;

static void weigh_chunks(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  Weighing* w = data;
  for (int64_t k = first; k < last; ++k) {
    const int32_t from = w->first + CHUNK * (int32_t)k, to = from + CHUNK < w->last ? from + CHUNK : w->last;
    w->part[k] = (CpsModelEnergy){0};
    for (int32_t i = from; i < to; ++i) {
      CpsMember m = cps_world_member(w->step->world, w->step->contacts.island_body[i]);
      m.model->type->energy(m.model, &w->step->model, false, m.body, m.body + 1, &w->part[k]);
    }
  }
}

// Kinetic and potential energy, elastic included.
static CpsModelEnergy island_energy(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  CpsModelEnergy sum = {0};
  Weighing w = {.step = step, .first = c->island_body_start[k], .last = c->island_body_start[k + 1]};
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

// Whether an obstacle touches the island or holds an end of one of its fibres.
static bool is_held(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->contact[c->order[i]].b < 0) return true;
  }
  for (int32_t i = c->island_body_start[k]; i < c->island_body_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, c->island_body[i]);
    if (m.model->type->is_held && m.model->type->is_held(m.model, m.body)) return true;
  }
  return false;
}

// V and T of (2), and what belongs to V.
typedef struct Purse {
  bool held;
  CpsRigidMotion common;
  CpsVec3 linear, angular;  // momenta, about the origin
  double mass;
  CpsVec3 first;    // sum of m x
  CpsMat3 second;   // of m (x.x - x x^T)
  double together;  // kinetic energy of V
  double kinetic;   // of the rest
} Purse;

// The tensor of inertia about the centre of mass.
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
  // what is as thin as a line can not be told to turn about itself
  if (det > 1e-9 * trace * trace * trace) {
    w = cps_vec3_add(cps_vec3_scale(L.x, qr), cps_vec3_scale(L.y, cps_vec3_cross(r, p)));
    w = cps_vec3_scale(1.0 / det, cps_vec3_axpy(w, L.z, cps_vec3_cross(p, q)));
  }
  return (CpsRigidMotion){cps_vec3_sub(V, cps_vec3_cross(w, c)), w};
}

// The rigid motion of an island that would have these momenta, and its energy.
static CpsRigidMotion rigid_motion(const Purse* island, CpsVec3 linear, CpsVec3 angular, double* energy) {
  CpsRigidMotion m = cps_rigid_motion_of(island->mass, island->first, &island->second, linear, angular);
  CpsVec3 c = cps_vec3_scale(1.0 / island->mass, island->first), V = cps_vec3_scale(1.0 / island->mass, linear);
  CpsMat3 I = own_inertia(island->mass, c, &island->second);
  *energy = 0.5 * cps_vec3_dot(V, linear) + 0.5 * cps_vec3_dot(m.spin, cps_mat3_apply(I, m.spin));
  return m;
}

static Purse find_purse(const CpsStep* step, int32_t k, double kinetic) {
  const CpsContacts* c = &step->contacts;
  Purse purse = {.kinetic = kinetic};
  purse.held = is_held(step, k);
  if (purse.held) return purse;
  for (int32_t i = c->island_body_start[k]; i < c->island_body_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, c->island_body[i]);
    m.model->type->momentum(m.model, m.body, m.body + 1, &purse.linear, &purse.angular, &purse.mass);
    m.model->type->inertia(m.model, m.body, &purse.first, &purse.second);
  }
  purse.common = rigid_motion(&purse, purse.linear, purse.angular, &purse.together);
  purse.kinetic = fmax(0.0, kinetic - purse.together);
  return purse;
}

// Velocities of the island: those relative to `from` scaled, and `more` added.
static void change_velocities(const CpsStep* step, int32_t k, double factor, const CpsRigidMotion* from,
                              const CpsRigidMotion* more) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_body_start[k]; i < c->island_body_start[k + 1]; ++i) {
    CpsMember m = cps_world_member(step->world, c->island_body[i]);
    m.model->type->slow(m.model, m.body, factor, from, more);
  }
}

// A free island that was moved: it pays for dV with what is not in the common motion, and gets the common motion that its old
// momenta have at the new place.
static void pay_freely(const CpsStep* step, int32_t k, const Purse* purse, double kinetic, double dV) {
  Purse now = find_purse(step, k, kinetic);
  double together;
  CpsRigidMotion then = rigid_motion(&now, purse->linear, purse->angular, &together);
  CpsRigidMotion more = {cps_vec3_sub(then.velocity, now.common.velocity), cps_vec3_sub(then.spin, now.common.spin)};
  double left = kinetic - fmax(dV, 0.0) - together;
  double factor = now.kinetic > 0.0 ? sqrt(fmin(1.0, fmax(0.0, left / now.kinetic))) : 1.0;
  change_velocities(step, k, factor, &now.common, &more);
  // velocities of super-models belong to where they were: what that gave to the energy, and the rest of the momentum
  const CpsVec3 none = {0.0, 0.0, 0.0};
  double after = island_energy(step, k).kinetic, over = after - (kinetic - fmax(dV, 0.0));
  more = (CpsRigidMotion){none, none};
  if (over > 0.0 && after - together > over) {
    change_velocities(step, k, sqrt(1.0 - over / (after - together)), &then, &more);
  }
  now = find_purse(step, k, 0.0);
  more.velocity = cps_vec3_scale(1.0 / now.mass, cps_vec3_sub(purse->linear, now.linear));
  change_velocities(step, k, 1.0, &then, &more);
}

// Whether the island's kinetic energy could pay for anything: an effective mass lifted by the penetration is the scale.
static bool can_pay(const CpsStep* step, int32_t k, double slop, double kinetic) {
  const CpsContacts* c = &step->contacts;
  double least = INFINITY, g = cps_vec3_norm(step->model.gravity);
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    double gap = c->contact[c->order[i]].touch.gap, w = 0.0;
    if (gap >= -slop) continue;
    const double* G = c->G + c->value_start[i];
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      int32_t m = c->island_dofs[c->island_body_start[k] + c->term_body[term]];
      for (int32_t j = 0; j < m; ++j) w += G[j] * G[j];
      G += 3 * m;
    }
    least = fmin(least, -gap * g / w);
  }
  return kinetic >= 1e-2 * least;
}

// Room for impulses, displacements and what is needed to go back: `then` are the numbers of the places of the bodies, `part`
// how much of its displacement each makes.
typedef struct Room {
  double *r, *z, *by;
  double* then;
  int64_t* then_start;
  double* part;
  CpsVec3* place;
  bool* wrong;
} Room;

typedef struct Shifting {
  const CpsStep* step;
  int32_t first;
  const Room* room;
  double scale;
} Shifting;

static void keep_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Shifting* s = data;
  for (int64_t i = s->first + first; i < s->first + last; ++i) {
    CpsMember m = cps_world_member(s->step->world, s->step->contacts.island_body[i]);
    m.model->type->keep_place(m.model, m.body, s->room->then + s->room->then_start[i]);
  }
}

// From where it was, and not from where it is: rods whose lengths are set right after each shift do not come back by the
// opposite one, and what is left would add up from step to step.
static void move_body(const CpsStep* step, int64_t i, const Room* room, double scale) {
  const CpsContacts* c = &step->contacts;
  CpsMember m = cps_world_member(step->world, c->island_body[i]);
  for (int64_t j = c->z_start[i]; j < c->z_start[i + 1]; ++j) room->by[j] = scale * room->part[i] * room->z[j];
  m.model->type->put_back(m.model, m.body, room->then + room->then_start[i]);
  if (scale * room->part[i] != 0.0) m.model->type->shift(m.model, m.body, room->by + c->z_start[i]);
}

static void move_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Shifting* s = data;
  for (int64_t i = s->first + first; i < s->first + last; ++i) move_body(s->step, i, s->room, s->scale);
}

// The bodies of island k to the part `scale` of their displacements.
static void move_bodies(const CpsStep* step, int32_t k, const Room* room, double scale) {
  const int32_t first = step->contacts.island_body_start[k], count = step->contacts.island_body_start[k + 1] - first;
  Shifting s = {step, first, room, scale};
  cps_pool_run(count > CHUNK ? step->world->pool : NULL, count, move_range, &s);
}

// What is to be pushed out: the gaps at the beginning of the step or at its end, as far as they are deeper than allowed.
typedef struct Aim {
  bool end;
  double allowed;
  double tolerance;  // of the largest push
  double far;        // what fibres may be pushed in any case, m
} Aim;

// (1) for island k with the rows of the step; z are the displacements, mass-normalised.
static CpsStatus find_displacement(CpsStep* step, int32_t k, Aim aim, double* r, double* z) {
  CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    double* b = c->b + 3 * (int64_t)i;
    const CpsTouching* t = &c->contact[c->order[i]];
    double* shift = c->shift + 3 * (int64_t)i;
    b[0] = (aim.end ? t->gap_after : t->touch.gap) + aim.allowed;
    if (c->order[i] >= c->touch_count) b[0] = 0.0;  // what is tied stays together
    b[1] = b[2] = shift[0] = shift[1] = shift[2] = 0.0;
    r[3 * i] = r[3 * i + 1] = r[3 * i + 2] = 0.0;
  }
  CpsSolveOptions options = cps_solve_options_default();
  // where there are many contacts the order in which threads can share them is as good as any other
  options.method = c->island_start[k + 1] - c->island_start[k] >= MANY ? CPS_METHOD_GS_PARALLEL : CPS_METHOD_GS;
  options.local = CPS_LOCAL_ENUM;
  options.tolerance = aim.tolerance;
  options.max_iterations = SWEEPS;  // the rest is left to the next time
  options.threads = step->world->pool_threads;
  CpsStatus status = cps_island_solve(step, k, 0, &options, r, NULL, step->error);
  if (status < 0) return status;
  cps_island_gather(c, k, r, z);
  return CPS_OK;
}

static void follow_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Shifting* s = data;
  for (int64_t i = s->first + first; i < s->first + last; ++i) {
    CpsFibre* f = cps_world_member_fibre(s->step->world, s->step->contacts.island_body[i]);
    if (f) cps_fibre_follow(f);
  }
}

// Where the pieces of the fibres of an island are.
static void follow_island(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  const int32_t first = c->island_body_start[k], last = c->island_body_start[k + 1];
  Shifting s = {.step = step, .first = first};
  cps_pool_run(last - first > CHUNK ? step->world->pool : NULL, last - first, follow_range, &s);
}

static void note_places(const CpsStep* step, int32_t k, CpsVec3* place) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_body_start[k]; i < c->island_body_start[k + 1]; ++i) {
    const CpsFibre* f = cps_world_member_fibre(step->world, c->island_body[i]);
    for (int32_t j = 0; f && j < f->piece_count; ++j) *place++ = f->pieces[j].to[1];
  }
}

// Marks the fibres of island k that were pushed too far; false if there are none.
static bool find_far(const CpsStep* step, int32_t k, Aim aim, const Room* room) {
  const CpsContacts* c = &step->contacts;
  const CpsVec3* place = room->place;
  bool any = false;
  for (int32_t i = c->island_body_start[k]; i < c->island_body_start[k + 1]; ++i) {
    const CpsFibre* f = cps_world_member_fibre(step->world, c->island_body[i]);
    double way = 0.0;
    for (int32_t j = 0; f && j < f->piece_count; ++j) {
      way = fmax(way, cps_vec3_norm(cps_vec3_sub(f->pieces[j].to[1], *place++)));
    }
    if (!f || way <= FAR * f->radius + SWING * aim.far) continue;
    room->wrong[i - c->island_body_start[k]] = any = true;
  }
  return any;
}

// Marks those that were pushed towards the wrong side of a contact.
static bool find_wrong(const CpsStep* step, int32_t k, const Room* room) {
  const CpsContacts* c = &step->contacts;
  bool any = false;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsTouching* t = &c->contact[c->order[i]];
    if (!cps_contact_is_wrong(step->world, t, &c->track[c->order[i]])) continue;
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      room->wrong[c->term_body[term]] = any = true;
    }
  }
  return any;
}

// Pushes less where fibres would get too far, or to the wrong side of each other: half as far, and in the end not at all.
static void hold_back(CpsStep* step, int32_t k, Aim aim, const Room* room) {
  const CpsContacts* c = &step->contacts;
  int32_t first = c->island_body_start[k], count = c->island_body_start[k + 1] - first;
  for (int round = 0; round < ROUNDS; ++round) {
    memset(room->wrong, 0, (size_t)count * sizeof *room->wrong);
    follow_island(step, k);
    bool far = find_far(step, k, aim, room), wrong = !aim.end && find_wrong(step, k, room);
    if (!far && !wrong) return;
    for (int32_t i = first; i < first + count; ++i) {
      if (!room->wrong[i - first]) continue;
      room->part[i] *= round < ROUNDS / 2 ? 0.5 : 0.0;
      move_body(step, i, room, 1.0);
    }
  }
  follow_island(step, k);
}

// The deepest contact of the fibres of an island where their pieces are.
static double deepest_now(const CpsStep* step, int32_t k, Aim aim) {
  const CpsContacts* c = &step->contacts;
  double least = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsTouching* t = &c->contact[c->order[i]];
    least = fmin(least, cps_contact_gap_now(step, t, &c->track[c->order[i]], aim.end));
  }
  return -least;
}

// Moves as far as the purse allows and returns what that costs. A push that does not pay, or that leaves something deeper
// than it was, is made shorter, and in the end not at all.
static double move(CpsStep* step, int32_t k, Aim aim, const Room* room, double limit, CpsModelEnergy* energy) {
  const bool fibres = step->world->fibres->piece_count > 0;
  const CpsModelEnergy before = *energy;
  double deep = fibres ? deepest_now(step, k, aim) : 0.0, scale = 1.0;
  move_bodies(step, k, room, 1.0);
  if (fibres) hold_back(step, k, aim, room);
  for (int round = 0; round < ROUNDS; ++round) {
    *energy = island_energy(step, k);
    double dV = energy->potential - before.potential;
    bool dear = dV > limit, deeper = fibres && deepest_now(step, k, aim) > deep;
    if ((!dear && !deeper) || (round > 0 && !fibres)) return dV;  // bodies are linear enough
    if (round + 1 == ROUNDS || limit <= 0.0) break;
    scale *= !dear ? 0.5 : fibres ? fmin(0.5, limit / dV) : limit / dV;
    move_bodies(step, k, room, scale);
    follow_island(step, k);
  }
  move_bodies(step, k, room, 0.0);
  follow_island(step, k);
  *energy = before;
  return 0.0;
}

// (2). Returns what the island lost.
static double move_and_pay(CpsStep* step, int32_t k, Aim aim, const Room* room) {
  const CpsContacts* c = &step->contacts;
  CpsModelEnergy before = island_energy(step, k), after = before;
  Purse purse = find_purse(step, k, before.kinetic);
  const int32_t first = c->island_body_start[k], last = c->island_body_start[k + 1];
  Shifting s = {step, first, room, 0.0};
  for (int32_t i = first; i < last; ++i) room->part[i] = 1.0;
  cps_pool_run(last - first > CHUNK ? step->world->pool : NULL, last - first, keep_range, &s);
  if (!aim.end) follow_island(step, k);
  note_places(step, k, room->place);
  double limit = (aim.far > 0.0 ? MORE : PART) * purse.kinetic;
  double dV = move(step, k, aim, room, limit, &after);
  if (!purse.held) {
    pay_freely(step, k, &purse, before.kinetic, dV);
    after = island_energy(step, k);
  } else if (dV > 0.0 && purse.kinetic > 0.0) {
    const CpsRigidMotion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    change_velocities(step, k, sqrt(fmax(0.0, 1.0 - dV / purse.kinetic)), &none, &none);
    after = island_energy(step, k);
  }
  return before.kinetic + before.potential - after.kinetic - after.potential;
}

static CpsStatus take_room(CpsStep* step, Room* room) {
  const CpsContacts* c = &step->contacts;
  int32_t bodies = c->island_body_start[c->island_count];
  room->r = CPS_TAKE(step->scratch, double, 3 * (int64_t)c->count);
  room->z = CPS_TAKE(step->scratch, double, c->z_start[bodies]);
  room->by = CPS_TAKE(step->scratch, double, c->z_start[bodies]);
  room->part = CPS_TAKE(step->scratch, double, bodies);
  room->place = CPS_TAKE(step->scratch, CpsVec3, step->world->fibres->piece_count);
  room->wrong = CPS_TAKE(step->scratch, bool, bodies);
  room->then_start = CPS_TAKE(step->scratch, int64_t, bodies + 1);
  if (!room->then_start) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
  room->then_start[0] = 0;
  for (int32_t i = 0; i < bodies; ++i) {
    CpsMember m = cps_world_member(step->world, c->island_body[i]);
    room->then_start[i + 1] = room->then_start[i] + m.model->type->place_size(m.model, m.body);
  }
  room->then = CPS_TAKE(step->scratch, double, room->then_start[bodies]);
  if (room->r && room->z && room->by && room->then && room->part && room->place && room->wrong) return CPS_OK;
  return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
}

static CpsStatus push_island(CpsStep* step, int32_t k, Aim aim, const Room* room) {
  CpsStatus status = find_displacement(step, k, aim, room->r, room->z);
  if (status == CPS_OK) step->projection_loss += move_and_pay(step, k, aim, room);
  return status;
}

CpsStatus cps_step_project(CpsStep* step, bool* moved) {
  const CpsWorld* world = step->world;
  const CpsContacts* c = &step->contacts;
  double slop = world->def.slop >= 0.0 ? world->def.slop : SLOP * world->smallest;
  CpsStatus status = CPS_OK;
  Room room = {0};
  *moved = false;
  for (int32_t k = 0; status == CPS_OK && k < c->island_count; ++k) {
    if (!is_deep(world, c, k, slop)) continue;
    if (!can_pay(step, k, slop, find_purse(step, k, island_energy(step, k).kinetic).kinetic)) continue;
    if (!*moved) status = take_room(step, &room);
    if (status == CPS_OK) status = push_island(step, k, (Aim){false, 0.5 * slop, 1e-3, 0.0}, &room);
    *moved = true;
  }
  return status;
}

CpsStatus cps_step_push(CpsStep* step, double allowed, bool far) {
  const CpsContacts* c = &step->contacts;
  Room room;
  CpsStatus status = take_room(step, &room);
  for (int32_t k = 0; status == CPS_OK && k < c->island_count; ++k) {
    double least = 0.0;
    if (cps_island_is_large(c, k)) continue;
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
      least = fmin(least, c->contact[c->order[i]].gap_after);
    }
    if (least < -2.0 * allowed) status = push_island(step, k, (Aim){true, allowed, ROUGH, far ? -least : 0.0}, &room);
  }
  return status;
}
