// A model unknown to the files of the library is added to a world: balls on a line, joined by springs. It has only a table, and its
// balls fall, touch, rub and are saved like all others.
#include "core/error.h"
#include "test_helpers.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BALLS = 5 };
static const double MASS = 0.1, RADIUS = 0.02, STIFFNESS = 50.0, APART = 0.1;

// One member: three numbers for each ball. Springs are explicit.
typedef struct Chain {
  CpsModel model;
  CpsModelType type;
  CpsGeom geom;
  CpsVec3 x[BALLS], v[BALLS];  // state
  CpsVec3 before[BALLS], free[BALLS];
  int* momenta;  // how often its momentum was asked for; NULL: not counted
} Chain;

static int32_t dofs(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 3 * BALLS;
}

static uint32_t generation(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 1;
}

static bool is_there(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return true;
}

static double size(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return RADIUS;
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  Chain* c = (Chain*)model;
  for (int i = 0; first < last && i < BALLS; ++i) {
    CpsVec3 f = cps_vec3_scale(MASS, step->gravity);
    for (int side = -1; side <= 1; side += 2) {
      int k = i + side;
      if (k < 0 || k >= BALLS) continue;
      CpsVec3 d = cps_vec3_sub(c->x[k], c->x[i]);
      f = cps_vec3_axpy(f, STIFFNESS * (1.0 - APART / cps_vec3_norm(d)), d);
    }
    c->before[i] = c->v[i];
    c->free[i] = cps_vec3_axpy(c->v[i], step->h / MASS, f);
  }
}

static int32_t collider_count(const CpsModel* model) {
  (void)model;
  return BALLS;
}

static void colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  const Chain* c = (const Chain*)model;
  for (int i = 0; i < BALLS; ++i) {
    CpsVec3 way = cps_vec3_scale(step->h, c->free[i]);
    out[i] = (CpsCollider){.geom = &c->geom,
                           .pose = {c->x[i], {1.0, 0.0, 0.0, 0.0}},
                           .reach = cps_vec3_norm(way) + 1e-4,
                           .key = cps_key(CPS_THING_OTHER, 0, 1, i),
                           .owner = first_owner,
                           .centre = c->x[i],
                           .way = way};
  }
}

// The ball that is nearest to a spot.
static int ball_at(const Chain* c, CpsVec3 x) {
  int best = 0;
  for (int i = 1; i < BALLS; ++i) {
    if (cps_vec3_norm(cps_vec3_sub(x, c->x[i])) < cps_vec3_norm(cps_vec3_sub(x, c->x[best]))) best = i;
  }
  return best;
}

static void rows(const CpsModel* model, int32_t member, const CpsSpot* spot, const CpsMat3* frame, double sign,
                 double* G) {
  (void)member;
  memset(G, 0, 9 * BALLS * sizeof *G);
  int at = 3 * ball_at((const Chain*)model, spot->point);
  for (int k = 0; k < 9; ++k) G[k / 3 * 3 * BALLS + at + k % 3] = sign * frame->m[k] / sqrt(MASS);
}

static CpsVec3 velocity(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which) {
  (void)member;
  const Chain* c = (const Chain*)model;
  int i = ball_at(c, spot->point);
  return which == CPS_VELOCITY_BEFORE ? c->before[i] : which == CPS_VELOCITY_FREE ? c->free[i] : c->v[i];
}

static void receive(CpsModel* model, int32_t member, const double* z) {
  (void)member;
  Chain* c = (Chain*)model;
  for (int i = 0; i < BALLS; ++i) {
    c->v[i] = z ? cps_vec3_axpy(c->free[i], 1.0 / sqrt(MASS), cps_vec3_get(z + 3 * i)) : c->free[i];
  }
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  Chain* c = (Chain*)model;
  for (int i = 0; first < last && i < BALLS; ++i) c->x[i] = cps_vec3_axpy(c->x[i], step->h, c->v[i]);
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  const Chain* c = (const Chain*)model;
  if (c->momenta) ++*c->momenta;
  for (int i = 0; first < last && i < BALLS; ++i) {
    *linear = cps_vec3_axpy(*linear, MASS, c->v[i]);
    *angular = cps_vec3_axpy(*angular, MASS, cps_vec3_cross(c->x[i], c->v[i]));
  }
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  (void)model;
  if (first < last) *mass += BALLS * MASS;
}

static double reach(const CpsModel* model, CpsVec3 from) {
  const Chain* c = (const Chain*)model;
  double far = 0.0;
  for (int i = 0; i < BALLS; ++i) far = fmax(far, cps_vec3_norm(cps_vec3_sub(c->x[i], from)) + RADIUS);
  return far;
}

static size_t state_size(const CpsModel* model) {
  (void)model;
  return 2 * BALLS * sizeof(CpsVec3);
}

static void save(const CpsModel* model, void* bytes) {
  memcpy(bytes, ((const Chain*)model)->x, state_size(model));
}

static void load(CpsModel* model, const void* bytes) {
  memcpy(((Chain*)model)->x, bytes, state_size(model));
}

