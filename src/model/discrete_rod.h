// Discrete elastic rods (Bergou et al. 2008, 2010): a chain of points, with one angle per edge that turns the section about
// the edge. Shared by the files of the model; docs/theory/discrete-rod.md has the derivations.
//
// Vertices x_i and the angles theta_i of the edges from x_i to x_{i+1} are interleaved: q = (x_0, theta_0, x_1, theta_1, ...,
// x_n). A joint (two edges, three vertices) therefore involves eleven consecutive coordinates, and M~ has the half bandwidth
// CPS_DER_BAND. A clamped end has a ghost edge outside the rod, with all its coordinates prescribed: its direction is the
// tangent of the clamp, and the joint between it and the rod has half the usual length.
#ifndef CAPSTAN_MODEL_DISCRETE_ROD_H
#define CAPSTAN_MODEL_DISCRETE_ROD_H

#include "model/rod.h"
#include "model/rod_statics.h"

enum { CPS_DER_BAND = 10, CPS_DER_JOINT = 11 };

// Method that keeps the lengths.
typedef enum CpsDerLengths { CPS_DER_STIFF, CPS_DER_INSIDE, CPS_DER_PROJECTED } CpsDerLengths;

// Strains of a joint: twist, and bending about the second and the third axis, all integrated over its length, with their
// derivatives with respect to the eleven coordinates around it.
typedef struct CpsDerJoint {
  double strain[3];
  double gradient[3][CPS_DER_JOINT];
} CpsDerJoint;

// Layout of the memory of a rod. Arrays of vertices have `vertices` entries, those of edges one less; joints are numbered
// by their vertex.
typedef struct CpsDer {
  int32_t vertices, dofs;
  int32_t ghost;     // 1: vertex 0 is the ghost of a clamped root
  int32_t elements;  // number of edges without ghosts
  double size;       // arc length of an edge
  // state
  double *q, *v;
  CpsVec3* director;  // reference director of each edge, transported in parallel in time
  double* turn;       // of each joint: the angle from the transported director before it to the director after it
  double* tension;    // of each edge: the multiplier or, with projected lengths, the tension at rest
  double* taut;       // the multiplier of the last step (projected lengths only); see cps_der_extension()
  double* rest;       // lengths of edges
  double* natural;    // 3 per joint
  // constant
  double *mass, *inertia;  // of vertices; of edges about their axes
  double* joint_length;    // 0: no joint
  double* held;            // per degree of freedom: 1 if prescribed
  // from the state
  CpsVec3 *tangent, *second, *third;  // material frames of edges
  double* edge;                       // lengths of edges
  CpsDerJoint* joint;
  // of the step
  double *band, *v_before, *v_free, *target, *move;
  CpsVec3* old_tangent;
  CpsVec3* aim;        // directions in which edges pull
  double* total;       // see keep_momentum() in discrete_rod.c
  double* kept;        // q, directors and turns, saved while forces are examined at another place
  double* projection;  // 3 per edge
  CpsVec3* gyration;   // impulse on the second point of each edge due to its axial spin; opposite on the first
  double lean;         // fraction of the old tangents in the directions along which a projection moves vertices
} CpsDer;

// discrete_rod.c
extern const CpsRodType cps_rod_der, cps_rod_der_inextensible, cps_rod_der_projected;

int32_t cps_der_edge_at(const CpsDer* d, double s, double* w);  // the edge at s, and the fraction of it

// discrete_rod_geometry.c
CpsDer cps_der_cut(const CpsRodSpec* spec, double* state, double* work, int64_t* state_count, int64_t* work_count);
static inline CpsDer cps_der_view(const CpsRod* rod) {
  int64_t state, work;
  return cps_der_cut(&rod->spec, rod->state, rod->work, &state, &work);
}
CpsVec3 cps_der_position(const CpsDer* d, int32_t vertex);
// Parallel transport of u, orthogonal to the unit vector a, along the shortest arc from a to the unit vector b.
CpsVec3 cps_der_transport(CpsVec3 u, CpsVec3 a, CpsVec3 b);
// Strains of a joint between two frames (tangent, second, third), `twist` the angle between them; gradients if the
// lengths of both edges are given.
void cps_der_measure(const CpsVec3 before[3], const CpsVec3 after[3], double twist, const double* lengths,
                     CpsDerJoint* joint);
