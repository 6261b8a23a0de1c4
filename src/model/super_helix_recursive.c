// Super-helix in linear time (Bertails 2009; habilitation of Bertails-Descoubes 2017, section 2.4), also as a tree.
//
// The motion is that of super_helix.c: elements of constant material curvature k; unknowns are their rates k' and the twist
// (v, w) of the root as far as it is not held. In an element whose base is at x_0 with frame R and twist (v, w), the point
// at distance a along it has, with the functions of helix.h,
//
//   d = a w(a k),   x = x_0 + R d                                                                                   (1)
//   x' = v + w x R d + R B k' = S (v, w, k'),   B = a^2 dw/dv(a k),   S: 3 x 9                                      (2)
//   x'' = S (v', w', k'') + w x (w x R d) + 2 w x R B k' + R B' k'                                                  (3)
//   w(a) = w + R C k',   C = a J_l(a k),   w'(a) = w' + R C k'' + w x R C k' + R C' k'                              (4)
//
// Its share of the left side of (1) of rod.h is a form in (v, w, k'); with rho the mass per length and l its length,
//
//   H = int (rho + h theta drag) S^T S da + sum over pulls (h^2 theta^2 stiffness + h theta damping) S^T S
//       + (h^2 theta^2 + h theta damping) l diag(G J, E I_2, E I_3)  in k'                                          (5)
//
// and its share of the right side is h times
//
//   f = int S^T [rho (g - c) - drag x'] da
//       + sum over pulls S^T [force + stiffness (target - x - h theta x') - damping (x' - target')]
//       - l diag(..) [k - k_natural + (h theta + damping) k']                                                       (6)
//
// where c is (3) without the accelerations of the unknowns, carried from the root to the tips by (3) and (4). With these,
// articulated.c does the rest: a step is three sweeps over the elements, a contact one sweep from its element to the root.
#include "core/quat.h"
#include "model/articulated.h"
#include "model/helix.h"
#include "model/rod.h"
#include "model/rod_shape.h"

#include <math.h>
#include <string.h>

enum { TWIST = CPS_TWIST, RATES = CPS_RATES, CARRIED = CPS_CARRIED };

// What does not change, per element.
typedef struct Element {
  double size, density;  // m, kg/m
  CpsVec3 stiffness;     // l (G J, E I_2, E I_3)
  CpsVec3 natural;       // 1/m
  CpsMat3 turn;          // of its base frame in that of the end of its parent
} Element;

typedef struct Base {
  CpsVec3 x;
  CpsMat3 R;
  CpsVec3 k;
} Base;

// State and working memory by name. [which] is a CpsVelocity.
typedef struct View {
  CpsArticulated tree;
  CpsPose* pose;       // state: of the root
  CpsVec3* curvature;  // state: per element
  double* root[3];     // twist of the root; AFTER: state
  double* rate[3];     // 3 per element; AFTER: state
  double* twist[3];    // of the bases, 6 per element
  int32_t* parent;     // also in `tree`, where it does not change
  Base *now, *then;    // bases now, and at the beginning of the step
  Element* element;
  double* force;  // 9 per element: (6); scratch after begin
  double* bias;   // 6 per element: acceleration of its end without that of the unknowns
  double* z;      // dofs
} View;

// Hands out pieces of one array of doubles.
typedef struct Memory {
  double* at;
  int64_t used;
} Memory;

static void* take(Memory* memory, int64_t count, size_t size) {
  void* piece = memory->at ? memory->at + memory->used : NULL;
  memory->used += count * (int64_t)((size + sizeof(double) - 1) / sizeof(double));
  return piece;
}

static int32_t held_components(const CpsRodSpec* spec) {
  return spec->root == CPS_END_CLAMPED ? TWIST : spec->root == CPS_END_PINNED ? 3 : 0;
}

