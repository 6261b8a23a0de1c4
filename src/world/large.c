// Step 4, large members: nodes instead of rows. A contact sees one by u = sum of A v over few nodes, A = E w with E the rows
// of its frame and w the weight of the node; M~ stays the sparse matrix that the model has. An island of several large
// members has their matrices one after the other.
#include "world/world.h"

#include "core/error.h"

#include <string.h>

bool cps_world_has_large(const CpsWorld* world) {
  for (int i = 0; i < world->population_count; ++i) {
    if (world->population[i]->type->mass && world->population[i]->count > 0) return true;
  }
  return false;
}

bool cps_member_is_large(const CpsWorld* world, int32_t member) {
  return cps_world_member(world, member).model->type->mass != NULL;
}

// Number of nodes from which a member is solved with all threads.
enum { WIDE = 300 };

bool cps_model_is_wide(const CpsModel* model) {
  if (!model->type->mass || model->count == 0) return false;
  int64_t nodes = 0;
  for (int32_t i = 0; i < model->count; ++i) {
    if (model->type->is_there(model, i)) nodes += model->type->mass(model, i).nodes;
  }
  return nodes >= WIDE * (int64_t)model->count;
}

bool cps_member_is_wide(CpsMember member) {
  const CpsModelType* type = member.model->type;
  if (!type->mass || !type->is_there(member.model, member.index)) return false;
  return type->mass(member.model, member.index).nodes >= WIDE;
}

bool cps_island_is_wide(const CpsContacts* c, int32_t k) {
  return c->large.island_start && c->large.node_count[k] >= WIDE;
}

bool cps_island_is_large(const CpsContacts* c, int32_t k) {
  return c->large.island_start && c->large.island_start[k + 1] > c->large.island_start[k];
}

static CpsLargeMass mass_of(const CpsWorld* world, int32_t member) {
  CpsMember m = cps_world_member(world, member);
  return m.model->type->mass(m.model, m.index);
}

// Node terms of one side; node and A may be NULL to count only.
static int32_t side_terms(const CpsWorld* world, const CpsStepContact* t, int s, const int32_t* first, int32_t* node,
                          double* A) {
  const CpsSpot* spot = s == 0 ? &t->spot_a : &t->spot_b;
  const int32_t member = s == 0 ? t->a : t->b;
  if (member < 0 || spot->patch_count == 0) return 0;
  CpsLargeMass mass = mass_of(world, member);
  int32_t count = 0;
  for (int32_t i = 0; i < spot->patch_count; ++i) {
    if (mass.held[spot->patch[i].node]) continue;
    if (node) {
      CpsMat3 block = cps_mat3_scale(s == 0 ? 1.0 : -1.0, cps_mat3_multiply(t->frame, spot->patch[i].weight));
      node[count] = first[member] + spot->patch[i].node;
      memcpy(A + 9 * (int64_t)count, block.m, sizeof block.m);
      if (t->soft >= 0) memset(A + 9 * (int64_t)count + 3, 0, 6 * sizeof *A);  // a line contact has one row
      if (t->across != 1.0) {
        for (int j = 6; j < 9; ++j) A[9 * (int64_t)count + j] *= t->across;
      }
    }
    ++count;
  }
  return count;
}

// The same for a block that the member brings itself.
static int32_t own_terms(const CpsStep* step, int32_t contact, const int32_t* first, int32_t* node, double* A) {
  const CpsContacts* c = &step->contacts;
  const CpsStepContact* t = &c->contact[contact];
  const CpsMember m = cps_world_member(step->world, t->a);
  const int32_t own = contact - c->touch_count - c->tie_count;
  m.model->type->block_terms(m.model, m.index, c->own_number[own], node, A);
  for (int32_t i = 0; i < c->own[own].nodes; ++i) node[i] += first[t->a];
  return c->own[own].nodes;
}

