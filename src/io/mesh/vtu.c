// Reading VTK's XML files: unstructured grids (VTU) and polygons (VTP).
//
//   VTKFile type byte_order header_type compressor
//     UnstructuredGrid | PolyData
//       Piece NumberOfPoints NumberOfCells …
//         Points DataArray | Cells DataArray connectivity, offsets, types | Polys, Strips | PointData Normals TCoords
//     AppendedData encoding
//
// The tags are read first, up to the appended data, which need not be XML; then the arrays, piece by piece, points
// before cells.
#include <stdlib.h>
#include <string.h>

#include "io/mesh/vtu_array.h"
#include "io/mesh/xml.h"

enum { CELLS, POLYS, STRIPS, LISTS, MOST_PIECES = 4096 };

typedef struct CellArrays {
  int64_t count;
  CpsVtuArray connectivity, offsets, types;
} CellArrays;

typedef struct Piece {
  int64_t points, skipped;
  CpsVtuArray position, normals, uvs;
  CellArrays list[LISTS];
} Piece;

typedef enum Section { ELSEWHERE, POINTS, POINT_DATA, IN_CELLS, IN_POLYS, IN_STRIPS } Section;

typedef struct Vtu {
  CpsMeshBuild* build;
  CpsXml xml;
  CpsXmlTag tag;
  CpsVtuCoding coding;
  Piece* piece;
  int pieces, room;
  Section section;
  char normals[CPS_XML_VALUE], uvs[CPS_XML_VALUE];  // names of the arrays in PointData
} Vtu;

static CpsStatus refuse(const Vtu* vtu, const char* what) {
  return cps_mesh_refuse(vtu->build, "line %lld: %s", (long long)vtu->xml.line, what);
}

// A count from the attributes; 0 if it is missing.
static bool attribute_count(const Vtu* vtu, const char* key, int64_t* count) {
  const char* value = cps_xml_value(&vtu->tag, key);
  CpsNumbers number = {
      .at = (const unsigned char*)value, .end = (const unsigned char*)value + strlen(value), .text = true};
  *count = 0;
  return !*value || (cps_numbers_integer(&number, count) && *count >= 0 && *count <= INT32_MAX);
}

static CpsStatus start_file(Vtu* vtu) {
  const char *type = cps_xml_value(&vtu->tag, "type"), *compressor = cps_xml_value(&vtu->tag, "compressor");
  if (strcmp(type, "UnstructuredGrid") != 0 && strcmp(type, "PolyData") != 0) {
    return cps_mesh_refuse(vtu->build, "a VTKFile of type '%s': only UnstructuredGrid and PolyData are read", type);
  }
  if (*compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0) {
    return cps_mesh_refuse(vtu->build, "is compressed by %s; only vtkZLibDataCompressor is read", compressor);
  }
  vtu->coding.compressed = *compressor != '\0';
  vtu->coding.big = strcmp(cps_xml_value(&vtu->tag, "byte_order"), "BigEndian") == 0;
  vtu->coding.header = strcmp(cps_xml_value(&vtu->tag, "header_type"), "UInt64") == 0 ? 8 : 4;
  return CPS_OK;
}

static CpsStatus start_piece(Vtu* vtu) {
  if (vtu->pieces == MOST_PIECES) return refuse(vtu, "too many pieces");
  if (vtu->pieces == vtu->room) {
    const int room = 2 * vtu->room + 4;
    Piece* grown = realloc(vtu->piece, (size_t)room * sizeof *grown);
    if (!grown) return cps_mesh_no_memory(vtu->build);
    vtu->piece = grown;
    vtu->room = room;
  }
  Piece* piece = &vtu->piece[vtu->pieces];
  *piece = (Piece){0};
  int64_t verts, lines;
  if (!attribute_count(vtu, "NumberOfPoints", &piece->points) ||
      !attribute_count(vtu, "NumberOfCells", &piece->list[CELLS].count) ||
      !attribute_count(vtu, "NumberOfPolys", &piece->list[POLYS].count) ||
      !attribute_count(vtu, "NumberOfStrips", &piece->list[STRIPS].count) ||
      !attribute_count(vtu, "NumberOfVerts", &verts) || !attribute_count(vtu, "NumberOfLines", &lines)) {
    return refuse(vtu, "a count of a Piece is not a number");
  }
  piece->skipped = verts + lines;
  vtu->pieces++;
  return CPS_OK;
}

