// Quadratic forms and forces of the elements of a linear-time super-helix, for one step. S of a point of an element is (2) of
// super_helix_recursive.c; x' = S (v, w, k').
//
// An element contributes to the left side of (1) of rod.h a form in (v, w, k'). With rho the mass per length and l the
// length,
//
//   H = int (rho + h theta drag) S^T S da + sum over pulls (h^2 theta^2 stiffness + h theta damping) S^T S
//       + (h^2 theta^2 + h theta damping) l diag(G J, E I_2, E I_3)  in k'                                          (1)
//
// and to the right side
//
//   f = int S^T [rho (h g - c) - h drag x'] da
//       + h sum over pulls S^T [force + stiffness (target - x - h theta x') - damping (x' - target')]
//       - h l diag(..) [k - k_natural + (h theta + damping) k']                                                     (2)
//
//   c = S(q) (v, w, k') - S(q_then) (v, w, k')_then                                                                 (3)
//
// where c is the change of the point velocities since the unknown velocities were found, at the beginning of the last
// step, as in super_helix_mass.c: the bias that cannot blow up.
#include "model/super_helix_recursive.h"

#include "core/quat.h"
#include "model/super_tension.h"

#include <math.h>
#include <string.h>

enum { TWIST = CPS_TWIST, RATES = CPS_RATES, CARRIED = CPS_CARRIED };

// The motion of an element before the step, in the axes of its base: its twist and rates; the same in the previous configuration,
// in the previous axes; and the rotation from those to the current axes.
typedef struct Motion {
  CpsVec3 v, w, rate;
  CpsVec3 k_then, v_then, w_then;
  CpsMat3 turn;
  CpsVec3 weight;  // h g
} Motion;

// Previous velocity of the point at distance a, in the previous axes of the base.
static CpsVec3 velocity_then(const Motion* m, double a) {
  CpsHelix helix = cps_helix(cps_vec3_scale(a, m->k_then));
  CpsVec3 d = cps_vec3_scale(a, cps_helix_chord(&helix)), own = cps_helix_chord_along(&helix, m->rate);
  return cps_vec3_axpy(cps_vec3_add(m->v_then, cps_vec3_cross(m->w_then, d)), a * a, own);
}

typedef CpsRecursiveSums Integrals;

// A += s B, in place: nine numbers are too many to pass by value in a loop.
static void add_scaled(CpsMat3* A, double s, const CpsMat3* B) {
  for (int i = 0; i < 9; ++i) A->m[i] += s * B->m[i];
}

static void add_point(Integrals* sum, const CpsRecursivePoint* p, double weight, CpsVec3 f) {
  CpsVec3 d = p->d;
  const double* B = p->B.m;
  const CpsMat3 dB = {{d.y * B[6] - d.z * B[3], d.y * B[7] - d.z * B[4], d.y * B[8] - d.z * B[5],  //
                       d.z * B[0] - d.x * B[6], d.z * B[1] - d.x * B[7], d.z * B[2] - d.x * B[8],  //
                       d.x * B[3] - d.y * B[0], d.x * B[4] - d.y * B[1], d.x * B[5] - d.y * B[2]}};
  const CpsMat3 dd = cps_mat3_outer(d, d);
  CpsMat3 BB;
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) BB.m[3 * j + k] = B[j] * B[k] + B[3 + j] * B[3 + k] + B[6 + j] * B[6 + k];
  sum->one += weight;
  sum->d = cps_vec3_axpy(sum->d, weight, d);
  add_scaled(&sum->dd, weight, &dd);
  add_scaled(&sum->B, weight, &p->B);
  add_scaled(&sum->dB, weight, &dB);
  add_scaled(&sum->BB, weight, &BB);
  sum->force = cps_vec3_axpy(sum->force, weight, f);
  sum->torque = cps_vec3_axpy(sum->torque, weight, cps_vec3_cross(d, f));
  sum->rate = cps_vec3_axpy(sum->rate, weight, cps_mat3_apply_transposed(p->B, f));
}

static void add_change(Integrals* sum, const CpsRecursivePoint* p, double weight, CpsVec3 c) {
  CpsVec3 part = cps_vec3_scale(weight, c);
  sum->c = cps_vec3_add(sum->c, part);
  sum->dc = cps_vec3_add(sum->dc, cps_vec3_cross(p->d, part));
  sum->Bc = cps_vec3_add(sum->Bc, cps_mat3_apply_transposed(p->B, part));
  sum->cc += cps_vec3_dot(c, part);
}

