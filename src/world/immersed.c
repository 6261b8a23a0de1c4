// Lines inside a medium. A line thinner than a cell contains no nodes of the medium. It meets the medium at sample points, each
// of which represents a length l. At each point, a contact with the mean velocity of the surrounding nodes keeps the line from
// moving across the medium, and friction keeps it from sliding along it.
//
// The medium presses on the line from all sides with a pressure p on the circumference 2 pi a. This pressure moves nothing and is
// not part of the contact force. It enters as a cohesion of the contact (docs/theory/law.md), with p from the last step:
//
//   |r_T| <= mu (r_N + c),   c = h p 2 pi a l                                                                        (1)
//
// Pulling out a straight line therefore takes mu p 2 pi a per unit length, and lateral forces add friction. The contact normal
// points across the line, against the velocity of the medium. If the medium is at rest, any direction across the line will do.
#include "world/immersed.h"

#include "contact/chain.h"
#include "core/error.h"

#include <math.h>

static const double PART = 0.5;  // relative to a cell: the longest part of a line that one place represents
enum { PLACES_MOST = 64 };       // of a piece
static const uint64_t KEY = (uint64_t)CPS_KEY_SURFACE << 61 | ((UINT64_C(1) << 61) - 1);  // after the keys of all nodes

static int places_of(const CpsCollider* c, double cell) {
  const int count = (int)ceil(fmin(2.0 * c->geom->half_length / (PART * cell), PLACES_MOST));
  return count > 0 ? count : 1;
}

static bool is_line(const CpsStep* step, const CpsCollider* c) {
  return c->owner >= 0 && cps_is_line_piece(c) && !cps_member_is_large(step->world, c->owner);
}

// Finds the places of all lines in one medium; without `out`, only counts them.
static int32_t find(const CpsStep* step, int32_t member, CpsImmersed* out) {
  const CpsMember m = cps_world_member(step->world, member);
  const double cell = m.model->type->node_size(m.model, m.index);
  int32_t count = 0;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (!is_line(step, c)) continue;
    const int places = places_of(c, cell);
    for (int k = 0; k < places; ++k) {
      const double at = (k + 0.5) / places;
      CpsImmersed new = {.member = member, .other = i, .number = k};
      new.arc = c->arc[0] + at*(c->arc[1] - c->arc[0]);
      new.size = 2.0 * c->geom->half_length / places;
      new.along = cps_quat_rotate(c->pose.rotation, cps_vec3(0.0, 0.0, 1.0));
      new.place = cps_vec3_axpy(c->pose.position, (2.0 * at - 1.0) * c->geom->half_length, new.along);
      CpsPatchNode nodes[CPS_IMMERSED_MOST];
      double pressure;
      if (m.model->type->immerse(m.model, m.index, new.place, new.along, nodes, &pressure) == 0) continue;
      if (out) out[count] = new;
      ++count;
    }
  }
  return count;
}

// The same for all media; -1 if memory runs out.
static int32_t find_all(const CpsStep* step, CpsImmersed* out) {
  const int32_t members = cps_world_member_count(step->world);
  int32_t count = 0;
  for (int32_t i = 0; i < members; ++i) {
    const CpsMember m = cps_world_member(step->world, i);
    if (!m.model->type->immerse || !m.model->type->is_there(m.model, m.index)) continue;
    count += find(step, i, out ? out + count : NULL);
    const int32_t more = cps_immersed_surfaces(step, i, out ? out + count : NULL);
    if (more < 0) return -1;
    count += more;
  }
  return count;
}

// Surfaces cannot be in a plane medium.
static CpsStatus check_plane(const CpsStep* step) {
  const int32_t members = cps_world_member_count(step->world);
  for (int32_t i = 0; step->surface_count > 0 && i < members; ++i) {
    const CpsMember m = cps_world_member(step->world, i);
    if (!m.model->type->is_flat || !m.model->type->is_there(m.model, m.index) || !m.model->type->is_flat(m.model))
      continue;
    char name[CPS_MEMBER_TEXT];
    return cps_fail(step->error, CPS_UNSUPPORTED,
                    "%s is a surface, which can touch a granular medium only in space, and the grid has a plane",
                    cps_member_text(step->world, step->surfaces[0].owner, name));
  }
  return CPS_OK;
}

CpsStatus cps_step_find_immersed(CpsStep* step) {
  step->immersed = NULL;
  step->immersed_count = 0;
  const CpsStatus status = check_plane(step);
  if (status != CPS_OK) return status;
  step->immersed_count = find_all(step, NULL);
  if (step->immersed_count == 0) return CPS_OK;
  if (step->immersed_count > 0) step->immersed = CPS_TAKE(step->scratch, CpsImmersed, step->immersed_count);
  if (!step->immersed || find_all(step, step->immersed) < 0) {
    step->immersed_count = 0;
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  }
  return CPS_OK;
}

// Direction across the line, opposite to the velocity of the medium.
static CpsVec3 normal_of(const CpsStep* step, const CpsStepContact* t, CpsVec3 along) {
  const CpsVec3 v = cps_contact_velocity(step->world, t, CPS_VELOCITY_FREE);
  const CpsVec3 across = cps_vec3_axpy(v, -cps_vec3_dot(v, along), along);
  const double size = cps_vec3_norm(across), fall = step->model.h * cps_vec3_norm(step->model.gravity);
  if (size > step->model.tolerance * fall && size > 0.0) return cps_vec3_scale(-1.0 / size, across);
  const CpsMat3 frame = cps_mat3_frame(along, cps_vec3(0.0, 0.0, 1.0));
  return cps_vec3(frame.m[3], frame.m[4], frame.m[5]);
}

void cps_immersed_contact(const CpsStep* step, int32_t i, CpsPatchNode* nodes, CpsStepContact* t, CpsTrack* track) {
  const CpsImmersed* s = &step->immersed[i];
  if (s->on_surface) {
    cps_immersed_surface_contact(step, s, nodes, t, track);
    return;
  }
  const CpsMember m = cps_world_member(step->world, s->member);
  const CpsCollider* c = &step->colliders[s->other];
  double pressure = 0.0;
  const int count = m.model->type->immerse(m.model, m.index, s->place, s->along, nodes, &pressure);
  *t = (CpsStepContact){.a = s->member, .b = c->owner, .obstacle = -1, .soft = -1, .immersed = true};
  t->spot_a = (CpsSpot){.point = s->place, .piece = nodes[0].node, .patch_count = count, .patch = nodes};
  t->spot_b = (CpsSpot){.point = s->place, .arc = s->arc, .piece = cps_key_piece(c->key)};
  t->touch = (CpsTouch){.point_a = s->place, .point_b = s->place, .feature = (uint32_t)s->number};
  t->touch.normal = normal_of(step, t, s->along);
  t->cohesion = step->model.h * fmax(0.0, pressure) * 2.0 * acos(-1.0) * c->geom->radius * s->size;
  *track = (CpsTrack){.key_a = KEY, .key_b = c->key, .feature = t->touch.feature, .point = s->place};
}
