#include "server/packet.h"

#include <stdlib.h>

CpsPacket* cps_packet_create(CpsBuffer* buffer, CpsPacketKind kind) {
  CpsPacket* packet = buffer->failed ? NULL : malloc(sizeof *packet);
  if (!packet) {
    cps_buffer_free(buffer);
    return NULL;
  }
  *packet = (CpsPacket){.references = 1, .kind = kind, .size = buffer->size, .bytes = buffer->bytes};
  *buffer = (CpsBuffer){0};
  return packet;
}

void cps_packet_release(CpsPacket* packet) {
  if (!packet || --packet->references > 0) return;
  free(packet->bytes);
  free(packet);
}

void cps_outbox_begin(CpsOutbox* outbox, void (*wake)(void* data), void* wake_data) {
  pthread_mutex_init(&outbox->lock, NULL);
  outbox->first = NULL;
  outbox->last = &outbox->first;
  outbox->lost = false;
  outbox->wake = wake;
  outbox->wake_data = wake_data;
}

void cps_outbox_end(CpsOutbox* outbox) {
  bool lost;
  for (CpsPost* post = cps_outbox_collect(outbox, &lost); post;) {
    CpsPost* next = post->next;
    cps_packet_release(post->packet);
    free(post);
    post = next;
  }
  pthread_mutex_destroy(&outbox->lock);
}

void cps_outbox_post(CpsOutbox* outbox, uint64_t client, CpsPacket* packet) {
  CpsPost* post = packet ? malloc(sizeof *post) : NULL;
  if (post) {
    *post = (CpsPost){.client = client, .packet = packet};
  } else {
    cps_packet_release(packet);
  }
  pthread_mutex_lock(&outbox->lock);
  if (post) {
    *outbox->last = post;
    outbox->last = &post->next;
  } else {
    outbox->lost = true;
  }
  pthread_mutex_unlock(&outbox->lock);
  outbox->wake(outbox->wake_data);
}

CpsPost* cps_outbox_collect(CpsOutbox* outbox, bool* lost) {
  pthread_mutex_lock(&outbox->lock);
  CpsPost* first = outbox->first;
  outbox->first = NULL;
  outbox->last = &outbox->first;
  *lost = outbox->lost;
  outbox->lost = false;
  pthread_mutex_unlock(&outbox->lock);
  return first;
}
