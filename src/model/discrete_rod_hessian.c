// First and second derivatives of the energy of a discrete elastic rod with a clamped root, with respect to the free
// coordinates in q: those from the second vertex on, in the same order, so the half bandwidth is CPS_DER_BAND. The coordinates
// of a held tip do not change.
//
// At the present moments m_a and tensions T,
//
//   K = sum of (B_a/l) g_a g_a^T + sum of (E S/|e|) c c^T,      C = sum of m_a d2k_a/dq2 + sum of (T/|e|) I_e      (1)
//
// where I_e pulls the ends of an edge together in all directions: T d2|e|/dx2 = (T/|e|)(I - t t^T), and the stiffness of an
// edge of rest length r is E S/r = (E S + T)/|e|. The stiffness factor of rod_statics.h leaves m and T in (1) unchanged. d2k/dq2
// is a central difference of the gradients, with frames transported in parallel. Its antisymmetric part is the holonomy of the
// frame around a loop, not a second derivative.
// An edge of fixed length has the stiffness FIRM in C instead of E S/|e| in K.
#include "model/discrete_rod.h"
#include "model/rod_statics.h"
#include "sparse/banded.h"

#include <stdlib.h>
#include <string.h>

static const double DIFFERENCE = 1e-4;  // of an edge, and rad
static const double FIRM = 1e8;         // times the bending stiffness

// Index of the first free coordinate.
static int32_t first_free(const CpsDer* d) {
  return 4 * d->ghost + 3;  // the angle of the first edge
}

int32_t cps_der_unknowns(const CpsRod* rod, int32_t* band) {
  const CpsDer d = cps_der_view(rod);
  *band = CPS_DER_BAND;
  return 4 * d.elements;
}

// Stiffness of an edge of fixed length, N/m.
static double firmness(const CpsRod* rod, const CpsDer* d) {
  const double* B = rod->spec.branch[0].stiffness;
  return FIRM * fmax(B[0], fmax(B[1], B[2])) / (d->size * d->size * d->size);
}

static double tension_of(const CpsRod* rod, const CpsDer* d, int32_t e) {
  if ((CpsDerLengths)rod->type->variant != CPS_DER_STIFF) return d->tension[e];
  return cps_der_edge_stiffness(rod, d, e) * cps_der_extension(d, e);
}

CpsStatus cps_der_gradient(const CpsRod* rod, const CpsRodLoad* load, double* g, double* unit) {
  const CpsDer d = cps_der_view(rod);
  double* f = malloc((size_t)(d.dofs + 1) * sizeof *f);
  if (!f) return CPS_NO_MEMORY;
  cps_der_load(rod, &d, load, f);
  for (int32_t i = 0; i < cps_der_term_count(&d); ++i) {
    const CpsDerTerm term = cps_der_term(rod, &d, i);
    for (int k = 0; k < CPS_DER_JOINT; ++k) f[term.first + k] -= term.B * term.k * term.gradient[k];
  }
  for (int32_t e = d.ghost; e < d.ghost + d.elements; ++e) {
    const CpsVec3 pull = cps_vec3_scale(tension_of(rod, &d, e), d.tangent[e]);
    double* F = f + 4 * (ptrdiff_t)e;
    F[0] += pull.x, F[1] += pull.y, F[2] += pull.z;
    F[4] -= pull.x, F[5] -= pull.y, F[6] -= pull.z;
  }
  const double weight = cps_rod_load_size(rod, load);
  const int32_t first = first_free(&d);
  for (int32_t i = 0; i < 4 * d.elements; ++i) {
    g[i] = d.held[first + i] != 0.0 ? 0.0 : -f[first + i];
    // a moment of the weight on a joint equals this force at the end of an edge
    unit[i] = weight * (i % 4 == 0 ? rod->spec.length : rod->spec.length / d.size);
  }
  free(f);
  return CPS_OK;
}

// A symmetric entry for two coordinates, if both are free.
static void add(const CpsDer* d, double* A, int32_t i, int32_t j, double value) {
  const int32_t first = first_free(d), n = 4 * d->elements;
  if (i < first || j < first || i >= first + n || j >= first + n || j > i) return;
  if (d->held[i] == 0.0 && d->held[j] == 0.0) A[cps_banded_at(CPS_DER_BAND, i - first, j - first)] += value;
}

