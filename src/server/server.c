// The server: libwebsockets' context, its callbacks, and the loop.
#include "server/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/error.h"

enum { COOKIE = 0x76696577, MOST_CLIENTS = 256, OTHER_SOCKETS = 64, PORT_MOST = 65535 };
enum { FAREWELL = LWS_USEC_PER_SEC / 2 };  // us: for pages to hear that the server ends

CpsViewOptions cps_view_options_default(void) {
  return (CpsViewOptions){.ports = 1, .clients_max = 16, .cookie = COOKIE};
}

bool cps_view_has_page(void) {
  return cps_bundle_count > 0;
}

void cps_view_tell(CpsView* view, CpsViewEventKind kind, const char* sentence) {
  if (!view->options.event) return;
  CpsViewEvent event = {kind, view->connection_count, sentence};
  view->options.event(&event, view->options.event_data);
}

static CpsView* view_of(struct lws* wsi) {
  return lws_context_user(lws_get_context(wsi));
}

static int on_http(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length) {
  (void)length;
  switch (reason) {
    case LWS_CALLBACK_HTTP:
      return cps_page_request(view_of(wsi), wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
      return cps_page_write(wsi, user);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return cps_page_upgrade(view_of(wsi), wsi, in);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return -1;  // a WebSocket of no protocol of ours
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      cps_connections_deliver(view_of(wsi));
      return 0;
    default:
      return 0;
  }
}

static int on_websocket(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length) {
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
      return cps_connection_open(view_of(wsi), wsi, user);
    case LWS_CALLBACK_RECEIVE:
      return cps_connection_receive(view_of(wsi), user, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return cps_connection_write(view_of(wsi), user);
    case LWS_CALLBACK_CLOSED:
      cps_connection_closed(view_of(wsi), user);
      return 0;
    default:
      return 0;
  }
}

static const struct lws_protocols PROTOCOLS[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(CpsDownload)},
    {.name = "capstan-1",
     .callback = on_websocket,
     .per_session_data_size = sizeof(CpsConnection),
     .rx_buffer_size = CPS_FLAT_LENGTH},
    {0},
};

static void wake(void* data) {
  CpsView* view = data;
  lws_cancel_service(view->context);
}

// Binds and lets go, for a sentence that says what is wrong; libwebsockets would not.
static CpsStatus try_to_bind(const CpsView* view, bool* in_use, CpsError* error) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)view->port)};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)view->port)};
  bool is_six = strchr(view->address, ':') != NULL;
  if (inet_pton(is_six ? AF_INET6 : AF_INET, view->address, is_six ? (void*)&six.sin6_addr : (void*)&four.sin_addr) !=
      1) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "'%.60s' is no numeric address", view->address);
  }
  int file = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM, 0), on = 1;
  if (file < 0) return cps_fail(error, CPS_BAD_ARGUMENT, "%s: %s", view->address, strerror(errno));
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  int failed =
      is_six ? bind(file, (struct sockaddr*)&six, sizeof six) : bind(file, (struct sockaddr*)&four, sizeof four);
  int reason = errno;
  close(file);
  if (!failed) return CPS_OK;
  *in_use = reason == EADDRINUSE;
  if (*in_use) return cps_fail(error, CPS_BAD_ARGUMENT, "port %d is in use", (int)view->port);
  return cps_fail(error, CPS_BAD_ARGUMENT, "cannot listen on %s port %d: %s", view->address, (int)view->port,
                  strerror(reason));
}

// The first port that is free, of those that may be taken.
static CpsStatus find_port(CpsView* view, CpsError* error) {
  for (int32_t left = view->options.ports;; --left, ++view->port) {
    bool in_use = false;
    CpsStatus status = try_to_bind(view, &in_use, error);
    if (!in_use || left <= 1) return status;
  }
}

