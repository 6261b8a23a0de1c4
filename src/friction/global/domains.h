// Domains: lists of contacts that several threads can sweep in parallel, for contacts between rigid bodies (rigid.h).
//
// Two phases. Within a phase, lists share no body: first the insides of the domains, then the interfaces between
// neighbouring domains. Sweeping list after list is Gauss-Seidel in another order. The lists depend on the problem
// alone, so the result has the same bits for any number of threads.
#ifndef CAPSTAN_FRICTION_GLOBAL_DOMAINS_H
#define CAPSTAN_FRICTION_GLOBAL_DOMAINS_H

#include "friction/problem.h"

enum { CPS_DOMAINS_MOST = 8 };

typedef struct CpsDomains {
  int32_t count;     // domains; lists 0 … count-1 are their insides, count … 2 count - 2 the interfaces
  int32_t* start;    // 2 count: first entry of each list in `contact`
  int32_t* contact;  // contact_count: ascending in each list; NULL: one list with all of them
} CpsDomains;

// One domain with all contacts in order.
void cps_domains_one(const CpsProblem* problem, int32_t start[2], CpsDomains* domains);
// Memory from the arena, linear in the contacts. Returns false if memory runs out.
bool cps_domains_make(const CpsProblem* problem, CpsArena* arena, CpsDomains* domains);

#endif
