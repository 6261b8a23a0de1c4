// A running scene seen by pages over real sockets: frames by credit, orders, hands, settings for all, answers for one.
// labels: threads
#include <unistd.h>

#include "server/served.h"

static const char live_scene[] =
    "title: a ball and a hair\n"
    "time: {step: 1 ms, end: 10 s}\n"
    "obstacles:\n"
    "  floor: {plane: {}}\n"
    "bodies:\n"
    "  ball: {sphere: {radius: 0.1}, position: [0, 0, 0.1]}\n"
    "fibres:\n"
    "  hair: {model: der, elements: 4, length: 0.2, radius: 2 mm, young: 1 MPa, position: [0.5, 0.5, 0.25],\n"
    "         direction: [1, 0, 0], root: clamped}\n";

static int begin(void** state) {
  if (make_scratch(state) != 0) return 1;
  FILE* file = fopen(scratch_path("live.yaml"), "w");
  if (!file) return 1;
  fputs(live_scene, file);
  return fclose(file);
}

static void begin_live(Served* served) {
  begin_serving(served, scratch_path("live.yaml"), cps_view_options_default());
}

static void acknowledge(int file, int64_t index) {
  char text[64];
  snprintf(text, sizeof text, "{\"type\":\"ack\",\"index\":%lld}", (long long)index);
  say(file, text);
}

// The next frame, acknowledged; its index.
static int64_t next_frame(int file) {
  Message frame = hear_kind(file, "CPSF");
  assert_int_equal(frame.kind, 2);
  int64_t index = u32_at(frame.bytes + 8);
  acknowledge(file, index);
  return index;
}

// Waits for a text message that holds a piece, drawing the frames that come meanwhile; bounded by their number.
static void await_text(int file, const char* piece) {
  for (int i = 0; i < 4000; ++i) {
    Message message = hear(file);
    assert_true(message.kind == 1 || message.kind == 2);
    if (memcmp(message.bytes, "CPSF", 4) == 0) {
      acknowledge(file, u32_at(message.bytes + 8));
    } else if (message.kind == 1 && strstr((char*)message.bytes, piece)) {
      return;
    }
  }
  print_error("no message with %s\n", piece);
  fail();
}

static void a_scene_stands_until_it_is_run(void** state) {
  (void)state;
  Served served;
  begin_live(&served);
  int file = open_socket(served.port);
  Message scene = hear(file);
  assert_non_null(strstr((char*)scene.bytes, "\"mode\":\"live\""));
  assert_non_null(
      strstr((char*)scene.bytes,
             "\"settings\":{\"gravity\":[0,0,-9.81],\"mu\":null,\"grain_mu\":null,\"step\":0.001,\"method\":\"auto\""));
  assert_int_equal(next_frame(file), 0);
  await_text(file, "{\"type\":\"status\",\"running\":false,\"time\":0,\"step\":0");
  say(file, "{\"type\":\"step\"}");
  assert_int_equal(next_frame(file), 1);
  say(file, "{\"type\":\"step\"}");
  assert_int_equal(next_frame(file), 2);
  say(file, "{\"type\":\"run\"}");
  await_text(file, "\"running\":true");
  int64_t last = 2;
  for (int i = 0; i < 20; ++i) {
    int64_t index = next_frame(file);
    assert_true(index >= last);
    last = index;
  }
  assert_true(last > 2);
  say(file, "{\"type\":\"pause\"}");
  await_text(file, "\"running\":false");
  say(file, "{\"type\":\"reset\"}");
  await_text(file, "\"running\":false,\"time\":0,\"step\":0");
  close(file);
  end_serving(&served);
}

static void a_page_that_draws_nothing_gets_two_frames_and_slows_nobody(void** state) {
  (void)state;
  Served served;
  begin_live(&served);
  int slow = open_socket(served.port), quick = open_socket(served.port);
  say(quick, "{\"type\":\"run\"}");
  for (int i = 0; i < 60; ++i) next_frame(quick);
  say(slow, "{\"type\":\"pick\",\"kind\":\"body\",\"index\":0}");
  int frames = 0;
  for (Message message = hear(slow); !strstr((char*)message.bytes, "\"type\":\"object\""); message = hear(slow)) {
    assert_true(message.kind == 1 || message.kind == 2);
    if (memcmp(message.bytes, "CPSF", 4) == 0) frames++;
  }
  assert_int_equal(frames, 2);
  close(slow);
  close(quick);
  end_serving(&served);
}

