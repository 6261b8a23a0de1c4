// Momentum and angular momentum of free rods whose points are not unknowns.
//
// The velocities w of the points of such a rod are found at the old position x. The points keep them while they move to y along
// curves. The step conserves sum w and sum x × w up to forces and impulses; the motion does not, because points do not move
// by h w. A spinning rod would drift off its straight line, lose part of its rotation to the chord in each step, and leave
// its plane of rotation. The motion is therefore corrected first, as in a variational integrator (Moser and Veselov 1991). With P and L the
// momentum and the moment about the centre of mass c,
//
//   c+ - c = h P / m                                                                                                  (1)
//   sum (x - c) × (y - c+) = h L          solved for a turn of y about c+                                             (2)
//
// with P and L at theta of the step. Then a rigid spin at x gives the velocities the angular momentum required at y:
//
//   sum (y - c+) × (w + s × (x - c)) = L+                                                                             (3)
//
// If the rod keeps its shape, (2) and (3) are the discrete motion of a free rigid body, which neither gains nor loses energy in the long
// run, even if the inertia about one axis is very small. Without (2), a spin a about the axis of least inertia I grew by the factor
// 1 + (h w)^2 J / I in each step, with J the inertia and w the spin about a transverse axis.
//
// The energy R added by (3) is removed by the next step, which projects w on the motions of the rod at y: a^2 T of a kinetic
// energy T if the rod turns by a. A very limp rod folds within a few steps, before this energy is removed. The account
//
//   lent+ = max(0, lent + R - lost),   lost: by the scheme in this step                                               (4)
//
// is therefore limited to LENT a^2 T. Any excess is taken from the non-rigid motion; if that is too small, it is taken from
// all motion about the centre of mass: angular momentum is lost then, but no energy is created. This happens to a limp rod that spins
// fast: as it folds, its least inertia becomes small and it turns far in a step. A step is therefore too long for a rod, and is halved
// (world/judge.c), if its points turn by more than TURN,
//
//   a = h |w| sqrt(T of points / T)                                                                                   (5)
//
// (a straight rod may roll about its axis at any speed), or if angular momentum would be lost.
//
// Rods that are held take their moments from the hold.
#include "model/fibres.h"

#include <math.h>

enum {
  POINTS = 3,
  ROUNDS = 2,
  TURNS = 6,
  PAYMENTS = 3
};  // of Gauss's rule; of (3), whose sums differ a little; of (2); of (4)
static const double NODE[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double WEIGHT[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

// Beyond this rotation, rad, no step of this length can follow the rod.
static const double MOST_TURN = 0.5;
// A step in which a rod rotates by more than this is too long for it, rad.
static const double TURN = 0.03;
// A point that moves this many times farther than its velocity allows has gone astray, except below that fraction of the rod's length.
static const double ASTRAY = 2.0, LEAST_WAY = 1e-3;
// The limit of (4), twice the need of a rigid rod; its maximum as a fraction of the rotational energy; and the end of the payments.
static const double LENT = 2.0, MOST = 0.05, NEAR = 1.5;

// Masses are lumped at points, or spread over elements and summed up by Gauss's rule.
typedef struct Mass {
  double s, m;
} Mass;

static int32_t mass_count(const CpsRod* rod, int32_t b) {
  const int32_t elements = rod->spec.branch[b].elements;
  return rod->type->push ? POINTS * elements : elements + 1;
}

static Mass mass_of(const CpsRod* rod, int32_t b, int32_t i) {
  const CpsRodBranch* branch = &rod->spec.branch[b];
  if (rod->type->push) {
    const int32_t element = i / POINTS;
    const double size = cps_rod_element_size(branch, element), mass = branch->line_density * size;
    const double own = b == 0 ? mass * cps_rod_element_taper(&rod->spec, element, 2) : mass;
    return (Mass){branch->start + cps_rod_element_start(branch, element) + size * NODE[i % POINTS],
                  own * WEIGHT[i % POINTS]};
  }
  const double equal = branch->length / branch->elements;
  const double before = i > 0 ? cps_rod_element_taper(&rod->spec, i - 1, 2) : 0.0;
  const double after = i < branch->elements ? cps_rod_element_taper(&rod->spec, i, 2) : 0.0;
  return (Mass){branch->start + equal * i, 0.5 * branch->line_density * equal * (before + after)};
}

static void add_mass(double w, CpsVec3 x, CpsVec3* first, CpsMat3* second) {
  CpsMat3 square = cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity());
  *first = cps_vec3_axpy(*first, w, x);
  *second = cps_mat3_axpy(*second, w, cps_mat3_axpy(square, -1.0, cps_mat3_outer(x, x)));
}

// Inertia of the sections about the tangent of the root, at least the value that models keep for massless sections.
static double polar_inertia(const CpsRod* rod) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  double polar = trunk->rotary[0] * cps_rod_trunk_taper(&rod->spec, 4);
  double least = 1e-10 * trunk->line_density * trunk->length * trunk->length * trunk->length;
  return fmax(polar * trunk->length, least);
}

