// Step 2, smooth surfaces: what they touch, and how contacts see them by their nodes (contact/smooth.h, geometry/field.h).
//
// Shapes touch the surface itself; nodes of other surfaces touch its field, where the impulse acts on both sides
// at the node. So do its own nodes, with the samples that are far from them along the surface (cps_field_for).
#include "world/world.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

// After the places of all surfaces (surfaces.c), and the piece of a field as a whole.
enum { SMOOTH_PLACES = 1 << 26, WHOLE = (1 << 22) - 1 };
static const double SKIN = 0.1;  // relative to the radius: a nearer touch is a contact even if nothing moves

int32_t cps_step_list_smooth(const CpsStep* step, bool free, CpsSmoothMesh* out) {
  const CpsWorld* world = step->world;
  int32_t count = 0, first = 0;
  for (int i = 0; i < world->population_count; first += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; model->type->smooth_mesh && k < model->count; ++k) {
      CpsSmoothMesh mesh;
      if (!model->type->smooth_mesh(model, &step->model, k, free, &mesh)) continue;
      mesh.owner = first + k;
      if (out) out[count] = mesh;
      ++count;
    }
  }
  return count;
}

bool cps_smooth_field(const CpsStep* step, const CpsSmoothMesh* mesh, CpsField* field) {
  CpsVec3* point = CPS_TAKE(step->scratch, CpsVec3, mesh->triangle_count);
  CpsVec3* normal = CPS_TAKE(step->scratch, CpsVec3, mesh->triangle_count);
  if (!point || !normal) return false;
  cps_field_sample(mesh->triangle, mesh->triangle_count, mesh->x, point, normal);
  *field = (CpsField){.kernel = mesh->smooth.kernel,
                      .reach = mesh->smooth.reach,
                      .count = mesh->triangle_count,
                      .point = point,
                      .normal = normal};
  return cps_field_build(field, step->scratch);
}

CpsField cps_smooth_own_field(const CpsSmoothMesh* mesh, const CpsField* field, int32_t node) {
  CpsVec3 facing = {0.0, 0.0, 0.0};
  for (int64_t i = mesh->around_start[node]; i < mesh->around_start[node + 1]; ++i)
    facing = cps_vec3_add(facing, field->normal[mesh->around[i]]);
  return cps_field_for(field, mesh->rest_middle, mesh->rest[node], facing);
}

static uint64_t key_of(const CpsStep* step, int32_t surface, int32_t piece) {
  CpsMember m = cps_world_member(step->world, step->smooth[surface].owner);
  return cps_key(CPS_KEY_SURFACE, SMOOTH_PLACES + m.index, m.model->type->generation(m.model, m.index), piece);
}

static bool find_colliders(const CpsStep* step, int32_t k, CpsSmoothList* list) {
  const CpsSmoothMesh* mesh = &step->smooth[k];
  const double skin = SKIN * mesh->half;
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    if (c->owner == mesh->owner || (c->group > 0 && c->group == mesh->group)) continue;
    const CpsSmoothTouch model = {.surface = k, .collider = i, .other = -1};
    const CpsSmoothPoint point = {c->pose.position, c->way, c->geom->radius};
    if (step->world->tie_there > 0 && cps_pair_is_tied(step, mesh->owner, c, NULL)) continue;
    if (c->node ? !cps_smooth_point(mesh, &step->fields[k], &point, skin, &model, list)
                : !cps_smooth_shape(mesh, &step->fields[k], c, step->model.h, skin, &model, list)) {
      return false;
    }
  }
  return true;
}

// Touches of vertices of other smooth surfaces, and of its own.
static bool find_others(const CpsStep* step, int32_t k, CpsSmoothList* list) {
  const CpsSmoothMesh* mesh = &step->smooth[k];
  const double skin = SKIN * mesh->half;
  for (int32_t j = 0; j < step->smooth_count; ++j) {
    const CpsSmoothMesh* b = &step->smooth[j];
    if (j == k ? !mesh->rest : b->group > 0 && b->group == mesh->group) continue;
    for (int32_t i = 0; i < b->skin_count; ++i) {
      const int32_t node = b->skin[i];
      const CpsSmoothTouch model = {.surface = k, .node = node, .collider = -1, .other = j};
      const CpsSmoothPoint point = {b->x[node], cps_vec3_sub(b->end[node], b->x[node]), b->half};
      const CpsField own = j == k ? cps_smooth_own_field(mesh, &step->fields[k], node) : step->fields[k];
      if (!cps_smooth_point(mesh, &own, &point, skin, &model, list)) return false;
    }
  }
  return true;
}

// Whether the field still exists where an earlier attempt found a touch: nodes may have been pushed since.
static bool has_field(const CpsStep* step, const CpsSmoothTouch* touch) {
  const CpsField* all = &step->fields[touch->surface];
  const bool own = touch->other == touch->surface;
  const CpsField field = own ? cps_smooth_own_field(&step->smooth[touch->surface], all, touch->node) : *all;
  CpsFieldAt at;
  return cps_field_at(&field, touch->place, &at);
}

static int compare(const void* first, const void* second) {
  const CpsSmoothTouch *a = first, *b = second;
  if (a->key_a != b->key_a) return a->key_a < b->key_a ? -1 : 1;
  if (a->key_b != b->key_b) return a->key_b < b->key_b ? -1 : 1;
  return a->kind < b->kind ? -1 : a->kind > b->kind;
}

