// The axial force of fibres.
//
// What lies beyond s of a fibre moves by the forces on it and by the force n(s) of the rest, which pulls it back:
//
//   n(s) = int_s^L [ rho S (g - a) - drag x' ] ds' + contacts, pulls and what holds the tip, beyond s,   T = n . t   (1)
//
// with a = (x'+ - x') / h the acceleration of the last step. In a tree the branches that grow beyond s count whole. The
// integrand is linear between the joints of the elements. Nothing is asked of the elasticity, so that (1) holds also for
// models that do not stretch; but it wants to know what holds the tip. Super-models hold it by a spring (CpsRod::hold).
// The others hold it exactly, and there the strain of the edges or their multipliers say the force (CpsRodType::axial).
#include "world/tension.h"

#include "world/world.h"

#include <math.h>

// Points at the very end are taken this part of the length before it, on the near side of what pulls there.
static const double JUST_BEFORE = 1e-9;

// --- point forces -----------------------------------------------------------------------------------------------------

typedef struct Gathering {
  CpsPointForces* forces;
  int32_t places, only;
  bool counting;
} Gathering;

static void put(const Gathering* g, int32_t place, double s, CpsVec3 force) {
  // bodies that came after the step may have moved the numbers of its contacts
  if (place >= g->places || (g->only >= 0 && place != g->only)) return;
  if (g->counting) {
    g->forces->start[place + 1]++;
  } else {
    g->forces->force[g->forces->start[place]++] = (CpsPointForce){s, force};
  }
}

// What holds the tip of a super-model, at the end of the step as its scheme has it.
static CpsVec3 force_of_hold(const CpsRod* rod) {
  const CpsRodPull* hold = &rod->hold;
  CpsVec3 v = rod->type->velocity(rod, rod->spec.branch[0].length, CPS_VELOCITY_AFTER);
  double h = hold->damping / hold->stiffness;
  CpsVec3 stretch = cps_vec3_sub(hold->target, cps_vec3_axpy(rod->hold_from, h, v));
  CpsVec3 slip = cps_vec3_sub(v, hold->target_velocity);
  return cps_vec3_axpy(cps_vec3_scale(hold->stiffness, stretch), -hold->damping, slip);
}

static void visit(const CpsWorld* world, const Gathering* g) {
  const CpsContacts* c = &world->contacts;
  const int32_t bodies = world->rigid->count;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsTouching* t = &c->contact[i];
    const CpsVec3 force = c->track[i].impulse;  // kept per time
    if (t->a >= bodies) put(g, t->a - bodies, t->spot_a.arc, force);
    if (t->b >= bodies) put(g, t->b - bodies, t->spot_b.arc, cps_vec3_scale(-1.0, force));
  }
  for (int32_t i = 0; i < world->pull_count; ++i) {
    const CpsPull* p = &world->pulls[i];
    if (p->there && p->def.fibre.generation != 0) put(g, p->def.fibre.index, p->def.s, p->last_force);
  }
  for (int32_t i = 0; i < world->fibres->count; ++i) {
    const CpsFibre* f = &world->fibres->fibres[i];
    if (!f->there || !(f->rod.hold.stiffness > 0.0)) continue;
    put(g, i, f->rod.spec.branch[0].length, force_of_hold(&f->rod));
  }
}

bool cps_point_forces_gather(const CpsWorld* world, int32_t only, CpsPointForces* forces) {
  const int32_t places = world->fibres->count;
  *forces = (CpsPointForces){0};
  forces->start = CPS_TAKE_ZERO(&forces->memory, int64_t, places + 1);
  if (!forces->start) return false;
  visit(world, &(Gathering){forces, places, only, true});
  for (int32_t i = 0; i < places; ++i) forces->start[i + 1] += forces->start[i];
  forces->force = CPS_TAKE(&forces->memory, CpsPointForce, forces->start[places]);
  if (!forces->force) return false;
  visit(world, &(Gathering){forces, places, only, false});
  // the filling moved each offset to that of the next fibre
  for (int32_t i = places; i > 0; --i) forces->start[i] = forces->start[i - 1];
  forces->start[0] = 0;
  return true;
}

void cps_point_forces_free(CpsPointForces* forces) {
  cps_arena_free(&forces->memory);
}

// --- the balance ------------------------------------------------------------------------------------------------------

typedef struct Balance {
  const CpsFibre* fibre;
  const CpsPointForce* force;
  int64_t force_count;
  CpsVec3 gravity;
  CpsVec3* total;  // of each branch: all of it, with what grows on it
} Balance;

// The integrand of (1) at joint i of a branch.
static CpsVec3 density(const Balance* b, int32_t branch, int32_t i) {
  const CpsRod* rod = &b->fibre->rod;
  const CpsRodBranch* part = &rod->spec.branch[branch];
  const double s = part->start + part->length * fmin((double)i / part->elements, 1.0 - JUST_BEFORE);
  const CpsVec3 a = b->fibre->acceleration[part->first_element + branch + i];
  CpsVec3 w = cps_vec3_scale(part->line_density, cps_vec3_sub(b->gravity, a));
  if (rod->spec.drag > 0.0) w = cps_vec3_axpy(w, -rod->spec.drag, rod->type->velocity(rod, s, CPS_VELOCITY_AFTER));
  return w;
}