// The three gradients of a joint with one of its eleven coordinates changed; frames follow by parallel transport.
static void measure_moved(const CpsDer* d, int32_t joint, int number, double by, CpsDerJoint* out) {
  CpsVec3 x[3], frame[2][3];
  double angle[2] = {0.0, 0.0}, lengths[2], change[2];
  for (int i = 0; i < 3; ++i) x[i] = cps_der_position(d, joint - 1 + i);
  if (number % 4 == 3) {
    angle[number / 4] = by;
  } else {
    (&x[number / 4].x)[number % 4] += by;
  }
  for (int i = 0; i < 2; ++i) {
    const int32_t e = joint - 1 + i;
    const CpsVec3 along = cps_vec3_sub(x[i + 1], x[i]);
    lengths[i] = cps_vec3_norm(along);
    const CpsVec3 t = cps_vec3_scale(1.0 / lengths[i], along), u = cps_der_transport(d->second[e], d->tangent[e], t);
    const CpsVec3 v = cps_vec3_cross(t, u);
    const double c = cos(angle[i]), s = sin(angle[i]);
    frame[i][0] = t;
    frame[i][1] = cps_vec3_axpy(cps_vec3_scale(c, u), s, v);
    frame[i][2] = cps_vec3_axpy(cps_vec3_scale(c, v), -s, u);
    change[i] = angle[i];
  }
  // for twist only the gradient is needed
  cps_der_measure(frame[0], frame[1], change[1] - change[0], lengths, out);
}

static void add_joint(const CpsDer* d, int32_t joint, const double m[3], double* C) {
  double slope[CPS_DER_JOINT][CPS_DER_JOINT];
  for (int j = 0; j < CPS_DER_JOINT; ++j) {
    const double step = DIFFERENCE * (j % 4 == 3 ? 1.0 : d->size);
    CpsDerJoint side[2];
    measure_moved(d, joint, j, step, &side[0]);
    measure_moved(d, joint, j, -step, &side[1]);
    for (int i = 0; i < CPS_DER_JOINT; ++i) {
      slope[i][j] = 0.0;
      for (int a = 0; a < 3; ++a)
        slope[i][j] += m[a] * (side[0].gradient[a][i] - side[1].gradient[a][i]) / (2.0 * step);
    }
  }
  const int32_t first = 4 * (joint - 1);
  for (int i = 0; i < CPS_DER_JOINT; ++i) {
    for (int j = 0; j <= i; ++j) add(d, C, first + i, first + j, 0.5 * (slope[i][j] + slope[j][i]));
  }
}

// s times a matrix between the two ends of an edge.
static void add_edge(const CpsDer* d, int32_t e, double s, const CpsMat3* A, double* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double value = s * A->m[3 * i + j];
      add(d, out, 4 * e + i, 4 * e + j, value);
      add(d, out, 4 * e + 4 + i, 4 * e + 4 + j, value);
      add(d, out, 4 * e + 4 + i, 4 * e + j, -value);
    }
  }
}

static void add_edges(const CpsRod* rod, const CpsDer* d, double* K, double* C) {
  const bool stiff = (CpsDerLengths)rod->type->variant == CPS_DER_STIFF;
  for (int32_t e = d->ghost; e < d->ghost + d->elements; ++e) {
    const double T = tension_of(rod, d, e);
    const double ES = rod->spec.stretch * cps_rod_element_taper(&rod->spec, e - d->ghost, 2);
    const CpsMat3 tt = cps_mat3_outer(d->tangent[e], d->tangent[e]), I = cps_mat3_identity();
    const CpsMat3 across = cps_mat3_axpy(I, -1.0, tt);
    add_edge(d, e, T / d->edge[e], stiff ? &I : &across, C);
    if (stiff) {
      add_edge(d, e, ES / d->edge[e], &tt, K);
    } else {
      add_edge(d, e, firmness(rod, d), &tt, C);
    }
  }
}

// The edge of a point at s, and the weight of its far vertex.
static int32_t edge_of(const CpsDer* d, double s, double* w) {
  const double at = s / d->size;
  const int32_t e = (int32_t)fmin(fmax(floor(at), 0.0), d->elements - 1.0);
  *w = fmin(fmax(at - e, 0.0), 1.0);
  return e;
}

static void add_springs(const CpsDer* d, const CpsRodLoad* load, double* C) {
  for (int32_t p = 0; p < load->pull_count; ++p) {
    const double k = load->pulls[p].stiffness;
    double w;
    const int32_t e = edge_of(d, load->pulls[p].s, &w);
    for (int i = 0; i < 3; ++i) {
      const int32_t a = 4 * (e + d->ghost) + i, b = a + 4;
      add(d, C, a, a, (1.0 - w) * (1.0 - w) * k);
      add(d, C, b, b, w * w * k);
      add(d, C, b, a, w * (1.0 - w) * k);
    }
  }
}

