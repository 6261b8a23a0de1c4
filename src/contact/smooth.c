// Contacts of smooth surfaces. Their vertices, moved onto the surface, carry what lies flat against them; between vertices the
// place nearest to the shape does (field_descend.c), so that what rolls does not go from vertex to vertex: from each vertex that is
// as near as its neighbours. Points of other things look up the field.
#include "contact/smooth.h"

#include "geometry/bvh.h"
#include "geometry/collide.h"

#include <math.h>
#include <string.h>

enum { SWEEP_MOST = 64 };
static const double LOWER = 1e-9;  // a place must be nearer than its vertex by this, relative to the reach
static const double LEVEL = 0.02;  // heights that count as equal, relative to the reach
static const double SAME = 0.05;   // places that count as equal, relative to the reach
static const double SWEEP = 0.5;   // distance of samples on the path of a point, relative to the reach

bool cps_smooth_put(CpsSmoothList* list, const CpsSmoothTouch* touch) {
  if (list->count == list->capacity) {
    int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
    CpsSmoothTouch* grown = CPS_TAKE(list->arena, CpsSmoothTouch, capacity);
    if (!grown) return false;
    if (list->count > 0) memcpy(grown, list->touch, (size_t)list->count * sizeof *grown);
    list->touch = grown;
    list->capacity = capacity;
  }
  list->touch[list->count++] = *touch;
  return true;
}

// Point of a shape nearest to a ball of the surface's radius about y; false if it is farther than the margin.
static bool look(const CpsSmoothMesh* mesh, const CpsCollider* c, CpsVec3 y, double margin, CpsTouch* out) {
  CpsTouch all[CPS_TOUCH_MAX];
  const CpsPose pose = {y, {1.0, 0.0, 0.0, 0.0}};
  const int count = cps_collide(mesh->ball, &pose, c->geom, &c->pose, margin, all);
  for (int i = 0; i < count; ++i) {
    if (i == 0 || all[i].gap < out->gap) *out = all[i];
  }
  return count > 0;
}

static CpsVec3 way_of(const CpsSmoothMesh* mesh, int32_t node) {
  return cps_vec3_sub(mesh->end[node], mesh->x[node]);
}

static CpsVec3 collider_way(const CpsCollider* c, double h, CpsVec3 x) {
  const CpsVec3 arm = cps_vec3_sub(x, c->centre);
  return cps_vec3_add(cps_vec3_axpy(c->way, h, c->velocity), cps_vec3_cross(c->turn, arm));
}

typedef struct Search {
  const CpsSmoothMesh* mesh;
  const CpsField* field;
  const CpsCollider* collider;
  double h, skin, margin;
  CpsSmoothTouch model;
  CpsSmoothList* list;
  int64_t first;  // of its touches
} Search;

// Records a touch at a place y near a node if the two come closer than the skin.
static bool judge(const Search* q, CpsSmoothKind kind, int32_t node, CpsVec3 y, const CpsTouch* touch) {
  const CpsVec3 way = cps_vec3_sub(way_of(q->mesh, node), collider_way(q->collider, q->h, y));
  if (touch->gap + fmin(0.0, cps_vec3_dot(touch->normal, way)) > q->skin) return true;
  CpsSmoothTouch t = q->model;
  t.kind = (int32_t)kind;
  t.node = node;
  t.place = y;
  t.normal = touch->normal;
  t.gap = touch->gap;
  return cps_smooth_put(q->list, &t);
}

static bool look_from(const void* query, CpsVec3 y, CpsTouch* touch) {
  const Search* q = query;
  return look(q->mesh, q->collider, y, q->margin, touch);
}

// Whether no neighbour of a vertex is nearer to the shape by more than `level`. Between two neighbours of equal
// height there may be a place lower than both.
static bool is_low(const CpsSmoothMesh* mesh, const double* gap, int32_t node, double level) {
  for (int64_t i = mesh->around_start[node]; i < mesh->around_start[node + 1]; ++i) {
    const int32_t* corner = mesh->triangle + 3 * (int64_t)mesh->around[i];
    for (int k = 0; k < 3; ++k) {
      if (gap[corner[k]] < gap[node] - level) return false;
    }
  }
  return true;
}

// Whether a place was already found from another vertex.
static bool is_known(const Search* q, CpsVec3 y) {
  for (int64_t i = q->first; i < q->list->count; ++i) {
    const CpsSmoothTouch* t = &q->list->touch[i];
    if (t->kind == CPS_SMOOTH_LOWEST && cps_vec3_norm(cps_vec3_sub(t->place, y)) < SAME * q->field->reach) return true;
  }
  return false;
}

