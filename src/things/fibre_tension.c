// The axial force of fibres.
//
// What lies beyond s of a fibre moves by the forces on it and by the force n(s) of the rest, which pulls it back:
//
//   n(s) = int_s^L [ rho S (g - a) - drag x' ] ds' + contacts, pulls and what holds the tip, beyond s,   T = n . t   (1)
//
// with a = (x'+ - x') / h the acceleration of the last step. In a tree the branches that grow beyond s count whole. The
// integrand is linear between the joints of the elements. Nothing is asked of the elasticity, so that (1) holds also for
// models that do not stretch; but it depends on what holds the tip. Super-models hold it by a spring (CpsRod::hold).
// The others hold it exactly, and there the strain of the edges or their multipliers say the force (CpsRodType::axial).
#include "things/fibres.h"

#include <math.h>
#include <stdlib.h>

// Points at the very end are moved back by this part of the length, to the near side of a pull there.
static const double JUST_BEFORE = 1e-9;

// A force on a point of a fibre.
typedef struct PointForce {
  double s;
  CpsVec3 force;
} PointForce;

// The point forces of the last step, sorted by fibre.
struct CpsTensions {
  CpsArena memory;
  int32_t places;
  int64_t* start;  // places + 1 offsets
  PointForce* force;
};

// --- point forces -----------------------------------------------------------------------------------------------------

typedef struct Gathering {
  CpsTensions* forces;
  int32_t only;
  bool counting;
} Gathering;

static void put(const Gathering* g, int32_t place, double s, CpsVec3 force) {
  // objects added since the step may have changed the numbering of its contacts
  if (place >= g->forces->places || (g->only >= 0 && place != g->only)) return;
  if (g->counting) {
    g->forces->start[place + 1]++;
  } else {
    g->forces->force[g->forces->start[place]++] = (PointForce){s, force};
  }
}

// The force that holds the tip of a super-model, at the end of the step in its time scheme.
static CpsVec3 force_of_hold(const CpsRod* rod) {
  const CpsRodPull* hold = &rod->hold;
  CpsVec3 v = rod->type->velocity(rod, rod->spec.branch[0].length, CPS_VELOCITY_AFTER);
  double h = hold->damping / hold->stiffness;
  CpsVec3 stretch = cps_vec3_sub(hold->target, cps_vec3_axpy(rod->hold_from, h, v));
  CpsVec3 slip = cps_vec3_sub(v, hold->target_velocity);
  return cps_vec3_axpy(cps_vec3_scale(hold->stiffness, stretch), -hold->damping, slip);
}

static void visit(const CpsWorld* world, const Gathering* g) {
  const CpsFibres* fibres = cps_world_fibres(world);
  const CpsContacts* c = &world->contacts;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    const CpsVec3 force = c->track[i].impulse;  // stored divided by the step length
    const CpsMember a = cps_world_member(world, t->a);
    if (a.model == &fibres->model) put(g, a.index, t->spot_a.arc, force);
    if (t->b < 0) continue;
    const CpsMember b = cps_world_member(world, t->b);
    if (b.model == &fibres->model) put(g, b.index, t->spot_b.arc, cps_vec3_scale(-1.0, force));
  }
  for (int32_t i = 0; i < world->pull_count; ++i) {
    const CpsPull* p = &world->pulls[i];
    if (p->there && p->def.at.thing.kind == CPS_THING_FIBRE) put(g, p->def.at.thing.index, p->def.at.s, p->last_force);
  }
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    if (!f->there || !(f->rod.hold.stiffness > 0.0)) continue;
    put(g, i, f->rod.spec.branch[0].length, force_of_hold(&f->rod));
  }
}

// Collects forces of all fibres, or of one only; false if memory runs out.
static bool gather(const CpsWorld* world, int32_t only, CpsTensions* forces) {
  cps_arena_reset(&forces->memory);
  const int32_t places = cps_world_fibres(world)->model.count;
  forces->places = 0;
  forces->start = CPS_TAKE_ZERO(&forces->memory, int64_t, (int64_t)places + 1);
  if (!forces->start) return false;
  forces->places = places;
  visit(world, &(Gathering){forces, only, true});
  for (int32_t i = 0; i < places; ++i) forces->start[i + 1] += forces->start[i];
  forces->force = CPS_TAKE(&forces->memory, PointForce, forces->start[places]);
  if (!forces->force) {
    forces->places = 0;
    return false;
  }
  visit(world, &(Gathering){forces, only, false});
  // the filling has moved each offset to that of the next fibre
  for (int32_t i = places; i > 0; --i) forces->start[i] = forces->start[i - 1];
  forces->start[0] = 0;
  return true;
}

// --- the balance ------------------------------------------------------------------------------------------------------

typedef struct Balance {
  const CpsFibre* fibre;
  const PointForce* force;
  int64_t force_count;
  CpsVec3* density;  // the integrand of (1) at the joints of all branches
  CpsVec3* total;    // of each branch, including the branches that grow on it
} Balance;

