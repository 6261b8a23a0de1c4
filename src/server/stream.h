// Messages of the server, described in docs/reference/viewer-protocol.md.
#ifndef CAPSTAN_SERVER_STREAM_H
#define CAPSTAN_SERVER_STREAM_H

#include "capstan/frame.h"
#include "server/buffer.h"

// Flags of the optional parts of a frame, besides poses and points.
enum {
  CPS_WANT_AXES = 1,
  CPS_WANT_CONTACTS = 2,
  CPS_WANT_TENSION = 4,
  CPS_WANT_SPEED = 8,      // of particles of grains
  CPS_WANT_PRESSURE = 16,  // of the grains there
  CPS_WANT_FRACTION = 32,  // of the space around particles that grains take
  CPS_WANT_STATUS = 64,    // of the grains there
  CPS_WANT_STRESS = 128,   // the same
  CPS_WANT_ALL = 255
};

enum { CPS_SERIES_MOST = 4000 };  // points of a series that is sent

// Data of the scene message besides the objects.
typedef struct CpsSceneFacts {
  bool live;
  const char* file;  // without its folder
  int64_t frames;    // of a result
  double end;        // s, of the last frame
  double until;      // s, where the run will end
  bool finished;     // the run has come to its end
  bool has_contacts;
  bool has_tension;
  bool camera_placed;
  double particle_space;      // m, edge of the cube that a particle of grains fills at the start; not read without any
  bool grain_stress;          // frames have status and stress of grains
  CpsCamera camera;           // not placed: eye - target is a direction, all 0: none; `up` 0: that of z
  const char* const* series;  // NULL-terminated
  const int32_t* mesh_of_part;  // from cps_stream_meshes()
  const CpsBuffer* settings;    // JSON, or NULL
} CpsSceneFacts;

// Each writes one whole message into an empty buffer.
void cps_stream_scene(CpsBuffer* out, const CpsThings* things, const CpsSceneFacts* facts);
void cps_stream_frame(CpsBuffer* out, const CpsThings* things, const CpsFrame* frame, unsigned wants);
// A mesh with its number.
CpsStatus cps_stream_mesh(CpsBuffer* out, const CpsShape* shape, int32_t number, CpsError* error);
// The triangles of all sheets.
void cps_stream_sheets(CpsBuffer* out, const CpsThings* things);
// Reduces a series of more than CPS_SERIES_MOST points to the minimum and maximum of each interval, in order.
void cps_stream_series(CpsBuffer* out, const char* name, const double* times, const double* values, int64_t count);
// {"type": "error", "text": …}
void cps_stream_error(CpsBuffer* out, const char* text);

// Numbers the parts sent as meshes (hulls, meshes, tubes); consecutive parts of one shape share a mesh.
// @param[out] mesh_of_part  things->part_count numbers, -1: no mesh
// @return number of meshes
int32_t cps_stream_meshes(const CpsThings* things, int32_t* mesh_of_part);

#endif
