// Inside a server; view.h has what is seen from outside.
#ifndef CAPSTAN_SERVER_SERVER_H
#define CAPSTAN_SERVER_SERVER_H

#include <libwebsockets.h>
#include <stdatomic.h>

#include "capstan/view.h"
#include "server/bundle.h"
#include "server/client.h"

struct CpsView {
  CpsViewOptions options;
  char address[64];
  char token[CPS_TOKEN_LENGTH + 1];  // empty: none is needed
  char url[512];
  int32_t port;
  struct lws_context* context;
  CpsViewSource* source;
  CpsOutbox outbox;
  bool outbox_begun;
  struct CpsConnection* connections;  // all WebSockets
  int32_t connection_count;
  uint64_t last_client;
  lws_sorted_usec_list_t once;  // goes off when no page came back
  lws_sorted_usec_list_t pace;  // goes off when the next live frame is due
  double frame_time;            // when the last live frame was handed out
  atomic_bool stopped;
};

// A page's WebSocket; libwebsockets owns it.
typedef struct CpsConnection {
  struct CpsConnection* next;
  struct lws* wsi;
  CpsClient* client;
} CpsConnection;

// Where a file of the bundle stands in being sent; libwebsockets owns it.
typedef struct CpsDownload {
  const CpsBundleFile* file;
  size_t sent;
} CpsDownload;

void cps_view_tell(CpsView* view, CpsViewEventKind kind, const char* sentence);

// page.c: callbacks of requests that are no WebSocket, and of those that want to become one.
int cps_page_request(CpsView* view, struct lws* wsi, CpsDownload* download, const char* path);
int cps_page_write(struct lws* wsi, CpsDownload* download);
int cps_page_upgrade(CpsView* view, struct lws* wsi, const char* to);

// connection.c: callbacks of WebSockets.
int cps_connection_open(CpsView* view, struct lws* wsi, CpsConnection* connection);
void cps_connection_closed(CpsView* view, CpsConnection* connection);
int cps_connection_receive(CpsView* view, CpsConnection* connection, const char* bytes, size_t size);
int cps_connection_write(CpsView* view, CpsConnection* connection);
// Hands out what other threads left in the outbox.
void cps_connections_deliver(CpsView* view);
// Closes all with a code and a reason, as soon as they can be written.
void cps_connections_close(CpsView* view, int code, const char* reason);

#endif
