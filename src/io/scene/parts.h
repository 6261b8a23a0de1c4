// The shapes of a scene as results and frames store them: each is a union of parts. A compound has several parts, any other shape
// has one. The parts of all bodies come first, then the parts of all obstacles.
#ifndef CAPSTAN_IO_SCENE_PARTS_H
#define CAPSTAN_IO_SCENE_PARTS_H

#include "capstan/result.h"

// Parts of one shape.
int32_t cps_shape_part_count(const CpsShape* shape);
// Part i of a shape, with only the fields of its kind set; its arrays still belong to the shape.
CpsShape cps_shape_part(const CpsShape* shape, int32_t i, CpsPose* pose);
// The shape of a body, or of an obstacle for owners from `bodies` on.
CpsShape cps_scene_owner_shape(const CpsScene* scene, int32_t owner, int32_t bodies);

#endif
