// From the definition of a rod to samples of position, frame and natural curvature along it.
//
// A shape given by curvatures is integrated from its root in short steps, with the curvature at the middle of each step,
//
//   R(s + d) = R(s) exp(d [kappa(s + d/2)]x),   r(s + d) = r(s) + int R e_x ds,                                     (1)
//
// exact for constant curvature. A polyline becomes the curve of cubic pieces through its points with Catmull-Rom
// tangents over the chord lengths. Its frames are transported without twist by two reflections per step (Wang et al.
// 2008) and sampled at equal arc lengths.
#include "model/rod_shape.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>

enum { FINE = 16 };                   // intervals of a cubic piece, for arc lengths
static const double MAX_TURN = 0.05;  // rad, in one step of (1)

void cps_rod_shape_free(CpsRodShape* shape) {
  free(shape->point);
  free(shape->frame);
  free(shape->natural);
  *shape = (CpsRodShape){0};
}

// A table of curvatures over [0, 1], linearly interpolated.
static CpsVec3 look_up(const CpsVec3* table, int32_t count, double t) {
  if (count <= 0) return cps_vec3(0.0, 0.0, 0.0);
  if (count == 1) return table[0];
  double x = fmin(fmax(t, 0.0), 1.0) * (count - 1);
  int32_t i = x < count - 1 ? (int32_t)x : count - 2;
  double f = x - i;
  return cps_vec3_axpy(cps_vec3_scale(1.0 - f, table[i]), f, table[i + 1]);
}

