// HTTP/1.1 requests (RFC 9112): the subset needed to serve a few files and one WebSocket.
#ifndef CAPSTAN_SERVER_HTTP_H
#define CAPSTAN_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { CPS_HTTP_HEAD_MOST = 8192 };  // bytes of a request; there is no body

// A piece of the bytes read, not zero-terminated.
typedef struct CpsHttpText {
  const char* at;  // NULL: it was not there
  size_t size;
} CpsHttpText;

typedef struct CpsHttpRequest {
  CpsHttpText method, path, query;  // the query without its question mark
  bool old;                         // HTTP/1.0
  CpsHttpText host, origin, upgrade, connection, key, version, protocol;
  bool has_body;
} CpsHttpRequest;

typedef enum CpsHttpStatus {
  CPS_HTTP_MORE,  // the head has not ended
  CPS_HTTP_READ,
  CPS_HTTP_BAD,      // it is none
  CPS_HTTP_TOO_LONG  // it is longer than CPS_HTTP_HEAD_MOST
} CpsHttpStatus;

// Reads a request. Its texts are pieces of `bytes`.
// @param[out] used  bytes of the head, including its end; set only for CPS_HTTP_READ
CpsHttpStatus cps_http_read(const char* bytes, size_t size, CpsHttpRequest* request, size_t* used);

// Whether a text equals a word, or is a comma-separated list that contains it; ignores the case of ASCII letters.
bool cps_http_is(CpsHttpText text, const char* word);
bool cps_http_has(CpsHttpText text, const char* word);
// Copies a text; false: it does not fit. A missing text is copied as empty.
bool cps_http_copy(CpsHttpText text, char* out, size_t room);
// The value of a parameter of a query.
CpsHttpText cps_http_parameter(CpsHttpText query, const char* name);

// The answer to a WebSocket key (RFC 6455 section 4.2.2); false: not a key.
enum { CPS_HTTP_ACCEPT_SIZE = 28 };
bool cps_http_accept(CpsHttpText key, char accept[CPS_HTTP_ACCEPT_SIZE + 1]);

#endif