static void start_section(Vtu* vtu, const char* name) {
  static const struct {
    const char* name;
    Section section;
  } SECTIONS[] = {{"Points", POINTS},   {"PointData", POINT_DATA}, {"Cells", IN_CELLS},
                  {"Polys", IN_POLYS},  {"Strips", IN_STRIPS},     {"CellData", ELSEWHERE},
                  {"Verts", ELSEWHERE}, {"Lines", ELSEWHERE},      {"FieldData", ELSEWHERE}};
  for (size_t i = 0; i < sizeof SECTIONS / sizeof SECTIONS[0]; ++i) {
    if (strcmp(name, SECTIONS[i].name) == 0) vtu->section = SECTIONS[i].section;
  }
  if (strcmp(name, "PointData") != 0) return;
  const char *normals = cps_xml_value(&vtu->tag, "Normals"), *uvs = cps_xml_value(&vtu->tag, "TCoords");
  strcpy(vtu->normals, *normals ? normals : "Normals");
  strcpy(vtu->uvs, *uvs ? uvs : "TCoords");
}

// Destination of an array with this name; NULL if it is not needed.
static CpsVtuArray* array_place(Vtu* vtu, const char* name) {
  if (vtu->pieces == 0) return NULL;
  Piece* piece = &vtu->piece[vtu->pieces - 1];
  if (vtu->section == POINTS) return &piece->position;
  if (vtu->section == POINT_DATA) {
    return strcmp(name, vtu->normals) == 0 ? &piece->normals : strcmp(name, vtu->uvs) == 0 ? &piece->uvs : NULL;
  }
  if (vtu->section == ELSEWHERE) return NULL;
  CellArrays* list = &piece->list[vtu->section == IN_CELLS ? CELLS : vtu->section == IN_POLYS ? POLYS : STRIPS];
  if (strcmp(name, "connectivity") == 0) return &list->connectivity;
  if (strcmp(name, "offsets") == 0) return &list->offsets;
  return strcmp(name, "types") == 0 ? &list->types : NULL;
}

static bool is_type(const char* word, CpsNumberType* type) {
  static const char* const NAMES[CPS_NUMBER_TYPES] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                      "UInt32", "Int64", "UInt64", "Float32", "Float64"};
  for (int i = 0; i < CPS_NUMBER_TYPES; ++i) {
    if (strcmp(word, NAMES[i]) != 0) continue;
    *type = (CpsNumberType)i;
    return true;
  }
  return false;
}

static CpsStatus start_array(Vtu* vtu) {
  CpsVtuArray* array = array_place(vtu, cps_xml_value(&vtu->tag, "Name"));
  if (!array) return CPS_OK;
  const char *format = cps_xml_value(&vtu->tag, "format"), *type = cps_xml_value(&vtu->tag, "type");
  *array = (CpsVtuArray){.text = vtu->xml.at, .line = vtu->xml.line};
  array->format = strcmp(format, "appended") == 0 ? CPS_VTU_APPENDED
                  : strcmp(format, "binary") == 0 ? CPS_VTU_BASE64
                                                  : CPS_VTU_TEXT;
  if (!is_type(type, &array->type)) return cps_mesh_refuse(vtu->build, "a DataArray of unknown type '%s'", type);
  if (!attribute_count(vtu, "NumberOfComponents", &array->components) ||
      !attribute_count(vtu, "offset", &array->offset)) {
    return refuse(vtu, "a count of a DataArray is not a number");
  }
  if (array->components == 0) array->components = 1;
  array->stop = memchr(array->text, '<', (size_t)(vtu->xml.end - array->text));
  if (!array->stop || vtu->tag.end) array->stop = array->text;
  return CPS_OK;
}

