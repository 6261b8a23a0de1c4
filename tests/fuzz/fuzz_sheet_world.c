// A sheet of 3 x 3 vertices in a world with a floor, a ball, a thread and a tie, any numbers: the world is refused with a message, or
// steps of it end with numbers that are numbers, and a state that is saved and loaded goes on with the same bits.
#include <stdlib.h>
#include <string.h>

#include "capstan/tie.h"
#include "draw.h"

enum { SIDE = 3, VERTICES = SIDE * SIDE, TRIANGLES = 8, STEPS = 3 };

static void check_sentence(CpsStatus status, const CpsError* error) {
  CHECK(status == CPS_OK || (error->text[0] && !strchr(error->text, '\n')));
}

// Mostly a flat square of 20 cm, some of whose vertices are elsewhere.
static CpsStatus add_sheet(Bytes* bytes, CpsWorld* world, CpsSheetId* id, CpsError* error) {
  CpsVec3 vertices[VERTICES];
  int32_t triangles[3 * TRIANGLES], held[2] = {next_below(bytes, VERTICES), next_below(bytes, VERTICES)};
  for (int v = 0; v < VERTICES; ++v) vertices[v] = (CpsVec3){0.1 * (v % SIDE), 0.1 * (double)(v / SIDE), 0.05};
  for (int c = 0; c < 4; ++c) {
    const int32_t a = c / 2 * SIDE + c % 2, corner[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
    memcpy(triangles + 6 * c, corner, sizeof corner);
  }
  for (int changes = next_below(bytes, 4); changes > 0; --changes) {
    vertices[next_below(bytes, VERTICES)] = next_vector(bytes);
  }
  CpsPin pins[2] = {cps_pin_default(), cps_pin_default()};
  for (int i = 0; i < 2; ++i) {
    pins[i].vertices = &held[i];
    pins[i].vertex_count = 1;
    pins[i].motion = next_below(bytes, 2) ? next_motion(bytes) : (CpsMotion){0};
    pins[i].until = next_below(bytes, 4) ? INFINITY : 1e-3;
  }
  CpsSheetDef def = cps_sheet_def_default();
  def.vertex_count = VERTICES, def.vertices = vertices;
  def.triangle_count = TRIANGLES, def.triangles = triangles;
  def.pins = pins, def.pin_count = next_below(bytes, 3);
  def.membrane = (CpsMembraneLaw)next_below(bytes, CPS_MEMBRANE_LAW_COUNT);
  def.bending_law = (CpsBendingLaw)next_below(bytes, CPS_BENDING_LAW_COUNT);
  def.thickness = next_below(bytes, 4) ? 1e-3 : next_positive(bytes) * next_scale(bytes);
  if (next_below(bytes, 4) == 0) def.stretch[0] = next_positive(bytes) * next_scale(bytes);
  if (next_below(bytes, 4) == 0) def.bending[1] = next_positive(bytes) * next_scale(bytes);
  return cps_world_add_sheet(world, &def, id, error);
}

static void add_others(Bytes* bytes, CpsWorld* world, CpsSheetId sheet) {
  CpsError error = {{0}};
  CpsBodyDef ball = cps_body_def_default();
  CpsBodyId body = {0};
  ball.shape = cps_sphere(0.03);
  ball.position = (CpsVec3){0.1, 0.1, 0.1};
  ball.velocity = next_vector(bytes);
  check_sentence(cps_world_add_body(world, &ball, &body, &error), &error);
  if (next_below(bytes, 2)) {
    CpsFibreDef thread = cps_fibre_def_default();
    thread.length = 0.2;
    thread.elements = 3;
    thread.radius = 2e-3;
    thread.root_pose.position = (CpsVec3){0.0, 0.1, 0.06};
    check_sentence(cps_world_add_fibre(world, &thread, NULL, &error), &error);
  }
  CpsTieDef tie = cps_tie_def_default();
  tie.kind = next_below(bytes, 2) ? CPS_TIE_POINT : (CpsTieKind)next_below(bytes, 5);
  tie.a = cps_anchor_sheet(sheet, next_below(bytes, VERTICES + 1));
  if (next_below(bytes, 2)) tie.b = cps_anchor_body(body, next_vector(bytes));
  tie.stiffness = next_positive(bytes);
  if (next_below(bytes, 2)) check_sentence(cps_world_add_tie(world, &tie, NULL, &error), &error);
}

// Steps until one fails; true if all numbers are numbers.
static bool go(CpsWorld* world) {
  for (int i = 0; i < STEPS; ++i) {
    CpsStepInfo info;
    CpsError error = {{0}};
    const CpsStatus status = cps_world_step(world, &info, &error);
    check_sentence(status, &error);
    if (status < 0) return false;
    CHECK(isfinite(info.residual) && isfinite(info.penetration) && info.penetration >= 0.0);
    CHECK(!isnan(cps_world_energy(world).error));
  }
  return true;
}

static void try_world(Bytes* bytes) {
  CpsWorldDef def = cps_world_def_default();
  CpsError error = {{0}};
  CpsWorld* world = NULL;
  def.step = next_below(bytes, 4) ? 2e-3 : 0.05;
  def.theta = next_below(bytes, 2) ? 1.0 : 0.5;
  def.threads = 1;
  CHECK(cps_world_create(&def, &world, &error) == CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  CHECK(cps_world_add_obstacle(world, &floor, NULL, &error) == CPS_OK);
  CpsSheetId sheet = {0};
  const CpsStatus status = add_sheet(bytes, world, &sheet, &error);
  check_sentence(status, &error);
  if (status == CPS_OK) {
    add_others(bytes, world, sheet);
    const size_t size = cps_world_state_size(world);
    void* saved = malloc(size);
    if (saved) {
      CHECK(cps_world_save(world, saved, size, &error) == CPS_OK);
      const bool fine = go(world);
      const uint64_t hash = cps_world_hash(world);
      if (fine && cps_world_load(world, saved, size, &error) == CPS_OK && go(world)) {
        CHECK(cps_world_hash(world) == hash);
      }
    }
    free(saved);
  }
  cps_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  try_world(&bytes);
  return 0;
}
