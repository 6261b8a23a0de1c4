#include "io/export/out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/fail.h"

enum { ATTEMPTS = 100, NAME_ROOM = 48 };

static CpsStatus no_memory(const char* path, CpsError* error) {
  return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
}

static CpsStatus not_written(const char* path, int reason, CpsError* error) {
  CpsStatus status = reason == ENOMEM ? CPS_NO_MEMORY : CPS_FILE_ERROR;
  return cps_io_fail(error, status, path, NULL, "cannot be written: %s", strerror(reason));
}

static char* copy_text(const char* text) {
  size_t size = strlen(text) + 1;
  char* copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static void forget(CpsOut* out) {
  free(out->path);
  free(out->target);
  out->path = out->target = NULL;
  out->file = NULL;
  out->reason = 0;
}

static CpsStatus open_new(CpsOut* out, const char* path, CpsError* error) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return not_written(path, errno, error);
  out->file = fdopen(descriptor, "wb");
  if (out->file) return CPS_OK;
  close(descriptor);
  unlink(path);
  return no_memory(path, error);
}

CpsStatus cps_out_begin(CpsOut* out, const char* path, CpsError* error) {
  *out = (CpsOut){0};
  CpsStatus status = CPS_OK;
  out->target = cps_file_resolve(path, error, &status);
  if (!out->target) return status;
  size_t room = strlen(out->target) + NAME_ROOM;
  out->path = malloc(room);
  status = out->path ? CPS_FILE_ERROR : no_memory(path, error);
  for (int attempt = 0; status == CPS_FILE_ERROR && attempt < ATTEMPTS; ++attempt) {
    snprintf(out->path, room, "%s.%ld-%d.part", out->target, (long)getpid(), attempt);
    status = open_new(out, out->path, NULL);
    if (status != CPS_OK && errno != EEXIST) break;
  }
  if (status == CPS_OK) return CPS_OK;
  if (status == CPS_FILE_ERROR) {
    not_written(path, errno, error);
  } else {
    no_memory(path, error);
  }
  forget(out);
  return status;
}

CpsStatus cps_out_create(CpsOut* out, const char* path, CpsError* error) {
  *out = (CpsOut){.path = copy_text(path)};
  CpsStatus status = out->path ? open_new(out, path, error) : no_memory(path, error);
  if (status != CPS_OK) forget(out);
  return status;
}

void cps_out_add(CpsOut* out, const void* bytes, size_t size) {
  if (out->reason != 0 || size == 0) return;
  errno = 0;
  if (fwrite(bytes, 1, size, out->file) != size) out->reason = errno ? errno : EIO;
  out->bytes += (int64_t)size;
}

void cps_out_flush(CpsOut* out, CpsGrow* bytes) {
  if (bytes->failed && out->reason == 0) out->reason = ENOMEM;
  cps_out_add(out, bytes->at, bytes->size);
  cps_grow_clear(bytes);
}

CpsStatus cps_out_close(CpsOut* out, CpsError* error) {
  errno = 0;
  if (fflush(out->file) != 0 && out->reason == 0) out->reason = errno ? errno : EIO;
  // for a folder of many frames, waiting for the disk each time would be too slow
  bool sync = out->target && out->reason == 0;
  if (sync && fsync(fileno(out->file)) != 0 && errno != EINVAL) out->reason = errno;
  if (fclose(out->file) != 0 && out->reason == 0) out->reason = errno;
  out->file = NULL;
  if (out->reason == 0) return CPS_OK;
  CpsStatus status = not_written(out->target ? out->target : out->path, out->reason, error);
  cps_out_discard(out);
  return status;
}

CpsStatus cps_out_end(CpsOut* out, CpsError* error) {
  CpsStatus status = out->file ? cps_out_close(out, error) : CPS_OK;
  if (!out->path) return status;
  if (out->target && rename(out->path, out->target) != 0) {
    status = not_written(out->target, errno, error);
    unlink(out->path);
  }
  forget(out);
  return status;
}