static void frames_hold_what_is_wanted_also_while_it_stands(void** state) {
  (void)state;
  Served served;
  begin_live(&served);
  int file = open_socket(served.port);
  say(file, "{\"type\":\"step\"}");
  while (next_frame(file) < 1) continue;
  say(file, "{\"type\":\"want\",\"contacts\":true,\"axes\":true,\"tension\":false}");
  Message frame = hear_kind(file, "CPSF");
  assert_int_equal(u32_at(frame.bytes + 4), 3);
  assert_int_equal(u32_at(frame.bytes + 44), 1);  // the ball lies on the floor
  say(file, "{\"type\":\"series\",\"name\":\"contacts\"}");
  Message series = hear_kind(file, "CPSV");
  assert_int_equal(u32_at(series.bytes + 16), 1);
  say(file, "{\"type\":\"pick\",\"kind\":\"body\",\"index\":0}");
  await_text(file, "[\"mass\",\"4.189 kg\"]");
  close(file);
  end_serving(&served);
}

static void settings_go_to_all_and_mistakes_to_one(void** state) {
  (void)state;
  Served served;
  begin_live(&served);
  int one = open_socket(served.port), other = open_socket(served.port);
  say(one, "{\"type\":\"set\",\"key\":\"mu\",\"value\":0.125}");
  await_text(one, "{\"type\":\"settings\",\"gravity\":[0,0,-9.81],\"mu\":0.125");
  await_text(other, "\"mu\":0.125");
  int late = open_socket(served.port);
  await_text(late, "{\"type\":\"settings\",\"gravity\":[0,0,-9.81],\"mu\":0.125");
  say(one, "{\"type\":\"set\",\"key\":\"step\",\"value\":-1}");
  await_text(one, "\"type\":\"error\"");
  say(one, "{\"type\":\"set\",\"key\":\"method\",\"value\":\"guess\"}");
  await_text(one, "\"type\":\"error\"");
  say(one, "{\"type\":\"set\",\"key\":\"mu\",\"value\":null}");
  for (int i = 0; i < 100; ++i) {  // no error came to the other one before this
    Message message = hear(other);
    assert_null(strstr((char*)message.bytes, "\"type\":\"error\""));
    if (message.kind == 1 && strstr((char*)message.bytes, "\"type\":\"settings\"")) {
      assert_non_null(strstr((char*)message.bytes, "\"mu\":null"));
      break;
    }
  }
  close(one);
  close(other);
  close(late);
  end_serving(&served);
}

static void each_page_has_its_own_hand_that_lets_go_with_it(void** state) {
  (void)state;
  Served served;
  begin_live(&served);
  int one = open_socket(served.port), other = open_socket(served.port);
  say(one, "{\"type\":\"grab\",\"kind\":\"body\",\"index\":0,\"point\":[0,0,0.1],\"target\":[0,0,0.3]}");
  say(one, "{\"type\":\"run\"}");
  await_text(one, "\"hand\":{\"point\":");
  say(one, "{\"type\":\"drag\",\"target\":[0,0,0.5]}");
  await_text(one, "\"target\":[0,0,0.5]");
  await_text(other, "\"running\":true");
  await_text(other, "\"hand\":null");
  say(other, "{\"type\":\"grab\",\"kind\":\"fibre\",\"index\":0,\"s\":0.2,\"target\":[0.7,0.5,0.3]}");
  await_text(other, "\"hand\":{\"point\":");
  say(other, "{\"type\":\"release\"}");
  await_text(other, "\"hand\":null");
  say(other, "{\"type\":\"grab\",\"kind\":\"fibre\",\"index\":9,\"s\":0.2,\"target\":[0,0,0]}");
  await_text(other, "\"type\":\"error\"");
  await_text(other, "\"contacts\":0,");  // the ball is lifted
  close(one);
  // and falls back
  await_text(other, "\"contacts\":1,");
  close(other);
  end_serving(&served);
}

static void states_and_problems_are_saved_beside_the_scene(void** state) {
  (void)state;
  Served served;
  begin_live(&served);
  int file = open_socket(served.port);
  say(file, "{\"type\":\"save\",\"what\":\"problem\"}");
  await_text(file, "\"type\":\"error\"");  // no step was made
  say(file, "{\"type\":\"step\"}");
  say(file, "{\"type\":\"save\",\"what\":\"scene\"}");
  await_text(file, "{\"type\":\"saved\",\"what\":\"scene\",\"path\":\"");
  say(file, "{\"type\":\"save\",\"what\":\"problem\"}");
  await_text(file, "{\"type\":\"saved\",\"what\":\"problem\",\"path\":\"");
  close(file);
  end_serving(&served);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_stands_until_it_is_run),
      cmocka_unit_test(a_page_that_draws_nothing_gets_two_frames_and_slows_nobody),
      cmocka_unit_test(frames_hold_what_is_wanted_also_while_it_stands),
      cmocka_unit_test(settings_go_to_all_and_mistakes_to_one),
      cmocka_unit_test(each_page_has_its_own_hand_that_lets_go_with_it),
      cmocka_unit_test(states_and_problems_are_saved_beside_the_scene),
  };
  return cmocka_run_group_tests(tests, begin, remove_scratch);
}
