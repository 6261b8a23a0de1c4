#include "browser/web.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "capstan/array.h"
#include "capstan/fibre.h"
#include "capstan/pull.h"
#include "capstan/solid.h"
#include "core/error.h"
#include "server/stream.h"

enum { PULLS = 64 };

struct CpsWeb {
  CpsScene* scene;
  CpsWorld* world;
  CpsShow* show;
  CpsStepInfo info;
  CpsPullId pulls[PULLS];  // generation 0: free
  CpsBuffer text;          // the scene as JSON
  char hash[20];
  CpsError error;
};

CpsWeb* cps_web_open(const char* path, char* text, int size) {
  CpsWeb* web = calloc(1, sizeof *web);
  CpsError error = {"not enough memory for a world"};
  CpsStatus status = web ? cps_scene_load(path, NULL, 0, &web->scene, &error) : CPS_NO_MEMORY;
  if (status == CPS_OK) status = cps_scene_build(web->scene, 1, &web->world, &error);
  if (status == CPS_OK) status = cps_show_world(web->scene, web->world, &web->show, &error);
  if (status == CPS_OK) return web;
  snprintf(text, (size_t)size, "%s", error.text);
  cps_web_close(web);
  return NULL;
}

void cps_web_close(CpsWeb* web) {
  if (!web) return;
  cps_show_destroy(web->show);
  cps_world_destroy(web->world);
  cps_scene_destroy(web->scene);
  cps_buffer_free(&web->text);
  free(web);
}

const char* cps_web_error(const CpsWeb* web) {
  return web->error.text;
}

int cps_web_step(CpsWeb* web, int count) {
  CpsStatus worst = CPS_OK;
  for (int i = 0; i < count && worst >= 0; ++i) {
    CpsError error = {""};
    const CpsStatus status = cps_world_step(web->world, &web->info, &error);
    if (status != CPS_OK) web->error = error;
    if (status < 0 || (worst == CPS_OK && status > 0)) worst = status;
  }
  return worst;
}

double cps_web_time(const CpsWeb* web) {
  return cps_world_time(web->world);
}

void cps_web_info(const CpsWeb* web, double* out) {
  const CpsStepInfo* i = &web->info;
  const double values[] = {i->contacts, i->stick,       i->slide,     i->unsolved, (double)i->iterations,
                           i->residual, i->penetration, i->crossings, i->step};
  for (size_t k = 0; k < sizeof values / sizeof *values; ++k) out[k] = values[k];
}

const char* cps_web_hash(CpsWeb* web) {
  snprintf(web->hash, sizeof web->hash, "%016" PRIx64, cps_world_hash(web->world));
  return web->hash;
}

const char* cps_web_scene(CpsWeb* web) {
  const CpsThings* things = cps_show_things(web->show);
  int32_t* mesh_of_part = malloc(((size_t)things->part_count + 1) * sizeof *mesh_of_part);
  if (!mesh_of_part) return "null";
  cps_stream_meshes(things, mesh_of_part);
  static const char* const NO_SERIES[] = {NULL};
  const CpsSceneFacts facts = {.live = true, .file = "", .series = NO_SERIES, .mesh_of_part = mesh_of_part};
  cps_buffer_free(&web->text);
  cps_stream_scene(&web->text, things, &facts);
  free(mesh_of_part);
  unsigned char* end = cps_buffer_take(&web->text, 1);
  if (!end) return "null";
  *end = '\0';
  return (const char*)web->text.bytes;
}

// A thing by its number; index -1: all of the kind.
static CpsThing thing_of(const CpsWeb* web, int kind, int index) {
  if (index < 0) return (CpsThing){.kind = (CpsThingKind)kind};
  switch (kind) {
    case CPS_THING_BODY:
      return cps_thing_body(cps_world_body(web->world, index));
    case CPS_THING_FIBRE:
      return cps_thing_fibre(cps_world_fibre(web->world, index));
    case CPS_THING_SHEET:
      return cps_thing_sheet(cps_world_sheet(web->world, index));
    case CPS_THING_SOLID:
      return cps_thing_solid(cps_world_solid(web->world, index));
    case CPS_THING_OBSTACLE:
      return cps_thing_obstacle(cps_world_obstacle(web->world, index));
    default:
      return (CpsThing){0};
  }
}

