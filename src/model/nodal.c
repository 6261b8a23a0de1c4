// Sheets and solids as one population of nodal members behind model.h. The time step is in nodal_newton.c.
#include "model/nodal.h"

#include "core/error.h"
#include "core/places.h"
#include "geometry/bvh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const CpsModelType NODALS;

CpsNodals* cps_nodals_create(CpsThingKind kind, const char* name, size_t member_size) {
  CpsNodals* nodals = calloc(1, sizeof *nodals);
  if (!nodals) return NULL;
  nodals->table = NODALS;
  nodals->table.kind = kind;
  nodals->table.name = name;
  nodals->model.type = &nodals->table;
  nodals->member_size = member_size;
  return nodals;
}

static void free_member(CpsNodal* s) {
  if (s->type) s->type->release(s);
  cps_triangle_tree_destroy(s->tree);
  for (int32_t i = 0; i < s->hold_count; ++i) {
    free(s->holds[i].node);
    free(s->holds[i].place);
  }
  free(s->holds);
  free(s->name);
  cps_arena_free(&s->arena);
  cps_arena_free(&s->factor_arena);
}

static void destroy(CpsModel* model) {
  CpsNodals* nodals = (CpsNodals*)model;
  if (!nodals) return;
  for (int32_t i = 0; i < nodals->model.count; ++i) {
    free_member(nodals->member[i]);
    free(nodals->member[i]);
  }
  free(nodals->member);
  free(nodals->pulls);
  free(nodals);
}

static bool take_forces(CpsNodal* s) {
  CpsNodalForces* const all[] = {&s->begun, &s->latest};
  for (int k = 0; k < 2; ++k) {
    all[k]->at = CPS_TAKE_ZERO(&s->arena, CpsVec3, s->nodes);
    all[k]->gradient = CPS_TAKE_ZERO(&s->arena, CpsVec3, s->nodes);
    if (!all[k]->at || !all[k]->gradient) return false;
  }
  return true;
}

static bool take(CpsNodal* s) {
  const int32_t n = s->nodes;
  const int64_t blocks = s->pattern->start[n];
  CpsVec3** const vectors[] = {&s->x,           &s->v,          &s->way,         &s->before,  &s->free,   &s->trial,
                               &s->end,         &s->goal,       &s->slope,       &s->impulse, &s->dv,     &s->try,
                               &s->blow,        &s->hand_place, &s->left,        &s->back,    &s->middle, &s->made.end,
                               &s->made.middle, &s->saved.end,  &s->saved.middle};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) {
    *vectors[k] = CPS_TAKE_ZERO(&s->arena, CpsVec3, n);
    if (!*vectors[k]) return false;
  }
  s->held = CPS_TAKE_ZERO(&s->arena, bool, n);
  s->made.held = CPS_TAKE_ZERO(&s->arena, bool, n);
  s->saved.held = CPS_TAKE_ZERO(&s->arena, bool, n);
  s->hand = CPS_TAKE_ZERO(&s->arena, unsigned char, n);
  s->hand_time = CPS_TAKE_ZERO(&s->arena, double, n);
  s->skin = CPS_TAKE(&s->arena, int32_t, n);
  s->mass = CPS_TAKE_ZERO(&s->arena, double, 9 * blocks);
  s->damp = CPS_TAKE_ZERO(&s->arena, double, 9 * blocks);
  s->drag = CPS_TAKE_ZERO(&s->arena, double, s->airy ? 9 * blocks : 0);
  s->work = CPS_TAKE_ZERO(&s->arena, double, 3 * (int64_t)n);
  return s->held && s->made.held && s->saved.held && s->hand && s->hand_time && s->skin && s->mass && s->damp &&
         s->drag && s->work;
}

