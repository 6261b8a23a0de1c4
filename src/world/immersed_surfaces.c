// Triangle surfaces inside a medium. Their sample points are the vertices, and points inside triangles larger than a cell. Each
// point represents an area A. At each point, a contact with the mean velocity of the surrounding nodes keeps the medium from
// passing through.
//
// An open surface may have the medium on one side or on both. With medium on both sides, the contact force is the difference of
// the pressures p1 and p2. The smaller pressure acts on both sides and moves nothing. It enters as a cohesion of the contact
// (docs/theory/law.md), with the pressures of the last step:
//
//   |r_T| <= mu (r_N + c),   c = 2 h A min(p1, p2)                                                                   (1)
//
// Pulling the surface out of a bed therefore takes mu (p1 + p2) A. A closed surface has the medium outside only.
#include "world/immersed.h"

#include <math.h>

enum { PARTS_MOST = 64 };                                                                 // of the edge of a triangle
static const uint64_t KEY = (uint64_t)CPS_KEY_SURFACE << 61 | ((UINT64_C(1) << 61) - 1);  // as for lines

static CpsVec3 area_of(const CpsSurfaceMesh* mesh, const CpsTreeTriangle* t) {
  const CpsVec3 *x = mesh->place, a = x[t->vertex[0]];
  return cps_vec3_scale(0.5, cps_vec3_cross(cps_vec3_sub(x[t->vertex[1]], a), cps_vec3_sub(x[t->vertex[2]], a)));
}

// Parts of each edge of a triangle, each at most as long as a cell.
static int parts_of(const CpsSurfaceMesh* mesh, const CpsTreeTriangle* t, double cell) {
  double longest = 0.0;
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 edge = cps_vec3_sub(mesh->place[t->vertex[k]], mesh->place[t->vertex[(k + 1) % 3]]);
    longest = fmax(longest, cps_vec3_norm(edge));
  }
  return (int)fmax(1.0, ceil(fmin(longest / cell, PARTS_MOST)));
}

// Adds a place with the area `area` if the medium is present there.
static void add(const CpsStep* step, CpsImmersed* s, CpsVec3 area, CpsImmersed* out, int32_t* count) {
  const CpsSurfaceMesh* mesh = &step->surfaces[s->other];
  const CpsMember m = cps_world_member(step->world, s->member);
  s->size = cps_vec3_norm(area);
  if (!(s->size > 0.0)) return;
  s->along = cps_vec3_scale(1.0 / s->size, area);
  s->place = cps_vec3(0.0, 0.0, 0.0);
  for (int k = 0; k < 3 && s->node[k] >= 0; ++k) {
    s->place = cps_vec3_axpy(s->place, s->part[k], mesh->place[s->node[k]]);
  }
  CpsPatchNode nodes[CPS_IMMERSED_MOST];
  bool there[2];
  double pressure[2];
  const int seen = m.model->type->immerse_surface(m.model, m.index, s->place, s->along, nodes, there, pressure);
  if (seen == 0 || (mesh->closed && !there[0])) return;
  if (out) out[*count] = *s;
  ++*count;
}

// Adds the centres of the n^2 parts of a triangle.
static void add_parts(const CpsStep* step, CpsImmersed s, const CpsTreeTriangle* t, int n, CpsVec3 area,
                      CpsImmersed* out, int32_t* count) {
  for (int k = 0; k < 3; ++k) s.node[k] = t->vertex[k];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 2 * (n - i) - 1; ++j, ++s.number) {
      // upright parts have even numbers in their row
      const double third = j % 2 ? 2.0 / 3.0 : 1.0 / 3.0;
      const int column = j / 2;
      s.part[0] = (i + third) / n;
      s.part[1] = (column + third) / n;
      s.part[2] = 1.0 - s.part[0] - s.part[1];
      add(step, &s, cps_vec3_scale(1.0 / (n * n), area), out, count);
    }
  }
}

