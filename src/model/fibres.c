// Fibres: rods of any model as one population behind model.h. Each fibre is a chain of capsules, the pieces, whose ends
// lie on the centreline.
//
// A piece of length l where the centreline has the curvature k leaves it by k l^2 / 8. Super-models have their joints
// spread so that this is the same for all pieces: equal steps of
//
//   W(s) = int sqrt(k(s) + 2 / L) ds,                                                                               (1)
//
// k the bending of each element in its middle. Models of points are straight between their joints: their pieces end there.
#include "model/fibres.h"

#include "core/error.h"
#include "geometry/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_PIECES = 24, LEAST_BRANCH_PIECES = 4 };
static const double SELF_RADII = 10.0, SELF_PIECES = 2.0;  // default distance of self-contact

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
  cps_rod_free(&f->rod);
}

static void destroy(CpsModel* model) {
  CpsFibres* fibres = (CpsFibres*)model;
  if (!fibres) return;
  for (int32_t i = 0; i < fibres->count; ++i) free_fibre(&fibres->fibres[i]);
  free(fibres->fibres);
  free(fibres);
}

static bool is_polygon(const CpsFibre* f) {
  return f->model >= CPS_ROD_MASS_SPRING;
}

// Pieces of each branch.
static int32_t count_pieces(CpsFibre* f, int32_t asked) {
  int32_t sum = 0;
  if (!(f->radius > 0.0)) return 0;
  for (int32_t b = 0; b < f->rod.spec.branch_count; ++b) {
    int32_t elements = f->rod.spec.branch[b].elements, least = b == 0 ? LEAST_PIECES : LEAST_BRANCH_PIECES;
    int32_t n = 2 * elements > least ? 2 * elements : least;
    if (b == 0 && asked > 0) n = asked;
    if (is_polygon(f)) {
      // what touches nothing at the root ends at a joint, too, and is never shorter than asked for
      n = asked > elements ? (asked + elements - 1) / elements * elements : elements;
      double size = f->rod.spec.branch[b].length / n;
      int32_t left_out = (int32_t)fmin(ceil(f->contact_start / size - 1e-9), n - 1);
      f->contact_start = left_out * size;
      n -= left_out;
    }
    f->branch_pieces[b] = n;
    sum += n;
  }
  return sum;
}

static void set_geom(CpsGeom* g, double radius, double length) {
  double h = 0.5 * length;
  g->kind = CPS_SHAPE_CAPSULE;
  g->radius = g->inner_radius = radius;
  g->half_length = h;
  g->outer_radius = radius + h;
  g->bounds = (CpsAabb){{-radius, -radius, -radius - h}, {radius, radius, radius + h}};
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
  f->piece_count = count_pieces(f, def->pieces);
  f->pieces = calloc((size_t)f->piece_count + 1, sizeof *f->pieces);
  if (!f->pieces) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a fibre");
  double longest = 0.0;
  for (int32_t b = 0; f->piece_count > 0 && b < spec->branch_count; ++b) {
    longest = fmax(longest, spec->branch[b].length / f->branch_pieces[b]);
  }
  f->self_distance =
      isnan(def->self_distance) ? fmax(SELF_RADII * f->radius, SELF_PIECES * longest) : def->self_distance;
  // branches of a tree are neighbours that arc lengths do not tell
  if (!def->self_contact || spec->branch_count > 1) f->self_distance = 0.0;
  return CPS_OK;
}

static bool is_finite(const double* x, int64_t count) {
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) sum += 0.0 * x[i];  // 0, or NaN if one is not finite
  return sum == 0.0;
}

// Whether the ends of all branches are somewhere: what overflows on the way along a rod is seen there.
static bool has_place(const CpsFibre* f) {
  for (int32_t b = 0; b < f->rod.spec.branch_count; ++b) {
    const CpsRodBranch* branch = &f->rod.spec.branch[b];
    CpsVec3 end = f->rod.type->at(&f->rod, nextafter(branch->start + branch->length, 0.0)).position;
    if (!is_finite(&end.x, 3)) return false;
  }
  return true;
}