bool cps_nodal_analyse(CpsNodal* s, CpsPool* pool) {
  const CpsBlockPattern* p = s->pattern;
  CpsArena scratch = {0};
  CpsBlockMatrix A = {.rows = p->rows, .dim = 3, .start = p->start, .col = p->col};
  CpsCholeskyOptions options = {.pool = pool, .keep_inverse = true};
  cps_arena_reset(&s->factor_arena);
  s->factor = cps_cholesky_create(&A, &options, &s->factor_arena, &scratch);
  s->factor_threads = cps_pool_threads(pool);
  cps_arena_free(&scratch);
  return s->factor;
}

static void set_geom(CpsGeom* g, double radius, bool both_sides) {
  g->kind = CPS_SHAPE_SPHERE;
  g->both_sides = both_sides;
  g->radius = g->inner_radius = g->outer_radius = radius;
  g->bounds = (CpsAabb){{-radius, -radius, -radius}, {radius, radius, radius}};
}

// The nodes of the triangles, ascending; s->held serves as scratch.
static void find_skin(CpsNodal* s, const int32_t* triangles, int32_t triangle_count) {
  for (int64_t i = 0; i < 3 * (int64_t)triangle_count; ++i) s->held[triangles[i]] = true;
  for (int32_t i = 0; i < s->nodes; ++i) {
    if (s->held[i]) s->skin[s->skin_count++] = i;
    s->held[i] = false;
  }
}

CpsStatus cps_nodal_finish(CpsNodal* s, const CpsVec3* from, CpsVec3 velocity, const int32_t* triangles,
                           int32_t triangle_count, CpsError* error) {
  set_geom(&s->geom, s->half, !s->closed);
  s->triangle = triangles;
  s->triangle_count = triangle_count;
  if (!take(s) || !take_forces(s) || !cps_nodal_analyse(s, NULL) || !cps_nodal_list_triangles(s)) {
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a mesh of %d vertices", (int)s->vertex_count);
  }
  find_skin(s, triangles, triangle_count);
  if (s->touches) {
    CpsStatus status = cps_triangle_tree_create(from, s->nodes, triangles, triangle_count, &s->tree);
    if (status != CPS_OK) return cps_fail(error, status, "not enough memory for the triangles of a mesh");
  }
  for (int32_t i = 0; i < s->nodes; ++i) {
    s->x[i] = from[i];
    s->v[i] = s->before[i] = s->free[i] = velocity;
  }
  return CPS_OK;
}

int32_t cps_nodals_place(CpsNodals* nodals) {
  for (int32_t i = 0; i < nodals->model.count; ++i) {
    if (!nodals->member[i]->there) return i;
  }
  if (nodals->model.count == nodals->capacity) {
    int32_t capacity = nodals->capacity ? 2 * nodals->capacity : 4;
    CpsNodal** grown = realloc(nodals->member, (size_t)capacity * sizeof *grown);
    if (!grown) return -1;
    nodals->member = grown;
    nodals->capacity = capacity;
  }
  CpsNodal* fresh = calloc(1, nodals->member_size);
  if (!fresh) return -1;
  nodals->member[nodals->model.count] = fresh;
  return nodals->model.count++;
}

void cps_nodals_settle(CpsNodals* nodals, int32_t place) {
  CpsNodal* s = nodals->member[place];
  s->generation = cps_generation_after(s->generation);
  s->there = true;
  nodals->model.there_count++;
}

void cps_nodals_remove(CpsNodals* nodals, int32_t place) {
  CpsNodal* s = nodals->member[place];
  uint32_t generation = s->generation;
  if (s->there) nodals->model.there_count--;
  free_member(s);
  memset(s, 0, nodals->member_size);
  s->generation = generation;
}

static CpsNodal* nodal_of(const CpsModel* model, int32_t body) {
  return ((const CpsNodals*)model)->member[body];
}

static int32_t body_dofs(const CpsModel* model, int32_t body) {
  return 3 * nodal_of(model, body)->nodes;
}

static uint32_t generation(const CpsModel* model, int32_t body) {
  return nodal_of(model, body)->generation;
}

static const char* label(const CpsModel* model, int32_t body) {
  return nodal_of(model, body)->name;
}

