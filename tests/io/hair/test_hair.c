// Files of strands: real ones, ones written by hand in each format, and damaged ones.
#include "capstan/hair.h"
#include "io/scratch.h"

#include <string.h>

// ---- small files, put together byte by byte ------------------------------------------------------------------------

typedef struct Image {
  unsigned char bytes[4096];
  size_t size;
} Image;

static void put(Image* image, const void* bytes, size_t size) {
  assert_true(image->size + size <= sizeof image->bytes);
  memcpy(image->bytes + image->size, bytes, size);
  image->size += size;
}
static void put_u32(Image* image, uint32_t value) {
  put(image,
      (unsigned char[]){(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                        (unsigned char)(value >> 24)},
      4);
}
static void put_u16(Image* image, unsigned value) {
  put(image, (unsigned char[]){(unsigned char)value, (unsigned char)(value >> 8)}, 2);
}
static void put_f32(Image* image, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put_u32(image, bits);
}

// Three strands: of three points, of one, of two; thickness 0.5 at every point.
static Image yuksel_image(void) {
  Image image = {{0}, 0};
  put(&image, "HAIR", 4);
  put_u32(&image, 3);
  put_u32(&image, 6);
  put_u32(&image, 1 | 2 | 4 | 16);
  put_u32(&image, 0);
  for (int i = 0; i < 5; ++i) put_f32(&image, 0.25F);
  char about[88] = "made by a test";
  put(&image, about, sizeof about);
  put_u16(&image, 2);
  put_u16(&image, 0);
  put_u16(&image, 1);
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 3; ++k) put_f32(&image, (float)(3 * i + k));
  }
  for (int i = 0; i < 6; ++i) put_f32(&image, 0.5F);
  for (int i = 0; i < 18; ++i) put_f32(&image, 1.0F);
  return image;
}

// The same strands: their places, each with so many more numbers after it.
static Image counted_image(int more) {
  static const unsigned POINTS[] = {3, 1, 2};
  Image image = {{0}, 0};
  put_u32(&image, 3);
  float next = 0.0F;
  for (int s = 0; s < 3; ++s) {
    put_u32(&image, POINTS[s]);
    for (unsigned i = 0; i < POINTS[s]; ++i) {
      for (int k = 0; k < 3; ++k) put_f32(&image, next++);
      for (int k = 0; k < more; ++k) put_f32(&image, 0.5F);
    }
  }
  return image;
}

static Image data_image(void) {
  return counted_image(0);
}

// CT2Hair.
static Image bin_image(void) {
  return counted_image(4);
}

static Image ply_text_image(void) {
  static const char TEXT[] =
      "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 7\nproperty float x\nproperty float y\nproperty float z\n"
      "property int segment\nproperty float ra\nproperty int actual\nelement face 0\nproperty list int int "
      "vertex_indices\nend_header\n"
      "9 9 9 0 0.25 0\n0 1 2 0 0.25 1\n3 4 5 0 0.25 1\n6 7 8 0 0.25 1\n9 10 11 1 0.25 1\n12 13 14 2 0.25 1\n"
      "15 16 17 2 0.25 1\n";
  Image image = {{0}, 0};
  put(&image, TEXT, sizeof TEXT - 1);
  return image;
}

static Image ply_binary_image(void) {
  static const char HEAD[] =
      "ply\r\nformat binary_little_endian 1.0\r\nelement vertex 6\r\nproperty uchar strand\r\nproperty float32 x\r\n"
      "property double y\r\nproperty float z\r\nproperty float radius\r\nend_header\r\n";
  static const unsigned char STRAND[] = {7, 7, 7, 0, 9, 9};
  Image image = {{0}, 0};
  put(&image, HEAD, sizeof HEAD - 1);
  for (int i = 0; i < 6; ++i) {
    double y = 3.0 * i + 1.0;
    put(&image, &STRAND[i], 1);
    put_f32(&image, 3.0F * (float)i);
    put(&image, &y, 8);  // the tests run on little-endian machines
    put_f32(&image, 3.0F * (float)i + 2.0F);
    put_f32(&image, 0.25F);
  }
  return image;
}

// Strands by an element of their own, after another one that has to be passed over.
static Image ply_strands_image(void) {
  static const char HEAD[] =
      "ply\nformat binary_little_endian 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
      "property float radius\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nelement strand 3\n"
      "property uchar kind\nproperty int nsegs\nend_header\n";
  static const unsigned SEGMENTS[] = {2, 0, 1};
  Image image = {{0}, 0};
  put(&image, HEAD, sizeof HEAD - 1);
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 3; ++k) put_f32(&image, (float)(3 * i + k));
    put_f32(&image, 0.25F);
  }
  put_u32(&image, 0);
  put_u32(&image, 1);
  for (int s = 0; s < 3; ++s) {
    put(&image, "k", 1);
    put_u32(&image, SEGMENTS[s]);
  }
  return image;
}

