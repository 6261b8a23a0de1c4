// A random dense pack of spheres pressed into a box.
//
// Spheres of unequal radius are placed at random in a box with little more room than their volume and pushed apart,
// pair by pair, until overlaps are small (position-based relaxation). Pairs and walls are then sorted by their gap, and
// the closest contact_count become contacts. Every sphere falls for one step, is pressed towards the middle of the
// floor and has its own velocity. The walls are at rest, so u = 0 is feasible (nothing moves) and a solution exists.
// With three contacts per sphere there are 1.5 times as many rows as degrees of freedom. Model and numbers:
// docs/reference/generated-problems.md.
#include "core/error.h"
#include "friction/generate/generated.h"

#include <stdlib.h>

// m, kg, s
static const double RADIUS = 0.01, DENSITY = 2500.0, STEP = 1e-3;
static const double FILLING = 0.6;  // volume of the spheres over that of the box; random close packing is 0.64
static const double CONTACTS_PER_SPHERE = 3.0;
enum { RELAXATION_SWEEPS = 60, WALLS = 6 };

typedef struct Pack {
  int32_t count;
  double edge;  // of the box [0, edge]^3
  double largest;
  CpsVec3* x;
  double* radius;
} Pack;

typedef struct Gap {
  double gap;
  int32_t a, b;  // a < 0: wall -1 - a
} Gap;

static int compare_gap(const void* left, const void* right) {
  const Gap *p = left, *q = right;
  if (p->gap != q->gap) return p->gap < q->gap ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->a < q->a ? -1 : p->a > q->a;
}

static int compare_place(const void* left, const void* right) {
  const Gap *p = left, *q = right;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->a < q->a ? -1 : p->a > q->a;
}

static double clamp(double x, double low, double high) {
  return fmax(low, fmin(x, high));
}

static bool throw_in(CpsRandom* random, int32_t count, CpsArena* arena, Pack* pack) {
  pack->count = count;
  pack->x = CPS_TAKE(arena, CpsVec3, count);
  pack->radius = CPS_TAKE(arena, double, count);
  if (!pack->x || !pack->radius) return false;
  double volume = 0.0;
  pack->largest = 0.0;
  for (int32_t i = 0; i < count; ++i) {
    double r = RADIUS * (0.8 + 0.4 * cps_random_uniform(random));
    pack->radius[i] = r;
    pack->largest = fmax(pack->largest, r);
    volume += 4.18879020478639 * r * r * r;
  }
  pack->edge = fmax(cbrt(volume / FILLING), 2.2 * pack->largest);
  for (int32_t i = 0; i < count; ++i) {
    pack->x[i].x = pack->edge * cps_random_uniform(random);
    pack->x[i].y = pack->edge * cps_random_uniform(random);
    pack->x[i].z = pack->edge * cps_random_uniform(random);
  }
  return true;
}

// Separates each overlapping pair by its overlap, half each. False if memory runs out.
static bool relax(Pack* pack, CpsArena* arena) {
  for (int sweep = 0; sweep < RELAXATION_SWEEPS; ++sweep) {
    CpsArenaMark mark = cps_arena_mark(arena);
    CpsCells cells;
    if (!cps_cells_build(arena, pack->count, pack->x, 2.0 * pack->largest, &cells)) return false;
    for (int32_t a = 0; a < pack->count; ++a) {
      int32_t i = cps_cells_coordinate(&cells, 0, pack->x[a].x), j = cps_cells_coordinate(&cells, 1, pack->x[a].y),
              k = cps_cells_coordinate(&cells, 2, pack->x[a].z);
      for (int32_t row = 0; row < 9; ++row) {
        int32_t first, last;
        cps_cells_row(&cells, i, j - 1 + row % 3, k - 1 + row / 3, &first, &last);
        for (int32_t at = first; at < last; ++at) {
          int32_t b = cells.item[at];
          CpsVec3 d = cps_vec3_sub(pack->x[b], pack->x[a]);
          double distance = cps_vec3_norm(d), overlap = pack->radius[a] + pack->radius[b] - distance;
          if (b <= a || !(overlap > 0.0) || !(distance > 0.0)) continue;
          pack->x[a] = cps_vec3_axpy(pack->x[a], -0.5 * overlap / distance, d);
          pack->x[b] = cps_vec3_axpy(pack->x[b], 0.5 * overlap / distance, d);
        }
      }
      double r = pack->radius[a], far = pack->edge - r;
      pack->x[a] = cps_vec3(clamp(pack->x[a].x, r, far), clamp(pack->x[a].y, r, far), clamp(pack->x[a].z, r, far));
    }
    cps_arena_release(arena, mark);
  }
  return true;
}

// Inward normal of a wall and the distance of x from the wall.
static CpsVec3 wall_normal(int wall) {
  double sign = wall % 2 == 0 ? 1.0 : -1.0;
  return cps_vec3(wall / 2 == 0 ? sign : 0.0, wall / 2 == 1 ? sign : 0.0, wall / 2 == 2 ? sign : 0.0);
}
static double wall_distance(const Pack* pack, int wall, CpsVec3 x) {
  double along = fabs(cps_vec3_dot(wall_normal(wall), x));
  return wall % 2 == 0 ? along : pack->edge - along;
}

