// Step 2 and after: surfaces of triangles that touch each other or themselves.
//
// Vertices and triangles that come near each other are contacts of the step. What else meets on its way, edges most of all, is
// found at the end of an attempt by continuous collision detection on the straight ways of the nodes; the step is then made
// again with these as contacts, and a shorter one is tried where that does not help (judge.c). Edges that carried something in
// the last step are there from the beginning.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SKIN = 0.05;  // relative to the thickness: a nearer feature is a contact even if nothing moves

int32_t cps_step_list_surfaces(const CpsStep* step, bool free, CpsSurfaceMesh* out) {
  const CpsWorld* world = step->world;
  int32_t count = 0, first = 0;
  for (int i = 0; i < world->population_count; first += world->population[i++]->count) {
    CpsModel* model = world->population[i];
    for (int32_t k = 0; model->type->surface_mesh && k < model->count; ++k) {
      CpsSurfaceMesh mesh;
      if (!model->type->surface_mesh(model, &step->model, k, free, &mesh)) continue;
      mesh.owner = first + k;
      if (out) out[count] = mesh;
      ++count;
    }
  }
  return count;
}

int cps_surface_compare(const CpsSurfaceTouch* a, const CpsSurfaceTouch* b) {
  if (a->key_a != b->key_a) return a->key_a < b->key_a ? -1 : 1;
  if (a->key_b != b->key_b) return a->key_b < b->key_b ? -1 : 1;
  uint32_t one = cps_surface_feature(a), two = cps_surface_feature(b);
  return one == two ? 0 : one < two ? -1 : 1;
}

static int compare_touches(const void* first, const void* second) {
  const CpsSurfaceTouch *a = first, *b = second;
  int order = cps_surface_compare(a, b);
  return order != 0 ? order : a->rank < b->rank ? -1 : a->rank > b->rank;
}

// Counts through the members of all populations of surfaces, so that each surface has its own place.
static int32_t surface_place(const CpsWorld* world, CpsMember m) {
  int32_t kinds = 0, own = 0;
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i] == m.model) own = kinds;
    kinds += world->population[i]->type->surface_mesh != NULL;
  }
  return kinds * m.index + own;
}

static uint64_t key_of(const CpsStep* step, int32_t surface, int32_t feature) {
  CpsMember m = cps_world_member(step->world, step->surfaces[surface].owner);
  return cps_key(CPS_KEY_SURFACE, surface_place(step->world, m), m.model->type->generation(m.model, m.index), feature);
}

void cps_surface_name(const CpsStep* step, CpsSurfaceTouch* t, int rank) {
  t->key_a = key_of(step, t->a, t->feature[0]);
  t->key_b = t->b >= 0 ? key_of(step, t->b, t->feature[1]) : step->colliders[t->collider].key;
  t->rank = rank;
}

// Sorts touches by name and removes duplicates.
static int32_t sort(CpsSurfaceTouch* touch, int64_t count) {
  if (count == 0) return 0;
  qsort(touch, (size_t)count, sizeof *touch, compare_touches);
  int32_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (kept > 0 && cps_surface_compare(&touch[kept - 1], &touch[i]) == 0) continue;
    touch[kept++] = touch[i];
  }
  return kept;
}

static int32_t surface_of(const CpsStep* step, uint64_t key) {
  for (int32_t i = 0; i < step->surface_count; ++i) {
    CpsMember m = cps_world_member(step->world, step->surfaces[i].owner);
    if (surface_place(step->world, m) == cps_key_place(key)) return key_of(step, i, cps_key_piece(key)) == key ? i : -1;
  }
  return -1;
}

// The nearest points of two edges now; false if the edges are far apart or an end is nearest.
static bool edges_now(const CpsStep* step, CpsSurfaceTouch* t, double skin) {
  const CpsSurfaceMesh *a = &step->surfaces[t->a], *b = &step->surfaces[t->b];
  if (t->feature[0] >= a->tree->edge_count || t->feature[1] >= b->tree->edge_count) return false;
  const int32_t *e = a->tree->edge[t->feature[0]], *f = b->tree->edge[t->feature[1]];
  const CpsVec3 p[2] = {a->start[e[0]], a->start[e[1]]}, q[2] = {b->start[f[0]], b->start[f[1]]};
  t->at = cps_closest_edge_edge(p, q);
  t->gap = t->at.distance - a->half - b->half;
  return t->at.feature_a == 3 && t->at.feature_b == 3 && !t->at.parallel && t->gap <= skin;
}

// Edges that carried a load in the last step.
static int64_t recall_edges(const CpsStep* step, double skin, CpsSurfaceTouch* out) {
  const CpsWorld* world = step->world;
  int64_t count = 0;
  for (int32_t i = 0; i < world->track_count; ++i) {
    const CpsTrack* track = &world->tracks[i];
    bool edges = cps_key_kind(track->key_a) == CPS_KEY_SURFACE && track->feature == CPS_PAIR_EDGE_EDGE;
    if (!edges || cps_vec3_norm(track->impulse) == 0.0) continue;
    CpsSurfaceTouch t = {.a = surface_of(step, track->key_a),
                         .b = surface_of(step, track->key_b),
                         .pair = CPS_PAIR_EDGE_EDGE,
                         .feature = {cps_key_piece(track->key_a), cps_key_piece(track->key_b)}};
    if (t.a < 0 || t.b < 0 || !edges_now(step, &t, skin)) continue;
    if (out) out[count] = t;
    ++count;
  }
  return count;
}

