// Colours of the points of fibres and of the parts of bodies and obstacles, in each mode.
#include <string.h>

#include "core/vec3.h"
#include "render/colour.h"
#include "render/internal.h"

#define PLAIN 0xb9bdc3  // objects without the quantity of the mode
#define FIBRE_VARIES 0.16f
#define BODY_VARIES 0.08f
#define GRAINS_VARY 0.2f
#define STRAW 5         // palette index: sand
enum { FAMILIES = 8 };  // families with a colour of their own

static CpsFloat3 scale_colour(const CpsRender* render, double value) {
  if (!isfinite(value)) return cps_colour_hex(PLAIN);
  return cps_colour_scale((float)((value - render->low) / (render->high - render->low)));
}

// Colour by material. Without one, obstacles are grey, so that moving objects stand out, and other objects are coloured by name.
static CpsFloat3 material_colour(const CpsRender* render, CpsPaletteKind kind, int32_t material, bool obstacle,
                                 int32_t tone) {
  const char* name = render->things->material_names[material];
  if (obstacle && !name[0]) return cps_colour_hex(CPS_PALETTE_OBSTACLE);
  return cps_colour_material(name, kind, name[0] ? material : tone);
}

// Whether two names are of one family: "tower[3]" and "tower[4]".
static bool same_family(const char* a, const char* b) {
  size_t stem = strcspn(a, "[");
  return stem == strcspn(b, "[") && strncmp(a, b, stem) == 0;
}

void cps_render_number_families(const char* const* names, int32_t count, int32_t* tones) {
  int32_t first[FAMILIES], families = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t k = 0;
    if (i > 0 && same_family(names[i], names[i - 1])) {
      tones[i] = tones[i - 1];
      continue;
    }
    while (k < families && !same_family(names[i], names[first[k]])) ++k;
    if (k == families && families < FAMILIES) first[families++] = i;
    tones[i] = k % FAMILIES;
  }
}

static void colour_lines(CpsRender* render) {
  CpsColour mode = render->options.colour;
  const CpsThings* things = render->things;
  for (int32_t i = 0; i < things->line_count; ++i) {
    CpsResultLine line = things->lines[i];
    CpsFloat3 own = cps_colour_hex(PLAIN);
    if (mode == CPS_COLOUR_MATERIAL) {
      own = material_colour(render, CPS_PALETTE_FIBRE, things->fibre_materials[line.fibre], false,
                            render->fibre_tone[line.fibre]);
      own = cps_colour_vary(own, (uint32_t)line.fibre, FIBRE_VARIES);
    }
    bool scalar = mode != CPS_COLOUR_MATERIAL && mode != CPS_COLOUR_STATUS;
    for (int32_t k = 0; k < line.count; ++k) {
      render->points[line.first + k] = scalar ? scale_colour(render, render->values[line.first + k]) : own;
    }
  }
}

static void colour_sheets(CpsRender* render) {
  CpsColour mode = render->options.colour;
  const CpsThings* things = render->things;
  const double* values = render->values + things->point_count;
  CpsFloat3* colours = render->points + things->point_count;
  bool scalar = mode != CPS_COLOUR_MATERIAL && mode != CPS_COLOUR_STATUS;
  for (int32_t i = 0; i < things->sheet_count; ++i) {
    const CpsResultSheet* sheet = &things->sheets[i];
    CpsFloat3 own = cps_colour_hex(PLAIN);
    if (mode == CPS_COLOUR_MATERIAL) {
      own = material_colour(render, CPS_PALETTE_SHEET, things->sheet_materials[i], false, render->sheet_tone[i]);
    }
    for (int64_t k = sheet->first_vertex; k < sheet->first_vertex + sheet->vertex_count; ++k) {
      colours[k] = scalar ? scale_colour(render, values[k]) : own;
    }
  }
}

static void colour_parts(CpsRender* render) {
  const CpsThings* things = render->things;
  for (int32_t i = 0; i < things->part_count; ++i) {
    const CpsResultPart* part = &things->parts[i];
    CpsFloat3 own = cps_colour_hex(part->is_obstacle ? CPS_PALETTE_OBSTACLE : PLAIN);
    if (render->options.colour == CPS_COLOUR_MATERIAL) {
      int32_t material = (part->is_obstacle ? things->obstacle_materials : things->body_materials)[part->owner];
      int32_t tone = part->is_obstacle ? 0 : render->body_tone[part->owner];
      own = material_colour(render, CPS_PALETTE_BODY, material, part->is_obstacle, tone);
      if (!part->is_obstacle) own = cps_colour_vary(own, (uint32_t)part->owner, BODY_VARIES);
    } else if (!part->is_obstacle && render->options.colour == CPS_COLOUR_STATUS) {
      int8_t status = render->body_status[part->owner];
      if (status >= 0) own = cps_render_status_colour((CpsContactStatus)status);
    } else if (!part->is_obstacle) {
      own = scale_colour(render, cps_render_body_value(render, part->owner));
    }
    render->parts[i] = own;
  }
}

