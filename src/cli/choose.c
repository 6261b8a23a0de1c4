#include "cli/choose.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/command.h"

#define MOST_ALIASES 64

bool cps_choose_method(CpsSolveOptions* options, const char* name) {
  if (cps_solve_options_set_method(options, name) == CPS_OK) {
    const CpsMethodInfo* info = cps_method_info(options->method);
    if (info && info->available) return true;
    cps_complain("method '%s' is not in this build (it needs SuiteSparse)", name);
    return false;
  }
  const char* names[CPS_METHOD_COUNT + MOST_ALIASES + 1] = {NULL};
  int count = 0;
  for (int m = 0; m < CPS_METHOD_COUNT; ++m) names[count++] = cps_method_name((CpsMethod)m);
  for (int32_t a = 0; a < MOST_ALIASES && cps_alias(a); ++a) names[count++] = cps_alias(a)->name;
  const char* near = cps_suggest(name, names);
  if (near) {
    cps_complain("unknown method '%s'; did you mean '%s'?", name, near);
  } else {
    cps_complain("unknown method '%s'; 'capstan methods' lists them", name);
  }
  return false;
}

bool cps_choose_local(CpsSolveOptions* options, const char* name) {
  if (cps_solve_options_set_local(options, name) == CPS_OK) return true;
  char with_enum[CPS_LOCAL_COUNT][32];
  const char* names[2 * CPS_LOCAL_COUNT + 1] = {NULL};
  for (int l = 0; l < CPS_LOCAL_COUNT; ++l) {
    const CpsLocalInfo* info = cps_local_info((CpsLocal)l);
    names[2 * l] = info ? info->name : "?";
    snprintf(with_enum[l], sizeof with_enum[l], "%s+enum", names[2 * l]);
    names[2 * l + 1] = with_enum[l];
  }
  const char* near = cps_suggest(name, names);
  if (near) {
    cps_complain("unknown local solver '%s'; did you mean '%s'?", name, near);
  } else {
    cps_complain("unknown local solver '%s'; 'capstan methods' lists them", name);
  }
  return false;
}

const char* cps_method_name(CpsMethod method) {
  const CpsMethodInfo* info = cps_method_info(method);
  return info ? info->name : "?";
}

const char* cps_local_name(const CpsSolveInfo* info, char text[32]) {
  const CpsLocalInfo* local = cps_local_info(info->local);
  if (!local) return NULL;
  bool failsafe = info->local_failsafe && info->local != CPS_LOCAL_ENUM;
  snprintf(text, 32, "%s%s", local->name, failsafe ? "+enum" : "");
  return text;
}

const char* cps_status_word(CpsStatus status) {
  switch (status) {
    case CPS_OK:
      return "converged";
    case CPS_NO_SOLUTION:
      return "no-solution";
    case CPS_TIME_LIMIT:
      return "time-limit";
    case CPS_INTERRUPTED:
      return "interrupted";
    default:
      return "not-converged";
  }
}
