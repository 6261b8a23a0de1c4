// Converts a hand-drawn curve into a rod that rests in the drawn shape (docs/howto/pen.md): helices, natural shape, stability. Of the
// scene, it uses only the gravity.
#ifndef CAPSTAN_SERVER_PEN_H
#define CAPSTAN_SERVER_PEN_H

#include "capstan/inverse.h"
#include "server/buffer.h"

enum {
  CPS_PEN_CURVES = 50,    // most curves: fewer packets than wait for a client
  CPS_PEN_POINTS = 2000,  // most points of a curve
  CPS_PEN_ELEMENTS = 50,  // most helices of a curve
  CPS_PEN_PARTS = 6,      // parts of a helix that are drawn
  CPS_PEN_ROOM = CPS_PEN_ELEMENTS * CPS_PEN_PARTS + 1
};

typedef struct CpsPenShape {
  int32_t elements;               // helices
  CpsVec3 line[CPS_PEN_ROOM];     // CPS_PEN_PARTS points of each, and the end
  CpsVec3 natural[CPS_PEN_ROOM];  // the same without any load, from the same root
  double length, radius;          // m
  double young;                   // Pa
  double least;                   // stable if it were more than this many times as stiff; 0: however soft
} CpsPenShape;

// @param points  two or more, adjacent points distinct
// @param young   Pa, > 0; NaN: twice the smallest stable modulus, and stiff enough for a visible stability
CpsStatus cps_pen_shape(const CpsVec3* points, int32_t count, double young, CpsVec3 gravity, CpsPenShape* shape,
                        CpsError* error);
// The same rod as an entry of a scene: "fibres.NAME={...}", zero-terminated.
void cps_pen_entry(CpsBuffer* out, const char* name, const CpsVec3* points, int32_t count, const CpsPenShape* shape);

#endif
