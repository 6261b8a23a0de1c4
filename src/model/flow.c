// Dense granular flow in a fixed domain, as a model. Its one member has the nodes of the elements and adds the stresses at their
// vertices as blocks of its own. Only velocities change; forces are linear, so the first round of a step is the last.
#include "model/flow.h"

#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 2000, NODES_MOST = 20000000 };
static const int FLOW_COOKIE = 0x0c0517f1;

CpsFlowDef cps_flow_def_default(void) {
  return (CpsFlowDef){.cells_x = 1,
                      .cells_z = 1,
                      .density = 2600.0,
                      .fraction = 0.6,
                      .mu = 0.5,
                      .mu_fast = 0.7,
                      .I_0 = 0.3,
                      .cookie = FLOW_COOKIE};
}

static bool is_finite(CpsVec3 x) {
  return isfinite(x.x) && isfinite(x.y) && isfinite(x.z);
}

// Nodes along an axis (2 per element) or vertices (1).
static int64_t along(int32_t cells, bool periodic, int per) {
  return (int64_t)per * cells + (periodic ? 0 : 1);
}

// Number of all; saturates at INT64_MAX.
static int64_t count_all(const CpsFlowDef* def, int per, int64_t count[3]) {
  count[0] = along(def->cells_x, def->periodic, per);
  count[1] = along(def->cells_y, false, per);
  count[2] = along(def->cells_z, false, per);
  const double all = (double)count[0] * (double)count[1] * (double)count[2];
  return all < 9e18 ? count[0] * count[1] * count[2] : INT64_MAX;
}

static CpsStatus check_border(const CpsFlowDef* def, CpsError* error) {
  static const char* const NAME[CPS_FLOW_SIDES] = {"left", "right", "bottom", "top", "front", "back"};
  for (int side = def->periodic ? 2 : 0; side < (def->cells_y > 0 ? 6 : 4); ++side) {
    const CpsFlowBorder* b = cps_flow_border(def, side);
    if (b->kind != CPS_FLOW_OPEN && b->kind != CPS_FLOW_NO_SLIP && b->kind != CPS_FLOW_SLIP &&
        b->kind != CPS_FLOW_VELOCITY) {
      return cps_fail(error, CPS_BAD_ARGUMENT, "the %s border has the unknown kind %d", NAME[side], (int)b->kind);
    }
    if (!is_finite(b->velocity) || !isfinite(b->pressure)) {
      return cps_fail(error, CPS_BAD_DATA, "the velocity or the pressure of the %s border is not finite", NAME[side]);
    }
  }
  return CPS_OK;
}

CpsStatus cps_flow_check(const CpsFlowDef* def, CpsError* error) {
  if (def->cookie != FLOW_COOKIE) {
    return cps_fail(error, CPS_BAD_ARGUMENT, "def was not initialised by cps_flow_def_default()");
  }
  const bool space = def->cells_y > 0;
  if (!is_finite(def->lower) || !is_finite(def->upper) ||
      !(def->lower.x < def->upper.x && def->lower.z < def->upper.z && (!space || def->lower.y < def->upper.y))) {
    return cps_fail(error, CPS_BAD_DATA, "the domain is empty: `lower` must be below `upper` along x%s and z",
                    space ? ", y" : "");
  }
  if (def->cells_x < (def->periodic ? 2 : 1) || def->cells_z < 1 || def->cells_x > CELLS_MOST ||
      def->cells_z > CELLS_MOST || def->cells_y < 0 || def->cells_y > CELLS_MOST) {
    return cps_fail(error, CPS_BAD_DATA,
                    "%d x %d x %d cells: along x there must be %s to %d, along y 0 to %d, along z 1 to %d",
                    (int)def->cells_x, (int)def->cells_y, (int)def->cells_z, def->periodic ? "2" : "1", (int)CELLS_MOST,
                    (int)CELLS_MOST, (int)CELLS_MOST);
  }
  if (!(def->density > 0.0) || !isfinite(def->density) || !(def->fraction > 0.0 && def->fraction <= 1.0)) {
    return cps_fail(error, CPS_BAD_DATA, "density = %g must be positive and fraction = %g in (0, 1]", def->density,
                    def->fraction);
  }
  if (!(def->mu >= 0.0) || !isfinite(def->mu) || !(def->viscosity >= 0.0) || !isfinite(def->viscosity) ||
      !(def->cohesion >= 0.0) || !isfinite(def->cohesion)) {
    return cps_fail(error, CPS_BAD_DATA, "mu = %g, viscosity = %g and cohesion = %g must be finite and not negative",
                    def->mu, def->viscosity, def->cohesion);
  }
  if (!(def->grain >= 0.0) || !isfinite(def->grain) ||
      (def->grain > 0.0 &&
       (!(def->mu_fast >= def->mu) || !isfinite(def->mu_fast) || !(def->I_0 > 0.0) || !isfinite(def->I_0)))) {
    return cps_fail(error, CPS_BAD_DATA, "grain = %g must not be negative, mu_fast = %g at least mu, I_0 = %g positive",
                    def->grain, def->mu_fast, def->I_0);
  }
  // element modes without any stress, resisted only by a viscosity
  if (def->mu > 0.0 && def->viscosity == 0.0 && !(def->grain > 0.0 && def->mu_fast > def->mu)) {
    return cps_fail(
        error, CPS_BAD_DATA,
        "viscosity is 0, and friction alone leaves some motions of the elements free: set a viscosity that is small "
        "compared with mu * pressure / shear rate, or mu_i");
  }
  if (!(def->disc_radius >= 0.0) || !isfinite(def->disc_radius) || !is_finite(def->disc_centre) ||
      !is_finite(def->disc_velocity)) {
    return cps_fail(error, CPS_BAD_DATA, "the radius, centre or velocity of the disc is not finite");
  }
  int64_t count[3];
  if (count_all(def, 2, count) > NODES_MOST) {
    return cps_fail(error, CPS_BAD_DATA, "%d x %d x %d cells have too many nodes: at most %d are possible",
                    (int)def->cells_x, (int)def->cells_y, (int)def->cells_z, (int)NODES_MOST);
  }
  return check_border(def, error);
}

