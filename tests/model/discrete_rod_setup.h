// Discrete elastic rods made by hand for tests: a curve of constant curvature in a section of choice.
#ifndef CAPSTAN_TESTS_DISCRETE_ROD_SETUP_H
#define CAPSTAN_TESTS_DISCRETE_ROD_SETUP_H

#include "core/quat.h"
#include "model/discrete_rod.h"
#include "test_helpers.h"

#include <stdlib.h>

typedef struct Setup {
  const CpsRodType* type;
  int32_t elements;
  double length, line_density, stiffness[3], stretch, rotary, damping, drag;
  CpsEndKind root, tip;
  CpsPose pose;       // of the root
  CpsVec3 curvature;  // at the start, constant
  CpsVec3 natural;    // constant
  bool gravity;
} Setup;

static inline Setup straight(const CpsRodType* type, int32_t elements) {
  return (Setup){.type = type,
                 .elements = elements,
                 .length = 1.0,
                 .line_density = 0.1,
                 .stiffness = {0.8, 1.0, 1.0},
                 .stretch = 1e5,
                 .rotary = 1e-6,
                 .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
}

static inline CpsRodEnd end_at(CpsVec3 position, CpsQuat rotation) {
  CpsPose pose = {position, rotation};
  return (CpsRodEnd){.now = pose, .next = pose};
}

static inline CpsRod make_rod(const Setup* s) {
  CpsRod rod = {.type = s->type,
                .spec = {.elements = s->elements,
                         .taper = 1.0,
                         .length = s->length,
                         .stretch = s->stretch,
                         .damping = s->damping,
                         .drag = s->drag,
                         .gravity = s->gravity,
                         .root = s->root,
                         .tip = s->tip,
                         .branch_count = 1}};
  rod.spec.branch = calloc(1, sizeof *rod.spec.branch);
  assert_non_null(rod.spec.branch);
  *rod.spec.branch = (CpsRodBranch){.parent = -1,
                                    .elements = s->elements,
                                    .length = s->length,
                                    .line_density = s->line_density,
                                    .stiffness = {s->stiffness[0], s->stiffness[1], s->stiffness[2]},
                                    .rotary = {s->rotary, 0.5 * s->rotary, 0.5 * s->rotary}};
  int64_t work;
  s->type->sizes(&rod.spec, &rod.dofs, &rod.state_count, &work);
  rod.state = calloc((size_t)rod.state_count, sizeof *rod.state);
  rod.work = calloc((size_t)work, sizeof *rod.work);
  int32_t count = CPS_ROD_SAMPLES * s->elements + 1;
  CpsRodShape shape = {.point = calloc((size_t)count, sizeof(CpsVec3)),
                       .frame = calloc((size_t)count, sizeof(CpsQuat)),
                       .natural = calloc((size_t)count, sizeof(CpsVec3))};
  assert_true(rod.state && rod.work && shape.point && shape.frame && shape.natural);
  double ds = s->length / (count - 1);
  CpsPose p = s->pose;
  for (int32_t k = 0; k < count; ++k) {
    shape.point[k] = p.position;
    shape.frame[k] = p.rotation;
    shape.natural[k] = s->natural;
    CpsQuat half = cps_quat_multiply(p.rotation, cps_quat_exp(cps_vec3_scale(0.5 * ds, s->curvature)));
    p.position = cps_vec3_axpy(p.position, ds, cps_quat_rotate(half, cps_vec3(1, 0, 0)));
    p.rotation = cps_quat_multiply(p.rotation, cps_quat_exp(cps_vec3_scale(ds, s->curvature)));
  }
  rod.root = end_at(shape.point[0], shape.frame[0]);
  rod.tip = end_at(shape.point[count - 1], shape.frame[count - 1]);
  assert_int_equal(s->type->create(&rod, &shape, NULL), CPS_OK);
  free(shape.point);
  free(shape.frame);
  free(shape.natural);
  rod.type->refresh(&rod);
  return rod;
}

static inline void free_rod(CpsRod* rod) {
  free(rod->spec.branch);
  free(rod->state);
  free(rod->work);
}

static inline void one_step(CpsRod* rod, const CpsModelStep* step) {
  rod->type->begin(rod, step);
  rod->type->receive(rod, NULL);
  rod->type->advance(rod, step);
  rod->type->refresh(rod);
}

static inline CpsRodEnergy energy_of(const CpsRod* rod, CpsVec3 gravity) {
  CpsRodEnergy e;
  rod->type->energy(rod, gravity, &e);
  return e;
}

static inline double longest_error(const CpsRod* rod) {
  CpsDer d = cps_der_view(rod);
  double worst = 0.0;
  for (int32_t e = d.ghost; e < d.ghost + d.elements; ++e) worst = fmax(worst, fabs(d.edge[e] / d.rest[e] - 1.0));
  return worst;
}

#endif
