// Vertices of sheets that a scene names by where they are.
#include <string.h>

#include "io/scene/sheet_mesh.h"

// The sides of a mesh that have names.
typedef enum Side { LEFT, RIGHT, BOTTOM, TOP, RIM, SIDE_COUNT } Side;
static const char* const SIDES[SIDE_COUNT] = {"left", "right", "bottom", "top", "rim"};

static Side side_of(const char* text) {
  int side = 0;
  while (side < RIM && strcmp(text, SIDES[side]) != 0) ++side;
  return (Side)side;
}

static bool has_side(const CpsSheetLayout* mesh, Side side) {
  switch (mesh->form) {
    case CPS_SHEET_GRID:
      return side != RIM;
    case CPS_SHEET_DISC:
      return side == RIM;
    case CPS_SHEET_TUBE:
      return side == BOTTOM || side == TOP;
    default:
      return false;
  }
}

// Whether a vertex is in the first `rows` rows from a side.
static bool is_on_side(const CpsSheetLayout* mesh, Side side, int32_t rows, int32_t vertex) {
  const int32_t nx = mesh->cells[0], ny = mesh->cells[1], ring = nx - rows + 1;  // the innermost of a disc
  if (mesh->form == CPS_SHEET_DISC) return ring <= 0 || vertex >= 1 + 3 * ring * (ring - 1);
  const int32_t across = mesh->form == CPS_SHEET_GRID ? nx + 1 : nx;  // vertices in a row
  if (vertex >= across * (ny + 1)) return false;                      // the centre of a crossed cell
  int32_t i = vertex % across, j = vertex / across;
  return side == LEFT ? i < rows : side == RIGHT ? i > nx - rows : side == BOTTOM ? j < rows : j > ny - rows;
}

static bool is_corner(const CpsSheetLayout* mesh, int32_t vertex) {
  return (is_on_side(mesh, LEFT, 1, vertex) || is_on_side(mesh, RIGHT, 1, vertex)) &&
         (is_on_side(mesh, BOTTOM, 1, vertex) || is_on_side(mesh, TOP, 1, vertex));
}

// What a pin says about where its vertices are.
typedef struct Where {
  const CpsNode *vertices, *near, *edge, *corners;
  CpsVec3 point;
  double radius;
  int32_t rows;
} Where;

static bool is_meant(const CpsSheetLayout* mesh, const Where* where, int32_t vertex) {
  if (where->near) return cps_vec3_norm(cps_vec3_sub(mesh->vertices[vertex], where->point)) <= where->radius;
  if (where->edge) return is_on_side(mesh, side_of(where->edge->text), where->rows, vertex);
  bool all = strcmp(where->corners->text, "all") == 0;
  return is_corner(mesh, vertex) && (all || is_on_side(mesh, side_of(where->corners->text), 1, vertex));
}

static CpsStatus check(CpsReader* reader, const CpsNode* pin, const CpsSheetLayout* mesh, const Where* where) {
  if ((where->vertices != NULL) + (where->near != NULL) + (where->edge != NULL) + (where->corners != NULL) != 1) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, pin, "choose one: vertices, near, edge or corners");
  }
  if (cps_node_find(pin, "radius") && !where->near) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, cps_node_find(pin, "radius"), "goes with near");
  }
  if (cps_node_find(pin, "rows") && !where->edge) {
    return cps_key_fail(reader->error, CPS_BAD_FORMAT, cps_node_find(pin, "rows"), "goes with edge");
  }
  if (where->near && !cps_node_find(pin, "radius")) {
    return cps_node_fail(reader->error, CPS_BAD_FORMAT, pin, "the key 'radius' is missing: near needs one");
  }
  if (where->edge && !has_side(mesh, side_of(where->edge->text))) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, where->edge,
                         "this mesh has none of that name: a grid has left, right, bottom and top, a tube bottom and "
                         "top, a disc a rim");
  }
  if (where->corners && mesh->form != CPS_SHEET_GRID) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, where->corners, "only a grid has corners");
  }
  return CPS_OK;
}

static CpsStatus take_list(CpsReader* reader, const CpsNode* list, const CpsSheetLayout* mesh, int32_t** vertices,
                           int32_t* count) {
  if (list->count == 0) return cps_node_fail(reader->error, CPS_BAD_FORMAT, list, "expected at least one vertex");
  *vertices = CPS_TAKE(&reader->scene->memory, int32_t, list->count);
  if (!*vertices) return cps_scene_no_memory(reader);
  *count = 0;
  for (const CpsNode* node = list->first; node; node = node->next) {
    if (node->number >= mesh->vertex_count) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "the sheet has the vertices 0 to %d",
                           (int)mesh->vertex_count - 1);
    }
    (*vertices)[(*count)++] = (int32_t)node->number;
  }
  return CPS_OK;
}

CpsStatus cps_scene_pin_vertices(CpsReader* reader, const CpsNode* pin, const CpsSheetLayout* mesh, int32_t** vertices,
                                 int32_t* count) {
  const Where where = {.vertices = cps_node_find(pin, "vertices"),
                       .near = cps_node_find(pin, "near"),
                       .edge = cps_node_find(pin, "edge"),
                       .corners = cps_node_find(pin, "corners"),
                       .point = cps_map_vec3(pin, "near", cps_vec3(0.0, 0.0, 0.0)),
                       .radius = cps_map_number(pin, "radius", 0.0),
                       .rows = cps_map_count(pin, "rows", 1)};
  CpsStatus status = check(reader, pin, mesh, &where);
  if (status != CPS_OK) return status;
  if (where.vertices) return take_list(reader, where.vertices, mesh, vertices, count);
  *count = 0;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) *count += is_meant(mesh, &where, i);
  if (*count == 0) return cps_node_fail(reader->error, CPS_BAD_DATA, where.near, "no vertex is within the radius");
  *vertices = CPS_TAKE(&reader->scene->memory, int32_t, *count);
  if (!*vertices) return cps_scene_no_memory(reader);
  int32_t taken = 0;
  for (int32_t i = 0; i < mesh->vertex_count; ++i) {
    if (is_meant(mesh, &where, i)) (*vertices)[taken++] = i;
  }
  return CPS_OK;
}
