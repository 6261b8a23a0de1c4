// Meshes of the sheets of a scene, in their own axes.
#ifndef CAPSTAN_IO_SCENE_SHEET_MESH_H
#define CAPSTAN_IO_SCENE_SHEET_MESH_H

#include "io/scene/pins.h"

typedef enum CpsSheetForm { CPS_SHEET_GRID, CPS_SHEET_DISC, CPS_SHEET_TUBE, CPS_SHEET_FILE } CpsSheetForm;

typedef struct CpsSheetLayout {
  CpsSheetForm form;
  const CpsNode* node;  // that says it, for sentences
  int32_t cells[2];     // of a grid along x and y, of a tube around and along; of a disc its rings
  int32_t vertex_count, triangle_count;
  CpsVec3* vertices;
  int32_t* triangles;
  double* texture;  // two numbers for each corner of each triangle, m; NULL: none
} CpsSheetLayout;

// Builds the mesh that `grid`, `disc`, `tube` or `file` of a map describes, in the scene's memory; one of these keys is required.
CpsStatus cps_scene_sheet_mesh(CpsReader* reader, const CpsNode* map, CpsSheetLayout* out);
// The same for a file (sheet_file.c).
CpsStatus cps_scene_sheet_file(CpsReader* reader, const CpsNode* map, CpsSheetLayout* out);
// Bends a grid of this length along x over a cylinder (sheet_over.c).
CpsStatus cps_scene_sheet_over(CpsReader* reader, const CpsNode* node, double length, CpsSheetLayout* out);
// Allocates a mesh within the budget of the scene. The counts are doubles, so that no product can overflow.
CpsStatus cps_scene_sheet_take(CpsReader* reader, double vertices, double triangles, CpsSheetLayout* out);

// The parts that pins can name (sheet_pins.c).
CpsPinMesh cps_scene_sheet_pins(const CpsSheetLayout* mesh);

#endif
