// "Did you mean …?"
#ifndef CAPSTAN_BASE_SUGGEST_H
#define CAPSTAN_BASE_SUGGEST_H

// The candidate nearest to `word` by edits, or the first that it is the beginning of; NULL if there is none. `candidates` ends with NULL.
const char* cps_suggest(const char* word, const char* const* candidates);

#endif
