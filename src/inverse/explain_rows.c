// Rows G, strains y and friction of the contacts that may hold fibres (explain.c).
#include "inverse/explain.h"

#include "core/error.h"
#include "friction/residual.h"

#include <math.h>
#include <string.h>

static const double RIGID =
    1e-5;  // relative to the compliance of a tip: a contact 2 % of the length from a clamp cannot hold anything
static const double HARD = 1e-6, SOFT = 1e-3;  // compliance of contacts, relative to the mean of the fibres there
static const double PENALTY = 300.0;           // penalty on loads of a root, relative to the mean compliance

// A side of a contact and the place of its rows. If a fibre touches itself, the rows of the second side are added to the first.
typedef struct Side {
  int32_t holding, side;
  double *G, *sum;
} Side;

typedef struct Rows {
  CpsExplain* e;
  Side* side;         // by fibre
  CpsRodSpot* spots;  // likewise
  CpsStatus* status;  // of each fibre
} Rows;

static void find_held(CpsExplain* e) {
  for (int32_t k = 0; k < e->holding_count; ++k) {
    for (int s = 0; s < 2; ++s) {
      if (e->holding[k].fibre[s] >= 0) e->held[e->holding[k].fibre[s]].spot_count++;
    }
  }
  int32_t first = 0;
  for (int32_t i = 0; i < e->count; ++i) {
    CpsHeld* h = &e->held[i];
    h->body = -1;
    h->first = first;
    if (h->spot_count == 0) continue;
    const CpsRod* rod = &h->fibre->rod;
    first += h->spot_count;
    h->strains = 3 * rod->type->statics->natural(rod).count;
    h->root = rod->spec.root == CPS_END_CLAMPED ? 0 : rod->spec.root == CPS_END_PINNED ? 3 : 6;
    h->y = e->size;
    h->body = e->body_count++;
    e->size += cps_held_columns(h);
  }
}

static bool take(CpsExplain* e, Rows* rows) {
  const int64_t n = e->holding_count;
  rows->side = CPS_TAKE(e->arena, Side, 2 * n);
  rows->spots = CPS_TAKE(e->arena, CpsRodSpot, 2 * n);
  rows->status = CPS_TAKE(e->arena, CpsStatus, e->count);
  e->alone = CPS_TAKE_ZERO(e->arena, double, e->size);
  e->aim = CPS_TAKE_ZERO(e->arena, double, e->size);
  e->body_dofs = CPS_TAKE(e->arena, int32_t, e->body_count);
  e->term_start = CPS_TAKE(e->arena, int64_t, n + 1);
  e->value_start = CPS_TAKE(e->arena, int64_t, n + 1);
  e->term_held = CPS_TAKE(e->arena, int32_t, 2 * n);
  e->term_body = CPS_TAKE(e->arena, int32_t, 2 * n);
  e->mu = CPS_TAKE(e->arena, double, n);
  e->b = CPS_TAKE(e->arena, double, 3 * n);
  e->y = CPS_TAKE(e->arena, double, e->size);
  e->z = CPS_TAKE(e->arena, double, e->size);
  e->judged = CPS_TAKE_ZERO(e->arena, CpsVec3, 2 * n);
  e->u = CPS_TAKE(e->arena, double, 3 * n);
  e->r = CPS_TAKE_ZERO(e->arena, double, 3 * n);
  e->compliance = CPS_TAKE(e->arena, double, n);
  e->law = CPS_TAKE(e->arena, CpsLaw, n);
  e->contact_of = CPS_TAKE(e->arena, int32_t, 2 * n);
  e->rows_of = CPS_TAKE(e->arena, int64_t, 2 * n);
  return rows->side && rows->spots && rows->status && e->alone && e->aim && e->body_dofs && e->term_start &&
         e->value_start && e->term_held && e->term_body && e->mu && e->b && e->r && e->compliance && e->law &&
         e->contact_of && e->rows_of && e->y && e->z && e->u && e->judged;
}

