// Impulses of contacts as arrows: a thin cone-shaped shaft and a head, from the point on a along the impulse on a. Where
// there is no impulse, a dot.
#include "core/vec3.h"
#include "render/colour.h"
#include "render/scene.h"

#define LONGEST 0.25     // relative to the size of the scene
#define THICKNESS 0.004  // radius of a shaft
#define HEAD 3.0         // radius of a head relative to the shaft
#define SHORTEST 2.0     // arrows shorter than this many shaft radii become dots

CpsFloat3 cps_render_status_colour(CpsContactStatus status) {
  return cps_colour_hex(status == CPS_CONTACT_STICK   ? CPS_PALETTE_STICK
                        : status == CPS_CONTACT_SLIDE ? CPS_PALETTE_SLIDE
                                                      : CPS_PALETTE_TAKE_OFF);
}

static void put_point(float* at, const CpsEye* eye, CpsVec3 p, double radius) {
  CpsFloat3 q = cps_eye_place(eye, p);
  at[0] = q.x;
  at[1] = q.y;
  at[2] = q.z;
  at[3] = (float)(radius / eye->unit);
}

// The vector of an arrow, m.
static CpsVec3 arrow_of(const CpsFrameContact* contact, const CpsRenderArrows* arrows) {
  CpsVec3 impulse = cps_vec3_scale(contact->impulse[0], contact->normal);
  impulse = cps_vec3_axpy(impulse, contact->impulse[1], contact->tangent1);
  impulse = cps_vec3_axpy(impulse, contact->impulse[2], contact->tangent2);
  CpsVec3 arrow = cps_vec3_scale(arrows->scale, impulse);
  double length = cps_vec3_norm(arrow), most = LONGEST * arrows->size;
  return length > most ? cps_vec3_scale(most / length, arrow) : arrow;
}

static void put_arrow(CpsRenderScene* scene, const CpsEye* eye, CpsVec3 foot, CpsVec3 arrow, double radius,
                      CpsFloat3 colour) {
  double length = cps_vec3_norm(arrow), head = fmin(3.0 * HEAD * radius, 0.6 * length);
  CpsVec3 tip = cps_vec3_add(foot, arrow), neck = cps_vec3_axpy(tip, -head / length, arrow);
  float* points = (float*)scene->arrow_points.items + 16 * scene->arrow_count;
  put_point(points, eye, foot, radius);
  put_point(points + 4, eye, neck, radius);
  put_point(points + 8, eye, neck, HEAD * radius);
  put_point(points + 12, eye, tip, 0.02 * radius);
  uint32_t* index = (uint32_t*)scene->arrow_index.items + 2 * scene->arrow_count;
  index[0] = (uint32_t)(4 * scene->arrow_count);
  index[1] = index[0] + 2;
  ((CpsFloat3*)scene->arrow_colour.items)[scene->arrow_count++] = colour;
}

bool cps_render_add_arrows(CpsRenderScene* scene, const CpsFrame* frame, const CpsEye* eye,
                           const CpsRenderArrows* arrows) {
  scene->arrow_count = scene->dot_count = 0;
  if (!arrows->shown) return true;
  int64_t room = frame->contact_count;
  if (!cps_room_reserve(&scene->arrow_points, 4 * room, 4 * sizeof(float)) ||
      !cps_room_reserve(&scene->arrow_index, 2 * room, sizeof(uint32_t)) ||
      !cps_room_reserve(&scene->arrow_colour, room, sizeof(CpsFloat3)) ||
      !cps_room_reserve(&scene->dot_points, room, 4 * sizeof(float)) ||
      !cps_room_reserve(&scene->dot_colour, room, sizeof(CpsFloat3))) {
    return false;
  }
  double radius = THICKNESS * arrows->size;
  for (int32_t i = 0; i < frame->contact_count; ++i) {
    const CpsFrameContact* contact = &frame->contacts[i];
    CpsVec3 arrow = arrow_of(contact, arrows);
    CpsFloat3 foot = cps_eye_place(eye, contact->side[0].point), colour = cps_render_status_colour(contact->status);
    double length = cps_vec3_norm(arrow);
    if (!cps_render_place_is_good(foot) || !isfinite(length)) continue;
    if (length > SHORTEST * radius) {
      put_arrow(scene, eye, contact->side[0].point, arrow, radius, colour);
    } else {
      put_point((float*)scene->dot_points.items + 4 * scene->dot_count, eye, contact->side[0].point, 1.5 * radius);
      ((CpsFloat3*)scene->dot_colour.items)[scene->dot_count++] = colour;
    }
  }
  return true;
}
