// `proximal`: the proximal point method of prox_loop.c on the whole problem, from the given guess.
#include "friction/global/method.h"

#ifdef CAPSTAN_DIRECT
#include "friction/global/prox_loop.h"

#include <limits.h>

static CpsStatus run(CpsSolve* solve, double* r) {
  CpsProximal proximal;
  CpsStatus status = cps_proximal_create(solve, 1.0, &proximal);
  if (status != CPS_OK) return status;
  bool go = true;
  return cps_proximal_run(solve, &proximal, INT_MAX, r, &go);
}
#endif

const CpsMethodEntry cps_method_proximal = {
    .info = {.name = "proximal",
             .summary = "proximal point in the metric of the contacts, semismooth Newton inside",
             .reference = "Rockafellar 1976; Alart, Curnier 1991; De Luca, Facchinei, Kanzow 1996",
             .laws = CPS_ALL_LAWS,
             .exact = true,
             .available = CPS_DIRECT_AVAILABLE},
    .run = CPS_DIRECT(run),
};
