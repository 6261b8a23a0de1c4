// Reading PLY, text or binary of either byte order (Turk 1994).
//
//   element NAME COUNT      property TYPE NAME      property list TYPE TYPE NAME
//
// Of an element `vertex` x, y, z are read, nx, ny, nz, and texture coordinates as s, t or u, v or texture_u, texture_v.
// Of an element `face` the list vertex_indices or vertex_index, and the list texcoord, two numbers for each corner.
// Other elements and properties are passed over; edges and strips are counted as cells that are not read.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/internal.h"
#include "io/mesh/numbers.h"

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 128, WORD = 40 };
// Meaning of a property.
enum { X, Y, Z, NX, NY, NZ, U, V, VERTEX_ROLES, CORNERS = VERTEX_ROLES, TEXCOORD, NOTHING };

typedef struct Property {
  CpsNumberType type, count_type;
  bool list;
  int role;
} Property;

typedef struct Element {
  char name[WORD];
  int64_t count;
  int first, properties;
} Element;

typedef struct Ply {
  CpsMeshBuild* build;
  CpsNumbers numbers;
  Element element[MOST_ELEMENTS];
  Property property[MOST_PROPERTIES];
  int elements, properties;
  bool format;
  int64_t *corner, corner_room;  // of the current face
  double* uv;
  int64_t uv_room;
} Ply;

static bool is_type(const char* word, CpsNumberType* type) {
  static const struct {
    const char* name[2];
    CpsNumberType type;
  } NAMES[] = {{{"char", "int8"}, CPS_NUMBER_I8},      {{"uchar", "uint8"}, CPS_NUMBER_U8},
               {{"short", "int16"}, CPS_NUMBER_I16},   {{"ushort", "uint16"}, CPS_NUMBER_U16},
               {{"int", "int32"}, CPS_NUMBER_I32},     {{"uint", "uint32"}, CPS_NUMBER_U32},
               {{"int64", "long"}, CPS_NUMBER_I64},    {{"uint64", "ulong"}, CPS_NUMBER_U64},
               {{"float", "float32"}, CPS_NUMBER_F32}, {{"double", "float64"}, CPS_NUMBER_F64}};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
    if (strcmp(word, NAMES[i].name[0]) != 0 && strcmp(word, NAMES[i].name[1]) != 0) continue;
    *type = NAMES[i].type;
    return true;
  }
  return false;
}

static int role_of(const char* element, const char* name, bool list) {
  static const struct {
    const char* name;
    int role;
  } ROLES[] = {{"x", X}, {"y", Y}, {"z", Z}, {"nx", NX}, {"ny", NY},       {"nz", NZ},
               {"s", U}, {"t", V}, {"u", U}, {"v", V},   {"texture_u", U}, {"texture_v", V}};
  if (strcmp(element, "face") == 0 && list) {
    if (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0) return CORNERS;
    return strcmp(name, "texcoord") == 0 ? TEXCOORD : NOTHING;
  }
  if (strcmp(element, "vertex") != 0 || list) return NOTHING;
  for (size_t i = 0; i < sizeof ROLES / sizeof ROLES[0]; ++i) {
    if (strcmp(name, ROLES[i].name) == 0) return ROLES[i].role;
  }
  return NOTHING;
}

static CpsStatus read_property(Ply* ply, char word[5][WORD]) {
  if (ply->elements == 0) return cps_mesh_refuse(ply->build, "a property comes before all elements");
  if (ply->properties == MOST_PROPERTIES)
    return cps_mesh_refuse(ply->build, "more than %d properties", MOST_PROPERTIES);
  Element* element = &ply->element[ply->elements - 1];
  Property* property = &ply->property[ply->properties];
  *property = (Property){.list = strcmp(word[1], "list") == 0};
  const char* type = word[property->list ? 3 : 1];
  if (!is_type(type, &property->type)) return cps_mesh_refuse(ply->build, "unknown type '%s'", type);
  if (property->list && !is_type(word[2], &property->count_type)) {
    return cps_mesh_refuse(ply->build, "unknown type '%s'", word[2]);
  }
  property->role = role_of(element->name, word[property->list ? 4 : 2], property->list);
  element->properties++;
  ply->properties++;
  return CPS_OK;
}

static CpsStatus read_element(Ply* ply, char word[5][WORD]) {
  CpsNumbers count = {.at = (const unsigned char*)word[2], .text = true};
  count.end = count.at + strlen(word[2]);
  if (ply->elements == MOST_ELEMENTS) return cps_mesh_refuse(ply->build, "more than %d elements", MOST_ELEMENTS);
  Element* element = &ply->element[ply->elements];
  *element = (Element){.first = ply->properties};
  if (!cps_numbers_integer(&count, &element->count) || element->count < 0 || element->count > INT32_MAX) {
    return cps_mesh_refuse(ply->build, "'%s' is not a valid element count", word[2]);
  }
  memcpy(element->name, word[1], WORD);
  ply->elements++;
  return CPS_OK;
}

