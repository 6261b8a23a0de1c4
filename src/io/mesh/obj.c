// Reading Wavefront OBJ.
//
//   v x y z [w]            a vertex
//   vt u [v [w]]           a texture coordinate
//   vn x y z               a normal
//   f a b c …              a polygon; each corner is v, v/vt, v//vn or v/vt/vn, from 1, or from the end if negative
//
// All else (groups, materials, curves) is skipped; points (p) and lines (l) are counted. A polygon that crosses
// itself is refused.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_number.h"
#include "io/mesh/internal.h"

typedef struct Reader {
  CpsMeshBuild* build;
  int64_t line;
} Reader;

typedef struct Corner {
  int64_t vertex, uv, normal;  // from 0; -1: none
} Corner;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static const char* skip_blanks(const char* at) {
  while (is_blank(*at)) at++;
  return at;
}

static bool at_end(const char* at) {
  return *at == '\0' || *at == '\n' || *at == '#';
}

static CpsStatus refuse(const Reader* reader, const char* reason) {
  return cps_mesh_refuse(reader->build, "line %lld: %s", (long long)reader->line, reason);
}

// Reads `least` to `most` numbers; missing ones are 0. NULL if there are too few or one is invalid.
static bool read_numbers(const char* at, int least, int most, double* x) {
  for (int i = 0; i < most; ++i) {
    at = skip_blanks(at);
    x[i] = 0.0;
    if (i >= least && at_end(at)) continue;
    at = cps_number_read(at, &x[i]);
    if (!at || !(is_blank(*at) || at_end(at))) return false;
  }
  return true;
}

static CpsStatus read_vertex(const Reader* reader, const char* at) {
  double x[3];
  if (!read_numbers(at, 3, 3, x)) return refuse(reader, "a vertex has three numbers");
  if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) return refuse(reader, "a coordinate is not finite");
  return cps_mesh_add_vertex(reader->build, (CpsVec3){x[0], x[1], x[2]});
}

static CpsStatus read_uv(const Reader* reader, const char* at) {
  double x[2];
  if (!read_numbers(at, 1, 2, x)) return refuse(reader, "a texture coordinate has one to three numbers");
  if (!isfinite(x[0]) || !isfinite(x[1])) return refuse(reader, "a texture coordinate is not finite");
  return cps_mesh_add_uv(reader->build, x[0], x[1]);
}

static CpsStatus read_normal(const Reader* reader, const char* at) {
  double x[3];
  if (!read_numbers(at, 3, 3, x)) return refuse(reader, "a normal has three numbers");
  if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) return refuse(reader, "a normal is not finite");
  return cps_mesh_add_normal(reader->build, (CpsVec3){x[0], x[1], x[2]});
}

// Reads an index, from 1 or relative to the end, into `count` items. NULL if it is invalid or out of range.
static const char* read_index(const char* at, int32_t count, int64_t* index) {
  const bool minus = *at == '-';
  int64_t number = 0;
  const char* digits = minus || *at == '+' ? at + 1 : at;
  const char* c = digits;
  for (; *c >= '0' && *c <= '9'; ++c) number = number > INT_MAX ? number : 10 * number + (*c - '0');
  if (c == digits) return NULL;
  if (minus) number = count + 1 - number;
  if (number < 1 || number > count) return NULL;
  *index = number - 1;
  return c;
}

// v, v/vt, v//vn or v/vt/vn. An error names the missing item.
static CpsStatus read_corner(const Reader* reader, const char** at, Corner* corner) {
  const CpsMeshFile* mesh = &reader->build->mesh;
  *corner = (Corner){-1, -1, -1};
  const char* c = read_index(*at, mesh->vertex_count, &corner->vertex);
  if (!c) return refuse(reader, "a corner of a face refers to a vertex that is not defined before it");
  if (*c == '/' && c[1] != '/') {
    c = read_index(c + 1, mesh->uv_count, &corner->uv);
    if (!c) return refuse(reader, "a corner of a face refers to a texture coordinate that is not defined before it");
  } else if (*c == '/') {
    c++;
  }
  if (*c == '/') {
    c = read_index(c + 1, mesh->normal_count, &corner->normal);
    if (!c) return refuse(reader, "a corner of a face refers to a normal that is not defined before it");
  }
  if (!is_blank(*c) && !at_end(c)) return refuse(reader, "a corner of a face is not v, v/vt, v//vn or v/vt/vn");
  *at = c;
  return CPS_OK;
}