static bool is_there(const CpsModel* model, int32_t body) {
  return nodal_of(model, body)->there;
}

static double size(const CpsModel* model, int32_t body) {
  return nodal_of(model, body)->size;
}

static bool is_held(const CpsModel* model, int32_t body) {
  const CpsNodal* s = nodal_of(model, body);
  return s->hold_count > 0 || s->handled || s->pull_count > 0;
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  for (int32_t i = first; i < last; ++i) {
    if (nodal_of(model, i)->there) cps_nodal_begin(nodal_of(model, i), step);
  }
}

static int32_t broken(const CpsModel* model) {
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    if (s->there && s->broken) return i;
  }
  return -1;
}

static int32_t stalled(const CpsModel* model) {
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    if (s->there && s->stalled) return i;
  }
  return -1;
}

static int32_t collider_count(const CpsModel* model) {
  int32_t count = 0;
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    if (s->there && s->touches && !s->smooth.on) count += s->skin_count;
  }
  return count;
}

static void colliders(const CpsModel* model, const CpsModelStep* step, int32_t first_owner, CpsCollider* out) {
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    for (int32_t j = 0; s->there && s->touches && !s->smooth.on && j < s->skin_count; ++j) {
      const int32_t k = s->skin[j];
      CpsVec3 mean = cps_vec3_axpy(cps_vec3_scale(step->theta, s->free[k]), 1.0 - step->theta, s->before[k]);
      CpsVec3 way = s->held[k] ? s->way[k] : cps_vec3_scale(step->h, mean);
      double far = fmax(cps_vec3_norm(way), step->h * cps_vec3_norm(s->before[k]));
      *out++ = (CpsCollider){.geom = &s->geom,
                             .pose = {s->x[k], {1.0, 0.0, 0.0, 0.0}},
                             .reach = far + step->h * step->h * cps_vec3_norm(step->gravity),
                             .key = cps_key(model->type->kind, i, s->generation, k),
                             .owner = first_owner + i,
                             .group = s->group,
                             .node = true,
                             .centre = s->x[k],
                             .way = way};
    }
  }
}

static CpsSurface surface(const CpsModel* model, int32_t body, const CpsSpot* spot) {
  (void)spot;
  const CpsNodal* s = nodal_of(model, body);
  return (CpsSurface){s->generation, s->material, s->mu, s->restitution, NAN, {1.0, 0.0, 0.0}};
}

static bool surface_mesh(const CpsModel* model, const CpsModelStep* step, int32_t body, bool free,
                         CpsSurfaceMesh* mesh) {
  CpsNodal* s = nodal_of(model, body);
  if (!s->there || !s->tree) return false;
  const CpsVec3 *from = free ? s->x : s->end, *to = free ? s->try : s
    ->x;
  *mesh = (CpsSurfaceMesh){.tree = s->tree,
                           .start = from,
                           .end = to,
                           .held = s->held,
                           .half = s->half,
                           .itself = s->touches_itself && !s->smooth.on,
                           .closed = s->closed,
                           .group = s->group,
                           .guard = s->smooth.on,
                           .place = from};
  for (int32_t k = 0; free && k < s->nodes; ++k) {
    CpsVec3 mean = cps_vec3_axpy(cps_vec3_scale(step->theta, s->free[k]), 1.0 - step->theta, s->before[k]);
    s->try[k] = cps_vec3_add(s->x[k], s->held[k] ? s->way[k] : cps_vec3_scale(step->h, mean));
  }
  return true;
}