// Lays out the terms of the contacts; returns the number of values of second sides in self-contacts.
static int64_t lay_out(CpsExplain* e) {
  int64_t term = 0, value = 0, more = 0;
  for (int32_t i = 0; i < e->count; ++i) {
    if (e->held[i].body >= 0) e->body_dofs[e->held[i].body] = cps_held_columns(&e->held[i]);
  }
  for (int32_t k = 0; k < e->holding_count; ++k) {
    const CpsHolding* h = &e->holding[k];
    e->term_start[k] = term;
    e->value_start[k] = value;
    e->mu[k] = (1.0 - e->options->margin) * e->step->contacts.contact[h->contact].mu;
    e->law[k] = CPS_LAW_CONVEX;
    for (int s = 0; s < 2; ++s) {
      if (h->fibre[s] < 0) continue;
      const int64_t size = 3 * (int64_t)cps_held_columns(&e->held[h->fibre[s]]);
      if (s == 1 && h->fibre[0] == h->fibre[1]) {
        more += size;
        continue;
      }
      e->term_held[term] = h->fibre[s];
      e->term_body[term++] = e->held[h->fibre[s]].body;
      value += size;
    }
  }
  e->term_start[e->holding_count] = term;
  e->value_start[e->holding_count] = value;
  return more;
}

static void share_out(CpsExplain* e, double* more, Side* side) {
  for (int32_t i = 0; i < e->count; ++i) e->held[i].spot_count = 0;
  for (int32_t k = 0; k < e->holding_count; ++k) {
    const CpsHolding* h = &e->holding[k];
    double* G = e->G + e->value_start[k];
    for (int s = 0; s < 2; ++s) {
      if (h->fibre[s] < 0) continue;
      CpsHeld* m = &e->held[h->fibre[s]];
      const bool again = s == 1 && h->fibre[0] == h->fibre[1];
      e->contact_of[m->first + m->spot_count] = k;
      e->rows_of[m->first + m->spot_count] = again ? -1 : G - e->G;
      side[m->first + m->spot_count++] = (Side){k, s, again ? more : G, again ? e->G + e->value_start[k] : NULL};
      if (again) {
        more += 3 * (ptrdiff_t)cps_held_columns(m);
      } else {
        G += 3 * (ptrdiff_t)cps_held_columns(m);
      }
    }
  }
}

// A guess of the natural strains.
static void guess(CpsGuess which, const CpsRodNatural* natural, const double* k, double* n) {
  const ptrdiff_t size = 3 * (ptrdiff_t)natural->count;
  for (ptrdiff_t i = 0; i < size; ++i) {
    switch (which) {
      case CPS_GUESS_AS_PLACED:
        n[i] = k[i];
        break;
      case CPS_GUESS_STRAIGHT:
        n[i] = 0.0;
        break;
      case CPS_GUESS_TIP:
        n[i] = (i < 3 && size > 3 ? natural->first : 1.0) * k[size - 3 + i % 3];
        break;
      case CPS_GUESS_NATURAL:
        n[i] = natural->strain[i];
        break;
    }
  }
}

// y_w and y_w - y_0. Afterwards the fibre has its natural strains without contacts.
static CpsStatus find_strains(const CpsExplain* e, CpsHeld* h) {
  CpsRod* rod = &h->fibre->rod;
  const CpsRodStatics* statics = rod->type->statics;
  const CpsRodNatural natural = statics->natural(rod);
  double *alone = e->alone + h->y, *aim = e->aim + h->y;
  CpsRodLoad load = cps_rod_load(rod, e->world->def.gravity, rod->pull_count, rod->pulls);
  load.lack = &h->lack;
  statics->strains(rod, alone);
  guess(e->options->guess, &natural, alone, aim);
  const CpsStatus status = statics->balance(rod, &load, NULL);
  if (status != CPS_OK) return status;
  for (int32_t i = 0; i < h->strains; ++i) {
    alone[i] -= natural.strain[i];
    aim[i] -= natural.strain[i];  // (k - n) - (k - n_0)
  }
  statics->whiten(rod, alone);
  statics->whiten(rod, aim);
  return CPS_OK;
}

// (3) of explain.c: effect on the root of forces along the rows. The rows of strains move to make room, last one first.
static void add_root(const CpsHeld* h, const CpsRodSpot* spot) {
  const CpsRod* rod = &h->fibre->rod;
  const ptrdiff_t n = cps_held_columns(h);
  const CpsVec3 arm = cps_vec3_sub(spot->point, rod->type->at(rod, 0.0).position);
  for (ptrdiff_t a = 2; a >= 0; --a) {
    const CpsVec3 F = cps_vec3_scale(spot->sign, cps_vec3_get(spot->frame.m + 3 * a));
    double* row = spot->G + a * n;
    memmove(row, spot->G + a * h->strains, (size_t)h->strains * sizeof *row);
    cps_vec3_put(row + h->strains, cps_vec3_scale(1.0 / rod->spec.length, cps_vec3_cross(arm, F)));
    if (h->root == 6) cps_vec3_put(row + h->strains + 3, F);
  }
}

