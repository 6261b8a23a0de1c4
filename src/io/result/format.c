#include "io/result/format.h"

#include <math.h>

hid_t cps_number_in_file(CpsNumber number) {
  switch (number) {
    case CPS_F64:
      return H5T_IEEE_F64LE;
    case CPS_F32:
      return H5T_IEEE_F32LE;
    case CPS_I64:
      return H5T_STD_I64LE;
    case CPS_U64:
      return H5T_STD_U64LE;
    case CPS_I32:
      return H5T_STD_I32LE;
    case CPS_U32:
      return H5T_STD_U32LE;
    default:
      return H5T_STD_U8LE;
  }
}

hid_t cps_number_in_memory(CpsNumber number) {
  switch (number) {
    case CPS_F64:
      return H5T_NATIVE_DOUBLE;
    case CPS_F32:
      return H5T_NATIVE_FLOAT;
    case CPS_I64:
      return H5T_NATIVE_INT64;
    case CPS_U64:
      return H5T_NATIVE_UINT64;
    case CPS_I32:
      return H5T_NATIVE_INT32;
    case CPS_U32:
      return H5T_NATIVE_UINT32;
    default:
      return H5T_NATIVE_UINT8;
  }
}

size_t cps_number_size(CpsNumber number) {
  return number == CPS_U8 ? 1 : number == CPS_I32 || number == CPS_U32 || number == CPS_F32 ? 4 : 8;
}

// Extents, and the first and last format version with the dataset (0: current).
#define BODIES(n) 2, {CPS_PER_BODY, n}, 1, 0
#define OBSTACLES(n) 2, {CPS_PER_OBSTACLE, n}, 1, 0
#define VECTOR(n) 1, {n, 0}, 1, 0
#define MATRIX(n, m) 2, {n, m}, 1, 0
#define SCALAR 0, {0, 0}, 1, 0
#define FIBRE_POINTS(n) 2, {CPS_PER_FIBRE_POINT, n}, 2, 0
#define FIBRE_POINTS_3(n) 2, {CPS_PER_FIBRE_POINT, n}, 3, 0
#define FIBRE_SCALARS_3 1, {CPS_PER_FIBRE_POINT, 0}, 3, 0
#define VECTOR_2(n) 1, {n, 0}, 2, 0
#define VECTOR_6(n) 1, {n, 0}, 6, 0
#define SIDES 1, {2, 0}, 7, 0
#define SIDES_OF(n) 2, {2, n}, 7, 0
#define SHEET_VERTICES(n) 2, {CPS_PER_SHEET_VERTEX, n}, 6, 0
#define SOLID_VERTICES(n) 2, {CPS_PER_SOLID_VERTEX, n}, 8, 0
#define PARTICLES(n) 2, {CPS_PER_PARTICLE, n}, 8, 0
#define PARTICLE_SCALARS 1, {CPS_PER_PARTICLE, 0}, 8, 0
#define SCALAR_2 0, {0, 0}, 2, 0
#define SCALAR_3 0, {0, 0}, 3, 0
#define SCALAR_4 0, {0, 0}, 4, 0
#define SCALAR_5 0, {0, 0}, 5, 0
#define SCALAR_7 0, {0, 0}, 7, 0
#define SCALAR_8 0, {0, 0}, 8, 0
#define TIES(n) 2, {CPS_PER_TIE, n}, 5, 0
#define TIE_SIDES(n) 3, {CPS_PER_TIE, 2, n}, 7, 0
#define TIE_SCALARS 1, {CPS_PER_TIE, 0}, 5, 0
// The same up to format 6.
#define OLD_SCALAR 0, {0, 0}, 1, 6
#define OLD_SCALAR_4 0, {0, 0}, 4, 6
#define OLD_VECTOR(n) 1, {n, 0}, 1, 6
#define OLD_VECTOR_2(n) 1, {n, 0}, 2, 6
#define OLD_VECTOR_6(n) 1, {n, 0}, 6, 6
#define OLD_TIES(n) 2, {CPS_PER_TIE, n}, 5, 6

