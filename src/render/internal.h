// Shared by the files behind capstan/render.h.
#ifndef CAPSTAN_RENDER_INTERNAL_H
#define CAPSTAN_RENDER_INTERNAL_H

#include "capstan/render.h"
#include "core/pool.h"
#include "render/stage.h"

struct CpsRender {
  CpsShow* show;
  const CpsThings* things;
  CpsRenderOptions options;
  CpsCamera camera;
  CpsEye eye;
  CpsRenderScene scene;
  CpsStage stage;
  CpsPool* pool;
  double low, high;  // of the colour scale; equal: none
  CpsRenderArrows arrows;
  CpsVec3* before;    // points of the fibres and vertices of the sheets in a neighbouring frame, for their speed
  double* values;     // of each point and, after them, of each vertex, in the colour mode; NaN: none
  CpsFloat3* points;  // colours of the same
  double* areas;      // of each vertex, while its number is found
  int64_t* turns;     // of each vertex: 0 if triangles go all around it
  CpsFloat3* parts;
  CpsFloat3* particles;                          // colours of the particles of grains
  int32_t *body_tone, *fibre_tone, *sheet_tone;  // numbers of the families of names
  int8_t* body_status;                           // strongest of its contacts, -1: none
  int32_t* fibre_line;                           // line of the trunk of each fibre, -1: none
  CpsRoom mask;                                  // of the tiles of the picture: whether anything is there
  CpsRoom pixels;                                // of the picture that is drawn
  CpsRenderInfo info;
};

// Reads a frame, and for speeds its neighbour first; then fills `values`.
CpsStatus cps_render_read(CpsRender* render, int64_t frame, CpsError* error);
// Whether the colour mode has data for anything; refuses with a message.
CpsStatus cps_render_check_colour(const CpsRender* render, CpsError* error);
// sheet_values.c: stretch, curvature and pressure at the vertices of the frame that was read.
void cps_render_sheet_stretch(CpsRender* render, const CpsFrame* frame);
void cps_render_sheet_curvature(CpsRender* render, const CpsFrame* frame);
void cps_render_sheet_pressure(CpsRender* render, const CpsFrame* frame);
// solid_values.c: stress at the vertices of solids.
void cps_render_solid_stress(CpsRender* render, const CpsFrame* frame);
// The number shown by the colour of a body, NaN if there is none.
double cps_render_body_value(const CpsRender* render, int32_t body);
// The same for a particle of grains in the frame that was read.
double cps_render_particle_value(const CpsRender* render, int64_t particle);
// Fits the camera, the colour scale and the arrows to the frames, unless they are given.
CpsStatus cps_render_survey(CpsRender* render, CpsError* error);
// Marks the walls that hide moving objects in the current frame.
void cps_render_cut_away(CpsRender* render);
// Colours of all points and parts of the frame that was read.
void cps_render_colour(CpsRender* render);
// Numbers the families of names ("tower[3]", "tower[4]") from 0 in order of appearance, up to a limit.
void cps_render_number_families(const char* const* names, int32_t count, int32_t* tones);
// Finds the tiles in which the scene shows only background. False: out of memory.
bool cps_render_make_mask(CpsRender* render);
// Whether a pixel shows nothing.
bool cps_render_is_empty(const CpsRender* render, int32_t x, int32_t y);
// Traces all pixels; CPS_INTERRUPTED if the progress function asked to stop.
CpsStatus cps_render_trace_image(CpsRender* render, uint8_t* rgb);
// Draws the colour scale, or the legend of contacts, into a picture.
void cps_render_legend(const CpsRender* render, uint8_t* rgb);
// The power of ten in the title of a scale, which keeps its numbers short: a multiple of three.
int cps_legend_power(double low, double high);

#endif
