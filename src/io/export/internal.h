// Shared by the writers of all formats.
#ifndef CAPSTAN_IO_EXPORT_INTERNAL_H
#define CAPSTAN_IO_EXPORT_INTERNAL_H

#include "capstan/export.h"
#include "capstan/frame.h"
#include "io/export/out.h"

// An export in progress.
typedef struct CpsExport {
  CpsResult* result;
  CpsShow* show;
  const CpsThings* things;
  const char* path;
  CpsExportOptions options;  // first and last are frames that are there
  double extent;             // half the edge of a half-space, m
  CpsExportInfo info;
  CpsError* error;
} CpsExport;

// The writers of the formats.
CpsStatus cps_export_pvd(CpsExport* e);
CpsStatus cps_export_usda(CpsExport* e);
CpsStatus cps_export_gltf(CpsExport* e);
CpsStatus cps_export_obj(CpsExport* e);
CpsStatus cps_export_csv(CpsExport* e);
CpsStatus cps_export_csv_contacts(CpsExport* e, CpsOut* out);  // a second table, closed, before it is renamed

int64_t cps_export_frames(const CpsExport* e);
// Reads a frame of the result; *frame belongs to the show.
CpsStatus cps_export_read(CpsExport* e, int64_t index, const CpsFrame** frame);
// The same for a format without NaN: refuses a frame that contains NaN.
CpsStatus cps_export_read_finite(CpsExport* e, int64_t index, const CpsFrame** frame);
// Reports to the caller that `done` frames are done; CPS_INTERRUPTED if the caller wants to stop.
CpsStatus cps_export_progress(CpsExport* e, int64_t done);
CpsStatus cps_export_no_memory(CpsExport* e);
// The last part of the path without the file extension, allocated; NULL if memory runs out.
char* cps_export_base_name(const CpsExport* e);

// Surfaces of the parts; parts of the same shape share one (meshes.c).
typedef struct CpsExportMeshes {
  int32_t count;
  CpsTriangles* mesh;
  int32_t* of_part;  // number of the mesh of each part
  int32_t* uses;     // parts that have each mesh
} CpsExportMeshes;
CpsStatus cps_export_meshes_make(CpsExport* e, CpsExportMeshes* meshes);
// Points of all parts.
int64_t cps_export_meshes_points(const CpsExportMeshes* meshes);
void cps_export_meshes_free(CpsExportMeshes* meshes);
// Pose of a part in a frame.
CpsPose cps_export_part_pose(const CpsFrame* frame, const CpsResultPart* part);

// Poses of some bodies or obstacles in all frames of the export (tracks.c): pose[i * frames + k] is the pose of number
// first + i in the k-th frame. The quaternions are unit and take the shortest rotation from frame to frame.
typedef struct CpsExportTracks {
  bool obstacles;
  int32_t first, count;
  CpsPose* pose;
} CpsExportTracks;
// How many objects fit into the memory reserved for them, at least 1.
int32_t cps_export_tracks_room(const CpsExport* e);
CpsStatus cps_export_tracks_read(CpsExport* e, CpsExportTracks* tracks);
bool cps_export_track_moves(const CpsExport* e, const CpsPose* track);

// Fibres as tubes (tubes.c): a ring of `sides` points with normals around each point of a line.
int64_t cps_export_tube_points(const CpsThings* things, int32_t sides);
int64_t cps_export_tube_triangles(const CpsThings* things, int32_t sides);
void cps_export_tube_fill(const CpsThings* things, const CpsFrame* frame, int32_t sides, CpsVec3* points,
                          CpsVec3* normals);
// Three indices for each triangle of the line with the given number; adds `first` to all. Returns the number of triangles.
int64_t cps_export_tube_indices(const CpsResultLine* line, int32_t sides, int64_t first, int64_t* indices);

// The midpoint of the two contact points, and a vector given along normal and tangents, converted to world axes.
CpsVec3 cps_export_contact_point(const CpsFrameContact* contact);
CpsVec3 cps_export_in_world(const CpsFrameContact* contact, const double x[3]);

// A colour for each material; things without a material have the colour of their kind.
typedef enum CpsExportKind { CPS_KIND_BODY, CPS_KIND_OBSTACLE, CPS_KIND_FIBRE, CPS_KIND_SHEET } CpsExportKind;
CpsVec3 cps_export_colour(CpsExportKind kind, int32_t material);
CpsVec3 cps_export_grain_colour(void);
// Its name: that of the material, or "body", "obstacle", "fibre", "sheet".
const char* cps_export_colour_name(const CpsThings* things, CpsExportKind kind, int32_t material);

#endif