// The deepest penetration relative to size, of a step or of all steps.
#define DEEPEST(at)                                                                                                  \
  {at "deepest_depth", "m", "depth of the penetration with the largest depth / radius", CPS_F64, SCALAR_4},          \
      {at "deepest_radius", "m", "radius of the smaller of the two that penetrate each other there", CPS_F64,        \
       SCALAR_4},                                                                                                    \
      {at "deepest_x", "m", "where it is", CPS_F64, SCALAR_4}, {at "deepest_y", "m", "the same", CPS_F64, SCALAR_4}, \
      {at "deepest_z", "m", "the same", CPS_F64, SCALAR_4},                                                          \
      {at "deepest_a", "1",                                                                                          \
       "one of the two: 3 * its number + 0 body, 1 fibre, 2 obstacle; a sheet: 2^30 + its number", CPS_I64,          \
       OLD_SCALAR_4},                                                                                                \
      {at "deepest_b", "1", "the other", CPS_I64, OLD_SCALAR_4},                                                     \
      {at "deepest_kind_a", "1", "kind of one of the two: 1 body, 2 fibre, 3 sheet, 4 solid, 7 obstacle; 0: none",   \
       CPS_I64, SCALAR_7},                                                                                           \
      {at "deepest_number_a", "1", "its number among its kind", CPS_I64, SCALAR_7},                                  \
      {at "deepest_kind_b", "1", "kind of the other", CPS_I64, SCALAR_7}, {                                          \
    at "deepest_number_b", "1", "its number among its kind", CPS_I64, SCALAR_7                                       \
  }

