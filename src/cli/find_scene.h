// Scenes by name: `capstan run knot` runs the scene knot.yaml that came with the command.
#ifndef CAPSTAN_CLI_FIND_SCENE_H
#define CAPSTAN_CLI_FIND_SCENE_H

#include <stdbool.h>

enum { CPS_SCENE_PATH_MAX = 4096 };

// Turns a word of the command line into the file that it means. A word that is a file, or looks like one (it has a slash or a dot),
// stays as it is; any other is looked for among the scenes that are installed with the command (share/capstan/scenes) or stand
// beside its build folder. Complains and returns false if there is none of that name, or if the word is NAME.yaml, which is missing here,
// and there is such a scene called NAME.
// @param path  room for the file that was found
bool cps_find_scene(const char** word, char path[CPS_SCENE_PATH_MAX]);

#endif