static CpsStatus read_format(Ply* ply, const char* format) {
  ply->format = true;
  ply->numbers.text = strcmp(format, "ascii") == 0;
  ply->numbers.big = strcmp(format, "binary_big_endian") == 0;
  if (ply->numbers.text || ply->numbers.big || strcmp(format, "binary_little_endian") == 0) return CPS_OK;
  return cps_mesh_refuse(ply->build, "unknown format '%s'", format);
}

static CpsStatus read_head(Ply* ply) {
  CpsNumbers head = ply->numbers;
  for (;;) {
    const unsigned char* end = memchr(head.at, '\n', (size_t)(head.end - head.at));
    if (!end) return cps_mesh_refuse(ply->build, "ends inside its header");
    CpsNumbers line = {.at = head.at, .end = end, .text = true};
    char word[5][WORD];
    for (int i = 0; i < 5; ++i) cps_numbers_word(&line, word[i], WORD);
    cps_numbers_skip_line(&head);
    CpsStatus status = CPS_OK;
    if (strcmp(word[0], "end_header") == 0) break;
    if (strcmp(word[0], "format") == 0) status = read_format(ply, word[1]);
    if (strcmp(word[0], "element") == 0) status = read_element(ply, word);
    if (strcmp(word[0], "property") == 0) status = read_property(ply, word);
    if (status != CPS_OK) return status;
  }
  ply->numbers.at = head.at;
  ply->numbers.line = head.line;
  return ply->format ? CPS_OK : cps_mesh_refuse(ply->build, "does not name a format");
}

static CpsStatus refuse_item(const Ply* ply, const Element* element, int64_t i) {
  return cps_mesh_refuse(ply->build, "%s %lld of %lld: expected a number", element->name, (long long)i + 1,
                         (long long)element->count);
}

static CpsStatus read_vertex(Ply* ply, const Element* element, int64_t i, const bool has[VERTEX_ROLES]) {
  double value[NOTHING + 1] = {0.0};
  for (int k = element->first; k < element->first + element->properties; ++k) {
    const Property* property = &ply->property[k];
    int64_t length = 1;
    ply->numbers.type = property->list ? property->count_type : property->type;
    if (property->list && !cps_numbers_integer(&ply->numbers, &length)) return refuse_item(ply, element, i);
    ply->numbers.type = property->type;
    const bool read = property->list ? cps_numbers_skip(&ply->numbers, length)
                                     : cps_numbers_double(&ply->numbers, &value[property->role]);
    if (!read) return refuse_item(ply, element, i);
  }
  CpsStatus status = cps_mesh_add_vertex(ply->build, (CpsVec3){value[X], value[Y], value[Z]});
  if (status == CPS_OK && has[NX] && has[NY] && has[NZ]) {
    status = cps_mesh_add_normal(ply->build, (CpsVec3){value[NX], value[NY], value[NZ]});
  }
  if (status == CPS_OK && has[U] && has[V]) status = cps_mesh_add_uv(ply->build, value[U], value[V]);
  return status;
}

