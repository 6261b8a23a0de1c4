// Statics of a tree of elements of constant curvature: forces of weight and pulls on the curvatures, and their derivatives, in
// closed form. Both forms of the super-helix are such trees.
#ifndef CAPSTAN_MODEL_HELIX_STATICS_H
#define CAPSTAN_MODEL_HELIX_STATICS_H

#include "model/rod_statics.h"
#include "model/stumpff.h"

// An element; those of a tree are in an order in which parents come first.
typedef struct CpsHelixLink {
  int32_t parent;  // -1: the root
  double size, density;
  CpsVec3 stiffness, k, natural;
  CpsVec3 x;  // of its beginning
  CpsMat3 R;
} CpsHelixLink;

// What acts on the elements after one: the sum F of the forces, and sum of s F^T, s their places from its end.
typedef struct CpsHelixCarried {
  CpsVec3 F;
  CpsMat3 D;
} CpsHelixCarried;

// -dU/dk of all elements (rod_statics.h), `carried` for each, and all about the root.
CpsHelixCarried cps_helix_forces(const CpsRod* rod, const CpsRodLoad* load, int32_t count, const CpsHelixLink* link,
                                 CpsHelixCarried* carried, CpsVec3* force);
// d2U/dk2, added to a symmetric matrix of 3 count rows with a full band.
void cps_helix_second(const CpsRod* rod, const CpsRodLoad* load, int32_t count, const CpsHelixLink* link,
                      const CpsHelixCarried* carried, double* S);
// E J of a contact by the curvatures, added to `G` of the spot.
void cps_helix_point_rows(const CpsRod* rod, const CpsHelixLink* link, const CpsRodSpot* spot);
// Whether a root that is not clamped is held by the loads on it.
CpsStatus cps_helix_check_root(const CpsRod* rod, const CpsRodLoad* load, const CpsHelixCarried* all, CpsError* error);

#endif
