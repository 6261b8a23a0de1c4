// Bullet's deformable world with the settings of its own examples: up to a hundred sweeps over the contacts, which are nodes against the signed
// distance of the ramp. Cloth has explicit springs along the edges and across them, a solid the neo-Hookean law, explicit or implicit.
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "deform/bullet_soft.h"

struct BulletSoft {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btDeformableBodySolver deformable;
  btDeformableMultiBodyConstraintSolver solver;
  std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
  btBoxShape box{btVector3(4, 4, btScalar(0.5))};
  std::unique_ptr<btRigidBody> ramp;
  btSoftBody* thing = nullptr;  // the world's
  std::unique_ptr<btDeformableLagrangianForce> elastic;
  std::unique_ptr<btDeformableGravityForce> weight;
  double step = 0.0;
};

static void set_up_world(BulletSoft* c, const BulletThing* thing) {
  c->step = thing->step;
  c->solver.setDeformableSolver(&c->deformable);
  c->world = std::make_unique<btDeformableMultiBodyDynamicsWorld>(&c->dispatcher, &c->broadphase, &c->solver,
                                                                  &c->configuration, &c->deformable);
  const btVector3 gravity(0, 0, btScalar(-thing->gravity));
  c->world->setGravity(gravity);
  c->world->getWorldInfo().m_gravity = gravity;
  c->world->getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.25));
  c->world->getWorldInfo().m_sparsesdf.Reset();
  btContactSolverInfo& info = c->world->getSolverInfo();
  info.m_deformable_erp = btScalar(0.05);
  info.m_deformable_cfm = 0;
  info.m_leastSquaresResidualThreshold = btScalar(1e-3);
  info.m_splitImpulse = false;
  info.m_numIterations = 100;
  // implicit springs fly apart on the sheet as soon as it slides
  c->world->setImplicit(thing->tetrahedra && thing->implicit);
}

static void add_ramp(BulletSoft* c, const BulletThing* thing) {
  btTransform pose;
  pose.setIdentity();
  pose.setRotation(btQuaternion(btVector3(0, 1, 0), btScalar(thing->slope)));
  pose.setOrigin(pose.getBasis() * btVector3(0, 0, btScalar(-0.5)));
  btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &c->box);
  info.m_startWorldTransform = pose;
  c->ramp = std::make_unique<btRigidBody>(info);
  c->ramp->setFriction(1);  // multiplied with that of the thing
  c->world->addRigidBody(c->ramp.get());
}

static void make_sheet(BulletSoft* c, const BulletThing* sheet) {
  std::vector<btScalar> x;
  std::vector<int> corners(sheet->triangles, sheet->triangles + 3 * sheet->triangle_count);
  for (int i = 0; i < sheet->vertex_count; ++i) {
    x.insert(x.end(), {btScalar(sheet->vertices[i].x), btScalar(sheet->vertices[i].y), btScalar(sheet->vertices[i].z)});
  }
  c->thing = btSoftBodyHelpers::CreateFromTriMesh(c->world->getWorldInfo(), x.data(), corners.data(),
                                                  sheet->triangle_count, false);
  double area = 0.0;
  for (int i = 0; i < c->thing->m_faces.size(); ++i) {
    btSoftBody::Node** n = c->thing->m_faces[i].m_n;
    area += 0.5 * double((n[1]->m_x - n[0]->m_x).cross(n[2]->m_x - n[0]->m_x).length());
  }
  c->thing->generateBendingConstraints(2);
  c->thing->setTotalMass(btScalar(sheet->density * area), true);
  c->elastic = std::make_unique<btDeformableMassSpringForce>(btScalar(sheet->stretch), btScalar(0.01), true);
}

