// Sheets for the tests of large members: a grid of nodes held together by springs, pressed on planes.
#ifndef CAPSTAN_TESTS_SHEET_SCENE_H
#define CAPSTAN_TESTS_SHEET_SCENE_H

#include "capstan/capstan.h"
#include "test_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SheetScene {
  int32_t nx, ny, sheets, node_count, contact_count, body_count;
  int64_t *M_start, *node_start, *contact_start;
  int32_t *M_column, *node, *body, *body_dofs;
  double *M_value, *A, *G, *b, *mu;
  CpsLaw* law;
} SheetScene;

static uint64_t sheet_seed = 1;

static inline double sheet_random(void) {  // in [-1, 1)
  sheet_seed = sheet_seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(sheet_seed >> 11) / 4503599627370496.0 - 1.0;
}

// Adds stiffness k along the direction (x, y, z) to a block.
static inline void sheet_outer(double k, const double d[3], double* block) {
  for (int a = 0; a < 3; ++a) {
    for (int c = 0; c < 3; ++c) block[3 * a + c] += k * d[a] * d[c];
  }
}

// M = mass I + stiffness (sum of springs along edges and diagonals) + a little bending stiffness across the sheet.
static inline void sheet_fill_mass(SheetScene* s, double mass, double stiffness) {
  static const int DX[4] = {-1, -1, 0, 1}, DY[4] = {0, -1, -1, -1};
  int64_t at = 0;
  int32_t n = s->nx * s->ny;
  double* diagonal = calloc(9 * (size_t)s->node_count, sizeof *diagonal);
  for (int32_t i = 0; i < s->node_count; ++i) {
    int32_t x = i % n % s->nx, y = i % n / s->nx;
    s->M_start[i] = at;
    static const int ORDER[4] = {1, 2, 3, 0};  // ascending columns
    for (int q = 0; q < 4; ++q) {
      int k = ORDER[q], x2 = x + DX[k], y2 = y + DY[k];
      if (x2 < 0 || x2 >= s->nx || y2 < 0) continue;
      int32_t j = i - x - s->nx * y + x2 + s->nx * y2;
      double length = sqrt((double)(DX[k] * DX[k] + DY[k] * DY[k]));
      double d[3] = {DX[k] / length, DY[k] / length, 0.05 * sheet_random()}, block[9] = {0};
      sheet_outer(stiffness, d, block);
      for (int a = 0; a < 3; ++a) block[4 * a] += 1e-3 * stiffness;
      s->M_column[at] = j;
      for (int e = 0; e < 9; ++e) {
        s->M_value[9 * at + e] = -block[e];
        diagonal[9 * (int64_t)i + e] += block[e];
        diagonal[9 * (int64_t)j + e] += block[e];
      }
      at++;
    }
    s->M_column[at++] = i;
  }
  s->M_start[s->node_count] = at;
  for (int32_t i = 0; i < s->node_count; ++i) {
    double* D = s->M_value + 9 * (s->M_start[i + 1] - 1);
    memcpy(D, diagonal + 9 * (int64_t)i, 9 * sizeof *D);
    for (int a = 0; a < 3; ++a) D[4 * a] += mass;
  }
  free(diagonal);
}