// Strands by their edges.
static Image ply_edges_image(void) {
  static const char TEXT[] =
      "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\nproperty float "
      "radius\nelement edge 3\nproperty int vertex1\nproperty int vertex2\nend_header\n"
      "0 1 2 0.25\n3 4 5 0.25\n6 7 8 0.25\n9 10 11 0.25\n12 13 14 0.25\n15 16 17 0.25\n0 1\n1 2\n4 5\n";
  Image image = {{0}, 0};
  put(&image, TEXT, sizeof TEXT - 1);
  return image;
}

typedef Image (*Maker)(void);
static const Maker MAKERS[] = {yuksel_image, data_image,        ply_text_image, ply_binary_image,
                               bin_image,    ply_strands_image, ply_edges_image};
enum { MAKER_COUNT = 7 };

static CpsStatus parse(const Image* image, size_t size, CpsHair* hair, CpsError* error) {
  // an exact copy, so that the address sanitizer sees a read past its end
  unsigned char* copy = malloc(size ? size : 1);
  assert_non_null(copy);
  memcpy(copy, image->bytes, size);
  CpsStatus status = cps_hair_parse(copy, size, "test", hair, error);
  free(copy);
  return status;
}

// What must hold of anything that was read.
static void check_sound(const CpsHair* hair) {
  assert_true(hair->strand_count > 0 && hair->first[0] == 0 && hair->first[hair->strand_count] == hair->point_count);
  for (int32_t s = 0; s < hair->strand_count; ++s) assert_true(hair->first[s + 1] - hair->first[s] >= 2);
  for (int64_t i = 0; i < hair->point_count; ++i) {
    CpsVec3 p = hair->points[i];
    assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    if (hair->thickness) assert_true(isfinite(hair->thickness[i]));
  }
}

static void refused(const Image* image, CpsStatus expected, const char* words) {
  CpsHair hair = {0};
  CpsError error;
  CpsStatus status = parse(image, image->size, &hair, &error);
  if (status != expected || !strstr(error.text, words) || strncmp(error.text, "test: ", 6) != 0) {
    print_error("status %d: %s\n", (int)status, error.text);
    fail();
  }
}

// ---- facts ---------------------------------------------------------------------------------------------------------

static void every_format_gives_the_same_strands(void** state) {
  (void)state;
  for (int m = 0; m < MAKER_COUNT; ++m) {
    Image image = MAKERS[m]();
    CpsHair hair;
    CpsError error;
    assert_int_equal(parse(&image, image.size, &hair, &error), CPS_OK);
    check_sound(&hair);
    assert_int_equal(hair.strand_count, 2);
    assert_int_equal(hair.point_count, 5);
    assert_int_equal(hair.skipped_short, 1);
    assert_int_equal(hair.skipped_bad, 0);
    assert_int_equal(hair.first[1], 3);
    assert_true(hair.points[2].x == 6.0 && hair.points[2].y == 7.0 && hair.points[2].z == 8.0);
    assert_true(hair.points[4].x == 15.0 && hair.points[4].y == 16.0 && hair.points[4].z == 17.0);
    assert_true((hair.thickness != NULL) == (m != 1 && m != 4));
    if (hair.thickness) assert_true(hair.thickness[4] == 0.5);
    CpsHairFacts facts = cps_hair_facts(&hair);
    assert_near(facts.length_max, 2.0 * sqrt(27.0), 1e-12);
    assert_near(facts.length_mean, 1.5 * sqrt(27.0), 1e-12);
    assert_true(facts.points_min == 2 && facts.points_max == 3 && facts.upper.z == 17.0 && facts.lower.x == 0.0);
    cps_hair_free(&hair);
    assert_null(hair.points);
  }
}

