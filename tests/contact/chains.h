// Chains of capsules as fibres offer them, and what they are compared with: local minima of the distance of two polylines,
// found on a grid and then followed down.
#ifndef CAPSTAN_TESTS_CHAINS_H
#define CAPSTAN_TESTS_CHAINS_H

#include "contact/chain.h"
#include "contact/detect.h"
#include "core/random.h"
#include "geometry/pairs.h"
#include "test_helpers.h"

enum { CHAIN_MOST = 256 };

typedef struct Chain {
  int32_t pieces;
  CpsVec3 point[CHAIN_MOST + 1];
  double arc[CHAIN_MOST + 1];
  CpsGeom geom[CHAIN_MOST];
  double radius;
} Chain;

static inline Chain chain_of(const CpsVec3* points, int32_t pieces, double radius) {
  Chain chain = {.pieces = pieces, .radius = radius};
  for (int32_t i = 0; i <= pieces; i++) {
    chain.point[i] = points[i];
    if (i > 0) chain.arc[i] = chain.arc[i - 1] + cps_vec3_norm(cps_vec3_sub(points[i], points[i - 1]));
  }
  return chain;
}

// The colliders of a chain, written at `out`. The chain must stay where it is.
static inline void offer(Chain* chain, int32_t owner, double reach, double self_distance, CpsCollider* out) {
  for (int32_t i = 0; i < chain->pieces; i++) {
    const CpsVec3 along = cps_vec3_sub(chain->point[i + 1], chain->point[i]);
    const double half = 0.5 * cps_vec3_norm(along), r = chain->radius;
    chain->geom[i] = (CpsGeom){.kind = CPS_SHAPE_CAPSULE,
                               .radius = r,
                               .half_length = half,
                               .bounds = {{-r, -r, -half - r}, {r, r, half + r}},
                               .inner_radius = r,
                               .outer_radius = half + r};
    out[i] = (CpsCollider){.geom = &chain->geom[i],
                           .pose = {cps_vec3_axpy(chain->point[i], 0.5, along), cps_quat_z_to(cps_vec3_unit(along))},
                           .reach = reach,
                           .key = (uint64_t)owner << 22 | (uint64_t)i,
                           .owner = owner,
                           .arc = {chain->arc[i], chain->arc[i + 1]},
                           .self_distance = self_distance,
                           .joined = (uint8_t)((i > 0 ? 1 : 0) | (i < chain->pieces - 1 ? 2 : 0))};
  }
}

static inline CpsVec3 chain_at(const Chain* chain, double s) {
  int32_t low = 0, high = chain->pieces;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    if (chain->arc[middle] <= s) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const double t = (s - chain->arc[low]) / (chain->arc[low + 1] - chain->arc[low]);
  return cps_vec3_axpy(cps_vec3_scale(1.0 - t, chain->point[low]), t, chain->point[low + 1]);
}

static inline double chain_length(const Chain* chain) {
  return chain->arc[chain->pieces];
}

static inline double clamped(double x, double most) {
  return x < 0.0 ? 0.0 : x > most ? most : x;
}

static inline double chain_distance(const Chain* a, const Chain* b, double s, double t) {
  return cps_vec3_norm(cps_vec3_sub(chain_at(a, s), chain_at(b, t)));
}

// Goes down from (s, t) with steps in 64 directions, halved when none helps. Returns the distance.
static inline double descend(const Chain* a, const Chain* b, double step, double* s, double* t) {
  double best = chain_distance(a, b, *s, *t);
  while (step > 1e-12) {
    double next_s = *s, next_t = *t, next = best;
    for (int k = 0; k < 64; k++) {
      const double angle = k * 3.14159265358979323846 / 32.0;
      const double u = clamped(*s + step * cos(angle), chain_length(a));
      const double v = clamped(*t + step * sin(angle), chain_length(b));
      const double d = chain_distance(a, b, u, v);
      if (d < next) next = d, next_s = u, next_t = v;
    }
    if (next < best) {
      *s = next_s, *t = next_t, best = next;
    } else {
      step *= 0.5;
    }
  }
  return best;
}

#endif
