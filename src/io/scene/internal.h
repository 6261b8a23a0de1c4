// A scene in memory, and the data that the parts of its loader share.
#ifndef CAPSTAN_IO_SCENE_INTERNAL_H
#define CAPSTAN_IO_SCENE_INTERNAL_H

#include "capstan/flow.h"
#include "capstan/grains.h"
#include "capstan/inverse.h"
#include "capstan/scene.h"
#include "capstan/sheet.h"
#include "capstan/solid.h"
#include "capstan/tie.h"
#include "core/arena.h"
#include "core/quat.h"
#include "io/file_text.h"
#include "io/scene/check.h"
#include "io/scene/csv.h"

enum {
  CPS_SCENE_BODIES = 1000000,    // most bodies, generated ones included
  CPS_SCENE_FIBRES = 200000,     // most fibres, generated ones included
  CPS_FIBRE_ELEMENTS = 10000,    // most elements of one fibre with its branches
  CPS_SCENE_ELEMENTS = 4 << 20,  // most elements of all fibres
  CPS_SHEET_VERTICES = 500000,   // most vertices of a sheet or a solid
  CPS_HULL_POINTS = 10000,       // most points of a hull
  CPS_CURVE_POINTS = 20000,      // most points of a curve given by a formula
  CPS_SCENE_BUDGET = 64 << 20,   // what files, curves, hulls and stones may cost together; about bytes
  CPS_SCENE_TRIES = 1500000,     // to find places in packs
};

typedef struct CpsSceneMaterial {
  const char* name;
  double density, young, poisson;  // NaN: not said
  CpsPair pair;                    // against any other
} CpsSceneMaterial;

typedef struct CpsScenePair {
  int32_t a, b;  // materials
  CpsPair pair;
} CpsScenePair;

// The bodies of one entry of `bodies`.
typedef struct CpsSceneGroup {
  const char* name;
  const CpsNode* node;     // where it stands
  int32_t first, count;    // its bodies in the world
  bool numbered;           // they are called name[0], name[1], …
  CpsBodyDef def;          // what they share: all but shape and pose
  int32_t shape_count;     //
  const CpsShape* shapes;  //
  const int32_t* shape;    // which shape each has; NULL: the first
  const CpsPose* pose;     // of each
} CpsSceneGroup;

// The output of a generator: poses in its own axes, and shapes if it makes its own.
typedef struct CpsLayout {
  int32_t count;
  CpsPose* pose;
  int32_t shape_count;  // 0: the shape of the body
  CpsShape* shapes;
  int32_t* shape;  // which of them each has; NULL: the first
} CpsLayout;

// A fibre from a generator. Zero fields (but the pose) take the values of the entry of the fibre.
typedef struct CpsStrand {
  CpsPose pose;  // of the root, or of the axes of its points
  int32_t point_count, natural_count, curvature_count;
  const CpsVec3* points;          // its line, in these axes; the second axis of the section is the second of these axes
  const CpsVec3* natural;         // at equal distances, 1/m
  const CpsVec3* curvature;       // likewise; read without points
  bool natural_as_placed;         // instead of `natural`
  const double* element_lengths;  // of super-helices, m
  const CpsVec3* element_curvature;  // likewise, instead of `curvature`
  double length;                     // m; read without points
  double radius;                     // m
  bool fitted;                       // to a strand of a file
  double fit_mean, fit_max;          // distance from it, m
} CpsStrand;

// The output of a generator of fibres, in its own axes.
typedef struct CpsFibreLayout {
  int32_t count;
  CpsStrand* strand;
  const char* file;                    // the strands are from; NULL: none
  int64_t short_count, skipped_count;  // strands of it that were left out: those without a length, all
  const int64_t* skipped;              // their positions in it
} CpsFibreLayout;

// The fibres of one entry of `fibres`.
typedef struct CpsSceneFibres {
  const char* name;
  const CpsNode* node;      // where it stands
  int32_t first, count;     // its fibres in the world
  bool numbered;            // they are called name[0], name[1], …
  CpsFibreDef def;          // what they share
  int32_t root_on, tip_on;  // obstacles that carry the ends; -1: none
  bool equilibrium;         // they are at rest where they are: natural shapes are found for that
  bool implied;             // by default, for strands of a file
  bool fit_radius;   // contact radii are the largest, up to that of the definition, with which they hardly overlap
  double trim;       // length to which they are cut once their natural shapes are known; 0: not at all
  const char* rest;  // file that has their natural shapes; NULL: none
  CpsVec3 velocity, angular_velocity;
  CpsStrand* strand;    // of each, its pose in the world
  CpsFibreLayout from;  // where they come from, and what was left out
} CpsSceneFibres;

