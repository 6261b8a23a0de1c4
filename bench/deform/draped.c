#include "deform/draped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NEIGHBOURS = 7 };

typedef struct Sheet {
  const Draped* of;
  int32_t nodes;
  double* x;  // positions on the sphere and around it
  int64_t* M_start;
  int32_t* M_column;
  double* M_value;
  int64_t* node_start;
  int32_t* node;
  double *A, *b, *mu;
} Sheet;

// The middle of the sheet lies on a sphere of the radius R, the rest hangs down from its cap.
static void place(const Sheet* s, int32_t i, double* x) {
  int32_t n = s->of->side;
  double a = 2.0 * (i % n) / (n - 1) - 1.0, c = 2.0 * (i / n) / (n - 1) - 1.0, R = 2.0 * sqrt(s->of->contacts / M_PI);
  double away = sqrt(a * a + c * c), angle = fmin(away / R, 1.0), scale = away > 0.0 ? 1.0 / away : 0.0;
  double level = R * sin(angle) + (away - R * angle) * cos(angle);
  x[0] = level * a * scale;
  x[1] = level * c * scale;
  x[2] = R * cos(angle) - (away - R * angle) * sin(angle);
}

static void add_spring(Sheet* s, double k, int32_t i, int32_t j, double* block, double* diagonal) {
  double d[3], size = 0.0;
  for (int a = 0; a < 3; ++a) d[a] = s->x[3 * i + a] - s->x[3 * j + a];
  for (int a = 0; a < 3; ++a) size += d[a] * d[a];
  for (int e = 0; e < 9; ++e) {
    double value = k * d[e / 3] * d[e % 3] / size;
    block[e] -= value;
    diagonal[9 * i + e] += value;
    diagonal[9 * j + e] += value;
  }
}

// M = I + springs along the edges and the diagonals + weaker ones across two edges, which act in all directions.
static void fill_mass(Sheet* s, double* diagonal) {
  static const int DX[MOST_NEIGHBOURS - 1] = {0, -1, 0, 1, -2, -1}, DY[MOST_NEIGHBOURS - 1] = {-2, -1, -1, -1, 0, 0};
  int32_t n = s->of->side;
  int64_t at = 0;
  for (int32_t i = 0; i < s->nodes; ++i) {
    s->M_start[i] = at;
    for (int k = 0; k < MOST_NEIGHBOURS - 1; ++k) {
      int32_t x = i % n + DX[k], y = i / n + DY[k];
      if (x < 0 || x >= n || y < 0) continue;
      int32_t j = x + n * y;
      bool far = abs(DX[k]) == 2 || abs(DY[k]) == 2;
      double* block = s->M_value + 9 * at;
      memset(block, 0, 9 * sizeof *block);
      if (!far) add_spring(s, s->of->stiffness, i, j, block, diagonal);
      for (int a = 0; a < 3 && far; ++a) {
        block[4 * a] -= s->of->bending;
        diagonal[9 * i + 4 * a] += s->of->bending;
        diagonal[9 * j + 4 * a] += s->of->bending;
      }
      s->M_column[at++] = j;
    }
    s->M_column[at++] = i;
  }
  s->M_start[s->nodes] = at;
  for (int32_t i = 0; i < s->nodes; ++i) {
    double* D = s->M_value + 9 * (s->M_start[i + 1] - 1);
    memcpy(D, diagonal + 9 * (int64_t)i, 9 * sizeof *D);
    for (int a = 0; a < 3; ++a) D[4 * a] += 1.0;
  }
}

// Nodes on the sphere touch it; the sheet falls on it, drifts to one side and turns.
static int32_t fill_contacts(Sheet* s) {
  int32_t count = 0;
  double R = 2.0 * sqrt(s->of->contacts / M_PI);
  for (int32_t i = 0; i < s->nodes; ++i) {
    const double* x = s->x + 3 * (int64_t)i;
    double away = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (x[2] < R * cos(1.0) || fabs(away - R) > 1e-9) continue;
    double n[3] = {x[0] / R, x[1] / R, x[2] / R}, t[3] = {n[2], 0.0, -n[0]};
    double size = sqrt(t[0] * t[0] + t[2] * t[2]);
    for (int a = 0; a < 3; ++a) t[a] /= size;
    double q[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
    double v[3] = {0.3 - 0.5 * x[1] + 0.05 * sin(7.0 * i), 0.5 * x[0] + 0.05 * cos(5.0 * i),
                   -1.0 + 0.8 * sin(9.0 * x[0]) * cos(7.0 * x[1])};
    for (int k = 0; k < s->of->per_node; ++k, ++count) {
      double* A = s->A + 9 * (int64_t)count;
      for (int a = 0; a < 3; ++a) A[a] = n[a], A[3 + a] = t[a], A[6 + a] = q[a];
      for (int a = 0; a < 3; ++a) s->b[3 * count + a] = A[3 * a] * v[0] + A[3 * a + 1] * v[1] + A[3 * a + 2] * v[2];
      s->node[count] = i;
      s->mu[count] = s->of->mu;
      s->node_start[count + 1] = count + 1;
    }
  }
  return count;
}

CpsProblem* draped_problem(const Draped* draped) {
  Sheet s = {.of = draped, .nodes = draped->side * draped->side};
  size_t n = (size_t)s.nodes, c = n * (size_t)draped->per_node + 1;
  s.x = malloc(3 * n * sizeof *s.x);
  s.M_start = malloc((n + 1) * sizeof *s.M_start);
  s.M_column = malloc(MOST_NEIGHBOURS * n * sizeof *s.M_column);
  s.M_value = malloc(9 * MOST_NEIGHBOURS * n * sizeof *s.M_value);
  s.node_start = calloc(c, sizeof *s.node_start);
  s.node = malloc(c * sizeof *s.node);
  s.A = malloc(9 * c * sizeof *s.A);
  s.b = malloc(3 * c * sizeof *s.b);
  s.mu = malloc(c * sizeof *s.mu);
  double* diagonal = calloc(9 * n, sizeof *diagonal);
  CpsProblem* problem = NULL;
  if (s.x && s.M_start && s.M_column && s.M_value && s.node_start && s.node && s.A && s.b && s.mu && diagonal) {
    for (int32_t i = 0; i < s.nodes; ++i) place(&s, i, s.x + 3 * (int64_t)i);
    fill_mass(&s, diagonal);
    CpsContactsDef def = cps_contacts_def_default();
    def.count = fill_contacts(&s);
    def.b = s.b;
    def.mu = s.mu;
    CpsSparseForm form = {.node_count = s.nodes,
                          .M_start = s.M_start,
                          .M_column = s.M_column,
                          .M_value = s.M_value,
                          .node_start = s.node_start,
                          .node = s.node,
                          .A = s.A};
    CpsError error;
    if (cps_problem_from_sparse(&def, &form, &problem, &error) != CPS_OK) fprintf(stderr, "%s\n", error.text);
  }
  free(s.x), free(s.M_start), free(s.M_column), free(s.M_value), free(s.node_start), free(s.node), free(s.A);
  free(s.b), free(s.mu), free(diagonal);
  return problem;
}
