// Reads the head of a request: a line, fields, an empty line. Lines end with CR LF; a field that continues on the next line,
// a blank before a colon, a control character and a field of ours that comes twice are refused.
#include "server/http.h"

#include <string.h>
#include <strings.h>

#include "server/sha1.h"

static bool is_token(CpsHttpText text) {
  static const char OTHERS[] = "!#$%&'*+-.^_`|~";
  for (size_t i = 0; i < text.size; ++i) {
    char c = text.at[i];
    bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_word && (c == '\0' || !strchr(OTHERS, c))) return false;
  }
  return text.size > 0;
}

static bool is_printed(CpsHttpText text, bool blanks) {
  for (size_t i = 0; i < text.size; ++i) {
    unsigned char c = (unsigned char)text.at[i];
    if (c < ' ' ? c != '\t' || !blanks : c == 0x7f || (c == ' ' && !blanks)) return false;
  }
  return true;
}

static CpsHttpText trim(CpsHttpText text) {
  while (text.size > 0 && (*text.at == ' ' || *text.at == '\t')) text.at++, text.size--;
  while (text.size > 0 && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t')) text.size--;
  return text;
}

// Takes the text before the first `separator`, and the separator; false if there is none.
static bool split(CpsHttpText* rest, char separator, CpsHttpText* before) {
  const char* found = rest->size ? memchr(rest->at, separator, rest->size) : NULL;
  if (!found) return false;
  *before = (CpsHttpText){rest->at, (size_t)(found - rest->at)};
  rest->size -= before->size + 1;
  rest->at = found + 1;
  return true;
}

bool cps_http_is(CpsHttpText text, const char* word) {
  return text.at && text.size == strlen(word) && strncasecmp(text.at, word, text.size) == 0;
}

bool cps_http_has(CpsHttpText text, const char* word) {
  CpsHttpText item;
  while (split(&text, ',', &item)) {
    if (cps_http_is(trim(item), word)) return true;
  }
  return text.at && cps_http_is(trim(text), word);
}

bool cps_http_copy(CpsHttpText text, char* out, size_t room) {
  out[0] = '\0';
  if (text.size >= room) return false;
  if (text.size > 0) memcpy(out, text.at, text.size);
  out[text.size] = '\0';
  return true;
}

CpsHttpText cps_http_parameter(CpsHttpText query, const char* name) {
  for (bool more = query.at != NULL; more;) {
    CpsHttpText item, key;
    more = split(&query, '&', &item);
    if (!more) item = query;
    if (split(&item, '=', &key) && key.size == strlen(name) && memcmp(key.at, name, key.size) == 0) return item;
  }
  return (CpsHttpText){0};
}

static bool read_first_line(CpsHttpText line, CpsHttpRequest* request) {
  CpsHttpText target;
  if (!split(&line, ' ', &request->method) || !split(&line, ' ', &target)) return false;
  request->old = cps_http_is(line, "HTTP/1.0");
  if (!request->old && !cps_http_is(line, "HTTP/1.1")) return false;
  if (!is_token(request->method) || target.size == 0 || !is_printed(target, false)) return false;
  request->path = target;
  if (split(&target, '?', &request->path)) request->query = target;
  return true;
}

static bool read_field(CpsHttpText line, CpsHttpRequest* request) {
  CpsHttpText name;
  if (!split(&line, ':', &name) || !is_token(name) || !is_printed(line, true)) return false;
  const struct {
    const char* name;
    CpsHttpText* text;
  } fields[] = {{"host", &request->host},
                {"origin", &request->origin},
                {"upgrade", &request->upgrade},
                {"connection", &request->connection},
                {"sec-websocket-key", &request->key},
                {"sec-websocket-version", &request->version},
                {"sec-websocket-protocol", &request->protocol}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
    if (!cps_http_is(name, fields[i].name)) continue;
    if (fields[i].text->at) return false;
    *fields[i].text = trim(line);
  }
  if (cps_http_is(name, "content-length") || cps_http_is(name, "transfer-encoding")) request->has_body = true;
  return true;
}

CpsHttpStatus cps_http_read(const char* bytes, size_t size, CpsHttpRequest* request, size_t* used) {
  *request = (CpsHttpRequest){0};
  CpsHttpText rest = {bytes, size < CPS_HTTP_HEAD_MOST ? size : CPS_HTTP_HEAD_MOST}, line;
  for (bool first = true; split(&rest, '\n', &line); first = false) {
    if (line.size == 0 || line.at[line.size - 1] != '\r') return CPS_HTTP_BAD;
    line.size--;
    if (line.size == 0 && !first) {
      *used = (size_t)(rest.at - bytes);
      return CPS_HTTP_READ;
    }
    if (!(first ? read_first_line(line, request) : read_field(line, request))) return CPS_HTTP_BAD;
  }
  return size >= CPS_HTTP_HEAD_MOST ? CPS_HTTP_TOO_LONG : CPS_HTTP_MORE;
}

static void write_base64(const unsigned char* bytes, size_t size, char* out) {
  static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    unsigned long three = (unsigned long)bytes[i] << 16 | (i + 1 < size ? (unsigned long)bytes[i + 1] << 8 : 0) |
                          (i + 2 < size ? bytes[i + 2] : 0);
    for (size_t k = 0; k < 4; ++k) *out++ = i + k > size ? '=' : LETTERS[three >> (18 - 6 * k) & 63];
  }
  *out = '\0';
}

bool cps_http_accept(CpsHttpText key, char accept[CPS_HTTP_ACCEPT_SIZE + 1]) {
  static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  enum { KEY = 24 };  // sixteen bytes in base64
  if (key.size != KEY) return false;
  char text[KEY + sizeof GUID];
  memcpy(text, key.at, KEY);
  memcpy(text + KEY, GUID, sizeof GUID);
  unsigned char digest[CPS_SHA1_SIZE];
  cps_sha1(text, sizeof text - 1, digest);
  write_base64(digest, sizeof digest, accept);
  return true;
}