static CpsStatus make_fibre(CpsFibre* f, const CpsFibreDef* def, CpsError* error) {
  CpsStatus status = cps_rod_create(def, &f->rod, error);
  if (status != CPS_OK) return status;
  f->model = def->model;
  for (int32_t b = 0; b < f->rod.spec.branch_count; ++b) {
    f->mass += f->rod.spec.branch[b].line_density * f->rod.spec.branch[b].length;
  }
  double across = isnan(def->radius_across) ? def->radius : def->radius_across;
  f->radius = isnan(def->contact_radius) ? fmax(def->radius, across) : def->contact_radius;
  f->contact_start = fmin(def->contact_start, f->rod.spec.branch[0].length);
  f->material = def->material;
  f->mu = def->mu;
  f->restitution = def->restitution;
  f->group = def->group;
  f->user = def->user;
  f->root_start = f->rod.root.now;
  f->tip_start = f->rod.tip.now;
  if (!is_finite(f->rod.state, f->rod.state_count) || !has_place(f)) {
    return cps_fail(error, CPS_BAD_DATA, "the shape of a fibre is too large or too curved for numbers");
  }
  return make_pieces(f, def, error);
}

// A place that is free, growing the array if there is none; -1 if memory is short.
static int32_t find_place(CpsFibres* fibres) {
  for (int32_t i = 0; fibres->there_count < fibres->count && i < fibres->count; ++i) {
    if (!fibres->fibres[i].there) return i;
  }
  if (fibres->count == fibres->capacity) {
    int32_t capacity = fibres->capacity ? 2 * fibres->capacity : 16;
    CpsFibre* grown = realloc(fibres->fibres, (size_t)capacity * sizeof *grown);
    if (!grown) return -1;
    fibres->fibres = grown;
    fibres->capacity = capacity;
  }
  memset(&fibres->fibres[fibres->count], 0, sizeof *fibres->fibres);
  return fibres->count++;
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
  made.generation = fibres->fibres[*place].generation + 1;
  if (made.generation == 0) made.generation = 1;
  made.there = true;
  fibres->fibres[*place] = made;
  fibres->there_count++;
  fibres->piece_count += made.piece_count;
  return CPS_OK;
}

void cps_fibres_remove(CpsFibres* fibres, int32_t place) {
  CpsFibre* f = &fibres->fibres[place];
  uint32_t generation = f->generation;
  fibres->there_count--;
  fibres->piece_count -= f->piece_count;
  free_fibre(f);
  *f = (CpsFibre){.generation = generation};
}

static int32_t body_count(const CpsModel* model) {
  return ((const CpsFibres*)model)->count;
}

static int32_t body_dofs(const CpsModel* model, int32_t body) {
  return ((const CpsFibres*)model)->fibres[body].rod.dofs;
}

// Arc length of joint i of a branch. That of the end of a branch is that of the next one's root.
static double joint_at(const CpsRodSpec* spec, int32_t b, int32_t i) {
  const CpsRodBranch* branch = &spec->branch[b];
  double s = branch->start + branch->length * i / branch->elements;
  return i == branch->elements && b + 1 < spec->branch_count ? nextafter(s, 0.0) : s;
}

// Velocities at the joints at the end of the last step, or what they changed since `then`, times `by`.
static void find_change(const CpsFibre* f, double by, const CpsVec3* then, CpsVec3* out) {
  const CpsRod* rod = &f->rod;
  int32_t k = 0;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    for (int32_t i = 0; i <= rod->spec.branch[b].elements; ++i, ++k) {
      CpsVec3 now = rod->type->velocity(rod, joint_at(&rod->spec, b, i), CPS_VELOCITY_AFTER);
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
      double s = joint_at(&rod->spec, b, i);
      f->joint[0][k] = rod->type->velocity(rod, s, CPS_VELOCITY_BEFORE);
      f->joint[1][k] = rod->type->velocity(rod, s, CPS_VELOCITY_FREE);
      if (!isfinite(cps_vec3_norm(f->joint[0][k]) + cps_vec3_norm(f->joint[1][k]))) f->broken = true;
    }
  }
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsFibres* fibres = (CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    if (!f->there) continue;
    find_change(f, 1.0, NULL, f->then);
    f->rod.type->begin(&f->rod, step);
    f->broken = false;
    find_velocities(f);
  }
}

static int32_t broken(const CpsModel* model) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->count; ++i) {
    if (fibres->fibres[i].there && fibres->fibres[i].broken) return i;
  }
  return -1;
}

