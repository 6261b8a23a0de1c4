// Elements of a flow: rectangles with velocities that are quadratic along each axis (nine nodes) and stresses at their four vertices.
//
// Taylor and Hood's pair for the tensor: pressures do not oscillate, and no mode of an element goes unseen by viscosity. With hat
// functions w_i of the vertices and S_i their integral,
//
//   u_i = sqrt(2/S_i) chi^-1(integral of w_i D(v)),   r_i = sqrt(2 S_i) h chi^-1(lambda_i)                            (1)
//
// as for grains (grain_stress.c). Nodes in a disc are held, and elements that have no other nodes take no part. Elements that the disc
// cuts count as a whole: without the Gauss points inside it grains would flow into it, since only nodes are held.
#include "model/flow.h"

#include <math.h>

static const double GAUSS[3] = {-0.77459666924148338, 0.0, 0.77459666924148338};  // sqrt(3/5)
static const double WEIGHT[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

static int32_t column_of(const CpsFlow* f, int32_t element) {
  return element % f->def.cells_x;
}
static int32_t row_of(const CpsFlow* f, int32_t element) {
  return element / f->def.cells_x;
}

int32_t cps_flow_node(const CpsFlow* f, int32_t element, int k) {
  const int32_t x = (2 * column_of(f, element) + k % 3) % f->node_x, z = 2 * row_of(f, element) + k / 3;
  return z * f->node_x + x;
}

int32_t cps_flow_vertex(const CpsFlow* f, int32_t element, int k) {
  const int32_t x = (column_of(f, element) + k % 2) % f->vertex_x, z = row_of(f, element) + k / 2;
  return z * f->vertex_x + x;
}

CpsVec3 cps_flow_node_place(const CpsFlow* f, int32_t node) {
  const int32_t column = node % f->node_x, row = node / f->node_x;
  return cps_vec3(f->def.lower.x + 0.5 * f->dx * column, 0.0, f->def.lower.z + 0.5 * f->dz * row);
}

CpsVec3 cps_flow_vertex_place(const CpsFlow* f, int32_t vertex) {
  return cps_flow_node_place(f, cps_flow_vertex_node(f, vertex));
}

int32_t cps_flow_vertex_node(const CpsFlow* f, int32_t vertex) {
  return 2 * (vertex / f->vertex_x) * f->node_x + 2 * (vertex % f->vertex_x);
}

// Values and slopes of the three functions along an axis, s from -1 to 1.
static void line(double s, double value[3], double slope[3]) {
  value[0] = 0.5 * s * (s - 1.0);
  value[1] = 1.0 - s * s;
  value[2] = 0.5 * s * (s + 1.0);
  slope[0] = s - 0.5;
  slope[1] = -2.0 * s;
  slope[2] = s + 0.5;
}

void cps_flow_place(const CpsFlow* f, int q, CpsFlowPlace* place) {
  const double s = GAUSS[q % 3], t = GAUSS[q / 3];
  double x[3], dx[3], z[3], dz[3];
  line(s, x, dx);
  line(t, z, dz);
  place->weight = 0.25 * f->dx * f->dz * WEIGHT[q % 3] * WEIGHT[q / 3];
  for (int k = 0; k < CPS_FLOW_NODES; ++k) {
    place->gradient[k] = cps_vec3(2.0 / f->dx * dx[k % 3] * z[k / 3], 0.0, 2.0 / f->dz * x[k % 3] * dz[k / 3]);
  }
  for (int k = 0; k < 4; ++k) place->hat[k] = 0.25 * (k % 2 ? 1.0 + s : 1.0 - s) * (k / 2 ? 1.0 + t : 1.0 - t);
}

static bool in_disc(const CpsFlow* f, CpsVec3 x) {
  const double r = f->def.disc_radius, a = x.x - f->def.disc_centre.x, b = x.z - f->def.disc_centre.z;
  return r > 0.0 && a * a + b * b <= r * r * (1.0 + 1e-12);
}

// Where grains are, and the masses of nodes: in the proportion of Simpson's rule, which is what the functions of the nodes weigh.
static void fill(CpsFlow* f) {
  const double mass = f->def.density * f->def.fraction * f->dx * f->dz / 36.0;
  for (int32_t e = 0; e < f->def.cells_x * f->def.cells_z; ++e) {
    f->filled[e] = false;
    for (int k = 0; k < CPS_FLOW_NODES; ++k) {
      f->filled[e] = f->filled[e] || !in_disc(f, cps_flow_node_place(f, cps_flow_node(f, e, k)));
    }
    for (int k = 0; f->filled[e] && k < CPS_FLOW_NODES; ++k) {
      f->mass[cps_flow_node(f, e, k)] += mass * (k % 3 == 1 ? 4.0 : 1.0) * (k / 3 == 1 ? 4.0 : 1.0);
    }
  }
}

static void hold(CpsFlow* f, int32_t node, CpsVec3 velocity) {
  f->held[node] = true;
  f->given[node] = cps_vec3(velocity.x, 0.0, velocity.z);
}

// Given velocities first, walls to which grains stick over them, the disc over all.
static void hold_nodes(CpsFlow* f) {
  static const CpsFlowBorderKind ORDER[3] = {CPS_FLOW_SLIP, CPS_FLOW_VELOCITY, CPS_FLOW_NO_SLIP};
  for (int pass = 0; pass < 3; ++pass) {
    for (int side = f->def.periodic ? 2 : 0; side < 4; ++side) {
      const CpsFlowBorder* border = &f->def.border[side];
      if (border->kind != ORDER[pass]) continue;
      const bool upright = side < 2;
      for (int32_t k = 0; k < (upright ? f->node_z : f->node_x); ++k) {
        const int32_t last = upright ? f->node_x - 1 : f->node_z - 1, at = side % 2 ? last : 0;
        const int32_t node = upright ? k * f->node_x + at : at * f->node_x + k;
        if (border->kind == CPS_FLOW_SLIP) (upright ? f->fixed_x : f->fixed_z)[node] = true;
        if (border->kind == CPS_FLOW_VELOCITY) hold(f, node, border->velocity);
        if (border->kind == CPS_FLOW_NO_SLIP) hold(f, node, cps_vec3(0.0, 0.0, 0.0));
      }
    }
  }
  for (int32_t i = 0; i < f->nodes; ++i) {
    if (in_disc(f, cps_flow_node_place(f, i)) || !(f->mass[i] > 0.0)) hold(f, i, f->def.disc_velocity);
  }
}

// What vertices see.
static bool look(CpsFlow* f) {
  for (int32_t v = 0; v <= f->vertices; ++v) f->seen_start[v] = (int64_t)v * CPS_FLOW_SEEN;
  for (int64_t k = 0; k < f->seen_start[f->vertices]; ++k) f->seen[k] = -1;
  for (int32_t e = 0; e < f->def.cells_x * f->def.cells_z; ++e) {
    for (int q = 0; f->filled[e] && q < CPS_FLOW_GAUSS; ++q) {
      CpsFlowPlace place;
      cps_flow_place(f, q, &place);
      for (int c = 0; c < 4; ++c) {
        const int32_t vertex = cps_flow_vertex(f, e, c);
        const double weight = place.weight * place.hat[c];
        f->stress[vertex].S += weight;
        for (int k = 0; k < CPS_FLOW_NODES; ++k) {
          const int32_t node = cps_flow_node(f, e, k);
          int64_t at = f->seen_start[vertex];
          while (at < f->seen_start[vertex + 1] && f->seen[at] >= 0 && f->seen[at] != node) ++at;
          if (at == f->seen_start[vertex + 1]) return false;  // no vertex has more neighbours than CPS_FLOW_SEEN
          f->seen[at] = node;
          f->gradient[at] = cps_vec3_axpy(f->gradient[at], weight, place.gradient[k]);
        }
      }
    }
  }
  // lists without holes
  int64_t to = 0;
  for (int32_t v = 0; v < f->vertices; ++v) {
    const int64_t from = (int64_t)v * CPS_FLOW_SEEN;
    f->seen_start[v] = to;
    for (int64_t at = from; at < from + CPS_FLOW_SEEN && f->seen[at] >= 0; ++at, ++to) {
      f->seen[to] = f->seen[at];
      f->gradient[to] = f->gradient[at];
    }
  }
  f->seen_start[f->vertices] = to;
  return true;
}

// Stresses that can do something.
static void list_stresses(CpsFlow* f) {
  for (int32_t v = 0; v < f->vertices; ++v) {
    bool any = false;
    for (int64_t k = f->seen_start[v]; k < f->seen_start[v + 1]; ++k) any = any || !f->held[f->seen[k]];
    if (any && f->stress[v].S > 0.0) f->stress_vertex[f->stress_count++] = v;
  }
}

// Rows of M~: a node and those before it that share an element with it, or itself alone.
static bool lay_rows(CpsFlow* f, bool viscous) {
  const int32_t elements = f->def.cells_x * f->def.cells_z;
  f->M_start = CPS_TAKE_ZERO(&f->arena, int64_t, (int64_t)f->nodes + 1);
  if (!f->M_start) return false;
  if (!viscous) {
    f->M_column = CPS_TAKE(&f->arena, int32_t, f->nodes);
    for (int32_t i = 0; f->M_column && i < f->nodes; ++i) f->M_column[i] = i, f->M_start[i + 1] = i + 1;
    return f->M_column;
  }
  int32_t* row = CPS_TAKE(&f->arena, int32_t, (int64_t)f->nodes * CPS_FLOW_SEEN);
  int32_t* count = CPS_TAKE_ZERO(&f->arena, int32_t, f->nodes);
  if (!row || !count) return false;
  for (int32_t e = 0; e < elements; ++e) {
    for (int k = 0; k < CPS_FLOW_NODES * CPS_FLOW_NODES; ++k) {
      const int32_t i = cps_flow_node(f, e, k / CPS_FLOW_NODES), j = cps_flow_node(f, e, k % CPS_FLOW_NODES);
      if (j > i) continue;
      int32_t at = 0, *own = row + (int64_t)i * CPS_FLOW_SEEN;
      while (at < count[i] && own[at] < j) ++at;
      if (at < count[i] && own[at] == j) continue;
      for (int32_t q = count[i]++; q > at; --q) own[q] = own[q - 1];
      own[at] = j;
    }
  }
  for (int32_t i = 0; i < f->nodes; ++i) f->M_start[i + 1] = f->M_start[i] + count[i];
  f->M_column = CPS_TAKE(&f->arena, int32_t, f->M_start[f->nodes]);
  for (int32_t i = 0; f->M_column && i < f->nodes; ++i) {
    for (int32_t k = 0; k < count[i]; ++k) f->M_column[f->M_start[i] + k] = row[(int64_t)i * CPS_FLOW_SEEN + k];
  }
  return f->M_column;
}

bool cps_flow_lay(CpsFlow* f) {
  const int64_t elements = (int64_t)f->def.cells_x * f->def.cells_z, n = f->nodes, v = f->vertices;
  CpsArena* a = &f->arena;
  f->filled = CPS_TAKE(a, bool, elements);
  f->mass = CPS_TAKE_ZERO(a, double, n);
  f->held = CPS_TAKE_ZERO(a, bool, n);
  f->fixed_x = CPS_TAKE_ZERO(a, bool, n);
  f->fixed_z = CPS_TAKE_ZERO(a, bool, n);
  f->given = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->seen_start = CPS_TAKE(a, int64_t, v + 1);
  f->seen = CPS_TAKE(a, int32_t, v * CPS_FLOW_SEEN);
  f->gradient = CPS_TAKE_ZERO(a, CpsVec3, v * CPS_FLOW_SEEN);
  f->stress = CPS_TAKE_ZERO(a, CpsFlowStress, v);
  f->stress_vertex = CPS_TAKE(a, int32_t, v);
  f->work = CPS_TAKE_ZERO(a, double, 3 * n);
  f->before = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->scratch = CPS_TAKE_ZERO(a, CpsVec3, 2 * n);
  f->v = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->free = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->after = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->force = CPS_TAKE_ZERO(a, CpsVec3, n);
  if (!f->filled || !f->mass || !f->held || !f->fixed_x || !f->fixed_z || !f->given || !f->seen_start || !f->seen ||
      !f->gradient || !f->stress || !f->stress_vertex || !f->before || !f->scratch || !f->work || !f->v || !f->free ||
      !f->after || !f->force)
    return false;
  fill(f);
  hold_nodes(f);
  const bool viscous = f->def.viscosity > 0.0 || f->def.grain > 0.0;
  if (!look(f) || !lay_rows(f, viscous)) return false;
  list_stresses(f);
  f->M_value = CPS_TAKE_ZERO(a, double, 9 * f->M_start[n]);
  if (!f->M_value) return false;
  for (int32_t i = 0; i < f->nodes; ++i) f->v[i] = f->given[i];
  if (!viscous) return true;
  CpsArena scratch = {0};
  CpsBlockMatrix A = {.rows = f->nodes, .dim = 3, .start = f->M_start, .col = f->M_column};
  f->factor = cps_cholesky_create(&A, NULL, &f->factor_arena, &scratch);
  cps_arena_free(&scratch);
  return f->factor;
}
