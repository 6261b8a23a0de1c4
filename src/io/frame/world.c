// A show of a running world: the contents of its result, without the file.
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "capstan/flow.h"
#include "capstan/grains.h"
#include "io/frame/internal.h"
#include "io/scene/internal.h"
#include "io/scene/parts.h"
#include "io/sheet_arrays.h"
#include "io/world_surfaces.h"

typedef const char* (*NameFn)(const CpsScene*, int32_t);
typedef CpsMaterialId (*MaterialFn)(const CpsScene*, int32_t);

static CpsStatus no_memory(CpsError* error) {
  return cps_io_fail(error, CPS_NO_MEMORY, "a show", NULL, "out of memory");
}

static const char* const* names(CpsShow* show, int32_t count, NameFn name) {
  const char** all = CPS_TAKE(&show->memory, const char*, count);
  for (int32_t i = 0; all && i < count; ++i) all[i] = name(show->scene, i);
  return all;
}

static const int32_t* materials(CpsShow* show, int32_t count, MaterialFn material) {
  int32_t* all = CPS_TAKE(&show->memory, int32_t, count);
  for (int32_t i = 0; all && i < count; ++i) all[i] = material(show->scene, i);
  return all;
}

static const char* surface_name(const CpsScene* scene, int32_t i) {
  const int32_t sheets = cps_scene_info(scene).sheets;
  return i < sheets ? cps_scene_sheet_name(scene, i) : cps_scene_solid_name(scene, i - sheets);
}

static CpsMaterialId surface_material(const CpsScene* scene, int32_t i) {
  const int32_t sheets = cps_scene_info(scene).sheets;
  return i < sheets ? cps_scene_sheet_material(scene, i) : cps_scene_solid_material(scene, i - sheets);
}

static bool fill_names(CpsShow* show) {
  CpsThings* t = &show->things;
  t->body_names = names(show, t->body_count, cps_scene_body_name);
  t->obstacle_names = names(show, t->obstacle_count, cps_scene_obstacle_name);
  t->fibre_names = names(show, t->fibre_count, cps_scene_fibre_name);
  t->sheet_names = names(show, t->sheet_count, surface_name);
  t->sheet_materials = materials(show, t->sheet_count, surface_material);
  t->material_names = names(show, t->material_count, cps_scene_material_name);
  t->body_materials = materials(show, t->body_count, cps_scene_body_material);
  t->obstacle_materials = materials(show, t->obstacle_count, cps_scene_obstacle_material);
  t->fibre_materials = materials(show, t->fibre_count, cps_scene_fibre_material);
  return t->body_names && t->obstacle_names && t->fibre_names && t->material_names && t->body_materials &&
         t->obstacle_materials && t->fibre_materials && t->sheet_names && t->sheet_materials;
}

static bool fill_ties(CpsShow* show) {
  CpsThings* t = &show->things;
  CpsTieKind* kinds = CPS_TAKE(&show->memory, CpsTieKind, t->tie_count);
  t->tie_names = names(show, t->tie_count, cps_scene_tie_name);
  for (int32_t i = 0; kinds && i < t->tie_count; ++i) {
    CpsTieState now = {0};
    if (cps_world_tie_state(show->world, cps_world_tie(show->world, i), &now) == CPS_OK) kinds[i] = now.kind;
  }
  t->tie_kinds = kinds;
  return kinds && t->tie_names;
}

static bool fill_parts(CpsShow* show) {
  CpsThings* t = &show->things;
  int32_t bodies = t->body_count, owners = bodies + t->obstacle_count, count = 0;
  for (int32_t owner = 0; owner < owners; ++owner) {
    CpsShape shape = cps_scene_owner_shape(show->scene, owner, bodies);
    count += cps_shape_part_count(&shape);
  }
  CpsResultPart* parts = CPS_TAKE(&show->memory, CpsResultPart, count);
  if (!parts) return false;
  t->parts = parts;
  t->part_count = count;
  for (int32_t owner = 0; owner < owners; ++owner) {
    CpsShape shape = cps_scene_owner_shape(show->scene, owner, bodies);
    for (int32_t i = 0; i < cps_shape_part_count(&shape); ++i, ++parts) {
      *parts = (CpsResultPart){.is_obstacle = owner >= bodies, .owner = owner < bodies ? owner : owner - bodies};
      parts->shape = cps_shape_part(&shape, i, &parts->pose);
    }
  }
  return true;
}

