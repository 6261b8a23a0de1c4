// Fibres: rods of any model as one population behind model.h. fibre_pieces.c has the capsules used for contact, fibre_state.c
// the saved state.
#include "model/fibres.h"

#include "core/error.h"
#include "core/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SELF_RADII = 10.0, SELF_PIECES = 2.0;  // default distance of self-contact
static const double TORN = 30.0;                           // times its length

static const CpsModelType FIBRES;

CpsFibres* cps_fibres_create(void) {
  CpsFibres* fibres = calloc(1, sizeof *fibres);
  if (fibres) fibres->model.type = &FIBRES;
  return fibres;
}

static void free_fibre(CpsFibre* f) {
  free(f->branch_pieces);
  free(f->joint[0]);
  free(f->weight);
  free(f->pieces);
  free(f->name);
  cps_rod_free(&f->rod);
}

static void destroy(CpsModel* model) {
  CpsFibres* fibres = (CpsFibres*)model;
  if (!fibres) return;
  for (int32_t i = 0; i < fibres->model.count; ++i) free_fibre(&fibres->fibres[i]);
  free(fibres->fibres);
  free(fibres->pulls);
  free(fibres->pull_from);
  free(fibres->tensions);
  free(fibres);
}

static CpsStatus make_pieces(CpsFibre* f, const CpsFibreDef* def, CpsError* error) {
  const CpsRodSpec* spec = &f->rod.spec;
  f->branch_pieces = calloc((size_t)spec->branch_count, sizeof *f->branch_pieces);
  size_t joints = (size_t)spec->elements + (size_t)spec->branch_count;
  f->joint[0] = calloc(4 * joints, sizeof(CpsVec3));
  f->weight = calloc((size_t)spec->elements, sizeof *f->weight);
  if (!f->branch_pieces || !f->joint[0] || !f->weight) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre");
  }
  f->joint[1] = f->joint[0] + joints;
  f->then = f->joint[1] + joints;
  f->acceleration = f->then + joints;
  f->piece_count = cps_fibre_count_pieces(f, def->pieces);
  f->pieces = calloc((size_t)f->piece_count + 1, sizeof *f->pieces);
  if (!f->pieces) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre");
  double longest = 0.0;
  for (int32_t b = 0; f->piece_count > 0 && b < spec->branch_count; ++b) {
    longest = fmax(longest, spec->branch[b].length / f->branch_pieces[b]);
  }
  f->self_distance =
      isnan(def->self_distance) ? fmax(SELF_RADII * f->radius, SELF_PIECES * longest) : def->self_distance;
  // branches of a tree are neighbours that arc lengths do not reveal
  if (!def->self_contact || spec->branch_count > 1) f->self_distance = 0.0;
  cps_fibre_spread(f);
  return CPS_OK;
}

static bool is_finite(const double* x, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += 0.0 * x[i];  // 0, or NaN if one is not finite
  return sum == 0.0;
}

// Whether the ends of all branches are finite: an overflow along a rod shows there.
static bool has_place(const CpsFibre* f) {
  for (int32_t b = 0; b < f->rod.spec.branch_count; ++b) {
    const CpsRodBranch* branch = &f->rod.spec.branch[b];
    CpsVec3 end = f->rod.type->at(&f->rod, nextafter(branch->start + branch->length, 0.0)).position;
    if (!is_finite(&end.x, 3)) return false;
  }
  return true;
}

// A fibre stretched to this many times its length is broken: explicit forces at too long a step do that, and contact detection in
// the resulting tangle would never end.
static bool is_torn(const CpsFibre* f) {
  const CpsRodSpec* spec = &f->rod.spec;
  if (!f->rod.type->axial || spec->branch_count > 1) return false;
  double length = 0.0;
  CpsVec3 before = f->rod.type->at(&f->rod, 0.0).position;
  for (int32_t i = 1; i <= spec->elements; ++i) {
    CpsVec3 x = f->rod.type->at(&f->rod, spec->length * i / spec->elements).position;
    length += cps_vec3_norm(cps_vec3_sub(x, before));
    before = x;
  }
  return !(length < TORN * spec->length);
}

