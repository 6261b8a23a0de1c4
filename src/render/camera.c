// A fitted camera. Seen along `back`, with half angles of view a (across) and b (upwards), all of a set of points p is seen
// from the apex e if p - e lies inside the four sides of the pyramid, whose outward normals are
//
//   n = (+-cos a, 0, sin a)  and  (0, +-cos b, sin b)   in the axes (right, up, back):   n . p <= n . e           (1)
//
// so that only the four largest values of n . p count. The two sides across fix e_right and the least e_back, the other two
// e_up and another e_back; the larger one is taken. A ball adds its radius to each. That leaves room on two sides, and the
// eye is moved there until what is shown lies in the middle of the picture: of a few balls, the farthest in directions all
// around, the slopes (p_up - e_up) / (e_back - p_back) are made equal above and below.
#include "render/camera.h"

#include "core/error.h"
#include "core/vec3.h"

#define DEGREE (3.14159265358979323846 / 180.0)

static CpsFloat3 single(CpsVec3 a) {
  return cps_float3((float)a.x, (float)a.y, (float)a.z);
}

// Axes of a camera that looks against `back`. Chooses another `up` if the given one is parallel to the view.
static void make_axes(CpsVec3 view, CpsVec3 wanted, CpsVec3* right, CpsVec3* up, CpsVec3* back) {
  *back = cps_vec3_unit(view);
  CpsVec3 across = cps_vec3_cross(wanted, *back);
  if (!(cps_vec3_norm(across) > 1e-6 * cps_vec3_norm(wanted))) across = cps_vec3_cross(cps_vec3(0.0, 1.0, 0.0), *back);
  if (!(cps_vec3_norm(across) > 1e-6)) across = cps_vec3(1.0, 0.0, 0.0);
  *right = cps_vec3_unit(across);
  *up = cps_vec3_cross(*back, *right);
}

CpsStatus cps_eye_make(const CpsCamera* camera, int32_t width, int32_t height, CpsEye* eye, CpsError* error) {
  CpsVec3 view = cps_vec3_sub(camera->eye, camera->target);
  double distance = cps_vec3_norm(view);
  if (!cps_vec3_is_finite(camera->eye) || !cps_vec3_is_finite(camera->target) || !cps_vec3_is_finite(camera->up)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "camera: eye, target and up must be finite");
  }
  if (!(distance > 0.0) || !isfinite(distance)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "camera: eye and target are the same point");
  }
  if (!(cps_vec3_norm(camera->up) > 0.0)) return cps_fail(error, CPS_BAD_ARGUMENT, "camera.up: must not be zero");
  if (!(camera->fov >= 1.0 && camera->fov <= 150.0)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "camera.fov: %g is not between 1 and 150 degrees", camera->fov);
  }
  CpsVec3 right, up, back;
  make_axes(view, camera->up, &right, &up, &back);
  double slope = tan(0.5 * DEGREE * camera->fov);
  *eye = (CpsEye){
      .origin = camera->target,
      .unit = distance,
      .eye = single(back),
      .right = single(right),
      .up = single(up),
      .back = single(back),
      .slope_x = (float)(slope * width / height),
      .slope_y = (float)slope,
      .pixel = (float)(2.0 * slope / height),
  };
  return CPS_OK;
}

CpsFloat3 cps_eye_direction(const CpsEye* eye, int32_t width, int32_t height, float x, float y) {
  float a = (2.0f * x / (float)width - 1.0f) * eye->slope_x, b = (1.0f - 2.0f * y / (float)height) * eye->slope_y;
  CpsFloat3 d = cps_float3_axpy(cps_float3_scale(a, eye->right), b, eye->up);
  return cps_float3_unit(cps_float3_sub(d, eye->back));
}

void cps_eye_through_lens(const CpsEye* eye, float lens, float u, float v, CpsFloat3* origin, CpsFloat3* direction) {
  float radius = 0.5f * lens * sqrtf(u), angle = 6.2831853f * v;
  float reach = -1.0f / cps_float3_dot(*direction, eye->back);  // to the plane at distance 1
  CpsFloat3 sharp = cps_float3_axpy(*origin, reach, *direction);
  *origin = cps_float3_axpy(*origin, radius * cosf(angle), eye->right);
  *origin = cps_float3_axpy(*origin, radius * sinf(angle), eye->up);
  *direction = cps_float3_unit(cps_float3_sub(sharp, *origin));
}

