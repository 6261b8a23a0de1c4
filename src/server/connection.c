// WebSockets: between libwebsockets and the clients. Large packets go out in pieces, so that one page that gets a large
// frame does not keep the others waiting.
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "server/server.h"

enum { PIECE = 1 << 16, PIECES_AT_ONCE = 16 };
static const double FRAME_INTERVAL = 1.0 / 72.0;  // s: a little faster than the usual screen

static int want_to_write(const CpsConnection* connection) {
  bool something = connection->client->close_code || cps_client_packet(connection->client);
  if (something) lws_callback_on_writable(connection->wsi);
  return 0;
}

int cps_connection_open(CpsView* view, struct lws* wsi, CpsConnection* connection) {
  connection->wsi = wsi;
  connection->client = malloc(sizeof *connection->client);
  if (!connection->client) return -1;
  cps_client_begin(connection->client, view->source, ++view->last_client, cps_clock_wall());
  connection->next = view->connections;
  view->connections = connection;
  view->connection_count++;
  lws_sul_cancel(&view->once);
  cps_view_tell(view, CPS_VIEW_CONNECTED, "");
  view->source->meet(view->source, connection->client->id);
  return want_to_write(connection);
}

static void stop_once(lws_sorted_usec_list_t* timer) {
  cps_view_stop(lws_container_of(timer, CpsView, once));
}

void cps_connection_closed(CpsView* view, CpsConnection* connection) {
  if (!connection->client) return;
  CpsConnection** at = &view->connections;
  while (*at != connection) at = &(*at)->next;
  *at = connection->next;
  view->connection_count--;
  CpsClient* client = connection->client;
  connection->client = NULL;
  view->source->leave(view->source, client->id);
  bool dropped = client->close_code && client->close_code != CPS_CLOSE_GOING;
  if (dropped) cps_view_tell(view, CPS_VIEW_DROPPED, client->close_reason);
  cps_view_tell(view, CPS_VIEW_DISCONNECTED, "");
  cps_client_end(client);
  free(client);
  if (view->options.once && view->connection_count == 0) {
    lws_sul_schedule(view->context, 0, &view->once, stop_once, LWS_USEC_PER_SEC);
  }
}

int cps_connection_receive(CpsView* view, CpsConnection* connection, const char* bytes, size_t size) {
  CpsClient* client = connection->client;
  if (client->close_code) return 0;
  if (lws_frame_is_binary(connection->wsi)) {
    cps_client_close(client, CPS_CLOSE_POLICY, "messages are texts");
  } else {
    cps_client_receive(client, bytes, size, lws_is_final_fragment(connection->wsi) != 0, cps_clock_wall());
  }
  if (view->source->live) cps_connections_deliver(view);  // it may have made room for a frame
  return want_to_write(connection);
}

static int close_now(const CpsConnection* connection) {
  CpsClient* client = connection->client;
  lws_close_reason(connection->wsi, (enum lws_close_status)client->close_code, (unsigned char*)client->close_reason,
                   strlen(client->close_reason));
  return -1;
}

// Writes the next piece of the packet in front.
static int write_piece(const CpsConnection* connection, const CpsPacket* packet) {
  unsigned char piece[LWS_PRE + PIECE];
  CpsClient* client = connection->client;
  size_t left = packet->size - client->sent, size = left < PIECE ? left : PIECE;
  memcpy(piece + LWS_PRE, packet->bytes + client->sent, size);
  int kind = packet->kind == CPS_PACKET_TEXT ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
  int flags = lws_write_ws_flags(kind, client->sent == 0, size == left);
  if (lws_write(connection->wsi, piece + LWS_PRE, size, (enum lws_write_protocol)flags) < 0) return -1;
  client->sent += size;
  if (client->sent == packet->size) cps_client_packet_gone(client);
  return 0;
}

int cps_connection_write(CpsView* view, CpsConnection* connection) {
  CpsClient* client = connection->client;
  // a message that has begun must end before the connection can be closed with a reason
  if (client->close_code && client->sent == 0) return close_now(connection);
  for (int i = 0; i < PIECES_AT_ONCE; ++i) {
    const CpsPacket* packet = cps_client_packet(client);
    if (!packet || lws_send_pipe_choked(connection->wsi)) break;
    if (client->close_code && client->sent == 0) break;
    if (write_piece(connection, packet) != 0) return -1;
  }
  (void)view;
  return want_to_write(connection);
}

static void hand_out_posts(CpsView* view) {
  bool lost;
  for (CpsPost* post = cps_outbox_collect(&view->outbox, &lost); post;) {
    for (CpsConnection* c = view->connections; c; c = c->next) {
      if (post->client == 0 || post->client == c->client->id) cps_client_post(c->client, post->packet);
    }
    CpsPost* next = post->next;
    cps_packet_release(post->packet);
    free(post);
    post = next;
  }
  // nobody knows who waits for what was lost: all may come back
  if (lost) cps_connections_close(view, CPS_CLOSE_FULL, "there is not enough memory");
}

static void pace_is_over(lws_sorted_usec_list_t* timer) {
  cps_connections_deliver(lws_container_of(timer, CpsView, pace));
}

// Frames of a simulation, as many in a second as a screen shows, to those who have drawn what they got before.
static void hand_out_frames(CpsView* view) {
  double now = cps_clock_wall(), due = view->frame_time + FRAME_INTERVAL;
  bool wanted = false;
  for (CpsConnection* c = view->connections; c; c = c->next) wanted |= cps_client_has_credit(c->client);
  if (wanted && now < due) {
    lws_sul_schedule(view->context, 0, &view->pace, pace_is_over, (lws_usec_t)(1e6 * (due - now)) + 1);
    wanted = false;
  }
  uint64_t before = view->source->serial;
  view->source->refresh(view->source, wanted);
  hand_out_posts(view);  // what is news comes before the frame that shows it
  if (!wanted) return;
  if (view->source->serial != before) view->frame_time = now;
  for (CpsConnection* c = view->connections; c; c = c->next) cps_client_offer_frame(c->client);
}

void cps_connections_deliver(CpsView* view) {
  if (!view->source) return;  // woken while it is being made
  if (view->source->live) hand_out_frames(view);
  hand_out_posts(view);
  for (CpsConnection* c = view->connections; c; c = c->next) want_to_write(c);
}

void cps_connections_close(CpsView* view, int code, const char* reason) {
  for (CpsConnection* c = view->connections; c; c = c->next) {
    cps_client_close(c->client, code, reason);
    want_to_write(c);
  }
}
