// Blocks that members bring themselves: the stresses of a medium. They follow contacts and ties in the problem, with
// Coulomb's law, and are seen by nobody but the member.
#include "world/world.h"

int32_t cps_world_own_blocks(const CpsWorld* world) {
  int32_t count = 0;
  for (int i = 0; i < world->population_count; ++i) {
    const CpsModel* model = world->population[i];
    for (int32_t k = 0; model->type->block_count && k < model->count; ++k) count += model->type->block_count(model, k);
  }
  return count;
}

static void fill(const CpsStep* step, CpsMember m, int32_t member, int32_t i, CpsOwnBlock* block, CpsTouching* t) {
  m.model->type->block(m.model, &step->model, m.index, i, block);
  *t = (CpsTouching){.a = member, .b = -1, .obstacle = -1, .soft = -1, .across = 1.0, .mu = block->mu};
  t->law = CPS_LAW_COULOMB;
  t->frame = cps_mat3_identity();
  t->shift = block->shift;
  t->spot_a = (CpsSpot){.piece = -1, .patch_count = block->patch_count, .patch = block->patch};
  cps_vec3_put(t->before, cps_contact_velocity(step->world, t, CPS_VELOCITY_BEFORE));
  cps_vec3_put(t->free, cps_contact_velocity(step->world, t, CPS_VELOCITY_FREE));
}

void cps_step_own_blocks(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  int32_t member = 0, k = 0;
  const int32_t first = c->touch_count + c->tie_count;
  for (int i = 0; i < step->world->population_count; ++i) {
    CpsModel* model = step->world->population[i];
    for (int32_t j = 0; j < model->count; ++j, ++member) {
      const int32_t blocks = model->type->block_count ? model->type->block_count(model, j) : 0;
      for (int32_t b = 0; b < blocks; ++b, ++k) {
        fill(step, (CpsMember){model, j}, member, b, &c->own[k], &c->contact[first + k]);
        c->track[first + k] = (CpsTrack){0};
        c->own_number[k] = b;
      }
    }
  }
}

bool cps_island_has_own(const CpsContacts* c, int32_t k) {
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    if (c->order[i] >= c->touch_count + c->tie_count) return true;
  }
  return false;
}

void cps_step_own_done(const CpsStep* step) {
  const CpsContacts* c = &step->contacts;
  const int32_t first = c->touch_count + c->tie_count;
  for (int32_t i = first; i < c->count; ++i) {
    const CpsTouching* t = &c->contact[i];
    const CpsMember m = cps_world_member(step->world, t->a);
    m.model->type->block_done(m.model, &step->model, m.index, c->own_number[i - first], t->r,
                              (CpsContactStatus)t->status);
  }
}