// Names for the state and the working memory; NULL pointers give the sizes alone.
static View lay_out(const CpsRodSpec* spec, double* state_memory, double* work_memory, int64_t* state_size,
                    int64_t* work_size) {
  Memory state = {state_memory, 0}, work = {work_memory, 0};
  int32_t n = spec->elements;
  View v = {.tree = {.count = n, .held = held_components(spec)}};
  v.pose = take(&state, 1, sizeof *v.pose);
  v.root[CPS_VELOCITY_AFTER] = take(&state, TWIST, sizeof(double));
  v.curvature = take(&state, n, sizeof *v.curvature);
  v.rate[CPS_VELOCITY_AFTER] = take(&state, RATES * (int64_t)n, sizeof(double));
  for (int which = 0; which < 3; ++which) {
    if (which != CPS_VELOCITY_AFTER) v.root[which] = take(&work, TWIST, sizeof(double));
    if (which != CPS_VELOCITY_AFTER) v.rate[which] = take(&work, RATES * (int64_t)n, sizeof(double));
    v.twist[which] = take(&work, TWIST * (int64_t)n, sizeof(double));
  }
  v.now = take(&work, n, sizeof *v.now);
  v.then = take(&work, n, sizeof *v.then);
  v.element = take(&work, n, sizeof *v.element);
  v.force = take(&work, CARRIED * (int64_t)n, sizeof(double));
  v.bias = take(&work, TWIST * (int64_t)n, sizeof(double));
  v.z = take(&work, cps_articulated_dofs(&v.tree), sizeof(double));
  v.parent = take(&work, n, sizeof *v.parent);
  v.tree.parent = v.parent;
  v.tree.element = take(&work, n, sizeof *v.tree.element);
  v.tree.base = take(&work, 1, sizeof *v.tree.base);
  *state_size = state.used;
  *work_size = work.used;
  return v;
}

static View view(const CpsRod* rod) {
  int64_t state, work;
  return lay_out(&rod->spec, rod->state, rod->work, &state, &work);
}

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  View v = lay_out(spec, NULL, NULL, state, work);
  *dofs = cps_articulated_dofs(&v.tree);
}

static CpsVec3 vec3_of(const double* x) {
  return cps_vec3(x[0], x[1], x[2]);
}

static void put(double* x, CpsVec3 v) {
  x[0] = v.x, x[1] = v.y, x[2] = v.z;
}

// --- making ---------------------------------------------------------------------------------------------------------

// Mean curvatures of the samples of an element, as placed and natural.
static void take_shape(const CpsQuat* frame, const CpsVec3* natural, bool as_placed, double size, CpsVec3* k,
                       CpsVec3* rest) {
  *k = *rest = cps_vec3(0.0, 0.0, 0.0);
  for (int i = 0; i < CPS_ROD_SAMPLES; ++i) {
    *k = cps_vec3_add(*k, cps_quat_log(cps_quat_multiply(cps_quat_conjugate(frame[i]), frame[i + 1])));
    *rest = cps_vec3_axpy(*rest, 0.5 / CPS_ROD_SAMPLES, cps_vec3_add(natural[i], natural[i + 1]));
  }
  *k = cps_vec3_scale(1.0 / size, *k);
  // what is placed in its natural shape up to rounding is placed in it exactly, so that it stays still
  bool same = cps_vec3_norm(cps_vec3_sub(*k, *rest)) < 1e-11 * (cps_vec3_norm(*rest) + CPS_ROD_SAMPLES / size);
  if (as_placed) *rest = *k;
  if (same) *k = *rest;
}

static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  (void)error;
  View v = view(rod);
  *v.pose = (CpsPose){shape->point[0], shape->frame[0]};
  for (int32_t b = 0; b < rod->spec.branch_count; ++b) {
    const CpsRodBranch* branch = &rod->spec.branch[b];
    double size = branch->length / branch->elements;
    for (int32_t j = 0; j < branch->elements; ++j) {
      int32_t i = branch->first_element + j;
      int64_t sample = CPS_ROD_SAMPLES * (int64_t)i + b;
      v.parent[i] = j > 0 ? i - 1 : b > 0 ? rod->spec.branch[branch->parent].first_element + branch->at : -1;
      v.element[i] = (Element){
          .size = size,
          .density = branch->line_density,
          .stiffness = cps_vec3_scale(size, vec3_of(branch->stiffness)),
          .turn = j == 0 && b > 0 ? cps_quat_matrix(branch->rotation) : cps_mat3_identity(),
      };
      take_shape(shape->frame + sample, shape->natural + sample, shape->as_placed && b == 0, size, &v.curvature[i],
                 &v.element[i].natural);
    }
  }
  return CPS_OK;
}

// --- geometry -------------------------------------------------------------------------------------------------------

// The point at distance a along an element, in the axes of its base: (1), (2), (4).
typedef struct Local {
  CpsHelix helix;
  double a;
  CpsVec3 d;
  CpsMat3 B;
} Local;

static Local local_at(CpsVec3 k, double a) {
  Local p = {.helix = cps_helix(cps_vec3_scale(a, k)), .a = a};
  p.d = cps_vec3_scale(a, cps_helix_chord(&p.helix));
  p.B = cps_mat3_scale(a * a, cps_helix_chord_slope(&p.helix));
  return p;
}

static CpsMat3 local_spin(const Local* p) {
  return cps_mat3_scale(p->a, cps_helix_spin(&p->helix));
}

