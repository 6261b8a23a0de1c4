// Bytes as a socket of the viewer gets them: a request, or frames of a WebSocket. How they are cut into pieces on the way must not
// matter, and what is read stays within what was given.
#include <string.h>

#include "bytes.h"
#include "server/http.h"
#include "server/web_frame.h"

enum { MOST = 4096, LOG = 1 << 14 };

// What was read of frames, one after the other: kinds, sizes and bytes.
typedef struct Log {
  unsigned char bytes[LOG];
  size_t size;
  int code;
} Log;

static void note(Log* log, const void* bytes, size_t size) {
  if (size > 0 && log->size + size <= LOG) memcpy(log->bytes + log->size, bytes, size);
  log->size += size;
}

// Feeds frames in pieces of at most `piece` bytes, each in memory of its own.
static void feed(const uint8_t* data, size_t size, size_t piece, Log* log) {
  CpsFrameReader reader = {0};
  *log = (Log){0};
  for (size_t at = 0; at < size && !log->code; at += piece) {
    size_t length = size - at < piece ? size - at : piece;
    unsigned char* exact = malloc(length);
    CHECK(exact);
    memcpy(exact, data + at, length);
    for (size_t used = 0; used < length && !log->code;) {
      CpsFrameNews news;
      size_t taken = cps_frame_read(&reader, exact + used, length - used, MOST, &news);
      CHECK(taken > 0 && taken <= length - used);
      used += taken;
      log->code = news.code;
      CHECK((news.news == CPS_FRAME_WRONG) == (news.code != 0));
      if (news.news == CPS_FRAME_PIECE) {
        CHECK(news.size <= MOST && (news.kind == CPS_FRAME_TEXT || news.kind == CPS_FRAME_BINARY));
        note(log, news.bytes, news.size);
        if (news.final) note(log, "|", 1);
      } else if (news.news == CPS_FRAME_ORDER) {
        CHECK(news.size <= CPS_FRAME_CONTROL_MOST);
        note(log, &news.kind, sizeof news.kind);
        note(log, news.bytes, news.size);
      }
    }
    free(exact);
  }
}

static void check_text(CpsHttpText text, const char* bytes, size_t size) {
  if (!text.at) return;
  CHECK(text.at >= bytes && text.at + text.size <= bytes + size);
  CHECK(!memchr(text.at, '\n', text.size) || text.size == 0);
}

static void check_request(const uint8_t* data, size_t size) {
  char* exact = malloc(size + 1);
  CHECK(exact);
  if (size > 0) memcpy(exact, data, size);
  char* bytes = realloc(exact, size > 0 ? size : 1);
  CHECK(bytes);
  CpsHttpRequest request;
  size_t used = 0;
  CpsHttpStatus status = cps_http_read(bytes, size, &request, &used);
  CHECK(status != CPS_HTTP_TOO_LONG || size >= CPS_HTTP_HEAD_MOST);
  if (status == CPS_HTTP_READ) {
    CHECK(used <= size && memcmp(bytes + used - 4, "\r\n\r\n", 4) == 0);
    const CpsHttpText texts[] = {request.method,  request.path,       request.query, request.host,    request.origin,
                                 request.upgrade, request.connection, request.key,   request.version, request.protocol};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) check_text(texts[i], bytes, used);
    char room[64], accept[CPS_HTTP_ACCEPT_SIZE + 1];
    (void)cps_http_copy(cps_http_parameter(request.query, "token"), room, sizeof room);
    (void)cps_http_has(request.connection, "upgrade");
    if (cps_http_accept(request.key, accept)) CHECK(strlen(accept) == CPS_HTTP_ACCEPT_SIZE);
  }
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Log whole, cut;
  if (size == 0) return 0;
  if (data[0] % 2) {
    check_request(data + 1, size - 1);
    return 0;
  }
  feed(data + 1, size - 1, size, &whole);
  feed(data + 1, size - 1, 1 + data[0] / 2u, &cut);
  CHECK(whole.size == cut.size && whole.code == cut.code);
  CHECK(memcmp(whole.bytes, cut.bytes, whole.size < LOG ? whole.size : LOG) == 0);
  return 0;
}
