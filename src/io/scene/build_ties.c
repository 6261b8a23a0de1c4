// Ties of a scene become those of a world.
#include <math.h>

#include "capstan/fibre.h"
#include "io/scene/internal.h"

// A point of a sheet or a solid.
static CpsStatus place_on(const CpsSceneAnchor* side, const CpsWorld* world, CpsThing thing, CpsAnchor* anchor,
                          CpsError* error) {
  if (side->nearest) return cps_world_nearest_anchor(world, thing, side->point, anchor, error);
  *anchor = (CpsAnchor){.thing = thing, .vertex = side->vertex};
  if (side->corner_count > 0) *anchor = cps_anchor_between(thing, side->corner_count, side->corners, side->weights);
  return CPS_OK;
}

static CpsStatus place(const CpsSceneAnchor* side, const CpsWorld* world, CpsAnchor* anchor, CpsError* error) {
  switch (side->kind) {
    case CPS_THING_BODY:
      *anchor = cps_anchor_body(cps_world_body(world, side->index), side->point);
      return CPS_OK;
    case CPS_THING_OBSTACLE:
      *anchor = cps_anchor_obstacle(cps_world_obstacle(world, side->index), side->point);
      return CPS_OK;
    case CPS_THING_FIBRE: {
      CpsFibreId id = cps_world_fibre(world, side->index);
      CpsFibreInfo info = {0};
      CpsStatus status = cps_world_fibre_info(world, id, &info);
      double s = isnan(side->fraction) ? side->s : side->fraction * (info.length - side->branches);
      *anchor = cps_anchor_fibre(id, s);
      anchor->point = side->point;
      return status;
    }
    case CPS_THING_SOLID:
      return place_on(side, world, cps_thing_solid(cps_world_solid(world, side->index)), anchor, error);
    case CPS_THING_SHEET:
      return place_on(side, world, cps_thing_sheet(cps_world_sheet(world, side->index)), anchor, error);
    default:
      *anchor = cps_anchor_world(side->point);
      return CPS_OK;
  }
}

CpsStatus cps_scene_add_ties(const CpsScene* scene, CpsWorld* world, CpsError* error) {
  for (int32_t i = 0; i < scene->tie_count; ++i) {
    const CpsSceneTie* tie = &scene->ties[i];
    CpsTieDef def = tie->def;
    def.name = scene->tie_names[i];
    CpsError why = {""};
    CpsStatus status = place(&tie->side[0], world, &def.a, &why);
    if (status == CPS_OK) status = place(&tie->side[1], world, &def.b, &why);
    if (status == CPS_OK) status = cps_world_add_tie(world, &def, NULL, &why);
    if (status != CPS_OK) return cps_node_fail(error, status, tie->node, "%s", why.text);
  }
  return CPS_OK;
}