const CpsGrowing cps_growing[CPS_GROWING_COUNT] = {
    [CPS_FRAME_TIME] = {"/frames/time", "s", "simulated time", CPS_F64, SCALAR},
    [CPS_FRAME_STEP] = {"/frames/step", "1", "steps made since the start of the simulation", CPS_I64, SCALAR},
    [CPS_FRAME_ROW] = {"/frames/row", "1", "rows of /steps that belong to this and earlier frames", CPS_I64, SCALAR},
    [CPS_FRAME_HASH] = {"/frames/hash", "1", "hash of time, poses and velocities", CPS_U64, SCALAR},
    [CPS_FRAME_POSE] = {"/frames/pose", "m, 1", "position x y z and unit quaternion w x y z of each body", CPS_F64,
                        BODIES(7)},
    [CPS_FRAME_VELOCITY] = {"/frames/velocity", "m/s, rad/s",
                            "velocity x y z of the centre of mass and angular velocity x y z, world axes", CPS_F64,
                            BODIES(6)},
    [CPS_FRAME_OBSTACLE_POSE] = {"/frames/obstacle_pose", "m, 1",
                                 "position x y z and unit quaternion w x y z of each obstacle", CPS_F64, OBSTACLES(7)},
    [CPS_FRAME_FIBRE_POINT] = {"/frames/fibre_point", "m", "points x y z of the centrelines of all fibres", CPS_F32,
                               FIBRE_POINTS(3)},
    [CPS_FRAME_FIBRE_AXIS] = {"/frames/fibre_axis", "1", "second axis x y z of the section there, unit", CPS_F32,
                              FIBRE_POINTS(3)},
    [CPS_FRAME_FIBRE_TENSION] = {"/frames/fibre_tension", "N", "axial force there, > 0: pulled; only if requested",
                                 CPS_F32, FIBRE_SCALARS_3},
    [CPS_FRAME_FIBRE_VELOCITY] = {"/frames/fibre_velocity", "m/s", "velocity x y z there; only if requested", CPS_F32,
                                  FIBRE_POINTS_3(3)},
    [CPS_FRAME_SHEET_VERTEX] = {"/frames/sheet_vertex", "m", "positions x y z of the vertices of all sheets", CPS_F32,
                                SHEET_VERTICES(3)},
    [CPS_FRAME_SHEET_VELOCITY] = {"/frames/sheet_velocity", "m/s", "their velocities x y z; only if requested", CPS_F32,
                                  SHEET_VERTICES(3)},
    [CPS_FRAME_SHEET_IMPULSE] = {"/frames/sheet_impulse",
                                 "N s",
                                 "impulses x y z of the contacts of the last step on the vertices",
                                 CPS_F32,
                                 2,
                                 {CPS_PER_SHEET_VERTEX, 3},
                                 7,
                                 0},
    [CPS_FRAME_SOLID_VERTEX] = {"/frames/solid_vertex", "m", "positions x y z of the vertices of all solids", CPS_F32,
                                SOLID_VERTICES(3)},
    [CPS_FRAME_SOLID_VELOCITY] = {"/frames/solid_velocity", "m/s", "their velocities x y z; only if requested", CPS_F32,
                                  SOLID_VERTICES(3)},
    [CPS_FRAME_SOLID_IMPULSE] = {"/frames/solid_impulse", "N s",
                                 "impulses x y z of the contacts of the last step on them", CPS_F32, SOLID_VERTICES(3)},
    [CPS_FRAME_SOLID_STRESS] = {"/frames/solid_stress",
                                "Pa",
                                "Cauchy's stress xx yy zz xy yz zx in each tetrahedron",
                                CPS_F32,
                                2,
                                {CPS_PER_TETRAHEDRON, 6},
                                8,
                                0},
    [CPS_FRAME_GRAIN_POSITION] = {"/frames/grain_position", "m", "positions x y z of the particles of grains", CPS_F32,
                                  PARTICLES(3)},
    [CPS_FRAME_GRAIN_VELOCITY] = {"/frames/grain_velocity", "m/s", "their velocities x y z", CPS_F32, PARTICLES(3)},
    [CPS_FRAME_GRAIN_FRACTION] = {"/frames/grain_fraction", "1", "volume fraction of the grains around them", CPS_F32,
                                  PARTICLE_SCALARS},
    [CPS_FRAME_GRAIN_PRESSURE] = {"/frames/grain_pressure", "Pa", "pressure of the grains there", CPS_F32,
                                  PARTICLE_SCALARS},
    [CPS_FRAME_GRAIN_STATUS] = {"/frames/grain_status", "1", "0 flying, 1 solid, 2 flowing", CPS_U8, PARTICLE_SCALARS},
    [CPS_FRAME_GRAIN_STRESS] = {"/frames/grain_stress", "Pa", "stress of the grains there, xx yy zz xy yz zx", CPS_F32,
                                PARTICLES(6)},
    [CPS_TIE_POINTS] = {"/ties/point", "m", "points x y z of both sides of each tie, world", CPS_F64, TIE_SIDES(3)},
    [CPS_TIE_POINT_A] = {"/ties/point_a", "m", "point x y z of side a of each tie, world", CPS_F64, OLD_TIES(3)},
    [CPS_TIE_POINT_B] = {"/ties/point_b", "m", "point x y z of side b", CPS_F64, OLD_TIES(3)},
    [CPS_TIE_FORCE] = {"/ties/force", "N", "force x y z on a over the last step, world", CPS_F64, TIES(3)},
    [CPS_TIE_TORQUE] = {"/ties/torque", "N m", "torque x y z on a about its point", CPS_F64, TIES(3)},
    [CPS_TIE_APART] = {"/ties/apart", "m", "largest distance of points that it holds together", CPS_F64, TIE_SCALARS},
    [CPS_TIE_RESIDUAL] = {"/ties/residual", "1", "residual of the tie in the last step", CPS_F64, TIE_SCALARS},
    [CPS_TIE_BROKEN] = {"/ties/broken", "1", "1 if it broke", CPS_U8, TIE_SCALARS},
    [CPS_FRAME_STATE_OFFSET] = {"/state/offset", "1", "frame i has the bytes offset[i] to offset[i + 1]", CPS_I64,
                                SCALAR},
    [CPS_FRAME_CONTACT_OFFSET] = {"/contacts/offset", "1", "frame i has the contacts offset[i] to offset[i + 1]",
                                  CPS_I64, SCALAR},
    [CPS_FRAME_STATE] = {"/state/bytes", "1", "complete state for resuming from a frame, compressed by zlib", CPS_U8,
                         SCALAR},
    [CPS_CONTACT_POINT] = {"/contacts/point", "m", "points of sides a and b, world", CPS_F64, SIDES_OF(3)},
    [CPS_CONTACT_THING] = {"/contacts/thing", "1",
                           "kind (1 body, 2 fibre, 3 sheet, 4 solid, 6 other, 7 obstacle) and number of sides a and b",
                           CPS_I32, SIDES_OF(2)},
    [CPS_CONTACT_PART] = {"/contacts/part", "1",
                          "part of a shape, or triangle of a sheet or a solid, that touches, of both sides", CPS_I32,
                          SIDES},
    [CPS_CONTACT_PLACE] = {"/contacts/place", "m, 1",
                           "material coordinates: point in the axes of the shape, arc length, or weights of corners",
                           CPS_F64, SIDES_OF(3)},
    [CPS_CONTACT_MATERIAL] = {"/contacts/material", "1", "numbers of the materials of both sides", CPS_I32, SIDES},
    [CPS_CONTACT_POINT_A] = {"/contacts/point_a", "m", "point on body or fibre a, world", CPS_F64, OLD_VECTOR(3)},
    [CPS_CONTACT_POINT_B] = {"/contacts/point_b", "m", "point on body, fibre or obstacle b, world", CPS_F64,
                             OLD_VECTOR(3)},
    [CPS_CONTACT_FRAME] = {"/contacts/frame", "1", "rows: unit normal from b to a, first and second tangent, world",
                           CPS_F64, MATRIX(3, 3)},
    [CPS_CONTACT_IMPULSE] = {"/contacts/impulse", "N s", "impulse on a along normal, first and second tangent", CPS_F64,
                             VECTOR(3)},
    [CPS_CONTACT_VELOCITY] = {"/contacts/velocity", "m/s", "velocity of a relative to b after the step, along the same",
                              CPS_F64, VECTOR(3)},
    [CPS_CONTACT_STATUS] = {"/contacts/status", "1", "0 take-off, 1 stick, 2 slide", CPS_I32, SCALAR},
    [CPS_CONTACT_GAP] = {"/contacts/gap", "m", "gap at the beginning of the step, negative: penetration", CPS_F64,
                         SCALAR},
    [CPS_CONTACT_BODY] = {"/contacts/body", "1", "numbers of bodies a and b, -1 where it is none", CPS_I32,
                          OLD_VECTOR(2)},
    [CPS_CONTACT_OBSTACLE] = {"/contacts/obstacle", "1", "number of the obstacle, -1 if b is none", CPS_I32,
                              OLD_SCALAR},
    [CPS_CONTACT_FEATURE] = {"/contacts/feature", "1", "tells the contacts of a pair apart, the same from step to step",
                             CPS_U32, SCALAR},
    [CPS_CONTACT_MU] = {"/contacts/mu", "1", "friction along the first and the second tangent", CPS_F64, VECTOR(2)},
    [CPS_CONTACT_RESTITUTION] = {"/contacts/restitution", "1", "coefficient of restitution", CPS_F64, SCALAR},
    [CPS_CONTACT_ISLAND] = {"/contacts/island", "1", "number of its island", CPS_I32, SCALAR},
    [CPS_CONTACT_FIBRE] = {"/contacts/fibre", "1", "numbers of fibres a and b, -1 where it is none", CPS_I32,
                           OLD_VECTOR_2(2)},
    [CPS_CONTACT_ARC] = {"/contacts/arc", "m", "arc length of the contact on fibres a and b", CPS_F64, OLD_VECTOR_2(2)},
    [CPS_CONTACT_RESIDUAL] = {"/contacts/residual", "1", "residual of Coulomb's law", CPS_F64, SCALAR_3},
    [CPS_CONTACT_SHEET] = {"/contacts/sheet", "1", "numbers of sheets a and b, -1 where it is none", CPS_I32,
                           OLD_VECTOR_6(2)},
    // the order is that of cps_totals_to_row()
    [CPS_TOTALS_FIRST] = {"/totals/steps", "1", "steps made", CPS_I64, SCALAR},
    {"/totals/unsolved_steps", "1", "of these, with an island not solved to the tolerance", CPS_I64, SCALAR},
    {"/totals/contacts_max", "1", "largest number of contacts", CPS_I64, SCALAR},
    {"/totals/iterations", "1", "sum over the steps of the largest number of an island", CPS_I64, SCALAR},
    {"/totals/residual_max", "1", "largest residual", CPS_F64, SCALAR},
    {"/totals/penetration_max", "m", "largest penetration", CPS_F64, SCALAR},
    {"/totals/energy_error", "1", "largest relative energy balance error", CPS_F64, SCALAR},
    {"/totals/wall_seconds", "s", "wall-clock time of all steps", CPS_F64, SCALAR},
    {"/totals/crossings", "1", "contacts of fibres that passed through each other", CPS_I64, SCALAR_2},
    DEEPEST("/totals/"),
    {"/totals/deepest_time", "s", "when it was", CPS_F64, SCALAR_4},
    {"/totals/broken", "1", "ties that broke", CPS_I64, SCALAR_5},
    {"/totals/stopped", "1", "groups that were stopped together because nothing else kept them apart", CPS_I64,
     SCALAR_8},
    // the order is that of cps_step_to_row()
    [CPS_SERIES_FIRST] = {"/steps/time", "s", "simulated time at the end of the step", CPS_F64, SCALAR},
    {"/steps/step", "s", "length of the step", CPS_F64, SCALAR},
    {"/steps/status", "1", "0: every island solved to the tolerance, > 0: status of the worst", CPS_I32, SCALAR},
    {"/steps/halvings", "1", "times the step was tried again at half the length", CPS_I32, SCALAR},
    {"/steps/contacts", "1", "contacts", CPS_I32, SCALAR},
    {"/steps/stick", "1", "of these, sticking", CPS_I32, SCALAR},
    {"/steps/slide", "1", "of these, sliding", CPS_I32, SCALAR},
    {"/steps/islands", "1", "groups of bodies and fibres coupled by contacts", CPS_I32, SCALAR},
    {"/steps/unsolved", "1", "islands not solved to the tolerance", CPS_I32, SCALAR},
    {"/steps/iterations", "1", "largest number of iterations of an island", CPS_I64, SCALAR},
    {"/steps/residual", "1", "largest residual of an island", CPS_F64, SCALAR},
    {"/steps/penetration", "m", "largest penetration at the beginning of the step", CPS_F64, SCALAR},
    {"/steps/nu", "1", "3 contacts / degrees of freedom of the bodies and fibres that touch something", CPS_F64,
     SCALAR},
    {"/steps/kinetic", "J", "kinetic energy", CPS_F64, SCALAR},
    {"/steps/potential", "J", "potential energy of gravity", CPS_F64, SCALAR},
    {"/steps/start", "J", "energy at the start and all that was added by hand since", CPS_F64, SCALAR},
    {"/steps/external", "J", "work of loads so far", CPS_F64, SCALAR},
    {"/steps/obstacles", "J", "work of moving obstacles so far", CPS_F64, SCALAR},
    {"/steps/friction", "J", "dissipated by friction so far", CPS_F64, SCALAR},
    {"/steps/impact", "J", "dissipated by the normal parts of impulses so far", CPS_F64, SCALAR},
    {"/steps/scheme", "J", "lost by the time discretisation so far", CPS_F64, SCALAR},
    {"/steps/projection", "J", "lost by the projection of positions so far", CPS_F64, SCALAR},
    {"/steps/energy_error", "1", "relative energy balance error", CPS_F64, SCALAR},
    {"/steps/seconds", "s", "wall-clock time of the step", CPS_F64, SCALAR},
    {"/steps/seconds_detect", "s", "wall-clock time of detection", CPS_F64, SCALAR},
    {"/steps/seconds_solve", "s", "wall-clock time of solving", CPS_F64, SCALAR},
    {"/steps/index", "1", "steps made since the start of the simulation, this one included", CPS_I64, SCALAR},
    {"/steps/elastic", "J", "elastic energy of fibres", CPS_F64, SCALAR_2},
    {"/steps/crossings", "1", "contacts of fibres that passed through each other", CPS_I32, SCALAR_2},
    {"/steps/seconds_predict", "s", "wall-clock time of free velocities and factorisations", CPS_F64, SCALAR_2},
    {"/steps/seconds_assemble", "s", "wall-clock time of contacts, islands and the rows of the problem", CPS_F64,
     SCALAR_2},
    {"/steps/seconds_advance", "s", "wall-clock time of velocities, positions and books", CPS_F64, SCALAR_2},
    {"/steps/ends", "J", "work done by the holders of fibre ends so far", CPS_F64, SCALAR_4},
    {"/steps/damping", "J", "dissipated by damping and drag so far", CPS_F64, SCALAR_4},
    {"/steps/linearisation", "J", "lost because steps take forces of fibres to first order so far", CPS_F64, SCALAR_4},
    {"/steps/ties", "J", "lost where ties hold points together so far", CPS_F64, SCALAR_5},
    {"/steps/broken", "1", "ties that broke in the step", CPS_I32, SCALAR_5},
    {"/steps/stopped", "1", "groups that were stopped together because nothing else kept them apart", CPS_I32,
     SCALAR_8},
    DEEPEST("/steps/"),
    // the order is that of cps_result_add_grains()
    [CPS_GRAIN_SERIES_FIRST] = {"/steps/runout", "m",
                                "horizontal distance of the farthest grain from where grains started", CPS_F64,
                                SCALAR_8},
    {"/steps/runout_99", "m", "the same without the farthest hundredth of the particles", CPS_F64, SCALAR_8},
    {"/steps/outflow", "kg", "mass of grains below the lowest place where they started", CPS_F64, SCALAR_8},
    {"/steps/fraction", "1", "mean volume fraction of the grains", CPS_F64, SCALAR_8},
    {"/steps/fraction_max", "1", "largest volume fraction", CPS_F64, SCALAR_8},
    {"/steps/grain_speed", "m/s", "speed of the fastest particle", CPS_F64, SCALAR_8},
    [CPS_STEP_OBSTACLE_FORCE] = {"/steps/obstacle_force",
                                 "N",
                                 "force x y z of grains on each obstacle over the step",
                                 CPS_F64,
                                 2,
                                 {CPS_PER_OBSTACLE, 3},
                                 8,
                                 0},
    [CPS_STEP_BODY_FORCE] = {"/steps/body_force",
                             "N",
                             "force x y z of grains on each body over the step",
                             CPS_F64,
                             2,
                             {CPS_PER_BODY, 3},
                             8,
                             0},
};

