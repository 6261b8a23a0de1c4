#include "server/client.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"

void cps_client_begin(CpsClient* client, CpsViewSource* source, uint64_t id, double now) {
  *client = (CpsClient){.id = id, .source = source, .rate = cps_rate_full(now), .shown = -1, .frame_next = -1};
}

void cps_client_end(CpsClient* client) {
  for (; client->count > 0; client->count--) {
    cps_packet_release(client->queue[client->first]);
    client->first = (client->first + 1) % CPS_CLIENT_QUEUE;
  }
  cps_greeting_release(client->greeting);
  client->greeting = NULL;
}

void cps_client_close(CpsClient* client, int code, const char* reason) {
  if (client->close_code) return;
  client->close_code = code;
  snprintf(client->close_reason, sizeof client->close_reason, "%.119s", reason);
}

static void ask(CpsClient* client, const CpsMessage* message) {
  CpsRequest request = {client->id, client->wants, client->shown, *message};
  if (!client->source->ask(client->source, &request)) {
    cps_client_close(client, CPS_CLOSE_FULL, "too many requests are waiting");
  }
}

static void ask_frame(CpsClient* client, int64_t index) {
  CpsMessage message = {.type = CPS_MESSAGE_FRAME, .index = index};
  client->frame_asked = true;
  ask(client, &message);
}

static void ask_question(CpsClient* client, const CpsMessage* message) {
  if (client->questions == CPS_CLIENT_QUESTIONS) {
    cps_client_close(client, CPS_CLOSE_POLICY, "too many requests before the replies were read");
    return;
  }
  client->questions++;
  ask(client, message);
}

// Marks this frame, and those sent before it, as drawn. Steps count from 0 again after a reset, so only the order matters.
static void acknowledge(CpsClient* client, int64_t index) {
  for (int32_t i = client->in_flight_count - 1; i >= 0; --i) {
    if (client->in_flight[i] != index) continue;
    int32_t left = client->in_flight_count - 1 - i;
    memmove(client->in_flight, client->in_flight + i + 1, (size_t)left * sizeof *client->in_flight);
    client->in_flight_count = left;
    return;
  }
}

static void obey(CpsClient* client, const CpsMessage* message) {
  bool live = client->source->live;
  char text[120];
  if (message->type == CPS_MESSAGE_WANT) {
    client->wants = (message->axes ? CPS_WANT_AXES : 0u) | (message->contacts ? CPS_WANT_CONTACTS : 0u) |
                    (message->tension ? CPS_WANT_TENSION : 0u) | (message->speed ? CPS_WANT_SPEED : 0u) |
                    (message->pressure ? CPS_WANT_PRESSURE : 0u) | (message->fraction ? CPS_WANT_FRACTION : 0u) |
                    (message->status ? CPS_WANT_STATUS : 0u) | (message->stress ? CPS_WANT_STRESS : 0u);
    if (message->stress) client->wants |= CPS_WANT_SPEED | CPS_WANT_PRESSURE | CPS_WANT_FRACTION;  // used by slices
    client->serial = 0;  // the client's current frame may lack something
  } else if (message->type == CPS_MESSAGE_ACK) {
    acknowledge(client, message->index);
  } else if (message->type == CPS_MESSAGE_FRAME ? live : message->type >= CPS_MESSAGE_RUN && !live) {
    snprintf(text, sizeof text, "%s: not for %s", cps_message_name(message->type), live ? "a live scene" : "a result");
    cps_client_close(client, CPS_CLOSE_POLICY, text);
  } else if (message->type == CPS_MESSAGE_SERIES || message->type == CPS_MESSAGE_PICK) {
    ask_question(client, message);
  } else if (message->type != CPS_MESSAGE_FRAME) {
    ask(client, message);
  } else if (client->frame_asked) {
    client->frame_next = message->index;
  } else {
    ask_frame(client, message->index);
  }
}

void cps_client_receive(CpsClient* client, const char* bytes, size_t size, bool final, double now) {
  // pieces count as messages, so that endless small ones are too fast as well
  if (!cps_rate_take(&client->rate, now)) {
    cps_client_close(client, CPS_CLOSE_POLICY, "messages come too fast");
    return;
  }
  if (size > sizeof client->text - client->length) {
    cps_client_close(client, CPS_CLOSE_TOO_LONG, "a message of more than 4096 bytes");
    return;
  }
  if (size > 0) memcpy(client->text + client->length, bytes, size);
  client->length += size;
  if (!final) return;
  CpsMessage message;
  CpsError error;
  if (!cps_text_is_utf8(client->text, client->length)) {
    cps_client_close(client, CPS_CLOSE_BAD_TEXT, "a message is not UTF-8");
  } else if (cps_message_read(client->text, client->length, &message, &error) == CPS_OK) {
    obey(client, &message);
  } else {
    cps_client_close(client, CPS_CLOSE_POLICY, error.text);
  }
  client->length = 0;
}

bool cps_client_has_credit(const CpsClient* client) {
  return !client->close_code && client->in_flight_count < CPS_CLIENT_FRAMES;
}

void cps_client_post(CpsClient* client, CpsPacket* packet) {
  if (client->close_code) return;
  bool is_frame = packet->role == CPS_ROLE_FRAME;
  if (client->count == CPS_CLIENT_QUEUE) {
    cps_client_close(client, CPS_CLOSE_POLICY, "the page does not read its messages");
    return;
  }
  if (is_frame && client->source->live) client->in_flight[client->in_flight_count++] = packet->index;
  if (is_frame && packet->kind == CPS_PACKET_BINARY) client->shown = packet->index;
  client->queue[(client->first + client->count++) % CPS_CLIENT_QUEUE] = packet;
  packet->references++;
}

void cps_client_offer_frame(CpsClient* client) {
  CpsViewSource* source = client->source;
  if (!cps_client_has_credit(client) || client->serial == source->serial) return;
  CpsPacket* frame = source->frame(source, client->wants);
  CpsPacket* status = frame ? source->status(source, client->id) : NULL;
  if (!status) return;
  client->serial = source->serial;
  cps_client_post(client, frame);
  cps_client_post(client, status);
  cps_packet_release(status);
}

static bool is_greeted(const CpsClient* client) {
  return !client->greeting || client->greeted == client->greeting->count;
}

const CpsPacket* cps_client_packet(CpsClient* client) {
  CpsGreeting* now = client->source->greeting;
  if (client->greeting != now && is_greeted(client) && client->sent == 0) {
    cps_greeting_release(client->greeting);
    client->greeting = now;
    if (now) now->references++;
    client->greeted = 0;
  }
  if (!is_greeted(client)) return client->greeting->packets[client->greeted];
  return client->count > 0 ? client->queue[client->first] : NULL;
}

void cps_client_packet_gone(CpsClient* client) {
  client->sent = 0;
  if (!is_greeted(client)) {
    client->greeted++;
    return;
  }
  CpsPacket* packet = client->queue[client->first];
  client->first = (client->first + 1) % CPS_CLIENT_QUEUE;
  client->count--;
  CpsPacketRole role = packet->role;
  cps_packet_release(packet);
  if (role == CPS_ROLE_ANSWER) client->questions--;
  if (role != CPS_ROLE_FRAME || client->source->live) return;
  int64_t next = client->frame_next;
  client->frame_asked = false;
  client->frame_next = -1;
  if (next >= 0) ask_frame(client, next);
}
