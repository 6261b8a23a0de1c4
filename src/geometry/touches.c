#include "geometry/touches.h"

static bool nearer(const CpsTouch* a, const CpsTouch* b) {
  return a->gap < b->gap || (a->gap == b->gap && a->feature < b->feature);
}

void cps_touches_add(CpsTouches* touches, const CpsTouch* touch) {
  if (!(touch->gap <= touches->margin)) return;
  int farthest = 0;
  for (int i = 0; i < touches->count; i++) {
    CpsTouch* old = &touches->out[i];
    const CpsVec3 d = cps_vec3_sub(old->point_b, touch->point_b);
    if (cps_vec3_dot(d, d) <= touches->same_place * touches->same_place &&
        cps_vec3_dot(old->normal, touch->normal) > 1.0 - 1e-6) {
      if (nearer(touch, old)) *old = *touch;
      return;
    }
    if (nearer(&touches->out[farthest], old)) farthest = i;
  }
  if (touches->count < CPS_TOUCH_MAX) {
    touches->out[touches->count++] = *touch;
  } else if (nearer(touch, &touches->out[farthest])) {
    touches->out[farthest] = *touch;
  }
}

// Position breaks ties of features, because it does not depend on the order of insertion.
static bool before(const CpsTouch* a, const CpsTouch* b) {
  if (a->feature != b->feature) return a->feature < b->feature;
  if (a->point_b.x != b->point_b.x) return a->point_b.x < b->point_b.x;
  if (a->point_b.y != b->point_b.y) return a->point_b.y < b->point_b.y;
  return a->point_b.z < b->point_b.z;
}

int cps_touches_finish(CpsTouches* touches, const CpsPose* pose) {
  CpsTouch* out = touches->out;
  for (int i = 1; i < touches->count; i++) {
    const CpsTouch moving = out[i];
    int k = i;
    for (; k > 0 && before(&moving, &out[k - 1]); k--) out[k] = out[k - 1];
    out[k] = moving;
  }
  for (int i = 1; i < touches->count; i++) {
    if (out[i].feature <= out[i - 1].feature) out[i].feature = out[i - 1].feature + 1;
  }
  for (int i = 0; i < touches->count && pose != NULL; i++) {
    out[i].point_a = cps_pose_apply(*pose, out[i].point_a);
    out[i].point_b = cps_pose_apply(*pose, out[i].point_b);
    out[i].normal = cps_quat_rotate(pose->rotation, out[i].normal);
  }
  return touches->count;
}