static CpsStatus make_fibre(CpsFibre* f, const CpsFibreDef* def, CpsError* error) {
  CpsStatus status = cps_rod_create(def, &f->rod, error);
  if (status != CPS_OK) return status;
  f->model = def->model;
  for (int32_t b = 0; b < f->rod.spec.branch_count; ++b) {
    const double taper = b == 0 ? cps_rod_trunk_taper(&f->rod.spec, 2) : 1.0;
    f->mass += taper * f->rod.spec.branch[b].line_density * f->rod.spec.branch[b].length;
  }
  double across = isnan(def->radius_across) ? def->radius : def->radius_across;
  f->radius = isnan(def->contact_radius) ? fmax(def->radius, across) : def->contact_radius;
  f->thick_as_drawn = isnan(def->contact_radius);
  f->contact_start = fmin(def->contact_start, f->rod.spec.branch[0].length);
  f->material = def->material;
  f->mu = def->mu;
  f->restitution = def->restitution;
  f->group = def->group;
  f->user = def->user;
  if (!cps_text_copy(def->name, &f->name)) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre");
  f->root_start = f->rod.root.now;
  f->tip_start = f->rod.tip.now;
  if (!is_finite(f->rod.state, f->rod.state_count) || !has_place(f)) {
    return cps_fail(error, CPS_BAD_DATA, "the shape of a fibre is too large or too curved to compute");
  }
  return make_pieces(f, def, error);
}

static int32_t find_place(CpsFibres* fibres) {
  const CpsPlaceArray all = {&fibres->fibres, &fibres->model.count, &fibres->capacity, sizeof(CpsFibre),
                             offsetof(CpsFibre, there)};
  return cps_place_find(&all, fibres->model.there_count == fibres->model.count);
}

CpsStatus cps_fibres_add(CpsFibres* fibres, const CpsFibreDef* def, int32_t* place, CpsError* error) {
  CpsFibre made = {0};
  CpsStatus status = make_fibre(&made, def, error);
  *place = status == CPS_OK ? find_place(fibres) : -1;
  if (status == CPS_OK && *place < 0) status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre");
  if (status != CPS_OK) {
    free_fibre(&made);
    return status;
  }
  made.generation = cps_generation_after(fibres->fibres[*place].generation);
  made.there = true;
  fibres->fibres[*place] = made;
  fibres->model.there_count++;
  fibres->piece_count += made.piece_count;
  return CPS_OK;
}

void cps_fibres_remove(CpsFibres* fibres, int32_t place) {
  CpsFibre* f = &fibres->fibres[place];
  uint32_t generation = f->generation;
  fibres->model.there_count--;
  fibres->piece_count -= f->piece_count;
  free_fibre(f);
  *f = (CpsFibre){.generation = generation};
}

static uint32_t generation(const CpsModel* model, int32_t body) {
  return ((const CpsFibres*)model)->fibres[body].generation;
}

static const char* label(const CpsModel* model, int32_t body) {
  return ((const CpsFibres*)model)->fibres[body].name;
}

static bool is_there(const CpsModel* model, int32_t body) {
  return ((const CpsFibres*)model)->fibres[body].there;
}

static double size(const CpsModel* model, int32_t body) {
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  double least = f->radius * fmin(f->rod.spec.taper, 1.0);
  for (int32_t b = 1; f->thick_as_drawn && b < f->rod.spec.branch_count; ++b) {
    least = fmin(least, f->rod.spec.branch[b].radius);
  }
  return least;
}

static bool is_held(const CpsModel* model, int32_t body) {
  const CpsRodSpec* spec = &((const CpsFibres*)model)->fibres[body].rod.spec;
  return spec->root != CPS_END_FREE || spec->tip != CPS_END_FREE;
}

static int32_t body_dofs(const CpsModel* model, int32_t body) {
  return ((const CpsFibres*)model)->fibres[body].rod.dofs;
}