static void what_was_written_is_read_back(void** state) {
  (void)state;
  Image image = yuksel_image();
  CpsHair hair, again;
  CpsError error;
  assert_int_equal(parse(&image, image.size, &hair, &error), CPS_OK);
  const char* path = scratch_path("again.hair");
  for (int thick = 1; thick >= 0; --thick) {
    if (!thick) {
      free(hair.thickness);
      hair.thickness = NULL;
    }
    assert_int_equal(cps_hair_write(path, &hair, &error), CPS_OK);
    assert_true(cps_hair_recognise(path));
    assert_int_equal(cps_hair_read(path, &again, &error), CPS_OK);
    assert_int_equal(again.strand_count, hair.strand_count);
    assert_memory_equal(again.points, hair.points, (size_t)hair.point_count * sizeof *hair.points);
    assert_memory_equal(again.first, hair.first, 3 * sizeof *hair.first);
    assert_true((again.thickness != NULL) == thick && again.diameter == 0.25);
    assert_string_equal(again.about, "made by a test");
    cps_hair_free(&again);
  }
  hair.points[1].y = 1e60;
  assert_int_equal(cps_hair_write(path, &hair, &error), CPS_BAD_DATA);
  hair.points[1].y = NAN;
  assert_int_equal(cps_hair_write(path, &hair, &error), CPS_BAD_DATA);
  hair.points[1].y = 0.0;
  hair.first[1] = 1;
  assert_int_equal(cps_hair_write(path, &hair, &error), CPS_BAD_DATA);
  hair.first[1] = 3;
  assert_int_equal(cps_hair_write("/nowhere/at/all.hair", &hair, &error), CPS_FILE_ERROR);
  assert_int_equal(cps_hair_write(NULL, &hair, &error), CPS_BAD_ARGUMENT);
  cps_hair_free(&hair);
}

static void strands_that_are_not_finite_are_counted(void** state) {
  (void)state;
  Image image = data_image();
  float nan = NAN;
  memcpy(image.bytes + 8, &nan, 4);
  CpsHair hair;
  assert_int_equal(parse(&image, image.size, &hair, NULL), CPS_OK);
  assert_true(hair.strand_count == 1 && hair.skipped_bad == 1 && hair.skipped_short == 1);
  cps_hair_free(&hair);
  memcpy(image.bytes + image.size - 4, &nan, 4);
  refused(&image, CPS_BAD_DATA, "no strand");

  Image text = ply_text_image();
  char* number = strstr((char*)text.bytes, "13 14");
  memcpy(number, "nan14", 5);
  refused(&text, CPS_BAD_FORMAT, "value that is not a number");
  memcpy(number, "nan 1", 5);
  assert_int_equal(parse(&text, text.size, &hair, NULL), CPS_OK);
  assert_int_equal(hair.skipped_bad, 1);
  cps_hair_free(&hair);
}

static void strands_of_no_length_are_counted(void** state) {
  (void)state;
  Image image = data_image();
  memset(image.bytes + 8, 0, 36);
  CpsHair hair;
  assert_int_equal(parse(&image, image.size, &hair, NULL), CPS_OK);
  assert_true(hair.strand_count == 1 && hair.skipped_short == 2);
  cps_hair_free(&hair);
}

static void impossible_counts_are_refused(void** state) {
  (void)state;
  static const struct {
    size_t place;
    uint32_t value;
    const char* words;
  } CASES[] = {{4, 0xFFFFFFFF, "bytes"},  {8, 0xFFFFFFFF, "bytes"},   {4, 4, "bytes"},
               {8, 5, "bytes"},           {12, 1, "no points"},       {12, 0xFFFFFFFF, "unknown kind"},
               {12, 2 | 4 | 16, "bytes"}, {128, 0x00FF0002, "points"}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    Image image = yuksel_image();
    Image number = {{0}, 0};
    put_u32(&number, CASES[i].value);
    memcpy(image.bytes + CASES[i].place, number.bytes, 4);
    refused(&image, CPS_BAD_FORMAT, CASES[i].words);
  }
  // every strand of the same number of segments, and they do not make the points
  Image image = {{0}, 0};
  put(&image, "HAIR", 4);
  put_u32(&image, 2);
  put_u32(&image, 5);
  put_u32(&image, 2);
  put_u32(&image, 1);
  while (image.size < 128 + 60) put(&image, "", 1);
  refused(&image, CPS_BAD_FORMAT, "do not make");

  Image data = data_image();
  data.bytes[7] = 0x7F;
  refused(&data, CPS_BAD_FORMAT, "strand 1");
  data = data_image();
  data.bytes[0] = 2;
  refused(&data, CPS_BAD_FORMAT, "continues");
}

