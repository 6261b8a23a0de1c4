// Blocks that members bring themselves: the stresses of a medium. They follow contacts and ties in the problem, with
// Coulomb's law, have three or six rows, and are visible to the member only.
#include "world/world.h"

int32_t cps_world_own_blocks(const CpsWorld* world) {
  int32_t count = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; model->type->block_count && k < model->count; ++k) count += model->type->block_count(model, k);
  }
  return count;
}

static const CpsOwnBlock* own_of(const CpsContacts* c, int32_t contact) {
  return &c->own[contact - c->touch_count - c->tie_count];
}

int32_t cps_contact_rows(const CpsContacts* c, int32_t contact) {
  return cps_contact_is_own(c, contact) ? own_of(c, contact)->rows : 3;
}

void cps_own_velocity(const CpsStep* step, int32_t contact, CpsVelocity which, double* u) {
  const CpsContacts* c = &step->contacts;
  const CpsMember m = cps_world_member(step->world, c->contact[contact].a);
  m.model->type->block_velocity(m.model, m.index, c->own_number[contact - c->touch_count - c->tie_count], which, u);
}

typedef struct Filling {
  CpsStep* step;
  CpsMember m;
  int32_t member, first;  // its number, and the number of its first block
} Filling;

// The first three velocity components suffice to tell whether a block moves.
static void fill(void* data, int64_t from, int64_t to, int worker) {
  (void)worker;
  const Filling* f = data;
  CpsContacts* c = &f->step->contacts;
  for (int32_t i = (int32_t)from; i < to; ++i) {
    const int32_t contact = c->touch_count + c->tie_count + f->first + i;
    CpsOwnBlock* block = &c->own[f->first + i];
    CpsStepContact* t = &c->contact[contact];
    double u[CPS_OWN_ROWS];
    f->m.model->type->block(f->m.model, &f->step->model, f->m.index, i, block);
    c->own_number[f->first + i] = i;
    c->track[contact] = (CpsTrack){0};
    *t = (CpsStepContact){.a = f->member, .b = -1, .obstacle = -1, .soft = -1, .across = 1.0, .mu = block->mu};
    t->law = CPS_LAW_COULOMB;
    t->frame = cps_mat3_identity();
    t->shift = block->shift;
    t->spot_a = (CpsSpot){.piece = -1, .patch_count = block->nodes};
    cps_own_velocity(f->step, contact, CPS_VELOCITY_BEFORE, u);
    cps_vec3_put(t->before, cps_vec3_get(u));
    cps_own_velocity(f->step, contact, CPS_VELOCITY_FREE, u);
    cps_vec3_put(t->free, cps_vec3_get(u));
  }
}

void cps_step_own_blocks(CpsStep* step) {
  int32_t member = 0, first = 0;
  for (int i = 0; i < step->world->population_count; ++i) {
    CpsModel* model = step->world->population[i];
    for (int32_t j = 0; j < model->count; ++j, ++member) {
      const int32_t blocks = model->type->block_count ? model->type->block_count(model, j) : 0;
      Filling filling = {step, {model, j}, member, first};
      cps_pool_run(step->world->pool, blocks, fill, &filling);
      first += blocks;
    }
  }
}

bool cps_island_has_own(const CpsContacts* c, int32_t k) {
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (cps_contact_is_own(c, c->order[i])) return true;
  }
  return false;
}

void cps_step_own_done(const CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  for (int32_t i = 0; i < c->count; ++i) {
    if (!cps_contact_is_own(c, c->order[i])) continue;
    const CpsStepContact* t = &c->contact[c->order[i]];
    const CpsMember m = cps_world_member(step->world, t->a);
    m.model->type->block_done(m.model, &step->model, m.index,
                              c->own_number[c->order[i] - c->touch_count - c->tie_count], c->r + cps_contact_row(c, i),
                              (CpsContactStatus)t->status);
  }
}
