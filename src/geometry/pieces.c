// Decomposes shapes; see pieces.h.
#include "geometry/pieces.h"

#include "core/error.h"

#include <stdlib.h>

static CpsPose part_pose(const CpsShape* shape, int32_t i) {
  if (shape->kind != CPS_SHAPE_COMPOUND) return (CpsPose){{0.0, 0.0, 0.0}, cps_quat_identity()};
  const CpsPose* pose = &shape->parts[i].pose;
  return (CpsPose){pose->position, cps_quat_unit(pose->rotation)};
}

CpsStatus cps_pieces_create(const CpsShape* shape, const CpsPose* frame, CpsPieces* pieces, CpsError* error) {
  bool compound = shape->kind == CPS_SHAPE_COMPOUND;
  int32_t count = compound ? shape->part_count : 1;
  *pieces = (CpsPieces){0, calloc((size_t)count, sizeof *pieces->piece)};
  if (!pieces->piece) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a shape");
  for (int32_t i = 0; i < count; ++i) {
    CpsPiece* piece = &pieces->piece[i];
    CpsStatus status = cps_geom_create(compound ? &shape->parts[i].shape : shape, &piece->geom, error);
    if (status != CPS_OK) {
      cps_pieces_free(pieces);
      return status;
    }
    piece->pose = cps_pose_multiply(*frame, part_pose(shape, i));
    pieces->count = i + 1;
  }
  return CPS_OK;
}

void cps_pieces_free(CpsPieces* pieces) {
  for (int32_t i = 0; i < pieces->count; ++i) cps_geom_destroy(pieces->piece[i].geom);
  free(pieces->piece);
  *pieces = (CpsPieces){0};
}