CpsStatus cps_step_find_smooth(CpsStep* step) {
  step->smooth_touch_count = 0;
  step->smooth_count = cps_step_list_smooth(step, true, NULL);
  if (step->smooth_count == 0) return CPS_OK;
  step->smooth = CPS_TAKE(step->scratch, CpsSmoothMesh, step->smooth_count);
  step->fields = CPS_TAKE(step->scratch, CpsField, step->smooth_count);
  CpsSmoothList list = {.arena = step->scratch};
  bool done = step->smooth && step->fields;
  if (done) cps_step_list_smooth(step, true, step->smooth);
  for (int32_t k = 0; done && k < step->smooth_count; ++k)
    done = cps_smooth_field(step, &step->smooth[k], &step->fields[k]);
  for (int32_t k = 0; done && k < step->smooth_count; ++k) {
    done = find_colliders(step, k, &list) && find_others(step, k, &list);
  }
  for (int32_t i = 0; done && i < step->smooth_met_count; ++i) {
    if (has_field(step, &step->smooth_met[i])) done = cps_smooth_put(&list, &step->smooth_met[i]);
  }
  if (!done) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  for (int64_t i = 0; i < list.count; ++i) {
    CpsSmoothTouch* t = &list.touch[i];
    t->key_a = key_of(step, t->surface, cps_smooth_kind(t) == CPS_SMOOTH_FIELD ? WHOLE : t->node);
    t->key_b = t->collider >= 0 ? step->colliders[t->collider].key : key_of(step, t->other, t->node);
  }
  if (list.count > 0) qsort(list.touch, (size_t)list.count, sizeof *list.touch, compare);
  step->smooth_touch = list.touch;
  step->smooth_touch_count = (int32_t)list.count;
  return CPS_OK;
}

// Sets the side of the smooth surface, in memory that lasts as long as the contact; false if memory runs out.
// `at_point`: the point that touches it, NULL for a shape. If the field exists at that point, both sides receive
// their impulse there and the moments are opposite.
static bool lay_surface(CpsStep* step, const CpsSmoothTouch* touch, const CpsVec3* at_point, CpsSpot* spot) {
  const CpsSmoothMesh* mesh = &step->smooth[touch->surface];
  const CpsField all = step->fields[touch->surface],
                 field = touch->other == touch->surface ? cps_smooth_own_field(mesh, &all, touch->node) : all;
  CpsFieldNode found[CPS_FIELD_NODES];
  CpsFieldAt at;
  CpsVec3 place = at_point ? *at_point : touch->place;
  if (!cps_field_at(&field, place, &at)) {
    place = touch->place;
    if (!cps_field_at(&field, place, &at)) return false;  // it existed when the touch was found
  }
  const int32_t count = cps_field_patch(&field, &at, place, mesh->triangle, mesh->x, mesh->smooth.transport, found);
  CpsPatchNode* nodes = CPS_TAKE(&step->world->touches, CpsPatchNode, count);
  if (!nodes) return false;
  int32_t most = 0;
  for (int32_t i = 0; i < count; ++i) {
    nodes[i] = (CpsPatchNode){found[i].node, found[i].weight, found[i].share};
    if (found[i].share > found[most].share) most = i;
  }
  *spot = (CpsSpot){.point = place, .piece = found[most].node, .patch_count = count, .patch = nodes};
  return true;
}

static bool lay_node(CpsStep* step, int32_t node, CpsVec3 x, CpsSpot* spot) {
  CpsPatchNode* nodes = CPS_TAKE(&step->world->touches, CpsPatchNode, 1);
  if (!nodes) return false;
  *nodes = (CpsPatchNode){node, cps_mat3_identity(), 1.0};
  *spot = (CpsSpot){.point = x, .piece = node, .patch_count = 1, .patch = nodes};
  return true;
}

bool cps_smooth_contact(CpsStep* step, const CpsSmoothTouch* touch, CpsStepContact* t, CpsTrack* track) {
  const int32_t owner = step->smooth[touch->surface].owner;
  const CpsCollider* c = touch->collider >= 0 ? &step->colliders[touch->collider] : NULL;
  *t = (CpsStepContact){.a = owner, .b = -1, .obstacle = -1, .soft = -1};
  t->touch = (CpsTouch){.normal = touch->normal, .gap = touch->gap, .feature = (uint32_t)touch->kind};
  t->touch.point_a = touch->place;
  t->touch.point_b = cps_vec3_axpy(touch->place, -touch->gap, touch->normal);
  *track = (CpsTrack){.key_a = touch->key_a, .key_b = touch->key_b, .feature = t->touch.feature, .point = touch->place};
  if (cps_smooth_kind(touch) == CPS_SMOOTH_FIELD) {
    t->a = c ? c->owner : step->smooth[touch->other].owner;
    t->b = owner;
    const int32_t node = c ? cps_key_piece(c->key) : touch->node;
    const CpsVec3 x = c ? c->pose.position : step->smooth[touch->other].x[node];
    return lay_node(step, node, x, &t->spot_a) && lay_surface(step, touch, &x, &t->spot_b);
  }
  t->b = c->owner;
  if (c->owner < 0) t->obstacle = cps_key_place(c->key);
  t->spot_b = (CpsSpot){.point = touch->place, .piece = cps_key_piece(c->key)};
  if (c->arc[1] > c->arc[0]) {
    const CpsVec3 own = cps_pose_apply_back(c->pose, touch->place);
    const double z = c->geom->half_length > 0.0 ? 0.5 + 0.5 * own.z / c->geom->half_length : 0.5;
    t->spot_b.arc = c->arc[0] + (z < 0.0 ? 0.0 : z > 1.0 ? 1.0 : z) * (c->arc[1] - c->arc[0]);
  }
  return lay_surface(step, touch, NULL, &t->spot_a);
}
