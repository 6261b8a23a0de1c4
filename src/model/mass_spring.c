// Mass-spring chain, implicit: points joined by stretching springs, and by bending springs at joints.
//
// With a and b the unit tangents of the segments before and after joint i, at an angle phi,
//
//   stretching  1/2 E S / l (|e| - l)^2                                                                            (1)
//   bending     1/(2 l) (k - k0)^T B (k - k0),    k = 2 a × b / (1 + a.b),   |k| = 2 tan(phi / 2)                   (2)
//
// (2) tends to E I kappa^2 / 2 per length. B = E I_2 m_2 m_2^T + E I_3 m_3 m_3^T, and the natural k0 has fixed components
// along m_2 and m_3. A chain of points has no twist, so the rotation of its section must be chosen: it is free, as in a
// rod without torsional stiffness. After each step the axes m_2, m_3 of every inner joint are rotated about the
// tangent to the nearest minimum of (2), which can only remove energy. For a round section, (2) becomes
//
//   1/(2 l) E I (|k| - |k0|)^2,   of second derivative  E I / l [ n n^T + (1 - |k0| / |k|) (1 - n n^T) ],  n = k/|k|  (3)
//
// A clamped end is one more joint, half a cell long, between the prescribed tangent and the first segment, with the axes of the
// prescribed frame. Both ends are therefore of second order in l.
//
//   dk/da = -(2 [b]x + k b^T) / (1 + a.b),   dk/db = (2 [a]x - k a^T) / (1 + a.b),   da/de = (I - a a^T) / |e|      (4)
//
// Limits: it does not resist twist, does not feel the twist of its ends, and cannot keep a natural twist: of a helix it keeps the
// curvature but not the torsion. A naturally curved chain is softer out of its plane than a rod.
#include "model/chain.h"

#include "sparse/banded.h"
#include "sparse/dense.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double LEAST_INERTIA = 1e-10;  // of a chain about any axis in (6), relative to the sum of its moments

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  cps_chain_sizes(spec, 3, dofs, state, work);
}

static CpsVec3 tangent(const CpsChain* c, int32_t j) {
  return cps_vec3_unit(cps_vec3_sub(c->x[j + 1], c->x[j]));
}

// Rotates u, orthogonal to t, about t.
static CpsVec3 turn(CpsVec3 u, CpsVec3 t, double angle) {
  return cps_vec3_axpy(cps_vec3_scale(cos(angle), u), sin(angle), cps_vec3_cross(t, u));
}

// The normalised component of u normal to t.
static CpsVec3 across(CpsVec3 u, CpsVec3 t) {
  CpsVec3 v = cps_vec3_axpy(u, -cps_vec3_dot(u, t), t);
  if (cps_vec3_norm(v) > 1e-9) return cps_vec3_unit(v);
  CpsMat3 any = cps_mat3_frame(t, cps_vec3(1.0, 0.0, 0.0));
  return cps_vec3(any.m[3], any.m[4], any.m[5]);
}

static CpsVec3 clamped_axis(const CpsChain* c, int end, int axis) {
  CpsMat3 R = cps_quat_matrix(c->clamp[end]);
  return cps_vec3(R.m[axis], R.m[3 + axis], R.m[6 + axis]);
}

static bool bends(const CpsRod* rod, int32_t i) {
  if (i == 0) return rod->spec.root == CPS_END_CLAMPED;
  if (i == rod->spec.elements) return rod->spec.tip == CPS_END_CLAMPED;
  return true;
}

// Current state of a joint: tangents, the axes between them, the length of rod that bends in it.
typedef struct Joint {
  CpsVec3 a, b, m2, m3, t;
  double cell;
} Joint;

static Joint joint_at(const CpsChain* c, int32_t i) {
  bool root = i == 0, tip = i == c->segments;
  Joint out = {.cell = root || tip ? 0.5 * c->size : c->size};
  out.a = root ? clamped_axis(c, 0, 0) : tangent(c, i - 1);
  out.b = tip ? clamped_axis(c, 1, 0) : tangent(c, i);
  out.t = cps_vec3_unit(cps_vec3_add(out.a, out.b));
  out.m2 = across(root || tip ? clamped_axis(c, tip, 1) : c->axis[i], out.t);
  out.m3 = cps_vec3_cross(out.t, out.m2);
  return out;
}

