// The option --frames of several commands: "A", "A:B", "A:", ":B", both ends included, counted from 0.
#ifndef CAPSTAN_CLI_FRAMES_H
#define CAPSTAN_CLI_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

// Parses the option of that name ("--frames"). first and last hold the defaults and stay unchanged if the text is NULL. Complains and
// returns false if the range is not within the `count` frames of `file`.
bool cps_frames_choose(const char* option, const char* text, const char* file, int64_t count, int64_t* first,
                       int64_t* last);

#endif