// Arc length of joint i of a branch. The end of a branch has the same arc length as the root of the next one.
double cps_fibre_joint_at(const CpsRodSpec* spec, int32_t b, int32_t i) {
  const CpsRodBranch* branch = &spec->branch[b];
  double s = branch->start + cps_rod_element_start(branch, i);
  return i == branch->elements && b + 1 < spec->branch_count ? nextafter(s, 0.0) : s;
}

// Velocities at the joints at the end of the last step, or their change since `then`, times `by`.
static void find_change(const CpsFibre* f, double by, const CpsVec3* then, CpsVec3* out) {
  const CpsRod* rod = &f->rod;
  int32_t k = 0;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    for (int32_t i = 0; i <= rod->spec.branch[b].elements; ++i, ++k) {
      CpsVec3 now = rod->type->velocity(rod, cps_fibre_joint_at(&rod->spec, b, i), CPS_VELOCITY_AFTER);
      out[k] = then ? cps_vec3_scale(by, cps_vec3_sub(now, then[k])) : now;
    }
  }
}

// Velocities at the joints of the elements, before and free.
static void find_velocities(CpsFibre* f) {
  const CpsRod* rod = &f->rod;
  int32_t k = 0;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    for (int32_t i = 0; i <= branch->elements; ++i, ++k) {
      double s = cps_fibre_joint_at(&rod->spec, b, i);
      f->joint[0][k] = rod->type->velocity(rod, s, CPS_VELOCITY_BEFORE);
      f->joint[1][k] = rod->type->velocity(rod, s, CPS_VELOCITY_FREE);
      if (!isfinite(cps_vec3_norm(f->joint[0][k]) + cps_vec3_norm(f->joint[1][k]))) f->broken = true;
    }
  }
}

static CpsRodEnergy energy_of(const CpsFibre* f, const CpsModelStep* step) {
  const CpsVec3 none = {0.0, 0.0, 0.0}, g = f->rod.spec.gravity ? step->gravity : none;
  if (f->fresh && cps_vec3_is_equal(f->gravity, g)) return f->energy;
  CpsRodEnergy e = {0};
  f->rod.type->energy(&f->rod, g, &e);
  return e;
}

// A root driven from the first step on gives a super-model its motion before that step.
static void take_motion(CpsFibre* f, const CpsModelStep* step) {
  const CpsRodEnd root = f->rod.root;
  f->rod.root.velocity = f->rod.root.spin = cps_vec3(0.0, 0.0, 0.0);
  const double before = energy_of(f, step).kinetic;
  f->rod.root = root;
  f->fresh = false;
  f->rod.begun = true;
  f->rod.type->refresh(&f->rod);
  f->given += energy_of(f, step).kinetic - before;
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsFibres* fibres = (CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    if (!f->there) continue;
    find_change(f, 1.0, NULL, f->then);
    if (cps_fibre_is_free(f)) {
      CpsVec3 linear;
      f->rod.type->momentum(&f->rod, &linear, &f->turning);
      f->velocity = cps_vec3_scale(1.0 / f->mass, linear);
    }
    cps_fibre_take_off(f);
    if (!f->moved && f->rod.type->push) take_motion(f, step);
    f->h = step->h;
    f->fresh = false;  // held ends have their new velocities from here on
    f->rod.begun = true;
    f->rod.type->begin(&f->rod, step);
    f->broken = !has_place(f);
    find_velocities(f);
  }
}

static int32_t broken(const CpsModel* model) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    if (fibres->fibres[i].there && fibres->fibres[i].broken) return i;
  }
  return -1;
}

static CpsSurface surface(const CpsModel* model, int32_t body, const CpsSpot* spot) {
  (void)spot;
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  return (CpsSurface){f->generation, f->material, f->mu, f->restitution, NAN, {1.0, 0.0, 0.0}};
}

static void rows(const CpsModel* model, int32_t body, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  rod->type->rows(rod, spot->arc, &spot->point, frame, sign, G);
}

