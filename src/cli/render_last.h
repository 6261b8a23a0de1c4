// Pictures as the scene specifies, for `render` and for `run --picture`.
#ifndef CAPSTAN_CLI_RENDER_LAST_H
#define CAPSTAN_CLI_RENDER_LAST_H

#include "capstan/render.h"

// Takes the camera that the scene of a result asks for: its place or direction unless `placed`, its angle unless `fov`.
void cps_render_take_camera(const CpsResultInfo* info, bool placed, bool fov, CpsRenderOptions* options);

// Checks in advance that a picture can be written there: its name ends in .png and the folder exists.
CpsStatus cps_render_last_check(const char* picture, CpsError* error);
// Draws the last frame of a result with default settings.
CpsStatus cps_render_last(const char* path, const char* picture, CpsError* error);

#endif