static void add_slope_springs(const CpsDer* d, const CpsRodLoad* load, double* C) {
  for (int32_t p = 0; p < load->spring_count; ++p) {
    const CpsRodSpring* spring = &load->springs[p];
    double w, row[2][3];
    const int32_t e = edge_of(d, spring->s, &w) + d->ghost;
    const double size = d->edge[e];
    cps_vec3_put(row[0], cps_vec3_axpy(cps_vec3_scale(1.0 - w, spring->along), -1.0 / size, spring->slope));
    cps_vec3_put(row[1], cps_vec3_axpy(cps_vec3_scale(w, spring->along), 1.0 / size, spring->slope));
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) {
        const double k = spring->stiffness * row[i / 3][i % 3] * row[j / 3][j % 3];
        add(d, C, 4 * (e + i / 3) + i % 3, 4 * (e + j / 3) + j % 3, k);
      }
    }
  }
}

CpsStatus cps_der_hessian(const CpsRod* rod, const CpsRodLoad* load, double* K, double* C) {
  const CpsDer d = cps_der_view(rod);
  const size_t count = (size_t)(4 * d.elements) * (CPS_DER_BAND + 1);
  memset(K, 0, count * sizeof *K);
  memset(C, 0, count * sizeof *C);
  for (int32_t t = 0; t < cps_der_term_count(&d); ++t) {
    const CpsDerTerm term = cps_der_term(rod, &d, t);
    for (int i = 0; i < CPS_DER_JOINT; ++i) {
      for (int j = 0; j <= i; ++j)
        add(&d, K, term.first + i, term.first + j, term.B * term.gradient[i] * term.gradient[j]);
    }
  }
  for (int32_t i = 1; i + 1 < d.vertices; ++i) {
    double m[3];
    for (int a = 0; a < 3; ++a) {
      const CpsDerTerm term = cps_der_term(rod, &d, 3 * (i - 1) + a);
      m[a] = term.B * term.k;
    }
    add_joint(&d, i, m, C);
  }
  add_edges(rod, &d, K, C);
  add_springs(&d, load, C);
  add_slope_springs(&d, load, C);
  for (int32_t i = 0; i < 4 * d.elements; ++i) {
    if (d.held[first_free(&d) + i] != 0.0) K[cps_banded_at(CPS_DER_BAND, i, i)] = 1.0;
  }
  return CPS_OK;
}

void cps_der_step_parts(const CpsRod* rod, double mass, double along, double turning, double* C) {
  const CpsDer d = cps_der_view(rod);
  const bool stiff = (CpsDerLengths)rod->type->variant == CPS_DER_STIFF;
  const int32_t first = first_free(&d);
  for (int32_t i = first; i < first + 4 * d.elements; ++i) {
    add(&d, C, i, i, mass * (i % 4 == 3 ? d.inertia[i / 4] : d.mass[i / 4]));
    if (d.held[i] != 0.0) C[cps_banded_at(CPS_DER_BAND, i - first, i - first)] = 1.0;
  }
  for (int32_t e = d.ghost; e < d.ghost + d.elements; ++e) {
    const double tension = tension_of(rod, &d, e), T = tension / d.edge[e], turns = cps_der_turning_tension(rod, &d, e);
    const CpsMat3 tt = cps_mat3_outer(d.tangent[e], d.tangent[e]), I = cps_mat3_identity();
    const CpsMat3 across = cps_mat3_axpy(I, -1.0, tt);
    if (turns > 0.0) add_edge(&d, e, turning * turns / d.edge[e], &across, C);
    add_edge(&d, e, stiff ? along * T : 2.0 * firmness(rod, &d), &tt, C);
  }
}

void cps_der_move_free(CpsRod* rod, const double* change) {
  CpsDer d = cps_der_view(rod);
  const bool stiff = (CpsDerLengths)rod->type->variant == CPS_DER_STIFF;
  const int32_t first = first_free(&d);
  memcpy(d.old_tangent, d.tangent, (size_t)(d.vertices - 1) * sizeof *d.tangent);
  for (int32_t e = d.ghost; !stiff && e < d.ghost + d.elements; ++e) {
    const int32_t far = 4 * e + 4 - first;
    for (int i = 0; i < 3; ++i) {
      const double near = e == d.ghost ? 0.0 : change[far - 4 + i];
      d.tension[e] += firmness(rod, &d) * (&d.tangent[e].x)[i] * (change[far + i] - near);
    }
  }
  for (int32_t i = 0; i < 4 * d.elements; ++i) d.q[first + i] += change[i];
  if (!stiff) {
    d.lean = 0.0;
    (void)cps_der_project(&d);
  }
  cps_der_find_tangents(&d);
  cps_der_carry_directors(&d);
  rod->type->refresh(rod);
}
