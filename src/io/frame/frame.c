// Shows: common to those of results and of worlds.
#include "capstan/frame.h"

#include <stdlib.h>

#include "base/fail.h"
#include "io/frame/internal.h"

bool cps_show_take_frame(CpsShow* show) {
  const CpsThings* things = &show->things;
  show->bodies = CPS_TAKE(&show->memory, CpsPose, things->body_count);
  show->velocities = CPS_TAKE(&show->memory, CpsVec3, things->body_count);
  show->obstacles = CPS_TAKE(&show->memory, CpsPose, things->obstacle_count);
  show->points = CPS_TAKE(&show->memory, CpsVec3, things->point_count);
  show->axes = CPS_TAKE(&show->memory, CpsVec3, things->point_count);
  show->tension = CPS_TAKE(&show->memory, double, things->point_count);
  show->point_velocities = CPS_TAKE(&show->memory, CpsVec3, things->point_count);
  show->ties = CPS_TAKE(&show->memory, CpsFrameTie, things->tie_count);
  show->vertices = CPS_TAKE(&show->memory, CpsVec3, things->vertex_count);
  show->vertex_velocities = CPS_TAKE(&show->memory, CpsVec3, things->vertex_count);
  show->vertex_impulses = CPS_TAKE(&show->memory, CpsVec3, things->vertex_count);
  show->stress = CPS_TAKE(&show->memory, double, 6 * things->tetrahedron_count);
  show->vertex_held = CPS_TAKE(&show->memory, bool, things->vertex_count);
  show->particles = CPS_TAKE(&show->memory, CpsVec3, things->particle_count);
  show->particle_velocities = CPS_TAKE(&show->memory, CpsVec3, things->particle_count);
  show->particle_pressures = CPS_TAKE(&show->memory, double, things->particle_count);
  show->particle_fractions = CPS_TAKE(&show->memory, double, things->particle_count);
  show->particle_stresses = CPS_TAKE(&show->memory, double, 6 * things->particle_count);
  show->particle_statuses = CPS_TAKE(&show->memory, uint8_t, things->particle_count);
  if (!show->particles || !show->particle_velocities || !show->particle_stresses || !show->particle_statuses)
    return false;
  if (!show->particle_pressures || !show->particle_fractions) return false;
  return show->vertex_impulses && show->vertex_held && show->ties && show->bodies && show->velocities &&
         show->obstacles && show->points && show->axes && show->tension && show->point_velocities && show->vertices &&
         show->vertex_velocities && show->stress;
}

int32_t cps_things_surface(const CpsThings* t, CpsThing thing) {
  if (thing.kind == CPS_THING_SOLID) return t->sheet_count - t->solid_count + thing.index;
  return thing.kind == CPS_THING_SHEET ? thing.index : -1;
}

bool cps_things_have(const CpsThings* t, CpsThing thing) {
  const int32_t count = thing.kind == CPS_THING_BODY       ? t->body_count
                        : thing.kind == CPS_THING_FIBRE    ? t->fibre_count
                        : thing.kind == CPS_THING_SHEET    ? t->sheet_count - t->solid_count
                        : thing.kind == CPS_THING_SOLID    ? t->solid_count
                        : thing.kind == CPS_THING_GRAINS   ? (t->particle_count > 0 ? 1 : 0)
                        : thing.kind == CPS_THING_OBSTACLE ? t->obstacle_count
                                                           : 0;
  return thing.index >= 0 && thing.index < count;
}

const char* cps_things_name(const CpsThings* things, CpsThing thing) {
  if (!things || !cps_things_have(things, thing)) return "";
  if (thing.kind == CPS_THING_GRAINS) return "grains";
  const int32_t surface = cps_things_surface(things, thing);
  if (surface >= 0) return things->sheet_names[surface];
  const char* const* names = thing.kind == CPS_THING_BODY    ? things->body_names
                             : thing.kind == CPS_THING_FIBRE ? things->fibre_names
                                                             : things->obstacle_names;
  return names[thing.index];
}

