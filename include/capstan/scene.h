/// @file scene.h
/// Scene files (YAML). Part of the library capstan-io. docs/reference/scene.md names every key.
#ifndef CAPSTAN_SCENE_H
#define CAPSTAN_SCENE_H

#include "capstan/fibre.h"
#include "capstan/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that was read and checked. Opaque, immutable.
typedef struct CpsScene CpsScene;

/// Reads and checks a scene.
/// @param path       the file; other files are looked for beside it. A file of strands (hair.h) becomes a scene: its strands as they
///                   were combed, on a head that stands still for a second and then turns
/// @param overrides  `count` texts "key=value" that replace or add what the file says, "time.step=2 ms"; may be NULL
/// @param error      out: "FILE:LINE:COLUMN: PATH: what is wrong"
/// @return CPS_OK, CPS_FILE_ERROR, CPS_BAD_FORMAT (not YAML, unknown key, wrong type), CPS_BAD_DATA (a value out of
///         range) or CPS_NO_MEMORY
CPS_API CpsStatus cps_scene_load(const char* path, const char* const* overrides, int32_t count, CpsScene** scene,
                                 CpsError* error);
/// Called for each mistake in a scene, and for notes on valid input that may not be intended.
/// @param mistake   false: the sentence is a note
/// @param sentence  "FILE:LINE:COLUMN: PATH: what is wrong"
typedef void (*CpsTellFn)(bool mistake, const char* sentence, void* data);
/// As cps_scene_load(), but does not stop at the first mistake: reports all it can find, in the order of the file as
/// far as it was read, and `error` holds the first.
/// @param tell  may be NULL
CPS_API CpsStatus cps_scene_load_telling(const char* path, const char* const* overrides, int32_t count, CpsTellFn tell,
                                         void* data, CpsScene** scene, CpsError* error);
/// The same from text in memory (need not be zero-terminated).
/// @param name  used as the file name in error messages; other files are looked up in its folder
CPS_API CpsStatus cps_scene_parse(const char* text, size_t length, const char* name, const char* const* overrides,
                                  int32_t count, CpsScene** scene, CpsError* error);
/// Frees a scene. NULL is allowed.
CPS_API void cps_scene_destroy(CpsScene* scene);

/// Where pictures are taken from.
typedef struct CpsCamera {
  CpsVec3 eye;     ///< m
  CpsVec3 target;  ///< m, not at the eye; it lies in the middle of the picture
  CpsVec3 up;      ///< up direction of the picture, not along the view
  double fov;      ///< angle between the lower and the upper edge, degrees, 1 to 150
} CpsCamera;

/// What to do with things that are inside each other at the start.
typedef enum CpsStart {
  CPS_START_SEPARATE = 0,  ///< move them apart (cps_world_separate())
  CPS_START_KEEP = 1,      ///< leave them
  CPS_START_REFUSE = 2     ///< make no world
} CpsStart;

/// Information in a scene besides its world. Strings are owned by the scene.
typedef struct CpsSceneInfo {
  const char* title;       ///< never NULL
  const char* text;        ///< text that was read, with the overrides appended as comment lines; zero-terminated
  int32_t bodies;          ///< bodies, generated ones included
  int32_t obstacles;       ///< obstacles
  int32_t fibres;          ///< fibres, generated ones included
  int32_t sheets;          ///< sheets
  int32_t solids;          ///< soft solids
  int32_t grains;          ///< entries of grains
  int64_t particles;       ///< particles of all of them
  int32_t ties;            ///< ties, springs included
  CpsStart start;          ///< what to do with overlaps at the start
  double end;              ///< simulated time at which a run ends, s
  double frame_interval;   ///< simulated time between frames of the result, s; 0: every step
  bool output_contacts;    ///< whether frames hold the contacts
  bool output_tension;     ///< whether frames hold the axial force of fibres
  bool output_velocity;    ///< whether frames hold the velocity of the points of fibres and the vertices of sheets
  const char* sweep_vary;  ///< what `capstan sweep` varies, "KEY=VALUES; KEY=VALUES"; "" if the scene does not say
  const char* sweep_what;  ///< and what it gathers, "Q,Q"; "" if the scene does not say
  bool camera_placed;      ///< the scene sets the camera
  CpsCamera camera;        ///< if not placed: eye - target is the direction to see it from
  int64_t grain_cells;     ///< cells of the grid that the grains fill, about
  int64_t grain_bytes;     ///< memory that they need in a run, about (cps_grains_memory())
} CpsSceneInfo;

/// What the scene says.
CPS_API CpsSceneInfo cps_scene_info(const CpsScene* scene);
/// Settings of the world the scene describes.
CPS_API CpsWorldDef cps_scene_world_def(const CpsScene* scene);
/// Makes the world of a scene, and does with overlaps what it says; cps_world_overlap() of the world lists them. A scene that
/// goes on from a saved state keeps its own.
/// @param threads  threads of the world; 0: what the scene says
/// @return CPS_OK; CPS_BAD_DATA, also for overlaps that the scene refuses; or another error
CPS_API CpsStatus cps_scene_build(const CpsScene* scene, int32_t threads, CpsWorld** world, CpsError* error);

/// How the scene wants fibres to be inverted: its `inverse`, with the defaults for strands of files.
CPS_API CpsInvertOptions cps_scene_inversion(const CpsScene* scene);
/// Writes a world of a scene as a scene that continues from its state: running it gives the same bits as the world would
/// have. Two files are written, each whole or not at all: `path` is the text of the scene with everything that it includes,
/// overrides and changed settings of the world in their places (gravity, step, theta, adaptive, friction, restitution,
/// projection, method, local solver, tolerance, iterations, polish), and beside it, with the ending .state, the state, whose
/// bytes are those of this machine. Files that the scene names are named, not copied. Where the world is past the scene's end,
/// the end is moved by the scene's time. Objects added or removed by calls, including pulls, are not part of it: a world with
/// other bodies, obstacles or fibres than its scene cannot be read again.
/// @param path  usually ends in .yaml; an older file there is replaced
CPS_API CpsStatus cps_scene_save(const CpsScene* scene, const CpsWorld* world, const char* path, CpsError* error);
/// Name that the scene gives to the i-th body of its world ("tower[3]"); "" outside the range.
CPS_API const char* cps_scene_body_name(const CpsScene* scene, int32_t i);
/// The same for the i-th fibre ("hair[3]").
CPS_API const char* cps_scene_fibre_name(const CpsScene* scene, int32_t i);
/// How far the i-th fibre is from the strand of a file that it was fitted to, at equal arc lengths.
/// @param mean  out: mean distance, m; may be NULL
/// @param max   out: largest distance, m; may be NULL
/// @return false: the fibre was not fitted to a strand; nothing is written
CPS_API bool cps_scene_fibre_fit(const CpsScene* scene, int32_t i, double* mean, double* max);
/// The same for the i-th sheet.
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

/// The same for the thing that is at a place of its kind in the world of the scene; "" if the scene has none there.
CPS_API const char* cps_scene_thing_name(const CpsScene* scene, CpsThing thing);

/// Materials of the world, at least one: number 0 is what has none.
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
  const char* fallback;  ///< default as text, "" if the key must be there
  const char* summary;   ///< one line
} CpsSceneKey;
/// Key number i, NULL past the last.
CPS_API const CpsSceneKey* cps_scene_key(int32_t i);

#ifdef __cplusplus
}
#endif
#endif
