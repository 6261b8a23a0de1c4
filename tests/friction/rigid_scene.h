// Rigid bodies for tests: contacts and mass-normalised Jacobian blocks, and the time step v <- v + h g + M^-1 H^T r with
// the geometry held. With v^ = M^1/2 v and H^ = H M^-1/2 the problem is u = H^ H^^T r + H^ (v^ + h g^).
#ifndef CAPSTAN_TESTS_RIGID_SCENE_H
#define CAPSTAN_TESTS_RIGID_SCENE_H

#include "capstan/capstan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test_helpers.h"

typedef struct RigidScene {
  int32_t body_count, contact_count, body_capacity, contact_capacity;
  int32_t* body_dofs;
  double* centre;     // 3 per body
  double* root_mass;  // 6 per body: the diagonal of M^1/2
  double* v;          // 6 per body, mass-normalised
  int64_t* contact_start;
  int32_t* body;
  double* H;  // mass-normalised
  double *b, *mu, *r;
} RigidScene;

static inline RigidScene* scene_make(int32_t bodies, int32_t contacts) {
  RigidScene* s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->body_capacity = bodies;
  s->contact_capacity = contacts;
  size_t m = (size_t)bodies + 1, n = (size_t)contacts + 1;
  s->body_dofs = calloc(m, sizeof *s->body_dofs);
  s->centre = calloc(3 * m, sizeof(double));
  s->root_mass = calloc(6 * m, sizeof(double));
  s->v = calloc(6 * m, sizeof(double));
  s->contact_start = calloc(n, sizeof *s->contact_start);
  s->body = calloc(2 * n, sizeof *s->body);
  s->H = calloc(36 * n, sizeof(double));
  s->b = calloc(3 * n, sizeof(double));
  s->mu = calloc(n, sizeof(double));
  s->r = calloc(3 * n, sizeof(double));
  assert_true(s->body_dofs && s->centre && s->root_mass && s->v && s->contact_start && s->body && s->H && s->b &&
              s->mu && s->r);
  return s;
}

static inline void scene_free(RigidScene* s) {
  void* arrays[] = {s->body_dofs, s->centre, s->root_mass, s->v, s->contact_start, s->body, s->H, s->b, s->mu, s->r, s};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) free(arrays[k]);
}

// A body with principal axes along the coordinate axes.
static inline int32_t scene_body(RigidScene* s, double x, double y, double z, double mass, const double inertia[3]) {
  int32_t k = s->body_count++;
  assert_true(k < s->body_capacity);
  double* c = s->centre + 3 * k;
  c[0] = x;
  c[1] = y;
  c[2] = z;
  s->body_dofs[k] = 6;
  for (int a = 0; a < 3; ++a) {
    s->root_mass[6 * k + a] = sqrt(mass);
    s->root_mass[6 * k + 3 + a] = sqrt(inertia[a]);
  }
  return k;
}

static inline int32_t scene_box(RigidScene* s, double x, double y, double z, double mass, double sx, double sy,
                                double sz) {
  double inertia[3] = {mass * (sy * sy + sz * sz) / 12.0, mass * (sx * sx + sz * sz) / 12.0,
                       mass * (sx * sx + sy * sy) / 12.0};
  return scene_body(s, x, y, z, mass, inertia);
}

static inline int32_t scene_sphere(RigidScene* s, double x, double y, double z, double mass, double radius) {
  double inertia = 0.4 * mass * radius * radius, three[3] = {inertia, inertia, inertia};
  return scene_body(s, x, y, z, mass, three);
}

static inline void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Body `top` touches `bottom` (-1: the ground) at a point; the normal points from bottom to top.
static inline void scene_contact(RigidScene* s, int32_t bottom, int32_t top, const double point[3], const double n[3],
                                 double mu) {
  int32_t i = s->contact_count++;
  assert_true(i < s->contact_capacity);
  double other[3] = {0.0, 0.0, 0.0}, E[3][3];
  other[fabs(n[0]) < 0.7 ? 0 : 1] = 1.0;
  memcpy(E[0], n, sizeof E[0]);
  cross(n, other, E[1]);
  double size = sqrt(E[1][0] * E[1][0] + E[1][1] * E[1][1] + E[1][2] * E[1][2]);
  for (int a = 0; a < 3; ++a) E[1][a] /= size;
  cross(E[0], E[1], E[2]);
  int64_t t = s->contact_start[i];
  for (int side = 0; side < 2; ++side) {
    int32_t k = side == 0 ? bottom : top;
    if (k < 0) continue;
    double arm[3];
    for (int a = 0; a < 3; ++a) arm[a] = point[a] - s->centre[3 * k + a];
    for (int row = 0; row < 3; ++row) {
      // e.(v + omega x arm) = e.v + (arm x e).omega
      double turn[3], *h = s->H + 18 * t + 6 * row;
      cross(arm, E[row], turn);
      for (int a = 0; a < 3; ++a) {
        h[a] = (side == 0 ? -1.0 : 1.0) * E[row][a] / s->root_mass[6 * k + a];
        h[3 + a] = (side == 0 ? -1.0 : 1.0) * turn[a] / s->root_mass[6 * k + 3 + a];
      }
    }
    s->body[t++] = k;
  }
  s->contact_start[i + 1] = t;
  s->mu[i] = mu;
}