// The integral of (1) from s of a branch to its end.
static CpsVec3 integral(const Balance* b, int32_t branch, double s) {
  const CpsRodBranch* part = &b->fibre->rod.spec.branch[branch];
  const double size = part->length / part->elements, at = fmax((s - part->start) / size, 0.0);
  const int32_t first = (int32_t)fmin(at, part->elements - 1);
  CpsVec3 sum = {0.0, 0.0, 0.0}, right = density(b, branch, part->elements);
  for (int32_t i = part->elements - 1; i >= first; --i) {
    // over the part [x, 1] of the element, where the integrand goes from `left` to `right`
    const double x = i == first ? at - first : 0.0, rest = 1.0 - x;
    const CpsVec3 left = density(b, branch, i);
    sum = cps_vec3_axpy(sum, 0.5 * size * rest * rest, left);
    sum = cps_vec3_axpy(sum, 0.5 * size * rest * (1.0 + x), right);
    right = left;
  }
  return sum;
}

// n(s) of a branch. Branches grow at the ends of elements, later ones on earlier ones.
static CpsVec3 force_beyond(const Balance* b, int32_t branch, double s) {
  const CpsRodSpec* spec = &b->fibre->rod.spec;
  const CpsRodBranch* part = &spec->branch[branch];
  const double end = part->start + part->length;
  CpsVec3 n = integral(b, branch, s);
  for (int64_t k = 0; k < b->force_count; ++k) {
    const double at = b->force[k].s;
    // the arc length of the end of a branch is that of the next one's root
    const bool here = at >= part->start && (at < end || (at <= end && branch + 1 == spec->branch_count));
    if (here && at > s) n = cps_vec3_add(n, b->force[k].force);
  }
  for (int32_t k = branch + 1; k < spec->branch_count; ++k) {
    const double at = part->start + part->length * (spec->branch[k].at + 1) / part->elements;
    if (spec->branch[k].parent == branch && at > s) n = cps_vec3_add(n, b->total[k]);
  }
  return n;
}

static void balance(Balance* b, int32_t branch, int32_t count, double* tension) {
  const CpsRod* rod = &b->fibre->rod;
  const CpsRodBranch* part = &rod->spec.branch[branch];
  for (int32_t k = rod->spec.branch_count - 1; k > branch; --k) {
    b->total[k] = force_beyond(b, k, rod->spec.branch[k].start - 1.0);
  }
  for (int32_t i = 0; i < count; ++i) {
    const double s = part->start + part->length * fmin((double)i / (count - 1), 1.0 - JUST_BEFORE);
    const CpsMat3 frame = rod->type->at(rod, s).frame;
    tension[i] = cps_vec3_dot(force_beyond(b, branch, s), cps_vec3(frame.m[0], frame.m[3], frame.m[6]));
  }
}

CpsStatus cps_tension_of_branch(const CpsWorld* world, const CpsPointForces* forces, int32_t place, int32_t branch,
                                int32_t count, double* tension) {
  const CpsFibre* f = &world->fibres->fibres[place];
  const CpsRod* rod = &f->rod;
  const bool exact = rod->spec.tip != CPS_END_FREE && f->model >= CPS_ROD_MASS_SPRING;
  const double length = rod->spec.branch[0].length;
  for (int32_t i = 0; i < count; ++i) tension[i] = 0.0;
  if (exact && !rod->type->axial) return CPS_UNSUPPORTED;
  for (int32_t i = 0; i < count && exact; ++i) tension[i] = rod->type->axial(rod, length * i / (count - 1));
  if (exact) return CPS_OK;
  CpsArena arena = {0};
  Balance b = {.fibre = f, .force = forces->force + forces->start[place]};
  b.force_count = forces->start[place + 1] - forces->start[place];
  if (rod->spec.gravity) b.gravity = world->def.gravity;
  b.total = CPS_TAKE(&arena, CpsVec3, rod->spec.branch_count);
  if (b.total) balance(&b, branch, count, tension);
  cps_arena_free(&arena);
  return b.total ? CPS_OK : CPS_NO_MEMORY;
}

CpsStatus cps_world_fibre_tension(const CpsWorld* world, CpsFibreId id, int32_t count, double* tension) {
  const CpsFibre* f = cps_world_find_fibre(world, id);
  if (!f || count < 2 || !tension) return CPS_BAD_ARGUMENT;
  CpsPointForces forces;
  CpsStatus status = CPS_NO_MEMORY;
  if (cps_point_forces_gather(world, id.index, &forces)) {
    status = cps_tension_of_branch(world, &forces, id.index, 0, count, tension);
  }
  cps_point_forces_free(&forces);
  return status;
}
