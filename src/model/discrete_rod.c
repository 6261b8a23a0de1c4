// Discrete elastic rods (Bergou et al. 2008, 2010) behind rod.h, in three kinds. Lengths are kept by stiff edges, by multipliers
// inside the mass solve, or by fast projection after each step (Goldenthal et al. 2007).
//
//   q = (x_0, theta_0, x_1, ..., x_n),   M~ (v* - v) = h F as in discrete_rod_force.c,   M~ = L L^T in its band      (1)
//   x(s) = (1 - w) x_i + w x_{i+1}: contact is with the polygon, and J(s) has the weights 1 - w and w                (2)
//
// Held ends: the prescribed coordinates move from their present values to their targets within one step. Their velocity is
// constant in the step, so they drop out of (1). Initial frames are those of the middle of each edge.
#include "model/discrete_rod.h"

#include "core/error.h"
#include "core/quat.h"
#include "sparse/banded.h"

#include <string.h>

static const double AT_VERTEX = 1e-9;  // of an edge

static CpsDerLengths lengths_of(const CpsRod* rod) {
  return (CpsDerLengths)rod->type->variant;
}

static void sizes(const CpsRodSpec* spec, int32_t* dofs, int64_t* state, int64_t* work) {
  *dofs = cps_der_cut(spec, NULL, NULL, state, work).dofs;
}

// Frame of the edge between samples a and b of a curve: along the chord, with the section as in the middle. a = b: the frame of
// the curve at this sample. Returns the length of the chord.
static double edge_frame(const CpsVec3* point, const CpsQuat* frame, int32_t a, int32_t b, CpsVec3 out[3]) {
  CpsMat3 R = cps_quat_matrix(frame[(a + b) / 2]);
  CpsVec3 t = {R.m[0], R.m[3], R.m[6]}, second = {R.m[1], R.m[4], R.m[7]};
  CpsVec3 chord = cps_vec3_sub(point[b], point[a]);
  double length = cps_vec3_norm(chord);
  out[0] = length > 0.0 ? cps_vec3_scale(1.0 / length, chord) : t;
  out[1] = cps_der_transport(second, t, out[0]);
  out[2] = cps_vec3_cross(out[0], out[1]);
  return length;
}

// The angle from one frame to the next beyond parallel transport.
static double twist_between(const CpsVec3 before[3], const CpsVec3 after[3]) {
  CpsVec3 u = cps_der_transport(before[1], before[0], after[0]);
  return -atan2(cps_vec3_dot(u, after[2]), cps_vec3_dot(u, after[1]));
}

// Strains of a joint in the natural shape: the curve of the natural curvatures from sample `first` on, `down` samples
// before the joint and `up` after it, cut into edges like the placed curve.
static void natural_strains(const CpsRodShape* shape, double spacing, int32_t first, int32_t down, int32_t up,
                            double out[3]) {
  CpsVec3 point[2 * CPS_ROD_SAMPLES + 1] = {{0.0, 0.0, 0.0}};
  CpsQuat frame[2 * CPS_ROD_SAMPLES + 1] = {{1.0, 0.0, 0.0, 0.0}};
  for (int32_t k = 0; k < down + up; ++k) {
    CpsVec3 kappa = cps_vec3_scale(0.5, cps_vec3_add(shape->natural[first + k], shape->natural[first + k + 1]));
    CpsQuat half = cps_quat_multiply(frame[k], cps_quat_exp(cps_vec3_scale(0.5 * spacing, kappa)));
    point[k + 1] = cps_vec3_axpy(point[k], spacing, cps_quat_rotate(half, cps_vec3(1.0, 0.0, 0.0)));
    frame[k + 1] = cps_quat_multiply(frame[k], cps_quat_exp(cps_vec3_scale(spacing, kappa)));
  }
  CpsVec3 before[3], after[3];
  edge_frame(point, frame, 0, down, before);
  edge_frame(point, frame, down, down + up, after);
  CpsDerJoint joint;
  cps_der_measure(before, after, twist_between(before, after), NULL, &joint);
  for (int a = 0; a < 3; ++a) out[a] = joint.strain[a];
}

