#include "world/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capstan/problem.h"
#include "core/quat.h"

typedef struct Judge {
  const CpsBenchScene* scene;
  const CpsBenchState *before, *after;
  CpsBenchContact* contacts;
  int32_t count;
  int32_t* body_dofs;
  int64_t* contact_start;
  int32_t* body;
  double *H, *mu, *b, *shift, *r;
  CpsVec3 *linear, *angular;  // v + h g + M^-1 H^T r
} Judge;

// Rows of one body: J = [ d^T, (arm x d)^T ] for the three directions d, scaled by M^-1/2 so that W = H H^T.
static void body_rows(const Judge* j, int32_t body, CpsVec3 point, double sign, const CpsVec3 d[3], double* H) {
  const CpsBenchBody* shape = &j->scene->bodies[body];
  CpsPose pose = j->before[body].pose;
  CpsVec3 arm = cps_vec3_sub(point, pose.position);
  double root = sign / sqrt(shape->mass);
  for (int k = 0; k < 3; ++k) {
    // in the axes of the body, where the inertia is diagonal
    CpsVec3 turn = cps_quat_rotate_back(pose.rotation, cps_vec3_cross(arm, d[k]));
    double* row = H + 6 * k;
    row[0] = root * d[k].x;
    row[1] = root * d[k].y;
    row[2] = root * d[k].z;
    row[3] = sign * turn.x / sqrt(shape->inertia.x);
    row[4] = sign * turn.y / sqrt(shape->inertia.y);
    row[5] = sign * turn.z / sqrt(shape->inertia.z);
  }
}

static CpsVec3 point_velocity(const Judge* j, int32_t body, CpsVec3 point) {
  const CpsBenchState* s = &j->before[body];
  CpsVec3 v = cps_vec3_add(s->velocity, cps_vec3_cross(s->angular_velocity, cps_vec3_sub(point, s->pose.position)));
  v.z -= j->scene->step * CPS_BENCH_GRAVITY;
  return v;
}

static void apply(Judge* j, int32_t body, CpsVec3 point, CpsVec3 impulse) {
  const CpsBenchBody* shape = &j->scene->bodies[body];
  CpsPose pose = j->before[body].pose;
  CpsVec3 turn = cps_quat_rotate_back(pose.rotation, cps_vec3_cross(cps_vec3_sub(point, pose.position), impulse));
  turn = (CpsVec3){turn.x / shape->inertia.x, turn.y / shape->inertia.y, turn.z / shape->inertia.z};
  j->linear[body] = cps_vec3_axpy(j->linear[body], 1.0 / shape->mass, impulse);
  j->angular[body] = cps_vec3_add(j->angular[body], cps_quat_rotate(pose.rotation, turn));
}

static void tangents(CpsVec3 n, CpsVec3 d[3]) {
  CpsVec3 other = fabs(n.x) < 0.6 ? (CpsVec3){1.0, 0.0, 0.0} : (CpsVec3){0.0, 1.0, 0.0};
  d[0] = n;
  d[1] = cps_vec3_unit(cps_vec3_cross(n, other));
  d[2] = cps_vec3_cross(n, d[1]);
}

static void fill(Judge* j) {
  int64_t terms = 0;
  for (int32_t i = 0; i < j->count; ++i) {
    const CpsBenchContact* c = &j->contacts[i];
    CpsVec3 d[3];
    tangents(cps_vec3_unit(c->normal), d);
    j->contact_start[i] = terms;
    j->body[terms] = c->a;
    body_rows(j, c->a, c->point_a, 1.0, d, j->H + 18 * terms++);
    CpsVec3 u = point_velocity(j, c->a, c->point_a);
    apply(j, c->a, c->point_a, c->impulse);
    if (c->b >= 0) {
      j->body[terms] = c->b;
      body_rows(j, c->b, c->point_b, -1.0, d, j->H + 18 * terms++);
      u = cps_vec3_sub(u, point_velocity(j, c->b, c->point_b));
      apply(j, c->b, c->point_b, cps_vec3_scale(-1.0, c->impulse));
    }
    for (int k = 0; k < 3; ++k) {
      j->b[3 * i + k] = cps_vec3_dot(u, d[k]);
      j->r[3 * i + k] = cps_vec3_dot(c->impulse, d[k]);
      j->shift[3 * i + k] = k == 0 ? c->bias : 0.0;
    }
    j->mu[i] = c->mu;
  }
  j->contact_start[j->count] = terms;
}