// Lists the members of the islands and, by member, its first node in the numbering of its island.
static void list_members(CpsStep* step, int32_t* first) {
  CpsContacts* c = &step->contacts;
  CpsLargeRows* l = &c->large;
  const CpsWorld* world = step->world;
  int32_t count = 0;
  int64_t vectors = 0;
  for (int32_t k = 0; k < c->island_count; ++k) {
    l->island_start[k] = count;
    l->node_count[k] = 0;
    l->vector_start[k] = vectors;
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
      const CpsStepContact* t = &c->contact[c->order[i]];
      for (int s = 0; s < 2; ++s) {
        int32_t member = s == 0 ? t->a : t->b;
        const CpsSpot* spot = s == 0 ? &t->spot_a : &t->spot_b;
        if (member < 0 || spot->patch_count == 0 || first[member] >= 0) continue;
        first[member] = l->node_count[k];
        l->member[count] = member;
        l->first[count++] = l->node_count[k];
        l->node_count[k] += mass_of(world, member).nodes;
      }
    }
    vectors += 3 * (int64_t)l->node_count[k];
  }
  l->island_start[c->island_count] = count;
  l->vector_start[c->island_count] = vectors;
}

// Adds terms of the second side to those of the first at shared nodes: a surface may touch itself next to a triangle
// with a common corner. Returns the number of remaining terms.
static int32_t join_terms(int32_t* node, double* A, int32_t first, int32_t more) {
  int32_t count = first;
  for (int32_t i = first; i < first + more; ++i) {
    int32_t at = 0;
    while (at < first && node[at] != node[i]) ++at;
    if (at == first) {
      node[count] = node[i];
      memmove(A + 9 * (int64_t)count++, A + 9 * (int64_t)i, 9 * sizeof *A);
      continue;
    }
    for (int j = 0; j < 9; ++j) A[9 * (int64_t)at + j] += A[9 * (int64_t)i + j];
  }
  return count;
}

static void lay_terms(CpsStep* step, const int32_t* first) {
  CpsContacts* c = &step->contacts;
  CpsLargeRows* l = &c->large;
  int64_t at = 0, values = 0;
  for (int32_t k = 0; k < c->island_count; ++k) {
    l->term_start[k] = at;
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
      const CpsStepContact* t = &c->contact[c->order[i]];
      l->local_start[i + k] = at - l->term_start[k];
      l->A_start[i] = values;
      const int64_t before = at;
      if (cps_contact_is_own(c, c->order[i])) {
        at += own_terms(step, c->order[i], first, l->node + at, l->A + values);
      } else {
        const int32_t one = side_terms(step->world, t, 0, first, l->node + at, l->A + values);
        const int32_t two = side_terms(step->world, t, 1, first, l->node + at + one, l->A + values + 9 * (int64_t)one);
        at += join_terms(l->node + at, l->A + values, one, two);
      }
      values += 3 * (at - before) * cps_contact_rows(c, c->order[i]);
    }
    l->local_start[c->island_start[k + 1] + k] = at - l->term_start[k];
  }
  l->term_start[c->island_count] = at;
  l->A_start[c->count] = values;
}

// Structure of M~ for islands with more than one large member: rows and columns.
static CpsStatus join_masses(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  CpsLargeRows* l = &c->large;
  int64_t rows = 0, blocks = 0;
  for (int32_t k = 0; k < c->island_count; ++k) {
    l->M_first[k] = rows;
    l->M_offset[k] = blocks;
    if (l->island_start[k + 1] - l->island_start[k] < 2) continue;
    rows += l->node_count[k] + 1;
    for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
      CpsLargeMass m = mass_of(step->world, l->member[i]);
      blocks += m.start[m.nodes];
    }
  }
  l->M_start = CPS_TAKE(step->scratch, int64_t, rows);
  l->M_column = CPS_TAKE(step->scratch, int32_t, blocks);
  l->M_value = CPS_TAKE(step->scratch, double, 9 * blocks);
  if (!l->M_start || !l->M_column || !l->M_value) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for the masses of nodes");
  }
  for (int32_t k = 0; k < c->island_count; ++k) {
    if (l->island_start[k + 1] - l->island_start[k] < 2) continue;
    int64_t* start = l->M_start + l->M_first[k];
    int64_t at = 0;
    for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
      CpsLargeMass m = mass_of(step->world, l->member[i]);
      for (int32_t r = 0; r < m.nodes; ++r) *start++ = at + m.start[r];
      for (int64_t b = 0; b < m.start[m.nodes]; ++b) l->M_column[l->M_offset[k] + at + b] = l->first[i] + m.column[b];
      at += m.start[m.nodes];
    }
    *start = at;
  }
  return CPS_OK;
}