static void what_is_no_hair_is_refused(void** state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } CASES[] = {
      {"", "not a strand file"},
      {"HAIR", "header"},
      {"hair of the dog", "not a strand file"},
      {"ply\n", "header"},
      {"ply\nend_header\n", "not name a format"},
      {"ply\nformat ascii 1.0\nend_header\n", "no x, y, z"},
      {"ply\nformat binary_big_endian 1.0\nend_header\n", "unsupported"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 "
       "3\n",
       "strands apart"},
      {"ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float "
       "z\nproperty "
       "int strand\nend_header\n1 2 3 4\n",
       "need"},
      {"ply\nformat ascii 1.0\nelement vertex -1\n", "valid element count"},
      {"ply\nformat ascii 1.0\nelement face 3\nelement vertex 2\nend_header\n", "come first"},
      {"ply\nformat ascii 1.0\nelement vertex 2\nproperty list int int a\nend_header\n", "list"},
      {"ply\nformat ascii 1.0\nelement vertex 2\nproperty quaternion a\nend_header\n", "unknown type"},
      {"ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\nend_header\n", "declared twice"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    Image image = {{0}, 0};
    put(&image, CASES[i].text, strlen(CASES[i].text));
    refused(&image, CPS_BAD_FORMAT, CASES[i].words);
  }
  CpsHair hair;
  CpsError error;
  assert_int_equal(cps_hair_read("nowhere.hair", &hair, &error), CPS_FILE_ERROR);
  assert_int_equal(cps_hair_read(".", &hair, &error), CPS_FILE_ERROR);
  assert_int_equal(cps_hair_read(NULL, &hair, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_hair_parse("x", 1, "test", NULL, &error), CPS_BAD_ARGUMENT);
  assert_true(cps_hair_recognise("nowhere.hair"));  // by its name, so that one that broke off is not read as a scene
  assert_false(cps_hair_recognise("nowhere.ply"));
  assert_false(cps_hair_recognise(NULL));
  cps_hair_free(NULL);
}

// Each format says where it ends: nothing that lacks a byte is taken for whole. (Text may lack its last line's end.)
static void every_truncation_is_refused(void** state) {
  (void)state;
  for (int m = 0; m < MAKER_COUNT; ++m) {
    Image image = MAKERS[m]();
    // "0.25 1\n" without " 1\n" lacks a number; "4 5\n" is whole without its last byte
    size_t least = m == 2 ? image.size - 4 : m == 6 ? image.size - 1 : image.size;
    for (size_t size = 0; size < least; ++size) {
      CpsHair hair = {0};
      CpsError error;
      CpsStatus status = parse(&image, size, &hair, &error);
      assert_true(status < 0 && error.text[0] && !strchr(error.text, '\n'));
    }
  }
}

static void flipped_bits_do_no_harm(void** state) {
  (void)state;
  for (int m = 0; m < MAKER_COUNT; ++m) {
    Image image = MAKERS[m]();
    for (size_t bit = 0; bit < 8 * image.size; ++bit) {
      image.bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
      CpsHair hair = {0};
      CpsError error = {""};
      CpsStatus status = parse(&image, image.size, &hair, &error);
      if (status == CPS_OK) {
        check_sound(&hair);
      } else {
        assert_true(status < 0 && error.text[0] && !strchr(error.text, '\n'));
      }
      cps_hair_free(&hair);
      image.bytes[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
  }
}

static void real_files_are_read(void** state) {
  (void)state;
  static const struct {
    const char* path;
    int strands, points;
    double shortest, longest;  // by a program of another language
  } FILES[] = {{SHARED_DATA "/hair/yuksel_straight.hair", 10000, 160000, 55.29, 107.0},
               {SHARED_DATA "/hair/creamystrand_man_hair_init_700.ply", 781, 22152, 10.55, 30.32}};
  for (size_t i = 0; i < 2; ++i) {
    CpsHair hair;
    CpsError error;
    CpsStatus status = cps_hair_read(FILES[i].path, &hair, &error);
    if (status == CPS_FILE_ERROR) {
      print_message("skipped: %s\n", error.text);
      continue;
    }
    assert_int_equal(status, CPS_OK);
    check_sound(&hair);
    assert_int_equal(hair.strand_count, FILES[i].strands);
    assert_int_equal(hair.point_count, FILES[i].points);
    assert_true(hair.skipped_short == 0 && hair.skipped_bad == 0);
    CpsHairFacts facts = cps_hair_facts(&hair);
    assert_near(facts.length_min, FILES[i].shortest, 0.01);
    assert_near(facts.length_max, FILES[i].longest, 0.05);
    cps_hair_free(&hair);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_same_strands),
      cmocka_unit_test(what_was_written_is_read_back),
      cmocka_unit_test(strands_that_are_not_finite_are_counted),
      cmocka_unit_test(strands_of_no_length_are_counted),
      cmocka_unit_test(impossible_counts_are_refused),
      cmocka_unit_test(what_is_no_hair_is_refused),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(flipped_bits_do_no_harm),
      cmocka_unit_test(real_files_are_read),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
