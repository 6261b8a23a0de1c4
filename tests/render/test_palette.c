// One palette: the page has the numbers of pictures and exports, and no thing looks like a contact.
#include "base/palette.h"

#include <stdio.h>
#include <string.h>

#include "test_helpers.h"

static void the_page_has_the_same_palette(void** state) {
  (void)state;
  FILE* file = fopen(SOURCE_DIR "/web/src/draw/palette.ts", "r");
  assert_non_null(file);
  static char text[1 << 14];
  size_t size = fread(text, 1, sizeof text - 1, file);
  text[size] = '\0';
  fclose(file);
  const char* at = strstr(text, "const PALETTE = [");
  assert_non_null(at);
  at += strlen("const PALETTE = [");
  char hex[16];
  for (int i = 0; i < CPS_PALETTE_COUNT; ++i) {
    snprintf(hex, sizeof hex, "%s\"#%06x\"", i > 0 ? ", " : "", (unsigned)cps_palette[i]);
    assert_true(strncmp(at, hex, strlen(hex)) == 0);
    at += strlen(hex);
  }
  assert_true(*at == ']');
  snprintf(hex, sizeof hex, "\"#%06x\"", (unsigned)CPS_PALETTE_OBSTACLE);
  assert_non_null(strstr(text, hex));
}

// The words of src/render/colour.c and their colours, in the order in which they are looked for.
static void the_page_has_the_same_looks(void** state) {
  (void)state;
  static char picture[1 << 16], page[1 << 14];
  const struct {
    const char* path;
    char* text;
    size_t room;
  } files[] = {{SOURCE_DIR "/src/render/colour.c", picture, sizeof picture},
               {SOURCE_DIR "/web/src/draw/palette.ts", page, sizeof page}};
  for (int i = 0; i < 2; ++i) {
    FILE* file = fopen(files[i].path, "r");
    assert_non_null(file);
    files[i].text[fread(files[i].text, 1, files[i].room - 1, file)] = '\0';
    fclose(file);
  }
  const char* here = strstr(picture, "} looks[] = {");
  const char* there = strstr(page, "const LOOKS");
  assert_true(here && there);
  const char* end = strchr(here, ';');
  there = strchr(strchr(there, '='), '[') + 1;  // behind the bracket of the list
  int count = 0;
  for (here = strchr(here, '"'); here && here < end; here = strchr(here, '"'), ++count) {
    char word[32], hex[8], entry[64];
    int size = 0;
    assert_int_equal(sscanf(here, "\"%31[a-z]\", 0x%6[0-9a-f]}%n", word, hex, &size), 2);
    assert_true(size > 0);
    here += size;
    snprintf(entry, sizeof entry, "[\"%s\", \"#%s\"]", word, hex);
    there = strchr(there, '[');
    assert_non_null(there);
    if (strncmp(there, entry, strlen(entry)) != 0) fail_msg("the page lacks %s: %.40s", entry, there);
    there += strlen(entry);
  }
  assert_true(count >= 15);
  assert_true(strcspn(there, "[") > strcspn(there, ";"));  // and no more
}

// Distance in sRGB, of 255 a component. What is 60 apart is told apart at a glance.
static double distance(uint32_t a, uint32_t b) {
  double sum = 0.0;
  for (int shift = 0; shift < 24; shift += 8) {
    double d = (double)(a >> shift & 0xff) - (double)(b >> shift & 0xff);
    sum += d * d;
  }
  return sqrt(sum);
}

static void no_thing_has_the_colour_of_a_contact(void** state) {
  (void)state;
  for (int i = 0; i < CPS_PALETTE_COUNT; ++i) {
    assert_true(distance(cps_palette[i], CPS_PALETTE_STICK) > 60.0);
    assert_true(distance(cps_palette[i], CPS_PALETTE_SLIDE) > 60.0);
    for (int k = 0; k < i; ++k) assert_true(distance(cps_palette[i], cps_palette[k]) > 20.0);
  }
  assert_int_equal(cps_palette_colour(CPS_PALETTE_SHEET, 7), cps_palette[3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_has_the_same_palette),
      cmocka_unit_test(the_page_has_the_same_looks),
      cmocka_unit_test(no_thing_has_the_colour_of_a_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
