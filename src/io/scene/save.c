// A world and its scene as files that can be run again: PATH.yaml with all that was included, overridden and changed, and
// beside it PATH.state with the state.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/fail.h"
#include "io/scene/internal.h"
#include "io/state_file.h"

enum { SET_SIZE = 160 };

typedef struct Saving {
  CpsReader reader;
  CpsStatus status;
} Saving;

static void set(Saving* s, const char* text) {
  if (s->status == CPS_OK) s->status = cps_scene_override(&s->reader, text);
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void set_number(Saving* s, const char* key, double now, double before) {
  char text[SET_SIZE];
  if (same(now, before)) return;
  snprintf(text, sizeof text, isnan(now) ? "%s=none" : "%s=%.17g", key, now);
  set(s, text);
}

static void set_bool(Saving* s, const char* key, bool now, bool before) {
  char text[SET_SIZE];
  if (now == before) return;
  snprintf(text, sizeof text, "%s=%s", key, now ? "true" : "false");
  set(s, text);
}

static void set_name(Saving* s, const char* key, const char* now, const char* before) {
  char text[SET_SIZE];
  if (strcmp(now, before) == 0) return;
  snprintf(text, sizeof text, "%s=%s", key, now);
  set(s, text);
}

// Settings of the world that differ from the scene.
static void set_changes(Saving* s, const CpsWorldDef* now, const CpsWorldDef* scene) {
  static const char* const COUPLINGS[] = {"full", "split", "forward"};
  CpsVec3 g = now->gravity, g0 = scene->gravity;
  if (g.x != g0.x || g.y != g0.y || g.z != g0.z) {
    char text[SET_SIZE];
    snprintf(text, sizeof text, "gravity=[%.17g, %.17g, %.17g]", g.x, g.y, g.z);
    set(s, text);
  }
  set_number(s, "time.step", now->step, scene->step);
  set_number(s, "time.theta", now->theta, scene->theta);
  set_bool(s, "time.mend", now->mend, scene->mend);
  set_bool(s, "time.adaptive", now->adaptive, scene->adaptive);
  set_number(s, "contact.mu", now->mu, scene->mu);
  set_number(s, "contact.restitution", now->restitution, scene->restitution);
  set_number(s, "contact.mu_everywhere", now->mu_everywhere, scene->mu_everywhere);
  set_bool(s, "contact.projection", now->projection, scene->projection);
  set_name(s, "contact.coupling", COUPLINGS[now->coupling], COUPLINGS[scene->coupling]);
  set_name(s, "solver.method", cps_method_info(now->solver.method)->name, cps_method_info(scene->solver.method)->name);
  set_name(s, "solver.local", cps_local_info(now->solver.local)->name, cps_local_info(scene->solver.local)->name);
  set_number(s, "solver.tolerance", now->solver.tolerance, scene->solver.tolerance);
  if (now->motion_tolerance > 0.0) {  // 0: derived from the tolerance
    set_number(s, "solver.motion_tolerance", now->motion_tolerance, scene->motion_tolerance);
  }
  set_number(s, "solver.iterations", (double)now->solver.max_iterations, (double)scene->solver.max_iterations);
  set_bool(s, "solver.polish", now->polish, scene->polish);
}

// A world at its end time continues for the same duration again.
static void set_end(Saving* s, const CpsScene* scene, double time) {
  if (time < scene->end) return;
  set_number(s, "time.end", time + (scene->end > 0.0 ? scene->end : 1.0), scene->end);
}

// A scene without a title uses the name of its file, which changes here.
static void set_title(Saving* s, const char* title) {
  if (cps_node_find(s->reader.root, "title") || s->status != CPS_OK) return;
  CpsTree* tree = &s->reader.tree;
  CpsNode* node = cps_node_new(tree, CPS_NODE_SCALAR, s->reader.root->source);
  if (node) {
    node->key = "title";
    node->text = title;
  }
  if (!node || !cps_node_add(tree, s->reader.root, node)) s->status = cps_scene_no_memory(&s->reader);
}

// PATH with another ending.
static char* beside(const char* path, const char* ending) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t length = dot && dot != path && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
  char* out = malloc(length + strlen(ending) + 1);
  if (!out) return NULL;
  memcpy(out, path, length);
  memcpy(out + length, ending, strlen(ending) + 1);
  return out;
}

