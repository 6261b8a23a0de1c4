#include "base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST_WORD 40

enum { SHORTEST_PART = 3 };  // letters: fewer begin too many words

static int least(int a, int b) {
  return a < b ? a : b;
}

// Edits (insert, delete, replace, swap neighbours) that turn a into b, without regard to case.
static int distance(const char* a, const char* b) {
  size_t m = strlen(a), n = strlen(b);
  if (m > LONGEST_WORD || n > LONGEST_WORD) return LONGEST_WORD;
  int edits[LONGEST_WORD + 1][LONGEST_WORD + 1];
  for (size_t i = 0; i <= m; ++i) edits[i][0] = (int)i;
  for (size_t j = 0; j <= n; ++j) edits[0][j] = (int)j;
  for (size_t i = 1; i <= m; ++i) {
    for (size_t j = 1; j <= n; ++j) {
      int ai = tolower((unsigned char)a[i - 1]), bj = tolower((unsigned char)b[j - 1]);
      int best = least(edits[i - 1][j] + 1, edits[i][j - 1] + 1);
      best = least(best, edits[i - 1][j - 1] + (ai != bj));
      if (i > 1 && j > 1 && ai == tolower((unsigned char)b[j - 2]) && bj == tolower((unsigned char)a[i - 2])) {
        best = least(best, edits[i - 2][j - 2] + 1);
      }
      edits[i][j] = best;
    }
  }
  return edits[m][n];
}

// Whether a candidate continues the word, or has it after a hyphen: 'rad' and 'radius', 'helix' and 'super-helix'.
static bool is_part(const char* word, const char* candidate) {
  const size_t length = strlen(word);
  for (const char* at = candidate; at; at = strchr(at, '-')) {
    if (*at == '-') ++at;
    size_t same = 0;
    while (same < length && tolower((unsigned char)at[same]) == tolower((unsigned char)word[same])) ++same;
    if (same == length) return true;
  }
  return false;
}

const char* cps_suggest(const char* word, const char* const* candidates) {
  const char* nearest = NULL;
  const char* const* first = candidates;
  int fewest = LONGEST_WORD;
  for (; *candidates; ++candidates) {
    int edits = distance(word, *candidates);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = *candidates;
  }
  // a third of the letters of the longer one may be wrong or missing, and always one
  size_t length = nearest && strlen(nearest) > strlen(word) ? strlen(nearest) : strlen(word);
  int allowed = length / 3 > 1 ? (int)(length / 3) : 1;
  if (fewest <= allowed) return nearest;
  for (; strlen(word) >= SHORTEST_PART && *first; ++first) {
    if (is_part(word, *first)) return *first;
  }
  return NULL;
}