CpsStatus cps_step_assemble_large(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  CpsLargeRows* l = &c->large;
  const int32_t members = cps_world_member_count(step->world), n = c->island_count;
  int32_t* first = CPS_TAKE(step->scratch, int32_t, members);
  int64_t terms = 0, values = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const int64_t seen = c->contact[i].spot_a.patch_count + c->contact[i].spot_b.patch_count;
    terms += seen;
    values += 3 * seen * cps_contact_rows(c, i);
  }
  *l = (CpsLargeRows){.island_start = CPS_TAKE(step->scratch, int32_t, n + 1),
                      .member = CPS_TAKE(step->scratch, int32_t, members),
                      .first = CPS_TAKE(step->scratch, int32_t, members),
                      .node_count = CPS_TAKE(step->scratch, int32_t, n),
                      .vector_start = CPS_TAKE(step->scratch, int64_t, n + 1),
                      .local_start = CPS_TAKE(step->scratch, int64_t, c->count + n + 1),
                      .term_start = CPS_TAKE(step->scratch, int64_t, n + 1),
                      .node = CPS_TAKE(step->scratch, int32_t, terms),
                      .A_start = CPS_TAKE(step->scratch, int64_t, c->count + 1),
                      .A = CPS_TAKE(step->scratch, double, values),
                      .M_first = CPS_TAKE(step->scratch, int64_t, n),
                      .M_offset = CPS_TAKE(step->scratch, int64_t, n)};
  if (!first || !l->island_start || !l->member || !l->first || !l->node_count || !l->vector_start || !l->local_start ||
      !l->term_start || !l->node || !l->A_start || !l->A || !l->M_first || !l->M_offset) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to assemble %d contacts", (int)c->count);
  }
  for (int32_t i = 0; i < members; ++i) first[i] = -1;
  list_members(step, first);
  lay_terms(step, first);
  l->dv = CPS_TAKE(step->scratch, double, l->vector_start[n]);
  l->impulse = CPS_TAKE(step->scratch, double, l->vector_start[n]);
  l->work = CPS_TAKE(step->scratch, double, l->vector_start[n]);
  if (!l->dv || !l->impulse || !l->work) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for the velocities of nodes");
  }
  return join_masses(step);
}

// Copies the current values into the joined matrix.
static void copy_masses(const CpsStep* step, int32_t k) {
  const CpsLargeRows* l = &step->contacts.large;
  double* to = l->M_value + 9 * l->M_offset[k];
  for (int32_t i = l->island_start[k]; i < l->island_start[k + 1]; ++i) {
    CpsLargeMass m = mass_of(step->world, l->member[i]);
    memcpy(to, m.value, 9 * (size_t)m.start[m.nodes] * sizeof *to);
    to += 9 * m.start[m.nodes];
  }
}

CpsCholesky* cps_island_factor(const CpsStep* step, int32_t k) {
  const CpsLargeRows* l = &step->contacts.large;
  return l->island_start[k + 1] - l->island_start[k] == 1 ? mass_of(step->world, l->member[l->island_start[k]]).factor
                                                          : NULL;
}

CpsSparseForm cps_island_sparse_form(const CpsStep* step, int32_t k) {
  const CpsContacts* c = &step->contacts;
  const CpsLargeRows* l = &c->large;
  CpsSparseForm form = {.small = cps_island_form(c, k),
                        .node_count = l->node_count[k],
                        .node_start = l->local_start + c->island_start[k] + k,
                        .node = l->node + l->term_start[k],
                        .A = l->A + l->A_start[c->island_start[k]]};
  if (l->island_start[k + 1] - l->island_start[k] == 1) {
    CpsLargeMass m = mass_of(step->world, l->member[l->island_start[k]]);
    form.M_start = m.start;
    form.M_column = m.column;
    form.M_value = m.value;
    return form;
  }
  copy_masses(step, k);
  form.M_start = l->M_start + l->M_first[k];
  form.M_column = l->M_column + l->M_offset[k];
  form.M_value = l->M_value + 9 * l->M_offset[k];
  return form;
}