static CpsVec3 root_tangent(const CpsRod* rod) {
  const CpsMat3 R = rod->type->at(rod, 0.0).frame;
  return cps_vec3(R.m[0], R.m[3], R.m[6]);
}

void cps_fibre_inertia(const CpsFibre* f, CpsVec3* first, CpsMat3* second) {
  const CpsRod* rod = &f->rod;
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    for (int32_t i = 0; i < mass_count(rod, b); ++i) {
      const Mass mass = mass_of(rod, b, i);
      add_mass(mass.m, rod->type->at(rod, mass.s).position, first, second);
    }
  }
  const CpsVec3 t = root_tangent(rod);
  *second = cps_mat3_axpy(*second, polar_inertia(rod), cps_mat3_outer(t, t));
}

void cps_fibres_inertia(const CpsModel* model, int32_t body, CpsVec3* first, CpsMat3* second) {
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  if (f->there) cps_fibre_inertia(f, first, second);
}

// Solves A x = b; zero if A is singular.
static CpsVec3 solve(const CpsMat3* A, CpsVec3 b) {
  const CpsMat3 T = cps_mat3_transposed(*A);
  CpsVec3 p = cps_vec3_get(T.m), q = cps_vec3_get(T.m + 3), r = cps_vec3_get(T.m + 6), qr = cps_vec3_cross(q, r);
  double det = cps_vec3_dot(p, qr);
  if (!(det > 0.0)) return cps_vec3(0.0, 0.0, 0.0);
  return cps_vec3_scale(1.0 / det, cps_vec3(cps_vec3_dot(b, qr), cps_vec3_dot(b, cps_vec3_cross(r, p)),
                                            cps_vec3_dot(b, cps_vec3_cross(p, q))));
}

// Sums over the masses m of a rod that moved from x, with velocities w, to y.
typedef struct Move {
  CpsVec3 x, y;     // centres of mass
  CpsMat3 xx, xy;   // sum m (x - c) (x - c)^T, sum m (x - c) (y - c+)^T
  CpsVec3 angular;  // sum m (x - c) × w
} Move;

static Move find_move(const CpsRod* rod, double total) {
  Move sum = {0};
  CpsVec3 linear = {0.0, 0.0, 0.0};
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    for (int32_t i = 0; i < mass_count(rod, b); ++i) {
      const Mass mass = mass_of(rod, b, i);
      const CpsRodMotion then = rod->type->motion(rod, mass.s, CPS_VELOCITY_AFTER);
      const CpsVec3 y = rod->type->at(rod, mass.s).position;
      sum.x = cps_vec3_axpy(sum.x, mass.m, then.position);
      sum.y = cps_vec3_axpy(sum.y, mass.m, y);
      linear = cps_vec3_axpy(linear, mass.m, then.velocity);
      sum.xx = cps_mat3_axpy(sum.xx, mass.m, cps_mat3_outer(then.position, then.position));
      sum.xy = cps_mat3_axpy(sum.xy, mass.m, cps_mat3_outer(then.position, y));
      sum.angular = cps_vec3_axpy(sum.angular, mass.m, cps_vec3_cross(then.position, then.velocity));
    }
  }
  sum.x = cps_vec3_scale(1.0 / total, sum.x);
  sum.y = cps_vec3_scale(1.0 / total, sum.y);
  sum.xx = cps_mat3_axpy(sum.xx, -total, cps_mat3_outer(sum.x, sum.x));
  sum.xy = cps_mat3_axpy(sum.xy, -total, cps_mat3_outer(sum.x, sum.y));
  sum.angular = cps_vec3_sub(sum.angular, cps_vec3_cross(sum.x, linear));
  return sum;
}