static CpsVec3 binormal(const Joint* p) {
  return cps_vec3_scale(2.0 / fmax(1.0 + cps_vec3_dot(p->a, p->b), 1e-9), cps_vec3_cross(p->a, p->b));
}

// Rotation of the axes of a joint that minimises the energy: the nearest minimum of
//
//   E(x) = Re(P e^-2ix) - Re(Q e^-ix),   P = (B2 - B3) z^2 / 4,   Q = conj(B2 k0_2 + i B3 k0_3) z                     (5)
//
// with z = k.m_2 + i k.m_3, by Newton's method with short steps.
static double least_energy_angle(const double* B, const Joint* p, CpsVec3 k0) {
  CpsVec3 k = binormal(p);
  double complex z = cps_vec3_dot(k, p->m2) + I * cps_vec3_dot(k, p->m3);
  double complex P = 0.25 * (B[1] - B[2]) * z * z, Q = (B[1] * k0.y - I * B[2] * k0.z) * z;
  double scale = cabs(P) + cabs(Q), x = 0.0;
  if (!(scale > 1e-12 * (B[1] + B[2]))) return 0.0;
  for (int i = 0; i < 50; ++i) {
    double complex p2 = P * cexp(-2.0 * I * x), q = Q * cexp(-I * x);
    double slope = 2.0 * cimag(p2) - cimag(q), second = creal(q) - 4.0 * creal(p2);
    double step = -slope / fmax(fabs(second), 1e-3 * scale);
    x += fmin(fmax(step, -0.5), 0.5);
    if (fabs(step) < 1e-14) break;
  }
  return x;
}

static void settle_axes(CpsRod* rod) {
  CpsChain c = cps_chain_of(rod);
  for (int32_t i = 1; i < c.segments; ++i) {
    Joint p = joint_at(&c, i);
    c.axis[i] = turn(p.m2, p.t, least_energy_angle(rod->spec.branch[0].stiffness, &p, c.kappa[i]));
  }
}

// All requested data follows from the points and axes of the state.
static void refresh(CpsRod* rod) {
  (void)rod;
}

// kappa becomes (0, k0): a natural arc of angle phi has |k0| = 2 tan(phi / 2).
static void set_natural(CpsChain* c) {
  for (int32_t i = 0; i <= c->segments; ++i) {
    double cell = i == 0 || i == c->segments ? 0.5 * c->size : c->size;
    double bending = hypot(c->kappa[i].y, c->kappa[i].z), phi = fmin(cell * bending, 3.0);
    double factor = bending > 0.0 ? 2.0 * tan(0.5 * phi) / bending : 0.0;
    c->kappa[i] = cps_vec3(0.0, factor * c->kappa[i].y, factor * c->kappa[i].z);
  }
}

static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  CpsStatus status = cps_chain_create(rod, shape, error);
  if (status != CPS_OK) return status;
  CpsChain c = cps_chain_of(rod);
  set_natural(&c);
  for (int32_t i = 0; i <= c.segments; ++i) {
    CpsMat3 R = cps_quat_matrix(shape->frame[CPS_ROD_SAMPLES * i]);
    c.axis[i] = cps_vec3(R.m[1], R.m[4], R.m[7]);
    if (!shape->as_placed || !bends(rod, i)) continue;
    Joint p = joint_at(&c, i);
    CpsVec3 k = binormal(&p);
    c.kappa[i] = cps_vec3(0.0, cps_vec3_dot(k, p.m2), cps_vec3_dot(k, p.m3));
  }
  settle_axes(rod);
  return CPS_OK;
}

// E I_2 and E I_3 of a joint, with their indices among the constants of a rod.
static void find_stiffness(const CpsRod* rod, int32_t i, double B[3]) {
  const double taper = cps_rod_joint_taper(&rod->spec, i);
  for (int k = 0; k < 3; ++k) B[k] = taper * rod->spec.branch[0].stiffness[k];
}