static bool smooth_mesh(const CpsModel* model, const CpsModelStep* step, int32_t body, bool free, CpsSmoothMesh* mesh) {
  CpsNodal* s = nodal_of(model, body);
  if (!s->there || !s->touches || !s->smooth.on) return false;
  const CpsVec3 *from = free ? s->x : s->end, *to = free ? s->try : s
    ->x;
  *mesh = (CpsSmoothMesh){.smooth = s->smooth,
                          .triangle_count = s->triangle_count,
                          .triangle = s->triangle,
                          .x = from,
                          .end = to,
                          .rest = s->rest,
                          .rest_middle = s->rest_middle,
                          .around_start = s->around_start,
                          .around = s->around,
                          .skin_count = s->skin_count,
                          .skin = s->skin,
                          .work = s->work,
                          .ball = &s->geom,
                          .half = s->half,
                          .box = {from[s->skin[0]], from[s->skin[0]]},
                          .group = s->group};
  for (int32_t i = 0; i < s->skin_count; ++i) {
    const int32_t k = s->skin[i];
    if (free) {
      CpsVec3 mean = cps_vec3_axpy(cps_vec3_scale(step->theta, s->free[k]), 1.0 - step->theta, s->before[k]);
      s->try[k] = cps_vec3_add(s->x[k], s->held[k] ? s->way[k] : cps_vec3_scale(step->h, mean));
    }
    mesh->drift = cps_vec3_axpy(mesh->drift, 1.0 / s->skin_count, cps_vec3_sub(to[k], from[k]));
    mesh->box = cps_aabb_union(mesh->box, (CpsAabb){from[k], from[k]});
    mesh->box = cps_aabb_union(mesh->box, (CpsAabb){to[k], to[k]});
  }
  return true;
}

static CpsSurfaceNode node_of(const CpsModel* model, int32_t body, int32_t node) {
  const CpsNodal* s = nodal_of(model, body);
  return (CpsSurfaceNode){s->node_mass[node], s->end[node], s->x[node], s->v[node]};
}

static void put_node(CpsModel* model, int32_t body, int32_t node, CpsVec3 place, CpsVec3 velocity_) {
  CpsNodal* s = nodal_of(model, body);
  s->x[node] = place;
  s->v[node] = velocity_;
}

static int64_t read(const CpsModel* model, int32_t body, CpsQuantity quantity, double* values, size_t stride) {
  const CpsNodal* s = nodal_of(model, body);
  const CpsVec3* from = quantity == CPS_QUANTITY_POSITION ? s->x : quantity == CPS_QUANTITY_VELOCITY ? s->v : NULL;
  if (!from) return 0;
  char* at = (char*)values;
  for (int32_t i = 0; values && i < s->vertex_count; ++i, at += stride) {
    cps_vec3_put((double*)(void*)at, from[s->node[i]]);
  }
  return s->vertex_count;
}

// Vertices sewn together share a node, so there may be fewer nodes than vertices.
static bool view(const CpsModel* model, int32_t body, CpsQuantity quantity, CpsArrayView* out) {
  const CpsNodal* s = nodal_of(model, body);
  const CpsVec3* from = quantity == CPS_QUANTITY_POSITION ? s->x : quantity == CPS_QUANTITY_VELOCITY ? s->v : NULL;
  *out = (CpsArrayView){.data = from, .width = 3, .count = s->vertex_count, .stride = sizeof *from};
  for (int32_t i = 0; i < s->vertex_count; ++i) {
    if (s->node[i] != i) return false;
  }
  return from != NULL;
}

static void write(CpsModel* model, int32_t body, CpsQuantity quantity, int64_t entry, const double* value) {
  CpsNodal* s = nodal_of(model, body);
  (quantity == CPS_QUANTITY_POSITION ? s->x : s->v)[s->node[entry]] = cps_vec3_get(value);
}

static int patch(const CpsModel* model, int32_t body, int32_t piece, CpsPatchNode* out, CpsVec3* point) {
  const CpsNodal* s = nodal_of(model, body);
  *point = s->x[piece];
  *out = (CpsPatchNode){piece, cps_mat3_identity(), 1.0};
  return 1;
}

static void locate(const CpsModel* model, int32_t body, const CpsSpot* spot, bool advanced, CpsSide* side) {
  (void)advanced;
  cps_nodal_locate(nodal_of(model, body), spot, side);
}