static bool fill_lines(CpsShow* show) {
  if (!cps_fibre_lines_plan(&show->lines, show->scene)) return false;
  CpsResultLine* lines = CPS_TAKE(&show->memory, CpsResultLine, show->lines.count);
  if (!lines) return false;
  int64_t first = 0;
  for (int32_t i = 0; i < show->lines.count; ++i) {
    const CpsFibreLine* line = &show->lines.lines[i];
    lines[i] = (CpsResultLine){line->fibre, line->branch, first, line->count, line->radius, line->radius_tip};
    first += line->count;
  }
  show->things.lines = lines;
  show->things.line_count = show->lines.count;
  show->things.point_count = show->lines.point_count;
  return true;
}

static bool fill_sheets(CpsShow* show) {
  CpsThings* t = &show->things;
  CpsResultSheet* sheets = CPS_TAKE(&show->memory, CpsResultSheet, t->sheet_count);
  if (!sheets) return false;
  for (int32_t i = 0; i < t->sheet_count; ++i) {
    CpsWorldSurface info = cps_world_surface(show->world, i);
    sheets[i] =
        (CpsResultSheet){t->vertex_count, info.vertex_count, t->triangle_count, info.triangle_count, info.thickness};
    t->vertex_count += info.vertex_count;
    t->triangle_count += info.triangle_count;
  }
  int32_t* triangles = CPS_TAKE(&show->memory, int32_t, 3 * t->triangle_count);
  double* rest = CPS_TAKE(&show->memory, double, 3 * t->triangle_count);
  if (!triangles || !rest) return false;
  for (int32_t i = 0; i < t->sheet_count; ++i) {
    cps_scene_surface_rest(show->scene, i, rest + 3 * sheets[i].first_triangle);
  }
  t->rest = t->sheet_count > 0 ? rest : NULL;
  t->sheets = sheets;
  t->triangles = triangles;
  for (int32_t i = 0; i < t->sheet_count; ++i) {
    const int32_t* own = cps_world_surface(show->world, i).triangles;
    for (int64_t k = 0; k < 3 * (int64_t)sheets[i].triangle_count; ++k) {
      *triangles++ = (int32_t)sheets[i].first_vertex + own[k];
    }
  }
  return true;
}

static bool fill_tetrahedra(CpsShow* show) {
  CpsThings* t = &show->things;
  const int32_t sheets = t->sheet_count - t->solid_count;
  for (int32_t i = 0; i < t->solid_count; ++i) {
    t->tetrahedron_count += cps_scene_surface(show->scene, sheets + i).tetrahedron_count;
  }
  if (t->tetrahedron_count == 0) return true;
  int32_t* all = CPS_TAKE(&show->memory, int32_t, 4 * t->tetrahedron_count);
  t->tetrahedra = all;
  for (int32_t i = 0; all && i < t->solid_count; ++i) {
    const CpsSceneSurface own = cps_scene_surface(show->scene, sheets + i);
    for (int64_t k = 0; k < 4 * (int64_t)own.tetrahedron_count; ++k) {
      *all++ = (int32_t)t->sheets[sheets + i].first_vertex + own.tetrahedra[k];
    }
  }
  return t->tetrahedra;
}

static bool fill_stress(CpsShow* show) {
  const CpsThings* t = &show->things;
  double* at = show->stress;
  for (int32_t i = 0; i < t->solid_count; ++i) {
    const CpsSolidId id = cps_world_solid(show->world, i);
    CpsSolidInfo info;
    if (cps_world_solid_info(show->world, id, &info) != CPS_OK) return false;
    if (at + 6 * (int64_t)info.tetrahedron_count > show->stress + 6 * t->tetrahedron_count) return false;
    if (cps_world_solid_stress(show->world, id, at) != CPS_OK) return false;
    at += 6 * (int64_t)info.tetrahedron_count;
  }
  show->has_stress = t->tetrahedron_count > 0;
  return true;
}

static bool fill_vertices(CpsShow* show) {
  const CpsThings* t = &show->things;
  for (int32_t i = 0; i < t->sheet_count; ++i) {
    if (cps_world_surface(show->world, i).vertex_count != t->sheets[i].vertex_count) return false;
    int64_t first = t->sheets[i].first_vertex;
    bool* held = show->vertex_held + first;
    const CpsWorld* world = show->world;
    const int32_t sheets = t->sheet_count - t->solid_count;
    const CpsThing thing =
        i < sheets ? cps_thing_sheet(cps_world_sheet(world, i)) : cps_thing_solid(cps_world_solid(world, i - sheets));
    if (cps_world_held_vertices(world, thing, held) != CPS_OK) return false;
    if (cps_world_surface_vertices(world, i, show->vertices + first, show->vertex_velocities + first) < 0) return false;
  }
  show->has_vertex_velocities = t->vertex_count > 0;
  return true;
}

