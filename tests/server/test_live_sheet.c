// labels: threads
// Hands on sheets in a live simulation, and how frames carry sheets.
#include "io/scratch.h"
#include "server/live_hand.h"

#include "base/atomic_file.h"
#include "server/stream.h"
#include "server/web_socket.h"

// Nine by nine vertices (five by five under a sanitizer), hung by two corners; mass 0.024 kg.
enum {
  CELLS = SANITIZED ? 4 : 8,
  COUNT = (CELLS + 1) * (CELLS + 1),
  CORNER = COUNT - 1,
  TRIANGLES = 2 * CELLS * CELLS
};
static const char CLOTH[] =
    "sheets: {cloth: {grid: {size: [0.4, 0.4], cells: [%d, %d]}, rotation: {axis: [1, 0, 0], angle: -90 deg},\n"
    "  thickness: 1 mm, density: 0.15, stretch: 500, bending: 1e-5, damping: {mass: 4}, pins: [{vertices: [0, %d]}]}}\n"
    "time: {step: 4 ms, end: 1 s}\n";

static CpsLive* open_cloth(void) {
  const char* path = scratch_path("cloth.yaml");
  char text[sizeof CLOTH + 32];
  CpsError error;
  snprintf(text, sizeof text, CLOTH, CELLS, CELLS, CELLS);
  if (cps_file_replace(path, text, strlen(text), &error) != CPS_OK) fail_msg("%s", error.text);
  return open_live(path, NULL, 0);
}

static bool has_started(const CpsLiveStatus* status, double unused) {
  (void)unused;
  return status->step == 0;
}

static bool is_held(const CpsFrame* frame, int32_t vertex) {
  return frame->vertex_held[vertex];
}

// A vertex comes after the hand; what it lacks is the force of the spring, k = m w^2 with w = 30 / s.
static void a_vertex_follows_the_hand(void** state) {
  (void)state;
  CpsLive* live = open_cloth();
  CpsLiveStatus status;
  const CpsFrame* frame = look_until(live, has_made, 0, &status);
  CpsVec3 from = frame->vertices[CORNER], target = {from.x, from.y + 0.15, from.z + 0.1};
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_SHEET, .client = 3, .vertex = CORNER, .target = from});
  for (int i = 1; i <= 25; ++i) {
    CpsVec3 on_the_way = {from.x, from.y + 0.006 * i, from.z + 0.004 * i};
    give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 3, .target = on_the_way});
    make_steps(live, status.step, 4, &status);
  }
  frame = make_steps(live, status.step, 300, &status);
  assert_int_equal(status.hand_count, 1);
  CpsVec3 x = frame->vertices[CORNER], F = status.hands[0].force;
  assert_near(distance(x, status.hands[0].point), 0.0, 1e-12);
  assert_below(distance(x, target), 0.02);
  double k = 0.15 * 0.16 * 900.0;
  assert_near(F.y, k * (target.y - x.y), 2e-3 * k);
  assert_near(F.z, k * (target.z - x.z), 2e-3 * k);
  assert_true(F.z > 0.01);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 3});
  frame = make_steps(live, status.step, 100, &status);
  assert_true(frame->vertices[CORNER].z < x.z - 0.05);
  cps_live_destroy(live);
}

