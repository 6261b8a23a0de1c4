// The step of a super-clothoid: M~, its factor and the free velocity, as a composite of deformable elements.
//
// A change of the two curvatures of element i moves the end of the element by slide_i and turns it by turn_i; everything
// beyond it follows as a rigid body. With this motion, taken at the end of element i, as six numbers,
//
//   Phi_i = [ turn_i ; slide_i ],    H_j = inertia of all that follows element j about its end (6 x 6)
//   F_j   = H_j Phi_j + int_j rho [ x × J ; J ]       wrench that moves element j and what follows it              (1)
//   M_jj  = Phi_j^T H_j Phi_j + int_j rho J^T J,      M_ij = Phi_i^T (F_j shifted to the end of element i), i < j  (2)
//
// This is the composite rigid body algorithm with six degrees of freedom per joint: N^2 blocks, each in constant time.
// A joint belongs to two elements, so blocks of (2) are summed over them. Loads act in the same way,
//
//   right_i = int_i J^T f + Phi_i^T (wrench of f on all that follows)                                              (3)
//   f = h (rho g - drag x') - rho c - (rho + h theta drag) (change of the prescribed motion of the root)            (4)
//   c = J(q) v + x'_root - (J(q_then) v + x'_root)_then                                                             (5)
//
// with c the change of the point velocities since v was found, at the beginning of the last step. int rho J^T c is the
// bias: divided by h it tends to int rho J^T (dJ/dt) v. M v* is thus int rho J^T (previous velocities of the points) + h forces, a
// projection in the kinetic-energy norm, which cannot increase the energy for any h. With (dJ/dt) v itself, a whipping
// rod blows up when it turns by a fraction of a radian in a step. Drag is proportional to rho: in M it acts as a heavier rod,
// rho + h theta drag. A root that is not clamped has one more row for every free direction.
#include "model/super_clothoid.h"
#include "sparse/dense.h"

#include <string.h>

// A rigid part of the rod, about a point.
typedef struct Composite {
  double mass;
  CpsVec3 first;
  CpsMat3 second;
  CpsVec3 force, torque;  // of the loads
} Composite;

// (4)
typedef struct Load {
  double rho, h_drag, inertia;
  CpsVec3 gravity;
  CpsVec3 root, spin_jump, velocity_jump;
} Load;

static CpsVec3 column(const CpsMat3* A, int j) {
  return cps_vec3(A->m[j], A->m[3 + j], A->m[6 + j]);
}

// |x|^2 I - x x^T, times m
static CpsMat3 inertia_of(double m, CpsVec3 x) {
  CpsMat3 out = cps_mat3_outer(x, cps_vec3_scale(-m, x));
  double xx = m * cps_vec3_dot(x, x);
  for (int j = 0; j < 3; ++j) out.m[4 * j] += xx;
  return out;
}

static void add_symmetric(CpsMat3* to, double s, const CpsMat3* A) {
  *to = cps_mat3_axpy(*to, s, *A);
}

// Moments about a point that lies at -d from the old one: every x becomes x + d.
static void shift_moments(double mass, CpsVec3* first, CpsMat3* second, CpsVec3 d) {
  CpsMat3 part = inertia_of(mass, d), cross = cps_mat3_outer(*first, d);
  double dot = 2.0 * cps_vec3_dot(*first, d);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) part.m[3 * i + j] += (i == j ? dot : 0.0) - cross.m[3 * i + j] - cross.m[3 * j + i];
  }
  add_symmetric(second, 1.0, &part);
  *first = cps_vec3_axpy(*first, mass, d);
}

// Effect of the change of the prescribed root motion on the velocity of a point.
static CpsVec3 jump_at(const Load* load, CpsVec3 position) {
  return cps_vec3_add(load->velocity_jump, cps_vec3_cross(load->spin_jump, cps_vec3_sub(position, load->root)));
}

// (4), with the previous velocity `then` of the point.
static CpsVec3 load_at(const Load* load, const CpsClothoidPoint* p, CpsVec3 position, CpsVec3 then) {
  CpsVec3 f = cps_vec3_axpy(load->gravity, -load->rho, cps_vec3_sub(p->velocity, then));
  f = cps_vec3_axpy(f, -load->h_drag, p->velocity);
  return cps_vec3_axpy(f, -load->inertia, jump_at(load, position));
}

