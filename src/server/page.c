// HTTP: the files of the bundle and nothing else, with headers that let the page speak to this server only.
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "server/server.h"

static const char HEADERS[] =
    "x-content-type-options: nosniff\r\n"
    "referrer-policy: no-referrer\r\n"
    "cross-origin-opener-policy: same-origin\r\n"
    "cross-origin-resource-policy: same-origin\r\n"
    "cache-control: no-store\r\n";

// The content security policy of the page. Some browsers do not count the WebSocket of the same host as 'self', so it is named.
static void write_policy(const CpsView* view, const CpsHttpRequest* request, char* policy, size_t room) {
  char host[256];
  bool named = cps_http_copy(request->host, host, sizeof host) && host[0] &&
               strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]") == strlen(host);
  snprintf(
      policy, room,
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'%s%s; "
      "base-uri 'none'; form-action 'none'; frame-ancestors %s",
      named ? " ws://" : "", named ? host : "",
      view->options.embedded ? "http://localhost:* http://127.0.0.1:*" : "'none'");
}

static const char* phrase_of(int code) {
  switch (code) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 426:
      return "Upgrade Required";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

static bool is_head(const CpsHttpRequest* request) {
  return cps_http_is(request->method, "HEAD");
}

// Queues an answer; the body is not copied.
static void answer(CpsView* view, CpsConnection* connection, const CpsHttpRequest* request, int code, const char* type,
                   const void* body, size_t size) {
  char policy[640];
  write_policy(view, request, policy, sizeof policy);
  connection->last |= request->old || request->has_body || cps_http_has(request->connection, "close");
  // x-frame-options is the older way to forbid frames and allows no exceptions
  int length = snprintf((char*)connection->head, sizeof connection->head,
                        "HTTP/1.1 %d %s\r\ncontent-type: %s\r\ncontent-length: %zu\r\n%s"
                        "content-security-policy: %s\r\n%s%s%s\r\n",
                        code, phrase_of(code), type, size, code == 426 ? "sec-websocket-version: 13\r\n" : "", policy,
                        view->options.embedded ? "" : "x-frame-options: DENY\r\n", HEADERS,
                        connection->last ? "connection: close\r\n" : "");
  connection->head_size = (size_t)length;
  connection->body = body;
  connection->body_size = is_head(request) ? 0 : size;
  connection->sent = 0;
}

// Answers with a message instead of the requested file.
static void refuse(CpsView* view, CpsConnection* connection, const CpsHttpRequest* request, int code,
                   const char* sentence) {
  // browsers ask for some files by themselves: not worth a message
  if (code != 404) cps_view_tell(view, CPS_VIEW_REFUSED, sentence);
  answer(view, connection, request, code, "text/plain; charset=utf-8", sentence, strlen(sentence));
}

void cps_page_refuse(CpsView* view, CpsConnection* connection, CpsHttpStatus status) {
  static const CpsHttpRequest NONE = {0};
  connection->last = true;
  if (status == CPS_HTTP_TOO_LONG) {
    refuse(view, connection, &NONE, 431, "the request is too long\n");
  } else {
    refuse(view, connection, &NONE, 400, "this is not an HTTP/1.1 request\n");
  }
}

// The error in the origin or the host of a request, NULL if there is none.
static const char* object_to(const CpsView* view, const CpsHttpRequest* request, bool needs_token) {
  char host[256], origin[300], given[64];
  if (!cps_http_copy(request->host, host, sizeof host) || !cps_host_allowed(host, view->address)) {
    return "the Host header is not this server's address\n";
  }
  if (!cps_http_copy(request->origin, origin, sizeof origin)) return "the Origin header is too long\n";
  if (origin[0] && !cps_origin_allowed(origin, host)) return "the Origin header is not this server's page\n";
  if (!needs_token || !view->token[0]) return NULL;
  bool fits = cps_http_copy(cps_http_parameter(request->query, "token"), given, sizeof given);
  return fits && cps_token_equal(view->token, given)
             ? NULL
             : "the address lacks the right token, which was printed at startup\n";
}

static bool is_path(const CpsHttpRequest* request, const char* path) {
  return request->path.size == strlen(path) && memcmp(request->path.at, path, request->path.size) == 0;
}

static const CpsBundleFile* find_file(const CpsHttpRequest* request) {
  for (int i = 0; i < cps_bundle_count; ++i) {
    if (is_path(request, cps_bundle[i].path)) return &cps_bundle[i];
  }
  return NULL;
}

static void answer_with_file(CpsView* view, CpsConnection* connection, const CpsHttpRequest* request) {
  // the files of the page are not secret: only the entry page is guarded
  const char* objection = object_to(view, request, is_path(request, "/"));
  const CpsBundleFile* file = find_file(request);
  if (objection) {
    refuse(view, connection, request, 403, objection);
  } else if (!file) {
    refuse(view, connection, request, 404, "there is no such file\n");
  } else {
    answer(view, connection, request, 200, file->type, file->bytes, file->size);
  }
}

static void upgrade(CpsView* view, CpsConnection* connection, const CpsHttpRequest* request) {
  char accept[CPS_HTTP_ACCEPT_SIZE + 1];
  double now = cps_clock_wall();
  const char* objection = object_to(view, request, true);
  if (objection) {
    refuse(view, connection, request, 403, objection);
  } else if (!is_path(request, "/ws")) {
    refuse(view, connection, request, 404, "the WebSocket address is /ws\n");
  } else if (!cps_http_is(request->version, "13")) {
    refuse(view, connection, request, 426, "the WebSocket version must be 13\n");
  } else if (!cps_http_accept(request->key, accept)) {
    refuse(view, connection, request, 400, "the WebSocket key is missing\n");
  } else if (!cps_http_has(request->protocol, "capstan-1")) {
    refuse(view, connection, request, 400, "the subprotocol must be capstan-1\n");
  } else if (view->page_count >= view->options.clients_max && !cps_websocket_make_room(view, now)) {
    refuse(view, connection, request, 503, "there are too many pages open\n");
  } else if (!cps_websocket_open(view, connection, now)) {
    refuse(view, connection, request, 503, "not enough memory\n");
  } else {
    connection->head_size =
        (size_t)snprintf((char*)connection->head, sizeof connection->head,
                         "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
                         "sec-websocket-accept: %s\r\nsec-websocket-protocol: capstan-1\r\n\r\n",
                         accept);
  }
}

void cps_page_answer(CpsView* view, CpsConnection* connection, const CpsHttpRequest* request) {
  bool is_get = cps_http_is(request->method, "GET");
  connection->last = false;
  if (!is_get && !is_head(request)) {
    connection->last = true;  // a body may follow
    refuse(view, connection, request, 405, "only GET and HEAD are answered\n");
  } else if (is_get && cps_http_is(request->upgrade, "websocket") && cps_http_has(request->connection, "upgrade")) {
    upgrade(view, connection, request);
  } else {
    answer_with_file(view, connection, request);
  }
}
