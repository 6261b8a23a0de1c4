// Overlapping parts of a compound: their masses add up, so the mass of the overlap counts twice.
#include "capstan/shape.h"
#include "core/error.h"
#include "geometry/collide.h"
#include "geometry/pieces.h"

#include <math.h>

static double depth_of(const CpsPiece* a, const CpsPiece* b) {
  CpsTouch touches[CPS_TOUCH_MAX];
  int count = cps_collide(a->geom, &a->pose, b->geom, &b->pose, 0.0, touches);
  double depth = 0.0;
  for (int i = 0; i < count; ++i) depth = fmax(depth, -touches[i].gap);
  return depth;
}

CpsStatus cps_compound_overlap(const CpsShape* shape, CpsPartOverlap* overlap, CpsError* error) {
  if (!shape || !overlap) return cps_fail(error, CPS_BAD_ARGUMENT, "%s is NULL", shape ? "overlap" : "shape");
  const CpsPose own = {{0.0, 0.0, 0.0}, cps_quat_identity()};
  CpsPartOverlap most = {.radius = 1.0};
  CpsPieces pieces = {0};
  if (shape->kind == CPS_SHAPE_COMPOUND) {
    CpsStatus status = cps_pieces_create(shape, &own, &pieces, error);
    if (status != CPS_OK) return status;
  }
  for (int32_t i = 0; i < pieces.count; ++i) {
    for (int32_t k = i + 1; k < pieces.count; ++k) {
      double radius = fmin(pieces.piece[i].geom->inner_radius, pieces.piece[k].geom->inner_radius);
      double depth = depth_of(&pieces.piece[i], &pieces.piece[k]);
      if (depth * most.radius > most.depth * radius) most = (CpsPartOverlap){i, k, depth, radius};
    }
  }
  cps_pieces_free(&pieces);
  *overlap = most;
  return cps_succeed(error);
}