static void clear_element(CpsClothoidElement* e) {
  e->mass = 0.0;
  e->first = e->force = e->torque = cps_vec3(0.0, 0.0, 0.0);
  e->second = cps_mat3_scale(0.0, cps_mat3_identity());
  for (int j = 0; j < 6; ++j) {
    e->momentum[j] = e->moment[j] = cps_vec3(0.0, 0.0, 0.0);
    e->load[j] = 0.0;
  }
  for (int j = 0; j < 36; ++j) e->own[j] = 0.0;
  e->c = e->xc = cps_vec3(0.0, 0.0, 0.0);
  for (int j = 0; j < 6; ++j) e->Jc[j] = 0.0;
  e->cc = 0.0;
}

// One quadrature point, moments about the beginning of the element.
static void add_point(CpsClothoidElement* e, const CpsClothoidPoint* p, const Load* load, CpsVec3 then, double weight) {
  double m = weight * load->inertia;
  CpsVec3 f = cps_vec3_scale(weight, load_at(load, p, cps_vec3_add(e->position, p->position), then));
  CpsMat3 second = inertia_of(m, p->position);
  e->mass += m;
  e->first = cps_vec3_axpy(e->first, m, p->position);
  add_symmetric(&e->second, 1.0, &second);
  e->force = cps_vec3_add(e->force, f);
  e->torque = cps_vec3_add(e->torque, cps_vec3_cross(p->position, f));
  for (int a = 0; a < 6; ++a) {
    CpsVec3 J = cps_vec3_scale(m, p->slide[a]);
    e->momentum[a] = cps_vec3_add(e->momentum[a], J);
    e->moment[a] = cps_vec3_add(e->moment[a], cps_vec3_cross(p->position, J));
    e->load[a] += cps_vec3_dot(p->slide[a], f);
    for (int b = 0; b <= a; ++b) e->own[6 * a + b] += cps_vec3_dot(J, p->slide[b]);
  }
}

// Integrals of the change c of the point velocities, for the works of the step.
static void add_change(CpsClothoidElement* e, const CpsClothoidPoint* p, const Load* load, CpsVec3 then,
                       double weight) {
  const CpsVec3 c = cps_vec3_sub(p->velocity, then), part = cps_vec3_scale(weight * load->rho, c);
  e->c = cps_vec3_add(e->c, part);
  e->xc = cps_vec3_add(e->xc, cps_vec3_cross(p->position, part));
  for (int a = 0; a < 6; ++a) e->Jc[a] += cps_vec3_dot(p->slide[a], part);
  e->cc += cps_vec3_dot(c, part);
}

// From moments about the beginning to moments about the end.
static void shift_to_end(CpsClothoidElement* e, CpsVec3 end) {
  CpsVec3 d = cps_vec3_scale(-1.0, end);
  shift_moments(e->mass, &e->first, &e->second, d);
  e->torque = cps_vec3_add(e->torque, cps_vec3_cross(d, e->force));
  e->xc = cps_vec3_add(e->xc, cps_vec3_cross(d, e->c));
  for (int a = 0; a < 6; ++a) {
    e->moment[a] = cps_vec3_add(e->moment[a], cps_vec3_cross(d, e->momentum[a]));
    for (int b = 0; b < a; ++b) e->own[6 * b + a] = e->own[6 * a + b];
  }
}

// The element where its velocities were found: walked in parallel with the current one.
typedef struct Past {
  CpsMat3 frame;             // of its beginning
  CpsClothoidMotion motion;  // of its beginning
  CpsClothoidWalk walk;
} Past;

static void start_past(const CpsSuperClothoid* c, int32_t i, Past* past) {
  CpsClothoid clothoid = {c->k_then[i], c->k_then[i + 1], c->size};
  past->motion.rate0 = cps_super_clothoid_rate(c, c->v[CPS_VELOCITY_BEFORE], i);
  past->motion.rate1 = cps_super_clothoid_rate(c, c->v[CPS_VELOCITY_BEFORE], i + 1);
  cps_clothoid_start(&past->walk, &clothoid, c->size, CPS_CLOTHOID_MOTION, &past->frame, &past->motion);
  cps_clothoid_next(&past->walk);
}

