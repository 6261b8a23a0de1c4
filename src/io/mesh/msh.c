// Reading MSH files of Gmsh, versions 2 and 4.1, text or binary (of either byte order).
//
//   $MeshFormat | version type size | [binary: the integer 1] | $EndMeshFormat, then sections $Name … $EndName
//   2: $Nodes    n | tag x y z                        $Elements n | tag kind tags … vertices
//      binary                                         blocks: kind n tags, then tag, tags, vertices of each
//   4: $Nodes    blocks n least most | dim entity parametric n | n tags | n places x y z, parameters if parametric
//      $Elements blocks n least most | dim entity kind n | tag and vertices of each
//
// In binary files counts and tags of version 4 have 64 bits, everything else that is not a coordinate 32. Sections of other names are
// passed over. Vertices are named by tags, which need not be in a row.
#include <stdlib.h>
#include <string.h>

#include "io/mesh/internal.h"
#include "io/mesh/numbers.h"

typedef struct Tag {
  int64_t tag;
  int32_t vertex;
} Tag;

typedef struct Msh {
  CpsMeshBuild* build;
  CpsNumbers numbers;
  bool four, sorted;
  char section[64];
  Tag* tags;  // of the vertices; owned
  int64_t tag_room;
} Msh;

enum { CORNERS_MOST = 125 };
// Number of vertices of each kind of element; 0: unknown.
static const unsigned char CORNERS[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};

static CpsStatus refuse(const Msh* m, const char* what) {
  if (m->numbers.text) {
    return cps_mesh_refuse(m->build, "line %lld: $%s: %s", (long long)m->numbers.line, m->section, what);
  }
  return cps_mesh_refuse(m->build, "$%s: %s", m->section, what);
}

static const char ENDS[] = "expected a number";

// Reads a number: text, else 32 bits, or 64 bits in version 4.
static bool get_small(Msh* m, int64_t* x) {
  m->numbers.type = CPS_NUMBER_I32;
  return cps_numbers_integer(&m->numbers, x);
}
static bool get_large(Msh* m, int64_t* x) {
  m->numbers.type = m->four ? CPS_NUMBER_U64 : CPS_NUMBER_I32;
  return cps_numbers_integer(&m->numbers, x);
}

// Like get_small() or get_large(), but always as text: counts of version 2.
static bool get_text(Msh* m, int64_t* x) {
  bool binary = !m->numbers.text;
  m->numbers.text = true;
  bool found = cps_numbers_integer(&m->numbers, x);
  if (binary && found) cps_numbers_skip_line(&m->numbers);
  m->numbers.text = !binary;
  return found;
}

static CpsStatus get_place(Msh* m, CpsVec3* x) {
  m->numbers.type = CPS_NUMBER_F64;
  double* c[3] = {&x->x, &x->y, &x->z};
  for (int k = 0; k < 3; ++k) {
    if (!cps_numbers_double(&m->numbers, c[k])) return refuse(m, ENDS);
  }
  return CPS_OK;
}

static CpsStatus add_node(Msh* m, int64_t tag, CpsVec3 x) {
  const int32_t vertex = m->build->mesh.vertex_count;
  CpsStatus status = cps_mesh_add_vertex(m->build, x);
  if (status != CPS_OK) return status;
  if (vertex >= m->tag_room) {
    int64_t room = m->tag_room + m->tag_room / 2 + 64;
    Tag* grown = realloc(m->tags, (size_t)room * sizeof *grown);
    if (!grown) return cps_mesh_no_memory(m->build);
    m->tags = grown;
    m->tag_room = room;
  }
  m->tags[vertex] = (Tag){tag, vertex};
  return CPS_OK;
}

