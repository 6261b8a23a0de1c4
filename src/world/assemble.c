// Step 4: assembles the discrete friction problem of the step, u = W r + b, as mass-normalised rows of each small member. W is
// never formed.
//
// Elliptic friction, (r_1/mu_1)^2 + (r_2/mu_2)^2 <= r_N^2, becomes circular by the change of variable
//
//   r = D r',  u' = D u,  D = diag(1, 1, mu_2/mu_1),   so that  r'.u' = r.u  and  ||r'_T|| <= mu_1 r'_N             (1)
//
// The exact law for an ellipse, the principle of maximum dissipation, has the same form in both variables.
#include "world/world.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

// Relative to the velocity that an object gains from its weight in one step. Where stiffness balances the weight, residuals of 2e-13
// were measured: the balance is exact to a rounding of the whole weight, and the lightest part carries a thousandth of it.
static const double ROUNDING = 1e-12;

typedef struct Rows {
  CpsStep* step;
  double* other;  // rows of the other side of a member that touches itself, for each thread
  int64_t other_size;
} Rows;

// Small members of a contact, at most three: one for each side, or one for both if a member touches itself, then the
// member that gives way. Large members are in large.c.
static int terms(const CpsEnds* e, int32_t member[3]) {
  int count = 0;
  if (!e->large_a) member[count++] = e->a;
  if (e->b >= 0 && e->b != e->a && !e->large_b) member[count++] = e->b;
  if (e->soft >= 0) member[count++] = e->soft;
  return count;
}

static int32_t dofs(const CpsWorld* world, int32_t member) {
  CpsMember m = cps_world_member(world, member);
  return m.model->type->dofs(m.model, m.index);
}

// Lays out the terms and values of each contact, and the small members of each island.
static void lay_out(CpsStep* step, int32_t* local) {
  CpsContacts* c = &step->contacts;
  int64_t term = 0, value = 0;
  int32_t member_count = 0;
  for (int32_t k = 0; k < c->island_count; ++k) {
    c->island_member_start[k] = member_count;
    int64_t first_term = term;
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
      c->term_start[i] = term;
      c->value_start[i] = value;
      c->local_start[i + k] = term - first_term;
      int32_t member[3];
      for (int s = 0, n = terms(&c->ends[c->order[i]], member); s < n; ++s) {
        int32_t* number = &local[member[s]];
        if (*number < 0) {
          *number = member_count - c->island_member_start[k];
          c->island_member[member_count] = member[s];
          c->island_dofs[member_count++] = dofs(step->world, member[s]);
        }
        c->term_member[term++] = *number;
        value += 3 * c->island_dofs[c->island_member_start[k] + *number];
      }
    }
    c->local_start[c->island_start[k + 1] + k] = term - first_term;
  }
  for (int32_t i = 0; i < member_count; ++i) c->z_start[i + 1] = c->z_start[i] + c->island_dofs[i];
  c->term_start[c->count] = term;
  c->value_start[c->count] = value;
  c->island_member_start[c->island_count] = member_count;
}

static void scale_row(double* row, int32_t count, double by) {
  for (int32_t j = 0; j < count; ++j) row[j] *= by;
}

// Rows of a member of a contact; returns the degrees of freedom. For self-contact, the rows of both sides are added.
static int32_t member_rows(const Rows* rows, const CpsStepContact* t, int32_t member, int worker, double* G) {
  CpsMember m = cps_world_member(rows->step->world, member);
  int32_t count = m.model->type->dofs(m.model, m.index);
  bool first = member == t->a;
  m.model->type->rows(m.model, m.index, first ? &t->spot_a : &t->spot_b, &t->frame, first ? 1.0 : -1.0, G);
  if (t->a != t->b || !first) return count;
  double* other = rows->other + (int64_t)worker * rows->other_size;
  m.model->type->rows(m.model, m.index, &t->spot_b, &t->frame, -1.0, other);
  for (int32_t j = 0; j < 3 * count; ++j) G[j] += other[j];
  return count;
}

