// Messages of the server by themselves: series cut down to their extremes, texts that JSON and browsers can read.
#include "server/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/particle_space.h"
#include "server/web_socket.h"
#include "test_helpers.h"

static void a_long_series_keeps_its_extremes(void** state) {
  (void)state;
  enum { COUNT = 100003 };
  double* times = malloc(COUNT * sizeof *times);
  double* values = malloc(COUNT * sizeof *values);
  for (int i = 0; i < COUNT; ++i) {
    times[i] = 1e-3 * i;
    values[i] = 0.0;
  }
  values[0] = -1.0, values[77777] = 5.0, values[77778] = -7.0, values[COUNT - 1] = 2.0;
  CpsBuffer out = {0};
  cps_stream_series(&out, "nu", times, values, COUNT);
  assert_memory_equal(out.bytes, "CPSV", 4);
  assert_int_equal(u32_at(out.bytes + 4), 2);
  assert_memory_equal(out.bytes + 8, "nu\0\0", 4);
  int count = (int)u32_at(out.bytes + 12);
  assert_int_equal(count, CPS_SERIES_MOST);
  assert_int_equal(out.size, 16 + 16 * (size_t)count);
  int found = 0;
  for (int i = 0; i < count; ++i) {
    double time = f64_at(out.bytes + 16 + 8 * i), value = f64_at(out.bytes + 16 + 8 * (count + i));
    if (i > 0) assert_true(time >= f64_at(out.bytes + 16 + 8 * (i - 1)));  // one that is both extremes comes twice
    if (value == 5.0) found += time == times[77777];
    if (value == -7.0) found += time == times[77778];
    if (value == -1.0) found += time == times[0];
    if (value == 2.0) found += time == times[COUNT - 1];
  }
  assert_int_equal(found, 4);
  cps_buffer_free(&out);
  cps_stream_series(&out, "contacts", times, values, 3);
  assert_int_equal(u32_at(out.bytes + 16), 3);
  cps_buffer_free(&out);
  free(values);
  free(times);
}

static void strings_are_always_json(void** state) {
  (void)state;
  CpsBuffer out = {0};
  cps_buffer_string(&out,
                    "a\"b\\c\n\x01 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xff \xc3( \xed\xa0\x80 \xc0\xaf \xe2\x82");
  static const char EXPECTED[] = "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 ? ?( ??? ?? ??\"";
  assert_int_equal(out.size, sizeof EXPECTED - 1);
  assert_memory_equal(out.bytes, EXPECTED, sizeof EXPECTED - 1);
  cps_buffer_free(&out);
}

static void numbers_are_exact_and_what_is_none_is_null(void** state) {
  (void)state;
  static const double VALUES[] = {0.1, -1.0 / 3.0, 1e300, 5e-324, 0.0, 123456789.0};
  for (int i = 0; i < 6; ++i) {
    CpsBuffer out = {0};
    cps_buffer_number(&out, VALUES[i]);
    cps_buffer_text(&out, " ");
    assert_true(strtod((char*)out.bytes, NULL) == VALUES[i]);
    cps_buffer_free(&out);
  }
  CpsBuffer out = {0};
  cps_buffer_numbers(&out, (double[]){NAN, -INFINITY, 0.5}, 3);
  assert_memory_equal(out.bytes, "[null,null,0.5]", 15);
  assert_int_equal(out.size, 15);
  cps_buffer_free(&out);
}

static void neighbours_of_one_shape_share_a_mesh(void** state) {
  (void)state;
  CpsVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
          others[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 1}};
  CpsResultPart parts[5] = {{.shape = cps_hull(points, 4)},
                            {.shape = cps_hull(points, 4)},
                            {.shape = cps_sphere(1.0)},
                            {.shape = cps_hull(points, 4)},
                            {.shape = cps_hull(others, 4)}};
  CpsThings things = {.part_count = 5, .parts = parts};
  int32_t mesh_of_part[5];
  assert_int_equal(cps_stream_meshes(&things, mesh_of_part), 2);
  assert_memory_equal(mesh_of_part, ((int32_t[]){0, 0, -1, 0, 1}), sizeof mesh_of_part);
}

