// What a page sees of a served result: the scene, frames with the numbers of the file, series, facts.
// labels: threads
#include "server/bundle.h"
#include "server/served.h"

static Served balls;

static int begin(void** state) {
  if (make_scratch(state) != 0) return 1;
  make_balls(scratch_path("balls.h5"));
  begin_serving(&balls, scratch_path("balls.h5"), cps_view_options_default());
  return 0;
}

static int end(void** state) {
  end_serving(&balls);
  return remove_scratch(state);
}

static void the_scene_comes_first_then_its_meshes(void** state) {
  (void)state;
  int file = open_socket(balls.port);
  Message scene = hear(file);
  assert_int_equal(scene.kind, 1);
  const char* text = (char*)scene.bytes;
  assert_non_null(
      strstr(text, "\"type\":\"scene\",\"mode\":\"result\",\"title\":\"balls, \\\"a hull\\\" and a hair\""));
  assert_non_null(strstr(text, "\"file\":\"balls.h5\""));
  assert_non_null(strstr(text, "\"frames\":21,\"end\":0.08,\"until\":0.08,\"finished\":true,\"has_contacts\":true"));
  assert_non_null(strstr(text, "\"camera\":{\"fov\":40,\"eye\":[0,-2,1],\"target\":[0,0,0.25]}"));
  assert_non_null(strstr(text, "{\"name\":\"low\",\"material\":0}"));
  assert_non_null(strstr(text, "\"obstacles\":[{\"name\":\"floor\""));
  assert_non_null(strstr(text, "\"kind\":\"sphere\",\"radius\":0.1,\"pose\":[0,0,0,1,0,0,0]"));
  assert_non_null(strstr(text, "\"kind\":\"mesh\",\"mesh\":0"));
  assert_non_null(strstr(text, "\"radius\":[0.002]"));
  assert_non_null(strstr(text, "\"settings\":null}"));
  Message mesh = hear(file);
  assert_int_equal(mesh.kind, 2);
  assert_memory_equal(mesh.bytes, "CPSM", 4);
  assert_int_equal(u32_at(mesh.bytes + 4), 0);
  assert_int_equal(u32_at(mesh.bytes + 8), 12);  // a corner of the tetrahedron for each of its three sides
  assert_int_equal(u32_at(mesh.bytes + 12), 4);
  assert_int_equal(mesh.size, 16 + 12 * 24 + 4 * 12);
  close(file);
}

static void a_direction_of_view_reaches_the_page(void** state) {
  (void)state;
  static const char TEXT[] =
      "time: {step: 4 ms, end: 1 s}\ncamera: {view: [3, 0, 4], up: [0, 1, 0]}\n"
      "bodies: {ball: {sphere: {radius: 0.1}}}\n";
  make_result(scratch_path("sideways.h5"), TEXT, 2);
  Served sideways;
  begin_serving(&sideways, scratch_path("sideways.h5"), cps_view_options_default());
  int file = open_socket(sideways.port);
  Message scene = hear(file);
  assert_non_null(strstr((char*)scene.bytes, "\"up\":[0,1,0],\"camera\":{\"fov\":30,\"direction\":[3,0,4]}"));
  close(file);
  end_serving(&sideways);
}

