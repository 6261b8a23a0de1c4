// Momentum and angular momentum of free rods whose points are no unknowns.
//
// The velocities w of the points of such a rod are found where it was, x, and stay with the points while they move to x+
// along curves. The step keeps sum w and sum x × w but for forces and impulses; the move does not follow them, as points do
// not go by h w:
//
//   centre of mass    c+ - c = h (theta V+ + (1 - theta) V) + O(h^2)                                               (1)
//   moment about it   sum (x+ - c+) × w - sum (x - c) × w = sum (x+ - c+ - x + c) × w = O(h^2)                     (2)
//
// so that a spinning rod would drift off its straight line, and lose in each step what its turning leaves in the chord. The
// rod is carried to where (1) holds without the last term, and a rigid motion, I^-1 times (2) about the centre of mass, gives it
// its angular momentum back. Rods that something holds have their moments from there.
//
// A rod that is nearly straight has almost no inertia about itself, and (2) has a part along it: its tangent, turned by the spin s about
// itself and w across itself, leaves the plane across w by h^2 s w. To give that back as a spin about itself would multiply s by
// 1 + (h w)^2 J / I in each step, J / I = L^2 / 6 r^2 the ratio of inertias: energy from nothing. It is the place that is wrong there and not the
// velocity. With S = sum x x^T = (tr I) / 2 - I, a turn p of all points that leaves their velocities w × x alone changes the moment by S (p × w), most of all
// where I is least. So b of (2) is split by the inertia,
//
//   spin = (I I + e^2)^-1 I b,   turn = w × u / w.w,   u = e^2 (I I + e^2)^-1 b / (tr I / 2),   e = FAINT tr I          (3)
#include "model/fibres.h"

#include <math.h>

enum { POINTS = 3, ROUNDS = 4 };  // rounds: (3) leaves (e / I)^2 of b, 1e-4 across a straight rod
static const double NODE[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double WEIGHT[POINTS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

// Of the trace of the inertia: a direction with less is one without.
static const double FAINT = 0.005;
// The most that a rod is turned, rad: farther it would leave its contacts.
static const double MOST_TURN = 1e-3;
// Likewise, of the angle by which it turns in the step.
static const double LARGE = 0.1;
// Part of the energy of a rod that a spin may change.
static const double MOST = 0.05;

static void add_mass(double w, CpsVec3 x, CpsVec3* first, CpsMat3* second) {
  CpsMat3 square = cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity());
  *first = cps_vec3_axpy(*first, w, x);
  *second = cps_mat3_axpy(*second, w, cps_mat3_axpy(square, -1.0, cps_mat3_outer(x, x)));
}

// Masses are lumped at points, or spread over elements and summed up by Gauss's rule.
static void add_rod(const CpsRod* rod, CpsVec3* first, CpsMat3* second) {
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    const double equal = branch->length / branch->elements;
    const bool trunk = b == 0;
    for (int32_t i = 0; rod->type->push && i < POINTS * branch->elements; ++i) {
      const int32_t element = i / POINTS;
      const double size = cps_rod_element_size(branch, element), mass = branch->line_density * size;
      const double at = branch->joint ? branch->joint[element] : size * element;
      double s = branch->start + at + size * NODE[i % POINTS];
      double own = trunk ? mass * cps_rod_element_taper(&rod->spec, element, 2) : mass;
      add_mass(own * WEIGHT[i % POINTS], rod->type->at(rod, s).position, first, second);
    }
    for (int32_t i = 0; !rod->type->push && i <= branch->elements; ++i) {
      double before = i > 0 ? cps_rod_element_taper(&rod->spec, i - 1, 2) : 0.0;
      double after = i < branch->elements ? cps_rod_element_taper(&rod->spec, i, 2) : 0.0;
      add_mass(0.5 * branch->line_density * equal * (before + after),
               rod->type->at(rod, branch->start + equal * i).position, first, second);
    }
  }
  const CpsMat3 R = rod->type->at(rod, 0.0).frame;
  CpsVec3 t = {R.m[0], R.m[3], R.m[6]};
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  // sections about the tangent; not less than what models keep for those without inertia
  double polar = trunk->rotary[0] * cps_rod_trunk_taper(&rod->spec, 4);
  double least = 1e-10 * trunk->line_density * trunk->length * trunk->length * trunk->length;
  *second = cps_mat3_axpy(*second, fmax(polar * trunk->length, least), cps_mat3_outer(t, t));
}

void cps_fibres_inertia(const CpsModel* model, int32_t body, CpsVec3* first, CpsMat3* second) {
  const CpsFibre* f = &((const CpsFibres*)model)->fibres[body];
  if (f->there) add_rod(&f->rod, first, second);
}

// Centre of mass, and inertia about it.
static CpsMat3 find_inertia(const CpsRod* rod, double mass, CpsVec3* centre) {
  CpsMat3 I = {{0.0}}, own = {{0.0}};
  CpsVec3 S = {0.0, 0.0, 0.0}, none = S;
  add_rod(rod, &S, &I);
  *centre = cps_vec3_scale(1.0 / mass, S);
  add_mass(mass, *centre, &none, &own);
  return cps_mat3_axpy(I, -1.0, own);
}