enum { DEEPEST_ROW = 11 };

static void deepest_to_row(const CpsDeepest* d, double row[DEEPEST_ROW]) {
  const CpsThing *a = &d->thing[0], *b = &d->thing[1];
  const double values[DEEPEST_ROW] = {
      d->depth, d->radius,       d->point.x,       d->point.y,      d->point.z,      0.0,
      0.0,      (double)a->kind, (double)a->index, (double)b->kind, (double)b->index};
  for (int i = 0; i < DEEPEST_ROW; ++i) row[i] = values[i];
}

// A thing in the single number of formats before 7.
static CpsThing old_thing(double number) {
  static const CpsThingKind KINDS[] = {CPS_THING_BODY, CPS_THING_FIBRE, CPS_THING_OBSTACLE};
  static const int32_t SHEETS = 1 << 30;
  const int32_t n = (int32_t)number;
  if (n >= SHEETS) return (CpsThing){CPS_THING_SHEET, n - SHEETS, 0};
  return (CpsThing){KINDS[n % 3], n / 3, 0};
}

static CpsDeepest deepest_from_row(const double row[DEEPEST_ROW], double time) {
  CpsDeepest d = {.depth = row[0], .radius = row[1], .time = time, .point = {row[2], row[3], row[4]}};
  if (!(d.depth > 0.0)) return d;
  for (int k = 0; k < 2; ++k) {
    const double* now = row + 7 + 2 * k;
    d.thing[k] = now[0] > 0.0 ? (CpsThing){(CpsThingKind)now[0], (int32_t)now[1], 0} : old_thing(row[5 + k]);
  }
  return d;
}

