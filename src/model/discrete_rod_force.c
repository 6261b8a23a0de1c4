// Energies of a discrete elastic rod and the system of one step.
//
// Each joint of length l stores (B_a/2l)(k_a - n_a)^2 for twist and the two bendings, n the natural strains, and each edge
// of rest length r stores (E S/2r)(|e| - r)^2. With g = dk_a/dq the forces and the Gauss-Newton part of the stiffness are
//
//   F = -(B_a/l)(k_a - n_a) g,      K = (B_a/l) g g^T                                                              (1)
//
// The second derivatives of the strains are left out, so K is positive semi-definite; relative to (1) they are of the order
// of the joint angle. An edge under tension T > 0 adds T/|e| (I - t t^T), without which a taut rope would be unstable: the
// tension turns with the edge. Where the mass solve keeps the lengths, T is a multiplier with
//
//   T+ = T + k h c.v~,   M~ = M + ... + k h^2 theta c c^T,   c = (-t, t),   k h^2 = STIFFENING times the mass of an edge (2)
//
// v~ = theta v+ + (1 - theta) v. All terms are evaluated with the rod moved (1 - theta) h ahead by the old velocities:
// at theta = 1/2 in the middle of the step, so the moment of the forces about the rod is only of third order and
// a spinning rod is not stretched by its own rotation.
//
// Where lengths are projected after the step, T is constant: the value at rest if the rod was balanced there
// (discrete_rod_statics.c), otherwise 0. The tension that turns with an edge is T+ of the previous step.
//
// (2) is the method of multipliers with one iteration per step. M~^-1 is then that of the inextensible motions up to
// 1/STIFFENING, it stays positive definite even for dependent constraints, and T is known.
#include "model/discrete_rod.h"

#include "sparse/banded.h"

#include <string.h>

// The relative error of the constrained inverse is 1/STIFFENING, that of rounding 1e-16 STIFFENING.
static const double STIFFENING = 1e8;

// Edges that belong to the rod.
static int32_t first_edge(const CpsDer* d) {
  return d->ghost;
}
static int32_t edge_end(const CpsDer* d) {
  return d->ghost + d->elements;
}

CpsDerTerm cps_der_term(const CpsRod* rod, const CpsDer* d, int32_t term) {
  const int32_t i = 1 + term / 3, a = term % 3;
  const double B = rod->spec.branch[0].stiffness[a] * cps_rod_joint_taper(&rod->spec, i - d->ghost);
  const CpsDerJoint* joint = &d->joint[i];
  return (CpsDerTerm){4 * (i - 1), joint->gradient[a], B / d->joint_length[i],
                      joint->strain[a] - d->natural[3 * (ptrdiff_t)i + a]};
}

double cps_der_edge_stiffness(const CpsRod* rod, const CpsDer* d, int32_t e) {
  return rod->spec.stretch * cps_rod_element_taper(&rod->spec, e - d->ghost, 2) / d->rest[e];
}

double cps_der_extension(const CpsDer* d, int32_t e) {
  return d->edge[e] - d->rest[e] - d->taut[e];
}

double cps_der_elastic(const CpsRod* rod, const CpsDer* d, CpsDerLengths lengths) {
  double sum = 0.0;
  for (int32_t i = 0; i < cps_der_term_count(d); ++i) {
    const CpsDerTerm term = cps_der_term(rod, d, i);
    sum += 0.5 * term.B * term.k * term.k;
  }
  if (lengths != CPS_DER_STIFF) return sum;
  for (int32_t e = first_edge(d); e < edge_end(d); ++e) {
    const double longer = cps_der_extension(d, e);
    sum += 0.5 * cps_der_edge_stiffness(rod, d, e) * longer * longer;
  }
  return sum;
}

// Context of the assembly.
typedef struct System {
  double h, position, velocity, matrix;  // factors of g.v in forces and of g g^T in M~
  double* band;
  double* force;
  const double* v;
} System;

// A term with strain excess k, gradient g over `count` coordinates from `first` on and modulus B: (1), damped.
static void add_term(const System* s, int32_t first, int count, const double* g, double B, double k) {
  double rate = 0.0;
  for (int i = 0; i < count; ++i) rate += g[i] * s->v[first + i];
  double stress = B * (k + (s->position + s->velocity) * rate), weight = B * s->matrix;
  for (int i = 0; i < count; ++i) {
    s->force[first + i] -= s->h * stress * g[i];
    double* row = &s->band[cps_banded_at(CPS_DER_BAND, first + i, first)];
    for (int j = 0; j <= i; ++j) row[j] += weight * g[i] * g[j];
  }
}

double cps_der_turning_tension(const CpsRod* rod, const CpsDer* d, int32_t e) {
  if ((CpsDerLengths)rod->type->variant == CPS_DER_INSIDE) return d->tension[e];
  if ((CpsDerLengths)rod->type->variant == CPS_DER_PROJECTED) return d->taut[e];
  return cps_der_edge_stiffness(rod, d, e) * cps_der_extension(d, e);
}

