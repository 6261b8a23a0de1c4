// Calls of a world in any order with any numbers: bodies, fibres, obstacles, loads, pulls and materials come and go, ends are
// moved, settings change, states are saved and loaded, steps are made. A call that fails says why and changes nothing; what
// moves stays a number; a state that is loaded again gives the same bits.
#include "draw.h"

#include <string.h>

// Few and coarse: what curls up into a ball touches itself everywhere, and sanitizers make it thirty times slower.
enum { CALLS = 40, STEPS = 4, MOST = 3, STALE = 6, PIECES = 6 };

// Names that were given, some of them stale by now.
typedef struct Play {
  CpsWorld* world;
  CpsBodyId bodies[STALE];
  CpsFibreId fibres[STALE];
  CpsObstacleId obstacles[STALE];
  CpsPullId pulls[STALE];
  int steps;
} Play;

// Mostly as it is, rarely far away or no number.
static double spoil(Bytes* bytes, double x) {
  static const double ODD[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-308, 0.0, -1.0};
  int byte = next_byte(bytes);
  return byte < 240 ? x : byte < 248 ? x * next_scale(bytes) : ODD[byte - 248];
}

static CpsVec3 next_odd_vector(Bytes* bytes) {
  CpsVec3 v = next_vector(bytes);
  v.y = spoil(bytes, v.y);
  return v;
}

static CpsPose next_pose(Bytes* bytes) {
  CpsVec3 position = next_odd_vector(bytes);
  return (CpsPose){position, next_rotation(bytes)};
}

static CpsShape next_shape(Bytes* bytes) {
  static const CpsVec3 corners[] = {{-2, -2, 0}, {2, -2, 0}, {0, 2, 0.25}, {0, 0, -1}};
  static const int32_t triangles[] = {0, 1, 2, 1, 3, 2};
  static const CpsShapePart parts[] = {{.shape = {.kind = CPS_SHAPE_SPHERE, .radius = 0.25}},
                                       {.shape = {.kind = CPS_SHAPE_BOX, .size = {1, 0.25, 0.25}}}};
  double r = spoil(bytes, 0.1 * next_positive(bytes)), l = spoil(bytes, next_positive(bytes));
  switch (next_below(bytes, 10)) {
    case 0:
      return cps_box((CpsVec3){r, l, 0.5});
    case 1:
      return cps_capsule(r, l);
    case 2:
      return cps_cylinder(r, l);
    case 3:
      return cps_hull(corners, 4);
    case 4:
      return cps_plane();
    case 5:
      return cps_mesh(corners, 4, triangles, 1 + next_below(bytes, 2));
    case 6:
      return cps_tube(corners, 2 + next_below(bytes, 3), r, next_below(bytes, 2));
    case 7:
      return cps_compound(parts, 2);
    default:
      return cps_sphere(r);
  }
}

static CpsStatus add_body(Play* play, Bytes* bytes, CpsError* error) {
  if (cps_world_body_count(play->world) >= MOST) return CPS_OK;
  CpsBodyDef def = cps_body_def_default();
  def.shape = next_shape(bytes);
  def.position = next_odd_vector(bytes);
  def.rotation = next_rotation(bytes);
  def.velocity = next_odd_vector(bytes);
  def.angular_velocity = next_odd_vector(bytes);
  def.density = spoil(bytes, 1000.0);
  def.mass = spoil(bytes, next_below(bytes, 2));
  def.mu = spoil(bytes, 0.3);
  def.mu_across = next_below(bytes, 4) ? NAN : spoil(bytes, 0.1);
  def.grain = next_odd_vector(bytes);
  def.fixed_rotation = next_below(bytes, 8) == 0;
  def.material = next_below(bytes, 8) ? 0 : next_below(bytes, 4) - 1;
  return cps_world_add_body(play->world, &def, &play->bodies[next_below(bytes, STALE)], error);
}

static CpsStatus add_obstacle(Play* play, Bytes* bytes, CpsError* error) {
  if (cps_world_obstacle_count(play->world) >= MOST) return CPS_OK;
  CpsObstacleDef def = cps_obstacle_def_default();
  def.shape = next_shape(bytes);
  def.pose = next_pose(bytes);
  def.motion = next_motion(bytes);
  def.motion.angular_velocity = next_odd_vector(bytes);
  const double times[2] = {0.0, spoil(bytes, 0.01)};
  const CpsPose poses[2] = {next_pose(bytes), next_pose(bytes)};
  if (next_below(bytes, 4) == 0) {
    def.motion = (CpsMotion){.kind = CPS_MOTION_KEYFRAMES, .key_count = 2, .key_times = times, .key_poses = poses};
  }
  if (next_below(bytes, 4) == 0) def.surface_velocity = next_odd_vector(bytes);
  def.restitution = next_below(bytes, 4) ? NAN : spoil(bytes, 0.5);
  return cps_world_add_obstacle(play->world, &def, &play->obstacles[next_below(bytes, STALE)], error);
}

