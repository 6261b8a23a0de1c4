// Compliant contacts in a problem that keeps bodies.
//
// An extra body that only contact i touches, with H = Y = sqrt(c_i) I, adds c_i I to W_ii: every method that supports
// bodies handles it without change.
#include "core/error.h"
#include "friction/build.h"

#include <math.h>
#include <string.h>

// Sizes of the form including the added bodies.
typedef struct Sizes {
  int32_t bodies;
  int64_t terms, values, more;
} Sizes;

static CpsStatus count(const CpsProblem* p, const CpsFactoredForm* form, Sizes* sizes, CpsError* error) {
  *sizes = (Sizes){.bodies = form->body_count};
  if (!form->contact_start) return cps_fail(error, CPS_BAD_ARGUMENT, "contact_start is NULL");
  sizes->terms = form->contact_start[p->contact_count];
  if (sizes->terms < 0 || (sizes->terms > 0 && (!form->body || !form->H || !form->Y || !form->body_dofs))) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "body, body_dofs, H or Y is NULL");
  }
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int64_t d = cps_contact_dim(p, i);
    for (int64_t t = form->contact_start[i]; t < form->contact_start[i + 1]; ++t) {
      if (t < 0 || t >= sizes->terms || form->body[t] < 0 || form->body[t] >= form->body_count) {
        return cps_fail(error, CPS_BAD_DATA, "contact %d refers to a body that does not exist", (int)i);
      }
      sizes->values += d * form->body_dofs[form->body[t]];
    }
    if (!(p->compliance[i] > 0.0)) continue;
    sizes->bodies++;
    sizes->more += d * d;
  }
  sizes->terms += sizes->bodies - form->body_count;
  return CPS_OK;
}

static void fill(const CpsProblem* p, const CpsFactoredForm* form, int32_t* dofs, int64_t* start, int32_t* body,
                 double* H, double* Y) {
  int64_t term = 0, from = 0, to = 0;
  int32_t next = form->body_count;
  if (next > 0) memcpy(dofs, form->body_dofs, (size_t)next * sizeof *dofs);
  for (int32_t i = 0; i < p->contact_count; ++i) {
    const int d = cps_contact_dim(p, i);
    start[i] = term;
    for (int64_t t = form->contact_start[i]; t < form->contact_start[i + 1]; ++t, ++term) {
      const int64_t size = (int64_t)d * form->body_dofs[form->body[t]];
      body[term] = form->body[t];
      memcpy(H + to, form->H + from, (size_t)size * sizeof *H);
      if (Y != H) memcpy(Y + to, form->Y + from, (size_t)size * sizeof *Y);
      from += size;
      to += size;
    }
    if (!(p->compliance[i] > 0.0)) continue;
    dofs[next] = d;
    body[term++] = next++;
    for (int k = 0; k < d * d; ++k) H[to + k] = Y[to + k] = k % (d + 1) == 0 ? sqrt(p->compliance[i]) : 0.0;
    to += (int64_t)d * d;
  }
  start[p->contact_count] = term;
}

CpsStatus cps_build_compliant_factors(CpsProblem* p, const CpsFactoredForm* factored, CpsError* error) {
  Sizes sizes;
  CpsStatus status = count(p, factored, &sizes, error);
  if (status != CPS_OK) return status;
  CpsArena arena = {0};
  int32_t *dofs = CPS_TAKE(&arena, int32_t, sizes.bodies), *body = CPS_TAKE(&arena, int32_t, sizes.terms);
  int64_t* start = CPS_TAKE(&arena, int64_t, (int64_t)p->contact_count + 1);
  // if H and Y share one array, it is filled in place at once
  const bool same = factored->H == factored->Y;
  double* H = CPS_TAKE(same ? &p->arena : &arena, double, sizes.values + sizes.more);
  double* Y = same ? H : CPS_TAKE(&arena, double, sizes.values + sizes.more);
  if (dofs && body && start && H && Y) {
    fill(p, factored, dofs, start, body, H, Y);
    const CpsFactoredForm whole = {sizes.bodies, dofs, start, body, H, Y};
    p->compliant = true;
    status = cps_build_plain_factors(p, &whole, same, error);
  } else {
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for the compliance of contacts");
  }
  cps_arena_free(&arena);
  return status;
}
