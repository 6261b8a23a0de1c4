// Outgoing messages, and the outbox in which other threads leave them for the serving thread.
#ifndef CAPSTAN_SERVER_PACKET_H
#define CAPSTAN_SERVER_PACKET_H

#include <pthread.h>

#include "server/buffer.h"

typedef enum CpsPacketKind { CPS_PACKET_TEXT, CPS_PACKET_BINARY } CpsPacketKind;

// The role of a packet in the records kept for each client.
typedef enum CpsPacketRole {
  CPS_ROLE_NEWS,    // sent without a request
  CPS_ROLE_ANSWER,  // to a question: one less is open
  CPS_ROLE_FRAME    // a frame, or why there is none
} CpsPacketRole;

// Immutable bytes that several clients may share. Only the serving thread counts references.
typedef struct CpsPacket {
  int32_t references;
  CpsPacketKind kind;
  CpsPacketRole role;
  int64_t index;  // of a frame
  size_t size;
  unsigned char* bytes;
} CpsPacket;

// Takes the bytes from the buffer, which is empty afterwards. NULL if memory runs out.
CpsPacket* cps_packet_create(CpsBuffer* buffer, CpsPacketKind kind);
void cps_packet_release(CpsPacket* packet);

// A packet and its recipient. Clients are numbered from 1 in the order of arrival; 0: all clients.
typedef struct CpsPost {
  struct CpsPost* next;
  uint64_t client;
  CpsPacket* packet;
} CpsPost;

typedef struct CpsOutbox {
  pthread_mutex_t lock;
  CpsPost* first;
  CpsPost** last;
  bool lost;                 // out of memory: a client waits for something that will not come
  void (*wake)(void* data);  // called from any thread after something was posted
  void* wake_data;
} CpsOutbox;

void cps_outbox_begin(CpsOutbox* outbox, void (*wake)(void* data), void* wake_data);
void cps_outbox_end(CpsOutbox* outbox);
// Posts a packet, which then belongs to the outbox; NULL: memory ran out for it.
void cps_outbox_post(CpsOutbox* outbox, uint64_t client, CpsPacket* packet);
// Takes all posts, oldest first; the caller frees them.
// @param[out] lost  whether something was lost since the last call
CpsPost* cps_outbox_collect(CpsOutbox* outbox, bool* lost);

#endif
