// The problem of the last step, all islands together, in the order of its contacts.
#include "world/world.h"

#include "core/error.h"

#include <string.h>

// The arrays of a problem of all islands in the order of the contacts.
typedef struct Whole {
  double *mu, *b, *shift, *r, *G, *dashpot, *cohesion;
  CpsLaw* law;
  int64_t* start;
  int32_t *member, *dofs, *dims;
  int64_t row;  // of the next contact
} Whole;

static bool take(Whole* w, CpsArena* arena, const CpsContacts* c, int64_t aside, int32_t touched) {
  const int64_t n = c->count + aside;
  w->mu = CPS_TAKE(arena, double, n);
  w->law = CPS_TAKE(arena, CpsLaw, n);
  w->dashpot = CPS_TAKE(arena, double, n);
  w->cohesion = CPS_TAKE(arena, double, n);
  const int64_t rows = (c->count > 0 ? cps_contact_row(c, c->count) : 0) + 3 * aside;
  w->b = CPS_TAKE(arena, double, rows);
  w->shift = CPS_TAKE(arena, double, rows);
  w->r = CPS_TAKE(arena, double, rows);
  w->dims = CPS_TAKE(arena, int32_t, n);
  w->G = CPS_TAKE(arena, double, (c->count > 0 ? c->value_start[c->count] : 0) + 36 * aside);
  w->start = CPS_TAKE(arena, int64_t, n + 1);
  w->member = CPS_TAKE(arena, int32_t, (c->count > 0 ? c->term_start[c->count] : 0) + 2 * aside);
  w->dofs = CPS_TAKE(arena, int32_t, touched);
  return w->mu && w->law && w->dashpot && w->cohesion && w->b && w->shift && w->r && w->G && w->start && w->member &&
         w->dofs && w->dims;
}

// Copies contact i, whose data are at `from` and whose island has members from `first` on.
static void copy_contact(Whole* w, const CpsContacts* c, int32_t i, int32_t from, int32_t first, int64_t* term,
                         int64_t* value) {
  w->mu[i] = c->mu[from];
  w->dashpot[i] = c->dashpot ? c->dashpot[from] : 0.0;
  w->cohesion[i] = c->cohesion ? c->cohesion[from] : 0.0;
  w->law[i] = c->law ? c->law[from] : CPS_LAW_COULOMB;
  w->dims[i] = (int32_t)(cps_contact_row(c, from + 1) - cps_contact_row(c, from));
  for (int64_t k = cps_contact_row(c, from); k < cps_contact_row(c, from + 1); ++k, ++w->row) {
    w->b[w->row] = c->b[k];
    w->shift[w->row] = c->shift[k];
    w->r[w->row] = c->r[k];
  }
  w->start[i] = *term;
  for (int64_t t = c->term_start[from]; t < c->term_start[from + 1]; ++t)
    w->member[(*term)++] = first + c->term_member[t];
  for (int64_t v = c->value_start[from]; v < c->value_start[from + 1]; ++v) w->G[(*value)++] = c->G[v];
}

// Large members of all islands: their matrices M~ one after the other, and the nodes of each contact.
static CpsStatus add_large(const CpsWorld* world, const int32_t* place, CpsArena* arena, CpsSparseForm* form,
                           CpsError* error) {
  const CpsContacts* c = &world->contacts;
  const CpsLargeRows* l = &c->large;
  int32_t members = l->island_start[c->island_count];
  int64_t blocks = 0, terms = l->term_start[c->island_count], at = 0;
  int32_t* base = CPS_TAKE(arena, int32_t, c->island_count);
  for (int32_t k = 0; base && k < c->island_count; ++k) {
    base[k] = form->node_count;
    form->node_count += l->node_count[k];
  }
  for (int32_t i = 0; i < members; ++i) {
    CpsMember m = cps_world_member(world, l->member[i]);
    CpsLargeMass mass = m.model->type->mass(m.model, m.index);
    blocks += mass.start[mass.nodes];
  }
  int64_t *start = CPS_TAKE(arena, int64_t, form->node_count + 1), *first = CPS_TAKE(arena, int64_t, c->count + 1);
  int32_t *column = CPS_TAKE(arena, int32_t, blocks), *node = CPS_TAKE(arena, int32_t, terms);
  double *value = CPS_TAKE(arena, double, 9 * blocks), *A = CPS_TAKE(arena, double, l->A_start[c->count]);
  int64_t values = 0;
  if (!base || !start || !first || !column || !node || !value || !A) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a problem");
  }
  int32_t row = 0;
  for (int32_t i = 0; i < members; ++i) {
    CpsMember m = cps_world_member(world, l->member[i]);
    CpsLargeMass mass = m.model->type->mass(m.model, m.index);
    int64_t count = mass.start[mass.nodes];
    for (int64_t b = 0; b < count; ++b) column[at + b] = row + mass.column[b];
    memcpy(value + 9 * at, mass.value, 9 * (size_t)count * sizeof *value);
    for (int32_t n = 0; n < mass.nodes; ++n) start[row + n] = at + mass.start[n];
    row += mass.nodes;
    at += count;
  }
  start[row] = at;
  at = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const int32_t k = c->contact[i].island;
    first[i] = at;
    for (int64_t t = l->local_start[place[i] + k]; t < l->local_start[place[i] + 1 + k]; ++t, ++at) {
      node[at] = base[k] + l->node[l->term_start[k] + t];
    }
    const int64_t from = l->A_start[place[i]], count = l->A_start[place[i] + 1] - from;
    memcpy(A + values, l->A + from, (size_t)count * sizeof *A);
    values += count;
  }
  first[c->count] = at;
  form->M_start = start;
  form->M_column = column;
  form->M_value = value;
  form->node_start = first;
  form->node = node;
  form->A = A;
  return CPS_OK;
}

