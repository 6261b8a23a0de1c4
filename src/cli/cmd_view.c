// capstan view: a result or a scene in the browser.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/find_scene.h"
#include "cli/options.h"
#include "cli/progress.h"

#ifdef CAPSTAN_VIEW
#include <fcntl.h>

#include "capstan/view.h"

enum { PORT = 8020, PORTS_TRIED = 20, REPORTS_MOST = 20 };

// The signal handler has no other access to it.
static CpsView* running;

static void stop_running(void) {
  cps_view_stop(running);
}

// Asks the desktop to open the page. No shell: the URL is a single argument.
static void open_browser(const char* url) {
  const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if (!(x11 && *x11) && !(wayland && *wayland)) return;
  if (fork() != 0) return;
  int nothing = open("/dev/null", O_RDWR);
  for (int file = 0; file <= 2 && nothing >= 0; ++file) dup2(nothing, file);
  setsid();  // Ctrl-C in this terminal must not close the browser
  execlp("xdg-open", "xdg-open", url, (char*)NULL);
  _exit(127);
}

// Reports only the first rejected client, so that many requests cannot flood the terminal.
static void report(const CpsViewEvent* event, void* data) {
  int* told = data;
  if (event->kind != CPS_VIEW_REFUSED && event->kind != CPS_VIEW_DROPPED) return;
  if (*told > REPORTS_MOST) return;
  if (++*told > REPORTS_MOST) {
    fputs("capstan: view: further messages of this kind are not shown\n", stderr);
    return;
  }
  fprintf(stderr, "capstan: view: %s: %.*s\n",
          event->kind == CPS_VIEW_REFUSED ? "request refused" : "connection closed",
          (int)strcspn(event->sentence, "\n"), event->sentence);
}

static int view(const char* path, CpsViewOptions* options, bool no_open) {
  if (!cps_view_has_page()) {
    return cps_complain(
        "view: this build does not contain the page; install Node and npm (apt install nodejs npm) and rebuild");
  }
  CpsError error;
  int told = 0;
  options->event = report;
  options->event_data = &told;
  if (cps_view_create(path, options, &running, &error) != CPS_OK) {
    // errors in a scene begin with their position
    size_t length = strlen(path);
    bool has_place = strncmp(error.text, path, length) == 0 && strspn(error.text + length, ":0123456789") > 2;
    return has_place ? cps_complain_at(error.text) : cps_complain("%s", error.text);
  }
  cps_interrupt_tell(stop_running);
  printf("%s   press Ctrl-C to stop\n", cps_view_url(running));
  fflush(stdout);
  if (!no_open) open_browser(cps_view_url(running));
  CpsStatus status = cps_view_run(running, &error);
  cps_interrupt_tell(NULL);
  cps_view_destroy(running);
  if (status == CPS_OK) return CPS_EXIT_OK;
  cps_complain("view: %s", error.text);
  return CPS_EXIT_OTHER;
}
#endif

// The options as given on the command line.
typedef struct Arguments {
  const char* address;
  int64_t port, threads;
  bool no_open, once;
  CpsOptionList sets;
} Arguments;

static int start(const char* path, const Arguments* arguments) {
#ifdef CAPSTAN_VIEW
  CpsViewOptions options = cps_view_options_default();
  options.address = arguments->address;
  options.port = arguments->port > 0 ? (int32_t)arguments->port : PORT;
  options.ports = arguments->port > 0 ? 1 : PORTS_TRIED;
  options.once = arguments->once;
  options.threads = (int32_t)arguments->threads;
  options.overrides = arguments->sets.items;
  options.override_count = arguments->sets.count;
  return view(path, &options, arguments->no_open);
#else
  (void)path;
  (void)arguments;
  return cps_complain("view: this build does not contain the viewer; rebuild with -DCAPSTAN_VIEW=ON");
#endif
}

static CpsParse parse(int argc, char** argv, Arguments* arguments, int* word_count) {
  const CpsOption options[] = {
      {"port", 0, CPS_OPTION_COUNT, &arguments->port, "P", "port to listen on [8020, or the next free port]", 65535},
      {"no-open", 0, CPS_OPTION_FLAG, &arguments->no_open, NULL, "do not open a browser", 0},
      {"once", 0, CPS_OPTION_FLAG, &arguments->once, NULL, "exit when the last browser page closes", 0},
      {"listen", 0, CPS_OPTION_TEXT, &arguments->address, "ADDRESS",
       "address to listen on, 0.0.0.0 for all; adds a token to the URL [127.0.0.1]", 0},
      {"set", 's', CPS_OPTION_LIST, &arguments->sets, "KEY=VALUE", "override a scene value (repeatable)", 0},
      {"threads", 'j', CPS_OPTION_COUNT, &arguments->threads, "N",
       "simulation threads; does not affect the result [from the scene]", 1024},
      {0},
  };
  const CpsCommandLine line = {
      .name = "view",
      .usage = "OUT.h5 | SCENE.yaml [OPTIONS]",
      .summary =
          "Opens a browser page that plays a result, or runs a scene and lets you pull on it. The page is served\n"
          "to this machine only, unless --listen is given. Ctrl-C stops the server.",
      .options = options,
      .examples =
          "  capstan view tower.h5\n  capstan view scenes/knot.yaml --once\n"
          "  capstan view tower.h5 --no-open --port 9000\n  capstan view tower.h5 --listen 0.0.0.0\n",
  };
  return cps_parse(&line, argc, argv, word_count);
}

int cps_cmd_view(int argc, char** argv) {
  Arguments arguments = {.sets = {.items = malloc((size_t)argc * sizeof *arguments.sets.items)}};
  if (!arguments.sets.items) return cps_complain("out of memory");
  int word_count = 0, code = CPS_EXIT_OK;
  CpsParse parsed = parse(argc, argv, &arguments, &word_count);
  if (parsed != CPS_PARSE_GO) {
    code = parsed == CPS_PARSE_HELP ? CPS_EXIT_OK : CPS_EXIT_BAD_INPUT;
  } else if (word_count != 1) {
    code = cps_complain("view needs one result or scene; see 'capstan view --help'");
  } else {
    char room[CPS_SCENE_PATH_MAX];
    const char* file = argv[0];
    code = cps_find_scene(&file, room) ? start(file, &arguments) : CPS_EXIT_BAD_INPUT;
  }
  free(arguments.sets.items);
  return code;
}