// sum a × b of a sum of a b^T
static CpsVec3 cross_of(const CpsMat3* A) {
  return cps_vec3(A->m[5] - A->m[7], A->m[6] - A->m[2], A->m[1] - A->m[3]);
}

static double trace(const CpsMat3* A) {
  return A->m[0] + A->m[4] + A->m[8];
}

// trace A - A
static CpsMat3 inertia_of(CpsMat3 A) {
  return cps_mat3_axpy(cps_mat3_scale(trace(&A), cps_mat3_identity()), -1.0, A);
}

// (2) by Newton's method. The sections have already turned about the tangent t of the root; only the excess rotation about it counts.
static CpsQuat find_turn(const Move* move, double polar, CpsVec3 t, CpsVec3 moment) {
  CpsQuat turn = {1.0, 0.0, 0.0, 0.0};
  CpsVec3 all = {0.0, 0.0, 0.0};
  for (int i = 0; i < TURNS; ++i) {
    const CpsMat3 R = cps_quat_matrix(turn), A = cps_mat3_multiply(move->xy, cps_mat3_transposed(R));
    CpsVec3 f = cps_vec3_sub(moment, cross_of(&A));
    f = cps_vec3_axpy(f, -polar * cps_vec3_dot(all, t), t);
    const CpsMat3 K = cps_mat3_axpy(inertia_of(cps_mat3_transposed(A)), polar, cps_mat3_outer(t, t));
    const CpsVec3 p = solve(&K, f);
    all = cps_vec3_add(all, p);
    turn = cps_quat_unit(cps_quat_multiply(cps_quat_exp(p), turn));
  }
  return cps_vec3_norm(all) <= MOST_TURN ? turn : (CpsQuat){1.0, 0.0, 0.0, 0.0};
}

// Whether a point moved farther from the centre of mass than the velocities before and after the step allow; `old` and `new` are those of the
// centre. The elements have then turned so far that velocities along arcs are meaningless.
static bool went_astray(const CpsFibre* f, const Move* move, double h, CpsVec3 old, CpsVec3 new) {
  const CpsRod* rod = &f->rod;
  double fast = 0.0, far = 0.0;
  const int32_t joints = rod->spec.elements + rod->spec.branch_count;
  for (int32_t j = 0; j < joints; ++j) fast = fmax(fast, cps_vec3_norm(cps_vec3_sub(f->joint[0][j], old)));
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    for (int32_t i = 0; i < mass_count(rod, b); ++i) {
      const double s = mass_of(rod, b, i).s;
      const CpsRodMotion then = rod->type->motion(rod, s, CPS_VELOCITY_AFTER);
      const CpsVec3 y = cps_vec3_sub(rod->type->at(rod, s).position, move->y);
      far = fmax(far, cps_vec3_norm(cps_vec3_sub(y, cps_vec3_sub(then.position, move->x))));
      fast = fmax(fast, cps_vec3_norm(cps_vec3_sub(then.velocity, new)));
    }
  }
  return far > ASTRAY * h * fast && far > LEAST_WAY * rod->spec.branch[0].length;
}

bool cps_fibre_is_free(const CpsFibre* f) {
  return f->rod.type->push && f->rod.spec.root == CPS_END_FREE && f->rod.spec.tip == CPS_END_FREE;
}

static double kinetic(const CpsRod* rod) {
  CpsRodEnergy e;
  rod->type->energy(rod, cps_vec3(0.0, 0.0, 0.0), &e);
  return e.kinetic;
}

// A rigid spin that gives the rod its angular momentum `target` in place without changing its momentum P.
static void give_spin(CpsRod* rod, double mass, const CpsMat3* K, CpsVec3 centre, CpsVec3 P, CpsVec3 target) {
  CpsVec3 p, L, none = {0.0, 0.0, 0.0};
  for (int round = 0; round < ROUNDS; ++round) {
    rod->type->momentum(rod, &p, &L);
    const CpsVec3 spin = solve(K, cps_vec3_sub(target, L));
    rod->type->push(rod, cps_vec3_cross(centre, spin), spin);
    rod->type->momentum(rod, &p, &L);
    rod->type->push(rod, cps_vec3_scale(1.0 / mass, cps_vec3_sub(P, p)), none);
  }
}

// Motion of a rod about its centre of mass at the beginning of the step, as if it were rigid.
typedef struct Spin {
  CpsVec3 L, w;        // angular momentum, spin
  double turning;      // energy
  double angle, most;  // (5); in the whole step, if this one is a part of it, but at most the limit
} Spin;

