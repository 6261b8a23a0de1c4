/// @file result.h
/// Result files (HDF5). Part of the library capstan-io. docs/reference/result.md describes every dataset.
///
/// A frame becomes valid when the counter written after it includes it. A small checksummed journal next to the file
/// holds the last frame and the state from which a run resumes: a process killed at any moment loses at most the last
/// frame.
#ifndef CAPSTAN_RESULT_H
#define CAPSTAN_RESULT_H

#include "capstan/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The penetration with the largest depth / radius (CpsOverlap). Zeroed: none.
typedef struct CpsDeepest {
  double depth;       ///< m; 0: no penetration
  double radius;      ///< of the smaller of the two, m
  double time;        ///< end time of the step at whose beginning it occurred, s
  CpsVec3 point;      ///< position, m
  CpsThing thing[2];  ///< the two objects, by kind and index; no generation
} CpsDeepest;

/// Extracts it from the step information.
CPS_API CpsDeepest cps_step_deepest_of(const CpsStepInfo* info);

/// Totals of a run so far, kept in the file so that a resumed run continues counting.
typedef struct CpsRunTotals {
  int64_t steps;           ///< steps taken
  int64_t unsolved_steps;  ///< of these, with an island not solved to the tolerance
  int32_t contacts_max;    ///< largest number of contacts
  int64_t iterations;      ///< sum over the steps of the largest number of iterations of an island
  double residual_max;     ///< largest residual
  double penetration_max;  ///< largest penetration, m
  CpsDeepest deepest;      ///< penetration with the largest depth relative to the size of the objects
  double energy_error;     ///< largest CpsEnergy.error
  double wall_seconds;     ///< wall-clock time of all steps; `capstan run` includes writing frames
  int64_t crossings;       ///< places where fibres passed through each other
  int64_t broken;          ///< ties that broke
  int64_t stopped;         ///< groups stopped together as a last resort (CpsStepInfo)
} CpsRunTotals;

/// Adds a step to the totals.
CPS_API void cps_run_totals_add(CpsRunTotals* totals, const CpsStepInfo* info, const CpsEnergy* energy);

/// A result being written. Opaque.
typedef struct CpsResultWriter CpsResultWriter;

/// Starts a new result. An existing file at `path` is kept until the first frame of the new one is safely written.
CPS_API CpsStatus cps_result_create(const char* path, const CpsScene* scene, CpsResultWriter** writer, CpsError* error);
/// Opens a result to resume it: checks that it was made from the same scene, discards unfinished data, and
/// loads the last state into `world` (built from the scene).
/// @param[out] totals  the totals at that state
CPS_API CpsStatus cps_result_resume(const char* path, const CpsScene* scene, CpsWorld* world, CpsRunTotals* totals,
                                    CpsResultWriter** writer, CpsError* error);
/// Drops the last frame (never the first), so that the next one replaces it; the series of its steps are kept. For a
/// run stopped between two scheduled frames: call it right after cps_result_resume(), and the file will equal that of
/// an uninterrupted run.
CPS_API CpsStatus cps_result_drop_frame(CpsResultWriter* writer, CpsError* error);
/// Writes a frame with the state of the world and, if the scene requests it, the contacts. Once it returns CPS_OK, the
/// frame survives if the process is killed.
CPS_API CpsStatus cps_result_write(CpsResultWriter* writer, const CpsWorld* world, const CpsStepInfo* info,
                                   const CpsRunTotals* totals, CpsError* error);
/// Adds the scalars of a step (time, contacts, residual, iterations, energies, …) to the series; they are flushed with
/// the next frame.
CPS_API CpsStatus cps_result_add_step(CpsResultWriter* writer, const CpsWorld* world, const CpsStepInfo* info,
                                      CpsError* error);
/// Marks the run as finished, closes the file and removes the journal. NULL is allowed.
CPS_API CpsStatus cps_result_finish(CpsResultWriter* writer, CpsError* error);
/// Closes the file so that it can be resumed. NULL is allowed.
CPS_API void cps_result_close(CpsResultWriter* writer);

/// A result being read. Opaque.
typedef struct CpsResult CpsResult;
/// Whether a file is marked as a result (it may still be damaged).
CPS_API bool cps_result_recognise(const char* path);
/// Opens a result, even if its writer was killed or is still running.
CPS_API CpsStatus cps_result_open(const char* path, CpsResult** result, CpsError* error);
/// Closes it. NULL is allowed.
CPS_API void cps_result_destroy(CpsResult* result);

