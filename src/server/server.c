// The server: made, run and ended. One loop over all sockets, on the thread that calls cps_view_run().
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/error.h"
#include "server/listen.h"

enum { COOKIE = 0x76696577, PORT_MOST = 65535 };
static const double FAREWELL = 0.5;  // s: time for pages to receive the end of the server
static const CpsPatience PATIENCE = {.request = 10.0, .silence = 30.0, .word = 10.0, .farewell = 2.0};

CpsViewOptions cps_view_options_default(void) {
  return (CpsViewOptions){.ports = 1, .clients_max = 16, .cookie = COOKIE};
}

bool cps_view_has_page(void) {
  return cps_bundle_count > 0;
}

void cps_view_tell(CpsView* view, CpsViewEventKind kind, const char* sentence) {
  if (!view->options.event) return;
  CpsViewEvent event = {kind, view->page_count, sentence};
  view->options.event(&event, view->options.event_data);
}

// Callable from any thread and from a signal handler. A full pipe wakes the loop as well.
static void wake(void* data) {
  CpsView* view = data;
  int kept = errno;
  ssize_t written = write(view->wake[1], "", 1);
  (void)written;
  errno = kept;
}

static CpsStatus make_pipe(CpsView* view, CpsError* error) {
  bool made = pipe(view->wake) == 0;
  for (int i = 0; made && i < 2; ++i) {
    made = fcntl(view->wake[i], F_SETFL, O_NONBLOCK) == 0 && fcntl(view->wake[i], F_SETFD, FD_CLOEXEC) == 0;
  }
  return made ? CPS_OK : cps_fail(error, CPS_FILE_ERROR, "cannot make a pipe: %s", strerror(errno));
}

static void write_url(CpsView* view) {
  char name[256] = "";
  const char* host = view->address;
  if (cps_address_is_wildcard(host) && gethostname(name, sizeof name - 1) == 0 && name[0]) host = name;
  bool is_six = strchr(host, ':') != NULL;
  snprintf(view->url, sizeof view->url, "http://%s%s%s:%d/%s%s", is_six ? "[" : "", host, is_six ? "]" : "",
           (int)view->port, view->token[0] ? "?token=" : "", view->token);
}

static CpsStatus check(const char* path, const CpsViewOptions* options, CpsView** view, CpsError* error) {
  if (!path || !options || !view) return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_create: an argument is NULL");
  if (options->cookie != COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_create: start from cps_view_options_default()");
  }
  if (options->port < 0 || options->port > PORT_MOST) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "port %d is not between 0 and %d", (int)options->port, PORT_MOST);
  }
  if (options->ports < 1 || options->ports > PORT_MOST - options->port + 1) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "%d ports starting at %d are not between 0 and %d", (int)options->ports,
                    (int)options->port, PORT_MOST);
  }
  if (options->clients_max < 1 || options->clients_max > CPS_SERVER_PAGES_MOST || options->threads < 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_create: clients_max or threads is out of range");
  }
  if (options->override_count < 0 || (options->override_count > 0 && !options->overrides)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_create: the overrides are missing");
  }
  return CPS_OK;
}

// Whether the file is a result: by its ending, else by its contents.
static bool is_result(const char* path) {
  const char* ending = strrchr(path, '.');
  return (ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0)) || cps_result_recognise(path);
}

static CpsStatus open_view(CpsView* view, const char* path, CpsError* error) {
  CpsStatus status = CPS_OK;
  if (view->options.address || view->options.embedded) status = cps_token_create(view->token, error);
  if (status == CPS_OK) status = make_pipe(view, error);
  if (status == CPS_OK) status = cps_listen(view->address, &view->port, view->options.ports, &view->listener, error);
  if (status != CPS_OK) return status;
  write_url(view);
  cps_outbox_begin(&view->outbox, wake, view);
  view->outbox_begun = true;
  if (is_result(path)) return cps_playback_create(path, &view->outbox, &view->source, error);
  return cps_live_source_create(path, &view->options, &view->outbox, &view->source, error);
}

CpsStatus cps_view_create(const char* path, const CpsViewOptions* options, CpsView** view, CpsError* error) {
  CpsStatus status = check(path, options, view, error);
  if (status != CPS_OK) return status;
  CpsView* made = calloc(1, sizeof *made);
  if (!made) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for the server");
  made->options = *options;
  made->port = options->port;
  made->patience = PATIENCE;
  made->listener = made->wake[0] = made->wake[1] = -1;
  snprintf(made->address, sizeof made->address, "%s", options->address ? options->address : "127.0.0.1");
  atomic_init(&made->stopped, false);
  status = open_view(made, path, error);
  if (status != CPS_OK) {
    cps_view_destroy(made);
    return status;
  }
  made->options.overrides = NULL;  // belong to the caller and are no longer needed
  *view = made;
  return cps_succeed(error);
}

