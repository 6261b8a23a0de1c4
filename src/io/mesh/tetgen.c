// Reading files of TetGen: NAME.node has the vertices, NAME.ele the tetrahedra. Both begin with a line of counts; what stands
// behind a # is a comment. Vertices count from 0 or from 1, as the first line of NAME.node says.
//
//   node: n 3 attributes markers | number x y z attributes … marker …
//   ele:  n corners attributes   | number a b c d attributes …       corners: 4; 10 are curved and counted only
#include "io/mesh/tetgen.h"

#include <string.h>

#include "io/mesh/numbers.h"

// The words of the next line that is not empty or a comment. False at the end.
static bool next_line(CpsNumbers* n, CpsNumbers* line) {
  while (n->at < n->end) {
    const unsigned char* end = memchr(n->at, '\n', (size_t)(n->end - n->at));
    const unsigned char* stop = end ? end : n->end;
    const unsigned char* comment = memchr(n->at, '#', (size_t)(stop - n->at));
    *line = (CpsNumbers){
        .at = n->at, .end = comment ? comment : stop, .type = CPS_NUMBER_F64, .text = true, .line = n->line};
    cps_numbers_skip_line(n);
    CpsNumbers look = *line;
    char word[4];
    cps_numbers_word(&look, word, sizeof word);
    if (word[0]) return true;
  }
  return false;
}

static CpsStatus refuse(const CpsMeshBuild* build, const CpsNumbers* line, const char* what) {
  return cps_mesh_refuse(build, "line %lld: %s", (long long)line->line, what);
}

static CpsNumbers begin(const CpsMeshBuild* build) {
  return (CpsNumbers){
      .at = build->bytes, .end = build->bytes + build->size, .type = CPS_NUMBER_F64, .text = true, .line = 1};
}

CpsStatus cps_mesh_from_node(CpsMeshBuild* build, int64_t* first) {
  CpsNumbers n = begin(build), line = n;
  int64_t count, dimension, number;
  *first = 0;
  if (!next_line(&n, &line) || !cps_numbers_integer(&line, &count) || !cps_numbers_integer(&line, &dimension) ||
      count < 0 || dimension != 3) {
    return refuse(build, &line, "should be COUNT 3 ATTRIBUTES MARKERS");
  }
  for (int64_t i = 0; i < count; ++i) {
    double x[3];
    if (!next_line(&n, &line)) return refuse(build, &line, "the file has fewer vertices than it declares");
    if (!cps_numbers_integer(&line, &number)) return refuse(build, &line, "should be NUMBER X Y Z");
    for (int k = 0; k < 3; ++k) {
      if (!cps_numbers_double(&line, &x[k])) return refuse(build, &line, "should be NUMBER X Y Z");
    }
    if (i == 0) *first = number;
    if (number != *first + i) return refuse(build, &line, "vertices must be numbered consecutively");
    CpsStatus status = cps_mesh_add_vertex(build, (CpsVec3){x[0], x[1], x[2]});
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

CpsStatus cps_mesh_from_ele(CpsMeshBuild* build, int64_t first) {
  CpsNumbers n = begin(build), line = n;
  int64_t count, corners, number, corner[4];
  if (!next_line(&n, &line) || !cps_numbers_integer(&line, &count) || !cps_numbers_integer(&line, &corners) ||
      count < 0 || (corners != 4 && corners != 10)) {
    return refuse(build, &line, "should be COUNT CORNERS ATTRIBUTES, with 4 or 10 corners");
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!next_line(&n, &line)) return refuse(build, &line, "the file has fewer tetrahedra than it declares");
    if (corners == 10) {
      build->mesh.skipped_cells++;
      continue;
    }
    if (!cps_numbers_integer(&line, &number)) return refuse(build, &line, "should be NUMBER A B C D");
    for (int k = 0; k < 4; ++k) {
      if (!cps_numbers_integer(&line, &corner[k])) return refuse(build, &line, "should be NUMBER A B C D");
      if (corner[k] < first) return refuse(build, &line, "a vertex number is below the first one");
      corner[k] -= first;
    }
    CpsStatus status = cps_mesh_add_tetrahedron(build, corner);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}
