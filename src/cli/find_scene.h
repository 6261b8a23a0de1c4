// Scenes by name: `capstan run knot` runs the installed scene knot.yaml.
#ifndef CAPSTAN_CLI_FIND_SCENE_H
#define CAPSTAN_CLI_FIND_SCENE_H

#include <stdbool.h>

enum { CPS_SCENE_PATH_MAX = 4096 };

// Resolves a word of the command line to a file. A word that is a file, or looks like one (it has a slash or a dot), stays as it is.
// Any other word is searched for among the scenes installed with the command (share/capstan/scenes) or next to its build folder.
// Complains and returns false if no scene has that name, or if the word is NAME.yaml, that file is missing and an installed scene is
// called NAME.
// @param path  room for the file that was found
bool cps_find_scene(const char** word, char path[CPS_SCENE_PATH_MAX]);

#endif