// Largest part of a velocity after the step that impulses and gravity do not account for.
static double unexplained(const Judge* j) {
  double worst = 0.0, scale = j->scene->step * CPS_BENCH_GRAVITY;
  for (int32_t i = 0; i < j->scene->body_count; ++i) {
    const CpsBenchState *s = &j->after[i], *before = &j->before[i];
    double size = fmax(j->scene->bodies[i].shape.radius, 0.5 * cps_vec3_norm(j->scene->bodies[i].shape.size));
    worst = fmax(worst, cps_vec3_norm(cps_vec3_sub(s->velocity, j->linear[i])));
    worst = fmax(worst, size * cps_vec3_norm(cps_vec3_sub(s->angular_velocity, j->angular[i])));
    scale = fmax(scale, cps_vec3_norm(cps_vec3_sub(s->velocity, before->velocity)));
  }
  return worst / scale;
}

static bool evaluate(Judge* j, CpsBenchVerdict* verdict) {
  CpsContactsDef def = cps_contacts_def_default();
  def.count = j->count;
  def.mu = j->mu;
  def.b = j->b;
  def.shift = j->shift;
  CpsFactoredForm form = {.body_count = j->scene->body_count,
                          .body_dofs = j->body_dofs,
                          .contact_start = j->contact_start,
                          .body = j->body,
                          .H = j->H,
                          .Y = j->H};
  CpsProblem* problem = NULL;
  CpsError error;
  CpsResidual residual = {0};
  bool ok = cps_problem_from_bodies(&def, &form, &problem, &error) == CPS_OK;
  if (!ok) fprintf(stderr, "%s\n", error.text);
  ok = ok && cps_problem_residual(problem, j->r, &residual) == CPS_OK;
  cps_problem_destroy(problem);
  verdict->residual = residual.natural;
  return ok;
}

static void* zeros(int64_t count, size_t size) {
  void* memory = calloc((size_t)(count > 0 ? count : 1), size);
  if (!memory) abort();
  return memory;
}

bool cps_bench_judge(const CpsBenchEngine* engine, const void* world, const CpsBenchScene* scene,
                     const CpsBenchState* before, CpsBenchVerdict* verdict) {
  int32_t n = engine->contact_count(world), bodies = scene->body_count;
  CpsBenchState* after = zeros(bodies, sizeof *after);
  engine->get_state(world, after);
  Judge j = {.scene = scene, .before = before, .after = after, .count = n};
  j.contacts = zeros(n, sizeof *j.contacts);
  j.body_dofs = zeros(bodies, sizeof *j.body_dofs);
  j.contact_start = zeros(n + 1, sizeof *j.contact_start);
  j.body = zeros(2 * (int64_t)n, sizeof *j.body);
  j.H = zeros(36 * (int64_t)n, sizeof *j.H);
  j.mu = zeros(n, sizeof *j.mu);
  j.b = zeros(3 * (int64_t)n, sizeof *j.b);
  j.shift = zeros(3 * (int64_t)n, sizeof *j.shift);
  j.r = zeros(3 * (int64_t)n, sizeof *j.r);
  j.linear = zeros(bodies, sizeof *j.linear);
  j.angular = zeros(bodies, sizeof *j.angular);
  for (int32_t i = 0; i < bodies; ++i) {
    j.body_dofs[i] = 6;
    j.linear[i] = before[i].velocity;
    j.linear[i].z -= scene->step * CPS_BENCH_GRAVITY;
    j.angular[i] = before[i].angular_velocity;
  }
  engine->contacts(world, j.contacts);
  fill(&j);
  *verdict = (CpsBenchVerdict){.contacts = n, .unexplained = unexplained(&j)};
  for (int32_t i = 0; i < n; ++i) verdict->overlap = fmax(verdict->overlap, -j.contacts[i].gap);
  bool ok = evaluate(&j, verdict);
  if (engine->residual) verdict->residual = engine->residual(world);
  void* all[] = {after, j.contacts, j.body_dofs, j.contact_start, j.body,   j.H, j.mu,
                 j.b,   j.shift,    j.r,         j.linear,        j.angular};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) free(all[i]);
  return ok;
}
