// Reads WebSocket frames strictly: everything that section 5 of RFC 6455 forbids to a client is an error.
//
//   | FIN RSV RSV RSV kind:4 | MASK length:7 | 0, 2 or 8 bytes of length | 4 bytes of mask | payload |
#include "server/web_frame.h"

#include <string.h>

#include "core/utf8.h"

enum { FINAL = 0x80, RESERVED = 0x70, KIND = 0x0f, CONTROL = 0x08, MASKED = 0x80, LENGTH = 0x7f, MASK_SIZE = 4 };
enum { LENGTH_2 = 126, LENGTH_8 = 127, CODE_SIZE = 2 };

static CpsFrameNews wrong(int code, const char* reason) {
  return (CpsFrameNews){.news = CPS_FRAME_WRONG, .code = code, .reason = reason};
}

bool cps_text_is_utf8(const void* bytes, size_t size) {
  const unsigned char* at = bytes;
  while (size > 0) {
    unsigned char letter[4] = {0};  // zero bytes after the end cannot continue a character
    memcpy(letter, at, size < sizeof letter ? size : sizeof letter);
    size_t length = (size_t)cps_utf8_length(letter);
    if (length == 0 || length > size) return false;
    at += length;
    size -= length;
  }
  return true;
}

// Reads the first two bytes; the rest of the header is read once it has arrived.
static CpsFrameNews check_start(CpsFrameReader* reader) {
  unsigned char first = reader->head[0], second = reader->head[1];
  int kind = first & KIND, length = second & LENGTH;
  bool is_control = kind & CONTROL;
  reader->kind = (CpsFrameKind)kind;
  reader->final = first & FINAL;
  if (first & RESERVED) return wrong(CPS_CLOSE_PROTOCOL, "a reserved bit is set");
  if (kind > CPS_FRAME_PONG || (kind > CPS_FRAME_BINARY && !is_control)) {
    return wrong(CPS_CLOSE_PROTOCOL, "unknown frame type");
  }
  if (!(second & MASKED)) return wrong(CPS_CLOSE_PROTOCOL, "the frame is not masked");
  if (is_control && !reader->final) return wrong(CPS_CLOSE_PROTOCOL, "the control frame is fragmented");
  if (is_control && length > CPS_FRAME_CONTROL_MOST) return wrong(CPS_CLOSE_PROTOCOL, "a control frame is too long");
  if (kind == CPS_FRAME_MORE && reader->message == CPS_FRAME_MORE) {
    return wrong(CPS_CLOSE_PROTOCOL, "continuation frame without a message");
  }
  if (kind != CPS_FRAME_MORE && !is_control && reader->message != CPS_FRAME_MORE) {
    return wrong(CPS_CLOSE_PROTOCOL, "a message starts before the previous one ended");
  }
  return (CpsFrameNews){0};
}

static int head_length(const CpsFrameReader* reader) {
  int length = reader->head[1] & LENGTH;
  return 2 + (length == LENGTH_2 ? 2 : length == LENGTH_8 ? 8 : 0) + MASK_SIZE;
}

static CpsFrameNews read_length(CpsFrameReader* reader, uint64_t most) {
  int bytes = head_length(reader) - 2 - MASK_SIZE;
  uint64_t size = bytes == 0 ? reader->head[1] & LENGTH : 0;
  for (int i = 0; i < bytes; ++i) size = size << 8 | reader->head[2 + i];
  if ((bytes == 2 && size < LENGTH_2) || (bytes == 8 && size <= UINT16_MAX)) {
    return wrong(CPS_CLOSE_PROTOCOL, "the length is not in its shortest form");
  }
  if (size > most) return wrong(CPS_CLOSE_TOO_LONG, "a message is too long");
  reader->size = size;
  reader->at = 0;
  reader->in_payload = true;
  if (!(reader->kind & CONTROL) && reader->kind != CPS_FRAME_MORE) reader->message = reader->kind;
  return (CpsFrameNews){0};
}

// Close codes allowed on the wire: those of the RFC that are not reserved for local use, and the ranges for applications.
static bool is_close_code(int code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

static CpsFrameNews order(const CpsFrameReader* reader) {
  CpsFrameNews news = {CPS_FRAME_ORDER, reader->kind, reader->control, (size_t)reader->size, true, 0, NULL};
  if (reader->kind != CPS_FRAME_CLOSE || news.size == 0) return news;
  int code = reader->control[0] << 8 | reader->control[1];
  if (news.size < CODE_SIZE || !is_close_code(code)) return wrong(CPS_CLOSE_PROTOCOL, "invalid close code");
  if (!cps_text_is_utf8(reader->control + CODE_SIZE, news.size - CODE_SIZE)) {
    return wrong(CPS_CLOSE_BAD_TEXT, "the close reason is not UTF-8");
  }
  return news;
}

// Unmasks the available part of the payload.
static size_t read_payload(CpsFrameReader* reader, unsigned char* bytes, size_t size, CpsFrameNews* news) {
  const unsigned char* mask = reader->head + head_length(reader) - MASK_SIZE;
  size_t count = reader->size - reader->at < size ? (size_t)(reader->size - reader->at) : size;
  bool is_control = reader->kind & CONTROL;
  for (size_t i = 0; i < count; ++i) {
    bytes[i] ^= mask[(reader->at + i) % MASK_SIZE];
    if (is_control) reader->control[reader->at + i] = bytes[i];
  }
  reader->at += count;
  bool whole = reader->at == reader->size;
  *news = (CpsFrameNews){0};
  if (is_control && whole) *news = order(reader);
  if (!is_control) {
    *news = (CpsFrameNews){CPS_FRAME_PIECE, reader->message, bytes, count, whole && reader->final, 0, NULL};
    if (news->final) reader->message = CPS_FRAME_MORE;
  }
  if (whole) {
    reader->in_payload = false;
    reader->head_size = 0;
  }
  return count;
}

size_t cps_frame_read(CpsFrameReader* reader, unsigned char* bytes, size_t size, uint64_t most, CpsFrameNews* news) {
  size_t used = 0;
  *news = (CpsFrameNews){0};
  while (!reader->in_payload) {
    if (used == size) return used;
    reader->head[reader->head_size++] = bytes[used++];
    if (reader->head_size == 2) *news = check_start(reader);
    if (reader->head_size >= 2 && reader->head_size == head_length(reader)) *news = read_length(reader, most);
    if (news->news == CPS_FRAME_WRONG) return used;
  }
  if (used == size && reader->size > reader->at) return used;
  return used + read_payload(reader, bytes + used, size - used, news);
}

size_t cps_frame_head(CpsFrameKind kind, bool final, uint64_t size, unsigned char head[CPS_FRAME_HEAD_MOST]) {
  int bytes = size < LENGTH_2 ? 0 : size <= UINT16_MAX ? 2 : 8;
  head[0] = (unsigned char)((final ? FINAL : 0) | (int)kind);
  head[1] = (unsigned char)(bytes == 0 ? (int)size : bytes == 2 ? LENGTH_2 : LENGTH_8);
  for (int i = 0; i < bytes; ++i) head[2 + i] = (unsigned char)(size >> 8 * (bytes - 1 - i));
  return 2 + (size_t)bytes;
}
