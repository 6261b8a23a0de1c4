// Reading files of Medit (.mesh), text: a keyword, a count, and rows of numbers. Indices count from 1; a row ends with a reference
// number, which is passed over.
//
//   MeshVersionFormatted 2 | Dimension 3 | Vertices n, x y z ref | Triangles n, a b c ref | Tetrahedra n, a b c d ref | End
#include <stdlib.h>
#include <string.h>

#include "io/mesh/internal.h"
#include "io/mesh/numbers.h"

typedef struct Keyword {
  const char* name;
  int corners;   // per element; 0: vertices
  int64_t cell;  // VTK cell type; 0: counted only
} Keyword;
static const Keyword KEYWORDS[] = {
    {"Vertices", 0, 0},  {"Triangles", 3, 5}, {"Quadrilaterals", 4, 9}, {"Tetrahedra", 4, 10}, {"Edges", 2, 0},
    {"Hexahedra", 8, 0}, {"Hexaedra", 8, 0},  {"Prisms", 6, 0},         {"Pyramids", 5, 0},
};

static CpsStatus refuse(const CpsMeshBuild* build, const CpsNumbers* n, const char* word, const char* what) {
  return cps_mesh_refuse(build, "line %lld: %s: %s", (long long)n->line, word, what);
}

static CpsStatus read_vertex(CpsMeshBuild* build, CpsNumbers* n) {
  double x[4];
  for (int k = 0; k < 4; ++k) {
    if (!cps_numbers_double(n, &x[k])) return refuse(build, n, "Vertices", "expected a number");
  }
  return cps_mesh_add_vertex(build, (CpsVec3){x[0], x[1], x[2]});
}

static CpsStatus read_element(CpsMeshBuild* build, CpsNumbers* n, const Keyword* kind) {
  int64_t corner[8], reference;
  for (int k = 0; k < kind->corners; ++k) {
    if (!cps_numbers_integer(n, &corner[k])) return refuse(build, n, kind->name, "expected an integer");
    if (corner[k] < 1) return refuse(build, n, kind->name, "vertex numbers must start at 1");
    corner[k] -= 1;
  }
  if (!cps_numbers_integer(n, &reference)) return refuse(build, n, kind->name, "expected an integer");
  return cps_mesh_add_cell(build, kind->cell, corner, kind->corners);
}

static CpsStatus read_rows(CpsMeshBuild* build, CpsNumbers* n, const Keyword* kind) {
  int64_t count;
  if (!cps_numbers_integer(n, &count) || count < 0) return refuse(build, n, kind->name, "has no count");
  if (!cps_numbers_fit(n, count)) return refuse(build, n, kind->name, "the count exceeds the file");
  CpsStatus status = CPS_OK;
  for (int64_t i = 0; i < count && status == CPS_OK; ++i) {
    status = kind->corners == 0 ? read_vertex(build, n) : read_element(build, n, kind);
  }
  return status;
}

CpsStatus cps_mesh_from_medit(CpsMeshBuild* build) {
  CpsNumbers n = {
      .at = build->bytes, .end = build->bytes + build->size, .type = CPS_NUMBER_F64, .text = true, .line = 1};
  char word[64];
  int64_t dimension = 3;
  CpsStatus status = CPS_OK;
  for (cps_numbers_word(&n, word, sizeof word); status == CPS_OK && word[0]; cps_numbers_word(&n, word, sizeof word)) {
    if (word[0] == '#') cps_numbers_skip_line(&n);
    if (strcmp(word, "End") == 0) break;
    if (strcmp(word, "Dimension") == 0 && (!cps_numbers_integer(&n, &dimension) || dimension != 3)) {
      status = refuse(build, &n, word, "must be 3");
    }
    for (size_t k = 0; status == CPS_OK && k < sizeof KEYWORDS / sizeof *KEYWORDS; ++k) {
      if (strcmp(word, KEYWORDS[k].name) == 0) status = read_rows(build, &n, &KEYWORDS[k]);
    }
  }
  return status;
}