// Tangents and lengths of edges from q; then transports directors from `old_tangent` (the tangents before the motion).
void cps_der_find_tangents(CpsDer* d);
void cps_der_carry_directors(CpsDer* d);
// Frames and joints.
void cps_der_find_joints(CpsDer* d);

// discrete_rod_force.c
// An elastic term of the energy, B / 2 k^2, with the gradient of k over CPS_DER_JOINT coordinates from `first` on.
typedef struct CpsDerTerm {
  int32_t first;
  const double* gradient;
  double B, k;
} CpsDerTerm;
// Terms of the joints: three for each vertex with a joint, [0, cps_der_term_count()).
static inline int32_t cps_der_term_count(const CpsDer* d) {
  return 3 * (d->vertices - 2);
}
CpsDerTerm cps_der_term(const CpsRod* rod, const CpsDer* d, int32_t term);
double cps_der_edge_stiffness(const CpsRod* rod, const CpsDer* d, int32_t e);  // E S over the rest length, N/m
// Extension of an edge of variable length: |e| - (rest + taut). The difference of two doubles is exact, but a rest length has
// a relative error of 1e-16, hence the tension an error of 1e-16 E S: a billionth of the weight of a hair. Its rounding error is
// kept where other methods of keeping lengths store a multiplier.
double cps_der_extension(const CpsDer* d, int32_t e);
double cps_der_elastic(const CpsRod* rod, const CpsDer* d, CpsDerLengths lengths);
// M~ in the band and h F of rod.h (1) in `force`, with prescribed coordinates eliminated. q, tangents and joints are taken
// (1 - theta) h ahead.
void cps_der_assemble(const CpsRod* rod, CpsDer* d, const CpsModelStep* step, double* force);
// Writes the impulses of spinning edges at v~ of the velocities v and `after` to `gyration`, and their change to `force`.
void cps_der_gyrate(const CpsDer* d, const CpsModelStep* step, const double* after, double* force);
double cps_der_stiffening(const CpsDer* d, const CpsModelStep* step, int32_t e);  // k of (2) there
// Contribution of cps_rod_wave_damping() to a term: to bending only
double cps_der_wave_damping(const CpsRod* rod, const CpsDer* d, const CpsModelStep* step, int32_t term);
// The works of rod.h; previous v is in `v_free`, `move` is overwritten. q, tangents and joints as for cps_der_assemble().
void cps_der_work(const CpsRod* rod, CpsDer* d, const CpsModelStep* step, CpsRodWork* out);
// T+ of (2) there, before lengths are projected.
void cps_der_update_tension(const CpsDer* d, const CpsModelStep* step, double* tension);
// The tension that turns with edge e, N.
double cps_der_turning_tension(const CpsRod* rod, const CpsDer* d, int32_t e);

// discrete_rod_project.c
// Moves free vertices along the constraint forces until each edge has its length. False if this fails.
bool cps_der_project(CpsDer* d);

// discrete_rod_statics.c: forces of weight and pulls on all coordinates in q and one more
void cps_der_load(const CpsRod* rod, const CpsDer* d, const CpsRodLoad* load, double* f);
// discrete_rod_hessian.c, for rod_statics.h
int32_t cps_der_unknowns(const CpsRod* rod, int32_t* band);
CpsStatus cps_der_gradient(const CpsRod* rod, const CpsRodLoad* load, double* g, double* unit);
CpsStatus cps_der_hessian(const CpsRod* rod, const CpsRodLoad* load, double* K, double* C);
void cps_der_step_parts(const CpsRod* rod, double mass, double along, double turning, double* C);
void cps_der_move_free(CpsRod* rod, const double* change);

#endif