// Rows, b, shift and the first guess of the contacts [first, last) of the order.
static void fill(void* data, int64_t first, int64_t last, int worker) {
  CpsStep* step = ((Rows*)data)->step;
  CpsContacts* c = &step->contacts;
  Rows* rows = data;
  for (int64_t i = first; i < last; ++i) {
    CpsStepContact* t = &c->contact[c->order[i]];
    const CpsEnds* ends = &c->ends[c->order[i]];
    t->island = ends->island;
    double* G = c->G + c->value_start[i];
    int32_t member[3];
    for (int s = 0, n = terms(ends, member); s < n; ++s) {
      int32_t m = member_rows(rows, t, member[s], worker, G);
      if (t->across != 1.0) scale_row(G + 2 * m, m, t->across);
      // a line contact has one row; the other two act on the member that gives way only
      if (t->soft >= 0 && member[s] != t->soft) memset(G + m, 0, 2 * (size_t)m * sizeof *G);
      G += 3 * m;
    }
    c->mu[i] = t->mu;
    if (c->dashpot) {
      c->dashpot[i] = 0.0;
      c->cohesion[i] = t->cohesion;
    }
    if (c->law) c->law[i] = (CpsLaw)t->law;
    const int64_t at = cps_contact_row(c, i);
    if (cps_contact_is_own(c, c->order[i])) {
      const CpsOwnBlock* block = &c->own[c->order[i] - c->touch_count - c->tie_count];
      c->dashpot[i] = block->dashpot;
      c->cohesion[i] = block->cohesion;
      cps_own_velocity(step, c->order[i], CPS_VELOCITY_FREE, c->b + at);
      for (int32_t k = 0; k < block->rows; ++k) c->shift[at + k] = k == 0 ? block->shift : 0.0;
      memcpy(c->r + at, block->guess, (size_t)block->rows * sizeof *c->r);
      continue;
    }
    for (int k = 0; k < 3; ++k) c->b[at + k] = t->free[k] * (k == 2 ? t->across : 1.0);
    c->shift[at] = t->shift, c->shift[at + 1] = c->shift[at + 2] = 0.0;
    if (c->order[i] >= c->touch_count) {
      const CpsTieBlock* block = &c->tie[c->order[i] - c->touch_count];
      for (int k = 0; k < 3; ++k) c->shift[at + k] = block->shift[k];
    }
    // ties start at 0: impulses of redundant ties are not unique, and a guess would persist in them forever
    double h = c->order[i] >= c->touch_count ? 0.0 : step->model.h;
    CpsVec3 r = cps_mat3_apply(t->frame, cps_vec3_scale(h, c->track[c->order[i]].impulse));
    bool pushes = r.x > 0.0 || t->law == CPS_LAW_BILATERAL;
    c->r[at] = pushes ? r.x : 0.0;
    c->r[at + 1] = pushes ? r.y : 0.0;
    c->r[at + 2] = pushes ? r.z / t->across : 0.0;
  }
}

// Lays out the rows of each contact, unless all have three.
static bool lay_rows(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  bool three = true;
  for (int32_t i = c->touch_count + c->tie_count; i < c->count; ++i) three = three && cps_contact_rows(c, i) == 3;
  if (three) return true;
  c->row = CPS_TAKE(step->scratch, int64_t, c->count + 1);
  c->dims = CPS_TAKE(step->scratch, int32_t, c->count);
  if (!c->row || !c->dims) return false;
  c->row[0] = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    c->dims[i] = cps_contact_rows(c, c->order[i]);
    c->row[i + 1] = c->row[i] + c->dims[i];
  }
  return true;
}

static bool take(CpsStep* step, int64_t term_count) {
  CpsContacts* c = &step->contacts;
  const int64_t members = cps_world_member_count(step->world), most = members < term_count ? members : term_count;
  int64_t n = c->count;
  if (!lay_rows(step)) return false;
  const int64_t rows = cps_contact_row(c, n);
  c->mu = CPS_TAKE(step->scratch, double, n);
  c->b = CPS_TAKE(step->scratch, double, rows);
  c->shift = CPS_TAKE(step->scratch, double, rows);
  c->r = CPS_TAKE(step->scratch, double, rows);
  c->law = n > c->touch_count ? CPS_TAKE(step->scratch, CpsLaw, n) : NULL;
  if (n > c->touch_count && !c->law) return false;
  if (n > c->touch_count + c->tie_count) {
    c->dashpot = CPS_TAKE(step->scratch, double, n);
    c->cohesion = CPS_TAKE(step->scratch, double, n);
    if (!c->dashpot || !c->cohesion) return false;
  }
  c->term_start = CPS_TAKE(step->scratch, int64_t, n + 1);
  c->value_start = CPS_TAKE(step->scratch, int64_t, n + 1);
  c->local_start = CPS_TAKE(step->scratch, int64_t, n + c->island_count + 1);
  c->term_member = CPS_TAKE(step->scratch, int32_t, term_count);
  c->island_member_start = CPS_TAKE(step->scratch, int32_t, c->island_count + 1);
  c->island_member = CPS_TAKE(step->scratch, int32_t, most);
  c->island_dofs = CPS_TAKE(step->scratch, int32_t, most);
  c->z_start = CPS_TAKE_ZERO(step->scratch, int64_t, most + 1);
  return c->mu && c->b && c->shift && c->r && c->term_start && c->value_start && c->local_start && c->term_member &&
         c->island_member_start && c->island_member && c->island_dofs && c->z_start;
}

