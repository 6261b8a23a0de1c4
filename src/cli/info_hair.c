#include "cli/info_hair.h"

#include <inttypes.h>
#include <stdio.h>

#include "capstan/hair.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/report.h"

static void print_vector(CpsJson* json, const char* key, CpsVec3 v) {
  cps_json_open(json, key, '[');
  cps_json_number(json, NULL, v.x);
  cps_json_number(json, NULL, v.y);
  cps_json_number(json, NULL, v.z);
  cps_json_close(json, ']');
}

static void print_json(const char* path, const CpsHair* hair, const CpsHairFacts* facts) {
  CpsJson json = {.out = stdout};
  cps_json_open(&json, NULL, '{');
  cps_json_text(&json, "hair", path);
  cps_json_text(&json, "about", hair->about);
  cps_json_integer(&json, "strands", hair->strand_count);
  cps_json_integer(&json, "points", hair->point_count);
  cps_json_integer(&json, "skipped_short", hair->skipped_short);
  cps_json_integer(&json, "skipped_bad", hair->skipped_bad);
  cps_json_number(&json, "length_min", facts->length_min);
  cps_json_number(&json, "length_mean", facts->length_mean);
  cps_json_number(&json, "length_max", facts->length_max);
  cps_json_number(&json, "thickness_min", facts->thickness_min);
  cps_json_number(&json, "thickness_max", facts->thickness_max);
  print_vector(&json, "lower", facts->lower);
  print_vector(&json, "upper", facts->upper);
  cps_json_close(&json, '}');
  putchar('\n');
}

static void print_range(const char* label, double low, double high) {
  if (low == high) printf("%-10s %.4g\n", label, low);
  if (low != high) printf("%-10s %.4g to %.4g\n", label, low, high);
}

static void print_text(const char* path, const CpsHair* hair, const CpsHairFacts* facts) {
  printf("%s: strands of hair\n", cps_file_name(path));
  if (hair->about[0]) printf("about      %s\n", hair->about);
  printf("strands    %d\n", (int)hair->strand_count);
  printf("points     %" PRId64 ", %" PRId64 " to %" PRId64 " per strand\n", hair->point_count, facts->points_min,
         facts->points_max);
  if (hair->skipped_short > 0) printf("skipped    %" PRId64 " strands with no length\n", hair->skipped_short);
  if (hair->skipped_bad > 0) printf("skipped    %" PRId64 " strands with non-finite numbers\n", hair->skipped_bad);
  printf("length     %.4g to %.4g, mean %.4g, in file units\n", facts->length_min, facts->length_max,
         facts->length_mean);
  if (facts->thickness_max > 0.0) print_range("thickness", facts->thickness_min, facts->thickness_max);
  print_range("x", facts->lower.x, facts->upper.x);
  print_range("y", facts->lower.y, facts->upper.y);
  print_range("z", facts->lower.z, facts->upper.z);
}

int cps_info_hair(const char* path, bool as_json) {
  CpsHair hair = {0};
  CpsError error;
  if (cps_hair_read(path, &hair, &error) != CPS_OK) return cps_complain("%s", error.text);
  CpsHairFacts facts = cps_hair_facts(&hair);
  if (as_json) {
    print_json(path, &hair, &facts);
  } else {
    print_text(path, &hair, &facts);
  }
  cps_hair_free(&hair);
  return CPS_EXIT_OK;
}