// Appended data begin with '_'; base64 extends to the next tag, raw bytes to the end of the arrays.
static CpsStatus find_appended(Vtu* vtu) {
  const char *from = vtu->xml.at, *mark = memchr(from, '_', (size_t)(vtu->xml.end - from));
  if (!mark) return refuse(vtu, "AppendedData has no '_' marker");
  vtu->coding.appended_text = strcmp(cps_xml_value(&vtu->tag, "encoding"), "base64") == 0;
  vtu->coding.appended = (const unsigned char*)mark + 1;
  const char* stop = vtu->coding.appended_text ? memchr(mark, '<', (size_t)(vtu->xml.end - mark)) : NULL;
  vtu->coding.appended_end = (const unsigned char*)(stop ? stop : vtu->xml.end);
  return CPS_OK;
}

static CpsStatus read_tags(Vtu* vtu) {
  bool file = false;
  for (;;) {
    CpsStatus status = CPS_OK;
    const CpsXmlStep step = cps_xml_next(&vtu->xml, &vtu->tag);
    if (step == CPS_XML_BAD) return refuse(vtu, "is not readable XML");
    if (step == CPS_XML_FINISHED) return file ? CPS_OK : refuse(vtu, "there is no VTKFile element");
    const char* name = vtu->tag.name;
    if (!vtu->tag.start) {
      if (strcmp(name, "DataArray") != 0) vtu->section = ELSEWHERE;
      continue;
    }
    if (strcmp(name, "VTKFile") == 0) {
      file = true;
      status = start_file(vtu);
    } else if (!file) {
      status = refuse(vtu, "there is no VTKFile element");
    } else if (strcmp(name, "Piece") == 0) {
      status = start_piece(vtu);
    } else if (strcmp(name, "DataArray") == 0) {
      status = start_array(vtu);
    } else if (strcmp(name, "AppendedData") == 0) {
      return find_appended(vtu);
    } else {
      start_section(vtu, name);
    }
    if (status != CPS_OK) return status;
  }
}

typedef enum Target { TO_VERTICES, TO_NORMALS, TO_UVS } Target;

static CpsStatus read_vectors(Vtu* vtu, const CpsVtuArray* array, int64_t count, Target target) {
  CpsNumbers numbers;
  unsigned char* bytes;
  CpsStatus status = cps_vtu_open(vtu->build, &vtu->coding, array, &numbers, &bytes);
  if (status == CPS_OK && (array->components > 3 || (target != TO_UVS && array->components != 3))) {
    status = cps_mesh_refuse(vtu->build, "the array in line %lld has %lld components", (long long)array->line,
                             (long long)array->components);
  }
  if (status == CPS_OK && (count > INT32_MAX || !cps_numbers_fit(&numbers, count * array->components))) {
    status = cps_mesh_refuse(vtu->build, "the array in line %lld is too short for %lld points", (long long)array->line,
                             (long long)count);
  }
  for (int64_t i = 0; status == CPS_OK && i < count; ++i) {
    double x[3] = {0.0, 0.0, 0.0};
    bool read = true;
    for (int k = 0; read && k < array->components; ++k) read = cps_numbers_double(&numbers, &x[k]);
    if (!read) {
      status = cps_mesh_refuse(vtu->build, "the array in line %lld ends, or has a value that is not a number",
                               (long long)array->line);
    } else if (target == TO_UVS) {
      status = cps_mesh_add_uv(vtu->build, x[0], x[1]);
    } else {
      const CpsVec3 v = {x[0], x[1], x[2]};
      status = target == TO_VERTICES ? cps_mesh_add_vertex(vtu->build, v) : cps_mesh_add_normal(vtu->build, v);
    }
  }
  free(bytes);
  return status;
}

typedef struct CellReader {
  CpsNumbers connectivity, offsets, types;
  unsigned char* bytes[3];
  int64_t *vertex, room;  // of the current cell
} CellReader;