static Integrals integrate(const CpsRecursiveElement* element, double drag, CpsVec3 k, const Motion* m) {
  Integrals sum = {0};
  int32_t panels = cps_helix_panels(element->size * cps_vec3_norm(k));
  double panel = element->size / panels;
  for (int32_t i = 0; i < panels * CPS_HELIX_POINTS; ++i) {
    int32_t node = i % CPS_HELIX_POINTS, which = i / CPS_HELIX_POINTS;
    double a = panel * (which + cps_helix_node[node]);
    CpsRecursivePoint p = cps_recursive_point_at(k, a);
    CpsVec3 u = cps_vec3_add(cps_vec3_add(m->v, cps_vec3_cross(m->w, p.d)), cps_mat3_apply(p.B, m->rate));
    CpsVec3 u_then = cps_mat3_apply(m->turn, velocity_then(m, a));
    CpsVec3 c = cps_vec3_sub(u, u_then);
    CpsVec3 f = cps_vec3_scale(element->density, cps_vec3_sub(m->weight, c));
    add_point(&sum, &p, panel * cps_helix_weight[node], cps_vec3_axpy(f, -drag, u));
    add_change(&sum, &p, panel * cps_helix_weight[node], c);
  }
  return sum;
}

// Puts a 3 x 3 block and its transpose into the form.
static void put_block(double* H, int row, int column, double factor, CpsMat3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      H[CARRIED * (row + i) + column + j] = factor * block.m[3 * i + j];
      H[CARRIED * (column + j) + row + i] = factor * block.m[3 * i + j];
    }
}

// The first term of (1): int S^T S from the integrals, in world axes.
static void put_form(double* H, double factor, const Integrals* sum, const CpsMat3* R) {
  CpsMat3 dd = cps_mat3_multiply(cps_mat3_multiply(*R, sum->dd), cps_mat3_transposed(*R));
  double trace = dd.m[0] + dd.m[4] + dd.m[8];
  CpsMat3 inertia = cps_mat3_axpy(cps_mat3_scale(trace, cps_mat3_identity()), -1.0, dd);
  put_block(H, 0, 0, factor * sum->one, cps_mat3_identity());
  put_block(H, 0, 3, -factor, cps_mat3_cross(cps_mat3_apply(*R, sum->d)));
  put_block(H, 0, 6, factor, cps_mat3_multiply(*R, sum->B));
  put_block(H, 3, 3, factor, inertia);
  put_block(H, 3, 6, factor, cps_mat3_multiply(*R, sum->dB));
  put_block(H, 6, 6, factor, sum->BB);
}

// The last terms of (1) and (2).
static void add_elastic(const CpsRod* rod, const CpsModelStep* step, CpsVec3 stiffness, CpsVec3 strain, CpsVec3 rate,
                        double* H, double* f) {
  double h = step->h, ht = step->h * step->theta, damping = rod->spec.damping;
  const double K[3] = {stiffness.x, stiffness.y, stiffness.z};
  CpsVec3 bent = cps_vec3_axpy(strain, ht + damping, rate);
  const double e[3] = {bent.x, bent.y, bent.z};
  for (int j = 0; j < 3; ++j) {
    H[CARRIED * (6 + j) + 6 + j] += (ht * ht + ht * damping) * K[j];
    f[6 + j] -= h * K[j] * e[j];
  }
}

static Motion motion_before(const CpsRod* rod, const CpsModelStep* step, const CpsRecursive* v, int32_t i) {
  const double* twist = v->twist[CPS_VELOCITY_BEFORE] + (int64_t)TWIST * i;
  const double* then = v->twist[CPS_VELOCITY_AFTER] + (int64_t)TWIST * i;
  CpsMat3 back = cps_mat3_transposed(v->now[i].R), back_then = cps_mat3_transposed(v->then[i].R);
  return (Motion){.v = cps_mat3_apply(back, cps_vec3_get(twist)),
                  .w = cps_mat3_apply(back, cps_vec3_get(twist + 3)),
                  .rate = cps_vec3_get(v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * i),
                  .k_then = v->then[i].k,
                  .v_then = cps_mat3_apply(back_then, cps_vec3_get(then)),
                  .w_then = cps_mat3_apply(back_then, cps_vec3_get(then + 3)),
                  .turn = cps_mat3_multiply(back, v->then[i].R),
                  .weight = cps_mat3_apply(back, cps_vec3_scale(rod->spec.gravity ? step->h : 0.0, step->gravity))};
}