static CpsVec3 past_velocity(Past* past, double s) {
  CpsClothoidWalk* walk = &past->walk;
  CpsClothoidPoint p;
  while (s > walk->at + walk->size && cps_clothoid_next(walk)) continue;
  cps_clothoid_read(walk, walk->size > 0.0 ? fmin((s - walk->at) / walk->size, 1.0) : 0.0, &p);
  return p.velocity;
}

static void end_past(Past* past) {
  CpsClothoidPoint p;
  while (cps_clothoid_next(&past->walk)) continue;
  cps_clothoid_read(&past->walk, 1.0, &p);
  past->frame = p.frame;
  past->motion.spin = p.spin;
  past->motion.velocity = p.velocity;
}

// Integrals of one element, and the beginning of the next one.
static void integrate_element(CpsSuperClothoid* c, int32_t i, const Load* load, Past* past) {
  CpsClothoidElement *e = &c->element[i], *next = e + 1;
  CpsClothoid clothoid = {c->k[i], c->k[i + 1], c->size};
  CpsClothoidWalk walk;
  CpsClothoidPoint p;
  start_past(c, i, past);
  CpsClothoidMotion motion = past->motion;
  motion.spin = e->spin[CPS_VELOCITY_BEFORE];
  motion.velocity = e->velocity[CPS_VELOCITY_BEFORE];
  clear_element(e);
  cps_clothoid_start(&walk, &clothoid, c->size, CPS_CLOTHOID_JACOBIAN, &e->frame, &motion);
  while (cps_clothoid_next(&walk)) {
    for (int q = 0; q < CPS_CLOTHOID_POINTS; ++q) {
      double t = cps_super_clothoid_node[q];
      cps_clothoid_read(&walk, t, &p);
      const CpsVec3 then = past_velocity(past, walk.at + t * walk.size);
      add_point(e, &p, load, then, cps_super_clothoid_weight[q] * walk.size);
      add_change(e, &p, load, then, cps_super_clothoid_weight[q] * walk.size);
    }
  }
  end_past(past);
  cps_clothoid_read(&walk, 1.0, &p);
  for (int a = 0; a < 6; ++a) {
    e->slide[a] = p.slide[a];
    e->turn[a] = p.turn[a];
  }
  shift_to_end(e, p.position);
  next->position = cps_vec3_add(e->position, p.position);
  next->frame = p.frame;
  next->spin[CPS_VELOCITY_BEFORE] = p.spin;
  next->velocity[CPS_VELOCITY_BEFORE] = p.velocity;
}

static void set_load(const CpsRod* rod, const CpsSuperClothoid* c, const CpsModelStep* step, Load* load) {
  double rho = rod->spec.branch[0].line_density;
  CpsVec3 none = {0.0, 0.0, 0.0};
  *load = (Load){.rho = rho,
                 .h_drag = step->h * rod->spec.drag,
                 .inertia = rho + step->h * step->theta * rod->spec.drag,
                 .gravity = rod->spec.gravity ? cps_vec3_scale(step->h * rho, step->gravity) : none,
                 .root = c->pose->position};
  if (rod->spec.root != CPS_END_FREE) load->velocity_jump = cps_vec3_sub(rod->root.velocity, rod->root.velocity_before);
  if (rod->spec.root == CPS_END_CLAMPED) load->spin_jump = cps_vec3_sub(rod->root.spin, rod->root.spin_before);
}

