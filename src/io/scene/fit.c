// Lines of a scene as chains of helices.
#include "io/scene/internal.h"

enum { MOST_ELEMENTS = 200 };

static CpsStatus fit_tangents(CpsReader* reader, const CpsNode* node, const CpsVec3* points, int32_t count,
                              int32_t elements, CpsStrand* strand) {
  CpsArena* memory = &reader->scene->memory;
  CpsVec3* curvature = CPS_TAKE(memory, CpsVec3, elements);
  double* lengths = CPS_TAKE(memory, double, elements);
  if (!curvature || !lengths) return cps_scene_no_memory(reader);
  CpsFibreFit found;
  CpsError why;
  CpsStatus status = cps_fibre_fit_tangents(points, count, elements, lengths, curvature, &found, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a strand: %s", why.text);
  strand->pose = found.root;
  strand->fit_mean = found.mean;
  strand->fit_max = found.max;
  strand->element_lengths = lengths;
  strand->element_curvature = curvature;
  return CPS_OK;
}

CpsStatus cps_scene_fit_line(CpsReader* reader, const CpsNode* map, CpsFibreDef* def, const CpsFibreLayout* layout) {
  const CpsNode* fit = cps_node_find(map, "fit");
  if (!fit) return CPS_OK;
  if (!def->points) return cps_key_fail(reader->error, CPS_BAD_FORMAT, fit, "needs a line to fit");
  if (def->model != CPS_ROD_SUPER_HELIX && def->model != CPS_ROD_SUPER_HELIX_RECURSIVE) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, fit, "the model '%s' does not support helices",
                         cps_rod_model_name(def->model));
  }
  if (def->elements > MOST_ELEMENTS) {
    return cps_node_fail(reader->error, CPS_BAD_DATA, fit, "a line is fitted with at most %d elements", MOST_ELEMENTS);
  }
  CpsStrand chain = {0};
  CpsStatus status = fit_tangents(reader, fit, def->points, def->point_count, def->elements, &chain);
  for (int32_t i = 0; status == CPS_OK && i < layout->count; ++i) {
    CpsStrand* strand = &layout->strand[i];
    strand->pose = cps_pose_multiply(strand->pose, chain.pose);
    strand->element_lengths = chain.element_lengths;
    strand->element_curvature = chain.element_curvature;
  }
  def->points = NULL;
  def->point_count = 0;
  return status;
}
