/// @file scene.h Scene files (YAML). Part of the library capstan-io. docs/reference/scene.md lists every key.
#ifndef CAPSTAN_SCENE_H
#define CAPSTAN_SCENE_H

#include "capstan/fibre.h"
#include "capstan/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that has been read and checked. Opaque, immutable.
typedef struct CpsScene CpsScene;

/// Reads and checks a scene.
/// @param path       the scene file; relative paths in it are resolved from its folder. A hair file (hair.h) becomes a
///                   scene: its strands in their groomed shape, on a head that rests for a second and then turns
/// @param overrides  `count` strings "key=value" that override or add values, "time.step=2 ms"; may be NULL
/// @param error      out: "FILE:LINE:COLUMN: PATH: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT (not YAML, unknown key, wrong type), CPS_BAD_DATA (a value out of
///         range) or CPS_NO_MEMORY
CPS_API CpsStatus cps_scene_load(const char* path, const char* const* overrides, int32_t count, CpsScene** scene,
                                 CpsError* error);
/// Called for each mistake in a scene, and for notes on valid input that may be unintended.
/// @param mistake   false: the message is a note
/// @param sentence  "FILE:LINE:COLUMN: PATH: what is wrong"
typedef void (*CpsTellFn)(bool mistake, const char* sentence, void* data);
/// As cps_scene_load(), but reports all mistakes it can find, in file order, instead of stopping at the first; `error`
/// holds the first.
/// @param tell  may be NULL
CPS_API CpsStatus cps_scene_load_telling(const char* path, const char* const* overrides, int32_t count, CpsTellFn tell,
                                         void* data, CpsScene** scene, CpsError* error);
/// The same from text in memory (need not be zero-terminated).
/// @param name  used as the file name in error messages; other files are looked up in its folder
CPS_API CpsStatus cps_scene_parse(const char* text, size_t length, const char* name, const char* const* overrides,
                                  int32_t count, CpsScene** scene, CpsError* error);
/// Frees a scene. NULL is allowed.
CPS_API void cps_scene_destroy(CpsScene* scene);

/// The camera of pictures.
typedef struct CpsCamera {
  CpsVec3 eye;     ///< m
  CpsVec3 target;  ///< m, different from the eye; the centre of the picture
  CpsVec3 up;      ///< up direction of the picture, not along the view
  double fov;      ///< vertical field of view, degrees, 1 to 150
} CpsCamera;

/// What to do with initial overlaps.
typedef enum CpsStart {
  CPS_START_SEPARATE = 0,  ///< move them apart (cps_world_separate())
  CPS_START_KEEP = 1,      ///< keep them
  CPS_START_REFUSE = 2     ///< reject the scene
} CpsStart;

/// Information in a scene besides its world. Strings are owned by the scene.
typedef struct CpsSceneInfo {
  const char* title;       ///< never NULL
  const char* text;        ///< the scene text, with the overrides appended as comment lines; zero-terminated
  int32_t bodies;          ///< bodies, including generated ones
  int32_t obstacles;       ///< obstacles
  int32_t fibres;          ///< fibres, including generated ones
  int32_t sheets;          ///< sheets
  int32_t solids;          ///< soft solids
  int32_t grains;          ///< entries under `grains`
  int64_t particles;       ///< total number of particles
  int32_t ties;            ///< ties, including springs
  CpsStart start;          ///< what to do with initial overlaps
  double end;              ///< simulated time at which a run ends, s
  double frame_interval;   ///< simulated time between frames of the result, s; 0: every step
  bool output_contacts;    ///< whether frames contain the contacts
  bool output_tension;     ///< whether frames contain the axial force of fibres
  bool output_velocity;    ///< whether frames contain the velocities of fibre points and sheet vertices
  const char* sweep_vary;  ///< parameters varied by `capstan sweep`, "KEY=VALUES; KEY=VALUES"; "" if not given
  const char* sweep_what;  ///< quantities collected by `capstan sweep`, "Q,Q"; "" if not given
  bool camera_placed;      ///< the scene sets the camera
  CpsCamera camera;        ///< if not placed, only the view direction eye - target is used
  int64_t grain_cells;     ///< approximate number of grid cells filled by the grains, or elements of a flow
  int64_t grain_bytes;     ///< approximate memory for the grains in a run (cps_grains_memory(), cps_flow_memory())
  bool flow;               ///< the grains are a flow in a fixed domain; particles are its points
  bool flow_inertial;      ///< and its friction depends on the inertial number
} CpsSceneInfo;

/// Reads the scene information.
CPS_API CpsSceneInfo cps_scene_info(const CpsScene* scene);
/// World settings of the scene.
CPS_API CpsWorldDef cps_scene_world_def(const CpsScene* scene);
/// Builds the world of a scene and treats overlaps as the scene specifies; cps_world_overlap() lists them. A scene that
/// continues from a saved state keeps its overlaps.
/// @param threads  threads of the world; 0: as in the scene
/// @return CPS_OK; CPS_BAD_DATA, also for overlaps that the scene rejects; or another error
CPS_API CpsStatus cps_scene_build(const CpsScene* scene, int32_t threads, CpsWorld** world, CpsError* error);