static void integrate(CpsRod* rod, CpsSuperClothoid* c, const Load* load) {
  CpsClothoidElement* first = &c->element[0];
  Past past = {.frame = cps_quat_matrix(c->pose_then->rotation)};
  first->position = c->pose->position;
  first->frame = cps_quat_matrix(c->pose->rotation);
  CpsVec3 *spin = &first->spin[CPS_VELOCITY_BEFORE], *velocity = &first->velocity[CPS_VELOCITY_BEFORE];
  cps_super_clothoid_root(rod, c, CPS_VELOCITY_BEFORE, spin, velocity);
  past.motion.velocity = *velocity;
  // a free spin is stored in the axes of the root, which have turned
  past.motion.spin = *spin;
  if (rod->spec.root != CPS_END_CLAMPED) {
    past.motion.spin = cps_mat3_apply(past.frame, cps_mat3_apply_transposed(first->frame, *spin));
  }
  for (int32_t i = 0; i < c->count; ++i) {
    // weight, drag and inertia move with the section
    const double taper = cps_rod_element_taper(&rod->spec, i, 2);
    Load own = *load;
    own.rho *= taper;
    own.h_drag *= taper;
    own.inertia *= taper;
    own.gravity = cps_vec3_scale(taper, own.gravity);
    integrate_element(c, i, &own, &past);
  }
}

// Block M_ij of (2) in the lower triangle. If both elements share a joint, both halves fall on its diagonal block.
void cps_super_clothoid_scatter(CpsSuperClothoid* c, int32_t i, int32_t j, const CpsVec3* force,
                                const CpsVec3* torque) {
  const CpsClothoidElement* e = &c->element[i];
  for (int a = 0; a < 6; ++a) {
    int32_t row = cps_super_clothoid_column(c, i, a);
    for (int b = 0; b < 6; ++b) {
      int32_t col = cps_super_clothoid_column(c, j, b);
      double value = cps_vec3_dot(e->slide[a], force[b]) + cps_vec3_dot(e->turn[a], torque[b]);
      if (row > col) {
        c->L[(int64_t)row * c->dofs + col] += value;
      } else {
        c->L[(int64_t)col * c->dofs + row] += row == col ? 2.0 * value : value;
      }
    }
  }
}

// M_jj of (2); `force` and `torque` act on the part beyond it.
static void scatter_own(CpsSuperClothoid* c, int32_t j, const CpsVec3* force, const CpsVec3* torque) {
  const CpsClothoidElement* e = &c->element[j];
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b < 6; ++b) {
      int32_t row = cps_super_clothoid_column(c, j, a), col = cps_super_clothoid_column(c, j, b);
      if (row < col) continue;
      c->L[(int64_t)row * c->dofs + col] +=
          e->own[6 * a + b] + cps_vec3_dot(e->slide[a], force[b]) + cps_vec3_dot(e->turn[a], torque[b]);
    }
  }
}

// Rows of a free root for six columns of wrenches about the root, at `col` of each.
void cps_super_clothoid_scatter_root(CpsRod* rod, CpsSuperClothoid* c, int32_t j, const CpsVec3* force,
                                     const CpsVec3* torque) {
  const CpsMat3* R = &c->element[0].frame;
  int32_t spin = c->root + (rod->spec.root == CPS_END_FREE ? 3 : 0);
  for (int b = 0; b < 6; ++b) {
    int32_t col = cps_super_clothoid_column(c, j, b);
    CpsVec3 t = cps_mat3_apply_transposed(*R, torque[b]);
    const double turning[3] = {t.x, t.y, t.z}, moving[3] = {force[b].x, force[b].y, force[b].z};
    for (int a = 0; a < 3; ++a) {
      if (rod->spec.root == CPS_END_FREE) c->L[(int64_t)(c->root + a) * c->dofs + col] += moving[a];
      c->L[(int64_t)(spin + a) * c->dofs + col] += turning[a];
    }
  }
}

