// Point clouds near a sphere, with points that are moved, turned, doubled or missing: refused in words, or a surface whose moments and
// touches are numbers.
#include <string.h>

#include "bytes.h"
#include "geometry/collide.h"
#include "geometry/points.h"

enum { MOST = 160, MARGIN_PARTS = 10 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  static CpsVec3 points[MOST], normals[MOST];
  int32_t count = 20 + next_below(&bytes, MOST - 19);
  double radius = 0.5 * next_scale(&bytes);
  for (int32_t i = 0; i < count; ++i) {  // a spiral from pole to pole
    double z = 1.0 - (2.0 * i + 1.0) / count, r = sqrt(1.0 - z * z), angle = 2.399963 * i;
    normals[i] = (CpsVec3){r * cos(angle), r * sin(angle), z};
    points[i] = (CpsVec3){radius * normals[i].x, radius * normals[i].y, radius * normals[i].z};
  }
  while (bytes.left > 4) {
    int32_t i = next_byte(&bytes) % count, kind = next_below(&bytes, 8);
    double amount = next_number(&bytes) * next_scale(&bytes);
    if (kind == 0) points[i] = points[(i + 1) % count];
    if (kind == 1) normals[i] = (CpsVec3){-normals[i].x, -normals[i].y, -normals[i].z};
    if (kind == 2) normals[i] = (CpsVec3){0.0, 0.0, 0.0};
    if (kind == 3) points[i].x = amount;
    if (kind == 4) normals[i].y = amount;
    if (kind == 5) points[i].z += 0.1 * radius * amount;
    if (kind == 6) points[i].z = NAN;
    if (kind == 7 && count > 20) count--;
  }
  CpsShape cloud = cps_points(points, normals, count, next_below(&bytes, 3) ? 0.0 : fabs(radius) * next_number(&bytes));
  cloud.kernel = (CpsKernel)next_below(&bytes, CPS_KERNEL_COUNT);
  CpsGeom *surface = NULL, *ball = NULL;
  CpsError error = {""};
  CpsStatus status = cps_geom_create(&cloud, &surface, &error);
  if (status != CPS_OK) {
    CHECK(status < 0 && error.text[0] && !strchr(error.text, '\n'));
    return 0;
  }
  CpsShape sphere = cps_sphere(fabs(radius) * 0.3 + 1e-300);
  if (cps_geom_create(&sphere, &ball, NULL) == CPS_OK) {
    CpsTouch touch[CPS_TOUCH_MAX];
    CpsPose here = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, there = {{0.0, 0.0, 1.2 * radius}, {1.0, 0.0, 0.0, 0.0}};
    int found = cps_collide(ball, &there, surface, &here, fabs(radius) / MARGIN_PARTS, touch);
    CHECK(found >= 0 && found <= CPS_TOUCH_MAX);
    for (int k = 0; k < found; ++k) CHECK(isfinite(touch[k].gap));
  }
  cps_geom_destroy(ball);
  cps_geom_destroy(surface);
  return 0;
}
