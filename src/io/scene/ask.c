// What a scene answers to those who build, write or draw it.
#include "io/scene/internal.h"
#include "io/sheet_arrays.h"

CpsSceneInfo cps_scene_info(const CpsScene* scene) {
  if (!scene) return (CpsSceneInfo){.title = "", .text = ""};
  int64_t particles = cps_scene_particle_count(scene), cells = 0;
  int64_t bytes = cps_grains_memory(&scene->grid, particles, &cells);
  if (scene->flow_node) {
    particles = cps_flow_point_count(&scene->flow);
    bytes = cps_flow_memory(&scene->flow, &cells);
  }
  return (CpsSceneInfo){
      .title = scene->title,
      .text = scene->text,
      .bodies = scene->body_count,
      .obstacles = scene->obstacle_count,
      .fibres = scene->fibre_count,
      .sheets = scene->sheet_count,
      .solids = scene->solid_count,
      .grains = scene->grains_count,
      .particles = particles,
      .ties = scene->tie_count,
      .start = scene->start,
      .end = scene->end,
      .frame_interval = scene->frame_interval,
      .output_contacts = scene->output_contacts,
      .output_tension = scene->output_tension,
      .output_velocity = scene->output_velocity,
      .sweep_vary = scene->sweep_vary,
      .sweep_what = scene->sweep_what,
      .camera_placed = scene->camera_placed,
      .camera = scene->camera,
      .grain_cells = cells,
      .grain_bytes = bytes,
      .flow = scene->flow_node,
      .flow_inertial = scene->flow_node && scene->flow.grain > 0.0,
  };
}

CpsWorldDef cps_scene_world_def(const CpsScene* scene) {
  return scene ? scene->def : cps_world_def_default();
}

const char* cps_scene_body_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->body_count ? scene->body_names[i] : "";
}

const char* cps_scene_fibre_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->fibre_count ? scene->fibre_names[i] : "";
}

bool cps_scene_fibre_fit(const CpsScene* scene, int32_t i, double* mean, double* max) {
  for (int32_t g = 0; scene && g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    if (i < group->first || i >= group->first + group->count) continue;
    const CpsStrand* strand = &group->strand[i - group->first];
    if (strand->fitted && mean) *mean = strand->fit_mean;
    if (strand->fitted && max) *max = strand->fit_max;
    return strand->fitted;
  }
  return false;
}

int64_t cps_scene_skipped_count(const CpsScene* scene) {
  int64_t count = 0;
  for (int32_t g = 0; scene && g < scene->fibre_group_count; ++g) count += scene->fibre_groups[g].from.skipped_count;
  return count;
}

CpsSceneSkipped cps_scene_skipped(const CpsScene* scene, int64_t i) {
  for (int32_t g = 0; scene && i >= 0 && g < scene->fibre_group_count; ++g) {
    const CpsSceneFibres* group = &scene->fibre_groups[g];
    const CpsFibreLayout* from = &group->from;
    if (i < from->skipped_count)
      return (CpsSceneSkipped){group->name, from->file, from->skipped[i], i < from->short_count};
    i -= from->skipped_count;
  }
  return (CpsSceneSkipped){"", "", -1, true};
}

const char* cps_scene_tie_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->tie_count ? scene->tie_names[i] : "";
}