int64_t cps_flow_point_count(const CpsFlowDef* def) {
  int64_t count[3];
  return def ? count_all(def, 1, count) : 0;
}

// Measured as the largest memory of a process in its first steps: 19, 80 and 166 MB for 561, 2 145 and 4 753 nodes in the
// plane, 84, 226 and 1 040 MB for 931, 2 025 and 6 253 nodes in space. Most of it is the sparse factor of the solver, which
// in the plane grows little faster than the nodes, in space with their power 4/3 (nested dissection).
int64_t cps_flow_memory(const CpsFlowDef* def, int64_t* elements) {
  static const double ANY = 5e6, PLANE = 38e3, SPACE = 6e3,
                      SPACE_FACTOR = 9e3;  // bytes; of a node; for each node^(4/3)
  if (elements) *elements = 0;
  if (!def) return 0;
  int64_t count[3];
  const bool space = def->cells_y > 0;
  const double nodes = (double)count_all(def, 2, count);
  const double count_of = (double)def->cells_x * def->cells_z * (space ? def->cells_y : 1);
  const double bytes = ANY + (space ? SPACE * nodes + SPACE_FACTOR * pow(nodes, 4.0 / 3.0) : PLANE * nodes);
  if (elements) *elements = count_of < 9e18 ? (int64_t)count_of : INT64_MAX;
  return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

CpsStatus cps_flow_build(CpsFlow* f, const CpsFlowDef* def, CpsError* error) {
  const bool space = def->cells_y > 0;
  f->def = *def;
  f->def.name = NULL;
  f->name = def->name ? strdup(def->name) : NULL;
  f->dim = space ? 3 : 2;
  f->rows = cps_tensor_rows(f->dim);
  f->own_nodes = space ? 27 : 9;
  f->own_corners = space ? 8 : 4;
  f->seen_most = space ? CPS_FLOW_SEEN : 25;
  f->cells[0] = def->cells_x, f->cells[1] = space ? def->cells_y : 1, f->cells[2] = def->cells_z;
  f->edge[0] = (def->upper.x - def->lower.x) / def->cells_x;
  f->edge[1] = space ? (def->upper.y - def->lower.y) / def->cells_y : 1.0;
  f->edge[2] = (def->upper.z - def->lower.z) / def->cells_z;
  f->elements = f->cells[0] * f->cells[1] * f->cells[2];
  int64_t node_count[3], vertex_count[3];
  f->nodes = (int32_t)count_all(def, 2, node_count);
  f->vertices = (int32_t)count_all(def, 1, vertex_count);
  for (int k = 0; k < 3; ++k) {
    f->node_count[k] = (int32_t)node_count[k];
    f->vertex_count[k] = (int32_t)vertex_count[k];
  }
  if ((def->name && !f->name) || !cps_flow_lay(f)) {
    cps_arena_free(&f->arena);
    cps_arena_free(&f->factor_arena);
    f->factor = NULL;
    f->nodes = f->vertices = 0;
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for a flow of %d x %d x %d cells", (int)f->cells[0],
                    (int)f->cells[1], (int)f->cells[2]);
  }
  f->model.count = f->model.there_count = 1;
  return CPS_OK;
}

