// Bullet: sequential impulses (projected Gauss-Seidel, warm-started by 0.85), bounded by mu times the normal impulse along
// each direction of friction. Gaps up to the breaking threshold (2 cm) may close: u_N >= -gap / h. Overlap below 4 cm is
// pushed apart at erp * depth / h, deeper overlap by velocities that are thrown away after the step ("split impulse").
#include <btBulletDynamicsCommon.h>

#include <vector>

#include "world/engine.h"

extern "C" {
#include "core/clock.h"
}

namespace {

// Measures the solver alone.
class TimedSolver : public btSequentialImpulseConstraintSolver {
 public:
  double seconds = 0.0;
  btScalar solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                      btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo& info,
                      btIDebugDraw* drawer, btDispatcher* dispatcher) override {
    double start = cps_clock_cpu();
    btScalar result = btSequentialImpulseConstraintSolver::solveGroup(
        bodies, body_count, manifolds, manifold_count, constraints, constraint_count, info, drawer, dispatcher);
    seconds += cps_clock_cpu() - start;
    return result;
  }
};

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  TimedSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<btCollisionShape*> shapes;
  std::vector<btRigidBody*> bodies;  // the moving ones first, then floor and walls
  int moving = 0;
  double step = 0.0;
  ~World() {
    for (btRigidBody* body : bodies) {
      world.removeRigidBody(body);
      delete body;
    }
    for (btCollisionShape* shape : shapes) delete shape;
  }
};

btVector3 to_bullet(CpsVec3 v) {
  return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}
CpsVec3 from_bullet(const btVector3& v) {
  return CpsVec3{double(v.x()), double(v.y()), double(v.z())};
}

btCollisionShape* shape_of(const CpsShape& shape) {
  if (shape.kind == CPS_SHAPE_SPHERE) return new btSphereShape(btScalar(shape.radius));
  if (shape.kind == CPS_SHAPE_BOX) return new btBoxShape(to_bullet(shape.size) * btScalar(0.5));
  return new btCapsuleShapeZ(btScalar(shape.radius), btScalar(shape.length));
}

void add_body(World* w, btCollisionShape* shape, double mass, CpsVec3 inertia, double mu) {
  btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape, to_bullet(inertia));
  // Bullet multiplies the coefficients of the two bodies
  info.m_friction = btScalar(sqrt(mu));
  info.m_restitution = 0;
  auto* body = new btRigidBody(info);
  body->setActivationState(DISABLE_DEACTIVATION);
  body->setFlags(0);
  body->setUserIndex(mass > 0.0 ? int(w->bodies.size()) : -1);
  w->world.addRigidBody(body);
  w->bodies.push_back(body);
  w->shapes.push_back(shape);
}

void add_plane(World* w, double x, double y, double z, double constant, double mu) {
  btVector3 normal{btScalar(x), btScalar(y), btScalar(z)};
  add_body(w, new btStaticPlaneShape(normal, btScalar(constant)), 0.0, CpsVec3{0.0, 0.0, 0.0}, mu);
}

template <class Visit>
void each_point(const World* w, Visit visit) {
  // the dispatcher has no const access to its manifolds
  auto& dispatcher = const_cast<btCollisionDispatcher&>(w->dispatcher);
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
    btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(m);
    for (int p = 0; p < manifold->getNumContacts(); ++p) visit(*manifold, manifold->getContactPoint(p));
  }
}

void set_state(void* world, const CpsBenchState* states) {
  auto* w = static_cast<World*>(world);
  for (int i = 0; i < w->moving; ++i) {
    const CpsBenchState& s = states[i];
    const CpsQuat& q = s.pose.rotation;
    btTransform pose(btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)),
                     to_bullet(s.pose.position));
    btRigidBody* body = w->bodies[size_t(i)];
    body->setLinearVelocity(to_bullet(s.velocity));
    body->setAngularVelocity(to_bullet(s.angular_velocity));
    body->setCenterOfMassTransform(pose);
    body->setInterpolationWorldTransform(pose);
  }
  each_point(w, [](const btPersistentManifold&, btManifoldPoint& point) {
    point.m_appliedImpulse = point.m_appliedImpulseLateral1 = point.m_appliedImpulseLateral2 = 0;
  });
}

void get_state(const void* world, CpsBenchState* states) {
  const auto* w = static_cast<const World*>(world);
  for (int i = 0; i < w->moving; ++i) {
    const btRigidBody* body = w->bodies[size_t(i)];
    btQuaternion q = body->getCenterOfMassTransform().getRotation();
    states[i].pose.position = from_bullet(body->getCenterOfMassPosition());
    states[i].pose.rotation = CpsQuat{double(q.w()), double(q.x()), double(q.y()), double(q.z())};
    states[i].velocity = from_bullet(body->getLinearVelocity());
    states[i].angular_velocity = from_bullet(body->getAngularVelocity());
  }
}