static CpsMat3 stiffness_of(const Joint* p, const double* B) {
  CpsMat3 D = cps_mat3_scale(0.5 * (B[1] + B[2]), cps_mat3_outer(p->t, p->t));
  D = cps_mat3_axpy(D, B[1], cps_mat3_outer(p->m2, p->m2));
  return cps_mat3_scale(1.0 / p->cell, cps_mat3_axpy(D, B[2], cps_mat3_outer(p->m3, p->m3)));
}

// (3) without its negative part where the section is round and its axes are free; otherwise the stiffness itself.
static CpsMat3 second_derivative(const Joint* p, const double* B, CpsVec3 k0, bool clamped, CpsMat3 D) {
  CpsVec3 k = binormal(p);
  double size = cps_vec3_norm(k), natural = hypot(k0.y, k0.z);
  if (clamped || B[1] != B[2] || natural == 0.0 || !(size > 0.0)) return D;
  CpsMat3 nn = cps_mat3_scale(1.0 / (size * size), cps_mat3_outer(k, k));
  CpsMat3 S = cps_mat3_axpy(nn, fmax(0.0, 1.0 - natural / size), cps_mat3_axpy(cps_mat3_identity(), -1.0, nn));
  return cps_mat3_scale(B[1] / p->cell, S);
}

static CpsVec3 bent(const CpsChain* c, const Joint* p, int32_t i) {
  CpsVec3 k0 = cps_vec3_axpy(cps_vec3_scale(c->kappa[i].y, p->m2), c->kappa[i].z, p->m3);
  return cps_vec3_sub(binormal(p), k0);
}

// (I - t t^T) / |e|, of segment j
static CpsMat3 slope_of(const CpsChain* c, CpsVec3 t, int32_t j) {
  double length = cps_vec3_norm(cps_vec3_sub(c->x[j + 1], c->x[j]));
  return cps_mat3_scale(1.0 / length, cps_mat3_axpy(cps_mat3_identity(), -1.0, cps_mat3_outer(t, t)));
}

static CpsStrain bending(const CpsRod* rod, const CpsChain* c, const CpsModelStep* step, int32_t i) {
  Joint p = joint_at(c, i);
  CpsVec3 k = binormal(&p);
  double chi = fmax(1.0 + cps_vec3_dot(p.a, p.b), 1e-9);
  // (4)
  CpsMat3 by_a = cps_mat3_axpy(cps_mat3_scale(2.0, cps_mat3_cross(p.b)), 1.0, cps_mat3_outer(k, p.b));
  CpsMat3 by_b = cps_mat3_axpy(cps_mat3_scale(2.0, cps_mat3_cross(p.a)), -1.0, cps_mat3_outer(k, p.a));
  by_a = cps_mat3_scale(-1.0 / chi, by_a);
  by_b = cps_mat3_scale(1.0 / chi, by_b);
  bool root = i == 0, tip = i == c->segments;
  CpsStrain e = {.at = root ? 0 : 3 * (i - 1), .width = root || tip ? 6 : 9, .damping = rod->spec.damping};
  e.g = bent(c, &p, i);
  double B[3];
  find_stiffness(rod, i, B);
  e.D = stiffness_of(&p, B);
  e.S = second_derivative(&p, B, c->kappa[i], root || tip, e.D);
  const double waves = cps_chain_wave_damping(rod, c, step, i);
  e.waves = waves > 0.0;
  e.V = cps_mat3_scale(waves / p.cell, cps_mat3_identity());
  if (root) {
    e.rate = cps_mat3_apply(by_a, cps_vec3_cross(rod->root.spin, p.a));
  } else {
    CpsMat3 A = cps_mat3_multiply(by_a, slope_of(c, p.a, i - 1));
    cps_chain_block(&e, 0, cps_mat3_scale(-1.0, A));
    cps_chain_block(&e, 3, A);
  }
  if (tip) {
    e.rate = cps_mat3_apply(by_b, cps_vec3_cross(rod->tip.spin, p.b));
  } else {
    CpsMat3 A = cps_mat3_multiply(by_b, slope_of(c, p.b, i));
    int32_t at = root ? 0 : 3;
    for (int m = 0; m < 9; ++m) e.G[m / 3 * e.width + at + m % 3] -= A.m[m];
    cps_chain_block(&e, at + 3, A);
  }
  return e;
}

