/// @file array.h The state of a world as plain arrays: one quantity of all objects of a kind, or of one object, in one
/// call, with any stride. For engines, exports and other languages.
///
///     CpsThing bodies = {CPS_THING_BODY, 0, 0};  // no generation: all of them
///     int64_t count = cps_world_array_count(world, bodies, CPS_QUANTITY_POSITION);
///     CpsVec3* x = malloc((size_t)count * sizeof *x);
///     cps_world_array(world, bodies, CPS_QUANTITY_POSITION, &x->x, sizeof *x);
///
/// The entries of a kind are in the order of its objects (cps_world_body(), cps_world_fibre(), …), and for each object
/// in the order of its points: for a fibre the ends of its elements from root to tip, branch by branch; for a sheet or
/// a solid its vertices as given.
#ifndef CAPSTAN_ARRAY_H
#define CAPSTAN_ARRAY_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Contents of an array. A kind without the quantity has no entries.
typedef enum CpsQuantity {
  CPS_QUANTITY_POSITION = 0,          ///< 3 numbers, m: bodies, obstacles: of the origin of the shape; fibres, sheets,
                                      ///< solids, grains: of points
  CPS_QUANTITY_ORIENTATION = 1,       ///< 4 numbers, unit quaternion w x y z: bodies, obstacles
  CPS_QUANTITY_VELOCITY = 2,          ///< 3 numbers, m/s: bodies: of the centre of mass; fibres, sheets, solids,
                                      ///< grains: of points
  CPS_QUANTITY_ANGULAR_VELOCITY = 3,  ///< 3 numbers, rad/s, world axes: bodies
  CPS_QUANTITY_FRACTION = 4,          ///< 1 number: volume fraction of grains around a particle: grains
  CPS_QUANTITY_PRESSURE = 5,          ///< 1 number, Pa: pressure in the grains around a particle in the last step:
                                      ///< grains
  CPS_QUANTITY_STATUS = 6,            ///< 1 number: CpsContactStatus of the grains around a particle in the last step:
                                      ///< grains
  CPS_QUANTITY_STRESS = 7,  ///< 6 numbers xx yy zz xy yz zx, Pa, tension positive: stress of the grains around
                            ///< a particle in the last step: grains; in the plane yy is minus the pressure
  CPS_QUANTITY_CENTRE = 8   ///< 3 numbers, m: centre of mass: bodies
} CpsQuantity;

/// Numbers in an entry; 0 for an unknown quantity.
CPS_API int32_t cps_quantity_width(CpsQuantity quantity);
/// Number of entries of a quantity.
/// @param thing one object; generation 0: all objects of its kind
/// @return the number; 0 if the object or the quantity does not exist
CPS_API int64_t cps_world_array_count(const CpsWorld* world, CpsThing thing, CpsQuantity quantity);
/// Copies a quantity.
/// @param thing        as above
/// @param[out] values  cps_world_array_count() entries of cps_quantity_width() numbers
/// @param stride       bytes from one entry to the next: a multiple of 8, at least 8 times the width
/// @return CPS_OK; or CPS_BAD_ARGUMENT, also if the object does not exist or lacks the quantity: nothing is written
CPS_API CpsStatus cps_world_array(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, double* values,
                                  size_t stride);

/// Type of the numbers of a view.
typedef enum CpsNumberType {
  CPS_NUMBER_DOUBLE = 0,  ///< double
  CPS_NUMBER_INT32 = 1,   ///< int32_t
  CPS_NUMBER_UINT8 = 2    ///< uint8_t
} CpsNumberType;

/// Numbers where the world keeps them, without a copy: entry i begins at (const char*)data + i * stride.
typedef struct CpsArrayView {
  const void* data;    ///< the first entry, owned by the world; NULL if there are no entries
  CpsNumberType type;  ///< of each number
  int32_t width;       ///< numbers in an entry, one after the other
  int64_t count;       ///< entries
  int64_t stride;      ///< bytes from one entry to the next
} CpsArrayView;

/// A quantity of objects in the memory of the world, without a copy. The numbers change with each step and each call that
/// changes the objects. The memory stays where it is until an object is added, removed or trimmed, grains are added, or
/// the world is destroyed. During a step another thread may see any numbers there.
///
/// Available: centres and velocities of bodies, positions of bodies whose centre of mass is the origin of the shape;
/// positions and velocities of one fibre of a model made of points, of a sheet or solid without seams, of grains;
/// fractions and statuses (uint8_t) of grains. All objects of a kind share a view if they lie at equal distances: bodies
/// do until one is removed.
/// @param thing      as for cps_world_array()
/// @param[out] view  written if the call succeeds
/// @return CPS_OK; CPS_BAD_ARGUMENT: as for cps_world_array(); CPS_UNSUPPORTED: these numbers are not stored at equal
/// distances, use cps_world_array()
CPS_API CpsStatus cps_world_view(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, CpsArrayView* view,
                                 CpsError* error);

