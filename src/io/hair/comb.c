// Roots on a head, and hair that was combed.
//
// Roots are points of the spiral with the golden angle, which covers a sphere evenly:
//
//   z_i = 1 - (2 i + 1) / M,   azimuth_i = i pi (3 - sqrt 5),   i = 0 … M - 1                                       (1)
//
// with M such that `count` of them fall on the scalp. A hair of direction d turns downwards, d' = (g - d) / fall, and is
// led around what is in its way. The curvature of a lock that winds about an axis a is constant in space,
//
//   R k = |k_natural| a                                                                                            (2)
//
// so that it winds as the natural shape does, on an axis that follows the path.
#include "io/hair/comb.h"

static const double PI = 3.14159265358979323846;

static bool on_scalp(const CpsScalp* scalp, CpsVec3 n) {
  double across = hypot(n.x, n.y), front = across > 0.0 ? fmax(0.0, n.y / across) : 0.0;
  double limit = scalp->nape + (scalp->hairline - scalp->nape) * front * front;
  return acos(fmin(1.0, fmax(-1.0, n.z))) <= limit;
}

static CpsVec3 spiral(int64_t i, int64_t most) {
  double z = 1.0 - (2.0 * (double)i + 1.0) / (double)most, r = sqrt(fmax(0.0, 1.0 - z * z));
  double azimuth = fmod((double)i * PI * (3.0 - sqrt(5.0)), 2.0 * PI);
  return cps_vec3(r * cos(azimuth), r * sin(azimuth), z);
}

static int64_t count_on(const CpsScalp* scalp, int64_t most) {
  int64_t count = 0;
  for (int64_t i = 0; i < most; ++i) count += on_scalp(scalp, spiral(i, most));
  return count;
}

