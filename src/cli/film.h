// A film made by ffmpeg, a child process that receives pictures through a pipe.
#ifndef CAPSTAN_CLI_FILM_H
#define CAPSTAN_CLI_FILM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capstan/base.h"

typedef struct CpsFilm {
  pid_t child;
  int pipe;
  int words;    // output of ffmpeg: errors only
  char* place;  // where the film goes
  char* part;   // where it is while it is made
  size_t picture;
} CpsFilm;

// Starts ffmpeg. The extension of the name selects the format (.mp4, .webm).
// @return CPS_OK; CPS_UNSUPPORTED if ffmpeg is not installed; or CPS_FILE_ERROR
CpsStatus cps_film_begin(CpsFilm* film, const char* path, int32_t width, int32_t height, double fps, CpsError* error);
// Adds a picture of 3 width height bytes.
CpsStatus cps_film_add(CpsFilm* film, const uint8_t* rgb, CpsError* error);
// Waits for ffmpeg and moves the film to its place. Leaves nothing after a failure.
CpsStatus cps_film_end(CpsFilm* film, CpsError* error);
// Cancels the film and leaves nothing.
void cps_film_abandon(CpsFilm* film);

// Whether a name has the extension of a film.
bool cps_film_wanted(const char* path);

#endif