static CpsModel* make_chain(void) {
  Chain* c = calloc(1, sizeof *c);
  c->type = cps_model_nothing;
  c->type.name = "chain";
  c->type.kind = CPS_THING_OTHER;
  c->type.dofs = dofs;
  c->type.generation = generation;
  c->type.is_there = is_there;
  c->type.size = size;
  c->type.begin = begin;
  c->type.collider_count = collider_count;
  c->type.colliders = colliders;
  c->type.rows = rows;
  c->type.velocity = velocity;
  c->type.receive = receive;
  c->type.advance = advance;
  c->type.momentum = momentum;
  c->type.weigh = weigh;
  c->type.reach = reach;
  c->type.state_size = state_size;
  c->type.save = save;
  c->type.load = load;
  c->model = (CpsModel){.type = &c->type, .count = 1, .there_count = 1};
  c->geom = (CpsGeom){.kind = CPS_SHAPE_SPHERE, .radius = RADIUS, .inner_radius = RADIUS, .outer_radius = RADIUS};
  c->geom.bounds = (CpsAabb){{-RADIUS, -RADIUS, -RADIUS}, {RADIUS, RADIUS, RADIUS}};
  for (int i = 0; i < BALLS; ++i) {
    c->x[i] = cps_vec3(APART * i, 0.0, RADIUS + 1e-3);
    c->v[i] = cps_vec3(1.0, 0.0, 0.0);
  }
  return &c->model;
}

static CpsWorld* make_world(bool grounded, Chain** chain) {
  CpsWorldDef def = cps_world_def_default();
  def.gravity = (CpsVec3){0.0, 0.0, grounded ? -10.0 : 0.0};
  def.mu = 0.5;
  CpsWorld* world = NULL;
  assert_int_equal(cps_world_create(&def, &world, NULL), CPS_OK);
  CpsObstacleDef floor = cps_obstacle_def_default();
  floor.shape = cps_plane();
  if (grounded) assert_int_equal(cps_world_add_obstacle(world, &floor, NULL, NULL), CPS_OK);
  CpsModel* model = make_chain();
  assert_int_equal(cps_world_add_population(world, model, NULL), CPS_OK);
  *chain = (Chain*)model;
  return world;
}

static void step(CpsWorld* world) {
  CpsError error;
  if (cps_world_step(world, NULL, &error) != CPS_OK) fail_msg("%s", error.text);
}

// It slides on the floor and stops as a block does, v^2 / 2 mu g.
static void test_slides(void** unused) {
  (void)unused;
  Chain* chain;
  CpsWorld* world = make_world(true, &chain);
  while (cps_world_time(world) < 0.5) step(world);
  for (int i = 0; i < BALLS; ++i) {
    assert_near(chain->x[i].x - APART * i, 0.1, 2e-3);
    assert_near(chain->x[i].z, RADIUS, 1e-6);
    assert_true(cps_vec3_norm(chain->v[i]) < 1e-6);
  }
  assert_int_equal(cps_world_contact_count(world), BALLS);
  cps_world_destroy(world);
}

// The momentum of a strand of hair is a sum over all of its points: a step that needs masses does not ask for it.
static void test_is_weighed(void** unused) {
  (void)unused;
  Chain* chain;
  CpsWorld* world = make_world(true, &chain);
  int momenta = 0;
  chain->momenta = &momenta;
  for (int i = 0; i < 20; ++i) step(world);
  assert_int_equal(momenta, 0);
  CpsVec3 p, L;
  cps_world_momentum(world, &p, &L);
  assert_int_equal(momenta, 1);
  cps_world_destroy(world);
}

// A body flies into it: both are moved, and their momentum is kept.
static void test_is_touched(void** unused) {
  (void)unused;
  Chain* chain;
  CpsWorld* world = make_world(false, &chain);
  CpsBodyDef ball = cps_body_def_default();
  ball.shape = cps_sphere(0.03);
  ball.position = (CpsVec3){0.2, 0.005, 0.09};
  ball.velocity = (CpsVec3){1.0, 0.0, -2.0};
  CpsBodyId id;
  assert_int_equal(cps_world_add_body(world, &ball, &id, NULL), CPS_OK);
  CpsVec3 before, after, L;
  cps_world_momentum(world, &before, &L);
  int32_t most = 0;
  while (cps_world_time(world) < 0.05) {
    step(world);
    if (cps_world_contact_count(world) > most) most = cps_world_contact_count(world);
  }
  cps_world_momentum(world, &after, &L);
  assert_near(after.x, before.x, 1e-13);
  assert_near(after.y, before.y, 1e-13);
  assert_near(after.z, before.z, 1e-13);
  assert_true(most > 0);
  CpsBodyState state;
  cps_world_body_state(world, id, &state);
  assert_true(state.velocity.z > -1.5);
  cps_world_destroy(world);
}

// A saved world goes on with the same bits.
static void test_is_saved(void** unused) {
  (void)unused;
  Chain *one, *two;
  CpsWorld *world = make_world(true, &one), *other = make_world(true, &two);
  for (int i = 0; i < 50; ++i) step(world);
  size_t bytes = cps_world_state_size(world);
  void* state = malloc(bytes);
  assert_int_equal(cps_world_save(world, state, bytes, NULL), CPS_OK);
  assert_int_equal(cps_world_load(other, state, bytes, NULL), CPS_OK);
  for (int i = 0; i < 50; ++i) {
    step(world);
    step(other);
  }
  assert_memory_equal(one->x, two->x, state_size(&one->model));
  free(state);
  cps_world_destroy(world);
  cps_world_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slides),
      cmocka_unit_test(test_is_weighed),
      cmocka_unit_test(test_is_touched),
      cmocka_unit_test(test_is_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
