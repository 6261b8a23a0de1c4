// Energies, arrays and serialisation of a flow, and the force on its disc.
//
// With f the forces on nodes, K the viscosity, s the stress in the law, d the nodes of prescribed velocity, and dv the velocity change
// due to impulses, one step of M (v - v_old) = h f - h K v + A^T s at the free nodes changes the kinetic energy by
//
//   h f.v + v_d.(h K v - A^T s)_d      work of gravity, pressures, cohesion and borders                               (1)
//   - h v.K v                          viscosity                                                                      (2)
//   - |v - v_old|^2_M / 2 + |dv|^2_M~ / 2   the scheme; the world accounts for s.(u + b)/2                          (3)
#include "core/error.h"
#include "core/hash.h"
#include "model/flow.h"

#include <math.h>
#include <string.h>

// dv^T M~ dv
static double square(const CpsFlow* f, const CpsVec3* dv) {
  double sum = 0.0;
  for (int32_t i = 0; i < f->nodes; ++i) {
    for (int64_t k = f->M_start[i]; k < f->M_start[i + 1]; ++k) {
      const double* B = f->M_value + 9 * k;
      const CpsVec3 w = dv[f->M_column[k]];
      const CpsVec3 Bw = {B[0] * w.x + B[1] * w.y + B[2] * w.z, B[3] * w.x + B[4] * w.y + B[5] * w.z,
                          B[6] * w.x + B[7] * w.y + B[8] * w.z};
      sum += (f->M_column[k] == i ? 1.0 : 2.0) * cps_vec3_dot(dv[i], Bw);
    }
  }
  return sum;
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  CpsFlow* f = (CpsFlow*)model;  // writes to its scratch memory
  if (first == last || f->nodes == 0) return;
  for (int32_t i = 0; i < f->nodes; ++i) out->kinetic += 0.5 * f->mass[i] * cps_vec3_dot(f->v[i], f->v[i]);
  if (!stepped) return;
  CpsVec3 *dv = f->scratch, *held = f->scratch + f->nodes;
  double external = 0.0, scheme = 0.0, damping = 0.0;
  for (int32_t i = 0; i < f->nodes; ++i) dv[i] = cps_vec3_sub(f->after[i], f->free[i]);
  scheme -= 0.5 * square(f, dv);
  cps_flow_viscous(f, f->v, dv);
  memset(held, 0, (size_t)f->nodes * sizeof *held);
  cps_flow_push(f, step->h, f->def.cohesion, held);
  for (int32_t i = 0; i < f->nodes; ++i) {
    const CpsVec3 change = cps_vec3_sub(f->v[i], f->before[i]);
    scheme += 0.5 * f->mass[i] * cps_vec3_dot(change, change);
    damping += step->h * cps_vec3_dot(dv[i], f->v[i]);
    external += f->held[i] ? cps_vec3_dot(f->v[i], cps_vec3_sub(cps_vec3_scale(step->h, dv[i]), held[i]))
                           : step->h * cps_vec3_dot(f->force[i], f->v[i]);
  }
  out->external += external;
  out->damping += damping;
  out->scheme += scheme;
  out->turnover += fabs(external) + damping;
}

CpsVec3 cps_flow_disc_force(const CpsFlow* f, CpsVec3* work) {
  CpsVec3 sum = {0.0, 0.0, 0.0};
  cps_flow_viscous(f, f->v, work);
  for (int32_t i = 0; i < f->nodes; ++i) work[i] = cps_vec3_scale(-1.0, work[i]);
  cps_flow_push(f, 1.0, 0.0, work);
  for (int32_t i = 0; i < f->nodes; ++i) {
    if (cps_flow_in_disc(f, cps_flow_node_place(f, i))) sum = cps_vec3_add(sum, work[i]);
  }
  return sum;
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  const CpsFlow* f = (const CpsFlow*)model;
  for (int32_t i = 0; first < last && i < f->nodes; ++i) {
    *linear = cps_vec3_axpy(*linear, f->mass[i], f->v[i]);
    *angular = cps_vec3_axpy(*angular, f->mass[i], cps_vec3_cross(cps_flow_node_place(f, i), f->v[i]));
  }
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  const CpsFlow* f = (const CpsFlow*)model;
  for (int32_t i = 0; first < last && i < f->nodes; ++i) *mass += f->mass[i];
}

static double reach(const CpsModel* model, CpsVec3 from) {
  const CpsFlow* f = (const CpsFlow*)model;
  double far = 0.0;
  for (int32_t i = 0; i < f->nodes; ++i) far = fmax(far, cps_vec3_norm(cps_vec3_sub(cps_flow_node_place(f, i), from)));
  return far;
}

