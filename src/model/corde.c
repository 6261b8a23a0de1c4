// CORDE: points and quaternions (Spillmann and Teschner 2007), implicit and explicit.
//
// Segment j has a length |e_j| at rest l, a tangent t_j = e_j / |e_j| and a frame R(q_j) whose first axis d_j should be the
// tangent. The paper takes the curvature of a joint between the frames q_a and q_b from the mean and the difference of the
// quaternions. With p = q_a* q_b = (c, v), a rotation by phi about n, it is
//
//   u = 2 Im(qm* dq) / (l |qm|^2) = 4 / l  v / (1 + c) = 4 / l  tan(phi / 4) n,   qm = (q_a + q_b) / 2, dq = q_b - q_a (1)
//
//   stretching 1/2 E S / l (|e| - l)^2,   bending and twisting l/2 (u - u0)^T diag(G J, E I_2, E I_3) (u - u0)        (2)
//   coupling   l/2 P |t - d|^2,           P = max(E S, 100 E I / l^2)                                                (3)
//
// P stands for the shear stiffness of the section; a shear force F turns the tangent by F / P from its frame. Frames
// turn by body rotations, q <- q exp(a / 2), for which dp = (p b - a p) / 2 and
//
//   dv/(1+c):   d(u l / 4) = 1/2 [ (c I + [v]x) / (1 + c) + v v^T / (1 + c)^2 ] b                                    (4)
//                          - 1/2 [ (c I - [v]x) / (1 + c) + v v^T / (1 + c)^2 ] a,     dd = -R [e_x]x a
//
// A clamped end is one more joint, half a cell long, between the prescribed frame and the frame of the end segment. Rotary
// inertia is that of the section; gyro.c turns free segments.
//
// The explicit form takes (2) and (3) at the beginning of the step: M~ is diagonal but for pulls. It is stable only for
//
//   h < sqrt(damping^2 + 4 / w^2) - damping,      w = sqrt(8 P / m) / l,    m the mass per length                    (5)
//
// and it gives the frames an additional inertia m l^3 / 4 of a bar across the tangent; without it, l in (5) would be the radius
// r. It does not subdivide its steps: above (5) it blows up.
#include "model/chain.h"
#include "model/rigid.h"

#include <math.h>
#include <string.h>

static const double COUPLING = 100.0;  // least P l^2 / E I

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  cps_chain_sizes(spec, 6, dofs, state, work);
}

static CpsVec3 tangent(const CpsChain* c, int32_t j) {
  return cps_vec3_unit(cps_vec3_sub(c->x[j + 1], c->x[j]));
}

static bool bends(const CpsRod* rod, int32_t i) {
  if (i == 0) return rod->spec.root == CPS_END_CLAMPED;
  if (i == rod->spec.elements) return rod->spec.tip == CPS_END_CLAMPED;
  return true;
}

static double cell_of(const CpsChain* c, int32_t i) {
  return i == 0 || i == c->segments ? 0.5 * c->size : c->size;
}

// p of (1). Frames of neighbours keep their signs; the sign of a held end is arbitrary.
static CpsQuat between(const CpsChain* c, int32_t i) {
  CpsQuat a = i == 0 ? c->clamp[0] : c->q[i - 1], b = i == c->segments ? c->clamp[1] : c->q[i];
  CpsQuat p = cps_quat_multiply(cps_quat_conjugate(a), b);
  bool flip = p.w < 0.0 && (i == 0 || i == c->segments);
  return flip ? (CpsQuat){-p.w, -p.x, -p.y, -p.z} : p;
}

// 1 + c, bounded away from zero for a joint turned by two right angles of (1)
static double divisor(CpsQuat p) {
  return fmax(1.0 + p.w, 1e-9);
}

static CpsVec3 curvature(const CpsChain* c, int32_t i) {
  CpsQuat p = between(c, i);
  return cps_vec3_scale(4.0 / (cell_of(c, i) * divisor(p)), cps_vec3(p.x, p.y, p.z));
}

static double coupling_stiffness(const CpsRod* rod, const CpsChain* c, int32_t j) {
  const double* B = rod->spec.branch[0].stiffness;
  const double bending = fmax(B[1], B[2]) * cps_rod_element_taper(&rod->spec, j, 4);
  return fmax(cps_chain_rigidity(rod, j), COUPLING * bending / (c->size * c->size));
}