static CpsStatus find_rows(const Rows* rows, const CpsHeld* h) {
  const CpsExplain* e = rows->e;
  const Side* side = rows->side + h->first;
  CpsRodSpot* spots = rows->spots + h->first;
  for (int32_t i = 0; i < h->spot_count; ++i) {
    const CpsStepContact* t = &e->step->contacts.contact[e->holding[side[i].holding].contact];
    const CpsSpot* at = side[i].side == 0 ? &t->spot_a : &t->spot_b;
    spots[i] = (CpsRodSpot){at->arc, at->point, t->frame, side[i].side == 0 ? 1.0 : -1.0, side[i].G};
    // an ellipse is a disc in scaled units: (1) of world/assemble.c
    for (int k = 6; k < 9; ++k) spots[i].frame.m[k] *= t->across;
  }
  if (!h->fibre->rod.type->statics->compliance(&h->fibre->rod, h->spot_count, spots)) return CPS_NO_MEMORY;
  for (int32_t i = 0; i < h->spot_count; ++i) {
    if (h->root > 0) add_root(h, &spots[i]);
    for (int32_t k = 0; side[i].sum && k < 3 * cps_held_columns(h); ++k) side[i].sum[k] += side[i].G[k];
  }
  return CPS_OK;
}

static void fill_range(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Rows* rows = data;
  for (int64_t i = first; i < last; ++i) {
    CpsHeld* h = &rows->e->held[i];
    rows->status[i] = CPS_OK;
    if (h->body < 0) continue;
    rows->status[i] = find_strains(rows->e, h);
    if (rows->status[i] == CPS_OK) rows->status[i] = find_rows(rows, h);
  }
}

// Excludes the contacts of a fibre that cannot be inverted; its inversion reports the reason.
static void leave_out(CpsExplain* e, const CpsHeld* h, const Side* side) {
  for (int32_t s = 0; s < h->spot_count; ++s) e->law[side[h->first + s].holding] = CPS_LAW_FREE;
  for (int32_t j = 0; j < cps_held_columns(h); ++j) e->alone[h->y + j] = e->aim[h->y + j] = 0.0;
}

// The mean compliance of the fibres at contacts. Contacts next to a clamped root are excluded: the fibre is so stiff
// there that any force would do.
static double mean_compliance(const CpsExplain* e) {
  double sum = 0.0;
  int32_t count = 0;
  for (int32_t k = 0; k < e->holding_count; ++k) {
    double own = 0.0, tip = 0.0;  // of the contact, and of the free tip of its softest fibre: L^3 / 3 E I
    for (int64_t t = e->value_start[k]; t < e->value_start[k + 1]; ++t) own += e->G[t] * e->G[t];
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const CpsRodSpec* spec = &e->held[e->term_held[t]].fibre->rod.spec;
      const double *B = spec->branch[0].stiffness, L = spec->length;
      tip = fmax(tip, L * L * L / (3.0 * fmax(B[1], B[2])));
    }
    if (!(own > RIGID * tip)) e->law[k] = CPS_LAW_FREE;
    if (e->law[k] == CPS_LAW_FREE) continue;
    sum += own;
    ++count;
  }
  return count > 0 ? sum / (3.0 * count) : 0.0;
}

// Scales contacts and roots by the mean compliance of the fibres. If there are few contacts, they can be so stiff
// that it makes no difference.
static void scale(CpsExplain* e) {
  const double mean = mean_compliance(e), root = sqrt(PENALTY * mean), asked = e->options->compliance;
  e->softness = !isnan(asked) ? asked : e->holding_count < CPS_EXPLAIN_MANY ? HARD : SOFT;
  for (int32_t k = 0; k < e->holding_count; ++k) {
    double* G = e->G + e->value_start[k];
    e->compliance[k] = e->softness * mean;
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const CpsHeld* h = &e->held[e->term_held[t]];
      for (int a = 0; a < 3; ++a, G += cps_held_columns(h)) {
        for (int32_t j = h->strains; j < cps_held_columns(h); ++j) G[j] *= root;
      }
    }
  }
  for (int32_t i = 0; i < e->count; ++i) {
    const CpsHeld* h = &e->held[i];
    if (h->body < 0 || h->root == 0) continue;
    double* y = e->aim + h->y + h->strains;
    cps_vec3_put(y, cps_vec3_scale(-root / h->fibre->rod.spec.length, h->lack.moment));
    if (h->root == 6) cps_vec3_put(y + 3, cps_vec3_scale(-root, h->lack.force));
  }
}

