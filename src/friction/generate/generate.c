// cps_problem_generate: checks the definition, calls the generator, and forms W on request.
#include "core/error.h"
#include "friction/generate/generated.h"
#include "friction/problem.h"

#include <math.h>

enum { GENERATE_COOKIE = 0x67656e31, CONTACTS_MAX = 20000000, ROD_DOFS_MAX = 300 };

CpsGenerateDef cps_generate_def_default(void) {
  return (CpsGenerateDef){.kind = CPS_GENERATE_FIBRES,
                          .contact_count = 1000,
                          .body_count = 0,
                          .dofs_per_rod = 15,
                          .mu = 0.3,
                          .seed = 1,
                          .form = CPS_FORM_FACTORED,
                          .cookie = GENERATE_COOKIE};
}

static CpsStatus check(const CpsGenerateDef* def, CpsError* error) {
  if (def->cookie != GENERATE_COOKIE)
    return cps_fail(error, CPS_BAD_ARGUMENT, "the definition was not initialised by cps_generate_def_default()");
  if (def->contact_count < 1 || def->contact_count > CONTACTS_MAX)
    return cps_fail(error, CPS_BAD_ARGUMENT, "contact_count is %d, not in 1 to %d", (int)def->contact_count,
                    (int)CONTACTS_MAX);
  if (def->body_count < 0 || def->body_count > CONTACTS_MAX)
    return cps_fail(error, CPS_BAD_ARGUMENT, "body_count is %d, not in 0 to %d", (int)def->body_count,
                    (int)CONTACTS_MAX);
  if (def->kind == CPS_GENERATE_FIBRES &&
      (def->dofs_per_rod < 3 || def->dofs_per_rod > ROD_DOFS_MAX || def->dofs_per_rod % 3 != 0))
    return cps_fail(error, CPS_BAD_ARGUMENT, "dofs_per_rod is %d, not a multiple of 3 in 3 to %d",
                    (int)def->dofs_per_rod, (int)ROD_DOFS_MAX);
  if (!(def->mu >= 0.0) || !isfinite(def->mu))
    return cps_fail(error, CPS_BAD_ARGUMENT, "mu is %g, not a finite number >= 0", def->mu);
  if (def->form != CPS_FORM_W && def->form != CPS_FORM_FACTORED)
    return cps_fail(error, CPS_BAD_ARGUMENT, "form is %d, not a CpsForm", (int)def->form);
  return CPS_OK;
}

// A problem with the explicit W of `factored`, built from block triplets.
static CpsStatus form_W(const CpsContactsDef* contacts, const CpsProblem* factored, CpsArena* arena,
                        CpsProblem** problem, CpsError* error) {
  CpsBlockMatrix W;
  if (!cps_problem_explicit_W(factored, arena, &W))
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for W of %d contacts", (int)contacts->count);
  int64_t block_count = W.start[W.rows];
  int32_t* rows = CPS_TAKE(arena, int32_t, block_count);
  if (!rows) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for W of %d contacts", (int)contacts->count);
  for (int32_t i = 0; i < W.rows; ++i)
    for (int64_t k = W.start[i]; k < W.start[i + 1]; ++k) rows[k] = i;
  return cps_problem_from_blocks(contacts, block_count, rows, W.col, W.value, problem, error);
}

static CpsStatus assemble(const CpsGenerateDef* def, CpsGenerated* made, CpsProblem** problem, CpsError* error) {
  double* mu = CPS_TAKE(&made->arena, double, made->contact_count);
  if (!mu) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)made->contact_count);
  for (int32_t i = 0; i < made->contact_count; ++i) mu[i] = def->mu;

  CpsContactsDef contacts = cps_contacts_def_default();
  contacts.count = made->contact_count;
  contacts.mu = mu;
  contacts.b = made->b;
  for (int32_t k = 0; k < made->body_count; ++k) contacts.dof_count += made->body_dofs[k];
  CpsFactoredForm form = {.body_count = made->body_count,
                          .body_dofs = made->body_dofs,
                          .contact_start = made->contact_start,
                          .body = made->body,
                          .H = made->H,
                          .Y = made->Y};
  CpsProblem* factored = NULL;
  CpsStatus status = cps_problem_from_bodies(&contacts, &form, &factored, error);
  if (status != CPS_OK) return status;
  if (def->form == CPS_FORM_FACTORED) {
    *problem = factored;
    return CPS_OK;
  }
  status = form_W(&contacts, factored, &made->arena, problem, error);
  cps_problem_destroy(factored);
  return status;
}

CpsStatus cps_problem_generate(const CpsGenerateDef* def, CpsProblem** problem, CpsError* error) {
  if (!def || !problem) return cps_fail(error, CPS_BAD_ARGUMENT, "def and problem may not be NULL");
  CpsStatus status = check(def, error);
  if (status != CPS_OK) return status;

  CpsGenerated made = {0};
  switch (def->kind) {
    case CPS_GENERATE_FIBRES:
      status = cps_generate_fibres(def, &made, error);
      break;
    case CPS_GENERATE_STACK:
      status = cps_generate_stack(def, &made, error);
      break;
    case CPS_GENERATE_SPHERES:
      status = cps_generate_spheres(def, &made, error);
      break;
    default:
      status = cps_fail(error, CPS_BAD_ARGUMENT, "kind is %d, not a CpsGenerateKind", (int)def->kind);
  }
  if (status == CPS_OK && !cps_generated_settle(&made, def->mu))
    status = cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)def->contact_count);
  if (status == CPS_OK) status = assemble(def, &made, problem, error);
  cps_arena_free(&made.arena);
  return status == CPS_OK ? cps_succeed(error) : status;
}