static CpsVec3 velocity(const CpsModel* model, int32_t body, const CpsSpot* spot, CpsVelocity which) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  CpsRodMotion m = rod->type->motion(rod, spot->arc, which);
  return cps_vec3_add(m.velocity, cps_vec3_cross(m.spin, cps_vec3_sub(spot->point, m.position)));
}

static bool is_on_line(const CpsAnchor* at) {
  return at->point.x == 0.0 && at->point.y == 0.0 && at->point.z == 0.0;
}

// A point beside the centreline moves with the section: its arm turns for half the step as before.
static CpsVec3 anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsSpot* spot, CpsPatchNode* nodes) {
  (void)nodes;
  const CpsFibres* fibres = (const CpsFibres*)model;
  const CpsRod* rod = &fibres->fibres[body].rod;
  const CpsRodPoint p = rod->type->at(rod, at->s);
  *spot = (CpsSpot){.point = p.position, .arc = at->s};
  if (is_on_line(at)) return p.position;
  const CpsVec3 arm = cps_mat3_apply(p.frame, at->point);
  const CpsVec3 spin = rod->type->motion(rod, at->s, CPS_VELOCITY_BEFORE).spin;
  const CpsQuat half = cps_quat_exp(cps_vec3_scale(0.5 * fibres->fibres[body].h, spin));
  spot->point = cps_vec3_add(p.position, cps_quat_rotate(half, arm));
  return cps_vec3_add(p.position, arm);
}

static CpsStatus turning(const CpsModel* model, int32_t body, CpsAnchor* at, double* length, CpsError* error) {
  (void)at;
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  if (f->rod.type->untwisted) {
    return cps_fail(error, CPS_UNSUPPORTED,
                    "fibres of model `%s` do not twist, so hinges and welds cannot hold them; tie two points of it",
                    f->rod.type->name);
  }
  *length = size(model, body);
  return CPS_OK;
}

static void along(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsVec3 direction, CpsAnchor* more) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  *more = (CpsAnchor){.point = cps_mat3_apply_transposed(rod->type->at(rod, at->s).frame, direction)};
}

static double distance_at(const CpsRod* rod, double s, CpsVec3 place) {
  return cps_vec3_norm(cps_vec3_sub(rod->type->at(rod, s).position, place));
}

// The best of a few points of each element; the interval around it is then divided into thirds.
static CpsStatus nearest(const CpsModel* model, int32_t body, CpsVec3 place, CpsAnchor* at, CpsError* error) {
  (void)error;
  enum { LOOKS = 8, THIRDS = 60 };
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  const int32_t count = LOOKS * rod->spec.elements;
  const double length = rod->spec.length;
  double best = 0.0, least = INFINITY;
  for (int32_t i = 0; i <= count; ++i) {
    const double d = distance_at(rod, length * i / count, place);
    if (d < least) least = d, best = length * i / count;
  }
  double low = fmax(best - length / count, 0.0), high = fmin(best + length / count, length);
  for (int i = 0; i < THIRDS; ++i) {
    const double one = low + (high - low) / 3.0, two = high - (high - low) / 3.0;
    if (distance_at(rod, one, place) <= distance_at(rod, two, place)) {
      high = two;
    } else {
      low = one;
    }
  }
  at->s = distance_at(rod, 0.5 * (low + high), place) < least ? 0.5 * (low + high) : best;
  return CPS_OK;
}

static CpsStatus check_anchor(const CpsModel* model, int32_t body, const CpsAnchor* at, CpsError* error) {
  double length = ((const CpsFibres*)model)->fibres[body].rod.spec.length;
  if (!(at->s >= 0.0 && at->s <= length)) {
    return cps_fail(error, CPS_BAD_DATA, "a tie is at %g m on a fibre that is %g m long", at->s, length);
  }
  const CpsRodType* type = ((const CpsFibres*)model)->fibres[body].rod.type;
  if (is_on_line(at) || !type->untwisted) return CPS_OK;
  return cps_fail(error, CPS_UNSUPPORTED, "fibres of model `%s` do not twist; tie a point of the centreline",
                  type->name);
}

