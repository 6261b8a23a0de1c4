// At the end of an attempt: what surfaces met on the way, each other, themselves, shapes, lines or obstacles.
//
// Continuous collision detection on the ways that were made. What came nearer than a part of the thickness becomes a contact of
// the next attempt, with the normal of the meeting; what came so near that it counts as passed through is a reason for a shorter
// step (judge.c).
#include "world/world.h"

#include "contact/chain.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

static const double CLOSE = 0.25;   // relative to the thickness: features nearer than this have met;
static const double NEARER = 0.04;  // the same for shapes: edges normally sag on round ones,
static const double PRESSED = 0.5;  // and for boxes and hulls, on which edges do not sag

// All moving objects.
typedef struct Ways {
  const CpsSurfaceMesh* surface;
  CpsColliderEnd* end;
} Ways;

static int compare_in_search(const void* first, const void* second) {
  return cps_surface_compare(first, second);
}

static bool is_contact(const CpsStep* step, const CpsSurfaceTouch* touch) {
  return step->surface_touch_count > 0 && bsearch(touch, step->surface_touch, (size_t)step->surface_touch_count,
                                                  sizeof *touch, compare_in_search) != NULL;
}

// Poses of colliders after the step, or after the push at its beginning.
static bool find_ends(const CpsStep* step, bool pushed, CpsColliderEnd* end) {
  const CpsWorld* world = step->world;
  CpsCollider* now = CPS_TAKE(step->scratch, CpsCollider, step->member_collider_count);
  if (!now) return false;
  int32_t at = 0, owner = 0;
  for (int i = 0; i < world->population_count; owner += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    model->type->colliders(model, &step->model, owner, now + at);
    at += model->type->collider_count(model);
  }
  for (int32_t i = 0; i < step->collider_count; ++i) {
    const CpsCollider* c = &step->colliders[i];
    end[i] = (CpsColliderEnd){.line = cps_is_line_piece(c)};
    if (i < step->member_collider_count) end[i].pose = now[i].pose;
    if (end[i].line) {
      const CpsLinePiece* p = &step->lines[c->owner].piece[cps_key_piece(c->key)];
      memcpy(end[i].from, p->from, sizeof p->from);
      memcpy(end[i].to, p->to, sizeof p->to);
    }
    if (c->owner >= 0) continue;
    const CpsObstacle* o = &world->obstacles[cps_key_place(c->key)];
    end[i].pose = cps_pose_multiply(pushed ? o->now : o->next, o->pieces.piece[cps_key_piece(c->key)].pose);
  }
  return true;
}

bool cps_step_collider_ends(const CpsStep* step, CpsColliderEnd* end) {
  return find_ends(step, false, end);
}

static bool find_ways(const CpsStep* step, Ways* ways) {
  CpsSurfaceMesh* surface = CPS_TAKE(step->scratch, CpsSurfaceMesh, step->surface_count);
  *ways = (Ways){surface, CPS_TAKE(step->scratch, CpsColliderEnd, step->collider_count)};
  if (!surface || !ways->end) return false;
  cps_step_list_surfaces(step, false, surface);
  for (int32_t i = 0; i < step->surface_count; ++i) {
    if (surface[i].guard && !cps_guard_sink(step, cps_world_member(step->world, surface[i].owner), &surface[i]))
      return false;
  }
  return find_ends(step, false, ways->end);
}

// Finds features that came closer than a part of the thickness, except pairs that are tied together.
static bool look(CpsStep* step, const Ways* ways, double separation, double from_shapes, double from_faces,
                 CpsSurfaceTouches* met) {
  CpsSurfaceTouches each, shapes;
  const int32_t count = step->surface_count;
  const CpsSurfaceScene scene = {ways->surface, count, step->colliders, ways->end, step->collider_count};
  if (!cps_surfaces_met(ways->surface, count, separation, step->world->pool, step->scratch, &each) ||
      !cps_surface_shapes_met(&scene, from_shapes, from_faces, step->renewals, step->scratch, &shapes)) {
    return false;
  }
  *met = (CpsSurfaceTouches){each.count, CPS_TAKE(step->scratch, CpsSurfaceTouch, each.count + shapes.count)};
  if (!met->touch) return false;
  met->count = 0;
  for (int64_t i = 0; i < each.count; ++i) {
    const CpsSurfaceTouch* t = &each.touch[i];
    if (!cps_touch_is_entangled(step, t) && !cps_touch_is_sewn(step, t)) met->touch[met->count++] = *t;
  }
  for (int64_t i = 0; i < shapes.count; ++i) {
    const CpsSurfaceTouch* t = &shapes.touch[i];
    const CpsVec3 place = cps_surface_touch_place(step, t);
    if (cps_pair_is_tied(step, step->surfaces[t->a].owner, &step->colliders[t->collider], &place)) continue;
    met->touch[met->count++] = *t;
  }
  return true;
}

// Adds features that are not yet contacts to those of the next attempt.
static bool join(CpsStep* step, const CpsSurfaceTouches* met) {
  CpsSurfaceTouch* all = CPS_TAKE(&step->world->renewed, CpsSurfaceTouch, step->met_count + met->count);
  if (!all) return false;
  if (step->met_count > 0) memcpy(all, step->met, (size_t)step->met_count * sizeof *all);
  for (int64_t i = 0; i < met->count; ++i) {
    cps_surface_name(step, &met->touch[i], 0);
    if (!is_contact(step, &met->touch[i])) all[step->met_count + step->newly_met++] = met->touch[i];
  }
  if (step->newly_met > 0) step->met = all;
  step->met_count += step->newly_met;
  return true;
}

static CpsStatus short_of_memory(const CpsStep* step) {
  return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to look for impacts");
}

static CpsStatus count_through(CpsStep* step, const Ways* ways) {
  if (!look(step, ways, CPS_SURFACE_THROUGH, CPS_SURFACE_THROUGH, CPS_SURFACE_THROUGH, &step->through))
    return short_of_memory(step);
  step->info.crossings += (int32_t)step->through.count - step->pierced;
  step->pierced = (int32_t)step->through.count;
  return CPS_OK;
}

CpsStatus cps_step_through(CpsStep* step) {
  Ways ways;
  return find_ways(step, &ways) ? count_through(step, &ways) : short_of_memory(step);
}

CpsStatus cps_step_pushed_through(CpsStep* step, const CpsSurfaceMesh* way, bool* through) {
  Ways ways = {way, CPS_TAKE(step->scratch, CpsColliderEnd, step->collider_count)};
  CpsSurfaceTouches met = {0};
  for (int i = 0; i < step->world->population_count; ++i) {
    CpsModel* model = step->world->population[i];
    for (int32_t k = 0; model->type->follow && k < model->count; ++k) model->type->follow(model, k);
  }
  if (!ways.end || !find_ends(step, true, ways.end) ||
      !look(step, &ways, CPS_SURFACE_THROUGH, CPS_SURFACE_THROUGH, CPS_SURFACE_THROUGH, &met))
    return short_of_memory(step);
  *through = met.count > 0;
  return CPS_OK;
}

CpsStatus cps_step_impacts(CpsStep* step) {
  step->newly_met = step->pierced = 0;
  step->through = (CpsSurfaceTouches){0};
  if (step->surface_count == 0) return CPS_OK;
  Ways ways;
  CpsSurfaceTouches met;
  if (!find_ways(step, &ways) || !look(step, &ways, CLOSE, NEARER, PRESSED, &met) || !join(step, &met))
    return short_of_memory(step);
  return met.count > 0 ? count_through(step, &ways) : CPS_OK;
}
