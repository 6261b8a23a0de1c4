// Pairs of features of moving triangle meshes against trying them all; the same bits for any number of threads.
// labels: threads
#include "geometry/ccd.h"
#include "geometry/triangle_tree.h"
#include "geometry/winding.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "geometry/triangle_pairs.h"
#include "test_helpers.h"

typedef struct Mesh {
  int32_t vertex_count, triangle_count;
  CpsVec3 *start, *end;
  int32_t* triangles;
  CpsTriangleTree* tree;
} Mesh;

// A sheet of 2 n² triangles, rolled and crumpled; it moves by up to `motion`.
static Mesh sheet(int32_t n, double crumple, double motion, uint64_t seed) {
  Mesh mesh = {.vertex_count = (n + 1) * (n + 1), .triangle_count = 2 * n * n};
  mesh.start = calloc((size_t)mesh.vertex_count, sizeof *mesh.start);
  mesh.end = calloc((size_t)mesh.vertex_count, sizeof *mesh.end);
  mesh.triangles = calloc(3 * (size_t)mesh.triangle_count, sizeof *mesh.triangles);
  assert_true(mesh.start && mesh.end && mesh.triangles);
  CpsRandom random = cps_random_seed(seed);
  CpsVec3* flat = calloc((size_t)mesh.vertex_count, sizeof *flat);
  assert_non_null(flat);
  for (int32_t i = 0; i < mesh.vertex_count; ++i) {
    const double x = (double)(i % (n + 1)) / n, y = (double)(i / (n + 1)) / n, turn = 9.0 * x, r = 0.1 + 0.01 * turn;
    flat[i] = cps_vec3(x, y, 0.0);
    const double u[3] = {cps_random_normal(&random), cps_random_normal(&random), cps_random_normal(&random)};
    mesh.start[i] = cps_vec3(r * cos(turn) + crumple * u[0], y + crumple * u[1], r * sin(turn) + crumple * u[2]);
    const double v[3] = {cps_random_uniform(&random), cps_random_uniform(&random), cps_random_uniform(&random)};
    mesh.end[i] = cps_vec3_axpy(mesh.start[i], motion, cps_vec3(v[0] - 0.5, v[1] - 0.5, v[2] - 0.5));
  }
  int32_t* t = mesh.triangles;
  for (int32_t j = 0; j < n; ++j) {
    for (int32_t i = 0; i < n; ++i, t += 6) {
      const int32_t v = j * (n + 1) + i, w = v + n + 1;
      const int32_t corner[6] = {v, v + 1, w + 1, v, w + 1, w};
      memcpy(t, corner, sizeof corner);
    }
  }
  assert_int_equal(cps_triangle_tree_create(flat, mesh.vertex_count, mesh.triangles, mesh.triangle_count, &mesh.tree),
                   CPS_OK);
  free(flat);
  return mesh;
}

static void free_mesh(Mesh* mesh) {
  cps_triangle_tree_destroy(mesh->tree);
  free(mesh->start);
  free(mesh->end);
  free(mesh->triangles);
}

static CpsAabb path_box(const Mesh* mesh, const int32_t* vertex, int count) {
  CpsAabb box = {mesh->start[vertex[0]], mesh->start[vertex[0]]};
  for (int k = 0; k < count; ++k) {
    box = cps_aabb_union(box, (CpsAabb){mesh->start[vertex[k]], mesh->start[vertex[k]]});
    box = cps_aabb_union(box, (CpsAabb){mesh->end[vertex[k]], mesh->end[vertex[k]]});
  }
  return box;
}

static bool shares(const int32_t* v, int count_v, const int32_t* w, int count_w) {
  for (int i = 0; i < count_v; ++i) {
    for (int j = 0; j < count_w; ++j) {
      if (v[i] == w[j]) return true;
    }
  }
  return false;
}