// (1): arc lengths of the ends of the pieces of a branch, in pieces[k].arc.
static void spread(const CpsFibre* f, int32_t b, CpsFibrePiece* pieces) {
  const CpsRodBranch* branch = &f->rod.spec.branch[b];
  int32_t n = f->branch_pieces[b];
  double from = b == 0 ? f->contact_start : 0.0, total = 0.0, size = branch->length / branch->elements;
  bool even = is_polygon(f);
  for (int32_t i = 0; !even && i < branch->elements; ++i) {
    CpsVec3 k = f->rod.type->at(&f->rod, branch->start + (i + 0.5) * size).curvature;
    f->weight[i] = sqrt(hypot(k.y, k.z) + 2.0 / branch->length);
    double part = size - fmin(fmax(from - i * size, 0.0), size);
    total += f->weight[i] * part;
  }
  double done = 0.0, at = from;
  int32_t element = even ? 0 : (int32_t)fmin(from / size, branch->elements - 1);
  for (int32_t k = 0; k < n; ++k) {
    pieces[k].arc[0] = branch->start + at;
    if (even) {
      at = from + (branch->length - from) * (k + 1) / n;
    } else {
      double goal = total * (k + 1) / n;
      while (element + 1 < branch->elements && done + f->weight[element] * ((element + 1) * size - at) < goal) {
        done += f->weight[element] * ((element + 1) * size - at);
        at = (element + 1) * size;
        element++;
      }
      at += (goal - done) / f->weight[element];
      done = goal;
    }
    if (k + 1 == n) at = branch->length;
    pieces[k].arc[1] = branch->start + at;
  }
}

static void place_piece(CpsFibre* f, CpsFibrePiece* piece, CpsVec3 from, CpsVec3 to) {
  CpsVec3 along = cps_vec3_sub(to, from);
  set_geom(&piece->geom, f->radius, cps_vec3_norm(along));
  piece->from[0] = from;
  piece->from[1] = to;
  piece->pose = (CpsPose){cps_vec3_scale(0.5, cps_vec3_add(from, to)), cps_quat_z_to(cps_vec3_unit(along))};
}

static CpsVec3 mix(CpsVec3 a, CpsVec3 b, double t) {
  return cps_vec3_axpy(cps_vec3_scale(1.0 - t, a), t, b);
}

// Velocity of a piece, the mean of its ends before and free, and how far these are from it. Velocities at the joints are
// interpolated; a tenth of their difference is for what an element does in between.
static void move_piece(const CpsFibre* f, int32_t b, CpsFibrePiece* piece, double h) {
  const CpsRodBranch* branch = &f->rod.spec.branch[b];
  const CpsVec3* joint[2] = {f->joint[0] + branch->first_element + b, f->joint[1] + branch->first_element + b};
  CpsVec3 end[4], mean = {0.0, 0.0, 0.0};
  double size = branch->length / branch->elements, bulge = 0.0, apart = 0.0;
  for (int k = 0; k < 4; ++k) {
    double at = (piece->arc[k & 1] - branch->start) / size;
    int32_t i = (int32_t)fmin(fmax(at, 0.0), branch->elements - 1);
    const CpsVec3* v = joint[k >> 1] + i;
    end[k] = mix(v[0], v[1], fmin(fmax(at - i, 0.0), 1.0));
    bulge = fmax(bulge, 0.1 * cps_vec3_norm(cps_vec3_sub(v[1], v[0])));
    mean = cps_vec3_axpy(mean, 0.25, end[k]);
  }
  for (int k = 0; k < 4; ++k) apart = fmax(apart, cps_vec3_norm(cps_vec3_sub(end[k], mean)));
  piece->velocity = mean;
  piece->reach = h * (apart + bulge);
}

static void place(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsFibres* fibres = (CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    CpsFibrePiece* piece = f->pieces;
    for (int32_t b = 0; f->there && f->piece_count > 0 && b < f->rod.spec.branch_count; ++b) {
      int32_t n = f->branch_pieces[b];
      spread(f, b, piece);
      CpsVec3 from = f->rod.type->at(&f->rod, piece[0].arc[0]).position;
      for (int32_t k = 0; k < n; ++k, ++piece) {
        CpsVec3 to = f->rod.type->at(&f->rod, piece->arc[1]).position;
        place_piece(f, piece, from, to);
        move_piece(f, b, piece, step->h);
        piece->joined = (uint8_t)((k > 0 ? 1 : 0) | (k + 1 < n ? 2 : 0));
        from = to;
      }
    }
  }
}