// What is pinned stays, goes with a hand exactly, and falls when released; a reset brings back the pins of the scene.
static void vertices_are_pinned_and_released(void** state) {
  (void)state;
  CpsLive* live = open_cloth();
  CpsLiveStatus status;
  const CpsFrame* frame = look_until(live, has_made, 0, &status);
  assert_true(is_held(frame, 0) && is_held(frame, CELLS) && !is_held(frame, CORNER));
  CpsVec3 corner = frame->vertices[CORNER];
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PIN, .vertex = CORNER});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_UNPIN, .vertex = 0});
  frame = make_steps(live, status.step, 100, &status);
  assert_true(!is_held(frame, 0) && is_held(frame, CORNER));
  assert_near(distance(frame->vertices[CORNER], corner), 0.0, 1e-12);
  // a plane sheet in its own plane is stiff: it sags by a few centimetres
  assert_true(frame->vertices[0].z < (SANITIZED ? 0.199 : 0.18));  // five by five vertices are stiffer
  CpsVec3 target = {corner.x, corner.y + 0.1, corner.z};
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_SHEET, .client = 1, .vertex = CORNER, .target = corner});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 1, .target = target});
  frame = make_steps(live, status.step, 150, &status);
  assert_near(distance(frame->vertices[CORNER], target), 0.0, 1e-6);
  // released in the hand it hangs on its spring; pinned again it goes with the hand, which lets go of it there
  give(live, (CpsLiveOrder){.what = CPS_LIVE_UNPIN, .vertex = CORNER});
  frame = make_steps(live, status.step, 50, &status);
  assert_true(!is_held(frame, CORNER) && distance(frame->vertices[CORNER], target) > 1e-4);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PIN, .vertex = CORNER});
  frame = make_steps(live, status.step, 150, &status);
  assert_near(distance(frame->vertices[CORNER], target), 0.0, 1e-6);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 1});
  frame = make_steps(live, status.step, 50, &status);
  assert_near(distance(frame->vertices[CORNER], target), 0.0, 1e-6);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RESET});
  frame = look_until(live, has_started, 0, &status);
  assert_true(is_held(frame, 0) && is_held(frame, CELLS) && !is_held(frame, CORNER));
  assert_near(distance(frame->vertices[CORNER], corner), 0.0, 1e-12);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PIN, .client = 1, .vertex = COUNT});
  assert_string_equal(wait_for_event(live, CPS_LIVE_ERROR).text,
                      SANITIZED ? "the sheet has no vertex 25" : "the sheet has no vertex 81");
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_SHEET, .client = 1, .index = 1});
  assert_string_equal(wait_for_event(live, CPS_LIVE_ERROR).text, "sheet 1 does not exist");
  cps_live_destroy(live);
}

// A solid beside a sheet: to a page it is the last of the sheets. Pulled it follows, pinned it hangs, and saved it stays pinned.
static void a_solid_is_pulled_pinned_and_saved(void** state) {
  (void)state;
  static const char SOFT[] =
      "sheets: {rug: {grid: {size: [0.1, 0.1], cells: [1, 1]}, position: [1, 0, 1], pins: [{vertices: [0, 1]}]}}\n"
      "solids: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}, position: [0, 0, 0.06], young: 2e5,\n"
      "  damping: 5 ms, mass_damping: 3, radius: 1 mm}}\n"
      "obstacles: {floor: {plane: {}}}\n"
      "time: {step: 4 ms, end: 1 s}\n";
  const char* path = scratch_path("soft.yaml");
  CpsError error;
  if (cps_file_replace(path, SOFT, strlen(SOFT), &error) != CPS_OK) fail_msg("%s", error.text);
  CpsLive* live = open_live(path, NULL, 0);
  CpsLiveStatus status;
  const CpsFrame* frame = look_until(live, has_made, 0, &status);
  const CpsThings* things = cps_live_things(live);
  assert_true(things->sheet_count == 2 && things->solid_count == 1);
  const int64_t first = things->sheets[1].first_vertex, last = things->sheets[1].vertex_count - 1;
  const CpsVec3 from = frame->vertices[first + last], up = {from.x, from.y, from.z + 0.3};
  give(live, (CpsLiveOrder){.what = CPS_LIVE_GRAB_SHEET, .client = 1, .index = 1, .vertex = last, .target = from});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_DRAG, .client = 1, .target = up});
  frame = make_steps(live, status.step, 100, &status);
  assert_int_equal(status.hand_count, 1);
  assert_near(distance(frame->vertices[first + last], status.hands[0].point), 0.0, 1e-12);
  assert_true(frame->vertices[first + last].z > from.z + 0.2);
  assert_true(status.hands[0].force.z > 2.0);  // it weighs 9.81 N
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PIN, .client = 1, .index = 1, .vertex = last});
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RELEASE, .client = 1});
  frame = make_steps(live, status.step, 50, &status);
  assert_true(is_held(frame, (int32_t)(first + last)));
  const CpsVec3 hung = frame->vertices[first + last];
  frame = make_steps(live, status.step, 50, &status);
  assert_near(distance(frame->vertices[first + last], hung), 0.0, 1e-12);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_SAVE_SCENE, .client = 1});
  CpsLiveEvent saved = wait_for_event(live, CPS_LIVE_SAVED);
  CpsLive* again = open_live(saved.text, NULL, 0);
  frame = make_steps(again, status.step, 30, &status);
  assert_true(is_held(frame, (int32_t)(first + last)));
  assert_near(distance(frame->vertices[first + last], hung), 0.0, 1e-12);
  cps_live_destroy(again);
  give(live, (CpsLiveOrder){.what = CPS_LIVE_RESET});
  frame = look_until(live, has_started, 0, &status);
  assert_true(!is_held(frame, (int32_t)(first + last)));
  give(live, (CpsLiveOrder){.what = CPS_LIVE_PIN, .client = 1, .index = 1, .vertex = last + 1});
  assert_string_equal(wait_for_event(live, CPS_LIVE_ERROR).text, "the solid has no vertex 8");
  cps_live_destroy(live);
}