static CpsStatus listen_on(CpsView* view, CpsError* error) {
  CpsStatus status = find_port(view, error);
  if (status != CPS_OK) return status;
  lws_set_log_level(0, NULL);
  struct lws_context_creation_info info = {
      .port = view->port,
      .iface = view->address,
      .protocols = PROTOCOLS,
      .user = view,
      .gid = -1,
      .uid = -1,
      .server_string = "capstan",
      .timeout_secs = 10,
      .keepalive_timeout = 10,
      .ka_time = 30,
      .ka_probes = 3,
      .ka_interval = 10,
      .fd_limit_per_thread = (unsigned)(view->options.clients_max + OTHER_SOCKETS),
      .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS |
                 LWS_SERVER_OPTION_VALIDATE_UTF8 | (strchr(view->address, ':') ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
  };
  struct lws_context* context = lws_create_context(&info);
  view->context = context;
  struct lws_vhost* host = context ? lws_get_vhost_by_name(context, "default") : NULL;
  int port = host ? lws_get_vhost_listen_port(host) : 0;
  if (port <= 0)
    return cps_fail(error, CPS_BAD_ARGUMENT, "cannot listen on %s port %d", view->address, (int)view->port);
  view->port = port;
  return CPS_OK;
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
    return cps_fail(error, CPS_BAD_ARGUMENT, "%d ports from %d on are not between 0 and %d", (int)options->ports,
                    (int)options->port, PORT_MOST);
  }
  if (options->clients_max < 1 || options->clients_max > MOST_CLIENTS || options->threads < 0) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_create: clients_max or threads is out of range");
  }
  if (options->override_count < 0 || (options->override_count > 0 && !options->overrides)) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_create: the overrides are missing");
  }
  return CPS_OK;
}

// Scenes are texts, and results are not; a name that ends like a result is taken by its word.
static bool is_result(const char* path) {
  const char* ending = strrchr(path, '.');
  return (ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0)) || cps_result_recognise(path);
}

static CpsStatus open_view(CpsView* view, const char* path, CpsError* error) {
  CpsStatus status = CPS_OK;
  if (view->options.address || view->options.embedded) status = cps_token_create(view->token, error);
  if (status == CPS_OK) status = listen_on(view, error);
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
  if (!made) return cps_fail(error, CPS_NO_MEMORY, "no memory for the server");
  made->options = *options;
  made->port = options->port;
  snprintf(made->address, sizeof made->address, "%s", options->address ? options->address : "127.0.0.1");
  atomic_init(&made->stopped, false);
  status = open_view(made, path, error);
  if (status != CPS_OK) {
    cps_view_destroy(made);
    return status;
  }
  made->options.overrides = NULL;  // the caller's, and not needed any more
  *view = made;
  return cps_succeed(error);
}

void cps_view_destroy(CpsView* view) {
  if (!view) return;
  if (view->source) view->source->stop(view->source);  // its thread uses the context
  if (view->context) {
    view->options.once = false;
    lws_sul_cancel(&view->once);
    lws_sul_cancel(&view->pace);
    lws_context_destroy(view->context);  // the connections too, which hold packets of the source
  }
  if (view->source) view->source->destroy(view->source);
  if (view->outbox_begun) cps_outbox_end(&view->outbox);
  free(view);
}

int32_t cps_view_port(const CpsView* view) {
  return view->port;
}

const char* cps_view_url(const CpsView* view) {
  return view->url;
}

static void wake_up(lws_sorted_usec_list_t* timer) {
  (void)timer;
}

CpsStatus cps_view_run(CpsView* view, CpsError* error) {
  if (!view) return cps_fail(error, CPS_BAD_ARGUMENT, "cps_view_run: view is NULL");
  while (!atomic_load(&view->stopped)) {
    if (lws_service(view->context, 0) < 0) return cps_fail(error, CPS_FILE_ERROR, "the server cannot go on");
  }
  cps_connections_close(view, CPS_CLOSE_GOING, "the server ends");
  double end = cps_clock_wall() + 1e-6 * FAREWELL;
  lws_sul_schedule(view->context, 0, &view->once, wake_up, FAREWELL);  // so that the wait below ends
  while (view->connection_count > 0 && cps_clock_wall() < end) {
    if (lws_service(view->context, 0) < 0) break;
  }
  lws_sul_cancel(&view->once);
  atomic_store(&view->stopped, false);
  return cps_succeed(error);
}

void cps_view_stop(CpsView* view) {
  atomic_store(&view->stopped, true);
  lws_cancel_service(view->context);
}
