// Walls between the eye and what moves are left out: boxes among the obstacles that hide more than a quarter of it. From the
// eye e, a point p is hidden by a box if the segment e + t (p - e), 0 <= t <= 1, meets it, by its slabs:
//
//   t in the intersection of [ (-h_k - e_k) / d_k, (h_k - e_k) / d_k ],   k = 1, 2, 3, in the axes of the box           (1)
//
// Chosen once for all frames, so that nothing comes and goes in a film.
#include "core/quat.h"
#include "render/internal.h"

#define HIDES 0.25
#define MOST_POINTS 400

static bool meets_box(CpsPose pose, CpsVec3 size, CpsVec3 eye, CpsVec3 p) {
  CpsVec3 from = cps_pose_apply_back(pose, eye), to = cps_pose_apply_back(pose, p);
  const double e[3] = {from.x, from.y, from.z}, d[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
  const double half[3] = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
  double first = 0.0, last = 1.0;
  for (int k = 0; k < 3; ++k) {
    if (d[k] == 0.0) {
      if (fabs(e[k]) > half[k]) return false;
      continue;
    }
    double a = (-half[k] - e[k]) / d[k], b = (half[k] - e[k]) / d[k];
    first = fmax(first, fmin(a, b));
    last = fmin(last, fmax(a, b));
  }
  return first <= last;
}

// Share of the moving objects that a box hides in the current frame.
static double hidden_share(const CpsRender* render, CpsPose pose, CpsVec3 size) {
  const CpsThings* things = render->things;
  const CpsFrame* frame = cps_show_frame(render->show);
  int64_t bodies = things->body_count, points = things->point_count, vertices = things->vertex_count, seen = 0,
          hidden = 0;
  int64_t all = bodies + points + vertices, stride = all / MOST_POINTS + 1;
  for (int64_t k = 0; k < all; k += stride, ++seen) {
    CpsVec3 p = k < bodies            ? frame->bodies[k].position
                : k < bodies + points ? frame->points[k - bodies]
                                      : frame->vertices[k - bodies - points];
    hidden += meets_box(pose, size, render->camera.eye, p);
  }
  return seen > 0 ? (double)hidden / (double)seen : 0.0;
}

void cps_render_cut_away(CpsRender* render) {
  for (int32_t i = 0; i < render->things->part_count; ++i) {
    const CpsResultPart* part = &render->things->parts[i];
    if (!part->is_obstacle || part->shape.kind != CPS_SHAPE_BOX) continue;
    CpsPose pose = cps_render_part_pose(render->things, cps_show_frame(render->show), i);
    render->scene.parts[i].cut = hidden_share(render, pose, part->shape.size) > HIDES;
  }
}