static Spin find_spin(const CpsModelStep* step, const CpsFree* before, const Move* move, double polar, CpsVec3 t) {
  const CpsMat3 points = inertia_of(move->xx), I = cps_mat3_axpy(points, polar, cps_mat3_outer(t, t));
  Spin s = {.L = cps_vec3_sub(before->angular, cps_vec3_cross(move->x, before->linear))};
  s.w = solve(&I, s.L);
  s.turning = 0.5 * cps_vec3_dot(s.w, s.L);
  const double moved = 0.5 * cps_vec3_dot(s.w, cps_mat3_apply(points, s.w)),
               rate = s.turning > 0.0 ? cps_vec3_norm(s.w) * sqrt(fmax(moved / s.turning, 0.0)) : 0.0;
  s.angle = step->h * rate;
  s.most = fmax(s.angle, fmin(step->whole * rate, TURN));
  return s;
}

// (4): removes the energy above the limit.
static void pay_back(CpsFibre* f, const CpsFree* before, const Move* move, const Spin* s, const CpsMat3* K,
                     CpsVec3 target) {
  CpsRod* rod = &f->rod;
  const CpsVec3 v = cps_vec3_scale(1.0 / f->mass, before->linear);
  const CpsRigidMotion rigid = {cps_vec3_sub(v, cps_vec3_cross(s->w, move->x)), s->w}, only = {v, {0.0, 0.0, 0.0}},
                       none = {0};
  const double linear = 0.5 * f->mass * cps_vec3_dot(v, v), limit = fmin(LENT * s->most * s->most, MOST) * s->turning;
  const double due = f->lent - before->kinetic - fmax(before->lost, 0.0);
  double now = kinetic(rod);
  for (int round = 0; round < PAYMENTS && due + now > limit; ++round) {
    const double inner = now - linear - s->turning, pay = due + now - limit;
    if (!(pay < inner)) break;
    rod->type->slow(rod, sqrt(1.0 - pay / inner), &rigid, &none);
    give_spin(rod, f->mass, K, move->x, before->linear, target);
    now = kinetic(rod);
  }
  if (due + now > NEAR * limit && now > linear) {
    rod->type->slow(rod, sqrt(fmax(1.0 - (due + now - limit) / (now - linear), 0.0)), &only, &none);
    now = kinetic(rod);
    f->hasty = true;
  }
  f->lent = fmax(due + now, 0.0);
}

void cps_fibre_keep_free(CpsFibre* f, const CpsModelStep* step, const CpsFree* before) {
  CpsRod* rod = &f->rod;
  Move move = find_move(rod, f->mass);
  const bool astray = went_astray(f, &move, step->h, f->velocity, cps_vec3_scale(1.0 / f->mass, before->linear));
  // (1)
  const double late = 1.0 - step->theta;
  const CpsVec3 mean = cps_vec3_axpy(cps_vec3_scale(step->theta / f->mass, before->linear), late, f->velocity);
  const CpsVec3 to = cps_vec3_axpy(move.x, step->h, mean);
  // (2) for points; the section inertia has its own motion
  const double polar = polar_inertia(rod);
  const CpsVec3 t = root_tangent(rod);
  const Spin spin = find_spin(step, before, &move, polar, t);
  const CpsVec3 was = cps_vec3_sub(f->turning, cps_vec3_cross(move.x, cps_vec3_scale(f->mass, f->velocity)));
  const CpsVec3 moment = cps_vec3_scale(step->h, cps_vec3_axpy(move.angular, late, cps_vec3_sub(was, spin.L)));
  const CpsQuat turn = find_turn(&move, polar, t, moment);
  const CpsPose by = {cps_vec3_sub(to, cps_quat_rotate(turn, move.y)), turn};
  rod->type->carry(rod, &by);
  rod->type->refresh(rod);
  // (3)
  const CpsMat3 turned = cps_mat3_multiply(move.xy, cps_mat3_transposed(cps_quat_matrix(turn)));
  const CpsMat3 K = cps_mat3_axpy(inertia_of(turned), polar, cps_mat3_outer(cps_quat_rotate(turn, t), t));
  const CpsVec3 target = cps_vec3_add(spin.L, cps_vec3_cross(to, before->linear));
  give_spin(rod, f->mass, &K, move.x, before->linear, target);
  f->hasty = spin.angle > TURN || astray;
  pay_back(f, before, &move, &spin, &K, target);
}