static int compare_pairs(const void* left, const void* right) {
  const CpsFeaturePair *p = left, *q = right;
  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

static bool contains(const CpsFeaturePairs* list, int32_t a, int32_t b) {
  const CpsFeaturePair pair = {a, b};
  return bsearch(&pair, list->pair, (size_t)list->count, sizeof pair, compare_pairs) != NULL;
}

static void check_order(const CpsFeaturePairs* list) {
  for (int64_t i = 1; i < list->count; ++i) {
    const CpsFeaturePair p = list->pair[i - 1], q = list->pair[i];
    assert_true(p.a < q.a || (p.a == q.a && p.b < q.b));
  }
}

// Least distance of two features at some times of the step.
static double sampled_distance(const Mesh* a, const int32_t* va, int size_a, const Mesh* b, const int32_t* vb,
                               int size_b) {
  double least = INFINITY;
  for (int k = 0; k <= 4; ++k) {
    CpsVec3 x[4];
    for (int i = 0; i < size_a + size_b; ++i) {
      const Mesh* mesh = i < size_a ? a : b;
      const int32_t v = i < size_a ? va[i] : vb[i - size_a];
      x[i] = cps_vec3_axpy(mesh->start[v], 0.25 * k, cps_vec3_sub(mesh->end[v], mesh->start[v]));
    }
    least = fmin(least, size_a == 1 ? cps_closest_vertex_triangle(x[0], x + 1).distance
                                    : cps_closest_edge_edge(x, x + 2).distance);
  }
  return least;
}

// Every pair that comes near enough is listed; every listed pair has boxes that overlap but for the rounding to floats.
static void check_list(const CpsFeaturePairs* list, const Mesh* a, const int32_t* va, int32_t count_a, int size_a,
                       const Mesh* b, const int32_t* vb, int32_t count_b, int size_b, double reach) {
  check_order(list);
  int64_t sure = 0, possible = 0;
  const bool same = a == b, half = same && va == vb;
  for (int32_t i = 0; i < count_a; ++i) {
    const CpsAabb wide = cps_aabb_grow(path_box(a, va + size_a * i, size_a), 2.0 * reach + 1e-6);
    for (int32_t j = half ? i + 1 : 0; j < count_b; ++j) {
      if (same && shares(va + size_a * i, size_a, vb + size_b * j, size_b)) continue;
      const CpsAabb other = path_box(b, vb + size_b * j, size_b);
      if (!cps_aabb_overlap(&wide, &other)) continue;
      const bool listed = contains(list, i, j);
      possible += listed;
      if (sampled_distance(a, va + size_a * i, size_a, b, vb + size_b * j, size_b) > 2.0 * reach) continue;
      sure++;
      assert_true(listed);
    }
  }
  assert_int_equal(list->count, possible);
  assert_true(sure > 0 || reach == 0.0);
}

static int32_t* identity(int32_t count) {
  int32_t* list = calloc((size_t)count, sizeof *list);
  assert_non_null(list);
  for (int32_t i = 0; i < count; ++i) list[i] = i;
  return list;
}

static void check_pairs(Mesh* a, Mesh* b, double reach) {
  CpsArena arena = {0};
  CpsTrianglePairs pairs;
  cps_triangle_tree_refit(a->tree, NULL, a->start, a->end, reach);
  cps_triangle_tree_refit(b->tree, NULL, b->start, b->end, reach);
  assert_int_equal(cps_triangle_tree_pairs(a->tree, b->tree, NULL, NULL, &arena, &pairs), CPS_OK);
  int32_t *vertices_a = identity(a->vertex_count), *vertices_b = identity(b->vertex_count);
  check_list(&pairs.vertex_triangle, a, vertices_a, a->vertex_count, 1, b, b->triangles, b->triangle_count, 3, reach);
  check_list(&pairs.edge_edge, a, a->tree->edge[0], a->tree->edge_count, 2, b, b->tree->edge[0], b->tree->edge_count, 2,
             reach);
  if (a == b) {
    assert_int_equal(pairs.triangle_vertex.count, 0);
  } else {
    check_list(&pairs.triangle_vertex, b, vertices_b, b->vertex_count, 1, a, a->triangles, a->triangle_count, 3, reach);
  }
  assert_true(pairs.vertex_triangle.count > 0 && pairs.edge_edge.count > 0);
  CpsFeaturePairs vertices;
  assert_int_equal(cps_triangle_tree_vertices(a->tree, b->tree, NULL, &arena, &vertices), CPS_OK);
  check_list(&vertices, a, vertices_a, a->vertex_count, 1, b, b->triangles, b->triangle_count, 3, reach);
  free(vertices_a);
  free(vertices_b);
  cps_arena_free(&arena);
}

static void each_pair_of_features_that_comes_near_is_found_once(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    Mesh a = sheet(14, 0.01 * (double)seed, 0.05, seed), b = sheet(9, 0.02, 0.1, seed + 10);
    check_pairs(&a, &a, 0.005);
    check_pairs(&a, &b, 0.005);
    check_pairs(&b, &a, 0.0);
    free_mesh(&a);
    free_mesh(&b);
  }
}