static bool look_at_vertex(const Search* q, int32_t node, bool low) {
  CpsVec3 y = q->mesh->x[node];
  CpsFieldAt at;
  CpsTouch touch;
  if (!cps_field_project(q->field, 0.0, &y, &at) || !look(q->mesh, q->collider, y, q->margin, &touch)) return true;
  if (!judge(q, CPS_SMOOTH_VERTEX, node, y, &touch)) return false;
  const double gap = touch.gap;
  if (!low) return true;
  cps_field_descend(q->field, look_from, q, &y, &at, &touch);
  if (!(touch.gap < gap - LOWER * q->field->reach) || is_known(q, y)) return true;
  return judge(q, CPS_SMOOTH_LOWEST, node, y, &touch);
}

static bool is_in(const CpsAabb* box, CpsVec3 x) {
  return x.x >= box->min.x && x.x <= box->max.x && x.y >= box->min.y && x.y <= box->max.y && x.z >= box->min.z &&
         x.z <= box->max.z;
}

bool cps_smooth_shape(const CpsSmoothMesh* mesh, const CpsField* field, const CpsCollider* c, double h, double skin,
                      const CpsSmoothTouch* model, CpsSmoothList* out) {
  Search q = {mesh, field, c, h, skin, 0.0, *model, out, out->count};
  double fast = 0.0;
  for (int32_t i = 0; i < mesh->skin_count; ++i) fast = fmax(fast, cps_vec3_norm(way_of(mesh, mesh->skin[i])));
  q.margin = field->reach + skin + fast + c->reach + c->sway + cps_vec3_norm(c->way);
  const CpsAabb box = cps_aabb_grow(cps_geom_bounds(c->geom, &c->pose), q.margin + mesh->half);
  if (!cps_aabb_overlap(&box, &mesh->box)) return true;
  bool any = false;
  for (int32_t i = 0; i < mesh->skin_count; ++i) {
    const int32_t node = mesh->skin[i];
    CpsTouch touch;
    const bool near = is_in(&box, mesh->x[node]) && look(mesh, c, mesh->x[node], q.margin, &touch);
    mesh->work[node] = near ? touch.gap : INFINITY;
    any = any || near;
  }
  for (int32_t i = 0; any && i < mesh->skin_count; ++i) {
    const int32_t node = mesh->skin[i];
    if (isinf(mesh->work[node])) continue;
    const bool low = is_low(mesh, mesh->work, node, LEVEL * field->reach);
    if (!low && mesh->work[node] > q.margin - 0.5 * field->reach) continue;
    if (!look_at_vertex(&q, node, low)) return false;
  }
  return true;
}

// The free displacement of the surface at a place of its field.
static CpsVec3 field_way(const CpsSmoothMesh* mesh, const CpsFieldAt* at) {
  CpsVec3 way = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < at->count; ++i) {
    const int32_t* corner = mesh->triangle + 3 * (int64_t)at->term[i].sample;
    const double w = at->term[i].weight / (3.0 * at->sum);
    for (int k = 0; k < 3; ++k) way = cps_vec3_axpy(way, w, way_of(mesh, corner[k]));
  }
  return way;
}

// The first place on the path of a point where the field is defined.
static bool enter(const CpsSmoothMesh* mesh, const CpsField* field, const CpsSmoothPoint* p, CpsVec3* x,
                  CpsFieldAt* at) {
  const CpsVec3 way = cps_vec3_sub(p->way, mesh->drift);
  const double count = fmin(SWEEP_MOST, ceil(cps_vec3_norm(way) / (SWEEP * field->reach)));
  for (int i = 0; i <= (int)count; ++i) {
    *x = cps_vec3_axpy(p->x, i / fmax(1.0, count), way);
    if (cps_field_at(field, *x, at)) return true;
  }
  return false;
}

bool cps_smooth_point(const CpsSmoothMesh* mesh, const CpsField* field, const CpsSmoothPoint* p, double skin,
                      const CpsSmoothTouch* model, CpsSmoothList* out) {
  const double far = field->reach + skin + p->radius + cps_vec3_norm(cps_vec3_sub(p->way, mesh->drift));
  const CpsAabb box = cps_aabb_grow(mesh->box, far);
  if (!is_in(&box, p->x)) return true;
  CpsFieldAt at;
  CpsSmoothTouch t = *model;
  if (!enter(mesh, field, p, &t.place, &at)) return true;
  const double size = cps_vec3_norm(at.gradient);
  if (!(size > 0.0)) return true;
  t.kind = CPS_SMOOTH_FIELD;
  t.normal = cps_vec3_scale(1.0 / size, at.gradient);
  t.gap = at.value / size - p->radius - mesh->half + cps_vec3_dot(t.normal, cps_vec3_sub(p->x, t.place));
  const double closing = fmin(0.0, cps_vec3_dot(t.normal, cps_vec3_sub(p->way, field_way(mesh, &at))));
  return t.gap + closing > skin ? true : cps_smooth_put(out, &t);
}
