// capstan view as a user calls it: the address it prints, how it ends, and what it refuses. Where the page was not built it
// says so and nothing else; then there is nothing more to test here.
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "cli/runner.h"

#ifdef CAPSTAN_VIEW
#include "capstan/view.h"
#include "server/web_socket.h"

static bool has_page(void) {
  return cps_view_has_page();
}

static void write_scene(void) {
  FILE* file = fopen("ball.yaml", "w");
  fputs("time: {step: 1 ms, end: 0.01 s}\nobstacles: {floor: {plane: {}}}\nbodies: {ball: {sphere: {radius: 0.1}}}\n",
        file);
  fclose(file);
  Outcome made = run("run ball.yaml -o ball.h5 -q");
  assert_int_equal(made.code, 0);
  forget(&made);
}

// Servers that a test which failed has left behind.
static pid_t children[4];
static int child_count;

static int end_children(void** state) {
  (void)state;
  for (int i = 0; i < child_count; ++i) kill(children[i], SIGKILL);
  child_count = 0;
  return 0;
}

// Starts the command and reads the address from its first line. The port.
static int start_view(const char* words, pid_t* child) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  int err = open("stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
  *child = start(words, ends[1], err);
  children[child_count++] = *child;
  close(ends[1]);
  close(err);
  char text[512] = "";
  size_t size = 0;
  struct pollfd wait = {.fd = ends[0], .events = POLLIN};
  while (!strchr(text, '\n') && size + 1 < sizeof text && poll(&wait, 1, 20000) > 0) {
    ssize_t got = read(ends[0], text + size, sizeof text - 1 - size);
    if (got <= 0) break;
    size += (size_t)got;
    text[size] = '\0';
  }
  close(ends[0]);
  int port = 0;
  const char* colon = strstr(text, "http://127.0.0.1:");
  if (!colon || sscanf(colon, "http://127.0.0.1:%d/", &port) != 1) print_error("%s -> %s\n", words, text);
  assert_true(port > 0);
  return port;
}

static void it_prints_its_address_serves_the_page_and_ends_with_ctrl_c(void** state) {
  (void)state;
  if (!has_page()) skip();
  write_scene();
  pid_t child;
  char text[256], head[4096];
  int port = start_view("view ball.h5 --no-open", &child);
  snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);
  assert_int_equal(request_once(port, text, head, sizeof head), 200);
  assert_non_null(strstr(head, "text/html"));
  // without --port a second one takes the next port
  pid_t second;
  int other = start_view("view ball.yaml --no-open", &second);
  assert_int_not_equal(other, port);
  snprintf(text, sizeof text, "view ball.h5 --no-open --port %d", port);
  Outcome busy = run(text);
  snprintf(text, sizeof text, "port %d is in use", port);
  check_refused(&busy, "view", text);
  forget(&busy);
  kill(child, SIGINT);
  assert_int_equal(finish(child), 0);
  kill(second, SIGTERM);
  assert_int_equal(finish(second), 0);
  child_count = 0;
}

// `timeout` sends its signal to the command and to its group: the second is no second request.
static void a_signal_that_comes_twice_ends_it_once(void** state) {
  (void)state;
  if (!has_page()) skip();
  write_scene();
  pid_t child;
  const struct timespec soon = {.tv_nsec = 500000};
  // a server may be gone before the second comes
  for (int k = 0; k < 3; ++k) {
    (void)start_view("view ball.h5 --no-open", &child);
    kill(child, SIGINT);
    nanosleep(&soon, NULL);
    kill(child, SIGINT);
    assert_int_equal(finish(child), 0);
    child_count = 0;
  }
}

static void once_ends_with_the_last_page(void** state) {
  (void)state;
  if (!has_page()) skip();
  write_scene();
  pid_t child;
  int port = start_view("view ball.h5 --no-open --once", &child);
  int file = open_socket(port);
  assert_int_equal(hear(file).kind, 1);
  close(file);
  assert_int_equal(finish(child), 0);
  child_count = 0;
}

static void what_cannot_be_shown_is_one_sentence(void** state) {
  (void)state;
  if (!has_page()) {
    Outcome without = run("view ball.h5");
    check_refused(&without, "view", "this build does not contain the page");
    forget(&without);
    return;
  }
  write_scene();
  assert_int_equal(truncate("ball.h5", 3000), 0);
  FILE* file = fopen("text.h5", "w");
  fputs("not HDF5\n", file);
  fclose(file);
  file = fopen("wrong.yaml", "w");
  fputs("bodies: {ball: {spher: {radius: 0.1}}}\n", file);
  fclose(file);
  static const struct {
    const char* words;
    const char* sentence;
  } BAD[] = {{"view ball.h5 --no-open", "ball.h5"},
             {"view text.h5 --no-open", "text.h5"},
             {"view none.h5 --no-open", "none.h5"},
             {"view none.yaml --no-open", "none.yaml"},
             {"view wrong.yaml --no-open", "wrong.yaml:1:"},
             {"view --no-open", "view needs one result or scene"},
             {"view ball.yaml --no-open --port 70000", "port"},
             {"view ball.yaml --no-open --listen elsewhere", "'elsewhere' is not a numeric address"},
             {"view ball.yaml --no-open --onse", "did you mean '--once'"}};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
    Outcome outcome = run(BAD[i].words);
    check_refused(&outcome, BAD[i].words, BAD[i].sentence);
    forget(&outcome);
  }
}
#else
static void what_cannot_be_shown_is_one_sentence(void** state) {
  (void)state;
  Outcome without = run("view ball.h5");
  check_refused(&without, "view", "this build does not contain the viewer");
  forget(&without);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef CAPSTAN_VIEW
      cmocka_unit_test_teardown(it_prints_its_address_serves_the_page_and_ends_with_ctrl_c, end_children),
      cmocka_unit_test_teardown(a_signal_that_comes_twice_ends_it_once, end_children),
      cmocka_unit_test_teardown(once_ends_with_the_last_page, end_children),
#endif
      cmocka_unit_test(what_cannot_be_shown_is_one_sentence),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
