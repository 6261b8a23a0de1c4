// Statics of a tree of elements of constant curvature: forces of weight and pulls on the curvatures, and their derivatives, in
// closed form. Both forms of the super-helix are such trees.
#ifndef CAPSTAN_MODEL_HELIX_STATICS_H
#define CAPSTAN_MODEL_HELIX_STATICS_H

#include "model/rod_statics.h"
#include "model/stumpff.h"

// An element; parents precede their children.
typedef struct CpsHelixLink {
  int32_t parent;  // -1: the root
  double size, density;
  CpsVec3 stiffness, k, natural;
  CpsVec3 x;  // of its beginning
  CpsMat3 R;
} CpsHelixLink;

// Loads on the elements beyond one: the sum F of the forces, and the sum of s F^T, s their positions from its end.
typedef struct CpsHelixCarried {
  CpsVec3 F;
  CpsMat3 D;
} CpsHelixCarried;

// -dU/dk of all elements (rod_statics.h), `carried` for each, and the total about the root.
CpsHelixCarried cps_helix_forces(const CpsRod* rod, const CpsRodLoad* load, int32_t count, const CpsHelixLink* link,
                                 CpsHelixCarried* carried, CpsVec3* force);
// d2U/dk2, added to a symmetric matrix of 3 count rows with a full band.
void cps_helix_second(const CpsRod* rod, const CpsRodLoad* load, int32_t count, const CpsHelixLink* link,
                      const CpsHelixCarried* carried, double* S);
// E J of a contact with respect to the curvatures, added to `G` of the spot.
void cps_helix_point_rows(const CpsRod* rod, const CpsHelixLink* link, const CpsRodSpot* spot);
// Whether the loads on an unclamped root balance.
CpsStatus cps_helix_check_root(const CpsRod* rod, const CpsRodLoad* load, const CpsHelixCarried* all, CpsError* error);

#endif