static CpsLargeMass mass_of(const CpsModel* model, int32_t body) {
  const CpsNodal* s = nodal_of(model, body);
  const CpsBlockPattern* p = s->pattern;
  if (!s->there) return (CpsLargeMass){0};
  return (CpsLargeMass){p->rows, p->start, p->col, s->mass, s->held, s->factor, s->version};
}

static CpsVec3 velocity(const CpsModel* model, int32_t body, const CpsSpot* spot, CpsVelocity which) {
  const CpsNodal* s = nodal_of(model, body);
  const CpsVec3* v = which == CPS_VELOCITY_BEFORE ? s->before : which == CPS_VELOCITY_FREE ? s->free : s->v;
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < spot->patch_count; ++i) {
    const CpsPatchNode* n = &spot->patch[i];
    sum = cps_vec3_add(sum, cps_mat3_apply(n->weight, v[n->node]));
  }
  return sum;
}

static CpsVec3 driven(const CpsModel* model, int32_t body, const CpsSpot* spot) {
  const CpsNodal* s = nodal_of(model, body);
  CpsVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t i = 0; i < spot->patch_count; ++i) {
    const CpsPatchNode* n = &spot->patch[i];
    if (s->held[n->node]) sum = cps_vec3_add(sum, cps_mat3_apply(n->weight, s->v[n->node]));
  }
  return sum;
}

static CpsVec3 drift(const CpsModel* model, const CpsModelStep* step, int32_t body, const CpsSpot* spot) {
  return cps_vec3_scale((1.0 - step->theta) * step->h, velocity(model, body, spot, CPS_VELOCITY_BEFORE));
}

static bool attempt(CpsModel* model, const CpsModelStep* step, int32_t body, const double* dv, const double* impulse) {
  return cps_nodal_attempt(nodal_of(model, body), step, dv, impulse);
}

static void push(CpsModel* model, CpsPool* pool, int32_t body, const double* impulse) {
  cps_nodal_push(nodal_of(model, body), pool, impulse);
}

static void lump(CpsModel* model, CpsPool* pool, int32_t body, const double* impulse) {
  cps_nodal_lump(nodal_of(model, body), pool, impulse);
}

static void take_velocities(CpsModel* model, int32_t body, const double* dv, const double* impulse) {
  cps_nodal_take(nodal_of(model, body), dv, impulse);
}

static void fly(CpsModel* model, const CpsModelStep* step, int32_t body) {
  if (nodal_of(model, body)->there) cps_nodal_fly(nodal_of(model, body), step);
}