// All terms of element i: X, H and f.
static void begin_element(const CpsRod* rod, const CpsModelStep* step, CpsRecursive* v, int32_t i) {
  const CpsRecursiveElement* element = &v->element[i];
  const CpsRecursiveBase* base = &v->now[i];
  CpsArticulatedElement* a = &v->tree.element[i];
  CpsHelix helix = cps_helix(cps_vec3_scale(element->size, base->k));
  CpsRecursivePoint end = cps_recursive_point(&helix, element->size);
  cps_recursive_point_rows(base, &end, a->X);
  cps_recursive_spin_rows(base, &helix, element->size, a->X + 27);
  Motion m = motion_before(rod, step, v, i);
  const Integrals sum = v->sums[i] = integrate(element, step->h * element->drag, base->k, &m);
  put_form(a->H, element->density + step->h * step->theta * element->drag, &sum, &base->R);
  double* f = v->force + (int64_t)CARRIED * i;
  cps_vec3_put(f, cps_mat3_apply(base->R, sum.force));
  cps_vec3_put(f + 3, cps_mat3_apply(base->R, sum.torque));
  cps_vec3_put(f + 6, sum.rate);
  add_elastic(rod, step, element->stiffness, cps_vec3_sub(base->k, v->natural[i]), m.rate, a->H, f);
}

// A spring on the rows S of an element: `force` without its stiff part, which is implicit in (1), (2).
static void add_spring(CpsRecursive* v, const CpsModelStep* step, int32_t element, const double S[27], CpsVec3 force,
                       double stiffness, double damping) {
  double ht = step->h * step->theta;
  const double* twist = v->twist[CPS_VELOCITY_BEFORE] + (int64_t)TWIST * element;
  const double* rate = v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * element;
  CpsVec3 F = cps_vec3_axpy(force, -(ht * stiffness + damping), cps_recursive_apply_rows(S, twist, rate));
  double* f = v->force + (int64_t)CARRIED * element;
  for (int j = 0; j < CARRIED; ++j) f[j] += step->h * (S[j] * F.x + S[CARRIED + j] * F.y + S[2 * CARRIED + j] * F.z);
  cps_articulated_add(v->tree.element[element].H, ht * ht * stiffness + ht * damping, 3, S);
}

// A pull, or the hold of a tip. Its force and its target are those at theta of the step.
static void add_pull(const CpsModelStep* step, CpsRecursive* v, int32_t element, double a, const CpsRodPull* pull) {
  const CpsRecursiveBase* base = &v->now[element];
  CpsRecursivePoint p = cps_recursive_point_at(base->k, a);
  double S[27];
  cps_recursive_point_rows(base, &p, S);
  CpsVec3 error = cps_vec3_sub(pull->target, cps_recursive_position(base, &p));
  CpsVec3 F = cps_vec3_axpy(pull->force, pull->stiffness, error);
  add_spring(v, step, element, S, cps_vec3_axpy(F, pull->damping, pull->target_velocity), pull->stiffness,
             pull->damping);
}

// The tension of a tie, (3) of super_tension.h, and the damping of its waves.
static void add_tension(const CpsRod* rod, const CpsModelStep* step, CpsRecursive* v, const CpsRodTension* tension) {
  CpsTaut at = cps_taut(rod, step, tension);
  while (cps_taut_next(&at)) {
    const CpsRecursiveBase* base = &v->now[at.element];
    const CpsHelix helix = cps_helix(cps_vec3_scale(at.local, base->k));
    const CpsMat3 frame = cps_mat3_multiply(base->R, cps_helix_turn(&helix));
    const CpsVec3 t = {frame.m[0], frame.m[3], frame.m[6]};
    double S[27], damping;
    const double T = cps_taut_tension(&at, t, &damping);
    if (!(T > 0.0)) continue;
    cps_recursive_spin_rows(base, &helix, at.local, S);
    for (int j = 0; j < CARRIED; ++j) {
      const CpsVec3 w = {S[j], S[CARRIED + j], S[2 * CARRIED + j]}, across = cps_vec3_axpy(w, -cps_vec3_dot(w, t), t);
      S[j] = across.x, S[CARRIED + j] = across.y, S[2 * CARRIED + j] = across.z;
    }
    add_spring(v, step, at.element, S, cps_vec3(0.0, 0.0, 0.0), T, 0.0);
    const double* rate = v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * at.element;
    for (int j = 1; j < RATES; ++j) {
      v->tree.element[at.element].H[CARRIED * (6 + j) + 6 + j] += step->h * step->theta * damping;
      v->force[(int64_t)CARRIED * at.element + 6 + j] -= step->h * damping * rate[j];
    }
  }
}