static void set_position(CpsDer* d, int32_t vertex, CpsVec3 x) {
  cps_vec3_put(d->q + 4 * (ptrdiff_t)vertex, x);
}

// Vertices, edges and their directors as placed.
static CpsStatus place(CpsDer* d, const CpsRodShape* shape, CpsError* error) {
  const int32_t last = CPS_ROD_SAMPLES * d->elements;
  for (int32_t i = 0; i <= d->elements; ++i) set_position(d, i + d->ghost, shape->point[CPS_ROD_SAMPLES * i]);
  for (int32_t e = 0; e + 1 < d->vertices; ++e) {
    int32_t a = CPS_ROD_SAMPLES * (e - d->ghost), b = a + CPS_ROD_SAMPLES;
    if (a < 0) a = b = 0;
    if (b > last) a = b = last;
    CpsVec3 frame[3];
    d->rest[e] = edge_frame(shape->point, shape->frame, a, b, frame);
    if (a == b) d->rest[e] = d->size;
    if (!(d->rest[e] > 1e-3 * d->size)) {
      return cps_fail(error, CPS_BAD_DATA, "the fibre folds within segment %d; use more segments", (int)e);
    }
    d->director[e] = frame[1];
    d->tangent[e] = d->old_tangent[e] = frame[0];
    if (a == b && a == 0) set_position(d, 0, cps_vec3_axpy(shape->point[0], -d->size, frame[0]));
    if (a == b && a == last) set_position(d, e + 1, cps_vec3_axpy(shape->point[last], d->size, frame[0]));
  }
  cps_der_carry_directors(d);
  return CPS_OK;
}

static void hold(CpsDer* d, const CpsRodSpec* spec) {
  int32_t root = d->ghost, tip = d->ghost + d->elements;
  for (int i = 0; i < 3; ++i) {
    if (spec->root != CPS_END_FREE) d->held[4 * (ptrdiff_t)root + i] = 1.0;
    if (spec->tip != CPS_END_FREE) d->held[4 * (ptrdiff_t)tip + i] = 1.0;
  }
  for (int i = 0; i < 4 && spec->root == CPS_END_CLAMPED; ++i) d->held[i] = 1.0;
  for (int i = 0; i < 4 && spec->tip == CPS_END_CLAMPED; ++i) d->held[4 * (ptrdiff_t)tip + 3 + i] = 1.0;
}

// Takes the current strains as natural strains.
static void take_strains(CpsDer* d) {
  cps_der_find_tangents(d);
  cps_der_find_joints(d);
  for (int32_t i = 1; i + 1 < d->vertices; ++i)
    memcpy(&d->natural[3 * (ptrdiff_t)i], d->joint[i].strain, 3 * sizeof(double));
}

static CpsStatus create(CpsRod* rod, const CpsRodShape* shape, CpsError* error) {
  CpsDer d = cps_der_view(rod);
  const CpsRodBranch* trunk = &rod->spec.branch[0];
  CpsStatus status = place(&d, shape, error);
  if (status != CPS_OK) return status;
  hold(&d, &rod->spec);
  for (int32_t e = d.ghost; e < d.ghost + d.elements; ++e) {
    double half = 0.5 * trunk->line_density * cps_rod_element_taper(&rod->spec, e - d.ghost, 2) * d.size;
    d.inertia[e] = trunk->rotary[0] * cps_rod_element_taper(&rod->spec, e - d.ghost, 4) * d.size;
    d.mass[e] += half;
    d.mass[e + 1] += half;
  }
  for (int32_t i = 1; i + 1 < d.vertices; ++i) {
    int32_t inner = i - d.ghost;  // 0: the joint at a clamped root
    int32_t down = inner > 0 ? CPS_ROD_SAMPLES : 0, up = inner < d.elements ? CPS_ROD_SAMPLES : 0;
    d.joint_length[i] = down > 0 && up > 0 ? d.size : 0.5 * d.size;
    natural_strains(shape, d.size / CPS_ROD_SAMPLES, CPS_ROD_SAMPLES * inner - down, down, up,
                    &d.natural[3 * (ptrdiff_t)i]);
  }
  if (shape->as_placed) take_strains(&d);
  return CPS_OK;
}