// Quaternions at the middle of segments with the first axes rotated onto the tangents, and continuous signs.
static void set_frames(CpsChain* c, const CpsRodShape* shape) {
  for (int32_t j = 0; j < c->segments; ++j) {
    CpsQuat q = shape->frame[CPS_ROD_SAMPLES * j + CPS_ROD_SAMPLES / 2];
    CpsVec3 d = cps_quat_rotate(q, cps_vec3(1.0, 0.0, 0.0)), t = tangent(c, j), n = cps_vec3_cross(d, t);
    CpsQuat turn = {fmax(1.0 + cps_vec3_dot(d, t), 1e-12), n.x, n.y, n.z};
    q = cps_quat_unit(cps_quat_multiply(cps_quat_unit(turn), q));
    if (j > 0 && cps_quat_multiply(cps_quat_conjugate(c->q[j - 1]), q).w < 0.0) q = (CpsQuat){-q.w, -q.x, -q.y, -q.z};
    c->q[j] = q;
  }
}

// kappa becomes u0: a natural arc of angle phi has u0 = 4 / l tan(phi / 4).
static void set_natural(const CpsRod* rod, CpsChain* c, bool as_placed) {
  for (int32_t i = 0; i <= c->segments; ++i) {
    double size = cps_vec3_norm(c->kappa[i]), cell = cell_of(c, i), phi = fmin(size * cell, 6.0);
    if (size > 0.0) c->kappa[i] = cps_vec3_scale(4.0 / (cell * size) * tan(0.25 * phi), c->kappa[i]);
    if (as_placed && bends(rod, i)) c->kappa[i] = curvature(c, i);
  }
}

static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  CpsStatus status = cps_chain_create(rod, shape, error);
  if (status != CPS_OK) return status;
  CpsChain c = cps_chain_of(rod);
  set_frames(&c, shape);
  set_natural(rod, &c, shape->as_placed);
  return CPS_OK;
}

static CpsStatus create_explicit(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  CpsStatus status = create(rod, shape, error);
  if (status != CPS_OK) return status;
  CpsChain c = cps_chain_of(rod);
  for (int32_t j = 0; j < c.segments; ++j) {
    double density = rod->spec.branch[0].line_density * cps_rod_element_taper(&rod->spec, j, 2);
    double bar = 0.25 * density * c.size * c.size * c.size;
    c.mass[6 * j + 4] += bar;
    c.mass[6 * j + 5] += bar;
  }
  return CPS_OK;
}

// The points and quaternions of the state need no preparation.
static void refresh(CpsRod* rod) {
  (void)rod;
}

static CpsMat3 diagonal(double f, const double* d) {
  return (CpsMat3){{f * d[0], 0.0, 0.0, 0.0, f * d[1], 0.0, 0.0, 0.0, f * d[2]}};
}

// (2), (4)
static CpsStrain bending(const CpsRod* rod, const CpsChain* c, int32_t i) {
  bool root = i == 0, tip = i == c->segments;
  CpsStrain e = {.at = root ? 3 : 6 * i - 3, .width = root || tip ? 3 : 9, .damping = rod->spec.damping};
  double cell = cell_of(c, i);
  CpsQuat p = between(c, i);
  CpsVec3 v = {p.x, p.y, p.z};
  double w = 1.0 / divisor(p);
  CpsMat3 even = cps_mat3_axpy(cps_mat3_scale(w * p.w, cps_mat3_identity()), w * w, cps_mat3_outer(v, v));
  CpsMat3 odd = cps_mat3_scale(w, cps_mat3_cross(v));
  CpsMat3 by_b = cps_mat3_scale(2.0 / cell, cps_mat3_axpy(even, 1.0, odd));
  CpsMat3 by_a = cps_mat3_scale(-2.0 / cell, cps_mat3_axpy(even, -1.0, odd));
  e.g = cps_vec3_sub(curvature(c, i), c->kappa[i]);
  e.D = e.S = diagonal(cell * cps_rod_joint_taper(&rod->spec, i), rod->spec.branch[0].stiffness);
  if (root) {
    e.rate = cps_mat3_apply(by_a, cps_quat_rotate_back(c->clamp[0], rod->root.spin));
    cps_chain_block(&e, 0, by_b);
  } else if (tip) {
    e.rate = cps_mat3_apply(by_b, cps_quat_rotate_back(c->clamp[1], rod->tip.spin));
    cps_chain_block(&e, 0, by_a);
  } else {
    cps_chain_block(&e, 0, by_a);
    cps_chain_block(&e, 6, by_b);
  }
  return e;
}

static void damp_waves(const CpsRod* rod, const CpsChain* c, const CpsModelStep* step, int32_t i, CpsStrain* e) {
  const double damping = cps_chain_wave_damping(rod, c, step, i), bent[3] = {0.0, damping, damping};
  e->waves = damping > 0.0;
  e->V = diagonal(cell_of(c, i), bent);
}

