// Colours of contacts: contacts of one colour never read what another one of that colour writes, so they can be solved in parallel.
//
// Two contacts get different colours if W couples them (a stored block W_ij or W_ji) or, if W is not formed, if they
// share a body. Greedy in the order of the contacts: each takes the first colour not used by a preceding coupled
// contact. The colours depend on the problem alone, never on the number of threads.
#ifndef CAPSTAN_FRICTION_GLOBAL_COLOURING_H
#define CAPSTAN_FRICTION_GLOBAL_COLOURING_H

#include "friction/problem.h"

typedef struct CpsColouring {
  int32_t count;     // colours
  int32_t* start;    // count + 1: first entry of each colour in `contact`
  int32_t* contact;  // contact_count: the contacts by colour, ascending in each
} CpsColouring;

// Memory from the arena, linear in the contacts and blocks. Returns false if memory runs out.
bool cps_colouring_make(const CpsProblem* problem, CpsArena* arena, CpsColouring* colouring);

#endif
