// "Did you mean …?"
#ifndef CAPSTAN_BASE_SUGGEST_H
#define CAPSTAN_BASE_SUGGEST_H

// The candidate nearest to `word`, or NULL if none is near. `candidates` ends with NULL.
const char* cps_suggest(const char* word, const char* const* candidates);

#endif
