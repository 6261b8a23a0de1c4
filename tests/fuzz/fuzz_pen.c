// Curves as a pen draws them, of any points: a rod with finite numbers whose entry is a scene, or another status than CPS_OK with one line.
#include <capstan/scene.h>
#include <string.h>

#include "bytes.h"
#include "server/pen.h"

enum { MOST = 12 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  CpsVec3 points[MOST], at = {0.0, 0.0, 0.0};
  int32_t count = 2 + next_below(&bytes, MOST - 1);
  static const double SCALES[] = {0.02, 0.02, 0.02, 1e-6, 1e-12, 1.0, 1e3, 1e13};  // messages hold numbers up to 1e15
  double scale = SCALES[next_below(&bytes, 8)];
  for (int32_t i = 0; i < count; ++i) {  // steps from point to point, as a hand makes them
    points[i] = at;
    double x = next_number(&bytes), y = next_number(&bytes), z = next_number(&bytes);
    at = (CpsVec3){at.x + scale * x, at.y + scale * y, at.z + scale * z};
  }
  static const double STIFFNESS[] = {NAN, NAN, 1e6, 1e9, 1.0, 1e-9, 1e-15, 1e15};
  static const double GRAVITY[] = {9.81, 9.81, 0.0, -9.81, 1e-3, 1e3};
  CpsVec3 gravity = {0.0, 0.0, -GRAVITY[next_below(&bytes, 6)]};
  static CpsPenShape shape;
  CpsError error = {""};
  CpsStatus status = cps_pen_shape(points, count, STIFFNESS[next_below(&bytes, 8)], gravity, &shape, &error);
  if (status != CPS_OK) {  // a curve that cannot be inverted is none either
    CHECK(error.text[0] && !strchr(error.text, '\n'));
    return 0;
  }
  CHECK(shape.elements >= 1 && shape.elements <= CPS_PEN_ELEMENTS);
  CHECK(isfinite(shape.length) && isfinite(shape.radius) && shape.radius > 0.0 && shape.young > 0.0);
  for (int32_t i = 0; i <= shape.elements * CPS_PEN_PARTS; ++i) {
    CHECK(isfinite(shape.line[i].x) && isfinite(shape.line[i].y) && isfinite(shape.line[i].z));
  }
  CpsBuffer out = {0};
  cps_pen_entry(&out, "drawn", points, count, &shape);
  cps_buffer_free(&out);
  return 0;
}
