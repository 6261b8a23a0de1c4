// Reading legacy VTK files: POLYDATA and UNSTRUCTURED_GRID, text or binary (which has its highest byte first).
//
//   # vtk DataFile Version 4.2 | a title | ASCII or BINARY | DATASET KIND
//   POINTS n TYPE | CELLS n SIZE, CELL_TYPES n | POLYGONS n SIZE, TRIANGLE_STRIPS, VERTICES, LINES
//   POINT_DATA n, CELL_DATA n, then attributes: NORMALS and TEXTURE_COORDINATES of points are kept, others passed over
//
// Up to version 4 a list of cells is SIZE numbers, each cell its count and its vertices. From version 5 on it is an
// array OFFSETS of n numbers and an array CONNECTIVITY of SIZE. Data begin right behind the line that announces them.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh/internal.h"
#include "io/mesh/numbers.h"

enum { WORDS = 6, WORD = 64 };

typedef struct Cells {
  int64_t count;
  int64_t* offset;  // count + 1
  int64_t* vertex;
} Cells;

typedef struct Vtk {
  CpsMeshBuild* build;
  CpsNumbers numbers;
  bool text;
  bool offsets;             // lists of cells as in version 5
  bool points, has_points;  // attributes are of points; points were read
  int64_t items;            // of the following attributes
  char word[WORDS][WORD];   // of the current line
  Cells cells;              // of CELLS, until CELL_TYPES gives their types
} Vtk;

static CpsStatus refuse(const Vtk* vtk, const char* what) {
  if (vtk->text)
    return cps_mesh_refuse(vtk->build, "line %lld: %s: %s", (long long)vtk->numbers.line, vtk->word[0], what);
  return cps_mesh_refuse(vtk->build, "%s: %s", vtk->word[0], what);
}

// The words of the next line that is not empty; missing ones are "". False at the end.
static bool next_line(Vtk* vtk) {
  CpsNumbers* numbers = &vtk->numbers;
  while (numbers->at < numbers->end && isspace(*numbers->at)) numbers->line += *numbers->at++ == '\n';
  const unsigned char* end = memchr(numbers->at, '\n', (size_t)(numbers->end - numbers->at));
  CpsNumbers line = {.at = numbers->at, .end = end ? end : numbers->end, .text = true, .line = numbers->line};
  for (int i = 0; i < WORDS; ++i) cps_numbers_word(&line, vtk->word[i], WORD);
  cps_numbers_skip_line(numbers);
  return vtk->word[0][0] != '\0';
}

static bool word_count(const Vtk* vtk, int i, int64_t* count) {
  CpsNumbers word = {.at = (const unsigned char*)vtk->word[i], .text = true};
  word.end = word.at + strlen(vtk->word[i]);
  return cps_numbers_integer(&word, count) && *count >= 0 && *count <= INT32_MAX;
}

// Sets the type of the following numbers; false if it is unknown. Bits are packed into bytes.
static bool set_type(Vtk* vtk, const char* name, bool* bits) {
  static const struct {
    const char* name;
    CpsNumberType type;
  } TYPES[] = {{"float", CPS_NUMBER_F32},         {"double", CPS_NUMBER_F64},        {"char", CPS_NUMBER_I8},
               {"unsigned_char", CPS_NUMBER_U8},  {"short", CPS_NUMBER_I16},         {"unsigned_short", CPS_NUMBER_U16},
               {"int", CPS_NUMBER_I32},           {"unsigned_int", CPS_NUMBER_U32},  {"long", CPS_NUMBER_I64},
               {"unsigned_long", CPS_NUMBER_U64}, {"vtkIdType", CPS_NUMBER_I32},     {"vtktypeint64", CPS_NUMBER_I64},
               {"vtktypeint32", CPS_NUMBER_I32},  {"vtktypeuint64", CPS_NUMBER_U64}, {"bit", CPS_NUMBER_U8}};
  *bits = strcmp(name, "bit") == 0;
  for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; ++i) {
    if (strcmp(name, TYPES[i].name) != 0) continue;
    vtk->numbers.type = TYPES[i].type;
    return true;
  }
  return false;
}

static CpsStatus read_points(Vtk* vtk) {
  int64_t count;
  bool bits;
  if (vtk->has_points) return refuse(vtk, "there are two lists of points");
  if (!word_count(vtk, 1, &count) || !set_type(vtk, vtk->word[2], &bits)) return refuse(vtk, "should be POINTS n TYPE");
  if (!cps_numbers_fit(&vtk->numbers, 3 * count)) return refuse(vtk, "more points than fit in the file");
  for (int64_t i = 0; i < count; ++i) {
    double x[3];
    for (int k = 0; k < 3; ++k) {
      if (!cps_numbers_double(&vtk->numbers, &x[k])) return refuse(vtk, "expected a number");
    }
    CpsStatus status = cps_mesh_add_vertex(vtk->build, (CpsVec3){x[0], x[1], x[2]});
    if (status != CPS_OK) return status;
  }
  vtk->has_points = true;
  return CPS_OK;
}