// Multiplies by M~ of a free chain, using its factor.
static void multiply(const CpsChain* c, double* x) {
  for (int32_t j = 0; j < c->count; ++j) {
    double sum = 0.0;
    for (int32_t i = j; i < c->count && i <= j + CPS_CHAIN_BAND; ++i)
      sum += c->band[cps_banded_at(CPS_CHAIN_BAND, i, j)] * x[i];
    x[j] = sum;
  }
  for (int32_t i = c->count - 1; i >= 0; --i) {
    double sum = 0.0;
    for (int32_t j = i > CPS_CHAIN_BAND ? i - CPS_CHAIN_BAND : 0; j <= i; ++j)
      sum += c->band[cps_banded_at(CPS_CHAIN_BAND, i, j)] * x[j];
    x[i] = sum;
  }
}

// The section of a joint turns with its binormal, so damping cannot distinguish a joint whose bending direction rotates from a chain
// that rotates as a whole: it acts on both, with a moment on the chain. A spin w of the whole chain compensates for this,
//
//   sum m (r × (w × r)) = -sum r × (m (v* - v) - impulses of weight and drag),     r from the centre of mass         (6)
//
// where forces are evaluated, (1 - theta) h ahead. This conserves the angular momentum of a free chain. (It lost 1e-3 in half a
// second, for any step.) A straight chain has no inertia about its axis, and needs no compensation there.
static void keep_spin(const CpsRod* rod, CpsChain* c, const CpsModelStep* step) {
  const double air = step->h * rod->spec.drag / rod->spec.branch[0].line_density, theta = step->theta;
  double mass = 0.0, A[9] = {0.0}, w[3];
  CpsVec3 centre = {0}, L = {0};
  memset(c->gyration, 0, (size_t)(c->segments + 1) * sizeof *c->gyration);
  if (rod->spec.root != CPS_END_FREE || rod->spec.tip != CPS_END_FREE || rod->pull_count > 0) return;
  for (int32_t i = 0; i <= c->segments; ++i) {
    mass += c->mass[3 * i];
    centre = cps_vec3_axpy(centre, c->mass[3 * i], c->x[i]);
  }
  centre = cps_vec3_scale(1.0 / mass, centre);
  for (int32_t i = 0; i <= c->segments; ++i) {
    const double m = c->mass[3 * i];
    const CpsVec3 r = cps_vec3_sub(c->x[i], centre), v = cps_chain_get(c->v, 3 * i);
    const CpsVec3 change = cps_vec3_sub(cps_chain_get(c->free, 3 * i), v);
    const CpsVec3 p =
        cps_vec3_axpy(change, air, cps_vec3_axpy(v, theta, change));  // weight has no moment about the centre
    L = cps_vec3_axpy(L, m, cps_vec3_cross(r, p));
    const CpsMat3 rr = cps_mat3_outer(r, r);
    for (int k = 0; k < 9; ++k) A[k] += m * ((k % 4 == 0 ? cps_vec3_dot(r, r) : 0.0) - rr.m[k]);
  }
  const double least = LEAST_INERTIA * (A[0] + A[4] + A[8]);
  for (int k = 0; k < 9; k += 4) A[k] += least;
  if (!cps_dense_cholesky_factor(3, A, 0.0)) return;
  cps_vec3_put(w, cps_vec3_scale(-1.0, L));
  cps_dense_cholesky_solve(3, A, w);
  for (int32_t i = 0; i <= c->segments; ++i) {
    const CpsVec3 more = cps_vec3_cross(cps_vec3_get(w), cps_vec3_sub(c->x[i], centre));
    cps_chain_set(c->free, 3 * i, cps_vec3_add(cps_chain_get(c->free, 3 * i), more));
    cps_chain_set(c->force, 3 * i, more);
  }
  multiply(c, c->force);
  for (int32_t i = 0; i <= c->segments; ++i)
    c->gyration[i] = cps_vec3_scale(1.0 / step->h, cps_chain_get(c->force, 3 * i));
}