CpsFit cps_fit_begin(CpsVec3 view, CpsVec3 up, double fov, double aspect, double margin) {
  CpsFit fit = {.fov = fov,
                .left = -INFINITY,
                .rightmost = -INFINITY,
                .below = -INFINITY,
                .above = -INFINITY,
                .nearest = -INFINITY,
                .farthest = -INFINITY};
  make_axes(view, up, &fit.right, &fit.up, &fit.back);
  for (int k = 0; k < CPS_FIT_DIRECTIONS; ++k) {
    double angle = 360.0 * DEGREE * k / CPS_FIT_DIRECTIONS;
    fit.way[k][0] = cos(angle);
    fit.way[k][1] = sin(angle);
    fit.ball[0][k][0] = fit.ball[1][k][0] = -INFINITY;
  }
  double slope = tan(0.5 * DEGREE * fov) / (1.0 + margin), a = atan(aspect * slope), b = atan(slope);
  fit.cos_x = cos(a);
  fit.sin_x = sin(a);
  fit.cos_y = cos(b);
  fit.sin_y = sin(b);
  return fit;
}

// Keeps the farthest ball in each direction.
static void add_to_plane(double way[][2], double ball[][4], double across, double depth, double radius) {
  for (int k = 0; k < CPS_FIT_DIRECTIONS; ++k) {
    double support = way[k][0] * across + way[k][1] * depth + radius;
    if (!(support > ball[k][0])) continue;
    ball[k][0] = support;
    ball[k][1] = across;
    ball[k][2] = depth;
    ball[k][3] = radius;
  }
}

void cps_fit_add(CpsFit* fit, CpsVec3 centre, double radius) {
  if (!cps_vec3_is_finite(centre) || !isfinite(radius)) return;
  double x = cps_vec3_dot(fit->right, centre), y = cps_vec3_dot(fit->up, centre), z = cps_vec3_dot(fit->back, centre);
  fit->left = fmax(fit->left, -fit->cos_x * x + fit->sin_x * z + radius);
  fit->rightmost = fmax(fit->rightmost, fit->cos_x * x + fit->sin_x * z + radius);
  fit->below = fmax(fit->below, -fit->cos_y * y + fit->sin_y * z + radius);
  fit->above = fmax(fit->above, fit->cos_y * y + fit->sin_y * z + radius);
  fit->nearest = fmax(fit->nearest, z + radius);
  fit->farthest = fmax(fit->farthest, -(z - radius));
  add_to_plane(fit->way, fit->ball[0], x, z, radius);
  add_to_plane(fit->way, fit->ball[1], y, z, radius);
}

// Half the difference between the slopes to the two sides, seen from `at` along an axis and `eye` along the view.
static double imbalance(const double ball[][4], double at, double eye) {
  double above = -INFINITY, below = -INFINITY;
  for (int k = 0; k < CPS_FIT_DIRECTIONS; ++k) {
    double depth = eye - ball[k][2], across = ball[k][1] - at;
    // the silhouette of a ball whose radius is small compared with its distance
    above = fmax(above, (across + ball[k][3]) / depth);
    below = fmax(below, (-across + ball[k][3]) / depth);
  }
  return 0.5 * (above - below);
}

// The position along an axis at which both sides have the same margin; the slope below grows with `at`.
static double centre(const double ball[][4], double eye) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < CPS_FIT_DIRECTIONS; ++k) {
    low = fmin(low, ball[k][1] - ball[k][3]);
    high = fmax(high, ball[k][1] + ball[k][3]);
  }
  for (int k = 0; k < 60; ++k) {
    double middle = 0.5 * (low + high);
    if (imbalance(ball, middle, eye) > 0.0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return 0.5 * (low + high);
}

CpsCamera cps_fit_end(const CpsFit* fit) {
  CpsCamera camera = {.up = fit->up, .fov = fit->fov};
  double x = 0.0, y = 0.0, eye = 1.0, target = 0.0;
  if (isfinite(fit->nearest)) {
    eye = fmax(0.5 * (fit->rightmost + fit->left) / fit->sin_x, 0.5 * (fit->above + fit->below) / fit->sin_y);
    target = 0.5 * (fit->nearest - fit->farthest);
    if (!(eye - target > 1e-12 * fabs(target))) eye = target + 1.0;  // a single point
    x = centre(fit->ball[0], eye);
    y = centre(fit->ball[1], eye);
  }
  CpsVec3 base = cps_vec3_axpy(cps_vec3_scale(x, fit->right), y, fit->up);
  camera.target = cps_vec3_axpy(base, target, fit->back);
  camera.eye = cps_vec3_axpy(base, eye, fit->back);
  return camera;
}