/// Inversion options of the scene: its `inverse`, with the defaults for strands from files.
CPS_API CpsInvertOptions cps_scene_inversion(const CpsScene* scene);
/// Writes a world as a scene that continues from its current state, bit-identical to continuing the world. Two files
/// are written, each atomically: `path` contains the text of the scene with its includes, overrides and changed world
/// settings (gravity, step, theta, adaptive, friction, restitution, projection, method, local solver, tolerance,
/// iterations, polish), and a file next to it with the extension .state contains the state, in the byte order of this
/// machine. Files named by the scene are not copied. If the world is past the end of the scene, the end is extended by
/// the duration of the scene. Pulls and loads added by calls are not included. A world with other objects than its scene
/// is refused, because it could not be read back.
/// @param path  usually ends in .yaml; an existing file is replaced
/// @return CPS_OK, CPS_BAD_ARGUMENT (also if the numbers of objects differ), CPS_FILE_ERROR or CPS_NO_MEMORY
CPS_API CpsStatus cps_scene_save(const CpsScene* scene, const CpsWorld* world, const char* path, CpsError* error);
/// Name of the i-th body of the scene's world ("tower[3]"); "" outside the range.
CPS_API const char* cps_scene_body_name(const CpsScene* scene, int32_t i);
/// The same for the i-th fibre ("hair[3]").
CPS_API const char* cps_scene_fibre_name(const CpsScene* scene, int32_t i);
/// Distance between the i-th fibre and the strand to which it was fitted, at equal arc lengths.
/// @param mean  out: mean distance, m; may be NULL
/// @param max   out: largest distance, m; may be NULL
/// @return false: the fibre was not fitted to a strand; nothing is written
CPS_API bool cps_scene_fibre_fit(const CpsScene* scene, int32_t i, double* mean, double* max);
/// A strand of a hair file that was left out of the scene because it has no usable shape.
typedef struct CpsSceneSkipped {
  const char* fibres;  ///< entry of `fibres` that reads the file
  const char* file;    ///< as the scene spells it
  int64_t strand;      ///< position in the file, from 0; -1: the index is out of range
  bool finite;         ///< true: it has no length; false: a number is not finite
} CpsSceneSkipped;
/// Number of such strands, over all files.
CPS_API int64_t cps_scene_skipped_count(const CpsScene* scene);
/// The i-th of them.
CPS_API CpsSceneSkipped cps_scene_skipped(const CpsScene* scene, int64_t i);
/// Name of the i-th sheet, as for bodies.
CPS_API const char* cps_scene_sheet_name(const CpsScene* scene, int32_t i);
/// The same for the i-th solid.
CPS_API const char* cps_scene_solid_name(const CpsScene* scene, int32_t i);
/// The same for the i-th tie ("ties[3]" for one without a name).
CPS_API const char* cps_scene_tie_name(const CpsScene* scene, int32_t i);
/// The model of the i-th fibre; CPS_ROD_MODEL_COUNT outside the range.
CPS_API CpsRodModel cps_scene_fibre_model(const CpsScene* scene, int32_t i);
/// The shape of the i-th body or obstacle, for writers and viewers: kind CPS_SHAPE_NONE outside the range.
CPS_API CpsShape cps_scene_body_shape(const CpsScene* scene, int32_t i);
/// The same for the i-th obstacle.
CPS_API CpsShape cps_scene_obstacle_shape(const CpsScene* scene, int32_t i);
/// Name of the i-th obstacle; "" outside the range.
CPS_API const char* cps_scene_obstacle_name(const CpsScene* scene, int32_t i);

/// The same for an object, given by its kind and index in the world of the scene; "" if there is none.
CPS_API const char* cps_scene_thing_name(const CpsScene* scene, CpsThing thing);

/// Number of materials of the world, at least one: number 0 is for objects without a material.
CPS_API int32_t cps_scene_material_count(const CpsScene* scene);
/// Name of the i-th material; "" for number 0 and outside the range.
CPS_API const char* cps_scene_material_name(const CpsScene* scene, int32_t i);
/// Number of the material of the i-th body; 0 outside the range.
CPS_API CpsMaterialId cps_scene_body_material(const CpsScene* scene, int32_t i);
/// The same for the i-th obstacle.
CPS_API CpsMaterialId cps_scene_obstacle_material(const CpsScene* scene, int32_t i);
/// The same for the i-th fibre.
CPS_API CpsMaterialId cps_scene_fibre_material(const CpsScene* scene, int32_t i);
/// The same for the i-th sheet.
CPS_API CpsMaterialId cps_scene_sheet_material(const CpsScene* scene, int32_t i);
/// The same for the i-th solid.
CPS_API CpsMaterialId cps_scene_solid_material(const CpsScene* scene, int32_t i);

/// One key of the schema, in the order of the documentation. All strings are static.
typedef struct CpsSceneKey {
  const char* path;      ///< "bodies.*.box.size"
  const char* type;      ///< "length[3]", "name", "number"
  const char* fallback;  ///< default as text, "" if the key is required
  const char* summary;   ///< one line
} CpsSceneKey;
/// Key number i; NULL past the last one.
CPS_API const CpsSceneKey* cps_scene_key(int32_t i);

#ifdef __cplusplus
}
#endif
#endif
