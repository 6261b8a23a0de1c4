/// @file array.h
/// A world as plain arrays: one quantity of all things of a kind, or of one thing, in one call, at any stride. For engines,
/// exports and other languages.
///
///     CpsThing bodies = {CPS_THING_BODY, 0, 0};  // no generation: all of them
///     int64_t count = cps_world_array_count(world, bodies, CPS_QUANTITY_POSITION);
///     CpsVec3* x = malloc((size_t)count * sizeof *x);
///     cps_world_array(world, bodies, CPS_QUANTITY_POSITION, &x->x, sizeof *x);
///
/// Entries of a kind follow each other in the order of the things (cps_world_body(), cps_world_fibre(), …), and within a thing
/// in the order of its points: of a fibre the ends of its elements from the root to the tip, branch after branch; of a sheet or a solid its
/// vertices as given.
#ifndef CAPSTAN_ARRAY_H
#define CAPSTAN_ARRAY_H

#include "capstan/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an array holds. A kind that has nothing of the sort has no entries.
typedef enum CpsQuantity {
  CPS_QUANTITY_POSITION =
      0,  ///< 3 numbers, m: bodies, obstacles: of the origin of the shape; fibres, sheets, solids, grains: of points
  CPS_QUANTITY_ORIENTATION = 1,  ///< 4 numbers, unit quaternion w x y z: bodies, obstacles
  CPS_QUANTITY_VELOCITY =
      2,  ///< 3 numbers, m/s: bodies: of the centre of mass; fibres, sheets, solids, grains: of points
  CPS_QUANTITY_ANGULAR_VELOCITY = 3,  ///< 3 numbers, rad/s, world axes: bodies
  CPS_QUANTITY_FRACTION = 4,          ///< 1 number, of the space around a particle that grains take: grains
  CPS_QUANTITY_PRESSURE = 5           ///< 1 number, Pa, of the grains around a particle in the last step: grains
} CpsQuantity;

/// Numbers in an entry; 0 for an unknown quantity.
CPS_API int32_t cps_quantity_width(CpsQuantity quantity);
/// Entries of a quantity.
/// @param thing  one thing; without a generation: all things of its kind
/// @return 0 also if the thing or quantity does not exist
CPS_API int64_t cps_world_array_count(const CpsWorld* world, CpsThing thing, CpsQuantity quantity);
/// Copies a quantity.
/// @param thing        as above
/// @param[out] values  cps_world_array_count() entries of cps_quantity_width() numbers
/// @param stride       bytes from one entry to the next: a multiple of 8, at least 8 times the width
/// @return CPS_OK; or CPS_BAD_ARGUMENT, also for a thing that does not exist or lacks the quantity; nothing was written
CPS_API CpsStatus cps_world_array(const CpsWorld* world, CpsThing thing, CpsQuantity quantity, double* values,
                                  size_t stride);

/// Sets a quantity: of bodies all four, of sheets and solids positions and velocities, of fibres velocities. A fibre of a
/// super-model gets a motion near to the given velocities, by least squares: its centreline cannot stretch, and what the array does not
/// show, such as twist, gets little energy. A free fibre keeps a rigid motion exactly. Other things are refused. A body that is put elsewhere keeps
/// its velocities, and one that is turned turns about the origin of its shape. Vertices that are sewn together get those of the
/// first. Held points stay where they are: a position that would move it is refused, and its velocity is not set.
/// @param thing   as above
/// @param values  `count` entries of cps_quantity_width() finite numbers; orientations need not be unit, only not 0
/// @param count   as cps_world_array_count() says
/// @param stride  bytes from one entry to the next: a multiple of 8, at least 8 times the width
/// @return CPS_OK or an error: nothing was set
CPS_API CpsStatus cps_world_set_array(CpsWorld* world, CpsThing thing, CpsQuantity quantity, const double* values,
                                      int64_t count, size_t stride, CpsError* error);

/// What an array of the contacts of the last step holds.
typedef enum CpsContactQuantity {
  CPS_CONTACT_QUANTITY_POINT = 0,     ///< 6 numbers, m: points of sides a and b, world, at the beginning of the step
  CPS_CONTACT_QUANTITY_NORMAL = 1,    ///< 3 numbers: unit, from b to a
  CPS_CONTACT_QUANTITY_IMPULSE = 2,   ///< 3 numbers, N·s: on a, world axes
  CPS_CONTACT_QUANTITY_VELOCITY = 3,  ///< 3 numbers, m/s: of a relative to b after the step, world axes
  CPS_CONTACT_QUANTITY_GAP = 4,       ///< 1 number, m, negative: penetration
  CPS_CONTACT_QUANTITY_PLACE = 5,     ///< 6 numbers: where on their parts sides a and b are (CpsSide)
  CPS_CONTACT_QUANTITY_FRICTION = 6,  ///< 2 numbers: friction coefficients along both tangents (CpsContact)
  CPS_CONTACT_QUANTITY_RESIDUAL = 7   ///< 1 number: how far it is from Coulomb's law
} CpsContactQuantity;

/// Numbers in an entry; 0 for an unknown quantity.
CPS_API int32_t cps_contact_quantity_width(CpsContactQuantity quantity);
/// Copies a quantity of all contacts, in the order of cps_world_contact().
/// @param[out] values  cps_world_contact_count() entries of cps_contact_quantity_width() numbers
/// @param stride       bytes from one entry to the next: a multiple of 8, at least 8 times the width
/// @return CPS_OK, or CPS_BAD_ARGUMENT: nothing was written
CPS_API CpsStatus cps_world_contact_array(const CpsWorld* world, CpsContactQuantity quantity, double* values,
                                          size_t stride);

/// What an array of whole numbers of the contacts of the last step holds.
typedef enum CpsContactLabel {
  CPS_CONTACT_LABEL_STATUS = 0,  ///< 1 number: CpsContactStatus
  CPS_CONTACT_LABEL_THING = 1,   ///< 6 numbers: kind, index and generation of side a, then of b
  CPS_CONTACT_LABEL_PART = 2,    ///< 2 numbers: parts of sides a and b (CpsSide)
  CPS_CONTACT_LABEL_ISLAND = 3,  ///< 1 number: its island
  CPS_CONTACT_LABEL_FEATURE = 4  ///< 1 number: tells the contacts of a pair apart
} CpsContactLabel;

/// Numbers in an entry; 0 for an unknown label.
CPS_API int32_t cps_contact_label_width(CpsContactLabel label);
/// Copies a label of all contacts, in the order of cps_world_contact().
/// @param[out] values  cps_world_contact_count() entries of cps_contact_label_width() numbers
/// @param stride       bytes from one entry to the next: a multiple of 4, at least 4 times the width
/// @return CPS_OK, or CPS_BAD_ARGUMENT: nothing was written
CPS_API CpsStatus cps_world_contact_labels(const CpsWorld* world, CpsContactLabel label, int32_t* values,
                                           size_t stride);
/// Copies the first `room` contacts of the last step, everything known about each.
/// @param[out] contacts  room for `room` of them; NULL: none is copied
/// @return how many there are
CPS_API int32_t cps_world_contacts(const CpsWorld* world, CpsContact* contacts, int32_t room);

#ifdef __cplusplus
}
#endif
#endif
