// Scenes by name (find_scene.h).
#define _XOPEN_SOURCE 700  // realpath
#include "cli/find_scene.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/command.h"

enum { NAMES = 512 };  // scenes that are searched for a similar name

// The folder of scenes: 0 is the installed one, 1 that of a source tree. False if there are no more.
static bool scene_folder(int number, char folder[CPS_SCENE_PATH_MAX]) {
  static const char* const FROM_COMMAND[] = {"../share/capstan/scenes", "../scenes"};
  if (number > 1) return false;
  char command[CPS_SCENE_PATH_MAX - 64];
  ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
  if (length <= 0) return false;
  command[length] = '\0';
  char* slash = strrchr(command, '/');
  if (!slash) return false;
  slash[1] = '\0';
  snprintf(folder, CPS_SCENE_PATH_MAX, "%s%s", command, FROM_COMMAND[number]);
  return true;
}

static bool is_name(const char* word) {
  return word[0] != '\0' && !strpbrk(word, "/.") && strlen(word) < 200 && access(word, F_OK) != 0;
}

// Adds the names of the scenes of a folder to a list that ends with NULL; they are allocated.
static void list_names(const char* folder, char** names, int* count) {
  DIR* open = opendir(folder);
  if (!open) return;
  for (struct dirent* entry; *count < NAMES && (entry = readdir(open));) {
    const char* dot = strrchr(entry->d_name, '.');
    if (!dot || dot == entry->d_name || strcmp(dot, ".yaml") != 0) continue;
    names[*count] = strndup(entry->d_name, (size_t)(dot - entry->d_name));
    if (names[*count]) ++*count;
  }
  closedir(open);
}

// The name most similar to a word, in `near`; "" if none is similar.
static void find_near(const char* word, char near[256]) {
  char folder[CPS_SCENE_PATH_MAX];
  char* names[NAMES + 1] = {NULL};
  int count = 0;
  for (int i = 0; scene_folder(i, folder); ++i) list_names(folder, names, &count);
  const char* found = cps_suggest(word, (const char* const*)names);
  snprintf(near, 256, "%s", found ? found : "");
  for (int i = 0; i < count; ++i) free(names[i]);
}

// The path of the packaged scene with a name; false if there is none.
static bool find_packaged(const char* name, char path[CPS_SCENE_PATH_MAX]) {
  char folder[CPS_SCENE_PATH_MAX];
  for (int i = 0; scene_folder(i, folder); ++i) {
    int length = snprintf(path, CPS_SCENE_PATH_MAX, "%s/%s.yaml", folder, name);
    if (length >= CPS_SCENE_PATH_MAX || access(path, R_OK) != 0) continue;
    char* real = realpath(path, NULL);  // resolves ".."
    if (real && strlen(real) < CPS_SCENE_PATH_MAX) strcpy(path, real);
    free(real);
    return true;
  }
  return false;
}

// The name NAME of NAME.yaml if this file is missing but a packaged scene has the name; "" otherwise.
static void missing_file_of_package(const char* word, char name[256]) {
  char path[CPS_SCENE_PATH_MAX];
  size_t length = strlen(word);
  name[0] = '\0';
  if (length <= 5 || length > 200 || strcmp(word + length - 5, ".yaml") != 0 || access(word, F_OK) == 0) return;
  char stem[256];
  snprintf(stem, sizeof stem, "%.*s", (int)(length - 5), word);
  if (is_name(stem) && find_packaged(stem, path)) strcpy(name, stem);
}

bool cps_find_scene(const char** word, char path[CPS_SCENE_PATH_MAX]) {
  char near[256];
  missing_file_of_package(*word, near);
  if (near[0]) {
    cps_complain("%s: no such file; the packaged scene is called '%s', without .yaml", *word, near);
    return false;
  }
  if (!is_name(*word)) return true;
  if (find_packaged(*word, path)) {
    *word = path;
    return true;
  }
  find_near(*word, near);
  cps_complain("%s: no such file or packaged scene%s%s%s", *word, near[0] ? "; did you mean '" : "", near,
               near[0] ? "'?" : "");
  return false;
}