static double thinnest(const CpsStep* step) {
  double least = INFINITY;
  for (int32_t i = 0; i < step->surface_count; ++i) {
    if (!step->surfaces[i].guard) least = fmin(least, 2.0 * step->surfaces[i].half);
  }
  return isinf(least) ? 0.0 : least;
}

// Expected poses of meshes at the end of the step; other colliders stay.
static CpsColliderEnd* expected_ends(const CpsStep* step) {
  CpsColliderEnd* end = CPS_TAKE(step->scratch, CpsColliderEnd, step->collider_count);
  for (int32_t i = 0; end && i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    const CpsVec3 arm = cps_vec3_sub(c->pose.position, c->centre), turned = cps_quat_rotate(cps_quat_exp(c->turn), arm);
    const CpsVec3 to = cps_vec3_add(cps_vec3_add(c->centre, turned), c->way);
    end[i] = (CpsColliderEnd){.pose = {cps_vec3_axpy(to, step->model.h, c->velocity),
                                       cps_quat_multiply(cps_quat_exp(c->turn), c->pose.rotation)}};
    if (c->owner >= 0) continue;
    const CpsObstacle* o = &step->world->obstacles[cps_key_place(c->key)];
    end[i].pose = cps_pose_multiply(o->next, o->pieces.piece[cps_key_piece(c->key)].pose);
  }
  return end;
}

// Finds where triangles touch shapes, or are expected to.
static bool find_shapes(const CpsStep* step, double skin, CpsSurfaceTouches* shapes, CpsSurfaceTouches* meshes) {
  const CpsSurfaceScene scene = {step->surfaces, step->surface_count, step->colliders, expected_ends(step),
                                 step->collider_count};
  return scene.ends && cps_surface_shapes(&scene, step->model.h, skin, step->scratch, shapes) &&
         cps_surface_meshes_expected(&scene, step->scratch, meshes);
}

CpsVec3 cps_surface_touch_place(const CpsStep* step, const CpsSurfaceTouch* touch) {
  const CpsSurfaceMesh* mesh = &step->surfaces[touch->a];
  int32_t node[3];
  const int count = cps_surface_nodes(mesh, touch, 0, node);
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) sum = cps_vec3_axpy(sum, touch->at.weight_a[i], mesh->place[node[i]]);
  return sum;
}

// Appends touches with colliders that are not tied to the surface, from index `at` on; returns the new count.
static int64_t add_untied(CpsStep* step, const CpsSurfaceTouches* from, int64_t at) {
  for (int64_t i = 0; i < from->count; ++i) {
    CpsSurfaceTouch* t = &step->surface_touch[at];
    *t = from->touch[i];
    const CpsVec3 place = cps_surface_touch_place(step, t);
    if (cps_pair_is_tied(step, step->surfaces[t->a].owner, &step->colliders[t->collider], &place)) continue;
    cps_surface_name(step, t, 1);
    ++at;
  }
  return at;
}

CpsStatus cps_step_find_surfaces(CpsStep* step) {
  step->surface_touch_count = 0;
  step->surface_count = cps_step_list_surfaces(step, true, NULL);
  if (step->surface_count == 0) return CPS_OK;
  step->surfaces = CPS_TAKE(step->scratch, CpsSurfaceMesh, step->surface_count);
  if (!step->surfaces) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  cps_step_list_surfaces(step, true, step->surfaces);
  CpsStatus status = cps_step_find_sewn(step, step->surfaces, step->surface_count);
  if (status == CPS_OK) status = cps_step_find_entangled(step);
  if (status != CPS_OK) return status;
  CpsSurfaceTouches near, shapes, meshes;
  double skin = SKIN * thinnest(step);
  bool found = cps_surfaces_near(step->surfaces, step->surface_count, skin, step->world->pool, step->scratch, &near) &&
               find_shapes(step, skin, &shapes, &meshes);
  int64_t edges = found ? recall_edges(step, skin, NULL) : 0;
  int64_t count = step->met_count + edges + (found ? near.count + shapes.count + meshes.count : 0);
  step->surface_touch = CPS_TAKE(step->scratch, CpsSurfaceTouch, count);
  if (!found || !step->surface_touch) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to detect contacts");
  }
  // touches of earlier attempts come first: their normal is that of the meeting
  if (step->met_count > 0) memcpy(step->surface_touch, step->met, (size_t)step->met_count * sizeof *step->met);
  recall_edges(step, skin, step->surface_touch + step->met_count);
  int64_t at = step->met_count + edges;
  if (near.count > 0) memcpy(step->surface_touch + at, near.touch, (size_t)near.count * sizeof *near.touch);
  for (int64_t i = 0; i < at + near.count; ++i)
    cps_surface_name(step, &step->surface_touch[i], i < step->met_count ? 0 : 1);
  at = add_untied(step, &shapes, at + near.count);
  at = add_untied(step, &meshes, at);
  int64_t kept = 0;
  for (int64_t i = 0; i < at; ++i) {
    const CpsSurfaceTouch* t = &step->surface_touch[i];
    if (!cps_touch_is_entangled(step, t) && !cps_touch_is_sewn(step, t)) step->surface_touch[kept++] = *t;
  }
  step->surface_touch_count = sort(step->surface_touch, kept);
  return CPS_OK;
}
