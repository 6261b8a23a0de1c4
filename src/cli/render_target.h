// The output of `capstan render`: one file, a numbered sequence, or a film.
#ifndef CAPSTAN_CLI_RENDER_TARGET_H
#define CAPSTAN_CLI_RENDER_TARGET_H

#include <stdint.h>

#include "cli/film.h"

#define CPS_TARGET_PATH 4096

typedef enum CpsTargetKind { CPS_TARGET_PICTURE, CPS_TARGET_SEQUENCE, CPS_TARGET_FILM } CpsTargetKind;

typedef struct CpsTarget {
  CpsTargetKind kind;
  char path[CPS_TARGET_PATH];  // as given; of a sequence with its %04d
  int32_t width, height;
  bool fell_back;  // a film became a sequence, because ffmpeg is not there
  CpsFilm film;
} CpsTarget;

// The kind of output for a file name. CPS_BAD_ARGUMENT with a message if the extension is unknown or the pattern is invalid.
CpsStatus cps_target_choose(CpsTarget* target, const char* path, CpsError* error);
// Checks that it can be written, before anything is drawn; starts ffmpeg for a film, or falls back to a sequence.
CpsStatus cps_target_begin(CpsTarget* target, int32_t width, int32_t height, int64_t first, double fps,
                           CpsError* error);
// Adds the picture of a frame.
CpsStatus cps_target_add(CpsTarget* target, int64_t frame, const uint8_t* rgb, CpsError* error);
// Finishes the output; if `whole` is false, cancels a film and leaves nothing.
CpsStatus cps_target_end(CpsTarget* target, bool whole, CpsError* error);
// File of a frame.
void cps_target_path(const CpsTarget* target, int64_t frame, char path[CPS_TARGET_PATH]);

#endif