// Columns of element j: (1), then towards the root.
static void add_columns(CpsRod* rod, CpsSuperClothoid* c, int32_t j, const Composite* after) {
  const CpsClothoidElement* e = &c->element[j];
  CpsVec3 force[6], torque[6];
  for (int a = 0; a < 6; ++a) {
    force[a] = cps_vec3_axpy(cps_vec3_cross(e->turn[a], after->first), after->mass, e->slide[a]);
    torque[a] = cps_vec3_add(cps_vec3_cross(after->first, e->slide[a]), cps_mat3_apply(after->second, e->turn[a]));
  }
  scatter_own(c, j, force, torque);
  for (int a = 0; a < 6; ++a) {
    force[a] = cps_vec3_add(force[a], e->momentum[a]);
    torque[a] = cps_vec3_add(torque[a], e->moment[a]);
  }
  for (int32_t i = j - 1; i >= -1; --i) {
    // from the end of element i + 1 to its beginning, which is the end of element i
    CpsVec3 d = cps_vec3_sub(c->element[i + 2].position, c->element[i + 1].position);
    for (int a = 0; a < 6; ++a) torque[a] = cps_vec3_add(torque[a], cps_vec3_cross(d, force[a]));
    if (i >= 0) cps_super_clothoid_scatter(c, i, j, force, torque);
  }
  if (rod->spec.root != CPS_END_CLAMPED) cps_super_clothoid_scatter_root(rod, c, j, force, torque);
}

static void add_right(CpsSuperClothoid* c, int32_t j, const Composite* after) {
  const CpsClothoidElement* e = &c->element[j];
  for (int a = 0; a < 6; ++a) {
    c->right[cps_super_clothoid_column(c, j, a)] +=
        e->load[a] + cps_vec3_dot(e->slide[a], after->force) + cps_vec3_dot(e->turn[a], after->torque);
  }
}

// Adds element j to the composite and moves the reference to its beginning.
static void take_in(const CpsSuperClothoid* c, int32_t j, Composite* all) {
  const CpsClothoidElement* e = &c->element[j];
  CpsVec3 d = cps_vec3_sub(c->element[j + 1].position, e->position);
  all->mass += e->mass;
  all->first = cps_vec3_add(all->first, e->first);
  add_symmetric(&all->second, 1.0, &e->second);
  all->force = cps_vec3_add(all->force, e->force);
  all->torque = cps_vec3_add(all->torque, cps_vec3_add(e->torque, cps_vec3_cross(d, all->force)));
  shift_moments(all->mass, &all->first, &all->second, d);
}

// Rows of the root among themselves, with its axes for the spin. A straight rod spinning about its axis has only the inertia of
// its sections. It is added as one number, that of the whole rod about the tangent of the root. Its gyroscopic moment is smaller
// than the others by (radius / length)^2 and neglected.
static void add_root(CpsRod* rod, CpsSuperClothoid* c, const Composite* all) {
  const CpsMat3* R = &c->element[0].frame;
  bool free = rod->spec.root == CPS_END_FREE;
  int32_t spin = c->root + (free ? 3 : 0);
  for (int b = 0; b < 3; ++b) {
    CpsVec3 axis = column(R, b), second = cps_mat3_apply_transposed(*R, cps_mat3_apply(all->second, axis));
    CpsVec3 moving = cps_vec3_cross(axis, all->first);
    const double turning[3] = {second.x, second.y, second.z}, force[3] = {moving.x, moving.y, moving.z};
    for (int a = b; a < 3; ++a) c->L[(int64_t)(spin + a) * c->dofs + spin + b] += turning[a];
    if (!free) continue;
    for (int a = 0; a < 3; ++a) c->L[(int64_t)(spin + b) * c->dofs + c->root + a] += force[a];
    c->L[(int64_t)(c->root + b) * (c->dofs + 1)] += all->mass;
  }
  double polar = cps_super_clothoid_polar(rod);
  CpsVec3 torque = cps_mat3_apply_transposed(*R, all->torque);
  c->L[(int64_t)spin * (c->dofs + 1)] += polar;
  c->right[spin] += torque.x;
  c->right[spin + 1] += torque.y;
  c->right[spin + 2] += torque.z;
  if (!free) return;
  c->right[c->root] += all->force.x;
  c->right[c->root + 1] += all->force.y;
  c->right[c->root + 2] += all->force.z;
}

