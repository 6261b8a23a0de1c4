// Who is let in, and what becomes of a connection that misbehaves while others go on.
// labels: threads
#include "server/guard.h"
#include "server/served.h"

static int begin(void** state) {
  if (make_scratch(state) != 0) return 1;
  make_balls(scratch_path("balls.h5"));
  return 0;
}

static void begin_balls(Served* served) {
  begin_serving(served, scratch_path("balls.h5"), cps_view_options_default());
}

// The page goes on: it asks for a frame and gets it.
static void check_alive(int file) {
  say(file, "{\"type\":\"frame\",\"index\":3}");
  Message frame = hear_kind(file, "CPSF");
  assert_int_equal(frame.kind, 2);
  assert_int_equal(u32_at(frame.bytes + 8), 3);
}

static int socket_status(int port, const char* path, const char* headers) {
  int file = dial(port);
  int code = ask_socket(file, path, headers);
  close(file);
  return code;
}

// Copies a text with the port in place of each '#'.
static void put_port(char* out, size_t room, const char* text, int port) {
  size_t used = 0;
  for (; *text && used + 8 < room; ++text) {
    if (*text == '#') {
      used += (size_t)snprintf(out + used, room - used, "%d", port);
    } else {
      out[used++] = *text;
    }
  }
  out[used] = '\0';
}

static void another_origin_or_host_is_refused(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  char headers[256], text[512], head[4096];
  static const char* const BAD[] = {"Host: 127.0.0.1:#\r\nOrigin: http://evil.example\r\n",
                                    "Host: 127.0.0.1:#\r\nOrigin: null\r\n",
                                    "Host: 127.0.0.1:#\r\nOrigin: https://127.0.0.1:#\r\n",
                                    "Host: 127.0.0.1:#\r\nOrigin: http://localhost:#\r\n",
                                    "Host: evil.example:#\r\nOrigin: http://evil.example:#\r\n",
                                    "Host: 127.0.0.1.evil.example:#\r\n",
                                    "Host: 127.0.0.2:#\r\n"};
  static const char* const GOOD[] = {"Host: localhost:#\r\nOrigin: http://localhost:#\r\n", "Host: 127.0.0.1:#\r\n",
                                     "Host: 127.0.0.1:9\r\nOrigin: http://127.0.0.1:9\r\n"};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
    put_port(headers, sizeof headers, BAD[i], served.port);
    if (socket_status(served.port, "/ws", headers) != 403) print_error("%s\n", headers);
    assert_int_equal(socket_status(served.port, "/ws", headers), 403);
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\n%s\r\n", headers);
    assert_int_equal(request_once(served.port, text, head, sizeof head), 403);
  }
  for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; ++i) {
    put_port(headers, sizeof headers, GOOD[i], served.port);
    assert_int_equal(socket_status(served.port, "/ws", headers), 101);
  }
  assert_int_equal(socket_status(served.port, "/", usual_headers(served.port)), 404);
  assert_int_equal(socket_status(served.port, "/wsx", usual_headers(served.port)), 404);
  end_serving(&served);
  assert_int_equal(served.connected, 3);
  assert_true(served.refused >= 14);
}

static void listening_elsewhere_needs_the_token(void** state) {
  (void)state;
  Served served;
  CpsViewOptions options = cps_view_options_default();
  options.address = "127.0.0.1";
  begin_serving(&served, scratch_path("balls.h5"), options);
  const char* token = strstr(cps_view_url(served.view), "/?token=");
  assert_non_null(token);
  token += strlen("/?token=");
  assert_int_equal(strlen(token), CPS_TOKEN_LENGTH);
  char path[128], text[512], head[4096];
  const char* headers = usual_headers(served.port);
  assert_int_equal(socket_status(served.port, "/ws", headers), 403);
  assert_int_equal(socket_status(served.port, "/ws?token=", headers), 403);
  assert_int_equal(socket_status(served.port, "/ws?token=00000000000000000000000000000000", headers), 403);
  snprintf(path, sizeof path, "/ws?token=%.31s", token);
  assert_int_equal(socket_status(served.port, path, headers), 403);
  snprintf(path, sizeof path, "/ws?token=%s0", token);
  assert_int_equal(socket_status(served.port, path, headers), 403);
  snprintf(path, sizeof path, "/ws?token=%s", token);
  assert_int_equal(socket_status(served.port, path, headers), 101);
  snprintf(text, sizeof text, "GET / HTTP/1.1\r\n%s\r\n", headers);
  assert_int_equal(request_once(served.port, text, head, sizeof head), 403);
  snprintf(text, sizeof text, "GET /?token=%s HTTP/1.1\r\n%s\r\n", token, headers);
  int code = request_once(served.port, text, head, sizeof head);
  assert_int_equal(code, cps_view_has_page() ? 200 : 404);
  end_serving(&served);
}

