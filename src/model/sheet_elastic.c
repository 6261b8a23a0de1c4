// Construction of the elasticity of a sheet: rest data, pattern, colours, and the lists for gathering element results at nodes.
#include "model/sheet_elastic.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static CpsStatus out_of_memory(CpsError* error) {
  return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a sheet");
}

static CpsStatus take_memory(CpsSheetElastic* s, CpsError* error) {
  const CpsSheetMesh* mesh = &s->mesh;
  s->angle = CPS_TAKE_ZERO(&s->arena, double, mesh->hinge_count);
  s->slot = CPS_TAKE_ZERO(&s->arena, CpsVec3, 4 * (int64_t)mesh->hinge_count);
  s->moment = CPS_TAKE_ZERO(&s->arena, double, mesh->hinge_count);
  s->entry_moment = CPS_TAKE_ZERO(&s->arena, double, s->bending.start[s->bending.element_count]);
  s->corner = CPS_TAKE_ZERO(&s->arena, CpsVec3, 3 * (int64_t)mesh->triangle_count);
  s->triangle_energy = CPS_TAKE_ZERO(&s->arena, double, mesh->triangle_count);
  s->element_energy = CPS_TAKE_ZERO(&s->arena, double, s->bending.element_count);
  s->laid_column = CPS_TAKE_ZERO(&s->arena, CpsVec3, 2 * (int64_t)mesh->triangle_count);
  s->laid_slot = CPS_TAKE_ZERO(&s->arena, CpsVec3, 4 * (int64_t)mesh->hinge_count);
  bool ok = s->angle && s->slot && s->moment && s->entry_moment && s->corner && s->triangle_energy &&
            s->element_energy && s->laid_column && s->laid_slot;
  return ok ? CPS_OK : out_of_memory(error);
}

static CpsStatus make_shapes(CpsSheetElastic* s, double density, CpsError* error) {
  const CpsSheetMesh* mesh = &s->mesh;
  s->shape = CPS_TAKE(&s->arena, CpsTriangleShape, mesh->triangle_count);
  s->mass = CPS_TAKE_ZERO(&s->arena, double, mesh->node_count);
  if (!s->shape || !s->mass) return out_of_memory(error);
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    s->shape[t] = cps_triangle_shape(mesh->rest + 3 * (int64_t)t);
    double third = density * s->shape[t].area / 3.0;
    for (int i = 0; i < 3; ++i) s->mass[mesh->triangle[3 * (int64_t)t + i]] += third;
  }
  for (int32_t n = 0; n < mesh->node_count; ++n) s->total_mass += s->mass[n];
  return CPS_OK;
}

static CpsStatus make_gathers(CpsSheetElastic* s, CpsArena* scratch, CpsError* error) {
  const CpsSheetMesh* mesh = &s->mesh;
  CpsLists corners = cps_lists_even(scratch, mesh->triangle_count, 3, mesh->triangle);
  int32_t* nodes = CPS_TAKE(scratch, int32_t, 4 * (int64_t)mesh->hinge_count);
  CpsLists slots = cps_lists_even(scratch, mesh->hinge_count, 4, nodes);
  if (!corners.start || !slots.start || !nodes) return out_of_memory(error);
  for (int32_t e = 0; e < mesh->hinge_count; ++e)
    memcpy(nodes + 4 * (int64_t)e, mesh->hinge[e].node, 4 * sizeof *nodes);
  CpsLists entries = {s->bending.start, s->bending.hinge};
  bool ok = cps_lists_invert(&corners, mesh->triangle_count, mesh->node_count, &s->arena, &s->node_corners) &&
            cps_lists_invert(&slots, mesh->hinge_count, mesh->node_count, &s->arena, &s->node_slots) &&
            cps_lists_invert(&entries, s->bending.element_count, mesh->hinge_count, &s->arena, &s->hinge_entries);
  return ok ? CPS_OK : out_of_memory(error);
}

