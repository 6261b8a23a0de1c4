// Cells are squares in the plane and cubes in space; neighbours share their corners, so that ParaView can interpolate between them. In each
// the means over its particles: velocity, fraction, pressure, stress (xx yy zz xy yz zx, as ParaView has symmetric tensors), and the largest
// status. Particles that are still in a spout are left out.
#include "io/export/pvd_fields.h"

#include <math.h>
#include <stdlib.h>

#include "io/result/reader.h"

enum {
  VTK_VOXEL = 11,
  VTK_PIXEL = 8,
  HALF = 1 << 20,
  BITS = 21
};  // of both the corners go along x first, then y, then z

// A node of the grid as one number, sorted by z, y, x; and its value.
typedef struct Item {
  uint64_t key;
  int64_t what;
} Item;

static int ascending(const void* a, const void* b) {
  const Item *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->what > y->what) - (x->what < y->what);
}

static uint64_t key_of(const int64_t at[3]) {
  uint64_t key = 0;
  for (int a = 0; a < 3; ++a) key = key << BITS | (uint64_t)(at[a] + HALF);
  return key;
}

static void place_of(uint64_t key, int64_t at[3]) {
  for (int a = 2; a >= 0; --a, key >>= BITS) at[a] = (int64_t)(key & ((1u << BITS) - 1)) - HALF;
}

bool cps_pvd_has_fields(const CpsExport* e) {
  return e->things->particle_count > 0 && cps_result_has(e->result, CPS_GRAIN_SERIES_FIRST) &&
         cps_result_has(e->result, CPS_FRAME_GRAIN_STATUS) && cps_result_has(e->result, CPS_FRAME_GRAIN_STRESS);
}

static CpsStatus read_cell(CpsExport* e, double* cell) {
  double* values = NULL;
  int64_t count = 0;
  e->result->h5.error = e->error;
  CpsStatus status = CPS_OK;
  H5E_BEGIN_TRY {
    status = cps_h5_read_doubles(&e->result->h5, "/grains/cell", &values, &count);
  }
  H5E_END_TRY
  e->result->h5.error = NULL;
  *cell = status == CPS_OK && count == 1 ? values[0] : 0.0;
  free(values);
  if (status == CPS_OK && !(*cell > 0.0)) {
    return cps_io_fail(e->error, CPS_BAD_FORMAT, e->result->path, "/grains/cell", "is not positive");
  }
  return status;
}

typedef struct Fields {
  const CpsFrame* frame;
  double cell;
  bool plane;
  Item* item;  // particles by cell
  int64_t items, cells;
  Item* corner;  // corners of cells by node
  int64_t corners, nodes;
  int64_t* node;  // of each corner
} Fields;

static void sort_particles(Fields* f, int64_t count) {
  for (int64_t p = 0; p < count; ++p) {
    const CpsVec3 x = f->frame->particles[p];
    const double s[3] = {x.x / f->cell, f->plane ? 0.0 : x.y / f->cell, x.z / f->cell};
    if (!(f->frame->particle_fractions[p] > 0.0) || !(fabs(s[0]) < HALF - 1 && fabs(s[1]) < HALF - 1) ||
        !(fabs(s[2]) < HALF - 1)) {
      continue;
    }
    const int64_t at[3] = {(int64_t)floor(s[2]), (int64_t)floor(s[1]), (int64_t)floor(s[0])};
    f->item[f->items++] = (Item){key_of(at), p};
  }
  qsort(f->item, (size_t)f->items, sizeof *f->item, ascending);
  for (int64_t i = 0; i < f->items; ++i) f->cells += i == 0 || f->item[i].key != f->item[i - 1].key;
}

// Corner c of a cell: along x, then y, then z; in the plane along x, then z.
static void sort_corners(Fields* f) {
  const int each = f->plane ? 4 : 8;
  int64_t cell = 0;
  for (int64_t i = 0; i < f->items; ++i) {
    if (i > 0 && f->item[i].key == f->item[i - 1].key) continue;
    int64_t at[3];
    place_of(f->item[i].key, at);
    for (int c = 0; c < each; ++c) {
      const int64_t place[3] = {at[0] + (f->plane ? c >> 1 : c >> 2), at[1] + (f->plane ? 0 : c >> 1 & 1),
                                at[2] + (c & 1)};
      f->corner[f->corners++] = (Item){key_of(place), each * cell + c};
    }
    ++cell;
  }
  qsort(f->corner, (size_t)f->corners, sizeof *f->corner, ascending);
  for (int64_t i = 0; i < f->corners; ++i) {
    f->nodes += i == 0 || f->corner[i].key != f->corner[i - 1].key;
    f->node[f->corner[i].what] = f->nodes - 1;
  }
}