void* create_mode(const CpsBenchScene* scene, const CpsBenchSettings* settings, int mode) {
  auto* w = new World;
  w->step = scene->step;
  w->world.setGravity(btVector3(0, 0, btScalar(-CPS_BENCH_GRAVITY)));
  w->world.getSolverInfo().m_solverMode |= mode;
  if (settings->sweeps > 0) w->world.getSolverInfo().m_numIterations = settings->sweeps;
  for (int32_t i = 0; i < scene->body_count; ++i) {
    const CpsBenchBody& body = scene->bodies[i];
    add_body(w, shape_of(body.shape), body.mass, body.inertia, scene->mu);
  }
  w->moving = scene->body_count;
  add_plane(w, 0, 0, 1, 0, scene->mu);
  for (int side = 0; side < 4 && scene->half_width > 0.0; ++side) {
    double sign = side % 2 ? 1.0 : -1.0;
    add_plane(w, side < 2 ? sign : 0, side < 2 ? 0 : sign, 0, -scene->half_width, scene->mu);
  }
  set_state(w, scene->start);
  return w;
}

void* create(const CpsBenchScene* scene, const CpsBenchSettings* settings) {
  return create_mode(scene, settings, 0);
}
void* create_2(const CpsBenchScene* scene, const CpsBenchSettings* settings) {
  return create_mode(scene, settings, SOLVER_USE_2_FRICTION_DIRECTIONS);
}

void destroy(void* world) {
  delete static_cast<World*>(world);
}

bool step(void* world) {
  auto* w = static_cast<World*>(world);
  w->solver.seconds = 0.0;
  // no substeps: exactly one step of the given length
  w->world.stepSimulation(btScalar(w->step), 0);
  return true;
}

double solve_seconds(const void* world) {
  return static_cast<const World*>(world)->solver.seconds;
}

int32_t contact_count(const void* world) {
  int32_t count = 0;
  each_point(static_cast<const World*>(world), [&](const btPersistentManifold&, btManifoldPoint&) { ++count; });
  return count;
}

// What the solver asked of u_N, see btSequentialImpulseConstraintSolver::setupContactConstraint.
double bias_of(const World* w, double gap) {
  const btContactSolverInfo& info = const_cast<World*>(w)->world.getSolverInfo();
  double distance = gap + double(info.m_linearSlop);
  if (distance > 0.0) return distance / w->step;
  bool split = info.m_splitImpulse && !(distance > double(info.m_splitImpulsePenetrationThreshold));
  return split ? 0.0 : double(info.m_erp2) * distance / w->step;
}

void contacts(const void* world, CpsBenchContact* out) {
  const auto* w = static_cast<const World*>(world);
  bool two = const_cast<World*>(w)->world.getSolverInfo().m_solverMode & SOLVER_USE_2_FRICTION_DIRECTIONS;
  each_point(w, [&](const btPersistentManifold& manifold, btManifoldPoint& point) {
    btVector3 impulse =
        point.m_normalWorldOnB * point.m_appliedImpulse + point.m_lateralFrictionDir1 * point.m_appliedImpulseLateral1;
    if (two) impulse += point.m_lateralFrictionDir2 * point.m_appliedImpulseLateral2;
    CpsBenchContact c{};
    c.a = manifold.getBody0()->getUserIndex();
    c.b = manifold.getBody1()->getUserIndex();
    c.point_a = from_bullet(point.getPositionWorldOnA());
    c.point_b = from_bullet(point.getPositionWorldOnB());
    c.normal = from_bullet(point.m_normalWorldOnB);
    c.impulse = from_bullet(impulse);
    if (c.a < 0) {
      std::swap(c.a, c.b);
      std::swap(c.point_a, c.point_b);
      c.normal = CpsVec3{-c.normal.x, -c.normal.y, -c.normal.z};
      c.impulse = CpsVec3{-c.impulse.x, -c.impulse.y, -c.impulse.z};
    }
    c.gap = double(point.getDistance());
    c.bias = bias_of(w, c.gap);
    c.mu = double(point.m_combinedFriction);
    *out++ = c;
  });
}

CpsBenchEngine engine_of(const char* name, void* (*make)(const CpsBenchScene*, const CpsBenchSettings*)) {
  CpsBenchEngine engine{};
  engine.name = name;
  engine.create = make;
  engine.destroy = destroy;
  engine.set_state = set_state;
  engine.get_state = get_state;
  engine.step = step;
  engine.solve_seconds = solve_seconds;
  engine.contact_count = contact_count;
  engine.contacts = contacts;
  return engine;
}

}  // namespace

extern "C" const CpsBenchEngine* cps_bench_bullet(void) {
  static const CpsBenchEngine engine = engine_of("Bullet", create);
  return &engine;
}

extern "C" const CpsBenchEngine* cps_bench_bullet_2(void) {
  static const CpsBenchEngine engine = engine_of("Bullet, 2 directions", create_2);
  return &engine;
}