static bool is_pinned(const CpsModel* model, int32_t body, const CpsAnchor* at, double time) {
  (void)time;
  const CpsRodSpec* spec = &((const CpsFibres*)model)->fibres[body].rod.spec;
  return (at->s <= 0.0 && spec->root != CPS_END_FREE) || (at->s >= spec->branch[0].length && spec->tip != CPS_END_FREE);
}

// The ends of the elements of all branches.
static int64_t read(const CpsModel* model, int32_t body, CpsQuantity quantity, double* values, size_t stride) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  if (quantity != CPS_QUANTITY_POSITION && quantity != CPS_QUANTITY_VELOCITY) return 0;
  char* at = (char*)values;
  for (int32_t b = 0; values && b < rod->spec.branch_count; ++b) {
    for (int32_t i = 0; i <= rod->spec.branch[b].elements; ++i, at += stride) {
      const double s = cps_fibre_joint_at(&rod->spec, b, i);
      const bool moves = quantity == CPS_QUANTITY_VELOCITY;
      cps_vec3_put((double*)(void*)at,
                   moves ? rod->type->velocity(rod, s, CPS_VELOCITY_AFTER) : rod->type->at(rod, s).position);
    }
  }
  return rod->spec.elements + rod->spec.branch_count;
}

static bool view(const CpsModel* model, int32_t body, CpsQuantity quantity, CpsArrayView* out) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  if (!rod->type->view || (quantity != CPS_QUANTITY_POSITION && quantity != CPS_QUANTITY_VELOCITY)) return false;
  *out = (CpsArrayView){.width = 3, .count = rod->spec.elements + 1};
  out->data = rod->type->view(rod, quantity == CPS_QUANTITY_VELOCITY, &out->stride);
  return true;
}

static void write(CpsModel* model, int32_t body, CpsQuantity quantity, int64_t entry, const double* value) {
  (void)quantity;
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  f->rod.type->set_velocity(&f->rod, (int32_t)entry, cps_vec3_get(value));
  f->fresh = false;
}

static CpsMemberLine line(const CpsModel* model, int32_t body) {
  CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  const CpsRodSpec* spec = &f->rod.spec;
  if (!f->there) return (CpsMemberLine){0};
  return (CpsMemberLine){.count = f->piece_count,
                         .piece = f->pieces,
                         .radius = f->radius,
                         .length = spec->branch[0].length,
                         .held = {spec->root != CPS_END_FREE, spec->tip != CPS_END_FREE},
                         .let = f->let};
}

static void follow(CpsModel* model, int32_t body) {
  cps_fibre_follow(&((CpsFibres*)model)->fibres[body]);
}

static void locate(const CpsModel* model, int32_t body, const CpsSpot* spot, bool advanced, CpsSide* side) {
  (void)model, (void)body, (void)advanced;
  side->place = cps_vec3(spot->arc, 0.0, 0.0);
}

static CpsVec3 drift(const CpsModel* model, const CpsModelStep* step, int32_t body, const CpsSpot* spot) {
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  bool points = f->model >= CPS_ROD_MASS_SPRING;
  if (step->theta == 1.0 || (!points && !cps_fibre_is_free(f))) return cps_vec3(0.0, 0.0, 0.0);
  CpsVec3 v = points ? f->rod.type->velocity(&f->rod, spot->arc, CPS_VELOCITY_BEFORE) : f->velocity;
  return cps_vec3_scale((1.0 - step->theta) * step->h, v);
}

static CpsVec3 driven(const CpsModel* model, int32_t body, const CpsSpot* spot) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  return rod->type->driven(rod, spot->arc, spot->point);
}

static void receive(CpsModel* model, int32_t body, const double* z) {
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  if (!f->there) return;
  f->rod.begun = false;
  f->rod.type->receive(&f->rod, z);
  f->fresh = false;
  f->pushed = 0.0;
  for (int32_t i = 0; z && i < f->rod.dofs; ++i) f->pushed += z[i] * z[i];
}