static void a_bad_message_closes_only_its_own_connection(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  int good = open_socket(served.port);
  static const struct {
    const char* text;
    const char* reason;
  } BAD[] = {{"hello", "expected an object at byte 1"},
             {"{\"type\":\"frame\"}", "frame: index must be a number"},
             {"{\"type\":\"frame\",\"index\":-1}", "frame: index must be a whole number that is not negative"},
             {"{\"type\":\"run\"}", "run: not for a result"},
             {"{\"type\":\"fly\"}", "type 'fly' is not known"}};
  char reason[160];
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
    int bad = open_socket(served.port);
    say(bad, BAD[i].text);
    assert_int_equal(hear_close(bad, reason, sizeof reason), 1008);
    assert_string_equal(reason, BAD[i].reason);
    close(bad);
    check_alive(good);
  }
  int binary = open_socket(served.port);
  send_frame(binary, 0x82, "CPSF", 4);
  assert_int_equal(hear_close(binary, NULL, 0), 1008);
  close(binary);
  check_alive(good);
  close(good);
  end_serving(&served);
  assert_int_equal(served.dropped, 6);
}

static void too_long_a_message_is_1009_also_in_pieces(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  int good = open_socket(served.port);
  static char blanks[4097];
  memset(blanks, ' ', sizeof blanks);
  int whole = open_socket(served.port);
  send_frame(whole, 0x81, blanks, sizeof blanks);
  assert_int_equal(hear_close(whole, NULL, 0), 1009);
  close(whole);
  int pieces = open_socket(served.port);
  send_frame(pieces, 0x01, blanks, 1000);
  for (int i = 0; i < 4; ++i) send_frame(pieces, 0x00, blanks, 1000);
  assert_int_equal(hear_close(pieces, NULL, 0), 1009);
  close(pieces);
  // a message of just the right length in pieces is read
  int right = open_socket(served.port);
  memcpy(blanks, "{\"type\":\"frame\",\"index\":3}", 26);
  send_frame(right, 0x01, blanks, 2048);
  send_frame(right, 0x80, blanks + 2048, 2048);
  assert_int_equal(u32_at(hear_kind(right, "CPSF").bytes + 8), 3);
  close(right);
  check_alive(good);
  close(good);
  end_serving(&served);
}

static void a_flood_is_closed(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  int good = open_socket(served.port), bad = open_socket(served.port);
  // 480 at once and 240 in each second are allowed: 20 000 within the seconds that this may take are not
  for (int i = 0; i < 20000; ++i) say(bad, "{\"type\":\"ack\",\"index\":1}");
  char reason[160];
  assert_int_equal(hear_close(bad, reason, sizeof reason), 1008);
  assert_string_equal(reason, "messages come too fast");
  check_alive(good);
  close(bad);
  close(good);
  end_serving(&served);
}

static void one_page_more_than_allowed_is_503(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  int files[16];
  for (int i = 0; i < 16; ++i) files[i] = open_socket(served.port);
  assert_int_equal(socket_status(served.port, "/ws", usual_headers(served.port)), 503);
  check_alive(files[15]);
  send_frame(files[0], 0x88, "\x03\xe8", 2);  // 1000: a page is closed, and there is room
  assert_int_equal(hear_close(files[0], NULL, 0), 1000);
  close(files[0]);
  int code = 503;
  for (int i = 0; i < 200 && code != 101; ++i) {
    code = socket_status(served.port, "/ws", usual_headers(served.port));
    if (code != 101) poll(NULL, 0, 10);
  }
  assert_int_equal(code, 101);
  for (int i = 1; i < 16; ++i) close(files[i]);
  end_serving(&served);
}

