// Messages of clients: what is read, and what is refused with which sentence. Nothing here touches a socket.
#include "server/message.h"

#include <string.h>

#include "server/guard.h"
#include "test_helpers.h"

static CpsStatus read(const char* text, CpsMessage* message, CpsError* error) {
  return cps_message_read(text, strlen(text), message, error);
}

static CpsMessage must_read(const char* text) {
  CpsMessage message;
  CpsError error;
  if (read(text, &message, &error) != CPS_OK) {
    print_error("%s -> %s\n", text, error.text);
    fail();
  }
  return message;
}

static void each_type_is_read_with_its_fields(void** state) {
  (void)state;
  CpsMessage m = must_read("{\"type\": \"want\", \"contacts\": true, \"axes\": false, \"tension\": true}");
  assert_int_equal(m.type, CPS_MESSAGE_WANT);
  assert_true(m.contacts && !m.axes && m.tension && !m.speed && !m.pressure);
  m = must_read("{\"type\":\"want\",\"contacts\":false,\"axes\":false,\"tension\":false,\"grains\":\"pressure\"}");
  assert_true(!m.contacts && !m.speed && m.pressure && !m.fraction);
  m = must_read("{\"type\":\"want\",\"contacts\":false,\"axes\":false,\"tension\":false,\"grains\":\"status\"}");
  assert_true(!m.pressure && m.status && !m.stress);
  m = must_read("{\"type\":\"want\",\"contacts\":false,\"axes\":false,\"tension\":false,\"grains\":\"slice\"}");
  assert_true(!m.status && m.stress);
  m = must_read("{\"type\":\"set\",\"key\":\"grain_mu\",\"value\":null}");
  assert_true(m.type == CPS_MESSAGE_SET && m.key == CPS_SETTING_GRAIN_MU && m.is_null);
  m = must_read(" {\"index\":1e3 ,\"type\":\"frame\"}\n");
  assert_true(m.type == CPS_MESSAGE_FRAME && m.index == 1000);
  assert_int_equal(must_read("{\"type\":\"ack\",\"index\":812}").index, 812);
  assert_string_equal(must_read("{\"type\":\"series\",\"name\":\"resi\\u0064ual\"}").text, "residual");
  m = must_read("{\"type\":\"pick\",\"kind\":\"obstacle\",\"index\":3}");
  assert_true(m.kind == CPS_THING_OBSTACLE && m.index == 3 && m.frame == -1);
  assert_int_equal(must_read("{\"type\":\"pick\",\"kind\":\"body\",\"index\":0,\"frame\":2}").frame, 2);
  m = must_read("{\"type\":\"set\",\"key\":\"gravity\",\"value\":[0, -0.5, -9.81]}");
  assert_true(m.key == CPS_SETTING_GRAVITY && m.vector.y == -0.5 && m.vector.z == -9.81);
  m = must_read("{\"type\":\"set\",\"key\":\"mu\",\"value\":null}");
  assert_true(m.key == CPS_SETTING_MU && m.is_null);
  m = must_read("{\"type\":\"set\",\"key\":\"mu\",\"value\":0.25}");
  assert_true(!m.is_null && m.value == 0.25);
  m = must_read("{\"type\":\"set\",\"key\":\"method\",\"value\":\"gs\"}");
  assert_string_equal(m.text, "gs");
  m = must_read("{\"type\":\"grab\",\"kind\":\"fibre\",\"index\":3,\"s\":0.21,\"target\":[0,0,1]}");
  assert_true(m.kind == CPS_THING_FIBRE && m.s == 0.21 && m.target.z == 1.0);
  m = must_read("{\"type\":\"grab\",\"kind\":\"body\",\"index\":0,\"point\":[1,2,3],\"target\":[4,5,6]}");
  assert_true(m.kind == CPS_THING_BODY && m.point.y == 2.0 && m.target.x == 4.0);
  m = must_read("{\"type\":\"grab\",\"kind\":\"sheet\",\"index\":1,\"vertex\":7,\"target\":[4,5,6]}");
  assert_true(m.kind == CPS_THING_SHEET && m.index == 1 && m.vertex == 7 && m.target.y == 5.0);
  m = must_read("{\"type\":\"draw\",\"index\":2,\"vertex\":9,\"target\":[1,2,3]}");
  assert_int_equal(m.type, CPS_MESSAGE_DRAW);
  assert_true(m.index == 2 && m.vertex == 9 && m.target.z == 3.0);
  m = must_read("{\"type\":\"stiffness\",\"index\":1,\"value\":2e6}");
  assert_true(m.type == CPS_MESSAGE_STIFFNESS && m.index == 1 && m.value == 2e6);
  m = must_read("{\"type\":\"cut\",\"index\":4,\"s\":0.25}");
  assert_true(m.type == CPS_MESSAGE_CUT && m.index == 4 && m.s == 0.25);
  assert_int_equal(must_read("{\"type\":\"erase\",\"index\":0}").type, CPS_MESSAGE_ERASE);
  assert_int_equal(must_read("{\"type\":\"let_go\"}").type, CPS_MESSAGE_LET_GO);
  assert_int_equal(must_read("{\"type\":\"take_pen\"}").type, CPS_MESSAGE_TAKE_PEN);
  m = must_read("{\"type\":\"pin\",\"index\":1,\"vertex\":7,\"held\":true}");
  assert_true(m.type == CPS_MESSAGE_PIN && m.index == 1 && m.vertex == 7 && m.held);
  assert_int_equal(must_read("{\"type\":\"pick\",\"kind\":\"sheet\",\"index\":0}").kind, CPS_THING_SHEET);
  assert_true(must_read("{\"type\":\"drag\",\"target\":[1e-3,0,-0.0]}").target.x == 1e-3);
  assert_true(must_read("{\"type\":\"twist\",\"angle\":-3.5E-1}").value == -0.35);
  assert_true(must_read("{\"type\":\"save\",\"what\":\"problem\"}").problem);
  assert_false(must_read("{\"type\":\"save\",\"what\":\"scene\"}").problem);
  static const char* const PLAIN[] = {"run", "pause", "step", "reset", "release"};
  for (int i = 0; i < 5; ++i) {
    char text[64];
    snprintf(text, sizeof text, "{\"type\":\"%s\"}", PLAIN[i]);
    assert_string_equal(cps_message_name(must_read(text).type), PLAIN[i]);
  }
}

