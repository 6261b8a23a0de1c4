// Step 2, continued, contacts of surfaces: the two sides of a touch as nodes with weights.
//
// A node that gets an impulse J in a step changes the angular momentum by y x J, where it counts (model.h):
//
//   y = x + (1 - theta) h v-                                                                                           (1)
//
// The two sides of a contact are a thickness apart, and further while a gap closes. So that an impulse has the same moment on
// both, friction and the normals of meetings too, both sides have the velocity of one point p, that of the weights of the first
// side. The other one has it as the rigid motion of a triangle of its nodes has it:
//
//   A_i = w_i - 1/3 [p - q]x I^-1 [y_i - c]x,   q = sum of w_i y_i,   c = sum of y_i / 3                               (2)
//   I = 1/3 sum of |d_i|^2 - d_i d_i^T,   d_i = y_i - c
//
// An impulse r at p then gives the nodes r altogether and the moment p x r. Points of an edge or a vertex move with one triangle
// that they belong to. Triangles whose corners are nearly in a row have no such motion, and keep their w_i.
#include "world/world.h"

static const double REGULAR = 1e-6;  // determinant of the inertia of three nodes, relative to the cube of its trace

// The offset (1) at the point of a side.
static CpsVec3 drift_of(const CpsStep* step, int32_t member, const CpsSpot* spot) {
  CpsMember m = cps_world_member(step->world, member);
  return m.model->type->drift(m.model, &step->model, m.index, spot);
}

// The effective place (1) of a node.
static CpsVec3 place_of(const CpsStep* step, const CpsSurfaceMesh* mesh, int32_t node) {
  if (step->model.theta == 1.0) return mesh->place[node];
  const CpsPatchNode one = {node, cps_mat3_identity(), 1.0};
  const CpsSpot spot = {.point = mesh->place[node], .piece = node, .patch_count = 1, .patch = &one};
  return cps_vec3_add(spot.point, drift_of(step, mesh->owner, &spot));
}

static void lay_side(const CpsStep* step, const CpsSurfaceTouch* touch, int side, CpsPatchNode* nodes, CpsSpot* spot) {
  const CpsSurfaceMesh* mesh = &step->surfaces[side == 0 ? touch->a : touch->b];
  const double* weight = side == 0 ? touch->at.weight_a : touch->at.weight_b;
  int32_t node[3];
  int count = cps_surface_nodes(mesh, touch, side, node);
  *spot = (CpsSpot){.patch = nodes, .piece = node[0]};
  for (int i = 0; i < count; ++i) {
    if (weight[i] == 0.0) continue;
    nodes[spot->patch_count++] = (CpsPatchNode){node[i], cps_mat3_scale(weight[i], cps_mat3_identity()), weight[i]};
    spot->point = cps_vec3_axpy(spot->point, weight[i], mesh->place[node[i]]);
  }
}

// Extends a side to all corners of its triangle, including those without weight.
static void widen(const CpsSurfaceMesh* mesh, const CpsSurfaceTouch* touch, CpsPatchNode* nodes, CpsSpot* spot) {
  int32_t node[3];
  if (cps_surface_nodes(mesh, touch, 1, node) == 2) node[2] = mesh->tree->across[touch->feature[1]];
  for (int i = 0; i < 3; ++i) {
    bool there = false;
    for (int32_t k = 0; k < spot->patch_count; ++k) there = there || nodes[k].node == node[i];
    if (!there) nodes[spot->patch_count++] = (CpsPatchNode){.node = node[i]};
  }
}

// The inverse of a symmetric matrix with a positive determinant; false if it is nearly singular.
static bool invert(const CpsMat3* I, CpsMat3* inverse) {
  CpsVec3 row[3];
  for (int i = 0; i < 3; ++i) row[i] = cps_vec3_get(I->m + 3 * i);
  const double det = cps_vec3_dot(row[0], cps_vec3_cross(row[1], row[2])), size = I->m[0] + I->m[4] + I->m[8];
  if (!(det > REGULAR * size * size * size)) return false;
  for (int i = 0; i < 3; ++i) {
    cps_vec3_put(inverse->m + 3 * i, cps_vec3_scale(1.0 / det, cps_vec3_cross(row[(i + 1) % 3], row[(i + 2) % 3])));
  }
  return true;
}

