/// @file render.h
/// Pictures of frames by ray tracing. Part of the library capstan-view.
///
///     CpsRenderOptions options = cps_render_options_default();
///     CpsRender* render = NULL;
///     if (cps_render_create(show, &options, &render, NULL) != CPS_OK) return 1;
///     uint8_t* rgb = malloc(3 * (size_t)options.width * (size_t)options.height);
///     cps_render_frame(render, 12, rgb, NULL);
///     cps_image_write("twelve.png", options.width, options.height, rgb, NULL);
///     cps_render_destroy(render);
///
/// The same show and options give the same bytes for any number of threads.
#ifndef CAPSTAN_RENDER_H
#define CAPSTAN_RENDER_H

#include "capstan/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the colour of an object represents.
typedef enum CpsColour {
  CPS_COLOUR_MATERIAL = 0,   ///< its material
  CPS_COLOUR_SPEED = 1,      ///< speed, m/s; for fibres from one frame to the next
  CPS_COLOUR_TENSION = 2,    ///< axial force of fibres, N
  CPS_COLOUR_CURVATURE = 3,  ///< curvature, 1/m: of the centrelines of fibres; for sheets the sum of the two curvatures
  CPS_COLOUR_STATUS = 4,     ///< whether its contacts stick (blue) or slide (orange)
  CPS_COLOUR_STRETCH = 5,    ///< sheets: largest relative elongation in any direction
  CPS_COLOUR_PRESSURE = 6,   ///< pressure of contacts on sheets and on the width of fibres over the last step, and of
                             ///< grains, Pa
  CPS_COLOUR_STRESS = 7,     ///< solids: von Mises stress, Pa
  CPS_COLOUR_COUNT
} CpsColour;
/// Name of a colour mode as on the command line ("speed"); NULL outside the enum.
CPS_API const char* cps_colour_name(CpsColour colour);

/// Called from time to time while a frame is drawn, from the calling thread.
/// @param share  completed fraction of the frame, 0 to 1
/// @return false to stop: the call returns CPS_INTERRUPTED
typedef bool (*CpsRenderProgressFn)(double share, void* data);

/// Settings of pictures. Always start from cps_render_options_default().
typedef struct CpsRenderOptions {
  int32_t width, height;         ///< px, 1 to 16384. Default 1280 x 720
  int32_t samples;               ///< samples per pixel, 1 to 65536. Default 16
  CpsColour colour;              ///< Default CPS_COLOUR_MATERIAL
  double low, high;              ///< ends of the colour scale; equal: fitted to the frames. Default 0, 0
  double arrow_scale;            ///< length of an arrow, m per N·s; 0: fitted to the frames. Default 0
  double fibre_width;            ///< minimum width of fibres in the picture, px; 0: true width, with thin fibres
                                 ///< covering pixels in part. Default 0
  int32_t hairs;                 ///< hairs drawn per fibre, 1 to 1000: the wisp around it. Default 1: the fibre itself
  int32_t grains;                ///< grains drawn per particle, 1 to 1000. Default 8
  double spread;                 ///< half-width of a wisp in radii of its fibre, 0 to 100. Default 1
  CpsCamera camera;              ///< without `camera_given`, only `up` and `fov` are read. Default +z, 30 degrees
  CpsVec3 view;                  ///< direction from the subject to a fitted eye. Default {-0.5, -1, 0.45}
  double aperture;               ///< lens diameter, m: blurs objects outside the focal plane through the target; 0:
                                 ///< everything is sharp. Default 0
  int64_t first, last;           ///< range of frames to which camera, colours and arrows are fitted; last < 0: up to
                                 ///< the last frame. Default all
  CpsRenderProgressFn progress;  ///< NULL: none
  void* progress_data;           ///< passed to the callback
  int32_t threads;               ///< 1 to 1024; never changes a byte. Default 1
  bool camera_given;             ///< use `camera` as given. Default false: fitted to the frames
  bool contacts;                 ///< draw contacts: arrows for impulses, dots for contacts without impulse. Default
                                 ///< false
  bool ground;                   ///< draw planes. Default true
  bool cutaway;                  ///< omit walls that hide moving objects. Default true
  bool dark;                     ///< dark background. Default false
  bool side_light;               ///< light from the left with little sky: for hair and cloth. Default false, from the
                                 ///< front
  bool legend;                   ///< draw the colour scale with its numbers. Default true
  CpsVec3 cut;                   ///< normal of a plane that cuts sheets and solids; what lies in front of it, in this
                                 ///< direction, is left out. Default {0, 0, 0}: no cut
  CpsVec3 cut_at;                ///< a point of this plane, m; read if `cut_at_given`
  bool cut_at_given;             ///< use `cut_at` as given. Default false: the target of the camera
  int cookie;                    ///< set by the default function
} CpsRenderOptions;

/// Settings that suit most pictures.
CPS_API CpsRenderOptions cps_render_options_default(void);

/// A renderer. Opaque; use it from one thread at a time.
typedef struct CpsRender CpsRender;

/// Creates a renderer. Reads up to 48 evenly spaced frames and fits the camera, the colour scale and the arrows, unless
/// given. The show must outlive it.
CPS_API CpsStatus cps_render_create(CpsShow* show, const CpsRenderOptions* options, CpsRender** render,
                                    CpsError* error);
/// Frees it. NULL is allowed.
CPS_API void cps_render_destroy(CpsRender* render);
/// The camera in use.
CPS_API CpsCamera cps_render_camera(const CpsRender* render);

/// Cost of a frame, and the colour scale.
typedef struct CpsRenderInfo {
  double build_seconds;    ///< last frame: wall-clock time of its geometry and its search tree
  double trace_seconds;    ///< last frame: wall-clock time of the rays
  double low, high;        ///< ends of the colour scale; equal: no scale
  double arrow_scale;      ///< m per N·s
  int64_t curve_pieces;    ///< fibre segments
  int64_t triangle_count;  ///< triangles of bodies and obstacles
} CpsRenderInfo;
/// Reads this information, at any time after the first frame.
CPS_API CpsRenderInfo cps_render_info(const CpsRender* render);

/// Draws a frame of the show. Objects whose positions are not finite are omitted.
/// @param[out] rgb  3 * width * height bytes, top row first
/// @return CPS_OK, CPS_INTERRUPTED (rgb is incomplete) or an error of cps_show_read()
CPS_API CpsStatus cps_render_frame(CpsRender* render, int64_t frame, uint8_t* rgb, CpsError* error);

/// Writes a picture as PNG. A failure leaves an existing file intact.
CPS_API CpsStatus cps_image_write(const char* path, int32_t width, int32_t height, const uint8_t* rgb, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
