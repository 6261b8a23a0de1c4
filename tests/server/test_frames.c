// Connections that break the rules of WebSockets end at once, those that do nothing make room, and two servers that start
// together find two ports.
// labels: threads
#include <errno.h>
#include <fcntl.h>

#include "core/clock.h"
#include "server/served.h"
#include "server/server.h"

static const char STILL[] = "time: {step: 1 ms, end: 1 s}\nbodies: {ball: {sphere: {radius: 0.1}}}\n";

static int begin(void** state) {
  if (make_scratch(state) != 0) return 1;
  make_balls(scratch_path("balls.h5"));
  FILE* scene = fopen(scratch_path("still.yaml"), "w");
  if (!scene || fputs(STILL, scene) < 0 || fclose(scene) != 0) return 1;
  return 0;
}

static void check_alive(int file) {
  say(file, "{\"type\":\"frame\",\"index\":3}");
  assert_int_equal(u32_at(hear_kind(file, "CPSF").bytes + 8), 3);
}

// Seconds until the other side has ended the connection; more than `most`: it has not.
static double time_to_end(int file, double most) {
  double start = cps_clock_wall();
  char bytes[4096];
  for (double now = start; now - start < most; now = cps_clock_wall()) {
    struct pollfd one = {.fd = file, .events = POLLIN};
    if (poll(&one, 1, 10) > 0 && recv(file, bytes, sizeof bytes, MSG_DONTWAIT) <= 0 && errno != EAGAIN) break;
  }
  return cps_clock_wall() - start;
}

// Bytes as they go over the wire, and the code that answers them.
typedef struct Wire {
  const char* name;
  const char* bytes;
  size_t size;
  int code;
} Wire;
#define WIRE(name, bytes, code) \
  { name, bytes, sizeof(bytes) - 1, code }
// A mask of zeros, so that what it masks can be read.
#define MASK "\0\0\0\0"

static const Wire WRONG[] = {
    WIRE("text without a mask", "\x81\x1a{\"type\":\"frame\",\"index\":3}", 1002),
    WIRE("ping without a mask", "\x89\x00", 1002),
    WIRE("close without a mask", "\x88\x02\x03\xe8", 1002),
    WIRE("the first reserved bit", "\xc1\x82" MASK "{}", 1002),
    WIRE("the second reserved bit", "\xa1\x82" MASK "{}", 1002),
    WIRE("the third reserved bit", "\x91\x82" MASK "{}", 1002),
    WIRE("a reserved kind", "\x83\x80" MASK, 1002),
    WIRE("a reserved control", "\x8b\x80" MASK, 1002),
    WIRE("a ping in pieces", "\x09\x80" MASK, 1002),
    WIRE("a ping of 126 bytes", "\x89\xfe\x00\x7e" MASK, 1002),
    WIRE("the middle of nothing", "\x80\x82" MASK "{}", 1002),
    WIRE("a text within a text",
         "\x01\x81" MASK "{"
         "\x81\x81" MASK "}",
         1002),
    WIRE("a length that is written too long", "\x81\xfe\x00\x02" MASK "{}", 1002),
    WIRE("eight bytes for a short length", "\x81\xff\0\0\0\0\0\0\0\x02" MASK "{}", 1002),
    WIRE("a length that no file has", "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff" MASK, 1009),
    WIRE("a byte that is no UTF-8", "\x81\x84" MASK "{\xff:}", 1007),
    WIRE("half a letter", "\x81\x83" MASK "{}\xc3", 1007),
    WIRE("a surrogate", "\x81\x85" MASK "{\xed\xa0\x80}", 1007),
    WIRE("the slash in two bytes", "\x81\x84" MASK "{\xc0\xaf}", 1007),
    WIRE("a close of one byte", "\x88\x81" MASK "\x03", 1002),
    WIRE("a close with a code of nobody", "\x88\x82" MASK "\x03\xed", 1002),
    WIRE("a close whose reason is no UTF-8", "\x88\x83" MASK "\x03\xe8\xff", 1007),
};

static void frames_that_break_the_rules_end_their_connection_at_once(void** state) {
  (void)state;
  Served served;
  begin_serving(&served, scratch_path("balls.h5"), cps_view_options_default());
  int good = open_socket(served.port), wrong = 0;
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; ++i) {
    int bad = open_socket(served.port);
    struct timeval patience = {.tv_sec = 2};
    setsockopt(bad, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    send_all(bad, WRONG[i].bytes, WRONG[i].size);
    int code = hear_close(bad, NULL, 0);
    double took = time_to_end(bad, 2.0);
    if (code != WRONG[i].code || took > 1.0) {
      print_error("%s: code %d (not %d), open for %.1f s\n", WRONG[i].name, code, WRONG[i].code, took);
      ++wrong;
    }
    close(bad);
    check_alive(good);
  }
  close(good);
  end_serving(&served);
  assert_int_equal(wrong, 0);
}

