// labels: release
// A soft stool slides down a slope and stops: how fast, and which legs carry it.
#include "capstan/solid.h"
#include "scenes/scene_world.h"
#include "vertices.h"

enum { MOST = 136 };

// Loads along the slope.
typedef struct Legs {
  double hind, front;  // what they carry, N
  double ahead;        // of the middle of the load before the centre of mass, over the height of that
} Legs;

static Legs legs_of(const CpsWorld* world, double slope) {
  CpsVec3 x[MOST];
  const double h = cps_world_settings(world).step;
  const CpsSolidId id = cps_world_solid(world, 0);
  const int32_t* t = cps_world_solid_tetrahedra(world, id);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, id, &info), CPS_OK);
  assert_true(info.vertex_count <= MOST);
  assert_int_equal(vertices_of(world, cps_thing_solid(id), x, NULL), CPS_OK);
  double volume = 0.0, along = 0.0, height = 0.0;
  for (int32_t i = 0; i < info.tetrahedron_count; ++i, t += 4) {
    const CpsVec3 o = x[t[0]];
    CpsVec3 e[3], c = {0, 0, 0};
    for (int k = 0; k < 3; ++k) e[k] = (CpsVec3){x[t[k + 1]].x - o.x, x[t[k + 1]].y - o.y, x[t[k + 1]].z - o.z};
    const double part = e[0].x * (e[1].y * e[2].z - e[1].z * e[2].y) + e[0].y * (e[1].z * e[2].x - e[1].x * e[2].z) +
                        e[0].z * (e[1].x * e[2].y - e[1].y * e[2].x);
    for (int k = 0; k < 4; ++k) c.x += 0.25 * x[t[k]].x, c.z += 0.25 * x[t[k]].z;
    volume += part;
    along += part * (c.x * cos(slope) - c.z * sin(slope));
    height += part * (c.x * sin(slope) + c.z * cos(slope));
  }
  along /= volume, height /= volume;
  Legs legs = {0};
  double moment = 0.0;
  for (int32_t i = 0; i < cps_world_contact_count(world); ++i) {
    const CpsContact c = cps_world_contact(world, i);
    const double at = c.side[0].point.x * cos(slope) - c.side[0].point.z * sin(slope) - along;
    *(at > 0.0 ? &legs.front : &legs.hind) += c.impulse[0] / h;
    moment += at * c.impulse[0] / h;
  }
  legs.ahead = moment / (legs.front + legs.hind) / height;
  return legs;
}

static double speed_of(const CpsWorld* world, double slope, double mass) {
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  return (p.x * cos(slope) - p.z * sin(slope)) / mass;
}

// mu = 0.2 is more than tan 10 degrees: it slows down with g (mu cos - sin). Friction acts at the feet and weight at the centre of mass,
// so that the load moves forward, by mu times its height as it slides and by the tangent of the slope at rest.
static void a_stool_stops_and_its_legs_carry_what_moments_ask_for(void** state) {
  (void)state;
  const double slope = 10.0 * acos(-1.0) / 180.0, mu = 0.2, a = 9.81 * (mu * cos(slope) - sin(slope));
  assert_near(a, 0.228704, 1e-6);
  Overrides o = {0};
  override(&o, "speed=0.08");
  CpsWorld* world = open_scene("stool.yaml", &o);
  CpsSolidInfo info;
  assert_int_equal(cps_world_solid_info(world, cps_world_solid(world, 0), &info), CPS_OK);
  Run run = run_until(world, 0.2);
  const double v = speed_of(world, slope, info.mass);
  const double end = 0.3;
  Run slides = run_until(world, end);
  const Legs moving = legs_of(world, slope);
  assert_near((v - speed_of(world, slope, info.mass)) / 0.1, a, 2e-3 * a);
  Run rests = run_until(world, 0.9);
  Legs mean = {0};
  for (int i = 0; i < 50; ++i) {  // it still swings a little
    run_step(world, &rests);
    const Legs now = legs_of(world, slope);
    mean.front += 0.02 * now.front, mean.hind += 0.02 * now.hind, mean.ahead += 0.02 * now.ahead;
  }
  print_message("sliding: hind legs %.4f N, front legs %.4f N, the load %.5f H ahead; at rest %.4f N, %.4f N, %.5f H\n",
                moving.hind, moving.front, moving.ahead, mean.hind, mean.front, mean.ahead);
  assert_near(moving.ahead, mu, 0.005 * mu);
  assert_near(mean.ahead, tan(slope), 0.01 * tan(slope));
  assert_near(mean.front + mean.hind, info.mass * 9.81 * cos(slope), 1e-3 * info.mass * 9.81);
  assert_near(speed_of(world, slope, info.mass), 0.0, 1e-3);
  assert_int_equal(run.unsolved + slides.unsolved + rests.unsolved, 0);
  cps_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stool_stops_and_its_legs_carry_what_moments_ask_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
