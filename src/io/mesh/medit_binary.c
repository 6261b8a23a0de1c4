// Reading binary files of Medit (.meshb): integers and positions of 4 or 8 bytes, in the order of the machine that wrote them.
//
//   1 | version | keyword, where the next keyword is, what belongs to it | ... | End
//
// The version says how long numbers are: 1 floats, 2 doubles, 3 positions of 8 bytes, 4 counts and indices of 8 bytes too. Keywords that are not
// known are passed over by the position of the next one. Indices count from 1; a row ends with a reference number.
#include "io/mesh/internal.h"
#include "io/mesh/numbers.h"

enum { KEY_DIMENSION = 3, KEY_VERTICES = 4, KEY_END = 54, ROW_MOST = 8 };

typedef struct Keyword {
  int64_t code;
  int corners;
  int64_t cell;  // VTK cell type; 0: counted only
  const char* name;
} Keyword;
static const Keyword KEYWORDS[] = {
    {5, 2, 0, "Edges"},  {6, 3, 5, "Triangles"},  {7, 4, 9, "Quadrilaterals"}, {8, 4, 10, "Tetrahedra"},
    {9, 6, 0, "Prisms"}, {10, 8, 0, "Hexahedra"}, {49, 5, 0, "Pyramids"},
};

typedef struct Binary {
  CpsMeshBuild* build;
  CpsNumbers n;
  CpsNumberType position, index, real;
} Binary;

static bool read_integer(Binary* b, CpsNumberType type, int64_t* x) {
  b->n.type = type;
  return cps_numbers_integer(&b->n, x);
}

static CpsStatus refuse(const Binary* b, const char* word, const char* what) {
  return cps_mesh_refuse(b->build, "byte %lld: %s: %s", (long long)(b->n.at - b->build->bytes), word, what);
}

// Number of rows with the given integers and reals; < 0 if it is missing or exceeds the file.
static int64_t read_count(Binary* b, int integers, int reals) {
  int64_t count;
  if (!read_integer(b, b->index, &count) || count < 0) return -1;
  const int64_t row = integers * (int64_t)cps_numbers_size(b->index) + reals * (int64_t)cps_numbers_size(b->real);
  return count <= (b->n.end - b->n.at) / row ? count : -1;
}

static CpsStatus read_vertices(Binary* b) {
  const int64_t count = read_count(b, 1, 3);
  if (count < 0) return refuse(b, "Vertices", "has no count, or one that exceeds the file");
  CpsStatus status = CPS_OK;
  for (int64_t i = 0; i < count && status == CPS_OK; ++i) {
    double x[3];
    int64_t reference;
    b->n.type = b->real;
    for (int k = 0; k < 3; ++k) {
      if (!cps_numbers_double(&b->n, &x[k])) return refuse(b, "Vertices", "the file ends");
    }
    if (!read_integer(b, b->index, &reference)) return refuse(b, "Vertices", "the file ends");
    status = cps_mesh_add_vertex(b->build, (CpsVec3){x[0], x[1], x[2]});
  }
  return status;
}

static CpsStatus read_elements(Binary* b, const Keyword* kind) {
  const int64_t count = read_count(b, kind->corners + 1, 0);
  if (count < 0) return refuse(b, kind->name, "has no count, or one that exceeds the file");
  CpsStatus status = CPS_OK;
  for (int64_t i = 0; i < count && status == CPS_OK; ++i) {
    int64_t corner[ROW_MOST], reference;
    for (int k = 0; k < kind->corners; ++k) {
      if (!read_integer(b, b->index, &corner[k])) return refuse(b, kind->name, "the file ends");
      if (corner[k] < 1) return refuse(b, kind->name, "vertex numbers must start at 1");
      corner[k] -= 1;
    }
    if (!read_integer(b, b->index, &reference)) return refuse(b, kind->name, "the file ends");
    status = cps_mesh_add_cell(b->build, kind->cell, corner, kind->corners);
  }
  return status;
}

// Reads the data of one keyword.
static CpsStatus read_keyword(Binary* b, int64_t code) {
  int64_t dimension;
  if (code == KEY_VERTICES) return read_vertices(b);
  if (code == KEY_DIMENSION && (!read_integer(b, CPS_NUMBER_I32, &dimension) || dimension != 3)) {
    return refuse(b, "Dimension", "must be 3");
  }
  for (size_t k = 0; k < sizeof KEYWORDS / sizeof *KEYWORDS; ++k) {
    if (KEYWORDS[k].code == code) return read_elements(b, &KEYWORDS[k]);
  }
  return CPS_OK;
}

bool cps_mesh_is_medit_binary(const CpsMeshBuild* build) {
  const unsigned char* b = build->bytes;
  const bool little = build->size >= 8 && b[0] == 1 && !b[1] && !b[2] && !b[3] && !b[5] && !b[6] && !b[7];
  const bool big = build->size >= 8 && !b[0] && !b[1] && !b[2] && b[3] == 1 && !b[4] && !b[5] && !b[6];
  return little || big;
}

CpsStatus cps_mesh_from_medit_binary(CpsMeshBuild* build) {
  Binary b = {.build = build, .position = CPS_NUMBER_I32, .index = CPS_NUMBER_I32, .real = CPS_NUMBER_F64};
  b.n = (CpsNumbers){.at = build->bytes, .end = build->bytes + build->size, .big = build->bytes[0] == 0};
  int64_t one = 0, version = 0, code = 0, next = 0;
  if (!read_integer(&b, CPS_NUMBER_I32, &one) || !read_integer(&b, CPS_NUMBER_I32, &version) || version < 1 ||
      version > 4) {
    return cps_mesh_refuse(build, "binary Medit of version %lld; 1 to 4 are read", (long long)version);
  }
  if (version == 1) b.real = CPS_NUMBER_F32;
  if (version >= 3) b.position = CPS_NUMBER_I64;
  if (version == 4) b.index = CPS_NUMBER_I64;
  while (read_integer(&b, CPS_NUMBER_I32, &code) && code != KEY_END) {
    if (!read_integer(&b, b.position, &next)) return refuse(&b, "keyword", "the file ends");
    CpsStatus status = read_keyword(&b, code);
    if (status != CPS_OK) return status;
    if (next == 0) break;
    // forward only: a backward position would loop
    if (next < b.n.at - build->bytes || next > (int64_t)build->size) {
      return refuse(&b, "keyword", "the next section does not follow this one in the file");
    }
    b.n.at = build->bytes + next;
  }
  return CPS_OK;
}