static void destroy(CpsModel* model) {
  CpsFlow* f = (CpsFlow*)model;
  free(f->name);
  cps_arena_free(&f->arena);
  cps_arena_free(&f->factor_arena);
  free(f);
}

static uint32_t generation(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return 1;
}

static const char* label(const CpsModel* model, int32_t member) {
  (void)member;
  return ((const CpsFlow*)model)->name;
}

static bool is_there(const CpsModel* model, int32_t member) {
  (void)member;
  return ((const CpsFlow*)model)->nodes > 0;
}

// Borders exchange momentum with the flow.
static bool is_held(const CpsModel* model, int32_t member) {
  (void)model, (void)member;
  return true;
}

static void begin(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  CpsFlow* f = (CpsFlow*)model;
  if (first == last || f->nodes == 0) return;
  memcpy(f->before, f->v, (size_t)f->nodes * sizeof *f->v);
  cps_flow_thicken(f);
  f->broken = !cps_flow_predict(f, step);
}

static int32_t broken(const CpsModel* model) {
  return ((const CpsFlow*)model)->broken ? 0 : -1;
}

static CpsSurface surface(const CpsModel* model, int32_t member, const CpsSpot* spot) {
  (void)model, (void)spot;
  return (CpsSurface){generation(model, member), 0, NAN, 0.0, NAN, {1.0, 0.0, 0.0}};
}

static const CpsVec3* velocities(const CpsFlow* f, CpsVelocity which) {
  return which == CPS_VELOCITY_BEFORE ? f->before : which == CPS_VELOCITY_FREE ? f->free : f->after;
}

static CpsVec3 velocity(const CpsModel* model, int32_t member, const CpsSpot* spot, CpsVelocity which) {
  (void)member;
  return cps_spot_velocity(spot, velocities((const CpsFlow*)model, which));
}

static CpsLargeMass mass_of(const CpsModel* model, int32_t member) {
  (void)member;
  const CpsFlow* f = (const CpsFlow*)model;
  return (CpsLargeMass){f->nodes, f->M_start, f->M_column, f->M_value, f->held, f->factor, f->version};
}

static int patch(const CpsModel* model, int32_t member, int32_t piece, CpsPatchNode* nodes, CpsVec3* point) {
  (void)member;
  *point = cps_flow_node_place((const CpsFlow*)model, piece);
  *nodes = (CpsPatchNode){piece, cps_mat3_identity(), 1.0};
  return 1;
}

static bool attempt(CpsModel* model, const CpsModelStep* step, int32_t member, const double* dv,
                    const double* impulse) {
  (void)step, (void)member, (void)impulse;
  CpsFlow* f = (CpsFlow*)model;
  for (int32_t i = 0; i < f->nodes; ++i) {
    f->after[i] = cps_vec3_add(f->free[i], cps_vec3_get(dv + 3 * (int64_t)i));
    if (f->dim == 2) f->after[i].y = 0.0;
  }
  return true;
}

static void fly(CpsModel* model, const CpsModelStep* step, int32_t member) {
  (void)step, (void)member;
  CpsFlow* f = (CpsFlow*)model;
  memcpy(f->after, f->free, (size_t)f->nodes * sizeof *f->after);
}

static int32_t block_count(const CpsModel* model, int32_t member) {
  (void)member;
  return ((const CpsFlow*)model)->stress_count;
}

static void block(const CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, CpsOwnBlock* out) {
  (void)member;
  const CpsFlow* f = (const CpsFlow*)model;
  const int32_t vertex = f->stress_vertex[i];
  const CpsFlowStress* s = &f->stress[vertex];
  *out = (CpsOwnBlock){.rows = f->rows, .mu = cps_tensor_mu(f->dim, f->def.mu)};
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) out->nodes += !f->held[f->seen[k]];
  for (int k = 0; k < f->rows; ++k) {
    out->guess[k] = sqrt(2.0 * s->S) * step->h * (s->lambda[k] + (k == 0 ? cps_flow_first(f, f->def.cohesion) : 0.0));
  }
}

