// Dispatches pairs by the kind of the second shape, and by the first if both are convex.
#include "geometry/collide.h"

#include "geometry/pairs.h"

void cps_place(const CpsGeom* geom, const CpsPose* pose, CpsConvex* out) {
  out->geom = geom;
  out->pose = *pose;
  // a sphere needs no orientation
  out->rotation = geom->kind == CPS_SHAPE_SPHERE ? cps_mat3_identity() : cps_quat_matrix(pose->rotation);
}

static bool is_round(const CpsGeom* geom) {
  return geom->kind == CPS_SHAPE_SPHERE || geom->kind == CPS_SHAPE_CAPSULE;
}

static int dispatch(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  if (b->geom->kind == CPS_SHAPE_POINTS) return cps_points_collide(b, a, false, margin, out);
  if (a->geom->kind == CPS_SHAPE_POINTS) return cps_points_collide(a, b, true, margin, out);
  switch (b->geom->kind) {
    case CPS_SHAPE_PLANE:
      return cps_plane_collide(a, b, margin, out);
    case CPS_SHAPE_MESH:
      return cps_mesh_collide(a, b, margin, out);
    case CPS_SHAPE_TUBE:
      return cps_tube_collide(a, b, margin, out);
    default:
      break;
  }
  if (is_round(a->geom) && is_round(b->geom)) return cps_round_collide(a, b, margin, out);
  return cps_convex_collide(a, b, margin, out);
}

// A gap recomputed after the choice of points may differ in the last bit: points then beyond the margin are removed.
int cps_collide_placed(const CpsConvex* a, const CpsConvex* b, double margin, CpsTouch* out) {
  int found = dispatch(a, b, margin, out), count = 0;
  for (int i = 0; i < found; ++i) {
    if (!(out[i].gap <= margin)) continue;
    if (count != i) out[count] = out[i];
    count++;
  }
  return count;
}

int cps_collide(const CpsGeom* a, const CpsPose* pose_a, const CpsGeom* b, const CpsPose* pose_b, double margin,
                CpsTouch* out) {
  CpsConvex placed_a, placed_b;
  cps_place(a, pose_a, &placed_a);
  cps_place(b, pose_b, &placed_b);
  return cps_collide_placed(&placed_a, &placed_b, margin, out);
}
