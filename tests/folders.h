// Folders that tests made.
#ifndef CAPSTAN_TESTS_FOLDERS_H
#define CAPSTAN_TESTS_FOLDERS_H

#include <dirent.h>
#include <stdio.h>

// Removes a file, or a folder with the files in it.
static inline void remove_folder(const char* path) {
  DIR* folder = opendir(path);
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') remove(name);
  }
  if (folder) closedir(folder);
  remove(path);
}

#endif
