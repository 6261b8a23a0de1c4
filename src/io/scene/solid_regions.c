// Regions of solids: tetrahedra whose middle is near a point have matter of their own. Of several regions the last wins.
#include "io/scene/solid_regions.h"

void cps_scene_solid_matter(const CpsNode* map, CpsSolidRegion* m) {
  const CpsNode* law = cps_node_find(map, "law");
  if (law) (void)cps_solid_law_find(law->text, &m->law);
  m->young = cps_map_number(map, "young", m->young);
  m->poisson = cps_map_number(map, "poisson", m->poisson);
  m->density = cps_map_number(map, "density", m->density);
  m->damping = cps_map_number(map, "damping", m->damping);
}

// Gives the tetrahedra in the region its number; returns how many there are.
static int32_t mark(const CpsSolidLayout* mesh, const CpsNode* node, int32_t number, int32_t* region) {
  const CpsVec3 near = cps_map_vec3(node, "near", (CpsVec3){0.0, 0.0, 0.0});
  const double radius = cps_map_number(node, "radius", 0.0);
  int32_t count = 0;
  for (int32_t t = 0; t < mesh->tetrahedron_count; ++t) {
    CpsVec3 middle = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
      middle = cps_vec3_axpy(middle, 0.25, mesh->vertices[mesh->tetrahedra[4 * (int64_t)t + i]]);
    }
    if (cps_vec3_norm(cps_vec3_sub(middle, near)) > radius) continue;
    region[t] = number;
    ++count;
  }
  return count;
}

CpsStatus cps_scene_solid_regions(CpsReader* reader, const CpsNode* map, const CpsSolidLayout* mesh, CpsSolidDef* def) {
  const CpsNode* list = cps_node_find(map, "regions");
  if (!list || list->count == 0) return CPS_OK;
  CpsArena* memory = &reader->scene->memory;
  CpsSolidRegion* regions = CPS_TAKE(memory, CpsSolidRegion, list->count);
  int32_t* region = CPS_TAKE_ZERO(memory, int32_t, mesh->tetrahedron_count);
  if (!regions || !region) return cps_scene_no_memory(reader);
  int32_t number = 0;
  for (const CpsNode* node = list->first; node; node = node->next) {
    regions[number] = def->matter;
    cps_scene_solid_matter(node, &regions[number]);
    if (mark(mesh, node, ++number, region) == 0) {
      return cps_node_fail(reader->error, CPS_BAD_DATA, node, "no tetrahedron has its middle within this region");
    }
  }
  def->regions = regions;
  def->region_count = list->count;
  def->region = region;
  return CPS_OK;
}