// As CreateFromVtkFile does with its file; masses by volume.
static void make_solid(BulletSoft* c, const BulletThing* solid) {
  std::vector<btVector3> x;
  for (int i = 0; i < solid->vertex_count; ++i) {
    const CpsVec3 v = solid->vertices[i];
    x.emplace_back(btScalar(v.x), btScalar(v.y), btScalar(v.z));
  }
  c->thing = new btSoftBody(&c->world->getWorldInfo(), solid->vertex_count, x.data(), nullptr);
  for (int t = 0; t < solid->tetrahedron_count; ++t) {
    const int32_t* n = solid->tetrahedra + 4 * t;
    c->thing->appendTetra(n[0], n[1], n[2], n[3]);
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) c->thing->appendLink(n[a], n[b], nullptr, true);
    }
  }
  btSoftBodyHelpers::generateBoundaryFaces(c->thing);
  c->thing->initializeDmInverse();
  btSoftBody::TetraScratch clear{};
  for (btMatrix3x3* F : {&clear.m_F, &clear.m_cofF, &clear.m_corotation}) F->setIdentity();
  c->thing->m_tetraScratches.resize(c->thing->m_tetras.size(), clear);
  c->thing->m_tetraScratchesTn.resize(c->thing->m_tetras.size(), clear);
  std::vector<double> part(size_t(solid->vertex_count));
  double volume = 0.0;
  for (int t = 0; t < solid->tetrahedron_count; ++t) {
    const int32_t* n = solid->tetrahedra + 4 * t;
    const btVector3 &o = x[size_t(n[0])], &p = x[size_t(n[1])], &q = x[size_t(n[2])], &r = x[size_t(n[3])];
    const double own = std::fabs(double((p - o).dot((q - o).cross(r - o)))) / 6.0;
    volume += own;
    for (int a = 0; a < 4; ++a) part[size_t(n[a])] += 0.25 * own;
  }
  for (int i = 0; i < solid->vertex_count; ++i) c->thing->setMass(i, btScalar(solid->mass * part[size_t(i)] / volume));
  const double mu = 0.5 * solid->young / (1.0 + solid->poisson);
  const double lambda = solid->young * solid->poisson / ((1.0 + solid->poisson) * (1.0 - 2.0 * solid->poisson));
  c->elastic = std::make_unique<btDeformableNeoHookeanForce>(btScalar(mu), btScalar(lambda), btScalar(0.01));
}

static void add_thing(BulletSoft* c, const BulletThing* thing) {
  if (thing->tetrahedra) {
    make_solid(c, thing);
  } else {
    make_sheet(c, thing);
  }
  c->thing->getCollisionShape()->setMargin(btScalar(0.5 * thing->thickness));
  for (int i = 0; thing->velocities && i < thing->vertex_count; ++i) {
    const CpsVec3 v = thing->velocities[i];
    c->thing->m_nodes[i].m_v = btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
    c->thing->m_nodes[i].m_vn = c->thing->m_nodes[i].m_v;
  }
  c->thing->m_cfg.kKHR = 1;
  c->thing->m_cfg.kCHR = 1;
  c->thing->m_cfg.kDF = btScalar(thing->mu);
  c->thing->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
  c->thing->setCollisionFlags(0);
  c->thing->setActivationState(DISABLE_DEACTIVATION);
  c->thing->m_sleepingThreshold = 0;  // or what creeps is stopped for good
  c->world->addSoftBody(c->thing);
  c->weight = std::make_unique<btDeformableGravityForce>(c->world->getGravity());
  c->world->addForce(c->thing, c->elastic.get());
  c->world->addForce(c->thing, c->weight.get());
}

BulletSoft* bullet_soft_create(const BulletThing* thing) {
  auto* c = new BulletSoft;
  set_up_world(c, thing);
  add_ramp(c, thing);
  add_thing(c, thing);
  return c;
}

void bullet_soft_destroy(BulletSoft* c) {
  if (!c) return;
  c->world->removeForce(c->thing, c->elastic.get());
  c->world->removeForce(c->thing, c->weight.get());
  c->world->removeSoftBody(c->thing);
  c->world->removeRigidBody(c->ramp.get());
  delete c->thing;
  delete c;
}

void bullet_soft_step(BulletSoft* c) {
  c->world->stepSimulation(btScalar(c->step), 1, btScalar(c->step));
}

void bullet_soft_look(const BulletSoft* c, CpsVec3* x, CpsVec3* v) {
  for (int i = 0; i < c->thing->m_nodes.size(); ++i) {
    const btSoftBody::Node& n = c->thing->m_nodes[i];
    x[i] = CpsVec3{double(n.m_x.x()), double(n.m_x.y()), double(n.m_x.z())};
    if (v) v[i] = CpsVec3{double(n.m_v.x()), double(n.m_v.y()), double(n.m_v.z())};
  }
}