static void refresh(CpsRod* rod) {
  CpsDer d = cps_der_view(rod);
  cps_der_find_tangents(&d);
  cps_der_find_joints(&d);
}

// The edge that contains s, and the weight of its far end. At a vertex it is the edge before, regardless of rounding.
int32_t cps_der_edge_at(const CpsDer* d, double s, double* w) {
  int32_t e = (int32_t)fmin(fmax(floor(s / d->size - AT_VERTEX), 0.0), d->elements - 1.0);
  *w = fmin(fmax(s / d->size - e, 0.0), 1.0);
  return e + d->ghost;
}

static CpsRodPoint at(const CpsRod* rod, double s) {
  CpsDer d = cps_der_view(rod);
  double w;
  int32_t e = cps_der_edge_at(&d, s, &w), nearest = w < 0.5 ? e : e + 1;
  CpsVec3 a = cps_der_position(&d, e), b = cps_der_position(&d, e + 1);
  CpsRodPoint p = {.position = cps_vec3_axpy(cps_vec3_scale(1.0 - w, a), w, b)};
  // the ends of a clamped rod have the frames of the clamps
  if (s <= 0.0 && d.ghost) e = 0;
  if (s >= rod->spec.length && rod->spec.tip == CPS_END_CLAMPED) e = d.vertices - 2;
  CpsVec3 t = d.tangent[e], u = d.second[e], v = d.third[e];
  p.frame = (CpsMat3){{t.x, u.x, v.x, t.y, u.y, v.y, t.z, u.z, v.z}};
  if (nearest < 1) nearest = 1;
  if (nearest > d.vertices - 2) nearest = d.vertices - 2;
  const double* k = d.joint[nearest].strain;
  p.curvature = cps_vec3_scale(1.0 / d.joint_length[nearest], cps_vec3(k[0], k[1], k[2]));
  return p;
}

// Target angle of the edge e of a clamp: its second axis is that of the clamp, close to the present angle.
static double clamp_angle(const CpsDer* d, int32_t e, CpsMat3 R) {
  CpsVec3 t = {R.m[0], R.m[3], R.m[6]}, second = {R.m[1], R.m[4], R.m[7]};
  CpsVec3 u = cps_der_transport(d->director[e], d->tangent[e], t);
  double angle = d->q[4 * (ptrdiff_t)e + 3];
  CpsVec3 now = cps_vec3_axpy(cps_vec3_scale(cos(angle), u), sin(angle), cps_vec3_cross(t, u));
  return angle + atan2(cps_vec3_dot(t, cps_vec3_cross(now, second)), cps_vec3_dot(now, second));
}

// Targets of the coordinates held at one end: end vertex, ghost vertex outside, edge between them.
static void aim(CpsDer* d, CpsEndKind kind, const CpsRodEnd* end, int32_t vertex, int32_t ghost) {
  if (kind == CPS_END_FREE) return;
  double* x = d->target + 4 * (ptrdiff_t)vertex;
  double* before = d->v_before + 4 * (ptrdiff_t)vertex;
  x[0] = end->next.position.x, x[1] = end->next.position.y, x[2] = end->next.position.z;
  before[0] = end->velocity_before.x, before[1] = end->velocity_before.y, before[2] = end->velocity_before.z;
  if (kind != CPS_END_CLAMPED) return;
  CpsMat3 R = cps_quat_matrix(end->next.rotation);
  double reach = ghost < vertex ? -d->size : d->size, *g = d->target + 4 * (ptrdiff_t)ghost;
  for (ptrdiff_t i = 0; i < 3; ++i) g[i] = x[i] + reach * R.m[3 * i];
  int32_t e = ghost < vertex ? ghost : vertex;
  d->target[4 * (ptrdiff_t)e + 3] = clamp_angle(d, e, R);
}

