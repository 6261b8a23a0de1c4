// A page that does not read keeps nobody else waiting, and misses frames instead of making a queue of them.
// labels: threads
#include "server/served.h"

// Twelve fibres of 10 000 points: frames of 1.4 MB, more than sockets take.
enum { FIBRES = 12, POINTS = 10000, LONG_FRAMES = 6, LONG_BYTES = 48 + FIBRES * POINTS * 12 };

static int begin(void** state) {
  if (make_scratch(state) != 0) return 1;
  char scene[4096];
  size_t size = (size_t)snprintf(scene, sizeof scene,
                                 "time: {step: 1 ms, end: 0.01 s}\noutput: {fibre_points: %d}\nfibres:\n", POINTS);
  for (int i = 0; i < FIBRES; ++i) {
    size += (size_t)snprintf(scene + size, sizeof scene - size,
                             "  h%d: {model: der, elements: 4, length: 0.2, radius: 2 mm, young: 1 MPa, "
                             "position: [0, %d, 1], root: clamped}\n",
                             i, i);
  }
  make_result(scratch_path("long.h5"), scene, LONG_FRAMES);
  return 0;
}

static void ask_for(int file, int index) {
  char text[64];
  snprintf(text, sizeof text, "{\"type\":\"frame\",\"index\":%d}", index);
  say(file, text);
}

static void a_page_that_does_not_read_misses_frames_and_stops_nobody(void** state) {
  (void)state;
  Served served;
  begin_serving(&served, scratch_path("long.h5"), cps_view_options_default());
  int slow = open_socket(served.port), quick = open_socket(served.port);
  // 200 requests, none of the answers read
  for (int i = 0; i < 200; ++i) ask_for(slow, i % LONG_FRAMES);
  for (int i = 0; i < 20; ++i) {
    ask_for(quick, i % LONG_FRAMES);
    Message frame = hear_kind(quick, "CPSF");
    assert_int_equal(frame.size, LONG_BYTES);
    assert_int_equal(u32_at(frame.bytes + 8), i % LONG_FRAMES);
  }
  // now it reads: few frames come, and the last one is the one it asked for last
  int frames = 0, last = -1;
  say(slow, "{\"type\":\"pick\",\"kind\":\"fibre\",\"index\":0}");
  for (bool facts = false; !facts || last != 199 % LONG_FRAMES;) {
    Message message = hear(slow);
    assert_true(message.kind == 1 || message.kind == 2);
    facts |= strncmp((char*)message.bytes, "{\"type\":\"object\"", 16) == 0;
    if (memcmp(message.bytes, "CPSF", 4) != 0) continue;
    frames++;
    last = (int)u32_at(message.bytes + 8);
  }
  assert_true(frames >= 2 && frames < 100);
  close(slow);
  close(quick);
  end_serving(&served);
}

static void a_page_that_goes_away_in_the_middle_of_a_frame_leaves_the_others(void** state) {
  (void)state;
  Served served;
  begin_serving(&served, scratch_path("long.h5"), cps_view_options_default());
  int good = open_socket(served.port);
  for (int i = 0; i < 5; ++i) {
    int gone = open_socket(served.port);
    ask_for(gone, i);
    if (i % 2) hear_kind(gone, "{");  // some after the scene
    close(gone);
    ask_for(good, i);
    assert_int_equal(u32_at(hear_kind(good, "CPSF").bytes + 8), i);
  }
  close(good);
  end_serving(&served);
  assert_true(served.connected == 6 && served.disconnected == 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_that_does_not_read_misses_frames_and_stops_nobody),
      cmocka_unit_test(a_page_that_goes_away_in_the_middle_of_a_frame_leaves_the_others),
  };
  return cmocka_run_group_tests(tests, begin, remove_scratch);
}
