// Sheets and solids for ParaView. At each vertex: velocity, impulse of the contacts of the last step, and their status (-1 none, 0
// take-off, 1 stick, 2 slide: the largest where there are several). In each cell: which thing, its material, and of a
// tetrahedron Cauchy's stress, xx yy zz xy yz zx as ParaView has symmetric tensors, and von Mises' equivalent of it.
#include "io/export/pvd_surfaces.h"

#include <string.h>

#include "capstan/solid.h"
#include "io/frame/internal.h"

enum { VTK_TRIANGLE = 5, VTK_TETRA = 10 };

static void put_vectors(CpsVtp* v, const char* name, const CpsVec3* x, int64_t count) {
  if (!x) return;
  const bool points = strcmp(name, "points") == 0;
  cps_vtp_array(v, points ? CPS_VTP_POINTS : CPS_VTP_POINT_DATA, name, CPS_VTP_FLOAT, 3, 0);
  for (int64_t i = 0; i < count; ++i) {
    const double values[3] = {x[i].x, x[i].y, x[i].z};
    cps_vtp_vector(v, CPS_VTP_FLOAT, values);
  }
}

// The status of each vertex; corners with a negligible share of a contact are left out.
static void find_statuses(const CpsThings* t, const CpsFrame* frame, int8_t* touch) {
  memset(touch, -1, (size_t)t->vertex_count);
  for (int32_t i = 0; i < 2 * frame->contact_count; ++i) {
    const CpsSide* side = &frame->contacts[i / 2].side[i % 2];
    const int32_t surface = cps_things_surface(t, side->thing);
    if (surface < 0 || side->part < 0 || side->part >= t->sheets[surface].triangle_count) continue;
    const int32_t* corner = t->triangles + 3 * (t->sheets[surface].first_triangle + side->part);
    const double weight[3] = {side->place.x, side->place.y, side->place.z};
    const int8_t status = (int8_t)frame->contacts[i / 2].status;
    for (int k = 0; k < 3; ++k) {
      if (weight[k] > 0.05 && touch[corner[k]] < status) touch[corner[k]] = status;
    }
  }
}

static void put_points(CpsVtp* v, const CpsThings* t, const CpsFrame* frame, int8_t* touch) {
  v->points = t->vertex_count;
  put_vectors(v, "points", frame->vertices, t->vertex_count);
  put_vectors(v, "velocity", frame->vertex_velocities, t->vertex_count);
  put_vectors(v, "impulse", frame->vertex_impulses, t->vertex_count);
  find_statuses(t, frame, touch);
  cps_vtp_array(v, CPS_VTP_POINT_DATA, "status", CPS_VTP_INT, 1, 0);
  for (int64_t i = 0; i < t->vertex_count; ++i) cps_vtp_int(v, touch[i]);
}

// The solid that owns a tetrahedron, by its first vertex, among the surfaces.
static int32_t owner_of(const CpsThings* t, int64_t tetrahedron) {
  int32_t i = t->sheet_count - t->solid_count;
  while (i + 1 < t->sheet_count && t->tetrahedra[4 * tetrahedron] >= t->sheets[i + 1].first_vertex) ++i;
  return i;
}

// Triangles of the first `surfaces`, then tetrahedra.
typedef struct Cells {
  const CpsThings* t;
  int32_t surfaces;
  int64_t triangles, tetrahedra;
} Cells;

static void put_owners(CpsVtp* v, const Cells* c, const char* name, const int32_t* of_owner) {
  cps_vtp_array(v, CPS_VTP_CELL_DATA, name, CPS_VTP_INT, 1, 0);
  for (int32_t i = 0; i < c->surfaces; ++i) {
    for (int32_t k = 0; k < c->t->sheets[i].triangle_count; ++k) cps_vtp_int(v, of_owner ? of_owner[i] : i);
  }
  for (int64_t k = 0; k < c->tetrahedra; ++k) {
    const int32_t i = owner_of(c->t, k);
    cps_vtp_int(v, of_owner ? of_owner[i] : i);
  }
}

static void put_connectivity(CpsVtp* v, const Cells* c, CpsVtpPart part) {
  cps_vtp_array(v, part, "connectivity", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 0; i < 3 * c->triangles; ++i) cps_vtp_long(v, c->t->triangles[i]);
  for (int64_t i = 0; i < 4 * c->tetrahedra; ++i) cps_vtp_long(v, c->t->tetrahedra[i]);
  cps_vtp_array(v, part, "offsets", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 1; i <= c->triangles; ++i) cps_vtp_long(v, 3 * i);
  for (int64_t i = 1; i <= c->tetrahedra; ++i) cps_vtp_long(v, 3 * c->triangles + 4 * i);
}

void cps_pvd_surfaces(CpsVtp* v, const CpsThings* t, const CpsFrame* frame, int8_t* touch) {
  const Cells all = {t, t->sheet_count, t->triangle_count, 0};
  v->polys = t->triangle_count;
  put_points(v, t, frame, touch);
  put_owners(v, &all, "sheet", NULL);
  put_owners(v, &all, "material", t->sheet_materials);
  put_connectivity(v, &all, CPS_VTP_POLYS);
}

void cps_pvd_cells(CpsVtp* v, const CpsThings* t, const CpsFrame* frame, int8_t* touch) {
  const int32_t surfaces = t->tetrahedron_count > 0 ? t->sheet_count - t->solid_count : t->sheet_count;
  const int64_t triangles = surfaces < t->sheet_count ? t->sheets[surfaces].first_triangle : t->triangle_count;
  const Cells c = {t, surfaces, triangles, t->tetrahedron_count};
  v->cells = c.triangles + c.tetrahedra;
  put_points(v, t, frame, touch);
  put_owners(v, &c, "sheet", NULL);
  put_owners(v, &c, "material", t->sheet_materials);
  if (frame->stress) {
    cps_vtp_array(v, CPS_VTP_CELL_DATA, "stress", CPS_VTP_FLOAT, 6, 0);
    for (int64_t i = 0; i < 6 * c.triangles; ++i) cps_vtp_float(v, 0.0);
    for (int64_t i = 0; i < 6 * c.tetrahedra; ++i) cps_vtp_float(v, frame->stress[i]);
    cps_vtp_array(v, CPS_VTP_CELL_DATA, "von_mises", CPS_VTP_FLOAT, 1, 0);
    for (int64_t i = 0; i < c.triangles; ++i) cps_vtp_float(v, 0.0);
    for (int64_t i = 0; i < c.tetrahedra; ++i) cps_vtp_float(v, cps_stress_von_mises(frame->stress + 6 * i));
  }
  put_connectivity(v, &c, CPS_VTP_CELLS);
  cps_vtp_array(v, CPS_VTP_CELLS, "types", CPS_VTP_BYTE, 1, 0);
  for (int64_t i = 0; i < v->cells; ++i) cps_vtp_byte(v, i < c.triangles ? VTK_TRIANGLE : VTK_TETRA);
}