void cps_fibre_follow(CpsFibre* f) {
  for (int32_t k = 0; f->there && k < f->piece_count; ++k) {
    CpsFibrePiece* p = &f->pieces[k];
    p->to[0] = (p->joined & 1) != 0 ? p[-1].to[1] : f->rod.type->at(&f->rod, p->arc[0]).position;
    p->to[1] = f->rod.type->at(&f->rod, p->arc[1]).position;
  }
}

static int32_t collider_count(const CpsModel* model) {
  return ((const CpsFibres*)model)->piece_count;
}

static void colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  (void)step;
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    for (int32_t k = 0; f->there && k < f->piece_count; ++k) {
      const CpsFibrePiece* piece = &f->pieces[k];
      *out++ = (CpsCollider){.geom = &piece->geom,
                             .pose = piece->pose,
                             .reach = piece->reach,
                             .velocity = piece->velocity,
                             .key = CPS_KEY_FIBRE | cps_key(i, f->generation, k),
                             .owner = first_owner + i,
                             .group = f->group,
                             .arc = {piece->arc[0], piece->arc[1]},
                             .self_distance = f->self_distance,
                             .joined = piece->joined};
    }
  }
}

static CpsSurface surface(const CpsModel* model, int32_t body, const CpsSpot* spot) {
  (void)spot;
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  return (CpsSurface){f->generation, f->material, f->mu, f->restitution, NAN, {1.0, 0.0, 0.0}};
}

static void rows(const CpsModel* model, int32_t body, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  rod->type->rows(rod, spot->arc, frame, sign, G);
}

static CpsVec3 velocity(const CpsModel* model, int32_t body, const CpsSpot* spot, CpsVelocity which) {
  const CpsRod* rod = &((const CpsFibres*)model)->fibres[body].rod;
  return rod->type->velocity(rod, spot->arc, which);
}

static void receive(CpsModel* model, int32_t body, const double* z) {
  CpsFibre* f = &((CpsFibres*)model)->fibres[body];
  if (f->there) f->rod.type->receive(&f->rod, z);
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
    f->rod.type->advance(&f->rod, step);
    end_step(&f->rod.root);
    end_step(&f->rod.tip);
    f->moved = true;
    f->broken = !is_finite(f->rod.state, f->rod.state_count);
    if (!f->broken) f->rod.type->refresh(&f->rod);
    find_change(f, 1.0 / step->h, f->then, f->acceleration);
    f->broken = f->broken || !has_place(f);
  }
}

static void shift(CpsModel* model, int32_t body, const double* z) {
  CpsRod* rod = &((CpsFibres*)model)->fibres[body].rod;
  rod->type->shift(rod, z);
  rod->type->refresh(rod);
}

static void slow(CpsModel* model, int32_t body, double factor) {
  CpsRod* rod = &((CpsFibres*)model)->fibres[body].rod;
  rod->type->slow(rod, factor);
}

// What a fibre loses is found by the world as what is left over (capstan/world.h).
static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  (void)stepped;
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    CpsRodEnergy e = {0};
    if (!f->there) continue;
    f->rod.type->energy(&f->rod, f->rod.spec.gravity ? step->gravity : cps_vec3(0.0, 0.0, 0.0), &e);
    out->kinetic += e.kinetic;
    out->potential += e.gravity;
    out->elastic += e.elastic;
  }
}

static void momentum(const CpsModel* model, CpsVec3* linear, CpsVec3* angular) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    CpsVec3 p, L;
    if (!f->there) continue;
    f->rod.type->momentum(&f->rod, &p, &L);
    *linear = cps_vec3_add(*linear, p);
    *angular = cps_vec3_add(*angular, L);
  }
}

static double reach(const CpsModel* model, CpsVec3 from) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  double far = 0.0;
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    for (int32_t k = 0; f->there && k < f->piece_count; ++k) {
      const CpsFibrePiece* p = &f->pieces[k];
      far = fmax(far, cps_vec3_norm(cps_vec3_sub(p->pose.position, from)) + p->geom.outer_radius);
    }
  }
  return far;
}

