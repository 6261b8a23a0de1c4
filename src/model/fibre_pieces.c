// The pieces of a fibre: a chain of capsules whose ends lie on the centreline.
//
// A piece of length l deviates from a centreline of curvature k by k l^2 / 8. Super-models distribute their joints so that
// this deviation is initially the same for all pieces: equal steps of
//
//   W(s) = int sqrt(k(s) + 2 / L) ds,                                                                               (1)
//
// with k the bending at the middle of each element. The joints then keep their places on the fibre: recutting the pieces in
// each step could move them to the other side of a thin obstacle without any motion. Point models are straight between joints; their pieces end there.
#include "geometry/pairs.h"
#include "model/fibres.h"

#include <math.h>

enum { LEAST_PIECES = 24, LEAST_BRANCH_PIECES = 4 };

static bool is_polygon(const CpsFibre* f) {
  return f->model >= CPS_ROD_MASS_SPRING;
}

int32_t cps_fibre_count_pieces(CpsFibre* f, int32_t asked) {
  int32_t sum = 0;
  if (!(f->radius > 0.0)) return 0;
  for (int32_t b = 0; b < f->rod.spec.branch_count; ++b) {
    int32_t elements = f->rod.spec.branch[b].elements, least = b == 0 ? LEAST_PIECES : LEAST_BRANCH_PIECES;
    int32_t n = 2 * elements > least ? 2 * elements : least;
    if (b == 0 && asked > 0) n = asked;
    if (is_polygon(f)) {
      // a root segment without contact also ends at a joint and is at least as long as requested
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
  g->both_sides = true;
  g->radius = g->inner_radius = radius;
  g->half_length = h;
  g->outer_radius = radius + h;
  g->bounds = (CpsAabb){{-radius, -radius, -radius - h}, {radius, radius, radius + h}};
}

// (1): arc lengths of the piece ends of a branch, in pieces[k].arc.
static void spread(const CpsFibre* f, int32_t b, CpsLinePiece* pieces) {
  const CpsRodBranch* branch = &f->rod.spec.branch[b];
  int32_t n = f->branch_pieces[b];
  double from = b == 0 ? f->contact_start : 0.0, total = 0.0;
  bool even = is_polygon(f);
  for (int32_t i = 0; !even && i < branch->elements; ++i) {
    const double size = cps_rod_element_size(branch, i), start = cps_rod_element_start(branch, i);
    CpsVec3 k = f->rod.type->at(&f->rod, branch->start + start + 0.5 * size).curvature;
    f->weight[i] = sqrt(hypot(k.y, k.z) + 2.0 / branch->length);
    double part = size - fmin(fmax(from - start, 0.0), size);
    total += f->weight[i] * part;
  }
  double done = 0.0, at = from;
  int32_t element = even ? 0 : cps_rod_element_at(branch, from);
  for (int32_t k = 0; k < n; ++k) {
    pieces[k].arc[0] = branch->start + at;
    if (even) {
      at = from + (branch->length - from) * (k + 1) / n;
    } else {
      double goal = total * (k + 1) / n;
      while (element + 1 < branch->elements) {
        const double end = cps_rod_element_start(branch, element + 1), part = f->weight[element] * (end - at);
        if (!(done + part < goal)) break;
        done += part;
        at = end;
        element++;
      }
      at += (goal - done) / f->weight[element];
      done = goal;
    }
    // the arc length of the tip itself is that of the next branch's root
    pieces[k].arc[1] = k + 1 == n ? cps_fibre_joint_at(&f->rod.spec, b, branch->elements) : branch->start + at;
  }
}

void cps_fibre_spread(CpsFibre* f) {
  CpsLinePiece* piece = f->pieces;
  for (int32_t b = 0; f->piece_count > 0 && b < f->rod.spec.branch_count; ++b) {
    spread(f, b, piece);
    piece += f->branch_pieces[b];
  }
}

static void place_piece(CpsFibre* f, int32_t b, CpsLinePiece* piece, CpsVec3 from, CpsVec3 to) {
  CpsVec3 along = cps_vec3_sub(to, from);
  // a tapered fibre is a row of cylinders, each as thick as the fibre at its middle
  const double trunk = f->radius * cps_rod_taper(&f->rod.spec, 0.5 * (piece->arc[0] + piece->arc[1]));
  const double radius = b > 0 && f->thick_as_drawn ? f->rod.spec.branch[b].radius : trunk;
  set_geom(&piece->geom, radius, cps_vec3_norm(along));
  piece->from[0] = from;
  piece->from[1] = to;
  piece->pose = (CpsPose){cps_vec3_scale(0.5, cps_vec3_add(from, to)), cps_quat_z_to(cps_vec3_unit(along))};
}

static CpsVec3 mix(CpsVec3 a, CpsVec3 b, double t) {
  return cps_vec3_axpy(cps_vec3_scale(1.0 - t, a), t, b);
}

// Velocity of a piece: the mean of its ends, before and free, and their distance from it. Velocities at the joints are
// interpolated; a tenth of their difference accounts for the motion inside an element.
static void move_piece(const CpsFibre* f, int32_t b, CpsLinePiece* piece, double h) {
  const CpsRodBranch* branch = &f->rod.spec.branch[b];
  const CpsVec3* joint[2] = {f->joint[0] + branch->first_element + b, f->joint[1] + branch->first_element + b};
  CpsVec3 end[4], mean = {0.0, 0.0, 0.0};
  double bulge = 0.0, apart = 0.0;
  for (int k = 0; k < 4; ++k) {
    const double from = fmax(piece->arc[k & 1] - branch->start, 0.0);
    const int32_t i = cps_rod_element_at(branch, from);
    const double at = (from - cps_rod_element_start(branch, i)) / cps_rod_element_size(branch, i);
    const CpsVec3* v = joint[k >> 1] + i;
    end[k] = mix(v[0], v[1], fmin(fmax(at, 0.0), 1.0));
    bulge = fmax(bulge, 0.1 * cps_vec3_norm(cps_vec3_sub(v[1], v[0])));
    mean = cps_vec3_axpy(mean, 0.25, end[k]);
  }
  for (int k = 0; k < 4; ++k) apart = fmax(apart, cps_vec3_norm(cps_vec3_sub(end[k], mean)));
  piece->velocity = mean;
  piece->reach = h * (apart + bulge);
}

void cps_fibres_place(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsFibres* fibres = (CpsFibres*)model;
  for (int32_t i = first; i < last; ++i) {
    CpsFibre* f = &fibres->fibres[i];
    CpsLinePiece* piece = f->pieces;
    for (int32_t b = 0; f->there && f->piece_count > 0 && b < f->rod.spec.branch_count; ++b) {
      int32_t n = f->branch_pieces[b];
      CpsVec3 from = f->rod.type->at(&f->rod, piece[0].arc[0]).position;
      for (int32_t k = 0; k < n; ++k, ++piece) {
        CpsVec3 to = f->rod.type->at(&f->rod, piece->arc[1]).position;
        place_piece(f, b, piece, from, to);
        move_piece(f, b, piece, step->h);
        piece->joined = (uint8_t)((k > 0 ? 1 : 0) | (k + 1 < n ? 2 : 0));
        from = to;
      }
    }
  }
}

void cps_fibre_follow(CpsFibre* f) {
  for (int32_t k = 0; f->there && k < f->piece_count; ++k) {
    CpsLinePiece* p = &f->pieces[k];
    p->to[0] = (p->joined & 1) != 0 ? p[-1].to[1] : f->rod.type->at(&f->rod, p->arc[0]).position;
    p->to[1] = f->rod.type->at(&f->rod, p->arc[1]).position;
  }
}

int32_t cps_fibres_collider_count(const CpsModel* model) {
  return ((const CpsFibres*)model)->piece_count;
}

void cps_fibres_colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  (void)step;
  const CpsFibres* fibres = (const CpsFibres*)model;
  for (int32_t i = 0; i < fibres->model.count; ++i) {
    const CpsFibre* f = &fibres->fibres[i];
    for (int32_t k = 0; f->there && k < f->piece_count; ++k) {
      const CpsLinePiece* piece = &f->pieces[k];
      *out++ = (CpsCollider){.geom = &piece->geom,
                             .pose = piece->pose,
                             .reach = piece->reach,
                             .velocity = piece->velocity,
                             .key = cps_key(CPS_THING_FIBRE, i, f->generation, k),
                             .owner = first_owner + i,
                             .group = f->group,
                             .arc = {piece->arc[0], piece->arc[1]},
                             .self_distance = f->self_distance,
                             .joined = piece->joined};
    }
  }
}
