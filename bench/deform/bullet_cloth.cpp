// Bullet's deformable world with the settings of its own examples of cloth: explicit springs along the edges and across them, up to a
// hundred sweeps over the contacts, which are nodes against the signed distance of the ramp.
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "deform/bullet_cloth.h"

struct BulletCloth {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btDeformableBodySolver deformable;
  btDeformableMultiBodyConstraintSolver solver;
  std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
  btBoxShape box{btVector3(4, 4, btScalar(0.5))};
  std::unique_ptr<btRigidBody> ramp;
  btSoftBody* sheet = nullptr;  // the world's
  std::unique_ptr<btDeformableMassSpringForce> springs;
  std::unique_ptr<btDeformableGravityForce> weight;
  double step = 0.0;
};

static void set_up_world(BulletCloth* c, const BulletSheet* sheet) {
  c->step = sheet->step;
  c->solver.setDeformableSolver(&c->deformable);
  c->world = std::make_unique<btDeformableMultiBodyDynamicsWorld>(&c->dispatcher, &c->broadphase, &c->solver,
                                                                  &c->configuration, &c->deformable);
  const btVector3 gravity(0, 0, btScalar(-sheet->gravity));
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
  c->world->setImplicit(false);  // implicit springs fly apart on this sheet as soon as it slides
}

static void add_ramp(BulletCloth* c, const BulletSheet* sheet) {
  btTransform pose;
  pose.setIdentity();
  pose.setRotation(btQuaternion(btVector3(0, 1, 0), btScalar(sheet->slope)));
  pose.setOrigin(pose.getBasis() * btVector3(0, 0, btScalar(-0.5)));
  btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &c->box);
  info.m_startWorldTransform = pose;
  c->ramp = std::make_unique<btRigidBody>(info);
  c->ramp->setFriction(1);  // multiplied with that of the sheet
  c->world->addRigidBody(c->ramp.get());
}

static void add_sheet(BulletCloth* c, const BulletSheet* sheet) {
  std::vector<btScalar> x;
  std::vector<int> corners(sheet->triangles, sheet->triangles + 3 * sheet->triangle_count);
  for (int i = 0; i < sheet->vertex_count; ++i) {
    x.insert(x.end(), {btScalar(sheet->vertices[i].x), btScalar(sheet->vertices[i].y), btScalar(sheet->vertices[i].z)});
  }
  c->sheet = btSoftBodyHelpers::CreateFromTriMesh(c->world->getWorldInfo(), x.data(), corners.data(),
                                                  sheet->triangle_count, false);
  double area = 0.0;
  for (int i = 0; i < c->sheet->m_faces.size(); ++i) {
    btSoftBody::Node** n = c->sheet->m_faces[i].m_n;
    area += 0.5 * double((n[1]->m_x - n[0]->m_x).cross(n[2]->m_x - n[0]->m_x).length());
  }
  c->sheet->getCollisionShape()->setMargin(btScalar(0.5 * sheet->thickness));
  c->sheet->generateBendingConstraints(2);
  c->sheet->setTotalMass(btScalar(sheet->density * area), true);
  c->sheet->m_cfg.kKHR = 1;
  c->sheet->m_cfg.kCHR = 1;
  c->sheet->m_cfg.kDF = btScalar(sheet->mu);
  c->sheet->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
  c->sheet->setCollisionFlags(0);
  c->sheet->setActivationState(DISABLE_DEACTIVATION);
  c->sheet->m_sleepingThreshold = 0;  // or a sheet that creeps is stopped for good
  c->world->addSoftBody(c->sheet);
  c->springs = std::make_unique<btDeformableMassSpringForce>(btScalar(sheet->stretch), btScalar(0.01), true);
  c->weight = std::make_unique<btDeformableGravityForce>(c->world->getGravity());
  c->world->addForce(c->sheet, c->springs.get());
  c->world->addForce(c->sheet, c->weight.get());
}

BulletCloth* bullet_cloth_create(const BulletSheet* sheet) {
  auto* c = new BulletCloth;
  set_up_world(c, sheet);
  add_ramp(c, sheet);
  add_sheet(c, sheet);
  return c;
}

void bullet_cloth_destroy(BulletCloth* c) {
  if (!c) return;
  c->world->removeForce(c->sheet, c->springs.get());
  c->world->removeForce(c->sheet, c->weight.get());
  c->world->removeSoftBody(c->sheet);
  c->world->removeRigidBody(c->ramp.get());
  delete c->sheet;
  delete c;
}

void bullet_cloth_step(BulletCloth* c) {
  c->world->stepSimulation(btScalar(c->step), 1, btScalar(c->step));
}

void bullet_cloth_look(const BulletCloth* c, CpsVec3* x, CpsVec3* v) {
  for (int i = 0; i < c->sheet->m_nodes.size(); ++i) {
    const btSoftBody::Node& n = c->sheet->m_nodes[i];
    x[i] = CpsVec3{double(n.m_x.x()), double(n.m_x.y()), double(n.m_x.z())};
    if (v) v[i] = CpsVec3{double(n.m_v.x()), double(n.m_v.y()), double(n.m_v.z())};
  }
}
