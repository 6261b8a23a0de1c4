// What sticks out of a shape: corners and round ends as balls, edges and axes as segments.
//
// Meshes may have thousands of edges that hardly bend, and the vertices of a surface feel their triangles. So only borders and
// edges that bend by more than BENT are taken here; what else would get into the triangles of a surface is found by its motion
// (cps_surfaces_met).
#include "contact/surface_query.h"
#include "geometry/mesh.h"
#include "geometry/tube.h"

static const double BENT = 0.94;  // cosine between the normals of two triangles: 20 degrees

// Features of a span of a tube: the starting points of its chords, its end point, the chords.
enum { SPAN_BALLS = CPS_TUBE_CHORDS + 1, SPAN = SPAN_BALLS + CPS_TUBE_CHORDS };

int32_t cps_shape_feature_count(const CpsGeom* g) {
  switch (g->kind) {
    case CPS_SHAPE_SPHERE:
      return 1;
    case CPS_SHAPE_CAPSULE:
      return 3;
    case CPS_SHAPE_BOX:
    case CPS_SHAPE_HULL:
      return g->polytope->vertex_count + g->polytope->edge_count;
    case CPS_SHAPE_MESH:
      return g->mesh->vertex_count + g->mesh->edge_count;
    case CPS_SHAPE_TUBE:
      return SPAN * g->tube->span_count;
    default:
      return 0;
  }
}

static void set_ball(CpsShapeFeature* f, CpsVec3 x, double radius, int32_t id) {
  *f = (CpsShapeFeature){false, {x, x}, radius, id};
}

static void set_segment(CpsShapeFeature* f, CpsVec3 p, CpsVec3 q, double radius, int32_t id) {
  *f = (CpsShapeFeature){true, {p, q}, radius, id};
}

// A surface with a border can also be touched from behind, and from there valleys stick out.
static bool sticks_out(const CpsMeshTree* mesh, const CpsMeshEdge* e) {
  if (e->triangle[1] < 0) return true;
  if (!e->ridge && !mesh->open) return false;
  return cps_vec3_dot(mesh->triangle[e->triangle[0]].normal, mesh->triangle[e->triangle[1]].normal) < BENT;
}

static bool mesh_feature(const CpsMeshTree* mesh, int32_t i, CpsShapeFeature* out) {
  if (i >= mesh->vertex_count) {
    const CpsMeshEdge* e = &mesh->edge[i - mesh->vertex_count];
    if (!sticks_out(mesh, e)) return false;
    set_segment(out, mesh->vertex[e->vertex[0]].point, mesh->vertex[e->vertex[1]].point, 0.0, i - mesh->vertex_count);
    return true;
  }
  const CpsMeshVertex* v = &mesh->vertex[i];
  set_ball(out, v->point, 0.0, i);
  for (int32_t k = 0; v->owner >= 0 && k < v->degree; ++k) {
    if (sticks_out(mesh, &mesh->edge[mesh->vertex_edge[v->edge_first + k]])) return true;
  }
  return false;
}

static bool tube_feature(const CpsGeom* g, int32_t i, CpsShapeFeature* out) {
  const CpsTubeSpan* s = &g->tube->span[i / SPAN];
  const int k = i % SPAN, chords = cps_tube_chords(s);
  if (k < SPAN_BALLS) {
    set_ball(out, k == CPS_TUBE_CHORDS ? s->end : cps_tube_chord(s, k < chords ? k : 0), g->radius, i);
    return k < chords || (k == CPS_TUBE_CHORDS && s->after < 0);
  }
  const int chord = k - SPAN_BALLS;
  if (chord >= chords) return false;
  set_segment(out, cps_tube_chord(s, chord), cps_tube_chord(s, chord + 1), g->radius, i);
  return true;
}

bool cps_shape_feature(const CpsGeom* g, int32_t i, CpsShapeFeature* out) {
  if (g->kind == CPS_SHAPE_MESH) return mesh_feature(g->mesh, i, out);
  if (g->kind == CPS_SHAPE_TUBE) return tube_feature(g, i, out);
  if (g->kind == CPS_SHAPE_SPHERE) {
    set_ball(out, cps_vec3(0.0, 0.0, 0.0), g->radius, 0);
  } else if (g->kind == CPS_SHAPE_CAPSULE) {
    const CpsVec3 end[2] = {cps_vec3(0.0, 0.0, -g->half_length), cps_vec3(0.0, 0.0, g->half_length)};
    if (i < 2) set_ball(out, end[i], g->radius, i);
    if (i == 2) set_segment(out, end[0], end[1], g->radius, 0);
  } else {
    const CpsPolytope* p = g->polytope;
    const int32_t e = i - p->vertex_count;
    if (e < 0) set_ball(out, p->vertex[i], 0.0, i);
    if (e >= 0) set_segment(out, p->vertex[p->edge[e][0]], p->vertex[p->edge[e][1]], 0.0, e);
  }
  return true;
}