CpsStatus cps_explain_fill(CpsExplain* e, CpsError* error) {
  Rows rows = {.e = e};
  find_held(e);
  double* more = NULL;
  if (take(e, &rows)) {
    more = CPS_TAKE_ZERO(e->arena, double, lay_out(e));
    e->G = CPS_TAKE_ZERO(e->arena, double, e->value_start[e->holding_count]);
  }
  if (!more || !e->G) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)e->holding_count);
  }
  share_out(e, more, rows.side);
  cps_pool_run(e->world->pool, e->count, fill_range, &rows);
  for (int32_t i = 0; i < e->count; ++i) {
    if (rows.status[i] == CPS_NO_MEMORY) return cps_fail(error, CPS_NO_MEMORY, "not enough memory to invert a fibre");
    if (rows.status[i] != CPS_OK) leave_out(e, &e->held[i], rows.side);
  }
  scale(e);
  return CPS_OK;
}

void cps_explain_add_rows(int32_t m, const double* restrict G, const double* restrict y, double* restrict b) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0;  // independent sums, so that none waits for its own result
  for (int32_t j = 0; j < m; ++j) s0 += G[j] * y[j], s1 += G[m + j] * y[j], s2 += G[2 * m + j] * y[j];
  b[0] += s0, b[1] += s1, b[2] += s2;
}

// A product of all rows with a vector.
typedef struct Product {
  const CpsExplain* e;
  const double* from;
  double* to;
} Product;

static void gather(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Product* p = data;
  const CpsExplain* e = p->e;
  const double* G = e->G + e->value_start[first];
  for (int64_t k = first; k < last; ++k) {
    double* b = p->to + 3 * k;
    b[0] = b[1] = b[2] = 0.0;
    for (int64_t t = e->term_start[k]; t < e->term_start[k + 1]; ++t) {
      const CpsHeld* h = &e->held[e->term_held[t]];
      cps_explain_add_rows(cps_held_columns(h), G, p->from + h->y, b);
      G += 3 * (ptrdiff_t)cps_held_columns(h);
    }
  }
}

void cps_explain_gather(const CpsExplain* e, const double* y, double* b) {
  Product p = {e, y, b};
  cps_pool_run(e->world->pool, e->holding_count, gather, &p);
}

static void scatter(void* data, int64_t first, int64_t last, int worker) {
  (void)worker;
  const Product* p = data;
  const CpsExplain* e = p->e;
  for (int64_t i = first; i < last; ++i) {
    const CpsHeld* h = &e->held[i];
    const ptrdiff_t m = cps_held_columns(h);
    for (int32_t s = h->first; h->body >= 0 && s < h->first + h->spot_count; ++s) {
      const double* r = p->from + 3 * (ptrdiff_t)e->contact_of[s];
      if (e->rows_of[s] < 0 || (r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0)) continue;
      const double* restrict G = e->G + e->rows_of[s];
      double* restrict y = p->to + h->y;
      for (ptrdiff_t j = 0; j < m; ++j) y[j] += G[j] * r[0] + G[m + j] * r[1] + G[2 * m + j] * r[2];
    }
  }
}

void cps_explain_scatter(const CpsExplain* e, const double* r, double* y) {
  Product p = {e, r, y};
  cps_pool_run(e->world->pool, e->count, scatter, &p);
}

void cps_explain_respond(const CpsExplain* e, const double* r, double* z) {
  memcpy(z, e->aim, (size_t)e->size * sizeof *z);
  cps_explain_scatter(e, r, z);
}

double cps_explain_residual(const CpsExplain* e, const double* r, const double* z) {
  cps_explain_gather(e, z, e->u);
  for (int32_t k = 0; k < e->holding_count; ++k) {
    for (int a = 0; a < 3; ++a) e->u[3 * (ptrdiff_t)k + a] += e->compliance[k] * r[3 * (ptrdiff_t)k + a];
  }
  return cps_residual_measure(e->problem, e->world->pool, r, e->u, false).residual.natural;
}
