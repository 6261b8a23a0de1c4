// The friction limit with default settings: on a ramp of angle theta, a body with mu = tan(theta) (1 + 1e-9) holds, and one with
// mu = tan(theta) (1 - 1e-9) slides with a = g (sin(theta) - mu cos(theta)), for any body and any direction of the ramp.
// labels: release
#include "core/quat.h"
#include "world_helpers.h"

#include <math.h>

static const double ANGLE = 20.0 * 0.017453292519943295, H = 1e-3, G = 9.81;

typedef enum Thing { BOX, TALL, SLAB, CYLINDER, STACK, WALL, THINGS } Thing;
static const char* const NAMES[THINGS] = {"box", "tall box", "slab", "cylinder", "stack", "wall"};

enum { MOST = 16 };

typedef struct Ramp {
  CpsWorld* world;
  CpsQuat tilt;
  CpsVec3 down;
  CpsBodyId id[MOST];
  CpsVec3 start[MOST];
  int count;
} Ramp;

// Turns by `angle` about a horizontal axis, so that downhill is (cos, sin) of `heading`.
static CpsQuat tilt(double angle, double heading) {
  return (CpsQuat){
      .w = cos(0.5 * angle), .x = -sin(heading) * sin(0.5 * angle), .y = cos(heading) * sin(0.5 * angle), .z = 0.0};
}

static void put(Ramp* ramp, CpsShape shape, double x, double z) {
  CpsBodyDef def = cps_body_def_default();
  def.shape = shape;
  def.position = cps_quat_rotate(ramp->tilt, (CpsVec3){x, 0.0, z});
  def.rotation = ramp->tilt;
  assert_true(ramp->count < MOST);
  ramp->id[ramp->count] = add_body(ramp->world, &def);
  ramp->start[ramp->count] = state_of(ramp->world, ramp->id[ramp->count]).centre;
  ramp->count++;
}

// Bricks in running bond, three rows of three, halves at the ends.
static void put_wall(Ramp* ramp) {
  const double length = 0.24, height = 0.071;
  for (int row = 0; row < 3; ++row) {
    for (int k = 0; k < 3 + row % 2; ++k) {
      double first = row % 2 ? fmax(0.0, k - 0.5) : k, last = row % 2 ? fmin(3.0, k + 0.5) : k + 1.0;
      put(ramp, cps_box((CpsVec3){length * (last - first), 0.115, height}), 0.5 * length * (first + last - 3.0),
          height * (row + 0.5));
    }
  }
}

static void put_thing(Ramp* ramp, Thing thing) {
  if (thing == BOX) put(ramp, cps_box((CpsVec3){0.2, 0.2, 0.1}), 0.0, 0.05);
  if (thing == TALL) put(ramp, cps_box((CpsVec3){0.5, 0.5, 0.9}), 0.0, 0.45);
  if (thing == SLAB) put(ramp, cps_box((CpsVec3){1.0, 0.3, 0.02}), 0.0, 0.01);
  if (thing == CYLINDER) put(ramp, cps_cylinder(0.1, 0.1), 0.0, 0.05);
  for (int k = 0; thing == STACK && k < 3; ++k) put(ramp, cps_box((CpsVec3){0.4, 0.4, 0.05}), 0.0, 0.025 + 0.05 * k);
  if (thing == WALL) put_wall(ramp);
}

static Ramp make_ramp(Thing thing, double margin, double heading, const CpsMotion* motion) {
  CpsWorldDef def = cps_world_def_default();
  def.step = H;
  def.mu = tan(ANGLE) * (1.0 + margin);
  Ramp ramp = {.world = make_world(&def), .tilt = tilt(ANGLE, heading)};
  if (motion && motion->key_count > 0) ramp.tilt = motion->key_poses[0].rotation;
  ramp.down = cps_quat_rotate(ramp.tilt, (CpsVec3){cos(heading), sin(heading), 0.0});
  CpsObstacleDef plane = cps_obstacle_def_default();
  plane.shape = cps_plane();
  plane.pose.rotation = ramp.tilt;
  if (motion) plane.motion = *motion;
  (void)add_obstacle(ramp.world, &plane);
  put_thing(&ramp, thing);
  return ramp;
}

