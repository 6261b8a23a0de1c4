// Nested dissection by level sets (George 1973), for builds without METIS and AMD.
//
// The nodes of a part are sorted by their distance from a node at its edge; the nodes at the middle distance that touch the
// farther half separate the two halves and are eliminated after them. Both halves are dissected in the same way.
#include "sparse/cholesky_parts.h"

#include <string.h>

enum { SMALLEST = 48, RIM_SEARCHES = 3 };  // smallest part that is cut; walks to find a node at the edge

typedef struct Dissection {
  const CpsNodeGraph* graph;
  int32_t* order;     // nodes; a part is a run of it
  int32_t* part;      // of each node
  int32_t* distance;  // from the start of the last walk
  int32_t* queue;
  int32_t parts;
} Dissection;

// Sorts the nodes of `part` reachable from `start` by distance into the queue. Returns their number.
static int32_t walk(Dissection* d, int32_t part, int32_t start) {
  int32_t count = 1;
  d->queue[0] = start;
  d->distance[start] = 0;
  d->part[start] = ~part;  // seen
  for (int32_t k = 0; k < count; k++) {
    int32_t node = d->queue[k];
    for (int32_t e = d->graph->start[node]; e < d->graph->start[node + 1]; e++) {
      int32_t next = d->graph->next[e];
      if (d->part[next] != part) continue;
      d->part[next] = ~part;
      d->distance[next] = d->distance[node] + 1;
      d->queue[count++] = next;
    }
  }
  for (int32_t k = 0; k < count; k++) d->part[d->queue[k]] = part;
  return count;
}

static bool touches_farther(const Dissection* d, int32_t part, int32_t node) {
  for (int32_t e = d->graph->start[node]; e < d->graph->start[node + 1]; e++) {
    int32_t next = d->graph->next[e];
    if (d->part[next] == part && d->distance[next] > d->distance[node]) return true;
  }
  return false;
}

// Puts the queue into [first, first + count) of the order: near half, far half, separator. Returns the sizes of the halves.
static void split(Dissection* d, int32_t part, int32_t first, int32_t count, int32_t* near, int32_t* far) {
  int32_t middle = d->distance[d->queue[count / 2]];
  *near = *far = 0;
  int32_t back = first + count;
  for (int32_t k = 0; k < count; k++) {
    int32_t node = d->queue[k];
    if (d->distance[node] == middle && touches_farther(d, part, node))
      d->order[--back] = node;
    else if (d->distance[node] <= middle)
      d->order[first + (*near)++] = node;
  }
  for (int32_t k = 0; k < count; k++) {
    if (d->distance[d->queue[k]] > middle) d->order[first + *near + (*far)++] = d->queue[k];
  }
}

static void name_part(Dissection* d, int32_t first, int32_t count) {
  for (int32_t k = first; k < first + count; k++) d->part[d->order[k]] = d->parts;
  d->parts++;
}

// Cuts the part [first, first + count) and labels its pieces. *near, *far: sizes of the parts left to cut.
static void cut(Dissection* d, int32_t first, int32_t count, int32_t* near, int32_t* far) {
  int32_t part = d->part[d->order[first]], start = d->order[first], reached = 0;
  *near = *far = 0;
  for (int search = 0; search < RIM_SEARCHES; search++) {
    reached = walk(d, part, start);
    start = d->queue[reached - 1];
  }
  if (reached < count) {  // disconnected pieces need no separator
    for (int32_t k = 0; k < reached; k++) d->part[d->queue[k]] = -1;
    for (int32_t k = first + count - 1, to = k; k >= first; k--) {
      if (d->part[d->order[k]] == part) d->order[to--] = d->order[k];
    }
    memcpy(d->order + first, d->queue, (size_t)reached * sizeof *d->order);
    *near = reached;
    *far = count - reached;
  } else {
    split(d, part, first, count, near, far);
  }
  name_part(d, first, *near);
  name_part(d, first + *near, *far);
}

bool cps_dissection_order(const CpsNodeGraph* graph, CpsArena* scratch, int32_t* order) {
  int32_t n = graph->n, open = 0;
  int32_t* take = CPS_TAKE_ZERO(scratch, int32_t, 5 * ((int64_t)n + 1));
  if (!take) return false;
  size_t size = (size_t)n + 1;
  Dissection d = {
      .graph = graph, .order = order, .part = take, .distance = take + size, .queue = take + 2 * size, .parts = 1};
  int32_t *first = take + 3 * size, *count = take + 4 * size;  // parts to be cut: they are disjoint, so at most n
  for (int32_t node = 0, end = 0; node < n; node++) {          // connected components
    if (d.part[node] != 0) continue;
    first[open] = end;
    count[open] = walk(&d, 0, node);
    memcpy(order + end, d.queue, (size_t)count[open] * sizeof *order);
    name_part(&d, end, count[open]);
    end += count[open++];
  }
  while (open > 0) {
    int32_t at = first[--open], nodes = count[open], near, far;
    if (nodes <= SMALLEST) continue;
    cut(&d, at, nodes, &near, &far);
    if (near == nodes) continue;  // all nodes are neighbours of each other
    first[open] = at;
    count[open++] = near;
    first[open] = at + near;
    count[open++] = far;
  }
  return true;
}