// The particles of grains, or the points of a flow instead.
static CpsThing particles_of(const CpsWorld* world) {
  const CpsThing flow = cps_thing_flow(world);
  return flow.kind != CPS_THING_NONE ? flow : cps_thing_grains(world);
}

static CpsStatus check_counts(const CpsShow* show, CpsError* error) {
  const CpsThings* t = &show->things;
  const CpsWorld* w = show->world;
  if (cps_world_body_count(w) == t->body_count && cps_world_obstacle_count(w) == t->obstacle_count &&
      cps_world_fibre_count(w) == t->fibre_count && cps_world_sheet_count(w) == t->sheet_count - t->solid_count &&
      cps_world_solid_count(w) == t->solid_count && cps_world_tie_count(w) == t->tie_count) {
    return CPS_OK;
  }
  return cps_io_fail(
      error, CPS_BAD_ARGUMENT, "a show", NULL,
      "the world has %d bodies, %d obstacles, %d fibres, %d sheets and solids and %d ties, the scene %d, %d, %d, %d "
      "and %d",
      (int)cps_world_body_count(w), (int)cps_world_obstacle_count(w), (int)cps_world_fibre_count(w),
      (int)(cps_world_sheet_count(w) + cps_world_solid_count(w)), (int)cps_world_tie_count(w), (int)t->body_count,
      (int)t->obstacle_count, (int)t->fibre_count, (int)t->sheet_count, (int)t->tie_count);
}

CpsStatus cps_show_fill_world_things(CpsShow* show, CpsError* error) {
  CpsSceneInfo info = cps_scene_info(show->scene);
  show->things = (CpsThings){
      .title = info.title,
      .body_count = info.bodies,
      .obstacle_count = info.obstacles,
      .fibre_count = info.fibres,
      .sheet_count = info.sheets + info.solids,
      .solid_count = info.solids,
      .particle_count = cps_world_array_count(show->world, particles_of(show->world), CPS_QUANTITY_POSITION),
      .tie_count = info.ties,
      .material_count = cps_scene_material_count(show->scene)};
  CpsStatus status = check_counts(show, error);
  if (status != CPS_OK) return status;
  show->tensions = cps_tensions_create();
  if (!show->tensions || !fill_names(show) || !fill_ties(show) || !fill_parts(show) || !fill_lines(show) ||
      !fill_sheets(show) || !fill_tetrahedra(show) || !cps_show_take_frame(show)) {
    return no_memory(error);
  }
  return CPS_OK;
}

static CpsStatus fill_poses(CpsShow* show) {
  const CpsWorld* world = show->world;
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < show->things.body_count; ++i) {
    CpsBodyState state = {0};
    status = cps_world_body_state(world, cps_world_body(world, i), &state);
    show->bodies[i] = state.pose;
    show->velocities[i] = state.velocity;
  }
  for (int32_t i = 0; status == CPS_OK && i < show->things.obstacle_count; ++i) {
    status = cps_world_obstacle_pose(world, cps_world_obstacle(world, i), &show->obstacles[i]);
  }
  return status;
}

static bool fill_particles(CpsShow* show) {
  const CpsThing grains = particles_of(show->world);
  const int64_t count = show->things.particle_count;
  if (cps_world_array_count(show->world, grains, CPS_QUANTITY_POSITION) != count) return false;
  if (count == 0) return true;
  CpsVec3 *x = show->particles, *v = show->particle_velocities;
  double *p = show->particle_pressures, *f = show->particle_fractions, *s = show->particle_stresses;
  // statuses come as doubles: they use the memory of the stresses before they are converted to bytes
  if (cps_world_array(show->world, grains, CPS_QUANTITY_STATUS, s, sizeof *s) != CPS_OK) return false;
  for (int64_t i = 0; i < count; ++i) show->particle_statuses[i] = (uint8_t)s[i];
  show->has_grain_stress = true;
  return cps_world_array(show->world, grains, CPS_QUANTITY_STRESS, s, 6 * sizeof *s) == CPS_OK &&
         cps_world_array(show->world, grains, CPS_QUANTITY_POSITION, &x->x, sizeof *x) == CPS_OK &&
         cps_world_array(show->world, grains, CPS_QUANTITY_VELOCITY, &v->x, sizeof *v) == CPS_OK &&
         cps_world_array(show->world, grains, CPS_QUANTITY_PRESSURE, p, sizeof *p) == CPS_OK &&
         cps_world_array(show->world, grains, CPS_QUANTITY_FRACTION, f, sizeof *f) == CPS_OK;
}

