// Drift correction: pushes out the penetrations left by rounding, curvature and large rotations between steps, without
// adding energy.
//
// For islands with penetrations beyond the slop, finds the smallest displacement dq in the metric of M with
//
//   g_i + slop/2 + (H dq)_N  and the pushing impulse in Coulomb's law at each contact: a DFCP with b = (g_i, 0, 0)   (1)
//
// Friction prevents objects from slipping sideways while they are pushed. The displacement may raise the potential energy
// by dV. This is taken from the kinetic energy T of the island relative to a common rigid motion V: positions move by s dq, and
// velocities relative to V are scaled by
//
//   sqrt(1 - s dV / T),   s = min(1, PART T / dV),                                                                   (2)
//
// so the energy never grows, and resting islands (T = 0) are not moved. For an island that nothing outside touches or
// holds, V carries the momentum and the angular momentum of the island, so that both are conserved: the move changes the
// angular momentum, sum x × m v, and V is computed again for the new positions. Other islands may pass momentum to what
// holds them, V = 0. If dV <= 0, velocities do not change, and the energy balance includes the loss.
//
// In large islands, pushes are computed to a rough tolerance only, and the motion of lines is strongly nonlinear. Lines that
// would move more than half way to the wrong side of each other, (1) of crossings.c, or by more than their diameter anywhere,
// are pushed less, and if that does not help, not at all.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

static const double SLOP = 1e-3;  // default, in parts of the smallest inner radius
static const double PART = 0.1;   // of the kinetic energy that one step may spend
static const double PATIENCE =
    10.0;                        // slops tolerated where there are lines: every push requires new contact detection
static const double MORE = 0.5;  // the same to undo a pass
// While a step is being mended, all sweeps are made: residuals are relative to the largest possible push, that of a stiff
// contact with a wide gap, and the pushes that matter may be negligible beside it.
static const double FINE = 1e-12;

// Islands with more contacts than the first number are pushed only every so many steps, because small penetrations can wait.
// The same holds for small islands in worlds whose lines are mended at the end of each step: they are pushed together with
// the large ones, since a push in any island requires new contact detection.
enum { SMALL = 64, EVERY = 8, SWEEPS = 20 };
enum { CHUNK = 64 };               // members moved together
enum { MANY = 2000 };              // contacts beyond which threads share the sweeps of an island
enum { ROUNDS = 8 };               // of reducing pushes that go too far or to the wrong side
static const double FAR = 2.0;     // in radii
static const double LESS = 0.9;    // of the push that would reach the limit: paths are not straight
static const double SWING = 20.0;  // in depths of the crossing: the tip moves farther than the pushed point

static bool is_deep(const CpsWorld* world, const CpsContacts* c, int32_t k, double slop, bool lines) {
  if (cps_island_is_large(c, k)) return false;  // large members close their gaps by velocities
  bool mended = world->def.adaptive && lines;
  int32_t contacts = mended ? c->count : c->island_start[k + 1] - c->island_start[k];
  if (contacts > SMALL && world->index % EVERY != 0) return false;
  double trigger = lines ? PATIENCE * slop : slop;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->contact[c->order[i]].touch.gap < -trigger) return true;
  }
  return false;
}

// Whether the kinetic energy of the island can pay for a push, measured by the energy that lifts an effective mass by the
// penetration.
static bool can_pay(const CpsStep* step, int32_t k, double slop, double kinetic) {
  const CpsContacts* c = &step->contacts;
  double least = INFINITY, g = cps_vec3_norm(step->model.gravity);
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    double gap = c->contact[c->order[i]].touch.gap, w = 0.0;
    if (gap >= -slop) continue;
    const double* G = c->G + c->value_start[i];
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      int32_t m = c->island_dofs[c->island_member_start[k] + c->term_member[term]];
      for (int32_t j = 0; j < m; ++j) w += G[j] * G[j];
      G += 3 * m;
    }
    least = fmin(least, -gap * g / w);
  }
  return kinetic >= 1e-2 * least;
}