// Nothing was lost on the way but what floats lose.
static void check_frame(const Message* message, const CpsThings* things, const CpsFrame* frame, unsigned flags) {
  const unsigned char* at = message->bytes + 48;
  assert_int_equal(u32_at(message->bytes + 4), flags);
  assert_int_equal(u32_at(message->bytes + 8), frame->index);
  assert_true(f64_at(message->bytes + 16) == frame->time);
  assert_int_equal(u32_at(message->bytes + 32), things->body_count);
  assert_int_equal(u32_at(message->bytes + 36), things->obstacle_count);
  assert_int_equal(u32_at(message->bytes + 40), things->point_count);
  for (int i = 0; i < things->body_count; ++i, at += 28) {
    assert_true(f32_at(at + 8) == (double)(float)frame->bodies[i].position.z);
    assert_true(f32_at(at + 12) == (double)(float)frame->bodies[i].rotation.w);
  }
  at += (ptrdiff_t)28 * things->obstacle_count;
  for (int64_t i = 0; i < things->point_count; ++i, at += 12) {
    assert_true(f32_at(at) == (double)(float)frame->points[i].x);
  }
  if (flags & 1) {
    assert_near((signed char)at[2], 127.0 * frame->axes[0].z, 0.5);
    at += 4 * things->point_count;
  }
  if (flags & 4) at += 4 * things->point_count;
  int contacts = flags & 2 ? frame->contact_count : 0;
  assert_int_equal(u32_at(message->bytes + 44), contacts);
  for (int i = 0; i < contacts; ++i, at += 128) {
    const CpsFrameContact* c = &frame->contacts[i];
    assert_true(f32_at(at + 36) == (double)(float)c->impulse[0]);
    assert_int_equal(u32_at(at + 76), c->status);
    for (int k = 0; k < 2; ++k) {
      const unsigned char* side = at + 80 + 24 * k;
      assert_int_equal(u32_at(side), c->side[k].thing.kind);
      assert_int_equal((int32_t)u32_at(side + 4), c->side[k].thing.index);
      assert_int_equal((int32_t)u32_at(side + 8), c->side[k].part);
      assert_true(f32_at(side + 12) == (double)(float)c->side[k].place.x);
    }
  }
  assert_int_equal(message->size, at - message->bytes);
}

static void frames_hold_the_numbers_of_the_result_and_only_what_is_wanted(void** state) {
  (void)state;
  CpsError error;
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  // read before the server's thread reads again: HDF5 is no friend of two threads
  assert_ok(cps_result_open(scratch_path("balls.h5"), &result, &error), error);
  assert_ok(cps_show_result(result, &show, &error), error);
  assert_ok(cps_show_read(show, 20, &error), error);
  const CpsThings* things = cps_show_things(show);
  const CpsFrame* frame = cps_show_frame(show);
  assert_true(frame->contact_count > 0);
  unsigned tension = frame->tension ? 4 : 0;

  int file = open_socket(balls.port);
  say(file, "{\"type\": \"frame\", \"index\": 20}");
  Message plain = hear_kind(file, "CPSF");
  check_frame(&plain, things, frame, 0);
  say(file, "{\"type\":\"want\",\"contacts\":true,\"axes\":true,\"tension\":true}");
  say(file, "{\"type\":\"frame\",\"index\":20}");
  Message whole = hear_kind(file, "CPSF");
  check_frame(&whole, things, frame, 3 | tension);
  say(file, "{\"type\":\"frame\",\"index\":21}");
  Message none = hear(file);
  assert_non_null(strstr((char*)none.bytes, "\"type\":\"error\",\"text\":\"frame 21 does not exist\""));
  say(file, "{\"type\":\"frame\",\"index\":0}");  // and goes on
  Message first = hear_kind(file, "CPSF");
  assert_int_equal(u32_at(first.bytes + 8), 0);
  close(file);
  cps_show_destroy(show);
  cps_result_destroy(result);
}