static void put_mesh(CpsVtp* v, const Fields* f) {
  const int each = f->plane ? 4 : 8;
  v->points = f->nodes;
  v->cells = f->cells;
  cps_vtp_array(v, CPS_VTP_POINTS, "points", CPS_VTP_FLOAT, 3, 0);
  for (int64_t i = 0; i < f->corners; ++i) {
    if (i > 0 && f->corner[i].key == f->corner[i - 1].key) continue;
    int64_t at[3];
    place_of(f->corner[i].key, at);
    const double x[3] = {f->cell * (double)at[2], f->cell * (double)at[1], f->cell * (double)at[0]};
    cps_vtp_vector(v, CPS_VTP_FLOAT, x);
  }
  cps_vtp_array(v, CPS_VTP_CELLS, "connectivity", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 0; i < f->corners; ++i) cps_vtp_long(v, f->node[i]);
  cps_vtp_array(v, CPS_VTP_CELLS, "offsets", CPS_VTP_LONG, 1, 0);
  for (int64_t i = 1; i <= f->cells; ++i) cps_vtp_long(v, each * i);
  cps_vtp_array(v, CPS_VTP_CELLS, "types", CPS_VTP_BYTE, 1, 0);
  for (int64_t i = 0; i < f->cells; ++i) cps_vtp_byte(v, f->plane ? VTK_PIXEL : VTK_VOXEL);
}

// Writes the mean of the particles' values for each cell.
static void put_means(CpsVtp* v, const Fields* f, const char* name, const double* numbers, int width) {
  cps_vtp_array(v, CPS_VTP_CELL_DATA, name, CPS_VTP_FLOAT, width, 0);
  for (int64_t i = 0, next; i < f->items; i = next) {
    for (next = i + 1; next < f->items && f->item[next].key == f->item[i].key; ++next) continue;
    for (int k = 0; k < width; ++k) {
      double sum = 0.0;
      for (int64_t j = i; j < next; ++j) sum += numbers[width * f->item[j].what + k];
      cps_vtp_float(v, sum / (double)(next - i));
    }
  }
}

static void put_counts(CpsVtp* v, const Fields* f, bool statuses) {
  cps_vtp_array(v, CPS_VTP_CELL_DATA, statuses ? "status" : "particles", CPS_VTP_INT, 1, 0);
  for (int64_t i = 0, next; i < f->items; i = next) {
    int32_t most = 0;
    for (next = i; next < f->items && f->item[next].key == f->item[i].key; ++next) {
      const int32_t status = f->frame->particle_statuses[f->item[next].what];
      most = status > most ? status : most;
    }
    cps_vtp_int(v, statuses ? most : (int32_t)(next - i));
  }
}

CpsStatus cps_pvd_fields(CpsVtp* vtp, CpsExport* e, const CpsFrame* frame) {
  const int64_t count = e->things->particle_count;
  Fields f = {.frame = frame, .plane = true};
  CpsStatus status = read_cell(e, &f.cell);
  if (status != CPS_OK) return status;
  for (int64_t p = 0; p < count; ++p) f.plane = f.plane && frame->particles[p].y == 0.0;
  const size_t corners = 8 * (size_t)count;
  f.item = malloc((size_t)count * sizeof *f.item);
  f.corner = malloc(corners * sizeof *f.corner);
  f.node = malloc(corners * sizeof *f.node);
  if (f.item && f.corner && f.node) {
    sort_particles(&f, count);
    sort_corners(&f);
    put_mesh(vtp, &f);
    put_means(vtp, &f, "velocity", &frame->particle_velocities->x, 3);
    put_means(vtp, &f, "fraction", frame->particle_fractions, 1);
    put_means(vtp, &f, "pressure", frame->particle_pressures, 1);
    put_means(vtp, &f, "stress", frame->particle_stresses, 6);
    put_counts(vtp, &f, true);
    put_counts(vtp, &f, false);
  } else {
    status = cps_export_no_memory(e);
  }
  free(f.item);
  free(f.corner);
  free(f.node);
  return status;
}
