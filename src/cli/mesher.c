// External meshers, started as programs: TetGen (AGPL) and Gmsh (GPL) may be run beside Capstan, but not be linked into it.
//
// The surface goes to the program in a folder of its own, which is removed afterwards with all that is in it. Its facets stay as
// they are. TetGen is given the volume of a regular tetrahedron with edges of the size, s^3 / (6 sqrt 2), as the largest; Gmsh
// the size itself.
#include "cli/mesher.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"

extern char** environ;

enum { PATH_SIZE = 512, WORDS = 200 };
static const char* const PROGRAMS[] = {NULL, "tetgen", "gmsh"};
// All files in the folder, written by us or by the mesher.
static const char* const FILES[] = {"in.off",    "in.msh",     "in.geo",   "in.1.node", "in.1.ele", "in.1.face",
                                    "in.1.edge", "in.1.smesh", "in.1.vtk", "out.msh",   "log"};

bool cps_mesher_find(const char* name, CpsMesher* mesher) {
  for (CpsMesher i = CPS_MESHER_TETGEN; i <= CPS_MESHER_GMSH; ++i) {
    if (strcmp(name, PROGRAMS[i]) != 0) continue;
    *mesher = i;
    return true;
  }
  return false;
}

typedef struct Folder {
  char path[PATH_SIZE - 16];
} Folder;

static const char* in_folder(const Folder* folder, const char* name, char* path) {
  snprintf(path, PATH_SIZE, "%s/%s", folder->path, name);
  return path;
}

static bool make_folder(Folder* folder) {
  const char* top = getenv("TMPDIR");
  const int length = snprintf(folder->path, sizeof folder->path, "%s/capstan-mesh-XXXXXX", top && *top ? top : "/tmp");
  return length > 0 && (size_t)length < sizeof folder->path && mkdtemp(folder->path);
}

static void remove_folder(const Folder* folder) {
  char path[PATH_SIZE];
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; ++i) remove(in_folder(folder, FILES[i], path));
  rmdir(folder->path);
}

static bool write_off(const char* path, const CpsMeshFile* m) {
  FILE* f = fopen(path, "w");
  if (!f) return false;
  fprintf(f, "OFF\n%d %d 0\n", (int)m->vertex_count, (int)m->triangle_count);
  for (int32_t i = 0; i < m->vertex_count; ++i) {
    fprintf(f, "%.17g %.17g %.17g\n", m->vertices[i].x, m->vertices[i].y, m->vertices[i].z);
  }
  for (int64_t i = 0; i < m->triangle_count; ++i) {
    fprintf(f, "3 %d %d %d\n", (int)m->triangles[3 * i], (int)m->triangles[3 * i + 1], (int)m->triangles[3 * i + 2]);
  }
  const bool written = !ferror(f);
  return fclose(f) == 0 && written;
}

// The volume enclosed by all surfaces of the file, whose triangles stay.
static bool write_geo(const char* path, double size) {
  FILE* f = fopen(path, "w");
  if (!f) return false;
  fprintf(f,
          "Merge \"in.msh\";\nSurface Loop(1) = Surface{:};\nVolume(1) = {1};\nMesh.MeshSizeMax = %.17g;\n"
          "Mesh.MeshOnlyEmpty = 1;\nMesh.SaveAll = 1;\nMesh.MshFileVersion = 4.1;\n",
          size);
  const bool written = !ferror(f);
  return fclose(f) == 0 && written;
}

// The command line of each mesher.
typedef struct Call {
  const char* word[8];
  char option[64], in[PATH_SIZE], out[PATH_SIZE];
} Call;

// Writes the input files and the arguments; false if a file cannot be written.
static bool prepare(CpsMesher mesher, const Folder* folder, const CpsMeshFile* surface, double size, Call* call) {
  char path[PATH_SIZE];
  memset(call, 0, sizeof *call);
  call->word[0] = PROGRAMS[mesher];
  if (mesher == CPS_MESHER_TETGEN) {
    // p: input facets, q: good elements, a: maximum volume, Y: keep the facets, Q: quiet
    snprintf(call->option, sizeof call->option, "-pqYQa%.9g", size * size * size / (6.0 * sqrt(2.0)));
    call->word[1] = call->option;
    call->word[2] = in_folder(folder, "in.off", call->in);
    in_folder(folder, "in.1.ele", call->out);
    return write_off(call->in, surface);
  }
  const char* const words[] = {
      "-3", in_folder(folder, "in.geo", call->in), "-o", in_folder(folder, "out.msh", call->out), "-v", "2"};
  memcpy(call->word + 1, words, sizeof words);
  CpsMeshFile facets = *surface;
  facets.tetrahedron_count = 0;
  return cps_mesh_file_write(in_folder(folder, "in.msh", path), &facets, NULL) == CPS_OK && write_geo(call->in, size);
}

// Starts the program with its output in the log. Returns 0 or an errno.
static int start(const Folder* folder, const Call* call, pid_t* child) {
  posix_spawn_file_actions_t actions;
  char log[PATH_SIZE];
  in_folder(folder, "log", log);
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (!failed) failed = posix_spawnp(child, call->word[0], &actions, NULL, (char* const*)call->word, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// The first line of the log that mentions an error, or the last line that is not empty.
static void find_words(const Folder* folder, char words[WORDS]) {
  char path[PATH_SIZE], line[WORDS];
  bool error = false;
  FILE* f = fopen(in_folder(folder, "log", path), "r");
  snprintf(words, WORDS, "it says nothing");
  while (f && !error && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\r\n")] = '\0';
    error = strstr(line, "rror") != NULL;
    if (line[strspn(line, " \t-")]) snprintf(words, WORDS, "%s", line);
  }
  if (f) fclose(f);
}

static CpsStatus run(CpsMesher mesher, const Folder* folder, const CpsMeshFile* surface, double size, CpsMeshFile* mesh,
                     CpsError* error) {
  char said[WORDS];
  const char* name = PROGRAMS[mesher];
  Call call;
  pid_t child;
  int state = 0;
  if (!prepare(mesher, folder, surface, size, &call)) {
    return cps_io_fail(error, CPS_FILE_ERROR, folder->path, NULL, "files for %s can not be written: %s", name,
                       strerror(errno));
  }
  const int failed = start(folder, &call, &child);
  if (failed == ENOENT) {
    return cps_io_fail(error, CPS_UNSUPPORTED, "--with", NULL,
                       "%s is not installed: install it (Debian: apt install %s), or leave out --with", name, name);
  }
  if (failed) {
    return cps_io_fail(error, CPS_FILE_ERROR, "--with", NULL, "%s can not be started: %s", name, strerror(failed));
  }
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (state == 0 && access(call.out, R_OK) == 0) {
    CpsStatus status = cps_mesh_file_read(call.out, mesh, error);
    if (status != CPS_OK || mesh->tetrahedron_count > 0) return status;
    cps_mesh_file_free(mesh);
  }
  find_words(folder, said);
  return cps_io_fail(error, CPS_BAD_DATA, "--with", NULL, "%s made no tetrahedra: %s", name, said);
}

CpsStatus cps_mesher_run(CpsMesher mesher, const CpsMeshFile* surface, double size, CpsMeshFile* mesh,
                         CpsError* error) {
  Folder folder;
  if (!make_folder(&folder)) {
    return cps_io_fail(error, CPS_FILE_ERROR, "--with", NULL, "no folder for temporary files: %s", strerror(errno));
  }
  const CpsStatus status = run(mesher, &folder, surface, size, mesh, error);
  remove_folder(&folder);
  return status;
}
