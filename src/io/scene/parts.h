// The shapes of a scene as results and frames hold them: a union of parts. A compound has several, every other shape one;
// the parts of all bodies come first, then those of all obstacles.
#ifndef CAPSTAN_IO_SCENE_PARTS_H
#define CAPSTAN_IO_SCENE_PARTS_H

#include "capstan/result.h"

// Parts of one shape.
int32_t cps_shape_part_count(const CpsShape* shape);
// Part i of a shape, with the fields alone that its kind has; its arrays stay those of the shape.
CpsShape cps_shape_part(const CpsShape* shape, int32_t i, CpsPose* pose);
// The shape of a body, or of an obstacle for owners from `bodies` on.
CpsShape cps_scene_owner_shape(const CpsScene* scene, int32_t owner, int32_t bodies);

#endif
