#include "cli/info_rest.h"

#include <inttypes.h>
#include <stdio.h>

#include "capstan/rest.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/report.h"

static void print_json(const char* path, const CpsRestFacts* facts) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "rest", path);
  cps_json_integer(&json, "fibres", facts->fibre_count);
  cps_json_integer(&json, "strains", facts->strain_count);
  cps_json_integer(&json, "lengths", facts->length_count);
  cps_json_integer(&json, "stiffened", facts->stiffened_count);
  cps_json_number(&json, "most_stiffened", facts->most_stiffened);
  cps_json_number(&json, "curvature_max", facts->curvature_max);
  cps_json_bool(&json, "has_report", facts->has_report);
  if (facts->has_report) {
    cps_json_integer(&json, "elements", facts->report.element_count);
    cps_json_integer(&json, "inverted", facts->report.inverted_count);
    cps_json_integer(&json, "refused", facts->report.refused_count);
    cps_json_integer(&json, "unstable", facts->report.unstable_count);
    cps_json_number(&json, "balance", facts->report.balance);
    cps_json_number(&json, "least_factor", facts->report.least_factor);
  }
  cps_json_close(&json, '}');
  putchar('\n');
}

static void print_text(const char* path, const CpsRestFacts* facts) {
  printf("%s: rest state of fibres\n", cps_file_name(path));
  printf("fibres     %" PRId64 "\n", facts->fibre_count);
  printf("strains    %" PRId64 ", largest %.4g 1/m\n", facts->strain_count, facts->curvature_max);
  if (facts->length_count > 0) printf("lengths    %" PRId64 "\n", facts->length_count);
  if (facts->stiffened_count > 0) {
    printf("stiffened  %" PRId64 " fibre%s, up to %.3gx\n", facts->stiffened_count,
           facts->stiffened_count == 1 ? "" : "s", facts->most_stiffened);
  }
  if (!facts->has_report) return;
  printf("at rest    %d of %d, balance %.1e\n", (int)facts->report.inverted_count, (int)facts->report.fibre_count,
         facts->report.balance);
  if (facts->report.refused_count > 0) printf("refused    %d\n", (int)facts->report.refused_count);
  if (facts->report.unstable_count > 0) {
    printf("unstable   %d; %.3gx the stiffness would stabilise all\n", (int)facts->report.unstable_count,
           facts->report.least_factor);
  }
}

int cps_info_rest(const char* path, bool as_json) {
  CpsRestFacts facts;
  CpsError error;
  if (cps_rest_describe(path, &facts, &error) != CPS_OK) return cps_complain("%s", error.text);
  if (as_json) {
    print_json(path, &facts);
  } else {
    print_text(path, &facts);
  }
  return CPS_EXIT_OK;
}