static bool find_on(const CpsStep* step, int32_t member, int32_t surface, CpsImmersed* out, int32_t* count) {
  const CpsSurfaceMesh* mesh = &step->surfaces[surface];
  const CpsTriangleTree* tree = mesh->tree;
  const CpsMember m = cps_world_member(step->world, member);
  const double cell = m.model->type->node_size(m.model, m.index);
  // a third of the area of each small triangle around a vertex, along the normal
  CpsVec3* at = CPS_TAKE_ZERO(step->scratch, CpsVec3, tree->vertex_count);
  if (!at) return false;
  CpsImmersed s = {.member = member, .other = surface, .on_surface = true, .number = tree->vertex_count};
  for (int32_t i = 0; i < tree->triangle_count; ++i) {
    const CpsTreeTriangle* t = &tree->triangle[i];
    const int n = parts_of(mesh, t, cell);
    const CpsVec3 area = area_of(mesh, t);
    for (int k = 0; n == 1 && k < 3; ++k) at[t->vertex[k]] = cps_vec3_axpy(at[t->vertex[k]], 1.0 / 3.0, area);
  }
  for (int32_t v = 0; v < tree->vertex_count; ++v) {
    CpsImmersed one = s;
    one.number = v;
    one.node[0] = v, one.node[1] = one.node[2] = -1;
    one.part[0] = 1.0;
    add(step, &one, at[v], out, count);
  }
  for (int32_t i = 0; i < tree->triangle_count; ++i) {
    const CpsTreeTriangle* t = &tree->triangle[i];
    const int n = parts_of(mesh, t, cell);
    if (n == 1) continue;
    add_parts(step, s, t, n, area_of(mesh, t), out, count);
    s.number += n * n;
  }
  return true;
}

int32_t cps_immersed_surfaces(const CpsStep* step, int32_t member, CpsImmersed* out) {
  int32_t count = 0;
  for (int32_t i = 0; i < step->surface_count; ++i) {
    if (!find_on(step, member, i, out, &count)) return -1;
  }
  return count;
}

void cps_immersed_surface_contact(const CpsStep* step, const CpsImmersed* s, CpsPatchNode* nodes, CpsStepContact* t,
                                  CpsTrack* track) {
  const CpsSurfaceMesh* mesh = &step->surfaces[s->other];
  const CpsMember m = cps_world_member(step->world, s->member), other = cps_world_member(step->world, mesh->owner);
  CpsPatchNode* own = nodes + CPS_IMMERSED_MOST;
  bool there[2];
  double pressure[2];
  const int count = m.model->type->immerse_surface(m.model, m.index, s->place, s->along, nodes, there, pressure);
  *t = (CpsStepContact){.a = s->member, .b = mesh->owner, .obstacle = -1, .soft = -1, .immersed = true};
  t->spot_a = (CpsSpot){.point = s->place, .piece = nodes[0].node, .patch_count = count, .patch = nodes};
  t->spot_b = (CpsSpot){.point = s->place, .piece = s->node[0], .patch = own};
  for (int k = 0; k < 3 && s->node[k] >= 0; ++k) {
    own[t->spot_b.patch_count++] =
        (CpsPatchNode){s->node[k], cps_mat3_scale(s->part[k], cps_mat3_identity()), s->part[k]};
  }
  const double away = cps_vec3_dot(cps_contact_velocity(step->world, t, CPS_VELOCITY_FREE), s->along);
  const bool both = there[0] && there[1] && !mesh->closed;
  const bool behind = both ? away > 0.0 : !there[0];  // the side from which the medium comes
  t->touch = (CpsTouch){.point_a = s->place, .point_b = s->place};
  t->touch.normal = cps_vec3_scale(behind ? -1.0 : 1.0, s->along);
  if (both) t->cohesion = step->model.h * 2.0 * s->size * fmax(0.0, fmin(pressure[0], pressure[1]));
  *track = (CpsTrack){.key_a = KEY, .point = s->place};
  track->key_b =
      cps_key(CPS_KEY_SURFACE, mesh->owner, other.model->type->generation(other.model, other.index), s->number);
}