double cps_der_wave_damping(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, int32_t term) {
  const int32_t i = 1 + term / 3;
  if (term % 3 == 0 || i <= first_edge(d) || i >= edge_end(d) || step->theta >= 1.0) return 0.0;
  const double T = 0.5 * (cps_der_turning_tension(rod, d, i - 1) + cps_der_turning_tension(rod, d, i)),
               size = d->joint_length[i];
  return cps_rod_wave_damping(step, T, d->mass[i] / size, size) / size;
}

static void add_joints(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, const System* s) {
  const System waves = {step->h, 0.0, 1.0, step->h * step->theta, s->band, s->force, s->v};
  for (int32_t i = 0; i < cps_der_term_count(d); ++i) {
    const CpsDerTerm term = cps_der_term(rod, d, i);
    add_term(s, term.first, CPS_DER_JOINT, term.gradient, term.B, term.k);
    const double damping = cps_der_wave_damping(rod, d, step, i);
    if (damping > 0.0) add_term(&waves, term.first, CPS_DER_JOINT, term.gradient, damping, 0.0);
  }
}

// Rotation of a tension: T/|e| (I - t t^T) between the ends of edge e.
static void add_turning(const CpsDer* d, const System* s, const CpsModelStep* step, int32_t e, double tension) {
  double per_length = tension / d->edge[e], matrix = step->h * step->h * step->theta * step->theta * per_length;
  const double t[3] = {d->tangent[e].x, d->tangent[e].y, d->tangent[e].z};
  const double* v = s->v + 4 * (ptrdiff_t)e;
  double along = 0.0;
  for (int i = 0; i < 3; ++i) along += t[i] * (v[4 + i] - v[i]);
  for (int i = 0; i < 3; ++i) {
    double pull = step->h * s->position * per_length * (v[4 + i] - v[i] - t[i] * along);
    s->force[4 * e + i] += pull;
    s->force[4 * e + 4 + i] -= pull;
    for (int j = 0; j < 3; ++j) {
      double entry = matrix * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
      if (j <= i) {
        s->band[cps_banded_at(CPS_DER_BAND, 4 * e + i, 4 * e + j)] += entry;
        s->band[cps_banded_at(CPS_DER_BAND, 4 * e + 4 + i, 4 * e + 4 + j)] += entry;
      }
      s->band[cps_banded_at(CPS_DER_BAND, 4 * e + 4 + i, 4 * e + j)] -= entry;
    }
  }
}

// Stiffness k of (2) for edge e.
double cps_der_stiffening(const CpsDer* d, const CpsModelStep* step, int32_t e) {
  return STIFFENING * 0.5 * (d->mass[e] + d->mass[e + 1]) / (step->h * step->h);
}

// An edge spinning about its axis with w has the angular momentum I w t, which rotates with the edge: the moment
// I w t' of the forces +-F = I w (t × t') / |e| on its ends, which do no work.
void cps_der_gyrate(const CpsDer* d, const CpsModelStep* step, const double* after, double* force) {
  const double theta = step->theta;
  for (int32_t e = first_edge(d); e < edge_end(d); ++e) {
    const double *a = d->v + 4 * (ptrdiff_t)e, *b = after + 4 * (ptrdiff_t)e;
    double v[7], *to = force + 4 * (ptrdiff_t)e;
    for (int i = 0; i < 7; ++i) v[i] = (1.0 - theta) * a[i] + theta * b[i];
    const CpsVec3 turn = cps_vec3_cross(d->tangent[e], cps_vec3_sub(cps_vec3_get(v + 4), cps_vec3_get(v)));
    const CpsVec3 f = cps_vec3_scale(step->h * d->inertia[e] * v[3] / (d->edge[e] * d->edge[e]), turn);
    double more[3];
    cps_vec3_put(more, cps_vec3_sub(f, d->gyration[e]));
    for (int i = 0; i < 3; ++i) to[i] -= more[i], to[4 + i] += more[i];
    d->gyration[e] = f;
  }
}

// v~ of a vertex; a held vertex has a constant velocity in the step.
static CpsVec3 mean_velocity(const CpsDer* d, double theta, int32_t vertex) {
  CpsVec3 after = cps_vec3_get(d->v + 4 * (ptrdiff_t)vertex),
          before = cps_vec3_get(d->v_before + 4 * (ptrdiff_t)vertex);
  if (d->held[4 * (ptrdiff_t)vertex] != 0.0) return after;
  return cps_vec3_axpy(cps_vec3_scale(theta, after), 1.0 - theta, before);
}

static void add_edges(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, const System* s) {
  const System inside = {step->h, step->h, 0.0, step->h * step->h * step->theta, s->band, s->force, s->v};
  for (int32_t e = first_edge(d); e < edge_end(d); ++e) {
    CpsVec3 t = d->tangent[e];
    const double c[7] = {-t.x, -t.y, -t.z, 0.0, t.x, t.y, t.z};
    const double tension = cps_der_turning_tension(rod, d, e);
    if ((CpsDerLengths)rod->type->variant == CPS_DER_STIFF) {
      add_term(s, 4 * e, 7, c, cps_der_edge_stiffness(rod, d, e), cps_der_extension(d, e));
    } else {
      double k = cps_der_stiffening(d, step, e);
      add_term(&inside, 4 * e, 7, c, k, d->tension[e] / k);
    }
    if (tension > 0.0) add_turning(d, s, step, e, tension);
  }
}