static size_t stride_of(int quantity) {
  return sizeof(double) * (size_t)cps_quantity_width((CpsQuantity)quantity);
}

int cps_web_count(const CpsWeb* web, int kind, int index, int quantity) {
  const CpsThing thing = thing_of(web, kind, index);
  return index >= 0 && thing.generation == 0 ? 0 : (int)cps_world_array_count(web->world, thing, (CpsQuantity)quantity);
}

int cps_web_read(const CpsWeb* web, int kind, int index, int quantity, double* out) {
  return cps_world_array(web->world, thing_of(web, kind, index), (CpsQuantity)quantity, out, stride_of(quantity));
}

int cps_web_write(CpsWeb* web, int kind, int index, int quantity, const double* values, int count) {
  return cps_world_set_array(web->world, thing_of(web, kind, index), (CpsQuantity)quantity, values, count,
                             stride_of(quantity), &web->error);
}

int cps_web_triangles(const CpsWeb* web, int32_t* out) {
  const CpsThings* things = cps_show_things(web->show);
  for (int64_t i = 0; out && i < 3 * things->triangle_count; ++i) out[i] = things->triangles[i];
  return (int)things->triangle_count;
}

int cps_web_contact_count(const CpsWeb* web) {
  return cps_world_contact_count(web->world);
}

int cps_web_contact_read(const CpsWeb* web, int quantity, double* out) {
  const int32_t width = cps_contact_quantity_width((CpsContactQuantity)quantity);
  return cps_world_contact_array(web->world, (CpsContactQuantity)quantity, out, sizeof *out * (size_t)width);
}

int cps_web_contact_labels(const CpsWeb* web, int label, int32_t* out) {
  const int32_t width = cps_contact_label_width((CpsContactLabel)label);
  return cps_world_contact_labels(web->world, (CpsContactLabel)label, out, sizeof *out * (size_t)width);
}

static CpsVec3 vector_of(const double* v) {
  return (CpsVec3){v[0], v[1], v[2]};
}

int cps_web_pull(CpsWeb* web, int kind, int index, const double* place, const double* target, double stiffness,
                 double damping) {
  int number = 0;
  while (number < PULLS && web->pulls[number].generation != 0) ++number;
  if (number == PULLS) {
    return cps_fail(&web->error, CPS_NO_MEMORY, "there are %d pulls already, and no more can be kept", PULLS);
  }
  CpsPullDef def = cps_pull_def_default();
  def.at = (CpsAnchor){.thing = thing_of(web, kind, index < 0 ? 0 : index)};
  if (kind == CPS_THING_FIBRE) def.at.s = place[0];
  if (kind == CPS_THING_BODY) def.at.point = vector_of(place);
  if (kind == CPS_THING_SHEET || kind == CPS_THING_SOLID) {
    def.at.vertex = place[0] >= 0.0 && place[0] <= (double)INT32_MAX ? (int32_t)place[0] : -1;  // -1: refused
  }
  def.target = vector_of(target);
  def.stiffness = stiffness;
  def.damping = damping;
  const CpsStatus status = cps_world_add_pull(web->world, &def, &web->pulls[number], &web->error);
  return status == CPS_OK ? number : (int)status;
}

static CpsPullId pull_of(const CpsWeb* web, int pull) {
  return pull >= 0 && pull < PULLS ? web->pulls[pull] : (CpsPullId){0};
}

int cps_web_pull_move(CpsWeb* web, int pull, const double* target) {
  return cps_world_move_pull(web->world, pull_of(web, pull), vector_of(target), &web->error);
}

int cps_web_pull_remove(CpsWeb* web, int pull) {
  const CpsStatus status = cps_world_remove_pull(web->world, pull_of(web, pull), &web->error);
  if (status == CPS_OK) web->pulls[pull] = (CpsPullId){0};
  return status;
}

int cps_web_state_size(const CpsWeb* web) {
  return (int)cps_world_state_size(web->world);
}

int cps_web_save(CpsWeb* web, void* bytes, int size) {
  return cps_world_save(web->world, bytes, (size_t)size, &web->error);
}

int cps_web_load(CpsWeb* web, const void* bytes, int size) {
  return cps_world_load(web->world, bytes, (size_t)size, &web->error);
}