static CpsStatus fill_tie_states(CpsShow* show) {
  CpsStatus status = CPS_OK;
  for (int32_t i = 0; status == CPS_OK && i < show->things.tie_count; ++i) {
    CpsTieState now = {0};
    status = cps_world_tie_state(show->world, cps_world_tie(show->world, i), &now);
    show->ties[i] =
        (CpsFrameTie){{now.point[0], now.point[1]}, now.force, now.torque, now.apart, now.residual, now.broken};
  }
  return status;
}

static CpsFrameContact frame_contact(const CpsNumbering* numbering, const CpsContact* c) {
  return (CpsFrameContact){
      .side = {cps_numbering_side(numbering, c->side[0]), cps_numbering_side(numbering, c->side[1])},
      .normal = c->normal,
      .tangent1 = c->tangent1,
      .tangent2 = c->tangent2,
      .impulse = {c->impulse[0], c->impulse[1], c->impulse[2]},
      .velocity = {c->velocity[0], c->velocity[1], c->velocity[2]},
      .gap = c->gap,
      .mu = c->mu,
      .mu_across = c->mu_across,
      .residual = c->residual,
      .status = c->status,
  };
}

static void fill_impulses(CpsShow* show, int32_t contacts) {
  const CpsThings* t = &show->things;
  memset(show->vertex_impulses, 0, (size_t)t->vertex_count * sizeof *show->vertex_impulses);
  for (int32_t i = 0; i < contacts; ++i) {
    const CpsFrameContact* c = &show->contacts[i];
    const CpsVec3 r = cps_impulse_in_world(c->impulse, c->normal, c->tangent1, c->tangent2);
    for (int k = 0; k < 2; ++k) {
      const int32_t surface = cps_things_surface(t, c->side[k].thing);
      if (surface < 0) continue;
      const CpsResultSheet* sheet = &t->sheets[surface];
      cps_sheet_spread(&c->side[k], k == 0 ? r : (CpsVec3){-r.x, -r.y, -r.z}, t->triangles + 3 * sheet->first_triangle,
                       sheet->triangle_count, show->vertex_impulses);
    }
  }
  show->has_vertex_impulses = t->vertex_count > 0;
}

CpsStatus cps_show_fill_world_frame(CpsShow* show, CpsError* error) {
  const CpsWorld* world = show->world;
  CpsStatus status = check_counts(show, error);
  if (status != CPS_OK) return status;
  int32_t contacts = cps_world_contact_count(world);
  if (!cps_numbering_update(&show->numbering, world) || !cps_show_reserve_contacts(show, contacts)) {
    return no_memory(error);
  }
  bool sound = fill_poses(show) == CPS_OK && fill_particles(show) && fill_vertices(show) && fill_stress(show) &&
               fill_tie_states(show) == CPS_OK;
  for (int32_t i = 0; sound && i < show->lines.count; ++i) {
    int64_t first = show->things.lines[i].first;
    sound = cps_fibre_line_sample(world, &show->lines.lines[i], show->points + first, show->axes + first,
                                  show->point_velocities + first);
  }
  if (!sound) return cps_io_fail(error, CPS_BAD_ARGUMENT, "a show", NULL, "the world is not that of the scene");
  show->has_tension = show->has_velocities = show->things.point_count > 0;
  if (show->has_tension && !cps_fibre_lines_tension(world, &show->lines, show->tensions, show->tension))
    return no_memory(error);
  for (int32_t i = 0; i < contacts; ++i) {
    CpsContact contact = cps_world_contact(world, i);
    show->contacts[i] = frame_contact(&show->numbering, &contact);
  }
  fill_impulses(show, contacts);
  show->frame.index = cps_world_step_count(world);
  show->frame.time = cps_world_time(world);
  show->frame.step = cps_world_last_step(world);
  show->frame.contact_count = contacts;
  return CPS_OK;
}