void cps_totals_to_row(const CpsRunTotals* totals, double row[CPS_TOTALS_COUNT]) {
  row[0] = (double)totals->steps;
  row[1] = (double)totals->unsolved_steps;
  row[2] = (double)totals->contacts_max;
  row[3] = (double)totals->iterations;
  row[4] = totals->residual_max;
  row[5] = totals->penetration_max;
  row[6] = totals->energy_error;
  row[7] = totals->wall_seconds;
  row[8] = (double)totals->crossings;
  deepest_to_row(&totals->deepest, row + 9);
  row[20] = totals->deepest.time;
  row[21] = (double)totals->broken;
  row[22] = (double)totals->stopped;
}

CpsRunTotals cps_totals_from_row(const double row[CPS_TOTALS_COUNT]) {
  return (CpsRunTotals){.steps = (int64_t)row[0],
                        .unsolved_steps = (int64_t)row[1],
                        .contacts_max = (int32_t)row[2],
                        .iterations = (int64_t)row[3],
                        .residual_max = row[4],
                        .penetration_max = row[5],
                        .energy_error = row[6],
                        .wall_seconds = row[7],
                        .crossings = (int64_t)row[8],
                        .broken = (int64_t)row[21],
                        .stopped = (int64_t)row[22],
                        .deepest = deepest_from_row(row + 9, row[20])};
}