typedef struct CpsSceneSheet {
  const char* name;
  CpsSheetDef def;  // placed in the world
  int32_t* pin_on;  // obstacle that carries each pin; -1: none
} CpsSceneSheet;

typedef struct CpsSceneSolid {
  const char* name;
  CpsSolidDef def;         // placed in the world
  int32_t* pin_on;         // obstacle that carries each pin; -1: none
  int32_t triangle_count;  // of the surface
  const int32_t* triangles;
} CpsSceneSolid;

typedef struct CpsSceneGrains {
  CpsGrainsDef def;
  const CpsNode* node;  // where they stand
} CpsSceneGrains;

typedef struct CpsScenePull {
  CpsPullDef def;
  const CpsNode* node;   // where it stands
  CpsThingKind kind;     // body, fibre, sheet or solid
  int32_t first, count;  // of these; a sheet or a solid is one
  double fraction;       // where, as part of the length; NaN: def.s
  double branches;       // length of the branches of each, m: a fraction is one of the trunk
  bool at_point;         // the target is where the point is
} CpsScenePull;

// One side of a tie.
typedef struct CpsSceneAnchor {
  CpsThingKind kind;   // none: a point of the world
  int32_t index;       // of the thing in the world
  CpsVec3 point;       // body, obstacle, world; first coordinate NaN: where the other side is
  double s, fraction;  // fibre: arc length, or if not NaN the part of the length
  double branches;     // of a fibre: length of its branches, m
  int32_t vertex;      // sheet, solid: its number; -1: between corners, or
  bool nearest;        // at the point of it nearest to `point` when the scene is built
  int32_t corner_count, corners[4];
  double weights[4];
} CpsSceneAnchor;

typedef struct CpsSceneTie {
  CpsTieDef def;           // all but the sides
  CpsSceneAnchor side[2];  // a, b
  const CpsNode* node;     // for sentences
} CpsSceneTie;

typedef struct CpsSceneObstacle {
  const char* name;
  CpsObstacleDef def;
  const CpsNode* node;  // where it stands
} CpsSceneObstacle;

typedef struct CpsSceneLoad {
  CpsLoadDef def;
  const CpsNode* node;   // where it stands
  int32_t first, count;  // bodies; count < 0: all of the world
} CpsSceneLoad;

struct CpsScene {
  CpsArena memory;  // of all that follows
  const char* title;
  const char* text;
  CpsWorldDef def;
  CpsStart start;
  CpsInvertOptions invert;
  bool stiffen_said, most_said;  // these two of it were said
  bool unstable_allowed;
  double end, frame_interval;
  const char *sweep_vary, *sweep_what;  // never NULL once the settings are read
  bool output_contacts, output_tension, output_velocity, camera_placed;
  CpsCamera camera;
  int32_t output_fibre_points;  // 0: from the elements
  int32_t material_count, pair_count, group_count, obstacle_count, load_count, body_count;
  CpsSceneMaterial* materials;  // the first is the world's own, number 0
  CpsScenePair* pairs;
  CpsSceneGroup* groups;
  CpsSceneObstacle* obstacles;
  CpsSceneLoad* loads;
  const char** body_names;
  int32_t fibre_group_count, fibre_count, pull_count;
  CpsSceneFibres* fibre_groups;
  CpsScenePull* pulls;
  const char** fibre_names;
  int32_t sheet_count, solid_count;
  CpsSceneSheet* sheets;
  CpsSceneSolid* solids;
  CpsGridDef grid;
  int32_t grains_count;
  CpsSceneGrains* grains;
  CpsFlowDef flow;
  const CpsNode* flow_node;  // NULL: there is none
  int32_t tie_count;
  CpsSceneTie* ties;
  const char** tie_names;
  const char* state;  // bytes of a saved world, NULL: none
  size_t state_size;
  const char* state_name;
  CpsTree tree;  // what was read, with includes and overrides, for writing it again (save.c)
  CpsNode* root;
};

// A file that was included.
typedef struct CpsSceneFile CpsSceneFile;
struct CpsSceneFile {
  const char* name;
  const char* text;
  CpsSceneFile* older;
};

