// capstan view: a result or a scene in the browser.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"

#ifdef CAPSTAN_VIEW
#include <fcntl.h>

#include "capstan/view.h"

enum { PORT = 8020, PORTS_TRIED = 20 };

// The handler of signals has no other way to find it.
static CpsView* running;

static void stop_running(int number) {
  (void)number;
  cps_view_stop(running);
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = stop_running, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// Lets the desktop open the page, if there is one. No shell: the URL is one argument.
static void open_browser(const char* url) {
  const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if (!(x11 && *x11) && !(wayland && *wayland)) return;
  if (fork() != 0) return;
  int nothing = open("/dev/null", O_RDWR);
  for (int file = 0; file <= 2 && nothing >= 0; ++file) dup2(nothing, file);
  setsid();  // Ctrl-C here does not close the browser
  execlp("xdg-open", "xdg-open", url, (char*)NULL);
  _exit(127);
}

static void report(const CpsViewEvent* event, void* data) {
  (void)data;
  if (event->kind == CPS_VIEW_REFUSED || event->kind == CPS_VIEW_DROPPED) {
    size_t length = strcspn(event->sentence, "\n");
    fprintf(stderr, "capstan: view: %s: %.*s\n",
            event->kind == CPS_VIEW_REFUSED ? "refused a request" : "closed a page", (int)length, event->sentence);
  }
}

static bool is_in_use(const CpsError* error) {
  size_t length = strlen(error->text);
  static const char END[] = "is in use";
  return length >= sizeof END - 1 && strcmp(error->text + length - (sizeof END - 1), END) == 0;
}

// Without --port the usual one, or the next that is free.
static CpsStatus create(const char* path, CpsViewOptions* options, int64_t port, CpsView** view, CpsError* error) {
  CpsStatus status = CPS_OK;
  for (int i = 0; i < (port > 0 ? 1 : PORTS_TRIED); ++i) {
    options->port = (int32_t)(port > 0 ? port : PORT + i);
    status = cps_view_create(path, options, view, error);
    if (status == CPS_OK || !is_in_use(error)) return status;
  }
  return status;
}

static int view(const char* path, CpsViewOptions* options, int64_t port, bool no_open) {
  if (!cps_view_has_page()) {
    return cps_complain(
        "view: this build lacks the page: install Node and npm (apt install nodejs npm), then build again");
  }
  CpsError error;
  options->event = report;
  if (create(path, options, port, &running, &error) != CPS_OK) return cps_complain("%s", error.text);
  catch_signals();
  printf("%s   Ctrl-C ends\n", cps_view_url(running));
  fflush(stdout);
  if (!no_open) open_browser(cps_view_url(running));
  CpsStatus status = cps_view_run(running, &error);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  cps_view_destroy(running);
  if (status == CPS_OK) return CPS_EXIT_OK;
  cps_complain("view: %s", error.text);
  return CPS_EXIT_OTHER;
}
#endif

int cps_cmd_view(int argc, char** argv) {
  const char* address = NULL;
  int64_t port = 0;
  bool no_open = false, once = false;
  const CpsOption options[] = {
      {"port", 0, CPS_OPTION_COUNT, &port, "P", "port to listen on [8020, or the next that is free]", 65535},
      {"no-open", 0, CPS_OPTION_FLAG, &no_open, NULL, "do not open a browser", 0},
      {"once", 0, CPS_OPTION_FLAG, &once, NULL, "end when the last page was closed", 0},
      {"listen", 0, CPS_OPTION_TEXT, &address, "ADDRESS",
       "listen on this address of the machine, 0.0.0.0: all [127.0.0.1]; the URL then carries a token", 0},
      {0},
  };
  const CpsCommandLine line = {
      .name = "view",
      .usage = "OUT.h5 [OPTIONS]",
      .summary = "Serves a page that plays a result in the browser, and opens it. Ctrl-C ends.",
      .options = options,
      .examples =
          "  capstan view tower.h5\n  capstan view tower.h5 --once\n  capstan view tower.h5 --no-open --port 9000\n"
          "  capstan view tower.h5 --listen 0.0.0.0\n",
  };
  int word_count = 0;
  CpsParse parsed = cps_parse(&line, argc, argv, &word_count);
  if (parsed != CPS_PARSE_GO) return parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  if (word_count != 1) return cps_complain("view needs one result");
#ifdef CAPSTAN_VIEW
  CpsViewOptions view_options = cps_view_options_default();
  view_options.address = address;
  view_options.once = once;
  return view(argv[0], &view_options, port, no_open);
#else
  return cps_complain("view: this build lacks the viewer: build with -DCAPSTAN_VIEW=ON");
#endif
}
