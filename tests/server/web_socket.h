// A small HTTP and WebSocket client by hand, so that the server is not tested with its own library. Every wait is bounded.
#ifndef CAPSTAN_TESTS_SERVER_WEB_SOCKET_H
#define CAPSTAN_TESTS_SERVER_WEB_SOCKET_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "test_helpers.h"

enum { WAIT_SECONDS = 20, MESSAGE_ROOM = 1 << 22 };  // generous: sanitizers on a busy machine

static inline int dial(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int file = socket(AF_INET, SOCK_STREAM, 0);
  struct timeval patience = {.tv_sec = WAIT_SECONDS};
  assert_true(file >= 0);
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  assert_int_equal(connect(file, (struct sockaddr*)&address, sizeof address), 0);
  return file;
}

static inline void send_all(int file, const void* bytes, size_t size) {
  const char* at = bytes;
  while (size > 0) {
    ssize_t sent = send(file, at, size, MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server closed it: what it said is read next
    at += sent;
    size -= (size_t)sent;
  }
}

// Sends a request and reads the head of the answer (and no more). The status code.
static inline int request(int file, const char* text, char* head, size_t room) {
  send_all(file, text, strlen(text));
  size_t size = 0;
  while (size + 1 < room && recv(file, head + size, 1, 0) == 1) {
    head[++size] = '\0';
    if (size >= 4 && strcmp(head + size - 4, "\r\n\r\n") == 0) break;
  }
  head[size] = '\0';
  int code = 0;
  if (sscanf(head, "HTTP/1.%*d %d", &code) != 1) code = 0;
  return code;
}

// A request on a connection of its own: the status code.
static inline int request_once(int port, const char* text, char* head, size_t room) {
  int file = dial(port);
  int code = request(file, text, head, room);
  close(file);
  return code;
}

// Asks for a WebSocket. `headers` replaces the usual Host and Origin. The status code; 101: it is one.
static inline int ask_socket(int file, const char* path, const char* headers) {
  char text[1024], head[2048];
  snprintf(text, sizeof text,
           "GET %s HTTP/1.1\r\n%sConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: capstan-1\r\n\r\n",
           path, headers);
  int code = request(file, text, head, sizeof head);
  if (code == 101) {
    assert_non_null(strstr(head, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));  // of that key, RFC 6455 section 1.3
  }
  return code;
}

static inline const char* usual_headers(int port) {
  static char headers[128];
  snprintf(headers, sizeof headers, "Host: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n", port, port);
  return headers;
}

static inline int open_socket(int port) {
  int file = dial(port);
  assert_int_equal(ask_socket(file, "/ws", usual_headers(port)), 101);
  return file;
}

// One masked frame. `first` is the byte with its kind: 0x81 a whole text.
static inline void send_frame(int file, unsigned char first, const void* bytes, size_t size) {
  unsigned char* frame = malloc(size + 14);
  size_t at = 2;
  frame[0] = first;
  if (size < 126) {
    frame[1] = (unsigned char)(0x80 | size);
  } else {
    assert_true(size < 65536);
    frame[1] = 0x80 | 126;
    frame[at++] = (unsigned char)(size >> 8);
    frame[at++] = (unsigned char)size;
  }
  static const unsigned char MASK[4] = {0x12, 0x34, 0x56, 0x78};
  memcpy(frame + at, MASK, 4);
  at += 4;
  for (size_t i = 0; i < size; ++i) frame[at + i] = ((const unsigned char*)bytes)[i] ^ MASK[i % 4];
  send_all(file, frame, at + size);
  free(frame);
}

static inline void say(int file, const char* text) {
  send_frame(file, 0x81, text, strlen(text));
}

typedef struct Message {
  int kind;  // 1 text, 2 binary, 8 close, 0: the connection is gone
  int code;  // of a close
  size_t size;
  unsigned char* bytes;  // MESSAGE_ROOM, zero-terminated
} Message;

static inline bool receive_exactly(int file, void* bytes, size_t size) {
  unsigned char* at = bytes;
  while (size > 0) {
    ssize_t got = recv(file, at, size, 0);
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

// One frame appended to the message; false at its end or when the connection is gone (kind 0).
static inline bool receive_piece(int file, Message* message) {
  unsigned char head[2], longer[8];
  if (!receive_exactly(file, head, 2)) {
    message->kind = 0;
    return false;
  }
  size_t size = head[1] & 0x7f, extra = size == 126 ? 2 : size == 127 ? 8 : 0;
  assert_true(receive_exactly(file, longer, extra));
  if (extra) size = 0;
  for (size_t i = 0; i < extra; ++i) size = size << 8 | longer[i];
  assert_true(message->size + size < MESSAGE_ROOM);
  assert_true(receive_exactly(file, message->bytes + message->size, size));
  if (head[0] & 0x0f) message->kind = head[0] & 0x0f;
  message->size += size;
  return !(head[0] & 0x80);
}

// The next message into memory that the next call uses again.
static inline Message hear(int file) {
  static unsigned char room[MESSAGE_ROOM];
  Message message = {.bytes = room};
  while (receive_piece(file, &message)) continue;
  room[message.size] = '\0';
  if (message.kind == 8 && message.size >= 2) message.code = room[0] << 8 | room[1];
  return message;
}

// Skips everything else.
static inline Message hear_kind(int file, const char* letters) {
  Message message = hear(file);
  while (message.kind != 0 && message.kind != 8 && strncmp((char*)message.bytes, letters, strlen(letters)) != 0) {
    message = hear(file);
  }
  return message;
}

// Reads until the server closes: its code, and the reason if wanted.
static inline int hear_close(int file, char* reason, size_t room) {
  Message message = hear(file);
  while (message.kind != 0 && message.kind != 8) message = hear(file);
  if (reason) snprintf(reason, room, "%.125s", message.size > 2 ? (char*)message.bytes + 2 : "");
  return message.code;
}

static inline uint32_t u32_at(const unsigned char* at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline double f64_at(const unsigned char* at) {
  uint64_t bits = u32_at(at) | (uint64_t)u32_at(at + 4) << 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double f32_at(const unsigned char* at) {
  uint32_t bits = u32_at(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

#endif