// Shared by the parts of the loader.
typedef struct CpsReader {
  CpsTree tree;
  CpsNode* root;
  CpsScene* scene;
  CpsError* error;
  CpsMistakes mistakes;
  CpsSceneFile* files;  // the newest first
  int32_t file_count;
  size_t bytes;      // of all files
  int64_t spent;     // of the budget
  int64_t tries;     // to find places, so far
  int64_t elements;  // of all fibres so far
  struct {
    bool things, loads, pulls, ties;
  } loaded;  // parts whose names have been looked up
} CpsReader;

// Files (files.c): adds the files that `include` names, below the keys of the root. `self` is the root's file.
CpsStatus cps_scene_include(CpsReader* reader, CpsNode* root, CpsFileId self);
// The path of a file that a node names, relative to the file of the node; NULL if memory runs out.
const char* cps_scene_path(CpsReader* reader, const CpsNode* node);
// The last part of a path.
const char* cps_scene_base_name(const char* path);
// A source with its folder; NULL if memory runs out.
const CpsSource* cps_scene_source(CpsTree* tree, const char* name);

// The text of a scene around a file of strands (groom.c), to be freed.
CpsStatus cps_scene_around_groom(const char* path, char** text, size_t* length, CpsError* error);

// Overrides (override.c): applies one "key=value" to the tree.
CpsStatus cps_scene_override(CpsReader* reader, const char* text);

// Everything after reading: the source text, with includes and overrides as comments (text.c).
CpsStatus cps_scene_keep_text(CpsReader* reader, const char* text, size_t length, const char* const* overrides,
                              int32_t count);

// Parts of the scene, in the order in which they are loaded.
CpsStatus cps_scene_load_settings(CpsReader* reader);
CpsStatus cps_scene_load_materials(CpsReader* reader);
CpsStatus cps_scene_load_obstacles(CpsReader* reader);
CpsStatus cps_scene_load_bodies(CpsReader* reader);
CpsStatus cps_scene_load_loads(CpsReader* reader);
CpsStatus cps_scene_load_fibres(CpsReader* reader);
CpsStatus cps_scene_load_sheets(CpsReader* reader);
CpsStatus cps_scene_load_solids(CpsReader* reader);
CpsStatus cps_scene_load_grains(CpsReader* reader);
CpsStatus cps_scene_load_flow(CpsReader* reader);  // after grains
CpsStatus cps_scene_load_pulls(CpsReader* reader);
CpsStatus cps_scene_load_ties(CpsReader* reader);
CpsStatus cps_scene_load_state(CpsReader* reader);

// Builds parts of the world (build_fibres.c): after obstacles and bodies.
CpsStatus cps_scene_add_fibres(const CpsScene* scene, const double* radii, CpsWorld* world, CpsError* error);
// Contact radii at which fibres of a world hardly overlap; NaN for fibres that do not request them.
CpsStatus cps_scene_fit_radii(const CpsScene* scene, CpsWorld* trial, double* radii, CpsError* error);
// An error of the world about an object of the scene, with its position and name.
CpsStatus cps_scene_build_fail(CpsError* error, CpsStatus status, const CpsNode* node, const char* name,
                               const CpsError* why);
CpsStatus cps_scene_add_pulls(const CpsScene* scene, CpsWorld* world, CpsError* error);
// Natural shapes of fibres at equilibrium (build_inverse.c); call after placing the fibres and their pulls.
CpsStatus cps_scene_invert(const CpsScene* scene, CpsWorld* world, CpsError* error);
// Sheets and solids (build_sheets.c).
CpsStatus cps_scene_add_sheets(const CpsScene* scene, CpsWorld* world, CpsError* error);
CpsStatus cps_scene_add_solids(const CpsScene* scene, CpsWorld* world, CpsError* error);
// Particles of a mesh or below a surface (grain_fill.c), in the scene's memory.
CpsStatus cps_scene_fill_grains(CpsReader* reader, const CpsNode* map, CpsGrainsDef* def);
int64_t cps_scene_particle_count(const CpsScene* scene);  // of its grains; INT64_MAX: too many to count
CpsStatus cps_scene_add_grains(const CpsScene* scene, CpsWorld* world, CpsError* error);
double cps_machine_memory(void);  // bytes
CpsStatus cps_scene_add_flow(const CpsScene* scene, CpsWorld* world, CpsError* error);
// A triangle surface in the order of results and frames: those of the sheets, then those of the solids (ask.c).
typedef struct CpsSceneSurface {
  const char* name;
  int32_t vertex_count, triangle_count;
  const int32_t* triangles;
  double thickness;
  CpsMaterialId material;
  int32_t tetrahedron_count;  // of a solid; else 0
  const int32_t* tetrahedra;
} CpsSceneSurface;
CpsSceneSurface cps_scene_surface(const CpsScene* scene, int32_t i);
// Shapes of its unloaded triangles, in the form of io/sheet_arrays.h.
void cps_scene_surface_rest(const CpsScene* scene, int32_t i, double* rest);
// Ties (build_ties.c): after everything that they can connect.
CpsStatus cps_scene_add_ties(const CpsScene* scene, CpsWorld* world, CpsError* error);
// Refuses ties that contradict each other, and notes tied points that are far apart at the start (tie_sense.c).
CpsStatus cps_scene_check_ties(CpsReader* reader);
// The saved world from which the scene continues, after everything else (state.c).
CpsStatus cps_scene_resume(const CpsScene* scene, CpsWorld* world, CpsError* error);
// A tree as text (emit.c): without `include` and `state`; names of files are relative to `folder` ("" or ending in /).
// @return allocated, zero-terminated; NULL if memory runs out
char* cps_scene_emit(const CpsNode* root, const char* folder);

