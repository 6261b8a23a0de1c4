// Point clouds for drawing: a small disc at each point, as wide as the point spacing.
#include "geometry/points.h"
#include "geometry/triangles.h"

enum { CORNERS = 6 };
static const double WIDTH = 0.8;  // radius, in distances to the third neighbour

CpsStatus cps_points_triangles(CpsTriangleBuilder* b, const CpsShape* shape) {
  CpsPointCloud* cloud = NULL;
  const CpsStatus status = cps_points_create(shape, &cloud, NULL);
  for (int32_t i = 0; status == CPS_OK && i < cloud->field.count; ++i) {
    const CpsVec3 n = cloud->field.normal[i];
    const CpsMat3 frame = cps_mat3_frame(n, cps_vec3(0.0, 0.0, 1.0));
    const double r = WIDTH * cloud->spacing[i];
    int32_t corner[CORNERS];
    for (int k = 0; k < CORNERS; ++k) {
      const double angle = 2.0 * 3.14159265358979323846 * k / CORNERS;
      CpsVec3 x = cps_vec3_axpy(cloud->on[i], r * cos(angle), cps_vec3_get(frame.m + 3));
      x = cps_vec3_axpy(x, r * sin(angle), cps_vec3_get(frame.m + 6));
      corner[k] = cps_add_point(b, x, n);
    }
    for (int k = 1; k + 1 < CORNERS; ++k) cps_add_triangle(b, corner[0], corner[k], corner[k + 1]);
  }
  cps_points_destroy(cloud);
  return status;
}