void cps_view_destroy(CpsView* view) {
  if (!view) return;
  if (view->source) view->source->stop(view->source);  // its thread wakes the loop
  for (CpsConnection* c = view->connections; c; c = c->next)
    cps_connection_drop(view, c);  // they hold packets of the source
  cps_connections_sweep(view);
  if (view->source) view->source->destroy(view->source);
  if (view->outbox_begun) cps_outbox_end(&view->outbox);
  if (view->listener >= 0) close(view->listener);
  for (int i = 0; i < 2; ++i) {
    if (view->wake[i] >= 0) close(view->wake[i]);
  }
  free(view);
}

int32_t cps_view_port(const CpsView* view) {
  return view->port;
}

const char* cps_view_url(const CpsView* view) {
  return view->url;
}

// Does everything that is due; returns the time at which something is due next.
static double do_what_is_due(CpsView* view, double now) {
  if (view->pace > 0.0 && now >= view->pace) cps_websockets_deliver(view);
  if (view->once > 0.0 && now >= view->once) {
    view->once = 0.0;
    atomic_store(&view->stopped, true);
    return now;
  }
  double due = view->pace > 0.0 ? view->pace : INFINITY;
  if (view->once > 0.0) due = fmin(due, view->once);
  if (now < view->accept_time) due = fmin(due, view->accept_time);
  for (CpsConnection* c = view->connections; c; c = c->next) due = fmin(due, cps_connection_wait(view, c, now));
  cps_connections_sweep(view);
  return due;
}

static short events_of(CpsConnection* connection) {
  int reads = connection->state == CPS_CONNECTION_ANSWERING ? 0 : POLLIN;  // answers one request at a time
  return (short)(reads | (cps_connection_wants_to_write(connection) ? POLLOUT : 0));
}

static void serve_connection(CpsView* view, CpsConnection* connection, short events, double now) {
  if (events & POLLOUT) cps_connection_write(view, connection, now);
  bool ended = events & (POLLHUP | POLLERR | POLLNVAL), readable = events & POLLIN;
  if (connection->state == CPS_CONNECTION_GONE) return;
  if (readable) {
    cps_connection_read(view, connection, now);
  } else if (ended) {
    cps_connection_drop(view, connection);
  }
}

// Waits for events, at most until `until`, and handles them. False if waiting fails.
static bool serve(CpsView* view, double until) {
  struct pollfd files[2 + CPS_SERVER_PAGES_MOST + CPS_SERVER_OTHERS];
  double now = cps_clock_wall(), due = fmin(until, do_what_is_due(view, now));
  nfds_t count = 2;
  files[0] = (struct pollfd){.fd = view->wake[0], .events = POLLIN};
  files[1] = (struct pollfd){.fd = now < view->accept_time ? -1 : view->listener, .events = POLLIN};
  for (CpsConnection* c = view->connections; c; c = c->next) {
    files[count++] = (struct pollfd){.fd = c->file, .events = events_of(c)};
  }
  double wait = 1e3 * (due - now);
  int ready = poll(files, count, wait < 1e6 ? (int)ceil(fmax(wait, 0.0)) : -1);
  if (ready < 0) return errno == EINTR;
  now = cps_clock_wall();
  CpsConnection* connection = view->connections;
  for (nfds_t i = 2; i < count; ++i, connection = connection->next) {
    serve_connection(view, connection, files[i].revents, now);
  }
  if (files[0].revents) {
    char bytes[64];
    while (read(view->wake[0], bytes, sizeof bytes) > 0) continue;
    cps_websockets_deliver(view);
  }
  cps_connections_sweep(view);
  if (files[1].revents) cps_connections_accept(view, now);
  cps_connections_sweep(view);
  return true;
}

CpsStatus cps_view_run(CpsView* view, CpsError* error) {
  if (!view) return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_run: view is NULL");
  while (!atomic_load(&view->stopped)) {
    if (!serve(view, INFINITY)) return cps_fail(error, CPS_FILE_ERROR, "the server cannot wait: %s", strerror(errno));
  }
  cps_websockets_close(view, CPS_CLOSE_GOING, "the server is shutting down");
  double end = cps_clock_wall() + FAREWELL;
  while (view->page_count > 0 && cps_clock_wall() < end) {
    if (!serve(view, end)) break;
  }
  atomic_store(&view->stopped, false);
  return cps_succeed(error);
}

void cps_view_stop(CpsView* view) {
  atomic_store(&view->stopped, true);
  wake(view);
}