static CpsStatus read_vertices(Ply* ply, const Element* element) {
  bool has[NOTHING + 1] = {false};
  for (int k = element->first; k < element->first + element->properties; ++k) has[ply->property[k].role] = true;
  if (!has[X] || !has[Y] || !has[Z]) return cps_mesh_refuse(ply->build, "the vertices have no x, y, z");
  if (ply->build->mesh.vertex_count > 0) return cps_mesh_refuse(ply->build, "the vertices are declared twice");
  for (int64_t i = 0; i < element->count; ++i) {
    CpsStatus status = read_vertex(ply, element, i, has);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

// A list of the current face; the memory is reused for the next one. -1: missing; -2: out of memory.
static int64_t read_list(Ply* ply, const Property* property) {
  int64_t length;
  ply->numbers.type = property->count_type;
  if (!cps_numbers_integer(&ply->numbers, &length)) return -1;
  ply->numbers.type = property->type;
  if (!cps_numbers_fit(&ply->numbers, length)) return -1;
  if (property->role == NOTHING) return cps_numbers_skip(&ply->numbers, length) ? length : -1;
  int64_t* room = property->role == CORNERS ? &ply->corner_room : &ply->uv_room;
  void** list = property->role == CORNERS ? (void**)&ply->corner : (void**)&ply->uv;
  if (length > *room) {
    void* grown = realloc(*list, 2 * (size_t)length * sizeof(int64_t));
    if (!grown) return -2;
    *list = grown;
    *room = 2 * length;
  }
  for (int64_t i = 0; i < length; ++i) {
    const bool read = property->role == CORNERS ? cps_numbers_integer(&ply->numbers, &ply->corner[i])
                                                : cps_numbers_double(&ply->numbers, &ply->uv[i]);
    if (!read) return -1;
  }
  return length;
}

// Texture coordinates of a polygon whose triangles were just added.
static CpsStatus add_face(Ply* ply, int64_t corners, int64_t uvs) {
  const bool textured = corners >= 3 && uvs == 2 * corners;
  const int64_t first = ply->build->mesh.uv_count;
  CpsStatus status = CPS_OK;
  for (int64_t i = 0; textured && status == CPS_OK && i < corners; ++i) {
    status = cps_mesh_add_uv(ply->build, ply->uv[2 * i], ply->uv[2 * i + 1]);
  }
  if (corners < 3) ply->build->mesh.skipped_cells++;
  int64_t(*cut)[3] = NULL;
  if (status == CPS_OK && corners >= 3) status = cps_mesh_cut_polygon(ply->build, ply->corner, corners, &cut);
  for (int64_t k = 0; status == CPS_OK && k < corners - 2; ++k) {
    const int64_t corner[3] = {ply->corner[cut[k][0]], ply->corner[cut[k][1]], ply->corner[cut[k][2]]};
    const int64_t uv[3] = {first + cut[k][0], first + cut[k][1], first + cut[k][2]};
    status = cps_mesh_add_triangle(ply->build, corner);
    if (status == CPS_OK && textured) status = cps_mesh_add_triangle_uvs(ply->build, uv);
  }
  free(cut);
  return status;
}

static CpsStatus read_faces(Ply* ply, const Element* element) {
  for (int64_t i = 0; i < element->count; ++i) {
    int64_t corners = 0, uvs = 0;
    for (int k = element->first; k < element->first + element->properties; ++k) {
      const Property* property = &ply->property[k];
      int64_t length = 1;
      ply->numbers.type = property->type;
      if (property->list) {
        length = read_list(ply, property);
      } else if (!cps_numbers_skip(&ply->numbers, 1)) {
        length = -1;
      }
      if (length == -2) return cps_mesh_no_memory(ply->build);
      if (length < 0) return refuse_item(ply, element, i);
      if (property->role == CORNERS) corners = length;
      if (property->role == TEXCOORD) uvs = length;
    }
    // texture coordinates of vertices take precedence over those of corners
    if (ply->build->mesh.uv_count > 0 && !ply->build->mesh.triangle_uvs) uvs = 0;
    CpsStatus status = add_face(ply, corners, uvs);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus skip_elements(Ply* ply, const Element* element) {
  for (int64_t i = 0; element->properties > 0 && i < element->count; ++i) {
    for (int k = element->first; k < element->first + element->properties; ++k) {
      const Property* property = &ply->property[k];
      int64_t length = 1;
      ply->numbers.type = property->count_type;
      if (property->list && !cps_numbers_integer(&ply->numbers, &length)) return refuse_item(ply, element, i);
      ply->numbers.type = property->type;
      if (!cps_numbers_skip(&ply->numbers, length)) return refuse_item(ply, element, i);
    }
  }
  if (strcmp(element->name, "edge") == 0 || strcmp(element->name, "tristrips") == 0) {
    ply->build->mesh.skipped_cells += element->count;
  }
  return CPS_OK;
}

// Refuses elements that are too many for the size of the file, before reading.
static CpsStatus read_body(Ply* ply, const Element* element) {
  if (element->properties > 0) {
    ply->numbers.type = CPS_NUMBER_U8;  // the smallest size of a property
    if (!cps_numbers_fit(&ply->numbers, element->count * element->properties)) {
      return cps_mesh_refuse(ply->build, "%lld elements of '%s' do not fit in the file", (long long)element->count,
                             element->name);
    }
  }
  if (strcmp(element->name, "vertex") == 0) return read_vertices(ply, element);
  if (strcmp(element->name, "face") == 0 && element->properties > 0) return read_faces(ply, element);
  return skip_elements(ply, element);
}

CpsStatus cps_mesh_from_ply(CpsMeshBuild* build) {
  Ply ply = {.build = build, .numbers = {.at = build->bytes, .end = build->bytes + build->size, .line = 1}};
  CpsStatus status = read_head(&ply);
  for (int i = 0; status == CPS_OK && i < ply.elements; ++i) status = read_body(&ply, &ply.element[i]);
  free(ply.corner);
  free(ply.uv);
  return status;
}