// The works of the step, and the error of linearised forces: their work less the stored energy. The world accounts for contacts
// with the mean of v* and v+, while (4) of rod.h uses v+; it accounts for pulls with the displacements of
// their points.
static void enter_work(CpsFibre* f, const CpsModelStep* step, const CpsRodWork* w, const CpsRodEnergy* before) {
  CpsRodEnergy now = energy_of(f, step);
  double stored = now.elastic + now.gravity - before->elastic - before->gravity;
  double braked = isnan(before->kinetic) ? 0.0 : before->kinetic - now.kinetic;
  f->work = (CpsModelEnergy){.damping = w->damping,
                             .ends = w->ends,
                             .linearisation = -(w->forces + stored) - w->late - w->pulls,
                             .scheme = w->scheme + w->late - 0.5 * f->pushed + braked,
                             .ties = w->ties,
                             .turnover = fabs(w->forces) + fabs(w->ends)};
  f->energy = now;
  f->gravity = f->rod.spec.gravity ? step->gravity : cps_vec3(0.0, 0.0, 0.0);
  f->fresh = f->placed = true;
}

// The energy before advance. Unless positions were shifted, only velocities have changed since the energy was last recorded; a
// super-model that is not free leaves advance with the kinetic energy that it has here.
static CpsRodEnergy energy_before(const CpsFibre* f, const CpsModelStep* step, bool free_rod) {
  const bool same = f->placed && cps_vec3_is_equal(f->gravity, f->rod.spec.gravity ? step->gravity : f->gravity);
  if (!same || free_rod || !f->rod.type->push) return energy_of(f, step);
  return (CpsRodEnergy){NAN, f->energy.gravity, f->energy.elastic};
}

static void end_step(CpsRodEnd* end) {
  end->now = end->next;
  end->velocity_before = end->velocity;
  end->spin_before = end->spin;
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsFibres* fibres = (CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    if (!f->there) continue;
    CpsRodWork w = {0};
    f->hasty = false;
    bool free_rod = cps_fibre_is_free(f);
    const CpsRodEnergy old = energy_before(f, step, free_rod);
    cps_fibre_note_pulls(fibres, f);
    f->rod.moved = f->moved;
    f->rod.type->work(&f->rod, step, &w);
    w.ends += f->given;
    f->given = 0.0;
    CpsFree before = {.kinetic = old.kinetic, .lost = w.scheme + w.late - 0.5 * f->pushed};
    if (free_rod) f->rod.type->momentum(&f->rod, &before.linear, &before.angular);
    f->rod.type->advance(&f->rod, step);
    end_step(&f->rod.root);
    end_step(&f->rod.tip);
    f->moved = true;
    f->broken = !is_finite(f->rod.state, f->rod.state_count);
    if (!f->broken) f->rod.type->refresh(&f->rod);
    if (!f->broken && free_rod) cps_fibre_keep_free(f, step, &before);
    f->fresh = false;
    if (!f->broken) enter_work(f, step, &w, &old);
    if (!f->broken) cps_fibre_land(f);
    find_change(f, 1.0 / step->h, f->then, f->acceleration);
    f->broken = f->broken || !has_place(f) || is_torn(f);
  }
}

static bool is_hasty(const CpsModel* model) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    if (fibres->fibres[i].there && fibres->fibres[i].hasty) return true;
  }
  return false;
}

static int32_t lost_spin(const CpsModel* model, double* part) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  int32_t worst = -1;
  *part = 0.0;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    if (!f->there || !(f->flight.lost > *part)) continue;
    *part = f->flight.lost;
    worst = i;
  }
  return worst;
}

static void shift(CpsModel* model, int32_t body, const double* z) {
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  f->placed = false;
  f->rod.type->shift(&f->rod, z);
  f->rod.type->refresh(&f->rod);
  f->fresh = false;
  f->broken = f->broken || !has_place(f);
}

static int64_t place_size(const CpsModel* model, int32_t body) {
  return ((const CpsFibres*)model)->fibres[body].rod.state_count;
}

static void keep_place(const CpsModel* model, int32_t body, double* numbers) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  memcpy(numbers, rod->state, (size_t)rod->state_count * sizeof *numbers);
}

