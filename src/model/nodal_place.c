// Material points of a sheet, or of the surface of a solid, as parts and places: a triangle and the weights of its corners.
//
// A contact has one to three nodes. A vertex or an edge lies in several triangles; the first that contains all its nodes is used. On a
// smooth surface a contact has more nodes; the triangle at the node of its spot that contains most of them is used.
#include "model/nodal.h"

bool cps_nodal_list_triangles(CpsNodal* s) {
  const int64_t corners = 3 * (int64_t)s->triangle_count;
  s->around_start = CPS_TAKE_ZERO(&s->arena, int64_t, (int64_t)s->nodes + 2);
  s->around = CPS_TAKE(&s->arena, int32_t, corners);
  if (!s->around_start || !s->around) return false;
  // counted with an offset of two, so that filling leaves each start in place
  int64_t* next = s->around_start + 1;
  for (int64_t i = 0; i < corners; ++i) next[s->triangle[i] + 1]++;
  for (int32_t k = 0; k < s->nodes; ++k) next[k + 1] += next[k];
  for (int64_t i = 0; i < corners; ++i) s->around[next[s->triangle[i]]++] = (int32_t)(i / 3);
  return true;
}

static int corner_of(const int32_t* triangle, int32_t node) {
  return triangle[0] == node ? 0 : triangle[1] == node ? 1 : triangle[2] == node ? 2 : -1;
}

static bool has_all(const int32_t* triangle, const CpsPatchNode* patch, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    if (corner_of(triangle, patch[i].node) < 0) return false;
  }
  return true;
}

static double part_of(const int32_t* triangle, const CpsPatchNode* patch, int32_t count, double weight[3]) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) weight[k] = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    const int k = corner_of(triangle, patch[i].node);
    if (k >= 0) weight[k] = patch[i].share, sum += patch[i].share;
  }
  return sum;
}

static void locate_smooth(const CpsNodal* s, const CpsSpot* spot, CpsSide* side) {
  double most = 0.0, weight[3];
  for (int64_t i = s->around_start[spot->piece]; i < s->around_start[spot->piece + 1]; ++i) {
    const double part = part_of(s->triangle + 3 * (int64_t)s->around[i], spot->patch, spot->patch_count, weight);
    if (!(part > most)) continue;
    most = part;
    side->part = s->around[i];
    side->place = cps_vec3(weight[0] / part, weight[1] / part, weight[2] / part);
  }
}

void cps_nodal_locate(const CpsNodal* s, const CpsSpot* spot, CpsSide* side) {
  if (spot->patch_count > 3) {
    locate_smooth(s, spot, side);
    return;
  }
  const CpsPatchNode own = {spot->piece, cps_mat3_identity(), 1.0};
  const CpsPatchNode* patch = spot->patch_count > 0 ? spot->patch : &own;
  const int32_t count = spot->patch_count > 0 ? spot->patch_count : 1;
  double weight[3] = {0.0, 0.0, 0.0};
  for (int64_t i = s->around_start[patch->node]; i < s->around_start[patch->node + 1]; ++i) {
    const int32_t* triangle = s->triangle + 3 * (int64_t)s->around[i];
    if (!has_all(triangle, patch, count)) continue;
    for (int32_t k = 0; k < count; ++k) weight[corner_of(triangle, patch[k].node)] += patch[k].share;
    side->part = s->around[i];
    side->place = cps_vec3(weight[0], weight[1], weight[2]);
    return;
  }
}
