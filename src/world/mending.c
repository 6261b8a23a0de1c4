// Corrects positions at the end of a step in which lines sank into something or passed through it.
//
// A piece that passed through something had no contact, or one whose normal has rotated. Each such piece gets another
// contact,
//
//   n perpendicular to both at the end of the step, oriented from the other object to the line as before they met,
//   g+ = n.(x_A - x_B) - r_A - r_B,                                                                                  (1)
//
// and all rows are recomputed at the current positions: the geometry of contacts is renewed within the step. Pieces that are
// only deep (passes.c) get a contact with the current normal. Then (7) of docs/theory/time-step.md is solved.
//
// Only a few places of a large island need this. A round solves the contacts of deep members; their neighbours give way as if they
// had no other contacts, and whatever those sink into is left to the next round. If a round does not reduce the number of places or
// the depth, the next one solves all contacts.
//
// A push is linear, and lines are not: in a short step, where M~ has little stiffness, one by a part of a radius may bend a line through what
// it is pushed out of. What was only deep before and has passed, or sank in deeper, after all rounds is put back.
#include "world/world.h"

#include "core/error.h"
#include "geometry/segment.h"

#include <math.h>
#include <string.h>

static const double CALMER = 0.7;
static const double WILD = 0.5;       // in radii: a piece this deep has nearly passed
static const double FEW = 0.5;        // relative to all contacts: if more are selected, all are used
enum { RINGS = 1 };                   // rings of members around a deep contact that are pushed
static const double SAME_SIDE = 0.5;  // cosine of the angle by which a normal may have turned

static CpsVec3 axis_at(const CpsLinePiece* p, double place) {
  return cps_vec3_axpy(p->to[0], place, cps_vec3_sub(p->to[1], p->to[0]));
}

// Makes the contact of a piece that passed through, at the current positions.
static void make_contact(const CpsStep* step, const CpsCrossing* c, CpsStepContact* t, CpsTrack* track) {
  const CpsWorld* world = step->world;
  const int32_t n = cps_world_member_count(world), other = c->who[1];
  const CpsLinePiece *p = &step->lines[c->who[0]].piece[c->piece[0]], *q = NULL;
  CpsVec3 x = axis_at(p, c->place[0]), y = c->point;
  *t = (CpsStepContact){.a = c->who[0], .b = -1, .obstacle = -1, .soft = -1, .across = 1.0};
  *track = (CpsTrack){.key_a = cps_member_key(world, c->who[0], c->piece[0])};
  t->spot_a = (CpsSpot){.point = x, .arc = p->arc[0] + c->place[0] * (p->arc[1] - p->arc[0])};
  // numbers as in passes.c
  if (other < n) {
    q = &step->lines[other].piece[c->piece[1]];
    y = axis_at(q, c->place[1]);
    t->b = other;
    t->spot_b = (CpsSpot){.point = y, .arc = q->arc[0] + c->place[1] * (q->arc[1] - q->arc[0])};
    track->key_b = cps_member_key(world, other, c->piece[1]);
  } else if (other < 2 * n) {
    t->b = other - n;
    t->spot_b = (CpsSpot){.point = y};
    track->key_b = cps_member_key(world, t->b, 0);
  } else {
    t->obstacle = other - 2 * n;
    track->key_b = cps_key(CPS_THING_OBSTACLE, t->obstacle, world->obstacles[t->obstacle].generation, 0);
  }
  t->touch.normal = c->normal;
  t->touch.point_a = cps_vec3_axpy(x, -p->geom.radius, c->normal);
  t->touch.point_b = q ? cps_vec3_axpy(y, q->geom.radius, c->normal) : y;
  t->touch.gap = t->gap_after = cps_vec3_dot(c->normal, cps_vec3_sub(t->touch.point_a, t->touch.point_b));  // (1)
  t->frame = cps_mat3_frame(c->normal, cps_vec3(1.0, 0.0, 0.0));
}

// Whether two lines passed through each other anywhere.
static bool have_passed(const CpsStep* step, int32_t a, int32_t b) {
  for (int32_t i = 0; i < step->pass_count; ++i) {
    const CpsCrossing* c = &step->passes[i];
    if ((c->who[0] == a && c->who[1] == b) || (c->who[0] == b && c->who[1] == a)) return true;
  }
  return false;
}