// The shape that a map describes (shapes.c), in the scene's memory and checked.
// @param node  out: the node that holds it, for sentences
CpsStatus cps_scene_shape(CpsReader* reader, const CpsNode* map, CpsShape* shape, const CpsNode** node);
// The key that names the shape of a map, NULL if there is none; two are refused.
CpsStatus cps_scene_find_shape(CpsReader* reader, const CpsNode* map, const CpsNode** node);
// Position and rotation of a map; the rotation is a unit quaternion.
CpsStatus cps_scene_pose(CpsReader* reader, const CpsNode* map, CpsPose* pose);
CpsStatus cps_scene_rotation(CpsReader* reader, const CpsNode* map, CpsQuat* rotation);
// The same for an entry, in the axes of the obstacle that its `frame` names; its velocities (spin may be NULL) are rotated too.
CpsStatus cps_scene_axes(CpsReader* reader, const CpsNode* map, CpsPose* axes, CpsVec3* velocity, CpsVec3* spin);
// Initial pose of body i (ask.c).
CpsPose cps_scene_body_start(const CpsScene* scene, int32_t i);
// Error: `map` lacks the name that a node refers to; suggests the nearest one. `kind` is "body", "material", …
CpsStatus cps_scene_refuse_name(CpsReader* reader, const CpsNode* node, const CpsNode* map, const char* kind);
// For a scene with mistakes (references.c): reports undefined names in parts that were not loaded.
void cps_scene_check_references(CpsReader* reader);
// Number of the obstacle that a map names by a key (the axes a body uses: "frame"), or -1.
CpsStatus cps_scene_find_obstacle(CpsReader* reader, const CpsNode* map, const char* key, int32_t* obstacle);
// Number of the material that a map names, or 0.
CpsStatus cps_scene_material(CpsReader* reader, const CpsNode* map, int32_t* material);

// Generators (generators.c, pack.c, masonry.c). `node` is theirs; `shape` is the body's, for its size.
CpsStatus cps_scene_grid(CpsReader* reader, const CpsNode* node, CpsLayout* out);
CpsStatus cps_scene_copies(CpsReader* reader, const CpsNode* node, CpsLayout* out);
CpsStatus cps_scene_pile(CpsReader* reader, const CpsNode* node, CpsLayout* out);
CpsStatus cps_scene_pack(CpsReader* reader, const CpsNode* node, const CpsShape* shape, CpsLayout* out);
CpsStatus cps_scene_wall(CpsReader* reader, const CpsNode* node, CpsLayout* out);
CpsStatus cps_scene_arch(CpsReader* reader, const CpsNode* node, CpsLayout* out);
// The two fixed stones under an arch, in its own axes; CPS_OK and *count = 0 if there are none.
CpsStatus cps_scene_springers(CpsReader* reader, const CpsNode* node, CpsShape shapes[2], CpsPose poses[2], int* count);
// Generators of fibres (fibre_layout.c). `node` is theirs.
CpsStatus cps_scene_fibre_grid(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out);
CpsStatus cps_scene_fibre_copies(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out);
CpsStatus cps_scene_fibre_bundle(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out);
// Hair (hair.c), in world axes; hair from a file, in its own axes (hair_file.c).
CpsStatus cps_scene_hair(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out);
CpsStatus cps_scene_hair_file(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out);
// Whether strands grow in front of the meshes that carry them, not behind (scalp.c).
CpsStatus cps_scene_check_scalps(const CpsScene* scene, const CpsWorld* world, CpsError* error);
// Fits a chain of helices to the line of an entry with `fit` by floating tangents, once its strands are placed.
CpsStatus cps_scene_fit_line(CpsReader* reader, const CpsNode* map, CpsFibreDef* def, const CpsFibreLayout* layout);
// Branches of a tree by rule (tree.c); `node` is the map `tree` of a fibre.
CpsStatus cps_scene_tree(CpsReader* reader, const CpsNode* node, CpsFibreDef* def);
// Allocates `count` more fibres, zeroed except for identity poses, or sets an error.
CpsStatus cps_fibre_layout_begin(CpsReader* reader, const CpsNode* node, double count, CpsFibreLayout* out);
// The shortest rotation from x to a direction; false: it has none.
bool cps_scene_turn_to(CpsVec3 direction, CpsQuat* turn);