static bool is_zero(CpsVec3 v) {
  return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

// Leaves vertices alone that are held, or that the air moves.
static bool halt(CpsModel* model, int32_t body, double speed) {
  CpsNodal* s = nodal_of(model, body);
  if (!s->there || s->airy || is_held(model, body)) return false;
  bool stood = true;
  for (int32_t i = 0; i < s->nodes; ++i) {
    if (!(cps_vec3_dot(s->v[i], s->v[i]) <= speed * speed)) return false;
    stood = stood && is_zero(s->before[i]);
  }
  memset(s->v, 0, (size_t)s->nodes * sizeof *s->v);
  return stood;
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  for (int32_t i = first; i < last; ++i) {
    CpsNodal* s = nodal_of(model, i);
    if (!s->there) continue;
    cps_nodal_advance(s, step);
    double sum = 0.0;
    for (int32_t k = 0; k < s->nodes; ++k) {
      sum += 0.0 * (s->x[k].x + s->x[k].y + s->x[k].z + s->v[k].x + s->v[k].y + s->v[k].z);
    }
    s->broken = s->broken || sum != 0.0;
  }
}

static int64_t place_size(const CpsModel* model, int32_t body) {
  return 3 * (int64_t)nodal_of(model, body)->nodes;
}

static void keep_place(const CpsModel* model, int32_t body, double* numbers) {
  const CpsNodal* s = nodal_of(model, body);
  memcpy(numbers, s->x, (size_t)s->nodes * sizeof *s->x);
}

static void put_back(CpsModel* model, int32_t body, const double* numbers) {
  CpsNodal* s = nodal_of(model, body);
  memcpy(s->x, numbers, (size_t)s->nodes * sizeof *s->x);
}

static void slow(CpsModel* model, int32_t body, double factor, const CpsRigidMotion* common,
                 const CpsRigidMotion* more) {
  CpsNodal* s = nodal_of(model, body);
  for (int32_t i = 0; i < s->nodes; ++i) {
    CpsVec3 V = cps_rigid_motion_at(common, s->x[i]);
    CpsVec3 v = cps_vec3_axpy(V, factor, cps_vec3_sub(s->v[i], V));
    s->v[i] = cps_vec3_add(v, cps_rigid_motion_at(more, s->x[i]));
  }
}

static void energy(const CpsModel* model, const CpsModelStep* step, bool stepped, int32_t first, int32_t last,
                   CpsModelEnergy* out) {
  for (int32_t i = first; i < last; ++i) {
    CpsNodal* s = nodal_of(model, i);
    if (!s->there) continue;
    for (int32_t k = 0; k < s->nodes; ++k) {
      const double m = s->node_mass[k];
      out->kinetic += 0.5 * m * cps_vec3_dot(s->v[k], s->v[k]);
      if (s->gravity) out->potential -= m * cps_vec3_dot(step->gravity, s->x[k]);
    }
    out->elastic += cps_nodal_forces(s, step->pool, s->x)->energy;
    for (int32_t k = 0; k < s->pull_count; ++k) {
      double stored = cps_nodal_pull_stored(s, &s->pulls[k]);
      out->elastic += stored;
      out->springs += stored;
    }
    if (!stepped) continue;
    out->external += s->work_done.external;
    out->damping += s->work_done.damping;
    out->ends += s->work_done.ends;
    out->linearisation += s->work_done.linearisation;
    out->scheme += s->work_done.scheme;
    out->turnover += s->work_done.turnover;
    out->grain += s->grain;
  }
}

static void momentum(const CpsModel* model, int32_t first, int32_t last, CpsVec3* linear, CpsVec3* angular) {
  for (int32_t i = first; i < last; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    for (int32_t k = 0; s->there && k < s->nodes; ++k) {
      CpsVec3 p = cps_vec3_scale(s->node_mass[k], s->v[k]);
      *linear = cps_vec3_add(*linear, p);
      *angular = cps_vec3_add(*angular, cps_vec3_cross(s->x[k], p));
    }
  }
}

static void weigh(const CpsModel* model, int32_t first, int32_t last, double* mass) {
  for (int32_t i = first; i < last; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    for (int32_t k = 0; s->there && k < s->nodes; ++k) *mass += s->node_mass[k];
  }
}

static void inertia(const CpsModel* model, int32_t body, CpsVec3* first, CpsMat3* second) {
  const CpsNodal* s = nodal_of(model, body);
  for (int32_t k = 0; k < s->nodes; ++k) {
    const double m = s->node_mass[k];
    CpsVec3 x = s->x[k];
    *first = cps_vec3_axpy(*first, m, x);
    CpsMat3 square = cps_mat3_axpy(cps_mat3_scale(cps_vec3_dot(x, x), cps_mat3_identity()), -1.0, cps_mat3_outer(x, x));
    *second = cps_mat3_axpy(*second, m, square);
  }
}

static double reach(const CpsModel* model, CpsVec3 from) {
  double far = 0.0;
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    for (int32_t k = 0; s->there && k < s->nodes; ++k) {
      far = fmax(far, cps_vec3_norm(cps_vec3_sub(s->x[k], from)) + s->geom.radius);
    }
  }
  return far;
}

static uint64_t hash(const CpsModel* model, uint64_t hash) {
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    if (!s->there) continue;
    hash = cps_hash_bytes(hash, s->x, (size_t)s->nodes * sizeof *s->x);
    hash = cps_hash_bytes(hash, s->v, (size_t)s->nodes * sizeof *s->v);
  }
  return hash;
}