// The rows of a node in a stress; components fixed at zero are left out.
static void rows_of(const CpsFlow* f, int32_t vertex, int64_t k, double* A) {
  const int32_t node = f->seen[k];
  cps_tensor_block(f->dim, cps_vec3_scale(sqrt(2.0 / f->stress[vertex].S), f->gradient[k]), A);
  for (int a = 0; !f->held[node] && a < 3 * f->rows; ++a) {
    if (f->fixed[a % 3][node]) A[a] = 0.0;
  }
}

static void block_terms(const CpsModel* model, int32_t member, int32_t i, int32_t* node, double* A) {
  (void)member;
  const CpsFlow* f = (const CpsFlow*)model;
  const int32_t vertex = f->stress_vertex[i];
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) {
    if (f->held[f->seen[k]]) continue;
    *node++ = f->seen[k];
    rows_of(f, vertex, k, A);
    A += 3 * f->rows;
  }
}

static void block_velocity(const CpsModel* model, int32_t member, int32_t i, CpsVelocity which, double* u) {
  (void)member;
  const CpsFlow* f = (const CpsFlow*)model;
  const CpsVec3* v = velocities(f, which);
  const int32_t vertex = f->stress_vertex[i];
  for (int a = 0; a < f->rows; ++a) u[a] = 0.0;
  for (int64_t k = f->seen_start[vertex]; k < f->seen_start[vertex + 1]; ++k) {
    double A[18];
    rows_of(f, vertex, k, A);
    const CpsVec3 w = v[f->seen[k]];
    for (int a = 0; a < f->rows; ++a) u[a] += A[3 * a] * w.x + A[3 * a + 1] * w.y + A[3 * a + 2] * w.z;
  }
}

static void block_done(CpsModel* model, const CpsModelStep* step, int32_t member, int32_t i, const double* r,
                       CpsContactStatus status) {
  (void)member;
  CpsFlow* f = (CpsFlow*)model;
  CpsFlowStress* s = &f->stress[f->stress_vertex[i]];
  s->status = (uint8_t)status;
  const double scale = 1.0 / (sqrt(2.0 * s->S) * step->h);
  for (int k = 0; k < f->rows; ++k) s->lambda[k] = scale * r[k];
  s->lambda[0] -= cps_flow_first(f, f->def.cohesion);
}

static double node_size(const CpsModel* model, int32_t member) {
  (void)member;
  const CpsFlow* f = (const CpsFlow*)model;
  const double least = fmin(f->edge[0], f->edge[2]);
  return 0.5 * (f->dim == 3 ? fmin(least, f->edge[1]) : least);
}

static uint64_t node_key(const CpsModel* model, int32_t member, int32_t node) {
  (void)model, (void)member;
  return (uint64_t)node;
}

static void advance(CpsModel* model, const CpsModelStep* step, int32_t first, int32_t last) {
  (void)step;
  CpsFlow* f = (CpsFlow*)model;
  if (first == last || f->broken) return;
  double sum = 0.0;
  for (int32_t i = 0; i < f->nodes; ++i) {
    f->v[i] = f->after[i];
    sum += 0.0 * cps_vec3_dot(f->v[i], f->v[i]);
  }
  f->broken = sum != 0.0;
}

CpsFlow* cps_flow_create(void) {
  CpsFlow* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->table = cps_model_nothing;
  f->table.name = "flow";
  f->table.kind = CPS_THING_FLOW;
  f->table.destroy = destroy;
  f->table.generation = generation;
  f->table.label = label;
  f->table.is_there = is_there;
  f->table.is_held = is_held;
  f->table.begin = begin;
  f->table.broken = broken;
  f->table.surface = surface;
  f->table.velocity = velocity;
  f->table.mass = mass_of;
  f->table.patch = patch;
  f->table.block_count = block_count;
  f->table.block = block;
  f->table.block_terms = block_terms;
  f->table.block_velocity = block_velocity;
  f->table.block_done = block_done;
  f->table.node_size = node_size;
  f->table.node_key = node_key;
  f->table.attempt = attempt;
  f->table.fly = fly;
  f->table.advance = advance;
  cps_flow_fill_table(&f->table);
  f->model.type = &f->table;
  return f;
}