// The vertices of one cell, numbered across all pieces. -1: missing; -2: out of memory.
static int64_t read_cell(CellReader* reader, int64_t from, int64_t base) {
  int64_t to;
  if (!cps_numbers_integer(&reader->offsets, &to) || to < from || !cps_numbers_fit(&reader->connectivity, to - from)) {
    return -1;
  }
  const int64_t count = to - from;
  if (count > reader->room) {
    int64_t* grown = realloc(reader->vertex, 2 * (size_t)count * sizeof *grown);
    if (!grown) return -2;
    reader->vertex = grown;
    reader->room = 2 * count;
  }
  for (int64_t k = 0; k < count; ++k) {
    if (!cps_numbers_integer(&reader->connectivity, &reader->vertex[k])) return -1;
    if (reader->vertex[k] < 0 || reader->vertex[k] > INT32_MAX) return -1;
    reader->vertex[k] += base;
  }
  return count;
}

static CpsStatus read_list(Vtu* vtu, const CellArrays* list, int64_t fixed, int64_t base, CellReader* reader) {
  const CpsVtuArray* array[3] = {&list->connectivity, &list->offsets, &list->types};
  CpsNumbers* numbers[3] = {&reader->connectivity, &reader->offsets, &reader->types};
  for (int k = 0; k < (fixed ? 2 : 3); ++k) {
    if (array[k]->format == CPS_VTU_NONE)
      return cps_mesh_refuse(vtu->build, "the cells lack connectivity, offsets or types");
    CpsStatus status = cps_vtu_open(vtu->build, &vtu->coding, array[k], numbers[k], &reader->bytes[k]);
    if (status != CPS_OK) return status;
  }
  int64_t from = 0;
  for (int64_t i = 0; i < list->count; ++i) {
    int64_t kind = fixed;
    const int64_t count = read_cell(reader, from, base);
    if (count == -2) return cps_mesh_no_memory(vtu->build);
    if (count < 0 || (!fixed && !cps_numbers_integer(&reader->types, &kind))) {
      return cps_mesh_refuse(vtu->build, "cell %lld: its arrays are too short or invalid", (long long)i + 1);
    }
    CpsStatus status = cps_mesh_add_cell(vtu->build, kind, reader->vertex, count);
    if (status != CPS_OK) return status;
    from += count;
  }
  return CPS_OK;
}

static CpsStatus read_piece(Vtu* vtu, const Piece* piece) {
  static const int64_t KINDS[LISTS] = {0, CPS_VTK_POLYGON, CPS_VTK_STRIP};
  const int64_t base = vtu->build->mesh.vertex_count;
  if (piece->position.format == CPS_VTU_NONE && piece->points > 0)
    return cps_mesh_refuse(vtu->build, "a Piece has no Points");
  CpsStatus status = CPS_OK;
  if (piece->points > 0) status = read_vectors(vtu, &piece->position, piece->points, TO_VERTICES);
  if (status == CPS_OK && piece->normals.format) status = read_vectors(vtu, &piece->normals, piece->points, TO_NORMALS);
  if (status == CPS_OK && piece->uvs.format) status = read_vectors(vtu, &piece->uvs, piece->points, TO_UVS);
  for (int k = 0; status == CPS_OK && k < LISTS; ++k) {
    if (piece->list[k].count == 0) continue;
    CellReader reader = {0};
    status = read_list(vtu, &piece->list[k], KINDS[k], base, &reader);
    for (int i = 0; i < 3; ++i) free(reader.bytes[i]);
    free(reader.vertex);
  }
  vtu->build->mesh.skipped_cells += piece->skipped;
  return status;
}

CpsStatus cps_mesh_from_vtu(CpsMeshBuild* build) {
  const char* text = (const char*)build->bytes;
  Vtu* vtu = calloc(1, sizeof *vtu);  // the current tag is too large for the stack of a thread
  if (!vtu) return cps_mesh_no_memory(build);
  vtu->build = build;
  vtu->xml = (CpsXml){.at = text, .end = text + build->size, .line = 1};
  CpsStatus status = read_tags(vtu);
  if (status == CPS_OK && vtu->pieces == 0) status = cps_mesh_refuse(build, "there is no Piece element");
  for (int i = 0; status == CPS_OK && i < vtu->pieces; ++i) status = read_piece(vtu, &vtu->piece[i]);
  free(vtu->piece);
  free(vtu);
  return status;
}