// Pairs with a gap up to `reach`; only counts them if gaps is NULL.
static int64_t find_gaps(const Pack* pack, const CpsCells* cells, double reach, Gap* gaps) {
  int64_t found = 0;
  for (int32_t b = 0; b < pack->count; ++b) {
    for (int wall = 0; wall < WALLS; ++wall) {
      double gap = wall_distance(pack, wall, pack->x[b]) - pack->radius[b];
      if (gap > reach) continue;
      if (gaps) gaps[found] = (Gap){.gap = gap, .a = -1 - wall, .b = b};
      ++found;
    }
    int32_t i = cps_cells_coordinate(cells, 0, pack->x[b].x), j = cps_cells_coordinate(cells, 1, pack->x[b].y),
            k = cps_cells_coordinate(cells, 2, pack->x[b].z);
    for (int32_t row = 0; row < 9; ++row) {
      int32_t first, last;
      cps_cells_row(cells, i, j - 1 + row % 3, k - 1 + row / 3, &first, &last);
      for (int32_t at = first; at < last; ++at) {
        int32_t a = cells->item[at];
        if (a >= b) continue;
        double gap = cps_vec3_norm(cps_vec3_sub(pack->x[b], pack->x[a])) - pack->radius[a] - pack->radius[b];
        if (gap > reach) continue;
        if (gaps) gaps[found] = (Gap){.gap = gap, .a = a, .b = b};
        ++found;
      }
    }
  }
  return found;
}

static CpsStatus closest(const Pack* pack, int32_t contact_count, CpsArena* arena, Gap** gaps, CpsError* error) {
  double n = (double)pack->count;
  if (contact_count > 0.5 * n * (n - 1.0) + WALLS * n)
    return cps_fail(error, CPS_BAD_ARGUMENT, "%d spheres are too few for %d contacts", (int)pack->count,
                    (int)contact_count);
  for (double reach = 0.2 * RADIUS;; reach *= 2.0) {
    CpsArenaMark mark = cps_arena_mark(arena);
    CpsCells cells;
    if (!cps_cells_build(arena, pack->count, pack->x, 2.0 * pack->largest + reach, &cells))
      return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d spheres", (int)pack->count);
    int64_t found = find_gaps(pack, &cells, reach, NULL);
    if (found >= contact_count) {
      *gaps = CPS_TAKE(arena, Gap, found);
      if (!*gaps) return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %lld pairs", (long long)found);
      (void)find_gaps(pack, &cells, reach, *gaps);
      qsort(*gaps, (size_t)found, sizeof(Gap), compare_gap);
      qsort(*gaps, (size_t)contact_count, sizeof(Gap), compare_place);
      return CPS_OK;
    }
    cps_arena_release(arena, mark);
  }
}

static void move(CpsRandom* random, const Pack* pack, CpsRigid* bodies) {
  CpsVec3 target = cps_vec3(0.5 * pack->edge, 0.5 * pack->edge, 0.0);
  for (int32_t i = 0; i < pack->count; ++i) {
    double r = pack->radius[i], mass = DENSITY * 4.18879020478639 * r * r * r;
    CpsVec3 own = cps_random_vec3(random), spin = cps_random_vec3(random);
    CpsVec3 v = cps_vec3_scale(-0.5, cps_vec3_sub(pack->x[i], target));
    v = cps_vec3_axpy(v, 0.02, own);
    bodies[i] = (CpsRigid){.centre = pack->x[i],
                           .inverse_mass = 1.0 / mass,
                           .inverse_inertia = cps_mat3_scale(2.5 / (mass * r * r), cps_mat3_identity()),
                           .velocity = v,
                           .spin = spin,
                           .gain = cps_vec3(0.0, 0.0, -STEP * 9.81)};
  }
}

CpsStatus cps_generate_spheres(const CpsGenerateDef* def, CpsGenerated* out, CpsError* error) {
  int32_t count = def->body_count;
  if (count == 0) count = (int32_t)fmax(1.0, round(def->contact_count / CONTACTS_PER_SPHERE));
  CpsRandom random = cps_random_seed(def->seed);
  Pack pack;
  CpsArena* arena = &out->arena;
  if (!throw_in(&random, count, arena, &pack) || !relax(&pack, arena))
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d spheres", (int)count);
  Gap* gaps = NULL;
  CpsStatus status = closest(&pack, def->contact_count, arena, &gaps, error);
  if (status != CPS_OK) return status;

  CpsRigid* bodies = CPS_TAKE(arena, CpsRigid, count);
  CpsRigidContact* contacts = CPS_TAKE(arena, CpsRigidContact, def->contact_count);
  if (!bodies || !contacts)
    return cps_fail(error, CPS_NO_MEMORY, "not enough memory for %d contacts", (int)def->contact_count);
  move(&random, &pack, bodies);
  for (int32_t i = 0; i < def->contact_count; ++i) {
    int32_t a = gaps[i].a, b = gaps[i].b;
    CpsVec3 n = a < 0 ? wall_normal(-1 - a) : cps_vec3_unit(cps_vec3_sub(pack.x[b], pack.x[a]));
    CpsVec3 along = cps_random_vec3(&random);
    contacts[i] = (CpsRigidContact){.a = a < 0 ? -1 : a,
                                    .b = b,
                                    .point = cps_vec3_axpy(pack.x[b], -pack.radius[b], n),
                                    .normal = n,
                                    .along = along,
                                    .ground = cps_vec3(0.0, 0.0, 0.0)};
  }
  return cps_generated_from_rigid(count, bodies, def->contact_count, contacts, out, error);
}