static CpsStatus add_triangle(const Reader* reader, const Corner* a, const Corner* b, const Corner* c) {
  const int64_t vertex[3] = {a->vertex, b->vertex, c->vertex}, uv[3] = {a->uv, b->uv, c->uv};
  const int64_t normal[3] = {a->normal, b->normal, c->normal};
  CpsStatus status = cps_mesh_add_triangle(reader->build, vertex);
  if (status == CPS_OK && (uv[0] >= 0 || uv[1] >= 0 || uv[2] >= 0))
    status = cps_mesh_add_triangle_uvs(reader->build, uv);
  if (status == CPS_OK && (normal[0] >= 0 || normal[1] >= 0 || normal[2] >= 0)) {
    status = cps_mesh_add_triangle_normals(reader->build, normal);
  }
  return status;
}

// The triangles of a face with more than three corners.
static CpsStatus add_polygon(const Reader* reader, const Corner* corner, int64_t count) {
  CpsVec3* x = calloc((size_t)count, sizeof *x);
  int64_t(*cut)[3] = calloc((size_t)count, sizeof *cut);
  for (int64_t i = 0; x && i < count; ++i) x[i] = reader->build->mesh.vertices[corner[i].vertex];
  CpsPolygonCut done = x && cut ? cps_polygon_cut(x, count, cut) : CPS_POLYGON_NO_MEMORY;
  CpsStatus status = CPS_OK;
  if (done == CPS_POLYGON_NO_MEMORY) status = cps_mesh_no_memory(reader->build);
  if (done == CPS_POLYGON_LARGE) status = refuse(reader, "a concave face has too many corners");
  if (done == CPS_POLYGON_CROSSES) status = refuse(reader, "a face crosses itself");
  for (int64_t k = 0; status == CPS_OK && k < count - 2; ++k) {
    status = add_triangle(reader, &corner[cut[k][0]], &corner[cut[k][1]], &corner[cut[k][2]]);
  }
  free(x);
  free(cut);
  return status;
}

static CpsStatus read_face(const Reader* reader, const char* at) {
  enum { FEW = 8 };
  Corner few[FEW], *corner = few, *many = NULL;
  int64_t corners = 0, room = FEW;
  CpsStatus status = CPS_OK;
  for (at = skip_blanks(at); status == CPS_OK && !at_end(at); at = skip_blanks(at), ++corners) {
    if (corners == room) {
      Corner* grown = realloc(many, 2 * (size_t)room * sizeof *grown);
      if (!grown) {
        status = cps_mesh_no_memory(reader->build);
        break;
      }
      if (!many) memcpy(grown, few, sizeof few);
      corner = many = grown;
      room *= 2;
    }
    status = read_corner(reader, &at, &corner[corners]);
  }
  if (status == CPS_OK && corners < 3) status = refuse(reader, "a face has fewer than three corners");
  if (status == CPS_OK && corners == 3) status = add_triangle(reader, &corner[0], &corner[1], &corner[2]);
  if (status == CPS_OK && corners > 3) status = add_polygon(reader, corner, corners);
  free(many);
  return status;
}

static CpsStatus read_line(const Reader* reader, const char* at) {
  if (at[0] == 'v' && is_blank(at[1])) return read_vertex(reader, at + 1);
  if (at[0] == 'f' && is_blank(at[1])) return read_face(reader, at + 1);
  if (at[0] == 'v' && at[1] == 't' && is_blank(at[2])) return read_uv(reader, at + 2);
  if (at[0] == 'v' && at[1] == 'n' && is_blank(at[2])) return read_normal(reader, at + 2);
  if ((at[0] == 'p' || at[0] == 'l') && is_blank(at[1])) reader->build->mesh.skipped_cells++;
  return CPS_OK;
}

// Values that no corner uses are dropped.
static void drop_unused(CpsMeshFile* mesh) {
  if (!mesh->triangle_uvs) mesh->uv_count = 0;
  if (!mesh->triangle_normals) mesh->normal_count = 0;
}

CpsStatus cps_mesh_from_obj(CpsMeshBuild* build) {
  const char* text = (const char*)build->bytes;
  if (strlen(text) != build->size) return cps_mesh_refuse(build, "contains a zero byte");
  Reader reader = {.build = build};
  while (*text) {
    reader.line++;
    CpsStatus status = read_line(&reader, skip_blanks(text));
    if (status != CPS_OK) return status;
    const char* end = strchr(text, '\n');
    if (!end) break;
    text = end + 1;
  }
  drop_unused(&build->mesh);
  return CPS_OK;
}
