// Files of measured fabrics: read, mapped to a sheet, and refused where they are damaged.
#include "capstan/fabric.h"

#include <string.h>

#include "scratch.h"

// Made up; no measurement.
static const char* const TEXT =
    "{\n"
    "\t\"about\": {\"made\": [\"up\", {\"a\\\"b\": null}], \"true\": false},  // skipped\n"
    "  \"density\": 0.25,\n"
    "  \"stretching\": [[100, 20, 50, 40], [200, 30, 0, 0], [1, 1, 1, 1], [2, 2, 2, 80], [1, 1, 1, 1], [0, 50, 150, "
    "0]],\n"
    "  /* rows: 0, 45, 90 degrees */\n"
    "  \"bending\": [[40e-6, 44e-6, 48e-6, 52e-6, 56e-6], [60e-6, 1, 1, 1, 1], [80.0e-6, 88e-6, 96e-6, 104e-6, -1]]\n"
    "}\n";

static void a_file_is_read(void** state) {
  (void)state;
  char path[200];
  snprintf(path, sizeof path, "%s/tweed.v2.json", scratch_folder);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(TEXT, file);
  fclose(file);
  CpsFabricTable t;
  CpsError error = {"old"};
  assert_int_equal(cps_fabric_table_read(path, &t, &error), CPS_OK);
  assert_string_equal(error.text, "");
  assert_string_equal(t.name, "tweed.v2");
  assert_true(t.density == 0.25 && t.stretching[0][2] == 50.0 && t.stretching[5][2] == 150.0 &&
              t.bending[2][3] == 104e-6);
  assert_int_equal(cps_fabric_table_read("no/such/file.json", &t, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "no/such/file.json"));
}

static void a_table_becomes_a_fabric(void** state) {
  (void)state;
  CpsFabricTable t;
  CpsFabric f;
  assert_int_equal(cps_fabric_table_parse(TEXT, strlen(TEXT), "tweed", &t, NULL), CPS_OK);
  assert_int_equal(cps_fabric_table_at(&t, 0.0, 0.0, &f, NULL), CPS_OK);
  // C11 200, C22 100, C12 40, so nu^2 = 0.08
  assert_near(f.poisson, 40.0 / sqrt(200.0 * 100.0), 1e-15);
  assert_near(f.stretch[0], 0.92 * 200.0, 1e-12);
  assert_near(f.stretch[1], 0.92 * 100.0, 1e-12);
  assert_near(f.shear, 40.0, 1e-12);
  assert_near(f.bending[0], 20e-6, 1e-18);
  assert_near(f.bending[1], 10e-6, 1e-18);
  assert_near(f.twisting, 15e-6, 1e-18);  // 15e-6 at 45 degrees = (20 + 10)e-6/4 + T/2
  assert_string_equal(f.name, "tweed");
  // stretched by 1/6: c11 200 along the warp, c22 150 along the weft, c12 (30 + 50)/2, c33 80
  assert_int_equal(cps_fabric_table_at(&t, 0.5, 5.0, &f, NULL), CPS_OK);
  assert_near(f.poisson, 80.0 / sqrt(400.0 * 300.0), 1e-15);
  assert_near(f.shear, 80.0, 1e-12);
  assert_near(f.bending[0], 21e-6, 1e-18);
  // half way; beyond the last curvature the negative entry counts as 0
  assert_int_equal(cps_fabric_table_at(&t, 1.0 / 12.0, 1e6, &f, NULL), CPS_OK);
  assert_near(f.shear, 60.0, 1e-12);
  assert_true(f.bending[0] == 0.0 && f.bending[1] == 14e-6);
  assert_int_equal(cps_fabric_table_at(&t, NAN, 0.0, &f, NULL), CPS_BAD_ARGUMENT);
  memset(t.stretching, 0, sizeof t.stretching);
  assert_int_equal(cps_fabric_table_at(&t, 0.0, 0.0, &f, NULL), CPS_BAD_DATA);
}

static void assert_refused(const char* text, const char* sentence) {
  CpsFabricTable t, before;
  CpsError error = {{0}};
  memset(&t, 7, sizeof t);
  before = t;
  assert_int_equal(cps_fabric_table_parse(text, strlen(text), "rag.json", &t, &error), CPS_BAD_FORMAT);
  if (!strstr(error.text, sentence)) print_error("\"%s\" does not say \"%s\"\n", error.text, sentence);
  assert_non_null(strstr(error.text, sentence));
  assert_memory_equal(&t, &before, sizeof t);
}

static void bad_files_are_refused_with_their_line(void** state) {
  (void)state;
  assert_refused("", "rag.json: line 1: a fabric is a JSON object");
  assert_refused("{}", "\"density\" is missing");
  assert_refused("{\"density\": 1}", "\"stretching\" is missing");
  assert_refused("{\n\"density\": -1}", "line 2: \"density\" must be positive");
  assert_refused("{\"density\": nan}", "expected a number");
  assert_refused("{\"density\": 1e999}", "the number is too large");
  assert_refused("{\"density\": 1, \"density\": 2}", "duplicate key");
  assert_refused("{\"bending\": [[1, 2, 3, 4, 5]]}", "\"bending\" must be 3 lists of 5 numbers");
  assert_refused("{\"stretching\":\n [[1, 2, 3]]}", "line 2: \"stretching\" must be 6 lists of 4 numbers");
  assert_refused("{\"x", "the string is not closed");
  assert_refused("{\"x\": [1, 2", "a bracket is not closed");
  assert_refused("{\"x\" 3}", "expected a colon");
  assert_refused("{\"x\": 3", "the file ends unexpectedly");
  assert_refused("{\"x\": 3} {", "unexpected text after the closing bracket");
  assert_refused("{\"x\": /* never closed", "the file ends unexpectedly");
  char deep[200] = "{\"x\": ";
  memset(deep + 6, '[', 100);
  assert_refused(deep, "brackets are nested too deeply");
}

// Every truncation and every damaged byte ends in a status, never in a read outside of the text: it lies alone in its memory.
static void damaged_files_end_in_a_sentence(void** state) {
  (void)state;
  size_t size = strlen(TEXT);
  CpsFabricTable t;
  CpsError error;
  for (size_t cut = 0; cut + 2 < size; ++cut) {  // what is missing at the very end is a line break
    char* text = malloc(cut + 1);
    memcpy(text, TEXT, cut);
    char* exact = realloc(text, cut > 0 ? cut : 1);
    assert_int_equal(cps_fabric_table_parse(exact, cut, "cut", &t, &error), CPS_BAD_FORMAT);
    free(exact);
  }
  char* text = malloc(size);
  for (size_t at = 0; at < size; ++at) {
    for (int byte = 0; byte < 256; byte += 5) {
      memcpy(text, TEXT, size);
      text[at] = (char)byte;
      CpsStatus status = cps_fabric_table_parse(text, size, "bad", &t, &error);
      assert_true(status == CPS_OK || status == CPS_BAD_FORMAT);
    }
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_read),
      cmocka_unit_test(a_table_becomes_a_fabric),
      cmocka_unit_test(bad_files_are_refused_with_their_line),
      cmocka_unit_test(damaged_files_end_in_a_sentence),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
