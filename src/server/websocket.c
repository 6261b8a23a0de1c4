// Pages: between frames and clients. Large packets go out in pieces, so that one page that gets a large frame does not
// keep the others waiting.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "server/server.h"

enum { PIECE = 1 << 16, PIECES_AT_ONCE = 16 };
static const double FRAME_INTERVAL = 1.0 / 72.0;  // s: a little faster than the usual screen
static const double RELOAD = 1.0;                 // s: time in which a reloaded page comes back

bool cps_websocket_open(CpsView* view, CpsConnection* connection, double now) {
  connection->client = malloc(sizeof *connection->client);
  if (!connection->client) return false;
  cps_client_begin(connection->client, view->source, ++view->last_client, now);
  connection->state = CPS_CONNECTION_PAGE;
  connection->since = connection->heard = now;
  view->page_count++;
  view->once = 0.0;
  cps_view_tell(view, CPS_VIEW_CONNECTED, "");
  view->source->meet(view->source, connection->client->id);
  return true;
}

void cps_websocket_closed(CpsView* view, CpsConnection* connection) {
  CpsClient* client = connection->client;
  if (!client) return;
  connection->client = NULL;
  connection->body_size = 0;  // belonged to the client
  view->page_count--;
  view->source->leave(view->source, client->id);
  bool dropped = client->close_code && client->close_code != CPS_CLOSE_GOING && client->close_code != CPS_CLOSE_NORMAL;
  if (dropped) cps_view_tell(view, CPS_VIEW_DROPPED, client->close_reason);
  cps_view_tell(view, CPS_VIEW_DISCONNECTED, "");
  cps_client_end(client);
  free(client);
  if (view->options.once && view->page_count == 0) view->once = cps_clock_wall() + RELOAD;
}

static void obey(CpsConnection* connection, const CpsFrameNews* news) {
  CpsClient* client = connection->client;
  if (news->kind == CPS_FRAME_PING) {  // a later ping replaces an unanswered one (section 5.5.3)
    connection->pong_size = (int)news->size;
    memcpy(connection->pong, news->bytes, news->size);
  } else if (news->kind == CPS_FRAME_CLOSE) {
    cps_client_close(client, CPS_CLOSE_NORMAL, "");
  }
}

void cps_websocket_read(CpsView* view, CpsConnection* connection, unsigned char* bytes, size_t size, double now) {
  CpsClient* client = connection->client;
  connection->heard = now;
  connection->pinged = false;
  while (size > 0 && !client->close_code) {
    CpsFrameNews news;
    size_t used = cps_frame_read(&connection->reader, bytes, size, CPS_FLAT_LENGTH, &news);
    bytes += used;
    size -= used;
    if (news.news == CPS_FRAME_WRONG) {
      connection->wrong = true;
      cps_client_close(client, news.code, news.reason);
    } else if (news.news == CPS_FRAME_ORDER) {
      obey(connection, &news);
    } else if (news.news == CPS_FRAME_PIECE && news.kind == CPS_FRAME_BINARY) {
      cps_client_close(client, CPS_CLOSE_POLICY, "messages must be text");
    } else if (news.news == CPS_FRAME_PIECE) {
      connection->spoke |= news.final;
      cps_client_receive(client, (const char*)news.bytes, news.size, news.final, now);
      connection->wrong |= client->close_code == CPS_CLOSE_BAD_TEXT;
    }
  }
  const CpsFrameReader* reader = &connection->reader;
  bool whole = reader->head_size == 0 && reader->message == CPS_FRAME_MORE;
  if (whole || connection->begun == 0.0) connection->begun = whole ? 0.0 : now;
  if (view->source->live) cps_websockets_deliver(view);  // an acknowledgement may have made room for a frame
  if (client->close_code) cps_websocket_write(view, connection);
}

static void put_control(CpsConnection* connection, CpsFrameKind kind, const void* bytes, size_t size) {
  connection->head_size = cps_frame_head(kind, true, size, connection->head);
  if (size > 0) memcpy(connection->head + connection->head_size, bytes, size);
  connection->head_size += size;
}

static void put_close(CpsConnection* connection) {
  CpsClient* client = connection->client;
  unsigned char text[CPS_FRAME_CONTROL_MOST];
  size_t size = strlen(client->close_reason);
  text[0] = (unsigned char)(client->close_code >> 8);
  text[1] = (unsigned char)client->close_code;
  memcpy(text + 2, client->close_reason, size);
  put_control(connection, CPS_FRAME_CLOSE, text, size + 2);
  connection->closing = true;
}

// The next piece of the first packet. It counts as sent from now on: no other packet can precede it.
static void put_piece(CpsConnection* connection, const CpsPacket* packet) {
  CpsClient* client = connection->client;
  size_t left = packet->size - client->sent, size = left < PIECE ? left : PIECE;
  CpsFrameKind kind = client->sent > 0                  ? CPS_FRAME_MORE
                      : packet->kind == CPS_PACKET_TEXT ? CPS_FRAME_TEXT
                                                        : CPS_FRAME_BINARY;
  connection->head_size = cps_frame_head(kind, size == left, size, connection->head);
  connection->body = packet->bytes + client->sent;
  connection->body_size = size;
  client->sent += size;
}

