// The books that the server keeps for each page, without sockets: a source that only writes down what it was asked.
#include "server/client.h"

#include <stdlib.h>
#include <string.h>

#include "test_helpers.h"

typedef struct FakeSource {
  CpsViewSource source;
  int asked;
  CpsRequest last;
  bool full;
} FakeSource;

static bool note(CpsViewSource* source, const CpsRequest* request) {
  FakeSource* fake = (FakeSource*)source;
  fake->asked++;
  fake->last = *request;
  return !fake->full;
}

static FakeSource make_fake(bool live) {
  return (FakeSource){.source = {.live = live, .ask = note}};
}

static void tell(CpsClient* client, const char* text) {
  cps_client_receive(client, text, strlen(text), true, 0.0);
}

static CpsPacket* make_packet(CpsPacketRole role, int64_t index) {
  CpsBuffer buffer = {0};
  cps_buffer_text(&buffer, "bytes");
  CpsPacket* packet = cps_packet_create(&buffer, CPS_PACKET_BINARY);
  assert_non_null(packet);
  packet->role = role;
  packet->index = index;
  return packet;
}

// As the server does when something was posted.
static void deliver(CpsClient* client, CpsPacketRole role, int64_t index) {
  CpsPacket* packet = make_packet(role, index);
  cps_client_post(client, packet);
  cps_packet_release(packet);
}

static void a_newer_request_for_a_frame_replaces_one_that_waits(void** state) {
  (void)state;
  FakeSource fake = make_fake(false);
  CpsClient* client = malloc(sizeof *client);
  cps_client_begin(client, &fake.source, 7, 0.0);
  tell(client, "{\"type\":\"frame\",\"index\":1}");
  assert_true(fake.asked == 1 && fake.last.client == 7 && fake.last.message.index == 1 && fake.last.shown == -1);
  for (int i = 2; i < 100; ++i) {
    char text[64];
    snprintf(text, sizeof text, "{\"type\":\"frame\",\"index\":%d}", i);
    tell(client, text);
  }
  assert_int_equal(fake.asked, 1);  // the first is on its way, the others wait here
  deliver(client, CPS_ROLE_FRAME, 1);
  assert_int_equal(fake.asked, 1);
  assert_non_null(cps_client_packet(client));
  cps_client_packet_gone(client);
  assert_true(fake.asked == 2 && fake.last.message.index == 99 && fake.last.shown == 1);
  deliver(client, CPS_ROLE_FRAME, 99);
  cps_client_packet_gone(client);
  assert_true(fake.asked == 2 && !cps_client_packet(client) && !client->close_code);
  cps_client_end(client);
  free(client);
}

static void two_live_frames_are_on_their_way_until_one_is_acknowledged(void** state) {
  (void)state;
  FakeSource fake = make_fake(true);
  CpsClient* client = malloc(sizeof *client);
  cps_client_begin(client, &fake.source, 1, 0.0);
  assert_true(cps_client_has_credit(client));
  deliver(client, CPS_ROLE_FRAME, 10);
  assert_true(cps_client_has_credit(client));
  deliver(client, CPS_ROLE_FRAME, 11);
  assert_false(cps_client_has_credit(client));
  cps_client_packet_gone(client);
  assert_false(cps_client_has_credit(client));  // sent is not drawn
  tell(client, "{\"type\":\"ack\",\"index\":9}");
  assert_false(cps_client_has_credit(client));  // that one was never sent
  tell(client, "{\"type\":\"ack\",\"index\":11}");
  assert_int_equal(client->in_flight_count, 0);  // the one before counts as drawn
  deliver(client, CPS_ROLE_FRAME, 0);            // after a reset
  tell(client, "{\"type\":\"ack\",\"index\":0}");
  assert_int_equal(client->in_flight_count, 0);
  assert_int_equal(fake.asked, 0);
  cps_client_end(client);
  free(client);
}

static void what_is_not_read_or_not_answered_has_a_limit(void** state) {
  (void)state;
  FakeSource fake = make_fake(false);
  CpsClient* client = malloc(sizeof *client);
  cps_client_begin(client, &fake.source, 1, 0.0);
  for (int i = 0; i < CPS_CLIENT_QUESTIONS; ++i) tell(client, "{\"type\":\"pick\",\"kind\":\"body\",\"index\":0}");
  assert_int_equal(client->close_code, 0);
  deliver(client, CPS_ROLE_ANSWER, 0);
  cps_client_packet_gone(client);  // one was read: there is room for one
  tell(client, "{\"type\":\"series\",\"name\":\"nu\"}");
  assert_int_equal(client->close_code, 0);
  tell(client, "{\"type\":\"series\",\"name\":\"nu\"}");
  assert_int_equal(client->close_code, CPS_CLOSE_POLICY);
  cps_client_end(client);

  cps_client_begin(client, &fake.source, 2, 0.0);
  for (int i = 0; i < CPS_CLIENT_QUEUE; ++i) deliver(client, CPS_ROLE_NEWS, 0);
  assert_int_equal(client->close_code, 0);
  deliver(client, CPS_ROLE_NEWS, 0);
  assert_int_equal(client->close_code, CPS_CLOSE_POLICY);
  cps_client_end(client);

  cps_client_begin(client, &fake.source, 3, 0.0);
  fake.full = true;
  tell(client, "{\"type\":\"frame\",\"index\":0}");
  assert_int_equal(client->close_code, CPS_CLOSE_FULL);
  cps_client_end(client);
  free(client);
}

static void messages_for_the_other_kind_of_source_close(void** state) {
  (void)state;
  CpsClient* client = malloc(sizeof *client);
  FakeSource live = make_fake(true), result = make_fake(false);
  cps_client_begin(client, &live.source, 1, 0.0);
  tell(client, "{\"type\":\"run\"}");
  assert_true(live.asked == 1 && !client->close_code);
  tell(client, "{\"type\":\"frame\",\"index\":0}");
  assert_string_equal(client->close_reason, "frame: not for a live scene");
  cps_client_end(client);
  cps_client_begin(client, &result.source, 1, 0.0);
  tell(client, "{\"type\":\"ack\",\"index\":0}");  // does no harm
  assert_int_equal(client->close_code, 0);
  tell(client, "{\"type\":\"save\",\"what\":\"scene\"}");
  assert_string_equal(client->close_reason, "save: not for a result");
  assert_int_equal(result.asked, 0);
  cps_client_end(client);
  free(client);
}

static int wakes;
static void count_wake(void* data) {
  (void)data;
  wakes++;
}

static void what_was_lost_for_lack_of_memory_is_told(void** state) {
  (void)state;
  CpsOutbox outbox;
  bool lost = true;
  cps_outbox_begin(&outbox, count_wake, NULL);
  cps_outbox_post(&outbox, 1, make_packet(CPS_ROLE_NEWS, 0));
  cps_outbox_post(&outbox, 1, NULL);
  assert_int_equal(wakes, 2);
  CpsPost* post = cps_outbox_collect(&outbox, &lost);
  assert_true(post && !post->next && lost);
  cps_packet_release(post->packet);
  free(post);
  assert_null(cps_outbox_collect(&outbox, &lost));
  assert_false(lost);
  cps_outbox_end(&outbox);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_newer_request_for_a_frame_replaces_one_that_waits),
      cmocka_unit_test(two_live_frames_are_on_their_way_until_one_is_acknowledged),
      cmocka_unit_test(what_is_not_read_or_not_answered_has_a_limit),
      cmocka_unit_test(messages_for_the_other_kind_of_source_close),
      cmocka_unit_test(what_was_lost_for_lack_of_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
