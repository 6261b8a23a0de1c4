// Names of things in messages, and the message about what blew up.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <stdio.h>

// Overlaps up to this part of the radius are not reported.
static const double SHALLOW = 0.1;

bool cps_thing_is(CpsThing a, CpsThing b) {
  return a.kind == b.kind && a.index == b.index && a.generation == b.generation;
}

static const char* write(const char* kind, const char* name, int32_t place, char text[CPS_MEMBER_TEXT]) {
  if (name) {
    snprintf(text, CPS_MEMBER_TEXT, "%s `%.80s`", kind, name);
  } else {
    snprintf(text, CPS_MEMBER_TEXT, "%s %d", kind, (int)place);
  }
  return text;
}

const char* cps_member_text(const CpsWorld* world, int32_t member, char text[CPS_MEMBER_TEXT]) {
  CpsMember m = cps_world_member(world, member);
  return write(m.model->type->name, m.model->type->label(m.model, m.index), m.index, text);
}

const char* cps_obstacle_text(const CpsWorld* world, int32_t place, char text[CPS_MEMBER_TEXT]) {
  return write("obstacle", world->obstacles[place].name, place, text);
}

const char* cps_tie_text(const CpsWorld* world, int32_t tie, char text[CPS_MEMBER_TEXT]) {
  return write("tie", world->ties[tie].name, tie, text);
}

static double radius_of(const CpsWorld* world, int32_t member) {
  CpsMember m = cps_world_member(world, member);
  return m.model->type->size(m.model, m.index);
}

// The deepest contact of a member; `best` if none is deeper.
static const CpsStepContact* deepest_of(const CpsContacts* c, int32_t member, const CpsStepContact* best) {
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    if (t->a != member && t->b != member) continue;
    if (!best || t->touch.gap < best->touch.gap) best = t;
  }
  return best;
}

CpsStatus cps_step_unstable(const CpsStep* step, int32_t member) {
  const CpsWorld* world = step->world;
  // if the step failed before contacts were found, use those of the previous step
  const CpsStepContact* t = deepest_of(&step->contacts, member, NULL);
  if (!t) t = deepest_of(&world->contacts, member, NULL);
  char name[CPS_MEMBER_TEXT], other[CPS_MEMBER_TEXT];
  cps_member_text(world, member, name);
  double t_ms = 1e3 * world->time;
  if (t && -t->touch.gap > SHALLOW * radius_of(world, member)) {
    if (t->b == t->a) {
      snprintf(other, sizeof other, "itself");
    } else if (t->obstacle >= 0) {
      cps_obstacle_text(world, t->obstacle, other);
    } else {
      cps_member_text(world, t->a == member ? t->b : t->a, other);
    }
    return cps_fail(step->error, CPS_BAD_DATA, "%s became unstable at t = %.6g ms: it overlaps %s by %.3g mm", name,
                    t_ms, other, -1e3 * t->touch.gap);
  }
  return cps_fail(step->error, CPS_BAD_DATA, "%s became unstable at t = %.6g ms: a step shorter than %.3g ms may help",
                  name, t_ms, 1e3 * step->model.h);
}

CpsStatus cps_step_check(const CpsStep* step) {
  const CpsWorld* world = step->world;
  int32_t first = 0;
  for (int i = 0; i < world->population_count; first += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    if (model->type->starved && model->type->starved(model)) {
      return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step of the %s", model->type->name);
    }
    if (model->type->squeezed && model->type->squeezed(model)) {
      return cps_fail(
          step->error, CPS_BAD_DATA,
          "the %s have no room at t = %.6g ms: an object that moves towards them would need an unbounded force",
          model->type->name, 1e3 * world->time);
    }
    const int32_t broken = model->type->broken(model);
    if (broken >= 0) return cps_step_unstable(step, first + broken);
  }
  return CPS_OK;
}

CpsStatus cps_step_runaway(const CpsStep* step) {
  const CpsWorld* world = step->world;
  int32_t worst = 0, first = 0;
  double most = -INFINITY;
  for (int i = 0; i < world->population_count; first += world->population[i++]->count) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; k < model->count; ++k) {
      CpsModelEnergy e = {0};
      model->type->energy(model, &step->model, true, k, k + 1, &e);
      // energy created by ties and pulls is in no model: then blame the fastest member
      const double own = fmax(-(e.scheme + e.linearisation), 0.0) + e.kinetic + e.elastic;
      if (own > most) most = own, worst = first + k;
    }
  }
  char name[CPS_MEMBER_TEXT];
  return cps_fail(step->error, CPS_NOT_CONVERGED,
                  "%s is unstable at t = %.6g ms: %.3g J came from nothing; a step shorter than %.3g ms%s may help",
                  cps_member_text(world, worst, name), 1e3 * world->time, step->info.made, 1e3 * step->info.step,
                  step->model.theta < 1.0 ? " or theta = 1" : "");
}
