// Short helices (Ghosh 2010; Derouet-Jourdan, Bertails-Descoubes and Thollot 2013, theorem 4.1 of the habilitation of
// Bertails-Descoubes 2017), in explicit form.
//
// A helix with the tangents t0 and t1 at its ends has a chord d with d.(t1 - t0) = 0. With
//
//   e1 = (t0 + t1)/|.|,  e3 = (t1 - t0)/|.|,  e2 = e1 × e3,   c = |t0 + t1|/2,  s = |t1 - t0|/2,                     (1)
//
// its axis is a = cos psi e1 + sin psi e2, half its turn delta = atan2(s, c sin psi) in (0, pi), and its chord over its length
//
//   X = c cos² psi + (s/delta) sin psi along e1,   Y = c sin psi cos psi - (s/delta) cos psi along e2                 (2)
//
// The angle of (X, Y) grows monotonically from -pi to pi as psi goes from -pi/2 to 3 pi/2, so exactly one psi has the direction of
// d. The length follows from |d|, the rotation per length is (2 delta / length) a. psi = pi/2 is a plane arc. If t1 = t0, the
// helix is straight or makes one turn; if t1 = -t0, c = 0 and it makes half a turn.
#include "geometry/short_helix.h"

static const double PI = 3.14159265358979323846;
static const double SAME = 1e-14;    // relative to a tangent
static const double ENOUGH = 1e-15;  // rad

typedef struct Frame {
  CpsVec3 e1, e2;
  double c, s;
} Frame;

// (2) and delta
typedef struct Chord {
  double X, Y, delta;
} Chord;

static Chord chord_at(const Frame* f, double psi) {
  const double sine = sin(psi), cosine = cos(psi), delta = atan2(f->s, f->c * sine);
  const double part = delta > 0.0 ? f->s / delta : fmax(f->c * sine, 0.0);
  return (Chord){f->c * cosine * cosine + part * sine, (f->c * sine - part) * cosine, delta};
}

// (1). If two tangents are the same or opposite, any axes that contain d are valid.
static Frame frame_of(CpsVec3 d, CpsVec3 t0, CpsVec3 t1) {
  const CpsVec3 sum = cps_vec3_add(t0, t1), difference = cps_vec3_sub(t1, t0);
  Frame f = {.c = 0.5 * cps_vec3_norm(sum), .s = 0.5 * cps_vec3_norm(difference)};
  CpsVec3 e3;
  if (f.c < SAME) {
    e3 = cps_vec3_unit(difference);
    f.c = 0.0;
    f.e1 = cps_vec3_unit(cps_vec3_axpy(d, -cps_vec3_dot(d, e3), e3));
  } else if (f.s < SAME) {
    f.e1 = cps_vec3_unit(sum);
    f.s = 0.0;
    const CpsMat3 axes = cps_mat3_frame(f.e1, d);
    e3 = cps_vec3(axes.m[6], axes.m[7], axes.m[8]);
  } else {
    f.e1 = cps_vec3_unit(sum);
    e3 = cps_vec3_unit(difference);
  }
  f.e2 = cps_vec3_cross(f.e1, e3);
  return f;
}

static double miss(const Frame* f, double psi, double wanted) {
  const Chord chord = chord_at(f, psi);
  return atan2(chord.Y, chord.X) - wanted;
}

// psi by Chandrupatla's method on the angle of (2), which is monotone: inverse quadratic interpolation between the last three
// points where that is safe, otherwise bisection.
static double find_psi(const Frame* f, double wanted) {
  double x1 = 1.5 * PI, f1 = PI - wanted, x2 = -0.5 * PI, f2 = -PI - wanted, t = 0.5;
  // a plane arc of more than half a turn
  if (f1 < ENOUGH || f2 > -ENOUGH) return f1 < ENOUGH ? x1 : x2;
  for (int k = 0; k < 100; ++k) {
    const double x = x1 + t * (x2 - x1), at = miss(f, x, wanted);
    if (fabs(at) < ENOUGH) return x;
    double x3 = x1, f3 = f1;
    if ((at > 0.0) != (f1 > 0.0)) x3 = x2, f3 = f2, x2 = x1, f2 = f1;
    x1 = x, f1 = at;
    const double width = fabs(x2 - x1);
    if (!(width > 1e-15)) break;
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    t = 0.5;
    if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
      t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    }
    const double least = 0.5e-15 / width;
    t = fmin(fmax(t, least), 1.0 - least);
  }
  return fabs(f1) < fabs(f2) ? x1 : x2;
}

bool cps_short_helix(CpsVec3 p0, CpsVec3 t0, CpsVec3 p1, CpsVec3 t1, CpsShortHelix* helix) {
  const CpsVec3 d = cps_vec3_sub(p1, p0);
  const Frame f = frame_of(d, t0, t1);
  const double d1 = cps_vec3_dot(d, f.e1), d2 = cps_vec3_dot(d, f.e2), size = hypot(d1, d2);
  if (!(size > 0.0)) return false;
  const bool straight = f.s == 0.0 && d1 > 0.0 && fabs(d2) < SAME * d1;
  const double psi = straight ? 0.5 * PI : find_psi(&f, atan2(d2, d1));
  const Chord chord = chord_at(&f, psi);
  helix->length = straight ? size : size / hypot(chord.X, chord.Y);
  const CpsVec3 axis = cps_vec3_axpy(cps_vec3_scale(cos(psi), f.e1), sin(psi), f.e2);
  helix->turn = cps_vec3_scale(straight ? 0.0 : 2.0 * chord.delta / helix->length, axis);
  return isfinite(helix->length) && helix->length > 0.0;
}

// Least move: p' = p - C^T (C C^T)^-1 C p, row i of C has -D_i at p_i and D_i at p_{i+1}, D_i = t_{i+1} - t_i; p_0 has no
// column. C C^T is tridiagonal, 2 |D_i|^2 (the first |D_0|^2) beside -D_{i-1}.D_i. Rows without D say nothing.
void cps_float_joints(int32_t n, CpsVec3* p, const CpsVec3* t, double* work) {
  double *pivot = work, *ratio = work + n, *y = work + 2 * (int64_t)n;
  CpsVec3 before = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < n; ++i) {
    const CpsVec3 D = cps_vec3_sub(t[i + 1], t[i]);
    const double own = cps_vec3_dot(D, D), beside = -cps_vec3_dot(before, D);
    const bool says = own > SAME * SAME;
    ratio[i] = i > 0 && says && pivot[i - 1] > 0.0 ? beside / pivot[i - 1] : 0.0;
    pivot[i] = says ? (i > 0 ? 2.0 : 1.0) * own - ratio[i] * beside : 0.0;
    if (!(pivot[i] > 1e-14 * own)) pivot[i] = ratio[i] = 0.0;
    y[i] = cps_vec3_dot(D, cps_vec3_sub(p[i + 1], p[i])) - (i > 0 ? ratio[i] * y[i - 1] : 0.0);
    before = D;
  }
  for (int32_t i = n - 1; i >= 0; --i) {
    y[i] = pivot[i] > 0.0 ? y[i] / pivot[i] : 0.0;
    if (i + 1 < n) y[i] -= ratio[i + 1] * y[i + 1];
    if (!(pivot[i] > 0.0)) y[i] = 0.0;
  }
  for (int32_t i = 0; i < n; ++i) {
    const CpsVec3 D = cps_vec3_sub(t[i + 1], t[i]);
    p[i + 1] = cps_vec3_axpy(p[i + 1], -y[i], D);
    if (i > 0) p[i] = cps_vec3_axpy(p[i], y[i], D);
  }
}
