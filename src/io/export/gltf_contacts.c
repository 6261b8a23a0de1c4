// Contacts in glTF: a node for each frame that has some, with a line for each contact from where it is along its impulse; the
// longest line of all is a tenth of the scene. The impulse itself, N s, is the attribute _IMPULSE of its two points. Nodes
// are there in their frame alone: their scale steps from 0 to 1 and back.
#include <math.h>
#include <stdlib.h>

#include "io/export/gltf.h"

enum { MOST_FRAMES = 2000 };
static const double LONGEST = 0.1;  // relative to the size of the scene

// Counts the contacts to draw in all frames.
typedef struct Survey {
  int64_t contacts, frames;
  double impulse;  // largest
  CpsVec3 low, high;
} Survey;

static CpsVec3 impulse_of(const CpsFrameContact* c) {
  return cps_export_in_world(c, c->impulse);
}

static CpsStatus survey(CpsGltf* f, Survey* s) {
  CpsStatus status = CPS_OK;
  for (int64_t k = f->e->options.first; status == CPS_OK && k <= f->e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(f->e, k, &frame);
    if (status != CPS_OK) return status;
    s->frames += frame->contact_count > 0;
    for (int32_t i = 0; i < frame->contact_count; ++i) {
      CpsVec3 r = impulse_of(&frame->contacts[i]), p = cps_export_contact_point(&frame->contacts[i]);
      s->impulse = fmax(s->impulse, sqrt(r.x * r.x + r.y * r.y + r.z * r.z));
      if (s->contacts++ == 0) s->low = s->high = p;
      s->low = (CpsVec3){fmin(s->low.x, p.x), fmin(s->low.y, p.y), fmin(s->low.z, p.z)};
      s->high = (CpsVec3){fmax(s->high.x, p.x), fmax(s->high.y, p.y), fmax(s->high.z, p.z)};
    }
  }
  return status;
}

// The mesh of a frame: two points for each contact.
static CpsStatus add_mesh(CpsGltf* f, const CpsFrame* frame, double scale) {
  int64_t count = 2 * (int64_t)frame->contact_count;
  CpsVec3* points = malloc((size_t)count * sizeof *points);
  CpsVec3* impulses = malloc((size_t)count * sizeof *impulses);
  CpsStatus status = points && impulses && cps_gltf_take_floats(f, 3 * count) ? CPS_OK : cps_export_no_memory(f->e);
  for (int32_t i = 0; status == CPS_OK && i < frame->contact_count; ++i) {
    CpsVec3 p = cps_export_contact_point(&frame->contacts[i]), r = impulse_of(&frame->contacts[i]);
    points[2 * i] = p;
    points[2 * i + 1] = (CpsVec3){p.x + scale * r.x, p.y + scale * r.y, p.z + scale * r.z};
    impulses[2 * i] = impulses[2 * i + 1] = r;
  }
  if (status == CPS_OK) {
    int32_t position = cps_gltf_vectors(f, points, count, true), impulse = cps_gltf_vectors(f, impulses, count, false);
    cps_grow_print(&f->mesh_text,
                   "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"_IMPULSE\":%d},\"mode\":1,\"material\":%d}]}",
                   f->mesh_count > 0 ? "," : "", (int)position, (int)impulse,
                   (int)cps_gltf_look(f, CPS_KIND_OBSTACLE, 0));
  }
  free(points);
  free(impulses);
  return status;
}

// Animates the node of frame k: scale 1 at the time of its frame, 0 before and after.
static CpsStatus add_scale(CpsGltf* f, int32_t node, int64_t k) {
  CpsExport* e = f->e;
  double start = cps_result_frame_time(e->result, e->options.first);
  float times[3], scales[9];
  int count = 0;
  for (int step = -1; step <= 1; ++step) {
    int64_t at = step < 0 ? e->options.first : k + step;
    if ((step < 0 && k == e->options.first) || at > e->options.last) continue;
    times[count] = (float)(cps_result_frame_time(e->result, at) - start);
    for (int i = 0; i < 3; ++i) scales[3 * count + i] = step == 0 ? 1.0F : 0.0F;
    count++;
  }
  int32_t input = cps_glb_floats(&f->glb, times, count, 1, CPS_GLB_PLAIN, true);
  int32_t output = cps_glb_floats(&f->glb, scales, count, 3, CPS_GLB_PLAIN, false);
  cps_grow_print(&f->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}",
                 f->sampler_count > 0 ? "," : "", (int)input, (int)output);
  cps_grow_print(&f->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"scale\"}}",
                 f->channel_count++ > 0 ? "," : "", (int)f->sampler_count++, (int)node);
  return CPS_OK;
}

CpsStatus cps_gltf_contacts(CpsGltf* f) {
  CpsExport* e = f->e;
  Survey s = {0};
  CpsStatus status = survey(f, &s);
  if (status != CPS_OK || s.contacts == 0) return status;
  if (s.frames > MOST_FRAMES) {
    snprintf(e->info.note, sizeof e->info.note, "contacts are left out: %lld frames have some; choose fewer frames",
             (long long)s.frames);
    return CPS_OK;
  }
  double size = hypot(hypot(s.high.x - s.low.x, s.high.y - s.low.y), s.high.z - s.low.z);
  if (!(size > 0.0)) size = 0.1 * e->extent;
  double scale = s.impulse > 0.0 ? LONGEST * size / s.impulse : 0.0;
  for (int64_t k = e->options.first; status == CPS_OK && k <= e->options.last; ++k) {
    const CpsFrame* frame = NULL;
    status = cps_export_read_finite(e, k, &frame);
    if (status != CPS_OK || frame->contact_count == 0) continue;
    status = add_mesh(f, frame, scale);
    if (status != CPS_OK) return status;
    int32_t node = f->node_count++;
    cps_grow_print(&f->nodes, ",{\"name\":\"contacts %lld\",\"mesh\":%d}", (long long)k, (int)f->mesh_count++);
    cps_grow_print(&f->children, "%s%d", f->children.size > 0 ? "," : "", (int)node);
    if (cps_export_frames(e) > 1) status = add_scale(f, node, k);
  }
  return status;
}
