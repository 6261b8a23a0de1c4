// Super-helix in linear time (Bertails 2009; habilitation of Bertails-Descoubes 2017, section 2.4), also as a tree.
//
// The motion is that of super_helix.c: elements of constant material curvature k; unknowns are their rates k' and the twist
// (v, w) of the root as far as it is not held. In an element whose base is at x_0 with frame R and twist (v, w), the point
// at distance a along it has, with the functions of helix.h,
//
//   d = a w(a k),   x = x_0 + R d                                                                                   (1)
//   x' = v + w x R d + R B k' = S (v, w, k'),   B = a^2 dw/dv(a k),   S: 3 x 9                                      (2)
//   w(a) = w + R C k',   C = a J_l(a k)                                                                             (3)
//
// Its share of the left side of (1) of rod.h is a form in (v, w, k'); with rho the mass per length and l its length,
//
//   H = int (rho + h theta drag) S^T S da + sum over pulls (h^2 theta^2 stiffness + h theta damping) S^T S
//       + (h^2 theta^2 + h theta damping) l diag(G J, E I_2, E I_3)  in k'                                          (4)
//
// and its share of the right side is
//
//   f = int S^T [rho (h g - c) - h drag x'] da
//       + h sum over pulls S^T [force + stiffness (target - x - h theta x') - damping (x' - target')]
//       - h l diag(..) [k - k_natural + (h theta + damping) k']                                                     (5)
//
//   c = S(q) (v, w, k') - S(q_then) (v, w, k')_then                                                                 (6)
//
// where c is the change of the velocities of points since those of the unknowns were found, at the beginning of the last
// step, as in super_helix_mass.c: the bias that cannot blow up. With these, articulated.c does the rest: a step is three
// sweeps over the elements, a contact one sweep from its element to the root.
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

