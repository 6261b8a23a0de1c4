// How deep smooth surfaces are in what they touch. A smooth surface bulges beyond its mesh at sharp edges, by up to a quarter of an element, so
// that what is placed by its mesh may start inside something. It is pushed out slowly then, which costs speed (large_push.c), and must be told.
//
// The depth is compared with the thickness of the surface or, if that is less, with a part of the reach: deeper than that, samples of the
// other side count as well.
#include "world/world.h"

#include <math.h>

static const double DEEP = 0.25;  // relative to the reach
enum { ROUND = 16 };  // kinds from here on are touches met during motion: their gap is not the gap of positions

CpsStatus cps_step_look_smooth(CpsStep* step) {
  const double h = step->model.h;
  step->model.h = 0.0;
  const CpsStatus status = cps_step_find_smooth(step);
  step->model.h = h;
  return status;
}

bool cps_smooth_overlap(const CpsStep* step, const CpsSmoothTouch* touch, CpsOverlap* out) {
  if (!(touch->gap < 0.0) || touch->kind >= ROUND || touch->other == touch->surface) return false;
  const CpsWorld* world = step->world;
  const CpsSmoothMesh* mesh = &step->smooth[touch->surface];
  const CpsCollider* c = touch->collider >= 0 ? &step->colliders[touch->collider] : NULL;
  const CpsSpot own = {.point = touch->place};
  const CpsSpot other = {.point = touch->place, .piece = c ? cps_key_piece(c->key) : touch->node};
  const int32_t member = c ? c->owner : step->smooth[touch->other].owner;
  *out =
      (CpsOverlap){.point = touch->place, .depth = -touch->gap, .radius = fmax(mesh->half, DEEP * mesh->smooth.reach)};
  out->side[0] = cps_side_of(world, mesh->owner, -1, &own, touch->place, false);
  out->side[1] = cps_side_of(world, member, member < 0 ? cps_key_place(c->key) : -1, &other, touch->place, false);
  return true;
}