// x with A x = b, A symmetric and positive definite; zero if rounding has spoilt it.
static CpsVec3 solve(const CpsMat3* A, CpsVec3 b) {
  CpsVec3 p = cps_vec3_get(A->m), q = cps_vec3_get(A->m + 3), r = cps_vec3_get(A->m + 6), qr = cps_vec3_cross(q, r);
  double det = cps_vec3_dot(p, qr);
  if (!(det > 0.0)) return cps_vec3(0.0, 0.0, 0.0);
  CpsVec3 x = cps_vec3_add(cps_vec3_scale(b.x, qr), cps_vec3_scale(b.y, cps_vec3_cross(r, p)));
  return cps_vec3_scale(1.0 / det, cps_vec3_axpy(x, b.z, cps_vec3_cross(p, q)));
}

// I I + e^2 of (3)
static CpsMat3 softened(const CpsMat3* I, double faint) {
  return cps_mat3_axpy(cps_mat3_multiply(*I, *I), faint * faint, cps_mat3_identity());
}

// The spin of (3) for the rod with the angular momentum L. What a long way in one step took from it would make it spin with any energy.
// Then b is lost.
static CpsVec3 spin_for(const CpsMat3* I, double faint, CpsVec3 b, CpsVec3 L, double energy) {
  const CpsMat3 A = softened(I, faint);
  const CpsVec3 spin = faint > 0.0 ? solve(&A, cps_mat3_apply(*I, b)) : solve(I, b);
  const bool calm = 0.5 * cps_vec3_dot(spin, b) + fabs(cps_vec3_dot(spin, L)) <= MOST * energy;
  return calm ? spin : cps_vec3(0.0, 0.0, 0.0);
}

// The turn; false: it would be a long way. What (3) mends is h^2 s w, s <= w: a small part of h w, by which the rod turns in the step. Where
// it hardly spins across itself, w and b are rounding, and their ratio may be any angle.
static bool turn_for(const CpsMat3* I, double faint, CpsVec3 b, CpsVec3 L, double h, CpsVec3* turn) {
  const CpsMat3 A = softened(I, faint);
  const CpsVec3 w = solve(&A, cps_mat3_apply(*I, L)), u = cps_vec3_scale(2.0 * FAINT * faint, solve(&A, b));
  *turn = cps_vec3_scale(1.0 / cps_vec3_dot(w, w), cps_vec3_cross(w, u));
  return cps_vec3_norm(*turn) <= fmin(MOST_TURN, LARGE * h * cps_vec3_norm(w));
}

// Turns the rod about a point, velocities stay.
static void turn_about(CpsRod* rod, CpsVec3 centre, CpsVec3 turn) {
  const CpsQuat by = cps_quat_exp(turn);
  const CpsPose pose = {cps_vec3_sub(centre, cps_quat_rotate(by, centre)), by};
  rod->type->carry(rod, &pose);
  rod->type->refresh(rod);
}

bool cps_fibre_is_free(const CpsFibre* f) {
  return f->rod.type->push && f->rod.spec.root == CPS_END_FREE && f->rod.spec.tip == CPS_END_FREE;
}

CpsFree cps_fibre_free_state(const CpsFibre* f) {
  CpsFree now;
  (void)find_inertia(&f->rod, f->mass, &now.centre);
  f->rod.type->momentum(&f->rod, &now.linear, &now.angular);
  now.angular = cps_vec3_sub(now.angular, cps_vec3_cross(now.centre, now.linear));
  return now;
}

void cps_fibre_keep_free(CpsFibre* f, const CpsModelStep* step, const CpsFree* before) {
  CpsRod* rod = &f->rod;
  CpsVec3 c, P, L, none = {0.0, 0.0, 0.0};
  CpsMat3 I = find_inertia(rod, f->mass, &c);
  // (1)
  CpsVec3 mean = cps_vec3_axpy(cps_vec3_scale(step->theta / f->mass, before->linear), 1.0 - step->theta, f->velocity);
  CpsVec3 to = cps_vec3_axpy(before->centre, step->h, mean);
  const CpsPose by = {cps_vec3_sub(to, c), {1.0, 0.0, 0.0, 0.0}};
  rod->type->carry(rod, &by);
  rod->type->refresh(rod);
  // (2)
  rod->type->momentum(rod, &P, &L);
  CpsVec3 target = cps_vec3_add(before->angular, cps_vec3_cross(to, before->linear));
  // of a rigid rod with these momenta that turns across itself
  const double energy = 0.5 * cps_vec3_dot(before->linear, before->linear) / f->mass +
                        cps_vec3_dot(before->angular, before->angular) / (I.m[0] + I.m[4] + I.m[8]);
  double faint = FAINT * (I.m[0] + I.m[4] + I.m[8]);
  for (int round = 0; round < ROUNDS; ++round) {
    CpsVec3 turn;
    if (faint > 0.0 && turn_for(&I, faint, cps_vec3_sub(target, L), before->angular, step->h, &turn)) {
      turn_about(rod, to, turn);
      rod->type->momentum(rod, &P, &L);
    } else {
      faint = 0.0;
    }
    CpsVec3 spin = spin_for(&I, faint, cps_vec3_sub(target, L), before->angular, energy);
    rod->type->push(rod, cps_vec3_cross(to, spin), spin);
    // velocities belong to where the rod was: its centre has moved on
    rod->type->momentum(rod, &P, &L);
    CpsVec3 more = cps_vec3_sub(before->linear, P);
    rod->type->push(rod, cps_vec3_scale(1.0 / f->mass, more), none);
    L = cps_vec3_add(L, cps_vec3_cross(to, more));
  }
}
