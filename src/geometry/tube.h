// A bent rod: the centre line as a chain of cubic spans, and a tree to find those near a body.
#ifndef CAPSTAN_GEOMETRY_TUBE_H
#define CAPSTAN_GEOMETRY_TUBE_H

#include "geometry/bvh.h"

// start + t (slope + t (square + t cube)), 0 <= t <= 1.
typedef struct CpsTubeSpan {
  CpsVec3 start, end;
  CpsVec3 slope, square, cube;
  CpsVec3 tangent[2];     // unit, at the two ends
  int32_t before, after;  // neighbours in the chain, -1 at an open end
  bool straight;
} CpsTubeSpan;

struct CpsTubeTree {
  CpsTubeSpan* span;
  int32_t span_count;
  CpsBvh tree;  // over the spans, without the radius
};

// From a checked shape; CPS_OK or CPS_NO_MEMORY.
CpsStatus cps_tube_create(const CpsShape* shape, CpsTubeTree** tube);
void cps_tube_destroy(CpsTubeTree* tube);  // NULL is allowed

static inline CpsVec3 cps_tube_point(const CpsTubeSpan* s, double t) {
  return cps_vec3_axpy(s->start, t, cps_vec3_axpy(s->slope, t, cps_vec3_axpy(s->square, t, s->cube)));
}
static inline CpsVec3 cps_tube_slope(const CpsTubeSpan* s, double t) {
  return cps_vec3_axpy(s->slope, t, cps_vec3_axpy(cps_vec3_scale(2.0, s->square), 3.0 * t, s->cube));
}
static inline CpsVec3 cps_tube_bend(const CpsTubeSpan* s, double t) {
  return cps_vec3_axpy(cps_vec3_scale(2.0, s->square), 6.0 * t, s->cube);
}

// Chords of a span: one of a straight one, CPS_TUBE_CHORDS of a bent one; point k of them, 0 … count.
enum { CPS_TUBE_CHORDS = 4 };
static inline int cps_tube_chords(const CpsTubeSpan* s) {
  return s->straight ? 1 : CPS_TUBE_CHORDS;
}
static inline CpsVec3 cps_tube_chord(const CpsTubeSpan* s, int k) {
  const int count = cps_tube_chords(s);
  return k == 0 ? s->start : k == count ? s->end : cps_tube_point(s, (double)k / count);
}

#endif