static void add_rotary(const CpsRod* rod, const CpsModelStep* step, CpsRecursive* v) {
  double inertia = cps_recursive_rotary_inertia(&rod->spec),
         drag = inertia * rod->spec.drag / rod->spec.branch[0].line_density;
  CpsVec3 t = cps_recursive_tangent(&v->now[0]), w = cps_vec3_get(v->root[CPS_VELOCITY_BEFORE] + 3);
  const double S[CPS_CARRIED] = {0.0, 0.0, 0.0, t.x, t.y, t.z, 0.0, 0.0, 0.0};
  cps_articulated_add(v->tree.element[0].H, inertia + step->h * step->theta * drag, 1, S);
  cps_vec3_put(v->force + 3, cps_vec3_axpy(cps_vec3_get(v->force + 3), -step->h * drag * cps_vec3_dot(t, w), t));
}

// A held tip: the springs of super_helix.c on its position and, if clamped, on its frame, with the error
//
//   (1/2) sum over axes (axis now x axis wanted)                                                                     (4)
static void hold_tip(CpsRod* rod, const CpsModelStep* step, CpsRecursive* v) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  double h = step->h, L = trunk->length, EI = fmax(trunk->stiffness[0], fmax(trunk->stiffness[1], trunk->stiffness[2]));
  double stiffness = 1e4 * trunk->line_density * L / (h * h) + 1e6 * EI / (L * L * L);
  int32_t last = trunk->elements - 1;
  CpsRodPull pull = {.stiffness = stiffness,
                     .damping = h * stiffness,
                     .target = rod->tip.next.position,
                     .target_velocity = rod->tip.velocity};
  rod->hold = pull;
  rod->hold_from = rod->type->at(rod, trunk->length).position;
  pull.target = cps_vec3_axpy(pull.target, (step->theta - 1.0) * h, pull.target_velocity);
  add_pull(step, v, last, v->element[last].size, &pull);
  if (rod->spec.tip != CPS_END_CLAMPED) return;
  const CpsRecursiveBase* base = &v->now[last];
  CpsHelix helix = cps_helix(cps_vec3_scale(v->element[last].size, base->k));
  CpsMat3 R = cps_mat3_multiply(base->R, cps_helix_turn(&helix)), wanted = cps_quat_matrix(rod->tip.next.rotation);
  // with the target at theta of the step and the damper, as in add_pull
  CpsVec3 error = cps_vec3_scale((step->theta - 1.0) * h + h, rod->tip.spin);
  for (int j = 0; j < 3; ++j) {
    CpsVec3 axis = {R.m[j], R.m[3 + j], R.m[6 + j]}, to = {wanted.m[j], wanted.m[3 + j], wanted.m[6 + j]};
    error = cps_vec3_axpy(error, 0.5, cps_vec3_cross(axis, to));
  }
  double S[27];
  cps_recursive_spin_rows(base, &helix, v->element[last].size, S);
  stiffness *= L * L;
  add_spring(v, step, last, S, cps_vec3_scale(stiffness, error), stiffness, h * stiffness);
}

void cps_recursive_begin(CpsRod* rod, const CpsModelStep* step) {
  CpsRecursive v = cps_recursive(rod);
  const CpsRodEnd* root = &rod->root;
  double change[CPS_TWIST];
  cps_vec3_put(change, cps_vec3_sub(root->velocity, root->velocity_before));
  cps_vec3_put(change + 3, cps_vec3_sub(root->spin, root->spin_before));
  memcpy(v.rate[CPS_VELOCITY_BEFORE], v.rate[CPS_VELOCITY_AFTER], RATES * (size_t)v.tree.count * sizeof(double));
  cps_recursive_spread_then(rod, &v, root->velocity_before, root->spin_before);
  cps_recursive_root_twist(rod, &v, &v.now[0].R, root->velocity_before, root->spin_before, v.root[CPS_VELOCITY_BEFORE]);
  for (int32_t i = 0; i < v.tree.count; ++i) {
    cps_articulated_twist(&v.tree, i, v.root[CPS_VELOCITY_BEFORE], v.rate[CPS_VELOCITY_BEFORE],
                          v.twist[CPS_VELOCITY_BEFORE]);
    begin_element(rod, step, &v, i);
  }
  add_rotary(rod, step, &v);
  for (int32_t i = 0; i < rod->pull_count; ++i) {
    CpsRodPlace place = cps_rod_place(&rod->spec, rod->pulls[i].s);
    add_pull(step, &v, place.element, place.local, &rod->pulls[i]);
  }
  for (const CpsRodTension* t = rod->tensions; t; t = t->next) add_tension(rod, step, &v, t);
  if (rod->spec.tip != CPS_END_FREE) hold_tip(rod, step, &v);
  cps_articulated_factor(&v.tree);
  cps_articulated_inward(&v.tree, v.force, v.z);
  cps_recursive_move(&v, v.z, change, CPS_VELOCITY_BEFORE, CPS_VELOCITY_FREE);
}
