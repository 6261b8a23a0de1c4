// Strands of a file as fibres of a scene: turned upright, scaled, thinned out and fitted by rods.
#include <math.h>
#include <string.h>

#include "capstan/hair.h"
#include "io/scene/internal.h"

// Points of strand s without those that repeat the one before; returns how many.
static int32_t take_points(const CpsHair* hair, int32_t s, double scale, bool y_up, CpsVec3* points) {
  int32_t count = 0;
  for (int64_t i = hair->first[s]; i < hair->first[s + 1]; ++i) {
    CpsVec3 p = cps_vec3_scale(scale, hair->points[i]);
    if (y_up) p = cps_vec3(p.x, -p.z, p.y);
    if (count == 0 || cps_vec3_norm(cps_vec3_sub(p, points[count - 1])) > 0.0) points[count++] = p;
  }
  return count;
}

// The rod that follows the points.
static CpsStatus fit(CpsReader* reader, const CpsNode* node, const CpsVec3* points, int32_t count, int32_t elements,
                     CpsStrand* strand) {
  CpsArena* memory = &reader->scene->memory;
  CpsVec3* curvature = CPS_TAKE(memory, CpsVec3, elements);
  CpsVec3* table = CPS_TAKE(memory, CpsVec3, (int64_t)CPS_FIT_TABLE * elements + 1);
  if (!curvature || !table) return cps_scene_no_memory(reader);
  CpsFibreFit found;
  CpsError why;
  CpsStatus status = cps_fibre_fit(points, count, elements, curvature, &found, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a strand: %s", why.text);
  cps_fibre_fit_table(curvature, elements, table);
  strand->pose = found.root;
  strand->fit_mean = found.mean;
  strand->fit_max = found.max;
  strand->length = found.length;
  strand->curvature = table;
  strand->curvature_count = CPS_FIT_TABLE * elements + 1;
  return CPS_OK;
}

static CpsStatus take_strands(CpsReader* reader, const CpsNode* node, const CpsHair* hair, CpsFibreLayout* out) {
  const CpsNode* up = cps_node_find(node, "up");
  bool y_up = up && strcmp(up->text, "y") == 0;
  double scale = cps_map_number(node, "scale", 1.0), all = hair->strand_count;
  int32_t elements = cps_map_count(node->parent, "elements", 5);
  int64_t longest = cps_hair_facts(hair).points_max;
  if (elements > 200)
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a strand is fitted with at most 200 elements");
  if (longest > 100000) return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a strand has too many points");
  const CpsNode* how = cps_node_find(node, "fit");
  const bool tangents = how && strcmp(how->text, "tangents") == 0;
  CpsStatus status = cps_fibre_layout_begin(reader, node, fmin(all, cps_map_number(node, "count", all)), out);
  if (status == CPS_OK) status = cps_scene_spend(reader, node, out->count, 24 * 9 * (int64_t)elements);
  CpsVec3* points = CPS_TAKE(&reader->scene->memory, CpsVec3, longest);
  if (!points) return cps_scene_no_memory(reader);
  for (int32_t i = 0; status == CPS_OK && i < out->count; ++i) {
    // evenly over the file
    int32_t s = (int32_t)((int64_t)i * hair->strand_count / out->count);
    int32_t count = take_points(hair, s, scale, y_up, points);
    if (count < 2) return cps_node_fail(reader->error, CPS_BAD_DATA, node, "strand %d is too short", (int)s);
    CpsStrand* strand = &out->strand[i];
    status = tangents ? cps_scene_fit_tangents(reader, node, points, count, elements, strand)
                      : fit(reader, node, points, count, elements, strand);
    strand->fitted = true;
    strand->natural_as_placed = !cps_node_find(node->parent, "natural");
  }
  return status;
}

CpsStatus cps_scene_hair_file(CpsReader* reader, const CpsNode* node, CpsFibreLayout* out) {
  static const char* const WITHOUT[] = {"on",          "style",      "length",  "variation", "nape",  "hairline",
                                        "lift",        "fall",       "parting", "clearance", "berth", "thickness",
                                        "curl_radius", "curl_pitch", "tie",     "spacing"};
  for (size_t i = 0; i < sizeof WITHOUT / sizeof WITHOUT[0]; ++i) {
    const CpsNode* extra = cps_node_find(node, WITHOUT[i]);
    if (extra) return cps_key_fail(reader->error, CPS_BAD_FORMAT, extra, "the strands come from a file");
  }
  const CpsNode* file = cps_node_find(node, "file");
  const char* path = cps_scene_path(reader, file);
  if (!path) return cps_scene_no_memory(reader);
  CpsHair hair = {0};
  CpsError why;
  CpsStatus status = cps_hair_read(path, &hair, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status != CPS_OK) return cps_node_fail(reader->error, status, file, "%s", why.text);
  status = take_strands(reader, node, &hair, out);
  cps_hair_free(&hair);
  return status;
}