static bool equal_lists(const CpsFeaturePairs* a, const CpsFeaturePairs* b) {
  return a->count == b->count && memcmp(a->pair, b->pair, (size_t)a->count * sizeof *a->pair) == 0;
}

static void lists_are_the_same_for_any_number_of_threads_and_any_tree(void** state) {
  (void)state;
  Mesh mesh = sheet(60, 0.003, 0.01, 1), other = mesh;
  // a tree of another shape over the same triangles
  assert_int_equal(
      cps_triangle_tree_create(mesh.end, mesh.vertex_count, mesh.triangles, mesh.triangle_count, &other.tree), CPS_OK);
  CpsArena first_arena = {0};
  CpsTrianglePairs first;
  CpsFeaturePairs vertices, vertices_again;
  cps_triangle_tree_refit(mesh.tree, NULL, mesh.start, mesh.end, 0.004);
  assert_int_equal(cps_triangle_tree_pairs(mesh.tree, mesh.tree, NULL, NULL, &first_arena, &first), CPS_OK);
  assert_int_equal(cps_triangle_tree_vertices(mesh.tree, mesh.tree, NULL, &first_arena, &vertices), CPS_OK);
  assert_in_range(vertices.count, 3000, INT32_MAX);
  assert_in_range(first.edge_edge.count, 10000, INT32_MAX);
  for (int k = 0; k < 8; ++k) {
    CpsPool* pool = cps_pool_create(1 << k % 3);
    CpsArena arena = {0};
    CpsTrianglePairs again;
    CpsTriangleTree* tree = k < 4 ? mesh.tree : other.tree;
    cps_triangle_tree_refit(tree, pool, mesh.start, mesh.end, 0.004);
    assert_int_equal(cps_triangle_tree_pairs(tree, tree, NULL, pool, &arena, &again), CPS_OK);
    assert_true(equal_lists(&first.vertex_triangle, &again.vertex_triangle));
    assert_true(equal_lists(&first.edge_edge, &again.edge_edge));
    assert_int_equal(cps_triangle_tree_vertices(tree, tree, pool, &arena, &vertices_again), CPS_OK);
    assert_true(equal_lists(&vertices, &vertices_again));
    cps_arena_free(&arena);
    cps_pool_destroy(pool);
  }
  cps_arena_free(&first_arena);
  cps_triangle_tree_destroy(other.tree);
  free_mesh(&mesh);
}

// Of the pairs whose boxes overlap, those that are far on their ways are left out, and none that meets.
static void ways_leave_out_what_is_far_and_nothing_that_meets(void** state) {
  (void)state;
  Mesh mesh = sheet(30, 0.01, 0.08, 1);
  const double reach = 0.002;
  const CpsTriangleWays ways = {mesh.start, mesh.end, mesh.start, mesh.end, 2.0 * reach, 0.02 * reach};
  CpsArena arena = {0};
  CpsTrianglePairs all, few;
  cps_triangle_tree_refit(mesh.tree, NULL, mesh.start, mesh.end, reach);
  assert_int_equal(cps_triangle_tree_pairs(mesh.tree, mesh.tree, NULL, NULL, &arena, &all), CPS_OK);
  assert_int_equal(cps_triangle_tree_pairs(mesh.tree, mesh.tree, &ways, NULL, &arena, &few), CPS_OK);
  int64_t met = 0;
  for (int kind = 0; kind < 2; ++kind) {
    const CpsFeaturePairs *list = kind ? &all.edge_edge : &all.vertex_triangle,
                          *kept = kind ? &few.edge_edge : &few.vertex_triangle;
    assert_true(kept->count < list->count);
    for (int64_t p = 0; p < list->count; ++p) {
      const CpsFeaturePair f = list->pair[p];
      const int32_t *e = mesh.tree->edge[kind ? f.a : 0], *g = mesh.tree->edge[kind ? f.b : 0],
                    *t = mesh.triangles + (kind ? 0 : 3 * f.b);
      const int32_t four[4] = {kind ? e[0] : f.a, kind ? e[1] : t[0], kind ? g[0] : t[1], kind ? g[1] : t[2]};
      CpsVec3 start[4], end[4];
      CpsImpact impact;
      for (int k = 0; k < 4; ++k) start[k] = mesh.start[four[k]], end[k] = mesh.end[four[k]];
      const bool meets =
          (kind ? cps_ccd_edge_edge : cps_ccd_vertex_triangle)(start, end, ways.separation, ways.tolerance, &impact);
      met += meets;
      if (meets) assert_true(contains(kept, f.a, f.b));
    }
  }
  assert_true(met > 100);
  cps_arena_free(&arena);
  free_mesh(&mesh);
}