// The text of the scene with its changes; NULL, with a message, on failure.
static char* write_text(const CpsScene* scene, const CpsWorld* world, const char* path, CpsError* error,
                        CpsStatus* status) {
  Saving s = {.reader = {.error = error}};
  s.reader.root = cps_node_copy(&s.reader.tree, scene->root);
  if (!s.reader.root) s.status = cps_scene_no_memory(&s.reader);
  CpsWorldDef now = cps_world_settings(world);
  if (s.status == CPS_OK) set_changes(&s, &now, &scene->def);
  if (s.status == CPS_OK) set_end(&s, scene, cps_world_time(world));
  set_title(&s, scene->title);
  if (s.status == CPS_OK) s.status = cps_scene_check(s.reader.root, NULL, error);
  const char* slash = strrchr(path, '/');
  const char* folder = cps_tree_text(&s.reader.tree, path, slash ? (size_t)(slash - path) + 1 : 0);
  char* text = s.status == CPS_OK && folder ? cps_scene_emit(s.reader.root, folder) : NULL;
  if (s.status == CPS_OK && !text) s.status = cps_scene_no_memory(&s.reader);
  cps_tree_free(&s.reader.tree);
  *status = s.status;
  return text;
}

// Writes header, state and text.
static CpsStatus write_scene(const CpsWorld* world, const char* path, const char* state, const char* text,
                             CpsError* error) {
  const char* name = strrchr(state, '/');
  name = name ? name + 1 : state;
  size_t size = strlen(text) + 2 * strlen(name) + 200;
  char* whole = malloc(size);
  if (!whole) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  int head = snprintf(whole, size, "# World saved at t = %.9g s; the run continues from there.\nstate: \"",
                      cps_world_time(world));
  size_t at = (size_t)head;
  for (const char* c = name; *c; ++c) {
    if (*c == '"' || *c == '\\') whole[at++] = '\\';
    whole[at++] = *c;
  }
  at += (size_t)snprintf(whole + at, size - at, "\"\n%s", text);
  CpsStatus status = cps_file_replace(path, whole, at, error);
  free(whole);
  return status;
}

// The text of the scene must name all objects whose state is saved: otherwise they could not be read back.
static CpsStatus check_objects(const CpsScene* scene, const CpsWorld* w, const char* path, CpsError* error) {
  const CpsSceneInfo info = cps_scene_info(scene);
  if (cps_world_body_count(w) == info.bodies && cps_world_obstacle_count(w) == info.obstacles &&
      cps_world_fibre_count(w) == info.fibres && cps_world_sheet_count(w) == info.sheets &&
      cps_world_solid_count(w) == info.solids && cps_world_tie_count(w) == info.ties) {
    return CPS_OK;
  }
  return cps_io_fail(
      error, CPS_BAD_ARGUMENT, path, NULL,
      "cannot hold a world with objects that the scene does not have: it has %d bodies, %d obstacles, %d "
      "fibres, %d sheets, %d solids and %d ties, the scene %d, %d, %d, %d, %d and %d",
      cps_world_body_count(w), cps_world_obstacle_count(w), cps_world_fibre_count(w), cps_world_sheet_count(w),
      cps_world_solid_count(w), cps_world_tie_count(w), info.bodies, info.obstacles, info.fibres, info.sheets,
      info.solids, info.ties);
}

CpsStatus cps_scene_save(const CpsScene* scene, const CpsWorld* world, const char* path, CpsError* error) {
  if (!scene || !world || !path || !path[0]) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_scene_save", NULL, "scene, world or path is missing");
  }
  CpsStatus status = check_objects(scene, world, path, error);
  if (status != CPS_OK) return status;
  char* state = beside(path, ".state");
  if (!state) return cps_io_fail(error, CPS_NO_MEMORY, path, NULL, "out of memory");
  char* text = write_text(scene, world, path, error, &status);
  if (status == CPS_OK) status = cps_file_check(path, error);
  struct stat facts;
  bool older = stat(state, &facts) == 0;  // an existing state of an older scene would become useless without it
  if (status == CPS_OK) status = cps_state_write(state, world, error);
  if (status == CPS_OK) {
    status = write_scene(world, path, state, text, error);
    if (status != CPS_OK && !older) remove(state);
  }
  free(text);
  free(state);
  if (status == CPS_OK && error) error->text[0] = '\0';
  return status;
}