static void what_is_wrong_is_said_in_one_sentence(void** state) {
  (void)state;
  static const struct {
    const char* text;
    const char* sentence;
  } BAD[] = {
      {"", "expected an object at byte 1"},
      {"[]", "expected an object at byte 1"},
      {"{}", "a message needs a string 'type'"},
      {"{\"type\":1}", "a message needs a string 'type'"},
      {"{\"type\":\"run\"", "unterminated object at byte 14"},
      {"{\"type\":\"run\"}x", "unexpected text after the object at byte 15"},
      {"{\"type\":\"run\",}", "expected a quoted string at byte 15"},
      {"{\"type\":\"run\" \"a\":1}", "unterminated object at byte 15"},
      {"{\"type\":\"run\",\"type\":\"run\"}", "duplicate name at byte 21"},
      {"{\"type\":\"run\",\"index\":1}", "run: unexpected field"},
      {"{\"type\":\"frame\",\"index\":1.5}", "frame: index must be a whole number that is not negative"},
      {"{\"type\":\"frame\",\"index\":-1}", "frame: index must be a whole number that is not negative"},
      {"{\"type\":\"frame\",\"index\":\"1\"}", "frame: index must be a number"},
      {"{\"type\":\"frame\",\"index\":1e16}", "the number is too large at byte 25"},
      {"{\"type\":\"frame\",\"index\":1e999}", "the number is too large at byte 25"},
      {"{\"type\":\"frame\",\"index\":01}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":+1}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":.5}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":1.}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":1e}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":NaN}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":0x10}", "unterminated object at byte 26"},
      {"{\"type\":\"frame\",\"index\":00000000000000000000000000000000000}", "expected a number at byte 25"},
      {"{\"type\":\"frame\",\"index\":{\"a\":1}}", "expected a number at byte 25"},
      {"{\"type\":\"drag\",\"target\":[0,0]}", "drag: target must be three numbers"},
      {"{\"type\":\"drag\",\"target\":[0,0,0,0]}", "more than three numbers at byte 32"},
      {"{\"type\":\"drag\",\"target\":[[0],0,0]}", "expected a number at byte 26"},
      {"{\"type\":\"drag\",\"target\":[0,0,\"0\"]}", "expected a number at byte 30"},
      {"{\"type\":\"drag\",\"target\":[]}", "expected a number at byte 26"},
      {"{\"type\":\"set\",\"key\":\"colour\",\"value\":1}", "set: key 'colour' is not known"},
      {"{\"type\":\"set\",\"key\":\"step\",\"value\":null}", "set: value must be a number"},
      {"{\"type\":\"set\",\"key\":\"mu\"}", "set: value must be a number"},
      {"{\"type\":\"grab\",\"kind\":\"obstacle\",\"index\":0,\"s\":0,\"target\":[0,0,0]}",
       "grab: kind 'obstacle' is not known"},
      {"{\"type\":\"grab\",\"kind\":\"sheet\",\"index\":0,\"vertex\":0.5,\"target\":[0,0,0]}",
       "grab: vertex must be a whole number that is not negative"},
      {"{\"type\":\"draw\",\"index\":0,\"vertex\":-1,\"target\":[0,0,0]}",
       "draw: vertex must be a whole number that is not negative"},
      {"{\"type\":\"draw\",\"index\":0,\"vertex\":1,\"target\":[0,0]}", "draw: target must be three numbers"},
      {"{\"type\":\"cut\",\"index\":0}", "cut: s must be a number"},
      {"{\"type\":\"let_go\",\"index\":0}", "let_go: unexpected field"},
      {"{\"type\":\"pin\",\"index\":0,\"vertex\":1,\"held\":1}", "pin: held must be true or false"},
      {"{\"type\":\"grab\",\"kind\":\"body\",\"index\":0,\"s\":0,\"target\":[0,0,0]}",
       "grab: point must be three numbers"},
      {"{\"type\":\"want\",\"contacts\":true,\"axes\":true}", "want: tension must be true or false"},
      {"{\"type\":\"want\",\"contacts\":true,\"axes\":true,\"tension\":true,\"grains\":\"mass\"}",
       "want: grains 'mass' is not known"},
      {"{\"type\":\"want\",\"contacts\":true,\"axes\":true,\"tension\":true,\"grains\":true}",
       "want: grains must be a text"},
      {"{\"type\":\"want\",\"contacts\":tru}", "unknown word at byte 27"},
      {"{\"type\":\"save\",\"what\":\"../x\"}", "save: what '../x' is not known"},
      {"{\"type\":\"r\\nun\"}", "unknown escape sequence at byte 12"},
      {"{\"type\":\"\\u00e9\"}", "unknown escape sequence at byte 11"},
      {"{\"type\":\"r\xc3\xa9\"}", "unterminated string or non-ASCII character at byte 11"},
      {"{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}",
       "more than eight fields at byte 50"},
      {"{\"a name that is too long\":1}", "the string is too long at byte 18"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; ++i) {
    CpsMessage message = {.index = 77};
    CpsError error;
    CpsStatus status = read(BAD[i].text, &message, &error);
    if (status >= 0 || strcmp(error.text, BAD[i].sentence) != 0) print_error("%s -> %s\n", BAD[i].text, error.text);
    assert_true(status < 0);
    assert_string_equal(error.text, BAD[i].sentence);
    assert_int_equal(message.index, 77);  // untouched
  }
}