// Marks the piece of a fibre that contains arc length s. Sliding takes precedence over sticking, and sticking over open.
static void touch_fibre(CpsRender* render, int32_t fibre, double s, CpsContactStatus status) {
  if (render->fibre_line[fibre] < 0) return;
  CpsResultLine line = render->things->lines[render->fibre_line[fibre]];
  const CpsVec3* p = cps_show_frame(render->show)->points + line.first;
  double piece = cps_vec3_norm(cps_vec3_sub(p[1], p[0]));
  if (!(piece > 0.0) || !isfinite(s / piece)) return;
  int64_t at = line.first + (int64_t)fmin(fmax(s / piece, 0.0), (double)(line.count - 2));
  for (int64_t k = at; k <= at + 1; ++k) {
    if (render->values[k] >= (double)status) continue;
    render->values[k] = (double)status;
    render->points[k] = cps_render_status_colour(status);
  }
}

// Marks the corners of the triangle that a contact is on, except those with negligible weight.
static void touch_surface(CpsRender* render, const CpsSide* side, CpsContactStatus status) {
  const CpsThings* things = render->things;
  const int32_t before = side->thing.kind == CPS_THING_SOLID ? things->sheet_count - things->solid_count : 0;
  const CpsResultSheet* sheet = &things->sheets[before + side->thing.index];
  if (side->part < 0 || side->part >= sheet->triangle_count) return;
  const double weight[3] = {side->place.x, side->place.y, side->place.z};
  const int64_t points = render->things->point_count;
  for (int k = 0; k < 3; ++k) {
    int64_t at = points + render->things->triangles[3 * (sheet->first_triangle + side->part) + k];
    if (!(weight[k] > 0.05) || render->values[at] >= (double)status) continue;
    render->values[at] = (double)status;
    render->points[at] = cps_render_status_colour(status);
  }
}

static void touch_body(CpsRender* render, int32_t body, CpsContactStatus status) {
  if (render->body_status[body] < (int8_t)status) render->body_status[body] = (int8_t)status;
}

static void colour_touches(CpsRender* render) {
  const CpsFrame* frame = cps_show_frame(render->show);
  const int64_t soft = render->things->point_count + render->things->vertex_count;
  for (int64_t k = 0; k < soft; ++k) render->values[k] = -1.0;
  for (int32_t i = 0; i < render->things->body_count; ++i) render->body_status[i] = -1;
  for (int32_t i = 0; i < frame->contact_count; ++i) {
    const CpsFrameContact* c = &frame->contacts[i];
    for (int k = 0; k < 2; ++k) {
      const CpsThing thing = c->side[k].thing;
      if (thing.kind == CPS_THING_FIBRE) touch_fibre(render, thing.index, c->side[k].place.x, c->status);
      if (thing.kind == CPS_THING_SHEET || thing.kind == CPS_THING_SOLID) touch_surface(render, &c->side[k], c->status);
      if (thing.kind == CPS_THING_BODY) touch_body(render, thing.index, c->status);
    }
  }
}

// Light and dark sand, the same for all grains of a particle; in scalar modes, the colour of the particle's value.
static void colour_particles(CpsRender* render) {
  const CpsColour mode = render->options.colour;
  const bool scalar = mode == CPS_COLOUR_SPEED || mode == CPS_COLOUR_PRESSURE;
  for (int64_t k = 0; k < render->things->particle_count; ++k) {
    render->particles[k] = scalar ? scale_colour(render, cps_render_particle_value(render, k))
                                  : cps_colour_vary(cps_colour_hex(cps_palette[STRAW]), (uint32_t)k, GRAINS_VARY);
  }
}

void cps_render_colour(CpsRender* render) {
  colour_particles(render);
  colour_lines(render);
  colour_sheets(render);
  if (render->options.colour == CPS_COLOUR_STATUS) colour_touches(render);
  colour_parts(render);
}
