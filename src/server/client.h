// One connected page: its messages, its requests, its queue. Only the serving thread touches it.
#ifndef CAPSTAN_SERVER_CLIENT_H
#define CAPSTAN_SERVER_CLIENT_H

#include "server/guard.h"
#include "server/source.h"
#include "server/web_frame.h"

enum {
  CPS_CLIENT_QUEUE = 64,      // packets that wait to be sent, the greeting not counted
  CPS_CLIENT_QUESTIONS = 16,  // that are open
  CPS_CLIENT_FRAMES = 2       // live: on their way, not acknowledged
};

typedef struct CpsClient {
  struct CpsClient* next;
  uint64_t id;  // from 1 in the order they came
  CpsViewSource* source;
  unsigned wants;
  // input
  CpsRate rate;
  char text[CPS_FLAT_LENGTH];
  size_t length;
  // output: the greeting, then the queue
  CpsGreeting* greeting;  // NULL: none yet
  int32_t greeted;
  CpsPacket* queue[CPS_CLIENT_QUEUE];  // a ring
  int32_t first, count;
  size_t sent;  // bytes of the packet in front
  int32_t questions;
  int64_t shown;  // frame that was queued last, -1: none
  // result: one frame at a time
  bool frame_asked;
  int64_t frame_next;  // requested in the meantime, -1: none
  // live: the frame that was handed out last, and those that were not acknowledged, oldest first
  uint64_t serial;
  int64_t in_flight[CPS_CLIENT_FRAMES];
  int32_t in_flight_count;
  // why it is to be closed; code 0: it is not
  int close_code;
  char close_reason[120];
} CpsClient;

void cps_client_begin(CpsClient* client, CpsViewSource* source, uint64_t id, double now);
void cps_client_end(CpsClient* client);
void cps_client_close(CpsClient* client, int code, const char* reason);

// Handles bytes of a text message; `final` marks its end. An error in the message closes the client.
void cps_client_receive(CpsClient* client, const char* bytes, size_t size, bool final, double now);
// Queues a packet for this client.
void cps_client_post(CpsClient* client, CpsPacket* packet);
// Whether a live frame can be sent now: not too many are unacknowledged.
bool cps_client_has_credit(const CpsClient* client);
// Live: queues the newest frame and its status, if they can be sent now and are new to the client.
void cps_client_offer_frame(CpsClient* client);

// The packet to send now, NULL: none; and what to do once it has been sent.
const CpsPacket* cps_client_packet(CpsClient* client);
void cps_client_packet_gone(CpsClient* client);

#endif
