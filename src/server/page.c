// HTTP: the files of the bundle and nothing else, with headers that let the page speak to this server only.
#include <stdio.h>
#include <string.h>

#include "server/server.h"

enum { HEADER_ROOM = 2048, BODY_PIECE = 1 << 15 };

static const struct {
  const char* name;
  const char* value;
} HEADERS[] = {
    {"x-content-type-options:", "nosniff"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-opener-policy:", "same-origin"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cache-control:", "no-store"},
};

static bool copy_header(struct lws* wsi, enum lws_token_indexes token, char* out, size_t room) {
  out[0] = '\0';
  if (lws_hdr_total_length(wsi, token) <= 0) return true;
  return lws_hdr_copy(wsi, out, (int)room, token) >= 0;
}

// What the page may load and ask. Some browsers do not count the WebSocket of the same host as 'self', so it is named.
static void write_policy(const CpsView* view, struct lws* wsi, char* policy, size_t room) {
  char host[256];
  bool named = copy_header(wsi, WSI_TOKEN_HOST, host, sizeof host) && host[0] &&
               strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]") == strlen(host);
  snprintf(
      policy, room,
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'%s%s; "
      "base-uri 'none'; form-action 'none'; frame-ancestors %s",
      named ? " ws://" : "", named ? host : "",
      view->options.embedded ? "http://localhost:* http://127.0.0.1:*" : "'none'");
}

static int add_header(struct lws* wsi, const char* name, const char* value, unsigned char** at, unsigned char* end) {
  return lws_add_http_header_by_name(wsi, (const unsigned char*)name, (const unsigned char*)value, (int)strlen(value),
                                     at, end);
}

static int write_head(const CpsView* view, struct lws* wsi, unsigned code, const char* type, size_t size) {
  unsigned char room[LWS_PRE + HEADER_ROOM];
  unsigned char *start = room + LWS_PRE, *at = start, *end = room + sizeof room - 1;
  char policy[640];
  write_policy(view, wsi, policy, sizeof policy);
  if (lws_add_http_common_headers(wsi, code, type, (lws_filepos_t)size, &at, end)) return -1;
  if (add_header(wsi, "content-security-policy:", policy, &at, end)) return -1;
  // the older way to forbid frames, which can not name who may
  if (!view->options.embedded && add_header(wsi, "x-frame-options:", "DENY", &at, end)) return -1;
  for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; ++i) {
    if (add_header(wsi, HEADERS[i].name, HEADERS[i].value, &at, end)) return -1;
  }
  return lws_finalize_write_http_header(wsi, start, &at, end);
}

static int complete(struct lws* wsi) {
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static bool is_head(struct lws* wsi) {
  return lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
}

// Answers with a sentence instead of what was asked for.
static int refuse(CpsView* view, struct lws* wsi, unsigned code, const char* sentence) {
  unsigned char room[LWS_PRE + 256];
  size_t size = strlen(sentence);
  memcpy(room + LWS_PRE, sentence, size);
  // browsers ask for files of their own accord: that is no news
  if (code != HTTP_STATUS_NOT_FOUND) cps_view_tell(view, CPS_VIEW_REFUSED, sentence);
  if (write_head(view, wsi, code, "text/plain; charset=utf-8", size)) return -1;
  if (!is_head(wsi) && lws_write(wsi, room + LWS_PRE, size, LWS_WRITE_HTTP_FINAL) < 0) return -1;
  return 0;
}

// What is wrong with where a request comes from or goes to, NULL: nothing.
static const char* object_to(CpsView* view, struct lws* wsi, bool needs_token) {
  char host[256], origin[300], given[64];
  if (!copy_header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !cps_host_allowed(host, view->address)) {
    return "the Host header is not this server's address\n";
  }
  if (!copy_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return "the Origin header is too long\n";
  if (origin[0] && !cps_origin_allowed(origin, host)) return "the Origin header is not this server's page\n";
  if (!needs_token || !view->token[0]) return NULL;
  const char* token = lws_get_urlarg_by_name(wsi, "token=", given, sizeof given);
  return cps_token_equal(view->token, token) ? NULL
                                             : "the address lacks the right token; it was printed at the start\n";
}

static const CpsBundleFile* find_file(const char* path) {
  for (int i = 0; i < cps_bundle_count; ++i) {
    if (strcmp(path, cps_bundle[i].path) == 0) return &cps_bundle[i];
  }
  return NULL;
}

int cps_page_request(CpsView* view, struct lws* wsi, CpsDownload* download, const char* path) {
  *download = (CpsDownload){0};
  // the files of the page are the same for everyone: only the way in is guarded
  const char* objection = object_to(view, wsi, strcmp(path, "/") == 0);
  const CpsBundleFile* file = find_file(path);
  int failed = 0;
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0 && !is_head(wsi)) {
    failed = refuse(view, wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n");
    return failed ? failed : -1;  // a body may follow
  }
  if (objection) {
    failed = refuse(view, wsi, HTTP_STATUS_FORBIDDEN, objection);
  } else if (!file) {
    failed = refuse(view, wsi, HTTP_STATUS_NOT_FOUND, "there is no such file\n");
  } else {
    failed = write_head(view, wsi, HTTP_STATUS_OK, file->type, file->size);
    if (!failed && !is_head(wsi)) {
      download->file = file;
      lws_callback_on_writable(wsi);
      return 0;
    }
  }
  return failed ? -1 : complete(wsi);
}

int cps_page_write(struct lws* wsi, CpsDownload* download) {
  if (!download || !download->file) return 0;
  unsigned char piece[LWS_PRE + BODY_PIECE];
  const CpsBundleFile* file = download->file;
  size_t left = file->size - download->sent, size = left < BODY_PIECE ? left : BODY_PIECE;
  memcpy(piece + LWS_PRE, file->bytes + download->sent, size);
  bool last = size == left;
  if (lws_write(wsi, piece + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) return -1;
  download->sent += size;
  if (last) return complete(wsi);
  lws_callback_on_writable(wsi);
  return 0;
}

// Whether `capstan-1` is among the subprotocols a client offers.
static bool offers_protocol(struct lws* wsi) {
  char offered[128];
  if (!copy_header(wsi, WSI_TOKEN_PROTOCOL, offered, sizeof offered)) return false;
  char* rest = NULL;
  for (char* word = strtok_r(offered, ", \t", &rest); word; word = strtok_r(NULL, ", \t", &rest)) {
    if (strcmp(word, "capstan-1") == 0) return true;
  }
  return false;
}

int cps_page_upgrade(CpsView* view, struct lws* wsi, const char* to) {
  char path[16];
  if (strcmp(to, "websocket") != 0) return -1;
  const char* objection = object_to(view, wsi, true);
  if (objection) return refuse(view, wsi, HTTP_STATUS_FORBIDDEN, objection) ? -1 : 1;
  if (!copy_header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) || strcmp(path, "/ws") != 0) {
    return refuse(view, wsi, HTTP_STATUS_NOT_FOUND, "the WebSocket is at /ws\n") ? -1 : 1;
  }
  if (!offers_protocol(wsi)) {
    return refuse(view, wsi, HTTP_STATUS_BAD_REQUEST, "the subprotocol must be capstan-1\n") ? -1 : 1;
  }
  if (view->connection_count >= view->options.clients_max) {
    return refuse(view, wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "there are too many pages open\n") ? -1 : 1;
  }
  return 0;
}