// Moves the rod by its velocities for the given time, and back again.
static void look_ahead(CpsDer* d, const double* v, double time) {
  int32_t edges = d->vertices - 1;
  double *q = d->kept, *director = q + d->dofs, *turn = director + 3 * (ptrdiff_t)edges;
  memcpy(q, d->q, (size_t)d->dofs * sizeof *q);
  memcpy(director, d->director, (size_t)edges * sizeof *d->director);
  memcpy(turn, d->turn, (size_t)d->vertices * sizeof *turn);
  memcpy(d->old_tangent, d->tangent, (size_t)edges * sizeof *d->tangent);
  for (int32_t k = 0; k < d->dofs; ++k) d->q[k] += time * v[k];
  cps_der_find_tangents(d);
  cps_der_carry_directors(d);
  cps_der_find_joints(d);
}

static void look_back(CpsDer* d) {
  int32_t edges = d->vertices - 1;
  const double *q = d->kept, *director = q + d->dofs, *turn = director + 3 * (ptrdiff_t)edges;
  memcpy(d->q, q, (size_t)d->dofs * sizeof *q);
  memcpy(d->director, director, (size_t)edges * sizeof *d->director);
  memcpy(d->turn, turn, (size_t)d->vertices * sizeof *turn);
  cps_der_find_tangents(d);
  cps_der_find_joints(d);
}

// Multipliers make M~ so stiff that rounding leaves an error of 1e-8 of a velocity. Internal forces do not change the momentum, so
// for a free rod
//
//   sum of (1 + h theta drag / rho) m dv = sum of impulses                                                            (3)
//
// which all vertices together restore. total[0]: the factor; 0: the rod is held.
static void keep_momentum(const CpsDer* d, const double impulse[3], double* change) {
  double sum[3] = {0.0}, mass = 0.0;
  if (d->total[0] == 0.0) return;
  for (int32_t i = 0; i < d->vertices; ++i) {
    mass += d->mass[i];
    for (int k = 0; k < 3; ++k) sum[k] += d->mass[i] * change[4 * i + k];
  }
  for (int k = 0; k < 3; ++k) {
    double more = (impulse[k] / d->total[0] - sum[k]) / mass;
    for (int32_t i = 0; i < d->vertices; ++i) change[4 * i + k] += more;
  }
}

// The impulse of weight and drag. Edges and joints contribute nothing, except for the rounding of multipliers.
static void sum_outer(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, double sum[3]) {
  const double drag = rod->spec.drag / rod->spec.branch[0].line_density;
  double g[3] = {0.0};
  if (rod->spec.gravity) cps_vec3_put(g, step->gravity);
  sum[0] = sum[1] = sum[2] = 0.0;
  for (int32_t i = 0; i < d->vertices; ++i)
    for (int k = 0; k < 3; ++k) sum[k] += step->h * d->mass[i] * (g[k] - drag * d->v[4 * i + k]);
}

// Sum of L z over the vertices.
static void sum_lower(const CpsDer* d, const double* z, double sum[3]) {
  sum[0] = sum[1] = sum[2] = 0.0;
  for (int32_t i = 0; i < d->dofs; ++i) {
    if (i % 4 == 3) continue;
    const int32_t start = i > CPS_DER_BAND ? i - CPS_DER_BAND : 0;
    const double* row = &d->band[cps_banded_at(CPS_DER_BAND, i, start)];
    for (int32_t j = start; j <= i; ++j) sum[i % 4] += row[j - start] * z[j];
  }
}

static double momentum_factor(const CpsRod* rod, const CpsModelStep* step) {
  bool held = rod->spec.root != CPS_END_FREE || rod->spec.tip != CPS_END_FREE || rod->pull_count > 0;
  if (held || lengths_of(rod) == CPS_DER_STIFF) return 0.0;
  return 1.0 + step->h * step->theta * rod->spec.drag / rod->spec.branch[0].line_density;
}