// Four contacts at the corners of a horizontal rectangle.
static inline void scene_face(RigidScene* s, int32_t bottom, int32_t top, double x, double y, double z, double half_x,
                              double half_y, double mu) {
  const double up[3] = {0.0, 0.0, 1.0};
  for (int corner = 0; corner < 4; ++corner) {
    double point[3] = {x + (corner & 1 ? half_x : -half_x), y + (corner & 2 ? half_y : -half_y), z};
    scene_contact(s, bottom, top, point, up, mu);
  }
}

// v <- v + h g, b = H v
static inline void scene_free_velocity(RigidScene* s, const double hg[3]) {
  for (int32_t k = 0; k < s->body_count; ++k) {
    for (int a = 0; a < 3; ++a) s->v[6 * k + a] += hg[a] * s->root_mass[6 * k + a];
  }
  for (int32_t i = 0; i < s->contact_count; ++i) {
    for (int row = 0; row < 3; ++row) {
      double sum = 0.0;
      for (int64_t t = s->contact_start[i]; t < s->contact_start[i + 1]; ++t) {
        for (int a = 0; a < 6; ++a) sum += s->H[18 * t + 6 * row + a] * s->v[6 * s->body[t] + a];
      }
      s->b[3 * i + row] = sum;
    }
  }
}

// v <- v + H^T r
static inline void scene_push(RigidScene* s) {
  for (int32_t i = 0; i < s->contact_count; ++i) {
    for (int64_t t = s->contact_start[i]; t < s->contact_start[i + 1]; ++t) {
      for (int row = 0; row < 3; ++row) {
        for (int a = 0; a < 6; ++a) s->v[6 * s->body[t] + a] += s->H[18 * t + 6 * row + a] * s->r[3 * i + row];
      }
    }
  }
}

static inline CpsContactsDef scene_contacts(const RigidScene* s) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = s->contact_count;
  def.mu = s->mu;
  def.b = s->b;
  def.dof_count = 6 * s->body_count;
  return def;
}

static inline CpsFactoredForm scene_form(const RigidScene* s) {
  return (CpsFactoredForm){.body_count = s->body_count,
                           .body_dofs = s->body_dofs,
                           .contact_start = s->contact_start,
                           .body = s->body,
                           .H = s->H,
                           .Y = s->H};
}

static inline CpsProblem* scene_problem(const RigidScene* s) {
  CpsContactsDef def = scene_contacts(s);
  CpsFactoredForm form = scene_form(s);
  CpsProblem* p = NULL;
  assert_int_equal(cps_problem_from_bodies(&def, &form, &p, NULL), CPS_OK);
  return p;
}

// A tower of boxes of edge 1, four contacts per face.
static inline RigidScene* scene_tower(int32_t boxes, const double* masses, double mu) {
  RigidScene* s = scene_make(boxes, 4 * boxes);
  for (int32_t k = 0; k < boxes; ++k) {
    int32_t box = scene_box(s, 0.0, 0.0, k + 0.5, masses[k], 1.0, 1.0, 1.0);
    scene_face(s, k - 1, box, 0.0, 0.0, k, 0.5, 0.5, mu);
  }
  return s;
}

// Spheres of diameter 1 in a box: layers of side x side spheres that touch its walls, and in turn of (side - 1)^2 in their
// hollows. About four contacts per sphere.
static inline RigidScene* scene_pack(int32_t side, int32_t layers, double mu) {
  RigidScene* s = scene_make(side * side * layers, 6 * side * side * layers);
  int32_t below = 0;
  for (int32_t layer = 0; layer < layers; ++layer) {
    int32_t first = s->body_count, n = side - layer % 2;
    double shift = 0.5 * (layer % 2), z = 0.5 + layer * sqrt(0.5);
    for (int32_t k = 0; k < n * n; ++k) {
      int32_t column = k % n, row = k / n;
      double x = column + shift, y = row + shift;
      int32_t ball = scene_sphere(s, x, y, z, 1.0, 0.5);
      if (layer == 0) scene_contact(s, -1, ball, (double[3]){x, y, 0.0}, (double[3]){0.0, 0.0, 1.0}, mu);
      for (int corner = 0; corner < 4 && layer > 0; ++corner) {
        // the sphere below at half a diameter to each side, if it is there
        int32_t m = side - (layer - 1) % 2, dx = column + corner % 2, dy = row + corner / 2;
        if (layer % 2 == 0) dx--, dy--;
        if (dx < 0 || dy < 0 || dx >= m || dy >= m) continue;
        int32_t j = below + dy * m + dx;
        double normal[3], point[3];
        for (int a = 0; a < 3; ++a) {
          normal[a] = s->centre[3 * ball + a] - s->centre[3 * j + a];
          point[a] = 0.5 * (s->centre[3 * ball + a] + s->centre[3 * j + a]);
        }
        scene_contact(s, j, ball, point, normal, mu);
      }
      if (layer % 2 == 1) continue;
      if (column == 0) scene_contact(s, -1, ball, (double[3]){x - 0.5, y, z}, (double[3]){1.0, 0.0, 0.0}, mu);
      if (column == n - 1) scene_contact(s, -1, ball, (double[3]){x + 0.5, y, z}, (double[3]){-1.0, 0.0, 0.0}, mu);
      if (row == 0) scene_contact(s, -1, ball, (double[3]){x, y - 0.5, z}, (double[3]){0.0, 1.0, 0.0}, mu);
      if (row == n - 1) scene_contact(s, -1, ball, (double[3]){x, y + 0.5, z}, (double[3]){0.0, -1.0, 0.0}, mu);
    }
    below = first;
  }
  return s;
}

#endif