// Recomputes a contact of two lines at their current positions: the points that touched at the beginning may have
// slid past each other, which makes their distance along the old normal meaningless. Lines that passed through each
// other and are not on their original sides keep the contact.
static void renew(const CpsStep* step, CpsStepContact* t, const CpsTrack* track) {
  const CpsMemberLine *f = cps_step_line(step, t->a), *g = cps_step_line(step, t->b);
  if (!f || !g) return;
  const CpsLinePiece *p = &f->piece[cps_key_piece(track->key_a)], *q = &g->piece[cps_key_piece(track->key_b)];
  double s, at;
  cps_segment_segment(p->to[0], cps_vec3_sub(p->to[1], p->to[0]), q->to[0], cps_vec3_sub(q->to[1], q->to[0]), &s, &at);
  const CpsVec3 x = axis_at(p, s), y = axis_at(q, at), w = cps_vec3_sub(x, y);
  const double distance = cps_vec3_norm(w);
  if (!(distance > 0.0)) return;
  if (!(cps_vec3_dot(w, t->touch.normal) > SAME_SIDE * distance) && have_passed(step, t->a, t->b)) return;
  t->touch.normal = cps_vec3_scale(1.0 / distance, w);
  t->spot_a = (CpsSpot){.point = x, .arc = p->arc[0] + s * (p->arc[1] - p->arc[0])};
  t->spot_b = (CpsSpot){.point = y, .arc = q->arc[0] + at * (q->arc[1] - q->arc[0])};
  t->touch.point_a = cps_vec3_axpy(x, -p->geom.radius, t->touch.normal);
  t->touch.point_b = cps_vec3_axpy(y, q->geom.radius, t->touch.normal);
  t->touch.gap = t->gap_after = distance - p->geom.radius - q->geom.radius;
  t->frame = cps_mat3_frame(t->touch.normal, cps_vec3(1.0, 0.0, 0.0));
}

static bool is_same(const CpsCrossing* a, const CpsCrossing* b) {
  return a->who[0] == b->who[0] && a->who[1] == b->who[1] && a->piece[0] == b->piece[0] && a->piece[1] == b->piece[1];
}

// Collects the contacts of the step and those against crossings and sinking, from this round and earlier ones.
static CpsStatus gather(CpsStep* step, CpsMending* m) {
  const int64_t most = (int64_t)m->count + step->pass_count + step->sinking_count;
  CpsMending more = {0, CPS_TAKE(step->scratch, CpsStepContact, most), CPS_TAKE(step->scratch, CpsTrack, most),
                     CPS_TAKE(step->scratch, bool, most), m->all};
  if (!more.contact || !more.track || !more.wild) {
    return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  }
  for (int32_t i = 0; i < m->count; ++i) {
    const double gap = cps_contact_gap_now(step, &m->contact[i], &m->track[i], true);
    if (!isfinite(gap)) continue;  // not a line: found again if it is still deep
    more.contact[more.count] = m->contact[i];
    more.contact[more.count].gap_after = gap;
    more.track[more.count] = m->track[i];
    more.wild[more.count++] = m->wild[i];
  }
  for (int32_t i = 0; i < step->pass_count; ++i) {
    // crossings that outran the search and had touches are listed twice
    if (i > 0 && is_same(&step->passes[i - 1], &step->passes[i])) continue;
    make_contact(step, &step->passes[i], &more.contact[more.count], &more.track[more.count]);
    more.wild[more.count++] = true;
  }
  for (int32_t i = 0; i < step->sinking_count; ++i, ++more.count) {
    make_contact(step, &step->sinking[i], &more.contact[more.count], &more.track[more.count]);
    more.wild[more.count] = step->sinking[i].deep > WILD;
  }
  *m = more;
  return CPS_OK;
}

static void append(CpsContacts* c, int32_t at, const CpsStepContact* contact, const CpsTrack* track, int32_t count) {
  if (count == 0) return;
  memcpy(c->contact + at, contact, (size_t)count * sizeof *contact);
  memcpy(c->track + at, track, (size_t)count * sizeof *track);
}

// Keeps the contacts of members with a deep contact, and of their neighbours up to RINGS away. False if these are
// most contacts, if memory runs out, or if ties hold members together: then all are kept.
static bool keep_near(CpsStep* step, CpsContacts* c, double allowed) {
  uint8_t* ring = CPS_TAKE_ZERO(step->scratch, uint8_t, cps_world_member_count(step->world));
  if (!ring || c->count > c->touch_count) return false;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    if (!(t->gap_after < -2.0 * allowed)) continue;
    ring[t->a] = 1;
    if (t->b >= 0) ring[t->b] = 1;
  }
  for (int k = 1; k < RINGS; ++k) {
    for (int32_t i = 0; i < c->count; ++i) {
      const CpsStepContact* t = &c->contact[i];
      if (t->b < 0) continue;
      if (ring[t->a] == k && ring[t->b] == 0) ring[t->b] = (uint8_t)(k + 1);
      if (ring[t->b] == k && ring[t->a] == 0) ring[t->a] = (uint8_t)(k + 1);
    }
  }
  int32_t near = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    near += ring[t->a] > 0 || (t->b >= 0 && ring[t->b] > 0);
  }
  if (near > FEW * c->count) return false;
  near = 0;
  for (int32_t i = 0; i < c->count; ++i) {
    const CpsStepContact* t = &c->contact[i];
    if (ring[t->a] == 0 && (t->b < 0 || ring[t->b] == 0)) continue;
    c->contact[near] = *t;
    c->track[near++] = c->track[i];
  }
  c->count = c->touch_count = near;
  return true;
}