// Fast projection of q, and the velocities that lead there (Goldenthal et al. 2007). The free velocities are overwritten.
static void project_velocities(CpsDer* d, const CpsModelStep* step) {
  const double none[3] = {0.0};
  double* change = d->v_free;
  memcpy(change, d->q, (size_t)d->dofs * sizeof *change);
  d->lean = 1.0 - step->theta;
  (void)cps_der_project(d);
  for (int32_t k = 0; k < d->dofs; ++k) change[k] = (d->q[k] - change[k]) / (step->h * step->theta);
  keep_momentum(d, none, change);
  for (int32_t k = 0; k < d->dofs; ++k) d->v[k] += change[k];
}

// Solves the system of the step for `move`.
static void solve(CpsDer* d, const double impulse[3]) {
  cps_banded_solve_lower(d->dofs, CPS_DER_BAND, d->band, 0, d->move);
  cps_banded_solve_upper(d->dofs, CPS_DER_BAND, d->band, d->move);
  keep_momentum(d, impulse, d->move);
}

// Gyroscopic forces used the previous velocities; with those of v~ the step is of second order at theta = 1/2.
static void gyrate_again(CpsDer* d, const CpsModelStep* step) {
  const double none[3] = {0.0};
  memset(d->move, 0, (size_t)d->dofs * sizeof *d->move);
  cps_der_gyrate(d, step, d->v_free, d->move);
  for (int32_t k = 0; k < d->dofs; ++k) {
    if (d->held[k] != 0.0) d->move[k] = 0.0;
  }
  solve(d, none);
  for (int32_t k = 0; k < d->dofs; ++k) d->v_free[k] += d->move[k];
}

static void begin(CpsRod* rod, const CpsModelStep* step) {
  CpsDer d = cps_der_view(rod);
  memcpy(d.v_before, d.v, (size_t)d.dofs * sizeof(double));
  int32_t root = d.ghost, tip = d.ghost + d.elements;
  aim(&d, rod->spec.root, &rod->root, root, 0);
  aim(&d, rod->spec.tip, &rod->tip, tip, tip + 1);
  for (int32_t k = 0; k < d.dofs; ++k) {
    if (d.held[k] != 0.0) d.v[k] = (d.target[k] - d.q[k]) / step->h;
  }
  if (step->theta < 1.0) look_ahead(&d, d.v, (1.0 - step->theta) * step->h);
  cps_der_assemble(rod, &d, step, d.move);
  double impulse[3];
  d.total[0] = momentum_factor(rod, step);
  sum_outer(rod, &d, step, impulse);
  // M~ is positive definite for a finite state; a state that is not finite says nothing
  (void)cps_banded_factor(d.dofs, CPS_DER_BAND, d.band);
  solve(&d, impulse);
  for (int32_t k = 0; k < d.dofs; ++k) d.v_free[k] = d.v[k] + d.move[k];
  if (step->theta == 1.0) return;
  gyrate_again(&d, step);
  look_back(&d);
}

static CpsVec3 on_edge(const CpsDer* d, int32_t e, double w) {
  return cps_vec3_axpy(cps_vec3_scale(1.0 - w, cps_der_position(d, e)), w, cps_der_position(d, e + 1));
}

