// Sockets: taken, read, written, and dropped when they do nothing. Idle ones cannot use up all places: where a new connection finds no place,
// the one that has waited longest leaves.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/clock.h"
#include "server/server.h"

enum { READ_SIZE = 1 << 14, ACCEPT_AT_ONCE = 16 };
static const double ACCEPT_PAUSE = 0.1;  // s: pause after the system ran out of file descriptors

static void enter(CpsConnection* connection, CpsConnectionState state, double now) {
  connection->state = state;
  connection->since = now;
}

void cps_connection_drop(CpsView* view, CpsConnection* connection) {
  if (connection->state == CPS_CONNECTION_GONE) return;
  cps_websocket_closed(view, connection);
  connection->state = CPS_CONNECTION_GONE;
}

void cps_connection_leave(CpsView* view, CpsConnection* connection) {
  if (connection->state >= CPS_CONNECTION_LEAVING) return;
  cps_websocket_closed(view, connection);
  enter(connection, CPS_CONNECTION_LEAVING, cps_clock_wall());
  connection->head_size = connection->body_size = connection->sent = 0;
  if (shutdown(connection->file, SHUT_WR) != 0) connection->state = CPS_CONNECTION_GONE;
}

void cps_connections_sweep(CpsView* view) {
  for (CpsConnection** at = &view->connections; *at;) {
    CpsConnection* connection = *at;
    if (connection->state != CPS_CONNECTION_GONE) {
      at = &connection->next;
      continue;
    }
    *at = connection->next;
    close(connection->file);
    free(connection);
  }
}

// Closes the connection without a page that has waited longest, downloads last. False if there is none.
static bool evict(CpsView* view) {
  CpsConnection* oldest = NULL;
  for (CpsConnection* c = view->connections; c; c = c->next) {
    if (c->state == CPS_CONNECTION_PAGE || c->state == CPS_CONNECTION_GONE) continue;
    bool busy = c->state == CPS_CONNECTION_ANSWERING;
    bool oldest_busy = oldest && oldest->state == CPS_CONNECTION_ANSWERING;
    if (!oldest || busy < oldest_busy || (busy == oldest_busy && c->since < oldest->since)) oldest = c;
  }
  if (oldest) cps_connection_drop(view, oldest);
  return oldest != NULL;
}

static int32_t count_others(const CpsView* view) {
  int32_t count = 0;
  for (const CpsConnection* c = view->connections; c; c = c->next) {
    count += c->state != CPS_CONNECTION_PAGE && c->state != CPS_CONNECTION_GONE;
  }
  return count;
}

void cps_connections_accept(CpsView* view, double now) {
  for (int i = 0; i < ACCEPT_AT_ONCE; ++i) {
    int file = accept(view->listener, NULL, NULL);
    if (file < 0) {
      bool out_of_files = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
      if (out_of_files && !evict(view)) view->accept_time = now + ACCEPT_PAUSE;
      return;
    }
    CpsConnection* connection = calloc(1, sizeof *connection);
    int on = 1;
    if (!connection || fcntl(file, F_SETFL, O_NONBLOCK) != 0 || fcntl(file, F_SETFD, FD_CLOEXEC) != 0) {
      close(file);
      free(connection);
      return;
    }
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (count_others(view) >= CPS_SERVER_OTHERS) evict(view);
    connection->file = file;
    connection->pong_size = -1;
    enter(connection, CPS_CONNECTION_ASKING, now);
    connection->next = view->connections;
    view->connections = connection;
  }
}

int cps_connection_flush(CpsConnection* connection) {
  size_t total = connection->head_size + connection->body_size;
  while (connection->sent < total) {
    size_t of_head = connection->sent < connection->head_size ? connection->sent : connection->head_size;
    size_t of_body = connection->sent - of_head;
    struct iovec parts[2] = {{connection->head + of_head, connection->head_size - of_head},
                             {(void*)(connection->body + of_body), connection->body_size - of_body}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = connection->body_size > 0 ? 2 : 1};
    ssize_t sent = sendmsg(connection->file, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    connection->sent += (size_t)sent;
  }
  connection->head_size = connection->body_size = connection->sent = 0;
  return 1;
}

// Answers all complete requests in turn.
static void answer(CpsView* view, CpsConnection* connection, double now) {
  CpsHttpRequest request;
  size_t used;
  CpsHttpStatus status = cps_http_read(connection->asked, connection->asked_size, &request, &used);
  if (status == CPS_HTTP_MORE) return;
  enter(connection, CPS_CONNECTION_ANSWERING, now);
  if (status != CPS_HTTP_READ) {
    cps_page_refuse(view, connection, status);
    return;
  }
  cps_page_answer(view, connection, &request);
  connection->asked_size -= used;
  memmove(connection->asked, connection->asked + used, connection->asked_size);
  if (connection->state != CPS_CONNECTION_PAGE) return;
  // some clients send frames right after the request, before the answer
  unsigned char early[CPS_HTTP_HEAD_MOST];
  size_t size = connection->asked_size;
  memcpy(early, connection->asked, size);
  connection->asked_size = 0;
  if (size > 0) cps_websocket_read(view, connection, early, size, now);
}

void cps_connection_read(CpsView* view, CpsConnection* connection, double now) {
  unsigned char bytes[READ_SIZE];
  bool asking = connection->state == CPS_CONNECTION_ASKING;
  size_t room = asking ? sizeof connection->asked - connection->asked_size : sizeof bytes;
  ssize_t size = recv(connection->file, asking ? (void*)(connection->asked + connection->asked_size) : bytes, room, 0);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (size <= 0) {
    cps_connection_drop(view, connection);
  } else if (asking) {
    connection->asked_size += (size_t)size;
    answer(view, connection, now);
  } else if (connection->state == CPS_CONNECTION_PAGE) {
    cps_websocket_read(view, connection, bytes, (size_t)size, now);
  }
}

static void write_answer(CpsView* view, CpsConnection* connection, double now) {
  size_t before = connection->sent;
  int flushed = cps_connection_flush(connection);
  if (flushed < 0) {
    cps_connection_drop(view, connection);
  } else if (flushed == 0) {
    if (connection->sent > before) connection->since = now;
  } else if (connection->last) {
    cps_connection_leave(view, connection);
  } else {
    enter(connection, CPS_CONNECTION_ASKING, now);
    answer(view, connection, now);
  }
}

void cps_connection_write(CpsView* view, CpsConnection* connection, double now) {
  if (connection->state == CPS_CONNECTION_PAGE) cps_websocket_write(view, connection);
  if (connection->state == CPS_CONNECTION_ANSWERING) write_answer(view, connection, now);
}

bool cps_connection_wants_to_write(CpsConnection* connection) {
  if (connection->state == CPS_CONNECTION_PAGE) return cps_websocket_wants_to_write(connection);
  return connection->state == CPS_CONNECTION_ANSWERING;
}

double cps_connection_wait(CpsView* view, CpsConnection* connection, double now) {
  if (connection->state == CPS_CONNECTION_PAGE) return cps_websocket_wait(view, connection, now);
  if (connection->state == CPS_CONNECTION_GONE) return INFINITY;
  bool leaving = connection->state == CPS_CONNECTION_LEAVING;
  double due = connection->since + (leaving ? view->patience.farewell : view->patience.request);
  if (now < due) return due;
  cps_connection_drop(view, connection);
  return INFINITY;
}