// Rows of the frame of a plane that is tilted at random about the z axis by up to `tilt`.
static inline void sheet_frame(double tilt, double frame[9]) {
  double n[3] = {tilt * sheet_random(), tilt * sheet_random(), 1.0}, t[3] = {sheet_random(), sheet_random(), 0.0};
  double size = sqrt(n[0] * n[0] + n[1] * n[1] + 1.0), dot = 0.0, length = 0.0;
  for (int k = 0; k < 3; ++k) n[k] /= size;
  for (int k = 0; k < 3; ++k) dot += n[k] * t[k];
  for (int k = 0; k < 3; ++k) t[k] -= dot * n[k];
  for (int k = 0; k < 3; ++k) length += t[k] * t[k];
  for (int k = 0; k < 3; ++k) t[k] /= sqrt(length);
  double s[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
  for (int k = 0; k < 3; ++k) frame[k] = n[k], frame[3 + k] = t[k], frame[6 + k] = s[k];
}

static inline SheetScene* sheet_create(int32_t nx, int32_t ny, int32_t sheets, int32_t contacts, int32_t bodies) {
  SheetScene* s = calloc(1, sizeof *s);
  *s = (SheetScene){.nx = nx, .ny = ny, .sheets = sheets, .node_count = nx * ny * sheets, .body_count = bodies};
  size_t n = (size_t)s->node_count, c = (size_t)contacts + 1, m = (size_t)bodies + 1;
  s->contact_count = contacts;
  s->M_start = calloc(n + 1, sizeof *s->M_start);
  s->M_column = calloc(5 * n, sizeof *s->M_column);
  s->M_value = calloc(45 * n, sizeof *s->M_value);
  s->node_start = calloc(c, sizeof *s->node_start);
  s->contact_start = calloc(c, sizeof *s->contact_start);
  s->node = calloc(4 * c, sizeof *s->node);
  s->A = calloc(36 * c, sizeof *s->A);
  s->body = calloc(c, sizeof *s->body);
  s->body_dofs = calloc(m, sizeof *s->body_dofs);
  s->G = calloc(18 * c, sizeof *s->G);
  s->b = calloc(3 * c, sizeof *s->b);
  s->mu = calloc(c, sizeof *s->mu);
  s->law = calloc(c, sizeof *s->law);
  for (int32_t k = 0; k < bodies; ++k) s->body_dofs[k] = 6;
  return s;
}

static inline void sheet_free(SheetScene* s) {
  free(s->M_start), free(s->M_column), free(s->M_value), free(s->node_start), free(s->contact_start), free(s->node);
  free(s->A), free(s->body), free(s->body_dofs), free(s->G), free(s->b), free(s->mu), free(s->law), free(s);
}

// Sheets pressed down on tilted planes at `contacts` of their nodes, spread evenly, and driven sideways. `per_node` contacts at
// each of these nodes. Bodies lie on some nodes: a contact between both.
static inline SheetScene* sheet_on_planes(int32_t nx, int32_t ny, int32_t contacts, int32_t per_node, double mu,
                                          double tilt, int32_t bodies, uint64_t seed) {
  sheet_seed = seed;
  SheetScene* s = sheet_create(nx, ny, 1, contacts, bodies);
  sheet_fill_mass(s, 0.01, 1.0);
  int32_t places = (contacts + per_node - 1) / per_node;
  for (int32_t i = 0; i < contacts; ++i) {
    int32_t node = (int32_t)((int64_t)(i / per_node) * s->node_count / places);
    double frame[9], push[3] = {0.3 + 0.2 * sheet_random(), 0.2 * sheet_random(), -1.0 + 0.6 * sheet_random()};
    sheet_frame(tilt, frame);
    s->node[i] = node;
    s->node_start[i + 1] = i + 1;
    memcpy(s->A + 9 * (int64_t)i, frame, sizeof frame);
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) s->b[3 * (int64_t)i + a] += frame[3 * a + c] * push[c];
    }
    s->mu[i] = mu;
    bool on_body = bodies > 0 && i % 3 == 0;
    s->contact_start[i + 1] = s->contact_start[i] + on_body;
    if (!on_body) continue;
    double* G = s->G + 18 * s->contact_start[i];
    s->body[s->contact_start[i]] = i / 3 % bodies;
    for (int a = 0; a < 3; ++a) {
      for (int c = 0; c < 3; ++c) G[6 * a + c] = -2.0 * frame[3 * a + c];
      for (int c = 3; c < 6; ++c) G[6 * a + c] = sheet_random();
    }
  }
  return s;
}

static inline CpsContactsDef sheet_contacts(const SheetScene* s) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = s->contact_count;
  def.b = s->b;
  def.mu = s->mu;
  def.laws = s->law;
  return def;
}

static inline CpsSparseForm sheet_form(const SheetScene* s) {
  return (CpsSparseForm){
      .small = {.body_count = s->body_count,
                .body_dofs = s->body_dofs,
                .contact_start = s->body_count > 0 ? s->contact_start : NULL,
                .body = s->body,
                .H = s->G,
                .Y = s->G},
      .node_count = s->node_count,
      .M_start = s->M_start,
      .M_column = s->M_column,
      .M_value = s->M_value,
      .node_start = s->node_start,
      .node = s->node,
      .A = s->A,
  };
}

static inline CpsProblem* sheet_problem(const SheetScene* s) {
  CpsContactsDef def = sheet_contacts(s);
  CpsSparseForm form = sheet_form(s);
  CpsProblem* problem = NULL;
  CpsError error;
  if (cps_problem_from_sparse(&def, &form, &problem, &error) != CPS_OK) fail_msg("%s", error.text);
  return problem;
}

#endif