static void rows(const CpsRod* rod, double s, const CpsVec3* point, const CpsMat3* frame, double sign, double* G) {
  CpsDer d = cps_der_view(rod);
  double w;
  int32_t e = cps_der_edge_at(&d, s, &w), first = 4 * e;
  CpsVec3 t = d.tangent[e], arm = point ? cps_vec3_sub(*point, on_edge(&d, e, w)) : cps_vec3(0.0, 0.0, 0.0);
  memset(G, 0, 3 * (size_t)d.dofs * sizeof *G);
  double near = d.held[first] != 0.0 ? 0.0 : sign, far = d.held[first + 4] != 0.0 ? 0.0 : sign;
  double twist = d.held[first + 3] != 0.0 ? 0.0 : sign;
  for (ptrdiff_t k = 0; k < 3; ++k) {
    double *row = G + k * d.dofs, turn[3];
    CpsVec3 n = {frame->m[3 * k], frame->m[3 * k + 1], frame->m[3 * k + 2]};
    cps_vec3_put(turn, cps_rod_edge_turn(t, d.edge[e], arm, n));
    for (ptrdiff_t i = 0; i < 3; ++i) {
      row[first + i] = near * ((1.0 - w) * frame->m[3 * k + i] - turn[i]);
      row[first + 4 + i] = far * (w * frame->m[3 * k + i] + turn[i]);
    }
    row[first + 3] = twist * cps_vec3_dot(t, cps_vec3_cross(arm, n));
    cps_banded_solve_lower(d.dofs, CPS_DER_BAND, d.band, first, row);
  }
}

static CpsVec3 velocity(const CpsRod* rod, double s, CpsVelocity which) {
  CpsDer d = cps_der_view(rod);
  double w;
  const double* v = which == CPS_VELOCITY_BEFORE ? d.v_before : which == CPS_VELOCITY_FREE ? d.v_free : d.v;
  v += 4 * (ptrdiff_t)cps_der_edge_at(&d, s, &w);
  return cps_vec3((1.0 - w) * v[0] + w * v[4], (1.0 - w) * v[1] + w * v[5], (1.0 - w) * v[2] + w * v[6]);
}

static CpsRodMotion motion(const CpsRod* rod, double s, CpsVelocity which) {
  CpsDer d = cps_der_view(rod);
  double w;
  int32_t e = cps_der_edge_at(&d, s, &w);
  const double* v = which == CPS_VELOCITY_BEFORE ? d.v_before : which == CPS_VELOCITY_FREE ? d.v_free : d.v;
  v += 4 * (ptrdiff_t)e;
  CpsVec3 a = cps_vec3_get(v), b = cps_vec3_get(v + 4), t = d.tangent[e];
  CpsVec3 spin = cps_vec3_cross(t, cps_vec3_scale(1.0 / d.edge[e], cps_vec3_sub(b, a)));
  return (CpsRodMotion){on_edge(&d, e, w), cps_vec3_axpy(cps_vec3_scale(1.0 - w, a), w, b),
                        cps_vec3_axpy(spin, v[3], t)};
}

// L^-T z in `move`.
static const double* apply_upper(CpsDer* d, const double* z) {
  memcpy(d->move, z, (size_t)d->dofs * sizeof *z);
  cps_banded_solve_upper(d->dofs, CPS_DER_BAND, d->band, d->move);
  return d->move;
}

static void receive(CpsRod* rod, const double* z) {
  CpsDer d = cps_der_view(rod);
  memcpy(d.v, d.v_free, (size_t)d.dofs * sizeof(double));
  if (!z) return;
  (void)apply_upper(&d, z);
  if (d.total[0] != 0.0) {
    double impulse[3];
    sum_lower(&d, z, impulse);
    keep_momentum(&d, impulse, d.move);
  }
  for (int32_t k = 0; k < d.dofs; ++k) d.v[k] += d.move[k];
}

static void advance(CpsRod* rod, const CpsModelStep* step) {
  CpsDer d = cps_der_view(rod);
  CpsDerLengths lengths = lengths_of(rod);
  memcpy(d.old_tangent, d.tangent, (size_t)(d.vertices - 1) * sizeof *d.tangent);
  if (lengths != CPS_DER_STIFF) cps_der_update_tension(&d, step, lengths == CPS_DER_INSIDE ? d.tension : d.taut);
  for (int32_t k = 0; k < d.dofs; ++k) {
    double mean = step->theta * d.v[k] + (1.0 - step->theta) * d.v_before[k];
    d.q[k] = d.held[k] != 0.0 ? d.target[k] : d.q[k] + step->h * mean;
  }
  // velocities keep the lengths to first order; the projection removes the remaining error
  if (lengths == CPS_DER_INSIDE) (void)cps_der_project(&d);
  if (lengths == CPS_DER_PROJECTED) project_velocities(&d, step);
  cps_der_find_tangents(&d);
  cps_der_carry_directors(&d);
}