// (3), in the axes of the frame: in world axes, damping would also act on the rotation of t - d with the segment
static CpsStrain coupling(const CpsRod* rod, const CpsChain* c, int32_t j) {
  CpsStrain e = {.at = 6 * j, .width = 9, .damping = rod->spec.damping};
  CpsVec3 t = tangent(c, j);
  double length = cps_vec3_norm(cps_vec3_sub(c->x[j + 1], c->x[j])), P = c->size * coupling_stiffness(rod, c, j);
  CpsMat3 slope = cps_mat3_scale(1.0 / length, cps_mat3_axpy(cps_mat3_identity(), -1.0, cps_mat3_outer(t, t)));
  CpsMat3 back = cps_quat_matrix(cps_quat_conjugate(c->q[j])), turned = cps_mat3_multiply(back, slope);
  CpsVec3 own = cps_mat3_apply(back, t);
  e.g = cps_vec3_sub(own, cps_vec3(1.0, 0.0, 0.0));
  e.D = e.S = cps_mat3_scale(P, cps_mat3_identity());
  cps_chain_block(&e, 0, cps_mat3_scale(-1.0, turned));
  cps_chain_block(&e, 3, cps_mat3_cross(own));
  cps_chain_block(&e, 6, turned);
  return e;
}

static CpsVec3 scaled(CpsVec3 I, CpsVec3 w, double f) {
  return cps_vec3(f * I.x * w.x, f * I.y * w.y, f * I.z * w.z);
}

// Torques that conserve the angular momentum of a freely rotating segment.
static void add_gyration(CpsChain* c, double h) {
  for (int32_t j = 0; j < c->segments; ++j) {
    int32_t at = 6 * j + 3;
    CpsVec3 I = cps_chain_get(c->mass, at), w = cps_chain_get(c->v, at);
    CpsVec3 d = cps_vec3_sub(cps_gyro_advance(I, w, cps_vec3(0.0, 0.0, 0.0), h), w);
    c->gyration[j] = scaled(I, d, 1.0 / h);
    cps_chain_set(c->force, at, cps_vec3_add(cps_chain_get(c->force, at), c->gyration[j]));
  }
}

// The same with the torques of the step, where v* gives the other changes of the spins: of second order at theta = 1/2.
static void gyrate_again(CpsChain* c, const CpsModelStep* step) {
  memset(c->force, 0, (size_t)c->count * sizeof *c->force);
  for (int32_t j = 0; j < c->segments; ++j) {
    int32_t at = 6 * j + 3;
    CpsVec3 I = cps_chain_get(c->mass, at), w = cps_chain_get(c->v, at), after = cps_chain_get(c->free, at);
    CpsVec3 all = scaled(I, cps_vec3_sub(after, w), 1.0 / step->h), torque = cps_vec3_sub(all, c->gyration[j]);
    CpsVec3 d = cps_vec3_sub(cps_gyro_advance(I, w, torque, step->h), w);
    CpsVec3 more = cps_vec3_sub(scaled(I, d, 1.0 / step->h), all);
    cps_chain_set(c->force, at, more);
    c->gyration[j] = cps_vec3_add(c->gyration[j], more);
  }
  cps_chain_respond(c, step);
}

static void begin_as(CpsRod* rod, const CpsModelStep* step, bool implicit) {
  cps_chain_start(rod, step);
  CpsChain c = cps_chain_of(rod);
  if (implicit) cps_chain_look_ahead(rod, &c, c.v, step);
  for (int32_t j = 0; j < c.segments; ++j) {
    CpsStrain along, across, shear = coupling(rod, &c, j);
    cps_chain_stretch(rod, &c, j, &along, &across);
    cps_chain_add(&c, &along, step, implicit);
    cps_chain_add(&c, &across, step, implicit);
    cps_chain_add(&c, &shear, step, implicit);
  }
  for (int32_t i = 0; i <= c.segments; ++i) {
    if (!bends(rod, i)) continue;
    CpsStrain e = bending(rod, &c, i);
    if (implicit) damp_waves(rod, &c, step, i, &e);
    cps_chain_add(&c, &e, step, implicit);
  }
  if (implicit) cps_chain_look_back(rod, &c, step);
  add_gyration(&c, step->h);
  cps_chain_finish(&c, step);
  if (implicit && step->theta < 1.0) gyrate_again(&c, step);
}

static void begin(CpsRod* rod, const CpsModelStep* step) {
  begin_as(rod, step, true);
}