// Text in two pieces with a ping between them, cut into single bytes on the way, is one message; the ping comes back.
static void frames_may_come_byte_by_byte(void** state) {
  (void)state;
  Served served;
  begin_serving(&served, scratch_path("balls.h5"), cps_view_options_default());
  int file = open_socket(served.port);
  static const char BYTES[] = "\x01\x88" MASK
                              "{\"type\":"
                              "\x89\x82" MASK
                              "hi"
                              "\x80\x92" MASK "\"frame\",\"index\":3}";
  for (size_t i = 0; i < sizeof BYTES - 1; ++i) {
    send_all(file, BYTES + i, 1);
    if (i % 8 == 0) poll(NULL, 0, 1);
  }
  bool pong = false, frame = false;
  while (!pong || !frame) {
    Message message = hear(file);
    assert_true(message.kind != 0 && message.kind != 8);
    pong |= message.kind == 10 && message.size == 2 && memcmp(message.bytes, "hi", 2) == 0;
    frame |= message.kind == 2 && memcmp(message.bytes, "CPSF", 4) == 0;
  }
  close(file);
  end_serving(&served);
}

static void sockets_that_ask_for_nothing_keep_nobody_out(void** state) {
  (void)state;
  Served served;
  begin_serving(&served, scratch_path("balls.h5"), cps_view_options_default());
  enum { IDLE = 200 };  // more than the server holds
  int idle[IDLE];
  for (int i = 0; i < IDLE; ++i) {
    idle[i] = dial(served.port);
    if (i % 2) send_all(idle[i], "GET / HT", 8);  // half a request is no more than none
  }
  double start = cps_clock_wall();
  int file = open_socket(served.port);
  check_alive(file);
  assert_true(cps_clock_wall() - start < 4.0);
  for (int i = 0; i < IDLE; ++i) close(idle[i]);
  close(file);
  end_serving(&served);
}

// As begin_serving(), with less patience.
static void begin_impatient(Served* served, CpsPatience patience, int pages) {
  CpsViewOptions options = cps_view_options_default();
  *served = (Served){0};
  options.clients_max = pages;
  options.event = count_event;
  options.event_data = served;
  CpsError error;
  assert_ok(cps_view_create(scratch_path("balls.h5"), &options, &served->view, &error), error);
  served->view->patience = patience;
  served->port = cps_view_port(served->view);
  assert_int_equal(pthread_create(&served->thread, NULL, serve, served), 0);
}

// Before the token: neither silence nor half a request, nor an answer that nobody takes, lasts.
static void requests_that_do_not_end_are_dropped(void** state) {
  (void)state;
  Served served;
  begin_impatient(&served, (CpsPatience){.request = 0.2, .silence = 30.0, .word = 30.0, .farewell = 0.2}, 16);
  int silent = dial(served.port), half = dial(served.port), done = dial(served.port);
  send_all(half, "GET / HTTP/1.1\r\nHo", 18);
  char text[128], head[4096];
  snprintf(text, sizeof text, "GET /none HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", served.port);
  assert_int_equal(request(done, text, head, sizeof head), 404);
  assert_true(time_to_end(silent, 10.0) < 10.0);
  assert_true(time_to_end(half, 10.0) < 10.0);
  assert_true(time_to_end(done, 10.0) < 10.0);
  close(silent);
  close(half);
  close(done);
  end_serving(&served);
}

// After it: a page that answers pings stays, one that does not is dropped, and so is one that never ends its message.
static void pages_that_do_not_answer_are_dropped(void** state) {
  (void)state;
  Served served;
  begin_impatient(&served, (CpsPatience){.request = 1.0, .silence = 0.4, .word = 30.0, .farewell = 0.2}, 16);
  int mute = open_socket(served.port), good = open_socket(served.port), slow = open_socket(served.port);
  send_all(slow, "\x81\x9a" MASK "{", 7);
  bool mute_gone = false, slow_gone = false;
  double start = cps_clock_wall();
  for (int i = 0; cps_clock_wall() - start < 20.0 && !(mute_gone && slow_gone && i > 10); ++i) {
    send_frame(good, 0x8a, NULL, 0);  // a pong that nobody asked for counts as well
    poll(NULL, 0, 100);
    if (!slow_gone) send_all(slow, " ", 1);
    if (!mute_gone) mute_gone = time_to_end(mute, 0.05) < 0.05;
    if (!slow_gone) slow_gone = time_to_end(slow, 0.05) < 0.05;
  }
  assert_true(mute_gone && slow_gone);
  check_alive(good);
  close(mute);
  close(good);
  close(slow);
  end_serving(&served);
  assert_int_equal(served.dropped, 2);
}