// Positions and velocities, the state of each node under the caller's control (held, released or neither, where and from when on), and the
// origin of an M~ that serves the next step: all zeros if none does.
enum { STATE_DOUBLES = 18, HAND_DOUBLES = 5, MASS_DOUBLES = 3 };

static size_t state_size(const CpsModel* model) {
  size_t size_ = 0;
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    if (!s->there) continue;
    size_ += (STATE_DOUBLES * (size_t)s->nodes + MASS_DOUBLES) * sizeof(double) + cps_nodal_late_size(s);
  }
  return size_;
}

void cps_nodal_mass_copy(CpsNodalMass* to, const CpsNodalMass* from, int32_t nodes) {
  to->h = from->h;
  to->theta = from->theta;
  to->kind = from->kind;
  memcpy(to->end, from->end, (size_t)nodes * sizeof *to->end);
  memcpy(to->middle, from->middle, (size_t)nodes * sizeof *to->middle);
  memcpy(to->held, from->held, (size_t)nodes * sizeof *to->held);
}

static bool is_same_mass(const CpsNodalMass* a, const CpsNodalMass* b, int32_t nodes) {
  return a->h == b->h && a->theta == b->theta && a->kind == b->kind &&
         memcmp(a->held, b->held, (size_t)nodes * sizeof *a->held) == 0 &&
         memcmp(a->end, b->end, (size_t)nodes * sizeof *a->end) == 0 &&
         memcmp(a->middle, b->middle, (size_t)nodes * sizeof *a->middle) == 0;
}

static char* put(char* at, const void* from, size_t bytes) {
  memcpy(at, from, bytes);
  return at + bytes;
}

static const char* get(const char* at, void* to, size_t bytes) {
  memcpy(to, at, bytes);
  return at + bytes;
}

static char* save_mass(const CpsNodal* s, char* at) {
  const CpsNodalMass* mass = s->due ? &s->saved : &s->made;
  const size_t part = (size_t)s->nodes * sizeof(CpsVec3);
  if (!s->serves) {
    const size_t all = 2 * part + ((size_t)s->nodes + MASS_DOUBLES) * sizeof(double);
    memset(at, 0, all);
    return at + all;
  }
  const double head[MASS_DOUBLES] = {mass->h, mass->theta, (double)mass->kind};
  at = put(at, head, sizeof head);
  at = put(at, mass->end, part);
  at = put(at, mass->middle, part);
  for (int32_t k = 0; k < s->nodes; ++k) {
    const double held = mass->held[k] ? 1.0 : 0.0;
    at = put(at, &held, sizeof held);
  }
  return at;
}

// Keeps the existing factor if it belongs to the same M~.
static const char* load_mass(CpsNodal* s, const char* at) {
  CpsNodalMass* mass = &s->saved;
  const size_t part = (size_t)s->nodes * sizeof(CpsVec3);
  double head[MASS_DOUBLES];
  at = get(at, head, sizeof head);
  mass->h = head[0];
  mass->theta = head[1];
  mass->kind = head[2] == (double)CPS_HESSIAN_EXACT ? CPS_HESSIAN_EXACT : CPS_HESSIAN_CLAMPED;
  at = get(at, mass->end, part);
  at = get(at, mass->middle, part);
  for (int32_t k = 0; k < s->nodes; ++k) {
    double held;
    at = get(at, &held, sizeof held);
    mass->held[k] = held != 0.0;
  }
  s->serves = mass->h > 0.0;
  s->due = s->serves && !is_same_mass(mass, &s->made, s->nodes);
  return at;
}

