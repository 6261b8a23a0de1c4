#ifdef CAPSTAN_VIEW
#include "cli/render_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "capstan/render.h"

// The pattern %d or %0Nd in a path: its position, its length and its number of digits. NULL if there is none.
static const char* find_pattern(const char* path, size_t* length, int* digits) {
  const char* at = strchr(path, '%');
  if (!at) return NULL;
  const char* end = at + 1;
  *digits = (int)strtol(at + 1, NULL, 10);
  while (*end >= '0' && *end <= '9') ++end;
  *length = (size_t)(end - at) + 1;
  bool good = *end == 'd' && (end == at + 1 || at[1] == '0') && *digits <= 12 && !strchr(end, '%');
  return good ? at : NULL;
}

CpsStatus cps_target_choose(CpsTarget* target, const char* path, CpsError* error) {
  size_t length = strlen(path), pattern_length;
  int digits;
  *target = (CpsTarget){.film = {.pipe = -1}};
  if (length + 32 >= sizeof target->path)
    return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "the name is too long");
  snprintf(target->path, sizeof target->path, "%s", path);
  bool percent = strchr(path, '%') != NULL;
  if (cps_film_wanted(path)) {
    if (percent)
      return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "a film is a single file; its name must not contain %%");
    target->kind = CPS_TARGET_FILM;
    return CPS_OK;
  }
  if (length <= 4 || strcasecmp(path + length - 4, ".png") != 0) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL,
                       "must end in .png (one picture, or a sequence with %%04d), .mp4 or .webm");
  }
  if (percent && !find_pattern(path, &pattern_length, &digits)) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, path, NULL, "the frame number must appear as %%04d, exactly once");
  }
  target->kind = percent ? CPS_TARGET_SEQUENCE : CPS_TARGET_PICTURE;
  return CPS_OK;
}

void cps_target_path(const CpsTarget* target, int64_t frame, char path[CPS_TARGET_PATH]) {
  size_t length;
  int digits;
  const char* pattern = target->kind == CPS_TARGET_SEQUENCE ? find_pattern(target->path, &length, &digits) : NULL;
  if (!pattern) {
    snprintf(path, CPS_TARGET_PATH, "%s", target->path);
    return;
  }
  snprintf(path, CPS_TARGET_PATH, "%.*s%0*lld%s", (int)(pattern - target->path), target->path, digits, (long long)frame,
           pattern + length);
}

// film.mp4 becomes film-%04d.png
static void fall_back(CpsTarget* target) {
  char* dot = strrchr(target->path, '.');
  snprintf(dot, sizeof target->path - (size_t)(dot - target->path), "-%%04d.png");
  target->kind = CPS_TARGET_SEQUENCE;
  target->fell_back = true;
}

CpsStatus cps_target_begin(CpsTarget* target, int32_t width, int32_t height, int64_t first, double fps,
                           CpsError* error) {
  target->width = width;
  target->height = height;
  if (target->kind == CPS_TARGET_FILM) {
    CpsStatus status = cps_film_begin(&target->film, target->path, width, height, fps, error);
    if (status != CPS_UNSUPPORTED) return status;
    if (strchr(target->path, '%')) return status;
    fall_back(target);
  }
  char path[CPS_TARGET_PATH];
  cps_target_path(target, first, path);
  return cps_file_check(path, error);
}

CpsStatus cps_target_add(CpsTarget* target, int64_t frame, const uint8_t* rgb, CpsError* error) {
  if (target->kind == CPS_TARGET_FILM) return cps_film_add(&target->film, rgb, error);
  char path[CPS_TARGET_PATH];
  cps_target_path(target, frame, path);
  return cps_image_write(path, target->width, target->height, rgb, error);
}

CpsStatus cps_target_end(CpsTarget* target, bool whole, CpsError* error) {
  if (target->kind != CPS_TARGET_FILM) return CPS_OK;
  if (whole) return cps_film_end(&target->film, error);
  cps_film_abandon(&target->film);
  return CPS_OK;
}
#else
typedef int CpsNoTarget;  // C does not allow an empty file
#endif
