// A growing glTF file, shared by the files that add bodies and fibres.
#ifndef CAPSTAN_IO_EXPORT_GLTF_H
#define CAPSTAN_IO_EXPORT_GLTF_H

#include "io/export/glb.h"
#include "io/export/internal.h"

// A colour in use, and the mesh of a shape in this colour.
typedef struct CpsGltfLook {
  CpsExportKind kind;
  int32_t material;
} CpsGltfLook;

typedef struct CpsGltf {
  CpsExport* e;
  CpsExportMeshes meshes;
  CpsGlb glb;
  CpsOut out;
  CpsGrow json, nodes, mesh_text, samplers, channels, children, looks_text;
  int32_t node_count, mesh_count, sampler_count, channel_count, look_count;
  CpsGltfLook* looks;
  int32_t* shape_accessors;  // of each mesh: points, normals, indices
  int32_t* mesh_of;          // glTF's number of the mesh in each look, -1: none yet; by mesh, kind and material
  int32_t time_accessor;     // -1: not yet
  float* floats;             // scratch
  int64_t float_room;
  uint32_t* indices;
} CpsGltf;

// Room for `count` more numbers in gltf->floats; false: out of memory.
bool cps_gltf_take_floats(CpsGltf* gltf, int64_t count);
// Adds vectors of vertices from gltf->floats; returns the accessor.
int32_t cps_gltf_vectors(CpsGltf* gltf, const CpsVec3* v, int64_t count, bool bounds);
// Number of a colour, added on first use.
int32_t cps_gltf_look(CpsGltf* gltf, CpsExportKind kind, int32_t material);
// Creates gltf->time_accessor if necessary: times since the first frame, which must differ in single precision.
CpsStatus cps_gltf_times(CpsGltf* gltf);
// Adds a channel of the animation, with these times.
void cps_gltf_channel(CpsGltf* gltf, int32_t node, const char* path, int32_t output);
// gltf_fibres.c: all fibres as one node; nothing if there are no fibres.
CpsStatus cps_gltf_fibres(CpsGltf* gltf);
// gltf_sheets.c: each sheet as a node.
CpsStatus cps_gltf_sheets(CpsGltf* gltf);
// gltf_contacts.c: the contacts of each frame as a node; nothing if there are no contacts.
CpsStatus cps_gltf_contacts(CpsGltf* gltf);

#endif