// Rows of a point, S of (2): 3 x 9; rows of the spin there by (4).
static void fill_rows(const CpsMat3* linear, const CpsMat3* angular, const CpsMat3* rates, double* S) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      S[CARRIED * i + j] = linear ? linear->m[3 * i + j] : 0.0;
      S[CARRIED * i + 3 + j] = angular->m[3 * i + j];
      S[CARRIED * i + 6 + j] = rates->m[3 * i + j];
    }
  }
}

static void point_rows(const Base* base, const Local* p, double S[27]) {
  CpsMat3 I = cps_mat3_identity(), arm = cps_mat3_cross(cps_vec3_scale(-1.0, cps_mat3_apply(base->R, p->d)));
  CpsMat3 B = cps_mat3_multiply(base->R, p->B);
  fill_rows(&I, &arm, &B, S);
}

static void spin_rows(const Base* base, const Local* p, double S[27]) {
  CpsMat3 I = cps_mat3_identity(), C = cps_mat3_multiply(base->R, local_spin(p));
  fill_rows(NULL, &I, &C, S);
}

static CpsVec3 apply_rows(const double* S, const double* twist, const double* rate) {
  double x[3];
  for (int i = 0; i < 3; ++i) {
    const double* s = S + CARRIED * i;
    x[i] = s[0] * twist[0] + s[1] * twist[1] + s[2] * twist[2] + s[3] * twist[3] + s[4] * twist[4] + s[5] * twist[5] +
           s[6] * rate[0] + s[7] * rate[1] + s[8] * rate[2];
  }
  return vec3_of(x);
}

static CpsVec3 position(const Base* base, const Local* p) {
  return cps_vec3_add(base->x, cps_mat3_apply(base->R, p->d));
}