static void save(const CpsModel* model, void* bytes) {
  char* at = bytes;
  for (int32_t i = 0; i < model->count; ++i) {
    const CpsNodal* s = nodal_of(model, i);
    if (!s->there) continue;
    const size_t part = (size_t)s->nodes * sizeof(CpsVec3);
    at = put(at, s->x, part);
    at = put(at, s->v, part);
    for (int32_t k = 0; k < s->nodes; ++k) {
      const CpsVec3 x = s->hand[k] == CPS_NODE_HELD ? s->hand_place[k] : cps_vec3(0.0, 0.0, 0.0);
      const double time = s->hand[k] == CPS_NODE_HELD ? s->hand_time[k] : 0.0;
      const double hand[HAND_DOUBLES] = {(double)s->hand[k], x.x, x.y, x.z, time};
      at = put(at, hand, sizeof hand);
    }
    at = cps_nodal_late_save(s, save_mass(s, at));
  }
}

static CpsStatus check(const CpsModel* model, const void* bytes, size_t size_, CpsError* error) {
  for (size_t k = 0; k < size_ / sizeof(double); ++k) {
    double x;
    memcpy(&x, (const char*)bytes + k * sizeof x, sizeof x);
    if (!isfinite(x))
      return cps_fail(error, CPS_BAD_DATA, "value %zu of a %s in the state is not finite", k, model->type->name);
  }
  return CPS_OK;
}

static void load(CpsModel* model, const void* bytes) {
  const char* at = bytes;
  for (int32_t i = 0; i < model->count; ++i) {
    CpsNodal* s = nodal_of(model, i);
    if (!s->there) continue;
    const size_t part = (size_t)s->nodes * sizeof(CpsVec3);
    at = get(at, s->x, part);
    at = get(at, s->v, part);
    memcpy(s->before, s->v, part);
    s->broken = s->handled = false;
    for (int32_t k = 0; k < s->nodes; ++k) {
      double hand[HAND_DOUBLES];
      at = get(at, hand, sizeof hand);
      s->hand[k] = hand[0] == CPS_NODE_HELD       ? CPS_NODE_HELD
                   : hand[0] == CPS_NODE_RELEASED ? CPS_NODE_RELEASED
                                                  : CPS_NODE_AS_PINNED;
      s->hand_place[k] = cps_vec3(hand[1], hand[2], hand[3]);
      s->hand_time[k] = hand[4];
      s->handled = s->handled || s->hand[k] != CPS_NODE_AS_PINNED;
    }
    at = cps_nodal_late_load(s, load_mass(s, at));
  }
}

static const CpsModelType NODALS = {
    .destroy = destroy,
    .generation = generation,
    .label = label,
    .is_there = is_there,
    .size = size,
    .is_held = is_held,
    .dofs = body_dofs,
    .begin = begin,
    .broken = broken,
    .stalled = stalled,
    .collider_count = collider_count,
    .colliders = colliders,
    .surface = surface,
    .surface_mesh = surface_mesh,
    .smooth_mesh = smooth_mesh,
    .node = node_of,
    .put_node = put_node,
    .locate = locate,
    .check_pull = cps_nodals_check_pull,
    .reserve_pulls = cps_nodals_reserve_pulls,
    .let_go = cps_nodals_let_go,
    .pull = cps_nodals_pull,
    .pull_stored = cps_nodals_pull_stored,
    .pull_rest = cps_nodals_pull_rest,
    .pull_force = cps_nodals_pull_force,
    .patch = patch,
    .mass = mass_of,
    .attempt = attempt,
    .push = push,
    .lump = lump,
    .take = take_velocities,
    .fly = fly,
    .velocity = velocity,
    .driven = driven,
    .drift = drift,
    .anchor = cps_nodals_anchor,
    .check_anchor = cps_nodals_check_anchor,
    .is_pinned = cps_nodals_is_pinned,
    .turning = cps_nodals_turning,
    .along = cps_nodals_along,
    .nearest = cps_nodals_nearest,
    .halt = halt,
    .advance = advance,
    .slow = slow,
    .place_size = place_size,
    .keep_place = keep_place,
    .put_back = put_back,
    .energy = energy,
    .momentum = momentum,
    .weigh = weigh,
    .inertia = inertia,
    .read = read,
    .view = view,
    .write = write,
    .reach = reach,
    .hash = hash,
    .state_size = state_size,
    .save = save,
    .check = check,
    .load = load,
};