// A full house: who never said a word makes room for who wants to.
static void pages_that_say_nothing_make_room(void** state) {
  (void)state;
  Served served;
  begin_impatient(&served, (CpsPatience){.request = 30.0, .silence = 30.0, .word = 0.1, .farewell = 0.2}, 2);
  int mute = open_socket(served.port), good = open_socket(served.port);
  check_alive(good);
  poll(NULL, 0, 150);
  int late = open_socket(served.port);
  char reason[160];
  assert_int_equal(hear_close(mute, reason, sizeof reason), 1008);
  assert_string_equal(reason, "closed while idle to make room for another page");
  check_alive(late);
  check_alive(good);
  int more = dial(served.port);  // all have spoken now
  assert_int_equal(ask_socket(more, "/ws", usual_headers(served.port)), 503);
  close(more);
  close(mute);
  close(good);
  close(late);
  end_serving(&served);
}

// What is no request ends its connection, and two requests in one go get two answers.
static void requests_are_read_strictly(void** state) {
  (void)state;
  Served served;
  begin_serving(&served, scratch_path("balls.h5"), cps_view_options_default());
  static const struct {
    const char* text;
    int code;
  } BAD[] = {{"GET / HTTP/2\r\nHost: localhost\r\n\r\n", 400},
             {"GET /\r\n\r\n", 400},
             {"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
             {"GET / HTTP/1.1\nHost: localhost\n\n", 400},
             {"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400},
             {"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", 400},
             {"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400},
             {"\x16\x03\x01\x02\n", 400},
             {"GET / HTTP/1.1\r\n\r\n", 403},
             {"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", 426},
             {"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n",
              400}};
  char head[4096];
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
    int code = request_once(served.port, BAD[i].text, head, sizeof head);
    if (code != BAD[i].code) print_error("%s -> %d\n", BAD[i].text, code);
    assert_int_equal(code, BAD[i].code);
  }
  static char endless[10000];
  memset(endless, 'a', sizeof endless - 1);
  memcpy(endless, "GET /", 5);
  assert_int_equal(request_once(served.port, endless, head, sizeof head), 431);
  char text[256];
  snprintf(text, sizeof text,
           "HEAD /a HTTP/1.1\r\nHost: localhost:%d\r\n\r\nHEAD /b HTTP/1.1\r\nHost: localhost:%d\r\n\r\n", served.port,
           served.port);
  int twice = dial(served.port);
  assert_int_equal(request(twice, text, head, sizeof head), 404);
  assert_int_equal(request(twice, "", head, sizeof head), 404);
  close(twice);
  end_serving(&served);
}

enum { VIEWERS = 4, ROUNDS = 8 };
typedef struct Start {
  pthread_barrier_t* together;
  const char* path;
  int port;
  CpsStatus status;
  CpsView* view;
  CpsError error;
} Start;

static void* start_viewer(void* data) {
  Start* start = data;
  CpsViewOptions options = cps_view_options_default();
  options.port = start->port;
  options.ports = 20;
  pthread_barrier_wait(start->together);
  start->status = cps_view_create(start->path, &options, &start->view, &start->error);
  return NULL;
}

static void viewers_that_start_together_find_different_ports(void** state) {
  (void)state;
  const char* path = scratch_path("still.yaml");
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_barrier_t together;
    pthread_t threads[VIEWERS];
    Start starts[VIEWERS];
    assert_int_equal(pthread_barrier_init(&together, NULL, VIEWERS), 0);
    for (int i = 0; i < VIEWERS; ++i) {
      starts[i] = (Start){.together = &together, .path = path, .port = 18020};
      assert_int_equal(pthread_create(&threads[i], NULL, start_viewer, &starts[i]), 0);
    }
    for (int i = 0; i < VIEWERS; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    int taken = 0;
    for (int i = 0; i < VIEWERS; ++i) {
      if (starts[i].status != CPS_OK) print_error("%s\n", starts[i].error.text);
      for (int k = 0; k < i; ++k) {
        taken += starts[i].view && starts[k].view && cps_view_port(starts[i].view) == cps_view_port(starts[k].view);
      }
    }
    for (int i = 0; i < VIEWERS; ++i) cps_view_destroy(starts[i].view);
    for (int i = 0; i < VIEWERS; ++i) assert_int_equal(starts[i].status, CPS_OK);
    assert_int_equal(taken, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_that_break_the_rules_end_their_connection_at_once),
      cmocka_unit_test(frames_may_come_byte_by_byte),
      cmocka_unit_test(sockets_that_ask_for_nothing_keep_nobody_out),
      cmocka_unit_test(requests_that_do_not_end_are_dropped),
      cmocka_unit_test(pages_that_do_not_answer_are_dropped),
      cmocka_unit_test(pages_that_say_nothing_make_room),
      cmocka_unit_test(requests_are_read_strictly),
      cmocka_unit_test(viewers_that_start_together_find_different_ports),
  };
  return cmocka_run_group_tests(tests, begin, remove_scratch);
}