// Applies (2) to the second side; p is an effective place.
static void carry(const CpsStep* step, const CpsSurfaceTouch* touch, CpsVec3 p, CpsPatchNode* nodes, CpsSpot* spot) {
  const CpsSurfaceMesh* mesh = &step->surfaces[touch->b];
  const int32_t own = spot->patch_count;
  CpsVec3 y[3], c = {0.0, 0.0, 0.0}, q = c;
  CpsMat3 I = {{0.0}}, inverse;
  widen(mesh, touch, nodes, spot);
  for (int i = 0; i < 3; ++i) {
    y[i] = place_of(step, mesh, nodes[i].node);
    c = cps_vec3_axpy(c, 1.0 / 3.0, y[i]);
    q = cps_vec3_axpy(q, nodes[i].share, y[i]);
  }
  for (int i = 0; i < 3; ++i) {
    const CpsVec3 d = cps_vec3_sub(y[i], c);
    const CpsMat3 square = cps_mat3_scale(cps_vec3_dot(d, d), cps_mat3_identity());
    I = cps_mat3_axpy(I, 1.0 / 3.0, cps_mat3_axpy(square, -1.0, cps_mat3_outer(d, d)));
  }
  if (!invert(&I, &inverse)) {
    spot->patch_count = own;
    return;
  }
  const CpsMat3 lever = cps_mat3_multiply(cps_mat3_cross(cps_vec3_sub(p, q)), inverse);
  for (int i = 0; i < 3; ++i) {
    const CpsMat3 turn = cps_mat3_multiply(lever, cps_mat3_cross(cps_vec3_sub(y[i], c)));
    nodes[i].weight = cps_mat3_axpy(nodes[i].weight, -1.0 / 3.0, turn);
  }
}

void cps_touching_join(const CpsStep* step, CpsStepContact* t) {
  if (t->b < 0) return;
  const bool first = t->spot_a.patch_count > 0;  // else the second side has nodes
  const CpsSpot* nodes = first ? &t->spot_a : &t->spot_b;
  CpsSpot* other = first ? &t->spot_b : &t->spot_a;
  const int32_t members[2] = {first ? t->a : t->b, first ? t->b : t->a};
  const CpsVec3 by = cps_vec3_sub(drift_of(step, members[0], nodes), drift_of(step, members[1], other));
  other->point = cps_vec3_add(nodes->point, by);
}

// Sets the side of a collider: the impulse acts on it at the same point as on the surface.
static void lay_shape(const CpsStep* step, const CpsSurfaceTouch* touch, CpsStepContact* t) {
  const CpsCollider* c = &step->colliders[touch->collider];
  t->b = c->owner;
  if (c->owner < 0) t->obstacle = cps_key_place(c->key);
  t->spot_b = (CpsSpot){.point = t->spot_a.point, .piece = cps_key_piece(c->key)};
  if (c->arc[1] > c->arc[0]) t->spot_b.arc = c->arc[0] + touch->along * (c->arc[1] - c->arc[0]);
  t->touch.point_b = cps_vec3_axpy(t->touch.point_a, -touch->gap, touch->at.normal);
  cps_touching_join(step, t);
}

void cps_surface_contact(const CpsStep* step, const CpsSurfaceTouch* touch, CpsPatchNode* nodes, CpsStepContact* t,
                         CpsTrack* track) {
  const CpsSurfaceMesh* a = &step->surfaces[touch->a];
  *t = (CpsStepContact){.a = a->owner, .b = -1, .obstacle = -1, .soft = -1};
  lay_side(step, touch, 0, nodes, &t->spot_a);
  t->touch.normal = touch->at.normal;
  t->touch.gap = touch->gap;
  t->touch.feature = cps_surface_feature(touch);
  t->touch.point_a = cps_vec3_axpy(t->spot_a.point, -a->half, touch->at.normal);
  if (touch->b >= 0) {
    const CpsSurfaceMesh* b = &step->surfaces[touch->b];
    t->b = b->owner;
    lay_side(step, touch, 1, nodes + CPS_PATCH_MOST, &t->spot_b);
    t->touch.point_b = cps_vec3_axpy(t->spot_b.point, b->half, touch->at.normal);
    const CpsVec3 p = cps_vec3_add(t->spot_a.point, drift_of(step, t->a, &t->spot_a));
    carry(step, touch, p, nodes + CPS_PATCH_MOST, &t->spot_b);
  } else {
    lay_shape(step, touch, t);
  }
  *track =
      (CpsTrack){.key_a = touch->key_a, .key_b = touch->key_b, .feature = t->touch.feature, .point = t->spot_a.point};
}