// After the first steps have shown what is needed, the arena keeps the chunk it has, whoever of the threads finds how
// much.
static void a_steady_step_allocates_nothing(void** state) {
  (void)state;
  Mesh mesh = sheet(40, 0.003, 0.01, 2);
  CpsPool* pool = cps_pool_create(4);
  CpsArena arena = {0};
  const CpsArenaChunk* chunk = NULL;
  for (int step = 0; step < 40; ++step) {
    CpsTrianglePairs pairs;
    CpsCrossings crossings;
    cps_arena_reset(&arena);
    if (step == 3) chunk = arena.chunk;
    if (step > 3) assert_ptr_equal(arena.chunk, chunk);
    cps_triangle_tree_refit(mesh.tree, pool, mesh.start, mesh.end, 0.002);
    assert_int_equal(cps_triangle_tree_pairs(mesh.tree, mesh.tree, NULL, pool, &arena, &pairs), CPS_OK);
    assert_int_equal(cps_triangle_tree_vertices(mesh.tree, mesh.tree, pool, &arena, &pairs.vertex_triangle), CPS_OK);
    assert_int_equal(
        cps_triangle_tree_crossings(mesh.tree, mesh.start, mesh.tree, mesh.start, pool, &arena, &crossings), CPS_OK);
    if (step > 3) assert_ptr_equal(arena.chunk, chunk);
  }
  cps_arena_free(&arena);
  cps_pool_destroy(pool);
  free_mesh(&mesh);
}

// Bytes for four times the triangles: four times as many, pairs included.
static void memory_is_linear_in_the_triangles(void** state) {
  (void)state;
  double bytes[2];
  for (int k = 0; k < 2; ++k) {
    const int32_t n = k == 0 ? 80 : 160;
    Mesh mesh = sheet(n, 0.0, 0.1 / n, 3);
    CpsArena arena = {0};
    CpsTrianglePairs pairs;
    cps_triangle_tree_refit(mesh.tree, NULL, mesh.start, mesh.end, 0.05 / n);
    assert_int_equal(cps_triangle_tree_pairs(mesh.tree, mesh.tree, NULL, NULL, &arena, &pairs), CPS_OK);
    bytes[k] = (double)arena.peak;
    cps_arena_free(&arena);
    free_mesh(&mesh);
  }
  assert_in_range(bytes[1] / bytes[0] * 100.0, 300, 500);
}

typedef struct Found {
  int32_t* times;
  int32_t calls, most;
} Found;

static bool note(void* data, const CpsTreeTriangle* triangle) {
  Found* found = data;
  found->times[triangle->index]++;
  return ++found->calls < found->most;
}

// Distance of a segment and a triangle; 0 where it goes through.
static double segment_distance(CpsVec3 p, CpsVec3 q, const CpsVec3 t[3]) {
  if (cps_segment_meets_triangle(p, q, t)) return 0.0;
  const CpsVec3 segment[2] = {p, q};
  double d = fmin(cps_closest_vertex_triangle(p, t).distance, cps_closest_vertex_triangle(q, t).distance);
  for (int k = 0; k < 3; ++k) {
    const CpsVec3 edge[2] = {t[k], t[(k + 1) % 3]};
    d = fmin(d, cps_closest_edge_edge(segment, edge).distance);
  }
  return d;
}

