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
/// Same show, same options: same bytes, for any number of threads.
#ifndef CAPSTAN_RENDER_H
#define CAPSTAN_RENDER_H

#include "capstan/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the colour of a thing says.
typedef enum CpsColour {
  CPS_COLOUR_MATERIAL = 0,   ///< of which material it is
  CPS_COLOUR_SPEED = 1,      ///< how fast it moves, m/s; of fibres from one frame to the next
  CPS_COLOUR_TENSION = 2,    ///< axial force of fibres, N
  CPS_COLOUR_CURVATURE = 3,  ///< of the centrelines of fibres; of sheets the sum of the two curvatures, 1/m
  CPS_COLOUR_STATUS = 4,     ///< whether its contacts stick (blue) or slide (orange)
  CPS_COLOUR_STRETCH = 5,    ///< of sheets: the largest relative elongation in any direction
  CPS_COLOUR_PRESSURE = 6,   ///< of contacts on sheets and on the width of fibres over the last step, of grains, Pa
  CPS_COLOUR_STRESS = 7,     ///< of solids: the equivalent tensile stress of von Mises, Pa
  CPS_COLOUR_COUNT
} CpsColour;
/// Name of a colour mode as the command takes it ("speed"); NULL outside the enum.
CPS_API const char* cps_colour_name(CpsColour colour);

/// Called now and then while a frame is drawn, from the calling thread.
/// @param share  of the frame that is done, 0 to 1
/// @return false to stop: the call returns CPS_INTERRUPTED
typedef bool (*CpsRenderProgressFn)(double share, void* data);

/// Settings of pictures. Always start from cps_render_options_default().
typedef struct CpsRenderOptions {
  int32_t width, height;  ///< px, 1 to 16384. Default 1280 x 720
  int32_t samples;        ///< rays of a pixel, 1 to 65536. Default 16
  CpsColour colour;       ///< Default CPS_COLOUR_MATERIAL
  double low, high;       ///< ends of the colour scale; equal: fitted to the frames. Default 0, 0
  double arrow_scale;     ///< length of an arrow, m per N·s; 0: fitted to the frames. Default 0
  double fibre_width;     ///< px: fibres are drawn at least so wide; 0: thin ones cover what they should. Default 0
  int32_t hairs;          ///< drawn for each fibre, 1 to 1000: the wisp that it is the middle of. Default 1: itself
  int32_t grains;         ///< drawn for each particle of grains, 1 to 1000. Default 8
  double spread;          ///< half width of a wisp in radii of its fibre, 0 to 100. Default 1
  CpsCamera camera;       ///< if not given only `up` and `fov` are read. Default +z, 30 degrees
  CpsVec3 view;           ///< direction from the subject to a fitted eye. Default {-0.5, -1, 0.45}
  double aperture;      ///< lens diameter, m: blurs objects away from the plane of the target; 0: all sharp. Default 0
  int64_t first, last;  ///< frames that camera, colours and arrows are fitted to; last < 0: to the last. Default all
  CpsRenderProgressFn progress;  ///< NULL: none
  void* progress_data;           ///< passed to it
  int32_t threads;               ///< 1 to 1024; never changes a byte. Default 1
  bool camera_given;             ///< use `camera` as it is. Default false: fitted to the frames
  bool contacts;                 ///< arrows for impulses, dots where there is none. Default false
  bool ground;                   ///< planes are drawn. Default true
  bool cutaway;                  ///< walls that hide what moves are left out. Default true
  bool dark;                     ///< dark background. Default false
  bool side_light;  ///< light from the left with little sky: for hair and cloth. Default false, from the front
  bool legend;      ///< numbers of the colour scale are written into the picture. Default true
  int cookie;       ///< set by the default function
} CpsRenderOptions;

/// Settings that suit most pictures.
CPS_API CpsRenderOptions cps_render_options_default(void);

/// What draws. Opaque; use it from one thread at a time.
typedef struct CpsRender CpsRender;

/// Makes one: looks through the frames (at most 48 of them, evenly) and fits the camera, the colour scale and the arrows,
/// where they are not given. The show must outlive it.
CPS_API CpsStatus cps_render_create(CpsShow* show, const CpsRenderOptions* options, CpsRender** render,
                                    CpsError* error);
/// Frees it. NULL is allowed.
CPS_API void cps_render_destroy(CpsRender* render);
/// The camera in use.
CPS_API CpsCamera cps_render_camera(const CpsRender* render);

/// What a frame cost, and what the colour scale says.
typedef struct CpsRenderInfo {
  double build_seconds;    ///< wall clock of the last frame: its geometry and the tree over it
  double trace_seconds;    ///< the rays
  double low, high;        ///< ends of the colour scale; equal: no scale
  double arrow_scale;      ///< m per N·s
  int64_t curve_pieces;    ///< pieces of fibres
  int64_t triangle_count;  ///< triangles of bodies and obstacles
} CpsRenderInfo;
/// The same at any time after the first frame.
CPS_API CpsRenderInfo cps_render_info(const CpsRender* render);

/// Draws a frame of the show. Things at places that are not finite are left out.
/// @param[out] rgb  3 * width * height bytes, rows from above
/// @return CPS_OK, CPS_INTERRUPTED (rgb is not complete) or an error of cps_show_read()
CPS_API CpsStatus cps_render_frame(CpsRender* render, int64_t frame, uint8_t* rgb, CpsError* error);

/// Writes a picture as PNG. A failure leaves an older file as it was.
CPS_API CpsStatus cps_image_write(const char* path, int32_t width, int32_t height, const uint8_t* rgb, CpsError* error);

#ifdef __cplusplus
}
#endif
#endif
