// Reading Wavefront OBJ.
//
//   v x y z [w]            a vertex
//   f a b c …              a polygon; each corner is v, v/vt, v//vn or v/vt/vn, from 1, or from the end if negative
//
// All else (normals, textures, groups, materials, curves) does not change the shape and is skipped. The file is read
// twice: once to count, once to fill. A concave polygon is not cut correctly.
#include "io/mesh/obj.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text_number.h"
#include "io/file_text.h"

typedef struct Reader {
  const char* name;
  CpsError* error;
  CpsObj* obj;
  int32_t line;
  int32_t vertices, triangles;  // so far
  bool fill;                    // second time
} Reader;

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
  return cps_io_fail(reader->error, CPS_BAD_FORMAT, reader->name, NULL, "line %d: %s", (int)reader->line, reason);
}

static CpsStatus read_vertex(Reader* reader, const char* at) {
  double x[3];
  for (int i = 0; i < 3; ++i) {
    at = skip_blanks(at);
    at = cps_number_read(at, &x[i]);
    if (!at || !(is_blank(*at) || at_end(at))) return refuse(reader, "a vertex has three numbers");
    if (!isfinite(x[i])) return refuse(reader, "a coordinate is not finite");
  }
  if (reader->vertices == CPS_OBJ_MOST) return refuse(reader, "too many vertices");
  if (reader->fill) reader->obj->points[reader->vertices] = (CpsVec3){x[0], x[1], x[2]};
  reader->vertices++;
  return CPS_OK;
}

// One corner: its vertex, and what follows it.
static const char* read_corner(const Reader* reader, const char* at, int32_t* vertex) {
  char* after;
  long number = strtol(at, &after, 10);
  if (after == at) return NULL;
  if (number < 0) number += reader->vertices + 1;
  if (number < 1 || number > reader->vertices) return NULL;
  *vertex = (int32_t)number - 1;
  while (!is_blank(*after) && !at_end(after)) after++;  // /vt/vn
  return after;
}

static CpsStatus read_face(Reader* reader, const char* at) {
  int32_t first = 0, last = 0, corners = 0;
  for (at = skip_blanks(at); !at_end(at); at = skip_blanks(at), ++corners) {
    int32_t vertex;
    at = read_corner(reader, at, &vertex);
    if (!at) return refuse(reader, "a corner of a face names no vertex before it");
    if (corners == 0) first = vertex;
    if (corners >= 2) {
      if (reader->triangles == CPS_OBJ_MOST) return refuse(reader, "too many triangles");
      if (reader->fill) {
        int32_t* triangle = reader->obj->triangles + 3 * (size_t)reader->triangles;
        triangle[0] = first;
        triangle[1] = last;
        triangle[2] = vertex;
      }
      reader->triangles++;
    }
    last = vertex;
  }
  return corners >= 3 ? CPS_OK : refuse(reader, "a face has fewer than three corners");
}

static CpsStatus read_lines(Reader* reader, const char* text) {
  reader->vertices = reader->triangles = reader->line = 0;
  while (*text) {
    reader->line++;
    const char* at = skip_blanks(text);
    CpsStatus status = CPS_OK;
    if (at[0] == 'v' && is_blank(at[1])) status = read_vertex(reader, at + 1);
    if (at[0] == 'f' && is_blank(at[1])) status = read_face(reader, at + 1);
    if (status != CPS_OK) return status;
    const char* end = strchr(text, '\n');
    if (!end) break;
    text = end + 1;
  }
  return CPS_OK;
}

CpsStatus cps_obj_parse(const char* text, const char* name, CpsArena* arena, CpsObj* obj, CpsError* error) {
  Reader reader = {.name = name, .error = error, .obj = obj};
  CpsStatus status = read_lines(&reader, text);
  if (status != CPS_OK) return status;
  *obj = (CpsObj){.point_count = reader.vertices, .triangle_count = reader.triangles};
  obj->points = CPS_TAKE(arena, CpsVec3, obj->point_count);
  obj->triangles = CPS_TAKE(arena, int32_t, 3 * (int64_t)obj->triangle_count);
  if (!obj->points || !obj->triangles) return cps_io_fail(error, CPS_NO_MEMORY, name, NULL, "out of memory");
  reader.fill = true;
  return read_lines(&reader, text);
}

CpsStatus cps_obj_read(const char* path, CpsArena* arena, CpsObj* obj, CpsError* error) {
  char* text = NULL;
  size_t length;
  char why[CPS_FILE_WHY_SIZE];
  CpsStatus status = cps_file_text(path, CPS_OBJ_BYTES, true, &text, &length, NULL, why);
  if (status != CPS_OK) return cps_io_fail(error, status, path, NULL, "%s", why);
  if (strlen(text) == length) {
    status = cps_obj_parse(text, path, arena, obj, error);
  } else {
    status = cps_io_fail(error, CPS_BAD_FORMAT, path, NULL, "holds a zero byte");
  }
  free(text);
  return status;
}