static void idle_connections_keep_nobody_out_for_long(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  enum { IDLE = 200 };  // more than the server takes at a time
  int good = open_socket(served.port), idle[IDLE];
  for (int i = 0; i < IDLE; ++i) idle[i] = dial(served.port);
  check_alive(good);
  for (int i = 0; i < IDLE; ++i) close(idle[i]);
  int late = open_socket(served.port);
  check_alive(late);
  close(late);
  close(good);
  end_serving(&served);
}

static void too_many_unread_questions_close_the_connection(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  int file = open_socket(served.port);
  // more than the limit in one go: the worker cannot have answered them all before they are read from the socket
  for (int i = 0; i < 400; ++i) say(file, "{\"type\":\"series\",\"name\":\"contacts\"}");
  int code = hear_close(file, NULL, 0);
  assert_true(code == 1008);
  close(file);
  end_serving(&served);
}

static void once_ends_after_the_last_page_and_survives_a_reload(void** state) {
  (void)state;
  Served served;
  CpsViewOptions options = cps_view_options_default();
  options.once = true;
  begin_serving(&served, scratch_path("balls.h5"), options);
  int file = open_socket(served.port);
  check_alive(file);
  close(file);
  file = open_socket(served.port);  // the page was loaded again
  check_alive(file);
  close(file);
  await_end(&served);  // by itself
  assert_int_equal(served.connected, 2);
  assert_int_equal(served.disconnected, 2);
}

static void a_server_that_ends_says_so(void** state) {
  (void)state;
  Served served;
  begin_balls(&served);
  int file = open_socket(served.port);
  check_alive(file);
  cps_view_stop(served.view);
  char reason[160];
  assert_int_equal(hear_close(file, reason, sizeof reason), 1001);
  assert_string_equal(reason, "the server is shutting down");
  close(file);
  await_end(&served);
}

static void bad_settings_and_files_are_one_sentence(void** state) {
  (void)state;
  CpsViewOptions options = cps_view_options_default();
  CpsView* view = NULL;
  CpsError error;
  assert_int_equal(cps_view_create(scratch_path("none.h5"), &options, &view, &error), CPS_FILE_ERROR);
  assert_non_null(strstr(error.text, "none.h5"));
  assert_null(view);
  Served served;
  begin_balls(&served);
  options.port = served.port;
  assert_int_equal(cps_view_create(scratch_path("balls.h5"), &options, &view, &error), CPS_BAD_ARGUMENT);
  char sentence[64];
  snprintf(sentence, sizeof sentence, "port %d is in use", served.port);
  assert_string_equal(error.text, sentence);
  end_serving(&served);
  options.port = 65530;
  options.ports = 7;  // one of them would be 65536
  assert_int_equal(cps_view_create(scratch_path("balls.h5"), &options, &view, &error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(error.text, "7 ports starting at 65530"));
  options.ports = 1;
  options.port = 0;
  options.address = "example";
  assert_int_equal(cps_view_create(scratch_path("balls.h5"), &options, &view, &error), CPS_BAD_ARGUMENT);
  assert_string_equal(error.text, "'example' is not a numeric address");
  options.address = "192.0.2.1";  // kept for documents: no machine has it
  assert_int_equal(cps_view_create(scratch_path("balls.h5"), &options, &view, &error), CPS_BAD_ARGUMENT);
  assert_non_null(strstr(error.text, "cannot listen on 192.0.2.1 port 0: "));
  options = (CpsViewOptions){0};
  assert_int_equal(cps_view_create(scratch_path("balls.h5"), &options, &view, &error), CPS_BAD_ARGUMENT);
  assert_int_equal(cps_view_run(NULL, &error), CPS_BAD_ARGUMENT);
  cps_view_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_origin_or_host_is_refused),
      cmocka_unit_test(listening_elsewhere_needs_the_token),
      cmocka_unit_test(a_bad_message_closes_only_its_own_connection),
      cmocka_unit_test(too_long_a_message_is_1009_also_in_pieces),
      cmocka_unit_test(a_flood_is_closed),
      cmocka_unit_test(one_page_more_than_allowed_is_503),
      cmocka_unit_test(idle_connections_keep_nobody_out_for_long),
      cmocka_unit_test(too_many_unread_questions_close_the_connection),
      cmocka_unit_test(once_ends_after_the_last_page_and_survives_a_reload),
      cmocka_unit_test(a_server_that_ends_says_so),
      cmocka_unit_test(bad_settings_and_files_are_one_sentence),
  };
  return cmocka_run_group_tests(tests, begin, remove_scratch);
}