// Previous velocities, as used in (1), overwrite the free ones, which are no longer needed.
static void work(CpsRod* rod, const CpsModelStep* step, CpsRodWork* out) {
  CpsDer d = cps_der_view(rod);
  for (int32_t k = 0; k < d.dofs; ++k) d.v_free[k] = d.held[k] != 0.0 ? d.v[k] : d.v_before[k];
  if (step->theta < 1.0) look_ahead(&d, d.v_free, (1.0 - step->theta) * step->h);
  cps_der_work(rod, &d, step, out);
  if (step->theta < 1.0) look_back(&d);
}

// Held coordinates of the edge at s, as in rows().
static CpsVec3 driven(const CpsRod* rod, double s, CpsVec3 point) {
  CpsDer d = cps_der_view(rod);
  double w;
  int32_t e = cps_der_edge_at(&d, s, &w);
  const double *held = d.held + 4 * (ptrdiff_t)e, *v = d.v + 4 * (ptrdiff_t)e;
  const CpsVec3 none = {0.0, 0.0, 0.0};
  if (held[0] == 0.0 && held[3] == 0.0 && held[4] == 0.0) return none;
  CpsVec3 a = held[0] != 0.0 ? cps_vec3_get(v) : none, b = held[4] != 0.0 ? cps_vec3_get(v + 4) : none,
          t = d.tangent[e];
  CpsVec3 spin = cps_vec3_cross(t, cps_vec3_scale(1.0 / d.edge[e], cps_vec3_sub(b, a)));
  if (held[3] != 0.0) spin = cps_vec3_axpy(spin, v[3], t);
  CpsVec3 centre = cps_vec3_axpy(cps_vec3_scale(1.0 - w, a), w, b);
  return cps_vec3_add(centre, cps_vec3_cross(spin, cps_vec3_sub(point, on_edge(&d, e, w))));
}

static void shift(CpsRod* rod, const double* z) {
  CpsDer d = cps_der_view(rod);
  memcpy(d.old_tangent, d.tangent, (size_t)(d.vertices - 1) * sizeof *d.tangent);
  const double* change = apply_upper(&d, z);
  for (int32_t k = 0; k < d.dofs; ++k) d.q[k] += change[k];
  if (lengths_of(rod) != CPS_DER_STIFF) (void)cps_der_project(&d);
  cps_der_find_tangents(&d);
  cps_der_carry_directors(&d);
}

// Velocities of vertex i and of the next edge in a rigid motion.
static void rigid_velocities(const CpsDer* d, const CpsRigidMotion* m, int32_t i, double out[4]) {
  cps_vec3_put(out, cps_rigid_motion_at(m, cps_der_position(d, i)));
  out[3] = i + 1 < d->vertices ? cps_vec3_dot(m->spin, d->tangent[i]) : 0.0;
}

static void slow(CpsRod* rod, double factor, const CpsRigidMotion* common, const CpsRigidMotion* more) {
  CpsDer d = cps_der_view(rod);
  for (int32_t i = 0; i < d.vertices; ++i) {
    double own[4], new[4], *v = d.v + 4 * (ptrdiff_t)i;
    rigid_velocities(&d, common, i, own);
    rigid_velocities(&d, more, i, new);
    for (int k = 0; k < 4 && 4 * i + k < d.dofs; ++k) {
      if (d.held[4 * i + k] == 0.0) v[k] = own[k] + factor * (v[k] - own[k]) + new[k];
    }
  }
}

