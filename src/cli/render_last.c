#include "cli/render_last.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "cli/processors.h"

#ifdef CAPSTAN_VIEW
void cps_render_take_camera(const CpsResultInfo* info, bool placed, bool fov, CpsRenderOptions* options) {
  CpsCamera camera = info->camera;
  if (!(camera.fov > 0.0)) return;
  if (!fov) options->camera.fov = camera.fov;
  options->camera.up = camera.up;
  if (placed) return;
  options->camera_given = info->camera_placed;
  options->camera.eye = camera.eye;
  options->camera.target = camera.target;
  options->view =
      (CpsVec3){camera.eye.x - camera.target.x, camera.eye.y - camera.target.y, camera.eye.z - camera.target.z};
}

static CpsStatus draw(CpsShow* show, const CpsRenderOptions* options, const char* picture, CpsError* error) {
  CpsRender* render = NULL;
  uint8_t* rgb = malloc(3 * (size_t)options->width * (size_t)options->height);
  if (!rgb) return cps_io_fail(error, CPS_NO_MEMORY, picture, NULL, "out of memory");
  CpsStatus status = cps_render_create(show, options, &render, error);
  if (status == CPS_OK) status = cps_render_frame(render, cps_show_frame_count(show) - 1, rgb, error);
  if (status == CPS_OK) status = cps_image_write(picture, options->width, options->height, rgb, error);
  cps_render_destroy(render);
  free(rgb);
  return status;
}

CpsStatus cps_render_last(const char* path, const char* picture, CpsError* error) {
  CpsResult* result = NULL;
  CpsShow* show = NULL;
  CpsStatus status = cps_result_open(path, &result, error);
  if (status == CPS_OK) status = cps_show_result(result, &show, error);
  if (status == CPS_OK) {
    CpsResultInfo info = cps_result_info(result);
    CpsRenderOptions options = cps_render_options_default();
    options.threads = cps_processors();
    cps_render_take_camera(&info, false, false, &options);
    status = draw(show, &options, picture, error);
  }
  cps_show_destroy(show);
  cps_result_destroy(result);
  return status;
}

CpsStatus cps_render_last_check(const char* picture, CpsError* error) {
  size_t length = strlen(picture);
  if (length <= 4 || strcasecmp(picture + length - 4, ".png") != 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, picture, NULL, "the file name must end in .png");
  }
  return cps_file_check(picture, error);
}
#else
CpsStatus cps_render_last(const char* path, const char* picture, CpsError* error) {
  (void)path;
  return cps_render_last_check(picture, error);
}

CpsStatus cps_render_last_check(const char* picture, CpsError* error) {
  return cps_io_fail(error, CPS_UNSUPPORTED, picture, NULL,
                     "this build cannot render pictures; rebuild with -DCAPSTAN_VIEW=ON");
}
#endif