static void free_cells(Cells* cells) {
  free(cells->offset);
  free(cells->vertex);
  *cells = (Cells){0};
}

static bool read_integers(Vtk* vtk, int64_t* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!cps_numbers_integer(&vtk->numbers, &x[i])) return false;
  }
  return true;
}

// Version 5: OFFSETS TYPE, n of them, CONNECTIVITY TYPE, size of them.
static CpsStatus read_offsets(Vtk* vtk, int64_t n, int64_t size, Cells* cells) {
  bool bits;
  cells->count = n > 0 ? n - 1 : 0;
  for (int k = 0; k < 2; ++k) {
    const int64_t count = k == 0 ? n : size;
    if (!next_line(vtk) || strcmp(vtk->word[0], k == 0 ? "OFFSETS" : "CONNECTIVITY") != 0 ||
        !set_type(vtk, vtk->word[1], &bits)) {
      return refuse(vtk, k == 0 ? "should be OFFSETS TYPE" : "should be CONNECTIVITY TYPE");
    }
    if (!cps_numbers_fit(&vtk->numbers, count)) return refuse(vtk, "more numbers than fit in the file");
    int64_t* list = malloc((size_t)(count + 2) * sizeof *list);
    if (!list) return cps_mesh_no_memory(vtk->build);
    *(k == 0 ? &cells->offset : &cells->vertex) = list;
    list[0] = 0;
    if (!read_integers(vtk, list, count)) return refuse(vtk, "expected an integer");
  }
  for (int64_t i = 0; i <= cells->count; ++i) {
    const int64_t least = i == 0 ? 0 : cells->offset[i - 1];
    if (cells->offset[i] < least || cells->offset[i] > size) return refuse(vtk, "an offset is out of order");
  }
  return CPS_OK;
}

// Up to version 4: for each cell a count and the vertices.
static CpsStatus read_counted(Vtk* vtk, int64_t n, int64_t size, Cells* cells) {
  vtk->numbers.type = CPS_NUMBER_I32;
  if (n > size || !cps_numbers_fit(&vtk->numbers, size)) return refuse(vtk, "more cells than fit in the file");
  cells->count = n;
  cells->offset = malloc((size_t)(n + 1) * sizeof *cells->offset);
  cells->vertex = malloc((size_t)(size - n + 1) * sizeof *cells->vertex);
  if (!cells->offset || !cells->vertex) return cps_mesh_no_memory(vtk->build);
  cells->offset[0] = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t count, used = cells->offset[i];
    if (!cps_numbers_integer(&vtk->numbers, &count)) return refuse(vtk, "expected an integer");
    if (count < 0 || count > size - n - used) return refuse(vtk, "the cells have more vertices than declared");
    if (!read_integers(vtk, cells->vertex + used, count)) return refuse(vtk, "expected an integer");
    cells->offset[i + 1] = used + count;
  }
  if (cells->offset[n] != size - n) return refuse(vtk, "the cells have fewer vertices than declared");
  return CPS_OK;
}

static CpsStatus read_cells(Vtk* vtk, Cells* cells) {
  int64_t n, size;
  if (!word_count(vtk, 1, &n) || !word_count(vtk, 2, &size)) return refuse(vtk, "should have two counts");
  return vtk->offsets ? read_offsets(vtk, n, size, cells) : read_counted(vtk, n, size, cells);
}

// Reads a list of cells of one kind; 0: counts them only.
static CpsStatus read_kind(Vtk* vtk, int64_t kind) {
  Cells cells = {0};
  CpsStatus status = read_cells(vtk, &cells);
  for (int64_t i = 0; status == CPS_OK && i < cells.count; ++i) {
    status = cps_mesh_add_cell(vtk->build, kind, cells.vertex + cells.offset[i], cells.offset[i + 1] - cells.offset[i]);
  }
  free_cells(&cells);
  return status;
}

static CpsStatus read_types(Vtk* vtk) {
  int64_t n;
  const Cells* cells = &vtk->cells;
  if (!word_count(vtk, 1, &n)) return refuse(vtk, "should have a count");
  if (n != cells->count) return refuse(vtk, "the number of cell types differs from the number of cells");
  vtk->numbers.type = CPS_NUMBER_I32;
  for (int64_t i = 0; i < n; ++i) {
    int64_t kind;
    if (!cps_numbers_integer(&vtk->numbers, &kind)) return refuse(vtk, "expected an integer");
    CpsStatus status =
        cps_mesh_add_cell(vtk->build, kind, cells->vertex + cells->offset[i], cells->offset[i + 1] - cells->offset[i]);
    if (status != CPS_OK) return status;
  }
  free_cells(&vtk->cells);
  return CPS_OK;
}

