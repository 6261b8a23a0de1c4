// With p corners inside, z on the surface and m outside:
//
//   m = 0                the whole tetrahedron
//   p = 1                a tetrahedron: the corner, its cuts and the corners on the surface
//   p = 2, m = 1, z = 1  a pyramid over the quadrilateral of two corners and their cuts
//   p = 2, m = 2         a prism: each corner inside with its two cuts is an end
//   p = 3, m = 1         a prism: the three corners, and their cuts
//
// Quadrilaterals are halved from their vertex of the lowest number, which neighbours see alike.
#include "io/mesh/stuffing_shapes.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

struct CpsStuffName {
  int64_t low, high;  // high -1: a point of the lattice
  int32_t vertex;     // -1: unused
};

static uint64_t place_of(const CpsStuffer* to, int64_t low, int64_t high) {
  const int64_t pair[2] = {low, high};
  uint64_t i = cps_hash_bytes(0, pair, sizeof pair) & (uint64_t)(to->name_room - 1);
  for (;; i = (i + 1) & (uint64_t)(to->name_room - 1)) {
    const struct CpsStuffName* n = &to->names[i];
    if (n->vertex < 0 || (n->low == low && n->high == high)) return i;
  }
}

static bool grow_names(CpsStuffer* to) {
  if (2 * ((int64_t)to->out.vertex_count + 1) <= to->name_room) return true;
  CpsStuffer larger = {.name_room = to->name_room > 0 ? 2 * to->name_room : 1024};
  larger.names = malloc((size_t)larger.name_room * sizeof *larger.names);
  if (!larger.names) return false;
  for (int64_t i = 0; i < larger.name_room; ++i) larger.names[i].vertex = -1;
  for (int64_t i = 0; i < to->name_room; ++i) {
    const struct CpsStuffName* n = &to->names[i];
    if (n->vertex >= 0) larger.names[place_of(&larger, n->low, n->high)] = *n;
  }
  free(to->names);
  to->names = larger.names;
  to->name_room = larger.name_room;
  return true;
}

static bool make_room(void** array, int64_t* room, int64_t count, size_t size) {
  if (count < *room) return true;
  const int64_t more = *room + *room / 2 + 256;
  void* grown = realloc(*array, (size_t)more * size);
  if (!grown) return false;
  *array = grown;
  *room = more;
  return true;
}

// The vertex with a name, created if it does not exist; -1 if memory runs out.
static int32_t vertex_of(CpsStuffer* to, int64_t a, int64_t b, CpsVec3 x) {
  if (!grow_names(to)) return -1;
  const int64_t low = b < 0 || a < b ? a : b, high = b < 0 || a < b ? b : a;
  struct CpsStuffName* n = &to->names[place_of(to, low, high)];
  if (n->vertex >= 0) return n->vertex;
  if (to->out.vertex_count == INT32_MAX) return -1;
  if (!make_room((void**)&to->out.vertices, &to->vertex_room, to->out.vertex_count, sizeof x)) return -1;
  to->out.vertices[to->out.vertex_count] = x;
  *n = (struct CpsStuffName){low, high, to->out.vertex_count};
  return to->out.vertex_count++;
}

// Adds a tetrahedron, oriented to a positive volume.
static bool add(CpsStuffer* to, int32_t a, int32_t b, int32_t c, int32_t d) {
  if (to->out.tetrahedron_count == INT32_MAX / 4 ||
      !make_room((void**)&to->out.tetrahedra, &to->tetrahedron_room, to->out.tetrahedron_count, 4 * sizeof a)) {
    return false;
  }
  const CpsVec3* x = to->out.vertices;
  CpsVec3 e = cps_vec3_sub(x[b], x[a]), f = cps_vec3_sub(x[c], x[a]), g = cps_vec3_sub(x[d], x[a]);
  bool positive = cps_vec3_dot(e, cps_vec3_cross(f, g)) > 0.0;
  const int32_t four[4] = {a, b, positive ? c : d, positive ? d : c};
  memcpy(to->out.tetrahedra + 4 * (int64_t)to->out.tetrahedron_count++, four, sizeof four);
  return true;
}

// A pyramid over the quadrilateral q, whose corners are in cyclic order.
static bool add_pyramid(CpsStuffer* to, const int32_t q[4], int32_t apex) {
  int first = 0;
  for (int i = 1; i < 4; ++i) {
    if (q[i] < q[first]) first = i;
  }
  int32_t r[4];
  for (int i = 0; i < 4; ++i) r[i] = q[(first + i) % 4];
  return add(to, r[0], r[1], r[2], apex) && add(to, r[0], r[2], r[3], apex);
}

// A prism: v[0..2] is one end, v[3..5] the other, corner i above i + 3. Both diagonals at the vertex with the lowest
// number start from it.
static bool add_prism(CpsStuffer* to, const int32_t v[6]) {
  int first = 0;
  for (int i = 1; i < 6; ++i) {
    if (v[i] < v[first]) first = i;
  }
  int32_t w[6];
  for (int i = 0; i < 3; ++i) {
    int from = (first + i) % 3;
    w[i] = v[first < 3 ? from : from + 3];
    w[i + 3] = v[first < 3 ? from + 3 : from];
  }
  if (!add(to, w[0], w[4], w[5], w[3])) return false;
  const bool diagonal = (w[1] < w[5] ? w[1] : w[5]) < (w[2] < w[4] ? w[2] : w[4]);  // from 1 to 5, else from 2 to 4
  if (diagonal) return add(to, w[0], w[1], w[2], w[5]) && add(to, w[0], w[1], w[5], w[4]);
  return add(to, w[0], w[1], w[2], w[4]) && add(to, w[0], w[4], w[2], w[5]);
}

bool cps_stuff_shape(CpsStuffer* to, const CpsStuffCorner corner[4], CpsVec3 cut[4][4]) {
  int in[4], on[4], out[4], p = 0, z = 0, m = 0;
  int32_t own[4] = {0}, cuts[4][4];
  for (int i = 0; i < 4; ++i) {
    if (corner[i].side > 0) in[p++] = i;
    if (corner[i].side == 0) on[z++] = i;
    if (corner[i].side < 0) out[m++] = i;
    if (corner[i].side >= 0 && (own[i] = vertex_of(to, corner[i].number, -1, corner[i].place)) < 0) return false;
  }
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < m; ++j) {
      cuts[i][j] = vertex_of(to, corner[in[i]].number, corner[out[j]].number, cut[in[i]][out[j]]);
      if (cuts[i][j] < 0) return false;
    }
  }
  if (m == 0) return add(to, own[0], own[1], own[2], own[3]);
  if (p == 1) {
    int32_t other[3];
    for (int i = 0; i < 3; ++i) other[i] = i < m ? cuts[0][i] : own[on[i - m]];
    return add(to, own[in[0]], other[0], other[1], other[2]);
  }
  if (p == 2 && m == 1) {
    const int32_t q[4] = {own[in[0]], own[in[1]], cuts[1][0], cuts[0][0]};
    return add_pyramid(to, q, own[on[0]]);
  }
  if (p == 2) {
    const int32_t v[6] = {own[in[0]], cuts[0][0], cuts[0][1], own[in[1]], cuts[1][0], cuts[1][1]};
    return add_prism(to, v);
  }
  const int32_t v[6] = {own[in[0]], own[in[1]], own[in[2]], cuts[0][0], cuts[1][0], cuts[2][0]};
  return add_prism(to, v);
}

CpsStuffing cps_stuffer_finish(CpsStuffer* to) {
  free(to->names);
  to->names = NULL;
  return to->out;
}