bool cps_show_reserve_contacts(CpsShow* show, int64_t count) {
  if (count <= show->contact_room) return true;
  int64_t room = count + count / 2;
  if (room > INT32_MAX) room = INT32_MAX;
  if (count > room) return false;
  CpsFrameContact* grown = realloc(show->contacts, (size_t)room * sizeof *grown);
  if (!grown) return false;
  show->contacts = grown;
  show->contact_room = (int32_t)room;
  return true;
}

// Makes a show of the source in `from`.
static CpsStatus make(CpsShow from, CpsShow** show, CpsError* error) {
  CpsShow* made = malloc(sizeof *made);
  if (!made) return cps_io_fail(error, CPS_NO_MEMORY, "a show", NULL, "out of memory");
  *made = from;
  CpsStatus status = made->result ? cps_show_fill_result_things(made, error) : cps_show_fill_world_things(made, error);
  if (status != CPS_OK) {
    cps_show_destroy(made);
    return status;
  }
  *show = made;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

CpsStatus cps_show_result(CpsResult* result, CpsShow** show, CpsError* error) {
  if (!result || !show) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_show_result", NULL, "result or show is NULL");
  }
  return make((CpsShow){.result = result}, show, error);
}

CpsStatus cps_show_world(const CpsScene* scene, const CpsWorld* world, CpsShow** show, CpsError* error) {
  if (!scene || !world || !show) {
    return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_show_world", NULL, "scene, world or show is NULL");
  }
  return make((CpsShow){.scene = scene, .world = world}, show, error);
}

void cps_show_destroy(CpsShow* show) {
  if (!show) return;
  cps_arena_free(&show->memory);
  cps_fibre_lines_free(&show->lines);
  cps_tensions_destroy(show->tensions);
  cps_numbering_free(&show->numbering);
  free(show->contacts);
  free(show->buffer);
  free(show);
}

const CpsThings* cps_show_things(const CpsShow* show) {
  return show ? &show->things : NULL;
}

int64_t cps_show_frame_count(const CpsShow* show) {
  if (!show) return 0;
  return show->result ? cps_result_info(show->result).frames : 1;
}

CpsStatus cps_show_read(CpsShow* show, int64_t frame, CpsError* error) {
  if (!show) return cps_io_fail(error, CPS_BAD_ARGUMENT, "cps_show_read", NULL, "show is NULL");
  show->frame = (CpsFrame){0};
  CpsStatus status =
      show->result ? cps_show_fill_result_frame(show, frame, error) : cps_show_fill_world_frame(show, error);
  if (status != CPS_OK) {
    show->frame = (CpsFrame){0};
    return status;
  }
  show->frame.bodies = show->bodies;
  show->frame.body_velocities = show->velocities;
  show->frame.obstacles = show->obstacles;
  show->frame.points = show->points;
  show->frame.axes = show->axes;
  show->frame.tension = show->has_tension ? show->tension : NULL;
  show->frame.point_velocities = show->has_velocities ? show->point_velocities : NULL;
  show->frame.vertices = show->vertices;
  show->frame.vertex_velocities = show->has_vertex_velocities ? show->vertex_velocities : NULL;
  show->frame.vertex_impulses = show->has_vertex_impulses ? show->vertex_impulses : NULL;
  show->frame.stress = show->has_stress ? show->stress : NULL;
  show->frame.vertex_held = show->world ? show->vertex_held : NULL;
  show->frame.contacts = show->contacts;
  show->frame.ties = show->ties;
  show->frame.particles = show->particles;
  show->frame.particle_velocities = show->particle_velocities;
  show->frame.particle_pressures = show->particle_pressures;
  show->frame.particle_fractions = show->particle_fractions;
  show->frame.particle_statuses = show->has_grain_stress ? show->particle_statuses : NULL;
  show->frame.particle_stresses = show->has_grain_stress ? show->particle_stresses : NULL;
  if (error) error->text[0] = '\0';
  return CPS_OK;
}

const CpsFrame* cps_show_frame(const CpsShow* show) {
  return show ? &show->frame : NULL;
}
