// Vertices of sheets that a scene names by where they are.
#include <string.h>

#include "io/scene/sheet_mesh.h"

// The named sides of a mesh.
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
  const int32_t nx = mesh->cells[0], ny = mesh->cells[1], ring = nx - rows + 1;  // the innermost ring of a disc
  if (mesh->form == CPS_SHEET_DISC) return ring <= 0 || vertex >= 1 + 3 * ring * (ring - 1);
  const int32_t across = mesh->form == CPS_SHEET_GRID ? nx + 1 : nx;  // vertices per row
  if (vertex >= across * (ny + 1)) return false;                      // the centre of a crossed cell
  int32_t i = vertex % across, j = vertex / across;
  return side == LEFT ? i < rows : side == RIGHT ? i > nx - rows : side == BOTTOM ? j < rows : j > ny - rows;
}

static bool is_corner(const CpsSheetLayout* mesh, int32_t vertex) {
  return (is_on_side(mesh, LEFT, 1, vertex) || is_on_side(mesh, RIGHT, 1, vertex)) &&
         (is_on_side(mesh, BOTTOM, 1, vertex) || is_on_side(mesh, TOP, 1, vertex));
}

static bool is_meant(const CpsPinMesh* of, const CpsPinPlace* place, int32_t vertex) {
  const CpsSheetLayout* mesh = of->mesh;
  const Side side = side_of(place->other->text);
  if (strcmp(place->other->key, "edge") == 0) return is_on_side(mesh, side, place->rows, vertex);
  bool all = strcmp(place->other->text, "all") == 0;
  return is_corner(mesh, vertex) && (all || is_on_side(mesh, side, 1, vertex));
}

static CpsStatus check(CpsReader* reader, const CpsPinMesh* of, CpsPinPlace* place) {
  const CpsSheetLayout* mesh = of->mesh;
  const CpsNode *edge = cps_node_find(place->pin, "edge"), *corners = cps_node_find(place->pin, "corners"),
                *rows = cps_node_find(place->pin, "rows");
  place->rows = cps_map_count(place->pin, "rows", 1);
  if (rows && !edge) return cps_key_fail(reader->error, CPS_BAD_FORMAT, rows, "only valid with edge");
  if (edge && !has_side(mesh, side_of(edge->text))) {
    return cps_node_fail(
        reader->error, CPS_BAD_DATA, edge,
        "this mesh has no edge of that name: a grid has left, right, bottom and top, a tube bottom and "
        "top, a disc a rim");
  }
  const bool across = edge && (side_of(edge->text) == LEFT || side_of(edge->text) == RIGHT);
  const int32_t most = mesh->cells[across || mesh->form == CPS_SHEET_DISC ? 0 : 1] + 1;
  if (rows && place->rows > most) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, rows, "from there, the mesh has only %d rows of vertices",
                         (int)most);
  }
  if (corners && mesh->form != CPS_SHEET_GRID) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, corners, "only a grid has corners");
  }
  return CPS_OK;
}

CpsPinMesh cps_scene_sheet_pins(const CpsSheetLayout* mesh) {
  static const char* const KEYS[] = {"edge", "corners", NULL};
  return (CpsPinMesh){.kind = "sheet",
                      .mesh = mesh,
                      .vertices = mesh->vertices,
                      .vertex_count = mesh->vertex_count,
                      .choices = "vertices, near, edge or corners",
                      .keys = KEYS,
                      .check = check,
                      .is_meant = is_meant};
}
