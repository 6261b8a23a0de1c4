// The camera: maps places in the picture to rays, and finds a camera for which a motion fills the picture.
#ifndef CAPSTAN_RENDER_CAMERA_H
#define CAPSTAN_RENDER_CAMERA_H

#include "capstan/render.h"
#include "render/float3.h"

// A camera with its axes. Lengths inside a picture are in units of the distance from eye to target, from the target.
typedef struct CpsEye {
  CpsVec3 origin;             // the target, m
  double unit;                // m
  CpsFloat3 eye;              // in units: of length 1
  CpsFloat3 right, up, back;  // unit; back points from target to eye
  float slope_x, slope_y;     // tangents of half the angles of view
  float pixel;                // height of a pixel at distance 1
} CpsEye;

// CPS_BAD_ARGUMENT with a message if the camera cannot make a picture.
CpsStatus cps_eye_make(const CpsCamera* camera, int32_t width, int32_t height, CpsEye* eye, CpsError* error);
// Direction (unit) through film coordinates x, y in pixels from the upper left corner.
CpsFloat3 cps_eye_direction(const CpsEye* eye, int32_t width, int32_t height, float x, float y);
// Moves the start of a ray from the centre of the lens to another point of the lens. Both rays meet in the plane of the target,
// which is sharp. `lens`: diameter, in units; u, v in [0, 1).
void cps_eye_through_lens(const CpsEye* eye, float lens, float u, float v, CpsFloat3* origin, CpsFloat3* direction);
// A point of the world in units of the picture.
static inline CpsFloat3 cps_eye_place(const CpsEye* eye, CpsVec3 p) {
  return cps_float3((float)((p.x - eye->origin.x) / eye->unit), (float)((p.y - eye->origin.y) / eye->unit),
                    (float)((p.z - eye->origin.z) / eye->unit));
}

enum { CPS_FIT_DIRECTIONS = 24 };

// The extent that a fitted camera must show, collected ball by ball: how far it reaches towards the four sides of the picture and
// along the view.
typedef struct CpsFit {
  double fov;
  CpsVec3 right, up, back;
  double cos_x, sin_x, cos_y, sin_y;     // of half the angles of view, less the margin
  double left, rightmost, below, above;  // largest support along the outward normals of the four sides, m
  double nearest, farthest;              // largest coordinates along back and against it, m
  double way[CPS_FIT_DIRECTIONS][2];     // directions all around
  // farthest balls in directions of the planes (right, back) and (up, back): support, the two coordinates and the radius
  double ball[2][CPS_FIT_DIRECTIONS][4];
} CpsFit;

// A fit for pictures of this aspect (width / height) seen from `view` at an angle `fov` (degrees). The margin is a fraction of half
// the picture.
CpsFit cps_fit_begin(CpsVec3 view, CpsVec3 up, double fov, double aspect, double margin);
// Adds a ball to the fit; ignores non-finite places.
void cps_fit_add(CpsFit* fit, CpsVec3 centre, double radius);
// The nearest camera that shows everything.
CpsCamera cps_fit_end(const CpsFit* fit);

#endif
