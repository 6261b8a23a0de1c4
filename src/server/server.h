// Internals of a server; view.h is its public side.
#ifndef CAPSTAN_SERVER_SERVER_H
#define CAPSTAN_SERVER_SERVER_H

#include <stdatomic.h>

#include "capstan/view.h"
#include "server/bundle.h"
#include "server/client.h"
#include "server/http.h"
#include "server/web_frame.h"

enum {
  CPS_SERVER_PAGES_MOST = 256,
  CPS_SERVER_OTHERS = 64,  // connections that are not pages: requests, and those that are closing
  CPS_SERVER_ANSWER = 2048
};

// Timeouts, in seconds. Tests use shorter ones.
typedef struct CpsPatience {
  double request;   // for a request to be whole, for a message to be whole, for some of an answer to be taken
  double silence;   // without a byte of a page: it is pinged, and after twice that time dropped
  double word;      // for the first word of a page, when another one needs its place
  double farewell;  // for the other side to close as well
} CpsPatience;

typedef enum CpsConnectionState {
  CPS_CONNECTION_ASKING,     // its request is being read
  CPS_CONNECTION_ANSWERING,  // the answer is on its way
  CPS_CONNECTION_PAGE,       // it is a WebSocket
  CPS_CONNECTION_LEAVING,    // nothing more is sent; input is discarded until the other side closes
  CPS_CONNECTION_GONE        // to be freed
} CpsConnectionState;

typedef struct CpsConnection {
  struct CpsConnection* next;
  int file;
  CpsConnectionState state;
  double since;  // when the state began, or when some of an answer was taken
  char asked[CPS_HTTP_HEAD_MOST];
  size_t asked_size;
  // on its way out: a head of ours, then bytes of a file or a packet
  unsigned char head[CPS_SERVER_ANSWER];
  size_t head_size;
  const unsigned char* body;
  size_t body_size;
  size_t sent;  // of both
  bool last;    // the connection ends after this answer
  // of a page
  CpsFrameReader reader;
  CpsClient* client;
  double heard;  // when bytes came last
  double begun;  // when the message began that is not whole, 0: there is none
  double ended;  // when it was found that it is to be closed, 0: it is not
  bool spoke;    // a message came
  bool pinged;   // since it was heard last
  bool wrong;    // it broke the rules of frames: no time is lost on it
  bool closing;  // a close is on its way
  bool ping_due;
  int pong_size;  // of a pong that is due, -1: none is
  unsigned char pong[CPS_FRAME_CONTROL_MOST];
} CpsConnection;

struct CpsView {
  CpsViewOptions options;
  CpsPatience patience;
  char address[64];
  char token[CPS_TOKEN_LENGTH + 1];  // empty: none is needed
  char url[512];
  int32_t port;
  int listener;
  int wake[2];         // a pipe: writing to it wakes the loop
  double accept_time;  // when connections are taken again after files had run out
  CpsViewSource* source;
  CpsOutbox outbox;
  bool outbox_begun;
  CpsConnection* connections;
  int32_t page_count;
  uint64_t last_client;
  double once;        // when to stop because no page came back, 0: not
  double pace;        // when the next live frame is due, 0: none is
  double frame_time;  // when the last live frame was handed out
  atomic_bool stopped;
};

void cps_view_tell(CpsView* view, CpsViewEventKind kind, const char* sentence);

// connection.c: shared by HTTP and WebSocket connections.
void cps_connections_accept(CpsView* view, double now);
// Sends pending data. 1: all sent, 0: the socket accepts no more now, -1: it is closed.
int cps_connection_flush(CpsConnection* connection);
// Signals the end of the data to the other side, which closes a page.
void cps_connection_leave(CpsView* view, CpsConnection* connection);
// Closes without a farewell.
void cps_connection_drop(CpsView* view, CpsConnection* connection);
bool cps_connection_wants_to_write(CpsConnection* connection);
void cps_connection_read(CpsView* view, CpsConnection* connection, double now);
void cps_connection_write(CpsView* view, CpsConnection* connection, double now);
// Runs everything that is due.
// @return time of the next due action; INFINITY: never
double cps_connection_wait(CpsView* view, CpsConnection* connection, double now);
// Frees closed connections.
void cps_connections_sweep(CpsView* view);

// page.c: answers to requests.
void cps_page_answer(CpsView* view, CpsConnection* connection, const CpsHttpRequest* request);
// The answer to bytes that are not a request.
void cps_page_refuse(CpsView* view, CpsConnection* connection, CpsHttpStatus status);

// websocket.c: pages.
bool cps_websocket_open(CpsView* view, CpsConnection* connection, double now);
void cps_websocket_closed(CpsView* view, CpsConnection* connection);
void cps_websocket_read(CpsView* view, CpsConnection* connection, unsigned char* bytes, size_t size, double now);
void cps_websocket_write(CpsView* view, CpsConnection* connection);
bool cps_websocket_wants_to_write(CpsConnection* connection);
double cps_websocket_wait(CpsView* view, CpsConnection* connection, double now);
// Frees the place of a page that never sent a message; false: all pages have.
bool cps_websocket_make_room(CpsView* view, double now);
// Delivers the packets that other threads left in the outbox.
void cps_websockets_deliver(CpsView* view);
// Closes all pages with a code and a reason, as soon as these can be written.
void cps_websockets_close(CpsView* view, int code, const char* reason);

#endif