static void begin_explicit(CpsRod* rod, const CpsModelStep* step) {
  begin_as(rod, step, false);
}

static void work_as(CpsRod* rod, const CpsModelStep* step, bool implicit, CpsRodWork* out) {
  CpsChain c = cps_chain_of(rod);
  cps_chain_work_start(rod, &c, step, out);
  if (implicit) cps_chain_look_ahead(rod, &c, c.free, step);
  for (int32_t j = 0; j < c.segments; ++j) {
    CpsStrain along, across, shear = coupling(rod, &c, j);
    cps_chain_stretch(rod, &c, j, &along, &across);
    cps_chain_work_add(&c, &along, step, implicit, out);
    cps_chain_work_add(&c, &across, step, implicit, out);
    cps_chain_work_add(&c, &shear, step, implicit, out);
  }
  for (int32_t i = 0; i <= c.segments; ++i) {
    if (!bends(rod, i)) continue;
    CpsStrain e = bending(rod, &c, i);
    if (implicit) damp_waves(rod, &c, step, i, &e);
    cps_chain_work_add(&c, &e, step, implicit, out);
  }
  if (implicit) cps_chain_look_back(rod, &c, step);
  for (int32_t j = 0; j < c.segments; ++j) {
    cps_chain_work_turn(&c, step, 6 * j + 3, cps_vec3_scale(step->h, c.gyration[j]), out);
  }
  cps_chain_work_finish(rod, &c, step, out);
}

static void work(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  work_as(rod, step, true, out);
}

static void work_explicit(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  work_as(rod, step, false, out);
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  CpsChain c = cps_chain_of(rod);
  int32_t j;
  CpsRodPoint out = {.position = cps_chain_point(&c, s, &j)};
  out.frame = cps_quat_matrix(c.q[j]);
  int32_t i = (int32_t)fmin(fmax(floor(s / c.size + 0.5), 0.0), c.segments);
  if (bends(rod, i)) out.curvature = curvature(&c, i);
  return out;
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  CpsChain c = cps_chain_of(rod);
  *out = (CpsRodEnergy){cps_chain_kinetic(rod), cps_chain_weight(rod, gravity), cps_chain_stretch_energy(rod, &c)};
  const double* B = rod->spec.branch[0].stiffness;
  for (int32_t j = 0; j < c.segments; ++j) {
    CpsVec3 g = cps_vec3_sub(tangent(&c, j), cps_quat_rotate(c.q[j], cps_vec3(1.0, 0.0, 0.0)));
    out->elastic += 0.5 * c.size * coupling_stiffness(rod, &c, j) * cps_vec3_dot(g, g);
  }
  for (int32_t i = 0; i <= c.segments; ++i) {
    if (!bends(rod, i)) continue;
    CpsVec3 g = cps_vec3_sub(curvature(&c, i), c.kappa[i]);
    out->elastic += 0.5 * cell_of(&c, i) * cps_rod_joint_taper(&rod->spec, i) *
                    (B[0] * g.x * g.x + B[1] * g.y * g.y + B[2] * g.z * g.z);
  }
}

const CpsRodType cps_rod_corde = {
    .name = "corde",
    .sizes = sizes,
    .create = create,
    .refresh = refresh,
    .at = at,
    .begin = begin,
    .rows = cps_chain_rows,
    .velocity = cps_chain_velocity,
    .motion = cps_chain_motion,
    .work = work,
    .driven = cps_chain_driven,
    .receive = cps_chain_receive,
    .advance = cps_chain_advance,
    .shift = cps_chain_shift,
    .slow = cps_chain_slow,
    .move_rigidly = cps_chain_move_rigidly,
    .view = cps_chain_view,
    .set_velocity = cps_chain_set_velocity,
    .axial = cps_chain_axial,
    .energy = energy,
    .momentum = cps_chain_momentum,
};

const CpsRodType cps_rod_corde_explicit = {
    .name = "corde-explicit",
    .sizes = sizes,
    .create = create_explicit,
    .refresh = refresh,
    .at = at,
    .begin = begin_explicit,
    .rows = cps_chain_rows,
    .velocity = cps_chain_velocity,
    .motion = cps_chain_motion,
    .work = work_explicit,
    .driven = cps_chain_driven,
    .receive = cps_chain_receive,
    .advance = cps_chain_advance,
    .shift = cps_chain_shift,
    .slow = cps_chain_slow,
    .move_rigidly = cps_chain_move_rigidly,
    .view = cps_chain_view,
    .set_velocity = cps_chain_set_velocity,
    .axial = cps_chain_axial,
    .energy = energy,
    .momentum = cps_chain_momentum,
};