// The longest way of a body, beside `carried`, and the least and greatest way downhill.
static double way(const Ramp* ramp, CpsVec3 carried, double* least, double* most) {
  double longest = 0.0;
  *least = INFINITY;
  *most = -INFINITY;
  for (int k = 0; k < ramp->count; ++k) {
    CpsVec3 c = state_of(ramp->world, ramp->id[k]).centre;
    CpsVec3 d = cps_vec3_sub(cps_vec3_sub(c, ramp->start[k]), carried);
    longest = fmax(longest, cps_vec3_norm(d));
    *least = fmin(*least, cps_vec3_dot(d, ramp->down));
    *most = fmax(*most, cps_vec3_dot(d, ramp->down));
  }
  return longest;
}

// At the first step a body may slip by what the solver's rounding allows, 1e-13 h g, until rest is found: some steps for one
// body, some dozen where others lie on it. Before, it crept by 1e-6 m in this time and went on.
static void it_sticks_above_the_limit(void** state) {
  (void)state;
  const double allowed[THINGS] = {1e-11, 1e-11, 1e-11, 1e-11, 1e-10, 1e-10};
  for (Thing thing = BOX; thing < THINGS; ++thing) {
    for (int k = 0; k < 4; ++k) {
      Ramp ramp = make_ramp(thing, 1e-9, 0.65 * k, NULL);
      double least, most;
      step(ramp.world, 300);
      double moved = way(&ramp, (CpsVec3){0}, &least, &most);
      if (!(moved <= allowed[thing])) print_error("%s, heading %d: moved %g m\n", NAMES[thing], k, moved);
      assert_true(moved <= allowed[thing]);
      cps_world_destroy(ramp.world);
    }
  }
}

// v grows by h a in each step, so that the way after n steps is a h^2 n (n + 1)/2 to rounding. Of h g a part of 1e-9 is left
// over, which a residual of 1e-13 to 1e-12 changes by a thousandth to a hundredth in the first steps.
static void it_slides_below_the_limit(void** state) {
  (void)state;
  const double margins[2] = {-1e-9, -1e-5};
  int count = 400;
  for (Thing thing = BOX; thing <= CYLINDER; ++thing) {
    for (int k = 0; k < 8; ++k) {
      double margin = margins[k % 2], mu = tan(ANGLE) * (1.0 + margin), least, most;
      Ramp ramp = make_ramp(thing, margin, 0.65 * (k / 2), NULL);
      step(ramp.world, count);
      (void)way(&ramp, (CpsVec3){0}, &least, &most);
      double exact = 0.5 * G * (sin(ANGLE) - mu * cos(ANGLE)) * H * H * count * (count + 1.0);
      double error = k % 2 ? 1e-4 : 2e-2;
      if (!(fabs(least - exact) <= error * exact)) {
        print_error("%s, heading %d, margin %g: %g m, not %g\n", NAMES[thing], k / 2, margin, least, exact);
      }
      assert_near(least, exact, error * exact);
      cps_world_destroy(ramp.world);
    }
  }
}

// A ramp that is moved at constant speed is a ramp at rest.
static void it_sticks_to_a_ramp_that_moves(void** state) {
  (void)state;
  const CpsMotion motion = {.kind = CPS_MOTION_VELOCITY, .velocity = {0.3, -0.2, 0.1}};
  const Thing things[3] = {BOX, CYLINDER, WALL};
  int count = 200;
  for (int k = 0; k < 3; ++k) {
    Ramp ramp = make_ramp(things[k], 1e-9, 0.4, &motion);
    for (int i = 0; i < ramp.count; ++i) {
      CpsBodyState s = state_of(ramp.world, ramp.id[i]);
      s.velocity = motion.velocity;
      must(cps_world_set_body_state(ramp.world, ramp.id[i], &s, &must_error));
    }
    step(ramp.world, count);
    double least, most, moved = way(&ramp, cps_vec3_scale(H * count, motion.velocity), &least, &most);
    if (!(moved <= 1e-10)) print_error("%s: moved %g m\n", NAMES[things[k]], moved);
    assert_true(moved <= 1e-10);
    cps_world_destroy(ramp.world);
  }
}

// A plate that is tilted up to the angle and stops, with 1e-3 to spare: what its stop set in motion comes to rest, and then
// nothing creeps: 1e-13 m in 0.1 s is 1e-12 m/s, a ten billionth of h g.
static void it_sticks_to_a_plate_that_was_tilted(void** state) {
  (void)state;
  const double times[2] = {0.0, 0.1};
  const Thing things[3] = {BOX, SLAB, WALL};
  for (int k = 0; k < 3; ++k) {
    const CpsPose poses[2] = {{.rotation = tilt(ANGLE - 1e-4, 0.4)}, {.rotation = tilt(ANGLE, 0.4)}};
    const CpsMotion motion = {.kind = CPS_MOTION_KEYFRAMES, .key_count = 2, .key_times = times, .key_poses = poses};
    Ramp ramp = make_ramp(things[k], 1e-3, 0.4, &motion);
    double least, most;
    step(ramp.world, 200);
    for (int i = 0; i < ramp.count; ++i) ramp.start[i] = state_of(ramp.world, ramp.id[i]).centre;
    step(ramp.world, 100);
    double moved = way(&ramp, (CpsVec3){0}, &least, &most);
    if (!(moved <= 1e-13)) print_error("%s: moved %g m\n", NAMES[things[k]], moved);
    assert_true(moved <= 1e-13);
    cps_world_destroy(ramp.world);
  }
}