// Stiffness and internal damping: (h theta damping + h^2 theta^2) K on the left, -h K (q - natural + (h theta + damping) v)
// on the right.
static void add_elasticity(CpsRod* rod, CpsSuperClothoid* c, const CpsModelStep* step) {
  double ht = step->h * step->theta, factor = ht * (rod->spec.damping + ht) * c->size / 6.0;
  const double* K3 = rod->spec.branch[0].stiffness;
  for (int32_t i = 0; i <= c->count; ++i) {
    double left = cps_super_clothoid_taper(rod, c, i - 1), right = cps_super_clothoid_taper(rod, c, i);
    for (int j = 0; j < 3; ++j) {
      int32_t row = cps_super_clothoid_index(c, i, j);
      c->L[(int64_t)row * (c->dofs + 1)] += 2.0 * (left + right) * factor * K3[j];
      if (i < c->count) c->L[(int64_t)row * c->dofs + row - 3] += right * factor * K3[j];
    }
  }
  CpsVec3* x = (CpsVec3*)c->J;
  for (int32_t i = 0; i <= c->count; ++i) {
    x[i] = cps_vec3_axpy(cps_vec3_sub(c->k[i], c->natural[i]), ht + rod->spec.damping,
                         cps_super_clothoid_rate(c, c->v[CPS_VELOCITY_BEFORE], i));
  }
  cps_super_clothoid_stiffness(rod, c, -step->h, x, c->right);
}

// A spring and damper on three coordinates with rows A: their present error, and their rate relative to the target.
// `jump` is the change of their prescribed velocity in this step.
typedef struct Spring {
  double stiffness, damping;
  CpsVec3 force, error, rate, jump;
} Spring;

static void add_spring(CpsSuperClothoid* c, const CpsModelStep* step, const double* A, const Spring* s) {
  double h = step->h, ht = h * step->theta, left = ht * (s->damping + ht * s->stiffness);
  CpsVec3 f = cps_vec3_axpy(s->force, s->stiffness, cps_vec3_axpy(s->error, -ht, s->rate));
  f = cps_vec3_axpy(cps_vec3_scale(h, cps_vec3_axpy(f, -s->damping, s->rate)), -left, s->jump);
  const double impulse[3] = {f.x, f.y, f.z};
  int32_t m = c->dofs;
  for (int k = 0; k < 3; ++k) {
    const double* row = A + (int64_t)k * m;
    for (int32_t i = 0; i < m; ++i) {
      if (row[i] == 0.0) continue;
      double* L = c->L + (int64_t)i * m;
      for (int32_t j = 0; left > 0.0 && j <= i; ++j) L[j] += left * row[i] * row[j];
      c->right[i] += impulse[k] * row[i];
    }
  }
}

static void add_pulls(CpsRod* rod, CpsSuperClothoid* c, const CpsModelStep* step, const Load* load) {
  for (int32_t i = 0; i < rod->pull_count; ++i) {
    const CpsRodPull* pull = &rod->pulls[i];
    CpsVec3 x = rod->type->at(rod, pull->s).position, v = rod->type->velocity(rod, pull->s, CPS_VELOCITY_BEFORE);
    Spring spring = {pull->stiffness, pull->damping, pull->force, cps_vec3_sub(pull->target, x), v, jump_at(load, x)};
    // the spring uses the velocity itself, the damper that relative to the target
    spring.force = cps_vec3_axpy(spring.force, pull->damping, pull->target_velocity);
    cps_super_clothoid_jacobian(rod, c, pull->s, NULL, c->J, NULL);
    add_spring(c, step, c->J, &spring);
  }
}