// Indices of the element blocks in the matrix.
static CpsStatus find_blocks(CpsSheetElastic* s, CpsError* error) {
  const CpsSheetMesh* mesh = &s->mesh;
  const CpsSheetBending* b = &s->bending;
  s->triangle_block = CPS_TAKE(&s->arena, int32_t, 6 * (int64_t)mesh->triangle_count);
  s->triangle_turned = CPS_TAKE_ZERO(&s->arena, uint8_t, mesh->triangle_count);
  s->element_block_start = CPS_TAKE(&s->arena, int64_t, (int64_t)b->element_count + 1);
  if (!s->triangle_block || !s->triangle_turned || !s->element_block_start) return out_of_memory(error);
  for (int32_t t = 0; t < mesh->triangle_count; ++t) {
    const int32_t* n = mesh->triangle + 3 * (int64_t)t;
    for (int i = 0, k = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j, ++k) {
        bool turned = n[i] < n[j];
        s->triangle_block[6 * (int64_t)t + k] =
            cps_block_pattern_find(&s->pattern, turned ? n[j] : n[i], turned ? n[i] : n[j]);
        if (turned) s->triangle_turned[t] |= (uint8_t)(1 << k);
      }
    }
  }
  s->element_block_start[0] = 0;
  for (int32_t e = 0; e < b->element_count; ++e) {
    int64_t n = b->node_start[e + 1] - b->node_start[e];
    s->element_block_start[e + 1] = s->element_block_start[e] + n * (n + 1) / 2;
  }
  s->element_block = CPS_TAKE(&s->arena, int32_t, s->element_block_start[b->element_count]);
  if (!s->element_block) return out_of_memory(error);
  for (int32_t e = 0; e < b->element_count; ++e) {
    int32_t* block = s->element_block + s->element_block_start[e];
    for (int64_t i = b->node_start[e]; i < b->node_start[e + 1]; ++i) {
      for (int64_t j = b->node_start[e]; j <= i; ++j)
        *block++ = cps_block_pattern_find(&s->pattern, b->node[i], b->node[j]);
    }
  }
  return CPS_OK;
}

static CpsStatus make_pattern(CpsSheetElastic* s, CpsArena* scratch, CpsError* error) {
  const CpsSheetMesh* mesh = &s->mesh;
  CpsLists sets[2] = {cps_lists_even(scratch, mesh->triangle_count, 3, mesh->triangle),
                      {s->bending.node_start, s->bending.node}};
  int32_t count[2] = {mesh->triangle_count, s->bending.element_count};
  if (!sets[0].start) return out_of_memory(error);
  CpsStatus status = cps_block_pattern_build(mesh->node_count, sets, count, 2, &s->arena, &s->pattern, error);
  if (status == CPS_OK) status = find_blocks(s, error);
  if (status == CPS_OK) {
    status = cps_colours_build(mesh->node_count, &sets[0], count[0], &s->arena, &s->triangle_colours, error);
  }
  if (status == CPS_OK) {
    status = cps_colours_build(mesh->node_count, &sets[1], count[1], &s->arena, &s->element_colours, error);
  }
  return status;
}

CpsStatus cps_sheet_elastic_create(const CpsSheetDef* def, CpsSheetElastic** out, CpsError* error) {
  CpsSheetElastic* s = calloc(1, sizeof *s);
  if (!s) return out_of_memory(error);
  CpsArena scratch = {0};
  CpsStatus status = cps_sheet_mesh_build(def, &s->arena, &s->mesh, error);
  if (status == CPS_OK) status = make_shapes(s, def->density, error);
  CpsSheetCurvature patch = {0};
  if (status == CPS_OK) status = cps_sheet_curvature_build(&s->mesh, &scratch, &patch, error);
  bool wide = def->bending_law == CPS_BENDING_WIDE;
  if (status == CPS_OK) status = cps_sheet_curvature_share(&s->mesh, wide, &s->arena, &patch, &s->curvature, error);
  if (status == CPS_OK) status = cps_sheet_bending_build(def, &s->mesh, &s->curvature, &s->arena, &s->bending, error);
  if (status == CPS_OK) status = make_gathers(s, &scratch, error);
  if (status == CPS_OK) status = make_pattern(s, &scratch, error);
  if (status == CPS_OK) status = take_memory(s, error);
  cps_arena_free(&scratch);
  if (status != CPS_OK) {
    cps_sheet_elastic_destroy(s);
    return status;
  }
  s->membrane = cps_membrane_make(def);
  *out = s;
  return CPS_OK;
}

void cps_sheet_elastic_destroy(CpsSheetElastic* s) {
  if (!s) return;
  cps_arena_free(&s->arena);
  free(s);
}