/// Information about a result. Strings are owned by the result.
typedef struct CpsResultInfo {
  const char* title;        ///< of the scene
  const char* scene_text;   ///< the scene file with the overrides
  const char* version;      ///< of the library that wrote it
  int32_t bodies;           ///< number of bodies
  int32_t obstacles;        ///< number of obstacles
  int32_t fibres;           ///< number of fibres
  int32_t ties;             ///< number of ties, including broken ones
  int32_t lines;            ///< centrelines: one per fibre, and one per branch of a tree
  int64_t fibre_points;     ///< points of all these lines in a frame
  int32_t sheets;           ///< number of surfaces: sheets, then solids
  int32_t solids;           ///< number of solids among them
  int64_t sheet_vertices;   ///< vertices of all sheets and solids
  int64_t sheet_triangles;  ///< triangles of all sheets, and of the surfaces of solids
  int64_t solid_vertices;   ///< number of vertices of solids, at the end
  int64_t tetrahedra;       ///< of all solids; 0 for results of formats before 8
  int64_t particles;        ///< particles of grains
  int64_t frames;           ///< valid frames
  int64_t steps;            ///< steps in the series
  double time;              ///< of the last frame, s
  double end;               ///< simulated time at which the run ends, s
  bool finished;            ///< whether the run is complete
  CpsRunTotals totals;      ///< at the last frame
  uint64_t hash;            ///< cps_world_hash() at the last frame
  bool contacts;            ///< whether frames contain contacts
  bool camera_placed;       ///< the scene sets the camera
  CpsCamera camera;         ///< if not placed, only the view direction eye - target is used; all 0: not given
} CpsResultInfo;
/// Reads the information about a result.
CPS_API CpsResultInfo cps_result_info(const CpsResult* result);
/// Time of frame i, NaN outside the range.
CPS_API double cps_result_frame_time(const CpsResult* result, int64_t frame);
/// Poses of all bodies in frame i.
/// @param[out] poses  info.bodies entries
CPS_API CpsStatus cps_result_frame_poses(const CpsResult* result, int64_t frame, CpsPose* poses, CpsError* error);
/// Particles of grains in frame i.
/// @param[out] positions  info.particles entries, m; may be NULL
/// @param[out] pressures  info.particles entries, Pa; may be NULL
CPS_API CpsStatus cps_result_frame_particles(const CpsResult* result, int64_t frame, CpsVec3* positions,
                                             double* pressures, CpsError* error);
/// Poses of all obstacles in frame i.
/// @param[out] poses  info.obstacles entries
CPS_API CpsStatus cps_result_frame_obstacles(const CpsResult* result, int64_t frame, CpsPose* poses, CpsError* error);

/// A part of the shape of a body or an obstacle; only compounds have more than one.
typedef struct CpsResultPart {
  bool is_obstacle;  ///< whose part it is
  int32_t owner;     ///< number of the body or obstacle
  CpsPose pose;      ///< in the axes of its owner
  CpsShape shape;    ///< never a compound; its points and triangles belong to the result
} CpsResultPart;
/// Reads all parts; they are loaded at the first call.
/// @param[out] parts  belong to the result
CPS_API CpsStatus cps_result_parts(CpsResult* result, const CpsResultPart** parts, int32_t* count, CpsError* error);

/// A centreline of a fibre. Zeroed: none.
typedef struct CpsResultLine {
  int32_t fibre;      ///< number of the fibre
  int32_t branch;     ///< branch of a tree, from 0; -1: the trunk, or not a tree
  int64_t first;      ///< its points are `first` to `first + count` - 1 of cps_result_frame_fibres()
  int32_t count;      ///< >= 2, at equal arc lengths
  double radius;      ///< contact radius at its first point, m; without contact, that of the cross-section
  double radius_tip;  ///< the same at its last point; linear in between
} CpsResultLine;
/// The radius at point k of a line, m.
CPS_API double cps_result_line_radius(const CpsResultLine* line, int32_t k);
/// Line i; zeroed outside the range.
CPS_API CpsResultLine cps_result_line(const CpsResult* result, int32_t i);
/// Points of all lines in frame i.
/// @param[out] points  info.fibre_points entries, m
/// @param[out] axes    second axis of the cross-section at each point; may be NULL
CPS_API CpsStatus cps_result_frame_fibres(const CpsResult* result, int64_t frame, CpsVec3* points, CpsVec3* axes,
                                          CpsError* error);

/// A sheet, or a solid with its surface. Zeroed: none.
typedef struct CpsResultSheet {
  int64_t first_vertex;    ///< index of its first vertex among those of all sheets
  int32_t vertex_count;    ///< >= 3
  int64_t first_triangle;  ///< the same for its triangles
  int32_t triangle_count;  ///< >= 1
  double thickness;        ///< m; for a solid twice the contact distance of its surface
} CpsResultSheet;
/// Sheet i; zeroed outside the range. Triangles and vertices are part of frames (frame.h).
CPS_API CpsResultSheet cps_result_sheet(const CpsResult* result, int32_t i);

/// One scalar series over the steps: "time", "step", "contacts", "residual", "iterations", "penetration", "kinetic", …
/// Results with
/// grains also have "runout", "runout_99", "outflow", "fraction", "fraction_max", "grain_speed", and the force of the
/// grains on each
/// obstacle and body: "force:NAME" is its magnitude, "force_x:NAME", "force_y:NAME" and "force_z:NAME" are its
/// components, N.
/// @param[out] values  info.steps entries; zeros if the file has an older format without that series
/// @return CPS_OK, or CPS_BAD_ARGUMENT with a message that lists the available series
CPS_API CpsStatus cps_result_series(const CpsResult* result, const char* name, double* values, CpsError* error);
/// Loads the state of frame i into a world with the same objects, to start a new run from it.
CPS_API CpsStatus cps_result_load_frame(const CpsResult* result, int64_t frame, CpsWorld* world, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