// Sets velocities to zero in islands without a driving force: they are rounding of a weight that stiffness balances,
// or of two objects that fall side by side. Impulses computed for them would be rounding too, and so would their
// relative residual. Such an island is left as it is.
static void hush(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  const double most = ROUNDING * cps_vec3_norm(step->model.gravity) * step->model.h;
  for (int32_t k = 0; k < c->island_count; ++k) {
    const int64_t first = cps_contact_row(c, c->island_start[k]), last = cps_contact_row(c, c->island_start[k + 1]);
    bool driven = cps_island_is_large(c, k);
    for (int32_t i = c->island_start[k]; i < c->island_start[k + 1] && !driven; ++i) {
      driven = c->order[i] >= c->touch_count;
    }
    for (int64_t i = first; i < last && !driven; ++i) driven = !(fabs(c->b[i]) <= most && c->shift[i] >= 0.0);
    for (int64_t i = first; i < last && !driven; ++i) c->b[i] = c->r[i] = 0.0;
  }
}

CpsStatus cps_step_assemble(CpsStep* step) {
  CpsContacts* c = &step->contacts;
  int32_t members = cps_world_member_count(step->world);
  int32_t* local = CPS_TAKE(step->scratch, int32_t, members);
  int64_t term_count = 0, other_size = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsEnds* e = &c->ends[i];
    int32_t member[3];
    int n = terms(e, member);
    term_count += n;
    if (n == 0 || member[0] != e->a || e->a != e->b) continue;
    if (3 * dofs(step->world, e->a) > other_size) other_size = 3 * dofs(step->world, e->a);
  }
  double* other = CPS_TAKE(step->scratch, double, other_size * step->world->pool_threads);
  bool ok = local && other && take(step, term_count);
  if (ok) {
    for (int32_t i = 0; i < members; ++i) local[i] = -1;
    lay_out(step, local);
    c->G = CPS_TAKE(step->scratch, double, c->value_start[c->count]);
  }
  if (!ok || !c->G) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory to assemble %d contacts", (int)c->count);
  }
  Rows rows = {step, other, other_size};
  cps_pool_run(step->world->pool, c->count, fill, &rows);
  hush(step);
  return cps_world_has_large(step->world) ? cps_step_assemble_large(step) : CPS_OK;
}

CpsContactsDef cps_island_contacts(const CpsContacts* c, int32_t k) {
  CpsContactsDef def = cps_contacts_def_default();
  int64_t first = c->island_start[k];
  def.count = c->island_start[k + 1] - c->island_start[k];
  def.mu = c->mu + first;
  def.laws = c->law ? c->law + first : NULL;
  def.dashpot = c->dashpot ? c->dashpot + first : NULL;
  def.cohesion = c->cohesion ? c->cohesion + first : NULL;
  if (c->row) {
    def.dim = 0;
    def.dims = c->dims + first;
  }
  def.b = c->b + cps_contact_row(c, first);
  def.shift = c->shift + cps_contact_row(c, first);
  def.dof_count = c->z_start[c->island_member_start[k + 1]] - c->z_start[c->island_member_start[k]];
  if (cps_island_is_large(c, k)) def.dof_count += 3 * (int64_t)c->large.node_count[k];
  return def;
}

CpsFactoredForm cps_island_form(const CpsContacts* c, int32_t k) {
  int32_t first = c->island_start[k], member = c->island_member_start[k];
  const double* G = c->G + c->value_start[first];
  return (CpsFactoredForm){.body_count = c->island_member_start[k + 1] - member,
                           .body_dofs = c->island_dofs + member,
                           .contact_start = c->local_start + first + k,
                           .body = c->term_member + c->term_start[first],
                           .H = G,
                           .Y = G};
}

// part += G^T x, G of three rows and m columns.
static inline void add_rows(int32_t m, const double* restrict G, const double* restrict x, double* restrict part) {
  const double x0 = x[0], x1 = x[1], x2 = x[2];
  for (int32_t j = 0; j < m; ++j) part[j] += G[j] * x0 + G[m + j] * x1 + G[2 * m + j] * x2;
}

void cps_island_gather(const CpsContacts* c, int32_t k, const double* r, double* z) {
  int32_t own = c->island_member_start[k];
  for (int64_t j = c->z_start[own]; j < c->z_start[c->island_member_start[k + 1]]; ++j) z[j] = 0.0;
  for (int32_t i = c->island_start[k]; i < c->island_start[k + 1]; ++i) {
    const double *G = c->G + c->value_start[i], *x = r + cps_contact_row(c, i);
    for (int64_t term = c->term_start[i]; term < c->term_start[i + 1]; ++term) {
      int32_t to = own + c->term_member[term], m = c->island_dofs[to];
      double* part = z + c->z_start[to];
      if (m == 6)
        add_rows(6, G, x, part);  // most members: a constant lets the compiler unroll
      else
        add_rows(m, G, x, part);
      G += 3 * m;
    }
  }
}