// Adds contact i of an idle island, whose members and rows have not changed.
static void add_contact(Whole* w, const CpsWorld* world, int32_t i, const CpsStepContact* t, int32_t first,
                        const int32_t* local, int64_t* term, int64_t* value) {
  const int32_t member[2] = {t->a, t->b};
  const CpsSpot* spot[2] = {&t->spot_a, &t->spot_b};
  w->mu[i] = t->mu;
  w->dashpot[i] = w->cohesion[i] = 0.0;
  w->law[i] = CPS_LAW_COULOMB;
  w->dims[i] = 3;
  for (int k = 0; k < 3; ++k, ++w->row) {
    w->b[w->row] = t->free[k];
    w->shift[w->row] = k == 0 ? t->shift : 0.0;
    w->r[w->row] = t->r[k];
  }
  w->start[i] = *term;
  for (int s = 0; s < 2 && member[s] >= 0; ++s) {
    const CpsMember m = cps_world_member(world, member[s]);
    m.model->type->rows(m.model, m.index, spot[s], &t->frame, s == 0 ? 1.0 : -1.0, w->G + *value);
    w->member[(*term)++] = first + local[member[s]];
    *value += 18;
  }
}

// Lays out the members of each island, in the order of islands by which contacts refer to them.
static int32_t* lay_members(const CpsWorld* world, CpsArena* arena, int32_t* local) {
  const CpsContacts* c = &world->contacts;
  const CpsAside* aside = &world->aside;
  const int32_t others = aside->shown ? aside->island_count : 0;
  int32_t* first = CPS_TAKE_ZERO(arena, int32_t, c->island_count + others + 1);
  if (!first) return NULL;
  int32_t other = 0;
  for (int32_t k = 0; k < c->island_count + others; ++k) {
    const bool is_aside = other < others && aside->island[other].number == k;
    const CpsAsideIsland* island = &aside->island[other];
    for (int32_t i = 0; is_aside && i < island->member_count; ++i) local[island->member[i]] = i;
    const int32_t own = k - other;
    first[k + 1] =
        first[k] + (is_aside ? island->member_count : c->island_member_start[own + 1] - c->island_member_start[own]);
    other += is_aside;
  }
  return first;
}

static CpsStatus build(const CpsWorld* world, CpsArena* arena, CpsProblem** problem, double* r, CpsError* error) {
  const CpsContacts* c = &world->contacts;
  const int32_t aside = world->aside.shown ? world->aside.contact_count : 0, count = c->count + aside;
  const int32_t own = c->count > 0 ? c->island_member_start[c->island_count] : 0;
  const int32_t touched = own + (aside > 0 ? world->aside.member_count : 0);
  Whole w = {0};
  int32_t* place = CPS_TAKE(arena, int32_t, c->count);
  int32_t* local = CPS_TAKE(arena, int32_t, cps_world_member_count(world));
  int32_t* first = local ? lay_members(world, arena, local) : NULL;
  if (!place || !first || !take(&w, arena, c, aside, touched)) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a problem");
  }
  for (int32_t i = 0; i < c->count; ++i) place[c->order[i]] = i;
  int64_t term = 0, value = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t at = aside > 0 ? cps_world_touching_place(world, i) : i;
    const CpsStepContact* t = at >= 0 ? &c->contact[at] : world->aside.place[-1 - at].contact;
    if (at >= 0)
      copy_contact(&w, c, i, place[at], first[t->island], &term, &value);
    else
      add_contact(&w, world, i, t, first[t->island], local, &term, &value);
  }
  w.start[count] = term;
  for (int32_t i = 0; i < own; ++i) w.dofs[i] = c->island_dofs[i];
  for (int32_t i = 0; aside > 0 && i < touched; ++i) w.dofs[i] = 6;  // all of them have six degrees of freedom
  CpsContactsDef def = cps_contacts_def_default();
  def.count = count;
  def.mu = w.mu;
  def.laws = c->law ? w.law : NULL;
  def.dashpot = w.dashpot;
  def.cohesion = w.cohesion;
  if (c->row) {
    def.dim = 0;
    def.dims = w.dims;
  }
  def.b = w.b;
  def.shift = w.shift;
  def.dof_count = (own > 0 ? c->z_start[own] : 0) + 6 * (int64_t)(touched - own);
  CpsFactoredForm form = {touched, w.dofs, w.start, w.member, w.G, w.G};
  CpsSparseForm sparse = {.small = form};
  CpsStatus status = c->large.island_start ? add_large(world, place, arena, &sparse, error) : CPS_OK;
  if (status != CPS_OK) return status;
  def.dof_count += 3 * (int64_t)sparse.node_count;
  status = sparse.node_count > 0 ? cps_problem_from_sparse(&def, &sparse, problem, error)
                                 : cps_problem_from_bodies(&def, &form, problem, error);
  for (int64_t i = 0; status == CPS_OK && r && i < w.row; ++i) r[i] = w.r[i];
  return status;
}

int64_t cps_world_problem_rows(const CpsWorld* world) {
  if (!world) return 0;
  const int64_t own = world->contacts.count > 0 ? cps_contact_row(&world->contacts, world->contacts.count) : 0;
  return own + (world->aside.shown ? 3 * (int64_t)world->aside.contact_count : 0);
}

CpsStatus cps_world_problem(const CpsWorld* world, CpsProblem** problem, double* r, CpsError* error) {
  if (!world || !problem) return cps_fail(error, CPS_BAD_ARGUMENT, "world or problem is NULL");
  if (world->contacts.count > 0 && !world->contacts.G) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "the last step failed and left no problem");
  }
  CpsArena arena = {0};
  CpsStatus status = build(world, &arena, problem, r, error);
  cps_arena_free(&arena);
  return status;
}