static const CpsSceneFibres* fibres_of(const CpsScene* scene, int32_t i) {
  int32_t low = 0, high = scene->fibre_group_count - 1;  // the last group that begins at or before i
  while (low < high) {
    int32_t middle = low + (high - low + 1) / 2;
    if (scene->fibre_groups[middle].first <= i) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return &scene->fibre_groups[low];
}

CpsRodModel cps_scene_fibre_model(const CpsScene* scene, int32_t i) {
  bool there = scene && i >= 0 && i < scene->fibre_count;
  return there ? fibres_of(scene, i)->def.model : CPS_ROD_MODEL_COUNT;
}

CpsMaterialId cps_scene_fibre_material(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->fibre_count ? fibres_of(scene, i)->def.material : 0;
}

static const CpsSceneGroup* group_of(const CpsScene* scene, int32_t i) {
  int32_t low = 0, high = scene->group_count - 1;  // the last group that begins at or before i
  while (low < high) {
    int32_t middle = low + (high - low + 1) / 2;
    if (scene->groups[middle].first <= i) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return &scene->groups[low];
}

CpsShape cps_scene_body_shape(const CpsScene* scene, int32_t i) {
  if (!scene || i < 0 || i >= scene->body_count) return (CpsShape){0};
  const CpsSceneGroup* group = group_of(scene, i);
  return group->shapes[group->shape ? group->shape[i - group->first] : 0];
}

CpsPose cps_scene_body_start(const CpsScene* scene, int32_t i) {
  const CpsSceneGroup* group = group_of(scene, i);
  return group->pose[i - group->first];
}

CpsMaterialId cps_scene_body_material(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->body_count ? group_of(scene, i)->def.material : 0;
}

CpsShape cps_scene_obstacle_shape(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->obstacle_count ? scene->obstacles[i].def.shape : (CpsShape){0};
}

const char* cps_scene_obstacle_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->obstacle_count ? scene->obstacles[i].name : "";
}

CpsMaterialId cps_scene_obstacle_material(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->obstacle_count ? scene->obstacles[i].def.material : 0;
}

const char* cps_scene_sheet_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->sheet_count ? scene->sheets[i].name : "";
}

CpsMaterialId cps_scene_sheet_material(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->sheet_count ? scene->sheets[i].def.material : 0;
}

const char* cps_scene_solid_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->solid_count ? scene->solids[i].name : "";
}

CpsMaterialId cps_scene_solid_material(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->solid_count ? scene->solids[i].def.material : 0;
}

CpsSceneSurface cps_scene_surface(const CpsScene* scene, int32_t i) {
  if (i < scene->sheet_count) {
    const CpsSheetDef* d = &scene->sheets[i].def;
    return (CpsSceneSurface){
        scene->sheets[i].name, d->vertex_count, d->triangle_count, d->triangles, d->thickness, d->material, 0, NULL};
  }
  const CpsSceneSolid* s = &scene->solids[i - scene->sheet_count];
  return (CpsSceneSurface){
      s->name,         s->def.vertex_count,      s->triangle_count, s->triangles, 2.0 * s->def.radius,
      s->def.material, s->def.tetrahedron_count, s->def.tetrahedra};
}

void cps_scene_surface_rest(const CpsScene* scene, int32_t i, double* rest) {
  if (i < scene->sheet_count) {
    cps_sheet_rest_triangles(&scene->sheets[i].def, rest);
    return;
  }
  const CpsSceneSolid* s = &scene->solids[i - scene->sheet_count];
  CpsSheetDef skin = cps_sheet_def_default();
  skin.vertices = s->def.vertices;
  skin.triangle_count = s->triangle_count;
  skin.triangles = s->triangles;
  cps_sheet_rest_triangles(&skin, rest);
}

const char* cps_scene_thing_name(const CpsScene* scene, CpsThing thing) {
  switch (thing.kind) {
    case CPS_THING_BODY:
      return cps_scene_body_name(scene, thing.index);
    case CPS_THING_FIBRE:
      return cps_scene_fibre_name(scene, thing.index);
    case CPS_THING_SHEET:
      return cps_scene_sheet_name(scene, thing.index);
    case CPS_THING_SOLID:
      return cps_scene_solid_name(scene, thing.index);
    case CPS_THING_OBSTACLE:
      return cps_scene_obstacle_name(scene, thing.index);
    default:
      return "";
  }
}

int32_t cps_scene_material_count(const CpsScene* scene) {
  return scene ? scene->material_count : 1;
}

const char* cps_scene_material_name(const CpsScene* scene, int32_t i) {
  return scene && i >= 0 && i < scene->material_count ? scene->materials[i].name : "";
}