static CpsStatus add_fibre(Play* play, Bytes* bytes, CpsError* error) {
  if (cps_world_fibre_count(play->world) >= MOST) return CPS_OK;
  DrawnFibre drawn = {0};
  if (next_below(bytes, 2)) {
    draw_fibre(bytes, &drawn);
  } else {
    // one that is surely taken
    drawn.def = cps_fibre_def_default();
    drawn.def.model = (CpsRodModel)next_below(bytes, CPS_ROD_MODEL_COUNT);
    drawn.def.elements = 3;
    drawn.def.root.kind = (CpsEndKind)next_below(bytes, 3);
    drawn.def.tip.kind = (CpsEndKind)next_below(bytes, 3);
    drawn.def.root_pose.position = (CpsVec3){next_number(bytes), next_number(bytes), next_number(bytes)};
    drawn.def.root.obstacle = play->obstacles[next_below(bytes, STALE)];
    if (!drawn.def.root.obstacle.generation) drawn.def.root.motion = next_motion(bytes);
  }
  drawn.def.pieces = PIECES;
  return cps_world_add_fibre(play->world, &drawn.def, &play->fibres[next_below(bytes, STALE)], error);
}

static CpsStatus add_load(Play* play, Bytes* bytes, CpsError* error) {
  CpsLoadDef def = cps_load_def_default();
  const double times[2] = {0.0, spoil(bytes, 0.01)}, values[2] = {spoil(bytes, 1.0), spoil(bytes, 2.0)};
  if (next_below(bytes, 2)) def.thing = cps_thing_body(play->bodies[next_below(bytes, STALE)]);
  def.force = next_odd_vector(bytes);
  def.torque = next_odd_vector(bytes);
  def.body_axes = next_below(bytes, 2);
  def.curve = (CpsCurve){.kind = (CpsCurveKind)next_below(bytes, 4), .frequency = spoil(bytes, 3.0)};
  def.curve.count = next_below(bytes, 3);
  def.curve.times = times;
  def.curve.values = values;
  def.curve.period = spoil(bytes, 0.0);
  return cps_world_add_load(play->world, &def, error);
}

static CpsStatus add_pull(Play* play, Bytes* bytes, CpsError* error) {
  CpsPullDef def = cps_pull_def_default();
  if (next_below(bytes, 3)) {
    def.at.thing = cps_thing_fibre(play->fibres[next_below(bytes, STALE)]);
  } else {
    def.at.thing = cps_thing_body(play->bodies[next_below(bytes, STALE)]);
  }
  def.at.s = spoil(bytes, 0.1);
  def.at.point = next_odd_vector(bytes);
  def.force = next_odd_vector(bytes);
  def.stiffness = spoil(bytes, next_below(bytes, 2));
  def.damping = spoil(bytes, next_below(bytes, 2));
  def.target = next_odd_vector(bytes);
  def.motion = next_motion(bytes);
  def.from = spoil(bytes, 0.0);
  return cps_world_add_pull(play->world, &def, &play->pulls[next_below(bytes, STALE)], error);
}

static CpsStatus remove_something(Play* play, Bytes* bytes, CpsError* error) {
  int kind = next_below(bytes, 4), place = next_below(bytes, STALE);
  if (kind == 0) return cps_world_remove_body(play->world, play->bodies[place], error);
  if (kind == 1) return cps_world_remove_fibre(play->world, play->fibres[place], error);
  if (kind == 2) return cps_world_remove_obstacle(play->world, play->obstacles[place], error);
  return cps_world_remove_pull(play->world, play->pulls[place], error);
}

static CpsStatus push_something(Play* play, Bytes* bytes, CpsError* error) {
  CpsWorld* world = play->world;
  int place = next_below(bytes, STALE);
  CpsVec3 a = next_odd_vector(bytes), b = next_odd_vector(bytes);
  CpsBodyState state = {.velocity = a, .angular_velocity = b};
  switch (next_below(bytes, 5)) {
    case 0:
      return cps_world_apply_impulse(world, play->bodies[place], a, b, error);
    case 1:
      state.pose = next_pose(bytes);
      return cps_world_set_body_state(world, play->bodies[place], &state, error);
    case 2:
      return cps_world_set_fibre_velocity(world, play->fibres[place], a, b, error);
    case 3:
      return cps_world_move_fibre_end(world, play->fibres[place], next_below(bytes, 3), next_pose(bytes), error);
    default:
      return cps_world_move_pull(world, play->pulls[place], a, error);
  }
}