// A rod along the slope. Friction acts on its surface, so its ends press differently, each friction differs from the weight above it, and an
// elastic rod that is placed without stress slips while its strains settle. What velocity it has then is stopped by what is left of friction,
//
//   dv/dt = -g (mu cos(theta) - sin(theta)) = -g sin(theta) margin,
//
// be it 1e-9 of its weight, and once it stands it stands. Rods that do not stretch do not slip: they stand to the accuracy of their lengths.
static double speed_of_rod(const CpsWorld* world, double mass) {
  return sqrt(2.0 * cps_world_energy(world).kinetic / mass);
}

static CpsWorld* make_rod(CpsRodModel model, double margin, double* mass) {
  const double radius = 4e-3, length = 0.3;
  Ramp ramp = make_ramp(THINGS, margin, 0.0, NULL);
  CpsFibreDef def = cps_fibre_def_default();
  def.model = model;
  def.elements = 10;
  def.length = length;
  def.radius = radius;
  def.young = 1e7;
  def.root_pose.position = cps_quat_rotate(ramp.tilt, (CpsVec3){-0.5 * length, 0.0, radius});
  def.root_pose.rotation = ramp.tilt;
  *mass = def.density * 3.141592653589793 * radius * radius * length;
  CpsFibreId id;
  must(cps_world_add_fibre(ramp.world, &def, &id, &must_error));
  return ramp.world;
}

static void what_is_left_of_friction_stops_a_rod(void** state) {
  (void)state;
  const CpsRodModel models[] = {CPS_ROD_DER, CPS_ROD_CORDE, CPS_ROD_MASS_SPRING};
  const double margins[] = {1e-9, -1e-9, 1e-6, -1e-6};
  for (int k = 0; k < 12; ++k) {
    const double margin = margins[k % 4];
    double mass;
    CpsWorld* world = make_rod(models[k / 4], margin, &mass);
    step(world, 200);
    const double before = speed_of_rod(world, mass);
    step(world, 200);
    const double exact = -G * sin(ANGLE) * margin * 200 * H, change = speed_of_rod(world, mass) - before;
    print_message("model %d, margin %g: from %.6g m/s by %.6g, %.6g\n", (int)models[k / 4], margin, before, change,
                  exact);
    assert_in_range((long)(1e6 * before), 1, 100);
    assert_near(change, exact, 1e-4 * fabs(exact));
    cps_world_destroy(world);
  }
  for (int k = 0; k < 3; ++k) {
    double mass;
    CpsWorld* world = make_rod(models[k], 1e-4, &mass);
    step(world, 200);
    assert_true(speed_of_rod(world, mass) < 1e-14);
    cps_world_destroy(world);
  }
  const CpsRodModel stiff[] = {CPS_ROD_DER_INEXTENSIBLE, CPS_ROD_DER_PROJECTED, CPS_ROD_SUPER_HELIX,
                               CPS_ROD_SUPER_HELIX_RECURSIVE, CPS_ROD_SUPER_CLOTHOID};
  for (int k = 0; k < 5; ++k) {
    double mass;
    CpsWorld* world = make_rod(stiff[k], 1e-9, &mass);
    step(world, 200);
    print_message("model %d: %g m/s\n", (int)stiff[k], speed_of_rod(world, mass));
    assert_true(speed_of_rod(world, mass) < 1e-10);
    cps_world_destroy(world);
  }
}

int main(void) {
  if (!cps_method_info(CPS_METHOD_PROXIMAL)->available) {
    print_message("skipped: refinement needs the direct methods\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_sticks_above_the_limit),
      cmocka_unit_test(it_slides_below_the_limit),
      cmocka_unit_test(it_sticks_to_a_ramp_that_moves),
      cmocka_unit_test(it_sticks_to_a_plate_that_was_tilted),
      cmocka_unit_test(what_is_left_of_friction_stops_a_rod),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