static void put_back(CpsModel* model, int32_t body, const double* numbers) {
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  f->placed = false;
  memcpy(f->rod.state, numbers, (size_t)f->rod.state_count * sizeof *numbers);
  f->rod.type->refresh(&f->rod);
  f->fresh = f->broken = false;
}

static void slow(CpsModel* model, int32_t body, double factor, const CpsRigidMotion* common,
                 const CpsRigidMotion* more) {
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  f->rod.type->slow(&f->rod, factor, common, more);
  f->fresh = false;
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    if (!f->there) continue;
    CpsRodEnergy e = energy_of(f, step);
    if (stepped) {
      out->damping += f->work.damping;
      out->ends += f->work.ends;
      out->linearisation += f->work.linearisation;
      out->scheme += f->work.scheme;
      out->ties += f->work.ties;
      out->turnover += f->work.turnover;
    }
    out->kinetic += e.kinetic;
    out->potential += e.gravity;
    out->elastic += e.elastic;
    for (int32_t k = 0; k < f->rod.pull_count; ++k) {
      double stored = cps_rod_pull_stored(&f->rod, &f->rod.pulls[k]);
      out->elastic += stored;
      out->springs += stored;
    }
  }
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    CpsVec3 p, L;
    if (!f->there) continue;
    f->rod.type->momentum(&f->rod, &p, &L);
    *linear = cps_vec3_add(*linear, p);
    *angular = cps_vec3_add(*angular, L);
  }
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    if (fibres->fibres[i].there) *mass += fibres->fibres[i].mass;
  }
}

static double reach(const CpsModel* model, CpsVec3 from) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  double far = 0.0;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    for (int32_t k = 0; f->there && k < f->piece_count; ++k) {
      const CpsLinePiece* p = &f->pieces[k];
      far = fmax(far, cps_vec3_norm(cps_vec3_sub(p->pose.position, from)) + p->geom.outer_radius);
    }
  }
  return far;
}

static const CpsModelType FIBRES = {
    .name = "fibre",
    .kind = CPS_THING_FIBRE,
    .chained = true,
    .destroy = destroy,
    .generation = generation,
    .label = label,
    .is_there = is_there,
    .size = size,
    .is_held = is_held,
    .dofs = body_dofs,
    .begin = begin,
    .broken = broken,
    .collider_count = cps_fibres_collider_count,
    .place = cps_fibres_place,
    .colliders = cps_fibres_colliders,
    .surface = surface,
    .rows = rows,
    .velocity = velocity,
    .locate = locate,
    .check_pull = cps_fibres_check_pull,
    .reserve_pulls = cps_fibres_reserve_pulls,
    .let_go = cps_fibres_let_go,
    .pull = cps_fibres_pull,
    .pull_stored = cps_fibres_pull_stored,
    .pull_rest = cps_fibres_pull_rest,
    .pull_force = cps_fibres_pull_force,
    .reserve_tensions = cps_fibres_reserve_tensions,
    .tension = cps_fibres_tension,
    .line = line,
    .follow = follow,
    .anchor = anchor,
    .turning = turning,
    .along = along,
    .nearest = nearest,
    .check_anchor = check_anchor,
    .is_pinned = is_pinned,
    .drift = drift,
    .driven = driven,
    .receive = receive,
    .advance = advance,
    .is_hasty = is_hasty,
    .lost_spin = lost_spin,
    .shift = shift,
    .slow = slow,
    .place_size = place_size,
    .keep_place = keep_place,
    .put_back = put_back,
    .energy = energy,
    .momentum = momentum,
    .weigh = weigh,
    .inertia = cps_fibres_inertia,
    .read = read,
    .view = view,
    .write = write,
    .fit_size = cps_fibres_near_size,
    .fit = cps_fibres_near,
    .reach = reach,
    .hash = cps_fibres_hash,
    .state_size = cps_fibres_state_size,
    .save = cps_fibres_save,
    .check = cps_fibres_check,
    .load = cps_fibres_load,
};