static CpsStatus read_nodes_two(Msh* m) {
  int64_t n, tag;
  if (!get_text(m, &n) || n < 0) return refuse(m, "has no count");
  for (int64_t i = 0; i < n; ++i) {
    CpsVec3 x;
    if (!get_small(m, &tag)) return refuse(m, ENDS);
    CpsStatus status = get_place(m, &x);
    if (status == CPS_OK) status = add_node(m, tag, x);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus read_node_block(Msh* m) {
  int64_t dim, entity, parametric, n;
  if (!get_small(m, &dim) || !get_small(m, &entity) || !get_small(m, &parametric) || !get_large(m, &n) || n < 0) {
    return refuse(m, ENDS);
  }
  if (!cps_numbers_fit(&m->numbers, n)) return refuse(m, "more vertices than fit in the file");
  int64_t* tag = malloc((size_t)(n + 1) * sizeof *tag);
  if (!tag) return cps_mesh_no_memory(m->build);
  CpsStatus status = CPS_OK;
  for (int64_t i = 0; i < n && status == CPS_OK; ++i) status = get_large(m, &tag[i]) ? CPS_OK : refuse(m, ENDS);
  for (int64_t i = 0; i < n && status == CPS_OK; ++i) {
    CpsVec3 x;
    status = get_place(m, &x);
    if (status == CPS_OK && parametric && dim > 0 && dim <= 3 && !cps_numbers_skip(&m->numbers, dim)) {
      status = refuse(m, ENDS);
    }
    if (status == CPS_OK) status = add_node(m, tag[i], x);
  }
  free(tag);
  return status;
}

static int compare_tags(const void* a, const void* b) {
  const Tag *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

// Sorts vertices by tag for the search.
static CpsStatus sort_tags(Msh* m) {
  const int32_t count = m->build->mesh.vertex_count;
  if (count > 0) qsort(m->tags, (size_t)count, sizeof *m->tags, compare_tags);
  for (int32_t i = 1; i < count; ++i) {
    if (m->tags[i].tag != m->tags[i - 1].tag) continue;
    return cps_mesh_refuse(m->build, "two vertices have the tag %lld", (long long)m->tags[i].tag);
  }
  m->sorted = true;
  return CPS_OK;
}

static CpsStatus read_nodes(Msh* m) {
  int64_t blocks, n, least, most;
  if (m->sorted) return refuse(m, "there are two lists of vertices");
  CpsStatus status = CPS_OK;
  if (!m->four) {
    status = read_nodes_two(m);
  } else if (!get_large(m, &blocks) || !get_large(m, &n) || !get_large(m, &least) || !get_large(m, &most)) {
    status = refuse(m, "should begin with four counts");
  } else {
    for (int64_t i = 0; i < blocks && status == CPS_OK; ++i) status = read_node_block(m);
    if (status == CPS_OK && n != m->build->mesh.vertex_count)
      status = refuse(m, "its blocks do not have the declared number of vertices");
  }
  return status == CPS_OK ? sort_tags(m) : status;
}

static bool find_vertex(const Msh* m, int64_t tag, int64_t* vertex) {
  const int32_t count = m->build->mesh.vertex_count;
  // consecutive tags are the usual case
  if (count > 0 && tag >= m->tags[0].tag && tag - m->tags[0].tag < count && m->tags[tag - m->tags[0].tag].tag == tag) {
    *vertex = m->tags[tag - m->tags[0].tag].vertex;
    return true;
  }
  const Tag key = {tag, 0};
  const Tag* found = count > 0 ? bsearch(&key, m->tags, (size_t)count, sizeof key, compare_tags) : NULL;
  if (found) *vertex = found->vertex;
  return found != NULL;
}

// Reads the vertices of an element and adds or counts it. Tags have 32 bits, or 64 in version 4.
static CpsStatus read_corners(Msh* m, int64_t kind) {
  int64_t corner[CORNERS_MOST], tag;
  const int count = CORNERS[kind];
  const int64_t cell = kind == 2 ? 5 : kind == 3 ? 9 : kind == 4 ? 10 : 0;  // VTK cell type
  for (int i = 0; i < count; ++i) {
    if (!get_large(m, &tag)) return refuse(m, ENDS);
    if (cell == 0) continue;
    if (find_vertex(m, tag, &corner[i])) continue;
    return cps_mesh_refuse(m->build, "an element refers to vertex %lld, and no vertex has that tag", (long long)tag);
  }
  return cps_mesh_add_cell(m->build, cell, corner, count);
}

static CpsStatus check_kind(const Msh* m, int64_t kind) {
  if (kind > 0 && kind < (int64_t)sizeof CORNERS) return CPS_OK;
  return cps_mesh_refuse(m->build, "$%s: an element has the unknown kind %lld", m->section, (long long)kind);
}

// Reads `count` elements: all of one kind in binary files, each of its own kind in text, where kind is 0.
static CpsStatus read_run(Msh* m, int64_t kind, int64_t count, int64_t tags) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t x, own = kind;
    if (!get_large(m, &x)) return refuse(m, ENDS);
    if (kind == 0 && (!get_small(m, &own) || !get_small(m, &tags))) return refuse(m, ENDS);
    CpsStatus status = check_kind(m, own);
    if (status != CPS_OK) return status;
    for (int64_t k = 0; k < tags; ++k) {
      if (!get_small(m, &x)) return refuse(m, ENDS);
    }
    status = read_corners(m, own);
    if (status != CPS_OK) return status;
  }
  return CPS_OK;
}

static CpsStatus read_elements_two(Msh* m) {
  int64_t n, kind, count, tags;
  if (!get_text(m, &n) || n < 0) return refuse(m, "has no count");
  if (m->numbers.text) return read_run(m, 0, n, 0);
  while (n > 0) {
    if (!get_small(m, &kind) || !get_small(m, &count) || !get_small(m, &tags)) return refuse(m, ENDS);
    if (count < 1 || count > n || tags < 0) return refuse(m, "a block has more elements than the section");
    CpsStatus status = check_kind(m, kind);
    if (status == CPS_OK) status = read_run(m, kind, count, tags);
    if (status != CPS_OK) return status;
    n -= count;
  }
  return CPS_OK;
}

static CpsStatus read_elements(Msh* m) {
  if (!m->sorted) return refuse(m, "stands before $Nodes");
  if (!m->four) return read_elements_two(m);
  int64_t blocks, n, least, most;
  if (!get_large(m, &blocks) || !get_large(m, &n) || !get_large(m, &least) || !get_large(m, &most)) {
    return refuse(m, "should begin with four counts");
  }
  for (int64_t i = 0; i < blocks; ++i) {
    int64_t dim, entity, kind, count;
    if (!get_small(m, &dim) || !get_small(m, &entity) || !get_small(m, &kind) || !get_large(m, &count) || count < 0) {
      return refuse(m, ENDS);
    }
    CpsStatus status = check_kind(m, kind);
    if (status == CPS_OK) status = read_run(m, kind, count, 0);
    if (status != CPS_OK) return status;
    n -= count;
  }
  return n == 0 ? CPS_OK : refuse(m, "its blocks do not have the declared number of elements");
}

static CpsStatus read_format(Msh* m) {
  double version;
  int64_t binary, size, one;
  m->numbers.text = true;
  m->numbers.type = CPS_NUMBER_F64;
  if (!cps_numbers_double(&m->numbers, &version) || !cps_numbers_integer(&m->numbers, &binary) ||
      !cps_numbers_integer(&m->numbers, &size)) {
    return refuse(m, "should be VERSION TYPE SIZE");
  }
  m->four = version > 4.05 && version < 4.15;
  if (!m->four && !(version >= 2.0 && version < 2.5)) {
    return cps_mesh_refuse(m->build, "is of version %g; versions 2 and 4.1 are read (gmsh -format msh41)", version);
  }
  if (size != 8) return refuse(m, "numbers must have 8 bytes");
  if (binary == 0) return CPS_OK;
  cps_numbers_skip_line(&m->numbers);
  m->numbers.text = false;
  if (!get_small(m, &one)) return refuse(m, ENDS);
  m->numbers.big = one != 1;
  return CPS_OK;
}

// Skips to the end of the line $EndNAME.
static bool find_end(Msh* m) {
  CpsNumbers* n = &m->numbers;
  const size_t length = strlen(m->section);
  for (const unsigned char* at = n->at; at + 4 + length <= n->end; ++at) {
    at = memchr(at, '$', (size_t)(n->end - at));
    if (!at || at + 4 + length > n->end) return false;
    if (memcmp(at, "$End", 4) != 0 || memcmp(at + 4, m->section, length) != 0) continue;
    for (; n->at < at; ++n->at) n->line += *n->at == '\n';
    cps_numbers_skip_line(n);
    return true;
  }
  return false;
}

static bool next_section(Msh* m) {
  CpsNumbers* n = &m->numbers;
  char word[sizeof m->section];
  const bool text = n->text;
  n->text = true;
  cps_numbers_word(n, word, sizeof word);
  if (word[0] == '$') {
    memcpy(m->section, word + 1, sizeof word - 1);
    cps_numbers_skip_line(n);
  }
  n->text = text;
  return word[0] == '$' && word[1] != '\0';
}

CpsStatus cps_mesh_from_msh(CpsMeshBuild* build) {
  Msh m = {.build = build, .numbers = {.at = build->bytes, .end = build->bytes + build->size, .text = true, .line = 1}};
  CpsStatus status = CPS_OK;
  while (status == CPS_OK && next_section(&m)) {
    if (strcmp(m.section, "MeshFormat") == 0) status = read_format(&m);
    if (strcmp(m.section, "Nodes") == 0) status = read_nodes(&m);
    if (strcmp(m.section, "Elements") == 0) status = read_elements(&m);
    if (status == CPS_OK && !find_end(&m)) status = cps_mesh_refuse(build, "$%s does not end", m.section);
  }
  free(m.tags);
  return status;
}