void cps_step_to_row(const CpsStepInfo* info, const CpsEnergy* energy, double row[CPS_SERIES_COUNT]) {
  const double values[CPS_SERIES_COUNT - DEEPEST_ROW] = {info->time,
                                                         info->step,
                                                         (double)info->status,
                                                         (double)info->halvings,
                                                         (double)info->contacts,
                                                         (double)info->stick,
                                                         (double)info->slide,
                                                         (double)info->islands,
                                                         (double)info->unsolved,
                                                         (double)info->iterations,
                                                         info->residual,
                                                         info->penetration,
                                                         info->nu,
                                                         energy->kinetic,
                                                         energy->potential,
                                                         energy->start,
                                                         energy->external,
                                                         energy->obstacles,
                                                         energy->friction,
                                                         energy->impact,
                                                         energy->scheme,
                                                         energy->projection,
                                                         energy->error,
                                                         info->seconds,
                                                         info->seconds_detect,
                                                         info->seconds_solve,
                                                         (double)info->index,
                                                         energy->elastic,
                                                         (double)info->crossings,
                                                         info->seconds_predict,
                                                         info->seconds_assemble,
                                                         info->seconds_advance,
                                                         energy->ends,
                                                         energy->damping,
                                                         energy->linearisation,
                                                         energy->ties,
                                                         (double)info->broken,
                                                         (double)info->stopped};
  CpsDeepest deepest = cps_step_deepest_of(info);
  for (int i = 0; i < CPS_SERIES_COUNT - DEEPEST_ROW; ++i) row[i] = values[i];
  deepest_to_row(&deepest, row + CPS_SERIES_COUNT - DEEPEST_ROW);
}