// Pushes with recomputed contacts and rows.
static CpsStatus push_renewed(CpsStep* step, const CpsMending* m, double allowed) {
  CpsStep now = *step;
  CpsContacts* c = &now.contacts;
  const CpsContacts* known = &step->contacts;
  const int32_t own = known->touch_count, ties = known->tie_count;
  *c = (CpsContacts){
      .count = own + m->count + ties, .touch_count = own + m->count, .tie_count = ties, .tie = known->tie};
  c->contact = CPS_TAKE(step->scratch, CpsStepContact, c->count);
  c->track = CPS_TAKE(step->scratch, CpsTrack, c->count);
  if (!c->contact || !c->track) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  append(c, 0, known->contact, known->track, own);
  for (int32_t i = 0; i < own; ++i) renew(step, &c->contact[i], &c->track[i]);
  append(c, own, m->contact, m->track, m->count);
  for (int32_t i = own; i < own + m->count; ++i) renew(step, &c->contact[i], &c->track[i]);
  append(c, own + m->count, known->contact + own, known->track + own, ties);
  if (!m->all) (void)keep_near(step, c, allowed);
  CpsStatus status = cps_step_islands(&now);
  if (status == CPS_OK) status = cps_step_assemble(&now);
  if (status == CPS_OK) status = cps_step_push(&now, allowed, true);
  step->projection_loss = now.projection_loss;
  return status;
}

CpsStatus cps_step_mend(CpsStep* step, CpsMending* m, double allowed) {
  CpsStatus status = gather(step, m);
  if (status != CPS_OK) return status;
  status = push_renewed(step, m, allowed);
  return status == CPS_OK ? cps_step_compare(step, false) : status;
}

// Size of a line's position in bytes; 0 if it was removed. Surfaces are not moved here.
static int64_t line_size(const CpsModel* model, int32_t i) {
  if (!model->type->is_there(model, i)) return 0;
  return model->type->place_size(model, i) * (int64_t)sizeof(double);
}

static int64_t unmended_size(const CpsModel* model) {
  int64_t size = 0;
  if (!model->type->follow) return model->type->collider_pose ? (int64_t)model->type->state_size(model) : 0;
  for (int32_t i = 0; i < model->count; ++i) size += line_size(model, i);
  return size;
}

CpsStatus cps_step_keep_unmended(CpsStep* step, CpsUnmended* before) {
  const CpsWorld* world = step->world;
  int64_t size = 0;
  for (int k = 0; k < world->population_count; ++k) size += unmended_size(world->population[k]);
  double* numbers = CPS_TAKE(step->scratch, double, size / (int64_t)sizeof(double) + 1);
  if (!numbers) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  *before = (CpsUnmended){(char*)numbers, step->projection_loss};
  for (int k = 0; k < world->population_count; ++k) {
    const CpsModel* model = world->population[k];
    char* at = (char*)numbers;
    numbers += unmended_size(model) / (int64_t)sizeof(double);
    if (!model->type->follow && model->type->collider_pose) model->type->save(model, at);
    for (int32_t i = 0; model->type->follow && i < model->count; at += line_size(model, i++)) {
      if (model->type->is_there(model, i)) model->type->keep_place(model, i, (double*)(void*)at);
    }
  }
  return CPS_OK;
}

CpsStatus cps_step_unmend(CpsStep* step, const CpsUnmended* before) {
  const CpsWorld* world = step->world;
  const char* at = before->state;
  for (int k = 0; k < world->population_count; ++k) {
    CpsModel* model = world->population[k];
    const char* next = at + unmended_size(model);
    if (!model->type->follow && model->type->collider_pose) model->type->load(model, at);
    for (int32_t i = 0; model->type->follow && i < model->count; at += line_size(model, i++)) {
      if (model->type->is_there(model, i)) model->type->put_back(model, i, (const double*)(const void*)at);
    }
    at = next;
  }
  step->projection_loss = before->projection_loss;
  return cps_step_crossings(step, false);
}

// A line without rotary inertia can turn about itself by a radian in a fraction of a millisecond. Contacts are
// first-order accurate in the motion and cannot hold it in any step. A line that still passes in a short step loses a
// part of its velocity for each crossing, which only dissipates energy.
CpsStatus cps_step_calm(CpsStep* step, const CpsMending* m) {
  const CpsRigidMotion none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const CpsWorld* world = step->world;
  int32_t* passed = CPS_TAKE_ZERO(step->scratch, int32_t, cps_world_member_count(world));
  if (!passed) return cps_fail(step->error, CPS_NO_MEMORY, "not enough memory for a step");
  for (int32_t i = 0; i < 2 * m->count; ++i) {
    const int32_t member = i % 2 == 0 ? m->contact[i / 2].a : m->contact[i / 2].b;
    if (m->wild[i / 2] && cps_step_line(step, member)) passed[member]++;
  }
  for (int32_t i = 0; i < cps_world_member_count(world); ++i) {
    if (passed[i] == 0) continue;
    CpsMember f = cps_world_member(world, i);
    CpsModelEnergy before = {0}, after = {0};
    f.model->type->energy(f.model, &step->model, false, f.index, f.index + 1, &before);
    f.model->type->slow(f.model, f.index, pow(CALMER, passed[i]), &none, &none);
    f.model->type->energy(f.model, &step->model, false, f.index, f.index + 1, &after);
    step->projection_loss += before.kinetic - after.kinetic;
  }
  return CPS_OK;
}
