// A tree of boxes, split at the median of the centres along their widest extent: its depth is at most log2 of the number
// of items plus one, for any items.
#include "geometry/bvh.h"

#include <stdlib.h>

enum { LEAF = 4 };

typedef struct Build {
  CpsBvh* tree;
  const CpsAabb* boxes;
} Build;

static double coordinate(CpsVec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Twice the centre of an item's box along an axis.
static double centre(const Build* build, int32_t item, int axis) {
  return coordinate(build->boxes[item].min, axis) + coordinate(build->boxes[item].max, axis);
}

static bool before(const Build* build, int axis, int32_t a, int32_t b) {
  const double x = centre(build, a, axis), y = centre(build, b, axis);
  return x < y || (x == y && a < b);
}

static int widest_axis(const Build* build, const int32_t* order, int32_t count) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t i = 0; i < count; i++) {
    for (int axis = 0; axis < 3; axis++) {
      const double x = centre(build, order[i], axis);
      low[axis] = fmin(low[axis], x);
      high[axis] = fmax(high[axis], x);
    }
  }
  int widest = 0;
  for (int axis = 1; axis < 3; axis++) {
    if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
  }
  return widest;
}

// Moves the item of rank `rank` to its position, smaller ones before it and larger ones after it (Hoare's selection).
static void select_rank(const Build* build, int axis, int32_t* order, int32_t count, int32_t rank) {
  int32_t low = 0, high = count - 1;
  while (low < high) {
    const int32_t pivot = order[low + (high - low) / 2];
    int32_t i = low, j = high;
    while (i <= j) {
      while (before(build, axis, order[i], pivot)) i++;
      while (before(build, axis, pivot, order[j])) j--;
      if (i > j) break;
      const int32_t swap = order[i];
      order[i++] = order[j];
      order[j--] = swap;
    }
    if (rank <= j) {
      high = j;
    } else if (rank >= i) {
      low = i;
    } else {
      return;
    }
  }
}

static CpsAabb items_box(const Build* build, const int32_t* order, int32_t count) {
  CpsAabb box = build->boxes[order[0]];
  for (int32_t i = 1; i < count; i++) box = cps_aabb_union(box, build->boxes[order[i]]);
  return box;
}

// Splits nodes in order of creation; the two children are adjacent, after them.
static void split_all(const Build* build, int32_t count) {
  CpsBvh* tree = build->tree;
  tree->node[0] = (CpsBvhNode){items_box(build, tree->order, count), 0, count};
  tree->node_count = 1;
  for (int32_t n = 0; n < tree->node_count; n++) {
    CpsBvhNode* node = &tree->node[n];
    if (node->count <= LEAF) continue;
    int32_t* order = tree->order + node->first;
    const int32_t left = node->count / 2, right = node->count - left;
    select_rank(build, widest_axis(build, order, node->count), order, node->count, left);
    CpsBvhNode* child = &tree->node[tree->node_count];
    child[0] = (CpsBvhNode){items_box(build, order, left), node->first, left};
    child[1] = (CpsBvhNode){items_box(build, order + left, right), node->first + left, right};
    node->first = tree->node_count;
    node->count = 0;
    tree->node_count += 2;
  }
}

bool cps_bvh_build(CpsBvh* tree, const CpsAabb* boxes, int32_t count) {
  *tree = (CpsBvh){0};
  // a leaf has at least two items unless it is the only one: halves of five and more
  tree->node = calloc((size_t)count + 1, sizeof *tree->node);
  tree->order = calloc((size_t)count, sizeof *tree->order);
  if (tree->node == NULL || tree->order == NULL) {
    cps_bvh_free(tree);
    return false;
  }
  for (int32_t i = 0; i < count; i++) tree->order[i] = i;
  const Build build = {tree, boxes};
  split_all(&build, count);
  return true;
}

void cps_bvh_free(CpsBvh* tree) {
  free(tree->node);
  free(tree->order);
  *tree = (CpsBvh){0};
}

CpsBvhWalk cps_bvh_walk(const CpsBvh* tree, const CpsAabb* box) {
  CpsBvhWalk walk = {.tree = tree, .box = *box, .depth = 1};
  walk.stack[0] = 0;
  return walk;
}

const CpsBvhNode* cps_bvh_next(CpsBvhWalk* walk) {
  while (walk->depth > 0) {
    const CpsBvhNode* node = &walk->tree->node[walk->stack[--walk->depth]];
    if (!cps_aabb_overlap(&node->box, &walk->box)) continue;
    if (node->count > 0) return node;
    walk->stack[walk->depth++] = node->first + 1;
    walk->stack[walk->depth++] = node->first;
  }
  return NULL;
}
