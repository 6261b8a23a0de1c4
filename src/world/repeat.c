// A step that would be the last one again is not computed again.
//
// Where every island stands still (friction/balance.h), a step ends in the state in which it began, with the impulses that it
// began with, bit for bit. A step is a function of these, of the obstacles, which do not move, and of settings. So the next one is the
// same, and the one after it, until the caller changes something. Only the time and the energy balance advance, and these as if
// the step had been made: what a run does after it was resumed from a saved state is the same to the last bit.
#include "world/world.h"

#include "core/clock.h"
#include "core/error.h"
#include "friction/contacts.h"

#include <math.h>

// Whether a large member is held: its end may start to move at any time.
static bool holds_one(const CpsModel* model) {
  for (int32_t i = 0; model->type->mass && i < model->count; ++i) {
    if (model->type->is_there(model, i) && model->type->is_held(model, i)) return true;
  }
  return false;
}

bool cps_world_depends_on_state_alone(const CpsWorld* world) {
  if (cps_world_has_lines(world) || world->pull_there > 0 || world->tie_there > 0) return false;
  if (world->load_count > 0 || world->def.friction) return false;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    if (model->count > 0 && (!model->type->halt || holds_one(model))) return false;
  }
  return true;
}

static bool obstacles_rest(const CpsWorld* world) {
  for (int32_t i = 0; i < world->obstacle_count; ++i) {
    if (world->obstacles[i].there && world->obstacles[i].motion.kind != CPS_MOTION_REST) return false;
  }
  return true;
}

// Whether all impulses and positions are unchanged.
static bool all_stand(const CpsStep* step) {
  const CpsWorld* world = step->world;
  const CpsContacts* c = &step->contacts;
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (c->rest[k] != CPS_REST_KEPT) return false;
  }
  int32_t there = 0;
  for (int32_t i = 0; i < cps_world_member_count(world); ++i) {
    CpsMember m = cps_world_member(world, i);
    there += m.model->type->is_there(m.model, m.index);
  }
  return c->standing > 0 && c->standing == there;
}

void cps_step_find_still(const CpsStep* step) {
  CpsWorld* world = step->world;
  if (step->info.status != CPS_OK || step->attempts > 1 || step->moved) return;
  world->contacts.still = cps_world_depends_on_state_alone(world) && obstacles_rest(world) && all_stand(step);
  world->info = step->info;
}

bool cps_world_repeats(const CpsWorld* world) {
  return world->contacts.still && !world->changed && fmin(world->h, world->def.step) == world->last_h &&
         cps_world_depends_on_state_alone(world) && obstacles_rest(world);
}

CpsStatus cps_world_repeat(CpsWorld* world, CpsStepInfo* info, CpsError* error) {
  const double start = cps_clock_wall();
  if (world->def.cancel && world->def.cancel(world->def.cancel_data)) {
    return cps_fail(error, CPS_INTERRUPTED, "the step was given up");
  }
  CpsStep step = {.world = world, .contacts = world->contacts, .info = world->info, .aside = true};
  step.model = (CpsModelStep){.h = world->last_h, .theta = world->def.theta, .gravity = world->def.gravity};
  step.info.stick = step.info.slide = 0;
  cps_step_enter_books(&step);
  world->index++;
  world->time = world->mark_time + (double)(world->index - world->mark_index) * world->last_h;
  cps_step_set_next(&step);
  world->last_energy = cps_world_total_energy(world, &step.model, &world->energy);
  step.info.time = world->time;
  step.info.index = world->index;
  (void)cps_step_energy_made(&step);  // no energy is created at rest; this keeps the count
  step.info.seconds_predict = step.info.seconds_detect = step.info.seconds_assemble = 0.0;
  step.info.seconds_solve = step.info.seconds_advance = 0.0;
  step.info.seconds = cps_clock_wall() - start;
  if (info) *info = step.info;
  if (world->observer) world->observer(world, &step.info, world->observer_data);
  return cps_succeed(error);
}