static void begin(CpsRod* rod, const CpsModelStep* step) {
  cps_chain_start(rod, step);
  CpsChain c = cps_chain_of(rod);
  cps_chain_look_ahead(rod, &c, c.v, step);
  if (step->theta < 1.0) settle_axes(rod);
  for (int32_t j = 0; j < c.segments; ++j) {
    CpsStrain along, beside;
    cps_chain_stretch(rod, &c, j, &along, &beside);
    cps_chain_add(&c, &along, step, true);
    cps_chain_add(&c, &beside, step, true);
  }
  for (int32_t i = 0; i <= c.segments; ++i) {
    if (!bends(rod, i)) continue;
    CpsStrain e = bending(rod, &c, step, i);
    cps_chain_add(&c, &e, step, true);
  }
  cps_chain_finish(&c, step);
  if (step->theta == 1.0) return;
  keep_spin(rod, &c, step);
  cps_chain_look_back(rod, &c, step);
}

static void work(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  CpsChain c = cps_chain_of(rod);
  cps_chain_work_start(rod, &c, step, out);
  cps_chain_look_ahead(rod, &c, c.free, step);
  if (step->theta < 1.0) settle_axes(rod);
  for (int32_t j = 0; j < c.segments; ++j) {
    CpsStrain along, beside;
    cps_chain_stretch(rod, &c, j, &along, &beside);
    cps_chain_work_add(&c, &along, step, true, out);
    cps_chain_work_add(&c, &beside, step, true, out);
  }
  for (int32_t i = 0; i <= c.segments; ++i) {
    if (!bends(rod, i)) continue;
    CpsStrain e = bending(rod, &c, step, i);
    cps_chain_work_add(&c, &e, step, true, out);
  }
  cps_chain_look_back(rod, &c, step);
  for (int32_t i = 0; i <= c.segments && step->theta < 1.0; ++i)
    cps_chain_work_turn(&c, step, 3 * i, cps_vec3_scale(step->h, c.gyration[i]), out);
  cps_chain_work_finish(rod, &c, step, out);
}

static void advance(CpsRod* rod, const CpsModelStep* step) {
  cps_chain_advance(rod, step);
  settle_axes(rod);
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  CpsChain c = cps_chain_of(rod);
  int32_t j;
  CpsRodPoint out = {.position = cps_chain_point(&c, s, &j)};
  CpsVec3 t = tangent(&c, j), u = across(c.axis[j > 0 ? j : 1], t), w = cps_vec3_cross(t, u);
  out.frame = (CpsMat3){{t.x, u.x, w.x, t.y, u.y, w.y, t.z, u.z, w.z}};
  int32_t i = (int32_t)fmin(fmax(floor(s / c.size + 0.5), 0.0), c.segments);
  if (bends(rod, i)) {
    Joint p = joint_at(&c, i);
    CpsVec3 k = binormal(&p);
    out.curvature = cps_vec3_scale(1.0 / p.cell, cps_vec3(0.0, cps_vec3_dot(k, p.m2), cps_vec3_dot(k, p.m3)));
  }
  return out;
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  CpsChain c = cps_chain_of(rod);
  *out = (CpsRodEnergy){cps_chain_kinetic(rod), cps_chain_weight(rod, gravity), cps_chain_stretch_energy(rod, &c)};
  for (int32_t i = 0; i <= c.segments; ++i) {
    if (!bends(rod, i)) continue;
    Joint p = joint_at(&c, i);
    CpsVec3 g = bent(&c, &p, i);
    double B[3];
    find_stiffness(rod, i, B);
    out->elastic += 0.5 * cps_vec3_dot(g, cps_mat3_apply(stiffness_of(&p, B), g));
  }
}

const CpsRodType cps_rod_mass_spring = {
    .name = "mass-spring",
    .untwisted = true,
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
    .advance = advance,
    .shift = cps_chain_shift,
    .slow = cps_chain_slow,
    .move_rigidly = cps_chain_move_rigidly,
    .view = cps_chain_view,
    .set_velocity = cps_chain_set_velocity,
    .axial = cps_chain_axial,
    .energy = energy,
    .momentum = cps_chain_momentum,
};
