// Greedy colouring of the contacts; colouring.h states the guarantees.
//
// One pass over the contacts. For contact i the colours of the preceding coupled contacts are stamped with i, and the first colour
// without that stamp is taken. With W the coupled contacts are row i and column i of the pattern (W need not be symmetric). Without W
// each body keeps the colours in use on it: as a bit set, which costs a 64th of the possible colours per contact, or as a list if sets
// would take more memory than lists. A list costs the sum over bodies of (contacts of the body)^2 / 2, a second for thirty strands in
// one place.
#include "friction/global/colouring.h"

#include <string.h>

typedef struct Greedy {
  int32_t* colour;  // of each contact; not yet set from the current one on
  int32_t* stamp;   // of each colour: the last contact that must not take it
  int32_t count;    // colours in use
} Greedy;

static int32_t first_free_colour(Greedy* greedy, int32_t i) {
  int32_t colour = 0;
  while (colour < greedy->count && greedy->stamp[colour] == i) colour++;
  if (colour == greedy->count) greedy->count++;
  greedy->colour[i] = colour;
  return colour;
}

// The rows with a block in each column: the pattern of W^T.
static bool transpose_pattern(const CpsBlockMatrix* W, CpsArena* arena, int64_t** start_out, int32_t** row_out) {
  int64_t* start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)W->rows + 2);
  int32_t* row = CPS_TAKE(arena, int32_t, W->start[W->rows]);
  if (start == NULL || row == NULL) return false;
  // Counted two places to the right, so that after filling start[j] … start[j + 1] are the rows of column j.
  for (int64_t k = 0; k < W->start[W->rows]; k++) start[W->col[k] + 2]++;
  for (int32_t j = 0; j < W->rows; j++) start[j + 2] += start[j + 1];
  for (int32_t i = 0; i < W->rows; i++) {
    for (int64_t k = W->start[i]; k < W->start[i + 1]; k++) row[start[W->col[k] + 1]++] = i;
  }
  *start_out = start;
  *row_out = row;
  return true;
}

static bool colour_by_W(const CpsBlockMatrix* W, CpsArena* arena, Greedy* greedy) {
  int64_t* start;
  int32_t* row;
  if (!transpose_pattern(W, arena, &start, &row)) return false;
  for (int32_t i = 0; i < W->rows; i++) {
    for (int64_t k = W->start[i]; k < W->start[i + 1] && W->col[k] < i; k++)
      greedy->stamp[greedy->colour[W->col[k]]] = i;
    for (int64_t k = start[i]; k < start[i + 1] && row[k] < i; k++) greedy->stamp[greedy->colour[row[k]]] = i;
    first_free_colour(greedy, i);
  }
  return true;
}

// The first colour unused by all bodies of contact i; marks it as used by them. `words` hold all colours.
static int32_t take_bit(const CpsFactors* factors, int32_t i, int64_t words, uint64_t* bits) {
  const int64_t first = factors->contact_start[i], last = factors->contact_start[i + 1];
  for (int64_t w = 0; w < words; w++) {
    uint64_t taken = 0;
    for (int64_t k = first; k < last; k++) taken |= bits[factors->body[k] * words + w];
    if (taken == UINT64_MAX) continue;
    int bit = 0;
    while (taken >> bit & 1) bit++;
    for (int64_t k = first; k < last; k++) bits[factors->body[k] * words + w] |= (uint64_t)1 << bit;
    return (int32_t)(64 * w + bit);
  }
  return -1;  // unreachable: there is one colour more than there are neighbours
}

// A contact has at most as many neighbours as its bodies have contacts: words needed for the possible colours.
static int64_t words_needed(const CpsFactors* factors, int32_t n, const int64_t* start) {
  int64_t most = 0;
  for (int32_t i = 0; i < n; i++) {
    int64_t neighbours = 0;
    for (int64_t k = factors->contact_start[i]; k < factors->contact_start[i + 1]; k++) {
      neighbours += start[factors->body[k] + 1] - start[factors->body[k]];
    }
    most = neighbours > most ? neighbours : most;
  }
  return most / 64 + 1;
}

static bool colour_by_bodies(const CpsProblem* problem, CpsArena* arena, Greedy* greedy) {
  const CpsFactors* factors = &problem->factors;
  int32_t n = problem->contact_count;
  int64_t term_count = n > 0 ? factors->contact_start[n] : 0;
  int64_t* start = CPS_TAKE_ZERO(arena, int64_t, (int64_t)factors->body_count + 1);  // list of each body in `used`
  int64_t* end = CPS_TAKE(arena, int64_t, (int64_t)factors->body_count + 1);
  int32_t* used = CPS_TAKE(arena, int32_t, term_count);
  if (start == NULL || end == NULL || used == NULL) return false;
  for (int64_t k = 0; k < term_count; k++) start[factors->body[k] + 1]++;
  for (int32_t B = 0; B < factors->body_count; B++) start[B + 1] += start[B];
  const int64_t words = words_needed(factors, n, start);
  if (words * factors->body_count <= term_count) {
    uint64_t* bits = CPS_TAKE_ZERO(arena, uint64_t, words * factors->body_count);
    if (bits == NULL) return false;
    for (int32_t i = 0; i < n; i++) {
      const int32_t colour = greedy->colour[i] = take_bit(factors, i, words, bits);
      if (colour >= greedy->count) greedy->count = colour + 1;
    }
    return true;
  }
  memcpy(end, start, (size_t)(factors->body_count + 1) * sizeof *end);

  for (int32_t i = 0; i < n; i++) {
    int64_t first = factors->contact_start[i], last = factors->contact_start[i + 1];
    for (int64_t k = first; k < last; k++) {
      int32_t B = factors->body[k];
      for (int64_t e = start[B]; e < end[B]; e++) greedy->stamp[used[e]] = i;
    }
    int32_t colour = first_free_colour(greedy, i);
    for (int64_t k = first; k < last; k++) used[end[factors->body[k]]++] = colour;
  }
  return true;
}

bool cps_colouring_make(const CpsProblem* problem, CpsArena* arena, CpsColouring* colouring) {
  int32_t n = problem->contact_count;
  // Results come first, so that the rest can be freed.
  colouring->start = CPS_TAKE_ZERO(arena, int32_t, (int64_t)n + 2);
  colouring->contact = CPS_TAKE(arena, int32_t, n);
  if (colouring->start == NULL || colouring->contact == NULL) return false;
  CpsArenaMark mark = cps_arena_mark(arena);
  Greedy greedy = {CPS_TAKE(arena, int32_t, n), CPS_TAKE(arena, int32_t, n), 0};
  if (greedy.colour == NULL || greedy.stamp == NULL) return false;
  for (int32_t c = 0; c < n; c++) greedy.stamp[c] = -1;
  bool done = problem->has_W ? colour_by_W(&problem->W, arena, &greedy) : colour_by_bodies(problem, arena, &greedy);
  if (!done) return false;

  // Counting sort by colour; stable, so that the contacts of a colour ascend.
  int32_t* start = colouring->start;
  for (int32_t i = 0; i < n; i++) start[greedy.colour[i] + 2]++;
  for (int32_t c = 0; c < greedy.count; c++) start[c + 2] += start[c + 1];
  for (int32_t i = 0; i < n; i++) colouring->contact[start[greedy.colour[i] + 1]++] = i;
  colouring->count = greedy.count;
  cps_arena_release(arena, mark);
  return true;
}