static void queries_by_box_sphere_and_capsule_miss_no_triangle(void** state) {
  (void)state;
  Mesh mesh = sheet(20, 0.005, 0.0, 4);
  CpsRandom random = cps_random_seed(5);
  const double reach = 0.01;
  cps_triangle_tree_refit(mesh.tree, NULL, mesh.start, mesh.start, reach);
  Found found = {.times = calloc((size_t)mesh.triangle_count, sizeof(int32_t)), .most = INT32_MAX};
  assert_non_null(found.times);
  int64_t calls[3] = {0}, touched[3] = {0};
  for (int i = 0; i < 600; ++i) {
    const double u[6] = {cps_random_uniform(&random), cps_random_uniform(&random), cps_random_uniform(&random),
                         cps_random_uniform(&random), cps_random_uniform(&random), cps_random_uniform(&random)};
    const CpsVec3 p = {0.5 * u[0] - 0.25, u[1], 0.5 * u[2] - 0.25}, q = {0.5 * u[3] - 0.25, u[4], 0.5 * u[5] - 0.25};
    const double radius = 0.05 * u[0];
    const CpsAabb box = cps_aabb_grow((CpsAabb){p, p}, radius);
    memset(found.times, 0, (size_t)mesh.triangle_count * sizeof *found.times);
    found.calls = 0;
    if (i % 3 == 0) cps_triangle_tree_near_box(mesh.tree, &box, note, &found);
    if (i % 3 == 1) cps_triangle_tree_near_sphere(mesh.tree, p, radius, note, &found);
    if (i % 3 == 2) cps_triangle_tree_near_capsule(mesh.tree, p, q, radius, note, &found);
    for (int32_t k = 0; k < mesh.triangle_count; ++k) {
      const int32_t* v = mesh.triangles + 3 * k;
      const CpsVec3 t[3] = {mesh.start[v[0]], mesh.start[v[1]], mesh.start[v[2]]};
      CpsAabb around = cps_aabb_grow(path_box(&(Mesh){.start = mesh.start, .end = mesh.start}, v, 3), reach);
      const bool near = i % 3 == 0   ? cps_aabb_overlap(&box, &around)
                        : i % 3 == 1 ? cps_closest_vertex_triangle(p, t).distance <= radius + reach
                                     : segment_distance(p, q, t) <= radius + reach;
      assert_in_range(found.times[k], near ? 1 : 0, 1);
      touched[i % 3] += near;
    }
    calls[i % 3] += found.calls;
  }
  for (int k = 0; k < 3; ++k) assert_true(touched[k] > 50 && calls[k] < 12 * touched[k]);
  found.calls = 0, found.most = 3;  // the function ends the search
  cps_triangle_tree_near_sphere(mesh.tree, mesh.start[0], 10.0, note, &found);
  assert_int_equal(found.calls, 3);
  free(found.times);
  free_mesh(&mesh);
}

static void edges_through_triangles_are_listed(void** state) {
  (void)state;
  const CpsVec3 t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  static const struct {
    CpsVec3 p, q;
    bool meets;
  } CASES[] = {
      {{0.2, 0.2, 1}, {0.2, 0.2, -1}, true},  {{0.2, 0.2, 1}, {0.2, 0.2, 0.1}, false},
      {{0.8, 0.8, 1}, {0.8, 0.8, -1}, false}, {{0.2, 0.2, 1}, {0.2, 0.2, 0}, true},
      {{-1, 0.2, 0}, {2, 0.2, 0}, true},      {{0.2, 0.2, 0}, {0.3, 0.3, 0}, true},
      {{-1, -0.2, 0}, {2, -0.2, 0}, false},   {{0.5, -1, -1}, {0.5, 1, 1}, true},
      {{0, 0, -1}, {0, 0, 1}, true},          {{-1, 0.2, 1e-9}, {2, 0.2, 1e-9}, false},
      {{1.01, 0, 1}, {1.01, 0, -1}, false},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i) {
    assert_int_equal(cps_segment_meets_triangle(CASES[i].p, CASES[i].q, t), CASES[i].meets);
    assert_int_equal(cps_segment_meets_triangle(CASES[i].q, CASES[i].p, t), CASES[i].meets);
  }
  Mesh flat = sheet(12, 0.0, 0.0, 1), crumpled = sheet(12, 0.05, 0.0, 1);
  CpsArena arena = {0};
  CpsCrossings crossings;
  assert_int_equal(cps_triangle_tree_crossings(flat.tree, flat.start, flat.tree, flat.start, NULL, &arena, &crossings),
                   CPS_OK);
  assert_int_equal(crossings.edge_triangle.count, 0);
  assert_int_equal(cps_triangle_tree_crossings(crumpled.tree, crumpled.start, crumpled.tree, crumpled.start, NULL,
                                               &arena, &crossings),
                   CPS_OK);
  check_order(&crossings.edge_triangle);
  int64_t count = 0;
  for (int32_t e = 0; e < crumpled.tree->edge_count; ++e) {
    for (int32_t k = 0; k < crumpled.triangle_count; ++k) {
      const int32_t *v = crumpled.triangles + 3 * k, *w = crumpled.tree->edge[e];
      const CpsVec3 corner[3] = {crumpled.start[v[0]], crumpled.start[v[1]], crumpled.start[v[2]]};
      if (shares(v, 3, w, 2) || !cps_segment_meets_triangle(crumpled.start[w[0]], crumpled.start[w[1]], corner))
        continue;
      assert_true(contains(&crossings.edge_triangle, e, k));
      count++;
    }
  }
  assert_int_equal(crossings.edge_triangle.count, count);
  assert_true(count > 100);
  // two meshes: what pokes through in either direction
  assert_int_equal(
      cps_triangle_tree_crossings(flat.tree, flat.start, crumpled.tree, crumpled.start, NULL, &arena, &crossings),
      CPS_OK);
  assert_true(crossings.edge_triangle.count > 0 && crossings.triangle_edge.count > 0);
  cps_arena_free(&arena);
  free_mesh(&flat);
  free_mesh(&crumpled);
}