// Buffers for impulses, displacements, and for going back: `then` identifies the saved positions of the members, `part` is
// the fraction of its displacement that each member makes.
typedef struct Room {
  double *r, *z, *by;
  double* then;
  int64_t* then_start;
  double* part;
  CpsVec3* place;
  double* less;  // factors that reduce it
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
    CpsMember m = cps_world_member(s->step->world, s->step->contacts.island_member[i]);
    m.model->type->keep_place(m.model, m.index, s->room->then + s->room->then_start[i]);
  }
}

// Starts from the saved position and not from the current one: the lengths of lines are corrected after each shift, so that
// the opposite shift does not undo it, and the differences would accumulate.
static void move_member(const CpsStep* step, int64_t i, const Room* room, double scale) {
  const CpsContacts* c = &step->contacts;
  CpsMember m = cps_world_member(step->world, c->island_member[i]);
  for (int64_t j = c->z_start[i]; j < c->z_start[i + 1]; ++j) room->by[j] = scale * room->part[i] * room->z[j];
  m.model->type->put_back(m.model, m.index, room->then + room->then_start[i]);
  if (scale * room->part[i] != 0.0) m.model->type->shift(m.model, m.index, room->by + c->z_start[i]);
}

static void move_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Shifting* s = data;
  for (int64_t i = s->first + first; i < s->first + last; ++i) move_member(s->step, i, s->room, s->scale);
}

// Moves the members of island k by the fraction `scale` of their displacements.
static void move_members(const CpsStep* step, int32_t k, const Room* room, double scale) {
  const int32_t first = step->contacts.island_member_start[k],
                count = step->contacts.island_member_start[k + 1] - first;
  Shifting s = {step, first, room, scale};
  cps_pool_run(count > CHUNK ? step->world->pool : NULL, count, move_range, &s);
}

// The penetrations to push out: gaps at the beginning or at the end of the step, as far as they exceed the slop.
typedef struct Aim {
  bool end;
  double allowed;
  double tolerance;  // of the largest push
  double far;        // pushes of lines that are always allowed, m
} Aim;

// (1) for island k with the rows of the step; z are the displacements, mass-normalised.
static CpsStatus find_displacement(CpsStep* step, int32_t k, Aim aim, double* r, double* z) {
  CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    double* b = c->b + cps_contact_row(c, i);
    const CpsStepContact* t = &c->contact[c->order[i]];
    double* shift = c->shift + cps_contact_row(c, i);
    b[0] = (aim.end ? t->gap_after : t->touch.gap) + aim.allowed;
    if (c->order[i] >= c->touch_count) b[0] = 0.0;  // ties stay closed
    b[1] = b[2] = shift[0] = shift[1] = shift[2] = 0.0;
    memset(r + cps_contact_row(c, i), 0, 3 * sizeof *r);
  }
  CpsSolveOptions options = cps_solve_options_default();
  // with many contacts, the order that threads can share is as good as any other
  options.method = c->island_start[k + 1] - c->island_start[k] >= MANY ? CPS_METHOD_GS_PARALLEL : CPS_METHOD_GS;
  options.local = CPS_LOCAL_ENUM;
  options.tolerance = aim.tolerance;
  options.max_iterations = SWEEPS;  // the next push continues from here
  options.threads = step->world->pool_threads;
  const CpsIslandTask task = {step, k, 0, &options, NULL, step->error};
  CpsStatus status = cps_island_solve(&task, r);
  if (status < 0) return status;
  cps_island_gather(c, k, r, z);
  return CPS_OK;
}

static void follow_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Shifting* s = data;
  for (int64_t i = s->first + first; i < s->first + last; ++i) {
    CpsMember m = cps_world_member(s->step->world, s->step->contacts.island_member[i]);
    if (m.model->type->follow) m.model->type->follow(m.model, m.index);
  }
}

// Positions of the pieces of the lines of an island.
static void follow_island(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  const int32_t first = c->island_member_start[k], last = c->island_member_start[k + 1];
  Shifting s = {.step = step, .first = first};
  cps_pool_run(last - first > CHUNK ? step->world->pool : NULL, last - first, follow_range, &s);
}