// The smallest spiral with `count` points on the scalp, or 0 if the scalp is too small.
static int64_t find_spiral(const CpsScalp* scalp, int32_t count) {
  enum { COARSE = 10000 };
  double share = (double)count_on(scalp, COARSE) / COARSE;
  if (!(share > 0.0)) return 0;
  int64_t low = (int64_t)(0.9 * count / share) - 10, high = (int64_t)(1.1 * count / share) + 10;
  if (low < 0) low = 0;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (count_on(scalp, middle) >= count) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

void cps_scalp_roots(const CpsScalp* scalp, int32_t count, double jitter, CpsRandom* random, CpsVec3* normals) {
  int64_t most = find_spiral(scalp, count);
  double spacing = most > 0 ? sqrt(4.0 * PI / (double)most) : 0.0;
  int32_t found = 0;
  for (int64_t i = 0; i < most && found < count; ++i) {
    CpsVec3 n = spiral(i, most);
    if (!on_scalp(scalp, n)) continue;
    double dx = 2.0 * cps_random_uniform(random) - 1.0, dy = 2.0 * cps_random_uniform(random) - 1.0,
           dz = 2.0 * cps_random_uniform(random) - 1.0;
    normals[found++] = cps_vec3_unit(cps_vec3_axpy(n, 0.5 * jitter * spacing, cps_vec3(dx, dy, dz)));
  }
  // too few points on the scalp: the remaining roots are placed at the top
  while (found < count) normals[found++] = cps_vec3(0.0, 0.0, 1.0);
}

static CpsVec3 along_surface(CpsVec3 v, CpsVec3 n) {
  return cps_vec3_axpy(v, -cps_vec3_dot(v, n), n);
}

CpsVec3 cps_scalp_direction(CpsVec3 normal, double lift, double parting) {
  double from_top = acos(fmin(1.0, fmax(-1.0, normal.z))) / 0.5;
  double push = (normal.x < 0.0 ? -1.0 : 1.0) * (parting * exp(-from_top * from_top) + 1e-3);
  CpsVec3 flow = along_surface(cps_vec3(push, 0.0, -1.0), normal);
  return cps_vec3_unit(cps_vec3_axpy(cps_vec3_scale(lift, normal), 1.0 - lift, cps_vec3_unit(flow)));
}

// Distance of x from the surface of a body, and the direction away from the body.
static double distance(const CpsRoundBody* body, CpsVec3 x, CpsVec3* away) {
  CpsVec3 axis = cps_vec3_sub(body->b, body->a), to = cps_vec3_sub(x, body->a);
  double square = cps_vec3_dot(axis, axis), t = square > 0.0 ? cps_vec3_dot(to, axis) / square : 0.0;
  CpsVec3 out = cps_vec3_axpy(to, -fmin(1.0, fmax(0.0, t)), axis);
  *away = cps_vec3_unit(out);
  return cps_vec3_norm(out) - body->radius;
}

// Changes the direction of a step that would come too near to a body: along its surface, and outwards by the missing distance.
static CpsVec3 lead_around(const CpsRoundBody* body, CpsVec3 x, CpsVec3 d, double step, double clearance) {
  CpsVec3 away;
  double lacks = clearance - distance(body, cps_vec3_axpy(x, step, d), &away);
  if (!(lacks > 0.0)) return d;
  CpsVec3 tangent = along_surface(d, away);
  // head on, there is no direction along the surface: use one towards the back of the head
  if (!(cps_vec3_norm(tangent) > 0.1)) tangent = along_surface(cps_vec3(d.x, d.y - 0.5, d.z), away);
  double out = fmin(0.7, lacks / step + fmin(0.0, cps_vec3_dot(d, away)));
  return cps_vec3_unit(cps_vec3_axpy(cps_vec3_unit(tangent), fmax(0.0, out), away));
}

// The same from farther away, so that a rod of few elements can follow: each step takes a part of the turn required
// by the body ahead.
static CpsVec3 look_ahead(const CpsComb* comb, const CpsRoundBody* body, CpsVec3 x, CpsVec3 d, double step) {
  CpsVec3 led = lead_around(body, x, d, comb->fall, comb->berth);
  return cps_vec3_unit(cps_vec3_axpy(d, fmin(1.0, 3.0 * step / comb->fall), cps_vec3_sub(led, d)));
}

enum { FINE = 8 };  // steps between points

// One step of a hair from x.
static CpsVec3 fall_step(const CpsComb* comb, CpsVec3 x, CpsVec3 d, double step, double clearance, bool alone) {
  double turn = 1.0 - exp(-step / comb->fall);
  d = cps_vec3_unit(cps_vec3_axpy(d, turn, cps_vec3_sub(cps_vec3(0.0, 0.0, -1.0), d)));
  for (int32_t k = 0; k < comb->body_count; ++k) {
    const CpsRoundBody* body = &comb->bodies[k];
    if (k == comb->head) {
      d = lead_around(body, x, d, step, clearance);
    } else if (!alone) {
      d = look_ahead(comb, body, x, d, step);
      d = lead_around(body, x, d, step, comb->berth);
    }
  }
  return d;
}

// The clearance at a part of the length, increasing from zero at the root.
static double clearance_at(const CpsComb* comb, double part) {
  return comb->clearance * fmin(1.0, 10.0 * part);
}

double cps_comb_reach(const CpsComb* comb, CpsVec3 root, CpsVec3 direction, double length) {
  enum { STEPS = 256 };
  static const double STEEP = -0.5;  // at more than 30 degrees to the surface
  double step = length / STEPS;
  CpsVec3 d = cps_vec3_unit(direction), x = root;
  for (int32_t i = 1; i <= STEPS; ++i) {
    d = fall_step(comb, x, d, step, clearance_at(comb, (double)i / STEPS), true);
    x = cps_vec3_axpy(x, step, d);
    for (int32_t k = 0; k < comb->body_count; ++k) {
      CpsVec3 away;
      if (k == comb->head || distance(&comb->bodies[k], x, &away) > comb->berth) continue;
      if (cps_vec3_dot(d, away) < STEEP) return length * (i - 1) / STEPS;
    }
  }
  return length;
}

void cps_comb(const CpsComb* comb, CpsVec3 root, CpsVec3 direction, double length, int32_t count, CpsVec3* points) {
  int32_t steps = FINE * (count - 1);
  double step = length / steps;
  CpsVec3 d = cps_vec3_unit(direction), x = root;
  points[0] = root;
  for (int32_t i = 1; i <= steps; ++i) {
    d = fall_step(comb, x, d, step, clearance_at(comb, (double)i / steps), false);
    x = cps_vec3_axpy(x, step, d);
    if (i % FINE == 0) points[i / FINE] = x;
  }
}

// The tangent of a polyline at point i.
static CpsVec3 tangent(const CpsVec3* path, int32_t count, int32_t i) {
  int32_t before = i > 0 ? i - 1 : 0, after = i + 1 < count ? i + 1 : i;
  return cps_vec3_unit(cps_vec3_sub(path[after], path[before]));
}

void cps_comb_beside(const CpsVec3* path, int32_t count, CpsVec3 across, CpsVec3 offset, CpsVec3* points) {
  for (int32_t i = 0; i < count; ++i) {
    // axes of the previous step, made orthogonal to the tangent: their rotation about it is of third order in the step
    CpsMat3 axes = cps_mat3_frame(tangent(path, count, i), across);
    across = cps_vec3(axes.m[3], axes.m[4], axes.m[5]);
    CpsVec3 moved = cps_mat3_apply_transposed(axes, cps_vec3(0.0, offset.y, offset.z));
    points[i] = cps_vec3_add(path[i], moved);
  }
}

static CpsVec3 path_direction(const CpsVec3* path, int32_t count, double from, double to) {
  double last = count - 1.0;
  int32_t a = (int32_t)floor(from * last), b = (int32_t)ceil(to * last);
  if (b > count - 1) b = count - 1;
  if (a > b - 1) a = b - 1;
  return cps_vec3_unit(cps_vec3_sub(path[b], path[a]));
}

void cps_comb_curl(const CpsVec3* path, int32_t count, double length, CpsVec3 natural, CpsVec3 outwards,
                   int32_t elements, CpsQuat* root, CpsVec3* curvature) {
  double rate = cps_vec3_norm(natural);
  // bending about the third axis turns the tangent towards the second: it points outwards, to the centre of the
  // winding, and the axis is in the plane of the first and the third
  CpsVec3 axis = path_direction(path, count, 0.0, 1.0 / elements);
  CpsMat3 frame = cps_mat3_frame(axis, outwards);
  CpsVec3 second = {frame.m[3], frame.m[4], frame.m[5]}, across = cps_vec3_cross(axis, second);
  double cosine = natural.x / rate, sine = natural.z / rate;
  CpsVec3 first = cps_vec3_axpy(cps_vec3_scale(cosine, axis), -sine, across);
  *root = cps_quat_of_axes(first, second, cps_vec3_cross(first, second));
  CpsQuat R = *root;
  for (int32_t i = 0; i < elements; ++i) {
    axis = path_direction(path, count, (double)i / elements, (i + 1.0) / elements);
    curvature[i] = cps_quat_rotate_back(R, cps_vec3_scale(rate, axis));
    R = cps_quat_multiply(R, cps_quat_exp(cps_vec3_scale(length / elements, curvature[i])));
  }
}
