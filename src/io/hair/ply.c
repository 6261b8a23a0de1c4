// Reading strands from `.ply`, text or binary little endian (Turk 1994).
//
//   element vertex N       property TYPE NAME …
//
// The points are the vertices in their order. What tells strands apart is the first of these that is there:
//
//   a property of the vertices, segment, strand, strand_id or curve: a strand continues as long as its value stays the same;
//   an element `strand` with the property nsegs, its segments: each strand has one point more;
//   an element `edge` with the properties vertex1 and vertex2: a strand continues while an edge leads to the next vertex.
//
// x, y, z is the place of a vertex; ra or radius half its thickness; and where `actual` is 0 the point is none: viewers put such
// points at the ends of a strand. Other elements are not read. A list among properties that have to be read or passed over,
// or an element before the vertices, is refused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text_number.h"
#include "io/hair/internal.h"

enum { MOST_PROPERTIES = 64, WORD = 40 };

typedef enum Type { I8, U8, I16, U16, I32, U32, F32, F64, TYPE_COUNT } Type;
static const char* const TYPE_NAMES[TYPE_COUNT][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                      {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                      {"float", "float32"}, {"double", "float64"}};
static const size_t TYPE_SIZES[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

// The elements that are read; others are recorded to be skipped.
typedef enum Kind { VERTEX, STRAND, EDGE, OTHER } Kind;
enum { MOST_ELEMENTS = 8 };
typedef struct Element {
  Kind kind;
  uint64_t number;
  int count;  // number of properties
  Type type[MOST_PROPERTIES];
  int key[2];  // STRAND: nsegs; EDGE: vertex1, vertex2. -1 if missing
  bool list;   // has a list property
} Element;

typedef struct Ply {
  const CpsHairFile* file;
  bool text;
  int elements;
  Element element[MOST_ELEMENTS];       // the first one is the vertices
  int x, y, z, strand, radius, actual;  // indices of properties, -1 if missing
  size_t body;                          // offset of the data
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
  int i = ply->element[0].count;
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
  Element* e = &ply->element[ply->elements - 1];
  const bool list = strcmp(type, "list") == 0;
  if (list && e->kind == VERTEX) return cps_hair_refuse(ply->file, "a vertex has a list among its properties");
  e->list = e->list || list;
  if (list) return CPS_OK;
  if (e->count == MOST_PROPERTIES) return cps_hair_refuse(ply->file, "an element has too many properties");
  if (!is_type(type, &e->type[e->count])) return cps_hair_refuse(ply->file, "unknown type '%s'", type);
  if (e->kind == VERTEX) note_name(ply, name);
  if (strcmp(name, e->kind == STRAND ? "nsegs" : "vertex1") == 0) e->key[0] = e->count;
  if (strcmp(name, "vertex2") == 0) e->key[1] = e->count;
  e->count++;
  return CPS_OK;
}

static CpsStatus read_format(Ply* ply, const char* format) {
  ply->text = strcmp(format, "ascii") == 0;
  if (ply->text || strcmp(format, "binary_little_endian") == 0) return CPS_OK;
  return cps_hair_refuse(ply->file, "unsupported format '%s'", format);
}

static CpsStatus read_element(Ply* ply, const char* name, const char* count) {
  static const char* const NAMES[] = {"vertex", "strand", "edge"};
  double number;
  const char* end = cps_number_read(count, &number);
  if (!end || *end || !(number >= 0.0) || number > UINT32_MAX || number != floor(number)) {
    return cps_hair_refuse(ply->file, "'%s' is not a valid element count", count);
  }
  Kind kind = VERTEX;
  while (kind < OTHER && strcmp(name, NAMES[kind]) != 0) ++kind;
  if (kind == VERTEX && ply->elements > 0) return cps_hair_refuse(ply->file, "the vertices are declared twice");
  if (kind != VERTEX && ply->elements == 0) {
    return number > 0.0 ? cps_hair_refuse(ply->file, "the vertices do not come first") : CPS_OK;
  }
  if (ply->elements == MOST_ELEMENTS) return cps_hair_refuse(ply->file, "there are too many elements");
  ply->element[ply->elements++] = (Element){.kind = kind, .number = (uint64_t)number, .key = {-1, -1}};
  return CPS_OK;
}

// One line of the head: up to three words.
static CpsStatus read_line(Ply* ply, char word[3][WORD], bool* format) {
  if (strcmp(word[0], "format") == 0) {
    *format = true;
    return read_format(ply, word[1]);
  }
  if (strcmp(word[0], "element") == 0) return read_element(ply, word[1], word[2]);
  if (strcmp(word[0], "property") == 0 && ply->elements > 0) return read_property(ply, word[1], word[2]);
  return CPS_OK;  // comments
}

// The element that separates strands if no property does; NULL if there is none or it cannot be reached.
static const Element* find_divider(const Ply* ply) {
  const Element* found = NULL;
  for (int k = 1; k < ply->elements; ++k) {
    const Element* e = &ply->element[k];
    if (e->list) break;
    if (e->kind == STRAND && e->key[0] >= 0) return e;
    if (e->kind == EDGE && e->key[0] >= 0 && e->key[1] >= 0 && !found) found = e;
  }
  return found;
}

static CpsStatus read_head(Ply* ply) {
  const char *text = (const char*)ply->file->bytes, *line = text;
  bool format = false;
  for (;;) {
    const char* end = memchr(line, '\n', ply->file->size - (size_t)(line - text));
    if (!end) return cps_hair_refuse(ply->file, "ends inside the header of a .ply file");
    char copy[3 * WORD], word[3][WORD] = {"", "", ""};
    size_t length = (size_t)(end - line) < sizeof copy - 1 ? (size_t)(end - line) : sizeof copy - 1;
    memcpy(copy, line, length);
    copy[length] = '\0';
    (void)sscanf(copy, "%39s %39s %39s", word[0], word[1], word[2]);
    line = end + 1;
    if (strcmp(word[0], "end_header") == 0) break;
    CpsStatus status = read_line(ply, word, &format);
    if (status != CPS_OK) return status;
  }
  ply->body = (size_t)(line - text);
  if (!format) return cps_hair_refuse(ply->file, "does not name a format");
  if (ply->x < 0 || ply->y < 0 || ply->z < 0) return cps_hair_refuse(ply->file, "the vertices have no x, y, z");
  if (ply->strand < 0 && !find_divider(ply)) {
    return cps_hair_refuse(
        ply->file,
        "no property (segment, strand, strand_id, curve) and no element (strand with nsegs, edge with "
        "vertex1 and vertex2) tells the strands apart");
  }
  return CPS_OK;
}

static size_t stride(const Element* e) {
  size_t size = 0;
  for (int i = 0; i < e->count; ++i) size += TYPE_SIZES[e->type[i]];
  return size;
}

// Checks the numbers of elements, up to the last one that is read, against the size of the file.
static CpsStatus check_size(const Ply* ply, const Element* last) {
  uint64_t there = ply->file->size - ply->body, least = 0;
  for (const Element* e = ply->element; e <= last; ++e) {
    // in text, a number takes at least a digit and a blank, except the last one
    least += (ply->text ? 2 * (uint64_t)e->count : stride(e)) * e->number;
  }
  if (ply->text && least > 0) least--;
  bool more = false;
  for (const Element* e = last + 1; e < ply->element + ply->elements; ++e) more = more || e->number > 0;
  if (there < least || (!ply->text && !more && there != least)) {
    return cps_hair_refuse(ply->file, "%llu vertices need %llu bytes, and %llu follow the head",
                           (unsigned long long)ply->element[0].number, (unsigned long long)least,
                           (unsigned long long)there);
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

// "nan" and "inf" in any spelling: gives a value that is not finite, so that the strand is skipped.
static const char* text_oddity(const char* at, double* value) {
  const char* name = *at == '-' || *at == '+' ? at + 1 : at;
  if (strncmp(name, "nan", 3) != 0 && strncmp(name, "NaN", 3) != 0 && strncmp(name, "inf", 3) != 0) return NULL;
  *value = NAN;
  return at + strcspn(at, " \t\r\n");
}

// Reads the numbers of the next item of an element; *at advances.
static bool next_of(const Ply* ply, const Element* e, const unsigned char** at, double* value) {
  for (int i = 0; i < e->count; ++i) {
    if (!ply->text) {
      value[i] = binary_number(*at, e->type[i]);
      *at += TYPE_SIZES[e->type[i]];
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

// Marks the first vertex of each strand, according to the dividing element.
static CpsStatus find_begins(const Ply* ply, const Element* divider, const unsigned char* at, bool* begins) {
  const uint64_t vertices = ply->element[0].number;
  double value[MOST_PROPERTIES], next = 0.0;
  for (const Element* e = ply->element + 1; e <= divider; ++e) {
    for (uint64_t i = 0; i < e->number; ++i) {
      if (!next_of(ply, e, &at, value)) {
        return cps_hair_refuse(ply->file, "element %llu after the vertices has a value that is not a number",
                               (unsigned long long)i + 1);
      }
      if (e != divider) continue;
      if (e->kind == EDGE) {
        const double from = value[e->key[0]], to = value[e->key[1]];
        if (from >= 0.0 && to < (double)vertices && to == from + 1.0 && to == floor(to)) begins[(uint64_t)to] = false;
        continue;
      }
      const double segments = value[e->key[0]];
      if (!(segments >= 0.0) || segments != floor(segments) || next + segments + 1.0 > (double)vertices) {
        return cps_hair_refuse(ply->file, "strand %llu has %g segments, and %llu vertices are left",
                               (unsigned long long)i + 1, segments, (unsigned long long)((double)vertices - next));
      }
      for (double k = 1.0; k <= segments; ++k) begins[(uint64_t)(next + k)] = false;
      next += segments + 1.0;
    }
  }
  if (divider->kind == EDGE || next == (double)vertices) return CPS_OK;
  return cps_hair_refuse(ply->file, "its strands have %.0f points, and there are %llu", next,
                         (unsigned long long)vertices);
}

// Fills the points. Strands begin where their property changes, or at marks. Memory is reserved for as many strands as vertices.
static CpsStatus read_vertices(const Ply* ply, const bool* begins, const unsigned char** at, CpsHair* raw) {
  double value[MOST_PROPERTIES], strand = NAN;
  int64_t points = 0;
  int32_t strands = 0;
  for (uint64_t i = 0; i < ply->element[0].number; ++i) {
    if (!next_of(ply, &ply->element[0], at, value)) {
      return cps_hair_refuse(ply->file, "vertex %llu has a value that is not a number", (unsigned long long)i + 1);
    }
    if (i == 0 || (begins ? begins[i] : value[ply->strand] != strand)) raw->first[strands++] = points;
    if (!begins) strand = value[ply->strand];
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

// Skips all vertices of a file; NULL if something is not a number.
static const unsigned char* skip_vertices(const Ply* ply, const unsigned char* at) {
  double value[MOST_PROPERTIES];
  if (!ply->text) return at + stride(&ply->element[0]) * ply->element[0].number;
  for (uint64_t i = 0; i < ply->element[0].number; ++i) {
    if (!next_of(ply, &ply->element[0], &at, value)) return NULL;
  }
  return at;
}

static CpsStatus read_divided(const Ply* ply, const Element* divider, CpsHair* raw) {
  const unsigned char *at = ply->file->bytes + ply->body, *after = skip_vertices(ply, at);
  const size_t vertices = (size_t)ply->element[0].number;
  bool* begins = malloc(vertices + 1);
  if (!begins) return cps_io_fail(ply->file->error, CPS_NO_MEMORY, ply->file->name, NULL, "out of memory");
  memset(begins, true, vertices + 1);
  CpsStatus status = after ? find_begins(ply, divider, after, begins) : CPS_OK;
  if (status == CPS_OK) status = read_vertices(ply, begins, &at, raw);
  free(begins);
  return status;
}

CpsStatus cps_hair_from_ply(const CpsHairFile* file, CpsHair* raw) {
  Ply ply = {.file = file, .x = -1, .y = -1, .z = -1, .strand = -1, .radius = -1, .actual = -1};
  CpsStatus status = read_head(&ply);
  if (status != CPS_OK) return status;
  const Element* divider = ply.strand >= 0 ? NULL : find_divider(&ply);
  status = check_size(&ply, divider ? divider : ply.element);
  const int64_t vertices = (int64_t)ply.element[0].number;
  if (status == CPS_OK) status = cps_hair_take(file, vertices, vertices, ply.radius >= 0, raw);
  if (status != CPS_OK) return status;
  const unsigned char* at = file->bytes + ply.body;
  return divider ? read_divided(&ply, divider, raw) : read_vertices(&ply, NULL, &at, raw);
}
