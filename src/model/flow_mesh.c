// Elements of a flow: rectangles or bricks with quadratic velocities along each axis (9 or 27 nodes) and stresses at their
// vertices.
//
// This is the Taylor-Hood pair for tensors: pressures do not oscillate, and viscosity acts on every mode of an element. With hat
// functions w_i of the vertices and S_i their integral,
//
//   u_i = sqrt(2/S_i) chi^-1(integral of w_i D(v)),   r_i = sqrt(2 S_i) h chi^-1(lambda_i)                            (1)
//
// as for grains (grain_stress.c). In the plane the functions along y are constant, 1. Nodes inside a disc or a ball are held; elements
// with only such nodes take no part. Elements cut by its surface count as a whole: without the Gauss points inside it, grains would flow
// into it, since only nodes are held.
#include "model/flow.h"

#include <math.h>

static const double GAUSS[3] = {-0.77459666924148338, 0.0, 0.77459666924148338};  // sqrt(3/5)
static const double WEIGHT[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
static const double ROUNDING = 1e-9;  // relative to the largest gradient at the vertex

// Indices along the axes of item k of an n x m x n brick; m is one in the plane.
typedef struct Triple {
  int x, y, z;
} Triple;
static Triple split(const CpsFlow* f, int k, int n) {
  const int m = f->dim == 3 ? n : 1;
  return (Triple){k % n, k / n % m, k / (n * m)};
}

static int32_t number(const int32_t count[3], int32_t x, int32_t y, int32_t z) {
  return (z * count[1] + y) * count[0] + x;
}

// Item k of an element with `step` items along each of its edges.
static int32_t thing_of(const CpsFlow* f, int32_t element, int k, int step, const int32_t count[3]) {
  const Triple t = split(f, k, step + 1);
  const int32_t column = element % f->cells[0], row = element / f->cells[0];
  const int32_t x = (step * column + t.x) % count[0];  // periodic
  return number(count, x, step * (row % f->cells[1]) + t.y, step * (row / f->cells[1]) + t.z);
}

int32_t cps_flow_node(const CpsFlow* f, int32_t element, int k) {
  return thing_of(f, element, k, 2, f->node_count);
}

int32_t cps_flow_vertex(const CpsFlow* f, int32_t element, int k) {
  return thing_of(f, element, k, 1, f->vertex_count);
}

CpsVec3 cps_flow_node_place(const CpsFlow* f, int32_t node) {
  const int32_t column = node % f->node_count[0], row = node / f->node_count[0];
  const int32_t y = row % f->node_count[1], z = row / f->node_count[1];
  const double across = f->dim == 3 ? f->def.lower.y + 0.5 * f->edge[1] * y : 0.0;
  return cps_vec3(f->def.lower.x + 0.5 * f->edge[0] * column, across, f->def.lower.z + 0.5 * f->edge[2] * z);
}

CpsVec3 cps_flow_vertex_place(const CpsFlow* f, int32_t vertex) {
  return cps_flow_node_place(f, cps_flow_vertex_node(f, vertex));
}

int32_t cps_flow_vertex_node(const CpsFlow* f, int32_t vertex) {
  const int32_t* n = f->vertex_count;
  const int32_t row = vertex / n[0];
  return number(f->node_count, 2 * (vertex % n[0]), 2 * (row % n[1]), 2 * (row / n[1]));
}

const CpsFlowBorder* cps_flow_border(const CpsFlowDef* def, int side) {
  return side < 4 ? &def->border[side] : side == 4 ? &def->front : &def->back;
}

bool cps_flow_face(const CpsFlow* f, int side, CpsFlowFace* face) {
  static const int AXIS[6] = {0, 0, 2, 2, 1, 1}, ACROSS[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  const int axis = AXIS[side];
  if ((axis == 0 && f->def.periodic) || (axis == 1 && f->dim == 2)) return false;
  const double sign = side % 2 ? -1.0 : 1.0;
  const CpsVec3 inwards = {axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
  *face = (CpsFlowFace){axis, side % 2 ? f->node_count[axis] - 1 : 0, {ACROSS[axis][0], ACROSS[axis][1]}, inwards};
  return true;
}

int32_t cps_flow_face_node(const CpsFlow* f, const CpsFlowFace* face, int32_t i, int32_t k) {
  int32_t at[3] = {0};
  at[face->axis] = face->at;
  at[face->across[0]] = i % f->node_count[face->across[0]];  // periodic
  at[face->across[1]] = k;
  return number(f->node_count, at[0], at[1], at[2]);
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

static double hat(double s, int upper) {
  return upper ? 1.0 + s : 1.0 - s;
}

static void place_at(const CpsFlow* f, int q, CpsFlowPlace* place) {
  const Triple at = split(f, q, 3);
  const bool space = f->dim == 3;
  const double s = GAUSS[at.x], r = GAUSS[at.y], t = GAUSS[at.z];
  double x[3], dx[3], y[3] = {1.0, 0.0, 0.0}, dy[3] = {0.0}, z[3], dz[3];
  line(s, x, dx);
  line(t, z, dz);
  place->weight = 0.25 * f->edge[0] * f->edge[2] * WEIGHT[at.x] * WEIGHT[at.z];
  if (space) {
    line(r, y, dy);
    place->weight *= 0.5 * f->edge[1] * WEIGHT[at.y];
  }
  for (int k = 0; k < f->own_nodes; ++k) {
    const Triple n = split(f, k, 3);
    place->gradient[k] = cps_vec3(2.0 / f->edge[0] * dx[n.x] * z[n.z] * y[n.y],
                                  space ? 2.0 / f->edge[1] * dy[n.y] * x[n.x] * z[n.z] : 0.0,
                                  2.0 / f->edge[2] * x[n.x] * dz[n.z] * y[n.y]);
  }
  for (int k = 0; k < f->own_corners; ++k) {
    const Triple n = split(f, k, 2);
    place->hat[k] = 0.25 * hat(s, n.x) * hat(t, n.z) * (space ? 0.5 * hat(r, n.y) : 1.0);
  }
}

bool cps_flow_in_disc(const CpsFlow* f, CpsVec3 x) {
  const double r = f->def.disc_radius, a = x.x - f->def.disc_centre.x, c = x.z - f->def.disc_centre.z;
  const double b = f->def.ball ? x.y - f->def.disc_centre.y : 0.0;
  return r > 0.0 && a * a + b * b + c * c <= r * r * (1.0 + 1e-12);
}

// Elements with grains, and nodal masses in the proportions of Simpson's rule, which match the nodal functions.
static void fill(CpsFlow* f) {
  const double height = f->dim == 3 ? f->edge[1] / 6.0 : 1.0;
  const double mass = f->def.density * f->def.fraction * f->edge[0] * f->edge[2] / 36.0 * height;
  for (int32_t e = 0; e < f->elements; ++e) {
    f->filled[e] = false;
    for (int k = 0; k < f->own_nodes; ++k) {
      f->filled[e] = f->filled[e] || !cps_flow_in_disc(f, cps_flow_node_place(f, cps_flow_node(f, e, k)));
    }
    for (int k = 0; f->filled[e] && k < f->own_nodes; ++k) {
      const Triple n = split(f, k, 3);
      f->mass[cps_flow_node(f, e, k)] +=
          mass * (n.x == 1 ? 4.0 : 1.0) * (n.z == 1 ? 4.0 : 1.0) * (n.y == 1 ? 4.0 : 1.0);
    }
  }
}

static void hold(CpsFlow* f, int32_t node, CpsVec3 velocity) {
  f->held[node] = true;
  f->given[node] = cps_vec3(velocity.x, f->dim == 3 ? velocity.y : 0.0, velocity.z);
}

// Prescribed velocities first, then no-slip walls, and the disc over all.
static void hold_nodes(CpsFlow* f) {
  static const CpsFlowBorderKind ORDER[3] = {CPS_FLOW_SLIP, CPS_FLOW_VELOCITY, CPS_FLOW_NO_SLIP};
  for (int pass = 0; pass < 3; ++pass) {
    for (int side = 0; side < CPS_FLOW_SIDES; ++side) {
      const CpsFlowBorder* border = cps_flow_border(&f->def, side);
      CpsFlowFace face;
      if (border->kind != ORDER[pass] || !cps_flow_face(f, side, &face)) continue;
      const int32_t wide = f->node_count[face.across[0]], high = f->node_count[face.across[1]];
      for (int64_t n = 0; n < (int64_t)wide * high; ++n) {
        const int32_t node = cps_flow_face_node(f, &face, (int32_t)(n % wide), (int32_t)(n / wide));
        if (border->kind == CPS_FLOW_SLIP) f->fixed[face.axis][node] = true;
        if (border->kind == CPS_FLOW_VELOCITY) hold(f, node, border->velocity);
        if (border->kind == CPS_FLOW_NO_SLIP) hold(f, node, cps_vec3(0.0, 0.0, 0.0));
      }
    }
  }
  for (int32_t i = 0; i < f->nodes; ++i) {
    if (cps_flow_in_disc(f, cps_flow_node_place(f, i)) || !(f->mass[i] > 0.0)) hold(f, i, f->def.disc_velocity);
  }
}

// Nodes of the vertices.
static bool look(CpsFlow* f) {
  for (int32_t v = 0; v <= f->vertices; ++v) f->seen_start[v] = (int64_t)v * f->seen_most;
  for (int64_t k = 0; k < f->seen_start[f->vertices]; ++k) f->seen[k] = -1;
  for (int32_t e = 0; e < f->elements; ++e) {
    for (int q = 0; f->filled[e] && q < f->own_nodes; ++q) {
      const CpsFlowPlace* place = &f->place[q];
      for (int c = 0; c < f->own_corners; ++c) {
        const int32_t vertex = cps_flow_vertex(f, e, c);
        const double weight = place->weight * place->hat[c];
        f->stress[vertex].S += weight;
        for (int k = 0; k < f->own_nodes; ++k) {
          const int32_t node = cps_flow_node(f, e, k);
          int64_t at = f->seen_start[vertex];
          while (at < f->seen_start[vertex + 1] && f->seen[at] >= 0 && f->seen[at] != node) ++at;
          if (at == f->seen_start[vertex + 1]) return false;  // no vertex has more neighbours than seen_most
          f->seen[at] = node;
          f->gradient[at] = cps_vec3_axpy(f->gradient[at], weight, place->gradient[k]);
        }
      }
    }
  }
  // compacts the lists
  int64_t to = 0;
  for (int32_t v = 0; v < f->vertices; ++v) {
    const int64_t from = (int64_t)v * f->seen_most;
    f->seen_start[v] = to;
    for (int64_t at = from; at < from + f->seen_most && f->seen[at] >= 0; ++at, ++to) {
      f->seen[to] = f->seen[at];
      f->gradient[to] = f->gradient[at];
    }
  }
  f->seen_start[f->vertices] = to;
  return true;
}

// Effective stresses. The gradient of the farthest corner of an element is zero up to rounding. A stress without any other
// moving node must be left out: its block would be 1e-30 of the others, and the residual relative to its xi b would be meaningless.
static void list_stresses(CpsFlow* f) {
  for (int32_t v = 0; v < f->vertices; ++v) {
    double moves = 0.0, most = 0.0;
    for (int64_t k = f->seen_start[v]; k < f->seen_start[v + 1]; ++k) {
      const double square = cps_vec3_dot(f->gradient[k], f->gradient[k]);
      most = fmax(most, square);
      if (!f->held[f->seen[k]]) moves = fmax(moves, square);
    }
    if (moves > ROUNDING * ROUNDING * most && f->stress[v].S > 0.0) f->stress_vertex[f->stress_count++] = v;
  }
}

// Rows of M~: a node with the earlier nodes that share an element with it, or the node alone.
static bool lay_rows(CpsFlow* f, bool viscous) {
  f->M_start = CPS_TAKE_ZERO(&f->arena, int64_t, (int64_t)f->nodes + 1);
  if (!f->M_start) return false;
  if (!viscous) {
    f->M_column = CPS_TAKE(&f->arena, int32_t, f->nodes);
    for (int32_t i = 0; f->M_column && i < f->nodes; ++i) f->M_column[i] = i, f->M_start[i + 1] = i + 1;
    return f->M_column;
  }
  int32_t* row = CPS_TAKE(&f->arena, int32_t, (int64_t)f->nodes * f->seen_most);
  int32_t* count = CPS_TAKE_ZERO(&f->arena, int32_t, f->nodes);
  if (!row || !count) return false;
  for (int32_t e = 0; e < f->elements; ++e) {
    for (int k = 0; k < f->own_nodes * f->own_nodes; ++k) {
      const int32_t i = cps_flow_node(f, e, k / f->own_nodes), j = cps_flow_node(f, e, k % f->own_nodes);
      if (j > i) continue;
      int32_t at = 0, *own = row + (int64_t)i * f->seen_most;
      while (at < count[i] && own[at] < j) ++at;
      if (at < count[i] && own[at] == j) continue;
      for (int32_t q = count[i]++; q > at; --q) own[q] = own[q - 1];
      own[at] = j;
    }
  }
  for (int32_t i = 0; i < f->nodes; ++i) f->M_start[i + 1] = f->M_start[i] + count[i];
  f->M_column = CPS_TAKE(&f->arena, int32_t, f->M_start[f->nodes]);
  for (int32_t i = 0; f->M_column && i < f->nodes; ++i) {
    for (int32_t k = 0; k < count[i]; ++k) f->M_column[f->M_start[i] + k] = row[(int64_t)i * f->seen_most + k];
  }
  return f->M_column;
}

bool cps_flow_lay(CpsFlow* f) {
  const int64_t n = f->nodes, v = f->vertices;
  CpsArena* a = &f->arena;
  f->filled = CPS_TAKE(a, bool, f->elements);
  f->mass = CPS_TAKE_ZERO(a, double, n);
  f->held = CPS_TAKE_ZERO(a, bool, n);
  for (int k = 0; k < 3; ++k) f->fixed[k] = CPS_TAKE_ZERO(a, bool, n);
  f->given = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->seen_start = CPS_TAKE(a, int64_t, v + 1);
  f->seen = CPS_TAKE(a, int32_t, v * f->seen_most);
  f->gradient = CPS_TAKE_ZERO(a, CpsVec3, v * f->seen_most);
  f->stress = CPS_TAKE_ZERO(a, CpsFlowStress, v);
  f->stress_vertex = CPS_TAKE(a, int32_t, v);
  f->work = CPS_TAKE_ZERO(a, double, 3 * n);
  f->before = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->scratch = CPS_TAKE_ZERO(a, CpsVec3, 2 * n);
  f->v = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->free = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->after = CPS_TAKE_ZERO(a, CpsVec3, n);
  f->force = CPS_TAKE_ZERO(a, CpsVec3, n);
  if (!f->filled || !f->mass || !f->held || !f->fixed[0] || !f->fixed[1] || !f->fixed[2] || !f->given ||
      !f->seen_start || !f->seen || !f->gradient || !f->stress || !f->stress_vertex || !f->before || !f->scratch ||
      !f->work || !f->v || !f->free || !f->after || !f->force)
    return false;
  for (int q = 0; q < f->own_nodes; ++q) place_at(f, q, &f->place[q]);
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