void cps_der_update_tension(const CpsDer* d, const CpsModelStep* step, double* tension) {
  for (int32_t e = first_edge(d); e < edge_end(d); ++e) {
    CpsVec3 a = mean_velocity(d, step->theta, e), b = mean_velocity(d, step->theta, e + 1);
    double rate = cps_vec3_dot(d->aim[e], cps_vec3_sub(b, a));
    tension[e] = d->tension[e] + cps_der_stiffening(d, step, e) * step->h * rate;  // (2)
  }
}

// Springs and forces of pulls, interpolated linearly between two vertices.
static void add_pulls(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, const System* s) {
  double h = step->h, ht = h * step->theta;
  for (int32_t p = 0; p < rod->pull_count; ++p) {
    const CpsRodPull* pull = &rod->pulls[p];
    int32_t e = (int32_t)fmin(fmax(floor(pull->s / d->size), 0.0), d->elements - 1.0);
    double w1 = fmin(fmax(pull->s / d->size - e, 0.0), 1.0), w0 = 1.0 - w1;
    int32_t first = 4 * (e + d->ghost);
    const double F[3] = {pull->force.x, pull->force.y, pull->force.z};
    const double target[3] = {pull->target.x, pull->target.y, pull->target.z};
    const double speed[3] = {pull->target_velocity.x, pull->target_velocity.y, pull->target_velocity.z};
    double weight = ht * ht * pull->stiffness + ht * pull->damping;
    for (int i = 0; i < 3; ++i) {
      int32_t a = first + i, b = a + 4;
      double x = w0 * d->q[a] + w1 * d->q[b], v = w0 * s->v[a] + w1 * s->v[b];
      double f = F[i] + pull->stiffness * (target[i] - x - s->position * v) - pull->damping * (v - speed[i]);
      s->force[a] += h * w0 * f;
      s->force[b] += h * w1 * f;
      s->band[cps_banded_at(CPS_DER_BAND, a, a)] += w0 * w0 * weight;
      s->band[cps_banded_at(CPS_DER_BAND, b, b)] += w1 * w1 * weight;
      s->band[cps_banded_at(CPS_DER_BAND, b, a)] += w0 * w1 * weight;
    }
  }
}

// Mass, weight and air drag of one vertex or angle.
static void add_bodies(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, const System* s) {
  CpsVec3 g = rod->spec.gravity ? step->gravity : cps_vec3(0.0, 0.0, 0.0);
  const double weight[3] = {g.x, g.y, g.z};
  double drag_per_mass = rod->spec.drag / rod->spec.branch[0].line_density;
  for (int32_t k = 0; k < d->dofs; ++k) {
    double* diagonal = &s->band[cps_banded_at(CPS_DER_BAND, k, k)];
    if (k % 4 == 3) {
      *diagonal += d->inertia[k / 4];
      continue;
    }
    double m = d->mass[k / 4], drag = drag_per_mass * m;
    *diagonal += m + step->h * step->theta * drag;
    s->force[k] += step->h * (m * weight[k % 4] - drag * s->v[k]);
  }
}

// Replaces rows and columns of prescribed coordinates by those of the identity: their velocity is constant in the step.
static void eliminate(const CpsDer* d, double* band, double* force) {
  for (int32_t i = 0; i < d->dofs; ++i) {
    int32_t start = i > CPS_DER_BAND ? i - CPS_DER_BAND : 0;
    for (int32_t j = start; j <= i; ++j) {
      if (d->held[i] != 0.0 || d->held[j] != 0.0) band[cps_banded_at(CPS_DER_BAND, i, j)] = i == j ? 1.0 : 0.0;
    }
    if (d->held[i] != 0.0) force[i] = 0.0;
  }
}

void cps_der_assemble(const CpsRod* rod, CpsDer* d, const CpsModelStep* step, double* force) {
  memset(d->band, 0, (size_t)d->dofs * (CPS_DER_BAND + 1) * sizeof(double));
  memset(force, 0, (size_t)d->dofs * sizeof(double));
  double ht = step->h * step->theta, damping = rod->spec.damping;
  const System s = {step->h, (2.0 * step->theta - 1.0) * step->h, damping, ht * ht + ht * damping, d->band, force,
                    d->v};
  add_bodies(rod, d, step, &s);
  memcpy(d->aim, d->tangent, (size_t)(d->vertices - 1) * sizeof *d->aim);
  memset(d->gyration, 0, (size_t)(d->vertices - 1) * sizeof *d->gyration);
  cps_der_gyrate(d, step, d->v, force);
  add_joints(rod, d, step, &s);
  add_edges(rod, d, step, &s);
  add_pulls(rod, d, step, &s);
  eliminate(d, d->band, force);
}