// Starts sending the next packet. False if there is none.
static bool put_next(CpsConnection* connection) {
  CpsClient* client = connection->client;
  const CpsPacket* packet = cps_client_packet(client);
  if (packet && client->sent == packet->size) {  // all of it was flushed
    cps_client_packet_gone(client);
    packet = cps_client_packet(client);
  }
  // a message in progress must be completed before the connection can be closed with a reason
  if (client->close_code && client->sent == 0) {
    put_close(connection);
  } else if (connection->pong_size >= 0) {
    put_control(connection, CPS_FRAME_PONG, connection->pong, (size_t)connection->pong_size);
    connection->pong_size = -1;
  } else if (connection->ping_due) {
    put_control(connection, CPS_FRAME_PING, NULL, 0);
    connection->ping_due = false;
  } else if (packet) {
    put_piece(connection, packet);
  } else {
    return false;
  }
  return true;
}

void cps_websocket_write(CpsView* view, CpsConnection* connection) {
  for (int i = 0; i < PIECES_AT_ONCE; ++i) {
    int flushed = cps_connection_flush(connection);
    bool in_the_middle = flushed == 0 || connection->client->sent > 0;
    if (flushed < 0) {
      cps_connection_drop(view, connection);
      return;
    }
    if ((flushed && connection->closing) || (connection->wrong && in_the_middle)) {
      cps_connection_leave(view, connection);
      return;
    }
    if (flushed == 0 || !put_next(connection)) return;
  }
}

bool cps_websocket_wants_to_write(CpsConnection* connection) {
  return connection->head_size > 0 || connection->client->close_code || connection->pong_size >= 0 ||
         connection->ping_due || cps_client_packet(connection->client);
}

double cps_websocket_wait(CpsView* view, CpsConnection* connection, double now) {
  const CpsPatience* patience = &view->patience;
  CpsClient* client = connection->client;
  if (connection->begun > 0.0 && now >= connection->begun + patience->request) {
    cps_client_close(client, CPS_CLOSE_POLICY, "a message was started but not finished");
  }
  if (client->close_code && connection->ended == 0.0) connection->ended = now;
  if (connection->ended > 0.0 && now >= connection->ended + patience->farewell) {
    cps_connection_leave(view, connection);
    return INFINITY;
  }
  if (now >= connection->heard + 2.0 * patience->silence) {
    cps_client_close(client, CPS_CLOSE_POLICY, "the page does not respond");
    cps_connection_leave(view, connection);
    return INFINITY;
  }
  if (!connection->pinged && now >= connection->heard + patience->silence) {
    connection->pinged = connection->ping_due = true;
  }
  double due = connection->heard + (connection->pinged ? 2.0 : 1.0) * patience->silence;
  if (connection->begun > 0.0 && !client->close_code) due = fmin(due, connection->begun + patience->request);
  if (connection->ended > 0.0) due = fmin(due, connection->ended + patience->farewell);
  return due;
}

bool cps_websocket_make_room(CpsView* view, double now) {
  CpsConnection* oldest = NULL;
  for (CpsConnection* c = view->connections; c; c = c->next) {
    if (c->state != CPS_CONNECTION_PAGE || c->spoke || now < c->since + view->patience.word) continue;
    if (!oldest || c->since < oldest->since) oldest = c;
  }
  if (!oldest) return false;
  oldest->wrong = true;
  cps_client_close(oldest->client, CPS_CLOSE_POLICY, "closed while idle to make room for another page");
  cps_websocket_write(view, oldest);
  cps_connection_leave(view, oldest);
  return true;
}

static void hand_out_posts(CpsView* view) {
  bool lost;
  for (CpsPost* post = cps_outbox_collect(&view->outbox, &lost); post;) {
    for (CpsConnection* c = view->connections; c; c = c->next) {
      if (c->client && (post->client == 0 || post->client == c->client->id)) cps_client_post(c->client, post->packet);
    }
    CpsPost* next = post->next;
    cps_packet_release(post->packet);
    free(post);
    post = next;
  }
  // it is unknown which clients wait for the lost message: disconnect all, they can reconnect
  if (lost) cps_websockets_close(view, CPS_CLOSE_FULL, "not enough memory");
}

// Sends frames of a simulation, at screen rate, to clients that have drawn the previous frame.
static void hand_out_frames(CpsView* view) {
  double now = cps_clock_wall(), due = view->frame_time + FRAME_INTERVAL;
  bool wanted = false;
  for (CpsConnection* c = view->connections; c; c = c->next) wanted |= c->client && cps_client_has_credit(c->client);
  view->pace = 0.0;
  if (wanted && now < due) {
    view->pace = due;
    wanted = false;
  }
  uint64_t before = view->source->serial;
  view->source->refresh(view->source, wanted);
  hand_out_posts(view);  // events precede the frame that shows them
  if (!wanted) return;
  if (view->source->serial != before) view->frame_time = now;
  for (CpsConnection* c = view->connections; c; c = c->next) {
    if (c->client) cps_client_offer_frame(c->client);
  }
}

void cps_websockets_deliver(CpsView* view) {
  if (view->source->live) hand_out_frames(view);
  hand_out_posts(view);
}

void cps_websockets_close(CpsView* view, int code, const char* reason) {
  for (CpsConnection* c = view->connections; c; c = c->next) {
    if (c->client) cps_client_close(c->client, code, reason);
  }
}