static uint64_t hash(const CpsModel* model, uint64_t hash) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsRod* rod = &fibres->fibres[i].rod;
    if (fibres->fibres[i].there) hash = cps_hash_bytes(hash, rod->state, (size_t)rod->state_count * sizeof(double));
  }
  return hash;
}

// What changes in time beside the state of the rod, per place.
typedef struct Saved {
  uint32_t generation, there, moved, padding;
  CpsRodEnd root, tip;
  CpsEndMove moves[2];
} Saved;

static size_t state_size(const CpsModel* model) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  size_t size = 0;
  for (int32_t i = 0; i < fibres->count; ++i) {
    size += sizeof(Saved) + (size_t)fibres->fibres[i].rod.state_count * sizeof(double);
  }
  return size;
}

static void save(const CpsModel* model, void* bytes) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  char* at = bytes;
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    Saved saved = {f->generation, f->there, f->moved, 0, f->rod.root, f->rod.tip, {f->moves[0], f->moves[1]}};
    memcpy(at, &saved, sizeof saved);
    at += sizeof saved;
    if (f->rod.state_count > 0) memcpy(at, f->rod.state, (size_t)f->rod.state_count * sizeof(double));
    at += (size_t)f->rod.state_count * sizeof(double);
  }
}

// The same for doubles at any place in memory.
static bool are_finite(const char* doubles, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    double x;
    memcpy(&x, doubles + i * (int64_t)sizeof x, sizeof x);
    if (!isfinite(x)) return false;
  }
  return true;
}

// Whether an end that was taken over has a time and places to be.
static bool is_move(const CpsEndMove* m) {
  if (m->taken == 0.0) return true;
  return m->taken == 1.0 && m->until > m->from && fabs(cps_quat_norm(m->start.rotation) - 1.0) < 1e-6 &&
         fabs(cps_quat_norm(m->end.rotation) - 1.0) < 1e-6;
}

static CpsStatus check(const CpsModel* model, const void* bytes, size_t size, CpsError* error) {
  const CpsFibres* fibres = (const CpsFibres*)model;
  const char* at = bytes;
  if (size != state_size(model)) return cps_fail(error, CPS_BAD_FORMAT, "the state is of other fibres");
  for (int32_t i = 0; i < fibres->count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    Saved saved;
    memcpy(&saved, at, sizeof saved);
    at += sizeof saved;
    if (saved.there != (uint32_t)f->there || saved.generation != f->generation) {
      return cps_fail(error, CPS_BAD_DATA, "the state is of other fibres: fibre %d was added or removed in between",
                      (int)i);
    }
    int64_t numbers = (int64_t)((sizeof saved - offsetof(Saved, root)) / sizeof(double));
    if (!are_finite((const char*)&saved.root, numbers) || !is_move(&saved.moves[0]) || !is_move(&saved.moves[1]) ||
        !are_finite(at, f->rod.state_count)) {
      return cps_fail(error, CPS_BAD_DATA, "the state of fibre %d is not finite", (int)i);
    }
    at += (size_t)f->rod.state_count * sizeof(double);
  }
  return CPS_OK;
}

static void load(CpsModel* model, const void* bytes) {
  CpsFibres* fibres = (CpsFibres*)model;
  const char* at = bytes;
  for (int32_t i = 0; i < fibres->count; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    Saved saved;
    memcpy(&saved, at, sizeof saved);
    at += sizeof saved;
    f->moved = saved.moved;
    f->rod.root = saved.root;
    f->rod.tip = saved.tip;
    memcpy(f->moves, saved.moves, sizeof f->moves);
    if (f->rod.state_count > 0) memcpy(f->rod.state, at, (size_t)f->rod.state_count * sizeof(double));
    at += (size_t)f->rod.state_count * sizeof(double);
    if (f->there) f->rod.type->refresh(&f->rod);
  }
}

static const CpsModelType FIBRES = {
    .name = "fibres",
    .destroy = destroy,
    .body_count = body_count,
    .body_dofs = body_dofs,
    .begin = begin,
    .broken = broken,
    .collider_count = collider_count,
    .place = place,
    .colliders = colliders,
    .surface = surface,
    .rows = rows,
    .velocity = velocity,
    .receive = receive,
    .advance = advance,
    .shift = shift,
    .slow = slow,
    .energy = energy,
    .momentum = momentum,
    .reach = reach,
    .hash = hash,
    .state_size = state_size,
    .save = save,
    .check = check,
    .load = load,
};
