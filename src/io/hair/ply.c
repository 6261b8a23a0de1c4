// Reading strands from `.ply`, text or binary little endian (Turk 1994).
//
//   element vertex N       property TYPE NAME …
//
// The points are the vertices in their order. A property says to which strand a point belongs (segment, strand, strand_id
// or curve: a strand goes on as long as its value stays the same); x, y, z is its place; ra or radius half its thickness;
// and where `actual` is 0 the point is none: viewers put such points at the ends of a strand. Elements after the vertices
// are not read; a list among the properties of a vertex, or an element before it, is refused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_number.h"
#include "io/hair/internal.h"

enum { MOST_PROPERTIES = 64, WORD = 40 };

typedef enum Type { I8, U8, I16, U16, I32, U32, F32, F64, TYPE_COUNT } Type;
static const char* const TYPE_NAMES[TYPE_COUNT][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                      {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                      {"float", "float32"}, {"double", "float64"}};
static const size_t TYPE_SIZES[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef struct Ply {
  const CpsHairFile* file;
  bool text;
  bool more;  // elements after the vertices
  uint64_t vertices;
  int count;  // of properties
  Type type[MOST_PROPERTIES];
  int x, y, z, strand, radius, actual;  // which property; -1: none
  size_t body;                          // where the numbers begin
} Ply;

static bool is_type(const char* word, Type* type) {
  for (int t = 0; t < TYPE_COUNT; ++t) {
    if (strcmp(word, TYPE_NAMES[t][0]) != 0 && strcmp(word, TYPE_NAMES[t][1]) != 0) continue;
    *type = (Type)t;
    return true;
  }
  return false;
}

static void note_name(Ply* ply, const char* name) {
  static const char* const STRANDS[] = {"segment", "strand", "strand_id", "curve"};
  int i = ply->count;
  if (strcmp(name, "x") == 0) ply->x = i;
  if (strcmp(name, "y") == 0) ply->y = i;
  if (strcmp(name, "z") == 0) ply->z = i;
  if (strcmp(name, "ra") == 0 || strcmp(name, "radius") == 0) ply->radius = i;
  if (strcmp(name, "actual") == 0) ply->actual = i;
  for (int k = 0; k < 4; ++k) {
    if (strcmp(name, STRANDS[k]) == 0) ply->strand = i;
  }
}

static CpsStatus read_property(Ply* ply, const char* type, const char* name) {
  if (strcmp(type, "list") == 0) return cps_hair_refuse(ply->file, "a vertex has a list among its properties");
  if (ply->count == MOST_PROPERTIES) return cps_hair_refuse(ply->file, "a vertex has too many properties");
  if (!is_type(type, &ply->type[ply->count])) return cps_hair_refuse(ply->file, "unknown type '%s'", type);
  note_name(ply, name);
  ply->count++;
  return CPS_OK;
}

static CpsStatus read_format(Ply* ply, const char* format) {
  ply->text = strcmp(format, "ascii") == 0;
  if (ply->text || strcmp(format, "binary_little_endian") == 0) return CPS_OK;
  return cps_hair_refuse(ply->file, "the format '%s' is not read", format);
}

static CpsStatus read_element(Ply* ply, const char* name, const char* count, bool* vertex, bool* seen) {
  double number;
  const char* end = cps_number_read(count, &number);
  if (!end || *end || !(number >= 0.0) || number > UINT32_MAX || number != floor(number)) {
    return cps_hair_refuse(ply->file, "'%s' is no number of elements", count);
  }
  *vertex = strcmp(name, "vertex") == 0;
  if (*vertex && *seen) return cps_hair_refuse(ply->file, "there are two kinds of vertices");
  if (*vertex) ply->vertices = (uint64_t)number;
  if (!*vertex && !*seen && number > 0.0) return cps_hair_refuse(ply->file, "the vertices do not come first");
  if (!*vertex && number > 0.0) ply->more = true;
  *seen = *seen || *vertex;
  return CPS_OK;
}

// One line of the head: up to three words.
static CpsStatus read_line(Ply* ply, char word[3][WORD], bool* vertex, bool* seen, bool* format) {
  if (strcmp(word[0], "format") == 0) {
    *format = true;
    return read_format(ply, word[1]);
  }
  if (strcmp(word[0], "element") == 0) return read_element(ply, word[1], word[2], vertex, seen);
  if (strcmp(word[0], "property") == 0 && *vertex) return read_property(ply, word[1], word[2]);
  return CPS_OK;  // comments, properties of other elements
}

static CpsStatus read_head(Ply* ply) {
  const char *text = (const char*)ply->file->bytes, *line = text;
  bool vertex = false, seen = false, format = false;
  for (;;) {
    const char* end = memchr(line, '\n', ply->file->size - (size_t)(line - text));
    if (!end) return cps_hair_refuse(ply->file, "ends within the head of a .ply file");
    char copy[3 * WORD], word[3][WORD] = {"", "", ""};
    size_t length = (size_t)(end - line) < sizeof copy - 1 ? (size_t)(end - line) : sizeof copy - 1;
    memcpy(copy, line, length);
    copy[length] = '\0';
    (void)sscanf(copy, "%39s %39s %39s", word[0], word[1], word[2]);
    line = end + 1;
    if (strcmp(word[0], "end_header") == 0) break;
    CpsStatus status = read_line(ply, word, &vertex, &seen, &format);
    if (status != CPS_OK) return status;
  }
  ply->body = (size_t)(line - text);
  if (!format) return cps_hair_refuse(ply->file, "says no format");
  if (ply->x < 0 || ply->y < 0 || ply->z < 0) return cps_hair_refuse(ply->file, "the vertices have no x, y, z");
  if (ply->strand < 0) {
    return cps_hair_refuse(ply->file, "no property (segment, strand, strand_id, curve) tells the strands apart");
  }
  return CPS_OK;
}

static size_t stride(const Ply* ply) {
  size_t size = 0;
  for (int i = 0; i < ply->count; ++i) size += TYPE_SIZES[ply->type[i]];
  return size;
}

// Holds the number of vertices against the bytes that are there.
static CpsStatus check_size(const Ply* ply) {
  uint64_t there = ply->file->size - ply->body;
  // in text a number takes a digit and a blank; only the last may lack its blank
  uint64_t each = ply->text ? 2 * (uint64_t)ply->count : stride(ply), least = each * ply->vertices;
  if (ply->text && least > 0) least--;
  if (there < least || (!ply->text && !ply->more && there != least)) {
    return cps_hair_refuse(ply->file, "%llu vertices need %llu bytes, and %llu follow the head",
                           (unsigned long long)ply->vertices, (unsigned long long)least, (unsigned long long)there);
  }
  return CPS_OK;
}

static double binary_number(const unsigned char* at, Type type) {
  switch (type) {
    case I8:
      return at[0] < 128 ? at[0] : at[0] - 256.0;
    case U8:
      return at[0];
    case I16:
      return cps_le_u16(at) < 32768 ? cps_le_u16(at) : cps_le_u16(at) - 65536.0;
    case U16:
      return cps_le_u16(at);
    case I32:
      return cps_le_u32(at) < 2147483648U ? cps_le_u32(at) : cps_le_u32(at) - 4294967296.0;
    case U32:
      return cps_le_u32(at);
    case F32:
      return cps_le_f32(at);
    default:
      return cps_le_f64(at);
  }
}

// "nan" and "inf" in some spelling: a number that is none, for its strand to be skipped.
static const char* text_oddity(const char* at, double* value) {
  const char* name = *at == '-' || *at == '+' ? at + 1 : at;
  if (strncmp(name, "nan", 3) != 0 && strncmp(name, "NaN", 3) != 0 && strncmp(name, "inf", 3) != 0) return NULL;
  *value = NAN;
  return at + strcspn(at, " \t\r\n");
}

// The numbers of the next vertex; *at moves on.
static bool next_vertex(const Ply* ply, const unsigned char** at, double* value) {
  for (int i = 0; i < ply->count; ++i) {
    if (!ply->text) {
      value[i] = binary_number(*at, ply->type[i]);
      *at += TYPE_SIZES[ply->type[i]];
      continue;
    }
    const char* text = (const char*)*at;
    text += strspn(text, " \t\r\n");
    const char* end = cps_number_read(text, &value[i]);
    if (!end) end = text_oddity(text, &value[i]);
    if (!end || (*end && !strchr(" \t\r\n", *end))) return false;
    *at = (const unsigned char*)end;
  }
  return true;
}

// Fills the points; strands begin where their property changes. The memory is for as many strands as vertices.
static CpsStatus read_vertices(const Ply* ply, CpsHair* raw) {
  const unsigned char* at = ply->file->bytes + ply->body;
  double value[MOST_PROPERTIES], strand = NAN;
  int64_t points = 0;
  int32_t strands = 0;
  for (uint64_t i = 0; i < ply->vertices; ++i) {
    if (!next_vertex(ply, &at, value)) {
      return cps_hair_refuse(ply->file, "vertex %llu has something that is no number", (unsigned long long)i + 1);
    }
    if (i == 0 || value[ply->strand] != strand) raw->first[strands++] = points;
    strand = value[ply->strand];
    if (ply->actual >= 0 && value[ply->actual] == 0.0) continue;
    raw->points[points] = (CpsVec3){value[ply->x], value[ply->y], value[ply->z]};
    if (raw->thickness) raw->thickness[points] = 2.0 * value[ply->radius];
    points++;
  }
  raw->first[strands] = points;
  raw->strand_count = strands;
  raw->point_count = points;
  return CPS_OK;
}

CpsStatus cps_hair_from_ply(const CpsHairFile* file, CpsHair* raw) {
  Ply ply = {.file = file, .x = -1, .y = -1, .z = -1, .strand = -1, .radius = -1, .actual = -1};
  CpsStatus status = read_head(&ply);
  if (status == CPS_OK) status = check_size(&ply);
  if (status == CPS_OK)
    status = cps_hair_take(file, (int64_t)ply.vertices, (int64_t)ply.vertices, ply.radius >= 0, raw);
  return status == CPS_OK ? read_vertices(&ply, raw) : status;
}