static CpsStatus set_friction(Play* play, Bytes* bytes, CpsError* error) {
  CpsPair pair = {spoil(bytes, 0.2), spoil(bytes, 0.5)};
  if (next_below(bytes, 2)) return cps_world_add_material(play->world, pair, NULL, error);
  int a = next_below(bytes, 4) - 1, b = next_below(bytes, 3);
  return cps_world_set_pair(play->world, a, b, pair, error);
}

static CpsStatus configure(Play* play, Bytes* bytes, CpsError* error) {
  CpsWorldDef def = cps_world_settings(play->world);
  def.gravity = next_odd_vector(bytes);
  def.step = spoil(bytes, next_below(bytes, 2) ? 1e-3 : 0.02);
  def.adaptive = next_below(bytes, 2);
  def.step_min = spoil(bytes, 0.25 * def.step);
  def.theta = spoil(bytes, next_below(bytes, 2) ? 1.0 : 0.5);
  def.projection = next_below(bytes, 4) > 0;
  def.slop = spoil(bytes, -1.0);
  def.penetration_max = spoil(bytes, 0.0);
  def.residual_max = spoil(bytes, 0.0);
  def.mu_everywhere = next_below(bytes, 4) ? NAN : spoil(bytes, 0.2);
  def.solver.method = (CpsMethod)(next_below(bytes, 2) ? 0 : next_below(bytes, CPS_METHOD_COUNT + 1));
  return cps_world_configure(play->world, &def, error);
}

// Saved, stepped, loaded and stepped again: the same bits.
static CpsStatus step(Play* play, Bytes* bytes, CpsError* error) {
  if (play->steps++ >= STEPS) return CPS_OK;
  CpsWorld* world = play->world;
  if (next_below(bytes, 4)) return cps_world_step(world, NULL, error);
  size_t size = cps_world_state_size(world);
  void* state = malloc(size);
  CHECK(state && cps_world_save(world, state, size, NULL) == CPS_OK);
  uint64_t before = cps_world_hash(world);
  CpsStatus status = cps_world_step(world, NULL, error);
  uint64_t after = cps_world_hash(world);
  CHECK(cps_world_load(world, state, size, NULL) == CPS_OK && cps_world_hash(world) == before);
  CHECK(cps_world_step(world, NULL, error) == status && cps_world_hash(world) == after);
  free(state);
  return status;
}

static void check_numbers(const CpsWorld* world) {
  CHECK(isfinite(cps_world_time(world)));
  for (int32_t i = 0; i < cps_world_body_count(world); ++i) {
    CpsBodyState state;
    CHECK(cps_world_body_state(world, cps_world_body(world, i), &state) == CPS_OK);
    CHECK(is_finite_vector(state.pose.position) && is_finite_vector(state.velocity));
    CHECK(is_finite_vector(state.angular_velocity));
  }
  check_fibres(world);
}

static CpsStatus call(Play* play, Bytes* bytes, CpsError* error) {
  switch (next_below(bytes, 16)) {
    case 0:
    case 1:
      return add_body(play, bytes, error);
    case 2:
    case 3:
      return add_obstacle(play, bytes, error);
    case 4:
    case 5:
      return add_fibre(play, bytes, error);
    case 6:
      return add_load(play, bytes, error);
    case 7:
      return add_pull(play, bytes, error);
    case 8:
      return remove_something(play, bytes, error);
    case 9:
    case 10:
      return push_something(play, bytes, error);
    case 11:
      return set_friction(play, bytes, error);
    case 12:
      return configure(play, bytes, error);
    default:
      return step(play, bytes, error);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes = {data, size};
  CpsWorldDef def = cps_world_def_default();
  def.solver.max_iterations = 20;
  Play play = {0};
  CHECK(cps_world_create(&def, &play.world, NULL) == CPS_OK);
  for (int i = 0; i < CALLS && bytes.left > 0; ++i) {
    uint64_t before = cps_world_hash(play.world);
    CpsError error = {""};
    CpsStatus status = call(&play, &bytes, &error);
    if (status < 0) CHECK(strlen(error.text) > 10 && !strchr(error.text, '\n') && cps_world_hash(play.world) == before);
    if (cps_world_hash(play.world) != before) check_numbers(play.world);
  }
  cps_world_destroy(play.world);
  return 0;
}