static void grains_are_sections_with_what_is_wanted(void** state) {
  (void)state;
  const CpsVec3 places[2] = {{1, 2, 3}, {4, 5, 6}}, velocities[2] = {{0, 3, 4}, {0, 0, -2}};
  const double pressures[2] = {100.0, 0.0}, fractions[2] = {0.5, 0.25};
  const CpsThings things = {.particle_count = 2};
  const CpsFrame frame = {.particles = places,
                          .particle_velocities = velocities,
                          .particle_pressures = pressures,
                          .particle_fractions = fractions};
  enum { HEAD = 48, PLACES = 8 + 24, NUMBERS = 8 + 8 };
  CpsBuffer out = {0};
  cps_stream_frame(&out, &things, &frame, 0);
  assert_int_equal(out.size, HEAD + PLACES);
  assert_int_equal(u32_at(out.bytes + 4), 0);
  assert_memory_equal(out.bytes + HEAD, "GRNS\x18\0\0\0", 8);
  assert_true(f32_at(out.bytes + HEAD + 8 + 20) == 6.0f);
  cps_buffer_free(&out);
  cps_stream_frame(&out, &things, &frame, CPS_WANT_SPEED);
  assert_int_equal(out.size, HEAD + PLACES + NUMBERS);
  assert_int_equal(u32_at(out.bytes + 4), CPS_WANT_SPEED);
  assert_memory_equal(out.bytes + HEAD + PLACES, "GSPD\x08\0\0\0", 8);
  assert_true(f32_at(out.bytes + HEAD + PLACES + 8) == 5.0f && f32_at(out.bytes + HEAD + PLACES + 12) == 2.0f);
  cps_buffer_free(&out);
  cps_stream_frame(&out, &things, &frame, CPS_WANT_PRESSURE);
  assert_memory_equal(out.bytes + HEAD + PLACES, "GPRS\x08\0\0\0", 8);
  assert_true(f32_at(out.bytes + HEAD + PLACES + 8) == 100.0f);
  cps_buffer_free(&out);
  cps_stream_frame(&out, &things, &frame, CPS_WANT_FRACTION);
  assert_memory_equal(out.bytes + HEAD + PLACES, "GFRC\x08\0\0\0", 8);
  assert_true(f32_at(out.bytes + HEAD + PLACES + 12) == 0.25f);
  cps_buffer_free(&out);
  // older results know neither status nor stress
  cps_stream_frame(&out, &things, &frame, CPS_WANT_STATUS | CPS_WANT_STRESS);
  assert_int_equal(out.size, HEAD + PLACES);
  cps_buffer_free(&out);
  const uint8_t statuses[2] = {2, 1};
  const double stresses[12] = {-1, -2, -3, 4, 5, 6, -7, -8, -9, 10, 11, 12};
  CpsFrame more = frame;
  more.particle_statuses = statuses;
  more.particle_stresses = stresses;
  cps_stream_frame(&out, &things, &more, CPS_WANT_STATUS | CPS_WANT_STRESS);
  assert_int_equal(out.size, HEAD + PLACES + NUMBERS + 8 + 48);
  assert_memory_equal(out.bytes + HEAD + PLACES, "GSTA\x08\0\0\0", 8);
  assert_true(f32_at(out.bytes + HEAD + PLACES + 8) == 2.0f);
  assert_memory_equal(out.bytes + HEAD + PLACES + NUMBERS, "GSTR\x30\0\0\0", 8);
  assert_true(f32_at(out.bytes + HEAD + PLACES + NUMBERS + 8 + 44) == 12.0f);
  cps_buffer_free(&out);
  // without grains there is nothing to want
  cps_stream_frame(&out, &(CpsThings){0}, &frame, CPS_WANT_SPEED | CPS_WANT_PRESSURE);
  assert_int_equal(out.size, HEAD);
  assert_int_equal(u32_at(out.bytes + 4), 0);
  cps_buffer_free(&out);
}

// Two cubes of 5 x 5 x 5 particles 1 cm apart, far from each other, as scenes fill them; then the same number anywhere in a box.
static void particles_tell_their_size(void** state) {
  (void)state;
  enum { COUNT = 250 };
  CpsVec3 p[COUNT];
  for (int i = 0; i < COUNT; ++i) p[i] = (CpsVec3){0.01 * (i / 25 % 5) + i / 125, 0.01 * (i / 5 % 5), 0.01 * (i % 5)};
  assert_true(fabs(cps_particle_space(p, COUNT) - 0.01) < 1e-12);
  uint32_t random = 1;
  double* x = &p[0].x;
  for (int i = 0; i < 3 * COUNT; ++i) x[i] = (double)((random = 1664525u * random + 1013904223u) >> 8) * 0x1p-24;
  p[0] = (CpsVec3){0, 0, 0}, p[1] = (CpsVec3){2, 1, 1};
  assert_true(fabs(cps_particle_space(p, COUNT) - 0.2) < 1e-9);
  for (int i = 0; i < COUNT; ++i) p[i].y = 0.0;
  assert_true(fabs(cps_particle_space(p, COUNT) - sqrt(2.0 / COUNT)) < 1e-3);
  assert_true(cps_particle_space(p, 1) == 1.0);
  assert_true(cps_particle_space(&(CpsVec3){NAN, 0, 0}, 1) == 1.0);
  assert_true(cps_particle_space(NULL, 0) == 1.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_series_keeps_its_extremes),
      cmocka_unit_test(strings_are_always_json),
      cmocka_unit_test(numbers_are_exact_and_what_is_none_is_null),
      cmocka_unit_test(neighbours_of_one_shape_share_a_mesh),
      cmocka_unit_test(grains_are_sections_with_what_is_wanted),
      cmocka_unit_test(particles_tell_their_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