static void series_and_facts_are_answered(void** state) {
  (void)state;
  int file = open_socket(balls.port);
  say(file, "{\"type\":\"series\",\"name\":\"contacts\"}");
  Message series = hear_kind(file, "CPSV");
  assert_int_equal(u32_at(series.bytes + 4), 8);
  assert_memory_equal(series.bytes + 8, "contacts", 8);
  assert_int_equal(u32_at(series.bytes + 16), 20);  // one for each step
  assert_near(f64_at(series.bytes + 20 + 19 * 8), 0.08, 1e-12);
  assert_true(f64_at(series.bytes + 20 + 39 * 8) >= 1.0);
  say(file, "{\"type\":\"series\",\"name\":\"weather\"}");
  assert_non_null(strstr((char*)hear(file).bytes, "unknown series 'weather'"));
  say(file, "{\"type\":\"pick\",\"kind\":\"body\",\"index\":1}");
  Message body = hear(file);
  assert_non_null(strstr((char*)body.bytes, "\"type\":\"object\",\"kind\":\"body\",\"index\":1,\"name\":\"high\""));
  assert_non_null(strstr((char*)body.bytes, "[\"shape\",\"sphere, radius 0.1 m\"]"));
  assert_non_null(strstr((char*)body.bytes, "[\"position\",\"0.01, 0.03, 0.32 m\"]"));
  assert_non_null(strstr((char*)body.bytes, "[\"mass\",\"4.189 kg\"]"));  // 4/3 pi 0.1^3 of water
  say(file, "{\"type\":\"pick\",\"kind\":\"fibre\",\"index\":0}");
  Message fibre = hear(file);
  assert_non_null(strstr((char*)fibre.bytes, "[\"length\",\"0.2 m\"]"));
  assert_non_null(strstr((char*)fibre.bytes, "[\"model\",\"der\"],[\"elements\",\"4\"]"));
  say(file, "{\"type\":\"pick\",\"kind\":\"obstacle\",\"index\":7}");
  assert_non_null(strstr((char*)hear(file).bytes, "the obstacle does not exist"));
  // the frame that the page shows, though a later one was sent
  say(file, "{\"type\":\"frame\",\"index\":20}");
  (void)hear_kind(file, "CPSF");
  say(file, "{\"type\":\"pick\",\"kind\":\"body\",\"index\":1,\"frame\":0}");
  assert_non_null(strstr((char*)hear(file).bytes, "[\"position\",\"0.01, 0.03, 0.32 m\"]"));
  say(file, "{\"type\":\"pick\",\"kind\":\"body\",\"index\":1,\"frame\":99}");
  assert_non_null(strstr((char*)hear(file).bytes, "frame"));
  close(file);
}

static void only_the_bundle_is_served(void** state) {
  (void)state;
  static const char* const PATHS[] = {"/../../etc/passwd",
                                      "/%2e%2e/%2e%2e/etc/passwd",
                                      "/etc/passwd",
                                      "/app.js.map",
                                      "//etc/passwd",
                                      "/balls.h5",
                                      "/ws/",
                                      "/."};
  char text[512], head[4096], policy[64];
  for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; ++i) {
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", PATHS[i], balls.port);
    int code = request_once(balls.port, text, head, sizeof head);
    if (code != 404) print_error("%s -> %d\n", PATHS[i], code);
    assert_int_equal(code, 404);
  }
  for (int i = 0; i < cps_bundle_count; ++i) {
    snprintf(text, sizeof text, "HEAD %s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", cps_bundle[i].path, balls.port);
    assert_int_equal(request_once(balls.port, text, head, sizeof head), 200);
    assert_non_null(strstr(head, cps_bundle[i].type));
    assert_non_null(strstr(head, "frame-ancestors 'none'"));
    snprintf(policy, sizeof policy, "connect-src 'self' ws://localhost:%d;", balls.port);
    assert_non_null(strstr(head, policy));
    int file = dial(balls.port);
    text[0] = 'G', text[1] = 'E', text[2] = 'T', text[3] = ' ';
    memmove(text + 4, text + 5, strlen(text + 5) + 1);
    assert_int_equal(request(file, text, head, sizeof head), 200);
    unsigned char* body = malloc(cps_bundle[i].size);
    assert_true(receive_exactly(file, body, cps_bundle[i].size));
    assert_memory_equal(body, cps_bundle[i].bytes, cps_bundle[i].size);
    free(body);
    close(file);
  }
  snprintf(text, sizeof text, "POST / HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 0\r\n\r\n", balls.port);
  assert_int_equal(request_once(balls.port, text, head, sizeof head), 405);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_scene_comes_first_then_its_meshes),
      cmocka_unit_test(a_direction_of_view_reaches_the_page),
      cmocka_unit_test(frames_hold_the_numbers_of_the_result_and_only_what_is_wanted),
      cmocka_unit_test(series_and_facts_are_answered),
      cmocka_unit_test(only_the_bundle_is_served),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