static void the_rate_allows_a_burst_and_then_240_in_a_second(void** state) {
  (void)state;
  CpsRate rate = cps_rate_full(100.0);
  int taken = 0;
  while (cps_rate_take(&rate, 100.0)) taken++;
  assert_int_equal(taken, 480);
  for (taken = 0; cps_rate_take(&rate, 101.0);) taken++;
  assert_int_equal(taken, 240);
  for (taken = 0; cps_rate_take(&rate, 1000.0);) taken++;
  assert_int_equal(taken, 480);
}

static void hosts_and_origins_are_compared_whole(void** state) {
  (void)state;
  assert_true(cps_host_allowed("127.0.0.1:8020", "127.0.0.1"));
  assert_true(cps_host_allowed("LOCALHOST", "127.0.0.1"));
  assert_true(cps_host_allowed("[::1]:8020", "::1"));
  assert_true(cps_host_allowed("anything:1", "0.0.0.0"));
  assert_false(cps_host_allowed("", "0.0.0.0"));
  assert_false(cps_host_allowed("127.0.0.1.example", "127.0.0.1"));
  assert_false(cps_host_allowed("127.0.0.1:", "127.0.0.1"));
  assert_false(cps_host_allowed("127.0.0.1:80@example", "127.0.0.1"));
  assert_false(cps_host_allowed("localhost.example:80", "127.0.0.1"));
  assert_true(cps_origin_allowed("http://localhost:8020", "localhost:8020"));
  assert_false(cps_origin_allowed("http://localhost:80201", "localhost:8020"));
  assert_false(cps_origin_allowed("http://localhost", "localhost:8020"));
  assert_false(cps_origin_allowed("null", "localhost:8020"));
}

static void tokens_are_random_and_compared_whole(void** state) {
  (void)state;
  char a[CPS_TOKEN_LENGTH + 1], b[CPS_TOKEN_LENGTH + 1];
  CpsError error;
  assert_int_equal(cps_token_create(a, &error), CPS_OK);
  assert_int_equal(cps_token_create(b, &error), CPS_OK);
  assert_string_not_equal(a, b);  // a chance of 2^-128
  assert_int_equal(strspn(a, "0123456789abcdef"), CPS_TOKEN_LENGTH);
  assert_true(cps_token_equal(a, a));
  assert_false(cps_token_equal(a, b));
  assert_false(cps_token_equal(a, NULL));
  assert_false(cps_token_equal(a, ""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_is_read_with_its_fields),
      cmocka_unit_test(what_is_wrong_is_said_in_one_sentence),
      cmocka_unit_test(the_rate_allows_a_burst_and_then_240_in_a_second),
      cmocka_unit_test(hosts_and_origins_are_compared_whole),
      cmocka_unit_test(tokens_are_random_and_compared_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
