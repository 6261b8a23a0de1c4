// Strands of a file as fibres of a scene: turned upright, scaled, thinned out and fitted by rods.
#include <math.h>
#include <stdlib.h>
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

// Polylines of a file and the rods that follow them.
typedef struct Fits {
  int32_t elements;
  CpsVec3* points;
  int64_t* first;
  CpsVec3* curvature;
  double* lengths;  // by floating tangents
  CpsFibreFit* found;
} Fits;

static void free_fits(Fits* fits) {
  free(fits->points);
  free(fits->first);
  free(fits->found);
}

// Which strand of the file is number i of those that are taken: evenly over it.
static int32_t strand_of(const CpsHair* hair, int32_t i, int32_t count) {
  return (int32_t)((int64_t)i * hair->strand_count / count);
}

static CpsStatus gather(CpsReader* reader, const CpsNode* node, const CpsHair* hair, int32_t count, Fits* fits) {
  const CpsNode* up = cps_node_find(node, "up");
  const bool y_up = up && strcmp(up->text, "y") == 0;
  const double scale = cps_map_number(node, "scale", 1.0);
  int64_t most = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t s = strand_of(hair, i, count);
    most += hair->first[s + 1] - hair->first[s];
  }
  fits->points = malloc(((size_t)most + 1) * sizeof *fits->points);
  fits->first = malloc(((size_t)count + 1) * sizeof *fits->first);
  fits->found = malloc(((size_t)count + 1) * sizeof *fits->found);
  if (!fits->points || !fits->first || !fits->found) return cps_scene_no_memory(reader);
  fits->first[0] = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t s = strand_of(hair, i, count);
    const int32_t taken = take_points(hair, s, scale, y_up, fits->points + fits->first[i]);
    if (taken < 2) return cps_node_fail(reader->error, CPS_BAD_DATA, node, "strand %d is too short", (int)s);
    fits->first[i + 1] = fits->first[i] + taken;
  }
  return CPS_OK;
}

static CpsStatus fit_all(CpsReader* reader, const CpsNode* node, const CpsHair* hair, int32_t count, bool tangents,
                         Fits* fits) {
  CpsArena* memory = &reader->scene->memory;
  const CpsNode* root = node;
  while (root->parent) root = root->parent;
  fits->curvature = CPS_TAKE(memory, CpsVec3, (int64_t)fits->elements * count);
  fits->lengths = tangents ? CPS_TAKE(memory, double, (int64_t)fits->elements* count) : NULL;
  if (!fits->curvature || (tangents && !fits->lengths)) return cps_scene_no_memory(reader);
  CpsStatus status = gather(reader, node, hair, count, fits);
  if (status != CPS_OK) return status;
  int32_t failed;
  CpsError why;
  status = cps_fibre_fit_all(fits->points, fits->first, count, fits->elements, cps_map_count(root, "threads", 1),
                             fits->lengths, fits->curvature, fits->found, &failed, &why);
  if (status == CPS_NO_MEMORY) return cps_scene_no_memory(reader);
  if (status == CPS_OK) return CPS_OK;
  return cps_node_fail(reader->error, CPS_BAD_DATA, node, "strand %d: %s", (int)strand_of(hair, failed, count),
                       why.text);
}

// Strand i of a scene from its fit.
static CpsStatus take_fit(CpsReader* reader, const Fits* fits, int32_t i, CpsStrand* strand) {
  const CpsFibreFit* found = &fits->found[i];
  CpsVec3* curvature = fits->curvature + (int64_t)fits->elements * i;
  strand->pose = found->root;
  strand->fit_mean = found->mean;
  strand->fit_max = found->max;
  strand->fitted = true;
  if (fits->lengths) {
    strand->element_lengths = fits->lengths + (int64_t)fits->elements * i;
    strand->element_curvature = curvature;
    return CPS_OK;
  }
  const int32_t entries = CPS_FIT_TABLE * fits->elements + 1;
  CpsVec3* table = CPS_TAKE(&reader->scene->memory, CpsVec3, entries);
  if (!table) return cps_scene_no_memory(reader);
  cps_fibre_fit_table(curvature, fits->elements, table);
  strand->length = found->length;
  strand->curvature = table;
  strand->curvature_count = entries;
  return CPS_OK;
}

static CpsStatus take_strands(CpsReader* reader, const CpsNode* node, const CpsHair* hair, CpsFibreLayout* out) {
  const double all = hair->strand_count;
  Fits fits = {.elements = cps_map_count(node->parent, "elements", 5)};
  if (fits.elements > 200)
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a strand is fitted with at most 200 elements");
  if (cps_hair_facts(hair).points_max > 100000)
    return cps_node_fail(reader->error, CPS_BAD_DATA, node, "a strand has too many points");
  const CpsNode* how = cps_node_find(node, "fit");
  const bool tangents = how && strcmp(how->text, "tangents") == 0;
  CpsStatus status = cps_fibre_layout_begin(reader, node, fmin(all, cps_map_number(node, "count", all)), out);
  if (status == CPS_OK) status = cps_scene_spend(reader, node, out->count, 24 * 9 * (int64_t)fits.elements);
  if (status == CPS_OK) status = fit_all(reader, node, hair, out->count, tangents, &fits);
  for (int32_t i = 0; status == CPS_OK && i < out->count; ++i) {
    out->strand[i].natural_as_placed = !cps_node_find(node->parent, "natural");
    status = take_fit(reader, &fits, i, &out->strand[i]);
  }
  free_fits(&fits);
  return status;
}

// Strands that were left out are named later.
static CpsStatus keep_skipped(CpsReader* reader, const CpsNode* file, const CpsHair* hair, CpsFibreLayout* out) {
  const int64_t count = hair->skipped_short + hair->skipped_bad;
  int64_t* skipped = CPS_TAKE(&reader->scene->memory, int64_t, count);
  if (!skipped) return cps_scene_no_memory(reader);
  if (count > 0) memcpy(skipped, hair->skipped, (size_t)count * sizeof *skipped);
  out->file = file->text;
  out->short_count = hair->skipped_short;
  out->skipped_count = count;
  out->skipped = skipped;
  return CPS_OK;
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
  if (status == CPS_OK) status = keep_skipped(reader, file, &hair, out);
  cps_hair_free(&hair);
  return status;
}