// Lines (curves.c): a list of triples, a table of x, y, z, formulas of t.
CpsStatus cps_scene_points(CpsReader* reader, const CpsNode* list, double scale, CpsVec3** points);
CpsStatus cps_scene_point_file(CpsReader* reader, const CpsNode* file, CpsVec3** points, int32_t* count);
CpsStatus cps_scene_point_formulas(CpsReader* reader, const CpsNode* node, CpsVec3** points, int32_t* count);

// Allocates the poses of `count` more bodies (a double, so that no product can overflow), or sets an error.
CpsStatus cps_layout_begin(CpsReader* reader, const CpsNode* node, double count, CpsLayout* out);
// Radius of a sphere around the origin that contains a shape.
double cps_shape_reach(const CpsShape* shape);

// Curves of time and motions (motion.c).
CpsStatus cps_scene_motion(CpsReader* reader, const CpsNode* map, CpsMotion* motion);
// The time factor given by the keys `sine` and `table` of a map (loads.c).
CpsStatus cps_scene_time_curve(CpsReader* reader, const CpsNode* map, CpsCurve* curve);
// The sheet or solid that a node names, and its vertex nearest to a point of the world (pulls.c).
CpsStatus cps_scene_find_surface(CpsReader* reader, const CpsNode* name, CpsThingKind kind, int32_t* index);
int32_t cps_scene_nearest_vertex(const CpsScene* scene, CpsThingKind kind, int32_t index, CpsVec3 point);
// The fibres that a node names: an entry or one fibre; `branches` is the length of the branches of each, m (pulls.c).
CpsStatus cps_scene_find_fibres(CpsReader* reader, const CpsNode* node, int32_t* first, int32_t* count,
                                double* branches);
// The bodies that a node names: an entry or one body.
CpsStatus cps_scene_find_bodies(CpsReader* reader, const CpsNode* on, int32_t* first, int32_t* count);
// Parses "tower[3]": the name of the entry without the number, and the number; -1 if there is none, INT32_MAX if it is invalid.
int32_t cps_scene_split_name(const char* text, char* name, size_t size);
// Names of `count` members of an entry, "name[0]" and so on if they are numbered, into names[0], names[1], …
CpsStatus cps_scene_number_names(CpsReader* reader, const char* name, bool numbered, int32_t count, const char** names);
// A table that a node names, with at least that many columns.
CpsStatus cps_scene_table(CpsReader* reader, const CpsNode* node, int32_t columns, CpsTable* table);

CpsStatus cps_scene_no_memory(CpsReader* reader);
// Reads the entries of a section, which may be NULL, one by one. Continues after an entry that fails, to report all mistakes.
typedef CpsStatus (*CpsEntryFn)(CpsReader* reader, const CpsNode* entry);
CpsStatus cps_scene_each(CpsReader* reader, const CpsNode* section, CpsEntryFn read);
// After a failure in one of several entries: whether to read the next one. The section fails at the end.
bool cps_scene_next(CpsReader* reader, int32_t before, CpsStatus status);
// Warns about a probable mistake, "FILE:LINE:COLUMN: PATH: …".
void cps_scene_note(CpsReader* reader, const CpsNode* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Spends `count` times `cost` of the budget, or refuses. This bounds each shape and all shapes together.
CpsStatus cps_scene_spend(CpsReader* reader, const CpsNode* node, int64_t count, int64_t cost);
// A copy in the scene's memory; NULL if memory runs out.
const char* cps_scene_text(CpsReader* reader, const char* text);

#endif