/// Sets a quantity: all four of bodies, positions and velocities of sheets and solids, velocities of fibres; other
/// combinations are rejected. A fibre of a super-model gets the closest motion in the least-squares sense: its
/// centreline cannot stretch, and motions that the array does not determine, such as twist, get little energy. A rigid
/// motion of a free fibre is reproduced exactly. Moving a body keeps its velocities; rotating it acts about the origin
/// of its shape. Vertices that are sewn together get the values of the first. Held points do not move: a new position
/// is rejected, and a velocity is ignored.
/// @param thing   as above
/// @param values  `count` entries of cps_quantity_width() finite numbers; orientations need not be unit, only not 0
/// @param count   as returned by cps_world_array_count()
/// @param stride  bytes from one entry to the next: a multiple of 8, at least 8 times the width
/// @return CPS_OK, or an error: nothing is changed
CPS_API CpsStatus cps_world_set_array(CpsWorld* world, CpsThing thing, CpsQuantity quantity, const double* values,
                                      int64_t count, size_t stride, CpsError* error);

/// Contents of an array of the contacts of the last step.
typedef enum CpsContactQuantity {
  CPS_CONTACT_QUANTITY_POINT = 0,     ///< 6 numbers, m: points of sides a and b, world, at the beginning of the step
  CPS_CONTACT_QUANTITY_NORMAL = 1,    ///< 3 numbers: unit, from b to a
  CPS_CONTACT_QUANTITY_IMPULSE = 2,   ///< 3 numbers, N·s: on a, world axes
  CPS_CONTACT_QUANTITY_VELOCITY = 3,  ///< 3 numbers, m/s: of a relative to b after the step, world axes
  CPS_CONTACT_QUANTITY_GAP = 4,       ///< 1 number, m, negative: penetration
  CPS_CONTACT_QUANTITY_PLACE = 5,     ///< 6 numbers: places of sides a and b on their parts (CpsSide)
  CPS_CONTACT_QUANTITY_FRICTION = 6,  ///< 2 numbers: friction coefficients along both tangents (CpsContact)
  CPS_CONTACT_QUANTITY_RESIDUAL = 7   ///< 1 number: violation of Coulomb's law
} CpsContactQuantity;

/// Numbers in an entry; 0 for an unknown quantity.
CPS_API int32_t cps_contact_quantity_width(CpsContactQuantity quantity);
/// Copies a quantity of all contacts, in the order of cps_world_contact().
/// @param[out] values  cps_world_contact_count() entries of cps_contact_quantity_width() numbers
/// @param stride       bytes from one entry to the next: a multiple of 8, at least 8 times the width
/// @return CPS_OK, or CPS_BAD_ARGUMENT: nothing is written
CPS_API CpsStatus cps_world_contact_array(const CpsWorld* world, CpsContactQuantity quantity, double* values,
                                          size_t stride);

/// Contents of an integer array of the contacts of the last step.
typedef enum CpsContactLabel {
  CPS_CONTACT_LABEL_STATUS = 0,  ///< 1 number: CpsContactStatus
  CPS_CONTACT_LABEL_THING = 1,   ///< 6 numbers: kind, index and generation of side a, then of b
  CPS_CONTACT_LABEL_PART = 2,    ///< 2 numbers: parts of sides a and b (CpsSide)
  CPS_CONTACT_LABEL_ISLAND = 3,  ///< 1 number: its island
  CPS_CONTACT_LABEL_FEATURE = 4  ///< 1 number: distinguishes the contacts of a pair
} CpsContactLabel;

/// Numbers in an entry; 0 for an unknown label.
CPS_API int32_t cps_contact_label_width(CpsContactLabel label);
/// Copies a label of all contacts, in the order of cps_world_contact().
/// @param[out] values  cps_world_contact_count() entries of cps_contact_label_width() numbers
/// @param stride       bytes from one entry to the next: a multiple of 4, at least 4 times the width
/// @return CPS_OK, or CPS_BAD_ARGUMENT: nothing is written
CPS_API CpsStatus cps_world_contact_labels(const CpsWorld* world, CpsContactLabel label, int32_t* values,
                                           size_t stride);
/// A quantity of all contacts in the memory of the world, without a copy, until the next step or the next call that changes
/// the world. In contrast to cps_world_contact_array(), impulses and velocities are along the normal and the two
/// tangents (CpsContact). Available: normals, impulses, velocities, gaps, residuals.
/// @param[out] view  written if the call succeeds
/// @return CPS_OK; CPS_BAD_ARGUMENT; CPS_UNSUPPORTED: the quantity is computed on demand, or the contacts are not in one
/// array because some islands are at rest
CPS_API CpsStatus cps_world_contact_view(const CpsWorld* world, CpsContactQuantity quantity, CpsArrayView* view,
                                         CpsError* error);
/// The same for labels. Available: statuses (uint8_t), islands and features (int32_t).
CPS_API CpsStatus cps_world_contact_label_view(const CpsWorld* world, CpsContactLabel label, CpsArrayView* view,
                                               CpsError* error);
/// Copies the first `room` contacts of the last step with all their data.
/// @param[out] contacts  `room` entries; NULL: none is copied
/// @return the number of contacts
CPS_API int32_t cps_world_contacts(const CpsWorld* world, CpsContact* contacts, int32_t room);

#ifdef __cplusplus
}
#endif
#endif