static int64_t read(const CpsModel* model, int32_t member, CpsQuantity quantity, double* values, size_t stride) {
  (void)member;
  const CpsFlow* f = (const CpsFlow*)model;
  if (quantity == CPS_QUANTITY_ORIENTATION || quantity == CPS_QUANTITY_ANGULAR_VELOCITY) return 0;
  if (quantity == CPS_QUANTITY_CENTRE) return 0;
  char* at = (char*)values;
  for (int32_t v = 0; values && v < f->vertices; ++v, at += stride) {
    double* to = (double*)(void*)at;
    const bool there = f->stress[v].S > 0.0;
    if (quantity == CPS_QUANTITY_POSITION) cps_vec3_put(to, cps_flow_vertex_place(f, v));
    if (quantity == CPS_QUANTITY_VELOCITY) cps_vec3_put(to, f->v[cps_flow_vertex_node(f, v)]);
    if (quantity == CPS_QUANTITY_FRACTION) *to = there ? f->def.fraction : 0.0;
    if (quantity == CPS_QUANTITY_PRESSURE) *to = there ? cps_tensor_pressure(f->dim, f->stress[v].lambda[0]) : 0.0;
    if (quantity == CPS_QUANTITY_STATUS) *to = there ? f->stress[v].status : CPS_CONTACT_TAKEOFF;
    if (quantity == CPS_QUANTITY_STRESS) {
      const double none[CPS_OWN_ROWS] = {0};
      cps_tensor_stress(f->dim, there ? f->stress[v].lambda : none, to);
    }
  }
  return f->vertices;
}

static uint64_t hash(const CpsModel* model, uint64_t value) {
  const CpsFlow* f = (const CpsFlow*)model;
  return f->nodes == 0 ? value : cps_hash_bytes(value, f->v, (size_t)f->nodes * sizeof *f->v);
}

// Velocities of nodes, stresses of vertices with their status.
static size_t stress_doubles(const CpsFlow* f) {
  return (size_t)f->rows + 1;
}

static size_t state_size(const CpsModel* model) {
  const CpsFlow* f = (const CpsFlow*)model;
  return (3 * (size_t)f->nodes + stress_doubles(f) * (size_t)f->vertices) * sizeof(double);
}

static void save(const CpsModel* model, void* bytes) {
  const CpsFlow* f = (const CpsFlow*)model;
  if (f->nodes == 0) return;
  memcpy(bytes, f->v, (size_t)f->nodes * sizeof *f->v);
  char* at = (char*)bytes + (size_t)f->nodes * sizeof *f->v;
  for (int32_t v = 0; v < f->vertices; ++v, at += stress_doubles(f) * sizeof(double)) {
    const double status = f->stress[v].status;
    memcpy(at, f->stress[v].lambda, (size_t)f->rows * sizeof(double));
    memcpy(at + (size_t)f->rows * sizeof(double), &status, sizeof status);
  }
}

static CpsStatus check(const CpsModel* model, const void* bytes, size_t size, CpsError* error) {
  const CpsFlow* f = (const CpsFlow*)model;
  for (size_t k = 0; k < size / sizeof(double); ++k) {
    double x;
    memcpy(&x, (const char*)bytes + k * sizeof x, sizeof x);
    const size_t from = 3 * (size_t)f->nodes;
    const bool status = k >= from && (k - from) % stress_doubles(f) == (size_t)f->rows;
    if (isfinite(x) && (!status || x == 0.0 || x == 1.0 || x == 2.0)) continue;
    return cps_fail(error, CPS_BAD_DATA, "number %d of the flow is %g", (int)k, x);
  }
  return CPS_OK;
}

static void load(CpsModel* model, const void* bytes) {
  CpsFlow* f = (CpsFlow*)model;
  if (f->nodes == 0) return;
  memcpy(f->v, bytes, (size_t)f->nodes * sizeof *f->v);
  const char* at = (const char*)bytes + (size_t)f->nodes * sizeof *f->v;
  for (int32_t v = 0; v < f->vertices; ++v, at += stress_doubles(f) * sizeof(double)) {
    double status;
    memcpy(f->stress[v].lambda, at, (size_t)f->rows * sizeof(double));
    memcpy(&status, at + (size_t)f->rows * sizeof(double), sizeof status);
    f->stress[v].status = (uint8_t)status;
  }
}

void cps_flow_fill_table(CpsModelType* table) {
  table->energy = energy;
  table->momentum = momentum;
  table->weigh = weigh;
  table->reach = reach;
  table->read = read;
  table->hash = hash;
  table->state_size = state_size;
  table->save = save;
  table->check = check;
  table->load = load;
}
