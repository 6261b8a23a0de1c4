// Names: the table of methods, the papers' aliases, and setting options from a name.
#include "capstan/solve.h"
#include "friction/global/method.h"

#include <ctype.h>
#include <string.h>

const CpsMethodEntry* cps_method_entry(CpsMethod method) {
  static const CpsMethodEntry* const TABLE[CPS_METHOD_COUNT] = {
      [CPS_METHOD_AUTO] = &cps_method_auto,
      [CPS_METHOD_GS] = &cps_method_gs,
      [CPS_METHOD_GS_PARALLEL] = &cps_method_gs_parallel,
      [CPS_METHOD_NEWTON_AC] = &cps_method_newton_ac,
      [CPS_METHOD_NEWTON_FB] = &cps_method_newton_fb,
      [CPS_METHOD_CADOUX_DUAL] = &cps_method_cadoux_dual,
      [CPS_METHOD_CADOUX_PRIMAL] = &cps_method_cadoux_primal,
      [CPS_METHOD_DESAXCE] = &cps_method_desaxce,
      [CPS_METHOD_CPG] = &cps_method_cpg,
      [CPS_METHOD_PSOR] = &cps_method_psor,
      [CPS_METHOD_LEMKE] = &cps_method_lemke,
      [CPS_METHOD_MCP] = &cps_method_mcp,
      [CPS_METHOD_STAGGERED] = &cps_method_staggered,
      [CPS_METHOD_ADMM] = &cps_method_admm,
      [CPS_METHOD_APGD] = &cps_method_apgd,
      [CPS_METHOD_CONVEX] = &cps_method_convex,
      [CPS_METHOD_PROXIMAL] = &cps_method_proximal,
      [CPS_METHOD_PRIMAL_NEWTON] = &cps_method_primal_newton,
      [CPS_METHOD_NODAL] = &cps_method_nodal,
      [CPS_METHOD_SPLITTING] = &cps_method_splitting,
  };
  return (int)method >= 0 && method < CPS_METHOD_COUNT ? TABLE[method] : NULL;
}

const CpsLocalInfo* cps_local_info(CpsLocal local) {
  const CpsLocalSolver* solver = cps_local_solver(local);
  return solver ? &solver->info : NULL;
}

static const CpsAlias ALIASES[] = {
    {"PAC", CPS_METHOD_GS, CPS_LOCAL_AC, false},
    {"DAC", CPS_METHOD_GS, CPS_LOCAL_AC_DAMPED, false},
    {"MFB", CPS_METHOD_GS, CPS_LOCAL_MFB, false},
    {"Enum", CPS_METHOD_GS, CPS_LOCAL_ENUM, false},
    {"4sides", CPS_METHOD_GS, CPS_LOCAL_PYRAMID, false},
    {"Duriez06", CPS_METHOD_GS, CPS_LOCAL_DURIEZ06, false},
    {"Duriez08", CPS_METHOD_GS, CPS_LOCAL_DURIEZ08, false},
    {"PAC+Enum", CPS_METHOD_GS, CPS_LOCAL_AC, true},
    {"DAC+Enum", CPS_METHOD_GS, CPS_LOCAL_AC_DAMPED, true},
    {"MFB+Enum", CPS_METHOD_GS, CPS_LOCAL_MFB, true},
    {"4sides+Enum", CPS_METHOD_GS, CPS_LOCAL_PYRAMID, true},
    {"Duriez06+Enum", CPS_METHOD_GS, CPS_LOCAL_DURIEZ06, true},
    {"Duriez08+Enum", CPS_METHOD_GS, CPS_LOCAL_DURIEZ08, true},
    {"NSGS", CPS_METHOD_GS, CPS_LOCAL_COUNT, false},
    {"PATH", CPS_METHOD_MCP, CPS_LOCAL_COUNT, false},
    {"Cadoux", CPS_METHOD_CADOUX_DUAL, CPS_LOCAL_COUNT, false},
};

const CpsAlias* cps_alias(int32_t i) {
  return i >= 0 && (size_t)i < sizeof ALIASES / sizeof *ALIASES ? &ALIASES[i] : NULL;
}

static bool same_name(const char* a, const char* b) {
  for (; *a && *b; ++a, ++b) {
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
  }
  return *a == *b;
}

CpsStatus cps_solve_options_set_method(CpsSolveOptions* options, const char* name) {
  if (!options || !name) return CPS_BAD_ARGUMENT;
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) {
    if (same_name(name, cps_method_entry((CpsMethod)m)->info.name)) {
      options->method = (CpsMethod)m;
      return CPS_OK;
    }
  }
  for (int32_t i = 0; cps_alias(i); ++i) {
    const CpsAlias* alias = cps_alias(i);
    if (!same_name(name, alias->name)) continue;
    options->method = alias->method;
    if (alias->local != CPS_LOCAL_COUNT) {
      options->local = alias->local;
      options->local_failsafe = alias->local_failsafe;
    }
    return CPS_OK;
  }
  return CPS_BAD_ARGUMENT;
}

CpsStatus cps_solve_options_set_local(CpsSolveOptions* options, const char* name) {
  static const char SUFFIX[] = "+enum";
  if (!options || !name) return CPS_BAD_ARGUMENT;
  size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
  bool failsafe = length > suffix && same_name(name + length - suffix, SUFFIX);
  if (failsafe) length -= suffix;
  for (int l = 0; l < CPS_LOCAL_COUNT; ++l) {
    const char* known = cps_local_info((CpsLocal)l)->name;
    char start[32];
    if (length >= sizeof start || strlen(known) != length) continue;
    memcpy(start, name, length);
    start[length] = '\0';
    if (!same_name(start, known)) continue;
    options->local = (CpsLocal)l;
    options->local_failsafe = failsafe;
    return CPS_OK;
  }
  return CPS_BAD_ARGUMENT;
}