// (1) over [t, t + d / length] of a branch.
static void integrate(const CpsVec3* table, int32_t count, double length, double t, double d, CpsVec3* r, CpsQuat* R) {
  static const double NODE[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
  static const double WEIGHT[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  double largest = fmax(cps_vec3_norm(look_up(table, count, t)), cps_vec3_norm(look_up(table, count, t + d / length)));
  double parts = fmin(fmax(ceil(largest * d / MAX_TURN), 1.0), 1e4), part = d / parts;
  for (int32_t k = 0; k < (int32_t)parts; ++k) {
    CpsVec3 kappa = look_up(table, count, t + (k + 0.5) * part / length);
    for (int j = 0; j < 3; ++j) {
      CpsQuat q = cps_quat_multiply(*R, cps_quat_exp(cps_vec3_scale(NODE[j] * part, kappa)));
      *r = cps_vec3_axpy(*r, WEIGHT[j] * part, cps_quat_rotate(q, cps_vec3(1.0, 0.0, 0.0)));
    }
    *R = cps_quat_unit(cps_quat_multiply(*R, cps_quat_exp(cps_vec3_scale(part, kappa))));
  }
}

// Position of sample i on a branch, as a fraction of its length, and the distance to the next one, m.
static double sample_at(const CpsRodBranch* branch, int32_t i) {
  const int32_t e = i / CPS_ROD_SAMPLES, k = i % CPS_ROD_SAMPLES;
  if (!branch->joint) return (double)i / (CPS_ROD_SAMPLES * branch->elements);
  const double from = branch->joint[e], to = k > 0 ? branch->joint[e + 1] : from;
  return (from + k * (to - from) / CPS_ROD_SAMPLES) / branch->length;
}

static double spacing(const CpsRodBranch* branch, int32_t i) {
  if (!branch->joint) return branch->length / (CPS_ROD_SAMPLES * branch->elements);
  return cps_rod_element_size(branch, i / CPS_ROD_SAMPLES) / CPS_ROD_SAMPLES;
}

// `own`: curvatures of the elements, instead of a table.
static void sample_curvature(const CpsVec3* table, int32_t count, const CpsVec3* own, const CpsPose* root,
                             const CpsRodBranch* branch, CpsVec3* point, CpsQuat* frame) {
  int32_t n = CPS_ROD_SAMPLES * branch->elements;
  CpsVec3 r = root->position;
  CpsQuat R = cps_quat_unit(root->rotation);
  for (int32_t i = 0; i <= n; ++i) {
    point[i] = r;
    frame[i] = R;
    if (i == n) break;
    const CpsVec3* from = own ? &own[i / CPS_ROD_SAMPLES] : table;
    integrate(from, own ? 1 : count, branch->length, sample_at(branch, i), spacing(branch, i), &r, &R);
  }
}

// A curve of cubic pieces through points: piece k with its end tangents, as function of u in [0, 1].
typedef struct Cubic {
  CpsVec3 p, q, dp, dq;
} Cubic;

// Derivative of the parabola through three points at the middle one, over the chord lengths a and b.
static CpsVec3 tangent(CpsVec3 before, CpsVec3 at, CpsVec3 after) {
  CpsVec3 d = cps_vec3_sub(at, before), e = cps_vec3_sub(after, at);
  double a = cps_vec3_norm(d), b = cps_vec3_norm(e);
  return cps_vec3_axpy(cps_vec3_scale(b / (a * (a + b)), d), a / (b * (a + b)), e);
}

static Cubic piece(const CpsVec3* x, int32_t count, int32_t k) {
  CpsVec3 chord = cps_vec3_sub(x[k + 1], x[k]);
  double l = cps_vec3_norm(chord);
  CpsVec3 straight = cps_vec3_scale(1.0 / l, chord);
  CpsVec3 t0 = k > 0 ? tangent(x[k - 1], x[k], x[k + 1]) : straight;
  CpsVec3 t1 = k + 2 < count ? tangent(x[k], x[k + 1], x[k + 2]) : straight;
  // the ends continue the parabola of their neighbours
  if (k == 0 && count > 2) t0 = cps_vec3_axpy(cps_vec3_scale(2.0, straight), -1.0, t1);
  if (k + 2 == count && count > 2) t1 = cps_vec3_axpy(cps_vec3_scale(2.0, straight), -1.0, t0);
  return (Cubic){x[k], x[k + 1], cps_vec3_scale(l, t0), cps_vec3_scale(l, t1)};
}

static CpsVec3 cubic_at(const Cubic* c, double u) {
  double v = 1.0 - u;
  CpsVec3 out = cps_vec3_scale((1.0 + 2.0 * u) * v * v, c->p);
  out = cps_vec3_axpy(out, u * v * v, c->dp);
  out = cps_vec3_axpy(out, u * u * (3.0 - 2.0 * u), c->q);
  return cps_vec3_axpy(out, -u * u * v, c->dq);
}

static CpsVec3 cubic_slope(const Cubic* c, double u) {
  double v = 1.0 - u;
  CpsVec3 out = cps_vec3_scale(6.0 * u * v, cps_vec3_sub(c->q, c->p));
  out = cps_vec3_axpy(out, v * (1.0 - 3.0 * u), c->dp);
  return cps_vec3_axpy(out, u * (3.0 * u - 2.0), c->dq);
}

// Arc length of [u, u + d] by three-point Gauss quadrature.
static double arc(const Cubic* c, double u, double d) {
  static const double NODE[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
  double sum = 0.0;
  for (int j = 0; j < 3; ++j) sum += (j == 1 ? 8.0 : 5.0) / 18.0 * cps_vec3_norm(cubic_slope(c, u + NODE[j] * d));
  return d * sum;
}

double cps_rod_shape_length(const CpsFibreDef* def, CpsStatus* status, CpsError* error) {
  *status = CPS_OK;
  if (def->point_count == 0 && def->element_lengths) {
    double sum = 0.0;
    for (int32_t i = 0; i < def->elements; ++i) sum += def->element_lengths[i];
    return sum;
  }
  if (def->point_count == 0) return def->length;
  double length = 0.0;
  for (int32_t k = 0; k + 1 < def->point_count; ++k) {
    if (!(cps_vec3_norm(cps_vec3_sub(def->points[k + 1], def->points[k])) > 0.0)) {
      *status = cps_fail(error, CPS_BAD_DATA, "points %d and %d of a fibre are the same", (int)k, (int)k + 1);
      return 0.0;
    }
    Cubic c = piece(def->points, def->point_count, k);
    for (int i = 0; i < FINE; ++i) length += arc(&c, (double)i / FINE, 1.0 / FINE);
  }
  return length;
}

// Arc length of a sample.
static double goal_of(const CpsRodBranch* trunk, int32_t i) {
  if (!trunk->joint) return trunk->length * i / (CPS_ROD_SAMPLES * trunk->elements);
  return trunk->length * sample_at(trunk, i);
}

// Positions and tangents at the samples; the vector part of `frame` temporarily stores tangents.
static void sample_points(const CpsFibreDef* def, const CpsRodBranch* trunk, CpsVec3* point, CpsQuat* frame) {
  int32_t n = CPS_ROD_SAMPLES * trunk->elements, next = 0;
  double done = 0.0;
  for (int32_t k = 0; k + 1 < def->point_count; ++k) {
    Cubic c = piece(def->points, def->point_count, k);
    for (int i = 0; i < FINE; ++i) {
      double u = (double)i / FINE, d = 1.0 / FINE, a = arc(&c, u, d);
      bool last = k + 2 == def->point_count && i + 1 == FINE;
      while (next <= n && (goal_of(trunk, next) <= done + a || last)) {
        double f = fmin(fmax((goal_of(trunk, next) - done) / a, 0.0), 1.0);
        // one correction makes the arc length exact to second order
        f = fmin(fmax(f + (f * a - arc(&c, u, f * d)) / a, 0.0), 1.0);
        CpsVec3 t = cps_vec3_unit(cubic_slope(&c, u + f * d));
        point[next] = cubic_at(&c, u + f * d);
        frame[next++] = (CpsQuat){0.0, t.x, t.y, t.z};
      }
      done += a;
    }
  }
}

static CpsVec3 reflect(CpsVec3 x, CpsVec3 normal) {
  double nn = cps_vec3_dot(normal, normal);
  return nn > 0.0 ? cps_vec3_axpy(x, -2.0 * cps_vec3_dot(normal, x) / nn, normal) : x;
}

// Twist-free frames from tangents, beginning with the second axis of the definition.
static void carry_frames(const CpsFibreDef* def, const CpsVec3* point, CpsQuat* frame, int32_t n) {
  CpsVec3 t = {frame[0].x, frame[0].y, frame[0].z};
  CpsVec3 second = cps_quat_rotate(cps_quat_unit(def->root_pose.rotation), cps_vec3(0.0, 1.0, 0.0));
  CpsMat3 first = cps_mat3_frame(t, second);
  CpsVec3 normal = {first.m[3], first.m[4], first.m[5]};
  for (int32_t i = 0; i <= n; ++i) {
    frame[i] = cps_quat_of_axes(t, normal, cps_vec3_cross(t, normal));
    if (i == n) break;
    CpsVec3 next = {frame[i + 1].x, frame[i + 1].y, frame[i + 1].z}, v = cps_vec3_sub(point[i + 1], point[i]);
    CpsVec3 normal_mirrored = reflect(normal, v), t_mirrored = reflect(t, v);
    normal = reflect(normal_mirrored, cps_vec3_sub(next, t_mirrored));
    // prevents rounding errors from accumulating
    normal = cps_vec3_unit(cps_vec3_axpy(normal, -cps_vec3_dot(normal, next), next));
    t = next;
  }
}

// Curvatures of the frames: at a sample the mean of the two adjacent intervals.
static void curvature_of_frames(const CpsQuat* frame, const CpsRodBranch* trunk, CpsVec3* kappa) {
  const int32_t n = CPS_ROD_SAMPLES * trunk->elements;
  for (int32_t i = 0; i <= n; ++i) kappa[i] = cps_vec3(0.0, 0.0, 0.0);
  for (int32_t i = 0; i < n; ++i) {
    const double d = spacing(trunk, i);
    CpsVec3 k = cps_quat_log(cps_quat_multiply(cps_quat_conjugate(frame[i]), frame[i + 1]));
    kappa[i] = cps_vec3_axpy(kappa[i], (i == 0 ? 1.0 : 0.5) / d, k);
    kappa[i + 1] = cps_vec3_axpy(kappa[i + 1], (i + 1 == n ? 1.0 : 0.5) / d, k);
  }
}

// Rotates the section by phi(s) about the tangent e, the centrelines stay: with Q = exp(phi [e]x),
//
//   R' = R Q,   k' = Q^T k + (d phi / ds) e.                                                                        (2)
static void roll(const CpsFibreDef* def, const CpsRodBranch* trunk, CpsRodShape* shape) {
  const int32_t n = CPS_ROD_SAMPLES * trunk->elements;
  const double twist = (def->roll[1] - def->roll[0]) / trunk->length;
  for (int32_t i = 0; i <= n; ++i) {
    const double phi = def->roll[0] + twist * goal_of(trunk, i);
    const CpsQuat q = {cos(0.5 * phi), sin(0.5 * phi), 0.0, 0.0};
    shape->frame[i] = cps_quat_unit(cps_quat_multiply(shape->frame[i], q));
    shape->natural[i] = cps_quat_rotate(cps_quat_conjugate(q), shape->natural[i]);
    shape->natural[i].x += twist;
  }
}

static void sample_trunk(const CpsFibreDef* def, const CpsRodBranch* trunk, CpsRodShape* shape) {
  int32_t n = CPS_ROD_SAMPLES * trunk->elements;
  if (def->point_count > 0) {
    sample_points(def, trunk, shape->point, shape->frame);
    carry_frames(def, shape->point, shape->frame, n);
  } else {
    bool natural = def->curvature_count == 0;
    sample_curvature(natural ? def->natural : def->curvature, natural ? def->natural_count : def->curvature_count,
                     def->element_curvature, &def->root_pose, trunk, shape->point, shape->frame);
  }
  shape->as_placed = def->natural_as_placed;
  for (int32_t i = 0; i <= n && !def->natural_as_placed; ++i) {
    shape->natural[i] = look_up(def->natural, def->natural_count, sample_at(trunk, i));
  }
  if (def->roll[0] != 0.0 || def->roll[1] != 0.0) roll(def, trunk, shape);
  if (def->natural_as_placed) curvature_of_frames(shape->frame, trunk, shape->natural);
}

CpsStatus cps_rod_shape_sample(const CpsFibreDef* def, const CpsRodSpec* spec, CpsRodShape* shape, CpsError* error) {
  size_t count = (size_t)CPS_ROD_SAMPLES * (size_t)spec->elements + (size_t)spec->branch_count;
  shape->point = calloc(count, sizeof *shape->point);
  shape->frame = calloc(count, sizeof *shape->frame);
  shape->natural = calloc(count, sizeof *shape->natural);
  if (!shape->point || !shape->frame || !shape->natural) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the shape of a fibre");
  }
  sample_trunk(def, &spec->branch[0], shape);
  for (int32_t b = 1; b < spec->branch_count; ++b) {
    const CpsRodBranch *branch = &spec->branch[b], *parent = &spec->branch[branch->parent];
    const CpsFibreBranch* from = &def->branches[b - 1];
    int32_t at = CPS_ROD_SAMPLES * (parent->first_element + branch->at + 1) + branch->parent;
    int32_t first = CPS_ROD_SAMPLES * branch->first_element + b;
    CpsPose root = {shape->point[at], cps_quat_multiply(shape->frame[at], branch->rotation)};
    sample_curvature(isnan(from->curvature.x) ? &from->natural : &from->curvature, 1, NULL, &root, branch,
                     shape->point + first, shape->frame + first);
    for (int32_t i = 0; i <= CPS_ROD_SAMPLES * branch->elements; ++i) shape->natural[first + i] = from->natural;
  }
  return CPS_OK;
}