// NaN is kept, so that later values do not hide it.
static double largest(double old, double value) {
  return isnan(old) || old >= value ? old : value;
}

CpsDeepest cps_step_deepest_of(const CpsStepInfo* info) {
  const CpsOverlap* o = &info->deepest;
  if (!(o->depth > 0.0)) return (CpsDeepest){0};
  const CpsThing *a = &o->side[0].thing, *b = &o->side[1].thing;
  return (CpsDeepest){.depth = o->depth,
                      .radius = o->radius,
                      .time = info->time,
                      .point = o->point,
                      .thing = {{a->kind, a->index, 0}, {b->kind, b->index, 0}}};
}

void cps_run_totals_add(CpsRunTotals* totals, const CpsStepInfo* info, const CpsEnergy* energy) {
  totals->steps += 1;
  totals->unsolved_steps += info->unsolved > 0 ? 1 : 0;
  if (totals->contacts_max < info->contacts) totals->contacts_max = info->contacts;
  totals->iterations += info->iterations;
  totals->residual_max = largest(totals->residual_max, info->residual);
  totals->penetration_max = largest(totals->penetration_max, info->penetration);
  CpsDeepest deepest = cps_step_deepest_of(info);
  if (deepest.depth * totals->deepest.radius > totals->deepest.depth * deepest.radius ||
      (deepest.depth > 0.0 && !(totals->deepest.depth > 0.0))) {
    totals->deepest = deepest;
  }
  totals->energy_error = largest(totals->energy_error, energy->error);
  totals->wall_seconds += info->seconds;
  totals->crossings += info->crossings;
  totals->broken += info->broken;
  totals->stopped += info->stopped;
}