static void find_density(Balance* b, CpsVec3 gravity) {
  const CpsRod* rod = &b->fibre->rod;
  for (int32_t branch = 0, k = 0; branch < rod->spec.branch_count; ++branch) {
    const CpsRodBranch* part = &rod->spec.branch[branch];
    for (int32_t i = 0; i <= part->elements; ++i, ++k) {
      const double s = part->start + fmin(cps_rod_element_start(part, i), part->length * (1.0 - JUST_BEFORE));
      b->density[k] = cps_vec3_scale(part->line_density, cps_vec3_sub(gravity, b->fibre->acceleration[k]));
      if (!(rod->spec.drag > 0.0)) continue;
      CpsVec3 v = rod->type->velocity(rod, s, CPS_VELOCITY_AFTER);
      b->density[k] = cps_vec3_axpy(b->density[k], -rod->spec.drag, v);
    }
  }
}

// The integral of (1) from s of a branch to its end.
static CpsVec3 integral(const Balance* b, int32_t branch, double s) {
  const CpsRodBranch* part = &b->fibre->rod.spec.branch[branch];
  const double from = fmax(s - part->start, 0.0);
  const int32_t first = cps_rod_element_at(part, from);
  const CpsVec3* density = b->density + part->first_element + branch;
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = part->elements - 1; i >= first; --i) {
    // integrates over the part [x, 1] of the element
    const double size = cps_rod_element_size(part, i);
    const double x = i == first ? fmin((from - cps_rod_element_start(part, i)) / size, 1.0) : 0.0, rest = 1.0 - x;
    sum = cps_vec3_axpy(sum, 0.5 * size * rest * rest, density[i]);
    sum = cps_vec3_axpy(sum, 0.5 * size * rest * (1.0 + x), density[i + 1]);
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
    // the end of a branch and the root of the next one have the same arc length
    const bool here = at >= part->start && (at < end || (at <= end && branch + 1 == spec->branch_count));
    if (here && at > s) n = cps_vec3_add(n, b->force[k].force);
  }
  for (int32_t k = branch + 1; k < spec->branch_count; ++k) {
    const double at = part->start + cps_rod_element_start(part, spec->branch[k].at + 1);
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

// Axial force from strains or multipliers, for tips that are held exactly.
static CpsStatus read_axial(const CpsRod* rod, int32_t count, double* tension) {
  const double length = rod->spec.branch[0].length;
  for (int32_t i = 0; i < count; ++i)
    tension[i] = rod->type->axial ? rod->type->axial(rod, length * i / (count - 1)) : 0.0;
  return rod->type->axial ? CPS_OK : CPS_UNSUPPORTED;
}

static CpsStatus read_branch(CpsTensions* forces, const CpsWorld* world, int32_t place, int32_t branch, int32_t count,
                             double* tension) {
  const CpsFibre* f = &cps_world_fibres(world)->fibres[place];
  const CpsRod* rod = &f->rod;
  if (rod->spec.tip != CPS_END_FREE && f->model >= CPS_ROD_MASS_SPRING) return read_axial(rod, count, tension);
  const CpsArenaMark mark = cps_arena_mark(&forces->memory);
  Balance b = {.fibre = f, .force = forces->force + forces->start[place]};
  b.force_count = forces->start[place + 1] - forces->start[place];
  b.density = CPS_TAKE(&forces->memory, CpsVec3, rod->spec.elements + rod->spec.branch_count);
  b.total = CPS_TAKE(&forces->memory, CpsVec3, rod->spec.branch_count);
  const bool enough = b.density && b.total;
  if (enough) {
    find_density(&b, rod->spec.gravity ? world->def.gravity : cps_vec3(0.0, 0.0, 0.0));
    balance(&b, branch, count, tension);
  }
  cps_arena_release(&forces->memory, mark);
  return enough ? CPS_OK : CPS_NO_MEMORY;
}

CpsTensions* cps_tensions_create(void) {
  return calloc(1, sizeof(CpsTensions));
}

void cps_tensions_destroy(CpsTensions* tensions) {
  if (!tensions) return;
  cps_arena_free(&tensions->memory);
  free(tensions);
}

CpsStatus cps_tensions_update(CpsTensions* tensions, const CpsWorld* world) {
  if (!tensions || !world) return CPS_BAD_ARGUMENT;
  return gather(world, -1, tensions) ? CPS_OK : CPS_NO_MEMORY;
}

CpsStatus cps_tensions_read(CpsTensions* tensions, const CpsWorld* world, CpsFibreId id, int32_t branch, int32_t count,
                            double* tension) {
  const CpsFibre* f = tensions ? cps_world_find_fibre(world, id) : NULL;
  if (!f || id.index >= tensions->places || count < 2 || !tension) return CPS_BAD_ARGUMENT;
  if (branch < -1 || branch + 1 >= f->rod.spec.branch_count) return CPS_BAD_ARGUMENT;
  return read_branch(tensions, world, id.index, branch + 1, count, tension);
}

CpsStatus cps_world_fibre_tension(const CpsWorld* world, CpsFibreId id, int32_t count, double* tension) {
  if (!cps_world_find_fibre(world, id) || count < 2 || !tension) return CPS_BAD_ARGUMENT;
  CpsTensions forces = {0};
  CpsStatus status = CPS_NO_MEMORY;
  if (gather(world, id.index, &forces)) status = read_branch(&forces, world, id.index, 0, count, tension);
  cps_arena_free(&forces.memory);
  return status;
}