// Bases of all elements from the root outwards, and the twists with which they move after the step.
static void refresh(CpsRod* rod) {
  View v = view(rod);
  const double* rate = v.rate[CPS_VELOCITY_AFTER];
  double* twist = v.twist[CPS_VELOCITY_AFTER];
  CpsMat3 root = cps_quat_matrix(v.pose->rotation);
  for (int32_t i = 0; i < v.tree.count; ++i) {
    int32_t p = v.tree.parent[i];
    Base* base = &v.now[i];
    double* own = twist + (int64_t)TWIST * i;
    base->k = v.curvature[i];
    if (p < 0) {
      base->x = v.pose->position;
      base->R = root;
      memcpy(own, v.root[CPS_VELOCITY_AFTER], TWIST * sizeof(double));
      continue;
    }
    double S[27];
    const Base* from = &v.now[p];
    Local end = local_at(from->k, v.element[p].size);
    base->x = position(from, &end);
    base->R = cps_mat3_multiply(cps_mat3_multiply(from->R, cps_helix_turn(&end.helix)), v.element[i].turn);
    point_rows(from, &end, S);
    put(own, apply_rows(S, twist + (int64_t)TWIST * p, rate + (int64_t)RATES * p));
    spin_rows(from, &end, S);
    put(own + 3, apply_rows(S, twist + (int64_t)TWIST * p, rate + (int64_t)RATES * p));
  }
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  View v = view(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const Base* base = &v.now[place.element];
  Local p = local_at(base->k, place.local);
  return (CpsRodPoint){position(base, &p), cps_mat3_multiply(base->R, cps_helix_turn(&p.helix)), base->k};
}

static CpsVec3 velocity(const CpsRod* rod, double s, CpsVelocity which) {
  View v = view(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const Base* base = which == CPS_VELOCITY_AFTER ? &v.now[place.element] : &v.then[place.element];
  Local p = local_at(base->k, place.local);
  double S[27];
  point_rows(base, &p, S);
  return apply_rows(S, v.twist[which] + (int64_t)TWIST * place.element, v.rate[which] + (int64_t)RATES * place.element);
}

// --- the step -------------------------------------------------------------------------------------------------------

// The motion of a base before the step, in its own axes.
typedef struct Motion {
  CpsVec3 v, w, k;          // twist and rates
  CpsVec3 linear, angular;  // acceleration without that of the unknowns
  CpsVec3 gravity;
} Motion;

// c of (6), in the axes of the base.
static CpsVec3 bias_at(const Motion* m, const Local* p) {
  CpsVec3 c = cps_vec3_add(m->linear, cps_vec3_cross(m->angular, p->d));
  c = cps_vec3_add(c, cps_vec3_cross(m->w, cps_vec3_cross(m->w, p->d)));
  c = cps_vec3_axpy(c, 2.0, cps_vec3_cross(m->w, cps_mat3_apply(p->B, m->k)));
  return cps_vec3_axpy(c, p->a, cps_helix_chord_second(&p->helix, cps_vec3_scale(p->a, m->k)));
}

// The same of the spin, (4).
static CpsVec3 bias_spin_at(const Motion* m, const Local* p) {
  CpsVec3 own = cps_mat3_apply(local_spin(p), m->k);
  CpsVec3 c = cps_vec3_add(m->angular, cps_vec3_cross(m->w, own));
  return cps_vec3_add(c, cps_helix_spin_second(&p->helix, cps_vec3_scale(p->a, m->k)));
}

// Integrals over an element in the axes of its base: of the form (5), and the first line of (6).
typedef struct Integrals {
  double one;
  CpsVec3 d;
  CpsMat3 dd, B, dB, BB;        // d d^T, B, [d]x B, B^T B
  CpsVec3 force, torque, rate;  // S^T [rho (g - c) - drag x']
} Integrals;

static void add_point(Integrals* sum, const Local* p, double weight, CpsVec3 f) {
  sum->one += weight;
  sum->d = cps_vec3_axpy(sum->d, weight, p->d);
  sum->dd = cps_mat3_axpy(sum->dd, weight, cps_mat3_outer(p->d, p->d));
  sum->B = cps_mat3_axpy(sum->B, weight, p->B);
  for (int j = 0; j < 3; ++j) {
    CpsVec3 b = {p->B.m[j], p->B.m[3 + j], p->B.m[6 + j]}, c = cps_vec3_cross(p->d, b);
    sum->dB.m[j] += weight * c.x, sum->dB.m[3 + j] += weight * c.y, sum->dB.m[6 + j] += weight * c.z;
    for (int k = 0; k <= j; ++k) {
      double bb = b.x * p->B.m[k] + b.y * p->B.m[3 + k] + b.z * p->B.m[6 + k];
      sum->BB.m[3 * j + k] += weight * bb;
    }
  }
  sum->force = cps_vec3_axpy(sum->force, weight, f);
  sum->torque = cps_vec3_axpy(sum->torque, weight, cps_vec3_cross(p->d, f));
  sum->rate = cps_vec3_axpy(sum->rate, weight, cps_mat3_apply_transposed(p->B, f));
}

static Integrals integrate(const CpsRodSpec* spec, const Element* element, CpsVec3 k, const Motion* m) {
  Integrals sum = {0};
  int32_t panels = cps_helix_panels(element->size * cps_vec3_norm(k));
  double panel = element->size / panels;
  for (int32_t i = 0; i < panels * CPS_HELIX_POINTS; ++i) {
    int node = i % CPS_HELIX_POINTS;
    Local p = local_at(k, panel * (i / CPS_HELIX_POINTS + cps_helix_node[node]));
    CpsVec3 u = cps_vec3_add(cps_vec3_add(m->v, cps_vec3_cross(m->w, p.d)), cps_mat3_apply(p.B, m->k));
    CpsVec3 f = cps_vec3_scale(element->density, cps_vec3_sub(m->gravity, bias_at(m, &p)));
    add_point(&sum, &p, panel * cps_helix_weight[node], cps_vec3_axpy(f, -spec->drag, u));
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

// The first term of (5): int S^T S from the integrals, in world axes.
static void put_form(double* H, double factor, const Integrals* sum, const CpsMat3* R) {
  CpsMat3 turned = cps_mat3_multiply(*R, sum->dd),
          back = {{R->m[0], R->m[3], R->m[6], R->m[1], R->m[4], R->m[7], R->m[2], R->m[5], R->m[8]}};
  CpsMat3 dd = cps_mat3_multiply(turned, back), BB = sum->BB;
  double trace = dd.m[0] + dd.m[4] + dd.m[8];
  CpsMat3 inertia = cps_mat3_axpy(cps_mat3_scale(trace, cps_mat3_identity()), -1.0, dd);
  BB.m[1] = BB.m[3], BB.m[2] = BB.m[6], BB.m[5] = BB.m[7];
  put_block(H, 0, 0, factor * sum->one, cps_mat3_identity());
  put_block(H, 0, 3, -factor, cps_mat3_cross(cps_mat3_apply(*R, sum->d)));
  put_block(H, 0, 6, factor, cps_mat3_multiply(*R, sum->B));
  put_block(H, 3, 3, factor, inertia);
  put_block(H, 3, 6, factor, cps_mat3_multiply(*R, sum->dB));
  put_block(H, 6, 6, factor, BB);
}

// The last terms of (5) and (6).
static void add_elastic(const CpsRod* rod, const CpsModelStep* step, const Element* element, CpsVec3 k, CpsVec3 rate,
                        double* H, double* f) {
  double h = step->h, ht = step->h * step->theta, damping = rod->spec.damping;
  const double K[3] = {element->stiffness.x, element->stiffness.y, element->stiffness.z};
  CpsVec3 bent = cps_vec3_axpy(cps_vec3_sub(k, element->natural), ht + damping, rate);
  const double e[3] = {bent.x, bent.y, bent.z};
  for (int j = 0; j < 3; ++j) {
    H[CARRIED * (6 + j) + 6 + j] += (ht * ht + ht * damping) * K[j];
    f[6 + j] -= h * K[j] * e[j];
  }
}

// Everything of element i: X, H, f and the acceleration of its end, from the motion of its base.
static void begin_element(const CpsRod* rod, const CpsModelStep* step, View* v, int32_t i, const double* bias,
                          double* end_bias) {
  const Element* element = &v->element[i];
  const Base* base = &v->then[i];
  const double* twist = v->twist[CPS_VELOCITY_BEFORE] + (int64_t)TWIST * i;
  CpsMat3 R = base->R;
  CpsVec3 gravity = rod->spec.gravity ? step->gravity : cps_vec3(0.0, 0.0, 0.0);
  Motion m = {.v = cps_mat3_apply_transposed(R, vec3_of(twist)),
              .w = cps_mat3_apply_transposed(R, vec3_of(twist + 3)),
              .k = vec3_of(v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * i),
              .linear = cps_mat3_apply_transposed(R, vec3_of(bias)),
              .angular = cps_mat3_apply_transposed(R, vec3_of(bias + 3)),
              .gravity = cps_mat3_apply_transposed(R, gravity)};
  Local end = local_at(base->k, element->size);
  put(end_bias, cps_mat3_apply(R, bias_at(&m, &end)));
  put(end_bias + 3, cps_mat3_apply(R, bias_spin_at(&m, &end)));
  CpsArticulatedElement* a = &v->tree.element[i];
  point_rows(base, &end, a->X);
  spin_rows(base, &end, a->X + 27);
  Integrals sum = integrate(&rod->spec, element, base->k, &m);
  put_form(a->H, element->density + step->h * step->theta * rod->spec.drag, &sum, &R);
  double* f = v->force + (int64_t)CARRIED * i;
  put(f, cps_vec3_scale(step->h, cps_mat3_apply(R, sum.force)));
  put(f + 3, cps_vec3_scale(step->h, cps_mat3_apply(R, sum.torque)));
  put(f + 6, cps_vec3_scale(step->h, sum.rate));
  add_elastic(rod, step, element, base->k, m.k, a->H, f);
}

// A spring on the rows S of an element: `force` without its stiff part, which is implicit: (5), (6).
static void add_spring(View* v, const CpsModelStep* step, int32_t element, const double S[27], CpsVec3 force,
                       double stiffness, double damping) {
  double ht = step->h * step->theta;
  const double* twist = v->twist[CPS_VELOCITY_BEFORE] + (int64_t)TWIST * element;
  const double* rate = v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * element;
  CpsVec3 F = cps_vec3_axpy(force, -(ht * stiffness + damping), apply_rows(S, twist, rate));
  double* f = v->force + (int64_t)CARRIED * element;
  for (int j = 0; j < CARRIED; ++j) f[j] += step->h * (S[j] * F.x + S[CARRIED + j] * F.y + S[2 * CARRIED + j] * F.z);
  cps_articulated_add(v->tree.element[element].H, ht * ht * stiffness + ht * damping, 3, S);
}

// A pull, or what holds a tip. Its force is that at theta of the step, its target where it will be at the end.
static void add_pull(const CpsModelStep* step, View* v, int32_t element, double a, const CpsRodPull* pull) {
  const Base* base = &v->then[element];
  Local p = local_at(base->k, a);
  double S[27];
  point_rows(base, &p, S);
  CpsVec3 target = cps_vec3_axpy(pull->target, (step->theta - 1.0) * step->h, pull->target_velocity);
  CpsVec3 F = cps_vec3_axpy(pull->force, pull->stiffness, cps_vec3_sub(target, position(base, &p)));
  add_spring(v, step, element, S, cps_vec3_axpy(F, pull->damping, pull->target_velocity), pull->stiffness,
             pull->damping);
}

// Inertia I about the tangent t of a root that is free to turn, without which a straight rod could be turned about itself
// by nothing, as in super_helix.c:  I t t^T in w,  torque - w x I t (t.w).
static double rotary_inertia(const CpsRodSpec* spec) {
  const CpsRodBranch* trunk = &spec->branch[0];
  double mL2 = trunk->line_density * trunk->length * trunk->length * trunk->length;
  return spec->root == CPS_END_CLAMPED ? 0.0 : fmax(trunk->rotary[0] * trunk->length, 1e-10 * mL2);
}

static void add_rotary(const CpsRod* rod, const CpsModelStep* step, View* v) {
  double inertia = rotary_inertia(&rod->spec);
  const CpsMat3* R = &v->then[0].R;
  CpsVec3 t = {R->m[0], R->m[3], R->m[6]}, w = vec3_of(v->root[CPS_VELOCITY_BEFORE] + 3);
  CpsVec3 torque = cps_vec3_cross(w, cps_vec3_scale(-inertia * cps_vec3_dot(t, w), t));
  double S[CPS_CARRIED] = {0.0, 0.0, 0.0, t.x, t.y, t.z};
  cps_articulated_add(v->tree.element[0].H, inertia, 1, S);
  put(v->force + 3, cps_vec3_axpy(vec3_of(v->force + 3), step->h, torque));
}

// The twist of the root before the step, and how its prescribed components change in it.
static void move_root(const CpsRod* rod, View* v, double change[CPS_TWIST]) {
  double* before = v->root[CPS_VELOCITY_BEFORE];
  memcpy(before, v->root[CPS_VELOCITY_AFTER], TWIST * sizeof(double));
  memset(change, 0, TWIST * sizeof(double));
  if (rod->spec.root == CPS_END_FREE) return;
  put(before, rod->root.velocity_before);
  put(change, cps_vec3_sub(rod->root.velocity, rod->root.velocity_before));
  if (rod->spec.root == CPS_END_PINNED) return;
  put(before + 3, rod->root.spin_before);
  put(change + 3, cps_vec3_sub(rod->root.spin, rod->root.spin_before));
}

// A tip that is held: the springs of super_helix.c on its position and, clamped, on its frame, whose error is
//
//   (1/2) sum over axes (axis now x axis wanted)                                                                     (7)
static void hold_tip(const CpsRod* rod, const CpsModelStep* step, View* v) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  double h = step->h, L = trunk->length, EI = fmax(trunk->stiffness[0], fmax(trunk->stiffness[1], trunk->stiffness[2]));
  double stiffness = 1e4 * trunk->line_density * L / (h * h) + 1e6 * EI / (L * L * L);
  int32_t last = trunk->elements - 1;
  CpsRodPull pull = {.stiffness = stiffness,
                     .damping = h * stiffness,
                     .target = rod->tip.next.position,
                     .target_velocity = rod->tip.velocity};
  add_pull(step, v, last, v->element[last].size, &pull);
  if (rod->spec.tip != CPS_END_CLAMPED) return;
  const Base* base = &v->then[last];
  Local p = local_at(base->k, v->element[last].size);
  CpsMat3 R = cps_mat3_multiply(base->R, cps_helix_turn(&p.helix)), wanted = cps_quat_matrix(rod->tip.next.rotation);
  // with the target at theta of the step and the damper, as in add_pull
  CpsVec3 error = cps_vec3_scale((step->theta - 1.0) * h + h, rod->tip.spin);
  for (int j = 0; j < 3; ++j) {
    CpsVec3 axis = {R.m[j], R.m[3 + j], R.m[6 + j]}, to = {wanted.m[j], wanted.m[3 + j], wanted.m[6 + j]};
    error = cps_vec3_axpy(error, 0.5, cps_vec3_cross(axis, to));
  }
  double S[27];
  spin_rows(base, &p, S);
  stiffness *= L * L;
  add_spring(v, step, last, S, cps_vec3_scale(stiffness, error), stiffness, h * stiffness);
}

// Velocities `to` = `from` + L^-T z, the prescribed components of the root by `change`.
static void move(View* v, const double* z, const double change[CPS_TWIST], CpsVelocity from, CpsVelocity to) {
  double base[CPS_TWIST];
  memcpy(base, change, sizeof base);
  cps_articulated_outward(&v->tree, z, base, v->rate[to], v->twist[to]);
  for (int j = 0; j < TWIST; ++j) v->root[to][j] = v->root[from][j] + base[j];
  for (int64_t j = 0; j < RATES * (int64_t)v->tree.count; ++j) v->rate[to][j] += v->rate[from][j];
  for (int64_t j = 0; j < TWIST * (int64_t)v->tree.count; ++j) v->twist[to][j] += v->twist[from][j];
}

static void begin(CpsRod* rod, const CpsModelStep* step) {
  View v = view(rod);
  int32_t n = v.tree.count;
  double change[CPS_TWIST];
  move_root(rod, &v, change);
  memcpy(v.then, v.now, (size_t)n * sizeof *v.then);
  memcpy(v.rate[CPS_VELOCITY_BEFORE], v.rate[CPS_VELOCITY_AFTER], RATES * (size_t)n * sizeof(double));
  const double ground[CPS_TWIST] = {0};
  for (int32_t i = 0; i < n; ++i) {
    int32_t p = v.tree.parent[i];
    cps_articulated_twist(&v.tree, i, v.root[CPS_VELOCITY_BEFORE], v.rate[CPS_VELOCITY_BEFORE],
                          v.twist[CPS_VELOCITY_BEFORE]);
    begin_element(rod, step, &v, i, p < 0 ? ground : v.bias + (int64_t)TWIST * p, v.bias + (int64_t)TWIST * i);
  }
  add_rotary(rod, step, &v);
  for (int32_t i = 0; i < rod->pull_count; ++i) {
    CpsRodPlace place = cps_rod_place(&rod->spec, rod->pulls[i].s);
    add_pull(step, &v, place.element, place.local, &rod->pulls[i]);
  }
  if (rod->spec.tip != CPS_END_FREE) hold_tip(rod, step, &v);
  cps_articulated_factor(&v.tree);
  cps_articulated_inward(&v.tree, v.force, v.z);
  move(&v, v.z, change, CPS_VELOCITY_BEFORE, CPS_VELOCITY_FREE);
}

static void rows(const CpsRod* rod, double s, const CpsMat3* frame, double sign, double* G) {
  View v = view(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const Base* base = &v.then[place.element];
  Local p = local_at(base->k, place.local);
  double S[27];
  point_rows(base, &p, S);
  for (int i = 0; i < 3; ++i) {
    double f[CPS_CARRIED];
    const double* e = frame->m + 3 * i;
    for (int j = 0; j < CARRIED; ++j) f[j] = sign * (e[0] * S[j] + e[1] * S[CARRIED + j] + e[2] * S[2 * CARRIED + j]);
    cps_articulated_inward_chain(&v.tree, place.element, f, G + (int64_t)rod->dofs * i);
  }
}

static void receive(CpsRod* rod, const double* z) {
  static const double STILL[CPS_TWIST] = {0};
  View v = view(rod);
  if (z) {
    move(&v, z, STILL, CPS_VELOCITY_FREE, CPS_VELOCITY_AFTER);
    return;
  }
  size_t n = (size_t)v.tree.count;
  memcpy(v.root[CPS_VELOCITY_AFTER], v.root[CPS_VELOCITY_FREE], TWIST * sizeof(double));
  memcpy(v.rate[CPS_VELOCITY_AFTER], v.rate[CPS_VELOCITY_FREE], RATES * n * sizeof(double));
  memcpy(v.twist[CPS_VELOCITY_AFTER], v.twist[CPS_VELOCITY_FREE], TWIST * n * sizeof(double));
}

// Moves the root; its spin stays what it is in the axes of the root.
static void displace(View* v, CpsVec3 by, CpsVec3 turn) {
  CpsQuat more = cps_quat_exp(turn);
  double* spin = v->root[CPS_VELOCITY_AFTER] + 3;
  v->pose->position = cps_vec3_add(v->pose->position, by);
  v->pose->rotation = cps_quat_unit(cps_quat_multiply(more, v->pose->rotation));
  put(spin, cps_quat_rotate(more, vec3_of(spin)));
}

static void advance(CpsRod* rod, const CpsModelStep* step) {
  View v = view(rod);
  double after = step->h * step->theta, before = step->h * (1.0 - step->theta);
  const double *r1 = v.root[CPS_VELOCITY_AFTER], *r0 = v.root[CPS_VELOCITY_BEFORE];
  const double *k1 = v.rate[CPS_VELOCITY_AFTER], *k0 = v.rate[CPS_VELOCITY_BEFORE];
  for (int32_t i = 0; i < v.tree.count; ++i) {
    CpsVec3 k = cps_vec3_axpy(v.curvature[i], after, vec3_of(k1 + (int64_t)RATES * i));
    v.curvature[i] = cps_vec3_axpy(k, before, vec3_of(k0 + (int64_t)RATES * i));
  }
  if (rod->spec.root == CPS_END_CLAMPED) {
    *v.pose = rod->root.next;
    return;
  }
  displace(&v, cps_vec3_axpy(cps_vec3_scale(after, vec3_of(r1)), before, vec3_of(r0)),
           cps_vec3_axpy(cps_vec3_scale(after, vec3_of(r1 + 3)), before, vec3_of(r0 + 3)));
  if (rod->spec.root == CPS_END_PINNED) v.pose->position = rod->root.next.position;
}

static void shift(CpsRod* rod, const double* z) {
  View v = view(rod);
  double base[CPS_TWIST] = {0}, *rate = v.force, *twist = v.force + RATES * (int64_t)v.tree.count;
  cps_articulated_outward(&v.tree, z, base, rate, twist);
  for (int32_t i = 0; i < v.tree.count; ++i) {
    v.curvature[i] = cps_vec3_add(v.curvature[i], vec3_of(rate + (int64_t)RATES * i));
  }
  if (rod->spec.root != CPS_END_CLAMPED) displace(&v, vec3_of(base), vec3_of(base + 3));
}

// All velocities of the unknowns times a factor; prescribed ones stay.
static void slow(CpsRod* rod, double factor) {
  View v = view(rod);
  for (int j = v.tree.held; j < TWIST; ++j) v.root[CPS_VELOCITY_AFTER][j] *= factor;
  for (int64_t j = 0; j < RATES * (int64_t)v.tree.count; ++j) v.rate[CPS_VELOCITY_AFTER][j] *= factor;
  refresh(rod);
}

static void move_rigidly(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  View v = view(rod);
  double* root = v.root[CPS_VELOCITY_AFTER];
  if (rod->spec.root == CPS_END_FREE) put(root, cps_vec3_add(linear, cps_vec3_cross(spin, v.pose->position)));
  if (rod->spec.root != CPS_END_CLAMPED) put(root + 3, spin);
  memset(v.rate[CPS_VELOCITY_AFTER], 0, RATES * (size_t)v.tree.count * sizeof(double));
  refresh(rod);
}

// --- observing ------------------------------------------------------------------------------------------------------

// Sums over the masses of all elements now.
typedef struct Sums {
  double kinetic;
  CpsVec3 position, linear, angular;  // about the origin
} Sums;

static void sum_element(const View* v, int32_t i, Sums* sum) {
  const Element* element = &v->element[i];
  const Base* base = &v->now[i];
  const double* twist = v->twist[CPS_VELOCITY_AFTER] + (int64_t)TWIST * i;
  const double* rate = v->rate[CPS_VELOCITY_AFTER] + (int64_t)RATES * i;
  int32_t panels = cps_helix_panels(element->size * cps_vec3_norm(base->k));
  double panel = element->size / panels;
  for (int32_t j = 0; j < panels * CPS_HELIX_POINTS; ++j) {
    int node = j % CPS_HELIX_POINTS;
    Local p = local_at(base->k, panel * (j / CPS_HELIX_POINTS + cps_helix_node[node]));
    double S[27], m = element->density * panel * cps_helix_weight[node];
    point_rows(base, &p, S);
    CpsVec3 x = position(base, &p), u = apply_rows(S, twist, rate);
    sum->kinetic += 0.5 * m * cps_vec3_dot(u, u);
    sum->position = cps_vec3_axpy(sum->position, m, x);
    sum->linear = cps_vec3_axpy(sum->linear, m, u);
    sum->angular = cps_vec3_axpy(sum->angular, m, cps_vec3_cross(x, u));
  }
}

static Sums sum_all(const CpsRod* rod, const View* v) {
  Sums sum = {0};
  for (int32_t i = 0; i < v->tree.count; ++i) sum_element(v, i, &sum);
  const CpsMat3* R = &v->now[0].R;
  CpsVec3 t = {R->m[0], R->m[3], R->m[6]};
  double spin = cps_vec3_dot(t, vec3_of(v->root[CPS_VELOCITY_AFTER] + 3)), moment = rotary_inertia(&rod->spec) * spin;
  sum.kinetic += 0.5 * moment * spin;
  sum.angular = cps_vec3_axpy(sum.angular, moment, t);
  return sum;
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  View v = view(rod);
  Sums sum = sum_all(rod, &v);
  double elastic = 0.0;
  for (int32_t i = 0; i < v.tree.count; ++i) {
    CpsVec3 K = v.element[i].stiffness, e = cps_vec3_sub(v.curvature[i], v.element[i].natural);
    elastic += 0.5 * (K.x * e.x * e.x + K.y * e.y * e.y + K.z * e.z * e.z);
  }
  double weight = rod->spec.gravity ? -cps_vec3_dot(gravity, sum.position) : 0.0;
  *out = (CpsRodEnergy){.kinetic = sum.kinetic, .gravity = weight, .elastic = elastic};
}

static void momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular) {
  View v = view(rod);
  Sums sum = sum_all(rod, &v);
  *linear = sum.linear;
  *angular = sum.angular;
}

const CpsRodType cps_rod_super_helix_recursive = {
    .name = "super-helix-recursive",
    .trees = true,
    .sizes = sizes,
    .create = create,
    .refresh = refresh,
    .at = at,
    .begin = begin,
    .rows = rows,
    .velocity = velocity,
    .receive = receive,
    .advance = advance,
    .shift = shift,
    .slow = slow,
    .move_rigidly = move_rigidly,
    .energy = energy,
    .momentum = momentum,
};
