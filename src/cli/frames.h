// The option --frames of several commands: "A", "A:B", "A:", ":B", both included, counted from 0.
#ifndef CAPSTAN_CLI_FRAMES_H
#define CAPSTAN_CLI_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

// Reads the option of that name ("--frames"); first and last are defaults and stay where the text is NULL. A range that is not wholly in the `count`
// frames of `file` is complained about: false.
bool cps_frames_choose(const char* option, const char* text, const char* file, int64_t count, int64_t* first,
                       int64_t* last);

#endif