static void move_rigidly(CpsRod* rod, CpsVec3 velocity_, CpsVec3 spin) {
  CpsDer d = cps_der_view(rod);
  const CpsRigidMotion all = {velocity_, spin};
  for (int32_t i = 0; i < d.vertices; ++i) {
    double value[4];
    rigid_velocities(&d, &all, i, value);
    for (int k = 0; k < 4 && 4 * i + k < d.dofs; ++k) {
      if (d.held[4 * i + k] == 0.0) d.v[4 * i + k] = value[k];
    }
  }
}

static void set_velocity(CpsRod* rod, int32_t joint, CpsVec3 velocity_) {
  CpsDer d = cps_der_view(rod);
  const double value[3] = {velocity_.x, velocity_.y, velocity_.z};
  const int32_t first = 4 * (joint + d.ghost);
  for (int k = 0; k < 3; ++k) {
    if (d.held[first + k] == 0.0) d.v[first + k] = value[k];
  }
}

static const double* view(const CpsRod* rod, bool velocities, int64_t* stride) {
  const CpsDer d = cps_der_view(rod);
  *stride = 4 * sizeof(double);
  return (velocities ? d.v : d.q) + 4 * (ptrdiff_t)d.ghost;
}

// From the multiplier, or from the strain. A projection of lengths is not a force of the step.
static double axial(const CpsRod* rod, double s) {
  CpsDer d = cps_der_view(rod);
  double w;
  int32_t e = cps_der_edge_at(&d, s, &w);
  return lengths_of(rod) == CPS_DER_INSIDE ? d.tension[e]
                                           : cps_der_edge_stiffness(rod, &d, e) * (d.edge[e] - d.rest[e]);
}

static void energy(const CpsRod* rod, CpsVec3 gravity, CpsRodEnergy* out) {
  CpsDer d = cps_der_view(rod);
  *out = (CpsRodEnergy){.elastic = cps_der_elastic(rod, &d, lengths_of(rod))};
  for (int32_t k = 0; k < d.dofs; ++k) {
    double m = k % 4 == 3 ? d.inertia[k / 4] : d.mass[k / 4];
    out->kinetic += 0.5 * m * d.v[k] * d.v[k];
  }
  for (int32_t i = 0; rod->spec.gravity && i < d.vertices; ++i)
    out->gravity -= d.mass[i] * cps_vec3_dot(gravity, cps_der_position(&d, i));
}

static void momentum(const CpsRod* rod, CpsVec3* linear, CpsVec3* angular) {
  CpsDer d = cps_der_view(rod);
  *linear = *angular = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < d.vertices; ++i) {
    const double* v = d.v + 4 * (ptrdiff_t)i;
    CpsVec3 p = cps_vec3_scale(d.mass[i], cps_vec3(v[0], v[1], v[2]));
    *linear = cps_vec3_add(*linear, p);
    *angular = cps_vec3_add(*angular, cps_vec3_cross(cps_der_position(&d, i), p));
    if (i + 1 < d.vertices) *angular = cps_vec3_axpy(*angular, d.inertia[i] * v[3], d.tangent[i]);
  }
}

#define DISCRETE_ROD(rod_name, kind, axial_force, at_rest)                                                             \
  {                                                                                                                    \
    .name = (rod_name), .variant = (kind), .sizes = sizes, .create = create, .refresh = refresh, .at = at,             \
    .begin = begin, .rows = rows, .velocity = velocity, .motion = motion, .receive = receive, .work = work,            \
    .driven = driven, .advance = advance, .shift = shift, .slow = slow, .move_rigidly = move_rigidly, .view = view,    \
    .set_velocity = set_velocity, .axial = (axial_force), .energy = energy, .momentum = momentum, .statics = (at_rest) \
  }
const CpsRodType cps_rod_der = DISCRETE_ROD("der", CPS_DER_STIFF, axial, &cps_der_statics);
const CpsRodType cps_rod_der_inextensible = DISCRETE_ROD("der-inextensible", CPS_DER_INSIDE, axial, &cps_der_statics);
const CpsRodType cps_rod_der_projected = DISCRETE_ROD("der-projected", CPS_DER_PROJECTED, NULL, &cps_der_statics);