static const unsigned char* section(const CpsBuffer* message, const char* letters, uint32_t* length) {
  for (size_t at = 48; at + 8 <= message->size; at += 8 + (*length + 3) / 4 * 4) {
    *length = u32_at(message->bytes + at + 4);
    if (memcmp(message->bytes + at, letters, 4) == 0) return message->bytes + at + 8;
  }
  return NULL;
}

// Frames carry vertices as floats and the numbers of those that are held; triangles come once.
static void frames_carry_sheets(void** state) {
  (void)state;
  CpsLive* live = open_cloth();
  CpsLiveStatus status;
  const CpsFrame* frame = look_until(live, has_made, 0, &status);
  const CpsThings* things = cps_live_things(live);
  CpsBuffer out = {0};
  cps_stream_frame(&out, things, frame, 0);
  uint32_t length = 0;
  const unsigned char* vertices = section(&out, "VERT", &length);
  assert_non_null(vertices);
  assert_int_equal(length, 12 * COUNT);
  for (int i = 0; i < COUNT; ++i) {
    float x[3];
    memcpy(x, vertices + 12 * i, sizeof x);
    assert_true(x[0] == (float)frame->vertices[i].x && x[2] == (float)frame->vertices[i].z);
  }
  const unsigned char* pins = section(&out, "PINS", &length);
  assert_int_equal(length, 8);
  assert_true(pins && u32_at(pins) == 0 && u32_at(pins + 4) == CELLS);
  cps_buffer_free(&out);
  cps_stream_sheets(&out, things);
  assert_memory_equal(out.bytes, "CPST", 4);
  assert_int_equal(u32_at(out.bytes + 4), TRIANGLES);
  assert_int_equal(out.size, 8 + 12 * TRIANGLES);
  for (int i = 0; i < 3 * TRIANGLES; ++i) assert_int_equal(u32_at(out.bytes + 8 + 4 * i), things->triangles[i]);
  cps_buffer_free(&out);
  cps_live_destroy(live);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_vertex_follows_the_hand),
      cmocka_unit_test(vertices_are_pinned_and_released),
      cmocka_unit_test(a_solid_is_pulled_pinned_and_saved),
      cmocka_unit_test(frames_carry_sheets),
  };
  keep_to_threads("vertices_*");
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