static void note_places(const CpsStep* step, int32_t k, CpsVec3* place) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = c->island_member_start[k]; i < c->island_member_start[k + 1]; ++i) {
    const CpsMemberLine* line = cps_step_line(step, c->island_member[i]);
    for (int32_t j = 0; line && j < line->count; ++j) *place++ = line->piece[j].to[1];
  }
}

// Marks the lines of island k that were pushed too far; false if there are none.
static bool find_far(const CpsStep* step, int32_t k, Aim aim, const Room* room) {
  const CpsContacts* c = &step->contacts;
  const CpsVec3* place = room->place;
  bool any = false;
  for (int32_t i = c->island_member_start[k]; i < c->island_member_start[k + 1]; ++i) {
    const CpsMemberLine* line = cps_step_line(step, c->island_member[i]);
    double way = 0.0;
    for (int32_t j = 0; line && j < line->count; ++j) {
      way = fmax(way, cps_vec3_norm(cps_vec3_sub(line->piece[j].to[1], *place++)));
    }
    const double most = line ? FAR * line->radius + SWING * aim.far : INFINITY;
    if (way <= most) continue;
    room->less[i - c->island_member_start[k]] = LESS * most / way;
    any = true;
  }
  return any;
}

// Marks lines that were pushed towards the wrong side of a contact.
static bool find_wrong(const CpsStep* step, int32_t k, int round, const Room* room) {
  const CpsContacts* c = &step->contacts;
  bool any = false;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsStepContact* t = &c->contact[c->order[i]];
    if (!cps_contact_is_wrong(step, t, &c->track[c->order[i]])) continue;
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      double* less = &room->less[c->term_member[term]];
      *less = fmin(*less, round < ROUNDS / 2 ? 0.5 : 0.0);
      any = true;
    }
  }
  return any;
}

// Marks lines that were pushed deeper into something than the deepest contact had been.
static bool find_deeper(const CpsStep* step, int32_t k, Aim aim, double deep, const Room* room) {
  const CpsContacts* c = &step->contacts;
  bool any = false;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsStepContact* t = &c->contact[c->order[i]];
    if (!(-cps_contact_gap_now(step, t, &c->track[c->order[i]], aim.end) > deep)) continue;
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      double* less = &room->less[c->term_member[term]];
      *less = fmin(*less, 0.5);
      any = true;
    }
  }
  return any;
}

// Reduces pushes, finally to zero, where lines would move too far, get deeper, or come to the wrong side of each other.
static void hold_back(CpsStep* step, int32_t k, Aim aim, double deep, const Room* room) {
  const CpsContacts* c = &step->contacts;
  int32_t first = c->island_member_start[k], count = c->island_member_start[k + 1] - first;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int32_t i = 0; i < count; ++i) room->less[i] = 1.0;
    follow_island(step, k);
    bool far = find_far(step, k, aim, room), wrong = !aim.end && find_wrong(step, k, round, room);
    bool deeper = find_deeper(step, k, aim, deep, room);
    if (!far && !wrong && !deeper) return;
    for (int32_t i = first; i < first + count; ++i) {
      if (room->less[i - first] == 1.0) continue;
      room->part[i] *= round + 1 < ROUNDS ? room->less[i - first] : 0.0;
      move_member(step, i, room, 1.0);
    }
  }
  follow_island(step, k);
}

// The deepest contact of the lines of an island at their current positions.
static double deepest_now(const CpsStep* step, int32_t k, Aim aim) {
  const CpsContacts* c = &step->contacts;
  double least = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const CpsStepContact* t = &c->contact[c->order[i]];
    least = fmin(least, cps_contact_gap_now(step, t, &c->track[c->order[i]], aim.end));
  }
  return -least;
}