// Skips `count` numbers of a type.
static CpsStatus skip_numbers(Vtk* vtk, int64_t count, const char* type) {
  bool bits;
  if (!set_type(vtk, type, &bits)) return refuse(vtk, "has an unknown type");
  if (bits && !vtk->text) count = (count + 7) / 8;
  return cps_numbers_skip(&vtk->numbers, count) ? CPS_OK : refuse(vtk, "the file ends within the data");
}

static CpsStatus read_field(Vtk* vtk) {
  int64_t arrays, components, tuples;
  if (!word_count(vtk, 2, &arrays)) return refuse(vtk, "should be FIELD NAME n");
  for (int64_t i = 0; i < arrays; ++i) {
    if (!next_line(vtk)) return refuse(vtk, "the file ends within a FIELD");
    if (strcmp(vtk->word[0], "METADATA") == 0) {
      while (vtk->numbers.at < vtk->numbers.end && *vtk->numbers.at != '\n') cps_numbers_skip_line(&vtk->numbers);
      i--;
      continue;
    }
    if (!word_count(vtk, 1, &components) || !word_count(vtk, 2, &tuples)) return refuse(vtk, "has no size");
    char type[WORD];
    memcpy(type, vtk->word[3], WORD);
    CpsStatus status = skip_numbers(vtk, components * tuples, type);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus read_normals(Vtk* vtk) {
  bool bits;
  if (!vtk->points || vtk->build->mesh.normal_count > 0) return skip_numbers(vtk, 3 * vtk->items, vtk->word[2]);
  if (!set_type(vtk, vtk->word[2], &bits)) return refuse(vtk, "has an unknown type");
  for (int64_t i = 0; i < vtk->items; ++i) {
    double x[3];
    for (int k = 0; k < 3; ++k) {
      if (!cps_numbers_double(&vtk->numbers, &x[k])) return refuse(vtk, "expected a number");
    }
    CpsStatus status = cps_mesh_add_normal(vtk->build, (CpsVec3){x[0], x[1], x[2]});
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus read_uvs(Vtk* vtk) {
  int64_t dimension;
  bool bits;
  if (!word_count(vtk, 2, &dimension) || dimension < 1 || dimension > 3)
    return refuse(vtk, "has one to three dimensions");
  if (!vtk->points || vtk->build->mesh.uv_count > 0) return skip_numbers(vtk, dimension * vtk->items, vtk->word[3]);
  if (!set_type(vtk, vtk->word[3], &bits)) return refuse(vtk, "has an unknown type");
  for (int64_t i = 0; i < vtk->items; ++i) {
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < dimension; ++k) {
      if (!cps_numbers_double(&vtk->numbers, &x[k])) return refuse(vtk, "expected a number");
    }
    CpsStatus status = cps_mesh_add_uv(vtk->build, x[0], x[1]);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus read_scalars(Vtk* vtk) {
  int64_t components = 1;
  if (vtk->word[3][0] && !word_count(vtk, 3, &components)) return refuse(vtk, "should be SCALARS NAME TYPE n");
  char type[WORD];
  memcpy(type, vtk->word[2], WORD);
  while (vtk->numbers.at < vtk->numbers.end && (*vtk->numbers.at == '\n' || *vtk->numbers.at == '\r') && vtk->text) {
    cps_numbers_skip_line(&vtk->numbers);
  }
  const char table[] = "LOOKUP_TABLE";
  if ((size_t)(vtk->numbers.end - vtk->numbers.at) >= sizeof table &&
      memcmp(vtk->numbers.at, table, sizeof table - 1) == 0) {
    cps_numbers_skip_line(&vtk->numbers);
  }
  return skip_numbers(vtk, components * vtk->items, type);
}

// Reads an attribute; false if the word does not name one.
static bool read_attribute(Vtk* vtk, CpsStatus* status) {
  const char* word = vtk->word[0];
  int64_t count = 0;
  if (strcmp(word, "POINT_DATA") == 0 || strcmp(word, "CELL_DATA") == 0) {
    vtk->points = word[0] == 'P';
    *status = word_count(vtk, 1, &vtk->items) ? CPS_OK : refuse(vtk, "should have a count");
  } else if (strcmp(word, "SCALARS") == 0) {
    *status = read_scalars(vtk);
  } else if (strcmp(word, "NORMALS") == 0) {
    *status = read_normals(vtk);
  } else if (strcmp(word, "TEXTURE_COORDINATES") == 0) {
    *status = read_uvs(vtk);
  } else if (strcmp(word, "VECTORS") == 0) {
    *status = skip_numbers(vtk, 3 * vtk->items, vtk->word[2]);
  } else if (strcmp(word, "TENSORS") == 0 || strcmp(word, "TENSORS6") == 0) {
    *status = skip_numbers(vtk, (word[7] ? 6 : 9) * vtk->items, vtk->word[2]);
  } else if (strcmp(word, "GLOBAL_IDS") == 0 || strcmp(word, "PEDIGREE_IDS") == 0) {
    *status = skip_numbers(vtk, vtk->items, vtk->word[2]);
  } else if (strcmp(word, "COLOR_SCALARS") == 0) {
    *status = word_count(vtk, 2, &count) ? skip_numbers(vtk, count * vtk->items, "unsigned_char")
                                         : refuse(vtk, "should have a count");
  } else if (strcmp(word, "LOOKUP_TABLE") == 0) {
    *status =
        word_count(vtk, 2, &count) ? skip_numbers(vtk, 4 * count, "unsigned_char") : refuse(vtk, "should have a size");
  } else {
    return false;
  }
  return true;
}

static CpsStatus read_section(Vtk* vtk) {
  static const struct {
    const char* name;
    int64_t kind;
  } LISTS[] = {{"POLYGONS", CPS_VTK_POLYGON}, {"TRIANGLE_STRIPS", CPS_VTK_STRIP}, {"VERTICES", 0}, {"LINES", 0}};
  const char* word = vtk->word[0];
  for (size_t i = 0; i < sizeof LISTS / sizeof LISTS[0]; ++i) {
    if (strcmp(word, LISTS[i].name) == 0) return read_kind(vtk, LISTS[i].kind);
  }
  if (strcmp(word, "POINTS") == 0) return read_points(vtk);
  if (strcmp(word, "CELL_TYPES") == 0) return read_types(vtk);
  if (strcmp(word, "FIELD") == 0) return read_field(vtk);
  if (strcmp(word, "CELLS") == 0) {
    free_cells(&vtk->cells);
    return read_cells(vtk, &vtk->cells);
  }
  if (strcmp(word, "METADATA") == 0) {  // up to an empty line
    while (vtk->numbers.at < vtk->numbers.end && *vtk->numbers.at != '\n') cps_numbers_skip_line(&vtk->numbers);
    return CPS_OK;
  }
  CpsStatus status = CPS_OK;
  return read_attribute(vtk, &status) ? status : refuse(vtk, "is not supported");
}

static CpsStatus read_head(Vtk* vtk) {
  vtk->text = true;  // for error messages
  (void)next_line(vtk);
  CpsNumbers version = {.at = (const unsigned char*)vtk->word[4], .text = true};
  version.end = version.at + strlen(vtk->word[4]);
  double number;
  if (!cps_numbers_double(&version, &number)) return cps_mesh_refuse(vtk->build, "line 1: has no version");
  vtk->offsets = number >= 5.0;
  cps_numbers_skip_line(&vtk->numbers);  // the title
  const bool third = next_line(vtk), binary = third && strcmp(vtk->word[0], "BINARY") == 0;
  if (!binary && (!third || strcmp(vtk->word[0], "ASCII") != 0)) {
    return cps_mesh_refuse(vtk->build, "line 3: is neither ASCII nor BINARY");
  }
  if (!next_line(vtk) || strcmp(vtk->word[0], "DATASET") != 0) return cps_mesh_refuse(vtk->build, "line 4: no DATASET");
  if (strcmp(vtk->word[1], "POLYDATA") != 0 && strcmp(vtk->word[1], "UNSTRUCTURED_GRID") != 0) {
    return cps_mesh_refuse(vtk->build, "DATASET %s: only POLYDATA and UNSTRUCTURED_GRID are read", vtk->word[1]);
  }
  vtk->text = vtk->numbers.text = !binary;
  return CPS_OK;
}

CpsStatus cps_mesh_from_vtk(CpsMeshBuild* build) {
  Vtk vtk = {.build = build,
             .numbers = {.at = build->bytes, .end = build->bytes + build->size, .text = true, .big = true, .line = 1}};
  CpsStatus status = read_head(&vtk);
  while (status == CPS_OK && next_line(&vtk)) status = read_section(&vtk);
  if (status == CPS_OK && vtk.cells.count > 0) status = cps_mesh_refuse(build, "CELLS: there are no CELL_TYPES");
  free_cells(&vtk.cells);
  return status;
}
