// WebSocket frames (RFC 6455 section 5), read and written on the server side.
#ifndef CAPSTAN_SERVER_WEB_FRAME_H
#define CAPSTAN_SERVER_WEB_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CPS_FRAME_CONTROL_MOST = 125,  // bytes of a ping, a pong or a close
  CPS_FRAME_HEAD_MOST = 10       // of a frame that a server writes
};

// Codes of RFC 6455 section 7.4.1.
enum {
  CPS_CLOSE_NORMAL = 1000,
  CPS_CLOSE_GOING = 1001,
  CPS_CLOSE_PROTOCOL = 1002,
  CPS_CLOSE_BAD_TEXT = 1007,
  CPS_CLOSE_POLICY = 1008,
  CPS_CLOSE_TOO_LONG = 1009,
  CPS_CLOSE_FULL = 1013
};

typedef enum CpsFrameKind {
  CPS_FRAME_MORE = 0,  // of the message before
  CPS_FRAME_TEXT = 1,
  CPS_FRAME_BINARY = 2,
  CPS_FRAME_CLOSE = 8,
  CPS_FRAME_PING = 9,
  CPS_FRAME_PONG = 10
} CpsFrameKind;

// State of the reader. All zeros at the beginning.
typedef struct CpsFrameReader {
  unsigned char head[14];
  int head_size;
  bool in_payload;
  CpsFrameKind kind;  // of the frame
  bool final;
  uint64_t size, at;     // of its payload, and how much of it was read
  CpsFrameKind message;  // that is being read: text or binary, CPS_FRAME_MORE: none
  unsigned char control[CPS_FRAME_CONTROL_MOST];
} CpsFrameReader;

// The data read.
typedef enum CpsFrameNewsKind {
  CPS_FRAME_NOTHING,  // more bytes are needed
  CPS_FRAME_PIECE,    // a piece of a message: kind, bytes, size, final
  CPS_FRAME_ORDER,    // a ping, a pong or a close, whole: kind, bytes, size
  CPS_FRAME_WRONG     // how to end the connection: code, reason
} CpsFrameNewsKind;

typedef struct CpsFrameNews {
  CpsFrameNewsKind news;
  CpsFrameKind kind;
  const unsigned char* bytes;  // in what was given, or in the reader
  size_t size;
  bool final;
  int code;
  const char* reason;
} CpsFrameNews;

// Reads up to one event. Unmasks the bytes in place. A payload of more than `most` bytes is an error.
// @return number of bytes consumed
size_t cps_frame_read(CpsFrameReader* reader, unsigned char* bytes, size_t size, uint64_t most, CpsFrameNews* news);

// Whether bytes are UTF-8.
bool cps_text_is_utf8(const void* bytes, size_t size);

// Writes the head of an outgoing frame; returns its size.
size_t cps_frame_head(CpsFrameKind kind, bool final, uint64_t size, unsigned char head[CPS_FRAME_HEAD_MOST]);

#endif