// State and working memory by name. [which] is a CpsVelocity: BEFORE and FREE are where the rod is, AFTER where it was at
// the beginning of the last step, when these velocities were found.
typedef struct View {
  CpsArticulated tree;
  // state
  CpsPose *pose, *pose_then;            // of the root
  CpsVec3 *curvature, *curvature_then;  // per element
  double* motion;                       // velocity (world axes) and spin (axes of the root) of the root
  // work, except rate[AFTER]
  double* rate[3];   // 3 per element
  double* root[3];   // twist of the root, world axes
  double* twist[3];  // of the bases, 6 per element
  int32_t* parent;   // also in `tree`, where it does not change
  Base *now, *then;  // bases of the elements where the rod is, and where it was
  Element* element;
  double* force;  // 9 per element: (5); scratch after begin
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
  v.pose_then = take(&state, 1, sizeof *v.pose_then);
  v.motion = take(&state, TWIST, sizeof(double));
  v.curvature = take(&state, n, sizeof *v.curvature);
  v.curvature_then = take(&state, n, sizeof *v.curvature_then);
  for (int which = 0; which < 3; ++which) {
    v.rate[which] = take(which == CPS_VELOCITY_AFTER ? &state : &work, RATES * (int64_t)n, sizeof(double));
    v.root[which] = take(&work, TWIST, sizeof(double));
    v.twist[which] = take(&work, TWIST * (int64_t)n, sizeof(double));
  }
  v.now = take(&work, n, sizeof *v.now);
  v.then = take(&work, n, sizeof *v.then);
  v.element = take(&work, n, sizeof *v.element);
  v.force = take(&work, CARRIED * (int64_t)n, sizeof(double));
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

// From here on the velocities AFTER belong to where the rod is.
static void settle(View* v) {
  *v->pose_then = *v->pose;
  memcpy(v->curvature_then, v->curvature, (size_t)v->tree.count * sizeof *v->curvature);
  memcpy(v->then, v->now, (size_t)v->tree.count * sizeof *v->now);
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
  settle(&v);
  return CPS_OK;
}

// --- geometry -------------------------------------------------------------------------------------------------------

// The point at distance a along an element, in the axes of its base: (1), (2).
typedef struct Local {
  CpsVec3 d;
  CpsMat3 B;
} Local;

static Local local_of(const CpsHelix* helix, double a) {
  Local p = {.d = cps_vec3_scale(a, cps_helix_chord(helix)), .B = cps_helix_chord_slope(helix)};
  for (int i = 0; i < 9; ++i) p.B.m[i] *= a * a;
  return p;
}

static Local local_at(CpsVec3 k, double a) {
  CpsHelix helix = cps_helix(cps_vec3_scale(a, k));
  return local_of(&helix, a);
}

// S of (2): 3 x 9.
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

// The same of the spin there, (3).
static void spin_rows(const Base* base, const CpsHelix* helix, double a, double S[27]) {
  CpsMat3 I = cps_mat3_identity(), C = cps_mat3_scale(a, cps_mat3_multiply(base->R, cps_helix_spin(helix)));
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

// Bases of all elements from the root outwards.
static void place_bases(const View* v, const CpsPose* pose, const CpsVec3* curvature, Base* base) {
  for (int32_t i = 0; i < v->tree.count; ++i) {
    int32_t p = v->parent[i];
    if (p < 0) {
      base[i] = (Base){pose->position, cps_quat_matrix(pose->rotation), curvature[i]};
      continue;
    }
    CpsHelix helix = cps_helix(cps_vec3_scale(v->element[p].size, curvature[p]));
    CpsVec3 d = cps_vec3_scale(v->element[p].size, cps_helix_chord(&helix));
    CpsMat3 R = cps_mat3_multiply(base[p].R, cps_helix_turn(&helix));
    base[i] = (Base){cps_vec3_add(base[p].x, cps_mat3_apply(base[p].R, d)), cps_mat3_multiply(R, v->element[i].turn),
                     curvature[i]};
  }
}

// The twist of a root with the frame R that moves with the velocities of the state, as far as it is not prescribed.
static void root_twist(const CpsRod* rod, const View* v, const CpsMat3* R, CpsVec3 velocity, CpsVec3 spin,
                       double* twist) {
  bool held = rod->spec.root != CPS_END_FREE, clamped = rod->spec.root == CPS_END_CLAMPED;
  put(twist, held ? velocity : vec3_of(v->motion));
  put(twist + 3, clamped ? spin : cps_mat3_apply(*R, vec3_of(v->motion + 3)));
}

// Twists AFTER of all bases, where the rod was; velocity and spin are those of a held root.
static void spread_then(const CpsRod* rod, const View* v, CpsVec3 velocity, CpsVec3 spin) {
  double* twist = v->twist[CPS_VELOCITY_AFTER];
  root_twist(rod, v, &v->then[0].R, velocity, spin, v->root[CPS_VELOCITY_AFTER]);
  for (int32_t i = 0; i < v->tree.count; ++i) {
    int32_t p = v->parent[i];
    double *own = twist + (int64_t)TWIST * i, S[27];
    if (p < 0) {
      memcpy(own, v->root[CPS_VELOCITY_AFTER], TWIST * sizeof(double));
      continue;
    }
    const double *from = twist + (int64_t)TWIST * p, *rate = v->rate[CPS_VELOCITY_AFTER] + (int64_t)RATES * p;
    double size = v->element[p].size;
    CpsHelix helix = cps_helix(cps_vec3_scale(size, v->then[p].k));
    Local end = local_of(&helix, size);
    point_rows(&v->then[p], &end, S);
    put(own, apply_rows(S, from, rate));
    spin_rows(&v->then[p], &helix, size, S);
    put(own + 3, apply_rows(S, from, rate));
  }
}

static void refresh(CpsRod* rod) {
  View v = view(rod);
  place_bases(&v, v.pose, v.curvature, v.now);
  place_bases(&v, v.pose_then, v.curvature_then, v.then);
  spread_then(rod, &v, rod->root.velocity, rod->root.spin);
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  View v = view(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const Base* base = &v.now[place.element];
  CpsHelix helix = cps_helix(cps_vec3_scale(place.local, base->k));
  Local p = local_of(&helix, place.local);
  return (CpsRodPoint){position(base, &p), cps_mat3_multiply(base->R, cps_helix_turn(&helix)), base->k};
}

static CpsVec3 velocity(const CpsRod* rod, double s, CpsVelocity which) {
  View v = view(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const Base* base = which == CPS_VELOCITY_AFTER ? &v.then[place.element] : &v.now[place.element];
  Local p = local_at(base->k, place.local);
  double S[27];
  point_rows(base, &p, S);
  return apply_rows(S, v.twist[which] + (int64_t)TWIST * place.element, v.rate[which] + (int64_t)RATES * place.element);
}

// --- the step -------------------------------------------------------------------------------------------------------

// The motion of an element before the step, in the axes of its base: twist of that and rates, and the same where the rod
// was, in the axes of then, with the turn from those to the axes of now.
typedef struct Motion {
  CpsVec3 v, w, rate;
  CpsVec3 k_then, v_then, w_then;
  CpsMat3 turn;
  CpsVec3 weight;  // h g
} Motion;

// The velocity of the point at distance a where the rod was, in the axes of the base there.
static CpsVec3 velocity_then(const Motion* m, double a) {
  CpsHelix helix = cps_helix(cps_vec3_scale(a, m->k_then));
  CpsVec3 d = cps_vec3_scale(a, cps_helix_chord(&helix)), own = cps_helix_chord_along(&helix, m->rate);
  return cps_vec3_axpy(cps_vec3_add(m->v_then, cps_vec3_cross(m->w_then, d)), a * a, own);
}

// Integrals over an element in the axes of its base: of the form (4), and the first line of (5).
typedef struct Integrals {
  double one;
  CpsVec3 d;
  CpsMat3 dd, B, dB, BB;        // d d^T, B, [d]x B, B^T B
  CpsVec3 force, torque, rate;  // S^T [rho (h g - c) - h drag x']
} Integrals;

// A += s B, in place: nine numbers are too many to hand around by value in a loop.
static void add_scaled(CpsMat3* A, double s, const CpsMat3* B) {
  for (int i = 0; i < 9; ++i) A->m[i] += s * B->m[i];
}

static void add_point(Integrals* sum, const Local* p, double weight, CpsVec3 f) {
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

static Integrals integrate(const Element* element, double drag, CpsVec3 k, const Motion* m) {
  Integrals sum = {0};
  int32_t panels = cps_helix_panels(element->size * cps_vec3_norm(k));
  double panel = element->size / panels;
  for (int32_t i = 0; i < panels * CPS_HELIX_POINTS; ++i) {
    int32_t node = i % CPS_HELIX_POINTS, which = i / CPS_HELIX_POINTS;
    double a = panel * (which + cps_helix_node[node]);
    Local p = local_at(k, a);
    CpsVec3 u = cps_vec3_add(cps_vec3_add(m->v, cps_vec3_cross(m->w, p.d)), cps_mat3_apply(p.B, m->rate));
    CpsVec3 u_then = cps_mat3_apply(m->turn, velocity_then(m, a));
    CpsVec3 f = cps_vec3_scale(element->density, cps_vec3_sub(m->weight, cps_vec3_sub(u, u_then)));
    add_point(&sum, &p, panel * cps_helix_weight[node], cps_vec3_axpy(f, -drag, u));
  }
  return sum;
}

static CpsMat3 transposed(CpsMat3 A) {
  return (CpsMat3){{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}

// Puts a 3 x 3 block and its transpose into the form.
static void put_block(double* H, int row, int column, double factor, CpsMat3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      H[CARRIED * (row + i) + column + j] = factor * block.m[3 * i + j];
      H[CARRIED * (column + j) + row + i] = factor * block.m[3 * i + j];
    }
}

// The first term of (4): int S^T S from the integrals, in world axes.
static void put_form(double* H, double factor, const Integrals* sum, const CpsMat3* R) {
  CpsMat3 dd = cps_mat3_multiply(cps_mat3_multiply(*R, sum->dd), transposed(*R));
  double trace = dd.m[0] + dd.m[4] + dd.m[8];
  CpsMat3 inertia = cps_mat3_axpy(cps_mat3_scale(trace, cps_mat3_identity()), -1.0, dd);
  put_block(H, 0, 0, factor * sum->one, cps_mat3_identity());
  put_block(H, 0, 3, -factor, cps_mat3_cross(cps_mat3_apply(*R, sum->d)));
  put_block(H, 0, 6, factor, cps_mat3_multiply(*R, sum->B));
  put_block(H, 3, 3, factor, inertia);
  put_block(H, 3, 6, factor, cps_mat3_multiply(*R, sum->dB));
  put_block(H, 6, 6, factor, sum->BB);
}

// The last terms of (4) and (5).
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

static Motion motion_before(const CpsRod* rod, const CpsModelStep* step, const View* v, int32_t i) {
  const double* twist = v->twist[CPS_VELOCITY_BEFORE] + (int64_t)TWIST * i;
  const double* then = v->twist[CPS_VELOCITY_AFTER] + (int64_t)TWIST * i;
  CpsMat3 back = transposed(v->now[i].R), back_then = transposed(v->then[i].R);
  return (Motion){.v = cps_mat3_apply(back, vec3_of(twist)),
                  .w = cps_mat3_apply(back, vec3_of(twist + 3)),
                  .rate = vec3_of(v->rate[CPS_VELOCITY_BEFORE] + (int64_t)RATES * i),
                  .k_then = v->then[i].k,
                  .v_then = cps_mat3_apply(back_then, vec3_of(then)),
                  .w_then = cps_mat3_apply(back_then, vec3_of(then + 3)),
                  .turn = cps_mat3_multiply(back, v->then[i].R),
                  .weight = cps_mat3_apply(back, cps_vec3_scale(rod->spec.gravity ? step->h : 0.0, step->gravity))};
}

// Everything of element i: X, H and f.
static void begin_element(const CpsRod* rod, const CpsModelStep* step, View* v, int32_t i) {
  const Element* element = &v->element[i];
  const Base* base = &v->now[i];
  CpsArticulatedElement* a = &v->tree.element[i];
  CpsHelix helix = cps_helix(cps_vec3_scale(element->size, base->k));
  Local end = local_of(&helix, element->size);
  point_rows(base, &end, a->X);
  spin_rows(base, &helix, element->size, a->X + 27);
  Motion m = motion_before(rod, step, v, i);
  Integrals sum = integrate(element, step->h * rod->spec.drag, base->k, &m);
  put_form(a->H, element->density + step->h * step->theta * rod->spec.drag, &sum, &base->R);
  double* f = v->force + (int64_t)CARRIED * i;
  put(f, cps_mat3_apply(base->R, sum.force));
  put(f + 3, cps_mat3_apply(base->R, sum.torque));
  put(f + 6, sum.rate);
  add_elastic(rod, step, element, base->k, m.rate, a->H, f);
}

// A spring on the rows S of an element: `force` without its stiff part, which is implicit: (4), (5).
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
  const Base* base = &v->now[element];
  Local p = local_at(base->k, a);
  double S[27];
  point_rows(base, &p, S);
  CpsVec3 target = cps_vec3_axpy(pull->target, (step->theta - 1.0) * step->h, pull->target_velocity);
  CpsVec3 F = cps_vec3_axpy(pull->force, pull->stiffness, cps_vec3_sub(target, position(base, &p)));
  add_spring(v, step, element, S, cps_vec3_axpy(F, pull->damping, pull->target_velocity), pull->stiffness,
             pull->damping);
}

// Inertia about the tangent of a root that is free to turn, without which a straight rod could be turned about itself by
// nothing; with its share of the drag, as in super_helix_mass.c.
static double rotary_inertia(const CpsRodSpec* spec) {
  const CpsRodBranch* trunk = &spec->branch[0];
  double mL2 = trunk->line_density * trunk->length * trunk->length * trunk->length;
  return spec->root == CPS_END_CLAMPED ? 0.0 : fmax(trunk->rotary[0] * trunk->length, 1e-10 * mL2);
}

static CpsVec3 tangent(const Base* base) {
  return cps_vec3(base->R.m[0], base->R.m[3], base->R.m[6]);
}

static void add_rotary(const CpsRod* rod, const CpsModelStep* step, View* v) {
  double inertia = rotary_inertia(&rod->spec), drag = inertia * rod->spec.drag / rod->spec.branch[0].line_density;
  CpsVec3 t = tangent(&v->now[0]), w = vec3_of(v->root[CPS_VELOCITY_BEFORE] + 3);
  const double S[CPS_CARRIED] = {0.0, 0.0, 0.0, t.x, t.y, t.z, 0.0, 0.0, 0.0};
  cps_articulated_add(v->tree.element[0].H, inertia + step->h * step->theta * drag, 1, S);
  put(v->force + 3, cps_vec3_axpy(vec3_of(v->force + 3), -step->h * drag * cps_vec3_dot(t, w), t));
}

// A tip that is held: the springs of super_helix.c on its position and, clamped, on its frame, whose error is
//
//   (1/2) sum over axes (axis now x axis wanted)                                                                     (7)
static void hold_tip(CpsRod* rod, const CpsModelStep* step, View* v) {
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  double h = step->h, L = trunk->length, EI = fmax(trunk->stiffness[0], fmax(trunk->stiffness[1], trunk->stiffness[2]));
  double stiffness = 1e4 * trunk->line_density * L / (h * h) + 1e6 * EI / (L * L * L);
  int32_t last = trunk->elements - 1;
  CpsRodPull pull = {.stiffness = stiffness,
                     .damping = h * stiffness,
                     .target = rod->tip.next.position,
                     .target_velocity = rod->tip.velocity};
  rod->hold = pull;
  rod->hold_from = at(rod, trunk->length).position;
  add_pull(step, v, last, v->element[last].size, &pull);
  if (rod->spec.tip != CPS_END_CLAMPED) return;
  const Base* base = &v->now[last];
  CpsHelix helix = cps_helix(cps_vec3_scale(v->element[last].size, base->k));
  CpsMat3 R = cps_mat3_multiply(base->R, cps_helix_turn(&helix)), wanted = cps_quat_matrix(rod->tip.next.rotation);
  // with the target at theta of the step and the damper, as in add_pull
  CpsVec3 error = cps_vec3_scale((step->theta - 1.0) * h + h, rod->tip.spin);
  for (int j = 0; j < 3; ++j) {
    CpsVec3 axis = {R.m[j], R.m[3 + j], R.m[6 + j]}, to = {wanted.m[j], wanted.m[3 + j], wanted.m[6 + j]};
    error = cps_vec3_axpy(error, 0.5, cps_vec3_cross(axis, to));
  }
  double S[27];
  spin_rows(base, &helix, v->element[last].size, S);
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
  const CpsRodEnd* root = &rod->root;
  double change[CPS_TWIST];
  put(change, cps_vec3_sub(root->velocity, root->velocity_before));
  put(change + 3, cps_vec3_sub(root->spin, root->spin_before));
  memcpy(v.rate[CPS_VELOCITY_BEFORE], v.rate[CPS_VELOCITY_AFTER], RATES * (size_t)v.tree.count * sizeof(double));
  spread_then(rod, &v, root->velocity_before, root->spin_before);
  root_twist(rod, &v, &v.now[0].R, root->velocity_before, root->spin_before, v.root[CPS_VELOCITY_BEFORE]);
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
  if (rod->spec.tip != CPS_END_FREE) hold_tip(rod, step, &v);
  cps_articulated_factor(&v.tree);
  cps_articulated_inward(&v.tree, v.force, v.z);
  move(&v, v.z, change, CPS_VELOCITY_BEFORE, CPS_VELOCITY_FREE);
}

static void rows(const CpsRod* rod, double s, const CpsMat3* frame, double sign, double* G) {
  View v = view(rod);
  CpsRodPlace place = cps_rod_place(&rod->spec, s);
  const Base* base = &v.now[place.element];
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
  size_t n = (size_t)v.tree.count;
  settle(&v);  // not before: a step may begin more than once
  if (z) {
    move(&v, z, STILL, CPS_VELOCITY_FREE, CPS_VELOCITY_AFTER);
  } else {
    memcpy(v.root[CPS_VELOCITY_AFTER], v.root[CPS_VELOCITY_FREE], TWIST * sizeof(double));
    memcpy(v.rate[CPS_VELOCITY_AFTER], v.rate[CPS_VELOCITY_FREE], RATES * n * sizeof(double));
    memcpy(v.twist[CPS_VELOCITY_AFTER], v.twist[CPS_VELOCITY_FREE], TWIST * n * sizeof(double));
  }
  // not before: a step may begin more than once
  settle(&v);
  memcpy(v.motion, v.root[CPS_VELOCITY_AFTER], 3 * sizeof(double));
  put(v.motion + 3, cps_mat3_apply_transposed(v.then[0].R, vec3_of(v.root[CPS_VELOCITY_AFTER] + 3)));
}

// Moves the root, the turn in world axes, as far as it is not held.
static void displace(const CpsRod* rod, View* v, CpsVec3 by, CpsVec3 turn) {
  if (rod->spec.root == CPS_END_FREE) v->pose->position = cps_vec3_add(v->pose->position, by);
  if (rod->spec.root == CPS_END_CLAMPED) return;
  v->pose->rotation = cps_quat_unit(cps_quat_multiply(cps_quat_exp(turn), v->pose->rotation));
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
  displace(rod, &v, cps_vec3_axpy(cps_vec3_scale(after, vec3_of(r1)), before, vec3_of(r0)),
           cps_vec3_axpy(cps_vec3_scale(after, vec3_of(r1 + 3)), before, vec3_of(r0 + 3)));
  if (rod->spec.root != CPS_END_FREE) v.pose->position = rod->root.next.position;
  if (rod->spec.root == CPS_END_CLAMPED) v.pose->rotation = rod->root.next.rotation;
}

static void shift(CpsRod* rod, const double* z) {
  View v = view(rod);
  double base[CPS_TWIST] = {0}, *rate = v.force, *twist = v.force + RATES * (int64_t)v.tree.count;
  cps_articulated_outward(&v.tree, z, base, rate, twist);
  for (int32_t i = 0; i < v.tree.count; ++i) {
    v.curvature[i] = cps_vec3_add(v.curvature[i], vec3_of(rate + (int64_t)RATES * i));
  }
  displace(rod, &v, vec3_of(base), vec3_of(base + 3));
}

static void slow(CpsRod* rod, double factor) {
  View v = view(rod);
  for (int j = 0; j < TWIST; ++j) v.motion[j] *= factor;
  for (int64_t j = 0; j < RATES * (int64_t)v.tree.count; ++j) v.rate[CPS_VELOCITY_AFTER][j] *= factor;
  spread_then(rod, &v, rod->root.velocity, rod->root.spin);
}

// Curvatures rest; a held root keeps its own motion.
static void move_rigidly(CpsRod* rod, CpsVec3 linear, CpsVec3 spin) {
  View v = view(rod);
  settle(&v);
  put(v.motion, cps_vec3_add(linear, cps_vec3_cross(spin, v.pose->position)));
  put(v.motion + 3, cps_mat3_apply_transposed(v.now[0].R, spin));
  memset(v.rate[CPS_VELOCITY_AFTER], 0, RATES * (size_t)v.tree.count * sizeof(double));
  spread_then(rod, &v, rod->root.velocity, rod->root.spin);
}

// --- observing ------------------------------------------------------------------------------------------------------

// Sums over the masses of all elements now.
typedef struct Sums {
  double kinetic;
  CpsVec3 position, linear, angular;  // about the origin
} Sums;

static void sum_element(const View* v, int32_t i, Sums* sum) {
  const Element* element = &v->element[i];
  const double* twist = v->twist[CPS_VELOCITY_AFTER] + (int64_t)TWIST * i;
  const double* rate = v->rate[CPS_VELOCITY_AFTER] + (int64_t)RATES * i;
  int32_t panels = cps_helix_panels(element->size * cps_vec3_norm(v->now[i].k));
  double panel = element->size / panels;
  for (int32_t j = 0; j < panels * CPS_HELIX_POINTS; ++j) {
    int32_t node = j % CPS_HELIX_POINTS, which = j / CPS_HELIX_POINTS;
    double a = panel * (which + cps_helix_node[node]);
    Local p = local_at(v->now[i].k, a), then = local_at(v->then[i].k, a);
    double S[27], m = element->density * panel * cps_helix_weight[node];
    point_rows(&v->then[i], &then, S);
    CpsVec3 x = position(&v->now[i], &p), u = apply_rows(S, twist, rate);
    sum->kinetic += 0.5 * m * cps_vec3_dot(u, u);
    sum->position = cps_vec3_axpy(sum->position, m, x);
    sum->linear = cps_vec3_axpy(sum->linear, m, u);
    sum->angular = cps_vec3_axpy(sum->angular, m, cps_vec3_cross(x, u));
  }
}

static Sums sum_all(const CpsRod* rod, const View* v) {
  Sums sum = {0};
  for (int32_t i = 0; i < v->tree.count; ++i) sum_element(v, i, &sum);
  double moment = rotary_inertia(&rod->spec) * v->motion[3];
  sum.kinetic += 0.5 * moment * v->motion[3];
  sum.angular = cps_vec3_axpy(sum.angular, moment, tangent(&v->now[0]));
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
