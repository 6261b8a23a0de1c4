// A live scene in a web page, without a server. The page hands in the texts of docs/reference/viewer-protocol.md and takes out what a
// server would send; between the two it lets the simulation have its turns. Everything happens in one thread, that of the caller.
//
//     CpsPage* page = cps_page_open("/knot.yaml", error, sizeof error);
//     cps_page_receive(page, "{\"type\":\"run\"}", 14);
//     for (;;) {
//       double wait = cps_page_turn(page);
//       for (int kind; (kind = cps_page_next(page)) >= 0;) send(kind, cps_page_bytes(page), cps_page_size(page));
//       …  wait so many seconds
//     }
#include "browser/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "server/client.h"

static const double FRAME_INTERVAL = 1.0 / 72.0;  // s: a little faster than the usual screen

struct CpsPage {
  CpsOutbox outbox;
  CpsViewSource* source;
  CpsClient client;
  double frame_time;
  bool handed;  // the packet in front was handed out
};

static void wake(void* data) {
  (void)data;  // the page looks after each turn
}

CpsPage* cps_page_open(const char* path, char* text, int size) {
  CpsError error = {""};
  CpsPage* page = calloc(1, sizeof *page);
  if (!page) {
    snprintf(text, (size_t)size, "not enough memory for a live simulation");
    return NULL;
  }
  cps_outbox_begin(&page->outbox, wake, NULL);
  const CpsViewOptions options = {.threads = 1};
  if (cps_live_source_open(path, &options, &page->outbox, &page->source, &error) != CPS_OK) {
    snprintf(text, (size_t)size, "%s", error.text);
    cps_outbox_end(&page->outbox);
    free(page);
    return NULL;
  }
  cps_client_begin(&page->client, page->source, 1, cps_clock_wall());
  page->source->meet(page->source, page->client.id);
  return page;
}

void cps_page_close(CpsPage* page) {
  if (!page) return;
  cps_client_end(&page->client);
  page->source->destroy(page->source);
  cps_outbox_end(&page->outbox);
  free(page);
}

void cps_page_receive(CpsPage* page, const char* text, int length) {
  cps_client_receive(&page->client, text, (size_t)length, true, cps_clock_wall());
}

static void deliver(CpsPage* page) {
  bool lost;
  for (CpsPost* post = cps_outbox_collect(&page->outbox, &lost); post;) {
    CpsPost* next = post->next;
    cps_client_post(&page->client, post->packet);
    cps_packet_release(post->packet);
    free(post);
    post = next;
  }
  if (lost) cps_client_close(&page->client, CPS_CLOSE_FULL, "not enough memory");
}

double cps_page_turn(CpsPage* page) {
  const double left = page->source->turn(page->source);
  const double now = cps_clock_wall(), due = page->frame_time + FRAME_INTERVAL;
  const bool wanted = cps_client_has_credit(&page->client) && now >= due;
  const uint64_t before = page->source->serial;
  page->source->refresh(page->source, wanted);
  deliver(page);  // events precede the frame that shows them
  if (wanted) {
    if (page->source->serial != before) page->frame_time = now;
    cps_client_offer_frame(&page->client);
  }
  return isinf(left) ? -1.0 : left;
}

int cps_page_next(CpsPage* page) {
  if (page->handed) cps_client_packet_gone(&page->client);
  const CpsPacket* packet = cps_client_packet(&page->client);
  page->handed = packet != NULL;
  if (!packet) return -1;
  return packet->kind == CPS_PACKET_TEXT ? 0 : 1;
}

const unsigned char* cps_page_bytes(CpsPage* page) {
  return cps_client_packet(&page->client)->bytes;
}

int cps_page_size(CpsPage* page) {
  return (int)cps_client_packet(&page->client)->size;
}

const char* cps_page_closed(const CpsPage* page) {
  return page->client.close_code ? page->client.close_reason : "";
}