// A held tip: springs as stiff as an element under stretching, with its length as lever for the frame, damped within
// a step.
static void add_tip(CpsRod* rod, CpsSuperClothoid* c, const CpsModelStep* step, const Load* load) {
  if (rod->spec.tip == CPS_END_FREE) return;
  const CpsClothoidElement* tip = &c->element[c->count];
  const CpsRodEnd* end = &rod->tip;
  double stiffness = rod->spec.stretch / c->size, late = (1.0 - step->theta) * step->h;
  rod->hold = (CpsRodPull){.s = rod->spec.length,
                           .stiffness = stiffness,
                           .damping = step->h * stiffness,
                           .target = end->next.position,
                           .target_velocity = end->velocity};
  rod->hold_from = tip->position;
  double* turn = c->J + 3 * (int64_t)c->dofs;
  cps_super_clothoid_jacobian(rod, c, rod->spec.length, NULL, c->J, turn);
  CpsVec3 none = {0.0, 0.0, 0.0}, target = cps_vec3_axpy(end->next.position, -late, end->velocity);
  Spring spring = {stiffness,
                   stiffness * step->h,
                   none,
                   cps_vec3_sub(target, tip->position),
                   tip->velocity[CPS_VELOCITY_BEFORE],
                   jump_at(load, tip->position)};
  spring.force = cps_vec3_scale(spring.damping, end->velocity);
  add_spring(c, step, c->J, &spring);
  if (rod->spec.tip == CPS_END_PINNED) return;
  // half the sum of axis × wanted axis is the sine of the angle about its axis
  CpsMat3 wanted = cps_quat_matrix(end->next.rotation);
  CpsVec3 error = none;
  for (int j = 0; j < 3; ++j)
    error = cps_vec3_axpy(error, 0.5, cps_vec3_cross(column(&tip->frame, j), column(&wanted, j)));
  spring.stiffness *= c->size * c->size;
  spring.damping *= c->size * c->size;
  spring.error = cps_vec3_axpy(error, -late, end->spin);
  spring.rate = tip->spin[CPS_VELOCITY_BEFORE];
  spring.force = cps_vec3_scale(spring.damping, end->spin);
  spring.jump = load->spin_jump;
  add_spring(c, step, turn, &spring);
}

// M~ = L L^T. Rounding may spoil a barely positive definite matrix; its diagonal is then slightly increased.
static void factorise(CpsSuperClothoid* c) {
  int32_t m = c->dofs;
  for (int32_t i = 0; i < m; ++i) {
    c->diagonal[i] = c->L[(int64_t)i * (m + 1)];
    for (int32_t j = 0; j < i; ++j) c->L[(int64_t)j * m + i] = c->L[(int64_t)i * m + j];
  }
  double more = 1e-14;
  while (!cps_dense_cholesky_factor(m, c->L, 0.0) && more < 1.0) {
    for (int32_t i = 0; i < m; ++i) {
      c->L[(int64_t)i * (m + 1)] = (1.0 + more) * c->diagonal[i];
      for (int32_t j = 0; j < i; ++j) c->L[(int64_t)i * m + j] = c->L[(int64_t)j * m + i];
    }
    more *= 100.0;
  }
}

void cps_super_clothoid_begin(CpsRod* rod, const CpsModelStep* step) {
  CpsSuperClothoid c = cps_super_clothoid(rod);
  int32_t m = c.dofs;
  memcpy(c.v[CPS_VELOCITY_BEFORE], c.v[CPS_VELOCITY_AFTER], (size_t)m * sizeof(double));
  memset(c.L, 0, (size_t)m * (size_t)m * sizeof(double));
  memset(c.right, 0, (size_t)m * sizeof(double));
  if (rod->spec.root != CPS_END_FREE) c.pose->position = rod->root.now.position;
  if (rod->spec.root == CPS_END_CLAMPED) c.pose->rotation = rod->root.now.rotation;
  Load load;
  set_load(rod, &c, step, &load);
  integrate(rod, &c, &load);
  Composite all = {0};
  for (int32_t j = c.count - 1; j >= 0; --j) {
    add_columns(rod, &c, j, &all);
    add_right(&c, j, &all);
    take_in(&c, j, &all);
  }
  if (rod->spec.root != CPS_END_CLAMPED) add_root(rod, &c, &all);
  add_elasticity(rod, &c, step);
  add_pulls(rod, &c, step, &load);
  if (rod->tensions) cps_super_clothoid_tension(rod, &c, step, load.spin_jump);
  add_tip(rod, &c, step, &load);
  factorise(&c);
  cps_dense_cholesky_solve(m, c.L, c.right);
  for (int32_t i = 0; i < m; ++i) c.v[CPS_VELOCITY_FREE][i] = c.v[CPS_VELOCITY_BEFORE][i] + c.right[i];
  cps_super_clothoid_carry(rod, &c, CPS_VELOCITY_FREE);
}