// Moves the island as far as its energy allows and returns the cost. A push that costs too much, or leaves something deeper
// than it was, is made shorter and finally not made at all.
static double move(CpsStep* step, int32_t k, Aim aim, const Room* room, double limit, CpsModelEnergy* energy) {
  const bool lines = step->lines != NULL;
  const CpsModelEnergy before = *energy;
  double deep = lines ? fmax(deepest_now(step, k, aim), 2.0 * aim.allowed) : 0.0, scale = 1.0;
  move_members(step, k, room, 1.0);
  if (lines) hold_back(step, k, aim, deep, room);
  for (int round = 0; round < ROUNDS; ++round) {
    *energy = cps_island_energy(step, k);
    double dV = energy->potential - before.potential;
    bool dear = dV > limit, deeper = lines && deepest_now(step, k, aim) > deep;
    if ((!dear && !deeper) || (round > 0 && !lines)) return dV;  // other members are linear enough
    if (round + 1 == ROUNDS || limit <= 0.0) break;
    scale *= !dear ? 0.5 : lines ? fmin(0.5, limit / dV) : limit / dV;
    move_members(step, k, room, scale);
    follow_island(step, k);
  }
  move_members(step, k, room, 0.0);
  follow_island(step, k);
  *energy = before;
  return 0.0;
}

// (2). Returns the energy that the island lost.
static double move_and_pay(CpsStep* step, int32_t k, Aim aim, const Room* room) {
  const CpsContacts* c = &step->contacts;
  CpsModelEnergy before = cps_island_energy(step, k), after = before;
  CpsPurse purse = cps_island_purse(step, k, before.kinetic);
  const int32_t first = c->island_member_start[k], last = c->island_member_start[k + 1];
  Shifting s = {step, first, room, 0.0};
  for (int32_t i = first; i < last; ++i) room->part[i] = 1.0;
  cps_pool_run(last - first > CHUNK ? step->world->pool : NULL, last - first, keep_range, &s);
  if (!aim.end) follow_island(step, k);
  note_places(step, k, room->place);
  double limit = (aim.far > 0.0 ? MORE : PART) * purse.kinetic;
  double dV = move(step, k, aim, room, limit, &after);
  if (!purse.held) {
    cps_island_pay_freely(step, k, &purse, before.kinetic, dV);
    after = cps_island_energy(step, k);
  } else if (dV > 0.0 && purse.kinetic > 0.0) {
    const CpsRigidMotion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    cps_island_slow(step, k, sqrt(fmax(0.0, 1.0 - dV / purse.kinetic)), &none, &none);
    after = cps_island_energy(step, k);
  }
  return before.kinetic + before.potential - after.kinetic - after.potential;
}

static CpsStatus take_room(CpsStep* step, Room* room) {
  const CpsContacts* c = &step->contacts;
  int32_t members = c->island_member_start[c->island_count];
  room->r = CPS_TAKE(step->scratch, double, cps_contact_row(c, c->count));
  room->z = CPS_TAKE(step->scratch, double, c->z_start[members]);
  room->by = CPS_TAKE(step->scratch, double, c->z_start[members]);
  room->part = CPS_TAKE(step->scratch, double, members);
  room->place = CPS_TAKE(step->scratch, CpsVec3, step->line_pieces);
  room->less = CPS_TAKE(step->scratch, double, members);
  room->then_start = CPS_TAKE(step->scratch, int64_t, members + 1);
  if (!room->then_start) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to project positions");
  room->then_start[0] = 0;
  for (int32_t i = 0; i < members; ++i) {
    CpsMember m = cps_world_member(step->world, c->island_member[i]);
    room->then_start[i + 1] = room->then_start[i] + m.model->type->place_size(m.model, m.index);
  }
  room->then = CPS_TAKE(step->scratch, double, room->then_start[members]);
  if (room->r && room->z && room->by && room->then && room->part && room->place && room->less) return CPS_OK;
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
  const bool lines = cps_world_has_lines(world);
  Room room = {0};
  *moved = false;
  for (int32_t k = 0; status == CPS_OK && k < c->island_count; ++k) {
    if (!is_deep(world, c, k, slop, lines)) continue;
    if (!can_pay(step, k, slop, cps_island_purse(step, k, cps_island_energy(step, k).kinetic).kinetic)) continue;
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
    if (least < -2.0 * allowed) status = push_island(step, k, (Aim){true, allowed, FINE, far ? -least : 0.0}, &room);
  }
  return status;
}