static void edges_are_numbered_once_and_bad_triangles_are_refused(void** state) {
  (void)state;
  const CpsVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {NAN, 0, 0}};
  int32_t triangles[9] = {0, 1, 2, 2, 1, 3, 1, 2, 0};
  CpsTriangleTree* tree = NULL;
  assert_int_equal(cps_triangle_tree_create(points, 4, triangles, 3, &tree), CPS_OK);
  const int32_t edges[5][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
  assert_int_equal(tree->edge_count, 5);
  assert_memory_equal(tree->edge, edges, sizeof edges);
  uint32_t owned = 0;
  for (int i = 0; i < 3; ++i) owned += (uint32_t)__builtin_popcount(tree->triangle[i].owned);
  assert_int_equal(owned, 4 + 5);
  cps_triangle_tree_destroy(tree);
  tree = NULL;
  triangles[5] = 4;
  assert_int_equal(cps_triangle_tree_create(points, 5, triangles, 3, &tree), CPS_BAD_DATA);
  assert_int_equal(cps_triangle_tree_create(points, 4, triangles, 3, &tree), CPS_BAD_DATA);
  triangles[5] = -1;
  assert_int_equal(cps_triangle_tree_create(points, 4, triangles, 3, &tree), CPS_BAD_DATA);
  assert_int_equal(cps_triangle_tree_create(points, 4, triangles, 0, &tree), CPS_BAD_DATA);
  assert_null(tree);
}

// A tetrahedron: whole numbers on both sides of a face, however near, and the other sign where it is inside out.
static void the_winding_number_tells_inside_from_outside(void** state) {
  (void)state;
  CpsVec3 x[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const CpsVec3 in[3] = {{0.2, 0.2, 0.2}, {0.3, 0.3, 1e-6}, {1e-6, 1e-6, 1e-6}};
  const CpsVec3 out[3] = {{0.4, 0.4, 0.4}, {0.3, 0.3, -1e-6}, {7.0, -3.0, 2.0}};
  CpsTriangleTree* tree = NULL;
  assert_int_equal(cps_triangle_tree_create(x, 4, triangles, 4, &tree), CPS_OK);
  for (int i = 0; i < 3; ++i) {
    assert_near(cps_winding(tree, x, in[i]), 1.0, 1e-12);  // rounding of four angles
    assert_near(cps_winding(tree, x, out[i]), 0.0, 1e-12);
  }
  x[3].z = -1.0;
  assert_near(cps_winding(tree, x, cps_vec3(0.2, 0.2, -0.2)), -1.0, 1e-12);
  cps_triangle_tree_destroy(tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_pair_of_features_that_comes_near_is_found_once),
      cmocka_unit_test(lists_are_the_same_for_any_number_of_threads_and_any_tree),
      cmocka_unit_test(ways_leave_out_what_is_far_and_nothing_that_meets),
      cmocka_unit_test(a_steady_step_allocates_nothing),
      cmocka_unit_test(memory_is_linear_in_the_triangles),
      cmocka_unit_test(queries_by_box_sphere_and_capsule_miss_no_triangle),
      cmocka_unit_test(edges_through_triangles_are_listed),
      cmocka_unit_test(the_winding_number_tells_inside_from_outside),
      cmocka_unit_test(edges_are_numbered_once_and_bad_triangles_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
