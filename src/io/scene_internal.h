// A scene in memory, and what its loader hands around.
#ifndef CAPSTAN_IO_SCENE_INTERNAL_H
#define CAPSTAN_IO_SCENE_INTERNAL_H

#include "capstan/scene.h"
#include "core/arena.h"
#include "core/quat.h"
#include "io/file_text.h"
#include "io/scene_check.h"

enum {
  CPS_SCENE_BODIES = 1000000,  // most bodies, generated ones included
  CPS_SCENE_POINTS = 1000000,  // most points or triangles of a shape
};

typedef struct CpsSceneMaterial {
  const char* name;
  double density;
  CpsPair pair;  // against any other
} CpsSceneMaterial;

typedef struct CpsScenePair {
  int32_t a, b;  // materials
  CpsPair pair;
} CpsScenePair;

// The bodies of one entry of `bodies`.
typedef struct CpsSceneGroup {
  const char* name;
  int32_t first, count;    // its bodies in the world
  bool numbered;           // they are called name[0], name[1], …
  CpsBodyDef def;          // what they share: all but shape and pose
  int32_t shape_count;     //
  const CpsShape* shapes;  //
  const int32_t* shape;    // which shape each has; NULL: the first
  const CpsPose* pose;     // of each
} CpsSceneGroup;

typedef struct CpsSceneObstacle {
  const char* name;
  CpsObstacleDef def;
} CpsSceneObstacle;

typedef struct CpsSceneLoad {
  CpsLoadDef def;
  int32_t first, count;  // bodies; count < 0: all of the world
} CpsSceneLoad;

struct CpsScene {
  CpsArena memory;  // of all that follows
  const char* title;
  const char* text;
  CpsWorldDef def;
  double end, frame_interval;
  bool output_contacts;
  int32_t material_count, pair_count, group_count, obstacle_count, load_count, body_count;
  CpsSceneMaterial* materials;  // the first is the world's own, number 0
  CpsScenePair* pairs;
  CpsSceneGroup* groups;
  CpsSceneObstacle* obstacles;
  CpsSceneLoad* loads;
  const char** body_names;
};

// A file that was included.
typedef struct CpsSceneFile CpsSceneFile;
struct CpsSceneFile {
  const char* name;
  const char* text;
  CpsSceneFile* older;
};

// What the parts of the loader share.
typedef struct CpsReader {
  CpsTree tree;
  CpsNode* root;
  CpsScene* scene;
  CpsError* error;
  CpsSceneFile* files;  // the newest first
  int32_t file_count;
  size_t bytes;  // of all files
} CpsReader;

// Files (scene_files.c): adds what `include` names, below what the root says. `self` is the root's file.
CpsStatus cps_scene_include(CpsReader* reader, CpsNode* root, CpsFileId self);
// The path of a file that a node names, relative to the file the node stands in; NULL if memory is short.
const char* cps_scene_path(CpsReader* reader, const CpsNode* node);
// A source with its folder; NULL if memory is short.
const CpsSource* cps_scene_source(CpsTree* tree, const char* name);

// Overrides (scene_override.c): puts one "key=value" into the tree.
CpsStatus cps_scene_override(CpsReader* reader, const char* text);

// Everything after reading: what was read, with includes and overrides as comments (scene_text.c).
CpsStatus cps_scene_keep_text(CpsReader* reader, const char* text, size_t length, const char* const* overrides,
                              int32_t count);

// Parts of the scene, in the order in which they are loaded.
CpsStatus cps_scene_load_settings(CpsReader* reader);
CpsStatus cps_scene_load_materials(CpsReader* reader);
CpsStatus cps_scene_load_obstacles(CpsReader* reader);
CpsStatus cps_scene_load_bodies(CpsReader* reader);

// The shape that a map describes (scene_shapes.c), in the scene's memory and checked.
// @param node  out: the node that holds it, for sentences
CpsStatus cps_scene_shape(CpsReader* reader, const CpsNode* map, CpsShape* shape, const CpsNode** node);
// Position and rotation of a map; the rotation is a unit quaternion.
CpsStatus cps_scene_pose(CpsReader* reader, const CpsNode* map, CpsPose* pose);
CpsStatus cps_scene_rotation(CpsReader* reader, const CpsNode* map, CpsQuat* rotation);
// Number of the obstacle whose axes a body uses, or -1.
CpsStatus cps_scene_frame(CpsReader* reader, const CpsNode* map, int32_t* obstacle);
// Number of the material that a map names, or 0.
CpsStatus cps_scene_material(CpsReader* reader, const CpsNode* map, int32_t* material);

CpsStatus cps_scene_no_memory(CpsReader* reader);
// Copy in the scene's memory; NULL if short.
const char* cps_scene_text(CpsReader* reader, const char* text);

#endif