void cps_out_discard(CpsOut* out) {
  if (out->file) fclose(out->file);
  if (out->path) unlink(out->path);
  forget(out);
}

static bool ends_as(const char* name, const char* endings) {
  size_t length = strlen(name);
  while (*endings) {
    size_t size = strcspn(endings, " ");
    if (length >= size && strncmp(name + length - size, endings, size) == 0) return true;
    endings += size;
    endings += strspn(endings, " ");
  }
  return false;
}

// Whether a folder contains only files with our endings.
static CpsStatus check_old(const char* path, const char* endings, CpsError* error) {
  DIR* folder = opendir(path);
  if (!folder) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "%s", strerror(errno));
  CpsStatus status = CPS_OK;
  for (struct dirent* entry = readdir(folder); status == CPS_OK && entry; entry = readdir(folder)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || ends_as(entry->d_name, endings))
      continue;
    status = cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "is a folder with other files ('%.60s')", entry->d_name);
  }
  closedir(folder);
  return status;
}

// Removes a folder and its files. If it contains other folders, these and the folder itself stay.
static void remove_folder(const char* path) {
  DIR* folder = opendir(path);
  if (!folder) return;
  for (struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
  closedir(folder);
  rmdir(path);
}

CpsStatus cps_out_folder_begin(CpsOutFolder* folder, const char* path, const char* endings, CpsError* error) {
  struct stat facts;
  *folder = (CpsOutFolder){0};
  if (stat(path, &facts) == 0) {
    if (!S_ISDIR(facts.st_mode)) return cps_io_fail(error, CPS_FILE_ERROR, path, NULL, "exists and is not a folder");
    CpsStatus status = check_old(path, endings, error);
    if (status != CPS_OK) return status;
  }
  size_t room = strlen(path) + NAME_ROOM;
  folder->target = copy_text(path);
  folder->path = malloc(room);
  if (!folder->target || !folder->path) {
    free(folder->path);
    folder->path = NULL;
    cps_out_folder_discard(folder);
    return no_memory(path, error);
  }
  int made = -1;
  for (int attempt = 0; made != 0 && attempt < ATTEMPTS; ++attempt) {
    snprintf(folder->path, room, "%s.%ld-%d.part", path, (long)getpid(), attempt);
    made = mkdir(folder->path, 0777);
    if (made != 0 && errno != EEXIST) break;
  }
  if (made == 0) return CPS_OK;
  int reason = errno;
  free(folder->path);
  folder->path = NULL;
  cps_out_folder_discard(folder);
  return not_written(path, reason, error);
}

char* cps_out_folder_file(const CpsOutFolder* folder, const char* name) {
  size_t room = strlen(folder->path) + strlen(name) + 2;
  char* path = malloc(room);
  if (path) snprintf(path, room, "%s/%s", folder->path, name);
  return path;
}

CpsStatus cps_out_folder_end(CpsOutFolder* folder, CpsError* error) {
  size_t room = strlen(folder->path) + sizeof ".old";
  char* old = malloc(room);
  CpsStatus status = CPS_OK;
  if (!old) {
    status = no_memory(folder->target, error);
  } else {
    snprintf(old, room, "%s.old", folder->path);
    bool replaced = rename(folder->target, old) == 0;
    if (rename(folder->path, folder->target) != 0) {
      status = not_written(folder->target, errno, error);
      if (replaced) (void)rename(old, folder->target);
    } else {
      free(folder->path);
      folder->path = NULL;
      if (replaced) remove_folder(old);
    }
  }
  free(old);
  cps_out_folder_discard(folder);
  return status;
}

void cps_out_folder_discard(CpsOutFolder* folder) {
  if (folder->path) remove_folder(folder->path);
  free(folder->path);
  free(folder->target);
  *folder = (CpsOutFolder){0};
}
